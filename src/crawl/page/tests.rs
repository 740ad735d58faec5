use super::*;
use crate::scope::ScopeOptions;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn reader(requisites: bool) -> PageReader {
    PageReader {
        scope: Scope::new(&ScopeOptions::default(), &[url("http://e.org/")]).unwrap(),
        rewriter: Rewriter::new(true),
        agent: "webmill".into(),
        images: false,
        script_links: false,
        requisites,
        steering: None,
        focus: None,
        budget: ReadingBudget::default(),
    }
}

fn message(headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn found(reading: &Reading) -> Vec<(&'static str, &str)> {
    reading.found.iter().map(|c| (c.purpose.name(), c.url.as_str())).collect()
}

const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";

#[test]
fn headers_name_pages_and_requisites() {
    let head = format!(
        "{HTML}Link: </2>; rel=next, </s.css>; rel=preload; as=style, <http://o.org/>; rel=alternate\r\n\
         Refresh: 5; url=/3\r\nLink: </c>; rel=canonical\r\nLink: </de>; rel=alternate; hreflang=de, </n>; rel=\"next nofollow\"\r\n\
         Link: </x>; rel=next; anchor=\"/other\"\r\n"
    );
    let raw = message(&head, "<p>text");
    let reading = reader(false).read(&url("http://e.org/1"), Purpose::Page, 0, &raw);
    assert_eq!(found(&reading), [("page", "http://e.org/2"), ("page", "http://e.org/3")]);
    assert_eq!((reading.refused.get("host"), reading.refused.get("link-nofollow")), (1, 1));
    let reading = reader(true).read(&url("http://e.org/1"), Purpose::Page, 0, &raw);
    assert!(found(&reading).contains(&("requisite", "http://e.org/s.css")), "{:?}", reading.found);
    // What is no markup has headers too.
    let pdf = message("Content-Type: application/pdf\r\nLink: </2>; rel=next\r\n", "%PDF-1.4");
    let reading = reader(false).read(&url("http://e.org/1.pdf"), Purpose::Page, 0, &pdf);
    assert_eq!(found(&reading), [("page", "http://e.org/2")]);
    let forbidden =
        message("X-Robots-Tag: nofollow\r\nLink: </2>; rel=next\r\nRefresh: 0;url=/3\r\n", "%PDF-1.4");
    let reading = reader(false).read(&url("http://e.org/1.pdf"), Purpose::Page, 0, &forbidden);
    assert_eq!(found(&reading), []);
}

#[test]
fn links_in_scripts_are_counted_or_followed() {
    let raw = message(
        HTML,
        "<script>document.write(\"<a href=\\\"/written\\\">w</a>\"); var u='/var.html', o='http://o.org/x.html', a='/a';\
         function go(){location.href='/code/1'}</script><a href=\"javascript:window.open('/open')\">z</a>\
         <a href=/a onclick=\"location='/a'\">a</a><p onclick=\"location='/click'\">p",
    );
    let scripted =
        ["/click", "/open", "/code/1", "/var.html", "/written"].map(|path| format!("http://e.org{path}"));
    for requisites in [false, true] {
        let plain = reader(requisites).read(&url("http://e.org/"), Purpose::Page, 0, &raw);
        // What the page links itself, and what is out of scope, is no news.
        assert_eq!(plain.refused.iter().collect::<Vec<_>>(), [(IN_SCRIPT, 5)]);
        assert!(found(&plain).contains(&("page", "http://e.org/a")));
        let reader = PageReader { script_links: true, ..reader(requisites) };
        let followed = reader.read(&url("http://e.org/"), Purpose::Page, 0, &raw);
        assert_eq!(followed.refused.iter().collect::<Vec<_>>(), [("host", 1)]);
        assert_eq!(followed.found.len(), plain.found.len() + 5);
        let has = |page: &String| followed.found.iter().any(|found| found.url.as_str() == page);
        assert!(scripted.iter().all(has), "{:?}", followed.found);
    }
    // A page in a browser was opened for what scripts name.
    let rendered = reader(false).read_rendered(&url("http://e.org/"), Standing::default(), &raw);
    assert_eq!((rendered.found.len(), rendered.refused.get("host")), (6, 1));
}

#[test]
fn items_of_feeds_are_links_with_their_dates() {
    let rss = "<?xml version='1.0'?><rss version='2.0'><channel><item><link>http://e.org/a</link>\
        <pubDate>Wed, 01 May 2024 00:00:00 GMT</pubDate><enclosure url='http://e.org/a.pdf'/></item>\
        <item><link>http://o.org/b</link></item></channel></rss>";
    for media_type in ["application/rss+xml", "text/xml", "text/plain"] {
        let raw = message(&format!("Content-Type: {media_type}\r\n"), rss);
        let reading = reader(false).read(&url("http://e.org/feed"), Purpose::Page, 0, &raw);
        assert_eq!(
            found(&reading),
            [("page", "http://e.org/a"), ("page", "http://e.org/a.pdf")],
            "{media_type}"
        );
        assert_eq!(reading.found[0].last_modified, Some(1_714_521_600_000));
        assert_eq!((reading.markup, reading.refused.get("host")), (false, 1));
    }
}

#[test]
fn hidden_links_are_followed() {
    let page = "<template><a href=/t></a></template><iframe srcdoc='<a href=/s>'></iframe><object data=/o.pdf></object>\
        <embed src=/e><form><button formaction=/b></button></form>";
    let reading = reader(false).read(&url("http://e.org/"), Purpose::Page, 0, &message(HTML, page));
    let paths: Vec<_> = reading.found.iter().map(|c| c.url.path()).collect();
    assert_eq!(paths, ["/t", "/o.pdf", "/e", "/b", "/s"]);
}

#[test]
fn requisites_come_from_anywhere_and_before_links() {
    let page = "<a href=/p.png>big</a><a href=/next>n</a><a href=http://o.org/>o</a><img src=/p.png><script src=http://cdn.org/a.js></script>\
        <iframe src=/frame></iframe><iframe src=http://o.org/frame></iframe>";
    let reading = reader(true).read(&url("http://e.org/"), Purpose::Page, 0, &message(HTML, page));
    assert_eq!(
        found(&reading),
        [
            ("requisite", "http://e.org/p.png"),
            ("requisite", "http://cdn.org/a.js"),
            ("requisite", "http://e.org/frame"),
            ("requisite", "http://o.org/frame"),
            ("page", "http://e.org/next"),
            ("requisite", "http://e.org/favicon.ico"),
        ]
    );
    assert_eq!(reading.refused.get("host"), 1);
    // Links of a page that forbids following are not followed; it is shown all the same.
    let page = format!("<meta name=robots content=nofollow>{page}");
    let reading = reader(true).read(&url("http://e.org/"), Purpose::Page, 0, &message(HTML, &page));
    assert!(reading.found.len() == 5 && reading.found.iter().all(|c| c.purpose == Purpose::Requisite));
}

#[test]
fn requisites_of_requisites() {
    let read = |at: &str, media_type: &str, body: &str| {
        let raw = message(&format!("Content-Type: {media_type}\r\n"), body);
        let reading = reader(true).read(&url(at), Purpose::Requisite, 1, &raw);
        found(&reading).into_iter().map(|(purpose, url)| (purpose, url.to_owned())).collect::<Vec<_>>()
    };
    let all = |urls: &[(&'static str, &str)]| {
        urls.iter().map(|(purpose, url)| (*purpose, (*url).to_owned())).collect::<Vec<_>>()
    };
    let css = "@import 'b.css'; @font-face { src: url(f.woff2) } i { background: url(data:x) url(/p.png) }";
    let expected = all(&[
        ("requisite", "http://cdn.org/s/b.css"),
        ("requisite", "http://cdn.org/s/f.woff2"),
        ("requisite", "http://cdn.org/p.png"),
    ]);
    assert_eq!(read("http://cdn.org/s/a", "text/css", css), expected);
    assert_eq!(read("http://cdn.org/s/a.css", "text/plain", css), expected);
    assert_eq!(read("http://cdn.org/s/a", "text/javascript", css), []);
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'><image href='a.png'/></svg>";
    assert_eq!(read("http://e.org/x.svg", "image/svg+xml", svg), all(&[("requisite", "http://e.org/a.png")]));
    let manifest = r#"{"icons":[{"src":"i.png"}]}"#;
    assert_eq!(
        read("http://e.org/m", "application/manifest+json", manifest),
        all(&[("requisite", "http://e.org/i.png")])
    );
    // A frame of the crawl is read as a page, another one for what it needs.
    let frame = "<img src=/p.png><a href=/q>q</a>";
    assert_eq!(
        read("http://e.org/f", "text/html", frame),
        all(&[("requisite", "http://e.org/p.png"), ("page", "http://e.org/q")])
    );
    assert_eq!(read("http://o.org/f", "text/html", frame), all(&[("requisite", "http://o.org/p.png")]));
}

#[test]
fn requisites_beyond_the_limit_are_counted() {
    let set: String = (0..100_000).map(|n| format!("/p{n}.png {n}w, ")).collect();
    let raw = message(HTML, &format!("<img srcset='{set}'>"));
    let reading = reader(true).read(&url("http://e.org/"), Purpose::Page, 0, &raw);
    assert_eq!(reading.found.len(), 5_000);
    assert_eq!((reading.refused.get("requisites-beyond-limit"), reading.dropped_links), (95_001, 95_001));
}

#[test]
fn a_page_of_a_million_links_gives_them_all() {
    let mut page = String::from("<!DOCTYPE html><title>t</title><base href=/b/>");
    for n in 0..1_000_000 {
        page.push_str(&format!("<li><a href={n}>number {n}</a>\n"));
    }
    assert!(page.len() > 32 << 20);
    let reading = reader(false).read(&url("http://e.org/"), Purpose::Page, 0, &message(HTML, &page));
    assert_eq!((reading.found.len(), reading.dropped_links), (1_000_000, 0));
    assert_eq!(reading.found[999_999].url.as_str(), "http://e.org/b/999999");
    assert_eq!(reading.refused, Counted::default());
    assert!(reading.weight() < 150 << 20, "{}", reading.weight());
}

#[test]
fn what_is_beyond_the_bytes_is_counted() {
    let long = "x".repeat(2_000);
    let page = format!("<base href='/{long}/'>{}", "<a href=y>".repeat(160_000));
    let reading = reader(false).read(&url("http://e.org/"), Purpose::Page, 0, &message(HTML, &page));
    assert_eq!(reading.found.len(), 1);
    let dropped = reading.dropped_links;
    assert!(dropped > 1_000 && reading.refused.get("links-beyond-limit") == dropped, "{dropped}");
}

#[test]
fn sitemaps_say_what_they_leave_out() {
    let listed = "<urlset><url><loc>http://e.org/a</loc><lastmod>2024-05-01</lastmod></url><url><loc>http://o.org/b</loc></url>\
        <url><loc>http://www.e.org/c</loc></url></urlset>";
    let reading =
        reader(false).read(&url("http://e.org/sitemap.xml"), Purpose::Sitemap, 0, &message("", listed));
    assert_eq!(found(&reading), [("page", "http://e.org/a")]);
    assert_eq!(reading.found[0].last_modified, Some(1_714_521_600_000));
    assert_eq!(reading.foreign.len(), 1);
    assert_eq!(reading.refused.get("host"), 1);
    let index = "<sitemapindex><sitemap><loc>http://e.org/1.xml</loc></sitemap><sitemap><loc>http://o.org/2.xml</loc></sitemap></sitemapindex>";
    let reading =
        reader(false).read(&url("http://e.org/sitemap.xml"), Purpose::Sitemap, 0, &message("", index));
    assert_eq!(found(&reading), [("sitemap", "http://e.org/1.xml")]);
    assert_eq!(reading.foreign.len(), 1);
}

#[test]
fn hostile_bodies_are_read_to_their_end() {
    let import_loop = "@import 'a.css';".repeat(200_000);
    let raw = message("Content-Type: text/css\r\n", &import_loop);
    let reading = reader(true).read(&url("http://e.org/a.css"), Purpose::Requisite, 0, &raw);
    assert_eq!(found(&reading), []);
    let bomb = "url(".repeat(2_000_000);
    let raw = message("Content-Type: text/css\r\n", &bomb);
    let reading = reader(true).read(&url("http://e.org/a.css"), Purpose::Requisite, 0, &raw);
    assert!(reading.found.len() <= 1);
    let nested = "<iframe srcdoc=\"".repeat(100_000);
    reader(true).read(&url("http://e.org/"), Purpose::Page, 0, &message(HTML, &nested));
}

/// A reader that a rule steers: lists of items, entered by `/list`.
fn steered() -> PageReader {
    const RULE: &str = r#"
[rule]
id = "shop"
name = "A shop"

[[layer]]
id = "list"
pages = ['/list']

[[layer]]
id = "item"
from = "link"

[[tag]]
id = "link"
layer = "list"
css = "li a"
link = true

[[tag]]
id = "name"
layer = "item"
css = "h1"

[[group]]
name = "items"
columns = [{ name = "name", tag = "name" }]
"#;
    let texts = vec![("shop.toml".into(), RULE.into())];
    let options = crate::steering::SteeringOptions { texts, ..Default::default() };
    PageReader { steering: Steering::new(&options).unwrap(), ..reader(false) }
}

fn led(reading: &Reading) -> Vec<(&str, u16)> {
    reading.led.iter().map(|led| (led.url.as_str(), led.lead.layer)).collect()
}

#[test]
fn rules_stand_in_place_of_links() {
    let reader = steered();
    let list = url("http://e.org/list");
    let by_list = [Lead { rule: 0, layer: 0, steps: 1 }];
    let body = "<a href=/about>about</a><li><a href=/1>one</a><li><a rel=nofollow href=/2>two</a>\
        <li><a href=/3 rel=nofollow>three</a><a href=/3>three</a><li><a href=http://o.org/>out</a><li><a href=/list>self</a>";
    let reading = reader.read_by(&list, Purpose::Page, Standing::default(), &message(HTML, body), &by_list);
    assert_eq!(found(&reading), []);
    let expected = [("http://e.org/1", 1), ("http://e.org/3", 1), ("http://e.org/list", 1)];
    assert_eq!(led(&reading), expected);
    assert_eq!((reading.refused.get("no-rule"), reading.refused.get("link-nofollow")), (1, 2));
    let looked = reading.looked.as_ref().unwrap();
    assert_eq!((looked.refused.get("host"), looked.refused.get("rule-link-nofollow")), (1, 1));
    assert!(looked.is_of && looked.leads == by_list);
    // By no layer nothing is followed; where the page forbids it neither.
    let reading = reader.read(&list, Purpose::Page, 0, &message(HTML, body));
    assert_eq!((led(&reading), reading.refused.get("no-rule"), reading.looked.is_none()), (vec![], 5, true));
    let robots = format!("{HTML}X-Robots-Tag: nofollow\r\n");
    let reading =
        reader.read_by(&list, Purpose::Page, Standing::default(), &message(&robots, body), &by_list);
    assert_eq!((led(&reading), reading.looked.as_ref().unwrap().refused.get("page-nofollow")), (vec![], 5));
    // A page that was read before gives what rules find, and counts nothing twice.
    let reading = reader.look_again(&list, Standing::default(), &message(HTML, body), &by_list);
    assert_eq!((led(&reading), reading.refused.is_empty()), (expected.to_vec(), true));
    // Of what is listed only pages that are entered are followed.
    let rss = "<?xml version='1.0'?><rss version='2.0'><channel><item><link>http://e.org/a</link></item>\
        <item><link>http://e.org/list?p=2</link></item></channel></rss>";
    let feed = message("Content-Type: application/rss+xml\r\n", rss);
    let reading = reader.read(&url("http://e.org/feed"), Purpose::Page, 0, &feed);
    assert_eq!(found(&reading), [("page", "http://e.org/list?p=2")]);
    assert_eq!(reading.refused.get("no-rule"), 1);
}
