//! `webmill shard dedup`: repeated payloads become revisit records.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::Error;
use webmill_shard::{
    Compression, Container, Converter, Format, RawDbWriter, Record, ShardReader, WarcOptions, WarcWriter,
    WriteOptions,
};
use webmill_sort::Budget;

use super::as_revisit::Original;
use super::sources::{ReadArgs, Source, Tally, count, not_an_input};
use crate::repeats::{InOrder, Repeat, Repeats};
use crate::settings::parse_size;

/// Turn repeated payloads into revisit records.
///
/// Of captures with the same body the earliest stays as it is; every other becomes a revisit record that keeps its own head
/// and refers to it (WARC 1.1, identical-payload-digest; RAW DB: properties x-revisit and x-refers-to). All captures stay
/// replayable. Shards are read twice; ARC becomes WARC. What is left as it is is counted by reason.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill shard dedup crawl-*.warc.gz -o smaller/\n\nEach input goes to a file of its name in OUT. Revisits refer \
                        across files: keep the files together."
)]
pub struct DedupArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// Folder to write into.
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,
    /// Only captures of one URL may refer to each other (some replay tools know no other revisits).
    #[arg(long)]
    same_url: bool,
    /// Smallest payload that is worth a reference.
    #[arg(long, value_name = "SIZE", default_value = "256", value_parser = parse_size)]
    min_payload: u64,
    /// Memory for sorting.
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    memory: u64,
}

/// What became of the records.
#[derive(Debug, Default)]
struct Saved {
    revisits: u64,
    /// Bytes of bodies that are stored no longer.
    payload: u64,
    refused: u64,
}

/// Runs the command.
pub fn run(args: &DedupArgs) -> Result<ExitCode> {
    let (sources, unreadable) = args.read.sources()?;
    if sources.iter().any(|source| source.path().is_none()) {
        bail!("a pipe cannot be read twice: give files");
    }
    std::fs::create_dir_all(&args.out).map_err(|e| Error::io(&args.out, e))?;
    let names = names(&sources)?;
    for name in &names {
        not_an_input(&sources, &args.out.join(name))?;
    }
    let scratch = tempfile::tempdir_in(&args.out).map_err(|e| Error::io(&args.out, e))?;
    let budget = Budget::new(args.memory as usize).in_dir(scratch.path());
    let (mut repeats, tally) = find(args, &sources, &budget)?;
    let mut saved = Saved::default();
    let mut writers = Vec::new();
    let mut walk = Walk { ordinal: 0, next: repeats.next()?, repeats };
    for (source, name) in sources.iter().zip(&names) {
        writers.push(rewrite(args, source, &args.out.join(name), &mut walk, &mut saved)?);
    }
    if tally.records == 0 || tally.is_beyond(args.read.max_bad) {
        crate::say!("{}: nothing is written", tally.damage());
        return Ok(tally.exit_code(args.read.max_bad));
    }
    let mut files = Vec::new();
    for writer in writers {
        files.extend(writer.finish()?);
    }
    tally.say();
    let before: u64 = sources.iter().map(|source| source.bytes(0)).sum();
    let after: u64 =
        files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|file| file.len()).sum();
    crate::say!(
        "{} of {} became revisits; {} bytes of bodies are stored once, {before} bytes of files are now {after} ({:+.1} %)",
        saved.revisits,
        count(tally.records, "record"),
        saved.payload,
        100.0 * (after as f64 / before.max(1) as f64 - 1.0),
    );
    if saved.refused > 0 {
        crate::say!("{} could not be said as revisits and stay as they are", count(saved.refused, "record"));
    }
    let lines: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    crate::print(&lines)?;
    let code = tally.exit_code(args.read.max_bad);
    Ok(if unreadable { ExitCode::from(2) } else { code })
}

/// The first walk: which records repeat an earlier one.
fn find(args: &DedupArgs, sources: &[Source], budget: &Budget) -> Result<(InOrder, Tally)> {
    let mut repeats = Repeats::new(budget, args.same_url, args.min_payload as usize);
    let mut all = Tally::default();
    for source in sources {
        let mut tally = Tally::default();
        let mut reader = source.open(&args.read.options())?;
        while let Some(next) = reader.next() {
            match next {
                Ok(record) => {
                    tally.take(record.place.length);
                    repeats.push(&record)?;
                }
                Err(Error::Corrupt { path, offset, reason, lost }) => {
                    tally.lose(lost);
                    crate::say!("{}", Error::Corrupt { path, offset, reason, lost });
                }
                Err(error) => return Err(error.into()),
            }
        }
        all.add(tally.of(source));
    }
    for (reason, records) in repeats.left() {
        crate::say!("left as they are: {} ({reason})", count(*records, "record"));
    }
    Ok((repeats.finish()?, all))
}

/// Where the second walk is.
struct Walk {
    ordinal: u64,
    next: Option<Repeat>,
    repeats: InOrder,
}

impl Walk {
    /// What the next record repeats, if anything.
    fn step(&mut self) -> Result<Option<Repeat>> {
        let ordinal = self.ordinal;
        self.ordinal += 1;
        match &self.next {
            Some(repeat) if repeat.ordinal == ordinal => {
                let next = self.repeats.next()?;
                Ok(std::mem::replace(&mut self.next, next))
            }
            _ => Ok(None),
        }
    }
}

/// The second walk over a shard.
fn rewrite(
    args: &DedupArgs,
    source: &Source,
    out: &Path,
    walk: &mut Walk,
    saved: &mut Saved,
) -> Result<Converter> {
    let mut reader = source.open(&args.read.options())?;
    let mut writer = writer(&reader, out)?;
    while let Some(next) = reader.next() {
        // Damage was said in the first walk.
        let Ok(record) = next else { continue };
        if let Some(repeat) = walk.step()? {
            match write_revisit(&mut writer, &record, &repeat) {
                Ok(payload) => {
                    saved.revisits += 1;
                    saved.payload += payload;
                    continue;
                }
                Err(Error::Config(reason)) => {
                    saved.refused += 1;
                    crate::say!("{} at byte {}: {reason}", source.name(), record.place.offset);
                }
                Err(error) => return Err(error.into()),
            }
        }
        writer.write(&record)?;
    }
    Ok(writer)
}

/// A writer of the shard's own format and compression; of WARC for ARC.
fn writer(reader: &ShardReader, out: &Path) -> Result<Converter> {
    let compression = match reader.container() {
        Container::Plain => Compression::None,
        Container::Zstd => Compression::Zstd,
        _ => Compression::Gzip,
    };
    Ok(match reader.format() {
        Format::RawDb => {
            let options = WriteOptions { max_shard_bytes: u64::MAX, compression: Compression::None };
            Converter::Raw(RawDbWriter::create(out, options)?)
        }
        _ => {
            let options = WarcOptions { max_shard_bytes: u64::MAX, compression, ..WarcOptions::default() };
            Converter::Warc(WarcWriter::create(out, options)?)
        }
    })
}

/// Writes `record` as a revisit; returns the bytes of its body.
fn write_revisit(writer: &mut Converter, record: &Record<'_>, repeat: &Repeat) -> Result<u64, Error> {
    let original = Original { url: &repeat.url, date_ms: repeat.date_ms };
    match writer {
        Converter::Warc(writer) => original.as_warc(record, |revisit| writer.write(revisit)),
        Converter::Raw(writer) => original.as_raw(record, |revisit| writer.write(revisit)),
        Converter::Arc(_) => Err(Error::Config("ARC has no revisits".into())),
    }
}

/// The name of each input's file in the output folder.
fn names(sources: &[Source]) -> Result<Vec<String>> {
    let names: Vec<String> = sources.iter().map(name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => {
            bail!("two inputs are called {}: one would replace the other in the output folder", two[0])
        }
        None => Ok(names),
    }
}

/// The input's own name; of ARC and LZ4 that of what it becomes.
fn name(source: &Source) -> String {
    let name = source.path().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let arc = [(".arc.gz", ".warc.gz"), (".arc", ".warc"), (".warc.lz4", ".warc.gz")];
    match arc.iter().find(|(ending, _)| name.ends_with(ending)) {
        Some((ending, other)) => format!("{}{other}", name.trim_end_matches(ending)),
        None => name,
    }
}
