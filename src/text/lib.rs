//! Characters → words, language, comparison form and main text.
//!
//! A page becomes `blocks`; `choice` says which of them are main text; `output` writes these as text, Markdown, tables
//! and comments; `metadata` finds title, author and date; `template` learns what the pages of a host share. `language` and
//! `terms` work on any text. Who imports whom, from the bottom to the top:
//!
//! | module | imports |
//! |---|---|
//! | `phrases`, `person_name` | – |
//! | `blocks` | `phrases` |
//! | `comparison` | – |
//! | `choice` | `blocks`, `comparison`, `phrases` |
//! | `output` | `blocks`, `person_name` |
//! | `metadata` | `blocks`, `comparison`, `person_name` |
//! | `template` | `blocks` |
//! | `main_text`, `training` | all of these |
//! | `language`, `terms` | – ; `terms` asks `language` |

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod blocks;
mod choice;
mod comparison;
mod language;
mod main_text;
mod metadata;
mod output;
mod person_name;
mod phrases;
mod shipped;
mod template;
mod terms;
#[doc(hidden)]
pub mod training;

pub use choice::page_type::PageType;
pub use language::languages::{LanguageRun, Languages, languages};
pub use language::{Language, language};
pub use main_text::{MainText, TextLimits, footprint, footprint_by, main_text, main_text_without};
pub use output::comments::Comment;
pub use output::records::DataTable;
pub use shipped::MODELS_AND_LISTS;
pub use template::{
    ElementImportance, Footprint, Learnt, MAX_MARKS, MAX_PAGES, Place, Sample, StyleTree, Template,
    TemplateMethod, Verdict,
};
pub use terms::frequencies::DocumentFrequencies;
pub use terms::keywords::{Keyword, Keywords, keywords, keywords_among};
pub use terms::normalize::{normalize, normalize_into};
pub use terms::query::{Query, Ranking, bm25_idf, bm25_weight};
pub use terms::stop_words::StopWords;
pub use terms::words::words;
