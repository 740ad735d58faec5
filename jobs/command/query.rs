//! `webmill query`: SQL over the tables of results, by polars.

mod cells;
mod names;
mod statement;
mod tables;

use std::borrow::Cow;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use polars::prelude::{
    DataFrame, Engine, LazyFrame, ParquetCompression, ParquetWriter, PlRefPath, PolarsError, PolarsResult,
    ScanArgsParquet,
};
use polars::sql::SQLContext;

use crate::catalogue::TableFiles;
use statement::Statement;

/// The questions that come with the program.
const RECIPES: &str = include_str!("../../docs/recipes.sql");

/// Answer a question in SQL over the tables of results.
///
/// The tables are those of RESULTS/tables.json: one consistent set of keys. SQL is that of polars: SELECT with joins, GROUP BY,
/// HAVING, WITH, UNION, windows, subqueries; statements that change tables and functions that read files are refused. Some forty
/// questions come with the program (--names). Of the tables only columns and row groups are read that the query needs. All
/// processors are used, or as many as the variable POLARS_MAX_THREADS says. What sorts and groups hold, and the answer, is kept
/// in memory: no option bounds it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill query \"SELECT url, pagerank FROM ranks WHERE level = 'page' ORDER BY pagerank DESC LIMIT 10\"\n  webmill query --name broken-links --format csv > broken.csv\n  webmill query --tables\n  webmill query \"SELECT outcome, COUNT(*) AS urls FROM events GROUP BY outcome\" --crawl crawl\n  webmill query --names"
)]
pub struct QueryArgs {
    /// The query; - for standard input.
    #[arg(required_unless_present_any = ["file", "name", "tables", "names"], conflicts_with_all = ["file", "name"])]
    sql: Option<String>,
    /// Folder of results [default: results, without --crawl].
    #[arg(long, value_name = "RESULTS")]
    results: Option<PathBuf>,
    /// Folder of a crawl: its event log and what it says of hosts, missing pages and visits are tables too.
    #[arg(long, value_name = "DIR")]
    crawl: Option<PathBuf>,
    /// Take the query from a file of queries that end with a semicolon, each after a line `-- name: NAME`.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Which query of the file, or without --file which of those that come with the program.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// List the queries of the file, or those that come with the program, and what they ask.
    #[arg(long, conflicts_with_all = ["sql", "name", "tables"])]
    names: bool,
    /// List the tables and their columns instead.
    #[arg(long, conflicts_with_all = ["sql", "file"])]
    tables: bool,
    /// A table to look at, comma-separated values, JSON lines, or Parquet.
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
    /// Write the answer here instead of to standard output; Parquet needs it.
    #[arg(long, value_name = "FILE", required_if_eq("format", "parquet"))]
    out: Option<PathBuf>,
    /// Rows that the format `table` shows; the others are counted. Other formats have all.
    #[arg(long, value_name = "ROWS", default_value_t = 50)]
    rows: usize,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Columns side by side; long values are cut, which is said.
    Table,
    /// A header, then a line a row; lists as JSON, nulls empty.
    Csv,
    /// An object a line.
    Json,
    /// A Parquet file.
    Parquet,
}

/// Runs the subcommand.
///
/// # Errors
/// Results that cannot be read, a query that is none, names that no table or column has, a file that cannot be written.
pub fn run(args: &QueryArgs) -> Result<ExitCode> {
    if args.names {
        crate::print(&statement::names_in_words(&queries(args)?)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let tables = tables::open(args.results.as_deref(), args.crawl.as_deref())?;
    if args.tables {
        crate::print(&tables_in_words(&tables))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut answer = answer(&tables, &asked(args)?)?;
    match (args.format, &args.out) {
        (Form::Parquet, Some(out)) => write_parquet(&mut answer, out)?,
        (form, Some(out)) => {
            let bytes = written(&answer, form, args.rows)?;
            std::fs::write(out, bytes).with_context(|| format!("{}", out.display()))?;
        }
        (form, None) => crate::print(&written(&answer, form, args.rows)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The file of queries.
fn queries(args: &QueryArgs) -> Result<Cow<'static, str>> {
    Ok(match &args.file {
        Some(file) => std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?.into(),
        None => RECIPES.into(),
    })
}

/// The statement that the arguments say.
fn asked(args: &QueryArgs) -> Result<Statement> {
    match args.sql.as_deref() {
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("standard input")?;
            Statement::new(&text)
        }
        Some(sql) => Statement::new(sql),
        None => {
            let file = args.file.as_deref().unwrap_or(Path::new("recipes.sql"));
            statement::named(&queries(args)?, args.name.as_deref())
                .with_context(|| format!("{}", file.display()))
        }
    }
}

/// The rows that answer a statement.
fn answer(tables: &[TableFiles], statement: &Statement) -> Result<DataFrame> {
    let work = |engine| -> PolarsResult<DataFrame> {
        let mut context = SQLContext::new();
        for table in tables {
            context.register(&table.name, scan(&table.files)?);
        }
        Ok(context.execute(statement.text())?.collect_with_engine(engine)?.unwrap_single())
    };
    // Polars panics on some plans, and its streaming engine on more of them than the other.
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let answer = [Engine::Streaming, Engine::InMemory]
        .into_iter()
        .find_map(|engine| catch_unwind(AssertUnwindSafe(|| work(engine))).ok());
    std::panic::set_hook(loud);
    match answer {
        Some(Ok(frame)) => Ok(frame),
        Some(Err(error)) => bail!("{}", in_words(&error, tables)),
        None => bail!("polars has no plan for this query; it may have one for another form of it"),
    }
}

/// Exactly these files, whatever their names are.
fn scan(files: &[PathBuf]) -> PolarsResult<LazyFrame> {
    let paths = files.iter().map(|file| PlRefPath::new(file.to_string_lossy()));
    let args = ScanArgsParquet { glob: false, ..ScanArgsParquet::default() };
    LazyFrame::scan_parquet_files(paths.collect(), args)
}

/// What polars says, and the names that are near to one that no table or column has.
fn in_words(error: &PolarsError, tables: &[TableFiles]) -> String {
    let said = error.to_string();
    // Behind these words it tells of plans, and lists all columns there are.
    let ends = ["\n\nResolved plan until failure", "; valid columns: ["];
    let end = ends.iter().filter_map(|words| said.find(words)).min().unwrap_or(said.len());
    let said = said.get(..end).unwrap_or_default().trim().to_owned();
    let columns = tables.iter().flat_map(|table| table.columns.iter().map(|column| column.name.as_str()));
    let tables = tables.iter().map(|table| table.name.as_str());
    let near = match error {
        PolarsError::ColumnNotFound(_) => names::near(&said, columns),
        PolarsError::SQLInterface(_) => names::near(&said, tables.chain(columns)),
        _ => Vec::new(),
    };
    if near.is_empty() { said } else { format!("{said}; near to it: {}", near.join(", ")) }
}

fn written(answer: &DataFrame, form: Form, rows: usize) -> Result<String> {
    match form {
        Form::Csv => cells::csv(answer),
        Form::Json => cells::json_lines(answer),
        Form::Table | Form::Parquet => cells::table(answer, rows),
    }
}

fn write_parquet(answer: &mut DataFrame, out: &Path) -> Result<()> {
    let file = std::fs::File::create(out).with_context(|| format!("{}", out.display()))?;
    let writer = ParquetWriter::new(file).with_compression(ParquetCompression::Zstd(None));
    writer.finish(answer).with_context(|| format!("{}", out.display()))?;
    Ok(())
}

fn tables_in_words(tables: &[TableFiles]) -> String {
    let mut words = String::new();
    for table in tables {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        words += &format!("{} ({} rows)\n  {}\n", table.name, table.rows, columns.join(", "));
    }
    words
}
