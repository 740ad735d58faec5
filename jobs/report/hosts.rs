//! Table `hosts`: sums over each host, put together by an external sort, so that a corpus of many hosts takes no more
//! memory than another.
//!
//! Facts about a host come from tables `pages`, `clusters` and `ranks`; it is pushed as records under the SURT form of the host's
//! name and added up when they come back sorted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use webmill_capture::Result;
use webmill_capture::surt::surt_host;
use webmill_run::Unit;
use webmill_sort::{Budget, RowSorter, group};

use super::tables::HostRow;
use crate::output::{TableFile, first_part};

/// A record of a host.
#[derive(Serialize, Deserialize)]
enum Record {
    /// Counts of captures, with name and domain of the host.
    Captured([u64; COUNTS], String, Option<String>),
    /// Pages in a language.
    Language(u64),
    /// A page that another one stands for.
    Duplicate,
    /// PageRank, sum of that of the pages, hosts in and out.
    Ranked(f64, f64, u32, u32),
}

/// SURT form of the host, the language that a record is of, and the node.
type Key = (String, String, u32);

/// Records of hosts, in any order.
pub struct Hosts {
    sorter: RowSorter<Key, Record>,
    /// The host of the captures at hand and its sums: captures come in SURT order within a part.
    open: Option<(String, HostRow, BTreeMap<String, u64>)>,
}

/// Known facts about hosts after table `hosts` was written.
pub struct WrittenHosts {
    /// Number of hosts.
    pub count: u64,
    /// The host of most captures; of several that of most pages, then the first by name.
    pub largest: Option<HostRow>,
    /// Rows of the hosts that were asked for, by name.
    pub asked: BTreeMap<String, HostRow>,
}

impl Hosts {
    /// No record yet.
    pub fn new(budget: &Budget) -> Self {
        Hosts { sorter: RowSorter::new(budget), open: None }
    }

    /// Adds a capture: `row` holds its counts, name and domain of its host.
    pub fn capture(
        &mut self,
        name: &str,
        domain: Option<&str>,
        row: &HostRow,
        language: Option<&str>,
    ) -> Result<()> {
        if self.open.as_ref().is_none_or(|(_, open, _)| open.url_host_name != name) {
            self.close()?;
            let first = HostRow {
                url_host_name: name.to_owned(),
                url_host_registered_domain: domain.map(str::to_owned),
                ..HostRow::default()
            };
            self.open = Some((surt_host(name), first, BTreeMap::new()));
        }
        if let Some((_, open, languages)) = &mut self.open {
            add(open, row);
            if let Some(language) = language {
                match languages.get_mut(language) {
                    Some(pages) => *pages += 1,
                    None => {
                        languages.insert(language.to_owned(), 1);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a page that a cluster represents by another page.
    pub fn duplicate(&mut self, host: &str) -> Result<()> {
        self.sorter.push(&(surt_host(host).as_str(), "", 0u32), &Record::Duplicate)
    }

    /// Adds the link analysis of node `node` of the graph of hosts.
    pub fn ranked(&mut self, name: &str, node: u32, row: &HostRow) -> Result<()> {
        let record = Record::Ranked(row.pagerank, row.page_rank_sum, row.hosts_in, row.hosts_out);
        self.sorter.push(&(surt_host(name).as_str(), "", node), &record)
    }

    fn close(&mut self) -> Result<()> {
        let Some((surt, row, languages)) = self.open.take() else { return Ok(()) };
        let surt = surt.as_str();
        let record = Record::Captured(counts(&row), row.url_host_name, row.url_host_registered_domain);
        self.sorter.push(&(surt, "", 0u32), &record)?;
        languages.iter().try_for_each(|(language, pages)| {
            self.sorter.push(&(surt, language.as_str(), 0u32), &Record::Language(*pages))
        })
    }

    /// Writes table `hosts`, in SURT order; keeps the rows of the hosts named `asked`.
    pub fn write(mut self, unit: &mut Unit<'_>, asked: &BTreeSet<String>) -> Result<WrittenHosts> {
        self.close()?;
        let mut file = TableFile::<HostRow>::create(unit, first_part::<HostRow>())?;
        let mut written = WrittenHosts { count: 0, largest: None, asked: BTreeMap::new() };
        let of_one = |a: &(Key, Record), b: &(Key, Record)| a.0.0 == b.0.0;
        group(self.sorter.finish()?, of_one, |first, others| {
            let mut host = Gathered::default();
            host.add(first);
            others.try_for_each(|record| record.map(|record| host.add(&record)))?;
            let Some(row) = host.row() else { return Ok(()) };
            written.count += 1;
            let size = |host: &HostRow| (host.captures, host.html_pages + host.documents);
            let before =
                written.largest.as_ref().map(|host| (size(host), Reverse(host.url_host_name.as_str())));
            if before < Some((size(&row), Reverse(row.url_host_name.as_str()))) {
                written.largest = Some(row.clone());
            }
            if asked.contains(&row.url_host_name) {
                written.asked.insert(row.url_host_name.clone(), row.clone());
            }
            file.push(row)
        })?;
        file.finish(unit)?;
        Ok(written)
    }
}

/// The records of one host.
#[derive(Default)]
struct Gathered {
    row: HostRow,
    language: Option<(u64, String)>,
    counted: (u64, String),
}

impl Gathered {
    fn add(&mut self, ((_, language, _), record): &(Key, Record)) {
        let row = &mut self.row;
        match record {
            Record::Captured(counts, name, domain) => {
                if row.captures == 0 {
                    (row.url_host_name, row.url_host_registered_domain) = (name.clone(), domain.clone());
                }
                let [captures, html_pages, documents, errors, bytes, words, links] = *counts;
                let more = HostRow {
                    captures,
                    html_pages,
                    documents,
                    errors,
                    bytes,
                    words,
                    links,
                    ..HostRow::default()
                };
                add(row, &more);
            }
            Record::Language(pages) => {
                // Counts of one language follow each other.
                let before = if self.counted.1 == *language { self.counted.0 } else { 0 };
                self.counted = (before + pages, language.clone());
                if self.language.as_ref().is_none_or(|(most, _)| self.counted.0 > *most) {
                    self.language = Some(self.counted.clone());
                }
            }
            Record::Duplicate => row.duplicates += 1,
            Record::Ranked(pagerank, page_rank_sum, hosts_in, hosts_out) => {
                (row.pagerank, row.page_rank_sum) = (*pagerank, *page_rank_sum);
                (row.hosts_in, row.hosts_out) = (*hosts_in, *hosts_out);
            }
        }
    }

    /// The row of a host with captures. URLs without a host, as `urn:` has them, are of none.
    fn row(self) -> Option<HostRow> {
        let top_language = self.language.map(|(_, language)| language);
        let is_host = self.row.captures > 0 && !self.row.url_host_name.is_empty();
        is_host.then_some(HostRow { top_language, ..self.row })
    }
}

/// Counts of the captures of a host.
const COUNTS: usize = 7;

fn counts(row: &HostRow) -> [u64; COUNTS] {
    [row.captures, row.html_pages, row.documents, row.errors, row.bytes, row.words, row.links]
}

fn add(row: &mut HostRow, more: &HostRow) {
    row.captures += more.captures;
    row.html_pages += more.html_pages;
    row.documents += more.documents;
    row.errors += more.errors;
    row.bytes += more.bytes;
    row.words += more.words;
    row.links += more.links;
}
