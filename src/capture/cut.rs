//! Parts of texts by position, without a panic.
//!
//! Positions come from patterns, from lengths and from what people write: where one lies outside of the text, or inside of a character,
//! slicing by `[]` ends the program. The whole package slices texts by [`Cut::cut`] alone; a lint refuses the other way.

use std::ops::{Bound, RangeBounds};

/// Texts that can be cut.
pub trait Cut {
    /// The part of a text between two byte positions. A position beyond the end is the end, and one inside of a character is that of
    /// the character; where the first lies behind the second the part is empty.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::cut::Cut;
    ///
    /// assert_eq!("例え.jp".cut(..6), "例え");
    /// assert_eq!("例え.jp".cut(1..7), "例え.");
    /// assert_eq!(("abc".cut(1..9), "abc".cut(7..), "abc".cut(2..1)), ("bc", "", ""));
    /// ```
    fn cut(&self, range: impl RangeBounds<usize>) -> &str;
}

impl Cut for str {
    #[inline]
    fn cut(&self, range: impl RangeBounds<usize>) -> &str {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len(),
        };
        match self.get(start..end) {
            Some(part) => part,
            None => {
                self.get(self.floor_char_boundary(start)..self.floor_char_boundary(end)).unwrap_or_default()
            }
        }
    }
}
