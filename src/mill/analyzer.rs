//! What turns a page into rows.

use crate::{Page, PartId, Reject, Rows, TableRows};

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
