//! Heads of one format carried in records of the other, so that conversion loses nothing: base64 in a field of its own.

use std::borrow::Cow;

use data_encoding::BASE64;

use webmill_capture::Truncation;

use super::warc_frame::Parsed;
use super::warc_head::{self, text};
use super::{RecordType, Revisit, revisit};

/// The RAW DB property that holds a WARC head.
pub(super) const WARC_HEAD: &str = "x-warc-head";
/// The WARC field that holds a RAW DB head.
pub(super) const RAW_HEAD: &str = "X-RawDB-Head";
/// The WARC field of a record whose data was not compressed although its RAW DB head says so.
pub(super) const RAW_PLAIN: &str = "X-RawDB-Plain";

/// The WARC field of a record whose `WARC-Date` is only that of the file it was converted from.
pub(super) const DATE_UNKNOWN: &str = "X-Webmill-Date-Unknown";
/// The WARC field of a `warcinfo` that a conversion put before what it converted.
pub(super) const MADE_HERE: &str = "X-Webmill-Conversion";

/// The RAW DB property of a record whose `date` stands for an unknown one.
pub(super) const RAW_DATE_UNKNOWN: &str = "x-date-unknown";

/// Whether the `date` of a RAW DB head stands for an unknown one.
pub(super) fn is_date_unknown(raw_head: &[u8]) -> bool {
    raw_head
        .split(|b| *b == b'\n')
        .any(|line| line.strip_prefix(RAW_DATE_UNKNOWN.as_bytes()).is_some_and(|rest| rest.starts_with(b":")))
}

/// What a WARC head embedded in a RAW DB head says about the data.
pub(super) struct EmbeddedHead {
    pub kind: RecordType,
    pub content_type: Option<String>,
    pub id: Option<String>,
    pub truncated: Option<Truncation>,
    /// Of a revisit: what it refers to, and the digest of its payload.
    pub revisit: Option<(Revisit<'static>, Option<String>)>,
}

/// Reads the `x-warc-head` of a RAW DB head, if it has one.
pub(super) fn embedded_head(raw_head: &[u8]) -> Option<EmbeddedHead> {
    let head = property(raw_head, WARC_HEAD)?;
    let Parsed::Complete(parsed) = warc_head::parse(&[&head, &b"\r\n"[..]].concat()) else { return None };
    let own = |value| text(&head, value).map(Cow::into_owned);
    Some(EmbeddedHead {
        kind: parsed.kind,
        content_type: own(&parsed.fields.media_type),
        id: own(&parsed.fields.id),
        revisit: (parsed.kind == RecordType::Revisit).then(|| {
            (revisit::of_warc(&head, &parsed.fields).into_owned(), own(&parsed.fields.payload_digest))
        }),
        truncated: own(&parsed.fields.truncated).map(|reason| Truncation::from_warc(&reason)),
    })
}

/// Decodes a base64 property of a RAW DB head.
pub(super) fn property(raw_head: &[u8], name: &str) -> Option<Vec<u8>> {
    let at = memchr::memmem::find(raw_head, format!("\n{name}:").as_bytes())? + name.len() + 2;
    let value = raw_head[at..].split(|b| *b == b'\n').next()?;
    BASE64.decode(value.trim_ascii()).ok()
}
