//! Markup of a tree: the HTML fragment serialisation algorithm of the standard.
//!
//! Parsing the result again gives the same tree but where markup cannot say it: a `pre` that begins with a line feed,
//! elements that the parser would not leave where they are (`<p>` in `<p>`), a `plaintext`.
//!
//! Linear in the subtree; recurses nowhere.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#serialising-html-fragments>.

use super::dom::{Dom, Edge, Namespace, NodeId};
use super::tag::Tag;
use super::tree_sets::{SETS, VOID};
use webmill_capture::cut::Cut;

/// The markup of what a node contains, and with `outer` of the node itself too. Inner markup of text or a comment is
/// empty; the document's markup is the same either way.
///
/// # Examples
/// ```
/// use webmill_html::{Limits, parse, serialize};
/// let dom = parse("<p title='\"a\"'>b&amp;<br>c", &Limits::default());
/// let body = dom.body().unwrap();
/// assert_eq!(serialize(&dom, body, false), "<p title=\"&quot;a&quot;\">b&amp;<br>c</p>");
/// assert_eq!(serialize(&dom, dom.first_child(body).unwrap(), false), "b&amp;<br>c");
/// ```
pub fn serialize(dom: &Dom<'_>, node: NodeId, outer: bool) -> String {
    let mut out = String::new();
    if !outer && void(dom, node) {
        return out;
    }
    for edge in dom.walk(node) {
        match edge {
            Edge::Enter(n) | Edge::Leave(n) if n == node && !outer => {}
            Edge::Enter(n) => open(dom, n, &mut out),
            Edge::Leave(n) => close(dom, n, &mut out),
        }
    }
    out
}

fn open(dom: &Dom<'_>, n: NodeId, out: &mut String) {
    match dom.tag(n) {
        Tag::Document => {}
        Tag::Text if raw(dom, n) => out.push_str(dom.text(n)),
        Tag::Text => escape(dom.text(n), false, out),
        Tag::Comment => {
            out.push_str("<!--");
            out.push_str(dom.text(n));
            out.push_str("-->");
        }
        Tag::Doctype => {
            out.push_str("<!DOCTYPE ");
            out.push_str(dom.name(n));
            out.push('>');
        }
        _ => {
            out.push('<');
            out.push_str(dom.name(n));
            for (name, value) in dom.attrs(n) {
                out.push(' ');
                out.push_str(name);
                out.push_str("=\"");
                escape(value, true, out);
                out.push('"');
            }
            out.push('>');
        }
    }
}

fn close(dom: &Dom<'_>, n: NodeId, out: &mut String) {
    if dom.is_element(n) && !void(dom, n) {
        out.push_str("</");
        out.push_str(dom.name(n));
        out.push('>');
    }
}

/// Whether the element has neither content nor end tag.
fn void(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.namespace(n) == Namespace::Html && SETS[dom.tag(n) as usize] & VOID != 0
}

/// Whether the text is in an element whose text is not escaped. `noscript` is not one: the parser reads it as a
/// browser without scripts does.
fn raw(dom: &Dom<'_>, text: NodeId) -> bool {
    dom.parent(text).is_some_and(|parent| {
        matches!(
            dom.tag(parent),
            Tag::Style | Tag::Script | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes | Tag::Plaintext
        )
    })
}

/// Appends text with references for what would be read as markup.
fn escape(text: &str, attribute: bool, out: &mut String) {
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let reference = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '\u{a0}' => "&nbsp;",
            '"' if attribute => "&quot;",
            _ => continue,
        };
        out.push_str(text.cut(from..at));
        out.push_str(reference);
        from = at + c.len_utf8();
    }
    out.push_str(text.cut(from..));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Limits, parse};

    fn body(markup: &str) -> String {
        let dom = parse(markup, &Limits::default());
        serialize(&dom, dom.body().unwrap(), false)
    }

    #[test]
    fn markup_as_the_standard_writes_it() {
        for (markup, expected) in [
            ("a<br>b<hr>", "a<br>b<hr>"),
            ("<IMG SRC=a.png alt=''>", "<img src=\"a.png\" alt=\"\">"),
            ("1 &lt; 2 &amp;&nbsp;3", "1 &lt; 2 &amp;&nbsp;3"),
            ("<a title='<\"&\u{a0}>'>x</a>", "<a title=\"&lt;&quot;&amp;&nbsp;&gt;\">x</a>"),
            ("<script>a<b && c</script>", "<script>a<b && c</script>"),
            ("<style>a>b</style>", "<style>a>b</style>"),
            ("<textarea>a&lt;b</textarea>", "<textarea>a&lt;b</textarea>"),
            ("<!-- c -->", "<!-- c -->"),
            ("<svg><path d=x /><title>t</title></svg>", "<svg><path d=\"x\"></path><title>t</title></svg>"),
            ("<template><b>x</b></template>", "<template><b>x</b></template>"),
            ("<noscript><p>a</p></noscript>", "<noscript><p>a</p></noscript>"),
            ("<x-y>q</x-y>", "<x-y>q</x-y>"),
        ] {
            // A comment or a script before any text would stand in front of the body.
            assert_eq!(body(&format!("<body>{markup}")), expected, "{markup}");
        }
    }

    #[test]
    fn inner_outer_and_whole() {
        let dom = parse("<!DOCTYPE html><title>t</title><p>a<img>", &Limits::default());
        let whole = "<!DOCTYPE html><html><head><title>t</title></head><body><p>a<img></p></body></html>";
        assert_eq!(serialize(&dom, dom.document(), true), whole);
        assert_eq!(serialize(&dom, dom.document(), false), whole);
        let p = dom.first_child(dom.body().unwrap()).unwrap();
        assert_eq!(serialize(&dom, p, true), "<p>a<img></p>");
        let (text, img) = (dom.first_child(p).unwrap(), dom.last_child(p).unwrap());
        assert_eq!(serialize(&dom, text, true), "a");
        assert_eq!(serialize(&dom, text, false), "");
        assert_eq!(serialize(&dom, img, false), "");
        assert_eq!(serialize(&dom, img, true), "<img>");
    }

    #[test]
    fn deep_markup_needs_no_stack() {
        let deep = "<div>".repeat(20_000);
        let dom = parse(&deep, &Limits { max_depth: 30_000, ..Limits::default() });
        assert_eq!(serialize(&dom, dom.body().unwrap(), false).len(), 20_000 * 11);
    }

    fn node() -> impl Strategy<Value = String> {
        let text = "[a-z &<>\"'\u{a0}é]{0,8}";
        let leaf = prop_oneof![
            text.prop_map(|t| t.replace('&', "&amp;").replace('<', "&lt;")),
            Just("<br>".to_owned()),
            Just("<img src=x>".to_owned()),
            "[a-z ]{0,5}".prop_map(|t| format!("<!--{t}-->")),
            "[a-z<>&\"]{0,6}".prop_map(|t| format!("<script>{}</script>", t.replace("<", "< "))),
        ];
        leaf.prop_recursive(5, 40, 5, move |inner| {
            let name = prop::sample::select(&["div", "span", "section", "ul", "em", "x-y", "svg"][..]);
            let value = text.prop_map(|t| t.replace('&', "&amp;").replace('"', "&quot;"));
            (name, value, prop::collection::vec(inner, 0..5)).prop_map(|(name, value, inner)| {
                format!("<{name} class=\"{value}\">{}</{name}>", inner.concat())
            })
        })
    }

    /// Kind, depth, name or text, and attributes of every node in order.
    fn shape(dom: &Dom<'_>) -> Vec<String> {
        let depth = |n| dom.ancestors(n).count();
        dom.descendants(dom.document())
            .map(|n| {
                let attrs = dom.attrs(n).map(|(k, v)| format!(" {k}={v}")).collect::<String>();
                format!("{} {} {}{attrs}", depth(n), dom.name(n), dom.text(n))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn parsing_the_markup_gives_the_tree_again(nodes in prop::collection::vec(node(), 0..6)) {
            let source = format!("<!DOCTYPE html><body>{}", nodes.concat());
            let dom = parse(&source, &Limits::default());
            let markup = serialize(&dom, dom.document(), true);
            let again = parse(&markup, &Limits::default());
            // What ends an element of SVG may end it elsewhere the second time; all else is stable at once.
            let twice = serialize(&again, again.document(), true);
            prop_assert_eq!(&markup, &twice);
            prop_assert_eq!(shape(&dom), shape(&again));
        }
    }
}
