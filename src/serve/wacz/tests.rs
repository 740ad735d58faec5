//! Written by us, read by us; written by us, checked by the validator of the field; written by others, read by us.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use webmill_shard::{
    Compression, NewRecord, NewWarcRecord, RawDbWriter, ShardReader, WarcOptions, WarcWriter, WriteOptions,
};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

/// 3 May 2024, 10:31.
const MAY: i64 = 1_714_732_260_000;

fn http(status: &str, mime: &str, body: &str) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body.as_bytes()].concat()
}

fn warc(path: &Path, compression: Compression, records: &[(&str, i64, Vec<u8>)]) {
    let mut writer = WarcWriter::create(path, WarcOptions { compression, ..WarcOptions::default() }).unwrap();
    for (url, date_ms, data) in records {
        writer
            .write(&NewWarcRecord { url: Some(url), date_ms: *date_ms, data, ..NewWarcRecord::default() })
            .unwrap();
    }
    writer.finish().unwrap();
}

/// Shards of every form that there is a writer for, and an ARC file.
fn shards(folder: &Path) -> Vec<PathBuf> {
    let at = |name: &str| folder.join(name);
    let page =
        |title: &str| http("200 OK", "text/html; charset=utf-8", &format!("<title>{title}</title><p>hello"));
    let records = [
        ("http://www.a.example/", MAY, page("Home 首页")),
        ("http://www.a.example/missing", MAY + 1000, http("404 Not Found", "text/html", "<title>no</title>")),
        ("http://www.a.example/style.css", MAY + 2000, http("200 OK", "text/css", "p{}")),
        ("http://www.a.example/b?z=1&A=2", MAY + 3500, page("B")),
    ];
    warc(&at("one.warc.gz"), Compression::Gzip, &records);
    warc(&at("one.warc"), Compression::None, &[("http://b.example/", MAY + 5000, page("Plain"))]);
    warc(&at("two.warc.zst"), Compression::Zstd, &[("http://c.example/", MAY - 5000, page("Zstd"))]);
    let mut raw = RawDbWriter::create(&at("three.rawdb"), WriteOptions::default()).unwrap();
    raw.write(&NewRecord {
        url: "http://d.example/",
        date_ms: MAY + 9000,
        data: &page("Raw"),
        ..NewRecord::default()
    })
    .unwrap();
    raw.finish().unwrap();
    let body = page("Arc");
    let arc = format!(
        "filedesc://four.arc 0.0.0.0 20240503103100 text/plain 75\n1 0 x\nURL IP-address Archive-date Content-type Archive-length\n\n\n\
         http://e.example/ 1.2.3.4 20240503103107 text/html {}\n",
        body.len()
    );
    std::fs::write(at("four.arc"), [arc.as_bytes(), &body, b"\n"].concat()).unwrap();
    // All records of a WARC file in one gzip member.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let plain = at("whole.warc");
    warc(
        &plain,
        Compression::None,
        &[("http://f.example/1", MAY, page("F1")), ("http://f.example/2", MAY, page("F2"))],
    );
    encoder.write_all(&std::fs::read(&plain).unwrap()).unwrap();
    std::fs::write(at("whole.warc.gz"), encoder.finish().unwrap()).unwrap();
    std::fs::remove_file(plain).unwrap();
    ["one.warc.gz", "one.warc", "two.warc.zst", "three.rawdb", "four.arc", "whole.warc.gz"].map(at).to_vec()
}

fn packed(folder: &Path, name: &str) -> (PathBuf, Report) {
    let path = folder.join(name);
    let options = Options { title: Some("A title 标题".into()), ..Options::default() };
    let report = write(&shards(folder), &path, &options, &mut |e| panic!("{e}")).unwrap();
    (path, report)
}

#[test]
fn every_capture_of_every_kind_of_shard_is_read_back_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let (path, report) = packed(folder.path(), "x.wacz");
    assert_eq!((report.shards, report.converted, report.captures, report.pages), (6, 5, 10, 8));
    assert_eq!(report.bytes, std::fs::metadata(&path).unwrap().len());
    let mut wacz = Wacz::open(&path).unwrap();
    assert_eq!(wacz.check().unwrap(), []);
    assert_eq!((wacz.title(), wacz.main_url()), (Some("A title 标题"), Some("http://c.example/")));
    let names: Vec<_> = wacz.members().iter().map(|m| m.name.as_str()).collect();
    assert_eq!(
        names,
        ["four.warc.gz", "one-2.warc.gz", "one.warc.gz", "three.warc.gz", "two.warc.gz", "whole.warc.gz"]
    );
    let mut entries = Vec::new();
    let bad = wacz
        .entries(&mut |entry| {
            entries.push(entry.into_owned());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((bad, entries.len()), (0, 10));
    assert!(entries.is_sorted_by_key(|e| (e.urlkey.to_string(), e.timestamp)));
    for entry in &entries {
        let bytes = wacz.read(entry).unwrap();
        let mut reader =
            ShardReader::from_reader(Box::new(std::io::Cursor::new(bytes)), "one", &Default::default())
                .unwrap();
        let record = reader.next().unwrap().unwrap();
        assert_eq!(record.url, entry.url);
        let capture = record.to_capture().unwrap();
        assert_eq!(
            (capture.response.status, capture.content_digest()),
            (entry.status, entry.digest.to_string())
        );
    }
    assert_eq!(entries[0].urlkey, "example,a)/");
    assert_eq!(entries[1].urlkey, "example,a)/b?a=2&z=1");
    assert!(
        std::fs::read_dir(folder.path()).unwrap().all(|e| !e
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with('.'))
    );
}

#[test]
fn equal_shards_give_equal_bytes() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let read = |folder: &Path| std::fs::read(packed(folder, "x.wacz").0).unwrap();
    assert!(read(one.path()) == read(two.path()));
}

#[test]
fn a_small_budget_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<_> = (0..3000)
        .map(|n| {
            let body = http("200 OK", "text/html", &format!("<title>{n}</title>"));
            (format!("http://a.example/{}", n * 7919 % 3000), MAY + n, body)
        })
        .collect();
    let records: Vec<_> = records.iter().map(|(url, at, body)| (url.as_str(), *at, body.clone())).collect();
    let shard = folder.path().join("a.warc.gz");
    warc(&shard, Compression::Gzip, &records);
    let read = |memory, name: &str| {
        let path = folder.path().join(name);
        let options = Options { memory, ..Options::default() };
        let report = write(std::slice::from_ref(&shard), &path, &options, &mut |e| panic!("{e}")).unwrap();
        assert_eq!(report.captures, 3000);
        std::fs::read(path).unwrap()
    };
    let large = read(256 << 20, "large.wacz");
    assert!(large == read(1 << 16, "small.wacz"));
    let mut wacz = Wacz::open(&folder.path().join("large.wacz")).unwrap();
    let mut lines = 0;
    wacz.entries(&mut |_| {
        lines += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(lines, 3000, "several gzip members");
}

#[test]
fn what_cannot_be_packed_is_said_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "no shard at all, only words\n").unwrap();
    let out = folder.path().join("x.wacz");
    assert!(write(&[text], &out, &Options::default(), &mut |_| {}).is_err());
    assert!(write(&[], &out, &Options::default(), &mut |_| {}).is_err());
    let stop = Options { stopped: &|| true, ..Options::default() };
    assert!(write(&shards(folder.path()), &out, &stop, &mut |_| {}).is_err());
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("wacz")), "{left:?}");
}

/// A ZIP file of these members.
fn zipped(path: &Path, members: &[(&str, CompressionMethod, &[u8])]) {
    let mut zip = ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, method, bytes) in members {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

#[test]
fn hostile_files_are_errors_with_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.wacz");
    let (stored, deflated) = (CompressionMethod::Stored, CompressionMethod::Deflated);
    let package = ("datapackage.json", deflated, &b"{}"[..]);
    let warc = ("archive/a.warc.gz", stored, &b"0123456789"[..]);
    for (members, reason) in [
        (vec![warc], "no datapackage.json"),
        (vec![package], "no WARC file"),
        (
            vec![package, ("archive/a.warc", deflated, &vec![0; 65 << 20])],
            "is compressed in the ZIP, and more than 200",
        ),
        (vec![package, warc, ("archive/../../x", stored, b"x")], "leads out of the archive"),
        (vec![package, warc, ("..\\x", stored, b"x")], "leads out of the archive"),
        (vec![("datapackage.json", stored, b"{\"resources\": 1}"), warc], "datapackage.json"),
    ] {
        zipped(&path, &members);
        let error = Wacz::open(&path).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    std::fs::write(&path, b"PK no ZIP at all").unwrap();
    assert!(Wacz::open(&path).unwrap_err().to_string().contains("ZIP"));
    assert!(Wacz::open(&folder.path().join("none.wacz")).is_err());
    // Records that are not there, lines that are none.
    let line = |offset: &str, file: &str| {
        format!(
            "a)/ 20200101000000 {{\"url\":\"http://a/\",\"offset\":{offset},\"length\":\"4\",\"filename\":\"{file}\"}}\n"
        )
    };
    let index = [
        line("6", "a.warc.gz"),
        line("7", "a.warc.gz"),
        line("\"0\"", "b"),
        "a b c\n".into(),
        line("-1", "a.warc.gz"),
    ];
    let mut wacz = None;
    // A WARC file that is compressed in the ZIP is read by the same index.
    for method in [deflated, stored] {
        let warc = (warc.0, method, warc.2);
        zipped(&path, &[package, warc, ("indexes/index.cdxj", deflated, index.concat().as_bytes())]);
        let wacz = wacz.insert(Wacz::open(&path).unwrap());
        let mut found = Vec::new();
        let bad = wacz
            .entries(&mut |entry| {
                found.push(entry.into_owned());
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!((bad, found.len()), (4, 1));
        assert_eq!(wacz.read(&found[0]).unwrap(), b"6789");
    }
    let mut wacz = wacz.unwrap();
    let faults = [Fault::Unlisted("archive/a.warc.gz".into()), Fault::Unlisted("indexes/index.cdxj".into())];
    assert_eq!(wacz.check().unwrap(), faults);
    // An index that unpacks without end.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..100 {
        encoder.write_all(&vec![b'\n'; 1 << 20]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    zipped(&path, &[package, warc, ("indexes/index.cdx.gz", stored, &bomb)]);
    let error =
        Wacz::open(&path).unwrap().entries(&mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(error.contains("unpacks to more than"), "{error}");
}

#[test]
fn archives_of_other_tools_are_opened_and_a_broken_one_is_seen() {
    let Some(archives) = webmill_evaluation::archive("archives") else { return };
    let Some(folder) = find(archives.path(), "waczs") else { panic!("no WACZ among the archives") };
    let mut wacz = Wacz::open(&folder.join("valid_example_1.wacz")).unwrap();
    let mut urls = Vec::new();
    wacz.entries(&mut |entry| {
        urls.push(entry.url.to_string());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(urls, ["http://www.example.com/"]);
    assert_eq!(wacz.check().unwrap(), []);
    let broken = Wacz::open(&folder.join("invalid_example_1.wacz")).map(|mut wacz| wacz.check().unwrap());
    assert!(broken.as_ref().map_or(true, |faults| !faults.is_empty()), "{broken:?}");
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|e| e.path().is_dir())
        .find_map(|e| if e.file_name() == name { Some(e.path()) } else { find(&e.path(), name) })
}

#[test]
fn the_validator_of_the_field_accepts_what_is_written() {
    let program = std::env::var_os("WEBMILL_PY_WACZ").unwrap_or_else(|| {
        let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/archives/bin/wacz");
        if Path::new(installed).exists() { installed.into() } else { "wacz".into() }
    });
    if Command::new(&program).arg("--version").output().is_err() {
        webmill_evaluation::skip("py-wacz is not installed (WEBMILL_PY_WACZ names its `wacz`)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = packed(folder.path(), "x.wacz");
    let validate = |path: &Path| {
        let out = Command::new(&program).args(["validate", "-f"]).arg(path).output().unwrap();
        let text =
            [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (out.status.success() && text.contains("valid") && !text.contains("invalid"), text)
    };
    let (valid, said) = validate(&path);
    assert!(valid, "{said}");
    // It does look: a byte of an archive changed is seen.
    let mut bytes = std::fs::read(&path).unwrap();
    let member = Wacz::open(&path).unwrap().members()[0].range.clone();
    bytes[member.start as usize + 20] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let (valid, said) = validate(&path);
    assert!(!valid, "{said}");
    assert_eq!(Wacz::open(&path).unwrap().check().unwrap().len(), 1);
}
