use super::*;

fn names(dom: &Dom) -> Vec<String> {
    dom.walk(dom.document())
        .map(|edge| match edge {
            Edge::Enter(n) => format!("+{}", dom.name(n)),
            Edge::Leave(n) => format!("-{}", dom.name(n)),
        })
        .collect()
}

fn small() -> Dom<'static> {
    let mut dom = Dom::new(Cow::Borrowed("ab"));
    for (tag, parent) in [(Tag::Html, 0), (Tag::Head, 1), (Tag::Body, 1), (Tag::P, 3)] {
        let n = dom.push_node(Node::new(tag));
        dom.append(parent, n);
    }
    let text = dom.push_node(Node { a: 0, b: 2, ..Node::new(Tag::Text) });
    dom.append(4, text);
    dom
}

#[test]
fn a_node_has_32_bytes() {
    assert_eq!(std::mem::size_of::<Node>(), 32);
}

#[test]
fn walk_enters_and_leaves_every_node() {
    let dom = small();
    assert_eq!(
        names(&dom).join(" "),
        "+#document +html +head -head +body +p +#text -#text -p -body -html -#document"
    );
    let mut text = String::new();
    dom.text_content(NodeId(1), &mut text);
    assert_eq!(text, "ab");
    assert_eq!(dom.descendants(NodeId(3)).collect::<Vec<_>>(), [NodeId(4), NodeId(5)]);
    assert_eq!(dom.ancestors(NodeId(5)).collect::<Vec<_>>(), [NodeId(4), NodeId(3), NodeId(1), NodeId(0)]);
    assert_eq!(dom.parent(NodeId(0)), None);
    assert_eq!(dom.parent(NodeId(1)), Some(NodeId(0)));
}

#[test]
fn skipping_children_leaves_next() {
    let dom = small();
    let mut walk = dom.walk(dom.document());
    let mut seen = Vec::new();
    while let Some(edge) = walk.next() {
        seen.push(edge);
        // Twice and at leaves: no effect.
        if matches!(edge, Edge::Enter(NodeId(3 | 2 | 5)) | Edge::Leave(NodeId(2))) {
            walk.skip_children();
            walk.skip_children();
        }
    }
    assert!(seen.contains(&Edge::Leave(NodeId(3))) && !seen.contains(&Edge::Enter(NodeId(4))));
    assert_eq!(seen.last(), Some(&Edge::Leave(NodeId(0))));
}

#[test]
fn relinking_keeps_both_ends() {
    let mut dom = small();
    dom.detach(2);
    dom.detach(2);
    dom.insert_before(5, 2);
    assert_eq!(
        names(&dom).join(" "),
        "+#document +html +body +p +head -head +#text -#text -p -body -html -#document"
    );
    assert_eq!(dom.move_children(4, 3), 2);
    assert_eq!(
        names(&dom).join(" "),
        "+#document +html +body +p -p +head -head +#text -#text -body -html -#document"
    );
    assert_eq!(dom.prev_sibling(NodeId(2)), Some(NodeId(4)));
    assert_eq!(dom.last_child(NodeId(3)), Some(NodeId(5)));
}
