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

/// Offset and shard of the page's record: by them rows are joined to the very capture.
fn place(page: &Page<'_>) -> (i64, String) {
    let place = &page.capture().place;
    (place.offset as i64, place.shard.to_string())
}

/// Bytes of a list of texts.
fn list(texts: &[String]) -> usize {
    texts.iter().map(|text| text.len() + size_of::<String>()).sum()
}
