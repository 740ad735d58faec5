//! What the pages of a host share is left out of a page that has little else to say.

use webmill::jobs::extract::template_row::{TemplateRow, TemplateVerdict};
use webmill::mill::TextRow;
use webmill::table::read_rows;

use crate::support::{Work, assert_same, story};

const FRAME: &str = "Our reading room is open every day of the week, and members may borrow up to ten books at a time, \
                     as long as they bring them back before the next new moon.";

/// A page whose frame says the same as on every page of its host.
fn page(number: usize) -> String {
    let prose: String = match number {
        0 => "<p>Nobody remembers where this is.</p>".into(),
        _ => (0..6)
            .map(|i| {
                format!(
                    "<p>Story {number} goes on, in part {i}, with the miller's {} daughter, who counted {} sacks of grain \
                     before the river rose, and told nobody that the {number}th of them was full of letters.</p>",
                    ["eldest", "second", "third"][(number + i) % 3],
                    number * 7 + i
                )
            })
            .collect(),
    };
    format!(
        "<html><head><title>Story {number}</title></head><body><div><h1>Story {number}</h1>{prose}</div>\
         <footer><p>{FRAME}</p></footer></body></html>"
    )
}

fn texts(work: &Work, out: &str) -> Vec<(String, String)> {
    let rows: Vec<TextRow> = read_rows(&work.path(out).join("extract/latest/texts")).unwrap();
    rows.into_iter().map(|row| (row.url, row.text)).collect()
}

#[test]
fn what_a_host_repeats_is_left_out_of_its_poor_pages() {
    let work = Work::new();
    let pages = (0..40).map(|number| (format!("http://stories.example/{number}.html"), page(number)));
    work.write_pages("shards", &pages.collect::<Vec<_>>());
    for (file, pages) in [("off.toml", 0), ("on.toml", 20), ("more.toml", 41)] {
        std::fs::write(work.path(file), format!("[extract]\ntemplate_pages = {pages}\n")).unwrap();
    }
    work.run(&["extract", "shards", "--out", "off", "--recipe", "off.toml"]);
    work.run(&["extract", "shards", "--out", "on", "--recipe", "on.toml", "--threads", "1"]);
    work.run(&["extract", "shards", "--out", "two", "--recipe", "on.toml", "--threads", "2"]);
    work.run(&["extract", "shards", "--out", "more", "--recipe", "more.toml"]);
    let (off, on) = (texts(&work, "off"), texts(&work, "on"));
    let framed = |texts: &[(String, String)]| {
        texts.iter().filter(|row| row.1.contains("reading room")).map(|row| row.0.clone()).collect::<Vec<_>>()
    };
    assert_eq!(framed(&off), ["http://stories.example/0.html"], "the poor page alone is fooled by its frame");
    assert_eq!(framed(&on), [] as [String; 0]);
    assert!(on.iter().any(|row| row.0.ends_with("/0.html") && row.1.contains("Nobody remembers")));
    let others = |texts: &[(String, String)]| {
        texts.iter().filter(|row| !row.0.ends_with("/0.html")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(others(&off), others(&on));
    assert_eq!(off, texts(&work, "more"), "too few pages to compare");
    assert_same(&work.committed("on"), &work.committed("two"), "2 threads");

    let learnt: Vec<TemplateRow> = work.table("on", "extract");
    let [row] = learnt.as_slice() else { panic!("one host, and one text that its pages share: {learnt:?}") };
    assert_eq!((row.url_host_name.as_str(), row.verdict), ("stories.example", TemplateVerdict::On));
    assert_eq!((row.pages, row.sampled, row.texts), (40, 20, 1));
    assert_eq!((row.path.as_deref(), row.depth, row.shown), (Some("body > footer > p"), Some(2), Some(20)));
    assert_eq!((row.styles, row.importance, row.is_template), (Some(1), Some(0.0), Some(true)));
    assert!(row.words.is_some_and(|words| words > 30) && row.share > 0.1 && row.share < 0.5, "{row:?}");
    assert_eq!(work.counts("on", "extract")["kept"]["pruned-by-template"], 1);
}

/// A site of 260 pages, of which about and foot are a good part of each page.
#[test]
fn intro_and_foot_of_every_page_go_from_every_text() {
    let Some(path) = webmill_evaluation::data("cases/seeds/boilerplate-260.rawdb") else { return };
    let work = Work::new();
    work.run(&["extract", path.to_str().unwrap(), "--out", "on"]);
    std::fs::write(work.path("off.toml"), "[extract]\ntemplate_pages = 0\n").unwrap();
    work.run(&["extract", path.to_str().unwrap(), "--out", "off", "--recipe", "off.toml"]);
    let lines = |out: &str| texts(&work, out).into_iter().map(|row| row.1).collect::<Vec<_>>();
    let (on, off) = (lines("on"), lines("off"));
    assert_eq!((on.len(), off.len()), (260, 260));
    let shared: Vec<&str> =
        off[0].lines().filter(|line| off.iter().all(|text| text.contains(line))).collect();
    // The choice of blocks may know them by itself.
    assert!(shared.len() <= 2, "intro and foot: {shared:?}");
    for (with, without) in on.iter().zip(&off) {
        let own: Vec<&str> = without.lines().filter(|line| !shared.contains(line)).collect();
        assert_eq!(with.lines().collect::<Vec<_>>(), own);
    }
    let mut seen = std::collections::HashSet::new();
    let twice: Vec<&str> =
        on.iter().flat_map(|text| text.lines()).filter(|line| !seen.insert(*line)).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn copies_of_one_text_keep_it() {
    let work = Work::new();
    let text: String = (0..5).map(|part| format!("<p>{}</p>", story(part))).collect();
    let page = |n: usize| {
        format!("<title>Copy {n}</title><h1>Copy {n}</h1>{text}<p>This copy was made for reader {n}.</p>")
    };
    let pages = (0..30).map(|n| (format!("http://copies.example/{n}"), page(n))).collect::<Vec<_>>();
    work.write_pages("shards", &pages);
    work.run(&["extract", "shards", "--out", "out"]);
    let last = story(4);
    assert!(texts(&work, "out").iter().all(|row| row.1.contains(&last)));
    let learnt: Vec<TemplateRow> = work.table("out", "extract");
    assert!(learnt.iter().all(|row| row.verdict == TemplateVerdict::Copies && row.share > 0.8), "{learnt:?}");
    assert!(learnt.len() >= 5 && learnt.iter().all(|row| row.texts == 0 && row.is_template == Some(false)));
}

/// A page of a shop: one frame, other words; or a page of a wiki, of its own shape.
fn shop(number: u64) -> String {
    let story = story(number);
    format!(
        "<html><head><title>Item {number}</title></head><body><div class=menu><a href=/>Home</a> <a href=/all>All</a></div>\
         <div><h1>Item {number}</h1><p>{story}</p><p>{}</p></div><div class=foot>Shop 4.2</div></body></html>",
        story.to_uppercase()
    )
}

#[test]
fn one_template_with_other_content_is_told_from_copies_and_from_pages_of_their_own() {
    let work = Work::new();
    let own = |number: u64| {
        let items: String =
            (0..1 + 3 * (number % 40)).map(|i| format!("<li><b>{i}</b> <i>of {number}</i></li>")).collect();
        format!("<html><body><div><p>{}</p></div><ul>{items}</ul></body></html>", story(500 + number))
    };
    let mut pages: Vec<(String, String)> = Vec::new();
    // One page in 25 is compared.
    for i in 0..300 {
        pages.push((format!("http://shop.example/{i}"), shop(i)));
        pages.push((format!("http://copies.example/?session={i}"), shop(1)));
        pages.push((format!("http://own.example/{i}"), own(i)));
    }
    // A page captured twice counts once.
    pages.push(("http://shop.example/0".to_owned(), shop(77)));
    work.write_pages("shards", &pages);
    work.run(&["extract", "shards", "--out", "out"]);
    let rows: Vec<TemplateRow> = work.table("out", "extract");
    let row = |row: TemplateRow| (row.url_host_name, row.compared, row.one_template, row.other_content);
    let mut found: Vec<_> = rows.into_iter().map(row).collect();
    found.dedup();
    let name = |host: &str| host.to_owned();
    assert_eq!(found.len(), 3, "what is said of a host is said alike on its rows: {found:?}");
    assert!(found.iter().all(|host| (4..=8).contains(&host.1)), "one page in 25: {found:?}");
    assert_eq!((&found[0].0, found[0].2, found[0].3), (&name("copies.example"), Some(1.0), Some(0.0)));
    assert_eq!((&found[2].0, found[2].2, found[2].3), (&name("shop.example"), Some(1.0), Some(1.0)));
    let (host, _, one_template, other_content) = &found[1];
    assert_eq!(host, "own.example");
    assert!(one_template.unwrap() < 0.3 && other_content <= one_template, "{found:?}");
}
