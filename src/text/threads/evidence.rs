//! How surely a run of alike items is a thread of readers' comments.
//!
//! **Definition.** A sum of weighed facts, turned into a strength between 0 and 1 by the logistic function. For a thread
//! speak: a heading over comments in front, the more if its number is that of the items; lines that say that someone said
//! something; times of the day; dates in order, and later than the article's; buttons to reply; an invitation to comment or
//! a form behind; addresses such as `#c1234`; names of elements. Against it: headings and links in the items, which lists of
//! articles have; long items; names of menus and side bars; nothing but dates. Cost: linear in the blocks of the run.

use super::PageContext;
use super::lines::Line;
use super::runs::{Bounds, Run, is_body};
use super::tree::upwards;
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Event, FAR, Mark, Page};
use webmill_html::{Dom, NodeId};

/// Items whose addresses are read.
const MAX_ADDRESSED: usize = 40;
/// Links read in an item.
const MAX_LINKS: usize = 12;
/// Elements around a byline whose ids are read.
const MAX_ID_STEPS: usize = 4;
/// Blocks behind a run in which an invitation to comment is looked for.
const CLOSER_REACH: u32 = 12;

/// Words of an item that articles have and comments hardly ever.
const GIANT: f32 = 300.0;

/// Blocks before a run in which an invitation to comment may stand, over the thread.
const CLOSER_BEFORE: u32 = 3;

/// What speaks for and against a thread.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Evidence {
    pub items: f32,
    /// Shares of the items: with a saying, a time of the day, a button to reply, an address of a comment, a name of one.
    pub said: f32,
    pub clock: f32,
    pub tools: f32,
    pub ids: f32,
    pub named: f32,
    /// Shares with a heading that is no byline, and that are mostly links.
    pub headed: f32,
    pub linked: f32,
    /// Share of the items with a date or time.
    pub stamped: f32,
    /// Share of the items that count their comments, as teasers do.
    pub counting: f32,
    /// Share of the items with a member's card, and whether the page is around posts of a board.
    pub cards: f32,
    pub board: bool,
    /// The first item is numbered as the first.
    pub numbered: bool,
    /// An element named after comments is around all items.
    pub around: bool,
    /// Shares that have a text at all, and byline and text in one.
    pub body: f32,
    pub long: f32,
    /// Share of neighbours whose dates are in order, if three or more are dated.
    pub ordered: Option<f32>,
    /// Share of dates that are not before the article's, if that is known.
    pub later: Option<f32>,
    pub opener: bool,
    /// The opener tells the number of items.
    pub counted: bool,
    pub closer: bool,
    /// Inside an element named after a menu, a side bar or related articles.
    pub aside: bool,
    /// Share of the items of an article's length.
    pub giant: f32,
    /// Mean words of an item.
    pub units: f32,
    /// Words of prose in front of the run.
    pub prose: f32,
}

impl Evidence {
    /// The strength of a thread.
    pub(super) fn strength(&self) -> f32 {
        let flag = |is: bool| f32::from(u8::from(is));
        let told = self.said + self.tools + self.ids + self.named + flag(self.opener) + flag(self.closer);
        let sum = -2.6
            + 0.5 * self.items.max(1.0).log2().min(4.0)
            + 1.8 * self.said
            + 0.8 * self.clock
            + 1.3 * self.tools
            + 2.4 * self.ids
            + 2.0 * self.named
            + 2.2 * flag(self.opener)
            + 1.0 * flag(self.counted)
            + 0.8 * flag(self.closer)
            + self.ordered.map_or(0.0, |share| 1.0 * (share - 0.5))
            + self.later.map_or(0.0, |share| 1.2 * (share - 0.5))
            - 3.0 * self.headed
            - 2.0 * self.linked
            - 1.5 * flag(self.aside)
            - 1.0 * (1.0 - self.body)
            - 1.5 * self.long * (1.0 - self.said)
            - 1.5 * self.counting
            - 1.5 * flag(told < 0.3)
            // People in stories say something too.
            - 2.5 * flag(self.stamped < 0.3 && self.tools + self.ids + self.named < 0.3 && !self.opener)
            - 3.0 * self.giant
            - 1.0 * flag(self.units > GIANT)
            - 1.5 * flag(self.units > GIANT && self.items < 2.0);
        1.0 / (1.0 + (-sum).exp())
    }

    /// Whether the first item is what the page is about: nothing but it is in front and nothing says comments, or the page is
    /// a board's.
    pub(super) fn includes_first(&self) -> bool {
        let prose = 20f32.max(0.5 * self.units.min(GIANT));
        let alone = self.items < 2.0 && !self.counted;
        let bare = (!self.opener || alone) && self.prose < prose;
        bare && (self.numbered || !self.around && self.ids < 0.5) || self.cards > 0.5 || self.board
    }

    pub(super) fn new(
        page: &Page,
        lines: &[Line],
        bounds: &Bounds,
        run: &Run,
        said: &PageContext<'_>,
        prose: &[f32],
    ) -> Self {
        let mut it = Evidence { items: run.items.len() as f32, ..Evidence::default() };
        let share = 1.0 / it.items.max(1.0);
        for (&range, &anchor) in run.items.iter().zip(&run.anchors) {
            it.add_item(page, lines, range, anchor, share);
        }
        it.units *= share;
        it.read_dates(lines, run, said);
        it.ids = addressed(page, run, said);
        it.around = page.containers[run.root as usize].distance[Kind::Comment as usize] < FAR;
        it.opener = run.opener.is_some();
        let count = run.opener.and_then(|opener| lines[opener as usize].count);
        it.counted = count.is_some_and(|count| {
            let (count, items) = (count as f32, it.items);
            count >= 1.0 && (count - items).abs() <= 1.0f32.max(0.25 * items)
        });
        let (start, end) = (run.items[0].0, run.items[run.items.len() - 1].1);
        let next = bounds.closers.partition_point(|&b| b < end.saturating_sub(2));
        it.closer = bounds.closers.get(next).is_some_and(|&at| at < end + CLOSER_REACH)
            || bounds.closers.iter().any(|&at| at < start && at + CLOSER_BEFORE >= start);
        it.prose = prose[start as usize];
        it.board = bounds.board;
        let (from, to) = run.items[0];
        it.numbered = page.blocks[from as usize..to as usize].iter().any(|block| {
            let text = page.text_of(block);
            text == "#1" || text.starts_with("#1 ") || text.starts_with("1楼") || text.starts_with("1樓")
        });
        it
    }

    fn add_item(&mut self, page: &Page, lines: &[Line], range: (u32, u32), anchor: u32, share: f32) {
        let line = &lines[anchor as usize];
        let (mut units, mut links) = (0.0, 0.0);
        let (mut tool, mut headed, mut body, mut said, mut clock) =
            (false, false, false, line.said, line.clock);
        let (mut stamped, mut counting, mut cards) = (line.stamped, line.counting, 0u32);
        for i in range.0..range.1 {
            let (block, other) = (&page.blocks[i as usize], &lines[i as usize]);
            tool |= other.tool;
            said |= other.said && other.is_byline();
            clock |= other.clock;
            stamped |= other.stamped;
            counting |= other.counting;
            cards += u32::from(other.card);
            // A title that is a link, where the text of a comment would begin.
            let title = i <= range.0 + 1 && i != anchor && block.counts.units >= 4.0;
            headed |= title && block.counts.link_units > 0.8 * block.counts.units && !other.is_byline();
            headed |= other.heading && i != anchor && !other.is_byline() && block.counts.units >= 3.0;
            body |= is_body(page, lines, i) && (i != anchor || line.long);
            units += block.counts.units;
            links += block.counts.link_units;
        }
        let container = &page.containers[page.blocks[anchor as usize].container as usize];
        let kind = |kind: Kind| container.distance[kind as usize] < FAR;
        let inline = page.blocks[anchor as usize].inline_kinds;
        let named = kind(Kind::Comment) || inline & Kind::Comment.bit() != 0;
        let add = |to: &mut f32, is: bool| *to += if is { share } else { 0.0 };
        add(&mut self.said, said);
        add(&mut self.clock, clock);
        add(&mut self.tools, tool);
        add(&mut self.named, named);
        add(&mut self.headed, headed);
        add(&mut self.linked, links > 0.5 * units);
        add(&mut self.body, body);
        add(&mut self.long, line.long);
        add(&mut self.stamped, stamped);
        add(&mut self.counting, counting);
        add(&mut self.cards, cards > 0 && cards >= 2 - u32::from(range.1 - range.0 < 4));
        self.aside |= [Kind::Nav, Kind::Side, Kind::Related, Kind::Footer].into_iter().any(kind) && !named;
        add(&mut self.giant, units > GIANT);
        self.units += units;
    }

    fn read_dates(&mut self, lines: &[Line], run: &Run, said: &PageContext<'_>) {
        let of_item = |(range, anchor): (&(u32, u32), &u32)| {
            let own = &lines[*anchor as usize].date;
            own.as_deref().or_else(|| {
                lines[range.0 as usize..range.1 as usize].iter().find_map(|line| line.date.as_deref())
            })
        };
        let dates: Vec<&str> = run.items.iter().zip(&run.anchors).filter_map(of_item).collect();
        if dates.len() >= 3 {
            let pairs = (dates.len() - 1) as f32;
            let days = |date: &str| date.get(..10).unwrap_or_default().to_string();
            let rising = dates.windows(2).filter(|pair| days(pair[0]) <= days(pair[1])).count() as f32;
            let falling = dates.windows(2).filter(|pair| days(pair[0]) >= days(pair[1])).count() as f32;
            self.ordered = Some(rising.max(falling) / pairs);
        }
        let published = said.published.filter(|date| date.len() >= 10);
        if let Some(published) = published.and_then(|date| date.get(..10)).filter(|_| !dates.is_empty()) {
            let later =
                dates.iter().filter(|date| date.get(..10).is_some_and(|day| day >= published)).count();
            self.later = Some(later as f32 / dates.len() as f32);
        }
    }
}

/// Share of the items that are addressed as comments are.
fn addressed(page: &Page, run: &Run, said: &PageContext<'_>) -> f32 {
    let Some(dom) = said.dom else { return 0.0 };
    let items = run.items.iter().zip(&run.anchors).take(MAX_ADDRESSED);
    let count = items.clone().count().max(1);
    let found = items.filter(|(range, anchor)| {
        let container = page.blocks[**anchor as usize].container;
        let ids = upwards(page, container).take(MAX_ID_STEPS).filter_map(|(_, it)| dom.attr(it.node, "id"));
        let mut links = links(page, **range).take(MAX_LINKS);
        ids.chain(links.by_ref().filter_map(|node| fragment(dom, node))).any(is_comment_id)
    });
    found.count() as f32 / count as f32
}

/// The links in an item.
fn links(page: &Page, range: (u32, u32)) -> impl Iterator<Item = NodeId> + '_ {
    let blocks = &page.blocks[range.0 as usize..range.1 as usize];
    let is_link = |event: &&Event| event.mark == Mark::Open(webmill_html::Tag::A);
    let events = |block: &crate::blocks::page::Block| {
        page.events.get(block.events.0 as usize..block.events.1 as usize).unwrap_or_default()
    };
    blocks.iter().flat_map(events).filter(is_link).map(|event| event.node)
}

/// The fragment that a link points to, or the comment that it replies to.
fn fragment<'d>(dom: &'d Dom<'_>, node: NodeId) -> Option<&'d str> {
    let href = dom.attr(node, "href").or_else(|| dom.attr(node, "name"))?;
    if href.contains("replytocom=") {
        return Some("comment-000");
    }
    Some(href.rsplit_once('#').map_or(href, |(_, fragment)| fragment))
}

/// Whether an id is that of a comment: `c1234`, `comment-123`, `cmt_5`, `li-comment-77399`.
pub(crate) fn is_comment_id(id: &str) -> bool {
    let lower = id.trim_end_matches(|c: char| c.is_ascii_digit() || c == '/');
    let digits = id.len() - lower.len();
    if digits == 0 || id.len() > 80 {
        return false;
    }
    let word = lower.trim_end_matches(['-', '_', ':', '=']);
    let last = word.rsplit(['-', '_', '.', '/']).next().unwrap_or_default().to_ascii_lowercase();
    match last.as_str() {
        "c" | "co" | "com" => digits >= 2,
        "comment" | "comments" | "cmt" | "commentid" | "cid" | "comm" | "kommentar" | "respond" | "reply"
        | "pinglun" | "replyto" | "echo" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_comments() {
        for id in
            ["c1234", "comment-123", "li-comment-77399", "cmt_5", "Comment12", "div-comment-1", "comment-3/"]
        {
            assert!(is_comment_id(id), "{id}");
        }
        for id in ["c1", "post-12", "comment", "p123", "section-3", "abc123", "", "12"] {
            assert!(!is_comment_id(id), "{id}");
        }
    }

    #[test]
    fn facts_change_strength_in_their_direction() {
        let base = Evidence { items: 5.0, body: 1.0, clock: 1.0, units: 30.0, ..Evidence::default() };
        let more = |change: &dyn Fn(&mut Evidence)| {
            let mut it = base.clone();
            change(&mut it);
            it.strength() > base.strength()
        };
        assert!(more(&|it| it.opener = true) && more(&|it| it.said = 1.0) && more(&|it| it.ids = 1.0));
        assert!(!more(&|it| it.headed = 1.0) && !more(&|it| it.linked = 1.0) && !more(&|it| it.aside = true));
        assert!(!more(&|it| it.giant = 0.5));
        assert!(base.strength() > 0.0 && base.strength() < 0.5);
    }
}
