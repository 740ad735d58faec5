#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    webmill::index::store::fuzz_block(data);
    webmill::index::store::fuzz_log(data);
});
