//! A trained classifier of pages, as it is stored and applied.
//!
//! **File.** The line `webmill-model`, the version of the form (4 bytes, little endian), xxh3-128 of what follows (16 bytes), then the model in
//! postcard. A file of another version, cut or changed is refused with the reason.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::calibrate::{Calibration, best};
use crate::facts::{FeatureOptions, PageFacts};
use crate::features::Extractor;
use crate::fit::{FittedClassifier, Scorer, weigh};
use crate::knn::{NearestPages, NeighbourBuffers};
use crate::labels::Labels;
use crate::linear::Linear;
use crate::rows::SparseRows;
use crate::settings::{FitSettings, Weighting};
use crate::vocabulary::{StoredVocabulary, Vocabulary};
use crate::weights::TfIdf;

/// What files begin with.
const MAGIC: &[u8] = b"webmill-model\n";

/// Version of the form.
pub const VERSION: u32 = 1;

/// Why bytes are no model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelError {
    /// They do not begin as models do.
    NoModel,
    /// It is of another version.
    Version(u32),
    /// They were cut or changed.
    Damaged(&'static str),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::NoModel => f.write_str("is no model of webmill learn train"),
            ModelError::Version(found) => {
                write!(
                    f,
                    "is a model of version {found}, and this program reads version {VERSION}: train it again"
                )
            }
            ModelError::Damaged(why) => write!(f, "is a damaged model: {why}"),
        }
    }
}

impl std::error::Error for ModelError {}

/// A trained classifier of pages.
pub struct Model {
    classes: Vec<String>,
    options: FeatureOptions,
    settings: FitSettings,
    digest: String,
    vocabulary: Vocabulary,
    weights: TfIdf,
    weighting: Weighting,
    scorer: Scorer,
    calibration: Calibration,
}

#[derive(Serialize, Deserialize)]
struct StoredModel {
    classes: Vec<String>,
    options: FeatureOptions,
    settings: FitSettings,
    digest: String,
    vocabulary: StoredVocabulary,
    weights: TfIdf,
    weighting: Weighting,
    linear: Option<Linear>,
    neighbours: Option<(SparseRows, Labels, usize)>,
    calibration: Calibration,
}

/// What a model says of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Probability of each class.
    pub probabilities: Vec<f64>,
    /// The classes that it is told to be of, ascending: one, or with several labels a page any number.
    pub told: Vec<u32>,
    /// The most probable class.
    pub first: u32,
    /// The next one; the same where there is only one.
    pub second: u32,
    /// Whether any word of the page is known to the model.
    pub knows_words: bool,
    row: Vec<(u32, f32)>,
}

impl Prediction {
    /// Distance of the two largest probabilities.
    pub fn margin(&self) -> f64 {
        self.probabilities[self.first as usize]
            - if self.first == self.second { 0.0 } else { self.probabilities[self.second as usize] }
    }
}

/// What a thread needs for predictions.
pub struct Predictor<'m> {
    model: &'m Model,
    extractor: Extractor,
    met: NeighbourBuffers,
    scores: Vec<f64>,
}

impl Model {
    /// Puts a model together. `vocabulary` is that of the rows which `fitted` was trained on; `options` says what it reads of pages;
    /// `digest` what it was trained on.
    pub fn new(
        classes: Vec<String>,
        options: FeatureOptions,
        settings: FitSettings,
        vocabulary: &Vocabulary,
        fitted: FittedClassifier,
        calibration: Calibration,
        digest: String,
    ) -> Model {
        Model {
            classes,
            options,
            settings,
            digest,
            vocabulary: vocabulary.select(&fitted.chosen),
            weights: fitted.weights,
            weighting: fitted.weighting,
            scorer: fitted.scorer,
            calibration,
        }
    }

    /// Reads a model.
    ///
    /// # Errors
    /// Why the bytes are none.
    pub fn open(bytes: &[u8]) -> Result<Model, ModelError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(ModelError::NoModel)?;
        let (version, rest) =
            rest.split_first_chunk::<4>().ok_or(ModelError::Damaged("it ends in its head"))?;
        if u32::from_le_bytes(*version) != VERSION {
            return Err(ModelError::Version(u32::from_le_bytes(*version)));
        }
        let (sum, rest) = rest.split_first_chunk::<16>().ok_or(ModelError::Damaged("it ends in its head"))?;
        if u128::from_le_bytes(*sum) != xxh3_128(rest) {
            return Err(ModelError::Damaged("its checksum does not fit"));
        }
        let stored: StoredModel =
            postcard::from_bytes(rest).map_err(|_| ModelError::Damaged("it is not laid out as one"))?;
        stored.open().ok_or(ModelError::Damaged("its parts do not fit each other"))
    }

    /// The bytes of the model.
    pub fn bytes(&self) -> Vec<u8> {
        let stored = StoredModel {
            classes: self.classes.clone(),
            options: self.options.clone(),
            settings: self.settings.clone(),
            digest: self.digest.clone(),
            vocabulary: self.vocabulary.stored(),
            weights: self.weights.clone(),
            weighting: self.weighting,
            linear: match &self.scorer {
                Scorer::Linear(linear) => Some(linear.clone()),
                Scorer::Neighbours(_) => None,
            },
            neighbours: match &self.scorer {
                Scorer::Linear(_) => None,
                Scorer::Neighbours(neighbours) => {
                    let (rows, labels, k) = neighbours.training();
                    Some((rows.clone(), labels.clone(), k))
                }
            },
            calibration: self.calibration.clone(),
        };
        let payload = postcard::to_stdvec(&stored).expect("plain data in memory can be written");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(xxh3_128(&payload).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// What it reads of pages.
    pub fn options(&self) -> &FeatureOptions {
        &self.options
    }

    /// How it was trained.
    pub fn settings(&self) -> &FitSettings {
        &self.settings
    }

    /// What it was trained on.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// What makes predictions; one a thread.
    pub fn predictor(&self) -> Predictor<'_> {
        Predictor {
            model: self,
            extractor: Extractor::new(&self.options),
            met: NeighbourBuffers::default(),
            scores: Vec::new(),
        }
    }

    /// What it says of one page; of many pages a [`predictor`](Self::predictor) is faster.
    pub fn predict(&self, page: &PageFacts<'_>) -> Prediction {
        self.predictor().predict(page)
    }

    /// The features that speak most for a class, and what a page gains by having each once, the most first; only those that speak for it.
    pub fn top_features(&self, class: usize, most: usize) -> Vec<(String, f64)> {
        let factor = |word: usize| match self.weighting {
            Weighting::TfIdf | Weighting::TfIdfDiff => f64::from(self.weights.factors()[word]),
            _ => 1.0,
        };
        let mut values: Vec<f64> = match &self.scorer {
            Scorer::Linear(linear) => {
                (0..self.vocabulary.len()).map(|w| lead(linear, w as u32, class)).collect()
            }
            Scorer::Neighbours(neighbours) => {
                let (rows, labels, _) = neighbours.training();
                let counts = labels.counts(self.classes.len());
                let mut values = vec![0.0; self.vocabulary.len()];
                for (page, (words, weights)) in rows.rows().enumerate() {
                    let is = labels.of(page).contains(&(class as u32));
                    let share = if is {
                        counts[class] as f64
                    } else {
                        -((labels.len() as u64 - counts[class]) as f64)
                    };
                    words.iter().zip(weights).for_each(|(w, x)| values[*w as usize] += f64::from(*x) / share);
                }
                values
            }
        };
        values.iter_mut().enumerate().for_each(|(word, value)| *value *= factor(word));
        let mut order: Vec<u32> =
            (0..values.len() as u32).filter(|&word| values[word as usize] > 0.0).collect();
        order.sort_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]).then(a.cmp(&b)));
        order.truncate(most);
        order.into_iter().map(|word| (self.vocabulary.word(word).to_owned(), values[word as usize])).collect()
    }
}

/// What a word gives to a class beyond what it gives to the others on average.
fn lead(linear: &Linear, word: u32, class: usize) -> f64 {
    let classes = linear.classes();
    let all: f64 = (0..classes).map(|class| f64::from(linear.weight(word, class))).sum();
    let own = f64::from(linear.weight(word, class));
    own - (all - own) / (classes.max(2) - 1) as f64
}

impl StoredModel {
    fn open(self) -> Option<Model> {
        let (width, classes) = (self.vocabulary.words.len(), self.classes.len());
        let scorer = match (self.linear, self.neighbours) {
            (Some(linear), None) => {
                (linear.classes() == classes && linear.is_whole(width)).then_some(Scorer::Linear(linear))?
            }
            (None, Some((rows, labels, k))) => {
                let fits = rows.is_whole(width) && labels.is_whole(classes) && labels.len() == rows.len();
                let rows = fits.then_some(rows)?;
                Scorer::Neighbours(Box::new(NearestPages::new(rows, width, labels, classes, k).ok()?))
            }
            _ => return None,
        };
        let vocabulary = Vocabulary::from_stored(&self.vocabulary)?;
        let fits = classes > 0 && self.weights.factors().len() == width && self.calibration.is_whole(classes);
        fits.then_some(Model {
            classes: self.classes,
            options: self.options,
            settings: self.settings,
            digest: self.digest,
            vocabulary,
            weights: self.weights,
            weighting: self.weighting,
            scorer,
            calibration: self.calibration,
        })
    }
}

impl Predictor<'_> {
    /// What the model says of a page.
    pub fn predict(&mut self, page: &PageFacts<'_>) -> Prediction {
        let model = self.model;
        let counts = model.vocabulary.count(&mut self.extractor, page);
        let counts = counts.into_iter().map(|(word, count)| (word, count as f32));
        let row = weigh(&model.weights, model.weighting, counts);
        model.scorer.scores(&row, &mut self.met, &mut self.scores);
        let probabilities = model.calibration.probabilities(&self.scores);
        let first = best(&probabilities).unwrap_or(0);
        let mut others = probabilities.clone();
        others[first as usize] = f64::NEG_INFINITY;
        let second = if others.len() > 1 { best(&others).unwrap_or(first) } else { first };
        let told = model.calibration.told(&probabilities);
        Prediction { probabilities, told, first, second, knows_words: !row.is_empty(), row }
    }

    /// The features of a page that spoke most for a class, the most first; only those that did.
    pub fn because(&mut self, prediction: &Prediction, class: u32, most: usize) -> Vec<&str> {
        let model = self.model;
        let mut spoke: Vec<(u32, f64)> = match &model.scorer {
            Scorer::Linear(linear) => prediction
                .row
                .iter()
                .map(|&(word, value)| (word, f64::from(value) * lead(linear, word, class as usize)))
                .collect(),
            Scorer::Neighbours(neighbours) => {
                let (rows, labels, _) = neighbours.training();
                let mut spoke: Vec<(u32, f64)> =
                    prediction.row.iter().map(|(word, _)| (*word, 0.0)).collect();
                for (page, _) in neighbours.nearest(&prediction.row, &mut self.met) {
                    let sign = if labels.of(page as usize).contains(&class) { 1.0 } else { -1.0 };
                    let (words, values) = rows.row(page as usize);
                    for (at, (word, value)) in prediction.row.iter().enumerate() {
                        if let Ok(found) = words.binary_search(word) {
                            spoke[at].1 += sign * f64::from(*value) * f64::from(values[found]);
                        }
                    }
                }
                spoke
            }
        };
        spoke.retain(|(_, value)| *value > 0.0);
        spoke.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        spoke.truncate(most);
        spoke.into_iter().map(|(word, _)| model.vocabulary.word(word)).collect()
    }
}
