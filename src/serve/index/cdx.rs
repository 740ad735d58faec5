//! Lines of capture indexes: CDX by a header of letters, and CDXJ.
//!
//! | form | a line |
//! |---|---|
//! | [`Form::Cdx11`] | fields in the order of the header ` CDX N b a m s k r M S V g` |
//! | [`Form::Cdx9`] | ` CDX N b a m s k r V g` |
//! | [`Form::Cdxj`] | `key timestamp {"url": …, "mime": …, "status": …, "digest": …, "length": …, "offset": …, "filename": …}`, all values texts |
//!
//! An unknown value is `-` in CDX and left out of CDXJ. CDX is read by the header that the file has, whatever its letters
//! and their order; without one, lines of 9, 10 and 11 fields are those of the usual headers. A line without a key gets
//! one from its URL.
//!
//! | letter | field | letter | field |
//! |---|---|---|---|
//! | `N`, `A` | key | `M` | robots flags |
//! | `b` | timestamp | `S`, `n` | length of the stored record |
//! | `a` | URL | `V`, `v`, `D` | offset (the compressed one first) |
//! | `m` | media type | `g` | file name |
//! | `s` | status | `e` | address of the server (`ip`) |
//! | `k`, `c` | digest (the newer one first) | others | passed over |
//! | `r`, `R` | redirect | | |
//!
//! Bytes that are no UTF-8 are percent-encoded one by one. A length is that of the record as stored (of its gzip member
//! where it has one). `-1` and other numbers that cannot be are not known.
//!
//! Errors: a line with too few fields, without a timestamp of 4 to 14 digits, or with a JSON part that is no object is a
//! [`Fault`]. Reference: Internet Archive, "CDX and DAT legend" (2003) and "CDX file format" (2006); the CDXJ of pywb and
//! of the largest public index.

mod read;
mod write;

use std::borrow::Cow;

pub use read::{MAX_LINE, Reader, parse, percent_encoded};
pub use write::{HEADER_9, HEADER_11, write_line};

/// How an entry is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// Key, timestamp and a JSON object.
    Cdxj,
    /// Nine fields.
    Cdx9,
    /// Eleven fields.
    Cdx11,
}

impl Form {
    /// The first line of a file in this form, if it has one.
    pub const fn header(self) -> Option<&'static str> {
        match self {
            Form::Cdxj => None,
            Form::Cdx9 => Some(HEADER_9),
            Form::Cdx11 => Some(HEADER_11),
        }
    }
}

/// How the lines of a file are to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// Key, timestamp and a JSON object.
    Cdxj,
    /// Fields in an order of letters, separated by one byte, almost always a blank.
    Fields {
        /// One letter a field.
        letters: Vec<u8>,
        /// What stands between fields.
        separator: u8,
    },
}

impl Layout {
    /// Of a header line (` CDX N b a …`, whose first byte is the separator).
    pub fn of_header(line: &[u8]) -> Option<Layout> {
        let line = line.trim_ascii_end();
        let separator = *line.first().filter(|b| !b.is_ascii_alphanumeric())?;
        let mut words = line[1..].split(|b| *b == separator);
        if words.next()? != b"CDX" {
            return None;
        }
        let letters: Option<Vec<u8>> =
            words.map(|w| if let [letter] = w { Some(*letter) } else { None }).collect();
        Some(Layout::Fields { letters: letters.filter(|l| !l.is_empty() && l.len() <= 64)?, separator })
    }

    /// Whether a line says where its record begins; one that does not is at 0 for [`parse`].
    pub fn has_offset(&self, line: &[u8]) -> bool {
        match self {
            Layout::Cdxj => line.windows(8).any(|part| part == b"\"offset\""),
            Layout::Fields { letters, separator } => {
                letters.iter().zip(line.split(|b| b == separator)).any(|(letter, word)| {
                    matches!(letter, b'V' | b'v' | b'D') && word != b"-" && !word.is_empty()
                })
            }
        }
    }

    /// Of a file without header, by its first line.
    pub fn of_line(line: &[u8]) -> Option<Layout> {
        let mut words = line.trim_ascii_end().split(|b| *b == b' ');
        if words.clone().nth(2)?.first() == Some(&b'{') {
            return Some(Layout::Cdxj);
        }
        let letters: &[u8] = match words.by_ref().count() {
            9 => b"NbamskrVg",
            10 => b"NbamskrMVg",
            11 => b"NbamskrMSVg",
            _ => return None,
        };
        Some(Layout::Fields { letters: letters.to_vec(), separator: b' ' })
    }
}

/// Why a line is not an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(pub Cow<'static, str>);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
