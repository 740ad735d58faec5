//! A topic, ready to tell relevance.
//!
//! **Definition.** Of kind `words` the topic's vector holds weight · idf of each word; of kind `examples` it is Rocchio's centroid:
//! the mean of the examples' unit vectors − ¼ of the mean of the others', negative entries left out. A link is held against the words
//! that tell examples from others most (mean − mean of others), 200 of them; of a model these are its features of highest weight.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use super::bag::{Bag, Phrases};
use super::corpus::Corpus;
use super::learned::LinkModel;
use super::options::{TopicKind, TopicOptions, Weights};
use webmill_capture::error::{Error, Result};

/// Words that links are held against.
const LINK_WORDS: usize = 200;
/// Share of the others that is taken from the examples.
const OTHERS: f32 = 0.25;
/// Examples that are left out in turn to find the threshold.
const LEFT_OUT: usize = 500;
/// Targets that a word must be seen of to count half.
const SMOOTHING: f32 = 5.0;
/// Threshold of words, and of models.
const THRESHOLDS: (f32, f32) = (0.2, 0.5);

/// A model that tells how likely a page is of the topic.
pub trait Probability: Debug + Send + Sync {
    /// Probability that a page of this URL, title and text is of the topic.
    fn of(&self, url: &str, title: &str, text: &str) -> f32;
    /// Tells models apart.
    fn digest(&self) -> u64;
}

/// What the links of an earlier run say of their targets: for each target the terms of all its links and of its URL.
#[derive(Debug, Clone, Default)]
pub struct LinkTexts {
    counts: BTreeMap<u64, (u32, u32)>,
    targets: (u32, u32),
}

impl LinkTexts {
    /// Counts a target.
    pub fn add(&mut self, bag: &Bag, relevant: bool) {
        self.targets.0 += 1;
        self.targets.1 += u32::from(relevant);
        for term in bag.terms() {
            let count = self.counts.entry(term).or_default();
            count.0 += 1;
            count.1 += u32::from(relevant);
        }
    }

    /// By how much each term raises the share of examples among the targets that it is said of: (p − π)/(1 − π), p = (n⁺ + mπ)/(n + m), π
    /// the share among all.
    fn precision(&self) -> BTreeMap<u64, f32> {
        let share = self.targets.1 as f32 / self.targets.0.max(1) as f32;
        let lift = |(all, of): &(u32, u32)| {
            let p = (*of as f32 + SMOOTHING * share) / (*all as f32 + SMOOTHING);
            (p - share) / (1.0 - share).max(1e-6)
        };
        self.counts.iter().map(|(term, count)| (*term, lift(count))).filter(|(_, lift)| *lift > 0.0).collect()
    }
}

/// A topic, ready for use.
#[derive(Debug, Clone)]
pub struct Topic {
    pub(super) options: TopicOptions,
    pub(super) threshold: f32,
    pub(super) phrases: Phrases,
    /// Weights of terms, before idf where `corpus` is none.
    pub(super) vector: BTreeMap<u64, f32>,
    /// Weights of the terms that links are held against; as `vector`.
    pub(super) link: BTreeMap<u64, f32>,
    /// Whether weights of links are shares already, by how much a term raises that of examples.
    pub(super) link_is_share: bool,
    pub(super) guide: HashMap<u64, f32>,
    /// How common words are; `None`: as on the pages of the crawl.
    pub(super) corpus: Option<Arc<Corpus>>,
    pub(super) model: Option<Arc<dyn Probability>>,
    /// What was learnt of links.
    pub(super) learned: Option<Arc<LinkModel>>,
}

impl PartialEq for Topic {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}

impl Topic {
    /// A topic of words; `corpus` where it is known beforehand how common words are.
    ///
    /// # Errors
    /// [`Error::Config`] names the mistake.
    pub fn of_words(options: &TopicOptions, corpus: Option<Corpus>) -> Result<Topic> {
        let mut topic = Topic::empty(options, corpus)?;
        for (text, weight) in &options.words {
            let Some(term) = topic.phrases.add(text) else {
                return Err(Error::Config(format!(
                    "topic: words: {text:?} is no word and no phrase of up to 5"
                )));
            };
            topic.vector.insert(term, *weight);
        }
        topic.link = topic.vector.clone();
        topic.threshold = options.threshold.unwrap_or(THRESHOLDS.0);
        Ok(topic)
    }

    /// A topic of examples: their bags, and those of other pages.
    ///
    /// # Errors
    /// [`Error::Config`] where no example has words.
    pub fn of_examples(
        options: &TopicOptions,
        examples: &[Bag],
        others: &[Bag],
        links: &LinkTexts,
    ) -> Result<Topic> {
        let mut corpus = Corpus::default();
        others.iter().for_each(|bag| corpus.add(bag.terms()));
        if others.is_empty() {
            examples.iter().for_each(|bag| corpus.add(bag.terms()));
        }
        let units = |bags: &[Bag]| -> Vec<Vec<(u64, f32)>> {
            bags.iter().map(|bag| unit(weighted(bag, &corpus))).filter(|unit| !unit.is_empty()).collect()
        };
        let (of, not) = (units(examples), units(others));
        if of.is_empty() {
            return Err(Error::Config("topic: no example has words".into()));
        }
        let (sum, others) = (total(&of), mean(&not));
        let all = of.len() as f32;
        let centroid = |sum: &BTreeMap<u64, f32>, all: f32, share: f32| -> BTreeMap<u64, f32> {
            let less = |term: &u64| share * others.get(term).copied().unwrap_or(0.0);
            let kept = sum.iter().map(|(term, weight)| (*term, weight / all - less(term)));
            kept.filter(|(_, weight)| *weight > 0.0).collect()
        };
        let mut topic = Topic::empty(options, None)?;
        topic.vector = centroid(&sum, all, OTHERS);
        topic.link = match links.precision() {
            words if words.is_empty() => strongest(centroid(&sum, all, 1.0)),
            words => {
                topic.link_is_share = true;
                strongest(words)
            }
        };
        topic.threshold = options.threshold.unwrap_or_else(|| {
            let step = of.len().div_ceil(LEFT_OUT);
            let mut likenesses: Vec<f32> = of
                .iter()
                .step_by(step)
                .map(|left_out| {
                    let mut rest = sum.clone();
                    if of.len() > 1 {
                        left_out.iter().for_each(|(term, weight)| *rest.entry(*term).or_default() -= weight);
                    }
                    let vector = centroid(&rest, (all - 1.0).max(1.0), OTHERS);
                    let length = vector.values().map(|w| w * w).sum::<f32>().sqrt();
                    let dot: f32 = left_out.iter().filter_map(|(t, w)| Some(w * vector.get(t)?)).sum();
                    if length > 0.0 { dot / length } else { 0.0 }
                })
                .collect();
            likenesses.sort_by(f32::total_cmp);
            likenesses[likenesses.len() / 10]
        });
        topic.corpus = Some(Arc::new(corpus));
        Ok(topic)
    }

    /// A topic of a model: what tells the probability, and its features of highest weight.
    ///
    /// # Errors
    /// [`Error::Config`] where no feature is a word.
    pub fn of_model(
        options: &TopicOptions,
        model: Arc<dyn Probability>,
        features: &[(String, f32)],
        corpus: Option<Corpus>,
    ) -> Result<Topic> {
        let mut topic = Topic::empty(options, corpus)?;
        for (text, weight) in features.iter().filter(|(_, weight)| *weight > 0.0) {
            if let Some(term) = topic.phrases.add(text) {
                topic.link.insert(term, *weight);
            }
        }
        if topic.link.is_empty() {
            return Err(Error::Config("topic: the model has no words of positive weight".into()));
        }
        topic.link = strongest(std::mem::take(&mut topic.link));
        topic.threshold = options.threshold.unwrap_or(THRESHOLDS.1);
        topic.model = Some(model);
        Ok(topic)
    }

    fn empty(options: &TopicOptions, corpus: Option<Corpus>) -> Result<Topic> {
        options.check()?;
        let mut phrases = Phrases::default();
        let mut guide = HashMap::new();
        for (text, weight) in &options.guide {
            let Some(term) = phrases.add(text) else {
                return Err(Error::Config(format!(
                    "topic: guide: {text:?} is no word and no phrase of up to 5"
                )));
            };
            guide.insert(term, *weight);
        }
        Ok(Topic {
            options: options.clone(),
            threshold: 0.0,
            phrases,
            vector: BTreeMap::new(),
            link: BTreeMap::new(),
            link_is_share: false,
            guide,
            corpus: corpus.map(Arc::new),
            model: None,
            learned: None,
        })
    }

    /// With what was learnt of the links of an earlier run.
    #[must_use]
    pub fn with_links(self, learned: Option<LinkModel>) -> Topic {
        Topic { learned: learned.map(Arc::new), ..self }
    }

    /// Weights of the parts of a link's score: those that the topic file names, else the usual ones.
    pub fn weights(&self) -> Weights {
        match self.options.weights {
            None if self.learned.is_some() => Weights::of_links(),
            _ => self.options.weights(),
        }
    }

    /// Relevance from which a page is relevant.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// What it was made from.
    pub fn options(&self) -> &TopicOptions {
        &self.options
    }

    /// Tells topics apart: a crawl keeps its own.
    pub fn digest(&self) -> u64 {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&[self.options.kind as u8]);
        bytes.extend_from_slice(&self.threshold.to_le_bytes());
        bytes.extend(self.weights().all().iter().flat_map(|w| w.to_le_bytes()));
        let guide: BTreeMap<u64, f32> = self.guide.iter().map(|(term, weight)| (*term, *weight)).collect();
        bytes.extend(self.model.iter().flat_map(|model| model.digest().to_le_bytes()));
        for map in [&self.vector, &self.link, &guide] {
            bytes.extend((map.len() as u64).to_le_bytes());
            for (term, weight) in map {
                bytes.extend(term.to_le_bytes());
                bytes.extend(weight.to_le_bytes());
            }
        }
        for (feature, weights) in self.learned.iter().flat_map(|model| model.entries()) {
            bytes.extend(feature.to_le_bytes());
            bytes.extend(weights.iter().flat_map(|w| w.to_le_bytes()));
        }
        xxhash_rust::xxh3::xxh3_64(&bytes)
    }

    /// The terms of a page: its title three times.
    pub fn bag(&self, title: &str, text: &str) -> Bag {
        Bag::with(&self.phrases, [(title, 3.0), (text, 1.0)])
    }

    /// Whether it looks for words that stand in it: a model does not.
    pub fn kind(&self) -> TopicKind {
        self.options.kind
    }
}

/// (1 + ln tf) · idf of each term.
pub(super) fn weighted(bag: &Bag, corpus: &Corpus) -> Vec<(u64, f32)> {
    bag.iter().map(|(term, count)| (term, (1.0 + count.max(1.0).ln()) * corpus.idf(term))).collect()
}

/// A vector of length 1; nothing where it has none.
fn unit(mut vector: Vec<(u64, f32)>) -> Vec<(u64, f32)> {
    let length = vector.iter().map(|(_, w)| w * w).sum::<f32>().sqrt();
    if length <= 0.0 {
        return Vec::new();
    }
    vector.iter_mut().for_each(|(_, weight)| *weight /= length);
    vector
}

fn total(vectors: &[Vec<(u64, f32)>]) -> BTreeMap<u64, f32> {
    let mut sum = BTreeMap::new();
    for (term, weight) in vectors.iter().flatten() {
        *sum.entry(*term).or_default() += weight;
    }
    sum
}

fn mean(vectors: &[Vec<(u64, f32)>]) -> BTreeMap<u64, f32> {
    let mut sum = total(vectors);
    sum.values_mut().for_each(|weight| *weight /= vectors.len().max(1) as f32);
    sum
}

/// The entries of highest weight.
fn strongest(vector: BTreeMap<u64, f32>) -> BTreeMap<u64, f32> {
    let mut all: Vec<(u64, f32)> = vector.into_iter().collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(LINK_WORDS);
    all.into_iter().collect()
}
