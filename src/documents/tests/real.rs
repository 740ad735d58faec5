//! Documents that others made: every one is read without a panic and within bounds of time, and what PDFBox's tests accept as
//! text is what is read.
//!
//! **Definition.** Tokens are casefolded NFKC words, ideographs and kana one by one; F1 is that of multisets. The bounds are
//! somewhat below what was measured: .968 with these tokens, which take marks of Arabic apart (.984 with those of BENCHMARKS.md).

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unicode_normalization::UnicodeNormalization;
use webmill_documents::{Document, Failure, Hints, Kind, Limits, detect, read};

/// Time that no document of these sets may take, in a program that is not optimised and on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(20);

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

fn counts(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let alone =
        |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}');
    let mut word = String::new();
    for c in folded.chars().chain([' ']) {
        if c.is_alphanumeric() && !alone(c) {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            *counts.entry(std::mem::take(&mut word)).or_default() += 1;
        }
        if alone(c) {
            *counts.entry(c.to_string()).or_default() += 1;
        }
    }
    counts
}

fn f1(a: &HashMap<String, usize>, b: &HashMap<String, usize>) -> f64 {
    let common: usize = a.iter().map(|(word, times)| times.min(b.get(word).unwrap_or(&0))).sum();
    let all = a.values().sum::<usize>() + b.values().sum::<usize>();
    if all == 0 { 1.0 } else { 2.0 * common as f64 / all as f64 }
}

/// What a file says, and that it said it in time.
fn said(path: &Path) -> Option<(Kind, Result<Document, Failure>)> {
    let bytes = std::fs::read(path).expect("a file");
    let kind = detect(&bytes, &Hints::default())?;
    let began = Instant::now();
    let read = catch_unwind(AssertUnwindSafe(|| read(&bytes, kind, &Limits::default())));
    assert!(began.elapsed() < PATIENCE, "{} took {:?}", path.display(), began.elapsed());
    Some((kind, read.unwrap_or_else(|_| panic!("{} panicked", path.display()))))
}

#[test]
fn documents_of_others_are_read() {
    let Some(folder) = webmill_evaluation::archive("documents") else { return };
    let (mut known, mut failed) = (0, 0);
    let mut scores = Vec::new();
    for path in files(folder.path()) {
        let Some((kind, document)) = said(&path) else { continue };
        known += 1;
        let Ok(document) = document else {
            failed += 1;
            continue;
        };
        let text =
            path.with_file_name(format!("{}.txt", path.file_name().expect("a name").to_string_lossy()));
        if kind == Kind::Pdf && text.exists() {
            let truth = String::from_utf8_lossy(&std::fs::read(&text).expect("a text")).into_owned();
            scores.push((f1(&counts(&document.text), &counts(&truth)), path));
        }
    }
    assert!(known > 1000, "{known} files are documents");
    assert!(failed * 50 < known, "{failed} of {known} documents were not read");
    let mean = scores.iter().map(|(score, _)| score).sum::<f64>() / scores.len() as f64;
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(
        scores.len() > 30 && mean > 0.96,
        "{mean} over {}: {:?}",
        scores.len(),
        scores.iter().take(5).collect::<Vec<_>>()
    );
}
