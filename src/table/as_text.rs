//! Columns of foreign Parquet files as texts, whatever plain type they have.

use std::path::Path;

use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, Utf8ViewArray};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::types::NativeType;
use webmill_capture::error::{Error, Result};

use crate::file::ParquetFile;

/// A column of a row group as texts; `None` for null, and for numbers that are none.
pub type TextColumn = Vec<Option<String>>;

/// Reads some columns of a file as texts: texts, also those that are stored by number (categories), truth values and
/// numbers; a whole number of a column of floating point numbers has no point.
pub struct TextReader {
    file: ParquetFile,
    /// For each name whether the file has it, and with values.
    there: Vec<Option<bool>>,
}

impl TextReader {
    /// Opens the file at `path` for the columns of these names that it has.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] where it is no Parquet file; [`Error::Incompatible`] for a column of lists, times and the like.
    pub fn open(path: &Path, names: &[&str]) -> Result<Self> {
        let mut file = ParquetFile::open_whole(path)?;
        let (mut there, mut fields) = (Vec::new(), Vec::new());
        for name in names {
            let Some(field) = file.fields().iter().find(|field| field.name == **name).cloned() else {
                there.push(None);
                continue;
            };
            there.push(Some(field.dtype != ArrowDataType::Null));
            if field.dtype != ArrowDataType::Null {
                fields.push(plain(field, path)?);
            }
        }
        file.read_as(fields);
        Ok(TextReader { file, there })
    }

    /// Whether the file has the column of name number `at`.
    pub fn has(&self, at: usize) -> bool {
        self.there[at].is_some()
    }

    /// The next row group: its number of rows, and for each name its column, all null where the file has none.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] where the bytes are damaged or a bound is exceeded.
    pub fn next_group(&mut self) -> Result<Option<(usize, Vec<TextColumn>)>> {
        let Some(group) = self.file.next_group()? else { return Ok(None) };
        let mut columns = group.columns.iter();
        let of = self.there.iter().map(|there| match there {
            Some(true) => columns.next().and_then(|(_, array)| texts(array.as_ref())).ok_or_else(|| {
                Error::Internal(format!("{}: a column is decoded as another type", self.file.path.display()))
            }),
            _ => Ok(vec![None; group.rows]),
        });
        Ok(Some((group.rows, of.collect::<Result<_>>()?)))
    }
}

/// The field as it is decoded.
fn plain(mut field: Field, path: &Path) -> Result<Field> {
    use ArrowDataType as Type;
    if let Type::Dictionary(_, value, _) = field.dtype {
        field.dtype = *value;
        // That the values were stored by number, and how.
        field.metadata = None;
    }
    field.dtype = match field.dtype {
        Type::Utf8 | Type::LargeUtf8 => Type::Utf8View,
        other => other,
    };
    match field.dtype {
        Type::Utf8View | Type::Boolean | Type::Float32 | Type::Float64 => Ok(field),
        Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64 => Ok(field),
        Type::UInt8 | Type::UInt16 | Type::UInt32 | Type::UInt64 => Ok(field),
        other => Err(Error::Incompatible {
            path: path.to_path_buf(),
            found: format!("column {} of type {other:?}", field.name),
            expected: "a column of texts, numbers or truth values".into(),
        }),
    }
}

fn texts(array: &dyn Array) -> Option<TextColumn> {
    let any = array.as_any();
    if let Some(array) = any.downcast_ref::<Utf8ViewArray>() {
        return Some(array.iter().map(|text| text.map(str::to_owned)).collect());
    }
    if let Some(array) = any.downcast_ref::<BooleanArray>() {
        return Some(array.iter().map(|yes| yes.map(|yes| yes.to_string())).collect());
    }
    numbers::<i8>(array)
        .or_else(|| numbers::<i16>(array))
        .or_else(|| numbers::<i32>(array))
        .or_else(|| numbers::<i64>(array))
        .or_else(|| numbers::<u8>(array))
        .or_else(|| numbers::<u16>(array))
        .or_else(|| numbers::<u32>(array))
        .or_else(|| numbers::<u64>(array))
        .or_else(|| numbers::<f32>(array))
        .or_else(|| numbers::<f64>(array))
}

fn numbers<T: NativeType + std::fmt::Display>(array: &dyn Array) -> Option<TextColumn> {
    let array = array.as_any().downcast_ref::<PrimitiveArray<T>>()?;
    let of = |number: &T| Some(number.to_string()).filter(|text| text != "NaN");
    Some(array.iter().map(|number| number.and_then(of)).collect())
}

#[cfg(test)]
mod tests {
    use polars_arrow::array::{DictionaryArray, NullArray};

    use super::*;
    use crate::{ArrayBox, write_arrays};

    #[test]
    fn columns_of_any_plain_type_are_texts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let words = Utf8ViewArray::from_slice([Some("tea"), Some("bikes")]);
        let keys = PrimitiveArray::<u32>::from_slice([1, 0, 1]);
        let arrays: Vec<(&str, ArrayBox)> = vec![
            ("category", DictionaryArray::try_from_keys(keys, words.boxed(), false).unwrap().boxed()),
            ("whole", PrimitiveArray::<i64>::from([Some(-7), None, Some(9)]).boxed()),
            ("float", PrimitiveArray::<f64>::from([Some(2.0), Some(f64::NAN), Some(0.5)]).boxed()),
            ("truth", BooleanArray::from([Some(true), None, Some(false)]).boxed()),
            ("nothing", NullArray::new(ArrowDataType::Null, 3).boxed()),
            ("time", PrimitiveArray::<i32>::from_vec(vec![1, 2, 3]).to(ArrowDataType::Date32).boxed()),
        ];
        let columns: Vec<(Field, ArrayBox)> = arrays
            .into_iter()
            .map(|(name, array)| (Field::new(name.into(), array.dtype().clone(), true), array))
            .collect();
        write_arrays(&path, &columns).unwrap();
        let names = ["category", "whole", "float", "truth", "nothing", "absent"];
        let mut reader = TextReader::open(&path, &names).unwrap();
        assert!(reader.has(4) && !reader.has(5));
        let (rows, columns) = reader.next_group().unwrap().unwrap();
        let want = [
            [Some("bikes"), Some("tea"), Some("bikes")],
            [Some("-7"), None, Some("9")],
            [Some("2"), None, Some("0.5")],
            [Some("true"), None, Some("false")],
            [None; 3],
            [None; 3],
        ];
        let found: Vec<Vec<Option<&str>>> =
            columns.iter().map(|column| column.iter().map(Option::as_deref).collect()).collect();
        assert_eq!((rows, found), (3, want.map(Vec::from).to_vec()));
        assert!(reader.next_group().unwrap().is_none());
        let error = TextReader::open(&path, &["time"]).err().unwrap().to_string();
        assert!(error.contains("column time of type Date32"), "{error}");
    }
}
