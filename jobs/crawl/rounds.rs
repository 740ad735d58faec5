//! `crawl_rounds` and `crawl_counts`: what a run of a crawl did, and what all its runs counted.
//!
//! **Definition.** The counts of a crawl go on over its runs; a round is what they grew by since the last row. A run that was
//! killed has no row: the next one's has its counts too.

use std::path::Path;

use anyhow::Result;
use webmill_crawl::revisit::{FreshnessSummary, Outcome};
use webmill_crawl::{Counted, Ended, Totals};
use webmill_table::{Millis, read_rows};

use crate::crawl::files::{folder, write};
use crate::crawl::rows::{CountedAs, CrawlCountRow, CrawlRoundRow};

/// Adds the row of a run: opened and over at these times, ms since 1970.
pub fn add(
    crawl: &Path,
    totals: &Totals,
    (began, over): (i64, i64),
    ended: Ended,
    now: &FreshnessSummary,
) -> Result<()> {
    let known = folder::<CrawlRoundRow>(crawl);
    let earlier: Vec<CrawlRoundRow> = if known.is_dir() { read_rows(&known)? } else { Vec::new() };
    let before = |of: fn(&CrawlRoundRow) -> u64| earlier.iter().map(of).sum::<u64>();
    let since = |total: u64, of: fn(&CrawlRoundRow) -> u64| total.saturating_sub(before(of));
    let visits = |outcome: Outcome, of| since(totals.visits.get(outcome.name()), of);
    let round = earlier.iter().map(|row| row.round + 1).max().unwrap_or(0);
    let row = CrawlRoundRow {
        round,
        began: Millis(Some(began)),
        ended: Millis(Some(over)),
        ended_by: ended.name().to_owned(),
        requests: since(totals.fetched, |row| row.requests),
        bytes: since(totals.bytes, |row| row.bytes),
        pages_stored: since(totals.stored, |row| row.pages_stored),
        visits_new: visits(Outcome::New, |row| row.visits_new),
        visits_changed: visits(Outcome::Changed, |row| row.visits_changed),
        visits_near: visits(Outcome::Near, |row| row.visits_near),
        visits_unchanged: visits(Outcome::Unchanged, |row| row.visits_unchanged),
        visits_gone: visits(Outcome::Gone, |row| row.visits_gone),
        visits_moved: visits(Outcome::Moved, |row| row.visits_moved),
        visits_error: visits(Outcome::Error, |row| row.visits_error),
        pages_known: now.pages,
        expected_freshness: now.freshness(),
        expected_age_days: now.age_days(),
    };
    write(crawl, round, [row])
}

/// Writes what the crawl counted.
pub fn write_counts(crawl: &Path, totals: &Totals) -> Result<()> {
    let count = |counted, name: &str, count| CrawlCountRow { counted, name: name.to_owned(), count };
    let sums = [
        ("bytes", totals.bytes),
        ("pages-stored", totals.stored),
        ("requests", totals.fetched),
        ("requisites-stored", totals.requisites),
    ];
    let named: [(CountedAs, &Counted); 8] = [
        (CountedAs::Outcome, &totals.outcomes),
        (CountedAs::Refused, &totals.refused),
        (CountedAs::MediaType, &totals.refused_types),
        (CountedAs::Pattern, &totals.cut_patterns),
        (CountedAs::GivenUp, &totals.given_up),
        (CountedAs::LostPart, &totals.lost_parts),
        (CountedAs::Visit, &totals.visits),
        (CountedAs::RequisiteVisit, &totals.requisite_visits),
    ];
    let sums = sums.map(|(name, n)| count(CountedAs::Sum, name, n));
    let rows = named.iter().flat_map(|(of, names)| names.iter().map(|(name, n)| count(*of, name, n)));
    let of_rules = totals.rules.iter().map(|(name, n)| count(CountedAs::Sum, &format!("rule-{name}"), n));
    write(crawl, 0, sums.into_iter().chain(of_rules).chain(rows))
}
