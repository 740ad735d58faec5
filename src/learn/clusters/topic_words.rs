//! The words of a cluster.
//!
//! **Definition.** P(w|c) is the share of the cluster's rows that have the word, P(w) that of all rows; the score of a word is
//! P(w|c)·ln(P(w|c)/P(w)): how much it tells of the cluster, weighed by how often it does. Rows of no cluster count for P(w).
//!
//! **Cost.** Two walks along the rows; 4 bytes for each word and thread.
//!
//! **Determinism.** Ties go to the smaller column.

use rayon::prelude::*;

use super::means::members;
use crate::SparseRows;

/// A word of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopicWord {
    /// Its column.
    pub word: u32,
    /// P(w|c)·ln(P(w|c)/P(w)), above 0.
    pub score: f64,
}

/// The best words of each of `k` clusters, at most `each`.
pub fn topic_words(rows: &SparseRows, assignment: &[u32], k: usize, each: usize) -> Vec<Vec<TopicWord>> {
    let width = rows.width();
    let mut all = vec![0u32; width];
    rows.rows().flat_map(|(columns, _)| columns).for_each(|column| all[*column as usize] += 1);
    members(assignment, k)
        .par_iter()
        .with_max_len(1)
        .map_init(
            || vec![0u32; width],
            |counts, members| {
                let mut touched = Vec::new();
                for &column in members.iter().flat_map(|row| rows.row(*row as usize).0) {
                    if counts[column as usize] == 0 {
                        touched.push(column);
                    }
                    counts[column as usize] += 1;
                }
                let counted =
                    touched.into_iter().map(|word| (word, std::mem::take(&mut counts[word as usize])));
                best(
                    counted,
                    members.len() as f64,
                    |word| f64::from(all[word as usize]) / rows.len() as f64,
                    each,
                )
            },
        )
        .collect()
}

/// On how many rows of each cluster each word stands, row by row: 4·k·width bytes.
pub struct WordCounts {
    k: usize,
    counts: Vec<u32>,
    rows: u64,
}

impl WordCounts {
    /// Of `k` clusters without rows yet.
    pub fn new(k: usize, width: usize) -> Self {
        WordCounts { k, counts: vec![0; k * width], rows: 0 }
    }

    /// Adds a row to a cluster.
    pub fn add(&mut self, cluster: u32, columns: &[u32]) {
        self.rows += 1;
        columns.iter().for_each(|column| self.counts[*column as usize * self.k + cluster as usize] += 1);
    }

    /// The best words of a cluster of `size` rows, at most `each`: what [`topic_words`] says of the same rows.
    pub fn best(&self, cluster: usize, size: u64, each: usize) -> Vec<TopicWord> {
        let of = |word: u32| &self.counts[word as usize * self.k..(word as usize + 1) * self.k];
        let counted = (0..(self.counts.len() / self.k.max(1)) as u32)
            .map(|word| (word, of(word)[cluster]))
            .filter(|(_, count)| *count > 0);
        let outside =
            |word: u32| of(word).iter().map(|count| f64::from(*count)).sum::<f64>() / self.rows as f64;
        best(counted, size as f64, outside, each)
    }
}

/// The best of words by how many rows of a cluster have them.
fn best(
    counted: impl Iterator<Item = (u32, u32)>,
    size: f64,
    outside: impl Fn(u32) -> f64,
    each: usize,
) -> Vec<TopicWord> {
    let scored = counted.map(|(word, count)| {
        let inside = f64::from(count) / size;
        TopicWord { word, score: inside * (inside / outside(word)).ln() }
    });
    let mut words: Vec<TopicWord> = scored.filter(|word| word.score > 0.0).collect();
    words.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.word.cmp(&b.word)));
    words.truncate(each);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NOISE;

    #[test]
    fn by_hand() {
        // Word 0 in all rows, 1 in both of cluster 0 and one of cluster 1, 2 in cluster 1 only, 3 in noise.
        let mut rows = SparseRows::new();
        rows.push([(0, 1.0), (1, 1.0)]);
        rows.push([(0, 1.0), (1, 1.0)]);
        rows.push([(0, 1.0), (1, 1.0), (2, 1.0)]);
        rows.push([(0, 1.0), (2, 1.0)]);
        rows.push([(0, 1.0), (3, 1.0)]);
        let words = topic_words(&rows, &[0, 0, 1, 1, NOISE], 2, 10);
        assert_eq!(words[0].len(), 1);
        assert!((words[0][0].score - (1.0f64 / 0.6).ln()).abs() < 1e-12 && words[0][0].word == 1);
        assert_eq!(words[1].iter().map(|word| word.word).collect::<Vec<_>>(), [2]);
        assert!((words[1][0].score - (1.0f64 / 0.4).ln()).abs() < 1e-12);
        assert_eq!(topic_words(&rows, &[0; 5], 1, 10), [vec![]]);
        let (assignment, sizes) = ([0, 0, 1, 1, 2], [2, 2, 1]);
        let mut counts = WordCounts::new(3, 4);
        assignment.iter().zip(rows.rows()).for_each(|(cluster, (columns, _))| counts.add(*cluster, columns));
        let by_counts: Vec<_> = (0..3).map(|cluster| counts.best(cluster, sizes[cluster], 10)).collect();
        assert_eq!(by_counts, topic_words(&rows, &assignment, 3, 10));
    }
}
