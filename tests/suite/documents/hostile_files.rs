//! Documents of ill will or ill luck, made byte by byte, and what must become of each.

use super::files::{Pdf, PdfPage, bomb, docx, docx_body, docx_of, docx_with, epub_of, gold, part, pdf, zip};
use super::{paper, paragraphs};

/// What must become of a document.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    /// It is not read, for this reason.
    Fails(&'static str),
    /// It is read, with this warning.
    Warns(&'static str),
    Reads,
    /// It has a row, whatever that says.
    Row,
}

use Fate::*;

/// Documents of ill will or ill luck: name, bytes, fate.
pub fn hostile() -> Vec<(String, Vec<u8>, Fate)> {
    let mut all: Vec<(String, Vec<u8>, Fate)> = [
        ("encrypted.pdf", encrypted(), Fails("encrypted")),
        ("kids.pdf", tree_without_end(), Row),
        ("form.pdf", form_of_itself(), Reads),
        ("tables.pdf", tables_without_end(), Row),
        ("pages.pdf", a_hundred_thousand_pages(), Warns("pages-cut")),
        ("fonts.pdf", fonts_that_lie(), Reads),
        ("nested.pdf", nested_arrays(), Row),
        ("empty.pdf", b"%PDF-1.7\n".to_vec(), Fails("damaged")),
        (
            "picture.pdf",
            pdf(None, &[PdfPage { heading: "", paragraphs: &[], link: None }]),
            Warns("needs-ocr"),
        ),
        ("zeros.docx", gigabyte_of_spaces(), Fails("inflates-too-much")),
        ("zip.docx", zip_within_zip(), Row),
        ("parts.docx", parts_within_parts(), Reads),
        ("macros.docm", with_macros(), Reads),
        ("entities.docx", entities(), Row),
        ("laughs.docx", billion_laughs(), Row),
        ("deep.docx", deep_tables(), Row),
        ("entities.epub", epub_with_entities(), Row),
        ("groups.rtf", nested_groups(), Warns("too-deep")),
        ("cells.xlsx", xlsx_with_far_cells(), Row),
        ("wide.csv", wide_and_tall(), Warns("cells-cut")),
        ("brackets.md", b"[".repeat(8 << 20), Warns("marks-unread")),
        ("nothing.doc", ole_of("WordDocument"), Row),
        ("nothing.xls", ole_of("Workbook"), Row),
    ]
    .map(|(name, bytes, fate)| (name.to_owned(), bytes, fate))
    .into();
    for (name, whole) in [
        ("paper.pdf", paper("Ropes and Their Knots", 3)),
        ("minutes.docx", docx("Minutes", &paragraphs(8))),
        ("ferries.doc", gold("office-05-en.doc")),
        ("noodles.rtf", gold("office-06-zh-Hans.rtf")),
    ] {
        for tenth in 1..10 {
            let cut = whole[..whole.len() * tenth / 10].to_vec();
            all.push((format!("{tenth}-tenths-of-{name}"), cut, Row));
        }
    }
    all
}

/// A PDF with a password that is not empty: no key fits what it says of itself.
pub fn encrypted() -> Vec<u8> {
    let mut pdf = one_page("/F 3 0 R");
    pdf.stream("", b"BT /F 12 Tf 72 700 Td (secret) Tj ET");
    let hex = |byte: &str| byte.repeat(32);
    let entries =
        format!("<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{}> /U <{}> >>", hex("5A"), hex("A5"));
    let encrypt = pdf.add(entries);
    pdf.trailer = format!("/Encrypt {encrypt} 0 R /ID [<00112233> <00112233>]");
    pdf.bytes()
}

/// Catalog, pages, a font and a page whose content is object 5.
fn one_page(fonts: &str) -> Pdf {
    let mut pdf = Pdf::default();
    pdf.add("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.add("<< /Type /Pages /Count 1 /Kids [4 0 R] >>");
    pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    pdf.add(format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << {fonts} >> /XObject << /X 6 0 R >> >> /Contents 5 0 R >>"
    ));
    pdf
}

/// Pages that are their own pages.
fn tree_without_end() -> Vec<u8> {
    let mut pdf = Pdf::default();
    pdf.add("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.add("<< /Type /Pages /Count 99999999 /Kids [2 0 R 3 0 R 2 0 R] /Parent 3 0 R >>");
    pdf.add("<< /Type /Pages /Count 99999999 /Kids [2 0 R 3 0 R] /Parent 2 0 R >>");
    pdf.bytes()
}

/// A form that draws itself, ten times.
fn form_of_itself() -> Vec<u8> {
    let mut pdf = one_page("/F 3 0 R");
    pdf.stream("", b"BT /F 12 Tf 72 700 Td (The harbour is closed today.) Tj ET /X Do");
    let draws = "/X Do ".repeat(10);
    pdf.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X 6 0 R >> >>",
        draws.as_bytes(),
    );
    pdf.bytes()
}

/// Tables of objects that name each other as the one before.
fn tables_without_end() -> Vec<u8> {
    let mut file = paper("Ropes and Their Knots", 3);
    let second = file.len();
    let head =
        format!("xref\n0 0\ntrailer\n<< /Size 9 /Root 1 0 R /Prev {second} >>\nstartxref\n{second}\n%%EOF\n");
    file.extend(head.bytes());
    file
}

/// More pages than anybody reads: one and the same, a hundred thousand times.
fn a_hundred_thousand_pages() -> Vec<u8> {
    let mut pdf = Pdf::default();
    pdf.add("<< /Type /Catalog /Pages 2 0 R >>");
    let kids: String = (0..100_000).map(|page| format!("{} 0 R ", 5 + page)).collect();
    pdf.add(format!("<< /Type /Pages /Count 100000 /Kids [{kids}] >>"));
    pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    pdf.stream("", b"BT /F 12 Tf 72 700 Td (Page after page of nothing.) Tj ET");
    for _ in 0..100_000 {
        pdf.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 3 0 R >> >> /Contents 4 0 R >>");
    }
    pdf.bytes()
}

/// Fonts whose tables say what cannot be: ranges without end, widths beyond all numbers, characters that are none.
fn fonts_that_lie() -> Vec<u8> {
    let mut pdf = one_page("/F 3 0 R /L 7 0 R /M 9 0 R");
    let nines = "9".repeat(400);
    let content = format!(
        "BT /F 12 Tf 72 700 Td (The harbour is closed today.) Tj ET BT /L 12 Tf 72 600 Td <0001FFFF0203> Tj ET\n\
         BT /M {nines} Tf 72 500 Td (lies) Tj {nines} {nines} Td (more) Tj ET BT /M 0 Tf {nines} 0 0 {nines} 0 0 Tm (none) Tj ET\n"
    );
    pdf.stream("", content.as_bytes());
    pdf.add("<< >>");
    pdf.add("<< /Type /Font /Subtype /Type0 /BaseFont /Liar /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Liar /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 1000000000000000000000 /W [0 4294967295 -1 65535 0 0] >>] /ToUnicode 8 0 R >>");
    let ranges = "<0000> <FFFFFFFF> <D800>\n<FFFF> <0000> <0041>\n<0000> <FFFF> [<0041>]\n".repeat(1000);
    let map = format!(
        "begincmap\n1 begincodespacerange <00> <FFFFFFFF> endcodespacerange\n3000 beginbfrange\n{ranges}endbfrange\n\
         1 beginbfchar <0001> <{}> endbfchar\nendcmap",
        "0041".repeat(100_000)
    );
    pdf.stream("", map.as_bytes());
    pdf.add(format!(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar -2147483648 /LastChar 2147483647 /Widths [{nines} -{nines} . - null] /FontMatrix [0 0 0 0 0 0] >>"
    ));
    pdf.bytes()
}

/// A content of a hundred thousand brackets, and an object of as many.
fn nested_arrays() -> Vec<u8> {
    let mut pdf = one_page("/F 3 0 R");
    pdf.stream("", "[".repeat(100_000).as_bytes());
    pdf.add("<< /A ".repeat(100_000) + "1");
    pdf.bytes()
}

fn gigabyte_of_spaces() -> Vec<u8> {
    let bytes = docx_with(bomb("word/document.xml", "<w:document>", 1 << 30), Vec::new());
    assert!(bytes.len() < 2 << 20, "{} bytes", bytes.len());
    bytes
}

/// A container in the place of its main part, ten times over.
fn zip_within_zip() -> Vec<u8> {
    let mut inner = docx("Innermost", &paragraphs(1));
    for _ in 0..10 {
        inner = docx_with(part("word/document.xml", &inner), Vec::new());
    }
    inner
}

/// Documents within a document, one of them a bomb: those of others are not read.
fn parts_within_parts() -> Vec<u8> {
    let inner = docx("Inner", &paragraphs(2));
    docx_of(
        &docx_body("Outer", &paragraphs(1)),
        vec![
            part("word/embeddings/inner.docx", &inner),
            part("word/embeddings/bomb.docx", &gigabyte_of_spaces()),
            bomb("word/media/image1.png", "\u{89}PNG", 64 << 20),
        ],
    )
}

fn with_macros() -> Vec<u8> {
    let macros = ole_of("VBA");
    docx_of(&docx_body("With macros", &paragraphs(1)), vec![part("word/vbaProject.bin", &macros)])
}

/// A body that wants a file of this machine.
fn entities() -> Vec<u8> {
    let body = docx_body("Entities", &["before &file; behind".to_owned()]);
    docx_of(
        &format!("<?xml version='1.0'?><!DOCTYPE d [<!ENTITY file SYSTEM 'file:///etc/passwd'>]>{body}"),
        Vec::new(),
    )
}

fn billion_laughs() -> Vec<u8> {
    let mut entities = String::from("<!ENTITY l0 'laugh'>");
    for level in 1..10 {
        entities += &format!("<!ENTITY l{level} '{}'>", format!("&l{};", level - 1).repeat(10));
    }
    let body = docx_body("Laughs", &["before &l9; behind".to_owned()]);
    docx_of(&format!("<?xml version='1.0'?><!DOCTYPE d [{entities}]>{body}"), Vec::new())
}

fn deep_tables() -> Vec<u8> {
    let depth = 100_000;
    let body = format!(
        "<w:document><w:body>{}<w:p><w:r><w:t>deep</w:t></w:r></w:p>{}</w:body></w:document>",
        "<w:tbl><w:tr><w:tc>".repeat(depth),
        "</w:tc></w:tr></w:tbl>".repeat(depth)
    );
    docx_of(&body, Vec::new())
}

fn epub_with_entities() -> Vec<u8> {
    let page = "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY file SYSTEM 'file:///etc/passwd'>]>\
        <html xmlns='http://www.w3.org/1999/xhtml'><body><p>before &file; behind</p></body></html>";
    epub_of("Entities", page)
}

fn nested_groups() -> Vec<u8> {
    format!(
        "{{\\rtf1\\ansi The harbour is closed. {}deep{} It is.}}",
        "{\\b ".repeat(1_000_000),
        "}".repeat(1_000_000)
    )
    .into()
}

/// A sheet with cells at the ends of the world.
fn xlsx_with_far_cells() -> Vec<u8> {
    let far = "<c r=\"XFD1048576\" t=\"inlineStr\"><is><t>far</t></is></c><c r=\"ZZZZZZZZ99999999999\"><v>1e999</v></c>";
    let sheet = format!(
        "<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData><row r=\"4294967295\">{far}</row></sheetData></worksheet>"
    );
    let book = "<workbook xmlns:r=\"r\"><sheets><sheet name=\"a\" r:id=\"a\"/></sheets></workbook>";
    let rels = "<Relationships><Relationship Id=\"a\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>";
    zip(&[
        part("xl/_rels/workbook.xml.rels", rels.as_bytes()),
        part("xl/workbook.xml", book.as_bytes()),
        part("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

/// A row of all columns that a table may have above many of two: gigabytes, were they all as wide.
fn wide_and_tall() -> Vec<u8> {
    let wide: Vec<String> = (0..16_384).map(|n| format!("{}", n * 7919 % 100_000)).collect();
    let tall: String = (0..5_000).map(|n| format!("{},{n}\n", n * 7919 % 100_003)).collect();
    format!("{}\n{tall}", wide.join(",")).into()
}

/// A compound file that names a stream, and is nothing but noise else.
fn ole_of(stream: &str) -> Vec<u8> {
    let mut bytes = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    bytes.extend((0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8));
    bytes.extend(stream.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    bytes
}
