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

/// A declared digest as indexes have it: SHA-1 without its name (`sha1:`), another algorithm with it.
pub fn bare(declared: &str) -> &str {
    let declared = declared.trim();
    match declared.split_once(':') {
        Some((name, digest)) if name.eq_ignore_ascii_case("sha1") => digest,
        _ => declared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(sha1_hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(sha1_base32(b"abc"), "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
    }
}
