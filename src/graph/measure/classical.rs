//! PageRank on the scale of the literature, PR(A) = (1 − d) + d Σ PR(T)/C(T): its sum is the number of nodes.

use super::pagerank::{ByPageRank, PageRank, Scale};
use super::{Measure, MeasureSettings, Measured, Score, Values};
use crate::csr::Csr;
use webmill_capture::error::Result;

/// The same ranks as those of [`PageRank`], on another scale: printed where asked for, in no table.
pub struct Classical;

impl Measure for Classical {
    fn name(&self) -> &'static str {
        "pagerank-classical"
    }

    fn about(&self) -> &'static str {
        "PageRank on the scale of the literature, sum N"
    }

    fn cost(&self) -> &'static str {
        ByPageRank.cost()
    }

    fn scores(&self) -> &'static [Score] {
        &[Score {
            name: "pagerank-classical",
            label: "PageRank, sum N",
            about: "PageRank on the scale of the literature, sum N",
            example: "1.16",
            values: Values::Real,
            compared: false,
        }]
    }

    fn in_tables(&self) -> bool {
        false
    }

    fn run(&self, graph: &Csr, transpose: &Csr, with: &MeasureSettings<'_>) -> Result<Measured> {
        let pagerank = PageRank { scale: Scale::Classical, ..with.pagerank.clone() };
        let with = MeasureSettings { pagerank, ..with.clone() };
        ByPageRank.run(graph, transpose, &with)
    }
}
