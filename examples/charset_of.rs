//! The encoding that files are read in: a tool for measuring encodings against labelled pages.
//!
//! `cargo run --release --example charset_of -- [--bytes] PATH…` prints a line a file, of folders a line for every file
//! below them in order of paths: path, tab, name of the encoding. What a file declares counts as it does on the Web; with
//! `--bytes` the bytes alone do (`ascii` if they speak for nothing). The last line is `seconds`, tab, the time that all
//! files took, which are read from disk beforehand.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use webmill::html::charset::{Charset, decode, detect};

fn walk(path: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        found.push(path.to_path_buf());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| walk(entry, found))
}

fn main() -> std::io::Result<()> {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (bytes_alone, paths) = match args.as_slice() {
        [flag, rest @ ..] if flag.as_os_str() == "--bytes" => (true, rest),
        rest => (false, rest),
    };
    let mut files = Vec::new();
    paths.iter().try_for_each(|path| walk(path, &mut files))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut taken = Duration::ZERO;
    for file in files {
        let bytes = std::fs::read(&file)?;
        let start = Instant::now();
        let name = if bytes_alone {
            detect(&bytes, None).map_or("ascii", Charset::name)
        } else {
            decode(&bytes, None, None).name
        };
        taken += start.elapsed();
        writeln!(out, "{}\t{name}", file.display())?;
    }
    writeln!(out, "seconds\t{:.6}", taken.as_secs_f64())?;
    out.flush()
}
