//! Blocks that are marked up alike, and sections under headings.
//!
//! Blocks whose innermost containers have equal tags and classes, and whose parents do too, form a group: the paragraphs
//! of an article, the titles of teasers, the entries of a menu. What holds for most of a group holds for each of its
//! blocks. A section is a heading and what follows it up to the next one. Cost: O(n log n) for n blocks.

use super::elements::heading;
use super::page::Page;

/// Sums over a group.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Group {
    pub blocks: f32,
    pub units: f32,
    pub link_units: f32,
    pub prose_units: f32,
    /// Blocks that end a sentence.
    pub sentences: f32,
    /// First block, and the one after the last.
    pub range: (u32, u32),
}

/// The groups and sections of a page.
#[derive(Default, Debug)]
pub(crate) struct Groups {
    /// Number of the group of each block.
    pub of: Vec<u32>,
    pub list: Vec<Group>,
    /// The group with most prose.
    pub main: u32,
    /// The block after the section that each block is in.
    pub section_end: Vec<u32>,
}

impl Groups {
    pub(crate) fn new(page: &Page) -> Groups {
        let key = |container: u32| {
            let own = &page.containers[container as usize];
            own.signature.rotate_left(7) ^ page.containers[own.parent as usize].signature
        };
        let mut order: Vec<(u64, u32)> =
            (0..).zip(&page.blocks).map(|(i, b)| (key(b.container), i)).collect();
        order.sort_unstable();
        let n = page.blocks.len();
        let mut groups = Groups { of: vec![0; n], section_end: vec![0; n], ..Groups::default() };
        let mut most = 0.0;
        for (number, members) in (0u32..).zip(order.chunk_by(|a, b| a.0 == b.0)) {
            let mut group =
                Group { range: (members[0].1, members[members.len() - 1].1 + 1), ..Group::default() };
            for &(_, i) in members {
                let block = &page.blocks[i as usize];
                groups.of[i as usize] = number;
                group.blocks += 1.0;
                group.units += block.counts.units;
                group.link_units += block.counts.link_units;
                group.prose_units += block.counts.prose_units;
                group.sentences += f32::from(u8::from(block.ends_sentence));
            }
            if group.prose_units > most {
                most = group.prose_units;
                groups.main = number;
            }
            groups.list.push(group);
        }
        let mut end = n as u32;
        for (i, block) in page.blocks.iter().enumerate().rev() {
            groups.section_end[i] = end;
            if heading(page.containers[block.container as usize].tag).is_some() {
                end = i as u32;
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    #[test]
    fn paragraphs_entries_and_sections() {
        let html = "<body><h1>Title</h1><p>First, and it is long enough to be read as prose, by all means.</p>
            <p>Second.</p><h2>More</h2><ul><li><a href=a>one</a><li><a href=b>two</a></ul><ul class=x><li>three</ul>";
        let dom = parse(html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let groups = Groups::new(&page);
        assert_eq!(groups.of.len(), 7);
        let of = |i: usize| &groups.list[groups.of[i] as usize];
        assert_eq!((of(1).blocks, of(1).sentences, of(1).range), (2.0, 2.0, (1, 3)));
        assert_eq!((of(4).blocks, of(4).link_units, of(4).range), (2.0, 2.0, (4, 6)));
        assert_eq!(of(6).blocks, 1.0);
        assert_eq!(groups.main, groups.of[1]);
        assert_eq!(groups.section_end, [3, 3, 3, 7, 7, 7, 7]);
    }
}
