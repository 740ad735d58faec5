//! Threads of readers' comments on a page, found by repeated structure and by words.
//!
//! **Definition.** A thread is a run of items that are marked up alike, each with a byline (who, when) and a text, below what
//! the page is about. Names of elements are one piece of [evidence](evidence) among others, so that pages whose elements have
//! none are read too. Where the first thing on the page is itself one of the items, the page is a forum's thread or a list of
//! articles: [`Threads::includes_first`] says so, and the items are no comments.
//!
//! **Algorithm.** Short [lines](lines) that could be bylines, headings over comments, invitations and buttons are told by
//! dates and [phrases](phrases); alike bylines make [runs](runs), which divide the page into items; each run gets a strength.
//! Of runs that overlap the strongest stands.
//!
//! **Cost.** Linear in blocks: at most [`runs::MAX_RUNS`](runs) runs are weighed, and lines longer than
//! [`phrases::MAX_LINE`](phrases) bytes are not read whole. **Determinism**: no order of a hash table is seen.

mod division;
mod evidence;
mod lines;
mod phrases;
mod runs;
#[cfg(test)]
mod tests;
mod tree;

use crate::blocks::class_names::Kind;
use crate::blocks::page::{FAR, NONE, Page};
pub(crate) use division::{Division, division};
use evidence::Evidence;
pub(crate) use evidence::is_comment_id;
use lines::Line;
use runs::{Bounds, Run, is_body, runs};
use webmill_html::{DateOrder, Dom};

/// Runs of less strength are not kept.
const MIN_STRENGTH: f32 = 0.2;
/// Runs of this strength are threads.
pub(crate) const THREAD: f32 = 0.5;
/// Headings over comments that are no headings in the markup; with more, each belongs to a teaser.
const MAX_OPENERS: usize = 4;
/// Lines that only boards have, on a page of one.
const MIN_BOARD: usize = 3;
/// Blocks of a page with fewer than this have no thread.
const MIN_BLOCKS: usize = 3;

/// What else is known of a page.
#[derive(Copy, Clone, Default)]
pub(crate) struct PageContext<'a> {
    /// The tree, for ids and addresses of comments.
    pub dom: Option<&'a Dom<'a>>,
    /// The article's date, ISO 8601.
    pub published: Option<&'a str>,
    pub order: DateOrder,
}

/// What a block is in its thread.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// In no item.
    #[default]
    None,
    /// The heading over the thread, and everything between it and the first item.
    Opener,
    /// Who, or who and when.
    Byline,
    /// When.
    Date,
    /// The text of the comment.
    Body,
    /// Byline and text in one block.
    Headed,
    /// A button, a label.
    Tool,
}

/// A block of a thread.
#[derive(Copy, Clone, Debug)]
struct Member {
    strength: f32,
    item: u32,
    role: Role,
}

/// The threads of a page.
#[derive(Clone, Default, Debug)]
pub(crate) struct Threads {
    /// By block; empty if there is no thread.
    members: Vec<Member>,
    items: usize,
    starts_at: Option<usize>,
    posts: usize,
}

impl Threads {
    /// How surely a block is of a reader's comment, or a heading or button around one: 0 to 1.
    pub(crate) fn strength(&self, block: usize) -> f32 {
        self.members.get(block).map_or(0.0, |it| it.strength)
    }

    /// The number of the comment, or of the alike post, that a block belongs to.
    pub(crate) fn item(&self, block: usize) -> Option<u32> {
        self.members.get(block).map(|it| it.item).filter(|&item| item != NONE)
    }

    /// What a block is in its item.
    pub(crate) fn role(&self, block: usize) -> Role {
        self.members.get(block).map_or(Role::None, |it| it.role)
    }

    /// How many comments there are, in threads of at least [`THREAD`].
    pub(crate) fn items(&self) -> usize {
        self.items
    }

    /// The first block of the first thread, its heading included.
    pub(crate) fn starts_at(&self) -> Option<usize> {
        self.starts_at
    }

    /// Whether what the page is about is itself one of several alike posts.
    pub(crate) fn includes_first(&self) -> bool {
        self.posts > 0
    }

    /// How many alike posts there are of which the first is what the page is about.
    pub(crate) fn posts(&self) -> usize {
        self.posts
    }

    /// Whether most of the chosen words are in items of threads: the thread is the text.
    pub(crate) fn hold(&self, page: &Page, chosen: &[bool]) -> bool {
        let words = |wanted: &dyn Fn(usize) -> bool| -> f32 {
            let of = page.blocks.iter().enumerate().filter(|(i, _)| chosen[*i] && wanted(*i));
            of.map(|(_, block)| block.counts.units).sum()
        };
        let of_items = |i: usize| self.strength(i) >= THREAD && self.item(i).is_some();
        self.items > 1 && words(&of_items) > 0.5 * words(&|_| true)
    }

    /// Takes back what is in none after all.
    pub(crate) fn keep(&mut self, is_in: impl Fn(usize) -> bool) {
        for (i, member) in self.members.iter_mut().enumerate() {
            if !is_in(i) {
                *member = Member { strength: 0.0, item: NONE, role: Role::None };
            }
        }
    }

    /// Whether there is neither a thread nor alike posts.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// Finds the threads of a page.
pub(crate) fn threads(page: &Page, said: &PageContext<'_>) -> Threads {
    let n = page.blocks.len();
    if n < MIN_BLOCKS {
        return Threads::default();
    }
    let mut lines: Vec<Line> = page.blocks.iter().map(|block| Line::new(page, block, said.order)).collect();
    let bounds = bounds(page, &mut lines);
    if !lines.iter().any(Line::is_byline) {
        return Threads::default();
    }
    let prose = prose_before(page, &lines);
    let mut found: Vec<(f32, Evidence, Run)> = runs(page, &lines, &bounds)
        .into_iter()
        .map(|run| {
            let evidence = Evidence::new(page, &lines, &bounds, &run, said, &prose);
            (evidence.strength(), evidence, run)
        })
        .filter(|(strength, ..)| *strength >= MIN_STRENGTH)
        .collect();
    // Ties go to the longer run, then to the earlier.
    found.sort_by(|a, b| {
        let size = |run: &Run| (run.items.len(), std::cmp::Reverse(run.anchors[0]));
        b.0.total_cmp(&a.0).then_with(|| size(&b.2).cmp(&size(&a.2)))
    });
    let mut out = Threads::default();
    for (strength, evidence, run) in &found {
        out.add(page, &lines, &bounds, run, *strength, evidence);
    }
    out
}

impl Threads {
    /// Adds a run unless a stronger one has its place.
    fn add(
        &mut self,
        page: &Page,
        lines: &[Line],
        bounds: &Bounds,
        run: &Run,
        strength: f32,
        evidence: &Evidence,
    ) {
        let free = Member { strength: 0.0, item: NONE, role: Role::None };
        let (start, end) = (run.items[0].0 as usize, run.items[run.items.len() - 1].1 as usize);
        let is_free = |members: &[Member], range: &(u32, u32)| {
            members
                .get(range.0 as usize..range.1 as usize)
                .is_none_or(|of| of.iter().all(|it| it.role == Role::None))
        };
        let kept: Vec<bool> = run.items.iter().map(|range| is_free(&self.members, range)).collect();
        let count = kept.iter().filter(|kept| **kept).count();
        if count * 2 <= kept.len() {
            return;
        }
        self.members.resize(page.blocks.len(), free);
        let first = evidence.includes_first();
        if first {
            if strength >= THREAD {
                self.posts += count;
            }
        } else if strength >= THREAD {
            self.items += count;
        }
        let strength = if first { 0.0 } else { strength };
        let from = self.number();
        let mut begin = start;
        if let Some(opener) = run.opener.filter(|_| !first) {
            begin = begin.min(opener as usize);
        }
        let head = Member { strength, item: NONE, role: Role::Opener };
        self.members[begin..start].iter_mut().filter(|it| it.role == Role::None).for_each(|it| *it = head);
        let items = run.items.iter().zip(&run.anchors).zip(&kept).filter(|(_, kept)| **kept);
        for (number, ((range, &anchor), _)) in (from..).zip(items) {
            for i in range.0..range.1 {
                let role = role(page, lines, run, *range, anchor, i);
                self.members[i as usize] = Member { strength, item: number, role };
            }
        }
        // Between items and behind them, up to an invitation to comment, is what belongs to all.
        let mut last = end;
        if let Some(closer) = bounds.next_in(end as u32, (end as u32 + 4).min(page.blocks.len() as u32)) {
            last = closer as usize + 1;
        }
        for member in &mut self.members[start..last] {
            if member.role == Role::None {
                *member = Member { strength, item: NONE, role: Role::Tool };
            }
        }
        if strength >= THREAD {
            self.starts_at = Some(self.starts_at.map_or(begin, |known| known.min(begin)));
        }
    }

    /// The number of the next item.
    fn number(&self) -> u32 {
        let items = self.members.iter().filter(|it| it.item != NONE).map(|it| it.item + 1);
        items.max().unwrap_or(0)
    }
}

/// What a block is in its item.
fn role(page: &Page, lines: &[Line], run: &Run, range: (u32, u32), anchor: u32, i: u32) -> Role {
    let (line, block) = (&lines[i as usize], &page.blocks[i as usize]);
    if i == anchor {
        return match (line.long, line.stamped && is_bare_date(page, i)) {
            (true, _) => Role::Headed,
            (_, true) => Role::Date,
            _ => Role::Byline,
        };
    }
    if line.tool || line.closer {
        return Role::Tool;
    }
    if line.is_byline() && !line.long {
        return if line.said && !line.stamped || !is_bare_date(page, i) { Role::Byline } else { Role::Date };
    }
    let counts = &block.counts;
    let short = counts.units <= 5.0 && !block.ends_sentence;
    // A name stands next to the byline, on the side where the text is not.
    let beside = if run.below {
        i + 1 == anchor || i == anchor + 1
    } else {
        i + 1 == anchor || i == range.0 && i < anchor
    };
    if short && beside && counts.links + counts.strong_units as u32 > 0
        || short && i + 1 == anchor && !run.below
    {
        return Role::Byline;
    }
    if is_body(page, lines, i) { Role::Body } else { Role::Tool }
}

/// Whether a block holds a date and nothing like a name.
fn is_bare_date(page: &Page, i: u32) -> bool {
    let counts = &page.blocks[i as usize].counts;
    counts.letters <= 2 * counts.digits + 12 && counts.units <= 8.0
}

/// Marks where threads begin and end, and takes these marks from lines that only resemble them.
fn bounds(page: &Page, lines: &mut [Line]) -> Bounds {
    let bare = lines.iter().filter(|line| line.opener && !line.heading).count();
    let closers = lines.iter().filter(|line| line.closer).count();
    let board = lines.iter().filter(|line| line.board).count() >= MIN_BOARD;
    let mut bounds = Bounds { board, ..Bounds::default() };
    for (i, line) in (0u32..).zip(lines.iter_mut()) {
        line.opener &= line.heading || bare <= MAX_OPENERS;
        line.closer &= closers <= MAX_OPENERS || line.heading;
        let hidden =
            page.containers[page.blocks[i as usize].container as usize].distance[Kind::Nav as usize] < FAR;
        line.opener &= !hidden;
        if line.opener {
            bounds.openers.push(i);
        }
        if line.closer {
            bounds.closers.push(i);
        }
    }
    bounds
}

/// Words of prose before each block, and before the end.
fn prose_before(page: &Page, lines: &[Line]) -> Vec<f32> {
    let mut out = Vec::with_capacity(page.blocks.len() + 1);
    let mut sum = 0.0;
    out.push(0.0);
    for (block, line) in page.blocks.iter().zip(lines) {
        let distance = &page.containers[block.container as usize].distance;
        let aside =
            [Kind::Nav, Kind::Side, Kind::Footer].into_iter().any(|kind| distance[kind as usize] < FAR);
        let counts = &block.counts;
        if !aside
            && !line.heading
            && counts.units >= 6.0
            && counts.link_units < 0.4 * counts.units
            && counts.stops > 0
        {
            sum += counts.units;
        }
        out.push(sum);
    }
    out
}
