//! What `webmill crawl` says and takes in about pages that were visited before.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use webmill_capture::Error;
use webmill_capture::date::parse_14;
use webmill_crawl::{Crawl, CrawlOptions, Ended, OldCapture, Totals};
use webmill_serve::index::cdx::Reader;
use webmill_serve::index::{Entry, zipnum};

use super::view::grouped;

/// Pages that are due are counted up to here.
const MOST_COUNTED: u64 = 1_000_000;

/// Says how many pages are due, and how they are visited where the settings do not visit them.
///
/// # Errors
/// A frontier that cannot be read.
pub fn tell_due(crawl: &Crawl, options: &CrawlOptions, out: &Path) -> Result<()> {
    let due = crawl.pages_due(MOST_COUNTED)?;
    if due == 0 {
        return Ok(());
    }
    let more = if due == MOST_COUNTED { "more than " } else { "" };
    let what = if options.again.visits() { "visited again now" } else { "due; --revisit visits them" };
    webmill_jobs::say!("{more}{} pages of {} are {what}", grouped(due), out.display());
    Ok(())
}

/// What visits found, and which hosts could not have as many as they are worth.
pub fn sum_up(totals: &Totals, over_budget: u64, ended: Ended) {
    let again: u64 = totals.visits.iter().filter(|(name, _)| *name != "new").map(|(_, n)| n).sum();
    if again > 0 {
        let found: Vec<String> =
            totals.visits.iter().map(|(name, n)| format!("{name} {}", grouped(n))).collect();
        webmill_jobs::say!(
            "            {} of known pages; visits found: {}",
            if again == 1 { "1 visit".to_owned() } else { format!("{} visits", grouped(again)) },
            found.join(" · ")
        );
    }
    let needed: u64 = totals.requisite_visits.iter().filter(|(name, _)| *name != "new").map(|(_, n)| n).sum();
    if again > 0 && needed > 0 {
        let found: Vec<String> =
            totals.requisite_visits.iter().map(|(name, n)| format!("{name} {}", grouped(n))).collect();
        webmill_jobs::say!("            requisites of pages: {}", found.join(" · "));
    }
    if !totals.hints.is_empty() {
        let hints: Vec<String> =
            totals.hints.iter().map(|(name, n)| format!("{name} {}", grouped(n))).collect();
        webmill_jobs::say!("            dates of sitemaps and feeds: {}", hints.join(" · "));
    }
    if ended == Ended::Pages && again > 0 {
        webmill_jobs::say!(
            "            the limit of pages ends visits too, whatever they find: --pages N widens it"
        );
    }
    if over_budget > 0 {
        webmill_jobs::say!(
            "            {} hosts cannot be visited as often as their pages are worth it: their pauses (--delay, robots.txt) win, and \
             their visits are spread by the same rule",
            grouped(over_budget)
        );
    }
}

/// Takes in the captures of indexes.
///
/// # Errors
/// An index or a frontier that cannot be read.
pub fn import(crawl: &mut Crawl, indexes: &[PathBuf]) -> Result<()> {
    for path in indexes {
        import_one(crawl, path).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn import_one(crawl: &mut Crawl, path: &Path) -> Result<()> {
    let zipnum = path.extension().is_some_and(|ending| ending == "idx");
    let files = if zipnum { zipnum::parts(path)? } else { vec![path.to_owned()] };
    let mut import = crawl.import();
    let mut faults = 0;
    for file in files {
        let mut reader = Reader::open(&file)?;
        while let Some(entry) = reader.next() {
            match entry {
                Ok(entry) => import.add(&capture(&entry))?,
                Err(Error::Corrupt { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        faults += reader.faults();
    }
    let done = import.finish()?;
    if done.captures == 0 && faults > 0 {
        return Err(Error::Incompatible {
            path: path.to_owned(),
            found: "no line that is an entry".into(),
            expected: "a sorted CDX or CDXJ file, or the .idx of a ZipNum index".into(),
        }
        .into());
    }
    let left_out: Vec<String> =
        done.left_out.iter().map(|(reason, n)| format!("{reason} {}", grouped(n))).collect();
    webmill_jobs::say!(
        "{}: {} lines, {} of them unreadable; {} pages with {} visits; left out: {}",
        path.display(),
        grouped(done.captures + faults),
        grouped(faults),
        grouped(done.pages),
        grouped(done.visits),
        if left_out.is_empty() { "nothing".to_owned() } else { left_out.join(" · ") }
    );
    Ok(())
}

fn capture<'a>(entry: &'a Entry<'_>) -> OldCapture<'a> {
    OldCapture {
        key: &entry.urlkey,
        url: &entry.url,
        at_ms: parse_14(&entry.timestamp.to_string()),
        status: entry.status.unwrap_or(0),
        digest: &entry.digest,
        media_type: if entry.is_revisit() { "" } else { &entry.mime },
        revisit: entry.is_revisit(),
    }
}
