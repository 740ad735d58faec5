//! Selectors over the tree of a page.

use webmill_html::{Dom, NodeId};

/// A compiled selector.
#[derive(Debug, Clone)]
pub struct Selector {}

/// One result of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    /// An element.
    Node(NodeId),
    /// A string: an attribute, a text node, the result of an XPath function, `::html`.
    Text(String),
}

/// Why a selector is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectError {
    reason: String,
    /// Characters before the fault, from 1.
    column: Option<usize>,
}

impl std::fmt::Display for SelectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.column {
            Some(column) => write!(f, "{} (column {column})", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for SelectError {}

impl Selector {
    /// CSS, with `::text`, `::attr(NAME)`, `::html` or `::outer` at the end.
    ///
    /// # Errors
    /// If the source is no selector.
    pub fn css(source: &str) -> Result<Selector, SelectError> {
        Err(SelectError { reason: format!("not yet read: {source}"), column: None })
    }

    /// XPath 1.0.
    ///
    /// # Errors
    /// If the source is no expression.
    pub fn xpath(source: &str) -> Result<Selector, SelectError> {
        Err(SelectError { reason: format!("not yet read: {source}"), column: None })
    }

    /// Results within `scope` (the document node or an element), in document order, each node once. At most `max`;
    /// says whether there were more.
    pub fn select(&self, dom: &Dom<'_>, scope: NodeId, max: usize) -> (Vec<Selected>, bool) {
        let _ = (dom, scope, max);
        (Vec::new(), false)
    }
}

/// The text of a node as a reader of a table wants it.
pub fn text_of(dom: &Dom<'_>, node: NodeId) -> String {
    let mut text = String::new();
    dom.text_content(node, &mut text);
    text
}
