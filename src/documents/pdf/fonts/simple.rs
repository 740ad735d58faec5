//! Fonts of one byte a code: Type 1, TrueType, Type 3.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::object::{Array, Dict, Name, Object};

use super::names::{BaseEncoding, character_of_name, character_of_number, tex_character};
use super::program::Program;
use super::standard::Standard;
use super::tounicode::ToUnicode;
use super::{ShownCode, embedded, to_unicode};
use crate::pdf::geometry::Matrix;
use crate::pdf::stream::Budget;

/// A font of one byte a code.
#[derive(Debug)]
pub(super) struct Simple {
    to_unicode: Option<ToUnicode>,
    base: Option<BaseEncoding>,
    /// Names that the encoding gives codes.
    differences: HashMap<u32, String>,
    program: Option<Program>,
    standard: Option<&'static Standard>,
    is_truetype: bool,
    is_symbolic: bool,
    first: u32,
    widths: Vec<Option<f64>>,
    missing: Option<f64>,
    /// Of a Type 3 font.
    matrix: Option<Matrix>,
    /// Whether it is a font of pixels that TeX made, and of which encoding.
    tex: Option<Tex>,
    /// Height of its type in units of its size.
    pub(super) em: f64,
}

impl Simple {
    pub(super) fn read(dict: &Dict<'_>, budget: &mut Budget) -> Self {
        let descriptor = dict.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
        let subtype = dict.get::<Name<'_>>("Subtype").map(|name| name.as_ref().to_vec()).unwrap_or_default();
        let to_unicode = to_unicode(dict, budget);
        let (mut base, mut differences) = encoding(dict);
        let name =
            dict.get::<Name<'_>>("BaseFont").map(|name| String::from_utf8_lossy(name.as_ref()).into_owned());
        let program = embedded(&descriptor, budget);
        let standard = Standard::by_name(name.as_deref().unwrap_or_default());
        let is_type3 = subtype == b"Type3";
        if program.is_none() && standard.is_some_and(Standard::is_symbols) {
            // What names an encoding of letters here was made without a look at the font.
            base = None;
            differences.retain(|_, name| standard.is_some_and(|standard| standard.has(name)));
        }
        let flags = descriptor.get::<i32>("Flags").unwrap_or(0);
        let matrix = is_type3.then(|| type3_matrix(dict));
        let tex = if is_type3 { tex_encoding(&differences) } else { None };
        Simple {
            tex,
            to_unicode,
            base,
            differences,
            standard: if is_type3 { None } else { standard },
            is_truetype: subtype == b"TrueType",
            is_symbolic: flags & 4 != 0,
            first: dict.get::<i32>("FirstChar").and_then(|first| u32::try_from(first).ok()).unwrap_or(0),
            widths: dict.get::<Array<'_>>("Widths").map(|widths| numbers(&widths)).unwrap_or_default(),
            missing: descriptor.get::<f32>("MissingWidth").map(f64::from),
            em: matrix.map_or(1.0, |matrix| type3_height(dict, matrix)),
            matrix,
            program,
        }
    }

    pub(super) fn shown(&self, code: u32) -> ShownCode {
        let text = self.character(code).unwrap_or_default();
        ShownCode { text: Rc::from(text), advance: self.width(code), is_space: false }
    }

    pub(super) fn space_width(&self) -> Option<f64> {
        let spaces = self.character(32).is_some_and(|text| text == " ");
        spaces.then(|| self.width(32) / self.em)
    }

    fn width(&self, code: u32) -> f64 {
        let listed =
            code.checked_sub(self.first).and_then(|at| self.widths.get(at as usize).copied().flatten());
        if let Some(matrix) = self.matrix {
            return listed.unwrap_or(0.0) * matrix.a.abs().max(matrix.b.abs());
        }
        let standard = || {
            let standard = self.standard?;
            standard.width(code, self.differences.get(&code).map(String::as_str), self.base)
        };
        let own = || {
            let program = self.program.as_ref()?;
            program.advances.get(program.glyphs.get(&code)?).copied()
        };
        let listed = if self.widths.is_empty() { standard().or_else(own) } else { listed };
        listed.or(self.missing).or(if self.widths.is_empty() { Some(500.0) } else { None }).unwrap_or(0.0)
            / 1000.0
    }

    fn character(&self, code: u32) -> Option<String> {
        if let Some(text) = self.to_unicode.as_ref().and_then(|map| map.get(code)) {
            return Some(text.to_string());
        }
        self.by_name(code)
            .or_else(|| self.by_base(code))
            .or_else(|| self.by_program(code))
            .or_else(|| self.by_guess(code))
    }

    fn by_name(&self, code: u32) -> Option<String> {
        let name = self.differences.get(&code)?;
        let tex = self.tex.and_then(|tex| tex_character(code, tex == Tex::Cork));
        if let Some(text) = tex {
            return Some(text.to_owned());
        }
        if let Some(text) = self.standard.and_then(|standard| standard.dingbat(name)) {
            return Some(text);
        }
        character_of_name(name).or_else(|| character_of_number(name))
    }

    fn by_base(&self, code: u32) -> Option<String> {
        if self.differences.contains_key(&code) && self.program.is_none() && self.base.is_none() {
            return None;
        }
        // A symbolic font's own encoding stands above the names of codes.
        if let Some(base) = self.base
            && !(self.is_symbolic && self.is_truetype && self.program.is_some())
        {
            return base.character(code as u8);
        }
        let name = self.program.as_ref()?.names.get(&code)?;
        character_of_name(name).or_else(|| character_of_number(name))
    }

    fn by_program(&self, code: u32) -> Option<String> {
        let program = self.program.as_ref()?;
        program.characters.get(program.glyphs.get(&code)?).cloned()
    }

    fn by_guess(&self, code: u32) -> Option<String> {
        if let Some(text) = self.standard.and_then(|standard| standard.character(code)) {
            return Some(text);
        }
        if self.matrix.is_some() && self.differences.contains_key(&code) {
            return None;
        }
        let base = self.base.unwrap_or(if self.is_truetype {
            BaseEncoding::WinAnsi
        } else {
            BaseEncoding::Standard
        });
        base.character(code as u8).or_else(|| BaseEncoding::WinAnsi.character(code as u8))
    }
}

/// An encoding of TeX's text fonts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tex {
    Old,
    Cork,
}

/// The encoding of a font whose glyphs are called by their codes, if it is TeX's: its ligatures tell. Codes below 32 are no
/// characters in others.
fn tex_encoding(differences: &HashMap<u32, String>) -> Option<Tex> {
    let drawn = || differences.iter().filter(|(_, name)| name.as_str() != ".notdef");
    if drawn().any(|(code, name)| name.strip_prefix('a') != Some(code.to_string().as_str())) {
        return None;
    }
    let count =
        |codes: std::ops::RangeInclusive<u32>| drawn().filter(|(code, _)| codes.contains(code)).count();
    match (count(11..=15), count(27..=31) + count(16..=22)) {
        (0, 0) => None,
        (0, _) => Some(Tex::Cork),
        _ => Some(Tex::Old),
    }
}

fn type3_matrix(dict: &Dict<'_>) -> Matrix {
    let numbers: Vec<f64> = dict
        .get::<Array<'_>>("FontMatrix")
        .map(|array| array.iter::<f32>().map(f64::from).collect())
        .unwrap_or_default();
    let matrix = <[f64; 6]>::try_from(numbers).map(Matrix::new);
    matrix.ok().filter(Matrix::is_finite).unwrap_or(Matrix { a: 0.001, d: 0.001, ..Matrix::IDENTITY })
}

/// The height of the box of all glyphs, which stands a little above an em.
fn type3_height(dict: &Dict<'_>, matrix: Matrix) -> f64 {
    let corners = dict.get::<Array<'_>>("FontBBox").map(|array| array.iter::<f32>().collect::<Vec<_>>());
    let height = match corners.as_deref() {
        Some([_, low, _, high]) => f64::from(high - low).abs(),
        _ => 0.0,
    };
    let em = height * matrix.d.abs().max(matrix.b.abs());
    if (0.05..100.0).contains(&em) { em } else { 1.0 }
}

fn numbers(array: &Array<'_>) -> Vec<Option<f64>> {
    array.iter::<Object<'_>>().take(65_536).map(|object| object.into_f32().map(f64::from)).collect()
}

fn encoding(dict: &Dict<'_>) -> (Option<BaseEncoding>, HashMap<u32, String>) {
    if let Some(name) = dict.get::<Name<'_>>("Encoding") {
        return (BaseEncoding::from_name(name.as_ref()), HashMap::new());
    }
    let Some(encoding) = dict.get::<Dict<'_>>("Encoding") else { return (None, HashMap::new()) };
    let base =
        encoding.get::<Name<'_>>("BaseEncoding").and_then(|name| BaseEncoding::from_name(name.as_ref()));
    let mut names = HashMap::new();
    let mut code = 0u32;
    for object in encoding
        .get::<Array<'_>>("Differences")
        .iter()
        .flat_map(|array| array.iter::<Object<'_>>())
        .take(4096)
    {
        match object {
            Object::Number(number) => code = u32::try_from(number.as_i64()).unwrap_or(0),
            Object::Name(name) => {
                names.insert(code, String::from_utf8_lossy(name.as_ref()).into_owned());
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    (base, names)
}
