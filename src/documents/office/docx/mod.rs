//! DOCX: Word since 2007.
//!
//! **What.** Headings, paragraphs, items with their numbers, tables, boxes, notes and comments, charts, pages of HTML put in; running heads apart.
//!
//! **Definition.** ECMA-376-1, clause 17 (WordprocessingML), transitional and strict.
//!
//! **Algorithm.** Styles and lists are read first, then the story is walked once ([`body`]), block by block. Notes follow it,
//! each kind in the order of its references. Fields show their results; what was deleted or is hidden is not seen.
//!
//! **Cost.** Linear in the parts that are read, whose trees stand in memory one beside the other.
//!
//! **Bad input.** Without the main part: `no-such-part`; parts that break off are read as far as they go.

mod body;
mod fields;
mod numbering;
mod runs;
mod styles;

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::{Block, flattened};
use crate::epub::chapter;
use crate::office::docx::body::{NoteKind, Walk};
use crate::office::docx::numbering::Numbering;
use crate::office::docx::styles::Styles;
use crate::office::package::{Package, Relationships, part_of};
use crate::office::{chart, diagram, properties};
use crate::xml::{Element, Xml, decode};
use crate::{Builder, Document, Failure, Kind, Limits, TitleSource, title};

/// Names of the main part where no relationship tells it.
const MAIN: [&str; 2] = ["word/document.xml", "word/document2.xml"];

/// The parts beside the main one.
#[derive(Debug, Default)]
struct OtherParts {
    notes: BTreeMap<NoteKind, (Xml, Relationships)>,
    running: Vec<(Xml, Relationships)>,
}

/// Reads a DOCX file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let mut builder = Builder::new(Kind::Docx, limits);
    let mut package = Package::open(bytes, limits)?;
    let main = package.main_part(&MAIN)?;
    let relationships = package.relationships(&main)?;
    properties::read(&mut package, &mut builder)?;
    let story = package.main_xml(&main)?.unwrap_or_default();
    let root = story.root().ok_or_else(|| Failure::new("damaged", main.as_str()))?;
    let styles =
        part(&mut package, &relationships, "styles")?.map(|xml| Styles::read(&xml)).unwrap_or_default();
    let numbering =
        part(&mut package, &relationships, "numbering")?.map(|xml| Numbering::read(&xml)).unwrap_or_default();
    let beside = beside(&mut package, &relationships, limits)?;
    let chunks = chunks(&mut package, &relationships)?;
    let pictures = pictures(&mut package, &relationships)?;
    package.warn_of_damage(&mut builder);

    let mut walk = Walk::new(&styles, numbering, relationships, limits.max_depth);
    walk.pictures = pictures;
    let body = root.child("body").unwrap_or(root);
    for element in body.children() {
        if builder.is_full() {
            break;
        }
        if element.name() == "altChunk" {
            match element.prefixed_attr("id").and_then(|id| chunks.get(&*id)) {
                Some(page) => chapter::tell(page, None, None, &mut builder),
                None => builder.warn("chunk-missing"),
            }
        }
        let mut blocks = Vec::new();
        walk.block(element, &mut blocks);
        blocks.into_iter().for_each(|block| block.tell(&mut builder));
    }
    if let Some(title) = walk.title.take() {
        builder.document.give_title(&title, TitleSource::Style);
    }
    if let Some(line) = title::best(&walk.lines, &builder.document.text) {
        builder.document.give_title(&line, TitleSource::Type);
    }
    tell_notes(&mut walk, &beside, &mut builder);
    tell_running(&mut walk, &beside, &mut builder);
    Ok(builder.finish())
}

fn part(
    package: &mut Package<'_>,
    relationships: &Relationships,
    kind: &str,
) -> Result<Option<Xml>, Failure> {
    part_of(relationships, kind).map_or(Ok(None), |name| package.xml(name))
}

/// Reads notes, comments, and running heads where those are wanted.
fn beside(
    package: &mut Package<'_>,
    relationships: &Relationships,
    limits: &Limits,
) -> Result<OtherParts, Failure> {
    let mut beside = OtherParts::default();
    let kinds = [(NoteKind::Foot, "footnotes"), (NoteKind::End, "endnotes"), (NoteKind::Comment, "comments")];
    for (kind, name) in kinds {
        let Some(name) = part_of(relationships, name) else { continue };
        if let Some(xml) = package.xml(name)? {
            beside.notes.insert(kind, (xml, package.relationships(name)?));
        }
    }
    for one in relationships.values().filter(|_| limits.furniture) {
        if matches!(one.kind.as_str(), "header" | "footer")
            && !one.external
            && let Some(xml) = package.xml(&one.target)?
        {
            beside.running.push((xml, package.relationships(&one.target)?));
        }
    }
    Ok(beside)
}

/// Pages of HTML that programs put into a text for Word to convert, by their relationships.
fn chunks(
    package: &mut Package<'_>,
    relationships: &Relationships,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut chunks = BTreeMap::new();
    for (id, one) in relationships.iter().filter(|(_, one)| one.kind == "aFChunk" && !one.external) {
        let name = one.target.to_ascii_lowercase();
        if ![".html", ".htm", ".xhtml"].iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        if let Some(bytes) = package.bytes(&one.target)? {
            chunks.insert(id.clone(), decode(&bytes));
        }
    }
    Ok(chunks)
}

/// What charts and diagrams say, by their relationships.
fn pictures(
    package: &mut Package<'_>,
    relationships: &Relationships,
) -> Result<BTreeMap<String, Vec<Block>>, Failure> {
    let mut pictures = BTreeMap::new();
    for (id, one) in relationships.iter().filter(|(_, one)| !one.external) {
        let read = match one.kind.as_str() {
            "chart" => chart::blocks,
            "diagramData" => diagram::blocks,
            _ => continue,
        };
        if let Some(xml) = package.xml(&one.target)? {
            pictures.insert(id.clone(), xml.root().map(read).unwrap_or_default());
        }
    }
    Ok(pictures)
}

/// Notes in the order of their references, each once.
fn tell_notes<'x>(walk: &mut Walk<'x>, beside: &'x OtherParts, builder: &mut Builder) {
    let mut referred = Vec::new();
    for (&kind, (xml, relationships)) in &beside.notes {
        // Notes have comments too.
        referred.append(&mut walk.notes);
        walk.relationships.clone_from(relationships);
        let notes = xml.root().into_iter().flat_map(Element::children);
        let mut by_id = BTreeMap::new();
        for note in notes {
            if let Some(id) = note.attr("id") {
                by_id.entry(id.into_owned()).or_insert(note);
            }
        }
        let mut count = 0_usize;
        for (_, id) in referred.iter().filter(|(of, _)| *of == kind) {
            if builder.is_full() {
                return;
            }
            let Some(note) = by_id.remove(id) else { continue };
            count += 1;
            let label = match kind {
                NoteKind::Foot => format!("{count}"),
                NoteKind::End => format!("e{count}"),
                NoteKind::Comment => format!("c{count}"),
            };
            let mut blocks = Vec::new();
            walk.blocks(note, &mut blocks);
            builder.note(&label, flattened(blocks));
        }
    }
}

/// Running heads and feet, each once.
fn tell_running<'x>(walk: &mut Walk<'x>, beside: &'x OtherParts, builder: &mut Builder) {
    let mut told = BTreeSet::new();
    for (xml, relationships) in &beside.running {
        let Some(root) = xml.root() else { continue };
        walk.relationships.clone_from(relationships);
        let mut blocks = Vec::new();
        walk.blocks(root, &mut blocks);
        let words = flattened(blocks).text;
        if told.insert(words.clone()) {
            builder.furniture(&words);
        }
    }
}

#[cfg(test)]
#[path = "docx_tests.rs"]
mod tests;
