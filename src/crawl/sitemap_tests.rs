use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write;

const BASE: &str = "http://example.com/catalog/sitemap.xml";

fn read_at(body: &[u8], base: &str) -> Sitemap {
    read(body, &CanonicalUrl::parse(base).unwrap(), &SitemapLimits::default())
}

fn read_text(body: &str) -> Sitemap {
    read_at(body.as_bytes(), BASE)
}

fn urls(sitemap: &Sitemap) -> Vec<&str> {
    sitemap.urls.iter().map(|entry| entry.url.as_str()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn urlset() {
    let sitemap = read_text(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- comment --><?xml-stylesheet href="x.xsl"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
  xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <url>
    <loc> http://EXAMPLE.com/catalog/?item=12&amp;desc=a%7eb </loc>
    <lastmod>2005-01-01</lastmod><changefreq>Monthly</changefreq><priority>0.8</priority>
    <image:image><image:loc>http://example.com/i.png</image:loc><image:title>x</image:title></image:image>
    <xhtml:link rel="alternate" hreflang="de" href="http://example.com/de"/>
  </url>
  <url><image:image><image:loc>http://example.com/j.png</image:loc></image:image><loc><![CDATA[http://example.com/a?b=1&c=2]]></loc></url>
  <url><loc>https://example.com/catalog/s</loc><lastmod>2024-05-01T12:00:00+02:00</lastmod><priority>7</priority></url>
  <url><loc>http://other.com/catalog/</loc><lastmod>soon</lastmod><changefreq>sometimes</changefreq></url>
  <url><loc>catalog.html</loc></url><url><loc/></url><url/><url><loc>mailto:a@b</loc></url>
  <URL><LOC>/x&#x26;y&#61;&eacute;&lol;</LOC></URL>
</urlset>"#,
    );
    assert_eq!(sitemap.kind, SitemapKind::Urlset);
    assert_eq!(
        urls(&sitemap),
        [
            "http://example.com/catalog/?item=12&desc=a~b",
            "http://example.com/a?b=1&c=2",
            "https://example.com/catalog/s",
            "http://other.com/catalog/",
            "http://example.com/catalog/catalog.html",
            "http://example.com/x&y=&eacute;&lol;",
        ]
    );
    let dates: Vec<_> = sitemap.urls[..4].iter().map(|entry| entry.lastmod_ms).collect();
    assert_eq!(dates, [Some(1_104_537_600_000), None, Some(1_714_557_600_000), None]);
    let foreign: Vec<_> = sitemap.urls.iter().map(|entry| entry.foreign).collect();
    assert_eq!(foreign, [false, false, false, true, false, false]);
    assert_eq!((sitemap.skipped, sitemap.defects.as_slice()), (3, &["entries without a URL"][..]));
}

#[test]
fn index() {
    let sitemap = read_text(
        "<s:sitemapindex xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'><s:sitemap><s:loc>http://example.com/1.xml.gz</s:loc>\
         <s:lastmod>2004-10-01T18:23:17+00:00</s:lastmod></s:sitemap><s:sitemap><s:loc>//cdn.com/2.xml</s:loc></s:sitemap></s:sitemapindex>",
    );
    assert_eq!(sitemap.kind, SitemapKind::Index);
    let found: Vec<_> = sitemap.sitemaps.iter().map(CanonicalUrl::as_str).collect();
    assert_eq!(found, ["http://example.com/1.xml.gz", "http://cdn.com/2.xml"]);
    assert!(sitemap.urls.is_empty() && sitemap.defects.is_empty());
}

#[test]
fn text() {
    let sitemap = read_text(
        "\u{feff}http://example.com/a\r\nHTTPS://example.com/b \n\n  # no\nexample.com/c\nhttp://a b/\n",
    );
    assert_eq!(urls(&sitemap), ["http://example.com/a", "https://example.com/b"]);
    assert_eq!((sitemap.kind, sitemap.skipped), (SitemapKind::Text, 3));
    for none in ["", "   \n", "{\"a\": 1}", "Not Found", "\0\0\0"] {
        let sitemap = read_text(none);
        assert!(sitemap.urls.is_empty() && sitemap.kind == SitemapKind::Unknown, "{none}");
    }
}

#[test]
fn rss() {
    let sitemap = read_text(
        r#"<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<link>http://example.com/</link><atom:link href="http://example.com/feed" rel="self"/>
<image><url>http://example.com/i.png</url><link>http://example.com/</link></image>
<item><title>A &amp; B</title><link>http://example.com/a</link><guid>http://example.com/guid</guid><pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate>
  <source url="http://o/"><link>http://o/</link></source><description>&lt;a href="http://no/"></description></item>
<item><guid isPermaLink="true">http://example.com/b</guid></item>
<item><guid isPermaLink="false">http://example.com/no</guid></item>
<item><guid>tag:1</guid><link/><atom:link href="/c" rel="alternate"/><atom:link href="/no" rel="replies"/></item>
<item><link><![CDATA[ http://other.org/d ]]></link><dc:date xmlns:dc="d">2020-01-02</dc:date></item>
</channel></rss>"#,
    );
    assert_eq!(sitemap.kind, SitemapKind::Rss);
    assert_eq!(
        urls(&sitemap),
        ["http://example.com/a", "http://example.com/b", "http://example.com/c", "http://other.org/d"]
    );
    let dates: Vec<_> = sitemap.urls.iter().map(|u| u.lastmod_ms).collect();
    assert_eq!(dates, [Some(1_031_356_801_000), None, None, Some(1_577_923_200_000)]);
    assert_eq!(sitemap.skipped, 1);
    let rdf = read_text(
        "<rdf:RDF xmlns:rdf='r'><channel><link>/no</link></channel><item rdf:about='x'><link>/a</link></item></rdf:RDF>",
    );
    assert_eq!((rdf.kind, urls(&rdf)), (SitemapKind::Rss, vec!["http://example.com/a"]));
}

#[test]
fn atom() {
    let sitemap = read_text(
        r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/"><link href="/"/><updated>2003-12-13T18:30:02Z</updated>
<entry><link rel="edit" href="no"/><link href="a?x=1&amp;y=2"/><link rel="alternate" href="no"/><published>2001-01-01</published><updated>2003-12-13T18:30:02Z</updated>
<source><link href="no"/></source><content type="xhtml"><div xmlns="x"><a href="no"/><link href="no"/></div></content></entry>
<entry xml:base="http://example.com/other/"><link rel="alternate" href="b"></link><published>2001-01-01</published></entry>
<entry><id>urn:1</id></entry></feed>"#,
    );
    assert_eq!(sitemap.kind, SitemapKind::Atom);
    assert_eq!(urls(&sitemap), ["http://example.com/blog/a?x=1&y=2", "http://example.com/other/b"]);
    let dates: Vec<_> = sitemap.urls.iter().map(|u| u.lastmod_ms).collect();
    assert_eq!(dates, [Some(1_071_340_202_000), Some(978_307_200_000)]);
    assert_eq!(sitemap.skipped, 1);
}

#[test]
fn broken_xml_gives_what_was_read() {
    let start = "<urlset><url><loc>http://example.com/a</loc></url><url><loc>http://example.com/b</loc>";
    for (tail, more, defect) in [
        ("</url></urlset>", &[][..], None),
        ("</url>", &[], None),
        ("", &[], Some("ends too early")),
        ("<lastmod>2020-", &[], Some("ends too early")),
        ("</url><url><loc>http://example.com/cut", &[], Some("ends too early")),
        ("</url><url><loc>http://example.com/c</lo", &[], Some("broken XML")),
        ("</url><!-- <url>", &[], Some("broken XML")),
        (
            "<url><loc>http://example.com/c</loc></url>",
            &["http://example.com/c"],
            Some("an entry without an end"),
        ),
        ("</b></x></url></url></urlset></urlset>", &[], None),
        (
            "</url><url><loc>http://example.com/c?a=1&b=2&</loc></url>",
            &["http://example.com/c?a=1&b=2&"],
            None,
        ),
        ("</url><url><loc>http://example.com/c</url></urlset>", &[], Some("entries without a URL")),
        ("</url></urlset><p>trailing", &[], Some("ends too early")),
    ] {
        let sitemap = read_text(&format!("{start}{tail}"));
        let want: Vec<&str> =
            ["http://example.com/a", "http://example.com/b"].iter().chain(more).copied().collect();
        assert_eq!(urls(&sitemap), want, "{tail}");
        assert_eq!(sitemap.defects.first().copied(), defect, "{tail}");
    }
    let garbage =
        read_text("Warning: x in y.php\n<?xml version='1.0'?><urlset><url><loc>/a</loc></url></urlset>");
    assert_eq!(
        (urls(&garbage), garbage.defects.clone()),
        (vec!["http://example.com/a"], vec!["text before the XML"])
    );
    let page = read_text("<!DOCTYPE html><html><body><url><loc>/a</loc></url>");
    assert_eq!((page.urls.len(), page.defects), (0, vec!["an HTML page"]));
    assert_eq!(read_text("<svg><url/></svg><x>").kind, SitemapKind::Urlset);
    assert_eq!(read_text("<svg><p/></svg>").defects, ["no sitemap"]);
}

#[test]
fn encodings() {
    let one = |body: &[u8]| read_at(body, BASE).urls.first().map(|u| u.url.as_str().to_owned());
    let xml = |encoding: &str, path: &[u8]| {
        [
            format!("<?xml version='1.0' encoding='{encoding}'?><urlset><url><loc>/").as_bytes(),
            path,
            b"</loc></url></urlset>",
        ]
        .concat()
    };
    let want = Some("http://example.com/%C3%A4".to_owned());
    assert_eq!(one(&xml("utf-8", "ä".as_bytes())), want);
    assert_eq!(one(&xml("ISO-8859-1", b"\xe4")), want);
    assert_eq!(one(&xml("unheard-of", "ä".as_bytes())), want);
    // It was read in octets: it cannot be what it says.
    assert_eq!(one(&xml("UTF-16", "ä".as_bytes())), want);
    let text = String::from_utf8(xml("UTF-16", "ä".as_bytes())).unwrap();
    let wide: Vec<u8> =
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(one(&wide), want);
    let bad = read_at(&xml("utf-8", b"\xe4"), BASE);
    assert_eq!(bad.defects, ["octets that its encoding does not have"]);
}

#[test]
fn gzip_within() {
    let body = b"<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>";
    let packed = gzip(body);
    let two = ["http://example.com/a", "http://example.com/b"];
    for packed in [packed.clone(), gzip(&packed), [gzip(&body[..30]), gzip(&body[30..])].concat()] {
        let sitemap = read_at(&packed, BASE);
        assert_eq!((urls(&sitemap), sitemap.defects.clone()), (two.to_vec(), vec![]));
    }
    assert!(read_at(&gzip(&gzip(&packed)), BASE).urls.is_empty());
    let cut = read_at(&packed[..packed.len() - 9], BASE);
    assert!(cut.defects.contains(&"damaged gzip") && !cut.urls.is_empty(), "{cut:?}");
}

#[test]
fn limits_hold() {
    let base = CanonicalUrl::parse(BASE).unwrap();
    let many = format!("<urlset>{}</urlset>", "<url><loc>/a</loc></url>".repeat(60_000));
    let start = std::time::Instant::now();
    let protocol = SitemapLimits { max_urls: 50_000, ..SitemapLimits::default() };
    let sitemap = read(many.as_bytes(), &base, &protocol);
    println!("50,000 entries: {:?}", start.elapsed());
    assert_eq!((sitemap.urls.len(), sitemap.defects), (50_000, vec!["more URLs than the limit"]));
    assert_eq!(read_text(&many).urls.len(), 60_000);
    let lines = read("http://a/\n".repeat(60_000).as_bytes(), &base, &protocol);
    assert_eq!((lines.urls.len(), lines.defects), (50_000, vec!["more URLs than the limit"]));
    assert_eq!(lines.kind, SitemapKind::Text);
    let just = read_text(&"http://a/\n".repeat(50_000));
    assert_eq!((just.urls.len(), just.defects.len()), (50_000, 0));
    // A bomb: 200 MB of zeros after one URL.
    let mut bomb = b"<urlset><url><loc>/a</loc></url><!--".to_vec();
    bomb.resize(200 << 20, b' ');
    let bomb = gzip(&bomb);
    assert!(bomb.len() < 2 << 20);
    let start = std::time::Instant::now();
    let sitemap = read_at(&bomb, BASE);
    println!("bomb of {} bytes: {:?}", bomb.len(), start.elapsed());
    assert_eq!((sitemap.urls.len(), sitemap.defects), (1, vec!["more bytes than the limit", "broken XML"]));
    let limits = SitemapLimits { max_bytes: 40, max_urls: 1 };
    let sitemap = read(many.as_bytes(), &base, &limits);
    assert_eq!(sitemap.urls.len(), 1);
    // Entities of a DTD are not expanded; depth and attributes cost nothing.
    let laughs = "<!DOCTYPE a [<!ENTITY l 'http://x/'><!ENTITY m '&l;&l;&l;&l;'>]><urlset><url><loc>/&m;&m;</loc></url></urlset>";
    assert_eq!(urls(&read_text(laughs)), ["http://example.com/&m;&m;"]);
    let deep = format!("<urlset>{}<url><loc>/a</loc></url>", "<x>".repeat(1_000_000));
    assert_eq!(read_text(&deep).urls.len(), 1);
    let attributes = format!("<feed><entry><link {} href='/a'/></entry></feed>", "a='b' ".repeat(100_000));
    let start = std::time::Instant::now();
    assert!(read_text(&attributes).urls.is_empty());
    let long =
        format!("<urlset><url><loc>/{}</loc></url><url><loc>/b</loc></url></urlset>", "a".repeat(10 << 20));
    assert_eq!(urls(&read_text(&long)), ["http://example.com/b"]);
    let references = format!("<urlset><url><loc>/{}</loc></url></urlset>", "&amp;".repeat(1 << 20));
    assert!(read_text(&references).urls.is_empty());
    assert!(start.elapsed().as_secs() < 5);
}

proptest! {
    #[test]
    fn what_was_written_is_read(paths in proptest::collection::vec("[a-z0-9&<>'\"?=;/]{0,12}", 0..20), style in 0..3u8) {
        let base = CanonicalUrl::parse(BASE).unwrap();
        let want: Vec<String> = paths.iter().filter_map(|path| base.join(&format!("/x{path}"))).map(CanonicalUrl::into_string).collect();
        let mut xml = String::from("<urlset>");
        for path in &paths {
            let escaped = match style {
                0 => quick_xml::escape::escape(path.as_str()).into_owned(),
                1 => path.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect(),
                _ => format!("<![CDATA[{path}]]>"),
            };
            xml += &format!("<url><loc>\n/x{escaped}\n</loc></url>");
        }
        let sitemap = read_text(&(xml + "</urlset>"));
        prop_assert_eq!(urls(&sitemap), want);
        prop_assert!(sitemap.defects.is_empty());
    }
}

#[test]
fn feeds_name_enclosures_and_where_they_go_on() {
    let rss = read_text(
        r#"<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>T</title>
<link>http://example.com/</link><atom:link rel="self" href="http://example.com/feed"/><atom:link rel="next" href="/feed?2"/>
<item><link>http://example.com/1</link><enclosure url="http://cdn.org/1.mp3" type="audio/mpeg" length="7"/>
<pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate></item></channel></rss>"#,
    );
    let related: Vec<_> = rss.related.iter().map(CanonicalUrl::as_str).collect();
    assert_eq!(related, ["http://example.com/feed?2", "http://cdn.org/1.mp3"]);
    assert_eq!((urls(&rss), rss.urls[0].lastmod_ms), (vec!["http://example.com/1"], Some(1_714_521_600_000)));
    let atom = read_text(
        r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/b/"><link href="home"/><link rel="prev-archive" href="old"/>
<link rel="self" href="feed"/><entry xml:base="/e/"><link href="1"/><link rel="enclosure" href="1.pdf"/>
<updated>2024-05-01T00:00:00Z</updated><content><a><link rel="enclosure" href="no"/></a></content></entry></feed>"#,
    );
    let related: Vec<_> = atom.related.iter().map(CanonicalUrl::as_str).collect();
    assert_eq!(
        related,
        ["http://example.com/b/home", "http://example.com/b/old", "http://example.com/e/1.pdf"]
    );
    assert_eq!(urls(&atom), ["http://example.com/e/1"]);
}

#[test]
fn entries_beyond_the_limit_are_counted() {
    let entries: String = (0..100).map(|n| format!("<url><loc>/{n}</loc></url>")).collect();
    let limits = SitemapLimits { max_urls: 30, ..SitemapLimits::default() };
    let base = CanonicalUrl::parse(BASE).unwrap();
    let sitemap = read(format!("<urlset>{entries}</urlset>").as_bytes(), &base, &limits);
    assert_eq!((sitemap.urls.len(), sitemap.dropped), (30, 70));
    let lines: String = (0..100).map(|n| format!("http://example.com/{n}\n")).collect();
    let sitemap = read(lines.as_bytes(), &base, &limits);
    assert_eq!((sitemap.urls.len(), sitemap.dropped), (30, 70));
}

#[test]
fn the_first_element_says_what_it_is() {
    let cases: [(&[u8], SitemapKind); 10] = [
        (b"<rss>", SitemapKind::Rss),
        (b"\xef\xbb\xbf\n<?xml version='1.0'?>\n<rdf:RDF xmlns='x'>", SitemapKind::Rss),
        (b"<!-- > --><!DOCTYPE x><atom:feed/>", SitemapKind::Atom),
        (b"<urlset xmlns='x'>", SitemapKind::Urlset),
        (b"<sitemapindex>", SitemapKind::Index),
        (b"<html><rss>", SitemapKind::Unknown),
        (b"<?xml", SitemapKind::Unknown),
        (b"<", SitemapKind::Unknown),
        (b"", SitemapKind::Unknown),
        (b"rss", SitemapKind::Unknown),
    ];
    for (body, kind) in cases {
        assert_eq!(kind_of(body), kind, "{}", String::from_utf8_lossy(body));
    }
}
