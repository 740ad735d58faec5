//! Pairs by further signatures: SpotSigs, semantic fingerprints, structural similarity.
//!
//! **Algorithm.** The values of every page that speaks for its text are computed once, in parallel, and lie in a temporary
//! file. Pages that share a key of the signature are candidates (`webmill_dedup::BandJoin`, within the budget); each is
//! compared by its values.
//!
//! **Cost.** Eight bytes a value on disk. Semantic fingerprints read all texts twice: the corpus tells how rare words are.
//! Structure reads the pages again, out of the shards that results were made of.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use rayon::prelude::*;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_dedup::{
    BandJoin, BandJoinOptions, PageParts, PartsOfSpeech, Semantic, Signature, SpotSignature, Structure,
    StructureSignature, Synonyms,
};
use webmill_mill::{Buffers, Mill, Page, PageLimits};
use webmill_run::{Committed, Measure, Unit};
use webmill_shard::{ReadOptions, RecordFile, discover};
use webmill_sort::{Budget, Sorter};
use webmill_text::DocumentFrequencies;

use super::Dedup;
use super::by::By;
use super::pages::Pages;
use super::texts::{Pieces, Texts};
use crate::archive::inputs_of_run;
use crate::mapped::Mapped;

/// Pages whose values are computed together.
const BATCH: usize = 512;

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
    let text = |page| sources.texts.text(page);
    let of_text = |signature: &dyn Signature, page| -> Result<Option<Vec<u64>>> {
        let text = text(page)?;
        let language = webmill_text::language(&text).map(|found| found.iso639_3);
        Ok(Some(signature.values(&PageParts { text: &text, language, tags: &[] })))
    };
    match by {
        By::Spotsigs => {
            let spots = SpotSignature::default();
            search(by, &spots, &|page| of_text(&spots, page), sources, budget, unit)
        }
        By::Structure => {
            let shards = Shards::open(&sources.extracts)?;
            let values = |page| Ok(shards.structure(sources.pages, page).map(|tags| tags.tokens().to_vec()));
            search(by, &StructureSignature, &values, sources, budget, unit)
        }
        By::Semantic => {
            let synonyms = read(settings.synonyms.as_deref(), |file, name| Synonyms::read(file, name))?;
            let speech =
                read(settings.parts_of_speech.as_deref(), |file, name| PartsOfSpeech::read(file, name))?;
            let frequencies = frequencies(sources, unit)?;
            let semantic = Semantic {
                idf: |form: &str| frequencies.idf(form),
                synonyms: synonyms.as_ref(),
                parts_of_speech: speech.as_ref(),
            };
            search(by, &semantic, &|page| of_text(&semantic, page), sources, budget, unit)
        }
        By::Bands | By::Simhash => Err(Error::Internal("near-duplicates are found elsewhere".into())),
    }
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

/// The pairs of one signature; `values` gives what a page is compared by, or nothing where it could not be read.
fn search(
    by: By,
    signature: &dyn Signature,
    values: &(dyn Fn(u32) -> Result<Option<Vec<u64>>> + Sync),
    sources: &Sources<'_>,
    budget: &Budget,
    unit: &Unit<'_>,
) -> Result<Further> {
    let stage = unit.stage();
    stage.progress.begin(signature.name(), sources.pages.texts() as u64, Measure::Items);
    let mut stored = Pieces::create(unit.temp().join(signature.name()), sources.pages.len())?;
    let mut join = BandJoin::new(&BandJoinOptions::default(), &budget.share(2));
    let (mut without, mut unread) = (0, 0);
    let pages: Vec<u32> = speakers(sources).collect();
    for batch in pages.chunks(BATCH) {
        stage.cancel.check()?;
        let signed: Vec<Option<(Vec<u64>, Vec<u64>)>> = batch
            .par_iter()
            .map(|&page| Ok(values(page)?.map(|values| (signature.keys(&values), values))))
            .collect::<Result<_>>()?;
        for (&page, signed) in batch.iter().zip(signed) {
            match signed {
                None => unread += 1,
                Some((_, values)) if values.is_empty() => without += 1,
                Some((keys, values)) => {
                    stored.append(page, &values)?;
                    join.push(page, &keys)?;
                }
            }
        }
        stage.progress.advance(batch.len() as u64);
    }
    let map = stored.map()?;
    let matches = join.run(|meetings, verdicts| {
        stage.cancel.check()?;
        meetings.par_iter().zip(verdicts).try_for_each(|(meeting, verdict)| {
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
    Ok(Further { by, pairs: Mapped::of(unit.temp(), pairs.finish()?)?, capped, without, unread })
}

/// The shards that results were made of.
struct Shards {
    files: Vec<RecordFile>,
    /// Numbers of the files by number of the results and name of the shard, which may have folders in front.
    named: HashMap<(u32, String), usize>,
    mill: Mill,
}

/// Folders that the name of a shard may have in front.
const MOST_FOLDERS: usize = 8;

impl Shards {
    fn open(extracts: &[&Committed]) -> Result<Self> {
        let (mut files, mut named) = (Vec::new(), HashMap::new());
        for (number, extract) in (0..).zip(extracts) {
            let lay = inputs_of_run(&extract.path("run.json"))?;
            let (inputs, _) = discover(&lay)?;
            for input in inputs {
                let parts: Vec<_> = input.path.iter().map(|part| part.to_string_lossy()).collect();
                for folders in 0..MOST_FOLDERS.min(parts.len()) {
                    let name = parts[parts.len() - 1 - folders..].join("/");
                    named.entry((number, name)).or_insert(files.len());
                }
                files.push(RecordFile::new(&input.path, &ReadOptions::default()));
            }
        }
        if files.is_empty() {
            let why = "structure is read from the shards of these results, which are not where they were";
            return Err(Error::Config(why.into()));
        }
        let mill = Mill::new(PageLimits { details: false, ..PageLimits::default() });
        Ok(Shards { files, named, mill })
    }

    /// The tags of a page; `None` where its record cannot be read.
    fn structure(&self, pages: &Pages, page: u32) -> Option<Structure> {
        let known = pages.page(page);
        let file = *self.named.get(&(known.results, pages.shard(page).to_owned()))?;
        let found = self.files[file].read(known.offset as u64, None).ok()?;
        let record = found.record();
        let capture = record.to_mention()?;
        let buffers = Buffers::default();
        let read = Page::new(&capture, &self.mill, &buffers)?;
        Some(read.dom().map_or_else(Structure::default, Structure::of))
    }
}
