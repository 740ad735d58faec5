//! Blocks, containers and their counts: a page as extraction sees it.
//!
//! A *block* is a run of inline content (text, links, emphasis, single line breaks) that no block-level element
//! interrupts: what a reader sees as one paragraph, heading, list item, cell or menu entry. A *container* is a
//! block-level element. All text of the page is collected once, white space folded, in one buffer; blocks are ranges of
//! it with counted properties, containers know theirs by sums over their blocks.

use super::class_names::{KINDS, Kind};
use super::elements::heading;
use webmill_capture::cut::Cut;
use webmill_html::{NodeId, Tag};

/// Blocks kept of one page; text after them is left out.
pub(crate) const MAX_BLOCKS: usize = 50_000;
/// Bytes of text kept of one page.
pub(crate) const MAX_TEXT: usize = 8 << 20;
/// Distance to a kind that no ancestor has.
pub(crate) const FAR: u8 = 24;
/// Index that stands for none.
pub(crate) const NONE: u32 = u32::MAX;
/// Counted properties of a stretch of text; sums over blocks for containers.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Counts {
    /// Length in words: a word of a script with spaces is 1, a Han character or kana 0.6.
    pub units: f32,
    /// Units inside links.
    pub link_units: f32,
    /// Units inside `b`, `strong`, `em`, `i`.
    pub strong_units: f32,
    /// Units of headings that are links: titles of other pages.
    pub heading_link_units: f32,
    /// Units of blocks that read like prose: long, few links.
    pub prose_units: f32,
    pub letters: u32,
    pub upper: u32,
    pub digits: u32,
    pub commas: u32,
    pub stops: u32,
    pub marks: u32,
    /// Signs of currencies.
    pub currency: u32,
    pub links: u32,
    pub breaks: u32,
    pub blocks: u32,
    pub images: u32,
    pub controls: u32,
    pub headings: u32,
    pub paragraphs: u32,
    pub items: u32,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.units += other.units;
        self.link_units += other.link_units;
        self.strong_units += other.strong_units;
        self.prose_units += other.prose_units;
        self.heading_link_units += other.heading_link_units;
        self.letters += other.letters;
        self.upper += other.upper;
        self.digits += other.digits;
        self.commas += other.commas;
        self.stops += other.stops;
        self.marks += other.marks;
        self.currency += other.currency;
        self.links += other.links;
        self.breaks += other.breaks;
        self.blocks += other.blocks;
        self.images += other.images;
        self.controls += other.controls;
        self.headings += other.headings;
        self.paragraphs += other.paragraphs;
        self.items += other.items;
    }

    /// Share of the words that are links; text without words counts as all links.
    pub(crate) fn link_density(&self) -> f32 {
        if self.units > 0.0 { self.link_units / self.units } else { 1.0 }
    }
}

/// Inline markup at a place of the text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    Open(Tag),
    Close(Tag),
    Image,
    Break,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Event {
    /// Byte offset in [`Page::text`].
    pub at: u32,
    pub mark: Mark,
    pub node: NodeId,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Block {
    /// Range of [`Page::text`].
    pub start: u32,
    pub end: u32,
    /// Bytes of white space before the range that indent its first line: of code only.
    pub indent: u32,
    /// Range of [`Page::events`].
    pub events: (u32, u32),
    /// Index of the innermost container.
    pub container: u32,
    pub counts: Counts,
    /// Kinds said by names of inline elements in it.
    pub inline_kinds: u64,
    /// Last character ends a sentence (or is a closing quote after one).
    pub ends_sentence: bool,
    pub ends_colon: bool,
    /// Ends like a teaser: `…`, `...`, `[…]`, `>>`.
    pub ends_open: bool,
    pub starts_upper: bool,
    pub bullet: bool,
    pub hash: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Container {
    pub tag: Tag,
    /// The element.
    pub node: NodeId,
    pub parent: u32,
    pub depth: u16,
    /// Steps up to the nearest container (itself 0) of each kind; [`FAR`] if there is none.
    pub distance: [u8; KINDS],
    /// Equal for elements of equal tag and class.
    pub signature: u64,
    /// Blocks in it: `first..end`.
    pub first: u32,
    pub end: u32,
    pub counts: Counts,
    /// Siblings of equal signature, itself among them, and the sums of their words and links.
    pub twins: u32,
    pub twin_units: f32,
    pub twin_link_units: f32,
    /// Nearest ancestor that has more text; itself at the top.
    pub wider: u32,
    pub table: u32,
    pub row: u32,
    pub cell: u32,
    pub list: u32,
    pub item: u32,
    /// Lists around it.
    pub list_depth: u8,
    /// Number of its group of twins.
    pub group: u32,
    /// Its id is the address of a comment.
    pub is_comment: bool,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Picture {
    pub node: NodeId,
    pub container: u32,
    /// The block that follows it.
    pub block: u32,
}

/// What limits left out of a text; zeros for a text that is whole.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct LeftOut {
    /// Blocks behind the first 50,000.
    pub blocks: u64,
    /// Bytes of text behind the first 8 MiB.
    pub bytes: u64,
    /// Posts behind the first 2,000, or behind 2 MiB of them.
    pub posts: u64,
}

impl LeftOut {
    /// What was left out and how much, as tables show it: `blocks:10000`, `text:2000000`, `posts:12`.
    pub fn words(self) -> impl Iterator<Item = String> {
        let all = [("blocks", self.blocks), ("text", self.bytes), ("posts", self.posts)].into_iter();
        all.filter(|(_, left_out)| *left_out > 0).map(|(name, left_out)| format!("{name}:{left_out}"))
    }
}

/// Blocks and containers of one page.
#[derive(Default, Debug)]
pub(crate) struct Page {
    pub text: String,
    pub events: Vec<Event>,
    pub blocks: Vec<Block>,
    pub containers: Vec<Container>,
    /// Images that are between blocks.
    pub pictures: Vec<Picture>,
    /// Bits of the types that microdata names.
    pub schema: u32,
    /// Kinds that the names of `html` and `body` say.
    pub root_kinds: u64,
    pub left_out: LeftOut,
}

impl Page {
    /// Text of a block.
    pub(crate) fn text_of(&self, block: &Block) -> &str {
        self.text.cut(block.start as usize..block.end as usize)
    }

    /// Text of a block with the indentation of its first line.
    pub(crate) fn indented_text_of(&self, block: &Block) -> &str {
        self.text.cut((block.start - block.indent) as usize..block.end as usize)
    }
}

/// Kinds that the element around what a page is about is never of, whatever its names say.
const BESIDE: [Kind; 13] = [
    Kind::Nav,
    Kind::Crumb,
    Kind::Pager,
    Kind::Footer,
    Kind::Side,
    Kind::Related,
    Kind::Share,
    Kind::Advert,
    Kind::Comment,
    Kind::Byline,
    Kind::Tags,
    Kind::Form,
    Kind::Tool,
];
/// Share of a page's words that such an element holds beside the only heading of the first level, and words of prose.
const MOST: f32 = 0.8;
const LEAST_PROSE: f32 = 100.0;

/// Takes the kinds of [`BESIDE`] from the elements that hold the page's heading and most of its words: layouts are named
/// after a column that they have too, and whole pages stand in a form.
fn correct_names(page: &mut Page) {
    let mut headings = page.containers.iter().filter(|it| it.tag == Tag::H1 && it.counts.blocks > 0);
    let (Some(heading), None) = (headings.next(), headings.next()) else { return };
    let least = MOST * page.containers[0].counts.units;
    let (mut at, mut changed) = (heading.parent as usize, false);
    while at != 0 {
        let it = &mut page.containers[at];
        if it.counts.units >= least && it.counts.prose_units >= LEAST_PROSE {
            for distance in BESIDE.map(|kind| kind as usize) {
                changed |= it.distance[distance] == 0;
                it.distance[distance] = it.distance[distance].max(1);
            }
        }
        at = it.parent as usize;
    }
    for at in if changed { 1..page.containers.len() } else { 0..0 } {
        let around = page.containers[page.containers[at].parent as usize].distance;
        for (own, around) in page.containers[at].distance.iter_mut().zip(around) {
            *own = if *own == 0 { 0 } else { (around + 1).min(FAR) };
        }
    }
}

/// Fills the sums of the containers, their twins and their wider ancestors.
pub(crate) fn sum_up(page: &mut Page) {
    for block in &mut page.blocks {
        let container = &mut page.containers[block.container as usize];
        let counts = &mut block.counts;
        counts.blocks = 1;
        counts.headings = u32::from(heading(container.tag).is_some());
        if counts.headings > 0 && counts.link_units > 0.8 * counts.units {
            counts.heading_link_units = counts.units;
        }
        counts.paragraphs = u32::from(container.tag == Tag::P);
        counts.items = u32::from(matches!(container.tag, Tag::Li | Tag::Td | Tag::Dd | Tag::Dt | Tag::Th));
        if counts.units >= 12.0 && counts.link_units < 0.4 * counts.units && counts.stops + counts.commas > 0
        {
            counts.prose_units = counts.units;
        }
        container.counts.add(counts);
    }
    for i in (1..page.containers.len()).rev() {
        let (counts, parent) = (page.containers[i].counts, page.containers[i].parent);
        page.containers[parent as usize].counts.add(&counts);
    }
    let mut order: Vec<(u32, u64, u32)> = (1u32..)
        .zip(&page.containers[1..])
        .filter(|(_, c)| c.counts.blocks > 0)
        .map(|(i, c)| (c.parent, c.signature, i))
        .collect();
    order.sort_unstable();
    for (number, group) in (1..).zip(order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))) {
        let (mut units, mut links) = (0.0, 0.0);
        for &(_, _, i) in group {
            units += page.containers[i as usize].counts.units;
            links += page.containers[i as usize].counts.link_units;
        }
        for &(_, _, i) in group {
            let container = &mut page.containers[i as usize];
            container.group = number;
            container.twins = group.len() as u32;
            container.twin_units = units;
            container.twin_link_units = links;
        }
    }
    for i in 1..page.containers.len() {
        let parent = page.containers[i].parent as usize;
        if page.containers[parent].counts.blocks == page.containers[i].counts.blocks {
            page.containers[i].wider = page.containers[parent].wider;
        }
    }
    correct_names(page);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    #[test]
    fn what_holds_the_page_is_no_aside_of_it() {
        let text =
            "Some words of which there are more than elsewhere, since this is what the page is about. "
                .repeat(9);
        for (names, heading, far) in [
            ("sidebar-right", "<h1>Tea</h1>", true),
            ("sidebar-right", "", false),
            ("x", "<h1>Tea</h1>", true),
        ] {
            let html =
                format!("<div class='{names}'>{heading}<p>{text}</div><div class=sidebar><p>Tea</div>");
            let dom = parse(&html, &Limits::default());
            let page = blocks(&dom, dom.body().unwrap());
            let steps = |i: usize| {
                let block = &page.blocks[i];
                page.containers[block.container as usize].distance[Kind::Side as usize]
            };
            let last = page.blocks.len() - 1;
            assert_eq!((steps(last - 1) == FAR, steps(last)), (far, 1), "{html}");
        }
    }
}
