//! Headings and code between main text that the model left out, for Markdown.
//!
//! A heading without its section, or a section without its heading, is no structure. So a heading that stands directly
//! over chosen text of its own section comes along, and so does a code block between two chosen neighbours; what stands
//! among navigation, advertising, comments or in a form does not. Linear.

use super::markdown::heading_around;
use crate::text::blocks::class_names::Kind;
use crate::text::blocks::page::{NONE, Page};

/// Kinds that make a heading one of the frame and not of the text.
const FRAME: [Kind; 10] = [
    Kind::Nav,
    Kind::Related,
    Kind::Share,
    Kind::Advert,
    Kind::Comment,
    Kind::Footer,
    Kind::Side,
    Kind::Form,
    Kind::Modal,
    Kind::Hidden,
];
/// Steps up to such a kind that still count.
const NEAR: u8 = 4;
/// Blocks between a heading and the text that it is over.
const GAP: usize = 2;

/// The choice with headings and code that belong to it. `code` is of `code_containers`.
pub(crate) fn rescue(page: &Page, chosen: &[bool], code: &[u32]) -> Vec<bool> {
    let mut out = chosen.to_vec();
    let framed = |i: usize| {
        let container = &page.containers[page.blocks[i].container as usize];
        FRAME.iter().any(|&kind| container.distance[kind as usize] < NEAR)
    };
    // From the last to the first, so that a heading over a rescued heading comes along too.
    for i in (0..page.blocks.len()).rev() {
        let block = &page.blocks[i];
        if out[i] || framed(i) {
            continue;
        }
        if heading_around(page, block.container).is_some() {
            let next = (i + 1..=i + GAP).find(|&j| out.get(j).copied().unwrap_or(false));
            let around = page.containers[block.container as usize].parent;
            out[i] = next.is_some_and(|j| {
                let section = &page.containers[around as usize];
                (j as u32) < section.end
                    || (j as u32) < page.containers[section.parent.min(around) as usize].end
            }) && block.counts.link_units <= 0.8 * block.counts.units;
        }
    }
    for i in 1..page.blocks.len() {
        let listing = code[page.blocks[i].container as usize];
        if listing == NONE || out[i] || framed(i) {
            continue;
        }
        let it = &page.containers[listing as usize];
        let before = it.first > 0 && out[it.first as usize - 1];
        let after = out.get(it.end as usize).copied().unwrap_or(false);
        out[i] = before && after;
    }
    out
}
