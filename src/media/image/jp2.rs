//! JPEG 2000 and layers of Photoshop: sizes.
//!
//! **Definition.** A code stream of JPEG 2000 begins with FF 4F FF 51 and says where the picture ends and begins; it stands alone,
//! or in boxes as MP4 has them, of which `ihdr` says the size. A file of Photoshop has a fixed header.
//!
//! **Reference.** ITU-T T.800, A.5.1 and I.5.3.1; Adobe Photoshop File Formats Specification, 2019.

use crate::Window;
use crate::boxes::Atom;
use crate::bytes::be32;
use crate::facts::MediaFacts;

pub(crate) fn read(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    if head.starts_with(&[0xFF, 0x4F, 0xFF, 0x51]) {
        let side = |end, begin| be32(head, end)?.checked_sub(be32(head, begin)?);
        facts.size(side(8, 16)?, side(12, 20)?);
        return facts.width.map(drop);
    }
    let header = Atom::all(window).path(&[b"jp2h", b"ihdr"])?.data();
    facts.size(be32(header, 4)?, be32(header, 0)?);
    facts.width.map(drop)
}

/// Reads a file of Photoshop.
pub(crate) fn read_psd(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    facts.size(be32(window.head(), 18)?, be32(window.head(), 14)?);
    facts.width.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::tests::atom;
    use crate::{Format, MediaOptions};

    #[test]
    fn sizes_of_three_headers() {
        let b32 = |values: &[u32]| values.iter().flat_map(|value| value.to_be_bytes()).collect::<Vec<u8>>();
        let stream = [vec![0xFF, 0x4F, 0xFF, 0x51, 0, 41, 0, 0], b32(&[330, 210, 10, 10])].concat();
        let header = atom(b"jp2h", &atom(b"ihdr", &b32(&[200, 320, 0])));
        let boxed = [b"\0\0\0\x0CjP  \r\n\x87\n".to_vec(), atom(b"ftyp", b"jp2 \0\0\0\0"), header].concat();
        let psd = [b"8BPS\0\x01\0\0\0\0\0\0\0\x03".to_vec(), b32(&[200, 320])].concat();
        for (body, format) in [(stream, Format::Jp2), (boxed, Format::Jp2), (psd, Format::Psd)] {
            let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
            assert_eq!((facts.format, facts.width, facts.height), (format, Some(320), Some(200)));
        }
    }
}
