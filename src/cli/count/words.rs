//! `webmill count words`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_run::{Cancel, Job};
use webmill_table::{Reader, columns};

use crate::args::{JobFlags, OutOption, Results, Top};
use crate::jobs::print_committed;
use webmill_jobs::count::words::{CountWords, WordCountRow};

/// Count the words of the main texts, or of files: occurrences, and texts that hold each.
///
/// Of the captures of a URL the one that counts is counted. With --out all arguments are files, and each is a text, in any encoding.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count words out/demo/results --top 20\n  webmill count words out/demo/results --set 'count-words.skip_words=[\"the\", \"of\"]'\n  webmill count words notes.txt letters/ --out counts --set count-words.split=space"
)]
pub struct WordsArgs {
    #[command(flatten)]
    results: Results,
    /// Text files, and folders of them, to count in place of the main texts of results.
    files: Vec<String>,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    flags: JobFlags,
}

columns! {
    struct CountColumns from WordCountRow { word, count, num_texts }
}

/// Runs the command.
pub fn run(args: &WordsArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = args.flags.console();
    let mut recipe = args.flags.read_recipe()?;
    let (folder, files) = args.results.or_new(&args.files, &args.out)?;
    if let Some(file) = files.first().filter(|_| args.out.out.is_none()) {
        bail!("{file}: files are counted into a folder of their own: --out PATH");
    }
    if !files.is_empty() {
        let files: Vec<toml::Value> = files.into_iter().map(toml::Value::from).collect();
        recipe.set(CountWords::NAME, "files", files);
    }
    let context = args.flags.context_with(recipe, &folder, &console, cancel)?;
    let code = print_committed(&context, CountWords::NAME)?;
    if let (Some(most), Some(committed)) = (args.top.top, context.results().get(CountWords::NAME)) {
        let mut best: Vec<(u64, String, u64)> = Vec::new();
        let mut reader = Reader::<CountColumns>::open(&committed.path("count_words"))?;
        while let Some(batch) = reader.next()? {
            best.extend(batch.rows().map(|row| (row.count, row.word.to_owned(), row.num_texts)));
            best.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            best.truncate(most);
        }
        let lines: String = best.iter().map(|(n, word, texts)| format!("{word}\t{n}\t{texts}\n")).collect();
        webmill_jobs::print(&lines)?;
    }
    Ok(code)
}
