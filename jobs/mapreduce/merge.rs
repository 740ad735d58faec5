//! Merging streams of sorted pairs.
//!
//! **Algorithm.** A binary heap of the streams by their heads; a stream that moves on sinks: at most 2 log₂ k comparisons a pair.

use webmill_capture::Result;
use webmill_sort::SortedBytes;

/// Pairs in order, lent one after the other.
pub trait Pairs {
    /// The next pair.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn next_pair(&mut self) -> Result<Option<(&[u8], &[u8])>>;
}

impl Pairs for SortedBytes {
    fn next_pair(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        self.next().transpose()
    }
}

struct Head<P> {
    stream: P,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl<P: Pairs> Head<P> {
    /// Moves on; false at the end.
    fn advance(&mut self) -> Result<bool> {
        let Some((key, value)) = self.stream.next_pair()? else { return Ok(false) };
        self.key.clear();
        self.key.extend_from_slice(key);
        self.value.clear();
        self.value.extend_from_slice(value);
        Ok(true)
    }

    fn pair(&self) -> (&[u8], &[u8]) {
        (&self.key, &self.value)
    }
}

/// The pairs of several streams, by key, then value.
pub struct Merged<P> {
    heap: Vec<Head<P>>,
    lent: bool,
}

impl<P: Pairs> Merged<P> {
    /// Merges streams, each in order.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub fn new(streams: Vec<P>) -> Result<Self> {
        let mut heap = Vec::with_capacity(streams.len());
        for stream in streams {
            let mut head = Head { stream, key: Vec::new(), value: Vec::new() };
            if head.advance()? {
                heap.push(head);
            }
        }
        // Ascending order is a heap.
        heap.sort_by(|a, b| a.pair().cmp(&b.pair()));
        Ok(Merged { heap, lent: false })
    }

    fn sink(&mut self) {
        let mut at = 0;
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.heap[child].pair() < self.heap[least].pair() {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }
}

impl<P: Pairs> Pairs for Merged<P> {
    fn next_pair(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        if self.lent {
            self.lent = false;
            if !self.heap[0].advance()? {
                self.heap.swap_remove(0);
            }
            self.sink();
        }
        self.lent = !self.heap.is_empty();
        Ok(self.heap.first().map(Head::pair))
    }
}
