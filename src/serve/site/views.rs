//! What templates see of the data: texts and addresses.

use crate::index::Timestamp;
use crate::surface::{Lang, shorten, size, thousands};
use minijinja::{Value, context};

use super::calendar::Outcome;
use super::data::{CaptureLine, CollectionSummary, HostLine, UrlLine};
use super::{links, show};

/// Most characters of a title in a list.
const TITLE: usize = 200;

/// A title as lists show it; `None` for an empty one.
pub fn title(title: Option<&str>) -> Option<String> {
    title.map(str::trim).filter(|title| !title.is_empty()).map(|title| shorten(title, TITLE))
}

/// `3 captures`, by the words for one and for many.
pub fn counted(lang: Lang, n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), lang.words("site")[if n == 1 { one } else { many }])
}

/// The word behind a number of captures.
pub fn unit(lang: Lang, n: u64) -> &'static str {
    &lang.words("site")[if n == 1 { "capture" } else { "captures" }]
}

/// The captures of something, counted.
pub fn captures(lang: Lang, n: u64) -> String {
    counted(lang, n, "capture", "captures")
}

/// The values of a template for a collection.
pub fn collection(lang: Lang, c: &CollectionSummary) -> Value {
    let name = links::value(&c.name);
    context! {
        id => &name,
        href => format!("/{name}/"),
        title => title(c.title.as_deref()).unwrap_or_else(|| c.name.clone()),
        description => &c.description,
        captures => captures(lang, c.captures),
        capture_count => thousands(c.captures),
        urls => c.urls.map(thousands),
        hosts => c.hosts.map(thousands),
        hosts_counted => c.hosts.map(|n| counted(lang, n, "host_count", "hosts_count")),
        bytes => c.bytes.map(size),
        first => c.first.map(show::date),
        last => c.last.map(show::date),
        searchable => c.searchable,
        unread => &c.unread,
    }
}

/// The values of a template for a capture.
pub fn capture(collection: &str, line: &CaptureLine) -> Value {
    context! {
        url => &line.url,
        short => show::short_url(&line.url),
        href => links::replay(collection, line.timestamp, &line.url),
        info => links::info(collection, line.timestamp, &line.url),
        calendar => links::calendar(collection, &line.url),
        live => links::live(&line.url),
        iso => show::iso(line.timestamp),
        date => show::date(line.timestamp),
        clock => show::clock(line.timestamp),
        status => line.status.map(|status| status.to_string()),
        outcome => Outcome::of(line).name(),
        mime => if line.mime == "-" { "" } else { &line.mime },
        length => line.length.map(size).unwrap_or_default(),
        digest => &line.digest,
        title => title(line.title.as_deref()),
    }
}

/// A host; `most` is what its bar is measured by.
pub fn host(lang: Lang, collection: &str, host: &HostLine, most: u64) -> Value {
    context! {
        host => &host.host,
        href => format!("/{}/calendar?url={}&match=host", links::value(collection), links::value(&host.host)),
        captures => thousands(host.captures),
        unit => unit(lang, host.captures),
        part => (host.captures as f64 * 100.0 / most.max(1) as f64).clamp(0.5, 100.0).round().max(1.0) as u32,
        pages => host.pages.map(thousands).unwrap_or_default(),
        hosts_in => host.hosts_in.map(thousands).unwrap_or_default(),
        pagerank => host.pagerank.map(show::score).unwrap_or_default(),
        language => show::languages(lang, host.language.as_deref().unwrap_or_default()),
    }
}

/// A URL of a list.
pub fn url(lang: Lang, collection: &str, line: &UrlLine) -> Value {
    let as_capture = CaptureLine { status: line.status, mime: line.mime.clone(), ..CaptureLine::default() };
    context! {
        url => &line.url,
        short => show::short_url(&line.url),
        href => links::calendar(collection, &line.url),
        captures => thousands(line.captures),
        unit => unit(lang, line.captures),
        first => show::date(line.first),
        first_iso => show::iso(line.first),
        first_href => links::replay(collection, line.first, &line.url),
        last => show::date(line.last),
        last_iso => show::iso(line.last),
        last_href => links::replay(collection, line.last, &line.url),
        status => line.status.map(|status| status.to_string()),
        outcome => Outcome::of(&as_capture).name(),
        mime => if line.mime == "-" { "" } else { &line.mime },
    }
}

/// A link to another page of the same list.
pub fn turn(href: String, label: &str) -> Value {
    context! { href, label }
}

/// First and last time as a reader sees them.
pub fn date(timestamp: Option<Timestamp>) -> Option<String> {
    timestamp.map(show::date)
}
