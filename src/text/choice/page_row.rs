//! The page as a whole, as features: lengths, densities, repeated elements, names of classes, phrases, structured data, path.
//!
//! They tell the type of the page and stand behind the features of each block. Cost: O(blocks + containers).

use super::boilerplate_phrases::{PHRASE_KINDS, PhraseKind, phrase_kinds};
use super::features::{FeatureSink, features};
use super::numbers::{flag, ln, per};
use super::page_features::{Hints, PageFeatures};
use super::platform::{SITES, made_by};
use super::url_path::path_features;
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Block, Container, Counts, FAR, Page};
use crate::blocks::schema_types::SCHEMA_BITS;
use crate::threads::THREAD;
use webmill_html::Tag;

/// The features of a page.
pub(super) fn page_row(page: &Page, facts: &PageFeatures, hints: &Hints, out: &mut impl FeatureSink) {
    let posts = lengths_and_repetition(page, facts, hints, out);
    prose_by_place(page, out);
    names_and_phrases(page, facts, hints, out);
    path_features(hints.path.as_deref(), out);
    lead_features(page, facts, posts, out);
    site_features(page, facts, hints, out);
    thread_features(page, facts, out);
}

/// Lengths, densities and repeated elements; returns the group of the repeated element that holds most prose, 0 for none.
fn lengths_and_repetition(
    page: &Page,
    facts: &PageFeatures,
    hints: &Hints,
    out: &mut impl FeatureSink,
) -> u32 {
    let n = page.blocks.len();
    let all = page.containers.first().map(|c| c.counts).unwrap_or_default();
    let dense_units = facts.units[facts.dense.1] - facts.units[facts.dense.0];
    let (twins, twin_share) = most_repeated(page);
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
    features! { out;
        page_ln_blocks: ln(n as f32),
        page_ln_units: ln(all.units),
        page_link_density: all.link_density(),
        page_prose: per(all.prose_units, all.units),
        page_ln_prose: ln(all.prose_units),
        page_ln_paragraphs: ln(all.paragraphs as f32),
        page_ln_headings: ln(all.headings as f32),
        page_items_per_block: per(all.items as f32, n as f32),
        page_ln_images: ln(all.images as f32),
        page_ln_controls: ln(all.controls as f32),
        page_commas_per_unit: per(all.commas as f32, all.units),
        page_digits_per_letter: per(all.digits as f32, all.letters as f32),
        page_ln_twins: ln(twins),
        page_twins_share: per(twin_share, all.units),
        page_ln_currency: ln(all.currency as f32),
        page_ln_posts: ln(posts.0),
        page_ln_units_per_post: ln(posts.1),
        page_posts_share: posts.2,
        page_top_share: facts.top_share,
        page_dense_share: per(dense_units, all.units),
        page_ln_dense_blocks: ln((facts.dense.1 - facts.dense.0) as f32),
        page_title_place: facts.title_at.map_or(-1.0, |t| t as f32 / n as f32),
        page_states_article: flag(hints.article.is_some()),
        page_main_group_prose: per(
            facts.groups.list.get(facts.groups.main as usize).map_or(0.0, |g| g.prose_units),
            all.units,
        ),
    }
    post_group
}

/// How often the repeated element stands that holds most words, and these words.
fn most_repeated(page: &Page) -> (f32, f32) {
    let mut twins = 0.0f32;
    let mut twin_share = 0.0f32;
    for container in &page.containers {
        if container.twins >= 3 && container.twin_units > twin_share && container.tag != Tag::P {
            twin_share = container.twin_units;
            twins = container.twins as f32;
        }
    }
    (twins, twin_share)
}

/// Where on the page its prose stands, by what elements are called.
fn prose_by_place(page: &Page, out: &mut impl FeatureSink) {
    let all = page.containers.first().map(|c| c.counts).unwrap_or_default();
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
    features! { out;
        page_prose_in_body: per(prose[0], all.prose_units),
        page_ln_prose_in_body: ln(prose[0]),
        page_prose_in_comments: per(prose[1], all.prose_units),
        page_ln_prose_beside_comments: ln(prose[2]),
        page_ln_prose_beside_asides: ln(prose[3]),
        page_prose_in_articles: per(prose[4], all.prose_units),
        page_ln_articles: ln(tags(Tag::Article)),
        page_ln_h1: ln(tags(Tag::H1)),
    }
}

/// Names of classes, structured data and phrases.
fn names_and_phrases(page: &Page, facts: &PageFeatures, hints: &Hints, out: &mut impl FeatureSink) {
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
        features! { out, kind; page_share_in: share(&|_, c| c.distance[kind as usize] <= 5) }
    }
    for bit in 0..SCHEMA_BITS {
        features! { out, bit; page_schema: ((hints.schema | page.schema) >> bit & 1) as f32 }
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
        PhraseKind::Missing,
    ] {
        features! { out, kind; page_ln_phrases: ln(phrases[kind as usize]) }
    }
    let missing = |text: &str| phrase_kinds(text, true) >> PhraseKind::Missing as u8 & 1 == 1;
    let is_error = |title: &String| missing(title) || is_code(title);
    let first = page
        .blocks
        .iter()
        .zip(&facts.phrases)
        .position(|(_, bits)| bits >> PhraseKind::Missing as u8 & 1 == 1);
    features! { out;
        page_title_is_error: flag(hints.titles.iter().any(is_error)),
        page_error_place: first.map_or(-1.0, |at| at as f32 / page.blocks.len() as f32),
        page_error_ln_units: first.map_or(-1.0, |at| {
            let own = &page.blocks[at].counts;
            ln((all.units - all.link_units - own.units + own.link_units).max(0.0))
        }),
    }
    for kind in
        [Kind::Product, Kind::Thread, Kind::Listing, Kind::Content, Kind::Detail, Kind::Title, Kind::Form]
    {
        features! { out, kind; page_root_is: (page.root_kinds >> kind as u8 & 1) as f32 }
    }
}

/// Whether a title is the code of an error: `404`, `Error 404`, `HTTP 503`.
fn is_code(title: &str) -> bool {
    let mut codes = title.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let code = codes
        .next()
        .is_some_and(|code| matches!(code, "403" | "404" | "410" | "500" | "502" | "503" | "504"));
    code && codes.next().is_none() && title.chars().filter(|c| c.is_alphabetic()).count() <= 6
}

/// Features of the page's [threads](crate::threads).
fn thread_features(page: &Page, facts: &PageFeatures, out: &mut impl FeatureSink) {
    let threads = &facts.threads;
    let n = page.blocks.len();
    let said = (0..n).filter(|&i| threads.strength(i) >= THREAD).map(|i| page.blocks[i].counts.units).sum();
    features! { out;
        page_ln_thread_items: ln(threads.items() as f32),
        page_ln_thread_posts: ln(threads.posts() as f32),
        page_thread_has_first: flag(threads.includes_first()),
        page_thread_share: per(said, facts.units[n]),
        page_thread_place: threads.starts_at().map_or(-1.0, |start| start as f32 / n as f32),
    }
}

/// Which kinds of [sites](super::platform) the title, the host and the software are of.
fn site_features(page: &Page, facts: &PageFeatures, hints: &Hints, out: &mut impl FeatureSink) {
    let [title, host, mut software] = hints.sites;
    for (block, phrases) in page.blocks.iter().zip(&facts.phrases) {
        if phrases >> PhraseKind::Copyright as u8 & 1 == 1 {
            software |= made_by(page.text_of(block));
        }
    }
    for (of, bits) in [("title", title), ("host", host), ("software", software)] {
        for bit in 0..SITES {
            features! { out, (of, bit); page_site: (bits >> bit & 1) as f32 }
        }
    }
}

/// Features of the page's [lead](super::lead): how much of its prose is in the runs of the lead and of most prose, and whether
/// it stands in one of the posts (a thread) or before them (comments). -1 without a lead.
fn lead_features(page: &Page, facts: &PageFeatures, posts: u32, out: &mut impl FeatureSink) {
    let lead = &facts.lead;
    let n = page.blocks.len();
    let all_prose = facts.prose[n];
    let run = |at: usize| lead.at.and_then(|_| lead.runs.get(at));
    let (own, longest) = (run(lead.own), run(lead.longest));
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
    let first_post = page.blocks.get(start).map_or(0, |_| start);
    let of_lead = |f: &dyn Fn(usize) -> f32| lead.at.map_or(-1.0, f);
    let headline = lead.headline.map(|at| &page.containers[at].counts);
    let of_headline = |f: &dyn Fn(&Counts) -> f32| headline.map_or(-1.0, f);
    features! { out;
        page_lead_run_prose: own.map_or(-1.0, |run| per(run.prose, all_prose)),
        page_ln_lead_run_prose: own.map_or(-1.0, |run| ln(run.prose)),
        page_longest_run_prose: longest.map_or(-1.0, |run| per(run.prose, all_prose)),
        page_ln_runs: of_lead(&|_: usize| ln(lead.runs.len() as f32)),
        page_lead_place: of_lead(&|at| at as f32 / n as f32),
        page_lead_in_post: of_lead(&|at| flag(in_post(page.blocks[at].container as usize))),
        page_lead_behind_posts: of_lead(&|at| {
            flag(in_post(page.blocks[first_post].container as usize) && first_post <= at)
        }),
        page_prose_before_posts: of_lead(&|at| per(facts.prose[start] - facts.prose[at.min(start)], all_prose)),
        page_ln_lead_headings: of_lead(&|_: usize| ln(f32::from(lead.headings[n]))),
        page_headings_per_block: of_lead(&|_: usize| per(f32::from(lead.headings[n]), n as f32)),
        page_ln_headline_blocks: of_headline(&|counts| ln(counts.blocks as f32)),
        page_ln_headline_units: of_headline(&|counts| ln(counts.units - counts.link_units)),
        page_headline_share: of_headline(&|counts| per(counts.units, facts.units[n])),
        page_headline_prose_share: of_headline(&|counts| per(counts.prose_units, all_prose)),
    }
}
