//! `webmill schema`: every table with type, unit, description and an example for each column.

use std::process::ExitCode;

use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table};
use webmill::table::all_tables;

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
    let mut tables = all_tables();
    if let Some(name) = &args.table {
        let names: Vec<_> = tables.iter().map(|t| t.0).collect();
        tables.retain(|t| t.0 == name);
        if tables.is_empty() {
            bail!("no table is called {name}; tables: {}", names.join(", "));
        }
    }
    let text = match args.format {
        Form::Json => {
            let value: serde_json::Value = tables
                .iter()
                .map(|(name, about, columns)| serde_json::json!({ "table": name, "about": about.trim(), "columns": columns }))
                .collect();
            serde_json::to_string_pretty(&value)?
        }
        Form::Text => {
            let mut text = String::new();
            for (name, about, columns) in tables {
                text += &format!("{name}: {}\n", about.trim());
                let mut table = Table::new();
                table.set_content_arrangement(ContentArrangement::Dynamic);
                table.set_header(["column", "type", "null", "description", "example"]);
                for c in columns {
                    table.add_row([
                        c.name.to_owned(),
                        c.kind.to_string(),
                        if c.nullable { "yes" } else { "no" }.into(),
                        c.description.into(),
                        c.example.into(),
                    ]);
                }
                text += &format!("{table}\n\n");
            }
            text
        }
    };
    crate::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
