//! The XML forms of sitemaps, event by event.
//!
//! Nothing hangs on a stack of open elements: an entry begins and ends by name, a field belongs to the entry when no
//! unknown element is open in it. So a missing end tag costs at most one entry, and depth costs nothing.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Entry, SitemapKind, SitemapReading};
use webmill_capture::CanonicalUrl;
use webmill_capture::url::MAX_URL_BYTES;
use webmill_html::xml_events::{attribute, resolve};

/// A field that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Url,
    Guid,
    Lastmod,
    Published,
}

/// An entry that is open.
#[derive(Default)]
struct Open {
    entry: Entry,
    guid: Option<String>,
    published: Option<String>,
    base: Option<CanonicalUrl>,
    /// Elements open in it that are no fields.
    inside: u32,
}

#[derive(Default)]
struct State {
    started: bool,
    base: Option<CanonicalUrl>,
    open: Option<Open>,
    field: Option<(Field, String)>,
    /// The guid that is being read is a URL.
    permalink: bool,
}

/// Reads all of `text`, which begins with `<`.
pub(super) fn read(text: &str, gather: &mut SitemapReading<'_>) {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut state = State::default();
    let mut broken = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                if !state.start(&start, gather) {
                    return;
                }
            }
            Ok(Event::Empty(start)) => {
                if !state.start(&start, gather) {
                    return;
                }
                state.end(start.local_name().as_ref(), gather);
            }
            Ok(Event::End(end)) => state.end(end.local_name().as_ref(), gather),
            Ok(Event::Text(text)) => state.text(&text.xml10_content()),
            Ok(Event::CData(data)) => state.text(&data.xml10_content()),
            Ok(Event::GeneralRef(reference)) => state.text(&resolve(&reference)),
            Ok(Event::Eof) => break,
            Ok(Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_)) => {}
            Err(_) => {
                gather.defect("broken XML");
                broken = true;
                break;
            }
        }
    }
    // An entry that was cut off after its URL is still one.
    if let Some(open) = state.open
        && (open.entry.url.is_some() || open.guid.is_some())
    {
        close(open, gather);
        gather.defect("ends too early");
    } else if !broken && state.started && !text.trim_end().ends_with('>') {
        gather.defect("ends too early");
    }
    if gather.sitemap.kind == SitemapKind::Unknown {
        gather.defect("no sitemap");
    }
}

/// What a document is whose first element has this name, in lower case and without prefix.
pub(super) fn kind_of_root(name: &str) -> SitemapKind {
    match name {
        "urlset" => SitemapKind::Urlset,
        "sitemapindex" => SitemapKind::Index,
        "rss" | "rdf" => SitemapKind::Rss,
        "feed" => SitemapKind::Atom,
        _ => SitemapKind::Unknown,
    }
}

fn close(open: Open, gather: &mut SitemapReading<'_>) {
    let mut entry = open.entry;
    entry.url = entry.url.or(open.guid);
    entry.lastmod = entry.lastmod.or(open.published);
    let index = gather.sitemap.kind == SitemapKind::Index;
    gather.push(entry, index, open.base.as_ref());
}

/// What a text is that has an element of this name, if that is an entry; `kind`: what it is so far.
fn kind_of_entry(name: &str, kind: SitemapKind) -> Option<SitemapKind> {
    let entry = match name {
        "url" => SitemapKind::Urlset,
        "sitemap" => SitemapKind::Index,
        "item" => SitemapKind::Rss,
        "entry" => SitemapKind::Atom,
        _ => return None,
    };
    (kind == entry || kind == SitemapKind::Unknown).then_some(entry)
}

/// What an element inside an entry says.
fn field_of(name: &str, feed: bool) -> Option<Field> {
    match (name, feed) {
        ("loc", false) => Some(Field::Url),
        ("lastmod", false) => Some(Field::Lastmod),
        ("link", true) => Some(Field::Url),
        ("guid", true) => Some(Field::Guid),
        ("updated" | "modified", true) => Some(Field::Lastmod),
        ("pubdate" | "date" | "published" | "issued", true) => Some(Field::Published),
        _ => None,
    }
}

impl State {
    /// An element begins; `false` where the text is no sitemap at all.
    fn start(&mut self, start: &BytesStart<'_>, gather: &mut SitemapReading<'_>) -> bool {
        let name = start.local_name();
        let name = name.as_ref().to_ascii_lowercase();
        let kind = &mut gather.sitemap.kind;
        if !std::mem::replace(&mut self.started, true) {
            *kind = kind_of_root(&name);
            if name == "html" {
                gather.defect("an HTML page");
                return false;
            }
            self.base = attribute(start, "xml:base").and_then(|base| gather.base.join(&base));
        }
        self.field = None;
        let entry = kind_of_entry(&name, *kind);
        if let Some(entry) = entry {
            *kind = entry;
            if let Some(open) = self.open.take() {
                gather.defect("an entry without an end");
                close(open, gather);
            }
            let base = attribute(start, "xml:base").and_then(|base| gather.base.join(&base));
            self.open = Some(Open { base: base.or_else(|| self.base.clone()), ..Open::default() });
            return true;
        }
        let kind = *kind;
        let feed = matches!(kind, SitemapKind::Rss | SitemapKind::Atom);
        if feed && self.related(&name, start, gather) {
            return true;
        }
        let Some(open) = &mut self.open else { return true };
        let field = field_of(&name, feed);
        if field.is_none() || open.inside > 0 {
            open.inside = open.inside.saturating_add(1);
            return true;
        }
        if field == Some(Field::Url)
            && feed
            && let Some(href) = attribute(start, "href")
        {
            let alternate = attribute(start, "rel").is_none_or(|rel| rel.eq_ignore_ascii_case("alternate"));
            if alternate && open.entry.url.is_none() {
                open.entry.url = Some(href);
            }
            return true;
        }
        self.permalink =
            attribute(start, "isPermaLink").is_none_or(|value| !value.eq_ignore_ascii_case("false"));
        self.field = field.map(|field| (field, String::new()));
        true
    }

    /// An element that names something beside the entries' own pages; `false` where it is none.
    fn related(&self, name: &str, start: &BytesStart<'_>, gather: &mut SitemapReading<'_>) -> bool {
        /// Relations of a feed to pages and to further feeds (RFC 4287, RFC 5005).
        const PAGES: [&str; 7] =
            ["alternate", "next", "previous", "prev", "prev-archive", "next-archive", "first"];
        let inside = self.open.as_ref().is_some_and(|open| open.inside > 0);
        let rel = || attribute(start, "rel").unwrap_or_else(|| "alternate".to_owned()).to_ascii_lowercase();
        let (reference, base) = match (name, &self.open) {
            ("enclosure", Some(open)) if !inside => (attribute(start, "url"), &open.base),
            ("link", Some(open)) if !inside && rel() == "enclosure" => (attribute(start, "href"), &open.base),
            ("link", None) if PAGES.contains(&rel().as_str()) => (attribute(start, "href"), &self.base),
            _ => return false,
        };
        if let Some(reference) = reference {
            gather.relate(&reference, base.as_ref());
            return name == "link";
        }
        false
    }

    fn text(&mut self, text: &str) {
        if let Some((_, value)) = &mut self.field
            && value.len() <= MAX_URL_BYTES
        {
            value.push_str(text);
        }
    }

    fn end(&mut self, name: &str, gather: &mut SitemapReading<'_>) {
        let entry = match gather.sitemap.kind {
            SitemapKind::Urlset => "url",
            SitemapKind::Index => "sitemap",
            SitemapKind::Rss => "item",
            SitemapKind::Atom => "entry",
            SitemapKind::Text | SitemapKind::Unknown => "",
        };
        if name.eq_ignore_ascii_case(entry) {
            self.field = None;
            if let Some(open) = self.open.take() {
                close(open, gather);
            }
            return;
        }
        let Some(open) = &mut self.open else { return };
        let Some((field, value)) = self.field.take() else {
            open.inside = open.inside.saturating_sub(1);
            return;
        };
        let slot = match field {
            Field::Url => &mut open.entry.url,
            Field::Guid => &mut open.guid,
            Field::Lastmod => &mut open.entry.lastmod,
            Field::Published => &mut open.published,
        };
        let url = value.trim().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
        let wanted = field != Field::Guid || (self.permalink && url);
        if wanted && slot.is_none() && !value.trim().is_empty() {
            *slot = Some(value);
        }
    }
}
