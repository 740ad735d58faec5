//! What a crawl leaves to the jobs: its event log as a table, tables of what it knows, and its settings as a table of the
//! recipe.

pub mod event_row;
mod events;
pub mod files;
mod hosts;
mod missing;
mod pages;
mod rounds;
pub mod rows;
mod survey;

use webmill_crawl::CrawlOptions;
use webmill_table::{TableSchema, schema};

use crate::focused::tables::HarvestRow;
use crate::recipe::{Recipe, Settings, check_settings};
pub use events::{EVENTS, convert};
pub use survey::end;

/// Its table in the recipe.
pub const TABLE: &str = "crawl";

impl Settings for CrawlOptions {
    const TABLE: &'static str = TABLE;

    fn check(&self) -> webmill_capture::Result<()> {
        CrawlOptions::check(self)
    }
}

/// Checks the recipe's table `[crawl]`.
///
/// # Errors
/// For a setting that cannot work.
pub fn check_recipe(recipe: &Recipe) -> webmill_capture::Result<()> {
    check_settings::<CrawlOptions>(recipe)
}

/// The tables that a crawl writes.
pub fn tables() -> Vec<TableSchema> {
    vec![
        schema::<event_row::EventRow>(),
        schema::<rows::CrawlHostRow>(),
        schema::<rows::MissingRow>(),
        schema::<rows::CrawlCountRow>(),
        schema::<rows::CrawlRoundRow>(),
        schema::<rows::PageHistoryRow>(),
        schema::<rows::FreshnessRow>(),
        schema::<rows::ChangeRateRow>(),
        schema::<HarvestRow>(),
    ]
}
