//! `webmill filter`: the texts that are good to train language models on, and why the others are not.
//!
//! **Steps.** Job `signals` measures the texts, unless its table is there. Texts are read once more with it: rules of filters drop them
//! (`judge`), `--duplicates` those of duplicates, `--without` those that hold items of benchmarks (`items`); `--mask` hides personal data. With `--duplicates` texts are judged twice: pages that rules drop represent no others. What stays is written by
//! the writer of `dedup apply`, which leaves repeated lines out. Everything goes into a folder that appears when it is complete:
//!
//! ```text
//! OUT/texts/part-*.parquet                   or OUT/texts.jsonl, .jsonl.gz, .jsonl.zst
//! OUT/filtered/part-000000.parquet           every text that went, with rule and values
//! OUT/filter_summary/part-000000.parquet     texts and words by host, language and rule
//! OUT/manifest.json                          settings, counts, every file with its digest
//! ```
//!
//! **Cost.** Two readings of the texts, one where the signals are there, and one more with `--duplicates`. Memory: row groups, the items of benchmarks, a sort.
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
use webmill_jobs::signals::{SignalSettings, SignalsJob};
use webmill_learn::quality::Filter;
use webmill_run::{Cancel, Committed, Job};
use webmill_sort::Budget;
use webmill_table::part_files;

use crate::args::{JobFlags, OutOption, Results};
use crate::dedup::apply::folder::Output;
use crate::dedup::apply::texts::{self, Copies, TextCounts, TextForm, TextOutput};
use crate::dedup::apply::verdicts::{self, Policy};
use items::Items;
use judge::{Columns, Judge};
use summary::Summary;

/// Keep the texts that are good to train language models on, by rules of published corpora and your own.
///
/// Filters (--by, one after the other) are gopher (gopher-repetition and gopher-quality), c4, mc4, fineweb, chinese, or files of rules
/// (docs/filter.md). Texts are written as table texts where --texts names no form. Job signals is run first, unless it was. Without --out nothing is written: it is said what each rule leaves out. Table filtered has every
/// text that went, with the rule and its values; filter_summary counts texts by host, language and rule. Exit code 1: nothing stays; 2: more
/// lines of a benchmark cannot be read than --max-bad allows.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill filter out/demo/results --by gopher,fineweb\n  webmill filter out/demo/results --where \"num_words >= 50 and language = 'eng'\" --out corpus\n  webmill filter out/demo/results --by gopher,c4 --duplicates near --drop-repeated --mask --texts jsonl.zst --out clean"
)]
pub struct FilterArgs {
    #[command(flatten)]
    results: Results,
    #[command(flatten)]
    out: OutOption,
    /// Score by which `rank` orders pages, pagerank where nothing is said; or filters by which `filter` chooses texts.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    by: Vec<String>,
    /// A condition on columns of tables texts and signals that texts must meet; may be repeated.
    #[arg(long = "where", value_name = "CONDITION", allow_hyphen_values = true)]
    conditions: Vec<String>,
    /// Leave out texts that hold items of a benchmark: a file with a JSON object a line, plain or compressed by gzip or Zstandard; may be repeated.
    #[arg(long, value_name = "BENCHMARK.jsonl")]
    without: Vec<PathBuf>,
    /// With --without: leave out only the lines that hold parts of items.
    #[arg(long, requires = "without")]
    cut: bool,
    /// Leave out duplicates, too: exact, near or contained, as webmill dedup apply does by --policy.
    #[arg(long, value_enum, value_name = "POLICY", hide_possible_values = true)]
    duplicates: Option<Policy>,
    /// Leave out of texts the lines and paragraphs of table repeated: all copies but the first one that is written,
    /// or with --drop-repeated=all that one too.
    #[arg(long, value_enum, value_name = "COPIES", num_args = 0..=1, require_equals = true, default_missing_value = "later")]
    drop_repeated: Option<Copies>,
    /// Write email@example.com, 192.0.2.1 and +1-202-555-0100 in place of e-mail addresses, public IP addresses and telephone numbers.
    #[arg(long)]
    mask: bool,
    /// Write the texts of the pages that are kept.
    #[arg(long, value_enum, value_name = "FORM")]
    texts: Option<TextForm>,
    #[command(flatten)]
    flags: JobFlags,
}

/// What `filtered.filter` says of texts that go by no filter.
const RESERVED: [&str; 4] = ["where", "duplicates", "without", "repeated"];

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
        && args.duplicates.is_none()
        && args.drop_repeated.is_none()
        && !args.mask
    {
        bail!(
            "nothing to filter by: name filters (--by gopher), a condition (--where \"num_words >= 50\") or a benchmark (--without)"
        );
    }
    let folder = args.results.folder()?;
    let Some(sources) = args.sources(&folder, &filters, cancel)?.filter(|_| !args.flags.is_dry_run()) else {
        let rules = filters.iter().map(|filter| filter.rules.len()).sum::<usize>();
        webmill_jobs::say!("would filter the texts by {rules} rules; nothing is done");
        return Ok(ExitCode::SUCCESS);
    };
    let mut read = args.without.clone();
    read.push(folder);
    let output = args.out.out.as_ref().map(|out| Output::begin(out, &read)).transpose()?;
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
            for (name, file) in filtered::files(name.trim())? {
                if filters.iter().any(|known: &Filter| known.name == name) || RESERVED.contains(&&*name) {
                    bail!(
                        "two filters are called {name}, or the name has a meaning of its own: rename the file"
                    );
                }
                filters.push(Filter::of(&name, file, &columns)?);
            }
        }
        for condition in &self.conditions {
            filters.push(Filter::of_condition(condition, &columns)?);
        }
        Ok(filters)
    }

    /// The tables that are asked for; those of signals are made where they are missing, unless only the plan is asked for: then there is none.
    fn sources(&self, folder: &Path, filters: &[Filter], cancel: &Cancel) -> Result<Option<Sources>> {
        let columns = Columns::known();
        let asked = || filters.iter().flat_map(|filter| &filter.rules).flat_map(|rule| rule.columns());
        let extract = latest(folder, Extract::NAME)?;
        let signals = if asked().any(|name| columns.is_signal(name)) {
            let console = self.flags.console();
            let context = self.flags.context(folder, &console, cancel)?;
            match context.run_entry(SignalsJob::NAME)? {
                Some(made) => Some(made),
                None => return Ok(None),
            }
        } else {
            None
        };
        let dedup = self.duplicates.is_some().then(|| latest(folder, Dedup::NAME)).transpose()?;
        let repeated =
            self.drop_repeated.is_some().then(|| latest(folder, RepeatedLines::NAME)).transpose()?;
        let sources = Sources { extract, signals, dedup, repeated };
        let read: Vec<&Committed> = sources.all().into_iter().filter_map(|(_, made)| made).collect();
        mixed(&read).iter().for_each(|warning| webmill_jobs::say!("{warning}"));
        Ok(Some(sources))
    }

    fn settings(&self) -> serde_json::Value {
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths
                .iter()
                .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
                .collect()
        };
        serde_json::json!({
            "by": self.by, "rules": self.by.iter().map(|name| filtered::files(name.trim()).unwrap_or_default()).collect::<Vec<_>>(), "where": self.conditions, "without": names(&self.without), "cut": self.cut,
            "duplicates": self.duplicates, "drop_repeated": self.drop_repeated, "mask": self.mask, "texts": self.texts,
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
        let overlap = self.flags.read_recipe()?.settings::<SignalSettings>()?.overlap;
        let temp = match output {
            Some(_) => None,
            None => Some(tempfile::tempdir()?),
        };
        let temp = temp
            .as_ref()
            .map_or_else(|| output.map(Output::temp).unwrap_or_default(), |dir| dir.path().to_path_buf());
        let budget = Budget::new(usize::try_from(memory / 8).unwrap_or(usize::MAX)).in_dir(temp);
        let items = Items::read(&self.without, overlap, memory / 4, self.flags.damage.max_bad)?;
        let repeated = sources.repeated.as_ref().map(|made| KnownRepeated::of(made, &budget)).transpose()?;
        let wish = TextOutput {
            form: self.texts.unwrap_or(TextForm::Parquet),
            repeated: repeated.as_ref().zip(self.drop_repeated),
            job_key: sources.signals.as_ref().unwrap_or(&sources.extract).manifest.key.to_string(),
        };
        let parts = part_files(&sources.extract.path("texts"))?;
        let judge = |verdicts, summary| Judge {
            signals: sources.signals.as_ref().map(|made| made.path("signals")),
            filters: &filters,
            verdicts,
            items: items.as_ref(),
            cut: self.cut,
            mask: self.mask,
            summary,
            cancel,
            open: None,
        };
        let threads = self.flags.budget.pool()?;
        let verdicts = match (self.duplicates, &sources.dedup) {
            (Some(policy), Some(dedup)) => {
                // A page that goes by rules is none for which others could go.
                let judge = judge(None, Summary::new(&budget, None, &wish.job_key)?);
                let plain = TextOutput { form: wish.form, repeated: None, job_key: String::new() };
                let gone = threads.install(|| judge.dropped(&parts, &plain, &budget))?;
                let tables = (dedup.path("clusters"), dedup.path("duplicates"));
                Some(verdicts::decide((&tables.0, &tables.1), policy, &gone, &budget)?)
            }
            _ => None,
        };
        let summary = Summary::new(&budget, output.map(|output| output.path("filtered")), &wish.job_key)?;
        let mut judge = judge(verdicts, summary);
        let folder = output.map(|output| output.path(""));
        let texts = threads.install(|| texts::write(&parts, &wish, folder.as_deref(), &mut judge))?;
        let summary = judge.summary.finish(output.map(|output| output.path("filter_summary")), &texts)?;
        let mut code = ExitCode::SUCCESS;
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
