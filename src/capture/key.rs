//! The key of a URL: 128 bits in place of the text.
//!
//! xxh3-128 of the canonical URL. Joins and sorts of a web graph move keys, not texts: 16 bytes of fixed size. Among
//! 10^9 URLs two share a key by chance with probability 1.5·10^-21; by intent they can be made to, since the hash is
//! not cryptographic. So who builds a table of distinct URLs checks, and starts again with a seed.

use std::fmt;

use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

/// Identity of a page in joins and sorts: xxh3-128 of the canonical URL.
///
/// Collisions do not happen by chance but can be crafted: who builds a table of distinct URLs checks for them and
/// starts again with [`UrlKey::seeded`].
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct UrlKey(pub u128);

// SAFETY: `UrlKey` is a transparent wrapper of `u128`, which is `Zeroable` and `Pod` itself: any bits are a value, and
// there is no padding.
unsafe impl bytemuck::Zeroable for UrlKey {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for UrlKey {}

impl UrlKey {
    /// Key of a text that is known to be a canonical URL.
    pub fn of(canonical: &str) -> UrlKey {
        UrlKey(xxh3_128(canonical.as_bytes()))
    }

    /// Another key for the same text, after a collision; seed 0 gives [`UrlKey::of`].
    pub fn seeded(canonical: &str, seed: u64) -> UrlKey {
        UrlKey(xxh3_128_with_seed(canonical.as_bytes(), seed))
    }

    /// Big-endian bytes: they sort as the number does.
    pub const fn to_be_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// The key of [`UrlKey::to_be_bytes`].
    pub const fn from_be_bytes(bytes: [u8; 16]) -> UrlKey {
        UrlKey(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UrlKey({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let text = "http://example.com/";
        assert_eq!(UrlKey::of(text), UrlKey::seeded(text, 0));
        assert_ne!(UrlKey::of(text), UrlKey::seeded(text, 1));
        assert_eq!(UrlKey::from_be_bytes(UrlKey::of(text).to_be_bytes()), UrlKey::of(text));
        assert_eq!(UrlKey(1).to_string(), "00000000000000000000000000000001");
        // Stored keys depend on it: the hash may never change.
        assert_eq!(UrlKey::of("").to_string(), "99aa06d3014798d86001c324468d497f");
        assert!(UrlKey(1).to_be_bytes() < UrlKey(256).to_be_bytes());
        assert_eq!(bytemuck::bytes_of(&UrlKey(7)).len(), 16);
    }
}
