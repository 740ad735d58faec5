//! What reading a document may cost.

/// Bounds of the work on one document. They count work, never time, so that equal bytes give equal documents.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a document; a longer one is not read.
    pub max_input_bytes: usize,
    /// Pages, slides or sheets; what follows is left out, with a warning.
    pub max_pages: u32,
    /// Characters of the text; what follows is left out, with a warning.
    pub max_text_chars: usize,
    /// Bytes that all compressed parts may have together once inflated.
    pub max_inflated_bytes: usize,
    /// Most bytes that one byte of a compressed part may become, counted from the first mebibyte on.
    pub max_inflate_ratio: usize,
    /// Depth of elements, groups, objects within objects.
    pub max_depth: usize,
    /// Links; further ones are left out, with a warning.
    pub max_links: usize,
    /// Rows of all tables together; further ones are left out, with a warning.
    pub max_table_rows: usize,
    /// Operators, records, elements that are looked at: what ends a document that says much and shows nothing.
    pub max_steps: u64,
    /// Whether running heads and page numbers stand in the Markdown as comments.
    pub furniture: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_input_bytes: 64 << 20,
            max_pages: 5_000,
            max_text_chars: 10_000_000,
            max_inflated_bytes: 512 << 20,
            max_inflate_ratio: 100,
            max_depth: 32,
            max_links: 100_000,
            max_table_rows: 1_000_000,
            max_steps: 200_000_000,
            furniture: false,
        }
    }
}
