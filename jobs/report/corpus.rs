//! What the report says of the corpus as a whole and of each host. Memory: some 300 bytes a host.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::report::tables::{HostRow, SummaryRow};
use webmill_capture::CanonicalUrl;
use webmill_capture::Result;
use webmill_capture::surt::surt_host;
use webmill_table::TableReader;

use super::Sources;

/// Counts by name.
pub type Counts = BTreeMap<String, u64>;

/// Sums over the corpus.
#[derive(Default)]
pub struct Corpus {
    /// Captures of any kind.
    pub captures: u64,
    /// HTML captures with status 2xx.
    pub html: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Words of main texts.
    pub words: u64,
    /// Links.
    pub links: u64,
    /// Captures by status, media type; HTML pages by encoding, language, page type.
    pub status: Counts,
    pub mime: Counts,
    pub charset: Counts,
    pub language: Counts,
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
    /// URLs that ask to be left out of reports.
    pub noindex: HashSet<String>,
    /// Hosts by SURT form.
    pub hosts: BTreeMap<String, Host>,
}

/// Sums over a host.
#[derive(Default)]
pub struct Host {
    row: HostRow,
    languages: Counts,
}

/// Largest clusters kept for the report.
const TOP_CLUSTERS: usize = 15;
/// Keywords kept for the report, and distinct ones counted at a time.
const TOP_KEYWORDS: usize = 15;
const MAX_COUNTED_WORDS: usize = 1 << 20;

impl Corpus {
    /// Reads tables `pages` and `clusters`.
    pub fn read(sources: &Sources) -> Result<Self> {
        let mut corpus = Corpus::default();
        corpus.read_pages(sources)?;
        corpus.read_clusters(sources)?;
        corpus.read_keywords(sources)?;
        Ok(corpus)
    }

    fn read_keywords(&mut self, sources: &Sources) -> Result<()> {
        let mut counts = HashMap::new();
        let mut reader = TableReader::open(&sources.keywords.path("keywords"), &["tfidf_words"])?;
        while let Some(batch) = reader.next()? {
            self.texts += batch.len() as u64;
            for word in batch.lists("tfidf_words")?.into_iter().flatten() {
                *counts.entry(word).or_insert(0u64) += 1;
            }
            // Words that no second page of many has are not among the commonest.
            let mut least = 1;
            while counts.len() > MAX_COUNTED_WORDS {
                counts.retain(|_, n| *n > least);
                least += 1;
            }
        }
        let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        self.keyword = counts.into_iter().take(TOP_KEYWORDS).collect();
        Ok(())
    }

    fn read_pages(&mut self, sources: &Sources) -> Result<()> {
        let columns = [
            "url",
            "url_host_name",
            "url_host_registered_domain",
            "fetch_status",
            "content_mime_type",
            "content_mime_detected",
            "content_charset",
            "content_languages",
            "content_length",
            "is_html",
            "page_type",
            "num_words",
            "num_links",
            "robots_noindex",
        ];
        let mut reader = TableReader::open(&sources.extract.path("pages"), &columns)?;
        while let Some(batch) = reader.next()? {
            let (url, host) = (batch.str("url")?, batch.str("url_host_name")?);
            let (domain, status) = (batch.str("url_host_registered_domain")?, batch.i16("fetch_status")?);
            let (declared, detected) = (batch.str("content_mime_type")?, batch.str("content_mime_detected")?);
            let (charset, languages) = (batch.str("content_charset")?, batch.str("content_languages")?);
            let (length, html, kind) =
                (batch.u64("content_length")?, batch.bool("is_html")?, batch.str("page_type")?);
            let (words, links) = (batch.u32("num_words")?, batch.u32("num_links")?);
            let noindex = batch.bool("robots_noindex")?;
            for i in 0..batch.len() {
                let status = status.get(i);
                let bytes = length.get(i).unwrap_or(0);
                let (words, links) =
                    (u64::from(words.get(i).unwrap_or(0)), u64::from(links.get(i).unwrap_or(0)));
                let name = host.get(i).unwrap_or_default();
                self.captures += 1;
                self.bytes += bytes;
                self.words += words;
                self.links += links;
                add(&mut self.status, &status.map_or_else(|| "none".into(), |s| s.to_string()));
                add(&mut self.mime, declared.get(i).or(detected.get(i)).unwrap_or("unknown"));
                let host = self.hosts.entry(surt_host(name)).or_default();
                if host.row.captures == 0 {
                    name.clone_into(&mut host.row.url_host_name);
                    host.row.url_host_registered_domain = domain.get(i).map(str::to_owned);
                }
                host.row.captures += 1;
                host.row.bytes += bytes;
                host.row.words += words;
                host.row.links += links;
                host.row.errors += u64::from(status.is_some_and(|s| s >= 400));
                if html.get(i) == Some(true) && matches!(status, None | Some(200..=299)) {
                    self.html += 1;
                    host.row.html_pages += 1;
                    add(&mut self.charset, charset.get(i).unwrap_or("unknown"));
                    add(&mut self.page_type, kind.get(i).unwrap_or("unknown"));
                    let language = languages.get(i).and_then(|l| l.split(',').next()).unwrap_or("none");
                    add(&mut self.language, language);
                    if language != "none" {
                        add(&mut host.languages, language);
                    }
                }
                if noindex.get(i) == Some(true) {
                    self.noindex.insert(url.get(i).unwrap_or_default().to_owned());
                }
            }
        }
        Ok(())
    }

    fn read_clusters(&mut self, sources: &Sources) -> Result<()> {
        let mut reader = TableReader::open(&sources.dedup.path("clusters"), &["url", "keep", "size"])?;
        while let Some(batch) = reader.next()? {
            let (url, keep, size) = (batch.str("url")?, batch.bool("keep")?, batch.u32("size")?);
            for i in 0..batch.len() {
                let url = url.get(i).unwrap_or_default();
                if keep.get(i) == Some(true) {
                    let size = u64::from(size.get(i).unwrap_or(0));
                    *self.cluster_sizes.entry(size).or_default() += 1;
                    self.clusters.push((size, url.to_owned()));
                    if self.clusters.len() > 64 * TOP_CLUSTERS {
                        self.keep_largest();
                    }
                } else {
                    self.duplicates += 1;
                    if let Some(parsed) = CanonicalUrl::parse(url) {
                        self.hosts.entry(surt_host(parsed.host())).or_default().row.duplicates += 1;
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

    /// Adds the link analysis of a host.
    pub fn rank_host(&mut self, name: &str, pagerank: f64, hosts_in: u32, hosts_out: u32, pages_sum: f64) {
        if let Some(host) = self.hosts.get_mut(&surt_host(name)) {
            host.row.pagerank = pagerank;
            host.row.hosts_in = hosts_in;
            host.row.hosts_out = hosts_out;
            host.row.page_rank_sum = pages_sum;
        }
    }

    /// Rows of table `hosts`, in SURT order.
    pub fn host_rows(&self) -> Vec<HostRow> {
        self.hosts
            .values()
            .map(|host| HostRow { top_language: largest(&host.languages).map(|l| l.0), ..host.row.clone() })
            .collect()
    }

    /// Rows of table `summary`.
    pub fn summary_rows(&self, sources: &Sources) -> Vec<SummaryRow> {
        let mut rows = Vec::new();
        let mut row = |section: &str, name: &str, value: f64, unit: &str| {
            rows.push(SummaryRow { section: section.into(), name: name.into(), value, unit: unit.into() });
        };
        for (name, value, unit) in [
            ("captures", self.captures, "captures"),
            ("html pages", self.html, "pages"),
            ("bytes", self.bytes, "bytes"),
            ("words", self.words, "words"),
            ("links", self.links, "links"),
            ("hosts", self.hosts.len() as u64, "hosts"),
            ("clusters", self.cluster_sizes.values().sum(), "clusters"),
            ("duplicates", self.duplicates, "pages"),
        ] {
            row("corpus", name, value as f64, unit);
        }
        for (section, counts, unit) in [
            ("status", &self.status, "captures"),
            ("mime", &self.mime, "captures"),
            ("charset", &self.charset, "pages"),
            ("language", &self.language, "pages"),
            ("page type", &self.page_type, "pages"),
            ("keyword", &self.keyword, "pages"),
            ("left out", &sources.extract.manifest.counts.dropped, "records"),
            ("crawl", &super::draw::outcomes(sources), "events"),
        ] {
            for (name, count) in counts {
                row(section, name, *count as f64, unit);
            }
        }
        for (section, committed) in
            [("graph", &sources.graph), ("rank", &sources.rank), ("shape", &sources.shape)]
        {
            for (name, value) in &committed.manifest.facts {
                flatten(section, name, value, &mut row);
            }
        }
        rows
    }
}

/// Numbers of a nested fact, named by their path.
fn flatten(
    section: &str,
    name: &str,
    value: &serde_json::Value,
    row: &mut impl FnMut(&str, &str, f64, &str),
) {
    match value {
        serde_json::Value::Number(n) => row(section, name, n.as_f64().unwrap_or(f64::NAN), ""),
        serde_json::Value::Object(fields) => {
            for (field, value) in fields {
                flatten(section, &format!("{name} {field}"), value, row);
            }
        }
        _ => {}
    }
}

fn add(counts: &mut Counts, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}

/// The largest count; of equal ones the first by name.
fn largest(counts: &Counts) -> Option<(String, u64)> {
    counts.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0))).map(|(name, n)| (name.clone(), *n))
}
