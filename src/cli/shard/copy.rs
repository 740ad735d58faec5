//! `webmill shard recover`, `split` and `convert`: records out of shards into other shards.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::Error;
use webmill_shard::{
    Compression, Container, Converter, Format, RawDbWriter, ReadOptions, ShardReader, WarcOptions,
    WarcWriter, WriteOptions,
};

use super::sources::{ReadArgs, ShardSource, Tally, count, not_an_input};
use crate::args::{Out, parse_size};
use crate::print::TO_HELP;

/// Copy every complete record out of damaged shards.
///
/// RAW DB records keep raw head and stored data, byte for byte. If a transfer in text mode turned every LF of the
/// file, or of parts of it, into CR LF, this is undone where the lengths of records fit then. Any loss is named on
/// stderr. Exit code 0: damage within --max-bad; 1: damage beyond it, with all complete records recovered; 2: no
/// record recovered.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill shard recover out/demo/crawl/shards -o recovered\n\nOUT is one file; with a folder as OUT each \
                        input goes to a file of its name in it."
)]
pub struct RecoverArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    out: Out,
}

/// How large files become.
#[derive(Debug, clap::Args)]
struct Size {
    /// Size of a file in a folder, beyond which the next record begins another one.
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    size: u64,
}

/// Write shards of bounded size. Damage beyond --max-bad: nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill shard split out/demo/crawl/shards -o parts --size 256MiB")]
pub struct SplitArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    out: Out,
    #[command(flatten)]
    size: Size,
}

/// Convert between RAW DB and WARC without loss; ARC is read. Damage beyond --max-bad: nothing is written.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill shard convert out/demo/crawl/shards -o crawl.warc.gz\n  webmill shard convert out/demo/crawl/shards -o packed --to rawdb --compression zstd\n\nEndings of files: .warc, .warc.gz, .warc.zst, .raw, .rawdb; a folder takes the other format than the input's."
)]
pub struct ConvertArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    out: Out,
    #[arg(long, value_enum, value_name = "FORMAT", help = TO_HELP)]
    to: Option<Target>,
    /// Compression of each record [default: none for RAW DB, gzip for WARC, or as OUT ends].
    #[arg(long, value_enum)]
    compression: Option<PackingArg>,
    #[command(flatten)]
    size: Size,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    Rawdb,
    Warc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PackingArg {
    None,
    Gzip,
    Zstd,
}

impl From<PackingArg> for Compression {
    fn from(packing: PackingArg) -> Self {
        match packing {
            PackingArg::None => Compression::None,
            PackingArg::Gzip => Compression::Gzip,
            PackingArg::Zstd => Compression::Zstd,
        }
    }
}

/// `webmill shard recover`.
pub fn recover(args: &RecoverArgs) -> Result<ExitCode> {
    let (sources, _) = args.read.sources()?;
    let options = ReadOptions { undo_text_mode: true, ..args.read.options() };
    let mut all = Tally::default();
    let mut unproven = 0;
    let mut written = Vec::new();
    let each = is_folder(&args.out.out);
    let groups: Vec<&[ShardSource]> = if each { sources.chunks(1).collect() } else { vec![&sources] };
    let mut names: Vec<String> = sources.iter().map(last_name).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| each && pair[0] == pair[1]) {
        anyhow::bail!("two inputs are called {}: one would replace the other in the output folder", pair[0]);
    }
    for group in groups {
        // LZ4 is read, not written: the copy is gzip.
        let name = last_name(&group[0]);
        let name = name.strip_suffix(".lz4").map_or(name.clone(), |stem| format!("{stem}.gz"));
        let out = if each { args.out.out.join(name) } else { args.out.out.clone() };
        if let Some(folder) = out.parent().filter(|_| each) {
            std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        }
        not_an_input(&sources, &out)?;
        let mut readers = open(group, &options)?;
        let mut sink = same_format(&readers, Place::File(&out))?;
        let mut tally = Tally::default();
        for (source, reader) in group.iter().zip(&mut readers) {
            unproven += copy(source, reader, &mut sink, false, &mut tally)?;
            let undone = reader.undone_bytes();
            if undone > 0 {
                let what = "LF had become CR LF by a transfer in text mode, which is undone";
                let places = count(undone, "place");
                webmill_jobs::say!("{}: at {places} {what}; offsets are those after that", source.name());
            }
        }
        all.add(tally);
        // Nothing recovered is nothing to show for: no file then.
        if tally.records > 0 {
            written.extend(sink.finish()?);
        }
    }
    let proof = if unproven > 0 { format!(" ({unproven} of them unproven)") } else { String::new() };
    webmill_jobs::say!(
        "{} recovered{proof}, {}, {} of {} bytes lost{}",
        count(all.records, "record"),
        count(all.damaged, "damaged place"),
        all.lost + all.cut_off.1,
        all.bytes,
        if all.cut_off.0 > 0 { ", cut off at the end" } else { "" }
    );
    report(&written)?;
    Ok(all.exit_code(args.read.max_bad()))
}

/// `webmill shard split`.
pub fn split(args: &SplitArgs) -> Result<ExitCode> {
    let (sources, unreadable) = args.read.sources()?;
    let mut readers = open(&sources, &args.read.options())?;
    let prefix = stem(&sources[0]);
    let mut sink = same_format(&readers, Place::Folder(&args.out.out, &prefix, args.size.size))?;
    let mut tally = Tally::default();
    for (source, reader) in sources.iter().zip(&mut readers) {
        copy(source, reader, &mut sink, false, &mut tally)?;
    }
    finish(sink, tally, args.read.max_bad(), unreadable)
}

/// `webmill shard convert`.
pub fn convert(args: &ConvertArgs) -> Result<ExitCode> {
    let (sources, unreadable) = args.read.sources()?;
    not_an_input(&sources, &args.out.out)?;
    let mut readers = open(&sources, &args.read.options())?;
    let name = args.out.out.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let folder = is_folder(&args.out.out) || (!name.contains('.') && args.to.is_some());
    let named = if name.contains(".warc") {
        Some(Target::Warc)
    } else if name.contains(".raw") && !folder {
        Some(Target::Rawdb)
    } else {
        None
    };
    let other = match readers.first().map(ShardReader::format) {
        Some(Format::RawDb) => Target::Warc,
        _ => Target::Rawdb,
    };
    let target = args.to.or(named).unwrap_or(other);
    let by_name = match Path::new(&name).extension().and_then(OsStr::to_str) {
        Some("gz") => Some(Compression::Gzip),
        Some("zst" | "zstd") => Some(Compression::Zstd),
        Some("warc") => Some(Compression::None),
        _ => None,
    };
    let default = if target == Target::Warc { Compression::Gzip } else { Compression::None };
    let compression = args.compression.map(Compression::from).or(by_name).unwrap_or(default);
    let prefix = stem(&sources[0]);
    let place = if folder {
        Place::Folder(&args.out.out, &prefix, args.size.size)
    } else {
        Place::File(&args.out.out)
    };
    let mut sink = sink(target, place, compression)?;
    let mut tally = Tally::default();
    for (source, reader) in sources.iter().zip(&mut readers) {
        copy(source, reader, &mut sink, args.compression.is_some(), &mut tally)?;
    }
    finish(sink, tally, args.read.max_bad(), unreadable)
}

/// Where records go.
#[derive(Clone, Copy)]
enum Place<'a> {
    File(&'a Path),
    /// Folder, prefix of the files in it, their size.
    Folder(&'a Path, &'a str, u64),
}

fn open(sources: &[ShardSource], options: &ReadOptions) -> Result<Vec<ShardReader>> {
    sources.iter().map(|source| source.open(options)).collect()
}

/// A writer of the inputs' own format and compression.
fn same_format(readers: &[ShardReader], place: Place<'_>) -> Result<Converter> {
    let Some(first) = readers.first() else { bail!("no shard to copy from") };
    let format = first.format();
    if let Some(other) = readers.iter().map(ShardReader::format).find(|other| *other != format) {
        bail!(
            "the inputs are of two formats, {} and {}: copy them one format at a time, or `webmill shard convert`",
            format.name(),
            other.name()
        );
    }
    let compression = match first.container() {
        Container::Plain => Compression::None,
        // LZ4 is read, not written.
        Container::Gzip | Container::WholeGzip | Container::Lz4 | Container::WholeLz4 => Compression::Gzip,
        Container::Zstd | Container::WholeZstd => Compression::Zstd,
    };
    match (format, place) {
        (Format::RawDb, _) => sink(Target::Rawdb, place, Compression::None),
        (Format::Warc, _) => sink(Target::Warc, place, compression),
        (Format::Arc, Place::File(path)) => {
            Ok(Converter::Arc(webmill_shard::ArcWriter::create(path, compression)?))
        }
        (other, _) => {
            bail!(
                "{} is copied into one file only: use `webmill shard convert … -o OUT.warc.gz`",
                other.name()
            )
        }
    }
}

fn sink(target: Target, place: Place<'_>, compression: Compression) -> Result<Converter> {
    let size = match place {
        Place::File(_) => u64::MAX,
        Place::Folder(.., size) => size,
    };
    Ok(match target {
        Target::Rawdb => {
            let options = WriteOptions { max_shard_bytes: size, compression };
            Converter::Raw(match place {
                Place::File(path) => RawDbWriter::create(path, options)?,
                Place::Folder(folder, prefix, _) => RawDbWriter::new(folder, prefix, options)?,
            })
        }
        Target::Warc => {
            let options = WarcOptions { max_shard_bytes: size, compression, ..WarcOptions::default() };
            Converter::Warc(match place {
                Place::File(path) => WarcWriter::create(path, options)?,
                Place::Folder(folder, prefix, _) => WarcWriter::new(folder, prefix, options)?,
            })
        }
    })
}

/// Copies what `reader` gives, RAW DB into RAW DB byte for byte unless it is to be packed again; gives the number of
/// unproven records.
fn copy(
    source: &ShardSource,
    reader: &mut ShardReader,
    sink: &mut Converter,
    repack: bool,
    all: &mut Tally,
) -> Result<u64> {
    let mut tally = Tally::default();
    let unproven = copy_records(source, reader, sink, repack, &mut tally)?;
    all.add(tally.of(source));
    Ok(unproven)
}

fn copy_records(
    source: &ShardSource,
    reader: &mut ShardReader,
    sink: &mut Converter,
    repack: bool,
    tally: &mut Tally,
) -> Result<u64> {
    if let (Converter::Raw(writer), Format::RawDb, false) = (&mut *sink, reader.format(), repack) {
        let copied = webmill_shard::recover(reader, source.path(), writer, &mut |error| {
            webmill_jobs::say!("{error}")
        })?;
        tally.records += copied.records;
        tally.damaged += copied.damaged;
        tally.lost += copied.lost;
        tally.cut_off = (u64::from(copied.cut_off.is_some()), copied.cut_off.unwrap_or(0));
        tally.inside += copied.bytes + copied.lost + tally.cut_off.1;
        return Ok(copied.unproven);
    }
    let mut unproven = 0;
    if let Some(path) = source.path() {
        sink.from_file(path);
    }
    let mut partial = 0;
    while let Some(next) = reader.next() {
        let written = next.and_then(|record| {
            let length = record.place.length;
            // The rest of a record that the file's end cut off is lost; an error says so next.
            if record.full_length > record.data.len() as u64
                && record.truncated.is_some()
                && record.format != Format::RawDb
            {
                partial = length;
                return Ok(None);
            }
            unproven += u64::from(record.proven == Some(false));
            let written = match &mut *sink {
                Converter::Raw(writer) if record.format == Format::RawDb => writer.repack(&record),
                sink => sink.write(&record),
            };
            written.map(|()| Some(length)).map_err(|error| match error {
                Error::Config(reason) => {
                    Error::corrupt(source.name(), record.place.offset, reason).losing(length)
                }
                other => other,
            })
        });
        match written {
            Ok(None) => {}
            Ok(Some(length)) => tally.take(length),
            Err(error @ (Error::Io { .. } | Error::Internal(_))) => return Err(error.into()),
            Err(error) => {
                let lost = error.lost().max(std::mem::take(&mut partial));
                webmill_jobs::say!("{error}");
                tally.miss(&error.losing(lost));
            }
        }
    }
    Ok(unproven)
}

/// Gives the files their names if the damage is within bounds; else there are none.
fn finish(sink: Converter, tally: Tally, max_bad: f64, unreadable: bool) -> Result<ExitCode> {
    if tally.records == 0 {
        webmill_jobs::say!("no record could be read, nothing is written");
        return Ok(discard(sink, 2));
    }
    if tally.is_beyond(max_bad) {
        webmill_jobs::say!(
            "{}, more than --max-bad {max_bad} allows: nothing is written; `webmill shard recover` takes out what is \
             whole",
            tally.damage()
        );
        return Ok(discard(sink, 1));
    }
    tally.say();
    report(&sink.finish()?)?;
    Ok(if unreadable { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// Lets go of what was written: a staged file goes away, and a file of the user's at its final name stays.
fn discard(sink: Converter, code: u8) -> ExitCode {
    drop(sink);
    ExitCode::from(code)
}

fn report(files: &[PathBuf]) -> Result<()> {
    let lines: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    Ok(webmill_jobs::print(&lines)?)
}

fn is_folder(out: &Path) -> bool {
    out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/")
}

fn last_name(source: &ShardSource) -> String {
    match source.path().and_then(Path::file_name) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => "stdin".into(),
    }
}

/// The name without its endings, to make others of.
fn stem(source: &ShardSource) -> String {
    let name = last_name(source);
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("shard");
    stem.to_string()
}
