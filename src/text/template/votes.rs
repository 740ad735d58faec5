//! What the pages of a host vote for: the texts that they show and leave out.

use super::footprint::{CHOSEN, Footprint, HASH, words};
use super::{ENOUGH_PAGES, MIN_PAGES};

/// How many pages show a mark, and how many of them choose it.
struct Vote {
    hash: u64,
    shown: u32,
    chosen: u32,
}

impl Vote {
    fn is_template(&self, needed: u32) -> bool {
        self.shown >= needed && 3 * self.chosen <= self.shown
    }
}

/// The votes of pages, by hash.
fn votes(pages: &[&Footprint]) -> Vec<Vote> {
    let mut marks: Vec<u64> = pages.iter().flat_map(|page| page.marks().iter().copied()).collect();
    marks.sort_unstable();
    marks
        .chunk_by(|a, b| a & HASH == b & HASH)
        .map(|same| Vote {
            hash: same[0] & HASH,
            shown: same.len() as u32,
            chosen: same.iter().filter(|&mark| mark & CHOSEN != 0).count() as u32,
        })
        .collect()
}

/// The marks that the pages vote for, by hash.
pub(super) fn voted(pages: &[&Footprint]) -> Vec<u64> {
    let needed = (pages.len() as u32).div_ceil(2).clamp(MIN_PAGES, ENOUGH_PAGES);
    votes(pages).into_iter().filter(|vote| vote.is_template(needed)).map(|vote| vote.hash).collect()
}

/// Learns from each half of the pages in turn: share of the words it takes from the other half that most pages of that
/// half leave out.
pub(super) fn agreement(pages: &[&Footprint]) -> f64 {
    let halves = [0, 1].map(|first| pages.iter().copied().skip(first).step_by(2).collect::<Vec<_>>());
    let (mut taken, mut agreed) = (0, 0);
    for (learnt, held) in [(&halves[0], &halves[1]), (&halves[1], &halves[0])] {
        let template = voted(learnt);
        let votes = votes(held);
        for mark in held.iter().flat_map(|page| page.chosen_of(&template)) {
            taken += words(mark);
            if let Ok(at) = votes.binary_search_by_key(&(mark & HASH), |vote| vote.hash) {
                agreed += if votes[at].chosen * 2 <= votes[at].shown { words(mark) } else { 0 };
            }
        }
    }
    if taken == 0 { 1.0 } else { agreed as f64 / taken as f64 }
}
