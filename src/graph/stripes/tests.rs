use super::*;
use crate::csr::tests::graphs;
use crate::{Csr, Graph, PageRank, Rmat};
use proptest::prelude::*;
use std::os::unix::fs::FileExt;
use std::path::Path;

fn file(folder: &Path, graph: &Csr) -> GraphFile {
    graph.write(folder.join("g.csr")).unwrap();
    GraphFile::open(folder.join("g.csr")).unwrap()
}

fn settings(folder: &Path, stripes: usize) -> StripedPageRank {
    StripedPageRank { stripes, folder: folder.to_path_buf(), ..StripedPageRank::default() }
}

fn run(settings: &StripedPageRank, graph: &GraphFile) -> StripedRanks {
    settings.run(graph, None, &mut |_| Ok(())).unwrap()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

/// Ranks of a graph in memory and from disk, whose distance must be within both bounds.
fn compare(graph: &Csr, striped: &StripedPageRank, teleport: Option<&[f64]>) -> StripedRanks {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), graph);
    let mut entries = teleport.map(|vector| vector.iter().map(|x| Ok(*x)));
    let teleporting = entries.as_mut().map(|entries| entries as &mut dyn Iterator<Item = Result<f64>>);
    let found = striped.run(&file, teleporting, &mut |_| Ok(())).unwrap();
    let settings = PageRank {
        damping: striped.damping,
        dangling: striped.dangling,
        weighted: striped.weighted,
        teleport,
        tolerance: 1e-13,
        ..PageRank::default()
    };
    let expected = settings.run(graph, &graph.transpose()).unwrap();
    let apart = distance(&found.to_vec().unwrap(), &expected.scores);
    let bounds = found.error_bound + expected.error_bound + 1e-13;
    assert!(found.converged == (found.error_bound <= striped.tolerance));
    assert!(apart <= bounds, "{apart:e} > {bounds:e}");
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn equals_the_ranks_in_memory(
        graph in graphs(60, 240), weights in prop::collection::vec(0u8..5, 240), kind in 0..3usize, stripes in 1..70usize,
        damping in prop_oneof![Just(0.0), 0.0..0.95f64], mode in 0..3usize, personal: bool,
        teleport in prop::collection::vec(0u8..4, 60), sweeps in prop_oneof![1..9usize, Just(1000)], weighted: bool,
    ) {
        let n = graph.num_nodes();
        let arcs = graph.arcs().zip(weights);
        let graph = match kind {
            0 => graph.clone(),
            1 => Csr::from_counted_arcs(n, arcs.map(|((u, v, _), w)| (u, v, 300 * u32::from(w)))).unwrap(),
            _ => Csr::from_weighted_arcs(n, arcs.map(|((u, v, _), w)| (u, v, f32::from(w) / 3.0))).unwrap(),
        };
        let mut teleport: Vec<f64> = teleport.into_iter().take(n).map(f64::from).collect();
        teleport[n - 1] += 1.0;
        let striped = StripedPageRank {
            damping, dangling: [Dangling::Teleport, Dangling::Uniform, Dangling::Lost][mode], max_iterations: sweeps,
            weighted, tolerance: 1e-12, ..settings(&std::env::temp_dir(), stripes)
        };
        // Also a bound of sweeps that stop early is one.
        compare(&graph, &striped, personal.then_some(&teleport[..]));
    }
}

#[test]
fn graphs_of_all_shapes() {
    let folder = std::env::temp_dir();
    for stripes in [1, 2, 16] {
        let settings = StripedPageRank { tolerance: 1e-12, ..settings(&folder, stripes) };
        // No node, one node, a self-loop, all dangling, only self-loops, a star, a cycle.
        for (n, arcs) in [
            (0, vec![]),
            (1, vec![]),
            (1, vec![(0, 0)]),
            (4, vec![]),
            (2, vec![(0, 0), (1, 1)]),
            (8, (1..8).map(|leaf| (leaf, 0)).collect()),
            (7, (0..7).map(|u| (u, (u + 1) % 7)).collect()),
        ] {
            compare(&Csr::from_arcs(n, arcs).unwrap(), &settings, None);
        }
    }
    // Only zero weights: all nodes dangle.
    compare(&Csr::from_weighted_arcs(2, [(0, 1, 0.0), (1, 0, 0.0)]).unwrap(), &settings(&folder, 2), None);
}

#[test]
fn a_graph_of_many_segments() {
    // 2^18 nodes with half of them linked from everywhere, and a node whose list spans segments.
    let graph = Rmat { scale: 18, degree: 8, ..Rmat::default() }.run().unwrap();
    let hub = (0..1 << 18).step_by(2).map(|v| (1 << 17, v)).chain((0..1 << 18).map(|v| (5, v)));
    let graph = Csr::from_arcs(1 << 18, graph.arcs().map(|(u, v, _)| (u, v)).chain(hub)).unwrap();
    let folder = std::env::temp_dir();
    let sweeps: Vec<usize> =
        [1, 3, 20].map(|stripes| compare(&graph, &settings(&folder, stripes), None).iterations).into();
    assert!(sweeps[2] < sweeps[0], "{sweeps:?}");
}

#[test]
fn the_same_bytes_on_any_number_of_threads_and_any_scale() {
    let graph = Rmat { scale: 16, degree: 12, ..Rmat::default() }.run().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), &graph);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&settings(folder.path(), 5), &file).to_vec().unwrap())
    };
    let one = on(1);
    for threads in [2, 4] {
        assert!(one.iter().zip(on(threads)).all(|(a, b)| a.to_bits() == b.to_bits()), "{threads} threads");
    }
    let classical = StripedPageRank { scale: Scale::Classical, ..settings(folder.path(), 5) };
    let scaled = run(&classical, &file).to_vec().unwrap();
    assert!((scaled.iter().sum::<f64>() - graph.num_nodes() as f64).abs() < 1e-6);
}

#[test]
fn a_damaged_scratch_file_is_an_error() {
    let graph = Rmat { scale: 12, degree: 8, ..Rmat::default() }.run().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), &graph);
    let settings = settings(folder.path(), 2);
    let whole = build(&file, Stored::Nothing, 2, folder.path()).unwrap();
    let (vectors, first) = Vectors::begin(&whole, &settings, None).unwrap();
    let sweeps = || settings.sweeps(&whole, &vectors, first, &mut |_| Ok(()));
    assert!(sweeps().is_ok());
    let arcs = &whole.stripes[1].arcs;
    let mut places: Vec<u64> = (0..208).step_by(5).collect();
    places.extend((208..arcs.length).step_by(997));
    for place in places {
        let mut byte = [0];
        arcs.file.read_exact_at(&mut byte, place).unwrap();
        arcs.file.write_all_at(&[byte[0] ^ 16], place).unwrap();
        let error = sweeps().err().expect("damage at a byte").to_string();
        assert!(error.contains("checksum"), "byte {place}: {error}");
        arcs.file.write_all_at(&byte, place).unwrap();
    }
    let local = &whole.stripes[0].local;
    for place in (0..local.length).step_by(101).chain(0..12) {
        let mut byte = [0];
        local.file.read_exact_at(&mut byte, place).unwrap();
        local.file.write_all_at(&[byte[0] ^ 16], place).unwrap();
        let error = sweeps().err().expect("damage at a byte").to_string();
        assert!(error.contains("checksum"), "byte {place}: {error}");
        local.file.write_all_at(&byte, place).unwrap();
    }
    assert!(sweeps().is_ok());
    arcs.file.set_len(arcs.length - 1).unwrap();
    assert!(matches!(sweeps(), Err(Error::Io { .. })));
}

#[test]
fn a_damaged_graph_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let graph = Csr::from_weighted_arcs(5, [(0, 1, 1.5), (0, 4, 2.0), (2, 2, 1.0), (3, 1, 9.0)]).unwrap();
    let path = folder.path().join("g.csr");
    drop(file(folder.path(), &graph));
    let bytes = std::fs::read(&path).unwrap();
    let ranks = || settings(folder.path(), 2).run(&GraphFile::open(&path)?, None, &mut |_| Ok(()));
    assert!(ranks().unwrap().converged);
    for byte in (0..176).chain(192..208).chain(256..272) {
        let mut damaged = bytes.clone();
        damaged[byte] ^= 4;
        std::fs::write(&path, &damaged).unwrap();
        let found = ranks();
        assert!(matches!(found, Err(Error::Corrupt { .. } | Error::Incompatible { .. })), "byte {byte}");
    }
    for cut in 0..bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        assert!(matches!(ranks(), Err(Error::Corrupt { .. } | Error::Incompatible { .. })), "cut at {cut}");
    }
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(folder.path(), &Csr::from_arcs(1 << 20, [(0, 1)]).unwrap());
    let good = settings(folder.path(), 1);
    let says = |settings: StripedPageRank| {
        settings.run(&file, None, &mut |_| Ok(())).err().expect("an error").to_string()
    };
    assert!(says(StripedPageRank { damping: 1.0, ..good.clone() }).contains("damping 1 is not"));
    assert!(says(StripedPageRank { tolerance: f64::NAN, ..good.clone() }).contains("tolerance"));
    for stripes in [0, 4097] {
        assert!(says(StripedPageRank { stripes, ..good.clone() }).contains("from 1 to 4096"));
    }
    let said = says(StripedPageRank { memory_bytes: Some(34 << 20), ..good.clone() });
    assert!(
        said.contains("takes 40 MiB, more than the 34 MiB") && said.contains("take 4 stripes or more"),
        "{said}"
    );
    let fits = StripedPageRank { memory_bytes: Some(34 << 20), stripes: 4, ..good.clone() };
    assert!(run(&fits, &file).converged);
    assert!(
        says(StripedPageRank { memory_bytes: Some(1 << 20), ..good.clone() }).contains("raise the memory")
    );
    for vector in [vec![1.0], vec![0.0; 1 << 20], vec![f64::NAN; 1 << 20], vec![-1.0; 1 << 20]] {
        let found = good.run(&file, Some(&mut vector.into_iter().map(Ok)), &mut |_| Ok(()));
        assert!(matches!(found, Err(Error::Config(_))));
    }
    let stopped = good.run(&file, None, &mut |_| Err(Error::Interrupted));
    assert!(matches!(stopped, Err(Error::Interrupted)));
}
