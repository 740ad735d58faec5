//! `webmill query`: SQL over the tables of results. The engine that answers is the program's, where it was built with one.

mod tables;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;

use crate::catalogue::TableFiles;

/// Answer a question in SQL over the tables of results.
///
/// The tables are those of RESULTS/tables.json: one consistent set of keys. SQL is that of polars: SELECT with joins, GROUP BY,
/// HAVING, WITH, UNION, windows, subqueries; statements that change tables and functions that read files are refused. Some forty
/// questions come with the program (--names). Of the tables only columns and row groups are read that the query needs. These
/// columns and the answer are held in memory: no option bounds it. A webmill that was built without the feature `sql` lists
/// tables (--tables), and says how to get the rest.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill query \"SELECT url, pagerank FROM ranks WHERE level = 'page' ORDER BY pagerank DESC LIMIT 10\"\n  webmill query --name broken-links --format csv > broken.csv\n  webmill query --tables\n  webmill query \"SELECT outcome, COUNT(*) AS urls FROM events GROUP BY outcome\" --crawl crawl\n  webmill query --names"
)]
pub struct QueryArgs {
    /// The query; - for standard input.
    #[arg(required_unless_present_any = ["file", "name", "tables", "names"], conflicts_with_all = ["file", "name"])]
    pub sql: Option<String>,
    /// Folder of results [default: results, without --crawl].
    #[arg(long, value_name = "RESULTS")]
    pub results: Option<PathBuf>,
    /// Folder of a crawl: its event log and what it says of hosts, missing pages and visits are tables too.
    #[arg(long, value_name = "DIR")]
    pub crawl: Option<PathBuf>,
    /// Take the query from a file of queries that end with a semicolon, each after a line `-- name: NAME`.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Which query of the file, or without --file which of those that come with the program.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// List the queries of the file, or those that come with the program, and what they ask.
    #[arg(long, conflicts_with_all = ["sql", "name", "tables"])]
    pub names: bool,
    /// List the tables and their columns instead.
    #[arg(long, conflicts_with_all = ["sql", "file"])]
    pub tables: bool,
    /// A table to look at, comma-separated values, JSON lines, or Parquet.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Form,
    /// Write the answer here instead of to standard output; Parquet needs it.
    #[arg(long, value_name = "FILE", required_if_eq("format", "parquet"))]
    pub out: Option<PathBuf>,
    /// Rows that the format `table` shows; the others are counted. Other formats have all.
    #[arg(long, value_name = "ROWS", default_value_t = 50)]
    pub rows: usize,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Columns side by side; long values are cut, which is said.
    Table,
    /// A header, then a line a row; lists as JSON, nulls empty.
    Csv,
    /// An object a line.
    Json,
    /// A Parquet file.
    Parquet,
}

/// What answers a question and writes the answer where the arguments say.
pub type Answer = fn(&QueryArgs) -> Result<()>;

/// Runs the subcommand; `answer` is the engine, where there is one.
///
/// # Errors
/// Results that cannot be read, a query that is none, names that no table or column has, a file that cannot be written.
pub fn run(args: &QueryArgs, answer: Option<Answer>) -> Result<ExitCode> {
    if args.tables {
        crate::print(&tables_in_words(&args.open()?))?;
    } else if let Some(answer) = answer {
        answer(args)?;
    } else {
        anyhow::bail!(
            "this webmill was built without SQL: `cargo install --path . --features sql` builds one with it; DuckDB \
             answers by RESULTS/webmill.sql, Python by `webmill.open(\"RESULTS\").sql(\"…\")`"
        );
    }
    Ok(ExitCode::SUCCESS)
}

impl QueryArgs {
    /// The tables that a question may name.
    ///
    /// # Errors
    /// Results that cannot be read.
    pub fn open(&self) -> webmill_capture::Result<Vec<TableFiles>> {
        tables::open(self.results.as_deref(), self.crawl.as_deref())
    }
}

fn tables_in_words(tables: &[TableFiles]) -> String {
    let mut words = String::new();
    for table in tables {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        words += &format!("{} ({} rows)\n  {}\n", table.name, table.rows, columns.join(", "));
    }
    words
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        query: QueryArgs,
    }

    #[test]
    fn a_program_without_the_engine_says_how_to_get_one() {
        let line = Line::parse_from(["query", "SELECT 1"]);
        let said = run(&line.query, None).unwrap_err().to_string();
        for way in ["--features sql", "webmill.sql", "webmill.open"] {
            assert!(said.contains(way), "{said}");
        }
    }
}
