//! Table `summary`: every number of the report.

use webmill_run::Committed;

use webmill_graph::measure::MEASURES;

use super::html::{Degrees, binned};

use super::Sources;
use super::compare::Changes;
use super::corpus::{Corpus, Counts, outcomes};
use super::crawls::{CrawlNumbers, by_life};
use super::numbers::Numbers;
use super::periods::Periods;
use super::tables::SummaryRow;
use crate::levels::Level;
use crate::shape::tables::Direction;

/// The rows, section by section.
pub fn rows(sources: &Sources, corpus: &Corpus, hosts: u64, numbers: &Numbers) -> Vec<SummaryRow> {
    let mut rows = sums(sources, corpus, hosts);
    rows.extend(distributions(sources, corpus));
    for (level, direction) in PLOTTED {
        for (from, _, n) in binned(&degrees(numbers, level, direction)) {
            let name = format!("{} {from}", degrees_name(level, direction));
            rows.push(SummaryRow::new("degrees", &name, n as f64, "nodes"));
        }
    }
    for (section, found) in [("graph", graph(numbers)), ("rank", rank(numbers)), ("shape", shape(numbers))] {
        rows.extend(found.iter().map(|(path, value)| SummaryRow::new(section, &path.join(" "), *value, "")));
    }
    rows
}

/// Section of the page that is first by PageRank, which is the row's name.
pub const FIRST: &str = "first by PageRank";

/// The row about that page.
pub fn first_page(url: &str, pagerank: f64) -> SummaryRow {
    SummaryRow::new(FIRST, url, pagerank, "")
}

/// What there is of each thing, in the corpus and in the files that it was read from.
fn sums(sources: &Sources, corpus: &Corpus, hosts: u64) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    let mut row = |section: &str, name: &str, value: u64, unit: &str| {
        rows.push(SummaryRow::new(section, name, value as f64, unit));
    };
    for (name, value, unit) in [
        ("captures", corpus.captures, "captures"),
        ("html pages", corpus.html, "pages"),
        ("documents", corpus.documents, "documents"),
        ("pages", corpus.pages(), "pages"),
        ("bytes", corpus.bytes, "bytes"),
        ("words", corpus.words, "words"),
        ("links", corpus.links, "links"),
        ("hosts", hosts, "hosts"),
        ("clusters", corpus.cluster_sizes.values().sum(), "clusters"),
        ("duplicates", corpus.duplicates, "pages"),
        ("texts", corpus.texts, "pages"),
    ] {
        row("corpus", name, value, unit);
    }
    for (section, counts, unit) in of_rules(sources) {
        counts.into_iter().for_each(|(name, n)| row(section, &name, n, unit));
    }
    copied(sources).into_iter().for_each(|(name, value, unit)| row("corpus", name, value, unit));
    let extract = &sources.extract.manifest;
    for (name, value, unit) in [
        ("files", extract.inputs.files.len() as u64, "files"),
        ("bytes", extract.inputs.files.iter().map(|file| file.bytes).sum(), "bytes"),
        ("records read", extract.counts.read, "records"),
        ("records damaged", extract.counts.damaged, "records"),
        ("bytes lost", extract.counts.bytes_lost, "bytes"),
    ] {
        row("input", name, value, unit);
    }
    rows
}

/// How captures, pages and clusters are spread over dates, kinds and sizes.
fn distributions(sources: &Sources, corpus: &Corpus) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    let mut row = |section: &str, name: &str, value: f64, unit: &str| {
        rows.push(SummaryRow::new(section, name, value, unit));
    };
    if let Some((first, last)) = corpus.fetched {
        row("dates", "first capture", first as f64, "ms");
        row("dates", "last capture", last as f64, "ms");
    }
    let counts = &sources.extract.manifest.counts;
    for (section, counts, unit) in [
        ("status", &corpus.status, "captures"),
        ("mime", &corpus.mime, "captures"),
        ("charset", &corpus.charset, "pages"),
        ("language", &corpus.language, "pages"),
        ("page type", &corpus.page_type, "pages"),
        ("keyword", &corpus.keyword, "pages"),
        ("left out", &counts.dropped, "records"),
        ("crawl", &outcomes(sources), "events"),
    ] {
        counts.iter().for_each(|(name, count)| row(section, name, *count as f64, unit));
    }
    if counts.bytes_lost > 0 {
        row("left out", "bytes of damage", counts.bytes_lost as f64, "bytes");
    }
    if counts.cut_off_bytes > 0 {
        row("left out", "bytes of records cut off by the end of files", counts.cut_off_bytes as f64, "bytes");
    }
    let periods = Periods::of(corpus);
    for (language, counts) in &periods.languages {
        for (period, n) in periods.names.iter().zip(counts).filter(|(_, n)| **n > 0) {
            row("language over time", &format!("{period} {language}"), *n as f64, "pages");
        }
    }
    for (size, clusters) in &corpus.cluster_sizes {
        row("cluster size", &size.to_string(), *clusters as f64, "clusters");
    }
    rows
}

/// Distributions of degrees that are drawn.
const PLOTTED: [(Level, Direction); 4] = [
    (Level::Page, Direction::In),
    (Level::Page, Direction::Out),
    (Level::Host, Direction::In),
    (Level::Host, Direction::Out),
];

/// A distribution of degrees.
pub fn degrees(numbers: &Numbers, level: Level, direction: Direction) -> Degrees {
    let of = numbers.degrees.iter().filter(|row| row.level == level && row.direction == direction);
    of.map(|row| (row.degree, row.count)).collect()
}

fn degrees_name(level: Level, direction: Direction) -> String {
    format!("{} {}", level.as_str(), direction.as_str())
}

/// The rows about what changed since earlier results.
pub fn changes_rows(changes: &Changes) -> Vec<SummaryRow> {
    let row = |name: &str, value: u64, unit: &str| SummaryRow::new("compare", name, value as f64, unit);
    let [new, gone, changed, unchanged] = changes.pages;
    let mut rows = vec![
        row("new pages", new, "pages"),
        row("pages gone", gone, "pages"),
        row("pages changed", changed, "pages"),
        row("pages unchanged", unchanged, "pages"),
        row("new hosts", changes.hosts[0], "hosts"),
        row("hosts gone", changes.hosts[1], "hosts"),
        row("duplicates before", changes.duplicates[0], "pages"),
        row("duplicates now", changes.duplicates[1], "pages"),
    ];
    for (side, when) in ["before", "now"].into_iter().enumerate() {
        rows.extend(changes.languages_of(side).iter().map(|(l, n)| row(&format!("{l} {when}"), *n, "pages")));
    }
    rows
}

/// Lines and sites that the corpus has more than once, as far as they were looked for: name, number, unit.
pub fn copied(sources: &Sources) -> Vec<(&'static str, u64, &'static str)> {
    let mut found = Vec::new();
    let count = |of: &Committed, name: &str| of.manifest.counts.kept.get(name).copied().unwrap_or(0);
    if let Some(repeated) = &sources.repeated {
        found.push(("repeated lines", count(repeated, "repeated-blocks"), "lines"));
    }
    if let Some(mirrors) = &sources.mirrors {
        for (name, kinds) in [
            ("mirrors", &["mirror"][..]),
            ("suspected mirrors", &["suspected"]),
            ("variants of sites", &["www", "scheme"]),
        ] {
            let pairs = kinds.iter().map(|kind| count(mirrors, &format!("pairs-{kind}"))).sum();
            found.push((name, pairs, "pairs"));
        }
    }
    found
}

/// Rows of each table that rules made, and missing rows by problem, as far as rules were applied.
pub fn of_rules(sources: &Sources) -> [(&'static str, Counts, &'static str); 2] {
    let manifest = sources.rules.as_ref().map(|rules| &rules.manifest);
    let tables = manifest.into_iter().flat_map(|manifest| &manifest.tables);
    let of_groups = tables.filter(|(name, table)| name.starts_with("rule_") && table.rows > 0);
    let rows = of_groups.map(|(name, table)| (name.clone(), table.rows)).collect();
    let problems = manifest.map(|manifest| manifest.counts.dropped.clone()).unwrap_or_default();
    [("rules", rows, "rows"), ("rules problems", problems, "cases")]
}

/// The rows about the crawls that the corpus is of.
pub fn crawl_rows(crawl: &CrawlNumbers) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    let mut row = |section: &str, name: &str, value: f64, unit: &str| {
        rows.push(SummaryRow::new(section, name, value, unit));
    };
    let [known, asked, troubled] = crawl.hosts;
    for (name, n) in [("hosts known", known), ("hosts asked", asked), ("hosts in trouble", troubled)] {
        row("crawl hosts", name, n as f64, "hosts");
    }
    let sum = |name: &str| crawl.sums.get(name).copied().unwrap_or(0);
    for (name, n, unit) in [
        ("pages stored", sum("pages-stored"), "pages"),
        ("requests", sum("requests"), "requests"),
        ("missing", crawl.missing.values().sum(), "URLs"),
        ("not reached", crawl.queued, "URLs"),
    ] {
        row("crawl sums", name, n as f64, unit);
    }
    for (section, counts, unit) in [
        ("missing", &crawl.missing, "URLs"),
        ("crawl left out", &crawl.left_out, "URLs"),
        ("crawl left out by type", &crawl.types, "URLs"),
        ("crawl left out as copies", &crawl.patterns, "URLs"),
        ("links not followed", &crawl.refused, "links"),
        ("visits", &crawl.visits, "visits"),
    ] {
        for (name, count) in counts {
            row(section, name, *count as f64, unit);
        }
    }
    let lives = by_life(crawl.lives.get(&None).map_or(&[][..], |rates| rates));
    for (life, n) in lives.into_iter().enumerate() {
        row("mean life", &format!("class {life}"), n as f64, "pages");
    }
    for (name, value, unit) in [
        ("pages with a rate of change", Some(crawl.pages as f64), "pages"),
        ("expected freshness", crawl.freshness(), ""),
        ("expected age", crawl.age_days(), "days"),
        ("visits that found no change", crawl.unchanged(), ""),
    ] {
        value.into_iter().for_each(|value| row("freshness", name, value, unit));
    }
    rows
}

/// A number and the words that it is called by.
type NamedNumber = (Vec<String>, f64);

fn named(path: &[&str], value: f64) -> NamedNumber {
    (path.iter().map(|word| (*word).to_owned()).collect(), value)
}

fn sorted(mut found: Vec<NamedNumber>) -> Vec<NamedNumber> {
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn graph(numbers: &Numbers) -> Vec<NamedNumber> {
    let of_level = numbers.levels.iter().flat_map(|row| {
        let level = row.level.as_str();
        [("nodes", row.nodes), ("arcs", row.arcs), ("crawled", row.crawled)]
            .map(|(name, n)| named(&[level, name], n as f64))
    });
    sorted(of_level.collect())
}

fn rank(numbers: &Numbers) -> Vec<NamedNumber> {
    let mut found = Vec::new();
    for row in &numbers.convergence {
        let (measure, level) = (row.measure, row.level.as_str());
        let of_row = MEASURES.iter().find(|known| known.info().name == measure);
        let error = of_row.map_or("error", |known| known.info().error_name);
        found.push(named(&[measure, level, "iterations"], f64::from(row.iterations)));
        found.push(named(&[measure, level, error], row.error));
    }
    found.extend(numbers.agreement.iter().map(|row| {
        named(&["kendall_tau", row.level.as_str(), &format!("{} – {}", row.first, row.second)], row.tau)
    }));
    sorted(found)
}

fn shape(numbers: &Numbers) -> Vec<NamedNumber> {
    let mut found = Vec::new();
    for law in &numbers.laws {
        let numbers = [
            ("exponent", Some(law.exponent)),
            ("error", Some(law.error)),
            ("x_min", Some(law.x_min as f64)),
            ("tail", Some(law.tail as f64)),
            ("ks", Some(law.ks)),
            ("ratio_to_log_normal", law.ratio_to_log_normal),
            ("p_value", law.p_value),
        ];
        let path = |name| named(&["laws", law.level.as_str(), law.direction.as_str(), name], 0.0).0;
        found.extend(numbers.into_iter().filter_map(|(name, value)| Some((path(name), value?))));
    }
    for shape in &numbers.shapes {
        let level = shape.level.as_str();
        let whole = |n: u64| Some(n as f64);
        let numbers: [(&[&str], Option<f64>); 23] = [
            (&["bowtie", level, "core"], whole(shape.bowtie_core)),
            (&["bowtie", level, "in"], whole(shape.bowtie_in)),
            (&["bowtie", level, "out"], whole(shape.bowtie_out)),
            (&["bowtie", level, "tendril"], whole(shape.bowtie_tendril)),
            (&["bowtie", level, "tube"], whole(shape.bowtie_tube)),
            (&["bowtie", level, "disconnected"], whole(shape.bowtie_disconnected)),
            (&["components", level, "scc", "number"], whole(shape.sccs.into())),
            (&["components", level, "scc", "largest"], whole(shape.largest_scc.into())),
            (&["components", level, "wcc", "number"], whole(shape.wccs.into())),
            (&["components", level, "wcc", "largest"], whole(shape.largest_wcc.into())),
            (&["distances", level, "sources"], whole(shape.distance_sources)),
            (&["distances", level, "mean"], shape.distance_mean),
            (&["distances", level, "standard_error"], shape.distance_standard_error),
            (&["distances", level, "effective_diameter"], shape.effective_diameter),
            (&["distances", level, "greatest_seen"], whole(shape.greatest_distance)),
            (&["distances", level, "connected_pairs"], Some(shape.connected_pairs)),
            (&["distances", level, "published_estimate"], Some(shape.published_distance)),
            (&["mixing", level, "reciprocity"], shape.reciprocity),
            (&["mixing", level, "assortativity_in_in"], shape.assortativity_in_in),
            (&["mixing", level, "assortativity_in_out"], shape.assortativity_in_out),
            (&["mixing", level, "assortativity_out_in"], shape.assortativity_out_in),
            (&["mixing", level, "assortativity_out_out"], shape.assortativity_out_out),
            (&["mixing", level, "links_within_hosts"], shape.links_within_hosts),
        ];
        found.extend(numbers.into_iter().filter_map(|(path, value)| Some(named(path, value?))));
    }
    sorted(found)
}
