//! `webmill shard ls`: one line a record.

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use webmill_capture::date::format_rfc3339;
use webmill_capture::digest::sha1_hex;
use webmill_capture::{Response, Truncation};
use webmill_shard::{Record, RecordType};

use super::sources::{ReadArgs, Tally};
use crate::print::{RowForm, RowFormat, Rows};

/// List records: offset, length, date, status, media type, type and URL.
///
/// Damage is named on stderr; records found by search behind it say whether their place is proven. Exit code 0: damage
/// within --max-bad; 1: beyond it; 2: no record readable, or a file that cannot be read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill shard ls out/demo/crawl/shards\n  webmill shard ls --format json out/demo/crawl/shards | head -1"
)]
pub struct LsArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    format: RowFormat,
}

/// A record as JSON. Digests are of the uncompressed data (WARC: the block), lower-case hex; they are left out where
/// the record is longer than the limit.
#[derive(Serialize)]
struct Row<'a> {
    url: Option<&'a str>,
    r#type: &'static str,
    date: Option<String>,
    status: Option<u16>,
    mime: Option<String>,
    offset: u64,
    length: u64,
    sha1: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn of(record: &'a Record<'_>, digest: bool) -> Row<'a> {
        let whole = record.truncated != Some(Truncation::RecordLimit);
        Row {
            url: Some(&*record.url).filter(|url| !url.is_empty()),
            r#type: record.kind.name(),
            date: record.date_ms.map(format_rfc3339),
            status: status(record),
            mime: record.mime(),
            offset: record.place.offset,
            length: record.place.length,
            sha1: (digest && whole).then(|| sha1_hex(&record.data)),
            proven: record.proven,
            truncated: record.truncated.map(Truncation::name),
            shard: None,
        }
    }
}

/// Status of the HTTP answer that a response, or a revisit of one, holds.
fn status(record: &Record<'_>) -> Option<u16> {
    let revisit = record.kind == RecordType::Revisit && record.data.starts_with(b"HTTP/");
    (revisit || record.is_http()).then(|| Response::parse(&record.data))?.status
}

/// Runs the command.
pub fn run(args: &LsArgs) -> Result<ExitCode> {
    let (sources, unreadable) = args.read.sources()?;
    let options = args.read.options();
    let form = args.format.form();
    let columns: &[&str] = match sources.len() {
        0 | 1 => &["offset", "length", "date", "status", "mime", "type", "url", "proven"],
        _ => &["shard", "offset", "length", "date", "status", "mime", "type", "url", "proven"],
    };
    let mut rows = Rows::new(form, columns);
    let mut all = Tally::default();
    for source in &sources {
        let mut tally = Tally::default();
        let mut reader = source.open(&options)?;
        while let Some(next) = reader.next() {
            match next {
                Ok(record) => {
                    tally.take(record.place.length);
                    let mut row = Row::of(&record, form == RowForm::Json);
                    row.shard = Some(source.name()).filter(|_| sources.len() > 1);
                    rows.put(&row)?;
                }
                Err(error) => {
                    tally.miss(&error);
                    // What stands before the damage is shown before it.
                    rows.flush()?;
                    webmill_jobs::say!("{error}");
                }
            }
        }
        all.add(tally.of(source));
    }
    rows.flush()?;
    all.say();
    Ok(if unreadable { ExitCode::from(2) } else { all.exit_code(args.read.max_bad()) })
}
