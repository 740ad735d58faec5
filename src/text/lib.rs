//! Characters → words, language, comparison form and main text.
//!
//! A page becomes `blocks`; `choice` says which of them are main text; `output` writes these as text, Markdown, tables
//! and posts; `metadata` finds title, author and date; `template` learns what the pages of a host share. `language` and
//! `terms` work on any text. Who imports whom, from the bottom to the top:
//!
//! | module | imports |
//! |---|---|
//! | `phrases`, `person_name` | – |
//! | `blocks` | `phrases` |
//! | `comparison`, `focus` | – |
//! | `threads` | `blocks`, `phrases` |
//! | `choice` | `blocks`, `comparison`, `focus`, `phrases`, `threads` |
//! | `output` | `blocks`, `person_name`, `threads` |
//! | `metadata` | `blocks`, `comparison`, `person_name` |
//! | `template` | `blocks` |
//! | `main_text`, `training`, `whole` | all of these |
//! | `language`, `terms` | – ; `terms` asks `language` |

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod blocks;
mod choice;
mod comparison;
mod focus;
mod language;
mod main_text;
mod metadata;
mod output;
mod person_name;
mod phrases;
mod shipped;
mod template;
mod terms;
mod threads;
#[doc(hidden)]
pub mod training;
mod whole;
mod word_list;

pub use blocks::page::LeftOut;
pub use choice::page_type::PageType;
pub use focus::Focus;
pub use language::languages::{LanguageRun, Languages, languages, languages_declared};
pub use language::{Language, language, language_code, language_declared};
pub use main_text::{MainText, TextLimits, footprint, main_text, main_text_without};
pub use output::posts::{Post, PostKind};
pub use output::records::DataTable;
pub use output::xml::{XmlForm, escape_xml};
pub use shipped::MODELS_AND_LISTS;
pub use template::{Footprint, LearntTemplate, MAX_MARKS, MAX_PAGES, Sample, SharedText, Template, Verdict};
pub use terms::frequencies::DocumentFrequencies;
pub use terms::keywords::{Keyword, Keywords, keywords};
pub use terms::normalize::{normalize, normalize_into};
pub use terms::query::{Query, Ranking, bm25_idf, bm25_weight};
pub use terms::stop_words::StopWords;
pub use terms::terms_of_text::Terms;
pub use terms::words::{dictionary_words, is_han, words};
pub use webmill_html::{About, FieldValue};
pub use whole::{fragment_text, plain_text};

/// Each loads what pages need and takes some tens of milliseconds: tables of languages, those that choose main text, and the dictionary of Chinese, which
/// takes longest. Whoever has many threads calls them on some: the first page that needs one keeps all others waiting for it.
pub const LOADED_ONCE: [fn(); 3] = [language::load, choice::load, terms::words::load];

/// The parts of the table of languages, for those who learn one (`examples/train_languages.rs`).
#[doc(hidden)]
pub mod language_table {
    pub use crate::language::ngrams::{Word, words as ngram_words};
    pub use crate::language::script::Script;
    pub use crate::language::table::{
        BestLanguage, Calibration, EVIDENCE, MAGIC, MAX_LANGUAGES, MAX_ODDS, STEPS, Scores, Table,
        commonest_script,
    };
}
