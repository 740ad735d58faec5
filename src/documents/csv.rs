//! Tables of values: CSV, TSV and what spreadsheets of countries with decimal commas call CSV.
//!
//! **Definition.** The delimiter is that of comma, semicolon, tab and bar by which most of the first rows have one and the
//! same number of fields, two at least (RFC 4180 quoting); among equal ones the one that divides most rows, then that with
//! most fields. Lines before the table that begin with `#`, and others of a single field before a row
//! that names columns, are told as paragraphs. The first row names the columns where each of its cells has words,
//! no two are alike, and it is no row of numbers.
//!
//! **Cost.** Linear; the first 64 KiB are read five times.
//!
//! **Bad input.** Rows may be of any lengths. A quotation mark that never ends takes what follows it into its cell, which the
//! limit on characters bounds. Of a row no more fields are kept than a table has columns, and one.

use crate::builder::MAX_COLUMNS;
use crate::{Builder, Document, Kind, Limits, Table};
use webmill_capture::cut::Cut;

/// Bytes by which the delimiter is found.
const SAMPLE: usize = 64 << 10;

/// Fields of a row up to which all of them are kept, so that tables keep columns without values.
const NARROW: usize = 1024;

/// Rows by which it is found.
const SAMPLE_ROWS: usize = 200;

/// Rows that may stand before the table.
const PREAMBLE_ROWS: usize = 20;

/// Cells that are read; what follows is left out, with a warning.
const MAX_CELLS: usize = 2_000_000;

/// Reads a table of values.
pub fn read_csv(text: &str, limits: &Limits) -> Document {
    let mut builder = Builder::new(Kind::Csv, limits);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Spreadsheets say the delimiter in a line of its own.
    let (stated, text) = match text.strip_prefix("sep=").and_then(|rest| rest.split_once('\n')) {
        Some((sep, rest)) => (sep.trim_end_matches('\r').as_bytes().first().copied(), rest),
        None => (None, text),
    };
    let delimiter = stated.unwrap_or_else(|| delimiter(text));
    // Delimiters within quotation marks count as well: what the text may hold is known before any of it is taken.
    let text = match memchr::memchr2_iter(delimiter, b'\n', text.as_bytes()).nth(MAX_CELLS) {
        Some(end) => {
            builder.warn("cells-cut");
            text.get(..end).unwrap_or(text)
        }
        None => text,
    };
    // The rows shown, and one more, so that the builder sees that there is one.
    let most = limits.max_table_rows.saturating_add(2);
    let (mut rows, whole) = rows(text, delimiter, most, limits.max_text_chars);
    if !whole {
        builder.warn("text-cut");
    }
    let head = preamble(&rows);
    rows.drain(..head).for_each(|row| builder.paragraph(row.join(" ").trim()));
    let columns = match rows.first() {
        Some(first) if is_header(first) && rows.len() > 1 => rows.remove(0),
        _ => Vec::new(),
    };
    builder.table(Table { caption: None, columns, rows });
    builder.finish()
}

/// At most `most` rows of a text, which stop after `most_chars` characters, and whether there were more.
fn rows(text: &str, delimiter: u8, most: usize, most_chars: usize) -> (Vec<Vec<String>>, bool) {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(delimiter).trim(csv::Trim::All);
    let mut records = reader.from_reader(text.as_bytes()).into_records().map_while(Result::ok);
    let mut rows = Vec::new();
    let mut chars = 0_usize;
    while rows.len() < most {
        let Some(record) = records.next() else { break };
        if chars > most_chars {
            return (rows, false);
        }
        let mut row: Vec<String> = record.iter().take(MAX_COLUMNS + 1).map(str::to_owned).collect();
        // Of a row without words, and of a wide one the empty fields at its end, nothing is shown.
        if row.len() > NARROW {
            row.truncate(row.iter().rposition(|field| !field.is_empty()).map_or(0, |at| at + 1));
        }
        // Between two fields stand three characters.
        chars = row.iter().fold(chars, |chars, field| chars + field.chars().count() + 3);
        rows.push(row);
    }
    (rows, true)
}

/// Rows before the table: comments, and lines of words in one field before a row that names columns.
fn preamble(rows: &[Vec<String>]) -> usize {
    let is_comment = |row: &Vec<String>| row.first().is_some_and(|field| field.starts_with('#'));
    let is_single = |row: &Vec<String>| row.iter().skip(1).all(String::is_empty);
    let comments = rows.iter().take(PREAMBLE_ROWS).take_while(|row| is_comment(row)).count();
    let single = rows.iter().take(PREAMBLE_ROWS).take_while(|row| is_single(row)).count();
    if single > comments && rows.get(single).is_some_and(|row| is_header(row)) {
        return single;
    }
    // The last of them may name the columns: `#id,name`.
    let names_columns = match (comments.checked_sub(1).and_then(|last| rows.get(last)), rows.get(comments)) {
        (Some(last), Some(next)) => {
            let is_remark = last.first().is_some_and(|field| field.starts_with("# "));
            last.len() == next.len() && !(is_remark && is_header(next))
        }
        _ => false,
    };
    comments - usize::from(names_columns)
}

/// The delimiter by which rows are of one length.
fn delimiter(text: &str) -> u8 {
    let sample = text.cut(..text.floor_char_boundary(SAMPLE));
    let alike = |delimiter: u8| {
        let mut widths: Vec<usize> =
            rows(sample, delimiter, SAMPLE_ROWS, usize::MAX).0.iter().map(Vec::len).collect();
        widths.retain(|width| *width > 1);
        widths.sort_unstable();
        let divided = widths.len();
        // As many rows of one length as can be; among equals more rows that it divides at all, then longer ones.
        widths.chunk_by(|a, b| a == b).map(|same| (same.len(), divided, same.first().copied())).max()
    };
    let (mut best, mut most) = (b',', alike(b','));
    for other in [b'\t', b';', b'|'] {
        let found = alike(other);
        if found > most {
            (best, most) = (other, found);
        }
    }
    best
}

/// Whether a row names columns.
fn is_header(row: &[String]) -> bool {
    let mut sorted: Vec<&String> = row.iter().collect();
    sorted.sort_unstable();
    let number = |cell: &str| !cell.contains(char::is_alphabetic);
    row.len() > 1
        && sorted.windows(2).all(|pair| pair[0] != pair[1])
        && row.iter().filter(|cell| number(cell)).count() * 4 <= row.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a [&'a str]]);
        let table: &[Case<'_>] = &[
            ("name,km\nElbe,1094\nMain,527\n", &["name", "km"], &[&["Elbe", "1094"], &["Main", "527"]]),
            (
                "Fluss;Länge\nElbe;1094,3\nMain;527,0",
                &["Fluss", "Länge"],
                &[&["Elbe", "1094,3"], &["Main", "527,0"]],
            ),
            ("a\tb\n\"x\ty\"\tz\n", &["a", "b"], &[&["x\ty", "z"]]),
            ("1,2\n3,4\n", &[], &[&["1", "2"], &["3", "4"]]),
            (
                "a;b;c\n\"\tx; y\"\t;1\n\"\tz; w\"\t;2\n",
                &["a", "b", "c"],
                &[&["x; y", "1", ""], &["z; w", "2", ""]],
            ),
            ("# made 2022, by hand\n\ntime,level\n1,2\n", &["time", "level"], &[&["1", "2"]]),
            ("Levels of the gauge\n\ntime,level\n1,2\n", &["time", "level"], &[&["1", "2"]]),
            ("#id,name\nrhine,Basel\n", &["#id", "name"], &[&["rhine", "Basel"]]),
            ("#,name\n1,Elbe\n", &[], &[&["#", "name"], &["1", "Elbe"]]),
            ("sep=|\r\na|b\r\n1|2", &["a", "b"], &[&["1", "2"]]),
        ];
        for (text, columns, rows) in table {
            let document = read_csv(text, &Limits::default());
            assert_eq!(document.tables[0].columns, *columns, "{text}");
            let cells: Vec<Vec<String>> =
                rows.iter().map(|row| row.iter().map(|cell| cell.replace('\t', " ")).collect()).collect();
            assert_eq!(document.tables[0].rows, cells, "{text}");
        }
        let many = read_csv(
            &"a,b\n".repeat(MAX_CELLS / 2 + 1),
            &Limits { max_table_rows: 5_000_000, ..Limits::default() },
        );
        assert!(many.warnings.iter().any(|warning| warning == "cells-cut"), "{:?}", many.warnings);
        assert_eq!(read_csv("", &Limits::default()).tables, []);
        assert_eq!(read_csv("one\ntwo\n", &Limits::default()).text, "one\ntwo\n");
    }

    #[test]
    fn rows_beyond_the_text_are_left_out_with_a_warning() {
        let limits = Limits { max_text_chars: 40, ..Limits::default() };
        let document = read_csv(&"1,2\n".repeat(100), &limits);
        assert_eq!(document.warnings, ["text-cut"]);
        assert!((4..=7).contains(&document.tables[0].rows.len()));
    }

    #[test]
    fn a_million_columns_are_cut() {
        let wide = format!("{}\n", vec!["1"; 100_000].join(","));
        let document = read_csv(&format!("{}1,2\n3,4\n", wide.repeat(5)), &Limits::default());
        assert_eq!(document.warnings, ["columns-cut"]);
        assert_eq!(document.tables[0].rows.len(), 7);
        assert_eq!(document.tables[0].rows[6].len(), MAX_COLUMNS);
    }
}
