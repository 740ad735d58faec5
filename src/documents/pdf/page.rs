//! A page: its operators run, its text laid out.

use hayro_syntax::object::{Array, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::{Page, Rotation};

use super::annotations::{Links, appearances, are_cut};
use super::geometry::{Area, Matrix};
use super::interpret::{FontCache, Glyph, Interpreter, PaintedPage};
use super::layout::{self, Block};
use super::stream::{self, Budget};

/// Invisible text counts beside visible text if it is this many times longer: words under a scanned page on
/// which somebody stamped a line.
const MUCH_UNSEEN: usize = 10;

/// The text of a page.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Lines in reading order.
    pub(super) blocks: Vec<Block>,
    /// Where links of the page lead.
    pub(super) targets: Vec<String>,
    /// In points.
    pub(super) height: f64,
    /// Characters that are shown, and glyphs of which none are known.
    pub(super) glyphs: usize,
    pub(super) unknown: usize,
}

impl Sheet {
    /// Reads a page.
    pub(super) fn read(
        page: &Page<'_>,
        hidden_layers: &[ObjectIdentifier],
        fonts: &mut FontCache,
        budget: &mut Budget,
    ) -> Sheet {
        let (ctm, area) = upright(page);
        let data = content(page, budget);
        let mut interpreter = Interpreter::new(ctm, area, fonts, budget, hidden_layers);
        interpreter.run(&data, page.resources());
        for (stream, area) in appearances(page) {
            interpreter.appearance(&stream, area, ctm, page.resources());
        }
        let PaintedPage { mut glyphs, rules, unknown } = interpreter.painted;
        let unseen = glyphs.iter().filter(|glyph| glyph.invisible).count();
        let seen = glyphs.len() - unseen;
        if seen > 0 && unseen <= seen * MUCH_UNSEEN {
            glyphs.retain(|glyph| !glyph.invisible);
        }
        straighten(&mut glyphs);
        budget.cut |= are_cut(page);
        let links = Links::read(page, ctm);
        let blocks = layout::blocks(&glyphs, &rules, |point| links.at(point));
        Sheet { blocks, targets: links.targets, height: area.height(), glyphs: glyphs.len(), unknown }
    }
}

/// Takes glyphs of a font for lines that run down as what they are where each was put beside the one before.
fn straighten(glyphs: &mut [Glyph]) {
    let beside = |pair: &[Glyph]| match pair {
        [a, b] if a.vertical && b.vertical && a.angle == 0 && b.angle == 0 => {
            Some((a.at.1 - b.at.1).abs() < 0.1 * a.size && b.at.0 > a.at.0)
        }
        _ => None,
    };
    let pairs: Vec<bool> = glyphs.windows(2).filter_map(beside).collect();
    if pairs.len() < 8 || pairs.iter().filter(|beside| **beside).count() * 10 < pairs.len() * 7 {
        return;
    }
    for at in 0..glyphs.len() {
        let next = glyphs.get(at + 1).map(|next| next.at);
        let Some(glyph) = glyphs.get_mut(at).filter(|glyph| glyph.vertical && glyph.angle == 0) else {
            continue;
        };
        // Where the next one stands tells how wide it is.
        let width = next
            .filter(|next| (next.1 - glyph.at.1).abs() < 0.1 * glyph.size)
            .map(|next| next.0 - glyph.at.0);
        let width = width.filter(|width| (0.0..1.2 * glyph.size).contains(width)).unwrap_or(0.5 * glyph.size);
        glyph.vertical = false;
        glyph.end = (glyph.at.0 + width, glyph.at.1);
    }
}

/// The content of a page, of one stream or several.
fn content(page: &Page<'_>, budget: &mut Budget) -> Vec<u8> {
    let dict = page.raw();
    if let Some(stream) = dict.get::<Stream<'_>>("Contents") {
        return stream::decoded(&stream, budget).unwrap_or_default();
    }
    let mut data = Vec::new();
    for object in dict.get::<Array<'_>>("Contents").iter().flat_map(|array| array.iter::<Object<'_>>()) {
        if let Some(part) = object.into_stream().and_then(|stream| stream::decoded(&stream, budget)) {
            data.extend(part);
            data.push(b'\n');
        }
    }
    data
}

/// What makes the page upright with y down and its corner at the origin, and the area that is seen.
fn upright(page: &Page<'_>) -> (Matrix, Area) {
    let seen = page.intersected_crop_box();
    let area = Area::EMPTY.with(seen.x0, seen.y0).with(seen.x1, seen.y1);
    let area = if area.width() > 1.0 && area.height() > 1.0 {
        area
    } else {
        let media = page.media_box();
        Area::EMPTY.with(media.x0, media.y0).with(media.x1, media.y1)
    };
    let (width, height) = (area.width(), area.height());
    let flip = Matrix::new([1.0, 0.0, 0.0, -1.0, -area.x0, area.y1]);
    let turn = match page.rotation() {
        Rotation::None => Matrix::IDENTITY,
        Rotation::Horizontal => Matrix::new([0.0, 1.0, -1.0, 0.0, height, 0.0]),
        Rotation::Flipped => Matrix::new([-1.0, 0.0, 0.0, -1.0, width, height]),
        Rotation::FlippedHorizontal => Matrix::new([0.0, -1.0, 1.0, 0.0, 0.0, width]),
    };
    let ctm = flip.then(turn);
    (ctm, ctm.bounds(area))
}
