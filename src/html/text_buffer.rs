//! The running text of a page while its tree is walked.

use super::tag::Tag;
use super::tree_sets::{BLOCK, SETS};
use webmill_capture::cut::Cut;

/// Text with white space collapsed; spaces are written when something follows them.
#[derive(Debug, Default)]
pub struct TextBuffer {
    text: String,
    gap: bool,
}

impl TextBuffer {
    /// Appends text as it stands in the page.
    pub fn push(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        let Some(first) = words.next() else {
            self.gap |= !text.is_empty();
            return;
        };
        if (self.gap || text.starts_with(char::is_whitespace)) && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(first);
        for word in words {
            self.text.push(' ');
            self.text.push_str(word);
        }
        self.gap = text.ends_with(char::is_whitespace);
    }

    /// White space or the edge of a block.
    pub fn gap(&mut self) {
        self.gap = true;
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text so far.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// Appends `text` to `out`, white space collapsed, a space between; `out` stays within `max` bytes.
pub(super) fn collapse(text: &str, max: usize, out: &mut String) {
    for word in text.split_whitespace() {
        let room = max.saturating_sub(out.len() + 1);
        if room == 0 {
            return;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word.cut(..word.floor_char_boundary(room)));
    }
}

/// Elements whose contents are no text of the page.
pub(super) fn is_no_text(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Script | Tag::Style | Tag::Template | Tag::Title | Tag::Noembed | Tag::Noframes | Tag::Iframe
    )
}

/// Elements that words do not run across.
pub(super) fn is_block(tag: Tag) -> bool {
    SETS[tag as usize] & BLOCK != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_between_pieces_is_one_space() {
        let mut buffer = TextBuffer::default();
        for piece in ["  a", "b ", " \n", "c", "", "\u{A0}d"] {
            buffer.push(piece);
        }
        buffer.gap();
        buffer.push("e");
        assert_eq!(buffer.text(), "ab c d e");
    }

    #[test]
    fn collapsing_stays_within_its_room() {
        for max in 0..12 {
            let mut out = String::new();
            collapse(" é  né ", max, &mut out);
            collapse("x", max, &mut out);
            assert!(out.len() <= max, "{out:?}");
        }
    }
}
