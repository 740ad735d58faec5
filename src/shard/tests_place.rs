//! What must hold of reading a record by its place.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::*;

type SeenRecord = (RecordType, String, Vec<u8>, Vec<u8>, u64);

fn seen(record: &Record<'_>) -> SeenRecord {
    (record.kind, record.url.to_string(), record.head.to_vec(), record.data.to_vec(), record.place.length)
}

/// Every record of the shard, found again by its place with the right length, without one, and with wrong ones.
fn found_again(path: &Path) -> usize {
    let options = ReadOptions::default();
    let mut reader = ShardReader::open(path, &options).unwrap();
    let shard = RecordFile::new(path, &options);
    let mut count = 0;
    let mut last = None;
    while let Some(next) = reader.next() {
        let Ok(record) = next else { continue };
        // In a member that several records share only the first has a place of its own.
        if record.truncated.is_some() || last.replace(record.place.offset) == Some(record.place.offset) {
            continue;
        }
        let place = record.place.clone();
        for length in [None, Some(place.length), Some(place.length / 2), Some(place.length + 1000), Some(0)] {
            let found = shard.read(place.offset, length).unwrap_or_else(|e| panic!("{length:?}: {e}"));
            assert_eq!(seen(&found.record()), seen(&record), "{} {length:?}", path.display());
        }
        count += 1;
    }
    count
}

fn page(n: usize) -> Vec<u8> {
    let body = format!("page {n} of the same words on every page, for the dictionary's sake ").repeat(n % 40);
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").into_bytes()
}

fn write_warc(folder: &Path, compression: Compression, dictionary: Option<Vec<u8>>) -> PathBuf {
    let options = WarcOptions { compression, dictionary, ..WarcOptions::default() };
    let mut writer = WarcWriter::new(folder, "w", options).unwrap();
    for n in 0..60 {
        let record = NewWarcRecord {
            url: Some(&format!("http://a.example/{n}")),
            data: &page(n),
            ..NewWarcRecord::default()
        };
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap().remove(0)
}

#[test]
fn every_record_is_found_again_by_its_place() {
    let folder = tempfile::tempdir().unwrap();
    for (compression, dictionary) in [
        (Compression::None, None),
        (Compression::Gzip, None),
        (Compression::Zstd, None),
        (Compression::Zstd, Some(page(39))),
    ] {
        let path = write_warc(folder.path(), compression, dictionary);
        assert_eq!(found_again(&path), 60, "{compression:?}");
        let options = ReadOptions::default();
        for (offset, part) in [(1, "no record starts here"), (1 << 40, "bytes only")] {
            let error = read_record_at(&path, offset, None, &options).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(&format!("at byte {offset}:")), "{error}");
        }
        std::fs::remove_file(path).unwrap();
    }
    let raw = folder.path().join("r.rawdb");
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let options = WriteOptions { compression, ..WriteOptions::default() };
        let mut writer = RawDbWriter::create(&raw, options).unwrap();
        for n in 0..60 {
            let url = format!("http://a.example/{n}");
            let data = page(n);
            let record = NewRecord { url: &url, data: &data, ..NewRecord::default() };
            writer.write(&record).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(found_again(&raw), 60, "{compression:?}");
    }
    // Compressed as a whole: places are those inside.
    let bytes = zstd::bulk::compress(&std::fs::read(&raw).unwrap(), 1).unwrap();
    std::fs::write(&raw, bytes).unwrap();
    assert_eq!(found_again(&raw), 60);
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The one shard that is found at a path.
fn input(path: &Path) -> Input {
    discover(&[path.to_str().unwrap().to_owned()]).unwrap().0.remove(0)
}

#[test]
fn places_in_a_file_compressed_as_a_whole_are_those_inside() {
    let folder = tempfile::tempdir().unwrap();
    let warc = std::fs::read(write_warc(folder.path(), Compression::None, None)).unwrap();
    // The first record is larger than the bytes by which pipes are recognised.
    let noise: Vec<u8> = (0..2_u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: 2024-05-01\r\nWARC-Record-ID: <u:1>\r\nContent-Length: {}\r\n\r\n",
        noise.len()
    );
    let large = [head.as_bytes(), &noise, b"\r\n\r\n", &warc].concat();
    let arc: Vec<u8> = (0..9)
        .flat_map(|n| format!("http://a.example/{n} 10.0.0.1 20080430204825 text/html 2\nhi\n").into_bytes())
        .collect();
    let blocks: Vec<u8> = warc.chunks(700).flat_map(gzip).collect();
    for (plain, whole, container) in [
        (&warc, gzip(&warc), Container::WholeGzip),
        (&warc, blocks, Container::WholeGzip),
        (&warc, zstd::bulk::compress(&warc, 1).unwrap(), Container::WholeZstd),
        (&warc, lz4(&warc), Container::WholeLz4),
        (&large, gzip(&large), Container::WholeGzip),
        (&arc, gzip(&arc), Container::WholeGzip),
    ] {
        let path = folder.path().join("whole");
        std::fs::write(&path, plain).unwrap();
        let mut places = Vec::new();
        let mut reader = ShardReader::open(&path, &ReadOptions::default()).unwrap();
        while let Some(record) = reader.next() {
            let record = record.unwrap();
            places.push((record.url.to_string(), record.place.offset, record.place.length));
        }
        assert!(places.len() > 8);
        std::fs::write(&path, &whole).unwrap();
        let input = input(&path);
        assert_eq!((input.container, split(std::slice::from_ref(&input), 1000).len()), (container, 1));
        let refused = input.by_place().unwrap_err().to_string();
        assert!(refused.contains("whole: found") && refused.contains("webmill shard convert"), "{refused}");
        let file = RecordFile::new(&path, &ReadOptions::default());
        for (url, offset, length) in &places {
            let found = file.read(*offset, Some(*length)).unwrap();
            let place = &found.record().place;
            assert_eq!((&*found.record().url, place.offset, place.length), (&**url, *offset, *length));
        }
        // Stored blocks hold the records as they are: where they are stored is no place of theirs.
        let stored = memchr::memmem::find(&whole, b"WARC/1.").unwrap_or(30) as u64;
        for offset in [30, stored, places[1].1 + 30, 1 << 40] {
            assert!(file.read(offset, None).is_err(), "{offset}");
        }
    }
}

#[test]
fn a_record_that_shares_a_member_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_warc(folder.path(), Compression::None, None);
    let warc = std::fs::read(&path).unwrap();
    let mut ends: Vec<usize> = memchr::memmem::find_iter(&warc, b"WARC/1.1\r\n").collect();
    ends.push(warc.len());
    let record = |n: usize| &warc[ends[n]..ends[n + 1]];
    // Each for itself, with blank lines before and behind it, then three in one.
    let apart = gzip(&[b"\r\n", record(1), b"\r\n"].concat());
    let bytes = [gzip(record(0)), apart, gzip(&[record(2), record(3), record(4)].concat()), gzip(record(5))];
    std::fs::write(&path, bytes.concat()).unwrap();
    assert_eq!(input(&path).container, Container::Gzip);
    let file = RecordFile::new(&path, &ReadOptions::default());
    let mut reader = ShardReader::open(&path, &ReadOptions::default()).unwrap();
    let mut at_their_places = Vec::new();
    while let Some(next) = reader.next() {
        let found = next.unwrap();
        let there = file.read(found.place.offset, None).unwrap();
        assert_eq!(there.record().id == found.id, found.is_at_its_place());
        at_their_places.push(found.is_at_its_place());
    }
    assert_eq!(at_their_places, [true, true, true, false, false, true]);
}

#[test]
fn every_record_of_the_archives_is_found_again() {
    let Some(folder) = webmill_evaluation::archive("archives") else { return };
    let mut count = 0;
    let all = [folder.path().to_str().unwrap().to_owned()];
    for input in discover(&all).unwrap().0 {
        count += found_again(&input.path);
    }
    assert!(count > 1900, "{count}");
}

#[test]
fn revisits_say_what_they_refer_to() {
    let Some(folder) = webmill_evaluation::archive("archives") else { return };
    let warcs = folder.path().join("archives/pywb/warcs");
    let revisits = |name: &str| {
        let mut reader = ShardReader::open(&warcs.join(name), &ReadOptions::default()).unwrap();
        let mut found = Vec::new();
        while let Some(next) = reader.next() {
            let record = next.unwrap().into_owned();
            if record.record().revisit.is_some() {
                found.push(record);
            }
        }
        found
    };
    let found = revisits("example-url-agnostic-revisit.warc.gz");
    let record = found[0].record();
    let revisit = record.revisit.clone().unwrap();
    assert_eq!(revisit.profile, RevisitProfile::IdenticalPayloadDigest);
    assert_eq!(revisit.refers_to_url.as_deref(), Some("http://example.iana.org/"));
    assert!(revisit.refers_to_date_ms.is_some());
    assert_eq!(record.response().and_then(|r| r.status), Some(200));
    assert!(record.to_capture().is_none());
    let found = revisits("iana.warc.gz");
    assert_eq!(found.len(), 123);
    for record in &found {
        let record = record.record();
        assert!(record.payload_digest.is_some() && record.revisit.is_some(), "{}", record.url);
        assert!(record.response().is_none_or(|r| r.status.is_some() && r.body.is_empty()), "{}", record.url);
    }
}

#[test]
fn a_record_beyond_the_bound_is_cut_at_its_place_as_in_a_walk() {
    let folder = tempfile::tempdir().unwrap();
    for compression in [Compression::None, Compression::Gzip] {
        let folder = folder.path().join(format!("{compression:?}"));
        std::fs::create_dir(&folder).unwrap();
        let options = WarcOptions { compression, ..WarcOptions::default() };
        let mut writer = WarcWriter::new(&folder, "w", options).unwrap();
        for bytes in [3 << 20, 100, 5 << 20, 100] {
            let data = vec![b'a'; bytes];
            let url = format!("http://a.example/{bytes}");
            writer
                .write(&NewWarcRecord { url: Some(&url), data: &data, ..NewWarcRecord::default() })
                .unwrap();
        }
        let path = writer.finish().unwrap().remove(0);
        let options = ReadOptions { max_record_bytes: 1 << 20, ..ReadOptions::default() };
        let mut reader = ShardReader::open(&path, &options).unwrap();
        let shard = RecordFile::new(&path, &options);
        let mut count = 0;
        while let Some(record) = reader.next() {
            let record = record.unwrap();
            let place = record.place.clone();
            for length in [None, Some(place.length)] {
                let found = shard.read(place.offset, length).unwrap();
                assert_eq!(seen(&found.record()), seen(&record), "{length:?}");
            }
            count += 1;
        }
        assert!(count >= 4, "{count}");
    }
}
