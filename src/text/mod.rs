//! Characters → words, language, comparison form and main text.

mod about;
mod blocks;
mod class_names;
mod code;
mod cues;
mod dates;
mod elements;
mod escape;
mod features;
mod function_words;
mod grid;
mod language;
mod main_text;
mod markdown;
mod markdown_inline;
mod model;
mod normalize;
mod page;
mod page_type;
mod query;
mod render;
mod rescue;
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
