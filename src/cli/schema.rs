//! `webmill schema`: every table with type, unit, description and an example for each column.

use std::process::ExitCode;

use super::args::Results;
use super::print::DocumentFormat;
use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table};
use webmill_jobs::builtin::registry;
use webmill_jobs::catalogue::{Catalogue, TableFiles};
use webmill_table::{ColumnSchema, ColumnType, FileFacts, TableSchema};

/// Print the columns of the tables that webmill writes.
///
/// Of results, named or at hand, those that are there: tables of rules are known nowhere else. What all of these have is table
/// `rule_RULE_GROUP`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill schema pages\n  webmill schema --format json > schema.json\n  webmill schema out/demo/results pages"
)]
pub struct SchemaArgs {
    #[command(flatten)]
    results: Results,
    /// Table to describe [default: all].
    table: Option<String>,
    #[command(flatten)]
    format: DocumentFormat,
}

/// Runs the command.
pub fn run(args: &SchemaArgs) -> Result<ExitCode> {
    let (results, table) = args.results.if_any(args.table.as_ref());
    let mut tables = match &results {
        Some(results) => {
            Catalogue::open(results, registry())?.tables().map(of_results).collect::<Result<_>>()?
        }
        None => registry().tables(),
    };
    if let Some(name) = &table {
        let names: Vec<String> = tables.iter().map(|t| t.name.clone()).collect();
        tables.retain(|t| t.name == *name);
        if tables.is_empty() {
            let of_a_rule = match &results {
                None if name.starts_with("rule_") => "; webmill schema RESULTS describes what results have",
                _ => "",
            };
            bail!("no table is called {name}{of_a_rule}; tables: {}", names.join(", "));
        }
    }
    let text = match args.format.is_json() {
        true => {
            let value: serde_json::Value = tables
                .iter()
                .map(|t| serde_json::json!({ "table": t.name, "about": t.about, "sorted_by": t.sorted_by, "columns": t.columns }))
                .collect();
            serde_json::to_string_pretty(&value)?
        }
        false => tables.iter().map(described).collect(),
    };
    webmill_jobs::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The schema of a table of results: the program's where it knows the table, else what its files say.
fn of_results(table: &TableFiles) -> Result<TableSchema> {
    let file = table.files.first().map(|file| FileFacts::read(file)).transpose()?;
    let of_file = file.and_then(|facts| facts.schema);
    let known = registry().tables().into_iter().find(|known| known.name == table.name).or(of_file);
    let columns = table.columns.iter().filter_map(|column| {
        let kind = ColumnType::of_words(&column.kind)?;
        let known = known.iter().flat_map(|known| &known.columns).find(|known| known.name == column.name);
        let plain = || ColumnSchema::new(&column.name, kind, &column.description, "");
        let schema = known.cloned().unwrap_or_else(plain);
        Some(ColumnSchema { kind, nullable: column.nullable, ..schema })
    });
    Ok(TableSchema {
        name: table.name.clone(),
        about: table.about.clone(),
        sorted_by: table.sorted_by.clone(),
        columns: columns.collect(),
    })
}

fn described(schema: &TableSchema) -> String {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["column", "type", "null", "description", "example"]);
    for c in &schema.columns {
        let mut description = c.description.clone();
        if !c.values.is_empty() {
            description += &format!(" [{}]", c.values.join(", "));
        }
        let null = if c.nullable { "yes" } else { "no" };
        table.add_row([c.name.clone(), c.kind.to_string(), null.into(), description, c.example.clone()]);
    }
    let mut about = format!("{}: {}\n", schema.name, schema.about);
    if !schema.sorted_by.is_empty() {
        about += &format!("Each file is sorted by {}.\n", schema.sorted_by.join(", "));
    }
    format!("{about}{table}\n\n")
}
