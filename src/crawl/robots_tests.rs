use super::*;
use proptest::prelude::*;
use std::time::Instant;
use webmill_capture::cut::Cut;

fn allowed(robots: &str, agent: &str, path: &str) -> bool {
    let url = CanonicalUrl::parse(&format!("http://foo.bar{path}")).unwrap();
    Robots::parse(robots.as_bytes(), agent).check(&url).allowed
}

/// Robots.txt files of [`CASES`], by what they are about.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    robots: String,
    /// `agent path`, as in the two lists that follow.
    #[serde(default)]
    allowed: Vec<String>,
    #[serde(default)]
    denied: Vec<String>,
}

const CASES: &str = include_str!("robots_cases.toml");

#[test]
fn files_and_what_they_say_of_paths() {
    let all: std::collections::BTreeMap<String, Vec<Case>> = toml::from_str(CASES).unwrap();
    for (about, cases) in &all {
        for Case { robots, allowed: yes, denied: no } in cases {
            for (wanted, checks) in [(true, yes), (false, no)] {
                for check in checks {
                    let (agent, path) = check.split_at(check.find(" /").unwrap());
                    assert_eq!(
                        allowed(robots, agent, path.cut(1..)),
                        wanted,
                        "{about}: {check} by\n{robots}"
                    );
                }
            }
        }
    }
    assert!(all.values().flatten().count() > 150);
}

#[test]
fn octets_that_are_not_utf_8_count_as_they_are() {
    let robots = Robots::parse(b"User-agent: a\nDisallow: /\xd6\xd0\n", "a");
    let check = |bytes: &[u8]| robots.check(&CanonicalUrl::parse_bytes(bytes).unwrap()).allowed;
    assert!(!check(b"http://a/%D6%D0x") && !check(b"http://a/\xd6\xd0") && check("http://a/中".as_bytes()));
    let again = Robots::from_bytes(&robots.to_bytes()).unwrap();
    assert_eq!(again, robots);
    assert!(!again.check(&CanonicalUrl::parse("http://a/%D6%D0").unwrap()).allowed);
}

#[test]
fn long_lines_are_cut() {
    let fill = |letter: &str| letter.repeat(MAX_LINE - 1 - "disallow: /x/".len());
    let (a, b) = (fill("a"), fill("b"));
    let short = |path: &str| path.cut(..CHECKED).to_owned();
    const CHECKED: usize = 16_000;
    let robots = Robots::parse(format!("user-agent: f\ndisallow: /x/{a}/qux\n").as_bytes(), "f");
    assert!(robots.check_path(&format!("/x/{a}/fux"), &mut 0).rule.is_some());
    assert!(robots.check_path("/fux", &mut 0).allowed);
    assert!(robots.check_path(&short(&format!("/x/{a}")), &mut 0).allowed);
    let robots = Robots::parse(
        format!("user-agent: f\ndisallow: /\nallow: /x/{a}/qux\nallow: /x/{b}/qux").as_bytes(),
        "f",
    );
    // `allow: ` is three bytes shorter than `disallow: `.
    assert!(!robots.check_path("/", &mut 0).allowed);
    assert!(robots.check_path(&format!("/x/{a}/qux"), &mut 0).allowed);
    assert!(!robots.check_path(&format!("/x/{b}/qfx"), &mut 0).allowed);
    assert!(robots.check_path(&format!("/x/{b}/qux"), &mut 0).allowed);
}

#[test]
fn byte_order_marks() {
    let rules = b"User-Agent: foo\nDisallow: /x\n";
    let denied = |bytes: &[u8]| Robots::parse(bytes, "foo").rules() == 1;
    for mark in [&b"\xEF\xBB\xBF"[..], b"\xEF\xBB", b"\xEF", b""] {
        assert!(denied(&[mark, rules].concat()), "{mark:?}");
    }
    assert!(!denied(&[b"\xEF\x11\xBF", &rules[..]].concat()));
    assert!(!denied(b"User-Agent: foo\n\xEF\xBB\xBFDisallow: /x\n"));
    let text = std::str::from_utf8(rules).unwrap();
    let little: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    assert!(denied(&little) && denied(&big));
}

#[test]
fn only_the_beginning_is_read() {
    let head = "user-agent: a\ndisallow: /x\n";
    let filler = "#".repeat(99) + "\n";
    let room = |bytes: usize| head.to_owned() + &filler.repeat(bytes / filler.len());
    // Half a megabyte is what the RFC asks for.
    assert!(!allowed(&(room(500 * 1024) + "disallow: /y"), "a", "/y"));
    assert!(allowed(&(room(MAX_BYTES + 200) + "disallow: /y"), "a", "/y"));
    // The line at the limit is not taken by half.
    let mut long = room(MAX_BYTES - 200);
    long.push_str(&"#".repeat(MAX_BYTES - long.len() - 13));
    long.push_str("\ndisallow: /yes");
    assert_eq!(long.cut(MAX_BYTES - 3..MAX_BYTES), " /y");
    assert!(allowed(&long, "a", "/y"));
    assert!(!allowed(&long, "a", "/x"));
    assert!(allowed(long.cut(..MAX_BYTES), "a", "/y"));
    assert!(!allowed(long.cut(..MAX_BYTES - 1), "a", "/"));
    assert!(allowed(&"x".repeat(2 * MAX_BYTES), "a", "/"));
}

#[test]
fn delays_and_sitemaps() {
    let delay = |text: &str| Robots::parse(text.as_bytes(), "a").crawl_delay().map(|d| d.as_millis());
    for (value, want) in [
        ("10", Some(10_000)),
        ("0", Some(0)),
        ("0.5", Some(500)),
        (".25", Some(250)),
        ("1,5", Some(1500)),
        ("3.", Some(3000)),
        ("2 # s", Some(2000)),
        ("5s", Some(5000)),
        ("5 Seconds", Some(5000)),
        ("0.0001", Some(1)),
        ("99999999999999999999999", Some(1_000_000_000_000)),
        ("-1", None),
        ("", None),
        ("ten", None),
        ("1e9", None),
        ("5m", None),
        ("1:30", None),
        ("NaN", None),
        ("inf", None),
        ("1.2.3", None),
        ("0x10", None),
    ] {
        assert_eq!(delay(&format!("User-agent: *\nCrawl-delay: {value}\nDisallow: /x")), want, "{value}");
    }
    assert_eq!(delay("Crawl-delay: 5\nUser-agent: *\nDisallow:"), None);
    assert_eq!(delay("User-agent: *\nCrawl-delay: 5\nUser-agent: a\nDisallow:"), Some(5000));
    assert_eq!(delay("User-agent: *\nDisallow: /\nCrawl-delay: 5\nUser-agent: a\nDisallow:"), None);
    assert_eq!(delay("User-agent: a\nCrawl-delay: 5\nCrawl-delay: 2\nCrawl-delay: x\nDisallow:"), Some(5000));
    assert_eq!(delay("User-agent: b\nDisallow:\nUser-agent: a\nDisallow:\nCrawldelay: 7"), Some(7000));
    let robots = Robots::parse(
        b"Sitemap: http://a/1.xml\nUser-agent: b\nDisallow: /\nsitemap:http://a/2.xml#x\nSitemap: http://a/1.xml\nSitemap:\nSitemap: /3",
        "a",
    );
    assert_eq!(robots.sitemaps(), ["http://a/1.xml", "http://a/2.xml", "/3"]);
    assert_eq!(robots.rules(), 0);
    let robots = Robots::parse(b"Site-map: /a\nSITEMAP: /b\nsitemaps: /c\nsitemap http://d/\nmap: /e", "a");
    assert_eq!(robots.sitemaps(), ["/a", "/b", "/c", "http://d/"]);
    let many: String = (0..3 * MAX_SITEMAPS).map(|i| format!("Sitemap: /{i}\n")).collect();
    assert_eq!(Robots::parse(many.as_bytes(), "a").sitemaps().len(), MAX_SITEMAPS);
}

#[test]
fn access_results() {
    let body = b"user-agent: *\ndisallow: /";
    let url = CanonicalUrl::parse("http://a/x").unwrap();
    let result = |status| Robots::from_status(status, body, "a").map(|robots| robots.check(&url).allowed);
    for (status, want) in [
        (200, Some(false)),
        (206, Some(false)),
        (301, Some(true)),
        (302, Some(true)),
        (304, Some(true)),
        (400, Some(true)),
        (401, Some(true)),
        (403, Some(true)),
        (404, Some(true)),
        (410, Some(true)),
        (451, Some(true)),
        (408, None),
        (425, None),
        (429, None),
        (500, None),
        (503, None),
        (599, None),
        (600, None),
        (100, None),
        (0, None),
    ] {
        assert_eq!(result(status), want, "{status}");
    }
    assert!(Robots::from_status(204, b"", "a").unwrap().check(&url).allowed);
    assert_eq!(Robots::allow_all().check(&url), Verdict { allowed: true, rule: None });
}

#[test]
fn the_rule_is_told() {
    let robots = Robots::parse(
        b"user-agent: a\ndisallow: /x%7e*y # no\nALLOW : /x/ok/index.html\ndisallow: /\xff",
        "a",
    );
    let rule = |path: &str| robots.check_path(path, &mut 0).rule;
    assert_eq!(rule("/x~/y"), Some("Disallow: /x%7e*y"));
    assert_eq!(rule("/x/ok/"), Some("Allow: /x/ok/index.html"));
    assert_eq!(rule("/%FF"), Some("Disallow: /\u{fffd}"));
    assert_eq!(rule("/z"), None);
}

#[test]
fn stored_bytes() {
    let robots = Robots::parse(
        b"User-agent: *\nDisallow: /a\nAllow: /a/*b$\nCrawl-delay: 2.5\nSitemap: http://a/s.xml\n\nUser-agent: x\nDisallow: /",
        "a",
    );
    let bytes = robots.to_bytes();
    assert_eq!(bytes[0], VERSION);
    assert!(bytes.len() < 48, "{}", bytes.len());
    assert_eq!(Robots::from_bytes(&bytes), Some(robots));
    for end in 0..bytes.len() {
        assert_eq!(Robots::from_bytes(&bytes[..end]), None, "{end}");
    }
    assert_eq!(Robots::from_bytes(&[&bytes[..], b"x"].concat()), None);
    let mut other = bytes.clone();
    other[0] = VERSION + 1;
    assert_eq!(Robots::from_bytes(&other), None);
    for at in 1..bytes.len() {
        for flip in [1, 0x80, 0xFF] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            if let Some(robots) = Robots::from_bytes(&damaged) {
                let _ = robots.check_path("/a/b", &mut 0);
            }
        }
    }
}

/// The definition, rule by rule, star by star.
fn plainly(rules: &[(bool, String)], path: &str) -> bool {
    fn matches(pattern: &[u8], path: &[u8]) -> bool {
        // Which prefixes of the path are matched by the pattern so far.
        let mut at = vec![false; path.len() + 1];
        at[0] = true;
        for (i, &byte) in pattern.iter().enumerate() {
            match byte {
                b'$' if i + 1 == pattern.len() => return at[path.len()],
                b'*' => (1..at.len()).for_each(|j| at[j] |= at[j - 1]),
                _ => {
                    at = (0..at.len()).map(|j| j > 0 && at[j - 1] && path[j - 1] == byte).collect();
                }
            }
        }
        at.contains(&true)
    }
    let best = |allow: bool| {
        let found = rules.iter().filter(|(a, p)| *a == allow && matches(p.as_bytes(), path.as_bytes()));
        found.map(|(_, p)| p.len()).max().unwrap_or(0)
    };
    best(true) >= best(false)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn as_defined(
        rules in proptest::collection::vec((any::<bool>(), "[/*][ab/*$]{0,7}"), 0..60),
        path in "/[ab/$]{0,12}",
    ) {
        let mut text = String::from("user-agent: a\n");
        for (allow, pattern) in &rules {
            text += &format!("{}: {pattern}\n", if *allow { "allow" } else { "disallow" });
        }
        let robots = Robots::parse(text.as_bytes(), "a");
        prop_assert_eq!(robots.check_path(&path, &mut 0).allowed, plainly(&rules, &path), "{}\n{}", path, text);
        let again = Robots::from_bytes(&robots.to_bytes());
        prop_assert_eq!(again.as_ref(), Some(&robots));
    }

    #[test]
    fn spelling_of_rule_and_url_is_no_difference(path in "/[a-z:@!'()~_\u{e4}\u{4e2d}-]{0,9}", mask in any::<u32>()) {
        let encoded = |mask: u32| -> String {
            let mut text = String::from("/");
            for (i, byte) in path.bytes().enumerate().skip(1) {
                match mask >> (i % 32) & 1 {
                    1 if i % 2 == 0 => text += &format!("%{byte:02x}"),
                    1 => text += &format!("%{byte:02X}"),
                    _ if byte >= 0x80 => text += &format!("%{byte:02X}"),
                    _ => text.push(char::from(byte)),
                }
            }
            text
        };
        let (rule, url) = (encoded(mask), encoded(mask.rotate_left(7) ^ 0x5a5a));
        let robots = format!("user-agent: a\ndisallow: {rule}$");
        prop_assert!(!allowed(&robots, "a", &url), "{} {}", rule, url);
    }
}

/// Octets of the rules and of the path, and how many steps and seconds a check takes.
fn measure(robots: &str, path: &str) -> (u64, f64, Verdict<'static>) {
    let robots = Box::leak(Box::new(Robots::parse(robots.as_bytes(), "a")));
    let mut steps = 0;
    let start = Instant::now();
    let verdict = robots.check_path(path, &mut steps);
    (steps, start.elapsed().as_secs_f64(), verdict)
}

#[test]
fn hostile_rules_cost_no_more_than_told() {
    let stars = |count: usize, piece: &str| {
        format!("user-agent: a\ndisallow: /{}x\n", format!("*{piece}").repeat(count))
    };
    let path = format!("/b{}", "a".repeat(8000));
    for (name, robots) in [
        ("one rule of thousands of stars", stars(8000, "a")),
        ("stars alone", stars(8000, "")),
        ("pieces that nearly fit", stars(500, "aaaaaaaaaaaaaaab")),
        ("the same, long", stars(2, &("a".repeat(4000) + "b"))),
        ("stars and an end", stars(4000, "aa").replace("x\n", "$\n")),
        (
            "many rules of stars",
            "user-agent: a\n".to_owned()
                + &(0..2000).map(|i| format!("disallow: /{}b{i}\n", "*a".repeat(100))).collect::<String>(),
        ),
        (
            "rules whose last piece alone is missing",
            "user-agent: a\n".to_owned()
                + &(1..1000).map(|i| format!("disallow: /*{}*b\n", "a".repeat(i))).collect::<String>(),
        ),
        (
            "nested prefixes with stars",
            "user-agent: a\n".to_owned()
                + &(0..1000).map(|i| format!("disallow: /{}*b\n", "a".repeat(i))).collect::<String>(),
        ),
        (
            "nested prefixes",
            "user-agent: a\n".to_owned()
                + &(0..1000)
                    .map(|i| format!("disallow: /{}b\nallow: /{}\n", "a".repeat(i), "a".repeat(i)))
                    .collect::<String>(),
        ),
    ] {
        let rules = robots.lines().filter(|line| line.contains('*')).count() as u64;
        let (steps, seconds, _) = measure(&robots, &path);
        let bound = rules * path.len() as u64 + robots.len() as u64 + 64 * path.len() as u64;
        println!("{name}: {rules} rules of stars, {steps} steps of {bound} allowed, {:.1} ms", seconds * 1e3);
        assert!(steps <= bound, "{name}: {steps} > {bound}");
        assert!(seconds < 1.0, "{name}: {seconds} s");
    }
}

#[test]
fn real_files() {
    let Some(archive) = webmill_evaluation::data("robots.tar.zst") else { return };
    let file = std::fs::File::open(&archive).unwrap();
    let mut tar = tar::Archive::new(zstd::Decoder::new(file).unwrap());
    let (mut files, mut rules) = (0, 0);
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let mut body = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut body).unwrap();
        let robots = Robots::parse(&body, "webmill");
        files += 1;
        rules += robots.rules();
        assert_eq!(Robots::from_bytes(&robots.to_bytes()), Some(robots));
    }
    assert!(files == 2156 && rules > files, "{files} files, {rules} rules");
}
