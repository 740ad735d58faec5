//! Sites of enough pages on disk: their names, and for each the hashes of its paths with their clusters.
//!
//! **Cost.** In memory 24 bytes a site, and what [`SiteLists::hold`] is allowed.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use webmill_capture::error::{AtPath, Error, Result};

use crate::mirrors::Site;

/// Bytes of a path in the file: its hash and its cluster.
const ENTRY: u64 = 16;

/// The cluster of a page that is in none. A true cluster of that number would be taken as none.
const NO_CLUSTER: u64 = u64::MAX;

/// Takes pages in the order of site and hash, and writes those of sites that have enough.
pub(crate) struct SiteWriter {
    lists: BufWriter<File>,
    names: BufWriter<File>,
    dir: PathBuf,
    min_pages: usize,
    /// Where the list of each site begins, in entries; where its name begins, in bytes.
    starts: Vec<u64>,
    name_starts: Vec<u64>,
    entries: u64,
    name_bytes: u64,
    name: Vec<u8>,
    /// Pages of the site that is being read, until there are enough of them.
    waiting: Vec<(u64, u64)>,
    written: bool,
    sites: u64,
}

impl SiteWriter {
    pub(crate) fn new(dir: &Path, min_pages: u32) -> Result<Self> {
        let file = || Ok::<_, Error>(BufWriter::with_capacity(64 << 10, tempfile::tempfile_in(dir).at(dir)?));
        Ok(SiteWriter {
            lists: file()?,
            names: file()?,
            dir: dir.to_owned(),
            min_pages: min_pages as usize,
            starts: Vec::new(),
            name_starts: Vec::new(),
            entries: 0,
            name_bytes: 0,
            name: Vec::new(),
            waiting: Vec::new(),
            written: false,
            sites: 0,
        })
    }

    /// Takes a page; `in_cluster` is told (site, cluster) for each page of a site that is written.
    pub(crate) fn page(
        &mut self,
        name: &[u8],
        path: u64,
        cluster: Option<u64>,
        mut in_cluster: impl FnMut(u32, u64) -> Result<()>,
    ) -> Result<()> {
        if self.sites == 0 || self.name != name {
            self.name.clear();
            self.name.extend_from_slice(name);
            self.waiting.clear();
            self.written = false;
            self.sites += 1;
        }
        self.waiting.push((path, cluster.unwrap_or(NO_CLUSTER)));
        if !self.written {
            if self.waiting.len() < self.min_pages {
                return Ok(());
            }
            self.begin()?;
        }
        let site = (self.starts.len() - 1) as u32;
        for (path, cluster) in self.waiting.drain(..) {
            let hash = self.lists.write_all(&path.to_le_bytes());
            hash.and_then(|()| self.lists.write_all(&cluster.to_le_bytes())).at(&self.dir)?;
            self.entries += 1;
            if cluster != NO_CLUSTER {
                in_cluster(site, cluster)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        if self.starts.len() >= u32::MAX as usize {
            return Err(Error::Limit("more sites than 32 bits number".to_owned()));
        }
        self.written = true;
        self.starts.push(self.entries);
        self.name_starts.push(self.name_bytes);
        self.name_bytes += self.name.len() as u64;
        self.names.write_all(&self.name).at(&self.dir)
    }

    /// The sites, and how many there were with those of too few pages.
    pub(crate) fn finish(mut self) -> Result<(SiteLists, u64)> {
        self.starts.push(self.entries);
        self.name_starts.push(self.name_bytes);
        let dir = &self.dir;
        let file = |out: BufWriter<File>| out.into_inner().map_err(|e| Error::io(dir, e.into_error()));
        let (lists, names) = (file(self.lists)?, file(self.names)?);
        let sites = self.starts.len() - 1;
        let mut order: Vec<u32> = (0..sites as u32).collect();
        let starts = &self.starts;
        order.sort_unstable_by_key(|&site| {
            let site = site as usize;
            (std::cmp::Reverse(starts[site + 1] - starts[site]), site)
        });
        let mut ranks = vec![0; sites];
        order.iter().enumerate().for_each(|(rank, &site)| ranks[site as usize] = rank as u32);
        let held = LargerSite { site: 0, entries: Vec::new(), on_disk: false };
        let lists = BufReader::with_capacity(64 << 10, lists);
        let made = SiteLists {
            lists,
            names,
            dir: self.dir.clone(),
            starts: self.starts,
            name_starts: self.name_starts,
            order,
            ranks,
            held,
        };
        Ok((made, self.sites))
    }
}

/// The larger of two sites that are compared.
struct LargerSite {
    site: u32,
    entries: Vec<(u64, u64)>,
    on_disk: bool,
}

/// The sites of enough pages, numbered by name; their ranks are by number of pages, most first.
pub(crate) struct SiteLists {
    lists: BufReader<File>,
    names: File,
    dir: PathBuf,
    starts: Vec<u64>,
    name_starts: Vec<u64>,
    order: Vec<u32>,
    ranks: Vec<u32>,
    held: LargerSite,
}

impl SiteLists {
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn rank(&self, site: u32) -> u32 {
        self.ranks[site as usize]
    }

    pub(crate) fn by_rank(&self, rank: u32) -> u32 {
        self.order[rank as usize]
    }

    pub(crate) fn pages(&self, site: u32) -> u64 {
        self.starts[site as usize + 1] - self.starts[site as usize]
    }

    pub(crate) fn name(&mut self, site: u32) -> Result<Site> {
        let (from, to) = (self.name_starts[site as usize], self.name_starts[site as usize + 1]);
        let mut bytes = vec![0; (to - from) as usize];
        self.names.seek(SeekFrom::Start(from)).at(&self.dir)?;
        self.names.read_exact(&mut bytes).at(&self.dir)?;
        let mut parts = bytes.split(|&b| b == 0).map(|part| String::from_utf8_lossy(part).into_owned());
        let (host, scheme) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        Ok(Site { host, scheme })
    }

    /// Reads the list of a site into memory if it takes no more than `memory` bytes; else it stays on the disk.
    pub(crate) fn hold(&mut self, site: u32, memory: usize) -> Result<()> {
        let on_disk = self.pages(site) * ENTRY > memory as u64;
        let mut entries = std::mem::take(&mut self.held.entries);
        entries.clear();
        if on_disk {
            entries = Vec::new();
        } else {
            self.seek(self.starts[site as usize])?;
            for _ in 0..self.pages(site) {
                entries.push(self.entry()?);
            }
        }
        self.held = LargerSite { site, entries, on_disk };
        Ok(())
    }

    fn seek(&mut self, entry: u64) -> Result<()> {
        // Relative, so that what is in the buffer is not read again.
        let now = self.lists.stream_position().at(&self.dir)?;
        self.lists.seek_relative((entry * ENTRY) as i64 - now as i64).at(&self.dir)
    }

    fn entry(&mut self) -> Result<(u64, u64)> {
        let (mut path, mut cluster) = ([0; 8], [0; 8]);
        self.lists.read_exact(&mut path).and_then(|()| self.lists.read_exact(&mut cluster)).at(&self.dir)?;
        Ok((u64::from_le_bytes(path), u64::from_le_bytes(cluster)))
    }

    /// Common paths of a site and the held one, and how many of them are in the same cluster.
    pub(crate) fn compare(&mut self, site: u32) -> Result<(u64, u64)> {
        let (mut common, mut agreeing) = (0, 0);
        let mut count = |other: (u64, u64), mine: (u64, u64)| {
            if other.0 == mine.0 {
                common += 1;
                agreeing += u64::from(other.1 == mine.1 && mine.1 != NO_CLUSTER);
            }
        };
        if self.held.on_disk {
            let (from, to) = (self.starts[self.held.site as usize], self.starts[self.held.site as usize + 1]);
            let mut low = from;
            for i in self.starts[site as usize]..self.starts[site as usize + 1] {
                self.seek(i)?;
                let mine = self.entry()?;
                low = self.find(mine.0, low, to)?;
                if low < to {
                    self.seek(low)?;
                    count(self.entry()?, mine);
                }
            }
            return Ok((common, agreeing));
        }
        let held = std::mem::take(&mut self.held.entries);
        self.seek(self.starts[site as usize])?;
        let mut rest = &held[..];
        for _ in 0..self.pages(site) {
            let mine = self.entry()?;
            rest = &rest[gallop(rest, mine.0)..];
            if let Some(&other) = rest.first() {
                count(other, mine);
            }
        }
        self.held.entries = held;
        Ok((common, agreeing))
    }

    /// The first entry of `low..high` whose hash is not less.
    fn find(&mut self, hash: u64, mut low: u64, mut high: u64) -> Result<u64> {
        while low < high {
            let middle = low + (high - low) / 2;
            self.seek(middle)?;
            if self.entry()?.0 < hash { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }
}

/// How many entries are less than `hash`, found in steps that double: near ends cost little.
fn gallop(entries: &[(u64, u64)], hash: u64) -> usize {
    let mut step = 1;
    while step < entries.len() && entries[step].0 < hash {
        step *= 2;
    }
    let from = step / 2;
    let to = (step + 1).min(entries.len());
    if entries.first().is_none_or(|entry| entry.0 >= hash) {
        return 0;
    }
    from + entries[from..to].partition_point(|entry| entry.0 < hash)
}
