//! `webmill count words`.

use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job};
use webmill_table::{Reader, columns};

use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::count::words::{Case, CountWords, Cut, WordCountRow};
use crate::settings::Common;

/// Count the words of the main texts, or of files: occurrences, and texts that hold each.
///
/// Of the captures of a URL the one that counts is counted. With files, each is a text, in any encoding.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count words --out results --top 20\n  webmill count words --out results --skip-word the --skip-word of\n  webmill count words notes.txt letters/ --out counts --split space --case keep"
)]
pub struct WordsArgs {
    /// Text files, and folders of them, to count in place of the main texts of the results.
    files: Vec<String>,
    /// How texts are cut: words (of a dictionary, in Chinese), or whatever stands between white space [default: words].
    #[arg(long, value_enum)]
    split: Option<Cut>,
    /// Whether capitals become small letters [default: fold].
    #[arg(long, value_enum)]
    case: Option<Case>,
    /// A word not to count, in the form in which it would be; may be given again.
    #[arg(long, value_name = "WORD")]
    skip_word: Vec<String>,
    /// A regular expression: what it matches is taken out of texts before they are cut; may be given again.
    #[arg(long, value_name = "REGEX")]
    skip_regex: Vec<String>,
    /// Print so many words after the folder, those that occur most: word, occurrences, texts.
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    #[command(flatten)]
    common: Common,
}

columns! {
    struct Counted from WordCountRow { word, count, num_texts }
}

/// Runs the command.
pub fn run(args: &WordsArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = Console::new();
    let mut recipe = args.common.shared.read_recipe()?;
    let mut set = super::Overrides { recipe: &mut recipe, table: CountWords::NAME };
    set.word("split", args.split.map(Cut::as_str));
    set.word("case", args.case.map(Case::as_str));
    set.list("skip_words", &args.skip_word);
    set.list("skip_regexes", &args.skip_regex);
    set.list("files", &args.files);
    let context = args.common.context_with(recipe, &console, cancel)?;
    let code = print_committed(&context, CountWords::NAME)?;
    if let (Some(most), Some(committed)) = (args.top, context.results().get(CountWords::NAME)) {
        let mut best: Vec<(u64, String, u64)> = Vec::new();
        let mut reader = Reader::<Counted>::open(&committed.path("count_words"))?;
        while let Some(batch) = reader.next()? {
            best.extend(batch.rows().map(|row| (row.count, row.word.to_owned(), row.num_texts)));
            best.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            best.truncate(most);
        }
        let lines: String = best.iter().map(|(n, word, texts)| format!("{word}\t{n}\t{texts}\n")).collect();
        crate::print(&lines)?;
    }
    Ok(code)
}
