//! What a revisit record says: that a capture had the content of an earlier one, and which.
//!
//! WARC has a record type for it: `WARC-Profile` says how the sameness was known, `WARC-Payload-Digest` names the
//! content, three fields point at the earlier record. RAW DB has no such type; there the record holds the response head
//! with an empty body and two properties:
//!
//! ```text
//! x-revisit:sha1:MOH7IEN2JAEJOHYXIEPEEGHOHG5VI3ZB             the payload's digest
//! x-refers-to:http://a.example/ 2024-05-03T10:31:00Z          URL and date of the first capture
//! ```
//!
//! Its profile is told by the status: 304 is `server-not-modified`, everything else `identical-payload-digest`.
//!
//! Reference: ISO 28500:2017, 6.7; IIPC, "WARC revisit: recommendations for use of the profile".

use std::borrow::Cow;

use webmill_capture::date::{format_rfc3339, parse_14, parse_w3c};
use webmill_capture::{Response, url_text};

use super::warc_frame::Fields;
use super::warc_head::{text, url};

/// The RAW DB property that makes a record a revisit: the digest of the payload.
pub(super) const REVISIT: &str = "x-revisit";
/// The RAW DB property with URL and date of the capture that a revisit refers to.
pub(super) const REFERS_TO: &str = "x-refers-to";

/// How it was known that the content is that of an earlier capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RevisitProfile {
    /// The payload was fetched and has the same digest.
    IdenticalPayloadDigest,
    /// The server answered that nothing changed (304).
    ServerNotModified,
    /// A profile of somebody's own, or none named.
    Other,
}

impl RevisitProfile {
    /// The profile that a `WARC-Profile` names: by the end of its path, since versions and writers differ before it.
    pub fn from_uri(uri: &str) -> RevisitProfile {
        let uri = uri.trim().trim_end_matches('>').trim_end_matches('/');
        if uri.ends_with("identical-payload-digest") {
            RevisitProfile::IdenticalPayloadDigest
        } else if uri.ends_with("server-not-modified") {
            RevisitProfile::ServerNotModified
        } else {
            RevisitProfile::Other
        }
    }

    /// The URI of WARC 1.1 for it; `None` for [`RevisitProfile::Other`].
    pub fn uri(self) -> Option<&'static str> {
        match self {
            RevisitProfile::IdenticalPayloadDigest => {
                Some("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
            }
            RevisitProfile::ServerNotModified => {
                Some("http://netpreserve.org/warc/1.1/revisit/server-not-modified")
            }
            RevisitProfile::Other => None,
        }
    }
}

/// What a revisit record refers to. The digest of the content is the record's
/// [`payload_digest`](super::Record::payload_digest).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revisit<'a> {
    /// How the sameness was known.
    pub profile: RevisitProfile,
    /// URL of the capture that holds the content (`WARC-Refers-To-Target-URI`).
    pub refers_to_url: Option<Cow<'a, str>>,
    /// Its date: UTC, ms since 1970 (`WARC-Refers-To-Date`).
    pub refers_to_date_ms: Option<i64>,
    /// Its record identifier, as written (`WARC-Refers-To`).
    pub refers_to_id: Option<Cow<'a, str>>,
}

impl Revisit<'_> {
    /// The fields with which a WARC record says this: for [`NewWarcRecord::extra`](super::NewWarcRecord::extra) of a
    /// record of type revisit. `payload_digest` is the original's, as written (`sha1:…`).
    ///
    /// # Examples
    /// ```
    /// use webmill_shard::{NewWarcRecord, RecordType, Revisit, RevisitProfile, WarcOptions, WarcPacker};
    ///
    /// let revisit = Revisit {
    ///     profile: RevisitProfile::IdenticalPayloadDigest,
    ///     refers_to_url: Some("http://a.example/".into()),
    ///     refers_to_date_ms: Some(0),
    ///     refers_to_id: None,
    /// };
    /// let fields = revisit.fields(Some("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"));
    /// let extra: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    /// let record = NewWarcRecord {
    ///     kind: RecordType::Revisit,
    ///     url: Some("http://a.example/"),
    ///     date_ms: 86_400_000,
    ///     extra: &extra,
    ///     data: b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
    ///     ..NewWarcRecord::default()
    /// };
    /// let mut bytes = Vec::new();
    /// WarcPacker::new(&WarcOptions::default(), None)?.pack(&record, &mut bytes)?;
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn fields(&self, payload_digest: Option<&str>) -> Vec<(&'static str, String)> {
        let mut fields = Vec::new();
        let mut put = |name: &'static str, value: Option<String>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                fields.push((name, value));
            }
        };
        put("WARC-Profile", self.profile.uri().map(str::to_owned));
        put("WARC-Payload-Digest", payload_digest.map(str::to_owned));
        put("WARC-Refers-To", self.refers_to_id.as_deref().map(bracketed));
        put("WARC-Refers-To-Target-URI", self.refers_to_url.as_deref().map(str::to_owned));
        put("WARC-Refers-To-Date", self.refers_to_date_ms.map(format_rfc3339));
        fields
    }

    /// The properties with which a RAW DB record says this: for [`NewRecord::extra`](super::NewRecord::extra) of a
    /// record that holds the response head and no body.
    pub fn properties(&self, payload_digest: Option<&str>) -> Vec<(&'static str, String)> {
        let mut properties = vec![(REVISIT, payload_digest.unwrap_or("-").to_owned())];
        let date = self.refers_to_date_ms.map(format_rfc3339);
        match (self.refers_to_url.as_deref(), date) {
            (Some(url), Some(date)) => properties.push((REFERS_TO, format!("{url} {date}"))),
            (Some(url), None) => properties.push((REFERS_TO, url.to_owned())),
            (None, Some(date)) => properties.push((REFERS_TO, format!("- {date}"))),
            (None, None) => {}
        }
        properties
    }

    /// The same without borrowing.
    pub fn into_owned(self) -> Revisit<'static> {
        let own = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Revisit {
            profile: self.profile,
            refers_to_url: own(self.refers_to_url),
            refers_to_date_ms: self.refers_to_date_ms,
            refers_to_id: own(self.refers_to_id),
        }
    }
}

fn bracketed(id: &str) -> String {
    if id.starts_with('<') { id.to_owned() } else { format!("<{id}>") }
}

/// What the head of a WARC record says.
pub(super) fn of_warc<'a>(head: &'a [u8], fields: &Fields) -> Revisit<'a> {
    let profile = text(head, &fields.profile);
    let date = text(head, &fields.refers_date);
    Revisit {
        profile: profile.map_or(RevisitProfile::Other, |uri| RevisitProfile::from_uri(&uri)),
        refers_to_url: Some(url(head, &fields.refers_url)).filter(|url| !url.is_empty()),
        refers_to_date_ms: date.and_then(|date| parse_w3c(&date)),
        refers_to_id: text(head, &fields.refers_id),
    }
}

/// What the properties of a RAW DB head say, and the digest; `None` where the record is no revisit.
pub(super) fn of_raw<'a>(head: &'a [u8], data: &[u8]) -> Option<(Revisit<'a>, Option<Cow<'a, str>>)> {
    let digest = property(head, REVISIT)?;
    let (mut refers_to_url, mut refers_to_date_ms) = (None, None);
    if let Some(refers) = property(head, REFERS_TO) {
        let (place, date) = match refers.iter().rposition(|b| *b == b' ') {
            Some(at) => (refers[..at].trim_ascii(), &refers[at + 1..]),
            None => (refers, &b""[..]),
        };
        let date = String::from_utf8_lossy(date);
        refers_to_date_ms = parse_w3c(&date).or_else(|| parse_14(&date));
        let place = if refers_to_date_ms.is_some() { place } else { refers };
        refers_to_url = (!place.is_empty() && place != b"-").then(|| url_text(place));
    }
    let not_modified = data.starts_with(b"HTTP/") && Response::parse(data).status == Some(304);
    let profile =
        if not_modified { RevisitProfile::ServerNotModified } else { RevisitProfile::IdenticalPayloadDigest };
    let digest = (!digest.is_empty() && digest != b"-").then(|| String::from_utf8_lossy(digest));
    Some((Revisit { profile, refers_to_url, refers_to_date_ms, refers_to_id: None }, digest))
}

fn property<'a>(head: &'a [u8], name: &str) -> Option<&'a [u8]> {
    head.split(|b| *b == b'\n').find_map(|line| {
        let value = line.strip_prefix(name.as_bytes())?.strip_prefix(b":")?;
        Some(value.trim_ascii())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_told_by_the_end_of_their_uri() {
        use RevisitProfile::*;
        for (uri, want) in [
            ("http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", IdenticalPayloadDigest),
            ("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", IdenticalPayloadDigest),
            (
                "http://netpreserve.org/warc/1.0/revisit/uri-agnostic-identical-payload-digest",
                IdenticalPayloadDigest,
            ),
            ("<http://netpreserve.org/warc/1.0/revisit/server-not-modified>", ServerNotModified),
            ("http://netpreserve.org/warc/1.1/revisit/server-not-modified/", ServerNotModified),
            ("http://example.org/own", Other),
            ("", Other),
        ] {
            assert_eq!(RevisitProfile::from_uri(uri), want, "{uri}");
        }
    }

    #[test]
    fn raw_db_properties_say_what_a_revisit_says() {
        let revisit = Revisit {
            profile: RevisitProfile::ServerNotModified,
            refers_to_url: Some("http://a.example/?q=b c".into()),
            refers_to_date_ms: Some(1_714_564_800_000),
            refers_to_id: None,
        };
        let head: String = revisit
            .properties(Some("sha1:ABC"))
            .iter()
            .map(|(name, value)| format!("{name}:{value}\n"))
            .collect();
        let head = format!("version:1.0\nurl:http://a.example/\n{head}length:0\n");
        let (read, digest) = of_raw(head.as_bytes(), b"HTTP/1.1 304 Not Modified\r\n\r\n").unwrap();
        assert_eq!((read, digest.as_deref()), (revisit, Some("sha1:ABC")));
        for (value, url, date) in [
            ("http://a/ 20240501120000", Some("http://a/"), Some(1_714_564_800_000)),
            ("http://a/", Some("http://a/"), None),
            ("http://a/ b", Some("http://a/ b"), None),
            ("- 2024-05-01T12:00:00Z", None, Some(1_714_564_800_000)),
            ("", None, None),
        ] {
            let head = format!("version:1.0\nx-revisit: sha1:A\nx-refers-to: {value}\nlength:0\n");
            let (read, _) = of_raw(head.as_bytes(), b"").unwrap();
            assert_eq!((read.refers_to_url.as_deref(), read.refers_to_date_ms), (url, date), "{value}");
            assert_eq!(read.profile, RevisitProfile::IdenticalPayloadDigest);
        }
        assert!(of_raw(b"version:1.0\nlength:0\n", b"").is_none());
    }
}
