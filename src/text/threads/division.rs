//! Which stretches of a page are the posts of the thread that is its text.
//!
//! `output::posts` asks for it where the chosen text is a thread. **Definition.** Of all [runs](super::runs) of bylines that
//! are marked up alike, the one whose items hold most of the chosen words, each of them some, and that divides them most
//! finely. Nothing names the software of a board: what repeats is a post. **Cost.** That of [`runs`], and linear in their
//! items. **Determinism.** Ties go to the run that begins first, then to the one that was found first.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::PageContext;
use super::lines::Line;
use super::runs::{Bounds, Run, named_alike, runs};
use crate::blocks::page::Page;

/// Least score of a division.
const LEAST: f32 = 0.25;
/// Share of the score that a run keeps whose bylines are of members' cards.
const OF_CARDS: f32 = 0.8;

/// The posts of a page.
#[derive(Default, Debug)]
pub(crate) struct Division {
    /// Blocks of each post, `first..end`, in order.
    pub items: Vec<(u32, u32)>,
    /// By block, whether it is a byline, a button, or of a member's card.
    pub frame: Vec<bool>,
    /// By block, whether it is of a member's card.
    pub cards: Vec<bool>,
}

/// Divides the chosen blocks of a page into posts; without items if nothing repeats.
pub(crate) fn division(page: &Page, said: &PageContext<'_>, chosen: &[bool]) -> Division {
    let mut lines: Vec<Line> = page.blocks.iter().map(|block| Line::new(page, block, said.order)).collect();
    // Headings over comments divide nothing here: buttons of posts resemble them.
    lines.iter_mut().for_each(|line| line.opener &= !line.stamped);
    let mut words = vec![0.0f32];
    let mut sum = 0.0;
    for (block, chosen) in page.blocks.iter().zip(chosen) {
        sum += if *chosen { block.counts.units } else { 0.0 };
        words.push(sum);
    }
    let mut best: Option<(f32, Run)> = None;
    let bounds = Bounds::default();
    let all = named_alike(page, &lines, &bounds).into_iter().chain(runs(page, &lines, &bounds));
    for run in all.filter(|run| run.items.len() > 1) {
        let score = score(&lines, &words, &run);
        let is_better = best.as_ref().is_none_or(|(known, of)| {
            score > known + 1e-6 || score > known - 1e-6 && run.items[0].0 < of.items[0].0
        });
        if is_better {
            best = Some((score, run));
        }
    }
    let items = best.filter(|(score, _)| *score >= LEAST).map(|(_, run)| run.items).unwrap_or_default();
    let items = with_twins(page, items, &words);
    let frame = |line: &Line| !line.long && (line.is_byline() || line.tool || line.card || line.closer);
    Division {
        items,
        frame: lines.iter().map(frame).collect(),
        cards: lines.iter().map(|line| line.card).collect(),
    }
}

/// The items of a run, and what else is marked up as most of them are and holds chosen words: posts without a byline, or with
/// one of another form.
fn with_twins(page: &Page, items: Vec<(u32, u32)>, words: &[f32]) -> Vec<(u32, u32)> {
    let mut groups: HashMap<u32, usize> = HashMap::new();
    let starts: HashSet<(u32, u32)> = items.iter().copied().collect();
    let twins = || page.containers.iter().filter(|it| it.twins > 1 && it.first < it.end);
    for it in twins().filter(|it| starts.contains(&(it.first, it.end))) {
        *groups.entry(it.group).or_default() += 1;
    }
    let Some((&group, _)) = groups.iter().max_by_key(|&(group, count)| (count, Reverse(group))) else {
        return items;
    };
    if groups[&group] * 2 < items.len() {
        return items;
    }
    let (mut out, mut further) = (items, Vec::new());
    for it in twins().filter(|it| it.group == group) {
        let from = out.partition_point(|item| item.1 <= it.first);
        let to = out.partition_point(|item| item.0 < it.end);
        if from == to && words[it.end as usize] > words[it.first as usize] {
            further.push((it.first, it.end));
        } else if from + 1 == to && it.first <= out[from].0 && out[from].1 <= it.end {
            out[from] = (it.first, it.end);
        }
    }
    out.append(&mut further);
    out.sort_unstable();
    out
}

/// How well a run divides the chosen words, of which `words` holds the sums.
fn score(lines: &[Line], words: &[f32], run: &Run) -> f32 {
    let all = words[words.len() - 1];
    if all <= 0.0 {
        return 0.0;
    }
    let (mut held, mut with) = (0.0, 0.0);
    for &(first, end) in &run.items {
        let own = words[end as usize] - words[first as usize];
        held += own;
        with += f32::from(u8::from(own > 0.0));
    }
    let cards = run.anchors.iter().filter(|&&anchor| lines[anchor as usize].card).count();
    let of_cards = if cards * 2 > run.anchors.len() { OF_CARDS } else { 1.0 };
    held / all * (with / run.items.len() as f32) * (1.0 - 1.0 / (1.0 + with)) * of_cards
}
