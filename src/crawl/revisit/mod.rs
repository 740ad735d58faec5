//! When to look at a page again: how often it changes, how fresh its copy is, which visits are worth their cost.
//!
//! **What.** A crawl that runs again and again keeps a [`PageHistory`] a URL. Each visit is an [`Answer`] that
//! [`PageHistory::observe`] judges: new, changed, nearly the same, unchanged, gone, moved, failed. From these the page's rate
//! of change is estimated ([`ChangeRecord`]), and a [`Scheduler`] says when it is due again.
//!
//! | module | what |
//! |---|---|
//! | [`change`] | the Poisson model: how often a page changes, from what visits saw |
//! | [`prior`] | expectations of a page before it was seen to change: means of its host, suffix, media type |
//! | [`freshness`] | how fresh and how old copies are, expected over time and now |
//! | [`allocation`] | a budget of visits spread over pages by their rates |
//! | [`schedule`] | when a page is due: fixed, adaptive, optimal and others |
//! | [`observation`] | from the answer of a server to an outcome |
//! | [`history`] | the data kept of a page, in a few bytes |
//! | [`trust`] | sitemaps' dates and servers' validators, judged by how often they were right |
//!
//! No module reads a clock, a file or the network: times are handed in, milliseconds since 1970; rates are changes a day.
//!
//! # Examples
//!
//! A page is visited daily; from the fourth visit on its text differs:
//!
//! ```
//! use webmill_crawl::revisit::{Answer, DAY_MS, Outcome, PageHistory, Prior, RevisitOptions, Scheduler};
//!
//! let scheduler = Scheduler::new(RevisitOptions::default(), None)?;
//! let mut page = PageHistory::new("http://a.example/", 0);
//! for day in 0..10 {
//!     let body = if day < 3 { [1; 20] } else { [day as u8; 20] };
//!     let answer = Answer { at_ms: day * DAY_MS, status: 200, digest: Some(body), ..Answer::default() };
//!     let seen = page.observe(&answer, &scheduler, &Prior::default());
//!     assert_eq!(seen.outcome == Outcome::Changed, day >= 3);
//! }
//! assert_eq!((page.visits, page.changes), (10, 7));
//! assert!(page.rate > 0.5, "changes a day");
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```
//!
//! **Reference.** Cho and Garcia-Molina, Estimating frequency of change, ACM TOIT 3 (2003), doi:10.1145/857166.857170; and
//! Effective page refresh policies for Web crawlers, ACM TODS 28 (2003), doi:10.1145/958942.958945.

pub mod allocation;
pub mod change;
pub mod freshness;
pub mod history;
pub mod observation;
pub mod prior;
pub mod schedule;
pub mod trust;

#[cfg(test)]
mod planted;
#[cfg(test)]
mod planted_tests;

pub use self::allocation::{Plan, RateHistogram};
pub use self::change::ChangeRecord;
pub use self::freshness::FreshnessSummary;
pub use self::history::{CapturePlace, DecodeError, PageHistory};
pub use self::observation::{Answer, Observation, Outcome, Stored};
pub use self::prior::{Prior, Priors, RateMean};
pub use self::schedule::{RevisitOptions, Schedule, Scheduler};
pub use self::trust::Trust;

/// A day in milliseconds.
pub const DAY_MS: i64 = 86_400_000;

/// Milliseconds as days.
pub fn days(ms: i64) -> f64 {
    ms as f64 / DAY_MS as f64
}
