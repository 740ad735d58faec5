//! Records a second on one thread: WARC (plain, gzip) beside FastWARC, and RAW DB, over a generated corpus.
//!
//! `WEBMILL_PEER_PYTHON=venv/bin/python cargo bench --bench shard_read [-- MEGABYTES [ROUNDS [FOLDER]]]` (1000 and 5 if
//! not given; without the variable only ours is measured). The corpus is made in a temporary folder: a request, a
//! response and a metadata record a page, pages of skewed sizes from a seeded vocabulary inside repeated markup; with
//! FOLDER, the files in it (real HTML, say) are the pages instead, in the order of their names, again from the first
//! after the last. Both sides look at
//! URL, date and type of every record and at the Content-Type of every HTTP answer. Rounds alternate between the two;
//! the ratios of neighbouring rounds are printed as least, median and greatest.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use webmill::capture::Response;
use webmill::shard::{
    Compression, NewRecord, NewWarcRecord, RawDbWriter, ReadOptions, RecordType, ShardReader, WarcOptions,
    WarcWriter, WriteOptions,
};

/// A small generator (xorshift64*) so that the corpus is the same everywhere.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) % n
    }
}

fn vocabulary(seeded: &mut Seeded) -> Vec<String> {
    let letters = b"etaoinshrdlucmfwypvbgk";
    let word = |s: &mut Seeded| {
        (0..2 + s.below(8)).map(|_| char::from(letters[s.below(22) as usize])).collect::<String>()
    };
    (0..20_000).map(|_| word(seeded)).collect()
}

fn page(seeded: &mut Seeded, words: &[String], n: u64) -> String {
    let mut html = format!("<!DOCTYPE html><html><head><title>page {n}</title>");
    html += &"<link rel=\"stylesheet\" href=\"/static/site.css\"><script src=\"/static/site.js\"></script>"
        .repeat(4);
    html += "</head><body>";
    // Sizes: most pages small, a few a hundred times as large.
    let paragraphs = 4 + (1 << seeded.below(8)) * (1 + seeded.below(3)) / 2;
    for _ in 0..paragraphs {
        html += "<div class=\"article-paragraph section\"><p>";
        for _ in 0..20 + seeded.below(60) {
            // Squaring twice makes low ranks frequent.
            let rank = seeded.below(1 << 16).pow(2) >> 16;
            html += &words[(((rank * rank) >> 16) as usize * words.len()) >> 16];
            html.push(' ');
        }
        html += &format!(
            "</p><a class=\"more-link\" href=\"/p/{}.html\">read more</a></div>\n",
            seeded.below(100_000)
        );
    }
    html + "</body></html>"
}

/// The files of `folder`, by name.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder of pages");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder of pages").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a page")).collect()
}

fn corpus(folder: &Path, bytes: u64, pages: &[Vec<u8>]) -> [PathBuf; 3] {
    let paths = ["a.warc", "a.warc.gz", "a.rawdb"].map(|name| folder.join(name));
    let warc = |compression, path: &Path| {
        WarcWriter::create(path, WarcOptions { compression, ..WarcOptions::default() })
            .expect("a folder to write to")
    };
    let mut writers = [warc(Compression::None, &paths[0]), warc(Compression::Gzip, &paths[1])];
    let mut raw = RawDbWriter::create(&paths[2], WriteOptions::default()).expect("a folder to write to");
    let mut seeded = Seeded(0x9e37_79b9_7f4a_7c15);
    let words = vocabulary(&mut seeded);
    let (mut written, mut n) = (0, 0);
    while written < bytes {
        let url = format!("http://host{}.example/p/{n}.html", n % 300);
        let body = match pages.len() as u64 {
            0 => page(&mut seeded, &words, n).into_bytes(),
            count => pages[(n % count) as usize].clone(),
        };
        let request =
            format!("GET /p/{n}.html HTTP/1.1\r\nHost: host{}.example\r\nAccept: */*\r\n\r\n", n % 300);
        let head = format!(
            "HTTP/1.1 200 OK\r\nDate: Wed, 01 May 2024 12:00:00 GMT\r\nServer: nginx/1.24\r\nContent-Type: text/html; \
             charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\nVary: Accept-Encoding\r\n\r\n",
            body.len()
        );
        let response = [head.as_bytes(), &body].concat();
        let about = "fetchTimeMs: 87\r\ncharset-detected: UTF-8\r\n".to_string();
        for (kind, data) in [
            (RecordType::Request, request.as_bytes()),
            (RecordType::Response, &response),
            (RecordType::Metadata, about.as_bytes()),
        ] {
            let content_type = (kind == RecordType::Metadata).then_some("application/warc-fields");
            let record = NewWarcRecord {
                kind,
                url: Some(&url),
                date_ms: 1_714_564_800_000 + n as i64 * 1000,
                ip: Some("10.0.0.1"),
                content_type,
                data,
                ..NewWarcRecord::default()
            };
            writers.iter_mut().for_each(|w| w.write(&record).expect("room on the disk"));
        }
        let data = &response;
        let record = NewRecord {
            url: &url,
            date_ms: 1_714_564_800_000,
            ip: Some("10.0.0.1"),
            data,
            ..NewRecord::default()
        };
        raw.write(&record).expect("room on the disk");
        written += (response.len() + request.len() + about.len()) as u64 + 1200;
        n += 1;
    }
    writers.into_iter().for_each(|w| drop(w.finish().expect("room on the disk")));
    raw.finish().expect("room on the disk");
    paths
}

/// Records, header bytes seen, seconds.
fn ours(path: &Path) -> (u64, usize, f64) {
    let begun = Instant::now();
    let mut reader = ShardReader::open(path, &ReadOptions::default()).expect("the corpus");
    let (mut records, mut seen) = (0, 0);
    while let Some(next) = reader.next() {
        let record = next.expect("the corpus is whole");
        records += 1;
        seen += record.url.len();
        std::hint::black_box((record.kind, record.date_ms));
        if record.data.starts_with(b"HTTP/") {
            seen += Response::parse(&record.data).header("content-type").map_or(0, <[u8]>::len);
        }
    }
    (records, seen, begun.elapsed().as_secs_f64())
}

fn peer(python: &str, path: &Path) -> (u64, usize, f64) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/warc_read.py");
    let output = Command::new(python).arg(script).arg(path).output().expect("python runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut fields = text.split_whitespace();
    let mut field = || fields.next().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (field().parse().expect("a count"), field().parse().expect("a count"), field().parse().expect("seconds"))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let numbers: Vec<u64> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let pages = arguments.iter().find(|a| a.parse::<u64>().is_err()).map_or(Vec::new(), |a| files(a));
    let megabytes = numbers.first().copied().unwrap_or(1000);
    let rounds = numbers.get(1).copied().unwrap_or(5).max(1);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = corpus(folder.path(), megabytes * 1_000_000, &pages);
    let python = std::env::var("WEBMILL_PEER_PYTHON").ok();
    for path in &paths {
        let name = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let stored = std::fs::metadata(path).expect("the corpus").len();
        ours(path);
        let (mut best, mut ratios, mut count) = (f64::INFINITY, Vec::new(), 0);
        for _ in 0..rounds {
            let (records, seen, seconds) = ours(path);
            best = best.min(seconds);
            count = records;
            if let (Some(python), false) = (&python, name == "rawdb") {
                let theirs = peer(python, path);
                assert_eq!((records, seen), (theirs.0, theirs.1), "both see the same");
                ratios.push(theirs.2 / seconds);
            }
        }
        ratios.sort_by(f64::total_cmp);
        let ratio = match ratios.len() {
            0 => String::new(),
            n => format!(
                "  FastWARC takes {:.2} / {:.2} / {:.2} times as long",
                ratios[0],
                ratios[n / 2],
                ratios[n - 1]
            ),
        };
        let rate = count as f64 / best;
        println!(
            "{name:<6} {count:>7} records {:>6.1} MB stored {rate:>9.0} records/s{ratio}",
            stored as f64 / 1e6
        );
    }
}
