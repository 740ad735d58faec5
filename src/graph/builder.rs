//! Building the page graph by external sort.
//!
//! **What.** From a stream of pages and a stream of links, both naming pages by 128-bit keys: dense node
//! numbers in the order of SURT, then canonical URL, and distinct arcs whose weight is the number of links.
//! Targets that nobody crawled are nodes too.
//!
//! **Algorithm.** (1) URLs of pages and targets are sorted, equal ones becoming one, and numbered. (2) The
//! pairs (key, number), sorted by key, are joined with the sources of links. Links usually come page by page,
//! so a source is sorted once a batch of links, not once a link. (3) They are joined with the links, sorted by
//! target key. (4) Arcs are sorted by (source, target) and equal ones combined.
//!
//! **Cost.** A sort of the distinct URLs (repetitions nearby are kept out by a small cache), two of 24 bytes
//! a node, one of 24 and one of 16 bytes a link; memory within the budget, of which 4 bytes a batch of links
//! and 4 a host are a share.
//!
//! **Collisions.** Two URLs with one key are found in step 2, before any arc is made; the caller counts it
//! and starts again with keys of another seed. (Links to them are not mixed up by the cache, which compares a
//! second hash of the URL.)
//!
//! **Determinism.** Nothing depends on the order of the streams, the budget or threads. Of several pages with
//! one URL, the one with the least attributes counts; a job that means another one gives only that.

mod inputs;
#[cfg(test)]
mod tests;

pub use inputs::{BuildCounts, BuildOptions, LinkInput, NumberedNode, PageInput};

use crate::fold::add_arcs;
use crate::hosts::{HostRanges, host_of};
use crate::store::{CsrWriter, WeightKind};
use std::path::Path;
use webmill_capture::error::{Error, Result};
use webmill_sort::{Budget, BytesSorter, SortedBytes, Sorter};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Takes pages and links.
pub struct GraphBuilder {
    options: BuildOptions,
    budget: Budget,
    counts: BuildCounts,
    /// Stop hosts that no page or link was on so far.
    unmet: Vec<String>,
    nodes: BytesSorter,
    /// (source key, batch of links).
    sources: Sorter<[u64; 3]>,
    /// (target key, batch of links and number of links).
    links: Sorter<[u64; 3]>,
    /// Source of the last batch: consecutive links of one page.
    batch_source: Option<u128>,
    batches: u64,
    recent: Vec<(u128, u64)>,
    scratch: (Vec<u8>, Vec<u8>),
}

/// The outcome of numbering the nodes.
pub enum Numbering {
    /// All nodes are numbered.
    Done(Box<NumberedGraph>),
    /// Two nodes have one key: start again with keys of another seed.
    Collision {
        /// The key.
        key: u128,
        /// The two nodes, as they were given out.
        nodes: (u32, u32),
    },
}

/// Numbered nodes, arcs still to come.
pub struct NumberedGraph {
    options: BuildOptions,
    budget: Budget,
    counts: BuildCounts,
    unmet: Vec<String>,
    hosts: HostRanges,
    keys: webmill_sort::Sorted<[u64; 3]>,
    links: Sorter<[u64; 3]>,
    /// Source node of each batch of links.
    source_of: Vec<u32>,
}

const NO_NODE: u32 = u32::MAX;
const PAGE: u8 = 0;
const TARGET: u8 = 1;

impl GraphBuilder {
    /// A builder that stays within `budget`.
    pub fn new(options: BuildOptions, budget: &Budget) -> Self {
        let slots =
            (budget.memory_bytes / 32 / size_of::<(u128, u64)>()).clamp(16, 1 << 18).next_power_of_two();
        GraphBuilder {
            unmet: options.stop_hosts.clone(),
            options,
            counts: BuildCounts::default(),
            nodes: BytesSorter::new(&budget.fraction(6, 16)).with_unique_keys(),
            sources: Sorter::new(&budget.fraction(1, 16)),
            links: Sorter::new(&budget.fraction(5, 16)).with_combine(add_links),
            batch_source: None,
            batches: 0,
            recent: vec![(0, 0); slots],
            scratch: Default::default(),
            budget: budget.clone(),
        }
    }

    /// Takes a page.
    ///
    /// # Errors
    /// [`Error::Io`] when a run file cannot be written.
    pub fn add_page(&mut self, page: &PageInput<'_>) -> Result<()> {
        self.meet(page.surt);
        self.add_node(PAGE, page.key, page.surt, page.url, page.attributes)
    }

    /// Takes a link.
    ///
    /// # Errors
    /// As [`add_page`](Self::add_page).
    pub fn add_link(&mut self, link: &LinkInput<'_>) -> Result<()> {
        self.counts.links += 1;
        self.meet(link.surt);
        if self.options.drop_nofollow && link.nofollow {
            self.counts.dropped_nofollow += 1;
            return Ok(());
        }
        if self.options.stop_hosts.iter().any(|host| is_below(link.surt, host.as_bytes())) {
            self.counts.dropped_stop_host += 1;
            return Ok(());
        }
        if self.options.drop_self && link.source == link.target {
            self.counts.dropped_self += 1;
            return Ok(());
        }
        let (slot, target) = self.recent_place(link.target, link.url);
        if self.recent[slot] != target {
            self.recent[slot] = target;
            self.add_node(TARGET, link.target, link.surt, link.url, &[])?;
        }
        if self.batch_source != Some(link.source) {
            self.batch_source = Some(link.source);
            let (high, low) = halves(link.source);
            self.sources.push([high, low, self.batches])?;
            self.batches += 1;
            let bytes = 4 * self.batches as usize;
            if self.batches > u64::from(u32::MAX) || bytes > self.budget.memory_bytes.max(1 << 20) / 4 {
                return Err(Error::Limit(format!(
                    "{} batches of links from one page each need {bytes} bytes, more than a quarter of the memory allowed: \
                     raise it, or give the links of each page together",
                    self.batches
                )));
            }
        }
        let (high, low) = halves(link.target);
        self.links.push([high, low, (self.batches - 1) << 32 | 1])
    }

    /// Whether a link to this URL came lately, so that its SURT says nothing new: [`LinkInput::surt`] may then be empty.
    pub fn knows(&self, target: u128, url: &[u8]) -> bool {
        let (slot, target) = self.recent_place(target, url);
        self.options.stop_hosts.is_empty() && self.recent[slot] == target
    }

    /// Where a target of links stands if it came lately, and how: never as an empty slot.
    fn recent_place(&self, target: u128, url: &[u8]) -> (usize, (u128, u64)) {
        let check = xxh3_64_with_seed(url, 0x7765_626d_696c_6c31) | 1;
        (target as usize & (self.recent.len() - 1), (target, check))
    }

    /// Notes that something is on the host of `surt`.
    fn meet(&mut self, surt: &[u8]) {
        if !self.unmet.is_empty() {
            self.unmet.retain(|host| !is_below(surt, host.as_bytes()));
        }
    }

    fn add_node(&mut self, kind: u8, key: u128, surt: &[u8], url: &[u8], attributes: &[u8]) -> Result<()> {
        if surt.contains(&0) {
            return Err(Error::Internal("a SURT with a zero byte is not canonical".into()));
        }
        let (name, value) = (&mut self.scratch.0, &mut self.scratch.1);
        name.clear();
        name.extend_from_slice(surt);
        name.push(0); // before every other byte, so that a SURT comes before its continuations
        name.extend_from_slice(url);
        value.clear();
        value.push(kind);
        value.extend_from_slice(&key.to_be_bytes());
        value.extend_from_slice(attributes);
        self.nodes.push(name, value)
    }

    /// Ends the streams and numbers the nodes; `on_node` gets each of them in the order of numbers.
    ///
    /// # Errors
    /// [`Error::Io`] when a run file fails, [`Error::Limit`] for more nodes than 32 bits can number, and what
    /// `on_node` returns.
    pub fn number(self, mut on_node: impl FnMut(NumberedNode<'_>) -> Result<()>) -> Result<Numbering> {
        let GraphBuilder {
            options, budget, mut counts, unmet, nodes, sources, links, batches, recent, ..
        } = self;
        drop(recent);
        let mut keys = Sorter::new(&budget.fraction(2, 16));
        let mut hosts = HostRanges::default();
        let mut sorted: SortedBytes = nodes.finish()?;
        let mut node = 0u32;
        while let Some(row) = sorted.next() {
            let (name, value) = row?;
            let (surt, url) = split_at_zero(name)?;
            let Some((&kind, rest)) = value.split_first() else { return Err(cut_short()) };
            let Some((key, attributes)) = rest.split_first_chunk::<16>() else { return Err(cut_short()) };
            if node == NO_NODE {
                return Err(Error::Limit("more nodes than 32 bits can number".into()));
            }
            let key = u128::from_be_bytes(*key);
            hosts.push(surt);
            on_node(NumberedNode { node, key, surt, url, crawled: kind == PAGE, attributes })?;
            counts.crawled += u64::from(kind == PAGE);
            let (high, low) = halves(key);
            keys.push([high, low, u64::from(node)])?;
            node += 1;
        }
        drop(sorted);
        counts.nodes = u64::from(node);
        // Once through the keys for the sources, and into a second sorter, which finds them sorted already.
        let mut source_of = vec![NO_NODE; batches as usize];
        let mut again = Sorter::new(&budget.fraction(3, 16));
        let mut sources = sources.finish()?;
        let mut source = sources.next().transpose()?;
        let mut last: Option<[u64; 3]> = None;
        for item in keys.finish()? {
            let item = item?;
            if let Some(last) = last.filter(|last| last[..2] == item[..2]) {
                let key = u128::from(item[0]) << 64 | u128::from(item[1]);
                return Ok(Numbering::Collision { key, nodes: (last[2] as u32, item[2] as u32) });
            }
            last = Some(item);
            while let Some(batch) = source.filter(|batch| batch[..2] <= item[..2]) {
                if batch[..2] == item[..2] {
                    source_of[batch[2] as usize] = item[2] as u32;
                }
                source = sources.next().transpose()?;
            }
            again.push(item)?;
        }
        let keys = again.finish()?;
        Ok(Numbering::Done(Box::new(NumberedGraph {
            options,
            budget,
            counts,
            unmet,
            hosts,
            keys,
            links,
            source_of,
        })))
    }
}

impl NumberedGraph {
    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.counts.nodes as usize
    }

    /// Stop hosts that no page and no link was on or below, as they were given.
    pub fn unmet_stop_hosts(&self) -> &[String] {
        &self.unmet
    }

    /// The hosts, as ranges of nodes.
    pub fn hosts(&self) -> &HostRanges {
        &self.hosts
    }

    /// Gives each arc to `on_arc`: source, target, number of links; by source, then target.
    ///
    /// # Errors
    /// [`Error::Io`] when a run file fails, and what `on_arc` returns.
    pub fn arcs(
        self,
        mut on_arc: impl FnMut(u32, u32, u32) -> Result<()>,
    ) -> Result<(BuildCounts, HostRanges)> {
        let NumberedGraph { options, budget, mut counts, hosts, keys, links, source_of, .. } = self;
        let mut arcs = Sorter::new(&budget.fraction(5, 16)).with_combine(add_arcs);
        let mut links = links.finish()?;
        let mut link = links.next().transpose()?;
        for item in keys {
            let item = item?;
            while let Some(found) = link.filter(|link| link[..2] <= item[..2]) {
                let (source, count) = (source_of[(found[2] >> 32) as usize], found[2] & u64::from(u32::MAX));
                if found[..2] != item[..2] {
                    return Err(Error::Internal("one URL was given with two keys".into()));
                }
                if source == NO_NODE {
                    counts.unknown_source += count;
                } else if options.drop_internal && hosts.same(source, item[2] as u32) {
                    counts.dropped_internal += count;
                } else {
                    arcs.push(u128::from(source) << 96 | u128::from(item[2]) << 64 | u128::from(count))?;
                }
                link = links.next().transpose()?;
            }
        }
        if link.is_some() {
            return Err(Error::Internal("one URL was given with two keys".into()));
        }
        drop((links, source_of));
        for arc in arcs.finish()? {
            let arc = arc?;
            let weight = u32::try_from(arc as u64).unwrap_or(u32::MAX);
            on_arc((arc >> 96) as u32, (arc >> 64) as u32, weight)?;
            counts.arcs += 1;
        }
        Ok((counts, hosts))
    }

    /// Writes the graph, with weights, to a file that [`Csr::open`](crate::Csr::open) reads.
    ///
    /// # Errors
    /// As [`arcs`](Self::arcs).
    pub fn write(self, path: impl AsRef<Path>) -> Result<(BuildCounts, HostRanges)> {
        let mut writer = CsrWriter::create(path, self.num_nodes(), WeightKind::Counts)?;
        let built = self.arcs(|source, target, weight| writer.push(source, target, weight))?;
        writer.finish()?;
        Ok(built)
    }
}

fn halves(key: u128) -> (u64, u64) {
    ((key >> 64) as u64, key as u64)
}

/// Adds the numbers of links of one batch to one target; both are far below 2³² but for a page of billions of
/// links.
fn add_links(first: &mut [u64; 3], next: &[u64; 3]) -> bool {
    let same = first[..2] == next[..2] && first[2] >> 32 == next[2] >> 32;
    if same {
        let most = u64::from(u32::MAX);
        first[2] = first[2] & !most | ((first[2] & most) + (next[2] & most)).min(most);
    }
    same
}

/// Is the host of `surt` the SURT host `host` or below it?
fn is_below(surt: &[u8], host: &[u8]) -> bool {
    !host.is_empty()
        && host_of(surt)
            .strip_prefix(host)
            .is_some_and(|rest| matches!(rest.first(), None | Some(b',' | b':')))
}

fn split_at_zero(name: &[u8]) -> Result<(&[u8], &[u8])> {
    let zero = name.iter().position(|&b| b == 0).ok_or_else(cut_short)?;
    Ok((&name[..zero], &name[zero + 1..]))
}

fn cut_short() -> Error {
    Error::Internal("a node lost some of its bytes in the sort".into())
}
