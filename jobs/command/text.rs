//! `webmill text`: the main text of single pages, files, folders or stdin.

mod known;
mod pages;
mod read;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use webmill_capture::CanonicalUrl;

use known::Known;
use pages::{Found, Pages};
use read::Refusal;

/// Pages, and bytes of pages past which no further one is added, that are worked on at once: the bound of memory.
const WINDOW_PAGES: usize = 128;
const WINDOW_BYTES: u64 = 32 << 20;

/// Write the main text of pages, with what they say of themselves.
///
/// Folders are walked in order of names; what is HTML in them shows by content, not by name. Pages may be gzipped. Exit code:
/// 0 if every page was read, 1 if some page in a folder could not be, 2 if that happened to one named here or to all.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  curl -s http://example.com/a | webmill text --url http://example.com/a --format md\n  \
                        webmill text --format json pages/ > pages.jsonl"
)]
pub struct TextArgs {
    /// Files and folders of pages; `-` or nothing: a page from stdin.
    #[arg(value_name = "PAGE")]
    pages: Vec<PathBuf>,
    /// Address of the page: what its links are resolved against [default: what the page says].
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Output form: plain text, Markdown, or an object a line with all that is known of the page.
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
    /// What `id` is in JSON: the file's name without its ending, or the whole name.
    #[arg(long, value_enum, default_value = "stem")]
    id: Id,
    /// Threads to use [default: all processors]. Does not change a byte of the output.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Text,
    Md,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Id {
    Stem,
    Name,
}

/// How it went so far.
#[derive(Default)]
struct Tally {
    pages: u64,
    /// Pages of folders that could not be read.
    lost: u64,
    /// Inputs named on the command line that could not be used.
    unusable: u64,
}

/// Runs the command.
pub fn run(args: &TextArgs) -> Result<ExitCode> {
    let url = args.url.as_deref().map(address).transpose()?;
    let inputs = if args.pages.is_empty() { vec![PathBuf::from("-")] } else { args.pages.clone() };
    if args.pages.is_empty() && io::stdin().is_terminal() {
        bail!("no page: name files or folders, or give a page on stdin");
    }
    if inputs.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
        bail!("stdin (-) can be read once");
    }
    let several = inputs.len() > 1 || inputs.iter().any(|input| input.is_dir());
    if several && url.is_some() {
        bail!("--url is the address of one page, and here are several");
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0));
    let pool = threads.build().context("no threads")?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut tally = Tally::default();
    let mut pages = Pages::new(inputs);
    loop {
        let window = pages.window(WINDOW_PAGES, WINDOW_BYTES);
        if window.is_empty() {
            break;
        }
        let done: Vec<Result<Option<String>, Refusal>> =
            pool.install(|| window.par_iter().map(|found| page(args, found, url.as_ref())).collect());
        for (found, done) in window.iter().zip(done) {
            match done {
                Ok(Some(written)) => {
                    if several && args.format != Form::Json {
                        heading(&mut out, args.format, &found.path, tally.pages == 0)?;
                    }
                    out.write_all(written.as_bytes())?;
                    tally.pages += 1;
                }
                Ok(None) => pages.passed_over(found),
                Err(refusal) => {
                    out.flush()?;
                    crate::say!("webmill: {}: {}", found.path.display(), refusal);
                    if found.named { tally.unusable += 1 } else { tally.lost += 1 }
                }
            }
        }
    }
    out.flush()?;
    for (folder, files) in pages.barren() {
        crate::say!("webmill: {}: no HTML page among its {files} files", folder.display());
        tally.unusable += 1;
    }
    Ok(match tally {
        Tally { unusable: 1.., .. } | Tally { pages: 0, .. } => ExitCode::from(2),
        Tally { lost: 1.., .. } => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    })
}

fn address(text: &str) -> Result<CanonicalUrl> {
    let url = CanonicalUrl::parse(text).filter(CanonicalUrl::is_web);
    url.with_context(|| format!("--url {text}: no address of a page; write http://example.com/page"))
}

/// A page as it is written; `None` for a file of a folder that is no page.
fn page(args: &TextArgs, found: &Found, url: Option<&CanonicalUrl>) -> Result<Option<String>, Refusal> {
    let Some(page) = read::page(found)? else { return Ok(None) };
    read::isolated(|| {
        let known = Known::of(found.id(args.id == Id::Name), &found.path, &page, url, args.format);
        Some(known.written(args.format))
    })
}

/// Says which page follows.
fn heading(out: &mut impl Write, format: Form, path: &Path, first: bool) -> io::Result<()> {
    let name = path.display().to_string().replace(['\n', '\r'], " ");
    let gap = if first { "" } else { "\n" };
    if format != Form::Md {
        return write!(out, "{gap}==> {name} <==\n\n");
    }
    let rule = if first { "" } else { "\n---\n\n" };
    write!(out, "{rule}<!-- {} -->\n\n", name.replace("--", "- -"))
}
