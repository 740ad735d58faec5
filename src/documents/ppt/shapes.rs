//! Shapes of a slide: those with texts, with their places, and tables.
//!
//! **Definition.** [MS-ODRAW]: shapes and groups of them, of which the first shape says how the group is. A table is a group
//! that says so; its cells are shapes, merged ones a single shape.
//!
//! **Algorithm.** By rows from top to bottom, and within a row from left to right, as in newer files. A group is read as one.

use std::collections::BTreeSet;

use super::records::{Record, Records, child, kind};
use super::text::{Text, texts_among};
use crate::office::reading_order::by_rows;
use crate::ole::{u16_at, u32_at};

/// A fortieth of the height of a slide, in 576ths of an inch.
const TOLERANCE: i64 = 108;
/// The property that says whether a group is a table.
const IS_TABLE: u16 = 0x039F;
/// Places that a table may have.
const MAX_CELLS: usize = 100_000;

/// A text of a shape, or a table.
#[derive(Debug)]
pub(super) enum Shape {
    /// A text of its own.
    Own(Text),
    /// One of the outline, by its number.
    Outline(usize),
    /// Texts by row and column.
    Table(Vec<Vec<Option<Text>>>),
}

/// Gathers the shapes of a slide.
pub(super) struct Shapes {
    shapes: Vec<((i64, i64), Shape)>,
    /// Records that may still be looked at.
    pub steps: u64,
    max_depth: usize,
}

impl Shapes {
    pub(super) fn new(steps: u64, max_depth: usize) -> Shapes {
        Shapes { shapes: Vec::new(), steps, max_depth }
    }

    /// The shapes in reading order.
    pub(super) fn in_order(self) -> impl Iterator<Item = Shape> {
        by_rows(self.shapes, TOLERANCE, |(place, _)| *place).into_iter().map(|(_, shape)| shape)
    }

    /// Walks the records of a slide; `group` is the place of the group that they stand in.
    pub(super) fn walk(&mut self, body: &[u8], group: Option<(i64, i64)>, depth: usize) {
        if depth > self.max_depth {
            return;
        }
        for record in Records(body) {
            let Some(left) = self.steps.checked_sub(1) else { return };
            self.steps = left;
            match record.kind {
                kind::SHAPE => self.take(record, group),
                kind::GROUP => {
                    let first = child(record.body, kind::SHAPE);
                    let place = group.or_else(|| Some(place_of(first?)?.0));
                    if first.is_some_and(is_table) {
                        self.table(record.body, place);
                    } else {
                        // The outermost group is the slide, and has no place.
                        self.walk(record.body, place, depth + 1);
                    }
                }
                _ if record.holds => self.walk(record.body, group, depth + 1),
                _ => {}
            }
        }
    }

    /// Takes the text of a shape, unless it is furniture.
    fn take(&mut self, shape: Record<'_>, group: Option<(i64, i64)>) {
        let data = child(shape.body, kind::CLIENT_DATA);
        let placeholder = data.and_then(|data| child(data.body, kind::PLACEHOLDER));
        // Date, number, foot and head of the slide.
        if placeholder.and_then(|atom| atom.body.get(4).copied()).is_some_and(|place| matches!(place, 7..=10))
        {
            return;
        }
        let Some(text) = child(shape.body, kind::TEXT_BOX) else { return };
        // One without a place stands behind the one before.
        let place =
            group.or_else(|| Some(place_of(shape)?.0)).or(self.shapes.last().map(|(place, _)| *place));
        let place = place.unwrap_or_default();
        let outline = child(text.body, kind::OUTLINE_REFERENCE).and_then(|atom| u32_at(atom.body, 0));
        if let Some(number) = outline {
            self.shapes.push((place, Shape::Outline(number as usize)));
        }
        let shapes = &mut self.shapes;
        texts_among(Records(text.body), |text| {
            if !text.is_blank() {
                shapes.push((place, Shape::Own(text)));
            }
        });
    }

    /// Takes a table: rows and columns begin where cells do.
    fn table(&mut self, body: &[u8], place: Option<(i64, i64)>) {
        let mut cells = Vec::new();
        for shape in Records(body).filter(|record| record.kind == kind::SHAPE).skip(1) {
            self.steps = self.steps.saturating_sub(1);
            let (Some((place, true)), Some(text)) = (place_of(shape), child(shape.body, kind::TEXT_BOX))
            else {
                continue;
            };
            texts_among(Records(text.body), |text| cells.push((place, text)));
        }
        let rows = cells.iter().map(|((top, _), _)| *top).collect::<BTreeSet<_>>();
        let columns = cells.iter().map(|((_, left), _)| *left).collect::<BTreeSet<_>>();
        let place = place.unwrap_or_default();
        if rows.len() * columns.len() > MAX_CELLS {
            self.shapes.extend(cells.into_iter().map(|(_, text)| (place, Shape::Own(text))));
            return;
        }
        let mut table: Vec<Vec<_>> = Vec::new();
        table.resize_with(rows.len(), || (0..columns.len()).map(|_| None).collect());
        for ((top, left), text) in cells {
            let place = (rows.range(..top).count(), columns.range(..left).count());
            if let Some(cell) = table.get_mut(place.0).and_then(|row| row.get_mut(place.1)) {
                *cell = Some(text);
            }
        }
        self.shapes.push((place, Shape::Table(table)));
    }
}

/// Top and left of a shape, and whether they are within its group.
fn place_of(shape: Record<'_>) -> Option<((i64, i64), bool)> {
    let long = |body, at| u32_at(body, at).map(|number| i64::from(number as i32));
    if let Some(anchor) = child(shape.body, kind::CHILD_ANCHOR) {
        return Some(((long(anchor.body, 4)?, long(anchor.body, 0)?), true));
    }
    let anchor = child(shape.body, kind::CLIENT_ANCHOR)?.body;
    let short = |at| u16_at(anchor, at).map(|number| i64::from(number as i16));
    let place =
        if anchor.len() >= 16 { (long(anchor, 0)?, long(anchor, 4)?) } else { (short(0)?, short(2)?) };
    Some((place, false))
}

/// Whether the first shape of a group says that it is a table.
fn is_table(shape: Record<'_>) -> bool {
    let Some(properties) = child(shape.body, kind::TABLE_PROPERTIES) else { return false };
    let mut all = properties.body.chunks_exact(6).take(usize::from(properties.instance));
    all.any(|one| {
        u16_at(one, 0).is_some_and(|id| id & 0x3FFF == IS_TABLE)
            && u32_at(one, 2).is_some_and(|value| value & 1 == 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, version: u16, body: &[u8]) -> Vec<u8> {
        [&version.to_le_bytes()[..], &kind.to_le_bytes(), &(body.len() as u32).to_le_bytes(), body].concat()
    }

    fn text(words: &str) -> Vec<u8> {
        let head = record(kind::TEXT_HEADER, 0, &4_u32.to_le_bytes());
        record(kind::TEXT_BOX, 0xF, &[head, record(kind::TEXT_BYTES, 0, words.as_bytes())].concat())
    }

    fn placed(top: i16, left: i16, words: &str) -> Vec<u8> {
        let anchor = [top, left, 0, 0].map(i16::to_le_bytes).concat();
        record(kind::SHAPE, 0xF, &[record(kind::CLIENT_ANCHOR, 0, &anchor), text(words)].concat())
    }

    fn cell(top: i32, left: i32, words: &str) -> Vec<u8> {
        let anchor = [left, top, 0, 0].map(i32::to_le_bytes).concat();
        record(kind::SHAPE, 0xF, &[record(kind::CHILD_ANCHOR, 0, &anchor), text(words)].concat())
    }

    fn said(body: &[u8]) -> Vec<String> {
        let mut shapes = Shapes::new(1000, 32);
        shapes.walk(body, None, 0);
        let words = |text: Option<Text>| text.map_or(String::new(), |text| text.all_words().text);
        shapes
            .in_order()
            .map(|shape| match shape {
                Shape::Own(text) => words(Some(text)),
                Shape::Outline(at) => at.to_string(),
                Shape::Table(rows) => {
                    let row = |row: Vec<_>| row.into_iter().map(words).collect::<Vec<_>>().join(",");
                    rows.into_iter().map(row).collect::<Vec<_>>().join(";")
                }
            })
            .collect()
    }

    #[test]
    fn shapes_are_read_by_rows() {
        let body = [
            placed(3000, 0, "foot"),
            placed(40, 500, "right"),
            placed(0, 2000, "far"),
            placed(20, 0, "left"),
        ];
        assert_eq!(said(&body.concat()), ["left", "right", "far", "foot"]);
    }

    #[test]
    fn groups_that_say_so_are_tables() {
        let properties = [&IS_TABLE.to_le_bytes()[..], &1_u32.to_le_bytes()].concat();
        let anchor = [500_i16, 0, 0, 0].map(i16::to_le_bytes).concat();
        let first =
            [record(kind::TABLE_PROPERTIES, 1 << 4, &properties), record(kind::CLIENT_ANCHOR, 0, &anchor)];
        let group = [
            record(kind::SHAPE, 0xF, &first.concat()),
            cell(0, 0, "wide"),
            cell(100, 300, "b"),
            cell(100, 0, "a"),
        ];
        let group = record(kind::GROUP, 0xF, &group.concat());
        assert_eq!(said(&[group, placed(0, 0, "above")].concat()), ["above", "wide,;a,b"]);
    }
}
