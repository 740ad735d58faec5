//! From the characters of a page to its tree.
//!
//! [`parse`] computes the document that the HTML standard's parser makes of the characters, whatever they are: every
//! string is a page. Scripting is off, so the contents of `noscript` are markup. The standard followed is that of
//! 2025, in which `select` may contain any element (the insertion modes "in select" are gone).
//!
//! The tokenizer and the tree builder are one machine without tokens in between: a tag's name becomes a byte
//! ([`Tag`](crate::Tag)), its attributes become spans in the document's own vector, a run of text becomes one
//! node that points into the source. Newlines are normalised beforehand, only on pages with carriage returns.
//!
//! Time is linear in the source: what the standard's algorithms do beyond that on misnested markup (walks of the
//! stack of open elements, clones of formatting elements) is counted and limited by [`Limits`]. Limits count bytes,
//! nodes and steps, never time, so that a tree depends on its page and limits alone. As in browsers, elements deeper
//! than 512 become siblings of the deepest; [`Dom::cut`] tells of every limit that was met. There is no error and
//! no recursion.
//!
//! Left out: shadow trees (a `template` with `shadowrootmode` stays a template, and [`Dom::is_shadow_root`] tells it from
//! the others), and the copies that `selectedcontent` shows of an option.
//!
//! Reference: WHATWG HTML Standard, <https://html.spec.whatwg.org/multipage/parsing.html>.

use std::borrow::Cow;
use webmill_capture::cut::Cut;

use memchr::{memchr, memchr2};

use super::dom::Dom;
use super::limits::Limits;
use super::tree::Builder;

/// Spans have 31 bits; the side buffer holds at most three times the source and its own copies.
const MOST_BYTES: usize = 256 << 20;

/// The tree of a page. Never fails.
///
/// # Examples
///
/// ```
/// # use webmill_html::{Limits, Tag, parse};
/// let dom = parse("<p>Fish &amp; <b>chips", &Limits::default());
/// let body = dom.body().unwrap();
/// let p = dom.first_child(body).unwrap();
/// assert_eq!(dom.tag(p), Tag::P);
/// assert_eq!(dom.text(dom.first_child(p).unwrap()), "Fish & ");
/// ```
pub fn parse<'a>(source: &'a str, limits: &Limits) -> Dom<'a> {
    let end = source.floor_char_boundary(limits.max_bytes.min(MOST_BYTES));
    let cut = end < source.len();
    let source = source.cut(..end);
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
            let Dom { side, nodes, attrs, html, head, body, quirks, cuts, work, .. } =
                Builder::new(&text, has_nul, limits).run();
            Dom { source: Cow::Owned(text), side, nodes, attrs, html, head, body, quirks, cuts, work }
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
        text.push_str(source.cut(from..at));
        text.push('\n');
        from = at + 1;
        if source.as_bytes().get(from) == Some(&b'\n') {
            from += 1;
        }
    }
    text.push_str(source.cut(from..));
    text
}

#[cfg(test)]
mod tests {
    use super::super::tree_oracle::check_links;
    use super::*;
    use crate::{Edge, Tag};

    fn many(part: &str, times: usize) -> String {
        part.repeat(times)
    }

    fn numbered(before: &str, after: &str, times: usize) -> String {
        (0..times).map(|i| format!("{before}{i}{after}")).collect()
    }

    /// Markup made to be slow, by size.
    type Bomb = (&'static str, fn(usize) -> String);

    const BOMBS: &[Bomb] = &[
        ("nested blocks", |n| many("<div>", n)),
        ("nested blocks closed", |n| many("<div>", n) + &many("</div>", n)),
        ("nested inline", |n| many("<span>", n) + &many("</x>", n)),
        ("unknown names", |n| numbered("<x-", ">", n) + &numbered("</y-", ">", n)),
        ("formatting", |n| many("<b>", n) + &many("<p>x", n)),
        ("distinct formatting", |n| numbered("<font a=", ">", n) + &many("<p>x", n)),
        ("misnested", |n| many("<b><p>", n) + &many("</b>", n)),
        ("misnested links", |n| many("<a><div>", n) + &many("</a>", n)),
        ("misnested in turns", |n| many("<a><b><i><p></a>", n)),
        ("adopted children", |n| format!("<b><div>{}{}", many("<br>", n), many("</b><b>", n))),
        ("nobr", |n| many("<nobr><div>", n)),
        ("lists", |n| many("<ul><li>", n) + &many("<li>", n)),
        ("items among inline", |n| format!("<li>{}{}", many("<span>", 500), many("<b><li>", n))),
        ("paragraph under buttons", |n| format!("<p>{}", many("<span><button>", n))),
        ("headings closed", |n| format!("{}{}", many("<i>", 500), many("</h1>", n))),
        ("forms", |n| many("<form><div></form>", n)),
        ("tables", |n| many("<table>", n)),
        ("nested tables", |n| many("<table><td>", n)),
        ("fostered text", |n| format!("<table>{}", many("x<tr>&amp;<td>&amp;</td>", n))),
        ("fostered elements", |n| format!("<table>{}", many("<b>", n))),
        ("split table text", |n| format!("<table>{}", many("x</>", n))),
        ("templates", |n| many("<template>", n)),
        ("templates closed", |n| many("<template><td>", n) + &many("</template>", n)),
        ("select", |n| many("<select><option><select>", n)),
        ("svg", |n| many("<svg>", n) + &many("</x>", n)),
        ("math", |n| many("<math><mi>", n) + &many("</p>", n)),
        ("framesets", |n| many("<frameset>", n)),
        ("html attributes", |n| numbered("<html a", "=1>", n)),
        ("html again", |n| format!("<html {}>{}", numbered("a", " ", 200), many("<html b>", n))),
        ("attributes of one tag", |n| format!("<p {}>", numbered("a", "=1 ", n))),
        ("the same attribute", |n| format!("<p {}>", many("a ", n))),
        ("unfinished tags", |n| many("<p ", n)),
        ("unfinished values", |n| many("<p a=\"", n)),
        ("comments", |n| many("<!--", n) + &many("<!-", n)),
        ("dashes", |n| format!("<!--{}", many("-", n))),
        ("escaped scripts", |n| format!("<script>{}", many("<!--<script", n))),
        ("raw text", |n| format!("<title>{}", many("</titl", n))),
        ("references", |n| many("&am", n) + &many("&#", n) + &many("&", n)),
        ("long reference", |n| format!("&{}&#{}", many("a", n), many("1", n))),
        ("less-than", |n| many("<", n) + &many("</", n)),
        ("carriage returns", |n| many("\r", n) + &many("\r\n", n)),
        ("nul", |n| many("\0<p\0>", n)),
        ("doctypes", |n| many("<!doctype", n)),
    ];

    #[test]
    fn work_grows_no_faster_than_the_page() {
        for &(name, bomb) in BOMBS {
            let (small, large) = (bomb(20_000), bomb(40_000));
            let limits = Limits::default();
            let (a, b) = (parse(&small, &limits), parse(&large, &limits));
            check_links(&b);
            let stopped = b.cut().work || b.cut().nodes;
            assert!(b.work() <= 3 * a.work() + 100_000 || stopped, "{name}: {} then {}", a.work(), b.work());
            assert!(b.work() <= limits.max_work + limits.max_work / 8, "{name}: {}", b.work());
            assert!(b.len() <= limits.max_nodes + 100, "{name}: {} nodes", b.len());
        }
    }

    #[test]
    fn deep_markup_becomes_siblings() {
        let source = many("<div>x", 100_000);
        let dom = parse(&source, &Limits::default());
        let (mut depth, mut deepest, mut divs) = (0, 0, 0);
        for edge in dom.walk(dom.document()) {
            match edge {
                Edge::Enter(n) => {
                    divs += usize::from(dom.tag(n) == Tag::Div);
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                Edge::Leave(_) => depth -= 1,
            }
        }
        assert_eq!(divs, 100_000);
        // The document, 512 elements, text.
        assert_eq!(deepest, 514);
        assert!(dom.cut().depth && !dom.cut().nodes);
    }

    #[test]
    fn limits_are_told() {
        let free = Limits::default();
        let whole = parse("<p a b c>x<p>y", &free);
        assert!(!whole.cut().any());
        let cut = |limits: Limits| parse("<p a b c>x<p>y", &limits).cut();
        assert!(cut(Limits { max_attrs_per_tag: 2, ..free }).attributes);
        assert!(!cut(Limits { max_attrs_per_tag: 3, ..free }).any());
        assert!(cut(Limits { max_bytes: 10, ..free }).bytes);
        assert!(!cut(Limits { max_bytes: 14, ..free }).any());
        assert!(cut(Limits { max_nodes: 5, ..free }).nodes);
        assert!(cut(Limits { max_depth: 2, ..free }).depth);
        let dom = parse("aé", &Limits { max_bytes: 2, ..free });
        let mut text = String::new();
        dom.text_content(dom.document(), &mut text);
        assert_eq!(text, "a");
    }

    #[test]
    fn many_attributes_keep_the_first_of_each_name() {
        let source = format!("<p {0} {0}>", numbered("a", "=x ", 40));
        let dom = parse(&source, &Limits::default());
        let p = dom.descendants(dom.document()).find(|&n| dom.tag(n) == Tag::P).expect("the page has a p");
        assert_eq!(dom.attrs(p).count(), 40);
        assert_eq!(dom.attr(p, "a39"), Some("x"));
        assert_eq!(dom.attr(p, "a40"), None);
    }

    #[test]
    fn landmarks() {
        for (source, body) in [("", Tag::Body), ("<p>", Tag::Body), ("<frameset>", Tag::Frameset)] {
            let dom = parse(source, &Limits::default());
            let tag = |n: Option<_>| n.map(|n| dom.tag(n));
            assert_eq!(tag(dom.html()), Some(Tag::Html));
            assert_eq!(tag(dom.head()), Some(Tag::Head));
            assert_eq!(tag(dom.body()), Some(body));
        }
        let dom = parse("<svg><title>x</title><g/>", &Limits::default());
        let tags: Vec<Tag> =
            dom.descendants(dom.body().expect("made for every page")).map(|n| dom.tag(n)).collect();
        assert_eq!(tags, [Tag::Svg, Tag::Unknown, Tag::Text, Tag::G]);
    }
}
