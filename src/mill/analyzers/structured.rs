//! `structured`: JSON-LD, microdata, RDFa Lite, OpenGraph.

use super::{list, page_row, page_table};
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

page_table! {
    /// One row per item of structured data of a page: JSON-LD, microdata, RDFa Lite, OpenGraph.
    StructuredRow = "structured" of "http://shop.example.com/kettles/k200" {
        position: u32 = "ordinal of the item on its page, from 0", "0";
        syntax: &'static str = "how it is written: json-ld, microdata, rdfa, opengraph", "json-ld";
        types: Vec<String> = "its types without their vocabulary, of a graph those of its members; of OpenGraph og:type", "['Product']";
        data: String = "the item as JSON; microdata and RDFa in the form of the HTML standard (type, id, properties)", "{\"@type\":\"Product\",\"name\":\"K 200\"}";
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
            out.push(page_row!(StructuredRow of page {
                position,
                syntax: item.syntax,
                types: item.types.clone(),
                data: item.data.clone(),
            }));
        }
        Ok(())
    }
}
