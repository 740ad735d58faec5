//! The engine of `webmill query`: polars' SQL. Only with the cargo feature `sql`.

mod cells;
mod engine;
mod functions;
mod rewrite;
mod statement;
mod windows;

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use polars::prelude::DataFrame;

use webmill::cli::print::RowForm;
use webmill::cli::query::{Form, QueryArgs};
use webmill::jobs::print;

use statement::Statement;

/// The questions that come with the program.
const RECIPES: &str = include_str!("../../docs/recipes.sql");

/// Answers a question, or lists those that have names.
///
/// # Errors
/// Results that cannot be read, a query that is none, names that no table or column has, a file that cannot be written.
pub fn answer(args: &QueryArgs) -> Result<()> {
    if args.names {
        return Ok(print(&statement::names_in_words(&queries(args)?)?)?);
    }
    let answer = engine::answer(&args.open()?, &asked(args)?)?;
    match (args.form(), args.out()) {
        (Form::Parquet, Some(out)) => engine::write_parquet(&answer, out)?,
        (form, Some(out)) => {
            let bytes = written(&answer, form, args.rows())?;
            std::fs::write(out, bytes).with_context(|| format!("{}", out.display()))?;
        }
        (form, None) => print(&written(&answer, form, args.rows())?)?,
    }
    Ok(())
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
    match args.sql()?.as_deref() {
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

fn written(answer: &DataFrame, form: Form, rows: usize) -> Result<String> {
    let form = match form {
        Form::Table | Form::Parquet => RowForm::Table,
        Form::Csv => RowForm::Csv,
        Form::Json => RowForm::Json,
    };
    cells::written(answer, form, rows)
}
