//! Building the page graph by external sort.
//!
//! **What.** From a stream of pages and a stream of links, both naming pages by 128-bit keys: dense node
//! numbers in the order of SURT, then canonical URL, and distinct arcs whose weight is the number of links.
//! Targets that nobody crawled are nodes too.
//!
//! **Algorithm.** (1) URLs of pages and targets are sorted, equal ones becoming one, and numbered. (2) The
//! pairs (key, number), sorted by key, are joined with the sources of links. Links usually come page by page,
//! so a source is sorted once a run of links, not once a link. (3) They are joined with the links, sorted by
//! target key. (4) Arcs are sorted by (source, target) and equal ones combined.
//!
//! **Cost.** A sort of the distinct URLs (repetitions nearby are kept out by a small cache), two of 24 bytes
//! a node, one of 24 and one of 16 bytes a link; memory within the budget, of which 4 bytes a run of links
//! and 4 a host must be a part.
//!
//! **Collisions.** Two URLs with one key are found in step 2, before any arc is made; the caller counts it
//! and starts again with keys of another seed. (Links to them are not mixed up by the cache, which compares a
//! second hash of the URL.)
//!
//! **Determinism.** Nothing depends on the order of the streams, the budget or threads. Of several pages with
//! one URL, the one with the least attributes counts; a job that means another one gives only that.

use crate::error::{Error, Result};
use crate::graph::hosts::{HostRuns, host_of};
use crate::graph::store::{CsrWriter, WeightKind};
use crate::sort::{Budget, BytesSorter, SortedBytes, Sorter};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Which links make no arc.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Links from a page to itself.
    pub drop_self: bool,
    /// Links inside one host. Their targets stay nodes, so that the numbers of nodes do not depend on this.
    pub drop_internal: bool,
    /// Links that say `nofollow`. They make no node either.
    pub drop_nofollow: bool,
    /// Hosts, as SURT (`com,example`), to which, and to whose subdomains, no link counts. They make no node
    /// either.
    pub stop_hosts: Vec<String>,
}

/// A crawled page.
#[derive(Clone, Copy, Debug)]
pub struct PageRow<'a> {
    /// Key of the canonical URL.
    pub key: u128,
    /// SURT of the canonical URL.
    pub surt: &'a [u8],
    /// Canonical URL.
    pub url: &'a [u8],
    /// Whatever shall come out with the node.
    pub attributes: &'a [u8],
}

/// A link.
#[derive(Clone, Copy, Debug)]
pub struct LinkRow<'a> {
    /// Key of the page that has the link.
    pub source: u128,
    /// Key of the target's canonical URL.
    pub target: u128,
    /// SURT of the target's canonical URL.
    pub surt: &'a [u8],
    /// Canonical URL of the target.
    pub url: &'a [u8],
    /// Does the link say `nofollow`?
    pub nofollow: bool,
}

/// A node, as it comes out in the order of numbers.
#[derive(Clone, Copy, Debug)]
pub struct NodeRow<'a> {
    /// Number of the node.
    pub node: u32,
    /// Key of the canonical URL.
    pub key: u128,
    /// SURT of the canonical URL.
    pub surt: &'a [u8],
    /// Canonical URL.
    pub url: &'a [u8],
    /// Is it a page that was given, or only the target of a link?
    pub crawled: bool,
    /// What was given with the page; empty for mere targets.
    pub attributes: &'a [u8],
}

/// What went in and what was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildCounts {
    /// Nodes.
    pub nodes: u64,
    /// Nodes that were crawled.
    pub crawled: u64,
    /// Links given.
    pub links: u64,
    /// Links dropped as self-links.
    pub dropped_self: u64,
    /// Links dropped as internal to a host.
    pub dropped_internal: u64,
    /// Links dropped for `nofollow`.
    pub dropped_nofollow: u64,
    /// Links dropped because of their target's host.
    pub dropped_stop_host: u64,
    /// Links whose source is no page that was given.
    pub unknown_source: u64,
    /// Arcs.
    pub arcs: u64,
}

/// Takes pages and links.
pub struct GraphBuilder {
    options: BuildOptions,
    budget: Budget,
    counts: BuildCounts,
    nodes: BytesSorter,
    /// (source key, run of links).
    sources: Sorter<[u64; 3]>,
    /// (target key, run of links and number of links).
    links: Sorter<[u64; 3]>,
    run: Option<u128>,
    runs: u64,
    recent: Vec<(u128, u64)>,
    scratch: (Vec<u8>, Vec<u8>),
}

/// The outcome of numbering the nodes.
pub enum Numbering {
    /// All nodes are numbered.
    Done(Box<Numbered>),
    /// Two nodes have one key: start again with keys of another seed.
    Collision {
        /// The key.
        key: u128,
        /// The two nodes, as they were given out.
        nodes: (u32, u32),
    },
}

/// Numbered nodes, arcs still to come.
pub struct Numbered {
    options: BuildOptions,
    budget: Budget,
    counts: BuildCounts,
    hosts: HostRuns,
    keys: crate::sort::Sorted<[u64; 3]>,
    links: Sorter<[u64; 3]>,
    /// Node of each run of links.
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
            options,
            counts: BuildCounts::default(),
            nodes: BytesSorter::new(&budget.fraction(6, 16)).with_unique_keys(),
            sources: Sorter::new(&budget.fraction(1, 16)),
            links: Sorter::new(&budget.fraction(5, 16)).with_combine(add_links),
            run: None,
            runs: 0,
            recent: vec![(0, 0); slots],
            scratch: Default::default(),
            budget: budget.clone(),
        }
    }

    /// Takes a page.
    ///
    /// # Errors
    /// [`Error::Io`] when a run file cannot be written.
    pub fn add_page(&mut self, page: &PageRow<'_>) -> Result<()> {
        self.add_node(PAGE, page.key, page.surt, page.url, page.attributes)
    }

    /// Takes a link.
    ///
    /// # Errors
    /// As [`add_page`](Self::add_page).
    pub fn add_link(&mut self, link: &LinkRow<'_>) -> Result<()> {
        self.counts.links += 1;
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
        let check = xxh3_64_with_seed(link.url, 0x7765_626d_696c_6c31) | 1; // never that of an empty slot
        let slot = link.target as usize & (self.recent.len() - 1);
        if self.recent[slot] != (link.target, check) {
            self.recent[slot] = (link.target, check);
            self.add_node(TARGET, link.target, link.surt, link.url, &[])?;
        }
        if self.run != Some(link.source) {
            self.run = Some(link.source);
            let (high, low) = halves(link.source);
            self.sources.push([high, low, self.runs])?;
            self.runs += 1;
            let bytes = 4 * self.runs as usize;
            if self.runs > u64::from(u32::MAX) || bytes > self.budget.memory_bytes.max(1 << 20) / 4 {
                return Err(Error::Limit(format!(
                    "{} runs of links from one page need {bytes} bytes, more than a quarter of the memory allowed: \
                     raise it, or give the links of each page together",
                    self.runs
                )));
            }
        }
        let (high, low) = halves(link.target);
        self.links.push([high, low, (self.runs - 1) << 32 | 1])
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
    pub fn number(self, mut on_node: impl FnMut(NodeRow<'_>) -> Result<()>) -> Result<Numbering> {
        let GraphBuilder { options, budget, mut counts, nodes, sources, links, runs, recent, .. } = self;
        drop(recent);
        let mut keys = Sorter::new(&budget.fraction(2, 16));
        let mut hosts = HostRuns::default();
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
            on_node(NodeRow { node, key, surt, url, crawled: kind == PAGE, attributes })?;
            counts.crawled += u64::from(kind == PAGE);
            let (high, low) = halves(key);
            keys.push([high, low, u64::from(node)])?;
            node += 1;
        }
        drop(sorted);
        counts.nodes = u64::from(node);
        // Once through the keys for the sources, and into a second sorter, which finds them sorted already.
        let mut source_of = vec![NO_NODE; runs as usize];
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
            while let Some(run) = source.filter(|run| run[..2] <= item[..2]) {
                if run[..2] == item[..2] {
                    source_of[run[2] as usize] = item[2] as u32;
                }
                source = sources.next().transpose()?;
            }
            again.push(item)?;
        }
        let keys = again.finish()?;
        Ok(Numbering::Done(Box::new(Numbered { options, budget, counts, hosts, keys, links, source_of })))
    }
}

impl Numbered {
    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.counts.nodes as usize
    }

    /// The hosts, as runs of nodes.
    pub fn hosts(&self) -> &HostRuns {
        &self.hosts
    }

    /// Gives each arc to `on_arc`: source, target, number of links; by source, then target.
    ///
    /// # Errors
    /// [`Error::Io`] when a run file fails, and what `on_arc` returns.
    pub fn arcs(
        self,
        mut on_arc: impl FnMut(u32, u32, u32) -> Result<()>,
    ) -> Result<(BuildCounts, HostRuns)> {
        let Numbered { options, budget, mut counts, hosts, keys, links, source_of } = self;
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

    /// Writes the graph, with weights, to a file that [`Csr::open`](crate::graph::Csr::open) reads.
    ///
    /// # Errors
    /// As [`arcs`](Self::arcs).
    pub fn write(self, path: impl AsRef<Path>) -> Result<(BuildCounts, HostRuns)> {
        let mut writer = CsrWriter::create(path, self.num_nodes(), WeightKind::Counts)?;
        let built = self.arcs(|source, target, weight| writer.push(source, target, weight))?;
        writer.finish()?;
        Ok(built)
    }
}

fn halves(key: u128) -> (u64, u64) {
    ((key >> 64) as u64, key as u64)
}

/// Adds the numbers of links of one run to one target; both are far below 2³² but for a page of billions of
/// links.
fn add_links(first: &mut [u64; 3], next: &[u64; 3]) -> bool {
    let same = first[..2] == next[..2] && first[2] >> 32 == next[2] >> 32;
    if same {
        let most = u64::from(u32::MAX);
        first[2] = first[2] & !most | ((first[2] & most) + (next[2] & most)).min(most);
    }
    same
}

/// Adds the numbers of links, in the low half, of equal arcs, in the high half.
pub(super) fn add_arcs(first: &mut u128, next: &u128) -> bool {
    let same = *first >> 64 == *next >> 64;
    if same {
        *first += u128::from(*next as u64);
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
    Error::Internal("a node lost its parts in the sort".into())
}

#[cfg(test)]
mod tests {
    use super::super::csr::{Csr, Graph};
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// URL number i of a small Web: the name and its SURT.
    fn url(i: u32) -> (String, String) {
        let (host, page) = (i % 5, i / 5);
        (format!("h{host},com)/p{page}"), format!("http://com.h{host}/p{page}"))
    }

    fn key(i: u32) -> u128 {
        u128::from(i).wrapping_mul(0x9e3779b97f4a7c15f39cc0605cedc835)
    }

    type Built = (Vec<(String, bool, Vec<u8>)>, Vec<(u32, u32, u32)>, BuildCounts);

    fn build(options: BuildOptions, pages: &[u32], links: &[(u32, u32, bool)], memory: usize) -> Built {
        let mut builder = GraphBuilder::new(options, &Budget::new(memory));
        for &page in pages {
            let (surt, url) = url(page);
            let attributes = page.to_be_bytes();
            builder
                .add_page(&PageRow {
                    key: key(page),
                    surt: surt.as_bytes(),
                    url: url.as_bytes(),
                    attributes: &attributes,
                })
                .unwrap();
        }
        for &(source, target, nofollow) in links {
            let (surt, url) = url(target);
            let (source, target) = (key(source), key(target));
            builder
                .add_link(&LinkRow { source, target, surt: surt.as_bytes(), url: url.as_bytes(), nofollow })
                .unwrap();
        }
        let mut nodes = Vec::new();
        let numbering = builder.number(|node| {
            assert_eq!(node.node as usize, nodes.len());
            nodes.push((
                String::from_utf8_lossy(node.url).into_owned(),
                node.crawled,
                node.attributes.to_vec(),
            ));
            Ok(())
        });
        let Numbering::Done(numbered) = numbering.unwrap() else { panic!("no keys collide") };
        let mut arcs = Vec::new();
        let (counts, _) = numbered
            .arcs(|u, v, w| {
                arcs.push((u, v, w));
                Ok(())
            })
            .unwrap();
        (nodes, arcs, counts)
    }

    /// The same by maps.
    fn expected(options: &BuildOptions, pages: &[u32], links: &[(u32, u32, bool)]) -> Built {
        let mut counts = BuildCounts { links: links.len() as u64, ..BuildCounts::default() };
        let crawled: BTreeSet<u32> = pages.iter().copied().collect();
        let mut kept = Vec::new();
        for &(u, v, nofollow) in links {
            if options.drop_nofollow && nofollow {
                counts.dropped_nofollow += 1;
            } else if options.stop_hosts.iter().any(|h| *h == format!("h{}", v % 5)) {
                counts.dropped_stop_host += 1;
            } else if options.drop_self && u == v {
                counts.dropped_self += 1;
            } else {
                kept.push((u, v));
            }
        }
        let names: BTreeMap<(String, String), u32> =
            crawled.iter().copied().chain(kept.iter().map(|k| k.1)).map(|i| (url(i), i)).collect();
        let number: BTreeMap<u32, u32> =
            names.values().enumerate().map(|(node, &i)| (i, node as u32)).collect();
        let mut arcs = BTreeMap::new();
        for (u, v) in kept {
            if !number.contains_key(&u) {
                counts.unknown_source += 1;
            } else if options.drop_internal && u % 5 == v % 5 {
                counts.dropped_internal += 1;
            } else {
                *arcs.entry((number[&u], number[&v])).or_insert(0) += 1;
            }
        }
        let nodes: Vec<_> = names
            .into_iter()
            .map(|((_, url), i)| {
                let crawled = crawled.contains(&i);
                (url, crawled, if crawled { i.to_be_bytes().to_vec() } else { Vec::new() })
            })
            .collect();
        counts.nodes = nodes.len() as u64;
        counts.crawled = crawled.len() as u64;
        counts.arcs = arcs.len() as u64;
        (nodes, arcs.into_iter().map(|((u, v), w)| (u, v, w)).collect(), counts)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn equals_a_build_by_maps(
            pages in prop::collection::vec(0u32..60, 0..80),
            links in prop::collection::vec((0u32..60, 0u32..80, prop::bool::weighted(0.2)), 0..400),
            drop_self: bool, drop_internal: bool, drop_nofollow: bool, stop: bool, memory in 1usize..200_000,
        ) {
            let stop_hosts = if stop { vec!["h3".to_owned()] } else { vec![] };
            let options = BuildOptions { drop_self, drop_internal, drop_nofollow, stop_hosts };
            prop_assert_eq!(build(options.clone(), &pages, &links, memory), expected(&options, &pages, &links));
        }
    }

    #[test]
    fn colliding_keys_are_told() {
        let mut builder = GraphBuilder::new(BuildOptions::default(), &Budget::new(1 << 20));
        builder.add_page(&PageRow { key: 7, surt: b"a)/", url: b"http://a/", attributes: b"" }).unwrap();
        // The second link has the key and slot of the first, but another URL.
        for (surt, url) in [(b"b)/", b"http://b/"), (b"c)/", b"http://c/")] {
            builder.add_link(&LinkRow { source: 7, target: 9, surt, url, nofollow: false }).unwrap();
        }
        let numbering = builder.number(|_| Ok(())).unwrap();
        assert!(matches!(numbering, Numbering::Collision { key: 9, nodes: (1, 2) }));
    }

    #[test]
    fn subdomains_of_stop_hosts() {
        for (surt, below) in [
            ("com,ads)/", true),
            ("com,ads:81)/", true),
            ("com,ads,x)/", true),
            ("com,adsx)/", false),
            ("com)/", false),
        ] {
            assert_eq!(is_below(surt.as_bytes(), b"com,ads"), below, "{surt}");
        }
        assert!(!is_below(b"com)/", b""));
    }

    #[test]
    fn the_file_holds_the_same_graph() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("graph");
        let mut builder = GraphBuilder::new(BuildOptions::default(), &Budget::new(1 << 20));
        for page in 0..3 {
            let (surt, url) = url(page);
            builder
                .add_page(&PageRow {
                    key: key(page),
                    surt: surt.as_bytes(),
                    url: url.as_bytes(),
                    attributes: b"",
                })
                .unwrap();
            for target in [page + 1, page + 1, 0] {
                let (surt, url) = super::tests::url(target);
                let (source, target) = (key(page), key(target));
                builder
                    .add_link(&LinkRow {
                        source,
                        target,
                        surt: surt.as_bytes(),
                        url: url.as_bytes(),
                        nofollow: false,
                    })
                    .unwrap();
            }
        }
        let Numbering::Done(numbered) = builder.number(|_| Ok(())).unwrap() else {
            panic!("no keys collide")
        };
        let (counts, hosts) = numbered.write(&path).unwrap();
        let graph = Csr::open(&path).unwrap();
        assert_eq!((graph.num_nodes(), graph.num_arcs()), (4, counts.arcs));
        assert_eq!(
            graph.arcs().collect::<Vec<_>>(),
            [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 1.0), (1, 2, 2.0), (2, 0, 1.0), (2, 3, 2.0)]
        );
        assert_eq!(hosts.len(), 4);
    }
}
