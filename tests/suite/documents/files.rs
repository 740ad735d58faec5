//! Documents, pictures and sound made byte by byte: good ones, and what nobody would make for a reader.

use std::io::{Cursor, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A file of `tests/documents`.
pub fn gold(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Characters of a line of a PDF.
const LINE: usize = 80;

/// A PDF in the making: its objects, numbered from 1. The first is its catalog.
#[derive(Default)]
pub struct Pdf {
    pub objects: Vec<Vec<u8>>,
    /// Entries of the trailer beside `/Size` and `/Root`.
    pub trailer: String,
}

impl Pdf {
    /// Adds an object; its number.
    pub fn add(&mut self, object: impl Into<Vec<u8>>) -> usize {
        self.objects.push(object.into());
        self.objects.len()
    }

    /// Adds a stream; its number.
    pub fn stream(&mut self, entries: &str, data: &[u8]) -> usize {
        let head = format!("<< /Length {} {entries} >>\nstream\n", data.len());
        self.add([head.as_bytes(), data, b"\nendstream"].concat())
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut file = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
        let mut table = String::from("0000000000 65535 f \n");
        for (number, object) in (1..).zip(&self.objects) {
            table += &format!("{:010} 00000 n \n", file.len());
            file.extend(format!("{number} 0 obj\n").bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let (at, size) = (file.len(), self.objects.len() + 1);
        let end = format!(
            "xref\n0 {size}\n{table}trailer\n<< /Size {size} /Root 1 0 R {} >>\nstartxref\n{at}\n%%EOF\n",
            self.trailer
        );
        file.extend(end.bytes());
        file
    }
}

/// A page of a PDF with a heading and paragraphs, its last line linked to `link`.
pub struct PdfPage<'a> {
    pub heading: &'a str,
    pub paragraphs: &'a [String],
    pub link: Option<&'a str>,
}

/// A PDF of pages, their headings large; `title` stands in its metadata.
pub fn pdf(title: Option<&str>, pages: &[PdfPage<'_>]) -> Vec<u8> {
    let mut pdf = Pdf::default();
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + page)).collect();
    pdf.add("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.add(format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" ")));
    pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
    let mut contents = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let mut content = format!("BT /F 22 Tf 72 740 Td ({}) Tj ET\n", escaped(page.heading));
        let mut y = 700;
        for paragraph in page.paragraphs {
            for line in lines(paragraph) {
                content += &format!("BT /F 10 Tf 72 {y} Td ({}) Tj ET\n", escaped(&line));
                y -= 13;
            }
            y -= 13;
        }
        let note = page.link.map_or(String::new(), |link| {
            format!(
                "/Annots [<< /Type /Annot /Subtype /Link /Rect [60 {} 560 {}] /A << /S /URI /URI ({link}) >> >>]",
                y + 23,
                y + 36
            )
        });
        pdf.add(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 3 0 R >> >> /Contents {} 0 R {note} >>",
            4 + pages.len() + number
        ));
        contents.push(content);
    }
    for content in contents {
        pdf.stream("/Filter /FlateDecode", &deflated(content.as_bytes()));
    }
    if let Some(title) = title {
        let info = pdf.add(format!("<< /Title ({}) /Author (Ann Lee) >>", escaped(title)));
        pdf.trailer = format!("/Info {info} 0 R");
    }
    pdf.bytes()
}

/// Words in lines.
fn lines(paragraph: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in paragraph.split(' ') {
        let last = lines.last_mut().unwrap();
        match last.len() + word.len() >= LINE {
            true => lines.push(word.to_owned()),
            false if last.is_empty() => last.push_str(word),
            false => *last += &format!(" {word}"),
        }
    }
    lines
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}

/// Bytes as `/FlateDecode` has them.
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A part of a zip container: its name and bytes, followed by this many spaces.
pub struct Part {
    name: String,
    bytes: Vec<u8>,
    spaces: u64,
}

/// A part of bytes.
pub fn part(name: &str, bytes: &[u8]) -> Part {
    Part { name: name.into(), bytes: bytes.to_vec(), spaces: 0 }
}

/// A part that begins with some bytes and goes on with this many spaces: hardly anything until it is inflated.
pub fn bomb(name: &str, begin: &str, spaces: u64) -> Part {
    Part { spaces, ..part(name, begin.as_bytes()) }
}

/// A zip container.
pub fn zip(parts: &[Part]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for Part { name, bytes, spaces } in parts {
        let method = if name == "mimetype" { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(name.as_str(), options).unwrap();
        writer.write_all(bytes).unwrap();
        std::io::copy(&mut std::io::repeat(b' ').take(*spaces), &mut writer).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Relationships of a package: id, kind, target.
fn relationships(all: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        let mode = if target.contains(':') { " TargetMode=\"External\"" } else { "" };
        format!(
            "<Relationship Id=\"{id}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"{mode}/>"
        )
    };
    format!("<Relationships>{}</Relationships>", all.iter().map(one).collect::<String>())
}

const W: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";

/// The main part of a DOCX: a title and paragraphs.
pub fn docx_body(title: &str, paragraphs: &[String]) -> String {
    let paragraphs: String =
        paragraphs.iter().map(|text| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")).collect();
    format!(
        "<w:document {W}><w:body><w:p><w:pPr><w:pStyle w:val=\"Title\"/></w:pPr><w:r><w:t>{title}</w:t></w:r></w:p>{paragraphs}\
         <w:p><w:hyperlink r:id=\"l\"><w:r><w:t>the timetable</w:t></w:r></w:hyperlink></w:p></w:body></w:document>"
    )
}

/// A DOCX whose main part is this, with a link to `http://boats.example/timetable`.
pub fn docx_of(body: &str, more: Vec<Part>) -> Vec<u8> {
    docx_with(part("word/document.xml", body.as_bytes()), more)
}

/// The same with the part itself.
pub fn docx_with(main: Part, more: Vec<Part>) -> Vec<u8> {
    let mut parts = vec![
        part("[Content_Types].xml", b"<Types/>"),
        part("_rels/.rels", relationships(&[("a", "officeDocument", "word/document.xml")]).as_bytes()),
        part(
            "word/_rels/document.xml.rels",
            relationships(&[("l", "hyperlink", "http://boats.example/timetable"), ("s", "styles", "styles.xml")])
                .as_bytes(),
        ),
        part(
            "word/styles.xml",
            format!("<w:styles {W}><w:style w:type=\"paragraph\" w:styleId=\"Title\"><w:name w:val=\"Title\"/></w:style></w:styles>")
                .as_bytes(),
        ),
        main,
    ];
    parts.extend(more);
    zip(&parts)
}

pub fn docx(title: &str, paragraphs: &[String]) -> Vec<u8> {
    docx_of(&docx_body(title, paragraphs), Vec::new())
}

/// A workbook with a sheet `Boats` whose first row names the columns.
pub fn xlsx(rows: &[&[&str]]) -> Vec<u8> {
    let cell = |text: &&str| match text.parse::<f64>() {
        Ok(number) => format!("<c><v>{number}</v></c>"),
        Err(_) => format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>"),
    };
    let row = |row: &&[&str]| format!("<row>{}</row>", row.iter().map(cell).collect::<String>());
    let sheet =
        format!("<worksheet><sheetData>{}</sheetData></worksheet>", rows.iter().map(row).collect::<String>());
    let book = "<workbook xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"Boats\" sheetId=\"1\" r:id=\"a\"/></sheets></workbook>";
    zip(&[
        part("[Content_Types].xml", b"<Types/>"),
        part("_rels/.rels", relationships(&[("a", "officeDocument", "xl/workbook.xml")]).as_bytes()),
        part(
            "xl/_rels/workbook.xml.rels",
            relationships(&[("a", "worksheet", "worksheets/sheet1.xml")]).as_bytes(),
        ),
        part("xl/workbook.xml", book.as_bytes()),
        part("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

/// A binary workbook with a sheet `Boats` of one row.
pub fn xlsb(cells: &[&str]) -> Vec<u8> {
    let record = |kind: u8, data: &[u8]| {
        let kind: Vec<u8> = if kind < 128 { vec![kind] } else { vec![kind, 1] };
        [kind, vec![data.len() as u8], data.to_vec()].concat()
    };
    let wide = |text: &str| {
        let units: Vec<u16> = text.encode_utf16().collect();
        let length = (units.len() as u32).to_le_bytes();
        [length.to_vec(), units.into_iter().flat_map(u16::to_le_bytes).collect()].concat()
    };
    let book = record(156, &[&[0; 8][..], &wide("a"), &wide("Boats")].concat());
    let mut sheet = record(0, &[0; 17]);
    for (column, text) in (0_u32..).zip(cells) {
        sheet.extend(record(6, &[&column.to_le_bytes()[..], &[0; 4], &wide(text)].concat()));
    }
    zip(&[
        part("_rels/.rels", relationships(&[("a", "officeDocument", "xl/workbook.bin")]).as_bytes()),
        part("xl/_rels/workbook.bin.rels", relationships(&[("a", "worksheet", "sheet1.bin")]).as_bytes()),
        part("xl/workbook.bin", &book),
        part("xl/sheet1.bin", &sheet),
    ])
}

/// A book of one chapter.
pub fn epub(title: &str, body: &str) -> Vec<u8> {
    epub_of(title, &format!("<html xmlns='http://www.w3.org/1999/xhtml'><body>{body}</body></html>"))
}

/// A book of one file.
pub fn epub_of(title: &str, page: &str) -> Vec<u8> {
    let package = format!(
        "<package xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><metadata><dc:title>{title}</dc:title><dc:creator>Ann Lee</dc:creator></metadata>\
         <manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine></package>"
    );
    zip(&[
        part("mimetype", b"application/epub+zip"),
        part(
            "META-INF/container.xml",
            b"<container><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>",
        ),
        part("OEBPS/book.opf", package.as_bytes()),
        part("OEBPS/a.xhtml", page.as_bytes()),
    ])
}

/// A picture of this many pixels, all black.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(data);
        let length = (data.len() as u32).to_be_bytes();
        [&length[..], kind, data, &crc.sum().to_be_bytes()].concat()
    };
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let rows = vec![0; (width as usize + 1) * height as usize];
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &head),
        chunk(b"IDAT", &deflated(&rows)),
        chunk(b"IEND", &[]),
    ]
    .concat()
}

/// A JPEG of this many pixels without any picture in it, made with a camera in Beijing.
pub fn photo(width: u16, height: u16) -> Vec<u8> {
    let entry = |tag: u16, kind: u16, count: u32, value: [u8; 4]| {
        [&tag.to_le_bytes()[..], &kind.to_le_bytes(), &count.to_le_bytes(), &value].concat()
    };
    let directory = |entries: &[Vec<u8>]| {
        [(entries.len() as u16).to_le_bytes().to_vec(), entries.concat(), vec![0; 4]].concat()
    };
    let quotients = |parts: [u32; 3]| {
        parts.iter().flat_map(|part| [part.to_le_bytes(), 1_u32.to_le_bytes()].concat()).collect::<Vec<u8>>()
    };
    // The directories stand at 8 and 100, what they point at from 200 on.
    let mut tiff = b"II*\0\x08\0\0\0".to_vec();
    tiff.extend(directory(&[
        entry(0x010F, 2, 6, 200_u32.to_le_bytes()),
        entry(0x0112, 3, 1, 6_u32.to_le_bytes()),
        entry(0x8825, 4, 1, 100_u32.to_le_bytes()),
    ]));
    tiff.resize(100, 0);
    tiff.extend(directory(&[
        entry(1, 2, 2, *b"N\0\0\0"),
        entry(2, 5, 3, 220_u32.to_le_bytes()),
        entry(3, 2, 2, *b"E\0\0\0"),
        entry(4, 5, 3, 250_u32.to_le_bytes()),
    ]));
    tiff.resize(200, 0);
    tiff.extend(b"Canon\0");
    tiff.resize(220, 0);
    tiff.extend(quotients([39, 54, 0]));
    tiff.resize(250, 0);
    tiff.extend(quotients([116, 24, 0]));
    let segment = |marker: u8, data: &[u8]| {
        [&[0xFF, marker][..], &(data.len() as u16 + 2).to_be_bytes(), data].concat()
    };
    let frame = [&[8][..], &height.to_be_bytes(), &width.to_be_bytes(), &[1, 1, 0x11, 0]].concat();
    [
        b"\xFF\xD8".to_vec(),
        segment(0xE1, &[b"Exif\0\0", &tiff[..]].concat()),
        segment(0xC0, &frame),
        b"\xFF\xD9".to_vec(),
    ]
    .concat()
}

/// A second of MPEG sound of 128 kbit/s with the tags of an album.
pub fn mp3() -> Vec<u8> {
    let frame = |id: &[u8; 4], text: &str| {
        let data = [&[3][..], text.as_bytes()].concat();
        [&id[..], &(data.len() as u32).to_be_bytes(), &[0, 0], &data].concat()
    };
    let frames = [
        frame(b"TIT2", "Ferry at dawn"),
        frame(b"TPE1", "Ann Lee"),
        frame(b"TALB", "Rivers"),
        frame(b"TRCK", "3/9"),
        frame(b"TYER", "2003"),
    ]
    .concat();
    let mut sound = b"ID3\x03\0\0".to_vec();
    sound.extend([0, 0, (frames.len() >> 7) as u8, (frames.len() & 127) as u8]);
    sound.extend(frames);
    // 38 frames of 1,152 samples at 44.1 kHz, 417 bytes each.
    for _ in 0..38 {
        sound.extend([0xFF, 0xFB, 0x90, 0x00]);
        sound.extend([0; 413]);
    }
    sound
}
