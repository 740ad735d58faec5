//! Pages that nobody wrote for a reader: empty, deep, wide, broken, in two encodings. What holds of any bytes is asked of fuzz target
//! `page`; here are pages that are too large for it, and what must be left of each.

use webmill::capture::CanonicalUrl;
use webmill::html::{Limits, LinkLimits, Links, Metadata, decode, links, metadata, parse};
use webmill::text::{MainText, PageType, TextLimits, main_text, words};
use webmill_capture::cut::Cut;

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
struct Outcome {
    encoding: &'static str,
    had_errors: bool,
    nodes: usize,
    cuts: Vec<&'static str>,
    links: Links,
    meta: Metadata,
    main: MainText,
    words: usize,
}

fn read(bytes: &[u8]) -> Outcome {
    let decoded = decode(bytes, None, Some(b"cn"));
    let dom = parse(&decoded.text, &LIMITS);
    let url = CanonicalUrl::parse("http://example.com/a/b.html").expect("a URL");
    let links = links(&dom, &url, decoded.used, &LinkLimits::default());
    let meta = metadata(&dom, &links.base, &[]);
    let main = main_text(&dom, &meta, &TextLimits::default());
    let mut count = 0;
    words(&main.text, |_| count += 1);
    let (nodes, cuts) = (dom.len(), dom.cut().names().collect());
    Outcome {
        encoding: decoded.name,
        had_errors: decoded.had_errors,
        nodes,
        cuts,
        links,
        meta,
        main,
        words: count,
    }
}

#[test]
fn pages_without_a_text_have_none() {
    let scripts = "<script>document.write('Good tea needs fresh water');</script>".repeat(1000);
    for page in [
        String::new(),
        "\u{FEFF} \n\0<!--".to_owned(),
        "<title></title><body>".to_owned(),
        "<div><b><i>".repeat((50 << 20) / 11),
        "<table><tr><td>".repeat((50 << 20) / 15),
        format!("<style>p {{ color: red }}</style>{scripts}<template>{PROSE}</template>"),
        format!("<script>{}", "<!--<script>".repeat(10_000)),
        "<frameset><frame src=x>".repeat(50_000),
    ] {
        let found = read(page.as_bytes());
        let start = page.cut(..page.len().min(40));
        assert_eq!((found.main.text.trim_matches(['\0', ' ']), found.words), ("", 0), "{start:?}");
        assert!(
            found.main.page_type == PageType::Empty && found.nodes <= LIMITS.max_nodes + 100,
            "{start:?}"
        );
        assert_eq!(found.cuts.contains(&"nodes"), page.len() > 5 << 20, "{start:?}");
    }
    let found = read(format!("{scripts}<noscript>{}</noscript>", article()).as_bytes());
    assert_eq!(found.main.text.matches("Good tea").count(), 4);
}

#[test]
fn what_is_too_much_is_cut_and_the_text_stays() {
    let found = read(format!("<title>Tea</title>{}{PROSE}{}", "<div>".repeat(100_000), article()).as_bytes());
    assert_eq!((found.cuts, found.main.text.lines().count()), (vec!["depth"], 5), "{}", found.main.text);
    let attributes: String = (0..50_000).map(|n| format!(" a{n}=v{n}")).collect();
    for tag in ["p", "html", "a href=/x", "svg"] {
        let found = read(format!("<{tag}{attributes}>x</p>{}", article()).as_bytes());
        assert_eq!(found.cuts, ["attributes"], "{tag}");
        // All that follows an open link is of the link, which is no sign of prose.
        let kept = if tag.starts_with("a ") { 3 } else { 4 };
        assert!(found.main.text.matches("Good tea").count() >= kept, "{tag}: {}", found.main.text);
    }
    let long = "a word ".repeat(1_500_000);
    let head = format!(
        "<title>{long}</title><meta name=author content='{long}'><meta name=description content='{long}'>"
    );
    let Outcome { meta, main, .. } = read((head + PROSE).as_bytes());
    for field in [
        &meta.about.title,
        &meta.about.author,
        &meta.about.description,
        &main.about.title,
        &main.about.author,
    ]
    .into_iter()
    .flatten()
    {
        assert!(field.len() <= 64 << 10, "{} bytes", field.len());
    }
    assert!(main.text.contains("Good tea"));
    let found = read(format!("{}{PROSE}", "<iframe src=/x></iframe>".repeat(50_000)).as_bytes());
    assert_eq!(found.links.links.len() + found.links.skipped.limit as usize, 50_000);
}

#[test]
fn a_page_with_two_charsets_is_read_in_one() {
    let chinese = "<p>我们把网页的文字和它的链接分开，然后统计每个词出现的次数，这是一个很长的句子。</p>";
    let gbk = encoding_rs::GBK.encode(chinese).0;
    let page = |head: &str, parts: &[&[u8]]| [head.as_bytes(), &parts.concat()].concat();
    let (utf8, many) = (chinese.as_bytes(), chinese.repeat(9).into_bytes());
    // Of two declarations the first counts, but where the bytes contradict it; of two encodings that of the most characters.
    for (n, (bytes, encoding, had_errors)) in [
        (page("<meta charset=gbk><meta charset=utf-8>", &[&gbk]), "GBK", false),
        (page("<meta charset=utf-8><meta charset=gbk>", &[&gbk]), "GBK", false),
        (page("<meta charset=gbk><meta charset=utf-8>", &[utf8]), "UTF-8", false),
        (page("<meta charset=utf-8>", &[&many, &gbk]), "UTF-8", true),
        (page("", &[&many, &gbk]), "UTF-8", true),
        (page("<meta charset=utf-8>", &[&gbk.repeat(9), utf8]), "GBK", true),
        (page("<meta charset=utf-8>", &[&many, b"\xFF\xC3\xE8\x8C\xED\xA0\x80"]), "UTF-8", true),
    ]
    .into_iter()
    .enumerate()
    {
        let found = read(&bytes);
        assert_eq!((found.encoding, found.had_errors), (encoding, had_errors), "case {n}");
        assert!(found.main.text.contains("统计每个词"), "case {n}: {}", found.main.text);
    }
}
