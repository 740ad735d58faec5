//! Scores of classes as sparse dot products: what every linear classifier becomes in the end.
//!
//! **Cost.** Entries of the page × classes. Weights of a word stand together, so a word costs one look into memory.

use serde::{Deserialize, Serialize};

/// Weights of words for classes, and what each class has by itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Linear {
    classes: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// From one vector of weights a class, each with what the class has by itself.
    ///
    /// # Panics
    /// Where vectors differ in length.
    pub fn from_classes(width: usize, vectors: &[(Vec<f64>, f64)]) -> Self {
        let classes = vectors.len();
        let mut weights = vec![0.0; width * classes];
        for (class, (vector, _)) in vectors.iter().enumerate() {
            assert_eq!(vector.len(), width, "one weight a word");
            vector
                .iter()
                .enumerate()
                .for_each(|(word, weight)| weights[word * classes + class] = *weight as f32);
        }
        Linear { classes, weights, bias: vectors.iter().map(|(_, bias)| *bias as f32).collect() }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of words.
    pub fn width(&self) -> usize {
        self.weights.len() / self.classes.max(1)
    }

    /// Whether all parts fit each other.
    pub fn is_whole(&self, width: usize) -> bool {
        self.bias.len() == self.classes && self.classes.checked_mul(width) == Some(self.weights.len())
    }

    /// The weight of a word for a class.
    pub fn weight(&self, word: u32, class: usize) -> f32 {
        self.weights[word as usize * self.classes + class]
    }

    /// Writes the score of each class.
    pub fn scores(&self, row: impl IntoIterator<Item = (u32, f32)>, scores: &mut Vec<f64>) {
        scores.clear();
        scores.extend(self.bias.iter().map(|bias| f64::from(*bias)));
        for (word, value) in row {
            let at = word as usize * self.classes;
            let value = f64::from(value);
            let weights = &self.weights[at..at + self.classes];
            scores.iter_mut().zip(weights).for_each(|(score, weight)| *score += value * f64::from(*weight));
        }
    }

    /// This times `a` and the other times `b`, added.
    ///
    /// # Panics
    /// Where they are of different shape.
    pub fn blend(&self, a: f64, other: &Linear, b: f64) -> Linear {
        assert_eq!((self.classes, self.weights.len()), (other.classes, other.weights.len()), "one shape");
        let sum = |x: &[f32], y: &[f32]| -> Vec<f32> {
            x.iter().zip(y).map(|(x, y)| (a * f64::from(*x) + b * f64::from(*y)) as f32).collect()
        };
        Linear {
            classes: self.classes,
            weights: sum(&self.weights, &other.weights),
            bias: sum(&self.bias, &other.bias),
        }
    }
}
