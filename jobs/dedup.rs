//! `webmill dedup`: exact and near-duplicates among the current captures, as pairs with their evidence, and as clusters.
//!
//! **Algorithm.** Pages are put in the order of what to keep. Equal bodies and texts are stars about the first page that
//! has them. Of every text one page goes on: the bands of its MinHash sketch, which `webmill extract` stored, bring it
//! together with candidates, and every candidate is compared by all shingles before it is a row. Of the pairs clusters
//! are formed.
//!
//! **Cost.** About 60 bytes a page in memory; all else is sorted within `--memory` or lies in temporary files: 150 bytes a
//! page, the texts, and the shingles of those that are compared.
//!
//! **Determinism.** The tables are a function of the pages and the settings.

mod candidates;
mod earlier;
mod order;
mod output;
mod pages;
pub mod passages;
pub mod pieces;
pub mod tables;
mod texts;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};
use webmill_dedup::{BandShape, Clusters, CopyClasses, KeepPolicy, NearPair};
use webmill_run::{
    Committed, Ingredient, Inputs, Job, JobInput, Measure, Stage, Unit, Upstream, open_latest,
};
use webmill_sort::{Budget, Sorter};
use webmill_table::{Table, part_files, schema};

use crate::extract::Extract;
use crate::job::{Context, JobEntry};
use crate::mapped::{Mapped, MappedWriter};
use crate::rank::Rank;
use crate::recipe::{Settings, check_settings, within};
use candidates::Near;
use order::Order;
use output::Tables;
use pages::{Pages, Sources};
use passages::NearBound;
use passages::row::PassageRow;
use tables::{ClusterRow, DuplicateRow};
use texts::overlap;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Dedup::NAME,
    about: "Find duplicates: equal bodies, equal texts, and texts that share most of their words' sequences",
    example: "Example:\n  webmill dedup --out results\n\nReads the tables that `webmill extract` wrote to the same folder.",
    reads_shards: false,
    optional: false,
    tables: || vec![schema::<DuplicateRow>(), schema::<ClusterRow>(), schema::<PassageRow>()],
    check: check_settings::<Dedup>,
    run: dedup,
};

/// Configuration of the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dedup {
    /// Least resemblance of near-duplicates: word shingles that both have / that either has.
    pub min_resemblance: f64,
    /// Bands of MinHash by which candidates are found, and words of a shingle: webmill (21x6), datatrove,
    /// or bands x rows such as 16x8 or, with 5-word shingles, 14x8w5. Those of `webmill` are stored by
    /// extract; for others all texts are signed again.
    pub bands: BandShape,
    /// Texts of fewer words are no near-duplicates of anything: too little to compare. Copies they may be only by body.
    pub min_words: u32,
    /// Which page of a cluster is kept: earliest, longest, rank or canonical.
    pub keep: KeepPolicy,
    /// Whether passages and contained texts are sought at all.
    pub passages: bool,
    /// Folders of earlier results that pages are compared with too.
    #[serde(skip_serializing)]
    pub against: Vec<PathBuf>,
}

impl Default for Dedup {
    fn default() -> Self {
        Dedup {
            min_resemblance: 0.8,
            bands: BandShape::default(),
            min_words: 12,
            keep: KeepPolicy::default(),
            passages: true,
            against: Vec::new(),
        }
    }
}

impl Settings for Dedup {
    const TABLE: &'static str = "dedup";

    fn check(&self) -> Result<()> {
        within("min_words", self.min_words, 0..=1_000_000)?;
        within("min_resemblance", self.min_resemblance, 0.01..=1.0)?;
        self.bands.check()
    }
}

/// What the job reads.
pub struct DedupInput {
    extract: Committed,
    /// Only where the order asks for it.
    rank: Option<Committed>,
    against: Vec<Against>,
}

/// Earlier results.
struct Against {
    extract: Committed,
    dedup: Option<Committed>,
}

impl DedupInput {
    /// What manifests call the pages of earlier results.
    const EARLIER: &'static str = "earlier extract";
}

impl JobInput for DedupInput {
    fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::of_jobs(std::iter::once(&self.extract).chain(&self.rank));
        for against in &self.against {
            let named = |job: &str, committed: &Committed| Upstream {
                job: job.to_owned(),
                key: committed.manifest.key.clone(),
            };
            inputs.upstream.push(named(Self::EARLIER, &against.extract));
            inputs.upstream.extend(against.dedup.as_ref().map(|dedup| named("earlier dedup", dedup)));
        }
        inputs
    }
}

/// Finds duplicates among the context's pages.
///
/// # Errors
/// What the job meets.
pub fn dedup(context: &Context<'_>) -> Result<Option<Committed>> {
    let settings: Dedup = context.settings()?;
    let by_rank = settings.keep == KeepPolicy::Rank;
    let against = |out: &PathBuf| -> Result<Against> {
        let extract = crate::job::latest(out, Extract::NAME)?;
        let dedup = match open_latest(out, Dedup::NAME) {
            Err(Error::Config(_)) => None,
            dedup => Some(dedup?),
        };
        Ok(Against { extract, dedup })
    };
    let extract = context.results_of(Extract::NAME)?;
    let against: Vec<Against> = settings.against.iter().map(against).collect::<Result<_>>()?;
    let mut keys = vec![&extract.manifest.key];
    for (results, folder) in against.iter().zip(&settings.against) {
        if keys.contains(&&results.extract.manifest.key) {
            let folder = folder.display();
            return Err(Error::Config(format!("--against {folder}: these pages take part already")));
        }
        keys.push(&results.extract.manifest.key);
    }
    let input =
        DedupInput { rank: by_rank.then(|| context.results_of(Rank::TABLE)).transpose()?, extract, against };
    context.run(&settings, &input)
}

impl Job for Dedup {
    type Input = DedupInput;
    const NAME: &'static str = "dedup";
    const VERSION: u32 = 5;

    fn ingredients(&self) -> Vec<Ingredient> {
        let mut ingredients = crate::ingredients::of_words();
        ingredients.push(Ingredient { name: "bands".into(), digest: self.bands.key() });
        ingredients
    }

    fn run(&self, input: &DedupInput, stage: &Stage<'_>) -> Result<()> {
        stage.unit("duplicates", |unit| self.find(input, unit))?;
        let near = NearBound {
            shingle_words: self.bands.words as usize,
            min_resemblance: self.min_resemblance,
            min_words: self.min_words,
        };
        let (clusters, duplicates) = (stage.path(ClusterRow::NAME), stage.path(DuplicateRow::NAME));
        stage.unit("passages", |unit| {
            passages::find(self.passages, &near, &input.extract, &clusters, &duplicates, unit)
        })
    }
}

/// Whether table `texts` of these results holds bands of this shape, made of the same words.
pub(crate) fn bands_are_stored(extract: &Committed, shape: &BandShape) -> bool {
    let parts = webmill_mill::Mill::default().parts();
    let texts = parts.into_iter().find(|part| part.name == "texts");
    let needed = texts.map(|part| Ingredient {
        name: part.name,
        digest: format!("{} {}", part.version, part.configuration),
    });
    let mut words = crate::ingredients::of_words();
    words.extend(needed);
    *shape == BandShape::default() && words.iter().all(|word| extract.manifest.ingredients.contains(word))
}

impl Dedup {
    /// Whether these settings find the pairs that `other` finds.
    fn finds_what(&self, other: &Dedup) -> bool {
        let of = |settings: &Dedup| {
            let bound = settings.min_resemblance.to_bits();
            (bound, settings.bands, settings.min_words, settings.keep)
        };
        of(self) == of(other)
    }

    fn find(&self, input: &DedupInput, unit: &mut Unit<'_>) -> Result<()> {
        let stage = unit.stage();
        let budget = Budget::new(stage.memory as usize / 2).in_dir(unit.temp());
        let earlier = earlier::of(self, input, stage);
        stage.progress.begin("order", 0, Measure::Items);
        let mut parts = vec![part_files(&input.extract.path("pages"))?];
        for results in &earlier {
            parts.push(part_files(&results.extract.path("pages"))?);
        }
        let order = Order::read(self.keep, input.rank.as_ref(), &parts.concat(), &budget)?;
        let sources = Sources { parts, min_words: self.min_words, order: &order };
        let pages = Pages::read(&sources, &budget, unit.temp())?;
        drop(order);
        let copies = pages.copies(&budget, unit.temp())?;
        stage.progress.advance(pages.len() as u64);
        stage.progress.end();
        stage.cancel.check()?;
        let near = candidates::find(self, &pages, &input.extract, &earlier, &budget, unit)?;
        let clusters = self.cluster(&pages, &copies, &near, &budget, unit)?;
        count(&pages, &near, &clusters, unit);
        let known: Vec<bool> = std::iter::once(false).chain(earlier.iter().map(|e| e.known)).collect();
        let tables =
            Tables { pages: &pages, copies: &copies, near: &near, clusters: &clusters, known: &known };
        tables.write(unit, &budget)
    }

    /// Clusters of exact copies and verified pairs.
    fn cluster(
        &self,
        pages: &Pages,
        copies: &pages::Copies,
        near: &Near,
        budget: &Budget,
        unit: &Unit<'_>,
    ) -> Result<Clusters> {
        let classes = CopyClasses::of(pages.len(), copies.iter().map(Ok))?;
        let mut sorter = Sorter::new(budget).with_combine(|a: &mut [u32; 3], b| {
            let same = a[..2] == b[..2];
            if same {
                // Of the pairs of two classes the nearest one counts; numbers of one sign are ordered as their bits.
                a[2] = a[2].max(b[2]);
            }
            same
        });
        for &[a, b, common] in near.pairs.iter() {
            let (x, y) = (classes.head(a), classes.head(b));
            if x != y {
                let sizes = (near.texts.num_shingles(a), near.texts.num_shingles(b));
                let resemblance = overlap(sizes, common).resemblance() as f32;
                sorter.push([x.max(y), x.min(y), resemblance.to_bits()])?;
            }
        }
        let mut heads = MappedWriter::create(unit.temp())?;
        for pair in sorter.finish()? {
            let [later, first, similarity] = pair?;
            heads.push(NearPair { later, first, similarity: f32::from_bits(similarity) })?;
        }
        let heads: Mapped<NearPair> = heads.finish()?;
        Clusters::of(&classes, &heads, |first, later| {
            if !near.texts.has(first) || !near.texts.has(later) {
                return Ok(None);
            }
            let resemblance = near.texts.overlap(first, later)?.resemblance();
            Ok((resemblance >= self.min_resemblance).then_some(resemblance as f32))
        })
    }
}

/// Counts what was compared, what was not, and where a bound was met; says the latter.
fn count(pages: &Pages, near: &Near, clusters: &Clusters, unit: &mut Unit<'_>) {
    let totals = &near.totals;
    unit.kept("texts-compared", near.compared);
    unit.kept("candidates-verified", totals.verifications);
    unit.kept("pages-left-alone", clusters.left_alone);
    let here = [
        ("text-of-one-word", near.without_bands),
        ("text-missing", near.text_missing),
        ("bucket-cap", totals.capped_pages),
    ];
    for (reason, n) in pages.left_out.into_iter().chain(here) {
        if n > 0 {
            unit.dropped(reason, n);
        }
    }
    if totals.capped_pages > 0 {
        unit.stage().progress.note(&format!(
            "dedup: {} pages met only the first representatives of a bucket, as many pages share some text without \
             being duplicates (the largest bucket has {}); a duplicate of theirs may be missing",
            totals.capped_pages, totals.largest_bucket
        ));
    }
}
