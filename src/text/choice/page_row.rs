//! The page as a whole, as numbers: lengths, densities, repeated elements, names of classes, phrases, structured data, path.
//!
//! They tell the type of the page and are at the end of each block's row. The shipped tables know them by their place: an
//! added number goes to the end. Cost: O(blocks + containers).

use super::boilerplate_phrases::{PHRASE_KINDS, PhraseKind};
use super::numbers::{ln, per};
use super::page_features::{Hints, PageFeatures};
use super::platform::{SITES, made_by};
use super::url_path::path_features;
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Block, Container, FAR, Page};
use crate::blocks::schema_types::SCHEMA_BITS;
use crate::threads::THREAD;
use webmill_html::Tag;

/// The features of a page.
pub(super) fn page_row(page: &Page, facts: &PageFeatures, hints: &Hints) -> Vec<f32> {
    let mut out = Vec::new();
    let n = page.blocks.len();
    let all = page.containers.first().map(|c| c.counts).unwrap_or_default();
    let share = |f: &dyn Fn(&Block, &Container) -> bool| {
        let mut units = 0.0;
        for block in &page.blocks {
            if f(block, &page.containers[block.container as usize]) {
                units += block.counts.units;
            }
        }
        per(units, all.units)
    };
    let dense_units = facts.units[facts.dense.1] - facts.units[facts.dense.0];
    let mut twins = 0.0f32;
    let mut twin_share = 0.0f32;
    for container in &page.containers {
        if container.twins >= 3 && container.twin_units > twin_share && container.tag != Tag::P {
            twin_share = container.twin_units;
            twins = container.twins as f32;
        }
    }
    // The repeated element that holds most prose: posts of a thread, answers, chapters.
    let mut posts = (0.0, 0.0, 0.0);
    let mut post_group = 0;
    let mut most = 0.0;
    for container in &page.containers {
        if container.twins >= 2 && container.counts.blocks >= 2 {
            let sum = container.counts.prose_units.min(150.0) * container.twins.min(20) as f32;
            if sum > most {
                most = sum;
                let twins = container.twins as f32;
                posts = (twins, container.twin_units / twins, per(container.twin_units, all.units));
                post_group = container.group;
            }
        }
    }
    out.extend([
        ln(n as f32),
        ln(all.units),
        all.link_density(),
        per(all.prose_units, all.units),
        ln(all.prose_units),
        ln(all.paragraphs as f32),
        ln(all.headings as f32),
        per(all.items as f32, n as f32),
        ln(all.images as f32),
        ln(all.controls as f32),
        per(all.commas as f32, all.units),
        per(all.digits as f32, all.letters as f32),
        ln(twins),
        per(twin_share, all.units),
        ln(all.currency as f32),
        ln(posts.0),
        ln(posts.1),
        posts.2,
        facts.top_share,
        per(dense_units, all.units),
        ln((facts.dense.1 - facts.dense.0) as f32),
        facts.title_at.map_or(-1.0, |t| t as f32 / n as f32),
        f32::from(u8::from(hints.article.is_some())),
        per(facts.groups.list.get(facts.groups.main as usize).map_or(0.0, |g| g.prose_units), all.units),
    ]);
    let mut prose = [0f32; 5];
    for block in &page.blocks {
        let far = &page.containers[block.container as usize].distance;
        let near = |kind: Kind| far[kind as usize] < FAR;
        let aside = near(Kind::Comment)
            || near(Kind::Side)
            || near(Kind::Related)
            || near(Kind::Footer)
            || near(Kind::Nav)
            || near(Kind::Modal);
        let sums = [
            near(Kind::Body) && !near(Kind::Comment),
            near(Kind::Comment),
            !near(Kind::Comment),
            !aside,
            near(Kind::ArticleTag),
        ];
        for (sum, add) in prose.iter_mut().zip(sums) {
            *sum += if add { block.counts.prose_units } else { 0.0 };
        }
    }
    let tags =
        |tag: Tag| page.containers.iter().filter(|c| c.tag == tag && c.counts.blocks > 0).count() as f32;
    out.extend([
        per(prose[0], all.prose_units),
        ln(prose[0]),
        per(prose[1], all.prose_units),
        ln(prose[2]),
        ln(prose[3]),
        per(prose[4], all.prose_units),
        ln(tags(Tag::Article)),
        ln(tags(Tag::H1)),
    ]);
    for kind in [
        Kind::Body,
        Kind::Comment,
        Kind::Thread,
        Kind::Product,
        Kind::Review,
        Kind::Listing,
        Kind::ArticleTag,
        Kind::MainTag,
        Kind::Content,
        Kind::Detail,
        Kind::TableTag,
        Kind::Hidden,
        Kind::User,
        Kind::Related,
    ] {
        out.push(share(&|_, c| c.distance[kind as usize] <= 5));
    }
    for bit in 0..SCHEMA_BITS {
        out.push(((hints.schema | page.schema) >> bit & 1) as f32);
    }
    let mut phrases = [0f32; PHRASE_KINDS];
    for &set in &facts.phrases {
        for (bit, count) in phrases.iter_mut().enumerate() {
            *count += (set >> bit & 1) as f32;
        }
    }
    for kind in [
        PhraseKind::Reply,
        PhraseKind::Commerce,
        PhraseKind::Date,
        PhraseKind::Byline,
        PhraseKind::Comments,
        PhraseKind::Continue,
    ] {
        out.push(ln(phrases[kind as usize]));
    }
    for kind in
        [Kind::Product, Kind::Thread, Kind::Listing, Kind::Content, Kind::Detail, Kind::Title, Kind::Form]
    {
        out.push((page.root_kinds >> kind as u8 & 1) as f32);
    }
    out.extend(path_features(hints.path.as_deref()));
    out.extend(lead_numbers(page, facts, post_group));
    out.extend(site_numbers(page, facts, hints));
    out.extend(thread_numbers(page, facts));
    out
}

/// Numbers of the page's [threads](crate::threads).
fn thread_numbers(page: &Page, facts: &PageFeatures) -> [f32; 5] {
    let threads = &facts.threads;
    let n = page.blocks.len();
    let said = (0..n).filter(|&i| threads.strength(i) >= THREAD).map(|i| page.blocks[i].counts.units).sum();
    [
        ln(threads.items() as f32),
        ln(threads.posts() as f32),
        f32::from(u8::from(threads.includes_first())),
        per(said, facts.units[n]),
        threads.starts_at().map_or(-1.0, |start| start as f32 / n as f32),
    ]
}

/// Which kinds of [sites](super::platform) the title, the host and the software are of.
fn site_numbers(page: &Page, facts: &PageFeatures, hints: &Hints) -> impl Iterator<Item = f32> {
    let [title, host, mut software] = hints.sites;
    for (block, phrases) in page.blocks.iter().zip(&facts.phrases) {
        if phrases >> PhraseKind::Copyright as u8 & 1 == 1 {
            software |= made_by(page.text_of(block));
        }
    }
    [title, host, software].into_iter().flat_map(|bits| (0..SITES).map(move |bit| (bits >> bit & 1) as f32))
}

/// Numbers of the page's [lead](super::lead): how much of its prose is in the runs of the lead and of most prose, and whether
/// it stands in one of the posts (a thread) or before them (comments).
fn lead_numbers(page: &Page, facts: &PageFeatures, posts: u32) -> [f32; 10] {
    let lead = &facts.lead;
    let Some(at) = lead.at else { return [-1.0; 10] };
    let n = page.blocks.len();
    let all_prose = facts.prose[n];
    let run = &lead.runs[lead.own];
    let in_post = |mut container: usize| loop {
        let it = &page.containers[container];
        if posts > 0 && it.group == posts {
            break true;
        }
        if container == 0 {
            break false;
        }
        container = it.parent as usize;
    };
    let first = facts.twins_start.get(posts as usize).copied().filter(|_| posts > 0);
    let start = first.map_or(n, |first| (first as usize).min(n));
    let before = per(facts.prose[start] - facts.prose[at.min(start)], all_prose);
    let first_post = page.blocks.get(start).map_or(0, |_| start);
    [
        per(run.prose, all_prose),
        ln(run.prose),
        per(lead.runs[lead.longest].prose, all_prose),
        ln(lead.runs.len() as f32),
        at as f32 / n as f32,
        f32::from(u8::from(in_post(page.blocks[at].container as usize))),
        f32::from(u8::from(in_post(page.blocks[first_post].container as usize) && first_post <= at)),
        before,
        ln(f32::from(lead.headings[n])),
        per(f32::from(lead.headings[n]), n as f32),
    ]
}
