//! Passages: what stands in two pages that are no copies of each other, and pages that are mostly in another one.
//!
//! **What.** Table `passages`, a row a passage with its place in both texts; and rows of table `duplicates`, kind
//! `contained`, for pairs of which one text is mostly in the other. Where the shingles of a pair turn out to be near after
//! all, which equal bands had not shown, it has a row of kind `near` and none in `passages`.
//!
//! **Definition.** Winnowing and alignment are those of [`PassageJoin`]; containment |S(A) ∩ S(B)| / |S(A)| and resemblance
//! are exact, over the shingles of both texts ([`webmill_dedup::Overlap`]). Compared are the current captures that stand for
//! themselves:
//! pages in no cluster, and of each cluster the page that is kept. Its copies share everything that it shares. A pair that
//! table `duplicates` calls near is left out. `a` comes before `b` in the order earliest fetch (an unknown time is the
//! latest), shortest URL, URL by its bytes: clusters say nothing of the order between pages of two of them.
//!
//! **Algorithm.** Pages are numbered in that order (`pages`); table `texts` is read once for the hashes and once for the
//! texts of pages in a pair (`texts`); known pairs are brought to numbers (`known`); all by external sorts and merges.
//!
//! **Cost.** Linear in the texts, whatever is in them: a hash on more than 1,000 pages is boilerplate and makes no
//! pairs, and a page is aligned with at most 16 pages before it and as many after it by its own choice.
//! Memory: half of the stage's for the join, which a single pair of very long texts may exceed (16 bytes a byte of text).
//! Disk: the texts of pages in a pair, and 16 bytes a selected hash.
//!
//! **Determinism.** Rows come by (a, b, place in a). Threads, memory and the order of parts and rows change nothing.
//!
//! **Errors.** Omissions are counted by reason, and what a limit left out is said on stderr.
//!
//! **Reference.** Schleimer, Wilkerson, Aiken, doi:10.1145/872757.872770; Broder, doi:10.1109/SEQUEN.1997.666900.
//!
//! Pages that stand for themselves are winnowed; pairs that share hashes are aligned. Pages, rows of texts and known pairs are brought to
//! numbers by sorts and merges alone.

mod known;
mod output;
mod pages;
pub mod row;
mod texts;

use std::path::Path;

use webmill_capture::Result;
use webmill_dedup::{PassageCounts, PassageJoin, PassageOptions};
use webmill_run::{Committed, Measure, Unit};
use webmill_sort::Budget;

use crate::output::{TableFile, first_part};
use output::Output;
use row::PassageRow;
use texts::TextRows;

/// Share of the shingles of one text that the other has, from which it is contained in it.
const CONTAINED: f64 = 0.8;

/// Rows of table `passages` that a pair of pages has at most, the longest ones.
const PASSAGES_A_PAIR: usize = 100;

/// From where on two texts are near-duplicates: what the search for them was given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearBound {
    /// Words of a shingle, 1 to 100.
    pub shingle_words: usize,
    /// Least resemblance of near-duplicates, 0 to 1.
    pub min_resemblance: f64,
    /// Texts of fewer words are compared with nothing.
    pub min_words: u32,
}

/// Seeks passages among the pages of `extract` that stand for themselves by table `clusters`, leaving out the pairs that
/// are near in table `duplicates` (each a folder of parts, or one file). Writes table `passages` and the second part of table
/// `duplicates`.
///
/// # Errors
/// Where a table cannot be read, the disk refuses, or the user asked to stop.
pub fn find(
    wanted: bool,
    near: &NearBound,
    extract: &Committed,
    clusters: &Path,
    duplicates: &Path,
    unit: &mut Unit<'_>,
) -> Result<()> {
    if !wanted {
        TableFile::<PassageRow>::create(unit, first_part::<PassageRow>())?.finish(unit)?;
        return Ok(());
    }
    let stage = unit.stage();
    let progress = stage.progress;
    let budget = Budget::new(stage.memory as usize / 2).in_dir(unit.temp());
    let options = PassageOptions {
        shingle_words: near.shingle_words as u32,
        // Texts that resemble each other to a share have as large a share of the smaller one in common, or a larger one.
        min_overlap: near.min_resemblance.min(CONTAINED),
        ..PassageOptions::default()
    };

    progress.begin("pages to compare", 0, Measure::Items);
    let pages = pages::read(&extract.path("pages"), clusters, near.min_words, &budget, unit)?;
    let rows = TextRows::find(&extract.path("texts"), &pages, unit.temp(), stage)?;
    progress.advance(pages.len() as u64);
    progress.end();
    let missing = (pages.len() as u64).saturating_sub(rows.len);
    if missing > 0 {
        unit.dropped("passages-text-missing", missing);
    }

    progress.begin("winnow", rows.len, Measure::Items);
    let mut join = PassageJoin::new(options, &budget);
    rows.map(stage, |text| options.winnowed(text), |page, winnowed| join.push_winnowed(page, winnowed))?;
    known::near_pairs(duplicates, &pages, stage.cancel, |a, b| join.leave_out(a, b))?;
    let pairs = join.finish()?;
    let texts = rows.copy(|page| pairs.contains(page), &budget.share(4), stage)?;
    progress.end();

    progress.begin("passages", 0, Measure::Items);
    let mut output = Output::create(near, &pages, unit)?;
    let counts = pairs.align(
        |page| texts.get::<&str>(u64::from(page)),
        |pair| {
            stage.cancel.check()?;
            progress.advance(1);
            output.push(pair)
        },
    )?;
    progress.end();
    let beyond = output.finish(unit)?;
    unit.kept("passages-pages", counts.pages);
    unit.kept("passages-pairs-compared", counts.pairs_aligned);
    for (reason, n) in counts.left_out().into_iter().chain([("passages-beyond-most-of-a-pair", beyond)]) {
        if n > 0 {
            unit.dropped(reason, n);
        }
    }
    for line in say_limits(&options, &counts, beyond) {
        progress.note(&line);
    }
    Ok(())
}

/// What limits left out.
fn say_limits(options: &PassageOptions, counts: &PassageCounts, beyond: u64) -> Vec<String> {
    let PassageOptions { max_pages, max_partners, .. } = options;
    let lines = [
        (
            counts.boilerplate_hashes,
            format!("hashes on more than {max_pages} pages were taken for boilerplate and skipped"),
        ),
        (
            counts.pairs_beyond_partners,
            format!("pairs of pages were not compared: both had {max_partners} others that share more"),
        ),
        (
            beyond,
            format!("passages are not in the table: pairs have the {PASSAGES_A_PAIR} longest of theirs"),
        ),
        (counts.texts_cut, "times a text was compared up to its first 16 MiB only".to_owned()),
    ];
    lines.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("  passages  {n} {what}")).collect()
}
