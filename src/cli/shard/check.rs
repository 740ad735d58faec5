//! `webmill shard check`: read everything, report every damage.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use webmill_capture::Error;
use webmill_capture::Truncation;
use webmill_shard::{RuleFault, Validator};

use super::sources::{ReadArgs, ShardSource, Tally, count};
use crate::print::DocumentFormat;

/// Read shards whole and report every damage and every departure from the standard with path, offset and reason.
///
/// Records are unpacked and their declared digests compared. WARC records are held against ISO 28500: fields by type, forms of
/// URIs, identifiers, dates, addresses and media types, and identifiers that stand in a file twice. With --strict such a
/// record counts as damaged, and so does a file that ends inside a record. Exit code 0: damage within --max-bad; 1: beyond it; 2: no
/// record readable, or a file that cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill shard check out/demo/crawl")]
pub struct CheckArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    format: DocumentFormat,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line<'a> {
    /// Bytes that were lost.
    Damage { shard: &'a str, offset: Option<u64>, bytes_lost: u64, reason: String },
    /// A record that was read though something is wrong with it.
    Defect { shard: &'a str, offset: u64, reason: &'a str },
    /// The sum.
    Shard {
        shard: &'a str,
        format: &'a str,
        records: u64,
        damaged: u64,
        bytes: u64,
        bytes_lost: u64,
        defects: u64,
        defects_by_name: &'a Defects,
        /// Zeros after the last record.
        padding_bytes: u64,
        /// Whether it ends inside a record.
        cut_off: bool,
    },
}

impl Line<'_> {
    /// Writes it about the file at `path`, as JSON or for people.
    fn put(&self, path: &str, json: bool, out: &mut impl Write) -> std::io::Result<()> {
        if json {
            serde_json::to_writer(&mut *out, self)?;
            return writeln!(out);
        }
        match self {
            Line::Damage { offset: None, reason, .. } => writeln!(out, "{reason}"),
            Line::Damage { offset: Some(offset), reason, .. } => {
                writeln!(out, "{path} at byte {offset}: {reason}")
            }
            Line::Defect { offset, reason, .. } => {
                writeln!(out, "{path} at byte {offset}: survivable: {reason}")
            }
            Line::Shard {
                shard,
                format,
                records,
                damaged,
                bytes,
                bytes_lost,
                defects,
                defects_by_name,
                padding_bytes,
                cut_off,
            } => {
                let share = 100.0 * *bytes_lost as f64 / (*bytes).max(1) as f64;
                let lost = match *damaged {
                    0 => String::new(),
                    _ => format!(", {bytes_lost} of {bytes} bytes lost ({:.2} %)", share.min(100.0)),
                };
                let and =
                    if *defects > 0 { format!(", {defects} with survivable defects") } else { String::new() };
                let padding = match *padding_bytes {
                    0 => String::new(),
                    n => format!(", {n} bytes of zeros after the last record"),
                };
                let records = count(*records, "record");
                let cut = if *cut_off { ", cut off at the end" } else { "" };
                writeln!(out, "{shard}: {format}, {records}, {damaged} damaged{lost}{cut}{and}{padding}")?;
                defects_by_name.iter().try_for_each(|(name, records)| writeln!(out, "  {records} × {name}"))
            }
        }
    }
}

/// Records that were read, by defect; a record may have several.
type Defects = BTreeMap<Cow<'static, str>, u64>;

/// Most names of defects that are counted apart.
const MOST_NAMES: usize = 64;

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<ExitCode> {
    let (sources, unreadable) = args.read.sources()?;
    let mut out = BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
    let mut all = Tally::default();
    let mut failed = unreadable;
    for source in &sources {
        match check(args, source, &mut out) {
            Ok(tally) => {
                all.add(tally);
            }
            Err(error) if error.downcast_ref::<Error>().is_some() => {
                failed = true;
                out.flush()?;
                webmill_jobs::say!("{error}");
            }
            Err(error) => return Err(error),
        }
    }
    out.flush()?;
    Ok(if failed { ExitCode::from(2) } else { all.exit_code(args.read.max_bad()) })
}

/// A rule and the value that breaks it, in a line.
fn told((rule, value): &RuleFault) -> String {
    if value.is_empty() { rule.clone() } else { format!("{rule}: {:.200}", value.escape_debug().to_string()) }
}

fn check(args: &CheckArgs, source: &ShardSource, out: &mut impl Write) -> Result<Tally> {
    let options = webmill_shard::ReadOptions { verify_digests: true, ..args.read.options() };
    let mut reader = source.open(&options)?;
    let shard = source.name();
    let path = source.path().map_or_else(|| shard.to_string(), |path| path.display().to_string());
    let mut tally = Tally::default();
    let (mut defects, mut by_name) = (0, Defects::new());
    let (mut validator, strict) = (Validator::default(), !options.lenient);
    let json = args.format.is_json();
    let mut put = |line: &Line<'_>| line.put(&path, json, out);
    while let Some(next) = reader.next() {
        match next {
            Ok(record) => {
                // A digest that does not agree is damage, though the record has its bounds.
                let lost =
                    record.defects.iter().find(|defect| defect.contains("does not agree with its digest"));
                let offset = record.place.offset;
                let faults = validator.faults(&record);
                if lost.is_some() || strict && !faults.is_empty() {
                    let mut bytes_lost = record.place.length;
                    tally.lose(bytes_lost);
                    for reason in lost.map(Cow::to_string).into_iter().chain(faults.iter().map(told)) {
                        put(&Line::Damage { shard, offset: Some(offset), bytes_lost, reason })?;
                        bytes_lost = 0;
                    }
                } else {
                    tally.take(record.place.length);
                    defects += u64::from(!record.defects.is_empty() || !faults.is_empty());
                    let of_reader = record.defects.iter().map(|defect| (defect.clone(), defect.to_string()));
                    let of_rules = faults.iter().map(|fault| (Cow::Owned(fault.0.clone()), told(fault)));
                    for (name, reason) in of_reader.chain(of_rules) {
                        put(&Line::Defect { shard, offset, reason: &reason })?;
                        let fits = by_name.len() < MOST_NAMES || by_name.contains_key(&name);
                        *by_name.entry(if fits { name } else { Cow::Borrowed("others") }).or_default() += 1;
                    }
                }
                if record.truncated == Some(Truncation::RecordLimit) {
                    let reason = "longer than --max-record: only its beginning was checked";
                    put(&Line::Defect { shard, offset, reason })?;
                }
            }
            Err(error @ Error::Io { .. }) => return Err(error.into()),
            Err(error) => {
                tally.miss(&error);
                let bytes_lost = error.lost();
                let (offset, reason) = match error {
                    Error::Corrupt { offset, reason, .. } => (Some(offset), reason),
                    error => (None, error.to_string()),
                };
                put(&Line::Damage { shard, offset, bytes_lost, reason })?;
            }
        }
    }
    let tally = tally.of(source);
    let Tally { records, damaged, bytes, lost: bytes_lost, .. } = tally;
    let format = reader.format().name();
    let defects_by_name = &by_name;
    let padding_bytes = reader.padding();
    let cut_off = tally.cut_off.0 > 0;
    if validator.is_overfull() {
        webmill_jobs::say!("{path}: identifiers behind the first {} are not compared", Validator::MOST_IDS);
    }
    put(&Line::Shard {
        shard,
        format,
        records,
        damaged,
        bytes,
        bytes_lost,
        defects,
        defects_by_name,
        padding_bytes,
        cut_off,
    })?;
    Ok(tally)
}
