//! Mirrors: pairs of sites whose pages match path by path.
//!
//! **Definition.** A site is a scheme and a host. Given the fetched pages of all sites, each with its path (query
//! included) and the cluster of duplicates that it is in, take two sites of at least
//! [`MirrorOptions::min_pages`] pages each that share at least [`MirrorOptions::min_clusters`] clusters. Their common paths are
//! those that both have; the agreeing ones among them are in the same cluster on both sites. The share is
//! agreeing / min(pages of the one, pages of the other). From [`MirrorOptions::mirror_from`] on they are mirrors, from
//! [`MirrorOptions::suspected_from`] on suspected; sites whose names differ in scheme or a leading `www.` only are told apart
//! from both ([`MirrorKind`]). A page that is in no cluster (no text) counts as fetched and agrees with nothing.
//!
//! **Algorithm.** Pages are sorted by site and hash of the path; sites of too few pages are skipped. The others are
//! written site by site, and sorted once more by cluster: sites of a cluster make candidate pairs, which are sorted and
//! counted. Each candidate is then decided by merging the two lists of paths, which are mapped.
//!
//! **Wide clusters.** A cluster on more than [`MirrorOptions::wide_cluster`] sites (an error page, a licence) would make as
//! many pairs as the square of that. There each site meets only the [`MirrorOptions::wide_neighbours`] that follow it in
//! one order of all sites, so mirrors of a whole network are still linked in a chain, and the work is linear. Such
//! clusters and the pairs that were not made are counted.
//!
//! **Cost.** The budget given, and 16 bytes for each site of enough pages; each page is sorted twice, at 16 bytes and the
//! host's name (the name once). The lists of two sites are read for each candidate pair, the smaller one's whole.
//!
//! **Determinism.** A function of the set of pages. Where a site has a path twice (two captures), the least
//! cluster counts.
//!
//! **Error.** Paths are compared by 64-bit hashes: of two sites of a million pages each, a false common path comes once in
//! 20 million pairs.
//!
//! **Reference.** Bharat, Broder, *Mirror, mirror on the Web*, doi:10.1016/S1389-1286(99)00021-3.

pub(crate) mod degree;
mod sites;

use webmill_capture::error::{Error, Result};
use webmill_capture::settings;
use webmill_sort::{Budget, RowSorter, Sorter, group};
use xxhash_rust::xxh3::xxh3_64;

use crate::mirrors::sites::{NO_CLUSTER, SiteLists, SiteWriter};

settings! {
    /// Settings of the search for mirrors.
    #[derive(Copy, PartialEq)]
    pub struct MirrorOptions {
        /// Least number of fetched pages of a site that may be a mirror (default 10, at least 1).
        pub min_pages: u32 = 10;
        /// Clusters that two sites must share to be compared (default 3, at least 1).
        pub min_clusters: u32 = 3;
        /// Share from which on two sites are mirrors: 0.7. No setting: what lies below is told as suspected, with its share.
        #[serde(skip)]
        pub mirror_from: f64 = 0.7;
        /// Share of common pages from which on two sites are reported as suspected mirrors, 0 to 0.7 (default 0.3).
        pub suspected_from: f64 = 0.3;
        /// Sites of a cluster from which on not every pair is made: 64, a bound of memory and time. Tests lower it.
        #[serde(skip)]
        pub wide_cluster: u32 = 64;
        /// Sites that a site meets in a wide cluster: 8.
        #[serde(skip)]
        pub wide_neighbours: u32 = 8;
    }
}

impl MirrorOptions {
    /// Whether the settings can work.
    ///
    /// # Errors
    /// `Config` with the setting and its range.
    pub fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::Config(what.to_owned()));
        if self.min_pages == 0 || self.min_clusters == 0 {
            return wrong("min_pages and min_clusters must be at least 1");
        }
        if !(0.0..=self.mirror_from).contains(&self.suspected_from) {
            return wrong("suspected_from must be 0 to 0.7");
        }
        Ok(())
    }
}

/// A scheme and a host.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// Canonical host, with its port if the URL has one.
    pub host: String,
    /// `http`, `https` or another one.
    pub scheme: String,
}

/// What two sites are to each other.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MirrorKind {
    /// Agreeing from [`MirrorOptions::mirror_from`] on.
    Mirror,
    /// Agreeing from [`MirrorOptions::suspected_from`] on.
    Suspected,
    /// One host under two schemes, agreeing from [`MirrorOptions::suspected_from`] on.
    Scheme,
    /// One host with and without `www.`, under one scheme or two, agreeing from [`MirrorOptions::suspected_from`] on.
    Www,
}

impl MirrorKind {
    /// The word in table `mirrors`.
    pub fn name(self) -> &'static str {
        match self {
            MirrorKind::Mirror => "mirror",
            MirrorKind::Suspected => "suspected",
            MirrorKind::Scheme => "scheme",
            MirrorKind::Www => "www",
        }
    }
}

/// Two sites whose pages match: a row of table `mirrors`.
#[derive(Clone, PartialEq, Debug)]
pub struct Mirror {
    /// The site that is first by host, then scheme.
    pub a: Site,
    /// The other.
    pub b: Site,
    /// Fetched pages of the first.
    pub pages_a: u64,
    /// Fetched pages of the other.
    pub pages_b: u64,
    /// Clusters that both have pages in; a lower bound where some of them are wide.
    pub shared_clusters: u32,
    /// Paths that both have.
    pub common_paths: u64,
    /// Common paths that are in the same cluster.
    pub agreeing: u64,
    /// agreeing / the lesser number of pages, 0 to 1.
    pub share: f64,
    /// What they are to each other.
    pub kind: MirrorKind,
}

/// What a search did.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct MirrorTotals {
    /// Pages taken.
    pub pages: u64,
    /// Pages that repeat a path of their site.
    pub repeated: u64,
    /// Pages whose host and scheme are longer than 4 KiB: not taken.
    pub refused: u64,
    /// Sites that were compared.
    pub sites: u64,
    /// Sites of too few pages.
    pub small_sites: u64,
    /// Clusters on more sites than [`MirrorOptions::wide_cluster`].
    pub wide_clusters: u64,
    /// Pairs that were not made in wide clusters.
    pub wide_pairs: u64,
    /// Pairs of sites that were compared.
    pub candidates: u64,
    /// Rows given.
    pub mirrors: u64,
}

/// Longest name of a site, in bytes.
const MAX_NAME: usize = 4 << 10;

/// A search for mirrors; pages are [`push`](Self::push)ed in any order.
///
/// # Examples
/// ```
/// use webmill_dedup::{MirrorOptions, MirrorSearch};
/// use webmill_sort::Budget;
/// let mut search = MirrorSearch::new(MirrorOptions::default(), &Budget::new(1 << 20))?;
/// for page in 0..12u64 {
///     search.push("http", "a.org", &format!("/{page}"), Some(page))?;
///     search.push("http", "b.net", &format!("/{page}"), Some(if page < 9 { page } else { 100 + page }))?;
/// }
/// let mut found = Vec::new();
/// search.finish(|mirror| Ok(found.push(mirror)))?;
/// assert_eq!((found[0].common_paths, found[0].agreeing, found[0].share), (12, 9, 0.75));
/// assert_eq!((found[0].a.host.as_str(), found[0].kind.name()), ("a.org", "mirror"));
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct MirrorSearch {
    options: MirrorOptions,
    budget: Budget,
    pages: RowSorter<Page, ()>,
    totals: MirrorTotals,
}

/// Host, scheme, hash of the path, cluster.
type Page = (String, String, u64, u64);

/// (cluster, site), each once.
type OfCluster = [u64; 2];

/// (larger site, smaller site, clusters in common).
type Candidate = [u32; 3];

impl MirrorSearch {
    /// An empty search within `budget`.
    ///
    /// # Errors
    /// `Config` for settings out of range.
    pub fn new(options: MirrorOptions, budget: &Budget) -> Result<Self> {
        options.check()?;
        let pages = RowSorter::new(&budget.share(2));
        Ok(MirrorSearch { options, budget: budget.clone(), pages, totals: MirrorTotals::default() })
    }

    /// Takes a fetched page: scheme and host of its canonical URL, path with query, and the number of its cluster.
    ///
    /// # Errors
    /// `Io` where a run cannot be written.
    pub fn push(&mut self, scheme: &str, host: &str, path: &str, cluster: Option<u64>) -> Result<()> {
        if scheme.len() + host.len() > MAX_NAME {
            self.totals.refused += 1;
            return Ok(());
        }
        self.totals.pages += 1;
        // Pages of no cluster come last, so that of two captures the one with a cluster counts.
        let page = (host, scheme, xxh3_64(path.as_bytes()), cluster.unwrap_or(NO_CLUSTER));
        self.pages.push(&page, &())
    }

    /// Gives `emit` every pair of sites that match, ordered by size of the larger site.
    ///
    /// # Errors
    /// `Io` for temporary files, `Limit` past four thousand million sites; the first error of `emit`, which ends the search.
    pub fn finish(self, mut emit: impl FnMut(Mirror) -> Result<()>) -> Result<MirrorTotals> {
        let MirrorSearch { options, budget, pages, mut totals } = self;
        let (sites, of_cluster) = read_sites(pages, &options, &budget, &mut totals)?;
        let candidates = make_candidates(of_cluster, &sites, &options, &budget, &mut totals)?;
        for candidate in candidates.finish()? {
            let [larger, smaller, shared_clusters] = candidate?;
            if shared_clusters < options.min_clusters {
                continue;
            }
            totals.candidates += 1;
            let (larger, smaller) = (sites.by_rank(larger), sites.by_rank(smaller));
            let (common_paths, agreeing) = sites.compare(larger, smaller);
            let share = agreeing as f64 / sites.pages(smaller) as f64;
            if share < options.suspected_from || agreeing == 0 {
                continue;
            }
            let (a, b) = (larger.min(smaller), larger.max(smaller));
            let (pages_a, pages_b) = (sites.pages(a), sites.pages(b));
            let (a, b) = (sites.name(a), sites.name(b));
            let kind = kind_of(&a, &b, share, &options);
            totals.mirrors += 1;
            emit(Mirror { a, b, pages_a, pages_b, shared_clusters, common_paths, agreeing, share, kind })?;
        }
        Ok(totals)
    }
}

fn kind_of(a: &Site, b: &Site, share: f64, options: &MirrorOptions) -> MirrorKind {
    fn bare(site: &Site) -> &str {
        site.host.strip_prefix("www.").unwrap_or(&site.host)
    }
    if a.host == b.host {
        MirrorKind::Scheme
    } else if bare(a) == bare(b) {
        MirrorKind::Www
    } else if share >= options.mirror_from {
        MirrorKind::Mirror
    } else {
        MirrorKind::Suspected
    }
}

/// Writes the sites of enough pages, and says in which clusters they are.
fn read_sites(
    pages: RowSorter<Page, ()>,
    options: &MirrorOptions,
    budget: &Budget,
    totals: &mut MirrorTotals,
) -> Result<(SiteLists, Sorter<OfCluster>)> {
    let mut of_cluster =
        Sorter::new(&budget.share(4)).with_combine(|first: &mut OfCluster, next| first == next);
    let mut writer = SiteWriter::new(budget, options.min_pages)?;
    let one_path = |(a, ()): &(Page, ()), (b, ()): &(Page, ())| (&a.0, &a.1, a.2) == (&b.0, &b.1, b.2);
    group(pages.finish()?, one_path, |((host, scheme, path, cluster), ()), again| {
        again.try_for_each(|page| page.map(|_| totals.repeated += 1))?;
        writer.page((host, scheme), [*path, *cluster], |site, cluster| {
            of_cluster.push([cluster, u64::from(site)])
        })
    })?;
    let (sites, all) = writer.finish()?;
    totals.sites = all;
    totals.small_sites = all - sites.len() as u64;
    Ok((sites, of_cluster))
}

/// Pairs of sites that have clusters in common.
fn make_candidates(
    of_cluster: Sorter<OfCluster>,
    sites: &SiteLists,
    options: &MirrorOptions,
    budget: &Budget,
    totals: &mut MirrorTotals,
) -> Result<Sorter<Candidate>> {
    let mut candidates = Sorter::new(&budget.share(4)).with_combine(|first: &mut Candidate, next| {
        let same = first[..2] == next[..2];
        first[2] = if same { first[2].saturating_add(next[2]) } else { first[2] };
        same
    });
    let mut pair = |a: u32, b: u32| {
        let (a, b) = (sites.rank(a), sites.rank(b));
        candidates.push([a.min(b), a.max(b), 1])
    };
    // The first sites of a cluster wait until it is known how many there are; in a wide one the last few.
    let (narrow, neighbours) = (options.wide_cluster as usize, options.wide_neighbours as usize);
    let mut waiting: Vec<u32> = Vec::new();
    let one_cluster = |a: &OfCluster, b: &OfCluster| a[0] == b[0];
    group(of_cluster.finish()?, one_cluster, |first, others| {
        let mut count = 0u64;
        for entry in std::iter::once(Ok(*first)).chain(others) {
            count += 1;
            waiting.push(entry?[1] as u32);
            if waiting.len() > narrow + neighbours {
                // Wide: those that have met all they meet go.
                let met = waiting.len() - neighbours;
                link(&waiting, met, neighbours, &mut pair)?;
                waiting.drain(..met);
            }
        }
        let wide = count > narrow as u64;
        link(&waiting, waiting.len(), if wide { neighbours } else { waiting.len() }, &mut pair)?;
        waiting.clear();
        if wide {
            let each = (neighbours as u64).min(count - 1);
            let made = each * count - each * (each + 1) / 2;
            totals.wide_clusters += 1;
            totals.wide_pairs =
                totals.wide_pairs.saturating_add((count * (count - 1) / 2).saturating_sub(made));
        }
        Ok(())
    })?;
    Ok(candidates)
}

/// Pairs each of the first `until` sites with the `neighbours` that follow it.
fn link(
    sites: &[u32],
    until: usize,
    neighbours: usize,
    pair: &mut impl FnMut(u32, u32) -> Result<()>,
) -> Result<()> {
    for (i, &a) in sites[..until].iter().enumerate() {
        for &b in sites[i + 1..].iter().take(neighbours) {
            pair(a, b)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
