//! The text of an element as a table shows it.

use webmill_html::{Dom, Edge, NodeId, Tag, TextBuffer};

/// The text of a node as a reader of a table wants it: text content without `script`, `style`, `template` and
/// `noscript` (but for the node itself), blocks and `<br>` as blanks, runs of white space as one blank, trimmed.
/// Linear in the subtree.
pub fn text_of(dom: &Dom<'_>, node: NodeId) -> String {
    let mut out = TextBuffer::default();
    let mut walk = dom.walk(node);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.is_text(n) => out.push(dom.text(n)),
            Edge::Enter(n) if n != node && hidden(dom.tag(n)) && !dom.is_shadow_root(n) => {
                walk.skip_children()
            }
            Edge::Enter(n) | Edge::Leave(n) if apart(dom.tag(n)) => out.gap(),
            _ => {}
        }
    }
    out.into_text()
}

fn hidden(tag: Tag) -> bool {
    matches!(tag, Tag::Script | Tag::Style | Tag::Template | Tag::Noscript)
}

/// Whether what stands before, in and after the element does not run together: blocks, cells, breaks, choices.
#[rustfmt::skip]
fn apart(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Address | Tag::Article | Tag::Aside | Tag::Blockquote | Tag::Body | Tag::Br | Tag::Button
            | Tag::Caption | Tag::Center | Tag::Dd | Tag::Details | Tag::Dialog | Tag::Dir | Tag::Div | Tag::Dl
            | Tag::Dt | Tag::Fieldset | Tag::Figcaption | Tag::Figure | Tag::Footer | Tag::Form | Tag::H1 | Tag::H2
            | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::Head | Tag::Header | Tag::Hgroup | Tag::Hr | Tag::Html
            | Tag::Iframe | Tag::Legend | Tag::Li | Tag::Listing | Tag::Main | Tag::Menu | Tag::Nav | Tag::Ol
            | Tag::Optgroup | Tag::Option | Tag::P | Tag::Pre | Tag::Search | Tag::Section | Tag::Select
            | Tag::Summary | Tag::Table | Tag::Tbody | Tag::Td | Tag::Textarea | Tag::Tfoot | Tag::Th | Tag::Thead
            | Tag::Title | Tag::Tr | Tag::Ul | Tag::Xmp
    )
}

#[cfg(test)]
mod tests {
    use webmill_html::{Limits, parse};

    use super::*;

    #[test]
    fn as_a_reader_wants_it() {
        for (markup, expected) in [
            ("  a \n b  ", "a b"),
            ("<p>a</p><p>b</p>", "a b"),
            ("a<b>b</b>c", "abc"),
            ("a <b> b </b> c", "a b c"),
            ("a<br>b<hr>c", "a b c"),
            ("<table><tr><td>1<td>2<tr><td>3</table>", "1 2 3"),
            ("<ul><li>a<li>b</ul>", "a b"),
            ("a<script>x</script><style>y</style><noscript>z</noscript><template>t</template>b", "ab"),
            ("a<x-a><template shadowrootmode=open>s</template></x-a>b", "asb"),
            ("12&nbsp;<span>€</span>", "12 €"),
            ("<!-- c -->", ""),
        ] {
            let page = format!("<body>{markup}");
            let dom = parse(&page, &Limits::default());
            assert_eq!(text_of(&dom, dom.body().unwrap()), expected, "{markup}");
        }
        let dom = parse("<body><script>a  b</script>", &Limits::default());
        let script = dom.first_child(dom.body().unwrap()).unwrap();
        assert_eq!(text_of(&dom, script), "a b", "asked for by itself");
        assert_eq!(text_of(&dom, dom.document()), "");
    }
}
