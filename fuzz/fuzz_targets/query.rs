#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| webmill::serve::fuzz_request(data));
