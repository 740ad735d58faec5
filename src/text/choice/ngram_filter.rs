//! A text that many others are looked up in, nearly all in vain.
//!
//! A table of bits says which four bytes follow one another somewhere in the text; a string is compared with the
//! text only if the table knows some of its own. Cost: O(text) to make; a few steps for a string that is not in it, O(text) for
//! what may be.

/// Bits of the table at least and at most.
const MIN_BITS: usize = 1 << 10;
const MAX_BITS: usize = 1 << 18;

/// Bytes that are looked up in the table at a time, and how often.
const GRAM: usize = 4;
const GRAMS: usize = 8;

/// A text with the table.
#[derive(Debug)]
pub(crate) struct NgramFilter {
    text: String,
    known: Vec<u64>,
    /// Bits of a hash that are not used.
    shift: u32,
}

impl NgramFilter {
    pub(crate) fn new(text: String) -> NgramFilter {
        let bits = (text.len() * 8).next_power_of_two().clamp(MIN_BITS, MAX_BITS);
        let mut out = NgramFilter { text, known: vec![0; bits / 64], shift: 32 - bits.ilog2() };
        for gram in out.text.as_bytes().windows(GRAM) {
            let place = place(gram, out.shift);
            out.known[place as usize / 64] |= 1 << (place % 64);
        }
        out
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text holds another.
    pub(crate) fn contains(&self, other: impl AsRef<[u8]>) -> bool {
        self.may_contain(other.as_ref())
            && memchr::memmem::find(self.text.as_bytes(), other.as_ref()).is_some()
    }

    /// False only for what the text does not hold.
    pub(crate) fn may_contain(&self, other: impl AsRef<[u8]>) -> bool {
        let other = other.as_ref();
        let mut grams = other.chunks_exact(GRAM).take(GRAMS).map(|gram| place(gram, self.shift));
        other.len() <= self.text.len()
            && grams.all(|place| self.known[place as usize / 64] >> (place % 64) & 1 == 1)
    }
}

fn place(gram: &[u8], shift: u32) -> u32 {
    let gram = gram.iter().fold(0u32, |sum, &b| sum << 8 | u32::from(b));
    gram.wrapping_mul(0x9e37_79b1) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_capture::cut::Cut;

    #[test]
    fn what_it_holds() {
        let text = "the quick brown fox jumps over the lazy dog, and 汉字 too";
        let hay = NgramFilter::new(text.to_string());
        for from in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            for to in (from..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                assert!(hay.contains(text.cut(from..to)));
            }
        }
        let long = text.repeat(2);
        for other in ["fix", "quick fox", "the lazy dogs", "汉语", long.as_str()] {
            assert!(!hay.contains(other), "{other}");
        }
        assert!(!hay.may_contain("quite another text"));
        assert!(
            NgramFilter::new(String::new()).contains("") && !NgramFilter::new(String::new()).contains("text")
        );
    }
}
