//! The captures of pages that go, out of table `pages`.
//!
//! **Definition.** Of a page that goes these captures go: the current one, which was compared; and, as [`Superseded`] says,
//! the others that would take its place (HTML, status 2xx) and revisits of the URL, whose content was another
//! capture's. Redirects and errors of the URL stay: they copy nothing.
//!
//! **Algorithm.** One pass over `pages` takes out the captures of pages that go, by page, and those of pages that stay instead,
//! which are mapped and looked up by binary search. A last sort orders what goes by shard and mark.
//!
//! **Cost.** Memory: four sorts. Disk: some 500 bytes a capture that goes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use webmill_capture::UrlKey;
use webmill_capture::error::{Error, Result};
use webmill_mill::{PageRow, WarcType};
use webmill_sort::{Budget, BytesSorter, SortedBytes, Sorter};
use webmill_table::{Reader, columns};

use super::dropped::{Going, Kept};
use super::verdicts::{Verdict, Verdicts, each_earlier};
use crate::current_captures::place;
use crate::mapped::{Mapped, MappedWriter, Strings, StringsWriter};

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
    /// Those that are to go, by number: see [`Captures::of_shard`].
    pub going: std::ops::Range<usize>,
}

/// Captures that are to go, by shard.
pub struct Captures {
    going: Strings,
    /// Mark and proof of each.
    proofs: Mapped<[u64; 2]>,
    /// Shards of the results, by name.
    pub shards: Vec<NamedShard>,
    /// Part of table `pages` and place of each capture that goes, ascending.
    pub by_part: Mapped<[u64; 2]>,
    /// Pages that go, by reason's number.
    pub pages: BTreeMap<u64, u64>,
    /// Pages that do not go: the page that would stay goes too, or is not in table `pages`.
    pub unresolved: u64,
    /// Revisits that stay though the capture that they refer to goes.
    pub dangling: u64,
}

/// Finds the captures that go. `parts` are those of table `pages`; `budget` is for each of four sorts.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn find(
    parts: &[PathBuf],
    (clusters, duplicates): (&Path, &Path),
    verdicts: &Verdicts,
    superseded: Superseded,
    budget: &Budget,
    folder: &Path,
) -> Result<Captures> {
    let mut stays = Sorter::<u128>::new(budget).with_combine(|a, b| a == b);
    verdicts.iter().try_for_each(|verdict| stays.push(verdict.kept))?;
    let stays = Mapped::of(folder, stays.finish()?)?;
    let mut shards = Shards::default();
    let mut taken = Taken {
        kept: BytesSorter::new(budget),
        going: BytesSorter::new(budget),
        revisits: Sorter::new(budget),
        superseded,
        verdicts,
        stays: &stays,
    };
    parts.iter().zip(0u32..).try_for_each(|(path, part)| taken.part(path, part, &mut shards))?;
    each_earlier(clusters, duplicates, |url| taken.earlier(url))?;
    let Taken { kept, going, revisits, .. } = taken;
    let kept = KeptPages::of(kept.finish()?, folder)?;
    let without = verdicts.iter().filter(|verdict| kept.get(verdict.kept).is_none()).count() as u64;
    let mut joined = Joined {
        revisits: Mapped::of(folder, revisits.finish()?)?,
        dangling: 0,
        by_shard: BytesSorter::new(budget),
        by_part: Sorter::new(budget),
        pages: BTreeMap::new(),
        superseded,
    };
    joined.join((verdicts, &kept), going.finish()?, &shards)?;
    joined.mapped(shards, verdicts.unresolved + without, folder)
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
struct Taken<'a> {
    /// Captures of pages that stay, by key: a zero byte before them.
    kept: BytesSorter,
    /// Captures of pages that go, by key: the current one first.
    going: BytesSorter,
    /// Key and date of captures that revisits refer to which stay.
    revisits: Sorter<[u128; 2]>,
    superseded: Superseded,
    verdicts: &'a Verdicts,
    /// Keys of pages that stay instead, ascending.
    stays: &'a [u128],
}

impl Taken<'_> {
    fn part(&mut self, path: &Path, part: u32, shards: &mut Shards) -> Result<()> {
        let mut reader = Reader::<Row>::open(path)?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                if is_capture(row.warc_type) {
                    shards.count(row.warc_filename);
                }
                let key = row.url_key.0;
                if row.is_current && self.stays.binary_search(&key).is_ok() {
                    self.kept.push(&key.to_be_bytes(), &tagged(0, &captured(&row, part))?)?;
                }
                let goes = self.verdicts.of(key).is_some();
                let revisit = row.warc_type == Some(WarcType::Revisit);
                let is_page = row.is_html || row.page_type.is_some();
                let good = is_page && matches!(row.fetch_status, None | Some(200..=299));
                if is_capture(row.warc_type) && (good || revisit) && goes {
                    let value = tagged(u8::from(!row.is_current), &captured(&row, part))?;
                    self.going.push(&key.to_be_bytes(), &value)?;
                }
                if revisit && !(goes && self.superseded == Superseded::Drop) {
                    self.refers(&row)?;
                }
            }
        }
        Ok(())
    }

    /// Notes what a revisit that stays refers to.
    fn refers(&mut self, row: &Row<'_>) -> Result<()> {
        let (Some(url), Some(date_ms)) = (row.refers_to_url, row.refers_to_time.0) else { return Ok(()) };
        let key = UrlKey::of(url).0;
        if self.verdicts.of(key).is_some() {
            self.revisits.push([key, u128::from(date_ms as u64)])?;
        }
        Ok(())
    }

    /// A page of earlier results: nothing of its capture is known here.
    fn earlier(&mut self, url: &str) -> Result<()> {
        let key = UrlKey::of(url).0;
        if self.stays.binary_search(&key).is_err() {
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

fn encoded(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::Internal(format!("a row of a sort: {e}")))
}

/// A value behind a byte that it is sorted by first.
fn tagged(tag: u8, value: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = vec![tag];
    bytes.extend(encoded(value)?.into_bytes());
    Ok(bytes)
}

fn decoded<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| Error::Internal(format!("a row of a sort: {e}")))
}

fn key_of(bytes: &[u8]) -> u128 {
    bytes.try_into().map_or(0, u128::from_be_bytes)
}

/// Pages that stay instead of others.
struct KeptPages {
    /// Ascending.
    keys: Mapped<u128>,
    /// Of each its capture.
    pages: Strings,
}

impl KeptPages {
    /// The first capture of each key.
    fn of(mut captures: SortedBytes, folder: &Path) -> Result<KeptPages> {
        let (mut keys, mut pages) = (MappedWriter::create(folder)?, StringsWriter::create(folder)?);
        let mut last = None;
        while let Some((key, value)) = captures.next().transpose()? {
            let url_key = key_of(key);
            if last.replace(url_key) != Some(url_key) {
                let Capture { url, date_ms, digest, .. } = decoded(value.get(1..).unwrap_or_default())?;
                keys.push(url_key)?;
                pages.push(&encoded(&Kept { url, url_key, date_ms, digest })?)?;
            }
        }
        Ok(KeptPages { keys: keys.finish()?, pages: pages.finish()? })
    }

    /// Its number.
    fn get(&self, key: u128) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }
}

/// Where captures that go are gathered.
struct Joined {
    by_shard: BytesSorter,
    by_part: Sorter<[u64; 2]>,
    pages: BTreeMap<u64, u64>,
    superseded: Superseded,
    revisits: Mapped<[u128; 2]>,
    dangling: u64,
}

/// Most dates of captures of one URL that are remembered while revisits of it are looked at.
const MAX_DATES: usize = 1 << 20;

impl Joined {
    /// Looks up what is said of captures, which come by page.
    fn join(
        &mut self,
        (verdicts, kept): (&Verdicts, &KeptPages),
        mut captures: SortedBytes,
        shards: &Shards,
    ) -> Result<()> {
        let mut capture = next_capture(&mut captures)?;
        while let Some(key) = capture.as_ref().map(|(key, ..)| *key) {
            let verdict = verdicts.of(key).and_then(|verdict| Some((verdict, kept.get(verdict.kept)?)));
            let stays = match verdict {
                Some((_, at)) => Some(decoded::<Kept>(kept.pages.get(at).as_bytes())?),
                None => None,
            };
            let mut compared: Option<(Option<i64>, Option<String>)> = None;
            let mut dates = HashSet::new();
            let mut any = false;
            while let Some((_, superseded, found)) = capture.take_if(|(at, ..)| *at == key) {
                capture = next_capture(&mut captures)?;
                let (Some((verdict, _)), Some(stays)) = (&verdict, &stays) else { continue };
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
                    dates.insert(u128::from(date_ms as u64));
                }
                self.put(verdict, superseded, found, stays, shards)?;
            }
            if let Some((verdict, _)) = verdict {
                *self.pages.entry(verdict.reason.number()).or_default() += u64::from(any);
            }
            // Revisits that refer to these captures.
            let from = self.revisits.partition_point(|row| row[0] < key);
            let of_page = self.revisits[from..].iter().take_while(|row| row[0] == key);
            self.dangling += of_page.filter(|row| dates.contains(&row[1])).count() as u64;
        }
        Ok(())
    }

    fn put(
        &mut self,
        verdict: &Verdict,
        superseded: bool,
        found: Capture,
        kept: &Kept,
        shards: &Shards,
    ) -> Result<()> {
        self.by_part.push([u64::from(found.part), place(&found.shard, found.offset)])?;
        let number = shards.numbers.get(&found.shard).copied();
        let number = number.ok_or_else(|| Error::Internal("a capture of a shard that was not met".into()))?;
        let going = Going {
            url: found.url,
            url_key: verdict.page,
            shard: found.shard,
            offset: found.offset,
            length: found.length,
            date_ms: found.date_ms,
            digest: found.digest,
            reason: verdict.reason.number(),
            superseded,
            is_revisit: found.is_revisit,
            cluster: verdict.cluster,
            kept: kept.clone(),
        };
        let mut key = number.to_be_bytes().to_vec();
        key.extend(going.mark().to_be_bytes());
        key.extend(going.offset.to_be_bytes());
        self.by_shard.push(&key, encoded(&going)?.as_bytes())
    }

    /// The captures on disk, shard by shard.
    fn mapped(self, shards: Shards, unresolved: u64, folder: &Path) -> Result<Captures> {
        let mut named = vec![NamedShard::default(); shards.captures.len()];
        for (name, number) in shards.numbers {
            let captures = shards.captures[number as usize];
            named[number as usize] = NamedShard { name, captures, going: 0..0 };
        }
        let (mut going, mut proofs) = (StringsWriter::create(folder)?, MappedWriter::create(folder)?);
        let mut sorted = self.by_shard.finish()?;
        while let Some((key, value)) = sorted.next().transpose()? {
            let number = key[..4].try_into().map_or(0, u32::from_be_bytes) as usize;
            let at = proofs.len() as usize;
            let range = &mut named[number].going;
            *range = if range.start == range.end { at..at + 1 } else { range.start..at + 1 };
            let capture: Going = decoded(value)?;
            proofs.push([capture.mark(), capture.proof()])?;
            going.push(&encoded(&capture)?)?;
        }
        named.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Captures {
            going: going.finish()?,
            proofs: proofs.finish()?,
            shards: named,
            by_part: Mapped::of(folder, self.by_part.finish()?)?,
            pages: self.pages,
            unresolved,
            dangling: self.dangling,
        })
    }
}

/// Key, whether it is superseded, capture.
fn next_capture(captures: &mut SortedBytes) -> Result<Option<(u128, bool, Capture)>> {
    let Some((key, value)) = captures.next().transpose()? else { return Ok(None) };
    let (first, rest) = value.split_first().unwrap_or((&0, &[]));
    Ok(Some((key_of(key), *first == 1, decoded(rest)?)))
}

impl Captures {
    /// Mark and proof of the captures of a shard that are to go, by [mark](Going::mark).
    pub fn of_shard(&self, shard: &NamedShard) -> &[[u64; 2]] {
        &self.proofs[shard.going.clone()]
    }

    /// The capture of this number.
    ///
    /// # Errors
    /// [`Error::Internal`] where the folder was changed from outside.
    pub fn get(&self, number: usize) -> Result<Going> {
        decoded(self.going.get(number).as_bytes())
    }
}
