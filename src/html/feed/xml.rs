//! RSS, Atom and XSPF, event by event.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use webmill_capture::cut::Cut;

use super::{Feed, FeedItem, FeedKind, FeedLimits, address, bare, date, person};
use crate::values::{MAX_TEXT, squeezed};
use crate::xml_events::{attribute, meant, resolve};
use webmill_capture::CanonicalUrl;

/// Bytes in which a document shows what it is.
const HEAD: usize = 4096;
/// Where the namespace of XSPF is, which other playlists have not.
const XSPF: &str = "xspf.org/ns/";
/// Prefixes whose names count; so does that of the item itself.
const PREFIXES: [&str; 9] = ["", "rss", "rdf", "atom", "atom10", "a10", "dc", "dcterms", "content"];

/// What kind of feed the first element makes a document; `None` where it is none, or does not come soon.
pub(super) fn kind(text: &str) -> Option<FeedKind> {
    let mut rest = text.cut(..text.floor_char_boundary(HEAD));
    loop {
        rest = rest.trim_start();
        let end = match rest.as_bytes() {
            [b'<', b'?', ..] => "?>",
            [b'<', b'!', b'-', b'-', ..] => "-->",
            // A DTD may hold declarations.
            [b'<', b'!', ..] if rest.find('[') < rest.find('>') && rest.contains('[') => "]>",
            [b'<', b'!', ..] => ">",
            [b'<', ..] => break,
            _ => return None,
        };
        rest = rest.cut(rest.find(end)? + end.len()..);
    }
    let name = rest.cut(1..).split([' ', '\t', '\r', '\n', '>', '/']).next()?;
    match local(name).to_ascii_lowercase().as_str() {
        "rss" | "rdf" => Some(FeedKind::Rss),
        "feed" => Some(FeedKind::Atom),
        "playlist" if rest.contains(XSPF) => Some(FeedKind::Xspf),
        _ => None,
    }
}

/// The element of an item.
fn entry_of(kind: FeedKind) -> &'static str {
    match kind {
        FeedKind::Atom => "entry",
        FeedKind::Xspf => "track",
        _ => "item",
    }
}

/// Whether an element holds items and is no level of its own.
fn is_list(name: &str) -> bool {
    matches!(name, "channel" | "tracklist")
}

/// A text with the characters of windows-1252 that its C1 controls were meant to be.
fn without_controls(text: &str) -> Cow<'_, str> {
    let is_control = |c: char| matches!(c, '\u{80}'..='\u{9f}');
    match text.contains(is_control) {
        true => text.chars().map(|c| meant(c as u32).unwrap_or(c)).collect(),
        false => Cow::Borrowed(text),
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// What an element says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Link,
    Id,
    Author,
    Published,
    Modified,
    Category,
    Full,
    Short,
    Language,
}

/// How the text of an element is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Html,
    /// Elements inside of it are its text.
    Inline,
}

/// A field that is being read.
struct Reading {
    field: Field,
    form: Form,
    /// Its name, by which it ends whatever is open in it.
    name: String,
    depth: u32,
    text: String,
    /// Where its content begins in the document.
    from: usize,
    /// Whether there are elements in it.
    marked: bool,
    /// What addresses in it are resolved against (`xml:base`), where the feed states it.
    base: Option<CanonicalUrl>,
}

/// An item that is open, or the feed itself.
#[derive(Default)]
struct Open {
    item: FeedItem,
    prefix: String,
    /// Its `xml:base`, or that of what it stands in.
    base: Option<CanonicalUrl>,
    full: Option<(String, bool)>,
    short: Option<(String, bool)>,
    /// Bases of these two texts.
    text_bases: [Option<CanonicalUrl>; 2],
    guid_link: Option<String>,
    /// Elements open in it.
    depth: u32,
    /// Depth of an author whose name is an element.
    author: Option<u32>,
}

struct State<'a> {
    feed: Feed,
    limits: &'a FeedLimits,
    text: &'a str,
    /// The address of the feed.
    url: Option<CanonicalUrl>,
    /// Its `xml:base`.
    base: Option<CanonicalUrl>,
    item: Option<Open>,
    /// The feed's own fields.
    own: Open,
    reading: Option<Reading>,
    started: bool,
    /// An element of the feed whose fields are not the feed's (its picture, its search field).
    beside: Option<String>,
}

/// Reads all of `text`, whose first element says that it is a feed.
pub(super) fn read(
    text: &str,
    kind: FeedKind,
    base: Option<&CanonicalUrl>,
    limits: &FeedLimits,
) -> Option<Feed> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut state = State {
        feed: Feed::new(kind),
        limits,
        text,
        url: base.cloned(),
        base: None,
        item: None,
        own: Open::default(),
        reading: None,
        started: false,
        beside: None,
    };
    loop {
        let before = reader.buffer_position() as usize;
        match reader.read_event() {
            Ok(Event::Start(start)) => state.start(&start, reader.buffer_position() as usize, false),
            Ok(Event::Empty(start)) => {
                state.start(&start, reader.buffer_position() as usize, true);
                state.end(start.name().as_ref(), before);
            }
            Ok(Event::End(end)) => state.end(end.name().as_ref(), before),
            Ok(Event::Text(text)) => state.text(&text.xml10_content()),
            Ok(Event::CData(data)) => state.text(&data.xml10_content()),
            Ok(Event::GeneralRef(reference)) => state.text(&resolve(&reference)),
            Ok(Event::Eof) => break,
            Ok(Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_)) => {}
            Err(_) => {
                state.feed.defect("broken XML");
                break;
            }
        }
    }
    Some(state.finish())
}

/// What a direct child of an item or of the feed says; `prefixed`: by Dublin Core or another module.
fn field_of(name: &str, prefix: &str, kind: FeedKind) -> Option<Field> {
    let atom = kind == FeedKind::Atom;
    Some(match name {
        "title" => Field::Title,
        // A track's page, or else its file.
        "info" if kind == FeedKind::Xspf => Field::Link,
        "location" if kind == FeedKind::Xspf => Field::Id,
        "annotation" if kind == FeedKind::Xspf => Field::Short,
        "link" if kind != FeedKind::Xspf => Field::Link,
        "guid" | "id" => Field::Id,
        "author" | "creator" | "managingeditor" => Field::Author,
        "pubdate" | "published" | "issued" | "created" | "date" => Field::Published,
        "updated" | "modified" | "lastbuilddate" => Field::Modified,
        "category" | "subject" => Field::Category,
        "encoded" => Field::Full,
        "content" if atom || prefix.is_empty() => Field::Full,
        "description" | "summary" | "tagline" | "subtitle" => Field::Short,
        "language" => Field::Language,
        _ => return None,
    })
}

/// How the text of a field is meant, by its `type`.
fn form_of(field: Field, start: &BytesStart<'_>, kind: FeedKind) -> Form {
    if !matches!(field, Field::Full | Field::Short | Field::Title) {
        return Form::Plain;
    }
    let declared = attribute(start, "type").map(|form| form.trim().to_ascii_lowercase());
    match declared.as_deref() {
        Some("xhtml" | "application/xhtml+xml") => Form::Inline,
        Some("html" | "text/html") => Form::Html,
        Some("text" | "text/plain") => Form::Plain,
        _ if kind != FeedKind::Rss => Form::Plain,
        // RSS says of no text what it is; most are HTML.
        _ => Form::Html,
    }
}

impl State<'_> {
    fn start(&mut self, start: &BytesStart<'_>, from: usize, empty: bool) {
        let whole = start.name().as_ref().to_ascii_lowercase();
        let (prefix, name) = whole.rsplit_once(':').unwrap_or(("", &whole));
        if !std::mem::replace(&mut self.started, true) {
            self.base = self.base_of(start, None);
            self.feed.language = attribute(start, "xml:lang").as_deref().and_then(squeezed);
            return;
        }
        if self.feed.kind == FeedKind::Xspf {
            // What programs add for themselves.
            if name == "extension" && self.beside.is_none() && !empty {
                self.beside = Some(whole);
                return;
            }
            if self.beside.is_some() {
                return;
            }
        }
        let entry = entry_of(self.feed.kind);
        if name == entry
            && (PREFIXES.contains(&prefix) || self.item.as_ref().is_none_or(|open| open.prefix == prefix))
        {
            self.reading = None;
            if let Some(open) = self.item.take() {
                self.feed.defect("an item without an end");
                self.close(open);
            }
            let base = self.base_of(start, self.base.as_ref());
            self.item = Some(Open { prefix: prefix.to_owned(), base, ..Open::default() });
            return;
        }
        if let Some(reading) = &mut self.reading {
            reading.marked = true;
        }
        if self.item.is_none() {
            if matches!(name, "image" | "textinput" | "items") && self.beside.is_none() {
                self.beside = Some(whole.clone());
            }
            if is_list(name) {
                self.base = self.base_of(start, self.base.as_ref());
            }
            if is_list(name) || self.beside.is_some() {
                return;
            }
        }
        let kind = self.feed.kind;
        let open = self.item.as_mut().unwrap_or(&mut self.own);
        open.depth = open.depth.saturating_add(1);
        if self.reading.as_ref().is_some_and(|reading| reading.field != Field::Author) {
            return;
        }
        let known = PREFIXES.contains(&prefix) || prefix == open.prefix;
        let named = open.author.is_some_and(|depth| open.depth == depth + 1);
        let field = match open.depth {
            1 if known => field_of(name, prefix, kind),
            _ if named && name == "name" => Some(Field::Author),
            _ => None,
        };
        if open.depth == 1 && field == Some(Field::Author) {
            open.author = Some(1);
        }
        let Some(field) = field else {
            if named {
                // An address of mail or of a page is no name.
                self.reading = None;
            }
            return;
        };
        self.begin(field, start, whole.clone(), from, empty);
    }

    /// A field begins; what its attributes say is taken at once.
    fn begin(&mut self, field: Field, start: &BytesStart<'_>, name: String, from: usize, empty: bool) {
        let kind = self.feed.kind;
        let outer = self.item.as_ref().map_or(&self.base, |open| &open.base);
        let base = self.base_of(start, outer.as_ref());
        let open = self.item.as_mut().unwrap_or(&mut self.own);
        match field {
            Field::Link => {
                if let Some(href) = attribute(start, "href") {
                    let rel = attribute(start, "rel");
                    let alternate = rel.is_none_or(|rel| rel.eq_ignore_ascii_case("alternate"));
                    if alternate && open.item.link.is_none() {
                        open.item.link = address(&href, base.as_ref().or(self.url.as_ref()));
                    }
                    return;
                }
            }
            Field::Category => {
                let label = attribute(start, "label").or_else(|| attribute(start, "term"));
                label.iter().for_each(|label| open.item.file_under(label));
            }
            Field::Id
                if attribute(start, "isPermaLink").is_none_or(|is| !is.eq_ignore_ascii_case("false")) =>
            {
                open.guid_link = Some(String::new());
            }
            _ => {}
        }
        if !empty {
            let form = form_of(field, start, kind);
            let depth = open.depth;
            self.reading =
                Some(Reading { field, form, name, depth, text: String::new(), from, marked: false, base });
        }
    }

    /// The base of an element: its `xml:base`, which may be relative to that of what it stands in (`outer`), else that one.
    fn base_of(&self, start: &BytesStart<'_>, outer: Option<&CanonicalUrl>) -> Option<CanonicalUrl> {
        let own = attribute(start, "xml:base").and_then(|at| address(&at, outer.or(self.url.as_ref())));
        own.or_else(|| outer.cloned())
    }

    fn text(&mut self, text: &str) {
        if let Some(reading) = &mut self.reading {
            let long = matches!(reading.field, Field::Full | Field::Short);
            let max = if long { self.limits.max_item_bytes } else { 16 * MAX_TEXT };
            // One byte more than is kept, so that the cut shows.
            if reading.text.len() <= max {
                let room = text.floor_char_boundary((max + 4).saturating_sub(reading.text.len()));
                reading.text.push_str(&without_controls(text.cut(..room)));
            }
        }
    }

    fn end(&mut self, name: &str, at: usize) {
        let name = name.to_ascii_lowercase();
        if self.feed.kind == FeedKind::Xspf && self.beside.is_some() {
            self.beside = self.beside.take().filter(|beside| *beside != name);
            return;
        }
        let entry = entry_of(self.feed.kind);
        if self.item.as_ref().is_some_and(|_| local(&name) == entry) {
            self.reading = None;
            if let Some(open) = self.item.take() {
                self.close(open);
            }
            return;
        }
        if self.item.is_none() {
            if self.beside.as_deref() == Some(name.as_str()) {
                self.beside = None;
                return;
            }
            if self.beside.is_some() || is_list(local(&name)) {
                return;
            }
        }
        let open = self.item.as_mut().unwrap_or(&mut self.own);
        let depth = open.depth;
        open.depth = depth.saturating_sub(1);
        let ends =
            |reading: &mut Reading| reading.depth == depth || reading.name == name && reading.depth <= depth;
        if let Some(reading) = self.reading.take_if(ends) {
            open.depth = reading.depth.saturating_sub(1);
            self.take(reading, at);
        }
        let open = self.item.as_mut().unwrap_or(&mut self.own);
        if open.depth == 0 {
            open.author = None;
        }
    }

    /// A field has been read, up to byte `at`.
    fn take(&mut self, reading: Reading, at: usize) {
        let text = match reading.marked && reading.form != Form::Plain {
            true => {
                let source = self.text.get(reading.from..at).unwrap_or_default();
                let max = self.limits.max_item_bytes.saturating_add(4);
                source.cut(..source.floor_char_boundary(max)).to_owned()
            }
            false => reading.text,
        };
        if text.trim().is_empty() {
            return;
        }
        let html = reading.form != Form::Plain;
        let open = self.item.as_mut().unwrap_or(&mut self.own);
        let item = &mut open.item;
        let first = |slot: &mut Option<String>, value: Option<String>| {
            if slot.is_none() {
                *slot = value;
            }
        };
        match reading.field {
            Field::Title => first(&mut item.title, if html { bare(&text) } else { squeezed(&text) }),
            Field::Link if item.link.is_none() => {
                item.link = address(&text, reading.base.as_ref().or(self.url.as_ref()));
            }
            Field::Link => {}
            Field::Id => {
                if open.guid_link.is_some() && text.trim_start().starts_with("http") {
                    open.guid_link = squeezed(&text);
                }
                first(&mut item.id, squeezed(&text));
            }
            Field::Author => item.add_author(&text),
            Field::Published => first(&mut item.published, date(&text)),
            Field::Modified => first(&mut item.modified, date(&text)),
            Field::Category => item.file_under(&text),
            Field::Full if open.full.is_none() => {
                (open.full, open.text_bases[0]) = (Some((text, html)), reading.base);
            }
            Field::Short if open.short.is_none() => {
                (open.short, open.text_bases[1]) = (Some((text, html)), reading.base);
            }
            Field::Full | Field::Short => {}
            Field::Language => self.feed.language = squeezed(&text),
        }
    }

    fn close(&mut self, open: Open) {
        let mut item = open.item;
        let permanent = open.guid_link.filter(|link| !link.is_empty());
        item.link = item.link.or_else(|| address(&permanent?, None));
        let mut told = open.short;
        if let Some(author) = item.author.as_ref().filter(|_| self.feed.kind == FeedKind::Xspf) {
            // Little is told of a track beside its title: who made it is text too.
            let further = told.map_or_else(String::new, |(text, _)| format!("\n\n{}", text.trim()));
            told = Some((format!("{author}{further}"), false));
        }
        let [full, short] = open.text_bases;
        let is_full = open.full.as_ref().is_some_and(|(text, _)| !text.trim().is_empty());
        item.base = if is_full { full } else { short };
        item.settle(open.full, told, self.limits.max_item_bytes);
        self.feed.push(item, self.limits);
    }

    fn finish(mut self) -> Feed {
        if let Some(open) = self.item.take() {
            self.feed.defect("ends too early");
            self.close(open);
        }
        let own = self.own.item;
        self.feed.title = own.title;
        self.feed.author = own.author.as_deref().and_then(person);
        self.feed.link = own.link;
        self.feed
    }
}
