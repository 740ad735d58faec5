//! `webmill learn`: classes of pages, learnt from labelled ones; topics, without labels.
//!
//! | module | what |
//! |---|---|
//! | `source`, `page`, `mail`, `labels` | pages of results, of folders, of lines; labels of files |
//! | `set` | labelled pages as rows of counts |
//! | `words`, `train`, `apply` | the jobs of classes |
//! | `cluster` | the job of topics |
//! | `tables`, `settings` | what they write, and what users set |

pub mod apply;
pub mod cluster;
pub mod labels;
pub mod mail;
pub mod page;
pub mod set;
pub mod settings;
pub mod source;
pub mod tables;
pub mod train;
pub mod words;

use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_learn::{Model, ModelError};
use webmill_run::{Committed, Inputs, Job, Runtime};
use webmill_table::schema;

use crate::job::{Context, latest};
use crate::recipe::Recipe;
use crate::registry::JobEntry;
use apply::{ApplyInput, ApplyJob};
use settings::{Learn, TrainSettings};
use source::{PageSource, of_file_inputs};
use train::TrainInput;
pub(crate) use train::{MODEL, TrainJob};
use words::FeaturesJob;

/// `learn features` as the registry lists it.
pub const FEATURES: JobEntry = JobEntry {
    name: FeaturesJob::NAME,
    about: "Measure how well words tell classes of labelled pages apart",
    reads_shards: false,
    optional: true,
    tables: || vec![schema::<tables::FeatureRow>()],
    check: in_learn,
    run: |context| {
        let settings = context.settings::<Learn>()?.train;
        let input = train_input(&settings, context)?;
        context.run(&FeaturesJob { settings: without_paths(settings) }, &input)
    },
};

/// `learn train` as the registry lists it.
pub const TRAIN: JobEntry = JobEntry {
    name: TrainJob::NAME,
    about: "Train a classifier on labelled pages, and evaluate it",
    reads_shards: false,
    optional: true,
    tables: || {
        vec![
            schema::<tables::EvaluationRow>(),
            schema::<tables::ConfusionRow>(),
            schema::<tables::CalibrationRow>(),
            schema::<tables::TrialRow>(),
        ]
    },
    check: in_learn,
    run: |context| {
        let settings = context.settings::<Learn>()?.train;
        let input = train_input(&settings, context)?;
        context.run(&TrainJob { settings: without_paths(settings) }, &input)
    },
};

/// `learn apply` as the registry lists it.
pub const APPLY: JobEntry = JobEntry {
    name: ApplyJob::NAME,
    about: "Tell the classes of pages by a trained classifier",
    reads_shards: false,
    optional: true,
    tables: || vec![schema::<tables::ClassRow>()],
    check: in_learn,
    run: |context| {
        let settings = context.settings::<Learn>()?;
        let input = apply_input(&settings, context)?;
        context.run(&ApplyJob::new(&settings.train), &input)
    },
};

/// Checks `[learn]`, which holds the settings of all jobs of learn: they have no table of their own names.
pub(crate) fn in_learn(recipe: &Recipe) -> Result<()> {
    if let Some(name) = recipe.tables().find(|name| name.starts_with("learn-")) {
        return Err(recipe.error(&format!("[{name}]: settings of learn stand in [learn]")));
    }
    recipe.settings::<Learn>().map(drop)
}

/// Whether the recipe asks `webmill run` for this job of learn.
///
/// # Errors
/// For settings that cannot work.
pub fn is_in_run(context: &Context<'_>, job: &str) -> Result<bool> {
    let learn = context.settings::<Learn>()?;
    Ok(job.strip_prefix("learn-").is_some_and(|job| learn.jobs.iter().any(|asked| asked == job)))
}

/// Results do not depend on where their input lies.
fn without_paths(mut settings: TrainSettings) -> TrainSettings {
    for path in [&mut settings.pages, &mut settings.labels, &mut settings.test] {
        path.clear();
    }
    settings
}

fn pages_of(path: &str, context: &Context<'_>) -> Result<PageSource> {
    match path {
        "" => Ok(PageSource::Results(Box::new(context.results_of("extract")?))),
        path => PageSource::find(Path::new(path)),
    }
}

fn train_input(settings: &TrainSettings, context: &Context<'_>) -> Result<TrainInput> {
    let runtime = &context.runtime;
    let with_inputs = |source: PageSource| source.inputs(runtime).map(|inputs| (source, inputs));
    let find_test = || {
        let test = (!settings.test.is_empty()).then(|| PageSource::find(Path::new(&settings.test)));
        test.transpose()?.map(with_inputs).transpose()
    };
    let pages = pages_of(&settings.pages, context)?;
    // Folders of many files: one is walked while those of the other are digested.
    let (pages, test) = rayon::join(|| with_inputs(pages), find_test);
    let ((pages, mut inputs), test) = (pages?, test?);
    if !settings.labels.is_empty() {
        add(&mut inputs, of_file_inputs(Path::new(&settings.labels), runtime.cancel)?);
    }
    let test = test.map(|(test, mut others)| {
        // Names of files to train on and to test on may be the same.
        others.files.iter_mut().for_each(|file| file.name.insert_str(0, "test:"));
        add(&mut inputs, others);
        test
    });
    let labels = set::label_file(settings, runtime.memory)?;
    Ok(TrainInput { pages, labels, test, inputs })
}

fn apply_input(settings: &Learn, context: &Context<'_>) -> Result<ApplyInput> {
    let path = model_path(&settings.model, context)?;
    let bytes = std::fs::read(&path).at(&path)?;
    let model = open_model(&path, &bytes)?;
    let pages = pages_of(&settings.apply_to, context)?;
    let mut inputs = of_file_inputs(&path, context.runtime.cancel)?;
    add(&mut inputs, pages.inputs(&context.runtime)?);
    Ok(ApplyInput { model, pages, inputs })
}

/// Opens a model that was read from a file.
///
/// # Errors
/// [`Error::Incompatible`] or [`Error::Corrupt`] where it is none, with the reason.
pub fn open_model(path: &Path, bytes: &[u8]) -> Result<Model> {
    Model::open(bytes).map_err(|error| match error {
        ModelError::Damaged(why) => Error::corrupt(path, 0, format!("a damaged model: {why}")),
        ModelError::Version(found) => Error::Incompatible {
            path: path.to_path_buf(),
            found: format!("a model of version {found}"),
            expected: format!("version {}: train it again, with webmill learn train", webmill_learn::VERSION),
        },
        ModelError::NoModel => Error::Incompatible {
            path: path.to_path_buf(),
            found: "no model".into(),
            expected: "what webmill learn train writes".into(),
        },
    })
}

/// The file of a model: named itself, in a folder of the job, or in a folder of results.
fn model_path(named: &str, context: &Context<'_>) -> Result<PathBuf> {
    let of = |committed: Committed| committed.path(MODEL);
    if named.is_empty() {
        return context.results_of(TrainJob::NAME).map(of);
    }
    let path = Path::new(named);
    if !path.is_dir() {
        return Ok(path.to_path_buf());
    }
    let inside = [path.join(MODEL), path.join("model.webmill")].into_iter().find(|file| file.is_file());
    match inside {
        Some(file) => Ok(file),
        None => latest(path, TrainJob::NAME).map(of),
    }
}

fn add(inputs: &mut Inputs, others: Inputs) {
    inputs.files.extend(others.files);
    inputs.upstream.extend(others.upstream);
    inputs.paths.extend(others.paths);
}

/// Share of labels that name no page, beyond which the exit code is 1.
const MAX_UNMATCHED: f64 = 0.1;

/// The message if more labels name no page than `MAX_UNMATCHED`.
pub fn too_many_unmatched(context: &Context<'_>) -> Option<String> {
    let results = context.results();
    for job in [TrainJob::NAME, FeaturesJob::NAME] {
        let Some(counts) = results.get(job).map(|committed| &committed.manifest.counts) else { continue };
        let unmatched = counts.dropped.get(set::UNMATCHED).copied().unwrap_or(0);
        let all = unmatched + counts.kept.get(set::MATCHED).copied().unwrap_or(0);
        if unmatched as f64 > MAX_UNMATCHED * all as f64 {
            return Some(format!(
                "{unmatched} of {all} labelled URLs are those of no page, more than a share of {MAX_UNMATCHED}"
            ));
        }
    }
    None
}

/// What a job left out, in words.
pub fn left_out(runtime: &Runtime<'_>, committed: &Committed) {
    for (reason, count) in &committed.manifest.counts.dropped {
        runtime.progress.note(&format!("left out: {count} {reason}"));
    }
}
