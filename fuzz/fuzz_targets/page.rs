//! Any bytes read as a page: characters, tree, metadata, links, main text with all details, languages, keywords.
//!
//! The first byte says what the HTTP header and the host's name were. Whatever the page: the same twice, text within its
//! limits, ranges on characters, shares and confidences between 0 and 1.
#![no_main]

use std::ops::Range;

use webmill::capture::CanonicalUrl;
use webmill::html::{
    Limits, LinkLimits, RequisiteLimits, decode, each_requisite, items, links, metadata, parse,
};
use webmill::text::{MainText, TextLimits, keywords, languages, main_text, words};

const LABELS: [Option<&[u8]>; 8] = [
    None,
    Some(b"utf-8"),
    Some(b"gb2312"),
    Some(b"iso-8859-1"),
    Some(b"big5"),
    Some(b"utf-16"),
    Some(b"x"),
    Some(b"hz"),
];
const TLDS: [Option<&[u8]>; 4] = [None, Some(b"com"), Some(b"cn"), Some(b"ru")];

fn within(text: &str, range: &Range<usize>) -> bool {
    range.start <= range.end && text.get(range.clone()).is_some()
}

fn page(data: &[u8], label: Option<&[u8]>, tld: Option<&[u8]>, max_text_bytes: usize) -> MainText {
    let decoded = decode(data, label, tld);
    let limits = Limits { max_nodes: 50_000, ..Limits::default() };
    let dom = parse(&decoded.text, &limits);
    let url = CanonicalUrl::parse("http://example.com/a/b.html").expect("a URL");
    let found = links(&dom, &url, decoded.used, &LinkLimits { scripts: true, ..LinkLimits::default() });
    assert!(found.links.iter().all(|link| link.target.is_web()));
    each_requisite(&dom, &found.base, &RequisiteLimits::default(), &mut |needed| {
        assert!(needed.url.is_web())
    });
    items(&dom, Some(&found.base));
    let meta = metadata(&dom, &found.base, &[]);
    let main = main_text(&dom, &meta, &TextLimits { max_text_bytes, ..TextLimits::default() });
    assert!(main.text.len() <= max_text_bytes && main.markdown.len() <= 2 * max_text_bytes);
    assert!((0.0..=1.0).contains(&main.confidence), "{}", main.confidence);
    assert!(main.code.iter().all(|range| within(&main.text, range)));
    assert!(main.code.windows(2).all(|pair| pair[0].end <= pair[1].start));
    for table in &main.tables {
        let named = (!table.columns.is_empty()).then_some(table.columns.len());
        let width = named.or(table.rows.first().map(Vec::len));
        assert!(table.rows.iter().all(|row| Some(row.len()) == width));
    }
    main
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&first, data)) = data.split_first() else { return };
    let (label, tld) = (LABELS[usize::from(first & 7)], TLDS[usize::from(first >> 3 & 3)]);
    let max = if first & 0x80 == 0 { TextLimits::default().max_text_bytes } else { 100 };
    let main = page(data, label, tld, max);
    assert_eq!(main, page(data, label, tld, max));
    let found = languages(&main.text, &main.code);
    assert!(found.runs.iter().all(|run| within(&main.text, &run.range)));
    assert!(found.shares.iter().all(|(_, share)| (0.0..=1.0).contains(share)));
    assert!((0.0..=1.0).contains(&found.confidence), "{}", found.confidence);
    let best = keywords(&main.text, 20);
    assert!(best.len() <= 20 && best.iter().all(|word| !word.word.is_empty() && word.score.is_finite()));
    let mut count = 0;
    words(&main.text, |word| count += usize::from(!word.is_empty()));
    assert!(count <= main.text.len());
});
