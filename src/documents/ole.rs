//! Compound files, [MS-CFB], and the property sets in them, [MS-OLEPS]: what Word, PowerPoint and Excel wrote until 2003.
//!
//! **Cost.** A stream is read up to the bytes of the limits; entries of a property set up to 1,000.
//!
//! **Bad input.** A file that is none is `damaged`; streams and properties that cannot be read are as if they were not there.

mod compound;

use crate::builder::one_line;
use crate::code_pages::CodePage;
pub(crate) use crate::ole::compound::Container;
use crate::{Document, Failure};
use webmill_html::About;

/// Properties of a set that are looked at.
const MAX_PROPERTIES: u32 = 1_000;
/// Bytes of a text among them.
const MAX_PROPERTY: usize = 4096;

impl Container<'_> {
    /// Why a file without the stream of its kind is not read: Office wraps compound files around what it encrypts.
    pub(crate) fn without(&self, what: &str) -> Failure {
        match self.has("EncryptedPackage") {
            true => Failure::new("encrypted", "an encrypted package"),
            false => Failure::new("damaged", what),
        }
    }

    /// Facts of the property sets.
    pub(crate) fn facts(&mut self) -> Facts {
        let mut facts = Facts::default();
        if let Some(set) = self.stream("\u{5}SummaryInformation") {
            facts.read(&set);
        }
        facts
    }
}

/// What the summary of a document says; the title is for the one who knows the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub about: About,
    pub pages: Option<u32>,
}

impl Facts {
    /// Gives a document all but the title.
    pub(crate) fn give(&self, document: &mut Document) {
        document.about = About { title: None, ..self.about.clone() };
        document.pages = document.pages.or(self.pages);
    }

    /// Reads the first section of a property set.
    fn read(&mut self, set: &[u8]) {
        let Some(section) = u32_at(set, 44).and_then(|at| set.get(at as usize..)) else { return };
        let count = u32_at(section, 4).unwrap_or(0).min(MAX_PROPERTIES) as usize;
        let entries = || {
            (0..count).filter_map(|at| Some((u32_at(section, 8 + at * 8)?, u32_at(section, 12 + at * 8)?)))
        };
        let value = |at: u32| section.get(at as usize..).unwrap_or_default();
        let page = entries().find(|&(id, _)| id == 1).and_then(|(_, at)| u16_at(value(at), 4));
        let page = page.and_then(|page| CodePage::of_number(page.into())).unwrap_or(CodePage::WESTERN);
        for (id, at) in entries() {
            let value = value(at);
            match id {
                2 => self.about.title = text_of(value, page),
                4 => self.about.author = text_of(value, page),
                12 => self.about.published = time_of(value),
                13 => self.about.modified = time_of(value),
                14 => self.pages = u32_at(value, 4).filter(|&pages| (1..1_000_000).contains(&pages)),
                _ => {}
            }
        }
    }
}

/// Two bytes at a place, the lower one first.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

/// Four bytes at a place, the lowest first.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

/// Units of UTF-16 as text, without anything that is no pair.
pub(crate) fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).filter_map(Result::ok).collect()
}

/// A text of a property set: type, length, bytes.
fn text_of(value: &[u8], page: CodePage) -> Option<String> {
    let (kind, length) = (u32_at(value, 0)?, u32_at(value, 4)? as usize);
    let bytes = value.get(8..)?;
    let text = match kind {
        31 => utf16(bytes.get(..length.saturating_mul(2).min(bytes.len()).min(MAX_PROPERTY))?),
        30 => page.decode(bytes.get(..length.min(bytes.len()).min(MAX_PROPERTY))?),
        _ => return None,
    };
    let text = one_line(text.split('\0').next()?);
    (!text.is_empty()).then_some(text)
}

/// A time of a property set: 100 ns since 1601, in UTC.
fn time_of(value: &[u8]) -> Option<String> {
    let ticks = u64::from(u32_at(value, 8)?) << 32 | u64::from(u32_at(value, 4)?);
    let seconds = ticks / 10_000_000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Nobody wrote documents before; programs write 1601 for "never".
    if u32_at(value, 0) != Some(64) || !(100_000..300_000).contains(&days) {
        return None;
    }
    // From the first of January 1601 to that of 1970 it is 134,774 days.
    let (year, month, day) = webmill_capture::calendar::civil_of_days(days as i64 - 134_774);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    ))
}

/// Files for tests of what stands in them.
#[cfg(test)]
pub(crate) mod testing {
    use std::io::{Cursor, Write};

    /// A compound file of these streams.
    pub(crate) fn container(streams: &[(&str, &[u8])]) -> Vec<u8> {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        for (name, bytes) in streams {
            file.create_stream(name).unwrap().write_all(bytes).unwrap();
        }
        file.into_inner().into_inner()
    }

    /// A property set of these properties: number, type, value.
    pub(crate) fn property_set(properties: &[(u32, u32, &[u8])]) -> Vec<u8> {
        let mut set = vec![0xFE, 0xFF];
        set.resize(44, 0);
        set.extend(48_u32.to_le_bytes());
        let mut entries = Vec::new();
        let mut values = Vec::new();
        for (id, kind, value) in properties {
            entries.extend(id.to_le_bytes());
            entries.extend((8 + properties.len() as u32 * 8 + values.len() as u32).to_le_bytes());
            values.extend(kind.to_le_bytes());
            if matches!(kind, 30 | 31) {
                values.extend((value.len() as u32).to_le_bytes());
            }
            values.extend_from_slice(value);
        }
        set.extend(0_u32.to_le_bytes());
        set.extend((properties.len() as u32).to_le_bytes());
        set.extend(entries);
        set.extend(values);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn property_sets_are_facts() {
        // 2004-05-03T10:05:00Z
        let time = (127_280_523_000_000_000_u64).to_le_bytes();
        let set = testing::property_set(&[
            (1, 2, &936_u32.to_le_bytes()),
            (2, 30, b"\xba\xfe\xb2\xb4\0"),
            (4, 31, b"A\0.\0 \0D\0\0\0"),
            (12, 64, &time),
            (13, 64, &[0; 8]),
            (14, 3, &7_u32.to_le_bytes()),
        ]);
        let bytes = testing::container(&[("\u{5}SummaryInformation", &set)]);
        let facts = Container::open(&bytes, &Limits::default()).unwrap().facts();
        assert_eq!(facts.about.title.as_deref(), Some("湖泊"));
        assert_eq!(facts.about.author.as_deref(), Some("A. D"));
        assert_eq!(facts.about.published.as_deref(), Some("2004-05-03T10:05:00Z"));
        assert_eq!((facts.about.modified, facts.pages), (None, Some(7)));
    }

    #[test]
    fn damaged_sets_say_nothing() {
        for set in [&b""[..], &[0xFF; 47], &[0xFF; 400], &[0; 400]] {
            let mut facts = Facts::default();
            facts.read(set);
            assert_eq!(facts, Facts::default());
        }
    }
}
