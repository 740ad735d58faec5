//! Columns of lists. A list is never null, nor is an element; no elements is an empty list.

use std::fmt;

use polars_arrow::array::{Array, ListArray, PrimitiveArray, Utf8ViewArray};
use polars_arrow::offset::{Offsets, OffsetsBuffer};

use crate::cell::{ArrayBox, Cell, never_null, text_array, typed};
use crate::column_type::{ColumnType, list};

/// A checked column of lists: where each begins and ends among all elements.
pub struct Lists<A> {
    offsets: OffsetsBuffer<i64>,
    elements: A,
}

impl<A: Array + Clone> Lists<A> {
    fn decode(array: &dyn Array) -> Result<Self, String> {
        let column: ListArray<i64> = typed(array, false)?;
        never_null(column.values().as_ref()).map_err(|_| "a null among the elements of a list".to_owned())?;
        Ok(Lists { offsets: column.offsets().clone(), elements: typed(column.values().as_ref(), false)? })
    }
}

/// The texts of one cell, borrowed from its column.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    elements: &'a Utf8ViewArray,
    start: usize,
    end: usize,
}

impl<'a> Texts<'a> {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The texts in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'a str> + ExactSizeIterator + use<'a> {
        let elements = self.elements;
        (self.start..self.end).map(move |i| elements.value(i))
    }

    /// The texts as owned strings.
    pub fn to_vec(&self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }
}

impl fmt::Debug for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

fn list_array(lengths: impl Iterator<Item = usize>, elements: ArrayBox) -> ArrayBox {
    let offsets =
        Offsets::<i64>::try_from_lengths(lengths).expect("lists in memory have less than 2^63 elements");
    ListArray::new(list(elements.dtype().clone()), offsets.into(), elements, None).boxed()
}

impl Cell for Vec<String> {
    const TYPE: ColumnType = ColumnType::StringList;
    type Column = Lists<Utf8ViewArray>;
    type Ref<'a> = Texts<'a>;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        let lists: Vec<&Vec<String>> = values.collect();
        let elements = text_array(lists.iter().flat_map(|l| l.iter()).map(String::as_str));
        list_array(lists.iter().map(|l| l.len()), elements)
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        Lists::decode(array)
    }
    fn get(column: &Self::Column, row: usize) -> Texts<'_> {
        let (start, end) = column.offsets.start_end(row);
        Texts { elements: &column.elements, start, end }
    }
    fn own(cell: Texts<'_>) -> Result<Self, String> {
        Ok(cell.to_vec())
    }
}

macro_rules! numeric_lists {
    ($($ty:ty => $kind:ident as $stored:ty;)+) => {$(
        impl Cell for Vec<$ty> {
            const TYPE: ColumnType = ColumnType::$kind;
            type Column = Lists<PrimitiveArray<$ty>>;
            type Ref<'a> = &'a [$ty];
            fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
                let lists: Vec<&Vec<$ty>> = values.collect();
                let elements: Vec<$stored> = lists.iter().flat_map(|l| l.iter().map(|n| *n as $stored)).collect();
                list_array(lists.iter().map(|l| l.len()), PrimitiveArray::from_vec(elements).boxed())
            }
            fn decode(array: &dyn Array) -> Result<Self::Column, String> {
                let Lists { offsets, elements } = Lists::<PrimitiveArray<$stored>>::decode(array)?;
                Ok(Lists { offsets, elements: elements.transmute() })
            }
            fn get(column: &Self::Column, row: usize) -> &[$ty] {
                let (start, end) = column.offsets.start_end(row);
                &column.elements.values()[start..end]
            }
            fn own(cell: &[$ty]) -> Result<Self, String> {
                Ok(cell.to_vec())
            }
        }
    )+};
}

numeric_lists! {
    f32 => Float32List as f32;
    u32 => UInt32List as u32;
    u64 => Int64List as i64;
    i64 => Int64List as i64;
}
