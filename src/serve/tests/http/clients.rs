//! Programs of others that ask the server: pywb, cdx-toolkit, wget. `make tools` installs them into `target/archives`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use webmill_serve::index::{Entry, MemoryIndex, Timestamp};
use webmill_serve::{Archive, Collection, Options, ShardFiles};
use webmill_shard::{ReadOptions, RecordType, ShardReader};

use crate::support::{Answer, key, running, serve};

/// A program of the clients' Python.
fn program(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/archives/bin").join(name);
    if !path.exists() {
        webmill_evaluation::skip(&format!("no {name} in target/archives: run `make tools`"));
        return None;
    }
    Some(path)
}

/// A program that runs until the test is done.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that nobody listens at (for now).
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn ask(port: u16, target: &str, headers: &str) -> Option<Answer> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let request =
        format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    (!bytes.is_empty()).then(|| crate::support::parse(&bytes, false))
}

/// Starts pywb with a configuration in `folder`; gives its port.
fn pywb(program: &Path, folder: &Path, config: &str) -> (Killed, u16) {
    std::fs::write(folder.join("config.yaml"), config).unwrap();
    let port = free_port();
    let child = Command::new(program)
        .args(["-p", &port.to_string(), "-b", "127.0.0.1"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let child = Killed(child);
    let begun = Instant::now();
    while ask(port, "/", "").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "pywb does not answer");
        std::thread::sleep(Duration::from_millis(200));
    }
    (child, port)
}

#[test]
fn pywb_replays_what_our_index_finds() {
    let Some(wayback) = program("wayback") else { return };
    let (folder, server) = running();
    let config = format!(
        "collections:\n  theirs:\n    archive_paths: {0}/\n    index: cdx+http://{1}/t/cdx\n  \
         outback:\n    archive_paths: {0}/\n    index:\n      type: cdx\n      \
         api_url: http://{1}/t?url={{url}}&closest={{closest}}&sort=closest\n      replay_url: \"\"\n",
        folder.path().display(),
        server.address
    );
    let (_pywb, port) = pywb(&wayback, folder.path(), &config);
    for collection in ["theirs", "outback"] {
        for (time, url, status, body) in [
            ("20100101000000", "http://a.example/", 200, "one"),
            ("20120101000000", "http://a.example/", 200, "one"),
            ("20140101000000", "http://a.example/", 200, "chunks"),
            ("20160101000000", "http://a.example/", 404, "no"),
            ("20150301000000", "http://a.example/page?x=1&y=2", 200, "x"),
        ] {
            let answer = ask(port, &format!("/{collection}/{time}id_/{url}"), "").unwrap();
            assert_eq!((answer.status, answer.text().as_str()), (status, body), "{collection} {time} {url}");
        }
        assert_eq!(
            ask(port, &format!("/{collection}/2010id_/http://none.example/"), "").unwrap().status,
            404
        );
    }
}

#[test]
fn cdx_toolkit_lists_captures() {
    let Some(python) = program("python") else { return };
    let (_folder, server) = running();
    let script = "import sys, cdx_toolkit\n\
        cdx = cdx_toolkit.CDXFetcher(source=sys.argv[1])\n\
        for row in cdx.iter('*.a.example', limit=100): print(row['timestamp'], row['url'], row.get('status'))\n\
        print('one', cdx.get('http://a.example/', limit=1)[0]['timestamp'])\n\
        print('filtered', len(cdx.get('a.example/*', filter=['=status:200', '!~url:.*self'])))\n";
    let output = Command::new(python)
        .args(["-c", script, &format!("http://{}/t/cdx", server.address)])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 9 + 2, "{text}");
    assert!(lines.contains(&"20150401000000 http://sub.a.example/x 200"), "{text}");
    assert!(lines.contains(&"one 20100101000000") && lines.contains(&"filtered 3"), "{text}");
}

/// A server with one page, for a few requests.
fn page_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(4).flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            let mut stream = stream;
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\nConnection: close\r\n\r\nunchanged",
            );
        }
    });
    port
}

/// The types of the records of a WARC.
fn records(path: &Path) -> Vec<(RecordType, Entry<'static>)> {
    let mut reader = ShardReader::open(path, &ReadOptions::default()).unwrap();
    let mut all = Vec::new();
    while let Some(record) = reader.next() {
        let record = record.unwrap();
        let digest =
            record.payload_digest.as_deref().unwrap_or_default().trim_start_matches("sha1:").to_owned();
        let entry = Entry {
            urlkey: key(&record.url).into(),
            timestamp: Timestamp(20200101000000),
            url: record.url.to_string().into(),
            mime: "text/plain".into(),
            digest: digest.into(),
            offset: record.place.offset,
            filename: "first.warc.gz".into(),
            extra: vec![("u".into(), format!("\"{}\"", record.id.as_deref().unwrap_or_default()).into())],
            ..Entry::default()
        };
        all.push((record.kind, entry));
    }
    all
}

#[test]
fn wget_leaves_out_what_our_index_knows() {
    if Command::new("wget").arg("--version").output().is_err() {
        return webmill_evaluation::skip("no wget");
    }
    let folder = tempfile::tempdir().unwrap();
    let url = format!("http://127.0.0.1:{}/page", page_server());
    let wget = |more: &[&str]| {
        let output = Command::new("wget")
            .args(["-q", "-O", "/dev/null", "--no-proxy", "--tries=1", &url])
            .args(more)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    wget(&["--warc-file=first"]);
    let first = folder.path().join("first.warc.gz");
    let responses = records(&first).into_iter().filter(|(kind, _)| *kind == RecordType::Response);
    let entries: Vec<_> = responses.map(|(_, entry)| entry).collect();
    assert_eq!(entries.len(), 1);
    let mut archive = Archive::new(key);
    let shards = Arc::new(ShardFiles::new([first], 1 << 20));
    archive.add(Collection::new("t", Arc::new(MemoryIndex::new(entries)), shards)).unwrap();
    let server = serve(archive, Options::default());
    let lines = server.get(&format!("/t?url={url}&fl=original,timestamp,digest,u")).text();
    std::fs::write(folder.path().join("seen.cdx"), format!(" CDX a b k u\n{lines}")).unwrap();
    wget(&["--warc-file=second", "--warc-dedup=seen.cdx"]);
    let kinds: Vec<RecordType> =
        records(&folder.path().join("second.warc.gz")).into_iter().map(|(kind, _)| kind).collect();
    assert!(kinds.contains(&RecordType::Revisit) && !kinds.contains(&RecordType::Response), "{kinds:?}");
}

/// Headers that name the moment, the connection or the server.
const PASSING: [&str; 4] = ["date", "connection", "content-length", "transfer-encoding"];

/// Headers of pywb's answer and of ours over the same WARCs, name by name, but for those in `PASSING`.
#[test]
fn headers_are_those_of_pywb_but_for_what_is_said_here() {
    let Some(wayback) = program("wayback") else { return };
    let Some(archives) = webmill_evaluation::archive("archives") else { return };
    let base =
        ["pywb", "archives/pywb"].map(|path| archives.path().join(path)).into_iter().find(|p| p.exists());
    let base = base.expect("archives of pywb");
    let folder = tempfile::tempdir().unwrap();
    let mut lines: Vec<String> = ["iana", "dupes", "example2"]
        .iter()
        .flat_map(|name| {
            let text = std::fs::read_to_string(base.join(format!("cdxj/{name}.cdxj"))).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    lines.sort();
    let index = folder.path().join("index.cdxj");
    std::fs::write(&index, lines.join("\n") + "\n").unwrap();
    let warcs = base.join("warcs");
    let config = format!(
        "collections:\n  t:\n    index_paths: {}\n    archive_paths: {}/\nenable_memento: true\n",
        index.display(),
        warcs.display()
    );
    let (_pywb, port) = pywb(&wayback, folder.path(), &config);
    let posted = webmill_serve::cdx::parse_posted(&lines.join("\n"), key);
    assert_eq!(posted.bad_lines, 0);
    let shards = ["iana", "dupes", "example2"].map(|name| warcs.join(format!("{name}.warc.gz")));
    let mut archive = Archive::new(key);
    let index = Arc::new(MemoryIndex::new(posted.entries));
    archive.add(Collection::new("t", index, Arc::new(ShardFiles::new(shards, 64 << 20)))).unwrap();
    let server = serve(archive, Options::default());
    let mut wrong = Vec::new();
    for (target, headers, more, ours_alone, theirs_alone) in [
        // Ours adds the neighbours; theirs lets headers through that it does not know.
        (
            "/t/20140126200624id_/http://www.iana.org/",
            "",
            "",
            &["x-archive-orig-x-varnish"][..],
            &["x-varnish"][..],
        ),
        ("/t/2014id_/http://www.iana.org/about", "", "", &["x-archive-orig-x-varnish"], &["x-varnish"]),
        (
            "/t/20140126200804id_/http://www.iana.org/about/performance/ietf-statistics",
            "",
            "",
            &["x-archive-orig-accept-ranges", "x-archive-orig-content-length", "x-archive-orig-x-varnish"],
            &["accept-ranges", "x-varnish"],
        ),
        (
            "/t/20140127171251id_/http://example.com/",
            "",
            "",
            &[
                "x-archive-orig-accept-ranges",
                "x-archive-orig-content-length",
                "x-archive-orig-x-cache",
                "x-archive-orig-x-ec-custom-error",
            ],
            &["x-cache", "x-ec-custom-error"],
        ),
        (
            "/t/id_/http://www.iana.org/",
            "Accept-Datetime: Sun, 26 Jan 2014 20:06:24 GMT\r\n",
            "",
            &["x-archive-orig-x-varnish"],
            &["x-varnish"],
        ),
        ("/t/timemap/link/http://www.iana.org/", "", "", &[], &[]),
        ("/t/timemap/json/http://www.iana.org/", "", "", &[], &[]),
        // The live index changes: it is not for a day's cache.
        ("/t/cdx?url=http://www.iana.org/", "", "", &["x-max-rows"], &["cache-control"]),
        ("/t/cdx?url=http://www.iana.org/&output=json", "", "", &["x-max-rows"], &["cache-control"]),
        ("/t/cdx?url=http://www.iana.org/&output=link", "", "", &["x-max-rows"], &["cache-control"]),
        ("/t/cdx?output=link", "", "", &[], &["cache-control"]),
        ("/t/2014id_/http://nothing.example/", "", "type", &[], &[]),
        ("/t/timemap/link/http://nothing.example/", "", "type", &[], &[]),
    ] {
        let theirs = ask(port, target, headers).unwrap();
        let ours = ask(server.address.port(), target, headers).unwrap();
        if ours.status != theirs.status {
            wrong.push(format!("{target}: ours {}, theirs {}", ours.status, theirs.status));
        }
        let names = |answer: &Answer| -> Vec<String> {
            let names = answer.headers.iter().map(|(name, _)| name.to_ascii_lowercase());
            let mut names: Vec<String> = names.filter(|name| !PASSING.contains(&name.as_str())).collect();
            names.sort();
            names.dedup();
            names
        };
        let (our_names, their_names) = (names(&ours), names(&theirs));
        let without = |names: &[String], others: &[String]| -> Vec<String> {
            names.iter().filter(|name| !others.contains(name)).cloned().collect()
        };
        let (mut ours_only, mut theirs_only) =
            (without(&our_names, &their_names), without(&their_names, &our_names));
        // A stored answer that is opened in a browser is held in a sandbox.
        if target.contains("id_") && ours.status != 404 {
            let before = ours_only.len();
            ours_only.retain(|name| name != "content-security-policy");
            assert_eq!(before, ours_only.len() + 1, "{target}");
        }
        // Ours can be asked for by parts.
        ours_only.retain(|name| name != "accept-ranges");
        // RFC 7089, 4.5: a TimeMap lists all moments.
        if target.contains("timemap") {
            theirs_only.retain(|name| name != "vary");
        }
        if ours_only != ours_alone || theirs_only != theirs_alone {
            wrong.push(format!("{target}: ours alone {ours_only:?}, theirs alone {theirs_only:?}"));
        }
        for name in our_names.iter().filter(|name| their_names.contains(name)) {
            let (our, their) = (ours.header(name).unwrap(), theirs.header(name).unwrap());
            let their = their.replace(&format!(":{port}/"), &format!(":{}/", server.address.port()));
            match name.as_str() {
                // All links of theirs are among ours, but that a capture may be the first or last.
                "link" => {
                    let plain = |link: &str| {
                        let mut link = link.to_owned();
                        for rel in ["first ", "last ", "prev ", "next "] {
                            link = link.replace(rel, "");
                        }
                        link
                    };
                    for part in their.split(", <") {
                        if !plain(our).contains(part) {
                            wrong.push(format!("{target}: {part}\n    not in {our}"));
                        }
                    }
                }
                "content-type" if more == "type" => {}
                // Theirs is as stored and leads out of the archive, to this server's root or to the living Web.
                "location" => {
                    if our != their && !(our.contains("id_/http") && our.ends_with(&their)) {
                        wrong.push(format!("{target}: location: ours {our}, theirs {their}"));
                    }
                }
                _ if our == their => {}
                _ => wrong.push(format!("{target}: {name}: ours {our}, theirs {their}")),
            }
        }
        if target.contains("id_") && ours.status == 200 && ours.body != theirs.body {
            let head: Vec<_> = theirs.headers.iter().filter(|(n, _)| n.contains("en")).collect();
            wrong.push(format!(
                "{target}: body ours {}, theirs {} bytes: {head:?}",
                ours.body.len(),
                theirs.body.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
