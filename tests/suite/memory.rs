//! `--memory` is a promise of the whole process: what it holds at most, beside 64 MiB for the program itself.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use webmill::sim::{Config, SimConfig, Web};

use crate::crawl_support::{Served, write_recipe};
use crate::support::{Work, gzip};

/// What the program takes besides: code, models, dictionaries.
const PROGRAM: u64 = 64 << 20;

/// The most bytes that a process held so far; `None` where the system does not tell.
fn most_held(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// Whether the system tells what a process held.
fn is_told() -> bool {
    let told = most_held(std::process::id()).is_some();
    if !told {
        webmill_evaluation::skip("memory: the most that a process held is read from /proc");
    }
    told
}

/// Runs a command and returns the most bytes that its process held, and what it said.
fn peak(command: &mut Command) -> (u64, String) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let said = std::thread::spawn(move || std::io::read_to_string(&mut stderr).unwrap_or_default());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(most_held(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    let (ended, said) = (child.wait().unwrap(), said.join().unwrap());
    assert!(ended.success(), "{command:?}: {said}");
    (most, said)
}

/// Checks that a command keeps its promise.
#[track_caller]
fn keeps(mut command: Command, mib: u64) -> String {
    let (most, said) = peak(&mut command);
    if !is_told() {
        return said;
    }
    let allowed = (mib << 20) + PROGRAM;
    println!("{} MiB of {} MiB: {:?}", most >> 20, allowed >> 20, command.get_args());
    assert!(most <= allowed, "{} MiB of {} MiB: {command:?}\n{said}", most >> 20, allowed >> 20);
    said
}

/// Writes a WARC of these records, given by URL, headers and body.
fn write_warc(work: &Work, name: &str, records: impl Iterator<Item = (String, &'static str, Vec<u8>)>) {
    let mut out = BufWriter::new(std::fs::File::create(work.path(name)).unwrap());
    for (number, (url, headers, body)) in records.enumerate() {
        let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
        let mut warc = String::new();
        write!(
            warc,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number}>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
             WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}",
            head.len() + body.len()
        )
        .unwrap();
        out.write_all(warc.as_bytes()).unwrap();
        out.write_all(&body).unwrap();
        out.write_all(b"\r\n\r\n").unwrap();
    }
}

#[test]
fn pages_that_unpack_to_much_stay_within_it() {
    const HTML: &str = "Content-Type: text/html\r\n";
    const PACKED: &str = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let work = Work::new();
    let words = gzip(&b"<p>word</p>".repeat(3 << 20));
    let tags = b"<div>".repeat((12 << 20) / 5);
    let links: Vec<u8> = (0..400_000).flat_map(|n| format!("<a href=/{n}>{n}</a>\n").into_bytes()).collect();
    let text = b"Some words of a line of plain text that goes on.\n".repeat(20_000);
    let bodies = [(PACKED, &words), (HTML, &tags), (HTML, &links), ("Content-Type: text/plain\r\n", &text)];
    let records = (0..40).map(|n| {
        let (headers, body) = bodies[n % bodies.len()];
        (format!("http://a.example/{n}"), headers, body.clone())
    });
    write_warc(&work, "bombs.warc", records);
    for mib in [128, 256] {
        let (out, memory) = (format!("out-{mib}"), format!("{mib}MiB"));
        let arguments =
            ["extract", "bombs.warc", "--out", &out, "--threads", "2", "--memory", &memory, "--max-bad", "1"];
        let said = keeps(work.webmill(&arguments), mib);
        let counts = work.counts(&out, "extract");
        let left_out = counts["left_out"]["over-memory"].as_u64().unwrap_or(0);
        assert_eq!(counts["used"].as_u64().unwrap() + left_out, 40, "{counts}");
        assert!(left_out == 0 || said.contains("over-memory"), "{said}");
    }
}

#[test]
fn many_small_records_stay_within_it() {
    let work = Work::new();
    let records = (0..600_000).map(|n| (format!("http://a.example/{n}"), "", b"hi".to_vec()));
    write_warc(&work, "small.warc", records);
    let index = ["index", "small.warc", "--out", "small.cdxj", "--threads", "2", "--memory", "128MiB"];
    keeps(work.webmill(&index), 128);
    let extract = ["extract", "small.warc", "--out", "out", "--threads", "2", "--memory", "256MiB"];
    keeps(work.webmill(&extract), 256);
}

#[test]
fn a_hundred_thousand_pages_stay_within_it() {
    let work = Work::new();
    let web = Web::new(Config { pages: 100_000, words: 60, ..Config::default() }).unwrap();
    work.write_web("shards", &web, 64 << 20);
    // What each thread holds is inside it, however many there are.
    keeps(work.webmill(&["run", "shards", "--out", "out", "--threads", "16", "--memory", "256MiB"]), 256);
}

#[test]
fn a_run_over_both_scripts_stays_within_little() {
    let work = Work::new();
    work.synth("shards", 10_000, 64 << 20);
    keeps(work.webmill(&["run", "shards", "--out", "out", "--threads", "2", "--memory", "128MiB"]), 128);
}

#[test]
fn texts_of_megabytes_stay_within_it() {
    let work = Work::new();
    let records = (0..12).map(|n| {
        let line = |at: usize| {
            format!("<p>Line {at} of text {n}, with some more words of a story that goes on.</p>\n")
        };
        let body: String = (0..60_000).map(line).collect();
        (format!("http://a{n}.example/"), "Content-Type: text/html\r\n", body.into_bytes())
    });
    write_warc(&work, "long.warc", records);
    let arguments =
        ["extract", "long.warc", "--out", "out", "--threads", "2", "--memory", "192MiB", "--max-bad", "0"];
    keeps(work.webmill(&arguments), 192);
}

#[test]
fn a_server_of_large_captures_stays_within_it() {
    const PACKED: &str = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let work = Work::new();
    let page = b"<p>word <a href=/x>link</a></p>\n";
    let (packed, plain) = (gzip(&page.repeat(1 << 20)), page.repeat(1 << 18));
    let records = (0..12).map(|n| {
        let (headers, body) =
            if n % 2 == 0 { (PACKED, &packed) } else { ("Content-Type: text/html\r\n", &plain) };
        (format!("http://a.example/{n}"), headers, body.clone())
    });
    std::fs::create_dir(work.path("shards")).unwrap();
    write_warc(&work, "shards/large.warc", records);
    let served = crate::archives::Served::start(&work, &["shards", "--memory", "128MiB"]);
    std::thread::scope(|clients| {
        for n in 0..36 {
            let served = &served;
            clients.spawn(move || {
                let path = format!("/shards/20260101000000mp_/http://a.example/{}", n % 12);
                assert_eq!(served.get(&path).0, 200, "{path}");
            });
        }
    });
    if is_told() {
        let most = most_held(served.process()).unwrap();
        assert!(most <= (128 << 20) + PROGRAM, "{} MiB", most >> 20);
    }
}

#[test]
fn a_crawl_stays_within_it() {
    let served = Served::new(SimConfig::plain(20_000, 400, 73));
    let work = Work::new();
    let mut options = served.options();
    options.connections = 64;
    write_recipe(&work.path("recipe.toml"), &options);
    std::fs::write(work.path("seeds.txt"), served.sim.seeds().collect::<Vec<_>>().join("\n")).unwrap();
    let arguments =
        ["crawl", "--recipe", "recipe.toml", "--seeds", "seeds.txt", "--out", "crawl", "--memory", "128MiB"];
    keeps(work.webmill(&arguments), 128);
}
