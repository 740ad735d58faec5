//! The posts of a thread that is the text of its page.
//!
//! **Definition.** The [division](crate::threads::division) of the page says which stretches are posts; chosen blocks between
//! the title and the first of them are a post too, such as the question above its answers, if they have a byline. The body of
//! a post is its longest chosen block, what stands around that in elements without bylines and members' cards, and its other
//! chosen blocks. Code is of the body whether it was chosen or not. Quotes stand in an element of their own beside words of
//! the post. What several posts repeat (signatures, titles, buttons) is of none. [`who`](super::who) says who wrote a post,
//! and when.
//!
//! **Cost.** Linear in the blocks of the posts, times [`MAX_UP`] elements around each.

use std::collections::HashMap;

use super::who::{Bylines, bylines};
use super::{Post, PostKind, Room};
use crate::blocks::class_names::Kind;
use crate::blocks::code::code_containers;
use crate::blocks::elements::heading;
use crate::blocks::page::{Container, NONE, Page};
use crate::comparison::bare;
use crate::output::grid::row_of;
use crate::threads::{Division, PageContext, division};
use webmill_html::{Dom, Tag};

/// Elements around a block that are looked at.
const MAX_UP: usize = 24;
/// Words of the longest line that posts repeat.
const MAX_REPEATED: f32 = 60.0;
/// Posts that repeat a line, at least.
const MIN_REPEATS: u32 = 3;
/// Blocks before the first post that may be its byline, where the page shows no title.
const BEFORE: u32 = 4;

/// What a block is in a post.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Of no post.
    #[default]
    None,
    /// Byline, button, signature.
    Frame,
    Body,
    Quote,
}

/// The posts of a page, and where they stand.
#[derive(Default, Debug)]
pub(crate) struct Thread {
    pub posts: Vec<Post>,
    /// Blocks of each post, `first..end`, in order.
    pub ranges: Vec<(u32, u32)>,
    /// First and last block of the body of each.
    bodies: Vec<(u32, u32)>,
    /// By block.
    pub parts: Vec<Part>,
    /// Whether any of them has a date, certain or not.
    pub dated: bool,
    /// Posts that limits left out.
    pub left_out: u64,
}

impl Thread {
    /// Which blocks are shown where posts have headings: of posts their bodies and quotes, else the chosen ones.
    pub(crate) fn shown(&self, chosen: &[bool]) -> Vec<bool> {
        let shown = |(part, &chosen): (&Part, &bool)| match part {
            Part::None => chosen,
            Part::Frame => false,
            Part::Body | Part::Quote => true,
        };
        self.parts.iter().zip(chosen).map(shown).collect()
    }

    /// The data tables of a page without those that posts are laid out by.
    pub(crate) fn tables(&self, page: &Page, data: &[bool]) -> Vec<bool> {
        let laid_out = |it: &Container| {
            let parts = &self.parts[it.first as usize..it.end as usize];
            parts.contains(&Part::Frame) && parts.contains(&Part::Body)
        };
        page.containers.iter().zip(data).map(|(it, data)| *data && !laid_out(it)).collect()
    }

    /// Takes the code and data tables of posts that hold chosen text. `code` is of `code_containers`, `data` of `data_tables`.
    pub(crate) fn complete(&self, page: &Page, chosen: &mut [bool], code: &[u32], data: &[bool]) {
        let data = self.tables(page, data);
        for body in self.bodies.iter().map(|body| body.0 as usize..body.1 as usize + 1) {
            if !chosen[body.clone()].contains(&true) {
                continue;
            }
            for i in body.filter(|&i| self.parts[i] == Part::Body) {
                let index = page.blocks[i].container as usize;
                let it = &page.containers[index];
                chosen[i] |= code[index] != NONE || row_of(it) != NONE && data[it.table as usize];
            }
        }
    }

    /// The post that a block is of.
    fn post_at(&self, block: u32) -> Option<usize> {
        let at = self.ranges.partition_point(|range| range.1 <= block);
        self.ranges.get(at).filter(|range| range.0 <= block).map(|_| at)
    }

    /// What stands over the post that begins with a block: who and when, or its number.
    pub(crate) fn heading(&self, block: u32) -> Option<String> {
        let at = self.post_at(block).filter(|at| self.ranges[*at].0 == block)?;
        let post = &self.posts[at];
        // The day and the minute.
        let date =
            post.date.as_ref().map(|date| date.chars().take(16).collect::<String>().replacen('T', " ", 1));
        let said: Vec<&str> = [post.author.as_deref(), date.as_deref()].into_iter().flatten().collect();
        Some(if said.is_empty() { format!("#{}", at + 1) } else { said.join(", ") })
    }

    /// Whether an element around a block of a post holds all that the post says: the post's own, and no quote or item in it.
    pub(crate) fn is_around(&self, it: &Container, block: u32) -> bool {
        self.post_at(block).is_some_and(|at| it.first <= self.bodies[at].0 && self.bodies[at].1 < it.end)
    }
}

/// A page whose text is a thread.
pub(crate) struct ThreadPage<'p, 'd> {
    pub dom: &'p Dom<'d>,
    pub page: &'p Page,
    pub chosen: &'p [bool],
    pub headline: Option<&'p str>,
    pub context: PageContext<'p>,
}

/// The posts of a page whose text is a thread.
pub(crate) fn thread(of: &ThreadPage<'_, '_>) -> Thread {
    let mut reader = Reader::new(of, division(of.page, &of.context, of.chosen));
    let mut ranges = reader.divided.items.clone();
    let lead = reader.lead();
    ranges.splice(0..0, lead);
    let ranges = reader.read_all(&ranges);
    let found = bylines(of, &ranges, &reader.parts, &reader.divided.cards, &reader.title, lead.is_some());
    reader.written(ranges, found, lead.is_some())
}

/// Lines that several posts have, by their hashes.
fn repeated(page: &Page, items: &[(u32, u32)]) -> HashMap<u64, u32> {
    let mut counts: HashMap<u64, (u32, u32)> = HashMap::new();
    for (item, &(first, end)) in (1..).zip(items) {
        for block in &page.blocks[first as usize..end as usize] {
            let known = counts.entry(block.hash).or_default();
            if known.1 != item {
                *known = (known.0 + 1, item);
            }
        }
    }
    counts.into_iter().map(|(hash, (count, _))| (hash, count)).filter(|(_, count)| *count > 1).collect()
}

pub(super) struct Reader<'r, 'p, 'd> {
    of: &'r ThreadPage<'p, 'd>,
    pub divided: Division,
    repeated: HashMap<u64, u32>,
    code: Vec<u32>,
    pub title: String,
    pub parts: Vec<Part>,
}

impl<'r, 'p, 'd> Reader<'r, 'p, 'd> {
    pub(super) fn new(of: &'r ThreadPage<'p, 'd>, divided: Division) -> Self {
        Reader {
            of,
            repeated: repeated(of.page, &divided.items),
            code: code_containers(of.page),
            title: of.headline.map(bare).unwrap_or_default(),
            divided,
            parts: vec![Part::None; of.page.blocks.len()],
        }
    }

    /// What stands between the title and the first alike post, if it is chosen.
    fn lead(&self) -> Option<(u32, u32)> {
        let page = self.of.page;
        let end = self.divided.items.first().map_or(page.blocks.len() as u32, |item| item.0);
        let chosen = |i: &u32| self.of.chosen[*i as usize] && !self.is_frame(*i);
        let titled =
            |i: &u32| !self.title.is_empty() && bare(page.text_of(&page.blocks[*i as usize])) == self.title;
        let start = match (0..end).rev().find(titled) {
            Some(at) => at + 1,
            None => (0..end).find(chosen)?.saturating_sub(BEFORE),
        };
        let last = (start..end).rev().find(chosen)?;
        // What follows the last chosen block of a page without alike posts is of none.
        let end = if self.divided.items.is_empty() { (last + 1 + BEFORE).min(end) } else { end };
        Some((start, end))
    }

    /// Whether a block is around posts rather than of one.
    fn is_frame(&self, i: u32) -> bool {
        let page = self.of.page;
        let block = &page.blocks[i as usize];
        let count = self.repeated.get(&block.hash).copied().unwrap_or(0);
        let is_heading = heading(page.containers[block.container as usize].tag).is_some();
        let linked = block.counts.link_density() > 0.8;
        let often = count >= MIN_REPEATS && count as usize * 4 >= self.divided.items.len();
        let repeats = block.counts.units <= MAX_REPEATED && (often || count > 1 && (is_heading || linked));
        self.divided.frame[i as usize] || repeats || is_heading && self.is_title(i)
    }

    fn is_title(&self, i: u32) -> bool {
        let text = self.of.page.text_of(&self.of.page.blocks[i as usize]);
        !self.title.is_empty()
            && text.len() <= 2 * self.title.len() + 40
            && bare(text).strip_suffix(self.title.as_str()).is_some_and(|re| re.len() <= 4)
    }

    fn is_code(&self, i: u32) -> bool {
        self.code[self.of.page.blocks[i as usize].container as usize] != NONE
    }

    /// The elements around a block that hold nothing but blocks of `range`, the innermost first.
    fn inside(&self, i: u32, range: (u32, u32)) -> impl Iterator<Item = u32> + '_ {
        let containers = &self.of.page.containers;
        let mut next = Some(self.of.page.blocks[i as usize].container);
        let within = std::iter::from_fn(move || {
            let at = next?;
            let it = &containers[at as usize];
            if it.first < range.0 || it.end > range.1 || at == 0 {
                return None;
            }
            next = Some(it.parent);
            Some(at)
        });
        within.take(MAX_UP)
    }

    /// The outermost element of a quote around a block, if words of the post stand beside it.
    fn quote(&self, i: u32, range: (u32, u32)) -> Option<u32> {
        let containers = &self.of.page.containers;
        let is_quote = |at: &u32| {
            let it = &containers[*at as usize];
            let named = |class: &str| class.to_ascii_lowercase().contains("quote");
            it.tag == Tag::Blockquote || self.of.dom.attr(it.node, "class").is_some_and(named)
        };
        let beside = |at: &u32| {
            let it = &containers[*at as usize];
            let around = &containers[it.wider as usize];
            let (first, end) = (around.first.max(range.0), around.end.min(range.1));
            (first..it.first)
                .chain(it.end..end)
                .take(2 * MAX_UP)
                .any(|j| !self.is_frame(j) && !self.is_code(j))
        };
        self.inside(i, range).filter(|at| is_quote(at) && beside(at)).last()
    }

    /// Whether a block is in an element of the post that is named after its author: a card, a signature.
    fn is_of_user(&self, i: u32, range: (u32, u32), body: u32) -> bool {
        let containers = &self.of.page.containers;
        self.inside(i, range).any(|at| {
            let it = &containers[at as usize];
            it.distance[Kind::User as usize] == 0 && !(it.first..it.end).contains(&body)
        })
    }

    /// Tells the parts of all posts; those that have a body.
    pub(super) fn read_all(&mut self, ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let found: Vec<Option<u32>> = ranges.iter().map(|range| self.body(*range)).collect();
        // Posts say what they say in the same place.
        let mut places: HashMap<(u64, u64), u32> = HashMap::new();
        found.iter().flatten().for_each(|&body| *places.entry(self.place(body)).or_default() += 1);
        let usual = places.into_iter().max_by_key(|&(place, count)| (count, place));
        let usual = usual.filter(|(_, count)| *count > 1 && *count as usize * 2 > ranges.len());
        let mut kept = Vec::with_capacity(ranges.len());
        for (&range, body) in ranges.iter().zip(found) {
            let there = usual.and_then(|(place, _)| self.longest(range, &|i| self.place(i) == place));
            let body = body.filter(|&body| self.of.chosen[body as usize] && !self.is_frame(body));
            if let Some(body) = body.or(there).or_else(|| self.body(range)) {
                self.read(range, body);
                kept.push(range);
            }
        }
        kept
    }

    /// Equal for blocks in elements of equal names.
    fn place(&self, i: u32) -> (u64, u64) {
        let containers = &self.of.page.containers;
        let it = &containers[self.of.page.blocks[i as usize].container as usize];
        (it.signature, containers[it.parent as usize].signature)
    }

    /// The longest block of a post that fits and is not quoted.
    fn longest(&self, range: (u32, u32), fits: &dyn Fn(u32) -> bool) -> Option<u32> {
        let units = |i: &u32| self.of.page.blocks[*i as usize].counts.units;
        let of = (range.0..range.1).filter(|&i| fits(i) && self.quote(i, range).is_none());
        of.rev().max_by(|a, b| units(a).total_cmp(&units(b)))
    }

    /// The block that says most of a post.
    fn body(&self, range: (u32, u32)) -> Option<u32> {
        let chosen = |i: u32| self.of.chosen[i as usize];
        let wordy = |i: u32| {
            let counts = &self.of.page.blocks[i as usize].counts;
            counts.units > 0.0 && counts.letters + counts.marks > 0 && counts.link_density() < 0.8
        };
        self.longest(range, &|i| chosen(i) && !self.is_frame(i))
            .or_else(|| self.longest(range, &chosen))
            .or_else(|| self.longest(range, &|i| !self.is_frame(i) && wordy(i)))
    }

    /// Tells the parts of a post by its longest block.
    fn read(&mut self, range: (u32, u32), body: u32) {
        let blocks = &self.of.page.blocks;
        let quotes: Vec<bool> = (range.0..range.1).map(|i| self.quote(i, range).is_some()).collect();
        let in_quote = |i: u32| quotes[(i - range.0) as usize];
        let chosen = |i: u32| self.of.chosen[i as usize];
        let clean = |i: u32| {
            let p = &self.of.page.containers;
            let place = |i: u32| &p[blocks[i as usize].container as usize];
            let twin = place(i).parent == place(body).parent && place(i).tag == place(body).tag;
            let own = chosen(i) || twin || blocks[i as usize].ends_sentence;
            in_quote(i) || self.is_code(i) || own && !self.is_frame(i)
        };
        let mut region = (body, body + 1);
        for at in self.inside(body, range) {
            let it = &self.of.page.containers[at as usize];
            let wider = (it.first..region.0).chain(region.1..it.end);
            if (it.first, it.end) == range && !self.is_whole(range) || !wider.into_iter().all(clean) {
                break;
            }
            region = (it.first, it.end);
        }
        let parts: Vec<Part> = (range.0..range.1)
            .map(|i| match i {
                _ if in_quote(i) => Part::Quote,
                _ if (region.0..region.1).contains(&i) => Part::Body,
                _ if chosen(i) && !self.is_frame(i) && !self.is_of_user(i, range, body) => Part::Body,
                _ => Part::Frame,
            })
            .collect();
        self.parts[range.0 as usize..range.1 as usize].copy_from_slice(&parts);
    }

    /// Whether nothing of a post is a byline.
    fn is_whole(&self, range: (u32, u32)) -> bool {
        (range.0..range.1).all(|i| !self.divided.frame[i as usize])
    }

    fn written(self, mut ranges: Vec<(u32, u32)>, found: Vec<Bylines>, has_lead: bool) -> Thread {
        let mut out = Thread { parts: self.parts.clone(), ..Thread::default() };
        let mut room = Room::default();
        let asked = self.is_question(&ranges);
        let mut kept = Vec::with_capacity(ranges.len());
        for (at, (range, byline)) in ranges.drain(..).zip(found).enumerate() {
            // Words above a thread that nobody signs are no post.
            if at == 0 && has_lead && byline.author.is_none() && !byline.dated {
                self.forget(&mut out.parts, range);
                continue;
            }
            out.dated |= byline.dated;
            let kind = if asked && !kept.is_empty() { PostKind::Answer } else { PostKind::Post };
            let mut post = Post { kind, author: byline.author, date: byline.date, ..Post::default() };
            self.fill(&mut post, range);
            let bytes = post.text.len() + post.quotes.iter().map(String::len).sum::<usize>();
            if !room.has_post_of(bytes) {
                self.forget(&mut out.parts, range);
                continue;
            }
            out.posts.push(post);
            kept.push(range);
        }
        let is_body = |i: &u32| out.parts[*i as usize] == Part::Body;
        let body = |&(first, end): &(u32, u32)| {
            ((first..end).find(is_body).unwrap_or(first), (first..end).rfind(is_body).unwrap_or(first))
        };
        out.bodies = kept.iter().map(body).collect();
        out.ranges = kept;
        out.left_out = room.left_out;
        out
    }

    fn forget(&self, parts: &mut [Part], range: (u32, u32)) {
        parts[range.0 as usize..range.1 as usize].fill(Part::None);
    }

    /// Whether posts behind the first are named as answers.
    fn is_question(&self, ranges: &[(u32, u32)]) -> bool {
        let page = self.of.page;
        let named = |range: &(u32, u32)| {
            (range.0..range.1).any(|i| {
                let text = page.text_of(&page.blocks[i as usize]);
                self.parts[i as usize] == Part::Frame && text.len() < 80 && says_answered(text)
            })
        };
        let named = ranges.iter().skip(1).filter(|range| named(range)).count();
        named > 0 && named * 2 >= ranges.len() - 1
    }

    pub(super) fn fill(&self, post: &mut Post, range: (u32, u32)) {
        let page = self.of.page;
        let mut quote = NONE;
        for i in range.0..range.1 {
            let block = &page.blocks[i as usize];
            let code = self.is_code(i);
            let text = if code { page.indented_text_of(block) } else { page.text_of(block) };
            match self.parts[i as usize] {
                Part::Body => post.add_line(text),
                Part::Quote => {
                    let around = self.quote(i, range).unwrap_or(NONE);
                    match post.quotes.last_mut().filter(|_| quote == around) {
                        Some(last) => {
                            last.push('\n');
                            last.push_str(text);
                        }
                        None => post.quotes.push(text.to_owned()),
                    }
                    quote = around;
                }
                Part::Frame | Part::None => {}
            }
        }
    }
}

/// Whether a byline says that a post is an answer.
fn says_answered(text: &str) -> bool {
    const ANSWERED: [&str; 9] =
        ["answered", "beantwortet", "répondu", "respondió", "respondeu", "ответ", "回答", "解答", "답변"];
    let lower = text.to_lowercase();
    ANSWERED.iter().any(|word| lower.contains(word))
}
