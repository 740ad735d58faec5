//! All that is known of a page: an object of JSON, of which the other forms take what they show.

use serde::{Serialize, Serializer};
use webmill_html::{About, FieldValue};

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
    /// Posts of a thread that is the text, readers' comments, reviews.
    pub posts: Vec<PostShown>,
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
    /// Limits that cut it, and how much they left out of the text: `depth`, `blocks:10000`.
    pub cuts: Vec<String>,
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
    pub language: &'static str,
    pub share: f64,
}

/// Characters `start` to `end` of the text are in one language.
#[derive(Debug, Serialize)]
pub struct Stretch {
    pub language: &'static str,
    pub start: usize,
    pub end: usize,
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct Word {
    pub word: String,
    pub score: f64,
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct Table {
    pub caption: Option<String>,
    pub columns: Vec<String>,
    pub rows: Rows,
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct Stated {
    pub syntax: &'static str,
    pub types: Vec<String>,
    pub data: serde_json::Value,
}

/// Part of a page as JSON has it.
#[derive(Debug, Serialize)]
pub struct PostShown {
    /// post, answer, comment, review.
    pub kind: &'static str,
    pub author: Option<String>,
    pub date: Option<String>,
    pub text: String,
    /// What it quotes, apart from its text.
    pub quotes: Vec<String>,
    /// Whether it is of the page's text.
    #[serde(skip)]
    pub is_text: bool,
}

impl PageFacts {
    /// Comments and reviews: the posts that are not of the text.
    pub fn comments(&self) -> impl Iterator<Item = &PostShown> {
        self.posts.iter().filter(|post| !post.is_text)
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
}

/// The rows of a table: by the names of its columns, in their order, or as lists where there are none.
#[derive(Debug)]
pub struct Rows(pub Vec<String>, pub Vec<Vec<String>>);

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
