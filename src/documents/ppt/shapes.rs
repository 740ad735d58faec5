//! Shapes of a slide: those with texts, in the order in which they are drawn.

use super::records::{Record, Records, child, kind};
use super::text::{Text, texts_among};
use crate::ole::u32_at;

/// A text of a shape.
#[derive(Debug)]
pub(super) enum Shape {
    /// One of its own.
    Own(Text),
    /// One of the outline, by its number.
    Outline(usize),
}

/// Gathers the shapes of a slide.
pub(super) struct Shapes {
    pub shapes: Vec<Shape>,
    /// Records that may still be looked at.
    pub steps: u64,
    max_depth: usize,
}

impl Shapes {
    pub(super) fn new(steps: u64, max_depth: usize) -> Shapes {
        Shapes { shapes: Vec::new(), steps, max_depth }
    }

    /// Walks the records of a slide.
    pub(super) fn walk(&mut self, body: &[u8], depth: usize) {
        if depth > self.max_depth {
            return;
        }
        for record in Records(body) {
            let Some(left) = self.steps.checked_sub(1) else { return };
            self.steps = left;
            if record.kind == kind::SHAPE {
                self.take(record);
            } else if record.holds {
                self.walk(record.body, depth + 1);
            }
        }
    }

    /// Takes the text of a shape, unless it is furniture.
    fn take(&mut self, shape: Record<'_>) {
        let data = child(shape.body, kind::CLIENT_DATA);
        let placeholder = data.and_then(|data| child(data.body, kind::PLACEHOLDER));
        // Date, number, foot and head of the slide.
        if placeholder.and_then(|atom| atom.body.get(4).copied()).is_some_and(|place| matches!(place, 7..=10))
        {
            return;
        }
        let Some(text) = child(shape.body, kind::TEXT_BOX) else { return };
        let outline = child(text.body, kind::OUTLINE_REFERENCE).and_then(|atom| u32_at(atom.body, 0));
        if let Some(number) = outline {
            self.shapes.push(Shape::Outline(number as usize));
        }
        let shapes = &mut self.shapes;
        texts_among(Records(text.body), |text| {
            if !text.is_blank() {
                shapes.push(Shape::Own(text));
            }
        });
    }
}
