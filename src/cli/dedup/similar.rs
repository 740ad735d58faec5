//! `webmill dedup similar`: which pages of results resemble a text.
//!
//! **Definition.** The text is compared with that of every current capture, by all shingles: the printed values are exact, and no
//! page is missing.
//!
//! **Cost.** One pass over all texts, cut into words. Memory: a row group of the tables a thread, 24 bytes per page of a part, and the pages
//! found.
//!
//! **Determinism.** By resemblance, then URL, for any number of threads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::Serialize;
use webmill_capture::CanonicalUrl;
use webmill_dedup::{Overlap, SHINGLE_WORDS, Shingles};
use webmill_mill::{PageRow, TextRow};
use webmill_table::{Reader, columns, part_files};

use super::diff::{is_url, read_file};
use super::pages::texts_of;
use crate::args::{Results, Top};
use crate::print::{RowFormat, Rows};
use webmill_jobs::current_captures::place;
use webmill_jobs::job::latest;
use webmill_jobs::output::covering;

columns! {
    struct PlaceColumns from PageRow { url_key, is_current, warc_filename, warc_record_offset }
}

columns! {
    struct TextColumns from TextRow { url_key, url, title, text, warc_filename, warc_record_offset }
}

/// Print the pages of results that resemble a text, the most similar first.
///
/// Columns: resemblance, share of the text that is in the page, share of the page that is in the text, URL; ten pages. Exit code: 0 where
/// there are such pages, 1 where there are none, 2 for trouble.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill dedup similar [OPTIONS] [RESULTS] <TEXT>",
    after_help = "Examples:\n  webmill dedup similar out/demo/results http://www.lakeside.example/\n  webmill dedup similar out/demo/results page.txt --top 3\n  webmill text page.html | webmill dedup similar out/demo/results - --format json"
)]
pub struct SimilarArgs {
    #[command(flatten)]
    results: Results,
    /// URL of a page of these results, a text file, - for standard input, or the text itself (two words or more).
    text: Option<String>,
    #[command(flatten)]
    top: Top,
    /// Least resemblance of the word shingles, 0 to 1.
    #[arg(long, value_name = "R", default_value_t = 0.5)]
    min_resemblance: f64,
    #[command(flatten)]
    format: RowFormat,
}

#[derive(Serialize)]
struct PageLine<'a> {
    resemblance: f64,
    text_in_page: f64,
    page_in_text: f64,
    url: &'a str,
    title: Option<&'a str>,
}

/// Pages that are printed where nothing is said.
const USUAL: usize = 10;

/// A page that resembles the text.
struct Page {
    overlap: Overlap,
    url: String,
    title: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &SimilarArgs) -> Result<ExitCode> {
    if !(0.0..=1.0).contains(&args.min_resemblance) {
        bail!("--min-resemblance {} is not from 0 to 1", args.min_resemblance);
    }
    let (results, [name]) = args.results.before([&args.text], ["TEXT"])?;
    let (text, own) = text(&results, &name)?;
    let sought = Shingles::of(&text, SHINGLE_WORDS);
    if sought.is_empty() {
        webmill_jobs::say!("the text has no words: it resembles nothing");
        return Ok(ExitCode::from(1));
    }
    let extract = latest(&results, "extract").with_context(|| results.display().to_string())?;
    let texts = part_files(&extract.path("texts"))?;
    let of_part = |path: &PathBuf| of_part(path, &texts, &sought, (own, args.min_resemblance));
    let found: Vec<Vec<Page>> =
        part_files(&extract.path("pages"))?.par_iter().map(of_part).collect::<Result<_>>()?;
    let mut found: Vec<Page> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| {
        b.overlap.resemblance().total_cmp(&a.overlap.resemblance()).then_with(|| a.url.cmp(&b.url))
    });
    let most = found.len().min(args.top.top.unwrap_or(USUAL));
    if found.len() > most {
        webmill_jobs::say!("{} more pages resemble it; --top shows them", found.len() - most);
    }
    let columns = &["resemblance", "text_in_page", "page_in_text", "url"];
    let mut rows = Rows::new(args.format.form(), columns);
    for Page { overlap, url, title } in &found[..most] {
        let (resemblance, text_in_page, page_in_text) =
            (overlap.resemblance(), overlap.a_in_b(), overlap.b_in_a());
        rows.put(&PageLine { resemblance, text_in_page, page_in_text, url, title: title.as_deref() })?;
    }
    rows.flush()?;
    Ok(ExitCode::from(u8::from(found.is_empty())))
}

/// The text that is sought, and the key of the page that it is of.
fn text(results: &Path, name: &str) -> Result<(String, Option<u128>)> {
    if is_url(name) {
        let text = texts_of(results, &[name])?.pop().unwrap_or_default();
        return Ok((text, CanonicalUrl::parse(name).map(|url| url.key().0)));
    }
    if name == "-" || Path::new(name).is_file() {
        return Ok((read_file(name)?, None));
    }
    if name.split_whitespace().nth(1).is_none() && name.is_ascii() {
        bail!(
            "{name}: no such file; a page's URL begins with http:// or https://, a text has two words or more"
        );
    }
    Ok((name.to_owned(), None))
}

/// The pages of a part of table `pages` that resemble `sought`, but for the page of this key.
fn of_part(
    path: &Path,
    texts: &[PathBuf],
    sought: &Shingles,
    (own, least): (Option<u128>, f64),
) -> Result<Vec<Page>> {
    let mut current: HashSet<(u128, u64)> = HashSet::new();
    let mut reader = Reader::<PlaceColumns>::over(vec![path.to_path_buf()]);
    while let Some(batch) = reader.next()? {
        let rows = batch.rows().filter(|page| page.is_current && Some(page.url_key.0) != own);
        current.extend(rows.map(|page| (page.url_key.0, place(page.warc_filename, page.warc_record_offset))));
    }
    let mut found = Vec::new();
    // The file of texts that has those of this part, with others perhaps.
    let mut reader = Reader::<TextColumns>::over(covering(texts, path).cloned().into_iter().collect());
    while let Some(batch) = reader.next()? {
        for row in batch.rows() {
            if !current.contains(&(row.url_key.0, place(row.warc_filename, row.warc_record_offset))) {
                continue;
            }
            let overlap = Overlap::of(sought, &Shingles::of(row.text, SHINGLE_WORDS));
            if overlap.common > 0 && overlap.resemblance() >= least {
                found.push(Page { overlap, url: row.url.to_owned(), title: row.title.map(str::to_owned) });
            }
        }
    }
    Ok(found)
}
