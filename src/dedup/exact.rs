//! Digest of a text as it is compared: equal for texts that differ in case, width and white space only.
//!
//! **Definition.** XXH3-128 of the UTF-8 of [`normalize`]d text. Texts
//! that are blank after that have no digest: pages without text are not copies of each other.
//!
//! **Cost.** One pass; collisions are expected once in 2⁶⁴ texts (and can be crafted, as XXH3 is no cryptographic
//! hash: where that matters, bodies are compared by SHA-1).

use webmill_text::normalize;

use xxhash_rust::xxh3::xxh3_128;

/// Digest of normalised text. Equal digests, equal texts.
#[repr(transparent)]
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextDigest(pub u128);

impl TextDigest {
    /// The digest of `text`; `None` if it is blank.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::TextDigest;
    /// assert_eq!(TextDigest::of("Web  Mill\n"), TextDigest::of("web mill"));
    /// assert_ne!(TextDigest::of("web mill"), TextDigest::of("web-mill"));
    /// assert_eq!(TextDigest::of(" \n"), None);
    /// ```
    pub fn of(text: &str) -> Option<Self> {
        Self::of_normalized(&normalize(text))
    }

    /// The digest of a text that is already [`normalize`]d; `None` if it is empty.
    pub fn of_normalized(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| TextDigest(xxh3_128(text.as_bytes())))
    }
}
