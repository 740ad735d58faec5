//! `webmill extract`: shards in, tables of pages, links, texts, their details and templates of hosts out, in one pass.
//!
//! `webmill run` calls this job first; all other jobs read its tables and no shards.
//!
//! - **Parts.** A shard is divided into parts by size alone. A part looks for its first record by the recovery rule of the format. When
//!   all parts are done, each must begin exactly where the one before ended, or it is read again from there. So the division never
//!   changes a record.
//! - **Whole files.** A file that is compressed as a whole (`gzip crawl.warc`) is one part. Its offsets and lengths are those in the unpacked
//!   file, which column `warc_is_inflated` says.
//! - **Additions.** What earlier results have of a part is taken over where no template of its hosts changed (`jobs/extract/kept.rs`); the
//!   bytes are those of a run from scratch.
//! - **Templates.** Before the pass the captures of each host are counted. Of hosts with enough captures, 64 pages (those with the smallest
//!   URL hashes) are parsed and compared (`text::Template`), and the extractors of all parts get the templates. Small hosts have none,
//!   since all of their pages would be parsed twice.
//! - **Documents.** A body that is not HTML and whose bytes are a document is read by `mill::Documents`, and takes the place of an HTML page.
//!   Plain texts are read from the page's characters. Formats with a signature are sent over a pipe to a child process
//!   (`documents::isolate::Pool`; the hidden subcommand `read-documents`, `jobs/document_reader.rs`), of which each thread has one. If
//!   a child dies, only its document is lost; if the child had read other documents before, the document is tried once more in a new child,
//!   so that no row depends on the documents that a thread read before. All other bodies may be media (`mill::Media`).
//! - **Media.** A picture that pages show has a row for each of these pages at first. When all parts are done, rows of pictures that were
//!   fetched are removed, and one row of each other picture stays (`jobs/extract/media.rs`).
//! - **Current captures.** The current capture of a URL (`jobs/current_captures.rs`) is the latest one with status 2xx that is HTML or a document
//!   that could be read; ties are decided by digest, then place. It is known when all parts are done: the keys of all captures are sorted
//!   (`jobs/extract/current.rs`), and `is_current` is written into `pages`, `texts`, `records`, `posts`, `structured` and `media`. A URL that
//!   redirects is a node of the graph, too, with one arc.
//! - **Files.** Rows of a part are collected up to a budget, sorted by SURT and written to temporary files. Then consecutive parts are merged
//!   into the files of the tables (`jobs/extract/tables.rs`, `table::merge`: column by column, without making rows) of at least 32,768
//!   rows each (recipe `file_rows`); only the single file of an empty table is empty. A file of another table begins with the captures of the
//!   file of `pages` with its name and goes on up to the next file of its table; code that reads two tables side by side asks
//!   `output::covering` or `output::covered`.
//! - **Timings.** `capture::timing::span` assigns the time of a thread to one of the steps of the pass; `run.json` has the seconds of each. A
//!   further step of the pass needs a span of its own.

mod corpus;
mod current;
mod kept;
pub mod log;
mod media;
mod parts;
pub mod pieces;
mod tables;
pub mod template_row;
mod templates;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use webmill_capture::settings;
use webmill_capture::{Capture, Error, RecordType, Result};
use webmill_mill::{DOCUMENTS, Mill, Order, PageLimits, PageRow, Reject as PageReject};
use webmill_run::{Committed, Ingredient, Inputs, Job, Reject, Stage, Unit, job_key};
use webmill_shard::{Input, Part};
use webmill_table::schema;

use crate::document_reader;
use crate::inputs::{Shards, is_event_log};
use crate::job::Context;
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use crate::walk::{DATE_UNREAD, OfPart, SHARED_MEMBER, Taken, WAT, Walk, is_packed};
use kept::{EarlierRows, TemplateDigests};
use parts::{Origin, PartTables};
use template_row::TemplateRow;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Extract::NAME,
    about: "Turn shards into tables: pages, links, main texts",
    reads_shards: true,
    optional: false,
    tables: || {
        let mut tables = Mill::default().tables();
        tables.push(schema::<TemplateRow>());
        tables
    },
    check: check_settings::<Extract>,
    run: extract,
};

settings! {
    /// Configuration of the job.
    pub struct Extract {
        /// Largest record held in memory; a larger one is cut and marked.
        pub max_record_bytes: u64 = 64 << 20, within 1 << 10..=1 << 40;
        /// Bytes of a shard that one unit of work reads; 0 chooses by the size of the shard, so that all threads
        /// have work, there are not too many units, and no other shard changes them.
        pub part_bytes: u64 = 0;
        /// Bytes of rows that are gathered before they are sorted and written aside as a part.
        pub buffer_bytes: usize = 8 << 20, within 1..=1 << 40;
        /// Least rows of each file of a table, if the table has as many: parts are merged until then.
        pub file_rows: u64 = 32_768, within 1..=1 << 20;
        /// Captures from which on the pages of a host are compared before texts are extracted: text that nearly all
        /// of them show is left out of their main texts. 0: never; else the heads of records are read twice, and
        /// half of the pages of each such host, 10 to 32.
        pub template_pages: u64 = 10;
        /// Name of the crawl, for the column of that name.
        pub crawl: String = "crawl".into();
        /// Whether records about captures, requests and metadata, and what crawlers tell of themselves (`metadata://`)
        /// have rows in `pages` too.
        pub companions: bool = false;
        /// Whether pictures (`<img>`: src, and the largest of srcset) have rows in `links`, of kind `img`.
        pub images: bool = false;
        /// Whether table `media` has rows: metadata of pictures, sound and video, and pictures that pages show.
        pub media: bool = true;
        /// Whether table `media` says where pictures and videos were made, which may reveal where people live.
        pub gps: bool = false;
        /// Whether documents other than HTML (PDF, Office files, RTF, OpenDocument, EPUB, feeds, tables of values,
        /// Markdown, plain text) are read.
        pub documents: bool = true;
        /// Share of the documents, 0 to 1, above which the exit code is 1 if webmill's readers failed on them (they
        /// crashed, were too slow, ran out of memory, or could not be started). Documents that are encrypted,
        /// damaged or too large do not count.
        pub max_unread: f64 = 0.1;
    }
}

impl Settings for Extract {
    const TABLE: &'static str = "extract";

    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.max_unread) {
            return Err(Error::Config(format!("max_unread {}: 0 to 1 are possible", self.max_unread)));
        }
        Ok(())
    }
}

impl Extract {
    /// What captures pass through.
    fn mill(&self) -> Mill {
        let (images, media, gps) = (self.images, self.media, self.gps);
        Mill::new(PageLimits { images, media, gps, ..PageLimits::default() })
            .reading_by(self.documents.then(document_reader::reader))
    }

    fn walk<'a>(&self, shards: &'a Shards, stage: &'a Stage<'a>) -> Walk<'a> {
        Walk { shards, stage, max_record_bytes: self.max_record_bytes, unit: "part" }
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

/// Extracts the shards of the context.
///
/// # Errors
/// Where there is no shard, or the job fails.
pub fn extract(context: &Context<'_>) -> Result<Option<Committed>> {
    let job: Extract = context.settings()?;
    if context.would_fetch() {
        return Ok(None);
    }
    let shards = Shards::discover(&context.inputs, &context.runtime)?;
    if !context.is_replacing() {
        corpus::check(&context.runtime.out, &shards)?;
    }
    context.run(&job, &shards)
}

/// Says in one line what the results of a run were made of: files, records by type, rows, and the records of which nothing came.
pub fn say_what_was_read(context: &Context<'_>) {
    let results = context.results();
    let Some(manifest) =
        results.get(Extract::NAME).map(|made| &made.manifest).filter(|_| !context.is_dry_run())
    else {
        return;
    };
    let counts = &manifest.counts;
    let listed = |count: &dyn Fn(&str) -> u64, further: &[&str]| {
        let types = RecordType::ALL.iter().map(|kind| kind.name()).chain(further.iter().copied());
        let found = types.map(|name| (name, count(name))).filter(|(_, n)| *n > 0);
        found.map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
    };
    let number = |of: &BTreeMap<String, u64>, name: &str| of.get(name).copied().unwrap_or_default();
    let read = listed(&|name| number(&counts.kept, name), &[]);
    let unused = |name: &str| number(&counts.dropped, &format!("{name}-record"));
    // The reason is called so as a whole.
    let unknown = number(&counts.dropped, "unknown-record-type");
    let nothing = listed(&|name| if name == "unknown" { unknown } else { unused(name) }, &[WAT]);
    let rows = |table: &str| manifest.tables.get(table).map_or(0, |table| table.rows);
    let files = manifest.inputs.files.iter().filter(|file| !is_event_log(&file.name)).count();
    let (files, s) = (files, if files == 1 { "" } else { "s" });
    let nothing = if nothing.is_empty() { String::new() } else { format!("; nothing came of {nothing}") };
    let is_wat =
        if unused(WAT) > 0 { " (WAT files hold metadata alone: name their WARC or WET files)" } else { "" };
    context.runtime.progress.note(&format!(
        "read {files} file{s}, {} records ({}): {} rows of pages, {} of texts{nothing}{is_wat}",
        counts.read,
        if read.is_empty() { "none" } else { &read },
        rows("pages"),
        rows("texts"),
    ));
}

/// Why a document is unread that another run, another machine or another reader could read.
const UNREAD: [&str; 4] =
    ["document-crashed", "document-too-slow", "document-out-of-memory", "document-no-child"];

/// The message if more of the documents could not be read than the settings bear.
///
/// # Errors
/// For settings that cannot work.
pub fn too_many_unread(context: &Context<'_>) -> Result<Option<String>> {
    let settings: Extract = context.settings()?;
    let results = context.results();
    let Some(committed) = results.get(Extract::NAME) else { return Ok(None) };
    let counts = &committed.manifest.counts;
    let read = counts.kept.get(DOCUMENTS).copied().unwrap_or(0);
    let unread: u64 = UNREAD.iter().filter_map(|reason| counts.dropped.get(*reason)).sum();
    let is_much = unread as f64 > settings.max_unread * (read + unread) as f64;
    Ok(is_much.then(|| {
        format!(
            "{unread} of {} documents could not be read (table pages, document_failure; [extract] max_unread = {})",
            read + unread,
            settings.max_unread
        )
    }))
}

/// With at least this many threads, some load what pages may need while hosts are counted; with fewer, none is free for a dictionary that perhaps no page asks for.
const MANY_THREADS: usize = 4;

impl Job for Extract {
    type Input = Shards;
    const NAME: &'static str = "extract";
    const VERSION: u32 = 20;
    const READS_RECORDS: bool = true;

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
        if rayon::current_num_threads() >= MANY_THREADS {
            webmill_text::LOADED_ONCE.into_iter().for_each(rayon::spawn);
        }
        let walk = self.walk(shards, stage);
        let parts = walk.parts(self.part_bytes);
        let mut pass = Pass::new(self, &walk)?;
        let templates = pass.learn_templates(&parts)?;
        pass.digests = TemplateDigests::of(&templates);
        let mill = self.mill().with_templates(Arc::new(templates));
        let taken = pass.take_over(&parts)?;
        walk.run("read shards", &parts, |index, input| {
            pass.extraction(&mill, index, input, Some(&parts[index]))
        })?;
        pass.keep(&parts, &taken)?;
        log::read(&mill, stage, &shards.logs, self)?;
        say_what_is_missing(stage)?;
        tables::write(&mill, stage, self.file_rows)?;
        media::write(stage)
    }
}

/// Whether records were read and none of them gave a row of pages; those that only describe their file do not count.
pub fn has_no_page(context: &Context<'_>) -> bool {
    let results = context.results();
    let Some(counts) = results.get(Extract::NAME).map(|made| &made.manifest.counts) else { return false };
    let of_files = counts.kept.get(RecordType::Warcinfo.name()).copied().unwrap_or_default();
    counts.read > of_files && !counts.kept.contains_key("captures")
}

/// Says what rows lack, and why there is no capture, where there is none.
fn say_what_is_missing(stage: &Stage<'_>) -> Result<()> {
    let counts = stage.told()?.counts;
    for (reason, what) in [
        (DATE_UNREAD, "have no date that can be read, and no time in tables"),
        (SHARED_MEMBER, "share a compressed member with another, which their offset leads to"),
    ] {
        if let Some(n) = counts.dropped.get(reason) {
            stage
                .progress
                .note(&format!("extract: {n} records {what}: see extract/latest/rejects.parquet ({reason})"));
        }
    }
    if counts.kept.contains_key("captures") {
        return Ok(());
    }
    let reasons: Vec<String> = counts.dropped.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
    let reasons = if reasons.is_empty() { "there is nothing in them".to_owned() } else { reasons.join(", ") };
    let is_wat = counts.dropped.contains_key(&format!("{WAT}-record"));
    let wat = if is_wat { "; WAT files hold metadata alone, so name their WARC or WET files" } else { "" };
    stage.progress.note(&format!("extract: no page in {} records: {reasons}{wat}", counts.read));
    Ok(())
}

/// One pass over shards.
struct Pass<'a> {
    settings: &'a Extract,
    walk: &'a Walk<'a>,
    /// Files that could not be read to their end while templates were learnt.
    unread: Mutex<BTreeSet<String>>,
    /// Stands for settings and program in the names of kept values.
    base: String,
    /// Those of the templates that `mill` has.
    digests: TemplateDigests,
    /// Captures whose rows were taken over from earlier results, in parts that were not.
    taken_rows: AtomicU64,
}

impl<'a> Pass<'a> {
    fn new(settings: &'a Extract, walk: &'a Walk<'a>) -> Result<Self> {
        let base = job_key(settings, &Inputs::default())?.to_string();
        let (unread, digests, taken_rows) = Default::default();
        Ok(Pass { settings, walk, unread, base, digests, taken_rows })
    }
}

impl Pass<'_> {
    /// The tables of a part, to be filled by `mill` and by what earlier results have of it.
    fn extraction<'m>(
        &'m self,
        mill: &'m Mill,
        index: usize,
        input: &Input,
        part: Option<&Part>,
    ) -> Extraction<'m> {
        Extraction {
            pass: self,
            mill,
            earlier: part.and_then(|part| self.earlier(part, mill)),
            segment: segment(&input.path),
            inflated: is_packed(input),
            tables: PartTables::new(mill, self.walk.unit_name(index), self.settings.buffer_bytes),
        }
    }
}

/// The tables of a part in the making.
struct Extraction<'a> {
    pass: &'a Pass<'a>,
    mill: &'a Mill,
    earlier: Option<EarlierRows<'a>>,
    segment: Option<String>,
    /// Places are those in the unpacked file.
    inflated: bool,
    tables: PartTables<'a>,
}

impl OfPart for Extraction<'_> {
    fn wants(&self, capture: &Capture<'_>) -> bool {
        // What crawlers tell of themselves, such as wget: its log, its arguments.
        let is_of_crawler =
            || capture.url.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("metadata:"));
        self.pass.settings.companions
            || !matches!(capture.record_type, RecordType::Request | RecordType::Metadata) && !is_of_crawler()
    }

    fn capture(&mut self, capture: &Capture<'_>, unit: &mut Unit<'_>) -> Result<Taken> {
        let digests = &self.pass.digests;
        if let Some((order, rows, origin)) =
            self.earlier.as_mut().and_then(|earlier| earlier.take(capture, digests))
        {
            self.pass.taken_rows.fetch_add(1, Ordering::Relaxed);
            self.tables.push(order, rows, origin, unit)?;
            return Ok(Taken::Used);
        }
        let mut milled = match self.mill.mill(capture) {
            Ok(Some(milled)) => milled,
            Ok(None) => return Ok(Taken::NoUrl),
            Err(too_large) => return Ok(Taken::TooLarge(too_large)),
        };
        for row in milled.rows.of_mut::<PageRow>() {
            row.crawl.clone_from(&self.pass.settings.crawl);
            row.warc_segment.clone_from(&self.segment);
            row.warc_is_inflated = self.inflated;
        }
        let origin = Origin { template: digests.of_rows(&milled.rows), rejected: !milled.rejects.is_empty() };
        rejected(&milled.order, milled.rejects, unit);
        self.tables.push(milled.order, milled.rows, origin, unit)?;
        Ok(Taken::Used)
    }

    fn finish(self, unit: &mut Unit<'_>) -> Result<()> {
        self.tables.finish(unit)
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
