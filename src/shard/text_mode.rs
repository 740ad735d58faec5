//! Undoing what a transfer in text mode does to a RAW DB file: every LF became CR LF.
//!
//! The CR before each LF is taken out. That the file was changed so, its first line shows; that the undoing gives what was
//! there before, the lengths of its records show, which hold for that only. CR LF that became LF cannot be undone.
//! Cost: one pass, no memory.

use std::io::{BufRead, Read, Result};

use super::raw_head::MARK;
use super::stream::Stream;

/// Longest first line.
const LINE_BYTES: usize = 64;

/// Does the file begin with a line `version:` that ends in CR LF?
pub(super) fn begins(stream: &mut Stream) -> bool {
    let start = stream.fill(LINE_BYTES);
    let line = memchr::memchr(b'\n', start).map_or(&[][..], |end| &start[..end]);
    line.starts_with(MARK) && line.ends_with(b"\r")
}

/// Lends a stream without the CR before each LF.
pub(super) struct Undone {
    pub stream: Stream,
    /// A CR was met; what follows says whether it is given out.
    held: bool,
}

impl Undone {
    pub(super) fn new(stream: Stream) -> Undone {
        Undone { stream, held: false }
    }
}

impl Read for Undone {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let mut made = 0;
        while made == 0 && !into.is_empty() {
            let bytes = self.stream.fill_buf()?;
            if bytes.is_empty() {
                made = usize::from(std::mem::take(&mut self.held));
                into[..made].fill(b'\r');
                break;
            }
            let mut used = 0;
            while used < bytes.len() && made < into.len() {
                let byte = bytes[used];
                if self.held && byte != b'\n' {
                    self.held = false;
                    into[made] = b'\r';
                    made += 1;
                    continue;
                }
                self.held = byte == b'\r';
                if !self.held {
                    into[made] = byte;
                    made += 1;
                }
                used += 1;
            }
            self.stream.consume(used);
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn one_cr_goes_before_each_lf_wherever_reading_is_cut() {
        let whole = b"\r\r\na\r\n\r\rb\r\n\n\r";
        for size in 1..=whole.len() {
            let stream = Stream::from_reader(Box::new(&whole[..]), "t");
            let mut undone = Undone::new(stream);
            let (mut all, mut chunk) = (Vec::<u8>::new(), vec![0; size]);
            loop {
                match undone.read(&mut chunk).unwrap() {
                    0 => break,
                    n => all.extend(&chunk[..n]),
                }
            }
            assert_eq!(all, b"\r\na\n\r\rb\n\n\r", "{size}");
        }
        let mut other =
            Stream::from_bytes(std::path::Path::new("t"), Arc::from("t"), 0, b"version:1.0\n".into());
        assert!(!begins(&mut other));
    }
}
