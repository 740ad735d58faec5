//! Title, author and date of a page's main text, from what it states and what it shows.

pub(crate) mod author;
pub(crate) mod byline;
pub(crate) mod chinese_byline;
mod date_label;
pub(crate) mod published;
pub(crate) mod stated_title;
pub(crate) mod title;
