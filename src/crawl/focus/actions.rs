//! What the order of a focused crawl is told, and what it says is to be done.

use serde::{Deserialize, Serialize};

use super::scorer::{LinkWords, PageWords};
use webmill_capture::CanonicalUrl;

/// A page that was fetched.
#[derive(Debug, Clone, Copy)]
pub struct SeenPage<'a> {
    /// The page.
    pub url: &'a CanonicalUrl,
    /// The URL first asked for, where redirects led here.
    pub origin: Option<&'a CanonicalUrl>,
    /// What its text says.
    pub words: &'a PageWords,
}

/// A link of a page, with its text and surroundings.
#[derive(Debug, Clone, Copy)]
pub struct FoundLink<'a> {
    /// Where it leads.
    pub url: &'a CanonicalUrl,
    /// What its texts say.
    pub words: LinkWords,
    /// Best-first priority of the target, without in-links.
    pub priority: f64,
}

/// An action of a focused crawl.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Queue the target of this link.
    Queue {
        /// Its number among the links given.
        link: usize,
        /// Score of the link, 0 to 1.
        score: f32,
    },
    /// A waiting URL has another score.
    Score {
        /// URL of the link.
        url: String,
        /// Score of the link, 0 to 1.
        score: f32,
    },
    /// A URL comes in from the reserve.
    Release {
        /// What was kept with it.
        payload: Vec<u8>,
        /// URL of the link.
        url: String,
        /// Score of the link, 0 to 1.
        score: f32,
    },
}

/// How a focused crawl goes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct FocusCounts {
    /// Pages fetched.
    pub fetched: u64,
    /// The relevant of them.
    pub relevant: u64,
    /// Pages of the window: the last 1,000 at most.
    pub window: u64,
    /// The relevant of them.
    pub window_relevant: u64,
    /// Links in the reserve.
    pub reserved: u64,
    /// Links that came in from there.
    pub released: u64,
    /// Links that were scored again.
    pub rescored: u64,
    /// Links of pages with more than are scored.
    pub unscored: u64,
}

impl FocusCounts {
    /// Relevant pages among those fetched.
    pub fn harvest(&self) -> f64 {
        self.relevant as f64 / self.fetched.max(1) as f64
    }

    /// The same over the window.
    pub fn harvest_now(&self) -> f64 {
        self.window_relevant as f64 / self.window.max(1) as f64
    }
}
