//! `webmill shard` from outside: list, cat, check, recover, split, convert.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Stdio;

use serde_json::Value;
use webmill::mill::PageRow;

use crate::support::{Work, objects};

fn record(url: &str, body: &str) -> Vec<u8> {
    let data = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gbk\r\n\r\n{body}");
    let date = "date:Tue, 15 Apr 2003 08:13:06 GMT";
    format!("version:1.0\nurl:{url}\n{date}\nip:1.2.3.4\nlength:{}\n\n{data}\n", data.len()).into_bytes()
}

/// Nine records of growing size.
fn records() -> Vec<Vec<u8>> {
    (0..9).map(|n| record(&format!("http://a.example/{n}"), &"<p>text</p>\n".repeat(n * 9))).collect()
}

fn put(work: &Work, name: &str, bytes: &[u8]) {
    std::fs::write(work.path(name), bytes).unwrap();
}

#[test]
fn ls_gives_one_object_a_record() {
    let work = Work::new();
    let records = records();
    put(&work, "a.bin", &records.concat());
    let rows = objects(&work.output(&["shard", "ls", "--format", "json", "a.bin"]));
    assert_eq!(rows.len(), 9);
    let expected = serde_json::json!({
        "url": "http://a.example/0", "type": "response", "date": "2003-04-15T08:13:06Z", "status": 200,
        "mime": "text/html", "offset": 0, "length": records[0].len(),
        "sha1": "def4ce812a262ba3c877fe2d35c2e997eedd288b",
    });
    assert_eq!(rows[0], expected);
    let table = work.output(&["shard", "ls", "a.bin"]);
    assert_eq!(table.lines().count(), 10);
    assert!(table.contains("http://a.example/8"));
}

#[test]
fn damage_is_reported_and_recovered_from() {
    let work = Work::new();
    let records = records();
    let mut bytes = records.concat();
    bytes[records[0].len() + 2] ^= 1;
    put(&work, "bad.raw", &bytes);
    put(&work, "good.raw", &records.concat());
    put(&work, "junk.raw", &record("http://a.example/", "x").repeat(2)[7..60]);
    let listed = objects(&work.output(&["shard", "ls", "--format", "json", "bad.raw", "--max-bad", "0.2"]));
    assert_eq!(listed.len(), 8);
    assert_eq!(listed[0].get("proven"), None);
    assert!(listed[1..].iter().all(|row| row["proven"] == true));

    let check = |arguments: &[&str], code: i32| {
        let output = work.webmill(&[&["shard", "check"], arguments].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let offset = records[0].len();
    let message = check(&["bad.raw"], 1);
    assert!(message.contains(&format!("bad.raw at byte {offset}: no record starts here")), "{message}");
    assert!(message.contains("8 records, 1 damaged"), "{message}");
    check(&["bad.raw", "--max-bad", "0.2"], 0);
    check(&["good.raw"], 0);
    check(&["junk.raw"], 2);
    put(&work, "crlf.raw", String::from_utf8(records.concat()).unwrap().replace('\n', "\r\n").as_bytes());
    assert!(check(&["crlf.raw"], 2).contains("every LF became CR LF"));
    let said = work.run(&["shard", "recover", "crlf.raw", "-o", "undone.raw"]).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("which is undone"), "{said}");
    assert_eq!(std::fs::read(work.path("undone.raw")).unwrap(), records.concat());
    // What is odd is counted by its name.
    let dateless = String::from_utf8(records.concat()).unwrap().replacen("Apr", "Foo", 2);
    put(&work, "odd.raw", dateless.replacen("version:1.0", "version:1.1", 1).as_bytes());
    let sum = objects(&check(&["odd.raw", "--format", "json"], 0)).pop().unwrap();
    assert_eq!((&sum["records"], &sum["defects"]), (&serde_json::json!(9), &serde_json::json!(2)));
    let counted = sum["defects_by_name"].as_object().unwrap().values().map(|n| n.as_u64().unwrap());
    assert_eq!(counted.collect::<Vec<_>>(), [2, 1]);
    let strict = check(&["odd.raw", "--strict"], 1);
    assert!(strict.contains("7 records, 2 damaged"), "{strict}");
    check(&["good.raw", "missing.raw"], 2);

    let said = work.fails(&["shard", "recover", "bad.raw", "-o", "out.raw"], 1);
    let lost = format!("1 damaged place, {} of {} bytes lost", records[1].len(), bytes.len());
    assert!(said.contains(&lost), "{said}");
    let whole: Vec<u8> = [&records[..1], &records[2..]].concat().concat();
    assert_eq!(std::fs::read(work.path("out.raw")).unwrap(), whole);
    assert!(work.fails(&["shard", "recover", "good.raw", "-o", "good.raw"], 2).contains("is an input"));
    assert_eq!(std::fs::read(work.path("good.raw")).unwrap(), records.concat());
    let refused = work.fails(&["shard", "convert", "bad.raw", "-o", "refused.warc.gz"], 1);
    assert!(refused.contains("--max-bad"), "{refused}");
    work.fails(&["shard", "recover", "junk.raw", "-o", "nothing.raw"], 2);
    for name in ["refused.warc.gz", "nothing.raw"] {
        assert!(!work.path(name).exists(), "{name}");
    }
}

#[test]
fn parts_put_together_are_the_whole() {
    let work = Work::new();
    put(&work, "whole.raw", &records().concat());
    let parts = work.output(&["shard", "split", "whole.raw", "-o", "parts", "--size", "1KiB"]);
    assert!(parts.lines().count() > 2, "{parts}");
    let joined: Vec<u8> = parts.lines().flat_map(|part| std::fs::read(work.path(part)).unwrap()).collect();
    assert_eq!(joined, records().concat());
    let listed = objects(&work.output(&["shard", "ls", "--format", "json", "parts/*.rawdb"]));
    assert_eq!(listed.len(), 9);
    assert_eq!(listed[0]["shard"], "whole-00000.rawdb");
}

#[test]
fn conversion_there_and_back_is_identity() {
    let work = Work::new();
    put(&work, "from.raw", &records().concat());
    for through in ["x.warc", "x.warc.gz", "x.warc.zst"] {
        work.run(&["shard", "convert", "from.raw", "-o", through]);
        work.run(&["shard", "check", through]);
        work.run(&["shard", "convert", through, "-o", "back.raw"]);
        assert_eq!(std::fs::read(work.path("back.raw")).unwrap(), records().concat(), "{through}");
    }
    let packed = "shard convert from.raw -o packed.rawdb --to rawdb --compression zstd";
    work.run(&packed.split(' ').collect::<Vec<_>>());
    assert!(std::fs::metadata(work.path("packed.rawdb")).unwrap().len() < records().concat().len() as u64);
    let digests = |name: &str| -> Vec<Value> {
        let listed = objects(&work.output(&["shard", "ls", "--format", "json", name]));
        listed.into_iter().map(|row| row["sha1"].clone()).collect()
    };
    assert_eq!(digests("packed.rawdb"), digests("from.raw"));
}

#[test]
fn pipes_on_both_sides() {
    let work = Work::new();
    let records = records();
    put(&work, "a.raw", &records.concat());
    let from_pipe = |arguments: &[&str]| {
        let input = std::fs::File::open(work.path("a.raw")).unwrap();
        work.webmill(arguments).stdin(input).output().unwrap()
    };
    let piped = from_pipe(&["shard", "ls", "--format", "json", "-"]).stdout;
    assert_eq!(piped, work.run(&["shard", "ls", "--format", "json", "a.raw"]).stdout);
    assert!(from_pipe(&["shard", "recover", "-", "-o", "copy.raw"]).status.success());
    assert_eq!(std::fs::read(work.path("copy.raw")).unwrap(), records.concat());

    let offset = records[0].len().to_string();
    let data = work.run(&["shard", "cat", "a.raw", "--offset", &offset]).stdout;
    assert!(records[1].ends_with(&[&data[..], b"\n"].concat()) && data.starts_with(b"HTTP/1.1 200"));
    assert!(
        work.fails(&["shard", "cat", "a.raw", "--offset", "3"], 2).contains("no record starts at byte 3")
    );

    put(&work, "large.raw", &records.concat().repeat(400));
    let mut child = work.webmill(&["shard", "ls", "large.raw"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 100]).unwrap();
    drop(out);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_bomb_does_not_need_its_size_in_memory() {
    let work = Work::new();
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let size = 400 << 20;
    for _ in 0..400 {
        packer.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let data = packer.finish().unwrap();
    let head = format!("version:1.0\nurl:http://b/\nunzip-length:{size}\nlength:{}\n\n", data.len());
    put(&work, "bomb.raw", &[head.as_bytes(), &data, b"\n"].concat());
    let arguments = ["shard", "ls", "--format", "json", "--max-record", "1MiB", "bomb.raw"];
    // 200 MiB of address space: less than half of what the record unpacks to.
    let script = "ulimit -v 204800; exec \"$0\" \"$@\"";
    let webmill = work.webmill(&[]).get_program().to_owned();
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(webmill)
        .args(arguments)
        .current_dir(work.path("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let row = &objects(&String::from_utf8(output.stdout).unwrap())[0];
    assert_eq!((&row["truncated"], &row["sha1"]), (&Value::from("record-limit"), &Value::Null));
}

#[test]
fn a_shard_named_by_url_is_fetched_once_and_called_by_its_name() {
    let work = Work::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/crawl/a.raw?token=x", listener.local_addr().unwrap());
    let body = records().concat();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(&stream).lines().map_while(|line| line.ok().filter(|l| !l.is_empty()));
            let known = lines
                .collect::<Vec<_>>()
                .iter()
                .any(|line| line.eq_ignore_ascii_case("if-none-match: \"1\""));
            let (status, body) = if known { ("304 Not Modified", &[][..]) } else { ("200 OK", &body[..]) };
            let length = if known { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
            let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nETag: \"1\"\r\n{length}\r\n");
            let _ = stream.write_all(&[head.as_bytes(), body].concat());
        }
    });
    let mut check = work.webmill(&["shard", "check", &url]);
    let checked = check.env("XDG_CACHE_HOME", work.path("cache")).output().unwrap();
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success() && said.contains("cache/webmill/downloads"), "{said}");
    assert!(String::from_utf8_lossy(&checked.stdout).contains("a.raw: RAW DB, 9 records, 0 damaged"));

    let mut check = work.webmill(&["shard", "check", "http://[/b.raw", &url]);
    let checked = check.env("XDG_CACHE_HOME", work.path("cache")).output().unwrap();
    assert_eq!(checked.status.code(), Some(2), "as a file that is missing");
    assert!(String::from_utf8_lossy(&checked.stdout).contains("9 records, 0 damaged"));

    work.run(&["extract", &url, "--out", "results"]);
    let pages = work.table::<PageRow>("results", "extract");
    assert!(pages.len() == 9 && pages.iter().all(|page| page.warc_filename == "a.raw"));
    let before = work.committed("results");
    let again = work.run(&["extract", &url, "--out", "results"]);
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(said.contains("has not changed"), "{said}");
    assert_eq!(work.committed("results"), before);
}
