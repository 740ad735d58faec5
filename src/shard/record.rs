//! What a shard holds: its grammar, its container, its records as every reader gives them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use webmill_capture::{Capture, Place, RecordType, RefersTo, Response, Truncation};

use super::Revisit;
use super::warc_frame::Flaws;

/// Bytes in which a record of a WAT file shows.
const WAT_BYTES: usize = 64 << 10;

webmill_capture::words! {
    /// The grammar of a shard.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Format {
        /// RAW DB 1.0.
        RawDb = "RAW DB",
        /// WARC 1.0 or 1.1.
        Warc = "WARC",
        /// ARC 1.x.
        Arc = "ARC",
    }
}

/// How the file around the records is compressed. (RAW DB also compresses single records; that is the record's affair.)
///
/// Of a file that is compressed as a whole (`gzip crawl.warc`) places are those in the unpacked file, since nothing in it can be
/// reached but from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Container {
    /// Records as they are.
    Plain,
    /// Gzip members, usually one a record.
    Gzip,
    /// Zstandard frames, usually one a record.
    Zstd,
    /// LZ4 frames, usually one a record.
    Lz4,
    /// Gzip around all records.
    WholeGzip,
    /// Zstandard around all records.
    WholeZstd,
    /// LZ4 around all records.
    WholeLz4,
}

impl Container {
    /// Whether the file is compressed as a whole.
    pub fn is_whole(self) -> bool {
        matches!(self, Container::WholeGzip | Container::WholeZstd | Container::WholeLz4)
    }

    /// The same compression around all records.
    pub(super) fn whole(self) -> Container {
        match self {
            Container::Gzip => Container::WholeGzip,
            Container::Zstd => Container::WholeZstd,
            Container::Lz4 => Container::WholeLz4,
            other => other,
        }
    }
}

/// One stored record, borrowed from its reader until the next one is asked for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The grammar it was stored in.
    pub format: Format,
    /// What it holds.
    pub kind: RecordType,
    /// Head bytes as stored, without the blank line that ends them.
    pub head: &'a [u8],
    /// The URL it is about, as stored; empty where the record has none.
    pub url: Cow<'a, str>,
    /// The URL first asked for, where the record says so.
    pub origin: Option<Cow<'a, str>>,
    /// When it was fetched: UTC, ms since 1970.
    pub date_ms: Option<i64>,
    /// The server's address.
    pub ip: Option<Cow<'a, str>>,
    /// The content type that the record itself declares for its block, as written; RAW DB has none.
    pub content_type: Option<Cow<'a, str>>,
    /// The block with every compression by file or record removed, at most `max_record_bytes` of it.
    pub data: Cow<'a, [u8]>,
    /// Byte count of the whole block, also where `data` holds less.
    pub full_length: u64,
    /// Why `data` is less than what the server sent, if it is.
    pub truncated: Option<Truncation>,
    /// Stored record or gzip member: file, offset, length.
    pub place: Place,
    /// For records found by search after damage: did three records in a row prove the place?
    pub proven: Option<bool>,
    /// RAW DB: the data as stored, still compressed; `None` where it was not read whole.
    pub stored: Option<&'a [u8]>,
    /// The record's own identifier (`WARC-Record-ID`).
    pub id: Option<Cow<'a, str>>,
    /// The digest that the record declares for its block, as written (`sha1:…`).
    pub block_digest: Option<Cow<'a, str>>,
    /// The digest that the record declares for its payload, as written.
    pub payload_digest: Option<Cow<'a, str>>,
    /// What a revisit refers to; `None` for every other type of record.
    pub revisit: Option<Revisit<'a>>,
    /// What was wrong but survivable (lenient reading), in words.
    pub defects: Vec<Cow<'static, str>>,
}

impl Record<'_> {
    /// Whether reading at its place gives this record: that of a record which shares a compressed member with others before it
    /// is theirs.
    pub fn is_at_its_place(&self) -> bool {
        !self.defects.iter().any(|defect| defect == Flaws::NOT_FIRST_TEXT)
    }

    /// Whether the block is an HTTP answer, head and all. (WARC and ARC also call the answers of other protocols, `dns:`
    /// say, responses.)
    pub fn is_http(&self) -> bool {
        let declared = || match self.content_type.as_deref() {
            None => true,
            Some(t) => {
                self.format == Format::Warc
                    && t.get(..16).is_some_and(|t| t.eq_ignore_ascii_case("application/http"))
            }
        };
        self.kind == RecordType::Response && (self.data.starts_with(b"HTTP/") || declared())
    }

    /// The HTTP answer: of a response record, and of a revisit that keeps the head of its answer (whose body is that
    /// of the record it refers to). `None` for everything else.
    pub fn response(&self) -> Option<Response<'_>> {
        let http = match self.kind {
            RecordType::Response => self.is_http(),
            RecordType::Revisit => self.data.starts_with(b"HTTP/"),
            _ => false,
        };
        http.then(|| Response::parse(&self.data))
    }

    /// The media type declared, lower-case, without parameters: of an HTTP response that of its HTTP head, of every
    /// other record the block's.
    pub fn mime(&self) -> Option<String> {
        if self.is_http() {
            return Response::parse(&self.data).media_type();
        }
        let declared = self.content_type.as_deref()?;
        let essence = declared.split(';').next().unwrap_or(declared).trim().to_ascii_lowercase();
        (!essence.is_empty()).then_some(essence)
    }

    /// The lines of the head, name and value, in order: RAW DB properties, the format's and the user's own, or WARC
    /// fields (a folded field gives its first line). ARC heads have none.
    pub fn properties(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
        let head = if self.format == Format::Arc { &[][..] } else { self.head };
        head.split(|b| *b == b'\n').filter_map(|line| {
            let colon = memchr::memchr(b':', line)?;
            let name = line[..colon].trim_ascii_end();
            let folded = name.first().is_none_or(u8::is_ascii_whitespace);
            (!folded).then(|| {
                (String::from_utf8_lossy(name), String::from_utf8_lossy(line[colon + 1..].trim_ascii()))
            })
        })
    }

    /// The value of the head line `name`, without regard to case; the first where there are several.
    pub fn property(&self, name: &str) -> Option<Cow<'_, str>> {
        self.properties().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The capture that a revisit repeats or a conversion was made of, as far as it says.
    pub fn refers_to(&self) -> RefersTo<'_> {
        let Some(revisit) = &self.revisit else {
            let id = || self.property("WARC-Refers-To").map(bare_id);
            let id = if self.kind == RecordType::Conversion { id() } else { None };
            return RefersTo { id, ..RefersTo::default() };
        };
        RefersTo {
            id: revisit.refers_to_id.as_deref().map(|id| bare_id(Cow::Borrowed(id))),
            url: revisit.refers_to_url.as_deref().map(Cow::Borrowed),
            date_ms: revisit.refers_to_date_ms,
            digest: self
                .payload_digest
                .as_deref()
                .map(|digest| Cow::Borrowed(webmill_capture::digest::bare(digest))),
        }
    }

    /// Whether it is one of a WAT file: what a WARC record says in its heads, as JSON.
    pub fn is_wat(&self) -> bool {
        let head = &self.data[..self.data.len().min(WAT_BYTES)];
        self.kind == RecordType::Metadata
            && self.mime().as_deref() == Some("application/json")
            && memchr::memmem::find(head, b"\"Envelope\"").is_some()
    }

    /// What was fetched, for response and resource records; `None` for the others.
    pub fn to_capture(&self) -> Option<Capture<'_>> {
        self.to_mention().filter(Capture::is_answer)
    }

    /// What any record tells of a URL: answers, and revisits with the head that they keep, conversions, requests and metadata
    /// with their block as body. `None` for records about shards, and for those of no known type.
    pub fn to_mention(&self) -> Option<Capture<'_>> {
        let response = match self.kind {
            RecordType::Response if self.is_http() => Response::parse(&self.data),
            RecordType::Revisit if self.data.starts_with(b"HTTP/") => Response::parse(&self.data),
            RecordType::Revisit
            | RecordType::Response
            | RecordType::Resource
            | RecordType::Conversion
            | RecordType::Request
            | RecordType::Metadata => Response::without_head(&self.data, self.content_type.as_deref()),
            RecordType::Warcinfo | RecordType::FileDesc | RecordType::Continuation | RecordType::Unknown => {
                return None;
            }
        };
        // What browser-based crawlers call the text of a page; it counts as WET's do, not as a page of its own.
        let (url, record_type) = match self.url.strip_prefix("urn:text:") {
            Some(page) if self.kind == RecordType::Resource => (page, RecordType::Conversion),
            _ => (&*self.url, self.kind),
        };
        Some(Capture {
            url: Cow::Borrowed(url),
            origin: self.origin.as_deref().map(Cow::Borrowed),
            date_ms: self.date_ms,
            ip: self.ip.as_deref().map(Cow::Borrowed),
            response,
            record_type,
            record_id: self.id.as_deref().map(|id| bare_id(Cow::Borrowed(id))),
            refers_to: self.refers_to(),
            place: self.place.clone(),
            truncated: self.truncated,
        })
    }
}

/// An identifier without the brackets that a head has around it.
fn bare_id(id: Cow<'_, str>) -> Cow<'_, str> {
    let bare = id.trim().trim_start_matches('<').trim_end_matches('>');
    if bare.len() == id.len() { id } else { Cow::Owned(bare.to_owned()) }
}
