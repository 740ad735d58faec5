//! Any bytes read as an HTML page: decoded, parsed, walked.
#![no_main]

use webmill::html::{Limits, decode, parse};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let decoded = decode(data, None, None);
    let dom = parse(&decoded.text, &Limits::default());
    let nodes = dom.descendants(dom.document()).count();
    assert!(nodes < dom.len());
});
