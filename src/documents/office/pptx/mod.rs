//! PPTX: PowerPoint since 2007.
//!
//! **What.** Slide by slide: title, shapes in reading order, notes, comments. Hidden slides are read too, with a warning.
//!
//! **Definition.** ECMA-376-1, clause 19 (PresentationML); the order of the slides is that of the presentation's list.
//!
//! **Cost.** Linear in the parts; one slide stands in memory at a time, and its layout.
//!
//! **Bad input.** Slides that are missing or broken are left out with a warning.

mod shapes;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::{Block, flattened};
use crate::office::package::{Package, Relationships, part_of};
use crate::office::pptx::shapes::{Role, Slide};
use crate::office::{chart, diagram, properties};
use crate::xml::Xml;
use crate::{Builder, Document, Failure, Inline, Kind, Limits, TitleSource};

/// Height of a slide that does not say it, in EMU.
const HEIGHT: i64 = 6_858_000;
/// Layouts and masters that are kept while slides need them.
const MAX_KEPT: usize = 32;

/// Layouts and masters that were read.
type Layouts = BTreeMap<String, (Xml, Relationships)>;

/// Reads a PPTX file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let mut builder = Builder::new(Kind::Pptx, limits);
    let mut package = Package::open(bytes, limits)?;
    let main = package.main_part(&["ppt/presentation.xml"])?;
    let relationships = package.relationships(&main)?;
    properties::read(&mut package, &mut builder)?;
    let presentation = package.main_xml(&main)?.unwrap_or_default();
    let root = presentation.root().ok_or_else(|| Failure::new("damaged", main.as_str()))?;
    let height = root.child("sldSz").and_then(|size| size.number("cy")).unwrap_or(HEIGHT);
    let authors = authors(&mut package, &relationships)?;
    let mut layouts = Layouts::new();
    let mut read = BTreeSet::new();
    let mut pages = 0_u32;
    let slides = root.child("sldIdLst").into_iter().flat_map(|list| list.children());
    for slide in slides {
        let part = slide.prefixed_attr("id").and_then(|id| relationships.get(&*id));
        let Some(part) = part.filter(|one| one.kind == "slide") else { continue };
        if !read.insert(part.target.as_str()) {
            builder.warn("parts-twice");
            continue;
        }
        if pages == limits.max_pages {
            builder.warn("pages-cut");
            break;
        }
        pages += 1;
        let mut reading = SlideReader {
            package: &mut package,
            layouts: &mut layouts,
            authors: &authors,
            height,
            number: pages,
        };
        reading.slide(&part.target, &mut builder)?;
        if builder.is_full() {
            break;
        }
    }
    builder.document.pages = Some(pages);
    package.warn_of_damage(&mut builder);
    Ok(builder.finish())
}

/// What reading a slide needs.
struct SlideReader<'r, 'p> {
    package: &'r mut Package<'p>,
    layouts: &'r mut Layouts,
    authors: &'r BTreeMap<String, String>,
    height: i64,
    number: u32,
}

impl SlideReader<'_, '_> {
    fn slide(&mut self, part: &str, builder: &mut Builder) -> Result<(), Failure> {
        let Some(xml) = self.package.xml(part)? else {
            builder.warn("slide-missing");
            return Ok(());
        };
        let relationships = self.package.relationships(part)?;
        let pictures = self.pictures(&relationships)?;
        let layout = part_of(&relationships, "slideLayout").map(str::to_owned);
        let master = layout.map_or(Ok(None), |layout| {
            self.layout(&layout).map(|master| master.map(|master| (layout, master)))
        })?;
        let mut above = Vec::new();
        if let Some((layout, master)) = &master {
            above.extend(self.tree(layout));
            above.extend(master.as_deref().and_then(|master| self.tree(master)));
        }
        if let Some(root) = xml.root() {
            if root.attr("show").is_some_and(|show| show == "0" || show == "false") {
                builder.warn("hidden-slides");
            }
            let mut slide = Slide { relationships: &relationships, above, pictures, height: self.height };
            if let Some(tree) = root.path(&["cSld", "spTree"]) {
                tell(slide.shapes(tree), builder);
            }
        }
        self.notes(&relationships, builder)?;
        self.comments(&relationships, builder)
    }

    /// Reads a layout and its master, and names the master.
    fn layout(&mut self, layout: &str) -> Result<Option<Option<String>>, Failure> {
        if self.layouts.len() > MAX_KEPT {
            self.layouts.clear();
        }
        self.keep(layout)?;
        let master =
            self.layouts.get(layout).and_then(|(_, known)| part_of(known, "slideMaster")).map(str::to_owned);
        if let Some(master) = &master {
            self.keep(master)?;
        }
        Ok(Some(master))
    }

    fn keep(&mut self, part: &str) -> Result<(), Failure> {
        if !self.layouts.contains_key(part) {
            let xml = self.package.xml(part)?.unwrap_or_default();
            let relationships = self.package.relationships(part)?;
            self.layouts.insert(part.to_owned(), (xml, relationships));
        }
        Ok(())
    }

    /// The shapes of a layout or master.
    fn tree(&self, part: &str) -> Option<crate::xml::Element<'_>> {
        self.layouts.get(part)?.0.root()?.path(&["cSld", "spTree"])
    }

    fn pictures(&mut self, relationships: &Relationships) -> Result<BTreeMap<String, Vec<Block>>, Failure> {
        let mut pictures = BTreeMap::new();
        for (id, one) in relationships.iter().filter(|(_, one)| !one.external) {
            let read = match one.kind.as_str() {
                "chart" => chart::blocks,
                "diagramData" => diagram::blocks,
                _ => continue,
            };
            if let Some(xml) = self.package.xml(&one.target)? {
                pictures.insert(id.clone(), xml.root().map(read).unwrap_or_default());
            }
        }
        Ok(pictures)
    }

    /// What the speaker wrote below the slide.
    fn notes(&mut self, relationships: &Relationships, builder: &mut Builder) -> Result<(), Failure> {
        let Some(part) = part_of(relationships, "notesSlide") else { return Ok(()) };
        let Some(xml) = self.package.xml(part)? else { return Ok(()) };
        let relationships = self.package.relationships(part)?;
        let mut slide = Slide {
            relationships: &relationships,
            above: Vec::new(),
            pictures: BTreeMap::new(),
            height: self.height,
        };
        let Some(tree) = xml.root().and_then(|root| root.path(&["cSld", "spTree"])) else { return Ok(()) };
        let bodies = slide.shapes(tree).into_iter().filter(|shape| shape.role == Role::Body);
        let words = flattened(bodies.flat_map(|shape| shape.blocks).collect());
        builder.note(&self.number.to_string(), words);
        Ok(())
    }

    fn comments(&mut self, relationships: &Relationships, builder: &mut Builder) -> Result<(), Failure> {
        let mut count = 0_u32;
        for one in relationships.values().filter(|one| one.kind == "comments" && !one.external) {
            let Some(xml) = self.package.xml(&one.target)? else { continue };
            let all = xml.root().into_iter().flat_map(|root| root.descendants());
            for comment in all.filter(|element| matches!(element.name(), "cm" | "reply")) {
                let paragraphs = comment.child("txBody").into_iter().flat_map(|body| body.children());
                let words = paragraphs
                    .map(|paragraph| text::words(paragraph, relationships).text)
                    .collect::<Vec<_>>();
                let words = comment.child("text").map_or_else(|| words.join(" "), |text| text.text());
                let author = comment.attr("authorId").and_then(|id| self.authors.get(&*id));
                count += 1;
                builder.note(&format!("{}c{count}", self.number), said_by(author, &words));
            }
        }
        Ok(())
    }
}

/// Tells of shapes in their order.
fn tell(shapes: Vec<shapes::Shape>, builder: &mut Builder) {
    for shape in shapes {
        match shape.role {
            Role::Title => {
                let words = flattened(shape.blocks);
                builder.document.give_title(&words.text, TitleSource::Style);
                builder.heading(1, words);
            }
            Role::Furniture => builder.furniture(&flattened(shape.blocks).text),
            Role::Body | Role::Other => shape.blocks.into_iter().for_each(|block| block.tell(builder)),
        }
    }
}

/// A comment with the name of its author.
fn said_by(author: Option<&String>, words: &str) -> Inline {
    match author.filter(|_| !words.trim().is_empty()) {
        Some(author) => format!("{author}: {}", words.trim()).into(),
        None => words.trim().into(),
    }
}

/// Names of those who wrote comments, by their ids.
fn authors(
    package: &mut Package<'_>,
    relationships: &Relationships,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut authors = BTreeMap::new();
    for one in relationships.values().filter(|one| matches!(one.kind.as_str(), "commentAuthors" | "authors"))
    {
        let Some(xml) = package.xml(&one.target)? else { continue };
        for author in xml.root().into_iter().flat_map(|root| root.children()) {
            if let (Some(id), Some(name)) = (author.attr("id"), author.attr("name")) {
                authors.insert(id.into_owned(), name.into_owned());
            }
        }
    }
    Ok(authors)
}

#[cfg(test)]
#[path = "pptx_tests.rs"]
mod tests;
