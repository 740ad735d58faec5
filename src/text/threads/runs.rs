//! Finds runs of bylines that are marked up alike, and the items into which they divide a page.
//!
//! The module above calls it to find readers' comments and posts of forums.
//!
//! **Algorithm.** Lines that could be bylines are grouped by the tags around them and by what they say. A group is divided
//! at headings over comments. The innermost container that most neighbours of a part share, each reached by equal tags, is
//! its root; elements at the ends that are not alike are left out, and examined again by themselves. The item of a byline is the largest
//! container that no other byline of the run is in; where these hold nothing but the byline, it goes from byline to byline.
//! Cost: O(blocks + bylines · [depth](super::tree)) for each of [`MAX_GROUPS`] groups.

use super::lines::Line;
use super::tree::{child_of, common, path, upwards};
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Block, Page};
use std::collections::HashMap;

/// Groups of bylines that are looked at, the largest first.
const MAX_GROUPS: usize = 16;
/// Parts of a page that are looked at.
const MAX_RUNS: usize = 64;
/// Roots sought in one part of a group.
const MAX_ROUNDS: usize = 6;
/// Blocks from a heading over comments to the first of them, at most.
pub(super) const OPENER_REACH: usize = 8;
/// Words of a line that is a byline by the name of its element alone.
const MAX_SIGNED: f32 = 12.0;
/// Blocks of a last item whose end nothing shows.
const MAX_LAST: usize = 40;

/// Bylines marked up alike, and what belongs to each.
#[derive(Clone, Default, Debug)]
pub(super) struct Run {
    /// Blocks that are bylines, in order.
    pub anchors: Vec<u32>,
    /// Blocks of each item, `first..end`, in order; of nested items the inner ones begin where the outer ones end.
    pub items: Vec<(u32, u32)>,
    /// The container around all of them.
    pub root: u32,
    /// The heading over comments in front.
    pub opener: Option<u32>,
    /// Whether bylines stand below what they belong to.
    pub below: bool,
}

impl Run {
    /// The run without items that others hold; none if nothing is left.
    fn tidy(mut self) -> Option<Run> {
        let mut end = 0;
        let mut keep = Vec::with_capacity(self.items.len());
        for item in &mut self.items {
            item.0 = item.0.max(end);
            keep.push(item.0 < item.1);
            end = end.max(item.1);
        }
        let (mut items, mut anchors) = (keep.iter(), keep.iter());
        self.items.retain(|_| items.next() == Some(&true));
        self.anchors.retain(|_| anchors.next() == Some(&true));
        (!self.items.is_empty()).then_some(self)
    }
}

/// Which blocks tell where threads begin and end.
#[derive(Default, Debug)]
pub(super) struct Bounds {
    pub openers: Vec<u32>,
    pub closers: Vec<u32>,
    /// The page says that it is a board's.
    pub board: bool,
}

impl Bounds {
    /// The last opener before a block, not before `from`.
    pub(super) fn opener_in(&self, from: u32, to: u32) -> Option<u32> {
        let at = self.openers.partition_point(|&o| o < to);
        self.openers[..at].last().copied().filter(|&o| o >= from)
    }

    /// The first opener or closer at or behind a block, in front of `to`.
    pub(super) fn next_in(&self, from: u32, to: u32) -> Option<u32> {
        let first = |list: &[u32]| list.get(list.partition_point(|&b| b < from)).copied();
        first(&self.openers).into_iter().chain(first(&self.closers)).min().filter(|&at| at < to)
    }
}

/// All runs of a page, those of several bylines first.
pub(super) fn runs(page: &Page, lines: &[Line], bounds: &Bounds) -> Vec<Run> {
    let mut groups: HashMap<u64, Vec<u32>> = HashMap::new();
    for (i, line) in (0u32..).zip(lines).filter(|(_, line)| line.is_byline()) {
        groups.entry(key(page, i, line)).or_default().push(i);
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
    groups.sort_unstable_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups.truncate(MAX_GROUPS);
    let mut out = Vec::new();
    for group in &groups {
        let mut from = 0;
        for at in 1..=group.len() {
            let ends = at == group.len() || bounds.opener_in(group[at - 1], group[at]).is_some();
            if ends {
                divide(page, lines, bounds, &group[from..at], &mut out);
                from = at;
            }
            if out.len() >= MAX_RUNS {
                return out;
            }
        }
    }
    out
}

/// The runs of bylines, and of short lines in elements that are named after them, in elements of equal names, however these stand to each other: a thread of which each post answers the
/// one before has no two of them side by side.
pub(super) fn named_alike(page: &Page, lines: &[Line], bounds: &Bounds) -> Vec<Run> {
    let mut groups: HashMap<(u64, u64), Vec<u32>> = HashMap::new();
    let is_signed = |block: &Block| {
        let distance = &page.containers[block.container as usize].distance;
        block.counts.units <= MAX_SIGNED
            && (distance[Kind::User as usize] == 0 || distance[Kind::Byline as usize] == 0)
    };
    for (i, line) in (0u32..).zip(lines) {
        if !line.is_byline() && !is_signed(&page.blocks[i as usize]) {
            continue;
        }
        let it = &page.containers[container(page, i) as usize];
        groups.entry((it.signature, page.containers[it.parent as usize].signature)).or_default().push(i);
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups.truncate(MAX_GROUPS);
    let run = |group: &Vec<u32>| {
        let mut around = group.iter().map(|&anchor| container(page, anchor));
        let first = around.next()?;
        let root = around.try_fold(first, |root, next| common(page, root, next))?;
        cut_up(page, lines, bounds, group, root).tidy()
    };
    groups.iter().filter_map(run).collect()
}

/// Equal for bylines that are marked up alike and say alike things.
fn key(page: &Page, i: u32, line: &Line) -> u64 {
    let mut key = u64::from(line.stamped) | u64::from(line.said) << 1 | u64::from(line.long) << 2;
    for (_, it) in upwards(page, page.blocks[i as usize].container).take(2) {
        key = key << 8 | it.tag as u64;
    }
    key
}

/// How two neighbours stand to each other.
#[derive(Copy, Clone)]
struct Pair {
    around: Option<u32>,
    alike: bool,
}

/// Divides a part of a group into runs.
fn divide(page: &Page, lines: &[Line], bounds: &Bounds, group: &[u32], out: &mut Vec<Run>) {
    let mut parts = vec![group];
    let mut rounds = 0;
    while let Some(part) = parts.pop() {
        rounds += 1;
        if rounds > MAX_ROUNDS || out.len() >= MAX_RUNS {
            return;
        }
        let pairs: Vec<Pair> = (1..part.len()).map(|at| pair(page, part, at)).collect();
        let Some((from, to, root)) = widest(page, part, &pairs) else {
            // Bylines that resemble no other: alone only under a heading over comments.
            for &one in part.iter().take(4) {
                out.extend(single(page, lines, bounds, one).and_then(Run::tidy));
            }
            continue;
        };
        out.extend(cut_up(page, lines, bounds, &part[from..to], root).tidy());
        parts.extend([&part[..from], &part[to..]].into_iter().filter(|rest| !rest.is_empty()));
    }
}

fn container(page: &Page, block: u32) -> u32 {
    page.blocks[block as usize].container
}

/// The pair of the bylines `at - 1` and `at`.
fn pair(page: &Page, part: &[u32], at: usize) -> Pair {
    let (a, b) = (container(page, part[at - 1]), container(page, part[at]));
    let Some(around) = common(page, a, b) else { return Pair { around: None, alike: false } };
    let alike = match (child_of(page, around, a), child_of(page, around, b)) {
        (None, None) => true,
        (Some(left), Some(_)) => {
            let start = page.containers[left as usize].first;
            let first = part[..at].partition_point(|&p| p < start);
            let (mut one, mut other) = (Vec::new(), Vec::new());
            path(page, around, container(page, part[first.min(at - 1)]), &mut one);
            path(page, around, b, &mut other);
            one == other
        }
        _ => false,
    };
    Pair { around: Some(around), alike }
}

/// The longest stretch of a part below one root, as `(from, to, root)`.
fn widest(page: &Page, part: &[u32], pairs: &[Pair]) -> Option<(usize, usize, u32)> {
    let mut counts: HashMap<u32, (usize, usize)> = HashMap::new();
    for (at, pair) in pairs.iter().enumerate().filter(|(_, pair)| pair.alike) {
        if let Some(around) = pair.around {
            counts.entry(around).or_insert((0, at)).0 += 1;
        }
    }
    let (&root, _) = counts.iter().max_by_key(|(_, (count, at))| (*count, std::cmp::Reverse(*at)))?;
    let mut root = root;
    let (mut from, mut to) = below(page, part, root);
    for _ in 0..MAX_ROUNDS {
        // The root of all may be further up: replies outnumber what they answer.
        let last = to.checked_sub(1).filter(|&last| last < pairs.len());
        let ends = [from.checked_sub(1), last];
        let wider = ends.into_iter().flatten().map(|at| pairs[at]).find(|pair| pair.alike);
        let Some(wider) = wider.and_then(|pair| pair.around) else { break };
        if wider == root {
            break;
        }
        root = wider;
        (from, to) = below(page, part, root);
    }
    // A byline of another kind in front, such as the article's own, or behind.
    while from + 1 < to && !pairs[from].alike && pairs[from].around == Some(root) {
        from += 1;
    }
    while to > from + 1
        && !pairs[to - 2].alike
        && pairs[to - 2].around == Some(root)
        && !nested(page, part, to)
    {
        to -= 1;
    }
    (to > from + 1).then_some((from, to, root))
}

/// Whether the last pair's first is a reply in an item that begins alike.
fn nested(page: &Page, part: &[u32], to: usize) -> bool {
    let (a, b) = (container(page, part[to - 2]), container(page, part[to - 1]));
    page.containers[a as usize].depth > page.containers[b as usize].depth
}

/// The members of a part that are in a container.
fn below(page: &Page, part: &[u32], root: u32) -> (usize, usize) {
    let it = &page.containers[root as usize];
    (part.partition_point(|&p| p < it.first), part.partition_point(|&p| p < it.end))
}

/// Whether a block says something: no byline, no button.
pub(super) fn is_body(page: &Page, lines: &[Line], i: u32) -> bool {
    let (block, line) = (&page.blocks[i as usize], &lines[i as usize]);
    let link = block.counts.link_units > 0.8 * block.counts.units;
    line.long
        || !(line.is_byline() || line.tool || line.opener || line.closer || link && block.counts.units <= 6.0)
}

fn has_body(page: &Page, lines: &[Line], range: (u32, u32), anchor: u32) -> bool {
    (range.0..range.1)
        .any(|i| (i != anchor || lines[i as usize].long) && is_body(page, lines, i) && !lead(page, i, anchor))
}

/// Whether a block is a name in front of a byline.
fn lead(page: &Page, i: u32, anchor: u32) -> bool {
    let counts = &page.blocks[i as usize].counts;
    i + 1 == anchor && counts.units <= 5.0 && counts.stops == 0
}

/// The items of a run.
fn cut_up(page: &Page, lines: &[Line], bounds: &Bounds, anchors: &[u32], root: u32) -> Run {
    let mut own = Vec::with_capacity(anchors.len());
    for (at, &anchor) in anchors.iter().enumerate() {
        let it = container(page, anchor);
        let around = |other: Option<&u32>| other.and_then(|&other| common(page, it, container(page, other)));
        let (before, behind) =
            (around(at.checked_sub(1).map(|at| &anchors[at])), around(anchors.get(at + 1)));
        let depth = |c: &u32| page.containers[*c as usize].depth;
        let inner = [before, behind].into_iter().flatten().max_by_key(depth).unwrap_or(root);
        // Neighbours too far away tell nothing.
        let lost = at > 0 && before.is_none() || at + 1 < anchors.len() && behind.is_none();
        let range = child_of(page, inner, it).filter(|_| !lost).map(|c| &page.containers[c as usize]);
        own.push(range.map_or((anchor, anchor + 1), |c| (c.first, c.end)));
    }
    let mut run = Run { anchors: anchors.to_vec(), root, ..Run::default() };
    run.opener = opener_of(page, bounds, own[0].0);
    let whole =
        own.iter().zip(anchors).filter(|(range, anchor)| has_body(page, lines, **range, **anchor)).count();
    if whole * 2 >= anchors.len() {
        run.items = own;
        // The last alone may reach up to where others begin; replies may stand behind their bylines' element.
        extend(page, lines, &mut run);
    } else {
        flat(page, lines, bounds, &mut run, &own);
    }
    run
}

/// Gives items that hold only a byline what follows up to the next one, and items the name that stands in front of them.
fn extend(page: &Page, lines: &[Line], run: &mut Run) {
    for at in 0..run.items.len().saturating_sub(1) {
        let (range, anchor, next) = (run.items[at], run.anchors[at], run.items[at + 1].0);
        if next > range.1 && !has_body(page, lines, range, anchor) {
            run.items[at].1 = next;
        }
    }
    let depth = |c: u32| page.containers[c as usize].depth;
    for at in 0..run.items.len() {
        let (start, anchor) = (run.items[at].0, run.anchors[at]);
        let limit = at.checked_sub(1).map_or(run.opener.map_or(0, |opener| opener + 1), |at| run.items[at].1);
        if start <= limit || start != anchor {
            continue;
        }
        let line = &lines[start as usize - 1];
        let inner = common(page, container(page, start - 1), container(page, anchor));
        let own = inner.is_some_and(|inner| depth(inner) > depth(run.root));
        if own && (line.said && !line.stamped || is_name(page, lines, start - 1)) {
            run.items[at].0 -= 1;
        }
    }
}

/// The heading over comments in front of a block.
fn opener_of(page: &Page, bounds: &Bounds, start: u32) -> Option<u32> {
    let from = start.saturating_sub(OPENER_REACH as u32);
    let opener = bounds.opener_in(from, start)?;
    // Between them is little.
    let between = &page.blocks[opener as usize + 1..start as usize];
    let prose: f32 = between.iter().map(|block| block.counts.prose_units).sum();
    (prose < 120.0).then_some(opener)
}

/// Items from byline to byline.
fn flat(page: &Page, lines: &[Line], bounds: &Bounds, run: &mut Run, own: &[(u32, u32)]) {
    let n = own.len();
    let first = own[0].0;
    run.below = stand_below(page, lines, run, own, bounds);
    let mut seen: Vec<u64> = Vec::new();
    for pair in own.windows(2) {
        seen.extend((pair[0].1..pair[1].0).map(|i| tags(page, i)));
    }
    seen.sort_unstable();
    seen.dedup();
    let longest = own.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].1)).max().unwrap_or(0);
    if run.below {
        let limit = run.opener.map_or(first.saturating_sub(longest), |opener| opener + 1);
        let mut start = first;
        while start > limit
            && seen.binary_search(&tags(page, start - 1)).is_ok()
            && !lines[start as usize - 1].heading
        {
            start -= 1;
        }
        run.items.push((start, own[0].1));
        run.items.extend(own.windows(2).map(|pair| (pair[0].1, pair[1].1)));
        return;
    }
    let mut starts: Vec<u32> = own.iter().map(|range| range.0).collect();
    let leading = |&start: &u32| start > 0 && is_name(page, lines, start - 1);
    let alike = starts[1..].iter().filter(|start| leading(start)).count();
    if alike * 10 >= (n - 1) * 8 && n > 1 && leading(&starts[0]) && run.opener != Some(starts[0] - 1) {
        for start in &mut starts {
            *start -= u32::from(leading(start));
        }
    }
    run.items.extend(starts.windows(2).map(|pair| (pair[0], pair[1])));
    let limit = last_limit(page, bounds, run.root, own[n - 1].1);
    let mut end = own[n - 1].1;
    let mut skipped = 0;
    let known = |i: u32| seen.binary_search(&tags(page, i)).is_ok();
    while end < limit
        && (n < 3 || known(end) || is_body(page, lines, end) && skipped == 0 && end == own[n - 1].1)
    {
        let heads = lines[end as usize].heading && !known(end);
        if heads {
            break;
        }
        skipped += u32::from(!is_body(page, lines, end));
        end += 1;
    }
    run.items.push((starts[n - 1], end));
}

/// Where a last item ends at the latest.
fn last_limit(page: &Page, bounds: &Bounds, root: u32, from: u32) -> u32 {
    let end = page.containers[root as usize].end.min(from + MAX_LAST as u32).max(from);
    bounds.next_in(from, end).unwrap_or(end)
}

/// Whether a block could be the name over a byline that tells only the time.
fn is_name(page: &Page, lines: &[Line], i: u32) -> bool {
    let (block, line) = (&page.blocks[i as usize], &lines[i as usize]);
    let counts = &block.counts;
    counts.units <= 5.0
        && counts.stops <= 1
        && !line.is_byline()
        && !(line.tool || line.opener || line.closer)
        && !block.ends_sentence
}

/// The tags of a block's container and the one around it.
fn tags(page: &Page, i: u32) -> u64 {
    upwards(page, container(page, i)).take(2).fold(0, |key, (_, it)| key << 8 | it.tag as u64)
}

/// Whether bylines stand below what they belong to.
fn stand_below(page: &Page, lines: &[Line], run: &Run, own: &[(u32, u32)], bounds: &Bounds) -> bool {
    let n = own.len();
    let (first, end) = (own[0].0, own[n - 1].1);
    let mut votes = 0i32;
    let share =
        |is: &dyn Fn(&Line) -> bool| run.anchors.iter().filter(|&&a| is(&lines[a as usize])).count() * 2 > n;
    if share(&|line| line.said) {
        votes -= 1;
    }
    if share(&|line| line.posted && line.stamped) {
        votes += 1;
    }
    if page.blocks[run.anchors[0] as usize].ends_colon {
        votes -= 2;
    }
    if let Some(opener) = run.opener {
        let body = (opener + 1..first).any(|i| is_body(page, lines, i) && !is_name(page, lines, i));
        votes += if body { 2 } else { -2 };
    }
    let limit = last_limit(page, bounds, run.root, end);
    let behind = (end..limit).find(|&i| !lines[i as usize].tool);
    let alike = behind.is_some_and(|i| is_body(page, lines, i) && !lines[i as usize].heading);
    votes += if alike { -1 } else { 2 };
    if behind.is_none() && n >= 2 {
        votes += 1;
    }
    votes > 0
}

/// The run of one byline under a heading over comments.
fn single(page: &Page, lines: &[Line], bounds: &Bounds, anchor: u32) -> Option<Run> {
    let from = anchor.saturating_sub(OPENER_REACH as u32);
    let opener = bounds.opener_in(from, anchor)?;
    let it = container(page, anchor);
    let root = common(page, container(page, opener), it)?;
    let own = child_of(page, root, it).map_or((anchor, anchor + 1), |c| {
        (page.containers[c as usize].first, page.containers[c as usize].end)
    });
    let mut run = Run { anchors: vec![anchor], root, opener: Some(opener), ..Run::default() };
    if own.0 <= opener {
        return None;
    }
    if has_body(page, lines, own, anchor) {
        // Other bylines in it are of other items, which resemble this one too little.
        let others = (own.0..own.1).filter(|&i| i != anchor && lines[i as usize].is_byline()).count();
        run.items.push(own);
        return (others <= 1).then_some(run);
    }
    let above = (opener + 1..own.0).any(|i| is_body(page, lines, i) && !is_name(page, lines, i));
    run.below = above;
    if above {
        run.items.push((opener + 1, own.1));
    } else {
        let mut end = own.1;
        let limit = last_limit(page, bounds, root, end);
        while end < limit && !lines[end as usize].heading {
            end += 1;
        }
        run.items.push((opener + 1, end));
    }
    Some(run)
}
