//! HEIC and AVIF: size and turning of the main picture, EXIF, pictures of sequences.
//!
//! **Definition.** The main item (`pitm`) has properties (`ipma` → `ipco`): its size as stored (`ispe`) and how it is turned
//! (`irot`, counter-clockwise), which is given as an orientation. Where the main item is not told, the largest size counts.
//!
//! **Reference.** ISO/IEC 23008-12, 6.5 and 9.3; ISO/IEC 14496-12, 8.11.

use crate::Window;
use crate::boxes::Atom;
use crate::bytes::{be16, be32, be64, byte, from};
use crate::facts::{MediaFacts, MediaOptions};
use crate::image::exif;
use crate::video::mp4;

/// Items that are looked at.
const MAX_ITEMS: u32 = 4096;

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let file = Atom::all(window);
    let meta = file.child(b"meta");
    let parts: Vec<Atom<'_>> = meta.map(|meta| meta.boxes(4).collect()).unwrap_or_default();
    let part = |kind: &[u8; 4]| parts.iter().find(|atom| &atom.kind == kind);
    if let Some(properties) = part(b"iprp") {
        let main = part(b"pitm").and_then(|atom| item_id(atom.data(), 4, 0));
        take_properties(properties, main, facts);
    }
    let block = || exif_block(window, part(b"iinf")?, part(b"iloc")?);
    if let Some(block) = block() {
        let turned = facts.orientation;
        exif::read(block, options, facts);
        // The turning of the container counts, and the note's is none of it.
        facts.orientation = turned;
    }
    if let Some(movie) = file.child(b"moov") {
        let mut moving = MediaFacts::new(facts.format);
        mp4::take_movie(&movie, &mut moving);
        facts.size(moving.width.unwrap_or(0), moving.height.unwrap_or(0));
        (facts.frames, facts.duration_ms) = (moving.frames, moving.duration_ms);
        moving.codecs.into_iter().for_each(|codec| facts.codec(codec));
    }
    facts.width.map(drop)
}

/// A number of 16 bits before a version, of 32 since.
fn item_id(data: &[u8], at: usize, last_short: u8) -> Option<u32> {
    if byte(data, 0)? <= last_short { be16(data, at).map(u32::from) } else { be32(data, at) }
}

fn take_properties(properties: &Atom<'_>, main: Option<u32>, facts: &mut MediaFacts) {
    let all: Vec<Atom<'_>> =
        properties.child(b"ipco").map(|atom| atom.boxes(0).collect()).unwrap_or_default();
    let chain = properties.child(b"ipma").map(|atom| atom.data()).unwrap_or_default();
    let of_main = main.and_then(|main| associations(chain, main)).unwrap_or_default();
    let mut own = of_main.iter().filter_map(|index| all.get(index.checked_sub(1)?));
    let size = |atom: &Atom<'_>| {
        Some((be32(atom.data(), 4)?, be32(atom.data(), 8)?)).filter(|_| &atom.kind == b"ispe")
    };
    let largest =
        || all.iter().filter_map(size).max_by_key(|(width, height)| u64::from(*width) * u64::from(*height));
    let (width, height) = own.clone().find_map(size).or_else(largest).unwrap_or_default();
    facts.size(width, height);
    let turned = own.find(|atom| &atom.kind == b"irot").and_then(|atom| byte(atom.data(), 0));
    facts.orientation = turned.and_then(|turned| [1, 8, 3, 6].get(usize::from(turned & 3)).copied());
}

/// Numbers of the properties of an item, from 1.
fn associations(data: &[u8], item: u32) -> Option<Vec<usize>> {
    let (long_ids, long_numbers) = (byte(data, 0)? > 0, byte(data, 3)? & 1 == 1);
    let mut rest = from(data, 8);
    for _ in 0..be32(data, 4)?.min(MAX_ITEMS) {
        let id = item_id(data.get(..1)?, 0, 0)
            .map_or_else(|| if long_ids { be32(rest, 0) } else { be16(rest, 0).map(u32::from) }, Some)?;
        rest = from(rest, if long_ids { 4 } else { 2 });
        let count = usize::from(byte(rest, 0)?);
        rest = from(rest, 1);
        if id == item {
            // The highest bit says that readers must know the property.
            let number = |index| {
                if long_numbers {
                    be16(rest, 2 * index).map(|n| usize::from(n & 0x7FFF))
                } else {
                    byte(rest, index).map(|n| usize::from(n & 0x7F))
                }
            };
            return Some((0..count).map_while(number).collect());
        }
        rest = from(rest, if long_numbers { 2 * count } else { count });
    }
    None
}

/// The EXIF block, behind the four bytes that say how much stands before it.
fn exif_block<'a>(window: &Window<'a>, items: &Atom<'a>, places: &Atom<'a>) -> Option<&'a [u8]> {
    let counted = if byte(items.data(), 0)? == 0 { 6 } else { 8 };
    let id = items.boxes(counted).find_map(|entry| {
        let data = entry.data();
        let kind_at = if byte(data, 0)? < 3 { 8 } else { 10 };
        (data.get(kind_at..kind_at + 4)? == b"Exif").then(|| item_id(data, 4, 2))?
    })?;
    let (offset, length) = place(places.data(), id)?;
    let block = window.part(offset, length);
    let before = be32(block, 0)? as usize;
    let block = from(block, before.checked_add(4)?);
    (!block.is_empty()).then_some(block)
}

/// Where the first part of an item lies in the file.
fn place(data: &[u8], item: u32) -> Option<(u64, u64)> {
    let version = byte(data, 0)?;
    let (sizes, more) = (byte(data, 4)?, byte(data, 5)?);
    let [offset_size, length_size, base_size] = [sizes >> 4, sizes & 15, more >> 4].map(usize::from);
    let index_size = if version == 0 { 0 } else { usize::from(more & 15) };
    let count = if version < 2 { be16(data, 6)?.into() } else { be32(data, 6)? };
    let mut at = if version < 2 { 8 } else { 10 };
    for _ in 0..count.min(MAX_ITEMS) {
        let id = if version < 2 { be16(data, at)?.into() } else { be32(data, at)? };
        at += if version < 2 { 2 } else { 4 };
        let method = if version == 0 { 0 } else { be16(data, at)? & 15 };
        at += if version == 0 { 2 } else { 4 };
        let base = number(data, at, base_size)?;
        let extents = usize::from(be16(data, at + base_size)?);
        at += base_size + 2;
        if id == item && method == 0 && extents > 0 {
            let offset = number(data, at + index_size, offset_size)?;
            return Some((
                base.checked_add(offset)?,
                number(data, at + index_size + offset_size, length_size)?,
            ));
        }
        at += extents * (index_size + offset_size + length_size);
    }
    None
}

/// A number of 0, 4 or 8 bytes.
fn number(data: &[u8], at: usize, size: usize) -> Option<u64> {
    match size {
        0 => Some(0),
        4 => be32(data, at).map(u64::from),
        8 => be64(data, at),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::tests::atom;
    use crate::image::tiff::tests::{directory, tiff};
    use crate::{Format, MediaKind};

    fn picture(brand: &[u8; 4]) -> Vec<u8> {
        let ispe = |width: u32, height: u32| {
            atom(b"ispe", &[&[0; 4][..], &width.to_be_bytes(), &height.to_be_bytes()].concat())
        };
        let ipco = atom(b"ipco", &[ispe(512, 512), ispe(4032, 3024), atom(b"irot", &[3])].concat());
        // Item 1 is a tile, item 2 the picture.
        let ipma = atom(b"ipma", &[0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1, 0x81, 0, 2, 2, 0x82, 3]);
        let infe = atom(b"infe", &[&[2, 0, 0, 0, 0, 3, 0, 0][..], b"Exif\0"].concat());
        let iinf = atom(b"iinf", &[&[0, 0, 0, 0, 0, 1][..], &infe].concat());
        let block = [
            &[0, 0, 0, 6][..],
            b"Exif\0\0",
            &tiff(&directory(8, &[(0x0110, 2, b"iPhone\0".to_vec()), (0x0112, 3, vec![1, 0])], 0)),
        ]
        .concat();
        let iloc = |offset: usize| {
            let place = [
                u32::try_from(offset).unwrap().to_be_bytes(),
                u32::try_from(block.len()).unwrap().to_be_bytes(),
            ]
            .concat();
            atom(b"iloc", &[&[0, 0, 0, 0, 0x44, 0, 0, 1, 0, 3, 0, 0, 0, 1][..], &place].concat())
        };
        let head = |offset| {
            let meta = [
                vec![0; 4],
                atom(b"pitm", &[0, 0, 0, 0, 0, 2]),
                iinf.clone(),
                iloc(offset),
                atom(b"iprp", &[ipco.clone(), ipma.clone()].concat()),
            ]
            .concat();
            [atom(b"ftyp", &[&brand[..], &[0; 4]].concat()), atom(b"meta", &meta)].concat()
        };
        let at = head(0).len() + 8;
        [head(at), atom(b"mdat", &block)].concat()
    }

    #[test]
    fn pictures_of_a_sequence_are_counted() {
        use crate::video::mp4::tests::{movie, pictures_of};
        let body = [atom(b"ftyp", b"avis\0\0\0\0"), movie(&[pictures_of(b"pict", [1, 0, 0, 1])])].concat();
        let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
        assert_eq!((facts.kind, facts.format, facts.frames), (MediaKind::Image, Format::Avif, Some(75)));
        assert_eq!((facts.width, facts.duration_ms), (Some(320), Some(3000)));
    }

    #[test]
    fn the_main_picture_counts_and_not_its_tiles() {
        for (brand, format) in [(b"heic", Format::Heic), (b"avif", Format::Avif)] {
            let facts = crate::facts(&Window::of(&picture(brand)), &MediaOptions::default()).unwrap();
            assert_eq!((facts.kind, facts.format), (MediaKind::Image, format));
            assert_eq!((facts.width, facts.height, facts.orientation), (Some(4032), Some(3024), Some(6)));
            assert_eq!(facts.camera.as_deref(), Some("iPhone"));
        }
    }
}
