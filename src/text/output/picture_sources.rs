//! Where a picture is, by what its element and the `picture` around it say.
//!
//! **Definition.** Pages that load pictures late name a placeholder in `src` and the picture elsewhere: in an attribute named after
//! a source (`data-src`, `data-original`, `data-lazy-src`, `file` …), in `srcset` or `data-srcset`, or in the `source` elements beside
//! it. So these come before `src`: late attributes, `src` that is no placeholder, the largest of the lists, of the `picture`
//! the first source, any `src`. Linear in the attributes and the children of the `picture`.

use webmill_capture::cut::Cut;
use webmill_html::{Dom, NodeId, Tag, largest};

/// Sources of a `picture` that are looked at.
const MAX_SOURCES: usize = 16;

/// References to a picture, the best first; none for one that shows nothing, such as a counting pixel.
pub(crate) fn sources<'d>(dom: &'d Dom<'_>, node: NodeId) -> Vec<&'d str> {
    let (mut late, mut listed, mut own) = (Vec::new(), Vec::new(), None);
    for (name, value) in dom.attrs(node) {
        let value = value.trim();
        match name {
            "width" | "height" if matches!(value, "0" | "1" | "0px" | "1px") => return Vec::new(),
            "src" => own = Some(value),
            _ if name.ends_with("srcset") => listed.extend(largest(value)),
            _ if is_late(name) && is_address(value) => late.push(value),
            _ => {}
        }
    }
    let around = dom.parent(node).filter(|&around| dom.name(around) == "picture");
    let beside = around.into_iter().flat_map(|around| dom.children(around));
    for source in beside.filter(|&child| dom.tag(child) == Tag::Source).take(MAX_SOURCES) {
        let lists = dom.attrs(source).filter(|(name, _)| name.ends_with("srcset"));
        listed.extend(lists.filter_map(|(_, list)| largest(list)));
    }
    listed.retain(|source| is_address(source));
    let plain = own.filter(|source| !is_placeholder(source));
    late.into_iter().chain(plain).chain(listed).collect()
}

/// Whether an attribute is named after a source that a script will read.
fn is_late(name: &str) -> bool {
    let named = ["src", "original", "lazy", "actual"].iter().any(|word| name.contains(word));
    named && !name.contains("srcset") && !name.ends_with("-type")
        || matches!(name, "file" | "zoomfile" | "data-url" | "content")
}

/// Whether a value is the reference of a picture, and no word, number or template of one.
fn is_address(value: &str) -> bool {
    let path = value.cut(..value.find(['?', '#']).unwrap_or(value.len()));
    let rooted = value.starts_with('/') || value.contains("://");
    (rooted || path.contains(['/', '.'])) && !value.contains(['{', '}', ' ']) && !is_placeholder(value)
}

/// Whether a source stands for a picture that is still to be loaded.
fn is_placeholder(source: &str) -> bool {
    let name = source.rsplit('/').next().unwrap_or_default();
    let name = name.split(['.', '?']).next().unwrap_or_default();
    const NAMES: [&str; 10] =
        ["blank", "spacer", "placeholder", "loading", "transparent", "pixel", "grey", "lazy", "1x1", "clear"];
    source.is_empty()
        || source.starts_with("data:")
        || source.starts_with("//:")
        || NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::{Limits, parse};

    #[test]
    fn late_sources_come_before_placeholders() {
        for (html, want) in [
            ("<img src=a.jpg>", "a.jpg"),
            ("<img src=/16by9.png data-src=/a.jpg>", "/a.jpg"),
            ("<img src=/blank.gif data-original=/a.jpg>", "/a.jpg"),
            ("<img src=//:0 data-srcset='/a.jpg 160w, /b.jpg 640w'>", "/b.jpg"),
            ("<img src=data:image/gif;base64,R0 srcset='/a.jpg 1x, /b.jpg 2x'>", "/b.jpg"),
            ("<img file=forum/a.jpg src=none.gif>", "forum/a.jpg"),
            ("<img data-src='/a-{width}.jpg' src=/b.jpg>", "/b.jpg"),
            ("<img data-lazy-src=true src=/b.jpg>", "/b.jpg"),
            ("<picture><source srcset='/a.webp 1x, /b.webp 2x'><img></picture>", "/b.webp"),
            ("<img src=/a.gif width=1 height=1>", ""),
            ("<img>", ""),
        ] {
            let dom = parse(html, &Limits::default());
            let image = dom.descendants(dom.document()).find(|&n| dom.tag(n) == Tag::Img).unwrap();
            assert_eq!(sources(&dom, image).first().copied().unwrap_or_default(), want, "{html}");
        }
    }
}
