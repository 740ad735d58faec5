//! Names of fields in each dialect, and their values.

use std::borrow::Cow;

use super::{BadRequest, Dialect, Row};

/// Longest name of a field.
const MAX_NAME: usize = 64;

/// What a name of a field means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// The SURT key of the URL.
    UrlKey,
    /// Fourteen digits.
    Timestamp,
    /// URL as captured.
    Url,
    /// Media type.
    Mime,
    /// HTTP status.
    Status,
    /// Digest of the payload.
    Digest,
    /// Where a redirect leads.
    Redirect,
    /// Robots flags of the page, as in CDX.
    RobotFlags,
    /// Bytes stored.
    Length,
    /// Byte offset.
    Offset,
    /// Shard.
    Filename,
    /// Length of a revisit's original.
    OriginalLength,
    /// Offset of a revisit's original.
    OriginalOffset,
    /// Shard of a revisit's original.
    OriginalFilename,
    /// Number of earlier captures with its key and digest.
    DupeCount,
    /// The whole line (filters alone).
    Line,
    /// A further field of CDXJ by this name.
    Extra,
}

/// A field as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name asked for, which answers repeat.
    pub name: String,
    /// What it means.
    pub kind: FieldKind,
}

impl Field {
    /// Reads a name. The names of all dialects are known in each; Wayback also takes the number of a column.
    ///
    /// # Errors
    /// A name that is empty, too long, or not made of letters, digits, `.`, `_`, `:` and `-`.
    pub fn parse(name: &str, dialect: Dialect) -> Result<Field, BadRequest> {
        let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':');
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(fine) {
            return Err(BadRequest(format!("no field is called {name:?}")));
        }
        use FieldKind as K;
        let column = match dialect {
            Dialect::Wayback => name.parse::<usize>().ok(),
            _ => None,
        };
        let kind = match (name, column) {
            ("urlkey", _) | (_, Some(0)) => K::UrlKey,
            ("timestamp", _) | (_, Some(1)) => K::Timestamp,
            ("url" | "original", _) | (_, Some(2)) => K::Url,
            ("mime" | "mimetype", _) | (_, Some(3)) => K::Mime,
            ("status" | "statuscode", _) | (_, Some(4)) => K::Status,
            ("digest", _) | (_, Some(5)) => K::Digest,
            ("length", _) | (_, Some(6)) => K::Length,
            ("redirect" | "redirecturl", _) => K::Redirect,
            ("robotflags" | "metatags", _) => K::RobotFlags,
            ("offset", _) => K::Offset,
            ("filename" | "file", _) => K::Filename,
            ("orig.length" | "originalLength", _) => K::OriginalLength,
            ("orig.offset" | "originalOffset" | "originalCompressedoffset", _) => K::OriginalOffset,
            ("orig.filename" | "originalFilename", _) => K::OriginalFilename,
            ("dupecount", _) => K::DupeCount,
            _ => K::Extra,
        };
        Ok(Field { name: name.to_owned(), kind })
    }

    /// A field of a fixed list.
    pub fn known(name: &str, kind: FieldKind) -> Field {
        Field { name: name.to_owned(), kind }
    }

    /// Its value in a row; `None` where there is none.
    pub fn value<'r>(&self, row: &'r Row<'_, '_>) -> Option<Cow<'r, str>> {
        use FieldKind as K;
        let entry = row.entry;
        let text = |text: &'r str| (!text.is_empty()).then_some(Cow::Borrowed(text));
        let number = |n: u64| Some(Cow::Owned(n.to_string()));
        match self.kind {
            K::UrlKey => text(&entry.urlkey),
            K::Timestamp => Some(Cow::Owned(entry.timestamp.to_string())),
            K::Url => text(&entry.url),
            K::Mime => text(row.mime()),
            K::Status => entry.status.and_then(|status| number(u64::from(status))),
            K::Digest => text(&entry.digest),
            K::Redirect => text(&entry.redirect),
            K::RobotFlags => text(&entry.robotflags),
            K::Length => entry.length.and_then(number),
            K::Offset => number(entry.offset),
            K::Filename => text(&entry.filename),
            K::OriginalLength => row.original.and_then(|original| original.length).and_then(number),
            K::OriginalOffset => row.original.and_then(|original| number(original.offset)),
            K::OriginalFilename => row.original.and_then(|original| text(&original.filename)),
            K::DupeCount => row.dupes.and_then(number),
            K::Line => Some(Cow::Owned(line(row))),
            K::Extra => entry.extra.iter().find(|(name, _)| *name == self.name).map(|(_, json)| plain(json)),
        }
    }
}

/// A JSON value as filters see it: strings without quotes and escapes, everything else as written.
fn plain(json: &str) -> Cow<'_, str> {
    if !json.starts_with('"') {
        return Cow::Borrowed(json);
    }
    serde_json::from_str::<String>(json).map_or(Cow::Borrowed(json), Cow::Owned)
}

/// The eleven columns of CDX with spaces between them, which a filter without a field looks at.
fn line(row: &Row<'_, '_>) -> String {
    use FieldKind as K;
    let columns = [
        K::UrlKey,
        K::Timestamp,
        K::Url,
        K::Mime,
        K::Status,
        K::Digest,
        K::Redirect,
        K::RobotFlags,
        K::Length,
        K::Offset,
        K::Filename,
    ];
    let mut line = String::new();
    for kind in columns {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(Field { name: String::new(), kind }.value(row).as_deref().unwrap_or("-"));
    }
    line
}
