use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

type Page = (&'static str, &'static str, String, Option<u64>);

fn search(pages: &[Page], options: MirrorOptions, memory: usize) -> (Vec<Mirror>, MirrorTotals) {
    let mut search = MirrorSearch::new(options, &Budget::new(memory)).expect("settings are sound");
    for (scheme, host, path, cluster) in pages {
        search.push(scheme, host, path, *cluster).expect("the disk takes it");
    }
    let mut found = Vec::new();
    let take = |mirror| {
        found.push(mirror);
        Ok(())
    };
    let totals = search.finish(take).expect("the disk takes it");
    found.sort_by(|x, y| (&x.a, &x.b).cmp(&(&y.a, &y.b)));
    (found, totals)
}

/// `count` pages of a site, the first `agreeing` of them in clusters of their numbers, the others in their own.
fn site(scheme: &'static str, host: &'static str, count: u64, agreeing: u64) -> Vec<Page> {
    let own = xxh3_64(format!("{scheme}{host}").as_bytes()) << 16;
    let cluster = |i: u64| if i < agreeing { i } else { own | i };
    (0..count).map(|i| (scheme, host, format!("/p?id={i}"), Some(cluster(i)))).collect()
}

fn rows(found: &[Mirror]) -> Vec<(&str, &str, u64, u64, f64, &'static str)> {
    let row = |m: &Mirror| (m.common_paths, m.agreeing, m.share, m.kind.name());
    found
        .iter()
        .map(|m| {
            let (common, agreeing, share, kind) = row(m);
            (m.a.host.as_str(), m.b.host.as_str(), common, agreeing, share, kind)
        })
        .collect()
}

#[test]
fn kinds_follow_the_share_and_the_names() {
    let pages = [
        site("http", "a.org", 20, 20),
        site("http", "b.net", 10, 7),
        site("http", "c.net", 10, 3),
        site("https", "a.org", 40, 8),
        site("http", "www.a.org", 10, 10),
    ]
    .concat();
    let (found, totals) = search(&pages, MirrorOptions::default(), 1 << 20);
    let http_a: Vec<_> =
        found.iter().filter(|m| m.a.scheme == "http" && m.a.host == "a.org").cloned().collect();
    assert_eq!(
        rows(&http_a),
        [
            ("a.org", "a.org", 20, 8, 0.4, "scheme"),
            ("a.org", "b.net", 10, 7, 0.7, "mirror"),
            ("a.org", "c.net", 10, 3, 0.3, "suspected"),
            ("a.org", "www.a.org", 10, 10, 1.0, "www"),
        ]
    );
    assert_eq!((http_a[0].pages_a, http_a[0].pages_b, http_a[0].b.scheme.as_str()), (20, 40, "https"));
    assert_eq!((totals.sites, totals.small_sites, totals.candidates), (5, 0, 10));
}

#[test]
fn bounds_are_sharp() {
    // Nine pages are too few; two clusters are too few; 29 of 100 are too few.
    for (a, b) in [
        (site("http", "a.org", 9, 9), site("http", "b.net", 9, 9)),
        (site("http", "a.org", 10, 2), site("http", "b.net", 10, 2)),
        (site("http", "a.org", 100, 29), site("http", "b.net", 100, 29)),
    ] {
        assert_eq!(search(&[a, b].concat(), MirrorOptions::default(), 1 << 20).0, []);
    }
    let (found, totals) = search(
        &[site("http", "a.org", 9, 9), site("http", "b.net", 12, 9)].concat(),
        MirrorOptions::default(),
        1 << 20,
    );
    assert_eq!((found.len(), totals.small_sites), (0, 1));
}

#[test]
fn the_same_clusters_on_other_paths_are_no_mirror() {
    let mut pages = site("http", "a.org", 12, 12);
    pages.extend((0..12).map(|i| ("http", "b.net", format!("/other/{i}"), Some(i))));
    let (found, totals) = search(&pages, MirrorOptions::default(), 1 << 20);
    assert_eq!((found.len(), totals.candidates), (0, 1));
}

#[test]
fn pages_without_cluster_count_as_fetched_and_agree_with_nothing() {
    let mut pages = [site("http", "a.org", 10, 8), site("http", "b.net", 10, 8)].concat();
    for host in ["a.org", "b.net"] {
        pages.extend((0..10).map(|i| ("http", host, format!("/empty/{i}"), None)));
    }
    let (found, _) = search(&pages, MirrorOptions::default(), 1 << 20);
    assert_eq!(rows(&found), [("a.org", "b.net", 20, 8, 0.4, "suspected")]);
}

#[test]
fn captures_of_one_url_count_once_and_odd_hosts_are_refused() {
    let mut pages = [site("http", "a.org", 10, 10), site("http", "b.net", 10, 10)].concat();
    pages.push(("http", "a.org", "/p?id=3".into(), None));
    pages.push(("http", "a.org", "/p?id=3".into(), Some(999)));
    pages.push(("http", "a".repeat(5000).leak(), "/".into(), Some(1)));
    let (found, totals) = search(&pages, MirrorOptions::default(), 1 << 20);
    assert_eq!(rows(&found), [("a.org", "b.net", 10, 10, 1.0, "mirror")]);
    assert_eq!((totals.pages, totals.repeated, totals.refused), (22, 2, 1));
}

#[test]
fn a_cluster_on_ten_thousand_sites_stays_linear() {
    let mut search = MirrorSearch::new(MirrorOptions::default(), &Budget::new(4 << 20)).expect("sound");
    for i in 0..10_000u64 {
        for page in 0..10 {
            // Four clusters lie on all sites at the same paths: an error page, a licence and the like.
            let cluster = if page < 4 { page } else { 100 + 10 * i + page };
            search.push("http", &format!("h{i:05}.org"), &format!("/{page}"), Some(cluster)).expect("disk");
        }
    }
    let mut found = 0;
    let count = |_| {
        found += 1;
        Ok(())
    };
    let totals = search.finish(count).expect("the disk takes it");
    assert_eq!(totals.wide_clusters, 4);
    assert!(totals.candidates <= 80_000, "{totals:?}");
    // 4 · (10⁴ choose 2), less the pairs that were made: 8 a site but for the last ones.
    assert_eq!(totals.wide_pairs, 4 * (49_995_000 - (80_000 - 36)));
    assert_eq!((found, totals.mirrors), (totals.candidates, totals.candidates));
}

#[test]
fn mirrors_of_a_whole_network_are_linked() {
    let options = MirrorOptions { wide_cluster: 4, wide_neighbours: 1, ..MirrorOptions::default() };
    let hosts = ["a.org", "b.org", "c.org", "d.org", "e.org", "f.org", "g.org"];
    let pages: Vec<Page> = hosts.iter().flat_map(|host| site("http", host, 10, 10)).collect();
    let (found, totals) = search(&pages, options, 1 << 20);
    let pairs: Vec<_> = found.iter().map(|m| (m.a.host.as_str(), m.b.host.as_str(), m.share)).collect();
    let chain: Vec<_> = hosts.windows(2).map(|pair| (pair[0], pair[1], 1.0)).collect();
    assert_eq!(pairs, chain);
    assert_eq!((totals.wide_clusters, totals.wide_pairs), (10, 10 * 15));
}

#[test]
fn a_hub_too_large_for_memory_is_searched_on_the_disk() {
    let pages =
        [site("http", "hub.org", 3_000, 3_000), site("http", "b.net", 40, 30), site("http", "c.net", 50, 20)]
            .concat();
    let (whole, _) = search(&pages, MirrorOptions::default(), 1 << 20);
    let (disk, _) = search(&pages, MirrorOptions::default(), 8 << 10);
    assert_eq!(whole, disk);
    assert_eq!(
        rows(&whole),
        [
            ("b.net", "c.net", 40, 20, 0.5, "suspected"),
            ("b.net", "hub.org", 40, 30, 0.75, "mirror"),
            ("c.net", "hub.org", 50, 20, 0.4, "suspected"),
        ]
    );
}

fn by_definition(pages: &[Page], options: &MirrorOptions) -> Vec<(Site, Site, u64, u64, u32)> {
    let mut sites: BTreeMap<Site, HashMap<&str, Option<u64>>> = BTreeMap::new();
    for (scheme, host, path, cluster) in pages {
        let name = Site { host: (*host).into(), scheme: (*scheme).into() };
        let held = sites.entry(name).or_default().entry(path).or_insert(*cluster);
        *held = match (*held, *cluster) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    sites.retain(|_, paths| paths.len() >= options.min_pages as usize);
    let sites: Vec<_> = sites.into_iter().collect();
    let mut found = Vec::new();
    for (i, (a, of_a)) in sites.iter().enumerate() {
        for (b, of_b) in &sites[i + 1..] {
            let clusters = |paths: &HashMap<&str, Option<u64>>| {
                paths.values().flatten().copied().collect::<BTreeSet<u64>>()
            };
            let shared = clusters(of_a).intersection(&clusters(of_b)).count() as u32;
            let common = of_a.iter().filter(|(path, _)| of_b.contains_key(*path)).count() as u64;
            let agree =
                |path: &&str, cluster: &Option<u64>| cluster.is_some() && of_b.get(path) == Some(cluster);
            let agreeing = of_a.iter().filter(|(path, cluster)| agree(path, cluster)).count() as u64;
            let share = agreeing as f64 / of_a.len().min(of_b.len()) as f64;
            if shared >= options.min_clusters && agreeing > 0 && share >= options.suspected_from {
                found.push((a.clone(), b.clone(), common, agreeing, shared));
            }
        }
    }
    found
}

proptest! {
    #[test]
    fn rows_are_what_the_definition_says(
        pages in prop::collection::vec(
            (
                prop::sample::select(vec!["http", "https"]),
                prop::sample::select(vec!["a.org", "b.org", "www.a.org", "c.net"]),
                "/[a-f]",
                prop::option::weighted(0.8, 0u64..6),
            ),
            0..90,
        ),
        memory in prop::sample::select(vec![1usize << 10, 1 << 20]),
    ) {
        let options = MirrorOptions { min_pages: 3, min_clusters: 2, ..MirrorOptions::default() };
        let (found, totals) = search(&pages, options, memory);
        let shown: Vec<_> =
            found.into_iter().map(|m| (m.a, m.b, m.common_paths, m.agreeing, m.shared_clusters)).collect();
        prop_assert_eq!(&shown, &by_definition(&pages, &options));
        let mut turned = pages.clone();
        turned.reverse();
        let (again, other_totals) = search(&turned, options, memory);
        prop_assert_eq!(again.len(), shown.len());
        prop_assert_eq!(totals, other_totals);
    }
}
