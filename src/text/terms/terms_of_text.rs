//! What keywords are told by of a text: its candidates and the order in which they stand, apart from the text.

use super::candidates::Candidates;
use webmill_capture::cut::Cut;

/// The candidates of a text, each with what was counted of it.
///
/// They are found once, and asked twice: how many texts of a corpus have each, and, once that is known, which of them the text is about. In
/// between they can lie in a file: a few bytes a word.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Terms {
    /// Hash of the comparison form of each, and how often it occurs.
    pub(super) counts: Vec<(u64, u32)>,
    /// As each is written most often, one behind the other.
    written: String,
    /// Where they end there.
    written_ends: Vec<u32>,
    /// Numbers of the candidates of all sentences, and where these end.
    sequence: Vec<u32>,
    ends: Vec<u32>,
}

impl Terms {
    /// Those of a text in this language (ISO 639-3).
    pub fn of(text: &str, iso639_3: Option<&str>) -> Terms {
        Candidates::of(text, iso639_3).terms()
    }

    pub(super) fn new(sequence: Vec<u32>, ends: Vec<u32>) -> Terms {
        Terms { sequence, ends, ..Terms::default() }
    }

    pub(super) fn push(&mut self, hash: u64, count: u32, written: &str) {
        self.counts.push((hash, count));
        self.written.push_str(written);
        self.written_ends.push(self.written.len() as u32);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// As a candidate is written most often; ties: as it was written first.
    pub(super) fn written(&self, number: usize) -> &str {
        let from = number.checked_sub(1).map_or(0, |before| self.written_ends[before]);
        self.written.cut(from as usize..self.written_ends[number] as usize)
    }

    /// The candidates of each sentence that has any.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, to)| &self.sequence[from as usize..*to as usize])
    }
}
