//! `webmill count backlinks`: which pages link to a page, and by which words.
//!
//! **Definition.** Links are those of kinds that make arcs, of the captures that count and of redirects. Links of a page to itself are left out. Of a
//! target the distinct pairs (source, anchor) are listed in their order, the first [`CountBacklinks::most`] of them; all are counted.
//!
//! **Algorithm.** Two kernels over table `links`, whose keys begin with the SURT form of the target: pairs of source and anchor, and anchors with
//! counts. Parts are ranges of keys, so that tables are sorted as a whole: a host, or a domain, is one stretch.

use std::borrow::Cow;
use std::sync::Arc;

use crate::mapreduce::{Count, Key, MapReduce, Sample, Splitters};
use webmill_capture::{CanonicalUrl, Result, settings};
use webmill_mill::{LinkElement, LinkRow, PageRow};
use webmill_run::{Committed, Job, Stage};
use webmill_sort::{Budget, Mapped, Sorter};
use webmill_table::{Reader, columns, schema, table};

use super::engine::{Batches, Engine, Plan, Tally, parts_of};
use super::{SUPERSEDED, of_extract};
use crate::current_captures::place;
use crate::graph::GraphJob;
use crate::recipe::Settings;
use crate::registry::JobEntry;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry::of_request::<CountBacklinks>(
    "List the links to each page, and the anchors that name it",
    || vec![schema::<BacklinkRow>(), schema::<AnchorRow>()],
    of_extract::<CountBacklinks>,
);

table! {
    /// One row per URL that pages link to: the links to it.
    BacklinkRow = "count_backlinks" sorted by [url_sortkey, url] {
        url_sortkey: String = "SURT form of the URL", "cn,edu,pku)/news/1.html";
        url: String = "canonical URL that the links lead to", "http://pku.edu.cn/news/1.html";
        num_links: u64 = "links to it, those of one page each", "41";
        num_sources: u64 = "pages that link to it", "40";
        num_pairs: u64 = "different pairs of source and anchor; those beyond the lists were left out of them", "41";
        sources: Vec<String> = "canonical URL of the page of each pair, the first of num_pairs in the order of source and anchor", "['http://pku.edu.cn/', …]";
        anchors: Vec<String> = "text of the link of each pair", "['Campus news', …]";
    }
}

table! {
    /// One row per URL and text of links to it: how it is called.
    AnchorRow = "count_anchors" sorted by [url_sortkey, url, anchor] {
        url_sortkey: String = "SURT form of the URL", "cn,edu,pku)/news/1.html";
        url: String = "canonical URL that the links lead to", "http://pku.edu.cn/news/1.html";
        anchor: String = "text of the links, empty where there is none", "Campus news";
        num_links: u64 = "links with this text", "12";
    }
}

settings! {
    /// Settings of the job.
    pub struct CountBacklinks {
        /// Most pairs of source and anchor that are listed for each target.
        pub most: usize = 1000, within 0..=1_000_000;
        /// Kinds of links that count, see links.kind.
        pub kinds: Vec<String> = GraphJob::default().kinds;
    }
}

impl Settings for CountBacklinks {
    const TABLE: &'static str = "count-backlinks";

    fn check(&self) -> Result<()> {
        GraphJob { kinds: self.kinds.clone(), ..GraphJob::default() }.check()
    }
}

/// A link of a page.
pub struct Link<'p> {
    /// SURT form of the target.
    pub surt: &'p str,
    /// Canonical URL of the target.
    pub target: &'p str,
    /// The page that links.
    pub source: &'p str,
    /// By which words.
    pub anchor: &'p str,
}

/// Links by target.
pub struct Backlinks {
    pub(super) most: usize,
    pub(super) splitters: Arc<Splitters>,
}

impl MapReduce for Backlinks {
    type Page<'p> = Link<'p>;
    type Key<'k> = (Cow<'k, str>, &'k str);
    type Value = (String, String);
    type Out = BacklinkRow;

    fn map(&self, link: &Link<'_>, emit: &mut dyn FnMut(Self::Key<'_>, (String, String))) {
        emit((Cow::Borrowed(link.surt), link.target), (link.source.to_owned(), link.anchor.to_owned()));
    }

    fn reduce(
        &self,
        (surt, url): Self::Key<'_>,
        values: &mut dyn Iterator<Item = (String, String)>,
        emit: &mut dyn FnMut(BacklinkRow),
    ) {
        let mut row =
            BacklinkRow { url_sortkey: surt.into_owned(), url: url.to_owned(), ..BacklinkRow::default() };
        let mut last: Option<(String, String)> = None;
        for pair in values {
            row.num_links += 1;
            row.num_sources += u64::from(last.as_ref().is_none_or(|last| last.0 != pair.0));
            if last.as_ref() != Some(&pair) {
                row.num_pairs += 1;
                if row.sources.len() < self.most {
                    row.sources.push(pair.0.clone());
                    row.anchors.push(pair.1.clone());
                }
            }
            last = Some(pair);
        }
        emit(row);
    }

    fn partition(&self, key: &[u8], _: u32) -> u32 {
        self.splitters.part(key)
    }
}

/// Anchors of each target.
pub struct Anchors {
    pub(super) splitters: Arc<Splitters>,
}

impl MapReduce for Anchors {
    type Page<'p> = Link<'p>;
    type Key<'k> = (Cow<'k, str>, &'k str);
    type Value = Count;
    type Out = AnchorRow;
    const COMBINES: bool = true;

    fn map(&self, link: &Link<'_>, emit: &mut dyn FnMut(Self::Key<'_>, Count)) {
        // No URL or anchor holds a zero byte but as it is written in a key.
        let mut target = Vec::new();
        (Cow::Borrowed(link.surt), link.target).write(&mut target);
        let target = String::from_utf8(target).unwrap_or_default();
        emit((Cow::Owned(target), link.anchor), Count(1));
    }

    fn combine(&self, into: &mut Count, next: Count) {
        into.0 += next.0;
    }

    fn reduce(
        &self,
        (target, anchor): Self::Key<'_>,
        values: &mut dyn Iterator<Item = Count>,
        emit: &mut dyn FnMut(AnchorRow),
    ) {
        let Some((surt, url)) = <(Cow<'_, str>, &str)>::read(target.as_bytes()) else { return };
        let num_links = values.map(|count| count.0).sum();
        emit(AnchorRow {
            url_sortkey: surt.into_owned(),
            url: url.to_owned(),
            anchor: anchor.to_owned(),
            num_links,
        });
    }

    fn partition(&self, key: &[u8], _: u32) -> u32 {
        let target = <(Cow<'_, str>, &str)>::read(key).map(|(target, _)| target.into_owned());
        self.splitters.part(target.unwrap_or_default().as_bytes())
    }
}

columns! {
    struct Linked from LinkRow { source_url, target_url, anchor, kind, warc_filename, warc_record_offset }
}

columns! {
    struct Target from LinkRow { target_url }
}

columns! {
    struct CaptureColumns from PageRow { is_current, is_html, page_type, fetch_status, warc_filename, warc_record_offset }
}

impl Job for CountBacklinks {
    type Input = Committed;
    const NAME: &'static str = "count-backlinks";
    const VERSION: u32 = 2;

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        let plan = Plan::of_table(&extract.path("links"))?;
        let parts = parts_of(plan.bytes);
        let splitters = Arc::new(splitters(&plan, parts)?);
        let superseded = superseded(extract, stage)?;
        let backlinks = Backlinks { most: self.most, splitters: splitters.clone() };
        let engine = Engine { stage, kernel: &backlinks, name: "", parts };
        let files = self.map(&engine, &plan, &superseded, true)?;
        engine.reduce_table(&files, |row, write| write(row))?;
        let anchors = Anchors { splitters };
        let engine = Engine { stage, kernel: &anchors, name: "anchors-", parts };
        let files = self.map(&engine, &plan, &superseded, false)?;
        engine.reduce_table(&files, |row, write| write(row))?;
        Ok(())
    }
}

/// The SURT form of the target of a link that counts, or why it does not.
pub(super) fn taken(
    kinds: &[LinkElement],
    kind: LinkElement,
    source: &str,
    target: &str,
) -> Result<String, &'static str> {
    match CanonicalUrl::parse_stored(target) {
        _ if !kinds.contains(&kind) => Err("other-kind"),
        _ if source == target => Err("self-link"),
        None => Err("no-url"),
        Some(target) => Ok(target.surt()),
    }
}

impl CountBacklinks {
    /// The kinds of links that count.
    pub(super) fn elements(&self) -> Vec<LinkElement> {
        self.kinds.iter().filter_map(|kind| kind.parse().ok()).collect()
    }

    fn map<M>(
        &self,
        engine: &Engine<'_, '_, M>,
        plan: &Plan,
        superseded: &[u64],
        counts: bool,
    ) -> Result<Vec<crate::mapreduce::Shuffle>>
    where
        M: for<'p> MapReduce<Page<'p> = Link<'p>>,
    {
        let kinds = self.elements();
        engine.map_table::<Linked>(plan, |batch, rows, side, tally| {
            let mut told = Tally::default();
            for link in rows.map(|row| batch.get(row)) {
                let of_old =
                    || superseded.binary_search(&place(link.warc_filename, link.warc_record_offset)).is_ok();
                let target = taken(&kinds, link.kind, link.source_url, link.target_url).and_then(|surt| {
                    if !superseded.is_empty() && of_old() { Err(SUPERSEDED) } else { Ok(surt) }
                });
                told.note(target.as_ref().map(|_| "links").map_err(|why| *why));
                let Ok(surt) = target else { continue };
                let (source, anchor) = (link.source_url, link.anchor);
                side.map(&Link { surt: &surt, target: link.target_url, source, anchor })?;
            }
            if counts {
                tally.merge(told);
            }
            Ok(())
        })
    }
}

/// What cuts the targets into parts.
fn splitters(plan: &Plan, parts: u32) -> Result<Splitters> {
    let mut sample = Sample::default();
    if parts > 1 {
        let mut batches = Batches::<Target>::of(&plan.units.concat());
        let mut key = Vec::new();
        while let Some(batch) = batches.next()? {
            for link in batch.rows() {
                let Some(target) = CanonicalUrl::parse_stored(link.target_url) else { continue };
                key.clear();
                (Cow::Borrowed(target.surt().as_str()), link.target_url).write(&mut key);
                sample.add(&key);
            }
        }
    }
    Ok(sample.splitters(parts))
}

/// Places of the pages that a later capture of their URL replaced, ascending.
fn superseded(extract: &Committed, stage: &Stage<'_>) -> Result<Mapped<u64>> {
    let mut places = Sorter::new(&Budget::new(stage.memory as usize / 4).in_dir(stage.path("temp")));
    let mut reader = Reader::<CaptureColumns>::open(&extract.path("pages"))?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            let is_page = page.is_html || page.page_type.is_some();
            if is_page && matches!(page.fetch_status, None | Some(200..=299)) && !page.is_current {
                places.push(place(page.warc_filename, page.warc_record_offset))?;
            }
        }
    }
    places.mapped()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::kernels::run;

    fn backlinks(links: &[(&str, &str, &str)], most: usize) -> Vec<BacklinkRow> {
        let kernel = Backlinks { most, splitters: Arc::default() };
        let page = |(source, target, anchor): &(&str, &str, &str), each: &mut dyn FnMut(Link<'_>)| {
            let surt = CanonicalUrl::parse_stored(target).unwrap().surt();
            each(Link { surt: &surt, target, source, anchor });
        };
        run(&kernel, links, page, 1).concat()
    }

    #[test]
    fn vector() {
        let url = |name: &str| format!("http://{name}.example/");
        let (a, b, c) = (url("a"), url("b"), url("c"));
        let links = [(&a, &b), (&a, &c), (&b, &c), (&c, &a)];
        let links: Vec<_> = links.iter().map(|(s, t)| (s.as_str(), t.as_str(), "")).collect();
        let rows = backlinks(&links, 1000);
        let sources: Vec<_> = rows.iter().map(|row| (row.url.clone(), row.sources.clone())).collect();
        assert_eq!(sources, [(a.clone(), vec![c.clone()]), (b.clone(), vec![a.clone()]), (c, vec![a, b])]);
        let key = CanonicalUrl::parse_stored("http://maps.google.com/index.html").unwrap().surt();
        assert_eq!(key, "com,google,maps)/index.html");
    }

    #[test]
    fn links_are_counted_and_few_are_listed() {
        let links = [
            ("http://s2/", "http://t/", "two"),
            ("http://s1/", "http://t/", "one"),
            ("http://s1/", "http://t/", "one"),
            ("http://s1/", "http://t/", "another"),
        ];
        let rows = backlinks(&links, 2);
        assert_eq!((rows[0].num_links, rows[0].num_sources, rows[0].num_pairs), (4, 2, 3));
        assert_eq!(
            (rows[0].sources.len(), &rows[0].anchors),
            (2, &vec!["another".to_owned(), "one".to_owned()])
        );
    }

    #[test]
    fn anchors_are_counted() {
        let kernel = Anchors { splitters: Arc::default() };
        let links = ["b", "a", "b", "好"];
        let page = |anchor: &&str, each: &mut dyn FnMut(Link<'_>)| {
            each(Link { surt: "t)/", target: "http://t/", source: "http://s/", anchor });
        };
        let rows = run(&kernel, &links, page, 1).concat();
        let rows: Vec<_> = rows.iter().map(|r| (r.url.as_str(), r.anchor.as_str(), r.num_links)).collect();
        assert_eq!(rows, [("http://t/", "a", 1), ("http://t/", "b", 2), ("http://t/", "好", 1)]);
    }
}
