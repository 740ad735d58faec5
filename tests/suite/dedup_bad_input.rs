//! `webmill dedup` on texts that are made to break it, and on results of other programs.

use std::collections::BTreeMap;

use webmill::table::TableInWords;

use crate::planted_texts::{PlantedPage, plant};
use crate::support::Work;

/// Runs `webmill dedup` on planted pages; returns what it wrote to stderr.
fn dedup(work: &Work, pages: &[PlantedPage]) -> String {
    plant(&work.path("out"), pages, 2);
    let output = work.run(&["dedup", "out", "--memory", "64MiB", "--threads", "2"]);
    String::from_utf8(output.stderr).unwrap()
}

fn table(work: &Work, name: &str) -> TableInWords {
    TableInWords::read(&work.path("out/dedup/latest").join(name)).unwrap()
}

/// Pairs by URL with kind and resemblance.
fn pairs(work: &Work) -> BTreeMap<(String, String), (String, f64)> {
    let table = table(work, "duplicates");
    let column = |name| table.column(name).map(str::to_owned).collect::<Vec<_>>();
    let (a, b, kind, resemblance) = (column("a"), column("b"), column("kind"), column("resemblance"));
    (0..a.len())
        .map(|i| ((a[i].clone(), b[i].clone()), (kind[i].clone(), resemblance[i].parse().unwrap())))
        .collect()
}

fn words(from: usize, count: usize) -> String {
    (from..from + count).map(|i| format!("w{i} ")).collect()
}

fn numbered(texts: impl IntoIterator<Item = String>) -> Vec<PlantedPage> {
    texts.into_iter().enumerate().map(|(i, text)| PlantedPage::new(i, text)).collect()
}

#[test]
fn texts_that_say_nothing_are_duplicates_of_nothing() {
    let pages = numbered(
        [
            vec![String::new(); 5],
            vec![" \n\t".to_owned(), "\u{200B}\u{FEFF}".repeat(40), "…".to_owned()],
            // One word, equal and not; two words.
            vec!["word".to_owned(); 5],
            vec!["another".to_owned(), "word word".to_owned(), "a b".to_owned(), "a b".to_owned()],
            // Punctuation, equal and not.
            vec!["!?., ".repeat(100); 3],
            vec!["— … ".repeat(500), "* * *\n".repeat(20), "😀 ".repeat(300)],
            // One word many times: one shingle.
            vec!["word ".repeat(11), "word ".repeat(40), "word ".repeat(4000), "word ".repeat(200_000)],
            vec!["字".repeat(11), "a\u{301}".repeat(5000), "x".repeat(1 << 20)],
        ]
        .concat(),
    );
    let work = Work::new();
    dedup(&work, &pages);
    assert_eq!(pairs(&work), BTreeMap::new());
    assert!(table(&work, "clusters").rows.is_empty());
}

#[test]
fn long_texts_of_few_shingles_or_of_no_word_twice_are_compared_by_what_they_are() {
    let long = |from: usize, count: usize| words(from, count);
    let pages = numbered([
        // Three shingles, 1 MB and less.
        "to be or ".repeat(120_000),
        "to be or ".repeat(50_000),
        "to be or ".repeat(10),
        // 1 MB of distinct words; all but its last words; its first half; as many others.
        long(0, 140_000),
        long(0, 139_000),
        long(0, 70_000),
        long(1_000_000, 125_000),
        // One line of it, among others.
        long(2_000_000, 40) + &long(70_000, 60),
    ]);
    let url = |i: usize| pages[i].url.clone();
    let work = Work::new();
    dedup(&work, &pages);
    let pairs = pairs(&work);
    let near: Vec<_> =
        pairs.iter().filter(|(_, (kind, _))| kind == "near").map(|(pair, _)| pair.clone()).collect();
    assert!(near.contains(&(url(3), url(4))) && near.contains(&(url(0), url(1))), "{near:?}");
    let of_three = [url(0), url(1), url(2)];
    for ((a, b), (kind, resemblance)) in &pairs {
        let allowed = of_three.contains(a) && of_three.contains(b)
            || [url(3), url(4), url(5)].contains(a) && [url(4), url(5)].contains(b);
        assert!(allowed, "{a} {b} {kind}");
        assert!(kind == "contained" || *resemblance >= 0.8, "{a} {b} {kind} {resemblance}");
    }
}

#[test]
fn short_pages_that_differ_in_one_word_end_no_run() {
    // Bands of so short texts agree by the hundred, and no two resemble each other enough.
    let pages = numbered((0..2000).map(|i| {
        format!("our shop sells one item only and it is called item{i} and nothing but item{i} thank you")
    }));
    let work = Work::new();
    dedup(&work, &pages);
    assert!(pairs(&work).values().all(|(kind, resemblance)| kind == "near" && *resemblance >= 0.8));
}

#[test]
fn a_damaged_table_of_texts_is_named() {
    let pages = numbered([words(0, 200), words(0, 199)]);
    let work = Work::new();
    let extract = plant(&work.path("out"), &pages, 1);
    let part = extract.path("texts").join("part-000000.parquet");
    let mut bytes = std::fs::read(&part).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle / 2..middle].fill(0xAA);
    std::fs::write(&part, bytes).unwrap();
    let message = work.fails(&["dedup", "out"], 2);
    assert!(message.contains("part-000000.parquet"), "{message}");
}
