//! Any bytes read as a document: the first byte says of which kind, or in which part of a zip container they stand.
//!
//! Whatever the bytes: the same twice, within the limits, titles and warnings as tables want them, Markdown that becomes HTML.
#![no_main]

use webmill::documents::{Document, Failure, Hints, Kind, Limits, detect, read, to_html};

/// Parts that the bytes may be, with the kind of their container and what stands beside them.
const PARTS: &[(Kind, &str, &[(&str, &str)])] = &[
    (Kind::Docx, "word/document.xml", &[("_rels/.rels", RELS_WORD), ("word/styles.xml", STYLES)]),
    (
        Kind::Docx,
        "word/styles.xml",
        &[("_rels/.rels", RELS_WORD), ("word/_rels/document.xml.rels", RELS), ("word/document.xml", WORD)],
    ),
    (
        Kind::Docx,
        "word/numbering.xml",
        &[("_rels/.rels", RELS_WORD), ("word/_rels/document.xml.rels", RELS), ("word/document.xml", WORD)],
    ),
    (Kind::Pptx, "ppt/presentation.xml", &[]),
    (
        Kind::Pptx,
        "ppt/slides/slide1.xml",
        &[("ppt/_rels/presentation.xml.rels", RELS), ("ppt/presentation.xml", DECK)],
    ),
    (Kind::Xlsx, "xl/workbook.xml", &[]),
    (
        Kind::Xlsx,
        "xl/worksheets/sheet1.xml",
        &[("xl/_rels/workbook.xml.rels", RELS), ("xl/workbook.xml", BOOK)],
    ),
    (Kind::Xlsx, "xl/sharedStrings.xml", &[("xl/_rels/workbook.xml.rels", RELS), ("xl/workbook.xml", BOOK)]),
    (Kind::Xlsb, "xl/workbook.bin", &[("xl/_rels/workbook.bin.rels", RELS)]),
    (Kind::Odt, "content.xml", &[]),
    (Kind::Odt, "styles.xml", &[("content.xml", TEXT)]),
    (Kind::Ods, "content.xml", &[]),
    (Kind::Odp, "content.xml", &[]),
    (Kind::Epub, "META-INF/container.xml", &[]),
    (Kind::Epub, "a.opf", &[("META-INF/container.xml", CONTAINER), ("a.xhtml", "<p>x</p>")]),
    (Kind::Epub, "a.xhtml", &[("META-INF/container.xml", CONTAINER), ("a.opf", PACKAGE)]),
];

const RELS_WORD: &str = "<Relationships><Relationship Id='a' Type='x/officeDocument' Target='word/document.xml'/></Relationships>";
const RELS: &str = "<Relationships><Relationship Id='a' Type='x/worksheet' Target='worksheets/sheet1.xml'/>\
    <Relationship Id='b' Type='x/sharedStrings' Target='sharedStrings.xml'/><Relationship Id='c' Type='x/styles' Target='styles.xml'/>\
    <Relationship Id='d' Type='x/numbering' Target='numbering.xml'/><Relationship Id='e' Type='x/slide' Target='slides/slide1.xml'/></Relationships>";
const STYLES: &str =
    "<w:styles><w:style w:type='paragraph' w:styleId='T'><w:name w:val='Title'/></w:style></w:styles>";
const WORD: &str = "<w:document><w:body><w:p><w:pPr><w:pStyle w:val='T'/><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr></w:pPr>\
    <w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>";
const DECK: &str =
    "<p:presentation xmlns:r='r'><p:sldIdLst><p:sldId id='1' r:id='e'/></p:sldIdLst></p:presentation>";
const BOOK: &str = "<workbook xmlns:r='r'><sheets><sheet name='a' r:id='a'/></sheets></workbook>";
const TEXT: &str = "<office:document-content><office:body><office:text><text:p text:style-name='a'>x</text:p></office:text></office:body></office:document-content>";
const CONTAINER: &str = "<container><rootfiles><rootfile full-path='a.opf'/></rootfiles></container>";
const PACKAGE: &str = "<package><manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine></package>";

/// A zip container of parts as they are, without a directory: what readers of cut files take.
fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    for (name, data) in parts {
        let length = (data.len() as u32).to_le_bytes();
        file.extend(b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
        file.extend(length);
        file.extend(length);
        file.extend((name.len() as u16).to_le_bytes());
        file.extend([0; 2]);
        file.extend(name.bytes());
        file.extend(*data);
    }
    file
}

fn limits() -> Limits {
    Limits {
        max_pages: 50,
        max_text_chars: 100_000,
        max_inflated_bytes: 4 << 20,
        max_steps: 1_000_000,
        max_links: 100,
        max_table_rows: 1000,
        ..Limits::default()
    }
}

fn hold(read: &Result<Document, Failure>, limits: &Limits) {
    let named = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    match read {
        Err(failure) => assert!(named(&failure.reason), "{failure:?}"),
        Ok(document) => {
            // Ends of lines are not counted in.
            assert!(document.text.chars().filter(|c| *c != '\n').count() <= limits.max_text_chars);
            assert!(document.links.len() <= limits.max_links);
            assert!(
                document.tables.iter().map(|table| table.rows.len()).sum::<usize>() <= limits.max_table_rows
            );
            assert!(document.warnings.iter().all(|warning| named(warning)), "{:?}", document.warnings);
            assert!(document.headings.iter().all(|heading| (1..=6).contains(&heading.level)));
            assert_eq!(document.about.title.is_some(), document.title_source.is_some());
            assert!(document.about.title.as_ref().is_none_or(|title| !title.trim().is_empty()));
            to_html(document.about.title.as_deref(), &document.markdown);
        }
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&first, data)) = data.split_first() else { return };
    let first = usize::from(first) % (Kind::ALL.len() + PARTS.len());
    let limits = limits();
    let (kind, bytes) = match Kind::ALL.get(first) {
        Some(kind) => {
            detect(data, &Hints::default());
            (*kind, data.to_vec())
        }
        None => {
            let (kind, name, beside) = PARTS[first - Kind::ALL.len()];
            let mut parts: Vec<(&str, &[u8])> =
                beside.iter().map(|(name, part)| (*name, part.as_bytes())).collect();
            parts.push((name, data));
            (kind, zip(&parts))
        }
    };
    let document = read(&bytes, kind, &limits);
    hold(&document, &limits);
    assert_eq!(document, read(&bytes, kind, &limits));
});
