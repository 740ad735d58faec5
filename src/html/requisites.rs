//! What a page needs to be shown: styles, scripts, pictures, fonts, frames.
//!
//! **Definition.** A requisite is what a browser fetches by itself when it shows the page, on whatever screen: scripts,
//! style sheets, icons, manifests and preloaded files; the pictures of `src`, `srcset`, `<source>`, `poster` and
//! `background`, and those that scripts put there later (`data-src` and its like); what `style` attributes, `<style>` and
//! drawings name; media and their tracks; frames, objects and embedded things. Inside `noscript` and `template` too, and in
//! documents inside the page (`srcdoc`). Style sheets and manifests have requisites of their own ([`style_requisites`],
//! [`manifest_requisites`]). What scripts make up while they run is not seen.
//!
//! **Algorithm.** One walk over the tree; every attribute is looked at once.
//!
//! **Cost.** Linear. The bytes of all targets together, which a long `<base>` could multiply, are limited by
//! [`RequisiteLimits`]; the rest is counted.
//!
//! **Reference.** HTML standard, 4.2.4, 4.8; Web Application Manifest, 1.

mod element;
mod manifest;

use std::collections::VecDeque;

use super::css::{Use, each_address, unescape_all};
use super::dom::Dom;
use super::limits::Limits;
use super::links::MAX_NESTED;
use super::parse::parse;
use super::tag::Tag;
use webmill_capture::CanonicalUrl;

pub use element::kind_of_rel;
pub use manifest::manifest_requisites;

/// What a page uses a requisite for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequisiteKind {
    /// A style sheet.
    Style,
    /// A script file of a `script` element.
    Script,
    /// A picture, a cursor, a font.
    Image,
    /// Sound, film, subtitles.
    Media,
    /// A document shown inside the page.
    Frame,
    /// A Web application manifest.
    Manifest,
    /// Whatever else is fetched ahead.
    Other,
}

/// One requisite, named once more each time the page names it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requisite {
    /// Where it is: http or https.
    pub url: CanonicalUrl,
    /// What for.
    pub kind: RequisiteKind,
}

/// What the requisites of a page may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequisiteLimits {
    /// Bytes of all targets together; default 16 MiB.
    pub max_target_bytes: usize,
}

impl Default for RequisiteLimits {
    fn default() -> Self {
        RequisiteLimits { max_target_bytes: 16 << 20 }
    }
}

/// Hands each requisite of the page at `url` to `take`, in document order; how many there are beyond the limit.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_html::{Limits, RequisiteLimits, each_requisite, parse};
/// let dom = parse("<img srcset='a.png 1x, b.png 2x'><p style='background: url(c.png)'>", &Limits::default());
/// let url = CanonicalUrl::parse("http://example.com/d/").unwrap();
/// let mut found = Vec::new();
/// each_requisite(&dom, &url, &RequisiteLimits::default(), &mut |requisite| found.push(requisite.url.into_string()));
/// assert_eq!(found, ["http://example.com/d/a.png", "http://example.com/d/b.png", "http://example.com/d/c.png"]);
/// ```
pub fn each_requisite(
    dom: &Dom<'_>,
    url: &CanonicalUrl,
    limits: &RequisiteLimits,
    take: &mut dyn FnMut(Requisite),
) -> u64 {
    let mut sink = Sink { base: base(dom, url), left: limits.max_target_bytes, dropped: 0, take };
    let outer = sink.base.clone();
    let mut nested: VecDeque<(String, u8)> = VecDeque::new();
    document(dom, &mut sink, &mut nested, 1);
    while let Some((source, level)) = nested.pop_front() {
        let inner = parse(&source, &Limits::default());
        sink.base = base(&inner, &outer);
        document(&inner, &mut sink, &mut nested, level + 1);
    }
    sink.dropped
}

/// Hands each requisite of the style sheet at `url` to `take`; how many there are beyond the limit.
pub fn style_requisites(
    source: &str,
    url: &CanonicalUrl,
    limits: &RequisiteLimits,
    take: &mut dyn FnMut(Requisite),
) -> u64 {
    let mut sink = Sink { base: url.clone(), left: limits.max_target_bytes, dropped: 0, take };
    sink.style(source);
    sink.dropped
}

fn base(dom: &Dom<'_>, url: &CanonicalUrl) -> CanonicalUrl {
    let first = dom.descendants(dom.document()).filter(|n| dom.tag(*n) == Tag::Base);
    let href = first.filter_map(|n| dom.attr(n, "href")).next();
    href.and_then(|href| url.join(href)).filter(CanonicalUrl::is_web).unwrap_or_else(|| url.clone())
}

/// Hands on what one document needs; the documents inside it join `nested`.
fn document(dom: &Dom<'_>, sink: &mut Sink<'_>, nested: &mut VecDeque<(String, u8)>, level: u8) {
    for n in dom.descendants(dom.document()).filter(|n| dom.is_element(*n)) {
        element::requisites(dom, n, sink);
        match dom.tag(n) {
            Tag::Style => dom.children(n).filter(|c| dom.is_text(*c)).for_each(|c| sink.style(dom.text(c))),
            Tag::Unknown if dom.name(n) == "style" => {
                dom.children(n).filter(|c| dom.is_text(*c)).for_each(|c| sink.style(dom.text(c)));
            }
            Tag::Iframe if level <= MAX_NESTED => {
                let source = dom.attr(n, "srcdoc").filter(|source| !source.is_empty());
                nested.extend(source.map(|source| (source.to_owned(), level)));
            }
            _ => {}
        }
    }
}

/// Where references go: resolved, bounded.
struct Sink<'t> {
    base: CanonicalUrl,
    left: usize,
    dropped: u64,
    take: &'t mut dyn FnMut(Requisite),
}

impl Sink<'_> {
    /// Takes a reference as it is written.
    fn reference(&mut self, href: &str, kind: RequisiteKind) {
        let href = href.trim_matches(|c: char| c <= ' ');
        if href.is_empty() || href.starts_with('#') || has_other_scheme(href) {
            return;
        }
        if self.left == 0 {
            self.dropped += 1;
            return;
        }
        let Some(url) = self.base.join(href).filter(CanonicalUrl::is_web) else { return };
        self.left = self.left.saturating_sub(url.as_str().len());
        (self.take)(Requisite { url, kind });
    }

    /// Takes what a piece of CSS names.
    fn style(&mut self, source: &str) {
        each_address(source.as_bytes(), encoding_rs::UTF_8, &mut |at, of| {
            let kind = match of {
                Use::Import => RequisiteKind::Style,
                Use::Resource => RequisiteKind::Image,
            };
            if let Some(text) = source.get(at) {
                if text.contains('\\') {
                    self.reference(&unescape_all(text), kind);
                } else {
                    self.reference(text, kind);
                }
            }
        });
    }
}

/// Schemes of things that are in the page already, or nowhere.
fn has_other_scheme(href: &str) -> bool {
    ["data:", "javascript:", "about:", "blob:", "mailto:"]
        .iter()
        .any(|scheme| href.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

#[cfg(test)]
#[path = "requisites_tests.rs"]
mod tests;
