//! How a Rust field becomes a Parquet column.

use std::fmt;

use polars::prelude::*;

/// Type of a column, in the words of the Parquet and Arrow formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum ColumnType {
    /// True or false.
    Bool,
    /// Unsigned, 8 bits.
    UInt8,
    /// Signed, 16 bits.
    Int16,
    /// Unsigned, 32 bits.
    UInt32,
    /// Unsigned, 64 bits.
    UInt64,
    /// Signed, 64 bits.
    Int64,
    /// IEEE 754 single precision.
    Float32,
    /// IEEE 754 double precision.
    Float64,
    /// UTF-8 text.
    String,
    /// Raw bytes.
    Binary,
    /// Milliseconds since 1970, UTC.
    Timestamp,
    /// List of UTF-8 texts.
    StringList,
    /// List of IEEE 754 numbers of single precision.
    Float32List,
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ColumnType::Timestamp => "Timestamp(ms, UTC)",
            ColumnType::StringList => "List(String)",
            ColumnType::Float32List => "List(Float32)",
            other => return fmt::Debug::fmt(other, f),
        })
    }
}

/// A field type that has a column form.
pub trait Cell: Sized {
    /// The column's type.
    const TYPE: ColumnType;
    /// Whether null is a value.
    const NULLABLE: bool = false;
    /// Collects the values in order.
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column
    where
        Self: 'a;
}

/// A moment: milliseconds since 1970 in UTC; null when unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct Millis(pub Option<i64>);

/// A 128-bit key or digest, stored as 16 big-endian bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Hash)]
pub struct Bytes16(pub u128);

macro_rules! numeric_cell {
    ($($ty:ty => $kind:ident, $chunked:ty;)+) => {$(
        impl Cell for $ty {
            const TYPE: ColumnType = ColumnType::$kind;
            fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
                <$chunked>::from_iter_values(name.into(), values.copied()).into_column()
            }
        }
        impl Cell for Option<$ty> {
            const TYPE: ColumnType = ColumnType::$kind;
            const NULLABLE: bool = true;
            fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
                <$chunked>::from_iter_options(name.into(), values.copied()).into_column()
            }
        }
    )+};
}

numeric_cell! {
    u8 => UInt8, UInt8Chunked;
    i16 => Int16, Int16Chunked;
    u32 => UInt32, UInt32Chunked;
    u64 => UInt64, UInt64Chunked;
    i64 => Int64, Int64Chunked;
    f32 => Float32, Float32Chunked;
    f64 => Float64, Float64Chunked;
}

impl Cell for bool {
    const TYPE: ColumnType = ColumnType::Bool;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        BooleanChunked::from_iter_values(name.into(), values.copied()).into_column()
    }
}

impl Cell for String {
    const TYPE: ColumnType = ColumnType::String;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        StringChunked::from_iter_values(name.into(), values.map(String::as_str)).into_column()
    }
}

impl Cell for Option<String> {
    const TYPE: ColumnType = ColumnType::String;
    const NULLABLE: bool = true;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        StringChunked::from_iter_options(name.into(), values.map(Option::as_deref)).into_column()
    }
}

impl Cell for &'static str {
    const TYPE: ColumnType = ColumnType::String;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        StringChunked::from_iter_values(name.into(), values.copied()).into_column()
    }
}

impl Cell for Option<&'static str> {
    const TYPE: ColumnType = ColumnType::String;
    const NULLABLE: bool = true;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        StringChunked::from_iter_options(name.into(), values.copied()).into_column()
    }
}

impl Cell for Bytes16 {
    const TYPE: ColumnType = ColumnType::Binary;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        BinaryChunked::from_iter_values(name.into(), values.map(|v| v.0.to_be_bytes())).into_column()
    }
}

impl Cell for Option<Bytes16> {
    const TYPE: ColumnType = ColumnType::Binary;
    const NULLABLE: bool = true;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        BinaryChunked::from_iter_options(name.into(), values.map(|v| v.map(|v| v.0.to_be_bytes())))
            .into_column()
    }
}

impl Cell for Millis {
    const TYPE: ColumnType = ColumnType::Timestamp;
    const NULLABLE: bool = true;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        Int64Chunked::from_iter_options(name.into(), values.map(|v| v.0))
            .into_datetime(TimeUnit::Milliseconds, Some(TimeZone::UTC))
            .into_column()
    }
}

impl Cell for Vec<String> {
    const TYPE: ColumnType = ColumnType::StringList;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        let lists: Vec<&Vec<String>> = values.collect();
        let total = lists.iter().map(|l| l.len()).sum();
        let mut builder = ListStringChunkedBuilder::new(name.into(), lists.len(), total);
        for list in lists {
            builder.append_values_iter(list.iter().map(String::as_str));
        }
        builder.finish().into_column()
    }
}

impl Cell for Vec<f32> {
    const TYPE: ColumnType = ColumnType::Float32List;
    fn column<'a>(name: &str, values: impl Iterator<Item = &'a Self>) -> Column {
        let lists: Vec<&Vec<f32>> = values.collect();
        let total = lists.iter().map(|l| l.len()).sum();
        let mut builder = ListPrimitiveChunkedBuilder::<Float32Type>::new(
            name.into(),
            lists.len(),
            total,
            DataType::Float32,
        );
        for list in lists {
            builder.append_slice(list);
        }
        builder.finish().into_column()
    }
}
