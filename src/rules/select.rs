//! Selectors over the tree of a page: CSS and XPath 1.0.
//!
//! A [`Selector`] is compiled once and then asked for what it finds in the tree of a page, or in a part of it. What
//! it finds are elements and strings, in document order.
//!
//! A call does bounded work whatever selector and page are: some 50 million steps, after which it says that there
//! was more. Equal input gives equal results.
//!
//! Reference: Selectors Level 4, <https://drafts.csswg.org/selectors-4/>; XPath 1.0, <https://www.w3.org/TR/xpath-10/>.

mod css;
mod css_element;
mod css_names;
#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod tests;
mod text;
mod work;
mod xpath;

use std::fmt;

use webmill_html::{Dom, NodeId};

pub use text::text_of;

/// A compiled selector.
///
/// # Examples
/// ```
/// use webmill_html::{Limits, parse};
/// use webmill_rules::select::{Selector, SelectorResult};
///
/// let dom = parse("<ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul>", &Limits::default());
/// let links = Selector::css("li > a::attr(href)")?;
/// let (found, more) = links.select(&dom, dom.document(), 10);
/// assert_eq!(found, [SelectorResult::Text("/1".into()), SelectorResult::Text("/2".into())]);
/// assert!(!more);
/// let last = Selector::xpath("string(//li[last()])")?;
/// assert_eq!(last.select(&dom, dom.document(), 1).0, [SelectorResult::Text("Two".into())]);
/// # Ok::<(), webmill_rules::select::SelectError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Selector(Language);

#[derive(Debug, Clone)]
enum Language {
    Css(css::Css),
    XPath(xpath::XPath),
}

/// One result of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectorResult {
    /// An element; by XPath's `/` or `..` also the document.
    Node(NodeId),
    /// A string: an attribute, a text node, a comment, the result of an XPath function, markup.
    Text(String),
}

/// Why a source is no selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectError {
    reason: String,
    column: Option<usize>,
}

impl SelectError {
    /// An error at a byte of the source, where it is known.
    fn new(reason: impl Into<String>, at: Option<usize>, source: &str) -> SelectError {
        let column = at.map(|at| source.char_indices().take_while(|&(i, _)| i < at).count() + 1);
        SelectError { reason: reason.into(), column }
    }

    /// The place of the fault in the source in characters, from 1; that of the first sign that could not be read,
    /// which for CSS may be the one behind the fault.
    pub fn column(&self) -> Option<usize> {
        self.column
    }
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            Some(column) => write!(f, "{} (at column {column})", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for SelectError {}

impl Selector {
    /// A list of CSS selectors, each of which may end in the part that is taken of the elements: `::text` (each text node
    /// directly in it), `::attr(NAME)`, `::html` (inner markup), `::outer` (outer markup).
    ///
    /// As in Scrapy, `X ::text` and `X *::text` are all text within X; `::text` and `::attr(NAME)` alone are those
    /// of the scope and all in it. A selector may begin with a combinator: `> td` is `:scope > td`. Beyond the
    /// standard there are `:contains("a", "b")` and `:contains-own("a")`, which heed case.
    ///
    /// # Errors
    /// If the source is no such list.
    pub fn css(source: &str) -> Result<Selector, SelectError> {
        css::Css::new(source).map(|css| Selector(Language::Css(css)))
    }

    /// An XPath 1.0 expression of any type, without variables, namespaces and `lang()`.
    ///
    /// # Errors
    /// If the source is no such expression.
    pub fn xpath(source: &str) -> Result<Selector, SelectError> {
        xpath::XPath::new(source).map(|xpath| Selector(Language::XPath(xpath)))
    }

    /// Results within `scope` (the document or an element), in document order, each node once. At most `max`; says
    /// whether there were more, or the work allowed was done before the end.
    ///
    /// CSS matches descendants of the scope (ancestors in a selector may be outside of it); the scope itself only
    /// where the selector says `:scope` or nothing but what to take (`::text`). XPath's context node is the scope.
    pub fn select(&self, dom: &Dom<'_>, scope: NodeId, max: usize) -> (Vec<SelectorResult>, bool) {
        let mut sink = Sink { found: Vec::new(), max, more: false };
        match &self.0 {
            Language::Css(css) => css.select(dom, scope, &mut sink),
            Language::XPath(xpath) => xpath.select(dom, scope, &mut sink),
        }
        (sink.found, sink.more)
    }
}

/// Results, up to a number.
struct Sink {
    found: Vec<SelectorResult>,
    max: usize,
    more: bool,
}

impl Sink {
    fn full(&self) -> bool {
        self.more
    }

    fn cut(&mut self) {
        self.more = true;
    }

    fn node(&mut self, node: NodeId) {
        self.push(|| SelectorResult::Node(node));
    }

    fn text(&mut self, text: impl Into<String>) {
        self.push(|| SelectorResult::Text(text.into()));
    }

    fn push(&mut self, one: impl FnOnce() -> SelectorResult) {
        if self.found.len() < self.max {
            self.found.push(one());
        } else {
            self.more = true;
        }
    }
}
