//! Settings of the jobs of `learn`: one table of the recipe, `[learn]`.

use std::collections::BTreeMap;

use webmill_capture::settings;
use webmill_capture::{Error, Result};
use webmill_learn::{Counting, FeatureOptions, FitSettings, Measure, Method, OverClasses, Weighting};

use super::cluster::ClusterSettings;
use super::labels::ColumnNames;
use super::page::Reading;
use crate::recipe::Settings;

settings! {
    part
    /// The recipe's `[learn]`. Each job takes its part: [`TrainSettings`], [`ApplyJob::new`](super::apply::ApplyJob::new),
    /// [`Learn::clusters`].
    #[derive(PartialEq)]
    pub struct Learn {
        /// Which of features, train, apply and cluster `webmill run` does. The commands of `webmill learn` ignore
        /// it.
        pub jobs: Vec<String> = Vec::new();
        /// The model that apply takes: a file, or the results of `learn train`. Empty: the latest in the output folder.
        pub model: String = String::new();
        /// The pages that apply classifies and cluster groups: a folder of results (apply only), of files, or a
        /// file of texts. Empty: the results in the output folder.
        pub apply_to: String = String::new();
        /// Features and classes.
        #[serde(flatten)]
        pub train: TrainSettings = Default::default();
        /// Topics.
        #[serde(flatten)]
        pub topics: ClusterSettings = Default::default();
        /// Anything that is no setting, which the check refuses.
        #[serde(flatten, skip_serializing)]
        pub unknown: BTreeMap<String, toml::Value> = BTreeMap::new();
    }
}

impl Learn {
    /// The settings of topics: how pages are read is said once for all jobs.
    pub fn clusters(&self) -> ClusterSettings {
        let TrainSettings { mail, whole, min_pages, .. } = self.train;
        ClusterSettings { mail, whole, min_pages, ..self.topics.clone() }
    }
}

/// Names of the jobs behind the hyphen.
const JOBS: [&str; 4] = ["features", "train", "apply", "cluster"];

impl Settings for Learn {
    const TABLE: &'static str = "learn";

    fn check(&self) -> Result<()> {
        if let Some(unknown) = self.unknown.keys().next() {
            return Err(Error::Config(format!("unknown setting {unknown}")));
        }
        if let Some(unknown) = self.jobs.iter().find(|job| !JOBS.contains(&job.as_str())) {
            return Err(Error::Config(format!("jobs: {unknown:?} is none of {}", JOBS.join(", "))));
        }
        self.train.check()?;
        self.topics.check()
    }
}

/// How often a word of the title counts among those of the text: spec and scikit-learn's comparison take 3.
pub const TITLE_WEIGHT: u32 = 3;
/// Most words that are counted at a time: some 500 MB.
pub const MAX_WORDS: usize = 5_000_000;
/// Draws folds and orders of a training.
pub const SEED: u64 = 1;

settings! {
    part
    /// Settings of features and training.
    #[derive(PartialEq)]
    pub struct TrainSettings {
        /// The pages to train on: a folder of results, a folder with one subfolder per class, or a file of texts
        /// with labels. Empty: the results in the output folder.
        pub pages: String = String::new();
        /// File of labels: lines of url,label; topics are measured by it too. Empty: the names of folders, or the column of labels.
        pub labels: String = String::new();
        /// Pages to evaluate on, laid out as those to train on. Empty: folds of the training pages.
        pub test: String = String::new();
        /// Method: auto, naive-bayes, complement-bayes, svm, logistic, neighbours, adaboost.
        pub method: Method = Method::Auto;
        /// Sources of features. None: words of text and title if a method is named; with auto, all sources that it
        /// finds useful.
        pub sources: Vec<String> = Vec::new();
        /// Number of words that the measure selects; 0: all. Auto chooses this number, too.
        pub features: usize = FitSettings::default().features, within 0..=10_000_000;
        /// The measure: chi-square, information-gain, right-half, mutual-information, cross-entropy, weight-of-evidence.
        pub measure: Measure = FitSettings::default().measure;
        /// How the measure's values for several classes are combined: maximum, or mean.
        pub over: OverClasses = FitSettings::default().over;
        /// Whether the measure counts pages with a word, or its occurrences.
        pub counting: Counting = FitSettings::default().counting;
        /// Weights of words: tf-idf, tf-idf-diff, counts, presence. None: the usual weight of the method.
        pub weighting: Option<Weighting> = None;
        /// Whether a page may have any number of labels.
        pub multi: bool = false;
        /// Least number of pages with a word.
        pub min_pages: u32 = 2, within 1..=1_000_000;
        /// Folds of the evaluation if no test pages are given.
        pub folds: usize = 5, within 2..=100;
        /// Whether pages of one registrable domain stay in one fold.
        pub by_domain: bool = true;
        /// Whether to train on a quarter and on half of the pages, too, for the learning curve.
        pub curve: bool = true;
        /// Whether the files are mails: headers and quoted lines are left out.
        pub mail: bool = false;
        /// Whether all visible text of HTML files is used, not only their main text.
        pub whole: bool = false;
        /// Name of the column with texts.
        pub text_column: String = "text".into();
        /// Name of the column with labels.
        pub label_column: String = "label".into();
    }
}

/// Names of sources, in the order of the switches.
pub const SOURCES: [&str; 8] =
    ["text", "title", "bigrams", "han-pairs", "url", "anchors", "language", "page-type"];

impl TrainSettings {
    fn check(&self) -> Result<()> {
        if let Some(unknown) = self.sources.iter().find(|source| !SOURCES.contains(&source.as_str())) {
            return Err(Error::Config(format!("sources: {unknown:?} is none of {}", SOURCES.join(", "))));
        }
        if self.method == Method::Blend {
            return Err(Error::Config("method = blend: auto makes one where it is best".into()));
        }
        if self.multi && self.method == Method::Neighbours {
            return Err(Error::Config(
                "method = neighbours tells one label a page: multi needs another".into(),
            ));
        }
        Ok(())
    }

    /// The switches of features.
    pub fn options(&self) -> FeatureOptions {
        let auto = self.method == Method::Auto;
        let usual: &[&str] = if auto { &SOURCES } else { &["text"] };
        let has = |name: &str| match self.sources.is_empty() {
            true => usual.contains(&name),
            false => self.sources.iter().any(|source| source == name),
        };
        FeatureOptions {
            text: has("text"),
            title_weight: if has("text") { TITLE_WEIGHT } else { 0 },
            title: has("title"),
            bigrams: has("bigrams"),
            han_pairs: has("han-pairs"),
            url: has("url"),
            anchors: has("anchors"),
            media: false,
            language: has("language"),
            page_type: has("page-type"),
        }
    }

    /// The settings of a training.
    pub fn fit(&self) -> FitSettings {
        let usual = FitSettings::of(self.method);
        FitSettings {
            weighting: self.weighting.unwrap_or(usual.weighting),
            measure: self.measure,
            over: self.over,
            counting: self.counting,
            features: self.features,
            seed: SEED,
            multi: self.multi,
            ..usual
        }
    }

    /// How files become pages.
    pub fn reading(&self) -> Reading {
        Reading { mail: self.mail, whole: self.whole }
    }

    /// Names of columns.
    pub fn columns(&self) -> ColumnNames {
        ColumnNames { text: self.text_column.clone(), label: self.label_column.clone() }
    }
}
