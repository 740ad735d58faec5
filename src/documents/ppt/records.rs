//! Records: a head of eight bytes and a body, which may be records again.

use crate::ole::{u16_at, u32_at};

/// Types of records.
pub(super) mod kind {
    pub const DOCUMENT: u16 = 0x03E8;
    pub const SLIDE: u16 = 0x03EE;
    pub const SLIDE_ATOM: u16 = 0x03EF;
    pub const NOTES: u16 = 0x03F0;
    pub const SLIDE_PERSIST: u16 = 0x03F3;
    pub const LINKS: u16 = 0x0409;
    pub const PLACEHOLDER: u16 = 0x0BC3;
    pub const OUTLINE_REFERENCE: u16 = 0x0F9E;
    pub const TEXT_HEADER: u16 = 0x0F9F;
    pub const TEXT_CHARS: u16 = 0x0FA0;
    pub const TEXT_STYLE: u16 = 0x0FA1;
    pub const TEXT_BYTES: u16 = 0x0FA8;
    pub const STRING: u16 = 0x0FBA;
    pub const LINK_ATOM: u16 = 0x0FD3;
    pub const LINK: u16 = 0x0FD7;
    pub const SLIDE_NUMBER: u16 = 0x0FD8;
    pub const LINKED_TEXT: u16 = 0x0FDF;
    pub const SLIDE_LIST: u16 = 0x0FF0;
    pub const INTERACTION: u16 = 0x0FF2;
    pub const INTERACTION_ATOM: u16 = 0x0FF3;
    pub const USER_EDIT: u16 = 0x0FF5;
    pub const DATE: u16 = 0x0FF7;
    pub const GENERIC_DATE: u16 = 0x0FF8;
    pub const HEADER: u16 = 0x0FF9;
    pub const FOOTER: u16 = 0x0FFA;
    pub const RTF_DATE: u16 = 0x1015;
    pub const DIRECTORY: u16 = 0x1772;
    pub const GROUP: u16 = 0xF003;
    pub const SHAPE: u16 = 0xF004;
    pub const TEXT_BOX: u16 = 0xF00D;
    pub const CHILD_ANCHOR: u16 = 0xF00F;
    pub const CLIENT_ANCHOR: u16 = 0xF010;
    pub const CLIENT_DATA: u16 = 0xF011;
    pub const TABLE_PROPERTIES: u16 = 0xF122;
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub kind: u16,
    pub instance: u16,
    /// Whether its body is records.
    pub holds: bool,
    pub body: &'a [u8],
}

/// Records one after the other. One that is longer than what holds it ends with that.
#[derive(Debug, Clone)]
pub(super) struct Records<'a>(pub &'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (version, kind, length) = (u16_at(self.0, 0)?, u16_at(self.0, 2)?, u32_at(self.0, 4)?);
        let rest = self.0.get(8..)?;
        let (body, rest) = rest.split_at((length as usize).min(rest.len()));
        self.0 = rest;
        Some(Record { kind, instance: version >> 4, holds: version & 0xF == 0xF, body })
    }
}

/// The record at a place of a stream.
pub(super) fn record_at(stream: &[u8], place: u32) -> Option<Record<'_>> {
    Records(stream.get(place as usize..)?).next()
}

/// The first record of a kind among those of a body.
pub(super) fn child(body: &[u8], kind: u16) -> Option<Record<'_>> {
    Records(body).find(|record| record.kind == kind)
}
