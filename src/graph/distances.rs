//! Distances between pages, from a sample of sources.
//!
//! **Definition.** Over the pairs (source, v ≠ source) such that v is reached: how many there are at each
//! distance, their mean, the median and the *effective diameter*, the distance within which 90 % of them lie.
//! Quantiles are interpolated: with R(t) pairs within t, the quantile q is t − 1 + (q R − R(t − 1)) / (R(t) −
//! R(t − 1)) for the first t with R(t) ≥ q R. For comparison there is the law d = 0.35 + 2.06 log₁₀ N that was found
//! on a crawl of one university.
//!
//! **Algorithm.** Breadth-first search from 64 sources at once, whose sets are the bits of a word, so that
//! an arc is followed once for all sources that pass it at one time.
//!
//! **Cost.** For 64 sources at most 64 (n + m), on the Web some ten times m. 32 bytes a node and thread.
//!
//! **Determinism.** Sources are those with the least hash of number and seed; counts are whole numbers: the
//! same bytes on any number of threads.
//!
//! **Error.** Sources are drawn without replacement; the standard error of the mean over sources is returned.
//! With all nodes as sources everything is exact.
//!
//! **Reference.** R. Albert, H. Jeong, A.-L. Barabási, Diameter of the World-Wide Web, *Nature* 401 (1999),
//! doi:10.1038/43601. J. Leskovec, J. Kleinberg, C. Faloutsos, Graphs over time, *KDD* (2005),
//! doi:10.1145/1081870.1081893. M. Then et al., The more the merrier: efficient multi-source graph traversal,
//! *PVLDB* 8 (2014), doi:10.14778/2735496.2735507.

use super::csr::Csr;
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};
use webmill_capture::splitmix::mix;

/// A measurement: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    /// Sources drawn; all nodes if there are no more. Default 512.
    pub sources: usize,
    /// Another seed, other sources.
    pub seed: u64,
    /// Follow arcs both ways. Default false.
    pub undirected: bool,
    /// Memory that the searches may take; fewer run side by side where it is short. Default no limit.
    pub memory_bytes: Option<u64>,
}

impl Default for Distances {
    fn default() -> Self {
        Distances { sources: 512, seed: 1, undirected: false, memory_bytes: None }
    }
}

/// Distances found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DistanceSample {
    /// Pairs at each distance; none at distance 0.
    pub pairs: Vec<u64>,
    /// Sources searched from.
    pub sources: usize,
    /// Mean distance of the pairs; 0 without pairs.
    pub mean: f64,
    /// Standard error of the mean that comes from drawing sources; 0 if all nodes were.
    pub standard_error: f64,
    /// Share of all pairs (source, other node) in which the other is reached.
    pub connected: f64,
}

impl DistanceSample {
    /// Pairs that were reached.
    pub fn reached(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// Greatest distance found, a lower bound of the diameter.
    pub fn greatest(&self) -> usize {
        self.pairs.len().saturating_sub(1)
    }

    /// Distance within which a share `q` of the pairs lies, interpolated; 0 without pairs.
    pub fn quantile(&self, q: f64) -> f64 {
        let goal = q.clamp(0.0, 1.0) * self.reached() as f64;
        let mut before = 0;
        for (distance, &pairs) in self.pairs.iter().enumerate().filter(|(_, pairs)| **pairs > 0) {
            if (before + pairs) as f64 >= goal {
                return distance as f64 - 1.0 + (goal - before as f64) / pairs as f64;
            }
            before += pairs;
        }
        self.greatest() as f64
    }

    /// Distance within which 90 % of the pairs lie.
    pub fn effective_diameter(&self) -> f64 {
        self.quantile(0.9)
    }
}

/// Mean distance that the published law gives a Web of `nodes` pages: 0.35 + 2.06 log₁₀ N.
///
/// # Examples
/// ```
/// assert!((webmill_graph::published_distance(1_000_000_000) - 18.89).abs() < 1e-12);
/// ```
pub fn published_distance(nodes: u64) -> f64 {
    0.35 + 2.06 * (nodes.max(1) as f64).log10()
}

/// Sources of one search.
const BATCH: usize = 64;

impl Distances {
    /// Bytes that one search takes on `nodes` nodes; a thread runs one at a time.
    pub fn memory_estimate(nodes: usize) -> u64 {
        32 * nodes as u64
    }

    /// Measures `graph`, whose transpose is `transpose` (used for undirected distances alone).
    ///
    /// # Errors
    /// [`Error::Config`] if the transpose is of another graph; [`Error::Limit`] with the estimate if not even
    /// one search fits the memory allowed.
    pub fn run(&self, graph: &Csr, transpose: &Csr) -> Result<DistanceSample> {
        let n = graph.num_nodes();
        if transpose.num_nodes() != n || transpose.num_arcs() != graph.num_arcs() {
            return Err(Error::Config("the transpose is of another graph".into()));
        }
        let need = Self::memory_estimate(n).max(1);
        let together = self.memory_bytes.map_or(usize::MAX as u64, |allowed| allowed / need) as usize;
        if together == 0 {
            let (need, allowed) = (need.div_ceil(1 << 20), self.memory_bytes.unwrap_or(0) >> 20);
            return Err(Error::Limit(format!(
                "distances among {n} nodes take {need} MiB a search, more than the {allowed} MiB allowed: raise the \
                 memory, or measure hosts or domains"
            )));
        }
        let sources = self.draw(n);
        let batches: Vec<&[u32]> = sources.chunks(BATCH).collect();
        let back = self.undirected.then_some(transpose);
        let mut pairs = Vec::new();
        let mut of_sources: Vec<(u64, u64)> = Vec::new(); // pairs and sum of distances of each source
        for batches in batches.chunks(together.min(rayon::current_num_threads().max(1))) {
            let found: Vec<Search> = batches.par_iter().map(|batch| search(graph, back, batch)).collect();
            for search in found {
                if pairs.len() < search.pairs.len() {
                    pairs.resize(search.pairs.len(), 0);
                }
                pairs.iter_mut().zip(&search.pairs).for_each(|(sum, count)| *sum += count);
                of_sources.extend(search.of_sources);
            }
        }
        Ok(self.summarise(n, pairs, &of_sources))
    }

    /// The nodes with the least hashes, ascending.
    fn draw(&self, n: usize) -> Vec<u32> {
        if self.sources >= n {
            return (0..n as u32).collect();
        }
        if self.sources == 0 {
            return Vec::new();
        }
        let seed = mix(self.seed);
        let mut keys: Vec<(u64, u32)> = (0..n as u32).map(|u| (mix(seed ^ u64::from(u)), u)).collect();
        keys.select_nth_unstable(self.sources - 1);
        let mut sources: Vec<u32> = keys[..self.sources].iter().map(|key| key.1).collect();
        sources.sort_unstable();
        sources
    }

    fn summarise(&self, n: usize, pairs: Vec<u64>, of_sources: &[(u64, u64)]) -> DistanceSample {
        let k = of_sources.len();
        let (reached, total) = of_sources.iter().fold((0, 0), |sum, s| (sum.0 + s.0, sum.1 + s.1));
        let mut sample = DistanceSample { pairs, sources: k, ..DistanceSample::default() };
        if reached == 0 {
            return sample;
        }
        sample.mean = total as f64 / reached as f64;
        sample.connected = reached as f64 / (k as f64 * (n as f64 - 1.0));
        if 1 < k && k < n {
            // Of a ratio of two sums over sources drawn without replacement.
            let squares: f64 =
                of_sources.iter().map(|&(r, t)| (t as f64 - sample.mean * r as f64).powi(2)).sum();
            let (k, n) = (k as f64, n as f64);
            sample.standard_error = (squares / (k - 1.0) * (1.0 - k / n) / k).sqrt() / (reached as f64 / k);
        }
        sample
    }
}

/// What 64 searches found.
struct Search {
    pairs: Vec<u64>,
    of_sources: Vec<(u64, u64)>,
}

fn search(graph: &Csr, back: Option<&Csr>, sources: &[u32]) -> Search {
    let n = graph.num_nodes();
    let (mut seen, mut now, mut next) = (vec![0u64; n], vec![0u64; n], vec![0u64; n]);
    let mut queue: Vec<u32> = sources.to_vec();
    let mut following: Vec<u32> = Vec::new();
    for (bit, &source) in sources.iter().enumerate() {
        seen[source as usize] |= 1 << bit;
        now[source as usize] |= 1 << bit;
    }
    let (mut pairs, mut of_sources) = (vec![0], vec![(0, 0); sources.len()]);
    let mut distance = 0;
    while !queue.is_empty() {
        distance += 1;
        for &u in &queue {
            let bits = std::mem::take(&mut now[u as usize]);
            let neighbours = graph.successor_slice(u).iter();
            for &v in neighbours.chain(back.map_or(&[][..], |back| back.successor_slice(u))) {
                let fresh = bits & !seen[v as usize];
                if fresh != 0 {
                    let cell = &mut next[v as usize];
                    if *cell == 0 {
                        following.push(v);
                    }
                    *cell |= fresh;
                }
            }
        }
        let mut count = 0;
        for &v in &following {
            let mut bits = next[v as usize];
            seen[v as usize] |= bits;
            count += u64::from(bits.count_ones());
            while bits != 0 {
                let (found, sum) = &mut of_sources[bits.trailing_zeros() as usize];
                *found += 1;
                *sum += distance;
                bits &= bits - 1;
            }
        }
        if count > 0 {
            pairs.push(count);
        }
        std::mem::swap(&mut now, &mut next);
        std::mem::swap(&mut queue, &mut following);
        following.clear();
    }
    if pairs.len() == 1 {
        pairs.clear();
    }
    Search { pairs, of_sources }
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    /// All distances by Floyd and Warshall's algorithm.
    fn floyd(graph: &Csr, undirected: bool) -> Vec<Vec<usize>> {
        let n = graph.num_nodes();
        let mut d = vec![vec![usize::MAX / 2; n]; n];
        for (u, v, _) in graph.arcs() {
            d[u as usize][v as usize] = 1;
            if undirected {
                d[v as usize][u as usize] = 1;
            }
        }
        (0..n).for_each(|u| d[u][u] = 0);
        for k in 0..n {
            let through = d[k].clone();
            for row in &mut d {
                let first = row[k];
                row.iter_mut().zip(&through).for_each(|(d, rest)| *d = (*d).min(first + rest));
            }
        }
        d
    }

    proptest! {
        #[test]
        fn equals_all_pairs(graph in graphs(90, 200), undirected: bool, sources in 0..100usize) {
            let settings = Distances { sources, undirected, ..Distances::default() };
            let found = settings.run(&graph, &graph.transpose()).unwrap();
            let n = graph.num_nodes();
            let all = floyd(&graph, undirected);
            let mut pairs = Vec::new();
            let mut total = 0;
            for u in settings.draw(n) {
                for &d in all[u as usize].iter().filter(|&&d| d > 0 && d < n) {
                    if pairs.len() <= d { pairs.resize(d + 1, 0); }
                    pairs[d] += 1u64;
                    total += d;
                }
            }
            let reached: u64 = pairs.iter().sum();
            prop_assert_eq!(&found.pairs, &pairs);
            prop_assert_eq!(found.sources, sources.min(n));
            if reached > 0 {
                prop_assert!((found.mean - total as f64 / reached as f64).abs() < 1e-12);
            }
            prop_assert!(found.effective_diameter() <= found.greatest() as f64);
            prop_assert!(found.standard_error.is_finite() && found.connected <= 1.0);
        }
    }

    #[test]
    fn a_cycle_has_its_distances() {
        let n = 1001u32;
        let cycle = Csr::from_arcs(n as usize, (0..n).map(|u| (u, (u + 1) % n))).unwrap();
        let transpose = cycle.transpose();
        let one_way = Distances { sources: 70, ..Distances::default() }.run(&cycle, &transpose).unwrap();
        assert_eq!((one_way.mean, one_way.standard_error, one_way.connected), (500.5, 0.0, 1.0));
        assert!((one_way.effective_diameter() - 900.0).abs() < 1e-9);
        let both = Distances { undirected: true, ..Distances::default() }.run(&cycle, &transpose).unwrap();
        assert_eq!((both.mean, both.greatest()), (250.5, 500));
    }

    #[test]
    fn quantiles_are_interpolated() {
        // 0 → 1 → 2 …: distances 1, 2, 3 four, three, two times, 4 once.
        let path = Csr::from_arcs(5, (0..4).map(|u| (u, u + 1))).unwrap();
        let found = Distances::default().run(&path, &path.transpose()).unwrap();
        assert_eq!(found.pairs, [0, 4, 3, 2, 1]);
        assert_eq!((found.quantile(0.9), found.quantile(0.4), found.quantile(0.55)), (3.0, 1.0, 1.5));
        assert_eq!((found.quantile(0.0), found.quantile(1.0), found.mean), (0.0, 4.0, 2.0));
    }

    #[test]
    fn few_nodes_little_memory_many_threads() {
        let graph = Csr::from_arcs(2, []).unwrap();
        assert_eq!(Distances::default().run(&graph, &graph).unwrap().effective_diameter(), 0.0);
        let empty = Csr::from_arcs(0, []).unwrap();
        assert_eq!(Distances::default().run(&empty, &empty).unwrap(), DistanceSample::default());
        let graph = Csr::from_arcs(1 << 10, crate::rmat::rmat(10, 16, 1)).unwrap();
        let transpose = graph.transpose();
        let on = |threads, memory_bytes| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                Distances { sources: 300, memory_bytes, ..Distances::default() }.run(&graph, &transpose)
            })
        };
        let one = on(1, None).unwrap();
        assert!(one.standard_error > 0.0 && one.standard_error < 0.1, "{one:?}");
        assert_eq!(one, on(3, None).unwrap());
        assert_eq!(one, on(3, Some(32 << 10)).unwrap());
        assert!(matches!(on(1, Some(1000)), Err(Error::Limit(_))));
        let exact = Distances { sources: 1024, ..Distances::default() }.run(&graph, &transpose).unwrap();
        assert!((exact.mean - one.mean).abs() < 5.0 * one.standard_error, "{} {one:?}", exact.mean);
    }
}
