//! A page that is to be read, and what becomes known of it.

use std::path::Path;
use webmill_capture::cut::Cut;

use webmill_capture::CanonicalUrl;
use webmill_documents::{TitleSource, to_html};
use webmill_html::{Decoded, Item, Limits, Metadata, base_of, decode, items, metadata, parse};
use webmill_mill::document_text;
use webmill_text::{
    MainText, TextLimits, XmlForm, fragment_text, keywords, languages_declared, main_text, plain_text,
};

use super::facts::{PageFacts, PostShown, Rows, Share, Stated, Stretch, Table, Word};
use super::kind::{PageBytes, Refusal, document_kind};
use super::{TextForm, TextOptions};
use crate::document_reader;

/// Keywords of a page.
const KEYWORDS: usize = 10;

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
        decode(&page.bytes, page.label.as_deref(), tld)
    }

    /// An HTML page.
    pub fn page(&self, page: &PageBytes) -> PageFacts {
        let decoded = self.decoded(page);
        let dom = parse(&decoded.text, &Limits::default());
        let base = base_of(&dom, self.url);
        let meta = metadata(&dom, base.as_ref(), &[]).found_at(self.url);
        let main = main_text(&dom, &meta, &self.limits());
        let mut cuts: Vec<String> = dom.cut().names().map(str::to_owned).collect();
        if page.cut && !dom.cut().bytes {
            cuts.push("bytes".to_owned());
        }
        let structured = match self.options.format {
            TextForm::Json => items(&dom, base.as_ref()).into_iter().map(stated).collect(),
            _ => Vec::new(),
        };
        let facts = self.facts(main, meta).read_as(&decoded).cut_by(cuts);
        PageFacts { kind: "page", structured, ..facts }
    }

    /// A document that is no HTML.
    pub fn document(&self, page: &PageBytes) -> Result<PageFacts, Refusal> {
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
        Ok(PageFacts { kind: "document", format, title_source, warnings, pages, ..facts })
    }

    /// A plain text.
    pub fn text(&self, page: &PageBytes) -> PageFacts {
        let decoded = self.decoded(page);
        let main = plain_text(&decoded.text, &self.limits());
        let cuts = page.cut.then(|| "bytes".to_owned()).into_iter().collect();
        let facts = self.facts(main, Metadata::default()).read_as(&decoded).cut_by(cuts);
        PageFacts { kind: "text", ..facts }
    }

    /// All that is shown of a text and what is stated with it.
    pub fn facts(&self, mut main: MainText, meta: Metadata) -> PageFacts {
        let options = self.options;
        if options.with_title {
            main.begin_with_title();
        }
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
            cuts: main.left_out.words().collect(),
            ..PageFacts::default()
        };
        let shown = main.posts.into_iter().map(|post: webmill_text::Post| PostShown {
            kind: post.kind.name(),
            author: post.author,
            date: post.date,
            text: post.text,
            quotes: post.quotes,
            is_text: post.kind.is_text(),
        });
        facts.posts = shown.filter(|post| post.is_text || options.shows_comments()).collect();
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
    /// The same, with how its characters were read.
    pub fn read_as(mut self, decoded: &Decoded<'_>) -> PageFacts {
        self.encoding = decoded.name;
        self.encoding_declared = decoded.declared;
        self.encoding_detected = decoded.detected;
        self.encoding_doubled = decoded.doubled;
        self
    }

    /// The same, with what cut the page before its text was looked for.
    pub fn cut_by(mut self, mut cuts: Vec<String>) -> PageFacts {
        cuts.append(&mut self.cuts);
        PageFacts { cuts, ..self }
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
}

fn stated(item: Item) -> Stated {
    let data = serde_json::from_str(&item.data).unwrap_or_default();
    Stated { syntax: item.syntax, types: item.types, data }
}

/// Counts characters on from where the last question ended.
struct Characters<'t> {
    text: &'t str,
    bytes: usize,
    characters: usize,
}

impl Characters<'_> {
    fn at(&mut self, bytes: usize) -> usize {
        self.characters += self.text.cut(self.bytes..bytes).chars().count();
        self.bytes = bytes;
        self.characters
    }
}
