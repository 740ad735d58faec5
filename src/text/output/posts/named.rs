//! Comments by the names of elements.
//!
//! A block is of a comment if names around it say so ([`Kind::Comment`]) and it is not in a form, a tool bar or a pager nearer
//! than that. A comment is the innermost element around such a block that also holds a byline, a user's name or a date; its
//! first byline that is no date names the author. An element that is named so and holds most of the main text, or most
//! of the page's prose with few bylines, is none, nor is code. Where no comment of the page has a byline, prose under a heading on comments
//! is none: sections of handbooks are called `comments` too. Cost: linear in blocks times depth.

use super::byline::{before_date, date_in, is_dated, writer};
use super::labels::says_something;
use super::{Post, Room};
use crate::blocks::class_names::{Kind, kinds_of};
use crate::blocks::elements::{heading, is_code};
use crate::blocks::page::{Block, Container, FAR, NONE, Page};
use crate::person_name::clean_author;
use webmill_capture::cut::Cut;
use webmill_html::DateOrder;

/// Words of a byline at most.
const MAX_BYLINE_UNITS: f32 = 12.0;
/// Comments that may go on behind replies to them.
const MAX_OPEN: usize = 64;

/// Bytes of the name and date behind a comment of one line.
const MAX_SIGNATURE: usize = 80;

/// Elements within one that are looked at: its first comments tell that it is a thread.
const MAX_INNER: usize = 400;
/// Words for each byline in an element of most of the page's prose that is no comments.
const MAX_UNITS_PER_BYLINE: f32 = 300.0;

/// Whether a block tells who wrote a comment, or when.
fn is_byline(page: &Page, block: &Block) -> bool {
    let distance = &page.containers[block.container as usize].distance;
    let said = |kind: Kind| distance[kind as usize] <= 1 || block.inline_kinds & kind.bit() != 0;
    block.counts.units <= MAX_BYLINE_UNITS
        && (said(Kind::Byline)
            || said(Kind::User)
            || block.counts.digits >= 3 && is_dated(page.text_of(block)))
}

/// Whether a block is in something that belongs to comments and is none: a form, buttons.
fn is_beside(page: &Page, block: &Block) -> bool {
    let distance = &page.containers[block.container as usize].distance;
    let comment = distance[Kind::Comment as usize];
    let nearer = |kind: Kind| distance[kind as usize] < FAR && distance[kind as usize] <= comment;
    let counts = &block.counts;
    let link = counts.units <= 6.0 && counts.link_units > 0.8 * counts.units;
    [Kind::Form, Kind::Tool, Kind::Share, Kind::Nav, Kind::Pager, Kind::Advert].into_iter().any(nearer)
        || distance[Kind::Hidden as usize] < FAR
        || link && !is_byline(page, block)
}

/// Whether a block is in something that is named after comments, and is no tool of it.
fn is_named(page: &Page, block: &Block) -> bool {
    let it = &page.containers[block.container as usize];
    let named = it.distance[Kind::Comment as usize] < FAR || block.inline_kinds & Kind::Comment.bit() != 0;
    named && !is_code(it.tag) && !is_beside(page, block)
}

/// Bylines and other wanted blocks before each block, so that whether a container holds one takes constant time.
fn bylines_before(page: &Page, wanted: &[bool]) -> Vec<(u32, u32)> {
    let mut before = vec![(0u32, 0u32)];
    for (block, wanted) in page.blocks.iter().zip(wanted) {
        let (bylines, others) = before.last().copied().unwrap_or_default();
        let byline = *wanted && is_byline(page, block);
        before.push((bylines + u32::from(byline), others + u32::from(*wanted && !byline)));
    }
    before
}

/// Whether an element that is named after comments holds an address of one, or as many bylines as a thread does; one of them
/// alone only if it is named again for each comment.
fn is_thread(page: &Page, at: u32, before: &[(u32, u32)]) -> bool {
    let it = &page.containers[at as usize];
    let bylines = before[it.end as usize].0 - before[it.first as usize].0;
    let inner = page.containers[at as usize + 1..].iter().take_while(|inner| inner.depth > it.depth);
    let (mut again, mut addressed) = (false, it.is_comment);
    for inner in inner.take(MAX_INNER).filter(|inner| inner.counts.blocks > 0) {
        again |= inner.distance[Kind::Comment as usize] == 0;
        addressed |= inner.is_comment;
    }
    let dense = it.counts.prose_units <= MAX_UNITS_PER_BYLINE * bylines as f32;
    addressed && bylines > 0 || dense && (bylines > 1 || bylines == 1 && again)
}

/// Which blocks are in elements that are named after comments and hold bylines as threads do, behind the lead.
pub(crate) fn in_named_threads(page: &Page, lead: Option<usize>) -> Vec<bool> {
    let wanted: Vec<bool> = page.blocks.iter().map(|block| is_named(page, block)).collect();
    if !wanted.contains(&true) {
        return wanted;
    }
    let before = bylines_before(page, &wanted);
    let mut known = (NONE, false);
    let mut in_thread = |block: &Block| {
        if known.0 != block.container {
            let holds_lead =
                |it: &Container| lead.is_some_and(|lead| (it.first..it.end).contains(&(lead as u32)));
            let holder = named_around(page, block.container, holds_lead);
            known = (block.container, holder.is_some_and(|at| is_thread(page, at, &before)));
        }
        known.1
    };
    page.blocks.iter().map(&mut in_thread).collect()
}

/// The comments among the blocks that are not taken yet, each with its first block.
pub(super) fn named(
    page: &Page,
    chosen: &[bool],
    taken: &[bool],
    order: DateOrder,
    room: &mut Room,
) -> Vec<(u32, Post)> {
    let blocks = page.blocks.iter().zip(taken);
    let wanted: Vec<bool> = blocks.map(|(block, taken)| !taken && is_named(page, block)).collect();
    if !wanted.contains(&true) {
        return Vec::new();
    }
    let before = bylines_before(page, &wanted);
    let most = 0.5 * page.containers[0].counts.prose_units;
    let mut text = vec![0.0];
    for (block, chosen) in page.blocks.iter().zip(chosen) {
        text.push(text[text.len() - 1] + if *chosen { block.counts.units } else { 0.0 });
    }
    // An element that holds most of the text is none; one within it may be.
    let is_text = |it: &Container| {
        let own = text[it.end as usize] - text[it.first as usize];
        own > 0.5 * text[chosen.len()]
    };
    let is_comment = |container: u32| {
        let far = page.containers[container as usize].distance[Kind::Comment as usize] == FAR;
        let holder = named_around(page, container, is_text);
        let few =
            |at: u32| page.containers[at as usize].counts.prose_units <= most || is_thread(page, at, &before);
        far || holder.is_some_and(few)
    };
    let mut out: Vec<(u32, Post)> = Vec::new();
    // Whether each is under no such heading.
    let mut sure: Vec<bool> = Vec::new();
    let mut places: Vec<u32> = Vec::new();
    for (number, block) in (0u32..).zip(&page.blocks).filter(|(number, _)| wanted[*number as usize]) {
        let place = item_of(page, block, &before);
        if place == NONE || !is_comment(place) {
            continue;
        }
        // Replies are inside of what they answer, which may go on behind them.
        let at = match places.iter().rev().take(MAX_OPEN).position(|&known| known == place) {
            Some(back) => places.len() - 1 - back,
            None if !room.has_post() => continue,
            None => {
                out.push((number, Post::default()));
                places.push(place);
                sure.push(!under_heading(page, place));
                out.len() - 1
            }
        };
        if room.has_text(page.text_of(block).len()) {
            add(page, block, &mut out[at].1, order);
        }
    }
    let named = |comment: &Post| comment.author.is_some() || comment.date.is_some();
    if !out.iter().any(|(_, comment)| named(comment) && says_something(comment)) {
        let mut sure = sure.iter();
        out.retain(|_| sure.next() == Some(&true));
    }
    out
}

/// A comment of one line with the linked name of its author behind a dash: what it says, and name and date.
fn signed<'p>(page: &'p Page, block: &Block) -> Option<(&'p str, &'p str)> {
    let text = page.text_of(block);
    let (said, tail) = [" – ", " — "].iter().find_map(|dash| text.rsplit_once(dash))?;
    (block.counts.links > 0 && !said.trim().is_empty() && tail.len() <= MAX_SIGNATURE).then_some((said, tail))
}

/// Adds a block to the comment that it is of.
fn add(page: &Page, block: &Block, comment: &mut Post, order: DateOrder) {
    let text = page.text_of(block);
    let byline = is_byline(page, block);
    if let Some((said, tail)) = signed(page, block).filter(|_| comment.text.is_empty()) {
        comment.author = writer(tail, order);
        comment.date = date_in(tail, order);
        comment.add_line(said);
    } else if byline && comment.text.is_empty() {
        let date = date_in(text, order);
        if comment.date.is_none() {
            comment.date.clone_from(&date);
        }
        if comment.author.is_none() {
            let name = before_date(text);
            // What is before the date may be the name of its month.
            let apart = || is_dated(text.cut(name.len()..));
            if !is_dated(text) || block.counts.letters > 2 * block.counts.digits || apart() {
                comment.author = clean_author(name);
            }
        }
    } else if heading(page.containers[block.container as usize].tag).is_some() && comment.text.is_empty() {
        // A heading over the comment.
    } else if byline && is_dated(text) {
        // A date below the comment.
        comment.date = comment.date.take().or_else(|| date_in(text, order));
    } else {
        comment.add_line(text);
    }
}

/// The outermost element around a container, itself included, that is named after comments and not too wide.
fn named_around(page: &Page, container: u32, is_wide: impl Fn(&Container) -> bool) -> Option<u32> {
    let (mut at, mut found) = (container, None);
    loop {
        let it = &page.containers[at as usize];
        let steps = it.distance[Kind::Comment as usize];
        if steps == FAR || is_wide(it) {
            return found;
        }
        if steps == 0 {
            found = Some(at);
        }
        if it.parent == at || it.parent == NONE {
            return found;
        }
        at = it.parent;
    }
}

/// Whether the nearest element called comments around a container begins with a heading that it is called after: a
/// section of a handbook on comments. Headings with numbers (`3 comments`) are no such.
fn under_heading(page: &Page, place: u32) -> bool {
    let mut at = place;
    loop {
        let it = &page.containers[at as usize];
        let distance = it.distance[Kind::Comment as usize];
        if distance == 0 {
            let first = &page.blocks[it.first as usize];
            return heading(page.containers[first.container as usize].tag).is_some()
                && first.counts.digits == 0
                && kinds_of(&page.text_of(first).replace(' ', "-")) & Kind::Comment.bit() != 0;
        }
        if distance == FAR || it.parent == at || it.parent == NONE {
            return false;
        }
        at = it.parent;
    }
}

/// The innermost container around a block that holds a byline too, up to the outermost that is called comments.
fn item_of(page: &Page, block: &Block, before: &[(u32, u32)]) -> u32 {
    let mut at = block.container;
    loop {
        let it = &page.containers[at as usize];
        if it.distance[Kind::Comment as usize] == FAR {
            break;
        }
        let (first, end) = (before[it.first as usize], before[it.end as usize]);
        if end.0 > first.0 {
            // An element of nothing but the byline is no comment yet.
            let bare = at == block.container && is_byline(page, block) && end.1 == first.1;
            if !bare {
                return at;
            }
        }
        if it.parent == at || it.parent == NONE {
            break;
        }
        at = it.parent;
    }
    // Without a byline: prose is a comment of its own.
    let is_prose = block.counts.units >= 8.0 || signed(page, block).is_some();
    if is_prose && block.counts.link_units < 0.5 * block.counts.units { block.container } else { NONE }
}
