//! Any bytes, received in any pieces, read as the answer to a request.
#![no_main]

use webmill::crawl::fetch::reader::{Progress, Reader};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&piece, data)) = data.split_first() else { return };
    let mut reader = Reader::new(Vec::new(), piece & 1 == 1);
    for chunk in data.chunks(usize::from(piece / 2).max(1)) {
        reader.raw.extend_from_slice(chunk);
        match reader.advance() {
            Ok(Progress::Done) => break,
            Ok(_) => {}
            Err(_) => return,
        }
    }
    if reader.finish() {
        reader.trim();
        assert!(reader.end() <= data.len() && reader.head_len() <= reader.end());
    }
});
