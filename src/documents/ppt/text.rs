//! Texts: their kind, their characters, the levels of their paragraphs, their links.

use std::collections::BTreeMap;
use std::ops::Range;

use super::records::{Record, Records, child, kind};
use crate::code_pages::{Pictures, symbol};
use crate::ole::{u16_at, u32_at};
use crate::{Builder, Inline, Marker};

/// Kinds of texts.
const TITLE: u32 = 0;
const BODY: u32 = 1;
const NOTES: u32 = 2;
const CENTRED_TITLE: u32 = 6;
const HALF_BODY: u32 = 7;
const QUARTER_BODY: u32 = 8;

/// Runs and links that are kept of a text.
const MAX_RUNS: usize = 20_000;

/// Paragraphs of a level.
#[derive(Debug, Clone, Copy)]
struct Run {
    chars: u32,
    level: u8,
    /// Whether they have a bullet, where that is said.
    bullet: Option<bool>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    kind: u32,
    units: Vec<u16>,
    runs: Vec<Run>,
    /// Characters that lead somewhere, and the number of the link.
    links: Vec<(Range<usize>, u32)>,
    /// Places of dates, numbers and the like, which stand as one character.
    fields: Vec<usize>,
    /// Link of the next range.
    link: Option<u32>,
}

impl Text {
    /// A text without characters.
    pub(super) fn of_kind(kind: u32) -> Text {
        Text { kind, ..Text::default() }
    }

    /// Adds what a record says of the text.
    pub(super) fn add(&mut self, record: Record<'_>) {
        match record.kind {
            kind::TEXT_CHARS => {
                self.units =
                    record.body.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            }
            kind::TEXT_BYTES => self.units = record.body.iter().map(|&byte| byte.into()).collect(),
            kind::TEXT_STYLE => self.runs = runs_of(record.body, self.units.len()),
            kind::SLIDE_NUMBER
            | kind::DATE
            | kind::GENERIC_DATE
            | kind::HEADER
            | kind::FOOTER
            | kind::RTF_DATE => {
                if let Some(place) = u32_at(record.body, 0).filter(|_| self.fields.len() < MAX_RUNS) {
                    self.fields.push(place as usize);
                }
            }
            kind::INTERACTION => {
                self.link = child(record.body, kind::INTERACTION_ATOM).and_then(|atom| u32_at(atom.body, 4));
            }
            kind::LINKED_TEXT => {
                let range = u32_at(record.body, 0).zip(u32_at(record.body, 4));
                if let (Some((from, end)), Some(link)) = (range, self.link.take())
                    && self.links.len() < MAX_RUNS
                {
                    self.links.push((from as usize..end as usize, link));
                }
            }
            _ => {}
        }
    }

    /// Whether it is the title of its slide.
    pub(super) fn is_title(&self) -> bool {
        matches!(self.kind, TITLE | CENTRED_TITLE)
    }

    /// Whether it is notes.
    pub(super) fn is_notes(&self) -> bool {
        self.kind == NOTES
    }

    /// Whether it has words.
    pub(super) fn is_blank(&self) -> bool {
        self.units.iter().all(|&unit| unit <= 32)
    }

    /// Tells of its paragraphs; `links` are the targets by number.
    pub(super) fn tell(mut self, links: &BTreeMap<u32, String>, builder: &mut Builder) {
        self.links.sort_by_key(|(range, _)| (range.start, range.end));
        self.fields.sort_unstable();
        let listed = matches!(self.kind, BODY | HALF_BODY | QUARTER_BODY);
        let (mut from, mut run, mut run_end) = (0, 0, self.runs.first().map_or(0, |run| run.chars as usize));
        let ends: Vec<usize> = (0..self.units.len()).filter(|&at| self.units[at] == 13).collect();
        for end in ends.into_iter().chain([self.units.len()]) {
            while run_end <= from && run + 1 < self.runs.len() {
                run += 1;
                run_end = run_end.saturating_add(self.runs[run].chars as usize);
            }
            let words = self.words(from..end, links);
            let style = self.runs.get(run);
            let bullet = style.and_then(|run| run.bullet).unwrap_or(listed);
            let level = style.map_or(0, |run| run.level);
            if bullet {
                builder.item(level, Marker::Bullet, words);
            } else {
                builder.paragraph(words);
            }
            from = end + 1;
        }
    }

    /// All its words, with line breaks between paragraphs.
    pub(super) fn all_words(&self) -> Inline {
        self.words(0..self.units.len(), &BTreeMap::new())
    }

    /// The same, with their links.
    pub(super) fn words_with(&self, links: &BTreeMap<u32, String>) -> Inline {
        self.words(0..self.units.len(), links)
    }

    /// Words of a range, with their links.
    fn words(&self, range: Range<usize>, links: &BTreeMap<u32, String>) -> Inline {
        let mut words = Inline::default();
        let mut at = range.start;
        let first = self.links.partition_point(|(link, _)| link.end <= range.start);
        for (link, number) in self.links.iter().skip(first) {
            let (start, end) = (link.start.max(at), link.end.min(range.end));
            if link.start >= range.end {
                break;
            }
            if let Some(target) = links.get(number).filter(|_| start < end) {
                words.text.push_str(&self.chars(at..start));
                words.push_link(&self.chars(start..end), target);
                at = end;
            }
        }
        words.text.push_str(&self.chars(at..range.end));
        words
    }

    fn chars(&self, range: Range<usize>) -> String {
        let places = range.clone().filter(|place| self.fields.binary_search(place).is_err());
        let units = places.filter_map(|place| self.units.get(place).copied());
        char::decode_utf16(units)
            .filter_map(Result::ok)
            .filter_map(|c| match c {
                '\u{B}' | '\r' => Some('\n'),
                '\t' => Some('\t'),
                '\u{F020}'..='\u{F0FF}' => symbol((u32::from(c) & 0xFF) as u8, Pictures::Symbol),
                '\u{2011}' => Some('-'),
                c if c.is_control() => None,
                c => Some(c),
            })
            .collect()
    }
}

/// The paragraphs' levels and bullets, for a text of `chars` characters.
fn runs_of(body: &[u8], chars: usize) -> Vec<Run> {
    let mut runs = Vec::new();
    let (mut at, mut covered) = (0, 0);
    // The runs cover the text and the mark that ends it.
    while covered <= chars && runs.len() < MAX_RUNS {
        let Some((run, next)) = run_at(body, at) else { break };
        covered = covered.saturating_add((run.chars as usize).max(1));
        runs.push(run);
        at = next;
    }
    runs
}

/// The run at a place, and where the next one is. Which values follow the mask is said by its bits, in this order.
fn run_at(body: &[u8], at: usize) -> Option<(Run, usize)> {
    let (chars, level, mask) = (u32_at(body, at)?, u16_at(body, at + 4)?, u32_at(body, at + 6)?);
    let mut next = at + 10;
    let mut bullet = None;
    if mask & 0xF != 0 {
        bullet = (mask & 1 != 0).then_some(u16_at(body, next)? & 1 != 0);
        next += 2;
    }
    for (bits, bytes) in
        [(0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2), (0x2000, 2), (0x4000, 2)]
    {
        next += if mask & bits != 0 { bytes } else { 0 };
    }
    for bits in [0x100, 0x400, 0x8000] {
        next += if mask & bits != 0 { 2 } else { 0 };
    }
    if mask & 0x0010_0000 != 0 {
        next += 2 + usize::from(u16_at(body, next)?) * 4;
    }
    for bits in [0x0001_0000, 0x000E_0000, 0x0020_0000] {
        next += if mask & bits != 0 { 2 } else { 0 };
    }
    Some((Run { chars, level: level.min(8) as u8, bullet }, next))
}

/// The texts that stand among records, each begun by its head.
pub(super) fn texts_among(records: Records<'_>, mut take: impl FnMut(Text)) {
    let mut text: Option<Text> = None;
    for record in records {
        if record.kind == kind::TEXT_HEADER {
            text.replace(Text::of_kind(u32_at(record.body, 0).unwrap_or(4))).into_iter().for_each(&mut take);
        } else if let Some(text) = &mut text {
            text.add(record);
        }
    }
    text.into_iter().for_each(take);
}
