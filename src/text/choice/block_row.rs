//! What is known about each block, as numbers.
//!
//! A row a block: its own text (length, links, punctuation, case, phrases), the kinds of its ancestors with their
//! distance, the sums of the ever wider containers around it, its neighbours, where it is on the page, its relation to the
//! page's title and to the densest stretch, and the [row of the page](super::page_row). Nothing depends on a language but
//! the [phrases](super::boilerplate_phrases) and the names of [`class_names`](crate::blocks::class_names). The shipped
//! tables know the numbers by their place in the row.
//!
//! Cost: O(blocks × features); chains of ancestors are followed by their wider links, of which four are used.

use super::boilerplate_phrases::{PHRASE_KINDS, PhraseKind};
use super::numbers::{ln, per};
use super::page_features::{COUNTED, PageFeatures};
use crate::blocks::class_names::{KINDS, Kind};
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, FAR, Page};
use webmill_html::Tag;

const INLINE: [Kind; 10] = [
    Kind::Byline,
    Kind::User,
    Kind::Tags,
    Kind::Tool,
    Kind::Share,
    Kind::Hidden,
    Kind::Content,
    Kind::Product,
    Kind::Title,
    Kind::Advert,
];

/// Numbers that [`lead_row`] gives.
const LEAD_FEATURES: usize = 20;

/// Where the block is beside the [lead](super::lead) and the runs of prose.
fn lead_row(page: &Page, facts: &PageFeatures, i: usize, out: &mut Vec<f32>) {
    let lead = &facts.lead;
    let Some(at) = lead.at else {
        out.extend([-1.0; LEAD_FEATURES]);
        return;
    };
    let all = facts.units[page.blocks.len()];
    let all_prose = facts.prose[page.blocks.len()];
    let block = &page.blocks[i];
    let own = &page.containers[block.container as usize];
    let hops = lead.hops.get(block.container as usize).copied().unwrap_or(0);
    let common = lead.common(hops).map(|at| &page.containers[at].counts);
    let lead_container = &page.containers[page.blocks[at].container as usize];
    let (from, to) = (at.min(i), at.max(i));
    let units = facts.units[to] - facts.units[from];
    let sums = |kind: usize| f32::from(facts.phrase_sums[to][kind] - facts.phrase_sums[from][kind]);
    out.extend([
        f32::from(hops),
        (i as f32 - at as f32).clamp(-200.0, 500.0),
        per(units, all),
        per(facts.link_units[to] - facts.link_units[from], units),
        per(facts.prose[to] - facts.prose[from], all_prose),
        f32::from(u8::from(facts.groups.of[i] == facts.groups.of[at])),
        f32::from(u8::from(own.tag == lead_container.tag)),
        f32::from(own.depth) - f32::from(lead_container.depth),
        f32::from(lead.headings[to] - lead.headings[from]),
        sums(0),
        sums(1),
        sums(3),
        common.map_or(-1.0, |counts| counts.link_density()),
        common.map_or(-1.0, |counts| per(counts.prose_units, all_prose)),
        common.map_or(-1.0, |counts| ln(counts.blocks as f32)),
    ]);
    let run = lead.runs.get(lead.run_of[i] as usize);
    let longest = &lead.runs[lead.longest];
    out.extend([
        run.map_or(-50.0, |_| lead.run_of[i] as f32 - lead.own as f32).clamp(-50.0, 50.0),
        run.map_or(-1.0, |run| per(run.prose, all_prose)),
        per(lead.runs[lead.own].prose, all_prose),
        run.map_or(-1.0, |run| outside(i, run.first as usize, run.end as usize)),
        outside(i, longest.first as usize, longest.end as usize),
    ]);
}

/// What the block is in a [thread](crate::threads) of comments.
fn thread_row(facts: &PageFeatures, i: usize, out: &mut Vec<f32>) {
    let threads = &facts.threads;
    out.extend([
        threads.strength(i),
        threads.role(i) as u8 as f32,
        threads.item(i).map_or(-1.0, |item| item.min(200) as f32),
        threads.starts_at().map_or(-500.0, |start| (i as f32 - start as f32).clamp(-200.0, 500.0)),
    ]);
}

/// Blocks from `i` to a range: negative before it, 0 in it, positive after it.
fn outside(i: usize, start: usize, end: usize) -> f32 {
    if i < start {
        i as f32 - start as f32
    } else if i < end {
        0.0
    } else {
        (i + 1 - end) as f32
    }
}

/// The innermost repeated container around a block: an item of a list, a post of a thread, a card of a grid.
pub(crate) fn repeated(page: &Page, block: &Block) -> usize {
    let mut at = block.container as usize;
    let mut best = at;
    for _ in 0..12 {
        if page.containers[at].twins > page.containers[best].twins {
            best = at;
        }
        if at == 0 {
            break;
        }
        at = page.containers[at].parent as usize;
    }
    best
}

/// The innermost container of more than one block around a block.
fn first_level(page: &Page, block: &Block) -> usize {
    let own = &page.containers[block.container as usize];
    if own.counts.blocks > 1 { block.container as usize } else { own.wider as usize }
}

/// The row of block `i`, into `out`, whose content is replaced.
pub(crate) fn block_row(page: &Page, facts: &PageFeatures, i: usize, out: &mut Vec<f32>) {
    out.clear();
    let block = &page.blocks[i];
    let own = &page.containers[block.container as usize];
    let n = page.blocks.len() as f32;
    let all = facts.units[page.blocks.len()];
    let all_prose = facts.prose[page.blocks.len()];
    let c = &block.counts;
    let letters = c.letters as f32;
    out.extend([
        ln(c.units),
        c.link_density(),
        ln(c.links as f32),
        per(c.strong_units, c.units),
        per(c.commas as f32, c.units),
        per(c.stops as f32, c.units),
        per(c.marks as f32, letters),
        c.currency as f32,
        per(c.digits as f32, letters),
        per(c.upper as f32, letters),
        per(letters, c.units),
        ln(c.breaks as f32),
        f32::from(u8::from(block.ends_sentence)),
        f32::from(u8::from(block.ends_colon)),
        f32::from(u8::from(block.starts_upper)),
        f32::from(u8::from(block.bullet)),
        c.images as f32,
        f32::from(facts.copies[i]).min(10.0),
        f32::from(u8::from(own.tag == Tag::P)),
        f32::from(heading(own.tag).unwrap_or(0)),
        f32::from(u8::from(matches!(own.tag, Tag::Li | Tag::Dd | Tag::Dt))),
        f32::from(u8::from(matches!(own.tag, Tag::Td | Tag::Th))),
        f32::from(u8::from(own.tag == Tag::Pre)),
        f32::from(u8::from(matches!(own.tag, Tag::Button | Tag::Summary | Tag::Legend))),
        f32::from(own.depth),
    ]);
    for kind in INLINE {
        out.push((block.inline_kinds >> kind as u8 & 1) as f32);
    }
    for kind in 0..KINDS {
        out.push(f32::from(own.distance[kind]));
    }
    for kind in 0..PHRASE_KINDS {
        out.push((facts.phrases[i] >> kind & 1) as f32);
    }
    let twins = &page.containers[repeated(page, block)];
    let twins_start = facts.twins_start[twins.group as usize].min(twins.first);
    out.extend([
        ln(twins.twins as f32),
        ln(per(twins.twin_units, twins.twins as f32)),
        per(twins.twin_link_units, twins.twin_units),
        per(twins.twin_units, all),
        ln(twins.counts.blocks as f32),
        per(twins.counts.heading_link_units, twins.counts.units),
        ln((twins.first - twins_start) as f32),
        per(facts.units[twins.first as usize] - facts.units[twins_start as usize], twins.twin_units),
        facts.title_words[i],
        f32::from(u8::from(block.ends_open)),
    ]);
    let first = first_level(page, block);
    for container in [twins, &page.containers[first], &page.containers[page.containers[first].wider as usize]]
    {
        let (from, to) = (container.first as usize, (container.end as usize).min(page.blocks.len()));
        for kind in 0..COUNTED.len() {
            let found = facts.phrase_sums[to][kind] - facts.phrase_sums[from][kind];
            out.push(per(f32::from(found), (to - from) as f32));
        }
        out.push(per(container.counts.images as f32, container.counts.blocks as f32));
        out.push(per(container.counts.links as f32, container.counts.blocks as f32));
    }
    out.extend(facts.since[i].map(f32::from));
    let mut level = first;
    for _ in 0..4 {
        let container = &page.containers[level];
        let counts = &container.counts;
        out.extend([
            ln(counts.units),
            counts.link_density(),
            ln(counts.blocks as f32),
            per(counts.prose_units, counts.units),
            per(counts.commas as f32, counts.units),
            ln(counts.images as f32),
            ln(counts.controls as f32),
            ln(counts.headings as f32),
            per(counts.units, all),
            ln(container.twins as f32),
            ln(per(container.twin_units, container.twins as f32)),
            (i as f32 - container.first as f32) / (container.end - container.first).max(1) as f32,
            per(counts.items as f32, counts.blocks as f32),
            per(counts.prose_units, all_prose),
        ]);
        level = container.wider as usize;
    }
    for step in [-2i32, -1, 1, 2] {
        match usize::try_from(i as i32 + step).ok().and_then(|j| page.blocks.get(j)) {
            Some(other) => {
                let container = &page.containers[other.container as usize];
                out.extend([
                    ln(other.counts.units),
                    other.counts.link_density(),
                    f32::from(u8::from(other.ends_sentence)),
                    f32::from(heading(container.tag).unwrap_or(0)),
                    f32::from(u8::from(container.wider == own.wider)),
                    f32::from(u8::from(container.signature == own.signature)),
                ]);
            }
            None => out.extend([-1.0; 6]),
        }
    }
    for reach in [3, 10] {
        let (from, to) = (i.saturating_sub(reach), (i + reach + 1).min(page.blocks.len()));
        let units = facts.units[to] - facts.units[from];
        let links = facts.link_units[to] - facts.link_units[from];
        let prose = facts.prose[to] - facts.prose[from];
        out.extend([ln(units), per(links, units), per(prose, units)]);
    }
    let under = facts.heading_at[i];
    match under {
        u32::MAX => out.extend([-1.0; 7]),
        h => {
            let title = &page.blocks[h as usize];
            let container = &page.containers[title.container as usize];
            let phrases = facts.phrases[h as usize];
            out.extend([
                (i as f32 - h as f32).min(100.0),
                f32::from(heading(container.tag).unwrap_or(0)),
                (phrases >> PhraseKind::Related as u8 & 1) as f32,
                (phrases >> PhraseKind::Comments as u8 & 1) as f32,
                f32::from(u8::from(
                    phrases & !(1 << PhraseKind::Related as u8 | 1 << PhraseKind::Comments as u8) != 0,
                )),
                title.counts.link_density(),
                f32::from(container.depth) - f32::from(own.depth),
            ]);
        }
    }
    let (from, to) =
        (if under == u32::MAX { 0 } else { under as usize }, facts.groups.section_end[i] as usize);
    let units = facts.units[to] - facts.units[from];
    out.extend([
        ln((to - from) as f32),
        ln(units),
        per(facts.link_units[to] - facts.link_units[from], units),
        per(facts.prose[to] - facts.prose[from], units),
        per(facts.prose[to] - facts.prose[from], all_prose),
    ]);
    let group = &facts.groups.list[facts.groups.of[i] as usize];
    let main = &facts.groups.list[facts.groups.main as usize];
    out.extend([
        ln(group.blocks),
        ln(per(group.units, group.blocks)),
        per(group.link_units, group.units),
        per(group.prose_units, all_prose),
        per(group.sentences, group.blocks),
        f32::from(u8::from(facts.groups.of[i] == facts.groups.main && all_prose > 0.0)),
        outside(i, main.range.0 as usize, main.range.1 as usize),
        per(main.prose_units, all_prose),
    ]);
    // How much of the page's prose is in the nearest element that is said to hold a text.
    for kind in [Kind::Body, Kind::ArticleTag, Kind::Content, Kind::Comment] {
        let steps = own.distance[kind as usize];
        let mut at = block.container as usize;
        for _ in 0..steps {
            at = page.containers[at].parent as usize;
        }
        let holder = (steps < FAR).then(|| &page.containers[at].counts);
        out.push(holder.map_or(-1.0, |counts| per(counts.prose_units, all_prose)));
    }
    out.extend(facts.stated[i]);
    out.push(facts.title_hops.get(block.container as usize).map_or(-1.0, |&h| f32::from(h)));
    out.extend([
        i as f32 / n,
        ln(i as f32),
        ln(n - i as f32),
        per(facts.units[i], all),
        per(facts.prose[i], facts.prose[page.blocks.len()]),
        facts.title_match[i],
        facts.title_at.map_or(-999.0, |t| (i as f32 - t as f32).clamp(-200.0, 500.0)),
        facts.title_at.map_or(-1.0, |t| per(facts.units[i] - facts.units[t], all)),
        f32::from(facts.top_hops[block.container as usize]),
        outside(i, facts.dense.0, facts.dense.1),
    ]);
    lead_row(page, facts, i, out);
    thread_row(facts, i, out);
    out.extend_from_slice(&facts.page);
}
