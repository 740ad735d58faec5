//! Near-duplicates by SimHash: pages whose fingerprints differ in few bits, each verified over all shingles unless that is not
//! wanted.
//!
//! **Which pages.** Those that speak for their text. Where bands are expected to find .99 of the pairs, the pages that they
//! found to be a near-duplicate of an earlier page are left out: what bands brought together needs no second look, and
//! thousands of pages of one text with another date are one page here. With fewer bands, or none, all take part; without
//! any, unverified, the pairs are those of the literature.

use webmill_capture::bits::Bits;
use webmill_capture::error::Result;
use webmill_dedup::{BandJoin, BandJoinOptions, BandJoinTotals, Meeting, near_buckets};
use webmill_run::Unit;
use webmill_sort::{Budget, Mapped, MappedWriter, Sorter};

use super::Dedup;
use super::by::By;
use super::pages::Pages;
use super::texts::Texts;

/// In the place of the shingles in common: the pair was not verified.
pub const UNVERIFIED: u32 = u32::MAX;

/// What was found.
pub struct Close {
    /// (first page, later page, shingles in common or [`UNVERIFIED`]), ascending.
    pub pairs: Mapped<[u32; 3]>,
    /// What the join did.
    pub totals: BandJoinTotals,
    /// There were more pairs of fingerprints than are looked at.
    pub cut: bool,
}

/// Verifies meetings of close SimHashes. A text of one shingle says one word, once or a thousand times, and is no
/// near-duplicate of anything.
///
/// # Errors
/// As [`Texts::verify`].
pub fn verify(
    texts: &mut Texts,
    meetings: &[Meeting],
    verdicts: &mut [Option<f32>],
    bound: f64,
) -> Result<()> {
    // A page of results whose table of texts lacks it cannot be compared.
    let has = |meeting: &Meeting| texts.has(meeting.representative) && texts.has(meeting.page);
    let there: Vec<usize> = (0..meetings.len()).filter(|&i| has(&meetings[i])).collect();
    let asked: Vec<Meeting> = there.iter().map(|&i| meetings[i]).collect();
    let mut found = vec![None; asked.len()];
    texts.verify(&asked, &mut found, bound)?;
    for (i, verdict) in there.into_iter().zip(found) {
        verdicts[i] = verdict.filter(|_| texts.num_shingles(meetings[i].representative) > 1);
    }
    Ok(())
}

/// Finds the pairs among pages that are no later page of `bands`; `read` adds the texts of the pages that it is given.
///
/// # Errors
/// Where the disk refuses, or `read`.
pub fn find(
    settings: &Dedup,
    pages: &Pages,
    bands: &[[u32; 3]],
    texts: &mut Texts,
    read: impl FnOnce(&Bits, &mut Texts) -> Result<()>,
    (budget, unit): (&Budget, &Unit<'_>),
) -> Result<Close> {
    let stage = unit.stage();
    let mut later = Bits::with_room(pages.len());
    let relied_on =
        settings.by.contains(&By::Bands) && settings.shape().is_enough_for(settings.min_resemblance);
    for pair in bands.iter().filter(|_| relied_on) {
        later.insert(pair[1]);
    }
    let (mut numbers, mut fingerprints) =
        (MappedWriter::create(unit.temp())?, MappedWriter::create(unit.temp())?);
    for page in (0..pages.len() as u32).filter(|&page| pages.speaks(page) && !later.contains(page)) {
        if let Some(fingerprint) = pages.simhash(page) {
            numbers.push(page)?;
            fingerprints.push(fingerprint)?;
        }
    }
    drop(later);
    let (numbers, fingerprints) = (numbers.finish()?, fingerprints.finish()?);
    let mut join = BandJoin::new(&BandJoinOptions::default(), &budget.share(4));
    let mut missing = Bits::with_room(pages.len());
    let found = near_buckets(&fingerprints, settings.simhash_bits, &budget.share(2), |bucket, index| {
        let page = numbers[index as usize];
        if settings.verify && !texts.has(page) {
            missing.insert(page);
        }
        join.push(page, &[bucket])
    })?;
    if !missing.is_empty() {
        read(&missing, texts)?;
    }
    let matches = join.run(|meetings, verdicts| {
        stage.cancel.check()?;
        stage.progress.advance(meetings.len() as u64);
        if settings.verify {
            return verify(texts, meetings, verdicts, settings.min_resemblance);
        }
        for (meeting, verdict) in meetings.iter().zip(verdicts) {
            let distance = pages.distance(meeting.representative, meeting.page);
            *verdict = distance.filter(|d| u32::from(*d) <= settings.simhash_bits).map(|_| UNVERIFIED as f32);
        }
        Ok(())
    })?;
    let mut totals = *matches.totals();
    totals.verifications *= u64::from(settings.verify);
    let mut pairs = Sorter::new(&budget.share(4));
    for found in matches {
        let found = found?;
        let common = if settings.verify { found.similarity as u32 } else { UNVERIFIED };
        let pair = [found.representative, found.page];
        if bands.binary_search_by(|known| known[..2].cmp(&pair)).is_err() {
            pairs.push([pair[0], pair[1], common])?;
        }
    }
    Ok(Close { pairs: pairs.mapped()?, totals, cut: found.cut })
}
