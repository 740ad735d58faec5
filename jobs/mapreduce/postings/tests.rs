use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use webmill_text::{bm25_idf, bm25_weight};

use super::*;
use crate::mapreduce::coding::write_varint;

type Postings = BTreeMap<String, BTreeMap<u32, Vec<u32>>>;

fn postings(texts: &[Vec<&str>]) -> Postings {
    let mut all = Postings::new();
    for (number, text) in (0..).zip(texts) {
        for (place, word) in (0..).zip(text) {
            all.entry((*word).to_owned()).or_default().entry(number).or_default().push(place);
        }
    }
    all
}

fn write(path: &Path, texts: &[Vec<&str>]) -> Written {
    let mut writer = IndexWriter::create(path).unwrap();
    for (term, of_term) in postings(texts) {
        writer.term(&term).unwrap();
        for (number, places) in of_term {
            let (mut bytes, mut before) = (Vec::new(), 0);
            for place in places {
                write_varint(&mut bytes, u64::from(place - before));
                before = place;
            }
            writer.text(number, texts[number as usize].len() as u32, &bytes).unwrap();
        }
    }
    writer.finish(0, 1, texts.len() as u64).unwrap()
}

fn index(texts: &[Vec<&str>]) -> Index {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    write(&path, texts);
    Index::open(&path).unwrap()
}

/// Scores of all texts, best first, by looking at each.
fn brute_force(texts: &[Vec<&str>], query: &[&str]) -> Vec<(u32, f64)> {
    let words: usize = texts.iter().map(Vec::len).sum();
    let (n, mean) = (texts.len() as f64, (words as f64 / texts.len().max(1) as f64).max(1.0));
    let holding = |term| texts.iter().filter(|text| text.contains(term)).count() as f64;
    let idf: Vec<f64> = query.iter().map(|term| bm25_idf(n, holding(term))).collect();
    let mut found: Vec<(u32, f64)> = Vec::new();
    for (number, text) in (0..).zip(texts) {
        let counts = query.iter().map(|term| text.iter().filter(|word| *word == term).count() as u32);
        let weights = counts.zip(&idf).map(|(count, idf)| idf * bm25_weight(count, text.len() as f64, mean));
        if query.iter().any(|term| text.contains(term)) {
            found.push((number, weights.fold(0.0, |sum, weight| sum + weight)));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found
}

fn search(index: &Index, texts: &[Vec<&str>], query: &[&str], most: usize) -> Vec<(u32, f64)> {
    let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
    let words = lengths.iter().map(|length| u64::from(*length)).sum();
    let scoring = Scoring { texts: texts.len() as u64, words, lengths: &lengths };
    let found = query.iter().filter_map(|term| index.find(term).unwrap());
    let mut cursors: Vec<_> = found.map(|term| index.cursor(&term).unwrap()).collect();
    best(&mut cursors, most, &scoring).unwrap()
}

const WORDS: [&str; 8] = ["a", "ab", "abc", "b", "好", "图书", "zz", "x"];

/// Texts of a few words of very different frequency, so that lists have none, one and many blocks.
fn corpus() -> impl Strategy<Value = Vec<Vec<&'static str>>> {
    let word = (0usize..64).prop_map(|n| WORDS[(n.trailing_zeros() as usize).min(7)]);
    prop::collection::vec(prop::collection::vec(word, 0..9), 0..900)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_is_read(texts in corpus()) {
        let index = index(&texts);
        let mut terms = Vec::new();
        index.each_term(|term| terms.push(term)).unwrap();
        let all = postings(&texts);
        prop_assert_eq!(terms.iter().map(|t| &t.term).collect::<Vec<_>>(), all.keys().collect::<Vec<_>>());
        for (term, of_term) in &all {
            let found = index.find(term).unwrap().unwrap();
            prop_assert_eq!(found.texts, of_term.len() as u64);
            let mut cursor = index.cursor(&found).unwrap();
            let mut places = Vec::new();
            for (number, want) in of_term {
                prop_assert_eq!((cursor.number(), cursor.count()), (*number, want.len() as u32));
                cursor.positions(&mut places).unwrap();
                prop_assert_eq!(&places, want);
                cursor.seek(number + 1).unwrap();
            }
            prop_assert_eq!(cursor.number(), u32::MAX);
        }
        for term in ["", "aa", "c", "zzz", "~"] {
            prop_assert!(index.find(term).unwrap().is_none());
        }
    }

    #[test]
    fn the_best_are_those_of_brute_force(
        texts in corpus(), query in prop::sample::subsequence(WORDS.to_vec(), 1..6), most in 1usize..40,
    ) {
        let mut want = brute_force(&texts, &query);
        want.truncate(most);
        prop_assert_eq!(search(&index(&texts), &texts, &query, most), want);
    }

    #[test]
    fn phrases_are_those_of_brute_force(
        texts in corpus(), words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..4),
    ) {
        let index = index(&texts);
        let terms: Option<Vec<_>> = words.iter().map(|word| index.find(word).unwrap()).collect();
        let found = terms.map_or_else(Vec::new, |terms| {
            let mut cursors: Vec<_> = terms.iter().map(|term| index.cursor(term).unwrap()).collect();
            phrase(&mut cursors).unwrap()
        });
        let count = |text: &Vec<&str>| text.windows(words.len()).filter(|at| *at == words.as_slice()).count() as u32;
        let want: Vec<(u32, u32)> = (0..).zip(texts.iter().map(count)).filter(|text| text.1 > 0).collect();
        prop_assert_eq!(found, want);
    }
}

#[test]
fn blocks_are_passed_over() {
    // One long list with a block that stands out, and a rare term.
    let texts: Vec<Vec<&str>> = (0..20_000)
        .map(|n| match n {
            777 => vec!["a", "a", "a", "a", "x"],
            n if n % 5000 == 3 => vec!["a", "x", "b"],
            _ => vec!["a", "b", "b", "b", "b"],
        })
        .collect();
    let index = index(&texts);
    for most in [1, 3, 10, 30_000] {
        let mut want = brute_force(&texts, &["a", "x"]);
        want.truncate(most);
        assert_eq!(search(&index, &texts, &["a", "x"], most), want);
    }
}

#[test]
fn what_is_out_of_order_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::create(&folder.path().join("index")).unwrap();
    writer.term("b").unwrap();
    writer.text(3, 1, &[0]).unwrap();
    assert!(writer.text(3, 1, &[0]).is_err());
    assert!(writer.text(4, 1, &[]).is_err());
    assert!(writer.term("a").is_err());
}

#[test]
fn other_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    for (bytes, told) in [(&b"PAR1"[..], "expected"), (&MAGIC[..], "cut short")] {
        std::fs::write(&path, bytes).unwrap();
        let error = Index::open(&path).err().unwrap().to_string();
        assert!(error.contains(told) && error.contains("index"), "{error}");
    }
}
