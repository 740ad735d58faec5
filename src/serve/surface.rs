//! What the report and the pages of an archive share: their words in English and Chinese (`surface/words.toml`), the escape, and the engine
//! of their templates.

mod html;
mod words;

pub use html::{environment, escape, escape_tidied, fill, shorten, size, thousands};
pub use words::{Lang, Words};
