//! What must hold of WARC and ARC reading, writing and conversion.

use std::io::{Cursor, Write};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use webmill_capture::Truncation;

type Row = (RecordType, String, Vec<u8>, Vec<u8>);

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn warc(url: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n\
         WARC-Record-ID: <urn:x:{url}>\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn strict() -> ReadOptions {
    ReadOptions { lenient: false, verify_digests: true, ..options() }
}

fn reader(bytes: &[u8], options: &ReadOptions) -> ShardReader {
    ShardReader::from_reader(Box::new(Cursor::new(bytes.to_vec())), "t", options).expect("a shard")
}

/// Records and errors of a shard held in memory.
fn read(bytes: &[u8], options: &ReadOptions) -> (Vec<Row>, Vec<String>) {
    drain(reader(bytes, options))
}

/// As [`read`], also where the start is too damaged for the format to be recognised.
fn read_as(bytes: &[u8], container: Container) -> (Vec<Row>, Vec<String>) {
    let stored = stream::Stream::from_reader(Box::new(Cursor::new(bytes.to_vec())), "t");
    let mut reader = WarcReader::new(stored, Format::Warc, container, 0..u64::MAX, &options()).unwrap();
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    while let Some(next) = reader.next() {
        collect(next, &mut rows, &mut errors);
    }
    (rows, errors)
}

fn drain(mut reader: ShardReader) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    while let Some(next) = reader.next() {
        collect(next, &mut rows, &mut errors);
    }
    (rows, errors)
}

fn collect(next: webmill_capture::error::Result<Record<'_>>, rows: &mut Vec<Row>, errors: &mut Vec<String>) {
    match next {
        Ok(r) => rows.push((r.kind, r.url.to_string(), r.head.to_vec(), r.data.to_vec())),
        Err(e) => errors.push(e.to_string()),
    }
}

fn urls(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|r| r.1.as_str()).collect()
}

/// Body, URLs read, part of the only error ("" for none).
#[test]
fn damage_costs_only_what_it_touches() {
    let [a, b, c] =
        ["u:a", "u:b", "u:c"].map(|u| warc(u, format!("HTTP/1.1 200 OK\r\n\r\nbody of {u}").as_bytes()));
    let [ga, gb, gc] = [&a, &b, &c].map(|r| gzip(r));
    let nothing = gzip(b"").repeat(10_000);
    let change = |r: &[u8], from: &str, to: &str| {
        String::from_utf8(r.to_vec()).unwrap().replace(from, to).into_bytes()
    };
    let mut flipped = gb.clone();
    let half = flipped.len() / 2;
    flipped[half] ^= 0x55;
    let all = vec!["u:a", "u:b", "u:c"];
    let cases: Vec<(&str, Vec<u8>, Vec<&str>, &str)> = vec![
        ("plain", [&a[..], &b, &c].concat(), all.clone(), ""),
        ("members", [&ga[..], &gb, &gc].concat(), all.clone(), ""),
        ("one member over all", gzip(&[&a[..], &b, &c].concat()), all.clone(), ""),
        (
            "members cut anywhere",
            {
                let whole = [&a[..], &b, &c].concat();
                whole.chunks(37).flat_map(gzip).collect()
            },
            all.clone(),
            "",
        ),
        (
            "length too large",
            [&a[..], &change(&b, "Content-Length: 30", "Content-Length: 55"), &c].concat(),
            all.clone(),
            "",
        ),
        (
            "length beyond the file",
            [&a[..], &change(&b, "Length: 30", "Length: 99999999999"), &c].concat(),
            vec!["u:a", "u:c"],
            "ends inside a block",
        ),
        (
            "length too small",
            [&a[..], &change(&b, "Content-Length: 30", "Content-Length: 3"), &c].concat(),
            all.clone(),
            "",
        ),
        ("no blank lines", [&a[..a.len() - 4], &b[..b.len() - 4], &c].concat(), all.clone(), ""),
        ("many blank lines", [&a[..], b"\r\n\r\n\r\n", &b, b"\n\n", &c].concat(), all.clone(), ""),
        ("LF only", change(&[&a[..], &b, &c].concat(), "\r\n", "\n"), all.clone(), ""),
        (
            "junk between",
            [&a[..], b"junk\nmore", b"\n", &b, &c].concat(),
            all.clone(),
            "no WARC version line",
        ),
        (
            "member with a wrong length",
            [&ga[..], &gzip(&change(&b, "Length: 30", "Length: 300")), &gc].concat(),
            all.clone(),
            "",
        ),
        (
            "member without a length",
            [&ga[..], &gzip(&change(&b, "Content-Length: 30\r\n", "")), &gc].concat(),
            all.clone(),
            "",
        ),
        ("a member flipped", [&ga[..], &flipped, &gc].concat(), vec!["u:a", "u:c"], "member"),
        (
            "junk between members",
            [&ga[..], b"\x1f\x8bjunk", &gb, &gc].concat(),
            all.clone(),
            "no gzip member",
        ),
        ("zeros behind", [&ga[..], &gb, &gc, &[0; 512]].concat(), all.clone(), ""),
        ("many zeros behind", [&ga[..], &gb, &gc, &[0; 200_000]].concat(), all.clone(), ""),
        ("plain, zeros behind", [&a[..], &b, &c, &[0; 200_000]].concat(), all.clone(), ""),
        ("zeros, then something", [&ga[..], &gb, &[0; 100_000], &gc].concat(), all.clone(), "no gzip member"),
        ("empty members", [&nothing[..], &ga, &nothing, &gb, &gc, &nothing].concat(), all.clone(), ""),
        ("a member cut off", [&ga[..], &gb[..gb.len() - 30]].concat(), vec!["u:a", "u:b"], "cut off"),
        ("cut off inside a head", [&a[..], &b[..40]].concat(), vec!["u:a"], "inside its head"),
        ("brackets", change(&a, "URI: u:a", "URI: <u:a b>"), vec!["u:a b"], ""),
    ];
    for (name, bytes, want, error) in cases {
        let (rows, errors) = read(&bytes, &options());
        assert_eq!(urls(&rows), want, "{name}: {errors:?}");
        match error {
            "" => assert!(errors.is_empty(), "{name}: {errors:?}"),
            part => assert!(errors.len() == 1 && errors[0].contains(part), "{name}: {errors:?}"),
        }
        for row in rows.iter().filter(|r| name != "LF only" && !name.contains("cut off") && r.1.len() == 3) {
            assert_eq!(row.3, format!("HTTP/1.1 200 OK\r\n\r\nbody of {}", row.1).into_bytes(), "{name}");
        }
        let (_, errors) = read(&bytes, &strict());
        let fine = ["plain", "members", "empty members", "brackets"].contains(&name)
            || name.ends_with("zeros behind");
        assert_eq!(errors.is_empty(), fine, "{name}, strict: {errors:?}");
    }
}

#[test]
fn zstd_with_and_without_a_dictionary() {
    let page = b"HTTP/1.1 200 OK\r\n\r\nthe same words on every page, for the dictionary's sake";
    for dictionary in [None, Some(page.repeat(20))] {
        let folder = tempfile::tempdir().unwrap();
        let write = WarcOptions { compression: Compression::Zstd, dictionary, ..WarcOptions::default() };
        let mut writer = WarcWriter::new(folder.path(), "z", write).unwrap();
        for n in 0..5 {
            writer.write(&response(&format!("u:{n}"), page)).unwrap();
        }
        let path = writer.finish().unwrap().remove(0);
        let (rows, errors) = drain(ShardReader::open(&path, &options()).unwrap());
        assert_eq!((rows.len(), errors.len()), (5, 0), "{errors:?}");
        assert!(rows.iter().all(|r| r.3 == page));
        // A range has to fetch the dictionary from the start of the file.
        let size = std::fs::metadata(&path).unwrap().len();
        let tail = ShardReader::open_range(&path, "z".into(), size - 900..u64::MAX, &options()).unwrap();
        let (rows, errors) = drain(tail);
        assert!(!rows.is_empty() && rows.len() < 5 && errors.is_empty(), "{rows:?} {errors:?}");
        // A flipped byte costs one record.
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() - 40;
        bytes[at] ^= 1;
        let (rows, errors) = read(&bytes, &options());
        assert_eq!((rows.len(), errors.len()), (4, 1), "{errors:?}");
    }
}

#[test]
fn an_lz4_file_without_records_is_named() {
    let error =
        ShardReader::from_reader(Box::new(&b"\x04\x22\x4d\x18rest"[..]), "a", &options()).err().unwrap();
    assert!(error.to_string().contains("an lz4 file that holds no shard"), "{error}");
}

/// One frame with the given flags, all block sizes small.
fn lz4(bytes: &[u8], linked: bool, sums: bool) -> Vec<u8> {
    use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
    let mut info = FrameInfo::new();
    info.block_mode = if linked { BlockMode::Linked } else { BlockMode::Independent };
    info.block_size = BlockSize::Max64KB;
    info.block_checksums = sums;
    info.content_checksum = sums;
    info.content_size = sums.then_some(bytes.len() as u64);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn lz4_frames_are_read_and_recovered() {
    let block = |n: usize| {
        [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), format!("{n} ").repeat(n * 20_000).into_bytes()].concat()
    };
    let records: Vec<_> = (0..8).map(|n| warc(&format!("u:{n}"), &block(n))).collect();
    for (linked, sums) in [(false, false), (false, true), (true, false), (true, true)] {
        let frames: Vec<_> = records.iter().map(|r| lz4(r, linked, sums)).collect();
        let skippable = b"\x53\x2a\x4d\x18\x03\0\0\0abc".to_vec();
        let bytes = [&frames[..3].concat()[..], &skippable, &frames[3..].concat()].concat();
        let mut reader = reader(&bytes, &options());
        assert_eq!((reader.format(), reader.container()), (Format::Warc, Container::Lz4));
        let mut at = 0;
        for (n, frame) in frames.iter().enumerate() {
            let record = reader.next().unwrap().unwrap();
            at += if n == 3 { skippable.len() as u64 } else { 0 };
            assert_eq!((record.place.offset, record.place.length), (at, frame.len() as u64));
            assert_eq!((record.url.as_ref(), &*record.data), (format!("u:{n}").as_str(), &block(n)[..]));
            at += record.place.length;
        }
        assert!(reader.next().is_none());
        // One frame over all, and damage in the middle of one.
        assert_eq!(read(&lz4(&records.concat(), linked, sums), &options()).0.len(), 8);
        let mut flipped = frames.concat();
        let middle = frames[..4].concat().len() + frames[4].len() / 2;
        flipped[middle..middle + 40].fill(0xff);
        let (rows, errors) = read(&flipped, &options());
        assert_eq!((rows.len(), errors.len()), (7, 1), "{errors:?}");
        assert!(errors[0].contains("lz4 frame is damaged"), "{errors:?}");
        let cut = &frames[..2].concat()[..frames[0].len() + frames[1].len() - 9];
        let (_, errors) = read(cut, &options());
        assert!(errors.len() == 1 && errors[0].contains("inside an lz4 frame"), "{errors:?}");
    }
}

#[test]
fn a_bomb_is_read_in_bounded_memory() {
    // 400 MB of zeros in a small member: a hundred times what is held.
    let head = "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 400000000\r\n\r\n";
    let fill = |encoder: &mut dyn Write| {
        encoder.write_all(head.as_bytes()).unwrap();
        (0..400).for_each(|_| encoder.write_all(&vec![0; 1_000_000]).unwrap());
        encoder.write_all(b"\r\n\r\n").unwrap();
    };
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut frame = lz4_flex::frame::FrameEncoder::new(Vec::new());
    fill(&mut gz);
    fill(&mut frame);
    let good = warc("u:good", b"x");
    let limited = ReadOptions { max_record_bytes: 1 << 20, ..options() };
    for (bomb, good) in
        [(gz.finish().unwrap(), gzip(&good)), (frame.finish().unwrap(), lz4(&good, false, true))]
    {
        let mut reader = reader(&[&bomb[..], &good].concat(), &limited);
        let record = reader.next().unwrap().unwrap();
        assert_eq!((record.data.len(), record.full_length), (1 << 20, 400_000_000));
        assert_eq!(record.truncated, Some(Truncation::RecordLimit));
        assert_eq!(record.place.length, bomb.len() as u64);
        assert_eq!(reader.next().unwrap().unwrap().url, "u:good");
        assert!(reader.next().is_none());
    }
}

#[test]
fn long_plain_records_are_passed_over() {
    let bytes = [warc("u:a", &vec![b'x'; 3 << 20]), warc("u:b", b"y")].concat();
    let limited = ReadOptions { max_record_bytes: 1000, ..options() };
    let (_folder, path) = in_folder("long.warc", &bytes);
    for mut reader in [reader(&bytes, &limited), ShardReader::open(&path, &limited).unwrap()] {
        let record = reader.next().unwrap().unwrap();
        assert_eq!((record.data.len(), record.full_length), (1000, 3 << 20));
        assert!(record.defects.is_empty());
        assert_eq!(reader.next().unwrap().unwrap().url, "u:b");
        assert!(reader.next().is_none());
    }
}

#[test]
fn digests_are_checked() {
    let body = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
    let sha = |b: &[u8]| webmill_capture::digest::sha1_base32(b);
    let (block, payload) = (sha(body), sha(b"hi"));
    // Both algorithms together; one that is not computed is no fault.
    let sha256 = |b: &[u8]| data_encoding::HEXLOWER.encode(&<sha2::Sha256 as sha2::Digest>::digest(b));
    let both = |block: &str, payload: &str| {
        format!("WARC-Block-Digest: sha1:{block}\r\nWARC-Payload-Digest: sha1:{payload}")
    };
    let (bad_block, bad_payload) =
        ("the block does not agree with its digest", "the payload does not agree with its digest");
    for (digests, defects, wrong) in [
        (both(&block, &payload), vec![], 0),
        (both(&block, &sha(b"2\r\nhi\r\n0\r\n\r\n")), vec![], 0),
        (both(&block, &block), vec![], 0),
        (both(&sha(b"?"), &payload), vec![bad_block], 1),
        (both(&sha(b"?"), &sha(b"?")), vec![bad_block, bad_payload], 1),
        (format!("WARC-Block-Digest: sha256:{}", sha256(body)), vec![], 0),
        (format!("WARC-Payload-Digest: sha-256:{}", sha256(b"hi")), vec![], 0),
        (format!("WARC-Payload-Digest: sha256:{}", sha256(b"ho")), vec![bad_payload], 1),
        (
            "WARC-Block-Digest: sha256:00".to_owned(),
            vec!["the block digest is not one that SHA-256 can have"],
            1,
        ),
        (
            "WARC-Block-Digest: md5:900150983cd24fb0d6963f7d28e17f72".to_owned(),
            vec!["the block digest is not checked: md5 is not supported"],
            0,
        ),
    ] {
        let record = String::from_utf8(warc("u:a", body)).unwrap();
        let record = record.replacen("Content-Type", &format!("{digests}\r\nContent-Type"), 1);
        let verify = ReadOptions { verify_digests: true, ..options() };
        let found = reader(record.as_bytes(), &verify).next().unwrap().unwrap().defects.to_vec();
        assert_eq!(found, defects, "{digests}");
        assert_eq!(read(record.as_bytes(), &strict()).1.len(), wrong, "{digests}");
    }
}

fn response<'a>(url: &'a str, data: &'a [u8]) -> NewWarcRecord<'a> {
    let url = Some(url);
    NewWarcRecord { url, date_ms: 1_714_564_800_000, ip: Some("10.0.0.1"), data, ..NewWarcRecord::default() }
}

fn convert(from: &Path, to: &Path, raw: bool) {
    let mut converter = match raw {
        true => Converter::Raw(RawDbWriter::create(to, WriteOptions::default()).unwrap()),
        false => Converter::Warc(WarcWriter::create(to, WarcOptions::default()).unwrap()),
    };
    let done = converter.convert(from, &options(), &mut |e| panic!("{e}")).unwrap();
    assert!(done.damaged == 0);
    converter.finish().unwrap();
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..400),
        Just(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>".repeat(30)),
        Just(warc("u:quoted", b"a page about this format")),
        Just(b"\r\n\r\n".to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn write_then_read_is_identity(
        blocks in proptest::collection::vec(data(), 0..6),
        packing in 0..3usize,
        limit in prop_oneof![Just(1u64 << 30), Just(600)],
        version_1_0: bool,
    ) {
        let compression = [Compression::None, Compression::Gzip, Compression::Zstd][packing];
        let folder = tempfile::tempdir().unwrap();
        let write = WarcOptions { max_shard_bytes: limit, compression, version_1_0, dictionary: None };
        let mut writer = WarcWriter::new(folder.path(), "p", write).unwrap();
        for (n, block) in blocks.iter().enumerate() {
            writer.write(&response(&format!("http://a.example/{n}"), block)).unwrap();
        }
        let mut rows = Vec::new();
        for path in writer.finish().unwrap() {
            let mut reader = ShardReader::open(&path, &strict()).unwrap();
            let mut at = reader.first_offset().unwrap();
            while let Some(next) = reader.next() {
                let r = next.unwrap();
                prop_assert_eq!(r.place.offset, at);
                at += r.place.length;
                prop_assert_eq!((r.date_ms, r.ip.as_deref()), (Some(1_714_564_800_000), Some("10.0.0.1")));
                rows.push((r.url.to_string(), r.data.to_vec()));
            }
            prop_assert_eq!(at, std::fs::metadata(&path).unwrap().len());
        }
        let want: Vec<_> =
            blocks.iter().enumerate().map(|(n, b)| (format!("http://a.example/{n}"), b.clone())).collect();
        prop_assert_eq!(rows, want);
    }

    #[test]
    fn raw_to_warc_and_back(blocks in proptest::collection::vec(data(), 1..5), packing in 0..3usize) {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a.rawdb", "b.warc.gz", "c.rawdb"].map(|n| folder.path().join(n));
        let compression = [Compression::None, Compression::Gzip, Compression::Zstd][packing];
        let write = WriteOptions { compression, ..WriteOptions::default() };
        let mut writer = RawDbWriter::create(&a, write).unwrap();
        for (n, data) in blocks.iter().enumerate() {
            let url = ["http://a.example/", "www.pku.edu/", "http://a.example/ b\u{e4}#c", "::", "x"][n % 5];
            let revisit: &[(&str, &str)] = &[
                ("x-revisit", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
                ("x-refers-to", "http://a.example/ 2024-05-01T12:00:00Z"),
            ];
            let record = NewRecord {
                url,
                origin: (n % 2 == 0).then_some("http://a.example/from"),
                date_ms: 1_714_564_801_000,
                ip: [Some("10.0.0.1"), Some("unknown"), Some("10.0.0"), None][n % 4],
                extra: if n % 3 == 2 { revisit } else { &[("my-own", "kept")] },
                data,
            };
            writer.write(&record).unwrap();
            if compression == Compression::None {
                // Heads of somebody else's making: spaces, no date, one that is none.
                for date in ["", "date:\n", "date: soon\n"] {
                    let head = format!("version:  1.0\nurl: www.pku.edu/ \n{date}ip: unknown\nlength: {}\n", data.len());
                    writer.write_stored(head.as_bytes(), data).unwrap();
                }
            }
        }
        writer.finish().unwrap();
        convert(&a, &b, false);
        let (rows, errors) = drain(ShardReader::open(&b, &strict()).unwrap());
        prop_assert!(errors.is_empty(), "{:?}", errors);
        let each = if compression == Compression::None { 4 } else { 1 };
        prop_assert_eq!((rows.len(), rows[0].0), (each * blocks.len() + 1, RecordType::Warcinfo));
        prop_assert!(rows[1..].iter().all(|r| r.1.contains(':') && !r.1.contains(' ') && r.1.is_ascii()));
        convert(&b, &c, true);
        prop_assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(&c).unwrap());
    }

    #[test]
    fn warc_to_raw_and_back(blocks in proptest::collection::vec((data(), 0..8usize), 1..5)) {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a.warc.gz", "b.rawdb", "c.warc.gz"].map(|n| folder.path().join(n));
        let mut writer = WarcWriter::create(&a, WarcOptions::default()).unwrap();
        use RecordType::*;
        for (n, (data, kind)) in blocks.iter().enumerate() {
            let kind = [Warcinfo, Response, Resource, Request, Metadata, Revisit, Conversion, Unknown][*kind];
            let url = format!("http://a.example/{n}");
            let record = NewWarcRecord {
                kind,
                url: (kind != Warcinfo).then_some(&url),
                extra: &[("WARC-Concurrent-To", "<urn:x>"), ("WARC-Concurrent-To", "<urn:y>")],
                ..response("", data)
            };
            writer.write(&record).unwrap();
        }
        writer.finish().unwrap();
        convert(&a, &b, true);
        let kinds = |p: &Path| {
            drain(ShardReader::open(p, &options()).unwrap()).0.into_iter().map(|r| r.0).collect::<Vec<_>>()
        };
        prop_assert_eq!(kinds(&a), kinds(&b));
        convert(&b, &c, false);
        prop_assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(&c).unwrap());
    }

}

/// Cut at every byte, and flipped at every byte: all records before the damage come out, and the reader ends.
#[test]
fn every_cut_and_every_flip() {
    let records: Vec<_> =
        (0..4).map(|n| warc(&format!("u:{n}"), b"HTTP/1.0 200 OK\r\n\r\nsome words")).collect();
    let packed: Vec<Vec<u8>> = records.iter().map(|r| gzip(r)).collect();
    for (parts, container) in [(&records, Container::Plain), (&packed, Container::Gzip)] {
        let bytes = parts.concat();
        for at in 0..bytes.len() {
            let before = (1..=4).filter(|n| parts[..*n].concat().len() <= at).count();
            let (rows, _) = read_as(&bytes[..at], container);
            assert!(rows.len() >= before && rows.len() <= before + 1, "cut at {at}: {:?}", urls(&rows));
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x20;
            let (rows, errors) = read_as(&flipped, container);
            let hit = urls(&rows).iter().filter(|u| u.len() == 3 && u.starts_with("u:")).count();
            assert!(hit >= 3, "flipped at {at}: {:?} {errors:?}", urls(&rows));
        }
    }
}

/// What a walk gave: records' places and, of each error, where it is and what it cost.
#[derive(Debug, Default, Clone, PartialEq)]
struct Account {
    places: Vec<(u64, u64)>,
    lost: Vec<(u64, u64)>,
}

fn account(reader: &mut ShardReader) -> Account {
    let mut account = Account::default();
    while let Some(next) = reader.next() {
        match next {
            Ok(record) => account.places.push((record.place.offset, record.place.length)),
            Err(webmill_capture::error::Error::Corrupt { offset, lost, .. }) => {
                account.lost.push((offset, lost));
            }
            Err(error) => panic!("{error}"),
        }
    }
    account
}

fn arc(n: usize, body: &[u8]) -> Vec<u8> {
    let head = format!("http://a.example/{n} 10.0.0.1 20080430204825 text/html {}\n", body.len());
    [head.as_bytes(), body, b"\n"].concat()
}

/// The file at `path` read in parts of equal size, each where the one before ended: the same records and losses, once.
fn in_parts(path: &Path, kind: (Format, Container), parts: u64) -> Account {
    let size = std::fs::metadata(path).unwrap().len();
    let cuts: Vec<u64> = (1..parts).map(|part| size * part / parts).collect();
    let mut joined = Account::default();
    walk_ranges(path, kind, &cuts, &mut |reader| {
        let mut part = account(reader);
        joined.places.append(&mut part.places);
        joined.lost.append(&mut part.lost);
    });
    joined
}

/// Hands out a reader for each range between `cuts` in which a record starts.
fn walk_ranges(
    path: &Path,
    kind: (Format, Container),
    cuts: &[u64],
    visit: &mut dyn FnMut(&mut ShardReader),
) {
    let mut stand = Resume::from(0);
    for pair in [&[0], cuts, &[u64::MAX]].concat().windows(2) {
        let range = pair[0]..pair[1];
        let open = |options| ShardReader::open_as(path, "t".into(), kind, range.clone(), &options).unwrap();
        let mut reader = open(options());
        if !follows(&stand, &range, reader.first_offset()) {
            reader = open(ReadOptions { exact_start: Some(stand), ..options() });
        } else if reader.first_offset().is_none() {
            continue;
        }
        visit(&mut reader);
        if reader.first_offset().is_some() {
            stand = reader.resume();
        }
    }
}

/// The same records in every form there is, each as stored bytes by record.
fn forms() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let body = |n: usize| {
        let noise: String = (0..600).map(|k| format!("{:x} ", (n * 7919 + k * 104_729) % 65_521)).collect();
        format!("HTTP/1.1 200 OK\r\n\r\n{n} {noise}").into_bytes()
    };
    let warcs: Vec<_> = (0..40).map(|n| warc(&format!("u:{n}"), &body(n))).collect();
    let arcs: Vec<_> = (0..40).map(|n| arc(n, &body(n))).collect();
    let each =
        |records: &[Vec<u8>], pack: &dyn Fn(&[u8]) -> Vec<u8>| records.iter().map(|r| pack(r)).collect();
    let zstd = |r: &[u8]| {
        let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
        compressor.set_parameter(zstd::zstd_safe::CParameter::ChecksumFlag(true)).unwrap();
        compressor.compress(r).unwrap()
    };
    vec![
        ("WARC", warcs.clone()),
        ("WARC, gzip", each(&warcs, &gzip)),
        ("WARC, zstd", each(&warcs, &zstd)),
        ("WARC, lz4", each(&warcs, &|r| lz4(r, false, true))),
        ("ARC", arcs.clone()),
        ("ARC, gzip", each(&arcs, &gzip)),
    ]
}

#[test]
fn every_byte_belongs_to_a_record_or_is_counted_as_lost() {
    for (form, records) in forms() {
        let whole = records.concat();
        let start = |n: usize| records[..n].concat().len();
        for (from, until) in [
            (start(10), start(30)),
            (start(10) + 100, start(30)),
            (start(10), start(30) + 100),
            (start(20) + 300, start(20) + 812),
            (start(39) + 5, whole.len()),
        ] {
            let mut bytes = whole.clone();
            bytes[from..until].fill(0);
            let (_folder, path) = in_folder("damaged", &bytes);
            let mut reader = ShardReader::open(&path, &options()).unwrap();
            let kind = (reader.format(), reader.container());
            let found = account(&mut reader);
            let what = format!("{form}, zeros {from}..{until}");
            let given: u64 = found.places.iter().map(|p| p.1).sum();
            let lost: u64 = found.lost.iter().map(|l| l.1).sum();
            // Zeros up to the end are padding, not damage, where they begin at a boundary.
            assert_eq!(given + lost, bytes.len() as u64, "{what}: {found:?}");
            // Only what zeros touch is lost.
            let kept = |n: &usize| start(n + 1) <= from || start(*n) >= until;
            let kept = (0..40).filter(kept).count();
            // A plain block with zeros in it is a block all the same.
            let more = usize::from(!form.contains(','));
            assert!((kept..=kept + more).contains(&found.places.len()), "{what}: {}", found.places.len());
            let last = found.places.last().unwrap();
            assert!(until == whole.len() || last.0 + last.1 == whole.len() as u64, "{what}: {found:?}");
            for parts in [2, 3, 7, 50] {
                assert_eq!(in_parts(&path, kind, parts), found, "{what}, {parts} parts");
            }
        }
    }
}

#[test]
fn arc_heads_of_real_archives_are_read() {
    // The forms that a large archive of 2005 to 2010 holds, each between records that are as they should be.
    let (b, day) = ("http://b.example/", Some(1_209_588_505_000));
    for (head, url, date) in [
        ("http://b.example/ None 20080430204825 text/html", b, day),
        ("http://b.example/ 0 20080430204825 text/html", b, day),
        ("http://b.example/ - 2008043020 text/html", b, Some(1_209_585_600_000)),
        ("http://b.example/ 1.2.3.4 20080430204825123 text/html", b, Some(1_209_588_505_123)),
        ("http://b.example/ 1.2.3.4 Wed, 30 Apr 2008 20:48:25 GMT text/html", b, day),
        ("http://b.example/ 1.2.3.4 bogus text/html", b, None),
        ("http://b.example/ None xyz text/html", b, None),
        ("http://b.example/ 20080430204825 1.2.3.4 text/html", b, day),
        ("1.2.3.4 http://b.example/ 20080430204825 text/html", b, day),
        ("http://b.example/\rx None 20080430204825 text/html", "http://b.example/\rx", day),
    ] {
        let body = b"HTTP/1.1 200 OK\r\n\r\nhello";
        let middle = [format!("{head} {}\n", body.len()).as_bytes(), body, b"\n"].concat();
        let records = [arc(1, body), middle, arc(2, body)];
        for bytes in [records.concat(), records.iter().flat_map(|r| gzip(r)).collect()] {
            let mut reader = reader(&bytes, &options());
            assert_eq!(reader.next().unwrap().unwrap().url, "http://a.example/1");
            let record = reader.next().unwrap().unwrap();
            assert_eq!((record.url.as_ref(), record.date_ms), (url, date), "{head}");
            assert_eq!(&*record.data, body, "{head}");
            assert!(record.ip.as_deref().is_none_or(|ip| ip == "1.2.3.4"), "{head}");
            assert_eq!(reader.next().unwrap().unwrap().url, "http://a.example/2", "{head}");
            assert!(reader.next().is_none());
        }
    }
}

#[test]
fn a_damaged_beginning_costs_only_itself() {
    for (form, records) in forms() {
        let whole = records.concat();
        let junk = |n: usize, with: &[u8]| [&with.repeat(n)[..], &whole].concat();
        let zeroed = {
            let mut bytes = whole.clone();
            bytes[..512].fill(0);
            bytes
        };
        let first = records[0].len() as u64;
        for (what, bytes, records, lost) in [
            ("512 zeros", zeroed, 39, first),
            ("a byte order mark", junk(1, b"\xef\xbb\xbf"), 40, 3),
            ("a line of junk", junk(1, b"some line\n"), 40, 10),
            ("half a MiB of junk", junk(1 << 15, b"some line of junk\n"), 40, 18 << 15),
        ] {
            let (_folder, path) = in_folder("damaged", &bytes);
            let given = [path.to_str().unwrap().to_owned()];
            assert_eq!(discover(&given).unwrap().0.len(), 1, "{form}, {what}");
            let found = account(&mut ShardReader::open(&path, &options()).unwrap());
            let of_one_record = found.lost.iter().map(|l| l.1).sum::<u64>();
            assert_eq!((found.places.len(), of_one_record), (records, lost), "{form}, {what}: {found:?}");
            assert_eq!(found.lost.len(), 1, "{form}, {what}");
        }
    }
    // A RAW DB file that quotes a WARC record after its damaged beginning stays one; a picture is none.
    let raw = "version:1.0\nurl:http://a/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nlength:38\n\n\
               \nWARC/1.0\r\nWARC-Type: response\r\n\r\n1234\n";
    let bytes = [&[0; 100][..], raw.as_bytes(), raw.as_bytes()].concat();
    assert_eq!(reader(&bytes, &options()).format(), Format::RawDb);
    let bytes = [b"\x89PNG\n".as_slice(), &warc("u:a", b"x")].concat();
    assert!(ShardReader::from_reader(Box::new(Cursor::new(bytes)), "t", &options()).is_err());
}

#[test]
fn a_bad_zstd_dictionary_is_damage_and_no_failure() {
    let page = b"HTTP/1.1 200 OK\r\n\r\nthe same words on every page, for the dictionary's sake".repeat(9);
    let folder = tempfile::tempdir().unwrap();
    let write = WarcOptions {
        compression: Compression::Zstd,
        dictionary: Some(page.repeat(20)),
        ..WarcOptions::default()
    };
    let mut writer = WarcWriter::new(folder.path(), "z", write).unwrap();
    for n in 0..9 {
        writer.write(&response(&format!("u:{n}"), &page)).unwrap();
    }
    let path = writer.finish().unwrap().remove(0);
    let whole = std::fs::read(&path).unwrap();
    let mut packed = b"\x5d\x2a\x4d\x18".to_vec();
    let inner = zstd::bulk::compress(&page.repeat(20), 3).unwrap();
    packed.extend((inner.len() as u32).to_le_bytes());
    packed.extend(&inner);
    let begins = packed.len();
    packed.extend(&whole[page.len() * 20 + 8..]);
    assert_eq!(read(&packed, &options()).0.len(), 9);
    packed[20..begins].fill(0x55);
    let mut large = whole.clone();
    large[4..8].fill(0xff);
    for (what, bytes) in [("cut off", whole[..900].to_vec()), ("damaged", packed), ("too large", large)] {
        std::fs::write(&path, &bytes).unwrap();
        for parts in [1, 2, 5] {
            let found = in_parts(&path, (Format::Warc, Container::Zstd), parts);
            let all = Account { places: Vec::new(), lost: vec![(0, bytes.len() as u64)] };
            assert_eq!(found, all, "{what}, {parts} parts");
        }
    }
}

#[test]
fn folded_fields_are_unfolded() {
    let fold = |from: &str, to: &str| {
        let record = String::from_utf8(warc("u:a", b"HTTP/1.1 200 OK\r\n\r\nhello")).unwrap();
        record.replacen(from, to, 1).into_bytes()
    };
    for (from, to) in [
        ("Content-Length: 24", "Content-Length:\r\n 24"),
        ("Content-Length: 24", "Content-Length:\r\n\t 24 "),
        ("Content-Length: 24", "Content-Length: 24\r\n "),
        ("Content-Length: 24", "Content-Length:\r\n \r\n 24"),
        ("WARC-Target-URI: u:a", "WARC-Target-URI:\r\n u:a"),
        ("WARC-Type: response", "WARC-Type:\r\n response"),
    ] {
        let bytes = [fold(from, to), warc("u:b", b"HTTP/1.1 200 OK\r\n\r\n")].concat();
        let (rows, errors) = read(&bytes, &options());
        assert_eq!((urls(&rows), errors.len()), (vec!["u:a", "u:b"], 0), "{to:?} {errors:?}");
        assert_eq!(rows[0].0, RecordType::Response, "{to:?}");
        assert_eq!(rows[0].3, b"HTTP/1.1 200 OK\r\n\r\nhello");
    }
}

fn in_folder(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[test]
fn what_warc_cannot_say_of_a_raw_db_record_is_marked() {
    let data = "HTTP/1.1 200 OK\r\n\r\nhi";
    let raw = |head: &str| format!("version:1.0\n{head}length:{}\n\n{data}\n", data.len());
    let bytes = [
        raw("url:www.pku.edu/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nip:unknown\n"),
        raw("url:http://a.example/b c\nip:1.2.3\n"),
    ];
    let (folder, from) = in_folder("a.rawdb", bytes.concat().as_bytes());
    let to = folder.path().join("b.warc.gz");
    convert(&from, &to, false);
    let mut text = String::new();
    let packed = std::fs::File::open(&to).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(packed), &mut text).unwrap();
    assert!(
        text.starts_with("WARC/1.1\r\nWARC-Type: warcinfo\r\n") && !text.contains("1970-01-01"),
        "{text}"
    );
    assert!(!text.contains("WARC-IP-Address"), "{text}");
    let mut reader = ShardReader::open(&to, &options()).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().kind, RecordType::Warcinfo);
    let record = reader.next().unwrap().unwrap();
    assert_eq!((record.url.as_ref(), record.date_ms), ("http://www.pku.edu/", Some(1_050_394_386_000)));
    let record = reader.next().unwrap().unwrap();
    assert_eq!((record.url.as_ref(), record.date_ms), ("http://a.example/b%20c", None));
}

#[test]
fn a_conversion_keeps_arc_urls_with_line_ends() {
    let body = b"HTTP/1.1 200 OK\r\n\r\nhello";
    let odd = [&b"http://b.example/x\ry z None bogus text/html 24\n"[..], body, b"\n"].concat();
    let (folder, from) = in_folder("a.arc", &[arc(1, body), odd].concat());
    let to = folder.path().join("b.warc.gz");
    convert(&from, &to, false);
    let mut reader = ShardReader::open(&to, &strict()).unwrap();
    let mut rows = Vec::new();
    while let Some(next) = reader.next() {
        let record = next.unwrap();
        rows.push((record.kind, record.url.to_string(), record.date_ms, record.data.to_vec()));
    }
    assert_eq!(rows[0].0, RecordType::Warcinfo);
    assert_eq!((rows[1].1.as_str(), rows[1].2), ("http://a.example/1", Some(1_209_588_505_000)));
    assert_eq!(
        (rows[2].1.as_str(), rows[2].2, &rows[2].3[..]),
        ("http://b.example/x%0Dy%20z", None, &body[..])
    );
    // An unknown date stays unknown by way of RAW DB, too.
    for (source, name) in [(&from, "c.rawdb"), (&to, "d.rawdb")] {
        let raw = folder.path().join(name);
        convert(source, &raw, true);
        let mut reader = ShardReader::open(&raw, &options()).unwrap();
        let mut dates = Vec::new();
        while let Some(next) = reader.next() {
            dates.push(next.unwrap().date_ms);
        }
        assert_eq!(dates, [Some(1_209_588_505_000), None], "{name}");
    }
    assert_eq!(rows.len(), 3);
}

#[test]
fn a_revisit_survives_raw_db() {
    let revisit = Revisit {
        profile: RevisitProfile::ServerNotModified,
        refers_to_url: Some("http://a.example/".into()),
        refers_to_date_ms: Some(1_714_564_800_000),
        refers_to_id: Some("<urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8>".into()),
    };
    let fields = revisit.fields(Some("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"));
    let extra: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let head = b"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n";
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = ["a.warc.gz", "b.rawdb", "c.warc.gz"].map(|name| folder.path().join(name));
    let mut writer = WarcWriter::create(&a, WarcOptions::default()).unwrap();
    let record =
        NewWarcRecord { kind: RecordType::Revisit, extra: &extra, ..response("http://a.example/", head) };
    writer.write(&record).unwrap();
    writer.finish().unwrap();
    convert(&a, &b, true);
    convert(&b, &c, false);
    assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(&c).unwrap());
    for path in [&a, &b] {
        let record = read_record_at(path, 0, None, &options()).unwrap();
        let record = record.record();
        assert_eq!((record.kind, record.revisit.as_ref()), (RecordType::Revisit, Some(&revisit)));
        assert_eq!(record.payload_digest.as_deref(), Some("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"));
        assert_eq!(record.response().and_then(|r| r.status), Some(304));
    }
    let raw = std::fs::read_to_string(&b).unwrap();
    assert!(raw.contains("\nx-refers-to:http://a.example/ 2024-05-01T12:00:00Z\n"), "{raw}");
}

#[test]
fn the_payload_digest_is_of_the_entity() {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    let mut writer = WarcWriter::create(&path, WarcOptions::default()).unwrap();
    writer.write(&response("u:a", chunked)).unwrap();
    writer.finish().unwrap();
    let mut reader = ShardReader::open(&path, &options()).unwrap();
    let record = reader.next().unwrap().unwrap();
    let digest = webmill_capture::digest::sha1_base32(b"hi");
    assert_eq!(record.payload_digest, Some(format!("sha1:{digest}").into()));
    assert_eq!(record.to_capture().unwrap().content_digest(), digest);
}

#[test]
fn whole_records_of_an_arc_file_are_copied() {
    for (form, records) in forms().into_iter().filter(|(form, _)| form.starts_with("ARC")) {
        let mut bytes = records.concat();
        let (from, until) = (records[..5].concat().len() + 9, records[..6].concat().len());
        bytes[from..until].fill(0);
        let (folder, from) = in_folder("a.arc", &bytes);
        let to = folder.path().join("b.arc");
        let compression = if form == "ARC" { Compression::None } else { Compression::Gzip };
        let mut converter = Converter::Arc(ArcWriter::create(&to, compression).unwrap());
        let done = converter.convert(&from, &options(), &mut |_| {}).unwrap();
        assert_eq!((done.records, done.damaged), (39, 1), "{form}");
        converter.finish().unwrap();
        let (want, _) = drain(ShardReader::open(&from, &options()).unwrap());
        let (rows, errors) = drain(ShardReader::open(&to, &strict()).unwrap());
        assert!(rows == want && errors.is_empty(), "{form}: {errors:?}");
        if form == "ARC" {
            let whole = [&records[..5].concat()[..], &records[6..].concat()].concat();
            assert_eq!(std::fs::read(&to).unwrap(), whole);
        }
    }
}

fn segment(kind: &str, id: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let mut record = warc("u:a", block);
    let block_at = record.len() - block.len() - 4;
    let head = String::from_utf8(record.drain(..block_at).collect()).unwrap();
    let head = head.replace("response", kind).replace("urn:x:u:a", &format!("urn:x:{id}"));
    [head.replace("Content-Type", &format!("{fields}Content-Type")).as_bytes(), &record].concat()
}

#[test]
fn segments_that_follow_one_another_are_joined() {
    let page = [&b"HTTP/1.1 200 OK\r\n\r\n"[..], &b"some words ".repeat(300)].concat();
    let (a, rest) = page.split_at(1000);
    let (b, c) = rest.split_at(1500);
    let first = segment("response", "1", "WARC-Segment-Number: 1\r\n", a);
    let origin = "WARC-Segment-Origin-ID: <urn:x:1>\r\n";
    let second = segment("continuation", "2", &format!("WARC-Segment-Number: 2\r\n{origin}"), b);
    let total = format!("WARC-Segment-Number: 3\r\n{origin}WARC-Segment-Total-Length: {}\r\n", page.len());
    let third = segment("continuation", "3", &total, c);
    let other = warc("u:b", b"HTTP/1.1 200 OK\r\n\r\n");
    use RecordType::*;
    for (what, records, want) in [
        (
            "in order",
            vec![&other, &first, &second, &third, &other],
            vec![(Response, 23), (Response, page.len()), (Response, 23)],
        ),
        ("at the end", vec![&first, &second, &third], vec![(Response, page.len())]),
        ("the last missing", vec![&first, &second, &other], vec![(Response, 2500), (Response, 23)]),
        (
            "one in another file",
            vec![&second, &third, &other],
            vec![(Continuation, 1500), (Continuation, c.len()), (Response, 23)],
        ),
        (
            "one between",
            vec![&first, &other, &second],
            vec![(Response, 1000), (Response, 23), (Continuation, 1500)],
        ),
    ] {
        let want: Vec<_> = want.into_iter().map(|(kind, n)| (kind, if n == 23 { 19 } else { n })).collect();
        for packed in [false, true] {
            let bytes: Vec<u8> =
                records.iter().flat_map(|r| if packed { gzip(r) } else { r.to_vec() }).collect();
            let (folder, path) = in_folder("a.warc", &bytes);
            let (rows, errors) = drain(ShardReader::open(&path, &options()).unwrap());
            let found: Vec<_> = rows.iter().map(|r| (r.0, r.3.len())).collect();
            assert_eq!((&found, errors.len()), (&want, 0), "{what}");
            // Whatever part its segments lie in, a record is read once.
            let kind = (Format::Warc, if packed { Container::Gzip } else { Container::Plain });
            for cut in (1..bytes.len() as u64).step_by(97) {
                let mut joined = Vec::new();
                walk_ranges(&path, kind, &[cut], &mut |reader| {
                    while let Some(next) = reader.next() {
                        let record = next.unwrap();
                        joined.push((record.kind, record.data.len()));
                    }
                });
                assert_eq!(joined, want, "{what}, cut at {cut}");
            }
            if what == "in order" {
                assert_eq!(rows[1].3, page);
                let at = if packed { gzip(&other).len() } else { other.len() } as u64;
                let found = read_record_at(&path, at, Some(first.len() as u64), &options()).unwrap();
                assert_eq!((found.record().place.offset, &*found.record().data), (at, &page[..]));
                let limited = ReadOptions { max_record_bytes: 1200, ..options() };
                let found = read_record_at(&path, at, None, &limited).unwrap();
                let record = found.record();
                assert_eq!((record.data.len(), record.full_length), (1200, page.len() as u64));
                assert_eq!(record.truncated, Some(Truncation::RecordLimit));
                let to = folder.path().join("b.warc.gz");
                convert(&path, &to, false);
                let (copied, errors) = drain(ShardReader::open(&to, &strict()).unwrap());
                assert!(copied[1].3 == page && errors.is_empty(), "{errors:?}");
            }
        }
    }
}

#[test]
fn hostile_heads_cost_bounded_work() {
    let limited = ReadOptions { max_record_bytes: 1 << 20, ..options() };
    // Lengths that are none, and heads that do not end.
    let good = warc("u:good", b"x");
    let endless = [b"WARC/1.0\r\nX: ".to_vec(), vec![b'x'; 3 << 20]].concat();
    let many = [b"WARC/1.0\r\n".to_vec(), b"X: y\r\n".repeat(1 << 19)].concat();
    let with = |length: &str| {
        String::from_utf8(warc("u:bad", b"x"))
            .unwrap()
            .replace("Length: 1\r", &format!("Length: {length}\r"))
            .into_bytes()
    };
    for (what, bad) in [
        ("negative", with("-1")),
        ("near 2^63", with("9223372036854775807")),
        ("near 2^64", with("18446744073709551615")),
        ("hexadecimal", with("0x1")),
        ("a line without end", endless),
        ("lines without end", many),
    ] {
        let bytes = [&good[..], &bad, b"\r\n", &good].concat();
        let size = bytes.len() as u64;
        let found = account(&mut reader(&bytes, &limited));
        assert_eq!(found.places.first().map(|p| p.0), Some(0), "{what}");
        assert_eq!(found.places.last().map(|p| p.0 + p.1), Some(size), "{what}");
        let lost: u64 = found.lost.iter().map(|l| l.1).sum();
        assert!(lost >= bad.len() as u64 && lost <= bad.len() as u64 + 2, "{what}: {found:?}");
    }
}
