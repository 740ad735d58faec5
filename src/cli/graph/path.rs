//! `webmill graph path`: the shortest chains of links from one page or host to another, with what the links say.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::ValueEnum;
use serde_json::{Value, json};
use webmill_graph::{Chains, Csr, Length, Search, dijkstra_bytes, shortest_chains};

use crate::anchors::Anchors;
use crate::args::{JobFlags, ResultsOrGraph, Top};
use crate::print::{DocumentFormat, flat as plain};
use crate::source;
use webmill_jobs::graph::open::OpenedGraph;
use webmill_jobs::job::{latest, mixed};
use webmill_jobs::levels::Level;

/// Print the shortest chains of links from one page or host to another, with the texts of the links.
///
/// A chain is as long as it has links. With --weights the arcs have lengths of their own. The search takes memory for the
/// nodes it meets, with --weights also for arcs. Texts of links come from table links of the results; graph files have none.
/// Exit code 1 where no chain leads there.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill graph path [OPTIONS] [RESULTS|GRAPH] <FROM> <TO>",
    after_help = "Examples:\n  webmill graph path out/demo/results www.lakeside.example mirror.lakeside.example --level host\n  webmill graph path graph.txt 17 4022 --weights strength"
)]
pub struct PathArgs {
    #[command(flatten)]
    graph: ResultsOrGraph,
    /// Where chains begin: a URL, a host or domain, or a node's number in a graph file without names.
    from: Option<String>,
    /// Where they end.
    to: Option<String>,
    #[command(flatten)]
    top: Top,
    /// What the weights of arcs are (in results numbers of links): `length`, or `strength`, whose inverse is the length.
    #[arg(long, value_enum)]
    weights: Option<PathWeights>,
    #[command(flatten)]
    format: DocumentFormat,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    flags: JobFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PathWeights {
    /// The weight is the arc's length.
    Length,
    /// The greater the weight, the nearer: the length is 1 / weight.
    Strength,
}

/// Runs the command.
pub fn run(args: &PathArgs) -> Result<ExitCode> {
    let (path, [from, to]) = args.graph.before([&args.from, &args.to], ["FROM", "TO"])?;
    let memory = args.flags.memory()?;
    let source = source::open(&path, &args.reading, memory)?;
    let ends = [source.find(&from)?, source.find(&to)?];
    let length = match args.weights {
        None => Length::One,
        Some(PathWeights::Length) => Length::Weight,
        Some(PathWeights::Strength) => Length::Inverse,
    };
    if length != Length::One {
        admit_lengths(&source.graph, memory)?;
    }
    let names = source.names_of(&ends)?;
    match args.flags.budget.pool()?.install(|| shortest_chains(&source.graph, ends[0], ends[1], length))? {
        Search::Found(chains) => print_chains(args, &source, &chains),
        Search::Unreachable(met) => {
            webmill_jobs::say!(
                "no chain of links leads from {} to {} in the {}: {met} of {} nodes can be reached, the first included",
                names[0],
                names[1],
                source.about(),
                source.graph.num_nodes()
            );
            if args.format.is_json() {
                let none = json!({
                    "from": names[0], "to": names[1], "length": null, "chains": "0", "counted": true,
                    "reached": met, "printed": [],
                });
                webmill_jobs::print(&format!("{}\n", serde_json::to_string_pretty(&none)?))?;
            }
            Ok(ExitCode::from(1))
        }
    }
}

fn admit_lengths(graph: &Csr, memory: u64) -> Result<()> {
    let need = dijkstra_bytes(graph) + graph.bytes();
    if need > memory {
        bail!(
            "--weights takes up to {} MiB on this graph, --memory leaves {} MiB",
            need.div_ceil(1 << 20),
            memory >> 20
        );
    }
    Ok(())
}

/// Chains with all that is printed of them.
struct PathReport {
    chains: Vec<Vec<u32>>,
    names: Vec<String>,
    nodes: Vec<u32>,
    anchors: Option<Anchors>,
}

impl PathReport {
    fn of(args: &PathArgs, source: &OpenedGraph, chains: &Chains) -> Result<Self> {
        let chains: Vec<Vec<u32>> = chains.iter().take(args.top.top.unwrap_or(1)).collect();
        let nodes: BTreeSet<u32> = chains.iter().flatten().copied().collect();
        let nodes: Vec<u32> = nodes.into_iter().collect();
        let names = source.names_of(&nodes)?;
        let mut told = PathReport { chains, names, nodes, anchors: None };
        told.anchors = told.read_anchors(source)?;
        Ok(told)
    }

    fn name(&self, node: u32) -> &str {
        self.nodes.binary_search(&node).map_or("", |at| &self.names[at])
    }

    /// What the links of pages say, where there are results that tell.
    fn read_anchors(&self, source: &OpenedGraph) -> Result<Option<Anchors>> {
        let Some((graph, Level::Page)) = source.committed() else { return Ok(None) };
        let extract = match latest(&source.path, "extract") {
            Ok(extract) => extract,
            Err(error) => {
                webmill_jobs::say!("no texts of links: {error}");
                return Ok(None);
            }
        };
        for warning in mixed(&[&extract, graph]) {
            webmill_jobs::say!("{warning}");
        }
        let arcs: BTreeSet<(u32, u32)> = self.arcs().collect();
        let pairs: Vec<(String, String)> =
            arcs.iter().map(|(u, v)| (self.name(*u).to_owned(), self.name(*v).to_owned())).collect();
        let anchors = Anchors::of(&extract, &pairs)?;
        let silent = pairs.iter().filter(|(from, to)| anchors.between(from, to).is_none()).count();
        if silent > 0 {
            webmill_jobs::say!(
                "{silent} of {} arcs have no link in table links: they stand for links of copies that were folded",
                pairs.len()
            );
        }
        Ok(Some(anchors))
    }

    fn arcs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.chains.iter().flat_map(|chain| chain.windows(2).map(|pair| (pair[0], pair[1])))
    }

    /// The link that an arc is, as it is told.
    fn link(&self, graph: &Csr, u: u32, v: u32) -> Value {
        let weight = weight(graph, u, v);
        let between = self.anchors.as_ref().and_then(|all| all.between(self.name(u), self.name(v)));
        let best = between.and_then(|between| between.best());
        json!({
            "source": self.name(u), "target": self.name(v), "weight": weight,
            "anchor": best.map(|link| &link.anchor), "kind": best.map(|link| link.kind),
            "position": best.map(|link| link.position), "links": between.map(|between| between.rows),
        })
    }
}

/// The weight of an arc; `None` where arcs have none.
fn weight(graph: &Csr, u: u32, v: u32) -> Option<f64> {
    let at = graph.successor_slice(u).binary_search(&v).ok()?;
    graph.weights().map(|weights| weights.get(graph.arcs_of(u).start + at))
}

fn print_chains(args: &PathArgs, source: &OpenedGraph, chains: &Chains) -> Result<ExitCode> {
    let told = PathReport::of(args, source, chains)?;
    let text = match args.format.is_json() {
        true => {
            let printed: Vec<Value> = told
                .chains
                .iter()
                .map(|chain| {
                    let names: Vec<&str> = chain.iter().map(|node| told.name(*node)).collect();
                    let links: Vec<Value> =
                        chain.windows(2).map(|pair| told.link(&source.graph, pair[0], pair[1])).collect();
                    json!({ "nodes": names, "links": links })
                })
                .collect();
            let all = json!({
                "from": told.name(chains.from), "to": told.name(chains.to), "length": chains.length,
                // As text: readers of JSON take numbers for 64 bits.
                "chains": chains.count.to_string(), "counted": chains.counted, "reached": null, "printed": printed,
            });
            format!("{}\n", serde_json::to_string_pretty(&all)?)
        }
        false => in_words(source, chains, &told, args.weights.is_some())?,
    };
    webmill_jobs::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn in_words(source: &OpenedGraph, chains: &Chains, told: &PathReport, weighted: bool) -> Result<String> {
    let mut text = String::new();
    let number =
        if chains.counted { chains.count.to_string() } else { format!("more than {}", chains.count) };
    let plural = |one: bool, word: &str| if one { word.to_owned() } else { format!("{word}s") };
    let links = told.chains.first().map_or(0, |chain| chain.len().saturating_sub(1));
    let length = match weighted {
        true => format!("length {}", chains.length),
        false => format!("{links} {}", plural(links == 1, "link")),
    };
    writeln!(text, "{length}; {number} shortest {}", plural(chains.count == 1, "chain"))?;
    for chain in &told.chains {
        writeln!(text)?;
        for (at, node) in chain.iter().enumerate() {
            if let Some(before) = at.checked_sub(1).map(|before| chain[before]) {
                writeln!(text, "  ↓ {}", say_link(&told.link(&source.graph, before, *node)))?;
            }
            writeln!(text, "{}", plain(told.name(*node)))?;
        }
    }
    let printed = told.chains.len() as u128;
    if printed < chains.count {
        writeln!(text, "\n{} more are not printed (--top)", chains.count - printed)?;
    }
    Ok(text)
}

fn say_link(link: &Value) -> String {
    let anchor = link["anchor"].as_str().filter(|text| !text.is_empty());
    let kind = link["kind"].as_str().filter(|kind| *kind != "a");
    let mut said = anchor.map_or_else(|| "(no text)".to_owned(), |text| format!("“{}”", plain(text)));
    if link["kind"].is_null() {
        said = "link".to_owned();
    }
    if let Some(kind) = kind {
        said = if anchor.is_some() { format!("{said}, {kind}") } else { format!("({kind})") };
    }
    match link["weight"].as_f64() {
        Some(weight) if weight != 1.0 => format!("{said}, weight {weight}"),
        _ => said,
    }
}
