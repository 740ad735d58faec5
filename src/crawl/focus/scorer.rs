//! How near texts are to a topic, by the facts known now about how common words are.
//!
//! **Definition.** A page: cosine of the tf·idf vector of title (three times) and main text with the topic's, tf as 1 + ln tf, so that a
//! word said a million times counts as 15. A short text: 1 − Π(1 − uₜ) over its terms, uₜ in [0, 1] what each says for the topic: of examples whose
//! links are known by how much it raises their share, else its weight as a share of the largest.

use std::collections::HashMap;
use std::sync::Arc;
use webmill_capture::cut::Cut;

use super::bag::{Bag, url_words};
use super::corpus::Corpus;
use super::learned::{LinkSource, LinkText, LinkWorth};
use super::topic::{Topic, weighted};
use webmill_capture::CanonicalUrl;

/// Bytes of the texts of a link that are read.
const MAX_LINK_TEXT: usize = 1024;

/// A topic with the known facts about how common words are.
#[derive(Debug)]
pub struct Scorer {
    topic: Arc<Topic>,
    corpus: Arc<Corpus>,
    /// Of length 1.
    vector: HashMap<u64, f32>,
    /// Largest entry 1.
    link: HashMap<u64, f32>,
}

/// What a page's text says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageWords {
    /// Relevance of the page to the topic, 0 to 1.
    pub relevance: f32,
    /// Its terms.
    pub bag: Bag,
}

/// What the texts of a link say, each in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkWords {
    /// Likeness of its text.
    pub anchor: f32,
    /// Likeness of the text around it; 0 where the anchor is above the threshold.
    pub context: f32,
    /// Likeness of its URL.
    pub url: f32,
    /// Guide words.
    pub guide: f32,
    /// What was learnt of such links; zeros where nothing was.
    pub told: LinkWorth,
}

impl LinkWords {
    /// Two links of a page to one URL: the better of each part.
    pub fn larger(self, other: LinkWords) -> LinkWords {
        LinkWords {
            anchor: self.anchor.max(other.anchor),
            context: self.context.max(other.context),
            url: self.url.max(other.url),
            guide: self.guide.max(other.guide),
            told: LinkWorth {
                value: self.told.value.max(other.told.value),
                chance: self.told.chance.max(other.told.chance),
            },
        }
    }
}

impl Scorer {
    /// Of a topic; `corpus` counts where the topic has no background of its own.
    pub fn new(topic: Arc<Topic>, corpus: &Arc<Corpus>) -> Scorer {
        let own = topic.corpus.clone();
        let corpus = own.clone().unwrap_or_else(|| corpus.clone());
        // The vector of examples holds idf already.
        let idf =
            |term: u64| if topic.options.kind == super::TopicKind::Words { corpus.idf(term) } else { 1.0 };
        let mut vector: HashMap<u64, f32> = topic.vector.iter().map(|(t, w)| (*t, w * idf(*t))).collect();
        let length = topic.vector.keys().map(|term| vector[term] * vector[term]).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.values_mut().for_each(|weight| *weight /= length);
        }
        let mut link: HashMap<u64, f32> = topic.link.iter().map(|(t, w)| (*t, w * idf(*t))).collect();
        let largest = link.values().copied().fold(0.0, f32::max);
        if largest > 1.0 || (largest > 0.0 && !topic.link_is_share) {
            link.values_mut().for_each(|weight| *weight /= largest);
        }
        Scorer { topic, corpus, vector, link }
    }

    /// The topic that pages are scored by.
    pub fn topic(&self) -> &Arc<Topic> {
        &self.topic
    }

    /// Relevance and terms of a page.
    pub fn page(&self, url: &str, title: &str, text: &str) -> PageWords {
        let bag = self.topic.bag(title, text);
        let relevance = match &self.topic.model {
            Some(model) => model.of(url, title, text),
            None => self.cosine(&bag),
        };
        PageWords { relevance: if relevance.is_nan() { 0.0 } else { relevance.clamp(0.0, 1.0) }, bag }
    }

    /// Relevance by words alone.
    pub fn cosine(&self, bag: &Bag) -> f32 {
        let (mut dot, mut length) = (0.0f64, 0.0f64);
        for (term, weight) in weighted(bag, &self.corpus) {
            length += f64::from(weight) * f64::from(weight);
            if let Some(of_topic) = self.vector.get(&term) {
                dot += f64::from(weight) * f64::from(*of_topic);
            }
        }
        if length > 0.0 { (dot / length.sqrt()) as f32 } else { 0.0 }
    }

    /// Likeness of a short text.
    pub fn words(&self, text: &str) -> f32 {
        self.likeness(&self.short(text))
    }

    fn short(&self, text: &str) -> Bag {
        let text = text.cut(..text.floor_char_boundary(MAX_LINK_TEXT));
        Bag::with(&self.topic.phrases, [(text, 1.0)])
    }

    fn likeness(&self, bag: &Bag) -> f32 {
        let against = bag.terms().filter_map(|term| self.link.get(&term)).map(|weight| 1.0 - weight);
        1.0 - against.product::<f32>()
    }

    /// What a page says of all its links, by its URL and title.
    pub fn source(&self, url: &CanonicalUrl, title: &str) -> LinkSource {
        if self.topic.learned.is_some() { LinkSource::new(url, title) } else { LinkSource::default() }
    }

    /// What the texts of a link say, and what was learnt of such links.
    pub fn link(&self, source: &LinkSource, text: &LinkText<'_>, url: &CanonicalUrl) -> LinkWords {
        let LinkText { anchor, before, after, .. } = *text;
        let told = self.topic.learned.as_ref().map(|model| model.tell(&source.features(text, url)));
        let of_anchor = self.short(anchor);
        let of_url = self.short(&url_words(url));
        let anchor = self.likeness(&of_anchor);
        let context = if anchor >= self.topic.threshold || (before.is_empty() && after.is_empty()) {
            0.0
        } else {
            self.likeness(&self.short(&format!("{before} {after}")))
        };
        let guide = if self.topic.guide.is_empty() {
            0.0
        } else {
            let weight = |term: u64| self.topic.guide.get(&term).copied();
            let in_url = of_url.terms().filter(|term| !of_anchor.terms().any(|known| known == *term));
            (of_anchor.terms().chain(in_url).filter_map(weight).sum::<f32>() / 10.0).min(1.0)
        };
        LinkWords { anchor, context, url: self.likeness(&of_url), guide, told: told.unwrap_or_default() }
    }
}
