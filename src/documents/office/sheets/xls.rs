//! XLS: Excel 97 to 2003.
//!
//! **What.** Sheets with their cells as shown, words of boxes and comments, links. Hidden sheets are read too, with a warning.
//!
//! **Definition.** [MS-XLS]: BIFF8 in the stream `Workbook` of a compound file.
//!
//! **Algorithm.** The records of the globals say formats, strings and where sheets begin; then each sheet is read by itself.
//! Values are those that were stored when the file was saved.
//!
//! **Cost.** Linear in the stream; what a sheet claims to span is not looked at.
//!
//! **Bad input.** Under a password: `encrypted`; before Excel 97: `too-old`. Records that do not fit are passed over.

use std::collections::BTreeMap;

use crate::office::sheets::biff::{Records, Strings};
use crate::office::sheets::book::{Book, Record, Style, rk};
use crate::office::sheets::format::Format;
use crate::office::sheets::{Cell, Sheet, SheetWriter};
use crate::ole::Container;
use crate::title::cleaned;
use crate::{Builder, Document, Failure, Kind, Limits, TitleSource};

const BOF: u16 = 0x0809;
const EOF: u16 = 0x000A;
const STRING: u16 = 0x0207;
/// Bytes of a link that are looked at.
const MAX_LINK: usize = 4096;
/// How an address announces itself in a link: the id of its class.
const URL_MONIKER: &[u8] = b"\xE0\xC9\xEA\x79\xF9\xBA\xCE\x11\x8C\x82\x00\xAA\x00\x4B\xA9\x0B";

/// A sheet as the globals announce it.
#[derive(Debug)]
struct AnnouncedSheet {
    at: usize,
    name: String,
    hidden: bool,
    /// No macros, no code.
    is_shown: bool,
}

/// What the globals say.
struct Globals {
    book: Book,
    sheets: Vec<AnnouncedSheet>,
    active: usize,
}

/// Reads an XLS file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let mut builder = Builder::new(Kind::Xls, limits);
    let mut container = Container::open(bytes, limits)?;
    let facts = container.facts();
    facts.give(&mut builder.document);
    if let Some(title) = facts.about.title.as_deref().and_then(cleaned) {
        builder.document.give_title(&title, TitleSource::Metadata);
    }
    let stream = container.stream("Workbook").or_else(|| container.stream("Book"));
    let stream = stream.ok_or_else(|| container.without("no workbook"))?;
    if container.is_damaged() {
        builder.warn("damaged");
    }
    let globals = globals(&stream)?;
    let mut telling = SheetWriter::default();
    for announced in globals.sheets.iter().filter(|sheet| sheet.is_shown) {
        if !telling.goes_on(&mut builder) {
            break;
        }
        let is_active = telling.pages() == globals.active;
        let sheet = telling.begin(&announced.name, is_active, announced.hidden, &mut builder);
        let mut reading = SheetReader::of(&globals, sheet);
        reading.read(&stream, announced.at);
        let (links, words_of_boxes) = (reading.links(), reading.boxes);
        telling.tell(reading.sheet, &links, &mut builder);
        words_of_boxes.iter().for_each(|words| builder.paragraph(words.as_str()));
    }
    telling.finish(&mut builder);
    Ok(builder.finish())
}

/// Reads the globals, which stand first.
fn globals(stream: &[u8]) -> Result<Globals, Failure> {
    let mut records = Records::from(stream, 0);
    let first = records.next().filter(|record| record.kind == BOF);
    let first = first.ok_or_else(|| Failure::new("damaged", "no workbook"))?;
    if first.u16(0) != Some(0x0600) {
        return Err(Failure::new("too-old", "Excel before 97"));
    }
    let mut globals = Globals { book: Book::default(), sheets: Vec::new(), active: 0 };
    let mut looks = CellFormats::default();
    while let Some(record) = records.next() {
        match record.kind {
            EOF => break,
            // FilePass
            0x2F => return Err(Failure::new("encrypted", "a password")),
            // Date1904, Window1
            0x22 => globals.book.since_1904 = record.u16(0) == Some(1),
            0x3D => globals.active = record.u16(10).unwrap_or(0).into(),
            // SST
            0xFC => {
                let mut strings = Strings::over(record.behind(8), records.continued());
                while let Some(text) = strings.next_long() {
                    if !globals.book.strings.push(text) {
                        break;
                    }
                }
            }
            0x85 => globals.sheets.extend(announced(&record)),
            _ => looks.take(&record),
        }
    }
    globals.book.styles = looks.styles();
    Ok(globals)
}

/// BoundSheet8
fn announced(record: &Record<'_>) -> Option<AnnouncedSheet> {
    Some(AnnouncedSheet {
        at: record.u32(0)? as usize,
        hidden: record.u8(4)? & 3 != 0,
        // Sheets and charts.
        is_shown: matches!(record.u8(5)?, 0 | 2),
        name: Strings::over(record.behind(6), Vec::new()).next_short().unwrap_or_default(),
    })
}

/// Fonts, formats and styles of cells.
#[derive(Default)]
struct CellFormats {
    bold: Vec<bool>,
    formats: BTreeMap<u16, Format>,
    /// Font and format.
    cells: Vec<(u16, u16)>,
}

impl CellFormats {
    fn take(&mut self, record: &Record<'_>) {
        match record.kind {
            // Font
            0x31 => self.bold.push(record.u16(6).is_some_and(|weight| weight >= 600)),
            // Format
            0x041E => {
                let code = Strings::over(record.behind(2), Vec::new()).next_long();
                if let (Some(id), Some(code)) = (record.u16(0), code) {
                    self.formats.insert(id, Format::parse(&code));
                }
            }
            // XF
            0xE0 => self.cells.push((record.u16(0).unwrap_or(0), record.u16(2).unwrap_or(0))),
            _ => {}
        }
    }

    fn styles(&self) -> Vec<Style> {
        let style = |&(font, format): &(u16, u16)| {
            // There is no font 4.
            let at = usize::from(if font > 4 { font - 1 } else { font });
            let format =
                self.formats.get(&format).cloned().unwrap_or_else(|| Format::built_in(format.into()));
            Style { format, bold: self.bold.get(at).copied().unwrap_or(false) }
        };
        self.cells.iter().map(style).collect()
    }
}

/// Reads a sheet.
struct SheetReader<'g> {
    globals: &'g Globals,
    sheet: Sheet,
    /// Where the string of a formula goes.
    formula: Option<(u32, u32, usize)>,
    boxes: Vec<String>,
    /// Row, column, address.
    links: Vec<(u32, u32, String)>,
}

impl<'g> SheetReader<'g> {
    fn of(globals: &'g Globals, sheet: Sheet) -> Self {
        SheetReader { globals, sheet, formula: None, boxes: Vec::new(), links: Vec::new() }
    }

    fn read(&mut self, stream: &[u8], at: usize) {
        let mut records = Records::from(stream, at);
        let mut depth = 0_usize;
        while let Some(record) = records.next() {
            match record.kind {
                BOF => depth += 1,
                EOF if depth <= 1 => break,
                EOF => depth -= 1,
                // Charts within a sheet have cells of their own.
                _ if depth != 1 => {}
                // Txo: its characters follow.
                0x01B6 => {
                    let count = usize::from(record.u16(10).unwrap_or(0));
                    let parts = records.continued();
                    let words = (count > 0).then(|| Strings::over(&[], parts));
                    self.boxes.extend(words.and_then(|mut words| words.box_words(count)));
                }
                _ => {
                    if self.cell(&record).is_some_and(|go_on| !go_on) {
                        break;
                    }
                }
            }
        }
    }

    /// Reads a cell; `Some(false)` where the sheet takes no more.
    fn cell(&mut self, record: &Record<'_>) -> Option<bool> {
        let book = &self.globals.book;
        if record.kind == STRING {
            let (row, column, style) = self.formula.take()?;
            let words = long(record.data)?;
            return Some(self.sheet.fill(row, column, book.words(style, words)));
        }
        let row = u32::from(record.u16(0)?);
        let column = u32::from(record.u16(2)?);
        let style = usize::from(record.u16(4)?);
        let cell = match record.kind {
            0x00FD => book.shared(style, record.u32(6)? as usize),
            0x0203 => book.number(style, record.f64(6)?),
            0x027E => book.number(style, rk(record.u32(6)?)),
            0x00BD => return self.many(record, row, column),
            0x0204 | 0x00D6 => book.words(style, long(record.behind(6))?),
            0x0205 if record.u8(7)? != 0 => book.error(style, record.u8(6)?),
            0x0205 => book.truth(style, record.u8(6)? != 0),
            0x0006 => self.formula(record, row, column, style)?,
            0x01B8 => {
                self.link(record, row, u32::from(record.u16(4)?));
                return None;
            }
            _ => return None,
        };
        Some(self.sheet.fill(row, column, cell))
    }

    /// MulRk: numbers side by side.
    fn many(&mut self, record: &Record<'_>, row: u32, first: u32) -> Option<bool> {
        let cells = record.behind(4).chunks_exact(6).zip(first..);
        for (bytes, column) in cells {
            let one = Record { data: bytes, ..*record };
            let cell = self.globals.book.number(usize::from(one.u16(0)?), rk(one.u32(2)?));
            if !self.sheet.fill(row, column, cell) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// What a formula showed last; words come in a record behind.
    fn formula(&mut self, record: &Record<'_>, row: u32, column: u32, style: usize) -> Option<Cell> {
        let book = &self.globals.book;
        if record.u16(12)? != u16::MAX {
            return Some(book.number(style, record.f64(6)?));
        }
        match record.u8(6)? {
            0 => {
                self.formula = Some((row, column, style));
                None
            }
            1 => Some(book.truth(style, record.u8(8)? != 0)),
            2 => Some(book.error(style, record.u8(8)?)),
            _ => None,
        }
    }

    /// HLink: the address that stands in it.
    fn link(&mut self, record: &Record<'_>, row: u32, column: u32) {
        let from = memchr::memmem::find(record.data, URL_MONIKER).map(|at| at + URL_MONIKER.len());
        let address = from.and_then(|from| {
            let length = record.u32(from)? as usize;
            record.data.get(from + 4..from.checked_add(4)?.checked_add(length.min(MAX_LINK))?)
        });
        if let Some(address) = address {
            let address = encoding_rs::UTF_16LE.decode_without_bom_handling(address).0;
            let address = address.split('\0').next().unwrap_or_default().to_owned();
            self.links.push((row, column, address));
        }
    }

    /// Addresses and the words of their cells.
    fn links(&mut self) -> Vec<(String, String)> {
        let links = std::mem::take(&mut self.links).into_iter();
        let anchored = links.map(|(row, column, target)| {
            let anchor = self.sheet.cell(row, column).map(|cell| cell.text.clone());
            (target, anchor.unwrap_or_default())
        });
        anchored.collect()
    }
}

/// A string whose count has two bytes.
fn long(data: &[u8]) -> Option<String> {
    Strings::over(data, Vec::new()).next_long()
}
