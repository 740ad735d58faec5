//! Where the page stands in the graph: its scores, where its PageRank comes from, who links to it and to whom it links.

use anyhow::Result;
use webmill_graph::Csr;
use webmill_graph::measure::{self, Score};
use webmill_run::Committed;
use webmill_table::{GroupFacts, Reader, columns};

use super::shown::{ComesFrom, Contribution, Linked, Links, List, PageReport, Rank};
use super::tables::{LookupKeys, Tables};
use crate::anchors::Anchors;
use webmill_jobs::graph::open::{find_page, page_names};
use webmill_jobs::job::mixed;
use webmill_jobs::levels::{Level, open_graph, part_file, read_level};
use webmill_jobs::rank::places::{Place, Places};
use webmill_jobs::rank::tables::{RankRow, read_scores};
use webmill_jobs::rank::{Rank as RankSettings, Vectors};

columns! {
    struct RankColumns from RankRow { node, url, crawled, pagerank }
}

columns! {
    struct PageRank from RankRow { pagerank, crawled }
}

/// Anchors that are listed of one page.
const ANCHORS: usize = 3;

/// A node of the graph, with the known facts about all nodes.
struct InGraph<'a> {
    graph: &'a Committed,
    csr: Csr,
    node: u32,
    /// PageRank of all nodes, where it was computed on this graph.
    scores: Option<Vec<f64>>,
}

/// Scores and links of the page; whether it is a node at all.
pub fn web(
    tables: &mut Tables,
    page: &LookupKeys,
    most: usize,
    memory: u64,
    shown: &mut PageReport,
) -> Result<bool> {
    let Some(graph) = tables.owned("graph")? else {
        tables.folder("graph", "nodes")?;
        return Ok(false);
    };
    let Some(node) = find_page(&graph, page.url.as_str())? else { return Ok(false) };
    let csr = open_graph(&graph, Level::Page)?;
    let mut at = InGraph { graph: &graph, csr, node, scores: None };
    if tables.folder("rank", "ranks")?.is_some()
        && let Some(ranks) = tables.owned("rank")?
    {
        if mixed(&[&graph, &ranks]).is_empty() {
            at.rank(tables, page, &ranks, most, memory, shown)?;
        } else {
            tables.lack(
                "ranks",
                "the latest ranks are not of the latest graph: run `webmill rank` again".into(),
            );
        }
    }
    at.links(tables, page, most, shown)?;
    Ok(true)
}

impl InGraph<'_> {
    fn rank(
        &mut self,
        tables: &mut Tables,
        page: &LookupKeys,
        ranks: &Committed,
        most: usize,
        memory: u64,
        shown: &mut PageReport,
    ) -> Result<()> {
        let node = self.node;
        let others: Vec<&Score> = measure::columns().filter(|score| score.name != "pagerank").collect();
        let here = move |group: &GroupFacts<'_>| group.may_hold_numbers("node", &[node]);
        let mut reader = read_level::<RankColumns>(ranks, Level::Page).only(here);
        let mut numbers = read_scores(ranks, Level::Page, others.iter().copied()).only(here);
        while let (Some(batch), Some(numbers)) = (reader.next()?, numbers.next()?) {
            let found = |row: &RankColumns<'_>| row.node == node && row.url == page.url.as_str();
            if let Some((at, row)) = batch.rows().enumerate().find(|(_, row)| found(row)) {
                let value = |of: &Vec<f64>| Some(of[at]).filter(|value| !value.is_nan());
                shown.rank = Some(Rank {
                    node,
                    nodes: self.csr.num_nodes() as u64,
                    pagerank: row.pagerank,
                    position: 0,
                    percentile: 0.0,
                    crawled: row.crawled.then(Place::default),
                    others: others.iter().copied().zip(numbers.iter().map(value)).collect(),
                    comes_from: None,
                });
            }
        }
        tables.note("ranks", Some("node"), reader.groups());
        let Some(rank) = &mut shown.rank else { return Ok(()) };
        let need = 8 * self.csr.num_nodes() as u64;
        if need > memory {
            let why = format!("the scores of all nodes take {} MiB: --memory", need.div_ceil(1 << 20));
            tables.lack("percentile and contributions", why);
            return Ok(());
        }
        let mut scores = Vec::with_capacity(self.csr.num_nodes());
        let mut places = Places::of(vec![rank.pagerank]);
        let mut reader = Reader::<PageRank>::over(vec![ranks.path(&part_file("ranks", Level::Page))]);
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                places.see(row.pagerank, row.crawled);
                scores.push(row.pagerank);
            }
        }
        tables.note("ranks", None, reader.groups());
        let [crawled, known] = places.counted().get(rank.pagerank);
        (rank.position, rank.percentile) = (known.position, known.percentile);
        rank.crawled = rank.crawled.map(|_| crawled);
        rank.comes_from = self.explain(tables, ranks, &scores, most)?;
        self.scores = Some(scores);
        Ok(())
    }

    /// Takes the PageRank apart by the settings of the job that made it.
    fn explain(
        &self,
        tables: &mut Tables,
        ranks: &Committed,
        scores: &[f64],
        most: usize,
    ) -> Result<Option<ComesFrom>> {
        let mut settings = ranks.manifest.configuration.clone();
        if let Some(settings) = settings.as_object_mut() {
            // What the files held that settings name: no setting.
            settings.remove("read");
        }
        let about = "contributions";
        let Ok(settings) = serde_json::from_value::<RankSettings>(settings) else {
            tables.lack(
                about,
                "another version of webmill computed the ranks: run `webmill rank` again".into(),
            );
            return Ok(None);
        };
        if settings.teleport.is_some() {
            tables.lack(about, "the ranks teleport to chosen nodes".into());
            return Ok(None);
        }
        let graph = self.csr.without_weights();
        let vectors = Vectors::default();
        let pagerank = webmill_graph::PageRank { weighted: false, ..settings.pagerank(u64::MAX, &vectors) };
        let found = pagerank.explain(&graph, &graph.in_links(self.node), scores, self.node, most)?;
        let sources: Vec<u32> = found.links.iter().map(|link| link.source).collect();
        let urls = self.urls(&sources)?;
        let listed = found.links.iter().zip(urls).map(|(link, url)| Contribution {
            url,
            pagerank: link.score,
            share: link.share,
            amount: link.amount,
        });
        Ok(Some(ComesFrom {
            teleport: found.teleport,
            dangling: found.dangling,
            links: List { total: found.num_links as u64, listed: listed.collect() },
            other_links: found.other_links,
            remainder: found.remainder,
        }))
    }

    /// Who links here and where this links to: the best by PageRank, where that is known, else by links.
    fn links(
        &self,
        tables: &mut Tables,
        page: &LookupKeys,
        most: usize,
        shown: &mut PageReport,
    ) -> Result<()> {
        let weights = self.csr.weights();
        let out = self.csr.arcs_of(self.node);
        let out = out.map(|arc| (self.csr.targets()[arc], weights.map_or(1.0, |weights| weights.get(arc))));
        let (links_in, links_out) = (self.csr.in_links(self.node), out.collect::<Vec<_>>());
        let (mut into, mut onto) = (self.best(links_in, most)?, self.best(links_out, most)?);
        let own = page.url.as_str().to_owned();
        let mut pairs: Vec<(String, String)> = Vec::new();
        pairs.extend(into.pages.listed.iter().map(|linked| (linked.url.clone(), own.clone())));
        pairs.extend(onto.pages.listed.iter().map(|linked| (own.clone(), linked.url.clone())));
        if tables.folder("extract", "links")?.is_some()
            && let Some(extract) = tables.owned("extract")?
        {
            let anchors = Anchors::of(&extract, &pairs)?;
            let said = |from: &str, to: &str| {
                let between = anchors.between(from, to);
                between.map(|all| all.anchors.iter().take(ANCHORS).cloned().collect()).unwrap_or_default()
            };
            into.pages.listed.iter_mut().for_each(|linked| linked.anchors = said(&linked.url, &own));
            onto.pages.listed.iter_mut().for_each(|linked| linked.anchors = said(&own, &linked.url));
            if !pairs.is_empty() {
                tables.note("links", (!anchors.scanned).then_some("source_url"), anchors.groups);
            }
        }
        (shown.links_in, shown.links_out) = (Some(into), Some(onto));
        Ok(())
    }

    fn best(&self, mut links: Vec<(u32, f64)>, most: usize) -> Result<Links> {
        let score = |node: u32| self.scores.as_ref().map(|scores| scores[node as usize]);
        let by = |(node, links): &(u32, f64)| score(*node).unwrap_or(*links);
        links.sort_by(|a, b| by(b).total_cmp(&by(a)).then(a.0.cmp(&b.0)));
        let (total, sum) = (links.len() as u64, links.iter().map(|(_, links)| *links as u64).sum());
        links.truncate(most);
        let nodes: Vec<u32> = links.iter().map(|(node, _)| *node).collect();
        let listed = self.urls(&nodes)?.into_iter().zip(&links).map(|(url, (node, links))| Linked {
            url,
            pagerank: score(*node),
            links: *links as u64,
            anchors: Vec::new(),
        });
        Ok(Links { links: sum, pages: List { total, listed: listed.collect() } })
    }

    fn urls(&self, nodes: &[u32]) -> Result<Vec<String>> {
        page_names(self.graph, Level::Page, nodes)
    }
}
