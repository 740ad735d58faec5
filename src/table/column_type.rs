//! The types of columns, in the words of the Parquet and Arrow formats.

use std::fmt;

use polars_arrow::datatypes::{ArrowDataType, Field, TimeUnit};
use polars_utils::pl_str::PlSmallStr;

/// The Parquet type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ColumnType {
    /// True or false.
    Bool,
    /// Unsigned, 8 bits.
    UInt8,
    /// Signed, 16 bits.
    Int16,
    /// Signed, 32 bits.
    Int32,
    /// Unsigned, 32 bits.
    UInt32,
    /// Signed, 64 bits; numbers of 64 bits without a sign too, of the same bits.
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
    /// List of unsigned integers of 32 bits.
    UInt32List,
    /// List of signed integers of 64 bits.
    Int64List,
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ColumnType::Timestamp => "Timestamp(ms, UTC)",
            ColumnType::StringList => "List(String)",
            ColumnType::Float32List => "List(Float32)",
            ColumnType::UInt32List => "List(UInt32)",
            ColumnType::Int64List => "List(Int64)",
            other => return fmt::Debug::fmt(other, f),
        })
    }
}

impl ColumnType {
    /// Every type.
    pub const ALL: [ColumnType; 15] = [
        ColumnType::Bool,
        ColumnType::UInt8,
        ColumnType::Int16,
        ColumnType::Int32,
        ColumnType::UInt32,
        ColumnType::Int64,
        ColumnType::Float32,
        ColumnType::Float64,
        ColumnType::String,
        ColumnType::Binary,
        ColumnType::Timestamp,
        ColumnType::StringList,
        ColumnType::Float32List,
        ColumnType::UInt32List,
        ColumnType::Int64List,
    ];

    /// The type of these words, as manifests and `webmill schema` have them.
    pub fn of_words(words: &str) -> Option<ColumnType> {
        Self::ALL.into_iter().find(|kind| kind.to_string() == words)
    }

    /// The Arrow type that files declare: the plain ones, which every Arrow library knows.
    pub(crate) fn declared(self) -> ArrowDataType {
        match self {
            ColumnType::String => ArrowDataType::Utf8,
            ColumnType::Binary => ArrowDataType::Binary,
            other => match other.element() {
                Some(element) => ArrowDataType::List(Box::new(element_field(element.declared()))),
                None => other.in_memory(),
            },
        }
    }

    /// The Arrow type that decoded columns have in memory.
    pub(crate) fn in_memory(self) -> ArrowDataType {
        match self {
            ColumnType::Bool => ArrowDataType::Boolean,
            ColumnType::UInt8 => ArrowDataType::UInt8,
            ColumnType::Int16 => ArrowDataType::Int16,
            ColumnType::Int32 => ArrowDataType::Int32,
            ColumnType::UInt32 => ArrowDataType::UInt32,
            ColumnType::Int64 => ArrowDataType::Int64,
            ColumnType::Float32 => ArrowDataType::Float32,
            ColumnType::Float64 => ArrowDataType::Float64,
            ColumnType::String => ArrowDataType::Utf8View,
            ColumnType::Binary => ArrowDataType::BinaryView,
            ColumnType::Timestamp => {
                ArrowDataType::Timestamp(TimeUnit::Millisecond, Some(PlSmallStr::from_static("UTC")))
            }
            ColumnType::StringList => list(ArrowDataType::Utf8View),
            ColumnType::Float32List => list(ArrowDataType::Float32),
            ColumnType::UInt32List => list(ArrowDataType::UInt32),
            ColumnType::Int64List => list(ArrowDataType::Int64),
        }
    }

    /// Whether it is a list.
    pub fn is_list(self) -> bool {
        self.element().is_some()
    }

    /// Type of the elements of a list.
    fn element(self) -> Option<ColumnType> {
        Some(match self {
            ColumnType::StringList => ColumnType::String,
            ColumnType::Float32List => ColumnType::Float32,
            ColumnType::UInt32List => ColumnType::UInt32,
            ColumnType::Int64List => ColumnType::Int64,
            _ => return None,
        })
    }

    /// The column type of a decoded Arrow type, where there is one.
    pub(crate) fn of(dtype: &ArrowDataType) -> Option<ColumnType> {
        Some(match dtype {
            ArrowDataType::Boolean => ColumnType::Bool,
            ArrowDataType::UInt8 => ColumnType::UInt8,
            ArrowDataType::Int16 => ColumnType::Int16,
            ArrowDataType::Int32 => ColumnType::Int32,
            ArrowDataType::UInt32 => ColumnType::UInt32,
            ArrowDataType::Int64 => ColumnType::Int64,
            ArrowDataType::Float32 => ColumnType::Float32,
            ArrowDataType::Float64 => ColumnType::Float64,
            ArrowDataType::Utf8View => ColumnType::String,
            ArrowDataType::BinaryView => ColumnType::Binary,
            ArrowDataType::Timestamp(TimeUnit::Millisecond, Some(zone)) if zone == "UTC" => {
                ColumnType::Timestamp
            }
            ArrowDataType::LargeList(element) => match ColumnType::of(&element.dtype)? {
                ColumnType::String => ColumnType::StringList,
                ColumnType::Float32 => ColumnType::Float32List,
                ColumnType::UInt32 => ColumnType::UInt32List,
                ColumnType::Int64 => ColumnType::Int64List,
                _ => return None,
            },
            _ => return None,
        })
    }
}

fn element_field(dtype: ArrowDataType) -> Field {
    Field::new(PlSmallStr::from_static("item"), dtype, false)
}

pub(crate) fn list(element: ArrowDataType) -> ArrowDataType {
    ArrowDataType::LargeList(Box::new(element_field(element)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_in_memory_are_recognised_and_declared_ones_have_no_views() {
        for kind in ColumnType::ALL {
            assert_eq!(ColumnType::of(&kind.in_memory()), Some(kind));
            assert!(!format!("{:?}", kind.declared()).contains("View"), "{kind}");
            assert_eq!(kind.is_list(), kind.to_string().starts_with("List("));
        }
    }
}
