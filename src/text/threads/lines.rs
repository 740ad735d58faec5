//! What each line of a page could be in a thread of comments.

use super::phrases::{
    AGO, BOARD, CARD, CLOSER, MAX_LINE, NOUN, OPENER, POSTED, SAID, TOOL, counted, ends_said, said_in,
};
use crate::blocks::class_names::Kind;
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, FAR, Page};
use webmill_capture::cut::Cut;
use webmill_html::{DateOrder, WrittenDate, find_date};

/// Words of a byline at most.
const MAX_BYLINE_UNITS: f32 = 24.0;
/// Words on the lines below a byline at least.
const MIN_UNDER: usize = 3;
/// Words of a heading over comments at most.
const MAX_OPENER_UNITS: f32 = 30.0;
/// Words of a button that is no link at most.
const MAX_BARE_UNITS: f32 = 3.0;
/// Words of a line of buttons at most.
const MAX_TOOL_UNITS: f32 = 6.0;
/// Words of an invitation to comment at most, where it is no heading.
const MAX_CLOSER_UNITS: f32 = 12.0;
/// Bytes in front of a comment that may be its byline, where both are one block.
const MAX_HEAD: usize = 90;

/// What a line could be.
#[derive(Clone, Default, Debug)]
pub(super) struct Line {
    /// A date or a time of the day, in a short line.
    pub stamped: bool,
    /// A time of the day.
    pub clock: bool,
    /// Says that someone said what follows.
    pub said: bool,
    /// Says that someone put something here.
    pub posted: bool,
    /// Byline and text in one.
    pub long: bool,
    pub opener: bool,
    /// Names comments and a number.
    pub counting: bool,
    /// The number that an opener tells.
    pub count: Option<u32>,
    pub closer: bool,
    pub tool: bool,
    /// Of the card of a board's member.
    pub card: bool,
    /// Of the text around the posts of a board.
    pub board: bool,
    pub heading: bool,
    /// ISO 8601, the month first where both are possible.
    pub date: Option<String>,
}

impl Line {
    /// Whether it could be the byline of a comment.
    pub(super) fn is_byline(&self) -> bool {
        (self.stamped || self.said) && !self.opener
    }

    pub(super) fn new(page: &Page, block: &Block, order: DateOrder) -> Line {
        let text = page.text_of(block);
        let counts = &block.counts;
        let heading = heading(page.containers[block.container as usize].tag).is_some();
        let mut line = Line { heading, ..Line::default() };
        if counts.units > MAX_BYLINE_UNITS || text.len() > MAX_LINE {
            line.read_head(text, order);
            if counts.units > MAX_OPENER_UNITS || !heading || text.len() > MAX_LINE {
                return line;
            }
        }
        // A byline and a short comment under it, in one block.
        if text.split_once('\n').is_some_and(|(_, rest)| rest.split_whitespace().count() >= MIN_UNDER) {
            line.read_head(text, order);
            if line.long {
                return line;
            }
        }
        let bits = said_in(text);
        line.read_date(text, counts.digits, bits, order);
        let linked = counts.link_units > 0.7 * counts.units;
        line.closer = bits & CLOSER != 0 && (heading || counts.units <= MAX_CLOSER_UNITS);
        line.card = bits & CARD != 0 && counts.units <= 6.0;
        line.board = bits & BOARD != 0 && counts.units <= 10.0;
        let most = if linked { MAX_TOOL_UNITS } else { MAX_BARE_UNITS };
        line.tool = bits & TOOL != 0 && counts.units <= most && !heading;
        let value = text.split_once([':', '：']).is_some_and(|(_, rest)| rest.contains(char::is_alphabetic));
        let bare = counts.units <= 3.5 && (heading || !linked && !value);
        let number = counted(text);
        let counting = number.is_some() && counts.units <= 6.0 && (heading || !linked) && line.date.is_none();
        let begins = || said_in(text.cut(..text.floor_char_boundary(30))) & (NOUN | OPENER) != 0;
        let told = bits & OPENER != 0
            && (heading || counts.units <= 12.0 && !linked && !block.ends_sentence && begins());
        let noun = bits & NOUN != 0;
        line.counting = (noun || bits & CLOSER != 0) && number.is_some();
        let replies = line.tool && !heading && number.is_none();
        let says = told && (noun || !linked) || noun && (bare || counting || heading && counts.units <= 8.0);
        line.opener = says && !line.closer && !replies && (heading || line.date.is_none());
        line.count = if line.opener { number } else { None };
        let ends = || ends_said(text);
        line.said = bits & SAID != 0 && (line.stamped || block.ends_colon || ends() || is_floor(text))
            || line.stamped && is_floor(text);
        line.posted = bits & POSTED != 0;
        if line.said && !line.stamped && (counts.units > 12.0 || counts.stops > 4) {
            line.said = false;
        }
        if block.ends_sentence && counts.units > 10.0 && !line.clock && !line.posted && !ends() {
            // A sentence with a date in it.
            line.stamped = false;
            line.said = false;
        }
        let quoted = page.containers[block.container as usize].distance[Kind::QuoteTag as usize] < FAR;
        line.stamped &= !quoted;
        line.said &= !quoted;
        line
    }

    fn read_date(&mut self, text: &str, digits: u32, bits: u64, order: DateOrder) {
        if digits >= 3 {
            self.date = iso(text, order);
            self.clock = has_clock(text);
        }
        let ago = bits & AGO != 0 && (digits > 0 || text.len() < 24);
        self.stamped = self.date.is_some() || self.clock || ago;
    }

    /// A byline at the beginning of a longer block.
    fn read_head(&mut self, text: &str, order: DateOrder) {
        let head = text.cut(..text.floor_char_boundary(MAX_HEAD));
        let digits = head.bytes().filter(u8::is_ascii_digit).count() as u32;
        if digits < 3 && !head.contains(':') && !head.contains('：') {
            return;
        }
        let bits = said_in(head);
        self.read_date(head, digits, 0, order);
        let said =
            bits & SAID != 0 && head.split_once([':', '：']).is_some_and(|(before, _)| ends_said(before));
        self.said = said;
        self.posted = bits & POSTED != 0;
        self.long = true;
        self.stamped = self.date.is_some() && self.clock;
        if !(self.said || self.stamped) {
            *self = Line { heading: self.heading, ..Line::default() };
        }
    }
}

/// The first date in a text; before 1990 nobody commented on pages.
fn iso(text: &str, order: DateOrder) -> Option<String> {
    let date = match find_date(text, order)? {
        WrittenDate::Certain(date) | WrittenDate::Ambiguous { month_first: date, .. } => date,
    };
    (date.as_str() >= "1990").then_some(date)
}

/// Whether a text holds a time of the day: `8:29`, `20:05:01`, `8.29 pm`.
fn has_clock(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(i, &b)| {
        b == b':'
            && i > 0
            && bytes[i - 1].is_ascii_digit()
            && bytes.get(i + 1..i + 3).is_some_and(|next| next.iter().all(u8::is_ascii_digit))
            && !bytes.get(i + 3).is_some_and(u8::is_ascii_digit)
    })
}

/// Whether a text counts the posts: `3楼`, `第12樓`, `12F`.
fn is_floor(text: &str) -> bool {
    ["楼", "樓", "层", "번째"].iter().any(|floor| {
        text.find(floor).is_some_and(|at| text.cut(..at).ends_with(|c: char| c.is_ascii_digit()))
    }) || ["沙发", "板凳", "地板"].contains(&text.trim())
}
