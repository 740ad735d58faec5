//! Any bytes as an inverted index, and as a line of an access log.
#![no_main]

use std::path::Path;

use webmill::jobs::count::visits::line::LogLine;
use webmill::jobs::mapreduce::postings::{Cursor, Index, Scoring, best, phrase};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(line) = LogLine::parse(text)
    {
        assert!(!line.target.is_empty() && line.status <= 999);
    }
    // With a beginning that is right, so that the rest is looked at.
    let mut bytes = b"webmill index 1\n".to_vec();
    bytes.extend_from_slice(data);
    let Ok(index) = Index::of_bytes(Path::new("index"), bytes) else { return };
    let mut terms = Vec::new();
    let _ = index.each_term(|term| {
        if terms.len() < 64 {
            terms.push(term);
        }
    });
    for term in &terms {
        let _ = index.find(&term.term);
        if let Ok(mut cursor) = index.cursor(term) {
            let mut places = Vec::new();
            while cursor.number() < u32::MAX {
                let number = cursor.number();
                if cursor.positions(&mut places).is_err() || cursor.seek(number + 1).is_err() {
                    break;
                }
                assert!(cursor.number() > number);
            }
        }
    }
    let cursors = || -> Vec<_> { terms.iter().filter_map(|term| index.cursor(term).ok()).take(8).collect() };
    let _ = phrase(&mut cursors());
    let scoring = Scoring { texts: index.texts(), words: 100, lengths: &[3, 1, 40] };
    let _ = best(&mut cursors(), 5, &scoring);
});
