//! What turns a page into rows.

use crate::{Page, Rows, TableRows};

/// An analyzer or a decoder as part of a job's key: with another name, version or configuration, rows may differ.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PartId {
    /// Name of the shard that the part is of.
    pub name: String,
    /// Raised when equal pages may give other rows than before.
    pub version: u32,
    /// What it was set to.
    pub configuration: serde_json::Value,
}

impl PartId {
    /// A part that has nothing to set.
    pub fn new(name: &str, version: u32) -> Self {
        PartId { name: name.to_owned(), version, configuration: serde_json::Value::Null }
    }
}

/// Why an analyzer or a decoder could not do with a page. The page is counted by the reason; others go on with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// Name of the reason in lower case with hyphens, by which records are counted.
    pub reason: String,
    /// What exactly was wrong.
    pub detail: String,
}

/// One analysis of a page: which tables it fills, and their rows.
pub trait Analyzer: Send + Sync {
    /// Name, version and configuration: its share of the key of a job.
    fn id(&self) -> PartId;

    /// A buffer without rows for each table it fills; columns may be known only at run time.
    fn empty(&self) -> Vec<Box<dyn TableRows>>;

    /// Adds the rows of `page`. Rows come out in the order of pages, and of one page in the order they are added.
    ///
    /// # Errors
    /// [`Reject`] where the page cannot be analysed; rows added before stay.
    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject>;
}
