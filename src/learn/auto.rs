//! Choosing a method, its settings and the sources of features by cross-validation on the training pages.
//!
//! **Algorithm.** Folds are made once. (1) From words alone, each further source that the pages have is tried; those that raise the merit of the
//! best of support vectors, complement naive Bayes and both together stay. (2) With these sources, settings of each method are tried. (3)
//! The best support vectors and the best complement naive Bayes are blended in several shares. What counts is the mean of accuracy and
//! macro F1 over all folds' held-out pages; a method tried later must be better by [`MARGIN`], and by a quarter of the standard error of an
//! accuracy on as many pages: less is chance.
//!
//! **Cost.** Some forty trainings on parts of the pages; of more than [`SAMPLE`] pages a sample of that size is drawn.
//!
//! **Determinism.** Folds and sample follow from the seed.

use rayon::prelude::*;

use crate::calibrate::Calibration;
use crate::evaluation::Evaluation;
use crate::facts::{FeatureOptions, FeatureOrigin};
use crate::fit::{fit, scores};
use crate::folds::folds;
use crate::labels::Labels;
use crate::random::Draws;
use crate::rows::SparseRows;
use crate::settings::{FitSettings, Method, Weighting};

/// Pages that choices are made by.
pub const SAMPLE: usize = 20_000;

/// By how much merit must rise for a further source, or another method.
pub const MARGIN: f64 = 0.0005;

/// Pages, what they are, and what must not be parted.
pub struct Training<'a> {
    /// Counts of all words.
    pub counts: &'a SparseRows,
    /// Classes of the pages.
    pub labels: &'a Labels,
    /// Number of classes.
    pub classes: usize,
    /// Source of each word.
    pub sources: &'a [FeatureOrigin],
    /// Groups that must not be parted (registrable domains).
    pub groups: Option<&'a [u32]>,
}

/// Something that was tried.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The settings that were tried.
    pub settings: FitSettings,
    /// The sources of features.
    pub sources: Vec<FeatureOrigin>,
    /// How good it was on held-out pages.
    pub accuracy: f64,
    /// Likewise.
    pub macro_f1: f64,
    /// Mean of both.
    pub merit: f64,
}

/// What was chosen.
pub struct Choice {
    /// The settings that were chosen.
    pub settings: FitSettings,
    /// The sources of features.
    pub sources: Vec<FeatureOrigin>,
    /// All that was tried, in order.
    pub trials: Vec<Trial>,
}

/// A trial with the scores of held-out pages.
struct HeldOutTrial {
    trial: Trial,
    scores: Vec<f64>,
    slope: f64,
    pages: usize,
}

struct Search<'a> {
    counts: SparseRows,
    labels: Labels,
    classes: usize,
    sources: &'a [FeatureOrigin],
    fold_of: Vec<u32>,
    k: usize,
    base: FitSettings,
    trials: Vec<Trial>,
}

/// Chooses by the training pages. `options` says which sources may be used; `base` has the settings that are not chosen.
///
/// # Errors
/// The reason why nothing can be trained.
pub fn choose(
    training: &Training<'_>,
    options: &FeatureOptions,
    base: &FitSettings,
) -> Result<Choice, String> {
    let mut search = Search::new(training, base);
    let mut present: Vec<FeatureOrigin> = training.sources.to_vec();
    present.sort_unstable();
    present.dedup();
    present.retain(|source| source.is_in(options));
    let is_basic = |source: &FeatureOrigin| *source == FeatureOrigin::Word;
    let (mut sources, further): (Vec<FeatureOrigin>, Vec<FeatureOrigin>) =
        present.iter().partition(|source| is_basic(source));
    if sources.is_empty() {
        sources.clone_from(&present);
    }
    let mut best = search.three(&sources)?;
    for source in further {
        if sources.contains(&source) {
            continue;
        }
        let with: Vec<FeatureOrigin> = sources.iter().copied().chain([source]).collect();
        let trial = search.three(&with)?;
        if merit(&trial) > merit(&best) + margin(merit(&best), search.labels.len()) {
            (best, sources) = (trial, with);
        }
    }
    let [mut svm, mut bayes, both] = best;
    let mut others: Vec<HeldOutTrial> = Vec::new();
    for c in [0.25, 4.0] {
        let tried = search.try_out(FitSettings { c, ..svm_settings(base) }, &sources)?;
        svm = better(svm, tried);
    }
    for alpha in [0.01, 0.3, 1.0] {
        let tried = search.try_out(FitSettings { alpha, ..bayes_settings(base) }, &sources)?;
        bayes = better(bayes, tried);
    }
    for settings in [
        FitSettings { c: 8.0, ..with_base(Method::Logistic, base) },
        with_base(Method::NaiveBayes, base),
        FitSettings { features: 5000, c: svm.trial.settings.c, ..svm_settings(base) },
    ] {
        others.push(search.try_out(settings, &sources)?);
    }
    let mut chosen = better(bayes.copy(), svm.copy());
    if !base.multi {
        others.push(both);
    }
    for other in others {
        chosen = better(chosen, other);
    }
    if !base.multi {
        for share in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
            let blended = search.blend(&svm, &bayes, share);
            chosen = better(chosen, blended);
        }
    }
    Ok(Choice { settings: chosen.trial.settings, sources, trials: search.trials })
}

fn merit(three: &[HeldOutTrial; 3]) -> f64 {
    three.iter().map(|held| held.trial.merit).fold(0.0, f64::max)
}

/// By how much more merit is no chance.
fn margin(merit: f64, pages: usize) -> f64 {
    MARGIN.max((merit * (1.0 - merit) / pages.max(1) as f64).sqrt() / 4.0)
}

fn better(a: HeldOutTrial, b: HeldOutTrial) -> HeldOutTrial {
    if b.trial.merit > a.trial.merit + margin(a.trial.merit, a.pages) { b } else { a }
}

impl HeldOutTrial {
    fn copy(&self) -> HeldOutTrial {
        HeldOutTrial {
            trial: self.trial.clone(),
            scores: self.scores.clone(),
            slope: self.slope,
            pages: self.pages,
        }
    }
}

fn with_base(method: Method, base: &FitSettings) -> FitSettings {
    FitSettings { features: 0, seed: base.seed, multi: base.multi, ..FitSettings::of(method) }
}

fn svm_settings(base: &FitSettings) -> FitSettings {
    with_base(Method::Svm, base)
}

fn bayes_settings(base: &FitSettings) -> FitSettings {
    with_base(Method::ComplementBayes, base)
}

impl<'a> Search<'a> {
    fn new(training: &Training<'a>, base: &FitSettings) -> Self {
        let mut pages: Vec<usize> = (0..training.counts.len()).collect();
        if pages.len() > SAMPLE {
            Draws::plain(base.seed).shuffle(&mut pages);
            pages.truncate(SAMPLE);
            pages.sort_unstable();
        }
        let labels = training.labels.select(&pages);
        let groups: Option<Vec<u32>> =
            training.groups.map(|groups| pages.iter().map(|&page| groups[page]).collect());
        let k = if pages.len() > 5000 { 3 } else { 5 };
        let fold_of = folds(&labels, training.classes, groups.as_deref(), k, base.seed);
        Search {
            counts: training.counts.select(&pages),
            labels,
            classes: training.classes,
            sources: training.sources,
            fold_of,
            k,
            base: base.clone(),
            trials: Vec::new(),
        }
    }

    /// Support vectors, complement naive Bayes, and both.
    fn three(&mut self, sources: &[FeatureOrigin]) -> Result<[HeldOutTrial; 3], String> {
        let svm = self.try_out(svm_settings(&self.base), sources)?;
        let bayes = self.try_out(bayes_settings(&self.base), sources)?;
        let both = self.blend(&svm, &bayes, 0.5);
        Ok([svm, bayes, both])
    }

    fn try_out(&mut self, settings: FitSettings, sources: &[FeatureOrigin]) -> Result<HeldOutTrial, String> {
        let allowed: Vec<bool> = self.sources.iter().map(|source| sources.contains(source)).collect();
        let scores = out_of_fold(
            &settings,
            &self.counts,
            &self.labels,
            self.classes,
            &allowed,
            &self.fold_of,
            self.k,
        )?;
        Ok(self.judge(settings, sources.to_vec(), scores))
    }

    fn blend(&mut self, svm: &HeldOutTrial, bayes: &HeldOutTrial, share: f64) -> HeldOutTrial {
        let (a, b) = ((1.0 - share) * svm.slope, share * bayes.slope);
        let scores = svm.scores.iter().zip(&bayes.scores).map(|(x, y)| a * x + b * y).collect();
        let settings = FitSettings {
            method: Method::Blend,
            weighting: Weighting::TfIdf,
            alpha: bayes.trial.settings.alpha,
            share,
            slopes: (svm.slope, bayes.slope),
            ..svm.trial.settings.clone()
        };
        self.judge(settings, svm.trial.sources.clone(), scores)
    }

    fn judge(
        &mut self,
        settings: FitSettings,
        sources: Vec<FeatureOrigin>,
        scores: Vec<f64>,
    ) -> HeldOutTrial {
        let calibration = Calibration::learn(&scores, &self.labels, self.classes, self.base.multi);
        let evaluation = evaluation_of(&scores, &self.labels, self.classes, &calibration);
        let slope = match calibration {
            Calibration::Softmax { slope } => slope,
            Calibration::Sigmoids { .. } => 1.0,
        };
        let (accuracy, macro_f1) = (evaluation.accuracy(), evaluation.macro_mean()[2]);
        let trial = Trial { settings, sources, accuracy, macro_f1, merit: evaluation.merit() };
        self.trials.push(trial.clone());
        HeldOutTrial { trial, scores, slope, pages: self.labels.len() }
    }
}

/// Evaluates scores of pages, one after the other.
pub fn evaluation_of(
    scores: &[f64],
    labels: &Labels,
    classes: usize,
    calibration: &Calibration,
) -> Evaluation {
    let mut evaluation = Evaluation::new(classes);
    for (page, row) in scores.chunks(classes).enumerate() {
        let probabilities = calibration.probabilities(row);
        let first = crate::calibrate::best(&probabilities).unwrap_or(0);
        evaluation.add(
            labels.of(page),
            &calibration.told(&probabilities),
            first,
            probabilities[first as usize],
        );
    }
    evaluation
}

/// The scores of all pages by classifiers that were trained on the other folds.
///
/// # Errors
/// The reason why a method cannot be trained.
pub fn out_of_fold(
    settings: &FitSettings,
    counts: &SparseRows,
    labels: &Labels,
    classes: usize,
    allowed: &[bool],
    fold_of: &[u32],
    k: usize,
) -> Result<Vec<f64>, String> {
    let parts: Vec<(Vec<usize>, Vec<f64>)> = (0..k as u32)
        .into_par_iter()
        .with_max_len(1)
        .map(|fold| {
            let (held, others): (Vec<usize>, Vec<usize>) =
                (0..counts.len()).partition(|&page| fold_of[page] == fold);
            let fitted = fit(settings, &counts.select(&others), &labels.select(&others), classes, allowed)?;
            let of_held = scores(&fitted, &counts.select(&held), allowed.len(), classes);
            Ok((held, of_held))
        })
        .collect::<Result<_, String>>()?;
    let mut all = vec![0.0; counts.len() * classes];
    for (held, of_held) in parts {
        for (page, row) in held.into_iter().zip(of_held.chunks(classes)) {
            all[page * classes..(page + 1) * classes].copy_from_slice(row);
        }
    }
    Ok(all)
}
