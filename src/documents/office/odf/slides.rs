//! Slides of OpenDocument files.
//!
//! **Definition.** OpenDocument 1.3 part 3, 10: pages of frames, some of them titles, outlines or notes by their class.
//!
//! **Algorithm.** The title first, then the shapes by rows from top to bottom, then the notes.

use crate::blocks::{Block, flattened};
use crate::office::odf::styles::points;
use crate::office::odf::text::Walk;
use crate::office::reading_order::by_rows;
use crate::xml::Element;
use crate::{Builder, TitleSource};

/// A fortieth of the height of a slide, in hundredths of a point.
const TOLERANCE: i64 = 1350;

struct Shape<'x> {
    top: i64,
    left: i64,
    class: String,
    element: Element<'x>,
}

/// Tells of all slides.
pub(super) fn tell<'x>(
    presentation: Element<'x>,
    hidden: impl Fn(&str) -> bool,
    walk: &mut Walk<'x>,
    builder: &mut Builder,
) {
    let mut pages = 0_u32;
    for page in presentation.children().filter(|child| child.name() == "page") {
        if pages >= builder.limits().max_pages || builder.is_full() {
            builder.warn("pages-cut");
            break;
        }
        pages += 1;
        if page.attr("style-name").is_some_and(|style| hidden(&style)) {
            builder.warn("hidden-slides");
        }
        slide(page, walk, builder);
        if let Some(notes) = page.child("notes") {
            tell_notes(notes, pages, walk, builder);
        }
        for (label, words) in std::mem::take(&mut walk.notes) {
            builder.note(&format!("{pages}{label}"), words);
        }
    }
    builder.document.pages = Some(pages);
}

fn slide<'x>(page: Element<'x>, walk: &mut Walk<'x>, builder: &mut Builder) {
    let shapes = page.children().filter(|child| child.name() != "notes").map(|element| {
        // The place of a group is that of its first shape.
        let placed = element
            .attr("y")
            .map_or_else(|| element.descendants().find(|one| one.attr("y").is_some()), |_| Some(element));
        let hundredths = |name: &str| {
            let length = placed.and_then(|one| points(&one.attr(name)?)).unwrap_or(0.0);
            (length * 100.0).clamp(-1e9, 1e9) as i64
        };
        let class = element.attr("class").unwrap_or_default().into_owned();
        Shape { top: hundredths("y"), left: hundredths("x"), class, element }
    });
    let mut shapes = by_rows(shapes.collect(), TOLERANCE, |shape| (shape.top, shape.left));
    shapes.sort_by_key(|shape| shape.class != "title");
    for shape in shapes {
        let mut blocks = Vec::new();
        match shape.element.name() {
            "annotation" => {
                walk.comment(shape.element);
                continue;
            }
            _ => walk.block(shape.element, &mut blocks),
        }
        match shape.class.as_str() {
            "title" => {
                let words = flattened(blocks);
                builder.document.give_title(&words.text, TitleSource::Style);
                builder.heading(1, words);
            }
            "header" | "footer" | "date-time" | "page-number" => builder.furniture(&flattened(blocks).text),
            _ => blocks.into_iter().for_each(|block: Block| block.tell(builder)),
        }
    }
}

/// What the speaker wrote below the slide.
fn tell_notes<'x>(notes: Element<'x>, page: u32, walk: &mut Walk<'x>, builder: &mut Builder) {
    let mut blocks = Vec::new();
    for frame in notes.children().filter(|frame| frame.attr("class").is_some_and(|class| class == "notes")) {
        walk.block(frame, &mut blocks);
    }
    builder.note(&page.to_string(), flattened(blocks));
}
