//! Glyphs to words: what stands close together on a line, in the order in which it was painted.

use std::collections::HashMap;

use crate::pdf::geometry::Area;
use crate::pdf::interpret::Glyph;
use crate::pdf::scripts::{is_rtl, rtl_logical};
use webmill_html::script::{Position, push_placed};

/// A gap between glyphs that divides words, in widths of a space.
const WORD_GAP: f64 = 0.25;
/// The least such gap in sizes of the type: pairs that are kerned apart are no words.
const LEAST_GAP: f64 = 0.12;
/// The same between letters of Arabic and Hebrew, which stand apart where they do not join; spaces of these are painted.
const LEAST_RTL_GAP: f64 = 0.2;
/// How far back a glyph may begin and yet go on with a word, in sizes of the type.
const MOST_BACK: f64 = 0.2;
/// The same for an accent and its letter.
const ACCENT_BACK: f64 = 0.7;
/// The same for a letter that stands higher or lower.
const RAISED_BACK: f64 = 0.4;
/// Places of glyphs painted twice that are remembered.
const MAX_CELLS: usize = 1 << 20;

/// A word. Coordinates are along its line (`u`) and across (`v`, growing down the text).
#[derive(Debug, Default, Clone, PartialEq)]
pub(in crate::pdf) struct Word {
    pub(in crate::pdf) text: String,
    pub(in crate::pdf) u0: f64,
    pub(in crate::pdf) u1: f64,
    /// The baseline.
    pub(in crate::pdf) v: f64,
    pub(in crate::pdf) size: f64,
    pub(in crate::pdf) space: f64,
    pub(in crate::pdf) bold: bool,
    pub(in crate::pdf) furniture: bool,
    /// Whether a space was painted behind it.
    pub(in crate::pdf) spaced: bool,
    /// Which link it belongs to.
    pub(in crate::pdf) link: Option<u32>,
    /// Which ruled table it stands for.
    pub(in crate::pdf) table: Option<u32>,
}

impl Word {
    /// What stands in the place of a table's words.
    pub(in crate::pdf) fn of_table(number: u32, area: Area) -> Word {
        Word {
            text: "\u{FFFC}".into(),
            u0: area.x0,
            u1: area.x1,
            v: (area.y0 + area.y1) / 2.0,
            size: 1.0,
            space: 0.25,
            spaced: true,
            table: Some(number),
            ..Word::default()
        }
    }
}

/// A glyph within the frame of its direction.
struct PlacedGlyph<'a> {
    glyph: &'a Glyph,
    u0: f64,
    u1: f64,
    v: f64,
}

/// The frame in which text of a direction goes right and its lines down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::pdf) struct Frame {
    pub(in crate::pdf) vertical: bool,
    pub(in crate::pdf) angle: u16,
}

impl Frame {
    /// Text that goes right on a page that stands upright.
    pub(in crate::pdf) const UPRIGHT: Frame = Frame { vertical: false, angle: 0 };

    pub(in crate::pdf) fn of(glyph: &Glyph) -> Frame {
        Frame { vertical: glyph.vertical, angle: glyph.angle }
    }

    /// A point of the page within the frame.
    pub(in crate::pdf) fn place(self, (x, y): (f64, f64)) -> (f64, f64) {
        let (sin, cos) = match self.angle {
            0 => (0.0, 1.0),
            90 => (1.0, 0.0),
            180 => (0.0, -1.0),
            270 => (-1.0, 0.0),
            other => f64::from(other).to_radians().sin_cos(),
        };
        let (u, v) = (x * cos + y * sin, y * cos - x * sin);
        if self.vertical { (v, -u) } else { (u, v) }
    }
}

/// The words of glyphs of one frame; `link` tells which link holds a point of the page.
pub(in crate::pdf) fn words(
    glyphs: &[&Glyph],
    frame: Frame,
    link: impl Fn((f64, f64)) -> Option<u32>,
) -> Vec<Word> {
    let mut words = Vec::new();
    let mut current: Vec<PlacedGlyph<'_>> = Vec::new();
    let mut painted = PaintedPlaces::default();
    let mut flush = |current: &mut Vec<PlacedGlyph<'_>>, spaced: bool| {
        if let Some(word) = finished(current, spaced, &link) {
            words.push(word);
        }
        current.clear();
    };
    for glyph in glyphs {
        let (start, end) = (frame.place(glyph.at), frame.place(glyph.end));
        let placed = PlacedGlyph { glyph, u0: start.0.min(end.0), u1: start.0.max(end.0), v: start.1 };
        if glyph.text.chars().all(char::is_whitespace) {
            if !glyph.text.is_empty() {
                flush(&mut current, true);
            }
            continue;
        }
        if painted.has(&placed) {
            continue;
        }
        if current.last().is_some_and(|last| !joins(last, &placed) || is_label(&current, &placed)) {
            flush(&mut current, false);
        }
        current.push(placed);
    }
    flush(&mut current, false);
    words
}

/// Whether a glyph goes on with the word that another ends.
fn joins(last: &PlacedGlyph<'_>, next: &PlacedGlyph<'_>) -> bool {
    let size = last.glyph.size.max(next.glyph.size);
    if (last.v - next.v).abs() > 0.5 * size {
        return false;
    }
    let rtl = next.glyph.text.chars().any(is_rtl) || last.glyph.text.chars().any(is_rtl);
    let limit = (WORD_GAP * last.glyph.space).max(if rtl { LEAST_RTL_GAP } else { LEAST_GAP } * size);
    let rightward = next.u0 - last.u1;
    let leftward = last.u0 - next.u1;
    let accent = is_accent(&last.glyph.text) || is_accent(&next.glyph.text);
    // Letters of a logo stand within each other.
    let raised = (last.v - next.v).abs() > 0.1 * size;
    let back = -size
        * if accent {
            ACCENT_BACK
        } else if raised {
            RAISED_BACK
        } else {
            MOST_BACK
        };
    if (back..=limit).contains(&rightward) {
        return true;
    }
    rtl && (back..=limit).contains(&leftward)
}

/// Whether what stands before a glyph is the raised number of a note at the beginning of a word.
fn is_label(before: &[PlacedGlyph<'_>], next: &PlacedGlyph<'_>) -> bool {
    let raised = |placed: &PlacedGlyph<'_>| {
        placed.glyph.size < 0.85 * next.glyph.size
            && next.v - placed.v > 0.15 * next.glyph.size
            && placed.glyph.text.chars().all(char::is_numeric)
    };
    next.glyph.text.chars().all(char::is_alphabetic) && before.iter().all(raised)
}

/// Whether a glyph is an accent that stands over another.
fn is_accent(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '\u{02C6}'..='\u{02DD}' | '\u{0300}'..='\u{036F}' | '\u{064B}'..='\u{0652}' | '\u{00A8}' | '\u{00AF}' | '\u{00B4}' | '\u{00B8}' | '\u{0060}' | '\u{005E}'))
}

fn finished(
    glyphs: &mut [PlacedGlyph<'_>],
    spaced: bool,
    link: &impl Fn((f64, f64)) -> Option<u32>,
) -> Option<Word> {
    let first = glyphs.first()?;
    let (first_u, first_v) = (first.u0, first.v);
    let middle = first.glyph;
    let rtl = glyphs.iter().filter(|placed| placed.glyph.text.chars().any(is_rtl)).count();
    let mut text = String::with_capacity(glyphs.len());
    if rtl * 2 > glyphs.len() {
        glyphs.sort_by(|a, b| (b.u0 + b.u1).total_cmp(&(a.u0 + a.u1)));
        let pieces: Vec<&str> = glyphs.iter().map(|placed| &*placed.glyph.text).collect();
        text = rtl_logical(&pieces);
    }
    // The size of most of it: a note's mark does not make a word small.
    let largest = glyphs.iter().map(|placed| placed.glyph.size).fold(0.0, f64::max);
    let base =
        glyphs.iter().find(|placed| placed.glyph.size >= largest * 0.95).map_or(first_v, |placed| placed.v);
    if text.is_empty() {
        let position = |placed: &PlacedGlyph<'_>| match (base - placed.v) / largest {
            _ if placed.glyph.size >= 0.85 * largest || !is_count(&placed.glyph.text) => None,
            0.15.. => Some(Position::Super),
            ..-0.08 => Some(Position::Sub),
            _ => None,
        };
        for run in glyphs.chunk_by(|a, b| position(a) == position(b)) {
            let words = run.iter().map(|placed| &*placed.glyph.text).collect::<String>();
            match run.first().and_then(position).filter(|_| !text.is_empty()) {
                Some(position) => push_placed(&words, position, false, &mut text),
                None => text.push_str(&words),
            }
        }
    }
    let text = crate::pdf::scripts::plain(&text);
    (!text.trim().is_empty()).then(|| Word {
        text,
        u0: glyphs.iter().map(|placed| placed.u0).fold(first_u, f64::min),
        u1: glyphs.iter().map(|placed| placed.u1).fold(f64::NEG_INFINITY, f64::max),
        v: base,
        size: largest,
        space: middle.space,
        bold: glyphs.iter().all(|placed| placed.glyph.bold),
        furniture: middle.furniture,
        spaced,
        link: link(((middle.at.0 + middle.end.0) / 2.0, middle.at.1 - middle.size * 0.3)),
        table: None,
    })
}

/// Whether a glyph is a digit or a sign of numbers.
fn is_count(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '−' | '–'))
}

/// What was painted, and where.
type Place<'a> = (&'a str, f64, f64);

/// Where glyphs were painted, to find those painted twice: for a bold look, or as a shadow.
#[derive(Default)]
struct PaintedPlaces<'a> {
    cells: HashMap<(i64, i64), Vec<Place<'a>>>,
}

impl<'a> PaintedPlaces<'a> {
    /// Whether the same glyph was painted at nearly the same place; notes this one.
    fn has(&mut self, placed: &PlacedGlyph<'a>) -> bool {
        let near = 0.12 * placed.glyph.size;
        // Type may be narrow: a letter twice is no letter painted twice.
        let beside = near.min(0.4 * (placed.u1 - placed.u0).abs()).max(0.02 * placed.glyph.size);
        let width = 0.5 * placed.glyph.size.max(1.0);
        let cell = |u: f64, v: f64| ((u / width).round() as i64, (v / width).round() as i64);
        let text = &*placed.glyph.text;
        let mut seen = Vec::with_capacity(4);
        for (du, dv) in [(-beside, -near), (-beside, near), (beside, -near), (beside, near)] {
            let key = cell(placed.u0 + du, placed.v + dv);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let there = self.cells.get(&key).into_iter().flatten();
            if there.into_iter().any(|&(other, u, v)| {
                other == text && (u - placed.u0).abs() < beside && (v - placed.v).abs() < near
            }) {
                return true;
            }
        }
        if self.cells.len() < MAX_CELLS {
            self.cells.entry(cell(placed.u0, placed.v)).or_default().push((text, placed.u0, placed.v));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_high_or_low() {
        let mut at = 0.0;
        let mut glyphs = Vec::new();
        for (text, size, v) in [
            ("1", 10.0, 100.0),
            ("0", 10.0, 100.0),
            ("−", 6.0, 96.0),
            ("3", 6.0, 96.0),
            (" ", 10.0, 100.0),
            ("H", 10.0, 100.0),
            ("2", 6.0, 101.5),
            ("O", 10.0, 100.0),
            (" ", 10.0, 100.0),
            // Small capitals and small figures on the line.
            ("N", 10.0, 100.0),
            ("O", 7.0, 100.0),
            ("7", 7.0, 100.0),
            // Letters stay: a logo.
            ("A", 6.0, 97.0),
        ] {
            let end = at + 0.5 * size;
            let (at, end) = ((std::mem::replace(&mut at, end), v), (end, v));
            let text = text.into();
            let (angle, space) = (0, 2.5);
            let [vertical, bold, invisible, furniture] = [false; 4];
            glyphs.push(Glyph { text, at, end, size, angle, vertical, space, bold, invisible, furniture });
        }
        let words = words(&glyphs.iter().collect::<Vec<_>>(), Frame::UPRIGHT, |_| None);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["10⁻³", "H₂O", "NO7A"]);
    }
}
