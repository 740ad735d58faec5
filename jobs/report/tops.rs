//! The best pages and hosts by each measure.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use webmill_capture::Result;
use webmill_table::TableReader;

use super::Sources;
use super::corpus::Corpus;

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
    measure: Measure,
    rows: Vec<Scored>,
}

impl Best {
    fn offer(&mut self, row: &Scored) {
        let worst = self.rows.get(self.most - 1).map_or(f64::NEG_INFINITY, self.measure);
        if (self.measure)(row) > worst && (self.measure)(row) > 0.0 {
            let at = self.rows.partition_point(|r| {
                (self.measure)(r).partial_cmp(&(self.measure)(row)).is_some_and(Ordering::is_ge)
            });
            self.rows.insert(at, row.clone());
            self.rows.truncate(self.most);
        }
    }
}

impl Tops {
    /// Reads table `ranks` and titles from `pages`; gives the hosts their scores.
    pub fn read(sources: &Sources, corpus: &mut Corpus, most: usize) -> Result<Self> {
        let best = |measure: Measure| Best { most: most.max(1), measure, rows: Vec::new() };
        let mut pages = MEASURES.map(|(_, measure)| best(measure));
        let mut hosts = MEASURES.map(|(_, measure)| best(measure));
        let mut domains = MEASURES.map(|(_, measure)| best(measure));
        let mut wanted = best(|r| r.pagerank);
        let host_of = hosts_of_pages(sources)?;
        let mut sums: Vec<f64> = vec![0.0; host_of.iter().max().map_or(0, |h| *h as usize + 1)];
        let mut host_scores: BTreeMap<u32, Scored> = BTreeMap::new();
        let columns = [
            "level",
            "node",
            "url",
            "crawled",
            "pagerank",
            "authority",
            "hub",
            "salsa_authority",
            "harmonic",
            "indegree",
            "outdegree",
        ];
        let mut reader = TableReader::open(&sources.rank.path("ranks"), &columns)?;
        while let Some(batch) = reader.next()? {
            let (level, node, url) = (batch.str("level")?, batch.u32("node")?, batch.str("url")?);
            let (pagerank, authority, hub) =
                (batch.f64("pagerank")?, batch.f64("authority")?, batch.f64("hub")?);
            let (salsa, harmonic) = (batch.f64("salsa_authority")?, batch.f64("harmonic")?);
            let (indegree, outdegree) = (batch.u32("indegree")?, batch.u32("outdegree")?);
            let crawled = batch.bool("crawled")?;
            for i in 0..batch.len() {
                let level = level.get(i).unwrap_or_default();
                let node = node.get(i).unwrap_or_default();
                let score = pagerank.get(i).unwrap_or(0.0);
                let row = Scored {
                    url: url.get(i).unwrap_or_default().to_owned(),
                    pagerank: score,
                    authority: authority.get(i).unwrap_or(0.0),
                    hub: hub.get(i).unwrap_or(0.0),
                    salsa_authority: salsa.get(i).unwrap_or(0.0),
                    harmonic: harmonic.get(i).unwrap_or(0.0),
                    indegree: indegree.get(i).unwrap_or(0),
                    outdegree: outdegree.get(i).unwrap_or(0),
                };
                if level == "page" {
                    if let Some(host) = host_of.get(node as usize) {
                        sums[*host as usize] += score;
                    }
                    if crawled.get(i) != Some(true) {
                        wanted.offer(&row);
                    } else if !corpus.noindex.contains(&row.url) {
                        pages.iter_mut().for_each(|best| best.offer(&row));
                    }
                } else if crawled.get(i) == Some(true) && level == "domain" {
                    domains.iter_mut().for_each(|best| best.offer(&row));
                } else if crawled.get(i) == Some(true) {
                    hosts.iter_mut().for_each(|best| best.offer(&row));
                    host_scores.insert(node, row);
                }
            }
        }
        for (node, row) in host_scores {
            let sum = sums.get(node as usize).copied().unwrap_or(0.0);
            corpus.rank_host(&row.url, row.pagerank, row.indegree, row.outdegree, sum);
        }
        let [pages, hosts, domains] = [pages, hosts, domains].map(|lists| lists.map(|best| best.rows));
        let mut tops = Tops { pages, wanted: wanted.rows, hosts, domains, titles: HashMap::new() };
        tops.read_titles(sources, corpus)?;
        Ok(tops)
    }

    fn read_titles(&mut self, sources: &Sources, corpus: &Corpus) -> Result<()> {
        let mut wanted: HashMap<String, String> =
            self.pages.iter().flatten().map(|r| (r.url.clone(), String::new())).collect();
        wanted.extend(corpus.clusters.iter().map(|c| (c.1.clone(), String::new())));
        // Of several captures the latest good one names the page.
        let mut seen: HashMap<String, Option<i64>> = HashMap::new();
        let columns = ["url", "title", "fetch_time", "fetch_status"];
        let mut reader = TableReader::open(&sources.extract.path("pages"), &columns)?;
        while let Some(batch) = reader.next()? {
            let (url, title) = (batch.str("url")?, batch.str("title")?);
            let (time, status) = (batch.millis("fetch_time")?, batch.i16("fetch_status")?);
            for i in 0..batch.len() {
                if !matches!(status.get(i), None | Some(200..=299)) {
                    continue;
                }
                if let (Some(url), Some(title)) = (url.get(i), title.get(i))
                    && let Some(slot) = wanted.get_mut(url)
                {
                    let before = seen.get(url).copied();
                    if before.is_none_or(|b| (time.get(i), title) > (b, slot.as_str())) {
                        title.clone_into(slot);
                        seen.insert(url.to_owned(), time.get(i));
                    }
                }
            }
        }
        self.titles = wanted;
        Ok(())
    }
}

/// Number of the host of each page: 4 bytes a node.
fn hosts_of_pages(sources: &Sources) -> Result<Vec<u32>> {
    let mut hosts = Vec::new();
    let mut reader = TableReader::open(&sources.graph.path("nodes"), &["level", "host"])?;
    while let Some(batch) = reader.next()? {
        let (level, host) = (batch.str("level")?, batch.u32("host")?);
        hosts.extend(
            (0..batch.len())
                .filter(|i| level.get(*i) == Some("page"))
                .map(|i| host.get(i).unwrap_or_default()),
        );
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_stay_in_order_and_ties_keep_the_first() {
        let mut best = Best { most: 3, measure: |r| r.pagerank, rows: Vec::new() };
        for (url, pagerank) in [("a", 0.1), ("b", 0.3), ("c", 0.1), ("d", 0.2), ("e", 0.3), ("f", 0.0)] {
            best.offer(&Scored { url: url.into(), pagerank, ..Scored::default() });
        }
        let names: Vec<_> = best.rows.iter().map(|r| r.url.as_str()).collect();
        assert_eq!(names, ["b", "e", "d"]);
    }
}
