//! Duplicates from shards to tables: what rows say, what is kept, and what earlier results change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use webmill_capture::cut::Cut;

use webmill::dedup::{Overlap, Shingles};
use webmill::jobs::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow, FoundBy, Membership};
use webmill::table::{Table, read_rows};

use crate::support::{Work, assert_same};

/// A page of an archive: URL, seconds of its fetch, words of its text, more for its head.
#[derive(Clone)]
pub struct Written {
    pub url: String,
    pub seconds: u32,
    pub text: String,
    pub head: String,
}

impl Written {
    pub fn new(url: &str, seconds: u32, text: &str) -> Self {
        Written { url: url.into(), seconds, text: text.into(), head: String::new() }
    }
}

/// Writes pages as a WARC file.
pub fn write_archive(work: &Work, name: &str, pages: &[Written]) {
    let mut warc = String::new();
    for (number, page) in pages.iter().enumerate() {
        let body = format!(
            "<!DOCTYPE html><html><head><title>t</title>{}</head><body><article><p>{}</p></article></body></html>",
            page.head, page.text
        );
        let http = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let (minutes, seconds) = (page.seconds / 60, page.seconds % 60);
        write!(
            warc,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\n\
             WARC-Date: 2026-01-01T{:02}:{:02}:{seconds:02}Z\r\nWARC-Record-ID: <urn:uuid:{name}-{number}>\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
            page.url,
            minutes / 60,
            minutes % 60,
            http.len()
        )
        .unwrap();
    }
    std::fs::write(work.path(name), warc).unwrap();
}

/// A text of `words` words of its own.
pub fn text(seed: u64, words: usize) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let word = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let letters = (state >> 33) % 40_000;
        let letter = |i: u32| char::from(b'a' + (letters / 26u64.pow(i) % 26) as u8);
        format!("{}{}{}{}", letter(2), letter(0), letter(1), letter(0))
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// The text with the words at these places changed.
pub fn changed(text: &str, places: &[usize]) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    places.iter().for_each(|&place| words[place] = "altered");
    words.join(" ")
}

pub fn rows<T: Table>(work: &Work, out: &str) -> Vec<T> {
    read_rows(&work.path(out).join("dedup/latest").join(T::NAME)).unwrap()
}

fn one_corpus() -> Vec<Written> {
    let (story, other) = (text(1, 200), text(2, 150));
    vec![
        Written::new("http://a.org/story", 10, &story),
        Written::new("http://a.org/story?print=1", 20, &format!("{story} printed")),
        Written::new("http://www.mirror.net/story", 30, &changed(&story, &[17, 90])),
        Written::new("http://mirror.net/copy", 40, &story),
        Written::new("http://b.com/other", 5, &other),
        Written::new("http://b.com/other-again", 6, &other),
        Written::new("http://b.com/rewritten", 7, &changed(&other, &(0..150).step_by(5).collect::<Vec<_>>())),
        Written::new("http://b.com/short", 8, "too short to tell"),
        Written::new("http://c.com/short", 9, "too short to tell now"),
    ]
}

#[test]
fn every_row_carries_its_evidence() {
    let work = Work::new();
    write_archive(&work, "a.warc", &one_corpus());
    work.run(&["extract", "a.warc", "--out", "out"]);
    work.run(&["dedup", "out"]);
    let found: Vec<DuplicateRow> = rows(&work, "out");
    let pairs: BTreeSet<(&str, &str, DuplicateKind)> =
        found.iter().map(|row| (row.a.as_str(), row.b.as_str(), row.kind)).collect();
    let story = "http://a.org/story";
    let expected = [
        (story, "http://a.org/story?print=1", DuplicateKind::Near),
        (story, "http://www.mirror.net/story", DuplicateKind::Near),
        (story, "http://mirror.net/copy", DuplicateKind::Body),
        ("http://a.org/story?print=1", "http://www.mirror.net/story", DuplicateKind::Near),
        ("http://b.com/other", "http://b.com/other-again", DuplicateKind::Body),
    ];
    assert_eq!(pairs, expected.into_iter().collect());
    let texts: BTreeMap<String, String> =
        one_corpus().into_iter().map(|page| (page.url, page.text)).collect();
    for row in &found {
        let (a, b) = (Shingles::of(&texts[&row.a], 3), Shingles::of(&texts[&row.b], 3));
        let overlap = Overlap::of(&a, &b);
        assert_eq!(
            (row.resemblance, row.a_in_b, row.b_in_a),
            (Some(overlap.resemblance()), Some(overlap.a_in_b()), Some(overlap.b_in_a()))
        );
        assert!(row.a.contains(&row.a_host) && row.b.contains(&row.b_host) && row.a_key != row.b_key);
        assert_eq!(row.found_by == FoundBy::Digest, row.kind == DuplicateKind::Body);
        if row.kind == DuplicateKind::Near {
            let sizes = (row.a_shingles, row.b_shingles, row.shared_shingles);
            assert_eq!(sizes, (Some(a.len() as u32), Some(b.len() as u32), Some(a.common(&b) as u32)));
        }
    }
    let clusters: Vec<ClusterRow> = rows(&work, "out");
    let of = |url: &str| clusters.iter().find(|row| row.url == url).unwrap();
    let copy = of("http://mirror.net/copy");
    assert_eq!((copy.kind, copy.size, copy.mirror_degree, copy.keep), (Membership::Body, 4, 2, false));
    assert_eq!((copy.representative.as_str(), copy.representative_host.as_str()), (story, "a.org"));
    assert_eq!((of(story).mirror_degree, of(story).kind), (2, Membership::Representative));
    assert_eq!((copy.warc_filename.as_str(), copy.warc_record_offset > 0), ("a.warc", true));
    assert_eq!(clusters.len(), 6);
}

#[test]
fn the_policy_says_which_page_is_kept() {
    let work = Work::new();
    let mut pages = one_corpus();
    pages[1].head = "<link rel=canonical href='http://www.mirror.net/story'>".into();
    write_archive(&work, "a.warc", &pages);
    work.run(&["extract", "a.warc", "--out", "out"]);
    work.run(&["graph", "out"]);
    work.run(&["rank", "out"]);
    for (policy, expected) in [
        ("earliest", "http://a.org/story"),
        ("longest", "http://a.org/story?print=1"),
        ("canonical", "http://www.mirror.net/story"),
        // All ranks are alike but for the page that another names.
        ("rank", "http://a.org/story"),
    ] {
        work.run(&["dedup", "out", "--set", &format!("dedup.keep={policy}")]);
        let clusters: Vec<ClusterRow> = rows(&work, "out");
        let kept: Vec<&str> = clusters.iter().filter(|row| row.keep).map(|row| row.url.as_str()).collect();
        assert!(kept.contains(&expected), "{policy}: {kept:?}");
        assert_eq!(kept.len(), 2, "{policy}");
    }
}

/// Near-duplicates as pairs of URLs with what they share.
type Pairs = BTreeSet<(String, String, Option<u32>)>;

fn near_pairs(work: &Work, out: &str) -> Pairs {
    let near = rows::<DuplicateRow>(work, out).into_iter().filter(|row| row.kind == DuplicateKind::Near);
    near.map(|row| (row.a, row.b, row.shared_shingles)).collect()
}

/// Clusters as sets of URLs with what is kept.
fn clusters(work: &Work, out: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut clusters: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows::<ClusterRow>(work, out) {
        clusters.entry(row.representative).or_default().insert(row.url);
    }
    clusters
}

/// Three crawls with families of near-duplicates across them, and pages that were fetched again.
fn crawls(seed: u64) -> [Vec<Written>; 3] {
    let mut crawls = [const { Vec::new() }; 3];
    let mut state = seed;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for number in 0..90u64 {
        let family = text(seed ^ random(25), 80);
        let edits: Vec<usize> = (0..random(4)).map(|_| random(80) as usize).collect();
        let url = format!("http://h{}.org/{number}", random(6));
        let page = Written::new(&url, random(20_000) as u32, &changed(&family, &edits));
        let crawl = random(3) as usize;
        if random(5) == 0 {
            let again = Written::new(&url, random(20_000) as u32, &text(seed ^ random(25), 80));
            crawls[(crawl + 1) % 3].push(again);
        }
        crawls[crawl].push(page);
    }
    crawls
}

#[test]
fn crawl_after_crawl_gives_what_all_at_once_gives_in_every_order() {
    for seed in 1..6 {
        let work = Work::new();
        let crawls = crawls(seed);
        for (name, pages) in ["0.warc", "1.warc", "2.warc"].iter().zip(&crawls) {
            write_archive(&work, name, pages);
            work.run(&["extract", name, "--out", name.cut(..1)]);
        }
        work.run(&["extract", "0.warc", "1.warc", "2.warc", "--out", "all"]);
        work.run(&["dedup", "all"]);
        let (pairs, all) = (near_pairs(&work, "all"), clusters(&work, "all"));
        assert!(pairs.len() > 20 && all.len() > 8, "{} {}", pairs.len(), all.len());
        for order in [
            ["0", "1", "2"],
            ["0", "2", "1"],
            ["1", "0", "2"],
            ["1", "2", "0"],
            ["2", "0", "1"],
            ["2", "1", "0"],
        ] {
            let mut found = Pairs::new();
            let mut latest: BTreeMap<String, String> = BTreeMap::new();
            for (done, crawl) in order.iter().enumerate() {
                let mut arguments = vec!["dedup", crawl];
                order[..done].iter().for_each(|earlier| arguments.extend(["--against", earlier]));
                let said = String::from_utf8(work.run(&arguments).stderr).unwrap();
                assert!(!said.contains("compared again"), "{said}");
                for pair in near_pairs(&work, crawl) {
                    assert!(found.insert(pair.clone()), "{pair:?} is told twice");
                }
                for row in rows::<ClusterRow>(&work, crawl) {
                    latest.insert(row.url, row.representative);
                }
            }
            // Pairs with a page that a later crawl fetched anew are of another time.
            assert!(pairs.is_subset(&found), "{order:?}: {:?}", pairs.difference(&found));
            let mut formed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (url, representative) in latest {
                formed.entry(representative).or_default().insert(url);
            }
            formed.retain(|_, cluster| cluster.len() > 1);
            assert_eq!(formed, all, "{order:?}");
        }
    }
}

#[test]
fn results_that_were_made_against_others_need_these() {
    let work = Work::new();
    for (name, pages) in ["0", "1", "2"].iter().zip(&crawls(5)) {
        write_archive(&work, &format!("{name}.warc"), pages);
        work.run(&["extract", &format!("{name}.warc"), "--out", name]);
    }
    work.run(&["dedup", "0"]);
    work.run(&["dedup", "1", "--against", "0"]);
    let said = work.run(&["dedup", "2", "--against", "1"]);
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("that are not given"), "{said}");
    for twice in [&["dedup", "0", "--against", "0"][..], &["dedup", "2", "--against", "1", "--against", "1"]]
    {
        assert!(work.fails(twice, 2).contains("take part already"));
    }
}

#[test]
fn results_of_other_settings_are_compared_again_and_that_is_said() {
    let work = Work::new();
    let [first, second, _] = crawls(9);
    write_archive(&work, "0.warc", &first);
    write_archive(&work, "1.warc", &second);
    work.run(&["extract", "0.warc", "--out", "0"]);
    work.run(&["extract", "1.warc", "--out", "1"]);
    work.run(&["extract", "0.warc", "1.warc", "--out", "all"]);
    let against = |arguments: &[&str]| {
        let output = work.run(&[&["dedup", "1", "--against", "0"], arguments].concat());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(against(&[]).contains("no duplicates of their own"));
    work.run(&["dedup", "all"]);
    assert!(near_pairs(&work, "all").is_subset(&near_pairs(&work, "1")));
    work.run(&["dedup", "0", "--set", "dedup.min_resemblance=0.9"]);
    assert!(against(&[]).contains("other settings"));
    assert!(
        work.fails(&["dedup", "1", "--against", "0", "--set", "dedup.bands=datatrove"], 2).contains("14x8w5")
    );
    let missing = work.fails(&["dedup", "1", "--against", "nowhere"], 2);
    assert!(missing.contains("nowhere"), "{missing}");
}

#[test]
fn neither_threads_nor_memory_change_a_byte_of_skewed_pages() {
    let work = Work::new();
    let template = text(7, 120);
    let mut pages = Vec::new();
    for number in 0..600u32 {
        // Equal pages, pages of a template that resemble each other, and pages that only share a template.
        let own = text(u64::from(number), 60);
        let text = match number % 3 {
            0 => template.clone(),
            1 => changed(&template, &[number as usize % 120]),
            _ => format!("{template} {own}"),
        };
        pages.push(Written::new(&format!("http://h{}.org/{number}", number % 7), number * 7 % 1000, &text));
    }
    write_archive(&work, "a.warc", &pages);
    work.run(&["extract", "a.warc", "--out", "one"]);
    work.run(&["extract", "a.warc", "--out", "two"]);
    work.run(&["dedup", "one", "--threads", "1"]);
    work.run(&["dedup", "two", "--threads", "2", "--memory", "64MiB"]);
    assert_same(&work.committed("one"), &work.committed("two"), "2 threads");
    assert_eq!(clusters(&work, "one").values().map(BTreeSet::len).max(), Some(400));
}
