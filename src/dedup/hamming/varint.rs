//! Fingerprints as they are stored: a sorted list in few bytes.
//!
//! **Format.** Values sorted ascending as unsigned integers; the first whole, then each value's difference from the one
//! before it. Every number is a varint: seven bits a byte, least significant first, the top bit set on all bytes but the
//! last. 127 is `7F`, 128 is `80 01`, 300 is `AC 02`. Equal values are kept (difference 0).
//!
//! **Cost.** One pass; `n` random fingerprints take about `9 − log₂(n)/7` bytes each.
//!
//! **Errors.** Reading refuses a list cut inside a number, numbers past 64 bits, needless trailing zero groups (each
//! list has one spelling) and sums that overflow; the error carries path and offset.

use std::path::Path;

use webmill_capture::error::{Error, Result};

use super::Fingerprint;

/// Appends `value` as a varint.
fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads the varint at the front of `bytes`: (value, length).
fn get(bytes: &[u8]) -> Result<(u64, usize), &'static str> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().enumerate().take(10) {
        let group = u64::from(byte & 0x7F);
        if i == 9 && group > 1 {
            return Err("number of more than 64 bits");
        }
        value |= group << (7 * i);
        if byte & 0x80 == 0 {
            let padded = byte == 0 && i > 0;
            return if padded { Err("number padded with zeros") } else { Ok((value, i + 1)) };
        }
    }
    Err(if bytes.len() < 10 { "list ends inside a number" } else { "number of more than 64 bits" })
}

/// Appends the stored form of `sorted` to `out`.
///
/// # Errors
/// `Internal` if the fingerprints are not ascending.
///
/// # Examples
/// ```
/// use webmill_dedup::{Fingerprint, write_fingerprints};
/// let mut bytes = Vec::new();
/// write_fingerprints(&[Fingerprint(300), Fingerprint(428)], &mut bytes)?;
/// assert_eq!(bytes, [0xAC, 0x02, 0x80, 0x01]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub fn write_fingerprints(sorted: &[Fingerprint], out: &mut Vec<u8>) -> Result<()> {
    let mut before = 0;
    for fingerprint in sorted {
        let delta = fingerprint.0.checked_sub(before);
        put(delta.ok_or_else(|| Error::Internal("fingerprints to store are not sorted".into()))?, out);
        before = fingerprint.0;
    }
    Ok(())
}

/// Reads a stored list; `path` is named in errors.
///
/// # Errors
/// `Corrupt` with the offset of the number that breaks the format.
///
/// # Examples
/// ```
/// use std::path::Path;
/// use webmill_dedup::{Fingerprint, read_fingerprints, write_fingerprints};
/// let stored = [Fingerprint(7), Fingerprint(300), Fingerprint(300)];
/// let mut bytes = Vec::new();
/// write_fingerprints(&stored, &mut bytes)?;
/// assert_eq!(read_fingerprints(&bytes, Path::new("earlier.fingerprints"))?, stored);
/// assert!(read_fingerprints(&bytes[..2], Path::new("earlier.fingerprints")).is_err());
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub fn read_fingerprints(bytes: &[u8], path: &Path) -> Result<Vec<Fingerprint>> {
    let mut list = Vec::with_capacity(bytes.len() / 8);
    let (mut at, mut before) = (0, 0u64);
    while at < bytes.len() {
        let (delta, length) = get(&bytes[at..]).map_err(|why| Error::corrupt(path, at as u64, why))?;
        before = before
            .checked_add(delta)
            .ok_or_else(|| Error::corrupt(path, at as u64, "fingerprint of more than 64 bits"))?;
        list.push(Fingerprint(before));
        at += length;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_the_format() {
        let cases: [(u64, &[u8]); 7] = [
            (0, &[0x00]),
            (1, &[0x01]),
            (127, &[0x7F]),
            (128, &[0x80, 0x01]),
            (300, &[0xAC, 0x02]),
            (16_384, &[0x80, 0x80, 0x01]),
            (u64::MAX, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
        ];
        for (value, bytes) in cases {
            let mut out = Vec::new();
            put(value, &mut out);
            assert_eq!(out, bytes);
            assert_eq!(get(bytes), Ok((value, bytes.len())));
        }
    }

    #[test]
    fn broken_lists_are_named_with_their_offset() {
        let cases: [(&[u8], u64, &str); 6] = [
            (&[0x05, 0x80], 1, "ends inside"),
            (&[0x80], 0, "ends inside"),
            (&[0x05, 0x80, 0x00], 1, "padded"),
            (&[0xFF; 11], 0, "more than 64 bits"),
            (&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], 0, "more than 64 bits"),
            (&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x01], 10, "more than 64 bits"),
        ];
        for (bytes, offset, reason) in cases {
            let error = read_fingerprints(bytes, Path::new("f")).expect_err("broken");
            let text = error.to_string();
            assert!(text.contains(&format!("at byte {offset}:")) && text.contains(reason), "{text}");
        }
    }

    #[test]
    fn unsorted_lists_are_refused() {
        assert!(write_fingerprints(&[Fingerprint(2), Fingerprint(1)], &mut Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn written_then_read_is_identity(mut values in prop::collection::vec(any::<u64>(), 0..100)) {
            values.extend(values.first().copied());
            values.sort_unstable();
            let list: Vec<_> = values.into_iter().map(Fingerprint).collect();
            let mut bytes = Vec::new();
            write_fingerprints(&list, &mut bytes)?;
            prop_assert_eq!(read_fingerprints(&bytes, Path::new("f"))?, list);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(list) = read_fingerprints(&bytes, Path::new("f")) {
                let mut again = Vec::new();
                write_fingerprints(&list, &mut again)?;
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
