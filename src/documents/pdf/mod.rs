//! Portable Document Format: text, headings, links, title and dates.

mod content;
mod fonts;
mod geometry;
mod interpret;
mod layout;
mod lists;
mod scripts;
mod stream;
mod strings;

use hayro_syntax::object::{Array, Object, Stream};
use hayro_syntax::page::{Page, Rotation};
use hayro_syntax::{LoadPdfError, Pdf};

use crate::{Builder, Document, Failure, Inline, Kind, Limits};
use geometry::{Area, Matrix};
use interpret::{FontCache, Interpreter, Painted};
use layout::Block;
use layout::lines::join;
use stream::Budget;

/// Reads a PDF.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let pdf = open(bytes)?;
    let mut budget = Budget::new(limits);
    let mut builder = Builder::new(Kind::Pdf, limits);
    let mut fonts = FontCache::new();
    let pages = pdf.pages();
    builder.document.pages = u32::try_from(pages.len()).ok();
    let most = usize::try_from(limits.max_pages).unwrap_or(usize::MAX);
    for page in pages.iter().take(most) {
        let painted = painted(page, &mut fonts, &mut budget);
        for block in layout::blocks(&painted.glyphs, |_| None) {
            write(&block, &mut builder);
        }
    }
    if pages.len() > most {
        builder.warn("pages-cut");
    }
    if builder.document.text.is_empty() {
        builder.warn("needs-ocr");
    }
    Ok(builder.finish())
}

fn open(bytes: &[u8]) -> Result<Pdf, Failure> {
    Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(error) => Failure::new("encrypted", format!("{error:?}")),
        LoadPdfError::Invalid => Failure::new("damaged", "no pages were found"),
    })
}

/// Runs the operators of a page.
fn painted<'a>(page: &Page<'a>, fonts: &mut FontCache, budget: &mut Budget) -> Painted {
    let (ctm, area) = upright(page);
    let data = content(page, budget);
    let mut interpreter = Interpreter::new(ctm, area, fonts, budget, &[]);
    interpreter.run(&data, page.resources());
    interpreter.painted
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

fn write(block: &Block, builder: &mut Builder) {
    let begins = layout::paragraphs::beginnings(&block.lines);
    let ends = begins.iter().copied().skip(1).chain([block.lines.len()]);
    for (from, to) in begins.iter().copied().zip(ends) {
        let mut text = String::new();
        for line in block.lines.get(from..to).unwrap_or_default() {
            join(&mut text, &line.text());
        }
        builder.paragraph(Inline::from(text));
    }
}
