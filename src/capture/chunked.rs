//! Transfer decoding: the body as one run of bytes.
//!
//! Archives hold three kinds of "chunked": true; *false* (the crawler stored the joined body and kept the header); and
//! broken (a proxy or script got sizes wrong, the connection ended). The rule: the body is chunked if its first line
//! is a chunk size; then each chunk is `size [;extension] CRLF data CRLF` (LF alone is taken), a size of 0 ends it,
//! trailers are dropped. Where a line break is missing after a chunk, the true end is searched: the next line break
//! that is followed by a chunk which itself fits. If there is none, the first chunk makes the body a false one; a
//! later chunk takes the remaining bytes. Data that end early are kept.
//!
//! Cost: linear; one chunk is borrowed, several are copied once. Reference: RFC 9112, section 7.1.

use std::borrow::Cow;

/// A body after transfer decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Payload<'a> {
    /// The bytes, content coding still on.
    pub bytes: Cow<'a, [u8]>,
    /// Whether bytes are missing at the end: the transfer broke off, or the limit cut them.
    pub truncated: bool,
    /// What was wrong, if anything; the limit is no defect.
    pub defect: Option<&'static str>,
}

/// One chunk, as offsets into the body.
struct Chunk {
    data: usize,
    size: u64,
}

/// Joins the chunks of a body, at most `max` bytes of them. A body that is not chunked comes back as it is.
pub fn decode(body: &[u8], max: usize) -> Payload<'_> {
    let mut out = JoinedChunks { first: None, bytes: Vec::new(), max, cut: false };
    let mut defect = None;
    let mut at = 0;
    let mut first = true;
    let (truncated, defect) = loop {
        let Some(chunk) = chunk_line(body, at) else {
            if first {
                return whole(
                    body,
                    max,
                    (!body.is_empty()).then_some("Transfer-Encoding says chunked, the body is not"),
                );
            }
            break match &body[at..] {
                rest if rest.len() < 20 && could_begin_line(rest) => (true, defect.or(Some("no last chunk"))),
                rest => {
                    out.push(rest);
                    (true, Some("chunk size that is no number"))
                }
            };
        };
        if chunk.size == 0 {
            let extra = !trailers_end(&body[chunk.data..]);
            break (false, defect.or(extra.then_some("bytes after the last chunk")));
        }
        let left = (body.len() - chunk.data) as u64;
        let end = match usize::try_from(chunk.size) {
            Ok(size) if chunk.size <= left => chunk.data + size,
            // Longer than what there is: cut off, unless the end of a whole body shows that the size is wrong.
            _ => match body.strip_suffix(b"\r\n0\r\n\r\n") {
                Some(before) if before.len() > chunk.data => {
                    out.push(&body[chunk.data..before.len()]);
                    break (false, Some("wrong chunk size"));
                }
                _ => {
                    out.push(&body[chunk.data..]);
                    break (true, defect.or(Some("chunk cut short")));
                }
            },
        };
        if let Some(next) = line_break(body, end) {
            out.push(&body[chunk.data..end]);
            at = next;
        } else if body.len() - end < 2 && (body.len() == end || body[end] == b'\r') {
            out.push(&body[chunk.data..end]);
            break (true, defect.or(Some("no last chunk")));
        } else {
            match resynchronise(body, chunk.data) {
                Some((end, next)) => {
                    defect = Some("wrong chunk size");
                    out.push(&body[chunk.data..end]);
                    at = next;
                }
                None if first => {
                    return whole(body, max, Some("Transfer-Encoding says chunked, the body is not"));
                }
                None => {
                    out.push(&body[chunk.data..]);
                    break (true, Some("wrong chunk size"));
                }
            }
        }
        first = false;
        if out.cut {
            break (true, defect);
        }
    };
    let truncated = truncated || out.cut;
    let bytes = match out.first {
        Some(only) if out.bytes.is_empty() => Cow::Borrowed(only),
        _ => Cow::Owned(out.bytes),
    };
    Payload { bytes, truncated, defect }
}

/// Writes a body in chunks of at most `size` bytes: the inverse of [`decode`].
pub fn encode(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / size.max(1) * 8 + 8);
    for chunk in bytes.chunks(size.max(1)) {
        out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

/// Chunks joined; the first is not copied until there is a second.
struct JoinedChunks<'a> {
    first: Option<&'a [u8]>,
    bytes: Vec<u8>,
    max: usize,
    cut: bool,
}

impl<'a> JoinedChunks<'a> {
    fn push(&mut self, chunk: &'a [u8]) {
        let have =
            self.bytes.len() + if self.bytes.is_empty() { self.first.map_or(0, <[u8]>::len) } else { 0 };
        let take = chunk.len().min(self.max - have);
        self.cut |= take < chunk.len();
        match self.first {
            None => self.first = Some(&chunk[..take]),
            Some(first) => {
                if self.bytes.is_empty() {
                    self.bytes.extend_from_slice(first);
                }
                self.bytes.extend_from_slice(&chunk[..take]);
            }
        }
    }
}

fn whole<'a>(body: &'a [u8], max: usize, defect: Option<&'static str>) -> Payload<'a> {
    Payload { bytes: Cow::Borrowed(&body[..body.len().min(max)]), truncated: body.len() > max, defect }
}

/// Reads the line of a chunk size.
fn chunk_line(body: &[u8], at: usize) -> Option<Chunk> {
    // No server writes extensions of kilobytes; a limit keeps a search over false lines linear.
    let line = &body[at..body.len().min(at + 4096)];
    let end = memchr::memchr(b'\n', line)?;
    let text = line[..end].strip_suffix(b"\r").unwrap_or(&line[..end]);
    let digits = text.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let size = digits.iter().try_fold(0_u64, |n, d| Some(n << 4 | u64::from(crate::percent::hex(*d)?)))?;
    Some(Chunk { data: at + end + 1, size })
}

/// Position after a line break at `at`.
fn line_break(body: &[u8], at: usize) -> Option<usize> {
    match body.get(at..)? {
        [b'\r', b'\n', ..] => Some(at + 2),
        [b'\n', ..] => Some(at + 1),
        _ => None,
    }
}

/// Finds the true end of a chunk whose size is wrong: a line break and, after it, a chunk that fits.
/// Returns the end of the data and the start of the next chunk's line.
fn resynchronise(body: &[u8], from: usize) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(&body[from..], b"\r\n").find_map(|found| {
        let end = from + found;
        let chunk = chunk_line(body, end + 2)?;
        let fits = match usize::try_from(chunk.size) {
            Ok(0) => trailers_end(&body[chunk.data..]),
            Ok(size) => chunk.data.checked_add(size).is_some_and(|end| line_break(body, end).is_some()),
            Err(_) => false,
        };
        fits.then_some((end, end + 2))
    })
}

/// Whether nothing follows but trailers and an empty line (which may be missing).
fn trailers_end(mut rest: &[u8]) -> bool {
    loop {
        let Some(end) = memchr::memchr(b'\n', rest) else { return rest.is_empty() || rest == b"\r" };
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        rest = &rest[end + 1..];
        if line.is_empty() {
            return rest.is_empty();
        }
        if !line.contains(&b':') {
            return false;
        }
    }
}

/// Whether the data end within what could still become the line of a chunk size.
fn could_begin_line(rest: &[u8]) -> bool {
    let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    matches!(&rest[digits..], [] | [b'\r'] | [b';', ..]) && !rest.contains(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Response;
    use proptest::prelude::*;

    #[test]
    fn table() {
        const NOT: &str = "Transfer-Encoding says chunked, the body is not";
        type Case = (&'static [u8], &'static [u8], bool, Option<&'static str>);
        let cases: &[Case] = &[
            (b"3\r\nabc\r\n0\r\n\r\n", b"abc", false, None),
            (b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", b"abcde", false, None),
            (b"3\nabc\n2\nde\n0\n\n", b"abcde", false, None),
            (b"003 \r\nabc\r\n0\r\n", b"abc", false, None),
            (b"3;x=\"y\"\r\nabc\r\n0;last\r\nA: b\r\nC: d\r\n\r\n", b"abc", false, None),
            (b"0\r\n\r\n", b"", false, None),
            (b"3\r\nabc\r\n0\r\n\r\nmore", b"abc", false, Some("bytes after the last chunk")),
            // cut off
            (b"", b"", false, None),
            (b"5\r\nabc", b"abc", true, Some("chunk cut short")),
            (b"3\r\nabc", b"abc", true, Some("no last chunk")),
            (b"3\r\nabc\r", b"abc", true, Some("no last chunk")),
            (b"3\r\nabc\r\n", b"abc", true, Some("no last chunk")),
            (b"3\r\nabc\r\n1", b"abc", true, Some("no last chunk")),
            (b"3\r\nabc\r\n1f;x", b"abc", true, Some("no last chunk")),
            (b"ffffffffffffffff\r\nabc", b"abc", true, Some("chunk cut short")),
            (b"7fffffffffffffff\r\nabc", b"abc", true, Some("chunk cut short")),
            // not chunked at all
            (b"<html>", b"<html>", false, Some(NOT)),
            (b"<html>\r\n3\r\nabc\r\n0\r\n\r\n", b"<html>\r\n3\r\nabc\r\n0\r\n\r\n", false, Some(NOT)),
            (b"2\r\nabcdef ghi", b"2\r\nabcdef ghi", false, Some(NOT)),
            (b"11111111111111111\r\nabc", b"11111111111111111\r\nabc", false, Some(NOT)),
            (b"\r\nabc", b"\r\nabc", false, Some(NOT)),
            // wrong sizes
            (b"2\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", b"abcde", false, Some("wrong chunk size")),
            (b"9\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", b"abcde", false, Some("wrong chunk size")),
            (b"3\r\nabc\r\nff\r\nde\r\n0\r\n\r\n", b"abcde", false, Some("wrong chunk size")),
            (b"3\r\nabc\r\n1\r\ndef ghi", b"abcdef ghi", true, Some("wrong chunk size")),
            (
                b"3\r\nabc\r\nnonsense, really\r\n",
                b"abcnonsense, really\r\n",
                true,
                Some("chunk size that is no number"),
            ),
        ];
        for (body, want, truncated, defect) in cases {
            let got = decode(body, usize::MAX);
            let name = String::from_utf8_lossy(body);
            assert_eq!(got.bytes.as_ref(), *want, "{name}");
            assert_eq!((got.truncated, got.defect), (*truncated, *defect), "{name}");
        }
    }

    #[test]
    fn one_chunk_is_borrowed() {
        assert!(matches!(decode(b"3\r\nabc\r\n0\r\n\r\n", 9).bytes, Cow::Borrowed(b"abc")));
    }

    #[test]
    fn content_length() {
        for (head, body, truncated, defect) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3", "abc", false, None),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5", "abc", true, Some("body shorter than Content-Length")),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1", "abc", false, Some("body longer than Content-Length")),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5", "", false, None),
            ("HTTP/1.1 200 OK\r\nContent-Length: -5", "abc", false, None),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: Chunked",
                "3\r\nabc\r\n0\r\n\r\n",
                false,
                None,
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked", "3\r\nabc\r\n0\r\n\r\n", false, None),
        ] {
            let data = format!("{head}\r\n\r\n{body}");
            let response = Response::parse(data.as_bytes());
            let got = response.payload(usize::MAX);
            assert_eq!((got.truncated, got.defect), (truncated, defect), "{head}");
            assert_eq!(got.bytes.as_ref(), &b"abc"[..body.len().min(3)], "{head}");
            assert!(response.payload(2).bytes.len() <= 2);
            assert_eq!(response.payload(2).truncated, truncated || !body.is_empty());
        }
    }

    proptest! {
        #[test]
        fn round_trip(bytes in proptest::collection::vec(any::<u8>(), 0..400), size in 1_usize..50, max in 0_usize..450) {
            let coded = encode(&bytes, size);
            let got = decode(&coded, max);
            prop_assert_eq!(got.bytes.as_ref(), &bytes[..bytes.len().min(max)]);
            prop_assert_eq!(got.truncated, bytes.len() > max);
            prop_assert_eq!(got.defect, None);
        }

        #[test]
        fn cut_anywhere_keeps_a_prefix(bytes in proptest::collection::vec(any::<u8>(), 1..100), size in 1_usize..30, cut in any::<prop::sample::Index>()) {
            let coded = encode(&bytes, size);
            let cut = cut.index(coded.len());
            let got = decode(&coded[..cut], usize::MAX);
            // Too short to be known as chunked: comes back as it is.
            if !coded[..cut].contains(&b'\n') { return Ok(()); }
            prop_assert!(bytes.starts_with(&got.bytes), "{:?} of {:?}", got, bytes);
            prop_assert_eq!(got.truncated, cut < coded.len() - 2, "{:?}", got);
        }
    }
}
