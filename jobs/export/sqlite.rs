//! Tables as one SQLite file.
//!
//! **What.** A table each, its columns `INTEGER` (integers, and true as 1), `REAL`, `TEXT` (also times by ISO 8601 and lists as JSON)
//! and `BLOB`; rows in their order, by `rowid`. Integers beyond 2^63 are the nearest `REAL`. SQLite does not tell names apart by
//! their case: of columns that differ by it alone the later ones get a number.

use std::path::Path;

use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, params_from_iter};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::Cancel;
use webmill_table::{ColumnType, Value};

use super::ExportTable;
use super::value;

/// The column that gets an index.
const INDEXED: &str = "url";

/// Writes the tables into the file `path`, which is not there yet, in one transaction.
///
/// # Errors
/// Damaged tables, more columns than SQLite takes (2,000); where the disk refuses. The file is worth nothing then.
pub fn write(tables: &[ExportTable<'_>], path: &Path, cancel: &Cancel) -> Result<()> {
    // What begins with `file:` would be taken for a URI.
    let path = std::path::absolute(path).at(path)?;
    let failed = |error: rusqlite::Error| failed(&error, &path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = Connection::open_with_flags(&path, flags).map_err(failed)?;
    // The file gets its name when it is whole and synced: there is nothing to roll back to.
    connection
        .execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN",
        )
        .map_err(failed)?;
    let mut named = Vec::new();
    for table in tables {
        let name = unused(&table.schema.name, &mut named);
        let names = columns(table);
        let declared: Vec<String> = names
            .iter()
            .zip(&table.schema.columns)
            .map(|(name, column)| declared(name, column.kind))
            .collect();
        let create = format!("CREATE TABLE {} ({})", quoted(&name), declared.join(", "));
        connection.execute_batch(&create).map_err(failed)?;
        let places = vec!["?"; names.len()].join(", ");
        let insert = format!("INSERT INTO {} VALUES ({places})", quoted(&name));
        let mut insert = connection.prepare(&insert).map_err(failed)?;
        table.each(cancel, |row| add(&mut insert, table, &row).map_err(failed))?;
        if names.iter().any(|name| name == INDEXED) {
            let index = quoted(&format!("{name}_by_{INDEXED}"));
            let create = format!("CREATE INDEX {index} ON {} ({})", quoted(&name), quoted(INDEXED));
            connection.execute_batch(&create).map_err(failed)?;
        }
    }
    connection.execute_batch("COMMIT").map_err(failed)?;
    connection.close().map_err(|(_, error)| failed(error))
}

fn add(insert: &mut Statement<'_>, table: &ExportTable<'_>, row: &[Value]) -> rusqlite::Result<()> {
    let cells = row.iter().zip(&table.schema.columns).map(|(value, column)| cell(value, column.kind));
    insert.execute(params_from_iter(cells)).map(|_| ())
}

fn cell(value: &Value, kind: ColumnType) -> ToSqlOutput<'_> {
    let held = |value| ToSqlOutput::Borrowed(value);
    match value {
        Value::Null => held(ValueRef::Null),
        Value::Bool(yes) => held(ValueRef::Integer(i64::from(*yes))),
        Value::Int(number) => held(ValueRef::Integer(*number)),
        Value::Float(number) => held(ValueRef::Real(*number)),
        Value::Text(text) => held(ValueRef::Text(text.as_bytes())),
        Value::Bytes(bytes) => held(ValueRef::Blob(bytes)),
        other => match value::text(other, kind) {
            Some(text) => ToSqlOutput::Owned(Owned::Text(text.into_owned())),
            None => held(ValueRef::Null),
        },
    }
}

fn declared(name: &str, kind: ColumnType) -> String {
    let kind = match kind {
        ColumnType::Float32 | ColumnType::Float64 => "REAL",
        ColumnType::Binary => "BLOB",
        ColumnType::Bool
        | ColumnType::UInt8
        | ColumnType::Int16
        | ColumnType::Int32
        | ColumnType::UInt32
        | ColumnType::Int64 => "INTEGER",
        _ => "TEXT",
    };
    format!("{} {kind}", quoted(name))
}

/// Names of the columns, each another one for SQLite.
fn columns(table: &ExportTable<'_>) -> Vec<String> {
    // Those that every table of a rule has keep their names.
    let mut taken: Vec<String> = Vec::new();
    let mut names = vec![None; table.schema.columns.len()];
    let is_common = |name: &String| webmill_rules::PROVENANCE.contains(&name.as_str());
    for common in [true, false] {
        for (column, name) in table.schema.columns.iter().zip(&mut names) {
            if is_common(&column.name) == common {
                *name = Some(unused(&column.name, &mut taken));
            }
        }
    }
    names.into_iter().flatten().collect()
}

/// The name, without control characters and with a number where it is taken.
fn unused(name: &str, taken: &mut Vec<String>) -> String {
    let plain = name.replace(char::is_control, " ");
    let numbered = (2..).map(|number| format!("{plain}_{number}"));
    let is_free = |name: &String| !taken.iter().any(|other| other.eq_ignore_ascii_case(name));
    let found = std::iter::once(plain.clone()).chain(numbered).find(is_free).unwrap_or_default();
    taken.push(found.clone());
    found
}

/// A name in quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn failed(error: &rusqlite::Error, path: &Path) -> Error {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => std::io::ErrorKind::StorageFull,
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => std::io::ErrorKind::PermissionDenied,
        _ => std::io::ErrorKind::Other,
    };
    Error::io(path, std::io::Error::new(kind, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_by_more_than_their_case() {
        let mut taken = vec!["url".to_owned()];
        assert_eq!(unused("URL", &mut taken), "URL_2");
        assert_eq!(unused("Url", &mut taken), "Url_3");
        assert_eq!(unused("a\0b", &mut taken), "a b");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
