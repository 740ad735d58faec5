use super::*;
use crate::testing::{packed, relationships, zipped};
use crate::{Document, Kind, Limits};

fn sheet(name: &str, active: bool, cells: &[(u32, u32, &str, bool)]) -> Sheet {
    let mut sheet = Sheet::new(name, active, &Builder::new(Kind::Xlsx, &Limits::default()));
    for &(row, column, text, bold) in cells {
        let is_text = text.parse::<f64>().is_err();
        assert!(sheet.fill(row, column, Cell { text: text.into(), bold, is_text }));
    }
    sheet
}

fn told(sheets: Vec<Sheet>) -> Document {
    let mut builder = Builder::new(Kind::Xlsx, &Limits::default());
    let mut telling = SheetWriter::default();
    sheets.into_iter().for_each(|sheet| telling.tell(sheet, &[], &mut builder));
    telling.finish(&mut builder);
    builder.finish()
}

#[test]
fn the_heaviest_cell_is_the_title() {
    let cases: Vec<(Vec<Sheet>, &str)> = vec![
        // Alone in its row, over the first of several.
        (
            vec![sheet(
                "s",
                false,
                &[(0, 0, "Name", false), (0, 1, "Age", false), (1, 0, "Ducks of 2020", false)],
            )],
            "Ducks of 2020",
        ),
        // The first of equals; bold is more.
        (vec![sheet("s", false, &[(0, 0, "Name", false), (0, 1, "Town", false)])], "Name"),
        (vec![sheet("s", false, &[(0, 0, "Name", false), (0, 1, "Town", true)])], "Town"),
        // The active sheet counts three times.
        (
            vec![sheet("s", false, &[(0, 0, "Other", false)]), sheet("t", true, &[(0, 0, "Shown", false)])],
            "Shown",
        ),
        // Six rows down P is 5/11: 2 · 5/11 < 1.
        (
            vec![sheet("s", false, &[(0, 0, "Name", false), (0, 1, "Town", false), (6, 0, "Remark", false)])],
            "Name",
        ),
        // One letter and numbers are none.
        (
            vec![sheet("s", true, &[(0, 0, "x", false), (1, 0, "2020", false), (2, 0, "Title", false)])],
            "Title",
        ),
    ];
    for (sheets, title) in cases {
        assert_eq!(told(sheets).about.title.as_deref(), Some(title));
    }
}

#[test]
fn rows_are_a_table_below_remarks() {
    let read = told(vec![sheet(
        "Data",
        true,
        &[
            (2, 5, "Ducks", true),
            (4, 1, "Name", false),
            (4, 5, "Age", false),
            (5, 1, "Al", false),
            (1_048_575, 5, "7", false),
            (1_048_575, 16_383, "far", false),
        ],
    )]);
    assert_eq!(
        read.markdown,
        "# Data\n\nDucks\n\n| Name | Age |  |\n| --- | --- | --- |\n| Al |  |  |\n|  | 7 | far |\n"
    );
    assert_eq!(read.tables[0].caption.as_deref(), Some("Data"));
    assert_eq!(read.tables[0].columns, ["Name", "Age", "column 3"]);
    // A first row with a number names nothing.
    assert!(
        told(vec![sheet(
            "s",
            true,
            &[(0, 0, "a", false), (0, 1, "1", false), (1, 0, "b", false), (1, 1, "2", false)]
        )])
        .tables[0]
            .columns
            .is_empty()
    );
}

#[test]
fn cells_in_a_diagonal_span_no_field() {
    let mut wide = Sheet::new("s", true, &Builder::new(Kind::Xlsx, &Limits::default()));
    for at in 0..6000 {
        wide.fill(at, at, Cell { text: "x".into(), ..Cell::default() });
    }
    let read = told(vec![wide]);
    assert_eq!(read.tables[0].rows[0].len(), MAX_CELLS / 6000);
    assert_eq!(read.warnings, ["cells-cut"]);
    let limits = Limits { max_table_rows: 2, ..Limits::default() };
    let mut short = Sheet::new("s", true, &Builder::new(Kind::Xlsx, &limits));
    let filled = (0..5)
        .map(|row| short.fill(row, 0, Cell { text: "x".into(), ..Cell::default() }))
        .collect::<Vec<_>>();
    assert_eq!(filled, [true, true, false, false, false]);
}

#[test]
fn sheet_takes_no_more_than_the_text() {
    let limits = Limits { max_text_chars: 20, ..Limits::default() };
    let mut long = Sheet::new("s", true, &Builder::new(Kind::Xlsx, &limits));
    let cell = || Cell { text: "0123456789".into(), ..Cell::default() };
    assert_eq!((0..3).map(|column| long.fill(0, column, cell())).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(told(vec![long]).warnings, ["cells-cut"]);
}

#[test]
fn cells_of_a_row_may_come_in_any_order() {
    let read = told(vec![sheet("s", true, &[(1, 2, "c", false), (1, 0, "x", false), (1, 0, "a", false)])]);
    assert_eq!(read.text, "s\na | c\n");
}

#[test]
fn xlsx_cells_are_read_as_shown() {
    let rows = "<row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='inlineStr'><is><t>Value</t></is></c></row>\
        <row><c t='str'><f>A1</f><v>a_x000D_b</v></c><c s='1'><f>1+1</f><v>0.125</v></c></row>\
        <row r='4'><c r='A4' t='b'><v>1</v></c><c r='B4' t='e'><v>#N/A</v></c></row>\
        <row r='5'><c r='A5' t='s'><v>99</v></c><c r='B5' s='77'><v>-2</v></c><c r='ZZZZ9'><v>1</v></c></row>";
    let sheet = format!(
        "<worksheet><dimension ref='A1:XFD1048576'/><sheetData>{rows}</sheetData><hyperlinks><hyperlink ref='A1' r:id='h'/></hyperlinks></worksheet>"
    );
    let parts = [
        ("xl/workbook.xml", "<workbook><sheets><sheet name='One' r:id='a'/><sheet name='Two' state='hidden' r:id='b'/><sheet name='Gone' r:id='c'/></sheets></workbook>".to_owned()),
        ("xl/_rels/workbook.xml.rels", relationships(&[("a", "worksheet", "worksheets/sheet1.xml"), ("b", "worksheet", "/xl/worksheets/none.xml"), ("t", "sharedStrings", "sharedStrings.xml"), ("y", "styles", "styles.xml")])),
        ("xl/sharedStrings.xml", "<sst><si><r><t>Na</t></r><r><t>me</t></r><rPh><t>x</t></rPh></si></sst>".to_owned()),
        ("xl/styles.xml", "<styleSheet><numFmts><numFmt numFmtId='164' formatCode='0.0%'/></numFmts><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/></cellXfs></styleSheet>".to_owned()),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/worksheets/_rels/sheet1.xml.rels", relationships(&[("h", "hyperlink", "http://a.example/")])),
    ];
    let parts = parts.iter().map(|(name, part)| (*name, part.as_str())).collect::<Vec<_>>();
    let read = xlsx::read(&packed(&parts), Kind::Xlsx, &Limits::default()).unwrap();
    assert_eq!(read.text, "One\nName | Value\nab | 12.5%\nTRUE | #N/A\n | -2 | 1\nTwo\n");
    assert_eq!((read.links[0].target.as_str(), read.links[0].anchor.as_str()), ("http://a.example/", "Name"));
    assert_eq!(read.warnings, ["hidden-sheets", "damaged"]);
    assert_eq!(read.pages, Some(2));
}

#[test]
fn xlsx_sheets_are_read_once_with_their_boxes() {
    let sheet = "<worksheet><sheetData><row r='1'><c r='A1' t='str'><v>a</v></c><c r='B1'><v>1</v></c></row></sheetData></worksheet>";
    let drawing = "<wsDr><sp><txBody><p><r><t>box</t></r><r><t>ed</t></r></p></txBody></sp></wsDr>";
    let parts = [
        (
            "xl/workbook.xml",
            "<workbook><sheets><sheet name='One' r:id='a'/><sheet name='Two' r:id='b'/></sheets></workbook>"
                .to_owned(),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            relationships(&[("a", "worksheet", "s.xml"), ("b", "worksheet", "s.xml")]),
        ),
        ("xl/s.xml", sheet.to_owned()),
        ("xl/_rels/s.xml.rels", relationships(&[("d", "drawing", "d.xml")])),
        ("xl/d.xml", drawing.to_owned()),
    ];
    let parts = parts.iter().map(|(name, part)| (*name, part.as_str())).collect::<Vec<_>>();
    let read = xlsx::read(&packed(&parts), Kind::Xlsx, &Limits::default()).unwrap();
    assert_eq!(read.text, "One\na | 1\nboxed\n");
    assert_eq!((read.pages, &read.warnings[..]), (Some(1), &["parts-twice".into()][..]));
}

/// A record of an XLS file.
fn biff(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes(), &(data.len() as u16).to_le_bytes(), data].concat()
}

fn cell(row: u16, column: u16, style: u16, value: &[u8]) -> Vec<u8> {
    [&row.to_le_bytes(), &column.to_le_bytes(), &style.to_le_bytes(), value].concat()
}

/// A string of two bytes a character, or one.
fn string(text: &str, wide: bool) -> Vec<u8> {
    let mut bytes = (text.encode_utf16().count() as u16).to_le_bytes().to_vec();
    bytes.push(u8::from(wide));
    match wide {
        true => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
        false => bytes.extend(text.bytes()),
    }
    bytes
}

fn xls(globals: &[Vec<u8>], sheet: &[Vec<u8>]) -> Vec<u8> {
    let bof = biff(0x0809, &[0, 6, 5, 0, 0, 0, 0, 0]);
    let eof = biff(0x000A, &[]);
    let announce = |at: usize| biff(0x85, &[&(at as u32).to_le_bytes(), &[0, 0, 3, 0][..], b"One"].concat());
    let before = bof.len() + globals.concat().len() + announce(0).len() + eof.len();
    let stream =
        [bof.clone(), globals.concat(), announce(before), eof.clone(), bof, sheet.concat(), eof].concat();
    let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new())).unwrap();
    std::io::Write::write_all(&mut file.create_stream("Workbook").unwrap(), &stream).unwrap();
    file.into_inner().into_inner()
}

#[test]
fn xls_cells_are_read_as_shown() {
    // The second string goes on in another record, there with two bytes a character.
    let first =
        [&[2, 0, 0, 0, 2, 0, 0, 0][..], &string("Name", false), &6_u16.to_le_bytes(), &[0], b"abc"].concat();
    let second = [&[1][..], &"déf".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat();
    let globals = [
        biff(0x0022, &[0, 0]),
        biff(0x041E, &[&164_u16.to_le_bytes()[..], &string("0.0%", true)].concat()),
        biff(0xE0, &[0; 20]),
        biff(0xE0, &[&[0, 0][..], &164_u16.to_le_bytes(), &[0; 16]].concat()),
        biff(0xFC, &first),
        biff(0x3C, &second),
    ];
    let sheet = [
        biff(0x0200, &[0xFF; 14]),
        biff(0xFD, &cell(0, 0, 0, &0_u32.to_le_bytes())),
        biff(0xFD, &cell(0, 1, 0, &1_u32.to_le_bytes())),
        biff(0x0203, &cell(1, 0, 1, &0.125_f64.to_le_bytes())),
        biff(
            0xBD,
            &cell(
                1,
                1,
                0,
                &[&(5_u32 << 2 | 2).to_le_bytes()[..], &[0, 0], &(6_u32 << 2 | 2).to_le_bytes(), &[2, 0]]
                    .concat(),
            ),
        ),
        biff(0x06, &cell(2, 0, 0, &[0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0])),
        biff(0x0207, &string("words", false)),
        biff(0x06, &cell(2, 1, 0, &[1, 0, 1, 0, 0, 0, 0xFF, 0xFF, 0, 0])),
        biff(0x0205, &cell(2, 2, 0, &[0x2A, 1])),
        biff(0x0809, &[0; 8]),
        biff(0x0203, &cell(9, 9, 0, &1_f64.to_le_bytes())),
        biff(0x000A, &[]),
        biff(0x01B6, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]),
        biff(0x3C, b"\0note"),
    ];
    let read = xls::read(&xls(&globals, &sheet), &Limits::default()).unwrap();
    assert_eq!(read.text, "One\nName | abcdéf\n12.5% | 5 | 6\nwords | TRUE | #N/A\nnote\n");
    let locked = xls(&[biff(0x2F, &[1, 0])], &[]);
    assert_eq!(xls::read(&locked, &Limits::default()).unwrap_err().reason, "encrypted");
    assert_eq!(xls::read(b"no", &Limits::default()).unwrap_err().reason, "damaged");
}

/// A record of an XLSB part.
fn bin(kind: u16, data: &[u8]) -> Vec<u8> {
    let kind = if kind < 128 { vec![kind as u8] } else { vec![kind as u8 | 0x80, (kind >> 7) as u8] };
    [&kind[..], &[data.len() as u8 & 0x7F | 0x80, (data.len() >> 7) as u8], data].concat()
}

fn wide(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().collect::<Vec<_>>();
    [
        &(units.len() as u32).to_le_bytes()[..],
        &units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>(),
    ]
    .concat()
}

#[test]
fn xlsb_cells_are_read_as_shown() {
    let at = |column: u32, style: u32, value: &[u8]| {
        [&column.to_le_bytes()[..], &style.to_le_bytes(), value].concat()
    };
    let workbook = bin(156, &[&[0; 8][..], &wide("a"), &wide("One")].concat());
    let strings = bin(19, &[&[0][..], &wide("Name")].concat());
    let styles = [
        bin(44, &[&164_u16.to_le_bytes()[..], &wide("0.0%")].concat()),
        bin(617, &[]),
        bin(47, &[0; 16]),
        bin(47, &[&[0, 0][..], &164_u16.to_le_bytes(), &[0; 12]].concat()),
        bin(618, &[]),
    ];
    let sheet = [
        bin(0, &[0; 17]),
        bin(7, &at(0, 0, &0_u32.to_le_bytes())),
        bin(6, &at(1, 0, &wide("Value"))),
        bin(0, &[&7_u32.to_le_bytes()[..], &[0; 13]].concat()),
        bin(5, &at(0, 1, &0.125_f64.to_le_bytes())),
        bin(2, &at(1, 0, &(3_u32 << 2 | 2).to_le_bytes())),
        bin(4, &at(2, 0, &[1])),
        bin(7, &at(3, 0, &99_u32.to_le_bytes())),
        bin(146, &[]),
        bin(6, &at(9, 0, &wide("behind the end"))),
    ];
    let (rels, styles, sheet) = (
        relationships(&[
            ("a", "worksheet", "sheet1.bin"),
            ("s", "sharedStrings", "s.bin"),
            ("y", "styles", "y.bin"),
        ]),
        styles.concat(),
        sheet.concat(),
    );
    let bytes = zipped(&[
        ("xl/workbook.bin", &workbook),
        ("xl/_rels/workbook.bin.rels", rels.as_bytes()),
        ("xl/s.bin", &strings),
        ("xl/y.bin", &styles),
        ("xl/sheet1.bin", &sheet),
    ]);
    let read = xlsx::read(&bytes, Kind::Xlsb, &Limits::default()).unwrap();
    assert_eq!(read.text, "One\nName | Value\n12.5% | 3 | TRUE\n");
}
