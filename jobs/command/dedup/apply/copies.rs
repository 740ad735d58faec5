//! Copies that go by tables `clusters` and, for equal ones only, `duplicates`; each with the page that stays.
//!
//! **Algorithm.** What rows say of a page is sorted by page and by where it comes from; the first counts. Chains are then
//! followed to their ends by joins of the copies with themselves, each of which doubles the length that is followed.
//!
//! **Cost.** External sorts of 56 bytes a row.

use std::path::Path;

use webmill_capture::{Result, UrlKey};
use webmill_sort::{Budget, Sorter};
use webmill_table::{Reader, columns};

use super::spool::{Spool, halves, join};
use super::verdicts::{Policy, Reason};
use crate::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow, Membership};

columns! {
    struct Member from ClusterRow { url, cluster, representative, keep, kind, earlier }
}

columns! {
    struct Copy from DuplicateRow { a, b, kind, a_earlier, b_earlier }
}

/// Where a row of [`copies`] comes from: of one page the first counts.
///
/// A page of earlier results: it does not go.
const IS_EARLIER: u64 = 0;
/// The page that stays is of earlier results.
const FROM_EARLIER: u64 = 1;
const FROM_CLUSTERS: u64 = 2;
const FROM_PAIRS: u64 = 3;
/// Not a reason to go, but tells the cluster.
const MEMBER_ONLY: u64 = 4;

/// Copies that go: page, page that stays, reason, cluster + 1; by page, each once. And whether a page of earlier results
/// is in a cluster.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn copies(
    clusters: &Path,
    duplicates: &Path,
    policy: Policy,
    budget: &Budget,
    folder: &Path,
) -> Result<(Spool<6>, bool)> {
    let mut any_earlier = false;
    let mut sorter = Sorter::<[u64; 7]>::new(budget);
    let mut reader = Reader::<Member>::open(clusters)?;
    while let Some(batch) = reader.next()? {
        for member in batch.rows() {
            any_earlier |= member.earlier;
            read_member(&member, policy, &mut sorter)?;
        }
    }
    if policy == Policy::Exact {
        read_exact(duplicates, &mut sorter)?;
    }
    let mut spool = Spool::new(folder)?;
    let mut open: Option<[u64; 7]> = None;
    for row in sorter.finish()? {
        let row = row?;
        match &mut open {
            Some(first) if first[..2] == row[..2] => first[6] = first[6].max(row[6]),
            _ => {
                put_copy(open.replace(row), &mut spool)?;
            }
        }
    }
    put_copy(open, &mut spool)?;
    Ok((spool, any_earlier))
}

/// What a row of table `clusters` says: see [`copies`].
fn read_member(member: &Member<'_>, policy: Policy, sorter: &mut Sorter<[u64; 7]>) -> Result<()> {
    let reason = match member.kind {
        Membership::Body => Reason::Body,
        Membership::Text => Reason::Text,
        Membership::Near | Membership::Representative => Reason::Near,
    };
    let no_copy = policy == Policy::Exact && reason == Reason::Near;
    let ([p0, p1], [k0, k1]) = (key(member.url), key(member.representative));
    let cluster = u64::from(member.cluster) + 1;
    match (member.earlier, member.keep) {
        (true, keep) => {
            sorter.push([p0, p1, IS_EARLIER, 0, p0, p1, cluster])?;
            if keep || no_copy {
                return Ok(());
            }
            // Where the representative is new, it goes, and this one stays for it: the nearest of those that were seen.
            sorter.push([k0, k1, FROM_EARLIER, reason.number(), p0, p1, cluster])
        }
        (false, true) => Ok(()),
        (false, false) => {
            let from = if no_copy { MEMBER_ONLY } else { FROM_CLUSTERS };
            sorter.push([p0, p1, from, reason.number(), k0, k1, cluster])
        }
    }
}

fn put_copy(row: Option<[u64; 7]>, spool: &mut Spool<6>) -> Result<()> {
    match row {
        Some([p0, p1, from, reason, k0, k1, cluster])
            if ![IS_EARLIER, MEMBER_ONLY].contains(&from) && [p0, p1] != [k0, k1] =>
        {
            spool.push([p0, p1, k0, k1, reason, cluster])
        }
        _ => Ok(()),
    }
}

/// Exact copies: stars around the first page of equal bodies or texts, or around one of earlier results.
fn read_exact(duplicates: &Path, sorter: &mut Sorter<[u64; 7]>) -> Result<()> {
    let mut reader = Reader::<Copy>::open(duplicates)?;
    while let Some(batch) = reader.next()? {
        for pair in batch.rows().filter(|pair| !(pair.a_earlier && pair.b_earlier)) {
            let reason = match pair.kind {
                DuplicateKind::Body => Reason::Body,
                DuplicateKind::Text => Reason::Text,
                DuplicateKind::Near | DuplicateKind::Contained => continue,
            };
            let (kept, page) = if pair.b_earlier { (pair.b, pair.a) } else { (pair.a, pair.b) };
            let from = if pair.a_earlier || pair.b_earlier { FROM_EARLIER } else { FROM_PAIRS };
            let ([k0, k1], [p0, p1]) = (key(kept), key(page));
            sorter.push([p0, p1, from, reason.number(), k0, k1, 0])?;
        }
    }
    Ok(())
}

/// Most rounds of [`to_roots`]: each doubles the length of the chains that it follows.
const MAX_ROUNDS: u32 = 32;

/// Copies of copies are told the first of them: a page whose body is that of another one, whose text is that of a third.
/// They go for the weaker of both reasons.
///
/// # Errors
/// Where the disk refuses.
pub fn to_roots(mut copies: Spool<6>, budget: &Budget, folder: &Path) -> Result<Spool<6>> {
    for _ in 0..MAX_ROUNDS {
        let mut by_kept = Sorter::<[u64; 6]>::new(budget);
        for row in copies.rows()? {
            let [p0, p1, k0, k1, reason, cluster] = row?;
            by_kept.push([k0, k1, p0, p1, reason, cluster])?;
        }
        let mut changed = false;
        let mut by_page = Sorter::<[u64; 6]>::new(budget);
        join::<2, 6, 6>(by_kept.finish()?, copies.rows()?, |row, further| {
            let [.., p0, p1, reason, cluster] = row;
            changed |= further.is_some();
            let [k0, k1, weaker] =
                further.map_or([row[0], row[1], reason], |further| [further[2], further[3], further[4]]);
            by_page.push([p0, p1, k0, k1, reason.max(weaker), cluster])
        })?;
        if !changed {
            break;
        }
        copies = Spool::new(folder)?;
        for row in by_page.finish()? {
            copies.push(row?)?;
        }
    }
    Ok(copies)
}

fn key(url: &str) -> [u64; 2] {
    halves(UrlKey::of(url).0)
}
