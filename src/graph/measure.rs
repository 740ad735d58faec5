//! Measures of nodes behind one trait: who is central, and by which definition.
//!
//! Job `rank`, the tables `ranks`, `convergence` and `agreement`, the report, `webmill rank --by` and `webmill show`
//! go over [`MEASURES`] and name no measure themselves.
//!
//! **Adding a measure** is a file in folder `measure` that implements [`Measure`] (`degrees.rs` is a short one), and in this
//! file its `mod` and its line in [`MEASURES`]. Raise `VERSION` in `jobs/rank.rs`. The report in Chinese shows the English of
//! [`Score`], unless `src/serve/surface/words.toml` has `score_COLUMN` and `score_COLUMN_meaning`.

pub mod classical;
pub mod degrees;
pub mod harmonic;
pub mod hits;
pub mod pagerank;
pub mod salsa;

use crate::csr::Csr;
use harmonic::Harmonic;
use hits::Hits;
use pagerank::PageRank;
use webmill_capture::error::Result;

/// Every measure, in the order of the columns of table `ranks`.
pub static MEASURES: &[&dyn Measure] = &[
    &pagerank::ByPageRank,
    &classical::Classical,
    &hits::ByHits,
    &salsa::BySalsa,
    &harmonic::ByHarmonic,
    &degrees::ByDegrees,
];

/// Known facts about a measure before it runs.
#[derive(Debug, PartialEq, Eq)]
pub struct MeasureInfo {
    /// Its name in table `convergence`.
    pub name: &'static str,
    /// One sentence: what it measures.
    pub about: &'static str,
    /// Time and memory that it takes beside graph and transpose, in words.
    pub cost: &'static str,
    /// Whether its scores are columns of table `ranks`. Others are printed where they are asked for.
    pub in_tables: bool,
    /// What its error is called in table `summary`.
    pub error_name: &'static str,
    /// The scores that a run gives, in order; most measures have one.
    pub scores: &'static [Score],
}

/// A way to score the nodes of a graph.
pub trait Measure: Sync {
    /// Known facts about it before it runs.
    fn info(&self) -> &'static MeasureInfo;

    /// Scores the nodes of `graph`, whose transpose is `transpose`.
    ///
    /// # Errors
    /// [`Config`](webmill_capture::Error::Config) where the transpose is of another graph or a setting is out of its
    /// range; [`Limit`](webmill_capture::Error::Limit) where it does not fit the memory allowed.
    fn run(&self, graph: &Csr, transpose: &Csr, with: &MeasureSettings<'_>) -> Result<Measured>;
}

/// A score that a measure gives each node.
#[derive(Debug, PartialEq, Eq)]
pub struct Score {
    /// The name that `--by` takes.
    pub name: &'static str,
    /// What people call it, in table `agreement` and in the report.
    pub label: &'static str,
    /// A sentence about it, with unit and range.
    pub about: &'static str,
    /// A value as it might stand in the table.
    pub example: &'static str,
    /// Which numbers it has.
    pub values: Values,
    /// Whether table `agreement` compares it with other scores, and the report, unless it is a count, lists the best by it.
    pub compared: bool,
}

/// Which numbers a score has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Real numbers, as near to the definition as the settings ask for.
    Real,
    /// Real numbers that are estimates where the graph is large. In table `agreement` they come last.
    Estimates,
    /// Whole numbers from 0 to 2³² − 1.
    Counts,
}

/// What measures are computed with. One that has no settings of its own reads `weighted` and `memory_bytes` alone.
#[derive(Debug, Clone, Default)]
pub struct MeasureSettings<'a> {
    /// Follow arcs in proportion to their weights, where there are any.
    pub weighted: bool,
    /// Bytes that a measure may take beside graph, transpose and the scores of other measures. Default `None`, any number.
    pub memory_bytes: Option<u64>,
    /// PageRank's own.
    pub pagerank: PageRank<'a>,
    /// Those of hubs and authorities.
    pub hits: Hits,
    /// Those of harmonic centrality.
    pub harmonic: Harmonic,
}

/// What a run of a measure gives.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// For each of [`MeasureInfo::scores`] one number per node.
    pub scores: Vec<Vec<f64>>,
    /// How near it came, where it iterates or estimates.
    pub convergence: Option<Convergence>,
    /// The same in words, for people.
    pub note: Option<String>,
}

/// How near an iteration or an estimate came to the definition. What `error` bounds is the measure's business.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Convergence {
    /// Iterations done.
    pub iterations: usize,
    /// Distance to the true scores, or a bound or estimate of it.
    pub error: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
    /// The residual of the equations, where the measure solves some.
    pub residual: Option<f64>,
    /// Relative gap between the two largest singular values, where they matter.
    pub gap: Option<f64>,
}

impl Score {
    /// Its column in table `ranks`.
    pub fn column(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// Every score with its measure and its place among that one's scores, in the order of [`MEASURES`].
pub fn scores() -> impl Iterator<Item = (&'static dyn Measure, usize, &'static Score)> {
    let of = |measure: &'static dyn Measure| {
        measure.info().scores.iter().enumerate().map(move |(at, score)| (measure, at, score))
    };
    MEASURES.iter().copied().flat_map(of)
}

/// The scores that are columns of table `ranks`, in their order.
pub fn columns() -> impl Iterator<Item = &'static Score> {
    scores().filter(|(measure, ..)| measure.info().in_tables).map(|(.., score)| score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_once() {
        let mut names: Vec<_> = scores().map(|(.., score)| score.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), scores().count());
        assert_eq!(scores().find(|found| found.2.name == "salsa-hub").unwrap().2.column(), "salsa_hub");
    }

    #[test]
    fn each_measure_gives_the_scores_that_it_declares() {
        for arcs in [&[][..], &[(0, 1), (2, 1), (1, 3), (3, 1)]] {
            let graph = Csr::from_arcs(4, arcs.iter().copied()).unwrap();
            let with = MeasureSettings::default();
            for measure in MEASURES {
                let found = measure.run(&graph, &graph.transpose(), &with).unwrap();
                assert_eq!(found.scores.len(), measure.info().scores.len(), "{}", measure.info().name);
                for (scores, of) in found.scores.iter().zip(measure.info().scores) {
                    let valid = |score: &f64| match of.values {
                        Values::Counts => score.fract() == 0.0 && (0.0..4_294_967_296.0).contains(score),
                        Values::Real | Values::Estimates => score.is_finite(),
                    };
                    assert!(scores.len() == 4 && scores.iter().all(valid), "{}", of.name);
                }
            }
            let other = Csr::from_arcs(3, []).unwrap();
            assert!(MEASURES.iter().all(|measure| measure.run(&graph, &other, &with).is_err()));
        }
    }
}
