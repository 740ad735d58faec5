//! Facts put into the file are read again, and scores are those of a scan.

use webmill_capture::UrlKey;
use webmill_text::{Query, Ranking, words};

use super::build::FactsWriter;
use super::*;

fn known(url: &str, timestamp: u64, title: &str, text: &str) -> (u128, StoredFacts) {
    let mut count = 0;
    words(text, |_| count += 1);
    let (title, text, words) = (Some(title.into()), Some(text.into()), Some(count));
    let facts =
        CaptureFacts { title, text, words, pagerank: Some(0.25), in_links: Some(17), ..Default::default() };
    (UrlKey::of(url).0, StoredFacts { url: url.into(), timestamp, facts })
}

fn file(captures: Vec<(u128, StoredFacts)>, memory: usize) -> (tempfile::TempDir, FactsFile) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.facts");
    let mut writer = FactsWriter::create(&path, &Budget::new(memory).in_dir(folder.path())).unwrap();
    for chunk in captures.chunks(7) {
        writer.add(chunk.to_vec()).unwrap();
    }
    writer.finish().unwrap();
    let file = FactsFile::open(&path).unwrap();
    (folder, file)
}

fn sample() -> Vec<(u128, StoredFacts)> {
    const WORDS: [&str; 12] =
        ["water", "mill", "river", "stone", "新城", "图书馆", "开馆", "news", "the", "of", "rain", "bridge"];
    (0..500u64)
        .map(|n| {
            let of = |k: u64| WORDS[((n * 7919 + k * k * 104_729 + n * k) % 97 % 12) as usize];
            let text: Vec<_> = (0..n % 40 + 1).map(of).collect();
            known(&format!("http://a.example/{n}"), 20_200_101_000_000 + n % 60, of(99), &text.join(" "))
        })
        .collect()
}

#[test]
fn what_is_known_comes_back_by_url_and_time() {
    let captures = sample();
    let (_folder, file) = file(captures.clone(), 1 << 20);
    assert_eq!((file.len(), file.texts()), (500, 500));
    for (key, known) in &captures {
        let number = file.find(*key, known.timestamp).unwrap();
        assert_eq!(file.known(number).unwrap(), *known);
        assert_eq!(file.find(*key, known.timestamp + 1), None);
    }
}

#[test]
fn scores_are_those_of_a_scan_whatever_the_budget() {
    let captures = sample();
    let (_one, file) = file(captures.clone(), 1 << 16);
    for words in ["water mill", "图书馆", "the of rain nothing", "新城 river", "absent"] {
        let query = Query::new(words).unwrap();
        let mut ranking = Ranking::default();
        for (number, (_, known)) in captures.iter().enumerate() {
            let count = |text: &Option<String>| query.count(text.as_deref().unwrap_or_default());
            let (title, text) = (count(&known.facts.title), count(&known.facts.text));
            let counts: Vec<u32> = text.iter().zip(title).map(|(a, b)| a + b).collect();
            // The title is one more word of the text here.
            ranking.add(number as u32, &counts, known.facts.words.unwrap_or(0) as u32 + 1);
        }
        let want = ranking.scores();
        let got = file.scores(&terms::of_query(words)).unwrap();
        assert_eq!(got.len(), want.len(), "{words}");
        for (got, want) in got.iter().zip(&want) {
            assert!((got.1 - want.1).abs() < 1e-4, "{words}: {got:?} {want:?}");
        }
    }
}

#[test]
fn of_the_captures_of_a_url_the_best_is_found() {
    let captures = vec![
        known("http://a.example/", 20200101000000, "", "mill and much more beside it"),
        known("http://a.example/", 20210101000000, "", "mill mill"),
        known("http://b.example/", 20200101000000, "", "中华人民共和国 北京市"),
    ];
    let (_folder, file) = file(captures, 1 << 20);
    let found = |query: &str| -> Vec<u32> {
        file.scores(&terms::of_query(query)).unwrap().iter().map(|hit| hit.0).collect()
    };
    assert_eq!(found("MILL"), [1]);
    assert_eq!(found("北京"), [2], "a part of a Chinese word");
    assert_eq!(found(""), [0; 0]);
}

#[test]
fn a_file_that_is_not_whole_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, _) = file(sample(), 1 << 20);
    for name in ["facts", "index"] {
        let path = folder.path().join(format!("cut.{name}"));
        for other in ["facts", "index"] {
            let from = kept.path().join(format!("x.{other}"));
            std::fs::copy(from, folder.path().join(format!("cut.{other}"))).unwrap();
        }
        assert!(FactsFile::open(&folder.path().join("cut.facts")).is_ok());
        let bytes = std::fs::read(&path).unwrap();
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(FactsFile::open(&folder.path().join("cut.facts")).is_err(), "{name} {cut}");
        }
    }
}
