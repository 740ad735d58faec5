//! Which pages go by a policy, and which page stays instead of each.
//!
//! **Definition.** `exact` drops members of clusters whose body or text is that of the page that is kept, and of other pages
//! with equal bodies or texts (two copies that are only near what is kept) all but the first. `near` drops every
//! member that is not kept; and of pairs that passages found to be near, which are in no cluster, the page that
//! [`Contained`] tells, with all that went for it. `contained` is `near`, and of the pages left those whose text is
//! contained in another one's.
//!
//! **Pages of earlier results** never go: they were seen. Where a new page represents a cluster that has an earlier one, it
//! goes for the earlier one with all new members of the cluster, whatever the order of what to keep says; by `exact` only
//! where bodies or texts are equal.
//!
//! **Guarantee.** A page goes only where the page that stays instead is not dropped by the same run. What tables of another
//! origin say against that (two pages each other's copies) is not done, but counted as unresolved.
//!
//! **Cost.** External sorts of 56 bytes a dropped page; of pairs see [`Contained`].

use std::path::Path;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use webmill_capture::{Result, UrlKey};
use webmill_sort::{Budget, Sorter};
use webmill_table::{Reader, columns, text_enum};

use super::contained::{Contained, Pair};
use super::copies::{copies, to_roots};
use super::spool::{Spool, SpoolRows, join, whole};
use crate::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow, FoundBy};

/// Which pages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// Copies: equal bodies, equal texts.
    Exact,
    /// Those, and near-duplicates.
    Near,
    /// Those, and pages whose text is mostly in another one that stays.
    Contained,
}

text_enum! {
    /// Why a page goes.
    pub enum Reason {
        /// Its body is that of the page that stays.
        Body = "body",
        /// Its text is.
        Text = "text",
        /// Its text is near that of the page that stays.
        Near = "near",
        /// Its text is mostly in that of the page that stays.
        Contained = "contained",
    }
}

impl Reason {
    /// All of them, in the order of what they take for granted.
    pub const ALL: [Reason; 4] = [Reason::Body, Reason::Text, Reason::Near, Reason::Contained];

    /// Its number.
    pub fn number(self) -> u64 {
        self as u64
    }

    /// The one of that number.
    pub fn of_number(number: u64) -> Reason {
        Self::ALL.get(number as usize).copied().unwrap_or(Reason::Near)
    }
}

columns! {
    struct Earlier from ClusterRow { url, earlier }
}

columns! {
    struct Duplicates from DuplicateRow {
        a,
        b,
        kind,
        a_in_b,
        b_in_a,
        a_shingles,
        b_shingles,
        a_earlier,
        b_earlier,
        found_by,
    }
}

/// Pages that go.
pub struct Verdicts {
    /// Key of the page that stays, key of the page that goes, [reason](Reason), cluster + 1 or 0; by the first.
    pub rows: Spool<6>,
    /// Pages that do not go because the page that would stay instead goes too.
    pub unresolved: u64,
}

/// Reads tables `clusters` and `duplicates` and decides. `folder` takes temporary files; `budget` is for one sort, of which
/// three live at a time.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn decide(
    (clusters, duplicates): (&Path, &Path),
    (policy, min_containment): (Policy, f64),
    budget: &Budget,
    folder: &Path,
) -> Result<Verdicts> {
    let (mut copies, any_earlier) = copies(clusters, duplicates, policy, budget, folder)?;
    if policy == Policy::Exact || any_earlier {
        copies = to_roots(copies, budget, folder)?;
    }
    if policy >= Policy::Near {
        let mut moves = moves(duplicates, near_by_passages, &mut copies, budget, folder)?;
        if moves.count() > 0 {
            copies = to_roots(with_near(&mut copies, &mut moves, budget, folder)?, budget, folder)?;
        }
    }
    let mut moves = match policy {
        Policy::Contained => {
            let contained = |pair: &Duplicates<'_>| is_contained(pair, min_containment);
            moves(duplicates, contained, &mut copies, budget, folder)?
        }
        Policy::Exact | Policy::Near => Spool::new(folder)?,
    };
    settle(&mut copies, &mut moves, budget, folder)
}

/// Whether a pair is near by its passages, which makes no cluster, and one of the pages may go.
fn near_by_passages(pair: &Duplicates<'_>) -> bool {
    pair.kind == DuplicateKind::Near
        && pair.found_by == FoundBy::Passages
        && !(pair.a_earlier && pair.b_earlier)
}

/// Whether one text is in the other to the bound at least, and the page that may go is one of these results.
fn is_contained(pair: &Duplicates<'_>, bound: f64) -> bool {
    let new_one_goes = match (pair.a_earlier, pair.b_earlier) {
        (true, true) => false,
        (true, false) => pair.b_in_a >= pair.a_in_b,
        (false, true) => pair.a_in_b >= pair.b_in_a,
        (false, false) => true,
    };
    // The share of the text with fewer shingles is the larger one.
    pair.kind == DuplicateKind::Contained && new_one_goes && pair.a_in_b.max(pair.b_in_a) >= bound
}

/// Who goes by the pairs that `wanted` takes, and what stays instead; `copies` go already.
fn moves(
    duplicates: &Path,
    wanted: impl Fn(&Duplicates<'_>) -> bool,
    copies: &mut Spool<6>,
    budget: &Budget,
    folder: &Path,
) -> Result<Spool<4>> {
    let mut contained = Contained::new(budget);
    let mut any = false;
    let mut reader = Reader::<Duplicates>::open(duplicates)?;
    while let Some(batch) = reader.next()? {
        for pair in batch.rows().filter(&wanted) {
            let size = |shingles: Option<u32>, earlier: bool| {
                // A page of earlier results stays: it comes before all others.
                if earlier { u32::MAX } else { shingles.unwrap_or(0).min(u32::MAX - 1) }
            };
            let a = (UrlKey::of(pair.a).0, size(pair.a_shingles, pair.a_earlier));
            let b = (UrlKey::of(pair.b).0, size(pair.b_shingles, pair.b_earlier));
            contained.push(Pair { a, b })?;
            any = true;
        }
    }
    if !any {
        return Spool::new(folder);
    }
    let mut gone = Spool::<4>::new(folder)?;
    for row in copies.rows()? {
        let row = row?;
        gone.push([row[0], row[1], row[2], row[3]])?;
    }
    contained.decide(&mut gone, folder)
}

/// Copies, and pages that are near by their passages; both by page, none in both.
fn with_near(
    copies: &mut Spool<6>,
    moves: &mut Spool<4>,
    budget: &Budget,
    folder: &Path,
) -> Result<Spool<6>> {
    let mut all = Sorter::<[u64; 6]>::new(budget);
    for row in copies.rows()? {
        all.push(row?)?;
    }
    for row in moves.rows()? {
        let [p0, p1, k0, k1] = row?;
        all.push([p0, p1, k0, k1, Reason::Near.number(), 0])?;
    }
    let mut spool = Spool::new(folder)?;
    for row in all.finish()? {
        spool.push(row?)?;
    }
    Ok(spool)
}

/// Calls `each` with every page of earlier results that others may be copies of.
///
/// # Errors
/// Where a table cannot be read; those of `each`.
pub fn each_earlier(
    clusters: &Path,
    duplicates: &Path,
    mut each: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    let mut reader = Reader::<Earlier>::open(clusters)?;
    while let Some(batch) = reader.next()? {
        batch.rows().filter(|page| page.earlier).try_for_each(|page| each(page.url))?;
    }
    let mut reader = Reader::<Duplicates>::open(duplicates)?;
    while let Some(batch) = reader.next()? {
        for pair in batch.rows() {
            if pair.a_earlier {
                each(pair.a)?;
            }
            if pair.b_earlier {
                each(pair.b)?;
            }
        }
    }
    Ok(())
}

/// Copies and contained pages together: copies of a contained page are told the page that holds it. What a page of `moves`
/// stays as follows from there.
fn settle(copies: &mut Spool<6>, moves: &mut Spool<4>, budget: &Budget, folder: &Path) -> Result<Verdicts> {
    let mut by_kept = Sorter::<[u64; 6]>::new(budget);
    for row in copies.rows()? {
        let [p0, p1, k0, k1, reason, cluster] = row?;
        by_kept.push([k0, k1, p0, p1, reason, cluster])?;
    }
    let mut moved = Sorter::<[u64; 6]>::new(budget);
    join::<2, 6, 4>(by_kept.finish()?, moves.rows()?, |row, found| {
        let [.., p0, p1, reason, cluster] = row;
        let [k0, k1] = found.map_or([row[0], row[1]], |found| [found[2], found[3]]);
        moved.push([k0, k1, p0, p1, reason, cluster])
    })?;
    for row in moves.rows()? {
        let [p0, p1, k0, k1] = row?;
        moved.push([k0, k1, p0, p1, Reason::Contained.number(), 0])?;
    }
    let mut gone = Sorter::<[u64; 2]>::new(budget);
    for row in copies.rows()? {
        let row = row?;
        gone.push([row[0], row[1]])?;
    }
    for row in moves.rows()? {
        let row = row?;
        gone.push([row[0], row[1]])?;
    }
    let mut verdicts = Verdicts { rows: Spool::new(folder)?, unresolved: 0 };
    join::<2, 6, 2>(moved.finish()?, gone.finish()?, |row, also_gone| match also_gone {
        Some(_) => {
            verdicts.unresolved += 1;
            Ok(())
        }
        None => verdicts.rows.push(row),
    })?;
    Ok(verdicts)
}

impl Verdicts {
    /// Key of the page that stays, key of the page that goes, reason, cluster.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn each(&mut self) -> Result<Each> {
        self.rows.rows().map(Each)
    }
}

/// Rows of [`Verdicts`].
pub struct Each(SpoolRows<6>);

/// A page that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Key of the page that stays.
    pub kept: u128,
    /// Key of the page that goes.
    pub page: u128,
    /// Why.
    pub reason: Reason,
    /// Its cluster, where it is in one.
    pub cluster: Option<u32>,
}

impl Iterator for Each {
    type Item = Result<Verdict>;

    fn next(&mut self) -> Option<Result<Verdict>> {
        let row = self.0.next()?;
        Some(row.map(|[k0, k1, p0, p1, reason, cluster]| Verdict {
            kept: whole(k0, k1),
            page: whole(p0, p1),
            reason: Reason::of_number(reason),
            cluster: cluster.checked_sub(1).map(|cluster| cluster as u32),
        }))
    }
}

#[cfg(test)]
mod tests;
