//! The search for a member: after damage, or at the start of a range.
//!
//! A member is taken where its magic bytes are and its first bytes decode to what the caller wants. After damage the
//! search starts one byte after the start of the broken member, because a wrong bit can make a decoder run over any
//! number of good members.

use ::zstd::stream::raw::Operation;
use ::zstd::zstd_safe::{InBuffer, OutBuffer};
use flate2::FlushDecompress;
use memchr::memmem;

use webmill_capture::error::Result;

use super::gzip::{self, Head, head_length};
use super::{Codec, Members, Phase, lz4, zstd};

/// Decoded bytes that a probe looks at.
const PROBE_OUT: usize = 1024;

impl Members {
    /// Gives up the current member and searches the stored bytes after its first for the next whose decoded bytes
    /// satisfy `proof`. Gives `false`, at the end of the file, when there is none.
    ///
    /// # Errors
    /// A failing read.
    pub(crate) fn find(&mut self, proof: impl Fn(&[u8]) -> bool) -> Result<bool> {
        self.drop_window();
        if self.is_plain() || self.phase == Phase::Done {
            self.phase = Phase::Done;
            return Ok(false);
        }
        let from = self.stored.position() + self.taken as u64;
        self.taken = 0;
        self.stored.seek(self.member_at + 1);
        let found = self.search(proof);
        if self.inside {
            // What they would have become is not known: they count as they are stored.
            self.base += self.stored.position().saturating_sub(from);
        }
        found
    }

    /// Searches from the stored position itself: how a range of a file finds its first member.
    ///
    /// # Errors
    /// A failing read.
    pub(crate) fn search(&mut self, proof: impl Fn(&[u8]) -> bool) -> Result<bool> {
        let magic: &[u8] = match self.codec {
            Codec::Gzip(_) => &gzip::MAGIC,
            Codec::Lz4(_) => &lz4::MAGIC,
            _ => &zstd::MAGIC,
        };
        loop {
            let held = self.stored.fill(magic.len()).len();
            if held < magic.len() {
                self.stored.consume(held);
                self.phase = Phase::Done;
                return match self.stored.take_error() {
                    Some(error) => Err(error),
                    None => Ok(false),
                };
            }
            match memmem::find(self.stored.buffered(), magic) {
                None => self.stored.consume(held - (magic.len() - 1)),
                Some(at) => {
                    self.stored.consume(at);
                    if matches!(self.codec, Codec::Gzip(_)) && self.pass_empty() {
                        continue;
                    }
                    if self.probe().is_some_and(|decoded| proof(&decoded)) {
                        self.member_at = self.stored.position();
                        self.phase = Phase::Between;
                        return Ok(true);
                    }
                    self.stored.consume(1);
                }
            }
        }
    }

    /// First decoded bytes of a member that would start at the stored position.
    fn probe(&mut self) -> Option<Vec<u8>> {
        let mut decoded = vec![0; PROBE_OUT];
        let n = match &mut self.codec {
            Codec::Plain => return None,
            Codec::Gzip(gzip) => {
                let window = self.stored.fill(4096);
                let Head::Complete(head) = head_length(window) else { return None };
                let body = &window[head..window.len().min(head + 4096)];
                gzip.inflate.reset(false);
                gzip.inflate.decompress(body, &mut decoded, FlushDecompress::None).ok()?;
                gzip.inflate.total_out() as usize
            }
            Codec::Zstd(decoder) => {
                let window = self.stored.fill(256 * 1024);
                decoder.reinit().ok()?;
                let mut input = InBuffer::around(window);
                let mut output = OutBuffer::around(&mut decoded);
                while output.pos() < PROBE_OUT && input.pos() < window.len() {
                    if decoder.run(&mut input, &mut output).ok()? == 0 {
                        break;
                    }
                }
                output.pos()
            }
            Codec::Lz4(_) => {
                // The first block has to be there whole; it is as large as the head of the frame allows.
                let window = self.stored.fill((4 << 20) + 64);
                return lz4::probe(window);
            }
        };
        decoded.truncate(n);
        Some(decoded)
    }

    fn drop_window(&mut self) {
        let held = self.reach();
        self.consume(held);
        self.marks.clear();
    }
}
