//! Content decoding: gzip, deflate, br and zstd, in bounded memory.
//!
//! Readers of captures call it for every body with a `Content-Encoding`.
//!
//! The codings of `Content-Encoding` (and those of `Transfer-Encoding` other than `chunked`) are undone from the last
//! to the first, at most [`MAX_CODINGS`] of them. A body that is not what its label says comes back as it is, with a
//! defect: crawlers decode and keep the header. A stream that is cut or damaged gives what was decoded before.
//!
//! Cost: linear in the bytes read and written. Memory: `max` bytes and at most 64 KiB for each output, and the window of
//! the decoder (gzip, deflate 32 KiB, br at most 16 MiB, zstd at most 8 MiB: a frame that asks for more is refused,
//! RFC 9659). Reference: RFC 9110 section 8.4.1, RFC 1950–1952, 7932, 8878.

use std::borrow::Cow;
use std::io::{self, Read};

use brotli::enc::StandardAlloc;
use brotli::{BrotliResult, BrotliState};
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use crate::Response;

/// Longest chain of codings that is undone.
pub const MAX_CODINGS: usize = 4;

/// Largest window of a zstd frame, as a power of two.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A body after content decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded<'a> {
    /// The body without content coding.
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
    for (left, coding) in codings.into_iter().enumerate().rev() {
        // What is still compressed may be a little longer than what comes of it.
        let room = if left == 0 { max } else { max.saturating_add(64 * 1024) };
        let (bytes, truncated, defect) = match undo(coding, &decoded.bytes, room) {
            UndoneCoding::NotThis => (None, false, Some("body is not what Content-Encoding says")),
            UndoneCoding::Bytes { bytes, truncated, defect } => (Some(bytes), truncated, defect),
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

enum UndoneCoding {
    NotThis,
    Bytes { bytes: Vec<u8>, truncated: bool, defect: Option<&'static str> },
}

/// How a stream ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamEnd {
    Clean,
    Cut,
    Damaged,
    Limit,
}

fn undo(coding: Coding, data: &[u8], max: usize) -> UndoneCoding {
    if data.is_empty() {
        return UndoneCoding::Bytes { bytes: Vec::new(), truncated: false, defect: None };
    }
    let mut out = Output { buffer: Vec::new(), filled: 0, max };
    let mut rest = data;
    let (end, trailing) = match coding {
        Coding::Gzip => {
            if !data.starts_with(&[0x1f, 0x8b]) {
                return UndoneCoding::NotThis;
            }
            loop {
                let end = out.drain(&mut GzDecoder::new(&mut rest));
                if end != StreamEnd::Clean || !rest.starts_with(&[0x1f, 0x8b]) {
                    // Padding with zeroes is usual.
                    break (end, rest.iter().any(|b| *b != 0));
                }
            }
        }
        Coding::Deflate => {
            let zlib =
                matches!(data, [a, b, ..] if a & 15 == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0);
            let mut end = StreamEnd::Damaged;
            if zlib {
                end = out.drain(&mut ZlibDecoder::new(&mut rest));
            }
            if end == StreamEnd::Damaged && out.filled == 0 {
                // Servers send the raw stream under this name as often as the zlib one.
                rest = data;
                end = out.drain(&mut DeflateDecoder::new(&mut rest));
                if end != StreamEnd::Clean
                    && end != StreamEnd::Limit
                    && (out.filled == 0 || looks_like_text(data))
                {
                    return UndoneCoding::NotThis;
                }
            }
            (end, !rest.is_empty())
        }
        Coding::Brotli => {
            let end = out.drain(&mut Brotli::new(data));
            // The format has no mark to know it by: text is not taken for a stream that happens to be damaged.
            if end != StreamEnd::Clean
                && end != StreamEnd::Limit
                && (out.filled == 0 || looks_like_text(data))
            {
                return UndoneCoding::NotThis;
            }
            (end, false)
        }
        Coding::Zstd => {
            let skippable = matches!(data, [a, 0x2a, 0x4d, 0x18, ..] if a & 0xf0 == 0x50);
            if !skippable && !data.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
                return UndoneCoding::NotThis;
            }
            let decoder = zstd::stream::read::Decoder::with_buffer(&mut rest);
            let end = match decoder.and_then(|mut d| d.window_log_max(ZSTD_WINDOW_LOG).map(|()| d)) {
                Ok(mut decoder) => out.drain(&mut decoder),
                Err(_) => StreamEnd::Damaged,
            };
            (end, false)
        }
    };
    let defect = match end {
        StreamEnd::Cut => Some("compressed body is cut short"),
        StreamEnd::Damaged => Some("compressed body is damaged"),
        StreamEnd::Clean if trailing => Some("bytes after the compressed body"),
        StreamEnd::Clean | StreamEnd::Limit => None,
    };
    UndoneCoding::Bytes { bytes: out.into_bytes(), truncated: end != StreamEnd::Clean, defect }
}

/// A br stream in memory as a reader. The crate's own reader calls a stream that is cut damaged.
struct Brotli<'a> {
    input: &'a [u8],
    at: usize,
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
}

impl<'a> Brotli<'a> {
    fn new(input: &'a [u8]) -> Self {
        let alloc = StandardAlloc::default;
        // Strict: without the windows of up to 1 GiB that browsers do not take either.
        Brotli { input, at: 0, state: BrotliState::new_strict(alloc(), alloc(), alloc()) }
    }
}

impl Read for Brotli<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (mut left, mut room) = (self.input.len() - self.at, buffer.len());
        let (mut written, mut total) = (0, 0);
        let result = brotli::BrotliDecompressStream(
            &mut left,
            &mut self.at,
            self.input,
            &mut room,
            &mut written,
            buffer,
            &mut total,
            &mut self.state,
        );
        match result {
            _ if written > 0 => Ok(written),
            BrotliResult::ResultSuccess => Ok(0),
            BrotliResult::NeedsMoreInput => Err(io::ErrorKind::UnexpectedEof.into()),
            BrotliResult::NeedsMoreOutput | BrotliResult::ResultFailure => {
                Err(io::ErrorKind::InvalidData.into())
            }
        }
    }
}

/// Where decoders write: a buffer that grows by doubling, never beyond `max`.
struct Output {
    buffer: Vec<u8>,
    filled: usize,
    max: usize,
}

impl Output {
    /// Takes all that a decoder gives, up to the limit.
    fn drain(&mut self, decoder: &mut impl Read) -> StreamEnd {
        const STEP: usize = 32 * 1024;
        loop {
            let got = if self.filled >= self.max {
                // One byte more tells a body of exactly `max` bytes from a longer one, and has the end checked.
                match decoder.read(&mut [0]) {
                    Ok(1..) => return StreamEnd::Limit,
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
                Ok(0) => return StreamEnd::Clean,
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

fn end_of(error: &io::Error) -> StreamEnd {
    if error.kind() == io::ErrorKind::UnexpectedEof { StreamEnd::Cut } else { StreamEnd::Damaged }
}

/// Whether the start of some bytes is text, as no compressed stream of that length is.
fn looks_like_text(data: &[u8]) -> bool {
    let start = &data[..data.len().min(256)];
    start.iter().all(|b| *b >= b' ' && *b != 0x7f || matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use std::io::Write;

    const PAGE: &[u8] = b"<html><body>a page, a page, a page, a page, and more of the page</body></html>";
    const NOT: &str = "body is not what Content-Encoding says";
    const CUT: &str = "compressed body is cut short";
    const DAMAGED: &str = "compressed body is damaged";

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).expect("memory");
        encoder.finish().expect("memory")
    }

    fn deflate(data: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).expect("memory");
        encoder.finish().expect("memory")
    }

    fn br(data: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = brotli::CompressorWriter::new(&mut out, 4096, 5, 22);
        writer.write_all(data).expect("memory");
        drop(writer);
        out
    }

    fn zstd(data: &[u8]) -> Vec<u8> {
        zstd::stream::encode_all(data, 3).expect("memory")
    }

    fn run(encoding: &str, body: &[u8], max: usize) -> (Vec<u8>, bool, Option<&'static str>) {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n\r\n");
        let response = Response::parse(head.as_bytes());
        let decoded = decode_content(&response, body, max);
        (decoded.bytes.into_owned(), decoded.truncated, decoded.defect)
    }

    #[test]
    fn codings() {
        let two = [gzip(&PAGE[..20]), gzip(&PAGE[20..])].concat();
        for (encoding, body) in [
            ("gzip", gzip(PAGE)),
            ("x-gzip", gzip(PAGE)),
            (" GZIP ", gzip(PAGE)),
            ("gzip", two.clone()),
            ("gzip", [two, vec![0; 20]].concat()),
            ("deflate", zlib(PAGE)),
            ("deflate", deflate(PAGE)),
            ("br", br(PAGE)),
            ("zstd", zstd(PAGE)),
            ("zstd", [zstd(&PAGE[..9]), zstd(&PAGE[9..])].concat()),
            ("gzip, br", br(&gzip(PAGE))),
            ("gzip, deflate, identity, br, zstd", zstd(&br(&zlib(&gzip(PAGE))))),
            ("identity", PAGE.to_vec()),
        ] {
            assert_eq!(run(encoding, &body, 1000), (PAGE.to_vec(), false, None), "{encoding}");
            assert_eq!(run(encoding, &body, PAGE.len()), (PAGE.to_vec(), false, None), "{encoding}");
            assert_eq!(run(encoding, &body, 30), (PAGE[..30].to_vec(), true, None), "{encoding}");
        }
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n";
        let body = gzip(PAGE);
        assert_eq!(decode_content(&Response::parse(head), &body, 1000).bytes, PAGE);
        assert!(matches!(decode_content(&Response::parse(b""), PAGE, 1000).bytes, Cow::Borrowed(_)));
    }

    #[test]
    fn wrong_labels_leave_the_body() {
        for encoding in ["gzip", "deflate", "br", "zstd"] {
            assert_eq!(run(encoding, PAGE, 1000), (PAGE.to_vec(), false, Some(NOT)), "{encoding}");
            assert_eq!(run(encoding, &PAGE[..9], 1000), (PAGE[..9].to_vec(), false, Some(NOT)), "{encoding}");
            assert_eq!(run(encoding, b"", 1000), (Vec::new(), false, None), "{encoding}");
        }
        assert_eq!(run("gzip, gzip", &gzip(PAGE), 1000), (PAGE.to_vec(), false, Some(NOT)));
        assert_eq!(run("utf-8", PAGE, 1000), (PAGE.to_vec(), false, Some("unknown Content-Encoding")));
        let many = (0..5).fold(PAGE.to_vec(), |body, _| gzip(&body));
        assert_eq!(
            run("gzip,gzip,gzip,gzip,gzip", &many, 1000),
            (many, false, Some("too many content codings"))
        );
        let trailing = [gzip(PAGE), b"<!-- cached -->".to_vec()].concat();
        assert_eq!(
            run("gzip", &trailing, 1000),
            (PAGE.to_vec(), false, Some("bytes after the compressed body"))
        );
    }

    #[test]
    fn cut_and_damaged_streams_keep_what_came_before() {
        let mut seed = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + (seed >> 24) as u8 % 26
        })
        .take(300_000)
        .collect();
        for (encoding, body) in [
            ("gzip", gzip(&noise)),
            ("deflate", zlib(&noise)),
            ("deflate", deflate(&noise)),
            ("br", br(&noise)),
            ("zstd", zstd(&noise)),
        ] {
            let (bytes, truncated, defect) = run(encoding, &body[..body.len() * 9 / 10], 1 << 20);
            assert!(noise.starts_with(&bytes) && bytes.len() > 100_000, "{encoding}: {}", bytes.len());
            assert_eq!((truncated, defect), (true, Some(CUT)), "{encoding}");
        }
        let mut wrong_sum = gzip(PAGE);
        let at = wrong_sum.len() - 6;
        wrong_sum[at] ^= 1;
        assert_eq!(run("gzip", &wrong_sum, 1000), (PAGE.to_vec(), true, Some(DAMAGED)));
        // A zstd frame that asks for a window of 2 GiB.
        assert_eq!(
            run("zstd", &[0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0], 1000),
            (Vec::new(), true, Some(DAMAGED))
        );
    }

    #[test]
    fn bombs_are_bounded() {
        let zeroes = vec![0; 32 << 20];
        let nested = gzip(&gzip(&zeroes));
        for (encoding, body) in [
            ("gzip", gzip(&zeroes)),
            ("deflate", deflate(&zeroes)),
            ("br", br(&zeroes)),
            ("zstd", zstd(&zeroes)),
            ("gzip, gzip", nested),
        ] {
            let max = 100_000;
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n\r\n");
            let response = Response::parse(head.as_bytes());
            let decoded = decode_content(&response, &body, max);
            let Cow::Owned(bytes) = &decoded.bytes else { panic!("{encoding} is decoded") };
            assert!(bytes.len() == max && bytes.capacity() <= max + (64 << 10), "{encoding}");
            assert!(decoded.truncated && decoded.defect.is_none(), "{encoding}");
        }
    }

    proptest! {
        #[test]
        fn damage_anywhere_is_bounded(at in any::<prop::sample::Index>(), bits in 1_u8.., cut in any::<prop::sample::Index>()) {
            for (encoding, mut body) in
                [("gzip", gzip(PAGE)), ("deflate", zlib(PAGE)), ("deflate", deflate(PAGE)), ("br", br(PAGE)), ("zstd", zstd(PAGE))]
            {
                let (at, cut) = (at.index(body.len()), cut.index(body.len()));
                let (bytes, ..) = run(encoding, &body[..cut], 1000);
                // What comes out is the beginning of the page, or the body as it is.
                prop_assert!(PAGE.starts_with(&bytes) || bytes == body[..cut]);
                body[at] ^= bits;
                prop_assert!(run(encoding, &body, 1000).0.len() <= 1000);
            }
        }
    }
}
