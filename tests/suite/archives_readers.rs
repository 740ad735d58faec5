//! What a crawl wrote in rounds, as warcio and FastWARC read it and as pywb replays it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use webmill_capture::cut::Cut;

use serde::Deserialize;
use webmill::capture::date::format_14;
use webmill::capture::digest::sha1_base32;
use webmill::crawl::archive::ArchiveFormat;
use webmill::shard::{Compression, ReadOptions, ShardReader};
use webmill::sim::{Answer, Ending, RequestHead, Site, SynthPage};

use super::archives::get;
use super::crawl_again_site::{BEGAN, DAY_MS, etag, every, round, words};
use super::crawl_replay::pywb;
use super::crawl_support::{events, serve, shard_files};
use super::support::{gzip, tool};

const HOST: &str = "http://many.example";

/// One answer of every kind that WARC has a way to write; a page that changes on the second day.
#[derive(Clone, Default)]
struct Kinds {
    second_day: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// What is sent: status, headers as whole lines, body on the wire, and what is a body without its transfer coding.
struct SentAnswer {
    status: &'static str,
    headers: String,
    wire: Vec<u8>,
    entity: Vec<u8>,
    ending: Ending,
}

fn plain(status: &'static str, headers: String, entity: Vec<u8>) -> SentAnswer {
    let headers = format!("{headers}Content-Length: {}\r\n", entity.len());
    SentAnswer { status, headers, wire: entity.clone(), entity, ending: Ending::Keep }
}

fn html(body: String) -> SentAnswer {
    plain("200 OK", "Content-Type: text/html\r\n".into(), body.into_bytes())
}

fn in_chunks(entity: &[u8], length: usize) -> Vec<u8> {
    let mut wire = Vec::new();
    for chunk in entity.chunks(length) {
        wire.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        wire.extend_from_slice(chunk);
        wire.extend_from_slice(b"\r\n");
    }
    wire.extend_from_slice(b"0\r\n\r\n");
    wire
}

fn decoded(data: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(data), &mut plain).unwrap();
    plain
}

impl Kinds {
    fn sent(&self, url: &str, second: bool) -> Option<SentAnswer> {
        let path = url.strip_prefix(HOST)?;
        Some(match path {
            "/" => {
                let links =
                    ["silent", "dated", "chunked", "coded", "changed", "cut", "long", "moved", "leaving"];
                let links: String = links.iter().map(|to| format!("<a href=/{to}>{to}</a> ")).collect();
                let body = format!("<link rel=stylesheet href=/look.css>{links}<p>{}", words(1));
                let tag = etag(&body);
                plain("200 OK", format!("Content-Type: text/html\r\nETag: {tag}\r\n"), body.into_bytes())
            }
            "/silent" => html(format!("<p>{}", words(2))),
            "/dated" => {
                let dated = "Content-Type: text/html\r\nLast-Modified: Mon, 02 Jan 2023 03:04:05 GMT\r\n";
                plain("200 OK", dated.into(), format!("<p>{}", words(3)).into_bytes())
            }
            // The same entity in other chunks.
            "/chunked" => {
                let entity = format!("<p>{}", words(4)).into_bytes();
                let wire = in_chunks(&entity, if second { 700 } else { 1_000 });
                let headers = "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n".into();
                SentAnswer { status: "200 OK", headers, wire, entity, ending: Ending::Keep }
            }
            "/coded" => {
                let headers = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n".into();
                plain("200 OK", headers, gzip(format!("<p>{}", words(5)).as_bytes()))
            }
            "/changed" => html(format!("<p>{}", words(if second { 60 } else { 6 }))),
            "/cut" => {
                let entity = format!("<p>{}", words(7)).into_bytes();
                let headers = format!("Content-Type: text/html\r\nContent-Length: {}\r\n", entity.len() * 2);
                SentAnswer { status: "200 OK", headers, wire: entity.clone(), entity, ending: Ending::Close }
            }
            "/long" => html(format!("<p>{}", "All about tea. ".repeat(40_000))),
            "/moved" => plain("302 Found", "Location: /silent\r\n".into(), b"look there".to_vec()),
            "/leaving" if !second => html(format!("<p>{}", words(8))),
            "/look.css" => plain(
                "200 OK",
                "Content-Type: text/css\r\nETag: \"look\"\r\n".into(),
                b"body { background: url(/ground.png) }".to_vec(),
            ),
            "/ground.png" => {
                plain("200 OK", "Content-Type: image/png\r\n".into(), b"\x89PNG\r\n\x1a\nground".to_vec())
            }
            _ => return None,
        })
    }
}

impl Site for Kinds {
    fn answer_into(&self, _: &str, _: &str, _: u32, _: &mut SynthPage, _: &mut Answer) {
        unreachable!("requests come whole")
    }

    fn answer_request(&self, asking: &RequestHead<'_>, _: &mut SynthPage, out: &mut Answer) {
        let second = self.second_day.load(std::sync::atomic::Ordering::SeqCst);
        let sent = self.sent(asking.url, second).unwrap_or_else(|| {
            plain("404 Not Found", "Content-Type: text/plain\r\n".into(), b"nothing here".to_vec())
        });
        let has = |condition: Option<&str>, header: &str| {
            condition.is_some_and(|value| sent.headers.contains(&format!("{header}: {value}\r\n")))
        };
        let same = has(asking.if_none_match, "ETag") || has(asking.if_modified_since, "Last-Modified");
        let (status, wire) = if same { ("304 Not Modified", &[][..]) } else { (sent.status, &sent.wire[..]) };
        let headers = if same { "" } else { sent.headers.as_str() };
        let mut message = format!("HTTP/1.1 {status}\r\n{headers}\r\n").into_bytes();
        let head_len = message.len();
        message.extend_from_slice(wire);
        let status = status.cut(..3).parse().unwrap();
        *out = Answer { status, message, head_len, ending: sent.ending, ..Answer::default() };
    }
}

/// A record as one of the readers sees it.
#[derive(Debug, Clone, Deserialize)]
struct SeenRecord {
    reader: String,
    #[serde(rename = "type")]
    kind: String,
    id: String,
    url: Option<String>,
    date: String,
    profile: Option<String>,
    refers_url: Option<String>,
    refers_date: Option<String>,
    truncated: Option<String>,
    payload_digest: Option<String>,
    status: Option<u16>,
    problems: Vec<String>,
    body: Option<String>,
}

impl SeenRecord {
    /// What the record itself says.
    fn fields(&self) -> impl PartialEq + std::fmt::Debug {
        let refers = (self.profile.clone(), self.refers_url.clone(), self.refers_date.clone());
        let named = (self.kind.clone(), self.id.clone(), self.url.clone(), self.date.clone());
        (named, refers, self.truncated.clone(), self.payload_digest.clone(), self.status)
    }
}

fn read_by_others(python: &Path, files: &[PathBuf]) -> Vec<SeenRecord> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/archives/read_crawl.py");
    let output = Command::new(python).arg(script).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const DAYS: [i64; 3] = [0, 2, 4];

/// Three rounds over [`Kinds`], which is another site from the second day on.
fn crawled(folder: &Path, compression: Compression) {
    let site = Kinds::default();
    let (server, _) = serve(site.clone());
    let mut options = every(server.proxy(), 1);
    options.requisites = true;
    options.archive.format = ArchiveFormat::Warc;
    options.archive.compression = Some(compression);
    options.archive.via = true;
    options.archive.info.insert("isPartOf".into(), "Kinds".into());
    for day in DAYS {
        site.second_day.store(day > 0, std::sync::atomic::Ordering::SeqCst);
        round(folder, &options, &[&format!("{HOST}/")], day as f64);
    }
}

/// Answers by URL, in order of time.
fn answers_of(seen: &[SeenRecord]) -> BTreeMap<&str, Vec<&SeenRecord>> {
    let mut all: BTreeMap<&str, Vec<&SeenRecord>> = BTreeMap::new();
    for record in seen.iter().filter(|record| matches!(record.kind.as_str(), "response" | "revisit")) {
        let url = record.url.as_deref().unwrap();
        all.entry(url.strip_prefix(HOST).unwrap_or(url)).or_default().push(record);
    }
    all.values_mut().for_each(|records| records.sort_by(|a, b| a.date.cmp(&b.date)));
    all
}

#[test]
fn warcio_and_fastwarc_read_every_record_that_a_crawl_writes_in_rounds() {
    let Some(python) = tool("archives", "python") else { return };
    for compression in [Compression::Gzip, Compression::None] {
        let folder = tempfile::tempdir().unwrap();
        crawled(folder.path(), compression);
        let files = shard_files(folder.path());
        let mut own = 0;
        for file in &files {
            let mut reader = ShardReader::open(file, &ReadOptions::default()).unwrap();
            while let Some(record) = reader.next() {
                record.unwrap();
                own += 1;
            }
        }
        let all = read_by_others(&python, &files);
        let (warcio, fast): (Vec<SeenRecord>, Vec<SeenRecord>) =
            all.into_iter().partition(|seen| seen.reader == "warcio");
        let ids: BTreeSet<&str> = fast.iter().map(|seen| seen.id.as_str()).collect();
        assert_eq!((warcio.len(), fast.len(), ids.len()), (own, own, own), "{compression:?}");
        for (one, two) in warcio.iter().zip(&fast) {
            assert_eq!(one.fields(), two.fields());
            // Both take chunks for payload, where the standard has the entity.
            let chunked = one.kind == "response" && one.url.as_deref() == Some("http://many.example/chunked");
            for seen in [one, two] {
                let problems =
                    seen.problems.iter().filter(|problem| problem.starts_with("payload digest failed"));
                assert_eq!(
                    (problems.count(), seen.problems.len()),
                    [(0, 0), (1, 1)][usize::from(chunked)],
                    "{seen:?}"
                );
            }
        }
        let kinds: BTreeSet<&str> = fast.iter().map(|seen| seen.kind.as_str()).collect();
        assert_eq!(kinds, BTreeSet::from(["metadata", "request", "response", "revisit", "warcinfo"]));
        revisits_refer_to_what_they_repeat(&answers_of(&fast));
    }
}

fn revisits_refer_to_what_they_repeat(answers: &BTreeMap<&str, Vec<&SeenRecord>>) {
    for (path, profile, status) in [
        // pywb would replay a head with 304 as it is.
        ("/", "server-not-modified", None),
        ("/dated", "server-not-modified", None),
        ("/silent", "identical-payload-digest", Some(200)),
        ("/chunked", "identical-payload-digest", Some(200)),
        ("/coded", "identical-payload-digest", Some(200)),
    ] {
        let records = &answers[path];
        assert_eq!(records.len(), DAYS.len(), "{path}: {records:?}");
        let first = records[0];
        assert_eq!((first.kind.as_str(), first.status), ("response", Some(200)), "{path}");
        let entity = Kinds::default().sent(&format!("{HOST}{path}"), false).unwrap().entity;
        assert_eq!(first.payload_digest, Some(format!("sha1:{}", sha1_base32(&entity))), "{path}");
        for again in &records[1..] {
            assert_eq!((again.kind.as_str(), again.status), ("revisit", status), "{path}: {again:?}");
            assert!(again.profile.as_ref().unwrap().ends_with(profile), "{path}: {again:?}");
            assert_eq!(again.refers_url, first.url, "{path}");
            assert_eq!(again.refers_date.as_ref(), Some(&first.date), "{path}");
            assert_eq!(again.payload_digest, first.payload_digest, "{path}");
            assert_eq!(again.body.as_deref(), Some(sha1_base32(b"").as_str()), "{path} repeats its body");
        }
    }
    // The second version is stored whole, the third visit refers to it.
    let changed = &answers["/changed"];
    let kinds: Vec<&str> = changed.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds, ["response", "response", "revisit"]);
    assert_eq!(changed[2].refers_date.as_ref(), Some(&changed[1].date));
    for (path, reason) in [("/cut", "disconnect"), ("/long", "length")] {
        assert_eq!(answers[path][0].truncated.as_deref(), Some(reason), "{path}");
        assert_eq!(answers[path][0].payload_digest, None, "{path}: a part has no digest of the whole");
    }
    assert_eq!(answers["/moved"][0].status, Some(302));
    for requisite in ["/look.css", "/ground.png"] {
        assert_eq!(answers[requisite][0].status, Some(200), "{requisite}");
    }
    assert_eq!(answers["/leaving"].last().unwrap().status, Some(404));
}

#[test]
fn pywb_replays_pages_at_the_dates_of_all_their_visits() {
    let crawl = tempfile::tempdir().unwrap();
    crawled(crawl.path(), Compression::Gzip);
    let replay = tempfile::tempdir().unwrap();
    let Some((_pywb, port)) = pywb(replay.path(), &shard_files(crawl.path())) else { return };
    let site = Kinds::default();
    let mut replayed = 0;
    for event in events(crawl.path()) {
        let day = (event.fetch_time_ms - BEGAN) / DAY_MS;
        let Some(sent) = site.sent(&event.url, day > 0) else { continue };
        // pywb follows redirects of its own accord, and knows nothing of what was not stored.
        if event.visit.is_none() || !matches!(event.status, Some(200 | 304)) || event.truncated.is_some() {
            continue;
        }
        let path = format!("/docs/{}id_/{}", format_14(event.fetch_time_ms), event.url);
        let (status, head, body) = get(&format!("127.0.0.1:{port}"), &path);
        assert_eq!(status, 200, "{path}: {head}");
        // Whoever does not ask for a coding gets none.
        let shown = if event.url.ends_with("/coded") { decoded(&sent.entity) } else { sent.entity };
        assert_eq!(sha1_base32(&body), sha1_base32(&shown), "{path}: {head}");
        let at = webmill::capture::date::format_rfc822(event.fetch_time_ms);
        assert!(head.contains(&format!("memento-datetime: {}", at.to_ascii_lowercase())), "{path}: {head}");
        replayed += 1;
    }
    assert!(replayed >= 3 * 6, "{replayed}");
}
