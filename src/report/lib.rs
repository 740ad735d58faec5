//! The words, templates and pictures of what people look at: the report; of `serve`, the words and the escape of its pages.
//!
//! **What.** [`render`] makes `report.html` from table `summary` and a few lists: templates (`templates/`) ask for numbers by
//! section and name, so that each number of the page is one of the table and says which. Pictures are computed here ([`BowTie`],
//! [`LogLog`], [`OverTime`]) and written by templates as SVG. A short script sorts the ranking; all is there without it, and nothing
//! is asked of any network. [`Lang`] has all words of all surfaces in English and Chinese (`words.toml`).
//!
//! **Safety.** [`environment`] escapes whatever a template writes; only http(s) URLs become links.
//!
//! **Size.** At most [`MAX_BYTES`]: tables of foreign length lose rows from their ends, and say how many.
//!
//! **Determinism.** A function of the data alone; numbers are formatted without locale. Times are no part of it: they are
//! put into a copy, by [`with_times`].

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bow_tie;
mod html;
mod log_log;
mod over_time;
mod page;
mod picture;
mod words;

pub use bow_tie::BowTie;
pub use html::{environment, escape, escape_tidied, fill, shorten, thousands};
pub use log_log::{Degrees, Law, LogLog, binned};
pub use over_time::OverTime;
pub use page::{MAX_BYTES, render, with_times};
pub use words::{Lang, Words};

#[cfg(test)]
mod tests;
