//! `missing`: what was asked for and is not in the archive, by reason and host.
//!
//! **Definition.** Given up and left out: URLs whose last outcome is such a one. So a page counts once, however many runs did not get it,
//! and no more once it is brought home, or asked for again (`requeued`); outcomes that settle nothing ([`outcome::PASSING`]) leave it
//! as it was. URLs wait if they are queued when the run ends.
//!
//! **Cost.** A sort of the events by URL. **Memory.** [`SORT_BYTES`] for it; distinct counts beyond [`COUNTED_AT_ONCE`] go
//! through another one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use webmill_capture::Error;
use webmill_crawl::event::outcome;
use webmill_sort::{Budget, BytesSorter, SortedBytes};
use webmill_table::{Reader, TextEnum, columns};

use crate::crawl::event_row::{EventPurpose, EventRow};
use crate::crawl::files::TableFile;
use crate::crawl::rows::{MissingRow, MissingWhy};

/// Distinct counts in memory.
const COUNTED_AT_ONCE: usize = 1 << 16;
/// Memory of the sort.
const SORT_BYTES: usize = 16 << 20;

/// Outcomes of URLs that a rule, a limit or the answer leaves out.
const LEFT_OUT: &[&str] = &[
    outcome::CLIENT_ERROR,
    outcome::DROPPED,
    outcome::GONE,
    outcome::HOST_CUT,
    outcome::HOST_LIMIT,
    outcome::MEDIA_TYPE,
    outcome::NO_SUCH_HOST,
    outcome::OUT_OF_SCOPE,
    outcome::PATTERN_CUT,
    outcome::PRIVATE_ADDRESS,
    outcome::ROBOTS_DENIED,
    outcome::TOO_MANY_REDIRECTS,
    outcome::TRAP,
];

columns! {
    struct EventOutcome from EventRow { url_key, url_host_name, purpose, outcome, is_cut }
}

/// Counts by reason, outcome and host.
pub struct Missing {
    folder: PathBuf,
    counts: HashMap<Vec<u8>, i64>,
    sorter: BytesSorter,
}

/// A sort that leaves memory for `folder` where it has to.
fn sorter(folder: &Path) -> BytesSorter {
    BytesSorter::new(&Budget::new(SORT_BYTES).in_dir(folder))
}

impl Missing {
    /// None; what memory does not hold goes to files in `folder`.
    pub fn new(folder: &Path) -> Self {
        Missing { folder: folder.to_path_buf(), counts: HashMap::new(), sorter: sorter(folder) }
    }

    /// Counts `n` URLs, or takes them off.
    pub fn count(
        &mut self,
        why: MissingWhy,
        outcome: &str,
        host: Option<&str>,
        n: i64,
    ) -> webmill_capture::Result<()> {
        self.count_key(key(why, outcome, host), n)
    }

    fn count_key(&mut self, key: Vec<u8>, n: i64) -> webmill_capture::Result<()> {
        *self.counts.entry(key).or_default() += n;
        if self.counts.len() >= COUNTED_AT_ONCE { self.spill() } else { Ok(()) }
    }

    /// Counts what the tables of the event log say last was given up or left out.
    pub fn read(&mut self, events: Vec<PathBuf>) -> webmill_capture::Result<()> {
        let mut by_url = sorter(&self.folder);
        let mut reader = Reader::<EventOutcome>::over(events);
        let mut number = 0u64;
        while let Some(batch) = reader.next()? {
            for event in batch.rows().filter(|event| event.purpose != EventPurpose::Robots) {
                if outcome::PASSING.contains(&event.outcome) {
                    continue;
                }
                number += 1;
                // A sitemap that is not there was a guess, and no page.
                let stored = matches!(event.purpose, EventPurpose::Page | EventPurpose::Requisite);
                let why = why(event.outcome).filter(|why| stored || *why == MissingWhy::GivenUp);
                let said = why.map(|why| key(why, event.outcome, event.url_host_name)).unwrap_or_default();
                // URLs that are cut need not be the same.
                let apart = if event.is_cut { number } else { 0 };
                let url = [&event.url_key.0.to_be_bytes()[..], &apart.to_be_bytes(), &number.to_be_bytes()]
                    .concat();
                by_url.push(&url, &said)?;
            }
        }
        let mut sorted = by_url.finish()?;
        let mut last: Option<(Vec<u8>, Vec<u8>)> = None;
        while let Some((url, said)) = sorted.next().transpose()? {
            let url = &url[..url.len() - 8];
            if let Some((before, said)) = last.take_if(|(before, _)| before != url)
                && !said.is_empty()
            {
                debug_assert!(before.as_slice() < url);
                self.count_key(said, 1)?;
            }
            last = Some((url.to_vec(), said.to_vec()));
        }
        match last {
            Some((_, said)) if !said.is_empty() => self.count_key(said, 1),
            _ => Ok(()),
        }
    }

    /// Writes the table.
    pub fn write(mut self, crawl: &Path) -> Result<()> {
        self.spill()?;
        let mut file = TableFile::<MissingRow>::create(crawl, 0)?;
        sums(self.sorter.finish()?, &mut |key, n| match row(key, n) {
            Some(row) => file.push(row),
            None => Ok(()),
        })?;
        file.finish()
    }

    fn spill(&mut self) -> webmill_capture::Result<()> {
        self.counts.drain().try_for_each(|(key, n)| self.sorter.push(&key, &n.to_le_bytes()))
    }
}

/// The key of a count: why, outcome and host.
fn key(why: MissingWhy, outcome: &str, host: Option<&str>) -> Vec<u8> {
    let place = MissingWhy::VARIANTS.iter().position(|other| *other == why);
    let mut key = vec![place.expect("a variant of the enum") as u8];
    key.extend_from_slice(outcome.as_bytes());
    key.push(0);
    // What comes before every name stands for none.
    key.extend_from_slice(host.map_or(&[0][..], str::as_bytes));
    key
}

fn why(said: &str) -> Option<MissingWhy> {
    if outcome::is_soft(said) {
        Some(MissingWhy::GivenUp)
    } else {
        LEFT_OUT.contains(&said).then_some(MissingWhy::LeftOut)
    }
}

/// Adds up the counts of each key.
fn sums(
    mut sorted: SortedBytes,
    each: &mut dyn FnMut(&[u8], i64) -> webmill_capture::Result<()>,
) -> webmill_capture::Result<()> {
    let (mut last, mut total) = (Vec::new(), 0);
    while let Some((key, value)) = sorted.next().transpose()? {
        let n = value.try_into().map(i64::from_le_bytes);
        let n = n.map_err(|_| Error::Internal("a sorted count is not what was put in".into()))?;
        if key != last {
            each(&last, total)?;
            total = 0;
            last.clear();
            last.extend_from_slice(key);
        }
        total += n;
    }
    each(&last, total)
}

fn row(key: &[u8], n: i64) -> Option<MissingRow> {
    let urls = u64::try_from(n).ok().filter(|n| *n > 0)?;
    let (why, rest) = key.split_first()?;
    let (outcome, host) = rest.split_at(memchr::memchr(0, rest)?);
    let host = &host[1..];
    Some(MissingRow {
        why: *MissingWhy::VARIANTS.get(usize::from(*why))?,
        outcome: String::from_utf8_lossy(outcome).into_owned(),
        url_host_name: (host != [0]).then(|| String::from_utf8_lossy(host).into_owned()),
        urls,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::files::folder;
    use webmill_table::read_rows;

    #[test]
    fn counts_are_added_up_over_spills() {
        let crawl = tempfile::tempdir().unwrap();
        let mut missing = Missing::new(crawl.path());
        for round in 0..3 {
            missing.count(MissingWhy::GivenUp, "timeout", Some("b.example"), 2).unwrap();
            missing
                .count(MissingWhy::GivenUp, "timeout", Some("a.example"), if round < 2 { 1 } else { -2 })
                .unwrap();
            missing.count(MissingWhy::LeftOut, "trap", None, 1).unwrap();
            missing.spill().unwrap();
        }
        missing.count(MissingWhy::Waits, "503", Some("a.example"), 7).unwrap();
        missing.write(crawl.path()).unwrap();
        let rows: Vec<MissingRow> = read_rows(&folder::<MissingRow>(crawl.path())).unwrap();
        let rows: Vec<_> =
            rows.iter().map(|r| (r.why, &*r.outcome, r.url_host_name.as_deref(), r.urls)).collect();
        let want = [
            (MissingWhy::GivenUp, "timeout", Some("b.example"), 6),
            (MissingWhy::Waits, "503", Some("a.example"), 7),
            (MissingWhy::LeftOut, "trap", None, 3),
        ];
        assert_eq!(rows, want);
    }

    #[test]
    fn every_outcome_that_is_left_out_is_an_outcome() {
        for name in LEFT_OUT {
            assert!(outcome::ALL.iter().any(|(known, _)| known == name) && !outcome::is_soft(name), "{name}");
        }
    }
}
