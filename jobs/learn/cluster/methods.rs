//! The methods: rows in, a cluster for each out.

use webmill_capture::{Error, Result};
use webmill_dedup::{Fingerprint, HammingJoin};
use webmill_learn::{
    Centroids, ClusterFeatures, Distances, Draws, KChoice, KMeans, Leaves, Merge, NOISE, NearRows,
    SparseRows, average_linkage, choose_k, cosine_distances, cosine_neighbours, cut, dbscan, means,
};
use webmill_run::Stage;

use super::settings::{
    ClusterMethod, ClusterSettings, LEAVES, MOST_K, Near, RADIUS, RESTARTS, TREE_PAGES, TREE_PARTS,
};

/// Pages on which the number of topics is chosen.
pub const SAMPLE: usize = 2000;
/// Share of the memory that each of the two larger things of a method may take.
const HALF: u64 = 2;

/// What a method found.
#[derive(Debug, Default)]
pub struct ClusterResult {
    /// The cluster of each row, or [`NOISE`].
    pub assignment: Vec<u32>,
    /// Numbers of topics that were tried, where it was chosen.
    pub choice: Option<KChoice>,
    /// The tree, where the method made one.
    pub tree: Option<Tree>,
    /// Further measures.
    pub measures: Vec<(&'static str, f64)>,
}

/// A tree of merges.
#[derive(Debug)]
pub struct Tree {
    pub merges: Vec<Merge>,
    /// Whether leaves are rows, or parts that k-means made.
    pub of_rows: bool,
}

/// Refuses what takes more memory than there is.
pub fn admit(what: &str, need: u64, allowed: u64, instead: &str) -> Result<()> {
    if need <= allowed {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    Err(Error::Limit(format!(
        "{what} takes {} MiB, --memory leaves {} MiB for it: {instead}",
        mib(need),
        mib(allowed)
    )))
}

/// Rows, all of them with entries, and the SimHash of each where pages are near by that.
pub struct Rows<'a> {
    pub rows: &'a SparseRows,
    pub simhashes: Vec<Fingerprint>,
    /// Topics, or 0.
    pub k: usize,
}

impl Rows<'_> {
    /// Clusters the rows.
    ///
    /// # Errors
    /// [`Error::Limit`] where the method takes more memory than there is.
    pub fn cluster(&self, settings: &ClusterSettings, stage: &Stage<'_>) -> Result<ClusterResult> {
        match settings.method {
            ClusterMethod::Kmeans => self.kmeans(settings, stage),
            ClusterMethod::Dbscan => self.dbscan(settings, stage),
            ClusterMethod::Hierarchical => self.hierarchical(settings, stage),
            ClusterMethod::Stream => self.stream(settings, stage),
        }
    }

    fn kmeans(&self, settings: &ClusterSettings, stage: &Stage<'_>) -> Result<ClusterResult> {
        let (k, choice) = self.k(settings);
        let found = kmeans(self.rows, None, (k, RESTARTS), settings, stage)?;
        let measures = vec![("inertia", found.inertia), ("steps", f64::from(found.steps))];
        Ok(ClusterResult { assignment: found.assignment, choice, measures, tree: None })
    }

    fn dbscan(&self, settings: &ClusterSettings, stage: &Stage<'_>) -> Result<ClusterResult> {
        let most_pairs = stage.memory / HALF / 24;
        let near = match settings.near {
            Near::Cosine => {
                cosine_neighbours(self.rows, settings.cosine_eps(), most_pairs).map_err(|many| {
                    Error::Limit(format!(
                        "more than {} pairs of pages are within eps = {} of each other, and --memory holds no more: lower eps, or raise --memory",
                        many.allowed,
                        settings.cosine_eps()
                    ))
                })?
            }
            Near::Simhash => near_by_simhash(&self.simhashes, settings.simhash_bits(), most_pairs, stage)?,
        };
        let assignment = dbscan(&near, u64::from(settings.min_points));
        let measures = vec![("pairs", near.pairs() as f64)];
        Ok(ClusterResult { assignment, measures, ..ClusterResult::default() })
    }

    fn hierarchical(&self, settings: &ClusterSettings, stage: &Stage<'_>) -> Result<ClusterResult> {
        let items = self.rows.len();
        let (k, choice) = self.k(settings);
        if items <= TREE_PAGES {
            let what = format!("the distances of {items} pages");
            admit(&what, Distances::bytes(items), stage.memory / HALF, "raise --memory")?;
            let merges = average_linkage(cosine_distances(self.rows), None);
            let assignment = cut(&merges, items, k);
            return Ok(ClusterResult {
                assignment,
                choice,
                tree: Some(Tree { merges, of_rows: true }),
                measures: Vec::new(),
            });
        }
        let parts = TREE_PARTS.max(k);
        stage.progress.note(&format!(
            "{items} pages: the tree is one of {parts} parts that k-means makes, as there are more than {TREE_PAGES}"
        ));
        let parted = kmeans(self.rows, None, (parts, 1), settings, stage)?;
        let (assignment, parts) = dense(&parted.assignment);
        let mut sizes = vec![0f64; parts];
        assignment.iter().for_each(|part| sizes[*part as usize] += 1.0);
        // The product of two means is the mean product of their pages.
        let merges = average_linkage(cosine_distances(&means(self.rows, &assignment, parts)), Some(&sizes));
        let of_parts = cut(&merges, parts, k);
        let assignment = assignment.iter().map(|part| of_parts[*part as usize]).collect();
        Ok(ClusterResult {
            assignment,
            choice,
            tree: Some(Tree { merges, of_rows: false }),
            measures: vec![("parts", parts as f64)],
        })
    }

    fn stream(&self, settings: &ClusterSettings, stage: &Stage<'_>) -> Result<ClusterResult> {
        let (k, choice) = self.k(settings);
        let mut summed = SummedStream::new();
        self.rows.rows().for_each(|(columns, values)| summed.tree.push(columns, values));
        let (centroids, measures) = summed.finish(k, settings, stage)?;
        Ok(ClusterResult { assignment: centroids.nearest(self.rows).0, choice, measures, tree: None })
    }

    /// The number of topics, and how it was chosen.
    fn k(&self, settings: &ClusterSettings) -> (usize, Option<KChoice>) {
        if self.k > 0 {
            return (self.k, None);
        }
        let choice = choose(self.rows, self.rows.len(), settings);
        (choice.k, Some(choice))
    }
}

/// Chooses the number of topics of `all` rows on a sample of these.
pub fn choose(rows: &SparseRows, all: usize, settings: &ClusterSettings) -> KChoice {
    let sample = Draws::new(settings.seed).sample(rows.len(), SAMPLE);
    choose_k(&rows.select(&sample), all, MOST_K, settings.seed)
}

/// k-means of k topics, begun so often, within memory.
///
/// # Errors
/// [`Error::Limit`].
pub fn kmeans(
    rows: &SparseRows,
    weights: Option<&[f64]>,
    (k, restarts): (usize, u32),
    settings: &ClusterSettings,
    stage: &Stage<'_>,
) -> Result<webmill_learn::Clustering> {
    let k = k.min(rows.len());
    let need = KMeans::bytes(k, rows.width(), rows.len());
    admit(
        &format!("k-means of {k} topics over {} words", rows.width()),
        need,
        stage.memory / HALF,
        "lower --k, or raise --memory",
    )?;
    stage.cancel.check()?;
    Ok(KMeans::new(k).seed(settings.seed).restarts(restarts).run_weighted(rows, weights))
}

/// A stream that is summed up.
pub struct SummedStream {
    pub tree: ClusterFeatures,
}

impl SummedStream {
    /// An empty tree. Its bound is fixed: --memory must change no byte.
    pub fn new() -> Self {
        SummedStream { tree: ClusterFeatures::new(RADIUS, LEAVES, LEAVES * 1000) }
    }

    /// Clusters the leaves.
    ///
    /// # Errors
    /// [`Error::Limit`].
    pub fn finish(
        self,
        k: usize,
        settings: &ClusterSettings,
        stage: &Stage<'_>,
    ) -> Result<(Centroids, Vec<(&'static str, f64)>)> {
        let (radius, widened) = (self.tree.radius(), f64::from(self.tree.widened()));
        let Leaves { rows, weights } = self.tree.finish();
        let found = kmeans(&rows, Some(&weights), (k, RESTARTS), settings, stage)?;
        Ok((found.centroids, vec![("leaves", rows.len() as f64), ("radius", radius), ("widened", widened)]))
    }
}

/// The graph of pages whose SimHashes are within `bits` of each other; pages of one SimHash are a group.
fn near_by_simhash(
    simhashes: &[Fingerprint],
    bits: u32,
    most_pairs: u64,
    stage: &Stage<'_>,
) -> Result<NearRows> {
    let (mut groups, mut firsts) = (Vec::with_capacity(simhashes.len()), Vec::new());
    let mut known = std::collections::HashMap::new();
    for hash in simhashes {
        let group = *known.entry(hash.0).or_insert_with(|| {
            firsts.push(*hash);
            firsts.len() as u32 - 1
        });
        groups.push(group);
    }
    let mut pairs = Vec::new();
    HammingJoin::new(bits).memory_bytes((stage.memory / HALF) as usize).run(&firsts, |pair| {
        if pairs.len() as u64 >= most_pairs {
            return Err(Error::Limit(format!(
                "more than {most_pairs} pairs of SimHashes are within {bits} bits of each other, and --memory holds no more: lower eps, or raise --memory"
            )));
        }
        pairs.push((pair.a.min(pair.b), pair.a.max(pair.b)));
        Ok(())
    })?;
    pairs.sort_unstable();
    Ok(NearRows::of_groups(groups, &pairs))
}

/// Numbers without gaps, by first rows; noise stays. And how many there are.
pub fn dense(assignment: &[u32]) -> (Vec<u32>, usize) {
    let mut numbers = std::collections::BTreeMap::new();
    let numbered = assignment.iter().map(|&cluster| {
        let next = numbers.len() as u32;
        if cluster == NOISE { NOISE } else { *numbers.entry(cluster).or_insert(next) }
    });
    let numbered: Vec<u32> = numbered.collect();
    (numbered, numbers.len())
}
