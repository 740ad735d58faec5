//! `webmill query`: SQL over the tables of results. The engine that answers is the program's, where it was built with one.

mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;

use super::args::{OutOption, Results, Top, is_results};
use super::print::FORMAT_HELP;
use webmill_jobs::catalogue::TableFiles;

/// Answer a question in SQL over the tables of results.
///
/// The tables are those of RESULTS/tables.json: one consistent set of keys. SQL is that of polars: SELECT with joins, GROUP BY,
/// HAVING, WITH, UNION, windows, subqueries; statements that change tables and functions that read files are refused. Some forty
/// questions come with the program (--names). A table shows 50 rows where --top says no more; other forms, and files that --out names, have
/// all. Of the tables only columns and row groups are read that the query needs. These
/// columns and the answer are held in memory: no option bounds it. A webmill that was built without the feature `sql` lists
/// tables (--tables), and says how to get the rest.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill query [OPTIONS] [RESULTS] [SQL]",
    after_help = "Examples:\n  webmill query out/demo/results \"SELECT url, pagerank FROM ranks WHERE level = 'page' ORDER BY pagerank DESC LIMIT 10\"\n  webmill query out/demo/results --name broken-links --format csv > broken.csv\n  webmill query out/demo/results --tables\n  webmill query --crawl out/demo/crawl \"SELECT outcome, COUNT(*) AS urls FROM events GROUP BY outcome\"\n  webmill query --names"
)]
pub struct QueryArgs {
    #[command(flatten)]
    results: Results,
    /// The query; - for standard input.
    sql: Option<String>,
    /// Folder of a crawl: its event log and what it says of hosts, missing pages and visits are tables too.
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<PathBuf>,
    /// Take the query from a file of queries that end with a semicolon, each after a line `-- name: NAME`.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Which query of the file, or without --file which of those that come with the program.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// List the queries of the file, or those that come with the program, and what they ask.
    #[arg(long, conflicts_with_all = ["name", "tables"])]
    pub names: bool,
    /// List the tables and their columns instead.
    #[arg(long, conflicts_with_all = ["file"])]
    pub tables: bool,
    #[arg(long, value_enum, value_name = "FORMAT", help = FORMAT_HELP)]
    format: Option<Form>,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    top: Top,
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
    args.check()?;
    if args.tables {
        webmill_jobs::print(&tables_in_words(&args.open()?))?;
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
        let (results, _) = self.named()?;
        tables::open(results.as_deref(), self.crawl.as_deref())
    }

    /// The folder of results, where one is meant, and the query: one argument that is no folder is the query.
    fn named(&self) -> webmill_capture::Result<(Option<PathBuf>, Option<String>)> {
        let all = self.results.all(&self.sql.iter().cloned().collect::<Vec<_>>());
        let first_is_folder = all.len() == 2 || all.first().is_some_and(|first| Path::new(first).is_dir());
        if !first_is_folder && self.crawl.is_some() && !is_results(Path::new(".")) {
            return Ok((None, all.into_iter().next()));
        }
        let mut all = all.into_iter();
        let first = if first_is_folder { all.next() } else { None };
        Ok((Some(Results::of(first.map(PathBuf::from)).folder()?), all.next()))
    }

    /// The query, where one is named.
    ///
    /// # Errors
    /// Where no results are named or at hand.
    pub fn sql(&self) -> webmill_capture::Result<Option<String>> {
        Ok(self.named()?.1)
    }

    /// Refuses what says too much or too little.
    fn check(&self) -> Result<()> {
        let named = self.file.is_some() || self.name.is_some();
        if self.names || self.tables {
            return Ok(());
        }
        let sql = self.sql()?;
        anyhow::ensure!(
            sql.is_some() || named,
            "no query: webmill query [RESULTS] \"SELECT …\", or --name NAME"
        );
        anyhow::ensure!(sql.is_none() || !named, "one query at a time: SQL, or --file and --name");
        let is_parquet = self.form() == Form::Parquet;
        anyhow::ensure!(!is_parquet || self.out.out.is_some(), "--format parquet needs --out FILE");
        Ok(())
    }

    /// How the answer is written.
    pub fn form(&self) -> Form {
        self.format.unwrap_or(Form::Table)
    }

    /// Where the answer is written, if not to standard output.
    pub fn out(&self) -> Option<&Path> {
        self.out.out.as_deref()
    }

    /// Rows that a table shows.
    pub fn rows(&self) -> usize {
        self.top.top.unwrap_or(50)
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
        let line = Line::parse_from(["query", "--crawl", "crawl", "SELECT 1"]);
        let said = run(&line.query, None).unwrap_err().to_string();
        for way in ["--features sql", "webmill.sql", "webmill.open"] {
            assert!(said.contains(way), "{said}");
        }
    }
}
