//! Near-duplicates: candidates by MinHash bands and by SimHash, each verified over all shingles as it arrives.

use rayon::prelude::*;
use webmill_capture::bits::Bits;
use webmill_capture::error::Result;
use webmill_dedup::{BandJoin, BandJoinOptions, BandJoinTotals, BandShape, text_bands};
use webmill_mill::TextRow;
use webmill_run::{Committed, Measure, Unit};
use webmill_sort::{Budget, Mapped, Sorter};
use webmill_table::{Reader, columns};

use super::Dedup;
use super::by::By;
use super::close;
use super::earlier::{Earlier, EarlierPairs};
use super::further::{self, Further};
use super::pages::Pages;
use super::texts::{Texts, TextsWriter};
use crate::current_captures::place;
use crate::job::groups_at_once;

columns! {
    struct SignedColumns from TextRow { url_key, text, bands, warc_filename, warc_record_offset }
}

columns! {
    struct Unsigned from TextRow { url_key, text, warc_filename, warc_record_offset }
}

/// The near-duplicates.
pub struct Near {
    /// (first page, later page, shingles in common or [`UNVERIFIED`](super::close::UNVERIFIED)), ascending: pages that speak
    /// for their texts.
    pub pairs: Mapped<[u32; 3]>,
    /// Those of the pairs that SimHash alone brought together.
    pub close: Mapped<[u32; 2]>,
    /// Pairs by further signatures.
    pub further: Vec<Further>,
    /// There were more close SimHashes than are looked at.
    pub close_cut: bool,
    /// What the pairs are verified with.
    pub texts: Texts,
    /// What earlier results tell.
    pub known: EarlierPairs,
    /// What the join did.
    pub totals: BandJoinTotals,
    /// Texts that were compared.
    pub compared: u64,
    /// Texts that have no bands: without two different words.
    pub without_bands: u64,
    /// Pages with a text in table `pages` that is missing in table `texts`.
    pub text_missing: u64,
}

/// Finds the pairs whose resemblance reaches the bound, as far as their signatures bring them together.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn find(
    settings: &Dedup,
    pages: &Pages,
    extract: &Committed,
    earlier: &[Earlier<'_>],
    budget: &Budget,
    unit: &Unit<'_>,
) -> Result<Near> {
    let stage = unit.stage();
    stage.progress.begin("read texts", pages.texts() as u64, Measure::Items);
    let known = EarlierPairs::read(earlier, pages, &budget.share(4))?;
    let mut feed = Feed::new(settings, pages, earlier, &known, budget, unit)?;
    feed.read_all(extract, earlier)?;
    stage.progress.end();
    let Feed { join, texts, compared, without_bands, .. } = feed;
    let text_missing = (0..pages.len() as u32)
        .filter(|&page| pages.speaks(page) && !texts.has(page) && !known.is_known(pages, page))
        .count() as u64;
    let mut texts = texts.finish(unit.temp(), settings.shape().words as usize)?;
    known.tell(&mut texts);
    stage.progress.begin("compare", 0, Measure::Items);
    let mut pairs = Sorter::new(&budget.share(4)).with_combine(|a: &mut [u32; 3], b| a[..2] == b[..2]);
    known.pairs.iter().try_for_each(|pair| pairs.push(*pair))?;
    let matches = join.run(|meetings, verdicts| {
        stage.cancel.check()?;
        stage.progress.advance(meetings.len() as u64);
        texts.verify(meetings, verdicts, settings.min_resemblance)?;
        for (meeting, common) in meetings.iter().zip(verdicts) {
            // The join gives the others.
            if let Some(common) = common.filter(|_| meeting.earlier) {
                pairs.push([meeting.representative, meeting.page, common as u32])?;
            }
        }
        Ok(())
    })?;
    let mut totals = *matches.totals();
    for found in matches {
        let found = found?;
        pairs.push([found.representative, found.page, found.similarity as u32])?;
    }
    let mut pairs = pairs.mapped()?;
    let (mut close, mut close_cut) = (Mapped::default(), false);
    if settings.by.contains(&By::Simhash) {
        let read = |wanted: &Bits, texts: &mut Texts| read_again(pages, extract, earlier, wanted, texts);
        let found = close::find(settings, pages, &pairs, &mut texts, read, (budget, unit))?;
        let mut both = Sorter::new(&budget.share(4));
        pairs.iter().chain(found.pairs.iter()).try_for_each(|pair| both.push(*pair))?;
        pairs = both.mapped()?;
        close = Mapped::of(unit.temp(), found.pairs.iter().map(|&[a, b, _]| Ok([a, b])))?;
        totals.verifications += found.totals.verifications;
        totals.capped_pages += found.totals.capped_pages;
        totals.largest_bucket = totals.largest_bucket.max(found.totals.largest_bucket);
        close_cut = found.cut;
    }
    stage.progress.end();
    let extracts = std::iter::once(extract).chain(earlier.iter().map(|results| results.extract));
    let sources = further::Sources { pages, texts: &texts, extracts: extracts.collect() };
    let further = further::find(settings, &sources, budget, unit)?;
    Ok(Near { pairs, close, further, close_cut, texts, known, totals, compared, without_bands, text_missing })
}

/// Adds the texts of pages that bands alone did not ask for: those of earlier results.
fn read_again(
    pages: &Pages,
    extract: &Committed,
    earlier: &[Earlier<'_>],
    wanted: &Bits,
    texts: &mut Texts,
) -> Result<()> {
    let all = std::iter::once(extract).chain(earlier.iter().map(|results| results.extract));
    for (number, results) in (0..).zip(all) {
        let mut reader = Reader::<Unsigned>::open(&results.path("texts"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                let page = pages.at(number, place(row.warc_filename, row.warc_record_offset), row.url_key.0);
                if let Some(page) = page.filter(|&page| wanted.contains(page) && !texts.has(page)) {
                    texts.add(page, row.text)?;
                }
            }
        }
    }
    Ok(())
}

/// What texts and bands are given to while tables are read.
struct Feed<'a> {
    settings: &'a Dedup,
    pages: &'a Pages,
    unit: &'a Unit<'a>,
    join: BandJoin,
    texts: TextsWriter,
    known: &'a EarlierPairs,
    compared: u64,
    without_bands: u64,
}

/// A text to be compared, and its bands.
type Text<'a> = (u32, &'a str, std::borrow::Cow<'a, [u64]>);

/// Which texts of results are taken, and as what.
#[derive(Copy, Clone, PartialEq)]
enum TextsTaken {
    /// All of them, as new.
    All,
    /// Those of known pages that are looked up again, as new.
    Reopened,
    /// All others, as known.
    Known,
}

impl<'a> Feed<'a> {
    fn new(
        settings: &'a Dedup,
        pages: &'a Pages,
        earlier: &[Earlier<'_>],
        known: &'a EarlierPairs,
        budget: &Budget,
        unit: &'a Unit<'a>,
    ) -> Result<Self> {
        let budget = budget.share(2);
        let join = match earlier.iter().any(|earlier| earlier.known) {
            true => BandJoin::with_earlier(&BandJoinOptions::default(), &budget),
            false => BandJoin::new(&BandJoinOptions::default(), &budget),
        };
        let texts = TextsWriter::create(unit.temp(), pages.len())?;
        Ok(Feed { settings, pages, unit, join, texts, known, compared: 0, without_bands: 0 })
    }

    /// Reads the texts of all results: all that is new comes before all that is known.
    fn read_all(&mut self, extract: &Committed, earlier: &[Earlier<'_>]) -> Result<()> {
        self.read(0, extract, TextsTaken::All)?;
        for (number, results) in (1..).zip(earlier) {
            match results.known {
                false => self.read(number, results.extract, TextsTaken::All)?,
                true if self.known.reopens_any() => {
                    self.read(number, results.extract, TextsTaken::Reopened)?
                }
                true => {}
            }
        }
        let mut known = (1..).zip(earlier).filter(|(_, results)| results.known);
        known.try_for_each(|(number, results)| self.read(number, results.extract, TextsTaken::Known))
    }

    /// Reads the texts of results, which have this number among them.
    fn read(&mut self, number: u32, results: &Committed, takes: TextsTaken) -> Result<()> {
        if !self.wants_bands() {
            return self.sign(number, results, takes);
        }
        let shape = self.settings.shape();
        if !super::bands_are_stored(results, &shape) {
            let note = format!(
                "dedup: the texts of {} are cut into words and signed anew, which takes longer than all else: extract \
                 stores bands for a resemblance of .77 and more ({}), not {}",
                results.folder.display(),
                BandShape::default().key(),
                shape.key()
            );
            self.unit.stage().progress.note(&note);
            return self.sign(number, results, takes);
        }
        let at_once = groups_at_once(self.unit.stage().memory);
        let mut reader = Reader::<SignedColumns>::open(&results.path("texts"))?.by_threads(at_once);
        while let Some(batch) = reader.next()? {
            self.unit.stage().cancel.check()?;
            for row in batch.rows() {
                let page =
                    self.pages.at(number, place(row.warc_filename, row.warc_record_offset), row.url_key.0);
                if let Some(page) = page.filter(|&page| self.pages.speaks(page)) {
                    self.take((page, row.text, row.bands.into()), takes)?;
                }
            }
        }
        Ok(())
    }

    fn wants_bands(&self) -> bool {
        self.settings.by.contains(&By::Bands)
    }

    /// Reads texts whose bands are of another shape or version, or not stored, or not wanted.
    fn sign(&mut self, number: u32, results: &Committed, takes: TextsTaken) -> Result<()> {
        let shape = self.wants_bands().then(|| self.settings.shape());
        let mut reader = Reader::<Unsigned>::open(&results.path("texts"))?;
        while let Some(batch) = reader.next()? {
            self.unit.stage().cancel.check()?;
            let rows: Vec<(u32, &str)> = batch
                .rows()
                .filter_map(|row| {
                    let page = self.pages.at(
                        number,
                        place(row.warc_filename, row.warc_record_offset),
                        row.url_key.0,
                    );
                    page.filter(|&page| self.pages.speaks(page)).map(|page| (page, row.text))
                })
                .collect();
            let signed: Vec<Text<'_>> = rows
                .par_iter()
                .map(|&(page, text)| {
                    let bands = shape.and_then(|shape| text_bands(text, &shape)).unwrap_or_default();
                    (page, text, bands.to_vec().into())
                })
                .collect();
            signed.into_iter().try_for_each(|text| self.take(text, takes))?;
        }
        Ok(())
    }

    fn take(&mut self, (page, text, bands): Text<'_>, takes: TextsTaken) -> Result<()> {
        if self.texts.has(page) || (takes == TextsTaken::Reopened && !self.known.reopens(page)) {
            return Ok(());
        }
        self.unit.stage().progress.advance(1);
        let without = self.wants_bands() && bands.is_empty();
        self.without_bands += u64::from(without);
        if takes != TextsTaken::Known {
            self.compared += u64::from(!without);
            self.join.push(page, &bands)?;
        } else {
            self.join.push_earlier(page, &bands)?;
            if !self.join.touches(&bands) && !self.known.has_pair(page) {
                return Ok(());
            }
        }
        self.texts.push(page, text)
    }
}
