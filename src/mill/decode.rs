//! How a kind of body becomes a document.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use webmill_documents::TitleSource;
use webmill_html::{Link, Metadata};
use webmill_text::{MainText, Template, TextLimits, main_text, main_text_without};

use crate::{Page, PageLimits, PartId, Reject};

/// What a body says, whatever its format.
#[derive(Debug, Clone)]
pub struct Document {
    /// Main text, title, author, date, tables, posts.
    pub main: MainText,
    /// What the document states of itself; `None` for HTML, where the page knows it from its tree.
    pub metadata: Option<Metadata>,
    /// Its links; empty for HTML, likewise.
    pub links: Vec<Link>,
    /// What was found out about a document that is no HTML.
    pub found: Option<DocumentFacts>,
}

/// What was found out about a document that is no HTML.
#[derive(Debug, Clone, Default)]
pub struct DocumentFacts {
    /// Where its title was found.
    pub title_source: Option<TitleSource>,
    /// Pages, slides or sheets, where it has any.
    pub pages: Option<u32>,
    /// Defects and omissions.
    pub warnings: Vec<Cow<'static, str>>,
}

/// A reader of one kind of body: HTML, and whatever else has text.
pub trait Decode: Send + Sync {
    /// Name, version and configuration: its share of the key of a job.
    fn id(&self) -> PartId;

    /// Whether it reads bodies as the page's, by what was declared of it and what its bytes look like.
    fn accepts(&self, page: &Page<'_>) -> bool;

    /// The document that the page's body is.
    ///
    /// # Errors
    /// [`Reject`] where the body is none of its kind, or cannot be read within the limits.
    fn document(&self, page: &Page<'_>) -> Result<Document, Reject>;
}

/// Templates of hosts, by host name.
pub type Templates = HashMap<String, Template>;

/// How pages are read.
#[derive(Clone)]
pub(crate) struct Readers {
    /// Bounds of the work on a page.
    pub limits: PageLimits,
    /// The first that accepts a body reads it.
    pub decoders: Arc<[Box<dyn Decode>]>,
    /// What main texts are without.
    pub templates: Arc<Templates>,
}

/// Reads HTML and XHTML.
#[derive(Debug, Clone, Copy, Default)]
pub struct Html;

impl Decode for Html {
    fn id(&self) -> PartId {
        PartId::new("html", 2)
    }

    fn accepts(&self, page: &Page<'_>) -> bool {
        page.is_html()
    }

    fn document(&self, page: &Page<'_>) -> Result<Document, Reject> {
        let (Some(dom), Some(metadata)) = (page.dom(), page.metadata()) else {
            return Err(Reject { reason: "not-html".into(), detail: "the page has no tree".into() });
        };
        let limits = TextLimits { details: page.limits().details, ..TextLimits::default() };
        let main = match page.template() {
            Some(template) => main_text_without(dom, metadata, &limits, template),
            None => main_text(dom, metadata, &limits),
        };
        Ok(Document { main, metadata: None, links: Vec::new(), found: None })
    }
}
