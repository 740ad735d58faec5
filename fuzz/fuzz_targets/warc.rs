//! Any bytes read as a WARC file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| webmill::shard::fuzz_warc(data));
