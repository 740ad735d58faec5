//! Putting the numbers into the report's sections.

use crate::report::tables::HostRow;
use webmill_report::{Bars, BowTie, Law, LogLog, ReportData, Series, Share, Top, TopRow, thousands};
use webmill_table::TableReader;

use super::Sources;
use super::corpus::{Corpus, Counts};
use super::tops::{Lists, MEASURES, Scored, Tops};
use crate::extract::log::OUTCOME;

/// The whole report.
pub fn draw(
    title: &str,
    sources: &Sources,
    corpus: &Corpus,
    tops: &Tops,
    hosts: &[HostRow],
    most: usize,
) -> webmill_capture::Result<ReportData> {
    let graph = &sources.graph.manifest.facts;
    let graph_number = |name: &str| graph.get("page").and_then(|p| p[name].as_u64()).unwrap_or(0);
    let files = &sources.extract.manifest.inputs.files;
    let bytes: u64 = files.iter().map(|f| f.bytes).sum();
    Ok(ReportData {
        title: title.to_owned(),
        subtitle: format!(
            "{} shard{} · {:.1} MB · {} records read, {} damaged",
            files.len(),
            if files.len() == 1 { "" } else { "s" },
            bytes as f64 / 1e6,
            thousands(sources.extract.manifest.counts.read),
            thousands(sources.extract.manifest.counts.damaged),
        ),
        cards: [
            ("captures", corpus.captures),
            ("HTML pages", corpus.html),
            ("hosts", corpus.hosts.len() as u64),
            ("words of main text", corpus.words),
            ("links", corpus.links),
            ("graph nodes", graph_number("nodes")),
            ("graph arcs", graph_number("arcs")),
            ("duplicate pages", corpus.duplicates),
        ]
        .map(|(label, n)| (label.to_owned(), thousands(n)))
        .into(),
        tops: top_tables(tops, hosts, most).into_iter().chain(correlations(sources)).collect(),
        plots: plots(sources, corpus)?,
        bowtie: bowtie(sources),
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
        clusters: vec![cluster_table(corpus, tops)],
        dropped: shares(&sources.extract.manifest.counts.dropped),
        facts: facts(sources),
    })
}

/// Outcomes of the crawl, where its event log was among the inputs.
pub fn outcomes(sources: &Sources) -> Counts {
    let kept = &sources.extract.manifest.counts.kept;
    let named = kept.iter().filter_map(|(name, n)| Some((name.strip_prefix(OUTCOME)?.to_owned(), *n)));
    named.collect()
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

fn top_tables(tops: &Tops, hosts: &[HostRow], most: usize) -> Vec<Top> {
    let columns = |measure: &str| vec![measure.to_owned(), "in".to_owned(), "out".to_owned()];
    let short = most.min(10);
    let by_name = |name: &str| hosts.iter().find(|h| h.url_host_name == name);
    let about = [
        (
            "Top pages by PageRank",
            "d = 0.85, dangling mass spread uniformly; the sum over all pages and link targets is 1. Pages that ask for noindex are left out.",
        ),
        ("Top authorities", "HITS over the whole graph: pages that good hubs point to."),
        ("Top hubs", "HITS over the whole graph: pages that point to good authorities."),
        ("Top pages by SALSA", "Authorities of a random walk between hubs and authorities; the sum is 1."),
        (
            "Most central pages",
            "Harmonic centrality: near to many pages that lead there; estimated by HyperBall.",
        ),
    ];
    let pages = about.into_iter().zip(MEASURES).zip(&tops.pages).enumerate();
    let pages = pages.map(|(i, (((title, note), (name, measure)), list))| {
        let shown = if i == 0 { list.len() } else { list.len().min(short) };
        Top {
            title: title.into(),
            note: note.into(),
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
            note: "Hosts with crawled pages, by PageRank of the graph of hosts, arcs weighted by links."
                .into(),
            columns: ["PageRank", "hosts in", "hosts out", "HTML pages", "duplicates"]
                .map(String::from)
                .into(),
            rows: tops.hosts[0]
                .iter()
                .map(|r| {
                    let host = by_name(&r.url);
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
fn correlations(sources: &Sources) -> Option<Top> {
    let levels = sources.rank.manifest.facts.get("kendall_tau")?;
    let columns = crate::levels::LEVELS;
    let pairs: std::collections::BTreeSet<&String> = columns
        .iter()
        .filter_map(|level| levels.get(level)?.as_object())
        .flat_map(|pairs| pairs.keys())
        .collect();
    let cell = |level: &str, pair: &str| {
        levels
            .get(level)
            .and_then(|l| l[pair].as_f64())
            .map_or_else(|| "–".to_owned(), |tau| format!("{tau:.3}"))
    };
    Some(Top {
        title: "How the measures agree".into(),
        note: "Kendall's τ-b of each two rankings: 1 for the same order, 0 for none, −1 for the reverse."
            .into(),
        columns: columns.map(String::from).into(),
        rows: pairs
            .into_iter()
            .map(|pair| TopRow {
                name: pair.clone(),
                title: None,
                cells: columns.iter().map(|level| cell(level, pair)).collect(),
            })
            .collect(),
    })
}

fn plots(sources: &Sources, corpus: &Corpus) -> webmill_capture::Result<Vec<LogLog>> {
    let laws = sources.shape.manifest.facts.get("laws");
    let law = |level: &str, direction: &str| {
        let law = laws?.get(level)?.get(direction)?;
        Some(Law {
            exponent: law["exponent"].as_f64()?,
            error: law["error"].as_f64()?,
            x_min: law["x_min"].as_u64()?,
        })
    };
    let degrees = degrees(sources)?;
    let series = |level: &str, direction: &str, name: &str| Series {
        name: name.into(),
        points: degrees.iter().filter(|d| d.0 == level && d.1 == direction).map(|d| (d.2, d.3)).collect(),
        law: law(level, direction),
    };
    let mut plots: Vec<LogLog> = [("page", "pages"), ("host", "hosts")]
        .into_iter()
        .map(|(level, what)| LogLog {
            title: format!("Degrees of {what}"),
            x: "degree".into(),
            y: what.into(),
            series: vec![series(level, "in", "in-degree"), series(level, "out", "out-degree")],
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
    Ok(plots)
}

fn degrees(sources: &Sources) -> webmill_capture::Result<Vec<(String, String, u64, u64)>> {
    let mut rows = Vec::new();
    let mut reader =
        TableReader::open(&sources.shape.path("degrees"), &["level", "direction", "degree", "count"])?;
    while let Some(batch) = reader.next()? {
        let (level, direction) = (batch.str("level")?, batch.str("direction")?);
        let (degree, count) = (batch.u64("degree")?, batch.u64("count")?);
        rows.extend((0..batch.len()).map(|i| {
            (
                level.get(i).unwrap_or_default().to_owned(),
                direction.get(i).unwrap_or_default().to_owned(),
                degree.get(i).unwrap_or(0),
                count.get(i).unwrap_or(0),
            )
        }));
    }
    Ok(rows)
}

fn bowtie(sources: &Sources) -> Option<BowTie> {
    let parts = sources.shape.manifest.facts.get("bowtie")?.get("page")?;
    let part = |name: &str| parts[name].as_u64().unwrap_or(0);
    Some(BowTie {
        core: part("core"),
        into: part("in"),
        out: part("out"),
        tendrils: part("tendril"),
        tubes: part("tube"),
        disconnected: part("disconnected"),
    })
}

fn shares(counts: &Counts) -> Vec<Share> {
    let mut shares: Vec<Share> =
        counts.iter().map(|(name, n)| Share { name: name.clone(), count: *n }).collect();
    shares.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    shares
}

fn bars(title: &str, unit: &str, counts: &Counts) -> Bars {
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

/// What a reader needs to trust or repeat the numbers.
fn facts(sources: &Sources) -> Vec<(String, String)> {
    let mut facts = vec![("webmill".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    for committed in [&sources.extract, &sources.graph, &sources.rank, &sources.shape, &sources.dedup] {
        let manifest = &committed.manifest;
        facts.push((format!("{} {}", manifest.job, manifest.job_version), manifest.key.to_string()));
    }
    if let Some(rank) = sources.rank.manifest.facts.get("pagerank").and_then(|f| f.get("page")) {
        facts.push((
            "PageRank".into(),
            format!("{} iterations, L1 error at most {}", rank["iterations"], rank["error_bound"]),
        ));
    }
    let page = |fact: &str| sources.shape.manifest.facts.get(fact).and_then(|f| f.get("page"));
    if let Some(distances) = page("distances") {
        let number = |name: &str| distances[name].as_f64().unwrap_or(f64::NAN);
        facts.push((
            "distances of pages".into(),
            format!(
                "mean {:.2} ± {:.2} links, effective diameter {:.2} (0.35 + 2.06 log10 N gives {:.2}), sampled from {} pages",
                number("mean"),
                number("standard_error"),
                number("effective_diameter"),
                number("published_estimate"),
                distances["sources"]
            ),
        ));
    }
    if let Some(mixing) = page("mixing") {
        let number = |name: &str| mixing[name].as_f64().map_or_else(|| "–".to_owned(), |x| format!("{x:.3}"));
        facts.push((
            "links between pages".into(),
            format!(
                "reciprocity {}, assortativity out–in {}, in–in {}, share within hosts {}",
                number("reciprocity"),
                number("assortativity_out_in"),
                number("assortativity_in_in"),
                number("links_within_hosts")
            ),
        ));
    }
    facts
}
