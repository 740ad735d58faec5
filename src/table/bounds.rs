//! Look-ups: which row groups may hold a value.
//!
//! **What.** The footer of a file has the least and the greatest value of each column of each row group. Where rows are
//! sorted by a column, a look-up by it reads one row group, and the footers of the files. What the footer does not say,
//! or says of another type, rules nothing out.

use std::ops::RangeInclusive;
use std::path::Path;

use polars_parquet::parquet::statistics::Statistics;
use polars_parquet::read::FileMetadata;

use crate::column_type::ColumnType;
use crate::file::{ParquetFile, guarded};

/// Least and greatest value of a column in a row group, nulls left out. Of long texts the file may have cut them: then the range
/// is wider than the values, never narrower.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bounds {
    /// Of texts, in the order of their bytes.
    Texts(RangeInclusive<Vec<u8>>),
    /// Of whole numbers.
    Numbers(RangeInclusive<i64>),
}

/// Row groups that a reader met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Row groups whose columns were read.
    pub read: u64,
    /// Row groups that could not hold what was looked for.
    pub passed_over: u64,
}

/// Known facts about a row group before it is read.
pub struct GroupFacts<'a> {
    path: &'a Path,
    number: usize,
    metadata: &'a FileMetadata,
}

impl GroupFacts<'_> {
    /// The file.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// The row group's number in it, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Bounds of a column; `None` where the file does not say them.
    pub fn bounds(&self, column: &str) -> Option<Bounds> {
        let group = self.metadata.row_groups.get(self.number)?;
        let mut chunks = group.columns_under_root_iter(column)?;
        let (Some(chunk), None) = (chunks.next(), chunks.next()) else { return None };
        let dtype = polars_parquet::read::infer_schema(self.metadata).ok()?.get(column)?.dtype.clone();
        let unsigned = ColumnType::of(&dtype) == Some(ColumnType::UInt32);
        let statistics =
            guarded(self.path, || Ok(chunk.statistics(&self.metadata.footer_buf).transpose()?));
        match statistics.ok()?? {
            Statistics::Binary(s) => Some(Bounds::Texts(s.min_value?..=s.max_value?)),
            Statistics::Int32(s) => {
                let value = |v: i32| if unsigned { i64::from(v as u32) } else { i64::from(v) };
                Some(Bounds::Numbers(value(s.min_value?)..=value(s.max_value?)))
            }
            Statistics::Int64(s) if ColumnType::of(&dtype) == Some(ColumnType::Int64) => {
                Some(Bounds::Numbers(s.min_value?..=s.max_value?))
            }
            _ => None,
        }
    }

    /// Whether `text` may stand in a column.
    pub fn may_hold(&self, column: &str, text: &str) -> bool {
        self.may_hold_any(column, &[text.to_owned()])
    }

    /// Whether one of these texts, in ascending order, may stand in a column.
    pub fn may_hold_any(&self, column: &str, texts: &[String]) -> bool {
        let Some(Bounds::Texts(bounds)) = self.bounds(column) else { return !texts.is_empty() };
        let first = texts.partition_point(|text| text.as_bytes() < bounds.start().as_slice());
        texts.get(first).is_some_and(|text| text.as_bytes() <= bounds.end().as_slice())
    }

    /// Whether a text that begins with `prefix` may stand in a column.
    pub fn may_hold_prefix(&self, column: &str, prefix: &str) -> bool {
        let Some(Bounds::Texts(bounds)) = self.bounds(column) else { return true };
        let prefix = prefix.as_bytes();
        let most = bounds.end().as_slice();
        let least = bounds.start().as_slice();
        most >= prefix && (least <= prefix || least.starts_with(prefix))
    }

    /// Whether one of these numbers, in ascending order, may stand in a column.
    pub fn may_hold_numbers(&self, column: &str, numbers: &[u32]) -> bool {
        let Some(Bounds::Numbers(bounds)) = self.bounds(column) else { return !numbers.is_empty() };
        let first = numbers.partition_point(|number| i64::from(*number) < *bounds.start());
        numbers.get(first).is_some_and(|number| i64::from(*number) <= *bounds.end())
    }
}

impl ParquetFile {
    /// The first row group from `number` on that `choice` wants, or the number of all.
    pub(crate) fn wanted_from(&self, number: usize, choice: &dyn Fn(&GroupFacts<'_>) -> bool) -> usize {
        let facts = |number| GroupFacts { path: &self.path, number, metadata: &self.metadata };
        let all = self.metadata.row_groups.len();
        (number..all).find(|&number| choice(&facts(number))).unwrap_or(all)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Footer, GroupCounts, ROW_GROUP_ROWS, Reader, columns, table, write_part};
    use webmill_capture::cut::Cut;

    table! {
        /// One row per name.
        NameRow = "names" {
            name: String = "a name in order", "cn,edu,pku)/";
            number: u32 = "its number, high ones among them", "7";
            year: Option<i32> = "a year, or none", "1999";
        }
    }

    columns! {
        struct NameColumns from NameRow { name, number }
    }

    fn name(n: usize) -> String {
        format!("com,example)/a-longer-path/{n:06}")
    }

    fn reader(path: &std::path::Path) -> Reader<NameColumns<'static>> {
        Reader::over(vec![path.to_path_buf()])
    }

    #[test]
    fn only_row_groups_that_may_hold_it_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-0.parquet");
        let first = u32::MAX - 3 * ROW_GROUP_ROWS as u32;
        let rows: Vec<NameRow> = (0..3 * ROW_GROUP_ROWS)
            .map(|n| NameRow { name: name(2 * n), number: first + n as u32, year: None })
            .collect();
        write_part(&path, &rows, &Footer { job_key: "k".into() }).unwrap();
        let count = |mut reader: Reader<NameColumns<'static>>| {
            let mut groups = Vec::new();
            while let Some(batch) = reader.next().unwrap() {
                assert_eq!(batch.get(0).name, name(2 * ROW_GROUP_ROWS * batch.group()));
                assert_eq!(batch.get(0).number, first + (ROW_GROUP_ROWS * batch.group()) as u32);
                groups.push(batch.group());
            }
            let counts = GroupCounts { read: groups.len() as u64, passed_over: 3 - groups.len() as u64 };
            assert_eq!(reader.groups(), counts);
            groups
        };
        let middle = 2 * ROW_GROUP_ROWS + 5;
        assert_eq!(count(reader(&path)), [0, 1, 2]);
        assert_eq!(count(reader(&path).only(move |g| g.may_hold("name", &name(middle)))), [1]);
        assert_eq!(count(reader(&path).only(|g| g.may_hold("name", "com,a)/"))), [0; 0]);
        assert_eq!(count(reader(&path).only(|g| g.may_hold("name", "de,a)/"))), [0; 0]);
        let two = vec![name(3), name(5 * ROW_GROUP_ROWS)];
        assert_eq!(count(reader(&path).only(move |g| g.may_hold_any("name", &two))), [0, 2]);
        assert_eq!(count(reader(&path).only(|g| g.may_hold_any("name", &[]))), [0; 0]);
        // Of a hundred numbers: the last of the first row group and the first of the second.
        let prefix = name(middle).cut(..name(0).len() - 2).to_owned();
        assert_eq!(count(reader(&path).only(move |g| g.may_hold_prefix("name", &prefix))), [0, 1]);
        assert_eq!(count(reader(&path).only(|g| g.may_hold_prefix("name", "com,"))), [0, 1, 2]);
        assert_eq!(
            count(reader(&path).only(|g| g.may_hold_prefix("name", "com.")).only(|g| g.number() == 2)),
            [2]
        );
        let last = vec![u32::MAX - 1];
        assert_eq!(count(reader(&path).only(move |g| g.may_hold_numbers("number", &last))), [2]);
        assert_eq!(count(reader(&path).only(|g| g.may_hold_numbers("number", &[5]))), [0; 0]);
        // What the file does not say rules nothing out: a column of nulls, and one that is not there.
        assert_eq!(count(reader(&path).only(|g| g.may_hold_numbers("year", &[5]))), [0, 1, 2]);
        assert_eq!(count(reader(&path).only(|g| g.may_hold("place", "x"))), [0, 1, 2]);
    }
    #[test]
    fn bounds_of_long_texts_are_cut_and_hold_all_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-0.parquet");
        // The last of them has no greater character of as many bytes.
        let long = |first: &str| first.repeat(2000);
        let names = [long("a"), long("例"), long("z"), format!("z{}", long("\u{10FFFF}"))];
        let rows = names.clone().map(|name| NameRow { name, number: 1, year: None });
        write_part(&path, &rows, &Footer { job_key: "k".into() }).unwrap();
        for name in names {
            let mut reader = reader(&path).only(move |g| {
                let Some(super::Bounds::Texts(bounds)) = g.bounds("name") else { return false };
                assert!(bounds.start().len() <= 256, "{}", bounds.start().len());
                bounds.contains(&name.clone().into_bytes()) && g.may_hold("name", &name)
            });
            assert!(reader.next().unwrap().is_some());
        }
    }
}
