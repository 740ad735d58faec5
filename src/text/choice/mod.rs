//! Which blocks of a page are main text: features, log-odds by the learnt tables, the choice.
//!
//! The choice is that of highest [expected F1](score); labels around Chinese texts, repeated and hidden copies are
//! left out of it. Cost: O(blocks · (features + trees)) and a sort; features are held for [`CHUNK`] blocks at a time.

pub(crate) mod asides;
pub(crate) mod block_row;
pub(crate) mod boilerplate_phrases;
pub(crate) mod chinese_boilerplate;
pub(crate) mod chinese_phrases;
pub(crate) mod choice_row;
pub(crate) mod copies;
pub(crate) mod feature_names;
pub(crate) mod features;
mod lead;
pub(crate) mod model;
pub(crate) mod ngram_filter;
mod numbers;
pub(crate) mod page_features;
mod page_row;
pub(crate) mod page_type;
pub(crate) mod platform;
pub(crate) mod score;
mod url_path;

use std::sync::LazyLock;

use crate::blocks::class_names::Kind;
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, Page};
use crate::focus::Focus;
use crate::output::posts::in_named_threads;
use crate::shipped::MODELS_AND_LISTS;
use crate::threads::{THREAD, Threads};
use asides::{BESIDE_COMMENTS, BESIDE_TEASERS, leave_out, share_besides, teasers};
use block_row::block_row;
use boilerplate_phrases::PhraseKind;
use chinese_boilerplate::drop_chinese_boilerplate;
use choice_row::{Chosen, confidence_row};
use copies::{drop_copies, drop_hidden_copies};
use feature_names::names;
use model::Model;
use page_features::{Hints, PageFeatures};
use page_type::{PageType, TYPES, likeliest, probabilities};
use score::{EXTRA_UNITS, threshold};
use webmill_capture::timing::{self, Part};

/// The learnt tables.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// Scores of the page types.
    pub types: Model,
    /// Log-odds that a block is main text, from the block and its surroundings.
    pub blocks: Model,
    /// Sum of the log-odds by the further [`OPINIONS`], for doubtful blocks.
    pub doubtful: Model,
    /// Log-odds of the F1 of a choice; without it, what the probabilities of the blocks foretell stands.
    pub confidence: Option<Model>,
}

impl Tables {
    /// Reads the models of page types, of blocks, of doubtful blocks, and, if there is one, of F1.
    ///
    /// # Errors
    /// Which one cannot be used, and why.
    pub(crate) fn of(
        [types, blocks, doubtful]: [&str; 3],
        confidence: Option<&str>,
    ) -> Result<Tables, String> {
        let names = names();
        let read = |of: &str, text, names| Model::named(text, names).map_err(|why| format!("{of}: {why}"));
        let types = read("types", types, &names.page)?;
        if types.trees() % TYPES != 0 {
            return Err(format!("types: {} trees are not a round number of {TYPES} types", types.trees()));
        }
        Ok(Tables {
            types,
            blocks: read("blocks", blocks, &names.block)?,
            doubtful: read("doubtful", doubtful, &names.block)?,
            confidence: confidence.map(|text| read("confidence", text, &names.choice)).transpose()?,
        })
    }
}

/// The tables that the library is built with.
pub(crate) static SHIPPED: LazyLock<Tables> = LazyLock::new(|| {
    let model = |name| {
        let bytes = MODELS_AND_LISTS.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, bytes)| bytes);
        std::str::from_utf8(bytes).unwrap_or_default()
    };
    let models = ["types", "blocks", "doubtful"].map(model);
    Tables::of(models, Some(model("confidence"))).expect("the shipped models fit the features")
});

/// Log-odds nearer to none are doubtful.
const DOUBTFUL: f32 = 1.5;
/// Ensembles whose mean tells the log-odds of doubtful blocks, the first among them.
const OPINIONS: f32 = 3.0;

/// Blocks whose features are held at a time.
const CHUNK: usize = 64;

/// Share of the text that remains beside threads; of less, only sure threads and those that elements are named after are left
/// out.
const LEAST_SHARE: f32 = 1.0 / 3.0;
const SURE_THREAD: f32 = 0.7;
/// Links of a frame at least.
const FRAME_LINKS: u32 = 3;
/// Choices of less confidence are looked at again.
const UNSURE: f32 = 0.5;
/// Share of the words of a topic that are in elements named after posts.
const TOPIC: f32 = 0.6;
/// Pages that are empty by this probability may have no text.
const EMPTY: f32 = 0.65;
/// Pages that are articles by this probability keep no teasers.
const TEASED: f32 = 0.5;
/// Pages that are manuals by this probability keep what they repeat: the steps for one system and for another.
const MANUAL: f32 = 0.4;

/// Blocks of at least this probability are not pruned.
const SURE: f32 = 0.9;
/// Words of the longest label: 责任编辑：王五, 回复 举报.
const MAX_LABEL_UNITS: f32 = 6.0;

/// Words of the longest line of such labels: 版权所有 …… ICP备…….
const MAX_LABELS_UNITS: f32 = 20.0;

/// Which blocks are main text, and what was found out on the way.
#[derive(Default)]
pub(crate) struct Choice {
    pub chosen: Vec<bool>,
    /// Expected F1.
    pub confidence: f32,
    /// What that is told by.
    pub sure_of: Vec<f32>,
    /// Probabilities of the page types.
    pub types: [f32; TYPES],
    /// The page type that the choice was made for.
    pub kind: PageType,
    pub title_at: Option<usize>,
    /// Readers' comments, or the posts of a board.
    pub threads: Threads,
}

/// Chooses the blocks of a page.
pub(crate) fn choose(page: &Page, hints: &Hints, threads: Threads, tables: &Tables, focus: Focus) -> Choice {
    if page.blocks.is_empty() {
        return Choice { types: [0.0; TYPES], threads, ..Choice::default() };
    }
    let _span = timing::span(Part::Choice);
    let facts = {
        let _span = timing::span(Part::Features);
        PageFeatures::new(page, hints, threads)
    };
    let types = probabilities(&tables.types, &facts.page);
    let scores = log_odds(page, &facts, &types, tables);
    // Blocks of lists are wrong one by one, those of articles in rows: half of a teaser is no gain, and the doubtful ones
    // are left out. Surer probabilities do so.
    let article = types[PageType::Article as usize];
    let sureness = 1.0 + article;
    let mut scored: Vec<(f32, f32)> = scores
        .iter()
        .zip(&page.blocks)
        .map(|(score, block)| (probability(score * sureness), block.counts.units + EXTRA_UNITS))
        .collect();
    for (i, scored) in scored.iter_mut().enumerate() {
        if facts.is_advertisement(page, i) {
            scored.0 = 0.0;
        }
    }
    let (mut cut, mut f1) = threshold(&scored, focus);
    let kind = match likeliest(&types, &PageType::CLASSES) {
        PageType::Article if is_topic(page) => PageType::Forum,
        kind => kind,
    };
    let mut said = vec![false; page.blocks.len()];
    if kind != PageType::Forum {
        let in_named = in_named_threads(page, facts.lead.at);
        let are_said = |least: f32| {
            let named = in_named.iter().enumerate();
            named.map(|(i, named)| *named || facts.threads.strength(i) >= least).collect::<Vec<bool>>()
        };
        said = are_said(THREAD);
        if share_besides(page, &scored, cut, &said) < LEAST_SHARE {
            said = are_said(SURE_THREAD);
        }
        if leave_out(page, &mut scored, cut, &said, BESIDE_COMMENTS) {
            (cut, f1) = threshold(&scored, focus);
        }
    }
    if article >= TEASED && leave_out(page, &mut scored, cut, &teasers(page, &scores), BESIDE_TEASERS) {
        (cut, f1) = threshold(&scored, focus);
    }
    let mut chosen: Vec<bool> = scored.iter().map(|s| s.0 >= cut).collect();
    for (i, block) in page.blocks.iter().enumerate() {
        let (most, sure) =
            if facts.has_many_labels(i) { (MAX_LABELS_UNITS, 1.0) } else { (MAX_LABEL_UNITS, SURE) };
        if chosen[i] && scored[i].0 <= sure && block.counts.units <= most {
            chosen[i] = !facts.is_chinese_label(page, i) || heads_text(page, &chosen, i);
        }
    }
    drop_copies(page, &mut chosen, types[PageType::Documentation as usize] >= MANUAL);
    drop_hidden_copies(page, &mut chosen);
    drop_chinese_boilerplate(page, &mut chosen, facts.title_at);
    let mut sure_of = Vec::new();
    confidence_row(
        page,
        &facts,
        &Chosen { chosen: &chosen, scored: &scored, f1, types: &types },
        &mut sure_of,
    );
    let mut confidence =
        tables.confidence.as_ref().map_or(f1, |model| probability(model.score::<1>(&sure_of)[0]));
    // Nothing is the better text where it is more likely right.
    let empty = types[PageType::Empty as usize];
    // What says nothing of it and has no menu is little, not nothing.
    let missing = |phrases: &u32| phrases >> PhraseKind::Missing as u8 & 1 == 1;
    let is_frame = page.containers[0].counts.links >= FRAME_LINKS || facts.phrases.iter().any(missing);
    if tables.confidence.is_some() && is_frame && empty >= EMPTY && empty > confidence {
        chosen.fill(false);
        confidence = empty;
    }
    if confidence < UNSURE && kind == PageType::Article {
        take_post(page, &facts, &mut chosen);
    }
    let mut threads = facts.threads;
    threads.keep(|i| said[i] || kind == PageType::Forum);
    Choice { chosen, confidence, sure_of, types, kind, title_at: facts.title_at, threads }
}

/// Takes the words below the headline, of which there is at least one sentence, where the choice is far from sure and all of it stands
/// elsewhere: a short post beside longer things.
fn take_post(page: &Page, facts: &PageFeatures, chosen: &mut [bool]) {
    let (Some(at), Some(lead)) = (facts.lead.headline, facts.lead.at) else { return };
    let it = &page.containers[at];
    let own = it.first as usize..it.end as usize;
    let block = &page.blocks[lead];
    if block.counts.prose_units > 0.0 || !block.ends_sentence || chosen[own.clone()].contains(&true) {
        return;
    }
    let is_text = |i: &usize| {
        let (block, it) = (&page.blocks[*i], &page.containers[page.blocks[*i].container as usize]);
        let linked = block.counts.link_units >= 0.5 * block.counts.units;
        block.ends_sentence && !linked && heading(it.tag).is_none()
    };
    chosen.fill(false);
    (lead..own.end).take_while(is_text).for_each(|i| chosen[i] = true);
}

/// Whether the software of a board says of the page and of most of its words that they are a topic.
fn is_topic(page: &Page) -> bool {
    const NEAR: u8 = 5;
    let named =
        |block: &&Block| page.containers[block.container as usize].distance[Kind::Thread as usize] <= NEAR;
    let words: f32 = page.blocks.iter().filter(named).map(|block| block.counts.units).sum();
    page.root_kinds & Kind::Thread.bit() != 0 && words >= TOPIC * page.containers[0].counts.units
}

/// Whether a block is a heading over a chosen block that is no list of links.
fn heads_text(page: &Page, chosen: &[bool], i: usize) -> bool {
    let Some(next) = page.blocks.get(i + 1) else { return false };
    let is_heading = |i: usize| heading(page.containers[page.blocks[i].container as usize].tag).is_some();
    is_heading(i) && !is_heading(i + 1) && chosen[i + 1] && next.counts.link_density() < 0.5
}

/// Of log-odds.
fn probability(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// Log-odds that the blocks of a page are main text, by each block and its surroundings.
///
/// Ensembles that were learnt from other draws of the same pages differ where they are unsure, and their mean is better than
/// each. So further ones are asked about doubtful blocks, a sixth of all.
fn log_odds(page: &Page, facts: &PageFeatures, types: &[f32; TYPES], tables: &Tables) -> Vec<f32> {
    let _span = timing::span(Part::Features);
    let blocks = page.blocks.len();
    let mut out = Vec::with_capacity(blocks);
    let (mut row, mut rows) = (Vec::new(), Vec::new());
    // Doubtful blocks and their rows, and what the further ensembles say of them.
    let (mut doubtful, mut doubted, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..blocks {
        row.clear();
        block_row(page, facts, i, &mut row);
        row.extend_from_slice(&facts.page);
        rows.extend_from_slice(&row);
        rows.extend(types);
        if (i + 1) % CHUNK != 0 && i + 1 != blocks {
            continue;
        }
        let _span = timing::span(Part::Models);
        let width = row.len() + types.len();
        let begin = out.len();
        tables.blocks.scores(&rows, width, &mut out);
        for (at, row) in (begin..).zip(rows.chunks_exact(width)) {
            if out[at].abs() < DOUBTFUL {
                doubtful.push(at);
                doubted.extend_from_slice(row);
            }
        }
        rows.clear();
        if doubtful.len() >= CHUNK || i + 1 == blocks {
            tables.doubtful.scores(&doubted, width, &mut more);
            for (at, more) in doubtful.drain(..).zip(more.drain(..)) {
                out[at] = (out[at] + more) / OPINIONS;
            }
            doubted.clear();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    #[test]
    fn shipped_tables_fit_the_features() {
        let html = "<title>A page</title><body><h1>A page</h1><p>Some words, that a reader came for, stand here.</p>";
        let dom = parse(html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let facts = PageFeatures::new(&page, &Hints::default(), Threads::default());
        let types = probabilities(&SHIPPED.types, &facts.page);
        assert!((types.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let scores = log_odds(&page, &facts, &types, &SHIPPED);
        assert!(scores.iter().all(|score| score.is_finite()) && scores[1] > 0.0);
    }

    #[test]
    fn doubtful_blocks_are_asked_about_again() {
        let dom = parse("<body><p>one<p>two words<p>three words here", &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let facts = PageFeatures::new(&page, &Hints::default(), Threads::default());
        // The first feature is the logarithm of a block's length and one.
        let first = Model::plain("0:0.8 =-2 0:1.2 =1 =1.4").unwrap();
        let doubtful = Model::plain("0:1.2 =0.5 =-2\n=0.5").unwrap();
        let tables = Tables { types: Model::default(), blocks: first, doubtful, confidence: None };
        let scores = log_odds(&page, &facts, &[0.0; TYPES], &tables);
        for (score, want) in scores.into_iter().zip([-2.0, 2.0 / 3.0, -0.1 / 3.0]) {
            assert!((score - want).abs() < 1e-5, "{score} {want}");
        }
    }
}
