//! An entry as flat bytes: what the log and the runs in memory hold.
//!
//! What entries are told apart by stands first (key, time, file name, offset), so that comparing two reads little.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::wire::{Fault, Wire, put_bytes, put_number};
use crate::{Entry, Timestamp};

/// Bytes of one record at most: an index of more is no index of captures.
pub(super) const MAX_RECORD: usize = 16 << 20;

const DELETED: u8 = 1;
const HAS_STATUS: u8 = 2;
const HAS_LENGTH: u8 = 4;

/// What makes two entries the same capture: key, time, file name, offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity<'a> {
    pub(super) urlkey: &'a str,
    pub(super) timestamp: Timestamp,
    pub(super) filename: &'a str,
    pub(super) offset: u64,
}

impl<'a> Identity<'a> {
    pub(super) fn of(entry: &'a Entry<'_>) -> Self {
        Identity {
            urlkey: &entry.urlkey,
            timestamp: entry.timestamp,
            filename: &entry.filename,
            offset: entry.offset,
        }
    }
}

/// An entry, or the mark that one is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) deleted: bool,
}

/// Appends a record. Of a deleted entry only what it is told apart by is kept.
pub(super) fn put(out: &mut Vec<u8>, entry: &Entry<'_>, deleted: bool) {
    put_bytes(out, entry.urlkey.as_bytes());
    out.extend_from_slice(&entry.timestamp.0.to_le_bytes());
    put_bytes(out, entry.filename.as_bytes());
    out.extend_from_slice(&entry.offset.to_le_bytes());
    if deleted {
        out.push(DELETED);
        return;
    }
    let status = entry.status.map_or(0, |_| HAS_STATUS);
    out.push(status | entry.length.map_or(0, |_| HAS_LENGTH));
    put_number(out, entry.status.unwrap_or(0).into());
    put_number(out, entry.length.unwrap_or(0));
    for text in [&entry.url, &entry.mime, &entry.digest, &entry.redirect, &entry.robotflags] {
        put_bytes(out, text.as_bytes());
    }
    put_number(out, entry.extra.len() as u64);
    for text in entry.extra.iter().flat_map(|(name, value)| [name, value]) {
        put_bytes(out, text.as_bytes());
    }
}

/// Reads what tells an entry apart.
pub(super) fn identity<'a>(wire: &mut Wire<'a>) -> Result<Identity<'a>, Fault> {
    let urlkey = wire.text()?;
    let timestamp = Timestamp(wire.u64()?);
    Ok(Identity { urlkey, timestamp, filename: wire.text()?, offset: wire.u64()? })
}

/// Reads a record.
pub(super) fn get<'a>(wire: &mut Wire<'a>) -> Result<Row<'a>, Fault> {
    let Identity { urlkey, timestamp, filename, offset } = identity(wire)?;
    let mut entry =
        Entry { urlkey: urlkey.into(), timestamp, filename: filename.into(), offset, ..Entry::default() };
    let flags = wire.byte()?;
    if flags > 7 {
        return Err("a record of an unknown kind");
    }
    let deleted = flags & DELETED != 0;
    if !deleted {
        let status = u16::try_from(wire.number()?).map_err(|_| "a status of more than 16 bits")?;
        let length = wire.number()?;
        entry.status = (flags & HAS_STATUS != 0).then_some(status);
        entry.length = (flags & HAS_LENGTH != 0).then_some(length);
        for text in
            [&mut entry.url, &mut entry.mime, &mut entry.digest, &mut entry.redirect, &mut entry.robotflags]
        {
            *text = Cow::Borrowed(wire.text()?);
        }
        for _ in 0..wire.count(MAX_RECORD)? {
            entry.extra.push((wire.text()?.into(), wire.text()?.into()));
        }
    }
    Ok(Row { entry, deleted })
}

/// Compares two records by what tells them apart.
pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let identity = |bytes| identity(&mut Wire::new(bytes)).expect("checked when it was taken in");
    identity(a).cmp(&identity(b))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Entries few enough in kind to meet, with every field somewhere.
    pub(in crate::store) fn any_entry() -> impl Strategy<Value = Entry<'static>> {
        let key = prop_oneof![
            8 => "(com,[ab]|org,c|net,x:81)\\)/[ab]{0,2}(\\?[ab]=1)?",
            1 => "[A-Za-z)/,:é\\n]{0,6}",
        ];
        let time = prop_oneof![
            (0u64..9).prop_map(|s| 20200101000000 + s),
            Just(20210203040506),
            Just(2014),
            any::<u64>()
        ];
        let url = prop_oneof![
            5 => ("https?://(www.)?", "/?").prop_map(|(front, end)| format!("\u{1}{front}\u{1}{end}")),
            1 => "https?://[a-c]\\.com/[A-Ca-c]{0,3}",
            1 => ".{0,5}",
        ];
        let digest = prop_oneof![
            4 => (0u8..5).prop_map(|n| data_encoding::BASE32.encode(&[n; 20])),
            2 => any::<[u8; 20]>().prop_map(|bytes| data_encoding::BASE32.encode(&bytes)),
            1 => Just(String::new()),
            1 => "(sha256:)?[a-z2-9]{0,33}",
        ];
        let kind = (
            prop_oneof![Just("text/html"), Just("warc/revisit"), Just("")].prop_map(str::to_owned),
            prop_oneof![Just(Some(200)), Just(None), any::<u16>().prop_map(Some)],
        );
        let place = (
            prop_oneof![(0u64..4).prop_map(|n| n * 1000), any::<u64>()],
            prop_oneof![Just(None), (0u64..5000).prop_map(Some), any::<u64>().prop_map(Some)],
            "[ab]\\.warc\\.gz|é?",
        );
        let rest = (
            prop_oneof![6 => Just(String::new()), 1 => "http://r/.?".prop_map(String::from)],
            prop_oneof![6 => Just(String::new()), 1 => Just("AF".to_owned())],
            prop_oneof![6 => Just(vec![]), 1 => proptest::collection::vec(("[a-c]", "\"x\"|1"), 1..3)],
        );
        (key, time, url, digest, kind, place, rest).prop_map(
            |(urlkey, time, url, digest, (mime, status), place, rest)| {
                // Most URLs are what the key says.
                let url = match url.strip_prefix('\u{1}').and_then(|rest| rest.split_once('\u{1}')) {
                    Some((front, end)) => {
                        let (host, path) = urlkey.split_once(')').unwrap_or((&urlkey, ""));
                        let host = host.split(',').rev().collect::<Vec<_>>().join(".");
                        format!("{front}{host}{path}{end}")
                    }
                    None => url,
                };
                Entry {
                    urlkey: urlkey.into(),
                    timestamp: Timestamp(time),
                    url: url.into(),
                    mime: mime.into(),
                    status,
                    digest: digest.into(),
                    redirect: rest.0.into(),
                    robotflags: rest.1.into(),
                    length: place.1,
                    offset: place.0,
                    filename: place.2.into(),
                    extra: rest.2.into_iter().map(|(n, v)| (n.into(), v.into())).collect(),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn records_come_back(entry in any_entry(), deleted in any::<bool>()) {
            let mut bytes = Vec::new();
            put(&mut bytes, &entry, deleted);
            let mut wire = Wire::new(&bytes);
            let row = get(&mut wire).unwrap();
            prop_assert!(wire.is_done());
            prop_assert_eq!(row.deleted, deleted);
            prop_assert_eq!(Identity::of(&row.entry), Identity::of(&entry));
            prop_assert!(deleted || row.entry == entry);
        }

        #[test]
        fn foreign_bytes_are_an_error_at_worst(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = get(&mut Wire::new(&bytes));
        }
    }
}
