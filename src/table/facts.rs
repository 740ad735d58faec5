//! What the footer of a file says of it.

use std::fs::File;
use std::path::Path;

use polars_parquet::read::read_metadata;
use webmill_capture::error::{AtPath, Result};

use crate::TableSchema;
use crate::file::guarded;
use crate::write::{SCHEMA_KEY, SORTED_BY_KEY};

/// Bytes of a schema in a footer; longer ones are passed over.
const MAX_SCHEMA_BYTES: usize = 4 << 20;

/// What the footer of a Parquet file says of the file, read without its rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileFacts {
    /// Number of rows of the file.
    pub rows: u64,
    /// Row groups, each with statistics of its columns.
    pub row_groups: usize,
    /// The columns that its rows are sorted by, ascending and nulls first; empty if it names no order.
    pub sorted_by: Vec<String>,
    /// What the table says of itself, where it does: as foreign as the file.
    pub schema: Option<TableSchema>,
}

impl FileFacts {
    /// Reads the footer of the file at `path`.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`]; [`webmill_capture::Error::Corrupt`] where it is no Parquet file.
    pub fn read(path: &Path) -> Result<Self> {
        let mut file = File::open(path).at(path)?;
        guarded(path, || {
            let metadata = read_metadata(&mut file)?;
            let value = |key: &str| {
                let pairs = metadata.key_value_metadata.iter().flatten();
                pairs.filter(|pair| pair.key == key).find_map(|pair| pair.value.as_ref())
            };
            let sorted_by = value(SORTED_BY_KEY);
            let schema = value(SCHEMA_KEY).filter(|schema| schema.len() <= MAX_SCHEMA_BYTES);
            Ok(FileFacts {
                rows: metadata.num_rows as u64,
                row_groups: metadata.row_groups.len(),
                sorted_by: sorted_by
                    .map_or_else(Vec::new, |names| names.split(',').map(str::to_owned).collect()),
                schema: schema.and_then(|schema| serde_json::from_str(schema).ok()),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::AnyRow;
    use crate::{Footer, ROW_GROUP_ROWS, table, write_part};
    use polars_parquet::parquet::statistics::Statistics;

    table! {
        /// One row per name and year.
        YearRow = "years" sorted by [name, year] {
            name: String = "a name in SURT order", "cn,edu,pku)/";
            year: Option<i32> = "a year", "1999";
        }
    }

    /// The row groups whose statistics say that they may hold a name.
    fn groups_with(path: &Path, name: &str) -> Vec<usize> {
        let metadata = read_metadata(&mut File::open(path).unwrap()).unwrap();
        let may_hold = |group: &usize| {
            let column = &metadata.row_groups[*group].parquet_columns()[0];
            let Some(Ok(Statistics::Binary(bounds))) = column.statistics(&metadata.footer_buf) else {
                panic!("statistics of texts");
            };
            let (least, most) = (bounds.min_value.unwrap(), bounds.max_value.unwrap());
            (least.as_slice()..=most.as_slice()).contains(&name.as_bytes())
        };
        (0..metadata.row_groups.len()).filter(may_hold).collect()
    }

    #[test]
    fn the_order_of_rows_stands_in_the_footer_and_statistics_lead_to_one_row_group() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-0.parquet");
        // Names are longer than what libraries that cut statistics short keep of them.
        let name = |n: usize| format!("{}{n:08}", "cn,edu,pku,".repeat(12));
        let rows: Vec<YearRow> = (0..3 * ROW_GROUP_ROWS)
            .map(|n| YearRow { name: name(n / 2), year: (n % 2 == 1).then_some(1999) })
            .collect();
        let footer = Footer { job_key: "0123".into() };
        write_part(&path, &rows, &footer).unwrap();
        let sorted_by = vec!["name".to_owned(), "year".to_owned()];
        let expected = FileFacts { rows: rows.len() as u64, row_groups: 3, sorted_by, schema: None };
        assert_eq!(FileFacts::read(&path).unwrap(), expected);
        assert_eq!(groups_with(&path, &name(ROW_GROUP_ROWS * 3 / 4)), [1], "the middle of the second group");
        assert_eq!(groups_with(&path, &name(ROW_GROUP_ROWS * 5 / 4)), [2]);
        assert_eq!(groups_with(&path, &name(ROW_GROUP_ROWS * 2)), [0; 0], "a name that is nowhere");
        write_part(&path, &[AnyRow::default()], &footer).unwrap();
        let expected = FileFacts { rows: 1, row_groups: 1, ..FileFacts::default() };
        assert_eq!(FileFacts::read(&path).unwrap(), expected);
        std::fs::write(&path, "no table").unwrap();
        assert!(FileFacts::read(&path).unwrap_err().to_string().contains("not a readable Parquet table"));
    }
}
