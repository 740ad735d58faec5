use super::*;
use crate::{Limits, parse};
use encoding_rs::{GBK, UTF_8};
const PAGE: &str = "http://example.com/dir/page.html?q=1";

fn found(source: &str, limits: &LinkLimits) -> Links {
    let dom = parse(source, &Limits::default());
    links(&dom, &CanonicalUrl::parse(PAGE).expect("a URL"), UTF_8, limits)
}

fn targets(source: &str) -> Vec<(&'static str, String)> {
    let all = found(source, &LinkLimits { images: true, ..LinkLimits::default() });
    all.links.into_iter().map(|link| (link.kind.name(), link.target.into_string())).collect()
}

#[test]
fn every_kind_and_its_target() {
    let cases: [(&str, &[(&str, &str)]); 28] = [
        ("<a href=x.html>x</a>", &[("a", "http://example.com/dir/x.html")]),
        ("<a href='  /y \n'>", &[("a", "http://example.com/y")]),
        ("<a href=?p=2>", &[("a", "http://example.com/dir/page.html?p=2")]),
        ("<a href=//o.org>", &[("a", "http://o.org/")]),
        ("<a href=page.html#x>", &[("a", "http://example.com/dir/page.html")]),
        ("<a name=x>", &[]),
        ("<map><area href=a.html alt=A></map>", &[("area", "http://example.com/dir/a.html")]),
        ("<frameset><frame src=f.html></frameset>", &[("frame", "http://example.com/dir/f.html")]),
        ("<iframe src=i.html></iframe>", &[("iframe", "http://example.com/dir/i.html")]),
        ("<form action=/s><input></form>", &[("form", "http://example.com/s")]),
        ("<form method=GET action=/s></form>", &[("form", "http://example.com/s")]),
        ("<form method=Post action=/s></form>", &[]),
        ("<form></form>", &[]),
        ("<meta http-equiv=Refresh content='0; URL=/r'>", &[("meta-refresh", "http://example.com/r")]),
        ("<meta http-equiv=refresh content=5>", &[]),
        ("<link rel=canonical href=/c>", &[("canonical", "http://example.com/c")]),
        ("<link rel='ALTERNATE' hreflang=de href=/de>", &[("hreflang", "http://example.com/de")]),
        (
            "<link rel=next href=/2><link rel='shortcut icon' href=/i><link rel=stylesheet href=/s>",
            &[("link", "http://example.com/2")],
        ),
        ("<img src=i.png alt=x>", &[("img", "http://example.com/dir/i.png")]),
        (
            "<img src=i.png srcset='s.png 1x, b.png 2x'>",
            &[("img", "http://example.com/dir/i.png"), ("img", "http://example.com/dir/b.png")],
        ),
        ("<img src='' srcset='s.png 99w, b.png 100w'>", &[("img", "http://example.com/dir/b.png")]),
        ("<svg><a xlink:href=/s><text>t</text></a></svg>", &[("a", "http://example.com/s")]),
        ("<base href=/other/><a href=x>", &[("a", "http://example.com/other/x")]),
        (
            "<a href=x></a><base target=_top><base href=http://b.org/d/><base href=/no/>",
            &[("a", "http://b.org/d/x")],
        ),
        ("<base href='javascript:1'><a href=x>", &[("a", "http://example.com/dir/x")]),
        ("<noscript><a href=n>n</a></noscript>", &[("a", "http://example.com/dir/n")]),
        ("<template><a href=t></a></template><script>'<a href=s>'</script>", &[]),
        ("<a href='java\nscript:1'>", &[]),
    ];
    for (source, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|&(kind, target)| (kind, target.to_owned())).collect();
        assert_eq!(targets(source), expected, "{source}");
    }
}

#[test]
fn words_of_a_link_and_around_it() {
    let cases = [
        ("<p>Read <a href=x> the\n <b>big</b>  book</a> today", ("Read", "the big book", "today")),
        ("<p>one</p><a href=x>two</a><p>three</p>", ("one", "two", "three")),
        ("in<a href=x>side</a>out", ("in", "side", "out")),
        ("<a href=x><img alt='A  house' src=h.png></a>", ("", "A house", "")),
        ("<a href=x><img alt=A src=h.png> words</a>", ("", "words", "")),
        ("<a href=x><div>a</div><div>b</div></a>c", ("", "a b", "c")),
        ("<title>T</title><style>s</style><a href=x>y</a><script>z</script>", ("", "y", "")),
        ("你好<a href=x>世界</a>再见", ("你好", "世界", "再见")),
        ("<a href=x>&nbsp;</a>", ("", "", "")),
        ("<area href=x alt=' the  map '>", ("", "the map", "")),
    ];
    for (source, expected) in cases {
        let all = found(source, &LinkLimits::default());
        let link = &all.links[0];
        assert_eq!((&*link.before, &*link.anchor, &*link.after), expected, "{source}");
    }
}

#[test]
fn surroundings_and_anchors_are_cut_at_characters() {
    let source = format!("{}<a href=x>{}</a>{}", "网".repeat(40), "页".repeat(1000), "字".repeat(40));
    let all = found(&source, &LinkLimits::default());
    let link = &all.links[0];
    assert_eq!((link.before.len(), link.anchor.len(), link.after.len()), (48, 1023, 48));
}

#[test]
fn relations() {
    let cases = [
        ("<a href=x rel='NoFollow  External'>", Some("nofollow external"), true),
        ("<a href=x rel=ugc>", Some("ugc"), true),
        ("<a href=x rel=sponsored>", Some("sponsored"), true),
        ("<a href=x rel=' '>", None, false),
        ("<a href=x>", None, false),
        ("<a href=x rel=nofollowing>", Some("nofollowing"), false),
    ];
    for (source, rel, nofollow) in cases {
        let all = found(source, &LinkLimits::default());
        assert_eq!((all.links[0].rel.as_deref(), all.links[0].nofollow), (rel, nofollow), "{source}");
    }
}

#[test]
fn what_is_no_link_is_counted() {
    let source = "<a href='#a'><a href=''><a href=' JavaScript:x()'><a href='mailto:a@b.c'><a href='data:,x'>\
        <a href='tel:1'><a href='http://[bad'><link rel=icon href=i><form method=post action=/p></form><img src=i>";
    let all = found(source, &LinkLimits::default());
    let expected = Skipped {
        fragment: 2,
        script: 1,
        mail: 1,
        data: 1,
        scheme: 1,
        invalid: 1,
        resource: 1,
        post: 1,
        nested: 0,
        limit: 0,
    };
    assert_eq!((all.links.len(), all.skipped, all.images), (0, expected, 1));
}

#[test]
fn limits_are_counted() {
    let source = "<a href=x>y</a>".repeat(30);
    let all = found(&source, &LinkLimits { max_links: 10, ..LinkLimits::default() });
    assert_eq!((all.links.len(), all.skipped.limit), (10, 20));
    assert_eq!(all.links.last().map(|link| link.position), Some(9));
    // A long base multiplied by many links.
    let source = format!("<base href=/{}/>{}", "b".repeat(10_000), "<a href=x>y</a>".repeat(2000));
    let all = found(&source, &LinkLimits { max_target_bytes: 100_000, ..LinkLimits::default() });
    assert_eq!((all.links.len(), all.skipped.limit), (10, 1990));
}

#[test]
fn queries_are_sent_in_the_encoding_of_the_page() {
    let dom = parse("<a href='/路?q=网'>", &Limits::default());
    let all = links(&dom, &CanonicalUrl::parse(PAGE).expect("a URL"), GBK, &LinkLimits::default());
    assert_eq!(all.links[0].target.as_str(), "http://example.com/%E8%B7%AF?q=%CD%F8");
}

#[test]
fn refresh_urls() {
    let cases = [
        ("0;url=/a", Some("/a")),
        ("5, URL = '/a b' x", Some("/a b")),
        ("0; /a", Some("/a")),
        ("0 url=a", Some("a")),
        (".5;url=a", Some("a")),
        ("3.5;URL=a", Some("a")),
        ("0;url", Some("url")),
        ("0;url=", None),
        ("0;", None),
        ("0", None),
        ("x;url=a", None),
        ("0x;url=a", None),
        ("", None),
    ];
    for (content, expected) in cases {
        assert_eq!(refresh_url(content), expected, "{content}");
    }
}

#[test]
fn nested_and_repeated_links_stay_linear() {
    let deep = format!("<svg>{}", "<a href=x>t".repeat(20_000));
    assert_eq!(found(&deep, &LinkLimits::default()).links.len(), 20_000);
    let wide = "<a href=/x>word</a> ".repeat(200_000);
    assert_eq!(found(&wide, &LinkLimits::default()).links.len(), 200_000);
    let few = LinkLimits { max_links: 20_000, ..LinkLimits::default() };
    assert_eq!(found(&wide, &few).skipped.limit, 180_000);
}

#[test]
fn what_most_readers_never_see_gives_links_when_asked_for() {
    let hidden = LinkLimits { hidden: true, ..LinkLimits::default() };
    let cases: [(&str, &[(&str, &str)]); 14] = [
        ("<object data=a.pdf></object>", &[("object", "a.pdf")]),
        ("<embed src=a.swf>", &[("embed", "a.swf")]),
        ("<template><a href=t>t</a></template>", &[("a", "t")]),
        ("<form><button formaction=b></button></form>", &[("form", "b")]),
        ("<form method=post><button formaction=b></button></form>", &[]),
        ("<form method=post><input type=submit formaction=b formmethod=get></form>", &[("form", "b")]),
        ("<form><button formaction=b formmethod=POST></button></form>", &[]),
        (
            "<frameset><frame src=f><noframes><body><a href=n>n</a></body></noframes></frameset>",
            &[("frame", "f"), ("a", "n")],
        ),
        ("<iframe srcdoc='<a href=s>s</a>'></iframe><a href=z>", &[("a", "z"), ("a", "s")]),
        ("<iframe srcdoc='<base href=/x/><a href=s>s</a>'></iframe>", &[("a", "/x/s")]),
        ("<base href=/y/><iframe srcdoc='<a href=s>s</a>'></iframe>", &[("a", "/y/s")]),
        ("<iframe src=i srcdoc='<a href=s>'></iframe>", &[("iframe", "i"), ("a", "s")]),
        ("<iframe srcdoc='<iframe srcdoc=&quot;<a href=s>&quot;></iframe>'></iframe>", &[("a", "s")]),
        ("<script>'<a href=s>'</script><noembed><a href=s></noembed>", &[]),
    ];
    let base = CanonicalUrl::parse(PAGE).expect("a URL");
    for (source, expected) in cases {
        let all = found(source, &hidden);
        let all: Vec<_> =
            all.links.into_iter().map(|link| (link.kind.name(), link.target.into_string())).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|&(kind, href)| (kind, base.join(href).expect("a URL").into_string()))
            .collect();
        assert_eq!(all, expected, "{source}");
    }
    assert_eq!(found("<object data=a><embed src=b>", &LinkLimits::default()).links, []);
}

#[test]
fn documents_in_documents_end_at_their_depth() {
    let mut source = "<a href=deep>".to_owned();
    for _ in 0..=MAX_NESTED {
        source =
            format!("<iframe srcdoc=\"{}\"></iframe>", source.replace('&', "&amp;").replace('"', "&quot;"));
    }
    let all = found(&source, &LinkLimits { hidden: true, ..LinkLimits::default() });
    assert_eq!((all.links.len(), all.skipped.nested), (0, 1));
}

#[test]
fn words_of_a_template_are_not_on_the_page() {
    let source = "<p>one <a href=x>two</a><template>three <a href=y>four</a></template> five";
    let all = found(source, &LinkLimits { hidden: true, ..LinkLimits::default() });
    let words: Vec<_> = all.links.iter().map(|link| (&*link.before, &*link.anchor, &*link.after)).collect();
    assert_eq!(words, [("one", "two", "five"), ("", "", "")]);
}

#[test]
fn shadow_roots_are_on_the_page() {
    let source = "<p>one <x-a><template shadowrootmode=open><a href=x>two</a></template></x-a><template><a href=y>t</a></template>";
    for hidden in [false, true] {
        let all = found(source, &LinkLimits { hidden, ..LinkLimits::default() });
        let first = &all.links[0];
        assert_eq!(
            (&*first.before, &*first.anchor, all.links.len()),
            ("one", "two", 1 + usize::from(hidden))
        );
    }
}

#[test]
fn a_million_links_are_links() {
    let source = "<a href=x>".repeat(1_000_000);
    let dom = parse(&source, &Limits { max_nodes: 4_000_000, ..Limits::default() });
    let limits = LinkLimits { max_anchor_bytes: 0, context_bytes: 0, ..LinkLimits::default() };
    let mut given = 0u32;
    let url = CanonicalUrl::parse(PAGE).expect("a URL");
    let (_, skipped, _) = each_link(&dom, &url, UTF_8, &limits, &mut |_| given += 1);
    assert_eq!((given, skipped.limit), (1_000_000, 0));
}

#[test]
fn links_stand_under_the_heading_before_them() {
    let source = "<a href=0>0</a><h1>People</h1><p><a href=1>1</a><h2><a href=2>Our <b>staff</b></a></h2>\
        <a href=3>3</a><h3><img src=x></h3><dl><dt>Ann<dd><a href=4>4</a></dl><meta http-equiv=refresh content='0;r'>";
    let all = found(source, &LinkLimits::default());
    let headings: Vec<&str> = all.links.iter().map(|link| &*link.heading).collect();
    // What no reader sees stands under none.
    assert_eq!(headings, ["", "People", "People", "Our staff", "Ann", ""]);
    let long = format!("<h1>{}</h1><a href=1>1</a>", "é".repeat(99));
    assert_eq!(found(&long, &LinkLimits::default()).links[0].heading.as_ref(), "é".repeat(50));
}
