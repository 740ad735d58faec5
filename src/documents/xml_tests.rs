use super::*;

fn text(source: &str) -> String {
    Xml::parse(source.as_bytes()).root().map(Element::text).unwrap_or_default()
}

#[test]
fn words_are_decoded() {
    for (source, words) in [
        ("<a>x<b>y</b>z</a>", "xyz"),
        ("<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;</a>", "<&>\"'AB"),
        ("<a><![CDATA[<b>&amp;]]></a>", "<b>&amp;"),
        ("<a>x & y &; &nbsp; &#0; &#xD800;</a>", "x & y &; &nbsp; &#0; &#xD800;"),
        ("<?xml version='1.0'?><!-- c --><a>x<!-- c -->y<?p?></a>", "xy"),
        ("<a>not closed<b>at all", "not closedat all"),
        ("<a>x</b>y</a>", "xy"),
        ("no element", ""),
        ("", ""),
    ] {
        assert_eq!(text(source), words, "{source}");
    }
}

#[test]
fn declared_entities_stay_as_they_are() {
    let laughs = "<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;&x;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]><a b='&y;'>&y;&f;</a>";
    let xml = Xml::parse(laughs.as_bytes());
    let root = xml.root().unwrap();
    assert_eq!(root.text(), "&y;&f;");
    assert_eq!(root.attr("b").as_deref(), Some("&y;"));
}

#[test]
fn elements_are_found_by_local_names() {
    let xml = Xml::parse(b"<w:a id='1' r:id=\"2\" w:val='&lt;'><w:b/><x:c><w:b n=' 7 '>t</w:b></x:c></w:a>");
    let root = xml.root().unwrap();
    assert_eq!(root.name(), "a");
    assert_eq!(root.attr("id").as_deref(), Some("1"));
    assert_eq!(root.prefixed_attr("id").as_deref(), Some("2"));
    assert_eq!(root.attr("val").as_deref(), Some("<"));
    assert_eq!(root.attr("none"), None);
    assert_eq!(root.children().map(Element::name).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(root.descendants().count(), 3);
    assert_eq!(root.path(&["c", "b"]).and_then(|b| b.number::<u8>("n")), Some(7));
    assert!(root.path(&["c", "d"]).is_none());
}

#[test]
fn charsets_are_told_by_the_first_bytes() {
    let utf16 = |bytes: &mut dyn Iterator<Item = u16>| bytes.flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let source = "<a>好</a>";
    let marked = utf16(&mut std::iter::once(0xFEFF).chain(source.encode_utf16()));
    let unmarked = utf16(&mut source.encode_utf16());
    let declared = b"<?xml version='1.0' encoding='gb2312'?><a>\xBA\xC3</a>".to_vec();
    // Says UTF-16 and is not.
    let lying = "<?xml version='1.0' encoding='UTF-16'?><a>好</a>".as_bytes().to_vec();
    for bytes in [source.as_bytes().to_vec(), marked, unmarked, declared, lying] {
        assert_eq!(Xml::parse(&bytes).root().unwrap().text(), "好", "{bytes:?}");
    }
}

#[test]
fn deep_and_long_parts_are_cut() {
    let deep = format!("{}x{}y", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let xml = Xml::parse(deep.as_bytes());
    assert_eq!((xml.cut(), xml.is_damaged()), (Some("too-deep"), false));
    assert_eq!(xml.root().unwrap().descendants().count(), MAX_DEPTH - 1);
    let many = format!("<a>{}</a>", "<b/>".repeat(MAX_NODES + 1));
    let xml = Xml::parse(many.as_bytes());
    assert_eq!(xml.cut(), Some("too-much-work"));
    assert_eq!(xml.root().unwrap().children().count(), MAX_NODES - 1);
}

#[test]
fn streamed_elements_are_not_kept() {
    let source = "<s><rows><r>1</r><r>2<r>3</r></r><r>4</r></rows><links>x</links></s>";
    let mut seen = Vec::new();
    let left = stream(source.as_bytes(), "r", usize::MAX, |element| {
        seen.push(element.text());
        true
    });
    // One within another is seen first, and is no part of that then.
    assert_eq!(seen, ["1", "3", "2", "4"]);
    assert_eq!(left.root().unwrap().text(), "x");
    let mut count = 0;
    let stopped = stream(source.as_bytes(), "r", usize::MAX, |_| {
        count += 1;
        false
    });
    assert_eq!((count, stopped.root().unwrap().text().as_str()), (1, ""));
    // Those that are not kept count too.
    let cut = stream(source.as_bytes(), "r", 5, |_| true);
    assert_eq!((cut.met(), cut.cut()), (5, Some("too-much-work")));
}
