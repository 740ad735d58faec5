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
use asides::{BESIDE_COMMENTS, BESIDE_TEASERS, LeastText, leave_out, share_besides, teasers};
use block_row::block_row;
use boilerplate_phrases::PhraseKind;
use chinese_boilerplate::drop_chinese_boilerplate;
use choice_row::{Chosen, confidence_row};
use copies::{drop_copies, drop_hidden_copies};
use feature_names::names;
use model::Model;
use page_features::{Hints, PageFeatures};
use page_type::{PageType, SCORES, TYPES, likeliest, probabilities};
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
    /// Log-odds that a block of a short post's page is main text.
    pub brief: Model,
    /// Log-odds of the F1 of a choice; without it, what the probabilities of the blocks foretell stands.
    pub confidence: Option<Model>,
}

impl Tables {
    /// Reads the models of page types, of blocks, of doubtful blocks, of short posts' blocks, and, if there is one, of F1.
    ///
    /// # Errors
    /// Which one cannot be used, and why.
    pub(crate) fn of(
        [types, blocks, doubtful, brief]: [&str; 4],
        confidence: Option<&str>,
    ) -> Result<Tables, String> {
        let names = names();
        let read = |of: &str, text, names| Model::named(text, names).map_err(|why| format!("{of}: {why}"));
        let types = read("types", types, &names.page)?;
        if types.trees() % SCORES != 0 {
            return Err(format!("types: {} trees are not a round number of {SCORES} classes", types.trees()));
        }
        Ok(Tables {
            types,
            blocks: read("blocks", blocks, &names.block)?,
            doubtful: read("doubtful", doubtful, &names.block)?,
            brief: read("brief", brief, &names.block)?,
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
    let models = ["types", "blocks", "doubtful", "brief"].map(model);
    Tables::of(models, Some(model("confidence"))).expect("the shipped models fit the features")
});

/// Reads the tables, if nobody did.
pub(crate) fn load() {
    LazyLock::force(&SHIPPED);
}

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
/// Pages that are forums by less are articles if elements are named after comments.
const SURE_FORUM: f32 = 0.8;
/// Pages that are empty by this probability may have no text.
const EMPTY: f32 = 0.65;
/// Pages that are short posts by this probability are judged by a model of their own, which stands if it takes so few words: on
/// these, short blocks are the text as often as labels, and longer things stand beside it.
const BRIEF: f32 = 0.15;
const MAX_BRIEF_UNITS: f32 = 80.0;
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
    let (types, brief) = (types.of, types.brief);
    let article = types[PageType::Article as usize];
    let draft = |scores: &[f32]| Draft::new(page, &facts, scores, article, focus);
    let scores = (brief >= BRIEF)
        .then(|| log_odds(page, &facts, &types, &tables.brief, None))
        .filter(|scores| draft(scores).words() <= MAX_BRIEF_UNITS)
        .unwrap_or_else(|| log_odds(page, &facts, &types, &tables.blocks, Some(&tables.doubtful)));
    let named = in_named_threads(page, facts.lead.at);
    let kind = match likeliest(&types, &PageType::CLASSES) {
        PageType::Article if is_topic(page) => PageType::Forum,
        // What elements call comments, and none calls a thread, are no posts if that is not sure.
        PageType::Forum
            if types[PageType::Forum as usize] < SURE_FORUM
                && named.contains(&true)
                && words_in_threads(page) == 0.0 =>
        {
            PageType::Article
        }
        kind => kind,
    };
    let mut draft = draft(&scores);
    let said =
        if kind == PageType::Forum { vec![false; page.blocks.len()] } else { draft.said(&facts, &named) };
    draft.leave_out(&said, BESIDE_COMMENTS);
    if article >= TEASED {
        draft.leave_out(&teasers(page, &scores), BESIDE_TEASERS);
    }
    let mut chosen = draft.chosen(&facts);
    drop_copies(page, &mut chosen, types[PageType::Documentation as usize] >= MANUAL);
    drop_hidden_copies(page, &mut chosen);
    drop_chinese_boilerplate(page, &mut chosen, facts.title_at);
    let mut sure_of = Vec::new();
    let of = Chosen { chosen: &chosen, scored: &draft.scored, f1: draft.f1, types: &types };
    confidence_row(page, &facts, &of, &mut sure_of);
    let mut confidence =
        tables.confidence.as_ref().map_or(draft.f1, |model| probability(model.score::<1>(&sure_of)[0]));
    // Nothing is the better text where it is more likely right.
    let empty = types[PageType::Empty as usize];
    if tables.confidence.is_some() && empty >= EMPTY && empty > confidence && says_nothing(page, &facts) {
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

/// A choice in the making: all blocks that are at least as likely as the best threshold.
struct Draft<'a> {
    page: &'a Page,
    focus: Focus,
    /// Probabilities and lengths of the blocks.
    scored: Vec<(f32, f32)>,
    cut: f32,
    /// Expected F1.
    f1: f32,
}

impl<'a> Draft<'a> {
    /// Of log-odds.
    ///
    /// Blocks of lists are wrong one by one, those of articles in rows: half of a teaser is no gain, and the doubtful ones are left out.
    /// Surer probabilities do so.
    fn new(page: &'a Page, facts: &PageFeatures, scores: &[f32], article: f32, focus: Focus) -> Draft<'a> {
        let score = |i: usize, block: &Block| {
            let p =
                if facts.is_advertisement(page, i) { 0.0 } else { probability(scores[i] * (1.0 + article)) };
            (p, block.counts.units + EXTRA_UNITS)
        };
        let scored: Vec<_> = page.blocks.iter().enumerate().map(|(i, block)| score(i, block)).collect();
        let (cut, f1) = threshold(&scored, focus);
        Draft { page, focus, scored, cut, f1 }
    }

    /// Words of the blocks above the threshold.
    fn words(&self) -> f32 {
        let blocks = self.page.blocks.iter().zip(&self.scored);
        blocks.filter(|(_, scored)| scored.0 >= self.cut).map(|(block, _)| block.counts.units).sum()
    }

    /// Which blocks are of readers' comments: less certain ones if enough remains beside them.
    fn said(&self, facts: &PageFeatures, in_named: &[bool]) -> Vec<bool> {
        let are_said = |least: f32| {
            let named = in_named.iter().enumerate();
            named.map(|(i, named)| *named || facts.threads.strength(i) >= least).collect::<Vec<bool>>()
        };
        let said = are_said(THREAD);
        let besides = share_besides(self.page, &self.scored, self.cut, &said);
        if besides < LEAST_SHARE { are_said(SURE_THREAD) } else { said }
    }

    /// Leaves out what stands beside the text, if enough remains.
    fn leave_out(&mut self, asides: &[bool], enough: LeastText) {
        if leave_out(self.page, &mut self.scored, self.cut, asides, enough) {
            (self.cut, self.f1) = threshold(&self.scored, self.focus);
        }
    }

    /// The blocks above the threshold that are no labels.
    fn chosen(&self, facts: &PageFeatures) -> Vec<bool> {
        let page = self.page;
        let mut chosen: Vec<bool> = self.scored.iter().map(|scored| scored.0 >= self.cut).collect();
        for (i, block) in page.blocks.iter().enumerate() {
            let (most, sure) =
                if facts.has_many_labels(i) { (MAX_LABELS_UNITS, 1.0) } else { (MAX_LABEL_UNITS, SURE) };
            if chosen[i] && self.scored[i].0 <= sure && block.counts.units <= most {
                chosen[i] = !facts.is_chinese_label(page, i) || heads_text(page, &chosen, i);
            }
        }
        chosen
    }
}

/// Whether a page has a menu, or says that it has no text: what has neither is little, not nothing.
fn says_nothing(page: &Page, facts: &PageFeatures) -> bool {
    let missing = |phrases: &u32| phrases >> PhraseKind::Missing as u8 & 1 == 1;
    page.containers[0].counts.links >= FRAME_LINKS || facts.phrases.iter().any(missing)
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
    page.root_kinds & Kind::Thread.bit() != 0
        && words_in_threads(page) >= TOPIC * page.containers[0].counts.units
}

/// Words in elements that are named after threads.
fn words_in_threads(page: &Page) -> f32 {
    const NEAR: u8 = 5;
    let named =
        |block: &&Block| page.containers[block.container as usize].distance[Kind::Thread as usize] <= NEAR;
    page.blocks.iter().filter(named).map(|block| block.counts.units).sum()
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
fn log_odds(
    page: &Page,
    facts: &PageFeatures,
    types: &[f32; TYPES],
    first: &Model,
    further: Option<&Model>,
) -> Vec<f32> {
    let _span = timing::span(Part::Features);
    let blocks = page.blocks.len();
    let mut out = Vec::with_capacity(blocks);
    let mut rows = Vec::new();
    // Doubtful blocks and their rows, and what the further ensembles say of them.
    let (mut doubtful, mut doubted, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..blocks {
        let start = rows.len();
        block_row(page, facts, i, &mut rows);
        rows.extend_from_slice(&facts.page);
        rows.extend(types);
        if (i + 1) % CHUNK != 0 && i + 1 != blocks {
            continue;
        }
        let _span = timing::span(Part::Models);
        let width = rows.len() - start;
        let begin = out.len();
        first.scores(&rows, width, &mut out);
        for (at, row) in (begin..).zip(rows.chunks_exact(width)) {
            if further.is_some() && out[at].abs() < DOUBTFUL {
                doubtful.push(at);
                doubted.extend_from_slice(row);
            }
        }
        rows.clear();
        if let Some(further) = further.filter(|_| doubtful.len() >= CHUNK || i + 1 == blocks) {
            further.scores(&doubted, width, &mut more);
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
        assert!((types.of.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let scores = log_odds(&page, &facts, &types.of, &SHIPPED.blocks, Some(&SHIPPED.doubtful));
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
        for (further, all) in [(Some(&doubtful), [-2.0, 2.0 / 3.0, -0.1 / 3.0]), (None, [-2.0, 1.0, 1.4])] {
            let scores = log_odds(&page, &facts, &[0.0; TYPES], &first, further);
            for (score, want) in scores.into_iter().zip(all) {
                assert!((score - want).abs() < 1e-5, "{score} {want}");
            }
        }
    }
}
