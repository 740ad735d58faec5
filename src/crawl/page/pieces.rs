//! A large page as a row of small trees.
//!
//! A tree takes some ten times its markup, and a page may have 64 MiB of it. For links it is enough to read such a page in
//! pieces, each begun at a tag. A piece that ends inside a script, a style or a comment is continued behind its end, so that
//! nothing in there is taken for markup.

use memchr::{memchr_iter, memmem, memrchr};
use webmill_capture::cut::Cut;

use webmill_html::{Dom, Limits, NodeId, Tag, parse};

/// Hands the tree of each piece of `text` to `each`, in order; an empty page has one too. Pieces are of `size` bytes at most: of
/// 4 MiB there are fewer nodes than a tree may have, whatever they are.
pub(super) fn pieces(text: &str, size: usize, each: &mut dyn FnMut(&Dom<'_>)) {
    let mut rest = text;
    loop {
        let (piece, after) = cut(rest, size);
        let dom = parse(piece, &Limits::default());
        each(&dom);
        if after.is_empty() {
            return;
        }
        rest = behind(open_at_end(&dom, piece), after);
        if rest.is_empty() {
            return;
        }
    }
}

/// The piece at the start, ending before a tag, and the rest.
fn cut(text: &str, size: usize) -> (&str, &str) {
    if text.len() <= size {
        return (text, "");
    }
    let end = text.floor_char_boundary(size);
    let tag = memrchr(b'<', &text.as_bytes()[..end]).filter(|at| *at > 0);
    text.split_at(tag.unwrap_or(end).max(text.ceil_char_boundary(1)))
}

/// What a piece ends inside of.
enum OpenAtEnd {
    Nothing,
    Comment,
    /// An element whose contents are no markup.
    Raw(&'static str),
}

fn open_at_end(dom: &Dom<'_>, piece: &str) -> OpenAtEnd {
    // What the parser made last, but for the elements that it makes of itself at the end.
    let made = |n: &NodeId| !matches!(dom.tag(*n), Tag::Html | Tag::Head | Tag::Body);
    let Some(deepest) = dom.descendants(dom.document()).filter(made).max() else { return OpenAtEnd::Nothing };
    let piece = piece.trim_end();
    if dom.tag(deepest) == Tag::Comment {
        return if piece.ends_with("-->") { OpenAtEnd::Nothing } else { OpenAtEnd::Comment };
    }
    let element = if dom.is_text(deepest) { dom.parent(deepest) } else { Some(deepest) };
    let raw = element.map(|n| dom.tag(n)).filter(|tag| {
        matches!(
            tag,
            Tag::Script | Tag::Style | Tag::Textarea | Tag::Title | Tag::Xmp | Tag::Noframes | Tag::Iframe
        )
    });
    match raw {
        Some(tag) if !is_closed(piece, tag.name()) => OpenAtEnd::Raw(tag.name()),
        _ => OpenAtEnd::Nothing,
    }
}

/// Whether a piece ends with the end tag of `name`.
fn is_closed(piece: &str, name: &str) -> bool {
    let end = piece.strip_suffix('>').map(str::trim_end).unwrap_or_default().as_bytes();
    let tag = &end[end.len().saturating_sub(name.len() + 2)..];
    tag.starts_with(b"</") && tag[2..].eq_ignore_ascii_case(name.as_bytes())
}

/// What follows the end of what was open.
fn behind(open: OpenAtEnd, after: &str) -> &str {
    let bytes = after.as_bytes();
    match open {
        OpenAtEnd::Nothing => after,
        OpenAtEnd::Comment => memmem::find(bytes, b"-->").map_or("", |at| after.cut(at + 3..)),
        OpenAtEnd::Raw(name) => {
            let closes = |at: &usize| {
                bytes[at + 1..].first() == Some(&b'/')
                    && bytes
                        .get(at + 2..at + 2 + name.len())
                        .is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes()))
            };
            memchr_iter(b'<', bytes).find(closes).map_or("", |at| after.cut(at..))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors(text: &str, size: usize) -> Vec<String> {
        let mut all = Vec::new();
        pieces(text, size, &mut |dom| {
            let found = dom.descendants(dom.document()).filter(|n| dom.tag(*n) == Tag::A);
            all.extend(found.filter_map(|n| dom.attr(n, "href")).map(str::to_owned));
        });
        all
    }

    #[test]
    fn pieces_give_the_links_of_the_whole() {
        let page = "<!DOCTYPE html><title>t</title><script>var s = '<a href=no>';</script><!-- <a href=no> -->\
            <ul><li><a href=1>one</a><li><a href='2'>two</a></ul><style>a > b {} /* <a href=no> */</style><p>中文<a href=3>x</a>";
        let whole = anchors(page, usize::MAX);
        assert_eq!(whole, ["1", "2", "3"]);
        for size in 16..page.len() {
            let found = anchors(page, size);
            assert!(!found.iter().any(|href| href == "no"), "{size}: {found:?}");
        }
        for size in 40..page.len() {
            assert_eq!(anchors(page, size), whole, "{size}");
        }
    }
}
