//! `webmill wacz`: shards packed for replay in a browser.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use webmill_capture::{CanonicalUrl, Capture, decode_content};
use webmill_html::{Limits, decode, metadata, parse};
use webmill_run::Cancel;
use webmill_serve::wacz::{Options, PageDescription, write};
use webmill_shard::ReadOptions;
use webmill_text::{TextLimits, main_text};

use super::args::{MaxRecord, Memory, Out};
use super::jobs::Shards;

/// Pack shards into one WACZ file, which a browser replays (archive, index, list of pages, digests).
///
/// WARC files of one gzip member a record go in as they are; RAW DB, ARC and other shards are converted. Damage is named on stderr
/// and counted.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill wacz out/demo/crawl/shards -o crawl.wacz --title \"My crawl\" --text"
)]
pub struct WaczArgs {
    #[command(flatten)]
    shards: Shards,
    #[command(flatten)]
    out: Out,
    /// Title that people see; `serve` takes one for each collection, as NAME=TITLE.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// List the main text of each page too, for full-text search in the browser.
    #[arg(long)]
    text: bool,
    #[command(flatten)]
    records: MaxRecord,
    #[command(flatten)]
    memory: Memory,
}

/// Most bytes of a body that are unpacked for its text.
const BODY: usize = 16 << 20;

/// Title and main text of a page.
fn with_text(capture: &Capture<'_>) -> PageDescription {
    let payload = capture.response.payload(BODY);
    let body = decode_content(&capture.response, &payload.bytes, BODY);
    let characters = decode(&body.bytes, capture.response.charset_label(), None);
    let base = CanonicalUrl::parse_stored(&capture.url);
    let dom = parse(&characters.text, &Limits::default());
    let about = metadata(&dom, base.as_ref(), &[]).found_at(base.as_ref());
    let text = main_text(&dom, &about, &TextLimits::default()).text;
    PageDescription { title: about.about.title, text: (!text.is_empty()).then_some(text) }
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &WaczArgs, cancel: &Cancel) -> Result<ExitCode> {
    let (found, errors) = webmill_jobs::remote::discover(&args.shards.shards, cancel)?;
    for error in &errors {
        webmill_jobs::say!("not read: {error}");
    }
    let shards: Vec<PathBuf> = found.into_iter().map(|input| input.path).collect();
    let options = Options {
        title: args.title.clone(),
        read: ReadOptions { max_record_bytes: args.records.max_record, ..ReadOptions::default() },
        memory: usize::try_from(args.memory.bytes()).unwrap_or(usize::MAX),
        describe: if args.text { &with_text } else { &PageDescription::titled },
        stopped: &|| cancel.stopped(),
    };
    let report =
        write(&shards, &args.out.out, &options, &mut |error| webmill_jobs::say!("damaged: {error}"))?;
    let left_out: Vec<String> = report.left_out.iter().map(|(why, count)| format!("{count} {why}")).collect();
    webmill_jobs::say!(
        "{}: {} bytes; {} shards, {} of them converted; {} records, {} captures, {} pages; not indexed: {}; damaged: {}",
        args.out.out.display(),
        report.bytes,
        report.shards,
        report.converted,
        report.records,
        report.captures,
        report.pages,
        if left_out.is_empty() { "none".to_owned() } else { left_out.join(", ") },
        report.damaged
    );
    Ok(ExitCode::from(u8::from(!errors.is_empty()) * 2))
}
