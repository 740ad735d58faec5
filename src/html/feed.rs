//! Feeds: RSS 0.9 to 2.0, Atom 0.3 and 1.0, JSON Feed; and playlists in XSPF, whose tracks are items.
//!
//! **Definition.** A feed is a list of items that carry texts. Of an item the fullest text counts: `content:encoded`,
//! Atom's `content` or JSON's `content_html`, else `description`, `summary`. Names count without the prefixes of RSS,
//! Atom, Dublin Core and the content module; those of other modules (`media:title`, `itunes:author`) do not. Titles are plain: markup
//! in them is read and its text kept. Dates are those of [`read_date`]: ISO 8601 with the zone that is stated.
//!
//! **Algorithm.** XML is read event by event, without a tree: an item begins and ends by name, its fields are its direct
//! children, and of a field that holds elements (`type="xhtml"`, HTML that was not escaped) the source is taken. So depth
//! costs nothing, and a missing end tag costs at most its item.
//!
//! **Bad input.** Entities other than XML's five and character references are not expanded, a DTD declares nothing, nothing
//! is fetched. Broken XML gives the items before the fault. Items and bytes are bounded by [`FeedLimits`]; everything beyond
//! is counted.
//!
//! **Cost.** Linear in the text; memory of the items.
//!
//! **Reference.** RSS 2.0 and RSS 1.0 specifications; RFC 4287; JSON Feed 1.1; RSS content module; XSPF 1 (xspf.org/spec).

#[path = "feed/json.rs"]
mod json;
#[path = "feed/xml.rs"]
mod xml;

use webmill_capture::CanonicalUrl;
use webmill_capture::cut::Cut;

use super::limits::Limits;
use super::parse::parse;
use super::text_buffer::collapse;
use super::values::{MAX_LIST, MAX_TEXT, squeezed};
use super::written_date::{DateOrder, WrittenDate, read_date};

/// How much of a feed is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedLimits {
    /// Items (100,000).
    pub max_items: usize,
    /// Bytes of the text of an item (4 MiB); longer ones are cut.
    pub max_item_bytes: usize,
}

impl Default for FeedLimits {
    fn default() -> FeedLimits {
        FeedLimits { max_items: 100_000, max_item_bytes: 4 << 20 }
    }
}

/// The form of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeedKind {
    /// RSS of any version.
    Rss,
    /// Atom (RFC 4287).
    Atom,
    /// JSON Feed.
    Json,
    /// XSPF, version 0 or 1.
    Xspf,
}

/// What a feed says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feed {
    /// Its form.
    pub kind: FeedKind,
    /// Its own title.
    pub title: Option<String>,
    /// Its own author.
    pub author: Option<String>,
    /// The page that it is a feed of.
    pub link: Option<CanonicalUrl>,
    /// Its language as stated.
    pub language: Option<String>,
    /// Its items, in its order.
    pub items: Vec<FeedItem>,
    /// Items beyond the limit.
    pub dropped: u64,
    /// What was wrong with it, each once.
    pub defects: Vec<&'static str>,
}

/// An item of RSS or JSON Feed, or an entry of Atom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedItem {
    /// `guid` or `id`, as it stands.
    pub id: Option<String>,
    /// Its page.
    pub link: Option<CanonicalUrl>,
    /// Its title, plain.
    pub title: Option<String>,
    /// Its authors, with `; ` between.
    pub author: Option<String>,
    /// When it was published, ISO 8601.
    pub published: Option<String>,
    /// When it was changed last, ISO 8601.
    pub modified: Option<String>,
    /// What it is filed under.
    pub categories: Vec<String>,
    /// Its text.
    pub content: String,
    /// Whether the text is HTML; else it is plain.
    pub is_html: bool,
    /// What addresses in the text are resolved against, where the feed states it (`xml:base`); else that is the item's page.
    pub base: Option<CanonicalUrl>,
    /// What it says in short beside its text, plain.
    pub summary: Option<String>,
    /// Whether the text was longer than the limit.
    pub cut: bool,
}

/// Reads a feed that was found at `base`; `None` for a text that is none.
///
/// # Examples
/// ```
/// use webmill_html::feed::{FeedLimits, feed};
/// let text = "<rss><channel><title>News</title><item><title>A</title><link>http://example.com/a</link>
///     <pubDate>Tue, 15 Apr 2003 08:13:06 GMT</pubDate><description>&lt;p&gt;Words</description></item></channel></rss>";
/// let found = feed(text, None, &FeedLimits::default()).unwrap();
/// assert_eq!(found.items[0].content, "<p>Words");
/// assert_eq!(found.items[0].published.as_deref(), Some("2003-04-15T08:13:06Z"));
/// ```
pub fn feed(text: &str, base: Option<&CanonicalUrl>, limits: &FeedLimits) -> Option<Feed> {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.starts_with('{') {
        return json::read(start, base, limits);
    }
    xml::kind(start).and_then(|kind| xml::read(start, kind, base, limits))
}

impl Feed {
    fn new(kind: FeedKind) -> Feed {
        Feed {
            kind,
            title: None,
            author: None,
            link: None,
            language: None,
            items: Vec::new(),
            dropped: 0,
            defects: Vec::new(),
        }
    }

    fn defect(&mut self, what: &'static str) {
        if !self.defects.contains(&what) {
            self.defects.push(what);
        }
    }

    /// Takes an item, or counts it.
    fn push(&mut self, item: FeedItem, limits: &FeedLimits) {
        if self.items.len() >= limits.max_items {
            self.dropped += 1;
            self.defect("more items than the limit");
        } else {
            self.items.push(item);
        }
    }
}

impl FeedItem {
    /// Takes the text of a field that may be the item's; the fullest comes first.
    fn settle(&mut self, full: Option<(String, bool)>, short: Option<(String, bool)>, max: usize) {
        let filled =
            |text: &Option<(String, bool)>| text.as_ref().is_some_and(|(text, _)| !text.trim().is_empty());
        let (text, summary) = if filled(&full) { (full, short) } else { (short, None) };
        self.summary =
            summary.and_then(|(text, is_html)| if is_html { bare(&text) } else { squeezed(&text) });
        let (mut content, is_html) = text.unwrap_or_default();
        if content.len() > max {
            content.truncate(content.floor_char_boundary(max));
            self.cut = true;
        }
        (self.content, self.is_html) = (content, is_html);
    }

    fn file_under(&mut self, category: &str) {
        if self.categories.len() < MAX_LIST
            && let Some(category) = bare(category).filter(|name| !self.categories.contains(name))
        {
            self.categories.push(category);
        }
    }

    fn add_author(&mut self, name: &str) {
        let Some(name) = person(name) else { return };
        match &mut self.author {
            None => self.author = Some(name),
            Some(names)
                if names.len() + name.len() < MAX_TEXT && !names.split("; ").any(|other| other == name) =>
            {
                names.push_str("; ");
                names.push_str(&name);
            }
            Some(_) => {}
        }
    }
}

/// The name in `ann@example.com (Ann Lee)` or `Ann Lee <ann@example.com>`; an address of mail alone is no name.
fn person(text: &str) -> Option<String> {
    let text = bare(text)?;
    let named = match (text.split_once(" ("), text.split_once(" <")) {
        (Some((mail, name)), _) if mail.contains('@') => name.trim_end_matches(')'),
        (_, Some((name, mail))) if mail.contains('@') => name,
        _ if text.contains('@') && !text.contains(' ') => return None,
        _ => &text,
    };
    squeezed(named.trim_matches('"'))
}

/// The text of something short that may hold markup or references, on one line.
fn bare(text: &str) -> Option<String> {
    if !text.contains(['<', '&']) {
        return squeezed(text);
    }
    let text = text.cut(..text.floor_char_boundary(16 * MAX_TEXT));
    let dom = parse(text, &Limits::default());
    let (mut all, mut out) = (String::new(), String::new());
    dom.text_content(dom.body().unwrap_or_else(|| dom.document()), &mut all);
    collapse(&all, MAX_TEXT, &mut out);
    out.truncate(out.trim_end().len());
    (!out.is_empty()).then_some(out)
}

/// A date as ISO 8601; nothing where it is none or may be either of two days.
fn date(text: &str) -> Option<String> {
    read_date(text.trim(), DateOrder::Undecided).and_then(WrittenDate::certain)
}

/// An address of the Web.
fn address(reference: &str, base: Option<&CanonicalUrl>) -> Option<CanonicalUrl> {
    let reference = reference.trim();
    if reference.is_empty() {
        return None;
    }
    let url = base.map_or_else(|| CanonicalUrl::parse(reference), |base| base.join(reference));
    url.filter(CanonicalUrl::is_web)
}

#[cfg(test)]
#[path = "feed/tests.rs"]
mod tests;
