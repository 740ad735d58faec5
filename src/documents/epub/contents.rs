//! The table of contents of an EPUB: which file is which chapter.

use std::collections::BTreeMap;

use crate::builder::one_line;
use crate::epub::percent_decoded;
use crate::office::package::resolved;
use crate::xml::Element;

/// Levels of entries.
const MAX_LEVEL: u8 = 6;

/// What the table of contents calls a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(super) level: u8,
    pub(super) name: String,
}

/// Reads entries, of each file the first.
pub(super) type Read = fn(Element<'_>, &str, &mut BTreeMap<String, Entry>);

/// Entries of a navigation document.
pub(super) fn of_nav(root: Element<'_>, folder: &str, entries: &mut BTreeMap<String, Entry>) {
    let mut navs = root.descendants().filter(|element| element.name() == "nav");
    let is_toc = |nav: &Element<'_>| {
        nav.attr("type").is_some_and(|kind| kind.split_whitespace().any(|one| one == "toc"))
    };
    if let Some(nav) = navs.find(is_toc) {
        lists(nav, 0, folder, entries);
    }
}

fn lists(parent: Element<'_>, level: u8, folder: &str, entries: &mut BTreeMap<String, Entry>) {
    for element in parent.children() {
        match element.name() {
            "ol" | "ul" => lists(element, level.saturating_add(1), folder, entries),
            "a" => keep(element.attr("href").as_deref(), &element.text(), level, folder, entries),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {}
            _ => lists(element, level, folder, entries),
        }
    }
}

/// Entries of an NCX.
pub(super) fn of_ncx(root: Element<'_>, folder: &str, entries: &mut BTreeMap<String, Entry>) {
    if let Some(map) = root.child("navMap") {
        points(map, 1, folder, entries);
    }
}

fn points(parent: Element<'_>, level: u8, folder: &str, entries: &mut BTreeMap<String, Entry>) {
    for point in parent.children().filter(|child| child.name() == "navPoint") {
        let source = point.child("content").and_then(|content| content.attr("src"));
        let name = point.child("navLabel").map(|label| label.text()).unwrap_or_default();
        keep(source.as_deref(), &name, level, folder, entries);
        points(point, level.saturating_add(1), folder, entries);
    }
}

fn keep(target: Option<&str>, name: &str, level: u8, folder: &str, entries: &mut BTreeMap<String, Entry>) {
    let name = one_line(name);
    let Some(target) = target.filter(|_| !name.is_empty()) else { return };
    let part = resolved(folder, &percent_decoded(target));
    entries.entry(part).or_insert(Entry { level: level.clamp(1, MAX_LEVEL), name });
}
