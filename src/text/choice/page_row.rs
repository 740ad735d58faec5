//! The page as a whole, as numbers: lengths, densities, repeated elements, names of classes, phrases, structured data, path.
//!
//! They tell the type of the page and are at the end of each block's row. The shipped tables know them by their place: an
//! added number goes to the end. Cost: O(blocks + containers).

use super::boilerplate_phrases::{PHRASE_KINDS, PhraseKind};
use super::numbers::{ln, per};
use super::page_features::{Hints, PageFeatures};
use super::url_path::path_features;
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Block, Container, FAR, Page};
use crate::blocks::schema_types::SCHEMA_BITS;
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
    let mut most = 0.0;
    for container in &page.containers {
        if container.twins >= 2 && container.counts.blocks >= 2 {
            let sum = container.counts.prose_units.min(150.0) * container.twins.min(20) as f32;
            if sum > most {
                most = sum;
                let twins = container.twins as f32;
                posts = (twins, container.twin_units / twins, per(container.twin_units, all.units));
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
    out
}
