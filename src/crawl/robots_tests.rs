use super::*;
use proptest::prelude::*;
use std::time::Instant;

fn allowed(robots: &str, agent: &str, path: &str) -> bool {
    let url = CanonicalUrl::parse(&format!("http://foo.bar{path}")).unwrap();
    Robots::parse(robots.as_bytes(), agent).check(&url).allowed
}

/// A file, then (agent, path, whether it may be fetched).
type Case<'a> = (&'a str, &'a [(&'a str, &'a str, bool)]);

fn hold(cases: &[Case<'_>]) {
    for (robots, checks) in cases {
        for (agent, path, want) in *checks {
            assert_eq!(allowed(robots, agent, path), *want, "{agent} {path} by\n{robots}");
        }
    }
}

#[test]
fn help() {
    hold(&[
        (
            "User-agent: *\nDisallow: /help",
            &[
                ("a", "/help", false),
                ("a", "/help.html", false),
                ("a", "/help/index.html", false),
                ("a", "/hel", true),
                ("a", "/a/help", true),
            ],
        ),
        (
            "User-agent: *\nDisallow: /help/",
            &[("a", "/help.html", true), ("a", "/help", true), ("a", "/help/index.html", false)],
        ),
        ("User-agent: *\nDisallow:", &[("a", "/help.html", true), ("a", "/", true)]),
        ("User-agent: *\nDisallow: /", &[("a", "/", false), ("a", "/x", false), ("a", "/robots.txt", true)]),
    ]);
}

#[test]
fn lines() {
    hold(&[
        ("", &[("FooBot", "/", true)]),
        ("user-agent: FooBot\ndisallow: /\n", &[("FooBot", "/x/y", false), ("", "/x/y", true)]),
        ("foo: FooBot\nbar: /\n", &[("FooBot", "/x/y", true)]),
        // Without a colon.
        ("user-agent FooBot\ndisallow /\n", &[("FooBot", "/x/y", false)]),
        ("user-agent FooBot\ndisallow /a:b\n", &[("FooBot", "/a:b", false), ("FooBot", "/b", true)]),
        ("user-agent: FooBot\ndisallow / x\n", &[("FooBot", "/", true)]),
        // White space.
        (" \tuser-agent \t:\t FooBot \n disallow\t:/x \n", &[("FooBot", "/x", false), ("FooBot", "/", true)]),
        // Case of names.
        ("USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /", &[("FooBot", "/x/y", true), ("FooBot", "/a", false)]),
        ("uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /", &[("FooBot", "/x/y", true), ("FooBot", "/a", false)]),
        // Ends of lines.
        ("user-agent: a\rdisallow: /x\rallow: /x/y\r", &[("a", "/x", false), ("a", "/x/y", true)]),
        ("user-agent: a\r\n\r\ndisallow: /x\r\nallow: /x/y", &[("a", "/x", false), ("a", "/x/y", true)]),
        ("user-agent: a\n\rdisallow: /x\n\n\n\rallow: /x/y", &[("a", "/x", false), ("a", "/x/y", true)]),
        ("user-agent: a\u{2028}disallow: /x", &[("a", "/x", true)]),
        // Comments.
        (
            "user-agent: a # disallow: /\n# disallow: /\n#\ndisallow: /x#y\nallow: /",
            &[("a", "/x", false), ("a", "/b", true)],
        ),
        ("user-agent: a\ndisallow: #/x\n", &[("a", "/x", true)]),
        ("user-agent: a\ndis#allow: /x\n", &[("a", "/x", true)]),
        // A page instead of rules.
        ("<!DOCTYPE html>\n<p>User-agent: *\n<a href=\"http://a/\">Disallow: /</a>", &[("a", "/", true)]),
        ("{\"user-agent\": \"*\", \"disallow\": \"/\"}", &[("a", "/", true)]),
        // Rules of no group.
        ("disallow: /\nuser-agent: a\nallow: /x", &[("a", "/", true)]),
        ("allow: /\ndisallow: /x\n", &[("a", "/x", true)]),
    ]);
}

#[test]
fn misspellings() {
    for name in
        ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "Disallowed", "DISALOW"]
    {
        hold(&[(&format!("user-agent: a\n{name}: /x"), &[("a", "/x", false)])]);
    }
    for name in ["user-agent", "useragent", "user agent", "User-agents", "USER AGENT"] {
        hold(&[(&format!("{name}: a\ndisallow: /x"), &[("a", "/x", false)])]);
    }
    for name in ["disalllow", "dis-allow", "noindex", "block", "isallow"] {
        hold(&[(&format!("user-agent: a\n{name}: /x"), &[("a", "/x", true)])]);
    }
    let robots = Robots::parse(b"Site-map: /a\nSITEMAP: /b\nsitemaps: /c\nsitemap http://d/\nmap: /e", "a");
    assert_eq!(robots.sitemaps(), ["/a", "/b", "/c", "http://d/"]);
}

#[test]
fn groups() {
    let three = "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\n\
                 allow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n";
    hold(&[
        (
            three,
            &[
                ("FooBot", "/x/b", true),
                ("FooBot", "/z/d", true),
                ("FooBot", "/y/c", false),
                ("BarBot", "/y/c", true),
                ("BarBot", "/w/a", true),
                ("BarBot", "/z/d", false),
                ("BazBot", "/z/d", true),
                ("FooBot", "/foo/bar/", false),
                ("BarBot", "/foo/bar/", false),
                ("BazBot", "/foo/bar/", false),
            ],
        ),
        // The group of all counts only where ours is not named, wherever it stands.
        (
            "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /",
            &[("FooBot", "/x", false), ("BarBot", "/x", true)],
        ),
        (
            "user-agent: FooBot\nallow: /\nuser-agent: BarBot\ndisallow: /",
            &[("QuxBot", "/x", true), ("BarBot", "/x", false)],
        ),
        (
            "user-agent: *\ndisallow: /x/\nuser-agent: FooBot\ndisallow: /y/",
            &[("FooBot", "/x/a", true), ("FooBot", "/y/a", false), ("B", "/x/a", false)],
        ),
        ("user-agent: FooBot\n\nuser-agent: *\ndisallow: /", &[("FooBot", "/", false)]),
        ("user-agent: FooBot\ndisallow:\nuser-agent: *\ndisallow: /", &[("FooBot", "/", true)]),
        ("user-agent: *\ndisallow: /\nuser-agent: FooBot", &[("FooBot", "/", true), ("B", "/", false)]),
        ("user-agent: *\nuser-agent: FooBot\ndisallow: /x", &[("FooBot", "/x", false), ("B", "/x", false)]),
        // Two groups of all are one.
        (
            "user-agent: *\ndisallow: /a\nuser-agent: b\ndisallow: /c\nuser-agent: *\ndisallow: /d",
            &[("a", "/a", false), ("a", "/c", true), ("a", "/d", false)],
        ),
        // What is no rule does not end the list of agents.
        (
            "user-agent: a\nsitemap: http://a/\nuser-agent: b\ndisallow: /",
            &[("a", "/", false), ("b", "/", false), ("c", "/", true)],
        ),
        (
            "user-agent: a\ncrawl-delay: 5\nuser-agent: b\ndisallow: /",
            &[("a", "/", false), ("b", "/", false)],
        ),
        ("user-agent: a\nhost: x\n\nuser-agent: b\ndisallow: /", &[("a", "/", false)]),
        // Nor the group.
        (
            "user-agent: a\ndisallow: /x\nsitemap: /s\n\nnoindex: /q\ndisallow: /y",
            &[("a", "/x", false), ("a", "/y", false)],
        ),
        // An empty rule ends it as any rule does.
        ("user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /", &[("a", "/", true), ("b", "/", false)]),
    ]);
}

#[test]
fn agents() {
    let one = |value: &str| format!("User-Agent: {value}\nDisallow: /");
    hold(&[
        (
            &one("FooBot"),
            &[
                ("foobot", "/", false),
                ("FOOBOT/2.1", "/", false),
                ("FooBo", "/", true),
                ("FooBots", "/", true),
            ],
        ),
        (&one("FooBot/1.0"), &[("FooBot", "/", false)]),
        (&one("foobot (like Bar)"), &[("FooBot", "/", false), ("Bar", "/", true)]),
        (&one("Foo Bar"), &[("Foo", "/", false), ("foo bar", "/", false), ("Bar", "/", true)]),
        (&one("Foo_Bar-Baz"), &[("foo_bar-baz/3", "/", false), ("Foo", "/", true)]),
        (&one("Foobot*"), &[("FooBot", "/", false), ("FooBotX", "/", true)]),
        (&one("*"), &[("x", "/", false), ("", "/", false), ("ツ", "/", false)]),
        (&one("* all of you"), &[("x", "/", false)]),
        (&one("*x"), &[("x", "/", true)]),
        (&one(""), &[("", "/", true), ("x", "/", true)]),
        (&one("ツ"), &[("ツ", "/", true), ("x", "/", true)]),
        (&one("360Spider"), &[("360Spider", "/", true), ("Spider", "/", true)]),
        (
            "User-agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /",
            &[("Foo", "/x/y", true), ("Baz", "/x/y", false)],
        ),
    ]);
}

#[test]
fn longest_match() {
    let rules = |rules: &str| format!("user-agent: FooBot\n{rules}");
    let one = |text: &str, path: &str, want: bool| {
        assert_eq!(allowed(&rules(text), "FooBot", path), want, "{path} by {text}");
    };
    one("disallow: /x/page.html\nallow: /x/", "/x/page.html", false);
    one("allow: /x/page.html\ndisallow: /x/", "/x/page.html", true);
    one("allow: /x/page.html\ndisallow: /x/", "/x/", false);
    one("disallow:\nallow:", "/x", true);
    one("disallow: /\nallow: /", "/x", true);
    one("allow: /\ndisallow: /", "/x", true);
    one("disallow: /x\nallow: /x/", "/x", false);
    one("disallow: /x\nallow: /x/", "/x/", true);
    one("disallow: /x/page.html\nallow: /x/page.html", "/x/page.html", true);
    one("allow: /page\ndisallow: /*.html", "/page.html", false);
    one("allow: /page\ndisallow: /*.html", "/page", true);
    one("allow: /x/page.\ndisallow: /*.html", "/x/page.html", true);
    one("allow: /x/page.\ndisallow: /*.html", "/x/y.html", false);
    one("allow: /p\ndisallow: /", "/page", true);
    one("allow: /folder\ndisallow: /folder", "/folder/page", true);
    one("allow: /page\ndisallow: /*.htm", "/page.htm", false);
    one("allow: /page\ndisallow: /*.ph", "/page.php5", true);
    one("allow: /$\ndisallow: /", "/", true);
    one("allow: /$\ndisallow: /", "/page.html", false);
    // Special characters count as octets, encoded ones as three.
    one("disallow: /fish*\nallow: /fish", "/fish", false);
    one("disallow: /fish\nallow: /fish*", "/fish", true);
    one("allow: /fish\ndisallow: /fis*", "/fish", true);
    one("disallow: /fish$\nallow: /fish", "/fish", false);
    one("disallow: /ä*\nallow: /*ab", "/ä/ab", false);
    one("disallow: /fish***********\nallow: /fishheads", "/fishheads", false);
    // Case of paths.
    one("disallow: /X/", "/x/y", true);
    one("disallow: /x/", "/x/y", false);
}

#[test]
fn examples_of_the_rfc() {
    let simple = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
                  User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
                  User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n";
    hold(&[
        (
            simple,
            &[
                ("any", "/publications/a", true),
                ("any", "/example/a", false),
                ("any", "/a/b.gif", false),
                ("any", "/a/b.gif?", true),
                ("any", "/publications/b.gif", true),
                ("foobot", "/", false),
                ("foobot", "/example/page.html", true),
                ("foobot", "/example/allowed.gif", true),
                ("foobot", "/publications/a", false),
                ("barbot", "/example/page.html", false),
                ("bazbot", "/example/page.html", false),
                ("barbot", "/example/a.gif", true),
                ("quxbot", "/example/page.html", true),
            ],
        ),
        (
            "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif",
            &[("foobot", "/example/page/disallowed.gif", false), ("foobot", "/example/page/a", true)],
        ),
        (
            "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz",
            &[("examplebot", "/foo", false), ("examplebot", "/bar", false), ("examplebot", "/baz", false)],
        ),
        (
            "user-agent: *\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: BazBot\ndisallow: /baz",
            &[("ExampleBot", "/foo", false), ("ExampleBot", "/baz", true), ("BazBot", "/foo", true)],
        ),
        (
            "user-agent: a\ndisallow: /this/*/exactly",
            &[("a", "/this/is/it/exactly", false), ("a", "/this/exactly", true)],
        ),
        (
            "user-agent: a\ndisallow: /this/path/exactly$",
            &[("a", "/this/path/exactly", false), ("a", "/this/path/exactly/", true)],
        ),
        (
            "user-agent: a\ndisallow: /path/file-with-a-%2A.html",
            &[("a", "/path/file-with-a-*.html", false), ("a", "/path/file-with-a-b.html", true)],
        ),
        (
            "user-agent: a\ndisallow: /path/foo-%24",
            &[("a", "/path/foo-$", false), ("a", "/path/foo-$x", false), ("a", "/path/foo-", true)],
        ),
    ]);
}

#[test]
fn percent_encoding() {
    let one = |rule: &str, path: &str, want: bool| {
        let robots = format!("User-agent: a\nDisallow: {rule}");
        assert_eq!(!allowed(&robots, "a", path), want, "{path} by {rule}");
    };
    // The table of RFC 9309, each form against each.
    let forms: [&[&str]; 4] = [
        &["/foo/bar?baz=quz"],
        &[
            "/foo/bar?baz=https://foo.bar",
            "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
            "/foo/bar?baz=https%3a%2f/foo.bar",
        ],
        &["/foo/bar/ツ", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"],
        &["/foo/bar/baz", "/foo/bar/%62%61%7A", "/foo/bar/%62a%7a"],
    ];
    for (i, some) in forms.iter().enumerate() {
        for (j, others) in forms.iter().enumerate() {
            for (rule, path) in some.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                one(rule, path, i == j);
            }
        }
    }
    one("/foo/bar?qux=taz&baz=http://foo.bar?tar&par", "/foo/bar?qux=taz&baz=http://foo.bar?tar&par", true);
    // The table of the draft of 1996.
    for (rule, path, want) in [
        ("/tmp", "/tmp", true),
        ("/tmp", "/tmp.html", true),
        ("/tmp", "/tmp/a.html", true),
        ("/tmp/", "/tmp", false),
        ("/tmp/", "/tmp/", true),
        ("/a%3cd.html", "/a%3Cd.html", true),
        ("/a%3Cd.html", "/a%3cd.html", true),
        ("/a<d.html", "/a%3cd.html", true),
        ("/a%2fb.html", "/a%2Fb.html", true),
        ("/a%2fb.html", "/a/b.html", false),
        ("/a/b.html", "/a%2fb.html", false),
        ("/%7ejoe/index.html", "/~joe/index.html", true),
        ("/~joe/index.html", "/%7Ejoe/index.html", true),
    ] {
        one(rule, path, want);
    }
    // Delimiters are what they are; data may be written either way.
    for (rule, path, want) in [
        ("/wiki/Special:Random", "/wiki/Special%3ARandom", true),
        ("/wiki/Special%3ARandom", "/wiki/Special:Random", true),
        ("/a?b=c%26d", "/a?b=c&d", false),
        ("/a?b=c%3Dd", "/a?b=c=d", false),
        ("/a?b=c+d", "/a?b=c%2Bd", false),
        ("/a?b", "/a%3Fb", false),
        ("/a%3Fb", "/a?b", false),
        ("/a;b", "/a%3Bb", false),
        ("/a b", "/a%20b", true),
        ("/a%20b", "/a b", true),
        ("/a|b^{c}", "/a%7Cb%5E%7Bc%7D", true),
        ("/q?x='a'", "/q?x=%27a%27", true),
        ("/(x)", "/%28x%29", true),
        ("/a%", "/a%", true),
        ("/a%zz", "/a%zz", true),
        ("/a%25b", "/a%b", false),
        ("/a\\b", "/a%5Cb", true),
        ("/a%00", "/a%00", true),
        // A slash after a star may be of the path or of the query.
        ("/*/print", "/a?u=/print", true),
        ("/*/print", "/a?u=%2Fprint", true),
        ("/*%2Fprint", "/a?u=%2Fprint", true),
        ("/*%2Fprint", "/a%2Fprint", true),
        ("/*%2Fprint", "/a/print", false),
        ("/*%2Fprint", "/a?b/print", true),
        ("/*%2Fprint", "/a%3Fb/print", false),
        ("/a*?b=%2F", "/ax?b=/", true),
    ] {
        one(rule, path, want);
    }
    // Octets that are not UTF-8 count as they are.
    let robots = Robots::parse(b"User-agent: a\nDisallow: /\xd6\xd0\n", "a");
    let check = |bytes: &[u8]| robots.check(&CanonicalUrl::parse_bytes(bytes).unwrap()).allowed;
    assert!(!check(b"http://a/%D6%D0x") && !check(b"http://a/\xd6\xd0") && check("http://a/中".as_bytes()));
    let again = Robots::from_bytes(&robots.to_bytes()).unwrap();
    assert_eq!(again, robots);
    assert!(!again.check(&CanonicalUrl::parse("http://a/%D6%D0").unwrap()).allowed);
}

#[test]
fn stars_and_ends() {
    let allow = |rule: &str| format!("user-agent: a\ndisallow: /\nallow: {rule}");
    let fish = [
        "/fish",
        "/fish.html",
        "/fish/salmon.html",
        "/fishheads",
        "/fishheads/yummy.html",
        "/fish.html?id=anything",
    ];
    let none = ["/bar", "/Fish.asp", "/catfish", "/?id=fish", "/Fish"];
    let cases: [(&str, &[&str], &[&str]); 18] = [
        ("/fish", &fish, &none),
        ("/fish*", &fish, &none),
        (
            "/fish/",
            &["/fish/", "/fish/salmon", "/fish/?salmon", "/fish/salmon.html", "/fish/?id=anything"],
            &["/bar", "/fish", "/fish.html", "/Fish/Salmon.html"],
        ),
        (
            "/*.php",
            &[
                "/filename.php",
                "/folder/filename.php",
                "/folder/filename.php?parameters",
                "//folder/any.php.file.html",
                "/filename.php/",
                "/index?f=filename.php/",
            ],
            &["/bar", "/php/", "/index?php", "/windows.PHP"],
        ),
        (
            "/*.php$",
            &["/filename.php", "/folder/filename.php", "/a.php.php"],
            &[
                "/bar",
                "/filename.php?parameters",
                "/filename.php/",
                "/filename.php5",
                "/php/",
                "/filename?php",
                "/aaaphpaaa",
                "//windows.PHP",
            ],
        ),
        (
            "/fish*.php",
            &["/fish.php", "/fishheads/catfish.php?parameters"],
            &["/bar", "/Fish.PHP", "/fishphp"],
        ),
        (
            "/foo/*/qux",
            &["/foo/bar/qux", "/foo//qux", "/foo/a/b/qux", "/foo/bax/quxy"],
            &["/foo/qux", "/foo/bar/quz"],
        ),
        ("/foo/bar$", &["/foo/bar"], &["/foo/bar/", "/foo/bar/qux", "/foo/bar?x"]),
        ("*", &["/", "/a?b"], &[]),
        ("/*", &["/", "/a?b"], &[]),
        ("*$", &["/", "/a?b"], &[]),
        ("/a*$", &["/a", "/ab"], &["/b"]),
        ("*a*b$", &["/ab", "/a/b", "/abab", "/axbb"], &["/b", "/aba", "/ba"]),
        ("/*aab*ab$", &["/aaabab", "/aabab", "/aabaab"], &["/aab", "/aaab", "/abaab"]),
        ("/a$b", &["/a$b", "/a%24bc"], &["/a", "/ab"]),
        ("/a$$", &["/a$"], &["/a", "/a$$", "/a$b"]),
        ("/a**b", &["/ab", "/axb"], &["/a"]),
        ("*?*=", &["/?a=", "/a/?b=c"], &["/a=?b", "/a"]),
    ];
    for (rule, yes, no) in cases {
        for path in yes {
            assert!(allowed(&allow(rule), "a", path), "{path} by {rule}");
        }
        for path in no {
            assert!(!allowed(&allow(rule), "a", path), "{path} by {rule}");
        }
    }
    // Values that can match nothing.
    for rule in ["x", "http://foo.bar/x", "$", "?x", "\\x", "^/x", "~"] {
        assert!(allowed(&format!("user-agent: a\ndisallow: {rule}"), "a", "/x"), "{rule}");
    }
}

#[test]
fn index_html_stands_for_its_folder() {
    let robots = "User-Agent: *\nAllow: /s/index.html\nDisallow: /\nAllow: /t/index.htm";
    for (path, want) in [
        ("/s/", true),
        ("/s/index.html", true),
        ("/s/index.htm", false),
        ("/s", false),
        ("/s/x", false),
        ("/t/", true),
        ("/t/index.html", true),
        ("/other", false),
    ] {
        assert_eq!(allowed(robots, "foobot", path), want, "{path}");
    }
    assert!(allowed("User-Agent: *\nDisallow: /s/index.html", "a", "/s/"));
}

#[test]
fn long_lines_are_cut() {
    let fill = |letter: &str| letter.repeat(MAX_LINE - 1 - "disallow: /x/".len());
    let (a, b) = (fill("a"), fill("b"));
    let short = |path: &str| path[..CHECKED].to_owned();
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
    assert_eq!(&long[MAX_BYTES - 3..MAX_BYTES], " /y");
    assert!(allowed(&long, "a", "/y"));
    assert!(!allowed(&long, "a", "/x"));
    assert!(allowed(&long[..MAX_BYTES], "a", "/y"));
    assert!(!allowed(&long[..MAX_BYTES - 1], "a", "/"));
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
    let denied = Robots::deny_all("robots.txt unreachable");
    assert_eq!(denied.check(&url), Verdict { allowed: false, rule: Some("robots.txt unreachable") });
    assert!(denied.check(&CanonicalUrl::parse("http://a/robots.txt").unwrap()).allowed);
    assert_eq!(Robots::allow_all().check(&url), Verdict { allowed: true, rule: None });
    assert_eq!(Robots::from_bytes(&denied.to_bytes()), Some(denied));
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
