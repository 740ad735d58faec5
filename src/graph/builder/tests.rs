//! Tests of the build against one by maps.

use super::super::csr::Csr;
use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// URL number i of a small Web: the name and its SURT.
fn url(i: u32) -> (String, String) {
    let (host, page) = (i % 5, i / 5);
    (format!("h{host},com)/p{page}"), format!("http://com.h{host}/p{page}"))
}

fn key(i: u32) -> u128 {
    u128::from(i).wrapping_mul(0x9e3779b97f4a7c15f39cc0605cedc835)
}

type BuiltGraph = (Vec<(String, bool, Vec<u8>)>, Vec<(u32, u32, u32)>, BuildCounts);

fn build(options: BuildOptions, pages: &[u32], links: &[(u32, u32, bool)], memory: usize) -> BuiltGraph {
    let mut builder = GraphBuilder::new(options, &Budget::new(memory));
    for &page in pages {
        let (surt, url) = url(page);
        let attributes = page.to_be_bytes();
        builder
            .add_page(&PageInput {
                key: key(page),
                surt: surt.as_bytes(),
                url: url.as_bytes(),
                attributes: &attributes,
            })
            .unwrap();
    }
    for &(source, target, nofollow) in links {
        let (surt, url) = url(target);
        let (source, target) = (key(source), key(target));
        builder
            .add_link(&LinkInput { source, target, surt: surt.as_bytes(), url: url.as_bytes(), nofollow })
            .unwrap();
    }
    let mut nodes = Vec::new();
    let numbering = builder.number(|node| {
        assert_eq!(node.node as usize, nodes.len());
        nodes.push((String::from_utf8_lossy(node.url).into_owned(), node.crawled, node.attributes.to_vec()));
        Ok(())
    });
    let Numbering::Done(numbered) = numbering.unwrap() else { panic!("no keys collide") };
    let mut arcs = Vec::new();
    let (counts, _) = numbered
        .arcs(|u, v, w| {
            arcs.push((u, v, w));
            Ok(())
        })
        .unwrap();
    (nodes, arcs, counts)
}

/// The same by maps.
fn expected(options: &BuildOptions, pages: &[u32], links: &[(u32, u32, bool)]) -> BuiltGraph {
    let mut counts = BuildCounts { links: links.len() as u64, ..BuildCounts::default() };
    let crawled: BTreeSet<u32> = pages.iter().copied().collect();
    let mut kept = Vec::new();
    for &(u, v, nofollow) in links {
        if options.drop_nofollow && nofollow {
            counts.dropped_nofollow += 1;
        } else if options.stop_hosts.iter().any(|h| *h == format!("h{}", v % 5)) {
            counts.dropped_stop_host += 1;
        } else if options.drop_self && u == v {
            counts.dropped_self += 1;
        } else {
            kept.push((u, v));
        }
    }
    let names: BTreeMap<(String, String), u32> =
        crawled.iter().copied().chain(kept.iter().map(|k| k.1)).map(|i| (url(i), i)).collect();
    let number: BTreeMap<u32, u32> = names.values().enumerate().map(|(node, &i)| (i, node as u32)).collect();
    let mut arcs = BTreeMap::new();
    for (u, v) in kept {
        if !number.contains_key(&u) {
            counts.unknown_source += 1;
        } else if options.drop_internal && u % 5 == v % 5 {
            counts.dropped_internal += 1;
        } else {
            *arcs.entry((number[&u], number[&v])).or_insert(0) += 1;
        }
    }
    let nodes: Vec<_> = names
        .into_iter()
        .map(|((_, url), i)| {
            let crawled = crawled.contains(&i);
            (url, crawled, if crawled { i.to_be_bytes().to_vec() } else { Vec::new() })
        })
        .collect();
    counts.nodes = nodes.len() as u64;
    counts.crawled = crawled.len() as u64;
    counts.arcs = arcs.len() as u64;
    (nodes, arcs.into_iter().map(|((u, v), w)| (u, v, w)).collect(), counts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn equals_a_build_by_maps(
        pages in prop::collection::vec(0u32..60, 0..80),
        links in prop::collection::vec((0u32..60, 0u32..80, prop::bool::weighted(0.2)), 0..400),
        drop_self: bool, drop_internal: bool, drop_nofollow: bool, stop: bool, memory in 1usize..200_000,
    ) {
        let stop_hosts = if stop { vec!["h3".to_owned()] } else { vec![] };
        let options = BuildOptions { drop_self, drop_internal, drop_nofollow, stop_hosts };
        prop_assert_eq!(build(options.clone(), &pages, &links, memory), expected(&options, &pages, &links));
    }
}

#[test]
fn colliding_keys_are_told() {
    let mut builder = GraphBuilder::new(BuildOptions::default(), &Budget::new(1 << 20));
    builder.add_page(&PageInput { key: 7, surt: b"a)/", url: b"http://a/", attributes: b"" }).unwrap();
    // The second link has the key and slot of the first, but another URL.
    for (surt, url) in [(b"b)/", b"http://b/"), (b"c)/", b"http://c/")] {
        builder.add_link(&LinkInput { source: 7, target: 9, surt, url, nofollow: false }).unwrap();
    }
    let numbering = builder.number(|_| Ok(())).unwrap();
    assert!(matches!(numbering, Numbering::Collision { key: 9, nodes: (1, 2) }));
}

#[test]
fn subdomains_of_stop_hosts() {
    for (surt, below) in [
        ("com,ads)/", true),
        ("com,ads:81)/", true),
        ("com,ads,x)/", true),
        ("com,adsx)/", false),
        ("com)/", false),
    ] {
        assert_eq!(is_below(surt.as_bytes(), b"com,ads"), below, "{surt}");
    }
    assert!(!is_below(b"com)/", b""));
}

#[test]
fn stop_hosts_that_nothing_is_on_are_told() {
    let stop_hosts = ["com,a", "com,b", "com,c", "com,d"].map(String::from).to_vec();
    let options = BuildOptions { stop_hosts, drop_nofollow: true, ..BuildOptions::default() };
    let mut builder = GraphBuilder::new(options, &Budget::new(1 << 20));
    let page = PageInput { key: 7, surt: b"com,a)/", url: b"http://a.com/", attributes: b"" };
    builder.add_page(&page).unwrap();
    for (surt, url, nofollow) in
        [(&b"com,b,x)/"[..], &b"http://x.b.com/"[..], false), (b"com,c)/", b"http://c.com/", true)]
    {
        builder.add_link(&LinkInput { source: 7, target: 9, surt, url, nofollow }).unwrap();
    }
    let Numbering::Done(numbered) = builder.number(|_| Ok(())).unwrap() else { panic!("keys differ") };
    assert_eq!(numbered.unmet_stop_hosts(), ["com,d"]);
}

#[test]
fn the_file_holds_the_same_graph() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("graph");
    let mut builder = GraphBuilder::new(BuildOptions::default(), &Budget::new(1 << 20));
    for page in 0..3 {
        let (surt, url) = url(page);
        builder
            .add_page(&PageInput {
                key: key(page),
                surt: surt.as_bytes(),
                url: url.as_bytes(),
                attributes: b"",
            })
            .unwrap();
        for target in [page + 1, page + 1, 0] {
            let (surt, url) = self::url(target);
            let (source, target) = (key(page), key(target));
            builder
                .add_link(&LinkInput {
                    source,
                    target,
                    surt: surt.as_bytes(),
                    url: url.as_bytes(),
                    nofollow: false,
                })
                .unwrap();
        }
    }
    let Numbering::Done(numbered) = builder.number(|_| Ok(())).unwrap() else { panic!("no keys collide") };
    let (counts, hosts) = numbered.write(&path).unwrap();
    let graph = Csr::open(&path).unwrap();
    assert_eq!((graph.num_nodes(), graph.num_arcs()), (4, counts.arcs));
    assert_eq!(
        graph.arcs().collect::<Vec<_>>(),
        [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 1.0), (1, 2, 2.0), (2, 0, 1.0), (2, 3, 2.0)]
    );
    assert_eq!(hosts.len(), 4);
}
