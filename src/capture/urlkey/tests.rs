use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;

/// URL, and what the reference says of it.
const TABLE: &[(&str, &str)] = &[
    ("http://www.archive.org/", "org,archive)/"),
    ("https://u:p@www2.Example.com:8080/A/?b=2&A=1#x", "com,example:8080)/a?a=1&b=2"),
    ("", "-"),
    (" \n", "-"),
    // The parts.
    ("example.com", "com,example)/"),
    ("//example.com/foo", "com,example)/foo"),
    ("http:example.com", "com,example)/"),
    ("http:///example.com:80/", "com:80,example)/"),
    ("http://u@:81/foo", "foo:81)/"),
    ("HTTP:example.com", "HTTP:example.com"),
    ("http://https://www.a.com/", "com,a)/"),
    ("ftp://http://a.com/", "http)/a.com"),
    ("http://", "http:"),
    ("http:///", "http:/"),
    ("http://?a", "http:/?a"),
    ("http://./a/../B", "http:/a/../b"),
    ("  http://a.c\tom/b \r\n", "com,a)/b"),
    ("http://a@b@c/", "c)/"),
    // No host.
    ("mailto:Foo@Example.com", "mailto:foo@example.com"),
    ("MAILTO:A@B", "MAILTO:a@b"),
    ("dns:WWW.Archive.org", "dns:www.archive.org"),
    ("dns://foo.com/x", "com,foo)/x"),
    ("filedesc: x Y", "filedesc: x Y"),
    ("warcinfo:X y", "warcinfo:x%20y"),
    ("urn:uuid:ABC", "urn:uuid:abc"),
    ("file:///etc/X", "file:/etc/x"),
    ("x:/FOO/../a/", "x:/foo/../a"),
    ("x:?B&A", "x:/?a&b"),
    // Ports.
    ("http://foo:/", "foo)/"),
    ("http://foo:0/", "foo)/"),
    ("http://foo:00080/", "foo)/"),
    ("http://foo:00081/", "foo:81)/"),
    ("http://foo:443/", "foo:443)/"),
    ("HTTPS://foo:443/", "foo)/"),
    ("ftp://foo:21/", "foo:21)/"),
    // Hosts.
    ("http://www.www1.com/", "com,www1)/"),
    ("http://www/", "www)/"),
    ("http://www12a.com/", "com,www12a)/"),
    ("http://a..b.com./", "com,b,a)/"),
    ("http://a%2eb.c/", "c,b,a)/"),
    ("http://a%ffb.c/", "c,ab)/"),
    ("http://%ff.c/", "c,%ff)/"),
    ("http://a b!.c/", "c,a%20b!)/"),
    ("http://B\u{fc}cher.ch:8080", "ch,xn--bcher-kva:8080)/"),
    ("http://stra\u{df}e.de/", "de,strasse)/"),
    ("http://\u{c9}..com/", "com,%c3%89)/"),
    ("http://\u{5d0}1.com/", "com,%d7%901)/"),
    ("http://1.2.3.4/a", "4,3,2,1)/a"),
    ("http://3279880203/", "11,0,127,195)/"),
    ("http://4294967296/", "0,0,0,0)/"),
    ("http://010.1/", "1,0,0,8)/"),
    ("http://1.2.3.256/", "256,3,2,1)/"),
    ("http://0x7f.1/", "1,0x7f)/"),
    ("http://www.010.1/", "1,010)/"),
    ("http://[2001:DB8::1]:81/a", "2001:db8::1:81)/a"),
    ("http://[::ffff:1.2.3.4]/", "4,3,2,::ffff:1)/"),
    // Paths.
    ("http://a.com/b/", "com,a)/b"),
    ("http://a.com//b///c//", "com,a)/b/c"),
    ("http://a.com/b/./c/../d", "com,a)/b/d"),
    ("http://a.com/..", "com,a)/.."),
    ("http://a.com/../..", "com,a)/"),
    ("http://a.com/b//../d", "com,a)/b/d"),
    ("http://a.com/b%2f%252e%252e/c", "com,a)/c"),
    ("http://a.com/%41%c3%A9%E9%zz%%32%35 ", "com,a)/a%c3%a9%e9%25zz%25"),
    ("http://a.com/a%3fb%23c?d", "com,a)/a?b%23c?d"),
    ("http://a.com/x/(S(4hqa0555fwsecu455xqckv45))/y.ASPX?q", "com,a)/x/y.aspx?q"),
    ("http://a.com/(4hqa0555fwsecu455xqckv45)/y.html", "com,a)/(4hqa0555fwsecu455xqckv45)/y.html"),
    ("http://a.com/a;jsessionid=0123456789ABCDEF", "com,a)/a;jsessionid=0123456789abcdef"),
    // Queries.
    ("http://a.com/?", "com,a)/"),
    ("http://a.com/a?b&a&", "com,a)/a?&a&b"),
    ("http://a.com/a?a-b=1&a=2&a=&a", "com,a)/a?a&a=&a=2&a-b=1"),
    ("http://a.com/a?x&sid=0123456789abcdefghijklmnopqrstuv", "com,a)/a?&x"),
    ("http://a.com/a?CFID=1&CFTOKEN=2&b", "com,a)/a?b"),
    ("http://a.com/a?sid=0123456789abcdefghijklmnopqrstuv", "com,a)/a"),
];

#[test]
fn keys_are_those_of_the_reference() {
    for (url, want) in TABLE {
        assert_eq!(url_key(url), *want, "{url:?}");
    }
}

#[test]
fn where_the_reference_fails_the_key_is_ours() {
    for (url, want) in [
        ("http://foo:8a/", "foo:8a)/"),
        ("http://foo:99999/b", "foo:99999)/b"),
        ("http://foo: 80/", "foo:%2080)/"),
    ] {
        assert_eq!(url_key(url), want, "{url:?}");
    }
}

#[test]
fn long_urls_are_cut() {
    let key = url_key(format!("http://a.com/{}", "%25".repeat(MAX_BYTES)));
    assert!(key.len() <= MAX_BYTES && key.starts_with("com,a)/%25%25"), "{}", key.len());
    assert_eq!(url_key("%".repeat(1 << 20)).len(), 3 * MAX_BYTES + 2);
}

fn load(name: &str) -> Option<Map<String, Value>> {
    let path = webmill_evaluation::data(&format!("urls/{name}"))?;
    let text = std::fs::read_to_string(path).expect("test data are readable");
    serde_json::from_str(&text).expect("a map of cases")
}

/// The cases in which the key of the canonicalized URL differs from that of the expected URL.
fn unlike(cases: &Value, around: fn(&str) -> String) -> Vec<String> {
    let cases = cases.as_object().expect("a map of cases");
    assert!(cases.len() > 3, "cases");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    cases
        .iter()
        .filter(|(from, to)| url_key(around(from)) != url_key(around(&text(to))))
        .map(|(from, _)| from.clone())
        .collect()
}

#[test]
fn suite_of_the_reference() {
    let Some(suite) = load("surt.json") else { return };
    let cases = suite["defaultIASurt"].as_object().expect("a map of cases");
    assert!(cases.len() >= 16);
    for (url, want) in cases {
        assert_eq!(Some(url_key(url).as_str()), want.as_str(), "{url}");
    }
    // The other lists test steps on the way: what they give has the key of what they start with.
    let whole = |url: &str| url.to_owned();
    for list in ["Canonicalizer.DefaultIA", "Canonicalizer.IA"] {
        assert_eq!(unlike(&suite[list], whole), [""; 0], "{list}");
    }
    // Two cases mean bytes, which JSON has as characters.
    assert_eq!(unlike(&suite["google"], whole), ["http://\u{1}\u{80}.com/"]);
    assert_eq!(url_key(b"http://\x01\x80.com/"), "com,%01)/");
    assert_eq!(unlike(&suite["googleSupplementalFromSurt"], whole), ["\u{e2}\u{98}\u{83}.com"]);
    assert_eq!(url_key(b"\xe2\x98\x83.com"), url_key("http://xn--n3h.com/"));
    assert_eq!(unlike(&suite["massageHost"], |host| format!("http://{host}/")), [""; 0]);
    assert_eq!(unlike(&suite["stripPathSessionId"], |path| format!("http://a.com{path}")), [""; 0]);
    assert_eq!(unlike(&suite["alphaRorderQuery"], |query| format!("http://a.com/?{query}")), [""; 0]);
    assert_eq!(unlike(&suite["unescapeRepeatedly"], |path| format!("http://a.com/{path}")), [""; 0]);
}

#[test]
fn suite_of_a_later_canonicalizer() {
    let Some(suite) = load("aggressive.json") else { return };
    let suite = Value::Object(suite);
    let unlike = unlike(&suite, str::to_owned);
    // It drops empty fields of queries, and more forms of sessions; the reference does not.
    let others = [
        "http://example.com/?a=1&CFID=3304324&CFTOKEN=57491900&jsessionid=a63098d96360$B0$D9$A&foo=bar",
        "http://example.com/foo?&",
        "http://example.com/foo?&&a=1&&&&b=2&c=3&",
        "http://example.com/foo?c=5&&a=1&B=3&A=2&b=4&C=6&",
        "http://example.com/something/;jsessionid=E85FAC04E331FFCA55549B10B7C7A4FA",
    ];
    assert_eq!(unlike, others);
}

proptest! {
    #[test]
    fn any_bytes_have_a_key_in_ascii(url in prop::collection::vec(any::<u8>(), 0..64)) {
        let key = url_key(&url);
        prop_assert!(key.is_ascii() || url.starts_with(b"filedesc"));
        prop_assert!(!key.is_empty());
        prop_assert!(!key.contains(['\n', ' ']) || url.starts_with(b"filedesc"));
    }

    #[test]
    fn decoding_ends_where_rounds_end(text in "[%0-9a-c]{0,32}") {
        let mut rounds = text.clone().into_bytes();
        loop {
            let mut next = Vec::new();
            let mut at = 0;
            while at < rounds.len() {
                match rounds.get(at..at + 3) {
                    Some([b'%', high, low]) if hex(*high).is_some() && hex(*low).is_some() => {
                        next.push(hex(*high).unwrap() << 4 | hex(*low).unwrap());
                        at += 3;
                    }
                    _ => {
                        next.push(rounds[at]);
                        at += 1;
                    }
                }
            }
            if next == rounds {
                break;
            }
            rounds = next;
        }
        prop_assert_eq!(decoded(text.as_bytes()).into_owned(), rounds);
    }
}
