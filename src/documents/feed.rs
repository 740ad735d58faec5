//! Feeds: RSS, Atom, JSON Feed; playlists in XSPF.
//!
//! **Definition.** The title is the feed's. Each item is a heading of its title, which leads to its page, and its text: HTML
//! as blocks, else paragraphs. The document was made when its first item was, and changed when its last one was.
//!
//! **Cost.** Linear; an item is parsed at a time.

use webmill_capture::CanonicalUrl;
use webmill_html::feed::{FeedItem, FeedLimits, feed};

use crate::epub::chapter;
use crate::{Builder, Document, Inline, Kind, Limits, TitleSource};

/// Reads a feed; `None` for a text that is none.
pub fn read_feed(text: &str, base: Option<&CanonicalUrl>, limits: &Limits) -> Option<Document> {
    let found = feed(text, base, &FeedLimits::default())?;
    let mut builder = Builder::new(Kind::Feed, limits);
    if let Some(title) = &found.title {
        builder.document.give_title(title, TitleSource::Metadata);
        let mut words = Inline::default();
        match &found.link {
            Some(page) => words.push_link(title, page.as_str()),
            None => words.text.clone_from(title),
        }
        builder.heading(1, words);
    }
    builder.document.about.author.clone_from(&found.author);
    builder.document.about.language_declared.clone_from(&found.language);
    let dates = || found.items.iter().filter_map(|item| item.published.as_ref().or(item.modified.as_ref()));
    builder.document.about.published = dates().min().cloned();
    builder.document.about.modified = dates().max().cloned();
    if found.dropped > 0 {
        builder.warn("items-cut");
    }
    if !found.defects.is_empty() {
        builder.warn("damaged");
    }
    for entry in &found.items {
        if builder.is_full() {
            break;
        }
        item(entry, base, &mut builder);
    }
    Some(builder.finish())
}

/// Adds an item.
fn item(item: &FeedItem, base: Option<&CanonicalUrl>, builder: &mut Builder) {
    let mut heading = Inline::default();
    match (&item.title, &item.link) {
        (Some(title), Some(page)) => heading.push_link(title, page.as_str()),
        (Some(title), None) => heading.text.clone_from(title),
        (None, Some(page)) => builder.link(page.as_str(), ""),
        (None, None) => {}
    }
    builder.heading(2, heading);
    let text = if item.content.trim().is_empty() { item.summary.as_ref() } else { Some(&item.content) };
    match text {
        Some(text) if item.is_html && !item.content.trim().is_empty() => {
            chapter::tell(text, None, item.base.as_ref().or(item.link.as_ref()).or(base), builder)
        }
        Some(text) => text.split("\n\n").for_each(|paragraph| builder.paragraph(paragraph.trim())),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_the_nearest_base() {
        let text = "<feed xml:base='http://b.example/x/'><entry><link href='http://c.example/'/><content type='xhtml'>\
            <div><a href='1'>one</a><div xml:base='/y/'><p xml:base='z/'><a href='2'>two</a></p></div></div>\
            </content></entry></feed>";
        let document = read_feed(text, None, &Limits::default()).unwrap();
        let targets: Vec<&str> = document.links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(targets, ["http://c.example/", "http://b.example/x/1", "http://b.example/y/z/2"]);
    }

    #[test]
    fn tracks_of_playlists_have_titles_and_who_made_them() {
        let text = "<?xml version='1.0'?><playlist version='1' xmlns='http://xspf.org/ns/0/'><title>Songs of the lake</title>\
            <creator>Pier radio</creator><trackList><track><location>http://a.example/m.ogg</location><extension><track><title>None</title></track></extension><title>Morning &amp; fog\
            </title><creator>Ada Reed</creator><annotation>At dawn, 4 &lt; 5.</annotation><album>Lake</album></track><track>\
            <location>http://a.example/n.ogg</location><info>http://a.example/noon</info><title>Noon</title></track></trackList></playlist>";
        let document = read_feed(text, None, &Limits::default()).unwrap();
        assert_eq!(document.text, "Songs of the lake\nMorning & fog\nAda Reed\nAt dawn, 4 < 5.\nNoon\n");
        assert_eq!(document.about.title.as_deref(), Some("Songs of the lake"));
        assert_eq!(document.about.author.as_deref(), Some("Pier radio"));
        let links: Vec<&str> = document.links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(links, ["http://a.example/m.ogg", "http://a.example/noon"]);
        let other = "<playlist><title>No namespace of XSPF</title></playlist>";
        assert!(read_feed(other, None, &Limits::default()).is_none());
    }

    #[test]
    fn items_are_sections() {
        let text = "<rss version='2.0'><channel><title>Pier news</title><link>http://a.example/</link>\
            <language>en</language><item><title>Boats</title><link>/boats</link>\
            <pubDate>Fri, 01 Mar 2024 08:00:00 GMT</pubDate>\
            <description>&lt;p&gt;They &lt;a href=\"/x\"&gt;leave&lt;/a&gt;.&lt;/p&gt;</description></item>\
            <item><title>Fog</title><description>No boats.</description></item></channel></rss>";
        let base = CanonicalUrl::parse("http://a.example/feed");
        let document = read_feed(text, base.as_ref(), &Limits::default()).unwrap();
        assert_eq!(document.text, "Pier news\nBoats\nThey leave.\nFog\nNo boats.\n");
        assert_eq!(document.about.title.as_deref(), Some("Pier news"));
        assert_eq!(document.about.published.as_deref(), Some("2024-03-01T08:00:00Z"));
        assert_eq!(document.about.language_declared.as_deref(), Some("en"));
        let targets: Vec<&str> = document.links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(targets, ["http://a.example/", "http://a.example/boats", "http://a.example/x"]);
        assert!(read_feed("<p>none", None, &Limits::default()).is_none());
    }
}
