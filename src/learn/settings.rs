//! Settings of training.

use serde::{Deserialize, Serialize};

use crate::select::{Counting, Measure, OverClasses};

/// A method of classification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The one that cross-validation on the training pages finds best, with its settings and sources of features.
    #[default]
    Auto,
    /// Multinomial naive Bayes.
    NaiveBayes,
    /// Complement naive Bayes.
    ComplementBayes,
    /// Linear support vector machine.
    Svm,
    /// Logistic regression (maximum entropy).
    Logistic,
    /// Nearest neighbours.
    Neighbours,
    /// AdaBoost over words.
    Adaboost,
    /// A support vector machine and complement naive Bayes, their scores added.
    Blend,
}

/// What a word weighs in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// (1 + ln tf) · idf, pages of length 1.
    #[default]
    TfIdf,
    /// The same times the measure by which words are chosen.
    TfIdfDiff,
    /// How often it stands there.
    Counts,
    /// 1.
    Presence,
}

/// Settings of one training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitSettings {
    /// The method; not auto.
    pub method: Method,
    /// What words weigh.
    pub weighting: Weighting,
    /// The measure by which words are chosen.
    pub measure: Measure,
    /// How its values of classes become one.
    pub over: OverClasses,
    /// What it counts.
    pub counting: Counting,
    /// Words that are chosen; 0: all.
    pub features: usize,
    /// What errors weigh: support vectors and logistic regression.
    pub c: f64,
    /// Where these stop.
    pub epsilon: f64,
    /// Number added to counts: naive Bayes.
    pub alpha: f64,
    /// Neighbours that vote.
    pub neighbours: usize,
    /// Rounds of AdaBoost.
    pub rounds: usize,
    /// Share of complement naive Bayes in a blend, 0 to 1.
    pub share: f64,
    /// What the scores of the two are multiplied by in a blend.
    pub slopes: (f64, f64),
    /// Draws orders and folds.
    pub seed: u64,
    /// Any number of classes a page.
    pub multi: bool,
}

impl Default for FitSettings {
    fn default() -> Self {
        FitSettings {
            method: Method::Svm,
            weighting: Weighting::TfIdf,
            measure: Measure::ChiSquare,
            over: OverClasses::Maximum,
            counting: Counting::Pages,
            features: 5000,
            c: 1.0,
            epsilon: 0.1,
            alpha: 0.1,
            neighbours: 15,
            rounds: 100,
            share: 0.5,
            slopes: (1.0, 1.0),
            seed: 1,
            multi: false,
        }
    }
}

impl FitSettings {
    /// The usual ones of a method.
    pub fn of(method: Method) -> Self {
        let weighting = match method {
            Method::NaiveBayes => Weighting::Counts,
            Method::Adaboost => Weighting::Presence,
            _ => Weighting::TfIdf,
        };
        FitSettings { method, weighting, ..FitSettings::default() }
    }
}
