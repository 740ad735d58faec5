//! `webmill rules export`: tables of rules as JSON lines, CSV or one SQLite file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_run::{Cancel, Job};

use crate::builtin::registry;
use crate::catalogue::{Catalogue, TableFiles};
use crate::export::{Form, Source, to_file, to_folder, to_writer};
use crate::rules::RulesJob;

/// Write tables of rules as JSON lines, CSV or one SQLite file.
///
/// Without --table these are the tables `rule_RULE_GROUP`; in SQLite also `rules_report` and `rules_problems`. Rows keep their order.
/// Keys are hexadecimal digits, in SQLite bytes; what is null is null, in CSV empty. Files are written aside and renamed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill rules export --results results --format sqlite --out rules.sqlite\n  webmill rules export --results results --format csv --out tables/\n  webmill rules export --results results --table rule_books_books | head"
)]
pub struct ExportArgs {
    /// Folder of results.
    #[arg(long, value_name = "RESULTS", default_value = "results")]
    results: PathBuf,
    /// Only this table; may be repeated.
    #[arg(long, value_name = "NAME")]
    table: Vec<String>,
    /// JSON lines, comma-separated values, or SQLite.
    #[arg(long, value_enum, default_value = "json")]
    format: Form,
    /// Where to: a file where one table is named or the form is SQLite, else a folder that gets a file a table
    /// [default: standard output, where one table is named].
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Results without tables of rules, a name that no such table has, damaged tables; where the output refuses.
pub fn run(args: &ExportArgs, cancel: &Cancel) -> Result<ExitCode> {
    let catalogue = Catalogue::open(&args.results, registry())?;
    let tables = chosen(&catalogue, &args.table, args.format)?;
    let sources =
        tables.iter().map(|table| Source::new(table)).collect::<webmill_capture::Result<Vec<_>>>()?;
    match (&args.out, sources.as_slice()) {
        (Some(out), sources) if args.format.is_one_file() => to_file(sources, args.format, out, cancel)?,
        (Some(out), sources) if args.table.len() == 1 => to_file(sources, args.format, out, cancel)?,
        (Some(out), sources) => to_folder(sources, args.format, out, cancel)?,
        (None, _) if args.format.is_one_file() => bail!("--out FILE says where the SQLite file is to stand"),
        (None, [source]) if args.table.len() == 1 => {
            to_writer(source, args.format, std::io::stdout().lock(), Path::new("standard output"), cancel)?;
        }
        (None, _) => bail!("--out FOLDER says where a file a table is to stand, or --table names one table"),
    }
    Ok(ExitCode::SUCCESS)
}

fn of_rules(catalogue: &Catalogue) -> impl Iterator<Item = &TableFiles> {
    catalogue.tables().filter(|table| table.job == RulesJob::NAME)
}

/// Whether a table is written where none is named.
fn is_wanted(table: &TableFiles, form: Form) -> bool {
    form.is_one_file() || table.name.starts_with("rule_")
}

/// The tables of these names, each once; all where none is named.
fn chosen<'a>(catalogue: &'a Catalogue, names: &[String], form: Form) -> Result<Vec<&'a TableFiles>> {
    if of_rules(catalogue).next().is_none() {
        let results = catalogue.results().display();
        match catalogue.warning() {
            Some(warning) => bail!("{results}: no tables of rules; {warning}"),
            None => bail!("{results}: no tables of rules; `webmill rules apply` makes them"),
        }
    }
    if names.is_empty() {
        return Ok(of_rules(catalogue).filter(|table| is_wanted(table, form)).collect());
    }
    let mut tables: Vec<&TableFiles> = Vec::new();
    for name in names {
        let Some(table) = of_rules(catalogue).find(|table| table.name == *name) else {
            bail!("no table of rules is called {name}{}", near(name, catalogue));
        };
        if tables.iter().all(|other| other.name != *name) {
            tables.push(table);
        }
    }
    Ok(tables)
}

/// Names that were perhaps meant, the nearest first; else some that there are.
fn near(name: &str, catalogue: &Catalogue) -> String {
    let known = || of_rules(catalogue).map(|table| table.name.as_str());
    match webmill_capture::names::near_to(name, known()) {
        near if near.is_empty() => format!("; tables: {}", known().take(10).collect::<Vec<_>>().join(", ")),
        near => near,
    }
}
