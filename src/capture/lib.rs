//! What was fetched, whatever the format it was stored in.
//!
//! A [`Capture`] is one answer of one server at one time: the URL, the moment, the HTTP message as it came over the wire
//! and where it lies on disk. It borrows from the reader's buffer. The parts with rules of their own:
//!
//! | module | what |
//! |---|---|
//! | [`response`] | the HTTP message: status, headers, media type; broken ones read as browsers read them |
//! | [`chunked`] | transfer decoding |
//! | [`content`] | content decoding (gzip, deflate, br, zstd) in bounded memory |
//! | [`url`] | the canonical form of a URL; [`key`] its 128 bits; [`surt`] its sort order; [`domain`] its registrable domain |
//! | [`date`] | the date formats that archives use; [`calendar`] the days that exist |
//! | [`digest`] | SHA-1 as archives write it |
//! | [`simhash`] | the kernel of SimHash, for crawl and duplicates |
//! | [`timing`] | where the time of a run goes, by parts of the work |
//!
//! The [`error`] of the whole library is here too.
//!
//! # Examples
//!
//! From the bytes that a server sent to what the tables show of them:
//!
//! ```
//! use webmill_capture::{CanonicalUrl, Response, decode_content, digest};
//!
//! let url = CanonicalUrl::parse("HTTP://News.Example.co.uk:80/a/../b?q=%7e#top").expect("a URL");
//! assert_eq!(url.as_str(), "http://news.example.co.uk/b?q=~");
//! assert_eq!(url.surt(), "uk,co,example,news)/b?q=~");
//! assert_eq!(url.registrable_domain(), "example.co.uk");
//!
//! let stored = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: Text/HTML\r\n\r\n3\r\n<p>\r\n0\r\n\r\n";
//! let response = Response::parse(stored);
//! assert_eq!((response.status, response.media_type().as_deref()), (Some(200), Some("text/html")));
//! let payload = response.payload(1 << 20);
//! assert_eq!(digest::sha1_base32(&payload.bytes), digest::sha1_base32(b"<p>"));
//! assert_eq!(&decode_content(&response, &payload.bytes, 1 << 20).bytes[..], b"<p>");
//! ```

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bits;
pub mod calendar;
pub mod chunked;
pub mod content;
pub mod cut;
pub mod date;
pub mod digest;
pub mod domain;
pub mod error;
pub mod escape;
mod host;
mod join;
pub mod key;
pub mod markdown;
mod media;
pub mod memory;
pub mod names;
mod percent;
mod record_type;
pub mod response;
pub mod settings;
pub mod simhash;
pub mod splitmix;
pub mod surt;
pub mod timing;
pub mod url;
pub mod urlkey;
pub mod varint;
mod words;

#[cfg(test)]
mod cases;

use std::borrow::Cow;
use std::sync::Arc;

pub use self::content::{Decoded, decode_content};
pub use self::error::{Error, Result};
pub use self::host::{Host, canonical_host};
pub use self::key::UrlKey;
pub use self::percent::url_text;
pub use self::record_type::RecordType;
pub use self::response::{Defects, Payload, Response};
pub use self::url::CanonicalUrl;

/// One fetched answer, borrowed from the buffer of the reader that found it.
#[derive(Clone, Debug)]
pub struct Capture<'a> {
    /// The URL finally fetched, as stored; bytes that are not UTF-8 are percent-encoded by the reader ([`url_text`]).
    pub url: Cow<'a, str>,
    /// The URL first asked for, where a redirect led elsewhere.
    pub origin: Option<Cow<'a, str>>,
    /// When it was fetched: milliseconds since 1970, UTC. `None` where the date is missing or cannot be read.
    pub date_ms: Option<i64>,
    /// Address of the server, as stored.
    pub ip: Option<Cow<'a, str>>,
    /// The HTTP message.
    pub response: Response<'a>,
    /// The kind of record that it stands in.
    pub record_type: RecordType,
    /// The identifier of that record (`WARC-Record-ID`), without brackets.
    pub record_id: Option<Cow<'a, str>>,
    /// The capture that a revisit repeats or a conversion was made of, as far as it says.
    pub refers_to: RefersTo<'a>,
    /// Where it is stored.
    pub place: Place,
    /// Why bytes are missing, if the crawler or a limit of the reader cut them off.
    pub truncated: Option<Truncation>,
}

impl<'a> Capture<'a> {
    /// A capture of which no more is known than URL and answer.
    pub fn new(url: impl Into<Cow<'a, str>>, response: Response<'a>) -> Self {
        Capture {
            url: url.into(),
            origin: None,
            date_ms: None,
            ip: None,
            response,
            record_type: RecordType::Response,
            record_id: None,
            refers_to: RefersTo::default(),
            place: Place { shard: "".into(), offset: 0, length: 0 },
            truncated: None,
        }
    }

    /// Whether it brings what a server sent: a response or a resource, no revisit and nothing about another record.
    pub fn is_answer(&self) -> bool {
        matches!(self.record_type, RecordType::Response | RecordType::Resource)
    }

    /// Whether it is the text of a page, as whoever wrote the archive took it out (WET files hold such records).
    pub fn is_text_of_page(&self) -> bool {
        self.record_type == RecordType::Conversion
            && self.response.media_type().is_some_and(|declared| declared == "text/plain")
    }

    /// Canonical form of [`Capture::url`]; a URL without scheme (`www.pku.edu/`) is taken as http, as crawlers of
    /// its time stored it. `None` where it is no URL.
    pub fn canonical_url(&self) -> Option<CanonicalUrl> {
        CanonicalUrl::parse_stored(&self.url)
    }

    /// SHA-1, in base32, of the body after transfer decoding and before content decoding: what capture indexes call
    /// the digest of a capture.
    pub fn content_digest(&self) -> String {
        digest::sha1_base32(&self.response.payload(usize::MAX).bytes)
    }
}

/// The capture that a revisit repeats, or that a conversion was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefersTo<'a> {
    /// Its URL, as stored.
    pub url: Option<Cow<'a, str>>,
    /// When it was fetched: milliseconds since 1970, UTC.
    pub date_ms: Option<i64>,
    /// The identifier of its record (`WARC-Refers-To`), without brackets.
    pub id: Option<Cow<'a, str>>,
    /// Digest of its payload as index columns write it: base32 SHA-1, another algorithm with its name and a colon.
    pub digest: Option<Cow<'a, str>>,
}

/// Where a capture is stored: what it takes to read it again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Name of the file, as tables show it.
    pub shard: Arc<str>,
    /// Byte offset of the stored record (of its gzip member, where it has one).
    pub offset: u64,
    /// Bytes of the stored record.
    pub length: u64,
}

crate::words! {
    /// Why the end of a capture is missing.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    // Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
    pub enum Truncation {
        /// The crawler's limit on size.
        Length = "length",
        /// The crawler's limit on time.
        Time = "time",
        /// The connection broke.
        Disconnect = "disconnect",
        /// The archive says so, without a reason that we know.
        Unspecified = "unspecified",
        /// Longer than the record limit of our reader.
        RecordLimit = "record-limit",
        /// The decoded body is longer than the limit of the job.
        BodyLimit = "body-limit",
    }
}

impl Truncation {
    /// Reads the value of a `WARC-Truncated` header: any unknown reason is [`Truncation::Unspecified`].
    pub fn from_warc(value: &str) -> Truncation {
        let value = value.trim();
        [Truncation::Length, Truncation::Time, Truncation::Disconnect]
            .into_iter()
            .find(|t| t.name().eq_ignore_ascii_case(value))
            .unwrap_or(Truncation::Unspecified)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_and_url() {
        let data = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        let capture =
            Capture { url: Cow::Borrowed("www.pku.edu/"), ..Capture::new("", Response::parse(data)) };
        assert_eq!(capture.content_digest(), digest::sha1_base32(b"abc"));
        assert_eq!(capture.canonical_url().expect("valid").as_str(), "http://www.pku.edu/");
    }

    #[test]
    fn truncation_names() {
        for t in [Truncation::Length, Truncation::Time, Truncation::Disconnect, Truncation::Unspecified] {
            assert_eq!(Truncation::from_warc(t.name()), t);
        }
        assert_eq!(Truncation::from_warc(" LENGTH "), Truncation::Length);
        assert_eq!(Truncation::from_warc("long-story"), Truncation::Unspecified);
    }
}
