//! Digests that WARC records declare for their block and payload.
//!
//! Written as `algorithm:value`, SHA-1 in base32 by custom, hex by some. SHA-1 is computed and compared; other named
//! algorithms (`md5`, `sha256`, …) are recognised and left alone, for no tool that writes SHA-1 beside them is known to
//! be wrong in one only. The payload of an HTTP record is what follows its head; archives disagree whether transfer
//! coding is part of it, so either reading satisfies. A revisit declares the payload of the record it refers to.

use std::borrow::Cow;

use data_encoding::{BASE32, BASE64, BASE64URL, HEXLOWER};

use crate::capture::Response;
use crate::capture::digest::sha1;

use super::{Format, Record, RecordType};

/// Largest body that transfer decoding is asked for.
const MAX_PAYLOAD: usize = 1 << 30;

const BLOCK: &str = "the block does not agree with its digest";
const PAYLOAD: &str = "the payload does not agree with its digest";

/// The differences between what `record` declares and what it holds; empty when all agree or nothing can be compared.
pub(super) fn verify(record: &Record) -> Vec<Cow<'static, str>> {
    let mut found = Vec::new();
    if record.format != Format::Warc || (record.data.len() as u64) < record.full_length {
        return found;
    }
    let blocks = record.block_digest.as_deref().map(Declared::parse);
    let payloads = record.payload_digest.as_deref().map(Declared::parse);
    for (declared, name) in [(&blocks, "block"), (&payloads, "payload")] {
        if let Some(Declared::Unreadable) = declared {
            found.push(Cow::Owned(format!("the {name} digest is not one that SHA-1 can have")));
        }
    }
    if let Some(Declared::Sha1(declared)) = blocks
        && declared != sha1(&record.data)
    {
        found.push(Cow::Borrowed(BLOCK));
    }
    if let Some(Declared::Sha1(declared)) = payloads
        && payload_agrees(record, declared) == Some(false)
    {
        found.push(Cow::Borrowed(PAYLOAD));
    }
    found
}

/// What a digest field says.
#[derive(Debug, PartialEq, Eq)]
enum Declared {
    Sha1([u8; 20]),
    /// Another algorithm, by name.
    Other,
    /// SHA-1 by name, but no value of it.
    Unreadable,
}

impl Declared {
    fn parse(text: &str) -> Declared {
        let (name, value) = text.trim().split_once(':').unwrap_or(("sha1", text.trim()));
        if !matches!(name.to_ascii_lowercase().as_str(), "sha1" | "sha-1") {
            return Declared::Other;
        }
        let value = value.trim();
        // The standard wants no particular coding: base32 by custom, hex and both base64 occur.
        let bytes = match value.len() {
            32 => BASE32.decode(value.to_ascii_uppercase().as_bytes()),
            40 => HEXLOWER.decode(value.to_ascii_lowercase().as_bytes()),
            28 if value.contains(['-', '_']) => BASE64URL.decode(value.as_bytes()),
            _ => BASE64.decode(value.as_bytes()),
        };
        match bytes.ok().and_then(|b| b.try_into().ok()) {
            Some(digest) => Declared::Sha1(digest),
            None => Declared::Unreadable,
        }
    }
}

fn payload_agrees(record: &Record, declared: [u8; 20]) -> Option<bool> {
    match record.kind {
        RecordType::Revisit => None,
        RecordType::Request => {
            let body =
                memchr::memmem::find(&record.data, b"\r\n\r\n").map_or(&[][..], |at| &record.data[at + 4..]);
            Some(declared == sha1(body))
        }
        RecordType::Response if record.is_http() => {
            let response = Response::parse(&record.data);
            let agrees = declared == sha1(response.body)
                || declared == sha1(&response.payload(MAX_PAYLOAD).bytes)
                || declared == sha1(&record.data);
            Some(agrees)
        }
        _ => Some(declared == sha1(&record.data)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared() {
        let abc = Declared::Sha1(sha1(b"abc"));
        for (text, want) in [
            ("sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", abc),
            ("SHA-1: a9993e364706816aba3e25717850c26c9cd0d89d", Declared::Sha1(sha1(b"abc"))),
            ("VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", Declared::Sha1(sha1(b"abc"))),
            ("sha1:qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", Declared::Sha1(sha1(b"abc"))),
            ("sha1:qZk-NkcGgWq6PiVxeFDCbJzQ2J0=", Declared::Sha1(sha1(b"abc"))),
            ("sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", Declared::Unreadable),
            ("sha1:", Declared::Unreadable),
            ("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", Declared::Other),
            ("md5:900150983cd24fb0d6963f7d28e17f72", Declared::Other),
        ] {
            assert_eq!(Declared::parse(text), want, "{text}");
        }
    }
}
