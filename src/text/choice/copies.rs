//! Copies: what a page holds twice is chosen once.
//!
//! Pages repeat blocks for narrow screens and hold their text hidden a second time for scripts. Cost: linear in the chosen
//! text.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};

use crate::blocks::class_names::Kind;
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, FAR, NONE, Page};
use crate::comparison::each_word;

/// Blocks shorter than this may repeat.
const REPEATABLE_BYTES: usize = 40;

/// Blocks from a line to where it comes again, at least.
const APART: usize = 3;

/// Pairs of words that a copy has at least.
const MIN_PAIRS: usize = 4;
/// Leaves out of the choice what repeats a long block chosen before; of a heading and its entry in a table of contents the
/// heading stays. What [repeats itself](is_refrain) stays, and with `variants` all that is no such entry.
pub(crate) fn drop_copies(page: &Page, chosen: &mut [bool], variants: bool) {
    let long = |block: &Block| (block.end - block.start) as usize > REPEATABLE_BYTES;
    let is_heading = |block: &Block| heading(page.containers[block.container as usize].tag).is_some();
    let mut headings = HashSet::new();
    for (block, _) in page.blocks.iter().zip(chosen.iter()).filter(|(block, keep)| **keep && long(block)) {
        if is_heading(block) {
            headings.insert(block.hash);
        }
    }
    let mut seen: HashMap<u64, usize> = HashMap::new();
    for (i, (block, keep)) in page.blocks.iter().zip(chosen).enumerate() {
        if *keep && long(block) {
            let entry = block.counts.link_units > 0.8 * block.counts.units
                && page.containers[block.container as usize].item != NONE
                && !is_heading(block)
                && headings.contains(&block.hash);
            if entry {
                *keep = false;
                continue;
            }
            match seen.entry(block.hash) {
                Entry::Occupied(first) => *keep = variants || is_refrain(page, *first.get(), i),
                Entry::Vacant(free) => _ = free.insert(i),
            }
        }
    }
}

/// Whether a block and a later copy of it are both of the text: a step or a line that comes again between others, in a
/// place of the same kind. Copies for narrow screens are in places of their own, or come with their neighbours.
fn is_refrain(page: &Page, first: usize, again: usize) -> bool {
    let place = |i: usize| &page.containers[page.blocks[i].container as usize];
    let (one, other) = (place(first), place(again));
    let hash = |i: Option<usize>| i.and_then(|i| page.blocks.get(i)).map(|block| block.hash);
    let differ = |i: Option<usize>, j: Option<usize>| hash(i).is_none() || hash(i) != hash(j);
    again - first > APART
        && (one.tag, one.depth, &one.distance) == (other.tag, other.depth, &other.distance)
        && differ(first.checked_sub(1), again.checked_sub(1))
        && differ(Some(first + 1), Some(again + 1))
}

/// Leaves out of the choice hidden text that is also in visible text: pages hold their text a second time for scripts,
/// often in other pieces.
pub(crate) fn drop_hidden_copies(page: &Page, chosen: &mut [bool]) {
    let hidden =
        |block: &Block| page.containers[block.container as usize].distance[Kind::Hidden as usize] < FAR;
    let mut copies = page.blocks.iter().zip(chosen.iter()).filter(|(block, keep)| **keep && hidden(block));
    if copies.next().is_none() {
        return;
    }
    let mut shown = HashSet::new();
    for (block, _) in page.blocks.iter().zip(chosen.iter()).filter(|(block, keep)| **keep && !hidden(block)) {
        each_pair(page.text_of(block), |pair| {
            shown.insert(pair);
        });
    }
    for (block, keep) in page.blocks.iter().zip(chosen).filter(|(block, keep)| **keep && hidden(block)) {
        let (mut pairs, mut found) = (0, 0);
        each_pair(page.text_of(block), |pair| {
            pairs += 1;
            found += usize::from(shown.contains(&pair));
        });
        *keep = pairs < MIN_PAIRS || found * 10 < pairs * 8;
    }
}

/// A hash of each two words that follow one another.
fn each_pair(text: &str, mut f: impl FnMut(u64)) {
    let mut before = None;
    each_word(text, |word| {
        if let Some(before) = before.replace(word) {
            f(word.rotate_left(21) ^ before);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    #[test]
    fn hidden_copies_go_and_hidden_texts_stay() {
        let words = |from: u32| (from..from + 12).map(|i| format!("word{i}")).collect::<Vec<_>>().join(" ");
        let (one, two, three) = (words(10), words(30), words(50));
        let html = format!(
            "<body><div hidden>{one} {two}</div><p>{one}<p>{two}<div hidden>{three}</div><div hidden>word10</div>"
        );
        let dom = parse(&html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let mut chosen = vec![true; 5];
        drop_hidden_copies(&page, &mut chosen);
        assert_eq!(chosen, [false, true, true, true, true]);
        let mut chosen = vec![true, false, true, true, true];
        drop_hidden_copies(&page, &mut chosen);
        assert_eq!(chosen, [true, false, true, true, true]);
    }

    #[test]
    fn copies_go_and_refrains_stay() {
        let line = "Stir the pot until nothing sticks to its bottom.";
        let left = |names: &[&str], variants: bool| {
            let html: String = names.iter().map(|name| format!("<p>{}", name.replace('*', line))).collect();
            let dom = parse(&html, &Limits::default());
            let page = blocks(&dom, dom.body().unwrap());
            let mut chosen = vec![true; page.blocks.len()];
            drop_copies(&page, &mut chosen, variants);
            chosen.iter().filter(|keep| **keep).count()
        };
        assert_eq!(left(&["salt", "*", "rice", "peas", "beans", "*", "mint"], false), 7);
        // With its neighbours, or close by, it is a copy.
        assert_eq!(left(&["salt", "*", "rice", "peas", "salt", "*", "mint"], false), 6);
        assert_eq!(left(&["salt", "*", "rice", "*", "mint"], false), 4);
        assert_eq!(left(&["salt", "*", "rice", "peas", "salt", "*", "mint"], true), 7);
    }
}
