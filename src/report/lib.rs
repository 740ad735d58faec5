//! `report.html`: the numbers and pictures of a corpus on one self-contained page, in English or Chinese.
//!
//! **What.** [`render`] turns [`ReportData`] into HTML with its style, SVG pictures and a short script inside. The script
//! sorts the ranking; all is there without it, and nothing is asked of any network.
//!
//! **Safety.** Text gets into the page by [`Html`] alone, which escapes it; only http(s) URLs become links.
//!
//! **Size.** At most [`MAX_BYTES`]: tables of foreign length lose rows from their ends, and say how many.
//!
//! **Determinism.** A function of the data alone; numbers are formatted without locale. Times are no part of it: they are
//! put into a copy, by [`with_times`].
//!
//! # Examples
//! ```
//! use webmill_report::{Bar, Bars, Html, Panel, Part, ReportData, render};
//!
//! let bar = |name: &str, count: u64| Bar { name: name.into(), count, of: format!("language: {name}") };
//! let languages = Bars {
//!     title: "Languages".into(),
//!     bars: vec![bar("eng", 900), bar("zho", 300)],
//!     ..Bars::default()
//! };
//! let html = render(&ReportData {
//!     title: "A <small> corpus".into(),
//!     overview: Part { cards: vec![("pages".into(), Html::count(1200, "corpus: pages"))], ..Part::default() },
//!     parts: vec![Part { panels: vec![Panel::Bars(languages)], ..Part::default() }],
//!     ..ReportData::default()
//! });
//! assert!(html.starts_with("<!doctype html>"));
//! assert!(html.contains("A &lt;small&gt; corpus") && html.contains(">1,200</data>"));
//! ```

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bars;
mod bowtie;
mod html;
mod loglog;
mod page;
mod ranking;
mod table;
mod time;
mod words;

pub use bars::{Bar, Bars};
pub use bowtie::BowTie;
pub use html::{Html, escape, shorten, thousands};
pub use loglog::{Law, LogLog, Series};
pub use page::{MAX_BYTES, render, with_times};
pub use ranking::{Ranked, Ranking, Scope};
pub use table::{Top, TopRow};
pub use time::{Layer, OverTime};
pub use words::{Lang, Word, language_name};

/// One picture or table of the report.
#[derive(Debug, Clone, PartialEq)]
pub enum Panel {
    /// Named counts.
    Bars(Bars),
    /// The shape of the graph.
    BowTie(BowTie),
    /// A plot on logarithmic axes.
    LogLog(LogLog),
    /// Counts by time.
    OverTime(OverTime),
    /// A table.
    Top(Top),
    /// The table of ranks.
    Ranking(Ranking),
    /// The jobs that made it.
    Jobs(Jobs),
    /// Facts: name and value.
    Facts(String, Vec<(String, Html)>),
    /// Further facts that are folded away: summary, and lists of facts with their names.
    Folded(String, Vec<(String, Vec<(String, Html)>)>),
}

/// The table of jobs, which [`with_times`] adds a column to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Jobs {
    /// Heading.
    pub title: String,
    /// A line of explanation.
    pub note: String,
    /// Heads of the columns, that of the job included.
    pub heads: Vec<String>,
    /// Name of each job, and its cells.
    pub rows: Vec<(String, Vec<Html>)>,
}

/// A part of the report with an anchor of its own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    /// Its anchor.
    pub id: String,
    /// Heading.
    pub title: String,
    /// A line of explanation.
    pub note: String,
    /// Numbers at its top: label and value.
    pub cards: Vec<(String, Html)>,
    /// Pictures and tables.
    pub panels: Vec<Panel>,
}

/// Everything the report shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportData {
    /// Language of its words.
    pub lang: Lang,
    /// Name of the corpus.
    pub title: String,
    /// What was milled, one line.
    pub subtitle: Html,
    /// What was found, a sentence each.
    pub findings: Vec<Html>,
    /// The first screen.
    pub overview: Part,
    /// Everything after it.
    pub parts: Vec<Part>,
}

#[cfg(test)]
mod tests;
