//! Main text of real pages beside what users would pick instead: one run, one thread each, the same pages in memory.
//!
//!     WEBMILL_TEXT_SETS=FOLDER:… WEBMILL_PEERS=PYTHON WEBMILL_TEXT_PEERS=BINARY cargo bench --bench main_text
//!
//! `WEBMILL_TEXT_SETS` names folders of pages (default: those of the evaluation data that are unpacked below
//! `WEBMILL_DATA`), `WEBMILL_PEERS` a Python with the packages of benches/peers/requirements.txt, `WEBMILL_TEXT_PEERS`
//! what benches/peers/text_rust builds. Ours goes from bytes to text, Markdown left out: charset, tree, main text, title,
//! author, date and the other metadata. CPU seconds of the thread are taken, in turns; the ratio is ours : theirs in pages
//! a second, as least / median / greatest of the rounds. `WEBMILL_ROUNDS` (default 5).

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{Peer, spread};
use webmill::capture::CanonicalUrl;
use webmill::html::{Limits, decode, metadata, parse};
use webmill::text::{TextLimits, main_text};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data =
        std::env::var_os("WEBMILL_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let sets: Vec<PathBuf> = match std::env::var_os("WEBMILL_TEXT_SETS") {
        Some(folders) => std::env::split_paths(&folders).collect(),
        None => ["text-aeb", "text-wcxb-dev", "text-trafilatura"].map(|name| data.join(name)).to_vec(),
    };
    let rounds = std::env::var("WEBMILL_ROUNDS").map_or(Ok(5), |n| n.parse())?;
    for set in sets {
        let mut pages = Vec::new();
        walk(&set, &mut pages);
        pages.sort();
        if pages.is_empty() {
            println!("skipped: no pages below {}", set.display());
            continue;
        }
        compare(&set, &pages, rounds)?;
    }
    Ok(())
}

fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            walk(&path, into);
        } else if path.extension().is_some_and(|end| end == "html" || end == "htm") {
            into.push(path);
        }
    }
}

fn compare(set: &Path, paths: &[PathBuf], rounds: usize) -> Result<(), Box<dyn std::error::Error>> {
    let pages: Vec<Vec<u8>> = paths.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{}: {} pages, {:.1} MB", set.display(), pages.len(), bytes as f64 / 1e6);
    let mut peers = Vec::new();
    if let Some(python) = std::env::var_os("WEBMILL_PEERS") {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers/main_text.py");
        for name in ["resiliparse", "trafilatura"] {
            peers.push(Extractor::start(name, Command::new(&python).args([script, name]), paths)?);
        }
    }
    if let Some(binary) = std::env::var_os("WEBMILL_TEXT_PEERS") {
        peers.push(Extractor::start("rs-trafilatura", &mut Command::new(binary), paths)?);
    }
    extract(&pages); // the dictionary and the tables are read on first use
    let mut ours = Vec::new();
    for _ in 0..rounds {
        ours.push(extract(&pages));
        for peer in &mut peers {
            peer.round()?;
        }
    }
    let rate = |seconds: &[f64]| pages.len() as f64 / spread(seconds)[1];
    println!("  {:<16}{:>9.0} pages/s", "webmill", rate(&ours));
    for peer in &peers {
        let ratios: Vec<f64> = peer.seconds.iter().zip(&ours).map(|(theirs, ours)| theirs / ours).collect();
        let [least, median, greatest] = spread(&ratios);
        let name = peer.name;
        println!(
            "  {name:<16}{:>9.0} pages/s: {least:.2} / {median:.2} / {greatest:.2} x",
            rate(&peer.seconds)
        );
    }
    Ok(())
}

/// CPU seconds for all pages.
fn extract(pages: &[Vec<u8>]) -> f64 {
    let start = cpu_seconds();
    let limits = TextLimits { markdown: false, details: false, ..TextLimits::default() };
    let base = CanonicalUrl::parse("http://example.invalid/").expect("a URL");
    for page in pages {
        let page = decode(page, None, None);
        let dom = parse(&page.text, &Limits::default());
        let meta = metadata(&dom, &base, &[]);
        std::hint::black_box(main_text(&dom, &meta, &limits));
    }
    cpu_seconds() - start
}

/// CPU time of this thread.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the kernel tells");
    let nanoseconds: f64 = stat.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    nanoseconds / 1e9
}

/// Another extractor, in a process of its own.
struct Extractor {
    name: &'static str,
    peer: Peer,
    seconds: Vec<f64>,
}

impl Extractor {
    fn start(name: &'static str, command: &mut Command, pages: &[PathBuf]) -> std::io::Result<Extractor> {
        let mut peer = Peer::start(command.stderr(Stdio::null()))?;
        for page in pages {
            peer.say(&std::path::absolute(page)?.display().to_string())?;
        }
        peer.say("")?;
        peer.line()?;
        Ok(Extractor { name, peer, seconds: Vec::new() })
    }

    fn round(&mut self) -> std::io::Result<()> {
        self.seconds.push(self.peer.run("go")?.0);
        Ok(())
    }
}
