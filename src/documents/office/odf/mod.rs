//! OpenDocument: texts, presentations, spreadsheets.
//!
//! **Definition.** OpenDocument 1.3 (ISO/IEC 26300): `content.xml` holds the body, `styles.xml` the common styles, `meta.xml`
//! the metadata, folders the objects within.
//!
//! **Algorithm.** Styles first, then one walk over the body: [`text`], [`slides`] or [`sheet`].
//!
//! **Cost.** Linear in the parts that are read, whose trees stand in memory one beside the other.
//!
//! **Bad input.** A body under a password, as the manifest says: `encrypted`. Without one: `no-such-part`.

mod object;
mod sheet;
mod slides;
mod styles;
mod table;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::{Block, flattened};
use crate::builder::one_line;
use crate::office::odf::styles::Styles;
use crate::office::odf::text::Walk;
use crate::office::package::Package;
use crate::xml::{Element, Xml};
use crate::{Builder, Document, Failure, Kind, Limits, TitleSource, title};

/// Objects within a document that are read.
const MAX_OBJECTS: usize = 1000;

/// Reads an OpenDocument file of a kind.
pub(crate) fn read(bytes: &[u8], kind: Kind, limits: &Limits) -> Result<Document, Failure> {
    let mut builder = Builder::new(kind, limits);
    let mut package = Package::open(bytes, limits)?;
    refuse_encrypted(&mut package)?;
    let content =
        package.main_xml("content.xml")?.ok_or_else(|| Failure::new("no-such-part", "content.xml"))?;
    let root = content.root().ok_or_else(|| Failure::new("damaged", "content.xml"))?;
    let common = package.xml("styles.xml")?.unwrap_or_default();
    let mut styles = Styles::default();
    common.root().into_iter().chain(Some(root)).for_each(|part| styles.add(part));
    metadata(&mut package, &mut builder)?;
    if builder.document.about.language_declared.is_none() {
        builder.document.about.language_declared.clone_from(&styles.language);
    }
    let objects = objects(&mut package)?;
    let active = active_sheet(&mut package)?;
    package.warn_of_damage(&mut builder);

    let hidden = hidden_styles(root);
    let is_hidden = |style: &str| hidden.contains(style);
    let mut walk = Walk::new(&styles, objects);
    let body = root.child("body").and_then(|body| body.children().next());
    let Some(body) = body else { return Err(Failure::new("damaged", "no body")) };
    match body.name() {
        "presentation" | "drawing" => slides::tell(body, is_hidden, &mut walk, &mut builder),
        "spreadsheet" => sheet::tell(body, active.as_deref(), is_hidden, &mut walk, &mut builder),
        _ => tell_text(body, &mut walk, &mut builder),
    }
    tell_running(&common, &styles, &mut builder);
    Ok(builder.finish())
}

fn tell_text<'x>(body: Element<'x>, walk: &mut Walk<'x>, builder: &mut Builder) {
    for element in body.children() {
        if builder.is_full() {
            break;
        }
        let mut blocks = Vec::new();
        walk.block(element, &mut blocks);
        blocks.into_iter().for_each(|block: Block| block.tell(builder));
    }
    if let Some(title) = walk.title.take() {
        builder.document.give_title(&title, TitleSource::Style);
    }
    if let Some(line) = title::best(&walk.lines, &builder.document.text) {
        builder.document.give_title(&line, TitleSource::Type);
    }
    for (label, words) in std::mem::take(&mut walk.notes) {
        builder.note(&label, words);
    }
}

/// Heads and feet of pages, each once.
fn tell_running(common: &Xml, styles: &Styles, builder: &mut Builder) {
    if !builder.limits().furniture {
        return;
    }
    let mut told = BTreeSet::new();
    let pages = common.root().and_then(|root| root.child("master-styles"));
    for page in pages.into_iter().flat_map(Element::children) {
        for element in
            page.children().filter(|one| one.name().starts_with("header") || one.name().starts_with("footer"))
        {
            let mut blocks = Vec::new();
            Walk::new(styles, BTreeMap::new()).blocks(element, &mut blocks);
            let words = flattened(blocks).text;
            if told.insert(words.clone()) {
                builder.furniture(&words);
            }
        }
    }
}

/// Fails where the manifest says that the body is encrypted.
fn refuse_encrypted(package: &mut Package<'_>) -> Result<(), Failure> {
    let manifest = package.xml("META-INF/manifest.xml")?.unwrap_or_default();
    let entries = manifest.root().into_iter().flat_map(Element::children);
    let encrypted = entries.into_iter().any(|entry| {
        entry.child("encryption-data").is_some()
            && entry
                .attr("full-path")
                .is_some_and(|path| matches!(&*path, "content.xml" | "encrypted-package"))
    });
    if encrypted { Err(Failure::new("encrypted", "content.xml")) } else { Ok(()) }
}

fn metadata(package: &mut Package<'_>, builder: &mut Builder) -> Result<(), Failure> {
    let xml = package.xml("meta.xml")?.unwrap_or_default();
    let Some(meta) = xml.root().and_then(|root| root.child("meta")) else { return Ok(()) };
    let said = |name: &str| {
        let text = one_line(&meta.child(name)?.text());
        (!text.is_empty()).then_some(text)
    };
    let document = &mut builder.document;
    document.about.author = said("initial-creator").or_else(|| said("creator"));
    document.about.published = said("creation-date");
    document.about.modified = said("date");
    document.about.language_declared = said("language");
    document.pages = meta.child("document-statistic").and_then(|said| said.number("page-count"));
    if let Some(title) = said("title").and_then(|title| title::cleaned(&title)) {
        document.give_title(&title, TitleSource::Metadata);
    }
    Ok(())
}

/// What the objects within say, by the names of their folders.
fn objects(package: &mut Package<'_>) -> Result<BTreeMap<String, Vec<Block>>, Failure> {
    let names =
        package.container.names().filter_map(|name| name.strip_suffix("/content.xml").map(str::to_owned));
    let names = names.take(MAX_OBJECTS).collect::<Vec<_>>();
    let mut objects = BTreeMap::new();
    for name in names {
        let xml = package.xml(&format!("{name}/content.xml"))?.unwrap_or_default();
        objects.insert(name, xml.root().map(object::blocks).unwrap_or_default());
    }
    Ok(objects)
}

/// The name of the sheet that is shown first.
fn active_sheet(package: &mut Package<'_>) -> Result<Option<String>, Failure> {
    let xml = package.xml("settings.xml")?.unwrap_or_default();
    let items = xml.root().into_iter().flat_map(|root| root.descendants());
    let item = items.into_iter().find(|item| item.attr("name").is_some_and(|name| name == "ActiveTable"));
    Ok(item.map(|item| item.text()))
}

/// Styles whose slides or sheets are not shown.
fn hidden_styles(root: Element<'_>) -> BTreeSet<String> {
    let styles = root.child("automatic-styles").into_iter().flat_map(Element::children);
    let hidden = styles.filter(|style| {
        let said = |part: &str, name: &str| style.child(part).and_then(|properties| properties.attr(name));
        said("table-properties", "display").is_some_and(|display| display == "false")
            || said("drawing-page-properties", "visibility").is_some_and(|visibility| visibility == "hidden")
    });
    hidden.filter_map(|style| Some(style.attr("name")?.into_owned())).collect()
}

#[cfg(test)]
#[path = "odf_tests.rs"]
mod tests;
