//! Pages by band hash: the buckets, one after another.
//!
//! Entries of two sorts are merged by (hash, page): fresh pages, and earlier ones, of which only those in a bucket with a
//! fresh page come out.

use webmill_capture::error::Result;
use webmill_sort::Sorted;

/// Band hash (upper and lower half) and page: twelve bytes without padding, in the order of the buckets.
pub(super) type Entry = [u32; 3];

pub(super) fn entry(hash: u64, page: u32) -> Entry {
    [(hash >> 32) as u32, hash as u32, page]
}

/// The bucket of an entry.
pub(super) fn bucket(entry: &Entry) -> [u32; 2] {
    [entry[0], entry[1]]
}

/// Which buckets may hold a fresh page: a bit for many hashes, so that entries of other buckets need not be sorted.
pub(super) struct Touched {
    bits: Vec<u64>,
    /// Logarithm of the number of words.
    words: u32,
}

impl Touched {
    /// No bucket yet; at most this many bytes, but 8 KiB at least.
    pub(super) fn new(memory_bytes: usize) -> Self {
        let words = (memory_bytes / 8).clamp(1 << 10, 1 << 30).ilog2();
        Touched { bits: vec![0; 1 << words], words }
    }

    /// The hash is one already: its upper bits name the word, its lowest six the bit.
    fn place(&self, hash: u64) -> (usize, u64) {
        ((hash >> (64 - self.words)) as usize, 1 << (hash & 63))
    }

    #[inline]
    pub(super) fn insert(&mut self, hash: u64) {
        let (word, bit) = self.place(hash);
        self.bits[word] |= bit;
    }

    /// False: no fresh page has the hash. True: maybe one has.
    #[inline]
    pub(super) fn contains(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.bits[word] & bit != 0
    }
}

/// Sorted entries of which the next is seen before it is taken.
struct PeekedEntries {
    sorted: Sorted<Entry>,
    head: Option<Entry>,
}

impl PeekedEntries {
    fn new(mut sorted: Sorted<Entry>) -> Result<Self> {
        let head = sorted.next().transpose()?;
        Ok(PeekedEntries { sorted, head })
    }

    fn take(&mut self) -> Result<()> {
        self.head = self.sorted.next().transpose()?;
        Ok(())
    }
}

/// The entries in order, each once.
pub(super) struct Entries {
    fresh: PeekedEntries,
    earlier: Option<PeekedEntries>,
    /// Bucket of the last fresh entry.
    touched: Option<[u32; 2]>,
    last: Option<Entry>,
}

impl Entries {
    pub(super) fn new(fresh: Sorted<Entry>, earlier: Option<Sorted<Entry>>) -> Result<Self> {
        let earlier = earlier.map(PeekedEntries::new).transpose()?;
        Ok(Entries { fresh: PeekedEntries::new(fresh)?, earlier, touched: None, last: None })
    }

    /// The next entry, and whether its page is a fresh one.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<(Entry, bool)>> {
        loop {
            let next = match self.earlier_head()? {
                Some(earlier) if self.fresh.head.is_none_or(|fresh| earlier < fresh) => {
                    if let Some(ahead) = &mut self.earlier {
                        ahead.take()?;
                    }
                    (earlier, false)
                }
                _ => match self.fresh.head {
                    None => return Ok(None),
                    Some(fresh) => {
                        self.touched = Some(bucket(&fresh));
                        self.fresh.take()?;
                        (fresh, true)
                    }
                },
            };
            // A page that was pushed twice must not meet itself.
            if self.last != Some(next.0) {
                self.last = Some(next.0);
                return Ok(Some(next));
            }
        }
    }

    /// The next earlier entry in a bucket with a fresh one.
    #[inline]
    fn earlier_head(&mut self) -> Result<Option<Entry>> {
        let Some(ahead) = &mut self.earlier else { return Ok(None) };
        let coming = self.fresh.head.as_ref().map(bucket);
        while let Some(head) = ahead.head {
            let here = Some(bucket(&head));
            if here == self.touched || here == coming {
                return Ok(Some(head));
            }
            if coming.is_none() || here > coming {
                return Ok(None);
            }
            ahead.take()?;
        }
        Ok(None)
    }
}
