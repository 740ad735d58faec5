//! A capture as a revisit of another one with the same payload.

use webmill_capture::digest::sha1_base32;
use webmill_capture::{Error, RecordType, Response};
use webmill_shard::{Format, NewRecord, NewWarcRecord, Record, Revisit, RevisitProfile};

/// Properties of RAW DB that the writer sets.
const DEFINED: [&str; 8] =
    ["version", "url", "origin", "date", "ip", "unzip-length", "x-compression", "length"];

/// Fields of a WARC record that its revisit keeps.
const KEPT: [&str; 2] = ["WARC-Warcinfo-ID", "WARC-Concurrent-To"];

/// Why a record cannot be said as a revisit, if so.
pub fn refusal(record: &Record<'_>) -> Option<&'static str> {
    match record.kind {
        RecordType::Response if record.is_http() => {}
        RecordType::Revisit => return Some("a revisit already"),
        _ => return Some("no HTTP"),
    }
    if record.format == Format::Arc {
        return Some("ARC has no revisits");
    }
    if record.truncated.is_some() {
        return Some("cut off");
    }
    if record.date_ms.is_none() {
        return Some("no date");
    }
    // Its head would go on saying that it is a response.
    if record.format == Format::RawDb && record.property("x-warc-head").is_some() {
        return Some("carries a WARC head");
    }
    Response::parse(&record.data).body.is_empty().then_some("no body")
}

/// What a record is a revisit of.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// URL of the capture that holds the content.
    pub url: &'a str,
    /// When that was fetched: milliseconds since 1970.
    pub date_ms: i64,
}

impl Original<'_> {
    fn revisit(&self) -> Revisit<'_> {
        Revisit {
            profile: RevisitProfile::IdenticalPayloadDigest,
            refers_to_url: Some(self.url.into()),
            refers_to_date_ms: Some(self.date_ms),
            refers_to_id: None,
        }
    }

    /// Gives `write` the WARC record that says so of `record`; returns the bytes of the body that it saves.
    ///
    /// # Errors
    /// [`Error::Config`] where it cannot be said; those of `write`.
    pub fn as_warc(
        &self,
        record: &Record<'_>,
        write: impl FnOnce(&NewWarcRecord<'_>) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let (head, body) = parts(record);
        let fields = self.revisit().fields(payload_digest(record).as_deref());
        let own: Vec<(&str, String)> =
            KEPT.iter().filter_map(|name| Some((*name, record.property(name)?.into_owned()))).collect();
        let extra: Vec<(&str, &str)> =
            fields.iter().chain(&own).map(|(name, value)| (*name, value.as_str())).collect();
        let id = record.id.as_deref().map(|id| id.trim_start_matches('<').trim_end_matches('>'));
        write(&NewWarcRecord {
            kind: RecordType::Revisit,
            url: Some(&record.url),
            date_ms: date(record)?,
            ip: record.ip.as_deref(),
            content_type: None,
            id,
            truncated: None,
            extra: &extra,
            data: head,
        })?;
        Ok(body)
    }

    /// The same for RAW DB.
    ///
    /// # Errors
    /// Likewise.
    pub fn as_raw(
        &self,
        record: &Record<'_>,
        write: impl FnOnce(&NewRecord<'_>) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let (head, body) = parts(record);
        let fields = self.revisit().properties(payload_digest(record).as_deref());
        let own: Vec<(String, String)> = record
            .properties()
            .filter(|(name, _)| !DEFINED.contains(&&**name))
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        let own = own.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let extra: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (*name, value.as_str())).chain(own).collect();
        write(&NewRecord {
            url: &record.url,
            origin: record.origin.as_deref(),
            date_ms: date(record)?,
            ip: record.ip.as_deref(),
            extra: &extra,
            data: head,
        })?;
        Ok(body)
    }
}

fn date(record: &Record<'_>) -> Result<i64, Error> {
    record.date_ms.ok_or_else(|| Error::Config("a revisit needs a date".into()))
}

/// Head of the answer, and bytes of its body.
fn parts<'r>(record: &'r Record<'_>) -> (&'r [u8], u64) {
    let body = Response::parse(&record.data).body.len();
    (&record.data[..record.data.len() - body], body as u64)
}

/// The digest that a revisit record names.
fn payload_digest(record: &Record<'_>) -> Option<String> {
    let capture = record.to_capture()?;
    Some(format!("sha1:{}", sha1_base32(&capture.response.payload(usize::MAX).bytes)))
}
