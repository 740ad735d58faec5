//! What the user names as input, opened for one walk: files are recognised first, pipes when they are read.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::Error;
use webmill_run::{Cancel, Counts};
use webmill_shard::{Input, ReadOptions, ShardReader};

use crate::args::{MaxBad, MaxRecord};
use crate::jobs::Shards;
use webmill_jobs::remote::discover;

/// Options of every command that reads shards.
#[derive(Debug, Clone, clap::Args)]
pub struct ReadArgs {
    #[command(flatten)]
    shards: Shards,
    #[command(flatten)]
    records: MaxRecord,
    /// Make every departure from the format's grammar an error.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    damage: MaxBad,
}

impl ReadArgs {
    /// The library's form of these options.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            max_record_bytes: self.records.max_record,
            lenient: !self.strict,
            ..ReadOptions::default()
        }
    }

    /// Share of damage that is no failure.
    pub fn max_bad(&self) -> f64 {
        self.damage.max_bad
    }

    /// Finds the shards. Files that are none are named on stderr, and returned only as the flag that something could not be
    /// read at all.
    pub fn sources(&self) -> Result<(Vec<ShardSource>, bool)> {
        let is_pipe = |input: &&String| {
            let path = Path::new(input);
            *input == "-" || (path.exists() && !path.is_file() && !path.is_dir())
        };
        let (pipes, files): (Vec<&String>, Vec<&String>) = self.shards.shards.iter().partition(is_pipe);
        let files: Vec<String> = files.into_iter().map(|input| shards_of_crawl(input)).collect();
        let mut sources = Vec::new();
        let mut unreadable = false;
        if !files.is_empty() || pipes.is_empty() {
            // Ctrl-C ends these commands as a whole.
            let (found, errors) = discover(&files, &Cancel::default())?;
            for error in errors {
                unreadable |= matches!(error, Error::Io { .. });
                webmill_jobs::say!("not read: {error}");
            }
            sources.extend(found.into_iter().map(ShardSource::File));
        }
        sources.extend(pipes.into_iter().map(|pipe| ShardSource::Pipe(pipe.clone())));
        Ok((sources, unreadable))
    }
}

/// The folder of shards in that of a crawl: its other files are the crawl's own. What else is named stays as it is.
fn shards_of_crawl(input: &str) -> String {
    let folder = Path::new(input);
    match folder.join("crawl.toml").is_file() {
        true => folder.join("shards").to_string_lossy().into_owned(),
        false => input.to_owned(),
    }
}

/// One shard to read.
pub enum ShardSource {
    /// A recognised file.
    File(Input),
    /// `-` or a named pipe.
    Pipe(String),
}

impl ShardSource {
    /// Opens it from the start.
    pub fn open(&self, options: &ReadOptions) -> Result<ShardReader> {
        Ok(match self {
            ShardSource::File(input) => {
                let kind = (input.format, input.container);
                ShardReader::open_as(&input.path, input.name.clone(), kind, 0..u64::MAX, options)?
            }
            ShardSource::Pipe(name) => {
                let reader: Box<dyn Read + Send> = match name.as_str() {
                    "-" => Box::new(std::io::stdin()),
                    path => Box::new(File::open(path).map_err(|e| Error::io(path, e))?),
                };
                ShardReader::from_reader(reader, self.name(), options)?
            }
        })
    }

    /// What messages and tables call it.
    pub fn name(&self) -> &str {
        match self {
            ShardSource::File(input) => &input.name,
            ShardSource::Pipe(name) if name == "-" => "stdin",
            ShardSource::Pipe(name) => name,
        }
    }

    /// Bytes that a walk over all of it was about, where those in records and those lost are `inside`: its size as stored,
    /// but for a pipe and for a file that is compressed as a whole, where lengths are those inside.
    pub fn bytes(&self, inside: u64) -> u64 {
        match self {
            ShardSource::File(input) if !input.container.is_whole() => input.bytes,
            _ => inside,
        }
    }

    /// Its path, where it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            ShardSource::File(input) => Some(&input.path),
            ShardSource::Pipe(_) => None,
        }
    }

    /// The path of the file of the disk that it is, or lies in.
    fn file(&self) -> Option<&Path> {
        match self {
            ShardSource::File(input) => Some(input.file().0),
            ShardSource::Pipe(_) => None,
        }
    }
}

/// Refuses to write over a file that is read.
pub fn not_an_input(sources: &[ShardSource], out: &Path) -> Result<()> {
    let same = |path: &PathBuf| {
        sources
            .iter()
            .filter_map(ShardSource::file)
            .any(|input| input.canonicalize().is_ok_and(|input| input == *path))
    };
    if out.canonicalize().is_ok_and(|path| same(&path)) {
        bail!(
            "{}: is an input; write to another file, and keep the original until you trust the copy",
            out.display()
        );
    }
    Ok(())
}

/// What a walk met.
#[derive(Debug, Default, Clone, Copy)]
pub struct Tally {
    /// Records that could be used.
    pub records: u64,
    /// Damaged records or places.
    pub damaged: u64,
    /// Bytes of records, and those lost.
    pub inside: u64,
    /// Bytes that gave no record.
    pub lost: u64,
    /// Files that end inside a record, and the bytes of those that gave nothing.
    pub cut_off: (u64, u64),
    /// Bytes walked over, known when a walk is done: see [`ShardSource::bytes`].
    pub bytes: u64,
}

impl Tally {
    /// Counts a record of `bytes` stored bytes.
    pub fn take(&mut self, bytes: u64) {
        self.records += 1;
        self.inside += bytes;
    }

    /// Counts a place of damage that cost `bytes` bytes.
    pub fn lose(&mut self, bytes: u64) {
        self.damaged += 1;
        self.inside += bytes;
        self.lost += bytes;
    }

    /// Counts an error: damage, or a file that is cut off.
    pub fn miss(&mut self, error: &Error) {
        if error.is_cut_off() {
            self.inside += error.lost();
            self.cut_off = (self.cut_off.0 + 1, self.cut_off.1 + error.lost());
        } else {
            self.lose(error.lost());
        }
    }

    /// The same when `source` has been walked over.
    pub fn of(self, source: &ShardSource) -> Tally {
        Tally { bytes: source.bytes(self.inside), ..self }
    }

    /// Adds what another walk met.
    pub fn add(&mut self, other: Tally) {
        self.records += other.records;
        self.damaged += other.damaged;
        self.inside += other.inside;
        self.lost += other.lost;
        self.cut_off = (self.cut_off.0 + other.cut_off.0, self.cut_off.1 + other.cut_off.1);
        self.bytes += other.bytes;
    }

    fn counts(self) -> Counts {
        let Tally { records, damaged, lost, bytes, cut_off: (cut_off, cut_off_bytes), .. } = self;
        let read = records + damaged;
        Counts { read, damaged, bytes, bytes_lost: lost, cut_off, cut_off_bytes, ..Counts::default() }
    }

    /// The damage in words.
    pub fn damage(self) -> String {
        self.counts().damage()
    }

    /// Says the damage on stderr, if there is any.
    pub fn say(self) {
        if self.damaged + self.cut_off.0 > 0 {
            webmill_jobs::say!("{}", self.damage());
        }
    }

    /// Is the damage more than the share `max_bad` of the records or bytes that were read?
    pub fn is_beyond(self, max_bad: f64) -> bool {
        self.counts().is_beyond(max_bad)
    }

    /// 2 where nothing could be read, 1 for damage beyond `max_bad`, else 0.
    pub fn exit_code(self, max_bad: f64) -> ExitCode {
        match self {
            Tally { records: 0, .. } => ExitCode::from(2),
            _ if self.is_beyond(max_bad) => ExitCode::from(1),
            _ => ExitCode::SUCCESS,
        }
    }
}

/// `1 record`, `2 records`.
pub fn count(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
