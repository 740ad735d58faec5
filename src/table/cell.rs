//! How a Rust field becomes a Parquet column, and a column's cells Rust values again.
//!
//! **What.** A [`Cell`] type has one column type; [`Cell::array`] encodes values, [`Cell::decode`] checks a column of
//! a row group once (type, nulls, lengths of keys, words of an enum), and [`Cell::get`] then reads single cells
//! without any failure and without allocation.

use polars_arrow::array::{
    Array, BinaryViewArray, BooleanArray, MutableBinaryViewArray, PrimitiveArray, StaticArray, Utf8ViewArray,
};

use crate::column_type::ColumnType;

/// A column as the Parquet library holds it.
#[doc(hidden)]
pub type ArrayBox = Box<dyn Array>;

/// A field type that has a column form.
pub trait Cell: Sized {
    /// The column's type.
    const TYPE: ColumnType;
    /// Whether null is a value.
    const NULLABLE: bool = false;
    /// The values a text column may hold, where they are a closed set; else empty.
    const VALUES: &'static [&'static str] = &[];
    /// A checked column of one row group.
    type Column: Send + Sync + 'static;
    /// A cell as it is read: numbers and keys as they are, texts and lists borrowed from the column.
    type Ref<'a>: Copy + std::fmt::Debug;

    /// Collects the values in order.
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox
    where
        Self: 'a;

    /// Checks a column once, so that [`Cell::get`] cannot fail.
    ///
    /// # Errors
    /// What is wrong with the column, in words.
    fn decode(array: &dyn Array) -> Result<Self::Column, String>;

    /// The cell in row `row`, which must be below the number of rows.
    fn get(column: &Self::Column, row: usize) -> Self::Ref<'_>;

    /// The owned value of a cell.
    ///
    /// # Errors
    /// Where the type cannot hold it, in words.
    fn own(cell: Self::Ref<'_>) -> Result<Self, String>;
}

/// A moment: milliseconds since 1970 in UTC; null when unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct Millis(pub Option<i64>);

/// A 128-bit key or digest, stored as 16 big-endian bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Hash)]
pub struct Bytes16(pub u128);

/// The column as the array type `A`, with nulls only where they are values.
pub(crate) fn typed<A: Array + Clone>(array: &dyn Array, nullable: bool) -> Result<A, String> {
    if !nullable {
        never_null(array)?;
    }
    array
        .as_any()
        .downcast_ref::<A>()
        .cloned()
        .ok_or_else(|| format!("decoded as {:?}, which is not its type", array.dtype()))
}

/// Refuses a column with a null.
pub(crate) fn never_null(array: &dyn Array) -> Result<(), String> {
    if array.null_count() == 0 {
        return Ok(());
    }
    let row = array.validity().and_then(|valid| valid.iter().position(|v| !v)).unwrap_or(0);
    Err(format!("null in row {row} of a row group, where null is no value"))
}

macro_rules! numeric_cell {
    ($($ty:ty => $kind:ident;)+) => {$(
        impl Cell for $ty {
            const TYPE: ColumnType = ColumnType::$kind;
            type Column = PrimitiveArray<$ty>;
            type Ref<'a> = $ty;
            fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
                PrimitiveArray::from_vec(values.copied().collect::<Vec<$ty>>()).boxed()
            }
            fn decode(array: &dyn Array) -> Result<Self::Column, String> {
                typed(array, false)
            }
            fn get(column: &Self::Column, row: usize) -> $ty {
                column.value(row)
            }
            fn own(cell: $ty) -> Result<Self, String> {
                Ok(cell)
            }
        }
        impl Cell for Option<$ty> {
            const TYPE: ColumnType = ColumnType::$kind;
            const NULLABLE: bool = true;
            type Column = PrimitiveArray<$ty>;
            type Ref<'a> = Option<$ty>;
            fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
                PrimitiveArray::from_iter(values.copied()).boxed()
            }
            fn decode(array: &dyn Array) -> Result<Self::Column, String> {
                typed(array, true)
            }
            fn get(column: &Self::Column, row: usize) -> Option<$ty> {
                column.get(row)
            }
            fn own(cell: Option<$ty>) -> Result<Self, String> {
                Ok(cell)
            }
        }
    )+};
}

numeric_cell! {
    u8 => UInt8;
    i16 => Int16;
    i32 => Int32;
    u32 => UInt32;
    u64 => UInt64;
    i64 => Int64;
    f32 => Float32;
    f64 => Float64;
}

impl Cell for bool {
    const TYPE: ColumnType = ColumnType::Bool;
    type Column = BooleanArray;
    type Ref<'a> = bool;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        BooleanArray::from_slice(values.copied().collect::<Vec<bool>>()).boxed()
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        typed(array, false)
    }
    fn get(column: &Self::Column, row: usize) -> bool {
        column.value(row)
    }
    fn own(cell: bool) -> Result<Self, String> {
        Ok(cell)
    }
}

impl Cell for Option<bool> {
    const TYPE: ColumnType = ColumnType::Bool;
    const NULLABLE: bool = true;
    type Column = BooleanArray;
    type Ref<'a> = Option<bool>;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        BooleanArray::from_iter(values.copied()).boxed()
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        typed(array, true)
    }
    fn get(column: &Self::Column, row: usize) -> Option<bool> {
        column.get(row)
    }
    fn own(cell: Option<bool>) -> Result<Self, String> {
        Ok(cell)
    }
}

/// A text column from borrowed texts.
pub(crate) fn text_array<'a>(texts: impl Iterator<Item = &'a str>) -> ArrayBox {
    let array: Utf8ViewArray = MutableBinaryViewArray::from_values_iter(texts).into();
    array.boxed()
}

/// A text column with nulls from borrowed texts.
pub(crate) fn optional_text_array<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> ArrayBox {
    let array: Utf8ViewArray = MutableBinaryViewArray::from_iter(texts).into();
    array.boxed()
}

impl Cell for String {
    const TYPE: ColumnType = ColumnType::String;
    type Column = Utf8ViewArray;
    type Ref<'a> = &'a str;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        text_array(values.map(String::as_str))
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        typed(array, false)
    }
    fn get(column: &Self::Column, row: usize) -> &str {
        column.value(row)
    }
    fn own(cell: &str) -> Result<Self, String> {
        Ok(cell.to_owned())
    }
}

impl Cell for Option<String> {
    const TYPE: ColumnType = ColumnType::String;
    const NULLABLE: bool = true;
    type Column = Utf8ViewArray;
    type Ref<'a> = Option<&'a str>;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        optional_text_array(values.map(Option::as_deref))
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        typed(array, true)
    }
    fn get(column: &Self::Column, row: usize) -> Option<&str> {
        column.get(row)
    }
    fn own(cell: Option<&str>) -> Result<Self, String> {
        Ok(cell.map(str::to_owned))
    }
}

impl Cell for &'static str {
    const TYPE: ColumnType = ColumnType::String;
    type Column = Utf8ViewArray;
    type Ref<'a> = &'a str;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        text_array(values.copied())
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        typed(array, false)
    }
    fn get(column: &Self::Column, row: usize) -> &str {
        column.value(row)
    }
    fn own(cell: &str) -> Result<Self, String> {
        crate::interned::interned(cell)
    }
}

impl Cell for Option<&'static str> {
    const TYPE: ColumnType = ColumnType::String;
    const NULLABLE: bool = true;
    type Column = Utf8ViewArray;
    type Ref<'a> = Option<&'a str>;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        optional_text_array(values.copied())
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        typed(array, true)
    }
    fn get(column: &Self::Column, row: usize) -> Option<&str> {
        column.get(row)
    }
    fn own(cell: Option<&str>) -> Result<Self, String> {
        cell.map(crate::interned::interned).transpose()
    }
}

/// A column of bytes with nulls.
pub(crate) fn optional_binary_array<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> ArrayBox {
    let array: BinaryViewArray = MutableBinaryViewArray::from_iter(values).into();
    array.boxed()
}

fn keys(array: &dyn Array, nullable: bool) -> Result<BinaryViewArray, String> {
    let column: BinaryViewArray = typed(array, nullable)?;
    match column.iter().flatten().find(|bytes| bytes.len() != 16) {
        None => Ok(column),
        Some(bytes) => Err(format!("a key of {} bytes, where 16 are expected", bytes.len())),
    }
}

fn key(bytes: &[u8]) -> Bytes16 {
    Bytes16(u128::from_be_bytes(bytes.try_into().expect("the column was checked: all keys have 16 bytes")))
}

impl Cell for Bytes16 {
    const TYPE: ColumnType = ColumnType::Binary;
    type Column = BinaryViewArray;
    type Ref<'a> = Bytes16;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        let array: BinaryViewArray =
            MutableBinaryViewArray::from_values_iter(values.map(|v| v.0.to_be_bytes())).into();
        array.boxed()
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        keys(array, false)
    }
    fn get(column: &Self::Column, row: usize) -> Bytes16 {
        key(column.value(row))
    }
    fn own(cell: Bytes16) -> Result<Self, String> {
        Ok(cell)
    }
}

impl Cell for Option<Bytes16> {
    const TYPE: ColumnType = ColumnType::Binary;
    const NULLABLE: bool = true;
    type Column = BinaryViewArray;
    type Ref<'a> = Option<Bytes16>;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        let array: BinaryViewArray =
            MutableBinaryViewArray::from_iter(values.map(|v| v.map(|v| v.0.to_be_bytes()))).into();
        array.boxed()
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        keys(array, true)
    }
    fn get(column: &Self::Column, row: usize) -> Option<Bytes16> {
        column.get(row).map(key)
    }
    fn own(cell: Option<Bytes16>) -> Result<Self, String> {
        Ok(cell)
    }
}

impl Cell for Millis {
    const TYPE: ColumnType = ColumnType::Timestamp;
    const NULLABLE: bool = true;
    type Column = PrimitiveArray<i64>;
    type Ref<'a> = Millis;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        PrimitiveArray::from_iter(values.map(|v| v.0)).to(ColumnType::Timestamp.in_memory()).boxed()
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        typed(array, true)
    }
    fn get(column: &Self::Column, row: usize) -> Millis {
        Millis(column.get(row))
    }
    fn own(cell: Millis) -> Result<Self, String> {
        Ok(cell)
    }
}
