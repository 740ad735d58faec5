//! Coordinates of pictures; templates write them.

use serde::{Serialize, Serializer};

/// A coordinate or length, written to a tenth of a pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pixels(pub f64);

impl Serialize for Pixels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:.1}", self.0))
    }
}
