//! Clusters of a group of pages as topics: words, middles, silhouettes, the tree above them.

use webmill_learn::{
    ClusterMeans, NOISE, SparseRows, TopicWord, Vocabulary, average_linkage, cosine_distances,
    mean_silhouette, means, silhouettes, topic_words,
};
use webmill_run::Stage;

use super::methods::{ClusterResult, Tree, dense};

/// Words of a topic.
pub const WORDS: usize = 10;
const NAME_WORDS: usize = 3;
/// Pages in the middle of a topic that are named.
const NEAREST: usize = 3;
/// Topics above which there is no tree of them.
const TREE_TOPICS: usize = 5000;

/// The topics of a group of pages: all, or those of one language.
pub struct Topics {
    pub language: Option<String>,
    /// Numbers of its pages in the corpus.
    pub pages: Vec<usize>,
    /// The topic of each of them, or [`NOISE`].
    pub assignment: Vec<u32>,
    pub distances: Vec<Option<f32>>,
    pub silhouettes: Vec<Option<f32>>,
    pub topics: Vec<Topic>,
    pub found: ClusterResult,
    /// Merges of topics.
    pub tree: Option<Tree>,
}

/// A topic, as it is written to the tables.
pub struct Topic {
    pub name: String,
    pub words: Vec<String>,
    pub scores: Vec<f32>,
    /// Numbers of its pages in the corpus, nearest first.
    pub nearest: Vec<usize>,
    pub size: u64,
    pub distance: f64,
    pub silhouette: Option<f64>,
}

/// Known facts about clustered pages, by their order.
pub struct Measured {
    /// The topic of each page, or [`NOISE`].
    pub assignment: Vec<u32>,
    pub distances: Vec<Option<f32>>,
    pub silhouettes: Vec<Option<f32>>,
    /// Words of each topic.
    pub words: Vec<Vec<TopicWord>>,
    pub middles: ClusterMeans,
}

impl Topics {
    /// What was found in rows that are the pages of these numbers.
    pub fn of(
        language: Option<String>,
        pages: Vec<usize>,
        rows: &SparseRows,
        mut found: ClusterResult,
        vocabulary: &Vocabulary,
        stage: &Stage<'_>,
    ) -> Topics {
        let (assignment, k) = dense(&std::mem::take(&mut found.assignment));
        let middles = ClusterMeans::of(means(rows, &assignment, k));
        let distances = middles.distances(rows, &assignment);
        let silhouettes = if (8 * k * rows.width()) as u64 <= stage.memory / 4 {
            silhouettes(rows, &assignment)
        } else {
            stage.progress.note(&format!(
                "{k} topics over {} words: no silhouettes, --memory does not hold their sums",
                rows.width()
            ));
            vec![None; rows.len()]
        };
        let words = topic_words(rows, &assignment, k, WORDS);
        let measured = Measured { assignment, distances, silhouettes, words, middles };
        Topics::of_measured(language, pages, measured, found, vocabulary)
    }

    /// What was measured of the pages of these numbers.
    pub fn of_measured(
        language: Option<String>,
        pages: Vec<usize>,
        measured: Measured,
        found: ClusterResult,
        vocabulary: &Vocabulary,
    ) -> Topics {
        let Measured { assignment, distances, silhouettes, words, middles } = measured;
        let k = words.len();
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); k];
        for (row, &cluster) in assignment.iter().enumerate().filter(|(_, cluster)| **cluster != NOISE) {
            members[cluster as usize].push(row);
        }
        let topics = words.iter().zip(members).map(|(words, members)| {
            Topic::of(words, members, (&pages, &distances, &silhouettes), vocabulary)
        });
        let topics: Vec<Topic> = topics.collect();
        let tree = (2..=TREE_TOPICS).contains(&k).then(|| {
            let sizes: Vec<f64> = topics.iter().map(|topic| topic.size as f64).collect();
            Tree { merges: average_linkage(cosine_distances(middles.means()), Some(&sizes)), of_rows: false }
        });
        Topics { language, pages, assignment, distances, silhouettes, topics, found, tree }
    }
}

impl Topic {
    fn of(
        words: &[TopicWord],
        mut members: Vec<usize>,
        (pages, distances, silhouettes): (&[usize], &[Option<f32>], &[Option<f32>]),
        vocabulary: &Vocabulary,
    ) -> Topic {
        let of_members: Vec<Option<f32>> = members.iter().map(|row| silhouettes[*row]).collect();
        let distance = |row: usize| distances[row].unwrap_or(1.0);
        let sum: f64 = members.iter().map(|row| f64::from(distance(*row))).sum();
        let size = members.len() as u64;
        members.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
        members.truncate(NEAREST);
        let scores = words.iter().map(|word| word.score as f32).collect();
        let words: Vec<String> = words.iter().map(|word| vocabulary.word(word.word).to_owned()).collect();
        Topic {
            name: name(&words),
            words,
            scores,
            nearest: members.into_iter().map(|row| pages[row]).collect(),
            size,
            distance: sum / size.max(1) as f64,
            silhouette: mean_silhouette(&of_members),
        }
    }
}

/// What a topic is called.
pub fn name(words: &[String]) -> String {
    match words {
        [] => "—".into(),
        words => words[..words.len().min(NAME_WORDS)].join(" · "),
    }
}
