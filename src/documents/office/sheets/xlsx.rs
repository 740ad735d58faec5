//! XLSX: Excel since 2007.
//!
//! **What.** Sheets with their cells as shown, boxes of text, titles of charts, links, comments. Hidden sheets are read too, with a warning.
//!
//! **Definition.** ECMA-376-1, clause 18 (SpreadsheetML), transitional and strict.
//!
//! **Algorithm.** Values are those that were stored when the file was saved; no formula is computed. Rows are read one by one
//! and not kept as trees.
//!
//! **Cost.** Linear in the parts; the strings and the filled cells of one sheet stand in memory. What a sheet claims to span
//! is not looked at.
//!
//! **Bad input.** Sheets that are missing or broken are read as far as they go, with a warning.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::Block;
use crate::office::package::{Package, Relationships, part_of};
use crate::office::sheets::book::{Book, Strings, Style};
use crate::office::sheets::format::Format;
use crate::office::sheets::{Cell, Sheet, SheetWriter, xlsb};
use crate::office::{chart, properties};
use crate::xml::{Element, Xml, stream};
use crate::{Builder, Document, Failure, Kind, Limits};

/// Links of a sheet that are looked at.
const MAX_LINKS: usize = 65_536;
/// Comments of a sheet that are told.
const MAX_COMMENTS: usize = 10_000;

/// What a workbook says of its sheets.
#[derive(Default)]
pub(super) struct Workbook {
    pub(super) book: Book,
    pub(super) active: usize,
    pub(super) sheets: Vec<ListedSheet>,
}

/// A sheet as the workbook lists it: with the number of its relationship.
pub(super) struct ListedSheet {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) hidden: bool,
}

/// Reads an XLSX or XLSB file.
pub(crate) fn read(bytes: &[u8], kind: Kind, limits: &Limits) -> Result<Document, Failure> {
    let mut builder = Builder::new(kind, limits);
    let mut package = Package::open(bytes, limits)?;
    let binary = kind == Kind::Xlsb;
    let main = package.main_part(&[if binary { "xl/workbook.bin" } else { "xl/workbook.xml" }])?;
    let relationships = package.relationships(&main)?;
    properties::read(&mut package, &mut builder)?;
    let read_workbook = if binary { xlsb::workbook } else { workbook };
    let Workbook { book, active, sheets } = read_workbook(&mut package, &main, &relationships)?;
    let mut telling = SheetWriter::default();
    let mut read = BTreeSet::new();
    for ListedSheet { name, id, hidden } in sheets {
        let Some(part) = relationships.get(&id).filter(|one| !one.external) else { continue };
        if !telling.goes_on(&mut builder) {
            break;
        }
        if !read.insert(part.target.as_str()) {
            builder.warn("parts-twice");
            continue;
        }
        let mut sheet = telling.begin(&name, telling.pages() == active, hidden, &mut builder);
        if binary {
            match package.bytes(&part.target)? {
                Some(part) => xlsb::cells(&part, &book, &mut sheet),
                None => builder.warn("sheet-missing"),
            }
            telling.tell(sheet, &[], &mut builder);
            continue;
        }
        let left = read_cells(&mut package, &part.target, &book, &mut sheet)?;
        let relationships = package.relationships(&part.target)?;
        let links = links(&relationships, &left, &mut sheet);
        telling.tell(sheet, &links, &mut builder);
        tell_drawings(&mut package, &relationships, &mut builder)?;
        tell_comments(&mut package, &relationships, &mut builder)?;
    }
    telling.finish(&mut builder);
    package.warn_of_damage(&mut builder);
    Ok(builder.finish())
}

/// Reads the workbook of an XLSX file.
fn workbook(
    package: &mut Package<'_>,
    main: &str,
    relationships: &Relationships,
) -> Result<Workbook, Failure> {
    let xml = package.main_xml(main)?.unwrap_or_default();
    let root = xml.root().ok_or_else(|| Failure::new("damaged", main))?;
    let mut book = Book::default();
    if let Some(name) = part_of(relationships, "sharedStrings") {
        book.strings = strings(package, name)?;
    }
    if let Some(xml) = part_of(relationships, "styles").map_or(Ok(None), |name| package.xml(name))? {
        book.styles = xml.root().map(styles).unwrap_or_default();
    }
    book.since_1904 = root.child("workbookPr").is_some_and(|said| said.is_on("date1904"));
    let view = root.path(&["bookViews", "workbookView"]);
    let sheets = root.child("sheets").into_iter().flat_map(Element::children).filter_map(|element| {
        Some(ListedSheet {
            name: element.attr("name").unwrap_or_default().into_owned(),
            id: element.prefixed_attr("id")?.into_owned(),
            hidden: element.attr("state").is_some_and(|state| state != "visible"),
        })
    });
    let active = view.and_then(|view| view.number("activeTab")).unwrap_or(0);
    Ok(Workbook { sheets: sheets.collect(), book, active })
}

/// Reads the cells of a sheet; what else its part holds is left.
fn read_cells(package: &mut Package<'_>, part: &str, book: &Book, sheet: &mut Sheet) -> Result<Xml, Failure> {
    let Some(bytes) = package.bytes(part)? else {
        package.damaged = true;
        return Ok(Xml::default());
    };
    let mut row = 0_u32;
    let left = stream(&bytes, "row", package.nodes(), |element| {
        // Without a number it is the one behind the last.
        row = element.number::<u32>("r").unwrap_or(row.saturating_add(1));
        let mut column = 0_u32;
        for cell in element.children().filter(|child| child.name() == "c") {
            column = cell.attr("r").and_then(|place| column_of(&place)).unwrap_or(column.saturating_add(1));
            if !sheet.fill(row, column, shown(cell, book)) {
                return false;
            }
        }
        true
    });
    package.note(&left);
    Ok(left)
}

/// A cell as it is shown.
fn shown(cell: Element<'_>, book: &Book) -> Cell {
    let value = || cell.child("v").map(|value| value.text()).unwrap_or_default();
    let style = cell.number::<usize>("s").unwrap_or(0);
    match cell.attr("t").as_deref() {
        Some("s") => book.shared(style, value().trim().parse().unwrap_or(usize::MAX)),
        Some("str") => book.words(style, unescaped(&value())),
        Some("inlineStr") => book.words(style, cell.child("is").map(string).unwrap_or_default()),
        Some("b") => book.truth(style, value().trim() == "1"),
        Some("e") => book.value(style, value()),
        Some("d") => book.value(style, value().trim().replace('T', " ")),
        _ => {
            let value = value();
            match value.trim().parse::<f64>().ok().filter(|number| number.is_finite()) {
                Some(number) => book.number(style, number),
                None => book.value(style, value),
            }
        }
    }
}

/// Links of a sheet and the words of their cells.
fn links(relationships: &Relationships, left: &Xml, sheet: &mut Sheet) -> Vec<(String, String)> {
    let links = left.root().and_then(|root| root.child("hyperlinks"));
    let links = links.into_iter().flat_map(Element::children).filter_map(|link| {
        let target = relationships.get(&*link.prefixed_attr("id")?).filter(|one| one.external)?;
        let place = place_of(&link.attr("ref").unwrap_or_default());
        let anchor = place.and_then(|(row, column)| sheet.cell(row, column));
        Some((target.target.clone(), anchor.map(|cell| cell.text.clone()).unwrap_or_default()))
    });
    links.take(MAX_LINKS).collect()
}

/// Tells of boxes of text, and of titles of charts: the values of charts are those of cells.
fn tell_drawings(
    package: &mut Package<'_>,
    relationships: &Relationships,
    builder: &mut Builder,
) -> Result<(), Failure> {
    for drawing in relationships.values().filter(|one| one.kind == "drawing" && !one.external) {
        let shapes = package.xml(&drawing.target)?.unwrap_or_default();
        let shapes = shapes.root().into_iter().flat_map(|root| root.descendants());
        for text in shapes.filter(|element| element.name() == "txBody") {
            let paragraphs = text.children().filter(|child| child.name() == "p");
            let words = paragraphs.map(|paragraph| {
                let runs = paragraph.children().filter(|run| matches!(run.name(), "r" | "fld"));
                runs.filter_map(|run| run.child("t")).map(|run| run.text()).collect::<String>()
            });
            words.for_each(|words| builder.paragraph(words));
        }
        let beyond = package.relationships(&drawing.target)?;
        for one in beyond.values().filter(|one| one.kind == "chart" && !one.external) {
            let Some(xml) = package.xml(&one.target)? else { continue };
            let blocks = xml.root().map(chart::blocks).unwrap_or_default();
            let title = blocks.into_iter().find(|block| matches!(block, Block::Paragraph(_)));
            if let Some(title) = title {
                title.tell(builder);
            }
        }
    }
    Ok(())
}

/// Comments, in threads where there are any: the others then only point to them.
fn tell_comments(
    package: &mut Package<'_>,
    relationships: &Relationships,
    builder: &mut Builder,
) -> Result<(), Failure> {
    let kind =
        ["threadedComment", "comments"].into_iter().find(|kind| part_of(relationships, kind).is_some());
    let Some(name) = kind.and_then(|kind| part_of(relationships, kind)) else { return Ok(()) };
    let xml = package.xml(name)?.unwrap_or_default();
    let all = xml.root().into_iter().flat_map(|root| root.descendants());
    for comment in all.filter(|one| matches!(one.name(), "comment" | "threadedComment")).take(MAX_COMMENTS) {
        let words = comment
            .child("text")
            .map(|text| if text.child("r").is_some() { string(text) } else { text.text() });
        builder.note(&comment.attr("ref").unwrap_or_default(), words.unwrap_or_default());
    }
    Ok(())
}

/// Strings that cells share.
fn strings(package: &mut Package<'_>, name: &str) -> Result<Strings, Failure> {
    let mut strings = Strings::default();
    let Some(bytes) = package.bytes(name)? else { return Ok(strings) };
    let left = stream(&bytes, "si", package.nodes(), |element| strings.push(string(element)));
    package.note(&left);
    Ok(strings)
}

/// Text of runs, without the signs above that say how they are read aloud.
fn string(element: Element<'_>) -> String {
    let mut text = String::new();
    for child in element.children() {
        match child.name() {
            "t" => text.push_str(&child.text()),
            "r" => text.extend(child.child("t").map(|run| run.text())),
            _ => {}
        }
    }
    unescaped(&text)
}

/// Text with `_x000D_` and the like as the characters that they stand for.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        let code = rest.get(at + 2..at + 6).filter(|_| rest.get(at + 6..at + 7) == Some("_"));
        let shown = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        match shown {
            Some(c) => {
                plain.extend((!c.is_control()).then_some(c).or((c == '\n').then_some('\n')));
                rest = from.get(7..).unwrap_or_default();
            }
            None => {
                plain.push_str("_x");
                rest = from.get(2..).unwrap_or_default();
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// Formats and boldness of cells.
fn styles(root: Element<'_>) -> Vec<Style> {
    let under = |name: &str| root.child(name).into_iter().flat_map(Element::children);
    let own = under("numFmts").filter_map(|format| {
        Some((format.number::<u32>("numFmtId")?, Format::parse(&format.attr("formatCode")?)))
    });
    let own = own.collect::<BTreeMap<_, _>>();
    let bold = under("fonts")
        .map(|font| font.child("b").is_some_and(|bold| bold.attr("val").is_none() || bold.is_on("val")));
    let bold = bold.collect::<Vec<_>>();
    let styles = under("cellXfs").map(|style| {
        let id = style.number::<u32>("numFmtId").unwrap_or(0);
        let font = style.number::<usize>("fontId").and_then(|at| bold.get(at));
        let format = own.get(&id).cloned().unwrap_or_else(|| Format::built_in(id));
        Style { format, bold: font.copied().unwrap_or(false) }
    });
    styles.collect()
}

/// Column of a place as `AB12`, 1 for the first.
fn column_of(place: &str) -> Option<u32> {
    let letters = place.trim_start_matches('$').chars().take_while(char::is_ascii_alphabetic);
    let column =
        letters.take(4).fold(0, |column, c| column * 26 + (c.to_ascii_uppercase() as u32 - 'A' as u32 + 1));
    (1..=16_384).contains(&column).then_some(column)
}

/// Row and column of a place, or of the first of a range.
fn place_of(place: &str) -> Option<(u32, u32)> {
    let first = place.split(':').next()?;
    let row = first.trim_start_matches(|c: char| c == '$' || c.is_ascii_alphabetic()).parse().ok()?;
    Some((row, column_of(first)?))
}
