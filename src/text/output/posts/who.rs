//! Who wrote the posts of a thread, and when.
//!
//! **Definition.** Posts of one thread are marked up alike, so the name of the author stands in the same place of each: of all
//! places, told by the elements around them, the one that holds a possible name in most posts, not the same one in all, with
//! the names of elements and links to members' pages as evidence. The same for dates, without those of members' cards and
//! of edits. A post that has nothing there takes the next best place. Dates of numbers are read by the order that the dates
//! of the thread prove.
//!
//! **Cost.** Linear in the posts, times [`MAX_INNER`] elements within each block. **Determinism.** Ties go to the place that
//! comes first.

use std::collections::HashMap;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use super::byline::{is_dated, writer};
use super::labels::is_label;
use super::thread::{Part, ThreadPage};
use crate::blocks::class_names::{Kind, kinds_of};
use crate::blocks::page::{Block, Mark};
use crate::comparison::bare;
use webmill_capture::cut::Cut;
use webmill_html::{DateOrder, NodeId, Tag, find_date, find_date_at, proven_order};
use xxhash_rust::xxh3::Xxh3;

/// Elements within a block that are looked at.
const MAX_INNER: usize = 40;
/// Blocks of an element whose attributes may state a date.
const MAX_ALONE: u32 = 4;
/// Bytes and words of a member's name.
const MAX_NAME: usize = 60;
const MAX_WORDS: usize = 4;
/// Bytes of a line that may hold a date.
const MAX_LINE: usize = 200;
/// Candidates for one post.
const MAX_CANDIDATES: usize = 120;
/// Places of less score hold no names.
const LEAST: f32 = 0.35;
/// Score of a place that only one post has.
const ALONE: f32 = 0.25;

/// What bylines say before a date.
const VERBS: [&str; 12] = [
    "submitted",
    "posted",
    "asked",
    "answered",
    "started",
    "created",
    "commented",
    "提交于",
    "发表于",
    "发表於",
    "回答于",
    "提问于",
];

/// Who and when.
#[derive(Clone, Default, Debug)]
pub(super) struct Bylines {
    pub author: Option<String>,
    pub date: Option<String>,
    /// Whether there is a date at all, certain or not.
    pub dated: bool,
}

/// What may be the name of an author or a date.
struct Candidate {
    post: usize,
    place: u64,
    order: usize,
    text: String,
    bonus: f32,
}

/// The bylines of the posts in `ranges`; with `lead`, the first is marked up unlike the others.
pub(super) fn bylines(
    of: &ThreadPage<'_, '_>,
    ranges: &[(u32, u32)],
    parts: &[Part],
    cards: &[bool],
    title: &str,
    lead: bool,
) -> Vec<Bylines> {
    let mut reader = Collector { of, parts, cards, title, names: Vec::new(), dates: Vec::new() };
    for (post, range) in ranges.iter().enumerate() {
        reader.collect(post, *range);
    }
    let alike = usize::from(lead);
    let names = best(&reader.names, ranges.len(), alike);
    let dates = best(&reader.dates, ranges.len(), alike);
    let mut order = of.context.order;
    if order == DateOrder::Undecided {
        let mut proven = dates.iter().flatten().map(|text| proven_order(text));
        order = proven.find(|order| *order != DateOrder::Undecided).unwrap_or(order);
    }
    names
        .into_iter()
        .zip(dates)
        .map(|(author, date)| Bylines {
            author,
            dated: date.is_some(),
            date: date.and_then(|text| Some(with_clock(&text, find_date(&text, order)?.certain()?))),
        })
        .collect()
}

/// A day with the time of the day that its text shows, unless it has one: `14 Mar 2009, 10:01 PM`.
fn with_clock(text: &str, date: String) -> String {
    if date.len() != 10 {
        return date;
    }
    let digits = |text: &str| text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let mut from = 0;
    while let Some(at) = text.cut(from..).find(':').map(|at| from + at) {
        from = at + 1;
        let (before, behind) = (text.cut(..at), text.cut(from..));
        let minute: String = behind.chars().take(2).take_while(char::is_ascii_digit).collect();
        let hour = before.cut(before.len() - digits(before).min(3)..).parse::<u32>();
        let (Ok(hour), Ok(minute), 2) = (hour, minute.parse::<u32>(), minute.len()) else { continue };
        let end =
            behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':').trim_start().to_lowercase();
        let hour = match () {
            () if end.starts_with("pm") && hour < 12 => hour + 12,
            () if end.starts_with("am") && hour == 12 => 0,
            () => hour,
        };
        if hour < 24 && minute < 60 {
            return format!("{date}T{hour:02}:{minute:02}:00");
        }
    }
    date
}

/// The text of the best place in each post; posts before `alike` are judged by themselves.
fn best(all: &[Candidate], posts: usize, alike: usize) -> Vec<Option<String>> {
    struct Place<'c> {
        posts: usize,
        distinct: HashSet<&'c str>,
        bonus: f32,
        order: usize,
    }
    let mut places: HashMap<u64, Place<'_>> = HashMap::new();
    for it in all.iter().filter(|it| it.post >= alike) {
        let place = places.entry(it.place).or_insert(Place {
            posts: 0,
            distinct: HashSet::new(),
            bonus: it.bonus,
            order: it.order,
        });
        place.posts += 1;
        place.distinct.insert(&it.text);
    }
    let count = posts.saturating_sub(alike).max(1);
    let score = |it: &Candidate| {
        let place = places.get(&it.place);
        let Some(place) = place.filter(|_| it.post >= alike) else {
            let shared = if place.is_some() { 0.1 } else { 0.0 };
            return it.bonus + ALONE + shared - 0.02 * it.order.min(20) as f32;
        };
        let share = place.posts as f32 / count as f32;
        let distinct = place.distinct.len() as f32 / place.posts as f32;
        let constant = match (place.distinct.len(), place.posts) {
            (1, 2) => 0.5,
            (1, 3..) => 1.0,
            _ => 0.0,
        };
        place.bonus + share + 0.4 * (3.0 * distinct).min(1.0) - constant - 0.02 * place.order.min(20) as f32
    };
    let mut out: Vec<Option<(f32, &Candidate)>> = vec![None; posts];
    for it in all {
        let own = score(it);
        let known = &mut out[it.post];
        if own >= LEAST && known.is_none_or(|(best, _)| own > best + 1e-6) {
            *known = Some((own, it));
        }
    }
    out.into_iter().map(|found| found.map(|(_, it)| it.text.clone())).collect()
}

struct Collector<'r, 'p, 'd> {
    of: &'r ThreadPage<'p, 'd>,
    parts: &'r [Part],
    cards: &'r [bool],
    title: &'r str,
    names: Vec<Candidate>,
    dates: Vec<Candidate>,
}

impl Collector<'_, '_, '_> {
    fn collect(&mut self, post: usize, range: (u32, u32)) {
        let page = self.of.page;
        let mut seen: HashMap<u64, u32> = HashMap::new();
        let mut walked: HashSet<NodeId> = HashSet::new();
        let (from_names, from_dates) = (self.names.len(), self.dates.len());
        for i in range.0..range.1 {
            if self.parts[i as usize] != Part::Frame
                || self.names.len() - from_names + self.dates.len() - from_dates > MAX_CANDIDATES
            {
                continue;
            }
            let block = &page.blocks[i as usize];
            let it = &page.containers[block.container as usize];
            let alone = it.end - it.first <= MAX_ALONE
                && it.first >= range.0
                && it.end <= range.1
                && (it.first..it.end).all(|j| self.parts[j as usize] == Part::Frame);
            let dated = page.text_of(block).len() <= MAX_LINE && is_dated(page.text_of(block));
            let mut nodes: Vec<NodeId> = Vec::new();
            if alone && it.end - it.first == 1 {
                nodes.push(it.node);
                let inner = self.of.dom.descendants(it.node).filter(|n| self.of.dom.is_element(*n));
                nodes.extend(inner.take(MAX_INNER));
            } else {
                let events = page.events.get(block.events.0 as usize..block.events.1 as usize);
                let opened = events.unwrap_or_default().iter().filter(|e| matches!(e.mark, Mark::Open(_)));
                nodes.extend(opened.map(|event| event.node).take(MAX_INNER));
            }
            for node in nodes {
                if walked.insert(node) {
                    self.add_name(post, node, dated, &mut seen);
                }
            }
            let one_line = !page.text_of(block).contains('\n');
            if dated
                && one_line
                && let Some(name) = writer(page.text_of(block), DateOrder::Undecided)
            {
                self.push_name(post, self.place_of(it.node) ^ 1, &name, -0.1);
            }
            self.add_dates(post, i, block, alone.then_some(it.node));
        }
    }

    /// The place of an element: its names and those of the two around it.
    fn place_of(&self, node: NodeId) -> u64 {
        let dom = self.of.dom;
        let mut hasher = Xxh3::new();
        for n in std::iter::once(node).chain(dom.ancestors(node)).take(3) {
            (dom.tag(n) as u32).hash(&mut hasher);
            // Only letters: numbers count the posts.
            let class = dom.attr(n, "class").unwrap_or_default();
            class.bytes().take(80).filter(|b| !b.is_ascii_digit()).for_each(|b| b.hash(&mut hasher));
        }
        hasher.finish()
    }

    fn add_name(&mut self, post: usize, node: NodeId, dated: bool, seen: &mut HashMap<u64, u32>) {
        let dom = self.of.dom;
        let Some(text) = short_text(self.of, node) else { return };
        let place = self.place_of(node);
        let nth = seen.entry(place).or_default();
        *nth += 1;
        let place = place.wrapping_add(u64::from(*nth) << 8);
        let named = |n: NodeId| {
            let names = ["class", "id", "itemprop", "rel"].into_iter().filter_map(|name| dom.attr(n, name));
            let bonuses = names.flat_map(str::split_ascii_whitespace).take(12).map(name_bonus);
            bonuses.fold(0.0f32, |most, bonus| if bonus.abs() > most.abs() { bonus } else { most })
        };
        let own = named(node);
        let around = dom.parent(node).map_or(0.0, named);
        let mut bonus = if own != 0.0 { own } else { 0.6 * around };
        if dom.tag(node) == Tag::A {
            bonus += 0.15;
            bonus += if dom.attr(node, "href").is_some_and(is_member_page) { 0.3 } else { 0.0 };
            bonus += if dated { 0.2 } else { 0.0 };
        }
        self.push_name(post, place, &text, bonus);
    }

    fn push_name(&mut self, post: usize, place: u64, text: &str, bonus: f32) {
        let name = text.trim_matches(|c: char| c.is_whitespace() || ":：,，|»›·–—".contains(c));
        if is_handle(name) && bare(name) != self.title {
            let order = self.names.iter().rev().take_while(|it| it.post == post).count();
            self.names.push(Candidate { post, place, order, text: name.to_owned(), bonus });
        }
    }

    fn add_dates(&mut self, post: usize, i: u32, block: &Block, node: Option<NodeId>) {
        let page = self.of.page;
        let around = page.containers[block.container as usize].node;
        let behind_card = i > 0 && self.cards[i as usize - 1] && self.parts[i as usize - 1] == Part::Frame;
        let text = page.text_of(block);
        for (n, line) in (0u64..).zip(text.split('\n').take(8)) {
            let line = line.cut(..line.floor_char_boundary(MAX_LINE));
            let found = find_date_at(line, DateOrder::Undecided);
            let ago = found.is_none() && is_ago(line);
            let stated = node.filter(|_| !ago).and_then(|node| stated_date(self.of, node));
            if found.is_none() && stated.is_none() && !ago {
                continue;
            }
            let before = line.cut(..found.as_ref().map_or(0, |(at, _)| *at)).trim();
            if is_other_date(before)
                || before.is_empty() && is_other_date(line)
                || behind_card && before.is_empty()
            {
                continue;
            }
            let is_certain = found.is_some_and(|(_, date)| date.certain().is_some());
            let named = block.inline_kinds & Kind::Byline.bit() != 0
                || page.containers[block.container as usize].distance[Kind::Byline as usize] <= 1;
            let order = self.dates.iter().rev().take_while(|it| it.post == post).count();
            let text = match stated {
                Some(stated) if !is_certain => stated,
                _ => line.to_owned(),
            };
            let bonus = if named { 0.4 } else { 0.2 };
            self.dates.push(Candidate { post, place: self.place_of(around) ^ n, order, text, bonus });
        }
    }
}

/// What the name of an element says for or against its text being the name of an author.
fn name_bonus(name: &str) -> f32 {
    const AUTHORS: [&str; 9] =
        ["author", "username", "user-name", "creator", "nickname", "poster", "hnuser", "name", "handle"];
    const OTHERS: [&str; 9] =
        ["title", "rank", "role", "group", "quote", "button", "tags", "subject", "badge"];
    let lower = name.cut(..name.floor_char_boundary(40)).to_ascii_lowercase();
    let has = |list: &[&str]| list.iter().any(|word| lower.contains(word));
    match (has(&OTHERS), has(&AUTHORS) || kinds_of(&lower) & Kind::User.bit() != 0) {
        (true, _) => -0.5,
        (_, true) => 0.5,
        _ => 0.0,
    }
}

/// Whether an address is that of a member: `/u1`, `/user/ann`, `memberlist.php?mode=viewprofile`, `space-uid-12.html`.
fn is_member_page(href: &str) -> bool {
    const MEMBER: [&str; 9] =
        ["/user", "/member", "/profile", "/people/", "/u/", "uid", "viewprofile", "/author", "home/main"];
    let lower = href.cut(..href.floor_char_boundary(120)).to_ascii_lowercase();
    MEMBER.iter().any(|word| lower.contains(word))
        || lower.starts_with("/u") && lower.ends_with(|c: char| c.is_ascii_digit())
}

/// The text of an element, if it is short.
fn short_text(of: &ThreadPage<'_, '_>, node: NodeId) -> Option<String> {
    let dom = of.dom;
    let mut text = String::new();
    for n in dom.descendants(node).take(16) {
        if dom.is_text(n) {
            text.push_str(dom.text(n));
        }
        if text.len() > 4 * MAX_NAME {
            return None;
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(words.join(" "))
}

/// Whether a text may be the name that a member goes by.
fn is_handle(name: &str) -> bool {
    let bare = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let counts =
        bare.len() < name.len() && (bare.starts_with(char::is_whitespace) || bare.chars().count() < 2);
    !name.is_empty()
        && name.len() <= MAX_NAME
        && name.split_whitespace().count() <= MAX_WORDS
        && name.contains(char::is_alphabetic)
        && name.starts_with(|c: char| c.is_alphanumeric() || "_-.~^*[(".contains(c))
        && !counts
        && !name.contains(['!', '?', '。', '！', '？', '，', '：', '…', '|', '\u{a0}'])
        && !is_label(name)
        && !VERBS.contains(&name.to_lowercase().as_str())
        && !is_ago(name)
        && find_date(name, DateOrder::Undecided).is_none()
}

/// Whether a text tells how long ago something was.
fn is_ago(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = || lower.split_whitespace();
    words().any(|word| matches!(word.trim_matches(','), "ago" | "yesterday" | "today" | "назад"))
        || ["天前", "小时前", "小時前", "分钟前", "分鐘前", "个月前", "年前", "昨天", "刚刚"]
            .iter()
            .any(|ago| lower.contains(ago))
}

/// Whether words before a date say that it is of something else than the post.
fn is_other_date(before: &str) -> bool {
    const OTHERS: [&str; 16] = [
        "join",
        "regist",
        "member since",
        "edit",
        "last ",
        "modified",
        "updated",
        "注册",
        "註冊",
        "加入",
        "编辑",
        "編輯",
        "修改",
        "登録",
        "Регистр",
        "регистр",
    ];
    let lower = before.to_lowercase();
    OTHERS.iter().any(|word| lower.contains(word))
}

/// The date that an element or one within it states in an attribute.
fn stated_date(of: &ThreadPage<'_, '_>, node: NodeId) -> Option<String> {
    let dom = of.dom;
    let inner = std::iter::once(node).chain(dom.descendants(node)).filter(|n| dom.is_element(*n));
    inner.take(MAX_INNER).find_map(|n| {
        let stated = ["datetime", "title"].into_iter().filter_map(|name| dom.attr(n, name));
        let mut stated =
            stated.filter(|date| date.len() <= MAX_LINE && find_date(date, of.context.order).is_some());
        stated.next().map(str::to_owned)
    })
}
