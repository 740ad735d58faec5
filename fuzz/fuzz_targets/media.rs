//! Any bytes as the first and last ones of a body: its format, its facts, its lyrics.
#![no_main]

use webmill::documents::media::{MediaOptions, Window, detect, facts, lyrics};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let options = MediaOptions { gps: true, tld: Some(b"cn") };
    // Whole, with a gap, and with a length that lies.
    let (begin, end) = data.split_at(data.len() / 2);
    for window in [Window::of(data), Window::new(begin, end, 1 << 30), Window::new(data, end, u64::MAX)] {
        let found = facts(&window, &options);
        assert_eq!(found.is_some(), detect(&window, &options).is_some());
        if let Some(found) = found {
            assert_eq!(found.width.is_some(), found.height.is_some());
        }
    }
    if let Ok(text) = std::str::from_utf8(data)
        && let Some(found) = lyrics(text)
    {
        assert!(found.lines.is_sorted_by_key(|line| line.at_ms));
    }
});
