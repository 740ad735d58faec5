//! The tables that crawls left, where the corpus is theirs: found, digested, summed up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use webmill_capture::Result;
use webmill_capture::date::format_rfc3339;
use webmill_run::{Committed, Inputs};
use webmill_table::{Reader, Table, columns, part_files, read_rows};

use super::corpus::Counts;
use crate::crawl::files::folder;
use crate::crawl::rows::{
    ChangeRateRow, CountedAs, CrawlCountRow, CrawlHostRow, CrawlRoundRow, FreshnessRow, MissingRow,
    MissingWhy, Standing,
};
use crate::job::Context;

/// Rounds kept of a crawl, the last ones.
const MOST_ROUNDS: usize = 30;
/// Top-level domains in the table of lives.
const DOMAINS: usize = 12;
/// Lives of pages, shortest first: the rate, changes a day, from which on a page has it.
const LIVES: [f64; 6] = [10.0, 1.0, 0.1, 0.01, 0.001, 0.0];

columns! {
    struct Host from CrawlHostRow {
        url_host_name, standing, reason, requests_answered, urls_queued, failures,
    }
}

columns! {
    struct MissingColumns from MissingRow { why, outcome, url_host_name, urls }
}

columns! {
    struct FreshnessColumns from FreshnessRow { url_host_name, pages, expected_freshness, expected_age_days, visits_again, unchanged_share }
}

/// Crawls that the corpus is of.
#[derive(Clone, Default)]
pub struct Crawls {
    folders: Vec<PathBuf>,
    digests: Inputs,
}

impl Crawls {
    /// Those among the arguments of this call, else those that the results of `extract` were read from.
    ///
    /// # Errors
    /// Where a table cannot be read.
    pub fn of(context: &Context<'_>, extract: &Committed) -> Result<Self> {
        let named = context.inputs.iter().map(PathBuf::from).filter(|folder| is_crawl(folder));
        let mut folders: BTreeSet<PathBuf> = named.collect();
        if folders.is_empty() {
            folders = read_from(extract);
        }
        let folders: Vec<PathBuf> = folders.into_iter().collect();
        let mut files = Vec::new();
        for (number, crawl) in folders.iter().enumerate() {
            for (table, paths) in drawn(crawl)? {
                let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                files.extend(paths.into_iter().map(|path| {
                    let name = format!("crawl-{number}/{table}/{}", name(&path));
                    (path, name)
                }));
            }
        }
        let digests = Inputs::of_files(&files, None, context.runtime.cancel)?;
        Ok(Crawls { folders, digests })
    }

    /// Digests of the tables: a part of the report's key.
    pub fn inputs(&self) -> Inputs {
        self.digests.clone()
    }
}

/// Whether a folder is a crawl's that has tables.
fn is_crawl(folder: &Path) -> bool {
    folder.join("crawl.toml").is_file() && folder.join(crate::crawl::files::TABLES).is_dir()
}

/// The crawls whose files `extract` read, where they still lie there.
fn read_from(extract: &Committed) -> BTreeSet<PathBuf> {
    let run = std::fs::read(extract.folder.join("run.json")).unwrap_or_default();
    let run: serde_json::Value = serde_json::from_slice(&run).unwrap_or_default();
    let inputs = run.get("inputs").and_then(|inputs| inputs.as_array()).into_iter().flatten();
    let folders = inputs.filter_map(|path| Path::new(path.as_str()?).parent()?.parent());
    folders.filter(|folder| is_crawl(folder)).map(Path::to_path_buf).collect()
}

/// Files of the tables that are drawn.
fn drawn(crawl: &Path) -> Result<Vec<(&'static str, Vec<PathBuf>)>> {
    Ok(vec![
        (CrawlHostRow::NAME, files::<CrawlHostRow>(crawl)?),
        (MissingRow::NAME, files::<MissingRow>(crawl)?),
        (CrawlCountRow::NAME, files::<CrawlCountRow>(crawl)?),
        (CrawlRoundRow::NAME, files::<CrawlRoundRow>(crawl)?),
        (FreshnessRow::NAME, files::<FreshnessRow>(crawl)?),
        (ChangeRateRow::NAME, files::<ChangeRateRow>(crawl)?),
    ])
}

/// Files of a table; empty if the crawl was ended before it was written.
fn files<T: Table>(crawl: &Path) -> Result<Vec<PathBuf>> {
    let folder = folder::<T>(crawl);
    if folder.is_dir() { part_files(&folder) } else { Ok(Vec::new()) }
}

/// A host in trouble.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Troubled {
    /// Its name.
    pub host: String,
    /// Outcome of its last failure.
    pub reason: String,
    /// How it stands.
    pub standing: String,
    /// Failures in a row.
    pub failures: u32,
    /// URLs that wait.
    pub queued: u64,
}

/// Pages by decade of their rates: the lower end in changes a day, and how many.
pub type Lives = Vec<(f64, u64)>;

/// What the crawls say.
#[derive(Default)]
pub struct CrawlNumbers {
    /// Sums: pages stored, requests, bytes.
    pub sums: Counts,
    /// Hosts of which something is known, asked, in trouble.
    pub hosts: [u64; 3],
    /// Hosts in trouble, those with the longest queues.
    pub troubled: Vec<Troubled>,
    /// URLs missing that may be had, by reason.
    pub missing: Counts,
    /// URLs that were left out, by outcome.
    pub left_out: Counts,
    /// URLs that were not reached.
    pub queued: u64,
    /// Hosts with most URLs given up: how many, name, outcome.
    pub given_up: Vec<(u64, String, String)>,
    /// Left out, by media type.
    pub types: Counts,
    /// Links not followed, by reason.
    pub refused: Counts,
    /// URLs left out as copies, by pattern.
    pub patterns: Counts,
    /// Visits, by what they found.
    pub visits: Counts,
    /// Pages of which it is known how often they change.
    pub pages: u64,
    fresh: f64,
    age: f64,
    again: u64,
    unchanged: f64,
    /// Lives of pages by top-level domain; without name of all.
    pub lives: BTreeMap<Option<String>, Lives>,
    /// The last rounds: number of the crawl where there are several, and row.
    pub rounds: Vec<(Option<usize>, CrawlRoundRow)>,
}

impl CrawlNumbers {
    /// Reads the tables; `None` without crawls. Memory: `most` rows of each list, and small tables.
    ///
    /// # Errors
    /// Where a table cannot be read.
    pub fn read(crawls: &Crawls, most: usize) -> Result<Option<Self>> {
        if crawls.folders.is_empty() {
            return Ok(None);
        }
        let mut numbers = CrawlNumbers::default();
        for (number, crawl) in crawls.folders.iter().enumerate() {
            numbers.read_hosts(crawl, most)?;
            numbers.read_missing(crawl, most)?;
            numbers.read_counts(crawl)?;
            numbers.read_pages(crawl)?;
            let mut rounds: Vec<CrawlRoundRow> = rows(crawl)?;
            rounds.sort_by_key(|row| row.round);
            let first = rounds.len().saturating_sub(MOST_ROUNDS);
            let of = (crawls.folders.len() > 1).then_some(number + 1);
            let named = rounds.drain(first..).map(|row| (of, row));
            numbers.rounds.extend(named);
        }
        Ok(Some(numbers))
    }

    /// Share of copies that are expected to be fresh.
    pub fn freshness(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.fresh / self.pages as f64)
    }

    /// Mean expected age of the copies, days.
    pub fn age_days(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.age / self.pages as f64)
    }

    /// Share of visits of known pages that found no change.
    pub fn unchanged(&self) -> Option<f64> {
        (self.again > 0).then(|| self.unchanged / self.again as f64)
    }

    /// What template `crawl.html` reads.
    pub fn lists(&self) -> Value {
        let rounds = self.rounds.iter().map(|(of, round)| {
            let counts = [
                round.requests,
                round.visits_new,
                round.visits_changed,
                round.visits_near,
                round.visits_unchanged,
                round.visits_gone,
                round.visits_error,
            ];
            // The date without the time.
            let began = round.began.0.map(|ms| format_rfc3339(ms).chars().take(10).collect::<String>());
            json!({
                "of": of, "round": round.round, "began": began, "counts": counts,
                "fresh": round.expected_freshness, "ended_by": round.ended_by,
            })
        });
        let mut domains: Vec<_> = self
            .lives
            .iter()
            .map(|(name, rates)| (name, by_life(rates)))
            .map(|(name, pages)| (name, pages, pages.iter().sum::<u64>()))
            .filter(|(.., total)| *total > 0)
            .collect();
        // That of all comes first.
        domains.sort_by_key(|(name, _, total)| (name.is_some(), std::cmp::Reverse(*total)));
        let domains = domains.iter().take(1 + DOMAINS);
        let domain = |(name, pages, total): &_| json!({"name": name, "pages": pages, "total": total});
        json!({
            "troubled": self.troubled,
            "given_up": self.given_up,
            "rounds": rounds.collect::<Vec<_>>(),
            "domains": domains.map(domain).collect::<Vec<_>>(),
        })
    }

    fn read_hosts(&mut self, crawl: &Path, most: usize) -> Result<()> {
        let mut reader = Reader::<Host>::over(files::<CrawlHostRow>(crawl)?);
        while let Some(batch) = reader.next()? {
            for host in batch.rows() {
                let troubled = matches!(host.standing, Standing::Trouble | Standing::LeftAlone);
                self.hosts[0] += 1;
                self.hosts[1] += u64::from(host.requests_answered > 0);
                self.hosts[2] += u64::from(troubled);
                let at = self.troubled.partition_point(|other| other.queued >= host.urls_queued);
                if troubled && at < most {
                    let row = Troubled {
                        host: host.url_host_name.to_owned(),
                        reason: host.reason.unwrap_or_default().to_owned(),
                        standing: host.standing.to_string(),
                        failures: host.failures,
                        queued: host.urls_queued,
                    };
                    self.troubled.insert(at, row);
                    self.troubled.truncate(most);
                }
            }
        }
        Ok(())
    }

    fn read_missing(&mut self, crawl: &Path, most: usize) -> Result<()> {
        let mut reader = Reader::<MissingColumns>::over(files::<MissingRow>(crawl)?);
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                let name = match row.why {
                    MissingWhy::Queued => {
                        self.queued += row.urls;
                        continue;
                    }
                    MissingWhy::LeftOut => {
                        *self.left_out.entry(row.outcome.to_owned()).or_default() += row.urls;
                        continue;
                    }
                    MissingWhy::GivenUp => row.outcome.to_owned(),
                    MissingWhy::Waits => format!("{}, host in trouble", row.outcome),
                };
                *self.missing.entry(name).or_default() += row.urls;
                let at = self.given_up.partition_point(|(urls, ..)| *urls >= row.urls);
                if row.why == MissingWhy::GivenUp && at < most {
                    let host = row.url_host_name.unwrap_or("–").to_owned();
                    self.given_up.insert(at, (row.urls, host, row.outcome.to_owned()));
                    self.given_up.truncate(most);
                }
            }
        }
        Ok(())
    }

    fn read_counts(&mut self, crawl: &Path) -> Result<()> {
        let rows: Vec<CrawlCountRow> = rows(crawl)?;
        for row in rows {
            let counts = match row.counted {
                CountedAs::Refused => &mut self.refused,
                CountedAs::MediaType => &mut self.types,
                CountedAs::Pattern => &mut self.patterns,
                CountedAs::Visit => &mut self.visits,
                CountedAs::Sum => &mut self.sums,
                CountedAs::Outcome | CountedAs::GivenUp | CountedAs::LostPart | CountedAs::RequisiteVisit => {
                    continue;
                }
            };
            *counts.entry(row.name).or_default() += row.count;
        }
        Ok(())
    }

    fn read_pages(&mut self, crawl: &Path) -> Result<()> {
        let mut reader = Reader::<FreshnessColumns>::over(files::<FreshnessRow>(crawl)?);
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.url_host_name.is_none()) {
                self.pages += row.pages;
                self.fresh += row.pages as f64 * row.expected_freshness.unwrap_or(0.0);
                self.age += row.pages as f64 * row.expected_age_days.unwrap_or(0.0);
                self.again += row.visits_again;
                self.unchanged += row.visits_again as f64 * row.unchanged_share.unwrap_or(0.0);
            }
        }
        let rates: Vec<ChangeRateRow> = rows(crawl)?;
        for row in rates {
            let lives = self.lives.entry(row.url_host_tld).or_default();
            match lives.iter_mut().find(|(rate, _)| *rate == row.rate_from) {
                Some((_, pages)) => *pages += row.pages,
                None => lives.push((row.rate_from, row.pages)),
            }
        }
        Ok(())
    }
}

fn rows<T: Table>(crawl: &Path) -> Result<Vec<T>> {
    let folder = folder::<T>(crawl);
    if folder.is_dir() { read_rows(&folder) } else { Ok(Vec::new()) }
}

/// Pages of each of [`LIVES`].
pub fn by_life(rates: &[(f64, u64)]) -> [u64; LIVES.len()] {
    let mut pages = [0; LIVES.len()];
    for (rate, count) in rates {
        // The decades are powers of ten: halves of a step are far from any of them.
        let at = LIVES.iter().position(|from| *rate >= from * 0.5);
        pages[at.unwrap_or(LIVES.len() - 1)] += count;
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decade_of_rates_has_a_life() {
        let rates: Vec<(f64, u64)> =
            (0..11).map(|n| (if n == 0 { 0.0 } else { 10f64.powi(n - 6) }, 1)).collect();
        assert_eq!(by_life(&rates), [4, 1, 1, 1, 1, 3]);
    }
}
