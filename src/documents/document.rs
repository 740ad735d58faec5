//! What a document says, whatever its format.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use webmill_html::About;

use crate::builder::one_line;
use webmill_capture::words;

words! {
    /// A format of documents.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Kind {
        /// Portable Document Format, ISO 32000.
        Pdf = "pdf",
        /// Word since 2007, ECMA-376.
        Docx = "docx",
        /// Word 97 to 2003, [MS-DOC].
        Doc = "doc",
        /// OpenDocument text.
        Odt = "odt",
        /// Rich Text Format 1.9.1.
        Rtf = "rtf",
        /// PowerPoint since 2007, ECMA-376.
        Pptx = "pptx",
        /// PowerPoint 97 to 2003, [MS-PPT].
        Ppt = "ppt",
        /// OpenDocument presentation.
        Odp = "odp",
        /// Excel since 2007, ECMA-376.
        Xlsx = "xlsx",
        /// Excel 97 to 2003, [MS-XLS].
        Xls = "xls",
        /// Excel's binary workbook, [MS-XLSB].
        Xlsb = "xlsb",
        /// OpenDocument spreadsheet.
        Ods = "ods",
        /// EPUB 2 and 3.
        Epub = "epub",
        /// RSS, Atom, JSON Feed or XSPF.
        Feed = "feed",
        /// Markdown.
        Markdown = "markdown",
        /// Values between commas, semicolons or tabs.
        Csv = "csv",
        /// Plain text.
        #[default]
        Text = "text",
    }
}

impl Kind {
    /// Whether its files are characters and nothing else.
    pub fn is_characters(self) -> bool {
        matches!(self, Kind::Feed | Kind::Markdown | Kind::Csv | Kind::Text)
    }
}

words! {
    /// Where a title was found.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum TitleSource {
        /// The document's metadata.
        Metadata = "metadata",
        /// A paragraph in the style of a title, or the title of a slide.
        Style = "style",
        /// The largest type of the first page, or the line of most weight.
        Type = "type",
        /// The first heading.
        Heading = "heading",
        /// The first line.
        Line = "line",
    }
}

/// A heading of a document, with its level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 for the highest, 6 at most.
    pub level: u8,
    /// Its words.
    pub text: String,
}

/// A table of values: of a text, or a sheet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Its caption, or the name of the sheet.
    pub caption: Option<String>,
    /// Names of the columns; empty where it names none.
    pub columns: Vec<String>,
    /// Cells row by row, without the row that names the columns.
    pub rows: Vec<Vec<String>>,
}

/// A link of a document, with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it leads, as the document says it.
    pub target: String,
    /// Its words; empty where none are known.
    pub anchor: String,
}

/// What a document says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its format.
    pub kind: Kind,
    /// What it states of itself; the title is the one that a person would give it.
    pub about: About,
    /// Where the title was found.
    pub title_source: Option<TitleSource>,
    /// Pages, slides or sheets, where it has any.
    pub pages: Option<u32>,
    /// Plain text: a paragraph, heading, item or row of a table a line.
    pub text: String,
    /// The same as Markdown.
    pub markdown: String,
    /// Its headings, in order.
    pub headings: Vec<Heading>,
    /// Its tables, in order.
    pub tables: Vec<Table>,
    /// Its links, in order.
    pub links: Vec<Link>,
    /// Defects and omissions: named reasons, lower case with hyphens, each once.
    pub warnings: Vec<Cow<'static, str>>,
}

impl Document {
    /// A document that says nothing yet.
    pub fn new(kind: Kind) -> Self {
        Document { kind, ..Document::default() }
    }

    /// Adds a warning, once.
    pub fn warn(&mut self, warning: &'static str) {
        if !self.warnings.iter().any(|known| known == warning) {
            self.warnings.push(Cow::Borrowed(warning));
        }
    }

    /// Gives it a title, unless that is blank or it has one.
    pub fn give_title(&mut self, title: &str, source: TitleSource) {
        let title = one_line(title);
        if self.about.title.is_none() && !title.is_empty() {
            (self.about.title, self.title_source) = (Some(title), Some(source));
        }
    }
}

/// Why a document was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Named reason, lower case with hyphens: `encrypted`, `damaged`, `too-large`, `inflates-too-much`, `too-deep`,
    /// `too-much-work`, `no-such-part`, `too-old`.
    pub reason: Cow<'static, str>,
    /// What exactly was wrong, with the place where that is known.
    pub detail: String,
}

impl Failure {
    /// A failure for a named reason.
    pub fn new(reason: &'static str, detail: impl Into<String>) -> Self {
        Failure { reason: Cow::Borrowed(reason), detail: detail.into() }
    }
}
