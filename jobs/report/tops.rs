//! The best pages and hosts by each measure.

use std::collections::{BTreeSet, HashMap};

use webmill_capture::{Error, Result};
use webmill_graph::measure::{self, Score, Values};
use webmill_mill::PageRow;
use webmill_sort::look_up;
use webmill_table::{NumberReader, Reader, Rows, columns};

use super::Sources;
use super::corpus::{Corpus, Noindex};
use super::hosts::Hosts;
use super::tables::HostRow;
use crate::graph::tables::NodeRow;
use crate::levels::{Level, part_file, read_level};
use crate::rank::places::{Place, Places};
use crate::rank::tables::{RankRow, read_scores};

/// Scores of a page or host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scored {
    /// URL or host.
    pub url: String,
    pub pagerank: f64,
    /// A number for each score of [`listed`].
    pub scores: Vec<f64>,
    pub indegree: u32,
    pub outdegree: u32,
    /// Of pages by PageRank: among the crawled ones and among all nodes.
    pub places: Option<[Place; 2]>,
}

/// The scores by which there are top lists, PageRank first: the real numbers of those that table `agreement` compares.
pub fn listed() -> impl Iterator<Item = &'static Score> {
    measure::columns().filter(|score| score.compared && score.values != Values::Counts)
}

/// A list for each score of [`listed`].
pub type Lists = Vec<Vec<Scored>>;

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

/// Keeps the `most` best of a stream by one number; of equal ones the first.
struct BestRows {
    most: usize,
    rows: Vec<(f64, Scored)>,
}

impl BestRows {
    fn new(most: usize) -> Self {
        BestRows { most: most.max(1), rows: Vec::new() }
    }

    fn offer(&mut self, score: f64, row: &Row<'_>) {
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
    /// A node and the scores that are asked for by name.
    struct RankColumns from RankRow { node, url, crawled, pagerank, indegree }
}

columns! {
    struct PageRank from RankRow { crawled, pagerank }
}

/// A row of table `ranks`.
struct Row<'a> {
    ranked: RankColumns<'a>,
    /// Numbers of the row group: for each score of [`listed`], then out-degrees.
    numbers: &'a [Vec<f64>],
    at: usize,
}

columns! {
    /// A page's place in the order of the graph, and its host.
    struct NodeColumns from NodeRow { url, url_sortkey, host }
}

columns! {
    struct TitleColumns from PageRow { url, title, fetch_time, fetch_status }
}

impl Row<'_> {
    /// The number of each listed score; 0 for null.
    fn scores(&self) -> impl Iterator<Item = f64> {
        let listed = self.numbers.len() - 1;
        self.numbers[..listed].iter().map(|of| if of[self.at].is_nan() { 0.0 } else { of[self.at] })
    }

    fn outdegree(&self) -> u32 {
        self.numbers.last().map_or(0, |of| of[self.at] as u32)
    }

    fn scored(&self) -> Scored {
        Scored {
            url: self.ranked.url.to_owned(),
            pagerank: self.ranked.pagerank,
            scores: self.scores().collect(),
            indegree: self.ranked.indegree,
            outdegree: self.outdegree(),
            places: None,
        }
    }
}

/// Reads table `ranks` of a level, row group by row group.
struct Ranks {
    named: Reader<RankColumns<'static>>,
    numbers: NumberReader,
}

/// A row group of table `ranks`.
type RankGroup = (Rows<RankColumns<'static>>, Vec<Vec<f64>>);

impl Ranks {
    fn open(sources: &Sources, level: Level) -> Self {
        let outdegree = measure::columns().filter(|score| score.name == "outdegree");
        let named = read_level::<RankColumns>(&sources.rank, level);
        Ranks { named, numbers: read_scores(&sources.rank, level, listed().chain(outdegree)) }
    }

    fn next(&mut self) -> Result<Option<RankGroup>> {
        Ok(self.named.next()?.zip(self.numbers.next()?))
    }
}

/// The rows of a row group.
fn rows((named, numbers): &RankGroup) -> impl Iterator<Item = Row<'_>> {
    named.rows().enumerate().map(|(at, ranked)| Row { ranked, numbers, at })
}

/// Offers a row to the list of each score.
fn offer(lists: &mut [BestRows], row: &Row<'_>) {
    lists.iter_mut().zip(row.scores()).for_each(|(best, score)| best.offer(score, row));
}

impl Tops {
    /// Reads table `ranks` and titles from `pages`; gives the hosts their scores. Memory: the lists with titles, and 8 bytes a
    /// host.
    pub fn read(
        sources: &Sources,
        hosts: &mut Hosts,
        most: usize,
        corpus: &Corpus,
        noindex: Noindex,
    ) -> Result<Self> {
        let mut tops = Tops::default();
        let sums = tops.read_pages(sources, most, noindex)?;
        tops.hosts = read_groups(sources, Level::Host, most, |node, row| {
            let of_host = HostRow {
                pagerank: row.ranked.pagerank,
                hosts_in: row.ranked.indegree,
                hosts_out: row.outdegree(),
                page_rank_sum: sums.get(node as usize).copied().unwrap_or(0.0),
                ..HostRow::default()
            };
            hosts.ranked(row.ranked.url, node, &of_host)
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
    fn read_pages(&mut self, sources: &Sources, most: usize, noindex: Noindex) -> Result<Vec<f64>> {
        let mut lists = bests(most);
        let mut wanted = BestRows::new(most);
        let mut noindex = noindex.peekable();
        let mut sums = Vec::new();
        let mut nodes =
            Reader::<NodeColumns>::over(vec![sources.graph.path(&part_file("nodes", Level::Page))]);
        let mut ranks = Ranks::open(sources, Level::Page);
        let mut group: Option<RankGroup> = None;
        let mut next = 0;
        while let Some(placed) = nodes.next()? {
            for page in placed.rows() {
                // Both tables are in the order of nodes; their row groups end by bytes, so not at the same ones.
                while group.as_ref().is_none_or(|(ranked, _)| next == ranked.len()) {
                    (group, next) = (Some(ranks.next()?.ok_or_else(of_another_graph)?), 0);
                }
                let Some((ranked, numbers)) = &group else { continue };
                let row = Row { ranked: ranked.get(next), numbers, at: next };
                next += 1;
                if page.url != row.ranked.url {
                    return Err(of_another_graph());
                }
                let host = page.host as usize;
                if sums.len() <= host {
                    sums.resize(host + 1, 0.0);
                }
                sums[host] += row.ranked.pagerank;
                let left_out = look_up(&mut noindex, |(surt, url)| {
                    (surt.as_str(), url.as_str()).cmp(&(page.url_sortkey, page.url))
                })?
                .is_some();
                if !row.ranked.crawled {
                    wanted.offer(row.ranked.pagerank, &row);
                } else if !left_out {
                    offer(&mut lists, &row);
                }
            }
        }
        if group.is_some_and(|(ranked, _)| next < ranked.len()) || ranks.next()?.is_some() {
            return Err(of_another_graph());
        }
        (self.pages, self.wanted) = (into_rows(lists), wanted.into_rows());
        let mut places = Places::of(self.pages.iter().flatten().map(|page| page.pagerank).collect());
        let mut ranks = read_level::<PageRank>(&sources.rank, Level::Page);
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
        let mut reader = Reader::<TitleColumns>::open(&sources.extract.path("pages"))?;
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

fn bests(most: usize) -> Vec<BestRows> {
    listed().map(|_| BestRows::new(most)).collect()
}

fn into_rows(lists: Vec<BestRows>) -> Lists {
    lists.into_iter().map(BestRows::into_rows).collect()
}

/// The lists of a level of hosts or domains; `each` is given every crawled node.
fn read_groups(
    sources: &Sources,
    level: Level,
    most: usize,
    mut each: impl FnMut(u32, &Row<'_>) -> Result<()>,
) -> Result<Lists> {
    let mut lists = bests(most);
    let mut ranks = Ranks::open(sources, level);
    while let Some(group) = ranks.next()? {
        for row in rows(&group).filter(|row| row.ranked.crawled) {
            offer(&mut lists, &row);
            each(row.ranked.node, &row)?;
        }
    }
    Ok(into_rows(lists))
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_stay_in_order_and_ties_keep_the_first() {
        let mut best = BestRows::new(3);
        for (url, pagerank) in [("a", 0.1), ("b", 0.3), ("c", 0.1), ("d", 0.2), ("e", 0.3), ("f", 0.0)] {
            let ranked = RankColumns { node: 0, url, crawled: true, pagerank, indegree: 0 };
            best.offer(pagerank, &Row { ranked, numbers: &[vec![0.0]], at: 0 });
        }
        let names: Vec<_> = best.into_rows().into_iter().map(|r| r.url).collect();
        assert_eq!(names, ["b", "e", "d"]);
    }
}
