//! Entries of shards, whatever their format: one pass, one entry a capture.
//!
//! | record | entry |
//! |---|---|
//! | response | yes; of HTTP with status and media type, of other protocols (`dns:`) without |
//! | revisit | yes, `warc/revisit`; with the status of the head that it has, if it has one |
//! | resource | yes, with the media type that it declares |
//! | metadata, conversion, request | on request ([`Indexer::with_records`]) |
//! | warcinfo, continuation, ARC's file description, types without a name | no |
//!
//! A record without URL, and one without a date that can be read, is left out as well. Everything that is left out is counted by
//! reason in [`Counts`], damage too.
//!
//! The digest is, by [`DigestOf`], what the record declares (for records that declare none: of the body as stored, as
//! other tools do), or computed. Lengths and offsets are those of the stored record, of its gzip member where it has one.
//!
//! Where the order of a file pairs requests with their responses, [`Indexer::with_post`] puts what a form, a JSON object
//! or other body of a POST or PUT says into the key, see [`crate::index::post`].
//!
//! Cost: one pass in constant memory, but for one record. Determinism: entries come in the order of the records.

use std::borrow::Cow;
use std::collections::BTreeMap;

use webmill_capture::date::format_14;
use webmill_capture::digest::{bare, sha1_base32};
use webmill_capture::urlkey::url_key;
use webmill_capture::{Error, Response, Result, Truncation};
use webmill_shard::{Format, Record, RecordType, ShardReader};

use crate::index::cdx::percent_encoded;
use crate::index::post::{self, PostRequest};
use crate::index::{Entry, Timestamp};

/// Largest body that is decoded for a digest.
const MAX_PAYLOAD: usize = 1 << 30;

/// What the digest of an entry is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DigestOf {
    /// What the record declares; where it declares none, as [`DigestOf::Stored`].
    #[default]
    Declared,
    /// The body as stored, transfer coding and all: what warcio, pywb and wget compute.
    Stored,
    /// The body after transfer decoding: the payload by the standard.
    Entity,
}

/// What a record says beyond its entry.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Facts<'a> {
    /// What kind of record it is.
    pub kind: RecordType,
    /// When it was captured: UTC, ms since 1970.
    pub date_ms: Option<i64>,
    /// Address of the server.
    pub ip: Option<Cow<'a, str>>,
    /// Why bytes are missing.
    pub truncated: Option<Truncation>,
    /// `charset` of the content type.
    pub charset: Option<Cow<'a, str>>,
    /// Where a redirect leads, as written.
    pub location: Option<Cow<'a, str>>,
    /// `WARC-Identified-Payload-Type`.
    pub identified: Option<Cow<'a, str>>,
}

/// What was read and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records that were read.
    pub records: u64,
    /// Entries that were made.
    pub entries: u64,
    /// Records without an entry, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Damaged records or places.
    pub damaged: u64,
    /// Bytes that are lost by damage, as far as that is known.
    pub lost_bytes: u64,
}

impl Counts {
    /// Adds others.
    pub fn add(&mut self, other: &Counts) {
        self.records += other.records;
        self.entries += other.entries;
        self.damaged += other.damaged;
        self.lost_bytes += other.lost_bytes;
        for (reason, n) in &other.left_out {
            *self.left_out.entry(reason).or_default() += n;
        }
    }

    /// The greater of the share of records and the share of bytes (of `bytes` read) that are lost by damage.
    pub fn bad_share(&self, bytes: u64) -> f64 {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        share(self.damaged, self.records + self.damaged).max(share(self.lost_bytes, bytes))
    }

    fn leave_out(&mut self, reason: &'static str) {
        *self.left_out.entry(reason).or_default() += 1;
    }
}

/// What an entry and the facts about its record are handed to.
pub type Visit<'v> = &'v mut dyn FnMut(&Entry<'_>, &Facts<'_>) -> Result<()>;
/// What an error of a damaged record is handed to.
pub type OnDamage<'v> = &'v mut dyn FnMut(Error);

/// Makes entries of shards.
///
/// # Examples
/// ```
/// use webmill_serve::index::Indexer;
/// use webmill_shard::{ReadOptions, ShardReader};
///
/// let shard = b"version:1.0\nurl:http://a.example/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nlength:2\n\nhi\n";
/// let mut reader = ShardReader::from_reader(Box::new(&shard[..]), "a.raw", &ReadOptions::default())?;
/// let mut keys = Vec::new();
/// let counts = Indexer::new().index(
///     &mut reader,
///     &mut |entry, _| {
///         keys.push(format!("{} {}", entry.urlkey, entry.timestamp));
///         Ok(())
///     },
///     &mut |_| {},
/// )?;
/// assert_eq!((keys, counts.entries), (vec!["example,a)/ 20030415081306".to_owned()], 1));
/// # Ok::<(), webmill_capture::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Indexer {
    digest: DigestOf,
    post: bool,
    more: Vec<RecordType>,
}

impl Indexer {
    /// Responses, revisits and resources, with the digests that they declare.
    pub fn new() -> Self {
        Self::default()
    }

    /// With digests of this kind.
    pub fn with_digest(mut self, digest: DigestOf) -> Self {
        self.digest = digest;
        self
    }

    /// With what POST and PUT requests say in the keys of their responses.
    pub fn with_post(mut self, post: bool) -> Self {
        self.post = post;
        self
    }

    /// With records of further kinds.
    pub fn with_records(mut self, kinds: &[RecordType]) -> Self {
        self.more = kinds.to_vec();
        self
    }

    /// Whether entries are made of one record alone, so that a shard can be read in parts.
    pub fn is_of_single_records(&self) -> bool {
        !self.post
    }

    /// Walks `reader` to its end. Damage is counted and handed to `on_damage`; the walk goes on.
    ///
    /// # Errors
    /// Those of `visit`, and [`Error::Io`] of the shard.
    pub fn index(
        &self,
        reader: &mut ShardReader,
        visit: Visit<'_>,
        on_damage: OnDamage<'_>,
    ) -> Result<Counts> {
        let mut counts = Counts::default();
        let mut pairs = post::Pairs::default();
        while let Some(next) = reader.next() {
            let record = match next {
                Ok(record) => record,
                Err(error @ Error::Io { .. }) => return Err(error),
                Err(error) => {
                    counts.damaged += 1;
                    if let Error::Corrupt { lost, .. } = &error {
                        counts.lost_bytes += lost;
                    }
                    on_damage(error);
                    continue;
                }
            };
            counts.records += 1;
            let asked = if self.post { PostRequest::of(&record) } else { None };
            if let Some(asked) = asked {
                pairs.ask(asked, visit)?;
            }
            match self.entry(&record) {
                Ok((entry, facts)) => {
                    counts.entries += 1;
                    if self.post && matches!(record.kind, RecordType::Response | RecordType::Revisit) {
                        let to = record.property("WARC-Concurrent-To").map(Cow::into_owned);
                        pairs.answer(
                            entry.into_owned(),
                            facts.into_owned(),
                            record.id.as_deref(),
                            to,
                            visit,
                        )?;
                    } else {
                        visit(&entry, &facts)?;
                    }
                }
                Err(reason) => counts.leave_out(reason),
            }
        }
        pairs.finish(visit)?;
        Ok(counts)
    }

    /// The entry of one record, or why it has none.
    ///
    /// # Errors
    /// The reason, a short name.
    pub fn entry<'r>(
        &self,
        record: &'r Record<'_>,
    ) -> std::result::Result<(Entry<'r>, Facts<'r>), &'static str> {
        match record.kind {
            RecordType::Response | RecordType::Revisit | RecordType::Resource => {}
            kind if self.more.contains(&kind) => {}
            kind => return Err(kind.name()),
        }
        if record.url.is_empty() {
            return Err("no-url");
        }
        let timestamp = match record.date_ms {
            Some(ms) => Timestamp(format_14(ms).parse().unwrap_or(0)),
            None => return Err("no-date"),
        };
        let revisit = record.kind == RecordType::Revisit;
        let is_http = record.is_http() || (revisit && record.data.starts_with(b"HTTP/"));
        let response = is_http.then(|| Response::parse(&record.data));
        let mut facts = Facts {
            kind: record.kind,
            date_ms: record.date_ms,
            ip: record.ip.as_deref().map(Cow::Borrowed),
            truncated: record.truncated,
            charset: None,
            location: None,
            identified: None,
        };
        if record.format == Format::Warc {
            facts.identified = record.property("WARC-Identified-Payload-Type");
        }
        let mut entry = Entry {
            urlkey: url_key(record.url.as_bytes()).into(),
            timestamp,
            url: Cow::Borrowed(&*record.url),
            length: Some(record.place.length),
            offset: record.place.offset,
            filename: Cow::Borrowed(&*record.place.shard),
            ..Entry::default()
        };
        let declared = match &response {
            Some(response) => {
                entry.status = response.status;
                facts.location = response.header("location").map(percent_encoded);
                response.header("content-type").map(percent_encoded)
            }
            None => record.content_type.as_deref().map(Cow::Borrowed),
        };
        if let Some(declared) = declared {
            facts.charset = charset(&declared).map(|charset| charset.to_owned().into());
            entry.mime = essence(&declared);
        }
        if revisit {
            entry.mime = Cow::Borrowed("warc/revisit");
        }
        entry.digest = self.digest_of(record, response.as_ref());
        Ok((entry, facts))
    }

    fn digest_of<'r>(&self, record: &'r Record<'_>, response: Option<&Response<'_>>) -> Cow<'r, str> {
        // What a revisit refers to is not there to be digested.
        if self.digest == DigestOf::Declared || record.kind == RecordType::Revisit {
            if let Some(declared) = record.payload_digest.as_deref() {
                return Cow::Borrowed(bare(declared));
            }
            if record.kind == RecordType::Revisit {
                return Cow::Borrowed("");
            }
        }
        if (record.data.len() as u64) < record.full_length {
            return Cow::Borrowed("");
        }
        Cow::Owned(match response {
            None => sha1_base32(&record.data),
            Some(response) if self.digest == DigestOf::Entity => {
                sha1_base32(&response.payload(MAX_PAYLOAD).bytes)
            }
            Some(response) => sha1_base32(response.body),
        })
    }
}

impl Facts<'_> {
    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Facts<'static> {
        let own = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Facts {
            kind: self.kind,
            date_ms: self.date_ms,
            ip: own(self.ip),
            truncated: self.truncated,
            charset: own(self.charset),
            location: own(self.location),
            identified: own(self.identified),
        }
    }
}

/// A media type without its parameters, in lower case, as indexes have it.
fn essence<'r>(declared: &str) -> Cow<'r, str> {
    let essence = declared.split(';').next().unwrap_or(declared).trim();
    Cow::Owned(essence.to_ascii_lowercase())
}

/// The parameter `charset`.
fn charset(declared: &str) -> Option<&str> {
    declared.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}
