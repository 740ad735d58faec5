//! EPUB 2 and 3.
//!
//! **What.** Chapters in the order of the spine; headings of the table of contents where a chapter has none of its own.
//!
//! **Definition.** EPUB 3.3 and OPF 2.0.1: `META-INF/container.xml` names the package, whose manifest names the files, whose
//! spine orders them; a navigation document or an NCX holds the table of contents.
//!
//! **Algorithm.** Chapters are parsed as HTML, which forgives what XHTML does not; empty elements are written out before.
//!
//! **Cost.** Linear in the chapters, of which one stands in memory at a time.
//!
//! **Bad input.** Without a package all pages are read in the order of their names. Where all chapters are encrypted:
//! `encrypted`.

pub(crate) mod chapter;
mod contents;

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use crate::builder::one_line;
use crate::office::package::{Package, resolved};
use crate::xml::{Element, decode};
use crate::{Builder, Document, Failure, Kind, Limits, TitleSource, title};

/// A file of the manifest.
#[derive(Debug)]
struct Item {
    part: String,
    media: String,
    is_nav: bool,
}

/// Reads an EPUB file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let mut builder = Builder::new(Kind::Epub, limits);
    let mut package = Package::open(bytes, limits)?;
    let (chapters, contents) = match package_part(&mut package)? {
        Some(part) => read_package(&mut package, &part, &mut builder)?,
        None => {
            builder.warn("package-missing");
            let pages = package.container.names().filter(|name| is_page(name)).map(str::to_owned);
            (pages.collect(), BTreeMap::new())
        }
    };
    let encrypted = encrypted(&mut package)?;
    if !chapters.is_empty() && chapters.iter().all(|part| encrypted.contains(part)) {
        return Err(Failure::new("encrypted", "all chapters"));
    }
    let mut pages = 0_u32;
    let mut told = BTreeSet::new();
    for part in &chapters {
        // A chapter stands in the reading order once.
        if !told.insert(part) {
            builder.warn("parts-twice");
            continue;
        }
        if pages == limits.max_pages || builder.is_full() {
            builder.warn("pages-cut");
            break;
        }
        let readable = !encrypted.contains(part);
        match package.bytes(part)?.filter(|_| readable) {
            Some(bytes) => chapter::tell(&decode(&bytes), contents.get(part), None, &mut builder),
            None => builder.warn("chapter-missing"),
        }
        pages += 1;
    }
    package.warn_of_damage(&mut builder);
    Ok(builder.finish())
}

fn is_page(name: &str) -> bool {
    [".xhtml", ".html", ".htm"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending))
}

/// The part of the package document.
fn package_part(package: &mut Package<'_>) -> Result<Option<String>, Failure> {
    let xml = package.xml("META-INF/container.xml")?.unwrap_or_default();
    let mut files = xml.root().into_iter().flat_map(|root| root.descendants());
    let named = files.find(|file| file.name() == "rootfile").and_then(|file| file.attr("full-path"));
    let named = named.map(|part| resolved("", &part)).filter(|part| package.container.has(part));
    let other = || package.container.names().find(|name| name.ends_with(".opf")).map(str::to_owned);
    Ok(named.or_else(other))
}

/// Chapters in order, and what the table of contents calls them.
type Chapters = (Vec<String>, BTreeMap<String, contents::Entry>);

fn read_package(package: &mut Package<'_>, part: &str, builder: &mut Builder) -> Result<Chapters, Failure> {
    let xml = package.main_xml(part)?.unwrap_or_default();
    let root = xml.root().ok_or_else(|| Failure::new("damaged", part))?;
    let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
    if let Some(metadata) = root.child("metadata") {
        read_metadata(metadata, builder);
    }
    let manifest = root.child("manifest").into_iter().flat_map(Element::children).filter_map(|item| {
        let href = item.attr("href")?;
        let is_nav =
            item.attr("properties").is_some_and(|all| all.split_whitespace().any(|one| one == "nav"));
        let media = item.attr("media-type").unwrap_or_default().into_owned();
        let item_of = Item { part: resolved(folder, &percent_decoded(&href)), media, is_nav };
        Some((item.attr("id")?.into_owned(), item_of))
    });
    let manifest = manifest.collect::<BTreeMap<_, _>>();
    let spine = root.child("spine").into_iter().flat_map(Element::children);
    let chapters = spine.filter_map(|entry| manifest.get(&*entry.attr("idref")?)).filter(|item| {
        // Covers may be pictures; the table of contents is no chapter.
        !item.is_nav
            && (item.media.contains("html")
                || item.media.contains("xml") && !item.media.contains("svg")
                || is_page(&item.part))
    });
    let chapters = chapters.map(|item| item.part.clone()).collect();
    let nav = manifest.values().find(|item| item.is_nav);
    let named = root.child("spine").and_then(|spine| spine.attr("toc")).and_then(|id| manifest.get(&*id));
    let ncx = named.or_else(|| manifest.values().find(|item| item.media.contains("ncx")));
    let mut entries = BTreeMap::new();
    for (item, read) in [(nav, contents::of_nav as contents::Read), (ncx, contents::of_ncx)] {
        let Some(item) = item.filter(|_| entries.is_empty()) else { continue };
        let folder = item.part.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let xml = package.xml(&item.part)?.unwrap_or_default();
        if let Some(root) = xml.root() {
            read(root, &folder, &mut entries);
        }
    }
    Ok((chapters, entries))
}

fn read_metadata(metadata: Element<'_>, builder: &mut Builder) {
    // In OPF 1 they stand within another element.
    let all = || metadata.descendants();
    let texts = |name: &'static str| {
        let said = all().filter(move |element| element.name() == name).map(|element| element.text());
        said.map(|text| one_line(&text)).filter(|text| !text.is_empty())
    };
    let meta = |property: &str| {
        let mut found = all().filter(|one| one.attr("property").is_some_and(|name| name == property));
        found.next().map(|one| one.text().trim().to_owned()).filter(|text| !text.is_empty())
    };
    let event = |name: &str| {
        let mut dates =
            all().filter(|one| one.name() == "date" && one.attr("event").is_some_and(|event| event == name));
        dates.next().map(|one| one.text().trim().to_owned())
    };
    let authors = texts("creator").collect::<Vec<_>>();
    let document = &mut builder.document;
    document.about.author = (!authors.is_empty()).then(|| authors.join("; "));
    document.about.published = event("publication").or_else(|| texts("date").next());
    document.about.modified = meta("dcterms:modified").or_else(|| event("modification"));
    document.about.language_declared = texts("language").next();
    if let Some(title) = texts("title").find_map(|title| title::cleaned(&title)) {
        document.give_title(&title, TitleSource::Metadata);
    }
}

/// Parts that cannot be read without a key; fonts that are only disguised do not count.
fn encrypted(package: &mut Package<'_>) -> Result<BTreeSet<String>, Failure> {
    let xml = package.xml("META-INF/encryption.xml")?.unwrap_or_default();
    let all = xml.root().into_iter().flat_map(|root| root.descendants());
    let references = all.filter(|element| element.name() == "CipherReference");
    Ok(references.filter_map(|element| Some(resolved("", &percent_decoded(&element.attr("URI")?)))).collect())
}

/// An address without its escapes.
fn percent_decoded(address: &str) -> String {
    percent_decode_str(address).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
#[path = "epub_tests.rs"]
mod tests;
