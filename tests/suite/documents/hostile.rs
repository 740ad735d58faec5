//! Documents that nobody made for a reader, among good ones: each is a row with its reason, every good one keeps its own, and
//! the memory of the program does not move.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use webmill::mill::{PageRow, TextRow};

use super::files::{docx, gold};
use super::hostile_files::{Fate, hostile};
use super::{Answer, answer, counts, pages_of, paper, paragraphs, rejects, rows, write};
use crate::support::Work;

const SITE: &str = "http://a.example";

/// Good documents and pages.
fn good() -> Vec<Answer> {
    let mut good: Vec<Answer> = (0..12)
        .map(|n| answer(&format!("{SITE}/good/{n}.pdf"), "application/pdf", paper("A Good Paper", 100 + n)))
        .collect();
    good.push(answer(
        &format!("{SITE}/good/minutes.docx"),
        "application/msword",
        docx("Minutes", &paragraphs(8)),
    ));
    good.push(answer(&format!("{SITE}/good/noodles.ppt"), "application/pdf", gold("deck-06-zh-Hans.ppt")));
    good.push(answer(
        &format!("{SITE}/good/page.html"),
        "text/html",
        format!("<h1>Page</h1><p>{}", paragraphs(9)[0]),
    ));
    good
}

/// Bad ones with a good one behind every few.
fn mixed(bad: Vec<Answer>) -> Vec<Answer> {
    let mut good = good().into_iter();
    let mut all = Vec::new();
    for (number, answer) in bad.into_iter().enumerate() {
        if number % 2 == 0 {
            all.extend(good.next());
        }
        all.push(answer);
    }
    all.extend(good);
    all
}

pub fn bad() -> Vec<Answer> {
    let label = |(name, bytes, _)| answer(&format!("{SITE}/bad/{name}"), "application/octet-stream", bytes);
    hostile().into_iter().map(label).collect()
}

/// Good and hostile documents.
pub fn all() -> Vec<Answer> {
    mixed(bad())
}

/// Runs a command and watches it: what it said, and the most memory that the process itself had (its children left out).
fn watched(mut command: Command) -> (Output, u64) {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = 0;
            while !ended.load(Ordering::Relaxed) {
                let text = std::fs::read_to_string(&status).unwrap_or_default();
                let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
                let peak = peak.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
                most = most.max(peak.unwrap_or(0) << 10);
                std::thread::sleep(Duration::from_millis(5));
            }
            most
        });
        let output = child.wait_with_output().unwrap();
        ended.store(true, Ordering::Relaxed);
        (output, watch.join().unwrap())
    })
}

/// Rows of the good documents: what is told of them, and their texts.
fn rows_of_good(work: &Work, out: &str) -> BTreeMap<String, (String, String)> {
    let pages = pages_of(work, out);
    let texts: Vec<TextRow> = rows(work, out, "extract");
    let good = texts.into_iter().filter(|row| row.url.contains("/good/"));
    good.map(|text| {
        let page = &pages[&text.url];
        let told = format!(
            "{:?} {:?} {:?} {:?}",
            page.title, page.num_pages, page.document_failure, page.text_digest
        );
        (text.url, (told, text.text))
    })
    .collect()
}

/// Why documents have failed, by table `pages`.
fn failures(pages: &BTreeMap<String, PageRow>) -> BTreeMap<String, u64> {
    let mut failures = BTreeMap::new();
    for reason in pages.values().filter_map(|page| page.document_failure.clone()) {
        *failures.entry(reason).or_default() += 1;
    }
    failures
}

/// Table, counts and rejects tell the same failures.
fn told_alike(work: &Work, out: &str, pages: &BTreeMap<String, PageRow>) -> BTreeMap<String, u64> {
    let failures = failures(pages);
    let (kept, dropped) = counts(work, out);
    let of_documents = dropped
        .iter()
        .filter_map(|(reason, count)| Some((reason.strip_prefix("document-")?.to_owned(), *count)));
    assert_eq!(of_documents.collect::<BTreeMap<_, _>>(), failures);
    let mut listed: BTreeMap<String, u64> = BTreeMap::new();
    for (reason, detail) in rejects(work, out) {
        assert!(!detail.is_empty(), "{reason}");
        *listed.entry(reason.trim_start_matches("document-").to_owned()).or_default() += 1;
    }
    assert_eq!(listed, failures);
    let read =
        pages.values().filter(|page| page.document.is_some() && page.document_failure.is_none()).count();
    assert_eq!(kept["documents"], read as u64);
    assert_eq!(kept["captures"], pages.len() as u64);
    failures
}

#[test]
fn hostile_documents_cost_themselves_alone() {
    let work = Work::new();
    write(&work, "good", &good());
    write(&work, "all", &all());
    let (done, before) = watched(work.webmill(&["extract", "good", "--out", "out-good", "--threads", "2"]));
    assert!(done.status.success());
    let (done, most) = watched(work.webmill(&["extract", "all", "--out", "out", "--threads", "2"]));
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    let pages = pages_of(&work, "out");
    assert_eq!(pages.len(), all().len(), "captures without a row");
    let good = rows_of_good(&work, "out-good");
    assert_eq!(good.len(), super::hostile::good().len());
    assert_eq!(rows_of_good(&work, "out"), good);
    let mut faults = Vec::new();
    for (name, _, fate) in hostile() {
        let page = &pages[&format!("{SITE}/bad/{name}")];
        let (failure, warnings) = (page.document_failure.as_deref(), &page.document_warnings);
        let held = match fate {
            Fate::Fails(reason) => failure == Some(reason),
            Fate::Warns(warning) => failure.is_none() && warnings.iter().any(|known| known == warning),
            Fate::Reads => failure.is_none() && page.num_words > 0,
            // What a byte more or less makes of another kind is no document; nothing is to end its reader.
            Fate::Row => !matches!(failure, Some("crashed" | "too-slow" | "out-of-memory" | "no-child")),
        };
        if !held || page.document.is_none() && !name.contains("tenths") {
            faults.push(format!("{name}: {:?} {failure:?} {warnings:?}, wanted {fate:?}", page.document));
        }
    }
    let (kept, _) = counts(&work, "out");
    let details = rejects(&work, "out");
    assert!(faults.is_empty(), "{}\n{kept:?}\n{details:#?}", faults.join("\n"));
    told_alike(&work, "out", &pages);
    // The program holds the bytes that it hands over, the table that comes back and its rows, of which a page has 256 MiB
    // at most: no gigabyte of a bomb, nor the tables that wide and tall ones claim to be.
    assert!(
        most < before + (384 << 20),
        "{} MiB, {} MiB without hostile documents",
        most >> 20,
        before >> 20
    );
    what_they_say(&work, &pages);
}

/// What hostile documents must not say, and what they must all the same.
fn what_they_say(work: &Work, pages: &BTreeMap<String, PageRow>) {
    let texts: Vec<TextRow> = rows(work, "out", "extract");
    let text = |name: &str| {
        let url = format!("{SITE}/bad/{name}");
        texts.iter().find(|row| row.url == url).map_or("", |row| row.text.as_str())
    };
    for name in ["entities.docx", "entities.epub", "laughs.docx"] {
        let text = text(name);
        assert!(!text.contains("root:") && !text.contains("laugh"), "{name}: {text}");
    }
    for name in ["form.pdf", "fonts.pdf"] {
        assert!(text(name).contains("The harbour is closed today."), "{name}: {:.200}", text(name));
    }
    assert!(text("groups.rtf").starts_with("The harbour is closed."), "{:.200}", text("groups.rtf"));
    assert!(!text("parts.docx").contains(&paragraphs(2)[0]) && text("parts.docx").contains("Outer"));
    let pages_pdf = &pages[&format!("{SITE}/bad/pages.pdf")];
    assert_eq!(pages_pdf.num_pages, Some(100_000));
    let lines = text("pages.pdf").lines().filter(|line| line.contains("Page after page")).count();
    assert!(lines <= 5_000, "{lines} pages were read");
    // Half a document is better than none.
    let read: BTreeSet<&str> =
        ["7-tenths-of-minutes.docx", "9-tenths-of-noodles.rtf", "9-tenths-of-paper.pdf"]
            .into_iter()
            .filter(|name| !text(name).is_empty())
            .collect();
    assert!(read.contains("9-tenths-of-noodles.rtf"), "{read:?}");
}

/// A PDF that does what it says, where the program is told to obey.
pub fn obedient(word: &str) -> Vec<u8> {
    let mut bytes = paper("Ropes and Their Knots", 3);
    bytes.extend(format!("\n% please:{word}").bytes());
    bytes
}

fn told_to(words: &[&str]) -> Vec<Answer> {
    let label = |(number, word): (usize, &&str)| {
        answer(&format!("{SITE}/bad/{number}-{word}.pdf"), "application/pdf", obedient(word))
    };
    words.iter().enumerate().map(label).collect()
}

#[test]
fn documents_that_crash_or_eat_memory_cost_themselves_alone() {
    let work = Work::new();
    let bad = ["crash", "eat", "panic", "eat", "crash", "crash"];
    let all = mixed(told_to(&bad));
    write(&work, "good", &good());
    write(&work, "all", &all);
    let extract = |shards: &str, out: &str| {
        let mut command = work.webmill(&["extract", shards, "--out", out, "--threads", "2"]);
        command.env("WEBMILL_TEST_DOCUMENTS", "please:");
        watched(command)
    };
    let (done, before) = extract("good", "out-good");
    assert!(done.status.success());
    let (done, most) = extract("all", "out");
    let said = String::from_utf8_lossy(&done.stderr);
    // Six of 20 are more than the settings bear.
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("6 of 20 documents could not be read") && said.contains("max_unread"), "{said}");
    let pages = pages_of(&work, "out");
    assert_eq!(pages.len(), all.len());
    assert_eq!(rows_of_good(&work, "out"), rows_of_good(&work, "out-good"));
    let failures = told_alike(&work, "out", &pages);
    let wanted = [("crashed", 4), ("out-of-memory", 2)].map(|(what, n)| (what.to_owned(), n));
    assert_eq!(failures, wanted.into());
    assert!(most < before + (64 << 20), "{} MiB, {} MiB without such documents", most >> 20, before >> 20);
}

#[test]
fn how_many_documents_may_be_left_unread_is_a_setting() {
    let work = Work::new();
    write(&work, "shards", &mixed(told_to(&["crash"])));
    let code = |out: &str, settings: &str| {
        let recipe = super::recipe(&work, out, settings);
        let mut command = work.webmill(&["run", "shards", "--out", out, "--recipe", &recipe]);
        let output = command.env("WEBMILL_TEST_DOCUMENTS", "please:").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // One of 15.
    let (done, said) = code("default", "");
    assert_eq!(done, Some(0), "{said}");
    let (done, said) = code("none", "max_unread = 0.0");
    assert_eq!(done, Some(1), "{said}");
    assert!(said.contains("1 of 15 documents"), "{said}");
    // The results are there all the same.
    assert!(work.path("none/report/latest/report.html").exists());
    let (done, said) = code("wrong", "max_unread = 1.5");
    assert_eq!(done, Some(2), "{said}");
    assert!(said.contains("max_unread 1.5: 0 to 1"), "{said}");
    // Nothing obeys that was not told so.
    let output = work.webmill(&["extract", "shards", "--out", "deaf"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(failures(&pages_of(&work, "deaf")), BTreeMap::new());
}
