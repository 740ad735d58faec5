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
//! A record without URL, one without a date that can be read (but for [`Indexer::with_undated`]), and one that reading at its place
//! does not give are left out as well. Everything that is left out is counted by
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
use std::path::Path;
use std::time::UNIX_EPOCH;

use webmill_capture::date::format_14;
use webmill_capture::digest::{bare, sha1_base32};
use webmill_capture::urlkey::url_key;
use webmill_capture::{Error, Response, Result, Truncation};
use webmill_shard::{Format, Record, RecordType, ShardReader};

use crate::index::cdx::percent_encoded;
use crate::index::post::{self, PostRequest};
use crate::index::{Entry, Timestamp};

/// Most captures without an entry that are named.
const MOST_EXAMPLES: usize = 20;
/// Why there is no entry of a record that reading at its place does not give.
const NO_DATE: &str = "no-date";
const NO_URL: &str = "no-url";
const SHARED_MEMBER: &str = "shared-member";
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
    /// Those of records without a date.
    pub undated: u64,
    /// Records without an entry, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Captures among them, the first few, each with its place and its fault.
    pub examples: Vec<String>,
    /// Files that end inside a record, which is no damage.
    pub cut_off: u64,
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
        self.undated += other.undated;
        self.damaged += other.damaged;
        self.lost_bytes += other.lost_bytes;
        self.cut_off += other.cut_off;
        let room = MOST_EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.iter().take(room).cloned());
        for (reason, n) in &other.left_out {
            *self.left_out.entry(reason).or_default() += n;
        }
    }

    /// The greater of the share of records and the share of bytes (of `bytes` read) that are lost by damage.
    pub fn bad_share(&self, bytes: u64) -> f64 {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        share(self.damaged, self.records + self.damaged).max(share(self.lost_bytes, bytes))
    }

    fn leave_out(&mut self, reason: &'static str, record: &Record<'_>) {
        *self.left_out.entry(reason).or_default() += 1;
        let why = match reason {
            NO_DATE => {
                let field = if record.format == Format::RawDb { "date" } else { "WARC-Date" };
                let date = record.property(field).unwrap_or_default();
                let date: String = date.chars().take(100).collect();
                format!("no date in {date:?}; `webmill index --undated file` indexes it all the same")
            }
            NO_URL => "no URL".to_owned(),
            SHARED_MEMBER => {
                "one compressed member with others; `webmill shard convert` gives it its own".to_owned()
            }
            _ => return,
        };
        if self.examples.len() < MOST_EXAMPLES {
            let (shard, offset) = (&record.place.shard, record.place.offset);
            self.examples.push(format!("{shard} at byte {offset}: {why}"));
        }
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
    undated: Option<Undated>,
}

/// The time under which records without a date are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undated {
    /// When the file was last written.
    OfFile,
    /// This one, in ms since 1970.
    At(i64),
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

    /// With records that have no date.
    pub fn with_undated(mut self, undated: Option<Undated>) -> Self {
        self.undated = undated;
        self
    }

    /// The same for the file at `path`: where the time of a file is asked for, it is that one's.
    pub fn of_file(&self, path: &Path) -> Indexer {
        let since = || std::fs::metadata(path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok();
        let undated = match self.undated {
            Some(Undated::OfFile) => since().map(|since| Undated::At(since.as_millis() as i64)),
            given => given,
        };
        self.clone().with_undated(undated)
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
                Err(error) if error.is_cut_off() => {
                    counts.cut_off += 1;
                    on_damage(error);
                    continue;
                }
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
                    counts.undated += u64::from(record.date_ms.is_none());
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
                Err(reason) => counts.leave_out(reason, &record),
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
            _ if record.is_wat() => return Err("metadata of WAT files, which hold metadata alone"),
            kind => return Err(kind.name()),
        }
        if record.url.is_empty() {
            return Err(NO_URL);
        }
        if !record.is_at_its_place() {
            return Err(SHARED_MEMBER);
        }
        let given = if let Some(Undated::At(ms)) = self.undated { Some(ms) } else { None };
        let date_ms = record.date_ms.or(given);
        let timestamp = Timestamp(format_14(date_ms.ok_or(NO_DATE)?).parse().unwrap_or(0));
        let revisit = record.kind == RecordType::Revisit;
        let is_http = record.is_http() || (revisit && record.data.starts_with(b"HTTP/"));
        let response = is_http.then(|| Response::parse(&record.data));
        let mut facts = Facts {
            kind: record.kind,
            date_ms,
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
