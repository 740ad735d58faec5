//! Decides which pages are dropped by a policy, and which page stays instead of each.
//!
//! `dedup apply` calls it first; all later steps look pages up in its result.
//!
//! **Definition.** `exact` drops members of clusters whose body or text equals that of the page that is kept; of other members with equal
//! bodies or texts (two copies that are only near to the page kept) it drops all but the first. `near` drops every member that is
//! not kept, and of pairs in no cluster that passages found to be near, the smaller page, together with all pages that were dropped in
//! favour of it. `contained` drops the same as `near`, and of the remaining pages those whose text is contained in that of another.
//!
//! **Pages of earlier results** are never dropped, since they count as seen. If a new page represents a cluster that has an earlier page,
//! the new page and all other new members of the cluster are dropped in favour of the earlier one, whatever the order of what to keep; with
//! `exact` only those whose bodies or texts are equal to it.
//!
//! **Pages that are gone** from the Web cannot represent others. If such a page would be kept, then of the pages with equal bodies or texts the
//! first by key is kept, for all that were dropped in favour of it. If all of them are only near to it, they need not be near to one another, and
//! their own pairs decide.
//!
//! **Guarantee.** A page is dropped only if the page that stays instead is not dropped by the same run. If tables of another origin contradict
//! that (two pages are each other's copies), nothing is dropped, and the pair is counted as unresolved.
//!
//! **Smaller pages are dropped.** Pages of such pairs are in a total order: more distinct shingles first, then the smaller key. The pages are visited
//! in this order, and one is dropped if its partner before it was not. So of a pair never both are dropped, there are no cycles, and
//! the page in which a dropped page is contained stays.
//!
//! **Cost.** One external sort of 80 bytes a row of `clusters`, and one of 64 bytes a pair; the sorted files are mapped, and looked up by
//! binary search. One bit in memory for each page that is the smaller of a pair.

use std::path::Path;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use webmill_capture::{Result, UrlKey};
use webmill_jobs::dropped::Reason;
use webmill_sort::{Budget, Mapped, Sorter};
use webmill_table::{Reader, columns};

use webmill_jobs::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow, FoundBy, Membership};

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

columns! {
    struct EarlierColumn from ClusterRow { url, earlier }
}

columns! {
    struct ClusterMember from ClusterRow { url, cluster, representative, keep, kind, earlier }
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

/// A page that goes, the page that stays, the [reason](Reason)'s number, cluster + 1 or 0; in the order of the pages.
type Row = [u128; 4];

/// Pages that go.
pub struct Verdicts {
    rows: Mapped<Row>,
    /// Pages that do not go because the page that would stay instead goes too.
    pub unresolved: u64,
}

/// Reads tables `clusters` and `duplicates` and decides. `gone` are keys of pages that go anyway, ascending. `budget` is for one sort.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn decide(
    (clusters, duplicates): (&Path, &Path),
    policy: Policy,
    gone: &[u128],
    budget: &Budget,
) -> Result<Verdicts> {
    let (mut copies, any_earlier) = copies((clusters, duplicates), policy, budget)?;
    if policy == Policy::Exact || any_earlier {
        copies = to_roots(copies, budget)?;
    }
    let open;
    (copies, open) = without_gone(copies, duplicates, gone, budget)?;
    let is_there = |pair: &Duplicates<'_>| among(gone, pair) == 0;
    if policy >= Policy::Near {
        let near = |pair: &Duplicates<'_>| {
            near_by_passages(pair) && is_there(pair)
                || pair.kind == DuplicateKind::Near && among(&open, pair) == 2
        };
        let moves = moves(duplicates, near, &copies, budget)?;
        if !moves.is_empty() {
            copies = to_roots(joined(copies.iter().copied(), &moves, Reason::Near, budget)?, budget)?;
        }
    }
    let mut moves = Mapped::default();
    if policy == Policy::Contained {
        let contained = |pair: &Duplicates<'_>| is_contained(pair) && is_there(pair);
        moves = self::moves(duplicates, contained, &copies, budget)?;
    }
    // Copies of a contained page are told the page that holds it.
    let told = copies.iter().map(|&[page, kept, reason, cluster]| {
        [page, moves.binary_search_by_key(&kept, |to| to[0]).map_or(kept, |at| moves[at][1]), reason, cluster]
    });
    let all = joined(told, &moves, Reason::Contained, budget)?;
    let stays = |row: &&Row| find(&all, row[1]).is_none();
    let rows = Mapped::of(&budget.temp_dir, all.iter().filter(stays).map(|row| Ok(*row)))?;
    Ok(Verdicts { unresolved: (all.len() - rows.len()) as u64, rows })
}

/// The row of a page.
fn find(rows: &[Row], page: u128) -> Option<&Row> {
    rows.binary_search_by_key(&page, |row| row[0]).ok().map(|at| &rows[at])
}

/// Both in the order of pages; a page is in one of them.
fn joined(
    rows: impl Iterator<Item = Row>,
    moves: &[[u128; 2]],
    reason: Reason,
    budget: &Budget,
) -> Result<Mapped<Row>> {
    let mut all = Sorter::<Row>::new(budget);
    let moved = moves.iter().map(|&[page, kept]| [page, kept, reason as u128, 0]);
    rows.chain(moved).try_for_each(|row| all.push(row))?;
    all.mapped()
}

/// Where a row of [`copies`] comes from: of one page the first counts.
///
/// A page of earlier results: it does not go.
const IS_EARLIER: u128 = 0;
/// The page that stays is of earlier results.
const FROM_EARLIER: u128 = 1;
const FROM_CLUSTERS: u128 = 2;
const FROM_PAIRS: u128 = 3;
/// Not a reason to go, but tells the cluster.
const MEMBER_ONLY: u128 = 4;

/// Copies that go by table `clusters` and, for equal ones only, `duplicates`. And whether a page of earlier results is in a cluster.
fn copies(
    (clusters, duplicates): (&Path, &Path),
    policy: Policy,
    budget: &Budget,
) -> Result<(Mapped<Row>, bool)> {
    let mut any_earlier = false;
    // Page, where the row comes from, reason, page that stays, cluster + 1.
    // Of one page the first row counts, with a cluster that any has.
    let mut sorter = Sorter::<[u128; 5]>::new(budget).with_combine(|a, b| {
        let same = a[0] == b[0];
        if same {
            let cluster = a[4].max(b[4]);
            *a = (*a).min(*b);
            a[4] = cluster;
        }
        same
    });
    let mut reader = Reader::<ClusterMember>::open(clusters)?;
    while let Some(batch) = reader.next()? {
        for member in batch.rows() {
            any_earlier |= member.earlier;
            read_member(&member, policy, &mut sorter)?;
        }
    }
    if policy == Policy::Exact {
        read_exact(duplicates, &mut sorter)?;
    }
    let goes = |row: &[u128; 5]| ![IS_EARLIER, MEMBER_ONLY].contains(&row[1]) && row[0] != row[3];
    let rows = sorter.finish()?.filter(|row| row.as_ref().map_or(true, goes));
    let rows = rows.map(|row| row.map(|[page, _, reason, kept, cluster]| [page, kept, reason, cluster]));
    Ok((Mapped::of(&budget.temp_dir, rows)?, any_earlier))
}

/// What a row of table `clusters` says: see [`copies`].
fn read_member(member: &ClusterMember<'_>, policy: Policy, sorter: &mut Sorter<[u128; 5]>) -> Result<()> {
    let reason = match member.kind {
        Membership::Body => Reason::Body,
        Membership::Text => Reason::Text,
        _ => Reason::Near,
    };
    let no_copy = policy == Policy::Exact && reason == Reason::Near;
    let (page, kept) = (UrlKey::of(member.url).0, UrlKey::of(member.representative).0);
    let (reason, cluster) = (reason as u128, u128::from(member.cluster) + 1);
    match (member.earlier, member.keep) {
        (true, keep) => {
            sorter.push([page, IS_EARLIER, 0, page, cluster])?;
            if keep || no_copy {
                return Ok(());
            }
            // Where the representative is new, it goes, and this one stays for it: the nearest of those that were seen.
            sorter.push([kept, FROM_EARLIER, reason, page, cluster])
        }
        (false, true) => Ok(()),
        (false, false) => {
            let from = if no_copy { MEMBER_ONLY } else { FROM_CLUSTERS };
            sorter.push([page, from, reason, kept, cluster])
        }
    }
}

/// Exact copies: stars around the first page of equal bodies or texts, or around one of earlier results.
fn read_exact(duplicates: &Path, sorter: &mut Sorter<[u128; 5]>) -> Result<()> {
    let mut reader = Reader::<Duplicates>::open(duplicates)?;
    while let Some(batch) = reader.next()? {
        for pair in batch.rows().filter(|pair| !(pair.a_earlier && pair.b_earlier)) {
            let reason = match pair.kind {
                DuplicateKind::Body => Reason::Body,
                DuplicateKind::Text => Reason::Text,
                _ => continue,
            };
            let (kept, page) = if pair.b_earlier { (pair.b, pair.a) } else { (pair.a, pair.b) };
            let from = if pair.a_earlier || pair.b_earlier { FROM_EARLIER } else { FROM_PAIRS };
            sorter.push([UrlKey::of(page).0, from, reason as u128, UrlKey::of(kept).0, 0])?;
        }
    }
    Ok(())
}

/// Most rounds of [`to_roots`]: each doubles the length of the chains that it follows.
const MAX_ROUNDS: u32 = 32;

/// Copies of copies are told the first of them: a page whose body is that of another one, whose text is that of a third.
/// They go for the weaker of both reasons.
fn to_roots(mut rows: Mapped<Row>, budget: &Budget) -> Result<Mapped<Row>> {
    for _ in 0..MAX_ROUNDS {
        if !rows.iter().any(|row| find(&rows, row[1]).is_some()) {
            break;
        }
        let further = |&[page, kept, reason, cluster]: &Row| match find(&rows, kept) {
            Some(&[_, first, weaker, _]) => Ok([page, first, reason.max(weaker), cluster]),
            None => Ok([page, kept, reason, cluster]),
        };
        rows = Mapped::of(&budget.temp_dir, rows.iter().map(further))?;
    }
    Ok(rows)
}

/// How many of both pages of a pair are among `pages`, which ascend.
fn among(pages: &[u128], pair: &Duplicates<'_>) -> usize {
    let is_in = |url: &&str| !pages.is_empty() && pages.binary_search(&UrlKey::of(url).0).is_ok();
    [pair.a, pair.b].iter().filter(|url| is_in(url)).count()
}

/// Copies without pages that are gone, and the pages, ascending, that were only near one of these and have no copy of it to go for; of
/// these equal ones go for each other.
fn without_gone(
    copies: Mapped<Row>,
    duplicates: &Path,
    gone: &[u128],
    budget: &Budget,
) -> Result<(Mapped<Row>, Mapped<u128>)> {
    let mut open = Sorter::<u128>::new(budget);
    if gone.is_empty() {
        return Ok((copies, Mapped::default()));
    }
    let is_gone = |page: u128| gone.binary_search(&page).is_ok();
    let mut rows = Sorter::<Row>::new(budget).with_combine(|a, b| a[0] == b[0]);
    // The page that is gone, reason, page, cluster + 1.
    let mut orphans = Sorter::<Row>::new(budget);
    for &[page, kept, reason, cluster] in copies.iter().filter(|row| !is_gone(row[0])) {
        match is_gone(kept) {
            true => orphans.push([kept, reason, page, cluster])?,
            false => rows.push([page, kept, reason, cluster])?,
        }
    }
    let mut first = None;
    for row in orphans.finish()? {
        let [of, reason, page, cluster] = row?;
        match first {
            Some((gone, heir, its)) if gone == of => rows.push([page, heir, reason.max(its), cluster])?,
            _ if reason <= Reason::Text as u128 => first = Some((of, page, reason)),
            _ => open.push(page)?,
        }
    }
    let open = open.mapped()?;
    let mut reader = Reader::<Duplicates>::open(duplicates)?;
    while let Some(batch) = if open.is_empty() { None } else { reader.next()? } {
        for pair in batch.rows().filter(|pair| among(&open, pair) == 2) {
            let reason = match pair.kind {
                DuplicateKind::Body => Reason::Body,
                DuplicateKind::Text => Reason::Text,
                _ => continue,
            };
            rows.push([UrlKey::of(pair.b).0, UrlKey::of(pair.a).0, reason as u128, 0])?;
        }
    }
    Ok((to_roots(rows.mapped()?, budget)?, open))
}

/// Whether a pair is near by its passages, which makes no cluster, and one of the pages may go.
fn near_by_passages(pair: &Duplicates<'_>) -> bool {
    pair.kind == DuplicateKind::Near
        && pair.found_by == FoundBy::Passages
        && !(pair.a_earlier && pair.b_earlier)
}

/// Whether one text is mostly in the other, and the page that may go is one of these results.
fn is_contained(pair: &Duplicates<'_>) -> bool {
    let new_one_goes = match (pair.a_earlier, pair.b_earlier) {
        (true, true) => false,
        (true, false) => pair.b_in_a >= pair.a_in_b,
        (false, true) => pair.a_in_b >= pair.b_in_a,
        (false, false) => true,
    };
    pair.kind == DuplicateKind::Contained && new_one_goes
}

/// Which pages go by the pairs that `wanted` takes, and what stays instead, by page; `copies` go already, and hold nothing.
fn moves(
    duplicates: &Path,
    wanted: impl Fn(&Duplicates<'_>) -> bool,
    copies: &[Row],
    budget: &Budget,
) -> Result<Mapped<[u128; 2]>> {
    // The later page in the order (rank, key), and the one before it.
    let mut pairs = Sorter::<[u128; 4]>::new(budget);
    let mut reader = Reader::<Duplicates>::open(duplicates)?;
    while let Some(batch) = reader.next()? {
        for pair in batch.rows().filter(&wanted) {
            // A page of earlier results stays: it comes before all others.
            let rank = |shingles: Option<u32>, earlier: bool| match earlier {
                true => 0,
                false => u128::from(u32::MAX - shingles.unwrap_or(0).min(u32::MAX - 1)),
            };
            let a = [rank(pair.a_shingles, pair.a_earlier), UrlKey::of(pair.a).0];
            let b = [rank(pair.b_shingles, pair.b_earlier), UrlKey::of(pair.b).0];
            if a[1] != b[1] && find(copies, a[1]).is_none() && find(copies, b[1]).is_none() {
                let ([outer, outer_key], [inner, inner_key]) = (a.min(b), a.max(b));
                pairs.push([inner, inner_key, outer, outer_key])?;
            }
        }
    }
    let pairs = pairs.mapped()?;
    let pages = || pairs.chunk_by(|a, b| a[..2] == b[..2]);
    let inners = Mapped::of(&budget.temp_dir, pages().map(|of| Ok([of[0][0], of[0][1]])))?;
    let mut dropped = vec![0u64; inners.len().div_ceil(64)];
    let mut moves = Sorter::<[u128; 2]>::new(budget);
    for (at, of) in pages().enumerate() {
        // Those that may go themselves come first.
        let (mut may_go, mut others) = (None, None::<u128>);
        for &[.., outer, key] in of {
            match inners.binary_search(&[outer, key]) {
                Ok(number) if dropped[number / 64] >> (number % 64) & 1 == 0 => may_go = may_go.or(Some(key)),
                Ok(_) => {}
                Err(_) => others = Some(others.map_or(key, |other| other.min(key))),
            }
        }
        if let Some(kept) = may_go.or(others) {
            dropped[at / 64] |= 1 << (at % 64);
            moves.push([of[0][1], kept])?;
        }
    }
    moves.mapped()
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
    let mut reader = Reader::<EarlierColumn>::open(clusters)?;
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

/// A page that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Key of the page that goes.
    pub page: u128,
    /// Key of the page that stays.
    pub kept: u128,
    /// Why.
    pub reason: Reason,
    /// Its cluster, where it is in one.
    pub cluster: Option<u32>,
}

impl Verdict {
    fn of(&[page, kept, reason, cluster]: &Row) -> Verdict {
        let cluster = cluster.checked_sub(1).map(|cluster| cluster as u32);
        Verdict { page, kept, reason: Reason::of_number(reason as u64), cluster }
    }
}

impl Verdicts {
    /// All of them, by page.
    pub fn iter(&self) -> impl Iterator<Item = Verdict> {
        self.rows.iter().map(Verdict::of)
    }

    /// Whether a page goes.
    pub fn goes(&self, page: u128) -> bool {
        find(&self.rows, page).is_some()
    }

    /// The verdict on a page.
    pub fn of(&self, page: u128) -> Option<Verdict> {
        find(&self.rows, page).map(Verdict::of)
    }
}

#[cfg(test)]
mod tests;
