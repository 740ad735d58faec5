//! Counts over a main text: words, languages, fingerprints.

use webmill_capture::timing::{self, Part};
use webmill_dedup::{BandShape, TextDigest, TextSigner};
use webmill_text::{MainText, languages_declared, words};

/// Share of a page's letters from which a language is one of its languages, and most of these.
const LEAST_SHARE: f64 = 0.05;
const MAX_LANGUAGES: usize = 3;

/// Measures of a main text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Words (UAX 29, jieba for Chinese).
    pub num_words: u32,
    /// SimHash over word shingles; `None` without words.
    pub simhash: Option<u64>,
    /// MinHash band hashes of the default shape; empty for a text without two different words.
    pub bands: Box<[u64]>,
    /// Digest of the normalised text.
    pub digest: Option<u128>,
    /// Languages by share, at most three, ISO 639-3.
    pub languages: Vec<&'static str>,
    /// The language of the text as a whole, and how sure that is, 0 to 1.
    pub language: Option<(&'static str, f32)>,
    /// Language of each line; empty where all lines are in the text's language.
    pub by_line: Vec<&'static str>,
}

impl Reading {
    /// Reads the text of a page that declares its language by a BCP 47 tag; nothing of one without words.
    pub fn of(main: &MainText, declared: Option<&str>) -> Option<Self> {
        let text = main.text.as_str();
        if text.trim().is_empty() {
            return None;
        }
        let span = timing::span(Part::Words);
        let mut num_words = 0u32;
        let mut signer = TextSigner::new(&BandShape::default());
        words(text, |word| {
            num_words = num_words.saturating_add(1);
            signer.word(word);
        });
        let signatures = signer.finish();
        let digest = TextDigest::of(text).map(|d| d.0);
        drop(span);
        let _span = timing::span(Part::Languages);
        let found = languages_declared(text, &main.code, declared);
        let several = found.runs.len() > 1 || !main.code.is_empty();
        let used = found.shares.iter().filter(|(_, share)| *share >= LEAST_SHARE).take(MAX_LANGUAGES);
        Some(Reading {
            num_words,
            simhash: signatures.simhash.map(|f| f.0),
            bands: signatures.bands.unwrap_or_default(),
            digest,
            languages: used.map(|(language, _)| *language).collect(),
            language: found.main().map(|l| (l.iso639_3, l.confidence as f32)),
            by_line: if several { found.by_line(text, &main.code) } else { Vec::new() },
        })
    }
}
