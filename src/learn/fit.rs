//! Rows of counts and classes → words that are chosen, what they weigh, and a scorer.

use rayon::prelude::*;

use crate::bayes::BayesCounts;
use crate::boost;
use crate::dual::{DualSolver, Loss};
use crate::knn::{NearestPages, NeighbourBuffers};
use crate::labels::Labels;
use crate::linear::Linear;
use crate::rows::SparseRows;
use crate::select::{Contingency, best};
use crate::settings::{FitSettings, Method, Weighting};
use crate::weights::TfIdf;

/// What gives scores to rows.
pub enum Scorer {
    /// Dot products.
    Linear(Linear),
    /// Votes of neighbours.
    Neighbours(Box<NearestPages>),
}

impl Scorer {
    /// Writes the score of each class.
    pub fn scores(&self, row: &[(u32, f32)], met: &mut NeighbourBuffers, scores: &mut Vec<f64>) {
        match self {
            Scorer::Linear(linear) => linear.scores(row.iter().copied(), scores),
            Scorer::Neighbours(neighbours) => neighbours.scores(row, met, scores),
        }
    }
}

/// A trained classifier of rows.
pub struct FittedClassifier {
    /// The words that it knows, by their numbers in the rows that it was trained on, ascending; it numbers them anew in this order.
    pub chosen: Vec<u32>,
    /// What they weigh.
    pub weights: TfIdf,
    /// How.
    pub weighting: Weighting,
    /// What gives scores.
    pub scorer: Scorer,
}

impl FittedClassifier {
    /// What a page of these counts, of chosen words by their new numbers, weighs.
    pub fn weigh(&self, counts: impl IntoIterator<Item = (u32, f32)>) -> Vec<(u32, f32)> {
        weigh(&self.weights, self.weighting, counts)
    }
}

/// What words of these counts weigh.
pub(crate) fn weigh(
    weights: &TfIdf,
    weighting: Weighting,
    counts: impl IntoIterator<Item = (u32, f32)>,
) -> Vec<(u32, f32)> {
    match weighting {
        Weighting::TfIdf | Weighting::TfIdfDiff => weights.row(counts),
        Weighting::Counts => counts.into_iter().collect(),
        Weighting::Presence => counts.into_iter().map(|(word, _)| (word, 1.0)).collect(),
    }
}

/// Trains on rows of counts. `allowed`: which words may be chosen at all.
///
/// # Errors
/// The reason why the method cannot be trained on these rows.
pub fn fit(
    settings: &FitSettings,
    counts: &SparseRows,
    labels: &Labels,
    classes: usize,
    allowed: &[bool],
) -> Result<FittedClassifier, String> {
    fit_held(settings, counts, labels, classes, allowed, &[]).map(|(fitted, _)| fitted)
}

/// The same, and the scores of `held` pages by a fit on all others, as far as that is found beside in less time (by [`DualSolver::fit_held`]): not
/// where classes of pages had a say in what words count, for held pages would have had one too.
///
/// # Errors
/// The reason why the method cannot be trained on these rows.
pub fn fit_held(
    settings: &FitSettings,
    counts: &SparseRows,
    labels: &Labels,
    classes: usize,
    allowed: &[bool],
    held: &[usize],
) -> Result<(FittedClassifier, Option<Vec<f64>>), String> {
    let width = allowed.len();
    let by_measure = settings.features > 0 || settings.weighting == Weighting::TfIdfDiff;
    let measures = by_measure.then(|| {
        let table = Contingency::count(counts, width, labels, classes, settings.counting);
        let mut measures = table.measures(settings.measure, settings.over);
        measures
            .iter_mut()
            .zip(allowed)
            .filter(|(_, allowed)| !**allowed)
            .for_each(|(measure, _)| *measure = None);
        measures
    });
    let mut chosen: Vec<u32> = match &measures {
        Some(measures) => best(measures, settings.features),
        None => (0..width as u32).filter(|&word| allowed[word as usize]).collect(),
    };
    // Of parts of a corpus: words that stand in none of these pages.
    let mut frequencies = vec![0u32; width];
    counts.rows().for_each(|(words, _)| words.iter().for_each(|&word| frequencies[word as usize] += 1));
    chosen.retain(|&word| frequencies[word as usize] > 0);
    let mut numbers = vec![None; width];
    chosen.iter().zip(0..).for_each(|(&word, number)| numbers[word as usize] = Some(number));
    let frequencies: Vec<u32> = chosen.iter().map(|&word| frequencies[word as usize]).collect();
    let mut weights = TfIdf::new(counts.len() as u64, &frequencies);
    if let (Weighting::TfIdfDiff, Some(measures)) = (settings.weighting, &measures) {
        let of: Vec<f64> =
            chosen.iter().map(|&word| measures[word as usize].unwrap_or(0.0).max(0.0)).collect();
        weights = weights.times(&of);
    }
    let rows = weigh_all(&weights, settings.weighting, counts, &numbers);
    let width = chosen.len();
    let dual = |loss| DualSolver {
        c: settings.c,
        epsilon: settings.epsilon,
        seed: settings.seed,
        ..DualSolver::new(loss)
    };
    let bayes = || {
        let mut counts = BayesCounts::new(width, classes);
        counts.add(&rows, labels);
        counts
    };
    let descent = |loss| dual(loss).fit(&rows, width, labels, classes, settings.multi);
    let mut of_held = None;
    let held = if by_measure { &[] } else { held };
    let mut descent_held = |loss| {
        let (linear, scores) = dual(loss).fit_held(&rows, width, labels, classes, settings.multi, held);
        of_held = (!held.is_empty()).then_some(scores);
        linear
    };
    let scorer = match settings.method {
        Method::NaiveBayes => Scorer::Linear(bayes().multinomial(settings.alpha, false)),
        Method::ComplementBayes => Scorer::Linear(bayes().complement(settings.alpha)),
        Method::Auto | Method::Svm => Scorer::Linear(descent_held(Loss::SquaredHinge)),
        Method::Logistic => Scorer::Linear(descent_held(Loss::Logistic)),
        Method::Blend => {
            let (svm, bayes) = (descent(Loss::SquaredHinge), bayes().complement(settings.alpha));
            let (a, b) = settings.slopes;
            Scorer::Linear(svm.blend((1.0 - settings.share) * a, &bayes, settings.share * b))
        }
        Method::Adaboost => Scorer::Linear(boost::fit(&rows, width, labels, classes, settings.rounds)),
        Method::Neighbours => {
            let neighbours = NearestPages::new(rows, width, labels.clone(), classes, settings.neighbours)?;
            Scorer::Neighbours(Box::new(neighbours))
        }
    };
    Ok((FittedClassifier { chosen, weights, weighting: settings.weighting, scorer }, of_held))
}

/// What words of pages weigh, by their new numbers.
fn weigh_all(
    weights: &TfIdf,
    weighting: Weighting,
    counts: &SparseRows,
    numbers: &[Option<u32>],
) -> SparseRows {
    const AT_ONCE: usize = 256;
    let parts: Vec<SparseRows> = (0..counts.len().div_ceil(AT_ONCE))
        .into_par_iter()
        .map(|part| {
            let mut rows = SparseRows::new();
            for page in part * AT_ONCE..counts.len().min((part + 1) * AT_ONCE) {
                let (words, values) = counts.row(page);
                let known = words.iter().zip(values);
                let known =
                    known.filter_map(|(&word, &value)| numbers[word as usize].map(|number| (number, value)));
                rows.push(weigh(weights, weighting, known));
            }
            rows
        })
        .collect();
    let mut rows = SparseRows::new();
    parts.iter().for_each(|part| rows.append(part));
    rows
}

/// The scores of pages, one after the other, as many each as there are classes.
pub fn scores(fitted: &FittedClassifier, counts: &SparseRows, width: usize, classes: usize) -> Vec<f64> {
    let mut numbers = vec![None; width];
    fitted.chosen.iter().zip(0..).for_each(|(&word, number)| numbers[word as usize] = Some(number));
    let mut all = vec![0.0; counts.len() * classes];
    const AT_ONCE: usize = 64;
    all.par_chunks_mut(classes.max(1) * AT_ONCE).enumerate().for_each_init(
        || (NeighbourBuffers::default(), Vec::new()),
        |(met, scores), (chunk, out)| {
            for (at, out) in out.chunks_mut(classes).enumerate() {
                let (words, values) = counts.row(chunk * AT_ONCE + at);
                let known = words.iter().zip(values);
                let known =
                    known.filter_map(|(&word, &value)| numbers[word as usize].map(|number| (number, value)));
                fitted.scorer.scores(&fitted.weigh(known), met, scores);
                out.copy_from_slice(scores);
            }
        },
    );
    all
}
