//! How far estimated harmonic centrality is from the exact one, by the number of registers.
//!
//!     cargo bench -p webmill-graph --bench harmonic -- [GRAPH]…
//!
//! Of each graph file named, and without any of three graphs: R-MAT of 2^17 nodes, preferential attachment of 120,000
//! pages, and sites of 120,000 pages whose links mostly stay within their site. For 2^6, 2^8, 2^10 and 2^12 registers:
//! median and 95 % quantile of the relative error among nodes that are reached at all, the greatest, how many of the 100 most
//! central nodes are among the 100 of the estimate, Kendall's tau of both orders, and seconds of both. Each with five
//! seeds of the counters' hash: least, median and greatest of the seeds.

use std::time::Instant;

use webmill_capture::splitmix::SplitMix;
use webmill_graph::{Csr, Harmonic, HyperBall, kendall_tau, load};

#[path = "support/rmat.rs"]
mod rmat;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    for file in &files {
        measure(file, &load(file)?.graph)?;
    }
    if files.is_empty() {
        measure("R-MAT", &Csr::from_arcs(1 << 17, rmat::rmat(17, 8, 1))?)?;
        measure("preferential attachment", &attachment(120_000, 8)?)?;
        measure("sites", &sites(120_000, 10)?)?;
    }
    Ok(())
}

fn measure(name: &str, graph: &Csr) -> Result<(), Failure> {
    let transpose = graph.transpose();
    let start = Instant::now();
    let exact = Harmonic { exact_nodes: u64::MAX, ..Harmonic::default() }.run(graph, &transpose)?;
    println!(
        "{name}: {} nodes, {} arcs, exact in {:.1} s, greatest distance {}",
        graph.num_nodes(),
        graph.num_arcs(),
        start.elapsed().as_secs_f64(),
        exact.iterations
    );
    let best = top(&exact.scores);
    for log_registers in [6, 8, 10, 12] {
        let mut columns: [Vec<f64>; 6] = Default::default();
        for seed in 1..=5 {
            let start = Instant::now();
            let ball = HyperBall { log_registers, seed, ..HyperBall::default() };
            let found = ball.run(graph, &transpose)?.harmonic;
            let seconds = start.elapsed().as_secs_f64();
            let reached = found.iter().zip(&exact.scores).filter(|(_, exact)| **exact > 0.0);
            let mut errors: Vec<f64> =
                reached.map(|(found, exact)| 100.0 * (found / exact - 1.0).abs()).collect();
            errors.sort_unstable_by(f64::total_cmp);
            let quantile = |q: f64| errors.get(((errors.len() as f64 * q) as usize).min(errors.len() - 1));
            let overlap = top(&found).iter().filter(|node| best.contains(node)).count();
            let tau = kendall_tau(&found, &exact.scores)?.unwrap_or(f64::NAN);
            let values = [
                *quantile(0.5).ok_or("no arcs")?,
                *quantile(0.95).ok_or("no arcs")?,
                *quantile(1.0).ok_or("no arcs")?,
                overlap as f64,
                tau,
                seconds,
            ];
            columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        let [median, most, greatest, overlap, tau, seconds] = columns.map(|column| shown(&column));
        println!(
            "  2^{log_registers} registers: error {median} % in the median, {most} % at 95 %, {greatest} % at most; \
             of the best 100 {overlap}; tau {tau}; {seconds} s"
        );
    }
    Ok(())
}

/// The 100 nodes of the highest scores, of equal ones the first.
fn top(scores: &[f64]) -> Vec<u32> {
    let mut nodes: Vec<u32> = (0..scores.len() as u32).collect();
    nodes.sort_by(|a, b| scores[*b as usize].total_cmp(&scores[*a as usize]));
    nodes.truncate(100);
    nodes
}

/// Each page links to `degree` earlier ones, half of them as popular ones are copied from, half of them any; and a
/// tenth of all arcs are answered.
fn attachment(nodes: u32, degree: u32) -> Result<Csr, Failure> {
    let mut state = SplitMix(3);
    let mut arcs: Vec<(u32, u32)> = vec![(1, 0)];
    for page in 2..nodes {
        for _ in 0..degree {
            let copied = arcs[below(&mut state, arcs.len() as u64) as usize].1;
            let any = below(&mut state, page.into()) as u32;
            let target = if below(&mut state, 2) == 0 { copied } else { any };
            arcs.push((page, target));
            if below(&mut state, 10) == 0 {
                arcs.push((target, page));
            }
        }
    }
    Ok(Csr::from_arcs(nodes as usize, arcs)?)
}

/// Sites of 10 to 1000 pages in the order of URLs: a page links to its site's first page, to pages near it, and with
/// one link of eight to the first page of another site, popular ones more.
fn sites(nodes: u32, degree: u32) -> Result<Csr, Failure> {
    let mut state = SplitMix(5);
    let mut firsts = vec![0];
    while firsts[firsts.len() - 1] < nodes {
        let size = 10.0 * 100f64.powf(below(&mut state, 1 << 20) as f64 / f64::from(1 << 20));
        firsts.push(firsts[firsts.len() - 1] + size as u32);
    }
    firsts.pop();
    firsts.push(nodes);
    let mut arcs = Vec::new();
    for site in firsts.windows(2) {
        let (first, size) = (site[0], site[1] - site[0]);
        for page in first..site[1] {
            arcs.push((page, first));
            for _ in 1..degree {
                let target = if below(&mut state, 8) > 0 {
                    let near = below(&mut state, 20.min(size).into()) as u32;
                    first + (page - first + near) % size
                } else {
                    // The lower, the more popular.
                    let share = below(&mut state, 1 << 20) as f64 / f64::from(1 << 20);
                    firsts[(share * share * (firsts.len() - 1) as f64) as usize]
                };
                arcs.push((page, target));
            }
        }
    }
    Ok(Csr::from_arcs(nodes as usize, arcs)?)
}

fn shown(values: &[f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let text = |value: f64| if value < 10.0 { format!("{value:.2}") } else { format!("{value:.0}") };
    [sorted[0], sorted[sorted.len() / 2], sorted[sorted.len() - 1]].map(text).join(" / ")
}

/// A number below `most`.
fn below(state: &mut SplitMix, most: u64) -> u64 {
    state.bits() % most
}
