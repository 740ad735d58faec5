//! All that is known of a page, and how it is written in each form.

use std::path::Path;

use serde::{Serialize, Serializer};
use webmill_capture::CanonicalUrl;
use webmill_documents::{TitleSource, to_html};
use webmill_html::{
    About, Decoded, FieldValue, Item, Limits, Metadata, base_of, decode, items, metadata, parse,
};
use webmill_mill::document_text;
use webmill_text::{
    MainText, TextLimits, XmlForm, fragment_text, keywords, languages_declared, main_text, plain_text,
};

use super::feeds::{self, Listed};
use super::kind::{PageBytes, PageKind, Refusal, document_kind};
use super::{TextForm, TextOptions, front_matter, xml};
use crate::document_reader;

/// Keywords of a page.
const KEYWORDS: usize = 10;

/// A page as an object of JSON. Every field stands in every object but the Markdown, which is there on demand; what the page
/// does not say is null or empty.
#[derive(Debug, Default, Serialize)]
pub struct PageFacts {
    /// Path, name or stem of the file; of an item of a feed with its number.
    pub id: String,
    /// The file as it was found; `-` for stdin.
    pub file: String,
    /// What it is: page, item (of a feed), text, document, sitemap-url, sitemap.
    pub kind: &'static str,
    /// Format of a document: pdf, docx and so on.
    pub format: Option<&'static str>,
    /// Pages, slides or sheets of a document.
    pub pages: Option<u32>,
    /// Address: as given, else as the page states it.
    pub url: Option<String>,
    /// Main text, a paragraph a line.
    pub text: String,
    /// What the page states of itself.
    #[serde(flatten, serialize_with = "by_shown_names")]
    pub about: About,
    /// Where the title of a document was found: metadata, style, type, heading, line.
    pub title_source: Option<&'static str>,
    /// Keywords that the page declares.
    pub keywords_declared: Vec<String>,
    /// Of most of the text, ISO 639-3.
    pub language: Option<&'static str>,
    /// How sure the language is, 0 to 1.
    pub language_confidence: Option<f64>,
    /// Shares of the text by language.
    pub languages: Vec<Share>,
    /// Languages of stretches of the text, in order.
    pub paragraphs: Vec<Stretch>,
    /// Kind of page: article, forum and so on.
    pub page_type: &'static str,
    /// Expected F1 of the text.
    pub confidence: f32,
    /// Keywords of the text with their scores.
    pub keywords: Vec<Word>,
    /// Data tables.
    pub tables: Vec<Table>,
    /// Readers' comments.
    pub comments: Vec<Remark>,
    /// Types of schema.org that the page gives itself.
    pub types: Vec<String>,
    /// Its structured data, as it states them.
    pub structured: Vec<Stated>,
    /// Encoding that it was read by.
    pub encoding: &'static str,
    /// Encoding that the page declares, by its standard name.
    pub encoding_declared: Option<&'static str>,
    /// The one that its bytes look like.
    pub encoding_detected: Option<&'static str>,
    /// Encoding that its UTF-8 was taken for when it was encoded a second time, which has been undone.
    pub encoding_doubled: Option<&'static str>,
    /// Where the page leads, if a refresh to another page is all that it is: it has no text then.
    pub redirects_to: Option<String>,
    /// Defects of a document, and parts left out of it.
    pub warnings: Vec<String>,
    /// Limits that cut it.
    pub cuts: Vec<&'static str>,
    /// The text as Markdown, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// The text as elements of XML.
    #[serde(skip)]
    pub xml: String,
}

/// The name of a field of [`About`] in every form that is written of a page.
pub fn shown_name(field: &'static str) -> &'static str {
    match field {
        "published" => "date",
        "published_ambiguous" => "date_ambiguous",
        _ => field,
    }
}

fn by_shown_names<S: Serializer>(about: &About, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(about.fields().into_iter().map(|(name, value)| (shown_name(name), value)))
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct Share {
    language: &'static str,
    share: f64,
}

/// Characters `start` to `end` of the text are in one language.
#[derive(Debug, Serialize)]
pub struct Stretch {
    language: &'static str,
    start: usize,
    end: usize,
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct Word {
    word: String,
    score: f64,
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct Table {
    caption: Option<String>,
    columns: Vec<String>,
    rows: Rows,
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct Stated {
    syntax: &'static str,
    types: Vec<String>,
    data: serde_json::Value,
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct Remark {
    pub author: Option<String>,
    pub date: Option<String>,
    pub text: String,
}

fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// A page, a text or an item that is to be read, and how.
pub struct PageSource<'a> {
    pub options: &'a TextOptions,
    pub id: String,
    pub file: &'a Path,
    pub url: Option<&'a CanonicalUrl>,
}

impl PageSource<'_> {
    /// What the library is asked for: what the form of output does not show is not worked out.
    pub fn limits(&self) -> TextLimits {
        let options = self.options;
        TextLimits {
            markdown: options.shows_markdown(),
            details: options.shows_comments() || options.format == TextForm::Json,
            focus: options.focus,
            tables: options.tables,
            links: options.links,
            images: options.images,
            xml: match options.format {
                TextForm::Xml => Some(XmlForm::Plain),
                TextForm::Tei => Some(XmlForm::Tei),
                _ => None,
            },
            ..TextLimits::default()
        }
    }

    /// Characters of a file, by what it declares and what its bytes say.
    fn decoded<'b>(&self, page: &'b PageBytes) -> Decoded<'b> {
        let tld = self.url.and_then(|url| url.host().rsplit('.').next()).map(str::as_bytes);
        decode(&page.bytes, None, tld)
    }

    /// The texts of a page, a text or a feed.
    pub fn read(&self, bytes: &PageBytes, kind: PageKind) -> Result<Listed<Vec<PageFacts>>, Refusal> {
        match kind {
            PageKind::Feed => feeds::items(self, bytes),
            PageKind::Document => self.document(bytes),
            PageKind::Text => Ok(Listed { entries: vec![self.text(bytes)], faults: Vec::new() }),
            _ => Ok(Listed { entries: vec![self.page(bytes)], faults: Vec::new() }),
        }
    }

    /// An HTML page.
    pub fn page(&self, page: &PageBytes) -> PageFacts {
        let decoded = self.decoded(page);
        let dom = parse(&decoded.text, &Limits::default());
        let base = base_of(&dom, self.url);
        let meta = metadata(&dom, base.as_ref(), &[]).found_at(self.url);
        let main = main_text(&dom, &meta, &self.limits());
        let mut cuts: Vec<&str> = dom.cut().names().collect();
        if page.cut && !cuts.contains(&"bytes") {
            cuts.push("bytes");
        }
        let structured = match self.options.format {
            TextForm::Json => items(&dom, base.as_ref()).into_iter().map(stated).collect(),
            _ => Vec::new(),
        };
        PageFacts { kind: "page", cuts, structured, ..self.facts(main, meta).read_as(&decoded) }
    }

    /// A document that is no HTML.
    fn document(&self, page: &PageBytes) -> Result<Listed<Vec<PageFacts>>, Refusal> {
        let name = self.file.to_string_lossy();
        let Some(kind) = document_kind(&page.bytes, &name) else { return Err(Refusal::new("no document")) };
        let read = document_reader::reader().read(&page.bytes, kind, &webmill_documents::Limits::default());
        let mut document = read.map_err(|failure| {
            Refusal::new(format!("{} that is not read: {} ({})", kind.name(), failure.reason, failure.detail))
        })?;
        if page.cut {
            document.warn("body-cut");
        }
        let (format, title_source) = (Some(kind.name()), document.title_source.map(TitleSource::name));
        let warnings: Vec<String> = document.warnings.iter().map(ToString::to_string).collect();
        let (pages, meta) = (document.pages, Metadata::default());
        let limits = self.limits();
        // Who asks for a form of its own, or for less, gets it from the tree.
        let shaped = limits.xml.is_some() || !limits.tables || !limits.links;
        let tree = shaped.then(|| to_html(document.about.title.as_deref(), &document.markdown));
        let mut main = document_text(document);
        if let Some(html) = tree {
            let written = fragment_text(&parse(&html, &Limits::default()), &meta, &limits);
            (main.text, main.markdown, main.xml) = (written.text, written.markdown, written.xml);
            main.tables.retain(|_| limits.tables);
        }
        let facts = self.facts(main, meta);
        let facts = PageFacts { kind: "document", format, title_source, warnings, pages, ..facts };
        Ok(Listed { entries: vec![facts], faults: Vec::new() })
    }

    /// A plain text.
    pub fn text(&self, page: &PageBytes) -> PageFacts {
        let decoded = self.decoded(page);
        let main = plain_text(&decoded.text, &self.limits());
        let mut cuts = Vec::new();
        if page.cut || decoded.text.len() > TextLimits::default().max_text_bytes {
            cuts.push("bytes");
        }
        PageFacts { kind: "text", cuts, ..self.facts(main, Metadata::default()).read_as(&decoded) }
    }

    /// All that is shown of a text, with its metadata.
    pub fn facts(&self, main: MainText, meta: Metadata) -> PageFacts {
        let options = self.options;
        let mut facts = PageFacts {
            id: self.id.clone(),
            file: self.file.to_string_lossy().into_owned(),
            url: self.url.or(meta.canonical.as_ref()).map(|url| url.as_str().to_owned()),
            about: main.about,
            keywords_declared: meta.keywords,
            page_type: main.page_type.name(),
            redirects_to: main.redirects_to,
            confidence: main.confidence,
            types: meta.structured.types,
            markdown: Some(main.markdown).filter(|_| options.shows_markdown()),
            xml: main.xml,
            ..PageFacts::default()
        };
        if options.shows_comments() {
            let remark = |said: webmill_text::Comment| Remark {
                author: said.author,
                date: said.date,
                text: said.text,
            };
            facts.comments = main.comments.into_iter().map(remark).collect();
        }
        let bare = matches!(options.format, TextForm::Text | TextForm::Md) && !options.front_matter;
        if !bare || !options.languages.is_empty() {
            facts.tell_languages(&main.text, &main.code);
        }
        if options.format == TextForm::Json {
            let word = |found: webmill_text::Keyword| Word { word: found.word, score: rounded(found.score) };
            facts.keywords = keywords(&main.text, KEYWORDS).into_iter().map(word).collect();
            let table = |table: webmill_text::DataTable| Table {
                rows: Rows(table.columns.clone(), table.rows),
                caption: table.caption,
                columns: table.columns,
            };
            facts.tables = main.tables.into_iter().map(table).collect();
        }
        facts.text = main.text;
        facts
    }
}

impl PageFacts {
    fn read_as(mut self, decoded: &Decoded<'_>) -> PageFacts {
        self.encoding = decoded.name;
        self.encoding_declared = decoded.declared;
        self.encoding_detected = decoded.detected;
        self.encoding_doubled = decoded.doubled;
        self
    }

    fn tell_languages(&mut self, text: &str, code: &[std::ops::Range<usize>]) {
        let spoken = languages_declared(text, code, self.about.language_declared.as_deref());
        let mut characters = Characters { text, bytes: 0, characters: 0 };
        let stretch = |run: &webmill_text::LanguageRun| Stretch {
            language: run.iso639_3,
            start: characters.at(run.range.start),
            end: characters.at(run.range.end),
        };
        self.paragraphs = spoken.runs.iter().map(stretch).collect();
        self.language = spoken.main().map(|found| found.iso639_3);
        self.language_confidence = spoken.main().map(|found| rounded(found.confidence));
        let share = |&(language, n): &(&'static str, f64)| Share { language, share: rounded(n) };
        self.languages = spoken.shares.iter().map(share).collect();
    }

    /// What the heads of YAML and XML say beside id, address, language and kind: name and value of all fields that the page
    /// states, but for what the address and the language say already, and for dates that are in doubt.
    pub fn stated(&self) -> impl Iterator<Item = (&'static str, FieldValue<'_>)> {
        let fields = self.about.fields().into_iter().filter(|(name, value)| {
            !matches!(*name, "published_ambiguous" | "language_declared" | "canonical_url")
                && !matches!(value, FieldValue::Text(None | Some("")) | FieldValue::List([]))
        });
        fields.map(|(name, value)| (shown_name(name), value))
    }

    /// The page in an output form, ended by a newline; nothing for a page without text.
    pub fn written(mut self, options: &TextOptions) -> String {
        let mut out = match options.format {
            TextForm::Json => serde_json::to_string(&self).unwrap_or_default(),
            TextForm::Text => std::mem::take(&mut self.text),
            TextForm::Md => self.markdown.take().unwrap_or_default(),
            TextForm::Xml => return xml::document(&self),
            TextForm::Tei => return xml::tei(&self),
        };
        if options.comments == Some(true) && matches!(options.format, TextForm::Text | TextForm::Md) {
            self.comments.iter().for_each(|said| said.append(options.format, &mut out));
        }
        if options.front_matter {
            let gap = if out.is_empty() { "" } else { "\n" };
            out.insert_str(0, &format!("{}{gap}", front_matter::front_matter(&self)));
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }
}

impl Remark {
    /// Writes it after a text: who and when, then what.
    fn append(&self, form: TextForm, out: &mut String) {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let plain = |text: &str| match form {
            TextForm::Md => plain_text(&text.replace('\n', "\n\n"), &TextLimits::default()).markdown,
            _ => text.to_owned(),
        };
        let said: Vec<&str> = [self.author.as_deref(), self.date.as_deref()].into_iter().flatten().collect();
        if !said.is_empty() {
            out.push_str(&plain(&format!("{}:", said.join(", "))));
            out.push_str(if form == TextForm::Md { "\n\n" } else { "\n" });
        }
        out.push_str(&plain(&self.text));
    }
}

fn stated(item: Item) -> Stated {
    let data = serde_json::from_str(&item.data).unwrap_or_default();
    Stated { syntax: item.syntax, types: item.types, data }
}

/// The rows of a table: by the names of its columns, in their order, or as lists where there are none.
#[derive(Debug)]
pub struct Rows(Vec<String>, Vec<Vec<String>>);

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Record<'r>(&'r [String], &'r [String]);
        impl Serialize for Record<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().zip(self.1))
            }
        }
        match self.0.is_empty() {
            true => self.1.serialize(serializer),
            false => serializer.collect_seq(self.1.iter().map(|row| Record(&self.0, row))),
        }
    }
}

/// Counts characters on from where the last question ended.
struct Characters<'t> {
    text: &'t str,
    bytes: usize,
    characters: usize,
}

impl Characters<'_> {
    fn at(&mut self, bytes: usize) -> usize {
        self.characters += self.text[self.bytes..bytes].chars().count();
        self.bytes = bytes;
        self.characters
    }
}
