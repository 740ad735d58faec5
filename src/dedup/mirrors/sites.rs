//! Sites of enough pages on disk: their names, and for each the hashes of its paths with their clusters.
//!
//! **Cost.** In memory 16 bytes a site; the lists are mapped.

use webmill_capture::error::{Error, Result};
use webmill_sort::{Budget, Mapped, MappedWriter, Strings, StringsWriter};

use crate::mirrors::Site;

/// The cluster of a page that is in none. A true cluster of that number would be taken as none.
pub(super) const NO_CLUSTER: u64 = u64::MAX;

/// Takes pages in the order of site and hash, and writes those of sites that have enough.
pub(super) struct SiteWriter {
    /// Hash of a path, cluster.
    lists: MappedWriter<[u64; 2]>,
    hosts: StringsWriter,
    schemes: StringsWriter,
    min_pages: usize,
    /// Where the list of each site begins.
    starts: Vec<u64>,
    /// The site that is being read.
    site: Option<Site>,
    /// Its pages, until there are enough of them.
    waiting: Vec<[u64; 2]>,
    written: bool,
    sites: u64,
}

impl SiteWriter {
    pub fn new(budget: &Budget, min_pages: u32) -> Result<Self> {
        let strings = || StringsWriter::create(&budget.temp_dir);
        Ok(SiteWriter {
            lists: MappedWriter::create(&budget.temp_dir)?,
            hosts: strings()?,
            schemes: strings()?,
            min_pages: min_pages as usize,
            starts: Vec::new(),
            site: None,
            waiting: Vec::new(),
            written: false,
            sites: 0,
        })
    }

    /// Takes a page; `in_cluster` is told (site, cluster) for each page of a site that is written.
    pub fn page(
        &mut self,
        (host, scheme): (&str, &str),
        path_and_cluster: [u64; 2],
        mut in_cluster: impl FnMut(u32, u64) -> Result<()>,
    ) -> Result<()> {
        if self.site.as_ref().is_none_or(|site| (&*site.host, &*site.scheme) != (host, scheme)) {
            self.site = Some(Site { host: host.to_owned(), scheme: scheme.to_owned() });
            self.waiting.clear();
            self.written = false;
            self.sites += 1;
        }
        self.waiting.push(path_and_cluster);
        if !self.written {
            if self.waiting.len() < self.min_pages {
                return Ok(());
            }
            if self.starts.len() >= u32::MAX as usize {
                return Err(Error::Limit("more sites than 32 bits number".to_owned()));
            }
            self.written = true;
            self.starts.push(self.lists.len());
            self.hosts.push(host)?;
            self.schemes.push(scheme)?;
        }
        let site = (self.starts.len() - 1) as u32;
        self.lists.extend(&self.waiting)?;
        let clusters = self.waiting.drain(..).map(|[_, cluster]| cluster);
        clusters.filter(|cluster| *cluster != NO_CLUSTER).try_for_each(|cluster| in_cluster(site, cluster))
    }

    /// The sites, and how many there were with those of too few pages.
    pub fn finish(mut self) -> Result<(SiteLists, u64)> {
        self.starts.push(self.lists.len());
        let starts = self.starts;
        let sites = starts.len() - 1;
        let mut order: Vec<u32> = (0..sites as u32).collect();
        order.sort_unstable_by_key(|&site| {
            let site = site as usize;
            (std::cmp::Reverse(starts[site + 1] - starts[site]), site)
        });
        let mut ranks = vec![0; sites];
        order.iter().enumerate().for_each(|(rank, &site)| ranks[site as usize] = rank as u32);
        let (lists, hosts, schemes) = (self.lists.finish()?, self.hosts.finish()?, self.schemes.finish()?);
        Ok((SiteLists { lists, hosts, schemes, starts, order, ranks }, self.sites))
    }
}

/// The sites of enough pages, numbered by name; their ranks are by number of pages, most first.
pub(super) struct SiteLists {
    lists: Mapped<[u64; 2]>,
    hosts: Strings,
    schemes: Strings,
    starts: Vec<u64>,
    order: Vec<u32>,
    ranks: Vec<u32>,
}

impl SiteLists {
    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn rank(&self, site: u32) -> u32 {
        self.ranks[site as usize]
    }

    pub fn by_rank(&self, rank: u32) -> u32 {
        self.order[rank as usize]
    }

    pub fn pages(&self, site: u32) -> u64 {
        self.list(site).len() as u64
    }

    pub fn name(&self, site: u32) -> Site {
        let name = |names: &Strings| names.get(site as usize).to_owned();
        Site { host: name(&self.hosts), scheme: name(&self.schemes) }
    }

    fn list(&self, site: u32) -> &[[u64; 2]] {
        &self.lists[self.starts[site as usize] as usize..self.starts[site as usize + 1] as usize]
    }

    /// Common paths of two sites, and how many of them are in the same cluster.
    pub fn compare(&self, larger: u32, smaller: u32) -> (u64, u64) {
        let (mut common, mut agreeing) = (0, 0);
        let mut rest = self.list(larger);
        for mine in self.list(smaller) {
            rest = &rest[gallop(rest, mine[0])..];
            if let Some(other) = rest.first().filter(|other| other[0] == mine[0]) {
                common += 1;
                agreeing += u64::from(other[1] == mine[1] && mine[1] != NO_CLUSTER);
            }
        }
        (common, agreeing)
    }
}

/// How many entries are less than `hash`, found in steps that double: near ends cost little.
fn gallop(entries: &[[u64; 2]], hash: u64) -> usize {
    let mut step = 1;
    while step < entries.len() && entries[step][0] < hash {
        step *= 2;
    }
    let from = step / 2;
    let to = (step + 1).min(entries.len());
    if entries.first().is_none_or(|entry| entry[0] >= hash) {
        return 0;
    }
    from + entries[from..to].partition_point(|entry| entry[0] < hash)
}
