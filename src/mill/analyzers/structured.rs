//! `structured`: JSON-LD, microdata, RDFa Lite, OpenGraph.

use webmill_capture::domain::registrable;
use webmill_table::{Bytes16, table};

use super::{list, place};
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

table! {
    /// One row per item of structured data of a page: JSON-LD, microdata, RDFa Lite, OpenGraph.
    StructuredRow = "structured" {
        url: String = "canonical URL of the page", "http://shop.example.com/kettles/k200";
        url_key: Bytes16 = "key of the page in table pages", "9f…";
        host: String = "host name of the page, as pages.url_host_name", "news.pku.edu.cn";
        domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "pku.edu.cn";
        is_current: bool = "whether the row is of the current capture of its URL, as pages.is_current: joined by it and the URL, no page comes twice", "true";
        position: u32 = "ordinal of the item on its page, from 0", "0";
        syntax: &'static str = "how it is written: json-ld, microdata, rdfa, opengraph", "json-ld";
        types: Vec<String> = "its types without their vocabulary, of a graph those of its members; of OpenGraph og:type", "['Product']";
        data: String = "the item as JSON; microdata and RDFa in the form of the HTML standard (type, id, properties)", "{\"@type\":\"Product\",\"name\":\"K 200\"}";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
    }
}

impl Weigh for StructuredRow {
    fn weight(&self) -> usize {
        size_of::<Self>() + 190 + self.data.len() + list(&self.types)
    }
}

/// Fills table `structured`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Structured;

impl Analyzer for Structured {
    fn id(&self) -> PartId {
        PartId::new("structured", 3)
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<StructuredRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        for (item, position) in page.items().iter().zip(0..) {
            let (warc_record_offset, warc_filename) = place(page);
            out.push(StructuredRow {
                url: page.url().as_str().to_owned(),
                url_key: Bytes16(page.url().key().0),
                host: page.url().host().to_owned(),
                domain: registrable(page.url().host()).to_owned(),
                is_current: false,
                position,
                syntax: item.syntax,
                types: item.types.clone(),
                data: item.data.clone(),
                warc_record_offset,
                warc_filename,
            });
        }
        Ok(())
    }
}
