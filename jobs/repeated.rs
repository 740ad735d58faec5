//! `webmill repeated`: lines and paragraphs of main texts that stand on many pages, counted exactly.
//!
//! **What.** Of the texts of current captures all lines and paragraphs are counted by [`RepeatedCount`], whose definition
//! holds here: what stands on at least `min_pages` pages that are not all of one cluster of duplicates. [`known`] leaves it
//! out of texts.
//!
//! **Algorithm.** Pages with a text are numbered in the order of their URLs. One pass over table `texts` hashes its lines; a
//! second one, over the parts that are concerned, fetches the texts of the first pages, where the rows' texts are from.
//!
//! **Cost.** Within `--memory`: external sorts, 8 bytes a page that are mapped from disk, and a bit a page. Disk: 24 bytes a
//! distinct line of a page.
//!
//! **Determinism.** A function of the set of current captures, their texts and clusters: neither shards nor threads matter.

pub mod known;
mod numbers;
pub mod tables;
mod texts;

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use webmill_capture::Result;
use webmill_capture::bits::Bits;
use webmill_capture::settings::{Setting, SettingGroup};
use webmill_dedup::{Repeated, RepeatedCount, RepeatedCounts, RepeatedOptions};
use webmill_run::{Committed, Ingredient, Job, Measure, Stage, Unit};
use webmill_sort::{Budget, Numbered};
use webmill_table::{Bytes16, schema};

use crate::clustered_captures::PagesAndClusters;
use crate::job::Context;
use crate::output::{TableFile, first_part};
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use numbers::Numbers;
use tables::RepeatedBlockRow;
use texts::{NamedText, hash_all};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: RepeatedLines::NAME,
    about: "Find the lines and paragraphs of main texts that stand on many pages",
    reads_shards: false,
    optional: false,
    tables: || vec![schema::<RepeatedBlockRow>()],
    check: check_settings::<RepeatedLines>,
    run: repeated,
};

/// Configuration of the job: the recipe's `[repeated]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RepeatedLines(pub RepeatedOptions);

impl SettingGroup for RepeatedLines {
    fn describe(prefix: &str, into: &mut Vec<Setting>) {
        RepeatedOptions::describe(prefix, into);
    }

    fn check_ranges(&self, prefix: &str) -> Result<()> {
        self.0.check_ranges(prefix)
    }
}

impl Settings for RepeatedLines {
    const TABLE: &'static str = "repeated";

    fn check(&self) -> Result<()> {
        self.0.check()
    }
}

/// Finds repeated text in the context's texts.
///
/// # Errors
/// What the job meets.
pub fn repeated(context: &Context<'_>) -> Result<Option<Committed>> {
    context.run(&context.settings::<RepeatedLines>()?, &PagesAndClusters::of(context)?)
}

impl Job for RepeatedLines {
    type Input = PagesAndClusters;
    const NAME: &'static str = "repeated";
    const VERSION: u32 = 2;

    // What normalising a text depends on.
    fn ingredients(&self) -> Vec<Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, sources: &PagesAndClusters, stage: &Stage<'_>) -> Result<()> {
        stage.unit("repeated", |unit| self.find(sources, unit))
    }
}

impl RepeatedLines {
    fn find(&self, sources: &PagesAndClusters, unit: &mut Unit<'_>) -> Result<()> {
        let stage = unit.stage();
        let progress = stage.progress;
        let budget = Budget::new(stage.memory as usize / 2).in_dir(unit.temp());
        progress.begin("order", 0, Measure::Items);
        let pages = Numbers::read(sources, &budget.share(2), unit)?;
        progress.end();

        progress.begin("count lines", u64::from(pages.pages), Measure::Items);
        let mut count = RepeatedCount::new(self.0, &budget.share(2))?;
        let texts = hash_all(&sources.extract, &pages, &mut count, unit)?;
        progress.end();
        stage.cancel.check()?;

        let mut firsts = Bits::with_room(pages.pages as usize);
        let found = count.finish(pages.into_clusters(), |page| {
            firsts.insert(page);
        })?;
        stage.cancel.check()?;
        let fetched = texts.fetch(&firsts, &budget.share(4), unit)?;
        let counts = write(found, &fetched, unit)?;
        report(&counts, texts.rows(), unit);
        Ok(())
    }
}

/// Writes the rows with the texts of their first pages.
fn write(found: Repeated, fetched: &Numbered, unit: &mut Unit<'_>) -> Result<RepeatedCounts> {
    let stage = unit.stage();
    let mut file = TableFile::<RepeatedBlockRow>::create(unit, first_part::<RepeatedBlockRow>())?;
    // Texts are asked for by ascending page, each before the rows of it.
    let page = Cell::new(NamedText::default());
    let text = |first: u32| {
        stage.cancel.check()?;
        page.set(fetched.get(u64::from(first))?);
        Ok(page.get().2)
    };
    let counts = found.rows(text, |row| {
        file.push(RepeatedBlockRow {
            hash: Bytes16(row.hash),
            kind: row.kind.into(),
            text: row.text.to_owned(),
            bytes: row.bytes,
            pages: row.pages,
            hosts: row.hosts,
            clusters: row.clusters,
            first_url: page.get().1.to_owned(),
            first_url_key: Bytes16(page.get().0),
        })
    })?;
    file.finish(unit)?;
    Ok(counts)
}

/// Says in the manifest what was counted and what was left out.
fn report(counts: &RepeatedCounts, texts: usize, unit: &mut Unit<'_>) {
    unit.read(texts as u64);
    for (what, n) in [
        ("pages", counts.pages),
        ("blocks", counts.blocks),
        ("distinct-blocks", counts.distinct),
        ("repeated-blocks", counts.repeated),
    ] {
        unit.kept(what, n);
    }
    let few = counts.distinct - counts.repeated - counts.of_one_cluster;
    for (reason, n) in [
        ("block-on-too-few-pages", few),
        ("block-of-one-cluster", counts.of_one_cluster),
        ("block-without-its-text", counts.texts_missing),
    ] {
        if n > 0 {
            unit.dropped(reason, n);
        }
    }
}
