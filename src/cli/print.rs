//! Rows on standard output, in whatever form `--format` asks for: one printer for all commands that print rows.
//!
//! A row is any struct that serialises to an object, or a list of values. As JSON it is printed whole, one object per line; the other
//! forms have the columns that the command names. Memory: the first rows of a table, whose widths all others follow.

use std::io::{BufWriter, StdoutLock, Write};
use webmill_capture::cut::Cut;

use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

/// Help of `--format`, wherever it stands.
pub const FORMAT_HELP: &str = "How it is printed [default: the first]";
/// Help of `--to`, wherever it stands.
pub const TO_HELP: &str = "Format that is written [default: by the ending of its name, else the first]";

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowForm {
    /// Columns side by side.
    Table,
    /// Columns with tabs between, without a header.
    Tsv,
    /// A header, then comma-separated values.
    Csv,
    /// One object per line.
    Json,
}

/// `--format` of a command that prints rows.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct RowFormat {
    #[arg(long, value_enum, value_name = "FORMAT", help = FORMAT_HELP)]
    format: Option<RowForm>,
}

impl RowFormat {
    /// The chosen form of output.
    pub fn form(&self) -> RowForm {
        self.format.unwrap_or(RowForm::Table)
    }

    /// Number of rows to print: `top` if given; else `usual` for a table, which is for reading, and all in other forms.
    pub fn most(&self, top: Option<usize>, usual: usize) -> usize {
        top.unwrap_or(if self.form() == RowForm::Table { usual } else { usize::MAX })
    }
}

/// How anything that is no rows is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DocumentForm {
    /// For people.
    Text,
    /// One value of a fixed shape.
    Json,
}

/// `--format` of a command that prints a document.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DocumentFormat {
    #[arg(long, value_enum, value_name = "FORMAT", help = FORMAT_HELP)]
    format: Option<DocumentForm>,
}

impl DocumentFormat {
    /// Whether it is JSON.
    pub fn is_json(&self) -> bool {
        self.format == Some(DocumentForm::Json)
    }
}

/// Rows that the widths of a table are taken from.
const LOOKED_AT: usize = 500;

/// Characters of a value that a table shows.
pub const SHOWN: usize = 80;

/// What a table shows of null.
const NULL: &str = "·";

/// Rows on their way to standard output.
pub struct Rows<W: Write = BufWriter<StdoutLock<'static>>> {
    form: RowForm,
    columns: Vec<String>,
    out: W,
    waiting: Vec<Vec<Value>>,
    widths: Vec<Width>,
    begun: bool,
    cut: usize,
}

#[derive(Clone, Copy)]
struct Width {
    cells: usize,
    is_number: bool,
}

impl Rows {
    /// Rows on standard output; `columns` are those of the forms that are no JSON.
    pub fn new(form: RowForm, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Rows::to(BufWriter::with_capacity(1 << 16, std::io::stdout().lock()), form, columns)
    }
}

impl<W: Write> Rows<W> {
    /// Rows to somewhere else.
    pub fn to(out: W, form: RowForm, columns: Vec<String>) -> Self {
        Rows { form, columns, out, waiting: Vec::new(), widths: Vec::new(), begun: false, cut: 0 }
    }

    /// Values that were longer than a table shows.
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// Where the rows went.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Prints a row.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn put(&mut self, row: &impl Serialize) -> Result<()> {
        if self.form == RowForm::Json {
            serde_json::to_writer(&mut self.out, row).map_err(std::io::Error::from)?;
            return Ok(writeln!(self.out)?);
        }
        let mut row = serde_json::to_value(row)?;
        let cells =
            self.columns.iter().map(|column| row.get_mut(column).map(Value::take).unwrap_or_default());
        let cells = cells.collect();
        self.put_cells(cells)
    }

    /// Prints a row of values, one per column.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn put_cells(&mut self, cells: Vec<Value>) -> Result<()> {
        match self.form {
            RowForm::Table if !self.begun => {
                self.waiting.push(cells);
                if self.waiting.len() == LOOKED_AT { self.begin() } else { Ok(()) }
            }
            _ => self.line(&cells),
        }
    }

    /// Shows what was printed so far, before something else is said.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        match self.form {
            RowForm::Table if !self.begun => self.begin()?,
            RowForm::Csv if !self.begun => self.header()?,
            _ => {}
        }
        Ok(self.out.flush()?)
    }

    /// Prints the rows that wait for the widths of a table.
    fn begin(&mut self) -> Result<()> {
        self.begun = true;
        let rows = std::mem::take(&mut self.waiting);
        let width = |(at, column): (usize, &String)| {
            let cells = rows.iter().map(|row| console::measure_text_width(&text(&row[at], true)));
            let is_number = rows.iter().all(|row| row[at].is_number() || row[at].is_null());
            Width { cells: cells.max().unwrap_or(0).max(console::measure_text_width(column)), is_number }
        };
        self.widths = self.columns.iter().enumerate().map(width).collect();
        let head: Vec<Value> = self.columns.iter().map(|column| Value::from(column.clone())).collect();
        if !rows.is_empty() {
            self.line(&head)?;
        }
        rows.iter().try_for_each(|row| self.line(row))
    }

    fn line(&mut self, cells: &[Value]) -> Result<()> {
        let line = match self.form {
            RowForm::Csv => {
                if !self.begun {
                    self.header()?;
                }
                record(cells.iter().map(|cell| text(cell, false)))?
            }
            RowForm::Table => {
                self.cut +=
                    cells.iter().filter(|cell| text(cell, false).chars().nth(SHOWN).is_some()).count();
                self.aligned(cells)
            }
            RowForm::Tsv => {
                let cells: Vec<String> = cells.iter().map(|cell| flat(&text(cell, false))).collect();
                cells.join("\t") + "\n"
            }
            RowForm::Json => {
                let named = self.columns.iter().zip(cells);
                let cells = named.map(|(name, cell)| format!("{}:{cell}", Value::from(name.clone())));
                format!("{{{}}}\n", cells.collect::<Vec<_>>().join(","))
            }
        };
        Ok(self.out.write_all(line.as_bytes())?)
    }

    fn header(&mut self) -> Result<()> {
        self.begun = true;
        Ok(self.out.write_all(record(&self.columns)?.as_bytes())?)
    }

    fn aligned(&self, cells: &[Value]) -> String {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&self.widths) {
            let text = text(cell, true);
            let blank = " ".repeat(width.cells.saturating_sub(console::measure_text_width(&text)));
            if !line.is_empty() {
                line.push_str("  ");
            }
            let (before, behind) = if width.is_number { (&*blank, "") } else { ("", &*blank) };
            line += before;
            line += &text;
            line += behind;
        }
        line.truncate(line.trim_end().len());
        line + "\n"
    }
}

/// A line of comma-separated values.
fn record(cells: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<String> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(cells)?;
    Ok(String::from_utf8(lines.into_inner()?)?)
}

/// A cell as text: strings as they are, lists as JSON; `short` for a table, where lists and numbers are made easy to read and long values are
/// cut.
fn text(cell: &Value, short: bool) -> String {
    let whole = match cell {
        Value::Null => return if short { NULL.to_owned() } else { String::new() },
        Value::String(text) => text.clone(),
        Value::Array(list) if short => {
            list.iter().map(|cell| text(cell, false)).collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) if short && number.is_f64() => {
            number_in_short(number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    };
    match whole.char_indices().nth(SHOWN) {
        Some((end, _)) if short => flat(whole.cut(..end)) + "…",
        _ if short => flat(&whole),
        _ => whole,
    }
}

/// Six digits behind the point at most; of small numbers four that count.
fn number_in_short(number: f64) -> String {
    let whole = number.to_string();
    match whole.len() {
        0..=8 => whole,
        _ if number.abs() < 1e-3 => format!("{number:.3e}"),
        _ => format!("{number:.6}"),
    }
}

/// A text on one line, without what moves the cursor of a terminal.
pub fn flat(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
    };
    text.chars().map(|c| if hidden(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        score: Option<f64>,
        links: u32,
    }

    #[test]
    fn rows_in_every_form() {
        let rows = [
            Row { name: "a\tb", score: Some(0.25), links: 3 },
            Row { name: "网页", score: None, links: 1204 },
        ];
        for (form, want) in [
            (RowForm::Table, "name  score  links\na b    0.25      3\n网页        ·   1204\n"),
            (RowForm::Tsv, "a b\t0.25\t3\n网页\t\t1204\n"),
            (RowForm::Csv, "name,score,links\na\tb,0.25,3\n网页,,1204\n"),
            (
                RowForm::Json,
                "{\"name\":\"a\\tb\",\"score\":0.25,\"links\":3}\n{\"name\":\"网页\",\"score\":null,\"links\":1204}\n",
            ),
        ] {
            let mut out = Vec::new();
            let columns = ["name", "score", "links"].map(str::to_owned).to_vec();
            let mut printed = Rows::to(&mut out, form, columns);
            rows.iter().try_for_each(|row| printed.put(row)).unwrap();
            printed.flush().unwrap();
            drop(printed);
            assert_eq!(String::from_utf8(out).unwrap(), want, "{form:?}");
        }
    }
}
