//! Table `mirrors`: sites that have the same pages at the same paths are found, and what looks like it is not.

use std::collections::BTreeMap;

use webmill::jobs::mirrors::tables::{MirrorKind, MirrorRow};
use webmill::sim::{Config, Web};

use crate::crawl_support::{Written, serve};
use crate::support::{Work, story};

/// Extracts `shards`, finds duplicates and mirrors; the rows, and what `mirrors` said.
fn mirrors(work: &Work, shards: &str, out: &str, more: &[&str]) -> (Vec<MirrorRow>, String) {
    work.run(&["extract", shards, "--out", out]);
    work.run(&["dedup", out]);
    let said = work.said(&[&["mirrors", out], more].concat());
    (work.table(out, "mirrors"), said)
}

fn page(url: String, text: &str) -> (String, String) {
    let title = text.split('.').next().unwrap_or_default();
    (
        url,
        format!("<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"),
    )
}

/// Pages `/p?id=0` and so on of a site, with the stories of these numbers.
fn site(at: &str, stories: impl IntoIterator<Item = u64>) -> Vec<(String, String)> {
    (0..).zip(stories).map(|(i, number)| page(format!("{at}/p?id={i}"), &story(number))).collect()
}

#[test]
fn the_mirrors_of_the_simulated_web_are_found_and_no_others() {
    let work = Work::new();
    let config = Config { pages: 1500, pages_per_host: 25, words: 80, mirrors: 0.15, ..Config::default() };
    let web = Web::new(config).unwrap();
    work.write_web("shards", &web, u64::MAX);
    let (found, _) = mirrors(&work, "shards", "out", &[]);

    // Path by path of every host: the page whose body is there.
    let mut hosts: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for i in 0..web.len() {
        let page = web.page(i);
        if page.status != 200 {
            continue;
        }
        let (host, path) = page.url.trim_start_matches("http://").split_once('/').unwrap();
        let body = web.truth(i).mirror_of.unwrap_or(i);
        hosts.entry(host.to_owned()).or_default().insert(path.to_owned(), body);
    }
    let hosts: Vec<_> = hosts.into_iter().filter(|(_, paths)| paths.len() >= 10).collect();
    let mut expected = BTreeMap::new();
    for (i, (a, of_a)) in hosts.iter().enumerate() {
        for (b, of_b) in &hosts[i + 1..] {
            let agreeing = of_a.iter().filter(|(path, body)| of_b.get(*path) == Some(body)).count();
            let share = agreeing as f64 / of_a.len().min(of_b.len()) as f64;
            if agreeing >= 3 && share >= 0.3 {
                expected.insert((a.clone(), b.clone()), share);
            }
        }
    }
    let pairs: BTreeMap<_, _> =
        found.iter().map(|row| ((row.host_a.clone(), row.host_b.clone()), row.share)).collect();
    assert!(expected.len() >= 5, "{expected:?}");
    assert_eq!(pairs.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (pair, share) in &expected {
        assert!((pairs[pair] - share).abs() < 0.05, "{pair:?}: {} for {share}", pairs[pair]);
    }
    for row in &found {
        let kind = if row.share >= 0.7 { MirrorKind::Mirror } else { MirrorKind::Suspected };
        assert_eq!(row.kind, kind, "{row:?}");
    }
    work.write_web("many", &web, 100_000);
    assert_eq!(mirrors(&work, "many", "parts", &[]).0, found, "other shards");
}

#[test]
fn a_page_with_mirrors_is_fetched_before_its_equals() {
    let work = Work::new();
    let copied = ["http://n.example/z", "http://m1.example/a", "http://m2.example/b", "http://m3.example/c"];
    let mut pages: Vec<_> = copied.iter().map(|url| page((*url).to_owned(), &story(1))).collect();
    // Copies on the page's own domain are no mirrors.
    let own = [
        "http://n.example/y",
        "http://www.n.example/1",
        "http://n.example/2",
        "http://n.example/3",
        "http://n.example/4",
    ];
    pages.extend(own.iter().map(|url| page((*url).to_owned(), &story(2))));
    pages.push(page("http://n.example/x".to_owned(), &story(3)));
    work.write_pages("shards", &pages);
    work.run(&["run", "shards", "--out", "results"]);

    let order = |folder: &str, more: &[&str]| {
        let web = Written::default()
            .page("http://n.example/", &["/x", "/y", "/z"])
            .page("http://n.example/x", &[])
            .page("http://n.example/y", &[])
            .page("http://n.example/z", &[]);
        let (server, record) = serve(web);
        let proxy = server.proxy();
        let arguments = ["crawl", "http://n.example/", "--out", folder, "--proxy", &proxy, "--delay", "0"];
        let best = ["--strategy", "best", "--set", "crawl.connections=1", "--set", "crawl.sitemaps=false"];
        let output = work.run(&[&arguments[..], &best, more].concat());
        let asked = record.requests().into_iter().map(|(_, asked)| asked.url);
        let asked: Vec<String> = asked.filter(|url| !url.ends_with("robots.txt")).collect();
        let names = asked.iter().map(|url| url.rsplit('/').next().unwrap_or_default());
        (names.collect::<Vec<_>>().join(" "), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(order("plain", &[]).0, " x y z");
    let (informed, said) = order("informed", &["--earlier", "results"]);
    assert_eq!(informed, " z x y");
    assert!(!said.contains("earlier results"), "{said}");

    // Without the table the crawl goes on, and says what does not count.
    std::fs::remove_dir_all(work.path("results/dedup")).unwrap();
    let (less, said) = order("less", &["--earlier", "results"]);
    assert_eq!(less, " x y z");
    assert!(said.contains("mirrors do not count") && said.contains("webmill dedup"), "{said}");
}

#[test]
fn what_only_looks_like_a_mirror_is_none() {
    let work = Work::new();
    let for_sale = story(7);
    let frame = |number: u64| {
        let template = "<div class=menu><a href=/>Home</a> <a href=/news>News</a></div><div class=foot>Shop system 4.2</div>";
        format!("<html><body>{template}<div><h1>Item</h1><p>{}</p></div></body></html>", story(number))
    };
    let pages = [
        // Parked domains: one page each.
        (0..1200).map(|i| page(format!("http://parked{i}.example/"), &for_sale)).collect::<Vec<_>>(),
        // A host with one path, and many queries that all answer alike: it shares one cluster with its like.
        (0..30).map(|i| page(format!("http://one.example/?q={i}"), &for_sale)).collect(),
        (0..30).map(|i| page(format!("http://other.example/?q={i}"), &for_sale)).collect(),
        // One template, other content.
        (0..15).map(|i| (format!("http://shop1.example/{i}"), frame(1000 + i))).collect(),
        (0..15).map(|i| (format!("http://shop2.example/{i}"), frame(2000 + i))).collect(),
    ]
    .concat();
    work.write_pages("shards", &pages);
    let (found, _) = mirrors(&work, "shards", "out", &[]);
    assert_eq!(found, []);
    let counts = work.counts("out", "mirrors");
    assert_eq!(counts["kept"]["sites"], 1204);
    assert_eq!(counts["dropped"]["site-of-too-few-pages"], 1200);
}

#[test]
fn settings_and_missing_results_are_said() {
    let work = Work::new();
    work.write_pages("shards", &site("http://a.example", 0..3));
    work.run(&["extract", "shards", "--out", "out"]);
    let message = work.fails(&["mirrors", "out"], 2);
    assert!(message.contains("webmill dedup"), "{message}");
    work.run(&["dedup", "out"]);
    for (recipe, word) in [
        ("[mirrors]\nsuspected_from = 0.8\n", "suspected_from"),
        ("[mirrors]\nmin_sites = 3\n", "min_sites"),
        ("[mirrors]\nmin_pages = 0\n", "min_pages"),
    ] {
        std::fs::write(work.path("bad.toml"), recipe).unwrap();
        let message = work.fails(&["mirrors", "out", "--recipe", "bad.toml"], 2);
        assert!(message.contains(word), "{message}");
    }
    work.run(&["mirrors", "out"]);
    assert_eq!(work.table::<MirrorRow>("out", "mirrors"), []);
}
