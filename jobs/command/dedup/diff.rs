//! `webmill dedup diff`: two texts beside each other, in a terminal or as an HTML page.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::ColorChoice;
use webmill_dedup::{DiffOptions, DiffView, TextDiff, use_color};

use super::pages::texts_of;
use crate::settings::parse_size;

/// Columns of the output where it goes to no terminal.
const COLUMNS: usize = 120;

/// Show two texts side by side: what both have, what each has of its own, what has moved.
///
/// Texts are the main texts of pages in results, or files. They are compared word by word, letter by letter in scripts
/// without spaces; case, width of letters, marks and blanks do not count. Exit code: 0 for the same words in the same order,
/// 1 for others, 2 for trouble.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill dedup diff http://a.com/1 http://b.com/1 --results results\n  webmill dedup diff http://a.com/1 http://b.com/1 --results results --html diff.html --brief\n  webmill dedup diff before.txt after.txt --color always | less -R"
)]
pub struct DiffArgs {
    /// First text: URL of a page in --results, a text file, or - for standard input.
    a: String,
    /// Second text, likewise.
    b: String,
    /// Folder of results whose pages are compared, by their current captures.
    #[arg(long, value_name = "RESULTS")]
    results: Option<PathBuf>,
    /// Write the comparison as one HTML page that needs nothing else, and the summary alone to standard output.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the summary alone: words, shared passages, resemblance, containment.
    #[arg(long)]
    brief: bool,
    /// Show only so many shared words beside what differs.
    #[arg(long, value_name = "WORDS", default_value_t = 40, conflicts_with = "all")]
    context: usize,
    /// Show all shared words; an HTML page has them anyway.
    #[arg(long)]
    all: bool,
    /// Width of both columns together [default: that of the terminal, else 120].
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
    /// Colours: auto is on a terminal, unless the variable NO_COLOR is set.
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    color: ColorChoice,
    /// Bytes of a text that are compared, 1KiB to 256MiB.
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = parse_size)]
    max_text: u64,
    /// Words of the shingles by which resemblance and containment are computed, 1 to 64.
    #[arg(long, value_name = "WORDS", default_value_t = 3)]
    shingle_words: u32,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &DiffArgs) -> Result<ExitCode> {
    let options = DiffOptions {
        max_text_bytes: usize::try_from(args.max_text).unwrap_or(usize::MAX),
        shingle_words: args.shingle_words,
    };
    options.check()?;
    let [a, b] = texts(args)?;
    let diff = TextDiff::of(&a, &b, &options)?;
    for (name, cut) in [(&args.a, diff.cut_a), (&args.b, diff.cut_b)] {
        if cut {
            crate::say!(
                "{name}: only the first {} bytes are compared; --max-text compares more",
                args.max_text
            );
        }
    }
    let view = DiffView::new(&diff, &a, &b).named(&args.a, &args.b);
    if let Some(path) = &args.html {
        write_html(&view, path)?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    match args.html.as_deref().map(Path::as_os_str) {
        Some(path) if path == "-" => {}
        Some(_) => writeln!(out, "{}", view.summary())?,
        None if args.brief => writeln!(out, "{}", view.summary())?,
        None => write_terminal(&view, args, &mut out)?,
    }
    out.flush()?;
    let shared = !(diff.cut_a || diff.cut_b) && diff.segments.iter().all(|segment| segment.shared);
    Ok(ExitCode::from(u8::from(!(shared || a == b))))
}

fn write_terminal(view: &DiffView<'_>, args: &DiffArgs, out: &mut dyn Write) -> Result<()> {
    let is_terminal = io::stdout().is_terminal();
    let color = match args.color {
        ColorChoice::Auto => use_color(std::env::var_os("NO_COLOR").as_deref(), is_terminal),
        ColorChoice::Always => true,
        ColorChoice::Never => false,
    };
    let of_terminal = || {
        let size = if is_terminal { console::Term::stdout().size_checked() } else { None };
        size.map_or(COLUMNS, |(_, columns)| usize::from(columns))
    };
    let width = args.width.unwrap_or_else(of_terminal);
    let view = if args.all { *view } else { view.with_context(args.context) };
    view.write_terminal(out, width, color)?;
    out.flush()?;
    let folded = view.folded_words();
    if folded > 0 {
        crate::say!("{folded} shared words are not shown; --all shows them");
    }
    Ok(())
}

fn write_html(view: &DiffView<'_>, path: &Path) -> Result<()> {
    let written = if path.as_os_str() == "-" {
        let mut out = BufWriter::new(io::stdout().lock());
        view.write_html(&mut out).and_then(|()| out.flush())
    } else {
        File::create(path).and_then(|file| {
            let mut out = BufWriter::new(file);
            view.write_html(&mut out)?;
            out.flush()
        })
    };
    // A reader that went away is told by the error itself.
    written.with_context(|| path.display().to_string())
}

/// Both texts: those of pages by one look into the results.
fn texts(args: &DiffArgs) -> Result<[String; 2]> {
    let named = [&args.a, &args.b];
    if named.iter().all(|name| *name == "-") {
        bail!("standard input can be one of the texts, not both");
    }
    let urls: Vec<&str> = named.iter().map(|name| name.as_str()).filter(|name| is_url(name)).collect();
    let mut pages = match (&args.results, urls.first()) {
        (_, None) => Vec::new(),
        (Some(results), _) => texts_of(results, &urls)?,
        (None, Some(url)) => bail!("{url}: name the results that hold this page: --results RESULTS"),
    }
    .into_iter();
    let mut text = |name: &str| match is_url(name) {
        true => pages.next().context("a text for each URL"),
        false => read_file(name),
    };
    Ok([text(&args.a)?, text(&args.b)?])
}

/// Whether an argument is the address of a page.
pub(super) fn is_url(name: &str) -> bool {
    name.starts_with("http://") || name.starts_with("https://")
}

/// Most bytes of a text file: the most that can be compared.
const MAX_FILE: u64 = 256 << 20;

/// The text of a file, or of standard input for `-`.
pub(super) fn read_file(name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    match name {
        "-" => io::stdin().lock().take(MAX_FILE + 1).read_to_end(&mut bytes),
        _ => File::open(name).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes)),
    }
    .with_context(|| format!("{name} (a page's URL begins with http:// or https://)"))?;
    if bytes.len() as u64 > MAX_FILE {
        bail!("{name}: texts of more than {MAX_FILE} bytes are not compared");
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let from = error.utf8_error().valid_up_to();
        crate::say!("{name}: no UTF-8 from byte {from} on; what is none shows as \u{FFFD}");
        text
    }))
}
