//! `webmill dedup apply`: the corpus without its duplicates, as shards and as texts.
//!
//! **Steps.** From tables `clusters` and `duplicates` follow the pages to drop ([`verdicts`]), from table `pages` their captures
//! ([`captures`]). With `--drop-gone`, pages that are gone from the Web are dropped, too ([`gone`]). A walk over each shard finds the records of these
//! captures ([`walk`]). All other records are copied as they are stored ([`copy`]), and their texts are written ([`texts`]). Everything goes into a
//! folder that appears when it is complete ([`folder`]):
//!
//! ```text
//! OUT/shards/NAME                      copies of the shards
//! OUT/texts/part-*.parquet             or OUT/texts.jsonl, .jsonl.gz, .jsonl.zst
//! OUT/dropped/part-000000.parquet      every capture that went, and why
//! OUT/manifest.json                    settings, counts, every file with its digest
//! ```
//!
//! **Twice is once.** A capture is known by shard, URL, date and digest, not by its place. So a second run on the copies
//! finds nothing left to do: its shards are the same bytes.
//!
//! **Cost.** Shards are read twice where something goes. Memory: `--memory`, of which half is for sorts; a byte a capture of one shard that
//! goes, 16 with --as-revisit; and a record of at most 64 MiB, larger ones stay.
//!
//! **Determinism.** The output follows from results, shards and settings.

mod as_revisit;
pub mod captures;
pub mod copy;
pub mod dropped;
pub mod folder;
pub mod gone;
pub mod report;
pub mod shards;
pub mod texts;
pub mod verdicts;
pub mod walk;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::Error;
use webmill_capture::date::format_rfc3339;
use webmill_capture::date::now_ms;
use webmill_capture::error::AtPath;
use webmill_mill::TextRow;
use webmill_run::{Cancel, Committed, Job, layout};
use webmill_shard::{Input, ReadOptions};
use webmill_sort::{Budget, Mapped};
use webmill_table::part_files;

use crate::args::{self, MaxBad, Memory, Out};
use crate::crawl::args::parse_time;
use crate::shard::sources::Tally;
use captures::{Captures, LeavingPages, NamedShard};
use dropped::DroppedCaptures;
use folder::Output;
use report::{Counts, Manifest, ShardReport};
use texts::{Copies, TextCounts, TextForm};
use verdicts::Policy;
use walk::CaptureFate;
use webmill_jobs::current_captures::place;
use webmill_jobs::dedup::Dedup;
use webmill_jobs::extract::Extract;
use webmill_jobs::job::{latest, mixed};
use webmill_jobs::repeated::RepeatedLines;
use webmill_jobs::repeated::known::KnownRepeated;

/// Write the corpus without its duplicates: shards with unchanged records, and texts for training.
///
/// Captures of pages that are copies of others are left out, with their requests and metadata, and with the other
/// captures of the page (HTML, status 2xx, and revisits). All other records stay, byte for byte, in the format of
/// their shard. Table dropped says what was left out, and why. Exit code 0: done; 1: damage beyond --max-bad
/// (nothing is written), or more captures of the results than that share are not in the shards given; 2: a shard
/// cannot be read.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill dedup apply out/demo/results out/demo/crawl --out smaller\n  webmill dedup apply out/demo/results out/demo/crawl --out smaller --policy exact --as-revisit\n  webmill dedup apply out/demo/results --out training --texts jsonl.zst --drop-repeated",
    after_long_help = "Examples:\n  webmill dedup apply out/demo/results out/demo/crawl --out smaller\n  webmill dedup apply out/demo/results out/demo/crawl --out smaller --policy exact --as-revisit\n  webmill dedup apply out/demo/results --out training --texts jsonl.zst --drop-repeated\n\nTwice changes nothing: applied to smaller/shards, the same results leave the same bytes."
)]
pub struct ApplyArgs {
    #[command(flatten)]
    results: args::Results,
    /// The shards that were extracted: files, folders, globs. Without any, only texts and table dropped are written.
    shards: Vec<String>,
    #[command(flatten)]
    out: Out,
    /// Which pages are left out: exact (equal body or text), near (those, and near-duplicates), contained (those,
    /// and pages whose text is mostly in another page that is kept). Pages of results given to dedup --against are
    /// kept instead of new ones, whatever setting dedup.keep says.
    #[arg(long, value_enum, default_value = "near", hide_possible_values = true)]
    policy: Policy,
    /// Leave out pages that have been gone (their last answers are 404 or 410) for this time, such as 90d or 12h.
    /// It is counted back from the newest capture of the results that is not dated after today. Answers 404 and
    /// redirects of these pages stay.
    #[arg(long, value_name = "AGE", value_parser = parse_time)]
    drop_gone: Option<u64>,
    /// Write captures with the payload of the page that is kept as revisit records (WARC, RAW DB); leave out other
    /// copies.
    #[arg(long)]
    as_revisit: bool,
    /// Write the texts of the pages that are kept.
    #[arg(long, value_enum, value_name = "FORM")]
    texts: Option<TextForm>,
    /// Leave out of texts the lines and paragraphs of table repeated: all copies but the first one that is written,
    /// or with --drop-repeated=all that one too.
    #[arg(
        long,
        requires = "texts",
        value_enum,
        value_name = "COPIES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "later"
    )]
    drop_repeated: Option<Copies>,
    #[command(flatten)]
    memory: Memory,
    /// Of captures that are missing, too.
    #[command(flatten)]
    damage: MaxBad,
}

/// The results that are read.
struct Results {
    dedup: Committed,
    extract: Committed,
    repeated: Option<Committed>,
}

impl Results {
    fn open(folder: &Path, repeated: bool) -> Result<Results> {
        let dedup = latest(folder, Dedup::NAME)?;
        let upstream = dedup.manifest.inputs.upstream.iter().find(|input| input.job == Extract::NAME);
        let extract = match upstream {
            // Other pages than those that were compared would not do.
            Some(upstream) => {
                Committed::open(&layout::key_folder(folder, Extract::NAME, upstream.key.as_str()))?
            }
            None => latest(folder, Extract::NAME)?,
        };
        let repeated = repeated.then(|| latest(folder, RepeatedLines::NAME)).transpose()?;
        Ok(Results { dedup, extract, repeated })
    }

    fn tables(&self) -> (PathBuf, PathBuf) {
        (self.dedup.path("clusters"), self.dedup.path("duplicates"))
    }
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &ApplyArgs, cancel: &Cancel) -> Result<ExitCode> {
    const LEAST_MEMORY: u64 = 16 << 20;
    let memory = args.memory.bytes();
    if memory < LEAST_MEMORY {
        bail!("--memory {memory}: at least 16MiB are needed");
    }
    let (folder, shards) = args.results.before_all(&args.shards)?;
    let results = Results::open(&folder, args.drop_repeated.is_some())?;
    let (given, unreadable) = given(&shards, cancel)?;
    let mut read: Vec<PathBuf> = shards.iter().map(PathBuf::from).collect();
    read.extend(given.iter().map(|input| input.path.clone()));
    read.push(folder);
    let output = Output::begin(&args.out.out, &read)?;
    let apply = Apply { args, results: &results, output: &output, cancel };
    match apply.run(&given, unreadable) {
        Ok((code, Some(manifest))) => {
            let folder = output.folder().to_path_buf();
            output.commit(&manifest)?;
            webmill_jobs::print(&format!("{}\n", folder.display()))?;
            Ok(code)
        }
        other => {
            // Of two errors the first one tells why.
            if let Err(error) = output.discard() {
                webmill_jobs::say!("temporary files are left: {error}");
            }
            other.map(|(code, _)| code)
        }
    }
}

/// The shards to copy, and how many could not be read.
fn given(shards: &[String], cancel: &Cancel) -> Result<(Vec<Input>, u64)> {
    if shards.is_empty() {
        return Ok((Vec::new(), 0));
    }
    if let Some(pipe) = shards.iter().find(|input| *input == "-") {
        bail!("{pipe}: a pipe cannot be read twice: give files");
    }
    let (found, errors) = webmill_jobs::remote::discover(shards, cancel)?;
    let mut unreadable = 0;
    for error in errors {
        unreadable += u64::from(matches!(error, Error::Io { .. }));
        webmill_jobs::say!("not read: {error}");
    }
    Ok((found, unreadable))
}

impl ApplyArgs {
    fn settings(&self) -> serde_json::Value {
        serde_json::json!({
            "policy": self.policy,
            "as_revisit": self.as_revisit,
            "drop_gone_ms": self.drop_gone,
            "texts": self.texts,
            "drop_repeated": self.drop_repeated,
        })
    }

    fn part_of_memory(&self, part: u64, whole: u64) -> usize {
        usize::try_from(self.memory.bytes() / whole * part).unwrap_or(usize::MAX)
    }
}

/// One run.
struct Apply<'a> {
    args: &'a ApplyArgs,
    results: &'a Results,
    output: &'a Output,
    cancel: &'a Cancel,
}

/// What the run over the shards met.
#[derive(Default)]
struct Done {
    counts: Counts,
    shards: Vec<ShardReport>,
    tally: Tally,
}

impl Apply<'_> {
    /// Writes everything but the manifest, which it returns; `None` if nothing is to be written.
    fn run(&self, given: &[Input], unreadable: u64) -> Result<(ExitCode, Option<Vec<u8>>)> {
        let args = self.args;
        let captures = self.captures()?;
        let mut done = Done::default();
        done.counts.unreadable_shards = unreadable;
        let mut rows = DroppedCaptures::new(&self.budget());
        if given.is_empty() {
            self.by_tables(&captures, &mut done, &mut rows)?;
        } else {
            self.copy_shards(given, &captures, &mut done, &mut rows)?;
        }
        let counts = &mut done.counts;
        counts.captures_known = captures.shards.iter().map(|shard| shard.captures).sum();
        counts.unresolved += captures.unresolved;
        counts.dangling_revisits = if given.is_empty() { 0 } else { captures.dangling };
        counts.gone_kept = captures.gone_kept;
        counts.pages = captures.pages.clone();
        if !given.is_empty() && (done.tally.records == 0 || done.tally.is_beyond(args.damage.max_bad)) {
            webmill_jobs::say!("{}: nothing is written", done.tally.damage());
            return Ok((done.tally.exit_code(args.damage.max_bad), None));
        }
        rows.write(&captures, &self.output.path("dropped"), &self.results.dedup.manifest.key.to_string())?;
        let texts = args.texts.map(|form| self.write_texts(form, &captures)).transpose()?;
        done.tally.say();
        let copied = (!given.is_empty()).then_some(&*done.shards);
        report::say(&done.counts, copied, texts.as_ref());
        let mut manifest = Manifest::new(args.settings(), &done.counts, &done.shards);
        let Results { dedup, extract, repeated } = self.results;
        for (job, committed) in
            [("dedup", Some(dedup)), ("extract", Some(extract)), ("repeated", repeated.as_ref())]
        {
            manifest.results.extend(committed.map(|c| (job, c.manifest.key.to_string())));
        }
        manifest.texts = texts;
        manifest.outputs = self.output.files()?;
        let manifest = serde_json::to_vec_pretty(&manifest)?;
        Ok((exit_code(&done.counts, args.damage.max_bad), Some(manifest)))
    }

    /// For one of five sorts that live at the same time.
    fn budget(&self) -> Budget {
        Budget::new(self.args.part_of_memory(1, 10)).in_dir(self.output.temp())
    }

    /// The captures to leave out.
    fn captures(&self) -> Result<Captures> {
        let (clusters, duplicates) = self.results.tables();
        let tables = (&*clusters, &*duplicates);
        let budget = self.budget();
        let pages = part_files(&self.results.extract.path("pages"))?;
        let gone = match self.args.drop_gone {
            Some(age) => self.gone(&pages, age)?,
            None => Mapped::default(),
        };
        self.cancel.check()?;
        let verdicts = verdicts::decide(tables, self.args.policy, &gone, &budget)?;
        self.cancel.check()?;
        let leaving = LeavingPages { verdicts: &verdicts, gone: &gone };
        let captures = captures::find(&pages, tables, &leaving, &budget)?;
        self.cancel.check()?;
        Ok(captures)
    }

    /// Pages that have been gone for so long; says up to when that is counted.
    fn gone(&self, pages: &[PathBuf], age_ms: u64) -> Result<Mapped<u128>> {
        let found = gone::find(pages, (age_ms, now_ms()), &self.budget())?;
        let newest = found.newest_ms.map_or_else(|| "no date".to_owned(), format_rfc3339);
        webmill_jobs::say!("what is gone is counted up to {newest}, the date of the newest capture");
        if found.from_future > 0 {
            webmill_jobs::say!(
                "{} captures are dated after today, and not taken for the newest",
                found.from_future
            );
        }
        Ok(found.keys)
    }

    /// Without shards all captures that are to go are taken to be gone.
    fn by_tables(&self, captures: &Captures, done: &mut Done, rows: &mut DroppedCaptures) -> Result<()> {
        for (shard, named) in captures.shards.iter().enumerate() {
            let mut going = named.going.clone();
            going.try_for_each(|number| rows.put(captures, (shard, number), None, &mut done.counts))?;
        }
        Ok(())
    }

    fn copy_shards(
        &self,
        given: &[Input],
        captures: &Captures,
        done: &mut Done,
        rows: &mut DroppedCaptures,
    ) -> Result<()> {
        let assigned = shards::assign(&captures.shards, given)?;
        let names = shards::names(given)?;
        for ((input, number), name) in given.iter().zip(&assigned).zip(&names) {
            self.cancel.check()?;
            match self.copy_shard(input, (captures, *number), name, done, rows) {
                Ok(()) => {}
                // The disk of the output is another matter.
                Err(Error::Io { path, source }) if path == input.path => {
                    done.counts.unreadable_shards += 1;
                    webmill_jobs::say!("not read: {}", Error::Io { path, source });
                }
                Err(error) => return Err(error.into()),
            }
        }
        let given: std::collections::HashSet<usize> = assigned.into_iter().flatten().collect();
        let left = captures.shards.iter().enumerate().filter(|(number, _)| !given.contains(number));
        for (_, shard) in left {
            done.counts.shards_not_given += 1;
            done.counts.captures_not_given += shard.captures;
        }
        Ok(())
    }

    fn copy_shard(
        &self,
        input: &Input,
        (captures, number): (&Captures, Option<usize>),
        name: &Path,
        done: &mut Done,
        rows: &mut DroppedCaptures,
    ) -> Result<(), Error> {
        let (budget, options) = (self.budget(), ReadOptions::default());
        let shard = number.map(|number| &captures.shards[number]);
        let as_revisit = self.args.as_revisit;
        let walked = walk::walk(input, (captures, shard), &options, as_revisit, &budget, self.cancel)?;
        let out = self.output.path("shards").join(name);
        let copied = copy::copy(input, &out, &walked.fates, captures, &options)?;
        let going = shard.map_or(0..0, |shard| shard.going.clone());
        for (at, found) in going.zip(&walked.found) {
            let place = (number.unwrap_or_default(), at);
            match (found, copied.bytes_of(at)) {
                (CaptureFate::Goes, _) => rows.put(captures, place, None, &mut done.counts)?,
                // One that could not be written left its capture where it was.
                (CaptureFate::Revisit, Some(bytes)) => {
                    rows.put(captures, place, Some(bytes), &mut done.counts)?
                }
                _ => {}
            }
        }
        done.take(input, shard, &walked, &copied);
        let report = done.shards.last_mut();
        if let Some(report) = report {
            let inside = self.output.path("shards");
            report.name = copied.path.strip_prefix(&inside).unwrap_or(name).to_string_lossy().into_owned();
            report.bytes_after = std::fs::metadata(&copied.path).at(&copied.path)?.len();
        }
        Ok(())
    }

    fn write_texts(&self, form: TextForm, captures: &Captures) -> Result<TextCounts> {
        let extract = &self.results.extract;
        let known = match &self.results.repeated {
            Some(repeated) => {
                mixed(&[extract, &self.results.dedup, repeated])
                    .iter()
                    .for_each(|warning| webmill_jobs::say!("{warning}"));
                Some(KnownRepeated::of(repeated, &self.budget())?)
            }
            None => None,
        };
        let wish = texts::TextOutput {
            form,
            repeated: known.as_ref().zip(self.args.drop_repeated),
            job_key: self.results.dedup.manifest.key.to_string(),
        };
        let parts = part_files(&extract.path("texts"))?;
        let mut dropped = 0;
        let counts = texts::write(&parts, &wish, Some(&self.output.path("")), &mut |_: &Path,
                                                                                    mut rows: Vec<
            TextRow,
        >| {
            let all = rows.len();
            rows.retain(|row| {
                let place = place(&row.warc_filename, row.warc_record_offset);
                captures.places.binary_search(&place).is_err()
            });
            dropped += (all - rows.len()) as u64;
            Ok(rows)
        })?;
        Ok(TextCounts { dropped, ..counts })
    }
}

impl Done {
    fn take(
        &mut self,
        input: &Input,
        shard: Option<&NamedShard>,
        walked: &walk::WalkedShard,
        copied: &copy::CopiedShard,
    ) {
        let met = &walked.met;
        let known = shard.map_or(0, |shard| shard.captures);
        let going = shard.map_or(0, |shard| shard.going.len() as u64);
        let found = walked.found.iter().filter(|found| **found != CaptureFate::Not).count();
        let not_found = going - found as u64;
        // A shard that lacks as many captures as were to go and are not there had them taken out before.
        let gone_before = not_found.min(known.saturating_sub(met.captures));
        let lacking = known.saturating_sub(met.captures + gone_before).saturating_sub(met.damaged);
        let missing = lacking + (not_found - gone_before);
        self.shards.push(ShardReport {
            results_name: shard.map(|shard| shard.name.clone()),
            records: met.records,
            captures_known: known,
            going,
            gone: met.found - copied.failed_revisits,
            gone_before,
            missing,
            damaged: met.damaged,
            bytes_lost: met.lost,
            bytes_before: input.bytes,
            ..ShardReport::default()
        });
        let counts = &mut self.counts;
        counts.companions += met.companions;
        counts.companion_bytes += met.companion_bytes;
        counts.revisits_before += met.revisits_before;
        counts.not_written += copied.failed;
        counts.revisits_not_written += copied.failed_revisits;
        counts.unknown_shards += u64::from(shard.is_none());
        counts.captures_missing += missing;
        let bytes = input.bytes.max(met.lost);
        self.tally.add(Tally {
            records: met.records,
            damaged: met.damaged - met.cut_off.0,
            lost: met.lost - met.cut_off.1,
            cut_off: met.cut_off,
            bytes,
            inside: bytes,
        });
    }
}

/// 2 where a shard could not be read, 1 where much is missing or something stays that should go, else 0.
fn exit_code(counts: &Counts, max_bad: f64) -> ExitCode {
    if counts.unreadable_shards > 0 {
        return ExitCode::from(2);
    }
    let missing = counts.missing_share() > max_bad;
    if missing {
        webmill_jobs::say!(
            "{:.1} % of the captures of the results are not in what was given, more than --max-bad allows",
            100.0 * counts.missing_share()
        );
    }
    let not_written = counts.not_written + counts.revisits_not_written;
    ExitCode::from(u8::from(missing || not_written > 0))
}
