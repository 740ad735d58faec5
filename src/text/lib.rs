//! Characters → words, language, comparison form and main text.
//!
//! A page becomes `blocks`; `choice` says which of them are main text; `output` writes these as text, Markdown, tables
//! and comments; `about` finds title, author and date; `template` learns what the pages of a host share. `language` and
//! `terms` work on any text.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod about;
mod blocks;
mod choice;
mod language;
mod main_text;
mod output;
mod template;
mod terms;
#[doc(hidden)]
pub mod training;

pub use choice::page_type::PageType;
pub use language::languages::{LanguageRun, Languages, languages};
pub use language::{Language, language};
pub use main_text::{MainText, TextLimits, footprint, main_text, main_text_without};
pub use output::comments::Comment;
pub use output::records::DataTable;
pub use template::{Footprint, Learnt, MAX_MARKS, MAX_PAGES, Place, Sample, StyleTree, Template, Verdict};
pub use terms::frequencies::DocumentFrequencies;
pub use terms::keywords::{Keyword, Keywords, keywords, keywords_among};
pub use terms::normalize::{normalize, normalize_into};
pub use terms::query::{Query, Ranking};
pub use terms::words::words;
