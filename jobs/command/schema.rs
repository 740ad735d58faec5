//! `webmill schema`: every table with type, unit, description and an example for each column.

use std::process::ExitCode;

use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table};
use webmill_mill::{CommentRow, LinkRow, PageRow, RecordRow, StructuredRow, TextRow};

use crate::crawl::event_row::EventRow;
use crate::dedup::tables::{ClusterRow, DuplicateRow};
use crate::extract::template_row::TemplateRow;
use crate::graph::tables::{ArcRow, NodeRow};
use crate::keywords::tables::KeywordRow;
use crate::rank::tables::RankRow;
use crate::rejects::RejectRow;
use crate::report::tables::{HostRow, SummaryRow};
use crate::shape::tables::{ComponentRow, DegreeRow};
use crate::simweb::tables::{SimulatedArcRow, SimulatedPageRow};

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

/// Name, meaning and columns of every table, in the order of the data flow.
pub fn all_tables() -> Vec<(&'static str, &'static str, Vec<webmill_table::ColumnInfo>)> {
    fn entry<T: webmill_table::Table>() -> (&'static str, &'static str, Vec<webmill_table::ColumnInfo>) {
        (T::NAME, T::ABOUT, T::info())
    }
    vec![
        entry::<EventRow>(),
        entry::<PageRow>(),
        entry::<LinkRow>(),
        entry::<TextRow>(),
        entry::<RecordRow>(),
        entry::<CommentRow>(),
        entry::<StructuredRow>(),
        entry::<TemplateRow>(),
        entry::<KeywordRow>(),
        entry::<RejectRow>(),
        entry::<NodeRow>(),
        entry::<ArcRow>(),
        entry::<RankRow>(),
        entry::<DegreeRow>(),
        entry::<ComponentRow>(),
        entry::<DuplicateRow>(),
        entry::<ClusterRow>(),
        entry::<HostRow>(),
        entry::<SummaryRow>(),
        entry::<SimulatedPageRow>(),
        entry::<SimulatedArcRow>(),
    ]
}
