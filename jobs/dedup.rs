//! `webmill dedup`: exact and near-duplicates among the current captures, as pairs and clusters.

mod output;
mod pages;
pub mod tables;

use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};
use webmill_dedup::{Clusterer, Fingerprint, HammingJoin, Pair, ShingleVerifier};
use webmill_run::{Committed, Job, Measure, Stage, Unit};
use webmill_sort::Budget;
use webmill_table::{part_files, schema};

use crate::extract::Extract;
use crate::job::{Context, JobEntry};
use crate::recipe::{Settings, check_settings, within};
use pages::{Pages, Texts};
use tables::{ClusterRow, DuplicateRow};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Dedup::NAME,
    about: "Find duplicates: equal bodies, equal texts, and texts whose SimHashes differ in few bits",
    example: "Example:\n  webmill dedup --out results\n\nReads the tables that `webmill extract` wrote to the same folder.",
    reads_shards: false,
    tables: || vec![schema::<DuplicateRow>(), schema::<ClusterRow>()],
    check: check_settings::<Dedup>,
    run: dedup,
};

/// Configuration of the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dedup {
    /// Greatest Hamming distance of the SimHashes of near-duplicates. Larger than the 3 of the literature, because
    /// candidates are verified: on pages of 200 words 3 finds less than half of the copies with one word changed.
    pub k: u32,
    /// Least resemblance of the word shingles by which a candidate joins a cluster.
    pub min_resemblance: f64,
    /// Words of a shingle.
    pub shingle_words: usize,
    /// Texts of fewer words are no near-duplicates of anything: too little to compare.
    pub min_words: u32,
    /// Most pairs of near-duplicates; more is a sign of a corpus that needs other settings.
    pub max_pairs: usize,
    /// Resemblance is computed for every pair where there are at most so many; past that for cluster members only.
    pub max_resemblances: usize,
}

impl Default for Dedup {
    fn default() -> Self {
        Dedup {
            k: 6,
            min_resemblance: 0.8,
            shingle_words: 3,
            min_words: 12,
            max_pairs: 100_000_000,
            max_resemblances: 1_000_000,
        }
    }
}

impl Settings for Dedup {
    const TABLE: &'static str = "dedup";

    fn check(&self) -> Result<()> {
        within("k", self.k, 0..=64)?;
        within("min_resemblance", self.min_resemblance, 0.0..=1.0)?;
        within("shingle_words", self.shingle_words, 1..=64)
    }
}

/// Finds duplicates among the context's pages.
///
/// # Errors
/// What the job meets.
pub fn dedup(context: &Context<'_>) -> Result<Option<Committed>> {
    context.run(&context.settings::<Dedup>()?, &context.results_of(Extract::NAME)?)
}

impl Job for Dedup {
    type Input = Committed;
    const NAME: &'static str = "dedup";
    const VERSION: u32 = 1;

    fn ingredients(&self) -> Vec<webmill_run::Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        stage.unit("duplicates", |unit| self.find(extract, unit))
    }
}

impl Dedup {
    fn find(&self, extract: &Committed, unit: &mut Unit<'_>) -> Result<()> {
        let stage = unit.stage();
        let memory = stage.memory as usize;
        let budget = Budget::new(memory / 4).in_dir(unit.temp());
        let progress = stage.progress;
        progress.begin("order", 0, Measure::Items);
        let pages =
            Pages::read(&part_files(&extract.path("pages"))?, self.min_words, &budget, unit.temp(), memory)?;
        progress.advance(pages.len() as u64);
        progress.end();
        stage.cancel.check()?;

        let copies = pages.copies();
        progress.begin("join", 0, Measure::Items);
        let (numbers, fingerprints): (Vec<u32>, Vec<Fingerprint>) = pages.fingerprints();
        let mut near: Vec<Pair> = Vec::new();
        HammingJoin::new(self.k).memory_bytes(memory / 2).run(&fingerprints, |pair| {
            if near.len() >= self.max_pairs {
                return Err(Error::Limit(format!(
                    "more than {} pairs of near-duplicates: raise max_pairs or lower k in the recipe's [dedup]",
                    self.max_pairs
                )));
            }
            if near.len() >= memory / 4 / size_of::<Pair>() {
                return Err(Error::Limit(format!(
                    "more than {} pairs of near-duplicates do not fit a quarter of --memory: raise it, or lower k in the recipe's [dedup]",
                    near.len()
                )));
            }
            near.push(Pair { a: numbers[pair.a as usize], b: numbers[pair.b as usize], distance: pair.distance });
            Ok(())
        })?;
        near.sort_unstable();
        progress.advance(near.len() as u64);
        progress.end();
        stage.cancel.check()?;

        let texts = Texts::gather(&extract.path("texts"), &pages, &near, unit.temp())?;
        let verify = ShingleVerifier {
            shingles: |page| texts.shingles(page, self.shingle_words),
            bound: self.min_resemblance,
            most_loaded: 20_000,
        };
        let clusters = Clusterer::default().cluster(pages.len(), &copies, &near, &verify)?;
        stage.cancel.check()?;
        let resemblances = if near.len() <= self.max_resemblances {
            output::resemblances(&near, &texts, self.shingle_words)?
        } else {
            Vec::new()
        };
        output::write(unit, &pages, &copies, &near, &resemblances, &clusters)
    }
}
