//! The scores of [`webmill_graph::measure::MEASURES`] by name.

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use webmill_graph::Csr;
use webmill_graph::measure::{self, Measure, MeasureInfo};

use webmill_jobs::rank::{Rank, Vectors};

/// A score of a measure, as `--by` names it.
#[derive(Clone, Copy)]
pub struct ChosenScore {
    measure: &'static dyn Measure,
    at: usize,
}

impl std::fmt::Debug for ChosenScore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl ChosenScore {
    /// The score of a name that `--by` takes.
    pub fn named(name: &str) -> Option<Self> {
        let found = measure::scores().find(|(.., score)| score.name == name);
        found.map(|(measure, at, _)| ChosenScore { measure, at })
    }

    /// The default: scores by PageRank.
    pub fn pagerank() -> Self {
        Self::named("pagerank").expect("PageRank is one of the measures")
    }

    /// What reads a name for `--by`.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        let value = |(measure, _, score): (&dyn Measure, usize, &measure::Score)| {
            let MeasureInfo { about, cost, .. } = measure.info();
            PossibleValue::new(score.name).help(format!("{}: {about}; {cost}", score.label))
        };
        let known = "clap takes these names alone";
        PossibleValuesParser::new(measure::scores().map(value))
            .map(move |name| Self::named(&name).expect(known))
    }

    /// The name that `--by` takes.
    pub fn name(self) -> &'static str {
        self.measure.info().scores[self.at].name
    }
}

/// `--by`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ByFlag {
    /// Score by which `rank` orders pages, pagerank where nothing is said; or filters by which `filter` chooses texts.
    #[arg(long, value_parser = ChosenScore::parser(), value_name = "NAME")]
    pub by: Option<ChosenScore>,
}

/// What scores are computed with.
pub struct MeasureInputs<'a> {
    pub rank: &'a Rank,
    pub vectors: &'a Vectors,
    /// Whether weights of arcs count.
    pub weighted: bool,
    pub memory: u64,
}

impl MeasureInputs<'_> {
    /// The graph with every arc turned round.
    pub fn transpose(&self, graph: &Csr) -> Result<Csr> {
        Ok(self.rank.transpose(graph, self.memory, &std::env::temp_dir())?)
    }

    /// Each of the chosen scores, for all nodes. A measure of several of them runs once.
    pub fn scores(&self, chosen: &[ChosenScore], graph: &Csr, transpose: &Csr) -> Result<Vec<Vec<f64>>> {
        let with = self.rank.measures(graph, (self.memory, 0), self.weighted, self.vectors)?;
        let mut of_measures = std::collections::BTreeMap::new();
        let mut all = Vec::new();
        for ChosenScore { measure, at } in chosen {
            if !of_measures.contains_key(measure.info().name) {
                let found = measure.run(graph, transpose, &with)?;
                found.note.iter().for_each(|note| webmill_jobs::say!("{note}"));
                of_measures.insert(measure.info().name, found.scores);
            }
            all.push(of_measures[measure.info().name][*at].clone());
        }
        Ok(all)
    }

    /// One score of all nodes.
    pub fn score(&self, chosen: ChosenScore, graph: &Csr, transpose: &Csr) -> Result<Vec<f64>> {
        Ok(self.scores(&[chosen], graph, transpose)?.swap_remove(0))
    }
}
