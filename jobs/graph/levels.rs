//! Tables `nodes` and `arcs` on every level, and the graphs of hosts and domains folded from that of pages.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::graph::tables::{ArcRow, Crawled, LevelRow, NodeRow};
use webmill_capture::domain::registrable;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_capture::surt::surt_host;
use webmill_graph::{Csr, Groups, HostRanges, NumberedNode, fold_file};
use webmill_run::Unit;
use webmill_sort::Budget;
use webmill_table::{Bytes16, Table};
use xxhash_rust::xxh3::Xxh3;

use crate::levels::{Level, graph_file, part_file, write_level};
use crate::output::{TableFile, first_part, write_rows};

/// Nodes in the order of their numbers, kept aside until hosts and domains are known. The bytes read are held against the digest of those
/// written.
pub struct NodeSpool {
    path: PathBuf,
    file: BufWriter<File>,
    nodes: u64,
    written: Xxh3,
}

impl NodeSpool {
    /// An empty spool at `path`.
    pub fn create(path: &Path) -> Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, File::create(path).at(path)?);
        Ok(NodeSpool { path: path.to_path_buf(), file, nodes: 0, written: Xxh3::new() })
    }

    /// Adds the next node, with what its captures are at best.
    pub fn push(&mut self, node: &NumberedNode<'_>, crawled: Option<Crawled>) -> Result<()> {
        self.write(&SpooledNode { surt: node.surt, url: node.url, key: node.key, crawled, pages: 1 })
    }

    fn write(&mut self, node: &SpooledNode<'_>) -> Result<()> {
        self.nodes += 1;
        let head = [(node.surt.len() as u32).to_le_bytes(), (node.url.len() as u32).to_le_bytes()].concat();
        let pages = node.pages.to_le_bytes();
        [&head[..], &node.key.to_le_bytes(), &[code(node.crawled)], &pages, node.surt, node.url]
            .iter()
            .try_for_each(|bytes| {
                self.written.update(bytes);
                self.file.write_all(bytes)
            })
            .at(&self.path)
    }

    /// The nodes from the first on.
    pub fn open(&mut self) -> Result<SpooledNodes> {
        self.file.flush().at(&self.path)?;
        let file = BufReader::with_capacity(1 << 18, File::open(&self.path).at(&self.path)?);
        let (left, written) = (self.nodes, self.written.digest());
        Ok(SpooledNodes { path: self.path.clone(), file, left, text: Vec::new(), read: Xxh3::new(), written })
    }

    /// The nodes of the given numbers, ascending, numbered anew, with the pages that each stands for; and their hosts.
    pub fn keep(mut self, kept: &[u32], pages: &[u32], path: &Path) -> Result<(Self, HostRanges)> {
        let mut spool = NodeSpool::create(path)?;
        let mut hosts = HostRanges::default();
        let mut nodes = self.open()?;
        let mut wanted = kept.iter().zip(pages).peekable();
        let mut number = 0;
        while let Some(node) = nodes.next()? {
            if let Some((_, &pages)) = wanted.next_if(|(kept, _)| **kept == number) {
                hosts.push(node.surt);
                spool.write(&SpooledNode { pages, ..node })?;
            }
            number += 1;
        }
        Ok((spool, hosts))
    }
}

/// What captures are at best, in a byte; the better the less.
fn code(crawled: Option<Crawled>) -> u8 {
    crawled.map_or(u8::MAX, |crawled| crawled as u8)
}

/// A node kept aside.
pub struct SpooledNode<'a> {
    pub surt: &'a [u8],
    pub url: &'a [u8],
    pub key: u128,
    pub crawled: Option<Crawled>,
    /// Pages it stands for: itself and copies of it.
    pub pages: u32,
}

/// Gives back the nodes of a [`NodeSpool`].
pub struct SpooledNodes {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
    text: Vec<u8>,
    read: Xxh3,
    written: u64,
}

impl SpooledNodes {
    /// The next node; `None` after the last.
    ///
    /// # Errors
    /// Where the disk refuses, or gives other bytes than were written: with the last of them.
    pub fn next(&mut self) -> Result<Option<SpooledNode<'_>>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut head = [0u8; 29];
        self.file.read_exact(&mut head).at(&self.path)?;
        self.read.update(&head);
        let number = |at: usize| head[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
        let (surt, url) = (number(0) as usize, number(4) as usize);
        let key = head[8..24].try_into().map_or(0, u128::from_le_bytes);
        // Lengths that the disk made up may be of any size.
        self.text.clear();
        let length = (surt + url) as u64;
        let found = self.file.by_ref().take(length).read_to_end(&mut self.text).at(&self.path)?;
        self.read.update(&self.text);
        if found as u64 != length || self.left == 0 && self.read.digest() != self.written {
            let reason = "a temporary file does not hold what was written to it";
            return Err(Error::corrupt(&self.path, 0, reason));
        }
        let (surt, url) = self.text.split_at(surt);
        Ok(Some(SpooledNode { surt, url, key, crawled: Crawled::of(head[24]), pages: number(25) }))
    }
}

/// Writes the tables and folded graphs, without arcs from a host or domain to itself.
pub fn write(unit: &mut Unit<'_>, mut spool: NodeSpool, hosts: &HostRanges, budget: &Budget) -> Result<()> {
    let by_host = hosts.by_host();
    let by_domain = hosts.by_domain(|host| registrable(host).to_owned(), surt_host);
    let mut crawled = vec![None; by_host.of.len()];
    write_pages(unit, spool.open()?, &by_host, &by_domain, &mut crawled)?;
    let page = Csr::open(unit.create(&graph_file(Level::Page))?)?;
    let mut sizes = vec![size(Level::Page, &page, count_html(&crawled))];
    write_arcs(unit, Level::Page, &page)?;
    for (level, groups) in [(Level::Host, &by_host), (Level::Domain, &by_domain)] {
        unit.stage().cancel.check()?;
        let path = unit.create(&graph_file(level))?;
        fold_file(&page, &groups.of, groups.names.len(), true, budget, &path)?;
        let graph = Csr::open(&path)?;
        unit.wrote(&graph_file(level), "", Vec::new(), 0);
        write_arcs(unit, level, &graph)?;
        let with_pages = write_groups(unit, level, groups, hosts, &by_host, &by_domain, &crawled)?;
        sizes.push(size(level, &graph, with_pages));
    }
    write_rows(unit, first_part::<LevelRow>(), sizes)?;
    Ok(())
}

fn count_html(crawled: &[Option<Crawled>]) -> u64 {
    crawled.iter().filter(|crawled| **crawled == Some(Crawled::Html)).count() as u64
}

fn size(level: Level, graph: &Csr, crawled: u64) -> LevelRow {
    LevelRow { level, nodes: graph.num_nodes() as u64, arcs: graph.num_arcs(), crawled }
}

fn write_pages(
    unit: &mut Unit<'_>,
    mut spool: SpooledNodes,
    by_host: &Groups,
    by_domain: &Groups,
    crawled_of: &mut [Option<Crawled>],
) -> Result<()> {
    let mut nodes = TableFile::<NodeRow>::create(unit, part_file(NodeRow::NAME, Level::Page))?;
    let mut node = 0usize;
    while let Some(page) = spool.next()? {
        crawled_of[node] = page.crawled;
        nodes.push(NodeRow {
            level: Level::Page,
            node: node as u32,
            url: String::from_utf8_lossy(page.url).into_owned(),
            url_sortkey: String::from_utf8_lossy(page.surt).into_owned(),
            url_key: Some(Bytes16(page.key)),
            crawled: page.crawled,
            host: by_host.of[node],
            domain: by_domain.of[node],
            pages: page.pages,
        })?;
        node += 1;
    }
    nodes.finish(unit)?;
    Ok(())
}

/// Nodes of a level of groups; returns how many have a page.
fn write_groups(
    unit: &mut Unit<'_>,
    level: Level,
    groups: &Groups,
    hosts: &HostRanges,
    by_host: &Groups,
    by_domain: &Groups,
    crawled_of: &[Option<Crawled>],
) -> Result<u64> {
    let count = groups.names.len();
    let (mut pages, mut crawled) = (vec![0u32; count], vec![None; count]);
    let (mut first_host, mut domain) = (vec![u32::MAX; count], vec![0u32; count]);
    for (node, &of_page) in crawled_of.iter().enumerate() {
        let group = groups.of[node] as usize;
        pages[group] += 1;
        if code(of_page) < code(crawled[group]) {
            crawled[group] = of_page;
        }
        first_host[group] = first_host[group].min(by_host.of[node]);
        domain[group] = by_domain.of[node];
    }
    let mut nodes = TableFile::<NodeRow>::create(unit, part_file(NodeRow::NAME, level))?;
    for (node, name) in groups.names.iter().enumerate() {
        let surt = match level {
            Level::Host => String::from_utf8_lossy(hosts.surt(node)).into_owned(),
            _ => surt_host(name),
        };
        nodes.push(NodeRow {
            level,
            node: node as u32,
            url: name.clone(),
            url_sortkey: surt,
            url_key: None,
            crawled: crawled[node],
            host: first_host[node],
            domain: domain[node],
            pages: pages[node],
        })?;
    }
    nodes.finish(unit)?;
    Ok(count_html(&crawled))
}

fn write_arcs(unit: &mut Unit<'_>, level: Level, graph: &Csr) -> Result<()> {
    let arc =
        |(source, target, weight): (u32, u32, _)| ArcRow { level, source, target, weight: weight as u32 };
    write_level(unit, level, graph.arcs().map(arc))
}
