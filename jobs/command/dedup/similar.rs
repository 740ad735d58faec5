//! `webmill dedup similar`: which pages of results resemble a text.
//!
//! **Definition.** Candidates are the current captures that agree with the text in a band of MinHash or whose SimHashes
//! differ from the text's in few bits, by what `webmill extract` stored of them. The best of them are compared with the text
//! itself: what is printed is exact, what may be missing are pages that agree in nothing (`BandShape::probability` says how
//! rare that is: at resemblance .8 very, at .5 not).
//!
//! **Cost.** Bands and SimHashes of all pages are read once, texts only of the parts that hold candidates. Memory: a part of
//! the tables a thread, and 2,000 candidates.
//!
//! **Determinism.** By resemblance, then URL, for any number of threads.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::json;
use webmill_capture::CanonicalUrl;
use webmill_dedup::{BandShape, Fingerprint, Overlap, Shingles, Signatures, TextSigner};
use webmill_mill::{PageRow, TextRow};
use webmill_table::{Reader, columns, part_files};
use webmill_text::words;

use super::diff::{is_url, read_file};
use super::pages::texts_of;
use crate::current_captures::place;
use crate::job::latest;
use crate::output::covering;

/// Candidates whose texts are compared.
const MOST_VERIFIED: usize = 2_000;

columns! {
    struct Signed from PageRow { url_key, is_current, simhash, warc_filename, warc_record_offset }
}

columns! {
    struct Banded from TextRow { url_key, bands, warc_filename, warc_record_offset }
}

columns! {
    struct Said from TextRow { url_key, url, title, text, warc_filename, warc_record_offset }
}

/// Print the pages of results that resemble a text, the most similar first.
///
/// Columns: resemblance, share of the text that is in the page, share of the page that is in the text, URL. Exit code: 0 where
/// there are such pages, 1 where there are none, 2 for trouble.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill dedup similar results http://a.com/1\n  webmill dedup similar results page.txt --top 3\n  webmill text page.html | webmill dedup similar results - --format json"
)]
pub struct SimilarArgs {
    /// Folder of results.
    results: PathBuf,
    /// URL of a page of these results, a text file, - for standard input, or the text itself (two words or more).
    text: String,
    /// Print so many pages at most.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Least resemblance of the word shingles, 0 to 1.
    #[arg(long, value_name = "R", default_value_t = 0.5)]
    min_resemblance: f64,
    /// Most bits in which the SimHash of a candidate differs, 0 to 64.
    #[arg(long, value_name = "K", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=64))]
    simhash_bits: u32,
    /// How they are printed: tab-separated columns, or an object a line.
    #[arg(long, value_enum, default_value = "tsv")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Tsv,
    Json,
}

/// A page that may resemble the text; the best first in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    agreeing_bands: Reverse<u32>,
    distance: u32,
    key: u128,
    place: u64,
    part: u32,
}

/// A page that was compared.
struct Verified {
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
    let (text, own) = text(args)?;
    let mut signer = TextSigner::new(&BandShape::default());
    words(&text, |word| signer.word(word));
    let signatures = signer.finish();
    if signatures.bands.is_none() {
        crate::say!("the text has fewer than two different words: it resembles nothing");
        return Ok(ExitCode::from(1));
    }
    let extract = latest(&args.results, "extract").with_context(|| args.results.display().to_string())?;
    if !crate::dedup::bands_are_stored(&extract, &BandShape::default()) {
        bail!(
            "{}: its texts were signed by another version, whose bands say nothing to this one: run `webmill extract` again",
            args.results.display()
        );
    }
    let parts = part_files(&extract.path("pages"))?;
    let texts = part_files(&extract.path("texts"))?;
    let (candidates, all) = candidates(&parts, &texts, &signatures, own, args.simhash_bits)?;
    if all > candidates.len() as u64 {
        crate::say!("{all} pages may resemble it; the {} likeliest are compared", candidates.len());
    }
    let mut found = verify(&candidates, &parts, &texts, &text)?;
    let compared = found.len();
    found.retain(|page| page.overlap.resemblance() >= args.min_resemblance);
    let below = compared - found.len();
    if below > 0 {
        crate::say!(
            "{below} candidates resemble it by less than {}; --min-resemblance shows them",
            args.min_resemblance
        );
    }
    if found.len() > args.top {
        crate::say!("{} more pages resemble it; --top shows them", found.len() - args.top);
    }
    print(&found[..found.len().min(args.top)], args.format)?;
    Ok(ExitCode::from(u8::from(found.is_empty())))
}

/// The text that is sought, and the key of the page that it is of.
fn text(args: &SimilarArgs) -> Result<(String, Option<u128>)> {
    let name = &args.text;
    if is_url(name) {
        let text = texts_of(&args.results, &[name])?.pop().unwrap_or_default();
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
    Ok((name.clone(), None))
}

/// The likeliest candidates, best first, and how many there are.
fn candidates(
    pages: &[PathBuf],
    texts: &[PathBuf],
    sought: &Signatures,
    own: Option<u128>,
    most_bits: u32,
) -> Result<(Vec<Candidate>, u64)> {
    let of_part = |(part, path): (usize, &PathBuf)| {
        let mut found = of_part(part as u32, path, texts, sought, most_bits)?;
        found.retain(|candidate| Some(candidate.key) != own);
        let all = found.len() as u64;
        found.sort_unstable();
        found.truncate(MOST_VERIFIED);
        Ok((found, all))
    };
    let found: Vec<(Vec<Candidate>, u64)> =
        pages.par_iter().enumerate().map(of_part).collect::<Result<_>>()?;
    let all = found.iter().map(|part| part.1).sum();
    let mut best: Vec<Candidate> = found.into_iter().flat_map(|part| part.0).collect();
    best.sort_unstable();
    best.truncate(MOST_VERIFIED);
    Ok((best, all))
}

/// The candidates of a part of table `pages`.
fn of_part(
    part: u32,
    path: &Path,
    texts: &[PathBuf],
    sought: &Signatures,
    most_bits: u32,
) -> Result<Vec<Candidate>> {
    let mut current: HashMap<(u128, u64), Option<u64>> = HashMap::new();
    let mut reader = Reader::<Signed>::over(vec![path.to_path_buf()]);
    while let Some(batch) = reader.next()? {
        for page in batch.rows().filter(|page| page.is_current) {
            let at = place(page.warc_filename, page.warc_record_offset);
            current.insert((page.url_key.0, at), page.simhash);
        }
    }
    let bands = sought.bands.as_deref().unwrap_or_default();
    let mut found = Vec::new();
    let mut reader = Reader::<Banded>::over(texts_of_part(texts, path));
    while let Some(batch) = reader.next()? {
        for row in batch.rows() {
            let (key, place) = (row.url_key.0, place(row.warc_filename, row.warc_record_offset));
            let Some(simhash) = current.get(&(key, place)) else { continue };
            if !row.bands.is_empty() && row.bands.len() != bands.len() {
                bail!(
                    "{}: its texts have {} bands, this webmill makes {}: run `webmill extract` again",
                    batch.path().display(),
                    row.bands.len(),
                    bands.len()
                );
            }
            let agreeing = bands.iter().zip(row.bands).filter(|(a, b)| a == b).count() as u32;
            let distance = sought
                .simhash
                .zip(simhash.map(Fingerprint))
                .map_or(u32::from(u8::MAX), |(a, b)| a.distance(b));
            if agreeing > 0 || distance <= most_bits {
                found.push(Candidate { agreeing_bands: Reverse(agreeing), distance, key, place, part });
            }
        }
    }
    Ok(found)
}

/// The file of texts that has those of a part of table `pages`, with others perhaps.
fn texts_of_part(texts: &[PathBuf], of_pages: &Path) -> Vec<PathBuf> {
    covering(texts, of_pages).cloned().into_iter().collect()
}

/// Compares the candidates' texts with the one that is sought, most similar first.
fn verify(
    candidates: &[Candidate],
    pages: &[PathBuf],
    texts: &[PathBuf],
    text: &str,
) -> Result<Vec<Verified>> {
    let sought = Shingles::of(text, BandShape::default().words as usize);
    let mut wanted: Vec<&Candidate> = candidates.iter().collect();
    wanted.sort_unstable_by_key(|candidate| candidate.part);
    let of_part = |wanted: &[&Candidate]| -> Result<Vec<Verified>> {
        let files = pages.get(wanted[0].part as usize).map(|path| texts_of_part(texts, path));
        let places: HashMap<u128, u64> =
            wanted.iter().map(|candidate| (candidate.key, candidate.place)).collect();
        let (mut reader, mut found) = (Reader::<Said>::over(files.unwrap_or_default()), Vec::new());
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                let at = place(row.warc_filename, row.warc_record_offset);
                if places.get(&row.url_key.0) != Some(&at) {
                    continue;
                }
                let overlap =
                    Overlap::of(&sought, &Shingles::of(row.text, BandShape::default().words as usize));
                let (url, title) = (row.url.to_owned(), row.title.map(str::to_owned));
                found.push(Verified { overlap, url, title });
            }
        }
        Ok(found)
    };
    let groups: Vec<&[&Candidate]> = wanted.chunk_by(|a, b| a.part == b.part).collect();
    let found: Vec<Vec<Verified>> = groups.into_par_iter().map(of_part).collect::<Result<_>>()?;
    let mut found: Vec<Verified> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| {
        b.overlap.resemblance().total_cmp(&a.overlap.resemblance()).then_with(|| a.url.cmp(&b.url))
    });
    Ok(found)
}

fn print(found: &[Verified], format: Format) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for Verified { overlap, url, title } in found {
        let (resemblance, in_page, in_text) = (overlap.resemblance(), overlap.a_in_b(), overlap.b_in_a());
        match format {
            Format::Tsv => writeln!(out, "{resemblance:.4}\t{in_page:.4}\t{in_text:.4}\t{url}")?,
            Format::Json => {
                let page = json!({ "resemblance": resemblance, "text_in_page": in_page, "page_in_text": in_text, "url": url, "title": title });
                writeln!(out, "{page}")?;
            }
        }
    }
    Ok(out.flush()?)
}
