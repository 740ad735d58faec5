//! PageRank started from the ranks of earlier results.

use std::cmp::Ordering;
use std::path::Path;

use crate::job::latest;
use crate::rank::tables::RankRow;
use webmill_capture::surt::surt_host;
use webmill_capture::{CanonicalUrl, Result};
use webmill_run::Committed;
use webmill_table::{Reader, columns};

use crate::graph::tables::NodeRow;
use crate::levels::{Level, read_level};

columns! {
    struct Ordered from NodeRow { url, url_sortkey }
}

columns! {
    struct Ranked from RankRow { url, pagerank }
}

/// What tells the ranks in `results` from others.
pub fn key(results: &Path) -> Result<String> {
    Ok(format!("ranks {}", latest(results, "rank")?.manifest.key))
}

/// A score for every node of `level`: that of the node of the same name in `results`, else the mean of all. Both tables
/// are in SURT order, so one pass joins them; nothing where no name is the same.
pub fn scores(graph: &Committed, level: Level, results: &Path) -> Result<Option<Vec<f64>>> {
    let earlier = latest(results, "rank")?;
    let mut old = Earlier::open(&earlier, level)?;
    let (mut scores, mut unknown) = (Vec::new(), Vec::new());
    let mut reader = read_level::<Ordered>(graph, level);
    while let Some(batch) = reader.next()? {
        for node in batch.rows() {
            match old.find(node.url_sortkey, node.url)? {
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
    reader: Reader<Ranked<'static>>,
    level: Level,
    rows: std::vec::IntoIter<(String, f64)>,
    next: Option<(String, String, f64)>,
}

impl Earlier {
    fn open(rank: &Committed, level: Level) -> Result<Self> {
        let reader = read_level::<Ranked>(rank, level);
        let mut earlier = Earlier { reader, level, rows: Vec::new().into_iter(), next: None };
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
                let surt = match self.level {
                    Level::Page => CanonicalUrl::parse(&url).map_or_else(String::new, |url| url.surt()),
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
            let rows: Vec<_> = batch.rows().map(|row| (row.url.to_owned(), row.pagerank)).collect();
            self.rows = rows.into_iter();
        }
    }
}
