//! Finds the captures of dropped pages in table `pages`.
//!
//! `dedup apply` calls it after `verdicts` has decided about pages, and before shards are copied.
//!
//! **Definition.** Of a page that goes these captures go: the current one, which was compared; the others that would take its
//! place (HTML or a document, status 2xx); and revisits of the URL, whose content was another capture's. Redirects and
//! errors of the URL stay: they copy nothing. Of a page that is gone from the Web every content goes, whatever its kind, but for
//! payloads that revisits of pages that stay refer to: by URL and date, or else by a digest that no capture that stays has.
//!
//! **Algorithm.** A first pass over `pages` notes the current captures of pages that stay, which are mapped and looked up by
//! binary search; one more, where pages are gone, what revisits need; the last one takes out the captures that go, which are sorted by shard and mark.
//!
//! **Cost.** Memory: three sorts at once. Disk: some 500 bytes a capture that goes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use webmill_capture::UrlKey;
use webmill_capture::error::{Error, Result};
use webmill_mill::{PageRow, WarcType};
use webmill_sort::{Budget, Mapped, MappedWriter, Numbered, NumberedWriter, RowSorter, Sorter, group};
use webmill_table::{Reader, columns};

use super::dropped::{DroppedCapture, KeptPage, digest_proof, mark};
use super::verdicts::{Verdicts, each_earlier};
use webmill_jobs::current_captures::place;
use webmill_jobs::dropped::Reason;

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

columns! {
    struct Payload from PageRow { url_key, warc_type, refers_to_url, refers_to_time, content_digest }
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
    going: Numbered,
    /// Mark and proof of each.
    proofs: Mapped<[u64; 2]>,
    /// Shards of the results, by name.
    pub shards: Vec<NamedShard>,
    /// [Places](place) of the captures that go, ascending.
    pub places: Mapped<u64>,
    /// Pages that go, by reason.
    pub pages: BTreeMap<&'static str, u64>,
    /// Pages that do not go: the page that would stay goes too, or is not in table `pages`.
    pub unresolved: u64,
    /// Captures of pages that are gone that stay for revisits that do.
    pub gone_kept: u64,
    /// Revisits that stay though the capture that they refer to goes.
    pub dangling: u64,
}

/// Pages that go: those that are gone from the Web, and copies, neither of which nor what stays for them is gone.
pub struct LeavingPages<'a> {
    /// Copies.
    pub verdicts: &'a Verdicts,
    /// Keys of pages that are gone, ascending.
    pub gone: &'a [u128],
}

impl LeavingPages<'_> {
    fn is_gone(&self, page: u128) -> bool {
        self.gone.binary_search(&page).is_ok()
    }

    /// Whether a page goes, and what would stay of it is in `kept`.
    fn goes(&self, page: u128, kept: &KeptPages) -> bool {
        self.is_gone(page) || self.verdicts.of(page).is_some_and(|verdict| kept.get(verdict.kept).is_some())
    }
}

/// Finds the captures that go. `parts` are those of table `pages`; `budget` is for each of its sorts.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn find(
    parts: &[PathBuf],
    (clusters, duplicates): (&Path, &Path),
    leaving: &LeavingPages<'_>,
    budget: &Budget,
) -> Result<Captures> {
    let kept = KeptPages::read(parts, (clusters, duplicates), leaving, budget)?;
    let needed = needed(parts, leaving, &kept, budget)?;
    let without = leaving.verdicts.iter().filter(|verdict| kept.get(verdict.kept).is_none()).count() as u64;
    let mut taken = TakenCaptures {
        leaving,
        kept: &kept,
        needed: &needed,
        gone_kept: 0,
        shards: HashMap::new(),
        by_shard: RowSorter::new(budget),
        places: Sorter::new(budget),
        pages: BTreeMap::new(),
        referred: Sorter::new(budget),
    };
    parts.iter().try_for_each(|part| taken.part(part))?;
    taken.mapped(leaving.verdicts.unresolved + without, budget)
}

/// Pages that stay instead of others.
struct KeptPages {
    /// Ascending.
    keys: Mapped<u128>,
    /// Of each its current capture.
    pages: Numbered,
}

impl KeptPages {
    fn read(
        parts: &[PathBuf],
        (clusters, duplicates): (&Path, &Path),
        leaving: &LeavingPages<'_>,
        budget: &Budget,
    ) -> Result<KeptPages> {
        let mut stays = Sorter::<u128>::new(budget).with_combine(|a, b| a == b);
        leaving.verdicts.iter().try_for_each(|verdict| stays.push(verdict.kept))?;
        let stays = stays.mapped()?;
        // By key; what is known of the capture comes before what is not.
        let mut captures = RowSorter::<(u128, u8), KeptPage>::new(budget);
        for path in parts {
            let mut reader = Reader::<Row>::open(path)?;
            while let Some(batch) = reader.next()? {
                for row in batch.rows().filter(|row| row.is_current) {
                    if stays.binary_search(&row.url_key.0).is_ok() {
                        let kept = kept(row.url, row.url_key.0, row.fetch_time.0, row.content_digest);
                        captures.push(&(kept.url_key, 0u8), &kept)?;
                    }
                }
            }
        }
        // Of pages of earlier results nothing is known but the URL.
        each_earlier(clusters, duplicates, |url| {
            let key = UrlKey::of(url).0;
            let stays = stays.binary_search(&key).is_ok();
            if stays { captures.push(&(key, 1u8), &kept(url, key, None, None)) } else { Ok(()) }
        })?;
        let (mut keys, mut pages) =
            (MappedWriter::create(&budget.temp_dir)?, NumberedWriter::create(budget)?);
        let one_page = |a: &((u128, u8), KeptPage), b: &((u128, u8), KeptPage)| a.0.0 == b.0.0;
        group(captures.finish()?, one_page, |((key, _), kept), _| {
            keys.push(*key)?;
            pages.put(keys.len() - 1, kept)
        })?;
        Ok(KeptPages { keys: keys.finish()?, pages: pages.finish()? })
    }

    /// Its number.
    fn get(&self, key: u128) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }
}

fn kept(url: &str, url_key: u128, date_ms: Option<i64>, digest: Option<&str>) -> KeptPage {
    KeptPage { url: url.to_owned(), url_key, date_ms, digest: digest.map(str::to_owned) }
}

/// What revisits that stay have their payload from, ascending: [marks](mark) of captures that they name by URL and date, else
/// [proofs](digest_proof) of digests that no capture that stays has. Empty where no page is gone.
fn needed(
    parts: &[PathBuf],
    leaving: &LeavingPages<'_>,
    kept: &KeptPages,
    budget: &Budget,
) -> Result<Mapped<u64>> {
    let mut sorter = Sorter::<[u64; 2]>::new(budget);
    let (needs, holds) = (0, 1);
    let parts = if leaving.gone.is_empty() { Vec::new() } else { parts.to_vec() };
    let mut reader = Reader::<Payload>::over(parts);
    while let Some(batch) = reader.next()? {
        let stay = |row: &Payload<'_>| is_capture(row.warc_type) && !leaving.goes(row.url_key.0, kept);
        for row in batch.rows().filter(stay) {
            let digest = row.content_digest.map(digest_proof);
            match (row.warc_type, row.refers_to_url, row.refers_to_time.0) {
                (Some(WarcType::Revisit), Some(url), Some(date_ms)) => {
                    sorter.push([mark(UrlKey::of(url).0, Some(date_ms)), needs])?;
                }
                (Some(WarcType::Revisit), ..) => {
                    digest.map_or(Ok(()), |digest| sorter.push([digest, needs]))?
                }
                _ => digest.map_or(Ok(()), |digest| sorter.push([digest, holds]))?,
            }
        }
    }
    let mut needed = MappedWriter::create(&budget.temp_dir)?;
    group(
        sorter.finish()?,
        |a, b| a[0] == b[0],
        |first, others| {
            let last = others.last().transpose()?.unwrap_or(*first);
            if last[1] == needs { needed.push(last[0]) } else { Ok(()) }
        },
    )?;
    needed.finish()
}

/// A capture that goes has this key and date.
const GOES: u128 = 0;
/// A revisit that stays refers to such a one.
const REFERS: u128 = 1;

/// What the second pass takes out.
struct TakenCaptures<'a> {
    leaving: &'a LeavingPages<'a>,
    kept: &'a KeptPages,
    /// See [`needed`].
    needed: &'a [u64],
    gone_kept: u64,
    /// Number of each shard in the order in which they are met, and its captures.
    shards: HashMap<String, (u32, u64)>,
    /// By number of the shard, mark and offset.
    by_shard: RowSorter<(u32, u64, i64), DroppedCapture>,
    places: Sorter<u64>,
    pages: BTreeMap<&'static str, u64>,
    /// Key and date of captures, [`GOES`] or [`REFERS`], place.
    referred: Sorter<[u128; 4]>,
}

impl TakenCaptures<'_> {
    fn part(&mut self, part: &Path) -> Result<()> {
        let mut reader = Reader::<Row>::open(part)?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                let is_capture = is_capture(row.warc_type);
                if is_capture {
                    self.count(row.warc_filename);
                }
                let revisit = row.warc_type == Some(WarcType::Revisit);
                let is_page = row.is_html || row.page_type.is_some();
                let of_any_kind = is_page || self.leaving.is_gone(row.url_key.0);
                let good = of_any_kind && matches!(row.fetch_status, None | Some(200..=299));
                if !self.leaving.goes(row.url_key.0, self.kept) {
                    if revisit {
                        self.refers(&row)?;
                    }
                } else if is_capture && (good || revisit) {
                    match !revisit && self.is_needed(&row) {
                        true => self.gone_kept += 1,
                        false => self.goes(&row)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, shard: &str) {
        let number = self.shards.len() as u32;
        match self.shards.get_mut(shard) {
            Some((_, captures)) => *captures += 1,
            None => drop(self.shards.insert(shard.to_owned(), (number, 1))),
        }
    }

    /// Whether a capture of a page that is gone must stay.
    fn is_needed(&self, row: &Row<'_>) -> bool {
        let has = |what| self.needed.binary_search(&what).is_ok();
        self.leaving.is_gone(row.url_key.0)
            && (has(mark(row.url_key.0, row.fetch_time.0))
                || row.content_digest.is_some_and(|digest| has(digest_proof(digest))))
    }

    /// Notes what a revisit that stays refers to.
    fn refers(&mut self, row: &Row<'_>) -> Result<()> {
        let (Some(url), Some(date_ms)) = (row.refers_to_url, row.refers_to_time.0) else { return Ok(()) };
        let key = UrlKey::of(url).0;
        if !self.leaving.goes(key, self.kept) {
            return Ok(());
        }
        let place = place(row.warc_filename, row.warc_record_offset);
        self.referred.push([key, u128::from(date_ms as u64), REFERS, u128::from(place)])
    }

    fn goes(&mut self, row: &Row<'_>) -> Result<()> {
        let page = row.url_key.0;
        let (reason, cluster, kept) = if self.leaving.is_gone(page) {
            (Reason::Gone, None, None)
        } else {
            let verdict = self.leaving.verdicts.of(page);
            let known = verdict.and_then(|verdict| Some((verdict, self.kept.get(verdict.kept)?)));
            let Some((verdict, at)) = known else { return Ok(()) };
            (verdict.reason, verdict.cluster, Some(self.kept.pages.get(at as u64)?))
        };
        *self.pages.entry(reason.as_str()).or_default() += u64::from(row.is_current);
        if let Some(date_ms) = row.fetch_time.0 {
            self.referred.push([page, u128::from(date_ms as u64), GOES, 0])?;
        }
        self.places.push(place(row.warc_filename, row.warc_record_offset))?;
        let going = DroppedCapture {
            url: row.url.to_owned(),
            url_key: page,
            shard: row.warc_filename.to_owned(),
            offset: row.warc_record_offset,
            length: row.warc_record_length,
            date_ms: row.fetch_time.0,
            digest: row.content_digest.map(str::to_owned),
            reason: reason.number(),
            superseded: !row.is_current,
            is_revisit: row.warc_type == Some(WarcType::Revisit),
            cluster,
            kept,
        };
        let number = self.shards.get(row.warc_filename).map_or(0, |(number, _)| *number);
        self.by_shard.push(&(number, going.mark(), going.offset), &going)
    }

    /// The captures on disk, shard by shard.
    fn mapped(self, unresolved: u64, budget: &Budget) -> Result<Captures> {
        let mut shards = vec![NamedShard::default(); self.shards.len()];
        for (name, (number, captures)) in self.shards {
            shards[number as usize] = NamedShard { name, captures, going: 0..0 };
        }
        let (mut going, mut proofs) =
            (NumberedWriter::create(budget)?, MappedWriter::create(&budget.temp_dir)?);
        for row in self.by_shard.finish()? {
            let ((number, mark, _), capture) = row?;
            let at = proofs.len() as usize;
            let range = &mut shards[number as usize].going;
            *range = if range.start == range.end { at..at + 1 } else { range.start..at + 1 };
            proofs.push([mark, capture.proof()])?;
            going.put(at as u64, &capture)?;
        }
        shards.sort_by(|a, b| a.name.cmp(&b.name));
        let (mut dangling, mut gone) = (0, None);
        for row in self.referred.finish()? {
            let [key, date, what, _] = row?;
            if what == GOES {
                gone = Some((key, date));
            } else {
                dangling += u64::from(gone == Some((key, date)));
            }
        }
        Ok(Captures {
            going: going.finish()?,
            proofs: proofs.finish()?,
            shards,
            places: self.places.mapped()?,
            pages: self.pages,
            unresolved,
            gone_kept: self.gone_kept,
            dangling,
        })
    }
}

/// Whether a record of this type is a capture, and counted as one of its shard.
fn is_capture(kind: Option<WarcType>) -> bool {
    use WarcType::{Conversion, Resource, Response, Revisit};
    matches!(kind, Some(Response | Resource | Revisit | Conversion))
}

impl Captures {
    /// Mark and proof of the captures of a shard that are to go, by [mark](DroppedCapture::mark).
    pub fn of_shard(&self, shard: &NamedShard) -> &[[u64; 2]] {
        &self.proofs[shard.going.clone()]
    }

    /// The page that stays instead of the capture of this number.
    ///
    /// # Errors
    /// [`Error::Internal`] where none does.
    pub fn kept(&self, number: usize) -> Result<KeptPage> {
        self.get(number)?.kept.ok_or_else(|| Error::Internal("a revisit of a page that is gone".into()))
    }

    /// The capture of this number.
    ///
    /// # Errors
    /// [`Error::Internal`] where the folder was changed from outside.
    pub fn get(&self, number: usize) -> Result<DroppedCapture> {
        self.going.get(number as u64)
    }
}

#[cfg(test)]
mod tests {
    use webmill_table::{Bytes16, Footer, Millis, write_part};

    use super::*;
    use crate::dedup::apply::verdicts::{Policy, decide};
    use webmill_jobs::dedup::tables::{ClusterRow, DuplicateRow};

    fn row(url: &str, kind: WarcType, second: i64, digest: &str) -> PageRow {
        PageRow {
            url: url.into(),
            url_key: Bytes16(UrlKey::of(url).0),
            warc_type: Some(kind),
            is_html: true,
            is_current: true,
            fetch_time: Millis(Some(second * 1000)),
            fetch_status: Some(200),
            content_digest: Some(digest.into()),
            warc_filename: "a.warc".into(),
            warc_record_offset: second,
            ..PageRow::default()
        }
    }

    #[test]
    fn payloads_of_revisits_that_stay_do_not_go_with_their_pages() {
        use WarcType::{Response, Revisit};
        let named = |url: &str, second, of: &str, at: i64| PageRow {
            refers_to_url: Some(of.into()),
            refers_to_time: Millis(Some(at * 1000)),
            ..row(url, Revisit, second, "?")
        };
        let rows = [
            row("by-id", Response, 1, "A"),
            row("by-date", Response, 2, "B"),
            row("by-date", Response, 3, "C"),
            row("held", Response, 4, "D"),
            row("own", Response, 5, "E"),
            row("r1", Revisit, 11, "A"),
            named("r2", 12, "by-date", 2),
            row("r3", Revisit, 13, "D"),
            row("there", Response, 14, "D"),
            // It goes itself.
            row("own", Revisit, 15, "E"),
        ];
        let folder = tempfile::tempdir().unwrap();
        let footer = Footer { job_key: "k".into() };
        let path = |name: &str| folder.path().join(name).join("part-0.parquet");
        for name in ["clusters", "duplicates", "pages"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        write_part(&path("pages"), &rows, &footer).unwrap();
        write_part(&path("clusters"), &[] as &[ClusterRow], &footer).unwrap();
        write_part(&path("duplicates"), &[] as &[DuplicateRow], &footer).unwrap();
        let (clusters, duplicates) = (folder.path().join("clusters"), folder.path().join("duplicates"));
        let tables = (&*clusters, &*duplicates);
        let budget = Budget::new(1 << 20).in_dir(folder.path());
        let mut gone = ["by-id", "by-date", "held", "own"].map(|url| UrlKey::of(url).0);
        gone.sort_unstable();
        let verdicts = decide(tables, Policy::Near, &gone, &budget).unwrap();
        let leaving = LeavingPages { verdicts: &verdicts, gone: &gone };
        let found = find(&[path("pages")], tables, &leaving, &budget).unwrap();
        let mut offsets: Vec<i64> =
            found.shards[0].going.clone().map(|number| found.get(number).unwrap().offset).collect();
        offsets.sort_unstable();
        assert_eq!((offsets, found.gone_kept, found.dangling), (vec![3, 4, 5, 15], 2, 0));
    }
}
