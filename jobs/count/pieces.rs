//! Kernels of `count` apart from the local engine: the map side of some rows, the reduce side of sorted pairs.
//!
//! What an engine needs that spreads rows over machines and shuffles in its own way ([`map_batch`], [`reduce_sorted`]).

use std::sync::Arc;

use crate::mapreduce::{MapReduce, map_batch, reduce_sorted};
use webmill_capture::{Error, Result};
use webmill_mill::LinkElement;
use webmill_table::{ArrayBox, Table, TableSchema, schema, table};

use super::backlinks::{Anchors, Backlinks, CountBacklinks, Link, taken};
use super::host_terms::{CountHostTerms, HostText, HostWords, Scored, TopTerms};
use super::words::{CountWords, Words};
use crate::recipe::Recipe;

table! {
    /// One row per word of a host: what `count host-terms` counts before it chooses.
    HostWordRow = "host_words" {
        word: String = "word in comparison form", "library";
        host: String = "host name", "news.pku.edu.cn";
        tf: u64 = "occurrences in the texts of the host", "412";
        texts: u64 = "texts of the host that hold it", "96";
    }
}

/// Tables that are no results of a job.
pub fn tables() -> Vec<TableSchema> {
    vec![schema::<HostWordRow>()]
}

/// A row that is mapped; each kernel takes those of its kind.
pub enum Row<'p> {
    /// A main text.
    Text(&'p str),
    /// A link to a page.
    Link {
        /// The page that links.
        source: &'p str,
        /// Where to.
        target: &'p str,
        /// By which words.
        anchor: &'p str,
        /// Its kind, see `links.kind`.
        kind: &'p str,
    },
    /// A main text with its host and language.
    HostText(HostText<'p>),
    /// A word of a host.
    Word {
        /// Name of the host.
        host: &'p str,
        /// The word, folded.
        word: &'p str,
        /// Occurrences on the host, texts of the corpus that hold it.
        counts: (u64, u64),
    },
}

/// A kernel with its settings.
pub enum Kernel {
    /// Words and their numbers.
    Words(Words),
    /// Links by target.
    Backlinks(Backlinks, Vec<LinkElement>),
    /// Anchors by target.
    Anchors(Anchors, Vec<LinkElement>),
    /// Counts words by host.
    HostWords,
    /// The best words of each host: least df, texts of the corpus.
    HostTerms(TopTerms, u64, f64),
}

/// Rows as columns with their names.
pub type NamedColumns = Vec<(&'static str, ArrayBox)>;

impl Kernel {
    /// The kernel of a kind with the settings of a recipe; `texts` are those of the corpus, for `host-terms`.
    ///
    /// # Errors
    /// [`Error::Config`] for another kind, or a setting that cannot work.
    pub fn new(kind: &str, recipe: &Recipe, texts: f64) -> Result<Self> {
        let links = || recipe.settings::<CountBacklinks>();
        Ok(match kind {
            "words" => Kernel::Words(recipe.settings::<CountWords>()?.kernel()?),
            "backlinks" => {
                let settings = links()?;
                let kernel = Backlinks { most: settings.most, splitters: Arc::default() };
                Kernel::Backlinks(kernel, settings.elements())
            }
            "anchors" => Kernel::Anchors(Anchors { splitters: Arc::default() }, links()?.elements()),
            "host-words" => Kernel::HostWords,
            "host-terms" => {
                let settings = recipe.settings::<CountHostTerms>()?;
                Kernel::HostTerms(TopTerms { most: settings.most }, settings.min_df, texts)
            }
            other => {
                return Err(Error::Config(format!(
                    "no kernel is called {other:?}; there are words, backlinks, anchors, host-words, host-terms"
                )));
            }
        })
    }

    /// Calls `each` with key and value of every pair of these rows, combined as far as they are.
    pub fn map<'p>(&self, rows: impl Iterator<Item = Row<'p>>, mut each: impl FnMut(&[u8], &[u8])) {
        let each = |_: u32, key: &[u8], value: &[u8]| each(key, value);
        match self {
            Kernel::Words(kernel) => {
                let text = |row| if let Row::Text(text) = row { Some(text) } else { None };
                map_batch(kernel, rows.filter_map(text), 1, each);
            }
            Kernel::Backlinks(kernel, kinds) => map_links(kernel, kinds, rows, each),
            Kernel::Anchors(kernel, kinds) => map_links(kernel, kinds, rows, each),
            Kernel::HostWords => {
                let text = |row| if let Row::HostText(text) = row { Some(text) } else { None };
                map_batch(&HostWords, rows.filter_map(text), 1, each);
            }
            Kernel::HostTerms(kernel, min_df, texts) => {
                let scored = |row| match row {
                    Row::Word { host, word, counts } if counts.1 >= *min_df => {
                        Some(Scored::of(host, word, counts, *texts))
                    }
                    _ => None,
                };
                map_batch(kernel, rows.filter_map(scored), 1, each);
            }
        }
    }

    /// What follows from pairs that are sorted by key, then value; all of a key are among them.
    ///
    /// # Errors
    /// [`Error::Internal`] for bytes that are no key or value.
    pub fn reduce<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        &self,
        pairs: impl Iterator<Item = (K, V)>,
    ) -> Result<NamedColumns> {
        match self {
            Kernel::Words(kernel) => reduced(kernel, pairs, |row| row),
            Kernel::Backlinks(kernel, _) => reduced(kernel, pairs, |row| row),
            Kernel::Anchors(kernel, _) => reduced(kernel, pairs, |row| row),
            Kernel::HostWords => {
                let row = |(word, host, tf, texts)| HostWordRow { word, host, tf, texts };
                reduced(&HostWords, pairs, row)
            }
            Kernel::HostTerms(kernel, ..) => reduced(kernel, pairs, |row| row),
        }
    }
}

fn map_links<'p, M>(
    kernel: &M,
    kinds: &[LinkElement],
    rows: impl Iterator<Item = Row<'p>>,
    each: impl FnMut(u32, &[u8], &[u8]),
) where
    M: for<'a> MapReduce<Page<'a> = Link<'a>>,
{
    let taken: Vec<(String, &str, &str, &str)> = rows
        .filter_map(|row| {
            let Row::Link { source, target, anchor, kind } = row else { return None };
            let surt = taken(kinds, kind.parse().ok()?, source, target).ok()?;
            Some((surt, target, source, anchor))
        })
        .collect();
    let links = taken.iter().map(|(surt, target, source, anchor)| Link { surt, target, source, anchor });
    map_batch(kernel, links, 1, each);
}

fn reduced<M: MapReduce, T: Table, K: AsRef<[u8]>, V: AsRef<[u8]>>(
    kernel: &M,
    pairs: impl Iterator<Item = (K, V)>,
    row: impl Fn(M::Out) -> T,
) -> Result<NamedColumns> {
    let mut rows = Vec::new();
    reduce_sorted(kernel, pairs, |made| {
        rows.push(row(made));
        Ok(())
    })?;
    Ok(T::info().iter().map(|column| column.name).zip(T::columns(&rows)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::words::WordCountRow;

    /// Rows that are mapped in two stretches and sorted elsewhere give what all rows give.
    #[test]
    fn the_two_sides_apart_are_the_whole() {
        let kernel = Kernel::new("words", &Recipe::default(), 0.0).unwrap();
        let mut pairs = Vec::new();
        for texts in [&["a b a", "b"][..], &["a"]] {
            kernel.map(texts.iter().map(|text| Row::Text(text)), |key, value| {
                pairs.push((key.to_vec(), value.to_vec()));
            });
        }
        pairs.sort();
        let rows = [("a", 3, 2), ("b", 2, 2)];
        let rows = rows.map(|(word, count, num_texts)| WordCountRow { word: word.into(), count, num_texts });
        let made = kernel.reduce(pairs.into_iter()).unwrap();
        let (names, columns): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        assert_eq!((names, columns), (vec!["word", "count", "num_texts"], WordCountRow::columns(&rows)));
        assert!(Kernel::new("tea", &Recipe::default(), 0.0).is_err());
    }
}
