//! Characters → words, language, comparison form and main text.

mod about;
mod blocks;
mod class_names;
mod cues;
mod dates;
mod elements;
mod features;
mod function_words;
mod language;
mod main_text;
mod markdown;
mod model;
mod normalize;
mod page;
mod page_type;
mod query;
mod render;
mod schema;
mod score;
#[doc(hidden)]
pub mod training;
mod words;

pub use language::{Language, language};
pub use main_text::{MainText, TextLimits, main_text};
pub use normalize::{normalize, normalize_into};
pub use page_type::PageType;
pub use query::{Query, Ranking};
pub use words::words;
