//! The Parquet contracts: one row type a table, every column described.
//!
//! **What.** A table is a Rust struct whose fields are its columns. The `table!` declaration next to each struct
//! carries the description, unit and example that `webmill schema` prints, so the documentation cannot drift from
//! the bytes.
//!
//! **Layout on disk.** A table is a folder of `part-*.parquet` files, zstd, with column statistics. Columns that the
//! largest public crawl index has carry its names and types. Real types throughout: timestamps are timestamps with a
//! time zone, missing is null, and keys are 16 raw bytes.
//!
//! **Memory.** Rows are buffered by the caller and written a row group at a time ([`PartWriter`]); reading
//! ([`TableReader`]) goes row group by row group with only the columns asked for.
//!
//! **Determinism.** Equal rows in equal order give equal bytes: no clock, host or thread count reaches a file.

mod cell;
mod details;
mod duplicates;
mod events;
mod graph;
mod keywords;
mod links;
mod pages;
mod read;
mod rejects;
mod report;
mod simulated;
mod templates;
mod texts;
mod write;

pub use cell::{Bytes16, Cell, ColumnType, Millis};
pub use details::{CommentRow, RecordRow, StructuredRow};
pub use duplicates::{ClusterRow, DuplicateRow};
pub use events::EventRow;
pub use graph::{ArcRow, ComponentRow, DegreeRow, NodeRow, RankRow};
pub use keywords::KeywordRow;
pub use links::LinkRow;
pub use pages::PageRow;
pub use read::{Batch, TableReader, part_files};
pub use rejects::RejectRow;
pub use report::{HostRow, SummaryRow};
pub use simulated::{SimulatedArcRow, SimulatedPageRow};
pub use templates::TemplateRow;
pub use texts::TextRow;
pub use write::{Footer, PartWriter, ROW_GROUP_ROWS, write_part};

use polars::prelude::Column as PolarsColumn;

/// One column of a table, as `webmill schema` prints it.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct ColumnInfo {
    /// Name in the Parquet file.
    pub name: &'static str,
    /// Physical and logical type.
    pub kind: ColumnType,
    /// Whether null is a value.
    pub nullable: bool,
    /// What it says, with unit and range.
    pub description: &'static str,
    /// A value as it might stand there.
    pub example: &'static str,
}

/// A row type: name, columns and the conversion of rows to columns.
pub trait Table: Sized + Send + Sync {
    /// Folder name, and the name users say.
    const NAME: &'static str;
    /// One sentence: what a row is.
    const ABOUT: &'static str;
    /// The columns in file order.
    fn info() -> Vec<ColumnInfo>;
    /// The rows as columns, in order.
    fn columns(rows: &[Self]) -> Vec<PolarsColumn>;
}

/// Declares a row type with its column documentation and implements [`Table`] for it.
macro_rules! table {
    (
        $(#[doc = $about:literal])+
        $row:ident = $name:literal {
            $( $field:ident : $ty:ty = $desc:literal, $example:literal; )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $row {
            $( #[doc = $desc] pub $field: $ty, )+
        }

        impl $crate::table::Table for $row {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = concat!($($about),+);

            fn info() -> Vec<$crate::table::ColumnInfo> {
                vec![$(
                    $crate::table::ColumnInfo {
                        name: stringify!($field),
                        kind: <$ty as $crate::table::Cell>::TYPE,
                        nullable: <$ty as $crate::table::Cell>::NULLABLE,
                        description: $desc,
                        example: $example,
                    }
                ),+]
            }

            fn columns(rows: &[Self]) -> Vec<polars::prelude::Column> {
                vec![$(
                    <$ty as $crate::table::Cell>::column(stringify!($field), rows.iter().map(|row| &row.$field))
                ),+]
            }
        }
    };
}
pub(crate) use table;

/// Name, meaning and columns of every table, in the order of the data flow.
pub fn all_tables() -> Vec<(&'static str, &'static str, Vec<ColumnInfo>)> {
    fn entry<T: Table>() -> (&'static str, &'static str, Vec<ColumnInfo>) {
        (T::NAME, T::ABOUT, T::info())
    }
    vec![
        entry::<EventRow>(),
        entry::<PageRow>(),
        entry::<LinkRow>(),
        entry::<TextRow>(),
        entry::<RecordRow>(),
        entry::<CommentRow>(),
        entry::<StructuredRow>(),
        entry::<TemplateRow>(),
        entry::<KeywordRow>(),
        entry::<RejectRow>(),
        entry::<NodeRow>(),
        entry::<ArcRow>(),
        entry::<RankRow>(),
        entry::<DegreeRow>(),
        entry::<ComponentRow>(),
        entry::<DuplicateRow>(),
        entry::<ClusterRow>(),
        entry::<HostRow>(),
        entry::<SummaryRow>(),
        entry::<SimulatedPageRow>(),
        entry::<SimulatedArcRow>(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_described_once() {
        for (table, about, columns) in all_tables() {
            assert!(!about.is_empty(), "{table}");
            let mut names: Vec<_> = columns.iter().map(|c| c.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), columns.len(), "{table} names a column twice");
            for column in columns {
                assert!(column.description.len() > 10, "{table}.{} needs a description", column.name);
                assert!(!column.example.is_empty(), "{table}.{} needs an example", column.name);
            }
        }
    }
}
