//! XLSB: Excel's binary workbook.
//!
//! **Definition.** [MS-XLSB]: the package of an XLSX file, its parts records instead of XML: a number of one or two bytes,
//! a length of one to four, each byte with seven bits.
//!
//! **Cost.** As that of XLSX.
//!
//! **Bad input.** A record that does not fit ends its part.

use std::collections::BTreeMap;

use crate::Failure;
use crate::office::package::{Package, Relationships, part_of};
use crate::office::sheets::book::{Book, Record, Strings, Style, rk};
use crate::office::sheets::format::Format;
use crate::office::sheets::xlsx::{ListedSheet, Workbook};
use crate::office::sheets::{Cell, Sheet};

/// Reads the workbook.
pub(super) fn workbook(
    package: &mut Package<'_>,
    main: &str,
    relationships: &Relationships,
) -> Result<Workbook, Failure> {
    let mut read = Workbook::default();
    if let Some(name) = part_of(relationships, "sharedStrings") {
        read.book.strings = strings(&package.bytes(name)?.unwrap_or_default());
    }
    if let Some(name) = part_of(relationships, "styles") {
        read.book.styles = styles(&package.bytes(name)?.unwrap_or_default());
    }
    for record in Records(&package.container.part(main)?.unwrap_or_default()) {
        match record.kind {
            // BrtWbProp, BrtBookView, BrtBundleSh
            153 => read.book.since_1904 = record.u8(0).is_some_and(|flags| flags & 1 == 1),
            158 => read.active = record.u32(24).unwrap_or(0) as usize,
            156 => read.sheets.extend(bundle(&record)),
            _ => {}
        }
    }
    Ok(read)
}

fn bundle(record: &Record<'_>) -> Option<ListedSheet> {
    let (id, end) = wide(record, 8)?;
    let (name, _) = wide(record, end)?;
    Some(ListedSheet { name, id, hidden: record.u32(0)? != 0 })
}

fn strings(part: &[u8]) -> Strings {
    let mut strings = Strings::default();
    for record in Records(part) {
        // BrtSSTItem: flags, then the characters.
        let text = || wide(&record, 1).map(|(text, _)| text).unwrap_or_default();
        if record.kind == 19 && !strings.push(text()) {
            break;
        }
    }
    strings
}

fn styles(part: &[u8]) -> Vec<Style> {
    let mut formats = BTreeMap::new();
    let mut bold = Vec::new();
    let mut styles = Vec::new();
    let mut of_cells = false;
    for record in Records(part) {
        match record.kind {
            // BrtFmt
            44 => {
                if let (Some(id), Some((code, _))) = (record.u16(0), wide(&record, 2)) {
                    formats.insert(u32::from(id), Format::parse(&code));
                }
            }
            // BrtFont: height, flags, weight.
            43 => bold.push(record.u16(4).is_some_and(|weight| weight >= 600)),
            // BrtBeginCellXFs, BrtEndCellXFs
            617 => of_cells = true,
            618 => of_cells = false,
            // BrtXF: parent, format, font.
            47 if of_cells => {
                let id = u32::from(record.u16(2).unwrap_or(0));
                let font = record.u16(4).and_then(|at| bold.get(usize::from(at)));
                let format = formats.get(&id).cloned().unwrap_or_else(|| Format::built_in(id));
                styles.push(Style { format, bold: font.copied().unwrap_or(false) });
            }
            _ => {}
        }
    }
    styles
}

/// Reads the cells of a sheet.
pub(super) fn cells(part: &[u8], book: &Book, sheet: &mut Sheet) {
    let mut row = 0;
    for record in Records(part) {
        // BrtEndSheetData
        if record.kind == 146 {
            break;
        }
        if record.kind == 0 {
            row = record.u32(0).unwrap_or(0).min(1 << 20);
            continue;
        }
        let Some((column, cell)) = cell(&record, book) else { continue };
        if !sheet.fill(row, column, cell) {
            break;
        }
    }
}

fn cell(record: &Record<'_>, book: &Book) -> Option<(u32, Cell)> {
    let column = record.u32(0).filter(|&column| column < 16_384)?;
    let style = (record.u32(4)? & 0x00FF_FFFF) as usize;
    let cell = match record.kind {
        2 => book.number(style, rk(record.u32(8)?)),
        3 | 11 => book.error(style, record.u8(8)?),
        4 | 10 => book.truth(style, record.u8(8)? != 0),
        5 | 9 => book.number(style, record.f64(8)?),
        6 | 8 => book.words(style, wide(record, 8)?.0),
        7 => book.shared(style, record.u32(8)? as usize),
        // Runs of letters: flags before the characters.
        62 => book.words(style, wide(record, 9)?.0),
        _ => return None,
    };
    Some((column, cell))
}

/// Characters of two bytes behind their count, and the place behind them. A count of all ones is none.
fn wide(record: &Record<'_>, at: usize) -> Option<(String, usize)> {
    let count = record.u32(at)?;
    let count = if count == u32::MAX { 0 } else { count as usize };
    let from = at.checked_add(4)?;
    let end = from.checked_add(count.checked_mul(2)?)?;
    let units = record.data.get(from..end)?;
    Some((encoding_rs::UTF_16LE.decode_without_bom_handling(units).0.into_owned(), end))
}

/// Records of a part.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let mut kind = u16::from(self.byte()?);
        if kind & 0x80 != 0 {
            kind = kind & 0x7F | u16::from(self.byte()? & 0x7F) << 7;
        }
        let mut length = 0_usize;
        for part in 0..4 {
            let byte = self.byte()?;
            length |= usize::from(byte & 0x7F) << (7 * part);
            if byte & 0x80 == 0 {
                break;
            }
        }
        let (data, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Record { kind, data })
    }
}

impl Records<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }
}
