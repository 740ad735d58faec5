//! Queries over the index that [`CountIndex`] makes.
//!
//! **Definition.** What stands in quotes ("…", “…”, 「…」, 『…』) is a phrase: its words one behind the other. All else is words, each by itself. Both are cut and folded as
//! texts are. A text scores Σ idf·weight over words and phrases (Okapi BM25 as [`webmill_text::bm25_idf`] and [`webmill_text::bm25_weight`] have it), where a phrase
//! occurs as often as it begins. Texts with none of them are no answers.
//!
//! **Difference to a scan.** [`webmill_text::Query`] finds the letters of a Chinese word anywhere, across the seams of words too; the index finds
//! words as the dictionary cuts them in their text: 北京 is not found in 北京大学, which is one word. In other scripts words are the same but where a letter, a point or an apostrophe joins
//! them (`e.g`, `3.14`, `don't`): the scan finds their pieces, the index the whole. Of a quoted phrase the scan knows the words only.

use std::path::{Path, PathBuf};
use webmill_capture::cut::Cut;

use crate::mapreduce::postings::{
    Cursor, Index, ListCursor, Scoring, TermCursor, TermPostings, best, phrase,
};
use webmill_capture::{Error, Result};
use webmill_run::{Committed, Job};
use webmill_table::{Reader, RowReader, columns};
use xxhash_rust::xxh3::xxh3_64;

use super::{CountIndex, IndexedRow, file_of};
use crate::extract::Extract;
use crate::job::{if_any, latest};

/// Words and phrases of a query at most; further ones are left out.
pub const MOST: usize = 32;

/// The query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryPart {
    /// A single word.
    Word(String),
    /// Words one behind the other.
    Phrase(Vec<String>),
}

/// What a query seeks, each once.
pub fn parse(query: &str) -> Vec<QueryPart> {
    let mut wanted: Vec<QueryPart> = Vec::new();
    let mut add = |one: QueryPart| {
        if wanted.len() < MOST && !wanted.contains(&one) {
            wanted.push(one);
        }
    };
    let mut rest = query;
    while !rest.is_empty() {
        let begin = rest.find(['"', '“', '”', '「', '『']).unwrap_or(rest.len());
        words_of(rest.cut(..begin)).into_iter().for_each(|word| add(QueryPart::Word(word)));
        let Some(quote) = rest.cut(begin..).chars().next() else { break };
        rest = rest.cut(begin + quote.len_utf8()..);
        let end = match quote {
            '「' => rest.find('」'),
            '『' => rest.find('』'),
            _ => rest.find(['"', '”', '“']),
        };
        // A quotation mark that nothing answers is none.
        let Some(end) = end else { continue };
        let mut words = words_of(rest.cut(..end));
        match words.len() {
            0 => {}
            1 => add(QueryPart::Word(words.remove(0))),
            _ => add(QueryPart::Phrase(words)),
        }
        rest = rest.cut(end..);
        rest = rest.cut(rest.chars().next().map_or(0, char::len_utf8)..);
    }
    wanted
}

fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    webmill_text::words(&webmill_text::normalize(text), |word| words.push(word.to_owned()));
    words
}

/// An index that is open.
pub struct TextIndex {
    parts: Vec<Index>,
    lengths: Vec<u32>,
    words: u64,
    table: PathBuf,
}

columns! {
    struct Length from IndexedRow { number, num_words }
}

/// Texts of a word or a phrase.
enum Texts<'a> {
    Word(Box<TermCursor<'a>>),
    Phrase(ListCursor),
}

macro_rules! either {
    ($self:ident, $cursor:ident => $what:expr) => {
        match $self {
            Texts::Word($cursor) => $what,
            Texts::Phrase($cursor) => $what,
        }
    };
}

impl Cursor for Texts<'_> {
    fn number(&self) -> u32 {
        either!(self, cursor => cursor.number())
    }
    fn count(&self) -> u32 {
        either!(self, cursor => cursor.count())
    }
    fn texts(&self) -> u64 {
        either!(self, cursor => cursor.texts())
    }
    fn seek(&mut self, number: u32) -> Result<()> {
        either!(self, cursor => cursor.seek(number))
    }
    fn bounds(&self) -> Option<(u32, u32)> {
        either!(self, cursor => cursor.bounds())
    }
    fn block_bounds(&mut self, number: u32) -> (Option<(u32, u32)>, u32) {
        either!(self, cursor => cursor.block_bounds(number))
    }
}

impl TextIndex {
    /// The latest index in the folder `out`, where it was made of the texts of `extract`.
    ///
    /// # Errors
    /// Where it is damaged or of another form.
    pub fn of(out: &Path, extract: &Committed) -> Result<Option<TextIndex>> {
        let Some(committed) = if_any(latest(out, CountIndex::NAME))? else { return Ok(None) };
        let mut upstream = committed.manifest.inputs.upstream.iter();
        let fits = upstream.any(|job| job.job == Extract::NAME && job.key == extract.manifest.key);
        if fits { TextIndex::open(&committed).map(Some) } else { Ok(None) }
    }

    /// Opens the results of the job.
    ///
    /// # Errors
    /// Where they are damaged or of another form.
    pub fn open(committed: &Committed) -> Result<TextIndex> {
        let mut lengths = Vec::new();
        let mut reader = Reader::<Length>::open(&committed.path("count_index"))?;
        while let Some(batch) = reader.next()? {
            lengths.extend(batch.rows().map(|row| row.num_words));
        }
        let wrong = |what: &str| Error::corrupt(&committed.folder, 0, what.to_owned());
        let (mut parts, mut number) = (Vec::new(), 0);
        loop {
            let index = Index::open(&committed.path(&file_of(number)))?;
            let (part, of) = index.part();
            if part != number || of > 4096 || index.texts() != lengths.len() as u64 {
                return Err(wrong("the files of the index are not of one"));
            }
            parts.push(index);
            number += 1;
            if number >= of {
                break;
            }
        }
        let words = lengths.iter().map(|length| u64::from(*length)).sum();
        Ok(TextIndex { parts, lengths, words, table: committed.path("count_index") })
    }

    /// Number of texts in the index.
    pub fn texts(&self) -> usize {
        self.lengths.len()
    }

    fn find(&self, word: &str) -> Result<Option<(&Index, TermPostings)>> {
        let part = (xxh3_64(word.as_bytes()) % self.parts.len() as u64) as usize;
        Ok(self.parts[part].find(word)?.map(|term| (&self.parts[part], term)))
    }

    /// Numbers and scores of the best texts, best first, ties by number.
    ///
    /// # Errors
    /// Where the index is damaged.
    pub fn best(&self, wanted: &[QueryPart], most: usize) -> Result<Vec<(u32, f64)>> {
        let mut texts = Vec::new();
        for one in wanted {
            match one {
                QueryPart::Word(word) => {
                    if let Some((index, term)) = self.find(word)? {
                        texts.push(Texts::Word(Box::new(index.cursor(&term)?)));
                    }
                }
                QueryPart::Phrase(words) => {
                    let found =
                        words.iter().map(|word| self.find(word)).collect::<Result<Option<Vec<_>>>>()?;
                    let Some(found) = found else { continue };
                    let cursors = found.iter().map(|(index, term)| index.cursor(term));
                    let list = phrase(&mut cursors.collect::<Result<Vec<_>>>()?)?;
                    texts.push(Texts::Phrase(ListCursor::new(list)));
                }
            }
        }
        let scoring = Scoring { texts: self.lengths.len() as u64, words: self.words, lengths: &self.lengths };
        best(&mut texts, most, &scoring)
    }

    /// Known facts about texts, in the order in which they are asked for.
    ///
    /// # Errors
    /// Where the table is damaged.
    pub fn rows(&self, numbers: &[u32]) -> Result<Vec<IndexedRow>> {
        let mut rows: Vec<Option<IndexedRow>> = numbers.iter().map(|_| None).collect();
        let mut reader = RowReader::<IndexedRow>::open(&self.table)?;
        let mut place: std::collections::HashMap<u32, usize> = numbers.iter().copied().zip(0..).collect();
        while !place.is_empty()
            && let Some(group) = reader.next()?
        {
            for row in group {
                if let Some(at) = place.remove(&row.number) {
                    rows[at] = Some(row);
                }
            }
        }
        let lost = || Error::corrupt(&self.table, 0, "a text of the index is in no table".to_owned());
        rows.into_iter().map(|row| row.ok_or_else(lost)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::index::{Entry, Inverted, Numbered, terms};
    use crate::count::kernels::run;
    use crate::mapreduce::postings::IndexWriter;
    use proptest::prelude::*;

    #[test]
    fn queries_are_words_and_phrases() {
        let word = |word: &str| QueryPart::Word(word.into());
        let phrase = |words: &[&str]| QueryPart::Phrase(words.iter().map(|word| word.to_string()).collect());
        let table: &[(&str, &[QueryPart])] = &[
            ("Tea, tea TEA", &[word("tea")]),
            ("\"Green tea\" cup", &[phrase(&["green", "tea"]), word("cup")]),
            ("「我们去北京」 门", &[phrase(&["我们", "去", "北京"]), word("门")]),
            ("“one” \"\" \"open", &[word("one"), word("open")]),
            ("", &[]),
        ];
        for (query, want) in table {
            assert_eq!(parse(query), *want, "{query}");
        }
        assert_eq!(parse(&(0..99).map(|n| format!("w{n} ")).collect::<String>()).len(), MOST);
    }

    /// An index of texts with their titles, in memory.
    fn indexed(texts: &[(&str, &str)], parts: u32) -> (Vec<Index>, Vec<u32>) {
        let length = |text: &str| words_of(text).len() as u32;
        let lengths: Vec<u32> = texts.iter().map(|(_, text)| length(text)).collect();
        let numbered: Vec<_> = (0u32..).zip(texts).collect();
        let page = |(number, (title, text)): &(u32, &(&str, &str)), each: &mut dyn FnMut(Numbered<'_>)| {
            each(Numbered { number: *number, length: length(text), title, text });
        };
        let made = run(&Inverted, &numbered, page, parts);
        let folder = tempfile::tempdir().unwrap();
        let files = (0..).zip(made).map(|(part, entries)| {
            let path = folder.path().join(format!("{part}"));
            let mut writer = IndexWriter::create(&path).unwrap();
            for entry in entries {
                match entry {
                    Entry::Term(term) => writer.term(&term).unwrap(),
                    Entry::Text(number, length, places) => writer.text(number, length, &places).unwrap(),
                }
            }
            writer.finish(part, parts, texts.len() as u64).unwrap();
            Index::open(&path).unwrap()
        });
        (files.collect(), lengths)
    }

    /// Scores by cutting all texts, and counting.
    fn brute_force(texts: &[(&str, &str)], lengths: &[u32], wanted: &[QueryPart]) -> Vec<(u32, f64)> {
        let count = |(title, text): &(&str, &str), one: &QueryPart| {
            let sought = match one {
                QueryPart::Word(word) => vec![word.clone()],
                QueryPart::Phrase(words) => words.clone(),
            };
            [title, text]
                .iter()
                .map(|part| words_of(part).windows(sought.len()).filter(|at| *at == sought).count())
                .sum::<usize>() as u32
        };
        let counts: Vec<Vec<u32>> =
            texts.iter().map(|text| wanted.iter().map(|one| count(text, one)).collect()).collect();
        // The ranking of the scan, given these counts: equal to the last bit.
        let mut ranking = webmill_text::Ranking::default();
        for ((number, counts), length) in (0..).zip(&counts).zip(lengths) {
            ranking.add(number, counts, *length);
        }
        ranking.scores()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn the_ranking_is_that_of_brute_force(
            texts in prop::collection::vec(("[ab图书馆 ]{0,4}", "([abc]|[ab]{2}|图书馆|我们|去北京|[ ,]){0,30}"), 0..40),
            query in "(a |b |ab |\"a b\" |图书馆|去|「我们去北京」|c ){1,5}", parts in 1u32..4,
        ) {
            let texts: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            let (parts, lengths) = indexed(&texts, parts);
            let words = lengths.iter().map(|length| u64::from(*length)).sum();
            let index = TextIndex { parts, lengths, words, table: PathBuf::new() };
            let wanted = parse(&query);
            let want = brute_force(&texts, &index.lengths, &wanted);
            prop_assert_eq!(&index.best(&wanted, texts.len()).unwrap(), &want);
            prop_assert_eq!(&index.best(&wanted, 3).unwrap(), &want[..want.len().min(3)]);
        }
    }

    #[test]
    fn a_title_and_its_text_make_no_phrase() {
        let mut found = Vec::new();
        terms("Green", "Tea tea", |term, place| found.push((term.to_owned(), place)));
        assert_eq!(found, [("green".to_owned(), 0), ("tea".to_owned(), 2), ("tea".to_owned(), 3)]);
    }
}
