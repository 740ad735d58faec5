//! The best texts of a query: block-max WAND.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use webmill_capture::Result;

use super::cursor::Cursor;

/// How a text is scored: by functions of one term, so that bounds follow from bounds of their arguments.
pub trait Score {
    /// Weight of a term that `holding` of `texts` texts hold.
    fn idf(&self, texts: f64, holding: f64) -> f64;
    /// What a term adds, in units of its idf: more for more occurrences, no more for a longer text.
    fn weight(&self, count: u32, length: f64, mean_length: f64) -> f64;
}

/// The corpus that texts are scored in.
pub struct Scoring<'a, S> {
    /// The measure.
    pub score: S,
    /// Number of texts in the index.
    pub texts: u64,
    /// Words of all texts.
    pub words: u64,
    /// Words of each text, by number.
    pub lengths: &'a [u32],
}

impl<S: Score> Scoring<'_, S> {
    fn mean(&self) -> f64 {
        (self.words as f64 / self.texts.max(1) as f64).max(1.0)
    }

    fn length(&self, number: u32) -> f64 {
        self.lengths.get(number as usize).map_or(0.0, |length| f64::from(*length))
    }
}

/// A text among the best: less is better.
#[derive(PartialEq)]
struct ScoredText {
    score: f64,
    number: u32,
}

impl Eq for ScoredText {}

impl PartialOrd for ScoredText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ScoredText {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.number.cmp(&other.number))
    }
}

/// Bounds are sums in another order than scores are: what rounding may make of that.
const SLACK: f64 = 1.0 + 1e-9;

/// Numbers and scores of the `most` best texts that one of the cursors has, best first, ties by number; a score is the sum over the cursors
/// in their order.
///
/// # Errors
/// [`webmill_capture::Error::Corrupt`].
pub fn best<C: Cursor, S: Score>(
    cursors: &mut [C],
    most: usize,
    scoring: &Scoring<'_, S>,
) -> Result<Vec<(u32, f64)>> {
    let (mean, texts) = (scoring.mean(), scoring.texts as f64);
    let idf: Vec<f64> = cursors.iter().map(|c| scoring.score.idf(texts, c.texts() as f64)).collect();
    // Of what has no bounds it is known that no text is shorter than nothing.
    let bound = |n: usize, bounds: Option<(u32, u32)>| {
        let (count, length) = bounds.unwrap_or((u32::MAX, 0));
        SLACK * idf[n] * scoring.score.weight(count, f64::from(length), mean)
    };
    let whole: Vec<f64> = cursors.iter().enumerate().map(|(n, c)| bound(n, c.bounds())).collect();
    let mut heap: BinaryHeap<ScoredText> = BinaryHeap::new();
    let mut order: Vec<usize> = (0..cursors.len()).collect();
    if most == 0 {
        return Ok(Vec::new());
    }
    loop {
        order.sort_unstable_by_key(|n| cursors[*n].number());
        let least = if heap.len() < most { f64::NEG_INFINITY } else { heap.peek().map_or(0.0, |f| f.score) };
        let mut sum = 0.0;
        let pivot = order.iter().position(|n| {
            sum += whole[*n];
            sum > least
        });
        let Some(mut pivot) = pivot else { break };
        let number = cursors[order[pivot]].number();
        if number == u32::MAX {
            break;
        }
        while order.get(pivot + 1).is_some_and(|n| cursors[*n].number() == number) {
            pivot += 1;
        }
        let (mut sum, mut skip) = (0.0, order.get(pivot + 1).map_or(u32::MAX, |n| cursors[*n].number()));
        for n in &order[..=pivot] {
            let (bounds, last) = cursors[*n].block_bounds(number);
            sum += bound(*n, bounds);
            skip = skip.min(last.saturating_add(1));
        }
        if sum <= least {
            // No text before the end of the nearest block can be among the best.
            for n in &order[..=pivot] {
                cursors[*n].seek(skip.max(number + 1))?;
            }
        } else if cursors[order[0]].number() < number {
            for n in &order[..=pivot] {
                cursors[*n].seek(number)?;
            }
        } else {
            let length = scoring.length(number);
            let mut score = 0.0;
            for (cursor, idf) in cursors.iter_mut().zip(&idf) {
                if cursor.number() == number {
                    score += idf * scoring.score.weight(cursor.count(), length, mean);
                    cursor.seek(number + 1)?;
                }
            }
            if score > least {
                heap.push(ScoredText { score, number });
                if heap.len() > most {
                    heap.pop();
                }
            }
        }
    }
    Ok(heap.into_sorted_vec().into_iter().map(|found| (found.number, found.score)).collect())
}
