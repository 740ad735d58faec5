//! What an embedded font program knows of its glyphs: their names, and the characters they stand for.

use std::collections::HashMap;

use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::type1::Type1Font;
use read_fonts::tables::cmap::CmapIterLimits;
use read_fonts::types::{GlyphId, GlyphId16};
use read_fonts::{FontRef, TableProvider};

use super::names::character_of_name;

/// Glyphs that are looked at.
const MAX_GLYPHS: u32 = 65_536;

/// Facts of an embedded font.
#[derive(Debug, Default)]
pub(in crate::pdf) struct Program {
    /// Names by code, of the font's own encoding.
    pub(in crate::pdf) names: HashMap<u32, String>,
    /// Glyphs by code, of a TrueType font's own table for symbols or Macintosh codes.
    pub(in crate::pdf) glyphs: HashMap<u32, u32>,
    /// Characters by glyph.
    pub(in crate::pdf) characters: HashMap<u32, String>,
    /// Glyphs by CID, of a CFF font with CIDs.
    pub(in crate::pdf) by_cid: Option<HashMap<u32, u32>>,
    /// Advances by glyph in thousandths.
    pub(in crate::pdf) advances: HashMap<u32, f64>,
}

impl Program {
    /// Reads a font of any format.
    pub(in crate::pdf) fn read(data: &[u8]) -> Option<Program> {
        if data.starts_with(&[1, 0]) && !data.starts_with(&[0, 1, 0, 0]) {
            return Program::cff(data);
        }
        if data.starts_with(b"%!") || data.starts_with(&[0x80, 1]) {
            return Program::type1(data);
        }
        Program::sfnt(data).or_else(|| Program::cff(data)).or_else(|| Program::type1(data))
    }

    fn type1(data: &[u8]) -> Option<Program> {
        let font = Type1Font::new(data).ok()?;
        let encoding = font.encoding()?;
        let named = (0..=255u8).filter_map(|code| {
            let name = encoding.glyph_name(code).filter(|name| !name.is_empty() && *name != ".notdef")?;
            Some((u32::from(code), name.to_owned()))
        });
        Some(Program { names: named.collect(), ..Program::default() })
    }

    fn cff(data: &[u8]) -> Option<Program> {
        let font = CffFontRef::new_cff(data, 0, None).ok()?;
        let mut program = Program::default();
        let charset = font.charset()?;
        if font.is_cid() {
            let cids = charset.iter().take(MAX_GLYPHS as usize);
            program.by_cid =
                Some(cids.map(|(glyph, cid)| (u32::from(cid.to_u16()), glyph.to_u32())).collect());
            return Some(program);
        }
        let mut names: HashMap<u32, String> = HashMap::new();
        for (glyph, sid) in charset.iter().take(MAX_GLYPHS as usize) {
            let Some(name) = font.string(sid).and_then(|name| std::str::from_utf8(name).ok()) else {
                continue;
            };
            if let Some(text) = character_of_name(name) {
                program.characters.insert(glyph.to_u32(), text);
            }
            names.insert(glyph.to_u32(), name.to_owned());
        }
        if let Some(encoding) = font.encoding() {
            for code in 0..=255u8 {
                if let Some(name) = encoding.map(code).and_then(|glyph| names.get(&glyph.to_u32()))
                    && name != ".notdef"
                {
                    program.names.insert(u32::from(code), name.clone());
                }
            }
        }
        Some(program)
    }

    fn sfnt(data: &[u8]) -> Option<Program> {
        let font = FontRef::new(data).ok()?;
        let mut program = Program::default();
        if let Ok(cff) = font.cff()
            && let Some(inner) = Program::cff(cff.offset_data().as_bytes())
        {
            program = inner;
        }
        program.read_cmap(&font);
        if program.characters.is_empty()
            && let Ok(post) = font.post()
        {
            for glyph in 0..MAX_GLYPHS.min(font.maxp().map_or(0, |maxp| u32::from(maxp.num_glyphs()))) {
                let id = GlyphId16::new(glyph as u16);
                if let Some(text) = post.glyph_name(id).and_then(character_of_name) {
                    program.characters.insert(glyph, text);
                }
            }
        }
        Some(program)
    }

    fn read_cmap(&mut self, font: &FontRef<'_>) {
        let Ok(cmap) = font.cmap() else { return };
        let best = cmap.best_subtable().map(|(_, _, table)| table);
        let mappings =
            best.iter().flat_map(|table| table.iter_with_limits(CmapIterLimits::default_for_font(font)));
        let mapped = mappings.filter(|(_, glyph)| *glyph != GlyphId::NOTDEF);
        for (code, glyph) in mapped.take(MAX_GLYPHS as usize) {
            if let Some(c) = char::from_u32(code).filter(|c| !c.is_control()) {
                let known = self.characters.entry(glyph.to_u32()).or_default();
                // Of several, the first that is no compatibility character.
                if known.is_empty() || !super::tounicode::is_text(known) {
                    *known = c.to_string();
                }
            }
        }
        self.characters.retain(|_, text| super::tounicode::is_text(text));
        for record in cmap.encoding_records() {
            let symbols = (record.platform_id() as u16, record.encoding_id());
            if !matches!(symbols, (3, 0) | (1, _)) {
                continue;
            }
            let Ok(table) = record.subtable(cmap.offset_data()) else { continue };
            for code in 0..=255u32 {
                let found = [0xF000, 0, 0xF100, 0xF200].into_iter().find_map(|page| {
                    table.map_codepoint(page + code).filter(|glyph| *glyph != GlyphId::NOTDEF)
                });
                if let Some(glyph) = found {
                    self.glyphs.entry(code).or_insert(glyph.to_u32());
                }
            }
        }
    }
}
