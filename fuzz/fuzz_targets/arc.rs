//! Any bytes behind the first line of an ARC file: no panic, and an end.
#![no_main]

use webmill::shard::{ReadOptions, ShardReader};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let start = b"filedesc://x.arc 0.0.0.0 20030415081306 text/plain 0\n\n";
    let shard = std::io::Cursor::new([&start[..], data].concat());
    let options = ReadOptions { max_record_bytes: 1 << 16, ..ReadOptions::default() };
    let Ok(mut reader) = ShardReader::from_reader(Box::new(shard), "fuzz", &options) else { return };
    for _ in 0..2 * data.len() + 4 {
        match reader.next() {
            Some(Ok(record)) => assert!(record.data.len() <= 1 << 16),
            Some(Err(_)) => {}
            None => return,
        }
    }
    panic!("more steps than bytes");
});
