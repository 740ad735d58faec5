//! `report.html`: table `summary` and a few lists in, one page out.
//!
//! **What.** [`render`] fills templates (`html/templates/`), which ask for numbers by section and name, so that each number of the page is one of
//! the table and says which. Pictures are computed here ([`BowTie`], [`LogLog`], [`OverTime`]) and written by templates as SVG. A short
//! script sorts the ranking; all is there without it, and nothing is asked of any network.
//!
//! **Safety.** [`webmill_serve::surface::environment`] escapes whatever a template writes; only http(s) URLs become links.
//!
//! **Size.** At most `page::MAX_BYTES`: tables of foreign length lose rows from their ends, and say how many.
//!
//! **Determinism.** A function of the data alone; numbers are formatted without locale. Times are no part of it.

mod bow_tie;
mod log_log;
mod over_time;
mod page;
mod picture;

pub use bow_tie::BowTie;
pub use log_log::{Degrees, Law, LogLog, binned};
pub use over_time::OverTime;
pub use page::render;

#[cfg(test)]
mod tests;
