//! What the references on a page are resolved against.

use super::dom::{Dom, NodeId};
use super::tag::Tag;
use super::values::has_token;
use webmill_capture::CanonicalUrl;

/// Nodes that are looked at for an address.
const MAX_NODES: usize = 200_000;

/// What references on the page are resolved against: the `href` of its first `<base>`, resolved against `url`, else `url`;
/// of a page whose address is unknown the address that it names itself (`<link rel=canonical>`, then `og:url`), else `None`.
///
/// # Examples
/// ```
/// use webmill_html::{Limits, base_of, parse};
/// let dom = parse("<link rel=canonical href='http://example.com/a/b.html'>", &Limits::default());
/// assert_eq!(base_of(&dom, None).unwrap().as_str(), "http://example.com/a/b.html");
/// ```
pub fn base_of(dom: &Dom, url: Option<&CanonicalUrl>) -> Option<CanonicalUrl> {
    let absolute = |reference: &str| CanonicalUrl::parse(reference.trim()).filter(CanonicalUrl::is_web);
    let (mut canonical, mut stated) = (None, None);
    let mut base = None;
    for n in dom.descendants(dom.document()).take(MAX_NODES) {
        match dom.tag(n) {
            Tag::Base => {
                if let Some(href) = dom.attr(n, "href") {
                    base = Some(href);
                    break;
                }
            }
            Tag::Link if canonical.is_none() && is_canonical(dom, n) => {
                canonical = dom.attr(n, "href").and_then(absolute);
            }
            Tag::Meta if stated.is_none() && is_address(dom, n) => {
                stated = dom.attr(n, "content").and_then(absolute);
            }
            _ => {}
        }
    }
    let own = url.cloned().or(canonical).or(stated);
    let from_base = base.and_then(|href| match &own {
        Some(url) => url.join(href),
        None => CanonicalUrl::parse(href.trim()),
    });
    from_base.filter(CanonicalUrl::is_web).or(own)
}

fn is_canonical(dom: &Dom, n: NodeId) -> bool {
    dom.attr(n, "rel").is_some_and(|rel| has_token(rel, "canonical"))
}

fn is_address(dom: &Dom, n: NodeId) -> bool {
    ["property", "name"]
        .iter()
        .filter_map(|name| dom.attr(n, name))
        .any(|name| name.trim().eq_ignore_ascii_case("og:url"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse};

    #[test]
    fn from_base_address_and_page() {
        let url = "http://e.org/d/p";
        for (source, url, want) in [
            ("<p>", None, None),
            ("<p>", Some(url), Some("http://e.org/d/p")),
            ("<base href=../x/>", Some(url), Some("http://e.org/x/")),
            ("<base target=_top><base href=/y/><base href=/z/>", Some(url), Some("http://e.org/y/")),
            ("<base href=/x/>", None, None),
            ("<base href=http://f.org/x/>", None, Some("http://f.org/x/")),
            ("<link rel=canonical href=http://f.org/c><base href=b/>", None, Some("http://f.org/b/")),
            (
                "<link rel=canonical href=/c><meta property=og:url content=http://f.org/o>",
                None,
                Some("http://f.org/o"),
            ),
            ("<base href='javascript:x'>", Some(url), Some("http://e.org/d/p")),
        ] {
            let dom = parse(source, &Limits::default());
            let url = url.map(|url| CanonicalUrl::parse(url).expect("a URL"));
            let want = want.map(str::to_string);
            assert_eq!(base_of(&dom, url.as_ref()).map(CanonicalUrl::into_string), want, "{source}");
        }
    }
}
