//! `webmill graph path`: chains of links.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::support::Work;

/// Pages by number, each with its links.
type Site = [(u32, &'static [(u32, &'static str)])];

fn url(page: u32) -> String {
    format!("http://h{}.org/{page}", page / 10)
}

fn results(work: &Work, site: &Site) {
    let pages: Vec<(String, String)> = site
        .iter()
        .map(|(page, links)| {
            let links: String =
                links.iter().map(|(to, text)| format!("<a href=\"{}\">{text}</a> ", url(*to))).collect();
            (
                url(*page),
                format!("<title>{page}</title><p>{} {links}", crate::support::story(u64::from(*page))),
            )
        })
        .collect();
    work.write_pages("shards", &pages);
    work.run(&["extract", "shards", "--out", "results"]);
    work.run(&["graph", "results"]);
}

/// 1 → 2 → 3 → 14 and 1 → 12 → 3; 1 → 14 there is not; 21 leads here, but nothing leads to it.
const SITE: &Site = &[
    (1, &[(2, "to two"), (12, "to twelve"), (2, "again")]),
    (2, &[(3, "from two to three"), (1, "back")]),
    (3, &[(14, "to <b>fourteen</b>"), (1, "home")]),
    (12, &[(3, ""), (3, "three, with words")]),
    (14, &[]),
    (21, &[(1, "home")]),
];

#[test]
fn chains_of_pages_tell_what_their_links_say() {
    let work = Work::new();
    results(&work, SITE);
    let (from, to) = (url(1), url(14));
    let found = work.json(&["graph", "path", "results", &from, &to, "--top", "100", "--format", "json"]);
    assert_eq!(found["length"], 3.0);
    assert_eq!(found["chains"], "2");
    let chains: Vec<Vec<&str>> = found["printed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chain| chain["nodes"].as_array().unwrap().iter().map(|node| node.as_str().unwrap()).collect())
        .collect();
    let urls = |pages: &[u32]| pages.iter().map(|page| url(*page)).collect::<Vec<_>>();
    assert_eq!(chains, [urls(&[1, 2, 3, 14]), urls(&[1, 12, 3, 14])]);
    let anchors = |chain: usize| -> Vec<&str> {
        let links = found["printed"][chain]["links"].as_array().unwrap();
        links.iter().map(|link| link["anchor"].as_str().unwrap()).collect()
    };
    assert_eq!(anchors(0), ["to two", "from two to three", "to fourteen"]);
    assert_eq!(anchors(1), ["to twelve", "three, with words", "to fourteen"]);
    assert_eq!(
        (&found["printed"][0]["links"][0]["weight"], &found["printed"][0]["links"][0]["links"]),
        (&2.0.into(), &2.into())
    );
    let text = String::from_utf8(work.run(&["graph", "path", "results", &from, &to]).stdout).unwrap();
    assert_eq!(
        text,
        format!(
            "3 links; 2 shortest chains\n\n{}\n  ↓ “to two”, weight 2\n{}\n  ↓ “from two to three”\n{}\n  ↓ “to fourteen”\n{}\n\n1 more are not printed (--top)\n",
            url(1),
            url(2),
            url(3),
            url(14)
        )
    );
    // Not in canonical form, and the results of the folder one is in.
    let mut here = work.webmill(&["graph", "path", "HTTP://h0.ORG:80/x/../1#top", &to]);
    let output = here.current_dir(work.path("results")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
    let text = String::from_utf8(
        work.run(&["graph", "path", "results", "h0.org", "h1.org", "--level", "host"]).stdout,
    )
    .unwrap();
    assert_eq!(text, "1 link; 1 shortest chain\n\nh0.org\n  ↓ link, weight 2\nh1.org\n");
    // Many links are a short way: over 2, which has two links from 1, and not over 12, which has two to 3.
    let near = work.json(&[
        "graph",
        "path",
        "results",
        &from,
        &url(3),
        "--weights",
        "strength",
        "--top",
        "100",
        "--format",
        "json",
    ]);
    assert_eq!((&near["length"], &near["chains"]), (&1.5.into(), &"2".into()));
}

#[test]
fn what_cannot_be_reached_is_said() {
    let work = Work::new();
    results(&work, SITE);
    let message = work.fails(&["graph", "path", "results", &url(14), &url(1)], 1);
    assert!(
        message.contains("no chain of links leads from http://h1.org/14 to http://h0.org/1"),
        "{message}"
    );
    assert!(message.contains("1 of 6 nodes can be reached"), "{message}");
    let message = work.fails(&["graph", "path", "results", &url(1), &url(21), "--weights", "strength"], 1);
    assert!(message.contains("5 of 6 nodes can be reached"), "{message}");
    for (bad, why) in [
        (vec!["graph", "path", "results", "http://nowhere.org/", "http://h0.org/1"], "no such node"),
        (vec!["graph", "path", "nothing", "http://h0.org/1", "http://h0.org/2"], "nothing"),
    ] {
        assert!(work.fails(&bad, 2).contains(why), "{bad:?}");
    }
}

/// Arcs by a rule, as a graph file without names.
fn file(work: &Work, nodes: u32, of: impl Fn(u32) -> Vec<u32>) -> BTreeMap<u32, BTreeSet<u32>> {
    let arcs: BTreeMap<u32, BTreeSet<u32>> = (0..nodes).map(|u| (u, of(u).into_iter().collect())).collect();
    let text: String =
        arcs.iter().flat_map(|(u, next)| next.iter().map(move |v| format!("{u} {v}\n"))).collect();
    std::fs::write(work.path("graph.txt"), text).unwrap();
    arcs
}

#[test]
fn files_without_names_go_by_numbers() {
    let work = Work::new();
    let arcs = file(&work, 3000, |u| (1..=u % 4 + 1).map(|i| (u * 7 + i * i * 131) % 3000).collect());
    let mut distance = BTreeMap::from([(5u32, 0u32)]);
    let mut open = VecDeque::from([5u32]);
    while let Some(u) = open.pop_front() {
        for v in &arcs[&u] {
            if !distance.contains_key(v) {
                distance.insert(*v, distance[&u] + 1);
                open.push_back(*v);
            }
        }
    }
    for to in [5u32, 6, 1234, 2999] {
        let to_text = to.to_string();
        let asked = ["graph", "path", "graph.txt", "5", &to_text, "--top", "100", "--format", "json"];
        let Some(length) = distance.get(&to) else {
            work.fails(&asked, 1);
            continue;
        };
        let found = work.json(&asked);
        assert_eq!(found["length"], f64::from(*length));
        for chain in found["printed"].as_array().unwrap() {
            let nodes: Vec<u32> = chain["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|node| node.as_str().unwrap().parse().unwrap())
                .collect();
            assert!(nodes.windows(2).all(|pair| arcs[&pair[0]].contains(&pair[1])));
            assert_eq!((nodes[0], nodes[nodes.len() - 1], nodes.len()), (5, to, *length as usize + 1));
        }
    }
}

#[test]
fn hostile_urls_and_anchors_are_printed_harmlessly() {
    let work = Work::new();
    let page = |links: &str| format!("<title>x</title><p>{} {links}", crate::support::story(1));
    let evil = "http://h0.org/?a=%3Cscript%3Ealert(1)%3C/script%3E&b='\"x";
    work.write_pages(
        "shards",
        &[
            (
                "http://h0.org/".into(),
                page(&format!(
                    "<a href=\"{}\">\u{202e}&lt;b&gt;\u{7}</a>",
                    evil.replace('&', "&amp;").replace('"', "&quot;")
                )),
            ),
            (evil.into(), page("<a href=\"/\">home</a>")),
        ],
    );
    work.run(&["extract", "shards", "--out", "results"]);
    work.run(&["graph", "results"]);
    let path = work.run(&["graph", "path", "results", "http://h0.org/", evil]).stdout;
    let path = String::from_utf8(path).unwrap();
    assert!(path.contains("<b>") && !path.contains(['\u{7}', '\u{202e}', '\u{1b}']), "{path}");
}
