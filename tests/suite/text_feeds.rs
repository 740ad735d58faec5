//! `webmill text`: feeds, sitemaps and plain texts as input.

use crate::support::{Work, objects};

const RSS: &str = "<?xml version='1.0' encoding='ISO-8859-1'?><rss version='2.0' xmlns:content='c' xmlns:dc='d'><channel>
<title>The Tea House</title><link>http://tea.example/</link><language>en</language>
<item><title>Green</title><link>http://tea.example/a/green.html</link><dc:creator>Ann Lee</dc:creator><pubDate>Tue, 15 Apr 2003 08:13:06 GMT</pubDate>
<description>Short.</description><content:encoded><![CDATA[<p>Green tea likes water that does <b>not</b> boil, and the <a href='pot.html'>pot</a> should be warm.</p>
<table><tr><th>Leaf</th><th>Minutes</th></tr><tr><td>Green</td><td>2</td></tr></table>]]></content:encoded></item>
<item><title>Schwarz</title><description>Schwarzer Tee mag kochendes Wasser, und er zieht nicht l\u{e4}nger als vier Minuten in der Kanne.</description></item>
</channel></rss>";

/// The feed in the encoding that it declares.
fn feed(work: &Work, name: &str) {
    let bytes: Vec<u8> = RSS.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    std::fs::write(work.path(name), bytes).unwrap();
}

#[test]
fn each_item_of_a_feed_is_a_text() {
    let work = Work::new();
    feed(&work, "feed.xml");
    let items = objects(&work.output(&["text", "feed.xml", "--format", "json", "--with-markdown"]));
    assert_eq!(items.len(), 2);
    let green = &items[0];
    for (field, want) in [
        ("id", "feed.xml/1"),
        ("kind", "item"),
        ("url", "http://tea.example/a/green.html"),
        ("title", "Green"),
        ("author", "Ann Lee"),
        ("date", "2003-04-15T08:13:06Z"),
        ("site_name", "The Tea House"),
        ("description", "Short."),
        ("language_declared", "en"),
        ("encoding_declared", "windows-1252"),
    ] {
        assert_eq!(green[field], want, "{field}");
    }
    assert!(green["text"].as_str().unwrap().starts_with("Green tea likes water that does not boil"));
    assert!(
        green["markdown"]
            .as_str()
            .unwrap()
            .contains("does **not** boil, and the [pot](http://tea.example/a/pot.html)")
    );
    assert_eq!(green["tables"][0]["rows"][0]["Minutes"], "2");
    assert!(items[1]["text"].as_str().unwrap().contains("nicht länger"), "{}", items[1]);
    let text = work.output(&["text", "feed.xml"]);
    assert!(text.starts_with("==> feed.xml/1 <==\n") && text.contains("\n==> feed.xml/2 <==\n"), "{text}");
    // In a folder a feed shows by content, whatever it is called.
    std::fs::create_dir(work.path("site")).unwrap();
    feed(&work, "site/feed");
    std::fs::write(
        work.path("site/j.json"),
        "{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"content_text\":\"a < b\"}]}",
    )
    .unwrap();
    let ids: Vec<_> = objects(&work.output(&["text", "site", "--format", "json"]))
        .iter()
        .map(|i| i["id"].clone())
        .collect();
    assert_eq!(ids, ["feed/1", "feed/2", "j.json/1"]);
}

#[test]
fn a_broken_feed_gives_its_items_and_no_zero() {
    let work = Work::new();
    std::fs::create_dir(work.path("site")).unwrap();
    std::fs::write(
        work.path("site/cut.xml"),
        "<rss><item><title>A</title><description>One item.</description></item><item><title>B",
    )
    .unwrap();
    let said = work.fails(&["text", "site"], 1);
    assert!(said.contains("cut.xml: not all of it: ends too early"), "{said}");
    std::fs::write(
        work.path("site/empty.xml"),
        "<!DOCTYPE rss [<!ENTITY a 'b'>]><rss><channel><title>T</title></channel></rss>",
    )
    .unwrap();
    assert!(work.fails(&["text", "site"], 1).contains("site: 1 files passed over: 1 a feed without items"));
    assert!(work.fails(&["text", "site/empty.xml"], 2).contains("a feed without items"));
    let said = work.fails(&["text", "site/cut.xml", "--input", "sitemap"], 2);
    assert!(said.contains("cut.xml"), "{said}");
    std::fs::write(work.path("page.html"), "<html><p>Words").unwrap();
    let said = work.fails(&["text", "page.html", "--input", "feed"], 2);
    assert!(said.contains("no feed of RSS, Atom, JSON Feed or XSPF"), "{said}");
}

#[test]
fn sitemaps_give_their_urls_with_their_days() {
    let work = Work::new();
    std::fs::write(
        work.path("sitemap.xml"),
        "<urlset><url><loc>http://e.org/a?x=1&amp;y=2</loc><lastmod>2024-05-01</lastmod></url><url><loc>http://e.org/b</loc>
        <lastmod>2024-05-01T06:07:08+02:00</lastmod></url><url><loc>http://e.org/c</loc></url></urlset>",
    )
    .unwrap();
    std::fs::write(
        work.path("index.xml"),
        "<sitemapindex><sitemap><loc>http://e.org/s.xml</loc></sitemap></sitemapindex>",
    )
    .unwrap();
    std::fs::write(work.path("list.txt"), "http://e.org/1\nhttp://e.org/2\n").unwrap();
    let text = work.output(&["text", "sitemap.xml"]);
    assert_eq!(
        text,
        "http://e.org/a?x=1&y=2\t2024-05-01\nhttp://e.org/b\t2024-05-01T04:07:08Z\nhttp://e.org/c\n"
    );
    let urls = objects(&work.output(&["text", "sitemap.xml", "--format", "json"]));
    assert_eq!((&urls[0]["kind"], &urls[0]["modified"]), (&"sitemap-url".into(), &"2024-05-01".into()));
    assert_eq!((&urls[2]["id"], &urls[2]["url"]), (&"sitemap.xml/3".into(), &"http://e.org/c".into()));
    let further = objects(&work.output(&["text", "index.xml", "--format", "json"]));
    assert_eq!((&further[0]["kind"], &further[0]["url"]), (&"sitemap".into(), &"http://e.org/s.xml".into()));
    assert_eq!(
        work.output(&["text", "list.txt", "--format", "md"]),
        "- <http://e.org/1>\n- <http://e.org/2>\n"
    );
    let plain = objects(&work.output(&["text", "list.txt", "--format", "json", "--input", "text"]));
    assert_eq!(plain[0]["text"], "http://e.org/1\nhttp://e.org/2");
}

#[test]
fn plain_texts_are_read_in_their_encodings() {
    let work = Work::new();
    let russian =
        "Мельница на реке стояла триста лет и молола зерно для всей деревни, и вода её не замерзала.";
    let (bytes, _, _) = encoding_rs::KOI8_R.encode(russian);
    std::fs::write(work.path("a.txt"), &bytes).unwrap();
    let page = &objects(&work.output(&["text", "a.txt", "--format", "json"]))[0];
    assert_eq!((&page["text"], &page["kind"]), (&russian.into(), &"text".into()));
    assert!(page["encoding"].as_str().unwrap().starts_with("KOI8"), "{page}");
    std::fs::write(work.path("notes"), "One *line*\r\nmore\r\n\r\nA paragraph").unwrap();
    assert_eq!(work.output(&["text", "notes", "--format", "md"]), "One \\*line\\* more\n\nA paragraph\n");
}
