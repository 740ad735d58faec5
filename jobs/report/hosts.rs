//! Table `hosts`: sums over each host, put together by an external sort, so that a corpus of many hosts takes no more
//! memory than another.
//!
//! What is known of a host comes from tables `pages`, `clusters` and `ranks`; it is pushed as records under the SURT form of the host's
//! name and added up when they come back sorted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use webmill_capture::surt::surt_host;
use webmill_capture::{Error, Result};
use webmill_run::Unit;
use webmill_sort::{Budget, BytesSorter};

use super::tables::HostRow;
use crate::output::{TableFile, first_part};

/// Kinds of records, in the order in which those of one host come back.
const CAPTURED: u8 = 0;
const LANGUAGE: u8 = 1;
const DUPLICATES: u8 = 2;
const RANKED: u8 = 3;

/// Records of hosts, in any order.
pub struct Hosts {
    sorter: BytesSorter,
    /// The host of the captures at hand and its sums: captures come in SURT order within a part.
    open: Option<(String, HostRow, BTreeMap<String, u64>)>,
}

/// What is known of hosts after table `hosts` was written.
pub struct WrittenHosts {
    /// Number of hosts.
    pub count: u64,
    /// The host of most pages; of several that of most captures, then the first by name.
    pub largest: Option<HostRow>,
    /// Rows of the hosts that were asked for, by name.
    pub asked: BTreeMap<String, HostRow>,
}

impl Hosts {
    /// No record yet.
    pub fn new(budget: &Budget) -> Self {
        Hosts { sorter: BytesSorter::new(budget), open: None }
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
        self.sorter.push(&key(&surt_host(host), DUPLICATES, b""), &1u64.to_le_bytes())
    }

    /// Adds the link analysis of node `node` of the graph of hosts.
    pub fn ranked(&mut self, name: &str, node: u32, row: &HostRow) -> Result<()> {
        let mut value = Vec::with_capacity(24);
        value.extend_from_slice(&row.pagerank.to_le_bytes());
        value.extend_from_slice(&row.page_rank_sum.to_le_bytes());
        value.extend_from_slice(&row.hosts_in.to_le_bytes());
        value.extend_from_slice(&row.hosts_out.to_le_bytes());
        self.sorter.push(&key(&surt_host(name), RANKED, &node.to_be_bytes()), &value)
    }

    fn close(&mut self) -> Result<()> {
        let Some((surt, row, languages)) = self.open.take() else { return Ok(()) };
        let mut value = Vec::new();
        for n in counts(&row) {
            value.extend_from_slice(&n.to_le_bytes());
        }
        value.extend_from_slice(&(row.url_host_name.len() as u32).to_le_bytes());
        value.extend_from_slice(row.url_host_name.as_bytes());
        value.extend_from_slice(row.url_host_registered_domain.as_deref().unwrap_or_default().as_bytes());
        self.sorter.push(&key(&surt, CAPTURED, b""), &value)?;
        for (language, pages) in languages {
            self.sorter.push(&key(&surt, LANGUAGE, language.as_bytes()), &pages.to_le_bytes())?;
        }
        Ok(())
    }

    /// Writes table `hosts`, in SURT order; keeps the rows of the hosts named `asked`.
    pub fn write(mut self, unit: &mut Unit<'_>, asked: &BTreeSet<String>) -> Result<WrittenHosts> {
        self.close()?;
        let mut file = TableFile::<HostRow>::create(unit, first_part::<HostRow>())?;
        let mut written = WrittenHosts { count: 0, largest: None, asked: BTreeMap::new() };
        let mut finish = |host: Option<Gathered>| -> Result<()> {
            let Some(row) = host.and_then(Gathered::row) else { return Ok(()) };
            written.count += 1;
            let size = |host: &HostRow| (host.html_pages + host.documents, host.captures);
            let before =
                written.largest.as_ref().map(|host| (size(host), Reverse(host.url_host_name.as_str())));
            if before < Some((size(&row), Reverse(row.url_host_name.as_str()))) {
                written.largest = Some(row.clone());
            }
            if asked.contains(&row.url_host_name) {
                written.asked.insert(row.url_host_name.clone(), row.clone());
            }
            file.push(row)
        };
        let mut sorted = self.sorter.finish()?;
        let mut host: Option<Gathered> = None;
        while let Some((key, value)) = sorted.next().transpose()? {
            let end = memchr::memchr(0, key).ok_or_else(broken)?;
            if host.as_ref().is_none_or(|host| host.surt != key[..end]) {
                finish(host.take())?;
                host = Some(Gathered { surt: key[..end].to_vec(), ..Gathered::default() });
            }
            if let Some(host) = &mut host {
                host.add(key[end + 1], &key[end + 2..], value).ok_or_else(broken)?;
            }
        }
        finish(host)?;
        file.finish(unit)?;
        Ok(written)
    }
}

/// The records of one host.
#[derive(Default)]
struct Gathered {
    surt: Vec<u8>,
    row: HostRow,
    language: Option<(u64, String)>,
    counted: (u64, String),
}

impl Gathered {
    fn add(&mut self, kind: u8, name: &[u8], value: &[u8]) -> Option<()> {
        let number = |at: usize| Some(u64::from_le_bytes(value.get(8 * at..8 * at + 8)?.try_into().ok()?));
        let row = &mut self.row;
        match kind {
            CAPTURED => {
                if row.captures == 0 {
                    let (head, text) = value.split_at_checked(8 * COUNTS + 4)?;
                    let length = u32::from_le_bytes(head[8 * COUNTS..].try_into().ok()?) as usize;
                    let (host, domain) = text.split_at_checked(length)?;
                    row.url_host_name = String::from_utf8_lossy(host).into_owned();
                    row.url_host_registered_domain =
                        (!domain.is_empty()).then(|| String::from_utf8_lossy(domain).into_owned());
                }
                let counts = HostRow {
                    captures: number(0)?,
                    html_pages: number(1)?,
                    documents: number(2)?,
                    errors: number(3)?,
                    bytes: number(4)?,
                    words: number(5)?,
                    links: number(6)?,
                    ..HostRow::default()
                };
                add(row, &counts);
            }
            LANGUAGE => {
                // Counts of one language follow each other.
                let name = String::from_utf8_lossy(name).into_owned();
                let before = if self.counted.1 == name { self.counted.0 } else { 0 };
                self.counted = (before + number(0)?, name);
                if self.language.as_ref().is_none_or(|(pages, _)| self.counted.0 > *pages) {
                    self.language = Some(self.counted.clone());
                }
            }
            DUPLICATES => row.duplicates += number(0)?,
            _ => {
                row.pagerank = f64::from_bits(number(0)?);
                row.page_rank_sum = f64::from_bits(number(1)?);
                row.hosts_in = u32::from_le_bytes(value.get(16..20)?.try_into().ok()?);
                row.hosts_out = u32::from_le_bytes(value.get(20..24)?.try_into().ok()?);
            }
        }
        Some(())
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

/// They as they are written and read.
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

/// SURT form, a zero byte that it cannot hold, the kind, and what tells records of a kind apart.
fn key(surt: &str, kind: u8, name: &[u8]) -> Vec<u8> {
    [surt.as_bytes(), &[0, kind], name].concat()
}

fn broken() -> Error {
    Error::Internal("a sorted record of a host is not what was put in".into())
}
