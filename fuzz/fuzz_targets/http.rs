//! Any bytes read as an HTTP response, through both decodings.
#![no_main]

use webmill::capture::{Response, decode_content};

const MAX: usize = 1 << 20;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let response = Response::parse(data);
    let payload = response.payload(MAX);
    assert!(payload.bytes.len() <= MAX);
    let decoded = decode_content(&response, &payload.bytes, MAX);
    assert!(decoded.bytes.len() <= MAX);
    let _ = (response.media_type(), response.headers().count());
});
