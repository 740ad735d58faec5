//! From the characters of a page to its tree.
//!
//! [`parse`] computes the document that the HTML standard's parser makes of the characters, whatever they are: every
//! string is a page. Scripting is off, so the contents of `noscript` are markup. The standard followed is that of
//! 2025, in which `select` may contain any element (the insertion modes "in select" are gone).
//!
//! The tokenizer and the tree builder are one machine without tokens in between: a tag's name becomes a byte
//! ([`Tag`](crate::html::Tag)), its attributes become spans in the document's own vector, a run of text becomes one
//! node that points into the source. Newlines are normalised beforehand, only on pages with carriage returns.
//!
//! Time is linear in the source: what the standard's algorithms do beyond that on misnested markup (walks of the
//! stack of open elements, clones of formatting elements) is counted and limited by [`Limits`]. Limits count bytes,
//! nodes and steps, never time, so that a tree depends on its page and limits alone. As in browsers, elements deeper
//! than 512 become siblings of the deepest; [`Dom::cut`] tells of every limit that was met. There is no error and
//! no recursion.
//!
//! Left out, since no reader of static pages can see it: shadow roots (a `template` with `shadowrootmode` stays a
//! template), and the copies that `selectedcontent` shows of an option.
//!
//! Reference: WHATWG HTML Standard, <https://html.spec.whatwg.org/multipage/parsing.html>.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::dom::Dom;
use super::tree::Builder;

/// What a page may cost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elements deeper than this are attached to the deepest allowed one's parent, as in browsers.
    pub max_depth: usize,
    /// Nodes of the tree; parsing ends there.
    pub max_nodes: usize,
    /// Attributes of one tag; more are passed over.
    pub max_attrs_per_tag: usize,
    /// Bytes of source; more are not read. At most 256 MiB whatever is given.
    pub max_bytes: usize,
    /// Steps of the tree builder beyond the reading itself (elements looked at on the stack, characters
    /// moved, children moved); parsing ends there. No real page needs a hundredth.
    pub max_work: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_depth: 512,
            max_nodes: 2_000_000,
            max_attrs_per_tag: 256,
            max_bytes: 64 << 20,
            max_work: 1 << 28,
        }
    }
}

/// Spans have 31 bits; the side buffer holds at most three times the source and its own copies.
const MOST_BYTES: usize = 256 << 20;

/// The tree of a page. Never fails.
///
/// # Examples
///
/// ```
/// # use webmill::html::{Limits, Tag, parse};
/// let dom = parse("<p>Fish &amp; <b>chips", &Limits::default());
/// let body = dom.body().unwrap();
/// let p = dom.first_child(body).unwrap();
/// assert_eq!(dom.tag(p), Tag::P);
/// assert_eq!(dom.text(dom.first_child(p).unwrap()), "Fish & ");
/// ```
pub fn parse<'a>(source: &'a str, limits: &Limits) -> Dom<'a> {
    let mut end = source.len().min(limits.max_bytes).min(MOST_BYTES);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let cut = end < source.len();
    let source = &source[..end];
    // One fast pass tells whether there is anything to normalise or to look out for.
    let rare = memchr2(b'\r', b'\0', source.as_bytes());
    let text = match rare.and_then(|from| memchr(b'\r', &source.as_bytes()[from..])) {
        Some(_) => Cow::Owned(unify_newlines(source)),
        None => Cow::Borrowed(source),
    };
    let has_nul = rare.is_some_and(|from| memchr(0, &source.as_bytes()[from..]).is_some());
    let mut dom = match text {
        Cow::Borrowed(text) => Builder::new(text, has_nul, limits).run(),
        Cow::Owned(text) => {
            let Dom { side, nodes, attrs, html, head, body, quirks, cuts, .. } =
                Builder::new(&text, has_nul, limits).run();
            Dom { source: Cow::Owned(text), side, nodes, attrs, html, head, body, quirks, cuts }
        }
    };
    dom.cuts.bytes = cut;
    dom
}

/// Carriage return and line feed become one line feed, a lone carriage return too.
fn unify_newlines(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut from = 0;
    while let Some(at) = memchr(b'\r', &source.as_bytes()[from..]) {
        let at = from + at;
        text.push_str(&source[from..at]);
        text.push('\n');
        from = at + 1;
        if source.as_bytes().get(from) == Some(&b'\n') {
            from += 1;
        }
    }
    text.push_str(&source[from..]);
    text
}
