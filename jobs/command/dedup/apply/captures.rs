//! The captures of pages that go, out of table `pages`.
//!
//! **Definition.** Of a page that goes these captures go: the current one, which was compared; and, as [`Superseded`] says,
//! the others that would take its place (HTML, status 2xx) and revisits of the URL, whose content was another
//! capture's. Redirects and errors of the URL stay: they copy nothing.
//!
//! **Algorithm.** One pass over `pages` takes out the captures of pages that stay instead, and those of pages that go; two
//! filters of a bit for each hashed key keep all others out of the sorts. Two joins by key give each capture what stays in
//! its place; a last sort orders them by shard and mark.
//!
//! **Cost.** Memory: four sorts and the filters. Disk: some 500 bytes a capture that goes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use webmill_capture::UrlKey;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_mill::{PageRow, WarcType};
use webmill_sort::{Budget, BytesSorter, Sorted, SortedBytes, Sorter};
use webmill_table::{Reader, columns};

use super::dropped::{Going, Kept};
use super::filter::Filter;
use super::spool::{Spool, halves};
use super::verdicts::{Verdict, Verdicts, each_earlier};
use crate::current_captures::place;

/// What becomes of the other captures of a page that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Superseded {
    /// They go, too: else an older capture of each copy would be the page's current one.
    Drop,
    /// They stay, but for captures of the same time with the same payload.
    Keep,
}

columns! {
    /// What the joins want of a capture.
    struct Row from PageRow {
        url,
        url_key,
        is_current,
        is_html,
        page_type,
        warc_type,
        refers_to_url,
        refers_to_time,
        fetch_time,
        fetch_status,
        content_digest,
        warc_filename,
        warc_record_offset,
        warc_record_length,
    }
}

/// A shard that the results name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedShard {
    /// Its name there.
    pub name: String,
    /// Captures that table `pages` has of it.
    pub captures: u64,
    /// Those that are to go.
    pub going: u64,
    /// Where they begin in the file of [`Captures`].
    pub(super) start: u64,
}

/// Captures that are to go, by shard.
pub struct Captures {
    path: PathBuf,
    /// Shards of the results, by name.
    pub shards: Vec<NamedShard>,
    /// Part of table `pages` and place of each capture that goes, where they were asked for.
    pub by_part: Option<Spool<2>>,
    /// Pages that go, by reason's number.
    pub pages: BTreeMap<u64, u64>,
    /// Pages that do not go, because the page that would stay is not in table `pages`.
    pub unresolved: u64,
    /// Revisits that stay though the capture that they refer to goes.
    pub dangling: u64,
}

/// Finds the captures that go. `parts` are those of table `pages`; `memory` bounds the filters, `budget` each of four
/// sorts. `with_parts`: [`Captures::by_part`] is wanted.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn find(
    parts: &[PathBuf],
    (clusters, duplicates): (&Path, &Path),
    verdicts: &mut Verdicts,
    (superseded, with_parts): (Superseded, bool),
    (budget, memory): (&Budget, usize),
    folder: &Path,
) -> Result<Captures> {
    let mut filters = [(); 2].map(|()| Filter::new(verdicts.rows.count(), memory / 2));
    for verdict in verdicts.each()? {
        let verdict = verdict?;
        filters[0].put(verdict.kept);
        filters[1].put(verdict.page);
    }
    let mut shards = Shards::default();
    let mut taken = Taken::new(superseded, budget);
    parts.iter().zip(0u32..).try_for_each(|(path, part)| taken.part(path, part, &filters, &mut shards))?;
    each_earlier(clusters, duplicates, |url| taken.earlier(url, &filters[0]))?;
    drop(filters);
    let Taken { kept, going, revisits, .. } = taken;
    let (verdicts, unresolved) = tell_kept(verdicts, kept.finish()?, budget)?;
    let mut joined = Joined {
        revisits: revisits.finish()?.peekable(),
        dangling: 0,
        by_shard: BytesSorter::new(budget),
        by_part: with_parts.then(|| Sorter::new(budget)),
        pages: BTreeMap::new(),
        superseded,
    };
    joined.join(verdicts, going.finish()?, &shards)?;
    joined.spool(shards, unresolved, folder)
}

/// Shards by number in the order in which they are met.
#[derive(Default)]
struct Shards {
    numbers: HashMap<String, u32>,
    captures: Vec<u64>,
}

impl Shards {
    fn count(&mut self, name: &str) {
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                self.captures.push(0);
                self.numbers.insert(name.to_owned(), self.captures.len() as u32 - 1);
                self.captures.len() as u32 - 1
            }
        };
        self.captures[number as usize] += 1;
    }
}

/// What one pass over table `pages` takes out.
struct Taken {
    /// Captures of pages that stay, by key: a zero byte before them.
    kept: BytesSorter,
    /// Captures of pages that go, by key: the current one first.
    going: BytesSorter,
    /// Key and date of captures that revisits refer to which stay.
    revisits: Sorter<[u64; 3]>,
    superseded: Superseded,
}

impl Taken {
    fn new(superseded: Superseded, budget: &Budget) -> Taken {
        let revisits = Sorter::new(budget);
        Taken { kept: BytesSorter::new(budget), going: BytesSorter::new(budget), revisits, superseded }
    }

    fn part(&mut self, path: &Path, part: u32, filters: &[Filter; 2], shards: &mut Shards) -> Result<()> {
        let mut reader = Reader::<Row>::open(path)?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                if is_capture(row.warc_type) {
                    shards.count(row.warc_filename);
                }
                let key = row.url_key.0;
                if row.is_current && filters[0].may_have(key) {
                    self.kept.push(&key.to_be_bytes(), &tagged(0, &captured(&row, part))?)?;
                }
                let goes = filters[1].may_have(key);
                let revisit = row.warc_type == Some(WarcType::Revisit);
                let is_page = row.is_html || row.page_type.is_some();
                let good = is_page && matches!(row.fetch_status, None | Some(200..=299));
                if is_capture(row.warc_type) && (good || revisit) && goes {
                    let value = tagged(u8::from(!row.is_current), &captured(&row, part))?;
                    self.going.push(&key.to_be_bytes(), &value)?;
                }
                if revisit && !(goes && self.superseded == Superseded::Drop) {
                    self.refers(&row, &filters[1])?;
                }
            }
        }
        Ok(())
    }

    /// Notes what a revisit that stays refers to.
    fn refers(&mut self, row: &Row<'_>, filter: &Filter) -> Result<()> {
        let (Some(url), Some(date_ms)) = (row.refers_to_url, row.refers_to_time.0) else { return Ok(()) };
        let key = UrlKey::of(url).0;
        if filter.may_have(key) {
            let [high, low] = halves(key);
            self.revisits.push([high, low, date_ms as u64])?;
        }
        Ok(())
    }

    /// A page of earlier results: nothing of its capture is known here.
    fn earlier(&mut self, url: &str, filter: &Filter) -> Result<()> {
        let key = UrlKey::of(url).0;
        if !filter.may_have(key) {
            return Ok(());
        }
        let capture = Capture { url: url.to_owned(), part: u32::MAX, ..Capture::default() };
        self.kept.push(&key.to_be_bytes(), &tagged(1, &capture)?)
    }
}

/// Whether a record of this type is a capture, and counted as one of its shard.
fn is_capture(kind: Option<WarcType>) -> bool {
    use WarcType::{Conversion, Resource, Response, Revisit};
    matches!(kind, Some(Response | Resource | Revisit | Conversion))
}

/// A capture as it goes through a sort.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Capture {
    url: String,
    shard: String,
    offset: i64,
    length: i64,
    date_ms: Option<i64>,
    digest: Option<String>,
    part: u32,
    is_revisit: bool,
}

fn captured(row: &Row<'_>, part: u32) -> Capture {
    Capture {
        url: row.url.to_owned(),
        shard: row.warc_filename.to_owned(),
        offset: row.warc_record_offset,
        length: row.warc_record_length,
        date_ms: row.fetch_time.0,
        digest: row.content_digest.map(str::to_owned),
        part,
        is_revisit: row.warc_type == Some(WarcType::Revisit),
    }
}

/// A verdict with what stays, as it goes through a sort.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    reason: u64,
    cluster: Option<u32>,
    kept: Kept,
}

fn encoded(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| Error::Internal(format!("a row of a sort: {e}")))
}

/// A value behind a byte that it is sorted by first.
fn tagged(tag: u8, value: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = vec![tag];
    bytes.extend(encoded(value)?);
    Ok(bytes)
}

fn decoded<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| Error::Internal(format!("a row of a sort: {e}")))
}

fn key_of(bytes: &[u8]) -> u128 {
    bytes.try_into().map_or(0, u128::from_be_bytes)
}

/// The verdicts with the captures of what stays, by the key of the page that goes; and the number of those without.
fn tell_kept(verdicts: &mut Verdicts, mut kept: SortedBytes, budget: &Budget) -> Result<(SortedBytes, u64)> {
    let mut told = BytesSorter::new(budget).with_unique_keys();
    let mut unresolved = 0;
    let mut at: Option<(u128, Capture)> = None;
    for verdict in verdicts.each()? {
        let Verdict { kept: wanted, page, reason, cluster } = verdict?;
        while at.as_ref().is_none_or(|(key, _)| *key < wanted) {
            match kept.next().transpose()? {
                Some((key, value)) => {
                    at = Some((key_of(key), decoded(value.get(1..).unwrap_or_default())?));
                }
                None => break,
            }
        }
        match at.as_ref().filter(|(key, _)| *key == wanted) {
            Some((_, capture)) => {
                let kept = Kept {
                    url: capture.url.clone(),
                    url_key: wanted,
                    date_ms: capture.date_ms,
                    digest: capture.digest.clone(),
                };
                let verdict = Told { reason: reason as u64, cluster, kept };
                told.push(&page.to_be_bytes(), &encoded(&verdict)?)?;
            }
            None => unresolved += 1,
        }
    }
    Ok((told.finish()?, unresolved))
}

/// Where captures that go are gathered.
struct Joined {
    by_shard: BytesSorter,
    by_part: Option<Sorter<[u64; 2]>>,
    pages: BTreeMap<u64, u64>,
    superseded: Superseded,
    revisits: std::iter::Peekable<Sorted<[u64; 3]>>,
    dangling: u64,
}

/// Most dates of captures of one URL that are remembered while revisits of it are looked at.
const MAX_DATES: usize = 1 << 20;

impl Joined {
    /// Joins verdicts and captures, both by key.
    fn join(&mut self, mut verdicts: SortedBytes, mut captures: SortedBytes, shards: &Shards) -> Result<()> {
        let mut capture = next_capture(&mut captures)?;
        while let Some((key, value)) = verdicts.next().transpose()? {
            let (key, told): (u128, Told) = (key_of(key), decoded(value)?);
            let mut compared: Option<(Option<i64>, Option<String>)> = None;
            let mut dates = HashSet::new();
            let mut any = false;
            while let Some((at, superseded, found)) = capture.take_if(|(at, ..)| *at <= key) {
                capture = next_capture(&mut captures)?;
                if at < key {
                    continue;
                }
                if !superseded {
                    compared = Some((found.date_ms, found.digest.clone()));
                }
                let same = found.digest.is_some()
                    && compared.as_ref().is_some_and(|c| *c == (found.date_ms, found.digest.clone()));
                if superseded && self.superseded == Superseded::Keep && !same {
                    continue;
                }
                any = true;
                if let Some(date_ms) = found.date_ms.filter(|_| dates.len() < MAX_DATES) {
                    dates.insert(date_ms as u64);
                }
                self.put(key, superseded, found, &told, shards)?;
            }
            *self.pages.entry(told.reason).or_default() += u64::from(any);
            self.count_dangling(key, &dates)?;
        }
        Ok(())
    }

    /// Counts the revisits that refer to captures of `key` of these dates.
    fn count_dangling(&mut self, key: u128, dates: &HashSet<u64>) -> Result<()> {
        let key = halves(key);
        while let Some(row) =
            self.revisits.next_if(|row| row.as_ref().map_or(true, |row| row[..2] <= key[..]))
        {
            let row = row?;
            self.dangling += u64::from(row[..2] == key && dates.contains(&row[2]));
        }
        Ok(())
    }

    fn put(
        &mut self,
        url_key: u128,
        superseded: bool,
        found: Capture,
        told: &Told,
        shards: &Shards,
    ) -> Result<()> {
        if let Some(by_part) = &mut self.by_part {
            by_part.push([u64::from(found.part), place(&found.shard, found.offset)])?;
        }
        let number = shards.numbers.get(&found.shard).copied();
        let number = number.ok_or_else(|| Error::Internal("a capture of a shard that was not met".into()))?;
        let going = Going {
            url: found.url,
            url_key,
            shard: found.shard,
            offset: found.offset,
            length: found.length,
            date_ms: found.date_ms,
            digest: found.digest,
            reason: told.reason,
            superseded,
            is_revisit: found.is_revisit,
            cluster: told.cluster,
            kept: told.kept.clone(),
        };
        let mut key = number.to_be_bytes().to_vec();
        key.extend(going.mark().to_be_bytes());
        key.extend(going.offset.to_be_bytes());
        self.by_shard.push(&key, &encoded(&going)?)
    }

    /// The captures in a file, shard by shard.
    fn spool(mut self, shards: Shards, unresolved: u64, folder: &Path) -> Result<Captures> {
        let mut named = vec![NamedShard::default(); shards.captures.len()];
        for (name, number) in shards.numbers {
            let shard = &mut named[number as usize];
            *shard = NamedShard { name, captures: shards.captures[number as usize], ..NamedShard::default() };
        }
        let path = folder.join("captures");
        let mut file = BufWriter::new(File::create(&path).at(&path)?);
        let by_shard = std::mem::replace(&mut self.by_shard, BytesSorter::new(&Budget::new(0)));
        let mut sorted = by_shard.finish()?;
        let mut written = 0;
        while let Some((key, value)) = sorted.next().transpose()? {
            let number = key[..4].try_into().map_or(0, u32::from_be_bytes) as usize;
            if named[number].going == 0 {
                named[number].start = written;
            }
            named[number].going += 1;
            file.write_all(&(value.len() as u32).to_le_bytes())
                .and_then(|()| file.write_all(value))
                .at(&path)?;
            written += 4 + value.len() as u64;
        }
        file.flush().at(&path)?;
        named.sort_by(|a, b| a.name.cmp(&b.name));
        let by_part = match self.by_part.take() {
            Some(sorter) => {
                let mut spool = Spool::new(folder)?;
                for row in sorter.finish()? {
                    spool.push(row?)?;
                }
                Some(spool)
            }
            None => None,
        };
        let Joined { pages, dangling, .. } = self;
        Ok(Captures { path, shards: named, by_part, pages, unresolved, dangling })
    }
}

/// Key, whether it is superseded, capture.
fn next_capture(captures: &mut SortedBytes) -> Result<Option<(u128, bool, Capture)>> {
    let Some((key, value)) = captures.next().transpose()? else { return Ok(None) };
    let (first, rest) = value.split_first().unwrap_or((&0, &[]));
    Ok(Some((key_of(key), *first == 1, decoded(rest)?)))
}

impl Captures {
    /// The captures of a shard that are to go, by [mark](Going::mark), each with its place in the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn of_shard(&self, shard: &NamedShard) -> Result<GoingRows> {
        let mut file = File::open(&self.path).at(&self.path)?;
        file.seek(SeekFrom::Start(shard.start)).at(&self.path)?;
        Ok(GoingRows {
            path: self.path.clone(),
            file: BufReader::new(file),
            at: shard.start,
            left: shard.going,
        })
    }

    /// The one at a place of the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn at(&self, place: u64) -> Result<Going> {
        let one = NamedShard { going: 1, start: place, ..NamedShard::default() };
        let found = self.of_shard(&one)?.next().transpose()?;
        found.map(|(_, going)| going).ok_or_else(|| Error::Internal("a capture is gone".into()))
    }
}

/// Captures of a shard, from the file.
pub struct GoingRows {
    path: PathBuf,
    file: BufReader<File>,
    at: u64,
    left: u64,
}

impl Iterator for GoingRows {
    type Item = Result<(u64, Going)>;

    fn next(&mut self) -> Option<Result<(u64, Going)>> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at;
        let mut length = [0; 4];
        let mut read = || -> Result<Going> {
            self.file.read_exact(&mut length).at(&self.path)?;
            let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
            self.file.read_exact(&mut bytes).at(&self.path)?;
            self.at += 4 + bytes.len() as u64;
            decoded(&bytes)
        };
        Some(read().map(|going| (at, going)))
    }
}
