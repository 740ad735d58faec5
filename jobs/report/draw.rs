//! Putting the numbers into the report's sections.

use webmill_capture::Result;
use webmill_report::{Bars, BowTie, Law, LogLog, ReportData, Series, Share, Top, TopRow, thousands};

use super::corpus::{Corpus, Counts, outcomes};
use super::hosts::WrittenHosts;
use super::numbers::Numbers;
use super::summary::copied;
use super::tops::{Lists, MEASURES, Scored, Tops};
use super::{Report, Sources};
use crate::levels::Level;
use crate::rank::Rank;
use crate::rank::settings::DanglingRank;
use crate::rank::tables::{ConvergenceRow, Iterated};
use crate::shape::tables::Direction;

/// The whole report.
pub fn draw(
    settings: &Report,
    sources: &Sources,
    corpus: &Corpus,
    tops: &Tops,
    hosts: &WrittenHosts,
    numbers: &Numbers,
) -> Result<ReportData> {
    let pages = numbers.level(Level::Page);
    let files = &sources.extract.manifest.inputs.files;
    let bytes: u64 = files.iter().map(|f| f.bytes).sum();
    let counts = &sources.extract.manifest.counts;
    let lost = match counts.bytes_lost {
        0 => String::new(),
        lost => format!(" ({} bytes lost)", thousands(lost)),
    };
    Ok(ReportData {
        title: settings.title.clone(),
        subtitle: format!(
            "{} shard{} · {:.1} MB · {} records read, {} damaged{lost}",
            files.len(),
            if files.len() == 1 { "" } else { "s" },
            bytes as f64 / 1e6,
            thousands(counts.read),
            thousands(counts.damaged),
        ),
        cards: [
            ("captures", corpus.captures),
            ("HTML pages", corpus.html),
            ("hosts", hosts.count),
            ("words of main text", corpus.words),
            ("links", corpus.links),
            ("graph nodes", pages.map_or(0, |level| level.nodes)),
            ("graph arcs", pages.map_or(0, |level| level.arcs)),
            ("duplicate pages", corpus.duplicates),
        ]
        .map(|(label, n)| (label.to_owned(), thousands(n)))
        .into(),
        tops: top_tables(tops, hosts, settings.top, &numbers.rank)
            .into_iter()
            .chain(agreement(numbers))
            .collect(),
        plots: plots(numbers, corpus),
        bowtie: bowtie(numbers),
        bars: [
            bars("Status codes", "captures", &corpus.status),
            bars("Languages of main texts", "pages", &corpus.language),
            bars("Encodings", "pages", &corpus.charset),
            bars("Media types", "captures", &corpus.mime),
            bars("Kinds of pages", "pages", &corpus.page_type),
            Bars { of: Some(corpus.texts), ..bars("Keywords of most pages", "pages", &corpus.keyword) },
            bars("What the crawl met", "events", &outcomes(sources)),
        ]
        .into_iter()
        .filter(|b| !b.bars.is_empty())
        .collect(),
        sections: Vec::new(),
        clusters: vec![cluster_table(corpus, tops)],
        dropped: shares(&sources.extract.manifest.counts.dropped),
        facts: facts(sources, numbers),
    })
}

/// What PageRank was computed with, in words.
fn pagerank_note(rank: &Rank) -> String {
    let dangling = match (rank.dangling, &rank.teleport) {
        (DanglingRank::Lost, _) => "dangling mass lost",
        (DanglingRank::Teleport, Some(_)) => "dangling mass spread over the teleport set",
        _ => "dangling mass spread uniformly",
    };
    let teleport = if rank.teleport.is_some() { ", teleporting to a given set of nodes" } else { "" };
    let weights = if rank.weighted_pages { ", arcs weighted by links" } else { "" };
    let sum = match rank.dangling {
        DanglingRank::Lost => "the sum over all pages and link targets is below 1",
        _ => "the sum over all pages and link targets is 1",
    };
    format!(
        "d = {}, {dangling}{teleport}{weights}; {sum}. Pages that ask for noindex are left out.",
        rank.damping
    )
}

/// What HITS was computed with, in words.
fn hits_note(rank: &Rank, what: &str) -> String {
    match rank.hits_variant.as_str() {
        "hits" => format!("HITS over the whole graph: {what}."),
        variant => format!("HITS ({variant}) over the whole graph: {what}."),
    }
}

fn number(x: f64) -> String {
    if x == 0.0 {
        "0".into()
    } else if x >= 0.001 {
        format!("{x:.5}")
    } else {
        format!("{x:.2e}")
    }
}

fn page_rows(rows: &[Scored], tops: &Tops, first: fn(&Scored) -> f64) -> Vec<TopRow> {
    rows.iter()
        .map(|r| TopRow {
            name: r.url.clone(),
            title: tops.titles.get(&r.url).cloned(),
            cells: vec![number(first(r)), thousands(r.indegree.into()), thousands(r.outdegree.into())],
        })
        .collect()
}

fn top_tables(tops: &Tops, hosts: &WrittenHosts, most: usize, rank: &Rank) -> Vec<Top> {
    let columns = |measure: &str| vec![measure.to_owned(), "in".to_owned(), "out".to_owned()];
    let short = most.min(10);
    let about = [
        ("Top pages by PageRank", pagerank_note(rank)),
        ("Top authorities", hits_note(rank, "pages that good hubs point to")),
        ("Top hubs", hits_note(rank, "pages that point to good authorities")),
        (
            "Top pages by SALSA",
            "Authorities of a random walk between hubs and authorities; the sum is 1.".into(),
        ),
        (
            "Most central pages",
            "Harmonic centrality: near to many pages that lead there; exact, or with the error that table convergence states.".into(),
        ),
    ];
    let pages = about.into_iter().zip(MEASURES).zip(&tops.pages).enumerate();
    let pages = pages.map(|(i, (((title, note), (name, measure)), list))| {
        let shown = if i == 0 { list.len() } else { list.len().min(short) };
        Top {
            title: title.into(),
            note,
            columns: columns(name),
            rows: page_rows(&list[..shown], tops, measure),
        }
    });
    let mut tables: Vec<Top> = pages.collect();
    tables.extend([
        Top {
            title: "Most wanted".into(),
            note: "Link targets that were not crawled, by PageRank: what a further crawl would fetch first."
                .into(),
            columns: columns("PageRank"),
            rows: page_rows(&tops.wanted[..tops.wanted.len().min(short)], tops, |r| r.pagerank),
        },
        Top {
            title: "Top hosts".into(),
            note: format!(
                "Hosts with crawled pages, by PageRank of the graph of hosts{}.",
                if rank.weighted_hosts { ", arcs weighted by links" } else { "" }
            ),
            columns: ["PageRank", "hosts in", "hosts out", "HTML pages", "duplicates"]
                .map(String::from)
                .into(),
            rows: tops.hosts[0]
                .iter()
                .map(|r| {
                    let host = hosts.asked.get(&r.url);
                    TopRow {
                        name: r.url.clone(),
                        title: None,
                        cells: vec![
                            number(r.pagerank),
                            thousands(r.indegree.into()),
                            thousands(r.outdegree.into()),
                            thousands(host.map_or(0, |h| h.html_pages)),
                            thousands(host.map_or(0, |h| h.duplicates)),
                        ],
                    }
                })
                .collect(),
        },
        side_by_side("Hosts by each measure", &tops.hosts, short),
        side_by_side("Domains by each measure", &tops.domains, short),
    ]);
    tables
}

/// The best names by each measure, a column a measure.
fn side_by_side(title: &str, lists: &Lists, most: usize) -> Top {
    let name = |list: &Vec<Scored>, i: usize| list.get(i).map_or_else(String::new, |r| r.url.clone());
    Top {
        title: title.into(),
        note: "By PageRank, then by HITS authority and hub, SALSA authority and harmonic centrality.".into(),
        columns: MEASURES[1..].iter().map(|(name, _)| (*name).to_owned()).collect(),
        rows: (0..most.min(lists[0].len()))
            .map(|i| TopRow {
                name: name(&lists[0], i),
                title: None,
                cells: lists[1..].iter().map(|list| name(list, i)).collect(),
            })
            .collect(),
    }
}

/// How the measures agree, on each level.
fn agreement(numbers: &Numbers) -> Option<Top> {
    let mut pairs: Vec<String> =
        numbers.agreement.iter().map(|row| format!("{} – {}", row.first, row.second)).collect();
    pairs.sort();
    pairs.dedup();
    let cell = |level: Level, pair: &str| {
        let row = numbers
            .agreement
            .iter()
            .find(|row| row.level == level && format!("{} – {}", row.first, row.second) == pair);
        row.map_or_else(|| "–".to_owned(), |row| format!("{:.3}", row.tau))
    };
    let row = |pair: String| TopRow {
        cells: Level::ALL.iter().map(|level| cell(*level, &pair)).collect(),
        name: pair,
        title: None,
    };
    Some(Top {
        title: "How the measures agree".into(),
        note: "Kendall's τ-b of each two rankings: 1 for the same order, 0 for none, −1 for the reverse."
            .into(),
        columns: Level::ALL.iter().map(ToString::to_string).collect(),
        rows: pairs.into_iter().map(row).collect(),
    })
}

fn plots(numbers: &Numbers, corpus: &Corpus) -> Vec<LogLog> {
    let law = |level: Level, direction: Direction| {
        let law = numbers.laws.iter().find(|law| law.level == level && law.direction == direction)?;
        Some(Law { exponent: law.exponent, error: law.error, x_min: law.x_min })
    };
    let series = |level: Level, direction: Direction, name: &str| {
        let of = numbers.degrees.iter().filter(|row| row.level == level && row.direction == direction);
        Series {
            name: name.into(),
            points: of.map(|row| (row.degree, row.count)).collect(),
            law: law(level, direction),
        }
    };
    let mut plots: Vec<LogLog> = [(Level::Page, "pages"), (Level::Host, "hosts")]
        .into_iter()
        .map(|(level, what)| LogLog {
            title: format!("Degrees of {what}"),
            x: "degree".into(),
            y: what.into(),
            series: vec![
                series(level, Direction::In, "in-degree"),
                series(level, Direction::Out, "out-degree"),
            ],
            note: "Dashed: power law fitted by maximum likelihood. Published for the Web: in 2.1, out 2.45 (Notre Dame crawl).".into(),
        })
        .collect();
    plots.push(LogLog {
        title: "Sizes of duplicate clusters".into(),
        x: "pages in the cluster".into(),
        y: "clusters".into(),
        series: vec![Series {
            name: "clusters".into(),
            points: corpus.cluster_sizes.iter().map(|(size, n)| (*size, *n)).collect(),
            law: None,
        }],
        note: "Exact copies and near-duplicates together.".into(),
    });
    plots
}

fn bowtie(numbers: &Numbers) -> Option<BowTie> {
    let shape = numbers.shape(Level::Page)?;
    Some(BowTie {
        core: shape.bowtie_core,
        into: shape.bowtie_in,
        out: shape.bowtie_out,
        tendrils: shape.bowtie_tendril,
        tubes: shape.bowtie_tube,
        disconnected: shape.bowtie_disconnected,
    })
}

/// Counts as shares, largest first.
pub fn shares(counts: &Counts) -> Vec<Share> {
    let mut shares: Vec<Share> =
        counts.iter().map(|(name, n)| Share { name: name.clone(), count: *n }).collect();
    shares.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    shares
}

/// A bar chart of counts.
pub fn bars(title: &str, unit: &str, counts: &Counts) -> Bars {
    Bars { title: title.into(), unit: unit.into(), of: None, bars: shares(counts) }
}

fn cluster_table(corpus: &Corpus, tops: &Tops) -> Top {
    Top {
        title: "Largest clusters of duplicates".into(),
        note: "The page that stands for each cluster: earliest fetched, then shortest URL.".into(),
        columns: vec!["pages".into()],
        rows: corpus
            .clusters
            .iter()
            .map(|(size, url)| TopRow {
                name: url.clone(),
                title: tops.titles.get(url).cloned(),
                cells: vec![thousands(*size)],
            })
            .collect(),
    }
}

/// A number of repeated lines or mirrors, and where they are listed.
fn of_table(name: &str, n: u64, unit: &str) -> String {
    let (unit, table) = match unit {
        "pairs" => ("pairs of sites", "mirrors"),
        _ => ("lines and paragraphs of many pages", "repeated"),
    };
    let about = match name {
        "suspected mirrors" => " that agree in part",
        "variants of sites" => " that differ by www. or scheme only",
        _ => "",
    };
    format!("{} {unit}{about} (table {table})", thousands(n))
}

/// What a reader needs to trust or repeat the numbers.
fn facts(sources: &Sources, numbers: &Numbers) -> Vec<(String, String)> {
    let mut facts = vec![("webmill".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    let jobs = [&sources.extract, &sources.graph, &sources.rank, &sources.shape, &sources.dedup];
    for committed in jobs.into_iter().chain(&sources.repeated).chain(&sources.mirrors) {
        let manifest = &committed.manifest;
        facts.push((format!("{} {}", manifest.job, manifest.job_version), manifest.key.to_string()));
    }
    facts.extend(
        copied(sources).into_iter().map(|(name, n, unit)| (name.to_owned(), of_table(name, n, unit))),
    );
    let of_pages = |row: &&ConvergenceRow| row.level == Level::Page && row.measure == Iterated::Pagerank;
    if let Some(rank) = numbers.convergence.iter().find(of_pages) {
        let how = if rank.converged { "" } else { ", NOT converged" };
        facts.push((
            "PageRank".into(),
            format!("{} iterations, L1 error at most {}{how}", rank.iterations, rank.error),
        ));
    }
    let Some(shape) = numbers.shape(Level::Page) else { return facts };
    let number = |x: Option<f64>| x.unwrap_or(f64::NAN);
    facts.push((
        "distances of pages".into(),
        format!(
            "mean {:.2} ± {:.2} links, effective diameter {:.2} (0.35 + 2.06 log10 N gives {:.2}), sampled from {} pages",
            number(shape.distance_mean),
            number(shape.distance_standard_error),
            number(shape.effective_diameter),
            shape.published_distance,
            shape.distance_sources
        ),
    ));
    let number = |x: Option<f64>| x.map_or_else(|| "–".to_owned(), |x| format!("{x:.3}"));
    facts.push((
        "links between pages".into(),
        format!(
            "reciprocity {}, assortativity out–in {}, in–in {}, share within hosts {}",
            number(shape.reciprocity),
            number(shape.assortativity_out_in),
            number(shape.assortativity_in_in),
            number(shape.links_within_hosts)
        ),
    ));
    facts
}
