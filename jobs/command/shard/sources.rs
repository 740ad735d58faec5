//! What the user names as input, opened for one walk: files are recognised first, pipes when they are read.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_capture::Error;
use webmill_shard::{Input, ReadOptions, ShardReader, discover};

use crate::settings::parse_size;

/// Options of every command that reads shards.
#[derive(Debug, Clone, clap::Args)]
pub struct ReadArgs {
    /// Shards, folders, globs, or - for stdin; recognised by content, whatever their names.
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<String>,
    /// Largest record held in memory.
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    pub max_record: u64,
    /// Make every departure from the format's grammar an error.
    #[arg(long)]
    pub strict: bool,
}

impl ReadArgs {
    /// The library's form of these options.
    pub fn options(&self) -> ReadOptions {
        ReadOptions { max_record_bytes: self.max_record, lenient: !self.strict, ..ReadOptions::default() }
    }

    /// Finds the shards. What is none is named on stderr, and comes back only as the flag that something could not be
    /// read at all.
    pub fn sources(&self) -> Result<(Vec<Source>, bool)> {
        let is_pipe = |input: &&String| {
            let path = Path::new(input);
            *input == "-" || (path.exists() && !path.is_file() && !path.is_dir())
        };
        let (pipes, files): (Vec<&String>, Vec<&String>) = self.inputs.iter().partition(is_pipe);
        let files: Vec<String> = files.into_iter().cloned().collect();
        let mut sources = Vec::new();
        let mut unreadable = false;
        if !files.is_empty() || pipes.is_empty() {
            let (found, errors) = discover(&files)?;
            for error in errors {
                unreadable |= matches!(error, Error::Io { .. });
                crate::say!("not read: {error}");
            }
            sources.extend(found.into_iter().map(Source::File));
        }
        sources.extend(pipes.into_iter().map(|pipe| Source::Pipe(pipe.clone())));
        Ok((sources, unreadable))
    }
}

/// One shard to read.
pub enum Source {
    /// A recognised file.
    File(Input),
    /// `-` or a named pipe.
    Pipe(String),
}

impl Source {
    /// Opens it from the start.
    pub fn open(&self, options: &ReadOptions) -> Result<ShardReader> {
        Ok(match self {
            Source::File(input) => {
                let kind = (input.format, input.container);
                ShardReader::open_as(&input.path, input.name.clone(), kind, 0..u64::MAX, options)?
            }
            Source::Pipe(name) => {
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
            Source::File(input) => &input.name,
            Source::Pipe(name) if name == "-" => "stdin",
            Source::Pipe(name) => name,
        }
    }

    /// Its path, where it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::File(input) => Some(&input.path),
            Source::Pipe(_) => None,
        }
    }
}

/// Refuses to write over what is read.
pub fn not_an_input(sources: &[Source], out: &Path) -> Result<()> {
    let same = |path: &PathBuf| {
        sources
            .iter()
            .filter_map(Source::path)
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
}

impl Tally {
    /// Is the damage more than the share `max_bad` of what was read?
    pub fn is_beyond(self, max_bad: f64) -> bool {
        self.damaged as f64 > max_bad * (self.records + self.damaged) as f64
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
