//! The piece of a text where the terms of a query stand.

use std::collections::HashSet;
use std::ops::Range;
use webmill_capture::cut::Cut;

use webmill_serve::site::Span;
use webmill_text::{normalize, words};

use super::terms::is_han;

/// Bytes of a text that are looked through.
const LOOKED: usize = 256 << 10;
/// Most places that are looked at.
const PLACES: usize = 2000;
/// Bytes of an excerpt: Chinese characters have three.
const BYTES: usize = 280;

/// The window of a text with the most different terms, the earliest of equals, its terms marked.
pub fn excerpt(text: &str, terms: &[String]) -> Vec<Span> {
    let text = text.cut(..text.floor_char_boundary(LOOKED));
    let found = places(text, terms);
    let (mut best, mut most, mut end) = (0, 0, 0);
    for start in 0..found.len() {
        end = end.max(start);
        while end < found.len() && found[end].0.end - found[start].0.start <= BYTES {
            end += 1;
        }
        let different: HashSet<usize> = found[start..end].iter().map(|place| place.1).collect();
        if different.len() > most {
            (best, most) = (start, different.len());
        }
    }
    // A little of what stands before.
    let begin = found.get(best).map_or(0, |place| place.0.start.saturating_sub(BYTES / 4));
    let from = word_start(text, text.floor_char_boundary(begin));
    let to = text.floor_char_boundary((from + BYTES).min(text.len()));
    let mut spans = Vec::new();
    let mut push = |piece: &str, found: bool| {
        if !piece.is_empty() {
            let one_line = piece.split('\n').collect::<Vec<_>>().join(" ");
            spans.push(Span { text: one_line, found });
        }
    };
    if from > 0 {
        push("… ", false);
    }
    let mut at = from;
    for (place, _) in found.iter().filter(|place| place.0.start >= from && place.0.end <= to) {
        if place.start >= at {
            push(text.cut(at..place.start), false);
            push(text.cut(place.clone()), true);
            at = place.end;
        }
    }
    push(text.cut(at..to), false);
    if to < text.len() {
        push(" …", false);
    }
    spans
}

/// Where terms stand: words that are one, and parts of Chinese words.
fn places(text: &str, terms: &[String]) -> Vec<(Range<usize>, usize)> {
    let mut found = Vec::new();
    words(text, |word| {
        if found.len() >= PLACES {
            return;
        }
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        if word.starts_with(is_han) {
            for (number, term) in terms.iter().enumerate() {
                found.extend(
                    word.match_indices(term.as_str())
                        .map(|(in_word, part)| (at + in_word..at + in_word + part.len(), number)),
                );
            }
            return;
        }
        let plain = normalize(word);
        if let Some(number) = terms.iter().position(|term| *term == plain) {
            found.push((at..at + word.len(), number));
        }
    });
    found.sort_by_key(|place| (place.0.start, place.0.end));
    found
}

/// The next place from `at` on where a word begins; `at` where none does soon.
fn word_start(text: &str, at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let near = text.cut(at..text.floor_char_boundary((at + 24).min(text.len())));
    match near.find(|c: char| c.is_whitespace() || is_han(c)) {
        Some(space) if near.cut(space..).starts_with(is_han) => at + space,
        Some(space) => at + space + near.cut(space..).chars().next().map_or(1, char::len_utf8),
        None => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, query: &str) -> String {
        let spans = excerpt(text, &super::super::terms::of_query(query));
        spans.iter().map(|s| if s.found { format!("[{}]", s.text) } else { s.text.clone() }).collect()
    }

    #[test]
    fn an_excerpt_shows_where_most_terms_stand() {
        let filler = "nothing to see in this part of the text ".repeat(20);
        let text = format!("Mills. {filler}the Water, and the MILLS of it\nturn. {filler}");
        let got = shown(&text, "water mills");
        assert!(got.contains("the [Water], and the [MILLS] of it turn."), "{got}");
        assert!(got.starts_with("… ") && got.ends_with(" …") && got.len() < 330, "{got}");
        assert_eq!(shown("新城图书馆四月开馆", "图书馆"), "新城[图书馆]四月开馆");
        assert_eq!(shown("no such word", "mills"), "no such word");
        assert_eq!(shown("", "mills"), "");
        let long = "字".repeat(100_000);
        assert!(shown(&long, "字").chars().count() < 400);
    }
}
