//! The list of jobs, in the order in which `webmill run` calls them. A further job is its file and a line here.

use webmill_capture::Result;
use webmill_table::TableSchema;

use crate::job::JobEntry;
use crate::recipe::Recipe;
use crate::{
    count, crawl, dedup, extract, graph, keywords, learn, mirrors, rank, rejects, repeated, report, rules,
    shape,
};

/// Every job.
pub static JOBS: &[JobEntry] = &[
    extract::ENTRY,
    graph::ENTRY,
    rank::ENTRY,
    shape::ENTRY,
    dedup::ENTRY,
    repeated::ENTRY,
    mirrors::ENTRY,
    keywords::ENTRY,
    rules::ENTRY,
    learn::FEATURES,
    learn::TRAIN,
    learn::APPLY,
    learn::cluster::ENTRY,
    count::words::ENTRY,
    count::backlinks::ENTRY,
    count::host_terms::ENTRY,
    count::index::ENTRY,
    count::grep::ENTRY,
    count::visits::ENTRY,
    count::sort::ENTRY,
    report::ENTRY,
];

/// Checks every table of a recipe, that of crawls among them.
///
/// # Errors
/// [`webmill_capture::Error::Config`] for a table that is no job's, or a setting that cannot work.
pub fn check_recipe(recipe: &Recipe) -> Result<()> {
    let names = || JOBS.iter().map(|job| job.name).chain([crawl::TABLE]);
    if let Some(name) = recipe.tables().find(|name| !names().any(|known| known == *name)) {
        let known: Vec<&str> = names().collect();
        return Err(recipe.error(&format!("no job is called [{name}]; jobs: {}", known.join(", "))));
    }
    JOBS.iter().try_for_each(|job| (job.check)(recipe))?;
    crawl::check_recipe(recipe)
}

/// Every table that webmill writes, in the order of the data flow.
pub fn tables() -> Vec<TableSchema> {
    let mut tables = crawl::tables();
    tables.extend(JOBS.iter().flat_map(|job| (job.tables)()));
    tables.extend(rejects::tables());
    tables.push(webmill_table::schema::<crate::command::dedup::apply::dropped::DroppedRow>());
    tables.push(webmill_table::schema::<crate::command::index::columnar::CaptureRow>());
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_described_once() {
        for table in tables() {
            assert!(!table.about.is_empty(), "{}", table.name);
            let mut names: Vec<_> = table.columns.iter().map(|c| &c.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.columns.len(), "{} names a column twice", table.name);
            for column in &table.columns {
                let at = format!("{}.{}", table.name, column.name);
                assert!(column.description.len() > 10, "{at} needs a description");
                assert!(!column.example.is_empty(), "{at} needs an example");
            }
        }
    }

    #[test]
    fn jobs_and_tables_are_named_once() {
        for mut names in [
            JOBS.iter().map(|job| job.name.to_owned()).collect::<Vec<_>>(),
            tables().into_iter().map(|table| table.name).collect(),
        ] {
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{names:?}");
        }
    }
}
