//! Topics of more pages than memory holds: k-means over batches from disk.
//!
//! **Algorithm.** One pass counts the words, those that tell of topics and stand on the most pages stay ([`BATCH_WORDS`]); a second one
//! writes the rows of counts aside, those of each language by themselves. k and the first centroids are those of a sample of [`SAMPLE`] pages. Then
//! batches that are drawn from all over the corpus move the centroids (mini-batch k-means), and passes over all rows let them settle
//! (Lloyd's steps) until inertia falls by less than a thousandth. Two last passes measure.
//!
//! **Cost.** Texts are read from disk twice, rows up to [`PASSES`] + 4 times; memory: the words, 28 bytes a word and topic, some 60 bytes a page.
//!
//! **Determinism.** A function of the texts and the settings, as in memory; batches are the same whatever threads there are.
//!
//! **Reference.** D. Sculley, *Web-scale k-means clustering*, WWW 2010, doi:10.1145/1772690.1772862.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webmill_capture::Result;
use webmill_learn::{
    ClusterMeans, ClusterSums, Counter, Draws, Extractor, MiniBatch, SparseRows, TfIdf, Vocabulary,
    WordCounts,
};
use webmill_run::{Measure, Stage, Unit};

use super::corpus::{AT_ONCE, common_of, facts, features, idf, least_pages, telling};
use super::methods::{ClusterResult, admit, choose, kmeans};
use super::pages::{About, Page, Pages};
use super::settings::{BATCH_WORDS, COUNTED_WORDS, ClusterSettings, RESTARTS};
use super::spill::{BLOCK, Spill, SpillWriter};
use super::topics::{Measured, Topics, WORDS};
use super::write::{Abouts, Words};

/// Pages on which k and the first centroids are found.
const SAMPLE: usize = 20_000;
/// Blocks of a batch, each from another place of the corpus.
const BATCH_BLOCKS: usize = 64;
/// Most passes that let centroids settle.
const PASSES: u32 = 10;
/// Share of inertia that a pass must take off for another one to follow.
const SETTLED: f64 = 1e-3;

/// Pages aside.
pub struct StoredPages {
    groups: Vec<Group>,
    vocabulary: Vocabulary,
    /// Pages that were read.
    pages: usize,
    /// Pages without a word that tells anything.
    pub without_words: u64,
    dropped_words: u64,
}

/// Pages that are clustered together.
struct Group {
    language: Option<String>,
    rows: Spill<Row>,
    weights: TfIdf,
}

/// A page aside.
#[derive(Clone, Serialize, Deserialize)]
struct Row {
    page: u64,
    about: About,
    counts: Vec<(u32, u32)>,
}

impl StoredPages {
    /// Counts pages and writes them aside.
    ///
    /// # Errors
    /// Where memory does not hold the words; where the disk fails.
    pub fn write(pages: &mut Pages, settings: &ClusterSettings, unit: &Unit<'_>) -> Result<StoredPages> {
        let stage = unit.stage();
        let (texts, mut languages, vocabulary) = count_words(pages, settings, unit)?;
        let all = texts.len() as usize;
        let most =
            languages.iter().rev().max_by_key(|(_, pages)| **pages).map(|(language, _)| language.clone());
        let of_twentieth: Vec<String> = common_of(std::mem::take(&mut languages), all);
        let (vocabulary, dropped_words) = telling_words(&vocabulary, &of_twentieth);
        let parted = settings.by_language && of_twentieth.len() > 1;
        let names: Vec<Option<String>> =
            if parted { of_twentieth.into_iter().map(Some).collect() } else { vec![None] };
        // Pages of rarer languages are clustered with those of the commonest.
        let rest = names.iter().position(|name| *name == most).unwrap_or(0);
        let group_of = |about: &About| match &about.language {
            Some(language) if parted => {
                names.iter().position(|name| name.as_ref() == Some(language)).unwrap_or(rest)
            }
            _ => rest,
        };
        let writer = || SpillWriter::create(unit.temp());
        let mut writers: Vec<SpillWriter<Row>> = names.iter().map(|_| writer()).collect::<Result<_>>()?;
        let mut frequencies = vec![vec![0u32; vocabulary.len()]; names.len()];
        let mut without_words = 0;
        stage.progress.begin("rows of words", texts.len(), Measure::Items);
        let options = features();
        let mut number = 0u64;
        let mut push = |pages: &mut Vec<Page>| -> Result<()> {
            stage.cancel.check()?;
            let of = |extractor: &mut Extractor, page: &Page| vocabulary.count(extractor, &facts(page));
            let counted: Vec<Vec<(u32, u32)>> =
                pages.par_iter().with_min_len(16).map_init(|| Extractor::new(&options), of).collect();
            stage.progress.advance(pages.len() as u64);
            for (page, counts) in pages.drain(..).zip(counted) {
                if counts.is_empty() {
                    without_words += 1;
                } else {
                    let group = group_of(&page.about);
                    counts.iter().for_each(|(word, _)| frequencies[group][*word as usize] += 1);
                    writers[group].push(Row { page: number, about: page.about, counts })?;
                }
                number += 1;
            }
            Ok(())
        };
        let mut waiting = Vec::with_capacity(AT_ONCE);
        texts.each_block(|pages| {
            waiting.extend(pages);
            if waiting.len() >= AT_ONCE { push(&mut waiting) } else { Ok(()) }
        })?;
        push(&mut waiting)?;
        stage.progress.end();
        let mut groups = Vec::new();
        for ((language, writer), frequencies) in names.into_iter().zip(writers).zip(frequencies) {
            let rows = writer.finish()?;
            if rows.len() > 0 {
                groups.push(Group { language, weights: idf(rows.len() as usize, &frequencies), rows });
            }
        }
        groups.sort_by(|a, b| b.rows.len().cmp(&a.rows.len()).then(a.language.cmp(&b.language)));
        Ok(StoredPages { groups, vocabulary, pages: all, without_words, dropped_words })
    }

    /// Pages that are clustered.
    pub fn clustered(&self) -> u64 {
        self.groups.iter().map(|group| group.rows.len()).sum()
    }

    /// Words by which pages are told apart.
    pub fn words(&self) -> Words {
        Words { counted: self.vocabulary.len(), dropped: self.dropped_words }
    }

    /// The topics of all groups.
    ///
    /// # Errors
    /// Where memory does not hold the centroids; where the disk fails.
    pub fn cluster(&self, settings: &ClusterSettings, stage: &Stage<'_>) -> Result<Vec<Topics>> {
        let all = self.clustered() as f64;
        let of = |group: &Group| {
            let share = group.rows.len() as f64 / all;
            let k = match settings.k {
                0 => 0,
                k => ((f64::from(k) * share).round() as usize).max(1),
            };
            group.cluster(k, &self.vocabulary, settings, stage)
        };
        self.groups.iter().map(of).collect()
    }
}

/// Counts the words of all pages, and writes these aside once more: they come sorted once.
fn count_words(
    pages: &mut Pages,
    settings: &ClusterSettings,
    unit: &Unit<'_>,
) -> Result<(Spill<Page>, BTreeMap<String, usize>, Vocabulary)> {
    let stage = unit.stage();
    let mut counter = Counter::new(&features(), COUNTED_WORDS);
    let mut texts = SpillWriter::create(unit.temp())?;
    let mut languages: BTreeMap<String, usize> = BTreeMap::new();
    let mut waiting: Vec<Page> = Vec::with_capacity(AT_ONCE);
    stage.progress.begin("count words", pages.count, Measure::Items);
    let mut ended = false;
    while !ended {
        stage.cancel.check()?;
        let page = pages.next()?;
        ended = page.is_none();
        waiting.extend(page);
        if waiting.len() == AT_ONCE || ended {
            counter.add(&waiting.iter().map(facts).collect::<Vec<_>>());
            counter.forget_rows();
            stage.progress.advance(waiting.len() as u64);
            for page in waiting.drain(..) {
                if let Some(language) = &page.about.language {
                    *languages.entry(language.clone()).or_default() += 1;
                }
                texts.push(page)?;
            }
            admit("the words of the corpus", 2 * counter.weight() as u64, stage.memory, "raise --memory")?;
        }
    }
    stage.progress.end();
    let texts = texts.finish()?;
    let (vocabulary, _) = counter.finish(least_pages(settings.min_pages, texts.len() as usize));
    Ok((texts, languages, vocabulary))
}

/// The words that tell of topics, those of the most pages if there are more than [`BATCH_WORDS`]; and how many were left out for such bounds.
fn telling_words(vocabulary: &Vocabulary, languages: &[String]) -> (Vocabulary, u64) {
    let languages: Vec<&str> = languages.iter().map(String::as_str).collect();
    let tells = telling(vocabulary, &languages);
    let mut numbers: Vec<u32> = (0..vocabulary.len() as u32).filter(|word| tells[*word as usize]).collect();
    let more = numbers.len().saturating_sub(BATCH_WORDS);
    numbers.sort_by_key(|word| (std::cmp::Reverse(vocabulary.frequency(*word)), *word));
    numbers.truncate(BATCH_WORDS);
    numbers.sort_unstable();
    (vocabulary.select(&numbers), vocabulary.dropped() + more as u64)
}

impl Group {
    fn weigh(&self, rows: &[Row]) -> SparseRows {
        let mut weighed = SparseRows::new();
        for row in rows {
            let counts = row.counts.iter().map(|(word, count)| (*word, *count as f32));
            weighed.push(self.weights.row(counts).into_iter().filter(|(_, weight)| *weight > 0.0));
        }
        weighed
    }

    /// Rows drawn evenly from all.
    fn sample(&self, seed: u64) -> Result<SparseRows> {
        let numbers = Draws::new(seed).sample(self.rows.len() as usize, SAMPLE);
        let (mut rows, mut first, mut at) = (SparseRows::new(), 0, 0);
        self.rows.each_block(|block| {
            let until = numbers.partition_point(|number| *number < first + block.len());
            let chosen: Vec<Row> =
                numbers[at..until].iter().map(|number| block[number - first].clone()).collect();
            rows.append(&self.weigh(&chosen));
            (first, at) = (first + block.len(), until);
            Ok(())
        })?;
        Ok(rows)
    }

    /// All rows in batches of blocks that lie far from each other.
    fn each_batch(&self, stage: &Stage<'_>, mut each: impl FnMut(&SparseRows)) -> Result<()> {
        let batches = self.rows.blocks().div_ceil(BATCH_BLOCKS);
        for batch in 0..batches {
            stage.cancel.check()?;
            let blocks: Vec<usize> = (batch..self.rows.blocks()).step_by(batches).collect();
            let read: Vec<SparseRows> = blocks
                .par_iter()
                .map(|block| Ok(self.weigh(&self.rows.block(*block)?)))
                .collect::<Result<_>>()?;
            let mut rows = SparseRows::new();
            read.iter().for_each(|block| rows.append(block));
            each(&rows);
            stage.progress.advance(rows.len() as u64);
        }
        Ok(())
    }

    fn cluster(
        &self,
        k: usize,
        vocabulary: &Vocabulary,
        settings: &ClusterSettings,
        stage: &Stage<'_>,
    ) -> Result<Topics> {
        let (rows, width) = (self.rows.len() as usize, vocabulary.len());
        let sample = self.sample(settings.seed)?;
        let choice = (k == 0).then(|| choose(&sample, rows, settings));
        let k = choice.as_ref().map_or(k, |choice| choice.k);
        let first = kmeans(&sample, None, (k, RESTARTS), settings, stage)?.centroids.widened(width);
        drop(sample);
        let k = first.len();
        admit(
            &format!("k-means of {k} topics over {width} words in batches"),
            MiniBatch::bytes(k, width) + ClusterSums::bytes(k, width) + 4 * (k * width) as u64,
            stage.memory / 2,
            "lower --k, or raise --memory",
        )?;
        let mut batches = MiniBatch::new(first);
        let begin = |pass: &str| stage.progress.begin(pass, rows as u64, Measure::Items);
        begin("batches");
        self.each_batch(stage, |batch| batches.learn(batch))?;
        let (mut inertia, mut passes) = (f64::INFINITY, 1);
        batches.end_pass();
        while passes <= PASSES {
            begin("pass over all pages");
            batches.begin_pass();
            batches.hold();
            self.each_batch(stage, |batch| batches.learn(batch))?;
            let now = batches.end_pass();
            passes += 1;
            if now > inertia * (1.0 - SETTLED) {
                inertia = now;
                break;
            }
            inertia = now;
        }
        let found = ClusterResult {
            choice,
            measures: vec![("inertia", inertia), ("steps", f64::from(passes))],
            ..ClusterResult::default()
        };
        let (pages, measured) = self.measure(&batches, width, stage)?;
        stage.progress.end();
        Ok(Topics::of_measured(self.language.clone(), pages, measured, found, vocabulary))
    }

    /// Gives every row to its nearest centroid, and measures what comes of it.
    fn measure(
        &self,
        batches: &MiniBatch,
        width: usize,
        stage: &Stage<'_>,
    ) -> Result<(Vec<usize>, Measured)> {
        let centroids = batches.centroids();
        let mut numbers: Vec<Option<u32>> = vec![None; centroids.len()];
        let (mut pages, mut assignment, mut k) = (Vec::new(), Vec::new(), 0u32);
        let mut sums = ClusterSums::new(centroids.len(), width);
        let mut words = WordCounts::new(centroids.len(), width);
        self.each_in_order(stage, |rows, weighed| {
            pages.extend(rows.iter().map(|row| row.page as usize));
            for (cluster, row) in centroids.nearest(weighed).0.iter().zip(weighed.rows()) {
                // Numbers without gaps, by first rows.
                let number = *numbers[*cluster as usize].get_or_insert_with(|| {
                    k += 1;
                    k - 1
                });
                sums.add(number, row);
                words.add(number, row.0);
                assignment.push(number);
            }
            Ok(())
        })?;
        let words = (0..k as usize).map(|topic| words.best(topic, sums.sizes()[topic], WORDS)).collect();
        let middles = ClusterMeans::of(sums.means());
        let (mut distances, mut silhouettes, mut at) = (Vec::new(), Vec::new(), 0);
        let has_others = sums.occupied() > 1;
        self.each_in_order(stage, |_, weighed| {
            let of = |dots: &mut Vec<f64>, row: usize| {
                let (cluster, row) = (assignment[at + row], weighed.row(row));
                let silhouette = if has_others { sums.silhouette(cluster, row, dots) } else { None };
                (middles.distance(cluster, row), silhouette)
            };
            let measured: Vec<_> =
                (0..weighed.len()).into_par_iter().with_min_len(64).map_init(Vec::new, of).collect();
            at += measured.len();
            distances.extend(measured.iter().map(|(distance, _)| *distance));
            silhouettes.extend(measured.iter().map(|(_, silhouette)| *silhouette));
            Ok(())
        })?;
        Ok((pages, Measured { assignment, distances, silhouettes, words, middles }))
    }

    fn each_in_order(
        &self,
        stage: &Stage<'_>,
        mut each: impl FnMut(&[Row], &SparseRows) -> Result<()>,
    ) -> Result<()> {
        let mut waiting: Vec<Row> = Vec::with_capacity(BATCH_BLOCKS * BLOCK);
        let mut flush = |rows: &mut Vec<Row>| {
            stage.cancel.check()?;
            each(rows, &self.weigh(rows))?;
            rows.clear();
            Ok(())
        };
        self.rows.each_block(|block| {
            waiting.extend(block);
            if waiting.len() >= BATCH_BLOCKS * BLOCK { flush(&mut waiting) } else { Ok(()) }
        })?;
        flush(&mut waiting)
    }
}

impl Abouts for StoredPages {
    fn len(&self) -> usize {
        self.pages
    }

    /// Merges the groups by the numbers of pages.
    fn each(&self, each: &mut dyn FnMut(usize, &About) -> Result<()>) -> Result<()> {
        let mut cursors: Vec<Cursor<'_>> = Vec::new();
        for group in &self.groups {
            let mut cursor = Cursor { rows: &group.rows, next: 0, block: Vec::new().into_iter() };
            cursor.refill()?;
            cursors.push(cursor);
        }
        let first = |cursor: &Cursor<'_>| cursor.block.as_slice().first().map(|row| row.page);
        while let Some(at) = (0..cursors.len())
            .filter(|at| first(&cursors[*at]).is_some())
            .min_by_key(|at| first(&cursors[*at]))
        {
            if let Some(row) = cursors[at].block.next() {
                each(row.page as usize, &row.about)?;
            }
            cursors[at].refill()?;
        }
        Ok(())
    }
}

struct Cursor<'a> {
    rows: &'a Spill<Row>,
    next: usize,
    block: std::vec::IntoIter<Row>,
}

impl Cursor<'_> {
    fn refill(&mut self) -> Result<()> {
        if self.block.as_slice().is_empty() && self.next < self.rows.blocks() {
            self.block = self.rows.block(self.next)?.into_iter();
            self.next += 1;
        }
        Ok(())
    }
}
