//! A crawled site replayed by pywb in a browser: whatever the browser asks for is in the archive.

use std::collections::{BTreeMap, HashMap};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use webmill::capture::CanonicalUrl;
use webmill::crawl::archive::ArchiveFormat;

use super::crawl_requisites::{documentation, with_requisites};
use super::crawl_support::{crawl, serve, shard_files};
use super::support::{browser, chromium, tool};

/// What the browser asks for on its screen, among all that the pages need.
const SHOWN: [&str; 13] = [
    "http://docs.example/style/main.css",
    "http://docs.example/style/deep.css",
    "http://docs.example/style/loop.css",
    "http://cdn.example/font.woff2",
    "http://cdn.example/bg.png",
    "http://cdn.example/lib.js",
    "http://docs.example/small.png",
    "http://docs.example/photo.webp",
    "http://docs.example/lazy.png",
    "http://docs.example/inline.png",
    "http://docs.example/poster.png",
    "http://frames.example/frame",
    "http://frames.example/inside.png",
];

/// A program that runs until the test is done.
pub struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// pywb with one collection, `docs`, of these shards; its port.
pub fn pywb(folder: &Path, shards: &[PathBuf]) -> Option<(Killed, u16)> {
    let (manager, wayback) = (tool("archives", "wb-manager")?, tool("archives", "wayback")?);
    let manage = |arguments: &[&std::ffi::OsStr]| {
        let output = Command::new(&manager).args(arguments).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    manage(&["init".as_ref(), "docs".as_ref()]);
    for shard in shards {
        manage(&["add".as_ref(), "docs".as_ref(), shard.as_os_str()]);
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new(wayback)
        .args(["-p", &port.to_string(), "-b", "127.0.0.1"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let child = Killed(child);
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(120), "pywb does not answer");
        std::thread::sleep(Duration::from_millis(200));
    }
    Some((child, port))
}

/// Opens an address; every URL that was asked for, with the last status of its answers, 0 where there was none.
fn visit(browser: &Path, address: &str) -> BTreeMap<String, u16> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("net.json");
    let status = chromium(browser, folder.path())
        .args(["--window-size=1000,1400", "--dump-dom", "--virtual-time-budget=20000"])
        .arg(format!("--log-net-log={}", log.display()))
        .arg(address)
        .status()
        .unwrap();
    assert!(status.success(), "the browser ends with {status}");
    let text = std::fs::read_to_string(&log).unwrap();
    let text = text.trim_end().trim_end_matches(',');
    let log: Value = serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&format!("{text}]}}")))
        .expect("the log of network activity is whole");
    let kind = |name: &str| log["constants"]["logEventTypes"][name].as_u64().expect("a known event");
    let (started, answered) = (kind("URL_REQUEST_START_JOB"), kind("HTTP_TRANSACTION_READ_RESPONSE_HEADERS"));
    let mut urls: HashMap<u64, String> = HashMap::new();
    let mut statuses = BTreeMap::new();
    for event in log["events"].as_array().expect("a list of events") {
        let Some(source) = event["source"]["id"].as_u64() else { continue };
        let of = event["type"].as_u64();
        if of == Some(started)
            && let Some(url) = event["params"]["url"].as_str().filter(|url| url.starts_with("http"))
        {
            urls.insert(source, url.to_owned());
            statuses.entry(url.to_owned()).or_insert(0);
        } else if of == Some(answered)
            && let Some(url) = urls.get(&source)
        {
            let line = event["params"]["headers"][0].as_str().unwrap_or_default();
            let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
            statuses.insert(url.clone(), status);
        }
    }
    statuses
}

#[test]
fn a_crawled_site_is_replayed_whole() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (server, _) = serve(documentation());
    let mut options = with_requisites(server.proxy());
    options.archive.format = ArchiveFormat::Warc;
    let seed = CanonicalUrl::parse("http://docs.example/").unwrap();
    let totals = crawl(folder.path(), &options, &[seed]);
    assert_eq!(totals.stored, 3);
    // The site is gone from here on.
    drop(server);
    let replay = tempfile::tempdir().unwrap();
    let Some((_pywb, port)) = pywb(replay.path(), &shard_files(folder.path())) else { return };
    for page in ["http://docs.example/", "http://docs.example/one", "http://docs.example/two"] {
        let base = format!("http://127.0.0.1:{port}/");
        let asked = visit(&browser, &format!("{base}docs/mp_/{page}"));
        let archived: Vec<(&str, u16)> = asked
            .iter()
            .filter(|(url, _)| url.starts_with(&format!("{base}docs/")))
            .map(|(url, status)| (url.as_str(), *status))
            .collect();
        let missing: Vec<_> =
            archived.iter().filter(|(_, status)| !matches!(status, 200 | 206 | 304 | 307)).collect();
        assert!(missing.is_empty(), "{page}: {missing:?} of {archived:?}");
        // The browser has errands of its own, which find no host.
        let live = |url: &&String| !url.starts_with(&base) && url.contains(".example");
        let outside: Vec<_> = asked.keys().filter(live).collect();
        assert!(outside.is_empty(), "{page} leaves the archive: {outside:?}");
        if page == "http://docs.example/" {
            for url in SHOWN {
                // pywb leaves addresses without a scheme so.
                let url = url.trim_start_matches("http:");
                let shown = archived.iter().any(|(address, status)| address.ends_with(url) && *status == 200);
                assert!(shown, "{url} was not asked for, or not answered: {archived:?}");
            }
        }
        assert!(archived.len() >= 5, "{archived:?}");
    }
}
