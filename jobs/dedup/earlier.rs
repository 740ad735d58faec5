//! `--against`: results of earlier crawls, whose pages take part and whose pairs are known.
//!
//! **Work that is not repeated.** Pairs among pages of earlier results are taken from their table `duplicates`, and only
//! buckets with a page that is not known are looked into. That holds for results that were made by the same settings, word
//! lists and version, each of them against those before it; the pages of others take part as if they were new, and it is
//! said.

use webmill_capture::Result;
use webmill_run::{Committed, Stage};
use webmill_sort::{Budget, Mapped, Sorter};
use webmill_table::{Reader, columns};

use super::pages::Pages;
use super::tables::{ClusterRow, DuplicateKind, DuplicateRow, FoundBy};
use super::texts::Texts;
use super::{Dedup, DedupInput};

/// Earlier results that a run is made against.
pub struct Earlier<'a> {
    /// Their pages and texts.
    pub extract: &'a Committed,
    dedup: Option<&'a Committed>,
    /// Their pairs are known.
    pub known: bool,
}

/// Finds out which earlier results are known; says which are not, and why.
pub fn of<'a>(settings: &Dedup, input: &'a DedupInput, stage: &Stage<'_>) -> Vec<Earlier<'a>> {
    let mut all: Vec<Earlier<'a>> = Vec::new();
    for against in &input.against {
        let (extract, dedup) = (&against.extract, against.dedup.as_ref());
        let why = match dedup {
            _ if settings.by.iter().any(|by| by.is_further()) => {
                Some("only what bands and SimHash find is remembered".to_owned())
            }
            None => Some("they have no duplicates of their own".to_owned()),
            Some(dedup) => {
                differs(settings, dedup, extract).or_else(|| not_given(input, dedup)).or_else(|| {
                    let mut before = all.iter().filter(|earlier| earlier.known);
                    let strangers = before.find(|earlier| !were_joined(earlier, extract, dedup));
                    strangers
                        .map(|other| format!("they were not made against {}", other.extract.folder.display()))
                })
            }
        };
        if let Some(why) = &why {
            stage
                .progress
                .note(&format!("dedup: all pages of {} are compared again: {why}", extract.folder.display()));
        }
        all.push(Earlier { extract, dedup, known: why.is_none() });
    }
    all
}

/// Why the pairs of these results are not those that these settings would find.
fn differs(settings: &Dedup, dedup: &Committed, extract: &Committed) -> Option<String> {
    use webmill_run::Job;
    let theirs = &dedup.manifest;
    let made_from = theirs
        .inputs
        .upstream
        .iter()
        .any(|upstream| upstream.job == "extract" && upstream.key == extract.manifest.key);
    if !made_from {
        return Some("their duplicates are not of their latest pages".into());
    }
    if theirs.job_version != Dedup::VERSION {
        return Some("their duplicates are of another version".into());
    }
    let then: Option<Dedup> = serde_json::from_value(theirs.configuration.clone()).ok();
    if !then.is_some_and(|then| then.finds_what(settings)) {
        return Some("their duplicates were found by other settings".into());
    }
    let mut ours = settings.ingredients();
    // As they are in manifests.
    ours.sort_unstable();
    (theirs.ingredients != ours).then(|| "their duplicates are of another version".into())
}

/// Why results lean on others that are no part of this run: pairs with their pages stand for pairs without them.
fn not_given(input: &DedupInput, dedup: &Committed) -> Option<String> {
    let given = |key| input.against.iter().any(|against| against.extract.manifest.key == key);
    let mut leaned = dedup.manifest.inputs.upstream.iter().filter(|u| u.job == DedupInput::EARLIER);
    let missing = leaned.find(|upstream| !given(upstream.key.clone()))?;
    Some(format!("they were made against results {} that are not given", missing.key))
}

/// Whether one of two results was made against the other.
fn were_joined(one: &Earlier<'_>, extract: &Committed, dedup: &Committed) -> bool {
    let against = |dedup: &Committed, extract: &Committed| {
        let key = &extract.manifest.key;
        dedup.manifest.inputs.upstream.iter().any(|u| u.job == DedupInput::EARLIER && u.key == *key)
    };
    against(dedup, one.extract) || one.dedup.is_some_and(|theirs| against(theirs, extract))
}

columns! {
    struct EarlierPair from DuplicateRow {
        a_key,
        b_key,
        kind,
        a_shingles,
        b_shingles,
        shared_shingles,
        a_text_digest,
        b_text_digest,
        found_by,
    }
}

columns! {
    struct ClusterColumns from ClusterRow { url_key, representative_key, size }
}

/// Kinds of pairs in the order in which [`EarlierPairs::tells`] takes them.
const KINDS: [DuplicateKind; 3] = [DuplicateKind::Body, DuplicateKind::Text, DuplicateKind::Near];

/// Pairs that earlier results tell of, as far as the texts are those of current pages.
pub struct EarlierPairs {
    /// (first page, later page, shingles in common), ascending.
    pub pairs: Mapped<[u32; 3]>,
    /// (page, its shingles), ascending.
    shingles: Mapped<[u32; 2]>,
    /// (first page, later page, kind) of rows whose pages are both current, ascending.
    told: Mapped<[u32; 3]>,
    /// Pages that lost a near page: what else they are near to is looked for anew.
    reopened: Mapped<[u32; 1]>,
    /// (page, its representative or [`GONE`], size of the cluster) as the latest table tells, ascending.
    members: Mapped<[u32; 3]>,
    /// Results whose pairs are known.
    results: Vec<bool>,
}

/// The page that represented a cluster is not current any more.
const GONE: u32 = u32::MAX;

impl EarlierPairs {
    /// Reads the pairs.
    ///
    /// # Errors
    /// Where a table cannot be read or the disk refuses.
    pub fn read(earlier: &[Earlier<'_>], pages: &Pages, budget: &Budget) -> Result<Self> {
        let share = budget.share(6);
        let mut pairs = Sorter::new(&share).with_combine(|a: &mut [u32; 3], b| a[..2] == b[..2]);
        let mut shingles = Sorter::new(&share).with_combine(|a: &mut [u32; 2], b| a == b);
        let mut told = Sorter::new(&share).with_combine(|a: &mut [u32; 3], b| a == b);
        let mut reopened = Sorter::new(&share).with_combine(|a: &mut [u32; 1], b| a == b);
        for results in earlier.iter().filter(|results| results.known) {
            let Some(dedup) = results.dedup else { continue };
            let mut reader = Reader::<EarlierPair>::open(&dedup.path("duplicates"))?;
            while let Some(batch) = reader.next()? {
                for row in batch.rows() {
                    let Some(kind) = KINDS.iter().position(|kind| *kind == row.kind) else { continue };
                    let texts =
                        [row.a_text_digest, row.b_text_digest].map(|digest| digest.map_or(0, |d| d.0));
                    let page =
                        |key: u128, text| pages.of_key(key).filter(|&page| pages.page(page).text == text);
                    if let (Some(a), Some(b)) = (page(row.a_key.0, texts[0]), page(row.b_key.0, texts[1])) {
                        told.push([a.min(b), a.max(b), kind as u32])?;
                    }
                    // What was found by other means is no part of what bands would find.
                    let sizes = (row.a_shingles, row.b_shingles, row.shared_shingles);
                    let (Some(x), Some(y), Some(shared)) = sizes else { continue };
                    let (a, b) = match (pages.speaker(texts[0]), pages.speaker(texts[1])) {
                        (Some(a), Some(b)) => (a, b),
                        // A text that no current page has any more takes its pairs along. It may have stood for others
                        // in a bucket, so the page that is left is looked up as if it were new.
                        (Some(page), None) | (None, Some(page)) => {
                            reopened.push([page])?;
                            continue;
                        }
                        (None, None) => continue,
                    };
                    if matches!(row.found_by, FoundBy::Bands | FoundBy::BandsAndSimhash) {
                        pairs.push([a.min(b), a.max(b), shared])?;
                        shingles.push([a, x])?;
                        shingles.push([b, y])?;
                    }
                }
            }
        }
        let members = members(earlier, pages, &share)?;
        Ok(EarlierPairs {
            pairs: pairs.mapped()?,
            shingles: shingles.mapped()?,
            told: told.mapped()?,
            reopened: reopened.mapped()?,
            members: Mapped::of(&budget.temp_dir, members)?,
            results: std::iter::once(false).chain(earlier.iter().map(|earlier| earlier.known)).collect(),
        })
    }

    /// Whether an earlier table has this pair, which is then no news.
    pub fn tells(&self, a: u32, b: u32, kind: DuplicateKind) -> bool {
        let kind = KINDS.iter().position(|known| *known == kind).unwrap_or(KINDS.len());
        self.told.binary_search(&[a.min(b), a.max(b), kind as u32]).is_ok()
    }

    /// Whether the page's pairs with others of its kind are known.
    pub fn is_known(&self, pages: &Pages, page: u32) -> bool {
        self.results.get(pages.page(page).results as usize).copied().unwrap_or_default()
    }

    /// Whether any page is to be looked up as if it were new though its results are known.
    pub fn reopens_any(&self) -> bool {
        !self.reopened.is_empty()
    }

    /// Whether this one is.
    pub fn reopens(&self, page: u32) -> bool {
        self.reopened.binary_search(&[page]).is_ok()
    }

    /// Whether a known pair names the page.
    pub fn has_pair(&self, page: u32) -> bool {
        self.shingles.binary_search_by(|entry| entry[0].cmp(&page)).is_ok()
    }

    /// Whether earlier tables say something else of the cluster of a page than this; nothing said is a cluster of one.
    pub fn says_otherwise(&self, page: u32, representative: u32, size: u32) -> bool {
        let at = self.members.binary_search_by(|entry| entry[0].cmp(&page));
        let said = at.map_or((page, 1), |at| (self.members[at][1], self.members[at][2]));
        said != (representative, size)
    }

    /// Tells the sizes of texts that may not be compared again.
    pub fn tell(&self, texts: &mut Texts) {
        self.shingles.iter().for_each(|&[page, shingles]| texts.tell(page, shingles));
    }
}

/// What the latest table that names a page says of its cluster: see [`EarlierPairs::members`].
fn members(
    earlier: &[Earlier<'_>],
    pages: &Pages,
    budget: &Budget,
) -> Result<impl Iterator<Item = Result<[u32; 3]>>> {
    // A run that was made against others tells of their pages what holds.
    let mut order: Vec<&Committed> = earlier.iter().filter(|e| e.known).filter_map(|e| e.dedup).collect();
    order.sort_by_key(|dedup| {
        let upstream = dedup.manifest.inputs.upstream.iter();
        upstream.filter(|upstream| upstream.job == DedupInput::EARLIER).count()
    });
    // (page, turn, representative, size): the last turn of a page counts.
    let mut sorter = Sorter::new(budget).with_combine(|a: &mut [u32; 4], b| {
        let same = a[0] == b[0];
        if same && a[1] <= b[1] {
            *a = *b;
        }
        same
    });
    for (turn, dedup) in (0u32..).zip(order) {
        let mut reader = Reader::<ClusterColumns>::open(&dedup.path("clusters"))?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                if let Some(page) = pages.of_key(row.url_key.0) {
                    let representative = pages.of_key(row.representative_key.0).unwrap_or(GONE);
                    sorter.push([page, turn, representative, row.size])?;
                }
            }
        }
    }
    Ok(sorter
        .finish()?
        .map(|entry| entry.map(|[page, _, representative, size]| [page, representative, size])))
}
