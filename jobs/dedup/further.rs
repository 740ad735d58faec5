//! Pairs by further signatures: SpotSigs, semantic fingerprints, structural similarity.
//!
//! **Algorithm.** The values of every page that speaks for its text are computed once, in parallel, and lie in a temporary
//! file. Pages that share a key of the signature are candidates (`webmill_dedup::BandJoin`, within the budget); each is
//! compared by its values.
//!
//! **Cost.** Eight bytes a value on disk. Semantic fingerprints read all texts twice: the corpus tells how rare words are.
//! Structure reads the pages again, in one walk over the shards that results were made of, which must be where they were.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webmill_capture::bits::Bits;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_dedup::{
    BandJoin, BandJoinOptions, PageParts, PartsOfSpeech, Semantic, Signature, SpotSignature, Structure,
    StructureSignature, Synonyms,
};
use webmill_mill::{Buffers, Mill, Page, PageLimits};
use webmill_run::{Committed, Measure, Unit};
use webmill_shard::{ReadOptions, ShardReader};
use webmill_sort::{Budget, Mapped, Sorter};
use webmill_text::DocumentFrequencies;

use super::Dedup;
use super::by::By;
use super::pages::Pages;
use super::texts::{Pieces, Texts};
use crate::archive::inputs_of_run;
use crate::current_captures::place;

/// Pages whose values are computed together: of their texts, and of their tags, which are more.
const BATCH: usize = 512;
const SHARD_BATCH: usize = 64;

/// Words whose frequency is known, at most: 24 bytes each.
const COUNTED_WORDS: usize = 1 << 20;

/// Pairs that a signature found.
pub struct Further {
    /// The signature.
    pub by: By,
    /// (first page, later page, bits of the similarity), ascending.
    pub pairs: Mapped<[u32; 3]>,
    /// Pages that met only the first representatives of a bucket.
    pub capped: u64,
    /// Pages that have no values: nothing is like them.
    pub without: u64,
    /// Pages whose record could not be read again.
    pub unread: u64,
}

/// Where pages come from.
pub struct Sources<'a> {
    /// The pages in order.
    pub pages: &'a Pages,
    /// Their texts.
    pub texts: &'a Texts,
    /// The results that they are of, by number.
    pub extracts: Vec<&'a Committed>,
}

/// Finds the pairs of all further signatures of `by`.
///
/// # Errors
/// Where a table, a file of words or a shard cannot be read, or the disk refuses.
pub fn find(
    settings: &Dedup,
    sources: &Sources<'_>,
    budget: &Budget,
    unit: &Unit<'_>,
) -> Result<Vec<Further>> {
    let further = settings.by.iter().copied().filter(|by| by.is_further());
    further.map(|by| one(by, settings, sources, budget, unit)).collect()
}

fn one(by: By, settings: &Dedup, sources: &Sources<'_>, budget: &Budget, unit: &Unit<'_>) -> Result<Further> {
    match by {
        By::Spotsigs => {
            let spots = SpotSignature::default();
            search(by, &spots, &mut |take| of_texts(&spots, sources, unit, take), sources, budget, unit)
        }
        By::Structure => {
            let mut gather = |take: &mut PageConsumer<'_>| of_shards(sources, unit, take);
            search(by, &StructureSignature, &mut gather, sources, budget, unit)
        }
        By::Semantic => {
            let synonyms = read(settings.synonyms.as_deref(), Synonyms::read)?;
            let speech = read(settings.parts_of_speech.as_deref(), PartsOfSpeech::read)?;
            let refused = synonyms.as_ref().map_or(0, Synonyms::refused)
                + speech.as_ref().map_or(0, PartsOfSpeech::refused);
            if refused > 0 {
                let note = format!(
                    "dedup: {refused} lines of synonyms or parts_of_speech are left out: they say no words"
                );
                unit.stage().progress.note(&note);
            }
            let frequencies = frequencies(sources, unit)?;
            let semantic = Semantic {
                idf: |form: &str| frequencies.idf(form),
                synonyms: synonyms.as_ref(),
                parts_of_speech: speech.as_ref(),
            };
            search(by, &semantic, &mut |take| of_texts(&semantic, sources, unit, take), sources, budget, unit)
        }
        By::Bands | By::Simhash => Err(Error::Internal("near-duplicates are found elsewhere".into())),
    }
}

/// Takes pages and what they are compared by.
type PageConsumer<'a> = dyn FnMut(Vec<(u32, Vec<u64>)>) -> Result<()> + 'a;

/// What all pages are compared by, out of their texts.
fn of_texts(
    signature: &dyn Signature,
    sources: &Sources<'_>,
    unit: &Unit<'_>,
    take: &mut PageConsumer<'_>,
) -> Result<()> {
    let pages: Vec<u32> = speakers(sources).collect();
    for batch in pages.chunks(BATCH) {
        unit.stage().cancel.check()?;
        let values = |&page: &u32| {
            let text = sources.texts.text(page)?;
            let language = webmill_text::language(&text).map(|found| found.iso639_3);
            Ok((page, signature.values(&PageParts { text: &text, language, tags: &[] })))
        };
        take(batch.par_iter().map(values).collect::<Result<_>>()?)?;
    }
    Ok(())
}

fn read<T>(path: Option<&Path>, read: impl Fn(BufReader<File>, &str) -> Result<T>) -> Result<Option<T>> {
    let open = |path: &Path| read(BufReader::new(File::open(path).at(path)?), &path.to_string_lossy());
    path.map(open).transpose()
}

/// In how many texts words are.
fn frequencies(sources: &Sources<'_>, unit: &Unit<'_>) -> Result<DocumentFrequencies> {
    let mut all = DocumentFrequencies::new(COUNTED_WORDS);
    for page in speakers(sources) {
        unit.stage().cancel.check()?;
        all.add(&sources.texts.text(page)?);
    }
    Ok(all)
}

fn speakers<'a>(sources: &'a Sources<'_>) -> impl Iterator<Item = u32> + 'a {
    let all = 0..sources.pages.len() as u32;
    all.filter(|&page| sources.pages.speaks(page) && sources.texts.has(page))
}

/// The pairs of one signature; `gather` gives what pages are compared by.
fn search(
    by: By,
    signature: &dyn Signature,
    gather: &mut dyn FnMut(&mut PageConsumer<'_>) -> Result<()>,
    sources: &Sources<'_>,
    budget: &Budget,
    unit: &Unit<'_>,
) -> Result<Further> {
    let stage = unit.stage();
    let all = speakers(sources).count() as u64;
    stage.progress.begin(signature.name(), all, Measure::Items);
    let mut stored = Pieces::create(unit.temp().join(signature.name()), sources.pages.len())?;
    let mut join = BandJoin::new(&BandJoinOptions::default(), &budget.share(2));
    let (mut without, mut seen) = (0, 0);
    gather(&mut |pages| {
        seen += pages.len() as u64;
        stage.progress.advance(pages.len() as u64);
        let keys: Vec<Vec<u64>> = pages.par_iter().map(|(_, values)| signature.keys(values)).collect();
        for ((page, values), keys) in pages.into_iter().zip(keys) {
            if values.is_empty() {
                without += 1;
                continue;
            }
            stored.append(page, &values)?;
            join.push(page, &keys)?;
        }
        Ok(())
    })?;
    let map = stored.map()?;
    let matches = join.run(|meetings, verdicts| {
        meetings.par_iter().zip(verdicts).try_for_each(|(meeting, verdict)| {
            stage.cancel.check()?;
            let of = |page| stored.of_map(&map, page);
            let similarity = signature.similarity(of(meeting.representative)?, of(meeting.page)?);
            *verdict = (similarity >= signature.least()).then_some(similarity as f32);
            Ok(())
        })
    })?;
    let capped = matches.totals().capped_pages;
    let mut pairs = Sorter::new(&budget.share(4));
    for found in matches {
        let found = found?;
        pairs.push([found.representative, found.page, found.similarity.to_bits()])?;
    }
    stage.progress.end();
    let (pairs, unread) = (pairs.mapped()?, all - seen);
    Ok(Further { by, pairs, capped, without, unread })
}

/// The shards that results were made of.
///
/// # Errors
/// [`Error::Config`] for one that is not where it was.
fn shards_of(extract: &Committed) -> Result<Vec<PathBuf>> {
    let mut shards = Vec::new();
    for path in inputs_of_run(&extract.path("run.json"))?.into_iter().map(PathBuf::from) {
        match ShardReader::open(&path, &ReadOptions::default()) {
            Ok(_) => shards.push(path),
            // Event logs of crawls are inputs too.
            Err(_) if path.exists() || path.to_string_lossy().contains("/events/") => {}
            Err(_) => {
                let path = path.display();
                return Err(Error::Config(format!(
                    "{path}: structure is read from the shards that results were made of, and this one is not where it \
                     was: extract again, or leave structure out of by"
                )));
            }
        }
    }
    Ok(shards)
}

/// The tags of all pages, out of the shards, each walked once.
fn of_shards(sources: &Sources<'_>, unit: &Unit<'_>, take: &mut PageConsumer<'_>) -> Result<()> {
    let mill = Mill::new(PageLimits { details: false, ..PageLimits::default() });
    let mut seen = Bits::with_room(sources.pages.len());
    for (number, extract) in (0..).zip(&sources.extracts) {
        for path in shards_of(extract)? {
            let names = sources.pages.names_of(&path);
            let mut reader = ShardReader::open(&path, &ReadOptions::default())?;
            let mut batch = Vec::new();
            while let Some(record) = reader.next() {
                unit.stage().cancel.check()?;
                let record = match record {
                    Ok(record) => record,
                    Err(error @ Error::Io { .. }) => return Err(error),
                    // What is damaged was no page when the tables were made either.
                    Err(_) => continue,
                };
                let Some(capture) = record.to_mention() else { continue };
                let Some(key) = capture.canonical_url().map(|url| url.key().0) else { continue };
                let at = |name: &&str| sources.pages.at(number, place(name, record.place.offset as i64), key);
                let Some(page) = names.iter().find_map(at) else { continue };
                if !sources.pages.speaks(page) || !sources.texts.has(page) || seen.contains(page) {
                    continue;
                }
                seen.insert(page);
                let buffers = Buffers::default();
                let read = mill.page(&capture, &buffers);
                let tags = read.as_ref().and_then(Page::dom).map(Structure::of).unwrap_or_default();
                batch.push((page, tags.tokens().to_vec()));
                if batch.len() == SHARD_BATCH {
                    take(std::mem::take(&mut batch))?;
                }
            }
            take(batch)?;
        }
    }
    Ok(())
}
