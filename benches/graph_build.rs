//! The graph built by external sort: links in, a graph of pages and one of hosts out, within a budget of memory.
//!
//!     cargo bench --bench graph_build -- [MILLION_LINKS [MEMORY_MIB [FOLDER]]]
//!
//! Defaults: 10 million links, 256 MiB, a temporary folder. Pages have ten links each, six of ten to pages of their own
//! host, the others to any page by a power law; hosts have fifty pages on average, by a power law too. As in the job the
//! sorts get half of the memory, the rest is for what reads tables. URLs are made while the clock runs.

use std::path::{Path, PathBuf};
use std::time::Instant;

use webmill::capture::splitmix::{STEP, SplitMix};
use webmill::capture::{CanonicalUrl, UrlKey};
use webmill::graph::{BuildOptions, Csr, GraphBuilder, LinkInput, Numbering, PageInput, fold_file};
use webmill::sort::Budget;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LINKS_A_PAGE: u64 = 10;
const PAGES_A_HOST: u64 = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let number = |at: usize, usual: u64| args.get(at).map_or(Ok(usual), |arg| arg.parse());
    let (links, memory) = (number(0, 10)? * 1_000_000, number(1, 256)? << 20);
    let temporary = tempfile::tempdir()?;
    let folder = args.get(2).map_or_else(|| temporary.path().to_path_buf(), PathBuf::from);
    let web = Web::new(links / LINKS_A_PAGE);
    println!("{} pages on {} hosts, {links} links, {} MiB", web.pages, web.hosts.len() - 1, memory >> 20);

    let start = Instant::now();
    let budget = Budget::new(memory as usize / 2).in_dir(&folder);
    let mut builder = GraphBuilder::new(BuildOptions::default(), &budget);
    for page in 0..web.pages {
        let (url, surt) = web.page(page);
        let key = UrlKey::of(&url).0;
        builder.add_page(&PageInput { key, surt: surt.as_bytes(), url: url.as_bytes(), attributes: b"0" })?;
        for link in 0..LINKS_A_PAGE {
            let (url, surt) = web.page(web.target(page, link));
            builder.add_link(&LinkInput {
                source: key,
                target: UrlKey::of(&url).0,
                surt: surt.as_bytes(),
                url: url.as_bytes(),
                nofollow: false,
            })?;
        }
    }
    step("links taken", links, start);
    let Numbering::Done(numbered) = builder.number(|_| Ok(()))? else { return Err("keys collide".into()) };
    step("nodes numbered", numbered.num_nodes() as u64, start);
    println!("  {:.1} GB of runs on disk", disk(&folder)? as f64 / 1e9);
    let path = folder.join("page.csr");
    let (counts, hosts) = numbered.write(&path)?;
    step("arcs written", counts.arcs, start);
    let groups = hosts.by_host();
    let by_host = folder.join("host.csr");
    fold_file(&Csr::open(&path)?, &groups.of, groups.names.len(), true, &budget, &by_host)?;
    let folded = Csr::open(&by_host)?;
    step("arcs between hosts", folded.num_arcs() as u64, start);
    let seconds = start.elapsed().as_secs_f64();
    println!("{:.1} s, {:.0} ns an arc", seconds, 1e9 * seconds / counts.arcs as f64);
    Ok(())
}

fn step(what: &str, number: u64, start: Instant) {
    let memory = peak().map_or_else(String::new, |mib| format!(", {mib} MiB at most so far"));
    println!("  {what}: {number} after {:.1} s{memory}", start.elapsed().as_secs_f64());
}

/// Most resident memory until now, without the files that are mapped.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib >> 10)
}

fn disk(folder: &Path) -> std::io::Result<u64> {
    // Run files have no name once they are open: what the process holds open counts.
    let mut bytes = 0;
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let path = entry?.path();
        let inside = std::fs::read_link(&path).is_ok_and(|to| to.starts_with(folder));
        bytes += if inside { std::fs::metadata(&path)?.len() } else { 0 };
    }
    Ok(bytes)
}

/// A Web whose pages are known by number.
struct Web {
    pages: u64,
    /// First page of each host, and the number of pages.
    hosts: Vec<u64>,
}

impl Web {
    fn new(pages: u64) -> Web {
        let mut hosts = vec![0];
        let mut state = SplitMix(1);
        while let Some(&last) = hosts.last().filter(|last| **last < pages) {
            // Pareto with exponent 1.5: the mean is three times the least.
            let share = (state.bits() >> 11) as f64 / (1u64 << 53) as f64;
            let size = (PAGES_A_HOST as f64 / 3.0 * (1.0 - share).powf(-1.0 / 1.5)) as u64;
            hosts.push((last + size.clamp(1, pages / 20 + 1)).min(pages));
        }
        Web { pages, hosts }
    }

    fn host(&self, page: u64) -> usize {
        self.hosts.partition_point(|first| *first <= page) - 1
    }

    fn page(&self, page: u64) -> (String, String) {
        let host = self.host(page);
        let number = page - self.hosts[host];
        let (section, zone) = (number / 20, ["com", "org", "cn", "de"][host % 4]);
        let url = format!("http://www.host{host}.{zone}/section{section}/page-{number}.html");
        let surt = format!("{zone},host{host},www)/section{section}/page-{number}.html");
        debug_assert_eq!(CanonicalUrl::parse(&url).expect("valid").surt(), surt);
        (url, surt)
    }

    fn target(&self, page: u64, link: u64) -> u64 {
        let mut state = SplitMix((page * LINKS_A_PAGE + link).wrapping_mul(STEP) | 1);
        let draw = state.bits();
        if link < 6 {
            let host = self.host(page);
            let (first, end) = (self.hosts[host], self.hosts[host + 1]);
            return first + draw % (end - first);
        }
        let share = (draw >> 11) as f64 / (1u64 << 53) as f64;
        ((share.powi(3) * self.pages as f64) as u64).wrapping_mul(7_919) % self.pages
    }
}
