//! A generated Web of any size with known truth, streamed into shards.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use rayon::prelude::*;
use webmill_run::{Cancel, Measure, Progress};
use webmill_sim::{Config, Kind, Web};

use super::packing::Packer;
use crate::args::{OutOption, Pages};
use webmill_jobs::console::Console;

/// Pages made in parallel before they are written in order.
const CHUNK: u64 = 4096;

/// Arguments of `webmill datasets synth`.
#[derive(Debug, clap::Args)]
pub struct SynthArgs {
    #[command(flatten)]
    pages: Pages,
    /// Another seed, another Web.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Mean number of words of a main text.
    #[arg(long, value_name = "N", default_value_t = 120)]
    words: u32,
    /// Also write truth.jsonl: for each URL what it is a copy of, its language and encoding.
    #[arg(long)]
    truth: bool,
    #[command(flatten)]
    out: OutOption,
}

/// Generates the corpus; returns its folder.
pub fn generate(args: &SynthArgs, cancel: &Cancel) -> Result<PathBuf> {
    let pages = args.pages.pages.unwrap_or(10_000);
    let web = Web::new(Config { seed: args.seed, pages, words: args.words, ..Config::default() })?;
    let folder = super::corpora(&args.out).join(format!("synth-{pages}-{}", args.seed));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut packer = Packer::create(&folder, "synth")?;
    let truth_path = folder.join("truth.jsonl");
    let mut truth = match args.truth {
        true => Some(BufWriter::new(
            std::fs::File::create(&truth_path).with_context(|| truth_path.display().to_string())?,
        )),
        false => None,
    };
    let console = Console::new(false);
    console.begin("synth", web.len(), Measure::Items);
    let mut from = 0;
    while from < web.len() {
        cancel.check()?;
        let to = (from + CHUNK).min(web.len());
        let pages: Vec<_> = (from..to).into_par_iter().map(|i| web.page(i)).collect();
        for page in &pages {
            packer.response(&page.url, page.date_ms, &page.ip, &page.response)?;
        }
        if let Some(file) = &mut truth {
            let lines: Vec<String> = (from..to).into_par_iter().map(|i| truth_line(&web, i)).collect();
            for line in lines {
                writeln!(file, "{line}").with_context(|| truth_path.display().to_string())?;
            }
        }
        console.advance(to - from);
        from = to;
    }
    console.end();
    if let Some(mut file) = truth {
        file.flush().with_context(|| truth_path.display().to_string())?;
    }
    packer.finish()?;
    Ok(folder)
}

fn truth_line(web: &Web, i: u64) -> String {
    let truth = web.truth(i);
    let url_of = |page: u64| web.page(page).url;
    let (kind, of, edits) = match truth.kind {
        Kind::Original => ("original", None, 0),
        Kind::Copy { of, whole: true } => ("body", Some(url_of(of)), 0),
        Kind::Copy { of, whole: false } => ("text", Some(url_of(of)), 0),
        Kind::NearCopy { of, edits } => ("near", Some(url_of(of)), edits),
        Kind::Redirect { to } => ("redirect", Some(url_of(to)), 0),
        Kind::Missing => ("missing", None, 0),
    };
    serde_json::json!({
        "url": url_of(i),
        "kind": kind,
        "of": of,
        "edits": edits,
        "mirror_of": truth.mirror_of.map(url_of),
        "language": truth.language.iso639_3(),
        "encoding": truth.encoding,
    })
    .to_string()
}
