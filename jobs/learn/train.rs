//! `webmill learn train`: labelled pages → a model, and how good it is.
//!
//! **Algorithm.** Labelled pages become rows of counts. Method `auto` chooses by cross-validation among them ([`webmill_learn::choose`]). What was
//! chosen is evaluated on the test pages, or in folds; then it is trained on all. Scores become probabilities by what held-out pages show:
//! those of the folds, or a tenth of the training pages where test pages are given, which are never looked at for any choice.
//!
//! **Cost.** Pages are read once; memory: the words of labelled pages, thrice.

use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};
use webmill_learn::{
    Calibration, Choice, Evaluation, FeatureOptions, FeatureOrigin as FeatureSource, FitSettings,
    FittedClassifier, Labels, Method, Model, SparseRows, Training, Trial, choose, evaluation_of, fit,
    fit_held, folds, out_of_fold, scores,
};
use webmill_run::{Ingredient, Inputs, Job, JobInput, Stage, Unit};

use super::labels::LabelFile;
use super::set::{Set, gather, gather_test};
use super::settings::{SEED, TrainSettings};
use super::source::PageSource;
use super::tables::{CalibrationRow, ConfusionRow, EvaluationRow, TrialRow};
use super::words::{name_of, source_name};
use crate::output::{first_part, write_rows};

/// The model in the results of the job.
pub const MODEL: &str = "model/model.webmill";

/// The job that trains and evaluates a classifier.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TrainJob {
    /// Settings of the training.
    pub settings: TrainSettings,
}

/// What it reads.
pub struct TrainInput {
    /// Pages to train on.
    pub pages: PageSource,
    /// Their labels, where these are in a file.
    pub labels: Option<LabelFile>,
    /// Pages to evaluate on.
    pub test: Option<PageSource>,
    /// By what all that is told from other input.
    pub inputs: Inputs,
}

impl JobInput for TrainInput {
    fn inputs(&self) -> Inputs {
        self.inputs.clone()
    }
}

impl Job for TrainJob {
    type Input = TrainInput;
    const NAME: &'static str = "learn-train";
    const VERSION: u32 = 4;

    fn ingredients(&self) -> Vec<Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, input: &TrainInput, stage: &Stage<'_>) -> Result<()> {
        stage.unit("train", |unit| self.train(input, unit))
    }
}

/// The training set, whatever the evaluation set.
struct TrainingSet<'a> {
    set: &'a Set,
    settings: FitSettings,
    allowed: Vec<bool>,
}

/// Rows of the tables.
#[derive(Default)]
struct Tables {
    evaluation: Vec<EvaluationRow>,
    confusion: Vec<ConfusionRow>,
    calibration: Vec<CalibrationRow>,
}

impl TrainJob {
    fn train(&self, input: &TrainInput, unit: &mut Unit<'_>) -> Result<()> {
        let settings = &self.settings;
        let mut options = settings.options();
        let set = gather(&input.pages, input.labels.as_ref(), settings, &options, unit)?;
        let test = match &input.test {
            Some(test) => Some(gather_test(test, input.labels.as_ref(), &set, settings, &options, unit)?),
            None => None,
        };
        unit.stage().cancel.check()?;
        let sources = set.vocabulary.sources();
        let mut trials = Vec::new();
        let mut fit_settings = settings.fit();
        if settings.method == Method::Auto {
            unit.stage().progress.note("choosing a method by cross-validation on the training pages");
            let training = Training {
                counts: &set.counts,
                labels: &set.labels,
                classes: set.classes.len(),
                sources: &sources,
                groups: set.groups.as_deref(),
            };
            let choice = choose(&training, &options, &fit_settings).map_err(Error::Config)?;
            let told = chosen_in_words(&choice);
            unit.stage().progress.note(&told);
            restrict(&mut options, &choice.sources);
            (fit_settings, trials) = (choice.settings.clone(), trial_rows(&choice));
        }
        unit.stage().cancel.check()?;
        let allowed = sources.iter().map(|source| source.is_in(&options)).collect();
        let trained = TrainingSet { set: &set, settings: fit_settings, allowed };
        let mut tables = Tables::default();
        let (calibration, fitted) = match &test {
            Some((rows, labels)) => trained.on_test(rows, labels, settings, &mut tables)?,
            None => (trained.in_folds(settings, &mut tables)?, trained.fit_all(&[])?.0),
        };
        unit.stage().cancel.check()?;
        let model = trained.model(options, fitted, calibration, unit.stage().key().to_string());
        write(&model, tables, trials, unit)
    }
}

impl TrainingSet<'_> {
    fn fit(&self, pages: &[usize]) -> Result<FittedClassifier> {
        let (counts, labels) = (self.set.counts.select(pages), self.set.labels.select(pages));
        fit(&self.settings, &counts, &labels, self.set.classes.len(), &self.allowed).map_err(Error::Config)
    }

    /// Trained on all pages, and what a fit on the others says of those that are held, where that is found beside.
    fn fit_all(&self, held: &[usize]) -> Result<(FittedClassifier, Option<Vec<f64>>)> {
        let (counts, labels) = (&self.set.counts, &self.set.labels);
        let classes = self.set.classes.len();
        fit_held(&self.settings, counts, labels, classes, &self.allowed, held).map_err(Error::Config)
    }

    fn scores(&self, fitted: &FittedClassifier, rows: &SparseRows) -> Vec<f64> {
        scores(fitted, rows, self.allowed.len(), self.set.classes.len())
    }

    fn folds(&self, k: usize, seed: u64) -> Vec<u32> {
        folds(&self.set.labels, self.set.classes.len(), self.set.groups.as_deref(), k, seed)
    }

    /// Trained on all, evaluated on test pages; calibrated on a tenth that was held out of a training of its own.
    fn on_test(
        &self,
        rows: &SparseRows,
        labels: &Labels,
        settings: &TrainSettings,
        tables: &mut Tables,
    ) -> Result<(Calibration, FittedClassifier)> {
        let classes = self.set.classes.len();
        let (calibration, fitted) = self.calibrated(settings)?;
        let all: Vec<usize> = (0..self.set.counts.len()).collect();
        let of = self.scores(&fitted, rows);
        let evaluation = evaluation_of(&of, labels, classes, &calibration);
        tables.add("test", 1.0, &evaluation, &self.set.classes, true);
        if settings.curve {
            for (share, pages) in self.shares(&all, SEED) {
                let of = self.scores(&self.fit(&pages)?, rows);
                let evaluation = evaluation_of(&of, labels, classes, &calibration);
                tables.add("curve", share, &evaluation, &self.set.classes, false);
            }
            tables.add("curve", 1.0, &evaluation, &self.set.classes, false);
        }
        Ok((calibration, fitted))
    }

    /// Trained on all; what a tenth of the pages shows, told by a training on the others.
    fn calibrated(&self, settings: &TrainSettings) -> Result<(Calibration, FittedClassifier)> {
        let fold_of = self.folds(10, SEED);
        let (held, others): (Vec<usize>, Vec<usize>) =
            (0..fold_of.len()).partition(|&page| fold_of[page] == 0);
        let (fitted, of_held) = self.fit_all(&held)?;
        let of = match of_held {
            Some(of) => of,
            None => self.scores(&self.fit(&others)?, &self.set.counts.select(&held)),
        };
        let labels = self.set.labels.select(&held);
        Ok((Calibration::learn(&of, &labels, self.set.classes.len(), settings.multi), fitted))
    }

    /// Evaluated and calibrated on pages that were held out of a training each.
    fn in_folds(&self, settings: &TrainSettings, tables: &mut Tables) -> Result<Calibration> {
        let classes = self.set.classes.len();
        let fold_of = self.folds(settings.folds, SEED);
        let (counts, labels) = (&self.set.counts, &self.set.labels);
        let of =
            out_of_fold(&self.settings, counts, labels, classes, &self.allowed, &fold_of, settings.folds)
                .map_err(Error::Config)?;
        let calibration = Calibration::learn(&of, labels, classes, settings.multi);
        let evaluation = evaluation_of(&of, labels, classes, &calibration);
        tables.add("folds", 1.0, &evaluation, &self.set.classes, true);
        for fold in 0..settings.folds as u32 {
            let pages: Vec<usize> = (0..fold_of.len()).filter(|&page| fold_of[page] == fold).collect();
            let held: Vec<f64> =
                pages.iter().flat_map(|&page| of[page * classes..][..classes].iter().copied()).collect();
            let evaluation = evaluation_of(&held, &labels.select(&pages), classes, &calibration);
            tables.add(&format!("fold {}", fold + 1), 1.0, &evaluation, &self.set.classes, false);
        }
        if settings.curve {
            let (held, others): (Vec<usize>, Vec<usize>) =
                (0..fold_of.len()).partition(|&page| fold_of[page] == 0);
            let (rows, truth) = (counts.select(&held), labels.select(&held));
            let mut shares = self.shares(&others, SEED);
            shares.push((1.0, others));
            for (share, pages) in shares {
                let of = self.scores(&self.fit(&pages)?, &rows);
                let evaluation = evaluation_of(&of, &truth, classes, &calibration);
                tables.add("curve", share, &evaluation, &self.set.classes, false);
            }
        }
        Ok(calibration)
    }

    /// A quarter and a half of these pages, classes spread as in all.
    fn shares(&self, pages: &[usize], seed: u64) -> Vec<(f64, Vec<usize>)> {
        let quarter_of = folds(&self.set.labels.select(pages), self.set.classes.len(), None, 4, seed);
        let below = |most: u32| {
            pages
                .iter()
                .zip(&quarter_of)
                .filter(|(_, quarter)| **quarter < most)
                .map(|(page, _)| *page)
                .collect()
        };
        vec![(0.25, below(1)), (0.5, below(2))]
    }

    fn model(
        &self,
        options: FeatureOptions,
        fitted: FittedClassifier,
        calibration: Calibration,
        digest: String,
    ) -> Model {
        let (classes, settings) = (self.set.classes.clone(), self.settings.clone());
        Model::new(classes, options, settings, &self.set.vocabulary, fitted, calibration, digest)
    }
}

/// Takes the sources that were not chosen out.
fn restrict(options: &mut FeatureOptions, chosen: &[FeatureSource]) {
    let has = |source| chosen.contains(&source);
    options.text &= has(FeatureSource::Word);
    if !has(FeatureSource::Word) {
        options.title_weight = options.title_weight.min(u32::from(has(FeatureSource::Bigram)));
    }
    options.bigrams &= has(FeatureSource::Bigram);
    options.han_pairs &= has(FeatureSource::HanPair);
    options.title &= has(FeatureSource::Title);
    options.url &= has(FeatureSource::Url);
    options.anchors &= has(FeatureSource::Anchor);
    options.media &= has(FeatureSource::Media);
    options.language &= has(FeatureSource::Language);
    options.page_type &= has(FeatureSource::PageType);
}

fn chosen_in_words(choice: &Choice) -> String {
    let sources: Vec<&str> = choice.sources.iter().map(|source| source_name(*source)).collect();
    let best = choice.trials.iter().rev().find(|trial| trial.settings == choice.settings);
    let (accuracy, f1) = best.map_or((0.0, 0.0), |trial| (trial.accuracy, trial.macro_f1));
    format!(
        "chosen: {} over {} (accuracy {accuracy:.4}, macro F1 {f1:.4} on held-out training pages)",
        name_of(choice.settings.method),
        sources.join(", ")
    )
}

fn trial_rows(choice: &Choice) -> Vec<TrialRow> {
    let row = |trial: &Trial| TrialRow {
        method: name_of(trial.settings.method),
        sources: trial.sources.iter().map(|source| source_name(*source).to_owned()).collect(),
        num_features: trial.settings.features as u64,
        c: trial.settings.c,
        alpha: trial.settings.alpha,
        share: trial.settings.share,
        accuracy: trial.accuracy,
        macro_f1: trial.macro_f1,
        merit: trial.merit,
        is_chosen: trial.settings == choice.settings && trial.sources == choice.sources,
    };
    choice.trials.iter().map(row).collect()
}

impl Tables {
    fn add(&mut self, scope: &str, share: f64, evaluation: &Evaluation, classes: &[String], whole: bool) {
        let mut push = |class: Option<&String>, measure: &str, value: f64, num_pages: u64| {
            self.evaluation.push(EvaluationRow {
                scope: scope.to_owned(),
                share,
                class: class.cloned(),
                measure: measure.to_owned(),
                value,
                num_pages,
            });
        };
        let pages = evaluation.pages();
        push(None, "accuracy", evaluation.accuracy(), pages);
        for (kind, values) in [("macro", evaluation.macro_mean()), ("micro", evaluation.micro())] {
            for (measure, value) in ["precision", "recall", "f1"].iter().zip(values) {
                push(None, &format!("{kind}-{measure}"), value, pages);
            }
        }
        push(None, "calibration-error", evaluation.calibration_error(), pages);
        if !whole {
            return;
        }
        for (at, class) in classes.iter().enumerate() {
            for (measure, value) in ["precision", "recall", "f1"].iter().zip(evaluation.of_class(at)) {
                push(Some(class), measure, value, evaluation.support(at));
            }
        }
        for (is, class) in classes.iter().enumerate() {
            for (told, told_class) in classes.iter().enumerate() {
                let num_pages = evaluation.confused(is, told);
                if num_pages > 0 {
                    let (scope, class, told) = (scope.to_owned(), class.clone(), told_class.clone());
                    self.confusion.push(ConfusionRow { scope, class, told, num_pages });
                }
            }
        }
        for (bin, (num_pages, mean_probability, share_right)) in
            evaluation.calibration().into_iter().enumerate()
        {
            self.calibration.push(CalibrationRow {
                scope: scope.to_owned(),
                from_probability: bin as f64 / 10.0,
                num_pages,
                mean_probability,
                share_right,
            });
        }
    }
}

/// What people look into of a model.
#[derive(Serialize)]
struct About<'a> {
    classes: &'a [String],
    settings: &'a FitSettings,
    sources: &'a FeatureOptions,
    num_features: usize,
    trained_by: &'a str,
    top_features: Vec<(&'a str, Vec<(String, f64)>)>,
}

fn write(model: &Model, tables: Tables, trials: Vec<TrialRow>, unit: &mut Unit<'_>) -> Result<()> {
    let path = unit.create(MODEL)?;
    std::fs::write(&path, model.bytes()).map_err(|e| Error::io(&path, e))?;
    unit.wrote(MODEL, "", Vec::new(), 0);
    let about = About {
        classes: model.classes(),
        settings: model.settings(),
        sources: model.options(),
        num_features: model.vocabulary().len(),
        trained_by: model.digest(),
        top_features: (0..model.classes().len())
            .map(|class| (model.classes()[class].as_str(), model.top_features(class, 20)))
            .collect(),
    };
    let relative = "model/model.json";
    let path = unit.create(relative)?;
    let text = serde_json::to_vec_pretty(&about).map_err(|e| Error::Internal(e.to_string()))?;
    std::fs::write(&path, text).map_err(|e| Error::io(&path, e))?;
    unit.wrote(relative, "", Vec::new(), 0);
    write_rows(unit, first_part::<EvaluationRow>(), tables.evaluation)?;
    write_rows(unit, first_part::<ConfusionRow>(), tables.confusion)?;
    write_rows(unit, first_part::<CalibrationRow>(), tables.calibration)?;
    write_rows(unit, first_part::<TrialRow>(), trials)?;
    Ok(())
}
