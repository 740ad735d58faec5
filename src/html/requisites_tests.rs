use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("a URL")
}

fn found(source: &str) -> Vec<(String, RequisiteKind)> {
    let dom = parse(source, &Limits::default());
    let mut all = Vec::new();
    let dropped = each_requisite(&dom, &url("http://e.org/d/p"), &RequisiteLimits::default(), &mut |r| {
        all.push((r.url.into_string(), r.kind));
    });
    assert_eq!(dropped, 0);
    all
}

#[test]
fn every_place_that_a_browser_fetches_from() {
    use RequisiteKind::{Frame, Image, Manifest, Media, Other, Script, Style};
    let cases: [(&str, &[(&str, RequisiteKind)]); 40] = [
        ("<script src=a.js></script>", &[("a.js", Script)]),
        ("<link rel=stylesheet href=a.css>", &[("a.css", Style)]),
        ("<link rel='alternate stylesheet' href=a.css>", &[("a.css", Style)]),
        ("<link rel='shortcut icon' href=a.ico>", &[("a.ico", Image)]),
        ("<link rel=apple-touch-icon href=a.png>", &[("a.png", Image)]),
        ("<link rel=manifest href=a.json>", &[("a.json", Manifest)]),
        ("<link rel=preload as=font href=a.woff2>", &[("a.woff2", Image)]),
        ("<link rel=preload as=fetch href=a.bin>", &[("a.bin", Other)]),
        ("<link rel=modulepreload href=a.mjs>", &[("a.mjs", Script)]),
        ("<link rel=next href=2><link rel=canonical href=c><link rel=dns-prefetch href=//x.org>", &[]),
        (
            "<link rel=preload as=image href=a.png imagesrcset='b.png 1x'>",
            &[("a.png", Image), ("b.png", Image)],
        ),
        (
            "<img src=a.png srcset='b.png 1x, c.png 2x'>",
            &[("a.png", Image), ("b.png", Image), ("c.png", Image)],
        ),
        (
            "<picture><source srcset='a.webp'><img src=b.png></picture>",
            &[("a.webp", Image), ("b.png", Image)],
        ),
        ("<video src=a.mp4 poster=b.png></video>", &[("a.mp4", Media), ("b.png", Image)]),
        ("<audio><source src=a.ogg><track src=b.vtt></audio>", &[("a.ogg", Media), ("b.vtt", Media)]),
        ("<input type=IMAGE src=a.png><input type=text src=b.png>", &[("a.png", Image)]),
        ("<img data-src=a.png><div data-bg='url(b.png)'></div>", &[("a.png", Image), ("b.png", Image)]),
        ("<img data-srcset='a.png 1x, b.png 2x'>", &[("a.png", Image), ("b.png", Image)]),
        ("<img data-original=/a.png><img data-lazy-src=b.png>", &[("/a.png", Image), ("b.png", Image)]),
        ("<img data-src='{{x}}.png'><img data-lazy=true><p data-src='a b.c'>", &[]),
        ("<iframe data-src=a.html></iframe>", &[("a.html", Frame)]),
        ("<iframe src=a.html></iframe>", &[("a.html", Frame)]),
        ("<frameset><frame src=a.html></frameset>", &[("a.html", Frame)]),
        ("<object data=a.svg></object><embed src=b.swf>", &[("a.svg", Frame), ("b.swf", Frame)]),
        ("<svg><use href='a.svg#x'/><use href='#y'/></svg>", &[("a.svg", Image)]),
        ("<svg><image xlink:href=a.png /></svg>", &[("a.png", Image)]),
        ("<svg><rect fill='url(a.svg#g)' /></svg>", &[("a.svg", Image)]),
        ("<svg><style>a{b:url(c.png)}</style></svg>", &[("c.png", Image)]),
        ("<svg><a href=x><text>t</text></a></svg>", &[]),
        ("<p style='background: url(&quot;a.png&quot;)'>", &[("a.png", Image)]),
        (
            "<style>@import 'a.css'; @font-face{src:url(b.woff)}</style>",
            &[("a.css", Style), ("b.woff", Image)],
        ),
        ("<body background=a.png>", &[("a.png", Image)]),
        ("<noscript><img src=a.png></noscript>", &[("a.png", Image)]),
        ("<template><img src=a.png></template>", &[("a.png", Image)]),
        ("<iframe srcdoc='<img src=a.png>'></iframe>", &[("a.png", Image)]),
        ("<img src='data:image/png,x'><img src=''><img src='#x'><img src='blob:x'>", &[]),
        ("<a href=a.png><area href=b></a>", &[]),
        ("<img src='ftp://e.org/a.png'>", &[]),
        ("<img src=' a.png\n'>", &[("a.png", Image)]),
        ("<p style='b:url(\\61.png)'>", &[("a.png", Image)]),
    ];
    for (source, expected) in cases {
        let base = url("http://e.org/d/p");
        let expected: Vec<_> =
            expected.iter().map(|&(href, kind)| (base.join(href).unwrap().into_string(), kind)).collect();
        assert_eq!(found(source), expected, "{source}");
    }
}

#[test]
fn the_base_holds_wherever_it_stands() {
    let one = |source: &str| found(source).pop().map(|(url, _)| url);
    assert_eq!(one("<img src=a><base href=/x/>").as_deref(), Some("http://e.org/x/a"));
    assert_eq!(one("<base href=/x/><iframe srcdoc='<img src=a>'>").as_deref(), Some("http://e.org/x/a"));
    let inner = "<iframe srcdoc='<base href=/y/><img src=a>'>";
    assert_eq!(one(inner).as_deref(), Some("http://e.org/y/a"));
}

#[test]
fn documents_in_documents_end_at_their_depth() {
    let mut source = "<img src=deep.png>".to_owned();
    for _ in 0..=MAX_NESTED {
        source =
            format!("<iframe srcdoc=\"{}\"></iframe>", source.replace('&', "&amp;").replace('"', "&quot;"));
    }
    assert_eq!(found(&source), []);
}

#[test]
fn what_is_beyond_the_limit_is_counted() {
    let set: String = (0..100_000).map(|n| format!("p{n}.png {n}w, ")).collect();
    let dom = parse(&format!("<img srcset='{set}'>"), &Limits::default()).len();
    assert!(dom < 10);
    let source = format!("<base href=http://e.org/{}/><img srcset='{set}'>", "b".repeat(10_000));
    let dom = parse(&source, &Limits::default());
    let mut taken = 0u64;
    let dropped =
        each_requisite(&dom, &url("http://e.org/"), &RequisiteLimits::default(), &mut |_| taken += 1);
    assert_eq!(taken + dropped, 100_000);
    assert!((1_000..2_000).contains(&taken), "{taken}");
}

#[test]
fn manifests_name_pictures() {
    let cases: [(&str, &[&str]); 6] = [
        (
            r#"{"icons":[{"src":"a.png"},{"src":"/b.png","sizes":"1x1"}]}"#,
            &["http://e.org/m/a.png", "http://e.org/b.png"],
        ),
        (
            r#"{"screenshots":[{"src":"s.png"}],"shortcuts":[{"url":"/x","icons":[{"src":"i.png"}]}],"start_url":"/"}"#,
            &["http://e.org/m/s.png", "http://e.org/m/i.png"],
        ),
        (r#"{"icons":[{"src":7},"x",null]}"#, &[]),
        (r#"["icons"]"#, &[]),
        ("{", &[]),
        ("\u{feff}{\"icons\":[{\"src\":\"a.png\"}]}", &["http://e.org/m/a.png"]),
    ];
    for (source, expected) in cases {
        let mut all = Vec::new();
        let at = url("http://e.org/m/app.webmanifest");
        manifest_requisites(source.as_bytes(), &at, &RequisiteLimits::default(), &mut |r| {
            all.push(r.url.into_string());
        });
        assert_eq!(all, expected, "{source}");
    }
    let deep = "[".repeat(1_000_000);
    manifest_requisites(
        deep.as_bytes(),
        &url("http://e.org/"),
        &RequisiteLimits::default(),
        &mut |_| panic!(),
    );
}
