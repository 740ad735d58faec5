//! The analyzers that make webmill's own tables, a file each.

mod document_words;
mod links;
mod media;
mod pages;
mod posts;
mod records;
mod structured;
mod texts;

pub use document_words::{DocumentKind, DocumentTitle};
pub use links::{LinkElement, LinkRow, Links};
pub use media::{Media, MediaRow, MediaSource, MediaType};
pub use pages::{Cut, DOCUMENTS, PageKind, PageRow, Pages, WarcType};
pub use posts::{PostRow, Posts};
pub use records::{RecordRow, Records};
pub use structured::{Structured, StructuredRow};
pub use texts::{TextRow, Texts};

use crate::Page;

/// Gives rows of a table the fields of [`About`](webmill_html::About) that are columns of it.
macro_rules! stated {
    ($row:ident $($field:ident: $ty:ty = $description:literal, $example:literal;)+) => {
        impl $row {
            fn state(&mut self, about: &webmill_html::About) {
                $(self.$field.clone_from(&about.$field);)+
            }
        }
    };
}
use stated;

/// A table of what pages hold: its columns, behind those that say which page and before those that say where it is stored.
macro_rules! page_table {
    ($(#[doc = $about:literal])+ $row:ident = $name:literal of $url:literal { $($columns:tt)+ }) => {
        webmill_table::table! {
            $(#[doc = $about])+
            $row = $name {
                url: String = "canonical URL of the page", $url;
                url_key: webmill_table::Bytes16 = "key of the page in table pages", "9f…";
                host: String = "host name of the page, as pages.url_host_name", "news.pku.edu.cn";
                domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "pku.edu.cn";
                is_current: bool = "whether the row is of the current capture of its URL, as pages.is_current: joined by it and the URL, no page comes twice", "true";
                $($columns)+
                warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
                warc_filename: String = "shard of the page's record", "crawl-00001.raw";
            }
        }
    };
}
use page_table;

/// A row of such a table.
macro_rules! page_row {
    ($row:ident of $page:ident { $($fields:tt)+ }) => {{
        let (warc_record_offset, warc_filename) = $crate::analyzers::place($page);
        let url = $page.url();
        $row {
            url: url.as_str().to_owned(),
            url_key: webmill_table::Bytes16(url.key().0),
            host: url.host().to_owned(),
            domain: webmill_capture::domain::registrable(url.host()).to_owned(),
            is_current: false,
            warc_record_offset,
            warc_filename,
            $($fields)+
        }
    }};
}
use page_row;

/// Offset and shard of the page's record: by them rows are joined to the very capture.
fn place(page: &Page<'_>) -> (i64, String) {
    let place = &page.capture().place;
    (place.offset as i64, place.shard.to_string())
}

/// Bytes of a list of texts.
fn list(texts: &[String]) -> usize {
    texts.iter().map(|text| text.len() + size_of::<String>()).sum()
}
