//! What the report's templates read beside table `summary`: names, lists, and the geometry of pictures.

use std::collections::BTreeSet;

use super::html::{BowTie, Law, LogLog, OverTime};
use serde_json::{Value, json};
use webmill_capture::date::format_rfc3339;

use super::classes::Classes;
use super::compare::{Changes, FIRST};
use super::corpus::Corpus;
use super::crawls::CrawlNumbers;
use super::documents::Documents;
use super::hosts::WrittenHosts;
use super::numbers::Numbers;
use super::periods::Periods;
use super::summary::{degrees, of_rules};
use super::topics::Topics;
use super::tops::Tops;
use super::{Report, Sources, made, ranking};
use crate::levels::Level;
use crate::shape::tables::Direction;

/// Languages in the table of what changed.
const LANGUAGES: usize = 12;
/// Levels of fewer nodes have nothing to order.
const LEAST_NODES: u64 = 10;

/// What was found out.
pub struct ReportParts<'a> {
    pub sources: &'a Sources,
    pub corpus: &'a Corpus,
    pub tops: &'a Tops,
    pub hosts: &'a WrittenHosts,
    pub numbers: &'a Numbers,
    pub documents: &'a Documents,
    pub topics: &'a Topics,
    pub classes: &'a Classes,
    pub crawl: Option<&'a CrawlNumbers>,
    pub changes: Option<&'a Changes>,
}

/// All that the templates read.
pub fn data(settings: &Report, found: &ReportParts<'_>) -> Value {
    let (corpus, numbers, tops) = (found.corpus, found.numbers, found.tops);
    let title = |url: &str| tops.titles.get(url).map_or("", String::as_str);
    let day = |ms: i64| format_rfc3339(ms).chars().take(10).collect::<String>();
    let periods = Periods::of(corpus);
    let cluster = |(size, url): &(u64, String)| json!({"size": size, "url": url, "title": title(url)});
    json!({
        "first_host": found.hosts.largest.as_ref().map(|host| &host.url_host_name),
        "hosts": found.hosts.count,
        "fetched": corpus.fetched.map(|(first, last)| [day(first), day(last)]),
        "first_page": tops.pages[0].first().map(|page| json!({"url": page.url, "title": title(&page.url)})),
        "parts": parts(found),
        "bow_tie_of_pages": bow_tie(numbers),
        "times": periods.by,
        "languages_over_time": OverTime::of(&periods.names, &periods.languages),
        "ranking": ranking::data(found, settings.top),
        "documents": found.documents.names(),
        "degrees": degrees_drawn(numbers),
        "agreement": agreement(numbers),
        "clusters": corpus.clusters.iter().map(cluster).collect::<Vec<_>>(),
        "topics": found.topics,
        "evaluated": found.classes.evaluated(),
        "crawl": found.crawl.map(CrawlNumbers::lists),
        "changes": found.changes.map(changes),
        "made": made::data(found),
    })
}

/// The parts that there is something for, in their order.
fn parts(found: &ReportParts<'_>) -> Vec<&'static str> {
    let [(_, of_rules, _), _] = of_rules(found.sources);
    let all = [
        ("changes", found.changes.is_some()),
        ("ranking", true),
        ("texts", true),
        ("documents", !found.documents.is_empty()),
        ("graph", true),
        ("captures", true),
        ("duplicates", true),
        ("topics", !found.topics.is_empty()),
        ("classes", !found.classes.is_empty()),
        ("rules", !of_rules.is_empty()),
        ("crawl", found.crawl.is_some()),
        ("made", true),
    ];
    all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

fn bow_tie(numbers: &Numbers) -> Option<BowTie> {
    let shape = numbers.shape(Level::Page)?;
    BowTie::of([
        shape.bowtie_in,
        shape.bowtie_core,
        shape.bowtie_out,
        shape.bowtie_tendril,
        shape.bowtie_tube,
        shape.bowtie_disconnected,
    ])
}

/// The distributions of degrees of pages and hosts, in- beside out-degrees.
fn degrees_drawn(numbers: &Numbers) -> Vec<Value> {
    let series = |level, direction| {
        let law = numbers.laws.iter().find(|law| law.level == level && law.direction == direction);
        let law = law.map(|law| Law { exponent: law.exponent, error: law.error, x_min: law.x_min });
        (degrees(numbers, level, direction), law)
    };
    let drawn = |level: Level| {
        let plot = LogLog::of(&[Direction::In, Direction::Out].map(|direction| series(level, direction)))?;
        Some(json!({"level": level.as_str(), "plot": plot}))
    };
    [Level::Page, Level::Host].into_iter().filter_map(drawn).collect()
}

/// The measures of each level that has something to order, PageRank first, and how many stand before each.
fn agreement(numbers: &Numbers) -> Vec<Value> {
    let something = |level: &Level| numbers.level(*level).is_some_and(|row| row.nodes >= LEAST_NODES);
    let of_level = |level: Level| {
        let pairs = numbers.agreement.iter().filter(|row| row.level == level);
        let names: BTreeSet<&str> = pairs.flat_map(|row| [row.first, row.second]).collect();
        let mut measures: Vec<&str> = names.into_iter().collect();
        measures.sort_by_key(|name| *name != "PageRank");
        let rows = measures.iter().enumerate().skip(1);
        let rows: Vec<Value> = rows.map(|(before, name)| json!({"name": name, "before": before})).collect();
        json!({"level": level.as_str(), "measures": measures, "rows": rows})
    };
    [Level::Page, Level::Host, Level::Domain].into_iter().filter(something).map(of_level).collect()
}

fn changes(changes: &Changes) -> Value {
    let mut languages: Vec<(&String, &[u64; 2])> = changes.languages.iter().collect();
    languages.sort_by(|a, b| b.1.iter().max().cmp(&a.1.iter().max()).then(a.0.cmp(b.0)));
    languages.truncate(LANGUAGES);
    json!({
        "first": FIRST,
        "moved": changes.moved,
        "top_new": changes.top_new,
        "top_gone": changes.top_gone,
        "languages": languages,
        "listed_hosts": changes.listed_hosts,
    })
}
