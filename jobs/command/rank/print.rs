//! Scores of a graph on stdout: one line per node, best first.

use std::io::{BufWriter, Write};

use anyhow::Result;
use clap::ValueEnum;
use serde_json::json;
use webmill_graph::top;

use super::scores::{Chosen, Measured};
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
    chosen: Chosen,
    most: Option<usize>,
    form: RowFormat,
    with: &Measured<'_>,
) -> Result<()> {
    let transpose = with.transpose(&source.graph)?;
    let scores = with.score(chosen, &source.graph, &transpose)?;
    drop(transpose);
    let best = top(&scores, most.unwrap_or(scores.len()));
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (name, node) in source.names_of(&best)?.iter().zip(best) {
        let score = scores[node as usize];
        match form {
            RowFormat::Tsv => writeln!(out, "{}\t{score:e}", flat(name))?,
            RowFormat::Json => writeln!(out, "{}", json!({ "node": name, "score": score }))?,
        }
    }
    Ok(out.flush()?)
}

/// A name that fits a column.
pub fn flat(name: &str) -> String {
    name.replace(['\t', '\n', '\r'], " ")
}
