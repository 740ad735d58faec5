//! The shards that a crawl writes, and reads again if it was interrupted.
//!
//! The writer thread appends to them before it writes to the event log and the frontier.
//!
//! | file | what |
//! |---|---|
//! | `crawl-00006.rawdb`, `crawl-00006.warc.gz` | finished shards |
//! | `.crawl-00007.rawdb.partial` | the one being written |
//!
//! Answers are made into records on whatever thread ([`pack`]) and appended by one. What was flushed survives the death
//! of the process; opening cuts off the record that was not finished and goes on after the one before it. A
//! [`Position`] says how far the shards went at some moment; [`tail`] visits what comes after it.
//!
//! RAW DB keeps the answers that are pages. WARC keeps every answer, each after its request; every file begins with a
//! `warcinfo` that says by whom, by what program and under which configuration it was made. Its date is that of the
//! file's first answer, so that equal answers give equal files. What a crawl saw again without a change is a revisit in
//! both formats.
//!
//! Memory: 1 MiB and one record to write, one record to read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use webmill_capture::Place;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_capture::settings;
use webmill_shard::{
    AppendFile, Compression, Container, Format, Position, RAW_DB_PAGE, RAW_DB_PAGE_NAME, ReadOptions, Record,
    RecordType, Resume, ShardReader, Staged, cut_tail, read_record_at, whole_end,
};

use super::journal::Visited;

#[path = "archive_pack.rs"]
mod packing;
#[path = "archive_stored.rs"]
mod stored;

pub use packing::pack;
pub use stored::{Packed, Rendered, Revisit, Stored, Via, hops};
pub use webmill_shard::RevisitProfile;

/// Longest text about a crawl in its shards.
const MAX_TEXT_BYTES: usize = 4096;

/// The formats that a crawl writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ArchiveFormat {
    /// RAW DB: pages only.
    #[default]
    RawDb,
    /// WARC: every answer with its request; what was seen again without a change without it.
    Warc,
}

settings! {
    /// How shards are written.
    #[derive(PartialEq)]
    pub struct ArchiveOptions {
        /// `rawdb` (default) or `warc`.
        pub format: ArchiveFormat = ArchiveFormat::RawDb;
        /// `none`, `gzip` or `zstd`, each record by itself; `None`: zstd for RAW DB, gzip for WARC.
        #[serde(skip)]
        pub compression: Option<Compression> = None;
        /// Size beyond which the next record begins another shard, in bytes; default 1 GiB.
        pub max_shard_bytes: u64 = 1 << 30;
        /// Further fields of `warcinfo` in WARC files: `operator` (who is responsible for the crawl), `description`
        /// (its purpose), `isPartOf` (the collection that it belongs to) and others. (In RAW DB they are only in
        /// the file of settings.) Default none.
        pub info: BTreeMap<String, String> = BTreeMap::new();
        /// Whether each answer is stored with the page and the hops by which its URL was found. Default false.
        pub via: bool = false;
    }
}

impl ArchiveOptions {
    /// Holds the values against their ranges.
    ///
    /// # Errors
    /// [`Error::Config`] names the field and its range.
    pub fn check(&self) -> Result<()> {
        if self.max_shard_bytes == 0 {
            return Err(Error::Config("max_shard_bytes: at least 1".into()));
        }
        for (name, text) in &self.info {
            let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            if !is_name || text.trim().is_empty() || text.len() > MAX_TEXT_BYTES || text.contains('\0') {
                return Err(Error::Config(format!("info: {name}: 1 to {MAX_TEXT_BYTES} bytes of text")));
            }
        }
        Ok(())
    }

    /// The compression that is used.
    pub fn effective(&self) -> Compression {
        self.compression.unwrap_or(match self.format {
            ArchiveFormat::RawDb => Compression::Zstd,
            ArchiveFormat::Warc => Compression::Gzip,
        })
    }

    fn ending(&self) -> &'static str {
        match (self.format, self.effective()) {
            (ArchiveFormat::RawDb, _) => "rawdb",
            (ArchiveFormat::Warc, Compression::None) => "warc",
            (ArchiveFormat::Warc, Compression::Gzip) => "warc.gz",
            (ArchiveFormat::Warc, Compression::Zstd) => "warc.zst",
        }
    }
}

/// Endings of the names of shards.
const ENDINGS: [&str; 4] = ["rawdb", "warc", "warc.gz", "warc.zst"];

/// What the ending of a shard's name says.
fn kind(ending: &str) -> Option<(Format, Container)> {
    Some(match ending {
        "rawdb" => (Format::RawDb, Container::Plain),
        "warc" => (Format::Warc, Container::Plain),
        "warc.gz" => (Format::Warc, Container::Gzip),
        "warc.zst" => (Format::Warc, Container::Zstd),
        _ => return None,
    })
}

/// A shard in the folder.
struct Shard {
    number: u32,
    path: PathBuf,
    /// `crawl-00007.rawdb`.
    name: String,
    ending: &'static str,
    kind: (Format, Container),
    partial: bool,
}

/// Writes the shards of a crawl.
pub struct Archive {
    folder: PathBuf,
    options: ArchiveOptions,
    info: Vec<(String, String)>,
    /// Of the current file, or of the next where there is none.
    number: u32,
    current: Option<AppendFile>,
    name: Arc<str>,
    cut: u64,
}

impl Archive {
    /// Opens the shards in `folder`, which is made if need be. `info` goes into the `warcinfo` of WARC files. `resume`:
    /// how far the shards are known to have gone; the shard being written is then checked from there on only.
    ///
    /// # Errors
    /// [`Error::Config`] for options out of range; [`Error::Io`].
    pub fn open(
        folder: &Path,
        options: &ArchiveOptions,
        info: &[(String, String)],
        resume: Option<Position>,
    ) -> Result<Archive> {
        options.check()?;
        std::fs::create_dir_all(folder).at(folder)?;
        let resume = resume.unwrap_or_default();
        let mut archive = Archive {
            folder: folder.to_path_buf(),
            options: options.clone(),
            info: info.to_vec(),
            number: resume.file,
            current: None,
            name: Arc::from(""),
            cut: 0,
        };
        let shards = shards(folder)?;
        let last = shards.last().map(|shard| shard.number);
        for shard in shards {
            archive.number = archive.number.max(shard.number + u32::from(!shard.partial));
            if shard.partial {
                archive.take_up(&shard, resume, Some(shard.number) == last)?;
            }
        }
        Ok(archive)
    }

    /// Goes on with a partial shard if it is of the format that is written now, else finishes it.
    fn take_up(&mut self, shard: &Shard, resume: Position, last: bool) -> Result<()> {
        let there = std::fs::metadata(&shard.path).at(&shard.path)?.len();
        let known = resume.file == shard.number && resume.offset <= there;
        let from = if known { resume.offset } else { 0 };
        let end = whole_end(&shard.path, shard.kind, from)?;
        self.cut += cut_tail(&shard.path, shard.kind, end)?;
        let mut file = AppendFile::open(&shard.path, end)?;
        if end == 0 {
            drop(file);
            std::fs::remove_file(&shard.path).at(&shard.path)?;
        } else if last && shard.ending == self.options.ending() && resume.file <= shard.number {
            self.name = Arc::from(shard.name.as_str());
            self.current = Some(file);
        } else {
            file.rename(&self.folder.join(&shard.name))?;
            self.number = self.number.max(shard.number + 1);
        }
        Ok(())
    }

    /// Appends what [`pack`] made, and says where the answer will be.
    ///
    /// # Errors
    /// [`Error::Io`]: then it is not appended.
    pub fn append(&mut self, packed: &Packed) -> Result<Place> {
        let bytes = packed.bytes.len() as u64;
        let full = |file: &AppendFile| file.len().saturating_add(bytes) > self.options.max_shard_bytes;
        if self.current.as_ref().is_some_and(full) {
            self.rotate()?;
        }
        if self.current.is_none() {
            self.begin(packed.date_ms)?;
        }
        let Some(file) = &mut self.current else {
            return Err(Error::Internal("no shard to write to".into()));
        };
        let at = file.len();
        file.put(&packed.bytes)?;
        let length = bytes - packed.answer as u64;
        Ok(Place { shard: Arc::clone(&self.name), offset: at + packed.answer as u64, length })
    }

    /// Hands everything to the system: it survives the death of the process.
    ///
    /// # Errors
    /// [`Error::Io`]; what could not be written is tried again by the next flush.
    pub fn flush(&mut self) -> Result<()> {
        self.current.as_mut().map_or(Ok(()), AppendFile::flush)
    }

    /// Makes everything durable: it survives the death of the machine.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        self.current.as_mut().map_or(Ok(()), AppendFile::sync)
    }

    /// Behind the last record that was flushed.
    pub fn position(&self) -> Position {
        Position { file: self.number, offset: self.current.as_ref().map_or(0, AppendFile::flushed) }
    }

    /// Bytes of unfinished records that were cut off when this was opened.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// Whether the shards reach as far as `position`: they do not when the machine died before they were synced, or
    /// when somebody took shards away.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn holds(&self, position: Position) -> Result<bool> {
        if position.offset == 0 {
            return Ok(position.file <= self.number);
        }
        let shards = shards(&self.folder)?;
        let Some(shard) = shards.iter().find(|shard| shard.number == position.file) else { return Ok(false) };
        Ok(std::fs::metadata(&shard.path).at(&shard.path)?.len() >= position.offset)
    }

    /// Paths of the finished shards, in order.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finished(&self) -> Result<Vec<PathBuf>> {
        Ok(shards(&self.folder)?.into_iter().filter(|shard| !shard.partial).map(|shard| shard.path).collect())
    }

    /// Gives the shard being written its name. A later append begins another one.
    ///
    /// # Errors
    /// [`Error::Io`]; nothing is lost then.
    pub fn finish(&mut self) -> Result<()> {
        if self.current.is_some() { self.rotate() } else { Ok(()) }
    }

    fn rotate(&mut self) -> Result<()> {
        if let Some(file) = &mut self.current {
            file.rename(&self.folder.join(&*self.name))?;
            self.current = None;
            self.number += 1;
        }
        Ok(())
    }

    fn begin(&mut self, date_ms: i64) -> Result<()> {
        let name = format!("crawl-{:05}.{}", self.number, self.options.ending());
        let path = Staged::partial_path(&self.folder.join(&name))?;
        let mut file = AppendFile::open(&path, 0)?;
        if self.options.format == ArchiveFormat::RawDb {
            let page = self.folder.join(RAW_DB_PAGE_NAME);
            if !std::fs::read(&page).is_ok_and(|there| there == RAW_DB_PAGE.as_bytes()) {
                std::fs::write(&page, RAW_DB_PAGE).at(&page)?;
            }
        } else {
            file.put(&packing::warcinfo(&name, &self.info, date_ms, &self.options)?)?;
        }
        self.name = Arc::from(name);
        self.current = Some(file);
        Ok(())
    }
}

/// Visits every answer in the shards of `folder` after `from`, in order.
///
/// # Errors
/// [`Error::Io`], and what `visit` returns.
pub fn tail(
    folder: &Path,
    from: Position,
    visit: &mut dyn FnMut(&Record<'_>) -> Result<()>,
) -> Result<Visited> {
    tail_rendered(folder, from, &mut |record, _| visit(record))
}

/// Takes an answer, and the tree that a browser made of it.
pub type VisitRendered<'a> = dyn FnMut(&Record<'_>, Option<&[u8]>) -> Result<()> + 'a;

/// As [`tail`], each answer with the tree that a browser made of it, if it was rendered.
///
/// # Errors
/// As [`tail`].
pub fn tail_rendered(folder: &Path, from: Position, visit: &mut VisitRendered<'_>) -> Result<Visited> {
    let mut visited = Visited::default();
    // A tree stands right before its answer.
    let mut tree: Option<(String, Vec<u8>)> = None;
    for shard in shards(folder)?.iter().filter(|shard| shard.number >= from.file) {
        let at = if shard.number == from.file { from.offset } else { 0 };
        let options = ReadOptions { exact_start: Some(Resume::from(at)), ..ReadOptions::default() };
        let name = Arc::from(shard.name.as_str());
        let mut reader = ShardReader::open_as(&shard.path, name, shard.kind, 0..u64::MAX, &options)?;
        while let Some(next) = reader.next() {
            match next {
                Ok(record) if record.kind == RecordType::Response => {
                    let tree = tree.take().filter(|(url, _)| *url == *record.url);
                    visit(&record, tree.as_ref().map(|(_, tree)| tree.as_slice()))?;
                    visited.records += 1;
                }
                Ok(record) if record.kind == RecordType::Conversion => {
                    tree = Some((record.url.to_string(), record.data.to_vec()));
                }
                Ok(_) => {}
                Err(error @ Error::Io { .. }) => return Err(error),
                Err(error) => visited.note(|| error),
            }
        }
    }
    Ok(visited)
}

/// The answer that a shard of `folder` holds at `offset`, as it was received; `None` where it is not there, or is of another URL.
pub(crate) fn answer_at(folder: &Path, number: u32, offset: u64, url: &str) -> Option<Vec<u8>> {
    // Which ending it has depends on the settings of its time.
    for ending in ENDINGS {
        let path = folder.join(format!("crawl-{number:05}.{ending}"));
        let paths = [Some(path.clone()), Staged::partial_path(&path).ok()];
        for path in paths.into_iter().flatten().filter(|path| path.is_file()) {
            let Ok(found) = read_record_at(&path, offset, None, &ReadOptions::default()) else { continue };
            let record = found.record();
            if record.kind == RecordType::Response && record.revisit.is_none() && record.url == url {
                return Some(record.data.into_owned());
            }
        }
    }
    None
}

/// Takes away what the shards in `folder` hold after `position`, a boundary of records; gives the number of bytes. For
/// a log that did not come as far as the shards; not while an [`Archive`] is open.
///
/// # Errors
/// [`Error::Io`].
pub fn cut_behind(folder: &Path, position: Position) -> Result<u64> {
    let mut cut = 0;
    if !folder.try_exists().at(folder)? {
        return Ok(cut);
    }
    // From the end on: an interruption leaves no gap.
    for shard in shards(folder)?.iter().rev().take_while(|shard| shard.number >= position.file) {
        let there = std::fs::metadata(&shard.path).at(&shard.path)?.len();
        let keep = if shard.number == position.file { position.offset } else { 0 };
        if keep == 0 {
            std::fs::remove_file(&shard.path).at(&shard.path)?;
        } else if keep < there {
            AppendFile::open(&shard.path, keep)?.sync()?;
        }
        cut += there.saturating_sub(keep);
    }
    Ok(cut)
}

/// The number of the shard of that name.
pub fn shard_number(name: &str) -> Option<u32> {
    let (number, ending) = name.strip_prefix("crawl-")?.split_once('.')?;
    kind(ending)?;
    number.parse().ok()
}

/// The shards in `folder` by number. Where a number has several, a finished one counts.
fn shards(folder: &Path) -> Result<Vec<Shard>> {
    let mut found: BTreeMap<u32, Shard> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).at(folder)? {
        let path = entry.at(folder)?.path();
        let Some(file_name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let hidden = file_name.strip_prefix('.').and_then(|rest| rest.strip_suffix(".partial"));
        let name = hidden.unwrap_or(file_name).to_string();
        let Some((number, ending)) = name.strip_prefix("crawl-").and_then(|rest| rest.split_once('.')) else {
            continue;
        };
        let (Ok(number), Some(kind)) = (number.parse::<u32>(), kind(ending)) else { continue };
        let Some(ending) = ENDINGS.into_iter().find(|known| *known == ending) else { continue };
        let partial = hidden.is_some();
        if found.get(&number).is_none_or(|other| other.partial) {
            found.insert(number, Shard { number, path, name, ending, kind, partial });
        }
    }
    Ok(found.into_values().collect())
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "archive_revisit_tests.rs"]
mod revisit_tests;

#[cfg(all(test, unix))]
#[path = "archive_crash_tests.rs"]
mod crash_tests;
