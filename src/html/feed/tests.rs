use super::*;

fn read(text: &str) -> Feed {
    let base = CanonicalUrl::parse("http://example.com/feeds/news.xml").unwrap();
    feed(text, Some(&base), &FeedLimits::default()).unwrap()
}

#[test]
fn rss_2_with_its_modules() {
    let found = read(
        "<?xml version='1.0'?><!-- made --><rss version='2.0' xmlns:content='c' xmlns:dc='d' xmlns:media='m'><channel>
        <title>The News</title><image><title>A picture</title><url>/p.png</url></image><link>http://example.com/</link>
        <language>en-gb</language>
        <item><title>Fire &amp;amp; <![CDATA[<b>water</b>]]></title><link> /a?x=1&amp;y=2 </link><guid isPermaLink='false'>17</guid>
        <media:title>Not this</media:title><dc:creator>Ann Lee</dc:creator><category>Tea</category><category>Tea</category><category>Pots</category>
        <pubDate>Tue, 15 Apr 2003 08:13:06 GMT</pubDate><description>In short</description>
        <content:encoded><![CDATA[<p>All of it.</p>]]></content:encoded><media:description>no</media:description></item>
        <item><guid>http://example.com/b</guid><author>bob@example.com (Bob Ray)</author><description>&lt;p&gt;One &amp;amp; two</description></item>
        <item><title>Unescaped</title><description>A <b>bold<br> word</b></description><dc:date>2004-05-06</dc:date></item>
        </channel></rss>",
    );
    assert_eq!((found.kind, found.title.as_deref()), (FeedKind::Rss, Some("The News")));
    assert_eq!(found.language.as_deref(), Some("en-gb"));
    assert_eq!(found.link.unwrap().as_str(), "http://example.com/");
    let [a, b, c] = &found.items[..] else { panic!("{:?}", found.items) };
    assert_eq!(a.title.as_deref(), Some("Fire & water"));
    assert_eq!(a.link.as_ref().unwrap().as_str(), "http://example.com/a?x=1&y=2");
    assert_eq!((a.author.as_deref(), a.id.as_deref()), (Some("Ann Lee"), Some("17")));
    assert_eq!(a.categories, ["Tea", "Pots"]);
    assert_eq!((a.content.as_str(), a.is_html), ("<p>All of it.</p>", true));
    assert_eq!(a.summary.as_deref(), Some("In short"));
    assert_eq!(a.published.as_deref(), Some("2003-04-15T08:13:06Z"));
    assert_eq!(b.link.as_ref().unwrap().as_str(), "http://example.com/b");
    assert_eq!((b.author.as_deref(), b.content.as_str()), (Some("Bob Ray"), "<p>One &amp; two"));
    assert_eq!(c.content, "A <b>bold<br> word</b>");
    assert_eq!(c.published.as_deref(), Some("2004-05-06"));
    assert!(found.defects.is_empty(), "{:?}", found.defects);
}

#[test]
fn rss_1_and_rss_091() {
    let found = read(
        "<rdf:RDF xmlns:rdf='r' xmlns='http://purl.org/rss/1.0/'><channel rdf:about='x'><title>T</title><items><rdf:Seq/></items></channel>
        <item rdf:about='http://example.com/1'><title>One</title><link>http://example.com/1</link></item></rdf:RDF>",
    );
    assert_eq!((found.title.as_deref(), found.items.len()), (Some("T"), 1));
    assert_eq!(found.items[0].title.as_deref(), Some("One"));
    let found = read("<rss version='0.91'><channel><title>T<item><title>Two</title></item></channel></rss>");
    assert_eq!(found.items[0].title.as_deref(), Some("Two"));
}

#[test]
fn atom_with_text_html_and_xhtml() {
    let found = read(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://other.example/x/' xml:lang='de'><title type='html'>A &lt;i&gt;feed</title>
        <link rel='self' href='self.xml'/><link href='home'/><author><name>Owner</name></author>
        <entry><title>One &lt; two</title><link rel='edit' href='e'/><link href='a'/><id>tag:1</id>
        <author><name>Ann</name><email>ann@example.com</email></author><author><name>Bob</name></author>
        <source><title>Elsewhere</title><id>no</id></source><category term='t' label='Tea'/>
        <published>2020-01-02T03:04:05Z</published><updated>2021-01-02T03:04:05+01:00</updated><summary>Short</summary>
        <content type='xhtml'><div xmlns='h'><p>Long <em>text</em></p></div></content></entry>
        <entry><title>Plain</title><content>a &lt;b&gt; c</content></entry><entry><summary type='html'>&lt;p&gt;x</summary></entry></feed>",
    );
    assert_eq!((found.title.as_deref(), found.author.as_deref()), (Some("A feed"), Some("Owner")));
    assert_eq!(found.language.as_deref(), Some("de"));
    let [a, b, c] = &found.items[..] else { panic!("{:?}", found.items) };
    assert_eq!(a.title.as_deref(), Some("One < two"));
    assert_eq!(a.link.as_ref().unwrap().as_str(), "http://other.example/x/a");
    assert_eq!(a.author.as_deref(), Some("Ann; Bob"));
    assert_eq!((a.id.as_deref(), &a.categories[..]), (Some("tag:1"), &["Tea".to_owned()][..]));
    assert_eq!(a.published.as_deref(), Some("2020-01-02T03:04:05Z"));
    assert_eq!(a.modified.as_deref(), Some("2021-01-02T03:04:05+01:00"));
    assert_eq!(a.content, "<div xmlns='h'><p>Long <em>text</em></p></div>");
    assert_eq!(a.summary.as_deref(), Some("Short"));
    assert_eq!((b.content.as_str(), b.is_html), ("a <b> c", false));
    assert_eq!((c.content.as_str(), c.is_html), ("<p>x", true));
}

#[test]
fn bases_are_those_of_the_nearest_element() {
    let found = read(
        "<feed xml:base='http://b.example/feed/'><link href='home'/>
        <entry><content type='xhtml' xml:base='deep/'><p>a</p></content><summary xml:base='http://no.example/'>s</summary></entry>
        <entry xml:base='/entry/'><link href='x'/><content type='html'>b</content></entry>
        <entry><link xml:base='http://c.example/' href='y'/><summary>c</summary></entry></feed>",
    );
    assert_eq!(found.link.unwrap().as_str(), "http://b.example/feed/home");
    let item = |at: usize| {
        let item: &FeedItem = &found.items[at];
        [&item.base, &item.link].map(|url| url.as_ref().map_or("-", CanonicalUrl::as_str))
    };
    assert_eq!(item(0), ["http://b.example/feed/deep/", "-"]);
    assert_eq!(item(1), ["http://b.example/entry/", "http://b.example/entry/x"]);
    assert_eq!(item(2), ["http://b.example/feed/", "http://c.example/y"]);
    let found = read(
        "<rss><channel xml:base='http://d.example/'><item><link>z</link><description>d</description></item></channel></rss>",
    );
    assert_eq!(found.items[0].base.as_ref().unwrap().as_str(), "http://d.example/");
    assert_eq!(found.items[0].link.as_ref().unwrap().as_str(), "http://d.example/z");
    assert_eq!(
        read("<rss><channel><item><description>d</description></item></channel></rss>").items[0].base,
        None
    );
}

#[test]
fn controls_are_read_as_windows_1252() {
    let found = read(
        "<rss><channel><item><title>5&#128; a&#x92;s</title><description>don\u{92}t</description></item></channel></rss>",
    );
    assert_eq!(found.items[0].title.as_deref(), Some("5€ a’s"));
    assert_eq!(found.items[0].content, "don’t");
}

#[test]
fn json_feed() {
    let found = read(
        r#"{"version":"https://jsonfeed.org/version/1.1","title":"J","home_page_url":"http://example.com/","authors":[{"name":"Owner"}],
        "items":[{"id":1,"url":"/a","title":"A","content_html":"<p>x","summary":"s","date_published":"2020-02-03T04:05:06+02:00","tags":["t"],
        "author":{"name":"Ann"}},{"id":"http://example.com/b","content_text":"a < b"},7]}"#,
    );
    assert_eq!((found.kind, found.author.as_deref()), (FeedKind::Json, Some("Owner")));
    let [a, b] = &found.items[..] else { panic!("{:?}", found.items) };
    assert_eq!((a.id.as_deref(), a.content.as_str(), a.is_html), (Some("1"), "<p>x", true));
    assert_eq!(a.link.as_ref().unwrap().as_str(), "http://example.com/a");
    assert_eq!((a.author.as_deref(), a.summary.as_deref()), (Some("Ann"), Some("s")));
    assert_eq!((b.content.as_str(), b.is_html), ("a < b", false));
    assert_eq!(b.link.as_ref().unwrap().as_str(), "http://example.com/b");
    assert_eq!(found.defects, ["items that are no objects"]);
}

#[test]
fn what_is_no_feed() {
    for text in
        ["", "words", "<html><rss>", "<urlset/>", "{\"version\":\"1\"}", "{", "[]", "<!-- <rss>", "<?xml"]
    {
        assert!(feed(text, None, &FeedLimits::default()).is_none(), "{text}");
    }
}

#[test]
fn broken_feeds_give_what_is_before_the_fault() {
    let cases = [
        ("<rss><item><title>a</title></item><item><title>b", 2, "ends too early"),
        ("<rss><item><title>a</title><item><title>b</title></item></rss>", 2, "an item without an end"),
        ("<rss><item><title>a</title></item><", 1, "broken XML"),
    ];
    for (text, items, defect) in cases {
        let found = read(text);
        assert_eq!(found.items.len(), items, "{text}");
        assert_eq!(found.items[0].title.as_deref(), Some("a"), "{text}");
        assert!(found.defects.contains(&defect), "{text}: {:?}", found.defects);
    }
}

#[test]
fn hostile_feeds_are_bounded() {
    let bomb = "<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;'><!ENTITY x SYSTEM 'file:///etc/passwd'>]>
        <rss><item><title>&b;&x;</title></item></rss>";
    assert_eq!(read(bomb).items[0].title.as_deref(), Some("&b;&x;"));
    let deep = format!("<rss><item><description>{}", "<div>".repeat(300_000));
    assert_eq!(read(&deep).items.len(), 1);
    let unclosed = format!("<rss>{}", "<item>".repeat(1000));
    assert_eq!(read(&unclosed).items.len(), 1000);
    let limits = FeedLimits { max_items: 2, max_item_bytes: 10 };
    let many = "<item><description>0123456789äöü</description></item>".repeat(5);
    let found = feed(&format!("<rss>{many}</rss>"), None, &limits).unwrap();
    assert_eq!((found.items.len(), found.dropped), (2, 3));
    assert!(found.items[0].cut && found.items[0].content == "0123456789");
    let nested = format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"x\":{}", "[".repeat(100_000));
    assert!(feed(&nested, None, &limits).is_none());
    let large = format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"x\":[{}", "1,".repeat(9 << 20));
    assert_eq!(feed(&large, None, &limits).unwrap().defects, ["more bytes than the limit"]);
}
