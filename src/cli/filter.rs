//! `webmill filter`: the texts that are good to train language models on, and why the others are not.
//!
//! **Steps.** Job `signals` measures the texts, unless its table is there. Texts are read once more with it: rules of filters drop them
//! ([`judge`]), `--policy` those of duplicates, `--without` those that hold items of benchmarks ([`items`]); `--mask` hides personal data. What stays is written by
//! the writer of `dedup apply`, which leaves repeated lines out. Everything goes into a folder that appears when it is complete:
//!
//! ```text
//! OUT/texts/part-*.parquet                   or OUT/texts.jsonl, .jsonl.gz, .jsonl.zst
//! OUT/filtered/part-000000.parquet           every text that went, with rule and values
//! OUT/filter_summary/part-000000.parquet     texts and words by host, language and rule
//! OUT/manifest.json                          settings, counts, every file with its digest
//! ```
//!
//! **Cost.** Two readings of the texts, one where the signals are there. Memory: row groups, the items of benchmarks, a sort.
//!
//! **Determinism.** The output follows from results and settings.

mod items;
mod judge;
mod summary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_jobs::dedup::Dedup;
use webmill_jobs::extract::Extract;
use webmill_jobs::filtered;
use webmill_jobs::job::{latest, mixed};
use webmill_jobs::repeated::RepeatedLines;
use webmill_jobs::repeated::known::KnownRepeated;
use webmill_jobs::signals::SignalsJob;
use webmill_learn::quality::{ContaminationOptions, Filter};
use webmill_run::{Cancel, Committed, Job};
use webmill_sort::Budget;
use webmill_table::part_files;

use crate::args::{JobFlags, Results};
use crate::dedup::apply::folder::Output;
use crate::dedup::apply::texts::{self, Copies, TextCounts, TextForm, TextOutput};
use crate::dedup::apply::verdicts::{self, Policy};
use items::Items;
use judge::{Columns, Judge};
use summary::Summary;

/// Keep the texts that are good to train language models on, by rules of published corpora and your own.
///
/// Job signals is run first, unless it was. Without --out nothing is written: it is said what each rule leaves out. Table filtered has every
/// text that went, with the rule and its values; filter_summary counts texts by host, language and rule. Exit code 1: nothing stays, or more
/// lines of a benchmark cannot be read than --max-bad allows.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill filter out/demo/results --by gopher,fineweb\n  webmill filter out/demo/results --where \"num_words >= 50 and language = 'eng'\" --out corpus\n  webmill filter out/demo/results --by gopher,c4 --policy near --drop-repeated --mask --texts jsonl.zst --out clean"
)]
pub struct FilterArgs {
    #[command(flatten)]
    results: Results,
    /// Folder to write, which must be new or empty.
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Filters, one after the other: gopher (gopher-repetition and gopher-quality), c4, mc4, fineweb, chinese, or files of rules (docs/filter.md).
    #[arg(long, value_delimiter = ',', value_name = "FILTER")]
    by: Vec<String>,
    /// A condition on columns of tables texts and signals that texts must meet; may be repeated.
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<String>,
    /// Leave out texts that hold items of a benchmark: a file with a JSON object a line, plain or compressed by gzip or Zstandard; may be repeated.
    #[arg(long, value_name = "BENCHMARK.jsonl")]
    without: Vec<PathBuf>,
    /// Share of an item's rows of 13 words that a text must have to hold it.
    #[arg(long, value_name = "SHARE", default_value_t = ContaminationOptions::default().share, value_parser = crate::args::parse_share)]
    overlap: f64,
    /// With --without: leave out only the lines that hold parts of items.
    #[arg(long, requires = "without")]
    cut: bool,
    /// Leave out duplicates, too: exact, near or contained, as webmill dedup apply does.
    #[arg(long, value_enum, hide_possible_values = true)]
    policy: Option<Policy>,
    /// Leave out the lines and paragraphs of table repeated: all copies but the first one that is written,
    /// or with --drop-repeated=all that one too.
    #[arg(long, value_enum, value_name = "COPIES", num_args = 0..=1, require_equals = true, default_missing_value = "later")]
    drop_repeated: Option<Copies>,
    /// Write email@example.com, 192.0.2.1 and +1-202-555-0100 in place of e-mail addresses, public IP addresses and telephone numbers.
    #[arg(long)]
    mask: bool,
    /// How texts are written.
    #[arg(long, value_enum, value_name = "FORM", default_value = "parquet")]
    texts: TextForm,
    #[command(flatten)]
    flags: JobFlags,
}

/// The results that are read.
struct Sources {
    extract: Committed,
    signals: Option<Committed>,
    dedup: Option<Committed>,
    repeated: Option<Committed>,
}

/// The file that says how the output came about.
#[derive(serde::Serialize)]
struct Manifest<'a> {
    made_by: &'static str,
    format: u32,
    webmill: &'static str,
    settings: serde_json::Value,
    results: BTreeMap<&'static str, String>,
    texts: TextCounts,
    went: &'a Summary,
    outputs: Vec<crate::dedup::apply::folder::OutputFile>,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &FilterArgs, cancel: &Cancel) -> Result<ExitCode> {
    let filters = args.filters()?;
    if filters.is_empty()
        && args.without.is_empty()
        && args.policy.is_none()
        && args.drop_repeated.is_none()
        && !args.mask
    {
        bail!(
            "nothing to filter by: name filters (--by gopher), a condition (--where \"num_words >= 50\") or a benchmark (--without)"
        );
    }
    let folder = args.results.folder()?;
    let sources = args.sources(&folder, &filters, cancel)?;
    let mut read = args.without.clone();
    read.push(folder);
    let output = args.out.as_ref().map(|out| Output::begin(out, &read)).transpose()?;
    let done = args.filter(filters, &sources, output.as_ref(), cancel);
    let Some(output) = output else {
        let (summary, code, _) = done?;
        summary.say(true);
        return Ok(code);
    };
    match done {
        Ok((summary, code, manifest)) => {
            let folder = output.folder().to_path_buf();
            output.commit(&manifest)?;
            summary.say(false);
            webmill_jobs::print(&format!("{}\n", folder.display()))?;
            Ok(code)
        }
        Err(error) => {
            // Of two errors the first one tells why.
            if let Err(error) = output.discard() {
                webmill_jobs::say!("temporary files are left: {error}");
            }
            Err(error)
        }
    }
}

impl FilterArgs {
    fn filters(&self) -> Result<Vec<Filter>> {
        let columns = Columns::known();
        let columns = columns.examples();
        let mut filters = Vec::new();
        for name in &self.by {
            for (name, file) in filtered::files(name)? {
                filters.push(Filter::of(&name, file, &columns)?);
            }
        }
        for condition in &self.conditions {
            filters.push(Filter::of_condition(condition, &columns)?);
        }
        Ok(filters)
    }

    /// The tables that are asked for; those of signals are made where they are missing.
    fn sources(&self, folder: &Path, filters: &[Filter], cancel: &Cancel) -> Result<Sources> {
        let columns = Columns::known();
        let asked = || filters.iter().flat_map(|filter| &filter.rules).flat_map(|rule| rule.columns());
        let extract = latest(folder, Extract::NAME)?;
        let signals = if asked().any(|name| columns.is_signal(name)) {
            let console = self.flags.console();
            let context = self.flags.context(folder, &console, cancel)?;
            match context.run_entry(SignalsJob::NAME)? {
                Some(made) => Some(made),
                None => bail!("--dry-run: job signals would be run"),
            }
        } else {
            None
        };
        let dedup = self.policy.is_some().then(|| latest(folder, Dedup::NAME)).transpose()?;
        let repeated =
            self.drop_repeated.is_some().then(|| latest(folder, RepeatedLines::NAME)).transpose()?;
        let sources = Sources { extract, signals, dedup, repeated };
        let read: Vec<&Committed> = sources.all().into_iter().filter_map(|(_, made)| made).collect();
        mixed(&read).iter().for_each(|warning| webmill_jobs::say!("{warning}"));
        Ok(sources)
    }

    fn settings(&self) -> serde_json::Value {
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths
                .iter()
                .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
                .collect()
        };
        serde_json::json!({
            "by": self.by, "where": self.conditions, "without": names(&self.without), "overlap": self.overlap, "cut": self.cut,
            "policy": self.policy, "drop_repeated": self.drop_repeated, "mask": self.mask, "texts": self.texts,
        })
    }

    /// Writes everything but the manifest, which it returns with the counts.
    fn filter(
        &self,
        filters: Vec<Filter>,
        sources: &Sources,
        output: Option<&Output>,
        cancel: &Cancel,
    ) -> Result<(Summary, ExitCode, Vec<u8>)> {
        let memory = self.flags.memory()?;
        let temp = match output {
            Some(_) => None,
            None => Some(tempfile::tempdir()?),
        };
        let temp = temp
            .as_ref()
            .map_or_else(|| output.map(Output::temp).unwrap_or_default(), |dir| dir.path().to_path_buf());
        let budget = Budget::new(usize::try_from(memory / 8).unwrap_or(usize::MAX)).in_dir(temp);
        let (items, is_much) =
            Items::read(&self.without, self.overlap, memory / 4, self.flags.damage.max_bad)?;
        let verdicts = match (self.policy, &sources.dedup) {
            (Some(policy), Some(dedup)) => {
                let tables = (dedup.path("clusters"), dedup.path("duplicates"));
                Some(verdicts::decide((&tables.0, &tables.1), policy, &[], &budget)?)
            }
            _ => None,
        };
        let repeated = sources.repeated.as_ref().map(|made| KnownRepeated::of(made, &budget)).transpose()?;
        let wish = TextOutput {
            form: self.texts,
            repeated: repeated.as_ref().zip(self.drop_repeated),
            job_key: sources.signals.as_ref().unwrap_or(&sources.extract).manifest.key.to_string(),
        };
        let parts = part_files(&sources.extract.path("texts"))?;
        let summary = Summary::new(&budget, output.map(|output| output.path("filtered")), &wish.job_key)?;
        let mut judge = Judge {
            signals: sources.signals.as_ref().map(|made| made.path("signals")),
            filters,
            verdicts,
            items,
            cut: self.cut,
            mask: self.mask,
            summary,
            open: None,
        };
        let threads = self.flags.budget.pool()?;
        let texts = threads.install(|| {
            let folder = output.map(|output| output.path(""));
            texts::write(&parts, &wish, folder.as_deref(), &mut |part, rows| {
                cancel.check()?;
                judge.select(part, rows)
            })
        })?;
        let summary = judge.summary.finish(output.map(|output| output.path("filter_summary")), &texts)?;
        let mut code = ExitCode::from(u8::from(is_much));
        if texts.texts == 0 {
            webmill_jobs::say!("no text is left");
            code = ExitCode::from(1);
        }
        let made =
            sources.all().into_iter().filter_map(|(job, made)| Some((job, made?.manifest.key.to_string())));
        let manifest = Manifest {
            made_by: "webmill filter",
            format: 1,
            webmill: env!("CARGO_PKG_VERSION"),
            settings: self.settings(),
            results: made.collect(),
            texts,
            went: &summary,
            outputs: output.map_or_else(|| Ok(Vec::new()), Output::files)?,
        };
        let manifest = serde_json::to_vec_pretty(&manifest)?;
        Ok((summary, code, manifest))
    }
}

impl Sources {
    fn all(&self) -> [(&'static str, Option<&Committed>); 4] {
        [
            (Extract::NAME, Some(&self.extract)),
            (SignalsJob::NAME, self.signals.as_ref()),
            (Dedup::NAME, self.dedup.as_ref()),
            (RepeatedLines::NAME, self.repeated.as_ref()),
        ]
    }
}
