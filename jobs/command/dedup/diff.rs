//! `webmill dedup diff`: two texts beside each other, in a terminal or as an HTML page.

use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::ColorChoice;
use webmill_dedup::{DiffOptions, DiffView, TextDiff, use_color};

/// Show what two texts share and what each has of its own, side by side.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  webmill dedup diff before.txt after.txt")]
pub struct DiffArgs {
    /// First text: a file.
    a: PathBuf,
    /// Second text.
    b: PathBuf,
    /// Colours: auto (on a terminal, unless NO_COLOR is set), always or never.
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &DiffArgs) -> Result<ExitCode> {
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let diff = TextDiff::of(&a, &b, &DiffOptions::default())?;
    let names = (args.a.to_string_lossy(), args.b.to_string_lossy());
    let view = DiffView::new(&diff, &a, &b).named(&names.0, &names.1);
    let out = std::io::stdout();
    let color = match args.color {
        ColorChoice::Auto => use_color(std::env::var_os("NO_COLOR").as_deref(), out.is_terminal()),
        ColorChoice::Always => true,
        ColorChoice::Never => false,
    };
    let mut out = BufWriter::new(out.lock());
    view.write_terminal(&mut out, 120, color)?;
    out.flush()?;
    Ok(ExitCode::from(u8::from(diff.segments.iter().any(|segment| !segment.shared))))
}

fn read(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
