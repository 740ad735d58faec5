//! Any bytes read as an HTML page: sniffed, decoded under labels and without, parsed, walked.
#![no_main]

use webmill::html::sniff::{is_markup, sniff};
use webmill::html::{Limits, decode, parse};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    is_markup(Some("text/html"), sniff(data));
    for label in [&b"windows-1252"[..], b"windows-1251", b"koi8-r", b"gbk", b"utf-8"] {
        decode(data, Some(label), None);
    }
    let decoded = decode(data, None, None);
    let dom = parse(&decoded.text, &Limits::default());
    let nodes = dom.descendants(dom.document()).count();
    assert!(nodes < dom.len());
});
