//! PageRank started from the ranks of earlier results.

use std::cmp::Ordering;
use std::path::Path;

use crate::rank::tables::RankRow;
use webmill_capture::{CanonicalUrl, Result};
use webmill_capture::surt::surt_host;
use webmill_run::{Committed, open_latest};
use webmill_table::{Table, TableReader};

use crate::levels::{part_file, read_nodes};

/// What tells the ranks in `results` from others.
pub fn key(results: &Path) -> Result<String> {
    Ok(format!("ranks {}", open_latest(results, "rank")?.manifest.key))
}

/// A score for every node of `level`: that of the node of the same name in `results`, else the mean of all. Both tables
/// are in SURT order, so one pass joins them; nothing where no name is the same.
pub fn scores(graph: &Committed, level: &str, results: &Path) -> Result<Option<Vec<f64>>> {
    let earlier = open_latest(results, "rank")?;
    let mut old = Earlier::open(&earlier, level)?;
    let (mut scores, mut unknown) = (Vec::new(), Vec::new());
    let mut reader = read_nodes(graph, level, &["url", "url_surtkey"]);
    while let Some(batch) = reader.next()? {
        let (url, surt) = (batch.str("url")?, batch.str("url_surtkey")?);
        for i in 0..batch.len() {
            match old.find(surt.get(i).unwrap_or_default(), url.get(i).unwrap_or_default())? {
                Some(score) => scores.push(score),
                None => {
                    unknown.push(scores.len());
                    scores.push(0.0);
                }
            }
        }
    }
    let known = scores.len() - unknown.len();
    let sum: f64 = scores.iter().sum();
    let mean = sum / known as f64;
    unknown.into_iter().for_each(|node| scores[node] = mean);
    Ok((known > 0 && sum > 0.0 && sum.is_finite()).then_some(scores))
}

/// The earlier ranks, node by node.
struct Earlier {
    reader: TableReader,
    level: String,
    rows: std::vec::IntoIter<(String, f64)>,
    next: Option<(String, String, f64)>,
}

impl Earlier {
    fn open(rank: &Committed, level: &str) -> Result<Self> {
        let file = rank.path(&part_file(RankRow::NAME, level));
        let reader = TableReader::over(vec![file], &["url", "pagerank"]);
        let mut earlier =
            Earlier { reader, level: level.to_owned(), rows: Vec::new().into_iter(), next: None };
        earlier.advance()?;
        Ok(earlier)
    }

    /// The score of the node with this SURT and name, which are asked for in ascending order.
    fn find(&mut self, surt: &str, url: &str) -> Result<Option<f64>> {
        loop {
            let Some((old_surt, old_url, score)) = &self.next else { return Ok(None) };
            match (old_surt.as_str(), old_url.as_str()).cmp(&(surt, url)) {
                Ordering::Less => self.advance()?,
                Ordering::Equal => return Ok(Some(*score)),
                Ordering::Greater => return Ok(None),
            }
        }
    }

    fn advance(&mut self) -> Result<()> {
        loop {
            if let Some((url, score)) = self.rows.next() {
                let surt = match self.level.as_str() {
                    "page" => CanonicalUrl::parse(&url).map_or_else(String::new, |url| url.surt()),
                    _ => surt_host(&url),
                };
                let score = if score.is_finite() && score >= 0.0 { score } else { 0.0 };
                self.next = Some((surt, url, score));
                return Ok(());
            }
            let Some(batch) = self.reader.next()? else {
                self.next = None;
                return Ok(());
            };
            let (url, score) = (batch.str("url")?, batch.f64("pagerank")?);
            let rows: Vec<_> = (0..batch.len())
                .map(|i| (url.get(i).unwrap_or_default().to_owned(), score.get(i).unwrap_or(0.0)))
                .collect();
            self.rows = rows.into_iter();
        }
    }
}
