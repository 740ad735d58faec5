//! `webmill schema`: every table with type, unit, description and an example for each column.

use std::process::ExitCode;

use crate::registry::tables;
use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table};
use webmill_table::TableSchema;

/// Print the columns of the tables that webmill writes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill schema pages\n  webmill schema --format json > schema.json")]
pub struct SchemaArgs {
    /// Table to describe [default: all].
    table: Option<String>,
    /// Output form.
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Form {
    Text,
    Json,
}

/// Runs the command.
pub fn run(args: &SchemaArgs) -> Result<ExitCode> {
    let mut tables = tables();
    if let Some(name) = &args.table {
        let names: Vec<String> = tables.iter().map(|t| t.name.clone()).collect();
        tables.retain(|t| t.name == *name);
        if tables.is_empty() {
            bail!("no table is called {name}; tables: {}", names.join(", "));
        }
    }
    let text = match args.format {
        Form::Json => {
            let value: serde_json::Value = tables
                .iter()
                .map(|t| serde_json::json!({ "table": t.name, "about": t.about, "sorted_by": t.sorted_by, "columns": t.columns }))
                .collect();
            serde_json::to_string_pretty(&value)?
        }
        Form::Text => tables.iter().map(described).collect(),
    };
    crate::print(&text)?;
    Ok(ExitCode::SUCCESS)
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
