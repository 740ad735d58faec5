//! Job `signals`: how good texts are for training language models, as the filters of published corpora measure it.
//!
//! `webmill filter` runs it where its table is missing, `webmill run` where the recipe has a table `[signals]`.
//!
//! **Algorithm.** Texts are read once; [`Measurer`] measures each by itself. Some are measured while the rows of those before are written.
//!
//! **Cost.** The texts once. Memory: up to 4 MiB of texts and their rows, some 100 bytes a token of one text for each thread, the list of words, the tokenizer.
//!
//! **Determinism.** A row is a function of its text, its language and the list; files follow those of table `texts`.

use std::cell::RefCell;
use std::path::Path;
use std::sync::OnceLock;

use rayon::prelude::*;
use serde::Serialize;
use webmill_capture::error::AtPath;
use webmill_capture::settings;
use webmill_capture::{Error, Result};
use webmill_learn::quality::{Measurer, Signals, WordList};
use webmill_mill::TextRow;
use webmill_run::{Committed, Ingredient, Job, Measure, Stage, Unit, hex128};
use webmill_table::{Bytes16, Reader, Table, columns, part_files, schema, table};
use xxhash_rust::xxh3::xxh3_128;

use crate::extract::Extract;
use crate::job::Context;
use crate::keywords::some;
use crate::output::TableFile;
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;

/// Bytes of texts that are measured at a time, for all threads.
const AT_ONCE_BYTES: usize = 4 << 20;

/// Bytes of a list of words, or a tokenizer, that are read.
const MOST_FILE_BYTES: u64 = 64 << 20;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: SignalsJob::NAME,
    about: "Measure how good each text is for training language models",
    reads_shards: false,
    optional: true,
    tables: || vec![schema::<SignalRow>()],
    check: check_settings::<SignalSettings>,
    run: signals,
};

settings! {
    /// Settings of the job.
    pub struct SignalSettings {
        /// A file of words and phrases, a line each, that are counted in each text (column bad_words); empty for none.
        pub bad_words: String = String::new();
        /// A file tokenizer.json of a language model, by which tokens are counted (column model_tokens); empty for none. Needs a program that was built with
        /// the cargo feature tokens.
        pub tokenizer: String = String::new();
        /// Share of the rows of 13 words of a benchmark's item that a text must have to hold it (webmill filter --without).
        pub overlap: f64 = 0.5, within 0.0..=1.0;
    }
}

impl Settings for SignalSettings {
    const TABLE: &'static str = "signals";
}

/// Counts tokens of a language model.
pub trait CountTokens: Send + Sync {
    /// The tokens of a text; `None` where the model has none for a part of it.
    fn count(&self, text: &str) -> Option<u32>;
}

/// Reads the file of a tokenizer.
pub type LoadTokenizer = fn(&Path) -> Result<Box<dyn CountTokens>>;

static TOKENIZERS: OnceLock<LoadTokenizer> = OnceLock::new();

/// Gives the job the tokenizers of this program, before it is run: they are no part of this crate.
pub fn install_tokenizers(load: LoadTokenizer) {
    // A second time changes nothing.
    let _ = TOKENIZERS.set(load);
}

/// The job: the list and the tokenizer by their digests, so that another one is another job.
#[derive(Serialize)]
pub struct SignalsJob {
    list: Option<String>,
    tokenizer: Option<String>,
    #[serde(skip)]
    words: Option<WordList>,
    #[serde(skip)]
    tokens: Option<Box<dyn CountTokens>>,
}

impl SignalsJob {
    fn of(settings: &SignalSettings) -> Result<SignalsJob> {
        let mut job = SignalsJob { list: None, tokenizer: None, words: None, tokens: None };
        if !settings.bad_words.is_empty() {
            let path = Path::new(&settings.bad_words);
            let bytes = read(path)?;
            job.list = Some(hex128(xxh3_128(&bytes)));
            let wrong = |why: String| Error::Config(format!("{}: {why}", path.display()));
            let text = String::from_utf8(bytes).map_err(|e| wrong(e.to_string()))?;
            job.words = Some(WordList::of_lines(&text).map_err(|e| wrong(e.to_string()))?);
        }
        if !settings.tokenizer.is_empty() {
            let path = Path::new(&settings.tokenizer);
            let load = TOKENIZERS.get().ok_or_else(|| {
                Error::Config(
                    "[signals]: tokenizer: this program has no tokenizers; build it with --features tokens"
                        .into(),
                )
            })?;
            job.tokenizer = Some(hex128(xxh3_128(&read(path)?)));
            job.tokens = Some(load(path)?);
        }
        Ok(job)
    }
}

/// The bytes of a file that a setting names.
fn read(path: &Path) -> Result<Vec<u8>> {
    let length = std::fs::metadata(path).at(path)?.len();
    if length > MOST_FILE_BYTES {
        let (shown, most) = (path.display(), MOST_FILE_BYTES >> 20);
        return Err(Error::Config(format!("{shown}: {length} bytes, at most {most} MiB are read")));
    }
    std::fs::read(path).at(path)
}

macro_rules! row {
    ($($field:ident : $ty:ty = $desc:literal, $example:literal;)+) => {
        table! {
            /// One row per current text: the quality signals of published corpora.
            SignalRow = "signals" {
                url: String = "canonical URL", "http://pku.edu.cn/news/1.html";
                url_key: Bytes16 = "key of the page in table pages", "9f…";
                host: String = "host name of the page, as texts.host", "news.pku.edu.cn";
                language: Option<String> = "language of the text, as texts.language", "zho";
                warc_filename: String = "shard of the page's record", "crawl-00001.raw";
                warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
                $($field: $ty = $desc, $example;)+
            }
        }

        impl SignalRow {
            fn with(mut self, signals: Signals) -> Self {
                $(self.$field = signals.$field;)+
                self
            }
        }
    };
}

webmill_learn::signal_columns!(row);

thread_local! {
    /// Room that is used for one text after the other.
    static MEASURER: RefCell<Measurer> = RefCell::default();
}

columns! {
    struct Text from TextRow { url, url_key, host, is_current, language, warc_filename, warc_record_offset, text }
}

/// Measures the context's texts.
///
/// # Errors
/// What the job meets.
pub fn signals(context: &Context<'_>) -> Result<Option<Committed>> {
    context.run(&SignalsJob::of(&context.settings()?)?, &context.results_of(Extract::NAME)?)
}

impl Job for SignalsJob {
    type Input = Committed;
    const NAME: &'static str = "signals";
    const VERSION: u32 = 1;

    fn ingredients(&self) -> Vec<Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        let need = self.words.as_ref().map_or(0, WordList::bytes) as u64;
        if need > stage.memory / 2 {
            let (need, memory) = (need >> 20, stage.memory >> 20);
            return Err(Error::Limit(format!(
                "the list of words takes {need} MiB, --memory leaves {memory} MiB"
            )));
        }
        let parts = part_files(&extract.path("texts"))?;
        stage.progress.begin(
            "signals",
            extract.manifest.tables.get("texts").map_or(0, |table| table.rows),
            Measure::Items,
        );
        let done = parts.iter().try_for_each(|part| {
            let name = part.file_stem().unwrap_or_default().to_string_lossy();
            stage.unit(&name, |unit| self.part(part, &name, unit))
        });
        stage.progress.end();
        done
    }
}

impl SignalsJob {
    fn part(&self, part: &Path, name: &str, unit: &mut Unit<'_>) -> Result<()> {
        let mut file = TableFile::<SignalRow>::create(unit, format!("{}/{name}.parquet", SignalRow::NAME))?;
        let mut reader = Reader::<Text>::open(part)?;
        while let Some(batch) = reader.next()? {
            let rows: Vec<_> = batch.rows().filter(|row| row.is_current).collect();
            let (mut rest, mut measured, mut untold) = (rows.as_slice(), Vec::new(), 0);
            while !rest.is_empty() || !measured.is_empty() {
                unit.stage().cancel.check()?;
                let (rows, after) = rest.split_at(some(rest, |row| row.text.len(), AT_ONCE_BYTES));
                rest = after;
                let measure = || rows.par_iter().map(|row| self.row(row)).collect();
                let write = || measured.drain(..).try_for_each(|row| file.push(row));
                let (next, written): (Vec<SignalRow>, Result<()>) = rayon::join(measure, write);
                written?;
                measured = next;
                if self.tokens.is_some() {
                    untold += measured.iter().filter(|row| row.model_tokens.is_none()).count() as u64;
                }
            }
            unit.stage().progress.advance(batch.len() as u64);
            unit.read(batch.len() as u64);
            unit.kept("texts", rows.len() as u64);
            if untold > 0 {
                unit.kept("texts-without-tokens", untold);
            }
            let superseded = batch.len() - rows.len();
            if superseded > 0 {
                unit.dropped("superseded-capture", superseded as u64);
            }
        }
        file.finish(unit).map(drop)
    }

    fn row(&self, row: &Text<'_>) -> SignalRow {
        let mut signals = MEASURER.with_borrow_mut(|measurer| measurer.measure(row.text, row.language));
        signals.bad_words = self.words.as_ref().map(|words| words.count(row.text, row.language));
        signals.model_tokens = self.tokens.as_ref().and_then(|tokens| tokens.count(row.text));
        let place = SignalRow {
            url: row.url.to_owned(),
            url_key: row.url_key,
            host: row.host.to_owned(),
            language: row.language.map(str::to_owned),
            warc_filename: row.warc_filename.to_owned(),
            warc_record_offset: row.warc_record_offset,
            ..SignalRow::default()
        };
        place.with(signals)
    }
}
