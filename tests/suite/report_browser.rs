//! `report.html` in a headless Chromium: it fits phones, shows a picture on the first screen, satisfies axe-core, asks for nothing,
//! works without scripts and prints on few pages.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use webmill_capture::cut::Cut;

use serde_json::Value;
use webmill::sim::{Answer, Site, SynthPage};

use crate::crawl_support::{message, serve, whole};
use crate::report::{html, mill};
use crate::support::{Work, browser, chromium, repository};

const WIDTHS: [u32; 4] = [360, 390, 768, 1280];

/// Measures the report in frames of all widths, with and without scripts, and writes what it finds as JSON.
const HARNESS: &str = r#"<!doctype html><title>t</title><body><script>
const found = {frames: [], plain: null, axe: []};
function frame(width, sandbox) {
  return new Promise(done => {
    const f = document.createElement('iframe');
    if (sandbox) f.setAttribute('sandbox', 'allow-same-origin');
    f.style.cssText = 'border:0;height:900px;width:' + width + 'px';
    f.onload = () => done(f);
    f.src = '/report.html';
    document.body.appendChild(f);
  });
}
(async () => {
  for (const width of WIDTHS) {
    const f = await frame(width, false), d = f.contentDocument, w = f.contentWindow;
    const first = d.querySelector('svg, table.bars').getBoundingClientRect();
    found.frames.push({width, scroll: d.documentElement.scrollWidth, inner: w.innerWidth, top: first.top,
      bottom: first.bottom, resources: w.performance.getEntriesByType('resource').length});
    if (AXE && (width === 390 || width === 1280)) {
      const s = d.createElement('script');
      s.textContent = await (await fetch('/axe.js')).text();
      d.head.appendChild(s);
      d.querySelectorAll('details').forEach(e => e.open = true);
      const result = await w.axe.run(d, {resultTypes: ['violations']});
      result.violations.forEach(v => found.axe.push([v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)]));
      found.axed = (found.axed || 0) + 1;
    }
    f.remove();
  }
  const f = await frame(1280, true), d = f.contentDocument, style = e => f.contentWindow.getComputedStyle(e).display;
  const column = d.querySelector('.v0 td.k2');
  const before = style(column);
  d.getElementById('c2').checked = false;
  const hosts = d.getElementById('s1'), scopes = [style(d.querySelector('.v0')), style(d.querySelector('.v1'))];
  hosts.checked = true;
  found.plain = {buttons: d.querySelectorAll('button').length, before, after: style(column), scopes,
    chosen: [style(d.querySelector('.v0')), style(d.querySelector('.v1'))], rows: d.querySelectorAll('.v0 tbody tr').length};
  document.body.textContent = 'FOUND' + JSON.stringify(found) + 'END';
})().catch(e => { document.body.textContent = 'FOUND' + JSON.stringify({error: String(e)}) + 'END'; });
</script>"#;

fn axe() -> Option<Vec<u8>> {
    let path = repository("target/axe/package/axe.min.js");
    let found = std::fs::read(path).ok();
    if found.is_none() {
        webmill_evaluation::skip("no axe-core in target/axe: run `make tools`");
    }
    found
}

/// A report with the harness that looks at it.
struct Files(Vec<(&'static str, Vec<u8>)>);

impl Site for Files {
    fn answer_into(&self, _: &str, url: &str, _: u32, _: &mut SynthPage, out: &mut Answer) {
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        let body = self.0.iter().find(|(name, _)| *name == path).map(|(_, body)| body.as_slice());
        let (status, body) = body.map_or(("404 Not Found", &b""[..]), |body| ("200 OK", body));
        let text = std::str::from_utf8(body).unwrap();
        *out = whole(message(status, "Content-Type: text/html; charset=utf-8\r\n", text));
    }
}

/// What the harness finds of a report, and what was asked of its server.
fn look(program: &Path, report: &str) -> (Value, BTreeSet<String>) {
    let axe = axe();
    let widths = format!("{WIDTHS:?}");
    let harness =
        HARNESS.replace("WIDTHS", &widths).replace("AXE", if axe.is_some() { "true" } else { "false" });
    let files = Files(vec![
        ("", harness.into_bytes()),
        ("report.html", report.as_bytes().to_vec()),
        ("axe.js", axe.unwrap_or_default()),
    ]);
    let (server, record) = serve(files);
    let folder = tempfile::tempdir().unwrap();
    let output = chromium(program, folder.path())
        .args(["--window-size=1400,1000", "--dump-dom", "--virtual-time-budget=60000"])
        .arg(format!("{}/", server.proxy()))
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = tree.rsplit_once("FOUND").and_then(|(_, rest)| rest.split_once("END"));
    let (json, _) = found.unwrap_or_else(|| {
        panic!("the harness found nothing: {}", tree.cut(tree.len().saturating_sub(300)..))
    });
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let path = |url: &String| url.splitn(4, '/').nth(3).unwrap_or_default().to_owned();
    let asked = record.counts().keys().map(path).collect();
    (serde_json::from_str(&json).unwrap(), asked)
}

/// Pages of the report as it is printed.
fn printed(program: &Path, report: &Path) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let pdf = folder.path().join("report.pdf");
    let status = chromium(program, folder.path())
        .args(["--no-pdf-header-footer", &format!("--print-to-pdf={}", pdf.display())])
        .arg(format!("file://{}", report.display()))
        .status()
        .unwrap();
    assert!(status.success());
    let pdf = String::from_utf8_lossy(&std::fs::read(pdf).unwrap()).into_owned();
    regex::Regex::new("/Type */Page[^s]").unwrap().find_iter(&pdf).count()
}

fn check(program: &Path, work: &Work, results: &str, scopes: bool) {
    let (found, asked) = look(program, &html(work, results));
    assert_eq!(found["error"], Value::Null, "{found}");
    for frame in found["frames"].as_array().unwrap() {
        let number = |name: &str| frame[name].as_f64().unwrap();
        assert!(number("scroll") <= number("inner"), "no sideways scrolling: {frame}");
        assert!(number("top") < 900.0, "a picture on the first screen: {frame}");
        assert_eq!(number("resources"), 0.0, "{frame}");
    }
    assert_eq!(found["frames"].as_array().unwrap().len(), WIDTHS.len());
    assert!(
        asked.iter().all(|path| ["", "report.html", "axe.js", "favicon.ico"].contains(&path.as_str())),
        "{asked:?}"
    );
    let serious = |one: &&Value| ["serious", "critical"].map(Value::from).contains(&one[0]);
    let serious: Vec<&Value> = found["axe"].as_array().unwrap().iter().filter(serious).collect();
    assert!(serious.is_empty(), "axe-core: {serious:#?}");
    let plain = &found["plain"];
    assert_eq!(
        (plain["buttons"].as_u64(), &plain["before"], &plain["after"]),
        (Some(0), &"table-cell".into(), &"none".into())
    );
    assert!(plain["rows"].as_u64() > Some(4), "{plain}");
    if scopes {
        assert_eq!(plain["scopes"], serde_json::json!(["block", "none"]));
        assert_eq!(plain["chosen"], serde_json::json!(["none", "block"]));
    }
    let pages = printed(program, &work.path(results).join("report/latest/report.html"));
    assert!((1..=6).contains(&pages), "{pages} printed pages");
}

#[test]
fn it_fits_every_screen_and_asks_for_nothing() {
    let Some(program) = browser() else { return };
    let work = Work::new();
    mill(&work, "two", &["a.example", "b.example"], 30);
    check(&program, &work, "two", true);
    work.run(&["report", "two", "--lang", "zh", "--compare", "two"]);
    check(&program, &work, "two", true);
}

#[test]
fn so_does_that_of_the_demonstration() {
    let Some(program) = browser() else { return };
    let work = Work::with_demo();
    check(&program, &work, "demo/results", true);
}
