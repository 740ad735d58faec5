//! What other jobs found out about the whole, from their small tables.

use webmill_capture::{Error, Result};
use webmill_table::read_rows;

use super::Sources;
use crate::graph::tables::LevelRow;
use crate::levels::Level;
use crate::rank::Rank;
use crate::rank::tables::{AgreementRow, ConvergenceRow};
use crate::shape::tables::{DegreeRow, LawRow, ShapeRow};

/// Rows of the small tables.
pub struct Numbers {
    /// Sizes of the levels.
    pub levels: Vec<LevelRow>,
    /// How near the measures came.
    pub convergence: Vec<ConvergenceRow>,
    /// How they agree.
    pub agreement: Vec<AgreementRow>,
    /// Power laws.
    pub laws: Vec<LawRow>,
    /// Components, bow-tie, distances, mixing.
    pub shapes: Vec<ShapeRow>,
    /// Distributions of degrees.
    pub degrees: Vec<DegreeRow>,
    /// What the ranks were computed with.
    pub rank: Rank,
}

impl Numbers {
    /// Reads them.
    pub fn read(sources: &Sources) -> Result<Self> {
        let mut settings = sources.rank.manifest.configuration.clone();
        // What the named files held is in the key, and no setting.
        if let Some(settings) = settings.as_object_mut() {
            settings.remove("read");
        }
        Ok(Numbers {
            levels: read_rows(&sources.graph.path("levels"))?,
            convergence: read_rows(&sources.rank.path("convergence"))?,
            agreement: read_rows(&sources.rank.path("agreement"))?,
            laws: read_rows(&sources.shape.path("laws"))?,
            shapes: read_rows(&sources.shape.path("shapes"))?,
            degrees: read_rows(&sources.shape.path("degrees"))?,
            rank: serde_json::from_value(settings).map_err(|e| {
                Error::corrupt(sources.rank.path("manifest.json"), 0, format!("configuration: {e}"))
            })?,
        })
    }

    /// Size of a level.
    pub fn level(&self, level: Level) -> Option<&LevelRow> {
        self.levels.iter().find(|row| row.level == level)
    }

    /// Shape of a level.
    pub fn shape(&self, level: Level) -> Option<&ShapeRow> {
        self.shapes.iter().find(|row| row.level == level)
    }
}
