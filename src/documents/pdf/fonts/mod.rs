//! Fonts: from codes in strings to characters and widths.
//!
//! **Definition.** A character of a code is what the first of these sources says that can be believed: the ToUnicode map;
//! the encoding's names of glyphs; the CID's character in its collection; the embedded font's own tables.

mod composite;
mod names;
mod program;
mod simple;
mod standard;
mod tounicode;

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::object::{Dict, Name, Stream};

use super::stream::{Budget, decoded};
use program::Program;
use tounicode::ToUnicode;

/// A code as it is shown.
#[derive(Debug, Clone)]
pub(super) struct ShownCode {
    /// Its characters; empty where none are known.
    pub(super) text: Rc<str>,
    /// How far the pen goes, in units of the font's size: along the line for horizontal writing, down for vertical.
    pub(super) advance: f64,
    /// Whether word spacing applies.
    pub(super) is_space: bool,
}

/// A font of a document.
#[derive(Debug)]
pub(super) struct Font {
    kind: Kind,
    shown: HashMap<(u32, u8), ShownCode>,
    /// Whether its name or weight says bold.
    pub(super) bold: bool,
    /// Width of a space, in units of the font's size.
    pub(super) space: f64,
    /// Height of its type, in units of the font's size: 1, but of fonts drawn by operators.
    pub(super) em: f64,
}

#[derive(Debug)]
enum Kind {
    Simple(Box<simple::Simple>),
    Composite(Box<composite::CompositeFont>),
}

impl Font {
    /// Reads a font's dictionary. A font that says nothing is read as if it were Helvetica.
    pub(super) fn read(dict: &Dict<'_>, budget: &mut Budget) -> Font {
        let composite = dict.get::<Name<'_>>("Subtype").is_some_and(|name| name.as_ref() == b"Type0")
            || dict.contains_key("DescendantFonts");
        let composite = if composite {
            composite::CompositeFont::read(dict, budget)
        } else {
            is_named_in_gbk(dict).then(composite::CompositeFont::gbk).flatten()
        };
        let kind = match composite {
            Some(composite) => Kind::Composite(Box::new(composite)),
            None => Kind::Simple(Box::new(simple::Simple::read(dict, budget))),
        };
        let em = if let Kind::Simple(font) = &kind { font.em } else { 1.0 };
        let mut font = Font { kind, shown: HashMap::new(), bold: is_bold(dict), space: 0.25, em };
        font.space = font.space_width();
        font
    }

    /// Whether lines go down the page.
    pub(super) fn is_vertical(&self) -> bool {
        matches!(&self.kind, Kind::Composite(font) if font.is_vertical())
    }

    /// The next code of a string and its bytes.
    pub(super) fn next_code(&self, text: &[u8]) -> Option<(u32, usize)> {
        match &self.kind {
            Kind::Simple(_) => text.first().map(|byte| (u32::from(*byte), 1)),
            Kind::Composite(font) => font.next_code(text),
        }
    }

    /// The characters that a code of `bytes` bytes shows.
    pub(super) fn shown(&mut self, code: u32, bytes: usize) -> ShownCode {
        let key = (code, bytes.min(4) as u8);
        if let Some(shown) = self.shown.get(&key) {
            return shown.clone();
        }
        let mut shown = match &self.kind {
            Kind::Simple(font) => font.shown(code),
            Kind::Composite(font) => font.shown(code, bytes),
        };
        shown.is_space = code == 32 && bytes == 1;
        if !shown.advance.is_finite() || shown.advance.abs() > 100.0 {
            shown.advance = 0.0;
        }
        self.shown.insert(key, shown.clone());
        shown
    }

    /// The width of a space: of the code 32 if that is one, else a quarter of the size.
    fn space_width(&mut self) -> f64 {
        let width = match &self.kind {
            Kind::Simple(font) => font.space_width(),
            Kind::Composite(_) => None,
        };
        width.filter(|width| (0.1..=0.8).contains(width)).unwrap_or(0.25)
    }
}

/// Whether a font of one byte a code is not embedded and has a Chinese name in GBK (宋体, 黑体, 楷体, 仿宋, 隶书, 幼圆 and their kin):
/// programs of the 1990s wrote GBK in these, two codes a character, and viewers show it so.
fn is_named_in_gbk(dict: &Dict<'_>) -> bool {
    let descriptor = dict.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
    let embedded = ["FontFile", "FontFile2", "FontFile3"].iter().any(|key| descriptor.contains_key(key));
    let Some(name) = dict.get::<Name<'_>>("BaseFont").filter(|_| !embedded) else { return false };
    let name = name.as_ref();
    let bytes = name.get(name.iter().position(|byte| *byte == b'+').map_or(0, |at| at + 1)..).unwrap_or(name);
    let (text, _, damaged) = encoding_rs::GBK.decode(bytes);
    let families = ["宋", "黑体", "楷体", "隶书", "幼圆", "新魏", "行楷", "魏碑", "综艺"];
    !damaged && std::str::from_utf8(bytes).is_err() && families.iter().any(|family| text.contains(family))
}

fn is_bold(dict: &Dict<'_>) -> bool {
    let named = dict.get::<Name<'_>>("BaseFont").is_some_and(|name| {
        let name = String::from_utf8_lossy(name.as_ref()).to_ascii_lowercase();
        ["bold", "black", "heavy", "demi"].iter().any(|word| name.contains(word))
    });
    let weight =
        dict.get::<Dict<'_>>("FontDescriptor").and_then(|descriptor| descriptor.get::<f32>("FontWeight"));
    named || weight.is_some_and(|weight| weight >= 600.0)
}

/// The ToUnicode map of a font, if it has one that can be believed.
fn to_unicode(dict: &Dict<'_>, budget: &mut Budget) -> Option<ToUnicode> {
    if let Some(stream) = dict.get::<Stream<'_>>("ToUnicode") {
        return ToUnicode::parse(&decoded(&stream, budget)?);
    }
    let name = dict.get::<Name<'_>>("ToUnicode")?;
    name.as_ref().starts_with(b"Identity").then(ToUnicode::identity)
}

/// The embedded program of a font's descriptor.
fn embedded(descriptor: &Dict<'_>, budget: &mut Budget) -> Option<Program> {
    let stream = ["FontFile2", "FontFile3", "FontFile"]
        .into_iter()
        .find_map(|key| descriptor.get::<Stream<'_>>(key))?;
    Program::read(&decoded(&stream, budget)?)
}

/// A byte of PDFDocEncoding, which is Latin-1 but for a few places.
pub(super) fn doc_encoding(byte: u8) -> char {
    const HIGH: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ',
        'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
    ];
    const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    match byte {
        0x18..=0x1F => LOW.get(usize::from(byte - 0x18)).copied().unwrap_or(' '),
        0x80..=0xA0 => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or(' '),
        _ => char::from(byte),
    }
}
