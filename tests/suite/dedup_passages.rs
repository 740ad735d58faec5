//! Passages and contained texts, from tables of texts to tables of passages, against brute force.

use std::collections::BTreeMap;
use std::sync::Mutex;
use webmill_capture::cut::Cut;

use serde::Serialize;
use webmill::Result;
use webmill::jobs::dedup::passages::row::PassageRow;
use webmill::jobs::dedup::passages::{NearBound, find};
use webmill::jobs::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow, FoundBy};
use webmill::jobs::output::{first_part, write_rows};
use webmill::run::{Committed, Job, Measure, Progress, Silent, Stage};
use webmill::table::{Table, TableInWords};

use crate::planted_texts::{PlantedPage, plant, run_job};
use crate::support::Work;

/// What the search for near-duplicates would have left, then the search for passages: two units of one job.
#[derive(Serialize, Default)]
struct Search {
    /// Whether passages are sought.
    passages: bool,
    min_resemblance: f64,
    /// URLs that another page stands for.
    copies: Vec<String>,
    /// Pairs of URLs that are near.
    near: Vec<(String, String)>,
    /// Leaves what a run leaves that ended while it wrote.
    interrupted: bool,
}

impl Search {
    fn new() -> Self {
        Search { passages: true, min_resemblance: 0.8, ..Search::default() }
    }
}

impl Job for Search {
    type Input = Committed;
    const NAME: &'static str = "dedup";
    const VERSION: u32 = 1;

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        let key = |url: &str| {
            PlantedPage { url: url.to_owned(), text: String::new(), time_ms: 0, superseded: false }
                .rows(0)
                .0
                .url_key
        };
        stage.unit("duplicates", |unit| {
            let near = self.near.iter().map(|(a, b)| DuplicateRow {
                a: a.clone(),
                b: b.clone(),
                a_key: key(a),
                b_key: key(b),
                kind: DuplicateKind::Near,
                ..DuplicateRow::default()
            });
            write_rows(unit, first_part::<DuplicateRow>(), near)?;
            let copies =
                self.copies.iter().map(|url| ClusterRow { url: url.clone(), ..ClusterRow::default() });
            write_rows(unit, first_part::<ClusterRow>(), copies)
        })?;
        let duplicates = stage.path(DuplicateRow::NAME);
        if self.interrupted {
            std::fs::write(duplicates.join("part-000001.parquet"), "PAR1 and no more").unwrap();
        }
        let near = NearBound { shingle_words: 3, min_resemblance: self.min_resemblance, min_words: 12 };
        stage.unit("passages", |unit| {
            find(self.passages, &near, extract, &stage.path(ClusterRow::NAME), &duplicates, unit)
        })
    }
}

/// What was found of planted pages.
struct FoundPassages {
    committed: Committed,
    texts: BTreeMap<String, String>,
}

/// A row of table `passages`.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    a: String,
    b: String,
    a_slice: String,
    b_slice: String,
    words: usize,
    share_a: f64,
    share_b: f64,
}

fn search(work: &Work, search: &Search, pages: &[PlantedPage]) -> FoundPassages {
    let extract = plant(&work.path("out"), pages, 2);
    let committed = run_job(search, &extract, &work.path("out"), 2, 64 << 20, &Silent).unwrap();
    FoundPassages {
        committed,
        texts: pages.iter().map(|page| (page.url.clone(), page.text.clone())).collect(),
    }
}

impl FoundPassages {
    fn table(&self, name: &str) -> TableInWords {
        TableInWords::read(&self.committed.path(name)).unwrap()
    }

    fn passages(&self) -> Vec<Row> {
        let table = self.table(PassageRow::NAME);
        let column = |name| table.column(name).map(str::to_owned).collect::<Vec<_>>();
        let number = |name| column(name).iter().map(|n| n.parse::<f64>().unwrap()).collect::<Vec<_>>();
        let (a, b) = (column("a"), column("b"));
        let slice =
            |url: &String, from: f64, to: f64| self.texts[url].cut(from as usize..to as usize).to_owned();
        let places = [number("a_start"), number("a_end"), number("b_start"), number("b_end")];
        (0..table.rows.len())
            .map(|i| Row {
                a_slice: slice(&a[i], places[0][i], places[1][i]),
                b_slice: slice(&b[i], places[2][i], places[3][i]),
                a: a[i].clone(),
                b: b[i].clone(),
                words: number("words")[i] as usize,
                share_a: number("share_a")[i],
                share_b: number("share_b")[i],
            })
            .collect()
    }

    /// (a, b, kind, a_in_b, b_in_a) of the pairs that passages showed.
    fn pairs(&self) -> Vec<(String, String, String, f64, f64)> {
        let table = self.table(DuplicateRow::NAME);
        let column = |name| table.column(name).map(str::to_owned).collect::<Vec<_>>();
        let (a, b, kind, by) = (column("a"), column("b"), column("kind"), column("found_by"));
        let (a_in_b, b_in_a) = (column("a_in_b"), column("b_in_a"));
        (0..table.rows.len())
            .filter(|&i| by[i] == FoundBy::Passages.as_str())
            .map(|i| {
                (
                    a[i].clone(),
                    b[i].clone(),
                    kind[i].clone(),
                    a_in_b[i].parse().unwrap(),
                    b_in_a[i].parse().unwrap(),
                )
            })
            .collect()
    }

    fn dropped(&self, reason: &str) -> u64 {
        self.committed.manifest.counts.dropped.get(reason).copied().unwrap_or(0)
    }
}

fn words(from: usize, count: usize) -> String {
    (from..from + count).map(|i| format!("w{i} ")).collect()
}

fn numbered(texts: impl IntoIterator<Item = String>) -> Vec<PlantedPage> {
    texts.into_iter().enumerate().map(|(i, text)| PlantedPage::new(i, text)).collect()
}

#[test]
fn a_passage_of_90_words_in_630_is_a_row_whose_bytes_are_the_passage() {
    let passage = words(1_000_000, 90);
    let pages = numbered([
        format!("{}{passage}{}", words(0, 300), words(300, 240)),
        words(2000, 500),
        format!("Él dijo: «{}». {}", passage.trim(), words(5000, 200)),
    ]);
    let work = Work::new();
    let found = search(&work, &Search::new(), &pages);
    let rows = found.passages();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0].a, &rows[0].b), (&pages[0].url, &pages[2].url));
    assert_eq!((rows[0].a_slice.as_str(), rows[0].b_slice.as_str()), (passage.trim(), passage.trim()));
    assert_eq!((rows[0].words, rows[0].share_a, rows[0].share_b), (90, 90.0 / 630.0, 90.0 / 292.0));
    let table = found.table(PassageRow::NAME);
    assert_eq!(table.column("a_host").collect::<Vec<_>>(), ["h0.example"]);
    assert_eq!(table.column("b_host").collect::<Vec<_>>(), ["h2.example"]);
    assert!(found.pairs().is_empty());
}

/// Chapters with headings of their own, and a page of all of them.
fn manual(chapters: usize) -> (Vec<String>, String) {
    let chapters: Vec<String> =
        (0..chapters).map(|i| format!("Chapter {i}. {}", words(i * 1000, 60 + i % 40))).collect();
    let whole = chapters.join("\n");
    (chapters, whole)
}

#[test]
fn a_manual_split_in_pages_is_contained_in_its_form_on_one_page() {
    let (chapters, whole) = manual(150);
    for first in [true, false] {
        let texts = match first {
            true => [vec![whole.clone()], chapters.clone()].concat(),
            false => [chapters.clone(), vec![whole.clone()]].concat(),
        };
        let work = Work::new();
        let pages = numbered(texts);
        let found = search(&work, &Search::new(), &pages);
        let pairs = found.pairs();
        assert_eq!(pairs.len(), 150);
        let one = &pages[if first { 0 } else { 150 }].url;
        for (a, b, kind, a_in_b, b_in_a) in pairs {
            assert_eq!(kind, "contained");
            let (part, of_part, of_whole) = if first { (b, b_in_a, a_in_b) } else { (a, a_in_b, b_in_a) };
            assert_ne!(&part, one);
            assert_eq!(of_part, 1.0);
            assert!(of_whole < 0.02);
        }
        assert_eq!(found.committed.manifest.counts.kept["contained-pairs"], 150);
        // Every chapter stands whole in the manual.
        let rows = found.passages();
        assert_eq!(rows.len(), 150);
        assert!(rows.iter().all(|row| (if first { row.share_b } else { row.share_a }) == 1.0));
    }
}

#[test]
fn copies_and_near_pairs_are_not_compared_again_and_what_an_ended_run_left_is_not_read() {
    let passage = words(0, 60);
    let pages = numbered((0..4).map(|i| format!("{passage}{}", words(1000 + 100 * i, 60))));
    let url = |i: usize| pages[i].url.clone();
    let all = Search::new();
    let some = Search {
        copies: vec![url(1), "http://elsewhere.example/".into()],
        near: vec![(url(0), url(2)), (url(3), "http://elsewhere.example/".into())],
        interrupted: true,
        ..Search::new()
    };
    let work = [Work::new(), Work::new()];
    let pairs =
        |found: &FoundPassages| found.passages().into_iter().map(|row| (row.a, row.b)).collect::<Vec<_>>();
    let found = [search(&work[0], &all, &pages), search(&work[1], &some, &pages)];
    assert_eq!(pairs(&found[0]).len(), 6);
    assert_eq!(pairs(&found[1]), [(url(0), url(3)), (url(2), url(3))]);
    assert_eq!(
        (found[1].dropped("passages-page-is-a-copy"), found[1].dropped("passages-pair-known")),
        (1, 1)
    );
}

#[test]
fn a_near_pair_that_was_not_known_becomes_one() {
    let pages = numbered([words(0, 100), words(0, 99) + "other"]);
    let work = Work::new();
    let found = search(&work, &Search::new(), &pages);
    let pairs = found.pairs();
    assert_eq!(pairs.len(), 1);
    assert_eq!((pairs[0].2.as_str(), pairs[0].3), ("near", 97.0 / 98.0));
    assert!(found.passages().is_empty());
    assert_eq!(found.committed.manifest.counts.kept["near-pairs-by-passages"], 1);
}

#[test]
fn only_the_current_capture_of_a_page_is_compared() {
    let passage = words(0, 60);
    let mut pages = numbered((0..3).map(|i| format!("{passage}{}", words(1000 + 100 * i, 60))));
    // Page 0 was fetched again, with another text.
    let again = PlantedPage { time_ms: 9_000_000, text: words(5000, 100), ..pages[0].clone() };
    pages[0].superseded = true;
    pages.insert(1, again);
    let work = Work::new();
    let extract = plant(&work.path("out"), &pages, 1);
    let committed = run_job(&Search::new(), &extract, &work.path("out"), 1, 64 << 20, &Silent).unwrap();
    let table = TableInWords::read(&committed.path(PassageRow::NAME)).unwrap();
    let pairs: Vec<(&str, &str)> = table.column("a").zip(table.column("b")).collect();
    assert_eq!(pairs, [(pages[2].url.as_str(), pages[3].url.as_str())]);
}

#[test]
fn nothing_one_page_and_no_wish_for_passages_give_empty_tables() {
    let one = numbered([words(0, 100)]);
    let two = numbered([words(0, 100), words(0, 100) + &words(500, 400)]);
    for (pages, passages) in [(vec![], true), (one, true), (two, false)] {
        let work = Work::new();
        let found = search(&work, &Search { passages, ..Search::new() }, &pages);
        assert!(found.passages().is_empty() && found.pairs().is_empty());
        assert_eq!(found.committed.manifest.tables[PassageRow::NAME].rows, 0);
    }
}

/// What the user is told.
#[derive(Default)]
struct NoteCollector(Mutex<Vec<String>>);

impl Progress for NoteCollector {
    fn begin(&self, _: &str, _: u64, _: Measure) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

#[test]
fn a_disclaimer_on_many_pages_is_boilerplate_and_on_fewer_stays_linear() {
    let disclaimer = words(900_000, 60);
    for (pages, boilerplate) in [(1000usize, false), (1001, true)] {
        let planted = numbered((0..pages).map(|i| format!("{}. {disclaimer}", words(i * 100, 40))));
        let work = Work::new();
        let extract = plant(&work.path("out"), &planted, 3);
        let notes = NoteCollector::default();
        let found = run_job(&Search::new(), &extract, &work.path("out"), 2, 64 << 20, &notes).unwrap();
        let counts = &found.manifest.counts;
        let (compared, rows) = (counts.kept["passages-pairs-compared"], counts.kept["passages"]);
        // Each page meets the first 16; hashes with words of the page in them are on two pages by accident only.
        let least: u64 = (0..pages as u64).map(|i| i.min(16)).sum();
        let expected = if boilerplate { 0..=500 } else { least..=least + 500 };
        assert!(expected.contains(&compared) && rows <= compared, "{pages}: {compared}");
        assert_eq!(counts.dropped.contains_key("passages-boilerplate-hash"), boilerplate);
        assert!(boilerplate || counts.dropped["passages-pair-not-met"] > 400_000);
        let said = notes.0.lock().unwrap().join("\n");
        assert_eq!(said.contains("more than 1000 pages"), boilerplate, "{said}");
    }
}

/// Numbers that look random.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// Texts made of stretches of a few sources, so that some share much, some little.
    fn corpus(&mut self) -> Vec<String> {
        (0..2 + self.below(9))
            .map(|page| {
                let mut text = words(1_000_000 + 1000 * page, 1 + self.below(25));
                for _ in 0..self.below(5) {
                    text += &words(10_000 * self.below(4) + self.below(60), 1 + self.below(70));
                }
                text
            })
            .collect()
    }
}

#[test]
fn neither_threads_memory_nor_the_order_of_rows_and_parts_change_anything() {
    let mut random = RandomNumbers(99);
    let pages = numbered((0..12).flat_map(|_| random.corpus()).collect::<Vec<_>>());
    let expected: Vec<(Work, FoundPassages)> = vec![{
        let work = Work::new();
        let found = search(&work, &Search::new(), &pages);
        (work, found)
    }];
    let (_, first) = &expected[0];
    assert!(first.passages().len() > 50 && first.pairs().len() > 3);
    let bytes = |committed: &Committed, table: &str, part: &str| {
        std::fs::read(committed.path(table).join(part)).unwrap()
    };
    for (threads, memory) in [(1, 64 << 20), (4, 64 << 20), (2, 1 << 16), (1, 1 << 30)] {
        let work = Work::new();
        let extract = plant(&work.path("out"), &pages, 2);
        let other = run_job(&Search::new(), &extract, &work.path("out"), threads, memory, &Silent).unwrap();
        for (table, part) in [("passages", "part-000000.parquet"), ("duplicates", "part-000001.parquet")] {
            let same = bytes(&other, table, part) == bytes(&first.committed, table, part);
            assert!(same, "{table}: {threads} threads, {memory} bytes");
        }
        assert_eq!(other.manifest.counts, first.committed.manifest.counts);
    }
    for (parts, turn) in [(1, 0), (5, 17), (3, 40)] {
        let mut turned = pages.clone();
        turned.rotate_left(turn);
        if parts == 3 {
            turned.reverse();
        }
        let work = Work::new();
        let extract = plant(&work.path("out"), &turned, parts);
        let other = run_job(&Search::new(), &extract, &work.path("out"), 2, 64 << 20, &Silent).unwrap();
        for table in [PassageRow::NAME, DuplicateRow::NAME] {
            assert_eq!(
                TableInWords::read(&other.path(table)).unwrap(),
                first.table(table),
                "{table}: {parts} parts"
            );
        }
    }
}
