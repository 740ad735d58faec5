//! Documents whose text is known: every file of `tests/documents` is read and scored against the JSON beside it.
//!
//! **Definition.** Tokens are casefolded NFKC words, ideographs, kana and Hangul one by one, as `benches/peers/documents/score_gold.py` has
//! them. F1 is that of multisets against paragraphs and notes; marks of notes and numbers of items (`optional`) count neither
//! way. Order is the longest common subsequence with the paragraphs, as a share of theirs. A title counts where it is exact.
//! Of tables the rows, of headings the words, of links words and target are compared as multisets, each by F1.
//!
//! Documents that others made are read too: each without a panic and within bounds of time, and what PDFBox's tests accept as
//! text is the text read; the bound is somewhat below the measured value.

use std::collections::HashMap;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use webmill_documents::{Document, Failure, Hints, Kind, Limits, detect, read};

/// What a document is measured by.
struct Gold {
    name: String,
    kind: Kind,
    truth: Value,
    document: Document,
}

/// Every file of the folder, read.
fn golds() -> Vec<Gold> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/documents");
    let entries = std::fs::read_dir(&folder).expect("tests/documents is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut golds = Vec::new();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".json") || name == "README.md" {
            continue;
        }
        let truth = std::fs::read(path.with_extension("json")).expect("a JSON beside each document");
        let truth = serde_json::from_slice(&truth).expect("JSON");
        let bytes = std::fs::read(&path).expect("a document");
        // Its name is no help: kinds show by bytes.
        let kind = detect(&bytes, &Hints::default()).unwrap_or_else(|| panic!("{name} is of no kind"));
        let ending = name.rsplit('.').next().unwrap_or_default();
        assert_eq!(kind.name(), ending, "{name}");
        let document = read(&bytes, kind, &Limits::default())
            .unwrap_or_else(|failure| panic!("{name}: {} ({})", failure.reason, failure.detail));
        golds.push(Gold { name, kind, truth, document });
    }
    golds
}

fn strings<'a>(truth: &'a Value, field: &str) -> Vec<&'a str> {
    let list = truth[field].as_array().unwrap_or_else(|| panic!("no {field}"));
    list.iter().map(|text| text.as_str().expect("a string")).collect()
}

/// Casefolded NFKC words; ideographs, kana and Hangul one by one.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let folded = text.nfkc().flat_map(char::to_lowercase).flat_map(|c| match c {
        'ß' => vec!['s', 's'],
        'ς' => vec!['σ'],
        other => vec![other],
    });
    for c in folded {
        let alone = is_ideograph(c);
        if alone || !(c.is_alphanumeric() || c == '_') {
            if !word.is_empty() {
                tokens.push(std::mem::take(&mut word));
            }
            if alone {
                tokens.push(c.to_string());
            }
        } else {
            word.push(c);
        }
    }
    if !word.is_empty() {
        tokens.push(word);
    }
    tokens
}

fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11ff}'
            | '\u{2e80}'..='\u{2fff}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// F1 of multisets; what `optional` allows beyond the gold counts neither way.
fn f1<T: Hash + Eq>(gold: Vec<T>, read: Vec<T>, optional: Vec<T>) -> f64 {
    let (of_gold, of_read) = (gold.len(), read.len());
    // How often each is in the gold, may be there besides, and is there.
    let mut counts: HashMap<T, [usize; 3]> = HashMap::new();
    for (list, at) in [(gold, 0), (optional, 1), (read, 2)] {
        list.into_iter().for_each(|token| counts.entry(token).or_default()[at] += 1);
    }
    let hits: usize = counts.values().map(|[gold, _, read]| gold.min(read)).sum();
    let forgiven: usize =
        counts.values().map(|[gold, optional, read]| read.saturating_sub(*gold).min(*optional)).sum();
    match of_gold + of_read - forgiven {
        0 => 1.0,
        all => 2.0 * hits as f64 / all as f64,
    }
}

/// Length of the longest common subsequence.
fn common<T: Eq>(a: &[T], b: &[T]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if x == y { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[b.len()]
}

impl Gold {
    fn words(&self, field: &str) -> Vec<String> {
        tokens(&strings(&self.truth, field).join("\n"))
    }

    fn f1(&self) -> f64 {
        let gold = [self.words("paragraphs"), self.words("notes")].concat();
        f1(gold, tokens(&self.document.text), self.words("optional"))
    }

    fn order(&self) -> f64 {
        let gold = self.words("paragraphs");
        common(&gold, &tokens(&self.document.text)) as f64 / gold.len() as f64
    }

    fn title(&self) -> f64 {
        let same = |title: &str| title.split_whitespace().collect::<Vec<_>>().join(" ");
        let want = same(self.truth["title"].as_str().expect("a title"));
        f64::from(u8::from(self.document.about.title.as_deref().map(same) == Some(want)))
    }

    /// Rows of tables; `None` where it has no table.
    fn tables(&self) -> Option<f64> {
        let gold: Vec<Vec<String>> = self.truth["tables"]
            .as_array()?
            .iter()
            .flat_map(|table| table.as_array().expect("rows"))
            .map(|row| serde_json::from_value(row.clone()).expect("cells"))
            .collect();
        let cells = |mut row: Vec<String>| {
            row.iter_mut().for_each(|cell| *cell = tokens(cell).join(" "));
            row.truncate(row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1));
            row
        };
        if gold.is_empty() {
            return None;
        }
        let all = |table: &webmill_documents::Table| {
            let head = (!table.columns.is_empty()).then(|| table.columns.clone());
            head.into_iter().chain(table.rows.iter().cloned()).collect::<Vec<_>>()
        };
        let filled = |row: &Vec<String>| !row.is_empty();
        let read = self.document.tables.iter().flat_map(all).map(cells).filter(filled).collect();
        Some(f1(gold.into_iter().map(cells).filter(filled).collect(), read, Vec::new()))
    }

    /// Words of headings, the title among them forgiven; `None` where it has no heading.
    fn headings(&self) -> Option<f64> {
        let gold: Vec<Vec<String>> = self.truth["headings"]
            .as_array()?
            .iter()
            .map(|heading| tokens(heading[1].as_str().expect("words")))
            .collect();
        let read = self.document.headings.iter().map(|heading| tokens(&heading.text)).collect();
        let title = vec![tokens(self.truth["title"].as_str().expect("a title"))];
        (!gold.is_empty()).then(|| f1(gold, read, title))
    }

    /// Words and targets of links; `None` where it has none.
    fn links(&self) -> Option<f64> {
        let gold: Vec<(Vec<String>, String)> = self.truth["links"]
            .as_array()?
            .iter()
            .map(|link| {
                (tokens(link[0].as_str().expect("words")), link[1].as_str().expect("a target").to_owned())
            })
            .collect();
        let read =
            self.document.links.iter().map(|link| (tokens(&link.anchor), link.target.clone())).collect();
        (!gold.is_empty()).then(|| f1(gold, read, Vec::new()))
    }
}

/// Mean of a measure over the documents that have it, and what it is of each that has less than all.
fn mean(golds: &[&Gold], measure: impl Fn(&Gold) -> Option<f64>) -> (f64, usize, String) {
    let of: Vec<(f64, &str)> =
        golds.iter().filter_map(|gold| Some((measure(gold)?, gold.name.as_str()))).collect();
    let mean = of.iter().map(|(score, _)| score).sum::<f64>() / of.len().max(1) as f64;
    let short = of.iter().filter(|(score, _)| *score < 1.0).map(|(score, name)| format!("{name} {score:.3}"));
    (mean, of.len(), short.collect::<Vec<_>>().join(", "))
}

/// Holds every measure of these documents; all that fall short are told at once.
fn hold(golds: &[&Gold]) {
    type Measure = fn(&Gold) -> Option<f64>;
    let measures: [(&str, f64, Measure); 6] = [
        ("F1 of words", 0.99, |gold| Some(gold.f1())),
        ("order", 0.97, |gold| Some(gold.order())),
        ("exact titles", 0.9, |gold| Some(gold.title())),
        ("rows of tables", 0.95, Gold::tables),
        ("headings", 0.95, Gold::headings),
        ("links", 0.95, Gold::links),
    ];
    let faults: Vec<String> = measures
        .iter()
        .filter_map(|(what, least, measure)| {
            let (mean, documents, short) = mean(golds, measure);
            (documents > 0 && mean < *least)
                .then(|| format!("{what}: {mean:.4} of {documents} documents, {least} at least; {short}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn office_files_and_rtf_are_read_as_they_were_written() {
    let all = golds();
    let office: Vec<&Gold> = all.iter().filter(|gold| gold.kind != Kind::Pdf).collect();
    assert!(office.len() >= 10, "{} documents", office.len());
    hold(&office);
}

#[test]
fn pdfs_are_read_as_they_were_printed() {
    let all = golds();
    let printed: Vec<&Gold> = all.iter().filter(|gold| gold.kind == Kind::Pdf).collect();
    assert!(printed.len() >= 20, "{} documents", printed.len());
    hold(&printed);
}

#[test]
fn no_document_is_far_below_the_others() {
    for gold in golds() {
        assert!(gold.f1() >= 0.95, "{}: F1 {:.3}", gold.name, gold.f1());
        assert!(gold.order() >= 0.9, "{}: order {:.3}", gold.name, gold.order());
    }
}

#[test]
fn running_heads_are_no_text() {
    let golds = golds();
    let headed = golds.iter().filter(|gold| !strings(&gold.truth, "furniture").is_empty());
    let mut seen = 0;
    for gold in headed {
        for head in strings(&gold.truth, "furniture") {
            let found = gold.document.text.lines().filter(|line| line.trim() == head).count();
            assert_eq!(found, 0, "{}: {head}", gold.name);
        }
        seen += 1;
    }
    assert!(seen > 0, "no document has running heads");
}

/// Time that no document of others may take, in a program that is not optimised and on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// Files of a folder and those within it.
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
            scores.push((f1(tokens(&truth), tokens(&document.text), Vec::new()), path));
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

#[test]
fn scores_are_those_of_the_bench() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(tokens("Straße, Ⅻ 茶道 don't_x"), ["strasse", "xii", "茶", "道", "don", "t_x"]);
    assert_eq!(f1(words("a b b"), words("a b c 1"), words("1")), 4.0 / 6.0);
    assert_eq!(f1::<String>(Vec::new(), Vec::new(), Vec::new()), 1.0);
    assert_eq!(common(&words("a b c d"), &words("b a c x d")), 3);
}
