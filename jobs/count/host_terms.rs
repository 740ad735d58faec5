//! `webmill count host-terms`: what each host is about.
//!
//! **Definition.** Terms are words in comparison form with two letters or more, no stop words of their text's language, English or Chinese. tf is how often
//! a word occurs in the texts of a host, df in how many texts of the corpus; words with df below `min_df` are left out. The score is (1 + ln tf) ·
//! ln(1 + (N − df + ½)/(df + ½)) with N texts in the corpus, the measure of table `keywords`; of a host the best are kept, ties by word.
//!
//! **Algorithm.** Two kernels. The first counts (word, host), all hosts of a word in one part. Its parts are read twice: df of each word is the
//! sum over its hosts, and with it each (word, host) has its score, which is what the second kernel brings to the hosts, best first.
//!
//! **Cost.** Eight bytes for each word of a part between the two readings.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::mapreduce::{Combiner, Count, Key, MapReduce, Shuffle, reduce};
use webmill_capture::{Error, Result, settings};
use webmill_mill::TextRow;
use webmill_run::{Committed, Job, Stage};
use webmill_table::{Reader, columns, schema, table};
use webmill_text::StopWords;
use xxhash_rust::xxh3::xxh3_64;

use super::engine::{Engine, Plan, Tally, parts_of};
use super::of_extract;
use crate::recipe::Settings;
use crate::registry::JobEntry;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry::of_request::<CountHostTerms>(
    "Find the terms that tell what each host is about",
    || vec![schema::<HostTermsRow>()],
    of_extract::<CountHostTerms>,
);

table! {
    /// One row per host with main texts: its terms by tf·idf, the best first.
    HostTermsRow = "count_host_terms" sorted by [host] {
        host: String = "host name, as pages.url_host_name", "news.pku.edu.cn";
        terms: Vec<String> = "words in comparison form, the best first", "['library', 'campus']";
        scores: Vec<f32> = "(1 + ln tf) · idf of each", "[21.3, 18.0]";
        counts: Vec<u64> = "how often each occurs in the texts of the host", "[412, 301]";
        texts: Vec<u64> = "texts of the corpus that hold each", "[96, 210]";
    }
}

settings! {
    /// Settings of the job.
    pub struct CountHostTerms {
        /// Most terms per host.
        pub most: usize = 100, within 1..=100_000;
        /// Least number of texts with a term.
        pub min_df: u64 = 2;
    }
}

impl Settings for CountHostTerms {
    const TABLE: &'static str = "count-host-terms";
}

/// A main text, with its host.
pub struct HostText<'p> {
    /// Name of the host.
    pub host: &'p str,
    /// Language of the text.
    pub language: Option<&'p str>,
    /// Main text of the page.
    pub text: &'p str,
}

/// The kernel that counts words by host.
pub struct HostWords;

/// Bytes of a term at most.
const LONGEST: usize = 64;

thread_local! {
    /// Words of the text that a thread is at.
    static OF_TEXT: RefCell<Combiner<u64>> = RefCell::default();
}

impl MapReduce for HostWords {
    type Page<'p> = HostText<'p>;
    /// Word, host.
    type Key<'k> = (Cow<'k, str>, &'k str);
    /// Occurrences, texts.
    type Value = (Count, Count);
    type Out = (String, String, u64, u64);
    const COMBINES: bool = true;

    fn map(&self, page: &HostText<'_>, emit: &mut dyn FnMut(Self::Key<'_>, (Count, Count))) {
        let stop = StopWords::of(page.language);
        let text = webmill_text::normalize(page.text);
        OF_TEXT.with_borrow_mut(|counts| {
            webmill_text::words(&text, |word| {
                let letters = word.chars().filter(|c| c.is_alphabetic()).take(2).count();
                if letters == 2 && word.len() <= LONGEST && !stop.hold(word) {
                    counts.add(word.as_bytes(), 1, |into, next| *into += next);
                }
            });
            for (word, count) in counts.iter() {
                emit((String::from_utf8_lossy(word), page.host), (Count(*count), Count(1)));
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
        (word, host): Self::Key<'_>,
        values: &mut dyn Iterator<Item = (Count, Count)>,
        emit: &mut dyn FnMut((String, String, u64, u64)),
    ) {
        let (tf, texts) = values.fold((0, 0), |(tf, texts), (t, x)| (tf + t.0, texts + x.0));
        emit((word.into_owned(), host.to_owned(), tf, texts));
    }

    /// All hosts of a word in one part.
    fn partition(&self, key: &[u8], parts: u32) -> u32 {
        let word = <(Cow<'_, str>, &str)>::read(key).map_or(Cow::Borrowed(""), |key| key.0);
        (xxh3_64(word.as_bytes()) % u64::from(parts.max(1))) as u32
    }
}

/// A word of a host with what it is worth.
pub struct Scored<'p> {
    host: &'p str,
    word: &'p str,
    score: f64,
    tf: u64,
    df: u64,
}

impl<'p> Scored<'p> {
    /// A word that occurs `tf` times on a host and in `df` of all `texts`.
    pub fn of(host: &'p str, word: &'p str, (tf, df): (u64, u64), texts: f64) -> Self {
        let score = (1.0 + (tf as f64).ln()) * webmill_text::bm25_idf(texts, df as f64);
        Scored { host, word, score, tf, df }
    }
}

/// Words of hosts, the best first.
pub struct TopTerms {
    pub(super) most: usize,
}

impl MapReduce for TopTerms {
    type Page<'p> = Scored<'p>;
    type Key<'k> = &'k str;
    /// The bits of the score, all turned round, so that the best has the least bytes; word; tf, df.
    type Value = ((u64, String), (Count, Count));
    type Out = HostTermsRow;

    fn map(&self, page: &Scored<'_>, emit: &mut dyn FnMut(&str, Self::Value)) {
        let worth = !page.score.max(0.0).to_bits();
        emit(page.host, ((worth, page.word.to_owned()), (Count(page.tf), Count(page.df))));
    }

    fn reduce(
        &self,
        host: &str,
        values: &mut dyn Iterator<Item = Self::Value>,
        emit: &mut dyn FnMut(HostTermsRow),
    ) {
        let mut row = HostTermsRow { host: host.to_owned(), ..HostTermsRow::default() };
        for ((worth, word), (tf, df)) in values.take(self.most) {
            row.terms.push(word);
            row.scores.push(f64::from_bits(!worth) as f32);
            row.counts.push(tf.0);
            row.texts.push(df.0);
        }
        emit(row);
    }
}

columns! {
    struct Text from TextRow { host, is_current, language, text }
}

columns! {
    struct Current from TextRow { is_current }
}

impl Job for CountHostTerms {
    type Input = Committed;
    const NAME: &'static str = "count-host-terms";
    const VERSION: u32 = 3;

    fn ingredients(&self) -> Vec<webmill_run::Ingredient> {
        crate::ingredients::of_words()
    }

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        let folder = extract.path("texts");
        let plan = Plan::of_table(&folder)?;
        let parts = parts_of(plan.bytes);
        let counting = Engine { stage, kernel: &HostWords, name: "", parts };
        let files = counting.map_texts::<Text>(
            &plan,
            |row| row.is_current,
            |row, side| side.map(&HostText { host: row.host, language: row.language, text: row.text }),
        )?;
        let texts = current_texts(&folder)?;
        let top = TopTerms { most: self.most };
        let choosing = Engine { stage, kernel: &top, name: "hosts-", parts };
        let chosen = (0..parts).map(|part| self.score(&choosing, &files, part, texts));
        let chosen = chosen.collect::<Result<Vec<_>>>()?;
        choosing.reduce_table(&chosen, |row, write| write(row))?;
        Ok(())
    }
}

impl CountHostTerms {
    /// The map side of the second kernel for a part of the first.
    fn score(
        &self,
        choosing: &Engine<'_, '_, TopTerms>,
        files: &[Shuffle],
        part: u32,
        texts: f64,
    ) -> Result<Shuffle> {
        choosing.map_unit(part as usize, |mapper, unit| {
            let mut dfs: Vec<u64> = Vec::new();
            let mut last: Option<String> = None;
            reduce(&HostWords, &mut Shuffle::merged(files, part)?, |(word, _, _, texts)| {
                if last.as_ref() != Some(&word) {
                    dfs.push(0);
                    last = Some(word);
                }
                if let Some(df) = dfs.last_mut() {
                    *df += texts;
                }
                Ok(())
            })?;
            let rare = dfs.iter().filter(|df| **df < self.min_df).count() as u64;
            unit.dropped("rare-word", rare);
            unit.kept("words", dfs.len() as u64 - rare);
            let (mut dfs, mut df, mut last) = (dfs.into_iter(), 0, None);
            mapper.with(|side| {
                reduce(&HostWords, &mut Shuffle::merged(files, part)?, |(word, host, tf, _)| {
                    if last.as_ref() != Some(&word) {
                        df = dfs.next().ok_or_else(|| Error::Internal("a word more than before".into()))?;
                        last = Some(word.clone());
                    }
                    if df < self.min_df {
                        return Ok(());
                    }
                    side.map(&Scored::of(&host, &word, (tf, df), texts))
                })
            })?;
            Ok(Tally::default())
        })
    }
}

/// Texts of the captures that count.
fn current_texts(folder: &std::path::Path) -> Result<f64> {
    let mut reader = Reader::<Current>::open(folder)?;
    let mut texts = 0;
    while let Some(batch) = reader.next()? {
        texts += batch.rows().filter(|row| row.is_current).count();
    }
    Ok(texts as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::kernels::run;

    #[test]
    fn words_of_hosts_are_counted_by_occurrence_and_text() {
        let texts = [("a", "Tea, tea and 3 cups"), ("a", "tea"), ("b", "the library; 图书馆 tea")];
        let page = |(host, text): &(&str, &str), each: &mut dyn FnMut(HostText<'_>)| {
            each(HostText { host, language: Some("eng"), text });
        };
        let made = run(&HostWords, &texts, page, 3);
        // All hosts of a word are in one part.
        assert!(made.iter().any(|part| part.iter().filter(|row| row.0 == "tea").count() == 2));
        let mut all = made.concat();
        all.sort();
        let row = |word: &str, host: &str, tf, texts| (word.to_owned(), host.to_owned(), tf, texts);
        let want = [row("cups", "a", 1, 1), row("library", "b", 1, 1), row("tea", "a", 3, 2)];
        assert_eq!(all[..3], want);
        assert_eq!(all[3..], [row("tea", "b", 1, 1), row("图书馆", "b", 1, 1)]);
    }

    #[test]
    fn the_best_come_first_and_few_are_kept() {
        let words = [("x", 1.5), ("a", 0.25), ("c", 1.5), ("b", 9.0)];
        let page = |(word, score): &(&str, f64), each: &mut dyn FnMut(Scored<'_>)| {
            each(Scored { host: "h", word, score: *score, tf: 2, df: 3 });
        };
        let made = run(&TopTerms { most: 3 }, &words, page, 1).concat();
        assert_eq!(
            (&made[0].terms, &made[0].scores),
            (&["b", "c", "x"].map(str::to_owned).to_vec(), &vec![9.0, 1.5, 1.5])
        );
    }
}
