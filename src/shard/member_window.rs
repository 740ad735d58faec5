//! The decoded bytes that a caller has not consumed yet, and the room after them that decoders write to.

/// A buffer larger than this is given back when it is empty.
const KEEP_BYTES: usize = 16 << 20;

/// Bytes `start..end` of a buffer that is kept, so that its memory is zeroed once.
#[derive(Default)]
pub(super) struct Window {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Window {
    pub fn held(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// At least `least` bytes after what is held: all there are, whatever they hold.
    pub fn room(&mut self, least: usize) -> &mut [u8] {
        let held = self.end - self.start;
        if self.bytes.len() - self.end < least {
            // Only over bytes that were consumed: what is moved is paid for.
            if self.start > 0 && self.start >= held {
                self.bytes.copy_within(self.start..self.end, 0);
                self.start = 0;
                self.end = held;
            }
            if self.bytes.len() - self.end < least {
                self.bytes.resize(self.end + least.max(held), 0);
            }
        }
        &mut self.bytes[self.end..]
    }

    /// Takes the first `n` bytes of the room into what is held.
    pub fn grow(&mut self, n: usize) {
        assert!(n <= self.bytes.len() - self.end, "what was decoded lies in the room");
        self.end += n;
    }

    /// Drops all but the first `keep` bytes.
    pub fn truncate(&mut self, keep: usize) {
        self.end = self.end.min(self.start + keep);
    }

    /// Drops the first `n` bytes.
    pub fn consume(&mut self, n: usize) {
        assert!(n <= self.end - self.start, "consume only what is decoded");
        self.start += n;
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.bytes.len() > KEEP_BYTES {
                self.bytes = Vec::new();
            }
        }
    }
}
