//! A page to learn from or to tell the class of, wherever it comes from.

use encoding_rs::Encoding;
use webmill_capture::CanonicalUrl;
use webmill_html::charset::CharsetSource;
use webmill_html::sniff::{is_html_name, sniff};
use webmill_html::{Limits, decode, metadata, parse};
use webmill_learn::PageFacts;
use webmill_table::Bytes16;
use webmill_text::{TextLimits, fragment_text, language, main_text};
use xxhash_rust::xxh3::xxh3_128;

use super::mail;

/// A page to train on or to classify.
#[derive(Debug, Clone, Default)]
pub struct LearnPage {
    /// Its canonical URL; empty where it has none.
    pub url: String,
    /// Its key: that of its URL, else of its file or line.
    pub key: u128,
    /// Host of its URL.
    pub host: String,
    /// Registrable domain of its URL.
    pub domain: String,
    /// Its file in the folder, or the line in the file, that it was read from; empty for pages of results.
    pub file: String,
    /// Title of the page; empty if unknown.
    pub title: String,
    /// Main text of the page.
    pub text: String,
    /// ISO 639-3 code of its language.
    pub language: String,
    /// Type of the page, as in table `pages`; empty if unknown.
    pub page_type: String,
    /// Texts of links that lead to it.
    pub anchors: Vec<String>,
    /// Labels of the page; empty if it is not labelled.
    pub labels: Vec<String>,
}

impl LearnPage {
    /// Calls `with` with what features are made of.
    pub fn facts<'a>(&'a self, anchors: &'a [&'a str]) -> PageFacts<'a> {
        PageFacts {
            url: &self.url,
            title: &self.title,
            text: &self.text,
            language: &self.language,
            anchors,
            media: &[],
            page_type: &self.page_type,
        }
    }

    /// The key as tables have it.
    pub fn url_key(&self) -> Bytes16 {
        Bytes16(self.key)
    }

    fn at(mut self, url: Option<CanonicalUrl>, file: String) -> Self {
        if let Some(url) = url {
            self.key = url.key().0;
            self.host = url.host().to_owned();
            self.domain = url.registrable_domain().to_owned();
            self.url = url.into_string();
        } else {
            self.key = xxh3_128(file.as_bytes());
        }
        self.file = file;
        self
    }
}

/// How files become pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reading {
    /// Files are mails or posts: their heads and quoted lines are left out.
    pub mail: bool,
    /// All that is visible of HTML pages counts, not their main text alone.
    pub whole: bool,
}

/// Facts about a page beyond its text that take time to find.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NeededFacts {
    /// Its language, as a feature.
    pub language: bool,
    /// Words of its URL, which are stemmed by the language.
    pub url: bool,
}

impl NeededFacts {
    fn language_of(self, page: &LearnPage) -> String {
        let wanted = self.language || self.url && !page.url.is_empty();
        let found = if wanted { language(&page.text) } else { None };
        found.map(|found| found.iso639_3.to_owned()).unwrap_or_default()
    }
}

/// The page of a file's bytes, and the encoding that was guessed of a plain text; the reason where it is none. A plain text is read in
/// `encoding` where one is given and fits.
pub fn of_file(
    name: &str,
    bytes: &[u8],
    reading: Reading,
    wanted: NeededFacts,
    encoding: Option<&'static Encoding>,
) -> Result<(LearnPage, Option<&'static Encoding>), &'static str> {
    let url = url_of_name(name);
    let body = behind_head(bytes);
    let is_html = match sniff(body) {
        _ if reading.mail => false,
        Some("text/html" | "application/xhtml+xml") => true,
        Some("text/plain" | "text/xml" | "application/xml" | "application/json") | None => {
            is_html_name(name) || url.is_some()
        }
        Some(_) => return Err("binary-file"),
    };
    let top = url.as_ref().and_then(|url| url.host().rsplit('.').next().map(str::to_owned));
    let hint = top.as_ref().map(|top| top.as_bytes());
    let mut page = LearnPage::default();
    let mut guessed = None;
    if is_html {
        let decoded = decode(body, None, hint);
        let dom = parse(&decoded.text, &Limits::default());
        let about = metadata(&dom, url.as_ref(), &[]).found_at(url.as_ref());
        let limits = TextLimits { markdown: false, details: false, ..TextLimits::default() };
        let main = match reading.whole {
            true => fragment_text(&dom, &about, &limits),
            false => main_text(&dom, &about, &limits),
        };
        page.title = main.about.title.unwrap_or_default();
        page.page_type = main.page_type.name().to_owned();
        page.text = main.text;
    } else {
        let given = encoding.map(|encoding| encoding.decode(bytes)).filter(|(_, _, had_errors)| !had_errors);
        let text = match given {
            Some((text, ..)) => text,
            None => {
                let decoded = decode(bytes, None, hint);
                guessed = (decoded.source == CharsetSource::Detected && decoded.used != encoding_rs::UTF_8)
                    .then_some(decoded.used);
                decoded.text
            }
        };
        page.text = if reading.mail { mail::body(&text) } else { text.into_owned() };
    }
    page = page.at(url, name.to_owned());
    page.language = wanted.language_of(&page);
    Ok((page, guessed))
}

/// The page of a line of a table.
pub fn of_line(
    url: Option<&str>,
    title: &str,
    text: String,
    place: String,
    wanted: NeededFacts,
) -> LearnPage {
    let page = LearnPage { title: title.to_owned(), text, ..LearnPage::default() };
    let mut page = page.at(url.and_then(CanonicalUrl::parse), place);
    page.language = wanted.language_of(&page);
    page
}

/// The URL that a file's name is: with `^` for strokes, as collections of pages have them, or percent-encoded.
fn url_of_name(path: &str) -> Option<CanonicalUrl> {
    let name = path.rsplit('/').next()?;
    let lower = name.get(..8.min(name.len()))?.to_ascii_lowercase();
    if !lower.starts_with("http") {
        return None;
    }
    let text = if name.contains('^') {
        let text = name.replace('^', "/");
        match text.split_once("//") {
            Some(("http" | "https", rest)) if !text.contains("://") => {
                text.replacen(&format!("//{rest}"), &format!("://{rest}"), 1)
            }
            _ => text,
        }
    } else {
        name.replace("%3A", ":").replace("%3a", ":").replace("%2F", "/").replace("%2f", "/")
    };
    CanonicalUrl::parse(&text).filter(|url| url.is_web() && text.contains("://"))
}

/// The bytes behind a head of HTTP, where HTML follows one: collections keep pages as they were sent.
fn behind_head(bytes: &[u8]) -> &[u8] {
    const MOST: usize = 16 << 10;
    let head = &bytes[..bytes.len().min(MOST)];
    let ends = [&b"\r\n\r\n"[..], b"\n\n"]
        .into_iter()
        .filter_map(|end| head.windows(end.len()).position(|at| at == end).map(|at| (at, at + end.len())));
    let Some((end, body)) = ends.min() else { return bytes };
    let is_field = |line: &[u8]| {
        let name = line.iter().position(|&b| b == b':').map_or(&[][..], |at| &line[..at]);
        !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
    };
    let mut lines = head[..end].split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let first = lines.next().unwrap_or_default();
    let is_head = (first.starts_with(b"HTTP/") || is_field(first)) && lines.all(is_field);
    if is_head { &bytes[body..] } else { bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_urls_where_they_look_like_one() {
        let of = |name: &str| url_of_name(name).map(CanonicalUrl::into_string);
        assert_eq!(of("course/a/http:^^www.a.edu^x^").as_deref(), Some("http://www.a.edu/x/"));
        assert_eq!(of("http^^www.a.edu^x.html").as_deref(), Some("http://www.a.edu/x.html"));
        assert_eq!(of("http%3A%2F%2Fa.org%2Fb").as_deref(), Some("http://a.org/b"));
        assert_eq!([of("https.txt"), of("http"), of("a/b.html")], [None, None, None]);
    }

    #[test]
    fn heads_are_left_out_before_pages_only() {
        let page = b"MIME-Version: 1.0\r\nServer: CERN/3.0\r\n\r\n<html><title>T</title><body><p>Some words of a page.";
        let of =
            |name: &str, bytes: &[u8], reading| of_file(name, bytes, reading, NeededFacts::default(), None);
        let (read, _) = of("x.html", page, Reading { mail: false, whole: true }).unwrap();
        assert_eq!((read.title.as_str(), read.text.as_str()), ("T", "Some words of a page."));
        let post = b"Subject: tea\n\nSome words.";
        assert_eq!(of("1", post, Reading::default()).unwrap().0.text, "Subject: tea\n\nSome words.");
        assert_eq!(of("1", post, Reading { mail: true, whole: false }).unwrap().0.text, "Some words.");
        assert_eq!(of("1.png", b"\x89PNG\r\n\x1a\n....", Reading::default()).unwrap_err(), "binary-file");
    }

    #[test]
    fn texts_are_read_in_their_encoding() {
        let (bytes, _, _) = encoding_rs::GBK.encode("今天的比赛非常精彩，球迷们都很高兴，主队以三比一获胜。");
        let wanted = NeededFacts { language: true, url: false };
        let (read, guessed) = of_file("体育/1.txt", &bytes, Reading::default(), wanted, None).unwrap();
        assert_eq!(guessed, Some(encoding_rs::GBK));
        let (short, _) =
            of_file("a", &bytes[..4], Reading::default(), wanted, Some(encoding_rs::GBK)).unwrap();
        assert_eq!(short.text, "今天");
        assert!(read.text.starts_with("今天的比赛"), "{}", read.text);
        assert_eq!(read.language, "zho");
    }
}
