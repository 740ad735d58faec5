//! `webmill shard cat`: the data of records.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::Truncation;
use webmill_shard::{Resume, ShardReader};

use super::sources::{ReadArgs, ShardSource, Tally};

/// Write the data of records: of all of them, or of the one at an offset.
///
/// Compression is removed. For a response the data is what the server sent, head and body. Exit code 0: damage within
/// --max-bad; 1: beyond it; 2: no record readable, or a file that cannot be read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill shard ls out/demo/crawl/shards\n  webmill shard cat out/demo/crawl/shards --offset 0 > page.http"
)]
pub struct CatArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// Only the record that starts at this byte of the one input, as `ls` shows it.
    #[arg(long, value_name = "N")]
    offset: Option<u64>,
}

/// Runs the command.
pub fn run(args: &CatArgs) -> Result<ExitCode> {
    let (sources, unreadable) = args.read.sources()?;
    let mut options = args.read.options();
    if args.offset.is_some() && sources.len() > 1 {
        bail!("--offset wants one input, and there are {}", sources.len());
    }
    let mut out = BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
    let mut all = Tally::default();
    for source in &sources {
        let mut tally = Tally::default();
        let mut reader = match (args.offset, source) {
            (Some(offset), ShardSource::File(input)) => {
                options.exact_start = Some(Resume::from(offset));
                let kind = (input.format, input.container);
                let range = offset..offset.saturating_add(1);
                ShardReader::open_as(&input.path, input.name.clone(), kind, range, &options)?
            }
            _ => source.open(&options)?,
        };
        while let Some(next) = reader.next() {
            match next {
                Ok(record) if args.offset.is_some_and(|offset| record.place.offset != offset) => {}
                Ok(record) => {
                    tally.take(record.place.length);
                    out.write_all(&record.data)?;
                    if record.truncated == Some(Truncation::RecordLimit) {
                        let (url, full) = (&record.url, record.full_length);
                        tally.damaged += 1;
                        webmill_jobs::say!(
                            "{url}: cut at {} of {full} bytes; raise --max-record",
                            record.data.len()
                        );
                    }
                    if args.offset.is_some() {
                        break;
                    }
                }
                Err(error) => {
                    tally.miss(&error);
                    out.flush()?;
                    webmill_jobs::say!("{error}");
                }
            }
        }
        // One record is asked for by its offset, and the rest of the file is not looked at.
        all.add(if args.offset.is_some() {
            Tally { bytes: tally.inside, ..tally }
        } else {
            tally.of(source)
        });
    }
    out.flush()?;
    if let (Some(offset), 0) = (args.offset, all.records) {
        bail!("no record starts at byte {offset}; `webmill shard ls` shows where they start");
    }
    all.say();
    Ok(if unreadable { ExitCode::from(2) } else { all.exit_code(args.read.max_bad()) })
}
