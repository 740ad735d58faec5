//! Rows of the pairs that were aligned.

use webmill_capture::Result;
use webmill_dedup::{Overlap, PagePassages, Passage};
use webmill_run::Unit;
use webmill_table::{Bytes16, Table};

use super::row::PassageRow;
use super::{CONTAINED, NearBound, PASSAGES_A_PAIR};
use crate::dedup::output::resembling;
use crate::dedup::pages::Pages;
use crate::dedup::tables::{DuplicateKind, DuplicateRow, FoundBy};
use crate::output::{TableFile, first_part};

/// The part of table `duplicates` that is written here.
pub fn second_part() -> String {
    format!("{}/part-000001.parquet", DuplicateRow::NAME)
}

/// Writes both tables, pair by pair.
pub struct Output<'p> {
    near: &'p NearBound,
    pages: &'p Pages,
    passages: TableFile<PassageRow>,
    duplicates: TableFile<DuplicateRow>,
    beyond: u64,
    contained: u64,
    found_near: u64,
    sharing: u64,
}

impl<'p> Output<'p> {
    /// Creates the files.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(near: &'p NearBound, pages: &'p Pages, unit: &Unit<'_>) -> Result<Self> {
        Ok(Output {
            near,
            pages,
            passages: TableFile::create(unit, first_part::<PassageRow>())?,
            duplicates: TableFile::create(unit, second_part())?,
            beyond: 0,
            contained: 0,
            found_near: 0,
            sharing: 0,
        })
    }

    /// Writes what a pair shares.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, mut pair: PagePassages) -> Result<()> {
        let overlap = pair.overlap.unwrap_or_default();
        let near = overlap.common > 0 && overlap.resemblance() >= self.near.min_resemblance;
        let contained = overlap.contained(self.near.min_resemblance, CONTAINED);
        if pair.passages.is_empty() && !near && !contained {
            return Ok(());
        }
        if near || contained {
            self.found_near += u64::from(near);
            self.contained += u64::from(contained);
            let kind = if near { DuplicateKind::Near } else { DuplicateKind::Contained };
            self.duplicates.push(self.duplicate((pair.a, pair.b), kind, &overlap))?;
        }
        if !near && !pair.passages.is_empty() {
            self.sharing += 1;
            self.beyond += keep_longest(&mut pair.passages, PASSAGES_A_PAIR);
            for passage in &pair.passages {
                self.passages.push(self.row((pair.a, pair.b), passage))?;
            }
        }
        Ok(())
    }

    fn row(&self, (a, b): (u32, u32), passage: &Passage) -> PassageRow {
        PassageRow {
            a: self.pages.url(a).to_owned(),
            b: self.pages.url(b).to_owned(),
            a_key: Bytes16(self.pages.page(a).key),
            b_key: Bytes16(self.pages.page(b).key),
            a_host: self.pages.host(a),
            b_host: self.pages.host(b),
            a_start: passage.a_start,
            a_end: passage.a_end,
            b_start: passage.b_start,
            b_end: passage.b_end,
            words: passage.words,
            share_a: passage.share_a,
            share_b: passage.share_b,
        }
    }

    fn duplicate(&self, (a, b): (u32, u32), kind: DuplicateKind, overlap: &Overlap) -> DuplicateRow {
        let row = DuplicateRow {
            kind,
            found_by: FoundBy::Passages,
            a_text_digest: None,
            b_text_digest: None,
            ..self.pages.pair(a, b)
        };
        resembling(row, *overlap)
    }

    /// Completes the files and counts what is in them; returns the number of passages beyond the most of a pair.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self, unit: &mut Unit<'_>) -> Result<u64> {
        let passages = self.passages.finish(unit)?;
        // Without rows it is none of the table's files, and goes away with the staging folder's strays.
        if self.found_near + self.contained > 0 {
            self.duplicates.finish(unit)?;
        }
        unit.kept("passages", passages);
        unit.kept("passages-pairs", self.sharing);
        unit.kept("contained-pairs", self.contained);
        unit.kept("near-pairs-by-passages", self.found_near);
        Ok(self.beyond)
    }
}

/// Leaves the `most` longest passages, ties by the earlier one, in their order; returns how many went.
fn keep_longest(passages: &mut Vec<Passage>, most: usize) -> u64 {
    if passages.len() <= most {
        return 0;
    }
    let all = passages.len();
    // Stable: of equals the earlier stay first.
    passages.sort_by_key(|passage| std::cmp::Reverse(passage.words));
    passages.truncate(most);
    passages.sort_by_key(|passage| passage.a_start);
    (all - passages.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_stay_in_their_order() {
        let passage = |a_start, words| Passage {
            a_start,
            a_end: a_start + 1,
            b_start: 0,
            b_end: 1,
            words,
            share_a: 0.0,
            share_b: 0.0,
        };
        let all: Vec<Passage> =
            [(0, 5), (1, 9), (2, 5), (3, 7), (4, 5)].map(|(at, words)| passage(at, words)).into();
        for (most, left) in
            [(9, vec![0, 1, 2, 3, 4]), (4, vec![0, 1, 2, 3]), (3, vec![0, 1, 3]), (1, vec![1])]
        {
            let mut passages = all.clone();
            assert_eq!(keep_longest(&mut passages, most), (5 - left.len()) as u64);
            assert_eq!(passages.iter().map(|p| p.a_start).collect::<Vec<_>>(), left, "{most}");
        }
    }
}
