//! Documents that are no HTML, as pages have them.
//!
//! **What.** A body whose bytes are a document of one of [`webmill_documents`]'s kinds is read by whoever the mill was given
//! for it; its text, tables, title, author, dates and links stand where those of an HTML page do. Texts without a signature
//! (plain text, Markdown, tables of values, feeds) are read here from the page's characters, all others as bytes.
//!
//! **Bad input.** What cannot be read is a [`Reject`] whose reason is `document-` and that of the
//! [`Failure`](webmill_documents::Failure).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use webmill_capture::timing::{self, Part};
use webmill_documents::isolate::{InProcess, ReadDocument};
use webmill_documents::{Failure, Kind, read_characters};
use webmill_html::{Link, LinkKind, Metadata};
use webmill_text::{DataTable, MainText, PageType};

use crate::{Decode, Document, DocumentFacts, Page, PartId, Reject};

/// How sure the text of a document is.
const SURE: f32 = 1.0;

/// How sure the text of a document is that has warnings.
const DOUBTFUL: f32 = 0.8;

/// Reads PDF, Office files, RTF, OpenDocument, EPUB, feeds, tables of values, Markdown and plain text.
#[derive(Clone)]
pub struct Documents {
    reader: Arc<dyn ReadDocument>,
}

impl Default for Documents {
    fn default() -> Self {
        Documents { reader: Arc::new(InProcess) }
    }
}

impl Documents {
    /// Has documents read by `reader`.
    pub fn read_by(reader: Arc<dyn ReadDocument>) -> Self {
        Documents { reader }
    }

    /// What the body of a page says.
    fn read(&self, page: &Page<'_>, kind: Kind) -> Result<webmill_documents::Document, Failure> {
        let limits = &page.limits().documents;
        let _span = timing::span(Part::Documents);
        match page.characters() {
            Some(characters) => {
                let read = || read_characters(characters.text, kind, Some(page.url()), limits);
                catch_unwind(AssertUnwindSafe(read))
                    .map_err(|_| Failure::new("crashed", format!("the reader of {} panicked", kind.name())))
            }
            None => self.reader.read(page.body().bytes, kind, limits),
        }
    }
}

impl Decode for Documents {
    fn id(&self) -> PartId {
        PartId::new("documents", webmill_documents::VERSION)
    }

    fn accepts(&self, page: &Page<'_>) -> bool {
        page.kind().is_some()
    }

    fn document(&self, page: &Page<'_>) -> Result<Document, Reject> {
        let Some(kind) = page.kind() else {
            return Err(Reject { reason: "no-document".into(), detail: "the body is of no kind".into() });
        };
        let reject = |failure: Failure| Reject {
            reason: format!("document-{}", failure.reason),
            detail: format!("{}: {}", kind.name(), failure.detail),
        };
        let mut document = self.read(page, kind).map_err(reject)?;
        if page.body().truncated.is_some() {
            document.warn("body-cut");
        }
        Ok(as_page(page, document))
    }
}

/// A document in the place of a page's main text, metadata and links.
fn as_page(page: &Page<'_>, mut document: webmill_documents::Document) -> Document {
    let mut metadata = Metadata::default();
    let asked =
        page.capture().response.headers().filter(|(name, _)| name.eq_ignore_ascii_case(b"x-robots-tag"));
    asked.for_each(|(_, value)| metadata.robots.add_header(value));
    let links = std::mem::take(&mut document.links).into_iter().filter_map(|link| {
        let target = page.url().join(&link.target).filter(|target| target.is_web())?;
        let mut found = Link::new(target, LinkKind::Document);
        found.anchor = link.anchor.into();
        Some(found)
    });
    let mut links: Vec<Link> = links.take(page.limits().max_links).collect();
    (0..).zip(&mut links).for_each(|(position, link)| link.position = position);
    let found = DocumentFacts {
        title_source: document.title_source,
        pages: document.pages,
        warnings: std::mem::take(&mut document.warnings),
    };
    let mut main = document_text(document);
    if !found.warnings.is_empty() {
        main.confidence = DOUBTFUL;
    }
    if !page.limits().details {
        main.tables.clear();
    }
    metadata.about.clone_from(&main.about);
    Document { main, metadata: Some(metadata), links, found: Some(found) }
}

/// What a document says, as main text.
pub fn document_text(document: webmill_documents::Document) -> MainText {
    let mut main = MainText::default();
    main.text = document.text.trim_end().to_owned();
    main.markdown = document.markdown.trim_end().to_owned();
    main.about = document.about;
    main.about.language_declared.iter_mut().for_each(|language| language.make_ascii_lowercase());
    main.page_type = PageType::Document;
    main.confidence = if document.warnings.is_empty() { SURE } else { DOUBTFUL };
    main.tables = document.tables.into_iter().map(data_table).collect();
    main
}

fn data_table(table: webmill_documents::Table) -> DataTable {
    let mut data = DataTable::default();
    (data.caption, data.columns, data.rows) = (table.caption, table.columns, table.rows);
    data
}
