//! The best nodes on standard output, best first: of table `ranks`, or of a graph.

use anyhow::Result;
use serde::Serialize;
use webmill_graph::top;
use webmill_run::Committed;
use webmill_serve::surface::{Lang, fill};
use webmill_table::{Reader, columns};

use super::scores::{ChosenScore, MeasureInputs};
use crate::args::Language;
use crate::print::{RowForm, RowFormat, Rows};
use webmill_jobs::graph::open::OpenedGraph;
use webmill_jobs::levels::Level;
use webmill_jobs::rank::tables::RankRow;

/// Nodes that a table shows where nothing is said.
const USUAL: usize = 10;

#[derive(Serialize)]
struct ScoreLine<'a> {
    node: &'a str,
    score: f64,
}

#[derive(Serialize)]
struct LevelLine<'a> {
    level: &'a str,
    url: &'a str,
    pagerank: f64,
    indegree: u32,
}

columns! {
    struct RankColumns from RankRow { level, node, url, pagerank, indegree }
}

/// PageRank, node, URL and in-degree.
type BestNode = (f64, u32, String, u32);

/// Prints the best nodes of each level by PageRank, [`USUAL`] of them where nothing is said.
pub fn print(ranks: &Committed, format: &RowFormat, most: Option<usize>) -> Result<()> {
    let most = most.unwrap_or(USUAL);
    let mut best: Vec<(Level, Vec<BestNode>)> = Vec::new();
    let mut reader = Reader::<RankColumns>::open(&ranks.path("ranks"))?;
    while let Some(batch) = reader.next()? {
        for row in batch.rows() {
            if best.last().is_none_or(|(level, _)| *level != row.level) {
                best.push((row.level, Vec::new()));
            }
            let Some((_, list)) = best.last_mut() else { continue };
            let at = list.partition_point(|(score, ..)| *score >= row.pagerank);
            if at < most {
                list.insert(at, (row.pagerank, row.node, row.url.to_owned(), row.indegree));
                list.truncate(most);
            }
        }
    }
    let columns = ["level", "pagerank", "indegree", "url"];
    if format.form() != RowForm::Table {
        return put(Rows::new(format.form(), &columns), &best);
    }
    // Levels are different graphs: a table each, with a line that says which.
    let lang = Language::default().lang();
    for (number, level) in best.iter().enumerate() {
        let apart = if number == 0 { "" } else { "\n" };
        webmill_jobs::print(&format!("{apart}{}\n", heading(level.0, lang)))?;
        put(Rows::new(RowForm::Table, &columns[1..]), std::slice::from_ref(level))?;
    }
    Ok(())
}

/// Prints the best nodes of these levels.
fn put(mut rows: Rows, best: &[(Level, Vec<BestNode>)]) -> Result<()> {
    for (level, list) in best {
        for (pagerank, _, url, indegree) in list {
            rows.put(&LevelLine { level: level.as_str(), url, pagerank: *pagerank, indegree: *indegree })?;
        }
    }
    rows.flush()
}

/// What the table of a level is headed by.
fn heading(level: Level, lang: Lang) -> String {
    let key = match level {
        Level::Page => "pages",
        Level::Host => "hosts",
        Level::Domain => "domains",
    };
    let flag = format!("--level {}", level.as_str());
    fill(&lang.words("run")["ranked"], &[&lang.words("report")[key], &flag])
}

/// Prints node and score of the best nodes; ties by number.
pub fn scores(
    source: &OpenedGraph,
    chosen: ChosenScore,
    most: Option<usize>,
    format: &RowFormat,
    with: &MeasureInputs<'_>,
) -> Result<()> {
    let transpose = with.transpose(&source.graph)?;
    let scores = with.score(chosen, &source.graph, &transpose)?;
    drop(transpose);
    let best = top(&scores, format.most(most, USUAL).min(scores.len()));
    let mut rows = Rows::new(format.form(), &["node", "score"]);
    for (name, node) in source.names_of(&best)?.iter().zip(best) {
        rows.put(&ScoreLine { node: name, score: scores[node as usize] })?;
    }
    rows.flush()
}
