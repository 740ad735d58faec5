//! Models and data tables of the program that results depend on, as they are in the keys of jobs.

use webmill_run::Ingredient;

/// Versions of the crates whose data reach results: word lists, suffix list, encodings.
const CRATES: &str = env!("WEBMILL_DATA_CRATES");

/// What everything that reads words depends on.
pub fn of_words() -> Vec<Ingredient> {
    let mut ingredients: Vec<Ingredient> = webmill_text::MODELS_AND_LISTS
        .iter()
        .chain(webmill_html::LISTS)
        .map(|(name, content)| Ingredient::of_bytes(name, [*content]))
        .collect();
    ingredients.push(Ingredient { name: "crates".into(), digest: CRATES.into() });
    ingredients
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_with_data_is_in_the_lock_file() {
        assert!(CRATES.contains("jieba-rs ") && CRATES.contains("psl "), "{CRATES}");
        assert!(!CRATES.contains("unlocked"), "{CRATES}");
    }

    #[test]
    fn ingredients_have_names_of_their_own() {
        let mut names: Vec<String> = of_words().into_iter().map(|i| i.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
