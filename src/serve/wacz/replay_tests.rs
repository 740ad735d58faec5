//! A WACZ of ours played by the replay component of the field in a browser without a screen.
//!
//! `WEBMILL_REPLAYWEBPAGE` names a folder with its `ui.js` and `sw.js` (npm package `replaywebpage`), `WEBMILL_CHROMIUM` the
//! browser (default `chromium`). Everything is served from loopback.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use webmill_shard::{NewRecord, RawDbWriter, WriteOptions};

use super::*;

/// Embeds the component and reports, once a second, all text that is inside of it.
const PAGE: &str = r#"<!doctype html><meta charset="utf-8"><script src="/ui.js"></script>
<replay-web-page source="/x.wacz" url="http://www.a.example/" replayBase="/replay/" embed="replayonly"></replay-web-page>
<script>
const texts = root => {
  let out = "";
  const walk = node => {
    if (node.nodeType == 3) out += node.data;
    if (node.shadowRoot) walk(node.shadowRoot);
    if (node.tagName == "IFRAME" && node.contentDocument) walk(node.contentDocument);
    if (node.tagName != "SCRIPT" && node.tagName != "STYLE") node.childNodes.forEach(walk);
  };
  walk(root);
  return out;
};
setInterval(() => fetch("/report?" + encodeURIComponent(texts(document.body).replace(/\s+/g, " "))), 1000);
</script>"#;

type Files = HashMap<String, (&'static str, Vec<u8>)>;

/// Answers one request after another, ranges too; reports go to `reports`, all others are told in `asked`.
fn serve(
    stream: TcpStream,
    files: &Files,
    reports: &Sender<String>,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?.take(1 << 20));
    let mut stream = stream;
    loop {
        let (mut line, mut range) = (String::new(), None);
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let (method, path) = line.split_once(' ').unwrap_or_default();
        let path = path.split(' ').next().unwrap_or_default();
        let (name, query) = path.split_once('?').unwrap_or((path, ""));
        loop {
            let mut field = String::new();
            reader.read_line(&mut field)?;
            if field.trim().is_empty() {
                break;
            }
            if let Some(value) = field.to_ascii_lowercase().strip_prefix("range: bytes=") {
                range = value
                    .trim()
                    .split_once('-')
                    .map(|(a, b)| (a.parse::<usize>().ok(), b.parse::<usize>().ok()));
            }
        }
        if name == "/report" {
            let _ = reports.send(query.to_owned());
        } else {
            asked.lock().unwrap().push(format!("{method} {path} {range:?}"));
        }
        let Some((mime, bytes)) = files.get(name) else {
            let status = if name == "/report" { "204 No Content" } else { "404 Not Found" };
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n")?;
            continue;
        };
        let last = bytes.len() - 1;
        let (status, from, to) = match range {
            Some((Some(from), to)) => ("206 Partial Content", from.min(last), to.unwrap_or(last).min(last)),
            Some((None, Some(end))) => ("206 Partial Content", bytes.len().saturating_sub(end), last),
            _ => ("200 OK", 0, last),
        };
        let part = &bytes[from..=to];
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nAccept-Ranges: bytes\r\nContent-Length: {}\r\n\
             Content-Range: bytes {from}-{to}/{}\r\n\r\n",
            part.len(),
            bytes.len()
        )?;
        if method != "HEAD" {
            stream.write_all(part)?;
        }
    }
}

/// The component's two files.
fn component() -> Option<[PathBuf; 2]> {
    let installed = || {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/replaywebpage/package");
        std::path::Path::new(folder).join("ui.js").exists().then(|| folder.into())
    };
    let folder = std::env::var_os("WEBMILL_REPLAYWEBPAGE").or_else(installed)?;
    let files = ["ui.js", "sw.js"].map(|name| Path::new(&folder).join(name));
    files.iter().all(|file| file.is_file()).then_some(files)
}

#[test]
fn the_replay_component_of_the_field_shows_a_page() {
    let Some([ui, sw]) = component() else {
        webmill_evaluation::skip(
            "no replay component (WEBMILL_REPLAYWEBPAGE names a folder with its ui.js and sw.js)",
        );
        return;
    };
    let Some(browser) = webmill_evaluation::browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let shard = folder.path().join("a.rawdb");
    let mut raw = RawDbWriter::create(&shard, WriteOptions::default()).unwrap();
    raw.write(&NewRecord {
        url: "http://www.a.example/",
        date_ms: 1_714_732_260_000,
        data: "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<title>T</title><p>Mills by the river 图书馆</p>"
            .as_bytes(), ..NewRecord::default() })
    .unwrap();
    raw.finish().unwrap();
    let wacz = folder.path().join("x.wacz");
    write(&[shard], &wacz, &Options::default(), &mut |e| panic!("{e}")).unwrap();
    let script = "text/javascript";
    let files: Files = HashMap::from([
        ("/".to_owned(), ("text/html", PAGE.as_bytes().to_vec())),
        ("/ui.js".to_owned(), (script, std::fs::read(ui).unwrap())),
        ("/sw.js".to_owned(), (script, std::fs::read(sw).unwrap())),
        ("/replay/sw.js".to_owned(), (script, b"importScripts(\"/sw.js\");".to_vec())),
        ("/x.wacz".to_owned(), ("application/octet-stream", std::fs::read(&wacz).unwrap())),
    ]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (reports, heard) = channel();
    let (files, asked) = (Arc::new(files), Arc::new(Mutex::new(Vec::new())));
    let told = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (files, reports, told) = (Arc::clone(&files), reports.clone(), Arc::clone(&told));
            std::thread::spawn(move || serve(stream, &files, &reports, &told));
        }
    });
    // On a machine under load a browser sometimes never starts its service worker; then a fresh one is tried.
    let mut last = String::new();
    let shown = (0..4).any(|attempt| {
        let mut child = webmill_evaluation::chromium(&browser, &folder.path().join(attempt.to_string()), "")
            .arg("--remote-debugging-port=0")
            .arg(format!("http://127.0.0.1:{port}/"))
            .spawn()
            .unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        let shown =
            std::iter::from_fn(|| heard.recv_timeout(end.saturating_duration_since(Instant::now())).ok())
                .any(|report| {
                    last = report;
                    last.contains("Mills%20by%20the%20river%20%E5%9B%BE%E4%B9%A6%E9%A6%86")
                });
        let _ = child.kill();
        let _ = child.wait();
        shown
    });
    let asked = asked.lock().unwrap().join("\n");
    assert!(shown, "the component shows {last:?}; asked for were\n{asked}");
}
