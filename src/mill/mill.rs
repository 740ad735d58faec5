//! Decoders and analyzers put together: what captures pass through.

use std::collections::HashMap;
use std::sync::Arc;

use webmill_capture::Capture;
use webmill_capture::timing::{self, Part};
use webmill_documents::isolate::ReadDocument;
use webmill_html::sniff::{is_markup, is_signed, sniff};
use webmill_table::TableSchema;
use webmill_text::{Footprint, Template, footprint};

use crate::{
    Analyzer, Buffers, Comments, Decode, Documents, Html, Likeness, Links, Media, Order, Page, PageLimits,
    Pages, PartId, Records, Reject, Rows, Structured, TableRows, Texts,
};

/// Bytes by which a capture without a media type is judged before it is read whole.
const SNIFFED_BYTES: usize = 4096;

/// Templates of hosts, by host name.
pub type Templates = HashMap<String, Template>;

/// The rows of one capture.
pub struct Milled {
    /// Where they stand among those of other captures.
    pub order: Order,
    /// Rows of all tables.
    pub rows: Rows,
    /// Who could not do with it, and why.
    pub rejects: Vec<Reject>,
}

/// Turns captures into rows, within limits.
#[derive(Clone)]
pub struct Mill {
    limits: PageLimits,
    templates: Arc<Templates>,
    decoders: Arc<[Box<dyn Decode>]>,
    analyzers: Arc<[Box<dyn Analyzer>]>,
}

impl Default for Mill {
    fn default() -> Self {
        Mill::new(PageLimits::default())
    }
}

impl Mill {
    /// The decoders and analyzers that make webmill's tables, within these limits.
    pub fn new(limits: PageLimits) -> Self {
        let mut analyzers: Vec<Box<dyn Analyzer>> = vec![Box::new(Pages), Box::new(Links), Box::new(Texts)];
        if limits.details {
            let details: [Box<dyn Analyzer>; 3] =
                [Box::new(Records), Box::new(Comments), Box::new(Structured)];
            analyzers.extend(details);
        }
        if limits.media {
            analyzers.push(Box::new(Media { gps: limits.gps }));
        }
        Mill::of(limits, vec![Box::new(Html), Box::new(Documents::default())], analyzers)
    }

    /// The same, but that documents that are no HTML are read by `reader`; by none, they are not read.
    pub fn reading_by(self, reader: Option<Arc<dyn ReadDocument>>) -> Self {
        let mut decoders: Vec<Box<dyn Decode>> = vec![Box::new(Html)];
        decoders.extend(reader.map(|reader| Box::new(Documents::read_by(reader)) as Box<dyn Decode>));
        Mill { decoders: decoders.into(), ..self }
    }

    /// Given decoders, of which the first that accepts a body reads it, and analyzers.
    pub fn of(limits: PageLimits, decoders: Vec<Box<dyn Decode>>, analyzers: Vec<Box<dyn Analyzer>>) -> Self {
        Mill { limits, templates: Arc::default(), decoders: decoders.into(), analyzers: analyzers.into() }
    }

    /// The same, leaving out of main texts what the templates of their hosts hold.
    pub fn with_templates(self, templates: Arc<Templates>) -> Self {
        Mill { templates, ..self }
    }

    /// The bounds of the work on a page.
    pub fn limits(&self) -> &PageLimits {
        &self.limits
    }

    /// Its decoders, the first first.
    pub fn decoders(&self) -> &[Box<dyn Decode>] {
        &self.decoders
    }

    /// The template of a host.
    pub(crate) fn template(&self, host: &str) -> Option<&Template> {
        self.templates.get(host)
    }

    /// Decoders and analyzers as they stand in the key of a job.
    pub fn parts(&self) -> Vec<PartId> {
        let decoders = self.decoders.iter().map(|decoder| decoder.id());
        decoders.chain(self.analyzers.iter().map(|analyzer| analyzer.id())).collect()
    }

    /// The tables that its analyzers fill.
    pub fn tables(&self) -> Vec<TableSchema> {
        self.empty_rows().iter().map(|rows| rows.schema()).collect()
    }

    /// A buffer without rows for each table of its analyzers.
    pub fn empty_rows(&self) -> Vec<Box<dyn TableRows>> {
        self.analyzers.iter().flat_map(|analyzer| analyzer.empty()).collect()
    }

    /// The rows of `capture`; `None` where its URL is none.
    pub fn mill(&self, capture: &Capture<'_>) -> Option<Milled> {
        let _span = timing::span(Part::Rows);
        let buffers = Buffers::default();
        let page = Page::new(capture, self, &buffers)?;
        let mut milled =
            Milled { order: Order::of(page.url(), capture), rows: Rows::default(), rejects: Vec::new() };
        for analyzer in self.analyzers.iter() {
            milled.rejects.extend(analyzer.analyze(&page, &mut milled.rows).err());
        }
        milled.rejects.extend(page.rejected().cloned());
        Some(milled)
    }

    /// Whether a capture may be an HTML page of status 2xx, by its head and the beginning of its body.
    pub fn may_be_page(&self, capture: &Capture<'_>) -> bool {
        let response = &capture.response;
        let packed = || response.header("content-encoding").is_some();
        let start = || sniff(&response.payload(SNIFFED_BYTES).bytes).map(str::to_owned);
        matches!(response.status, None | Some(200..=299))
            && match response.media_type() {
                None if packed() => true,
                None => is_markup(None, start().as_deref()),
                Some(declared) if is_signed(&declared) => is_markup(Some(&declared), start().as_deref()),
                declared => is_markup(declared.as_deref(), Some("text/html")),
            }
    }

    /// What a capture adds to the sample of its host's pages, from which a template is learnt, and where `compared` says so
    /// what its page is compared with others by; `None` where it is no HTML page of status 2xx.
    pub fn sampled(&self, capture: &Capture<'_>, compared: bool) -> Option<(Footprint, Option<Likeness>)> {
        let buffers = Buffers::default();
        let page = Page::new(capture, self, &buffers)?;
        let footprint = footprint(page.dom()?);
        Some((footprint, if compared { Likeness::of(&page) } else { None }))
    }
}
