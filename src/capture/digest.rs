//! SHA-1 as archives write it.
//!
//! Capture indexes and WARC headers name a body by the base32 form (RFC 4648, upper case, 32 characters) of its SHA-1;
//! some tools write hex. The digest of a capture is taken of the body *after* transfer decoding and *before* content
//! decoding. SHA-1 is broken against an adversary, so equal digests say "the same body" only among friends: no job
//! drops a page on a digest alone.

use data_encoding::{BASE32, HEXLOWER};
use sha1::{Digest, Sha1};

/// SHA-1 of `bytes` in base32, without a `sha1:` prefix: 32 characters.
///
/// # Examples
/// ```
/// use webmill_capture::digest::sha1_base32;
/// assert_eq!(sha1_base32(b""), "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
/// ```
pub fn sha1_base32(bytes: &[u8]) -> String {
    BASE32.encode(&sha1(bytes))
}

/// SHA-1 of `bytes` in lower-case hex: 40 characters.
pub fn sha1_hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(&sha1(bytes))
}

/// SHA-1 of `bytes`.
pub fn sha1(bytes: &[u8]) -> [u8; 20] {
    Sha1::digest(bytes).into()
}

/// Compares `bytes` with a digest as an archive declares it: `sha1:` (or `sha-1:`, or nothing) and base32 or hex in
/// either case. `None` where the algorithm is another or the text is no digest.
pub fn matches_declared(declared: &str, bytes: &[u8]) -> Option<bool> {
    let declared = declared.trim();
    let value = match declared.split_once(':') {
        Some((name, value)) if matches!(name.to_ascii_lowercase().as_str(), "sha1" | "sha-1") => value.trim(),
        Some(_) => return None,
        None => declared,
    };
    let said = match value.trim_end_matches('=').len() {
        32 => BASE32.decode(value.trim_end_matches('=').to_ascii_uppercase().as_bytes()).ok()?,
        40 => HEXLOWER.decode(value.to_ascii_lowercase().as_bytes()).ok()?,
        _ => return None,
    };
    Some(said == sha1(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(sha1_hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(sha1_base32(b"abc"), "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
    }

    #[test]
    fn declared() {
        for (declared, want) in [
            ("sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", Some(true)),
            ("SHA-1: vgmt4nsha2awvor6evyxqugcnsonbwe5", Some(true)),
            ("a9993e364706816aba3e25717850c26c9cd0d89d", Some(true)),
            ("sha1:A9993E364706816ABA3E25717850C26C9CD0D89D", Some(true)),
            ("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", Some(false)),
            ("sha256:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", None),
            ("sha1:?", None),
            ("sha1:11111111111111111111111111111111", None),
            ("-", None),
        ] {
            assert_eq!(matches_declared(declared, b"abc"), want, "{declared}");
        }
    }
}
