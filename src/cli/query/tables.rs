//! The tables that a query may name: those of results, and those that a crawl left in its folder.

use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_table::{FileFacts, part_files};

use webmill_jobs::builtin::registry;
use webmill_jobs::catalogue::{Catalogue, Column, TableFiles};
use webmill_jobs::crawl::files::TABLES;

/// The tables of the folder `results` and of the folder of a crawl, by name. Without results only those of the crawl.
///
/// # Errors
/// A folder that holds no results, or no tables of a crawl; files that cannot be read.
pub fn open(results: Option<&Path>, crawl: Option<&Path>) -> Result<Vec<TableFiles>> {
    let mut tables = Vec::new();
    if let Some(results) = results {
        let catalogue = Catalogue::open(results, registry())?;
        if let Some(warning) = catalogue.warning() {
            webmill_jobs::say!("warning: {warning}");
        }
        tables.extend(catalogue.tables().cloned());
    }
    if let Some(crawl) = crawl {
        for table in of_crawl(crawl)? {
            if tables.iter().any(|other| other.name == table.name) {
                webmill_jobs::say!(
                    "warning: table {} of the crawl is left out: results have one of that name",
                    table.name
                );
            } else {
                tables.push(table);
            }
        }
    }
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tables)
}

/// The event log, and the tables that the last run of a crawl wrote.
fn of_crawl(crawl: &Path) -> Result<Vec<TableFiles>> {
    let mut folders: Vec<(String, PathBuf)> = vec![("events".to_owned(), crawl.join("events"))];
    let tables = crawl.join(TABLES);
    if tables.is_dir() {
        for entry in std::fs::read_dir(&tables).at(&tables)? {
            let entry = entry.at(&tables)?;
            folders.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
        }
    }
    let schemas = registry().tables();
    let mut found = Vec::new();
    for (name, folder) in folders.into_iter().filter(|(_, folder)| folder.is_dir()) {
        let files = part_files(&folder)?;
        let (mut rows, mut bytes) = (0, 0);
        for file in &files {
            rows += FileFacts::read(file)?.rows;
            bytes += std::fs::metadata(file).at(file)?.len();
        }
        if files.is_empty() {
            continue;
        }
        let Some(schema) = schemas.iter().find(|schema| schema.name == name) else {
            webmill_jobs::say!("warning: {} is left out: this program knows no such table", folder.display());
            continue;
        };
        let columns = schema.columns.iter().map(|column| Column {
            name: column.name.clone(),
            kind: column.kind.to_string(),
            nullable: column.nullable,
            description: column.description.clone(),
        });
        let (columns, about) = (columns.collect(), schema.about.clone());
        let (job, key) = ("crawl".to_owned(), String::new());
        found.push(TableFiles { name, job, key, about, rows, bytes, sorted_by: Vec::new(), files, columns });
    }
    if found.is_empty() {
        return Err(Error::Config(format!("{}: no tables of a crawl", crawl.display())));
    }
    Ok(found)
}
