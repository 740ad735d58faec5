//! Tables of results in other forms: JSON lines, CSV, one SQLite file.
//!
//! **What.** The rows of tables in their order, each value as its column's type says: bytes as hexadecimal digits (SQLite: as
//! bytes), times by ISO 8601 in UTC, lists as JSON, floats by their shortest digits that give the same number again.
//!
//! **Cost.** One reading of the tables; memory for one row group. SQLite sorts its indexes in files of its own beside that.
//!
//! **Determinism.** Equal tables give equal bytes. A file is written aside and renamed: it is there whole or not at all.

mod aside;
mod lines;
#[cfg(feature = "sqlite")]
mod sqlite;
mod value;

use std::io::Write;
use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::Cancel;
use webmill_table::{ColumnSchema, ColumnType, DynamicReader, TableSchema, Value};

use crate::catalogue::TableFiles;
use aside::AsideFile;

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An object a line; nulls are null.
    Json,
    /// A header, then a line a row (RFC 4180, UTF-8); lists as JSON, nulls empty.
    Csv,
    /// One SQLite file with a table each, and an index by url.
    #[cfg(feature = "sqlite")]
    Sqlite,
}

impl Form {
    /// Every form of this build, the usual one first.
    pub const ALL: &'static [Form] = &[
        Form::Json,
        Form::Csv,
        #[cfg(feature = "sqlite")]
        Form::Sqlite,
    ];

    /// Its name, as it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Form::Json => "json",
            Form::Csv => "csv",
            #[cfg(feature = "sqlite")]
            Form::Sqlite => "sqlite",
        }
    }

    /// Whether all tables are one file.
    pub fn is_one_file(self) -> bool {
        match self {
            Form::Json | Form::Csv => false,
            #[cfg(feature = "sqlite")]
            Form::Sqlite => true,
        }
    }

    /// How names of files end.
    fn ending(self) -> &'static str {
        match self {
            Form::Json => "jsonl",
            Form::Csv => "csv",
            #[cfg(feature = "sqlite")]
            Form::Sqlite => "sqlite",
        }
    }
}

/// A table to be written: its columns, and where its rows are.
pub struct ExportTable<'a> {
    schema: TableSchema,
    files: &'a [PathBuf],
}

impl<'a> ExportTable<'a> {
    /// A table of the catalogue.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where a column is of a type that this program does not know.
    pub fn new(table: &'a TableFiles) -> Result<Self> {
        let mut columns = Vec::new();
        for column in &table.columns {
            let kind = ColumnType::of_words(&column.kind).ok_or_else(|| Error::Incompatible {
                path: table.files.first().cloned().unwrap_or_default(),
                found: format!("column {} of type {}", column.name, column.kind),
                expected: "one of a type that tables have".into(),
            })?;
            let schema = ColumnSchema::new(&column.name, kind, &column.description, "");
            columns.push(if column.nullable { schema.nullable() } else { schema });
        }
        let schema = TableSchema { name: table.name.clone(), columns, ..TableSchema::default() };
        Ok(ExportTable { schema, files: &table.files })
    }

    /// Hands out every row in order.
    fn each(&self, cancel: &Cancel, mut row: impl FnMut(Vec<Value>) -> Result<()>) -> Result<()> {
        for file in self.files {
            let mut reader = DynamicReader::open(file, &self.schema)?;
            while let Some(rows) = reader.next()? {
                cancel.check()?;
                rows.into_iter().try_for_each(&mut row)?;
            }
        }
        Ok(())
    }
}

/// Writes one table to `out`, which stands at `path` as errors have it.
///
/// # Errors
/// Damaged tables; where `out` refuses.
pub fn to_writer(
    table: &ExportTable<'_>,
    form: Form,
    out: impl Write,
    path: &Path,
    cancel: &Cancel,
) -> Result<()> {
    match form {
        Form::Json => lines::json(table, out, path, cancel),
        Form::Csv => lines::csv(table, out, path, cancel),
        #[cfg(feature = "sqlite")]
        Form::Sqlite => Err(Error::Config("SQLite is a file, no stream".into())),
    }
}

/// Writes tables to the file `path`: one, or in a form that is one file any number.
///
/// # Errors
/// Damaged tables; where the disk refuses. What stood at `path` stays then.
pub fn to_file(tables: &[ExportTable<'_>], form: Form, path: &Path, cancel: &Cancel) -> Result<()> {
    if path.is_dir() {
        return Err(Error::Config(format!("{}: a folder, not a file", path.display())));
    }
    let aside = AsideFile::new(path)?;
    match form {
        #[cfg(feature = "sqlite")]
        Form::Sqlite => sqlite::write(tables, aside.path(), cancel)?,
        Form::Json | Form::Csv => {
            let file = std::fs::File::create(aside.path()).at(path)?;
            for table in tables {
                to_writer(table, form, &file, path, cancel)?;
            }
        }
    }
    aside.commit()
}

/// Writes tables into `folder`, which is made: a file TABLE.jsonl or TABLE.csv each.
///
/// # Errors
/// As of [`to_file`].
pub fn to_folder(tables: &[ExportTable<'_>], form: Form, folder: &Path, cancel: &Cancel) -> Result<()> {
    std::fs::create_dir_all(folder).at(folder)?;
    tables.iter().try_for_each(|table| {
        let path = folder.join(format!("{}.{}", table.schema.name, form.ending()));
        to_file(std::slice::from_ref(table), form, &path, cancel)
    })
}
