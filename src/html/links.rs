//! The links of a page, with their words.
//!
//! **Definition.** A link is a reference that a reader or a crawler can follow to another http(s) page: `a`, `area`,
//! `frame`, `iframe`, forms sent by GET, `<meta http-equiv=refresh>`, and `<link>` elements that name pages (canonical,
//! alternate, next, …; style sheets, icons and hints for browsers are counted only). Images are links on request, and so
//! is what most readers never see ([`LinkLimits::hidden`]): `object`, `embed`, `formaction`, the contents of `template`,
//! and the documents that stand inside the page, in `noframes` and `srcdoc`; and what its scripts name (see `links::script`,
//! [`LinkLimits::scripts`]). Each
//! is resolved against `<base href>`, else the page's URL, and carries its *anchor* (its text with white space
//! collapsed; the `alt` of its images where it has no text) and the text that is around it on the page.
//!
//! **Algorithm.** One walk over the tree in document order writes the page's text into one buffer and notes where
//! anchors begin and end; afterwards anchors and surroundings are cut out of it. The contents of `script`, `style`,
//! `template` and the head are no text; blocks and line breaks are spaces. Documents inside the page are parsed by
//! themselves, [`MAX_NESTED`] levels deep, and their links come after the page's own; those of scripts, each target once,
//! after those of their document.
//!
//! **Cost.** Linear in the tree, whatever is nested in what: 40 bytes a reference until it is resolved, one at a time
//! ([`each_link`]). Links, and the bytes of their targets, which a long `<base>` could multiply, are limited; what is
//! beyond is counted.
//!
//! **Reference.** HTML standard, 4.2.3 (base), 4.6 (links), 4.2.5.3 (refresh).

mod collector;
mod refresh;
mod resolver;
mod script;

use std::sync::Arc;

use encoding_rs::Encoding;

use super::dom::Dom;
use webmill_capture::CanonicalUrl;
use webmill_capture::words;

pub use refresh::refresh_url;
pub use resolver::each_link;

/// Levels of documents inside the page that are looked into.
pub const MAX_NESTED: u8 = 2;

words! {
    /// What kind of element or message a link is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    // Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
    pub enum LinkKind {
        /// `<a href>`.
        A = "a",
        /// `<area href>`.
        Area = "area",
        /// `<frame src>`.
        Frame = "frame",
        /// `<iframe src>`.
        Iframe = "iframe",
        /// `<link href>` that names a page.
        Link = "link",
        /// `<form action>` sent by GET.
        Form = "form",
        /// `<meta http-equiv=refresh>`.
        MetaRefresh = "meta-refresh",
        /// `<link rel=canonical>`.
        Canonical = "canonical",
        /// `<link rel=alternate hreflang>`.
        Hreflang = "hreflang",
        /// `<img src>`.
        Img = "img",
        /// The `Location` or `Refresh` of the HTTP header: made by whoever has the message.
        HttpRedirect = "http-redirect",
        /// `<object data>`.
        Object = "object",
        /// `<embed src>`.
        Embed = "embed",
        /// A link of a document that is no HTML: PDF, Office, a feed. Made by whoever reads it.
        Document = "document",
        /// A literal of a script that names a page.
        Script = "script",
    }
}

impl LinkKind {
    /// What a `<link>` or a `Link:` header with this `rel` is; `None` for style sheets, icons and hints for browsers.
    pub fn of_rel(rel: &str, hreflang: bool) -> Option<LinkKind> {
        /// Relations to things that are no pages.
        const RESOURCES: &str = "stylesheet icon preload modulepreload prefetch prerender dns-prefetch preconnect manifest \
        pingback search edituri wlwmanifest apple-touch-icon apple-touch-icon-precomposed \
        apple-touch-startup-image mask-icon";
        let has = |word: &str| rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word));
        if has("canonical") {
            Some(LinkKind::Canonical)
        } else if rel.is_empty() || RESOURCES.split(' ').any(has) {
            None
        } else if has("alternate") && hreflang {
            Some(LinkKind::Hreflang)
        } else {
            Some(LinkKind::Link)
        }
    }
}

/// A reference of a page to another URL.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// Where it leads: http or https.
    pub target: CanonicalUrl,
    /// Its words, white space collapsed; empty for kinds without.
    pub anchor: Arc<str>,
    /// Text of the page before the anchor, at most [`LinkLimits::context_bytes`], whole characters.
    pub before: Arc<str>,
    /// Text of the page after the anchor, likewise.
    pub after: Arc<str>,
    /// Text of the last heading before the link (`h1` to `h6`, `dt`), at most [`LinkLimits::heading_bytes`], whole characters.
    pub heading: Arc<str>,
    /// Lower-case tokens of `rel`, one space between, at most 256 bytes.
    pub rel: Option<String>,
    /// What element it is.
    pub kind: LinkKind,
    /// Ordinal among the links of the page in document order, from 0.
    pub position: u32,
    /// Whether `rel` says `nofollow`, `ugc` or `sponsored`. Robots meta of the page is not in it.
    pub nofollow: bool,
}

impl Link {
    /// A link of which no more is known than where it leads and what made it.
    pub fn new(target: CanonicalUrl, kind: LinkKind) -> Self {
        Link::sharing(target, kind, &"".into())
    }

    /// The same, with this text as all of its texts.
    fn sharing(target: CanonicalUrl, kind: LinkKind, text: &Arc<str>) -> Self {
        Link {
            target,
            anchor: Arc::clone(text),
            before: Arc::clone(text),
            after: Arc::clone(text),
            heading: Arc::clone(text),
            rel: None,
            kind,
            position: 0,
            nofollow: false,
        }
    }
}

/// What a page's links may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkLimits {
    /// Links kept.
    pub max_links: usize,
    /// Bytes of all targets together.
    pub max_target_bytes: usize,
    /// Most bytes of an anchor text; longer ones are cut.
    pub max_anchor_bytes: usize,
    /// Bytes of text before and after an anchor.
    pub context_bytes: usize,
    /// Bytes of the heading that a link stands under.
    pub heading_bytes: usize,
    /// Whether images are links.
    pub images: bool,
    /// Whether what most readers never see gives links too: `object`, `embed`, `formaction`, the contents of `template`,
    /// `noframes` and `srcdoc`.
    pub hidden: bool,
    /// Whether what scripts of the page name gives links too, of kind [`LinkKind::Script`].
    pub scripts: bool,
}

impl Default for LinkLimits {
    fn default() -> Self {
        LinkLimits {
            max_links: 4_000_000,
            max_target_bytes: 256 << 20,
            max_anchor_bytes: 1024,
            context_bytes: 50,
            heading_bytes: 100,
            images: false,
            hidden: false,
            scripts: false,
        }
    }
}

/// References that became no link, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// To a place on the same page (`#top`), or empty.
    pub fragment: u32,
    /// `javascript:`.
    pub script: u32,
    /// `mailto:`.
    pub mail: u32,
    /// References with the scheme `data:`.
    pub data: u32,
    /// Other schemes than http(s): `tel:`, `ftp:`, `about:`, …
    pub scheme: u32,
    /// No URL by any reading.
    pub invalid: u32,
    /// `<link>` to a style sheet, an icon, a hint for browsers.
    pub resource: u32,
    /// Forms that are not sent by GET.
    pub post: u32,
    /// Documents inside documents inside the page, deeper than [`MAX_NESTED`].
    pub nested: u32,
    /// Beyond a limit.
    pub limit: u32,
}

/// The links of a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Links {
    /// In document order; those of documents inside the page after the page's own.
    pub links: Vec<Link>,
    /// What references were resolved against.
    pub base: CanonicalUrl,
    /// What was passed over.
    pub skipped: Skipped,
    /// Number of images with a source, whether they are among the links or not.
    pub images: u32,
}

/// The links of the page at `url`, whose bytes were in `encoding` (browsers send the query of a link in it).
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_html::{Limits, LinkLimits, links, parse};
/// let dom = parse("<p>See <a href='b.html' rel=nofollow>the  <i>book</i></a>, now.", &Limits::default());
/// let url = CanonicalUrl::parse("http://example.com/a").unwrap();
/// let found = links(&dom, &url, encoding_rs::UTF_8, &LinkLimits::default());
/// let link = &found.links[0];
/// assert_eq!(link.target.as_str(), "http://example.com/b.html");
/// assert_eq!((&*link.before, &*link.anchor, &*link.after), ("See", "the book", ", now."));
/// assert!(link.nofollow);
/// ```
pub fn links(dom: &Dom, url: &CanonicalUrl, encoding: &'static Encoding, limits: &LinkLimits) -> Links {
    let mut links = Vec::new();
    let (base, skipped, images) = each_link(dom, url, encoding, limits, &mut |link| links.push(link));
    Links { links, base, skipped, images }
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
