//! Every form in which people keep archives goes into every command: WACZ, WET and WAT, and what was read is said.

use std::io::Write;

use webmill::mill::{PageRow, TextRow, WarcType};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::archives::Served;
use crate::support::{Work, gzip, objects, story};

/// A WARC record with an identifier of its own; `fields` are further lines of its head.
fn record(kind: &str, url: &str, day: u32, id: u32, media: &str, fields: &str, block: &str) -> String {
    let url = if url.is_empty() { String::new() } else { format!("WARC-Target-URI: {url}\r\n") };
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\n{url}WARC-Date: 2024-05-{day:02}T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n\
         Content-Type: {media}\r\n{fields}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

const HTTP: &str = "application/http; msgtype=response";

fn page(url: &str, id: u32) -> String {
    let html = format!("<title>Page {id}</title><p>{}</p>", story(u64::from(id)));
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    record("response", url, 1, id, HTTP, "", &answer)
}

/// An archive of one gzip member a record: warcinfo, a request, two pages and an answer of status 404.
fn archive() -> Vec<u8> {
    let missing = record("response", "http://a.example/no", 1, 9, HTTP, "", "HTTP/1.1 404 No\r\n\r\ngone");
    let records = [
        record("warcinfo", "", 1, 1, "application/warc-fields", "", "software: none"),
        record(
            "request",
            "http://a.example/",
            1,
            2,
            "application/http; msgtype=request",
            "",
            "GET / HTTP/1.1\r\n\r\n",
        ),
        page("http://a.example/", 3),
        page("http://a.example/two", 4),
        missing,
    ];
    records.iter().flat_map(|record| gzip(record.as_bytes())).collect()
}

/// A WACZ as others write them: further files before the archive, which is stored.
fn wacz(path: &std::path::Path, archives: &[(&str, CompressionMethod, &[u8])]) {
    let mut zip = ZipWriter::new(std::fs::File::create(path).unwrap());
    let package = ("datapackage.json", CompressionMethod::Deflated, &b"{\"resources\": []}"[..]);
    for (name, method, bytes) in [package].iter().chain(archives) {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

const STORED: CompressionMethod = CompressionMethod::Stored;
/// As programs for ZIP files write what they are given, though the format asks for the other.
const DEFLATED: CompressionMethod = CompressionMethod::Deflated;

/// A folder with one archive, and one in which that is inside of a WACZ, by a method of ZIP files.
fn packed(method: CompressionMethod) -> Work {
    let work = Work::new();
    for folder in ["plain", "packed/deep"] {
        std::fs::create_dir_all(work.path(folder)).unwrap();
    }
    std::fs::write(work.path("plain/a.warc.gz"), archive()).unwrap();
    wacz(&work.path("packed/deep/x.wacz"), &[("archive/a.warc.gz", method, &archive())]);
    work
}

#[test]
fn a_wacz_is_read_by_every_command_as_the_archive_in_it() {
    [STORED, DEFLATED].into_iter().for_each(every_command_reads);
}

fn every_command_reads(method: CompressionMethod) {
    let work = packed(method);
    let (plain, packed) = ("plain/a.warc.gz", "packed/deep/x.wacz");
    for command in [&["shard", "ls"][..], &["shard", "cat"], &["text"]] {
        let of = |file: &str| work.output(&[command, &[file]].concat());
        let (inside, want) = (of(packed), of(plain));
        assert!(inside == want && !want.is_empty(), "{command:?}: {inside}\n{want}");
    }
    let check = work.output(&["shard", "check", "packed"]);
    assert!(check.contains("deep/x.wacz/archive/a.warc.gz: WARC, 5 records, 0 damaged"), "{check}");
    // The index names the archive inside, and offsets are those in it.
    let index = work.output(&["index", packed]);
    assert_eq!(index.replace("x.wacz/archive/", ""), work.output(&["index", plain]));
    assert_eq!(index.matches("x.wacz/archive/a.warc.gz").count(), 3, "{index}");
    // One inside is named by a path that goes on.
    assert_eq!(work.output(&["index", "packed/deep/x.wacz/archive/a.warc.gz"]), index);
    assert!(work.fails(&["index", "packed/deep/x.wacz/archive/b.warc.gz"], 2).contains("no such file"));
    // Packed again, it is the same archive.
    work.run(&["wacz", packed, "--out", "again.wacz"]);
    assert_eq!(work.output(&["shard", "cat", "again.wacz"]), work.output(&["shard", "cat", plain]));
}

#[test]
fn a_run_over_a_wacz_gives_the_rows_of_its_archive_and_says_what_it_read() {
    [STORED, DEFLATED].into_iter().for_each(a_run_reads);
}

fn a_run_reads(method: CompressionMethod) {
    let work = packed(method);
    let said = work.said(&["run", "packed", "--out", "packed-out"]);
    let read = "read 1 file, 5 records (warcinfo 1, response 3, request 1): 3 rows of pages, 2 of texts; \
                nothing came of warcinfo 1, request 1";
    assert!(said.contains(read), "{said}");
    assert!(
        work.said(&["run", "packed", "--out", "packed-out"]).contains(read),
        "said of results that are there too"
    );
    assert!(work.said(&["extract", "plain", "--out", "out"]).contains(read));
    let mut rows = work.table::<PageRow>("packed-out", "extract");
    for row in &mut rows {
        assert_eq!(row.warc_filename, "deep/x.wacz/archive/a.warc.gz");
        row.warc_filename = "a.warc.gz".into();
    }
    assert_eq!(rows, work.table::<PageRow>("out", "extract"));
    // Later readers of the shards find them again, by what the tables say.
    let served = Served::start(&work, &["packed-out"]);
    let page = served.text("/packed-out/2024id_/http://a.example/two");
    assert!(page.contains("Page 4"), "{page}");
    served.stop();
    let kept = work.run(&["dedup", "apply", "packed-out", "packed", "--out", "kept"]);
    assert!(kept.status.success());
    assert_eq!(
        work.output(&["shard", "cat", "kept/shards"]),
        work.output(&["shard", "cat", "plain/a.warc.gz"])
    );
}

#[test]
fn a_file_of_a_folder_that_is_named_as_an_archive_and_is_none_is_a_loss() {
    let work = Work::new();
    std::fs::create_dir(work.path("in")).unwrap();
    for name in ["a", "b", "c"] {
        std::fs::write(work.path(&format!("in/{name}.warc.gz")), archive()).unwrap();
    }
    std::fs::write(work.path("in/README.txt"), "what stands here").unwrap();
    std::fs::write(work.path("in/empty.warc.gz"), "").unwrap();
    work.output(&["extract", "in", "--out", "good", "--max-bad", "0.5"]);
    std::fs::write(work.path("in/error.warc.gz"), "<html><title>502 Bad Gateway</title></html>").unwrap();
    let said = work.fails(&["extract", "in", "--out", "out", "--max-bad", "0.5"], 1);
    assert!(said.contains("error.warc.gz"), "{said}");
    let counts = work.counts("out", "extract");
    assert_eq!(
        (&counts["dropped"]["unread-file"], &counts["dropped"]["unreadable-file"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn hostile_and_damaged_files_of_a_wacz_are_refused_by_name() {
    let work = Work::new();
    std::fs::create_dir(work.path("in")).unwrap();
    let (archive, page) = (archive(), page("http://a.example/b", 7).repeat(9).into_bytes());
    let members: [(&str, CompressionMethod, &[u8]); 3] = [
        ("archive/a.warc.gz", STORED, &archive),
        ("archive/b.warc", DEFLATED, &page),
        ("archive/notes.txt", STORED, b"only words"),
    ];
    wacz(&work.path("in/x.wacz"), &members);
    // A byte in the middle of the compressed file is another.
    let mut bytes = std::fs::read(work.path("in/x.wacz")).unwrap();
    let at = bytes.windows(14).position(|w| w == b"archive/b.warc").unwrap() + 300;
    bytes[at] ^= 0xff;
    std::fs::write(work.path("in/x.wacz"), bytes).unwrap();
    let said = work.fails(&["extract", "in", "--out", "out"], 1);
    assert!(said.contains("archive/b.warc at byte 0: it cannot be unpacked"), "{said}");
    assert!(said.contains("archive/notes.txt: found a file of unknown kind"), "{said}");
    assert!(said.contains("read 1 file, 6 records"), "{said}");
    let counts = work.counts("out", "extract");
    assert_eq!(counts["dropped"]["unread-file"], 1, "{counts}");
    assert_eq!(counts["dropped"]["unreadable-file"], 1, "{counts}");
    // Two archives in the same bytes: more would be read than the file has.
    wacz(&work.path("two.wacz"), &[members[0], ("archive/z.warc.gz", STORED, &archive)]);
    let mut bytes = std::fs::read(work.path("two.wacz")).unwrap();
    let heads: Vec<usize> =
        bytes.windows(4).enumerate().filter(|(_, w)| *w == b"PK\x01\x02").map(|(at, _)| at).collect();
    let [.., first, second] = heads[..] else { panic!("{heads:?}") };
    bytes.copy_within(first + 42..first + 46, second + 42);
    std::fs::write(work.path("two.wacz"), bytes).unwrap();
    assert!(work.fails(&["index", "two.wacz"], 2).contains("lie in the same bytes"));
    wacz(&work.path("out.wacz"), &[members[0], ("archive/../../x.warc.gz", STORED, &archive)]);
    assert!(work.said(&["index", "out.wacz"]).contains("leads out of the archive"));
    std::fs::write(work.path("cut.wacz"), &std::fs::read(work.path("in/x.wacz")).unwrap()[..900]).unwrap();
    assert!(work.fails(&["index", "cut.wacz"], 2).contains("not a ZIP file that can be read"));
}

/// A WET file: texts of the pages of [`archive`], one of a page that it lacks, and one that names no page.
fn wet() -> String {
    let text = |url: &str, id: u32, refers: &str, words: &str| {
        record("conversion", url, 1, id, "text/plain", refers, words)
    };
    [
        record("warcinfo", "", 2, 20, "application/warc-fields", "", "software: none"),
        text(
            "http://a.example/",
            23,
            "WARC-Refers-To: <urn:uuid:3>\r\n",
            "The first page as another program reads it",
        ),
        text(
            "http://a.example/three.csv",
            25,
            "WARC-Refers-To: <urn:uuid:5>\r\n",
            "A page, that is only here,\nand <b>has</b> words",
        ),
        record(
            "resource",
            "urn:text:http://a.example/two",
            2,
            27,
            "text/plain",
            "",
            "The second page, as its browser had it",
        ),
        text(
            "http://a.example/four",
            26,
            "",
            "Une page qui n'est pas dans l'archive, mais dont le texte est là",
        ),
    ]
    .concat()
}

#[test]
fn texts_of_a_wet_file_are_rows_that_lead_to_their_pages() {
    let work = Work::new();
    std::fs::create_dir(work.path("in")).unwrap();
    std::fs::write(work.path("in/a.warc.gz"), archive()).unwrap();
    std::fs::write(work.path("in/a.warc.wet.gz"), gzip(wet().as_bytes())).unwrap();
    let said = work.said(&["run", "in", "--out", "out"]);
    assert!(
        said.contains(
            "read 2 files, 10 records (warcinfo 2, response 3, resource 1, request 1, conversion 3)"
        ),
        "{said}"
    );
    assert!(said.contains("7 rows of pages, 6 of texts; nothing came of warcinfo 2, request 1"), "{said}");
    let texts = work.table::<TextRow>("out", "extract");
    let shown: Vec<(&str, bool, Option<&str>, &str)> = texts
        .iter()
        .map(|row| {
            (row.url.as_str(), row.is_current, row.refers_to_id.as_deref(), row.warc_type.unwrap().as_str())
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("http://a.example/", true, None, "response"),
            ("http://a.example/", false, Some("urn:uuid:3"), "conversion"),
            ("http://a.example/four", true, None, "conversion"),
            ("http://a.example/three.csv", true, Some("urn:uuid:5"), "conversion"),
            ("http://a.example/two", true, None, "response"),
            ("http://a.example/two", false, None, "conversion"),
        ]
    );
    assert_eq!(texts[3].text, "A page, that is only here,\nand <b>has</b> words");
    assert_eq!(texts[2].language.as_deref(), Some("fra"));
    let pages = work.table::<PageRow>("out", "extract");
    let of = |id: &str| pages.iter().find(|row| row.warc_record_id.as_deref() == Some(id)).unwrap();
    assert_eq!(of("urn:uuid:3").url_key, texts[1].url_key);
    assert_eq!((of("urn:uuid:23").is_current, of("urn:uuid:3").is_current), (false, true));
    assert_eq!(of("urn:uuid:26").warc_type, Some(WarcType::Conversion));
    assert_eq!(pages.iter().filter(|row| row.is_current).count(), 5, "one of each URL");
    // Four pages, their host and its domain: no page counts twice.
    assert_eq!(work.manifest("out/graph/latest")["tables"]["nodes"]["rows"], 6);
    // Alone it is a corpus of its own.
    let alone = work.said(&["run", "in/a.warc.wet.gz", "--out", "alone"]);
    assert!(alone.contains("4 rows of pages, 4 of texts; nothing came of warcinfo 1"), "{alone}");
    assert!(work.table::<TextRow>("alone", "extract").iter().all(|row| row.is_current));
}

#[test]
fn a_wat_file_says_that_it_holds_metadata_alone() {
    let work = Work::new();
    let json = r#"{"Container":{"Filename":"a.warc.gz"},"Envelope":{"Format":"WARC/1.0"}}"#;
    let wat = [
        record("warcinfo", "", 1, 1, "application/warc-fields", "", "software: none"),
        record("metadata", "http://a.example/", 1, 2, "application/json", "", json),
    ];
    std::fs::write(work.path("a.warc.wat"), wat.concat()).unwrap();
    std::fs::write(work.path("a.warc.gz"), archive()).unwrap();
    let alone = work.fails(&["extract", "a.warc.wat", "--out", "alone"], 1);
    assert!(
        alone.contains("no page in 2 records") && alone.contains("WAT files hold metadata alone"),
        "{alone}"
    );
    let both = work.said(&["extract", "a.warc.wat", "a.warc.gz", "--out", "out"]);
    assert!(
        both.contains("nothing came of warcinfo 2, request 1, wat 1 (WAT files hold metadata alone"),
        "{both}"
    );
    assert_eq!(work.counts("out", "extract")["dropped"]["wat-record"], 1);
    assert!(
        work.fails(&["text", "a.warc.wat"], 2)
            .contains("no page among its 2 records: 1 metadata alone, of a WAT file")
    );
    assert!(work.said(&["index", "a.warc.wat"]).contains("WAT files, which hold metadata alone"));
}

#[test]
fn the_texts_of_an_archive_are_written_page_by_page() {
    let work = packed(STORED);
    std::fs::write(work.path("plain/a.warc.wet.gz"), gzip(wet().as_bytes())).unwrap();
    std::fs::write(work.path("plain/b.html"), format!("<title>B</title><p>{}</p>", story(8))).unwrap();
    let done = work.run(&["text", "plain/a.warc.gz", "--format", "json"]);
    let said = String::from_utf8(done.stderr).unwrap();
    let passed =
        "plain/a.warc.gz: 3 records passed over: 1 of status 404, 1 of type request, 1 of type warcinfo";
    assert!(said.contains(passed), "{said}");
    let pages = objects(&String::from_utf8(done.stdout).unwrap());
    let shown: Vec<_> = pages.iter().map(|page| (page["id"].as_str(), page["url"].as_str())).collect();
    let want = [("a.warc.gz/3", "http://a.example/"), ("a.warc.gz/4", "http://a.example/two")];
    assert_eq!(shown, want.map(|(id, url)| (Some(id), Some(url))));
    assert_eq!((&pages[0]["file"], &pages[0]["title"]), (&"plain/a.warc.gz".into(), &"Page 3".into()));
    assert!(work.output(&["text", "plain/a.warc.gz"]).starts_with("==> http://a.example/ <==\n\n"));
    // Among other files, one and several threads, a file each.
    let ids = |threads: &str| {
        let json = work.output(&["text", "plain", "--format", "json", "--threads", threads]);
        objects(&json).iter().map(|page| page["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let want =
        ["a.warc.gz/3", "a.warc.gz/4", "a.warc.wet.gz/2", "a.warc.wet.gz/3", "a.warc.wet.gz/5", "b.html"];
    assert_eq!((ids("1"), ids("3")), (want.map(str::to_owned).to_vec(), want.map(str::to_owned).to_vec()));
    work.run(&["text", "packed/deep/x.wacz", "--out", "texts"]);
    assert!(work.path("texts/x.wacz/archive/a.warc.gz/4.txt").is_file());
    let only = work.said(&["text", "plain/a.warc.wet.gz", "--language", "fr"]);
    assert!(only.contains("2 texts left out"), "{only}");
    // An incomplete download is said; damage costs its record as well.
    let mut bytes = archive();
    bytes.truncate(bytes.len() - 20);
    std::fs::write(work.path("cut.warc.gz"), &bytes).unwrap();
    assert!(work.said(&["text", "cut.warc.gz"]).contains("cut.warc.gz at byte"));
    let within = bytes.len() / 3;
    bytes[within..within + 20].fill(b'#');
    std::fs::write(work.path("hurt.warc.gz"), &bytes).unwrap();
    assert!(work.fails(&["text", "hurt.warc.gz"], 1).contains("hurt.warc.gz at byte"));
}
