//! One walk over a page for all that it declares.
//!
//! Metadata and structured data come from the same elements: scripts of JSON-LD are parsed once, and the attributes of
//! microdata and RDFa are read once, for whichever of the two is wanted.

use super::dom::{Dom, Edge};
use super::items::{self, Item};
use super::json_ld::Scripts;
use super::markup::Markup;
use super::metadata::{Metadata, Reader};
use super::tag::Tag;
use webmill_capture::CanonicalUrl;

/// What a page declares. `base` is what its references are resolved against ([`Links::base`](super::Links), or
/// [`base_of`](super::base_of)); where it is `None`, relative references are left out. `x_robots_tag` are the values of
/// that HTTP header.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_html::{Limits, metadata, parse};
/// let dom = parse("<html lang=en-GB><title> A\n page </title><meta name=author content=Ann>", &Limits::default());
/// let base = CanonicalUrl::parse("http://example.com/").unwrap();
/// let meta = metadata(&dom, &base, &[b"noindex"]);
/// assert_eq!(meta.about.title.as_deref(), Some("A page"));
/// assert_eq!(meta.about.author.as_deref(), Some("Ann"));
/// assert!(meta.robots.all.noindex);
/// ```
pub fn metadata<'b>(
    dom: &Dom<'_>,
    base: impl Into<Option<&'b CanonicalUrl>>,
    x_robots_tag: &[&[u8]],
) -> Metadata {
    let mut meta = Reader::new(dom, base.into(), x_robots_tag);
    walk(dom, Some(&mut meta), None);
    meta.finish()
}

/// The structured data of a page, in document order; OpenGraph last.
///
/// # Examples
/// ```
/// use webmill_html::{Limits, items, parse};
/// let page = "<div itemscope itemtype=https://schema.org/Product><b itemprop=name>Kettle</b></div>";
/// let found = items(&parse(page, &Limits::default()), None);
/// assert_eq!(found[0].types, ["Product"]);
/// assert_eq!(found[0].data, r#"{"properties":{"name":["Kettle"]},"type":["https://schema.org/Product"]}"#);
/// ```
pub fn items(dom: &Dom<'_>, base: Option<&CanonicalUrl>) -> Vec<Item> {
    let mut items = items::Reader::new(dom, base);
    walk(dom, None, Some(&mut items));
    items.finish()
}

/// Both [`metadata`] and [`items`] of a page, for one walk and one reading of its scripts.
pub fn metadata_and_items<'b>(
    dom: &Dom<'_>,
    base: impl Into<Option<&'b CanonicalUrl>>,
    x_robots_tag: &[&[u8]],
) -> (Metadata, Vec<Item>) {
    let base = base.into();
    let mut meta = Reader::new(dom, base, x_robots_tag);
    let mut items = items::Reader::new(dom, base);
    walk(dom, Some(&mut meta), Some(&mut items));
    (meta.finish(), items.finish())
}

fn walk(
    dom: &Dom<'_>,
    mut meta: Option<&mut Reader<'_, '_>>,
    mut items: Option<&mut items::Reader<'_, '_, '_>>,
) {
    let mut scripts = Scripts::default();
    for edge in dom.walk(dom.document()) {
        match edge {
            Edge::Enter(n) if dom.is_element(n) => {
                let markup = Markup::of(dom, n);
                let script = if dom.tag(n) == Tag::Script { scripts.read(dom, n) } else { None };
                if let Some(items) = &mut items {
                    items.enter(n, markup.as_ref(), script.as_ref());
                }
                if let Some(meta) = &mut meta {
                    meta.enter(n, markup.as_ref(), script);
                }
            }
            Edge::Leave(n) => {
                if let Some(items) = &mut items {
                    items.leave(n);
                }
                if let Some(meta) = &mut meta {
                    meta.leave(n);
                }
            }
            Edge::Enter(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse};

    #[test]
    fn together_as_apart() {
        let page = "<html lang=en-gb><meta property=og:title content=T><script type=application/ld+json>
            //<![CDATA[\n{\"@type\":\"NewsArticle\",\"author\":\"Ann\",\"datePublished\":\"03/04/2024\",\"articleBody\":\"one\ntwo\"};\n//]]>
            </script><div itemscope itemtype=http://schema.org/Thing><b itemprop=name>x</b></div>";
        let dom = parse(page, &Limits::default());
        let base = CanonicalUrl::parse("http://example.com/").unwrap();
        let (meta, found) = metadata_and_items(&dom, &base, &[]);
        assert_eq!(meta, metadata(&dom, &base, &[]));
        assert_eq!(found, items(&dom, Some(&base)));
        assert_eq!(meta.about.author.as_deref(), Some("Ann"));
        assert_eq!(meta.about.published.as_deref(), Some("2024-04-03"));
        assert_eq!(meta.structured.article_body.as_deref(), Some("one two"));
        assert_eq!(found[0].types, ["NewsArticle"]);
    }
}
