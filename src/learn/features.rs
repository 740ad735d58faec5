//! The features of a page, with their counts.
//!
//! **Definition.** Words of text and title are those of [`webmill_text::words`] in their comparison form, digits folded to 0; bigrams are
//! two that stand next to each other in the same source. Words of other sources carry a prefix ([`FeatureOrigin::prefix`]).
//! In words of hosts digits stay: they are names there.
//!
//! **Cost.** Linear in the text; a word of ASCII letters costs a pass over its bytes and one look into a table.

use std::collections::HashMap;
use webmill_capture::cut::Cut;

use webmill_text::{normalize_into, words};

use crate::facts::{FeatureOptions, FeatureOrigin, PageFacts};
use crate::interner::Interner;
use crate::url_words::UrlStemmer;

/// Longest feature in bytes; longer ones are cut there. No word of a language is, and hostile pages have some of megabytes.
const MAX_BYTES: usize = 120;

/// Turns pages into features. One a thread: it keeps its buffers.
pub struct Extractor {
    options: FeatureOptions,
    feature: String,
    before: String,
    word: String,
    stemmers: HashMap<String, UrlStemmer>,
}

impl Extractor {
    /// One for these sources.
    pub fn new(options: &FeatureOptions) -> Self {
        Extractor {
            options: options.clone(),
            feature: String::new(),
            before: String::new(),
            word: String::new(),
            stemmers: HashMap::default(),
        }
    }

    /// Calls `each` with every feature of the page and its count; a feature may come several times.
    pub fn features(&mut self, page: &PageFacts<'_>, mut each: impl FnMut(&str, u32)) {
        let weight = self.options.title_weight;
        if weight > 0 && !page.title.is_empty() {
            self.prose(page.title, weight, &mut each);
        }
        if self.options.text {
            self.prose(page.text, 1, &mut each);
        }
        if self.options.title {
            self.tagged(FeatureOrigin::Title, page.title, &mut each);
        }
        if self.options.url && !page.url.is_empty() {
            self.address(page, &mut each);
        }
        if self.options.anchors {
            page.anchors.iter().for_each(|anchor| self.tagged(FeatureOrigin::Anchor, anchor, &mut each));
        }
        if self.options.media {
            page.media.iter().for_each(|shown| self.tagged(FeatureOrigin::Media, shown, &mut each));
        }
        if self.options.language && !page.language.is_empty() {
            self.tagged(FeatureOrigin::Language, page.language, &mut each);
        }
        if self.options.page_type && !page.page_type.is_empty() {
            self.tagged(FeatureOrigin::PageType, page.page_type, &mut each);
        }
    }

    fn prose(&mut self, text: &str, weight: u32, each: &mut impl FnMut(&str, u32)) {
        self.before.clear();
        let Extractor { options, feature, before, word: form, .. } = self;
        words(text, |word| {
            form.clear();
            fold(word, form);
            if form.is_empty() {
                return;
            }
            each(form, weight);
            if options.bigrams {
                if !before.is_empty() {
                    feature.clear();
                    feature.push_str(before);
                    feature.push(' ');
                    feature.push_str(form);
                    each(feature, weight);
                }
                std::mem::swap(before, form);
            }
        });
        if options.han_pairs {
            let mut last: Option<char> = None;
            for c in text.chars() {
                let han = matches!(c, '\u{3400}'..='\u{9FFF}');
                if let Some(last) = last.filter(|_| han) {
                    feature.clear();
                    feature.push_str(FeatureOrigin::HanPair.prefix());
                    feature.extend([last, c]);
                    each(feature, weight);
                }
                last = han.then_some(c);
            }
        }
    }

    fn tagged(&mut self, source: FeatureOrigin, text: &str, each: &mut impl FnMut(&str, u32)) {
        let feature = &mut self.feature;
        words(text, |word| {
            feature.clear();
            feature.push_str(source.prefix());
            fold(word, feature);
            each(feature, 1);
        });
    }

    fn address(&mut self, page: &PageFacts<'_>, each: &mut impl FnMut(&str, u32)) {
        if !self.stemmers.contains_key(page.language) {
            self.stemmers.insert(page.language.to_owned(), UrlStemmer::new(page.language));
        }
        let Some(stemmer) = self.stemmers.get(page.language) else { return };
        let feature = &mut self.feature;
        stemmer.words(page.url, |word, is_host| {
            feature.clear();
            feature.push_str(FeatureOrigin::Url.prefix());
            if is_host {
                feature.push_str(shortened(word));
            } else {
                fold(word, feature);
            }
            each(feature, 1);
        });
    }
}

/// Appends the form of a word that is counted.
fn fold(word: &str, out: &mut String) {
    let word = shortened(word);
    if word.is_ascii() {
        out.extend(
            word.bytes().map(|b| if b.is_ascii_digit() { '0' } else { b.to_ascii_lowercase() as char }),
        );
        return;
    }
    let from = out.len();
    normalize_into(word, out);
    if out.cut(from..).contains(char::is_numeric) {
        let folded: String = out.cut(from..).chars().map(|c| if c.is_numeric() { '0' } else { c }).collect();
        out.truncate(from);
        out.push_str(&folded);
    }
}

fn shortened(word: &str) -> &str {
    word.cut(..word.floor_char_boundary(MAX_BYTES))
}

/// The features of a page by their numbers in an interner, ascending.
pub(crate) fn counted(
    extractor: &mut Extractor,
    page: &PageFacts<'_>,
    interner: &mut Interner,
    seen: &mut Vec<(u32, u32)>,
) -> Vec<(u32, u32)> {
    seen.clear();
    extractor.features(page, |feature, count| seen.push((interner.intern(feature), count)));
    summed(seen)
}

/// Sums the counts of equal numbers; ascending.
pub(crate) fn summed(seen: &mut [(u32, u32)]) -> Vec<(u32, u32)> {
    seen.sort_unstable();
    let mut row: Vec<(u32, u32)> = Vec::new();
    for &(number, count) in seen.iter() {
        match row.last_mut() {
            Some((last, sum)) if *last == number => *sum = sum.saturating_add(count),
            _ => row.push((number, count)),
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(options: &FeatureOptions, page: &PageFacts<'_>) -> Vec<(String, u32)> {
        let mut found = Vec::new();
        Extractor::new(options).features(page, |feature, count| found.push((feature.to_owned(), count)));
        found
    }

    fn only_text() -> FeatureOptions {
        FeatureOptions { title_weight: 0, url: false, anchors: false, ..FeatureOptions::default() }
    }

    #[test]
    fn words_are_folded() {
        let page = PageFacts { text: "Call 555-1234, Straße ＷＥＢ ٣", ..PageFacts::default() };
        let found: Vec<String> = list(&only_text(), &page).into_iter().map(|(word, _)| word).collect();
        assert_eq!(found, ["call", "000", "0000", "strasse", "web", "0"]);
    }

    #[test]
    fn every_source_has_its_own_features() {
        let options = FeatureOptions {
            title: true,
            bigrams: true,
            han_pairs: true,
            media: true,
            language: true,
            page_type: true,
            ..FeatureOptions::default()
        };
        let page = PageFacts {
            url: "http://a0.org/n7/jobs",
            title: "New jobs",
            text: "北京大学",
            language: "eng",
            anchors: &["our jobs"],
            media: &["image"],
            page_type: "article",
        };
        let found = list(&options, &page);
        let expected = [
            ("new", 3),
            ("jobs", 3),
            ("new jobs", 3),
            ("北京大学", 1),
            ("han/北京", 1),
            ("han/京大", 1),
            ("han/大学", 1),
            ("title/new", 1),
            ("title/jobs", 1),
            ("url/a0", 1),
            ("url/org", 1),
            ("url/n0", 1),
            ("url/job", 1),
            ("anchor/our", 1),
            ("anchor/jobs", 1),
            ("media/image", 1),
            ("language/eng", 1),
            ("type/article", 1),
        ];
        assert_eq!(found, expected.map(|(word, count)| (word.to_owned(), count)));
        for (word, _) in &found {
            assert!(FeatureOrigin::of(word).is_in(&options), "{word}");
        }
        assert_eq!(FeatureOrigin::of("new jobs"), FeatureOrigin::Bigram);
        assert_eq!(FeatureOrigin::of("url/job"), FeatureOrigin::Url);
    }

    #[test]
    fn words_of_megabytes_are_cut() {
        let long = "é".repeat(500_000);
        let page = PageFacts { text: &long, ..PageFacts::default() };
        assert!(list(&only_text(), &page).iter().all(|(word, _)| word.len() <= MAX_BYTES));
    }
}
