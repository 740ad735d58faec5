//! Any bytes read as a RAW DB file: no panic, bounded memory, ranges that join.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| webmill::shard::fuzz_raw(data));
