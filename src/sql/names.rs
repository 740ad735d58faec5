//! Names that are near to a wrong one.

/// Of `known`, those a few letters away from a word, nearest first; five at most.
pub fn near<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let near = |name: &'a str| {
        let letters = distance(word, name);
        (letters <= (name.len() / 3).max(1)).then_some((letters, name))
    };
    let mut found: Vec<(usize, &str)> = known.filter(|_| word.len() < 100).filter_map(near).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(5).map(|(_, name)| name).collect()
}

fn distance(word: &str, name: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_ascii_lowercase(), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_few_other_letters() {
        let known = ["pages", "ranks", "page_history", "links"];
        assert_eq!(near("page", known.into_iter()), ["pages"]);
        assert_eq!(near("Rnaks", known.into_iter()), ["ranks"]);
        assert!(near("", known.into_iter()).is_empty());
        assert!(near("something", known.into_iter()).is_empty());
    }
}
