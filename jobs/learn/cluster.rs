//! `webmill learn cluster`: what a corpus is about, without labels.
//!
//! **What.** The current texts of `extract`, a folder of files, or lines of a table, are brought into topics: by spherical k-means, DBSCAN, average linkage, or
//! in one pass as a stream. Every page with text is clustered, duplicates of each other too, each as one; what has no text, or no word that
//! a further page has, is counted by reason.
//!
//! **Algorithm.** Pages are sorted by SURT on disk, counted (`corpus`) and clustered (`methods`): all at once, or those of each
//! language by themselves. The topics of all are numbered by their sizes. The kernels are in [`webmill_learn`].
//!
//! **Cost.** Two passes over the texts; memory holds the words and 24 bytes for each different word of each page. Beyond `--memory` the
//! job refuses, and says which setting lowers what it needs. Of more pages than [`ClusterSettings::batch_pages`] k-means is made in batches (`batches`), and they stay on disk.
//!
//! **Determinism.** A function of the texts and the settings: neither shards nor threads matter.

mod batches;
pub mod corpus;
mod input;
mod methods;
mod pages;
mod settings;
mod spill;
pub mod tables;
mod topics;
mod write;

use std::path::Path;

use serde::Serialize;
use webmill_capture::{Error, Result};
use webmill_dedup::Fingerprint;
use webmill_run::{Committed, Ingredient, Job, Stage, Unit};
use webmill_table::schema;

use super::in_learn;
use super::settings::Learn;
use crate::extract::Extract;
use crate::job::Context;
use crate::registry::JobEntry;
use batches::StoredPages;
use corpus::Corpus;
use input::ClusterInput;
use methods::Rows;
pub use settings::{ClusterMethod, ClusterSettings, Near};
use tables::{TopicMeasureRow, TopicRow, TopicTreeRow, TopicWordsRow};
use topics::Topics;
use write::Words;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: ClusterJob::NAME,
    about: "Bring pages into topics, without labels",
    reads_shards: false,
    optional: true,
    tables: || {
        vec![
            schema::<TopicRow>(),
            schema::<TopicWordsRow>(),
            schema::<TopicTreeRow>(),
            schema::<TopicMeasureRow>(),
        ]
    },
    check: in_learn,
    run: cluster,
};

/// Counts of the pages that have a topic, or are noise.
pub const PAGES: &str = "pages";
/// Why a page is left out whose words no other page has.
const NO_SHARED_WORDS: &str = "no-shared-words";

/// The job: its settings without the paths, for which the digests of what lies there stand.
#[derive(Debug, Clone, Serialize)]
pub struct ClusterJob(ClusterSettings);

/// Clusters the context's texts, or the folder of its settings.
///
/// # Errors
/// What the job meets.
pub fn cluster(context: &Context<'_>) -> Result<Option<Committed>> {
    let learn: Learn = context.settings()?;
    let labels = Some(Path::new(&learn.train.labels)).filter(|path| !path.as_os_str().is_empty());
    let input = if learn.apply_to.is_empty() {
        ClusterInput::texts(context.results_of(Extract::NAME)?, labels, &context.runtime)?
    } else {
        ClusterInput::files(Path::new(&learn.apply_to), labels, &context.runtime)?
    };
    context.run(&ClusterJob(learn.clusters()), &input)
}

impl Job for ClusterJob {
    type Input = ClusterInput;
    const NAME: &'static str = "learn-cluster";
    const VERSION: u32 = 2;

    fn ingredients(&self) -> Vec<Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, input: &ClusterInput, stage: &Stage<'_>) -> Result<()> {
        stage.unit("topics", |unit| self.cluster(input, unit))
    }
}

impl ClusterJob {
    fn cluster(&self, input: &ClusterInput, unit: &mut Unit<'_>) -> Result<()> {
        let settings = &self.0;
        let mut pages = pages::read(input, settings, unit)?;
        if pages.count > settings.batch_pages {
            return self.in_batches(pages, unit);
        }
        let corpus = Corpus::read(&mut pages, settings, unit)?;
        drop(pages);
        let (with_words, without): (Vec<usize>, Vec<usize>) =
            (0..corpus.abouts.len()).partition(|page| !corpus.counts.row(*page).0.is_empty());
        unit.dropped(NO_SHARED_WORDS, without.len() as u64);
        let pages_in_all = with_words.len();
        let mut found = Vec::new();
        for (language, pages) in self.groups(&corpus, with_words) {
            unit.stage().cancel.check()?;
            found.push(self.topics(&corpus, language, pages, pages_in_all, unit.stage())?);
        }
        unit.kept(PAGES, pages_in_all as u64);
        say_languages(&corpus, &found, settings, unit.stage());
        let words = Words { counted: corpus.vocabulary.len(), dropped: corpus.vocabulary.dropped() };
        write::write(&corpus.abouts, words, &found, unit)
    }

    /// Topics of more pages than are held.
    fn in_batches(&self, mut pages: pages::Pages, unit: &mut Unit<'_>) -> Result<()> {
        let settings = &self.0;
        if settings.method != ClusterMethod::Kmeans {
            return Err(Error::Config(format!(
                "{} pages are more than [learn] batch_pages = {}: only k-means goes over pages in batches; raise it for another method",
                pages.count, settings.batch_pages
            )));
        }
        unit.stage().progress.note(&format!(
            "{} pages are more than [learn] batch_pages = {}: k-means goes over them in batches, by at most {} words",
            pages.count,
            settings.batch_pages,
            settings::BATCH_WORDS
        ));
        let aside = StoredPages::write(&mut pages, settings, unit)?;
        drop(pages);
        unit.dropped(NO_SHARED_WORDS, aside.without_words);
        let found = aside.cluster(settings, unit.stage())?;
        unit.kept(PAGES, aside.clustered());
        write::write(&aside, aside.words(), &found, unit)
    }

    /// Pages that are clustered together, the largest group first.
    fn groups(&self, corpus: &Corpus, pages: Vec<usize>) -> Vec<(Option<String>, Vec<usize>)> {
        let languages = match self.0.by_language {
            true => corpus::languages(pages.iter().map(|page| &corpus.abouts[*page])),
            false => Vec::new(),
        };
        let groups = corpus::by_language(pages, &languages, |page| corpus.abouts[page].language.as_deref());
        groups.into_iter().map(|(language, pages)| (language.map(str::to_owned), pages)).collect()
    }

    fn topics(
        &self,
        corpus: &Corpus,
        language: Option<String>,
        pages: Vec<usize>,
        pages_in_all: usize,
        stage: &Stage<'_>,
    ) -> Result<Topics> {
        let rows = corpus.weigh(&pages);
        let simhashes = pages
            .iter()
            .filter_map(|page| corpus.simhashes.get(*page))
            .map(|hash| Fingerprint(*hash))
            .collect();
        // Topics that were asked for are shared out among languages by their pages.
        let share = pages.len() as f64 / pages_in_all as f64;
        let k = match self.0.k {
            0 => 0,
            k => ((f64::from(k) * share).round() as usize).max(1),
        };
        let found = Rows { rows: &rows, simhashes, k }.cluster(&self.0, stage)?;
        Ok(Topics::of(language, pages, &rows, found, &corpus.vocabulary, stage))
    }
}

/// Says where topics are not more than the languages of the corpus.
fn say_languages(corpus: &Corpus, found: &[Topics], settings: &ClusterSettings, stage: &Stage<'_>) {
    let [all] = found else { return };
    if settings.by_language {
        return;
    }
    let languages = corpus::languages(all.pages.iter().map(|page| &corpus.abouts[*page]));
    if languages.len() > 1 {
        stage.progress.note(&format!(
            "the pages are in several languages ({}), which share few words: each topic will be of one of them; without by_language = false topics are \
             made within each",
            languages.join(", ")
        ));
    }
}

/// Whether nothing at all was clustered.
pub fn is_empty(committed: &Committed) -> bool {
    committed.manifest.counts.kept.get(PAGES).is_none_or(|pages| *pages == 0)
}
