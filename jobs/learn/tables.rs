//! Tables of `learn`.

use webmill_table::{Bytes16, table};

table! {
    /// One row per word, or other feature, of the labelled pages: where it occurs and how well it separates classes; sorted by its bytes.
    FeatureRow = "features" {
        word: String = "word, or other feature: two words with a space between, and with a prefix han/ (two ideographs), title/, url/, anchor/, language/, type/", "library";
        source: String = "where it comes from: word, bigram, han-pair, title, url, anchor, media, language, page-type", "word";
        num_pages: u32 = "labelled pages that have it", "412";
        class_pages: Vec<u64> = "of them, pages of each class, in the order of column classes", "[400, 12]";
        classes: Vec<String> = "names of the classes", "['course', 'faculty']";
        chi_square: Option<f64> = "χ² over classes; null where it is not defined, as for a word of all pages", "38.2";
        information_gain: Option<f64> = "information gain, in nats", "0.21";
        right_half: Option<f64> = "P(w,c) ln(P(w,c)/(P(w)P(c)))", "0.11";
        mutual_information: Option<f64> = "ln(P(w,c)/(P(w)P(c)))", "0.92";
        cross_entropy: Option<f64> = "expected cross entropy, P(w) Σ P(c|w) ln(P(c|w)/P(c))", "0.17";
        weight_of_evidence: Option<f64> = "weight of evidence, probabilities clipped to [1/(2n), 1 − 1/(2n)]", "0.78";
        is_chosen: bool = "whether it is among the best by the measure of the settings", "true";
    }
}

table! {
    /// One row per measure: how good a trained classifier is, on pages that it was not trained on.
    EvaluationRow = "evaluation" {
        scope: String = "test (pages that were given), folds (all pages, each told by a classifier of the other folds), fold N, or curve (trained on a share of the pages)", "folds";
        share: f64 = "share of the training pages that it was trained on", "1.0";
        class: Option<String> = "class; null for measures of all", "course";
        measure: String = "accuracy, precision, recall, f1, macro-precision, macro-recall, macro-f1, micro-precision, micro-recall, micro-f1, calibration-error", "f1";
        value: f64 = "its value, 0 to 1", "0.93";
        num_pages: u64 = "pages that it is of: of a class those that are of it", "120";
    }
}

table! {
    /// One row per pair of true and predicted class.
    ConfusionRow = "confusion" {
        scope: String = "as evaluation.scope", "folds";
        class: String = "class that the pages are of", "course";
        told: String = "class that they were told to be of", "faculty";
        num_pages: u64 = "pages of the class that were told so", "7";
    }
}

table! {
    /// One row per tenth of probability: how often predictions of that probability are right.
    CalibrationRow = "calibration" {
        scope: String = "as evaluation.scope", "folds";
        from_probability: f64 = "probabilities from here on", "0.9";
        num_pages: u64 = "pages whose most probable class has such a probability", "812";
        mean_probability: f64 = "mean of these probabilities", "0.97";
        share_right: f64 = "share of these pages that are of the class", "0.96";
    }
}

table! {
    /// One row per setting that was tried on parts of the training pages before one was chosen; in the order in which they were tried.
    TrialRow = "trials" {
        method: String = "method of classification", "svm";
        sources: Vec<String> = "sources of features", "['word', 'bigram']";
        num_features: u64 = "words chosen at most; 0: all", "0";
        c: f64 = "what errors weigh (support vectors, logistic regression)", "1.0";
        alpha: f64 = "number added to counts (naive Bayes)", "0.1";
        share: f64 = "share of naive Bayes in a blend", "0.5";
        accuracy: f64 = "accuracy on held-out training pages", "0.91";
        macro_f1: f64 = "mean F1 of the classes there", "0.88";
        merit: f64 = "mean of both, by which is chosen", "0.895";
        is_chosen: bool = "whether it was chosen", "true";
    }
}

table! {
    /// One row per page: the class that a model predicts, and why.
    ClassRow = "classes" {
        url: String = "canonical URL; empty for a file or line without one", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "key of the page in table pages; of a file or line without URL a hash of its name or number", "9f…";
        host: String = "host name of the page, as pages.url_host_name", "news.pku.edu.cn";
        domain: String = "registrable domain of the host", "pku.edu.cn";
        file: String = "file below the folder, or number of the line, that was read; empty for pages of results", "course/12.html";
        label: String = "most probable class", "course";
        probability: f64 = "its probability, 0 to 1", "0.93";
        second: String = "next probable class; empty where the model has one only", "faculty";
        margin: f64 = "probability of the first less that of the second", "0.88";
        labels: Vec<String> = "classes that the page is told to be of: the most probable one, or of a model of several labels a page all beyond their thresholds", "['course']";
        words: Vec<String> = "at most 5 features of the page that spoke most for the first class; empty where the model knows none of its words", "['homework', 'lecture']";
    }
}
