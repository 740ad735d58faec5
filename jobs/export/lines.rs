//! Rows as JSON lines and as CSV.

use std::io::{BufWriter, Write};
use std::path::Path;

use csv::{ErrorKind, Terminator, WriterBuilder};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::Cancel;

use super::ExportTable;
use super::value::{json as json_of, text};

/// An object a line, its keys in the order of the columns.
pub fn json(table: &ExportTable<'_>, out: impl Write, path: &Path, cancel: &Cancel) -> Result<()> {
    let mut out = BufWriter::new(out);
    let names: Vec<String> =
        table.schema.columns.iter().map(|column| serde_json::json!(column.name).to_string()).collect();
    table.each(cancel, |row| {
        let mut before = '{';
        for ((name, column), value) in names.iter().zip(&table.schema.columns).zip(&row) {
            write!(out, "{before}{name}:{}", json_of(value, column.kind)).at(path)?;
            before = ',';
        }
        out.write_all(b"}\n").at(path)
    })?;
    out.flush().at(path)
}

/// A header and a line a row, as RFC 4180 has it: lines end with CR LF, quotes stand where they are needed.
pub fn csv(table: &ExportTable<'_>, out: impl Write, path: &Path, cancel: &Cancel) -> Result<()> {
    let failed = |error: csv::Error| match error.into_kind() {
        ErrorKind::Io(error) => Error::io(path, error),
        other => Error::Internal(format!("{}: {other:?}", path.display())),
    };
    let mut out = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(BufWriter::new(out));
    out.write_record(table.schema.columns.iter().map(|column| &column.name)).map_err(failed)?;
    table.each(cancel, |row| {
        for (value, column) in row.iter().zip(&table.schema.columns) {
            out.write_field(text(value, column.kind).unwrap_or_default().as_bytes()).map_err(failed)?;
        }
        out.write_record(None::<&[u8]>).map_err(failed)
    })?;
    out.flush().at(path)
}
