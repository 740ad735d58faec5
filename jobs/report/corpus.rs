//! What the report says of the corpus as a whole: sums and distributions.

use std::collections::{BTreeMap, HashMap};

use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_mill::PageRow;
use webmill_sort::{Budget, RowSorter, SortedRows, group};
use webmill_table::{Reader, columns};

use super::Sources;
use super::hosts::Hosts;
use super::tables::HostRow;
use crate::dedup::tables::ClusterRow;
use crate::extract::log::OUTCOME;
use crate::job::groups_at_once;
use crate::keywords::tables::KeywordRow;

/// SURT forms and URLs of pages.
pub type Noindex = SortedRows<(String, String), ()>;

/// Counts by name.
pub type Counts = BTreeMap<String, u64>;

/// Sums over the corpus.
#[derive(Default)]
pub struct Corpus {
    /// Captures of any kind.
    pub captures: u64,
    /// HTML captures with status 2xx.
    pub html: u64,
    /// Captures of documents that are no HTML and were read.
    pub documents: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Words of main texts.
    pub words: u64,
    /// Number of links.
    pub links: u64,
    /// Captures by status.
    pub status: Counts,
    /// Captures by media type.
    pub mime: Counts,
    /// Pages by encoding, those that are characters.
    pub charset: Counts,
    /// Pages by language.
    pub language: Counts,
    /// Pages by page type.
    pub page_type: Counts,
    /// Pages with main text.
    pub texts: u64,
    /// Pages by each of their keywords (tf·idf), of the commonest ones.
    pub keyword: Counts,
    /// Sizes of clusters: size → clusters.
    pub cluster_sizes: BTreeMap<u64, u64>,
    /// Clusters by size, largest first: size, representative.
    pub clusters: Vec<(u64, String)>,
    /// Pages that a cluster represents by another page.
    pub duplicates: u64,
    /// First and last time of fetching, ms.
    pub fetched: Option<(i64, i64)>,
    /// Pages by day of fetching (days since 1970) and language.
    pub fetch_days: BTreeMap<(i64, String), u64>,
    /// Pages by year of publication and language, as far as pages say.
    pub published_years: BTreeMap<(i64, String), u64>,
}

/// Largest clusters kept for the report.
const TOP_CLUSTERS: usize = 15;
/// Keywords kept for the report, and distinct ones counted before they go into the sort.
const TOP_KEYWORDS: usize = 15;
const COUNTED_AT_ONCE: usize = 1 << 16;
/// Distinct names of a distribution; foreign servers choose their media types. What comes later is counted together.
const MAX_NAMES: usize = 10_000;
pub const OTHERS: &str = "(others)";
/// Pairs of day and language counted; the languages of later ones together.
const MAX_DAYS: usize = 100_000;

columns! {
    /// The columns of a capture that are summed.
    struct CaptureColumns from PageRow {
        url,
        url_sortkey,
        url_host_name,
        url_host_registered_domain,
        fetch_time,
        published,
        fetch_status,
        content_mime_type,
        content_mime_detected,
        content_charset,
        content_languages,
        content_length,
        is_current,
        is_html,
        page_type,
        num_words,
        num_links,
        robots_noindex,
    }
}

columns! {
    struct ClusterColumns from ClusterRow { url, keep, size }
}

columns! {
    struct Words from KeywordRow { tfidf_words }
}

/// What the language of a page is counted as: the first of its languages, `und` of a text whose language is not known, `none` without text.
pub fn language_of(languages: Option<&str>, words: u32) -> &str {
    let unknown = if words > 0 { "und" } else { "none" };
    languages.and_then(|languages| languages.split(',').next()).unwrap_or(unknown)
}

impl Corpus {
    /// Pages: HTML and documents that were read.
    pub fn pages(&self) -> u64 {
        self.html + self.documents
    }

    /// Reads tables `pages`, `clusters` and `keywords`; gives `hosts` what concerns them. Returned beside the sums: the
    /// URLs that ask to be left out of reports, in order.
    pub fn read(sources: &Sources, hosts: &mut Hosts, budget: &Budget) -> Result<(Self, Noindex)> {
        let (mut corpus, mut words, budget) = (Corpus::default(), Corpus::default(), budget.share(2));
        let (noindex, worded) = rayon::join(
            || -> Result<Noindex> {
                let noindex = corpus.read_pages(sources, hosts, &budget)?;
                corpus.read_clusters(sources, hosts)?;
                Ok(noindex)
            },
            || words.read_keywords(sources, &budget),
        );
        let noindex = noindex?;
        worded?;
        (corpus.texts, corpus.keyword) = (words.texts, words.keyword);
        Ok((corpus, noindex))
    }

    fn read_keywords(&mut self, sources: &Sources, budget: &Budget) -> Result<()> {
        let mut sorter = RowSorter::new(budget);
        let mut counts: HashMap<String, u64> = HashMap::new();
        let reader = Reader::<Words>::open(&sources.keywords.path("keywords"))?;
        let mut reader = reader.by_threads(groups_at_once(4 * budget.memory_bytes as u64));
        while let Some(batch) = reader.next()? {
            self.texts += batch.len() as u64;
            for word in batch.rows().flat_map(|row| row.tfidf_words.iter()) {
                match counts.get_mut(word) {
                    Some(n) => *n += 1,
                    None => {
                        counts.insert(word.to_owned(), 1);
                    }
                }
            }
            if counts.len() >= COUNTED_AT_ONCE {
                spill(&mut counts, &mut sorter)?;
            }
        }
        spill(&mut counts, &mut sorter)?;
        self.keyword = commonest(sorter.finish()?, TOP_KEYWORDS)?;
        Ok(())
    }

    fn read_pages(&mut self, sources: &Sources, hosts: &mut Hosts, budget: &Budget) -> Result<Noindex> {
        let mut noindex = RowSorter::new(budget).with_unique_keys();
        let reader = Reader::<CaptureColumns>::open(&sources.extract.path("pages"))?;
        let mut reader = reader.by_threads(groups_at_once(4 * budget.memory_bytes as u64));
        while let Some(batch) = reader.next()? {
            for page in batch.rows() {
                let status = page.fetch_status;
                let (words, links) = (u64::from(page.num_words), u64::from(page.num_links));
                self.captures += 1;
                self.bytes += page.content_length;
                self.words += words;
                self.links += links;
                add(&mut self.status, &status.map_or_else(|| "none".into(), |s| s.to_string()));
                add(
                    &mut self.mime,
                    page.content_mime_type.or(page.content_mime_detected).unwrap_or("unknown"),
                );
                let is_good = matches!(status, None | Some(200..=299));
                let is_html = page.is_html && is_good;
                let is_document = !page.is_html && page.page_type.is_some() && is_good;
                let is_page = is_html || is_document;
                let language = page.content_languages.and_then(|l| l.split(',').next());
                let called = language_of(page.content_languages, page.num_words);
                self.note_times(page.fetch_time.0, page.published, is_page.then_some(called));
                if is_html || page.content_charset.is_some() {
                    add(&mut self.charset, page.content_charset.unwrap_or("unknown"));
                }
                // A page is one, however many captures of it there are.
                let (is_html, is_document) = (is_html && page.is_current, is_document && page.is_current);
                let is_page = is_html || is_document;
                if is_page {
                    self.html += u64::from(is_html);
                    self.documents += u64::from(is_document);
                    add(&mut self.page_type, page.page_type.map_or("unknown", |kind| kind.as_str()));
                    add(&mut self.language, called);
                }
                let counts = HostRow {
                    captures: 1,
                    bytes: page.content_length,
                    words,
                    links,
                    errors: u64::from(status.is_some_and(|s| s >= 400)),
                    html_pages: u64::from(is_html),
                    documents: u64::from(is_document),
                    ..HostRow::default()
                };
                let language = language.filter(|_| is_page);
                hosts.capture(page.url_host_name, page.url_host_registered_domain, &counts, language)?;
                if page.robots_noindex {
                    noindex.push(&(page.url_sortkey, page.url), &())?;
                }
            }
        }
        noindex.finish()
    }

    fn note_times(&mut self, fetched: Option<i64>, published: Option<&str>, language: Option<&str>) {
        if let Some(ms) = fetched {
            let (first, last) = self.fetched.unwrap_or((ms, ms));
            self.fetched = Some((first.min(ms), last.max(ms)));
        }
        let Some(language) = language else { return };
        let count = |counts: &mut BTreeMap<(i64, String), u64>, at: i64| {
            let key = (at, language.to_owned());
            if counts.len() < MAX_DAYS || counts.contains_key(&key) {
                *counts.entry(key).or_default() += 1;
            } else {
                *counts.entry((at, OTHERS.to_owned())).or_default() += 1;
            }
        };
        if let Some(ms) = fetched {
            count(&mut self.fetch_days, ms.div_euclid(86_400_000));
        }
        let year = published.and_then(|date| date.get(..4)?.parse().ok());
        if let Some(year) = year.filter(|year| (1980..=2100).contains(year)) {
            count(&mut self.published_years, year);
        }
    }

    fn read_clusters(&mut self, sources: &Sources, hosts: &mut Hosts) -> Result<()> {
        let mut reader = Reader::<ClusterColumns>::open(&sources.dedup.path("clusters"))?;
        while let Some(batch) = reader.next()? {
            for page in batch.rows() {
                if page.keep {
                    let size = u64::from(page.size);
                    *self.cluster_sizes.entry(size).or_default() += 1;
                    self.clusters.push((size, page.url.to_owned()));
                    if self.clusters.len() > 64 * TOP_CLUSTERS {
                        self.keep_largest();
                    }
                } else {
                    self.duplicates += 1;
                    if let Some(parsed) = CanonicalUrl::parse(page.url) {
                        hosts.duplicate(parsed.host())?;
                    }
                }
            }
        }
        self.keep_largest();
        Ok(())
    }

    fn keep_largest(&mut self) {
        self.clusters.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        self.clusters.truncate(TOP_CLUSTERS);
    }
}

/// Outcomes of the crawl, where its event log was among the inputs.
pub fn outcomes(sources: &Sources) -> Counts {
    let kept = &sources.extract.manifest.counts.kept;
    let named = kept.iter().filter_map(|(name, n)| Some((name.strip_prefix(OUTCOME)?.to_owned(), *n)));
    named.collect()
}

/// Counts one more of a name; past the most names that are told apart under that of all others.
pub fn add(counts: &mut Counts, name: &str) {
    let name = if counts.len() < MAX_NAMES || counts.contains_key(name) { name } else { OTHERS };
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}

fn spill(counts: &mut HashMap<String, u64>, sorter: &mut RowSorter<String, u64>) -> Result<()> {
    counts.drain().try_for_each(|(word, n)| sorter.push(&word.as_str(), &n))
}

/// The words of the greatest counts, ties in order of the words.
fn commonest(sorted: SortedRows<String, u64>, most: usize) -> Result<Counts> {
    let mut best: Vec<(u64, String)> = Vec::new();
    group(
        sorted,
        |a, b| a.0 == b.0,
        |(word, n), others| {
            let n = others.try_fold(*n, |sum, other| Ok::<_, Error>(sum + other?.1))?;
            let at = best.partition_point(|(count, _)| *count >= n);
            if at < most {
                best.insert(at, (n, word.clone()));
                best.truncate(most);
            }
            Ok(())
        },
    )?;
    Ok(best.into_iter().map(|(n, word)| (word, n)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_words_are_counted_over_all_spills() {
        let mut sorter = RowSorter::new(&Budget::new(1 << 12));
        for round in 0..40u64 {
            let words = ["tea", "rain", "ferry", "eel"].into_iter().zip([3, 3, 1, 5]);
            let mut counts: HashMap<String, u64> =
                words.map(|(word, n)| (word.to_owned(), n + round % 2)).collect();
            spill(&mut counts, &mut sorter).unwrap();
        }
        let found = commonest(sorter.finish().unwrap(), 2).unwrap();
        // Rain and tea are level: the first by name stays.
        assert_eq!(found, Counts::from([("eel".into(), 220), ("rain".into(), 140)]));
    }

    #[test]
    fn names_of_foreign_servers_are_bounded() {
        let mut counts = Counts::new();
        (0..MAX_NAMES + 5).for_each(|n| add(&mut counts, &format!("text/x-{n}")));
        assert_eq!((counts.len(), counts[OTHERS]), (MAX_NAMES + 1, 5));
    }
}
