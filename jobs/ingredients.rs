//! Models and data tables of the program that results depend on, as they stand in the keys of jobs.

use webmill_run::Ingredient;

/// Versions of the crates whose data reach results: word lists, suffix list, encodings.
const CRATES: &str = env!("WEBMILL_DATA_CRATES");

/// What the extraction of text depends on.
pub fn of_text() -> Vec<Ingredient> {
    vec![Ingredient { name: "crates".into(), digest: CRATES.into() }]
}
