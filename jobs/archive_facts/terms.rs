//! What texts are found by.

use std::collections::HashMap;
use webmill_capture::cut::Cut;

use crate::mapreduce::write_varint;
use webmill_text::{normalize, words};

/// Longest term, in bytes; longer words are no words of a language and are left out.
const LONGEST: usize = 64;
/// Most terms of a query; further ones are left out.
const MOST: usize = 32;

/// Places of a term in a text: the last, and all as differences (LEB128).
pub type Places = (u32, Vec<u8>);

/// Where each term stands among the words of a text, and how many words it has. A title stands before its text, once more.
pub fn of_text(title: &str, text: &str) -> (HashMap<String, Places>, u32) {
    let mut terms: HashMap<String, Places> = HashMap::new();
    let mut length = 0u32;
    for part in [title, text] {
        words(&normalize(part), |word| {
            if word.len() > LONGEST {
                return;
            }
            let mut add = |term: &str| match terms.get_mut(term) {
                Some((last, places)) => {
                    write_varint(places, u64::from(length - *last));
                    *last = length;
                }
                None => {
                    let mut places = Vec::with_capacity(4);
                    write_varint(&mut places, u64::from(length));
                    terms.insert(term.to_owned(), (length, places));
                }
            };
            add(word);
            pairs(word, &mut add);
            length = length.saturating_add(1);
        });
    }
    (terms, length)
}

/// The terms of a query, each once.
pub fn of_query(query: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    words(&normalize(query), |word| {
        if word.len() <= LONGEST && terms.len() < MOST && terms.iter().all(|term| term != word) {
            terms.push(word.to_owned());
        }
    });
    terms
}

/// Neighbours in a Chinese word of three characters and more.
fn pairs(word: &str, each: &mut impl FnMut(&str)) {
    if !word.starts_with(is_han) {
        return;
    }
    let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
    if starts.len() > 3 {
        starts.windows(3).for_each(|pair| each(word.cut(pair[0]..pair[2])));
    }
}

/// Ideographs of the common blocks. Words of other scripts do not begin with one.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_chinese_words_are_terms() {
        let (terms, length) = of_text("Rust", "RUST，图书馆 中华人民共和国 a");
        assert_eq!(terms["rust"].1, [0, 1]);
        for (term, place) in [("图书馆", 2), ("图书", 2), ("书馆", 2), ("共和", 3)] {
            assert_eq!(terms[term].1, [place], "{term}");
        }
        assert_eq!(length, 5);
        assert_eq!(of_query("Rust rust 图书馆 "), ["rust", "图书馆"]);
        assert!(of_query("… !").is_empty());
    }
}
