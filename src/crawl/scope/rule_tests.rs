use proptest::prelude::*;

use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("a URL")
}

fn rule(text: &str) -> ScopeRule {
    match text.split_once(' ') {
        Some(("accept", when)) => ScopeRule::parse(RuleAction::Accept, when).unwrap(),
        Some(("reject", when)) => ScopeRule::parse(RuleAction::Reject, when).unwrap(),
        _ => panic!("{text}"),
    }
}

fn scope(rules: &[&str], change: impl Fn(&mut ScopeOptions)) -> Scope {
    let mut options =
        ScopeOptions { rules: rules.iter().map(|text| rule(text)).collect(), ..Default::default() };
    change(&mut options);
    Scope::new(&options, &[url("http://a.example/"), url("http://b.example/docs/")]).unwrap()
}

fn standing(depth: u32, off_site: u8, seed: &str) -> Standing {
    let seed = if seed.is_empty() { SeedMark::default() } else { SeedMark::of(&url(seed)) };
    Standing { depth, lineage: Lineage { off_site, seed } }
}

#[test]
fn every_condition_holds_for_what_it_says() {
    let here = standing(3, 2, "http://a.example/");
    for (condition, yes, no) in [
        ("all", "http://x.example/", ""),
        ("site", "http://www.a.example./", "http://x.example/"),
        ("host:c.example,www.D.example", "https://d.example:81/", "http://x.c.example/"),
        ("host:1.2.3.4", "http://1.2.3.4/", "http://2.3.4/"),
        ("domain:edu.cn,*.c.example", "http://pku.edu.cn/", "http://xedu.cn/"),
        ("domain:c.example", "http://c.example/", "http://xc.example/"),
        ("prefix:http://a.example/docs/", "http://a.example/docs/x", "https://a.example/docs/x"),
        ("prefix:/docs/%7e", "https://x.example/docs/~me?q", "http://a.example/x/docs/~me"),
        (r"re:/print/|[?&]print=\d", "http://a.example/?print=1", "http://a.example/?print=x"),
        ("ext:zip,.ISO,*.tar.gz", "http://a.example/x.y/b.TAR.gz?q=a.html", "http://a.example/a.gz"),
        ("ext:zip", "http://a.example/v1.2.zip;v=2", "http://a.example/x.zip/"),
        ("ext:iso", "http://a.example/.iso", "http://iso.example/iso"),
        ("depth:3", "http://a.example/", ""),
        ("depth:..3", "http://a.example/", ""),
        ("depth:3..", "http://a.example/", ""),
        ("!depth:4..9", "http://a.example/", ""),
        ("hops-off:2..4", "http://a.example/", ""),
        ("!hops-off:0", "http://a.example/", ""),
        ("seed:HTTP://u:p@a.example", "http://a.example/", ""),
        ("!seed:http://b.example/docs/", "http://a.example/", ""),
    ] {
        let text = format!("accept {condition}");
        let scope = scope(&[&text, "reject all"], |_| {});
        let verdict = |text: &str| scope.verdict(&url(text), here);
        assert_eq!(
            verdict(yes),
            Verdict { accepted: true, rule: &format!("rule 1 ({text})") },
            "{condition} {yes}"
        );
        if !no.is_empty() {
            assert_eq!(
                verdict(no),
                Verdict { accepted: false, rule: "rule 2 (reject all)" },
                "{condition} {no}"
            );
        }
        let turned = match condition.strip_prefix('!') {
            Some(plain) => plain.to_owned(),
            None => format!("!{condition}"),
        };
        let scope = self::scope(&[&format!("accept {turned}"), "reject all"], |_| {});
        assert!(!scope.verdict(&url(yes), here).accepted, "{turned} {yes}");
        assert!(no.is_empty() || scope.verdict(&url(no), here).accepted, "{turned} {no}");
    }
}

#[test]
fn the_first_rule_that_matches_decides_then_the_fields() {
    let scope = scope(
        &[
            "accept host:cdn.example ext:pdf",
            "reject host:cdn.example",
            "reject seed:http://b.example/docs/ !prefix:/docs/",
            "accept hops-off:..1 depth:..5",
            "reject re:/print/",
        ],
        |o| o.max_depth = Some(2),
    );
    for (text, at, want) in [
        ("http://cdn.example/a.pdf", standing(9, 9, ""), Ok(())),
        ("http://cdn.example/a.html", standing(1, 1, ""), Err("rule 2 (reject host:cdn.example)")),
        ("ftp://cdn.example/a.pdf", standing(1, 1, ""), Err("scheme")),
        ("http://b.example/docs/x", standing(1, 0, "http://b.example/docs/"), Ok(())),
        (
            "http://b.example/x",
            standing(1, 0, "http://b.example/docs/"),
            Err("rule 3 (reject seed:http://b.example/docs/ !prefix:/docs/)"),
        ),
        ("http://b.example/x", standing(1, 0, "http://a.example/"), Ok(())),
        ("http://off.example/x", standing(4, 1, ""), Ok(())),
        ("http://off.example/x", standing(2, 2, ""), Err("host")),
        ("http://a.example/print/x", standing(6, 0, ""), Err("rule 5 (reject re:/print/)")),
        ("http://a.example/x", standing(6, 0, ""), Err("depth")),
    ] {
        assert_eq!(scope.url(&url(text), at), want, "{text}");
    }
    assert_eq!(scope.verdict(&url("http://a.example/x"), standing(9, 2, "")).rule, "depth");
}

#[test]
fn hops_off_the_site_are_counted_along_links_and_redirects() {
    let asks = scope(&["accept hops-off:..2"], |_| {});
    let on = Lineage::default();
    let off = |hops| Lineage { off_site: hops, ..on };
    let (a, x) = (url("http://a.example/p"), url("http://x.example/p"));
    assert_eq!(asks.linked(on, &a), on);
    assert_eq!(asks.linked(on, &x), off(1));
    assert_eq!(asks.linked(off(1), &x), off(2));
    assert_eq!(asks.linked(off(255), &x), off(255));
    assert_eq!(asks.linked(off(2), &a), on);
    assert_eq!(asks.redirected(on, &x), off(1));
    assert_eq!(asks.redirected(off(2), &x), off(2));
    // Where nobody asks, nothing is kept.
    let silent = scope(&["reject depth:7.."], |_| {});
    assert_eq!(silent.linked(on, &x), on);
    assert_eq!(silent.of_seed(&a), on);
    let seeds = scope(&["reject !seed:http://a.example/p"], |_| {});
    let of = seeds.of_seed(&a);
    assert!(of.seed == SeedMark::of(&a) && of.off_site == 0);
    assert_eq!(seeds.linked(of, &x), of);
    // With every host in scope the seeds' own are the site.
    let any = scope(&["reject hops-off:2.."], |o| o.seeds = Seeds::Any);
    assert_eq!((any.linked(on, &x), any.linked(on, &a)), (off(1), on));
}

#[test]
fn a_seed_that_moved_takes_its_host_along() {
    let hosts = scope(&[], |_| {});
    let moved = url("http://www.new.example/start");
    assert_eq!(hosts.url(&moved, 0), Err("host"));
    assert!(hosts.adopt(&moved) && !hosts.adopt(&moved) && !hosts.adopt(&url("http://a.example/x")));
    assert_eq!(hosts.url(&url("https://new.example/x"), 1), Ok(()));
    assert_eq!(hosts.url(&url("https://sub.new.example/x"), 1), Err("host"));
    assert_eq!(hosts.adopted(), ["new.example"]);
    let again = scope(&[], |_| {});
    again.restore(&hosts.adopted());
    assert_eq!(again.url(&moved, 1), Ok(()));
    let domains = scope(&[], |o| o.seeds = Seeds::Domains);
    assert!(domains.adopt(&url("http://home.new.co.uk/")));
    assert_eq!(domains.url(&url("http://other.new.co.uk/"), 1), Ok(()));
    assert_eq!(domains.url(&url("http://other.co.uk/"), 1), Err("host"));
    let listed = scope(&[], |o| (o.seeds, o.hosts) = (Seeds::None, vec!["c.example".into()]));
    assert!(!listed.adopt(&moved));
    let any = scope(&["reject hops-off:1.."], |o| o.seeds = Seeds::Any);
    assert!(any.url(&moved, Standing { lineage: any.linked(Lineage::default(), &moved), depth: 1 }).is_err());
    assert!(any.adopt(&moved));
    assert!(any.url(&moved, Standing { lineage: any.linked(Lineage::default(), &moved), depth: 1 }).is_ok());
}

#[test]
fn answers_are_judged_by_rules_with_a_type_then_by_the_list() {
    let scope = scope(
        &["accept type:image/*,application/zip prefix:/media/", "reject type:text/plain", "reject ext:html"],
        |_| {},
    );
    for (path, media, want) in [
        (
            "/media/a.png",
            "image/png; q=1",
            (true, "rule 1 (accept type:image/*,application/zip prefix:/media/)"),
        ),
        ("/a.png", "image/png", (false, "media-type")),
        ("/a.html", "text/html", (true, "fields")),
        ("/a.txt", "TEXT/plain", (false, "rule 2 (reject type:text/plain)")),
        ("/media/a", "", (true, "fields")),
    ] {
        let url = url(&format!("http://a.example{path}"));
        let verdict = scope.answer(&url, 1, media);
        assert_eq!((verdict.accepted, verdict.rule), want, "{path}");
    }
    for (media, want) in
        [("image/png", true), ("text/plain", false), ("text/html", true), ("video/mp4", false)]
    {
        assert_eq!(scope.may_take(media), want, "{media}");
    }
    let partly =
        self::scope(&["reject type:text/html prefix:/x/", "reject !type:text/*"], |o| o.media_types.clear());
    assert_eq!(["text/html", "image/png"].map(|media| partly.may_take(media)), [true, false]);
    // Such a rule says nothing about the URL itself.
    assert_eq!(scope.url(&url("http://a.example/media/x"), 1), Ok(()));
    assert_eq!(scope.url(&url("http://a.example/media/x.html"), 1), Err("rule 3 (reject ext:html)"));
    let traced = scope.trace(&url("http://c.example/x"), 1);
    assert_eq!(traced.len(), 4);
    assert!(traced[0].contains("about answers") && traced[2].ends_with("does not match"), "{traced:?}");
    assert!(traced[3].starts_with("field host: "), "{traced:?}");
}

#[test]
fn what_waits_is_judged_again() {
    let scope = scope(&["reject all"], |_| {});
    let entry = |purpose, depth, redirects| Entry {
        url: url("http://a.example/x"),
        purpose,
        depth,
        redirects,
        lineage: Lineage::default(),
        retries: 0,
        postponed: 0,
        origin: None,
        referrer: None,
        priority: 0.0,
    };
    assert_eq!(scope.entry(&entry(Purpose::Page, 1, 0)), Err("rule 1 (reject all)"));
    assert_eq!(scope.entry(&entry(Purpose::Page, 0, 1)), Err("rule 1 (reject all)"));
    assert_eq!(scope.entry(&entry(Purpose::Page, 0, 0)), Ok(()), "a seed");
    assert_eq!(scope.entry(&entry(Purpose::Robots, 0, 0)), Ok(()));
    assert_eq!(scope.entry(&entry(Purpose::Sitemap, 0, 0)), Ok(()));
    let elsewhere = Entry { url: url("http://x.example/sitemap.xml"), ..entry(Purpose::Sitemap, 0, 0) };
    assert_eq!(scope.entry(&elsewhere), Err("host"));
    let accepts = self::scope(&["accept host:x.example"], |_| {});
    assert_eq!(accepts.entry(&elsewhere), Ok(()));
}

#[test]
fn wrong_conditions_are_named() {
    for (text, word) in [
        ("", "without conditions"),
        ("zip", "no condition is written so"),
        ("extension:zip", "ext:"),
        ("host:", "nothing stands"),
        ("host:a/b", "a/b"),
        ("host:a,,b", "no host name"),
        ("domain:a:8080", "a:8080"),
        ("prefix:docs/", "neither a URL nor a path"),
        ("re:(", "unclosed group"),
        ("re:(?:a{1000}){1000}", "size limit"),
        ("ext:", "nothing stands"),
        ("ext:a/b", "no extension"),
        ("ext:a.b.c", "no extension"),
        ("type:pdf", "no media type"),
        ("depth:..", "a range"),
        ("depth:5..2", "a range"),
        ("depth:-1", "a range"),
        ("hops-off:x", "a range"),
        ("seed:a.example", "a seed is a URL"),
        ("all:x", "no value"),
        ("site:a.example", "no value"),
    ] {
        let message = ScopeRule::parse(RuleAction::Reject, text).unwrap_err().to_string();
        assert!(message.contains(word), "{text}: {message}");
    }
    let options = ScopeOptions { rules: vec![rule("reject all"); 10_001], ..Default::default() };
    assert!(options.check().unwrap_err().to_string().contains("10001"));
}

#[test]
fn rules_as_toml() {
    let text = "max_depth = 3\n[[rules]]\naction = \"accept\"\nwhen = [\"host:a.example\", \"!ext:zip\"]\nname = \"a\"\n\
                [[rules]]\naction = \"reject\"\n";
    let options: ScopeOptions = toml::from_str(text).unwrap();
    assert_eq!(options.rules[0].to_string(), "accept host:a.example !ext:zip");
    assert_eq!(options.rules[0].label(0), "rule \"a\"");
    assert_eq!(options.rules[1].label(1), "rule 2 (reject all)");
    assert!(options.check().is_ok());
    let back = toml::to_string(&options).unwrap();
    assert_eq!(toml::from_str::<ScopeOptions>(&back).unwrap(), options);
    for bad in [
        "[[rules]]\naction = \"drop\"\n",
        "[[rules]]\nwhen = []\n",
        "[[rules]]\naction = \"accept\"\nhost = \"a\"\n",
    ] {
        assert!(toml::from_str::<ScopeOptions>(bad).is_err(), "{bad}");
    }
    let long =
        ScopeRule { action: RuleAction::Reject, when: vec![format!("re:{}", "é".repeat(200))], name: None };
    assert!(long.label(0).len() < 100);
}

proptest! {
    /// Rules that are compiled together decide as each rule does alone, also with more conditions than fit a word.
    #[test]
    fn many_rules_say_what_each_says(
        conditions in proptest::collection::vec((0usize..8, 0usize..30, any::<bool>()), 1..200), path in 0usize..30, depth in 0u32..30,
    ) {
        let write = |(kind, n, negated): &(usize, usize, bool)| {
            let text = match kind {
                0 => format!("host:h{n}.example"),
                1 => format!("domain:d{n}.h{}.example", n % 5),
                2 => format!("prefix:/p{n}/"),
                3 => format!("re:p{n}/"),
                4 => format!("ext:e{n},e{}", n + 1),
                5 => format!("depth:{n}.."),
                6 => format!("hops-off:{n}"),
                _ => "site".to_owned(),
            };
            if *negated { format!("!{text}") } else { text }
        };
        let texts: Vec<String> = conditions.chunks(2).map(|pair| {
            format!("accept {}", pair.iter().map(write).collect::<Vec<_>>().join(" "))
        }).collect();
        let url = url(&format!("http://x.d{path}.h{}.example/p{path}/a.e{path}", path % 5));
        let at = Standing { depth, lineage: Lineage { off_site: path as u8, ..Lineage::default() } };
        let all = scope(&texts.iter().map(String::as_str).collect::<Vec<_>>(), |_| {});
        let first = texts.iter().position(|text| scope(&[text], |_| {}).verdict(&url, at).rule.starts_with("rule"));
        let want = first.map_or("host".to_owned(), |n| ScopeRule::label(&rule(&texts[n]), n));
        let verdict = all.verdict(&url, at);
        prop_assert_eq!(verdict.rule, want);
    }
}
