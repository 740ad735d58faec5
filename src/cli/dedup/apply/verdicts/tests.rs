//! Which pages go by small tables.

use std::collections::BTreeMap;

use proptest::prelude::*;
use webmill_table::{Footer, write_part};

use super::*;
use webmill_jobs::dedup::tables::Membership;

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
        a_in_b: Some(shares.0),
        b_in_a: Some(shares.1),
        a_shingles: Some(shingles.0),
        b_shingles: Some(shingles.1),
        ..DuplicateRow::default()
    }
}

/// By page that goes: the page that stays, reason, cluster.
type VerdictsByPage = BTreeMap<String, (String, &'static str, Option<u32>)>;

/// What goes, and how many are unresolved.
fn decided(clusters: &[ClusterRow], pairs: &[DuplicateRow], policy: Policy) -> (VerdictsByPage, u64) {
    without(&[], clusters, pairs, policy)
}

/// The same where pages are gone.
fn without(
    gone: &[&str],
    clusters: &[ClusterRow],
    pairs: &[DuplicateRow],
    policy: Policy,
) -> (VerdictsByPage, u64) {
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
    let mut gone: Vec<u128> = gone.iter().map(|url| UrlKey::of(url).0).collect();
    gone.sort_unstable();
    let verdicts = decide((&tables.0, &tables.1), policy, &gone, &budget).unwrap();
    let of_clusters = clusters.iter().flat_map(|row| [&row.url, &row.representative]);
    let urls = of_clusters.chain(pairs.iter().flat_map(|row| [&row.a, &row.b]));
    let urls: BTreeMap<u128, String> = urls.map(|url| (UrlKey::of(url).0, url.clone())).collect();
    let rows = verdicts.iter().map(|verdict| {
        (urls[&verdict.page].clone(), (urls[&verdict.kept].clone(), verdict.reason.as_str(), verdict.cluster))
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
    // The page that was kept goes with its cluster: all of it is in the long one.
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
    let row =
        |page: &str, kept: &str, reason, cluster| (page.to_owned(), (kept.to_owned(), reason, Some(cluster)));
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
fn copies_of_a_page_that_is_gone_go_for_one_of_them() {
    use Membership::*;
    let clusters = [
        member("a", 0, "a", Representative),
        member("b", 0, "a", Body),
        member("c", 0, "a", Body),
        member("t", 0, "a", Text),
        member("n", 0, "a", Near),
        member("r", 1, "r", Representative),
        member("x", 1, "r", Near),
        member("y", 1, "r", Near),
        member("z", 1, "r", Near),
    ];
    let pairs = [
        pair("a", "b", DuplicateKind::Body, (1.0, 1.0), (9, 9)),
        pair("a", "c", DuplicateKind::Body, (1.0, 1.0), (9, 9)),
        pair("a", "t", DuplicateKind::Text, (1.0, 1.0), (9, 9)),
        pair("r", "x", DuplicateKind::Near, (0.9, 0.9), (99, 90)),
        pair("r", "z", DuplicateKind::Near, (0.9, 0.9), (99, 90)),
        pair("x", "y", DuplicateKind::Body, (1.0, 1.0), (90, 90)),
        pair("r", "small", DuplicateKind::Contained, (0.1, 1.0), (99, 9)),
    ];
    let heir = if UrlKey::of("b").0 < UrlKey::of("c").0 { ["b", "c"] } else { ["c", "b"] };
    let row = |page: &str, kept: &str, reason, cluster| (page.to_owned(), (kept.to_owned(), reason, cluster));
    let mut want: VerdictsByPage =
        [row(heir[1], heir[0], "body", Some(0)), row("t", heir[0], "text", Some(0))].into();
    assert_eq!(without(&["a", "r"], &clusters, &pairs, Policy::Exact).0.keys().collect::<Vec<_>>(), {
        let mut pages = vec![heir[1], "t", "y"];
        pages.sort_unstable();
        pages
    });
    want.extend([row("n", heir[0], "near", Some(0)), row("y", "x", "body", None)]);
    // What was only near stays, but for pairs of its own.
    assert_eq!(without(&["a", "r"], &clusters, &pairs, Policy::Contained), (want.clone(), 0));
    let near = [&pairs[..], &[pair("x", "z", DuplicateKind::Near, (0.9, 0.9), (90, 80))]].concat();
    want.extend([row("z", "x", "near", None)]);
    assert_eq!(without(&["a", "r"], &clusters, &near, Policy::Near), (want, 0));
    // A copy that is gone is no copy.
    let (found, unresolved) = without(&["b"], &clusters, &pairs, Policy::Near);
    assert!(!found.contains_key("b") && found["c"].0 == "a" && unresolved == 0);
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_goes_is_in_something_that_stays(
        edges in proptest::collection::vec((0usize..12, 0usize..12), 0..40),
        sizes in proptest::collection::vec(1u32..6, 12),
        copies in proptest::collection::btree_set(0usize..12, 0..3),
    ) {
        let name = |page: usize| format!("p{page}");
        let row = |(a, b): (usize, usize)| {
            pair(&name(a), &name(b), DuplicateKind::Contained, (1.0, 1.0), (sizes[a], sizes[b]))
        };
        let clusters: Vec<ClusterRow> =
            copies.iter().map(|page| member(&name(*page), 0, "first", Membership::Body)).collect();
        let rows: Vec<DuplicateRow> = edges.iter().copied().map(row).collect();
        let (found, unresolved) = decided(&clusters, &rows, Policy::Contained);
        prop_assert_eq!(unresolved, 0);
        prop_assert!(found.values().all(|(kept, ..)| !found.contains_key(kept)));
        // Nothing that could go stays: of a pair of pages that both stay, none holds the other.
        for (a, b) in edges.iter().filter(|(a, b)| a != b) {
            prop_assert!(found.contains_key(&name(*a)) || found.contains_key(&name(*b)), "{a} and {b} both stay");
        }
        let turned: Vec<DuplicateRow> = edges.iter().rev().map(|(a, b)| row((*b, *a))).collect();
        prop_assert_eq!(found, decided(&clusters, &turned, Policy::Contained).0);
    }
}
