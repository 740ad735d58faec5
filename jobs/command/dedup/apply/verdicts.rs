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
use super::spool::{Spool, SpoolRows, halves, join, whole};
use crate::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow, FoundBy, Membership};

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

    fn number(self) -> u64 {
        self as u64
    }

    /// The one of that number.
    pub fn of_number(number: u64) -> Reason {
        Self::ALL.get(number as usize).copied().unwrap_or(Reason::Near)
    }
}

columns! {
    struct Member from ClusterRow { url, cluster, representative, keep, kind, earlier }
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
fn copies(
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
    let mut reader = Reader::<Duplicates>::open(duplicates)?;
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

/// Most rounds of [`to_roots`]: each doubles the length of the chains that it follows.
const MAX_ROUNDS: u32 = 32;

/// Copies of copies are told the first of them: a page whose body is that of another one, whose text is that of a third.
/// They go for the weaker of both reasons.
fn to_roots(mut copies: Spool<6>, budget: &Budget, folder: &Path) -> Result<Spool<6>> {
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

/// Calls `each` with every page of earlier results that others may be copies of.
///
/// # Errors
/// Where a table cannot be read; those of `each`.
pub fn each_earlier(
    clusters: &Path,
    duplicates: &Path,
    mut each: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    let mut reader = Reader::<Member>::open(clusters)?;
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

fn key(url: &str) -> [u64; 2] {
    halves(UrlKey::of(url).0)
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
mod tests {
    use std::collections::BTreeMap;

    use webmill_table::{Footer, write_part};

    use super::*;

    fn member(url: &str, cluster: u32, representative: &str, kind: Membership) -> ClusterRow {
        ClusterRow {
            url: url.into(),
            cluster,
            representative: representative.into(),
            keep: kind == Membership::Representative,
            kind,
            ..ClusterRow::default()
        }
    }

    fn pair(a: &str, b: &str, kind: DuplicateKind, shares: (f64, f64), shingles: (u32, u32)) -> DuplicateRow {
        DuplicateRow {
            a: a.into(),
            b: b.into(),
            kind,
            a_in_b: shares.0,
            b_in_a: shares.1,
            a_shingles: Some(shingles.0),
            b_shingles: Some(shingles.1),
            ..DuplicateRow::default()
        }
    }

    /// By page that goes: the page that stays, reason, cluster.
    type Decided = BTreeMap<String, (String, &'static str, Option<u32>)>;

    /// What goes, and how many are unresolved.
    fn decided(clusters: &[ClusterRow], pairs: &[DuplicateRow], policy: Policy) -> (Decided, u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).join("part-0.parquet");
        for name in ["clusters", "duplicates"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let footer = Footer { job_key: "k".into() };
        write_part(&path("clusters"), clusters, &footer).unwrap();
        write_part(&path("duplicates"), pairs, &footer).unwrap();
        let budget = Budget::new(1 << 20).in_dir(folder.path());
        let tables = (folder.path().join("clusters"), folder.path().join("duplicates"));
        let mut verdicts = decide((&tables.0, &tables.1), (policy, 0.8), &budget, folder.path()).unwrap();
        let urls = clusters.iter().map(|row| &row.url).chain(pairs.iter().flat_map(|row| [&row.a, &row.b]));
        let urls: BTreeMap<u128, String> = urls.map(|url| (UrlKey::of(url).0, url.clone())).collect();
        let rows = verdicts.each().unwrap().map(|verdict| {
            let verdict = verdict.unwrap();
            (
                urls[&verdict.page].clone(),
                (urls[&verdict.kept].clone(), verdict.reason.as_str(), verdict.cluster),
            )
        });
        (rows.collect(), verdicts.unresolved)
    }

    #[test]
    fn policies_take_more_and_more() {
        use Membership::*;
        let clusters = [
            member("r", 0, "r", Representative),
            member("b", 0, "r", Body),
            member("t", 0, "r", Text),
            member("n1", 0, "r", Near),
            member("n2", 0, "r", Near),
        ];
        let pairs = [
            pair("r", "b", DuplicateKind::Body, (1.0, 1.0), (9, 9)),
            pair("r", "t", DuplicateKind::Text, (1.0, 1.0), (9, 9)),
            // Copies of each other that are only near the page that is kept.
            pair("n1", "n2", DuplicateKind::Body, (1.0, 1.0), (9, 9)),
            pair("r", "n1", DuplicateKind::Near, (0.9, 0.9), (9, 9)),
            pair("r", "long", DuplicateKind::Contained, (0.95, 0.1), (90, 900)),
            pair("big", "small", DuplicateKind::Contained, (0.1, 0.7), (900, 90)),
        ];
        let text = |s: &str| s.to_owned();
        let (exact, _) = decided(&clusters, &pairs, Policy::Exact);
        let want = [
            (text("b"), (text("r"), "body", Some(0))),
            (text("n2"), (text("n1"), "body", Some(0))),
            (text("t"), (text("r"), "text", Some(0))),
        ];
        assert_eq!(exact, want.into());
        let (near, _) = decided(&clusters, &pairs, Policy::Near);
        assert_eq!(near.keys().collect::<Vec<_>>(), ["b", "n1", "n2", "t"]);
        assert!(near.values().all(|(kept, ..)| kept == "r"));
        // The page that was kept goes with its cluster: all of it is in the long one. A share below the bound is nothing.
        let (contained, unresolved) = decided(&clusters, &pairs, Policy::Contained);
        assert_eq!(contained.keys().collect::<Vec<_>>(), ["b", "n1", "n2", "r", "t"]);
        assert!(contained.values().all(|(kept, ..)| kept == "long"));
        assert_eq!((contained["r"].1, contained["b"].1, unresolved), ("contained", "body", 0));
    }

    #[test]
    fn pages_near_by_their_passages_go_with_their_copies() {
        use Membership::*;
        let near = |a: &str, b: &str, shingles| DuplicateRow {
            found_by: FoundBy::Passages,
            ..pair(a, b, DuplicateKind::Near, (0.9, 0.9), shingles)
        };
        let clusters = [member("r", 3, "r", Representative), member("b", 3, "r", Body)];
        let pairs = [
            near("r", "x", (90, 100)),
            // What is near a page that goes stays.
            near("r", "y", (90, 80)),
            pair("long", "x", DuplicateKind::Contained, (0.1, 0.9), (900, 100)),
            DuplicateRow { a_earlier: true, ..near("seen", "z", (50, 60)) },
            DuplicateRow { a_earlier: true, b_earlier: true, ..near("seen", "also", (50, 60)) },
            // Found by bands: clusters tell what goes.
            pair("x", "q", DuplicateKind::Near, (0.9, 0.9), (100, 90)),
        ];
        let text = |s: &str| s.to_owned();
        assert_eq!(decided(&clusters, &pairs, Policy::Exact).0.keys().collect::<Vec<_>>(), ["b"]);
        let (dropped, unresolved) = decided(&clusters, &pairs, Policy::Near);
        let want = [
            (text("b"), (text("x"), "near", Some(3))),
            (text("r"), (text("x"), "near", None)),
            (text("z"), (text("seen"), "near", None)),
        ];
        assert_eq!((dropped, unresolved), (want.into(), 0));
        let (dropped, unresolved) = decided(&clusters, &pairs, Policy::Contained);
        let want = [
            (text("b"), (text("long"), "near", Some(3))),
            (text("r"), (text("long"), "near", None)),
            (text("x"), (text("long"), "contained", None)),
            (text("z"), (text("seen"), "near", None)),
        ];
        assert_eq!((dropped, unresolved), (want.into(), 0), "what goes by near goes by contained, too");
    }

    #[test]
    fn pages_that_were_seen_stay_for_new_ones_that_represent_them() {
        use Membership::*;
        let seen = |row: ClusterRow| ClusterRow { earlier: true, ..row };
        let clusters = [
            // By text, and nearly.
            member("r", 0, "r", Representative),
            member("b", 0, "r", Body),
            member("n", 0, "r", Near),
            seen(member("old", 0, "r", Text)),
            seen(member("older", 0, "r", Near)),
            member("s", 1, "s", Representative),
            member("c", 1, "s", Text),
            seen(member("elder", 1, "s", Near)),
            // One that represents its cluster.
            seen(member("first", 2, "first", Representative)),
            seen(member("second", 2, "first", Body)),
            member("m", 2, "first", Near),
        ];
        let copy = |a: &str, b: &str, kind| pair(a, b, kind, (1.0, 1.0), (9, 9));
        let pairs = [
            copy("r", "b", DuplicateKind::Body),
            DuplicateRow { b_earlier: true, ..copy("r", "old", DuplicateKind::Text) },
            copy("s", "c", DuplicateKind::Text),
            DuplicateRow { a_earlier: true, b_earlier: true, ..copy("first", "second", DuplicateKind::Body) },
            // A copy of what is only near the page that is kept.
            DuplicateRow { b_earlier: true, ..copy("n", "older", DuplicateKind::Body) },
        ];
        let row = |page: &str, kept: &str, reason, cluster| {
            (page.to_owned(), (kept.to_owned(), reason, Some(cluster)))
        };
        let (exact, unresolved) = decided(&clusters, &pairs, Policy::Exact);
        let want = [
            row("r", "old", "text", 0),
            row("b", "old", "text", 0),
            row("n", "older", "body", 0),
            row("c", "s", "text", 1),
        ];
        assert_eq!((exact, unresolved), (want.into(), 0));
        let (near, unresolved) = decided(&clusters, &pairs, Policy::Near);
        let want = [
            row("r", "old", "text", 0),
            row("b", "old", "text", 0),
            row("n", "old", "near", 0),
            row("s", "elder", "near", 1),
            row("c", "elder", "near", 1),
            row("m", "first", "near", 2),
        ];
        assert_eq!((near, unresolved), (want.into(), 0));
    }

    #[test]
    fn copies_of_copies_go_for_the_first() {
        let chain: Vec<DuplicateRow> = (0..9)
            .map(|i| pair(&format!("p{i}"), &format!("p{}", i + 1), DuplicateKind::Body, (1.0, 1.0), (9, 9)))
            .collect();
        let (dropped, unresolved) = decided(&[], &chain, Policy::Exact);
        assert_eq!((dropped.len(), unresolved), (9, 0));
        assert!(dropped.values().all(|(kept, ..)| kept == "p0"));
    }

    #[test]
    fn pages_that_stand_for_each_other_both_stay() {
        let ring = [
            pair("a", "b", DuplicateKind::Text, (1.0, 1.0), (9, 9)),
            pair("b", "a", DuplicateKind::Text, (1.0, 1.0), (9, 9)),
            pair("a", "c", DuplicateKind::Text, (1.0, 1.0), (9, 9)),
        ];
        let (dropped, unresolved) = decided(&[], &ring, Policy::Exact);
        assert_eq!((dropped.len(), unresolved), (0, 3));
        let own = [member("a", 0, "a", Membership::Body)];
        assert_eq!(decided(&own, &[], Policy::Near).0.len(), 0);
    }
}
