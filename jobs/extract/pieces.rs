//! The pass of `extract` in pieces, for an engine that spreads them over machines: a cluster that keeps tasks, retries and shuffles.
//!
//! **What.** A split of a shard is mapped to the files that a part leaves aside, and to what it says of itself ([`Mapped`]): where
//! its first record began and where it ended, what was counted, what was rejected. The engine compares neighbours
//! ([`follows`]) and has wrong ones mapped again. Which captures count it works out over all files of captures. Then each file of
//! a table is written from its parts. All of that is the code that the job itself runs, on the same files.
//!
//! **Determinism.** Files are those that the job writes on one machine, but for the key in their footers, as long as splits are
//! those of the job.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use webmill_capture::bits::Bits;
use webmill_capture::{Error, Result};
use webmill_mill::{Likeness, MediaRow, Mill, Templates};
use webmill_run::{Cancel, Counts, Inputs, JobKey, Reject, Silent, Stage, job_key};
use webmill_shard::{Container, Format, Input, Part as Range, follows};
use webmill_table::{Table, TableSchema, schema};
use webmill_text::{Footprint, Sample};

use super::media::{self, MERGED};
use super::parts::{CAPTURES, tables_by_name};
use super::tables::{self, Part, Planned, Sources, Width};
use super::template_row::TemplateRow;
use super::templates::{LearntHost, Smallest, write_learnt};
use super::{Extract, Pass};
use crate::inputs::Shards;
use crate::output::{first_part, write_rows};
use crate::recipe::Recipe;
use crate::walk::{Walked, parts_of};

/// A split of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Split {
    /// Its number among all splits, in the order of shards: names its files.
    pub number: usize,
    /// Where the shard lies.
    pub path: PathBuf,
    /// What tables call it.
    pub name: String,
    /// Grammar and compression.
    pub kind: (Format, Container),
    /// Stored bytes of the shard.
    pub size: u64,
    /// First byte.
    pub from: u64,
    /// Byte behind the last; `u64::MAX` of the last split of a shard.
    pub to: u64,
    /// Where exactly to begin, instead of guessing: of a split that was read wrong.
    #[serde(default)]
    pub exact: Option<Walked>,
}

impl Split {
    fn input(&self) -> Input {
        Input::known(self.path.clone(), Arc::from(self.name.as_str()), self.kind, self.size)
    }

    /// It as a part of a walk that has parts in front of it, so that its number is its own.
    fn range(&self) -> Range {
        Range { input: 0, range: self.from..self.to }
    }
}

/// The splits of shards, of `part_bytes` each; 0 chooses by the size of each shard, as `extract` does.
pub fn splits(inputs: &[Input], part_bytes: u64) -> Vec<Split> {
    let split_at = |(number, part): (usize, Range)| {
        let input = &inputs[part.input];
        Split {
            number,
            path: input.path.clone(),
            name: input.name.to_string(),
            kind: (input.format, input.container),
            size: input.bytes,
            from: part.range.start,
            to: part.range.end,
            exact: None,
        }
    };
    parts_of(inputs, part_bytes).into_iter().enumerate().map(split_at).collect()
}

/// A part that a split left aside.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartFile {
    /// Name of its files.
    pub file: String,
    /// Number of captures in the part.
    pub captures: u64,
    /// Its rows, by table.
    pub rows: BTreeMap<String, u64>,
}

/// What a split that was mapped says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub struct Mapped {
    /// Where it began and ended.
    pub walked: Walked,
    /// What was read, kept and dropped.
    pub counts: Counts,
    /// What was rejected: a hundred of each reason.
    pub rejects: Vec<Reject>,
    /// What it left.
    pub parts: Vec<PartFile>,
}

/// Whether a split that was guessed begins where the one before it ended; `before` is carried on over splits without a beginning.
pub fn fits(before: Walked, split: &Split, walked: Walked) -> bool {
    follows(&before.resume(), &(split.from..split.to), walked.first)
}

/// A file of a table that is to be written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TableFile {
    /// Name of the table.
    pub table: String,
    /// Number of the file.
    pub number: usize,
    /// First part, and the one behind the last.
    pub parts: (usize, usize),
    /// Number of rows in the file.
    pub rows: u64,
}

/// What pieces are made with.
pub struct Pieces {
    settings: Extract,
    mill: Mill,
    key: JobKey,
    cancel: Cancel,
}

impl Pieces {
    /// With the settings of a recipe.
    ///
    /// # Errors
    /// [`Error::Config`] for a setting that cannot work.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        let settings: Extract = recipe.settings()?;
        let (mill, key) = (settings.mill(), job_key(&settings, &Inputs::default())?);
        Ok(Pieces { settings, mill, key, cancel: Cancel::default() })
    }

    /// The same, with the templates of what was learnt of hosts.
    ///
    /// # Errors
    /// [`Error::Internal`] for bytes that [`learn`](Self::learn) did not give.
    pub fn with_templates(self, learnt: &[Vec<u8>]) -> Result<Self> {
        let mut templates = Templates::new();
        for bytes in learnt {
            templates.extend(of_bytes::<LearntHost>(bytes)?.into_template());
        }
        Ok(Pieces { mill: self.mill.clone().with_templates(Arc::new(templates)), ..self })
    }

    /// The settings of the job.
    pub fn settings(&self) -> &Extract {
        &self.settings
    }

    /// All tables that come of it.
    pub fn tables(&self) -> Vec<TableSchema> {
        let mut tables = self.mill.tables();
        tables.push(schema::<TemplateRow>());
        tables
    }

    fn stage(&self, folder: &Path) -> Result<Stage<'_>> {
        Stage::apart(folder, self.key.clone(), u64::MAX, &Silent, &self.cancel)
    }

    fn pass<T>(
        &self,
        split: &Split,
        folder: &Path,
        work: impl FnOnce(&Pass<'_>, &Stage<'_>) -> Result<T>,
    ) -> Result<T> {
        let (shards, stage) = (Shards::of(vec![split.input()]), self.stage(folder)?);
        let walk = self.settings.walk(&shards, &stage);
        work(&Pass::new(&self.settings, &walk)?, &stage)
    }

    /// Maps a split: its rows lie in `folder` then.
    ///
    /// # Errors
    /// Where the disk refuses; a shard that cannot be read is a reject.
    pub fn map(&self, split: &Split, folder: &Path) -> Result<Mapped> {
        self.pass(split, folder, |pass, stage| {
            let exact = split.exact.map(Walked::resume);
            let extraction = |index: usize, input: &Input| pass.extraction(&self.mill, index, input, None);
            let walked = pass.walk.part(split.number, &split.range(), exact, &extraction)?;
            let told = stage.told()?;
            let scratch = told.scratch;
            let captures: Vec<(String, u64)> =
                scratch.iter().filter(|(path, _)| path.starts_with(CAPTURES)).cloned().collect();
            let of_mill: Vec<_> = tables_by_name(&self.mill).into_iter().collect();
            let parts = tables::parts(&captures, &scratch, &of_mill).into_iter().zip(&captures);
            let part = |(part, (_, captures)): (Part, &(String, u64))| PartFile {
                file: part.file,
                captures: *captures,
                rows: of_mill.iter().map(|(name, _)| name.clone()).zip(part.rows).collect(),
            };
            Ok(Mapped {
                walked,
                counts: told.counts,
                rejects: told.rejects,
                parts: parts.map(part).collect(),
            })
        })
    }

    /// The hosts of the pages of a split: name, pages, the smallest hashes of their URLs.
    ///
    /// # Errors
    /// Where the work is interrupted.
    pub fn hosts(&self, split: &Split, folder: &Path) -> Result<Vec<(String, u64, Vec<u8>)>> {
        let counts = self.pass(split, folder, |pass, _| pass.hosts_of(&split.range()))?;
        Ok(counts.into_iter().map(|(host, found)| (host, found.captures, found.keys.bytes())).collect())
    }

    /// The sampled pages of a split: host, hash of the URL, what a template is learnt from, what pages are compared by.
    ///
    /// # Errors
    /// Where the work is interrupted.
    pub fn samples(
        &self,
        split: &Split,
        hosts: &BTreeMap<String, Vec<u8>>,
        folder: &Path,
    ) -> Result<Vec<(String, u64, Vec<u8>)>> {
        let hosts = hosts.iter().map(|(host, keys)| (host.clone(), Smallest::of_bytes([keys.as_slice()])));
        let (hosts, mut samples) = (hosts.collect(), Vec::new());
        self.pass(split, folder, |pass, _| {
            pass.samples_of(&split.range(), &hosts, &mut |host, key, page, likeness| {
                samples.push((host.to_owned(), key, to_bytes(&(page, likeness))?));
                Ok(())
            })
        })?;
        Ok(samples)
    }

    /// What the sampled pages of a host teach.
    ///
    /// # Errors
    /// [`Error::Internal`] for bytes that [`samples`](Self::samples) did not give.
    pub fn learn<'a>(
        &self,
        host: String,
        captures: u64,
        pages: impl IntoIterator<Item = (u64, &'a [u8])>,
    ) -> Result<Vec<u8>> {
        let (mut sample, mut compared) = (Sample::default(), BTreeMap::<u64, Likeness>::new());
        for (key, bytes) in pages {
            let (page, likeness): (Footprint, Option<Likeness>) = of_bytes(bytes)?;
            sample.add(key, page);
            if let Some(likeness) = likeness {
                let kept = compared.entry(key).or_default();
                *kept = std::mem::take(kept).max(likeness);
            }
        }
        to_bytes(&LearntHost::of(host, captures, &sample, &compared))
    }

    /// Writes table `templates` into a folder.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn write_templates(&self, learnt: &[Vec<u8>], folder: &Path) -> Result<()> {
        let learnt: Vec<LearntHost> = learnt.iter().map(|bytes| of_bytes(bytes)).collect::<Result<_>>()?;
        self.stage(folder)?.unit("templates", |unit| write_learnt(learnt, unit))?;
        Ok(())
    }

    /// Writes the table of rejects into a folder.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn write_rejects(&self, rejects: &[Reject], folder: &Path) -> Result<()> {
        let rows = crate::rejects::rows(rejects);
        self.stage(folder)?.unit("rejects", |unit| {
            write_rows(unit, first_part::<crate::rejects::RejectRow>(), rows).map(drop)
        })
    }

    /// The files of all tables, from all parts in their order.
    pub fn plan(&self, parts: &[PartFile]) -> Vec<TableFile> {
        let tables: Vec<_> = tables_by_name(&self.mill).into_iter().collect();
        let parts: Vec<Part> = parts.iter().map(|part| part_of(part, &tables)).collect();
        let planned = tables::plan(&parts, &tables, self.settings.file_rows);
        let file = |planned: Planned| TableFile {
            table: tables[planned.table].0.clone(),
            number: planned.number,
            parts: (planned.parts.start, planned.parts.end),
            rows: planned.rows,
        };
        planned.into_iter().map(file).collect()
    }

    /// Writes a file of a table from its parts, whose files lie in `folder`, each with the rows of its captures that are
    /// superseded; returns its path there.
    ///
    /// # Errors
    /// Where a part cannot be read or the disk refuses.
    pub fn write(&self, file: &TableFile, parts: &[(PartFile, Vec<u64>)], folder: &Path) -> Result<PathBuf> {
        let tables: Vec<_> = tables_by_name(&self.mill).into_iter().collect();
        let at = tables.iter().position(|(name, _)| *name == file.table);
        let at = at.ok_or_else(|| Error::Config(format!("no table is called {}", file.table)))?;
        let current = |(part, superseded): &(PartFile, Vec<u64>)| {
            let mut rows = Bits::below(part.captures);
            superseded.iter().for_each(|row| rows.remove(*row));
            rows
        };
        let current: Vec<Bits> = parts.iter().map(current).collect();
        let sources: Vec<Part> = parts.iter().map(|(part, _)| part_of(part, &tables)).collect();
        let planned = Planned { table: at, number: file.number, parts: 0..parts.len(), rows: file.rows };
        let stage = self.stage(folder)?;
        let (name, table) = &tables[at];
        // A task of Spark has a core and a GiB.
        let width = Width { files: 1, fan_in: 48, groups: 1, open_bytes: 64 << 20 };
        let sources = Sources { stage: &stage, parts: &sources, current: &current, width };
        stage.unit("table", |unit| sources.file(unit, &planned, name, table.as_ref()))?;
        let shows_pictures = name == MediaRow::NAME;
        Ok(folder.join(if shows_pictures { MERGED } else { name }).join(file_name(file.number)))
    }

    /// Copies these rows of a file of table `media` that [`write`](Self::write) made in `folder`; returns the path of the copy there.
    ///
    /// # Errors
    /// Where the file cannot be read or the disk refuses.
    pub fn write_media(&self, number: usize, kept: &[u64], folder: &Path) -> Result<PathBuf> {
        let (stage, name) = (self.stage(folder)?, file_name(number));
        let mut rows = Bits::default();
        for row in kept {
            rows.insert(*row);
        }
        stage.unit("media", |unit| media::copy(&stage, &format!("{MERGED}/{name}"), &rows, unit))?;
        Ok(folder.join(MediaRow::NAME).join(name))
    }
}

/// The smallest hashes, from several lists as bytes, that are looked at of a host with `captures` captures.
pub fn smallest<'a>(bytes: impl IntoIterator<Item = &'a [u8]>, captures: u64) -> Vec<u8> {
    Smallest::of_bytes(bytes).of_host(captures).bytes()
}

/// Name of a file of a table.
pub fn file_name(number: usize) -> String {
    format!("part-{number:06}.parquet")
}

fn part_of(part: &PartFile, tables: &[(String, Box<dyn webmill_mill::TableRows>)]) -> Part {
    let rows = tables.iter().map(|(name, _)| part.rows.get(name).copied().unwrap_or(0));
    Part { file: part.file.clone(), rows: rows.collect() }
}

fn to_bytes(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| Error::Internal(e.to_string()))
}

fn of_bytes<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| Error::Internal(format!("bytes of another program: {e}")))
}
