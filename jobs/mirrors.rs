//! `webmill mirrors`: pairs of sites whose pages match path by path.
//!
//! **What.** Every current capture goes, with the cluster of duplicates that it is in, into [`MirrorSearch`], whose
//! definition, bounds and cost hold here. A page without duplicates counts as fetched and agrees with nothing.
//!
//! **Cost.** Within `--memory`: two sorts of the pages by URL, then those of the search.
//!
//! **Determinism.** A function of the set of current captures and their clusters.

pub mod tables;

use serde::{Deserialize, Serialize};
use webmill_capture::settings::{Setting, SettingGroup};
use webmill_capture::{CanonicalUrl, Result};
use webmill_dedup::{Mirror, MirrorOptions, MirrorSearch, MirrorTotals};
use webmill_run::{Committed, Job, Measure, Stage, Unit};
use webmill_sort::Budget;
use webmill_table::schema;

use crate::clustered_captures::PagesAndClusters;
use crate::job::Context;
use crate::output::{TableFile, first_part};
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use tables::MirrorRow;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Mirrors::NAME,
    about: "Find mirrors: sites that have the same pages at the same paths",
    reads_shards: false,
    optional: false,
    tables: || vec![schema::<MirrorRow>()],
    check: check_settings::<Mirrors>,
    run: mirrors,
};

/// Configuration of the job: the recipe's `[mirrors]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mirrors(pub MirrorOptions);

impl SettingGroup for Mirrors {
    fn describe(prefix: &str, into: &mut Vec<Setting>) {
        MirrorOptions::describe(prefix, into);
    }

    fn check_ranges(&self, prefix: &str) -> Result<()> {
        self.0.check_ranges(prefix)
    }
}

impl Settings for Mirrors {
    const TABLE: &'static str = "mirrors";

    fn check(&self) -> Result<()> {
        self.0.check()
    }
}

/// Finds the mirrors among the context's pages.
///
/// # Errors
/// What the job meets.
pub fn mirrors(context: &Context<'_>) -> Result<Option<Committed>> {
    context.run(&context.settings::<Mirrors>()?, &PagesAndClusters::of(context)?)
}

impl Job for Mirrors {
    type Input = PagesAndClusters;
    const NAME: &'static str = "mirrors";
    const VERSION: u32 = 2;

    fn run(&self, sources: &PagesAndClusters, stage: &Stage<'_>) -> Result<()> {
        stage.unit("mirrors", |unit| self.find(sources, unit))
    }
}

/// Pages between two looks at whether the run is to stop.
const CANCEL_EVERY: u64 = 1 << 14;

impl Mirrors {
    fn find(&self, sources: &PagesAndClusters, unit: &mut Unit<'_>) -> Result<()> {
        let stage = unit.stage();
        let budget = Budget::new(stage.memory as usize / 2).in_dir(unit.temp());
        let mut search = MirrorSearch::new(self.0, &budget.share(2))?;
        stage.progress.begin("sites", 0, Measure::Items);
        let mut captures = sources.captures(&budget.share(2))?;
        let (mut host, mut read) = (String::new(), 0u64);
        while let Some((capture, cluster)) = captures.next()? {
            read += 1;
            if read.is_multiple_of(CANCEL_EVERY) {
                stage.cancel.check()?;
                stage.progress.advance(CANCEL_EVERY);
            }
            let Some(url) = CanonicalUrl::parse_stored(&capture.url) else {
                unit.dropped("no-url", 1);
                continue;
            };
            host.clear();
            host.push_str(url.host());
            if let Some(port) = url.port() {
                host.push_str(&format!(":{port}"));
            }
            search.push(url.scheme(), &host, url.path_and_query(), cluster.map(u64::from))?;
        }
        stage.progress.end();
        for (reason, n) in
            [("superseded-capture", captures.superseded()), ("cluster-of-no-page", captures.strangers())]
        {
            drop_counted(unit, reason, n);
        }
        drop(captures);
        stage.cancel.check()?;
        self.write(search, unit)
    }

    fn write(&self, search: MirrorSearch, unit: &mut Unit<'_>) -> Result<()> {
        let stage = unit.stage();
        stage.progress.begin("mirrors", 0, Measure::Items);
        let mut file = TableFile::<MirrorRow>::create(unit, first_part::<MirrorRow>())?;
        let mut kinds = std::collections::BTreeMap::<&str, u64>::new();
        let totals = search.finish(|mirror| {
            stage.cancel.check()?;
            stage.progress.advance(1);
            *kinds.entry(mirror.kind.name()).or_default() += 1;
            file.push(row(mirror))
        })?;
        stage.progress.end();
        file.finish(unit)?;
        count(unit, &totals);
        if totals.wide_pairs > 0 {
            stage.progress.note(&format!(
                "mirrors: {} clusters are on more than {} sites (error pages, parked domains); there each site met {} others, and {} pairs were not made",
                totals.wide_clusters, self.0.wide_cluster, self.0.wide_neighbours, totals.wide_pairs
            ));
        }
        for (kind, n) in kinds {
            unit.kept(&format!("pairs-{kind}"), n);
        }
        Ok(())
    }
}

fn row(mirror: Mirror) -> MirrorRow {
    MirrorRow {
        host_a: mirror.a.host,
        host_b: mirror.b.host,
        scheme_a: mirror.a.scheme,
        scheme_b: mirror.b.scheme,
        kind: mirror.kind.into(),
        share: mirror.share,
        common_paths: mirror.common_paths,
        agreeing: mirror.agreeing,
        shared_clusters: mirror.shared_clusters,
        pages_a: mirror.pages_a,
        pages_b: mirror.pages_b,
    }
}

fn count(unit: &mut Unit<'_>, totals: &MirrorTotals) {
    for (what, n) in [("pages", totals.pages), ("sites", totals.sites), ("pairs-compared", totals.candidates)]
    {
        unit.kept(what, n);
    }
    for (reason, n) in [
        ("host-name-too-long", totals.refused),
        ("site-of-too-few-pages", totals.small_sites),
        ("pair-of-a-wide-cluster", totals.wide_pairs),
    ] {
        drop_counted(unit, reason, n);
    }
}

fn drop_counted(unit: &mut Unit<'_>, reason: &str, n: u64) {
    if n > 0 {
        unit.dropped(reason, n);
    }
}
