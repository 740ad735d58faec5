//! webmill's own jobs, and the registry of this process. A further job of webmill is its file and a line here.

use std::sync::OnceLock;

use webmill_table::schema;

use crate::dropped::DroppedRow;
use crate::filtered::{FilterSummaryRow, FilteredRow};
use crate::index_row::CaptureRow;
use crate::registry::{JobEntry, Registry};
use crate::{
    count, crawl, dedup, extract, graph, keywords, learn, mirrors, rank, repeated, report, rules, shape,
    signals,
};

const JOBS: &[JobEntry] = &[
    extract::ENTRY,
    graph::ENTRY,
    rank::ENTRY,
    shape::ENTRY,
    dedup::ENTRY,
    repeated::ENTRY,
    mirrors::ENTRY,
    keywords::ENTRY,
    rules::ENTRY,
    signals::ENTRY,
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

impl Default for Registry {
    /// webmill's own jobs, the recipe's table of crawls, and the tables of commands.
    fn default() -> Self {
        let of_commands = vec![
            schema::<DroppedRow>(),
            schema::<FilteredRow>(),
            schema::<FilterSummaryRow>(),
            schema::<CaptureRow>(),
        ];
        let empty = Registry::empty()
            .with_section(crawl::TABLE, crawl::check_recipe)
            .with_section("learn", learn::in_learn)
            .with_tables(crawl::tables(), of_commands);
        JOBS.iter().cloned().fold(empty, Registry::with)
    }
}

static INSTALLED: OnceLock<Registry> = OnceLock::new();

/// Makes a registry that of this process: what its commands know. Before anything asks for [`registry`].
///
/// # Panics
/// Where there is one already.
pub fn install(registry: Registry) {
    assert!(INSTALLED.set(registry).is_ok(), "a registry is installed once, before commands run");
}

/// The registry of this process: what was [installed](install), else webmill's own jobs.
pub fn registry() -> &'static Registry {
    INSTALLED.get_or_init(Registry::default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_described_once() {
        for table in registry().tables() {
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
    fn tables_are_named_once() {
        let mut names: Vec<_> = registry().tables().into_iter().map(|table| table.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
    }
}
