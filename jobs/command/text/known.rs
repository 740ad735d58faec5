//! All that is known of a page, as it is written.

use std::path::Path;

use serde::{Serialize, Serializer};
use webmill_capture::CanonicalUrl;
use webmill_html::{Item, Limits, base_of, decode, items, metadata, parse};
use webmill_text::{TextLimits, keywords, languages, main_text};

use super::Form;
use super::read::Bytes;

/// Keywords of a page.
const KEYWORDS: usize = 10;

/// A page as an object of JSON. Every field stands in every object; what the page does not say is null or empty.
#[derive(Debug, Default, Serialize)]
pub struct Known {
    /// Name of the file, or its stem.
    id: String,
    /// The file as it was found; `-` for stdin.
    file: String,
    /// Address: as given, else as the page states it.
    url: Option<String>,
    /// Main text, a paragraph a line.
    text: String,
    title: Option<String>,
    author: Option<String>,
    /// Publication, ISO 8601, with time and zone where the page states them.
    date: Option<String>,
    /// Both readings of a date such as 03/04/2024, month first and day first, where nothing tells the order.
    date_ambiguous: Option<[String; 2]>,
    modified: Option<String>,
    site_name: Option<String>,
    description: Option<String>,
    categories: Vec<String>,
    tags: Vec<String>,
    keywords_declared: Vec<String>,
    licence: Option<String>,
    image: Option<String>,
    /// Of most of the text, ISO 639-3, and how sure that is.
    language: Option<&'static str>,
    language_confidence: Option<f64>,
    /// As the page declares it, BCP 47.
    language_declared: Option<String>,
    /// Shares of the text by language.
    languages: Vec<Share>,
    /// Languages of stretches of the text, in order.
    paragraphs: Vec<Stretch>,
    page_type: &'static str,
    /// Expected F1 of the text.
    confidence: f32,
    keywords: Vec<Word>,
    tables: Vec<Table>,
    comments: Vec<Remark>,
    /// Types of schema.org that the page gives itself.
    types: Vec<String>,
    /// Its structured data, as it states them.
    structured: Vec<Stated>,
    /// Encoding that it was read by, that it declares, and that its bytes look like.
    encoding: &'static str,
    encoding_declared: Option<&'static str>,
    encoding_detected: Option<&'static str>,
    /// Limits that cut it.
    cuts: Vec<&'static str>,
    #[serde(skip)]
    markdown: String,
}

#[derive(Debug, Serialize)]
struct Share {
    language: &'static str,
    share: f64,
}

/// Characters `start` to `end` of the text are in one language.
#[derive(Debug, Serialize)]
struct Stretch {
    language: &'static str,
    start: usize,
    end: usize,
}

#[derive(Debug, Serialize)]
struct Word {
    word: String,
    score: f64,
}

#[derive(Debug, Serialize)]
struct Table {
    caption: Option<String>,
    columns: Vec<String>,
    rows: Rows,
}

#[derive(Debug, Serialize)]
struct Stated {
    syntax: &'static str,
    types: Vec<String>,
    data: serde_json::Value,
}

#[derive(Debug, Serialize)]
struct Remark {
    author: Option<String>,
    date: Option<String>,
    text: String,
}

fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

impl Known {
    /// Reads a page; what `form` does not show is not worked out.
    pub fn of(id: String, file: &Path, page: &Bytes, url: Option<&CanonicalUrl>, form: Form) -> Known {
        let tld = url.and_then(|url| url.host().rsplit('.').next()).map(str::as_bytes);
        let decoded = decode(&page.bytes, None, tld);
        let dom = parse(&decoded.text, &Limits::default());
        let base = base_of(&dom, url);
        let meta = metadata(&dom, base.as_ref(), &[]);
        let limits =
            TextLimits { markdown: form == Form::Md, details: form == Form::Json, ..TextLimits::default() };
        let main = main_text(&dom, &meta, &limits);
        if form != Form::Json {
            return Known { text: main.text, markdown: main.markdown, ..Known::default() };
        }
        let spoken = languages(&main.text, &main.code);
        let mut characters = Characters { text: &main.text, bytes: 0, characters: 0 };
        let paragraphs = spoken.runs.iter().map(|run| Stretch {
            language: run.iso639_3,
            start: characters.at(run.range.start),
            end: characters.at(run.range.end),
        });
        let tables = main.tables.into_iter().map(|table| Table {
            rows: Rows(table.columns.clone(), table.rows),
            caption: table.caption,
            columns: table.columns,
        });
        let mut cuts: Vec<&str> = dom.cut().names().collect();
        if page.cut && !cuts.contains(&"bytes") {
            cuts.push("bytes");
        }
        let text = |url: &CanonicalUrl| url.as_str().to_owned();
        Known {
            id,
            file: file.to_string_lossy().into_owned(),
            url: url.or(meta.canonical.as_ref()).map(text),
            title: main.title,
            author: main.author,
            date: main.date,
            date_ambiguous: main.ambiguous_date,
            site_name: meta.site_name,
            description: meta.description,
            categories: meta.categories,
            tags: meta.tags,
            keywords_declared: meta.keywords,
            licence: meta.licence,
            modified: meta.modified,
            image: meta.image.as_ref().map(text),
            language: spoken.main().map(|found| found.iso639_3),
            language_confidence: spoken.main().map(|found| rounded(found.confidence)),
            language_declared: meta.lang,
            languages: spoken
                .shares
                .iter()
                .map(|&(language, n)| Share { language, share: rounded(n) })
                .collect(),
            paragraphs: paragraphs.collect(),
            page_type: main.page_type.name(),
            confidence: main.confidence,
            keywords: keywords(&main.text, KEYWORDS)
                .into_iter()
                .map(|found| Word { word: found.word, score: rounded(found.score) })
                .collect(),
            tables: tables.collect(),
            comments: main
                .comments
                .into_iter()
                .map(|said| Remark { author: said.author, date: said.date, text: said.text })
                .collect(),
            types: meta.structured.types,
            structured: items(&dom, base.as_ref()).into_iter().map(stated).collect(),
            encoding: decoded.name,
            encoding_declared: decoded.declared,
            encoding_detected: decoded.detected,
            cuts,
            text: main.text,
            markdown: String::new(),
        }
    }

    /// The page in an output form, ended by a newline; nothing for a page without text.
    pub fn written(mut self, form: Form) -> String {
        let mut out = match form {
            Form::Json => serde_json::to_string(&self).unwrap_or_default(),
            Form::Text => std::mem::take(&mut self.text),
            Form::Md => std::mem::take(&mut self.markdown),
        };
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }
}

fn stated(item: Item) -> Stated {
    let data = serde_json::from_str(&item.data).unwrap_or_default();
    Stated { syntax: item.syntax, types: item.types, data }
}

/// The rows of a table: by the names of its columns, in their order, or as lists where there are none.
#[derive(Debug)]
struct Rows(Vec<String>, Vec<Vec<String>>);

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
