//! `webmill wacz`: shards packed for replay in a browser.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::{CanonicalUrl, Capture, date, decode_content};
use webmill_html::{Limits, decode, metadata, parse};
use webmill_run::Cancel;
use webmill_serve::wacz::{Described, Options, write};
use webmill_shard::ReadOptions;
use webmill_text::{TextLimits, main_text};

use crate::settings::parse_size;

/// Pack shards into one WACZ file, which a browser replays (archive, index, list of pages, digests).
///
/// WARC files of one gzip member a record go in as they are; RAW DB, ARC and other shards are converted. Damage is named on stderr
/// and counted.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill wacz crawl/shards -o crawl.wacz --title \"My crawl\"\n  webmill wacz a.warc.gz b.rawdb -o both.wacz --text"
)]
pub struct WaczArgs {
    /// Shards, folders, globs or URLs; recognised by content, whatever their names.
    #[arg(required = true, value_name = "SHARDS")]
    inputs: Vec<String>,
    /// The file to write.
    #[arg(short, long, value_name = "FILE.wacz")]
    output: PathBuf,
    /// Title of the archive.
    #[arg(long)]
    title: Option<String>,
    /// What it holds, in words.
    #[arg(long)]
    description: Option<String>,
    /// The page that a reader sees first [default: the earliest captured].
    #[arg(long, value_name = "URL")]
    main_url: Option<String>,
    /// Date of creation, ISO 8601 [default: that of the newest capture, so that equal shards give equal bytes].
    #[arg(long, value_name = "DATE")]
    created: Option<String>,
    /// List the main text of each page too, for full-text search in the browser.
    #[arg(long)]
    text: bool,
    /// Largest record held in memory.
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    max_record: u64,
    /// Memory for sorting the index.
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_size)]
    memory: u64,
}

/// Most bytes of a body that are unpacked for its text.
const BODY: usize = 16 << 20;

/// Title and main text of a page.
fn with_text(capture: &Capture<'_>) -> Described {
    let payload = capture.response.payload(BODY);
    let body = decode_content(&capture.response, &payload.bytes, BODY);
    let characters = decode(&body.bytes, capture.response.charset_label(), None);
    let base = CanonicalUrl::parse_stored(&capture.url);
    let dom = parse(&characters.text, &Limits::default());
    let about = metadata(&dom, base.as_ref(), &[]).found_at(base.as_ref());
    let text = main_text(&dom, &about, &TextLimits::default()).text;
    Described { title: about.about.title, text: (!text.is_empty()).then_some(text) }
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &WaczArgs, cancel: &Cancel) -> Result<ExitCode> {
    let created_ms = match &args.created {
        Some(text) => match date::parse_w3c(text) {
            Some(ms) => Some(ms),
            None => bail!("--created {text:?} is no date: 2024-05-03 or 2024-05-03T10:31:00Z"),
        },
        None => None,
    };
    let (found, errors) = crate::remote::discover(&args.inputs, cancel)?;
    for error in &errors {
        crate::say!("not read: {error}");
    }
    let shards: Vec<PathBuf> = found.into_iter().map(|input| input.path).collect();
    let options = Options {
        title: args.title.clone(),
        description: args.description.clone(),
        main_url: args.main_url.clone(),
        created_ms,
        read: ReadOptions { max_record_bytes: args.max_record, ..ReadOptions::default() },
        memory: usize::try_from(args.memory).unwrap_or(usize::MAX),
        describe: if args.text { &with_text } else { &Described::titled },
        stopped: &|| cancel.stopped(),
    };
    let report = write(&shards, &args.output, &options, &mut |error| crate::say!("damaged: {error}"))?;
    let left_out: Vec<String> = report.left_out.iter().map(|(why, count)| format!("{count} {why}")).collect();
    crate::say!(
        "{}: {} bytes; {} shards, {} of them converted; {} records, {} captures, {} pages; not indexed: {}; damaged: {}",
        args.output.display(),
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
