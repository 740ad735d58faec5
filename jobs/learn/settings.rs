//! Settings of the jobs of `learn`.

use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};
use webmill_learn::{Counting, FeatureOptions, FitSettings, Measure, Method, OverClasses, Weighting};

use super::labels::ColumnNames;
use super::page::Reading;
use crate::recipe::{Settings, within};

/// The recipe's `[learn-train]`; `[learn-features]` has the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainSettings {
    /// Where the pages are: a folder of results, a folder with a folder a class, or a file of texts with labels. Empty: the results in the output folder.
    pub pages: String,
    /// File of labels: lines of url,label. Empty: the names of folders, or the column of labels.
    pub labels: String,
    /// Pages to evaluate on, laid out as those to train on. Empty: folds of the training pages.
    pub test: String,
    /// Method: auto, naive-bayes, complement-bayes, svm, logistic, neighbours, adaboost.
    pub method: Method,
    /// Sources of features. None: of a named method words of text and title, of auto all that it finds useful.
    pub sources: Vec<String>,
    /// How often a word of the title counts among those of the text.
    pub title_weight: u32,
    /// Words that are chosen by the measure; 0: all. Auto chooses that too.
    pub features: usize,
    /// The measure: chi-square, information-gain, right-half, mutual-information, cross-entropy, weight-of-evidence.
    pub measure: Measure,
    /// Over classes: maximum, or mean.
    pub over: OverClasses,
    /// What the measure counts: pages, or occurrences.
    pub counting: Counting,
    /// What words weigh: tf-idf, tf-idf-diff, counts, presence. None: what is usual with the method.
    pub weighting: Option<Weighting>,
    /// What errors weigh: support vectors, logistic regression.
    pub c: f64,
    /// Where these stop.
    pub epsilon: f64,
    /// What is added to counts: naive Bayes.
    pub alpha: f64,
    /// Neighbours that vote.
    pub neighbours: usize,
    /// Rounds of AdaBoost.
    pub rounds: usize,
    /// Any number of labels a page.
    pub multi: bool,
    /// Pages that a word must stand on.
    pub min_pages: u32,
    /// Most words that are counted at a time.
    pub max_words: usize,
    /// Folds of the evaluation where no test pages are given.
    pub folds: usize,
    /// Whether pages of one registrable domain stay in one fold.
    pub by_domain: bool,
    /// Whether to train on a quarter and a half of the pages too.
    pub curve: bool,
    /// Draws folds and orders.
    pub seed: u64,
    /// Share of labels that name no page, beyond which the exit code is 1.
    pub max_unmatched: f64,
    /// Files are mails: heads and quoted lines are left out.
    pub mail: bool,
    /// All that is visible of HTML files counts, not their main text alone.
    pub whole: bool,
    /// Name of the column of texts.
    pub text_column: String,
    /// Name of the column of labels.
    pub label_column: String,
}

impl Default for TrainSettings {
    fn default() -> Self {
        let fit = FitSettings::default();
        TrainSettings {
            pages: String::new(),
            labels: String::new(),
            test: String::new(),
            method: Method::Auto,
            sources: Vec::new(),
            title_weight: 3,
            features: fit.features,
            measure: fit.measure,
            over: fit.over,
            counting: fit.counting,
            weighting: None,
            c: fit.c,
            epsilon: fit.epsilon,
            alpha: fit.alpha,
            neighbours: fit.neighbours,
            rounds: fit.rounds,
            multi: false,
            min_pages: 2,
            max_words: 5_000_000,
            folds: 5,
            by_domain: true,
            curve: true,
            seed: fit.seed,
            max_unmatched: 0.1,
            mail: false,
            whole: false,
            text_column: "text".into(),
            label_column: "label".into(),
        }
    }
}

/// Names of sources, in the order of the switches.
pub const SOURCES: [&str; 8] =
    ["text", "title", "bigrams", "han-pairs", "url", "anchors", "language", "page-type"];

impl TrainSettings {
    /// What is checked of both tables.
    pub fn check_all(&self) -> Result<()> {
        within("features", self.features, 0..=10_000_000)?;
        within("c", self.c, 1e-6..=1e6)?;
        within("epsilon", self.epsilon, 1e-9..=10.0)?;
        within("alpha", self.alpha, 1e-9..=1e6)?;
        within("neighbours", self.neighbours, 1..=10_000)?;
        within("rounds", self.rounds, 1..=100_000)?;
        within("min_pages", self.min_pages, 1..=1_000_000)?;
        within("max_words", self.max_words, 100..=1_000_000_000)?;
        within("folds", self.folds, 2..=100)?;
        within("max_unmatched", self.max_unmatched, 0.0..=1.0)?;
        within("title_weight", self.title_weight, 0..=100)?;
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
            title_weight: if has("text") { self.title_weight } else { 0 },
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
            c: self.c,
            epsilon: self.epsilon,
            alpha: self.alpha,
            neighbours: self.neighbours,
            rounds: self.rounds,
            seed: self.seed,
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

impl Settings for TrainSettings {
    const TABLE: &'static str = "learn-train";

    fn check(&self) -> Result<()> {
        self.check_all()
    }
}

/// The recipe's `[learn-features]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeatureSettings(pub TrainSettings);

impl Settings for FeatureSettings {
    const TABLE: &'static str = "learn-features";

    fn check(&self) -> Result<()> {
        self.0.check_all()
    }
}

/// The recipe's `[learn-apply]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApplySettings {
    /// The model: a file, or the results of `learn train`. Empty: the latest in the output folder.
    pub model: String,
    /// Where the pages are: a folder of results, of files, or a file of texts. Empty: the results in the output folder.
    pub pages: String,
    /// Files are mails: heads and quoted lines are left out.
    pub mail: bool,
    /// All that is visible of HTML files counts, not their main text alone.
    pub whole: bool,
    /// Name of the column of texts; where the first line does not name it, the first column is.
    pub text_column: String,
}

impl Settings for ApplySettings {
    const TABLE: &'static str = "learn-apply";
}
