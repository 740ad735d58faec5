//! `webmill extract`: shards in, tables of pages, links and texts out, in one pass.

mod current;
pub mod log;
mod parts;
mod tables;
pub mod template_row;
mod templates;

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webmill_capture::{Capture, Error, RecordType, Result};
use webmill_mill::{Mill, Order, PageLimits, PageRow, Reject as PageReject};
use webmill_run::{Committed, Ingredient, Job, Measure, Reject, Stage, Unit};
use webmill_shard::{Container, Format, Input, Part, ReadOptions, Resume, ShardReader, follows, split};
use webmill_table::schema;
use webmill_text::TemplateMethod;

use crate::inputs::{Shards, UNREADABLE};
use crate::job::{Context, JobEntry};
use crate::recipe::{Settings, check_settings, within};
use parts::PartTables;
use template_row::{TemplateElementRow, TemplateRow};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Extract::NAME,
    about: "Turn shards into tables: pages, links, main texts",
    example: "Example:\n  webmill extract crawl-*.raw archive.warc.gz --out results\n\nReads RAW DB, WARC and ARC, recognised by content; folders are walked.\nPictures get rows in table links where the recipe says so: [extract] images = true.",
    reads_shards: true,
    tables: || {
        let mut tables = Mill::default().tables();
        tables.extend([schema::<TemplateRow>(), schema::<TemplateElementRow>()]);
        tables
    },
    check: check_settings::<Extract>,
    run: extract,
};

/// Configuration of the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Extract {
    /// Largest record held in memory; a larger one is cut and marked.
    pub max_record_bytes: u64,
    /// Bytes of a shard that one unit of work reads; 0 chooses by the size of the input: enough units to share out, few
    /// enough to keep track of.
    pub part_bytes: u64,
    /// Bytes of rows that are gathered before they are sorted and written aside as a part.
    pub buffer_bytes: usize,
    /// Rows that each file of a table has at least, where the table has so many: parts are put together until then.
    pub file_rows: u64,
    /// Captures of a host that are enough to compare its pages first: what many of a host's pages show and leave out of
    /// their main text is left out of all of them. 0: never; else the shards are read once more, and where there are
    /// such hosts twice.
    pub template_pages: u64,
    /// Most hosts whose pages are compared, those of most captures; each takes up to 1.3 MiB, 50 to 200 KiB as a
    /// rule. Counting takes some 150 bytes a host of the corpus, 600 one of many pages.
    pub template_hosts: usize,
    /// Pages of such a host that are compared each with each by structure and text, for the columns `one_template` and
    /// `other_content` of table `templates`, 0 (none) to 64.
    pub template_compared: usize,
    /// By what templates are learnt: footprint (texts that pages show at one place and leave out of their main text) or
    /// style-tree (elements of low importance; their values go into table `template_elements`).
    pub template_method: TemplateMethod,
    /// Name of the crawl, for the column of that name.
    pub crawl: String,
    /// Whether request records have rows in `pages` too.
    pub requests: bool,
    /// Whether metadata records have rows in `pages` too.
    pub metadata: bool,
    /// Whether pictures (`<img>`: src, and the largest of srcset) have rows in `links`, of kind `img`.
    pub images: bool,
    /// Bounds of the work on one page.
    pub limits: PageLimits,
}

impl Default for Extract {
    fn default() -> Self {
        Extract {
            max_record_bytes: 64 << 20,
            part_bytes: 0,
            buffer_bytes: 24 << 20,
            file_rows: 32_768,
            template_pages: 200,
            template_hosts: 1000,
            template_compared: 8,
            template_method: TemplateMethod::default(),
            crawl: "crawl".into(),
            requests: false,
            metadata: false,
            images: false,
            limits: PageLimits::default(),
        }
    }
}

impl Settings for Extract {
    const TABLE: &'static str = "extract";

    fn check(&self) -> Result<()> {
        within("max_record_bytes", self.max_record_bytes, 1 << 10..=1 << 40)?;
        within("buffer_bytes", self.buffer_bytes, 1..=1 << 40)?;
        within("file_rows", self.file_rows, 1..=1 << 20)?;
        within("template_compared", self.template_compared, 0..=64)?;
        within("limits.max_body_bytes", self.limits.max_body_bytes, 1..=1 << 32)?;
        within("limits.max_depth", self.limits.max_depth, 1..=1 << 16)?;
        within("limits.max_nodes", self.limits.max_nodes, 1..=1 << 28)
    }
}

impl Extract {
    /// What captures pass through.
    fn mill(&self) -> Mill {
        Mill::new(PageLimits { images: self.images, ..self.limits.clone() })
    }

    /// Whether a record of this kind has a row.
    fn wants(&self, capture: &Capture<'_>) -> bool {
        match capture.record_type {
            RecordType::Request => self.requests,
            RecordType::Metadata => self.metadata,
            _ => true,
        }
    }
}

/// The name after `segments/` in the path of a shard: how the largest public crawl lays out its files.
fn segment(path: &Path) -> Option<String> {
    let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.find(|part| part == "segments")?;
    let name = parts.next()?;
    // What follows must be a folder, not the shard itself.
    parts.next().map(|_| name.into_owned())
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
    /// That of a part that could not be read to its end: the next one looks for its first record as after damage.
    fn broken(part: &Part, first: Option<u64>) -> Walk {
        Walk { first, end: part.range.end, searching: true, proven: None }
    }

    fn resume(self) -> Resume {
        Resume { offset: self.end, searching: self.searching, proven: self.proven }
    }
}

/// Extracts the shards of the context.
///
/// # Errors
/// Where there is no shard, or the job fails.
pub fn extract(context: &Context<'_>) -> Result<Option<Committed>> {
    let job: Extract = context.settings()?;
    let shards = Shards::discover(&context.inputs, &context.runtime)?;
    context.run(&job, &shards)
}

impl Job for Extract {
    type Input = Shards;
    const NAME: &'static str = "extract";
    const VERSION: u32 = 7;

    fn ingredients(&self) -> Vec<Ingredient> {
        let parts = self.mill().parts();
        let mut ingredients: Vec<Ingredient> = parts
            .into_iter()
            .map(|part| Ingredient {
                name: part.name,
                digest: format!("{} {}", part.version, part.configuration),
            })
            .collect();
        ingredients.extend(crate::ingredients::of_words());
        ingredients
    }

    fn run(&self, shards: &Shards, stage: &Stage<'_>) -> Result<()> {
        let pass = Pass { settings: self, shards, stage };
        let total: u64 = shards.inputs.iter().map(|i| i.bytes).sum();
        let part_bytes = match self.part_bytes {
            0 => (total / 512).clamp(4 << 20, 256 << 20),
            bytes => bytes,
        };
        let parts = split(&shards.inputs, part_bytes);
        let mill = self.mill().with_templates(Arc::new(pass.learn_templates(&parts)?));
        stage.progress.begin("extract", total, Measure::Bytes);
        let walks: Vec<Walk> = parts
            .par_iter()
            .enumerate()
            .with_max_len(1)
            .map(|(i, part)| {
                let walk = pass.part(i, part, None, &mill)?;
                let end = part.range.end.min(shards.inputs[part.input].bytes);
                stage.progress.advance(end.saturating_sub(part.range.start));
                Ok(walk)
            })
            .collect::<Result<_>>()?;
        stage.progress.end();
        pass.close_seams(&parts, walks, &mill)?;
        pass.count_unread()?;
        log::read(&mill, stage, &shards.logs, self)?;
        tables::write(&mill, stage, self.file_rows)
    }
}

/// One pass over shards.
struct Pass<'a> {
    settings: &'a Extract,
    shards: &'a Shards,
    stage: &'a Stage<'a>,
}

impl Pass<'_> {
    /// The records of a part.
    fn open(&self, part: &Part, from: Option<Resume>) -> Result<ShardReader> {
        let input = &self.shards.inputs[part.input];
        let options = ReadOptions {
            max_record_bytes: self.settings.max_record_bytes,
            exact_start: from,
            ..ReadOptions::default()
        };
        let kind = (input.format, input.container);
        ShardReader::open_as(&input.path, input.name.clone(), kind, part.range.clone(), &options)
    }

    /// A part begins where its start was guessed. Where the walk before it did not end there, the guess was wrong (a
    /// page that quotes records) and the part is read again from the right place.
    fn close_seams(&self, parts: &[Part], mut walks: Vec<Walk>, mill: &Mill) -> Result<()> {
        for i in 1..parts.len() {
            if parts[i].input != parts[i - 1].input {
                continue;
            }
            let before = walks[i - 1].resume();
            if !follows(&before, &parts[i].range, walks[i].first) {
                self.stage.discard(&unit_name(i))?;
                walks[i] = self.part(i, &parts[i], Some(before), mill)?;
            } else if walks[i].first.is_none() {
                walks[i] = walks[i - 1];
            }
        }
        Ok(())
    }

    /// Counts files that are no shards, and those that could not even be looked at.
    fn count_unread(&self) -> Result<()> {
        if self.shards.unread.is_empty() {
            return Ok(());
        }
        self.stage.unit("unread-files", |unit| {
            for file in &self.shards.unread {
                if file.refused {
                    unit.read(1);
                    unit.read_bytes(file.bytes);
                    unit.unreadable(&file.name);
                    unit.damaged(file.reject());
                } else {
                    unit.rejected(file.reject());
                }
            }
            Ok(())
        })
    }

    fn part(&self, index: usize, part: &Part, from: Option<Resume>, mill: &Mill) -> Result<Walk> {
        self.stage.unit(&unit_name(index), |unit| {
            let input = &self.shards.inputs[part.input];
            let segment = segment(&input.path);
            let mut tables = PartTables::new(mill, unit_name(index), self.settings.buffer_bytes);
            let mut reader = match self.open(part, from) {
                Ok(reader) => reader,
                Err(error) => {
                    let from = from.map_or(part.range.start, |resume| resume.offset);
                    unread(unit, input, part, from, error)?;
                    unit.read_bytes(stored_bytes(input, part));
                    tables.finish(unit)?;
                    return Ok(Walk::broken(part, None));
                }
            };
            // Of a file that is compressed as a whole, offsets and lengths are those inside.
            let packed = input.format == Format::RawDb && input.container != Container::Plain;
            let (mut inside, mut failed) = (0, None);
            while let Some(record) = reader.next() {
                self.stage.cancel.check()?;
                if let Err(error @ Error::Io { .. }) = record {
                    failed = Some(error);
                    break;
                }
                unit.read(1);
                match record {
                    Err(error) => {
                        let reject = damage(error, &input.name)?;
                        inside += reject.bytes_lost;
                        unit.damaged(reject);
                    }
                    Ok(record) => {
                        inside += record.place.length;
                        unit.kept(record.kind.name(), 1);
                        let Some(capture) = record.to_mention().filter(|c| self.settings.wants(c)) else {
                            unit.dropped(&format!("{}-record", record.kind.name()), 1);
                            continue;
                        };
                        match mill.mill(&capture) {
                            Some(mut milled) => {
                                for row in milled.rows.of_mut::<PageRow>() {
                                    row.crawl.clone_from(&self.settings.crawl);
                                    row.warc_segment.clone_from(&segment);
                                }
                                rejected(&milled.order, milled.rejects, unit);
                                tables.push(milled.order, milled.rows, unit)?;
                            }
                            None => unit.rejected(Reject {
                                reason: "no-url".into(),
                                shard: input.name.to_string(),
                                offset: record.place.offset,
                                bytes_lost: 0,
                                detail: format!("not a URL: {}", crate::inputs::clip(&record.url, 200)),
                            }),
                        }
                    }
                }
            }
            tables.finish(unit)?;
            unit.read_bytes(if packed { inside } else { stored_bytes(input, part) });
            let end = reader.resume();
            if let Some(error) = failed {
                unread(unit, input, part, end.offset, error)?;
                return Ok(Walk::broken(part, reader.first_offset()));
            }
            Ok(Walk {
                first: reader.first_offset(),
                end: end.offset,
                searching: end.searching,
                proven: end.proven,
            })
        })
    }
}

/// Counts pages that a decoder or an analyzer could not do with.
fn rejected(at: &Order, rejects: Vec<PageReject>, unit: &mut Unit<'_>) {
    for reject in rejects {
        unit.rejected(Reject {
            reason: reject.reason,
            shard: at.shard.clone(),
            offset: u64::try_from(at.offset).unwrap_or(0),
            bytes_lost: 0,
            detail: reject.detail,
        });
    }
}

/// An error about the data is a reject; any other stops the job.
fn damage(error: Error, shard: &str) -> Result<Reject> {
    let (reason, offset, bytes_lost, detail) = match error {
        Error::Corrupt { offset, reason, lost, .. } => ("damaged-record", offset, lost, reason),
        Error::Limit(reason) => ("over-limit", 0, 0, reason),
        other => return Err(other),
    };
    Ok(Reject { reason: reason.into(), shard: shard.to_owned(), offset, bytes_lost, detail })
}

/// Stored bytes of a part.
fn stored_bytes(input: &Input, part: &Part) -> u64 {
    part.range.end.min(input.bytes).saturating_sub(part.range.start)
}

/// Counts the rest of a part, from byte `from` on, of a file that cannot be read: one bad file never ends a run.
fn unread(unit: &mut Unit<'_>, input: &Input, part: &Part, from: u64, error: Error) -> Result<()> {
    let (Error::Io { .. } | Error::Corrupt { .. } | Error::Incompatible { .. }) = error else {
        return Err(error);
    };
    let from = from.clamp(part.range.start, part.range.end.min(input.bytes).max(part.range.start));
    unit.read(1);
    unit.unreadable(&input.name);
    unit.damaged(Reject {
        reason: UNREADABLE.into(),
        shard: input.name.to_string(),
        offset: from,
        bytes_lost: part.range.end.min(input.bytes).saturating_sub(from),
        detail: error.to_string(),
    });
    Ok(())
}

fn unit_name(index: usize) -> String {
    format!("part-{index:06}")
}
