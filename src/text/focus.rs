//! Whether precision or recall counts more.

use serde::Deserialize;

/// What counts more where it is in doubt whether a block is main text: that nothing strange comes in, or that nothing is lost.
///
/// The choice of blocks is that of highest expected F-measure; this is its β.
///
/// Precision and recall by the tables that were shipped when the focus was added, on pages that these were trained on:
///
/// | | article extraction benchmark (181 pages, shingles) | WCXB, every fifth page (299, tokens) |
/// |---|---|---|
/// | precision | .983 / .984 | .935 / .918 |
/// | balanced | .969 / .990 | .901 / .956 |
/// | recall | .950 / .992 | .860 / .970 |
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Focus {
    /// Precision: fewer blocks.
    Precision,
    /// Both alike (F1).
    #[default]
    Balanced,
    /// Recall: more blocks.
    Recall,
}

impl Focus {
    /// β²: how many times as much recall counts as precision.
    pub(crate) fn beta_squared(self) -> f32 {
        match self {
            Focus::Precision => 0.25,
            Focus::Balanced => 1.0,
            Focus::Recall => 4.0,
        }
    }
}
