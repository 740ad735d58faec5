//! The reader of pages: from bytes to facts and to texts as they are written.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use webmill_capture::CanonicalUrl;

use super::facts::PageFacts;
use super::feeds::{self, Listed};
use super::kind::{self, FileKind, PageBytes, PageFile, PageKind, Refusal};
use super::source::PageSource;
use super::{TextOptions, language};

/// Reads pages by [`TextOptions`]. One reader serves all threads.
///
/// # Examples
/// ```
/// use webmill_jobs::page_text::{PageKind, PageReader, TextForm, TextOptions};
///
/// let options = TextOptions { format: TextForm::Md, input: PageKind::Html, ..TextOptions::default() };
/// let reader = PageReader::new(options)?;
/// let html = "<body><h1>Mills</h1><p>The mill grinds slowly but finely, as mills do.".as_bytes().to_vec();
/// assert_eq!(reader.written(html, None)?, ["# Mills\n\nThe mill grinds slowly but finely, as mills do.\n"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PageReader {
    options: TextOptions,
}

/// The texts of a file, or why it has none.
pub enum FileTexts {
    /// One text, one per item of a feed, or the list of a sitemap.
    Texts {
        /// Texts in a wanted language.
        written: Vec<WrittenText>,
        /// Languages of the texts that are left out.
        foreign: Vec<&'static str>,
        /// Defects of the file, and the parts missing because of them.
        faults: Vec<String>,
    },
    /// It is no page, and only lies in a folder of pages; with the reason.
    PassedOver(String),
}

/// A text in the form that was asked for.
pub struct WrittenText {
    /// Identifier: that of the file, of an item of a feed with `/` and its number.
    pub id: String,
    /// Number of the item of a feed, from 1.
    pub item: Option<usize>,
    /// The text, ended by a newline; empty for a page without text.
    pub body: String,
}

impl PageReader {
    /// A reader with these options.
    ///
    /// # Errors
    /// For options that do not go together, and for codes of no language.
    pub fn new(options: TextOptions) -> Result<Self> {
        Ok(PageReader { options: options.checked()? })
    }

    /// The options, with languages as three letters.
    pub fn options(&self) -> &TextOptions {
        &self.options
    }

    /// What a page says: one entry, one per item of a feed, and no entry if its language is not wanted.
    ///
    /// # Errors
    /// For bytes that are no page, a sitemap (see [`PageReader::written`]), and a `url` that is no address of a page.
    pub fn facts(&self, bytes: Vec<u8>, url: Option<&str>) -> Result<Vec<PageFacts>> {
        let url = url.map(address).transpose()?;
        let told = self.tell(PageBytes::of(bytes), unnamed(url.is_some()));
        let (bytes, kind) = match told.map_err(refused)? {
            FileKind::At(_, PageKind::Sitemap) => bail!("a sitemap has URLs, no text"),
            FileKind::At(bytes, kind) => (bytes, kind),
            FileKind::PassedOver(reason) => bail!(reason),
        };
        let source = self.source(unnamed(true), UNNAMED.to_owned(), url.as_ref());
        let read = kind::isolated(|| read(&source, &bytes, kind)).and_then(|read| read).map_err(refused)?;
        let mut entries = read.entries;
        entries.retain(|facts| language::is_wanted(&self.options.languages, facts.language));
        Ok(entries)
    }

    /// The same in the form that the options ask for, each ended by a newline; of a sitemap its list.
    ///
    /// # Errors
    /// As [`PageReader::facts`], but for sitemaps.
    pub fn written(&self, bytes: Vec<u8>, url: Option<&str>) -> Result<Vec<String>> {
        let url = url.map(address).transpose()?;
        let file = unnamed(url.is_some());
        let texts = match self.tell(PageBytes::of(bytes), file).map_err(refused)? {
            FileKind::At(bytes, kind) => self.texts(&bytes, kind, file, UNNAMED.to_owned(), url.as_ref()),
            FileKind::PassedOver(reason) => Ok(FileTexts::PassedOver(reason)),
        };
        match texts.map_err(refused)? {
            FileTexts::Texts { written, .. } => Ok(written.into_iter().map(|text| text.body).collect()),
            FileTexts::PassedOver(reason) => Err(anyhow!(reason)),
        }
    }

    /// Tells what a file is; its bytes are unpacked if they were packed.
    ///
    /// # Errors
    /// Where it is called a page and is none.
    pub fn tell(&self, bytes: PageBytes, file: PageFile<'_>) -> Result<FileKind, Refusal> {
        kind::tell(bytes, file, self.options.input)
    }

    /// The texts of a file of this kind, with `url` as its address.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn texts(
        &self,
        bytes: &PageBytes,
        kind: PageKind,
        file: PageFile<'_>,
        id: String,
        url: Option<&CanonicalUrl>,
    ) -> Result<FileTexts, Refusal> {
        let source = self.source(file, id, url);
        if kind == PageKind::Sitemap {
            let Listed { entries, faults } = kind::isolated(|| feeds::urls(&source, bytes))??;
            let written = vec![WrittenText { id: source.id, item: None, body: entries }];
            return Ok(FileTexts::Texts { written, foreign: Vec::new(), faults });
        }
        let Listed { entries, faults } = match kind::isolated(|| read(&source, bytes, kind))? {
            Err(refusal) if !file.is_named && refusal.to_string().starts_with(feeds::NO_ITEMS) => {
                return Ok(FileTexts::PassedOver(feeds::NO_ITEMS.to_owned()));
            }
            read => read?,
        };
        let (mut written, mut foreign) = (Vec::with_capacity(entries.len()), Vec::new());
        for (number, facts) in (1..).zip(entries) {
            if !language::is_wanted(&self.options.languages, facts.language) {
                foreign.push(facts.language.unwrap_or(language::UNKNOWN));
                continue;
            }
            let item = (kind == PageKind::Feed).then_some(number);
            let id = facts.id.clone();
            written.push(WrittenText { id, item, body: facts.written(&self.options) });
        }
        Ok(FileTexts::Texts { written, foreign, faults })
    }

    fn source<'a>(&'a self, file: PageFile<'a>, id: String, url: Option<&'a CanonicalUrl>) -> PageSource<'a> {
        PageSource { options: &self.options, id, file: file.path, url }
    }
}

/// What a page, a text, a document or a feed says.
fn read(
    source: &PageSource<'_>,
    bytes: &PageBytes,
    kind: PageKind,
) -> Result<Listed<Vec<PageFacts>>, Refusal> {
    let facts = match kind {
        PageKind::Feed => return feeds::items(source, bytes),
        PageKind::Document => source.document(bytes)?,
        PageKind::Text => source.text(bytes),
        _ => source.page(bytes),
    };
    Ok(Listed { entries: vec![facts], faults: Vec::new() })
}

/// What a page without a name is called.
const UNNAMED: &str = "-";

fn unnamed(has_address: bool) -> PageFile<'static> {
    PageFile { path: Path::new(UNNAMED), is_named: true, has_address }
}

fn refused(refusal: Refusal) -> anyhow::Error {
    anyhow!("{refusal}")
}

fn address(url: &str) -> Result<CanonicalUrl> {
    let parsed = CanonicalUrl::parse(url).filter(CanonicalUrl::is_web);
    parsed.ok_or_else(|| anyhow!("{url:?}: no address of a page; write http://example.com/page"))
}

#[cfg(test)]
mod tests {
    use super::super::TextForm;
    use super::*;

    #[test]
    fn every_option_has_its_name_in_json() {
        let json = r#"{"format": "json", "input": "html", "focus": "precision", "with_markdown": true, "with_title": true,
            "front_matter": false, "comments": null, "tables": true, "links": false, "images": true, "languages": []}"#;
        let want = TextOptions {
            format: TextForm::Json,
            input: PageKind::Html,
            focus: webmill_text::Focus::Precision,
            with_markdown: true,
            with_title: true,
            links: false,
            ..TextOptions::default()
        };
        assert_eq!(serde_json::from_str::<TextOptions>(json).unwrap(), want);
    }

    #[test]
    fn options_come_as_json_and_are_checked() {
        for (json, why) in [
            (r#"{"format": "markdown", "input": "auto", "front_matter": true, "languages": ["en"]}"#, None),
            (r#"{"format": "word"}"#, Some("unknown variant `word`")),
            (r#"{"colour": true}"#, Some("unknown field `colour`")),
            (r#"{"with_markdown": true}"#, Some("--format json")),
            (r#"{"front_matter": true}"#, Some("--format md")),
            (r#"{"languages": ["english"]}"#, Some("no language")),
        ] {
            let options = serde_json::from_str::<TextOptions>(json).map_err(anyhow::Error::from);
            match (options.and_then(PageReader::new), why) {
                (Ok(reader), None) => {
                    assert_eq!(reader.options().format, TextForm::Md);
                    assert_eq!(reader.options().languages, ["eng"]);
                }
                (Err(error), Some(why)) => assert!(error.to_string().contains(why), "{error}"),
                (_, why) => panic!("{json}: {why:?}"),
            }
        }
    }

    #[test]
    fn a_feed_is_a_text_per_item_and_no_other_language() {
        let options = TextOptions { languages: vec!["und".to_owned()], ..TextOptions::default() };
        let feed = "<rss version='2.0'><channel><title>News</title>\
            <item><description>mmm</description></item>\
            <item><description>This item is surely written in the English language, as everybody can see.</description></item>\
            </channel></rss>";
        let all = PageReader::new(TextOptions::default()).unwrap();
        assert_eq!(all.written(feed.into(), None).unwrap().len(), 2);
        let unknown = PageReader::new(options).unwrap();
        assert_eq!(unknown.written(feed.into(), None).unwrap(), ["mmm\n"]);
        assert_eq!(unknown.facts(feed.into(), None).unwrap().len(), 1);
    }
}
