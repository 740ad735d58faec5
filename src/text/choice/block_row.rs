//! The features of each block.
//!
//! One row per block: its own text (length, links, punctuation, case, phrases), the kinds of its ancestors with their
//! distance, the sums of the ever wider containers around it, its neighbours, where it is on the page, its relation to the
//! page's title and to the densest stretch. The [row of the page](super::page_row) follows. Nothing depends on a language
//! but the [phrases](super::boilerplate_phrases) and the names of [`class_names`](crate::blocks::class_names). The shipped
//! models know the features [by name](super::features).
//!
//! Cost: O(blocks × features); chains of ancestors are followed by their wider links, of which four are used.

use super::boilerplate_phrases::PhraseKind;
use super::features::{FeatureSink, features};
use super::lead::Run;
use super::numbers::{flag, ln, per};
use super::page_features::{COUNTED, ENDING, PageFeatures};
use crate::blocks::class_names::Kind;
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, Container, FAR, Page};
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

/// The features of block `i` but for those of its page.
pub(crate) fn block_row(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    own_text(page, facts, i, out);
    let block = &page.blocks[i];
    let own = &page.containers[block.container as usize];
    for kind in INLINE {
        features! { out, kind; inline: (block.inline_kinds >> kind as u8 & 1) as f32 }
    }
    for kind in Kind::ALL {
        features! { out, kind; near: f32::from(own.distance[kind as usize]) }
    }
    for kind in PhraseKind::ALL {
        features! { out, kind; phrase: (facts.phrases[i] >> kind as u8 & 1) as f32 }
    }
    repeated_elements(page, facts, i, out);
    containers_around(page, facts, i, out);
    neighbours(page, facts, i, out);
    section(page, facts, i, out);
    group(facts, i, out);
    holders(page, facts, i, out);
    features! { out;
        in_stated_article: facts.stated[i][0],
        in_stated_description: facts.stated[i][1],
    }
    place_on_page(page, facts, i, out);
    beside_lead(page, facts, i, out);
    in_thread(facts, i, out);
}

/// The words of the block and its element.
fn own_text(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let block = &page.blocks[i];
    let own = &page.containers[block.container as usize];
    let c = &block.counts;
    let letters = c.letters as f32;
    features! { out;
        ln_units: ln(c.units),
        link_density: c.link_density(),
        ln_links: ln(c.links as f32),
        strong_share: per(c.strong_units, c.units),
        commas_per_unit: per(c.commas as f32, c.units),
        stops_per_unit: per(c.stops as f32, c.units),
        marks_per_letter: per(c.marks as f32, letters),
        currency: c.currency as f32,
        digits_per_letter: per(c.digits as f32, letters),
        upper_per_letter: per(c.upper as f32, letters),
        letters_per_unit: per(letters, c.units),
        ln_breaks: ln(c.breaks as f32),
        ends_sentence: flag(block.ends_sentence),
        ends_colon: flag(block.ends_colon),
        starts_upper: flag(block.starts_upper),
        bullet: flag(block.bullet),
        images: c.images as f32,
        copies: f32::from(facts.copies[i]).min(10.0),
        is_paragraph: flag(own.tag == Tag::P),
        heading_level: f32::from(heading(own.tag).unwrap_or(0)),
        is_item: flag(matches!(own.tag, Tag::Li | Tag::Dd | Tag::Dt)),
        is_cell: flag(matches!(own.tag, Tag::Td | Tag::Th)),
        is_pre: flag(own.tag == Tag::Pre),
        is_button: flag(matches!(own.tag, Tag::Button | Tag::Summary | Tag::Legend)),
        depth: f32::from(own.depth),
    }
}

/// The innermost element around the block that stands beside others like it, and its phrases.
fn repeated_elements(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let block = &page.blocks[i];
    let all = facts.units[page.blocks.len()];
    let twins = &page.containers[repeated(page, block)];
    let twins_start = facts.twins_start[twins.group as usize].min(twins.first);
    features! { out;
        ln_twins: ln(twins.twins as f32),
        ln_units_per_twin: ln(per(twins.twin_units, twins.twins as f32)),
        twins_link_density: per(twins.twin_link_units, twins.twin_units),
        twins_share: per(twins.twin_units, all),
        ln_twin_blocks: ln(twins.counts.blocks as f32),
        twin_linked_headings: per(twins.counts.heading_link_units, twins.counts.units),
        ln_blocks_since_first_twin: ln((twins.first - twins_start) as f32),
        units_since_first_twin: per(
            facts.units[twins.first as usize] - facts.units[twins_start as usize],
            twins.twin_units,
        ),
        title_words: facts.title_words[i],
        ends_open: flag(block.ends_open),
    }
    let first = first_level(page, block);
    let wider = page.containers[first].wider as usize;
    for (name, container) in
        [("twin", twins), ("first", &page.containers[first]), ("wider", &page.containers[wider])]
    {
        let (from, to) = (container.first as usize, (container.end as usize).min(page.blocks.len()));
        for (at, kind) in COUNTED.into_iter().enumerate() {
            let found = facts.phrase_sums[to][at] - facts.phrase_sums[from][at];
            features! { out, (name, kind); phrases_per_block: per(f32::from(found), (to - from) as f32) }
        }
        features! { out, name;
            images_per_block: per(container.counts.images as f32, container.counts.blocks as f32),
            links_per_block: per(container.counts.links as f32, container.counts.blocks as f32),
        }
    }
    for (kind, since) in ENDING.into_iter().zip(facts.since[i]) {
        features! { out, kind; blocks_since: f32::from(since) }
    }
}

/// The four ever wider containers around the block.
fn containers_around(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let (all, all_prose) = (facts.units[page.blocks.len()], facts.prose[page.blocks.len()]);
    let mut level = first_level(page, &page.blocks[i]);
    for width in 0..4 {
        let container = &page.containers[level];
        let counts = &container.counts;
        features! { out, width;
            around_ln_units: ln(counts.units),
            around_link_density: counts.link_density(),
            around_ln_blocks: ln(counts.blocks as f32),
            around_prose: per(counts.prose_units, counts.units),
            around_commas_per_unit: per(counts.commas as f32, counts.units),
            around_ln_images: ln(counts.images as f32),
            around_ln_controls: ln(counts.controls as f32),
            around_ln_headings: ln(counts.headings as f32),
            around_share: per(counts.units, all),
            around_ln_twins: ln(container.twins as f32),
            around_ln_units_per_twin: ln(per(container.twin_units, container.twins as f32)),
            around_place: (i as f32 - container.first as f32) / (container.end - container.first).max(1) as f32,
            around_items_per_block: per(counts.items as f32, counts.blocks as f32),
            around_prose_share: per(counts.prose_units, all_prose),
        }
        level = container.wider as usize;
    }
}

/// The two blocks before and after, and stretches of text around the block.
fn neighbours(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let own = &page.containers[page.blocks[i].container as usize];
    for step in [-2i32, -1, 1, 2] {
        let other = usize::try_from(i as i32 + step).ok().and_then(|j| page.blocks.get(j));
        let container = other.map(|other| &page.containers[other.container as usize]);
        features! { out, step;
            next_ln_units: other.map_or(-1.0, |other| ln(other.counts.units)),
            next_link_density: other.map_or(-1.0, |other| other.counts.link_density()),
            next_ends_sentence: other.map_or(-1.0, |other| flag(other.ends_sentence)),
            next_heading_level: container.map_or(-1.0, |it| f32::from(heading(it.tag).unwrap_or(0))),
            next_in_same: container.map_or(-1.0, |it| flag(it.wider == own.wider)),
            next_is_like: container.map_or(-1.0, |it| flag(it.signature == own.signature)),
        }
    }
    for reach in [3, 10] {
        let (from, to) = (i.saturating_sub(reach), (i + reach + 1).min(page.blocks.len()));
        let units = facts.units[to] - facts.units[from];
        features! { out, reach;
            within_ln_units: ln(units),
            within_link_density: per(facts.link_units[to] - facts.link_units[from], units),
            within_prose: per(facts.prose[to] - facts.prose[from], units),
        }
    }
}

/// The heading that the block stands under, and what stands under that.
fn section(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    const TOLD_APART: u32 = 1 << PhraseKind::Related as u8 | 1 << PhraseKind::Comments as u8;
    let own = &page.containers[page.blocks[i].container as usize];
    let all_prose = facts.prose[page.blocks.len()];
    let under = (facts.heading_at[i] != u32::MAX).then_some(facts.heading_at[i] as usize);
    let title = under.map(|h| &page.blocks[h]);
    let container = title.map(|title| &page.containers[title.container as usize]);
    let phrases = under.map(|h| facts.phrases[h]);
    let speaks_of = |kind: PhraseKind| phrases.map_or(-1.0, |bits| (bits >> kind as u8 & 1) as f32);
    features! { out;
        blocks_under_heading: under.map_or(-1.0, |h| (i as f32 - h as f32).min(100.0)),
        section_level: container.map_or(-1.0, |it| f32::from(heading(it.tag).unwrap_or(0))),
        section_is_related: speaks_of(PhraseKind::Related),
        section_is_comments: speaks_of(PhraseKind::Comments),
        section_is_other_phrase: phrases.map_or(-1.0, |bits| flag(bits & !TOLD_APART != 0)),
        section_heading_link_density: title.map_or(-1.0, |title| title.counts.link_density()),
        section_heading_depth: container.map_or(-1.0, |it| f32::from(it.depth) - f32::from(own.depth)),
    }
    let (from, to) = (under.unwrap_or(0), facts.groups.section_end[i] as usize);
    let units = facts.units[to] - facts.units[from];
    let prose = facts.prose[to] - facts.prose[from];
    features! { out;
        section_ln_blocks: ln((to - from) as f32),
        section_ln_units: ln(units),
        section_link_density: per(facts.link_units[to] - facts.link_units[from], units),
        section_prose: per(prose, units),
        section_prose_share: per(prose, all_prose),
    }
}

/// The blocks of one make that the block is of, and those with most prose.
fn group(facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let all_prose = facts.prose[facts.prose.len() - 1];
    let group = &facts.groups.list[facts.groups.of[i] as usize];
    let main = &facts.groups.list[facts.groups.main as usize];
    features! { out;
        group_ln_blocks: ln(group.blocks),
        group_ln_units_per_block: ln(per(group.units, group.blocks)),
        group_link_density: per(group.link_units, group.units),
        group_prose_share: per(group.prose_units, all_prose),
        group_sentences_per_block: per(group.sentences, group.blocks),
        group_is_main: flag(facts.groups.of[i] == facts.groups.main && all_prose > 0.0),
        blocks_from_main_group: outside(i, main.range.0 as usize, main.range.1 as usize),
        main_group_prose_share: per(main.prose_units, all_prose),
    }
}

/// How much of the page's prose is in the nearest element that is said to hold a text.
fn holders(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let container = page.blocks[i].container as usize;
    for kind in [Kind::Body, Kind::ArticleTag, Kind::Content, Kind::Comment] {
        let steps = page.containers[container].distance[kind as usize];
        let up = |at: usize, _| page.containers[at].parent as usize;
        let holder = (steps < FAR).then(|| &page.containers[(0..steps).fold(container, up)].counts);
        let share = holder.map_or(-1.0, |counts| per(counts.prose_units, facts.prose[page.blocks.len()]));
        features! { out, kind; prose_share_in: share }
    }
}

/// Where the block is on the page, beside its title and the densest stretch.
fn place_on_page(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let container = page.blocks[i].container as usize;
    let n = page.blocks.len();
    let all = facts.units[n];
    features! { out;
        steps_to_title: facts.title_hops.get(container).map_or(-1.0, |&h| f32::from(h)),
        place: i as f32 / n as f32,
        ln_blocks_before: ln(i as f32),
        ln_blocks_after: ln(n as f32 - i as f32),
        units_before: per(facts.units[i], all),
        prose_before: per(facts.prose[i], facts.prose[n]),
        title_match: facts.title_match[i],
        blocks_from_title: facts.title_at.map_or(-999.0, |t| (i as f32 - t as f32).clamp(-200.0, 500.0)),
        units_from_title: facts.title_at.map_or(-1.0, |t| per(facts.units[i] - facts.units[t], all)),
        steps_to_top: f32::from(facts.top_hops[container]),
        blocks_from_dense: outside(i, facts.dense.0, facts.dense.1),
    }
}

/// Where the block is beside the [lead](super::lead) and the runs of prose; -1 on a page without a lead.
fn beside_lead(page: &Page, facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let lead = &facts.lead;
    let (all, all_prose) = (facts.units[page.blocks.len()], facts.prose[page.blocks.len()]);
    let own = &page.containers[page.blocks[i].container as usize];
    let hops = lead.hops.get(page.blocks[i].container as usize).copied().unwrap_or(0);
    let common = lead.common(hops).map(|at| &page.containers[at].counts);
    let at = lead.at.unwrap_or(i);
    let first = &page.containers[page.blocks[at].container as usize];
    let (from, to) = (at.min(i), at.max(i));
    let if_led = |value: f32| if lead.at.is_some() { value } else { -1.0 };
    let units = facts.units[to] - facts.units[from];
    let phrases = |kind: usize| f32::from(facts.phrase_sums[to][kind] - facts.phrase_sums[from][kind]);
    features! { out;
        steps_to_lead: if_led(f32::from(hops)),
        blocks_from_lead: if_led((i as f32 - at as f32).clamp(-200.0, 500.0)),
        units_from_lead: if_led(per(units, all)),
        link_density_from_lead: if_led(per(facts.link_units[to] - facts.link_units[from], units)),
        prose_from_lead: if_led(per(facts.prose[to] - facts.prose[from], all_prose)),
        lead_in_same_group: if_led(flag(facts.groups.of[i] == facts.groups.of[at])),
        lead_has_same_tag: if_led(flag(own.tag == first.tag)),
        depth_below_lead: if_led(f32::from(own.depth) - f32::from(first.depth)),
        headings_from_lead: if_led(f32::from(lead.headings[to] - lead.headings[from])),
        dates_from_lead: if_led(phrases(0)),
        replies_from_lead: if_led(phrases(1)),
        bylines_from_lead: if_led(phrases(3)),
        common_link_density: if_led(common.map_or(-1.0, |counts| counts.link_density())),
        common_prose_share: if_led(common.map_or(-1.0, |counts| per(counts.prose_units, all_prose))),
        common_ln_blocks: if_led(common.map_or(-1.0, |counts| ln(counts.blocks as f32))),
    }
    let around = lead.headline.map(|at| &page.containers[at]);
    let from_headline = |it: &Container| outside(i, it.first as usize, it.end as usize).clamp(-200.0, 500.0);
    features! { out;
        blocks_from_headline_element: around.map_or(-500.0, from_headline),
    }
    let run = lead.run_of.get(i).and_then(|&run| lead.runs.get(run as usize));
    let runs = run.map_or(-50.0, |_| lead.run_of[i] as f32 - lead.own as f32).clamp(-50.0, 50.0);
    let share = |run: Option<&Run>| run.map_or(-1.0, |run| per(run.prose, all_prose));
    let blocks = |run: Option<&Run>| run.map_or(-1.0, |run| outside(i, run.first as usize, run.end as usize));
    features! { out;
        runs_from_lead: if_led(runs),
        run_prose_share: if_led(share(run)),
        lead_run_prose_share: if_led(share(lead.runs.get(lead.own))),
        blocks_from_run: if_led(blocks(run)),
        blocks_from_longest_run: if_led(blocks(lead.runs.get(lead.longest))),
    }
}

/// The block in a [thread](crate::threads) of comments.
fn in_thread(facts: &PageFeatures, i: usize, out: &mut impl FeatureSink) {
    let threads = &facts.threads;
    features! { out;
        thread_strength: threads.strength(i),
        thread_role: threads.role(i) as u8 as f32,
        thread_item: threads.item(i).map_or(-1.0, |item| item.min(200) as f32),
        blocks_from_threads: threads.starts_at().map_or(-500.0, |start| (i as f32 - start as f32).clamp(-200.0, 500.0)),
    }
}
