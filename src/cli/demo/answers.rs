//! The known answers of the demonstration site, held against the tables.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;
use webmill_mill::{PageRow, TextRow};
use webmill_run::Committed;
use webmill_table::{Table, read_rows};

use super::details;
use webmill_jobs::dedup::tables::ClusterRow;
use webmill_jobs::graph::tables::NodeRow;
use webmill_jobs::keywords::tables::KeywordRow;
use webmill_jobs::levels::Level;
use webmill_jobs::rank::tables::RankRow;
use webmill_jobs::shape::tables::ComponentRow;

/// `answers.toml`: facts that are true of the site because it was written so.
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
    /// Posts and comments, records of data tables and structured data by URL: all of these pages, in words.
    posts: BTreeMap<String, Vec<String>>,
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
pub fn check(results: &BTreeMap<String, Committed>) -> Result<Vec<String>> {
    let answers: Answers =
        toml::from_str(super::site::text("answers.toml")?).context("datasets/demo-site/answers.toml")?;
    let mut check = Check { answers, results, missed: Vec::new() };
    check.counts()?;
    check.ranks()?;
    check.shape()?;
    check.clusters()?;
    check.pages()?;
    check.details()?;
    check.keywords()?;
    check.texts()?;
    Ok(check.missed)
}

struct Check<'a> {
    answers: Answers,
    results: &'a BTreeMap<String, Committed>,
    missed: Vec<String>,
}

impl Check<'_> {
    fn expect(&mut self, what: impl Into<String>, found: impl Into<String>, want: &str) {
        let (what, found) = (what.into(), found.into());
        if found != want {
            self.missed.push(format!("{what}: found {found}, known {want}"));
        }
    }

    fn of(&self, job: &str) -> Result<&Committed> {
        self.results.get(job).with_context(|| format!("{job} was not run"))
    }

    fn rows<T: Table>(&self, job: &str) -> Result<Vec<T>> {
        Ok(read_rows(&self.of(job)?.path(T::NAME))?)
    }

    fn counts(&mut self) -> Result<()> {
        let kept = self.of("extract")?.manifest.counts.kept.clone();
        for (name, want) in [("captures", self.answers.captures), ("html", self.answers.html)] {
            self.expect(name, kept.get(name).copied().unwrap_or(0).to_string(), &want.to_string());
        }
        Ok(())
    }

    fn ranks(&mut self) -> Result<()> {
        let ranks: Vec<RankRow> = self.rows("rank")?;
        let pages = || ranks.iter().filter(|row| row.level == Level::Page);
        let best = |measure: fn(&RankRow) -> f64| {
            let better = |best: &Option<&RankRow>, row| best.is_none_or(|best| measure(row) > measure(best));
            let best = pages().fold(None, |best, row| if better(&best, row) { Some(row) } else { best });
            best.map_or_else(String::new, |row| row.url.clone())
        };
        let found = [best(|row| row.pagerank), best(|row| row.authority), best(|row| row.hub)];
        let known = [&self.answers.top_pagerank, &self.answers.top_authority, &self.answers.top_hub]
            .map(String::clone);
        for ((measure, found), want) in ["pagerank", "authority", "hub"].into_iter().zip(found).zip(known) {
            self.expect(format!("top {measure}"), found, &want);
        }
        Ok(())
    }

    fn shape(&mut self) -> Result<()> {
        let nodes: Vec<NodeRow> = self.rows("graph")?;
        let urls: BTreeMap<u32, String> =
            nodes.into_iter().filter(|row| row.level == Level::Page).map(|row| (row.node, row.url)).collect();
        let components: Vec<ComponentRow> = self.rows("shape")?;
        let known = self.answers.bowtie.clone();
        for row in components.iter().filter(|row| row.level == Level::Page) {
            let url = urls.get(&row.node).map_or("", String::as_str);
            if let Some(want) = known.get(url) {
                self.expect(format!("bow-tie of {url}"), row.bowtie.as_str(), want);
            }
        }
        for url in known.keys().filter(|url| !urls.values().any(|node| node == *url)) {
            self.expect(format!("bow-tie of {url}"), "no such node", "a node");
        }
        Ok(())
    }

    fn clusters(&mut self) -> Result<()> {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut kinds: BTreeMap<String, &str> = BTreeMap::new();
        for row in self.rows::<ClusterRow>("dedup")? {
            found.entry(row.representative).or_default().insert(row.url.clone());
            kinds.insert(row.url, row.kind.as_str());
        }
        for cluster in std::mem::take(&mut self.answers.cluster) {
            let (representative, others) = cluster.pages.split_first().context("a cluster has pages")?;
            let want: BTreeSet<String> = cluster.pages.iter().cloned().collect();
            let got = found.remove(representative).unwrap_or_default();
            self.expect(format!("cluster of {representative}"), format!("{got:?}"), &format!("{want:?}"));
            for page in others {
                self.expect(format!("kind of {page}"), *kinds.get(page).unwrap_or(&""), &cluster.kind);
            }
        }
        for url in std::mem::take(&mut self.answers.distinct) {
            self.expect(format!("cluster of {url}"), *kinds.get(&url).unwrap_or(&"none"), "none");
        }
        for (representative, pages) in found {
            self.expect(format!("cluster of {representative}"), format!("{pages:?}"), "none");
        }
        Ok(())
    }

    fn pages(&mut self) -> Result<()> {
        let mut noindex = BTreeSet::new();
        let (charset, language) = (self.answers.charset.clone(), self.answers.language.clone());
        for row in self.rows::<PageRow>("extract")? {
            for (column, found, known) in [
                ("content_charset", &row.content_charset, &charset),
                ("content_languages", &row.content_languages, &language),
            ] {
                if let Some(want) = known.get(&row.url) {
                    let found = found.clone().unwrap_or_else(|| "null".into());
                    self.expect(format!("{column} of {}", row.url), found, want);
                }
            }
            if row.robots_noindex {
                noindex.insert(row.url);
            }
        }
        let want: BTreeSet<String> = self.answers.noindex.iter().cloned().collect();
        self.expect("noindex pages", format!("{noindex:?}"), &format!("{want:?}"));
        Ok(())
    }

    fn details(&mut self) -> Result<()> {
        let found = details::read(self.of("extract")?)?;
        let answers = &mut self.answers;
        let known = [&mut answers.posts, &mut answers.records, &mut answers.structured].map(std::mem::take);
        for ((table, found), known) in found.into_iter().zip(known) {
            for (url, want) in known {
                let found = found.get(&url).cloned().unwrap_or_default();
                self.expect(format!("{table} of {url}"), format!("{found:?}"), &format!("{want:?}"));
            }
        }
        Ok(())
    }

    fn keywords(&mut self) -> Result<()> {
        for row in self.rows::<KeywordRow>("keywords")? {
            for known in self.answers.keywords.get(&row.url).cloned().into_iter().flatten() {
                let words = &row.tfidf_words;
                let found = if words.contains(&known) { known.clone() } else { words.join(", ") };
                self.expect(format!("keywords of {}", row.url), found, &known);
            }
        }
        Ok(())
    }

    fn texts(&mut self) -> Result<()> {
        let texts: BTreeMap<String, String> =
            self.rows::<TextRow>("extract")?.into_iter().map(|row| (row.url, row.text)).collect();
        for known in std::mem::take(&mut self.answers.text) {
            let text = texts.get(&known.url).map_or("", String::as_str);
            for (snippets, want) in [(&known.with, "stands in the text"), (&known.without, "is left out")] {
                for snippet in snippets {
                    let state =
                        if text.contains(snippet.as_str()) { "stands in the text" } else { "is left out" };
                    self.expect(format!("main text of {}: “{snippet}”", known.url), state, want);
                }
            }
        }
        Ok(())
    }
}
