//! Boxes of ISO base media files (MP4, QuickTime, HEIF, AVIF).
//!
//! **Definition.** Length 32 bits with these eight bytes, type, data; length 1 puts 64 bits behind the type, 0 means to the end.
//!
//! **Bad input.** A box that reaches beyond the one around it ends with it; at most 4,096 boxes of one are looked at, and no
//! deeper than readers go.
//!
//! **Reference.** ISO/IEC 14496-12, 4.2.

use crate::Window;
use crate::bytes::{be32, be64};

/// Boxes within one that are looked at.
const MAX_BOXES: usize = 4096;

/// A box, whose data may be anywhere in a body.
#[derive(Clone, Copy)]
pub(crate) struct Atom<'a> {
    window: Window<'a>,
    /// Its type.
    pub(crate) kind: [u8; 4],
    /// Where its data begin.
    pub(crate) begin: u64,
    /// Where they end.
    pub(crate) end: u64,
}

impl<'a> Atom<'a> {
    /// All of a body as the data of a box.
    pub(crate) fn all(window: &Window<'a>) -> Self {
        Atom { window: *window, kind: *b"file", begin: 0, end: window.len() }
    }

    /// What is known of its data.
    pub(crate) fn data(&self) -> &'a [u8] {
        self.window.part(self.begin, self.end.saturating_sub(self.begin))
    }

    /// Whether some of its data are not known.
    pub(crate) fn is_cut(&self) -> bool {
        (self.data().len() as u64) < self.end.saturating_sub(self.begin)
    }

    /// The boxes in it, behind so many bytes.
    pub(crate) fn boxes(&self, skipped: u64) -> impl Iterator<Item = Atom<'a>> + use<'a> {
        let (window, end) = (self.window, self.end);
        let mut at = self.begin.saturating_add(skipped);
        let next = move || {
            let head = window.part(at, end.saturating_sub(at));
            let kind = *head.get(4..)?.first_chunk()?;
            let (header, length) = match be32(head, 0)? {
                0 => (8, end - at),
                1 => (16, be64(head, 8)?),
                length => (8, length.into()),
            };
            (length >= header).then_some(())?;
            let ends = at.saturating_add(length).min(end);
            let atom = Atom { window, kind, begin: (at + header).min(ends), end: ends };
            at = ends;
            Some(atom)
        };
        std::iter::from_fn(next).take(MAX_BOXES)
    }

    /// The first box of a type in it.
    pub(crate) fn child(&self, kind: &[u8; 4]) -> Option<Atom<'a>> {
        self.boxes(0).find(|atom| &atom.kind == kind)
    }

    /// The box that a chain of types leads to.
    pub(crate) fn path(&self, kinds: &[&[u8; 4]]) -> Option<Atom<'a>> {
        kinds.iter().try_fold(*self, |atom, kind| atom.child(kind))
    }

    /// The boxes of a `meta` box, which begins with version and flags in MP4 and not in QuickTime.
    pub(crate) fn meta_boxes(&self) -> impl Iterator<Item = Atom<'a>> + use<'a> {
        let plain = self.data().get(4..8) == Some(b"hdlr");
        self.boxes(if plain { 0 } else { 4 })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn atom(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        [&(u32::try_from(data.len()).unwrap() + 8).to_be_bytes()[..], kind, data].concat()
    }

    #[test]
    fn lengths_of_three_kinds() {
        let bytes = [
            atom(b"aaaa", b"1"),
            [&1_u32.to_be_bytes()[..], b"bbbb", &18_u64.to_be_bytes(), b"22"].concat(),
            b"\0\0\0\0cccc333".to_vec(),
        ]
        .concat();
        let window = Window::of(&bytes);
        let found: Vec<([u8; 4], &[u8])> =
            Atom::all(&window).boxes(0).map(|atom| (atom.kind, atom.data())).collect();
        assert_eq!(found, [(*b"aaaa", &b"1"[..]), (*b"bbbb", b"22"), (*b"cccc", b"333")]);
    }

    #[test]
    fn boxes_end_with_the_one_around_them() {
        let bytes = [atom(b"moov", b"\x7F\xFF\xFF\xFFtrakxx"), atom(b"next", b"")].concat();
        let window = Window::of(&bytes);
        let trak = Atom::all(&window).path(&[b"moov", b"trak"]).unwrap();
        assert_eq!((trak.data(), trak.is_cut()), (&b"xx"[..], false));
        assert_eq!(Atom::all(&window).boxes(0).count(), 2);
    }

    #[test]
    fn a_length_less_than_its_header_ends_the_walk() {
        let window = Window::of(b"\0\0\0\x07moovxxxxxxxx");
        assert_eq!(Atom::all(&window).boxes(0).count(), 0);
    }
}
