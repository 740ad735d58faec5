//! Names that are near to a wrong one.

/// Of `known`, those a few letters away from a word that `said` has in quotes, nearest first; five at most.
pub fn near<'a>(said: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let words: Vec<&str> =
        said.split(['\'', '"', '`']).skip(1).step_by(2).filter(|w| w.len() < 100).collect();
    let mut found: Vec<(usize, &str)> = known
        .filter_map(|name| {
            let least = words.iter().map(|word| distance(word, name)).min()?;
            (least <= (name.len() / 3).max(1)).then_some((least, name))
        })
        .collect();
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
        assert_eq!(near("relation 'page' was not found", known.into_iter()), ["pages"]);
        assert_eq!(near("unable to find column \"Rnaks\"", known.into_iter()), ["ranks"]);
        assert!(near("no word in quotes", known.into_iter()).is_empty());
        assert!(near("'something'", known.into_iter()).is_empty());
    }
}
