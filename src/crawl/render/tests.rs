//! Crawls that render pages, against a Web on loopback.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::archive::ArchiveFormat;
use crate::event::{Event, outcome};
use crate::{Crawl, CrawlLimits, CrawlOptions, Ended, Observer, Purpose, Snapshot, Totals, journal};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Error;
use webmill_shard::{Position, ReadOptions, RecordType, ShardReader};

/// One browser at a time: each takes as many processors as there are.
static TURN: Mutex<()> = Mutex::new(());

/// An answer: head without status line, body.
type Page = (&'static str, String);

/// A proxy that answers for every host itself.
struct Web {
    address: String,
    /// Host, path and begin of each request.
    asked: Arc<Mutex<Vec<(String, String, Instant)>>>,
    /// Requests of a host at the same time, at most.
    together: Arc<Mutex<HashMap<String, (usize, usize)>>>,
}

impl Web {
    fn start(pages: BTreeMap<&'static str, Page>) -> Web {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let web = Web { address, asked: Arc::default(), together: Arc::default() };
        let (asked, together, pages) = (web.asked.clone(), web.together.clone(), Arc::new(pages));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (asked, together, pages) = (asked.clone(), together.clone(), pages.clone());
                std::thread::spawn(move || serve(stream, &pages, &asked, &together));
            }
        });
        web
    }

    fn paths(&self, host: &str) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(of, ..)| of == host).map(|(_, path, _)| path.clone()).collect()
    }

    fn most_together(&self) -> usize {
        self.together.lock().unwrap().values().map(|(_, most)| *most).max().unwrap_or(0)
    }
}

fn serve(
    stream: TcpStream,
    pages: &BTreeMap<&'static str, Page>,
    asked: &Mutex<Vec<(String, String, Instant)>>,
    together: &Mutex<HashMap<String, (usize, usize)>>,
) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let target = head.split(' ').nth(1).unwrap_or_default();
        let url = target.strip_prefix("http://").unwrap_or(target).to_owned();
        let (host, path) = url.split_at(url.find('/').unwrap_or(url.len()));
        asked.lock().unwrap().push((host.to_owned(), path.to_owned(), Instant::now()));
        {
            let mut together = together.lock().unwrap();
            let (now, most) = together.entry(host.to_owned()).or_default();
            *now += 1;
            *most = (*most).max(*now);
        }
        std::thread::sleep(Duration::from_millis(20));
        let answer = match pages.get(url.as_str()) {
            Some((head, body)) => {
                format!("HTTP/1.1 200 OK\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            }
            None => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
        };
        together.lock().unwrap().entry(host.to_owned()).or_default().0 -= 1;
        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

const HTML: &str = "Content-Type: text/html; charset=utf-8";
const SCRIPT: &str = "Content-Type: text/javascript";

/// A site whose links are data of a script.
fn site() -> BTreeMap<&'static str, Page> {
    let shell = "<html><head><title>shell</title></head><body><div id=x></div><script src=/app.js></script></body></html>";
    BTreeMap::from([
        ("a.example/robots.txt", ("Content-Type: text/plain", "User-agent: *\nDisallow: /secret\n".into())),
        ("a.example/", (HTML, shell.into())),
        ("a.example/app/two", (HTML, shell.into())),
        (
            "a.example/plain",
            (HTML, "<script>document.write('<a href=/never>x</a>')</script><a href=/last>l</a>".into()),
        ),
        ("a.example/last", (HTML, "<p>last".into())),
        (
            "a.example/app.js",
            (
                SCRIPT,
                "fetch('/data.json?' + location.pathname).then(r => r.json()).then(d => {
                   x.innerHTML = d.map(l => `<a href='${l}'>${l}</a>`).join('');
                   fetch('/secret/data').catch(() => 0);
                   fetch('http://cdn.example/more.js', {mode: 'no-cors'}).catch(() => 0);
                 })"
                .into(),
            ),
        ),
        ("a.example/data.json?/", ("Content-Type: application/json", "[\"/app/two\", \"/plain\"]".into())),
        ("a.example/data.json?/app/two", ("Content-Type: application/json", "[\"/plain\"]".into())),
        ("cdn.example/more.js", (SCRIPT, "1".into())),
    ])
}

fn options(web: &Web) -> CrawlOptions {
    let mut options = CrawlOptions { memory: 16 << 20, sitemaps: false, ..CrawlOptions::default() };
    options.fetch.proxy = Some(format!("http://{}", web.address));
    options.politeness.delay_ms = 0;
    options.render.patterns = vec!["^http://a\\.example/(app/.*)?$".into()];
    options.render.browser.idle_ms = 300;
    options.archive.format = ArchiveFormat::Warc;
    options
}

struct QuietProgress;

impl Observer for QuietProgress {
    fn look(&mut self, _: &Snapshot) {}
}

fn crawl(folder: &Path, options: &CrawlOptions, seed: &str) -> (Totals, Ended) {
    let seed = CanonicalUrl::parse(seed).unwrap();
    let (mut crawl, _) = Crawl::open(folder, options, &[seed], 2, None).unwrap();
    let ended = crawl.run(&mut QuietProgress, &|| false).unwrap();
    (crawl.close(ended).unwrap(), ended)
}

fn events(folder: &Path) -> Vec<Event> {
    let mut events = Vec::new();
    journal::replay(&folder.join("events"), Position::default(), &mut |event| {
        events.push(event);
        Ok(())
    })
    .unwrap();
    events
}

/// Kind, URL and data of every record.
fn records(folder: &Path) -> Vec<(RecordType, String, String)> {
    let mut records = Vec::new();
    let mut shards: Vec<_> =
        std::fs::read_dir(folder.join("shards")).unwrap().map(|e| e.unwrap().path()).collect();
    shards.retain(|path| !path.ends_with(webmill_shard::RAW_DB_PAGE_NAME));
    shards.sort();
    for shard in shards {
        let mut reader = ShardReader::open(&shard, &ReadOptions::default()).unwrap();
        while let Some(record) = reader.next() {
            let record = record.unwrap();
            records.push((
                record.kind,
                record.url.to_string(),
                String::from_utf8_lossy(&record.data).into_owned(),
            ));
        }
    }
    records
}

/// Whether there is a browser to test with.
fn browser() -> bool {
    let Err(missing) = webmill_render::find(None) else { return true };
    assert!(!webmill_evaluation::in_ci(), "{missing} (`make tools` installs it)");
    webmill_evaluation::skip("no Chromium: pages are not rendered");
    false
}

#[test]
fn links_that_scripts_make_are_followed_and_what_they_asked_for_is_kept() {
    if !browser() {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for format in [ArchiveFormat::Warc, ArchiveFormat::RawDb] {
        let (web, folder) = (Web::start(site()), tempfile::tempdir().unwrap());
        let mut options = options(&web);
        options.archive.format = format;
        let (totals, ended) = crawl(folder.path(), &options, "http://a.example/");
        assert_eq!((totals.stored, ended), (4, Ended::Finished), "{totals:?}");
        let mut asked = web.paths("a.example");
        asked.sort();
        asked.retain(|path| path != "/favicon.ico");
        let wanted = [
            "/",
            "/app.js",
            "/app/two",
            "/data.json?/",
            "/data.json?/app/two",
            "/last",
            "/plain",
            "/robots.txt",
        ];
        assert_eq!(asked, wanted, "each once, the script for both pages; what robots.txt forbids never");
        assert_eq!(web.paths("cdn.example"), ["/robots.txt", "/more.js"]);
        assert_eq!(web.most_together(), 1, "one request a host");
        assert_eq!(totals.refused.get("render-robots-denied"), 2);

        let events = events(folder.path());
        let parts: Vec<&Event> =
            events.iter().filter(|e| e.outcome == outcome::PART && e.purpose == Purpose::Requisite).collect();
        let kept: Vec<&str> = parts.iter().filter(|e| e.shard.is_some()).map(|e| e.url.as_str()).collect();
        for url in ["http://a.example/app.js", "http://a.example/data.json?/", "http://cdn.example/more.js"] {
            assert!(kept.contains(&url), "{url} in {kept:?}");
        }
        assert!(parts.iter().all(|e| e.referrer.is_some() && e.depth < 2));

        let records = records(folder.path());
        let of = |kind| records.iter().filter(move |(k, ..)| *k == kind);
        let trees: Vec<_> = of(RecordType::Conversion).collect();
        assert_eq!(trees.len(), 2, "{records:?}");
        assert!(
            trees
                .iter()
                .any(|(_, url, html)| url == "http://a.example/" && html.contains("<a href=\"/app/two\">"))
        );
        let plain =
            |url: &str| of(RecordType::Response).find(|(_, of, _)| of == url).map(|(.., data)| data.as_str());
        assert!(plain("http://a.example/").unwrap().ends_with("<script src=/app.js></script></body></html>"));
        assert!(plain("http://a.example/data.json?/").unwrap().ends_with("[\"/app/two\", \"/plain\"]"));
    }
}

#[test]
fn links_of_rendered_pages_survive_the_loss_of_the_frontier() {
    if !browser() {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (web, folder) = (Web::start(site()), tempfile::tempdir().unwrap());
    let mut options = options(&web);
    options.limits = CrawlLimits { pages: Some(1), ..CrawlLimits::default() };
    let (totals, ended) = crawl(folder.path(), &options, "http://a.example/");
    assert_eq!((totals.stored, ended), (1, Ended::Pages));
    std::fs::remove_dir_all(folder.path().join("frontier")).unwrap();
    options.limits = CrawlLimits::default();
    let (totals, _) = crawl(folder.path(), &options, "http://a.example/");
    assert_eq!(totals.stored, 4);
    let asked = web.paths("a.example");
    assert_eq!(asked.iter().filter(|path| *path == "/").count(), 1, "{asked:?}");
}

#[test]
fn where_a_rendered_page_goes_on_to_survives_the_loss_of_the_frontier() {
    if !browser() {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let front = "<p>moves on<script>setTimeout(() => location.href = '/' + 'onward', 10)</script>";
    let pages = BTreeMap::from([
        ("a.example/", (HTML, front.to_owned())),
        ("a.example/onward", (HTML, "<p>x".into())),
    ]);
    let (web, folder) = (Web::start(pages), tempfile::tempdir().unwrap());
    let mut options = options(&web);
    options.limits = CrawlLimits { pages: Some(1), ..CrawlLimits::default() };
    let (totals, ended) = crawl(folder.path(), &options, "http://a.example/");
    assert_eq!((totals.stored, ended), (1, Ended::Pages));
    let told = events(folder.path());
    let front = told.iter().find(|e| e.outcome == outcome::STORED).unwrap();
    assert_eq!(front.onward, ["http://a.example/onward"]);
    std::fs::remove_dir_all(folder.path().join("frontier")).unwrap();
    options.limits = CrawlLimits::default();
    let (totals, _) = crawl(folder.path(), &options, "http://a.example/");
    assert_eq!(totals.stored, 2);
    assert_eq!(web.paths("a.example").iter().filter(|path| *path == "/").count(), 1);
}

#[test]
fn pauses_hold_for_what_pages_ask_for() {
    if !browser() {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (web, folder) = (Web::start(site()), tempfile::tempdir().unwrap());
    let mut options = options(&web);
    options.politeness.delay_ms = 300;
    options.scope.max_depth = Some(0);
    let (totals, _) = crawl(folder.path(), &options, "http://a.example/");
    assert_eq!(totals.stored, 1);
    let asked = web.asked.lock().unwrap();
    let times: Vec<Instant> =
        asked.iter().filter(|(host, ..)| host == "a.example").map(|(.., at)| *at).collect();
    assert!(times.len() >= 4, "{asked:?}");
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] >= Duration::from_millis(300), "{asked:?}");
    }
}

#[test]
fn pages_do_not_reach_what_the_crawl_must_not() {
    if !browser() {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let canary = TcpListener::bind("127.0.0.1:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let port = canary.local_addr().unwrap().port();
    let page = format!(
        "<img src=http://127.0.0.1:{port}/x><img src=http://localhost:{port}/x><img src=http://[::1]:{port}/x>
         <iframe src=http://169.254.169.254/latest/meta-data></iframe><img src=http://a.example/blocked.gif><img src=http://b.example/left-out.png>
         <script src=http://a.example:25/x></script><a href=/kept>x</a>"
    );
    let pages = BTreeMap::from([("a.example/", (HTML, page)), ("a.example/kept", (HTML, "<p>x".into()))]);
    let (web, folder) = (Web::start(pages), tempfile::tempdir().unwrap());
    let mut options = options(&web);
    options.render.block = vec!["\\.gif$".into()];
    options.scope.url_exclude = vec!["left-out".into()];
    let (totals, _) = crawl(folder.path(), &options, "http://a.example/");
    assert_eq!(totals.stored, 2);
    let refused = |reason: &str| totals.refused.get(reason);
    let guarded = refused("render-private-address") + refused("render-robots-unreachable");
    assert!(guarded >= 4, "{:?}", totals.refused);
    assert_eq!((refused("render-blocked"), refused("render-out-of-scope")), (1, 1));
    let asked = web.asked.lock().unwrap();
    assert!(asked.iter().all(|(host, ..)| host == "a.example"), "{asked:?}");
    assert!(canary.accept().is_err());
}

#[test]
fn a_page_that_cannot_be_rendered_is_kept_with_its_own_links() {
    if !browser() {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let pages = BTreeMap::from([
        ("a.example/", (HTML, "<a href=/kept>x</a><script>for (;;) alert(1)</script>".into())),
        ("a.example/kept", (HTML, "<p>x".into())),
    ]);
    let (web, folder) = (Web::start(pages), tempfile::tempdir().unwrap());
    let mut options = options(&web);
    options.render.browser.timeout_ms = 2_000;
    let (totals, ended) = crawl(folder.path(), &options, "http://a.example/");
    assert_eq!((totals.stored, ended), (2, Ended::Finished));
    let events = events(folder.path());
    let page = events.iter().find(|e| e.outcome == outcome::STORED && e.url == "http://a.example/").unwrap();
    assert!(page.detail.as_deref().is_some_and(|d| d.contains("rendered")), "{page:?}");
}

#[test]
fn without_a_browser_a_crawl_that_is_to_render_does_not_begin() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = CrawlOptions { memory: 16 << 20, ..CrawlOptions::default() };
    options.render.patterns = vec![".".into()];
    options.render.browser.chromium = Some("/no/such/chromium".into());
    let opened = Crawl::open(folder.path(), &options, &[], 1, None);
    assert!(matches!(opened.map(drop), Err(Error::Config(why)) if why.contains("/no/such/chromium")));
    options.render.patterns = vec!["(".into()];
    assert!(matches!(options.check(), Err(Error::Config(why)) if why.contains("render.patterns")));
    options.render.patterns = Vec::new();
    assert!(
        Crawl::open(folder.path(), &options, &[], 1, None).is_ok(),
        "it is not looked for where nothing is to be rendered"
    );
}
