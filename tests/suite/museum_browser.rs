//! The museum of a foreign archive in a headless Chromium: nothing is wider than a phone, and the console stays quiet.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use webmill::sim::{Answer, Site, SynthPage};

use crate::archives::Served;
use crate::crawl_support::{message, serve, whole};
use crate::support::{Work, browser, chromium};

#[path = "../../src/serve/tests/replay/picture.rs"]
#[allow(dead_code, reason = "pictures are compared elsewhere")]
mod picture;

const WIDTHS: [u32; 2] = [390, 1280];

/// Opens copies of pages in frames of all widths, and writes down how wide they are.
const HARNESS: &str = r#"<!doctype html><title>t</title><body><script>
(async () => {
  const found = [];
  for (const page of PAGES) for (const width of WIDTHS) {
    const f = document.createElement('iframe');
    f.style.cssText = 'border:0;height:900px;width:' + width + 'px';
    await new Promise(done => { f.onload = done; f.src = '/' + page; document.body.appendChild(f); });
    const root = f.contentDocument.documentElement;
    found.push({page, width, scroll: root.scrollWidth, links: f.contentDocument.links.length});
    f.remove();
  }
  document.body.textContent = 'FOUND' + JSON.stringify(found) + 'END';
})().catch(e => { document.body.textContent = 'FOUND"' + e + '"END'; });
</script>"#;

struct Copies(Vec<String>);

impl Site for Copies {
    fn answer_into(&self, _: &str, url: &str, _: u32, _: &mut SynthPage, out: &mut Answer) {
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        let page = match path {
            "" => self.0.last(),
            path => path.parse::<usize>().ok().and_then(|number| self.0.get(number)),
        };
        let (status, body) = page.map_or(("404 Not Found", ""), |page| ("200 OK", page.as_str()));
        *out = whole(message(status, "Content-Type: text/html; charset=utf-8\r\n", body));
    }
}

/// An archive as others make them: a collection with a name, addresses of a thousand letters, hosts longer than a phone.
fn foreign() -> String {
    let mut warc = String::new();
    let mut record = |kind: &str, url: &str, date: &str, media: &str, block: &str| {
        let url = if url.is_empty() { String::new() } else { format!("WARC-Target-URI: {url}\r\n") };
        warc += &format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\n{url}WARC-Date: {date}\r\nContent-Type: {media}\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{:012}>\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            warc.len(),
            block.len()
        );
    };
    let info = "software: elsewhere/1.0\r\nisPartOf: Long%20addresses\r\ndescription: As found\r\n";
    record("warcinfo", "", "2020-01-01T00:00:00Z", "application/warc-fields", info);
    let mut page = |url: &str, year: usize, title: &str| {
        let http = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><title>{title}</title><p>Words about \
             archives and long addresses, enough of them to be a text.</p><a href='/once'>on</a>"
        );
        record(
            "response",
            url,
            &format!("{year}-05-02T03:04:05Z"),
            "application/http; msgtype=response",
            &http,
        );
    };
    page(&format!("http://long.example/?q={}&end=1", "x".repeat(1000)), 2020, &"Unbroken".repeat(60));
    page("http://long.example/once", 2020, "Once");
    page("https://www.long.example/once", 2020, "Once");
    let host = "sub-domain-that-is-long.".repeat(8);
    (2001..2021).for_each(|year| page(&format!("http://{host}long.example/"), year, "Often"));
    warc
}

fn console(program: &Path, folder: &Path, address: &str, width: u32) -> (String, picture::Picture) {
    let shot = folder.join(format!("{width}.png"));
    let output = chromium(program, folder)
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000"])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--screenshot={}", shot.display()))
        .arg(address)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    (log, picture::Picture::read(&shot))
}

#[test]
fn a_foreign_archive_fits_phones_and_the_console_stays_quiet() {
    let Some(program) = browser() else { return };
    let work = Work::new();
    std::fs::create_dir(work.path("long")).unwrap();
    std::fs::write(work.path("long/a.warc"), foreign()).unwrap();
    work.run(&["run", "long", "--out", "results"]);
    let served = Served::start(&work, &["results", "--title", "results=Things & \"more\""]);
    let often = format!("http://{}long.example/", "sub-domain-that-is-long.".repeat(8));
    let paths = [
        "/".to_owned(),
        "/search?q=archives".into(),
        "/results/".into(),
        "/results/hosts".into(),
        "/results/search?q=words".into(),
        "/results/calendar?url=long.example&match=domain".into(),
        format!("/results/*/{often}"),
        format!("/results/info/20200502030405/{often}"),
        "/results/*/http://nowhere.example/".into(),
        "/results/20200101000000/http://nowhere.example/".into(),
    ];
    let pages: Vec<usize> = (0..paths.len()).collect();
    let mut copies: Vec<String> =
        paths.iter().map(|path| String::from_utf8(served.get(path).2).unwrap()).collect();
    for copy in &copies {
        assert!(copy.contains("<header class=\"top\">"), "a page of the site: {copy}");
    }
    assert!(
        copies[0].contains("Things &amp; &quot;more&quot;") && copies[0].contains("As found"),
        "{}",
        copies[0]
    );
    copies.push(HARNESS.replace("PAGES", &format!("{pages:?}")).replace("WIDTHS", &format!("{WIDTHS:?}")));
    let (server, _) = serve(Copies(copies));
    let folder = tempfile::tempdir().unwrap();
    let output = chromium(&program, folder.path())
        .args(["--window-size=1400,1000", "--dump-dom", "--virtual-time-budget=60000"])
        .arg(format!("{}/", server.proxy()))
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = tree.rsplit_once("FOUND").and_then(|(_, rest)| rest.split_once("END"));
    let found: Value =
        serde_json::from_str(found.unwrap_or_else(|| panic!("nothing found: {tree}")).0).unwrap();
    let found = found.as_array().unwrap_or_else(|| panic!("{found}"));
    assert_eq!(found.len(), paths.len() * WIDTHS.len());
    for page in found {
        assert!(page["scroll"].as_u64() <= page["width"].as_u64(), "wider than the window: {page} {paths:?}");
        assert!(page["links"].as_u64() > Some(1), "{page}");
    }
    // A page that was captured once is shown, with a way home.
    let once = format!("http://long.example/?q={}&end=1", "x".repeat(1000));
    let (status, head, _) = served.get(&format!("/results/*/{once}"));
    assert!(status == 307 && head.contains(&format!("location: /results/20200502030405/{once}")), "{head}");
    let (_, _, frame) = served.get(&format!("/results/20200502030405/{once}"));
    assert!(String::from_utf8_lossy(&frame).contains("class=\"home\" href=\"/results/\""));
    for width in WIDTHS {
        for path in ["/results/", "/results/20200502030405/http://long.example/once"] {
            let folder = tempfile::tempdir().unwrap();
            let address = format!("http://{}{path}", served.address());
            let (log, shot) = console(&program, folder.path(), &address, width);
            assert!(!log.contains(":CONSOLE"), "{path}: {log}");
            assert_eq!(shot.width, width as usize);
            assert!(shot.colours() > 10, "{path} at {width} is empty");
        }
    }
}
