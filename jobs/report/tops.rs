//! The best pages and hosts by each measure.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use webmill_capture::{Error, Result};
use webmill_mill::PageRow;
use webmill_sort::SortedBytes;
use webmill_table::{Reader, columns};

use super::Sources;
use super::corpus::Corpus;
use super::hosts::Hosts;
use super::tables::HostRow;
use crate::graph::tables::NodeRow;
use crate::levels::{Level, part_file};
use crate::rank::places::{Place, Places};
use crate::rank::tables::RankRow;

/// Scores of a page or host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scored {
    /// URL or host.
    pub url: String,
    /// The scores.
    pub pagerank: f64,
    pub authority: f64,
    pub hub: f64,
    pub salsa_authority: f64,
    pub harmonic: f64,
    pub indegree: u32,
    pub outdegree: u32,
    /// Of pages by PageRank: among the crawled ones and among all nodes.
    pub places: Option<[Place; 2]>,
}

/// Takes a score from a row.
pub type Measure = fn(&Scored) -> f64;

/// The measures of the top lists, in their order.
pub const MEASURES: [(&str, Measure); 5] = [
    ("PageRank", |r| r.pagerank),
    ("authority", |r| r.authority),
    ("hub", |r| r.hub),
    ("SALSA", |r| r.salsa_authority),
    ("harmonic", |r| r.harmonic),
];

/// The same of rows of table `ranks`.
const COLUMNS: [fn(&Ranked<'_>) -> f64; MEASURES.len()] =
    [|r| r.pagerank, |r| r.authority, |r| r.hub, |r| r.salsa_authority, |r| r.harmonic.unwrap_or(0.0)];

/// A list for each of the measures.
pub type Lists = [Vec<Scored>; MEASURES.len()];

/// Top lists.
#[derive(Default)]
pub struct Tops {
    pub pages: Lists,
    /// Link targets that were not crawled: what a crawl would want next.
    pub wanted: Vec<Scored>,
    pub hosts: Lists,
    pub domains: Lists,
    /// Titles of the pages in the lists.
    pub titles: HashMap<String, String>,
}

/// Keeps the `most` best of a stream; of equal ones the first.
struct Best {
    most: usize,
    measure: fn(&Ranked<'_>) -> f64,
    rows: Vec<(f64, Scored)>,
}

impl Best {
    fn new(most: usize, measure: fn(&Ranked<'_>) -> f64) -> Self {
        Best { most: most.max(1), measure, rows: Vec::new() }
    }

    fn offer(&mut self, row: &Ranked<'_>) {
        let score = (self.measure)(row);
        let worst = self.rows.get(self.most - 1).map_or(f64::NEG_INFINITY, |(score, _)| *score);
        if score > worst && score > 0.0 {
            let at = self.rows.partition_point(|(other, _)| *other >= score);
            self.rows.insert(at, (score, row.scored()));
            self.rows.truncate(self.most);
        }
    }

    fn into_rows(self) -> Vec<Scored> {
        self.rows.into_iter().map(|(_, row)| row).collect()
    }
}

columns! {
    /// A node and its scores.
    struct Ranked from RankRow {
        node, url, crawled, pagerank, authority, hub, salsa_authority, harmonic, indegree, outdegree,
    }
}

columns! {
    struct Score from RankRow { crawled, pagerank }
}

columns! {
    /// A page's place in the order of the graph, and its host.
    struct Placed from NodeRow { url, url_sortkey, host }
}

columns! {
    struct Titled from PageRow { url, title, fetch_time, fetch_status }
}

impl Ranked<'_> {
    fn scored(&self) -> Scored {
        Scored {
            url: self.url.to_owned(),
            pagerank: self.pagerank,
            authority: self.authority,
            hub: self.hub,
            salsa_authority: self.salsa_authority,
            harmonic: self.harmonic.unwrap_or(0.0),
            indegree: self.indegree,
            outdegree: self.outdegree,
            places: None,
        }
    }
}

impl Tops {
    /// Reads table `ranks` and titles from `pages`; gives the hosts their scores. Memory: the lists with titles, and 8 bytes a
    /// host.
    pub fn read(
        sources: &Sources,
        hosts: &mut Hosts,
        most: usize,
        corpus: &Corpus,
        noindex: SortedBytes,
    ) -> Result<Self> {
        let mut tops = Tops::default();
        let sums = tops.read_pages(sources, most, noindex)?;
        tops.hosts = read_groups(sources, Level::Host, most, |node, row| {
            let of_host = HostRow {
                pagerank: row.pagerank,
                hosts_in: row.indegree,
                hosts_out: row.outdegree,
                page_rank_sum: sums.get(node as usize).copied().unwrap_or(0.0),
                ..HostRow::default()
            };
            hosts.ranked(row.url, node, &of_host)
        })?;
        tops.domains = read_groups(sources, Level::Domain, most, |_, _| Ok(()))?;
        tops.read_titles(sources, corpus)?;
        Ok(tops)
    }

    /// Names of the hosts in the list by PageRank.
    pub fn host_names(&self) -> BTreeSet<String> {
        self.hosts[0].iter().map(|row| row.url.clone()).collect()
    }

    /// Reads the level of pages, whose rows stand in the order of table `nodes`; returns the sum of PageRank over the pages
    /// of each host.
    fn read_pages(&mut self, sources: &Sources, most: usize, noindex: SortedBytes) -> Result<Vec<f64>> {
        let mut lists = bests(most);
        let mut wanted = Best::new(most, |r| r.pagerank);
        let mut noindex = Noindex { sorted: noindex, next: None };
        noindex.advance()?;
        let mut sums = Vec::new();
        let mut nodes = Reader::<Placed>::over(vec![sources.graph.path(&part_file("nodes", Level::Page))]);
        let mut ranks = Reader::<Ranked>::over(vec![sources.rank.path(&part_file("ranks", Level::Page))]);
        while let Some(placed) = nodes.next()? {
            // Both tables are written in row groups of one size, node by node.
            let ranked =
                ranks.next()?.filter(|ranked| ranked.len() == placed.len()).ok_or_else(of_another_graph)?;
            for (page, row) in placed.rows().zip(ranked.rows()) {
                if page.url != row.url {
                    return Err(of_another_graph());
                }
                let host = page.host as usize;
                if sums.len() <= host {
                    sums.resize(host + 1, 0.0);
                }
                sums[host] += row.pagerank;
                let left_out = noindex.holds(page.url_sortkey, page.url)?;
                if !row.crawled {
                    wanted.offer(&row);
                } else if !left_out {
                    lists.iter_mut().for_each(|best| best.offer(&row));
                }
            }
        }
        if ranks.next()?.is_some() {
            return Err(of_another_graph());
        }
        (self.pages, self.wanted) = (lists.map(|best| best.into_rows()), wanted.into_rows());
        let mut places = Places::of(self.pages.iter().flatten().map(|page| page.pagerank).collect());
        let mut ranks = Reader::<Score>::over(vec![sources.rank.path(&part_file("ranks", Level::Page))]);
        while let Some(batch) = ranks.next()? {
            batch.rows().for_each(|node| places.see(node.pagerank, node.crawled));
        }
        let places = places.counted();
        self.pages.iter_mut().flatten().for_each(|page| page.places = Some(places.get(page.pagerank)));
        Ok(sums)
    }

    fn read_titles(&mut self, sources: &Sources, corpus: &Corpus) -> Result<()> {
        let mut wanted: HashMap<String, String> =
            self.pages.iter().flatten().map(|r| (r.url.clone(), String::new())).collect();
        wanted.extend(corpus.clusters.iter().map(|c| (c.1.clone(), String::new())));
        // Of several captures the latest good one names the page.
        let mut seen: HashMap<String, Option<i64>> = HashMap::new();
        let mut reader = Reader::<Titled>::open(&sources.extract.path("pages"))?;
        while let Some(batch) = reader.next()? {
            for page in batch.rows() {
                if !matches!(page.fetch_status, None | Some(200..=299)) {
                    continue;
                }
                if let Some(title) = page.title
                    && let Some(slot) = wanted.get_mut(page.url)
                {
                    let before = seen.get(page.url).copied();
                    let time = page.fetch_time.0;
                    if before.is_none_or(|b| (time, title) > (b, slot.as_str())) {
                        title.clone_into(slot);
                        seen.insert(page.url.to_owned(), time);
                    }
                }
            }
        }
        self.titles = wanted;
        Ok(())
    }
}

fn of_another_graph() -> Error {
    Error::Config(
        "the ranks here are of another graph than the latest: run `webmill rank` with this --out again"
            .into(),
    )
}

fn bests(most: usize) -> [Best; MEASURES.len()] {
    COLUMNS.map(|measure| Best::new(most, measure))
}

/// The lists of a level of hosts or domains; `each` is given every crawled node.
fn read_groups(
    sources: &Sources,
    level: Level,
    most: usize,
    mut each: impl FnMut(u32, &Ranked<'_>) -> Result<()>,
) -> Result<Lists> {
    let mut lists = bests(most);
    let mut ranks = Reader::<Ranked>::over(vec![sources.rank.path(&part_file("ranks", level))]);
    while let Some(batch) = ranks.next()? {
        for row in batch.rows().filter(|row| row.crawled) {
            lists.iter_mut().for_each(|best| best.offer(&row));
            each(row.node, &row)?;
        }
    }
    Ok(lists.map(|best| best.into_rows()))
}

/// URLs that ask to be left out, looked up in their order.
struct Noindex {
    sorted: SortedBytes,
    next: Option<Vec<u8>>,
}

impl Noindex {
    fn advance(&mut self) -> Result<()> {
        let next = self.sorted.next().transpose()?;
        self.next = next.map(|(key, _)| key.to_vec());
        Ok(())
    }

    /// Whether a page is among them; pages are asked for in ascending order.
    fn holds(&mut self, surt: &str, url: &str) -> Result<bool> {
        while let Some(next) = &self.next {
            let (noted_surt, noted_url) = next.split_at(memchr::memchr(0, next).unwrap_or(next.len()));
            match (noted_surt, noted_url.get(1..).unwrap_or_default()).cmp(&(surt.as_bytes(), url.as_bytes()))
            {
                Ordering::Less => self.advance()?,
                order => return Ok(order == Ordering::Equal),
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_stay_in_order_and_ties_keep_the_first() {
        let mut best = Best::new(3, |r| r.pagerank);
        for (url, pagerank) in [("a", 0.1), ("b", 0.3), ("c", 0.1), ("d", 0.2), ("e", 0.3), ("f", 0.0)] {
            let zero = 0.0;
            best.offer(&Ranked {
                node: 0,
                url,
                crawled: true,
                pagerank,
                authority: zero,
                hub: zero,
                salsa_authority: zero,
                harmonic: None,
                indegree: 0,
                outdegree: 0,
            });
        }
        let names: Vec<_> = best.into_rows().into_iter().map(|r| r.url).collect();
        assert_eq!(names, ["b", "e", "d"]);
    }
}
