//! Signals of RedPajama-v2 that others do not have.
//!
//! **Reference.** Weber and others 2024, "RedPajama: an Open Dataset for Training Large Language Models", arXiv 2411.12372, appendix D.

use webmill_text::StopWords;

use super::{Room, Signals, View, share};

pub(super) fn measure(view: &View<'_>, room: &mut Room, row: &mut Signals) {
    let words = || view.tokens.iter().filter(|token| !token.is_sign);
    let all = words().count();
    let stops = view.language.filter(|name| StopWords::know(name)).map(|name| StopWords::of(Some(name)));
    let (mut capitals, mut stop) = (0, 0);
    room.hashes.clear();
    for token in words() {
        let word = token.of(view.text);
        let is_small = word.bytes().all(|b| b.is_ascii_lowercase());
        let lower = if is_small {
            word
        } else {
            let mut letters = word.chars().filter(|c| c.is_alphabetic()).peekable();
            capitals +=
                usize::from(token.chars > 1 && letters.peek().is_some() && letters.all(char::is_uppercase));
            room.word.clear();
            room.word.extend(word.chars().flat_map(char::to_lowercase));
            &room.word
        };
        let hash = if is_small { token.hash } else { xxhash_rust::xxh3::xxh3_64(lower.as_bytes()) };
        stop += usize::from(stops.as_ref().is_some_and(|stops| stops.hold_hashed(lower, hash)));
        room.hashes.push(hash);
    }
    row.capital_words = share(capitals, all);
    row.stop_word_share = stops.and_then(|_| share(stop, all));
    room.hashes.sort_unstable();
    let (mut distinct, mut entropy) = (0, 0.0);
    for same in room.hashes.chunk_by(|a, b| a == b) {
        let p = same.len() as f64 / all as f64;
        distinct += 1;
        entropy -= p * p.ln();
    }
    row.distinct_words = share(distinct, all);
    row.word_entropy = (all > 0).then_some(f64::max(entropy, 0.0));
    let (mut capitals, mut digits) = (0, 0);
    for c in view.text.chars() {
        let is_small = c.is_ascii_lowercase() || c == ' ';
        capitals += usize::from(!is_small && c.is_uppercase());
        digits += usize::from(!is_small && c.is_numeric());
    }
    row.capital_chars = capitals as f64 / view.chars;
    row.digit_chars = digits as f64 / view.chars;
}
