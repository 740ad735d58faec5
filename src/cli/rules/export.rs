//! `webmill rules export`: tables of rules as JSON lines, CSV or one SQLite file.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use webmill_run::{Cancel, Job};

use crate::args::{OutOption, Results};
use crate::print::TO_HELP;
use webmill_jobs::builtin::registry;
use webmill_jobs::catalogue::{Catalogue, TableFiles};
use webmill_jobs::export::{ExportTable, Form, to_file, to_folder, to_writer};
use webmill_jobs::rules::RulesJob;

/// Write tables of rules as JSON lines, CSV or one SQLite file.
///
/// Without --table these are the tables `rule_RULE_GROUP`; in SQLite also `rules_report` and `rules_problems`. Rows keep their order.
/// With --out these are files of a folder, or one file if one table is named or the format is SQLite. Keys are hexadecimal digits, in SQLite bytes; nulls are null, in CSV empty. Files are written aside and renamed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill rules export out/demo/results --to sqlite --out rules.sqlite\n  webmill rules export out/demo/results --to csv --out tables/\n  webmill rules export out/demo/results --table rule_books_books | head"
)]
pub struct ExportArgs {
    #[command(flatten)]
    results: Results,
    /// Table of the results that is meant.
    #[arg(long, value_name = "TABLE")]
    table: Vec<String>,
    #[arg(long, value_name = "FORMAT", help = TO_HELP, value_parser = form_parser())]
    to: Option<Form>,
    #[command(flatten)]
    out: OutOption,
}

fn form_parser() -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(Form::ALL.iter().map(|form| form.name()))
        .try_map(|text| Form::ALL.iter().copied().find(|form| form.name() == text).ok_or("no such form"))
}

/// Runs the command.
///
/// # Errors
/// Results without tables of rules, a name that no such table has, damaged tables; where the output refuses.
pub fn run(args: &ExportArgs, cancel: &Cancel) -> Result<ExitCode> {
    let catalogue = Catalogue::open(&args.results.folder()?, registry())?;
    let form = args.to.unwrap_or(Form::ALL[0]);
    let tables = chosen(&catalogue, &args.table, form)?;
    let sources =
        tables.iter().map(|table| ExportTable::new(table)).collect::<webmill_capture::Result<Vec<_>>>()?;
    match (&args.out.out, sources.as_slice()) {
        (Some(out), sources) if form.is_one_file() => to_file(sources, form, out, cancel)?,
        (Some(out), sources) if args.table.len() == 1 => to_file(sources, form, out, cancel)?,
        (Some(out), sources) => to_folder(sources, form, out, cancel)?,
        (None, _) if form.is_one_file() => bail!("--out FILE says where the SQLite file is to stand"),
        (None, [source]) if args.table.len() == 1 => {
            to_writer(source, form, std::io::stdout().lock(), Path::new("standard output"), cancel)?;
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
            None => bail!("{results}: no tables of rules; `webmill rules` makes them"),
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
