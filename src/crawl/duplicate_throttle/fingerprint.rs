//! The fingerprint of a page: what the duplicate throttle compares.
//!
//! **Definition.** The text of a page is cut into blocks: paragraphs, headings, list items, rows of tables. A block of
//! fewer than three words goes with the next one, so that a table of small numbers is not a heap of words that every
//! other table has too. Words of a block that only repeat the page's URL (see `url_words`), times of day, and numbers
//! of a line that says how long the page took to make are left out. The fingerprint is
//!
//! - the hashes of the different blocks: blocks that a host showed before can be distinguished from new ones;
//! - a key of the words that are left, each as often as it occurs, in any order: equal for two views of one list;
//! - how many words there were.
//!
//! Pictures and embedded things are blocks too, by their address: photographs differ where their captions do not.
//!
//! **Cost.** Linear; 4 bytes a block, at most [`MOST_BLOCKS`]. **Determinism.** URL and text alone; stored by crawls, so
//! that it may not change.

use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use super::tokens::{Token, hash_of, mix, tokens};
use super::url_words::UrlWords;
use webmill_capture::CanonicalUrl;
use webmill_capture::simhash::BitCounts;

/// Bytes of text that are read.
const MAX_TEXT: usize = 256 << 10;

/// Blocks of a page that are kept.
pub const MOST_BLOCKS: usize = 4096;

/// Words of a block; a longer one is several.
const MOST_WORDS: usize = 512;

/// Words below which a block goes with the next.
const SHORT: usize = 3;

/// What every run of left out words is taken for.
const ECHO: u64 = 0x9E37_79B9_7F4A_7C15;

static MAKING: LazyLock<[u64; 9]> = LazyLock::new(|| {
    ["generated", "rendered", "took", "loaded", "queries", "erzeugt", "generiert", "cached", "served"]
        .map(hash_of)
});
static UNITS: LazyLock<[u64; 8]> =
    LazyLock::new(|| ["s", "ms", "sec", "secs", "second", "seconds", "sekunden", "秒"].map(hash_of));

/// The parts of a page that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFingerprint {
    /// Hashes of the different blocks, ascending.
    pub blocks: Box<[u32]>,
    /// Hash of the multiset of words.
    pub key: u32,
    /// Words in all; at least one.
    pub words: u32,
    /// Whether all of the text was read.
    pub whole: bool,
    /// SimHash of the words that are left: near for two texts that differ in few of them.
    pub simhash: u64,
}

/// Takes the fingerprint of a page as its text is read.
#[derive(Debug)]
pub struct Fingerprinter {
    url: UrlWords,
    block: Vec<Token>,
    echo: Vec<bool>,
    blocks: Vec<u32>,
    key: u64,
    words: u32,
    bytes: usize,
    whole: bool,
    bits: BitCounts,
}

impl Fingerprinter {
    /// For the page at `url`.
    pub fn new(url: &CanonicalUrl) -> Self {
        Fingerprinter {
            url: UrlWords::new(url),
            block: Vec::new(),
            echo: Vec::new(),
            blocks: Vec::new(),
            key: 0,
            words: 0,
            bytes: 0,
            whole: true,
            bits: BitCounts::new(),
        }
    }

    /// A piece of text; words do not go on from one piece to the next.
    pub fn text(&mut self, text: &str) {
        if self.bytes + text.len() > MAX_TEXT {
            self.whole = false;
            return;
        }
        self.bytes += text.len();
        let mut block = std::mem::take(&mut self.block);
        tokens(text, &mut |token| {
            block.push(token);
            if block.len() >= MOST_WORDS {
                self.close(&mut block);
            }
        });
        self.block = block;
    }

    /// A block ends here.
    pub fn end_block(&mut self) {
        if self.block.len() >= SHORT {
            let mut block = std::mem::take(&mut self.block);
            self.close(&mut block);
            self.block = block;
        }
    }

    /// A picture or another embedded thing at this address. With a query it may be a counter: it says nothing.
    pub fn embedded(&mut self, address: &str) {
        if !address.is_empty() && !address.contains('?') {
            self.push(xxh3_64(address.as_bytes()));
        }
    }

    /// Whether more text would be read.
    pub fn is_full(&self) -> bool {
        !self.whole
    }

    /// The fingerprint; `None` where there was no word.
    pub fn finish(mut self) -> Option<PageFingerprint> {
        let mut block = std::mem::take(&mut self.block);
        self.close(&mut block);
        if self.words == 0 {
            return None;
        }
        self.blocks.sort_unstable();
        self.blocks.dedup();
        let blocks = self.blocks.into_boxed_slice();
        Some(PageFingerprint {
            blocks,
            key: mix(self.key) as u32,
            words: self.words,
            whole: self.whole,
            simhash: self.bits.majority(),
        })
    }

    fn push(&mut self, hash: u64) {
        if self.blocks.len() >= MOST_BLOCKS {
            self.blocks.sort_unstable();
            self.blocks.dedup();
            if self.blocks.len() >= MOST_BLOCKS {
                self.whole = false;
                return;
            }
        }
        self.blocks.push((hash >> 32) as u32);
    }

    fn close(&mut self, block: &mut Vec<Token>) {
        if block.is_empty() {
            return;
        }
        self.words = self.words.saturating_add(block.len() as u32);
        self.echo.clear();
        self.echo.resize(block.len(), false);
        self.url.mark(block, &mut self.echo);
        mark_clocks(block, &mut self.echo);
        let (mut hash, mut said, mut before) = (0u64, false, false);
        for (word, &echo) in block.iter().zip(&self.echo) {
            let next = match echo {
                true if before => continue,
                true => ECHO,
                false => {
                    self.key = self.key.wrapping_add(mix(word.hash));
                    self.bits.add(mix(word.hash));
                    said = true;
                    word.hash
                }
            };
            before = echo;
            hash = mix(hash.rotate_left(23) ^ next);
        }
        block.clear();
        if said {
            self.push(hash);
        }
    }
}

/// Times of day, and all numbers of a line that says how long the page took to make.
fn mark_clocks(block: &[Token], echo: &mut [bool]) {
    for at in 1..block.len() {
        let clock = |n: Option<u64>| n.is_some_and(|n| n < 60);
        if block[at].after_colon && clock(block[at - 1].number) && clock(block[at].number) {
            (echo[at - 1], echo[at]) = (true, true);
        }
    }
    let has = |words: &[u64]| block.iter().any(|word| words.contains(&word.hash));
    // A long line is a sentence about something else.
    if block.len() <= 24 && has(&*MAKING) && has(&*UNITS) {
        block.iter().zip(echo).for_each(|(word, echo)| *echo |= word.number.is_some());
    }
}

/// The fingerprint of plain text, a block a line; `None` where it has no words.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_crawl::duplicate_throttle::fingerprint;
/// let of = |url: &str, text| fingerprint(&CanonicalUrl::parse(url).unwrap(), text);
/// let may = of("http://a.example/events/2027/05/", "Events in May 2027\n1 2 3 4 5 6 7\nNothing is planned.");
/// let june = of("http://a.example/events/2031/06/", "Events in June 2031\n1 2 3 4 5 6 7\nNothing is planned.");
/// assert_eq!(may, june);
/// assert_ne!(may, of("http://a.example/events/2027/05/", "Events in May 2027\nThe fair opens."));
/// assert_ne!(of("http://a.example/1", "Level 417"), of("http://a.example/2", "Level 418"));
/// assert_eq!(of("http://a.example/", " … "), None);
/// ```
pub fn fingerprint(url: &CanonicalUrl, text: &str) -> Option<PageFingerprint> {
    let mut taken = Fingerprinter::new(url);
    for line in text.lines() {
        taken.text(line);
        taken.end_block();
    }
    taken.finish()
}
