//! Pages live and replayed, side by side.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive::{Archive, File, TIMESTAMP, serve};
use super::browser::Browser;
use super::picture::Picture;

/// Difference of a channel that is none, and pixels that may differ: the text's smoothing is not quite the same each time.
const TOLERANCE: u8 = 8;
const MAX_DIFFERING: usize = 50;

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder, as those of a server.
pub fn files(folder: &Path, base: &str) -> Vec<File> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), base.to_owned())];
    while let Some((folder, base)) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap()).collect();
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            let name = entry.file_name().into_string().unwrap();
            let url = format!("{base}{name}");
            let path = entry.path();
            if path.is_dir() {
                folders.push((path, url + "/"));
            } else if let Ok(body) = std::fs::read(&path) {
                let url = url.strip_suffix("index.html").unwrap_or(&url).to_owned();
                found.push(File::new(&url, media(&name), body));
            }
        }
    }
    found
}

fn media(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "css" => "text/css",
        "js" => "text/javascript",
        "png" => "image/png",
        "gif" => "image/gif",
        "jpg" => "image/jpeg",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        "txt" => "text/plain",
        _ => "text/html",
    }
}

/// How often a page is looked at before it counts as different.
const TRIES: u32 = 3;

/// Compares pages of a collection, live and replayed.
pub fn compare(browser: &Browser, mut archive: Archive, collection: &str, pages: &[&str]) {
    archive.bare = true;
    let archive = Arc::new(archive);
    let live = serve(Arc::clone(&archive), true);
    let replay = serve(Arc::clone(&archive), false);
    let hosts = format!("MAP *.example {live}, ");
    let token = archive.tokens.of(collection);
    // A picture is taken when the page's own time is up, whatever the machine has done by then: what was not drawn is
    // looked at again. What leaves the archive is no matter of time.
    let tries = pages.iter().flat_map(|url| (1..=TRIES).map(move |attempt| (url, attempt)));
    let mut alike: Option<&str> = None;
    for (url, attempt) in tries {
        if alike == Some(*url) {
            continue;
        }
        let known = browser.visit(url, &hosts, 5000);
        archive.take_log();
        let address = format!("http://{replay}/{collection}/{TIMESTAMP}if_{token}/{url}");
        let seen = browser.visit(&address, "", 5000);
        keep(&known.picture, &seen.picture, url);
        assert_eq!(seen.peers(), ["127.0.0.1"], "{url} leaves loopback");
        let outside: Vec<String> = archive
            .take_log()
            .into_iter()
            .map(|logged| logged.target)
            .filter(|target| !target.starts_with(&format!("/{collection}/")) && target != "/favicon.ico")
            .collect();
        assert!(outside.is_empty(), "{url} asks outside of its collection: {outside:?}");
        let texts = (seen.text(), known.text());
        let (known, seen) = (Picture::read(&known.picture), Picture::read(&seen.picture));
        let differing = known.differing(&seen, TOLERANCE);
        eprintln!("{url}: {differing} of {} pixels differ", known.pixels.len());
        if texts.0 == texts.1 && known.colours() > 2 && differing <= MAX_DIFFERING {
            alike = Some(url);
            continue;
        }
        if attempt == TRIES {
            assert_eq!(texts.0, texts.1, "{url}");
            assert!(known.colours() > 2, "{url} is empty");
            panic!("{url}: {differing} pixels differ");
        }
    }
}

/// What a page says live, and replayed.
pub fn texts(browser: &Browser, mut archive: Archive, collection: &str, url: &str) -> (String, String) {
    archive.bare = true;
    let archive = Arc::new(archive);
    let (live, replay) = (serve(Arc::clone(&archive), true), serve(Arc::clone(&archive), false));
    let token = archive.tokens.of(collection);
    let known = browser.visit(url, &format!("MAP *.example {live}, "), 5000);
    let seen = browser.visit(&format!("http://{replay}/{collection}/{TIMESTAMP}if_{token}/{url}"), "", 5000);
    assert_eq!(seen.peers(), ["127.0.0.1"], "{url} leaves loopback");
    (known.text(), seen.text())
}

/// Leaves the pictures where `WEBMILL_PICTURES` says, for those who want to look at them.
fn keep(known: &Path, seen: &Path, url: &str) {
    let Some(folder) = std::env::var_os("WEBMILL_PICTURES").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let name: String = url.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    std::fs::copy(known, folder.join(format!("{name}-live.png"))).unwrap();
    std::fs::copy(seen, folder.join(format!("{name}-replay.png"))).unwrap();
}

fn demo_site() -> Archive {
    let hosts = repository().join("datasets/demo-site/hosts");
    let mut all = Vec::new();
    for host in std::fs::read_dir(&hosts).unwrap() {
        let host = host.unwrap();
        all.extend(files(&host.path(), &format!("http://{}/", host.file_name().to_str().unwrap())));
    }
    for file in &mut all {
        if file.url == "http://library.hudong.example/hours.html" {
            file.media = Some("text/html; charset=iso-8859-1".into());
        }
    }
    let mut archive = Archive::default();
    archive.add("demo", &all);
    archive
}

#[test]
fn pages_of_the_demo_site_look_and_read_as_live_ones() {
    let Some(browser) = Browser::find() else { return };
    let pages = [
        "http://www.lakeside.example/",
        "http://www.lakeside.example/about.html",
        "http://old.lakeside.example/",
        "http://library.hudong.example/",
        "http://library.hudong.example/hours.html",
        "http://tushuguan.hudong.example/news/20240312.html",
        "http://shop.tacklebox.example/p/reel-210.html",
        "http://www.inlandwire.example/story/ferry-timetable.html",
    ];
    compare(&browser, demo_site(), "demo", &pages);
}

/// A site of our own with what sites are made of: root-relative and absolute style sheets, pictures, fonts, scripts and modules.
fn made_site() -> Archive {
    let host = "http://made.example";
    let svg = |colour: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'><rect width='90' height='60' fill='{colour}'/></svg>"
        )
    };
    let page = include_str!("site.html");
    let file = |path: &str, media: &str, body: &str| File::new(&format!("{host}{path}"), media, body);
    let mut files = vec![
        file("/docs/page.html", "text/html; charset=utf-8", page),
        file(
            "/css/main.css",
            "text/css",
            "@import '/css/more.css'; h1 { background: url(/i/red.svg) } @font-face { font-family: F; src: url('../f/f.ttf') } .f { font: 40px F }",
        ),
        file("/css/more.css", "text/css", "body { border-left: 20px solid green }"),
        file("/js/classic.js", "application/x-javascript", include_str!("site.js")),
        file(
            "/js/module.js",
            "text/javascript",
            "import { word } from '/js/lib/word.js'; import './lib/side.js'; document.getElementById('module').textContent = word;",
        ),
        file("/js/lib/word.js", "text/javascript", "export const word = 'module ran';"),
        file(
            "/js/lib/side.js",
            "text/javascript",
            "document.getElementById('side').textContent = 'side ran';",
        ),
        file(
            "/js/worker.js",
            "text/javascript",
            "importScripts('/js/lib/in-worker.js'); postMessage(answer);",
        ),
        file("/js/lib/in-worker.js", "text/javascript", "self.answer = 'worker ran';"),
        file("/data/a.json?x=1&y=%E4%B8%AD", "application/json", "{\"text\":\"data came\"}"),
        file(
            "/inner.html",
            "text/html",
            "<body style='background:#ffd'>inner <script>document.write('written ' + document.URL)</script>",
        ),
        File::new(
            "http://cdn.example/x.js",
            "text/javascript",
            "document.getElementById('cdn').textContent = 'cdn ran';",
        ),
    ];
    for colour in ["red", "blue", "green", "orange", "purple", "teal"] {
        files.push(file(&format!("/i/{colour}.svg"), "image/svg+xml", &svg(colour)));
    }
    if let Ok(font) = std::fs::read("/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf") {
        files.push(File::new(&format!("{host}/f/f.ttf"), "font/ttf", font));
    }
    let mut archive = Archive::default();
    archive.add("made", &files);
    archive
}

#[test]
fn scripts_modules_fonts_workers_and_frames_do_in_the_archive_what_they_do_live() {
    let Some(browser) = Browser::find() else { return };
    compare(&browser, made_site(), "made", &["http://made.example/docs/page.html"]);
}

#[test]
fn a_documentation_site_looks_and_reads_as_the_live_one() {
    let Some(browser) = Browser::find() else { return };
    let folder = repository().join("target/documentation/usr/share");
    let site = folder.join("doc/sphinx-doc/html");
    if !site.is_dir() {
        assert!(!webmill_evaluation::in_ci(), "no documentation site (`make tools` unpacks it)");
        return webmill_evaluation::skip(
            "no documentation site in target/documentation (`make tools` unpacks it)",
        );
    }
    let mut all = files(&site, "http://docs.example/");
    // The package links to the scripts of others, which lie beside it.
    for (name, path) in [
        ("jquery.js", "javascript/jquery/jquery.js"),
        ("underscore.js", "javascript/underscore/underscore.js"),
        ("doctools.js", "javascript/sphinxdoc/1.0/doctools.js"),
        ("sphinx_highlight.js", "javascript/sphinxdoc/1.0/sphinx_highlight.js"),
        ("searchtools.js", "javascript/sphinxdoc/1.0/searchtools.js"),
        ("language_data.js", "javascript/sphinxdoc/1.0/language_data.js"),
        (
            "_sphinx_javascript_frameworks_compat.js",
            "javascript/sphinxdoc/1.0/_sphinx_javascript_frameworks_compat.js",
        ),
    ] {
        if let Ok(body) = std::fs::read(folder.join(path)) {
            all.push(File::new(&format!("http://docs.example/_static/{name}"), "text/javascript", body));
        }
    }
    let search =
        all.iter().find(|file| file.url.ends_with("/search.html")).expect("a page to search in").body.clone();
    all.push(File::new("http://docs.example/search.html?q=theme", "text/html", search));
    let mut archive = Archive::default();
    archive.add("docs", &all);
    let pages = [
        "http://docs.example/",
        "http://docs.example/usage/theming.html",
        "http://docs.example/search.html?q=theme",
        "http://docs.example/development/overview.html",
    ];
    compare(&browser, archive, "docs", &pages);
}

#[test]
fn the_banner_stands_above_the_page() {
    let Some(browser) = Browser::find() else { return };
    let archive = Arc::new(demo_site());
    let replay = serve(Arc::clone(&archive), false);
    for (url, part) in [
        ("http://library.hudong.example/", "15 June 2024, 06:00:00 UTC"),
        ("http://nowhere.example/", "Not in this archive"),
    ] {
        // An address of the frame's content is led to the frame.
        let visit = browser.visit(&format!("http://{replay}/demo/{TIMESTAMP}mp_/{url}"), "", 5000);
        keep(&visit.picture, &visit.picture, &format!("frame-{url}"));
        assert!(visit.text().contains(part), "{}", visit.tree);
        assert_eq!(visit.peers(), ["127.0.0.1"]);
        assert!(Picture::read(&visit.picture).colours() > 10);
    }
}
