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

use webmill_capture::{Error, Result};
use webmill_crawl::event::outcome;
use webmill_sort::{Budget, RowSorter, group};
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

/// What is counted: place of the reason among its variants, outcome, host.
type Key = (u8, String, Option<String>);

/// Counts by reason, outcome and host.
pub struct Missing {
    budget: Budget,
    counts: HashMap<Key, i64>,
    sorter: RowSorter<Key, i64>,
}

impl Missing {
    /// None; what memory does not hold goes to files in `folder`.
    pub fn new(folder: &Path) -> Self {
        let budget = Budget::new(SORT_BYTES).in_dir(folder);
        Missing { sorter: RowSorter::new(&budget), counts: HashMap::new(), budget }
    }

    /// Counts `n` URLs, or takes them off.
    pub fn count(&mut self, why: MissingWhy, outcome: &str, host: Option<&str>, n: i64) -> Result<()> {
        self.count_key((place(why), outcome.to_owned(), host.map(str::to_owned)), n)
    }

    fn count_key(&mut self, key: Key, n: i64) -> Result<()> {
        *self.counts.entry(key).or_default() += n;
        if self.counts.len() >= COUNTED_AT_ONCE { self.spill() } else { Ok(()) }
    }

    /// Counts what the tables of the event log say last was given up or left out.
    pub fn read(&mut self, events: Vec<PathBuf>) -> Result<()> {
        let mut by_url = RowSorter::<(u128, u64, u64), Option<Key>>::new(&self.budget);
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
                let missing = why.map(|why| (place(why), event.outcome, event.url_host_name));
                // URLs that are cut need not be the same.
                let apart = if event.is_cut { number } else { 0 };
                by_url.push(&(event.url_key.0, apart, number), &missing)?;
            }
        }
        group(
            by_url.finish()?,
            |((url, apart, _), _), (other, _)| (url, apart) == (&other.0, &other.1),
            |(_, first), later| {
                let last = later.last().transpose()?.map_or_else(|| first.clone(), |(_, last)| last);
                last.map_or(Ok(()), |missing| self.count_key(missing, 1))
            },
        )
    }

    /// Writes the table.
    pub fn write(mut self, crawl: &Path) -> anyhow::Result<()> {
        self.spill()?;
        let mut file = TableFile::<MissingRow>::create(crawl, 0)?;
        group(
            self.sorter.finish()?,
            |a, b| a.0 == b.0,
            |((why, outcome, host), n), others| {
                let n = others.try_fold(*n, |sum, other| Ok::<_, Error>(sum + other?.1))?;
                let Some(urls) = u64::try_from(n).ok().filter(|n| *n > 0) else { return Ok(()) };
                file.push(MissingRow {
                    why: MissingWhy::VARIANTS[usize::from(*why)],
                    outcome: outcome.clone(),
                    url_host_name: host.clone(),
                    urls,
                })
            },
        )?;
        file.finish()
    }

    fn spill(&mut self) -> Result<()> {
        self.counts.drain().try_for_each(|((why, outcome, host), n)| {
            self.sorter.push(&(why, outcome.as_str(), host.as_deref()), &n)
        })
    }
}

fn place(why: MissingWhy) -> u8 {
    let place = MissingWhy::VARIANTS.iter().position(|other| *other == why);
    place.expect("a variant of the enum") as u8
}

fn why(outcome: &str) -> Option<MissingWhy> {
    if outcome::is_soft(outcome) {
        Some(MissingWhy::GivenUp)
    } else {
        LEFT_OUT.contains(&outcome).then_some(MissingWhy::LeftOut)
    }
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
