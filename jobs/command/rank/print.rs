//! Scores of a graph on stdout: a line a node, best first, or where one node's rank comes from.

use std::io::{BufWriter, Write};

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::json;
use webmill_graph::top;

use super::scores::{Measured, Score, say_bound};
use crate::command::source::Source;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Tab-separated columns.
    Tsv,
    /// An object a line.
    Json,
}

/// Writes node and score of the `most` best nodes, best first; ties by number.
pub fn scores(
    source: &Source,
    measure: Score,
    most: Option<usize>,
    form: RowFormat,
    with: &Measured<'_>,
) -> Result<()> {
    let transpose = source.graph.transpose();
    let scores = measure.run(&source.graph, &transpose, with)?;
    drop(transpose);
    let names = source.names()?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for node in top(&scores, most.unwrap_or(scores.len())) {
        let (name, score) = (&names[node as usize], scores[node as usize]);
        match form {
            RowFormat::Tsv => writeln!(out, "{}\t{score:e}", flat(name))?,
            RowFormat::Json => writeln!(out, "{}", json!({ "node": name, "score": score }))?,
        }
    }
    Ok(out.flush()?)
}

/// Writes where the PageRank of the node called `name` comes from.
pub fn explain(
    source: &Source,
    name: &str,
    strongest: usize,
    form: RowFormat,
    with: &Measured<'_>,
) -> Result<()> {
    let names = source.names()?;
    let canonical = webmill_capture::CanonicalUrl::parse(name).map(|url| url.into_string());
    let node = names
        .iter()
        .position(|n| n == name || Some(n) == canonical.as_ref())
        .with_context(|| format!("{name}: no such node in the {}", source.about()))?;
    let transpose = source.graph.transpose();
    let settings = with.pagerank();
    let ranks = settings.run(&source.graph, &transpose)?;
    say_bound(&ranks);
    let found = settings.explain(&source.graph, &transpose, &ranks.scores, node as u32, strongest)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    if form == RowFormat::Json {
        let links: Vec<_> = found
            .links
            .iter()
            .map(|l| json!({ "source": names[l.source as usize], "score": l.score, "share": l.share, "amount": l.amount }))
            .collect();
        let all = json!({
            "node": names[node], "pagerank": found.score, "teleport": found.teleport, "dangling": found.dangling,
            "links": links, "in_links": found.num_links, "other_links": found.other_links, "remainder": found.remainder,
        });
        writeln!(out, "{all}")?;
        return Ok(out.flush()?);
    }
    let part = |amount: f64| if found.score > 0.0 { 100.0 * amount / found.score } else { 0.0 };
    writeln!(out, "{:e}\t100.00 %\tPageRank of {}", found.score, flat(&names[node]))?;
    writeln!(out, "{:e}\t{:.2} %\tfrom teleporting", found.teleport, part(found.teleport))?;
    writeln!(out, "{:e}\t{:.2} %\tfrom pages without links", found.dangling, part(found.dangling))?;
    for link in &found.links {
        let source = flat(&names[link.source as usize]);
        let (amount, share) = (link.amount, 100.0 * link.share);
        writeln!(
            out,
            "{amount:e}\t{:.2} %\tfrom {source}, which has {:e} and passes on {share:.2} % of it",
            part(amount),
            link.score
        )?;
    }
    let others = found.num_links - found.links.len();
    if others > 0 {
        writeln!(
            out,
            "{:e}\t{:.2} %\tfrom {others} weaker links",
            found.other_links,
            part(found.other_links)
        )?;
    }
    Ok(out.flush()?)
}

/// A name that fits a column.
pub fn flat(name: &str) -> String {
    name.replace(['\t', '\n', '\r'], " ")
}
