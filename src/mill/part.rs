//! What analyzers and decoders have in common: who they are, and how they refuse a page.

/// An analyzer or a decoder as part of a job's key: with another name, version or configuration, rows may differ.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PartId {
    /// Its name.
    pub name: String,
    /// Raised when equal pages may give other rows than before, for those who have it in a job of their own. Within webmill
    /// the job's VERSION is raised, and this one where another job asks for the part by itself (`texts`, for its bands).
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
    /// Named reason, lower case with hyphens: what is counted by.
    pub reason: String,
    /// What exactly was wrong.
    pub detail: String,
}
