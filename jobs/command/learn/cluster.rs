//! `webmill learn cluster`: the job, with settings on the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use webmill_run::{Cancel, Committed, Job};
use webmill_table::{Reader, columns, part_files};

use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::learn::cluster::tables::{TopicMeasureRow, TopicWordsRow};
use crate::learn::cluster::{ClusterJob, ClusterMethod, Near, is_empty};
use crate::learn::settings::Learn;
use crate::recipe::Settings;
use crate::settings::Common;

/// Bring pages into topics, without labels: what a corpus is about.
///
/// Reads the texts that `webmill extract` wrote to the same folder, or a folder of files. Writes the tables topics, topic_words, topic_tree and
/// topic_measures, and prints the topics. Exit code 1 where no page has words that another has too.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill learn cluster --out results\n  webmill learn cluster --out results --k 20 --across-languages\n  webmill learn cluster --out results --method dbscan --near simhash --eps 3 --min-points 2\n  webmill learn cluster mails/ --mail --out topics --k 8"
)]
pub struct ClusterArgs {
    /// Files to cluster instead of the texts of extract: FOLDER/LABEL/FILE, or a table of lines; labels are measured against, never used.
    #[arg(value_name = "FOLDER|FILE")]
    folder: Option<PathBuf>,
    /// Files are mails: leave heads and quoted lines out.
    #[arg(long)]
    mail: bool,
    /// Take all that is visible of HTML files, not their main text alone.
    #[arg(long)]
    whole: bool,
    /// Labels that the topics are measured by, lines of url,label: .csv, .tsv, .json, .jsonl or .parquet.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// How topics are found [default: kmeans].
    #[arg(long, value_enum)]
    method: Option<ClusterMethod>,
    /// Topics [default: 2, 4, 8 … by the elbow of the silhouette on 2,000 pages].
    #[arg(long, value_name = "N")]
    k: Option<u32>,
    /// What everything drawn at random follows from [default: 0].
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// Pages beyond which k-means goes over them in batches from disk: for corpora that memory does not hold [default: 1000000].
    #[arg(long, value_name = "N")]
    batch_pages: Option<u32>,
    /// How often k-means begins anew; the least inertia stays [default: 5].
    #[arg(long, value_name = "N")]
    restarts: Option<u32>,
    /// Farthest that neighbours of DBSCAN are [default: 0.5 by 1 − cosine, 3 bits by SimHash].
    #[arg(long, value_name = "DISTANCE")]
    eps: Option<f64>,
    /// Pages within eps that make a core of DBSCAN, itself counted [default: 5].
    #[arg(long, value_name = "N")]
    min_points: Option<u32>,
    /// By what DBSCAN calls pages near [default: cosine].
    #[arg(long, value_enum)]
    near: Option<Near>,
    /// Let topics reach over languages. Without, they are made within each language that a twentieth of the pages are in; --k is shared
    /// out by pages.
    #[arg(long)]
    across_languages: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the command.
pub fn run(args: &ClusterArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = Console::new();
    let mut recipe = args.common.shared.read_recipe()?;
    let mut set = |name: &str, value: Option<toml::Value>| {
        if let Some(value) = value {
            recipe.set(Learn::TABLE, name, value);
        }
    };
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned().into());
    let number = |number: Option<u32>| number.map(|number| i64::from(number).into());
    set("apply_to", path(&args.folder));
    set("mail", args.mail.then_some(true.into()));
    set("whole", args.whole.then_some(true.into()));
    set("topic_labels", path(&args.labels));
    set("topic_method", args.method.and_then(word));
    set("k", number(args.k));
    set("seed", number(args.seed));
    set("restarts", number(args.restarts));
    set("batch_pages", number(args.batch_pages));
    set("eps", args.eps.map(toml::Value::from));
    set("min_points", number(args.min_points));
    set("near", args.near.and_then(word));
    set("by_language", args.across_languages.then_some(false.into()));
    let context = args.common.context_with(recipe, &console, cancel)?;
    let code = print_committed(&context, ClusterJob::NAME)?;
    let results = context.results();
    let Some(committed) = results.get(ClusterJob::NAME).filter(|_| !args.common.shared.dry_run) else {
        return Ok(code);
    };
    for (reason, pages) in &committed.manifest.counts.dropped {
        crate::say!("left out: {pages} {reason}");
    }
    if is_empty(committed) {
        crate::say!("no topics: no page has words that another page has too");
        return Ok(ExitCode::from(1));
    }
    tell(committed)?;
    Ok(code)
}

fn word(value: impl ValueEnum) -> Option<toml::Value> {
    value.to_possible_value().map(|value| value.get_name().to_owned().into())
}

columns! {
    struct Named from TopicWordsRow { topic, size, language, words }
}

columns! {
    struct Measured from TopicMeasureRow { measure, language, value }
}

/// Topics that are printed.
const TOLD: usize = 40;

/// Says the topics, the largest first, and how good they are.
fn tell(committed: &Committed) -> Result<()> {
    let mut topics = Reader::<Named>::over(part_files(&committed.path("topic_words"))?);
    let mut told = 0;
    while let Some(batch) = topics.next()? {
        for row in batch.rows() {
            if told < TOLD {
                let words: Vec<&str> = row.words.iter().collect();
                let language = row.language.unwrap_or("und");
                crate::say!("{:>5}  {:>8} pages  {language}  {}", row.topic, row.size, words.join(", "));
            }
            told += 1;
        }
    }
    if told > TOLD {
        crate::say!("… and {} topics more: table topic_words", told - TOLD);
    }
    let mut measures = Reader::<Measured>::over(part_files(&committed.path("topic_measures"))?);
    let mut line = Vec::new();
    while let Some(batch) = measures.next()? {
        for row in batch.rows().filter(|row| row.language.is_none()) {
            if matches!(row.measure, "noise" | "silhouette" | "nmi" | "ari" | "purity")
                && (row.measure != "noise" || row.value > 0.0)
            {
                line.push(format!("{} {:.3}", row.measure, row.value).trim_end_matches(".000").to_owned());
            }
        }
    }
    if !line.is_empty() {
        crate::say!("{}", line.join(", "));
    }
    Ok(())
}
