//! The pages that signatures are compared on.

use std::collections::{BTreeMap, BinaryHeap};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;
use webmill_mill::{PageRow, TextRow};
use webmill_run::Cancel;
use webmill_table::{Reader, columns, part_files};
use webmill_text::DocumentFrequencies;
use xxhash_rust::xxh3::xxh3_64;

use crate::job::latest;
use crate::output::covering;

columns! {
    struct Drawn from PageRow { url_key, is_current, num_words, warc_filename, warc_record_offset, warc_record_length }
}

columns! {
    struct Said from TextRow { url_key, text, language, warc_filename, warc_record_offset }
}

/// Texts whose words are counted by one thread.
const COUNTED_AT_ONCE: usize = 256;

/// A page of the sample.
pub(super) struct SampledPage {
    pub text: String,
    pub language: Option<String>,
    pub key: u128,
    pub shard: String,
    pub offset: u64,
    pub length: u64,
}

/// Pages with a main text, those of the least hashes of their keys, in that order.
pub(super) struct Sample {
    pub pages: Vec<SampledPage>,
    /// Pages that have a main text.
    pub of: u64,
    /// Pages of the sample whose texts did not fit.
    pub left_out: u64,
}

/// Hash and key of a page, where its capture is and how long, and in which part of the tables.
type Place = (u64, u128, u32, String, i64, i64);

impl Sample {
    /// Reads `most` pages of results, their texts within `bytes`.
    pub(super) fn read(results: &Path, most: usize, bytes: usize, cancel: &Cancel) -> Result<Self> {
        let extract = latest(results, "extract").with_context(|| results.display().to_string())?;
        let (parts, texts) = (part_files(&extract.path("pages"))?, part_files(&extract.path("texts"))?);
        let (places, of) = draw(&parts, most, cancel)?;
        let mut wanted: BTreeMap<u32, BTreeMap<u128, &Place>> = BTreeMap::new();
        for place in &places {
            wanted.entry(place.2).or_default().insert(place.1, place);
        }
        let mut found: BTreeMap<(u64, u128), SampledPage> = BTreeMap::new();
        let (mut held, mut left_out) = (0usize, 0);
        for (part, wanted) in wanted {
            cancel.check()?;
            let file = parts.get(part as usize).and_then(|path| covering(&texts, path)).cloned();
            let mut reader = Reader::<Said>::over(file.into_iter().collect());
            while let Some(batch) = reader.next()? {
                for row in batch.rows() {
                    let Some(place) = wanted.get(&row.url_key.0) else { continue };
                    if (row.warc_filename, row.warc_record_offset) != (place.3.as_str(), place.4) {
                        continue;
                    }
                    if held + row.text.len() > bytes {
                        left_out += 1;
                        continue;
                    }
                    held += row.text.len();
                    let page = SampledPage {
                        text: row.text.to_owned(),
                        language: row.language.map(str::to_owned),
                        key: place.1,
                        shard: place.3.clone(),
                        offset: place.4 as u64,
                        length: place.5.max(0) as u64,
                    };
                    found.insert((place.0, place.1), page);
                }
            }
        }
        Ok(Sample { pages: found.into_values().collect(), of, left_out })
    }

    /// In how many texts of the sample words are.
    pub(super) fn frequencies(&self, words: usize) -> DocumentFrequencies {
        let count = |pages: &[SampledPage]| {
            let mut counted = DocumentFrequencies::new(words);
            pages.iter().for_each(|page| counted.add(&page.text));
            counted
        };
        // Joined in the order of the pages, however many threads count.
        let counted: Vec<_> = self.pages.par_chunks(COUNTED_AT_ONCE).map(count).collect();
        let mut all = DocumentFrequencies::new(words);
        counted.iter().for_each(|counted| all.merge(counted));
        all
    }
}

/// The pages of the least hashes, and how many have a text at all.
fn draw(parts: &[PathBuf], most: usize, cancel: &Cancel) -> Result<(Vec<Place>, u64)> {
    let (mut least, mut of) = (BinaryHeap::<Place>::new(), 0);
    for (part, path) in (0u32..).zip(parts) {
        cancel.check()?;
        let mut reader = Reader::<Drawn>::over(vec![path.clone()]);
        while let Some(batch) = reader.next()? {
            for page in batch.rows().filter(|page| page.is_current && page.num_words > 0) {
                of += 1;
                let key = page.url_key.0;
                let hash = xxh3_64(&key.to_be_bytes());
                if least.len() == most && least.peek().is_some_and(|worst| (hash, key) >= (worst.0, worst.1))
                {
                    continue;
                }
                let (shard, offset) = (page.warc_filename.to_owned(), page.warc_record_offset);
                least.push((hash, key, part, shard, offset, page.warc_record_length));
                if least.len() > most {
                    least.pop();
                }
            }
        }
    }
    Ok((least.into_sorted_vec(), of))
}
