//! Content decoding: gzip, deflate, br and zstd, in bounded memory.
//!
//! The codings of `Content-Encoding` (and those of `Transfer-Encoding` other than `chunked`) are undone from the last
//! to the first, at most [`MAX_CODINGS`] of them. A body that is not what its label says comes back as it is, with a
//! defect: crawlers decode and keep the header. A stream that is cut or damaged gives what was decoded before.
//!
//! Cost: linear in what is read and written. Memory: `max` bytes and at most 64 KiB for each output, and the window of
//! the decoder (gzip, deflate 32 KiB, br at most 16 MiB, zstd at most 8 MiB: a frame that asks for more is refused,
//! RFC 9659). Reference: RFC 9110 section 8.4.1, RFC 1950–1952, 7932, 8878.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use crate::capture::Response;

/// Longest chain of codings that is undone.
pub const MAX_CODINGS: usize = 4;

/// Largest window of a zstd frame, as a power of two.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A body after content decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Whether bytes are missing at the end: the stream is cut or damaged, or the limit was reached.
    pub truncated: bool,
    /// What was wrong, if anything; the limit is no defect.
    pub defect: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Undoes the content codings that the headers of `response` name, on its `payload`: at most `max` bytes come out.
pub fn decode_content<'a>(response: &Response<'_>, payload: &'a [u8], max: usize) -> Decoded<'a> {
    let mut names = response.tokens("content-encoding");
    names.extend(response.tokens("transfer-encoding").into_iter().filter(|name| name != "chunked"));
    let mut codings = Vec::new();
    let mut unknown = None;
    for name in &names {
        match name.as_str() {
            "gzip" | "x-gzip" => codings.push(Coding::Gzip),
            "deflate" | "x-deflate" => codings.push(Coding::Deflate),
            "br" => codings.push(Coding::Brotli),
            "zstd" | "x-zstd" => codings.push(Coding::Zstd),
            "identity" | "none" | "binary" | "7bit" | "8bit" => {}
            // Labels that name no coding (`utf-8`) are passed over, as browsers do.
            _ => unknown = Some("unknown Content-Encoding"),
        }
    }
    if codings.len() > MAX_CODINGS {
        codings.clear();
        unknown = Some("too many content codings");
    }
    let mut decoded = Decoded { bytes: Cow::Borrowed(payload), truncated: false, defect: unknown };
    for coding in codings.into_iter().rev() {
        let (bytes, truncated, defect) = match undo(coding, &decoded.bytes, max) {
            Undone::NotThis => (None, false, Some("body is not what Content-Encoding says")),
            Undone::Bytes { bytes, truncated, defect } => (Some(bytes), truncated, defect),
        };
        if let Some(bytes) = bytes {
            decoded.bytes = Cow::Owned(bytes);
        }
        decoded.truncated |= truncated;
        decoded.defect = decoded.defect.or(defect);
    }
    if decoded.bytes.len() > max {
        decoded.truncated = true;
        match &mut decoded.bytes {
            Cow::Borrowed(bytes) => *bytes = &bytes[..max],
            Cow::Owned(bytes) => bytes.truncate(max),
        }
    }
    decoded
}

enum Undone {
    NotThis,
    Bytes { bytes: Vec<u8>, truncated: bool, defect: Option<&'static str> },
}

/// How a stream ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Clean,
    Cut,
    Damaged,
    Limit,
}

fn undo(coding: Coding, data: &[u8], max: usize) -> Undone {
    if data.is_empty() {
        return Undone::Bytes { bytes: Vec::new(), truncated: false, defect: None };
    }
    let mut out = Output { buffer: Vec::new(), filled: 0, max };
    let mut rest = data;
    let (end, trailing) = match coding {
        Coding::Gzip => {
            if !data.starts_with(&[0x1f, 0x8b]) {
                return Undone::NotThis;
            }
            loop {
                let end = out.drain(&mut GzDecoder::new(&mut rest));
                if end != End::Clean || !rest.starts_with(&[0x1f, 0x8b]) {
                    // Padding with zeroes is usual.
                    break (end, rest.iter().any(|b| *b != 0));
                }
            }
        }
        Coding::Deflate => {
            let zlib =
                matches!(data, [a, b, ..] if a & 15 == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0);
            let mut end = End::Damaged;
            if zlib {
                end = out.drain(&mut ZlibDecoder::new(&mut rest));
            }
            if end == End::Damaged && out.filled == 0 {
                // Servers send the raw stream under this name as often as the zlib one.
                rest = data;
                end = out.drain(&mut DeflateDecoder::new(&mut rest));
                if end != End::Clean && end != End::Limit && (out.filled == 0 || looks_like_text(data)) {
                    return Undone::NotThis;
                }
            }
            (end, !rest.is_empty())
        }
        Coding::Brotli => {
            let end = out.drain(&mut brotli::Decompressor::new(&mut rest, 16 * 1024));
            // The format has no mark to know it by: text is not taken for a stream that happens to be damaged.
            if end != End::Clean && end != End::Limit && (out.filled == 0 || looks_like_text(data)) {
                return Undone::NotThis;
            }
            (end, false)
        }
        Coding::Zstd => {
            let skippable = matches!(data, [a, 0x2a, 0x4d, 0x18, ..] if a & 0xf0 == 0x50);
            if !skippable && !data.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
                return Undone::NotThis;
            }
            let decoder = zstd::stream::read::Decoder::with_buffer(&mut rest);
            let end = match decoder.and_then(|mut d| d.window_log_max(ZSTD_WINDOW_LOG).map(|()| d)) {
                Ok(mut decoder) => out.drain(&mut decoder),
                Err(_) => End::Damaged,
            };
            (end, false)
        }
    };
    let defect = match end {
        End::Cut => Some("compressed body is cut short"),
        End::Damaged => Some("compressed body is damaged"),
        End::Clean if trailing => Some("bytes after the compressed body"),
        End::Clean | End::Limit => None,
    };
    Undone::Bytes { bytes: out.into_bytes(), truncated: end != End::Clean, defect }
}

/// Where decoders write: a buffer that grows by doubling, never beyond `max`.
struct Output {
    buffer: Vec<u8>,
    filled: usize,
    max: usize,
}

impl Output {
    /// Takes all that a decoder gives, up to the limit.
    fn drain(&mut self, decoder: &mut impl Read) -> End {
        const STEP: usize = 32 * 1024;
        loop {
            let got = if self.filled >= self.max {
                // One byte more tells a body of exactly `max` bytes from a longer one, and has the end checked.
                match decoder.read(&mut [0]) {
                    Ok(1..) => return End::Limit,
                    got => got,
                }
            } else {
                if self.filled == self.buffer.len() {
                    let room = self.filled.max(STEP).min(self.max - self.filled);
                    self.buffer.reserve_exact(room);
                    self.buffer.resize(self.filled + room, 0);
                }
                decoder.read(&mut self.buffer[self.filled..])
            };
            match got {
                Ok(0) => return End::Clean,
                Ok(n) => self.filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return end_of(&error),
            }
        }
    }

    fn into_bytes(mut self) -> Vec<u8> {
        self.buffer.truncate(self.filled);
        // A small page does not keep a big buffer.
        self.buffer.shrink_to_fit();
        self.buffer
    }
}

fn end_of(error: &io::Error) -> End {
    if error.kind() == io::ErrorKind::UnexpectedEof { End::Cut } else { End::Damaged }
}

/// Whether the start of some bytes is text, as no compressed stream of that length is.
fn looks_like_text(data: &[u8]) -> bool {
    let start = &data[..data.len().min(256)];
    start.iter().all(|b| *b >= b' ' && *b != 0x7f || matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
}
