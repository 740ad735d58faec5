//! Any bytes, replayed as a page, a style sheet and a script.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| webmill::serve::replay::fuzz_replay(data));
