//! Any bytes as a style sheet, a srcset, a `Link` header.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut end = 0;
    webmill::html::css::each_address(data, encoding_rs::UTF_8, &mut |range, _| {
        assert!(range.start <= range.end && range.end <= data.len() && range.start >= end);
        end = range.end;
    });
    let Ok(text) = std::str::from_utf8(data) else { return };
    assert!(webmill::html::candidates(text).all(|candidate| !candidate.is_empty()));
    for link in webmill::html::link_header(text) {
        let _ = link.get("rel");
    }
});
