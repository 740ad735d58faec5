//! The total order of pages: which of duplicates is kept.

use std::path::PathBuf;

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};
use webmill_dedup::{KeepKey, KeepPolicy, KeptPage};
use webmill_mill::PageRow;
use webmill_run::Committed;
use webmill_sort::{Budget, ByKey, Sorter, keyed};
use webmill_table::{Reader, columns};

use crate::current_captures::CurrentCapture;
use crate::levels::{Level, read_level};
use crate::rank::tables::RankRow;

columns! {
    struct RankColumns from RankRow { url, pagerank }
}

columns! {
    struct Naming from PageRow { url_key, canonical_url, is_current, is_html }
}

/// The page names another URL as canonical.
const OTHER: u64 = 1 << 32;
/// The page names its own.
const OWN: u64 = 1 << 33;

/// An order of pages: a policy, and what it has to know of them beside what tables say of a capture.
pub struct Order {
    policy: KeepPolicy,
    /// What is known of a key: of ranks the bits of PageRank, of canonical names the
    /// number of pages that name the URL and the flags [`OTHER`] and [`OWN`].
    known: Option<ByKey>,
}

impl Order {
    /// What `policy` needs of the results: of tables `ranks`, or of the parts of tables `pages`.
    ///
    /// # Errors
    /// Where a table cannot be read or the disk refuses.
    pub fn read(
        policy: KeepPolicy,
        ranks: Option<&Committed>,
        pages: &[PathBuf],
        budget: &Budget,
    ) -> Result<Self> {
        let known = match (policy, ranks) {
            (KeepPolicy::Rank, Some(ranks)) => Some(by_rank(ranks, budget)?),
            (KeepPolicy::Canonical, _) => Some(by_names(pages, budget)?),
            _ => None,
        };
        Ok(Order { policy, known })
    }

    /// That of a policy which needs nothing but what stands in the row of a page.
    ///
    /// # Errors
    /// [`Error::Config`] for one that needs ranks or other pages.
    pub fn of_rows(policy: KeepPolicy) -> Result<Self> {
        match policy {
            KeepPolicy::Earliest | KeepPolicy::Longest => Ok(Order { policy, known: None }),
            other => Err(Error::Config(format!(
                "keep = {:?} needs more than the row of a page: earliest and longest are possible here",
                other.name()
            ))),
        }
    }

    /// By what a page sorts.
    pub fn key<'a>(&self, capture: &'a CurrentCapture) -> KeepKey<'a> {
        let known = self.known.as_ref().and_then(|known| known.get(capture.key));
        let mut page = KeptPage {
            url: &capture.url,
            fetched_ms: capture.time_ms,
            text_length: u64::from(capture.words),
            ..KeptPage::default()
        };
        match (self.policy, known) {
            (KeepPolicy::Rank, Some(bits)) => page.rank = Some(f64::from_bits(bits)),
            (KeepPolicy::Canonical, Some(known)) => {
                page.named_by = known as u32;
                page.canonical = match (known & OTHER, known & OWN) {
                    (0, 0) => None,
                    (0, _) => Some(&capture.url),
                    // Whatever it is, it is another one.
                    (_, _) => Some(""),
                };
            }
            _ => {}
        }
        self.policy.key(&page)
    }
}

fn by_rank(ranks: &Committed, budget: &Budget) -> Result<ByKey> {
    let mut sorter = Sorter::new(budget).with_combine(|a: &mut [u64; 3], b| a[..2] == b[..2]);
    let mut reader = read_level::<RankColumns>(ranks, Level::Page);
    while let Some(batch) = reader.next()? {
        for row in batch.rows() {
            if let Some(url) = CanonicalUrl::parse_stored(row.url) {
                sorter.push(keyed(url.key().0, row.pagerank.to_bits()))?;
            }
        }
    }
    ByKey::of(sorter)
}

fn by_names(pages: &[PathBuf], budget: &Budget) -> Result<ByKey> {
    let share = budget.share(2);
    // (halves of the page's key, of the key of the URL that it names): each once, however often it was fetched.
    let mut names = Sorter::new(&share).with_combine(|a: &mut [u64; 4], b| a == b);
    for path in pages {
        let mut reader = Reader::<Naming>::open(path)?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| row.is_current && row.is_html) {
                if let Some(named) = row.canonical_url.and_then(CanonicalUrl::parse_stored) {
                    let ([a, b, _], [c, d, _]) = (keyed(row.url_key.0, 0), keyed(named.key().0, 0));
                    names.push([a, b, c, d])?;
                }
            }
        }
    }
    let mut sorter = Sorter::new(&share).with_combine(|a: &mut [u64; 3], b| {
        let same = a[..2] == b[..2];
        if same {
            // Counts stay below 2³² pages; flags are set once or more.
            a[2] = u64::from((a[2] as u32).saturating_add(b[2] as u32)) | (a[2] | b[2]) >> 32 << 32;
        }
        same
    });
    for name in names.finish()? {
        let [a, b, c, d] = name?;
        if (a, b) == (c, d) {
            sorter.push([a, b, OWN])?;
        } else {
            sorter.push([a, b, OTHER])?;
            sorter.push([c, d, 1])?;
        }
    }
    ByKey::of(sorter)
}
