//! Names that are near to one that is not there.

/// Most names that are proposed.
const MOST: usize = 5;

/// Of `known`, those that are at most a third of their letters (one at least) away from `word`, nearest first; five at most.
/// Case does not count. Cost: the product of both lengths for each name.
pub fn near<S: AsRef<str> + Ord>(word: &str, known: impl Iterator<Item = S>) -> Vec<S> {
    let word = word.to_lowercase();
    let mut found: Vec<(usize, S)> = Vec::new();
    for name in known {
        let text = name.as_ref();
        let within = (text.len() / 3).max(1);
        // Letters of other scripts have up to four bytes.
        if text.len().abs_diff(word.len()) > 4 * within {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&word, &text.to_lowercase());
        if distance <= within {
            found.push((distance, name));
        }
        if found.len() >= 64 * MOST {
            shorten(&mut found);
        }
    }
    shorten(&mut found);
    found.into_iter().map(|(_, name)| name).collect()
}

/// What stands behind an error about `word`: `; near to it: a, b`, or nothing where no known name is near.
pub fn near_to<S: AsRef<str> + Ord>(word: &str, known: impl Iterator<Item = S>) -> String {
    let near = near(word, known);
    let near: Vec<&str> = near.iter().map(AsRef::as_ref).collect();
    if near.is_empty() { String::new() } else { format!("; near to it: {}", near.join(", ")) }
}

fn shorten<S: Ord>(found: &mut Vec<(usize, S)>) {
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_few_other_letters() {
        let known = ["pages", "ranks", "page_history", "links"];
        assert_eq!(near("page", known.into_iter()), ["pages"]);
        assert_eq!(near("Rnaks", known.into_iter()), ["ranks"]);
        assert_eq!(near_to("something", known.into_iter()), "");
        assert_eq!(near_to("linsk", known.into_iter()), "; near to it: links");
    }
}
