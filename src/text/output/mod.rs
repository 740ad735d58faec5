//! Writes the chosen blocks of a page: as plain text, Markdown, XML, data tables as records, posts.

pub(crate) mod entries;
mod grid;
pub(crate) mod markdown;
mod markdown_inline;
mod numbers;
mod picture_sources;
mod pictures;
pub(crate) mod posts;
pub(crate) mod price;
pub(crate) mod records;
pub(crate) mod render;
pub(crate) mod rescue;
pub(crate) mod xml;
