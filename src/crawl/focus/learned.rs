//! What a link is worth, learnt from the links of an earlier run.
//!
//! **Definition.** Of an earlier run the graph is known, and which of its pages are of the topic. A page's *worth* is 1 where it is of the
//! topic, else max over k = 1 … 3 of cₖ/(k + cₖ), where cₖ is the credit of the pages of the topic that at most k links lead to: each
//! page shares what it is worth to find among all that link to it. So it is what the best stretch of a crawl behind it would harvest (the Gittins
//! index of a bandit whose reward comes after k steps): a page that alone lists thirty others is worth nearly 1, one that names what everybody names
//! nearly nothing. A link is known by its *features*: the words of its text, of what stands before and behind it, of the heading above; words and shape of
//! its target's URL; how that lies to the page's own; title and URL of the page. Two logistic regressions over the features, as vectors of length 1,
//! tell a link's *value* (the worth of its target) and its *chance* (that it is of the topic).
//!
//! **Cost.** Linear in arcs and features; a fit reads them a few hundred times. 16 million features are held, what links have beyond is
//! left out and counted.
//!
//! **Determinism.** A function of the links in their order.
//!
//! **Reference.** J. Rennie, A. McCallum, *Using reinforcement learning to spider the Web efficiently*, ICML 1999; S. Chakrabarti, K. Punera,
//! M. Subramanyam, *Accelerated focused crawling through online relevance feedback*, WWW 2002, doi:10.1145/511446.511466; M. Diligenti et
//! al., *Focused crawling using context graphs*, VLDB 2000; J. C. Gittins, *Bandit processes and dynamic allocation indices*, J. R.
//! Statist. Soc. B 41 (1979), doi:10.1111/j.2517-6161.1979.tb01068.x.

use std::collections::{BTreeMap, HashMap};
use webmill_capture::cut::Cut;

use super::bag::{decoded_path, each_form};
use webmill_capture::CanonicalUrl;
use webmill_learn::{Shares, SparseRows};
use xxhash_rust::xxh3::Xxh3;

/// Links behind a page that its worth looks through.
const LEVELS: u32 = 3;
/// Features held while learning.
const MOST_FEATURES: usize = 16 << 20;
/// What losses weigh against the length of the weights.
const COST: f64 = 10.0;
/// Words of a text that are read.
const MOST_WORDS: usize = 50;

/// The texts of and around a link.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinkText<'a> {
    /// Its own.
    pub anchor: &'a str,
    /// What stands before it.
    pub before: &'a str,
    /// What stands behind it.
    pub after: &'a str,
    /// The last heading before it.
    pub heading: &'a str,
}

/// What a page says of all its links.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkSource {
    features: Vec<u64>,
    host: String,
    folder: String,
}

impl LinkSource {
    /// Of a page.
    pub fn new(url: &CanonicalUrl, title: &str) -> LinkSource {
        let mut features = Features(Vec::new());
        features.words(b't', title);
        features.url(b's', url);
        LinkSource {
            features: features.0,
            host: url.host().to_owned(),
            folder: folder(url.path()).to_owned(),
        }
    }

    /// Features of a link of it: distinct, ascending.
    pub fn features(&self, text: &LinkText<'_>, target: &CanonicalUrl) -> Vec<u64> {
        let mut features = Features(self.features.clone());
        let words = features.words(b'a', text.anchor);
        features.shape(b'a', "words", words.min(6));
        features.words(b'b', text.before);
        features.words(b'f', text.after);
        features.words(b'h', text.heading);
        features.url(b'u', target);
        let to = folder(target.path());
        let lies = match &*self.folder {
            _ if self.host != target.host() => "elsewhere",
            own if own == to => "beside",
            own if to.starts_with(own) => "below",
            own if own.starts_with(to) => "above",
            _ => "across",
        };
        features.add(b'r', &[lies]);
        let mut features = features.0;
        features.sort_unstable();
        features.dedup();
        features
    }
}

/// A path up to its last `/`.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| path.cut(..=end))
}

/// Features as they are found, each by the hash of what it is of and its name.
struct Features(Vec<u64>);

impl Features {
    fn add(&mut self, of: u8, name: &[&str]) {
        let mut hash = Xxh3::new();
        hash.update(&[of]);
        name.iter().for_each(|part| hash.update(part.as_bytes()));
        self.0.push(hash.digest());
    }

    fn shape(&mut self, of: u8, name: &str, value: usize) {
        self.add(of, &["=", name, &value.to_string()]);
    }

    /// Words of a text, and how many were read. Numbers are known by their length, and of a word that ends in one what stands before it.
    fn words(&mut self, of: u8, text: &str) -> usize {
        let mut read = 0;
        each_form(text, MOST_WORDS, |form, is_stop| {
            let letters = form.trim_end_matches(|c: char| c.is_ascii_digit());
            read += 1;
            match (letters.chars().count(), form.len() - letters.len()) {
                (0, digits) => self.add(of, &["#", &digits.min(4).to_string()]),
                (1, 0) if letters.is_ascii() => read -= 1,
                (_, 0) if is_stop => read -= 1,
                (_, 0) => self.add(of, &[form]),
                (count, _) => {
                    if count > 1 {
                        self.add(of, &[letters]);
                    }
                    self.add(of, &[letters, "#"]);
                }
            }
        });
        read
    }

    /// Words and shape of the path of a URL.
    fn url(&mut self, of: u8, url: &CanonicalUrl) {
        let path = decoded_path(url);
        let words: String = path.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
        self.words(of, &words);
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        self.shape(of, "depth", parts.len().min(6));
        if let Some(at) = parts.iter().position(|part| part.contains('~')) {
            self.shape(of, "behind ~", (parts.len() - at - 1).min(3));
        }
        let file = if path.ends_with('/') { "" } else { parts.last().copied().unwrap_or("") };
        let mut name = String::new();
        for c in file.chars().flat_map(char::to_lowercase) {
            match c {
                '0'..='9' if name.ends_with('#') => {}
                '0'..='9' => name.push('#'),
                c => name.push(c),
            }
        }
        self.add(of, &["/", &name]);
        if let Some((_, ending)) = name.rsplit_once('.') {
            self.add(of, &[".", ending]);
        }
    }
}

/// The worth of each page by the arcs of a graph, each once and none to a page itself, and by which pages are relevant.
pub fn worth(arcs: &[(u32, u32)], relevant: &[bool]) -> Vec<f32> {
    let mut in_links = vec![0u32; relevant.len()];
    arcs.iter().for_each(|(_, to)| in_links[*to as usize] += 1);
    let mut worth: Vec<f64> = relevant.iter().map(|is| f64::from(u8::from(*is))).collect();
    let mut found = worth.clone();
    let mut credit = vec![0.0; relevant.len()];
    for level in 1..=LEVELS {
        let mut next = vec![0.0; relevant.len()];
        for (from, to) in arcs {
            next[*from as usize] += found[*to as usize] / f64::from(in_links[*to as usize]);
        }
        for page in 0..relevant.len() {
            credit[page] += next[page];
            worth[page] = worth[page].max(credit[page] / (f64::from(level) + credit[page]));
            // What lies behind a relevant page is that page's.
            found[page] = if relevant[page] { 0.0 } else { next[page] };
        }
    }
    worth.into_iter().map(|worth| worth as f32).collect()
}

/// Value and chance of a link.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkWorth {
    /// What its target is worth.
    pub value: f32,
    /// How likely the target is relevant.
    pub chance: f32,
}

/// Weights of features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkModel {
    weights: HashMap<u64, [f32; 2]>,
    bias: [f32; 2],
}

impl LinkModel {
    /// Of a link with these features.
    pub fn tell(&self, features: &[u64]) -> LinkWorth {
        let scale = scale(features.len());
        let mut sums = [0.0f32; 2];
        for [value, chance] in features.iter().filter_map(|feature| self.weights.get(feature)) {
            sums[0] += value;
            sums[1] += chance;
        }
        let [value, chance] = [0, 1].map(|n| 1.0 / (1.0 + (-(self.bias[n] + sums[n] * scale)).exp()));
        LinkWorth { value, chance }
    }

    /// Features and weights, ascending, and the bias under 0.
    pub(super) fn entries(&self) -> BTreeMap<u64, [f32; 2]> {
        let all = self.weights.iter().map(|(feature, weights)| (*feature, *weights));
        all.chain(std::iter::once((0, self.bias))).collect()
    }
}

/// Each feature's entry in a vector of length 1.
fn scale(features: usize) -> f32 {
    1.0 / (features.max(1) as f32).sqrt()
}

/// Learns from links.
#[derive(Debug, Default)]
pub struct LinkLearner {
    columns: HashMap<u64, u32>,
    rows: SparseRows,
    worth: Vec<f32>,
    chances: Vec<f32>,
    left_out: u64,
}

impl LinkLearner {
    /// A link: its features, what its target is worth, and whether that is relevant.
    pub fn add(&mut self, features: &[u64], worth: f32, relevant: bool) {
        if self.rows.entries() + features.len() > MOST_FEATURES {
            self.left_out += 1;
            return;
        }
        let mut row: Vec<(u32, f32)> = Vec::with_capacity(features.len());
        for feature in features {
            let next = self.columns.len() as u32;
            row.push((*self.columns.entry(*feature).or_insert(next), scale(features.len())));
        }
        row.sort_unstable_by_key(|(column, _)| *column);
        self.rows.push(row);
        self.worth.push(worth);
        self.chances.push(f32::from(u8::from(relevant)));
    }

    /// Links that were too many.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// What was learnt; `None` where no link leads to a relevant page, or every link does.
    pub fn learn(self) -> Option<LinkModel> {
        let relevant = self.chances.iter().filter(|chance| **chance > 0.0).count();
        if relevant == 0 || relevant == self.chances.len() {
            return None;
        }
        let solver = Shares { c: COST, ..Shares::default() };
        let [value, chance] =
            [&self.worth, &self.chances].map(|shares| solver.fit(&self.rows, self.columns.len(), shares));
        let of = |column: u32| [&value, &chance].map(|(weights, _)| weights[column as usize] as f32);
        let weights = self.columns.into_iter().map(|(feature, column)| (feature, of(column))).collect();
        Some(LinkModel { weights, bias: [value.1 as f32, chance.1 as f32] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    #[test]
    fn worth_is_what_a_stretch_of_crawl_would_harvest() {
        // 0 → 1 → {2, 3, 4 relevant}; 5 → 2 too; 6 leads nowhere.
        let arcs = [(0, 1), (1, 2), (1, 3), (1, 4), (5, 2)];
        let relevant = [false, false, true, true, true, false, false];
        let of = worth(&arcs, &relevant);
        let credit = 0.5 + 1.0 + 1.0;
        let wanted = [credit / (2.0 + credit), credit / (1.0 + credit), 1.0, 1.0, 1.0, 0.5 / 1.5, 0.0];
        of.iter()
            .zip(wanted)
            .for_each(|(of, wanted)| assert!((f64::from(*of) - wanted).abs() < 1e-6, "{of} {wanted}"));
    }

    #[test]
    fn features_tell_texts_urls_and_places() {
        let source = LinkSource::new(&url("http://a.example/~ann/index.html"), "Ann's page");
        let text =
            LinkText { anchor: "CS415 the notes 1997", before: "taught", after: "", heading: "Teaching" };
        let of = |to: &str| source.features(&text, &url(to));
        let named = |of: u8, name: &[&str]| {
            let mut features = Features(Vec::new());
            features.add(of, name);
            features.0[0]
        };
        let found = of("http://a.example/~ann/cs415/hw12.html");
        for (kind, name) in [
            (b'a', &["cs"][..]),
            (b'a', &["cs", "#"]),
            (b'a', &["#", "4"]),
            (b'a', &["=", "words", "3"]),
            (b'h', &["teaching"]),
            (b'b', &["taught"]),
            (b'u', &["/", "hw#.html"]),
            (b'u', &[".", "html"]),
            (b'u', &["=", "depth", "3"]),
            (b'u', &["=", "behind ~", "2"]),
            (b's', &["/", "index.html"]),
            (b't', &["page"]),
            (b'r', &["below"]),
        ] {
            assert!(found.contains(&named(kind, name)), "{} {name:?}", char::from(kind));
        }
        assert!(!found.contains(&named(b'a', &["the"])));
        assert!(found.is_sorted_by(|a, b| a < b));
        for (to, lies) in [
            ("http://a.example/~ann/x", "beside"),
            ("http://a.example/x", "above"),
            ("http://a.example/~bob/", "across"),
            ("http://b.example/~ann/x", "elsewhere"),
        ] {
            assert!(of(to).contains(&named(b'r', &[lies])), "{to}");
        }
    }

    #[test]
    fn what_leads_there_is_learnt() {
        let mut learner = LinkLearner::default();
        let source = LinkSource::new(&url("http://a.example/"), "Home");
        let of =
            |anchor: &str, to: &str| source.features(&LinkText { anchor, ..LinkText::default() }, &url(to));
        for n in 0..40 {
            learner.add(&of(&format!("course {n}"), &format!("http://a.example/c/{n}")), 1.0, true);
            learner.add(&of("list", &format!("http://a.example/l/{n}")), 0.8, false);
            learner.add(&of("person", &format!("http://a.example/p/{n}")), 0.0, false);
        }
        let model = learner.learn().unwrap();
        let told = |anchor: &str, to: &str| model.tell(&of(anchor, to));
        let course = told("course 77", "http://a.example/c/77");
        let (list, person) = (told("list", "http://a.example/l/x"), told("person", "http://a.example/p/x"));
        assert!(course.value > 0.9 && course.chance > 0.9, "{course:?}");
        assert!((0.7..0.9).contains(&list.value) && list.chance < 0.1, "{list:?}");
        assert!(person.value < 0.1 && person.chance < 0.1, "{person:?}");
        let mut nothing = LinkLearner::default();
        nothing.add(&[1, 2], 0.5, false);
        assert!(nothing.learn().is_none());
    }
}
