//! What links say: the rows of table `links` between given pages.
//!
//! The row groups that may hold links of the pages are chosen by the statistics of column `source_url`; where a table
//! does not have it, two columns of keys are read throughout and of the rest only row groups that hold the rows looked
//! for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;
use webmill_capture::UrlKey;
use webmill_mill::LinkRow;
use webmill_run::Committed;
use webmill_table::{GroupCounts, Reader, columns};

columns! {
    struct LinkEnds from LinkRow { source_key, target_key }
}

columns! {
    struct LinkText from LinkRow { source_key, target_key, anchor, rel, kind, position, nofollow }
}

/// A link as its row tells it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Anchor {
    /// Text of the link.
    pub anchor: String,
    /// Element that made it.
    pub kind: &'static str,
    /// Ordinal on its page.
    pub position: u32,
    /// Attribute `rel`.
    pub rel: Option<String>,
    /// Whether it asks not to be followed.
    pub nofollow: bool,
}

/// Rows of links kept of one pair of pages; the others are counted.
const KEPT: usize = 64;

/// The links of one page to another.
#[derive(Debug, Clone, Default)]
pub struct PairLinks {
    /// The first by their place on the page, each text and element once.
    pub anchors: Vec<Anchor>,
    /// How many there are, in all captures of the page.
    pub rows: u64,
}

/// The links between pairs of pages, by the positions of their URLs.
#[derive(Debug, Default)]
pub struct Anchors {
    pairs: BTreeMap<(UrlKey, UrlKey), PairLinks>,
    /// Row groups that were read in full, and passed over.
    pub groups: GroupCounts,
    /// Whether keys were read of the whole table.
    pub scanned: bool,
}

impl Anchors {
    /// Finds the links of these pairs of canonical URLs, source and target.
    ///
    /// # Errors
    /// Where the table cannot be read.
    pub fn of(extract: &Committed, pairs: &[(String, String)]) -> Result<Self> {
        let wanted: BTreeMap<(UrlKey, UrlKey), PairLinks> = pairs
            .iter()
            .map(|(source, target)| ((UrlKey::of(source), UrlKey::of(target)), PairLinks::default()))
            .collect();
        let mut found = Anchors { pairs: wanted, ..Anchors::default() };
        if found.pairs.is_empty() {
            return Ok(found);
        }
        let mut sources: Vec<String> = pairs.iter().map(|(source, _)| source.clone()).collect();
        sources.sort_unstable();
        sources.dedup();
        let groups = found.locate(extract, sources)?;
        let files: Vec<PathBuf> = groups.keys().cloned().collect();
        let mut reader = Reader::<LinkText>::over(files).only(move |group| {
            groups.get(group.path()).is_some_and(|numbers| numbers.contains(&group.number()))
        });
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                let pair = (UrlKey(row.source_key.0), UrlKey(row.target_key.0));
                let Some(between) = found.pairs.get_mut(&pair) else { continue };
                between.rows += 1;
                let anchor = Anchor {
                    anchor: row.anchor.to_owned(),
                    kind: row.kind.as_str(),
                    position: row.position,
                    rel: row.rel.map(str::to_owned),
                    nofollow: row.nofollow,
                };
                between.add(anchor);
            }
        }
        Ok(found)
    }

    /// Row groups that hold links of the pairs.
    fn locate(
        &mut self,
        extract: &Committed,
        sources: Vec<String>,
    ) -> Result<BTreeMap<PathBuf, BTreeSet<usize>>> {
        let keys: BTreeSet<UrlKey> = self.pairs.keys().map(|(source, _)| *source).collect();
        let mut groups: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
        let mut reader = Reader::<LinkEnds>::open(&extract.path("links"))?
            .only(move |group| group.may_hold_any("source_url", &sources));
        while let Some(batch) = reader.next()? {
            let holds = |row: LinkEnds<'_>| {
                let (source, target) = (UrlKey(row.source_key.0), UrlKey(row.target_key.0));
                keys.contains(&source) && self.pairs.contains_key(&(source, target))
            };
            if batch.rows().any(holds) {
                groups.entry(batch.path().to_path_buf()).or_default().insert(batch.group());
            }
        }
        self.groups = reader.groups();
        self.scanned = self.groups.passed_over == 0 && self.groups.read > 1;
        Ok(groups)
    }

    /// The links of one page to another.
    pub fn between(&self, source: &str, target: &str) -> Option<&PairLinks> {
        self.pairs.get(&(UrlKey::of(source), UrlKey::of(target))).filter(|between| between.rows > 0)
    }
}

impl PairLinks {
    fn add(&mut self, anchor: Anchor) {
        let same = |known: &Anchor| known.anchor == anchor.anchor && known.kind == anchor.kind;
        if let Some(known) = self.anchors.iter_mut().find(|known| same(known)) {
            if anchor.position < known.position {
                *known = anchor;
            }
        } else if self.anchors.len() < KEPT {
            self.anchors.push(anchor);
        }
        self.anchors.sort_by(|a, b| a.position.cmp(&b.position).then_with(|| a.cmp(b)));
    }

    /// The first link with a text, else the first.
    pub fn best(&self) -> Option<&Anchor> {
        self.anchors.iter().find(|anchor| !anchor.anchor.is_empty()).or_else(|| self.anchors.first())
    }
}
