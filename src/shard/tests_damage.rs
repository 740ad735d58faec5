//! What damage costs: bytes that are lost are counted, complete records inside a wrong record are found, and no record is
//! called proven that damage made.

use std::io::Write;

use super::tests_raw::{lost, packed, page, ranges, read, record};
use super::*;

fn plain(n: usize) -> Vec<Vec<u8>> {
    (0..n)
        .map(|n| record(&format!("http://a.example/{n}"), "", &page(&"line of text\n".repeat(n % 7))))
        .collect()
}

fn open(bytes: &[u8]) -> Result<ShardReader, webmill_capture::Error> {
    let bytes = std::io::Cursor::new(bytes.to_vec());
    ShardReader::from_reader(Box::new(bytes), "f", &ReadOptions::default())
}

fn urls(bytes: &[u8]) -> Vec<String> {
    read(bytes).0.into_iter().map(|record| record.2).collect()
}

#[test]
fn one_place_of_damage_counts_by_its_bytes() {
    let records = plain(400);
    let whole = records.concat();
    let at = ranges(&records);
    let mut zeroed = whole.clone();
    zeroed[at[36].start..at[396].start].fill(0);
    let (seen, _, errors) = read(&zeroed);
    assert_eq!((seen.len(), errors.len()), (40, 1));
    assert_eq!(lost(&errors), (at[396].start - at[36].start) as u64);
    // Also where nothing follows, where nothing came before, and where the cut tail is.
    zeroed[at[396].start..].fill(0);
    assert_eq!(lost(&read(&zeroed).2), (whole.len() - at[36].start) as u64);
    let cut = &whole[at[3].start + 9..at[300].end - 5];
    let (seen, _, errors) = read(cut);
    assert_eq!((seen.len(), errors.len()), (296, 2));
    assert_eq!(lost(&errors), (at[3].len() - 9 + at[300].len() - 5) as u64);
}

#[test]
fn damaged_members_side_by_side_are_each_counted() {
    let member = |n: usize| {
        let body = format!("page {n} of the mill by the lake: {}", n * 7919);
        let head = format!("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/{n}\r\n");
        let text = format!("{head}Content-Length: {}\r\n\r\n{body}\r\n\r\n", body.len());
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    for (first, last, from_end) in [(5, 6, 40), (5, 7, 40), (1, 4, 20), (12, 13, 6), (17, 19, 30), (0, 2, 30)]
    {
        let members: Vec<Vec<u8>> = (0..20)
            .map(member)
            .enumerate()
            .map(|(n, mut member)| {
                if (first..=last).contains(&n) {
                    let at = member.len() - from_end;
                    member[at..at + 5].iter_mut().for_each(|byte| *byte ^= 0x5A);
                }
                member
            })
            .collect();
        let (mut seen, mut errors) = (0, Vec::new());
        let mut reader = open(&members.concat()).unwrap();
        while let Some(next) = reader.next() {
            match next {
                Ok(_) => seen += 1,
                Err(error) => errors.push(error),
            }
        }
        let gone: usize = members[first..=last].iter().map(Vec::len).sum();
        assert_eq!(seen, 20 - (last - first + 1), "{first}..={last}: {errors:?}");
        assert_eq!(lost(&errors), gone as u64, "{first}..={last}: {errors:?}");
        assert_eq!(errors.len(), last - first + 1, "{errors:?}");
    }
}

#[test]
fn a_whole_record_that_is_of_no_use_loses_its_length() {
    let good = record("http://good/", "", b"good");
    for bad in
        [b"version:1.0\nlength:1\n\nx\n".to_vec(), record("http://z/", "unzip-length:3\n", b"not zlib")]
    {
        assert_eq!(lost(&read(&[&good[..], &bad, &good].concat()).2), bad.len() as u64);
    }
}

#[test]
fn what_a_container_does_not_give_up_is_lost() {
    let file = plain(300).concat();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(&file).unwrap();
    let mut stored = encoder.finish().unwrap();
    let keep = stored.len() / 2;
    stored[keep..].fill(0xff);
    let mut reader = open(&stored).unwrap();
    let (mut kept, mut gone) = (0, 0);
    while let Some(next) = reader.next() {
        match next {
            Ok(record) => kept += record.place.length,
            Err(error) => gone += error.lost(),
        }
    }
    // Stored blocks: what decodes is in records or lost, and what does not is lost.
    assert!(kept > 0 && gone as usize >= stored.len() - keep, "{kept} + {gone} of {}", stored.len());
    assert!((file.len() as u64..=stored.len() as u64 + 16_384).contains(&(kept + gone)), "{kept} + {gone}");
}

#[test]
fn records_inside_a_wrong_length_come_back() {
    let packings = ["zlib", "gzip", "zstd"];
    for packing in packings {
        let inner: Vec<Vec<u8>> = (0..3).map(|n| record(&format!("http://in/{n}"), "", b"inner")).collect();
        let bad = packed("http://z/", packing, &page(&"text ".repeat(20)));
        let swallowed = inner.concat().len();
        let head = bad.windows(2).position(|two| two == b"\n\n").unwrap();
        let text = String::from_utf8(bad[..head].to_vec()).unwrap();
        let (rest, length) = text.rsplit_once(':').unwrap();
        let longer = length.parse::<usize>().unwrap() + swallowed;
        let wrong = [format!("{rest}:{longer}").as_bytes(), &bad[head..]].concat();
        let after = record("http://after/", "", b"after");
        let file = [&after[..], &wrong, &inner.concat(), &after].concat();
        let expected = ["http://after/", "http://in/0", "http://in/1", "http://in/2", "http://after/"];
        assert_eq!(urls(&file), expected, "{packing}: the frame is whole, and others follow it");
        // Where the frame is damaged too.
        let mut broken = file.clone();
        let middle = after.len() + wrong.len() - 20;
        broken[middle] ^= 0x55;
        assert_eq!(urls(&broken), expected, "{packing}: the frame is damaged");
        let (_, _, errors) = read(&broken);
        assert_eq!((errors.len(), lost(&errors)), (1, wrong.len() as u64), "{packing}: {errors:?}");
    }
}

#[test]
fn a_record_that_a_wrong_length_cuts_into_comes_back() {
    let next = record("http://next/", "", &page(&"a line of text\n".repeat(20)));
    let bad = packed("http://z/", "zlib", &page(&"text ".repeat(20)));
    let head = bad.windows(2).position(|two| two == b"\n\n").unwrap();
    let text = String::from_utf8(bad[..head].to_vec()).unwrap();
    let (rest, length) = text.rsplit_once(':').unwrap();
    // As far as the end of some line in the middle of the next record, of which no other follows but one that is cut.
    let into = next.len() - 100;
    let into = into + next[into..].iter().position(|b| *b == b'\n').unwrap();
    let mut wrong =
        [format!("{rest}:{}", length.parse::<usize>().unwrap() + 1 + into).as_bytes(), &bad[head..]].concat();
    let middle = wrong.len() - 20;
    wrong[middle] ^= 0x55;
    let file = [&wrong[..], &next, &record("http://cut/", "", b"cut")[..70]].concat();
    assert_eq!(urls(&file), ["http://next/"]);
}

#[test]
fn zeros_over_the_heads_of_two_records_make_no_record() {
    let records = plain(40);
    let file = records.concat();
    let known: Vec<_> = read(&file).0;
    for at in (0..file.len() - 512).step_by(3) {
        for fill in [0, 0xff] {
            let mut damaged = file.clone();
            // Something else is damaged before, so that records come back by search.
            damaged[3] = b'#';
            damaged[at..at + 512].fill(fill);
            let (seen, proven, _) = read(&damaged);
            for (record, proven) in seen.iter().zip(proven) {
                let made = !known.iter().any(|k| k.2 == record.2);
                assert!(
                    !made || (fill != 0 && proven != Some(true)),
                    "{fill} at {at}: {:?} {proven:?}",
                    record.2
                );
            }
        }
    }
}

#[test]
fn a_head_that_lacks_what_every_record_has_is_not_proven() {
    let glued = b"version:1.0\nurl:http://b.example/\nip:1.2.3.4\nlength:4\n\ndata\n".to_vec();
    let records = plain(6);
    let file = [&b"#"[..], &glued, &records.concat()].concat();
    let (seen, proven, _) = read(&file);
    assert_eq!(seen.len(), 7);
    assert_eq!(proven[0], Some(false));
    // Nor in the middle of a run that is.
    let file = [&b"#"[..], &records[..3].concat(), &glued, &records[3..].concat()].concat();
    let (_, proven, _) = read(&file);
    assert_eq!(proven, [true, true, true, false, true, true, true].map(Some));
}

#[test]
fn a_fragment_that_begins_with_data_is_recognised() {
    let next = record("http://next/", "", &page("next"));
    let gzip = |data: &[u8]| packed("http://z/", "gzip", data);
    let zstd = |data: &[u8]| packed("http://z/", "zstd", data);
    let zlib = |data: &[u8]| packed("http://z/", "zlib", data);
    let large = page(&"large ".repeat(50_000));
    for (first, what) in [
        (record("http://a/", "", &page("text")), "a response"),
        (record("http://a/", "", &large), "a large one"),
        (record("http://a/", "", b"<!doctype html><p>text"), "a page"),
        (record("http://a/", "", b"%PDF-1.4 text"), "a document"),
        (gzip(&page("text")), "gzip"),
        (zstd(&page("text")), "zstd"),
        (zlib(&page("text")), "zlib"),
        (gzip(&large), "a lot of gzip"),
    ] {
        let data = memchr::memmem::find(&first, b"\n\n").unwrap() + 2;
        for rest in [next.clone(), next.repeat(4), [&next[..], &next[..30]].concat()] {
            let fragment = [&first[data..], &rest].concat();
            let reader = open(&fragment).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!((reader.format(), reader.container()), (Format::RawDb, Container::Plain), "{what}");
        }
    }
    let quoting = [&page("<pre>")[..], &next, b"</pre>"].concat();
    for (other, what) in [
        (page("text"), "a bare HTTP response"),
        (quoting, "a bare HTTP response"),
        ([&b"<html><pre>"[..], &next, b"</pre>"].concat(), "an HTML page"),
    ] {
        assert!(open(&other).is_err_and(|error| error.to_string().contains(what)));
    }
}

#[test]
fn urls_are_bytes_in_every_format() {
    let queries: [&[u8]; 3] = [b"\xb1\xb1\xbe\xa9", b"\xc9\xcf\xba\xa3", b"\xb9\xe3\xd6\xdd"];
    let spelt = ["%B1%B1%BE%A9", "%C9%CF%BA%A3", "%B9%E3%D6%DD"].map(|q| format!("http://a.example/?q={q}"));
    let each = |make: &dyn Fn(&[u8]) -> Vec<u8>| queries.iter().flat_map(|q| make(q)).collect::<Vec<u8>>();
    let data = page("text");
    let raw = each(&|query| {
        let length = format!("\ndate:Tue,15Apr200308:13:06GMT\nlength:{}\n\n", data.len());
        let head = [&b"version:1.0\nurl:http://a.example/?q="[..], query, b"\norigin:http://o/", query];
        [&head.concat()[..], length.as_bytes(), &data, b"\n"].concat()
    });
    let warc = each(&|query| {
        let rest = format!(
            "\r\nWARC-Date: 2003-04-15T08:13:06Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Length: {}\r\n\r\n",
            data.len()
        );
        let head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nWARC-Target-URI: ";
        [&head[..], b"<http://a.example/?q=", query, b">", rest.as_bytes(), &data, b"\r\n\r\n"].concat()
    });
    let arc = each(&|query| {
        let rest = format!(" 1.2.3.4 20030415081306 text/html {}\n", data.len());
        [&b"http://a.example/?q="[..], query, rest.as_bytes(), &data, b"\n"].concat()
    });
    let folder = tempfile::tempdir().unwrap();
    for (bytes, format) in [(&raw, Format::RawDb), (&warc, Format::Warc), (&arc, Format::Arc)] {
        let mut reader = open(bytes).unwrap();
        let mut found = Vec::new();
        while let Some(next) = reader.next() {
            let record = next.unwrap();
            assert_eq!((record.format, record.date_ms), (format, Some(1_050_394_386_000)));
            if let Some(origin) = &record.origin {
                assert!(origin.contains('%') && !origin.contains('\u{fffd}'), "{origin}");
            }
            found.push(record.url.into_owned());
        }
        assert_eq!(found, spelt, "{}", format.name());
        // And through a conversion into either format.
        let from = folder.path().join("from");
        std::fs::write(&from, bytes).unwrap();
        for to_warc in [false, true] {
            let to = folder.path().join(if to_warc { "to.warc" } else { "to.raw" });
            let plain = WarcOptions { compression: Compression::None, ..WarcOptions::default() };
            let mut converter = match to_warc {
                true => Converter::Warc(WarcWriter::create(&to, plain).unwrap()),
                false => Converter::Raw(RawDbWriter::create(&to, WriteOptions::default()).unwrap()),
            };
            converter.convert(&from, &ReadOptions::default(), &mut |error| panic!("{error}")).unwrap();
            converter.finish().unwrap();
            let mut reader = ShardReader::open(&to, &ReadOptions::default()).unwrap();
            let mut found = Vec::new();
            while let Some(next) = reader.next() {
                let record = next.unwrap();
                found.extend(Some(record.url.into_owned()).filter(|url| url.contains("?q=")));
            }
            assert_eq!(found, spelt, "{} converted, to WARC: {to_warc}", format.name());
        }
    }
}

#[test]
fn what_is_odd_is_read_and_named() {
    let data = page(&"text ".repeat(20));
    let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    raw.write_all(&data).unwrap();
    let raw = raw.finish().unwrap();
    let unzip = format!("unzip-length:{}\n", data.len());
    let plain = record("http://a/", "", &data);
    let text = String::from_utf8(plain.clone()).unwrap();
    let gzip = packed("http://a/", "gzip", &data);
    let at = memchr::memmem::find(&gzip, b"x-compression:gzip\n").unwrap();
    let unnamed = [&gzip[..at], &gzip[at + 19..]].concat();
    let date = "date:Tue, 15 Apr 2003 08:13:06 GMT\n";
    let records = [
        (unnamed, None),
        (packed("http://a/", "zlib", &data), None),
        (record("http://a/", &unzip, &raw), None),
        (record("http://a/", &unzip, &data), Some("not compressed although")),
        (text.replacen(":1.0", ":1.1", 1).into_bytes(), Some("`version` is not 1.0")),
        (text.replacen(date, "", 1).into_bytes(), Some("`date` is missing")),
        (text.replacen(date, "date:soon\n", 1).into_bytes(), Some("`date` is missing")),
        (text.replacen("GMT", "CST", 1).into_bytes(), Some("CST, taken as -0600")),
    ];
    let file = records.iter().flat_map(|(record, _)| record.clone()).collect::<Vec<_>>();
    let mut reader = open(&file).unwrap();
    for (_, defect) in &records {
        let record = reader.next().unwrap().unwrap();
        assert_eq!(&*record.data, &data);
        let found: Vec<_> = record.defects.iter().map(|found| &**found).collect();
        assert!(found.len() == usize::from(defect.is_some()), "{found:?}");
        assert!(defect.iter().all(|defect| found[0].contains(defect)), "{found:?}");
    }
    assert!(reader.next().is_none());

    // Copied as they are, and through WARC with the same heads and data.
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.raw"), &file).unwrap();
    let options = ReadOptions::default();
    let warc = WarcWriter::create(&path("b.warc"), WarcOptions::default()).unwrap();
    let back = RawDbWriter::create(&path("c.raw"), WriteOptions::default()).unwrap();
    for (mut to, from) in [(Converter::Warc(warc), "a.raw"), (Converter::Raw(back), "b.warc")] {
        let converted = to.convert(&path(from), &options, &mut |error| panic!("{error}")).unwrap();
        assert!(converted.records >= 8 && converted.damaged == 0);
        to.finish().unwrap();
    }
    let all = |name: &str| {
        let mut reader = ShardReader::open(&path(name), &options).unwrap();
        let mut all = Vec::new();
        while let Some(record) = reader.next().map(Result::unwrap) {
            let head = String::from_utf8_lossy(record.head).into_owned();
            let lines =
                head.lines().filter(|line| !line.starts_with("length:")).collect::<Vec<_>>().join("\n");
            all.push((lines, record.data.into_owned()));
        }
        all
    };
    assert_eq!(all("c.raw"), all("a.raw"));
    let mut writer = RawDbWriter::create(&path("d.raw"), WriteOptions::default()).unwrap();
    let mut source = ShardReader::open(&path("a.raw"), &options).unwrap();
    recover(&mut source, Some(&path("a.raw")), &mut writer, &mut |error| panic!("{error}")).unwrap();
    writer.finish().unwrap();
    assert_eq!(std::fs::read(path("d.raw")).unwrap(), file);
}

#[test]
fn shards_of_the_seeds_are_read() {
    for (name, defective) in [
        ("gzip-no-property.rawdb", 0),
        ("deflate-no-property.rawdb", 0),
        ("unzip-length-plain.rawdb", 4),
        ("version-1.1.rawdb", 2),
        ("crlf-textmode.rawdb", 0),
    ] {
        let Some(path) = webmill_evaluation::data(&format!("cases/seeds/{name}")) else { continue };
        let options = ReadOptions { undo_text_mode: true, ..ReadOptions::default() };
        let mut reader = ShardReader::open(&path, &options).unwrap();
        let (mut records, mut defects) = (0, 0);
        while let Some(record) = reader.next() {
            let record = record.unwrap();
            assert!(record.data.ends_with(b"<p>hello hello hello</p>"), "{name}");
            (records, defects) = (records + 1, defects + record.defects.len());
        }
        assert_eq!((records, defects), (4, defective), "{name}");
    }
}

#[test]
fn parts_that_went_through_text_mode_come_back_and_so_do_the_others() {
    let changed = |bytes: &[u8]| -> Vec<u8> {
        bytes
            .iter()
            .flat_map(|b| if *b == b'\n' { &b"\r\n"[..] } else { std::slice::from_ref(b) })
            .copied()
            .collect()
    };
    let mut records = plain(8);
    records.push(packed("http://a.example/z", "zstd", &page(&"zip\r\n\n".repeat(40))));
    let quoted = changed(&records[..2].concat());
    records.push(record("http://a.example/quotes", "", &[&page("")[..], &quoted, b"\nend"].concat()));
    records.extend(plain(5));
    let (first, second) = (records[..7].concat(), records[7..].concat());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let recovered = |bytes: &[u8]| {
        std::fs::write(path("a.raw"), bytes).unwrap();
        let options = ReadOptions { undo_text_mode: true, ..ReadOptions::default() };
        let opened = ShardReader::open(&path("a.raw"), &options).unwrap();
        let piped =
            ShardReader::from_reader(Box::new(std::io::Cursor::new(bytes.to_vec())), "p", &options).unwrap();
        let mut all = [opened, piped].map(|mut reader| {
            let mut errors = Vec::new();
            let mut writer = RawDbWriter::create(&path("b.raw"), WriteOptions::default()).unwrap();
            recover(&mut reader, None, &mut writer, &mut |error| errors.push(error.to_string())).unwrap();
            writer.finish().unwrap();
            (std::fs::read(path("b.raw")).unwrap(), errors, reader.undone_bytes())
        });
        assert_eq!(all[0].0, all[1].0);
        std::mem::take(&mut all[0])
    };
    let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() as u64;
    for (bytes, undone) in [
        ([changed(&first), second.clone()].concat(), lines(&first)),
        ([first.clone(), changed(&second)].concat(), lines(&second)),
        ([first.clone(), changed(&second), first.clone()].concat(), lines(&second)),
        ([&first[..], &second].concat(), 0),
    ] {
        let again = if bytes.ends_with(&first) { &first[..] } else { b"" };
        let (found, errors, taken) = recovered(&bytes);
        assert!(found == [&first[..], &second, again].concat(), "{errors:?}");
        assert_eq!((errors, taken), (vec![], undone));
    }
    // One that lost its beginning, and one with damage between the parts.
    let (found, errors, _) = recovered(&changed(&first)[40..]);
    assert!(found == records[1..7].concat() && errors.len() == 1, "{errors:?}");
    let (found, errors, _) =
        recovered(&[&changed(&first)[..], b"x\n", &first, b"y\n", &changed(&second)].concat());
    assert!(found == [&first[..], &first, &second].concat() && errors.len() == 2, "{errors:?}");
    // What no line begins with stays, and no error advises what was just tried.
    let (_, errors, _) = recovered(&[&first[..], b"x", &changed(&second)].concat());
    assert!(errors.iter().all(|error| !error.contains("shard recover")), "{errors:?}");
}

/// A RAW DB file through WARC and back: lines of heads and data, none of them defective.
fn through_warc(file: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.raw"), file).unwrap();
    let warc = WarcWriter::create(&path("b.warc"), WarcOptions::default()).unwrap();
    let back = RawDbWriter::create(&path("c.raw"), WriteOptions::default()).unwrap();
    for (mut to, from) in [(Converter::Warc(warc), "a.raw"), (Converter::Raw(back), "b.warc")] {
        to.convert(&path(from), &ReadOptions::default(), &mut |error| panic!("{error}")).unwrap();
        to.finish().unwrap();
    }
    std::fs::read(path("c.raw")).unwrap()
}

#[test]
fn compressed_data_of_its_own_length_stays_compressed_and_plain_data_plain() {
    let noise: Vec<u8> = (0u32..64).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let even = (0..100)
        .map(|n| packed("http://z/", "zlib", &[&noise[..], &vec![b'a'; n]].concat()))
        .find(|record| {
            let mut reader = open(record).unwrap();
            let record = reader.next().unwrap().unwrap();
            record.stored.unwrap().len() == record.data.len()
        })
        .unwrap();
    assert_eq!(through_warc(&even), even);
    let plain = record("http://z/", "unzip-length:9\n", b"not zlib!");
    assert_eq!(through_warc(&plain), plain);
}

#[test]
fn heads_that_no_reader_takes_are_not_taken_from_warc() {
    let data = page("x");
    let head = |lines: &str| {
        let text = format!("version:1.0\n{lines}length:{}\n", data.len());
        data_encoding::BASE64.encode(text.as_bytes())
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (lines, taken) in
        [("url:http://b/\n", true), ("", false), ("url:\n", false), ("url:http://b/\nlength:1\n\n", false)]
    {
        let mut warc = WarcWriter::create(&path("b.warc"), WarcOptions::default()).unwrap();
        let extra = [("X-RawDB-Head", &*head(lines))];
        let made =
            NewWarcRecord { url: Some("http://a/"), extra: &extra, data: &data, ..NewWarcRecord::default() };
        warc.write(&made).unwrap();
        warc.finish().unwrap();
        let back = RawDbWriter::create(&path("c.raw"), WriteOptions::default()).unwrap();
        let mut to = Converter::Raw(back);
        to.convert(&path("b.warc"), &ReadOptions::default(), &mut |error| panic!("{lines}: {error}"))
            .unwrap();
        to.finish().unwrap();
        let (seen, _, errors) = read(&std::fs::read(path("c.raw")).unwrap());
        assert!(errors.is_empty() && seen.last().unwrap().3 == data, "{lines}: {errors:?}");
        assert_eq!(seen.last().unwrap().2 == "http://b/", taken, "{lines}");
    }
}

#[test]
fn raw_deflate_of_another_size_and_plain_data_that_looks_like_it() {
    let deflate = |data: &[u8]| {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    };
    let text: String = (0..400).map(|n| format!("{n} ")).collect();
    let stored = deflate(text.as_bytes());
    for (declared, reason) in [(9999, "unzips to 1490 bytes, not the 9999"), (9, "more than the 9 bytes")] {
        let (_, _, errors) = read(&record("http://z/", &format!("unzip-length:{declared}\n"), &stored));
        assert!(errors[0].to_string().contains(reason), "{}", errors[0]);
    }
    // Over the limit only its beginning is there to judge by.
    let plain = [&stored[..], &[b'.'; 3000]].concat();
    let file = record("http://z/", &format!("unzip-length:{}\n", plain.len()), &plain);
    let options = ReadOptions { max_record_bytes: 300, ..ReadOptions::default() };
    let mut reader = ShardReader::from_reader(Box::new(std::io::Cursor::new(file)), "f", &options).unwrap();
    let record = reader.next().unwrap().unwrap();
    assert!(*record.data == plain[..300] && record.full_length == plain.len() as u64);
}

/// A file that ends too early is not damaged: one error says so, the last of all.
#[test]
fn the_end_of_a_file_that_was_cut_off_is_told_apart() {
    let warc = |n: usize| {
        let block = format!("HTTP/1.1 200 OK\r\n\r\nbody {n}");
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: u:{n}\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n\
             WARC-Record-ID: <urn:x:{n}>\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        [head.as_bytes(), block.as_bytes(), b"\r\n\r\n"].concat()
    };
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let warcs: Vec<Vec<u8>> = (0..4).map(warc).collect();
    let members = warcs.iter().map(|record| gzip(record)).collect();
    let frames = warcs.iter().map(|record| zstd::bulk::compress(record, 1).unwrap()).collect();
    for (form, records) in [("plain", warcs), ("gzip", members), ("zstd", frames), ("RAW DB", plain(4))] {
        let whole = records.concat();
        let before: usize = records[..3].iter().map(Vec::len).sum();
        for end in before + 10..whole.len() {
            let mut reader = open(&whole[..end]).unwrap();
            let (mut found, mut cut) = (0, Vec::new());
            while let Some(next) = reader.next() {
                match next {
                    Ok(record) => {
                        assert!(cut.is_empty(), "{form}, {end}");
                        found += usize::from(record.truncated.is_none());
                    }
                    Err(error) => cut.push(error.is_cut_off()),
                }
            }
            // The blank lines behind the last record of a plain file are not missed.
            let has_all = form == "plain" && end + 4 >= whole.len();
            assert!(cut == [true] || has_all && cut.is_empty(), "{form}, {end}: {cut:?}");
            // Only the check sum is missing.
            let complete = has_all || form == "gzip" && end + 8 >= whole.len();
            // The end of the last block may be missing with it.
            assert!(
                found == 3 + usize::from(complete) || found == 4 && form == "gzip",
                "{form}, {end}: {found}"
            );
        }
    }
}

#[test]
fn a_record_without_its_check_sum_is_marked() {
    let record = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: 2024-05-01T12:00:00Z\r\nWARC-Record-ID: <u:1>\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(record).unwrap();
    let member = encoder.finish().unwrap();
    let bytes = [&member[..], &member[..member.len() - 8]].concat();
    let mut reader = open(&bytes).unwrap();
    let marks: Vec<_> = (0..2).map(|_| reader.next().unwrap().unwrap().proven).collect();
    assert_eq!(marks, [None, Some(false)]);
    assert!(reader.next().unwrap().unwrap_err().is_cut_off() && reader.next().is_none());
    // So are all records of a file that is compressed as a whole.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&record.repeat(3)).unwrap();
    let whole = encoder.finish().unwrap();
    let mut reader = open(&whole[..whole.len() - 8]).unwrap();
    let places: Vec<u64> = (0..3).map(|_| reader.next().unwrap().unwrap().place.offset).collect();
    assert_eq!(places, [0, 1, 2].map(|n| n * record.len() as u64));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &whole[..whole.len() - 8]).unwrap();
    let found = read_record_at(file.path(), places[2], None, &ReadOptions::default()).unwrap();
    assert_eq!(found.record().place.offset, places[2]);
    assert!(reader.next().unwrap().unwrap_err().is_cut_off() && reader.next().is_none());
    // Of the last member but one it is damage, and so it is to whoever asks for the standard.
    let inside = [&bytes[..], &member].concat();
    let mut reader = open(&inside).unwrap();
    while let Some(next) = reader.next() {
        assert!(next.is_ok() || !next.unwrap_err().is_cut_off());
    }
    let strict = ReadOptions { lenient: false, ..ReadOptions::default() };
    let bytes = Box::new(std::io::Cursor::new(bytes));
    let mut reader = ShardReader::from_reader(bytes, "f", &strict).unwrap();
    assert!(reader.next().unwrap().is_ok());
    assert!(!reader.next().unwrap().unwrap_err().is_cut_off());
}
