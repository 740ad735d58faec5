//! Lists: which levels have bullets, which numbers, and where those stand.

use std::collections::BTreeMap;

use super::fib::{Fib, part};
use crate::Marker;
use crate::ole::{u16_at, u32_at};

/// Lists that are kept.
const MAX_LISTS: usize = 10_000;
/// Levels of a list.
const LEVELS: usize = 9;
/// Kind of numbers that are bullets.
const BULLETS: u8 = 23;
/// Kind of numbers that are not shown.
const NO_NUMBERS: u8 = 255;

/// A level: the number before its first one, the one that came last, and the kind.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    before: u32,
    last: u32,
    kind: u8,
}

/// The lists of a document.
#[derive(Debug, Default)]
pub(super) struct Lists {
    levels: BTreeMap<u32, Vec<Level>>,
    /// Lists by the numbers that paragraphs call them by.
    overrides: Vec<u32>,
}

impl Lists {
    /// Reads the tables.
    pub(super) fn read(fib: &Fib, table: &[u8]) -> Lists {
        let mut lists = Lists::default();
        let heads = part(fib.lists, table);
        // The levels stand behind the heads, beyond what is told of their bytes.
        let mut rest = table.get(fib.lists.0.saturating_add(fib.lists.1)..).unwrap_or_default();
        let count = usize::from(u16_at(heads, 0).unwrap_or(0)).min(MAX_LISTS);
        for at in 0..count {
            let Some(head) = heads.get(2 + at * 28..2 + at * 28 + 28) else { break };
            let simple = head.get(26).is_some_and(|flags| flags & 1 != 0);
            let levels = (0..if simple { 1 } else { LEVELS }).map_while(|_| level_of(&mut rest)).collect();
            lists.levels.insert(u32_at(head, 0).unwrap_or(0), levels);
        }
        let overrides = part(fib.overrides, table);
        let count = (u32_at(overrides, 0).unwrap_or(0) as usize).min(MAX_LISTS);
        lists.overrides = (0..count).map_while(|at| u32_at(overrides, 4 + at * 16)).collect();
        lists
    }

    /// The marker of a further item; `None` where the paragraph is in no list, or one that shows nothing.
    pub(super) fn marker(&mut self, list: u16, level: u8) -> Option<Marker> {
        let list = *self.overrides.get(usize::from(list).checked_sub(1)?)?;
        let levels = self.levels.get_mut(&list)?;
        let at = usize::from(level).min(levels.len().checked_sub(1)?);
        // A number begins those of the levels below anew.
        for level in levels.iter_mut().skip(at + 1) {
            level.last = level.before;
        }
        let level = levels.get_mut(at)?;
        match level.kind {
            BULLETS => Some(Marker::Bullet),
            NO_NUMBERS => None,
            _ => {
                level.last = level.last.saturating_add(1);
                Some(Marker::Number(level.last))
            }
        }
    }
}

/// Takes a level off a table: a head, two groups of properties, the text of the number.
fn level_of(rest: &mut &[u8]) -> Option<Level> {
    let head = rest.get(..28)?;
    let before = u32_at(head, 0)?.clamp(1, 1 << 24) - 1;
    let properties = usize::from(*head.get(24)?) + usize::from(*head.get(25)?);
    let text = usize::from(u16_at(rest, 28 + properties)?);
    let kind = *head.get(4)?;
    *rest = rest.get(28 + properties + 2 + text * 2..)?;
    Some(Level { before, last: before, kind })
}
