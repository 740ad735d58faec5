//! Names that are near to a wrong one in an error of the engine.

/// Of `known`, those near a word that `said` has in quotes, nearest to the first of them first; five at most.
pub fn near<'a>(said: &str, known: impl Iterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    let words = said.split(['\'', '"', '`']).skip(1).step_by(2).filter(|w| w.len() < 100);
    let mut found: Vec<&str> = Vec::new();
    for name in words.flat_map(|word| webmill_capture::names::near(word, known.clone())) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found.truncate(5);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_few_other_letters() {
        let known = ["pages", "ranks", "page_history", "links"];
        assert_eq!(near("relation 'page' was not found", known.into_iter()), ["pages"]);
        assert_eq!(
            near("unable to find column \"Rnaks\" of \"page\"", known.into_iter()),
            ["ranks", "pages"]
        );
        assert!(near("no word in quotes", known.into_iter()).is_empty());
        assert!(near("'something'", known.into_iter()).is_empty());
    }
}
