//! In- and out-degree: arcs that lead to a node and arcs that leave it, whatever their weight.

use super::{Measure, MeasureInfo, MeasureSettings, Measured, Score, Values};
use crate::csr::Csr;
use webmill_capture::error::{Error, Result};

/// Degrees as a measure.
pub struct ByDegrees;

impl Measure for ByDegrees {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            name: "degrees",
            about: "arcs that lead to a node, and arcs that leave it",
            cost: "O(n); 16 bytes a node",
            in_tables: true,
            error_name: "error",
            scores: &[
                Score {
                    name: "indegree",
                    label: "in-degree",
                    about: "arcs that lead to it",
                    example: "214",
                    values: Values::Counts,
                    compared: true,
                },
                Score {
                    name: "outdegree",
                    label: "out-degree",
                    about: "arcs that leave it",
                    example: "31",
                    values: Values::Counts,
                    compared: false,
                },
            ],
        }
    }

    fn run(&self, graph: &Csr, transpose: &Csr, _: &MeasureSettings<'_>) -> Result<Measured> {
        if transpose.num_nodes() != graph.num_nodes() || transpose.num_arcs() != graph.num_arcs() {
            return Err(Error::Config("the transpose is of another graph".into()));
        }
        let degrees = |graph: &Csr| -> Vec<f64> {
            (0..graph.num_nodes() as u32).map(|v| graph.outdegree(v) as f64).collect()
        };
        Ok(Measured { scores: vec![degrees(transpose), degrees(graph)], ..Measured::default() })
    }
}
