//! Where the objects of a presentation stand, by their numbers.

use std::collections::BTreeMap;

use super::records::{kind, record_at};
use crate::ole::u32_at;

/// Edits that are followed back.
const MAX_EDITS: usize = 10_000;
/// Objects that are kept.
const MAX_OBJECTS: usize = 1_000_000;
/// What `Current User` says of an encrypted presentation.
const ENCRYPTED: u32 = 0xF3D1_C4DF;

/// The directory, of all edits together.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub encrypted: bool,
    /// Number of the document.
    pub document: Option<u32>,
    places: BTreeMap<u32, u32>,
}

impl Directory {
    /// Follows the edits from the last one back.
    pub(super) fn read(stream: &[u8], user: &[u8]) -> Directory {
        let mut directory =
            Directory { encrypted: u32_at(user, 12) == Some(ENCRYPTED), ..Directory::default() };
        let mut next = u32_at(user, 16).filter(|&place| place != 0);
        for _ in 0..MAX_EDITS {
            let Some(place) = next else { break };
            let Some(edit) = record_at(stream, place).filter(|record| record.kind == kind::USER_EDIT) else {
                break;
            };
            directory.encrypted |=
                edit.body.len() >= 32 && u32_at(edit.body, 28).is_some_and(|session| session != 0);
            directory.document = directory.document.or(u32_at(edit.body, 16));
            if let Some(place) = u32_at(edit.body, 12) {
                directory.add(stream, place);
            }
            // Edits stand behind the ones before them.
            next = u32_at(edit.body, 8).filter(|&before| before != 0 && before < place);
        }
        directory
    }

    /// Adds a directory's objects that no later one has named.
    fn add(&mut self, stream: &[u8], place: u32) {
        let Some(record) = record_at(stream, place).filter(|record| record.kind == kind::DIRECTORY) else {
            return;
        };
        let mut at = 0;
        while let Some(head) = u32_at(record.body, at) {
            let (first, count) = (head & 0x000F_FFFF, head >> 20);
            for offset in 0..count {
                at += 4;
                let Some(place) = u32_at(record.body, at) else { return };
                if self.places.len() < MAX_OBJECTS {
                    self.places.entry(first.saturating_add(offset)).or_insert(place);
                }
            }
            at += 4;
        }
    }

    /// Where an object stands.
    pub(super) fn place(&self, number: u32) -> Option<u32> {
        self.places.get(&number).copied()
    }
}
