//! Signals of Gopher's quality rules.
//!
//! **Reference.** Rae and others 2021, "Scaling Language Models: Methods, Analysis & Insights from Training Gopher", arXiv 2112.11446, appendix A.1.1.

use super::signs::{is_space, lines};
use super::{Room, Signals, View, share};

const STOP_WORDS: [&str; 8] = ["the", "be", "to", "of", "and", "that", "have", "with"];

/// How often three full stops, none counted twice, or an ellipsis stand in a text.
fn ellipses(text: &str) -> usize {
    let of_dots = memchr::memmem::find_iter(text.as_bytes(), b"...").count();
    of_dots + memchr::memmem::find_iter(text.as_bytes(), "…".as_bytes()).count()
}

pub(super) fn measure(view: &View<'_>, _: &mut Room, row: &mut Signals) {
    let (text, tokens) = (view.text, view.tokens);
    let plain = tokens.iter().filter(|token| !token.is_sign);
    let (words, chars) = plain.fold((0, 0u64), |(n, chars), token| (n + 1, chars + u64::from(token.chars)));
    row.num_tokens = tokens.len() as u32;
    row.plain_words = words;
    row.mean_word_length = (words > 0).then(|| chars as f64 / f64::from(words));
    row.hashes_per_word = share(text.bytes().filter(|b| *b == b'#').count(), tokens.len());
    row.ellipses_per_word = share(ellipses(text), tokens.len());
    let (mut all, mut bullets, mut ellipses) = (0, 0, 0);
    for line in lines(text) {
        all += 1;
        bullets += usize::from(line.trim_start_matches(is_space).starts_with(['•', '-']));
        let end = line.trim_end_matches(is_space);
        ellipses += usize::from(end.ends_with("...") || end.ends_with('…'));
    }
    row.bullet_lines = share(bullets, all);
    row.ellipsis_lines = share(ellipses, all);
    row.words_with_letters = share(tokens.iter().filter(|token| token.has_letter).count(), tokens.len());
    let mut met = [false; STOP_WORDS.len()];
    for token in tokens.iter().filter(|token| token.end - token.start <= 4) {
        if let Some(at) = STOP_WORDS.iter().position(|word| *word == token.of(text)) {
            met[at] = true;
        }
    }
    row.stop_words = met.iter().filter(|met| **met).count() as u32;
}
