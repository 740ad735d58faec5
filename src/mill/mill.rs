//! Decoders and analyzers put together: what captures pass through.

use std::sync::Arc;

use webmill_capture::Capture;
use webmill_capture::memory::{self, TooLarge};
use webmill_capture::timing::{self, Part};
use webmill_documents::isolate::ReadDocument;
use webmill_html::sniff::{is_markup, is_signed, sniff};
use webmill_table::TableSchema;
use webmill_text::{Footprint, footprint};

use crate::decode::{Readers, Templates};
use crate::{
    Analyzer, Buffers, Decode, Documents, Html, Likeness, Links, Media, Order, Page, PageLimits, Pages,
    PartId, Posts, Records, Reject, Rows, Structured, TableRows, Texts,
};

/// Bytes by which a capture without a media type is judged before it is read whole.
const SNIFFED_BYTES: usize = 4096;

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
    readers: Readers,
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
            let details: [Box<dyn Analyzer>; 3] = [Box::new(Records), Box::new(Posts), Box::new(Structured)];
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
        Mill { readers: Readers { decoders: decoders.into(), ..self.readers }, ..self }
    }

    /// Given decoders, of which the first that accepts a body reads it, and analyzers.
    pub fn of(limits: PageLimits, decoders: Vec<Box<dyn Decode>>, analyzers: Vec<Box<dyn Analyzer>>) -> Self {
        let readers = Readers { limits, decoders: decoders.into(), templates: Arc::default() };
        Mill { readers, analyzers: analyzers.into() }
    }

    /// The same, leaving out of main texts what the templates of their hosts hold.
    pub fn with_templates(self, templates: Arc<Templates>) -> Self {
        Mill { readers: Readers { templates, ..self.readers }, ..self }
    }

    /// Decoders and analyzers as they stand in the key of a job.
    pub fn parts(&self) -> Vec<PartId> {
        let decoders = self.readers.decoders.iter().map(|decoder| decoder.id());
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

    /// The page that `capture` holds; `None` where its URL is none.
    pub fn page<'a>(&'a self, capture: &'a Capture<'a>, buffers: &'a Buffers) -> Option<Page<'a>> {
        Page::new(capture, &self.readers, buffers)
    }

    /// The rows of `capture`; `None` where its URL is none.
    ///
    /// # Errors
    /// [`TooLarge`] where its forms may take more memory than the thread [works within](webmill_capture::memory).
    pub fn mill(&self, capture: &Capture<'_>) -> Result<Option<Milled>, TooLarge> {
        let _span = timing::span(Part::Rows);
        let _large = memory::scope();
        let buffers = Buffers::default();
        let Some(page) = self.page(capture, &buffers) else { return Ok(None) };
        memory::grow(page.weight())?;
        let mut milled =
            Milled { order: Order::of(page.url(), capture), rows: Rows::default(), rejects: Vec::new() };
        for analyzer in self.analyzers.iter() {
            milled.rejects.extend(analyzer.analyze(&page, &mut milled.rows).err());
        }
        milled.rejects.extend(page.rejected().cloned());
        Ok(Some(milled))
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
        let _large = memory::scope();
        let buffers = Buffers::default();
        let page = self.page(capture, &buffers)?;
        memory::grow(page.weight()).ok()?;
        let footprint = footprint(page.dom()?);
        Some((footprint, if compared { Likeness::of(&page) } else { None }))
    }
}
