//! `webmill extract`: shards in, tables of pages, links and texts out, in one pass.

pub mod log;
mod parts;
pub mod template_row;
mod templates;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webmill_capture::Error;
use webmill_mill::{ExtractLimits, Extractor, Templates};
use webmill_run::{Cancel, Committed, Job, Measure, Reject, Runtime, Stage};
use webmill_shard::{Input, Part, ReadOptions, Resume, ShardReader, follows, split};

use crate::args::Common;
use crate::inputs::Shards;
use parts::PartTables;

/// Turn shards into tables: pages, links, main texts.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Example:\n  webmill extract crawl-*.raw archive.warc.gz --out results\n\nReads RAW DB, WARC and ARC, recognised by content; folders are walked."
)]
pub struct ExtractArgs {
    /// Shards, folders, globs, or - for stdin.
    #[arg(required = true)]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub common: Common,
}

/// Configuration of the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Extract {
    /// Largest record held in memory; a larger one is cut and marked.
    pub max_record_bytes: u64,
    /// Bytes of a shard that one unit of work reads; 0 chooses by the size of the input: enough units to share out, few
    /// enough to keep track of.
    pub part_bytes: u64,
    /// Bytes of rows that are gathered before they are sorted and written as one part of each table.
    pub buffer_bytes: usize,
    /// Captures of a host that are enough to compare its pages first: what many of a host's pages show and leave out of
    /// their main text is left out of all of them. 0: never; else the shards are read once more, and where there are
    /// such hosts twice.
    pub template_pages: u64,
    /// Most hosts whose pages are compared, those of most captures; each takes up to 1 MiB, 10 to 120 KiB as a
    /// rule. Counting takes some 150 bytes a host of the corpus, 600 one of many pages.
    pub template_hosts: usize,
    /// Bounds of the work on one page.
    pub limits: ExtractLimits,
    #[serde(skip)]
    inputs: Vec<Input>,
    #[serde(skip)]
    logs: Vec<(PathBuf, String)>,
}

impl Default for Extract {
    fn default() -> Self {
        Extract {
            max_record_bytes: 64 << 20,
            part_bytes: 0,
            buffer_bytes: 24 << 20,
            template_pages: 200,
            template_hosts: 1000,
            limits: ExtractLimits::default(),
            inputs: Vec::new(),
            logs: Vec::new(),
        }
    }
}

/// Where the walk of a part began and ended: what proves that no record was lost or read twice at a seam.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Walk {
    first: Option<u64>,
    end: u64,
    searching: bool,
    proven: Option<bool>,
}

impl Walk {
    fn resume(self) -> Resume {
        Resume { offset: self.end, searching: self.searching, proven: self.proven }
    }
}

/// Runs the command.
pub fn run(args: &ExtractArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = crate::console::Console::new();
    crate::print_committed(&extract(&args.inputs, &args.common, &args.common.runtime(&console, cancel))?)
}

/// Extracts `inputs` under the runtime.
pub fn extract(inputs: &[String], common: &Common, runtime: &Runtime<'_>) -> Result<Option<Committed>> {
    let mut job: Extract = common.recipe(Extract::NAME)?;
    let shards = Shards::discover(inputs, runtime)?;
    let digests = shards.digest(runtime)?;
    job.inputs = shards.inputs;
    job.logs = shards.logs;
    crate::run_job(&job, &digests, common, runtime)
}

impl Job for Extract {
    const NAME: &'static str = "extract";
    const VERSION: u32 = 1;

    fn run(&self, stage: &Stage<'_>) -> webmill_capture::Result<()> {
        let total: u64 = self.inputs.iter().map(|i| i.bytes).sum();
        let part_bytes = match self.part_bytes {
            0 => (total / 512).clamp(4 << 20, 256 << 20),
            bytes => bytes,
        };
        let parts = split(&self.inputs, part_bytes);
        let templates = Arc::new(self.learn_templates(stage, &parts)?);
        stage.progress.begin("extract", total, Measure::Bytes);
        let walks: Vec<Walk> = parts
            .par_iter()
            .enumerate()
            .with_max_len(1)
            .map(|(i, part)| {
                let walk = self.part(stage, i, part, None, &templates)?;
                let end = part.range.end.min(self.inputs[part.input].bytes);
                stage.progress.advance(end.saturating_sub(part.range.start));
                Ok(walk)
            })
            .collect::<webmill_capture::Result<_>>()?;
        stage.progress.end();
        self.close_seams(stage, &parts, walks, &templates)?;
        log::read(stage, &self.logs, self.buffer_bytes)
    }
}

impl Extract {
    /// The records of a part.
    pub fn open(&self, part: &Part, from: Option<Resume>) -> webmill_capture::Result<ShardReader> {
        let input = &self.inputs[part.input];
        let options = ReadOptions {
            max_record_bytes: self.max_record_bytes,
            exact_start: from,
            ..ReadOptions::default()
        };
        let kind = (input.format, input.container);
        ShardReader::open_as(&input.path, input.name.clone(), kind, part.range.clone(), &options)
    }

    /// A part begins where its start was guessed. Where the walk before it did not end there, the guess was wrong (a
    /// page that quotes records) and the part is read again from the right place.
    fn close_seams(
        &self,
        stage: &Stage<'_>,
        parts: &[Part],
        mut walks: Vec<Walk>,
        templates: &Arc<Templates>,
    ) -> webmill_capture::Result<()> {
        for i in 1..parts.len() {
            if parts[i].input != parts[i - 1].input {
                continue;
            }
            let before = walks[i - 1].resume();
            if !follows(&before, &parts[i].range, walks[i].first) {
                stage.discard(&unit_name(i))?;
                walks[i] = self.part(stage, i, &parts[i], Some(before), templates)?;
            } else if walks[i].first.is_none() {
                walks[i] = walks[i - 1];
            }
        }
        Ok(())
    }

    fn part(
        &self,
        stage: &Stage<'_>,
        index: usize,
        part: &Part,
        from: Option<Resume>,
        templates: &Arc<Templates>,
    ) -> webmill_capture::Result<Walk> {
        stage.unit(&unit_name(index), |unit| {
            let input = &self.inputs[part.input];
            let mut reader = self.open(part, from)?;
            let extractor = Extractor::new(self.limits.clone()).with_templates(templates.clone());
            let mut tables = PartTables::new(unit_name(index), self.buffer_bytes);
            while let Some(record) = reader.next() {
                stage.cancel.check()?;
                unit.read(1);
                match record {
                    Err(error) => unit.damaged(damage(error, &input.name)?),
                    Ok(record) => {
                        unit.kept(record.kind.name(), 1);
                        let Some(capture) = record.to_capture() else { continue };
                        match extractor.extract(&capture) {
                            Some(extracted) => tables.push(extracted, unit)?,
                            None => unit.rejected(Reject {
                                reason: "no-url".into(),
                                shard: input.name.to_string(),
                                offset: record.place.offset,
                                detail: format!("not a URL: {}", crate::inputs::clip(&record.url, 200)),
                            }),
                        }
                    }
                }
            }
            tables.finish(unit)?;
            let end = reader.resume();
            Ok(Walk {
                first: reader.first_offset(),
                end: end.offset,
                searching: end.searching,
                proven: end.proven,
            })
        })
    }
}

/// An error about the data is a reject; any other stops the job.
fn damage(error: Error, shard: &str) -> webmill_capture::Result<Reject> {
    match error {
        Error::Corrupt { offset, reason, .. } => {
            Ok(Reject { reason: "damaged-record".into(), shard: shard.to_owned(), offset, detail: reason })
        }
        Error::Limit(reason) => {
            Ok(Reject { reason: "over-limit".into(), shard: shard.to_owned(), offset: 0, detail: reason })
        }
        other => Err(other),
    }
}

fn unit_name(index: usize) -> String {
    format!("part-{index:06}")
}
