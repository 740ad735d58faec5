//! What tells how good a choice of blocks is.
//!
//! The F1 that the probabilities of the blocks foretell is too high where little is chosen or where it stands apart from the headline: all
//! blocks can be wrong together. A learnt sum of trees corrects it, from that figure, the length of the text, where it stands and how the
//! page is divided. Cost: O(blocks).

use super::features::{FeatureSink, features};
use super::numbers::{flag, ln, per};
use super::page_features::PageFeatures;
use super::page_type::{PageType, TYPES};
use crate::blocks::page::Page;
use crate::threads::THREAD;

/// A choice, and what it was made by.
pub(crate) struct Chosen<'a> {
    pub chosen: &'a [bool],
    /// Probabilities and lengths of the blocks.
    pub scored: &'a [(f32, f32)],
    /// Expected F1 by these.
    pub f1: f32,
    /// Probabilities of the page types.
    pub types: &'a [f32; TYPES],
}

/// The features of a choice.
pub(crate) fn confidence_row(page: &Page, facts: &PageFeatures, of: &Chosen<'_>, out: &mut impl FeatureSink) {
    let sum = |value: &dyn Fn(usize) -> f32| {
        let chosen = of.chosen.iter().enumerate().filter(|(_, chosen)| **chosen);
        chosen.map(|(i, _)| value(i)).sum::<f32>()
    };
    let counts = |i: usize| &page.blocks[i].counts;
    let all = facts.units[page.blocks.len()];
    let units = sum(&|i| counts(i).units);
    let headline = facts.lead.headline.map(|at| &page.containers[at]);
    let in_headline = |i: usize| {
        let inside = headline.is_some_and(|it| (it.first as usize..it.end as usize).contains(&i));
        if inside { counts(i).units } else { 0.0 }
    };
    let probable: f32 = of.scored.iter().map(|(p, units)| p * units).sum();
    let doubtful: f32 =
        of.scored.iter().filter(|(p, _)| (0.2..0.8).contains(p)).map(|(_, units)| units).sum();
    let said: f32 = (0..page.blocks.len())
        .filter(|&i| facts.threads.strength(i) >= THREAD)
        .map(|i| counts(i).units)
        .sum();
    let (first, last) =
        (of.chosen.iter().position(|chosen| *chosen), of.chosen.iter().rposition(|chosen| *chosen));
    let between = first.zip(last).map_or(0.0, |(first, last)| facts.units[last + 1] - facts.units[first]);
    features! { out;
        choice_f1: of.f1,
        choice_ln_units: ln(units),
        choice_share: per(units, all),
        choice_in_headline_element: headline.map_or(-1.0, |_| per(sum(&in_headline), units)),
        choice_headline_share: headline.map_or(-1.0, |it| per(sum(&in_headline), it.counts.units)),
        choice_has_lead: facts.lead.at.map_or(-1.0, |at| flag(of.chosen.get(at) == Some(&true))),
        choice_mean: per(sum(&|i| of.scored[i].0 * counts(i).units), units),
        choice_expected: per(probable, units),
        choice_doubtful: per(doubtful, units),
        choice_link_density: per(sum(&|i| counts(i).link_units), units),
        choice_prose: per(sum(&|i| counts(i).prose_units), units),
        choice_page_prose: per(sum(&|i| counts(i).prose_units), facts.prose[page.blocks.len()]),
        choice_ln_blocks: ln(sum(&|_| 1.0)),
        choice_ln_page_blocks: ln(page.blocks.len() as f32),
        choice_dense: per(units, between),
        choice_said: per(said, all),
    }
    for (kind, p) in PageType::CLASSES.into_iter().zip(of.types) {
        features! { out, kind; choice_type: *p }
    }
}
