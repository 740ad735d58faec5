//! What the attributes of one element name.

use super::{RequisiteKind, Sink};
use crate::dom::{Dom, NodeId};
use crate::srcset::candidates;
use crate::tag::Tag;

/// Attributes that scripts turn into `src`, a poster or a background when the reader comes near.
const LAZY: &str = "data-src data-original data-original-src data-lazy-src data-lazy data-actualsrc data-bg \
        data-bg-src data-background data-background-image data-poster data-fallback-src";

/// Attributes that scripts turn into `srcset`.
const LAZY_SETS: [&str; 5] =
    ["data-srcset", "data-lazy-srcset", "data-original-set", "data-bgset", "data-lazy-set"];

/// Attributes of drawings that may refer to other files.
const PAINT: [&str; 9] =
    ["fill", "stroke", "filter", "mask", "clip-path", "cursor", "marker-start", "marker-mid", "marker-end"];

/// Hands what the attributes of `n` name to `sink`.
pub(super) fn requisites(dom: &Dom<'_>, n: NodeId, sink: &mut Sink<'_>) {
    let tag = dom.tag(n);
    for (name, value) in dom.attrs(n) {
        match name {
            "style" => sink.style(value),
            "src" => {
                if let Some(kind) = of_src(dom, n, tag) {
                    sink.reference(value, kind);
                }
            }
            "href" if tag == Tag::Link => {
                if let Some(kind) = of_link(dom, n) {
                    sink.reference(value, kind);
                }
            }
            "href" | "xlink:href" => {
                if let Some(kind) = of_drawing(dom.name(n)) {
                    sink.reference(value, kind);
                }
            }
            "srcset" if matches!(tag, Tag::Img | Tag::Source) => set(value, sink),
            "imagesrcset" if tag == Tag::Link => set(value, sink),
            "poster" if tag == Tag::Video => sink.reference(value, RequisiteKind::Image),
            "data" if tag == Tag::Object => sink.reference(value, RequisiteKind::Frame),
            "background" if matches!(tag, Tag::Body | Tag::Table | Tag::Td | Tag::Th | Tag::Tr) => {
                sink.reference(value, RequisiteKind::Image);
            }
            "lowsrc" | "dynsrc" if tag == Tag::Img => sink.reference(value, RequisiteKind::Image),
            _ if name.starts_with("data-") => lazy(tag, name, value, sink),
            _ if PAINT.contains(&name) && value.contains("url") && tag != Tag::Meta => sink.style(value),
            _ => {}
        }
    }
}

/// What `src` is on this element; `None` where it is nothing.
fn of_src(dom: &Dom<'_>, n: NodeId, tag: Tag) -> Option<RequisiteKind> {
    Some(match tag {
        Tag::Img | Tag::Image => RequisiteKind::Image,
        Tag::Input if dom.attr(n, "type").is_some_and(|of| of.trim().eq_ignore_ascii_case("image")) => {
            RequisiteKind::Image
        }
        Tag::Script => RequisiteKind::Script,
        Tag::Iframe | Tag::Frame | Tag::Embed => RequisiteKind::Frame,
        Tag::Audio | Tag::Video | Tag::Source | Tag::Track | Tag::Bgsound => RequisiteKind::Media,
        _ => return None,
    })
}

/// What a `<link>` is for; `None` where browsers do not fetch it to show the page.
fn of_link(dom: &Dom<'_>, n: NodeId) -> Option<RequisiteKind> {
    kind_of_rel(dom.attr(n, "rel")?, dom.attr(n, "as"))
}

/// What a link of this `rel` and `as` is fetched for; `None` where it is not needed to show the page.
pub fn kind_of_rel(rel: &str, of: Option<&str>) -> Option<RequisiteKind> {
    const ICONS: &str = "icon apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon \
        fluid-icon image_src";
    let has = |word: &str| rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word));
    if has("stylesheet") {
        Some(RequisiteKind::Style)
    } else if ICONS.split(' ').any(has) {
        Some(RequisiteKind::Image)
    } else if has("manifest") {
        Some(RequisiteKind::Manifest)
    } else if has("modulepreload") {
        Some(RequisiteKind::Script)
    } else if has("preload") {
        Some(match of.unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "style" => RequisiteKind::Style,
            "script" | "worker" => RequisiteKind::Script,
            "image" | "font" => RequisiteKind::Image,
            "audio" | "video" | "track" => RequisiteKind::Media,
            "document" | "embed" | "object" => RequisiteKind::Frame,
            _ => RequisiteKind::Other,
        })
    } else {
        None
    }
}

/// What an address on an element of a drawing is.
fn of_drawing(name: &str) -> Option<RequisiteKind> {
    Some(match name {
        "image" | "feimage" | "feImage" | "use" | "pattern" | "lineargradient" | "linearGradient"
        | "radialgradient" | "radialGradient" | "cursor" => RequisiteKind::Image,
        "script" => RequisiteKind::Script,
        _ => return None,
    })
}

fn set(value: &str, sink: &mut Sink<'_>) {
    candidates(value).for_each(|url| sink.reference(url, RequisiteKind::Image));
}

/// An attribute that only the page's scripts know: an address, if it looks like one.
fn lazy(tag: Tag, name: &str, value: &str, sink: &mut Sink<'_>) {
    if LAZY_SETS.contains(&name) {
        return set(value, sink);
    }
    if !LAZY.split(' ').any(|lazy| lazy == name) {
        return;
    }
    let value = value.trim();
    if value.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("url(")) {
        return sink.style(value);
    }
    // Templates, lists, words and flags are no addresses.
    let address =
        value.contains(['/', '.']) && !value.contains(['{', '}', '<', '>', '"', '[', '|', ' ', '\n']);
    if address {
        sink.reference(
            value,
            match tag {
                Tag::Script => RequisiteKind::Script,
                Tag::Iframe | Tag::Frame | Tag::Embed => RequisiteKind::Frame,
                Tag::Audio | Tag::Video | Tag::Source => RequisiteKind::Media,
                _ => RequisiteKind::Image,
            },
        );
    }
}
