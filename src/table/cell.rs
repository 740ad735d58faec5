//! How a Rust field becomes a Parquet column, and a column's cells Rust values again.
//!
//! **What.** A [`Cell`] type has one column type; [`Cell::array`] encodes values, [`Cell::decode`] checks a column of
//! a row group once (type, nulls, lengths of keys, words of an enum), and [`Cell::get`] then reads single cells
//! without any failure and without allocation.

use std::sync::Arc;

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
    /// Defects of the column, in words.
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

/// A 128-bit key or digest, stored as its 32 lower-case hexadecimal digits.
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

/// Implements [`Cell`] for types: column type, whether null is a value, checked column, cell as it is read; then how values are collected, a
/// column is checked, a cell is read and owned.
macro_rules! cells {
    ($(
        $ty:ty: $kind:ident, $null:literal, $column:ty => $ref:ty;
        |$values:ident| $array:expr, |$checked:ident| $decode:expr, |$in:ident, $row:ident| $get:expr, $own:expr;
    )+) => {$(
        impl Cell for $ty {
            const TYPE: ColumnType = ColumnType::$kind;
            const NULLABLE: bool = $null;
            type Column = $column;
            type Ref<'a> = $ref;
            fn array<'a>($values: impl Iterator<Item = &'a Self>) -> ArrayBox {
                $array
            }
            fn decode($checked: &dyn Array) -> Result<Self::Column, String> {
                $decode
            }
            fn get($in: &Self::Column, $row: usize) -> Self::Ref<'_> {
                $get
            }
            fn own(cell: Self::Ref<'_>) -> Result<Self, String> {
                ($own)(cell)
            }
        }
    )+};
}

macro_rules! numeric_cells {
    ($($ty:ty => $kind:ident as $stored:ty;)+) => {
        cells! {$(
            $ty: $kind, false, PrimitiveArray<$stored> => $ty;
            |values| PrimitiveArray::from_vec(values.map(|value| *value as $stored).collect()).boxed(),
            |array| typed(array, false), |column, row| column.value(row) as $ty, Ok;
            Option<$ty>: $kind, true, PrimitiveArray<$stored> => Option<$ty>;
            |values| PrimitiveArray::from_iter(values.map(|value| value.map(|value| value as $stored))).boxed(),
            |array| typed(array, true), |column, row| column.get(row).map(|value| value as $ty), Ok;
        )+}
    };
}

// Spark and SQLite have no 64 bits without a sign, so they are stored as the signed integer of the same bits. pandas makes
// `float64`, which has 53 bits, of any integers with nulls: a column of longer ones must have none.
numeric_cells! {
    u8 => UInt8 as u8;
    i16 => Int16 as i16;
    i32 => Int32 as i32;
    u32 => UInt32 as u32;
    u64 => Int64 as i64;
    i64 => Int64 as i64;
    f32 => Float32 as f32;
    f64 => Float64 as f64;
}

cells! {
    bool: Bool, false, BooleanArray => bool;
    |values| BooleanArray::from_slice(values.copied().collect::<Vec<bool>>()).boxed(),
    |array| typed(array, false), |column, row| column.value(row), Ok;

    Option<bool>: Bool, true, BooleanArray => Option<bool>;
    |values| BooleanArray::from_iter(values.copied()).boxed(),
    |array| typed(array, true), |column, row| column.get(row), Ok;

    String: String, false, Utf8ViewArray => &'a str;
    |values| text_array(values.map(String::as_str)),
    |array| typed(array, false), |column, row| column.value(row), |cell: &str| Ok(cell.to_owned());

    Option<String>: String, true, Utf8ViewArray => Option<&'a str>;
    |values| optional_text_array(values.map(Option::as_deref)),
    |array| typed(array, true), |column, row| column.get(row), |cell: Option<&str>| Ok(cell.map(str::to_owned));

    Arc<str>: String, false, Utf8ViewArray => &'a str;
    |values| shared_text_array(values),
    |array| typed(array, false), |column, row| column.value(row), |cell: &str| Ok(cell.into());

    &'static str: String, false, Utf8ViewArray => &'a str;
    |values| text_array(values.copied()),
    |array| typed(array, false), |column, row| column.value(row), crate::interned::interned;

    Option<&'static str>: String, true, Utf8ViewArray => Option<&'a str>;
    |values| optional_text_array(values.copied()),
    |array| typed(array, true), |column, row| column.get(row),
    |cell: Option<&str>| cell.map(crate::interned::interned).transpose();

    Bytes16: String, false, Vec<Bytes16> => Bytes16;
    |values| key_array(values.map(|key| Some(*key))),
    |array| typed::<Utf8ViewArray>(array, false)?.values_iter().map(key).collect(), |column, row| column[row], Ok;

    Option<Bytes16>: String, true, Vec<Option<Bytes16>> => Option<Bytes16>;
    |values| key_array(values.copied()),
    |array| typed::<Utf8ViewArray>(array, true)?.iter().map(|text| text.map(key).transpose()).collect(),
    |column, row| column[row], Ok;

    Millis: Timestamp, true, PrimitiveArray<i64> => Millis;
    |values| PrimitiveArray::from_iter(values.map(|v| v.0)).to(ColumnType::Timestamp.in_memory()).boxed(),
    |array| typed(array, true), |column, row| Millis(column.get(row)), Ok;
}

/// A text column from borrowed texts.
pub(crate) fn text_array<'a>(texts: impl Iterator<Item = &'a str>) -> ArrayBox {
    let array: Utf8ViewArray = MutableBinaryViewArray::from_values_iter(texts).into();
    array.boxed()
}

/// A text column from shared texts: neighbours that are one text in memory are one in the column.
fn shared_text_array<'a>(texts: impl Iterator<Item = &'a Arc<str>>) -> ArrayBox {
    let mut array = MutableBinaryViewArray::<str>::with_capacity(texts.size_hint().0);
    let mut texts = texts.peekable();
    while let Some(text) = texts.next() {
        let mut same = 1;
        while texts.next_if(|next| Arc::ptr_eq(next, text)).is_some() {
            same += 1;
        }
        array.extend_constant(same, Some(&**text));
    }
    let array: Utf8ViewArray = array.into();
    array.boxed()
}

/// A text column with nulls from borrowed texts.
pub(crate) fn optional_text_array<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> ArrayBox {
    let array: Utf8ViewArray = MutableBinaryViewArray::from_iter(texts).into();
    array.boxed()
}

/// A column of bytes with nulls.
pub(crate) fn optional_binary_array<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> ArrayBox {
    let array: BinaryViewArray = MutableBinaryViewArray::from_iter(values).into();
    array.boxed()
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Digits of a key or digest.
pub(crate) const KEY_DIGITS: usize = 32;

/// A column of keys from keys.
fn key_array(keys: impl Iterator<Item = Option<Bytes16>>) -> ArrayBox {
    let mut array = MutableBinaryViewArray::<str>::with_capacity(keys.size_hint().0);
    for key in keys {
        let digits = key.map(|Bytes16(key)| {
            let bytes = key.to_be_bytes();
            std::array::from_fn::<u8, KEY_DIGITS, _>(|at| {
                DIGITS[usize::from(if at % 2 == 0 { bytes[at / 2] >> 4 } else { bytes[at / 2] & 15 })]
            })
        });
        array.push(digits.as_ref().map(|digits| str::from_utf8(digits).expect("digits are ASCII")));
    }
    let array: Utf8ViewArray = array.into();
    array.boxed()
}

/// What the digits stand for; 16 for any other byte. Looked up, since whether a digit is a letter cannot be foretold.
const VALUES: [u8; 256] = {
    let mut values = [16; 256];
    let mut value = 0;
    while value < 16 {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

fn key(text: &str) -> Result<Bytes16, String> {
    let half = |digits: &[u8]| {
        digits.iter().fold((0, 0), |(half, all), digit| {
            let value = VALUES[usize::from(*digit)];
            (half << 4 | u64::from(value & 15), all | value)
        })
    };
    let (high, low) = text.as_bytes().split_at(text.len().min(KEY_DIGITS / 2));
    let ((high, some), (low, others)) = (half(high), half(low));
    if text.len() != KEY_DIGITS || some | others > 15 {
        return Err(format!("{text:?}, where {KEY_DIGITS} lower-case hexadecimal digits are expected"));
    }
    Ok(Bytes16(u128::from(high) << 64 | u128::from(low)))
}
