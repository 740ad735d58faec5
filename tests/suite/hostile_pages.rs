//! Pages that nobody wrote for a reader: empty, binary, deep, wide, broken, in two encodings, cut and spliced. Through the
//! whole path, from bytes to keywords, each ends, within its limits, and the same twice.

use std::ops::Range;

use webmill::capture::CanonicalUrl;
use webmill::html::{Cuts, Limits, LinkLimits, Links, Metadata, decode, links, metadata, parse};
use webmill::text::{MainText, PageType, TextLimits, keywords, languages, main_text, words};

/// Limits of `extract`: a million nodes.
const LIMITS: Limits = Limits {
    max_depth: 512,
    max_nodes: 1_000_000,
    max_attrs_per_tag: 256,
    max_bytes: 64 << 20,
    max_work: 1 << 25,
};

const PROSE: &str = "<p>Good tea needs fresh water, a warm pot and patience, and whoever has none of the three should rather drink coffee.</p>";

/// Four paragraphs, no two alike: repeated ones count once.
fn article() -> String {
    ["water", "leaves", "milk", "sugar"].map(|of| PROSE.replace("coffee", of)).concat()
}

/// What becomes of a page.
#[derive(Debug)]
struct Outcome {
    encoding: &'static str,
    had_errors: bool,
    nodes: usize,
    cuts: Cuts,
    links: Links,
    meta: Metadata,
    main: MainText,
    words: usize,
}

fn inside(text: &str, range: &Range<usize>) -> bool {
    range.start <= range.end && text.get(range.clone()).is_some()
}

/// Reads a page all the way and holds what must hold of any.
fn read(bytes: &[u8], label: Option<&str>) -> Outcome {
    let decoded = decode(bytes, label.map(str::as_bytes), Some(b"cn"));
    let dom = parse(&decoded.text, &LIMITS);
    assert!(dom.len() <= LIMITS.max_nodes + 100, "{} nodes", dom.len());
    let url = CanonicalUrl::parse("http://example.com/a/b.html").expect("a URL");
    let limits = LinkLimits { scripts: true, ..LinkLimits::default() };
    let found = links(&dom, &url, decoded.used, &limits);
    assert!(found.links.len() <= limits.max_links);
    let meta = metadata(&dom, &found.base, &[]);
    let limits = TextLimits::default();
    let main = main_text(&dom, &meta, &limits);
    assert!(main.text.len() <= limits.max_text_bytes && main.markdown.len() <= 2 * limits.max_text_bytes);
    assert!((0.0..=1.0).contains(&main.confidence), "{}", main.confidence);
    assert!(main.code.iter().all(|range| inside(&main.text, range)), "{:?}", main.code);
    assert!(main.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.rows[0].len())));
    let spoken = languages(&main.text, &main.code);
    assert!(spoken.runs.iter().all(|run| inside(&main.text, &run.range)));
    assert!((0.0..=1.0).contains(&spoken.confidence));
    assert!(spoken.shares.iter().all(|(_, share)| (0.0..=1.0).contains(share)));
    let best = keywords(&main.text, 20);
    assert!(best.len() <= 20 && best.iter().all(|word| word.score.is_finite() && !word.word.is_empty()));
    let mut count = 0;
    words(&main.text, |_| count += 1);
    Outcome {
        encoding: decoded.name,
        had_errors: decoded.had_errors,
        nodes: dom.len(),
        cuts: dom.cut(),
        links: found,
        meta,
        main,
        words: count,
    }
}

fn cuts(outcome: &Outcome) -> Vec<&'static str> {
    outcome.cuts.names().collect()
}

#[test]
fn nothing_and_next_to_nothing() {
    for bytes in ["", " \n", "\0", "\u{FEFF}", "<", "<html>", "<!--", "<p>", "<title></title><body>"] {
        let found = read(bytes.as_bytes(), None);
        let main = &found.main;
        assert_eq!((main.text.trim(), main.page_type), ("", PageType::Other), "{bytes:?}");
        assert_eq!(
            (found.words, &main.about.title, &main.about.author, &main.about.published),
            (0, &None, &None, &None)
        );
        assert_eq!(cuts(&found), Vec::<&str>::new());
    }
}

#[test]
fn binary_is_read_as_something_bounded() {
    for head in [&b"\x89PNG\r\n\x1a\n"[..], b"%PDF-1.4\n", b"\x1f\x8b\x08", b"MZ\0\0", b"<html><p>"] {
        let noise = (0..200_000u64).map(|n| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8);
        let bytes: Vec<u8> = head.iter().copied().chain(noise).collect();
        for label in [None, Some("utf-8"), Some("gb18030"), Some("utf-16"), Some("iso-2022-jp"), Some("big5")]
        {
            let found = read(&bytes, label);
            assert!(found.main.text.len() < 4 * bytes.len() && found.nodes < bytes.len(), "{label:?}");
        }
        assert!(read(&bytes, Some("utf-8")).had_errors);
    }
    assert_eq!(read(&vec![0; 1 << 20], None).main.text.trim_matches(['\0', '\u{FFFD}']), "");
}

#[test]
fn fifty_megabytes_of_nested_tags() {
    for (tags, cut) in [("<div><b><i>", vec!["depth", "nodes"]), ("<table><tr><td>", vec!["depth", "nodes"])]
    {
        let found = read(tags.repeat((50 << 20) / tags.len()).as_bytes(), Some("utf-8"));
        assert_eq!((cuts(&found), found.words), (cut, 0), "{tags}");
        assert_eq!(found.main.page_type, PageType::Other);
    }
}

#[test]
fn a_hundred_thousand_divs_keep_their_text() {
    let page = format!("<title>Tea</title>{}{PROSE}{}", "<div>".repeat(100_000), article());
    let found = read(page.as_bytes(), None);
    assert_eq!((cuts(&found), found.main.text.lines().count()), (vec!["depth"], 5), "{}", found.main.text);
    assert!(found.nodes > 100_000);
}

#[test]
fn fifty_thousand_attributes_are_cut_and_counted() {
    let attributes: String = (0..50_000).map(|n| format!(" a{n}=v{n}")).collect();
    for tag in ["p", "html", "body", "meta", "a href=/x", "svg"] {
        let page = format!("<{tag}{attributes}>x</p>{}", article());
        let dom_attributes = {
            let dom = parse(&page, &LIMITS);
            dom.descendants(dom.document()).map(|node| dom.attrs(node).count()).max()
        };
        assert_eq!(dom_attributes, Some(LIMITS.max_attrs_per_tag), "{tag}");
        let found = read(page.as_bytes(), None);
        assert_eq!(cuts(&found), ["attributes"], "{tag}");
        // All that follows an open link is of the link, which is no sign of prose.
        let kept = if tag.starts_with("a ") { 3 } else { 4 };
        assert!(found.main.text.matches("Good tea").count() >= kept, "{tag}: {}", found.main.text);
    }
}

#[test]
fn invalid_utf_8_costs_only_itself() {
    let mut page = format!("<meta charset=utf-8><title>茶</title>{}", article()).into_bytes();
    for (n, bad) in
        [&b"\xFF"[..], b"\xC3", b"\xE8\x8C", b"\xED\xA0\x80", b"\xF8\x88\x80\x80\x80"].iter().enumerate()
    {
        let at = page.len() - 40 * (n + 1);
        page.splice(at..at, bad.iter().copied());
    }
    page.extend("<p>茶茶茶茶茶茶茶茶茶茶茶茶茶茶茶</p>".bytes());
    let found = read(&page, None);
    assert_eq!((found.encoding, found.had_errors), ("UTF-8", true));
    assert_eq!(found.main.about.title.as_deref(), Some("茶"));
    assert!(found.main.text.contains('\u{FFFD}') && found.main.text.matches("Good").count() >= 3);
}

#[test]
fn a_page_with_two_charsets_is_read_in_one() {
    let chinese = "<p>我们把网页的文字和它的链接分开，然后统计每个词出现的次数，这是一个很长的句子。</p>";
    let gbk = encoding_rs::GBK.encode(chinese).0;
    let page = |head: &str, parts: &[&[u8]]| [head.as_bytes(), &parts.concat()].concat();
    let cases: [(Vec<u8>, &str, bool); 6] = [
        // Two declarations: the first counts, but where the bytes contradict it.
        (page("<meta charset=gbk><meta charset=utf-8>", &[&gbk]), "GBK", false),
        (page("<meta charset=utf-8><meta charset=gbk>", &[&gbk]), "GBK", false),
        (page("<meta charset=gbk><meta charset=utf-8>", &[chinese.as_bytes()]), "UTF-8", false),
        // Two encodings: that of the most characters.
        (page("<meta charset=utf-8>", &[&chinese.repeat(9).into_bytes(), &gbk]), "UTF-8", true),
        (page("", &[&chinese.repeat(9).into_bytes(), &gbk]), "UTF-8", true),
        (page("<meta charset=utf-8>", &[&gbk.repeat(9), chinese.as_bytes()]), "GBK", true),
    ];
    for (n, (bytes, encoding, had_errors)) in cases.iter().enumerate() {
        let found = read(bytes, None);
        assert_eq!((found.encoding, found.had_errors), (*encoding, *had_errors), "case {n}");
        assert!(found.main.text.contains("统计每个词"), "case {n}: {}", found.main.text);
        assert_eq!(found.main, read(bytes, None).main);
    }
}

#[test]
fn pages_of_scripts_alone_have_no_text() {
    let scripts = "<script>document.write('Good tea needs fresh water');</script>".repeat(1000);
    for page in [
        format!("<title>App</title><body><div id=app></div>{scripts}"),
        format!("<title>App</title><style>p {{ color: red }}</style>{scripts}<template>{PROSE}</template>"),
        format!("<title>App</title><script>{}", "<!--<script>".repeat(10_000)),
    ] {
        let found = read(page.as_bytes(), None);
        assert_eq!(
            (found.main.text.as_str(), found.words, found.main.about.title.as_deref()),
            ("", 0, Some("App"))
        );
        assert_eq!(found.main.page_type, PageType::Other);
    }
    let found = read(format!("{scripts}<noscript>{}</noscript>", article()).as_bytes(), None);
    assert_eq!(found.main.text.matches("Good tea").count(), 4);
}

#[test]
fn frames_give_links() {
    let page = "<title>T</title><frameset cols=20%,80%><frame src=menu.html><frame src=main.html><noframes>Get a browser</noframes></frameset>";
    let found = read(page.as_bytes(), None);
    let targets: Vec<&str> = found.links.links.iter().map(|link| link.target.path()).collect();
    assert_eq!((targets, found.main.text.as_str()), (vec!["/a/menu.html", "/a/main.html"], ""));
    assert_eq!(found.meta.about.title.as_deref(), Some("T"));
    let found = read("<frameset><frame src=x>".repeat(50_000).as_bytes(), None);
    assert_eq!(found.main.text, "");
    let found = read(format!("{}{PROSE}", "<iframe src=/x></iframe>".repeat(50_000)).as_bytes(), None);
    assert_eq!(found.links.links.len() + found.links.skipped.limit as usize, 50_000);
}

#[test]
fn long_fields_are_cut_or_dropped() {
    let page = format!(
        "<title>{0}</title><meta name=author content='{0}'><meta name=description content='{0}'>{PROSE}",
        "a word ".repeat(1_500_000)
    );
    let found = read(page.as_bytes(), None);
    let fields = [
        &found.meta.about.title,
        &found.meta.about.author,
        &found.meta.about.description,
        &found.main.about.title,
        &found.main.about.author,
    ];
    for (n, field) in fields.into_iter().flatten().enumerate() {
        assert!(field.len() <= 64 << 10, "field {n}: {} bytes", field.len());
    }
    assert!(found.main.text.contains("Good tea"));
}
