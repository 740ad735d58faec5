//! `webmill learn cluster`: the job, with settings on the command line.

use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Committed, Job};
use webmill_table::{Reader, columns, part_files};

use crate::args::{JobFlags, Labels, Mail, ResultsOrPages};
use crate::jobs::print_committed;
use webmill_jobs::learn::cluster::tables::{TopicMeasureRow, TopicWordsRow};
use webmill_jobs::learn::cluster::{ClusterJob, is_empty};
use webmill_jobs::learn::settings::Learn;
use webmill_jobs::recipe::Settings;

/// Bring pages into topics, without labels: what a corpus is about.
///
/// Reads the texts of results, or with --out a folder of files (FOLDER/LABEL/FILE) or a table of lines. Writes the tables topics, topic_words,
/// topic_tree and topic_measures, and prints the topics. Topics are measured by labels, never made by them. How they are found is said by
/// settings: [learn] topic_method, near, eps, by_language and others. Exit code 1 where no page has words that another has too.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill learn cluster out/demo/results --k 20\n  webmill learn cluster out/demo/results --set learn.topic_method=dbscan --set learn.near=simhash\n  webmill learn cluster mails/ --mail --out topics --k 8"
)]
pub struct ClusterArgs {
    #[command(flatten)]
    from: ResultsOrPages,
    #[command(flatten)]
    mail: Mail,
    #[command(flatten)]
    labels: Labels,
    /// Topics [default: 2, 4, 8 … by the elbow of the silhouette on 2,000 pages].
    #[arg(long, value_name = "N")]
    k: Option<u32>,
    #[command(flatten)]
    flags: JobFlags,
}

/// Runs the command.
pub fn run(args: &ClusterArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = args.flags.console();
    let mut recipe = args.flags.read_recipe()?;
    let (place, pages, _) = args.from.place(None)?;
    let mut set = |name: &str, value: Option<toml::Value>| {
        if let Some(value) = value {
            recipe.set(Learn::TABLE, name, value);
        }
    };
    set("apply_to", pages.map(toml::Value::from));
    set("mail", args.mail.mail.then_some(true.into()));
    set("labels", args.labels.labels.clone().map(toml::Value::from));
    set("k", args.k.map(|k| i64::from(k).into()));
    let context = args.flags.context_with(recipe, &place, &console, cancel)?;
    let code = print_committed(&context, ClusterJob::NAME)?;
    let results = context.results();
    let Some(committed) = results.get(ClusterJob::NAME).filter(|_| !args.flags.is_dry_run()) else {
        return Ok(code);
    };
    for (reason, pages) in &committed.manifest.counts.dropped {
        webmill_jobs::say!("left out: {pages} {reason}");
    }
    if is_empty(committed) {
        webmill_jobs::say!("no topics: no page has words that another page has too");
        return Ok(ExitCode::from(1));
    }
    tell(committed)?;
    Ok(code)
}

columns! {
    struct TopicColumns from TopicWordsRow { topic, size, language, words }
}

columns! {
    struct MeasureColumns from TopicMeasureRow { measure, language, value }
}

/// Topics that are printed.
const TOLD: usize = 40;

/// Says the topics, the largest first, and how good they are.
fn tell(committed: &Committed) -> Result<()> {
    let mut topics = Reader::<TopicColumns>::over(part_files(&committed.path("topic_words"))?);
    let mut told = 0;
    while let Some(batch) = topics.next()? {
        for row in batch.rows() {
            if told < TOLD {
                let words: Vec<&str> = row.words.iter().collect();
                let language = row.language.unwrap_or("und");
                webmill_jobs::say!(
                    "{:>5}  {:>8} pages  {language}  {}",
                    row.topic,
                    row.size,
                    words.join(", ")
                );
            }
            told += 1;
        }
    }
    if told > TOLD {
        webmill_jobs::say!("… and {} topics more: table topic_words", told - TOLD);
    }
    let mut measures = Reader::<MeasureColumns>::over(part_files(&committed.path("topic_measures"))?);
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
        webmill_jobs::say!("{}", line.join(", "));
    }
    Ok(())
}
