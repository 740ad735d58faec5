use super::blocks::{Pruned, without_repeated};
use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use webmill_capture::cut::Cut;

type BlockCounts = (BlockKind, String, u32, u32, u32);

fn count(
    texts: &[String],
    options: RepeatedOptions,
    budget: &Budget,
    cluster: impl Fn(u32) -> u32,
) -> (Vec<BlockCounts>, Vec<u128>, RepeatedCounts) {
    let mut count = RepeatedCount::new(options, budget).unwrap();
    for (page, text) in texts.iter().enumerate().rev() {
        count.push(page as u32, page as u32 / 3, &options.hashes(text)).unwrap();
    }
    let (mut rows, mut hashes) = (Vec::new(), Vec::new());
    let counts = count
        .finish(cluster, |_| ())
        .unwrap()
        .rows(
            |page| Ok(texts[page as usize].as_str()),
            |row| {
                rows.push((row.kind, row.text.to_owned(), row.pages, row.hosts, row.first));
                hashes.push(row.hash);
                Ok(())
            },
        )
        .unwrap();
    hashes.sort_unstable();
    (rows, hashes, counts)
}

fn budget() -> Budget {
    Budget::new(16 << 20)
}

const NOTICE: &str = "All rights reserved. No part of this site may be copied anywhere.";

#[test]
fn blocks_are_lines_and_paragraphs_of_several() {
    let text = "one\n \n\ntwo\r\nthree\n\nfour";
    let found: Vec<_> = blocks(text).map(|block| (block.kind, block.of(text))).collect();
    let (line, paragraph) = (BlockKind::Line, BlockKind::Paragraph);
    assert_eq!(
        found,
        [
            (line, "one\n"),
            (paragraph, "two\r\nthree\n"),
            (line, "two\r\n"),
            (line, "three\n"),
            (line, "four")
        ]
    );
    assert_eq!(blocks("").count() + blocks("\n \u{3000}\n").count(), 0);
}

proptest! {
    #[test]
    fn hashes_of_all_blocks_are_those_of_each(
        text in "([ a-c.]|[一-十，]|[\u{301}\u{AD}\u{3000}\u{200B}éÀﬁ]|\\PC|\n|\r\n){0,60}", min_chars in 0u32..6
    ) {
        let options = RepeatedOptions { min_chars, ..RepeatedOptions::default() };
        let mut hasher = BlockHasher::new(min_chars);
        let each: Vec<Option<u128>> = blocks(&text).map(|block| hasher.hash(block.of(&text))).collect();
        let mut hashes: Vec<u128> = each.iter().flatten().copied().collect();
        hashes.sort_unstable();
        hashes.dedup();
        let short = each.iter().filter(|hash| hash.is_none()).count() as u64;
        prop_assert_eq!(options.hashes_and_short(&text), (hashes, short));
    }
}

#[test]
fn lines_are_counted_on_pages_and_hosts_once_each() {
    let texts: Vec<String> = (0..25)
        .map(|i| match i {
            0..4 => format!("Page {i}."),
            _ => format!("Page {i}.\n{}\n{}\n", NOTICE.to_uppercase(), NOTICE.replace(' ', "  ")),
        })
        .collect();
    let (rows, _, counts) = count(&texts, RepeatedOptions::default(), &budget(), |page| page);
    assert_eq!(rows[0], (BlockKind::Line, NOTICE.to_uppercase(), 21, 8, 4));
    assert_eq!(counts.repeated as usize, rows.len());
    assert_eq!((counts.pages, counts.texts_missing), (25, 0));
    let (rows, ..) =
        count(&texts, RepeatedOptions { min_pages: 22, ..RepeatedOptions::default() }, &budget(), |page| {
            page
        });
    assert!(rows.is_empty());
}

#[test]
fn what_one_cluster_has_is_not_repeated() {
    let texts: Vec<String> = (0..30).map(|i| format!("Page {i}.\n{NOTICE}")).collect();
    let (rows, _, counts) = count(&texts, RepeatedOptions::default(), &budget(), |_| 7);
    assert_eq!((rows.len(), counts.of_one_cluster), (0, 1));
    let (rows, ..) = count(&texts, RepeatedOptions::default(), &budget(), |page| u32::from(page == 29));
    assert_eq!(rows.len(), 1);
}

#[test]
fn clusters_are_counted_and_first_pages_told() {
    let options = RepeatedOptions { max_row_bytes: 16, ..RepeatedOptions::default() };
    let texts: Vec<String> = (0..30).map(|i| format!("Page {i}.\n{NOTICE}\n")).collect();
    let mut count = RepeatedCount::new(options, &budget()).unwrap();
    for (page, text) in texts.iter().enumerate().skip(3) {
        let (hashes, short) = options.hashes_and_short(text);
        assert_eq!((hashes.len(), short), (2, 1), "the line of the number is too short");
        count.push(page as u32, 0, &hashes).unwrap();
    }
    let mut firsts = Vec::new();
    let repeated = count.finish(|page| page / 4, |page| firsts.push(page)).unwrap();
    let mut rows = Vec::new();
    let take = |row: RepeatedRow<'_>| {
        rows.push((row.text.to_owned(), row.bytes, row.clusters));
        Ok(())
    };
    repeated.rows(|page| Ok(&texts[page as usize]), take).unwrap();
    assert_eq!((rows, firsts), (vec![("All rights reser".to_owned(), NOTICE.len() as u64, 8)], vec![3]));
}

#[test]
fn short_lines_count_within_paragraphs_only() {
    let texts: Vec<String> = (0..20)
        .map(|i| format!("Page {i}.\n\nRed and green\nand blue and yellow\nand white.\n\nEnd {i}."))
        .collect();
    let (rows, hashes, _) = count(&texts, RepeatedOptions::default(), &budget(), |page| page);
    assert_eq!(
        rows,
        [(BlockKind::Paragraph, "Red and green\nand blue and yellow\nand white.".to_owned(), 20, 7, 0)]
    );
    let pruned = without_repeated(&texts[3], 40, |hash| hashes.binary_search(&hash).is_ok());
    assert_eq!((pruned.text.cut(..), pruned.lines, pruned.paragraphs), ("Page 3.\n\nEnd 3.", 0, 1));
}

#[test]
fn texts_are_written_without_what_is_repeated() {
    let known = RepeatedOptions::default().hashes(NOTICE);
    for (text, expected) in [
        ("a\n{}\nb", "a\nb"),
        ("a\n{}", "a"),
        ("a\n{}\n", "a\n"),
        ("{}", ""),
        ("{}\n", ""),
        ("a\n\n{}\n\nb\n", "a\n\nb\n"),
        ("a\n\n{}\n{}\n\n\nb", "a\n\nb"),
        ("\n\n{}\n\n  b", "\n\n  b"),
        ("a {}", "a {}"),
        ("", ""),
    ] {
        let text = text.replace("{}", NOTICE);
        let pruned = without_repeated(&text, 40, |hash| known.contains(&hash));
        assert_eq!(pruned.text, expected.replace("{}", NOTICE), "{text:?}");
        assert_eq!(pruned.bytes as usize, text.len() - pruned.text.len());
    }
}

#[test]
fn what_is_left_of_a_paragraph_may_be_repeated() {
    let options = RepeatedOptions::default();
    let known =
        options.hashes(&format!("{NOTICE}\n\nRed and green and blue\nand yellow and white and black."));
    let text = format!("Red and green and blue\n{NOTICE}\nand yellow and white and black.\nx");
    let pruned = without_repeated(&text, 40, |hash| known.contains(&hash));
    assert_eq!(pruned.text, "Red and green and blue\nand yellow and white and black.\nx");
    let pruned = without_repeated(text.trim_end_matches("\nx"), 40, |hash| known.contains(&hash));
    assert_eq!((pruned.text.cut(..), pruned.lines, pruned.paragraphs), ("", 1, 1));
}

#[test]
fn hostile_texts_are_bounded() {
    let options = RepeatedOptions::default();
    for text in [
        "word ".repeat(1_000_000),
        "\n".repeat(1_000_000),
        "a\n".repeat(500_000),
        "\u{301}".repeat(300_000),
        "\0".repeat(100_000),
        "\u{200B}".repeat(100_000),
        "\u{2028}\u{85}\r\u{B}".repeat(10_000),
    ] {
        let hashes = options.hashes(&text);
        assert!(hashes.len() <= 2);
        let Pruned { text: left, .. } = without_repeated(&text, 40, |hash| hashes.contains(&hash));
        assert_eq!(left.trim().is_empty(), !hashes.is_empty() || text.trim().is_empty());
    }
}

#[test]
fn a_hundred_thousand_equal_pages_are_counted_within_the_budget() {
    let options = RepeatedOptions::default();
    let hashes = options.hashes(&(0..20).map(|i| format!("{i} {NOTICE}\n")).collect::<String>());
    let mut count = RepeatedCount::new(options, &Budget::new(1 << 20)).unwrap();
    for page in 0..100_000 {
        count.push(page, page % 10, &hashes).unwrap();
    }
    let repeated = count.finish(|page| page, |_| ()).unwrap();
    assert_eq!((repeated.counts().repeated, repeated.counts().blocks), (21, 2_100_000));
    let mut seen = BTreeSet::new();
    let counts = repeated.rows(
        |_| Ok(""),
        |row| {
            seen.insert((row.pages, row.hosts, row.clusters, row.first));
            Ok(())
        },
    );
    assert_eq!(counts.unwrap().texts_missing, 21);
    assert_eq!(seen, BTreeSet::from([(100_000, 10, 100_000, 0)]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn counts_are_those_of_a_map_for_any_memory(
        pages in prop::collection::vec(prop::collection::vec(0usize..9, 0..12), 0..40), min_pages in 2u32..6
    ) {
        let line = |i: usize| if i == 0 { String::new() } else { format!("line number {i}") };
        let texts: Vec<String> =
            pages.iter().map(|lines| lines.iter().map(|&i| line(i) + "\n").collect()).collect();
        let options = RepeatedOptions { min_chars: 10, min_pages, ..RepeatedOptions::default() };
        let cluster = |page: u32| page / 5;
        let mut by_hash: BTreeMap<u128, BTreeSet<u32>> = BTreeMap::new();
        for (page, text) in texts.iter().enumerate() {
            for hash in options.hashes(text) {
                by_hash.entry(hash).or_default().insert(page as u32);
            }
        }
        by_hash.retain(|_, pages| {
            pages.len() >= min_pages as usize && pages.iter().map(|&page| cluster(page)).collect::<BTreeSet<_>>().len() > 1
        });
        let (rows, hashes, _) = count(&texts, options, &budget(), cluster);
        prop_assert_eq!(&hashes, &by_hash.keys().copied().collect::<Vec<_>>());
        let mut sizes: Vec<_> = rows.iter().map(|row| (row.2, row.3, row.4)).collect();
        let mut expected: Vec<_> = by_hash.values().map(|pages| {
            let hosts: BTreeSet<u32> = pages.iter().map(|page| page / 3).collect();
            (pages.len() as u32, hosts.len() as u32, *pages.first().unwrap())
        }).collect();
        sizes.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(sizes, expected);
        let (small, ..) = count(&texts, options, &Budget::new(1 << 10).with_threads(1), cluster);
        prop_assert_eq!(small, rows);
        for text in &texts {
            let pruned = without_repeated(text, 10, |hash| hashes.binary_search(&hash).is_ok());
            let again = without_repeated(&pruned.text, 10, |hash| hashes.binary_search(&hash).is_ok());
            prop_assert_eq!(&again.text, &pruned.text);
            prop_assert!(options.hashes(&pruned.text).iter().all(|hash| hashes.binary_search(hash).is_err()));
        }
    }
}
