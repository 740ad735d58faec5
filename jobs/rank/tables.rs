//! `ranks`: what link analysis says of each node.

use webmill_graph::measure::{self, Convergence, Score, Values};
use webmill_run::Committed;
use webmill_table::{ColumnSchema, ColumnType, NumberReader, Table, TableSchema, schema, table};

use crate::levels::{Level, part_file};

table! {
    /// One row per node with its link-analysis scores.
    RankRow = "ranks" sorted by [node] {
        level: Level = "page, host or domain", "page";
        node: u32 = "node of table nodes", "1042";
        url: String = "its URL, host or domain", "http://pku.edu.cn/";
        crawled: bool = "whether it was crawled", "true";
        pagerank: f64 = "as in ranks()", "0.00017";
        authority: f64 = "as in ranks()", "0.021";
        hub: f64 = "as in ranks()", "0.003";
        indegree: u32 = "as in ranks()", "214";
    }
}

/// Columns of [`RankRow`] that name the node; a column for each score of a measure follows.
const NODE_COLUMNS: usize = 4;

/// Table `ranks`, with a column for each score of [`webmill_graph::measure::MEASURES`]. [`RankRow`] has those of its columns that others read by
/// name.
pub fn ranks() -> TableSchema {
    let mut table = schema::<RankRow>();
    table.columns.truncate(NODE_COLUMNS);
    table.columns.extend(measure::columns().map(column));
    table
}

/// Reads scores of table `ranks` on one level, in node order.
pub fn read_scores<'s>(
    ranks: &Committed,
    level: Level,
    scores: impl IntoIterator<Item = &'s Score>,
) -> NumberReader {
    let columns: Vec<_> = scores.into_iter().map(column).collect();
    NumberReader::over(vec![ranks.path(&part_file(RankRow::NAME, level))], &columns)
}

/// The column of a score.
fn column(score: &Score) -> ColumnSchema {
    let column = |kind| ColumnSchema::new(&score.column(), kind, score.about, score.example);
    match score.values {
        Values::Real => column(ColumnType::Float64),
        Values::Estimates => column(ColumnType::Float64).nullable(),
        Values::Counts => column(ColumnType::UInt32),
    }
}

table! {
    /// One row per measure that is computed by iteration or may be estimated, with its error.
    ConvergenceRow = "convergence" {
        level: Level = "page, host or domain", "page";
        measure: &'static str = "name of the measure", "pagerank";
        iterations: u32 = "iterations that were made", "52";
        error: f64 = "of PageRank the bound on the L1 distance to the true ranks, of HITS an estimate of the L2 distance to the true authorities (residual over gap; with thresholds the last change, or where it did not converge the change of the scores given, which are those of least change), of harmonic centrality the relative standard error, 0 where it is exact", "0.000000000001";
        converged: bool = "whether the tolerance, or what double precision can tell, was reached before the most iterations", "true";
        residual: Option<f64> = "of HITS without thresholds the residual of its equations: |Bx - s x| / s for the authorities x, B both steps and s its greatest eigenvalue", "0.000000000000001";
        gap: Option<f64> = "of HITS without thresholds 1 - s2/s1 of the two largest singular values, at most: where it is small, another community is nearly as strong; null where there is one only", "0.31";
    }
}

table! {
    /// One row per level and pair of scores: how similarly they rank the nodes. A pair has no row if one of the scores is the same for all nodes.
    AgreementRow = "agreement" {
        level: Level = "page, host or domain", "page";
        first: &'static str = "name of one measure", "PageRank";
        second: &'static str = "name of the other measure", "in-degree";
        tau: f64 = "Kendall's tau-b: 1 for the same order, 0 for none, -1 for the reverse", "0.71";
    }
}

impl ConvergenceRow {
    /// How near a measure came on a level.
    pub fn new(level: Level, measure: &'static str, near: Convergence) -> Self {
        let Convergence { iterations, error, converged, residual, gap } = near;
        let iterations = iterations as u32;
        ConvergenceRow { level, measure, iterations, error, converged, residual, gap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_read_by_name_are_columns_of_the_table() {
        let table = ranks();
        for read in schema::<RankRow>().columns {
            let column = table.columns.iter().find(|column| column.name == read.name).unwrap();
            assert_eq!((column.kind, column.nullable), (read.kind, read.nullable), "{}", read.name);
        }
    }
}
