//! The known answers of the demonstration site, held against the tables.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;
use webmill_table::TableReader;

use crate::run::Milled;

/// `answers.toml`: what is true of the site because it was written so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    /// Number of captures, and of HTML pages among them.
    captures: u64,
    html: u64,
    /// The page that must have the highest PageRank, the highest authority and the highest hub score.
    top_pagerank: String,
    top_authority: String,
    top_hub: String,
    /// Part of the bow-tie by URL.
    bowtie: BTreeMap<String, String>,
    /// Clusters: representative first.
    #[serde(default)]
    cluster: Vec<Cluster>,
    /// Pages that look alike but stand in no cluster.
    distinct: Vec<String>,
    /// Encoding by URL.
    charset: BTreeMap<String, String>,
    /// Language by URL.
    language: BTreeMap<String, String>,
    /// Pages that ask not to be indexed.
    noindex: Vec<String>,
    /// Readers' comments, records of data tables and structured data by URL: all of these pages, in words.
    comments: BTreeMap<String, Vec<String>>,
    records: BTreeMap<String, Vec<String>>,
    structured: BTreeMap<String, Vec<String>>,
    /// Words that must be among the keywords (tf·idf) of a page, by URL.
    keywords: BTreeMap<String, Vec<String>>,
    /// Main text by URL.
    #[serde(default)]
    text: Vec<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cluster {
    kind: String,
    pages: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    url: String,
    with: Vec<String>,
    without: Vec<String>,
}

/// Every answer that the tables do not give, in words; empty where all is well.
pub fn check(milled: &Milled) -> Result<Vec<String>> {
    let answers: Answers =
        toml::from_str(super::site::text("answers.toml")?).context("datasets/demo-site/answers.toml")?;
    let mut missed = Vec::new();
    let mut expect = |what: String, found: String, want: &str| {
        if found != want {
            missed.push(format!("{what}: found {found}, known {want}"));
        }
    };
    let kept = &milled.extract.manifest.counts.kept;
    for (name, want) in [("captures", answers.captures), ("html", answers.html)] {
        expect(name.into(), kept.get(name).copied().unwrap_or(0).to_string(), &want.to_string());
    }

    let mut best: BTreeMap<&str, (f64, String)> = BTreeMap::new();
    let mut reader =
        TableReader::open(&milled.rank.path("ranks"), &["level", "url", "pagerank", "authority", "hub"])?;
    while let Some(batch) = reader.next()? {
        let (level, url) = (batch.str("level")?, batch.str("url")?);
        for measure in ["pagerank", "authority", "hub"] {
            let scores = batch.f64(measure)?;
            for i in (0..batch.len()).filter(|i| level.get(*i) == Some("page")) {
                let score = scores.get(i).unwrap_or(0.0);
                if best.get(measure).is_none_or(|(s, _)| score > *s) {
                    best.insert(measure, (score, url.get(i).unwrap_or_default().to_owned()));
                }
            }
        }
    }
    for (measure, want) in [
        ("pagerank", &answers.top_pagerank),
        ("authority", &answers.top_authority),
        ("hub", &answers.top_hub),
    ] {
        expect(format!("top {measure}"), best.get(measure).map_or_else(String::new, |b| b.1.clone()), want);
    }

    let node_urls = nodes(milled)?;
    let mut reader = TableReader::open(&milled.shape.path("components"), &["level", "node", "bowtie"])?;
    while let Some(batch) = reader.next()? {
        let (level, node, part) = (batch.str("level")?, batch.u32("node")?, batch.str("bowtie")?);
        for i in (0..batch.len()).filter(|i| level.get(*i) == Some("page")) {
            let url = node.get(i).and_then(|n| node_urls.get(&n)).map_or("", String::as_str);
            if let Some(want) = answers.bowtie.get(url) {
                expect(format!("bow-tie of {url}"), part.get(i).unwrap_or_default().to_owned(), want);
            }
        }
    }
    for url in answers.bowtie.keys().filter(|u| !node_urls.values().any(|n| n == *u)) {
        expect(format!("bow-tie of {url}"), "no such node".into(), "a node");
    }

    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut kinds: BTreeMap<String, String> = BTreeMap::new();
    let mut reader = TableReader::open(&milled.dedup.path("clusters"), &["url", "representative", "kind"])?;
    while let Some(batch) = reader.next()? {
        let (url, representative, kind) =
            (batch.str("url")?, batch.str("representative")?, batch.str("kind")?);
        for i in 0..batch.len() {
            let url = url.get(i).unwrap_or_default().to_owned();
            found
                .entry(representative.get(i).unwrap_or_default().to_owned())
                .or_default()
                .insert(url.clone());
            kinds.insert(url, kind.get(i).unwrap_or_default().to_owned());
        }
    }
    for cluster in &answers.cluster {
        let (representative, others) = cluster.pages.split_first().context("a cluster has pages")?;
        let want: BTreeSet<String> = cluster.pages.iter().cloned().collect();
        let got = found.remove(representative).unwrap_or_default();
        expect(format!("cluster of {representative}"), format!("{got:?}"), &format!("{want:?}"));
        for page in others {
            let kind = kinds.get(page).cloned().unwrap_or_default();
            expect(format!("kind of {page}"), kind, &cluster.kind);
        }
    }
    for url in &answers.distinct {
        let kind = kinds.get(url).cloned().unwrap_or_else(|| "none".into());
        expect(format!("cluster of {url}"), kind, "none");
    }
    for (representative, pages) in found {
        expect(format!("cluster of {representative}"), format!("{pages:?}"), "none");
    }

    let columns = ["url", "content_charset", "content_languages", "robots_noindex"];
    let mut noindex = BTreeSet::new();
    let mut reader = TableReader::open(&milled.extract.path("pages"), &columns)?;
    while let Some(batch) = reader.next()? {
        let url = batch.str("url")?;
        let (charset, language) = (batch.str("content_charset")?, batch.str("content_languages")?);
        let flag = batch.bool("robots_noindex")?;
        for i in 0..batch.len() {
            let url = url.get(i).unwrap_or_default();
            for (column, known) in [(charset, &answers.charset), (language, &answers.language)] {
                if let Some(want) = known.get(url) {
                    expect(
                        format!("{} of {url}", column.name()),
                        column.get(i).unwrap_or("null").to_owned(),
                        want,
                    );
                }
            }
            if flag.get(i) == Some(true) {
                noindex.insert(url.to_owned());
            }
        }
    }
    let want: BTreeSet<String> = answers.noindex.iter().cloned().collect();
    expect("noindex pages".into(), format!("{noindex:?}"), &format!("{want:?}"));

    let mut texts = BTreeMap::new();
    let mut reader = TableReader::open(&milled.extract.path("texts"), &["url", "text"])?;
    while let Some(batch) = reader.next()? {
        let (url, text) = (batch.str("url")?, batch.str("text")?);
        for i in 0..batch.len() {
            texts.insert(
                url.get(i).unwrap_or_default().to_owned(),
                text.get(i).unwrap_or_default().to_owned(),
            );
        }
    }
    for (table, known) in
        [("comments", &answers.comments), ("records", &answers.records), ("structured", &answers.structured)]
    {
        let found = super::details::read(&milled.extract, table)?;
        for (url, want) in known {
            let found = found.get(url).cloned().unwrap_or_default();
            expect(format!("{table} of {url}"), format!("{found:?}"), &format!("{want:?}"));
        }
    }

    let mut reader = TableReader::open(&milled.keywords.path("keywords"), &["url", "tfidf_words"])?;
    while let Some(batch) = reader.next()? {
        let (url, words) = (batch.str("url")?, batch.lists("tfidf_words")?);
        for (url, words) in url.iter().zip(words) {
            let url = url.unwrap_or_default();
            for known in answers.keywords.get(url).into_iter().flatten() {
                let found = if words.contains(known) { known.clone() } else { words.join(", ") };
                expect(format!("keywords of {url}"), found, known);
            }
        }
    }
    for known in &answers.text {
        let text = texts.get(&known.url).map_or("", String::as_str);
        for (snippets, want) in [(&known.with, "stands in the text"), (&known.without, "is left out")] {
            for snippet in snippets {
                let state =
                    if text.contains(snippet.as_str()) { "stands in the text" } else { "is left out" };
                expect(format!("main text of {}: “{snippet}”", known.url), state.into(), want);
            }
        }
    }
    Ok(missed)
}

fn nodes(milled: &Milled) -> Result<BTreeMap<u32, String>> {
    let mut urls = BTreeMap::new();
    let mut reader = TableReader::open(&milled.graph.path("nodes"), &["level", "node", "url"])?;
    while let Some(batch) = reader.next()? {
        let (level, node, url) = (batch.str("level")?, batch.u32("node")?, batch.str("url")?);
        for i in (0..batch.len()).filter(|i| level.get(*i) == Some("page")) {
            urls.insert(node.get(i).unwrap_or_default(), url.get(i).unwrap_or_default().to_owned());
        }
    }
    Ok(urls)
}
