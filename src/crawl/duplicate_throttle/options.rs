//! The settings of the duplicate throttle.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use webmill_capture::error::{Error, Result};

/// When a pattern of URLs is cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct DuplicateThrottleOptions {
    /// Whether patterns are cut at all; default true. `--no-brake` sets it to false.
    pub enabled: bool,
    /// Words from which on a page has full weight, 1 to 10,000; default 80.
    pub full_weight_words: u32,
    /// Share of copies that a pattern can have for ever without being cut, 0.5 to 0.99; default 0.9.
    pub cut_share: f32,
    /// Copies (by weight) after which a pattern is cut, 4 to 1,000,000; default 48. Half as many where its URLs name
    /// dates or positions in a list.
    pub cut_after: u32,
    /// How many times as many it takes for a whole section of the host, 1 to 1,000; default 4.
    pub wide_factor: u32,
}

impl Default for DuplicateThrottleOptions {
    fn default() -> Self {
        DuplicateThrottleOptions {
            enabled: true,
            full_weight_words: 80,
            cut_share: 0.9,
            cut_after: 48,
            wide_factor: 4,
        }
    }
}

impl DuplicateThrottleOptions {
    /// Whether the numbers can work together.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and its range.
    pub fn check(&self) -> Result<()> {
        let rules = [
            ((1..=10_000).contains(&self.full_weight_words), "full_weight_words must be 1 to 10000"),
            ((0.5..=0.99).contains(&self.cut_share), "cut_share must be 0.5 to 0.99"),
            ((4..=1_000_000).contains(&self.cut_after), "cut_after must be 4 to 1000000"),
            ((1..=1000).contains(&self.wide_factor), "wide_factor must be 1 to 1000"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, rule)) => Err(Error::Config(format!("brake: {rule}"))),
            None => Ok(()),
        }
    }
}

/// The table as it is read: with the settings of earlier versions, which have no effect any more, so that the folder of
/// an earlier crawl can be gone on with.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Stored {
    enabled: bool,
    full_weight_words: u32,
    cut_share: f32,
    cut_after: u32,
    wide_factor: u32,
    #[serde(rename = "distance")]
    _distance: Option<IgnoredAny>,
    #[serde(rename = "changed_shingles")]
    _changed_shingles: Option<IgnoredAny>,
    #[serde(rename = "short_distance")]
    _short_distance: Option<IgnoredAny>,
    #[serde(rename = "full_weight_shingles")]
    _full_weight_shingles: Option<IgnoredAny>,
    #[serde(rename = "slow_share")]
    _slow_share: Option<IgnoredAny>,
    #[serde(rename = "slow_after")]
    _slow_after: Option<IgnoredAny>,
    #[serde(rename = "slowest")]
    _slowest: Option<IgnoredAny>,
    #[serde(rename = "release_share")]
    _release_share: Option<IgnoredAny>,
}

impl Default for Stored {
    fn default() -> Self {
        let DuplicateThrottleOptions { enabled, full_weight_words, cut_share, cut_after, wide_factor } =
            DuplicateThrottleOptions::default();
        Stored {
            enabled,
            full_weight_words,
            cut_share,
            cut_after,
            wide_factor,
            _distance: None,
            _changed_shingles: None,
            _short_distance: None,
            _full_weight_shingles: None,
            _slow_share: None,
            _slow_after: None,
            _slowest: None,
            _release_share: None,
        }
    }
}

impl From<Stored> for DuplicateThrottleOptions {
    fn from(stored: Stored) -> Self {
        let Stored { enabled, full_weight_words, cut_share, cut_after, wide_factor, .. } = stored;
        DuplicateThrottleOptions { enabled, full_weight_words, cut_share, cut_after, wide_factor }
    }
}
