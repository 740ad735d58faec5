//! Tests against published graphs and their published values. They are skipped where the data is missing.

use super::{
    Assortativity, BuildOptions, Csr, Degrees, GraphBuilder, Histogram, Hits, HyperBall, LinkInput,
    Numbering, PageInput, PageRank, Reciprocity, Salsa, bow_tie, fold_csr, harmonic, kendall_tau,
    read_bvgraph, strong_components, weak_components,
};
use std::path::PathBuf;
use webmill_sort::Budget;

/// A file of the evaluation data.
fn data(name: &str) -> Option<PathBuf> {
    webmill_evaluation::data(&format!("graphs/{name}"))
}

fn cnr_2000() -> Option<Csr> {
    Some(read_bvgraph(data("cnr-2000.graph")?.with_extension("")).unwrap())
}

/// Big-endian numbers, as the framework writes them.
fn numbers(name: &str) -> Option<Vec<u32>> {
    let bytes = std::fs::read(data(name)?).unwrap();
    Some(bytes.chunks_exact(4).map(|b| u32::from_be_bytes(b.try_into().unwrap())).collect())
}

#[test]
fn cnr_2000_has_its_known_ranks_on_any_number_of_threads() {
    let Some(graph) = cnr_2000() else { return };
    assert_eq!((graph.num_nodes(), graph.num_arcs()), (325_557, 3_216_152));
    assert_eq!(graph.arcs().filter(|(u, v, _)| u == v).count(), 87_442);
    let transpose = graph.transpose();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| PageRank { tolerance: 1e-12, ..PageRank::default() }.run(&graph, &transpose).unwrap())
    };
    let ranks = on(1);
    assert!(ranks.converged && ranks.error_bound <= 1e-12);
    for node in [60_595, 60_597] {
        assert!((ranks.scores[node] - 0.017771884).abs() < 1e-9, "{}", ranks.scores[node]);
        assert!(
            ranks
                .scores
                .iter()
                .enumerate()
                .all(|(other, s)| *s < ranks.scores[node] + 1e-12 || other == 60_595 || other == 60_597)
        );
    }
    for threads in [2, 5] {
        assert!(on(threads).scores.iter().zip(&ranks.scores).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

/// Exponent, x_min, ratio and p-value are those of the Python package powerlaw 2.0.0 (`Fit(x, discrete=True,
/// estimate_discrete=False)`, `distribution_compare('power_law', 'lognormal', normalized_ratio=True)`); the
/// standard error is that of the discrete law, theirs (γ − 1)/√n of the continuous one.
fn assert_law(degrees: &Histogram, (gamma, gamma_error, x_min, ratio, p_value): (f64, f64, u64, f64, f64)) {
    let law = degrees.power_law().unwrap();
    assert!((law.gamma - gamma).abs() < 2e-4 && law.x_min == x_min, "{law:?}");
    assert!((law.gamma_error / gamma_error - 1.0).abs() < 0.02, "{law:?}");
    assert!((law.ratio - ratio).abs() < 2e-3 && (law.p_value / p_value - 1.0).abs() < 0.02, "{law:?}");
}

#[test]
fn cnr_2000_has_its_known_components() {
    let Some(graph) = cnr_2000() else { return };
    let strong = strong_components(&graph);
    assert_eq!((strong.len(), strong.sizes[0]), (100_977, 112_023));
    let (Some(of), Some(sizes)) = (numbers("cnr-2000.scc"), numbers("cnr-2000.sccsizes")) else { return };
    assert_eq!(strong.sizes, sizes);
    // The same partition in another numbering.
    let mut theirs = vec![u32::MAX; strong.len()];
    for (ours, other) in strong.of.iter().zip(&of) {
        let known = &mut theirs[*ours as usize];
        assert!(*known == u32::MAX || known == other);
        *known = *other;
    }
    let transpose = graph.transpose();
    let tie = bow_tie(&graph, &transpose, &strong);
    assert_eq!(tie.sizes[0], 112_023);
    assert_eq!(tie.sizes.iter().sum::<u64>(), 325_557);
    let weak = weak_components(&graph);
    let disconnected: u64 = weak.sizes.iter().map(|&s| u64::from(s)).sum::<u64>() - u64::from(weak.sizes[0]);
    assert_eq!(tie.sizes[5], disconnected);
    let degrees = Degrees::of(&graph, &transpose);
    assert_eq!((degrees.out.total(), degrees.out.max(), degrees.r#in.max()), (325_557, 2_716, 18_235));
    assert_law(&degrees.r#in, (1.9618772, 0.00225, 2, -9.0377, 1.60e-19));
    assert_law(&degrees.out, (2.4622863, 0.0554, 88, -0.2179, 0.8275));
    let hits = Hits { max_iterations: 50, ..Hits::default() }.run(&graph, &transpose).unwrap();
    assert!(hits.authorities.iter().chain(&hits.hubs).all(|s| s.is_finite()));
}

/// Sampled distances, HyperBall and exact centralities agree with one another.
#[test]
fn cnr_2000_has_one_shape_by_all_measures() {
    let Some(graph) = cnr_2000() else { return };
    let transpose = graph.transpose();
    let balls = HyperBall { log_registers: 7, ..HyperBall::default() }.run(&graph, &transpose).unwrap();
    let sample: Vec<u32> = (0..40).map(|i| i * 8_000 + 17).collect();
    let exact = harmonic(&transpose, &sample).unwrap();
    let mut squares = 0.0;
    for (&node, exact) in sample.iter().zip(&exact).filter(|(_, exact)| **exact > 0.0) {
        squares += (balls.harmonic[node as usize] / exact - 1.0).powi(2) / sample.len() as f64;
    }
    assert!(balls.converged && squares.sqrt() < 2.0 * balls.relative_error, "{}", squares.sqrt());
    let assortativity = Assortativity::of(&graph, &transpose);
    let reciprocity = Reciprocity::of(&graph, &transpose);
    println!("{assortativity:?} {reciprocity:?} {:?}", reciprocity.share());
    assert_eq!(reciprocity.self_loops, 87_442);
    assert!(assortativity.in_in.is_some_and(|r| r.abs() < 1.0));
    let ranks = PageRank::default().run(&graph, &transpose).unwrap().scores;
    let degrees: Vec<f64> = (0..graph.num_nodes() as u32).map(|u| transpose.outdegree(u) as f64).collect();
    let salsa = Salsa::default().run(&graph, &transpose).unwrap().authorities;
    // cnr-2000 is one walk for SALSA, or nearly so: its authorities are in-degrees.
    let tau = |a: &[f64], b: &[f64]| kendall_tau(a, b).unwrap().unwrap();
    println!("tau of in-degree: PageRank {}, SALSA {}", tau(&degrees, &ranks), tau(&degrees, &salsa));
    assert!(tau(&degrees, &salsa) > tau(&degrees, &ranks) && tau(&degrees, &ranks) > 0.2);
}

#[test]
fn hollins_has_its_known_ranks() {
    let Some(path) = data("hollins.txt") else { return };
    let list = super::load(path).unwrap();
    assert_eq!((list.graph.num_nodes(), list.graph.num_arcs(), list.first), (6_012, 23_875, 1));
    let ranks = PageRank::default().run(&list.graph, &list.graph.transpose()).unwrap();
    let degrees = Degrees::of(&list.graph, &list.graph.transpose());
    assert_law(&degrees.r#in, (2.0683344, 0.0149, 1, -6.5199, 7.03e-11));
    let best = (0..6_012).max_by(|&a, &b| ranks.scores[a].total_cmp(&ranks.scores[b])).unwrap();
    assert_eq!(best + 1, 2);
    assert!((ranks.scores[best] - 0.019878751).abs() < 1e-9, "{}", ranks.scores[best]);
}

/// Built from a stream of pages and links in a budget that makes every sort spill, cnr-2000 is itself again.
#[test]
fn cnr_2000_is_built_in_a_small_budget() {
    let Some(graph) = cnr_2000() else { return };
    let name = |node: u32| format!("it,cnr,h{:03})/{node:07}", node / 1000);
    let key = |node: u32| u128::from(node).wrapping_mul(0x9e3779b97f4a7c15f39cc0605cedc835);
    let mut builder = GraphBuilder::new(BuildOptions::default(), &Budget::new(16 << 20));
    for node in (0..graph.num_nodes() as u32).rev() {
        let surt = name(node);
        let url = surt.as_bytes();
        builder.add_page(&PageInput { key: key(node), surt: url, url, attributes: b"" }).unwrap();
        for &target in graph.successor_slice(node) {
            let surt = name(target);
            let (source, target, url) = (key(node), key(target), surt.as_bytes());
            builder.add_link(&LinkInput { source, target, surt: url, url, nofollow: false }).unwrap();
        }
    }
    let Numbering::Done(numbered) = builder.number(|_| Ok(())).unwrap() else { panic!("no keys collide") };
    let dir = tempfile::tempdir().unwrap();
    let (counts, hosts) = numbered.write(dir.path().join("graph")).unwrap();
    assert_eq!((counts.nodes, counts.crawled, counts.arcs), (325_557, 325_557, 3_216_152));
    let built = Csr::open(dir.path().join("graph")).unwrap();
    assert!(built.offsets() == graph.offsets() && built.targets() == graph.targets());
    let groups = hosts.by_host();
    assert_eq!(groups.names.len(), 326);
    let folded = fold_csr(&built, &groups.of, groups.names.len(), false, &Budget::new(1 << 20)).unwrap();
    assert_eq!(folded.arcs().map(|arc| arc.2).sum::<f64>(), 3_216_152.0);
}
