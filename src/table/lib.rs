//! The Parquet contracts: one row type a table, every column described.
//!
//! **What.** A table is a Rust struct whose fields are its columns. The `table!` declaration next to each struct
//! carries the description, unit and example that `webmill schema` prints, so the documentation cannot drift from
//! the bytes.
//!
//! **Layout on disk.** A table is a folder of `part-*.parquet` files, zstd, with column statistics. Columns that the
//! largest public crawl index has carry its names and types. Real types throughout: timestamps are timestamps with a
//! time zone, missing is null. Two are kept as what every reader has: 64 bits without a sign as the signed integer of the
//! same bits, keys of 128 bits as 32 hexadecimal digits.
//!
//! **Memory.** Rows are buffered by the caller and written a row group at a time ([`PartWriter`]); reading
//! ([`Reader`]) goes row group by row group with only the columns asked for.
//!
//! **Damage.** The footer has digests of itself and of each column chunk, which are checked on reading (module `seal`), or for
//! readers of other programs by [`verify`].
//!
//! **Determinism.** Equal rows in equal order give equal bytes: no clock, host or thread count reaches a file.
//!
//! **Why.** Polars' Parquet and Arrow, and its engine only for SQL. Tables are written and read by polars-parquet and polars-arrow,
//! row group by row group, with the columns asked for. The engine is linked by feature `sql` alone, without its own reader of
//! Parquet: that comes with a second engine (streaming) and an HTTP client of object stores. The streaming engine was measured for
//! what the report sums up (4 million captures of 2 million hosts, polars 2.1 for Python, peak beside the interpreter's 124 MiB):
//! `hosts`, a group-by of many groups, takes 480 MiB and so breaks any bound; the distributions of `summary` stay within it and take
//! 0.2 s of CPU, but the one pass that feeds the sort of hosts reads these columns anyway. So hosts, duplicates and ranks are put
//! together by `sort`, whose memory does not depend on the corpus.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arrays;
mod as_text;
mod bounds;
mod cell;
mod column_type;
mod columns;
mod dynamic;
mod dynamic_read;
mod facts;
mod file;
mod gathered;
mod interned;
#[cfg(test)]
mod laws;
mod lists;
pub mod merge;
mod read;
mod schema;
mod seal;
mod words;
mod write;

pub use arrays::{ArrayGroup, ArrayReader, write_arrays};
pub use as_text::{TextColumn, TextReader};
pub use bounds::{Bounds, GroupCounts, GroupFacts};
pub use cell::{Bytes16, Cell, Millis};
pub use column_type::ColumnType;
pub use columns::{Columns, Reader, RowReader, Rows, read_rows};
pub use dynamic::{DynamicWriter, Value};
pub use dynamic_read::{DynamicReader, NumberReader};
pub use facts::FileFacts;
pub use file::{MAX_GROUP_BYTES, MAX_GROUP_ROWS, MAX_LIST_VALUES, largest_group, verify};
pub use lists::{Lists, Texts};
pub use read::{TableInWords, part_files};
pub use schema::{ColumnSchema, TableSchema, schema};
pub use words::TextEnum;
pub use write::{Footer, PartWriter, ROW_GROUP_ROWS, write_part};

#[doc(hidden)]
pub use cell::ArrayBox;
#[doc(hidden)]
pub use columns::{HasColumn, column_id};
#[doc(hidden)]
pub use file::Group;
#[doc(hidden)]
pub use webmill_capture::Result;

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
    /// The values it may hold, where they are a closed set; else empty.
    pub values: &'static [&'static str],
}

/// A row type: name, columns and the conversion of rows to columns.
pub trait Table: Sized + Send + Sync {
    /// Folder name, and the name users say.
    const NAME: &'static str;
    /// One sentence: what a row is.
    const ABOUT: &'static str;
    /// The columns by whose values, ascending, the rows of each file are sorted, the first before the second; empty if
    /// the order has no meaning. Nulls come first.
    const SORTED_BY: &'static [&'static str] = &[];
    /// The columns in file order.
    fn info() -> Vec<ColumnInfo>;
    /// The rows as columns, in order.
    #[doc(hidden)]
    fn columns(rows: &[Self]) -> Vec<ArrayBox>;
    /// The rows of a row group that holds all columns, in order.
    ///
    /// # Errors
    /// Where a column is not what the field is.
    #[doc(hidden)]
    fn rows(group: &Group) -> Result<Vec<Self>>;
}

/// Declares a row type with its column documentation and implements [`Table`] for it. Where the rows of a file have an
/// order, `sorted by [columns]` behind the name declares it.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $about:literal])+
        $row:ident = $name:literal $(sorted by [$($sorted:ident),+])? {
            $( $field:ident : $ty:ty = $desc:literal, $example:literal; )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $row {
            $( #[doc = $desc] pub $field: $ty, )+
        }

        impl $crate::Table for $row {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = concat!($($about),+);
            $(const SORTED_BY: &'static [&'static str] = &[$(
                <$row as $crate::HasColumn<{ $crate::column_id(stringify!($sorted)) }>>::INFO.name
            ),+];)?

            fn info() -> Vec<$crate::ColumnInfo> {
                vec![$( <$row as $crate::HasColumn<{ $crate::column_id(stringify!($field)) }>>::INFO ),+]
            }

            fn columns(rows: &[Self]) -> Vec<$crate::ArrayBox> {
                vec![$( <$ty as $crate::Cell>::array(rows.iter().map(|row| &row.$field)) ),+]
            }

            fn rows(group: &$crate::Group) -> $crate::Result<Vec<Self>> {
                let mut at = 0..;
                $(
                    let $field = group.column::<$ty>(at.next().expect("the range has no end"))?;
                )+
                (0..group.len())
                    .map(|row| {
                        Ok($row {
                            $($field: group.own::<$ty>(stringify!($field), &$field, row)?,)+
                        })
                    })
                    .collect()
            }
        }

        $(
            impl $crate::HasColumn<{ $crate::column_id(stringify!($field)) }> for $row {
                type Cell = $ty;
                const INFO: $crate::ColumnInfo = $crate::ColumnInfo {
                    name: stringify!($field),
                    kind: <$ty as $crate::Cell>::TYPE,
                    nullable: <$ty as $crate::Cell>::NULLABLE,
                    description: $desc,
                    example: $example,
                    values: <$ty as $crate::Cell>::VALUES,
                };
            }
        )+
    };
}
