//! Characters → words, language, comparison form and main text.

mod about;
mod blocks;
mod bylines;
mod choice;
mod class_names;
mod code;
mod comments;
mod cues;
mod dates;
mod elements;
mod escape;
mod features;
mod frequencies;
mod function_words;
mod grid;
mod groups;
mod keywords;
mod language;
mod languages;
mod main_text;
mod markdown;
mod markdown_inline;
mod model;
mod normalize;
mod page;
mod page_type;
mod published;
mod query;
mod records;
mod render;
mod rescue;
mod schema;
mod score;
mod stop_words;
mod tails;
// Main text does not ask for templates yet.
#[allow(dead_code)]
mod template;
#[doc(hidden)]
pub mod training;
mod words;

pub use comments::Comment;
pub use frequencies::DocumentFrequencies;
pub use keywords::{Keyword, keywords, keywords_among};
pub use language::{Language, language};
pub use languages::{LanguageRun, Languages, languages};
pub use main_text::{MainText, TextLimits, main_text};
pub use normalize::{normalize, normalize_into};
pub use page_type::PageType;
pub use query::{Query, Ranking};
pub use records::DataTable;
pub use template::{Footprint, Learnt, MAX_MARKS, MAX_PAGES, Place, Sample, StyleTree, Template, Verdict};
pub use words::words;
