//! JSON Feed 1.0 and 1.1.

use serde_json::Value;
use webmill_capture::cut::Cut;

use super::{Feed, FeedItem, FeedKind, FeedLimits, address, date};
use crate::values::squeezed;
use webmill_capture::CanonicalUrl;

/// Bytes of a JSON Feed: its tree of values takes up to sixteen times as much.
const MAX_BYTES: usize = 16 << 20;

/// Reads a JSON Feed; `None` for another object, or for anything that is no JSON. The parser bounds the depth.
pub(super) fn read(text: &str, base: Option<&CanonicalUrl>, limits: &FeedLimits) -> Option<Feed> {
    if text.len() > MAX_BYTES {
        let head = text.cut(..text.floor_char_boundary(4096));
        let mut feed = Feed::new(FeedKind::Json);
        feed.defect("more bytes than the limit");
        return head.contains("jsonfeed.org/version").then_some(feed);
    }
    let object: Value = serde_json::from_str(text).ok()?;
    let version = object.get("version")?.as_str()?;
    if !version.contains("jsonfeed.org/version") {
        return None;
    }
    let mut feed = Feed::new(FeedKind::Json);
    let said = |object: &Value, name: &str| object.get(name).and_then(Value::as_str).and_then(squeezed);
    feed.title = said(&object, "title");
    feed.language = said(&object, "language");
    feed.link = said(&object, "home_page_url").and_then(|url| address(&url, base));
    let base = base.or(feed.link.as_ref()).cloned();
    let mut owner = FeedItem::default();
    authors(&object, &mut owner);
    feed.author = owner.author;
    let Some(items) = object.get("items").and_then(Value::as_array) else {
        feed.defect("no items");
        return Some(feed);
    };
    for entry in items {
        if !entry.is_object() {
            feed.defect("items that are no objects");
            continue;
        }
        feed.push(item(entry, base.as_ref(), limits), limits);
    }
    Some(feed)
}

fn item(entry: &Value, base: Option<&CanonicalUrl>, limits: &FeedLimits) -> FeedItem {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let mut item = FeedItem { title: text("title").and_then(squeezed), ..FeedItem::default() };
    item.id = match entry.get("id") {
        Some(Value::String(id)) => squeezed(id),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    let own = text("url").or(text("external_url")).and_then(|url| address(url, base));
    item.link =
        own.or_else(|| item.id.as_deref().filter(|id| id.contains("://")).and_then(|id| address(id, None)));
    item.published = text("date_published").and_then(date);
    item.modified = text("date_modified").and_then(date);
    authors(entry, &mut item);
    for tag in entry.get("tags").and_then(Value::as_array).into_iter().flatten() {
        item.file_under(tag.as_str().unwrap_or_default());
    }
    let html = text("content_html").map(|text| (text.to_owned(), true));
    let full = html.or_else(|| text("content_text").map(|text| (text.to_owned(), false)));
    item.settle(full, text("summary").map(|text| (text.to_owned(), false)), limits.max_item_bytes);
    item
}

/// Authors of version 1.1, and the one of 1.0.
fn authors(object: &Value, item: &mut FeedItem) {
    let several = object.get("authors").and_then(Value::as_array).into_iter().flatten();
    for author in several.chain(object.get("author")).take(64) {
        item.add_author(author.get("name").and_then(Value::as_str).unwrap_or_default());
    }
}
