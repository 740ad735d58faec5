//! Fonts of several bytes a code: codes to CIDs by a CMap, CIDs to characters by their collection.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, WritingMode, load_embedded};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

use super::program::Program;
use super::tounicode::{ToUnicode, is_text};
use super::{ShownCode, embedded, to_unicode};
use crate::pdf::stream::{Budget, decoded};

/// Widths that are listed.
const MAX_WIDTHS: usize = 1 << 17;

/// A font of several bytes a code.
#[derive(Debug)]
pub(super) struct CompositeFont {
    to_unicode: Option<ToUnicode>,
    encoding: CMap,
    /// Bytes of codes that the CMap does not know.
    code_bytes: CodeBytes,
    /// Whether codes are UTF-16 themselves.
    is_unicode: bool,
    collection: Option<CMap>,
    program: Option<Program>,
    /// Glyphs by CID; `None` where they are the same.
    glyphs: Option<Vec<u8>>,
    vertical: bool,
    default_width: f64,
    widths: HashMap<u32, f64>,
    default_down: f64,
    down: HashMap<u32, f64>,
}

/// How long a code is that no range holds.
#[derive(Debug, Clone, Copy)]
enum CodeBytes {
    Two,
    /// One for ASCII, else two: GBK, Shift-JIS, Big Five and the like.
    Mixed,
}

impl CompositeFont {
    pub(super) fn read(dict: &Dict<'_>, budget: &mut Budget) -> Option<Self> {
        let inner = descendant(dict).unwrap_or_default();
        let name = dict.get::<Name<'_>>("Encoding").map(|name| name.as_ref().to_vec()).unwrap_or_default();
        let encoding = encoding(dict, &name, budget);
        let vertical =
            encoding.metadata().writing_mode == Some(WritingMode::Vertical) || name.ends_with(b"-V");
        let family = family(&inner, &encoding);
        let collection = family.as_ref().and_then(CidFamily::ucs2_cmap).and_then(predefined);
        let descriptor = inner.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
        let to_unicode = to_unicode(dict, budget);
        // Programs are large: read only where nothing else may say what codes mean.
        let needs = to_unicode.is_none() || collection.is_none();
        let mixed = [&b"EUC"[..], b"RKSJ", b"B5", b"UHC", b"GBK2K"]
            .iter()
            .any(|part| memchr::memmem::find(&name, part).is_some());
        let down =
            inner.get::<Array<'_>>("DW2").map(|array| array.iter::<f32>().map(f64::from).collect::<Vec<_>>());
        let default_down = down.and_then(|pair| pair.get(1).copied()).unwrap_or(-1000.0);
        Some(CompositeFont {
            is_unicode: memchr::memmem::find(&name, b"UTF16").is_some()
                || memchr::memmem::find(&name, b"UCS2").is_some(),
            code_bytes: if mixed { CodeBytes::Mixed } else { CodeBytes::Two },
            program: if needs { embedded(&descriptor, budget) } else { None },
            glyphs: inner.get::<Stream<'_>>("CIDToGIDMap").and_then(|stream| decoded(&stream, budget)),
            default_width: inner.get::<f32>("DW").map_or(1000.0, f64::from),
            widths: inner.get::<Array<'_>>("W").map(|array| widths(&array, 1)).unwrap_or_default(),
            down: inner.get::<Array<'_>>("W2").map(|array| widths(&array, 3)).unwrap_or_default(),
            to_unicode,
            encoding,
            collection,
            vertical,
            default_down,
        })
    }

    /// A font that shows GBK, of which nothing else is known: ideographs are square, letters half as wide.
    pub(super) fn gbk() -> Option<Self> {
        let encoding = predefined(CMapName::GbkEucH)?;
        let collection =
            family(&Dict::empty(), &encoding).as_ref().and_then(CidFamily::ucs2_cmap).and_then(predefined);
        let half = (b' '..=b'~').filter_map(|code| encoding.lookup_cid_code(u32::from(code), 1));
        Some(CompositeFont {
            widths: half.map(|cid| (cid, 500.0)).collect(),
            to_unicode: None,
            code_bytes: CodeBytes::Mixed,
            is_unicode: false,
            collection,
            program: None,
            glyphs: None,
            vertical: false,
            default_width: 1000.0,
            default_down: -1000.0,
            down: HashMap::new(),
            encoding,
        })
    }

    pub(super) fn is_vertical(&self) -> bool {
        self.vertical
    }

    pub(super) fn next_code(&self, text: &[u8]) -> Option<(u32, usize)> {
        let mut code = 0u32;
        for (at, byte) in text.iter().take(4).enumerate() {
            code = code << 8 | u32::from(*byte);
            if self.encoding.lookup_cid_code(code, at as u8 + 1).is_some() {
                return Some((code, at + 1));
            }
        }
        let first = u32::from(*text.first()?);
        let bytes = match self.code_bytes {
            CodeBytes::Mixed if first < 0x80 => 1,
            _ => text.len().min(2),
        };
        Some((text.iter().take(bytes).fold(0, |sum, byte| sum << 8 | u32::from(*byte)), bytes))
    }

    pub(super) fn shown(&self, code: u32, bytes: usize) -> ShownCode {
        let cid = self.encoding.lookup_cid_code(code, bytes as u8).unwrap_or(0);
        let text = self.character(code, bytes, cid).unwrap_or_else(|| Rc::from(""));
        let width = self.widths.get(&cid).copied().unwrap_or(self.default_width) / 1000.0;
        if !self.vertical {
            return ShownCode { text, advance: width, is_space: false };
        }
        let advance = self.down.get(&cid).copied().unwrap_or(self.default_down);
        ShownCode { text, advance: advance / 1000.0, is_space: false }
    }

    fn character(&self, code: u32, bytes: usize, cid: u32) -> Option<Rc<str>> {
        if let Some(text) = self.to_unicode.as_ref().and_then(|map| map.get(code)) {
            return Some(text);
        }
        if self.is_unicode {
            let units = [(code >> 16) as u16, code as u16];
            let units = if bytes > 2 { &units[..] } else { &units[1..] };
            return String::from_utf16(units).ok().filter(|text| is_text(text)).map(Rc::from);
        }
        let collected = || match self.collection.as_ref()?.lookup_bf_string(cid)? {
            BfString::Char(c) => Some(c.to_string()),
            BfString::String(text) => Some(text),
        };
        collected().or_else(|| self.by_program(cid)).filter(|text| is_text(text)).map(Rc::from)
    }

    fn by_program(&self, cid: u32) -> Option<String> {
        let program = self.program.as_ref()?;
        let glyph = match (&self.glyphs, &program.by_cid) {
            (Some(map), _) => {
                let at = usize::try_from(cid).ok()?.checked_mul(2)?;
                u32::from(u16::from_be_bytes([*map.get(at)?, *map.get(at + 1)?]))
            }
            (None, Some(by_cid)) => *by_cid.get(&cid)?,
            (None, None) => cid,
        };
        program.characters.get(&glyph).cloned()
    }
}

fn descendant<'a>(dict: &Dict<'a>) -> Option<Dict<'a>> {
    if let Some(array) = dict.get::<Array<'_>>("DescendantFonts") {
        return array.iter::<Dict<'_>>().next();
    }
    dict.get::<Dict<'_>>("DescendantFonts")
}

fn predefined(name: CMapName<'_>) -> Option<CMap> {
    CMap::parse(load_embedded(name)?, load_embedded)
}

fn encoding(dict: &Dict<'_>, name: &[u8], budget: &mut Budget) -> CMap {
    let stream = dict.get::<Stream<'_>>("Encoding").and_then(|stream| decoded(&stream, budget));
    let cmap = match stream {
        Some(data) => CMap::parse(&data, load_embedded),
        None => predefined(CMapName::from_bytes(name)),
    };
    cmap.unwrap_or_else(|| if name.ends_with(b"V") { CMap::identity_v() } else { CMap::identity_h() })
}

/// The collection of a font's CIDs, as the font says, else as its CMap does.
fn family(inner: &Dict<'_>, encoding: &CMap) -> Option<CidFamily> {
    let known = |family: &CidFamily| !matches!(family, CidFamily::AdobeIdentity | CidFamily::Custom { .. });
    let declared = || {
        let info = inner.get::<Dict<'_>>("CIDSystemInfo")?;
        let text = |key: &str| {
            let string =
                info.get::<hayro_syntax::object::String<'_>>(key).map(|text| text.as_bytes().to_vec());
            string.or_else(|| info.get::<Name<'_>>(key).map(|name| name.as_ref().to_vec()))
        };
        Some(CidFamily::from_registry_ordering(&text("Registry")?, &text("Ordering")?))
    };
    let of_cmap =
        encoding.metadata().character_collection.as_ref().map(|collection| collection.family.clone());
    of_cmap.filter(known).or_else(|| declared().filter(known))
}

/// Widths by CID: of an array of lists and ranges, in which `each` numbers stand for a CID, the width first.
fn widths(array: &Array<'_>, each: usize) -> HashMap<u32, f64> {
    let mut widths = HashMap::new();
    let mut held: Vec<f64> = Vec::with_capacity(2 + each);
    for object in array.iter::<Object<'_>>().take(MAX_WIDTHS) {
        match object {
            Object::Array(list) => {
                let Some(first) = held.pop().map(|first| first as u32) else { continue };
                held.clear();
                let list: Vec<f32> = list.iter::<f32>().take(MAX_WIDTHS).collect();
                for (at, numbers) in (0u32..).zip(list.chunks_exact(each)) {
                    widths.extend(numbers.first().map(|width| (first.saturating_add(at), f64::from(*width))));
                }
            }
            Object::Number(number) => {
                held.push(number.as_f64());
                if let [first, last, width, ..] = held[..]
                    && held.len() == 2 + each
                {
                    held.clear();
                    (first as u32..=(last as u32).min(65_535)).for_each(|cid| {
                        widths.insert(cid, width);
                    });
                }
            }
            _ => {}
        }
        if widths.len() > MAX_WIDTHS {
            break;
        }
    }
    widths
}
