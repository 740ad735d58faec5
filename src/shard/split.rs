//! Cutting shards into byte ranges that are read in parallel.
//!
//! Each range guesses its first record by proof and ends with the record that spans its end. A guess can be wrong
//! inside a page that quotes records, so it counts only when the walk before ended exactly there ([`follows`]);
//! otherwise the range is read again from where that walk is ([`super::ReadOptions::exact_start`]). The records
//! are then those of one walk from the start, wherever the cuts are.

use std::ops::Range;

use super::{Input, Resume};

/// One range of one input, to be read by one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Index into the inputs that were split.
    pub input: usize,
    /// Byte offsets in the stored file; the last range of a file ends at `u64::MAX`.
    pub range: Range<u64>,
}

/// Cuts every input into ranges of about `part_bytes` (at least 1).
///
/// The cuts depend on sizes alone. A file that is compressed as a whole stays in one part, since nothing inside it can be
/// reached but from the start.
pub fn split(inputs: &[Input], part_bytes: u64) -> Vec<Part> {
    let part_bytes = part_bytes.max(1);
    let mut parts = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let count = if input.container.is_whole() { 1 } else { input.bytes.div_ceil(part_bytes).max(1) };
        for n in 0..count {
            let end = if n + 1 == count { u64::MAX } else { (n + 1) * part_bytes };
            parts.push(Part { input: index, range: n * part_bytes..end });
        }
    }
    parts
}

/// Does a range whose walk guessed `first` go on exactly where the walk before it is?
///
/// If not, read it again with that walk's [`Resume`] as exact start. If it does and `first` is `None` (a record spans
/// the whole range), the walk before is also before the range after this one: carry its [`Resume`] on.
pub fn follows(before: &Resume, range: &Range<u64>, first: Option<u64>) -> bool {
    match first {
        None => before.offset >= range.end,
        Some(first) => !before.searching && before.offset == first,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Container, Format};

    #[test]
    fn parts_cover_every_input_once() {
        let input =
            |bytes, container| Input::known("x".into(), Arc::from("x"), (Format::RawDb, container), bytes);
        let inputs =
            [input(25, Container::Plain), input(0, Container::Plain), input(99, Container::WholeGzip)];
        let ranges: Vec<_> = split(&inputs, 10).into_iter().map(|p| (p.input, p.range)).collect();
        let expected = [(0, 0..10), (0, 10..20), (0, 20..u64::MAX), (1, 0..u64::MAX), (2, 0..u64::MAX)];
        assert_eq!(ranges, expected);
    }
}
