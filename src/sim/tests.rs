use webmill_capture::cut::Cut;
use webmill_capture::error::Error;

use super::*;
use std::collections::{HashMap, HashSet};

fn web(pages: u64) -> Web {
    Web::new(Config { pages, ..Config::default() }).expect("a sound configuration")
}

fn decoded(page: &SynthPage, truth: &Truth) -> String {
    let encoding = if truth.encoding == "GBK" { encoding_rs::GBK } else { encoding_rs::UTF_8 };
    let (text, _, broken) = encoding.decode(page.body());
    assert!(!broken, "{} does not decode as {}", page.url, truth.encoding);
    text.into_owned()
}

/// The text between the tags, paragraphs one a line.
fn stripped(html: &str) -> String {
    let (_, inside) = html.split_once("</h1>\n").expect("a headline");
    let (inside, _) = inside.split_once("</div>").expect("an end of the content");
    let mut text = String::new();
    let mut rest = inside;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before.trim_matches('\n'));
        let (tag, after) = tag.split_once('>').expect("a whole tag");
        if tag == "p" && !text.is_empty() {
            text.push('\n');
        }
        rest = after;
    }
    text.push_str(rest.trim_matches('\n'));
    text
}

#[test]
fn one_page_of_a_known_seed_stays_what_it_is() {
    // Guards the promise that equal configurations give equal bytes from version to version.
    let web = web(1000);
    let digest = (0..1000).fold(0, |sum, i| {
        let page = web.page(i);
        let all = format!("{}{}{}{}", page.url, page.status, page.date_ms, page.ip);
        draw::hash(
            sum,
            page.response.iter().chain(all.as_bytes()).fold(0, |h, &b| draw::hash(h, b.into(), 0)),
            1,
        )
    });
    assert_eq!(digest, 0x9de4_95c4_7218_1dc7, "{digest:#x}");
}

#[test]
fn urls_are_distinct_and_found_again() {
    for pages in [1, 2, 49, 51, 5000] {
        let web = web(pages);
        let mut seen = HashSet::new();
        for i in 0..pages {
            let url = web.url(i);
            assert_eq!(web.find(&url), Some(i), "{url}");
            assert!(url.is_ascii() && seen.insert(url));
        }
        assert_eq!((0..web.hosts()).map(|h| web.host_size(h)).sum::<u64>(), pages);
    }
    let web = web(5000);
    for url in
        ["", "http://x/", "http://www.nothing1.example/", "http://a99999999999999999999.example/", "ftp://a/"]
    {
        assert_eq!(web.find(url), None, "{url}");
    }
    let missing = web.url(0) + "news/1.html";
    assert_eq!(web.find(&missing).map(|i| web.url(i)), web.find(&missing).map(|_| missing));
}

#[test]
fn the_truth_is_what_the_page_says() {
    let web = web(4000);
    let (mut kinds, mut mirrors, mut broken, mut gbk) = (HashMap::new(), 0, 0, 0);
    for i in 0..4000 {
        let (page, truth) = (web.page(i), web.truth(i));
        let html = decoded(&page, &truth);
        let head = String::from_utf8(page.response[..page.body_at].to_vec()).expect("ASCII");
        assert!(
            head.contains(&format!("Content-Length: {}\r\n\r\n", page.body().len()))
                && head.ends_with("\r\n\r\n")
        );
        mirrors += u32::from(truth.mirror_of.is_some());
        broken += u32::from(truth.broken);
        gbk += u32::from(truth.encoding == "GBK");
        let kind = match truth.kind {
            Kind::Redirect { to } => {
                assert!(
                    head.contains(&format!("Location: {}\r\n", web.url(to)))
                        && to < i
                        && [301, 302].contains(&page.status)
                );
                "redirect"
            }
            Kind::Missing => {
                assert_eq!((page.status, truth.main_text.as_str()), (404, ""));
                "missing"
            }
            kind => {
                assert_eq!(page.status, 200);
                assert_eq!(stripped(&html), truth.main_text, "{}", page.url);
                assert!(html.contains(&format!("<h1>{}</h1>", truth.title)) && !truth.title.is_empty());
                match kind {
                    Kind::Copy { whole: true, .. } => "body",
                    Kind::Copy { .. } => "text",
                    Kind::NearCopy { .. } => "near",
                    _ => "original",
                }
            }
        };
        *kinds.entry(kind).or_insert(0) += 1;
        assert_eq!(html.matches("<a href=").count(), truth.links.len());
        let planned: Vec<_> = truth.links.iter().map(|link| (link.target, link.region)).collect();
        assert_eq!(web.links(i), planned);
        let mut rest = html.as_str();
        for link in &truth.links {
            if let Some(target) = link.target {
                assert_eq!(web.url(target), link.url);
            }
            let path = link.url.cut(link.url.find(".example").map_or(0, |at| at + 8)..);
            let (_, after) = rest.split_once("<a href=").expect("a link");
            let (tag, after) = after.split_once('>').expect("a whole tag");
            let href = tag.split(' ').next().map(|href| href.trim_matches('"'));
            assert!(href == Some(&link.url) || href == Some(path), "{tag} {link:?}");
            assert!(after.starts_with(&link.anchor) && !link.anchor.is_empty(), "{after} {link:?}");
            rest = after;
        }
    }
    for (kind, least, most) in [
        ("original", 2800, 3600),
        ("body", 80, 240),
        ("text", 80, 240),
        ("near", 200, 420),
        ("redirect", 40, 130),
        ("missing", 40, 130),
    ] {
        assert!((least..most).contains(&kinds[kind]), "{kinds:?}");
    }
    assert!(
        mirrors > 20 && (60..200).contains(&broken) && (300..1600).contains(&gbk),
        "{mirrors} {broken} {gbk}"
    );
}

#[test]
fn copies_and_mirrors_are_copies() {
    let web = web(6000);
    let words = |text: &str, language| -> Vec<String> {
        match language {
            Language::English => text.split_whitespace().map(str::to_lowercase).collect(),
            Language::Chinese => text.chars().map(String::from).collect(),
        }
    };
    let (mut whole, mut texts, mut near, mut mirrors) = (0, 0, 0, 0);
    for i in 0..6000 {
        let truth = web.truth(i);
        if let Some(of) = truth.mirror_of {
            let (here, there) = (web.page(i), web.page(of));
            assert_ne!(web.host_of(i), web.host_of(of));
            assert_eq!(here.status, there.status);
            assert!(here.body() == there.body(), "{} {}", here.url, there.url);
            assert_eq!(
                here.url.split_once(".example").map(|u| u.1),
                there.url.split_once(".example").map(|u| u.1)
            );
            mirrors += 1;
        }
        match truth.kind {
            Kind::Copy { of, whole: true } => {
                assert!(web.page(i).body() == web.page(of).body(), "{i} {of}");
                whole += 1;
            }
            Kind::Copy { of, whole: false } => {
                assert_eq!(truth.main_text, web.truth(of).main_text);
                assert_ne!(web.page(i).body(), web.page(of).body());
                texts += 1;
            }
            Kind::NearCopy { of, edits } => {
                let original = web.truth(of);
                assert!(matches!(original.kind, Kind::Original) && original.language == truth.language);
                let (a, b) =
                    (words(&truth.main_text, truth.language), words(&original.main_text, truth.language));
                if truth.language == Language::English {
                    assert_eq!(a.len(), b.len());
                    let differ = a.iter().zip(&b).filter(|(x, y)| x != y).count();
                    assert_eq!(differ, edits as usize, "{}\n{}", truth.main_text, original.main_text);
                } else {
                    assert_ne!(a, b);
                }
                near += 1;
            }
            _ => {}
        }
    }
    assert!(whole > 100 && texts > 100 && near > 300 && mirrors > 30, "{whole} {texts} {near} {mirrors}");
}

/// Maximum likelihood (Hill) estimate of the density exponent of the tail from `least` on.
fn exponent(values: impl Iterator<Item = u64>, least: u64) -> f64 {
    let tail: Vec<f64> = values.filter(|&v| v >= least).map(|v| v as f64).collect();
    assert!(tail.len() > 200, "{} in the tail", tail.len());
    1.0 + tail.len() as f64 / tail.iter().map(|v| (v / (least as f64 - 0.5)).ln()).sum::<f64>()
}

#[test]
fn planted_exponents_are_recovered() {
    let config =
        Config { pages: 300_000, mirrors: 0.0, pages_per_host: 20, max_links: 3000, ..Config::default() };
    let web = Web::new(config).expect("sound");
    let mut in_degrees = vec![0u64; 300_000];
    let mut out_degrees = Vec::new();
    for i in 0..web.len() {
        let links = web.links(i);
        let host = web.host_of(i);
        let own = |region| matches!(region, Region::Text | Region::Related);
        out_degrees.push(links.iter().filter(|link| own(link.1)).count() as u64);
        for target in links.iter().filter_map(|link| link.0).filter(|&target| web.host_of(target) != host) {
            in_degrees[target as usize] += 1;
        }
    }
    let sizes = (0..web.hosts()).map(|host| web.host_size(host));
    for (name, found, planted) in [
        ("hosts", exponent(sizes, 20), HOST_EXPONENT),
        ("in", exponent(in_degrees.into_iter(), 30), IN_EXPONENT),
        ("out", exponent(out_degrees.into_iter(), 12), OUT_EXPONENT),
    ] {
        assert!((found - planted).abs() < 0.15, "{name}: found {found}, planted {planted}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let sound = Config::default;
    for config in [
        Config { pages: 0, ..sound() },
        Config { pages: 1 << 41, ..sound() },
        Config { pages_per_host: 0, ..sound() },
        Config { words: 0, ..sound() },
        Config { edits: vec![], ..sound() },
        Config { copies: 0.6, near_copies: 0.6, ..sound() },
        Config { gbk: f64::NAN, ..sound() },
        Config { mirrors: -0.1, ..sound() },
    ] {
        assert!(matches!(Web::new(config), Err(Error::Config(_))));
    }
}
