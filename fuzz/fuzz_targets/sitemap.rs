#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| webmill::crawl::sitemap::fuzz(data));
