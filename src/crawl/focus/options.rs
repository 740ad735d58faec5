//! What a topic file says, and the settings of a focused crawl.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::topic::Topic;
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;

/// Words, guide words or texts of examples that a topic file may name.
const MOST_WORDS: usize = 10_000;

/// How a topic tells which pages are its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TopicKind {
    /// By words and phrases with weights.
    #[default]
    Words,
    /// By pages that are of it.
    Examples,
    /// By a model that `webmill learn train` made.
    Model,
}

/// A topic file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TopicOptions {
    /// `words`, `examples` or `model`.
    pub kind: TopicKind,
    /// Relevance from which a page counts as relevant, 0 to 1. Default: words 0.2; examples: what nine in ten of them reach when each is left
    /// out of its own centroid; model 0.5.
    pub threshold: Option<f32>,
    /// `word or phrase = weight`, above 0 to 100. Of kind `words`.
    pub words: BTreeMap<String, f32>,
    /// `word or phrase = weight`, 0 to 10: what leads to pages of the topic, in anchors and URLs.
    pub guide: BTreeMap<String, f32>,
    /// Weights of the nine parts of a link's score. Default: see [`Weights`], by the kind of topic.
    pub weights: Option<Weights>,
    /// Results of an earlier run: how common words are. Default: as common as on the pages fetched so far that do not reach half the threshold.
    pub background: Option<PathBuf>,
    /// Pages of the topic. Of kind `examples`.
    pub examples: Examples,
    /// The model's folder. Of kind `model`.
    pub model: Option<PathBuf>,
    /// Class of the model that is the topic. Of kind `model`.
    pub class: Option<String>,
}

/// Where pages of the topic are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Examples {
    /// Files of HTML or plain text, a page each.
    pub files: Vec<PathBuf>,
    /// Results of an earlier run in which `urls` are looked up; its other pages are the counter-examples.
    pub results: Option<PathBuf>,
    /// URLs of pages of `results`.
    pub urls: Vec<String>,
    /// A file of such URLs, one a line.
    pub urls_file: Option<PathBuf>,
}

/// Weights of the parts of a link's score: each 0 to 1, sum 1. The defaults named here are those of words and models; [`Weights::of_examples`] has
/// those of examples, [`Weights::of_links`] those where links were learnt from too. Where some are set, the defaults named here stand for the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Of the link's text. Default 0.25.
    pub anchor: f32,
    /// Of the text around it. Default 0.15.
    pub context: f32,
    /// Of the URL's words. Default 0.05.
    pub url: f32,
    /// Of what the page that links hands on. Default 0.2.
    pub inherited: f32,
    /// Of the page's other targets. Default 0.1.
    pub hub: f32,
    /// Of the target's host. Default 0.1.
    pub site: f32,
    /// Of guide words. Default 0.05.
    pub guide: f32,
    /// Of best-first priority. Default 0.1.
    pub prior: f32,
    /// Of what was learnt from the links of an earlier run. Default 0.
    pub learned: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            anchor: 0.25,
            context: 0.15,
            url: 0.05,
            inherited: 0.2,
            hub: 0.1,
            site: 0.1,
            guide: 0.05,
            prior: 0.1,
            learned: 0.0,
        }
    }
}

impl Weights {
    /// The defaults of examples: of their links it is known what they say, so their texts and URLs tell more, and best-first priority less.
    pub fn of_examples() -> Weights {
        Weights {
            anchor: 0.25,
            context: 0.1,
            url: 0.15,
            inherited: 0.1,
            hub: 0.3,
            site: 0.05,
            guide: 0.05,
            prior: 0.0,
            learned: 0.0,
        }
    }

    /// The defaults of examples of an earlier run whose links lead to some: what was learnt from these says all but what guide words do.
    pub fn of_links() -> Weights {
        Weights {
            anchor: 0.0,
            context: 0.0,
            url: 0.0,
            inherited: 0.0,
            hub: 0.0,
            site: 0.0,
            guide: 0.05,
            prior: 0.0,
            learned: 0.95,
        }
    }

    /// In the order of [`super::PARTS`].
    pub fn all(&self) -> [f32; 9] {
        let Weights { anchor, context, url, inherited, hub, site, guide, prior, learned } = *self;
        [anchor, context, url, inherited, hub, site, guide, prior, learned]
    }

    fn check(&self) -> Result<()> {
        for (name, weight) in super::PARTS.iter().zip(self.all()) {
            if !(0.0..=1.0).contains(&weight) {
                return Err(Error::Config(format!("topic: weights.{name} is {weight}: 0 to 1")));
            }
        }
        let sum: f32 = self.all().iter().sum();
        if (sum - 1.0).abs() > 1e-3 {
            return Err(Error::Config(format!("topic: the nine weights sum to {sum}: they must sum to 1")));
        }
        Ok(())
    }
}

impl TopicOptions {
    /// Weights of the parts of a link's score.
    pub fn weights(&self) -> Weights {
        let usual =
            if self.kind == TopicKind::Examples { Weights::of_examples() } else { Weights::default() };
        self.weights.unwrap_or(usual)
    }

    /// Holds every setting against its range, and against the kind.
    ///
    /// # Errors
    /// [`Error::Config`] names the setting.
    pub fn check(&self) -> Result<()> {
        let config = |reason: String| Err(Error::Config(format!("topic: {reason}")));
        if let Some(threshold) = self.threshold
            && !(0.0..=1.0).contains(&threshold)
        {
            return config(format!("threshold is {threshold}: 0 to 1"));
        }
        for (list, words, most) in [("words", &self.words, 100.0), ("guide", &self.guide, 10.0f32)] {
            if words.len() > MOST_WORDS {
                return config(format!("{} {list}: {MOST_WORDS} at most", words.len()));
            }
            for (word, weight) in words {
                let low = if list == "words" { f32::MIN_POSITIVE } else { 0.0 };
                if !(low..=most).contains(weight) {
                    return config(format!("{list}: {word:?} has weight {weight}: up to {most}"));
                }
            }
        }
        self.weights().check()?;
        let examples = &self.examples;
        let of_run = !examples.urls.is_empty() || examples.urls_file.is_some();
        match self.kind {
            TopicKind::Words if self.words.is_empty() => {
                return config("kind is words, and [words] has none".into());
            }
            TopicKind::Examples if examples.files.is_empty() && !of_run => {
                return config(
                    "kind is examples: name files, or results with urls or urls_file, in [examples]".into(),
                );
            }
            TopicKind::Examples if of_run && examples.results.is_none() => {
                return config("examples: urls are looked up in results, which is not named".into());
            }
            TopicKind::Model if self.model.is_none() => {
                return config("kind is model: name the folder of a model".into());
            }
            _ => {}
        }
        let strange = [
            (self.kind != TopicKind::Words && !self.words.is_empty(), "words"),
            (self.kind != TopicKind::Examples && *examples != Examples::default(), "examples"),
            (self.kind != TopicKind::Model && self.model.is_some(), "model"),
            (self.kind != TopicKind::Model && self.class.is_some(), "class"),
        ];
        match strange.iter().find(|(is, _)| *is) {
            Some((_, name)) => config(format!("{name} is set, and kind is another")),
            None => Ok(()),
        }
    }
}

settings! {
    /// Settings of a focused crawl.
    #[derive(PartialEq)]
    pub struct FocusOptions {
        /// File of the topic that a focused crawl looks for.
        pub topic: Option<TopicOptions> = None;
        /// Irrelevant pages in a row that a focused crawl goes through, 0 to 100; links behind more of them are
        /// kept in a reserve. Default 3. It has no effect if the worth of links was learnt from an earlier run.
        pub tunnel: u32 = 3;
        /// Number of relevant pages after which a focused crawl stops. Default none.
        pub target: Option<u64> = None;
        /// The topic, ready for use.
        #[serde(skip)]
        pub ready: Option<Arc<Topic>> = None;
    }
}

impl FocusOptions {
    /// Holds every setting against its range.
    ///
    /// # Errors
    /// [`Error::Config`] names the setting.
    pub fn check(&self) -> Result<()> {
        if self.tunnel > 100 {
            return Err(Error::Config(format!("focus.tunnel is {}: 0 to 100", self.tunnel)));
        }
        if self.target == Some(0) {
            return Err(Error::Config("focus.target is 0: at least 1".into()));
        }
        self.topic.as_ref().map_or(Ok(()), TopicOptions::check)
    }
}
