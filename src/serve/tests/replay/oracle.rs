//! Real pages: what their links lead to, read by the tree builder, is the same before and after.

use http::{HeaderMap, HeaderValue, StatusCode, header};
use webmill_capture::CanonicalUrl;
use webmill_html::{Dom, Limits, LinkLimits, NodeId, Tag, links, parse};
use webmill_serve::replay::{Context, Modifier, Place, answer};

const HERE: &str = "http://127.0.0.1:8080";
const INSIDE: &str = "/c/20240615060000mp_ab/";

/// The page as it is replayed, with the client script taken out.
fn replayed(source: &[u8], url: &str) -> Vec<u8> {
    let context = Context {
        origin: HERE,
        prefix: "/c/",
        token: Some("ab"),
        timestamp: "20240615060000",
        modifier: Modifier::Page,
        url,
        destination: None,
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    let out = answer(&context, StatusCode::OK, &headers, source.to_vec().into()).body.to_vec();
    let start = memchr::memmem::find(&out, b"<script src=\"/c/_replay/runtime.js\"")
        .expect("the client script is there");
    let end = start + memchr::memmem::find(&out[start..], b"</script>").expect("a whole one") + 9;
    [&out[..start], &out[end..]].concat()
}

/// The original of a URL that leads into the archive; `None` where it is no URL (`http://javascript:;`), which is found out when it
/// is asked for.
fn original(url: &str) -> Option<String> {
    let target = url.strip_prefix(HERE).unwrap_or_else(|| panic!("{url} leads out of the archive"));
    let place =
        Place::parse(target, "/c/").unwrap_or_else(|| panic!("{url} is no address of the collection"));
    assert_eq!(place.token, Some("ab"), "{url}");
    CanonicalUrl::parse(place.url).map(CanonicalUrl::into_string)
}

fn targets(dom: &Dom, url: &CanonicalUrl) -> Vec<String> {
    let limits = LinkLimits { images: true, max_links: 100_000, ..LinkLimits::default() };
    links(dom, url, encoding_rs::UTF_8, &limits)
        .links
        .into_iter()
        .map(|link| link.target.into_string())
        .collect()
}

/// All but addresses: names, texts outside of scripts and styles, and what attributes hold that lead nowhere.
fn rest(dom: &Dom) -> Vec<String> {
    // An unclosed `iframe` in `noscript` swallows the page for readers without scripts, and not for browsers.
    let raw = |tag: Tag| matches!(tag, Tag::Script | Tag::Style | Tag::Iframe);
    let is_raw = |n: NodeId| dom.parent(n).is_some_and(|p| raw(dom.tag(p)));
    let mut all = Vec::new();
    for n in dom.descendants(dom.document()) {
        if dom.is_text(n) {
            if !is_raw(n) {
                all.push(dom.text(n).to_owned());
            }
            continue;
        }
        all.push(dom.name(n).to_owned());
        for (name, value) in dom.attrs(n) {
            let name = name.strip_prefix("data-archived-").unwrap_or(name);
            const ADDRESSES: [&str; 21] = [
                "href",
                "src",
                "srcset",
                "imagesrcset",
                "action",
                "formaction",
                "poster",
                "background",
                "cite",
                "longdesc",
                "data",
                "codebase",
                "value",
                "type",
                "content",
                "style",
                "srcdoc",
                "xlink:href",
                "lowsrc",
                "fill",
                "filter",
            ];
            // Scripts of handlers get other names of where they are.
            let other = ADDRESSES.contains(&name) || name.starts_with("on");
            let value = if other { "" } else { value };
            all.push(format!("{name}={value}"));
        }
    }
    all
}

#[test]
fn links_of_real_pages_lead_where_they_led() {
    let Some(folder) = webmill_evaluation::archive("text-wcxb-dev") else { return };
    let mut pages: Vec<_> = walk(folder.path());
    pages.sort();
    assert!(pages.len() > 1000, "{} pages", pages.len());
    let (mut count, mut seen) = (0, 0);
    let url = CanonicalUrl::parse("http://www.example.com/a/b/page.html?q=/x/").unwrap();
    let inside = CanonicalUrl::parse(&format!("{HERE}{INSIDE}{}", url.as_str())).unwrap();
    for path in pages {
        let source = std::fs::read(&path).unwrap();
        let Ok(text) = std::str::from_utf8(&source) else { continue };
        let out = String::from_utf8(replayed(&source, url.as_str())).expect("bytes of text are kept");
        let (before, after) = (parse(text, &Limits::default()), parse(&out, &Limits::default()));
        let known = targets(&before, &url);
        let found: Vec<String> = targets(&after, &inside).iter().filter_map(|url| original(url)).collect();
        assert_eq!(found, known, "{}", path.display());
        let (before, after) = (rest(&before), rest(&after));
        let differing = before.iter().zip(&after).find(|(before, after)| before != after);
        assert_eq!(differing, None, "{}", path.display());
        assert_eq!(before.len(), after.len(), "{}", path.display());
        count += known.len();
        seen += 1;
    }
    eprintln!("{count} links of {seen} pages");
    assert!(count > 100_000 && seen > 1000, "{count} links of {seen} pages");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "html") {
                found.push(path);
            }
        }
    }
    found
}
