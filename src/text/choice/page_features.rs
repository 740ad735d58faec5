//! Known facts about a whole page, from which the rows of its [blocks](super::block_row) and [its own](super::page_row) are
//! made.
//!
//! Phrases, titles, copies, sums before each block, the containers that hold the title or most text, and what structured
//! data state of the text. Cost: O(blocks + containers) and a sort; a stated text is looked up by an [`NgramFilter`].

use memchr::memmem::Finder;
use webmill_capture::cut::Cut;

use super::boilerplate_phrases::{MAX_PHRASE_UNITS, PhraseKind, phrase_kinds};
use super::lead::LeadBlocks;
use super::ngram_filter::NgramFilter;
use super::numbers::per;
use super::page_row::page_row;
use crate::blocks::class_names::Kind;
use crate::blocks::elements::heading;
use crate::blocks::groups::Groups;
use crate::blocks::page::Page;
use crate::comparison::{bare, bare_into, each_word};
use crate::threads::{THREAD, Threads};
use webmill_html::is_wide;

/// What a page says of itself outside of its body.
#[derive(Clone, Default, Debug)]
pub(crate) struct Hints {
    /// Titles as stated by the page, cleaned.
    pub titles: Vec<String>,
    /// Bits of [`schema_types`](crate::blocks::schema_types).
    pub schema: u32,
    /// Path of the canonical URL, else of the address that the page was found at.
    pub path: Option<String>,
    /// Kinds of [sites](super::platform) that the title, the host and the generator name.
    pub sites: [u64; 3],
    /// The article's text in structured data.
    pub article: Option<String>,
    /// What the page says it is about, as [`bare`] text.
    pub description: String,
}

/// Phrases that are counted in containers: items of lists of pages and posts carry them.
pub(super) const COUNTED: [PhraseKind; 4] =
    [PhraseKind::Date, PhraseKind::Reply, PhraseKind::Continue, PhraseKind::Byline];
/// Phrases that often end a text.
pub(super) const ENDING: [PhraseKind; 6] = [
    PhraseKind::Comments,
    PhraseKind::Related,
    PhraseKind::Share,
    PhraseKind::Tags,
    PhraseKind::Newsletter,
    PhraseKind::Copyright,
];

/// Features derived from all blocks together, which the rows use.
#[derive(Default, Debug)]
pub(crate) struct PageFeatures {
    pub(super) phrases: Vec<u32>,
    pub(super) title_match: Vec<f32>,
    pub(super) title_words: Vec<f32>,
    pub title_at: Option<usize>,
    /// Last heading at or before each block; `u32::MAX` if none.
    pub(super) heading_at: Vec<u32>,
    pub(super) copies: Vec<u16>,
    /// Sums before each block.
    pub(super) units: Vec<f32>,
    pub(super) link_units: Vec<f32>,
    pub(super) prose: Vec<f32>,
    /// Sums of [`COUNTED`] phrases before each block.
    pub(super) phrase_sums: Vec<[u16; COUNTED.len()]>,
    /// Blocks since the last short block with each of [`ENDING`], 200 if there was none.
    pub(super) since: Vec<[u8; ENDING.len()]>,
    pub(super) groups: Groups,
    /// How much of each block is in the structured data's article, and in the description; -1 where there is none.
    pub(super) stated: Vec<[f32; 2]>,
    /// Containers: steps up to one that contains the title; empty without a title.
    pub(super) title_hops: Vec<u8>,
    /// Containers: steps up to the densest container or one that contains it.
    pub(super) top_hops: Vec<u8>,
    pub(super) top_share: f32,
    /// First block of each group of twins.
    pub(super) twins_start: Vec<u32>,
    /// Range of blocks with most text and fewest links.
    pub(super) dense: (usize, usize),
    /// Readers' comments.
    pub threads: Threads,
    /// Where the text begins, and the runs of prose.
    pub(super) lead: LeadBlocks,
    /// The [row of the page](super::page_row).
    pub page: Vec<f32>,
}

/// Bytes of a block that are compared with the title's words.
const TITLE_WORD_BYTES: usize = 240;

/// Bytes of a block that are looked up in a stated text.
const STATED_HEAD: usize = 60;

/// Bytes of a stated text that blocks are looked up in.
const MIN_STATED: usize = 40;

/// A text without its parts between `<` and `>`.
fn without_tags(text: &str) -> String {
    let mut inside = false;
    text.chars()
        .filter(|&c| {
            let kept = !inside && c != '<';
            inside = c == '<' || inside && c != '>';
            kept
        })
        .collect()
}

fn prefix(text: &str, bytes: usize) -> &str {
    text.cut(..text.floor_char_boundary(bytes))
}

impl PageFeatures {
    pub(crate) fn new(page: &Page, hints: &Hints, threads: Threads) -> PageFeatures {
        let n = page.blocks.len();
        let mut facts = PageFeatures { threads, ..PageFeatures::default() };
        let titles: Vec<String> = hints.titles.iter().map(|t| bare(t)).filter(|t| !t.is_empty()).collect();
        let mut words: Vec<u64> = Vec::new();
        for title in &hints.titles {
            each_word(title, |word| words.push(word));
        }
        words.sort_unstable();
        words.dedup();
        let longest = hints.titles.iter().map(|t| t.len()).max().unwrap_or(0);
        let known = NgramFilter::new(titles.join(" "));
        let finders: Vec<Finder> = titles.iter().map(Finder::new).collect();
        let mut own = String::new();
        let mut last_heading = u32::MAX;
        let mut phrase_sums = [0u16; COUNTED.len()];
        let mut since = [200u8; ENDING.len()];
        facts.phrase_sums.push(phrase_sums);
        let mut best_title = 0.45;
        let (mut units, mut links, mut prose) = (0.0, 0.0, 0.0);
        for (i, block) in page.blocks.iter().enumerate() {
            let text = page.text_of(block);
            let short = block.counts.units <= MAX_PHRASE_UNITS;
            let wide = short && !text.is_ascii() && text.chars().any(is_wide);
            facts.phrases.push(if short { phrase_kinds(text, wide) } else { 0 });
            let phrases = facts.phrases[i];
            for (sum, kind) in phrase_sums.iter_mut().zip(COUNTED) {
                *sum = sum.saturating_add((phrases >> kind as u8 & 1) as u16);
            }
            facts.phrase_sums.push(phrase_sums);
            for (since, kind) in since.iter_mut().zip(ENDING) {
                let found = phrases >> kind as u8 & 1 == 1 && block.counts.units <= 8.0;
                *since = if found { 0 } else { since.saturating_add(1).min(200) };
            }
            facts.since.push(since);
            let tag = page.containers[block.container as usize].tag;
            let mut matched: f32 = 0.0;
            if text.len() <= longest + 40 && !titles.is_empty() && block.counts.units >= 1.0 {
                bare_into(text, usize::MAX, &mut own);
                let inner = known.may_contain(&own);
                for (title, finder) in titles.iter().zip(&finders) {
                    let (less, more) = (own.len().min(title.len()), own.len().max(title.len()));
                    let found = match own.len() > title.len() {
                        true => finder.find(own.as_bytes()).is_some(),
                        false => inner && title.contains(&own),
                    };
                    matched = if found { matched.max(less as f32 / more as f32) } else { matched };
                }
            }
            facts.title_match.push(matched);
            let (mut shared, mut total) = (0u32, 0u32);
            if !words.is_empty() {
                each_word(prefix(text, TITLE_WORD_BYTES), |word| {
                    total += 1;
                    shared += u32::from(words.binary_search(&word).is_ok());
                });
            }
            facts.title_words.push(per(shared as f32, total as f32));
            let weight = matched + if matched > 0.0 && heading(tag) == Some(1) { 0.5 } else { 0.0 };
            if weight > best_title {
                best_title = weight;
                facts.title_at = Some(i);
            }
            if heading(tag).is_some() {
                last_heading = i as u32;
            }
            facts.heading_at.push(last_heading);
            facts.units.push(units);
            facts.link_units.push(links);
            facts.prose.push(prose);
            units += block.counts.units;
            links += block.counts.link_units;
            prose += block.counts.prose_units;
        }
        facts.units.push(units);
        facts.link_units.push(links);
        facts.prose.push(prose);
        let mut order: Vec<(u64, u32)> = (0u32..).zip(&page.blocks).map(|(i, b)| (b.hash, i)).collect();
        order.sort_unstable();
        facts.copies = vec![1; n];
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            for &(_, i) in group {
                facts.copies[i as usize] = group.len().min(1000) as u16;
            }
        }
        facts.groups = Groups::new(page);
        if let Some(title) = facts.title_at {
            facts.title_hops = hops(page, page.blocks[title].container as usize);
        }
        facts.look_up(page, hints);
        for container in page.containers.iter().filter(|c| c.counts.blocks > 0) {
            let group = container.group as usize;
            if group >= facts.twins_start.len() {
                facts.twins_start.resize(group + 1, u32::MAX);
            }
            facts.twins_start[group] = facts.twins_start[group].min(container.first);
        }
        facts.find_top(page);
        facts.find_dense(page);
        let threads = &facts.threads;
        let is_said = |i: usize| threads.strength(i) >= THREAD;
        facts.lead = LeadBlocks::new(page, facts.title_at, &facts.phrases, is_said);
        let mut of_page = Vec::new();
        page_row(page, &facts, hints, &mut of_page);
        facts.page = of_page;
        facts
    }

    /// Whether both an element's name and the words of a block call it an advertisement.
    pub(crate) fn is_advertisement(&self, page: &Page, i: usize) -> bool {
        const NEAR: u8 = 1;
        let distance = &page.containers[page.blocks[i].container as usize].distance;
        self.phrases[i] >> PhraseKind::Advert as u8 & 1 == 1 && distance[Kind::Advert as usize] <= NEAR
    }

    /// Whether a block claims copyright, or is a row of tools of more than one kind.
    pub(crate) fn has_many_labels(&self, i: usize) -> bool {
        const TOOLS: [PhraseKind; 5] = [
            PhraseKind::Share,
            PhraseKind::Account,
            PhraseKind::Navigate,
            PhraseKind::Reply,
            PhraseKind::Continue,
        ];
        let has = |kind: &&PhraseKind| self.phrases[i] >> **kind as u8 & 1 == 1;
        has(&&PhraseKind::Copyright) || TOOLS.iter().filter(has).count() >= 2
    }

    /// Whether a short block is one of the labels and tools around Chinese texts. The pages that the model was trained
    /// on hold few of them, so the phrases decide.
    pub(crate) fn is_chinese_label(&self, page: &Page, i: usize) -> bool {
        const LABELS: [PhraseKind; 12] = [
            PhraseKind::Copyright,
            PhraseKind::Related,
            PhraseKind::Share,
            PhraseKind::Account,
            PhraseKind::Continue,
            PhraseKind::Byline,
            PhraseKind::Tags,
            PhraseKind::Legal,
            PhraseKind::Navigate,
            PhraseKind::Reply,
            PhraseKind::Advert,
            PhraseKind::Newsletter,
        ];
        let block = &page.blocks[i];
        let labels = LABELS.iter().fold(0, |set, kind| set | 1 << *kind as u8);
        let text = page.text_of(block);
        let tag = page.containers[block.container as usize].tag;
        self.phrases[i] & labels != 0
            && !block.ends_sentence
            && heading(tag) != Some(1)
            && text.chars().any(is_wide)
    }

    /// Looks the blocks up in what the page states of its text.
    fn look_up(&mut self, page: &Page, hints: &Hints) {
        let article = hints.article.as_deref().map(|text| bare(&without_tags(text))).unwrap_or_default();
        self.stated = vec![[-1.0; 2]; page.blocks.len()];
        let (in_article, in_description) =
            (article.len() >= MIN_STATED, hints.description.len() >= MIN_STATED);
        if !in_article && !in_description {
            return;
        }
        let article = NgramFilter::new(article);
        let description = NgramFilter::new(hints.description.clone());
        // The description is compared with the beginning alone.
        let looked_at = if in_article { 400 } else { 240 };
        let needed = if in_article { usize::MAX } else { STATED_HEAD };
        let mut own = String::new();
        for (block, stated) in page.blocks.iter().zip(&mut self.stated) {
            let text = page.text_of(block);
            let short = block.counts.letters < 12;
            bare_into(if short { "" } else { prefix(text, looked_at) }, needed, &mut own);
            let (head, rest) = own.split_at(prefix(&own, STATED_HEAD).len());
            if in_article {
                stated[0] = match short {
                    true => 0.5,
                    false if article.contains(head) => 1.0,
                    false if rest.len() > 60 => {
                        let tail = &rest.as_bytes()[rest.len() - 50..];
                        if article.contains(tail) { 0.8 } else { 0.0 }
                    }
                    false => 0.0,
                };
            }
            if in_description && !short {
                let shared =
                    description.contains(head) || own.starts_with(prefix(description.text(), STATED_HEAD));
                stated[1] = f32::from(u8::from(shared));
            }
        }
    }

    /// The container that paragraphs vote for, as in the reader views of browsers.
    fn find_top(&mut self, page: &Page) {
        let mut score = vec![0f32; page.containers.len()];
        for block in &page.blocks {
            let counts = &block.counts;
            if counts.units < 6.0 {
                continue;
            }
            let own = (1.0 + counts.commas.min(10) as f32 + (counts.units / 20.0).min(3.0))
                * (1.0 - counts.link_density().min(1.0));
            // A block that is alone in its container votes for what is around it.
            let mut at = block.container as usize;
            if page.containers[at].counts.blocks == 1 {
                at = page.containers[at].wider as usize;
            }
            score[at] += own;
            let up = page.containers[at].wider as usize;
            if up != at {
                score[up] += own * 0.5;
            }
        }
        let mut top = 0;
        for (i, container) in page.containers.iter().enumerate() {
            score[i] *= 1.0 - container.counts.link_density().min(1.0);
            if score[i] > score[top] {
                top = i;
            }
        }
        self.top_hops = hops(page, top);
        let all = page.containers.first().map_or(0.0, |c| c.counts.units);
        self.top_share = per(page.containers.get(top).map_or(0.0, |c| c.counts.units), all);
    }

    /// The run of blocks with the greatest sum of (words outside of links − links − a constant).
    fn find_dense(&mut self, page: &Page) {
        let (mut best, mut sum, mut start) = (0.0, 0.0, 0);
        for (i, block) in page.blocks.iter().enumerate() {
            let gain = (block.counts.units - block.counts.link_units).min(80.0)
                - 1.5 * block.counts.link_units
                - 6.0;
            if sum <= 0.0 {
                sum = 0.0;
                start = i;
            }
            sum += gain;
            if sum > best {
                best = sum;
                self.dense = (start, i + 1);
            }
        }
    }
}

/// For each container, how many wider steps `top` must go up to contain it; 0 for all that is in `top`.
pub(crate) fn hops(page: &Page, top: usize) -> Vec<u8> {
    let mut out = vec![u8::MAX; page.containers.len()];
    let (mut at, mut steps) = (top, 0u8);
    while at < out.len() {
        out[at] = steps;
        let up = page.containers[at].wider as usize;
        // Everything between `at` and `up` has the same text as `at`.
        let mut between = page.containers[at].parent as usize;
        while between != up && between != at {
            out[between] = steps;
            at = between;
            between = page.containers[between].parent as usize;
        }
        if up == at {
            break;
        }
        at = up;
        steps = (steps + 1).min(30);
    }
    for i in 1..out.len() {
        if out[i] == u8::MAX {
            out[i] = out[page.containers[i].parent as usize];
        }
    }
    out
}
