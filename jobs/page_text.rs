//! The main text of single pages in memory, with what they state of themselves: `webmill text` and the Python package's `extract`.
//!
//! [`PageReader`] is made from [`TextOptions`], which is plain data; whoever has a page hands over its bytes. HTML, feeds,
//! sitemaps, documents and plain texts are told apart by content and name (`kind`), read into [`PageFacts`] and written as
//! text, Markdown, JSON, XML, TEI, HTML or CSV. Walking folders, names of files and exit codes are the command's.

mod facts;
mod feeds;
mod front_matter;
mod kind;
mod language;
mod reader;
mod source;
mod written;
mod xml;

use anyhow::{Result, bail};
use serde::Deserialize;
use webmill_text::Focus;

pub use facts::{PageFacts, shown_name};
pub use kind::{FileKind, PageBytes, PageFile, PageKind, Refusal, stem};
pub use language::code as language_code;
pub use reader::{FileTexts, PageReader, WrittenText};
pub use written::csv_head;
pub use xml::{CORPUS, DECLARATION, tei_corpus};

/// Form in which a text is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextForm {
    /// Plain text, a paragraph per line.
    #[default]
    Text,
    /// Markdown.
    #[serde(alias = "markdown")]
    Md,
    /// One object per line.
    Json,
    /// An element `doc` per page, with `main` and `comments`.
    Xml,
    /// A document of TEI P5.
    #[serde(alias = "xmltei")]
    Tei,
    /// A document of HTML.
    Html,
    /// A row of CSV per page, below a row of names.
    Csv,
}

/// What languages are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum LanguageCodes {
    /// By ISO 639-3, three letters.
    #[default]
    #[serde(rename = "639-3")]
    Three,
    /// By ISO 639-1, two letters; languages without such a code keep the three.
    #[serde(rename = "639-1")]
    Two,
}

/// How pages are read and written; in JSON the fields have the same names, and each may be left out.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextOptions {
    /// What the pages are.
    pub input: PageKind,
    /// Form of a text.
    pub format: TextForm,
    /// Whether precision or recall counts more.
    pub focus: Focus,
    /// With [`TextForm::Json`]: a field `markdown` with the text as Markdown.
    pub with_markdown: bool,
    /// Whether the text begins with the title; Markdown does always.
    pub with_title: bool,
    /// With [`TextForm::Md`]: the metadata of the page before its text, as YAML.
    pub front_matter: bool,
    /// Whether readers' comments and reviews are written; by default in JSON, XML, TEI and CSV only.
    pub comments: Option<bool>,
    /// Whether data tables are part of the text.
    pub tables: bool,
    /// Whether targets of links are written, in forms that have them.
    pub links: bool,
    /// Whether images are shown, in forms that have them.
    pub images: bool,
    /// Codes of the languages of which texts are wanted (ISO 639-1 or 639-3, or `und`); empty for all.
    pub languages: Vec<String>,
    /// The names of languages in the output.
    pub lang_codes: LanguageCodes,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            input: PageKind::Auto,
            format: TextForm::Text,
            focus: Focus::Balanced,
            with_markdown: false,
            with_title: false,
            front_matter: false,
            comments: None,
            tables: true,
            links: true,
            images: true,
            languages: Vec::new(),
            lang_codes: LanguageCodes::Three,
        }
    }
}

impl TextOptions {
    fn shows_comments(&self) -> bool {
        let forms = [TextForm::Json, TextForm::Xml, TextForm::Tei, TextForm::Csv];
        self.comments.unwrap_or(forms.contains(&self.format))
    }

    /// Whether the text is worked out as Markdown too.
    fn shows_markdown(&self) -> bool {
        matches!(self.format, TextForm::Md | TextForm::Html) || self.with_markdown
    }

    /// The same with languages as three letters.
    ///
    /// # Errors
    /// For options that do not go together, and for codes of no language.
    fn checked(mut self) -> Result<Self> {
        if self.with_markdown && self.format != TextForm::Json {
            bail!("--with-markdown is a field of --format json");
        }
        if self.front_matter && self.format != TextForm::Md {
            bail!("--front-matter comes before Markdown: --format md");
        }
        for language in &mut self.languages {
            match language_code(language) {
                Ok(code) => *language = code,
                Err(why) => bail!("--language {language}: {why}"),
            }
        }
        Ok(self)
    }
}
