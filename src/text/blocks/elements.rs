//! What elements do to the text in them: how they break it, what their names say, what they hide.
//!
//! By tag and attributes alone; style sheets are not read. Constant time an element but for its attributes.

use super::class_names::{Kind, kinds_of, kinds_of_id};
use super::schema_types::bit_of;
use super::tex::is_drawing;
use webmill_html::{Dom, NodeId, Tag};

/// How an element takes part in the layout.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Display {
    Inline,
    Block,
    Skip,
    Break,
    Image,
    Rule,
}

/// How an element takes part in the layout, by its tag.
pub(crate) fn display(dom: &Dom<'_>, node: NodeId, tag: Tag) -> Display {
    use Tag::*;
    match tag {
        Template if dom.is_shadow_root(node) => Display::Inline,
        Script | Style | Template | Svg | Iframe | Object | Embed | Applet | Select | Datalist | Textarea
        | Audio | Video | Canvas | Head | Rp | Rt | Rtc | Noframes | Noembed | Meter | Progress | Title
        | Param | Area => Display::Skip,
        Br => Display::Break,
        Hr => Display::Rule,
        Img | Image => Display::Image,
        Input => Display::Skip,
        Address | Article | Aside | Blockquote | Body | Button | Caption | Center | Dd | Details | Dialog
        | Dir | Div | Dl | Document | Dt | Fieldset | Figcaption | Figure | Footer | Form | Frameset | H1
        | H2 | H3 | H4 | H5 | H6 | Header | Hgroup | Html | Legend | Li | Listing | Main | Menu | Nav
        | Noscript | Ol | P | Plaintext | Pre | Search | Section | Summary | Table | Tbody | Td | Tfoot
        | Th | Thead | Tr | Ul | Xmp => Display::Block,
        // What MathJax sets, of which only the formula in MathML is text.
        Unknown if dom.name(node).starts_with("mjx-") => Display::Inline,
        // Custom elements are mostly used as containers; other unknown names are what browsers make of them: spans.
        Unknown if dom.name(node).contains('-') => Display::Block,
        _ => Display::Inline,
    }
}

/// Whether a custom element stands for an image, as `amp-img` does: `name` ends so.
pub(crate) fn is_custom_image(name: &str) -> bool {
    name.ends_with("-img") || name.ends_with("-image")
}

/// Whether a style declares `property: word`.
pub(crate) fn declares(style: &str, property: &str, word: &str) -> bool {
    style.len() < 1000
        && style.split(';').any(|declaration| {
            declaration.split_once(':').is_some_and(|(name, value)| {
                let value = value.split('!').next().unwrap_or_default();
                name.trim().eq_ignore_ascii_case(property) && value.trim().eq_ignore_ascii_case(word)
            })
        })
}

/// Whether an inline element is no part of the line: its style takes it out of the layout (but MediaWiki's formulas in MathML,
/// which are there for those who hear them), it is MediaWiki's link for editing a section, or KaTeX's or MathJax's drawing of a
/// formula that is beside it.
pub(crate) fn not_displayed(dom: &Dom<'_>, node: NodeId) -> bool {
    let (mut hidden, mut spoken) = (false, false);
    for (name, value) in dom.attrs(node) {
        match name {
            "style" => hidden |= declares(value, "display", "none"),
            "class" => {
                let value = value.trim_ascii_start();
                let katex = value.starts_with("katex-html") && dom.prev_sibling(node).is_some();
                let mathjax = value.starts_with("MathJax") && is_drawing(dom, node);
                hidden |= value.starts_with("mw-editsection") || katex || mathjax;
                spoken = value.starts_with(SPOKEN_FORMULA);
            }
            _ => {}
        }
    }
    hidden && !spoken
}

/// What the class of the element around MediaWiki's MathML begins with.
const SPOKEN_FORMULA: &str = "mwe-math-mathml";

/// Whether an image is MediaWiki's drawing of the MathML before it.
pub(crate) fn is_drawn_formula(dom: &Dom<'_>, image: NodeId) -> bool {
    let class = |n: NodeId| dom.attr(n, "class").unwrap_or_default();
    class(image).starts_with("mwe-math-fallback")
        && dom.prev_sibling(image).is_some_and(|n| class(n).starts_with(SPOKEN_FORMULA))
}

/// Whether an element has a class of this name.
pub(crate) fn has_class(dom: &Dom<'_>, node: NodeId, name: &str) -> bool {
    dom.attr(node, "class").is_some_and(|class| class.split_ascii_whitespace().any(|word| word == name))
}

/// Whether the white space in an element counts.
pub(crate) fn is_code(tag: Tag) -> bool {
    matches!(tag, Tag::Pre | Tag::Listing | Tag::Plaintext | Tag::Xmp)
}

/// Whether an element's own attributes hide it.
fn hidden(dom: &Dom<'_>, node: NodeId) -> bool {
    dom.attrs(node).any(|(name, value)| match name {
        "hidden" => !value.eq_ignore_ascii_case("until-found"),
        "aria-hidden" => value == "true",
        "style" => declares(value, "display", "none") || declares(value, "visibility", "hidden"),
        _ => false,
    })
}

/// Lists of classes that are remembered at a time.
const CLASSES: u64 = 64;

/// What the lists of classes say that a page had last, each by its hash: elements of a page have few different ones.
pub(crate) struct KnownClasses([(u64, u64); CLASSES as usize]);

impl Default for KnownClasses {
    fn default() -> Self {
        // Hashes that no list in their place has.
        KnownClasses(std::array::from_fn(|place| (!(place as u64), 0)))
    }
}

impl KnownClasses {
    fn kinds(&mut self, classes: &str, hash: u64) -> u64 {
        let known = &mut self.0[(hash % CLASSES) as usize];
        if known.0 != hash {
            *known = (hash, kinds_of(classes));
        }
        known.1
    }
}

/// Kinds by the names of an element, and a hash of its tag and class.
pub(crate) fn names(
    dom: &Dom<'_>,
    node: NodeId,
    tag: Tag,
    schema: &mut u32,
    classes: &mut KnownClasses,
) -> (u64, u64) {
    let mut kinds = 0;
    let mut signature = tag as u64 + 1;
    for (name, value) in dom.attrs(node) {
        match name {
            "class" => {
                let hash = xxhash_rust::xxh3::xxh3_64(value.as_bytes());
                kinds |= classes.kinds(value, hash);
                signature ^= hash << 8;
            }
            "id" => kinds |= kinds_of_id(value),
            "role" | "itemprop" | "data-testid" => kinds |= kinds_of(value),
            "itemtype" => *schema |= bit_of(value),
            _ => {}
        }
    }
    // What is quoted from elsewhere is named after where it is from: twitter-tweet.
    if tag == Tag::Blockquote {
        kinds &= !Kind::Share.bit();
    }
    kinds |= match tag {
        Tag::Nav => Kind::Nav.bit(),
        Tag::Aside => Kind::Side.bit(),
        Tag::Footer => Kind::Footer.bit(),
        Tag::Header => Kind::Header.bit(),
        Tag::Form | Tag::Fieldset => Kind::Form.bit(),
        Tag::Dialog => Kind::Modal.bit(),
        Tag::Figcaption => Kind::Media.bit() | Kind::Caption.bit(),
        Tag::Figure => Kind::Media.bit(),
        Tag::Button => Kind::Tool.bit(),
        Tag::Noscript => Kind::Hidden.bit(),
        Tag::Menu => Kind::Nav.bit(),
        Tag::Article => Kind::ArticleTag.bit(),
        Tag::Main => Kind::MainTag.bit(),
        Tag::Section => Kind::SectionTag.bit(),
        Tag::Ul | Tag::Ol | Tag::Dl => Kind::ListTag.bit(),
        Tag::Table => Kind::TableTag.bit(),
        Tag::Blockquote => Kind::QuoteTag.bit(),
        Tag::Address => Kind::Byline.bit(),
        _ => 0,
    };
    if hidden(dom, node) {
        kinds |= Kind::Hidden.bit();
    }
    (kinds, signature)
}

/// Whether a tag emphasises.
pub(crate) fn is_strong(tag: Tag) -> bool {
    matches!(tag, Tag::B | Tag::Strong | Tag::Em | Tag::I)
}

/// Whether an inline element is shown in Markdown.
pub(crate) fn is_marked(tag: Tag) -> bool {
    use Tag::*;
    matches!(tag, A | Code | Kbd | Samp | Tt | Del | S | Strike) || is_strong(tag)
}

/// Whether a tag is a heading.
pub(crate) fn heading(tag: Tag) -> Option<u8> {
    match tag {
        Tag::H1 => Some(1),
        Tag::H2 => Some(2),
        Tag::H3 => Some(3),
        Tag::H4 => Some(4),
        Tag::H5 => Some(5),
        Tag::H6 => Some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide() {
        for (style, want) in [
            ("display:none", true),
            ("color: red; DISPLAY : none !important", true),
            ("display:block;text-decoration:none", false),
            ("display:inline", false),
            ("none:display", false),
            ("", false),
        ] {
            assert_eq!(declares(style, "display", "none"), want, "{style}");
        }
    }
}
