//! Any text read as a feed: RSS, Atom, JSON Feed.
#![no_main]

use webmill::html::feed::{FeedLimits, feed};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let limits = FeedLimits::default();
    if let Some(found) = feed(text, None, &limits) {
        assert!(found.items.len() <= limits.max_items);
    }
});
