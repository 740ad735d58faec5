//! `webmill dedup compare`: all signatures on the same pages, in one table.
//!
//! A sample of the pages of results is signed; every pair of it is compared word by word, and each signature is held against
//! that (see `webmill_dedup::SignatureComparison`). The sample is the pages of the least hashes of their URLs' keys,
//! so it depends on nothing but which pages there are. Document frequencies of the semantic fingerprint are those of
//! the sample. The structure of pages is in no table: it is read from shards, where these are given.
//!
//! **Determinism.** The same table for any number of threads, but for the times.

mod print;
mod sample;
mod trees;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use webmill_dedup::{
    BandShape, BandSignature, CompareOptions, ComparisonTable, ExactSignature, PageForms, PartsOfSpeech,
    Semantic, ShingleSignature, Signature, SignatureComparison, SimHashSignature, SpotSignature,
    StructureSignature, Synonyms, Trial,
};
use webmill_run::Cancel;
use webmill_text::DocumentFrequencies;

use super::parse_bands;
use crate::console::Console;
use crate::settings::{parse_memory, parse_threads};
use print::{Format, Told};
use sample::Sample;
use trees::Trees;

/// Pages that are signed at once.
const AT_ONCE: usize = 256;

/// Words whose document frequencies are held, some 32 bytes each.
const WORDS: usize = 2_000_000;

/// Faults of a file of synonyms that are named.
const NAMED_FAULTS: usize = 20;

/// Compare signatures on a sample of pages: what they cost, what they find, how much of it is right.
///
/// Every pair of the sample is compared word by word, which is the truth. Of each signature are told: pages that have it,
/// bytes and microseconds a page, the pairs that it takes for copies (candidates), the share of the pairs of each band of
/// resemblance that it takes (recall) and the share of its candidates that resemble each other so much (precision).
/// Exit code: 0 done, 1 done without all pages of the sample or all records of the shards, 2 trouble.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill dedup compare --results results\n  webmill dedup compare --results results crawl/*.warc.gz --format markdown\n  webmill dedup compare --results results --synonyms synonyms.txt --bands 16x8,datatrove --sample 10000\n  webmill dedup compare --results results --no-times --format csv > signatures.csv"
)]
pub struct CompareArgs {
    /// Shards that the results were made from: with them the structure of the pages is compared too.
    #[arg(value_name = "SHARD")]
    shards: Vec<String>,
    /// Folder of results whose pages are compared, by their current captures.
    #[arg(long, value_name = "RESULTS")]
    results: PathBuf,
    /// Pages of the sample, 2 to 50000; time and memory grow by their square.
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(2..=50_000))]
    sample: u32,
    /// File of synonyms, `base variant variant …` a line, that are folded before keywords of the semantic fingerprint are taken.
    #[arg(long, value_name = "FILE")]
    synonyms: Option<PathBuf>,
    /// File of words and their parts of speech, `word tag` a line: nouns and proper names count twice as keywords.
    #[arg(long, value_name = "FILE")]
    parts_of_speech: Option<PathBuf>,
    /// MinHash bands: webmill, datatrove, nemo, redpajama, or bands x rows as 16x8 or 14x8w5.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',', default_value = "webmill", value_parser = parse_bands)]
    bands: Vec<BandShape>,
    /// Most bits in which SimHashes of candidates differ, 0 to 64.
    #[arg(long, value_name = "K", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=64))]
    simhash_bits: u32,
    /// Words of the shingles that are the truth, 1 to 64.
    #[arg(long, value_name = "WORDS", default_value_t = 3)]
    shingle_words: usize,
    /// How the table is written: for reading, or one row for a signature and band (csv), or an object (json).
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Leave out the times, the only numbers that another run gives otherwise.
    #[arg(long)]
    no_times: bool,
    /// Threads to use, from 1 to 64 or eight a processor [default: all processors].
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,
    /// Memory to stay within; pages of the sample that do not fit are left out and counted.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_memory)]
    memory: u64,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &CompareArgs, cancel: &Cancel) -> Result<ExitCode> {
    let synonyms = args.synonyms.as_deref().map(read_synonyms).transpose()?;
    let parts_of_speech = args.parts_of_speech.as_deref().map(read_parts_of_speech).transpose()?;
    let trees = Trees::discover(&args.shards)?;
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = args.threads {
        pool = pool.num_threads(threads);
    }
    let told = pool
        .build()?
        .install(|| compare(args, synonyms.as_ref(), parts_of_speech.as_ref(), trees.as_ref(), cancel))?;
    crate::print(&args.format.write(&told)?)?;
    Ok(ExitCode::from(u8::from(told.lost > 0)))
}

fn compare(
    args: &CompareArgs,
    synonyms: Option<&Synonyms>,
    parts_of_speech: Option<&PartsOfSpeech>,
    trees: Option<&Trees>,
    cancel: &Cancel,
) -> Result<Told> {
    let console = Console::new();
    // A quarter for the texts, three for values and pairs.
    let quarter = usize::try_from(args.memory / 4).unwrap_or(usize::MAX);
    let sample = Sample::read(&args.results, args.sample as usize, quarter, cancel)?;
    if sample.pages.len() < 2 {
        bail!("{}: fewer than two pages have a main text: nothing to compare", args.results.display());
    }
    let frequencies = sample.frequencies(WORDS);
    let (structure, spots) = (StructureSignature::default(), SpotSignature::default());
    let simhash = SimHashSignature { k: args.simhash_bits };
    let bands: Vec<BandSignature> = args.bands.iter().copied().map(BandSignature::new).collect();
    let semantic = Semantic {
        synonyms,
        parts_of_speech,
        ..Semantic::new(|form: &str| DocumentFrequencies::idf(&frequencies, form))
    };
    let shingles = ShingleSignature { width: args.shingle_words, ..ShingleSignature::default() };
    let mut all: Vec<&dyn Signature> = vec![&ExactSignature, &simhash];
    all.extend(bands.iter().map(|bands| bands as &dyn Signature));
    all.extend([&shingles as &dyn Signature, &semantic, &spots, &structure]);
    let timed: Vec<Timed<'_>> = all.into_iter().map(Timed::new).collect();
    let options = CompareOptions {
        shingle_words: args.shingle_words,
        memory_bytes: quarter.saturating_mul(3),
        ..CompareOptions::default()
    };
    let signatures = timed.iter().map(|timed| timed as &dyn Signature).collect();
    let mut comparison = SignatureComparison::new(signatures, options)?;
    let lost_trees = sign(&mut comparison, &sample, trees, &console, cancel)?;
    cancel.check()?;
    let table = comparison.finish()?;
    let left_out = sample.left_out + table.left_out;
    if left_out > 0 {
        crate::say!("{left_out} pages of the sample were left out for want of memory: raise --memory");
    }
    let micros = timed.iter().map(|timed| timed.micros_a_page(table.pages)).collect();
    Ok(Told {
        signed: sample.pages.len() as u64,
        of: sample.of,
        lost: left_out + lost_trees,
        micros: (!args.no_times).then_some(micros),
        notes: notes(&table, trees.is_some()),
        shingle_words: args.shingle_words,
        table,
    })
}

/// Signs the pages of the sample, in their order; returns how many have no tree though shards were given.
fn sign(
    comparison: &mut SignatureComparison<'_>,
    sample: &Sample,
    trees: Option<&Trees>,
    console: &Console,
    cancel: &Cancel,
) -> Result<u64> {
    use webmill_run::{Measure, Progress};
    console.begin("sign", sample.pages.len() as u64, Measure::Items);
    for pages in sample.pages.chunks(AT_ONCE) {
        cancel.check()?;
        let signer = &*comparison;
        let signed: Vec<_> = pages
            .par_iter()
            .map(|page| {
                let sign_with = |tree: Option<&webmill_html::Dom<'_>>| {
                    signer.sign(&PageForms { text: &page.text, language: page.language.as_deref(), tree })
                };
                trees.map_or_else(|| sign_with(None), |trees| trees.with_tree(page, sign_with))
            })
            .collect();
        for page in &signed {
            comparison.push(page);
        }
        console.advance(pages.len() as u64);
    }
    console.end();
    Ok(trees.map_or(0, Trees::say_lost))
}

/// What a reader of the table needs to know of each row.
fn notes(table: &ComparisonTable, with_shards: bool) -> Vec<String> {
    let note = |row: &webmill_dedup::ComparedSignature| {
        if row.signature == "structure" && !with_shards {
            return "absent: markup is in no table, give the shards as arguments".to_owned();
        }
        if row.is_estimate() { "estimated from a sample of pairs".to_owned() } else { String::new() }
    };
    table.rows.iter().map(note).collect()
}

fn open(path: &Path) -> Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path).with_context(|| path.display().to_string())?))
}

/// Reads synonyms and says what is odd about them, line by line.
fn read_synonyms(path: &Path) -> Result<Synonyms> {
    let name = path.display().to_string();
    let synonyms = Synonyms::read(open(path)?, &name)?;
    let notes = synonyms.notes();
    for note in notes.iter().take(NAMED_FAULTS) {
        crate::say!("{name}, {note}");
    }
    let more = notes.len().saturating_sub(NAMED_FAULTS) as u64 + synonyms.notes_left_out();
    if more > 0 {
        crate::say!("{name}: {more} more such lines");
    }
    if synonyms.is_empty() {
        bail!("{name}: no line of it is `base variant variant …`");
    }
    Ok(synonyms)
}

fn read_parts_of_speech(path: &Path) -> Result<PartsOfSpeech> {
    let name = path.display().to_string();
    let table = PartsOfSpeech::read(open(path)?, &name)?;
    if table.refused() > 0 {
        crate::say!("{name}: {} lines are not `word tag`", table.refused());
    }
    Ok(table)
}

/// A signature that counts the time it takes to sign.
struct Timed<'s> {
    signature: &'s dyn Signature,
    nanos: AtomicU64,
}

impl<'s> Timed<'s> {
    fn new(signature: &'s dyn Signature) -> Self {
        Timed { signature, nanos: AtomicU64::new(0) }
    }

    fn micros_a_page(&self, pages: u64) -> f64 {
        self.nanos.load(Ordering::Relaxed) as f64 / 1e3 / pages.max(1) as f64
    }
}

impl Signature for Timed<'_> {
    fn name(&self) -> &str {
        self.signature.name()
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        let begun = Instant::now();
        self.signature.values(page, into);
        let nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        self.signature.similarity(a, b)
    }

    fn bound(&self) -> f64 {
        self.signature.bound()
    }

    fn trial(&self) -> Trial {
        self.signature.trial()
    }
}
