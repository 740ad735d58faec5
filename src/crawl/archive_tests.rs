use std::net::IpAddr;

use proptest::prelude::*;

use super::*;
use webmill_capture::Truncation;

pub(super) const KINDS: [(ArchiveFormat, Compression); 6] = [
    (ArchiveFormat::RawDb, Compression::None),
    (ArchiveFormat::RawDb, Compression::Gzip),
    (ArchiveFormat::RawDb, Compression::Zstd),
    (ArchiveFormat::Warc, Compression::None),
    (ArchiveFormat::Warc, Compression::Gzip),
    (ArchiveFormat::Warc, Compression::Zstd),
];

pub(super) fn options(
    (format, compression): (ArchiveFormat, Compression),
    max_shard_bytes: u64,
) -> ArchiveOptions {
    ArchiveOptions { format, compression: Some(compression), max_shard_bytes, ..ArchiveOptions::default() }
}

pub(super) fn info() -> Vec<(String, String)> {
    vec![
        ("http-header-user-agent".into(), "test/1".into()),
        ("configuration".into(), "[crawl]\na = 1".into()),
    ]
}

fn url(n: u64) -> String {
    format!("http://h{}.example/{n}", n % 3)
}

/// The answer number `n`: some quote whole records, some are compressed, cut or of HTTP/2.
fn raw(n: u64) -> Vec<u8> {
    let body = match n % 5 {
        0 => "version:1.0\nurl:http://quoted.example/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nlength:2\n\nhi\n"
            .repeat(4),
        1 => "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n".repeat(3),
        2 => String::new(),
        _ => format!("<p>page {n} {}</p>", "words and more words ".repeat((n % 17) as usize)),
    };
    let coding = if n % 7 == 3 { "Content-Encoding: br\r\n" } else { "" };
    let (head, body) = match n % 4 {
        1 => ("Transfer-Encoding: chunked\r\n", format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len().max(1))),
        _ => ("", body),
    };
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}{coding}\r\n{body}").into_bytes()
}

pub(super) fn packed(n: u64, options: &ArchiveOptions) -> Packed {
    let (url, raw) = (url(n), raw(n));
    let request = format!("GET /{n} HTTP/1.1\r\nHost: h\r\n\r\n");
    let stored = Stored {
        url: &url,
        origin: (n % 6 == 5).then_some("http://first.example/"),
        date_ms: 1_700_000_000_000 + n as i64 * 1000,
        ip: n.is_multiple_of(2).then(|| IpAddr::from([192, 0, 2, n as u8])),
        request: if n % 9 == 8 { b"" } else { request.as_bytes() },
        raw: &raw,
        truncated: [
            None,
            None,
            Some(Truncation::Length),
            Some(Truncation::Time),
            Some(Truncation::Disconnect),
        ][(n % 5) as usize],
        http2: n % 8 == 1,
        page: true,
        meta: if n % 10 == 4 { &[("depth", "3")] } else { &[] },
        ..Stored::default()
    };
    pack(&stored, options).unwrap().unwrap()
}

/// Every answer visited after `from`, checked against what was stored.
pub(super) fn visited_ids(archive: &Archive, from: Position) -> Vec<u64> {
    let mut seen = Vec::new();
    let visited = tail(&archive.folder, from, &mut |record| {
        seen.push(check(record));
        Ok(())
    })
    .unwrap();
    assert_eq!((visited.damaged, visited.records), (0, seen.len() as u64), "{:?}", visited.first);
    seen
}

fn check(record: &Record<'_>) -> u64 {
    let n: u64 = record.url.rsplit('/').next().unwrap().parse().unwrap();
    assert_eq!(record.url, url(n));
    assert!(record.data == raw(n), "{n}: {:?}", String::from_utf8_lossy(&record.data));
    assert_eq!(record.date_ms, Some(1_700_000_000_000 + n as i64 * 1000));
    assert_eq!(record.origin.as_deref(), (n % 6 == 5).then_some("http://first.example/"), "{n}");
    assert_eq!(record.ip.as_deref(), n.is_multiple_of(2).then(|| format!("192.0.2.{}", n as u8)).as_deref());
    let cuts = [None, None, Some(Truncation::Length), Some(Truncation::Time), Some(Truncation::Disconnect)];
    assert_eq!(record.truncated, cuts[(n % 5) as usize], "{n}");
    let protocol = if record.format == Format::RawDb { "protocol" } else { "WARC-Protocol" };
    assert_eq!(record.property(protocol).as_deref(), (n % 8 == 1).then_some("h2"));
    let depth = if record.format == Format::RawDb { "depth" } else { "x-webmill-depth" };
    assert_eq!(record.property(depth).as_deref(), (n % 10 == 4).then_some("3"));
    assert_eq!(record.defects, [""; 0]);
    n
}

/// Reads finished shards as any job does, strictly and with digests, and counts records by kind.
pub(super) fn strictly(archive: &Archive) -> (u64, u64, u64) {
    let (mut infos, mut requests, mut answers) = (0, 0, 0);
    for path in archive.finished().unwrap() {
        let options = ReadOptions { lenient: false, verify_digests: true, ..ReadOptions::default() };
        let mut reader = ShardReader::open(&path, &options).unwrap();
        let mut before: Option<(String, String)> = None;
        while let Some(next) = reader.next() {
            let record = next.unwrap();
            assert_eq!(record.defects, [""; 0]);
            match record.kind {
                RecordType::Warcinfo => {
                    assert_eq!(record.place.offset, 0);
                    let text = String::from_utf8_lossy(&record.data).into_owned();
                    assert!(text.starts_with("software: webmill/"));
                    assert!(text.contains("http-header-user-agent: test/1\r\n"));
                    assert!(text.contains("configuration: [crawl]\r\n a = 1\r\n"));
                    let name = path.file_name().unwrap().to_string_lossy();
                    assert_eq!(record.property("WARC-Filename").as_deref(), Some(&*name));
                    infos += 1;
                }
                RecordType::Request => {
                    let own = record.id.as_deref().unwrap().to_string();
                    before = Some((own, record.property("warc-concurrent-to").unwrap().into_owned()));
                    assert!(record.data.starts_with(b"GET /"));
                    requests += 1;
                }
                _ => {
                    check(&record);
                    let of = record.property("WARC-Concurrent-To").map(|id| id.into_owned());
                    let id = record.id.as_deref().map(str::to_string);
                    let pair = before.take();
                    assert_eq!(pair.as_ref().map(|(own, _)| own.clone()), of);
                    assert!(pair.is_none_or(|(_, to)| Some(to) == id));
                    answers += 1;
                }
            }
        }
    }
    (infos, requests, answers)
}

#[test]
fn options_are_held_against_their_ranges() {
    assert!(ArchiveOptions::default().check().is_ok());
    let bad = ArchiveOptions { max_shard_bytes: 0, ..ArchiveOptions::default() };
    assert!(matches!(bad.check(), Err(Error::Config(_))), "{bad:?}");
    for (format, ending) in [("rawdb", "rawdb"), ("warc", "warc.gz")] {
        let json = format!(r#"{{"format":"{format}"}}"#);
        assert_eq!(serde_json::from_str::<ArchiveOptions>(&json).unwrap().ending(), ending);
    }
}

#[test]
fn every_kind_comes_back_from_every_position() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let options = options(kind, 6000);
        let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
        let mut positions = Vec::new();
        for n in 0..60 {
            positions.push(archive.position());
            let packed = packed(n, &options);
            let place = archive.append(&packed).unwrap();
            archive.flush().unwrap();
            let end = archive.position();
            assert_eq!(
                (place.offset + place.length, place.shard.contains(&format!("{:05}", end.file))),
                (end.offset, true)
            );
        }
        let last = archive.position().file;
        assert!(last >= 2, "{kind:?} rotates");
        for (n, position) in positions.iter().enumerate() {
            assert_eq!(
                visited_ids(&archive, *position),
                (n as u64..60).collect::<Vec<_>>(),
                "{kind:?} {position:?}"
            );
            assert!(archive.holds(*position).unwrap());
        }
        let end = archive.position();
        assert!(!archive.holds(Position { offset: end.offset + 1, ..end }).unwrap());
        assert_eq!(archive.finished().unwrap().len(), last as usize);
        drop(archive);
        // Again, then finished, then one more, which begins another file.
        let mut archive = Archive::open(folder.path(), &options, &info(), Some(positions[59])).unwrap();
        assert_eq!((archive.position(), archive.cut()), (end, 0));
        archive.finish().unwrap();
        archive.append(&packed(60, &options)).unwrap();
        archive.flush().unwrap();
        assert_eq!(archive.position().file, last + 1);
        assert_eq!(visited_ids(&archive, positions[55]), (55..61).collect::<Vec<_>>());
        archive.finish().unwrap();
        archive.finish().unwrap();
        let files = archive.finished().unwrap();
        let names: Vec<_> =
            files.iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
        let expected: Vec<_> = (0..=last + 1).map(|n| format!("crawl-{n:05}.{}", options.ending())).collect();
        assert_eq!(names, expected);
        let warc = kind.0 == ArchiveFormat::Warc;
        let page = std::fs::read_to_string(folder.path().join("RAW-DB.md")).ok();
        assert_eq!(page.as_deref(), (!warc).then_some(webmill_shard::RAW_DB_PAGE));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), names.len() + usize::from(!warc));
        let (infos, requests, answers) = strictly(&archive);
        assert_eq!((infos, requests, answers), if warc { (u64::from(last) + 2, 55, 61) } else { (0, 0, 61) });
        let found = webmill_shard::discover(&[folder.path().to_string_lossy().into_owned()]).unwrap();
        assert_eq!((found.0.len(), found.1.len()), (names.len(), 0));
        let all = std::fs::read_dir(folder.path()).unwrap();
        let all: Vec<_> = all.map(|entry| entry.unwrap().path().to_string_lossy().into_owned()).collect();
        let found = webmill_shard::discover(&all).unwrap();
        assert_eq!((found.0.len(), found.1.len()), (names.len(), 0), "as a shell names them");
    }
}

#[test]
fn a_place_is_where_the_answer_stands() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let options = options(kind, 1 << 20);
        let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
        let places: Vec<_> = (0..30).map(|n| archive.append(&packed(n, &options)).unwrap()).collect();
        archive.finish().unwrap();
        for (n, place) in places.iter().enumerate() {
            let at = ReadOptions { exact_start: Some(place.offset.into()), ..ReadOptions::default() };
            let path = folder.path().join(&*place.shard);
            let mut reader =
                ShardReader::open_range(&path, place.shard.clone(), place.offset..u64::MAX, &at).unwrap();
            let record = reader.next().unwrap().unwrap();
            assert_eq!((check(&record), &record.place), (n as u64, place), "{kind:?}");
        }
    }
}

#[test]
fn equal_answers_give_equal_files() {
    for kind in KINDS {
        let files: Vec<_> = (0..2)
            .map(|_| {
                let folder = tempfile::tempdir().unwrap();
                let options = options(kind, 1 << 20);
                let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
                for n in 0..20 {
                    archive
                        .append(
                            &std::thread::spawn(move || packed(n, &self::options(kind, 9))).join().unwrap(),
                        )
                        .unwrap();
                }
                archive.finish().unwrap();
                std::fs::read(&archive.finished().unwrap()[0]).unwrap()
            })
            .collect();
        assert!(files[0] == files[1], "{kind:?}");
    }
}

#[test]
fn a_cut_at_any_byte_costs_the_answer_it_hits() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let options = options(kind, 1 << 20);
        let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
        let mut ends = Vec::new();
        for n in 0..6 {
            archive.append(&packed(n, &options)).unwrap();
            archive.flush().unwrap();
            ends.push(archive.position().offset);
        }
        let path = archive.current.as_ref().unwrap().path().to_path_buf();
        drop(archive);
        let whole = std::fs::read(&path).unwrap();
        // From the checkpoint on, and from the beginning; with the end of the file missing, or turned into zeros.
        let last = ends[3] as usize;
        for cut in (0..last).step_by(13).chain(last..=whole.len()) {
            let zeros = if cut % 3 == 0 && cut % 4 != 3 { 700 } else { 0 };
            let mut bytes = whole[..cut].to_vec();
            bytes.resize(cut + zeros, 0);
            // (A gzip member may end in zeros.)
            let kept =
                ends.iter().filter(|end| whole.get(..**end as usize) == bytes.get(..**end as usize)).count();
            let checkpoint = Position { file: 0, offset: if kept > 0 { ends[kept - 1] } else { 0 } };
            let early = Position { file: 0, offset: if kept > 2 { ends[1] } else { 0 } };
            let late = Position { file: 0, offset: whole.len() as u64 };
            let resume = [Some(early), None, Some(checkpoint), Some(late)][cut % 4];
            std::fs::write(&path, bytes).unwrap();
            let mut archive = Archive::open(folder.path(), &options, &info(), resume).unwrap();
            for entry in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.to_string_lossy().contains(".from-") {
                    // Zeros can end a record's data, whose quoted records nothing tells from real ones then.
                    assert!(zeros > 0, "{kind:?}: a mere cut at {cut} is nothing to set aside");
                    std::fs::remove_file(entry).unwrap();
                }
            }
            if resume == Some(late) {
                assert_eq!(archive.holds(late).unwrap(), kept == ends.len());
            }
            // (A warcinfo without answers stays.)
            if kept > 0 {
                assert_eq!(archive.position(), checkpoint, "{kind:?} cut at {cut}");
            } else {
                assert_eq!(archive.position().file, 0);
            }
            for n in kept as u64..8 {
                archive.append(&packed(n, &options)).unwrap();
            }
            archive.flush().unwrap();
            assert_eq!(
                visited_ids(&archive, Position::default()),
                (0..8).collect::<Vec<_>>(),
                "{kind:?} cut at {cut}"
            );
            if cut % 10 == 0 {
                archive.finish().unwrap();
                assert_eq!(strictly(&archive).2, 8);
                std::fs::remove_file(&archive.finished().unwrap()[0]).unwrap();
            }
        }
    }
}

#[test]
fn whole_records_behind_damage_are_set_aside() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let options = options(kind, 1 << 20);
        let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
        let mut ends = Vec::new();
        for n in 0..12 {
            archive.append(&packed(n, &options)).unwrap();
            archive.flush().unwrap();
            ends.push(archive.position().offset);
        }
        let path = archive.current.as_ref().unwrap().path().to_path_buf();
        drop(archive);
        let mut bytes = std::fs::read(&path).unwrap();
        let size = bytes.len() as u64;
        let at = ends[3] as usize;
        bytes[at..at + 40].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        let checkpoint = Position { file: 0, offset: ends[1] };
        let archive = Archive::open(folder.path(), &options, &info(), Some(checkpoint)).unwrap();
        assert_eq!(archive.position().offset, ends[3], "{kind:?}");
        assert_eq!(archive.cut(), size - ends[3]);
        let aside = folder.path().join(format!(".crawl-00000.{}.from-{}", options.ending(), ends[3]));
        assert!(std::fs::read(aside).unwrap() == bytes[at..], "{kind:?}");
    }
}

#[test]
fn raw_db_keeps_pages_only_and_heads_are_checked() {
    let options = ArchiveOptions::default();
    let stored =
        Stored { url: "http://a.example/robots.txt", raw: b"HTTP/1.1 200 OK\r\n\r\n", ..Stored::default() };
    assert_eq!(pack(&stored, &options).unwrap(), None);
    let page = Stored { page: true, ..stored };
    let bytes = pack(&page, &options).unwrap().unwrap().bytes;
    assert!(String::from_utf8(bytes).unwrap().contains("\nip:unknown\n"));
    let warc = ArchiveOptions { format: ArchiveFormat::Warc, ..options.clone() };
    assert!(pack(&stored, &warc).unwrap().is_some());
    for bad in [Stored { url: "http://a\nb", ..page }, Stored { meta: &[("length", "1")], ..page }] {
        assert!(matches!(pack(&bad, &options), Err(Error::Config(_))));
    }
    // The thread's compressor is as good as new after that.
    assert!(pack(&page, &options).unwrap().is_some());
}

#[test]
fn bodies_that_are_compressed_are_left_alone() {
    let text = "a line of text\n".repeat(400);
    let pack = |head: &str| {
        let raw = format!("HTTP/1.1 200 OK\r\n{head}\r\n{text}");
        let stored =
            Stored { url: "http://a.example/", raw: raw.as_bytes(), page: true, ..Stored::default() };
        pack(&stored, &ArchiveOptions::default()).unwrap().unwrap().bytes.len() > raw.len()
    };
    for head in [
        "Content-Type: text/html\r\n",
        "",
        "Content-Encoding: identity\r\n",
        "Content-Type: image/svg+xml\r\n",
    ] {
        assert!(!pack(head), "{head}");
    }
    for head in
        ["Content-Encoding: gzip\r\n", "Content-Type: image/jpeg\r\n", "content-type: application/zip\r\n"]
    {
        assert!(pack(head), "{head}");
    }
}

#[test]
fn what_the_log_does_not_know_can_be_taken_away() {
    for kind in KINDS {
        for finish in [false, true] {
            let options = options(kind, 4000);
            for keep in (0..25).step_by(4) {
                let folder = tempfile::tempdir().unwrap();
                let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
                let mut known = Position::default();
                for n in 0..25 {
                    let place = archive.append(&packed(n, &options)).unwrap();
                    if n < keep {
                        let file = shard_number(&place.shard).unwrap();
                        known = Position { file, offset: place.offset + place.length };
                    }
                }
                archive.flush().unwrap();
                if finish {
                    archive.finish().unwrap();
                }
                drop(archive);
                assert!(cut_behind(folder.path(), known).unwrap() > 0);
                assert_eq!(cut_behind(folder.path(), known).unwrap(), 0);
                let mut archive = Archive::open(folder.path(), &options, &info(), Some(known)).unwrap();
                assert_eq!(archive.cut(), 0);
                for n in keep..30 {
                    archive.append(&packed(n, &options)).unwrap();
                }
                archive.finish().unwrap();
                assert_eq!(
                    visited_ids(&archive, Position::default()),
                    (0..30).collect::<Vec<_>>(),
                    "{kind:?} {keep}"
                );
                assert_eq!(strictly(&archive).2, 30);
            }
        }
    }
    assert_eq!(shard_number("crawl-00042.warc.gz"), Some(42));
    assert_eq!(shard_number("crawl-100000.rawdb"), Some(100_000));
    for other in ["crawl-1.txt", "x-00001.rawdb", "crawl-.rawdb"] {
        assert_eq!(shard_number(other), None);
    }
}

#[test]
fn another_format_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    let mut checkpoint = None;
    for kind in KINDS {
        let options = options(kind, 1 << 20);
        let mut archive = Archive::open(folder.path(), &options, &info(), checkpoint).unwrap();
        for _ in 0..3 {
            archive.append(&packed(count, &options)).unwrap();
            count += 1;
        }
        archive.flush().unwrap();
        checkpoint = Some(archive.position());
    }
    let options = options(KINDS[0], 1 << 20);
    let archive = Archive::open(folder.path(), &options, &info(), checkpoint).unwrap();
    assert_eq!(visited_ids(&archive, Position::default()), (0..count).collect::<Vec<_>>());
    let names: Vec<_> = archive
        .finished()
        .unwrap()
        .iter()
        .map(|p| p.extension().unwrap().to_string_lossy().into_owned())
        .collect();
    // RAW DB goes on in the same file whatever the records' compression.
    assert_eq!(names, ["rawdb", "warc", "gz", "zst"]);
    assert_eq!(archive.position(), Position { file: 4, offset: 0 });
}

#[test]
fn shards_that_were_taken_away_are_not_numbered_again() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(KINDS[0], 1000);
    let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
    for n in 0..30 {
        archive.append(&packed(n, &options)).unwrap();
    }
    archive.flush().unwrap();
    let checkpoint = archive.position();
    assert!(checkpoint.file > 2);
    for path in archive.finished().unwrap() {
        std::fs::remove_file(path).unwrap();
    }
    drop(archive);
    let mut archive = Archive::open(folder.path(), &options, &info(), Some(checkpoint)).unwrap();
    assert_eq!(archive.position(), checkpoint);
    assert!(archive.holds(checkpoint).unwrap() && !archive.holds(Position { file: 0, offset: 5 }).unwrap());
    archive.finish().unwrap();
    std::fs::remove_file(&archive.finished().unwrap()[0]).unwrap();
    let after = archive.position();
    let archive = Archive::open(folder.path(), &options, &info(), Some(after)).unwrap();
    assert_eq!(archive.position(), Position { file: checkpoint.file + 1, offset: 0 });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_history_of_deaths(
        steps in proptest::collection::vec((0u8..6, 1u64..7), 1..30), kind in 0usize..6, max in 500u64..8000,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let options = options(KINDS[kind], max);
        let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
        let (mut appended, mut flushed) = (0u64, 0u64);
        let mut checkpoints = vec![(Position::default(), 0)];
        for (step, count) in steps {
            match step {
                0 | 1 => for _ in 0..count {
                    archive.append(&packed(appended, &options)).unwrap();
                    appended += 1;
                },
                2 => { archive.flush().unwrap(); flushed = appended; checkpoints.push((archive.position(), flushed)); }
                3 => { archive.sync().unwrap(); flushed = appended; checkpoints.push((archive.position(), flushed)); }
                4 => {
                    drop(archive);
                    let checkpoint = checkpoints[count as usize % checkpoints.len()].0;
                    archive = Archive::open(folder.path(), &options, &info(), (count % 3 > 0).then_some(checkpoint)).unwrap();
                    let seen = visited_ids(&archive, Position::default()).len() as u64;
                    prop_assert!(seen >= flushed && seen <= appended);
                    (appended, flushed) = (seen, seen);
                }
                _ => { archive.finish().unwrap(); flushed = appended; }
            }
        }
        archive.flush().unwrap();
        for (checkpoint, before) in &checkpoints {
            prop_assert_eq!(visited_ids(&archive, *checkpoint), (*before..appended).collect::<Vec<_>>());
            prop_assert!(archive.holds(*checkpoint).unwrap());
        }
        archive.finish().unwrap();
        prop_assert_eq!(strictly(&archive).2, appended);
    }
}

#[test]
fn conversion_keeps_why_an_answer_is_cut_and_what_was_asked_first() {
    use webmill_shard::{Converter, RawDbWriter, WarcWriter, WriteOptions};
    for (kind, to) in [(KINDS[4], "a.rawdb"), (KINDS[2], "a.warc.gz")] {
        let folder = tempfile::tempdir().unwrap();
        let options = options(kind, 1 << 20);
        let mut archive = Archive::open(folder.path(), &options, &info(), None).unwrap();
        for n in 0..20 {
            archive.append(&packed(n, &options)).unwrap();
        }
        archive.finish().unwrap();
        let path = folder.path().join(to);
        let mut converter = match to {
            "a.rawdb" => Converter::Raw(RawDbWriter::create(&path, WriteOptions::default()).unwrap()),
            _ => Converter::Warc(WarcWriter::create(&path, Default::default()).unwrap()),
        };
        let from = archive.finished().unwrap().remove(0);
        converter.convert(&from, &ReadOptions::default(), &mut |error| panic!("{error}")).unwrap();
        converter.finish().unwrap();
        let mut reader = ShardReader::open(&path, &ReadOptions::default()).unwrap();
        let mut n = 0;
        while let Some(record) = reader.next() {
            let record = record.unwrap();
            if record.kind == RecordType::Response {
                let cuts = [None, None, Some("length"), Some("time"), Some("disconnect")];
                assert_eq!(record.truncated.map(Truncation::name), cuts[n as usize % 5], "{to} {n}");
                assert_eq!(record.origin.is_some(), n % 6 == 5, "{to} {n}");
                assert!(record.url == url(n) && record.data == raw(n));
                n += 1;
            }
        }
        assert_eq!(n, 20);
    }
}
