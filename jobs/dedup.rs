//! `webmill dedup`: finds exact and near-duplicates among the current captures, as pairs with their evidence, and as clusters.
//!
//! `webmill run` calls it after `extract`; `dedup apply`, `graph` (with `fold_duplicates`), `mirrors`, `repeated` and the report read its tables.
//!
//! **Algorithm.** Pages are sorted in the order of what to keep. Pages with equal bodies or texts are paired with the first of them. One page
//! of every text goes on: it gets candidates by the bands of its MinHash sketch, which `webmill extract` stored, and by its SimHash. Each
//! candidate is compared by all shingles before it becomes a row. Clusters are formed from the pairs. Further signatures (`by`) find pairs of
//! kinds of their own.
//!
//! **Cost.** About 60 bytes a page in memory. All other data is sorted within `--memory` or lies in temporary files: 150 bytes a
//! page, the texts, and the shingles of the pages that are compared.
//!
//! **Determinism.** The tables are a function of the pages and the settings.

mod by;
mod candidates;
mod close;
mod earlier;
mod further;
mod order;
mod output;
mod pages;
pub mod passages;
pub mod pieces;
pub mod tables;
mod texts;

use std::path::{Path, PathBuf};

use webmill_capture::settings;
use webmill_capture::{Error, Result};
use webmill_dedup::{BandChoice, BandShape, Clusters, CopyClasses, Joined, KeepPolicy, NearPair};
use webmill_run::{
    Committed, Ingredient, Inputs, Job, JobInput, Measure, Stage, Unit, Upstream, open_latest,
};
use webmill_sort::{Budget, Mapped, MappedWriter, Sorter};
use webmill_table::{Table, part_files, schema};

use crate::extract::Extract;
use crate::job::Context;
use crate::rank::Rank;
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use by::By;
use candidates::Near;
use close::UNVERIFIED;
use order::Order;
use output::Tables;
use pages::Pages;
use passages::NearBound;
use passages::row::PassageRow;
use tables::{ClusterRow, DuplicateRow, Membership};
use texts::overlap;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Dedup::NAME,
    about: "Find duplicates: equal bodies, equal texts, and texts that share most of their words' sequences",
    reads_shards: false,
    optional: false,
    tables: || vec![schema::<DuplicateRow>(), schema::<ClusterRow>(), schema::<PassageRow>()],
    check: check_settings::<Dedup>,
    run: dedup,
};

settings! {
    /// Configuration of the job.
    pub struct Dedup {
        /// Least resemblance of near-duplicates: the Jaccard similarity of their sets of word shingles.
        pub min_resemblance: f64 = 0.8, within 0.01..=1.0;
        /// Signatures by which candidates are found: bands (MinHash), simhash; for pairs of kinds of their own also
        /// spotsigs, semantic (equal keywords) and structure (like markup).
        pub by: Vec<By> = by::NEAR.to_vec();
        /// Bands of MinHash and words of a shingle: auto (99 % of the pairs at min_resemblance are found), webmill (21x6),
        /// datatrove, or bands x rows such as 16x8 or, with 5-word shingles, 14x8w5. Those of `webmill`, which auto takes
        /// from .77 on, are stored by extract; for others all texts are signed again.
        pub bands: BandChoice = BandChoice::Auto;
        /// Most bits in which the SimHashes of candidates may differ.
        pub simhash_bits: u32 = 3, within 0..=7;
        /// Whether candidates are compared by all shingles. If false, `by = ["simhash"]` gives the pairs and
        /// clusters of the literature, and shared passages are not searched for.
        pub verify: bool = true;
        /// Signatures whose pairs form clusters; those of spotsigs, semantic and structure do so only if they are
        /// named here.
        pub cluster_by: Vec<By> = by::NEAR.to_vec();
        /// For semantic: a file of lines "base variant variant", read as one word each.
        #[serde(skip_serializing)]
        pub synonyms: Option<PathBuf> = None;
        /// For semantic: a file of lines "word tag"; nouns count three times.
        #[serde(skip_serializing)]
        pub parts_of_speech: Option<PathBuf> = None;
        /// Texts of fewer words are too short to compare: they are never near-duplicates, and are copies only if
        /// their bodies are equal.
        pub min_words: u32 = 12, within 0..=1_000_000;
        /// Which page of a cluster is kept: earliest, longest, rank or canonical.
        pub keep: KeepPolicy = KeepPolicy::default();
        /// Whether shared passages and contained texts are searched for.
        pub passages: bool = true;
        /// Folders of earlier results with whose pages these pages are compared, too.
        #[serde(skip_serializing)]
        pub against: Vec<PathBuf> = Vec::new();
    }
}

impl Settings for Dedup {
    const TABLE: &'static str = "dedup";

    fn check(&self) -> Result<()> {
        by::check(self)?;
        self.shape().check()
    }
}

/// What the job reads.
pub struct DedupInput {
    extract: Committed,
    /// Only where the order asks for it.
    rank: Option<Committed>,
    against: Vec<EarlierResults>,
    /// Files of words that signatures read.
    words: Inputs,
}

/// Earlier results.
struct EarlierResults {
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
        inputs.files.clone_from(&self.words.files);
        inputs.paths.clone_from(&self.words.paths);
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
    let against = |out: &PathBuf| -> Result<EarlierResults> {
        let extract = crate::job::latest(out, Extract::NAME)?;
        let dedup = match open_latest(out, Dedup::NAME) {
            Err(Error::Config(_)) => None,
            dedup => Some(dedup?),
        };
        Ok(EarlierResults { extract, dedup })
    };
    let extract = context.results_of(Extract::NAME)?;
    let against: Vec<EarlierResults> = settings.against.iter().map(against).collect::<Result<_>>()?;
    let mut keys = vec![&extract.manifest.key];
    for (results, folder) in against.iter().zip(&settings.against) {
        if keys.contains(&&results.extract.manifest.key) {
            let folder = folder.display();
            return Err(Error::Config(format!("--against {folder}: these pages take part already")));
        }
        keys.push(&results.extract.manifest.key);
    }
    for (results, folder) in against.iter().zip(&settings.against) {
        refuse_other_shape(&settings, results, folder)?;
    }
    let rank = by_rank.then(|| context.results_of(Rank::TABLE)).transpose()?;
    let named = [("synonyms", &settings.synonyms), ("parts_of_speech", &settings.parts_of_speech)];
    let files: Vec<(PathBuf, String)> =
        named.into_iter().filter_map(|(name, path)| Some((path.clone()?, name.to_owned()))).collect();
    let words = Inputs::of_files(&files, None, context.runtime.cancel)?;
    let input = DedupInput { rank, extract, against, words };
    context.run(&settings, &input)
}

/// Refuses earlier duplicates that were found by bands of another shape: pages near by those bands may not be near by these.
fn refuse_other_shape(settings: &Dedup, results: &EarlierResults, folder: &Path) -> Result<()> {
    let Some(dedup) = &results.dedup else { return Ok(()) };
    let then: Option<Dedup> = serde_json::from_value(dedup.manifest.configuration.clone()).ok();
    let bands = |settings: &Dedup| settings.by.contains(&By::Bands).then(|| settings.shape());
    let (then, now) = (then.as_ref().and_then(bands), bands(settings));
    match then.filter(|then| now.is_some_and(|now| *then != now)) {
        None => Ok(()),
        Some(then) => Err(Error::Config(format!(
            "--against {}: its duplicates were found by bands {then}, these settings ask for {}: run `webmill dedup` there \
             with these settings first, or take its bands or min_resemblance here",
            folder.display(),
            settings.shape()
        ))),
    }
}

impl Job for Dedup {
    type Input = DedupInput;
    const NAME: &'static str = "dedup";
    const VERSION: u32 = 7;

    fn ingredients(&self) -> Vec<Ingredient> {
        let mut ingredients = crate::ingredients::of_words();
        let (shape, least) = (self.shape(), self.min_resemblance);
        ingredients.push(Ingredient { name: "bands".into(), digest: shape.key() });
        if self.by.contains(&By::Bands) {
            let recall = format!("{:.4} of the pairs at {least}", shape.probability(least));
            ingredients.push(Ingredient { name: "expected recall of bands".into(), digest: recall });
        }
        ingredients
    }

    fn run(&self, input: &DedupInput, stage: &Stage<'_>) -> Result<()> {
        stage.unit("duplicates", |unit| self.find(input, unit))?;
        let near = NearBound {
            shingle_words: self.shape().words as usize,
            min_resemblance: self.min_resemblance,
            min_words: self.min_words,
        };
        let (clusters, duplicates) = (stage.path(ClusterRow::NAME), stage.path(DuplicateRow::NAME));
        stage.unit("passages", |unit| {
            passages::find(self.passages && self.verify, &near, &input.extract, &clusters, &duplicates, unit)
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
    /// The bands that candidates are found by.
    pub fn shape(&self) -> BandShape {
        self.bands.shape(self.min_resemblance)
    }

    /// Whether these settings find the pairs that `other` finds.
    fn finds_what(&self, other: &Dedup) -> bool {
        let of = |settings: &Dedup| {
            let mut by = settings.by.clone();
            by.sort_unstable();
            let signatures = (by, settings.simhash_bits, settings.verify);
            let bound = settings.min_resemblance.to_bits();
            (bound, settings.shape(), settings.min_words, settings.keep, signatures)
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
        let pages = Pages::read(&parts, &order, self.min_words, &budget)?;
        drop(order);
        let copies = pages.copies(&budget)?;
        stage.progress.advance(pages.len() as u64);
        stage.progress.end();
        stage.cancel.check()?;
        let near = candidates::find(self, &pages, &input.extract, &earlier, &budget, unit)?;
        let clusters = self.cluster(&pages, &copies, &near, &budget, unit)?;
        count(&pages, &near, &clusters.clusters, unit);
        let known: Vec<bool> = std::iter::once(false).chain(earlier.iter().map(|e| e.known)).collect();
        let tables = Tables {
            settings: self,
            pages: &pages,
            copies: &copies,
            near: &near,
            clusters: &clusters,
            known: &known,
        };
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
    ) -> Result<Clustered> {
        let classes = CopyClasses::of(pages.len(), copies.iter().map(Ok))?;
        // (later head, first one, place of the signature in `by`, bits of the similarity).
        let mut sorter = Sorter::new(budget).with_combine(|a: &mut [u32; 4], b| {
            let same = a[..2] == b[..2];
            if same {
                // Of the pairs of two classes the first signature's count, near-duplicates before all others, and of these the
                // nearest; numbers of one sign are ordered as their bits.
                (a[2], a[3]) =
                    if a[2] == b[2] { (a[2], a[3].max(b[3])) } else { (a[2], a[3]).min((b[2], b[3])) };
            }
            same
        });
        self.head_pairs(pages, near, |a, b, by, similarity| {
            let (x, y) = (classes.head(a), classes.head(b));
            if x == y { Ok(()) } else { sorter.push([x.max(y), x.min(y), by as u32, similarity.to_bits()]) }
        })?;
        let (mut heads, mut further) =
            (MappedWriter::create(unit.temp())?, MappedWriter::create(unit.temp())?);
        for pair in sorter.finish()? {
            let [later, first, by, similarity] = pair?;
            heads.push(NearPair { later, first, similarity: f32::from_bits(similarity) })?;
            if by != 0 {
                further.push([later, first, by])?;
            }
        }
        let heads: Mapped<NearPair> = heads.finish()?;
        let verify = |first, later| {
            if !near.texts.has(first) || !near.texts.has(later) {
                return Ok(None);
            }
            let resemblance = near.texts.overlap(first, later)?.resemblance();
            Ok((resemblance >= self.min_resemblance).then_some(resemblance as f32))
        };
        let clusters = Clusters::of(&classes, &heads, self.verify.then_some(verify))?;
        Ok(Clustered { clusters, classes, further: further.finish()? })
    }

    /// The pairs that form clusters: both pages, 0 or the number of a further signature, the similarity.
    fn head_pairs(
        &self,
        pages: &Pages,
        near: &Near,
        mut each: impl FnMut(u32, u32, usize, f32) -> Result<()>,
    ) -> Result<()> {
        let counts = |by: By| self.cluster_by.contains(&by);
        let is_close = |a, b| close_similarity(pages, a, b, self.simhash_bits);
        for &[a, b, common] in near.pairs.iter() {
            let by_bands = counts(By::Bands) && near.close.binary_search(&[a, b]).is_err();
            if by_bands || (counts(By::Simhash) && is_close(a, b).is_some()) {
                let sizes = (near.texts.num_shingles(a), near.texts.num_shingles(b));
                let similarity = match common {
                    UNVERIFIED => is_close(a, b).unwrap_or_default(),
                    _ => overlap(sizes, common).resemblance() as f32,
                };
                each(a, b, 0, similarity)?;
            }
        }
        for (i, found) in (1..).zip(&near.further).filter(|(_, found)| counts(found.by)) {
            found.pairs.iter().try_for_each(|&[a, b, bits]| each(a, b, i, f32::from_bits(bits)))?;
        }
        Ok(())
    }
}

/// Clusters, and by what their members are alike.
pub struct Clustered {
    clusters: Clusters,
    classes: CopyClasses,
    /// (later head, first one, number of the further signature from 1) of pairs that are no near-duplicates.
    further: Mapped<[u32; 3]>,
}

impl Clustered {
    /// How a page joined its cluster.
    fn membership(&self, page: u32, near: &Near) -> Membership {
        let member = &self.clusters.members[page as usize];
        match member.joined {
            Joined::Representative => Membership::Representative,
            Joined::Body => Membership::Body,
            Joined::Text => Membership::Text,
            Joined::Near => {
                let (a, b) = (self.classes.head(page), member.representative);
                let pair = [a.max(b), a.min(b)];
                let at = self.further.binary_search_by(|known| known[..2].cmp(&pair)).ok();
                let by = at.and_then(|at| near.further.get(self.further[at][2] as usize - 1));
                by.map_or(Membership::Near, |found| found.by.membership())
            }
        }
    }
}

/// The share of equal bits of two SimHashes that differ in `bits` at most.
fn close_similarity(pages: &Pages, a: u32, b: u32, bits: u32) -> Option<f32> {
    let distance = pages.distance(a, b).filter(|distance| u32::from(*distance) <= bits)?;
    Some(1.0 - f32::from(distance) / 64.0)
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
        ("simhash-pairs-cut", u64::from(near.close_cut)),
        ("signature-bucket-cap", near.further.iter().map(|found| found.capped).sum()),
        ("page-without-signature", near.further.iter().map(|found| found.without).sum()),
        ("record-not-read-again", near.further.iter().map(|found| found.unread).sum()),
    ];
    for (reason, n) in pages.left_out.into_iter().chain(here) {
        if n > 0 {
            unit.dropped(reason, n);
        }
    }
    if near.close_cut {
        unit.stage().progress.note(
            "dedup: there are more than 64 pairs of close SimHashes a page: only equal ones are looked at, and duplicates \
             that bands do not find may be missing",
        );
    }
    if totals.capped_pages > 0 {
        unit.stage().progress.note(&format!(
            "dedup: {} pages met only the first representatives of a bucket, as many pages share some text without \
             being duplicates (the largest bucket has {}); a duplicate of theirs may be missing",
            totals.capped_pages, totals.largest_bucket
        ));
    }
}
