//! The form of an inverted index: for each term the texts that hold it, how often and where.
//!
//! **Form.** A file a part of the terms, terms in the order of their bytes, texts of a term by their numbers:
//!
//! ```text
//! "webmill index 1\n"
//! postings of each term: blocks of 128 texts, then the table of these blocks
//!   block: differences of numbers, counts, differences of positions (LEB128 each; positions of all texts behind the counts)
//!   table, where there is more than one block: difference of the last number, bytes, most occurrences, least length of a text
//! dictionary: blocks of 64 terms, each: shared and further bytes, texts, occurrences, bytes of blocks, bytes of the table; the letters
//! table of the dictionary: offset of each block, offset of its first postings (8 bytes each)
//! footer: offset of dictionary and of its table, terms, texts of the corpus (8 bytes each), part, parts (4 each), "wmidx001"
//! ```
//!
//! **Algorithm.** Reading maps the file; a term is found by binary search over blocks of the dictionary. The best texts of a query are found by
//! block-max WAND ([`best`]): what a block can add at most follows from its most occurrences and its least length, whatever the mean
//! length of the corpus is, and blocks that cannot lift a text among the best are passed over undecoded.
//!
//! **Cost.** Writing: 16 bytes for each block of the term at hand, and the dictionary. A query: the blocks that matter, and the k best.
//!
//! **Determinism.** Equal pairs give equal bytes. Scores are summed in the order of the query's terms, as a scan of all texts does: the same
//! numbers to the last bit; ties go to the lower number.
//!
//! **Bad input.** Every number is checked against the rest of the file; a file that breaks the form is [`Error::Corrupt`](webmill_capture::Error::Corrupt) with an offset.
//!
//! **Reference.** S. Ding, T. Suel, *Faster top-k document retrieval using block-max indexes*, SIGIR 2011, doi:10.1145/2009916.2010048.

mod best;
mod cursor;
mod phrase;
mod read;
mod write;

pub use best::{Scoring, best};
pub use cursor::{Cursor, ListCursor, TermCursor};
pub use phrase::phrase;
pub use read::{Index, TermPostings};
pub use write::{IndexWriter, Written};

/// The first bytes.
const MAGIC: &[u8; 16] = b"webmill index 1\n";
/// The last bytes.
const MARK: &[u8; 8] = b"wmidx001";
/// Bytes of the footer.
const FOOTER: usize = 48;
/// Texts of a block.
const BLOCK: usize = 128;
/// Terms of a block of the dictionary.
const TERMS: usize = 64;

#[cfg(test)]
mod tests;
