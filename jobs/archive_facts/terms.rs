//! What texts are found by.

use std::collections::HashMap;

use webmill_text::{normalize, words};

/// Longest term, in bytes; longer words are no words of a language and are left out.
const LONGEST: usize = 64;
/// Most terms of a query; further ones are left out.
const MOST: usize = 32;

/// How often each term occurs in a text, and how many words it has. A title counts once more.
pub fn of_text(title: &str, text: &str) -> (HashMap<String, u32>, u32) {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let mut length = 0u32;
    let mut add = |term: &str| match counts.get_mut(term) {
        Some(count) => *count = count.saturating_add(1),
        None => {
            counts.insert(term.to_owned(), 1);
        }
    };
    for part in [title, text] {
        words(&normalize(part), |word| {
            if word.len() > LONGEST {
                return;
            }
            length = length.saturating_add(1);
            add(word);
            pairs(word, &mut add);
        });
    }
    (counts, length)
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
        starts.windows(3).for_each(|pair| each(&word[pair[0]..pair[2]]));
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
        let (counts, length) = of_text("Rust", "RUST，图书馆 中华人民共和国 a");
        assert_eq!(counts["rust"], 2);
        assert_eq!((counts["图书馆"], counts["图书"], counts["书馆"], counts["共和"]), (1, 1, 1, 1));
        assert_eq!(length, 5);
        assert_eq!(of_query("Rust rust 图书馆 "), ["rust", "图书馆"]);
        assert!(of_query("… !").is_empty());
    }
}
