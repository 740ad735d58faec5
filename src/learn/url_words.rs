//! Words of an address.
//!
//! **Definition.** Host and path (with its query) are percent-decoded, lower-cased and cut at anything that is no letter or digit; the words
//! that most addresses have are left out, and the others are stemmed: `http://bj.58.com/job.shtml` has bj, 58, job.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use rust_stemmers::{Algorithm, Stemmer};

/// Words that say nothing of a page.
const COMMON: [&str; 10] = ["http", "https", "www", "com", "html", "htm", "shtml", "php", "asp", "index"];

/// Stems words of one language. Addresses are mostly English: that is the language of those that no stemmer knows.
pub struct UrlStemmer(Stemmer);

impl UrlStemmer {
    /// For pages in the language of this ISO 639-3 code.
    pub fn new(language: &str) -> Self {
        UrlStemmer(Stemmer::create(algorithm(language).unwrap_or(Algorithm::English)))
    }

    /// Calls `each` with every word of `url`, in order, and whether it stands in the host.
    ///
    /// # Examples
    /// ```
    /// let mut found = Vec::new();
    /// webmill_learn::UrlStemmer::new("zho").words("http://bj.58.com/job.shtml", |word, _| found.push(word.to_owned()));
    /// assert_eq!(found, ["bj", "58", "job"]);
    /// ```
    pub fn words(&self, url: &str, mut each: impl FnMut(&str, bool)) {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let rest = rest.split('#').next().unwrap_or_default();
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        for (part, is_host) in [(host, true), (path, false)] {
            let part = match percent_decode_str(part).decode_utf8_lossy() {
                Cow::Borrowed(plain) => plain.to_lowercase(),
                Cow::Owned(decoded) => decoded.to_lowercase(),
            };
            for word in part.split(|c: char| !c.is_alphanumeric()) {
                if !word.is_empty() && !COMMON.contains(&word) {
                    each(&self.0.stem(word), is_host);
                }
            }
        }
    }
}

/// The stemmer of a language.
pub fn algorithm(language: &str) -> Option<Algorithm> {
    Some(match language {
        "ara" => Algorithm::Arabic,
        "dan" => Algorithm::Danish,
        "nld" => Algorithm::Dutch,
        "eng" => Algorithm::English,
        "fin" => Algorithm::Finnish,
        "fra" => Algorithm::French,
        "deu" => Algorithm::German,
        "ell" => Algorithm::Greek,
        "hun" => Algorithm::Hungarian,
        "ita" => Algorithm::Italian,
        "nor" | "nob" | "nno" => Algorithm::Norwegian,
        "por" => Algorithm::Portuguese,
        "ron" => Algorithm::Romanian,
        "rus" => Algorithm::Russian,
        "spa" => Algorithm::Spanish,
        "swe" => Algorithm::Swedish,
        "tam" => Algorithm::Tamil,
        "tur" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_fall_into_words() {
        let cases: [(&str, &str, &[&str]); 6] = [
            ("http://bj.58.com/job.shtml", "zho", &["bj", "58", "job"]),
            ("https://www.example.org/Courses/index.html#top", "eng", &["exampl", "org", "cours"]),
            (
                "http://e.cn/%E6%96%B0%E9%97%BB/a%20b?page=2",
                "zho",
                &["e", "cn", "新闻", "a", "b", "page", "2"],
            ),
            ("http://e.cn/%D0%C2", "zho", &["e", "cn"]),
            ("", "", &[]),
            ("e.org?q=x", "", &["e", "org", "q", "x"]),
        ];
        for (url, language, expected) in cases {
            let mut found = Vec::new();
            UrlStemmer::new(language).words(url, |word, _| found.push(word.to_owned()));
            assert_eq!(found, expected, "{url}");
        }
    }
}
