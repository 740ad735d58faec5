//! `webmill simweb`: a simulated Web on a loopback port, to crawl without asking anybody.

pub mod tables;

use std::io::{BufWriter, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::simweb::tables::{SimulatedArcRow, SimulatedPageRow};
use anyhow::{Context, Result};
use webmill_run::{Cancel, Measure, Progress};
use webmill_sim::{Coverage, Obedient, ServeOptions, Server, SimConfig, SimWeb, TopicConfig};
use webmill_table::{Footer, PartWriter, Table};

use crate::console::Console;

/// Serve a simulated Web as an HTTP proxy: power-law degrees, mirrors, slow and dead hosts, traps, robots.txt of all kinds.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill simweb --pages 100000 --hosts 2000 --port 8100 --seeds seeds.txt --truth truth\n  webmill crawl --seeds seeds.txt --proxy http://127.0.0.1:8100 --out crawl\n\nEvery host is below .example; the truth says which pages an obedient crawler must find. Ctrl-C ends it."
)]
pub struct SimwebArgs {
    /// Number of URLs, redirects and missing pages among them [default: 10000].
    #[arg(long, value_name = "N")]
    pages: Option<u64>,
    /// Number of hosts, about [default: one for 50 pages].
    #[arg(long, value_name = "N")]
    hosts: Option<u64>,
    /// Another seed, another Web.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Mean number of words of a main text.
    #[arg(long, value_name = "N")]
    words: Option<u32>,
    /// Plant so many topics: hosts and pages of a topic, links that stay in it, hubs, groups that only tunnels join.
    #[arg(long, value_name = "N")]
    topics: Option<u32>,
    /// Time that every answer takes, in ms.
    #[arg(long, value_name = "MS")]
    delay: Option<u32>,
    /// Sound hosts and small pages only, for measuring speed.
    #[arg(long)]
    plain: bool,
    /// All settings, as TOML; flags override it.
    #[arg(long, value_name = "FILE.toml", conflicts_with = "plain")]
    recipe: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// Port to listen on; 0: any free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Threads that serve.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Connections at the same time; more wait.
    #[arg(long, value_name = "N", default_value_t = 60_000)]
    limit_connections: usize,
    /// Write the seeds, one a line.
    #[arg(long, value_name = "FILE")]
    seeds: Option<PathBuf>,
    /// Write what an obedient crawler must find: tables simulated_pages and simulated_arcs.
    #[arg(long, value_name = "DIR")]
    truth: Option<PathBuf>,
    /// Write the files and serve nothing.
    #[arg(long)]
    no_serve: bool,
}

/// Runs the command.
pub fn run(args: &SimwebArgs, cancel: &Cancel) -> Result<ExitCode> {
    let sim = SimWeb::new(config(args)?)?;
    if let Some(path) = &args.seeds {
        let file = std::fs::File::create(path).with_context(|| path.display().to_string())?;
        let mut file = BufWriter::new(file);
        for seed in sim.seeds() {
            writeln!(file, "{seed}").with_context(|| path.display().to_string())?;
        }
        file.flush().with_context(|| path.display().to_string())?;
    }
    if let Some(folder) = &args.truth {
        write_truth(&sim, folder, cancel)?;
    }
    if args.no_serve {
        return Ok(ExitCode::SUCCESS);
    }
    let options = ServeOptions {
        address: SocketAddr::new(args.listen, args.port),
        threads: args.threads,
        connections: args.limit_connections,
        ..ServeOptions::default()
    };
    let server = Server::start(sim, options)?;
    crate::print(&format!("{}\n", server.proxy()))?;
    while !cancel.stopped() {
        std::thread::sleep(Duration::from_millis(100));
    }
    crate::say!("{} requests on {} connections", server.requests(), server.connections());
    Ok(ExitCode::SUCCESS)
}

fn config(args: &SimwebArgs) -> Result<SimConfig> {
    let mut config = match &args.recipe {
        None => SimConfig::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| format!("recipe {}", path.display()))?;
            toml::from_str(&text).with_context(|| format!("recipe {}", path.display()))?
        }
    };
    let pages = args.pages.unwrap_or(config.web.pages);
    let seed = args.seed.unwrap_or(config.web.seed);
    if args.plain {
        config = SimConfig::plain(pages, pages.div_ceil(config.web.pages_per_host.max(1)), seed);
    }
    (config.web.pages, config.web.seed) = (pages, seed);
    if let Some(hosts) = args.hosts {
        config.web.pages_per_host = pages.div_ceil(hosts.max(1)).max(1);
    }
    config.web.words = args.words.unwrap_or(config.web.words);
    if let Some(topics) = args.topics {
        config.web.topics = Some(TopicConfig { topics, ..config.web.topics.unwrap_or_default() });
    }
    config.delay_ms = args.delay.unwrap_or(config.delay_ms);
    Ok(config)
}

/// Writes the tables for a crawler with webmill's defaults.
fn write_truth(sim: &SimWeb, folder: &Path, cancel: &Cancel) -> Result<()> {
    let console = Console::new();
    console.begin("truth", 2 * sim.web().len(), Measure::Items);
    let crawler = Obedient { agent: sim.config().agent.clone(), ..Obedient::default() };
    let truth = sim.truth(&crawler);
    let traps: std::collections::HashMap<String, &'static str> =
        truth.trap_hosts().map(|(name, trap)| (name, trap.name())).collect();
    let pages = truth.pages().map(|page| {
        let url_host_name = sim.web().host_name(page.host);
        SimulatedPageRow {
            expect: page.expect.name(),
            depth: page.depth,
            noindex: page.noindex,
            topic: sim.web().find(&page.url).and_then(|page| sim.web().topic(page)).map(|of| of.topic),
            trap: traps.get(&url_host_name).copied(),
            url: page.url,
            url_host_name,
        }
    });
    write_table(folder, pages, &console, cancel)?;
    write_table(folder, arcs(&truth), &console, cancel)?;
    console.end();
    Ok(())
}

fn arcs<'a>(truth: &'a Coverage<'_>) -> impl Iterator<Item = SimulatedArcRow> + 'a {
    truth.arcs().map(|arc| SimulatedArcRow { source: arc.source, target: arc.target, followed: arc.followed })
}

/// Writes a table of one part, under its name when it is whole.
fn write_table<T: Table>(
    folder: &Path,
    rows: impl Iterator<Item = T>,
    console: &Console,
    cancel: &Cancel,
) -> Result<()> {
    let folder = folder.join(T::NAME);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (staged, path) = (folder.join(".part-00000.parquet"), folder.join("part-00000.parquet"));
    let mut writer = PartWriter::<T>::create(&staged, &Footer { job_key: "simweb".into() })?;
    for (i, row) in rows.enumerate() {
        writer.push(row)?;
        if i % 4096 == 0 {
            cancel.check()?;
            console.advance(4096);
        }
    }
    writer.finish()?;
    std::fs::rename(&staged, &path).with_context(|| path.display().to_string())?;
    Ok(crate::print(&format!("{}\n", path.display()))?)
}
