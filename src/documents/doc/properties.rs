//! Pages of properties (FKPs): how the characters and paragraphs at ranges of bytes look.

use super::fib::{Fib, Place, part};
use super::sprms::{CharacterLook, ParagraphLook};
use super::styles::Styles;
use crate::ole::{u16_at, u32_at};

/// Runs that are kept of each kind: pages may be named again and again.
const MAX_RUNS: usize = 2_000_000;
/// Bytes of a page.
const PAGE: usize = 512;

/// What holds for ranges of bytes, in order.
#[derive(Debug)]
pub(super) struct Runs<T> {
    runs: Vec<(u32, u32, T)>,
    /// The run that was asked for last: the next one is most often the same or its neighbour.
    last: usize,
}

impl<T: Copy + Default> Runs<T> {
    fn new(mut runs: Vec<(u32, u32, T)>) -> Self {
        runs.sort_by_key(|run| run.0);
        Runs { runs, last: 0 }
    }

    /// What holds at a byte.
    pub(super) fn at(&mut self, place: u32) -> T {
        let holds = |run: &(u32, u32, T)| (run.0..run.1).contains(&place);
        if !self.runs.get(self.last).is_some_and(holds) {
            let next = self.runs.get(self.last + 1).is_some_and(holds);
            let found = self.runs.partition_point(|run| run.0 <= place).saturating_sub(1);
            self.last = if next { self.last + 1 } else { found };
        }
        self.runs.get(self.last).filter(|run| holds(run)).map(|run| run.2).unwrap_or_default()
    }
}

/// How characters look.
pub(super) fn looks_of(fib: &Fib, main: &[u8], table: &[u8], styles: &Styles) -> Runs<CharacterLook> {
    let mut runs = Vec::new();
    for page in pages(fib.character_pages, table) {
        let Some(page) = main.get(page..page.saturating_add(PAGE)) else { continue };
        let count = usize::from(page.last().copied().unwrap_or(0));
        for at in 0..count {
            let Some((from, end)) = u32_at(page, at * 4).zip(u32_at(page, at * 4 + 4)) else { break };
            let place = page.get((count + 1) * 4 + at).copied().map_or(0, |half| usize::from(half) * 2);
            let bytes = page.get(place).copied().map_or(0, usize::from);
            let sprms = page.get(place + 1..place + 1 + bytes).unwrap_or_default();
            let mut look = CharacterLook::default();
            if place > 0 {
                // The style of characters comes first, for others may be its opposite.
                look.add(sprms, &CharacterLook::default());
                let style = look.style;
                look = CharacterLook::default();
                look.add(sprms, &styles.look(style.unwrap_or(0)));
                look = style.map_or(look, |style| look.or(&styles.look(style)));
            }
            if runs.len() < MAX_RUNS {
                runs.push((from, end, look));
            }
        }
    }
    Runs::new(runs)
}

/// How paragraphs stand.
pub(super) fn stands_of(fib: &Fib, main: &[u8], table: &[u8], data: &[u8]) -> Runs<ParagraphLook> {
    let mut runs = Vec::new();
    for page in pages(fib.paragraph_pages, table) {
        let Some(page) = main.get(page..page.saturating_add(PAGE)) else { continue };
        let count = usize::from(page.last().copied().unwrap_or(0));
        for at in 0..count {
            let Some((from, end)) = u32_at(page, at * 4).zip(u32_at(page, at * 4 + 4)) else { break };
            let place = page.get((count + 1) * 4 + at * 13).copied().map_or(0, |half| usize::from(half) * 2);
            if runs.len() < MAX_RUNS {
                runs.push((from, end, stand_at(page, place, data)));
            }
        }
    }
    Runs::new(runs)
}

/// How a paragraph stands whose properties are at a place of a page.
fn stand_at(page: &[u8], place: usize, data: &[u8]) -> ParagraphLook {
    let mut stand = ParagraphLook::default();
    let Some(&words) = page.get(place).filter(|_| place > 0) else { return stand };
    // The length is in words; where it is nothing, it stands in the byte behind.
    let (from, bytes) = match words {
        0 => (place + 2, page.get(place + 1).copied().map_or(0, usize::from) * 2),
        _ => (place + 1, usize::from(words) * 2 - 1),
    };
    let properties = page.get(from..(from + bytes).min(PAGE - 1)).unwrap_or_default();
    stand.style = u16_at(properties, 0).unwrap_or(0);
    let sprms = properties.get(2..).unwrap_or_default();
    stand.add(sprms);
    if let Some(place) = stand.elsewhere {
        let place = place as usize;
        let bytes = u16_at(data, place).map_or(0, usize::from);
        stand.add(data.get(place.saturating_add(2)..place.saturating_add(2 + bytes)).unwrap_or_default());
    }
    stand
}

/// Places of the pages that a table lists.
fn pages(place: Place, table: &[u8]) -> impl Iterator<Item = usize> {
    let listed = part(place, table);
    let count = listed.len().saturating_sub(4) / 8;
    (0..count).filter_map(move |at| {
        let page = u32_at(listed, (count + 1) * 4 + at * 4)? & 0x003F_FFFF;
        (page as usize).checked_mul(PAGE)
    })
}
