//! Which records of an archive repeat the payload of an earlier one: what `webmill shard dedup` makes revisits of.
//!
//! Two records repeat each other where their payloads (the body after transfer decoding) have equal length, SHA-1 and
//! xxh3-128: SHA-1 is what revisit records name, and the second hash keeps crafted collisions of the first apart. Of the
//! records of one payload the earliest stays, ties by their order in the input; all others refer to it.
//!
//! Two external sorts: records by payload and time, then repeats by their ordinal, so that memory is the budget whatever
//! the size of the archive. What cannot be said as a revisit is left as it is and counted by reason.

use std::collections::BTreeMap;

use webmill_capture::digest::{sha1, sha1_base32};
use webmill_capture::{RecordType, Result};
use webmill_shard::{Format, Record};
use webmill_sort::{Budget, BytesSorter, SortedBytes};
use xxhash_rust::xxh3::xxh3_128;

/// Bytes of ordinals and dates in sorted keys and values.
const NUMBER: usize = 8;

/// Collects the records of an archive, in their order.
pub struct Repeats {
    by_payload: BytesSorter,
    budget: Budget,
    same_url: bool,
    min_payload: usize,
    next: u64,
    left: BTreeMap<&'static str, u64>,
}

/// A record that repeats an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// Its place in the order of the input, from 0.
    pub ordinal: u64,
    /// URL of the capture that stays.
    pub url: String,
    /// When that was fetched: milliseconds since 1970.
    pub date_ms: i64,
}

impl Repeats {
    /// Nothing so far. `same_url`: only captures of one URL repeat each other. Payloads below `min_payload` bytes are left.
    pub fn new(budget: &Budget, same_url: bool, min_payload: usize) -> Self {
        let half = Budget { memory_bytes: budget.memory_bytes / 2, ..budget.clone() };
        Repeats {
            by_payload: BytesSorter::new(&half),
            budget: half,
            same_url,
            min_payload,
            next: 0,
            left: BTreeMap::new(),
        }
    }

    /// Takes the next record.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, record: &Record<'_>) -> Result<()> {
        let ordinal = self.next;
        self.next += 1;
        let (payload, date_ms) = match self.payload(record) {
            Ok(found) => found,
            Err(reason) => {
                *self.left.entry(reason).or_default() += 1;
                return Ok(());
            }
        };
        let mut key = Vec::with_capacity(64);
        key.extend_from_slice(&(payload.len() as u64).to_be_bytes());
        key.extend_from_slice(&sha1(&payload));
        key.extend_from_slice(&xxh3_128(&payload).to_be_bytes());
        if self.same_url {
            key.extend_from_slice(&xxh3_128(record.url.as_bytes()).to_be_bytes());
        }
        let mut value = Vec::with_capacity(2 * NUMBER + record.url.len());
        value.extend_from_slice(&ordered(date_ms));
        value.extend_from_slice(&ordinal.to_be_bytes());
        value.extend_from_slice(record.url.as_bytes());
        self.by_payload.push(&key, &value)
    }

    /// Payload and date of a record that may become a revisit; else why it may not.
    fn payload<'r>(&self, record: &'r Record<'_>) -> Result<(std::borrow::Cow<'r, [u8]>, i64), &'static str> {
        match record.kind {
            RecordType::Response if record.is_http() => {}
            RecordType::Response => return Err("no HTTP"),
            RecordType::Revisit => return Err("a revisit already"),
            _ => return Err("another kind of record"),
        }
        if record.truncated.is_some() {
            return Err("cut off");
        }
        // Its head would go on saying that it is a response.
        if record.format == Format::RawDb && record.property("x-warc-head").is_some() {
            return Err("carries a WARC head");
        }
        let date_ms = record.date_ms.ok_or("no date")?;
        let capture = record.to_capture().ok_or("no HTTP")?;
        let payload = capture.response.payload(usize::MAX).bytes;
        if payload.len() < self.min_payload.max(1) {
            return Err("too small");
        }
        Ok((std::borrow::Cow::Owned(payload.into_owned()), date_ms))
    }

    /// Why records were left as they are, with their numbers; payloads that nothing repeats are not among them.
    pub fn left(&self) -> &BTreeMap<&'static str, u64> {
        &self.left
    }

    /// The repeats in the order of the input.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<InOrder> {
        let mut in_order = BytesSorter::new(&self.budget);
        let mut sorted = self.by_payload.finish()?;
        let (mut payload, mut first) = (Vec::new(), Vec::new());
        while let Some((key, value)) = sorted.next().transpose()? {
            if key != payload {
                payload = key.to_vec();
                first = value.to_vec();
                continue;
            }
            let mut kept = first[..NUMBER].to_vec();
            kept.extend_from_slice(&first[2 * NUMBER..]);
            in_order.push(&value[NUMBER..2 * NUMBER], &kept)?;
        }
        Ok(InOrder { sorted: in_order.finish()? })
    }
}

/// Repeats, the first of the input first.
pub struct InOrder {
    sorted: SortedBytes,
}

impl InOrder {
    /// The next repeat.
    ///
    /// # Errors
    /// Where a sorted run cannot be read.
    #[allow(clippy::should_implement_trait, reason = "its errors are not items")]
    pub fn next(&mut self) -> Result<Option<Repeat>> {
        let Some((key, value)) = self.sorted.next().transpose()? else { return Ok(None) };
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_be_bytes);
        let (date, url) = value.split_at(NUMBER.min(value.len()));
        Ok(Some(Repeat {
            ordinal: number(key),
            url: String::from_utf8_lossy(url).into_owned(),
            date_ms: (number(date) ^ (1 << 63)) as i64,
        }))
    }
}

/// Dates in an order of bytes.
fn ordered(date_ms: i64) -> [u8; NUMBER] {
    ((date_ms as u64) ^ (1 << 63)).to_be_bytes()
}

/// The digest that a revisit record names.
pub fn payload_digest(record: &Record<'_>) -> Option<String> {
    let capture = record.to_capture()?;
    Some(format!("sha1:{}", sha1_base32(&capture.response.payload(usize::MAX).bytes)))
}
