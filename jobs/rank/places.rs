//! Where a score stands among those of its level: among the crawled pages, and among all nodes.
//!
//! **Cost.** One pass over all scores; 40 bytes of memory a score that is asked for.

pub use webmill_serve::site::PlaceFacts as Place;

/// Scores, counted by those that are asked for.
#[derive(Default)]
struct ScoreCounts {
    all: u64,
    /// Scores above those of lesser numbers, and below those from a number on.
    above: Vec<u64>,
    below: Vec<u64>,
}

/// Finds the places of some scores.
pub struct Places {
    asked: Vec<f64>,
    crawled: ScoreCounts,
    known: ScoreCounts,
}

impl Places {
    /// Of these scores, which are numbers.
    pub fn of(mut asked: Vec<f64>) -> Self {
        asked.sort_by(f64::total_cmp);
        asked.dedup();
        let counted =
            || ScoreCounts { all: 0, above: vec![0; asked.len() + 1], below: vec![0; asked.len() + 1] };
        Places { crawled: counted(), known: counted(), asked }
    }

    /// Takes a node into account.
    pub fn see(&mut self, score: f64, is_crawled: bool) {
        let above = self.asked.partition_point(|asked| *asked < score);
        let below = self.asked.partition_point(|asked| *asked <= score);
        for counted in [Some(&mut self.known), is_crawled.then_some(&mut self.crawled)].into_iter().flatten()
        {
            counted.all += 1;
            counted.above[above] += 1;
            counted.below[below] += 1;
        }
    }

    /// Ends the counting, before places are asked for.
    pub fn counted(mut self) -> Self {
        for counted in [&mut self.crawled, &mut self.known] {
            for number in 1..counted.below.len() {
                counted.below[number] += counted.below[number - 1];
            }
            for number in (1..counted.above.len()).rev() {
                counted.above[number - 1] += counted.above[number];
            }
        }
        self
    }

    /// The places of one of the scores: among the crawled pages and among all nodes.
    pub fn get(&self, score: f64) -> [Place; 2] {
        let number = self.asked.partition_point(|asked| *asked < score);
        [&self.crawled, &self.known].map(|counted| {
            let percentile = 100.0 * counted.below[number] as f64 / counted.all.max(1) as f64;
            Place { position: counted.above[number + 1] + 1, of: counted.all, percentile }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawled_pages_and_all_nodes_are_told_apart() {
        let scores = [(0.1, true), (0.3, false), (0.2, true), (0.2, true), (0.4, false), (0.05, false)];
        let mut places = Places::of(vec![0.2, 0.1, 0.2]);
        scores.iter().for_each(|(score, is_crawled)| places.see(*score, *is_crawled));
        let places = places.counted();
        let place =
            |position, of, below: u64| Place { position, of, percentile: 100.0 * below as f64 / of as f64 };
        assert_eq!(places.get(0.2), [place(1, 3, 1), place(3, 6, 2)]);
        assert_eq!(places.get(0.1), [place(3, 3, 0), place(5, 6, 1)]);
    }
}
