//! What resembles an article and is no part of it: comments and teasers of other articles.
//!
//! Block by block these read like the article, and where it is short they outweigh it. So on pages that are articles they are
//! left out together, if enough prose is left; of a photograph with its one line over a long thread, that line. Comments are
//! what [`threads`](crate::threads) of them are found and what stands with bylines in elements that are named so. Where less
//! than a third of the text would remain, only these and sure threads are. Teasers are items of which there are
//! several alike, whose blocks begin with links, which are before or after the prose, and which are less likely than it.
//! Cost: O(blocks).

use super::block_row::repeated;
use crate::blocks::page::{Block, Mark, Page};
use webmill_html::Tag;

/// The text that must remain for asides to be left out: a number of words, in blocks of a least size.
#[derive(Copy, Clone, Debug)]
pub(crate) struct LeastText {
    words: f32,
    of_more_than: f32,
}

pub(crate) const BESIDE_COMMENTS: LeastText = LeastText { words: 8.0, of_more_than: 3.0 };
pub(crate) const BESIDE_TEASERS: LeastText = LeastText { words: 50.0, of_more_than: PROSE };

/// Words of a block of prose.
const PROSE: f32 = 12.0;
/// Teasers that are together.
const MIN_TEASERS: u32 = 4;
/// Share of a teaser's blocks that begin with a link, and of the teasers alike that hold one.
const LINKED: f32 = 0.9;
/// Blocks of lower log-odds do not count where teasers are weighed against prose.
const HOPELESS: f32 = -1.0;
/// By how much the log-odds of the teasers are lower on average.
const MARGIN: f32 = 1.0;

/// Takes the probability from `asides`, if some of them and enough besides are at least as likely as `cut`.
pub(crate) fn leave_out(
    page: &Page,
    scored: &mut [(f32, f32)],
    cut: f32,
    asides: &[bool],
    enough: LeastText,
) -> bool {
    let (mut prose, mut chosen) = (0.0, false);
    for ((block, scored), &aside) in page.blocks.iter().zip(scored.iter()).zip(asides) {
        if scored.0 >= cut {
            chosen |= aside;
            prose +=
                if !aside && block.counts.units > enough.of_more_than { block.counts.units } else { 0.0 };
        }
    }
    if !chosen || prose < enough.words {
        return false;
    }
    for (scored, _) in scored.iter_mut().zip(asides).filter(|(_, aside)| **aside) {
        scored.0 = 0.0;
    }
    true
}

/// Share of the words at least as likely as `cut` that are not of `asides`.
pub(crate) fn share_besides(page: &Page, scored: &[(f32, f32)], cut: f32, asides: &[bool]) -> f32 {
    let (mut besides, mut all) = (0.0, 0.0);
    for ((block, _), &aside) in
        page.blocks.iter().zip(scored).zip(asides).filter(|((_, scored), _)| scored.0 >= cut)
    {
        all += block.counts.units;
        besides += if aside { 0.0 } else { block.counts.units };
    }
    if all > 0.0 { besides / all } else { 1.0 }
}

/// Which blocks belong to teasers, by their links and the log-odds of all blocks.
pub(crate) fn teasers(page: &Page, scores: &[f32]) -> Vec<bool> {
    // How many blocks before each begin with a link.
    let mut links = vec![0u32];
    for block in &page.blocks {
        let starts = block.counts.links > 0
            && page.events[block.events.0 as usize..block.events.1 as usize]
                .iter()
                .any(|event| event.at == block.start && event.mark == Mark::Open(Tag::A));
        links.push(links[links.len() - 1] + u32::from(starts));
    }
    let mut members: Vec<(u32, u32)> = Vec::new();
    for container in page.containers.iter().filter(|c| c.counts.blocks > 0) {
        let group = container.group as usize;
        if group >= members.len() {
            members.resize(group + 1, (0, 0));
        }
        members[group].0 += 1;
        members[group].1 += u32::from(container.counts.links > 0);
    }
    let is_teaser = |block: &Block| {
        let item = &page.containers[repeated(page, block)];
        let end = (item.end as usize).min(page.blocks.len());
        let starting = links[end] - links[item.first as usize];
        let (all, linked) = members[item.group as usize];
        item.twins >= MIN_TEASERS
            && starting as f32 >= LINKED * (end - item.first as usize) as f32
            && linked as f32 > LINKED * all as f32
    };
    let mut out: Vec<bool> = page.blocks.iter().map(is_teaser).collect();
    // Between the article's paragraphs, a list of links is its own.
    let is_prose = |i: &usize| !out[*i] && scores[*i] > 0.0 && page.blocks[*i].counts.units > PROSE;
    let first = (0..out.len()).find(is_prose);
    let last = (0..out.len()).rfind(is_prose);
    if let (Some(first), Some(last)) = (first, last) {
        out[first..=last].fill(false);
    }
    let mean = |teasers: bool| {
        let (mut sum, mut units) = (0.0, 0.0);
        for ((block, &score), &teaser) in page.blocks.iter().zip(scores).zip(&out) {
            if teaser == teasers && score > HOPELESS && (teaser || block.counts.units > PROSE) {
                sum += score * block.counts.units;
                units += block.counts.units;
            }
        }
        if units > 0.0 { sum / units } else { 0.0 }
    };
    if mean(true) >= mean(false) - MARGIN {
        out.fill(false);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    fn page_of(html: &str) -> Page {
        let dom = parse(html, &Limits::default());
        blocks(&dom, dom.body().unwrap())
    }

    #[test]
    fn comments_yield_to_prose_only() {
        let prose = "words ".repeat(60);
        let page = page_of(&format!("<body><p>{prose}<div class=comments><p>{prose} too</div>"));
        let said = [false, true];
        let mut scored = vec![(0.9, 60.0), (0.8, 61.0)];
        assert!(leave_out(&page, &mut scored, 0.5, &said, BESIDE_COMMENTS));
        assert_eq!(scored, [(0.9, 60.0), (0.0, 61.0)]);
        let mut scored = vec![(0.4, 60.0), (0.8, 61.0)];
        assert!(!leave_out(&page, &mut scored, 0.5, &said, BESIDE_COMMENTS));
        assert_eq!(scored[1].0, 0.8);
        // Where none is likely, nothing changes.
        assert!(!leave_out(&page, &mut [(0.9, 60.0), (0.1, 61.0)], 0.5, &said, BESIDE_COMMENTS));
        let share = |first: f32| share_besides(&page, &[(first, 60.0), (0.8, 61.0)], 0.5, &said);
        assert!((share(0.9) - 60.0 / 121.0).abs() < 1e-6 && share(0.1) == 0.0);
    }

    #[test]
    fn teasers_are_alike_linked_and_less_likely() {
        let prose = "words ".repeat(60);
        let item = "<li><a href=x>Another story</a> of which some twelve words are told here, so that one reads on.</li>";
        let list = |item: &str| page_of(&format!("<body><p>{prose}<ul>{}</ul>", item.repeat(4)));
        let page = list(item);
        assert_eq!(teasers(&page, &[4.0, 1.0, 1.0, 1.0, 1.0]), [false, true, true, true, true]);
        assert_eq!(teasers(&page, &[4.0, 3.5, 3.5, 3.5, 3.5]), [false; 5]);
        let plain =
            list("<li>Another point, of which twelve words are told here, see <a href=x>there</a>.</li>");
        assert_eq!(teasers(&plain, &[4.0, 1.0, 1.0, 1.0, 1.0]), [false; 5]);
        let inside = page_of(&format!("<body><p>{prose}<ul>{}</ul><p>{prose}", item.repeat(4)));
        assert_eq!(teasers(&inside, &[4.0, 1.0, 1.0, 1.0, 1.0, 4.0]), [false; 6]);
        let few = page_of(&format!("<body><p>{prose}<ul>{}</ul>", item.repeat(3)));
        assert_eq!(teasers(&few, &[4.0, 1.0, 1.0, 1.0]), [false; 4]);
    }
}
