//! Histories from an index of older shards, and the flags that visit again.

use webmill::crawl::event::outcome;

use super::crawl_again_site::{Manner, Pages, every, round, visits, words};
use super::crawl_support::{events, serve};
use super::support::Work;

const SEED: &str = "http://old.example/";

fn site() -> Pages {
    let pages = Pages::new(Manner::Silent);
    let links: String = (0..5).map(|n| format!("<a href=/page-{n}.html>{n}</a>")).collect();
    pages.set(SEED, links);
    (0..5).for_each(|n| pages.set(&format!("{SEED}page-{n}.html"), format!("<p>{}", words(n))));
    pages
}

#[test]
fn an_index_of_older_shards_becomes_histories() {
    let pages = site();
    let (server, _) = serve(pages.clone());
    let work = Work::new();
    let options = every(server.proxy(), 1);
    round(&work.path("old"), &options, &[SEED], 0.0);
    pages.set(&format!("{SEED}page-0.html"), format!("<p>{}", words(100)));
    round(&work.path("old"), &options, &[SEED], 10.0);
    // Since then another one changed.
    pages.set(&format!("{SEED}page-1.html"), format!("<p>{}", words(101)));
    for (format, out) in
        [("cdxj", "old.cdxj"), ("cdx9", "old9.cdx"), ("cdx11", "old.cdx"), ("zipnum", "zip/old.idx")]
    {
        std::fs::create_dir_all(work.path("zip")).unwrap();
        work.run(&["index", "old/shards", "--to", format, "-o", out]);
        let (new, proxy) = (format!("new-{format}"), server.proxy());
        let mut arguments =
            vec!["crawl", SEED, "--out", &new, "--proxy", &proxy, "--delay", "0", "--import", out];
        arguments.push("--revisit");
        let said = String::from_utf8(work.run(&arguments).stderr).unwrap();
        assert!(said.contains("12 lines, 0 of them unreadable; 6 pages with 12 visits"), "{format}: {said}");
        let folder = work.path(&new);
        let found = visits(&folder, 0);
        assert_eq!(found.len(), 6, "{format}: each page is visited once: {found:?}");
        for (url, what) in &found {
            let changed = url.ends_with("page-1.html");
            assert_eq!(what, if changed { "changed" } else { "unchanged" }, "{format}: {url}");
        }
        // What is as it was takes no second copy, and says where the first one is.
        let again = work.run(&["crawl", "--out", &new, "--import", out]);
        let said = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(said.contains("0 pages with 0 visits; left out: known-already 12"), "{format}: {said}");
    }
}

#[test]
fn imported_histories_survive_the_loss_of_the_frontier() {
    let pages = site();
    let (server, _) = serve(pages.clone());
    let work = Work::new();
    let options = every(server.proxy(), 1);
    round(&work.path("old"), &options, &[SEED], 0.0);
    round(&work.path("old"), &options, &[SEED], 10.0);
    pages.set(&format!("{SEED}page-1.html"), format!("<p>{}", words(101)));
    work.run(&["index", "old/shards", "--to", "cdxj", "-o", "old.cdxj"]);
    let proxy = server.proxy();
    // Nothing is visited but the seed: all else is known from the index alone.
    let mut arguments = vec!["crawl", SEED, "--out", "new", "--proxy", &proxy, "--delay", "0"];
    arguments.extend(["--import", "old.cdxj", "--depth", "0"]);
    work.run(&arguments);
    let imported = |told: &[webmill::crawl::event::Event]| {
        told.iter().filter(|event| event.outcome == outcome::IMPORTED).count()
    };
    assert_eq!(imported(&events(&work.path("new"))), 6);
    std::fs::remove_dir_all(work.path("new/frontier")).unwrap();
    let arguments =
        ["crawl", SEED, "--out", "new", "--proxy", &proxy, "--delay", "0", "--depth", "5", "--revisit"];
    let said = String::from_utf8(work.run(&arguments).stderr).unwrap();
    assert!(said.contains("built again"), "{said}");
    let found = visits(&work.path("new"), 0);
    for (url, what) in &found {
        let changed = url.ends_with("page-1.html");
        assert_eq!(what, if changed { "changed" } else { "unchanged" }, "{url}: {found:?}");
    }
    assert!(found.iter().any(|(url, _)| url.ends_with("page-1.html")), "{found:?}");
    assert_eq!(imported(&events(&work.path("new"))), 6, "once");
    let again = work.run(&["crawl", "--out", "new", "--import", "old.cdxj"]);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("0 pages with 0 visits; left out: known-already 12"), "{said}");
}

#[test]
fn a_folder_opened_again_says_what_is_due_and_the_flag_visits_it() {
    let (server, _) = serve(site());
    let work = Work::new();
    let mut options = every(server.proxy(), 7);
    options.again = webmill::crawl::Again::Later;
    round(&work.path("crawl"), &options, &[SEED], 0.0);
    std::fs::write(work.path("crawl/seeds.txt"), format!("{SEED}\n")).unwrap();
    let proxy = server.proxy();
    let so_far = events(&work.path("crawl")).len();
    let said = work.run(&["crawl", "--out", "crawl", "--proxy", &proxy, "--delay", "0"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("6 pages of crawl are due; --revisit visits them"), "{said}");
    assert_eq!(visits(&work.path("crawl"), so_far), []);
    let said = work.run(&["crawl", "--out", "crawl", "--revisit"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("6 visits of known pages; visits found: new 6 · unchanged 6"), "{said}");
    assert_eq!(visits(&work.path("crawl"), so_far).len(), 6);
}
