//! An entry as a key and a value of the embedded store.
//!
//! The key holds what tells captures apart, in the order of the index: `urlkey 0x00 time filename 0x00 offset`. Numbers are
//! their length in bytes (one byte) and their bytes, the highest first, so that keys compare as entries do. The value is the
//! rest in the form of `postcard`: a URL that ends in what its key says is what stands before that, a SHA-1 is its 20 bytes.

use std::ops::Bound;

use data_encoding::BASE32;
use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};

use crate::index::{Entry, KeyRange, Timestamp};

/// Bytes of a key at most: the embedded store takes no longer ones.
pub(super) const MAX_KEY: usize = u16::MAX as usize;
/// Bytes of a value at most: an index of more is no index of captures.
pub(super) const MAX_VALUE: usize = 16 << 20;

/// What of an entry is not in its key.
#[derive(Serialize, Deserialize)]
struct Value<'a> {
    #[serde(borrow)]
    url: Url<'a>,
    mime: &'a str,
    status: Option<u16>,
    length: Option<u64>,
    #[serde(borrow)]
    digest: Digest<'a>,
    /// What few entries have; `None` where all of it is empty.
    #[serde(borrow)]
    rest: Option<Rest<'a>>,
}

#[derive(Serialize, Deserialize)]
enum Url<'a> {
    /// What stands before the host and path of the key.
    Front(&'a str),
    Whole(&'a str),
}

#[derive(Serialize, Deserialize)]
enum Digest<'a> {
    Sha1([u8; 20]),
    Other(&'a str),
}

#[derive(Serialize, Deserialize)]
struct Rest<'a> {
    redirect: &'a str,
    robotflags: &'a str,
    #[serde(borrow)]
    extra: Vec<(&'a str, &'a str)>,
}

/// The key of an entry.
///
/// # Errors
/// [`Error::Limit`] for one longer than [`MAX_KEY`], or with a zero byte in a text.
pub(super) fn key(entry: &Entry<'_>) -> Result<Vec<u8>> {
    let mut key = Vec::with_capacity(entry.urlkey.len() + entry.filename.len() + 20);
    for (text, number) in [(&entry.urlkey, entry.timestamp.0), (&entry.filename, entry.offset)] {
        if text.contains('\0') {
            return Err(Error::Limit("a key or file name with a zero byte cannot be stored".into()));
        }
        key.extend_from_slice(text.as_bytes());
        let bytes = number.to_be_bytes();
        let bytes = &bytes[number.leading_zeros() as usize / 8..];
        key.extend_from_slice(&[0, bytes.len() as u8]);
        key.extend_from_slice(bytes);
    }
    match key.len() {
        ..=MAX_KEY => Ok(key),
        length => {
            Err(Error::Limit(format!("a capture whose key has {length} bytes; {MAX_KEY} can be stored")))
        }
    }
}

/// The bounds of the stored keys of a range.
pub(super) fn bounds(range: &KeyRange) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
    // In a stored key a zero byte ends the text and a length of at most 8 follows, so these bytes stand behind all of them.
    let bytes = |text: &str| text.replace('\0', "\0\u{7f}").into_bytes();
    let to = range.to.as_deref().map_or(Bound::Unbounded, |to| Bound::Excluded(bytes(to)));
    (Bound::Included(bytes(&range.from)), to)
}

/// Everything of an entry that its key does not hold.
///
/// # Errors
/// [`Error::Limit`] for one of more than [`MAX_VALUE`] bytes.
pub(super) fn value(entry: &Entry<'_>) -> Result<Vec<u8>> {
    let end = url_end(&entry.urlkey);
    let front = entry.url.strip_suffix(end.as_str()).filter(|_| !end.is_empty());
    let sha1 = BASE32.decode(entry.digest.as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
    let plain = entry.redirect.is_empty() && entry.robotflags.is_empty() && entry.extra.is_empty();
    let value = Value {
        url: front.map_or(Url::Whole(&entry.url), Url::Front),
        mime: &entry.mime,
        status: entry.status,
        length: entry.length,
        digest: sha1.map_or(Digest::Other(&entry.digest), Digest::Sha1),
        rest: (!plain).then(|| Rest {
            redirect: &entry.redirect,
            robotflags: &entry.robotflags,
            extra: entry.extra.iter().map(|(name, value)| (&**name, &**value)).collect(),
        }),
    };
    let value = postcard::to_stdvec(&value).map_err(|e| Error::Internal(e.to_string()))?;
    match value.len() {
        ..=MAX_VALUE => Ok(value),
        length => Err(Error::Limit(format!("a capture of {length} bytes; {MAX_VALUE} can be stored"))),
    }
}

/// The entry of a key and a value; `None` where they are none.
pub(super) fn entry<'a>(key: &'a [u8], value: &'a [u8]) -> Option<Entry<'a>> {
    let (urlkey, time, key) = text_and_number(key)?;
    let (filename, offset, []) = text_and_number(key)? else { return None };
    let value: Value<'a> = postcard::from_bytes(value).ok()?;
    let rest = value.rest.unwrap_or(Rest { redirect: "", robotflags: "", extra: Vec::new() });
    Some(Entry {
        urlkey: urlkey.into(),
        timestamp: Timestamp(time),
        url: match value.url {
            Url::Front(front) => format!("{front}{}", url_end(urlkey)).into(),
            Url::Whole(url) => url.into(),
        },
        mime: value.mime.into(),
        status: value.status,
        digest: match value.digest {
            Digest::Sha1(bytes) => BASE32.encode(&bytes).into(),
            Digest::Other(digest) => digest.into(),
        },
        redirect: rest.redirect.into(),
        robotflags: rest.robotflags.into(),
        length: value.length,
        offset,
        filename: filename.into(),
        extra: rest.extra.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
    })
}

/// Host and path as most URLs of a key end: of `com,a)/b` it is `a.com/b`.
fn url_end(urlkey: &str) -> String {
    let Some((host, path)) = urlkey.split_once(')') else { return String::new() };
    let mut end = String::with_capacity(urlkey.len());
    for (at, label) in host.rsplit(',').enumerate() {
        if at > 0 {
            end.push('.');
        }
        end.push_str(label);
    }
    end + path
}

fn text_and_number(key: &[u8]) -> Option<(&str, u64, &[u8])> {
    let (text, rest) = key.split_at(memchr::memchr(0, key)?);
    let (&length, rest) = rest[1..].split_first()?;
    let (number, rest) = rest.split_at_checked(length.into())?;
    let mut bytes = [0; 8];
    bytes.get_mut(8usize.checked_sub(number.len())?..)?.copy_from_slice(number);
    Some((std::str::from_utf8(text).ok()?, u64::from_be_bytes(bytes), rest))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Entries few enough in kind to meet, with every field somewhere.
    pub(in crate::index::store) fn any_entry() -> impl Strategy<Value = Entry<'static>> {
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
        fn entries_come_back_and_keys_compare_as_they_do(a in any_entry(), b in any_entry()) {
            let (key_a, key_b) = (key(&a).unwrap(), key(&b).unwrap());
            let bytes = value(&a).unwrap();
            prop_assert_eq!(entry(&key_a, &bytes), Some(a.clone()));
            let order = |e: &Entry<'static>| (e.urlkey.clone(), e.timestamp, e.filename.clone(), e.offset);
            prop_assert_eq!(key_a.cmp(&key_b), order(&a).cmp(&order(&b)));
        }
    }
}
