//! Words by number: each once, in the order in which they came.

use hashbrown::HashTable;
use webmill_capture::cut::Cut;
use xxhash_rust::xxh3::xxh3_64;

/// Words of a part of a corpus.
#[derive(Default)]
pub(crate) struct Interner {
    table: HashTable<u32>,
    bytes: String,
    ends: Vec<usize>,
    hashes: Vec<u64>,
}

impl Interner {
    /// The number of a word, which is the next one where it comes anew.
    #[inline]
    pub fn intern(&mut self, word: &str) -> u32 {
        self.intern_hashed(word, xxh3_64(word.as_bytes()))
    }

    pub fn intern_hashed(&mut self, word: &str, hash: u64) -> u32 {
        let Interner { table, bytes, ends, hashes } = self;
        if let Some(&number) = table.find(hash, |&number| slice(bytes, ends, number) == word) {
            return number;
        }
        let number = ends.len() as u32;
        bytes.push_str(word);
        ends.push(bytes.len());
        hashes.push(hash);
        table.insert_unique(hash, number, |&number| hashes[number as usize]);
        number
    }

    /// The number of a word that is known.
    #[inline]
    pub fn find(&self, word: &str) -> Option<u32> {
        self.table
            .find(xxh3_64(word.as_bytes()), |&number| slice(&self.bytes, &self.ends, number) == word)
            .copied()
    }

    pub fn word(&self, number: u32) -> &str {
        slice(&self.bytes, &self.ends, number)
    }

    pub fn hash(&self, number: u32) -> u64 {
        self.hashes[number as usize]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes held.
    pub fn weight(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * 16 + self.table.capacity() * 5
    }
}

#[inline]
fn slice<'a>(bytes: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let from = if number == 0 { 0 } else { ends[number - 1] };
    bytes.cut(from..ends[number])
}
