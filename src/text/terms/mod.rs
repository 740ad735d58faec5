//! Words of a text, their comparison form, and what weighs them: stop words, document frequencies, keywords, BM25.

mod candidates;
pub(crate) mod frequencies;
pub(crate) mod keywords;
pub(crate) mod normalize;
pub(crate) mod query;
pub(crate) mod stop_words;
pub(crate) mod terms_of_text;
mod text_rank;
pub(crate) mod words;
