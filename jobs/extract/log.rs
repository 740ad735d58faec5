//! What a crawl was answered but did not store: redirects, missing pages and refusals become rows of `pages` too.
//!
//! A WARC crawl stores every answer; of a RAW DB crawl the event log knows the others. With its rows both give the same
//! graph: a URL that redirects is a node with one arc, a missing page is known to be missing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use webmill_capture::CanonicalUrl;
use webmill_crawl::Purpose;
use webmill_crawl::event::Event;
use webmill_crawl::journal::Part;
use webmill_html::LinkKind;
use webmill_mill::Extracted;
use webmill_mill::{LinkRow, PageRow};
use webmill_run::Stage;
use webmill_table::{Bytes16, Millis};

use super::parts::PartTables;

/// What counts of outcomes begin with in the manifest.
pub const OUTCOME: &str = "crawl-";

/// Reads the logs, one unit each.
pub fn read(
    stage: &Stage<'_>,
    logs: &[(PathBuf, String)],
    buffer_bytes: usize,
) -> webmill_capture::Result<()> {
    for (path, name) in logs {
        let unit_name = format!("log-{name}");
        stage.unit(&unit_name, |unit| {
            let mut tables = PartTables::new(unit_name.clone(), buffer_bytes);
            let finished = path.extension().is_some_and(|e| e == "zst");
            let part = Part { number: 0, path: path.clone(), finished };
            let mut ordinal = 0;
            let mut outcomes = BTreeMap::<String, u64>::new();
            let read = part.read(0, &mut |event| {
                ordinal += 1;
                *outcomes.entry(event.outcome.to_string()).or_default() += 1;
                stage.cancel.check()?;
                match row(&event, name, ordinal) {
                    Some(extracted) => tables.push(extracted, unit),
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
fn row(event: &Event, log: &str, ordinal: i64) -> Option<Extracted> {
    let status = event.status.filter(|_| event.shard.is_none() && event.purpose == Purpose::Page)?;
    if event.outcome == "retry" || event.cut || status < 300 {
        return None;
    }
    let url = CanonicalUrl::parse_stored(&event.url)?;
    let page = PageRow {
        url_surtkey: url.surt(),
        url_key: Bytes16(url.key().0),
        url_host_name: url.host().to_owned(),
        url_host_registered_domain: (!url.is_ip()).then(|| url.registrable_domain().to_owned()),
        fetch_time: Millis(Some(event.fetch_time_ms)),
        fetch_status: i16::try_from(status).ok(),
        fetch_ip: event.ip.clone(),
        content_length: 0,
        warc_filename: log.to_owned(),
        warc_record_offset: ordinal,
        url: url.as_str().to_owned(),
        ..PageRow::default()
    };
    let mut extracted = Extracted::new(page);
    let target = event.redirect_to.as_deref().and_then(CanonicalUrl::parse_stored);
    if let Some(target) = target.filter(|t| t.is_web() && *t != url) {
        extracted.links.push(LinkRow {
            source_key: extracted.page.url_key,
            target_key: Bytes16(target.key().0),
            target_url: target.into_string(),
            kind: LinkKind::HttpRedirect.name(),
            warc_record_offset: ordinal,
            warc_filename: log.to_owned(),
            ..LinkRow::default()
        });
        extracted.page.num_links = 1;
    }
    Some(extracted)
}
