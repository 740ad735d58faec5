//! What learning a template found, and whether there is one.

use serde::{Deserialize, Serialize};

use super::{MAX_SHARE, MIN_AGREEMENT};

/// What learning a [template](super::Template) found.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Learnt {
    /// Pages looked at.
    pub pages: usize,
    /// Sampled pages that would lose words.
    pub hit: usize,
    /// Share of the sample's main text that is template.
    pub share: f64,
    /// Share of what each half of the sample takes from the other that the other agrees to; 1 if that is nothing.
    pub agreement: f64,
    /// Whether there is a template, and if not, why.
    pub verdict: Verdict,
}

impl Learnt {
    /// By the words of the sample's main text, those that would go, the pages that would lose some, and the agreement of
    /// the halves of the sample.
    pub(super) fn judge(pages: usize, words: [u64; 2], hit: usize, agreement: f64) -> Learnt {
        let [all, taken] = words;
        let share = taken as f64 / all.max(1) as f64;
        let verdict = if taken == 0 {
            Verdict::NoResidue
        } else if share > MAX_SHARE {
            Verdict::TooMuch
        } else if agreement < MIN_AGREEMENT {
            Verdict::Unconfirmed
        } else {
            Verdict::On
        };
        Learnt { pages, hit, share, agreement, verdict }
    }

    pub(super) fn few(pages: usize) -> Learnt {
        Learnt { pages, hit: 0, share: 0.0, agreement: 1.0, verdict: Verdict::FewPages }
    }
}

impl Verdict {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::On => "on",
            Verdict::FewPages => "few-pages",
            Verdict::NoResidue => "no-residue",
            Verdict::TooMuch => "too-much",
            Verdict::Unconfirmed => "unconfirmed",
        }
    }
}

/// Whether a host has a template.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
// Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
pub enum Verdict {
    /// It has one.
    On,
    /// Too few pages.
    FewPages,
    /// No page has template in its main text.
    NoResidue,
    /// Too much of the main text would go.
    TooMuch,
    /// The halves of the sample contradict each other.
    Unconfirmed,
}
