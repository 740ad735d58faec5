//! The links of a page, with their words.
//!
//! **Definition.** A link is a reference that a reader or a crawler can follow to another http(s) page: `a`, `area`,
//! `frame`, `iframe`, forms sent by GET, `<meta http-equiv=refresh>`, and `<link>` elements that name pages (canonical,
//! alternate, next, …; style sheets, icons and hints for browsers are counted only). Images are links on request. Each
//! is resolved against `<base href>`, else the page's URL, and carries its *anchor* (its text with white space
//! collapsed; the `alt` of its images where it has no text) and the text that is around it on the page.
//!
//! **Algorithm.** One walk over the tree in document order writes the page's text into one buffer and notes where
//! anchors begin and end; afterwards anchors and surroundings are cut out of it. The contents of `script`, `style`,
//! `template` and the head are no text; blocks and line breaks are spaces.
//!
//! **Cost.** Linear in the tree, whatever is nested in what. Links, and the bytes of their targets, which a long
//! `<base>` could multiply, are limited; what is beyond is counted.
//!
//! **Reference.** HTML standard, 4.2.3 (base), 4.6 (links), 4.2.5.3 (refresh).

use encoding_rs::Encoding;

use super::dom::{Dom, Edge, NodeId};
use super::tag::Tag;
use super::text_buffer::{TextBuffer, collapse, is_block, is_no_text};
use webmill_capture::CanonicalUrl;

/// What kind of element or message a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
// Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
pub enum LinkKind {
    /// `<a href>`.
    A,
    /// `<area href>`.
    Area,
    /// `<frame src>`.
    Frame,
    /// `<iframe src>`.
    Iframe,
    /// `<link href>` that names a page.
    Link,
    /// `<form action>` sent by GET.
    Form,
    /// `<meta http-equiv=refresh>`.
    MetaRefresh,
    /// `<link rel=canonical>`.
    Canonical,
    /// `<link rel=alternate hreflang>`.
    Hreflang,
    /// `<img src>`.
    Img,
    /// The `Location` or `Refresh` of the HTTP header: made by whoever has the message.
    HttpRedirect,
}

impl LinkKind {
    /// Every kind.
    pub const ALL: [LinkKind; 11] = [
        LinkKind::A,
        LinkKind::Area,
        LinkKind::Frame,
        LinkKind::Iframe,
        LinkKind::Link,
        LinkKind::Form,
        LinkKind::MetaRefresh,
        LinkKind::Canonical,
        LinkKind::Hreflang,
        LinkKind::Img,
        LinkKind::HttpRedirect,
    ];

    /// Lower-case name, as tables have it.
    pub fn name(self) -> &'static str {
        match self {
            LinkKind::A => "a",
            LinkKind::Area => "area",
            LinkKind::Frame => "frame",
            LinkKind::Iframe => "iframe",
            LinkKind::Link => "link",
            LinkKind::Form => "form",
            LinkKind::MetaRefresh => "meta-refresh",
            LinkKind::Canonical => "canonical",
            LinkKind::Hreflang => "hreflang",
            LinkKind::Img => "img",
            LinkKind::HttpRedirect => "http-redirect",
        }
    }
}

/// One link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// Where it leads: http or https.
    pub target: CanonicalUrl,
    /// Its words, white space collapsed; empty for kinds without.
    pub anchor: String,
    /// Text of the page before the anchor, at most [`LinkLimits::context_bytes`], whole characters.
    pub before: String,
    /// Text of the page after the anchor, likewise.
    pub after: String,
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
        Link {
            target,
            anchor: String::new(),
            before: String::new(),
            after: String::new(),
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
    /// Bytes of an anchor.
    pub max_anchor_bytes: usize,
    /// Bytes of text before and after an anchor.
    pub context_bytes: usize,
    /// Whether images are links.
    pub images: bool,
}

impl Default for LinkLimits {
    fn default() -> Self {
        LinkLimits {
            max_links: 20_000,
            max_target_bytes: 8 << 20,
            max_anchor_bytes: 1024,
            context_bytes: 50,
            images: false,
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
    /// `data:`.
    pub data: u32,
    /// Other schemes than http(s): `tel:`, `ftp:`, `about:`, …
    pub scheme: u32,
    /// No URL by any reading.
    pub invalid: u32,
    /// `<link>` to a style sheet, an icon, a hint for browsers.
    pub resource: u32,
    /// Forms that are not sent by GET.
    pub post: u32,
    /// Beyond a limit.
    pub limit: u32,
}

/// The links of a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Links {
    /// In document order.
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
    let mut walk = Collector {
        dom,
        limits,
        page: TextBuffer::default(),
        found: Vec::new(),
        open: Vec::new(),
        base: None,
        skipped: Skipped::default(),
        images: 0,
    };
    walk.run();
    let base =
        walk.base.and_then(|href| url.join(href)).filter(CanonicalUrl::is_web).unwrap_or_else(|| url.clone());
    let mut links = Vec::new();
    let mut target_bytes = 0;
    let mut skipped = walk.skipped;
    for reference in &walk.found {
        if let Some(reason) = unfollowable(reference.href, &mut skipped) {
            *reason += 1;
            continue;
        }
        if links.len() >= limits.max_links || target_bytes >= limits.max_target_bytes {
            skipped.limit += 1;
            continue;
        }
        let target = match base.join_encoded(reference.href, encoding) {
            Some(target) if target.is_web() => target,
            Some(_) => {
                skipped.scheme += 1;
                continue;
            }
            None => {
                skipped.invalid += 1;
                continue;
            }
        };
        target_bytes += target.as_str().len();
        links.push(reference.link(target, walk.page.text(), limits, links.len() as u32));
    }
    Links { links, base, skipped, images: walk.images }
}

/// The counter of references that need no resolving to be passed over.
fn unfollowable<'s>(href: &str, skipped: &'s mut Skipped) -> Option<&'s mut u32> {
    let href = href.trim_matches(|c: char| c <= ' ');
    let scheme = |name: &str| href.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    match href.as_bytes().first().map(u8::to_ascii_lowercase) {
        None | Some(b'#') => Some(&mut skipped.fragment),
        Some(b'j') if scheme("javascript:") => Some(&mut skipped.script),
        Some(b'm') if scheme("mailto:") => Some(&mut skipped.mail),
        Some(b'd') if scheme("data:") => Some(&mut skipped.data),
        _ => None,
    }
}

/// A reference as it stands on the page.
struct Reference<'d> {
    href: &'d str,
    kind: LinkKind,
    rel: Option<&'d str>,
    /// Place of the anchor in the page's text; the same twice where there is none.
    start: usize,
    end: usize,
    /// Words for an anchor without text.
    alt: String,
    /// Whether it stands among the page's text.
    in_text: bool,
}

impl Reference<'_> {
    fn link(&self, target: CanonicalUrl, page: &str, limits: &LinkLimits, position: u32) -> Link {
        let text = page[self.start..self.end].trim_matches(' ');
        let anchor = if text.is_empty() { self.alt.as_str() } else { text };
        let (mut before, mut after) = ("", "");
        if self.in_text {
            before =
                &page[page.ceil_char_boundary(self.start.saturating_sub(limits.context_bytes))..self.start];
            after = &page[self.end..page.floor_char_boundary(self.end + limits.context_bytes)];
        }
        let rel = self.rel.map(rel_tokens).filter(|rel| !rel.is_empty());
        let nofollow = self.rel.is_some_and(|rel| {
            rel.split_ascii_whitespace().any(|token| {
                ["nofollow", "ugc", "sponsored"].iter().any(|word| token.eq_ignore_ascii_case(word))
            })
        });
        Link {
            target,
            anchor: anchor[..anchor.floor_char_boundary(limits.max_anchor_bytes)].trim_end().to_owned(),
            before: before.trim_matches(' ').to_owned(),
            after: after.trim_matches(' ').to_owned(),
            rel,
            kind: self.kind,
            position,
            nofollow,
        }
    }
}

fn rel_tokens(rel: &str) -> String {
    let mut out = String::new();
    for token in rel.split_ascii_whitespace() {
        if out.len() + token.len() >= 256 {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(token);
    }
    out.make_ascii_lowercase();
    out
}

struct Collector<'d, 'a> {
    dom: &'d Dom<'a>,
    limits: &'d LinkLimits,
    page: TextBuffer,
    found: Vec<Reference<'d>>,
    /// Anchors being read: their nodes, and their indices in `found`.
    open: Vec<(NodeId, usize)>,
    base: Option<&'d str>,
    skipped: Skipped,
    images: u32,
}

impl<'d> Collector<'d, '_> {
    fn run(&mut self) {
        let dom = self.dom;
        let mut walk = dom.walk(dom.document());
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(n) => {
                    let tag = dom.tag(n);
                    if tag == Tag::Text {
                        self.page.push(dom.text(n));
                        continue;
                    }
                    if is_block(tag) {
                        self.page.gap();
                    }
                    self.enter(n, tag);
                    if is_no_text(tag) {
                        walk.skip_children();
                    }
                }
                Edge::Leave(n) => {
                    if is_block(dom.tag(n)) {
                        self.page.gap();
                    }
                    if let Some(&(open, index)) = self.open.last()
                        && open == n
                    {
                        self.open.pop();
                        self.found[index].end = self.page.len();
                    }
                }
            }
        }
    }

    fn enter(&mut self, n: NodeId, tag: Tag) {
        let dom = self.dom;
        match tag {
            Tag::A => self.anchor(n, "href"),
            Tag::Unknown if dom.name(n) == "a" => {
                // An anchor in a drawing.
                self.anchor(n, if dom.attr(n, "href").is_some() { "href" } else { "xlink:href" });
            }
            Tag::Area => self.labelled(n, LinkKind::Area, "href", "alt"),
            Tag::Frame => self.labelled(n, LinkKind::Frame, "src", "title"),
            Tag::Iframe => self.labelled(n, LinkKind::Iframe, "src", "title"),
            Tag::Img => self.image(n),
            Tag::Form => match dom.attr(n, "method").map(str::trim) {
                // Invalid methods are GET, as is none; a form without action comes back to its page.
                Some(method)
                    if method.eq_ignore_ascii_case("post") || method.eq_ignore_ascii_case("dialog") =>
                {
                    self.skipped.post += 1;
                }
                _ => self.labelled(n, LinkKind::Form, "action", "title"),
            },
            Tag::Base if self.base.is_none() => self.base = dom.attr(n, "href"),
            Tag::Link => self.link_element(n),
            Tag::Meta => {
                // Inside noscript it says where readers without scripts go, not where the page leads.
                let scriptless = || dom.parent(n).is_some_and(|p| dom.tag(p) == Tag::Noscript);
                if dom.attr(n, "http-equiv").is_some_and(|of| of.trim().eq_ignore_ascii_case("refresh"))
                    && !scriptless()
                    && let Some(href) = dom.attr(n, "content").and_then(refresh_url)
                {
                    self.note(n, href, LinkKind::MetaRefresh, false);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, n: NodeId, href: &'d str, kind: LinkKind, in_text: bool) {
        let at = self.page.len();
        self.found.push(Reference {
            href,
            kind,
            rel: self.dom.attr(n, "rel"),
            start: at,
            end: at,
            alt: String::new(),
            in_text,
        });
    }

    fn anchor(&mut self, n: NodeId, name: &str) {
        if let Some(href) = self.dom.attr(n, name) {
            self.note(n, href, LinkKind::A, true);
            self.open.push((n, self.found.len() - 1));
        }
    }

    /// A link whose words are an attribute.
    fn labelled(&mut self, n: NodeId, kind: LinkKind, name: &str, label: &str) {
        if let Some(href) = self.dom.attr(n, name) {
            self.note(n, href, kind, true);
            if let (Some(label), Some(reference)) = (self.dom.attr(n, label), self.found.last_mut()) {
                collapse(label, self.limits.max_anchor_bytes, &mut reference.alt);
            }
        }
    }

    fn image(&mut self, n: NodeId) {
        let alt = self.dom.attr(n, "alt").unwrap_or_default();
        if let Some(&(_, index)) = self.open.last() {
            collapse(alt, self.limits.max_anchor_bytes, &mut self.found[index].alt);
        }
        if self.dom.attr(n, "src").is_some_and(|src| !src.is_empty()) {
            self.images += 1;
            if self.limits.images {
                self.labelled(n, LinkKind::Img, "src", "alt");
            }
        }
    }

    fn link_element(&mut self, n: NodeId) {
        /// Relations to things that are no pages.
        const RESOURCES: [&str; 17] = [
            "stylesheet",
            "icon",
            "preload",
            "modulepreload",
            "prefetch",
            "prerender",
            "dns-prefetch",
            "preconnect",
            "manifest",
            "pingback",
            "search",
            "edituri",
            "wlwmanifest",
            "apple-touch-icon",
            "apple-touch-icon-precomposed",
            "apple-touch-startup-image",
            "mask-icon",
        ];
        let Some(href) = self.dom.attr(n, "href") else { return };
        let rel = self.dom.attr(n, "rel").unwrap_or_default();
        let has = |word: &str| rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word));
        let kind = if has("canonical") {
            LinkKind::Canonical
        } else if rel.is_empty() || RESOURCES.iter().any(|word| has(word)) {
            self.skipped.resource += 1;
            return;
        } else if has("alternate") && self.dom.attr(n, "hreflang").is_some() {
            LinkKind::Hreflang
        } else {
            LinkKind::Link
        };
        self.note(n, href, kind, false);
    }
}

/// The URL in the `content` of a refresh, by the standard's "shared declarative refresh steps"; `None` where the page
/// reloads itself.
pub fn refresh_url(content: &str) -> Option<&str> {
    let rest = content.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let rest = rest[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(|c: char| c == ';' || c == ',' || c.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
    // `url=` may be missing, and what looks like it may be the URL itself.
    let named = rest.get(..3).filter(|start| start.eq_ignore_ascii_case("url")).and_then(|_| {
        let after = rest[3..].trim_start_matches(|c: char| c.is_ascii_whitespace()).strip_prefix('=')?;
        Some(after.trim_start_matches(|c: char| c.is_ascii_whitespace()))
    });
    let target = named.unwrap_or(rest);
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target[1..].split(quote).next().unwrap_or_default(),
        _ => target,
    };
    let target = target.trim();
    (!target.is_empty()).then_some(target)
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
