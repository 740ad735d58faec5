//! Cases made by others: URL test vectors of `WEBMILL_DATA/urls` (default `../shared/data`), skipped where missing.
//!
//! | file | parts written for this project | parts from elsewhere, and why |
//! |---|---|---|
//! | `whatwg-urltestdata`, `urltestdata` | all: parsed and resolved as browsers do, then brought to one spelling | `file:` with drive letters and empty hosts, where the URL library differs from the standard; in the old list `gopher:` as a special scheme and two hosts that are errors today |
//! | `path_dots` | all of both kinds | a backslash, which the standard takes as a slash on the Web and as part of the host elsewhere |
//! | `funky_ipv4` | all | – |
//! | `ssurt` | `reverseHost`, `surtWithoutTrailingComma`, the IP addresses | `ssurt` is another key; a trailing dot is not a label |
//! | `parsing` | first SURT of each http URL | its trailing comma, fragments, backslashes |
//! | `supplemental_whatwg` | all that have a scheme | hosts that are errors today (`http://%/`, `http://09/`) |
//! | `semantic_precise` | 159 of 280 | decoding beyond unreserved characters, repeated decoding, loose `%` encoded, sorted queries, user info dropped, guessed schemes |
//! | `idempotence` | all | – |
//! | `aggressive`, `surt` | none | they drop `www.`, scheme, session ids, case and slashes, which may name another page |

use crate::cut::Cut;
use serde_json::{Map, Value};

use crate::CanonicalUrl;
use crate::domain::is_ip;
use crate::surt::surt_host;

fn load(name: &str) -> Option<Value> {
    let path = webmill_evaluation::data(&format!("urls/{name}"))?;
    let text = std::fs::read_to_string(path).expect("test data are readable");
    Some(serde_json::from_str(&text).expect("test data are JSON"))
}

fn map(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("a map of cases")
}

fn canonical(url: &str) -> Option<String> {
    CanonicalUrl::parse(url).map(CanonicalUrl::into_string)
}

/// The form that the standard prescribes brought to ours, by a plain reading of the rules.
fn unified(href: &str) -> String {
    let bare = href.split('#').next().unwrap_or_default();
    let special = ["http:", "https:", "ws:", "wss:", "ftp:", "file:"].iter().any(|s| bare.starts_with(s));
    let (scheme, rest) = bare.split_once(':').unwrap_or_default();
    if !special && !rest.starts_with('/') {
        return bare.to_owned();
    }
    let mut out = triplets(rest);
    if !special && let Some(after) = out.strip_prefix("//") {
        let (host, tail) = after.split_at(after.find(['/', '?']).unwrap_or(after.len()));
        out = format!("//{}{tail}", triplets(&host.to_ascii_lowercase()));
    }
    format!("{scheme}:{out}")
}

/// Triplets decoded or in upper case; after a loose `%` two places are left alone.
fn triplets(text: &str) -> String {
    let (mut out, mut rest, mut quiet) = (String::new(), text, 0);
    while let Some(c) = rest.chars().next() {
        let value = rest.get(1..3).filter(|_| c == '%').and_then(|h| u8::from_str_radix(h, 16).ok());
        quiet = if c == '%' && value.is_none() { 3 } else { quiet };
        match value.map(char::from) {
            Some(d)
                if (d.is_ascii_alphanumeric() || "-._~".contains(d))
                    && (quiet == 0 || !d.is_ascii_hexdigit()) =>
            {
                out.push(d);
            }
            Some(d) => {
                out.push_str(&format!("%{:02X}", u32::from(d)));
                quiet = 0;
            }
            None => out.push(c),
        }
        quiet = i32::max(quiet - 1, 0);
        rest = rest.cut(if value.is_some() { 3 } else { c.len_utf8() }..);
    }
    out
}

#[test]
fn whatwg() {
    let old = ["sc://\u{1f}!\"$&'()*+,-.;<=>^_`{|}~/", "http://256.256.256.256.256"];
    for (name, least, skip) in [("whatwg-urltestdata.json", 700, &[][..]), ("urltestdata.json", 385, &old)] {
        let Some(cases) = load(name) else { return };
        let mut same = 0;
        for case in cases.as_array().expect("a list").iter().filter(|c| c.is_object()) {
            let input = case["input"].as_str().expect("an input");
            let want = case["href"].as_str().map(unified);
            let file = want.as_ref().is_some_and(|want| want.starts_with("file:"));
            if file || skip.contains(&input) || (!skip.is_empty() && input.starts_with("gopher:")) {
                continue;
            }
            let got = match case["base"].as_str() {
                None => canonical(input),
                Some(base) => {
                    let base = CanonicalUrl::parse(base);
                    base.and_then(|base| base.join(input)).map(CanonicalUrl::into_string)
                }
            };
            assert_eq!(got, want, "{name}: {input:?} against {}", case["base"]);
            same += 1;
        }
        assert!(same >= least, "{name}: {same}");
    }
}

#[test]
fn path_dots() {
    let Some(cases) = load("path_dots.json") else { return };
    for (kind, host) in [("special", "http://h"), ("nonspecial", "foo://h")] {
        for (path, want) in map(&cases[kind]).iter().filter(|(path, _)| !path.contains('\\')) {
            let want = format!("{host}{}", want.as_str().expect("a path"));
            assert_eq!(canonical(&format!("{host}{path}")), Some(want), "{kind} {path}");
        }
    }
}

#[test]
fn ipv4() {
    let Some(cases) = load("funky_ipv4.json") else { return };
    for (host, want) in map(&cases) {
        let got = CanonicalUrl::parse(&format!("http://{host}/")).map(|url| url.host().to_owned());
        assert_eq!(got.filter(|host| is_ip(host)).as_deref(), want.as_str(), "{host}");
    }
}

#[test]
fn surts() {
    let Some(cases) = load("ssurt.json") else { return };
    for (host, want) in map(&cases["reverseHost"]).iter().filter(|(host, _)| !host.ends_with('.')) {
        assert_eq!(Some(surt_host(host).as_str()), want.as_str().and_then(|w| w.strip_suffix(',')), "{host}");
    }
    let with_address = map(&cases["surt"]).iter().filter(|(url, _)| url.contains("10.1.2.3"));
    for (url, want) in map(&cases["surtWithoutTrailingComma"]).iter().chain(with_address) {
        let want = want.as_str().and_then(|w| w.strip_prefix("http://(")).expect("a SURT");
        let want = want.split('#').next().unwrap_or_default().replace(")?", ")/?");
        let want = if want.ends_with(')') { format!("{want}/") } else { want };
        assert_eq!(CanonicalUrl::parse(url).expect("valid").surt(), want, "{url}");
    }
    let Some(cases) = load("parsing.json") else { return };
    for (input, case) in map(&cases).iter().filter(|(input, _)| !input.contains('\\')) {
        let (Some(url), Some(want)) = (CanonicalUrl::parse(input), case["surt_ancestry"][0].as_str()) else {
            continue;
        };
        if url.is_web() && case["fragment"] == "" {
            let want = want.split_once('(').map_or(want, |(_, w)| w).replace(",)", ")").replace(",:", ":");
            assert_eq!(url.surt().trim_end_matches('/'), want.trim_end_matches('/'), "{input:?}");
        }
    }
}

#[test]
fn other_canonicalisers() {
    let Some(cases) = load("supplemental_whatwg.json") else { return };
    for (url, want) in map(&cases) {
        let want = want.as_str().expect("a URL");
        let host = want.split('/').nth(2).unwrap_or_default();
        let error = host.contains('%') || matches!(host, "0.0.0.0" | "09") || url.contains('\u{e2}');
        if want.contains(':') && !error {
            assert_eq!(canonical(url), Some(unified(want)), "{url}");
        }
    }
    let Some(cases) = load("semantic_precise.json") else { return };
    let want = |want: &Value| want.as_str().map(|w| w.split('#').next().unwrap_or_default().to_owned());
    let same = map(&cases).iter().filter(|(url, form)| canonical(url) == want(form)).count();
    assert_eq!((same, map(&cases).len()), (159, 280));
}

#[test]
fn idempotence() {
    let Some(cases) = load("idempotence.json") else { return };
    for input in cases.as_array().expect("a list").iter().filter_map(Value::as_str) {
        if let Some(url) = CanonicalUrl::parse_stored(input) {
            assert_eq!(CanonicalUrl::parse(url.as_str()).as_ref(), Some(&url), "{input:?}");
            assert_eq!(CanonicalUrl::parse_stored(url.as_str()), Some(url), "{input:?}");
        }
    }
}
