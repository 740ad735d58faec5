//! Rows that come one by one, gathered as columns until they are a row group.
//!
//! **What.** A row group ends after [`GROUP_BYTES`] of cells or [`ROW_GROUP_ROWS`] rows, whichever comes first: so what a writer holds is
//! bounded however long the rows are.

use polars_arrow::array::builder::{ArrayBuilder, ShareStrategy, make_builder};
use polars_arrow::array::{Array, BinaryViewArray, ListArray, Utf8ViewArray};
use polars_arrow::datatypes::PhysicalType;

use crate::ROW_GROUP_ROWS;
use crate::cell::ArrayBox;

/// Rows that are weighed at once.
pub(crate) const AT_ONCE: usize = 256;

/// Bytes of cells after which a row group ends.
const GROUP_BYTES: usize = 8 << 20;

/// The columns of a row group in the making.
#[derive(Default)]
pub(crate) struct Gathered {
    builders: Vec<Box<dyn ArrayBuilder>>,
    bytes: usize,
    rows: usize,
}

impl Gathered {
    /// Adds the columns of some rows.
    pub(crate) fn add(&mut self, columns: &[ArrayBox], rows: usize) {
        if self.builders.is_empty() {
            self.builders = columns.iter().map(|column| make_builder(column.dtype())).collect();
        }
        for (column, builder) in columns.iter().zip(&mut self.builders) {
            builder.subslice_extend(column.as_ref(), 0, rows, ShareStrategy::Always);
            self.bytes += weight(column.as_ref(), 0, rows);
        }
        self.rows += rows;
    }

    /// Whether these are as many as a row group has.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= GROUP_BYTES || self.rows >= ROW_GROUP_ROWS
    }

    /// The rows so far, and their columns; there are none left.
    pub(crate) fn take(&mut self) -> (usize, Vec<ArrayBox>) {
        self.bytes = 0;
        let columns = self.builders.iter_mut().map(|builder| builder.freeze_reset()).collect();
        (std::mem::take(&mut self.rows), columns)
    }
}

/// Bytes of cells.
pub(crate) fn weight(array: &dyn Array, at: usize, rows: usize) -> usize {
    let texts = |lengths: &mut dyn Iterator<Item = u32>| lengths.map(|length| length as usize + 16).sum();
    match array.dtype().to_physical_type() {
        PhysicalType::Utf8View => array
            .as_any()
            .downcast_ref::<Utf8ViewArray>()
            .map_or(0, |array| texts(&mut array.views()[at..at + rows].iter().map(|view| view.length))),
        PhysicalType::BinaryView => array
            .as_any()
            .downcast_ref::<BinaryViewArray>()
            .map_or(0, |array| texts(&mut array.views()[at..at + rows].iter().map(|view| view.length))),
        PhysicalType::LargeList => array.as_any().downcast_ref::<ListArray<i64>>().map_or(0, |array| {
            let (from, to) = (array.offsets()[at] as usize, array.offsets()[at + rows] as usize);
            8 * rows + weight(array.values().as_ref(), from, to - from)
        }),
        _ => 8 * rows,
    }
}
