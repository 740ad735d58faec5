//! Putting the numbers into the report's parts.

use std::collections::{BTreeMap, BTreeSet};

use webmill_capture::date::format_rfc3339;
use webmill_report::{
    Bar, Bars, BowTie, Html, Lang, Law, Layer, LogLog, OverTime, Panel, Part, ReportData, Series, Top,
    TopRow, Word, language_name, thousands,
};

use super::compare::Changes;
use super::corpus::{Corpus, Counts, OTHERS, outcomes};
use super::crawls::CrawlNumbers;
use super::documents::Documents;
use super::hosts::WrittenHosts;
use super::numbers::Numbers;
use super::periods::Periods;
use super::summary::{copied, degrees};
use super::tables::HostRow;
use super::tops::Tops;
use super::{
    Report, Sources, draw_changes, draw_classes, draw_crawl, draw_documents, draw_made, draw_ranking,
    draw_rules, draw_topics,
};
use crate::levels::Level;
use crate::shape::tables::Direction;

/// What was found out.
pub struct Found<'a> {
    pub sources: &'a Sources,
    pub corpus: &'a Corpus,
    pub tops: &'a Tops,
    pub hosts: &'a WrittenHosts,
    pub numbers: &'a Numbers,
    pub documents: &'a Documents,
    /// The largest topics, and how many there are.
    pub topics: &'a (Vec<draw_topics::Topic>, usize),
    /// Classes that were learnt and told.
    pub classes: &'a draw_classes::Classes,
}

/// The whole report.
pub fn draw(
    settings: &Report,
    found: &Found<'_>,
    crawl: Option<&CrawlNumbers>,
    changes: Option<&Changes>,
) -> ReportData {
    let lang = settings.language();
    let mut parts: Vec<Part> = changes.map(|changes| draw_changes::part(changes, lang)).into_iter().collect();
    parts.push(draw_ranking::part(found, lang, settings.top));
    parts.push(texts(found, lang));
    parts.extend(draw_documents::part(found.documents, lang));
    parts.extend([graph(found, lang), captures(found, lang), duplicates(found, lang)]);
    parts.extend(draw_topics::part(found.topics, lang));
    parts.extend(draw_classes::part(found.classes, lang));
    parts.extend(draw_rules::part(found, lang));
    parts.extend(crawl.map(|crawl| draw_crawl::part(crawl, lang)));
    parts.push(draw_made::part(found, lang));
    let title = if settings.title.is_empty() { name(found, lang) } else { settings.title.clone() };
    ReportData {
        lang,
        title,
        subtitle: subtitle(found, lang),
        findings: findings(found, lang),
        overview: overview(found, lang),
        parts,
    }
}

/// Name of a corpus that was given none: the host that ranks first, and how many more there are.
fn name(found: &Found<'_>, lang: Lang) -> String {
    let hosts = found.hosts;
    let pages = |host: &HostRow| host.html_pages + host.documents;
    let most = hosts
        .asked
        .values()
        .max_by(|a, b| pages(a).cmp(&pages(b)).then_with(|| b.url_host_name.cmp(&a.url_host_name)));
    match most {
        None => lang.word(Word::Empty).to_owned(),
        Some(host) if hosts.count < 2 => host.url_host_name.clone(),
        Some(host) => {
            let more = thousands(if lang == Lang::Zh { hosts.count } else { hosts.count - 1 });
            lang.word(Word::OneHostMore).replace("{0}", &host.url_host_name).replace("{1}", &more)
        }
    }
}

fn subtitle(found: &Found<'_>, lang: Lang) -> Html {
    let manifest = &found.sources.extract.manifest;
    let counts = &manifest.counts;
    let day = |ms: i64, of: &str| {
        let day: String = format_rfc3339(ms).chars().take(10).collect();
        Html::number(ms as f64, &day, of)
    };
    let mut parts = Vec::new();
    if let Some((first, last)) = found.corpus.fetched {
        let (a, b) = (day(first, "dates: first capture"), day(last, "dates: last capture"));
        let same = first.div_euclid(86_400_000) == last.div_euclid(86_400_000);
        let template = if same { Word::Fetched } else { Word::FetchedBetween };
        parts.push(Html::fill(lang.word(template), &[a, b]));
    }
    let files = &manifest.inputs.files;
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let megabytes = Html::number(bytes as f64, &format!("{:.1}", bytes as f64 / 1e6), "input: bytes");
    parts.push(Html::fill(
        lang.word(Word::Shards),
        &[Html::count(files.len() as u64, "input: files"), megabytes],
    ));
    let template = if counts.bytes_lost > 0 { Word::RecordsReadLost } else { Word::RecordsRead };
    let numbers = [
        Html::count(counts.read, "input: records read"),
        Html::count(counts.damaged, "input: records damaged"),
        Html::count(counts.bytes_lost, "input: bytes lost"),
    ];
    parts.push(Html::fill(lang.word(template), &numbers));
    Html::join(&parts, " · ")
}

fn share(part: u64, whole: u64) -> Html {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64).into()
}

/// Three sentences.
fn findings(found: &Found<'_>, lang: Lang) -> Vec<Html> {
    let (corpus, hosts) = (found.corpus, found.hosts.count);
    let (nodes, crawled) =
        found.numbers.level(Level::Page).map_or((0, 0), |level| (level.nodes, level.crawled));
    let pages = Html::count(nodes, "graph: page nodes");
    let html = Html::count(corpus.html, "corpus: html pages");
    let captures = Html::count(corpus.captures, "corpus: captures");
    let known = [pages.clone(), Html::count(crawled, "graph: page crawled"), share(crawled, nodes)];
    let documents = Html::count(corpus.documents, "corpus: documents");
    let (template, held) = match (hosts, corpus.documents) {
        (1, 0) => (Word::FindingOneHost, vec![captures, html]),
        (1, _) => (Word::FindingOneHostDocuments, vec![captures, html]),
        (_, 0) => (Word::FindingCoverage, vec![captures, Html::count(hosts, "corpus: hosts"), html]),
        _ => (Word::FindingCoverageDocuments, vec![captures, Html::count(hosts, "corpus: hosts"), html]),
    };
    let with: Vec<Html> = held.into_iter().chain(known).chain([documents]).collect();
    let coverage = Html::fill(lang.word(template), &with);
    let duplicates = Html::count(corpus.duplicates, "corpus: duplicates");
    let most = corpus.language.iter().filter(|(code, _)| *code != "none");
    let most = most.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    let text = match most {
        Some((code, n)) => {
            let language = Html::text(&language_name(code, lang));
            let count = Html::count(*n, &format!("language: {code}"));
            let all = Html::count(corpus.pages(), "corpus: pages");
            let repeated = share(corpus.duplicates, corpus.pages());
            let with = [language, count, all, share(*n, corpus.pages()), duplicates, repeated];
            Html::fill(lang.word(Word::FindingText), &with)
        }
        None => Html::fill(lang.word(Word::FindingNoText), &[duplicates]),
    };
    let core = found.numbers.shape(Level::Page).map_or(0, |shape| shape.bowtie_core);
    let shape = match found.tops.pages[0].first() {
        None => {
            let arcs = found.numbers.level(Level::Page).map_or(0, |level| level.arcs);
            Html::fill(lang.word(Word::FindingNoShape), &[pages, Html::count(arcs, "graph: page arcs")])
        }
        Some(first) => {
            let title = found.tops.titles.get(&first.url).filter(|title| !title.trim().is_empty());
            let first = title.map_or_else(|| Html::name(&first.url), |title| Html::titled(title, &first.url));
            match core {
                0 | 1 => Html::fill(lang.word(Word::FindingFlat), &[first]),
                _ => {
                    let of_core = Html::count(core, "shape: bowtie page core");
                    Html::fill(lang.word(Word::FindingShape), &[of_core, pages, share(core, nodes), first])
                }
            }
        }
    };
    vec![coverage, text, shape]
}

fn overview(found: &Found<'_>, lang: Lang) -> Part {
    let (corpus, numbers) = (found.corpus, found.numbers);
    let word = |word| lang.word(word).to_owned();
    let card = |label, n, of: &str| (word(label), Html::count(n, of));
    let mut cards = vec![
        card(Word::Captures, corpus.captures, "corpus: captures"),
        card(Word::HtmlPages, corpus.html, "corpus: html pages"),
    ];
    if corpus.documents > 0 {
        cards.push(card(Word::Documents, corpus.documents, "corpus: documents"));
    }
    if found.hosts.count > 1 {
        cards.push(card(Word::Hosts, found.hosts.count, "corpus: hosts"));
    } else if let Some(level) = numbers.level(Level::Page) {
        cards.push((word(Word::PagesCrawled), share(level.crawled, level.nodes)));
    }
    cards.extend([
        card(Word::WordsOfText, corpus.words, "corpus: words"),
        card(Word::Links, corpus.links, "corpus: links"),
        card(Word::DuplicatePages, corpus.duplicates, "corpus: duplicates"),
    ]);
    let over_time = languages_over_time(corpus, lang);
    let languages = match over_time {
        Some(over) => Panel::OverTime(over),
        None => Panel::Bars(languages(corpus, lang)),
    };
    Part { cards, panels: bowtie(numbers).into_iter().chain([languages]).collect(), ..Part::default() }
}

fn languages_over_time(corpus: &Corpus, lang: Lang) -> Option<OverTime> {
    let periods = Periods::of(corpus);
    let by = periods.by?;
    let layer = |(code, counts): (String, Vec<u64>)| {
        let of = periods.names.iter().map(|period| format!("language over time: {period} {code}"));
        let name =
            if code == OTHERS { lang.word(Word::Others).to_owned() } else { language_name(&code, lang) };
        Layer { name, counts, of: of.collect() }
    };
    Some(OverTime {
        title: lang.word(Word::LanguagesOverTime).into(),
        note: lang.word(by).into(),
        layers: periods.languages.into_iter().map(layer).collect(),
        periods: periods.names.clone(),
    })
}

fn languages(corpus: &Corpus, lang: Lang) -> Bars {
    let mut chart =
        bars(lang.word(Word::Languages).into(), lang.word(Word::Pages).into(), "language", &corpus.language);
    chart.bars.iter_mut().for_each(|bar| bar.name = language_name(&bar.name, lang));
    chart
}

fn texts(found: &Found<'_>, lang: Lang) -> Part {
    let corpus = found.corpus;
    let word = |word| lang.word(word).to_owned();
    let mut panels = Vec::new();
    // The overview has it else.
    if languages_over_time(corpus, lang).is_some() {
        panels.push(languages(corpus, lang));
    }
    let mut kinds = bars(word(Word::Kinds), word(Word::Pages), "page type", &corpus.page_type);
    kinds.bars.iter_mut().for_each(|bar| bar.name = kind(&bar.name, lang));
    let keywords = bars(word(Word::Keywords), word(Word::Pages), "keyword", &corpus.keyword);
    let encodings = bars(word(Word::Encodings), word(Word::Pages), "charset", &corpus.charset);
    panels.extend([Bars { of: Some(corpus.texts), ..keywords }, kinds]);
    panels.push(encodings);
    part("texts", word(Word::Texts), String::new(), charts(panels, lang))
}

/// The charts; of those with one bar, which no picture says more of, a list.
fn charts(all: Vec<Bars>, lang: Lang) -> Vec<Panel> {
    let (single, several): (Vec<Bars>, Vec<Bars>) = all.into_iter().partition(|chart| chart.bars.len() == 1);
    let mut panels: Vec<Panel> = several.into_iter().map(Panel::Bars).collect();
    let fact = |chart: &Bars| {
        let bar = chart.bars.first()?;
        let (count, unit) = (Html::count(bar.count, &bar.of), Html::text(&chart.unit));
        Some((chart.title.clone(), Html::fill("{0}: {1} {2}", &[Html::text(&bar.name), count, unit])))
    };
    let facts: Vec<(String, Html)> = single.iter().filter_map(fact).collect();
    if !facts.is_empty() {
        panels.push(Panel::Facts(lang.word(Word::AllTheSame).to_owned(), facts));
    }
    panels
}

fn part(id: &str, title: String, note: String, panels: Vec<Panel>) -> Part {
    Part { id: id.into(), title, note, cards: Vec::new(), panels }
}

/// A kind of page in words.
fn kind(name: &str, lang: Lang) -> String {
    let known = match name {
        "article" => Word::Article,
        "collection" => Word::Collection,
        "documentation" => Word::Documentation,
        "forum" => Word::Forum,
        "listing" => Word::Listing,
        "product" => Word::Product,
        "service" => Word::Service,
        "document" => Word::DocumentPage,
        "other" => Word::Other,
        "unknown" => Word::Unknown,
        other => return other.to_owned(),
    };
    lang.word(known).to_owned()
}

fn captures(found: &Found<'_>, lang: Lang) -> Part {
    let corpus = found.corpus;
    let chart = |title, unit, section: &str, counts: &Counts| {
        bars(lang.word(title).into(), lang.word(unit).into(), section, counts)
    };
    let all = vec![
        chart(Word::Status, Word::Captures, "status", &corpus.status),
        chart(Word::MediaTypes, Word::Captures, "mime", &corpus.mime),
        chart(Word::Met, Word::Events, "crawl", &outcomes(found.sources)),
    ];
    part("captures", lang.word(Word::CapturesTitle).into(), String::new(), charts(all, lang))
}

fn graph(found: &Found<'_>, lang: Lang) -> Part {
    let numbers = found.numbers;
    let word = |word| lang.word(word).to_owned();
    let mut panels = Vec::new();
    let levels =
        [(Level::Page, Word::DegreesOfPages, Word::Pages), (Level::Host, Word::DegreesOfHosts, Word::Hosts)];
    for (level, title, what) in levels {
        panels.push(Panel::LogLog(LogLog {
            title: word(title),
            x: word(Word::Degree),
            y: word(what),
            series: vec![
                series(numbers, level, Direction::In, word(Word::InDegree)),
                series(numbers, level, Direction::Out, word(Word::OutDegree)),
            ],
            note: word(Word::DegreesNote),
        }));
    }
    panels.push(Panel::Facts(word(Word::GraphNumbers), graph_facts(numbers, lang)));
    panels.extend(agreement(numbers, lang).into_iter().map(Panel::Top));
    part("graph", word(Word::Graph), word(Word::GraphNote), panels)
}

fn graph_facts(numbers: &Numbers, lang: Lang) -> Vec<(String, Html)> {
    let word = |word| lang.word(word).to_owned();
    let mut facts = Vec::new();
    if let Some(level) = numbers.level(Level::Page) {
        facts.push((word(Word::Nodes), Html::count(level.nodes, "graph: page nodes")));
        facts.push((word(Word::Arcs), Html::count(level.arcs, "graph: page arcs")));
    }
    let Some(shape) = numbers.shape(Level::Page) else { return facts };
    let largest = Html::count(shape.largest_scc.into(), "shape: components page scc largest");
    facts.push((word(Word::LargestComponent), largest));
    for (label, value, percent, of) in [
        (Word::Reciprocity, shape.reciprocity, true, "shape: mixing page reciprocity"),
        (Word::WithinHosts, shape.links_within_hosts, true, "shape: mixing page links_within_hosts"),
        (Word::MeanDistance, shape.distance_mean, false, "shape: distances page mean"),
        (
            Word::EffectiveDiameter,
            shape.effective_diameter,
            false,
            "shape: distances page effective_diameter",
        ),
    ] {
        let Some(value) = value else { continue };
        let written = if percent { format!("{:.1} %", 100.0 * value) } else { format!("{value:.2}") };
        facts.push((word(label), Html::number(value, &written, of)));
    }
    facts
}

/// How the measures agree, a triangle for each level that has something to order.
fn agreement(numbers: &Numbers, lang: Lang) -> Vec<Top> {
    const LEAST_NODES: u64 = 10;
    let levels = [
        (Level::Page, Word::AgreementOfPages),
        (Level::Host, Word::AgreementOfHosts),
        (Level::Domain, Word::AgreementOfDomains),
    ];
    let word = |word| lang.word(word).to_owned();
    let something = |level| numbers.level(level).is_some_and(|row| row.nodes >= LEAST_NODES);
    let levels = levels.into_iter().filter(|(level, _)| something(*level));
    levels
        .map(|(level, title)| {
            let of = numbers.agreement.iter().filter(|row| row.level == level);
            let tau: BTreeMap<(&str, &str), f64> = of.map(|row| ((row.first, row.second), row.tau)).collect();
            let measures = in_triangle(tau.keys().copied());
            let cell = |a: &str, b: &str| {
                let known = [(a, b), (b, a)].into_iter().find_map(|pair| Some((pair, *tau.get(&pair)?)));
                known.map_or_else(
                    || Html::text(""),
                    |((a, b), tau)| {
                        let of = format!("rank: kendall_tau {} {a} – {b}", level.as_str());
                        Html::number(tau, &format!("{tau:.2}"), &of)
                    },
                )
            };
            let row = |(number, name): (usize, &&str)| TopRow {
                name: (*name).to_owned(),
                title: None,
                cells: (0..measures.len() - 1)
                    .map(|at| if at < number { cell(measures[at], name) } else { Html::text("") })
                    .collect(),
            };
            Top {
                title: word(title),
                note: word(Word::AgreementNote),
                of: word(Word::Measures),
                columns: measures
                    .split_last()
                    .map_or(&[][..], |(_, names)| names)
                    .iter()
                    .map(|name| (*name).to_owned())
                    .collect(),
                rows: measures.iter().enumerate().skip(1).map(row).collect(),
            }
        })
        .filter(|table| !table.rows.is_empty())
        .collect()
}

/// The names of all pairs, each once, in the order of the alphabet but PageRank first.
fn in_triangle<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<&'a str> {
    let names: BTreeSet<&str> = pairs.flat_map(|(a, b)| [a, b]).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| *name != "PageRank");
    names
}

fn series(numbers: &Numbers, level: Level, direction: Direction, name: String) -> Series {
    let law = numbers.laws.iter().find(|law| law.level == level && law.direction == direction);
    let law = law.map(|law| Law { exponent: law.exponent, error: law.error, x_min: law.x_min });
    Series { name, law, ..degrees(numbers, level, direction) }
}

fn bowtie(numbers: &Numbers) -> Option<Panel> {
    let shape = numbers.shape(Level::Page)?;
    Some(Panel::BowTie(BowTie {
        core: shape.bowtie_core,
        into: shape.bowtie_in,
        out: shape.bowtie_out,
        tendrils: shape.bowtie_tendril,
        tubes: shape.bowtie_tube,
        disconnected: shape.bowtie_disconnected,
    }))
}

fn duplicates(found: &Found<'_>, lang: Lang) -> Part {
    let corpus = found.corpus;
    let word = |word| lang.word(word).to_owned();
    let clusters: u64 = corpus.cluster_sizes.values().sum();
    let mut cards = vec![
        (word(Word::Clusters), Html::count(clusters, "corpus: clusters")),
        (word(Word::DuplicatePages), Html::count(corpus.duplicates, "corpus: duplicates")),
    ];
    for (name, n, _) in copied(found.sources) {
        if n == 0 {
            continue;
        }
        let label = match name {
            "repeated lines" => Word::RepeatedLines,
            "mirrors" => Word::Mirrors,
            "suspected mirrors" => Word::SuspectedMirrors,
            _ => Word::Variants,
        };
        cards.push((word(label), Html::count(n, &format!("corpus: {name}"))));
    }
    let size = |(size, n): (&u64, &u64)| Bar {
        name: word(Word::PagesInCluster).replace("{0}", &thousands(*size)),
        count: *n,
        of: format!("cluster size: {size}"),
    };
    let mut panels = Vec::new();
    if corpus.cluster_sizes.len() > 1 {
        panels.push(Panel::Bars(Bars {
            title: word(Word::ClusterSizes),
            unit: word(Word::Clusters),
            of: None,
            bars: corpus.cluster_sizes.iter().map(size).collect(),
        }));
    }
    let row = |(size, url): &(u64, String)| TopRow {
        name: url.clone(),
        title: found.tops.titles.get(url).cloned(),
        cells: vec![thousands(*size).into()],
    };
    panels.push(Panel::Top(Top {
        title: word(Word::LargestClusters),
        note: word(Word::ClustersNote),
        of: word(Word::Page),
        columns: vec![word(Word::Pages)],
        rows: corpus.clusters.iter().map(row).collect(),
    }));
    let (title, note) = (word(Word::DuplicatesTitle), word(Word::DuplicatesNote));
    Part { cards, ..part("duplicates", title, note, panels) }
}

/// A bar chart of counts, largest first, as they stand in a section of table `summary`.
pub fn bars(title: String, unit: String, section: &str, counts: &Counts) -> Bars {
    let bar =
        |(name, n): (&String, &u64)| Bar { name: name.clone(), count: *n, of: format!("{section}: {name}") };
    let mut bars: Vec<Bar> = counts.iter().map(bar).collect();
    bars.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    Bars { title, unit, of: None, bars }
}
