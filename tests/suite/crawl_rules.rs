//! Crawls that rules steer: they fetch what the rules need and no more, and the tables made of their shards are those of a crawl of
//! the whole site.

use std::collections::BTreeSet;
use std::path::Path;

use webmill::capture::CanonicalUrl;
use webmill::crawl::steering::{NO_RULE, SteeringOptions};
use webmill::crawl::{CrawlOptions, Ended, Totals};

use super::crawl_support::{
    Written, crawl, crawl_until, events, message, outcomes, serve, shard_files, swift,
};
use super::support::{Work, mirror};

const SHOP: &str = r#"
[rule]
id = "shop"
name = "A shop"

[[layer]]
id = "list"
entries = ["http://shop.example/list?page=<1,2,1,false>"]
paging = "next"

[[layer]]
id = "item"
from = "link"

[[layer]]
id = "maker"
from = "maker_link"

[[layer]]
id = "twin"
from = "twin_link"

[[layer]]
id = "manual"
from = "manual_link"

[[tag]]
id = "link"
layer = "list"
css = "li a"
link = true

[[tag]]
id = "next"
layer = "list"
css = "a.next"
link = true

[[tag]]
id = "name"
layer = "item"
css = "h1"

[[tag]]
id = "maker_link"
layer = "item"
css = "a.maker"
link = true

[[tag]]
id = "twin_link"
layer = "item"
css = "a.twin"
link = true

[[tag]]
id = "maker_name"
layer = "maker"
css = "h1"

[[tag]]
id = "manual_link"
layer = "twin"
css = "a.manual"
link = true

[[tag]]
id = "text"
layer = "manual"
css = "p.text"

[[group]]
name = "items"
columns = [{ name = "name", tag = "name" }, { name = "maker", tag = "maker_name" }]

[[group]]
name = "manuals"
columns = [{ name = "name", tag = "name" }, { name = "text", tag = "text" }]
"#;

/// Layers that open each other.
const TREE: &str = r#"
[rule]
id = "tree"
name = "A tree that is none"

[[layer]]
id = "one"
entries = ["http://shop.example/tree/0"]
from = "up"

[[layer]]
id = "other"
from = "down"

[[tag]]
id = "down"
layer = "one"
css = "a.down"
link = true

[[tag]]
id = "up"
layer = "other"
css = "a.up"
link = true

[[tag]]
id = "name"
layer = "one"
css = "h1"

[[group]]
name = "names"
columns = [{ name = "name", tag = "name" }]
"#;

const ITEMS: u32 = 12;
const NOISE: u32 = 40;

fn html(title: &str, body: &str) -> Vec<u8> {
    let noise = (title.len() as u32 * 7) % NOISE;
    let links: String = (0..4)
        .map(|n| format!("<p><a href='http://shop.example/noise/{}'>noise</a></p>", (noise + n) % NOISE))
        .collect();
    let page = format!("<!DOCTYPE html><title>{title}</title><h1>{title}</h1>{body}{links}");
    message("200 OK", "Content-Type: text/html; charset=utf-8\r\n", &page)
}

fn address(path: &str) -> String {
    format!("http://shop.example/{path}")
}

/// Lists of three items each, the last leading back to the first; items with a maker, a manual and a twin, which is the next item; noise.
fn shop() -> Written {
    let mut site = Written::default();
    let front = "<a href='/list?page=1'>shop</a> <a href='/tree/0'>tree</a> <a href='/note/4'>note</a>";
    site = site.answer(&address(""), html("Front", front));
    let lists = ITEMS / 3;
    for page in 1..=lists {
        let items: String = (3 * page - 2..=3 * page)
            .map(|n| format!("<li><a href='/{}/{n}'>item</a></li>", if n == 2 { "old" } else { "item" }))
            .collect();
        let body = format!("<ul>{items}</ul><a class=next href='?page={}'>next</a>", page % lists + 1);
        site = site.answer(&address(&format!("list?page={page}")), html(&format!("List {page}"), &body));
    }
    for n in 1..=ITEMS {
        let body = format!(
            "<a class=maker href='/maker/{}'>m</a><a class=twin href='/item/{}'>t</a><a class=manual href='/manual/{n}'>b</a>",
            n % 3,
            n % ITEMS + 1
        );
        site = site.answer(&address(&format!("item/{n}")), html(&format!("Item {n}"), &body));
        let text = format!("<p class=text>How to use item {n}</p>");
        site = site.answer(&address(&format!("manual/{n}")), html(&format!("Manual {n}"), &text));
    }
    for n in 0..3 {
        site = site.answer(&address(&format!("maker/{n}")), html(&format!("Maker {n}"), ""));
    }
    for n in 0..5 {
        let (down, up) = ((n + 1) % 5, (n + 2) % 5);
        let body = format!("<a class=down href='/tree/{down}'>d</a><a class=up href='/tree/{up}'>u</a>");
        site = site.answer(&address(&format!("tree/{n}")), html(&format!("Tree {n}"), &body));
    }
    for n in 0..NOISE {
        let next = format!("<a href='/noise/{}'>on</a>", (n + 1) % NOISE);
        site = site.answer(&address(&format!("noise/{n}")), html(&format!("Noise {n}"), &next));
    }
    for n in 1..=4 {
        site = site.answer(&address(&format!("note/{n}")), html(&format!("Note {n}"), ""));
    }
    site.answer(&address("old/2"), message("301 Moved Permanently", "Location: /item/2\r\n", ""))
}

/// What the rule of the shop needs.
fn needed() -> BTreeSet<String> {
    let mut all: BTreeSet<String> = (1..=ITEMS / 3).map(|n| address(&format!("list?page={n}"))).collect();
    all.extend((1..=ITEMS).flat_map(|n| [address(&format!("item/{n}")), address(&format!("manual/{n}"))]));
    all.extend((0..3).map(|n| address(&format!("maker/{n}"))));
    all.insert(address("old/2"));
    all
}

fn steered_by(rules: &[&str], options: CrawlOptions) -> CrawlOptions {
    let text = |(n, text): (usize, &&str)| (format!("{n}.toml"), (*text).to_owned());
    let texts = rules.iter().enumerate().map(text).collect();
    CrawlOptions { rules: SteeringOptions { texts, ..SteeringOptions::default() }, ..options }
}

fn seeds() -> Vec<CanonicalUrl> {
    vec![CanonicalUrl::parse(&address("")).unwrap()]
}

fn fetched(folder: &Path) -> BTreeSet<String> {
    outcomes(folder).into_keys().collect()
}

/// Rows of the tables of rules over the shards of a crawl, but for where the pages stand.
fn rows(work: &Work, folder: &str, rule: &str, tables: &[&str]) -> Vec<String> {
    std::fs::write(work.path("rule.toml"), rule).unwrap();
    // By this file the job knows the folder of a crawl, whose log tells of redirects.
    std::fs::write(work.path(folder).join("crawl.toml"), "").unwrap();
    let out = format!("{folder}-results");
    work.run(&["rules", "rule.toml", "--shards", folder, "--out", &out]);
    let rows = |table: &&str| {
        let columns = if table.ends_with("items") {
            "name, maker, url, top_url, layer, path"
        } else if table.ends_with("manuals") {
            "name, text, url, top_url, layer, path"
        } else {
            "name, url, top_url, layer, path"
        };
        let sql = format!("SELECT {columns} FROM {table}");
        let output = work.run(&["query", &out, &sql, "--format", "csv"]);
        String::from_utf8(output.stdout).unwrap()
    };
    tables.iter().map(rows).collect()
}

const TABLES: [&str; 2] = ["rule_shop_items", "rule_shop_manuals"];

#[test]
fn a_steered_crawl_fetches_what_rules_need_and_gives_the_rows_of_the_whole_site() {
    let (server, _) = serve(shop());
    let work = Work::new();
    crawl(&work.path("full"), &swift(server.proxy()), &seeds());
    let full = rows(&work, "full", SHOP, &TABLES);
    assert!(full[0].lines().count() > ITEMS as usize && full[1].contains("How to use item 7"), "{full:?}");
    assert!(fetched(&work.path("full")).len() > needed().len() + NOISE as usize);
    let mut orders = Vec::new();
    for (name, connections) in [("one", 1), ("again", 1), ("many", 32)] {
        let options = CrawlOptions { connections, ..swift(server.proxy()) };
        let totals = crawl(&work.path(name), &steered_by(&[SHOP], options), &[]);
        assert_eq!(fetched(&work.path(name)), needed(), "{name}");
        assert_eq!(rows(&work, name, SHOP, &TABLES), full, "{name}");
        let counted = |what: &str| totals.rules.get(what);
        assert_eq!(counted("pages"), totals.stored, "{name}");
        assert!(counted("links") > totals.stored, "an item is also a twin: {:?}", totals.rules);
        assert!(totals.refused.get(NO_RULE) > 100, "{:?}", totals.refused);
        assert_eq!(totals.outcomes.get("requeued"), 0, "{name}: stored pages are read back");
        if connections == 1 {
            assert!(counted("looks") > 0, "the twin of the last item was read before: {:?}", totals.rules);
            orders.push(events(&work.path(name)).into_iter().map(|event| event.url).collect::<Vec<_>>());
        }
    }
    assert_eq!(orders[0], orders[1], "with one connection the order is that of the answers");
}

#[test]
fn layers_that_open_each_other_end() {
    let (server, _) = serve(shop());
    let work = Work::new();
    crawl(&work.path("full"), &swift(server.proxy()), &seeds());
    crawl(&work.path("steered"), &steered_by(&[TREE], swift(server.proxy())), &[]);
    let tree: BTreeSet<String> = (0..5).map(|n| address(&format!("tree/{n}"))).collect();
    assert_eq!(fetched(&work.path("steered")), tree);
    let names = ["rule_tree_names"];
    assert_eq!(rows(&work, "steered", TREE, &names), rows(&work, "full", TREE, &names));
}

/// Runs a crawl to its end in parts, a few requests each; `between` happens between two of them.
fn in_parts(
    folder: &Path,
    options: &CrawlOptions,
    requests: &dyn Fn() -> u64,
    between: &mut dyn FnMut(u32),
) -> Totals {
    for part in 0..200 {
        let begun = requests();
        let (_, ended, totals) = crawl_until(folder, options, &[], &|| requests() >= begun + 4).unwrap();
        if ended == Ended::Finished {
            return totals;
        }
        between(part);
    }
    panic!("it does not end");
}

#[test]
fn interrupted_set_back_or_built_again_it_comes_to_the_same_end() {
    let (server, _) = serve(shop());
    let work = Work::new();
    crawl(&work.path("full"), &swift(server.proxy()), &seeds());
    let full = rows(&work, "full", SHOP, &TABLES);
    let aside = work.path("aside");
    for name in ["stopped", "set-back", "lost"] {
        let folder = work.path(name);
        let frontier = folder.join("frontier");
        let options = steered_by(&[SHOP], CrawlOptions { connections: 2, ..swift(server.proxy()) });
        let mut between = |part: u32| match name {
            // The frontier is as it was two parts ago, as after a crash: the rest is replayed.
            "set-back" if part.is_multiple_of(3) => mirror(&frontier, &aside),
            "set-back" if part % 3 == 2 => mirror(&aside, &frontier),
            "lost" if part % 3 == 2 => std::fs::remove_dir_all(&frontier).unwrap(),
            _ => {}
        };
        let totals = in_parts(&folder, &options, &|| server.requests(), &mut between);
        assert_eq!(fetched(&folder), needed(), "{name}");
        assert_eq!(rows(&work, name, SHOP, &TABLES), full, "{name}");
        assert_eq!(totals.stored, needed().len() as u64 - 1, "{name}: one of them is a redirect");
        if name == "stopped" {
            assert_eq!(totals.rules.get("pages"), totals.stored, "counts are kept");
        }
    }
}

#[test]
fn a_page_that_cannot_be_read_back_is_fetched_again() {
    let (server, record) = serve(shop());
    let work = Work::new();
    let folder = work.path("steered");
    let mut options = steered_by(&[SHOP], CrawlOptions { connections: 1, ..swift(server.proxy()) });
    // Each shard has a few records, so that finished ones can be taken away.
    options.archive.max_shard_bytes = 4096;
    let mut gone = 0;
    let totals = in_parts(&folder, &options, &|| server.requests(), &mut |part| {
        if part == 2 {
            let mut shards = shard_files(&folder);
            // The last one is written on.
            shards.pop();
            shards.iter().for_each(|shard| std::fs::remove_file(shard).unwrap());
            gone += shards.len();
        }
    });
    assert!(gone > 0 && totals.outcomes.get("requeued") > 0, "{gone}: {:?}", totals.outcomes);
    assert_eq!(fetched(&folder), needed());
    assert!(record.counts().values().any(|count| *count > 1));
}

#[test]
fn sitemaps_are_followed_to_pages_that_are_entered() {
    const NOTES: &str = r#"
[rule]
id = "notes"
name = "Notes"

[[layer]]
id = "note"
pages = ['/note/\d+$']

[[tag]]
id = "name"
layer = "note"
css = "h1"

[[group]]
name = "all"
columns = [{ name = "name", tag = "name" }]
"#;
    let listed: String = ["note/1", "note/2", "note/3", "noise/1", "noise/2"]
        .map(|path| format!("<url><loc>{}</loc></url>", address(path)))
        .concat();
    let sitemap = format!(
        "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{listed}</urlset>"
    );
    let robots = format!("User-agent: *\nAllow: /\nSitemap: {}\n", address("sitemap.xml"));
    let site = shop()
        .answer(&address("robots.txt"), message("200 OK", "Content-Type: text/plain\r\n", &robots))
        .answer(&address("sitemap.xml"), message("200 OK", "Content-Type: application/xml\r\n", &sitemap));
    let (server, record) = serve(site);
    let work = Work::new();
    let totals = crawl(&work.path("notes"), &steered_by(&[NOTES], swift(server.proxy())), &seeds());
    let wanted = ["", "note/1", "note/2", "note/3"].map(address);
    assert_eq!(fetched(&work.path("notes")), BTreeSet::from(wanted));
    assert_eq!(totals.rules.get("pages"), 3);
    // Without expressions for addresses there is nothing to look for in sitemaps.
    let before = record.counts().get(&address("sitemap.xml")).copied();
    assert_eq!(before, Some(1));
    crawl(&work.path("shop"), &steered_by(&[SHOP], swift(server.proxy())), &[]);
    assert_eq!(record.counts().get(&address("sitemap.xml")).copied(), before);
}

#[test]
fn the_command_takes_rules_and_goes_on_with_them_alone() {
    let (server, _) = serve(shop());
    let work = Work::new();
    super::crawl_support::write_recipe(&work.path("recipe.toml"), &swift(server.proxy()));
    std::fs::write(work.path("shop.toml"), SHOP).unwrap();
    std::fs::write(work.path("tree.toml"), TREE).unwrap();
    let command = |rules: &[&'static str]| {
        let mut arguments = vec!["crawl", "--recipe", "recipe.toml", "--out", "crawl"];
        rules.iter().for_each(|rule| arguments.extend(["--rules", rule]));
        arguments
    };
    let said = work.run(&command(&["shop.toml"])).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("rules took part in 31 pages, led along "), "{said}");
    assert_eq!(fetched(&work.path("crawl")), needed());
    let other = work.fails(&command(&["tree.toml"]), 2);
    assert!(other.contains("this crawl began with other rules"), "{other}");
    let none = work.fails(&command(&[]), 2);
    assert!(none.contains("this crawl began with other rules"), "{none}");
    // Its own rules are kept, whatever became of their file.
    std::fs::write(work.path("shop.toml"), "gone").unwrap();
    work.run(&["crawl", "--out", "crawl"]);
    assert_eq!(fetched(&work.path("crawl")), needed());
    work.run(&[
        "crawl",
        "http://shop.example/note/1",
        "--recipe",
        "recipe.toml",
        "--out",
        "plain",
        "--depth",
        "0",
    ]);
    let plain = work.fails(&["crawl", "--out", "plain", "--rules", "tree.toml"], 2);
    assert!(plain.contains("this crawl began without rules"), "{plain}");
}

#[test]
fn rules_with_mistakes_and_agents_are_refused() {
    let work = Work::new();
    std::fs::write(work.path("shop.toml"), SHOP.replace("css = \"a.next\"", "css = \"a[\"")).unwrap();
    std::fs::write(work.path("tree.toml"), TREE.replace("layer = \"other\"", "layer = \"nowhere\"")).unwrap();
    let told = work.fails(&["crawl", "--rules", "shop.toml", "--rules", "tree.toml", "--out", "crawl"], 2);
    for place in ["shop.toml: line ", "tag next", "tree.toml: line ", "tag up"] {
        assert!(told.contains(place), "{place}: {told}");
    }
    assert!(!work.path("crawl").exists());
    std::fs::write(work.path("shop.toml"), SHOP).unwrap();
    let shared = [
        "--set",
        "crawl.agents.agents=[\"a\", \"b\"]",
        "--set",
        "crawl.agents.name=a",
        "--set",
        "crawl.agents.exchange=exchange",
    ];
    let told = work.fails(&[&["crawl", "--rules", "shop.toml", "--out", "crawl"], &shared[..]].concat(), 2);
    assert!(told.contains("rules cannot steer a crawl that several agents share"), "{told}");
    let missing = work.fails(&["crawl", "--rules", "no.toml", "--out", "crawl"], 2);
    assert!(missing.contains("no.toml"), "{missing}");
}
