use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("a URL")
}

fn list(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|e| (*e).to_owned()).collect()
}

fn verdict<'a>(scope: &'a Scope, text: &str) -> &'a str {
    scope.url(&url(text), 1).err().unwrap_or("in")
}

#[test]
fn hosts_of_seeds_by_default() {
    let scope =
        Scope::new(&ScopeOptions::default(), &[url("http://example.com:81/a"), url("http://1.2.3.4/")])
            .unwrap();
    for (text, want) in [
        ("https://example.com/b", "in"),
        ("http://www.example.com/", "in"),
        ("http://EXAMPLE.com./", "in"),
        ("http://a.example.com/", "host"),
        ("http://www.www.example.com/", "host"),
        ("http://xexample.com/", "host"),
        ("http://example.com.evil.example/", "host"),
        ("http://1.2.3.4:8080/", "in"),
        ("http://2.3.4/", "host"),
        ("ftp://example.com/", "scheme"),
        ("mailto:a@example.com", "scheme"),
    ] {
        assert_eq!(verdict(&scope, text), want, "{text}");
    }
    assert!(scope.address("10.0.0.1".parse().unwrap()).is_ok() && !scope.asks_address());
}

#[test]
fn suffixes_end_at_labels() {
    let options = ScopeOptions {
        seeds: Seeds::None,
        hosts: list(&["*.edu.cn", "*.北大.example"]),
        ..Default::default()
    };
    let scope = Scope::new(&options, &[url("http://seed.example/")]).unwrap();
    for (text, want) in [
        ("http://pku.edu.cn/", "in"),
        ("http://www.pku.edu.cn./", "in"),
        ("http://edu.cn/", "in"),
        ("http://xedu.cn/", "host"),
        ("http://edu.cn.example/", "host"),
        ("http://cs.北大.example/", "in"),
        ("http://seed.example/", "host"),
    ] {
        assert_eq!(verdict(&scope, text), want, "{text}");
    }
    assert_eq!(suffixes("a.b.c").collect::<Vec<_>>(), ["a.b.c", "b.c", "c"]);
    assert_eq!(suffixes("1.2.3.4").collect::<Vec<_>>(), ["1.2.3.4"]);
}

#[test]
fn domains_of_seeds_and_any() {
    let with = |seeds| {
        let options = ScopeOptions { seeds, hosts: vec![], ..Default::default() };
        Scope::new(&options, &[url("http://news.bbc.co.uk/"), url("http://me.github.io/")]).unwrap()
    };
    let domains = with(Seeds::Domains);
    for (text, want) in [
        ("http://bbc.co.uk/", "in"),
        ("http://a.b.bbc.co.uk/", "in"),
        ("http://other.co.uk/", "host"),
        ("http://you.github.io/", "host"),
    ] {
        assert_eq!(verdict(&domains, text), want, "{text}");
    }
    assert_eq!(verdict(&with(Seeds::Any), "http://anything.example/"), "in");
    assert_eq!(verdict(&with(Seeds::Any), "data:text/html,x"), "scheme");
}

#[test]
fn prefixes_expressions_and_depth() {
    let options = ScopeOptions {
        seeds: Seeds::Any,
        prefixes: list(&["https://a.example/docs/%7Eme", "/wiki/ä"]),
        url_include: list(&[r"e", r"never"]),
        url_exclude: list(&[r"\.pdf$", r"[?&]action="]),
        max_depth: Some(3),
        ..Default::default()
    };
    let scope = Scope::new(&options, &[]).unwrap();
    for (text, want) in [
        ("https://a.example/docs/~me/x", "in"),
        ("http://a.example/docs/~me/x", "prefix"),
        ("https://b.example/wiki/%c3%a4rger", "in"),
        ("https://b.example/wiki/b", "prefix"),
        ("https://b.com/wiki/%C3%A4", "url-include"),
        ("https://b.example/wiki/%C3%A4.pdf", "url-exclude"),
        ("https://b.example/wiki/%C3%A4?b&action=edit", "url-exclude"),
    ] {
        assert_eq!(verdict(&scope, text), want, "{text}");
    }
    assert_eq!(scope.url(&url("https://b.example/wiki/ä"), 3), Ok(()));
    assert_eq!(scope.url(&url("https://b.example/wiki/ä"), 4), Err("depth"));
}

#[test]
fn addresses_and_countries() {
    let table = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(table.path(), "162.105.0.0/16,CN\n8.8.8.0/24,US\n2001:da8::/32,CN\n").unwrap();
    let options = ScopeOptions {
        networks: list(&["9.9.0.0/16", "8.8.8.8", "cn"]),
        country_table: Some(table.path().to_owned()),
        ..Default::default()
    };
    let scope = Scope::new(&options, &[]).unwrap();
    assert!(scope.asks_address());
    for (address, want) in [
        ("162.105.1.7", Ok(())),
        ("::ffff:162.105.1.7", Ok(())),
        ("8.8.8.8", Ok(())),
        ("8.8.8.9", Err("network")),
        ("::ffff:9.9.9.9", Ok(())),
        ("2001:da8::5", Ok(())),
        ("2001:da9::5", Err("network")),
    ] {
        assert_eq!(scope.address(address.parse().unwrap()), want, "{address}");
    }
}

#[test]
fn media_types() {
    let scope = |types: &[&str]| {
        Scope::new(&ScopeOptions { media_types: list(types), ..Default::default() }, &[]).unwrap()
    };
    let some = scope(&["text/*", "application/*+XML", "Image/PNG"]);
    for (media, want) in [
        ("text/html", true),
        ("TEXT/HTML; charset=gbk", true),
        ("application/rss+xml", true),
        ("application/+xml", false),
        ("application/xml", false),
        ("image/png", true),
        ("image/jpeg", false),
        ("text", true),
        ("html", false),
        ("", true),
        (" ; charset=x", true),
        ("application/é+xml", true),
        ("application/é", false),
    ] {
        assert_eq!(some.media_type(media), want, "{media}");
    }
    assert!(scope(&[]).media_type("video/mp4") && scope(&["*/*"]).media_type("video/mp4"));
    let default = Scope::new(&ScopeOptions::default(), &[]).unwrap();
    assert!(
        default.media_type("text/html")
            && !default.media_type("text/css")
            && !default.media_type("image/png")
    );
}

#[test]
fn wrong_rules_are_named() {
    let bad = |change: fn(&mut ScopeOptions)| {
        let mut options = ScopeOptions::default();
        change(&mut options);
        match options.check() {
            Err(Error::Config(message)) => message,
            other => panic!("{other:?}"),
        }
    };
    assert!(bad(|o| o.hosts = list(&["a/b"])).contains("a/b"));
    assert!(bad(|o| o.hosts = list(&["a:8080"])).contains("a:8080"));
    assert!(bad(|o| o.hosts = list(&["u@a"])).contains("u@a"));
    assert!(bad(|o| o.hosts = list(&["*."])).contains("no host name"));
    assert!(bad(|o| o.prefixes = list(&["docs/"])).contains("docs/"));
    assert!(bad(|o| o.url_include = list(&["("])).contains("url_include"));
    assert!(bad(|o| o.url_exclude = list(&["(?:a{1000}){1000}"])).contains("url_exclude"));
    assert!(bad(|o| o.networks = list(&["1.2.3.4/40"])).contains("1.2.3.4/40"));
    assert!(bad(|o| o.networks = list(&["CN"])).contains("country_table"));
    assert!(bad(|o| o.media_types = list(&["html"])).contains("html"));
    assert!(bad(|o| o.media_types = list(&["*/html"])).contains("*/html"));
    for (types, meant) in [("pdf", "application/pdf"), ("*.PDF", "application/pdf")] {
        let options = ScopeOptions { media_types: list(&[types]), ..Default::default() };
        assert!(
            options.check().unwrap_err().to_string().ends_with(&format!("did you mean {meant}?")),
            "{types}"
        );
    }
    assert!(bad(|o| o.hosts = list(&["https://a.example/x"])).contains("did you mean a.example?"));
    assert!(bad(|o| o.prefixes = list(&["docs/"])).contains("did you mean \"/docs/\""));
    assert!(bad(|o| o.prefixes = list(&["a.example/x"])).contains("did you mean \"https://a.example/x\""));
    assert!(bad(|o| o.url_exclude = list(&["*.pdf"])).contains("ext:pdf"));
    assert!(bad(|o| o.seeds = Seeds::None).contains("none"));
    assert!(bad(|o| (o.seeds, o.hosts) = (Seeds::Any, list(&["a"]))).contains("any"));
    let options = ScopeOptions {
        networks: list(&["CN"]),
        country_table: Some("/no/such/table.csv".into()),
        ..Default::default()
    };
    assert!(options.check().is_ok());
    assert!(matches!(Scope::new(&options, &[]), Err(Error::Io { .. })));
}

#[test]
fn options_as_toml() {
    let options: ScopeOptions = toml::from_str("seeds = \"domains\"\nmax_depth = 3").unwrap();
    assert_eq!((options.seeds, options.max_depth), (Seeds::Domains, Some(3)));
    assert!(toml::from_str::<ScopeOptions>("seed = \"domains\"").is_err());
    let text = toml::to_string(&ScopeOptions::default()).unwrap();
    assert_eq!(toml::from_str::<ScopeOptions>(&text).unwrap(), ScopeOptions::default());
}
