//! Trees a second: our parser beside html5ever's, over the real pages below `WEBMILL_DATA` (default `../shared/data`).
//!
//! Pages are read and decoded beforehand; each round parses all of them, on one thread. The best of the rounds counts.
//!
//! `cargo bench --bench html_parse`

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use webmill::html::{Limits, parse};

fn pages(folder: &Path, into: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            pages(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "html")
            && let Ok(bytes) = std::fs::read(&path)
        {
            into.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

fn measure(name: &str, rounds: usize, pages: &[String], mut one: impl FnMut(&str)) {
    let bytes: usize = pages.iter().map(String::len).sum();
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let begun = Instant::now();
        pages.iter().for_each(|page| one(page));
        best = best.min(begun.elapsed().as_secs_f64());
    }
    println!("{name:<24} {:>8.1} MB/s {:>9.0} pages/s", bytes as f64 / best / 1e6, pages.len() as f64 / best);
}

fn main() {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let folder = std::env::var_os("WEBMILL_DATA").map_or(default, PathBuf::from);
    let mut all = Vec::new();
    pages(&folder, &mut all);
    if all.is_empty() {
        return println!("skipped: no pages below {}", folder.display());
    }
    let bytes: usize = all.iter().map(String::len).sum();
    println!("{} pages, {:.1} MB", all.len(), bytes as f64 / 1e6);
    let limits = Limits::default();
    measure("webmill", 7, &all, |page| {
        black_box(parse(page, &limits).len());
    });
    measure("webmill and one walk", 5, &all, |page| {
        let dom = parse(page, &limits);
        black_box(dom.descendants(dom.document()).filter(|&n| dom.is_text(n)).count());
    });
    measure("html5ever, rcdom", 2, &all, |page| {
        let opts = ParseOpts::default();
        black_box(parse_document(RcDom::default(), opts).one(page).document.children.borrow().len());
    });
}
