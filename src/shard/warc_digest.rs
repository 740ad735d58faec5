//! Digests that WARC records declare for their block and payload.
//!
//! Written as `algorithm:value`; SHA-1 in base32 by custom, others in hex. SHA-1 and SHA-2 are computed and compared, in
//! whichever coding the value is. MD5 and what else is named is said to be unchecked, which is no fault of the record.
//! The payload of an HTTP record is its entity body: what follows the head, transfer coding taken off, content coding
//! left on. Writers here do the same. Many writers digest the body as stored instead, chunks and all, so either
//! reading satisfies, and [`Record::payload_digest_form`] says which did. Checkers disagree in the same way: `warcio check`
//! compares with the body as stored and calls the standard's digest of a chunked body failed; it passes everything else.
//! A revisit declares the payload of the record it refers to.
//!
//! Reference: ISO 28500, 5.8 and 5.9; RFC 4648.

use std::borrow::Cow;

use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER};
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha256, Sha384, Sha512};

use webmill_capture::Response;

use super::{Format, Record, RecordType};

/// Largest body that transfer decoding is asked for.
const MAX_PAYLOAD: usize = 1 << 30;

const BLOCK: &str = "the block does not agree with its digest";
const PAYLOAD: &str = "the payload does not agree with its digest";

/// What comparing a record with its digests found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Digests that do not agree, or that no data can have.
    pub wrong: Vec<Cow<'static, str>>,
    /// Digests that could not be compared.
    pub unchecked: Vec<Cow<'static, str>>,
}

/// The differences between what `record` declares and what it holds; empty when all agree or nothing is declared.
pub(super) fn verify(record: &Record) -> Findings {
    let mut found = Findings::default();
    if record.format != Format::Warc || (record.data.len() as u64) < record.full_length {
        return found;
    }
    for (declared, name) in [(&record.block_digest, "block"), (&record.payload_digest, "payload")] {
        let Some(declared) = declared else { continue };
        let agrees = match DeclaredDigest::parse(declared) {
            DeclaredDigest::Digest(digest) if name == "block" => Some(digest.is_of(&record.data)),
            DeclaredDigest::Digest(digest) => payload_agrees(record, &digest),
            DeclaredDigest::Unsupported(algorithm) => {
                let text = format!("the {name} digest is not checked: {algorithm} is not supported");
                found.unchecked.push(Cow::Owned(text));
                None
            }
            DeclaredDigest::Unreadable(algorithm) => {
                found
                    .wrong
                    .push(Cow::Owned(format!("the {name} digest is not one that {algorithm} can have")));
                None
            }
        };
        if agrees == Some(false) {
            found.wrong.push(Cow::Borrowed(if name == "block" { BLOCK } else { PAYLOAD }));
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Algorithm {
    /// By name, with or without a hyphen, in either case.
    fn named(name: &str) -> Option<Algorithm> {
        Some(match name.to_ascii_lowercase().as_str() {
            "sha1" | "sha-1" => Algorithm::Sha1,
            "sha256" | "sha-256" => Algorithm::Sha256,
            "sha384" | "sha-384" => Algorithm::Sha384,
            "sha512" | "sha-512" => Algorithm::Sha512,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        ["SHA-1", "SHA-256", "SHA-384", "SHA-512"][self as usize]
    }

    fn size(self) -> usize {
        [20, 32, 48, 64][self as usize]
    }

    fn hash(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Algorithm::Sha1 => Sha1::digest(bytes).to_vec(),
            Algorithm::Sha256 => Sha256::digest(bytes).to_vec(),
            Algorithm::Sha384 => Sha384::digest(bytes).to_vec(),
            Algorithm::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct DigestValue {
    algorithm: Algorithm,
    value: Vec<u8>,
}

impl DigestValue {
    fn is_of(&self, bytes: &[u8]) -> bool {
        self.algorithm.hash(bytes) == self.value
    }
}

/// What a digest field says.
#[derive(Debug, PartialEq, Eq)]
enum DeclaredDigest<'a> {
    Digest(DigestValue),
    /// An algorithm that is not computed here, by name.
    Unsupported(&'a str),
    /// A known algorithm by name, but no value of it.
    Unreadable(&'static str),
}

impl DeclaredDigest<'_> {
    fn parse(text: &str) -> DeclaredDigest<'_> {
        let (name, value) = text.trim().split_once(':').unwrap_or(("sha1", text.trim()));
        let Some(algorithm) = Algorithm::named(name.trim()) else {
            return DeclaredDigest::Unsupported(name.trim());
        };
        match decode(value.trim(), algorithm.size()) {
            Some(value) => DeclaredDigest::Digest(DigestValue { algorithm, value }),
            None => DeclaredDigest::Unreadable(algorithm.name()),
        }
    }
}

/// The standard wants no particular coding: base32 by custom, hex and both base64 occur. Their lengths tell them apart.
fn decode(value: &str, size: usize) -> Option<Vec<u8>> {
    let value = value.trim_end_matches('=');
    let length = value.len();
    let bytes = if length == 2 * size {
        HEXLOWER.decode(value.to_ascii_lowercase().as_bytes())
    } else if length == (8 * size).div_ceil(5) {
        BASE32_NOPAD.decode(value.to_ascii_uppercase().as_bytes())
    } else if value.contains(['-', '_']) {
        BASE64URL_NOPAD.decode(value.as_bytes())
    } else {
        BASE64_NOPAD.decode(value.as_bytes())
    };
    bytes.ok().filter(|b| b.len() == size)
}

/// Whether the digest is of the entity, of the body as stored or of the whole block; `None` where the payload is not
/// here.
fn payload_agrees(record: &Record, declared: &DigestValue) -> Option<bool> {
    match record.kind {
        RecordType::Revisit => None,
        RecordType::Request => {
            let body =
                memchr::memmem::find(&record.data, b"\r\n\r\n").map_or(&[][..], |at| &record.data[at + 4..]);
            Some(declared.is_of(body))
        }
        RecordType::Response if record.is_http() => {
            let response = Response::parse(&record.data);
            let entity = response.payload(MAX_PAYLOAD).bytes;
            Some([&entity, response.body, &record.data].iter().any(|bytes| declared.is_of(bytes)))
        }
        _ => Some(declared.is_of(&record.data)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared() {
        // Vectors of FIPS 180 for "abc".
        const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        const SHA512: &str = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                              2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        const SHA384: &str = "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
                              8086072ba1e7cc2358baeca134c825a7";
        let hex = |s: &str| HEXLOWER.decode(s.as_bytes()).unwrap();
        let sha256 = hex(SHA256);
        for text in [
            "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5".to_owned(),
            "SHA-1: a9993e364706816aba3e25717850c26c9cd0d89d".to_owned(),
            "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5".to_owned(),
            "sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=".to_owned(),
            "sha1:qZk-NkcGgWq6PiVxeFDCbJzQ2J0".to_owned(),
            format!("sha256:{SHA256}"),
            format!("SHA-256:{}", SHA256.to_uppercase()),
            format!("sha256:{}", data_encoding::BASE32.encode(&sha256)),
            format!("sha256:{}", data_encoding::BASE64.encode(&sha256)),
            format!("sha256:{}", BASE64URL_NOPAD.encode(&sha256)),
            format!("sha-384:{SHA384}"),
            format!("sha384:{}", BASE64_NOPAD.encode(&hex(SHA384))),
            format!("sha512:{SHA512}"),
            format!("sha512:{}", BASE32_NOPAD.encode(&hex(SHA512)).to_lowercase()),
        ] {
            let DeclaredDigest::Digest(digest) = DeclaredDigest::parse(&text) else { panic!("{text}") };
            assert!(digest.is_of(b"abc") && !digest.is_of(b"abd"), "{text}");
        }
        for (text, want) in [
            ("sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", DeclaredDigest::Unreadable("SHA-1")),
            ("sha1:", DeclaredDigest::Unreadable("SHA-1")),
            ("", DeclaredDigest::Unreadable("SHA-1")),
            ("sha256:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", DeclaredDigest::Unreadable("SHA-256")),
            ("sha512:é", DeclaredDigest::Unreadable("SHA-512")),
            ("md5:900150983cd24fb0d6963f7d28e17f72", DeclaredDigest::Unsupported("md5")),
        ] {
            assert_eq!(DeclaredDigest::parse(text), want, "{text}");
        }
    }
}
