//! Characters → words, language, comparison form and main text.

mod language;
mod normalize;
mod words;

pub use language::{Language, language};
pub use normalize::{normalize, normalize_into};
pub use words::words;
