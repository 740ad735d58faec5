//! What a crawl was answered but did not store: redirects, missing pages and refusals become rows of `pages` too.
//!
//! A WARC crawl stores every answer; of a RAW DB crawl the event log knows the others. With its rows both give the same
//! graph: a URL that redirects is a node with one arc, a missing page is known to be missing.

use std::collections::BTreeMap;

use webmill_capture::{CanonicalUrl, Result};
use webmill_crawl::Purpose;
use webmill_crawl::event::Event;
use webmill_crawl::journal::LogFile;
use webmill_mill::{LinkRow, Mill, Order, PageRow, Rows};
use webmill_run::Stage;
use webmill_table::Millis;

use super::Extract;
use super::parts::{Origin, PartTables};
use crate::inputs::EventLog;

/// What counts of outcomes begin with in the manifest.
pub const OUTCOME: &str = "crawl-";

/// Reads the logs, one unit each.
pub fn read(mill: &Mill, stage: &Stage<'_>, logs: &[EventLog], job: &Extract) -> Result<()> {
    for log in logs {
        stage.unit(&log.unit, |unit| {
            let mut tables = PartTables::new(mill, log.unit.clone(), job.buffer_bytes);
            let finished = log.path.extension().is_some_and(|e| e == "zst");
            let log_file = LogFile { number: 0, path: log.path.clone(), finished };
            let mut ordinal = 0;
            let mut outcomes = BTreeMap::<String, u64>::new();
            let read = log_file.read(0, &mut |event| {
                ordinal += 1;
                *outcomes.entry(event.outcome.to_string()).or_default() += 1;
                stage.cancel.check()?;
                match rows(&event, &log.name, ordinal, &job.crawl) {
                    Some((order, rows)) => tables.push(order, rows, Origin::default(), unit),
                    None => Ok(()),
                }
            })?;
            for (outcome, n) in outcomes {
                unit.kept(&format!("{OUTCOME}{outcome}"), n);
            }
            if let Some(error) = read.first {
                unit.dropped("damaged-log-line", read.damaged);
                stage.progress.note(&error.to_string());
            }
            tables.finish(unit)
        })?;
    }
    Ok(())
}

/// The rows of an answer that no shard holds; `ordinal` is the number of its line.
fn rows(event: &Event, log: &str, ordinal: i64, crawl: &str) -> Option<(Order, Rows)> {
    let status = event.status.filter(|_| event.shard.is_none() && event.purpose == Purpose::Page)?;
    if event.outcome == "retry" || event.cut || status < 300 {
        return None;
    }
    let url = CanonicalUrl::parse_stored(&event.url)?;
    let mut page = PageRow {
        fetch_time: Millis(Some(event.fetch_time_ms)),
        fetch_status: i16::try_from(status).ok(),
        fetch_ip: event.ip.clone(),
        warc_filename: log.to_owned(),
        warc_record_offset: ordinal,
        crawl: crawl.to_owned(),
        subset: "crawldiagnostics".into(),
        fetch_redirect: event.redirect_to.clone(),
        ..PageRow::of_url(&url)
    };
    let order = Order {
        surt: page.url_sortkey.clone(),
        url: page.url.clone(),
        time_ms: page.fetch_time.0,
        shard: log.to_owned(),
        offset: ordinal,
    };
    let mut rows = Rows::default();
    rows.count("captures");
    let target = event.redirect_to.as_deref().and_then(CanonicalUrl::parse_stored);
    if let Some(target) = target.filter(|target| target.is_web() && *target != url) {
        rows.push(LinkRow::redirect(&url, target, ordinal, log.into()));
        page.num_links = 1;
    }
    rows.push(page);
    Some((order, rows))
}
