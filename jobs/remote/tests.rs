//! Against a server of one's own: cut connections, with ranges and without, wrong lengths, refusals.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use webmill_run::{Runtime, Silent};

use super::*;
use crate::job::Context;
use crate::recipe::Recipe;
use crate::rejects::RejectTable;

const RAW: &[u8] = b"version:1.0\nurl:http://a/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nlength:2\n\nhi\n";

/// Answers each request by what `answer` makes of its head, and closes; gives the address and the heads.
fn server(answer: impl Fn(&str, usize) -> Vec<u8> + Send + 'static) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heads);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines =
                BufReader::new(&stream).lines().map_while(|line| line.ok().filter(|line| !line.is_empty()));
            let head = lines.collect::<Vec<_>>().join("\n").to_lowercase();
            let number = kept.lock().unwrap().len();
            kept.lock().unwrap().push(head.clone());
            let _ = stream.write_all(&answer(&head, number));
        }
    });
    (address, heads)
}

fn body() -> Vec<u8> {
    (0..100_000u32).flat_map(|n| n.to_le_bytes()).collect()
}

fn ok(fields: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{fields}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn get(url: &str, folder: &Path) -> Result<Vec<u8>> {
    let files = fetched(&[url.to_owned()], folder, &Silent, &Cancel::default())?;
    Ok(std::fs::read(&files[0]).unwrap())
}

#[test]
fn a_cut_download_goes_on_where_it_was_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (address, heads) = server(|head, number| {
        let body = body();
        let etag = "ETag: \"a\"\r\n";
        if head.contains("if-none-match: \"a\"") {
            return b"HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n".to_vec();
        }
        let Some(at) = head.lines().find_map(|line| line.strip_prefix("range: bytes=")) else {
            return ok(etag, body.len(), &body[..150_000]);
        };
        let at: usize = at.trim_end_matches('-').parse().unwrap();
        // What is cut twice goes on twice.
        let end = if number == 1 { at + 100_000 } else { body.len() };
        let (last, length) = (body.len() - 1, body.len() - at);
        let total = body.len();
        let head = format!(
            "HTTP/1.1 206 Partial Content\r\nConnection: close\r\n{etag}Content-Range: bytes {at}-{last}/{total}\r\nContent-Length: {length}\r\n\r\n"
        );
        [head.as_bytes(), &body[at..end]].concat()
    });
    let url = format!("http://{address}/a/b.warc.gz?x=1");
    assert!(get(&url, folder.path()).unwrap() == body());
    assert!(get(&url, folder.path()).unwrap() == body(), "the copy is taken");
    let heads = heads.lock().unwrap().clone();
    assert_eq!(heads.len(), 4, "{heads:?}");
    assert!(
        heads[1].contains("range: bytes=150000-") && heads[1].contains("if-range: \"a\""),
        "{}",
        heads[1]
    );
    assert!(heads[2].contains("range: bytes=250000-"), "{}", heads[2]);
    let files = fetched(&["x.warc".into(), url], folder.path(), &Silent, &Cancel::default()).unwrap();
    assert!(files[0] == "x.warc" && files[1].ends_with("/b.warc.gz"), "{files:?}");
    let beside = Path::new(&files[1]).parent().unwrap();
    let names = std::fs::read_dir(beside).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.count(), 2, "no part is left");
}

#[test]
fn without_ranges_or_marks_it_begins_anew() {
    for fields in ["", "Last-Modified: Tue, 15 Apr 2003 08:13:06 GMT\r\n"] {
        let folder = tempfile::tempdir().unwrap();
        let (address, heads) = server(move |_, number| {
            let body = body();
            let sent = if number == 0 { 1000 } else { body.len() };
            ok(fields, body.len(), &body[..sent])
        });
        let url = format!("http://{address}/");
        assert!(get(&url, folder.path()).unwrap() == body());
        let heads = heads.lock().unwrap();
        assert_eq!((heads.len(), heads[1].contains("range: bytes=1000-")), (2, !fields.is_empty()));
    }
}

#[test]
fn what_the_server_has_changed_is_fetched_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (address, _) = server(|_, number| {
        let body = if number == 0 { &b"one"[..] } else { b"other" };
        ok(&format!("ETag: \"{}\"\r\n", number.min(1)), body.len(), body)
    });
    let url = format!("http://{address}/a.warc");
    assert_eq!(get(&url, folder.path()).unwrap(), b"one");
    assert_eq!(get(&url, folder.path()).unwrap(), b"other");
}

#[test]
fn an_update_that_failed_leaves_the_marks_of_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (address, _) = server(|head, number| match number {
        0 => ok("ETag: \"1\"\r\n", 3, b"one"),
        1..8 => ok("ETag: \"2\"\r\n", 3, b""),
        _ if head.contains("if-none-match: \"2\"") => {
            b"HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n".to_vec()
        }
        _ => ok("ETag: \"2\"\r\n", 3, b"two"),
    });
    let url = format!("http://{address}/a.warc");
    assert_eq!(get(&url, folder.path()).unwrap(), b"one");
    assert!(get(&url, folder.path()).unwrap_err().to_string().contains("given up"));
    assert_eq!(get(&url, folder.path()).unwrap(), b"two");
    assert_eq!(get(&url, folder.path()).unwrap(), b"two");
}

#[test]
fn a_part_of_another_version_is_not_gone_on_with() {
    for (first, then) in [
        ("ETag: \"1\"\r\n", "ETag: \"2\"\r\n"),
        ("ETag: \"1\"\r\n", ""),
        (
            "Last-Modified: Tue, 15 Apr 2003 08:13:06 GMT\r\n",
            "Last-Modified: Wed, 16 Apr 2003 08:13:06 GMT\r\n",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (address, _) = server(move |head, number| match number {
            0 => ok(first, 6, b"one"),
            _ if head.contains("range: bytes=3-") => {
                let head = "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Length: 3\r\n";
                format!("{head}{then}Content-Range: bytes 3-5/6\r\n\r\ntwo").into_bytes()
            }
            _ => ok(then, 6, b"twotwo"),
        });
        let url = format!("http://{address}/a.warc");
        assert_eq!(get(&url, folder.path()).unwrap(), b"twotwo", "{first}{then}");
    }
}

#[test]
fn without_marks_equal_length_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let (address, _) = server(|_, number| ok("", 3, if number == 0 { b"one" } else { b"two" }));
    let url = format!("http://{address}/a.warc#part");
    assert_eq!(get(&url, folder.path()).unwrap(), b"one");
    assert_eq!(get(url.trim_end_matches("#part"), folder.path()).unwrap(), b"two");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "a fragment makes no other URL");
}

#[test]
fn a_pause_that_is_asked_for_is_made_and_can_be_ended() {
    let folder = tempfile::tempdir().unwrap();
    let busy = b"HTTP/1.1 503 Busy\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
    let (address, _) = server(|_, number| if number == 0 { busy.to_vec() } else { ok("", 2, b"hi") });
    let url = format!("http://{address}/a.warc");
    let start = Instant::now();
    assert_eq!(get(&url, folder.path()).unwrap(), b"hi");
    assert!(start.elapsed() >= Duration::from_secs(1));
    let (address, _) = server(|_, _| {
        b"HTTP/1.1 429 Slow\r\nConnection: close\r\nRetry-After: 50\r\nContent-Length: 0\r\n\r\n".to_vec()
    });
    let (start, cancel) = (Instant::now(), Cancel::default());
    let stop = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(PAUSE);
        stop.stop();
    });
    let ended = fetched(&[format!("http://{address}/a.warc")], folder.path(), &Silent, &cancel);
    assert!(matches!(ended, Err(Error::Interrupted)) && start.elapsed() < Duration::from_secs(20));
}

#[test]
fn downloads_of_one_name_are_named_by_their_urls() {
    let (address, _) = server(|_, _| ok("", RAW.len(), RAW));
    let urls = ["a", "b"].map(|part| format!("http://{address}/{part}/same.raw"));
    let named = || {
        let folder = tempfile::tempdir().unwrap();
        let local = fetched(&urls, folder.path(), &Silent, &Cancel::default()).unwrap();
        let (mut found, _) = webmill_shard::discover(&local).unwrap();
        name_by_url(&mut found, folder.path());
        found.iter().map(|input| input.name.to_string()).collect::<Vec<_>>()
    };
    let names = named();
    assert_eq!(names, named(), "whatever the folder");
    assert!(names[0] != names[1] && names.iter().all(|name| name.len() == 16 + "/same.raw".len()));
}

#[test]
fn what_cannot_be_fetched_is_as_a_file_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.raw");
    std::fs::write(&file, RAW).unwrap();
    let inputs = ["http://[/b.raw".to_owned(), file.to_string_lossy().into_owned()];
    let (found, errors) = discover(&inputs, &Cancel::default()).unwrap();
    assert!(found.len() == 1 && found[0].path == file);
    assert!(matches!(&errors[..], [Error::Io { .. }]) && errors[0].to_string().contains("not a URL"));
    assert!(discover(&inputs[..1], &Cancel::default()).unwrap_err().to_string().contains("not a URL"));
}

#[test]
fn a_dry_run_fetches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (address, heads) = server(|_, _| Vec::new());
    let (out, cancel) = (folder.path().join("out"), Cancel::default());
    let runtime = Runtime {
        out: out.clone(),
        threads: 1,
        memory: 1 << 30,
        max_bad: 0.0,
        progress: &Silent,
        cancel: &cancel,
        rejects: &RejectTable,
    };
    let context = Context::new(&[], Recipe::default(), runtime).unwrap().dry_run(true);
    let context = context.reading(&[format!("http://{address}/a.raw")]);
    assert!(crate::extract::extract(&context).unwrap().is_none());
    assert!(!out.exists() && heads.lock().unwrap().is_empty());
}

#[test]
fn refusals_are_said_with_the_url() {
    let folder = tempfile::tempdir().unwrap();
    let (address, heads) = server(|head, _| match head.split(' ').nth(1) {
        Some("/loop") => b"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /loop\r\n\r\n".to_vec(),
        Some("/ftp") => b"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: ftp://a/\r\n\r\n".to_vec(),
        Some("/file") => {
            b"HTTP/1.1 301 Moved\r\nConnection: close\r\nLocation: file:///etc/hosts\r\n\r\n".to_vec()
        }
        Some("/there") => b"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /other\r\n\r\n".to_vec(),
        Some("/other") => ok("", 2, b"hi"),
        Some("/short") => ok("ETag: \"a\"\r\n", 9, b""),
        _ => b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec(),
    });
    let at = |path: &str| get(&format!("http://{address}{path}"), folder.path());
    assert_eq!(at("/there").unwrap(), b"hi");
    for (path, reason) in [
        ("/no.warc", "the server answers 404 Not Found"),
        ("/loop", "too many redirects"),
        ("/ftp", "redirected to ftp://a/, which is not followed"),
        ("/file", "redirected to file:///etc/hosts, which is not followed"),
        ("/short", "given up after 6 attempts"),
    ] {
        let said = at(path).unwrap_err().to_string();
        assert!(said.contains(&format!("http://{address}{path}: ")) && said.contains(reason), "{said}");
    }
    assert!(heads.lock().unwrap().len() < 30);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no empty part is left");
}

#[test]
fn names_are_those_of_the_path() {
    for (url, name) in [
        ("http://a/crawl-data/x/CC-0.warc.gz", "CC-0.warc.gz"),
        ("http://a/x%2Fy%20.warc?q=/z", "x_2Fy_20.warc"),
        ("http://a/..hidden", "hidden"),
        ("http://a/", "download"),
        ("http://a/...", "download"),
    ] {
        assert_eq!(name_of(&Url::parse(url).unwrap()), name, "{url}");
    }
    assert!(is_remote("HTTPS://a/") && !is_remote("ftp://a/") && !is_remote("http"));
    assert_eq!(shown(&Url::parse("http://u:secret@a/").unwrap()), "http://u:***@a/");
}
