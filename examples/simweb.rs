//! A simulated Web behind an HTTP proxy on this machine, to crawl without asking anybody.
//!
//!     cargo run --release --example simweb -- PORT SEEDS.txt TRUTH.tsv [SETTINGS.toml]
//!     cargo run --release --example simweb -- PORT SEEDS.txt plain PAGES HOSTS
//!     webmill crawl --seeds SEEDS.txt --proxy http://127.0.0.1:PORT --out crawl
//!
//! Power-law degrees, mirrors, slow and dead hosts, traps, robots.txt of all kinds; with `plain` sound hosts and small pages only, for
//! measuring speed. Every host is below `.example`. SEEDS.txt gets one URL per line, TRUTH.tsv what must become of each page in an
//! obedient crawl, its URL and its topic where topics are planted (`[web.topics]`). Ctrl-C ends it.

use std::io::{BufWriter, Write};

use webmill::sim::{ServeOptions, Server, SimConfig, SimWeb};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (port, seeds, truth, config) =
        match arguments[..] {
            [port, seeds, "plain", pages, hosts] => {
                (port, seeds, None, SimConfig::plain(pages.parse()?, hosts.parse()?, 1))
            }
            [port, seeds, truth] => (port, seeds, Some(truth), SimConfig::default()),
            [port, seeds, truth, settings] => {
                (port, seeds, Some(truth), toml::from_str(&std::fs::read_to_string(settings)?)?)
            }
            _ => return Err(
                "usage: simweb PORT SEEDS.txt TRUTH.tsv [SETTINGS.toml] | PORT SEEDS.txt plain PAGES HOSTS"
                    .into(),
            ),
        };
    let sim = SimWeb::new(config)?;
    std::fs::write(seeds, sim.seeds().map(|seed| format!("{seed}\n")).collect::<String>())?;
    if let Some(path) = truth {
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        for page in sim.truth().pages() {
            let topic = sim.web().find(&page.url).and_then(|page| sim.web().topic(page));
            let topic = topic.map_or(String::new(), |of| of.topic.to_string());
            writeln!(out, "{}\t{}\t{topic}", page.expect.name(), page.url)?;
        }
        out.flush()?;
    }
    let address = ([127, 0, 0, 1], port.parse()?).into();
    let server = Server::start(sim, ServeOptions { address, ..ServeOptions::default() })?;
    println!("{}", server.proxy());
    loop {
        std::thread::park();
    }
}
