//! Trouble with single pages: errors, broken and unusual transfer, compressed bodies, bombs.

use std::io::Write as _;

use flate2::{Compress, Compression, Crc, FlushCompress};

use super::draw::{below, purpose, unit};
use super::sim::SimWeb;
use super::sim_answer::{Answer, Ending, Rest, gzip};
use super::sim_config::{Trouble, pick};

impl Trouble {
    /// Whether a crawler sees less than the whole body, or cannot know that it is whole.
    pub(super) fn cuts(self) -> bool {
        matches!(
            self,
            Trouble::Huge
                | Trouble::Endless
                | Trouble::EndlessDrip
                | Trouble::Short
                | Trouble::Long
                | Trouble::BrokenChunks
                | Trouble::Bomb
        )
    }
}

/// White space that bodies are filled with.
const FILLER: &[u8] = &[b' '; 16 * 1024];

impl SimWeb {
    /// The trouble of a page that would answer 200.
    pub(super) fn trouble(&self, page: u64) -> Option<Trouble> {
        let at = unit(self.web.hash(page, purpose::TROUBLE));
        let trouble = pick(&self.config.pages.all(), Trouble::ALL, at)?;
        (self.web.host_start(self.web.host_of(page)) != page).then_some(trouble)
    }

    /// Attempts at a page that fail before it is given.
    pub(super) fn failures(&self, page: u64) -> u32 {
        match self.trouble(page) {
            Some(Trouble::Passing) => 1 + (self.web.hash(page, purpose::TROUBLE) & 1) as u32,
            Some(Trouble::Busy) => 1,
            _ => 0,
        }
    }

    /// Sends a page in the way of its trouble: `head` is status line and headers up to those about the body.
    pub(super) fn send(
        &self,
        page: u64,
        trouble: Trouble,
        attempt: u32,
        head: &[u8],
        body: &[u8],
        out: &mut Answer,
    ) {
        let hash = self.web.hash(page, purpose::TROUBLE).rotate_left(40);
        let pick = |from: &[u16]| from[below(hash, from.len() as u64) as usize];
        let retry_after = || match hash >> 61 & 1 {
            0 => format!("Retry-After: {}\r\n", self.config.retry_after_s),
            _ => "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n".to_owned(),
        };
        out.status = 200;
        match trouble {
            Trouble::Failing => out.error(pick(&[500, 502, 504]), ""),
            Trouble::Refused => out.error(pick(&[401, 403, 410, 451]), ""),
            Trouble::Passing if attempt < self.failures(page) => out.error(pick(&[500, 503]), ""),
            Trouble::Busy if attempt < self.failures(page) => out.error(pick(&[429, 503]), &retry_after()),
            Trouble::Dropped => out.nothing(Ending::Close),
            Trouble::HalfHead => {
                out.nothing(Ending::Close);
                out.message.extend_from_slice(&head[..head.len() - 10]);
            }
            Trouble::Garbage => {
                out.nothing(Ending::Close);
                out.message.extend_from_slice(b"\x16\x03\x01\x02 220 mail.example ESMTP ready\r\n\x00\xff");
            }
            Trouble::Passing | Trouble::Busy => out.whole(head, "", body),
            Trouble::Huge => {
                let more = self.config.huge_bytes.saturating_sub(body.len() as u64);
                out.begin(head, &format!("Content-Length: {}\r\n", body.len() as u64 + more));
                out.message.extend_from_slice(body);
                let pieces = more / FILLER.len() as u64;
                let end = FILLER[..(more % FILLER.len() as u64) as usize].to_vec();
                out.rest = Rest::Repeat { piece: FILLER.into(), times: Some(pieces), end };
            }
            Trouble::Endless => {
                out.begin(head, "");
                out.message.extend_from_slice(body);
                out.rest = Rest::Repeat { piece: FILLER.into(), times: None, end: Vec::new() };
                out.ending = Ending::Close;
            }
            Trouble::Drip => {
                out.begin(head, &format!("Content-Length: {}\r\n", body.len()));
                let pieces = body.chunks(body.len().div_ceil(16).max(1)).map(<[u8]>::to_vec).collect();
                out.rest = Rest::Drip { pieces, every_ms: self.config.drip_ms, endless: false };
            }
            Trouble::EndlessDrip => {
                out.begin(head, "");
                out.message.extend_from_slice(body);
                out.rest =
                    Rest::Drip { pieces: vec![b" ".to_vec()], every_ms: self.config.drip_ms, endless: true };
                out.ending = Ending::Close;
            }
            Trouble::Short => {
                out.whole(head, "", body);
                out.message.extend_from_slice(b"<!-- what the length did not count -->\n");
            }
            Trouble::Long => {
                out.begin(head, &format!("Content-Length: {}\r\n", body.len() + 1000));
                out.message.extend_from_slice(body);
                out.ending = Ending::Close;
            }
            Trouble::Chunked | Trouble::Trailers | Trouble::BrokenChunks => {
                let size = 1 + below(hash, body.len() as u64) as usize;
                send_chunked(trouble, size, head, body, out);
            }
            Trouble::Unbounded => {
                out.begin(head, "Connection: close\r\n");
                out.message.extend_from_slice(body);
                out.ending = Ending::Close;
            }
            Trouble::Gzip => out.whole(head, "Content-Encoding: gzip\r\n", &gzip(body)),
            Trouble::Brotli => out.whole(head, "Content-Encoding: br\r\n", &brotli(body)),
            Trouble::Zstd => {
                let packed = zstd::bulk::compress(body, 3).unwrap_or_default();
                out.whole(head, "Content-Encoding: zstd\r\n", &packed);
            }
            Trouble::Bomb => self.bomb(head, body, out),
            Trouble::Odd => send_odd(head, body, out),
            Trouble::Old => {
                let changed = [b"HTTP/1.0".as_slice(), &head[8..]].concat();
                out.begin(&changed, "");
                out.message.extend_from_slice(body);
                out.ending = Ending::Close;
            }
        }
    }

    /// One gzip member: the page, then the same block of white space again and again.
    fn bomb(&self, head: &[u8], body: &[u8], out: &mut Answer) {
        const BLOCK: usize = 1 << 20;
        let spaces = vec![b' '; BLOCK];
        let times = self.config.bomb_bytes / BLOCK as u64;
        let first = deflate(body);
        let block = deflate(&spaces);
        let (mut sum, mut of_block) = (Crc::new(), Crc::new());
        sum.update(body);
        of_block.update(&spaces);
        for _ in 0..times {
            sum.combine(&of_block);
        }
        let mut end = vec![3, 0]; // an empty last block
        end.extend_from_slice(&sum.sum().to_le_bytes());
        end.extend_from_slice(&((body.len() as u64 + times * BLOCK as u64) as u32).to_le_bytes());
        let start = [GZIP_HEAD.as_slice(), &first].concat();
        let length = start.len() as u64 + block.len() as u64 * times + end.len() as u64;
        out.begin(head, &format!("Content-Encoding: gzip\r\nContent-Length: {length}\r\n"));
        out.message.extend_from_slice(&start);
        out.rest = Rest::Repeat { piece: block.into(), times: Some(times), end };
    }
}

/// In chunks of a size, with trailers or a broken end.
fn send_chunked(trouble: Trouble, size: usize, head: &[u8], body: &[u8], out: &mut Answer) {
    let decorated = trouble == Trouble::Trailers;
    let announced = if decorated { "Trailer: X-Sum\r\n" } else { "" };
    out.begin(head, &format!("Transfer-Encoding: chunked\r\n{announced}"));
    for chunk in body.chunks(size) {
        let extension = if decorated { ";name=\"a;b\"" } else { "" };
        let _ = write!(out.message, "{:x}{extension}\r\n", chunk.len());
        out.message.extend_from_slice(chunk);
        out.message.extend_from_slice(b"\r\n");
    }
    out.message.extend_from_slice(match trouble {
        Trouble::Trailers => b"0\r\nX-Sum: 17\r\n\r\n".as_slice(),
        Trouble::BrokenChunks => b"xyz\r\nlost\r\n",
        _ => b"0\r\n\r\n",
    });
    if trouble == Trouble::BrokenChunks {
        out.ending = Ending::Close;
    }
}

/// As servers write that keep to no rule of form.
fn send_odd(head: &[u8], body: &[u8], out: &mut Answer) {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.split("\r\n");
    let _ = lines.next();
    out.message.extend_from_slice(b"HTTP/1.1 200\n");
    for line in lines.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(": ").unwrap_or((line, ""));
        let _ = writeln!(out.message, "{}:{value}", name.to_ascii_lowercase());
    }
    out.message.extend_from_slice(b"x-motto:\xce\xd2\xb0\xae\xb1\xb1\xbe\xa9\n");
    let _ = write!(out.message, "CONTENT-LENGTH:{}\n\n", body.len());
    out.head_len = out.message.len();
    out.message.extend_from_slice(body);
}

const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// Deflate blocks that refer to nothing before them and end on a byte, without a last block.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut packer = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(bytes.len() + 1024);
    loop {
        let from = packer.total_in() as usize;
        if out.len() == out.capacity() {
            out.reserve(4096);
        }
        let done = packer.compress_vec(&bytes[from..], &mut out, FlushCompress::Full);
        // All is flushed once a call leaves room in the output.
        if done.is_err() || (packer.total_in() as usize == bytes.len() && out.len() < out.capacity()) {
            return out;
        }
    }
}

fn brotli(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let params = brotli::enc::BrotliEncoderParams { quality: 1, lgwin: 18, ..Default::default() };
    let _ = brotli::BrotliCompress(&mut &body[..], &mut out, &params);
    out
}
