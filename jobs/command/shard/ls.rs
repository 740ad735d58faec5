//! `webmill shard ls`: one line a record.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use webmill_capture::date::format_rfc3339;
use webmill_capture::digest::sha1_hex;
use webmill_capture::{Response, Truncation};
use webmill_shard::{Record, RecordType};

use super::sources::{ReadArgs, Tally};

/// List records: offset, length, date, status, media type, type and URL.
///
/// Damage is named on stderr; records found by search behind it say whether their place is proven. Exit code 0: damage
/// within --max-bad; 1: beyond it; 2: no record readable, or a file that cannot be read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill shard ls crawl-00000.rawdb\n  webmill shard ls --format json archive.warc.gz | head -1\n  \
                        {\"url\":\"http://a.example/\",\"type\":\"response\",\"date\":\"2003-04-15T08:13:06Z\",\"status\":200,\n   \
                        \"mime\":\"text/html\",\"offset\":0,\"length\":1234,\"sha1\":\"da39a3ee5e6b4b0d3255bfef95601890afd80709\"}"
)]
pub struct LsArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// A table to look at, or one JSON object a line.
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Table,
    Json,
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
    let mut out = BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
    let json = args.format == Form::Json;
    if !json {
        writeln!(
            out,
            "{:>12} {:>10}  {:<24} {:>6}  {:<24} {:<12} url",
            "offset", "length", "date", "status", "mime", "type"
        )?;
    }
    let mut all = Tally::default();
    for source in &sources {
        let mut tally = Tally::default();
        if !json && sources.len() > 1 {
            writeln!(out, "{}", source.name())?;
        }
        let mut reader = source.open(&options)?;
        while let Some(next) = reader.next() {
            match next {
                Ok(record) => {
                    tally.take(record.place.length);
                    let mut row = Row::of(&record, json);
                    row.shard = Some(source.name()).filter(|_| sources.len() > 1);
                    if json {
                        serde_json::to_writer(&mut out, &row).map_err(std::io::Error::from)?;
                        writeln!(out)?;
                    } else {
                        line(&mut out, &row)?;
                    }
                }
                Err(error) => {
                    tally.lose(error.lost());
                    // What stands before the damage is shown before it.
                    out.flush()?;
                    crate::say!("{error}");
                }
            }
        }
        all.add(tally.of(source));
    }
    out.flush()?;
    all.say();
    Ok(if unreadable { ExitCode::from(2) } else { all.exit_code(args.read.max_bad) })
}

fn line(out: &mut impl Write, row: &Row<'_>) -> std::io::Result<()> {
    let mark = match row.proven {
        Some(true) => " (proven)",
        Some(false) => " (unproven)",
        None => "",
    };
    writeln!(
        out,
        "{:>12} {:>10}  {:<24} {:>6}  {:<24} {:<12} {}{mark}",
        row.offset,
        row.length,
        row.date.as_deref().unwrap_or("-"),
        row.status.map_or_else(|| "-".to_string(), |status| status.to_string()),
        row.mime.as_deref().unwrap_or("-"),
        row.r#type,
        row.url.unwrap_or("-").escape_debug(),
    )
}
