//! Portable Document Format, ISO 32000: text, headings, lists, tables, notes, links, title, dates.
//!
//! **Algorithm.** [`interpret`] runs the operators of each page and notes where every glyph stands; [`layout`] makes words of
//! glyphs, finds ruled tables, cuts the page along its white space and gives lines in reading order; [`furniture`] takes
//! running heads out; [`flow`] makes paragraphs, headings, items, tables and notes of the lines of all pages.
//!
//! **Cost.** Linear in the operators, times the cuts of a page; all pages' lines are kept until the last one is read.
//!
//! **Bad input.** Streams are inflated within a budget ([`stream`]); operators and glyphs are counted; forms nest to a depth;
//! what a page has of broken operators is passed over.
//!
//! **Why.** Own PDF text layer (`documents::pdf`) over the object reader of hayro-syntax, which opens damaged files. Text is the
//! point, and of libraries in Rust the best gave less than engines in C++: on the 109 test files of pdf.js on which MuPDF, PDFium and
//! pdftotext agree, each read in a child, pdf_oxide 0.3.78 has a mean token F1 of .961, ours .974, those three .992 to .995
//! (`benches/peers/documents_pdf.py`, November 2026). Engines in C++ would be a second tool chain, and foreign memory errors. The
//! collections of CIDs come from hayro-cmap, character maps of embedded fonts and the glyph list from read-fonts; widths of the
//! standard fonts are a table of ours, since free stand-ins have others.

mod annotations;
mod content;
mod facts;
mod flow;
mod fonts;
mod furniture;
mod geometry;
mod hyphens;
mod interpret;
mod layers;
mod layout;
mod lists;
mod page;
mod scripts;
mod stream;
mod strings;
mod title;

use hayro_syntax::{LoadPdfError, Pdf};

use crate::{Builder, Document, Failure, Kind, Limits};
use facts::Facts;
use hyphens::Lexicon;
use interpret::FontCache;
use page::Sheet;
use stream::Budget;

/// If one glyph in this many, or more, has no known character, a warning says so.
const UNKNOWN: usize = 20;

/// Reads a PDF.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let pdf = open(bytes)?;
    let mut budget = Budget::new(limits);
    let mut builder = Builder::new(Kind::Pdf, limits);
    let facts = Facts::read(&pdf, &mut budget);
    let hidden = layers::hidden(&pdf);
    let mut fonts = FontCache::new();
    let pages = pdf.pages();
    if pages.is_empty() {
        return Err(Failure::new("damaged", "no pages were found"));
    }
    builder.document.pages = u32::try_from(pages.len()).ok();
    let most = usize::try_from(limits.max_pages).unwrap_or(usize::MAX);
    let mut sheets: Vec<Sheet> = Vec::new();
    let mut glyphs = 0;
    for page in pages.iter().take(most) {
        let sheet = Sheet::read(page, &hidden, &mut fonts, &mut budget);
        glyphs += sheet.glyphs;
        sheets.push(sheet);
        if glyphs > limits.max_text_chars {
            builder.warn("text-cut");
            break;
        }
    }
    if pages.len() > most {
        builder.warn("pages-cut");
    }
    if budget.steps == 0 || budget.cut {
        builder.warn("content-cut");
    }
    if sheets.iter().map(|sheet| sheet.unknown).sum::<usize>() * UNKNOWN > glyphs {
        builder.warn("unknown-characters");
    }
    builder.document.about = facts.about.clone();
    let body = flow::body_size(&sheets);
    let heads = furniture::taken(&mut sheets, body);
    let first = sheets.iter().find(|sheet| sheet.blocks.iter().any(|block| !block.lines.is_empty()));
    let lexicon = Lexicon::of(&sheets);
    title::give(&mut builder, &facts, first, &lexicon, body);
    flow::tell(sheets, heads, &lexicon, body, &mut builder);
    if builder.document.text.is_empty() {
        builder.warn("needs-ocr");
    }
    Ok(builder.finish())
}

fn open(bytes: &[u8]) -> Result<Pdf, Failure> {
    Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(error) => Failure::new("encrypted", format!("{error:?}")),
        LoadPdfError::Invalid if memchr::memmem::find(bytes, b"/Encrypt").is_some() => {
            Failure::new("encrypted", "no pages were found that could be read without a password")
        }
        LoadPdfError::Invalid => Failure::new("damaged", "no pages were found"),
    })
}
