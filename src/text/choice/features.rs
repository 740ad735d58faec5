//! What is known about each block, as numbers.
//!
//! A row a block: its own text (length, links, punctuation, case, phrases), the kinds of its ancestors with their
//! distance, the sums of the ever wider containers around it, its neighbours, its place on the page, its relation to the
//! page's title and to the densest part, and the page as a whole. Nothing depends on a language but the phrases of
//! [`cues`](super::cues) and the names of [`class_names`](crate::blocks::class_names).
//!
//! Cost: O(blocks × features); chains of ancestors are followed by their wider links, of which four are used.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::cues::{CUES, Cue, MAX_CUE_UNITS, cues_of};
use super::schema::{SCHEMA_BITS, path_features};
use crate::about::haystack::Haystack;
use crate::blocks::class_names::{KINDS, Kind};
use crate::blocks::elements::{heading, is_wide};
use crate::blocks::groups::Groups;
use crate::blocks::page::{Block, Container, FAR, Page};
use webmill_html::Tag;

/// Facts about the page that stand outside of its body.
#[derive(Clone, Default, Debug)]
pub(crate) struct Hints {
    /// Titles as stated by the page, cleaned.
    pub titles: Vec<String>,
    /// Bits of [`schema`](super::schema).
    pub schema: u32,
    /// Path of the canonical URL.
    pub path: Option<String>,
    /// The article's text in structured data.
    pub article: Option<String>,
    /// What the page says it is about, as [`bare`] text.
    pub description: String,
}

/// Cues that are counted in containers: items of lists of pages and posts carry them.
const COUNTED: [Cue; 4] = [Cue::Date, Cue::Reply, Cue::Continue, Cue::Byline];
/// Cues that often stand at the end of a text.
const ENDING: [Cue; 6] =
    [Cue::Comments, Cue::Related, Cue::Share, Cue::Tags, Cue::Newsletter, Cue::Copyright];

/// Facts derived from all blocks together, used by the rows.
#[derive(Default, Debug)]
pub(crate) struct Whole {
    cues: Vec<u32>,
    title_match: Vec<f32>,
    title_words: Vec<f32>,
    pub title_at: Option<usize>,
    /// Last heading at or before each block; `u32::MAX` if none.
    heading_at: Vec<u32>,
    copies: Vec<u16>,
    /// Sums before each block.
    units: Vec<f32>,
    link_units: Vec<f32>,
    prose: Vec<f32>,
    /// Sums of [`COUNTED`] cues before each block.
    cue_sums: Vec<[u16; COUNTED.len()]>,
    /// Blocks since the last short block with each of [`ENDING`], 200 if there was none.
    since: Vec<[u8; ENDING.len()]>,
    pub groups: Groups,
    /// How much of each block stands in the structured data's article, and in the description; -1 where there is none.
    stated: Vec<[f32; 2]>,
    /// Containers: steps up to one that contains the title; empty without a title.
    title_hops: Vec<u8>,
    /// Containers: steps up to the densest container or one that contains it.
    top_hops: Vec<u8>,
    top_share: f32,
    /// First block of each group of twins.
    twins_start: Vec<u32>,
    /// Range of blocks with most text and fewest links.
    dense: (usize, usize),
    pub page: Vec<f32>,
}

/// Logarithm of `1 + x`; most are of small counts.
fn ln(x: f32) -> f32 {
    static COUNTS: LazyLock<[f32; 512]> = LazyLock::new(|| std::array::from_fn(|n| (1.0 + n as f32).ln()));
    let n = x as usize;
    match COUNTS.get(n) {
        Some(&found) if n as f32 == x => found,
        _ => (1.0 + x).ln(),
    }
}

fn per(a: f32, b: f32) -> f32 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// Letters and digits of a text, lower-cased: for comparing titles.
pub(crate) fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    bare_into(text, usize::MAX, &mut out);
    out
}

/// The same into `out`, whose content is replaced; no more once there are so many bytes.
fn bare_into(text: &str, bytes: usize, out: &mut String) {
    out.clear();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !c.is_ascii() && c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        }
        if out.len() >= bytes {
            break;
        }
    }
}

/// Bytes of a block that are compared with the title's words.
const TITLE_WORD_BYTES: usize = 240;

/// Bytes of a block that are looked up in a stated text.
const STATED_HEAD: usize = 60;

/// Bytes of a stated text that blocks are looked up in.
const MIN_STATED: usize = 40;

/// A text without what stands between `<` and `>`.
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
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A hash of each word of at least four letters, case folded, and of each Han character.
pub(crate) fn each_word(text: &str, mut f: impl FnMut(u64)) {
    const SEED: u64 = 0xcbf2_9ce4_8422_2325;
    let (mut hash, mut letters) = (SEED, 0);
    for c in text.chars().chain([' ']) {
        let kept = if c.is_ascii() { c.is_ascii_alphanumeric() } else { !is_wide(c) && c.is_alphanumeric() };
        if kept {
            let c = if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) };
            hash = (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3);
            letters += 1;
            continue;
        }
        if is_wide(c) {
            f(u64::from(u32::from(c)));
        }
        if letters >= 4 {
            f(hash);
        }
        (hash, letters) = (SEED, 0);
    }
}

impl Whole {
    pub(crate) fn new(page: &Page, hints: &Hints) -> Whole {
        let n = page.blocks.len();
        let mut whole = Whole::default();
        let titles: Vec<String> = hints.titles.iter().map(|t| bare(t)).filter(|t| !t.is_empty()).collect();
        let mut words: Vec<u64> = Vec::new();
        for title in &hints.titles {
            each_word(title, |word| words.push(word));
        }
        words.sort_unstable();
        words.dedup();
        let longest = hints.titles.iter().map(|t| t.len()).max().unwrap_or(0);
        let known = Haystack::new(titles.join(" "));
        let finders: Vec<Finder> = titles.iter().map(Finder::new).collect();
        let mut own = String::new();
        let mut last_heading = u32::MAX;
        let mut cue_sums = [0u16; COUNTED.len()];
        let mut since = [200u8; ENDING.len()];
        whole.cue_sums.push(cue_sums);
        let mut best_title = 0.45;
        let (mut units, mut links, mut prose) = (0.0, 0.0, 0.0);
        for (i, block) in page.blocks.iter().enumerate() {
            let text = &page.text[block.start as usize..block.end as usize];
            let short = block.counts.units <= MAX_CUE_UNITS;
            let wide = short && !text.is_ascii() && text.chars().any(is_wide);
            whole.cues.push(if short { cues_of(text, wide) } else { 0 });
            let cues = whole.cues[i];
            for (sum, cue) in cue_sums.iter_mut().zip(COUNTED) {
                *sum = sum.saturating_add((cues >> cue as u8 & 1) as u16);
            }
            whole.cue_sums.push(cue_sums);
            for (since, cue) in since.iter_mut().zip(ENDING) {
                let found = cues >> cue as u8 & 1 == 1 && block.counts.units <= 8.0;
                *since = if found { 0 } else { since.saturating_add(1).min(200) };
            }
            whole.since.push(since);
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
            whole.title_match.push(matched);
            let (mut shared, mut total) = (0u32, 0u32);
            if !words.is_empty() {
                each_word(prefix(text, TITLE_WORD_BYTES), |word| {
                    total += 1;
                    shared += u32::from(words.binary_search(&word).is_ok());
                });
            }
            whole.title_words.push(per(shared as f32, total as f32));
            let weight = matched + if matched > 0.0 && heading(tag) == Some(1) { 0.5 } else { 0.0 };
            if weight > best_title {
                best_title = weight;
                whole.title_at = Some(i);
            }
            if heading(tag).is_some() {
                last_heading = i as u32;
            }
            whole.heading_at.push(last_heading);
            whole.units.push(units);
            whole.link_units.push(links);
            whole.prose.push(prose);
            units += block.counts.units;
            links += block.counts.link_units;
            prose += block.counts.prose_units;
        }
        whole.units.push(units);
        whole.link_units.push(links);
        whole.prose.push(prose);
        let mut order: Vec<(u64, u32)> = (0u32..).zip(&page.blocks).map(|(i, b)| (b.hash, i)).collect();
        order.sort_unstable();
        whole.copies = vec![1; n];
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            for &(_, i) in group {
                whole.copies[i as usize] = group.len().min(1000) as u16;
            }
        }
        whole.groups = Groups::new(page);
        if let Some(title) = whole.title_at {
            whole.title_hops = hops(page, page.blocks[title].container as usize);
        }
        whole.look_up(page, hints);
        for container in page.containers.iter().filter(|c| c.counts.blocks > 0) {
            let group = container.group as usize;
            if group >= whole.twins_start.len() {
                whole.twins_start.resize(group + 1, u32::MAX);
            }
            whole.twins_start[group] = whole.twins_start[group].min(container.first);
        }
        whole.find_top(page);
        whole.find_dense(page);
        whole.describe_page(page, hints);
        whole
    }

    /// Whether a block claims copyright, or is a row of tools of more than one kind.
    pub(crate) fn has_many_labels(&self, i: usize) -> bool {
        const TOOLS: [Cue; 5] = [Cue::Share, Cue::Account, Cue::Navigate, Cue::Reply, Cue::Continue];
        let has = |cue: &&Cue| self.cues[i] >> **cue as u8 & 1 == 1;
        has(&&Cue::Copyright) || TOOLS.iter().filter(has).count() >= 2
    }

    /// Whether a short block is one of the labels and tools around Chinese texts. The pages that the model was trained
    /// on hold few of them, so the phrases decide.
    pub(crate) fn is_chinese_label(&self, page: &Page, i: usize) -> bool {
        const LABELS: [Cue; 12] = [
            Cue::Copyright,
            Cue::Related,
            Cue::Share,
            Cue::Account,
            Cue::Continue,
            Cue::Byline,
            Cue::Tags,
            Cue::Legal,
            Cue::Navigate,
            Cue::Reply,
            Cue::Advert,
            Cue::Newsletter,
        ];
        let block = &page.blocks[i];
        let labels = LABELS.iter().fold(0, |set, cue| set | 1 << *cue as u8);
        let text = &page.text[block.start as usize..block.end as usize];
        let tag = page.containers[block.container as usize].tag;
        self.cues[i] & labels != 0
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
        let article = Haystack::new(article);
        let description = Haystack::new(hints.description.clone());
        // The description is compared with the beginning alone.
        let looked_at = if in_article { 400 } else { 240 };
        let needed = if in_article { usize::MAX } else { STATED_HEAD };
        let mut own = String::new();
        for (block, stated) in page.blocks.iter().zip(&mut self.stated) {
            let text = &page.text[block.start as usize..block.end as usize];
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

    fn describe_page(&mut self, page: &Page, hints: &Hints) {
        let out = &mut self.page;
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
        let dense_units = self.units[self.dense.1] - self.units[self.dense.0];
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
            self.top_share,
            per(dense_units, all.units),
            ln((self.dense.1 - self.dense.0) as f32),
            self.title_at.map_or(-1.0, |t| t as f32 / n as f32),
            f32::from(u8::from(hints.article.is_some())),
            per(self.groups.list.get(self.groups.main as usize).map_or(0.0, |g| g.prose_units), all.units),
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
        let mut cues = [0f32; CUES];
        for &set in &self.cues {
            for (bit, count) in cues.iter_mut().enumerate() {
                *count += (set >> bit & 1) as f32;
            }
        }
        for cue in [Cue::Reply, Cue::Commerce, Cue::Date, Cue::Byline, Cue::Comments, Cue::Continue] {
            out.push(ln(cues[cue as usize]));
        }
        for kind in
            [Kind::Product, Kind::Thread, Kind::Listing, Kind::Content, Kind::Detail, Kind::Title, Kind::Form]
        {
            out.push((page.root_kinds >> kind as u8 & 1) as f32);
        }
        out.extend(path_features(hints.path.as_deref()));
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

/// The features of block `i`, into `out`, whose content is replaced.
pub(crate) fn features(page: &Page, whole: &Whole, i: usize, out: &mut Vec<f32>) {
    out.clear();
    let block = &page.blocks[i];
    let own = &page.containers[block.container as usize];
    let n = page.blocks.len() as f32;
    let all = whole.units[page.blocks.len()];
    let all_prose = whole.prose[page.blocks.len()];
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
        f32::from(whole.copies[i]).min(10.0),
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
    for cue in 0..CUES {
        out.push((whole.cues[i] >> cue & 1) as f32);
    }
    let twins = &page.containers[repeated(page, block)];
    let twins_start = whole.twins_start[twins.group as usize].min(twins.first);
    out.extend([
        ln(twins.twins as f32),
        ln(per(twins.twin_units, twins.twins as f32)),
        per(twins.twin_link_units, twins.twin_units),
        per(twins.twin_units, all),
        ln(twins.counts.blocks as f32),
        per(twins.counts.heading_link_units, twins.counts.units),
        ln((twins.first - twins_start) as f32),
        per(whole.units[twins.first as usize] - whole.units[twins_start as usize], twins.twin_units),
        whole.title_words[i],
        f32::from(u8::from(block.ends_open)),
    ]);
    let first = first_level(page, block);
    for container in [twins, &page.containers[first], &page.containers[page.containers[first].wider as usize]]
    {
        let (from, to) = (container.first as usize, (container.end as usize).min(page.blocks.len()));
        for cue in 0..COUNTED.len() {
            let found = whole.cue_sums[to][cue] - whole.cue_sums[from][cue];
            out.push(per(f32::from(found), (to - from) as f32));
        }
        out.push(per(container.counts.images as f32, container.counts.blocks as f32));
        out.push(per(container.counts.links as f32, container.counts.blocks as f32));
    }
    out.extend(whole.since[i].map(f32::from));
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
        let units = whole.units[to] - whole.units[from];
        let links = whole.link_units[to] - whole.link_units[from];
        let prose = whole.prose[to] - whole.prose[from];
        out.extend([ln(units), per(links, units), per(prose, units)]);
    }
    let under = whole.heading_at[i];
    match under {
        u32::MAX => out.extend([-1.0; 7]),
        h => {
            let title = &page.blocks[h as usize];
            let container = &page.containers[title.container as usize];
            let cues = whole.cues[h as usize];
            out.extend([
                (i as f32 - h as f32).min(100.0),
                f32::from(heading(container.tag).unwrap_or(0)),
                (cues >> Cue::Related as u8 & 1) as f32,
                (cues >> Cue::Comments as u8 & 1) as f32,
                f32::from(u8::from(cues & !(1 << Cue::Related as u8 | 1 << Cue::Comments as u8) != 0)),
                title.counts.link_density(),
                f32::from(container.depth) - f32::from(own.depth),
            ]);
        }
    }
    let (from, to) =
        (if under == u32::MAX { 0 } else { under as usize }, whole.groups.section_end[i] as usize);
    let units = whole.units[to] - whole.units[from];
    out.extend([
        ln((to - from) as f32),
        ln(units),
        per(whole.link_units[to] - whole.link_units[from], units),
        per(whole.prose[to] - whole.prose[from], units),
        per(whole.prose[to] - whole.prose[from], all_prose),
    ]);
    let group = &whole.groups.list[whole.groups.of[i] as usize];
    let main = &whole.groups.list[whole.groups.main as usize];
    out.extend([
        ln(group.blocks),
        ln(per(group.units, group.blocks)),
        per(group.link_units, group.units),
        per(group.prose_units, all_prose),
        per(group.sentences, group.blocks),
        f32::from(u8::from(whole.groups.of[i] == whole.groups.main && all_prose > 0.0)),
        outside(i, main.range.0 as usize, main.range.1 as usize),
        per(main.prose_units, all_prose),
    ]);
    // How much of the page's prose stands in the nearest element that is said to hold a text.
    for kind in [Kind::Body, Kind::ArticleTag, Kind::Content, Kind::Comment] {
        let steps = own.distance[kind as usize];
        let mut at = block.container as usize;
        for _ in 0..steps {
            at = page.containers[at].parent as usize;
        }
        let holder = (steps < FAR).then(|| &page.containers[at].counts);
        out.push(holder.map_or(-1.0, |counts| per(counts.prose_units, all_prose)));
    }
    out.extend(whole.stated[i]);
    out.push(whole.title_hops.get(block.container as usize).map_or(-1.0, |&h| f32::from(h)));
    out.extend([
        i as f32 / n,
        ln(i as f32),
        ln(n - i as f32),
        per(whole.units[i], all),
        per(whole.prose[i], whole.prose[page.blocks.len()]),
        whole.title_match[i],
        whole.title_at.map_or(-999.0, |t| (i as f32 - t as f32).clamp(-200.0, 500.0)),
        whole.title_at.map_or(-1.0, |t| per(whole.units[i] - whole.units[t], all)),
        f32::from(whole.top_hops[block.container as usize]),
        outside(i, whole.dense.0, whole.dense.1),
    ]);
    out.extend_from_slice(&whole.page);
}
