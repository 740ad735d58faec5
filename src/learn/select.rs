//! Which words tell classes apart.
//!
//! **Definition.** Of a word and a class: a = pages of the class with the word, b = others with it, c = pages of the class without it, d =
//! others without it, n = a + b + c + d. The measures are at [`Measure`]; over classes the maximum counts, or the mean weighted by P(c). A
//! word that all pages have, or none, has no measure, and neither has one of a class that all pages are of, or none.
//!
//! **Cost.** One pass over the entries, 8 bytes a word and class.
//!
//! **Determinism.** Ties go to the word of the smaller number.
//!
//! **Reference.** Y. Yang, J. O. Pedersen, *A comparative study on feature selection in text categorization*, ICML 1997; D. Mladenić, *Feature
//! subset selection in text-learning*, ECML 1998 (weight of evidence).

use serde::{Deserialize, Serialize};

use crate::labels::Labels;
use crate::rows::SparseRows;

/// A measure of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// χ²: n(ad − cb)² / ((a+c)(b+d)(a+b)(c+d)).
    #[default]
    ChiSquare,
    /// H(class) − P(w) H(class|w) − P(w̄) H(class|w̄), in nats.
    InformationGain,
    /// P(w,c) ln(P(w,c)/(P(w)P(c))).
    RightHalf,
    /// ln(P(w,c)/(P(w)P(c))).
    MutualInformation,
    /// P(w) Σ P(c|w) ln(P(c|w)/P(c)).
    CrossEntropy,
    /// P(w) Σ P(c) |ln(odds(c|w)/odds(c))|, probabilities clipped to [1/(2n), 1 − 1/(2n)].
    WeightOfEvidence,
}

/// How measures of classes become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum OverClasses {
    /// The largest.
    #[default]
    Maximum,
    /// The mean, weighted by the classes' shares.
    Mean,
}

/// How a feature is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// Pages with the word.
    #[default]
    Pages,
    /// Occurrences of the word among all occurrences.
    Occurrences,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 6] = [
        Measure::ChiSquare,
        Measure::InformationGain,
        Measure::RightHalf,
        Measure::MutualInformation,
        Measure::CrossEntropy,
        Measure::WeightOfEvidence,
    ];

    /// Of a table of four; `None` where it is not defined.
    ///
    /// # Examples
    /// ```
    /// use webmill_learn::Measure;
    /// assert!((Measure::ChiSquare.of(3.0, 1.0, 0.0, 6.0).unwrap() - 6.42857).abs() < 1e-5);
    /// assert_eq!(Measure::ChiSquare.of(3.0, 7.0, 0.0, 0.0), None);
    /// ```
    pub fn of(self, a: f64, b: f64, c: f64, d: f64) -> Option<f64> {
        let n = a + b + c + d;
        let below = (a + c) * (b + d) * (a + b) * (c + d);
        if below == 0.0 {
            return None;
        }
        let (with, class) = ((a + b) / n, (a + c) / n);
        let value = match self {
            Measure::ChiSquare => n * (a * d - c * b).powi(2) / below,
            Measure::InformationGain => {
                entropy(class) - with * entropy(a / (a + b)) - (1.0 - with) * entropy(c / (c + d))
            }
            Measure::RightHalf => times_ln(a / n, a / n / (with * class)),
            Measure::MutualInformation => (a / n / (with * class)).ln(),
            Measure::CrossEntropy => {
                let of = a / (a + b);
                with * (times_ln(of, of / class) + times_ln(1.0 - of, (1.0 - of) / (1.0 - class)))
            }
            Measure::WeightOfEvidence => {
                let clip = |p: f64| p.clamp(0.5 / n, 1.0 - 0.5 / n);
                // Of the class and of the rest the logarithms differ in sign only, and their shares sum to 1.
                with * (odds(clip(a / (a + b))) / odds(clip(class))).ln().abs()
            }
        };
        value.is_finite().then_some(value)
    }
}

fn times_ln(p: f64, q: f64) -> f64 {
    if p == 0.0 { 0.0 } else { p * q.ln() }
}

fn entropy(p: f64) -> f64 {
    -times_ln(p, p) - times_ln(1.0 - p, 1.0 - p)
}

fn odds(p: f64) -> f64 {
    p / (1.0 - p)
}

/// In how many pages of each class a word stands, or how often.
pub struct Contingency {
    classes: usize,
    /// By word, then class.
    counts: Vec<u64>,
    /// Of each class.
    totals: Vec<u64>,
    /// With each word, whatever the classes.
    words: Vec<u64>,
    all: u64,
}

impl Contingency {
    /// Counts rows of counts.
    pub fn count(counts: &SparseRows, width: usize, labels: &Labels, classes: usize, by: Counting) -> Self {
        let mut table = Contingency {
            classes,
            counts: vec![0; width * classes],
            totals: vec![0; classes],
            words: vec![0; width],
            all: 0,
        };
        for ((words, values), of) in counts.rows().zip(labels.iter()) {
            let sum: u64 = match by {
                Counting::Pages => 1,
                Counting::Occurrences => values.iter().map(|value| *value as u64).sum(),
            };
            table.all += sum;
            of.iter().for_each(|&class| table.totals[class as usize] += sum);
            for (&word, &value) in words.iter().zip(values) {
                let times = if by == Counting::Pages { 1 } else { value as u64 };
                table.words[word as usize] += times;
                of.iter().for_each(|&class| table.counts[word as usize * classes + class as usize] += times);
            }
        }
        table
    }

    /// Of a word, by class.
    pub fn of(&self, word: usize) -> &[u64] {
        &self.counts[word * self.classes..][..self.classes]
    }

    /// The measure of a word over all classes.
    pub fn measure(&self, word: usize, measure: Measure, over: OverClasses) -> Option<f64> {
        let mut joined: Option<f64> = None;
        for class in 0..self.classes {
            let a = self.of(word)[class] as f64;
            let b = self.words[word] as f64 - a;
            let c = self.totals[class] as f64 - a;
            let d = self.all as f64 - a - b - c;
            let Some(value) = measure.of(a, b, c, d) else { continue };
            joined = Some(match over {
                OverClasses::Maximum => joined.map_or(value, |before| before.max(value)),
                OverClasses::Mean => {
                    joined.unwrap_or(0.0) + value * self.totals[class] as f64 / self.all.max(1) as f64
                }
            });
        }
        joined
    }

    /// The measure of every word.
    pub fn measures(&self, measure: Measure, over: OverClasses) -> Vec<Option<f64>> {
        (0..self.words.len()).map(|word| self.measure(word, measure, over)).collect()
    }
}

/// The numbers of the best `most` words (0: all), ascending; those without a measure are not among them.
pub fn best(measures: &[Option<f64>], most: usize) -> Vec<u32> {
    let mut order: Vec<u32> =
        (0..measures.len() as u32).filter(|&word| measures[word as usize].is_some()).collect();
    if most > 0 && order.len() > most {
        let value = |word: u32| measures[word as usize].unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
        order.truncate(most);
        order.sort_unstable();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_mails() {
        let cheap = [6.42857, 0.385930, 0.274887, 0.916291, 0.171925, 0.778364];
        for (measure, expected) in Measure::ALL.into_iter().zip(cheap) {
            let found = measure.of(3.0, 1.0, 0.0, 6.0).unwrap();
            assert!((found - expected).abs() < 1e-5, "{measure:?} {found}");
            assert_eq!(measure.of(3.0, 7.0, 0.0, 0.0), None, "{measure:?}");
        }
        assert!((Measure::ChiSquare.of(0.0, 1.0, 3.0, 6.0).unwrap() - 0.476190).abs() < 1e-6);
        assert_eq!(Measure::MutualInformation.of(0.0, 1.0, 3.0, 6.0), None);
        // Clipping: all pages with the word are of the class.
        let clipped = Measure::WeightOfEvidence.of(3.0, 0.0, 0.0, 7.0).unwrap();
        assert!((clipped - 0.3 * (19.0f64 / (3.0 / 7.0)).ln()).abs() < 1e-9);
    }

    fn mails() -> (SparseRows, Labels) {
        // 0 cheap, 1 the, 2 dinner.
        let mut rows = SparseRows::new();
        (0..3).for_each(|_| rows.push([(0, 1.0), (1, 2.0)]));
        rows.push([(0, 1.0), (1, 1.0), (2, 1.0)]);
        (0..6).for_each(|_| rows.push([(1, 1.0)]));
        (rows, Labels::single([0, 0, 0, 1, 1, 1, 1, 1, 1, 1]))
    }

    #[test]
    fn words_of_a_corpus_are_measured() {
        let (rows, labels) = mails();
        let table = Contingency::count(&rows, 3, &labels, 2, Counting::Pages);
        let measures = table.measures(Measure::ChiSquare, OverClasses::Maximum);
        assert!((measures[0].unwrap() - 6.42857).abs() < 1e-5);
        assert_eq!(measures[1], None);
        assert_eq!(best(&measures, 1), [0]);
        assert_eq!(best(&measures, 0), [0, 2]);
        // Of two classes χ² is the same for both, and so is the mean.
        assert!((table.measure(0, Measure::ChiSquare, OverClasses::Mean).unwrap() - 6.42857).abs() < 1e-5);
        let table = Contingency::count(&rows, 3, &labels, 2, Counting::Occurrences);
        // the: a = 6, b = 7, c = 3, d = 2.
        let found = table.measure(1, Measure::ChiSquare, OverClasses::Maximum).unwrap();
        assert!((found - 18.0 * (12.0f64 - 21.0).powi(2) / (9.0 * 9.0 * 13.0 * 5.0)).abs() < 1e-9);
    }
}
