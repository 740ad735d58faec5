//! `webmill count sort`: a table of results in the order of any of its columns.
//!
//! **Definition.** Rows go by the value of the column: numbers by size (not-a-number behind all), texts and bytes by their bytes, `false` before `true`, lists by
//! their first values that differ, a list before what continues it. Rows without a value come last. Equal values keep the order of their rows, also
//! where the order is descending.
//!
//! **Algorithm.** The key of a row is its value in bytes of that order, and its number. Splitters from a sample of 10,000 keys cut the keys into
//! parts, so that files in the order of their names are the whole order, and a value of many rows does not make one part of them all.

mod coding;

use std::sync::Arc;

use crate::mapreduce::{MapReduce, Sample, Splitters, reduce};
use rayon::prelude::*;
use webmill_capture::{Error, Result, settings};
use webmill_run::{Committed, Job, JobInput, Stage};
use webmill_table::{ColumnSchema, ColumnType, DynamicReader, DynamicWriter, TableSchema, Value, part_files};

use super::engine::{Engine, Plan, Tally, parts_of};
use crate::catalogue::{Catalogue, TableFiles};
use crate::job::Context;
use crate::output::footer;
use crate::recipe::Settings;
use crate::registry::JobEntry;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry::of_request::<CountSort>(
    "Write a table of results in the order of a column",
    Vec::new,
    count_sort,
);

/// Name of the table that comes out.
pub const TABLE: &str = "count_sort";

settings! {
    /// Settings of the job.
    pub struct CountSort {
        /// Name of the table to sort.
        pub table: String = String::new();
        /// Column by whose values the rows are sorted.
        pub column: String = String::new();
        /// Whether the greatest values come first.
        pub descending: bool = false;
    }
}

impl Settings for CountSort {
    const TABLE: &'static str = "count-sort";
}

/// A table and the job that wrote it.
pub struct SortInput {
    committed: Committed,
    schema: TableSchema,
    folder: std::path::PathBuf,
}

impl JobInput for SortInput {
    fn inputs(&self) -> webmill_run::Inputs {
        self.committed.inputs()
    }
}

/// Rows by key.
pub struct Rows {
    splitters: Arc<Splitters>,
}

/// A row: its key, its values, both in bytes.
pub struct Row {
    key: Vec<u8>,
    row: Vec<u8>,
}

impl MapReduce for Rows {
    type Page<'p> = Row;
    type Key<'k> = &'k [u8];
    type Value = Vec<u8>;
    type Out = Vec<u8>;

    fn map(&self, page: &Row, emit: &mut dyn FnMut(&[u8], Vec<u8>)) {
        emit(&page.key, page.row.clone());
    }

    fn reduce(&self, _: &[u8], values: &mut dyn Iterator<Item = Vec<u8>>, emit: &mut dyn FnMut(Vec<u8>)) {
        values.for_each(emit);
    }

    fn partition(&self, key: &[u8], _: u32) -> u32 {
        self.splitters.part(key)
    }
}

/// Sorts a table of the context's results.
///
/// # Errors
/// What the job meets; [`Error::Config`] for a table or column that there is not.
pub fn count_sort(context: &Context<'_>) -> Result<Option<Committed>> {
    let job = context.settings::<CountSort>()?;
    if job.table.is_empty() || job.column.is_empty() {
        return Err(Error::Config(
            "[count-sort] names no table and column: webmill count sort COLUMN --table TABLE".into(),
        ));
    }
    let catalogue = Catalogue::open(&context.runtime.out, context.registry())?;
    let Some(table) = catalogue.table(&job.table).filter(|table| table.job != CountSort::NAME) else {
        let names: Vec<&str> =
            catalogue.tables().filter(|t| t.job != CountSort::NAME).map(|t| t.name.as_str()).collect();
        return Err(Error::Config(format!("no table is called {}; tables: {}", job.table, names.join(", "))));
    };
    let Some(chosen) = catalogue.jobs().get(&table.job) else {
        return Err(Error::Internal(format!("table {} is of no job", table.name)));
    };
    let committed = Committed::open(&catalogue.results().join(&chosen.folder))?;
    let schema = sorted_schema(table, &job)?;
    let folder = table.files.first().and_then(|file| file.parent()).map(std::path::Path::to_path_buf);
    let folder = folder.ok_or_else(|| Error::Internal(format!("table {} has no files", table.name)))?;
    context.run(&job, &SortInput { committed, schema, folder })
}

/// The schema of the sorted table.
fn sorted_schema(table: &TableFiles, job: &CountSort) -> Result<TableSchema> {
    let column = |column: &crate::catalogue::Column| -> Result<ColumnSchema> {
        let kind = ColumnType::of_words(&column.kind);
        let kind = kind.ok_or_else(|| {
            Error::Config(format!("column {}: {} cannot be sorted", column.name, column.kind))
        })?;
        let about = if column.description.is_empty() {
            "as in the table that was sorted"
        } else {
            &column.description
        };
        let schema = ColumnSchema::new(&column.name, kind, about, "");
        Ok(if column.nullable { schema.nullable() } else { schema })
    };
    let columns = table.columns.iter().map(column).collect::<Result<Vec<_>>>()?;
    let Some(by) = columns.iter().find(|column| column.name == job.column) else {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let (table, column) = (&table.name, &job.column);
        return Err(Error::Config(format!(
            "table {table} has no column {column}; columns: {}",
            names.join(", ")
        )));
    };
    // What a footer says of the order has nulls first and is ascending.
    let told = !job.descending && !by.nullable && by.kind != ColumnType::Timestamp;
    let sorted_by = if told { vec![by.name.clone()] } else { Vec::new() };
    let about =
        format!("The rows of table {} in the order of column {}. {}", table.name, job.column, table.about);
    Ok(TableSchema { name: TABLE.into(), about, sorted_by, columns })
}

impl Job for CountSort {
    type Input = SortInput;
    const NAME: &'static str = "count-sort";
    const VERSION: u32 = 2;

    fn run(&self, input: &SortInput, stage: &Stage<'_>) -> Result<()> {
        let plan = Plan::of_table(&input.folder)?;
        let parts = parts_of(plan.bytes);
        let splitters = self.splitters(input, parts)?;
        let kernel = Rows { splitters: Arc::new(splitters) };
        let engine = Engine { stage, kernel: &kernel, name: "", parts };
        let at = input.schema.columns.iter().position(|column| column.name == self.column);
        let at = at.ok_or_else(|| Error::Internal("the column went away".into()))?;
        let mut shuffles = Vec::new();
        let mut first = 0u64;
        for (number, file) in part_files(&input.folder)?.into_iter().enumerate() {
            let begin = first;
            first += webmill_table::FileFacts::read(&file)?.rows;
            shuffles.push(engine.map_unit(number, |mapper, _| {
                let mut reader = DynamicReader::open(&file, &input.schema)?;
                let mut tally = Tally::default();
                let mut row_number = begin;
                while let Some(rows) = reader.next()? {
                    stage.cancel.check()?;
                    let each = rows.len().div_ceil(4 * rayon::current_num_threads()).max(16);
                    rows.par_chunks(each).enumerate().try_for_each(|(chunk, rows)| {
                        mapper.with(|side| {
                            for (number, row) in (row_number + (chunk * each) as u64..).zip(rows) {
                                let key = self.key(&row[at], number);
                                let row = postcard::to_allocvec(row).map_err(of_row)?;
                                side.map(&Row { key, row })?;
                            }
                            Ok(())
                        })
                    })?;
                    row_number += rows.len() as u64;
                    rows.iter().for_each(|_| tally.note(Ok("rows")));
                }
                Ok(tally)
            })?);
        }
        write(&engine, &shuffles, input)
    }
}

impl CountSort {
    /// The key of a row.
    fn key(&self, value: &Value, number: u64) -> Vec<u8> {
        let mut key = coding::key(value, self.descending);
        key.extend_from_slice(&number.to_be_bytes());
        key
    }

    /// What cuts the keys into parts.
    fn splitters(&self, input: &SortInput, parts: u32) -> Result<Splitters> {
        let mut sample = Sample::default();
        if parts > 1 {
            let column = input.schema.columns.iter().find(|column| column.name == self.column).cloned();
            let schema = TableSchema {
                columns: column.into_iter().collect(),
                sorted_by: Vec::new(),
                ..input.schema.clone()
            };
            let mut reader = DynamicReader::open(&input.folder, &schema)?;
            let mut number = 0;
            while let Some(rows) = reader.next()? {
                for row in rows {
                    sample.add(&self.key(&row[0], number));
                    number += 1;
                }
            }
        }
        Ok(sample.splitters(parts))
    }
}

fn write(
    engine: &Engine<'_, '_, Rows>,
    shuffles: &[crate::mapreduce::Shuffle],
    input: &SortInput,
) -> Result<()> {
    let columns = input.schema.columns_in_words();
    let file = |part: u32| format!("{TABLE}/part-{part:06}.parquet");
    let written = engine.reduce_parts(shuffles, |part, pairs, unit| {
        let mut writer: Option<DynamicWriter> = None;
        reduce(engine.kernel, pairs, |bytes| {
            let row = postcard::from_bytes(&bytes).map_err(of_row)?;
            if writer.is_none() {
                let path = unit.create(&file(part))?;
                writer = Some(DynamicWriter::create(&path, &input.schema, &footer(unit))?.described()?);
            }
            writer.as_mut().map_or(Ok(()), |writer| writer.push(row))
        })?;
        let rows = writer.map_or(Ok(0), DynamicWriter::finish)?;
        if rows > 0 {
            unit.wrote(&file(part), TABLE, columns.clone(), rows);
        }
        Ok(rows)
    })?;
    if written.iter().sum::<u64>() == 0 {
        engine.stage.unit("none", |unit| {
            let path = unit.create(&file(0))?;
            DynamicWriter::create(&path, &input.schema, &footer(unit))?.described()?.finish()?;
            unit.wrote(&file(0), TABLE, columns.clone(), 0);
            Ok(())
        })?;
    }
    Ok(())
}

fn of_row(error: postcard::Error) -> Error {
    Error::Internal(format!("a row of a sort: {error}"))
}
