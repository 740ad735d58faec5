//! Scripts see where their page was, live and replayed alike: values, history, frames, ways to another page, frameworks.

use std::path::Path;

use super::archive::{Archive, File};
use super::browser::Browser;
use super::looks::{compare, files, repository, texts};

/// Prebuilt scripts of frameworks, as `make tools` unpacks them: name on the test's site, place.
const FRAMEWORKS: [(&str, &str); 6] = [
    ("react.js", "react/umd/react.production.min.js"),
    ("react-dom.js", "react-dom/umd/react-dom.production.min.js"),
    ("vue.js", "vue/dist/vue.global.prod.js"),
    ("vue-router.js", "vue-router/dist/vue-router.global.prod.js"),
    ("jquery.js", "jquery/dist/jquery.min.js"),
    ("lit-html.js", "lit-html/lit-html.js"),
];

fn site(further: Vec<File>) -> Archive {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay/scripts");
    let mut all = further;
    for host in ["scripts", "other"] {
        all.extend(files(&folder, &format!("http://{host}.example/")));
    }
    let mut archive = Archive::default();
    archive.add("scripts", &all);
    archive
}

fn addresses(pages: &[&str]) -> Vec<String> {
    pages.iter().map(|page| format!("http://scripts.example/{page}")).collect()
}

#[test]
fn scripts_see_what_they_saw() {
    let Some(browser) = Browser::find() else { return };
    let pages = addresses(&["where.html?a=1&b=2", "history.html", "frames.html", "post.html"]);
    let with_query = File::new(&pages[0], "text/html", include_bytes!("scripts/where.html").to_vec());
    compare(
        &browser,
        site(vec![with_query]),
        "scripts",
        &pages.iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

#[test]
fn every_way_to_another_page_leads_into_the_archive() {
    let Some(browser) = Browser::find() else { return };
    // One way leads the window itself, which a browser without a screen does not survive: `benches/peers/replay_scripts.py` goes it.
    let pages = addresses(&["ways.html"]);
    let found = |host: &str, query: &str| {
        let body = include_bytes!("scripts/there.html").to_vec();
        File::new(&format!("http://{host}.example/there.html?{query}"), "text/html", body)
    };
    let go = |query: String| {
        let body = include_bytes!("scripts/go.html").to_vec();
        File::new(&format!("http://scripts.example/go.html?{query}"), "text/html", body)
    };
    let there = || {
        let mut there: Vec<File> = (0..16).map(|way| found("scripts", &way.to_string())).collect();
        there.extend([found("scripts", "n=6"), found("scripts", "menu"), found("scripts", "button")]);
        there.extend([found("other", "9"), found("other", "14"), go("there".to_owned())]);
        there.extend((0..16).map(|way| go(format!("way={way}"))));
        there
    };
    for url in &pages {
        let texts = texts(&browser, site(there()), "scripts", url);
        assert!(texts.0.contains("arrived at http://scripts.example/there.html"), "{}", texts.0);
        assert_eq!(texts.1, texts.0, "{url}");
    }
}

#[test]
fn pages_of_frameworks_read_and_look_as_live_ones() {
    let Some(browser) = Browser::find() else { return };
    let folder = repository().join("target/frameworks");
    let mut libraries = Vec::new();
    for (name, place) in FRAMEWORKS {
        let Ok(body) = std::fs::read(folder.join(place)) else {
            return webmill_evaluation::skip("no scripts of frameworks (make tools fetches them from npm)");
        };
        let headers = vec![("Access-Control-Allow-Origin", "*".to_owned())];
        let url = format!("http://cdn.example/{name}");
        libraries.push(File { headers, ..File::new(&url, "text/javascript", body) });
    }
    let pages = addresses(&["react.html", "vue.html", "jquery.html", "hydrate.html", "elements.html"]);
    compare(&browser, site(libraries), "scripts", &pages.iter().map(String::as_str).collect::<Vec<_>>());
}
