//! The archive's own pages: plain HTML in two languages, without scripts and without requests elsewhere.
//!
//! **What.** [`Pages`] turns data ([`CollectionSummary`], [`Calendar`], [`SearchAnswer`], …) into pages and touches nothing
//! else; [`Ask`] reads which page a request is for ([`links`] has the addresses); [`answer`] gathers the data of that page
//! from a `CaptureSource` and [`Facts`], which is whatever is known of the pages beside
//! the index.
//!
//! **Trust.** URLs, titles and texts come out of archives and are hostile: every one is escaped by the template engine, stands in a
//! `<bdi>` so that it cannot turn the direction of its surroundings, and links lead to paths of this server. The pages
//! may be served under [`SECURITY_POLICY`], which forbids scripts and every request elsewhere.
//!
//! **Cost.** A page lists a bounded number of rows. A calendar reads all captures of its URL; a list of URLs what it passes
//! over.

mod answer;
mod ask;
mod calendar;
mod data;
pub mod links;
mod pages;
pub(crate) mod show;
mod survey;
#[cfg(test)]
mod tests;
mod views;

pub use crate::surface::Lang;
pub use answer::{SiteAnswer, SiteCollection, answer};
pub use ask::{Ask, Match};
pub use calendar::{Calendar, Day, MOST_LISTED, Outcome, Sameness};
pub use data::{
    CaptureFacts, CaptureLine, ClusterFacts, CollectionSummary, Facts, HostLine, NoFacts, PlaceFacts,
    SearchAnswer, SearchHit, Span, UrlLine,
};
pub use pages::{Pages, Problem, UrlList};
pub use survey::Survey;

/// What a page of the site needs to be allowed, as value of `Content-Security-Policy`: its style sheet, its forms.
pub const SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; \
                                   frame-ancestors 'none'";
