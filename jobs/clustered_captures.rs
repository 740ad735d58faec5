//! Current captures, each with the cluster of duplicates that it is in.
//!
//! **Algorithm.** Captures come in the order of their URLs ([`crate::current_captures`]), the rows of table `clusters` are
//! sorted by URL, and both are merged. Rows of pages of earlier results (`webmill dedup --against`), which are none of these
//! captures, are passed over; results from before there were such rows have no column that tells them.
//!
//! **Cost.** Two external sorts within the budget.

use std::iter::Peekable;
use std::path::{Path, PathBuf};

use webmill_capture::Result;
use webmill_run::{Committed, Inputs, JobInput};
use webmill_sort::{Budget, RowSorter, SortedRows, look_up};
use webmill_table::{Reader, columns, part_files};

use crate::current_captures::{self, Captures, CurrentCapture};
use crate::dedup::tables::ClusterRow;
use crate::job::{Context, mixed};

/// The results that are merged.
#[derive(Clone)]
pub struct PagesAndClusters {
    /// Pages, texts.
    pub extract: Committed,
    /// Clusters of their duplicates.
    pub dedup: Committed,
}

impl PagesAndClusters {
    /// Those of a context; that one was not made from the other is said.
    ///
    /// # Errors
    /// [`Error::Config`](webmill_capture::Error::Config) where there are none.
    pub fn of(context: &Context<'_>) -> Result<Self> {
        let sources =
            PagesAndClusters { extract: context.results_of("extract")?, dedup: context.results_of("dedup")? };
        mixed(&[&sources.extract, &sources.dedup])
            .iter()
            .for_each(|warning| context.runtime.progress.note(warning));
        Ok(sources)
    }

    /// The captures of table `pages` that count.
    ///
    /// # Errors
    /// Where a table cannot be read or the disk refuses.
    pub fn captures(&self, budget: &Budget) -> Result<ClusteredCaptures> {
        read(&part_files(&self.extract.path("pages"))?, &self.dedup.path("clusters"), budget)
    }
}

impl JobInput for PagesAndClusters {
    fn inputs(&self) -> Inputs {
        Inputs::of_jobs([&self.extract, &self.dedup])
    }
}

columns! {
    struct ClusterColumns from ClusterRow { url, cluster, earlier }
}

/// Captures in the order of their URLs.
pub struct ClusteredCaptures {
    captures: Captures,
    clusters: Peekable<SortedRows<String, u32>>,
    strangers: u64,
}

fn read(pages: &[PathBuf], clusters: &Path, budget: &Budget) -> Result<ClusteredCaptures> {
    let mut sorter = RowSorter::new(&budget.share(2)).with_unique_keys();
    let mut strangers = 0;
    read_clusters(clusters, |url, cluster| {
        strangers += 1;
        sorter.push(&url, &cluster)
    })?;
    let captures = current_captures::read(pages, &budget.share(2))?;
    Ok(ClusteredCaptures { captures, clusters: sorter.finish()?.peekable(), strangers })
}

/// Calls `each` with URL and cluster of every page that is not of earlier results.
fn read_clusters(clusters: &Path, mut each: impl FnMut(&str, u32) -> Result<()>) -> Result<()> {
    let mut reader = Reader::<ClusterColumns>::open(clusters)?;
    while let Some(batch) = reader.next()? {
        batch.rows().filter(|row| !row.earlier).try_for_each(|row| each(row.url, row.cluster))?;
    }
    Ok(())
}

impl ClusteredCaptures {
    /// The next capture, and the number of its cluster in table `clusters`; no cluster where no other page is its
    /// duplicate.
    ///
    /// # Errors
    /// Where a run file cannot be read.
    #[allow(clippy::should_implement_trait, reason = "errors come first: this is no Iterator of items")]
    pub fn next(&mut self) -> Result<Option<(CurrentCapture, Option<u32>)>> {
        let Some(capture) = self.captures.next_current(|_| ())? else { return Ok(None) };
        let cluster = look_up(&mut self.clusters, |url| url.cmp(&capture.url))?.copied();
        self.strangers -= u64::from(cluster.is_some());
        Ok(Some((capture, cluster)))
    }

    /// Captures that later ones of their URLs replace, once all are read.
    pub fn superseded(&self) -> u64 {
        self.captures.superseded()
    }

    /// Rows of table `clusters` whose page is no current capture, once all are read: signs of results of another corpus.
    pub fn strangers(&self) -> u64 {
        self.strangers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_mill::PageRow;
    use webmill_table::{Footer, Millis, write_part};

    #[test]
    fn captures_meet_their_clusters() {
        let page = |url: &str, ms| PageRow {
            url: url.into(),
            fetch_time: Millis(Some(ms)),
            fetch_status: Some(200),
            is_html: true,
            warc_record_offset: ms,
            ..PageRow::default()
        };
        let cluster = |url: &str, cluster| ClusterRow { url: url.into(), cluster, ..ClusterRow::default() };
        let folder = tempfile::tempdir().unwrap();
        let (pages, clusters) = (folder.path().join("p.parquet"), folder.path().join("c.parquet"));
        let footer = Footer { job_key: "k".into() };
        let urls = ["http://a/", "http://a/b", "http://a.b/", "http://c/", "http://a/"];
        let rows: Vec<PageRow> = (0..).zip(urls).map(|(ms, url)| page(url, ms)).collect();
        write_part(&pages, &rows, &footer).unwrap();
        let rows = ["http://0/", "http://a/", "http://b/", "http://c/", "http://d/"];
        let mut rows: Vec<ClusterRow> = (5..10).zip(rows).rev().map(|(n, url)| cluster(url, n)).collect();
        // Pages of earlier results are no captures of these.
        rows.extend(["http://a/0", "http://z/"].map(|url| ClusterRow { earlier: true, ..cluster(url, 6) }));
        write_part(&clusters, &rows, &footer).unwrap();

        let mut captures = read(&[pages], &clusters, &Budget::new(1 << 20)).unwrap();
        let mut found = Vec::new();
        while let Some((capture, cluster)) = captures.next().unwrap() {
            found.push((capture.url, capture.time_ms, cluster));
        }
        let expected = [
            ("http://a.b/", 2, None),
            ("http://a/", 4, Some(6)),
            ("http://a/b", 1, None),
            ("http://c/", 3, Some(8)),
        ];
        assert_eq!(found, expected.map(|(url, ms, cluster)| (url.to_owned(), Some(ms), cluster)));
        assert_eq!((captures.superseded(), captures.strangers()), (1, 3));
    }
}
