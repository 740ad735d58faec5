//! `webmill index`: what shards hold and where, as CDX, CDXJ, ZipNum or Parquet.

pub mod columnar;

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::Error;
use webmill_capture::date::parse_any;
use webmill_serve::index::cdx::{self, Form, write_line};
use webmill_serve::index::{
    Counts, DigestOf, Entry, Facts, Indexer, LINES_A_BLOCK, Pass, Undated, ZipNumWriter,
};
use webmill_shard::{Input, RecordType, Staged};
use webmill_sort::{Budget, BytesSorter};

use super::shard::sources::{ReadArgs, ShardSource, count, not_an_input};
use crate::args::{self, OutOption};
use crate::print::TO_HELP;
use columnar::Partitions;

/// Write the index of shards: which URL was captured when, and where it is stored.
///
/// One line a response, revisit and resource, sorted by key (SURT as the Internet Archive's tools make it) and time.
/// It goes to standard output, where --out names no file; ZipNum (--out NAME.idx) is NAME.cdx.gz, NAME.idx and NAME.loc, Parquet a folder of
/// partitions. Omissions are counted by reason. Exit code 0: damage within --max-bad; 1: beyond it; 2: no record readable, or a
/// file that cannot be read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill index out/demo/crawl/shards -o crawl.cdxj\n  webmill index out/demo/crawl/shards --to zipnum -o crawl.idx"
)]
pub struct IndexArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    out: OutOption,
    /// Name of the crawl in a Parquet index, where it is a partition.
    #[arg(long, value_name = "NAME", default_value = "crawl", hide_short_help = true)]
    collection: String,
    #[arg(long, value_enum, value_name = "FORMAT", help = TO_HELP)]
    to: Option<Kind>,
    /// Digest: as declared by the record, or computed of the body as stored (as warcio, pywb and wget do) or after
    /// transfer decoding (the standard's).
    #[arg(long, value_enum, default_value = "declared")]
    digest: Digest,
    /// Index records of these kinds too.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KINDS")]
    with: Vec<More>,
    /// Put what POST and PUT requests say into the keys of their responses.
    #[arg(long)]
    post: bool,
    /// Index records without a date that can be read under this one; `file`: that of their file.
    #[arg(long, value_name = "DATE", value_parser = parse_undated)]
    undated: Option<Undated>,
    #[command(flatten)]
    budget: args::Budget,
}

/// `file`, or a date in any form that archives have.
fn parse_undated(text: &str) -> Result<Undated, String> {
    match text {
        "file" => Ok(Undated::OfFile),
        date => parse_any(date).map(Undated::At).ok_or_else(|| "neither `file` nor a date".to_owned()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Cdxj,
    Cdx11,
    Cdx9,
    Zipnum,
    Parquet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Digest {
    Declared,
    Stored,
    Entity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum More {
    Metadata,
    Conversion,
    Request,
}

impl IndexArgs {
    fn kind(&self) -> Kind {
        self.to.unwrap_or(Kind::Cdxj)
    }

    /// The file or folder that takes the index; `-` is standard output.
    fn output(&self) -> &Path {
        self.out.out.as_deref().unwrap_or(Path::new("-"))
    }

    fn form(&self) -> Form {
        match self.kind() {
            Kind::Cdxj | Kind::Zipnum | Kind::Parquet => Form::Cdxj,
            Kind::Cdx11 => Form::Cdx11,
            Kind::Cdx9 => Form::Cdx9,
        }
    }

    fn indexer(&self) -> Indexer {
        let kinds: Vec<RecordType> = self
            .with
            .iter()
            .map(|kind| match kind {
                More::Metadata => RecordType::Metadata,
                More::Conversion => RecordType::Conversion,
                More::Request => RecordType::Request,
            })
            .collect();
        let digest = match self.digest {
            Digest::Declared => DigestOf::Declared,
            Digest::Stored => DigestOf::Stored,
            Digest::Entity => DigestOf::Entity,
        };
        Indexer::new()
            .with_digest(digest)
            .with_post(self.post)
            .with_records(&kinds)
            .with_undated(self.undated)
    }
}

/// Runs the command.
pub fn run(args: &IndexArgs) -> Result<ExitCode> {
    if args.kind() == Kind::Zipnum && args.output() == Path::new("-") {
        bail!(Error::Config("--to zipnum needs --out NAME.idx".into()));
    }
    if args.kind() == Kind::Parquet && args.output() == Path::new("-") {
        bail!(Error::Config("--to parquet needs --out FOLDER".into()));
    }
    let (mut sources, mut unreadable) = args.read.sources()?;
    sources.retain(|source| {
        let refused = if let ShardSource::File(input) = source { input.by_place().err() } else { None };
        refused.iter().for_each(|error| webmill_jobs::say!("not read: {error}"));
        unreadable |= refused.is_some();
        refused.is_none()
    });
    if args.output() != Path::new("-") {
        not_an_input(&sources, args.output())?;
    }
    let pool = args.budget.pool()?;
    let (counts, bytes) = pool.install(|| index(args, &sources))?;
    report(&counts);
    Ok(match counts.records {
        _ if unreadable => ExitCode::from(2),
        0 => ExitCode::from(2),
        _ if counts.bad_share(bytes) > args.read.max_bad()
            || args.read.max_bad() == 0.0 && counts.cut_off > 0 =>
        {
            ExitCode::from(1)
        }
        _ => ExitCode::SUCCESS,
    })
}

/// What was read, and the bytes of it.
fn index(args: &IndexArgs, sources: &[ShardSource]) -> Result<(Counts, u64)> {
    let mut sink = Sink::create(args)?;
    let mut counts = Counts::default();
    let mut bytes = 0;
    let memory = usize::try_from(args.budget.memory()).unwrap_or(usize::MAX);
    // The rest is for the lines of the parts that are read at a time.
    let mut budget = Budget::new(memory / 4 * 3);
    if let Some(folder) = args.output().parent().filter(|folder| !folder.as_os_str().is_empty()) {
        budget = budget.in_dir(folder);
    }
    let mut sorter = BytesSorter::new(&budget);
    walk(args, sources, &mut counts, &mut bytes, &mut |lines| {
        lines.split_inclusive(|b| *b == b'\n').try_for_each(|line| {
            // Key and time are what neighbours share.
            let end = memchr::memchr_iter(b' ', line).nth(1).map_or(line.len(), |at| at + 1);
            sorter.push(&line[..end], &line[end..])
        })
    })?;
    let mut sorted = sorter.finish()?;
    let mut line = Vec::new();
    while let Some(pair) = sorted.next() {
        let (key, rest) = pair?;
        line.clear();
        line.extend_from_slice(key);
        line.extend_from_slice(rest);
        sink.write(&line)?;
    }
    sink.finish()?;
    Ok((counts, bytes))
}

/// Hands out the lines of all sources, in order.
fn walk(
    args: &IndexArgs,
    sources: &[ShardSource],
    counts: &mut Counts,
    bytes: &mut u64,
    take: &mut dyn FnMut(&[u8]) -> webmill_capture::Result<()>,
) -> Result<()> {
    let (indexer, options, form) = (args.indexer(), args.read.options(), args.form());
    let pass = Pass::new(&indexer, &options);
    let files = |source: &ShardSource| match source {
        ShardSource::File(input) => Some(input.clone()),
        ShardSource::Pipe(_) => None,
    };
    for run in sources.chunk_by(|a, b| files(a).is_some() && files(b).is_some()) {
        let inputs: Vec<Input> = run.iter().filter_map(files).collect();
        if inputs.is_empty() {
            let mut reader = run[0].open(&options)?;
            reader.by_place(Path::new(run[0].name()))?;
            let mut line = Vec::new();
            let found = indexer.index(
                &mut reader,
                &mut |entry, facts| {
                    line.clear();
                    match args.kind() {
                        Kind::Parquet => write_line(form, &columnar::with_facts(entry, facts), &mut line),
                        _ => write_line(form, entry, &mut line),
                    }
                    take(&line)
                },
                &mut |error| webmill_jobs::say!("{error}"),
            )?;
            *bytes += reader.position();
            counts.add(&found);
            continue;
        }
        *bytes += inputs.iter().map(|input| input.bytes).sum::<u64>();
        let columnar = args.kind() == Kind::Parquet;
        let visit = |lines: &mut Vec<u8>, entry: &Entry<'_>, facts: &Facts<'_>| {
            match columnar {
                true => write_line(form, &columnar::with_facts(entry, facts), lines),
                false => write_line(form, entry, lines),
            }
            Ok(())
        };
        let found = pass.run(&inputs, &visit, &mut |lines: Vec<u8>, damage| {
            for error in damage {
                webmill_jobs::say!("{error}");
            }
            take(&lines)
        })?;
        counts.add(&found);
    }
    Ok(())
}

/// Where lines go.
enum Sink {
    Stdout(BufWriter<std::io::Stdout>),
    File(Staged),
    ZipNum(Box<ZipNumWriter>),
    Parquet(Box<Partitions>),
}

impl Sink {
    fn create(args: &IndexArgs) -> Result<Sink> {
        let mut sink = if args.kind() == Kind::Zipnum {
            Sink::ZipNum(Box::new(ZipNumWriter::create(args.output(), LINES_A_BLOCK)?))
        } else if args.kind() == Kind::Parquet {
            std::fs::create_dir_all(args.output()).map_err(|e| Error::io(args.output(), e))?;
            return Ok(Sink::Parquet(Box::new(Partitions::create(args.output(), &args.collection)?)));
        } else if args.output() == Path::new("-") {
            Sink::Stdout(BufWriter::with_capacity(64 * 1024, std::io::stdout()))
        } else {
            Sink::File(Staged::create(args.output())?)
        };
        if let Some(header) = args.form().header() {
            sink.write(format!("{header}\n").as_bytes())?;
        }
        Ok(sink)
    }

    fn write(&mut self, lines: &[u8]) -> webmill_capture::Result<()> {
        match self {
            Sink::Stdout(out) => out.write_all(lines).map_err(|e| Error::io("stdout", e)),
            Sink::File(file) => file.put(lines),
            Sink::ZipNum(writer) => writer.push(lines),
            Sink::Parquet(partitions) => {
                let entry = cdx::parse(&cdx::Layout::Cdxj, lines)
                    .map_err(|fault| Error::Internal(format!("a line of our own is not read: {fault:?}")))?;
                partitions.push(&entry)
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Sink::Stdout(mut out) => out.flush()?,
            Sink::File(file) => {
                file.commit()?;
            }
            Sink::ZipNum(writer) => writer.finish()?,
            Sink::Parquet(partitions) => {
                if partitions.without_url > 0 {
                    webmill_jobs::say!("left out of the table: {} whose URL is none", partitions.without_url);
                }
                partitions.finish()?;
            }
        }
        Ok(())
    }
}

/// One line of numbers, and one for each reason.
fn report(counts: &Counts) {
    webmill_jobs::say!(
        "{} records, {} entries, {} damaged ({} bytes lost)",
        counts.records,
        counts.entries,
        counts.damaged,
        counts.lost_bytes
    );
    if counts.cut_off > 0 {
        webmill_jobs::say!("{} cut off at the end (incomplete downloads)", count(counts.cut_off, "file"));
    }
    for example in &counts.examples {
        webmill_jobs::say!("left out: {example}");
    }
    for (reason, n) in &counts.left_out {
        webmill_jobs::say!("left out: {n} {reason}");
    }
}
