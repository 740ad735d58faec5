//! `webmill count words`: how often each word occurs, and in how many texts.
//!
//! **Definition.** Words are those of [`webmill_text::words()`] (`words`), or what stands between white space (`space`). Case folded, words are
//! in the form in which texts are compared ([`webmill_text::normalize`]), what stands between spaces in lower case. What patterns match is
//! taken out of a text before it is cut; words that are skipped are compared after folding.
//!
//! **Algorithm.** The words of a text are counted in a table that fits the caches; what it holds at the end of the text goes to the table of
//! the map side, so that each word of a text is looked up there once.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

use crate::mapreduce::{Combiner, Count, MapReduce};
use rayon::prelude::*;
use regex::Regex;
use serde::{Deserialize, Serialize};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result, settings};
use webmill_html::charset;
use webmill_mill::TextRow;
use webmill_run::{Committed, Job, Reject, Stage};
use webmill_table::{columns, schema, table, text_enum};

use super::engine::{Engine, Plan, Tally, parts_of};
use super::{CountInput, named_files};
use crate::extract::Extract;
use crate::job::Context;
use crate::recipe::Settings;
use crate::registry::JobEntry;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry::of_request::<CountWords>(
    "Count the words of the main texts, or of files",
    || vec![schema::<WordCountRow>()],
    count_words,
);

table! {
    /// One row per word: how often it occurs in the main texts of current captures, and in how many of these.
    WordCountRow = "count_words" sorted by [word] {
        word: String = "the word, in the form that settings ask for", "library";
        count: u64 = "occurrences in all texts", "5211";
        num_texts: u64 = "texts that hold it: its document frequency", "1840";
    }
}

text_enum! {
    /// How texts are cut.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Cut {
        /// Words by Unicode and, for Chinese, a dictionary.
        Words = "words",
        /// Whatever stands between white space.
        Space = "space",
    }
}

text_enum! {
    /// What becomes of case.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Case {
        /// Capitals are small letters.
        Fold = "fold",
        /// Letters are counted as they stand.
        Keep = "keep",
    }
}

settings! {
    /// Settings of the job.
    pub struct CountWords {
        /// How texts are split: words (by Unicode and dictionary), or space.
        pub split: Cut = Cut::default();
        /// Whether case is kept or folded.
        pub case: Case = Case::default();
        /// Words that are not counted, in the form in which they would be counted.
        pub skip_words: Vec<String> = Vec::new();
        /// Regular expressions; their matches are deleted from texts before these are split.
        pub skip_regexes: Vec<String> = Vec::new();
        /// Files to count in place of main texts, in any encoding; each file is one text.
        #[serde(skip_serializing)]
        pub files: Vec<String> = Vec::new();
    }
}

impl Settings for CountWords {
    const TABLE: &'static str = "count-words";

    fn check(&self) -> Result<()> {
        self.kernel().map(drop)
    }
}

/// The kernel.
pub struct Words {
    cut: Cut,
    case: Case,
    skip: HashSet<String>,
    taken_out: Option<Regex>,
}

thread_local! {
    /// Words of the text that a thread is at: memory that is used again, empty between texts.
    static OF_TEXT: RefCell<Combiner<u32>> = RefCell::default();
}

impl MapReduce for Words {
    type Page<'p> = &'p str;
    type Key<'k> = &'k str;
    /// Occurrences, texts.
    type Value = (Count, Count);
    type Out = WordCountRow;
    const COMBINES: bool = true;

    fn map(&self, text: &&str, emit: &mut dyn FnMut(&str, (Count, Count))) {
        let text = match &self.taken_out {
            Some(pattern) => pattern.replace_all(text, ""),
            None => Cow::Borrowed(*text),
        };
        let text = match (self.case, self.cut) {
            (Case::Keep, _) => text,
            (Case::Fold, Cut::Words) => webmill_text::normalize(&text).into(),
            (Case::Fold, Cut::Space) => super::terms::lower(&text).into(),
        };
        OF_TEXT.with_borrow_mut(|counts| {
            let mut add = |word: &str| {
                if self.skip.is_empty() || !self.skip.contains(word) {
                    counts.add(word.as_bytes(), 1, |into, next| *into = into.saturating_add(next));
                }
            };
            match self.cut {
                Cut::Words => webmill_text::words(&text, &mut add),
                Cut::Space => super::terms::between_spaces(&text, &mut add),
            }
            for (word, count) in counts.iter() {
                let word = std::str::from_utf8(word).expect("a word is a slice of a text");
                emit(word, (Count(u64::from(*count)), Count(1)));
            }
            counts.clear();
        });
    }

    fn combine(&self, into: &mut (Count, Count), next: (Count, Count)) {
        into.0.0 += next.0.0;
        into.1.0 += next.1.0;
    }

    fn reduce(
        &self,
        word: &str,
        values: &mut dyn Iterator<Item = (Count, Count)>,
        emit: &mut dyn FnMut(WordCountRow),
    ) {
        let sum = |(count, texts), (c, t): (Count, Count)| (count + c.0, texts + t.0);
        let (count, num_texts) = values.fold((0, 0), sum);
        emit(WordCountRow { word: word.to_owned(), count, num_texts });
    }
}

columns! {
    struct Text from TextRow { is_current, text }
}

/// Counts the words of the context's texts, or of the files that its settings name.
///
/// # Errors
/// What the job meets.
pub fn count_words(context: &Context<'_>) -> Result<Option<Committed>> {
    let job = context.settings::<CountWords>()?;
    let input = match job.files.is_empty() {
        true => CountInput::Results(Box::new(context.results_of(Extract::NAME)?)),
        false => CountInput::Files(named_files(&job.files, context.runtime.cancel)?),
    };
    context.run(&job, &input)
}

impl CountWords {
    /// The kernel of these settings.
    ///
    /// # Errors
    /// [`Error::Config`] for a pattern that is none.
    pub fn kernel(&self) -> Result<Words> {
        let wrong = |e: regex::Error| Error::Config(format!("skip_regexes: {e}"));
        for pattern in &self.skip_regexes {
            Regex::new(pattern).map_err(wrong)?;
        }
        let any = self.skip_regexes.iter().map(|p| format!("(?:{p})")).collect::<Vec<_>>().join("|");
        Ok(Words {
            cut: self.split,
            case: self.case,
            skip: self.skip_words.iter().cloned().collect(),
            taken_out: (!any.is_empty()).then(|| Regex::new(&any)).transpose().map_err(wrong)?,
        })
    }
}

impl Job for CountWords {
    type Input = CountInput;
    const NAME: &'static str = "count-words";
    const VERSION: u32 = 3;

    fn ingredients(&self) -> Vec<webmill_run::Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, input: &CountInput, stage: &Stage<'_>) -> Result<()> {
        let kernel = self.kernel()?;
        let engine = |bytes| Engine { stage, kernel: &kernel, name: "", parts: parts_of(bytes) };
        match input {
            CountInput::Results(extract) => {
                let plan = Plan::of_table(&extract.path("texts"))?;
                let engine = engine(plan.bytes);
                let files =
                    engine.map_texts::<Text>(&plan, |row| row.is_current, |row, side| side.map(&row.text))?;
                engine.reduce_table(&files, |row, write| write(row))?;
            }
            CountInput::Files(inputs) => {
                let engine = engine(inputs.files.iter().map(|file| file.bytes).sum());
                // A file, its characters, their folded form and the table of its words are held at once.
                let most = stage.memory / (8 * rayon::current_num_threads() as u64);
                let files: Vec<_> = inputs.paths.iter().zip(&inputs.files).collect();
                let shuffle = engine.map_unit(0, |mapper, unit| {
                    let read = files.par_iter().map(|(path, file)| {
                        stage.cancel.check()?;
                        match text_of(path, file.bytes, most)? {
                            Ok(text) => mapper.with(|side| side.map(&text.as_str())).map(|()| None),
                            Err(detail) => Ok(Some(Reject {
                                reason: "no-text".into(),
                                shard: file.name.clone(),
                                offset: 0,
                                bytes_lost: 0,
                                detail,
                            })),
                        }
                    });
                    let mut tally = Tally::default();
                    for reject in read.collect::<Result<Vec<_>>>()? {
                        match reject {
                            None => tally.note(Ok("texts")),
                            Some(reject) => {
                                tally.read += 1;
                                unit.rejected(reject);
                            }
                        }
                    }
                    Ok(tally)
                })?;
                engine.reduce_table(&[shuffle], |row, write| write(row))?;
            }
        }
        Ok(())
    }
}

/// The characters of a file; why it has none, where it is no text.
fn text_of(path: &Path, bytes: u64, most: u64) -> Result<Result<String, String>> {
    if bytes > most {
        return Err(Error::Limit(format!(
            "{} has {} MiB; with this --memory and --threads files of up to {} MiB are counted",
            path.display(),
            bytes >> 20,
            most >> 20
        )));
    }
    let bytes = std::fs::read(path).at(path)?;
    let text = charset::decode(&bytes, None, None).text;
    let strange = text.chars().filter(|c| c.is_control() && !c.is_whitespace() || *c == '\u{fffd}').count();
    if strange * 50 > text.len() {
        return Ok(Err(format!("{strange} of its characters are none of a text")));
    }
    Ok(Ok(text.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::kernels::run;

    const FILES: [&str; 2] = ["Hello World, Bye World!", "Hello Hadoop, Goodbye to hadoop."];

    fn count(job: &CountWords, texts: &[&str]) -> String {
        let made = run(&job.kernel().unwrap(), texts, |text, page| page(text), 1);
        let row = |row: &WordCountRow| format!("{} {}", row.word, row.count);
        made.iter().flatten().map(row).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn vectors() {
        let space = CountWords { split: Cut::Space, case: Case::Keep, ..CountWords::default() };
        assert_eq!(
            count(&space, &FILES),
            "Bye 1, Goodbye 1, Hadoop, 1, Hello 2, World! 1, World, 1, hadoop. 1, to 1"
        );
        let skip_regexes = [r"\.", r"\,", r"\!", "to"].map(str::to_owned).to_vec();
        let skipping = CountWords { skip_regexes, ..space };
        assert_eq!(count(&skipping, &FILES), "Bye 1, Goodbye 1, Hadoop 1, Hello 2, World 2, hadoop 1");
        let folded = CountWords { case: Case::Fold, ..skipping };
        assert_eq!(count(&folded, &FILES), "bye 1, goodbye 1, hadoop 2, hello 2, world 2");
        assert_eq!(
            count(&CountWords::default(), &FILES),
            "bye 1, goodbye 1, hadoop 2, hello 2, to 1, world 2"
        );
    }

    /// A word that is skipped leaves others that hold its letters alone; a pattern does not.
    #[test]
    fn words_and_patterns_are_skipped() {
        let words = CountWords { skip_words: vec!["to".into()], ..CountWords::default() };
        assert_eq!(count(&words, &["To go tomorrow, 去 Tomorrow"]), "go 1, tomorrow 2, 去 1");
        let regex = CountWords { skip_regexes: vec!["to".into()], ..CountWords::default() };
        assert_eq!(count(&regex, &["to go tomorrow"]), "go 1, morrow 1");
        let wrong = CountWords { skip_regexes: vec!["(".into()], ..CountWords::default() };
        assert!(wrong.check().unwrap_err().to_string().contains("skip_regexes"));
    }

    #[test]
    fn texts_are_counted_once_each() {
        let made = run(&CountWords::default().kernel().unwrap(), &["a a b", "a"], |t, page| page(t), 1);
        let rows = made.concat();
        assert_eq!((rows[0].count, rows[0].num_texts, rows[1].num_texts), (3, 2, 1));
    }
}
