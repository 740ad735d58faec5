//! The catalogue as views for DuckDB.

use std::fmt::Write;

use super::{Document, TableEntry};

/// The variable that says where the results lie.
pub const VARIABLE: &str = "webmill_results";

const HEAD: &str = "\
-- The tables of these results as views for DuckDB (1.2 or later): one consistent set of keys, as in tables.json.
-- In the folder itself:   duckdb -init webmill.sql
-- From anywhere else:     duckdb -cmd \"SET VARIABLE webmill_results = '/path/of/results'\" -init /path/of/results/webmill.sql
-- In Python:              con.execute(\"SET VARIABLE webmill_results = '/path/of/results'\"); con.execute(open('/path/of/results/webmill.sql').read())
-- An object store's URL (s3://, https://) is a path too. A database file that keeps the views needs the variable in every session.
SET TimeZone = 'UTC';
SET VARIABLE webmill_results = coalesce(getvariable('webmill_results'), '.');
";

/// Columns by names that people guess: the name, the column it is of, and the expression, which DuckDB and polars read alike.
const ALIASES: [(&str, &str, &str); 6] = [
    ("status", "fetch_status", "fetch_status"),
    ("mime", "content_mime_detected", "content_mime_detected"),
    ("host", "url_host_name", "url_host_name"),
    ("domain", "url_host_registered_domain", "url_host_registered_domain"),
    ("date", "fetch_time", "CAST(fetch_time AS DATE)"),
    ("language", "content_languages", "SPLIT_PART(content_languages, ',', 1)"),
];

/// The further columns of a table in SQL, by the names of its own: each a name and an expression.
pub fn aliases<'a>(columns: &'a [&'a str]) -> impl Iterator<Item = (&'static str, &'static str)> + 'a {
    let fits = |(alias, of, _): &(&str, &str, &str)| columns.contains(of) && !columns.contains(alias);
    ALIASES.into_iter().filter(fits).map(|(alias, _, expression)| (alias, expression))
}

/// The script that makes the views.
pub(super) fn views(document: &Document) -> String {
    let mut text = HEAD.to_owned();
    for stale in &document.stale {
        let _ = writeln!(text, "-- Left out: {} {}: {}", stale.job, stale.key, one_line(&stale.reason));
    }
    for (name, table) in &document.tables {
        view(&mut text, name, table);
    }
    text
}

fn view(text: &mut String, name: &str, table: &TableEntry) {
    let name = name_of(name);
    let (job, key, rows) = (&table.job, &table.key, table.rows);
    let about = one_line(&table.about);
    let _ = write!(text, "\n-- {about} {rows} rows by {job} {key}");
    if !table.sorted_by.is_empty() {
        let _ = write!(text, "; each file is sorted by {}", table.sorted_by.join(", "));
    }
    // Whole numbers have 64 bits and a sign, so that what is computed of them neither overflows nor goes round at zero.
    let narrow = table.columns.iter().filter(|column| column.kind.contains("Int") && column.kind != "Int64");
    let wide: Vec<String> = narrow
        .map(|column| {
            let kind = if column.kind.starts_with("List") { "BIGINT[]" } else { "BIGINT" };
            format!("CAST({0} AS {kind}) AS {0}", name_of(&column.name))
        })
        .collect();
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let mut columns = "*".to_owned();
    if !wide.is_empty() {
        let _ = write!(columns, " REPLACE ({})", wide.join(", "));
    }
    let short: String =
        aliases(&names).map(|(alias, expression)| format!(", {expression} AS {alias}")).collect();
    let _ = writeln!(
        text,
        ".\nCREATE OR REPLACE VIEW {name} AS SELECT *{short} FROM (SELECT {columns} FROM read_parquet(["
    );
    for (number, file) in table.files.iter().enumerate() {
        let comma = if number + 1 < table.files.len() { "," } else { "" };
        let _ = writeln!(text, "  getvariable('{VARIABLE}') || {}{comma}", text_of(&format!("/{file}")));
    }
    let _ = writeln!(text, "]));");
    let _ = writeln!(text, "COMMENT ON VIEW {name} IS {};", text_of(&format!("{about} ({job} {key})")));
}

/// A name in quotes.
fn name_of(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in quotes.
fn text_of(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A text that ends no comment.
fn one_line(text: &str) -> String {
    text.split(char::is_control).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_stays_quoted() {
        assert_eq!(name_of("a\"b"), "\"a\"\"b\"");
        assert_eq!(text_of("it's"), "'it''s'");
        assert_eq!(one_line("a\nDROP TABLE b;\r\nc"), "a DROP TABLE b;  c");
    }
}
