//! The decoded bytes that a caller has not consumed yet, and the room after them that decoders write to.

use std::cell::Cell;

use webmill_capture::memory;

/// A buffer larger than this is given back when it is empty.
const KEEP_BYTES: usize = 16 << 20;

thread_local! {
    /// The buffer of a window that is gone, for the next one of the thread: its memory is there and zeroed.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Bytes `start..end` of a buffer that is kept, so that its memory is zeroed once.
pub(super) struct Window {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Default for Window {
    fn default() -> Self {
        Window { bytes: SPARE.take(), start: 0, end: 0 }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // A thread that ends has no cell any more, and needs none.
        let _ = SPARE.try_with(|spare| {
            let (own, other) = (std::mem::take(&mut self.bytes), spare.take());
            let keep = own.len() <= KEEP_BYTES && own.len() > other.len();
            spare.set(if keep { own } else { other });
        });
    }
}

impl Window {
    pub fn held(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// At least `least` bytes after those held: all there are, whatever they contain.
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
                // What is too large was bounded by who reads: here it only waits for its turn.
                let _ = memory::grow((self.end + least.max(held)) as u64);
                self.bytes.resize(self.end + least.max(held), 0);
            }
        }
        &mut self.bytes[self.end..]
    }

    /// Adds the first `n` bytes of the room to those held.
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
