//! Clusters of duplicates, each with the page that represents it.
//!
//! **Definition.** Pages are numbered in the total order (earliest fetch, then shortest URL, then URL: [`total_order`]).
//! Exact copies form classes, and of each only the first page, its head, goes on. Heads are taken in order; a head joins
//! the first representative among its candidates that is near by *verified* similarity, and becomes a representative
//! itself if there is none. Candidates of a page are the representatives with the same fingerprint and those whose
//! fingerprint is within the distance of the join. A cluster is thus a star: every member is near its representative,
//! and no chain of small steps draws different pages together.
//!
//! **Algorithm.** Pairs of equal fingerprints (distance 0) are merged into groups, the other pairs connect groups, so a heap
//! of equal fingerprints costs its size, not its square. Components of candidates are independent of each other: they
//! are clustered in parallel, and when pages come or go only the components that they touch ([`Clusterer::update`]).
//!
//! **Cost.** About 60 bytes a page and 16 a pair at the peak. One verification for each candidate representative until one accepts,
//! at most [`Clusterer::most_candidates`] for a page; a page past that stays alone and is counted.
//!
//! **Determinism.** A function of the pages in order, the sets of pairs and the verifier: independent of the order of
//! pairs, of threads, and of how many updates led there.

use std::collections::HashMap;

use petgraph::unionfind::UnionFind;
use rayon::prelude::*;

use webmill_capture::error::{Error, Result};

use crate::hamming::Pair;
use crate::verify::Verify;

/// Exact copies: two pages with the same body or the same text.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExactPair {
    /// One page.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// What is the same.
    pub same: Same,
}

/// What exact copies have in common.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Same {
    /// The bytes of the body.
    Body,
    /// The normalised main text.
    Text,
}

/// How a page came into its cluster.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Joined {
    /// It represents the cluster, which may be itself alone.
    Representative,
    /// Its body is the representative's.
    Body,
    /// Its text is the representative's.
    Text,
    /// It, or the first of its exact copies, is near the representative.
    Near,
}

impl Joined {
    /// The word in table `clusters`.
    pub fn name(self) -> &'static str {
        match self {
            Joined::Representative => "representative",
            Joined::Body => "body",
            Joined::Text => "text",
            Joined::Near => "near",
        }
    }
}

/// How one page belongs to a cluster.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Member {
    /// The page that represents the cluster: the page itself or an earlier one.
    pub representative: u32,
    /// How the page came in.
    pub joined: Joined,
    /// Verified similarity to the representative, 0 to 1; 1 for exact copies.
    pub similarity: f32,
}

impl Member {
    fn alone(page: u32) -> Self {
        Member { representative: page, joined: Joined::Representative, similarity: 1.0 }
    }
}

/// The clusters of a set of pages.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Clusters {
    /// One entry a page.
    pub members: Vec<Member>,
    /// Questions put to the verifier.
    pub verifications: u64,
    /// Pages left alone because they had too many candidates.
    pub cut: u64,
}

/// The numbers of pages in the total order: `result[i]` is the page (as given) at position `i`.
///
/// `page` gives the time of the fetch, ms since 1970 (`None` comes last), and the URL. Pages that agree in both keep
/// the order in which they are given.
///
/// # Examples
/// ```
/// use webmill_dedup::total_order;
/// let pages = [(Some(20), "http://a.org/"), (None, "http://b.org/"), (Some(10), "http://c.org/long")];
/// assert_eq!(total_order(pages.len(), |page| pages[page]), [2, 0, 1]);
/// ```
pub fn total_order<'a>(pages: usize, page: impl Fn(usize) -> (Option<i64>, &'a str) + Sync) -> Vec<u32> {
    let mut order: Vec<u32> = (0..pages as u32).collect();
    order.par_sort_unstable_by_key(|&i| {
        let (fetched_ms, url) = page(i as usize);
        (fetched_ms.is_none(), fetched_ms, url.len(), url, i)
    });
    order
}

/// Clusters pages; a configuration to [`cluster`](Clusterer::cluster).
#[derive(Clone, Debug)]
pub struct Clusterer {
    /// Representatives that a page is compared with at most (default 1,000).
    pub most_candidates: usize,
}

impl Default for Clusterer {
    fn default() -> Self {
        Clusterer { most_candidates: 1000 }
    }
}

impl Clusterer {
    /// Clusters `pages` pages, numbered in the total order, given all exact copies and all candidates.
    ///
    /// Stars suffice: copies and fingerprints of distance 0 are taken as equivalences. Candidates of distance 1 and more
    /// count for all pages that share the fingerprint of either end.
    ///
    /// # Errors
    /// `Internal` for a number out of range; the first error of the verifier.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Clusterer, Joined, Pair};
    /// // 0 – 1 – 2 are neighbours in a row, and each is near its neighbour only: 2 does not chain into 0's cluster.
    /// let pairs = [Pair { a: 0, b: 1, distance: 2 }, Pair { a: 1, b: 2, distance: 2 }];
    /// let clusters = Clusterer::default().cluster(3, &[], &pairs, &|_, _| Ok(Some(0.9)))?;
    /// let representatives: Vec<u32> = clusters.members.iter().map(|m| m.representative).collect();
    /// assert_eq!(representatives, [0, 0, 2]);
    /// assert_eq!(clusters.members[1].joined, Joined::Near);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn cluster(
        &self,
        pages: usize,
        copies: &[ExactPair],
        candidates: &[Pair],
        verify: &impl Verify,
    ) -> Result<Clusters> {
        let changed = vec![true; pages];
        self.update(&vec![Member::alone(0); pages], &changed, copies, candidates, verify)
    }

    /// Clusters anew only the components that hold a page marked in `changed` (new, altered, or once in a component
    /// with a page that is gone); the others keep their `previous` membership, given in present numbers.
    ///
    /// The result is that of [`cluster`](Clusterer::cluster) over everything, provided that `previous` was such a result.
    ///
    /// # Errors
    /// As [`cluster`](Clusterer::cluster).
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Clusterer, Joined, Member, Pair};
    /// let verify = |_, _| Ok(Some(0.9));
    /// let before = [Pair { a: 0, b: 1, distance: 2 }];
    /// let mut known = Clusterer::default().cluster(2, &[], &before, &verify)?.members;
    /// // Page 2 comes and is near page 0: its component is clustered anew.
    /// known.push(Member { representative: 2, joined: Joined::Representative, similarity: 1.0 });
    /// let after = [before[0], Pair { a: 0, b: 2, distance: 1 }];
    /// let clusters = Clusterer::default().update(&known, &[false, false, true], &[], &after, &verify)?;
    /// assert_eq!(clusters.members[2].representative, 0);
    /// assert_eq!(clusters, Clusterer::default().cluster(3, &[], &after, &verify)?);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn update(
        &self,
        previous: &[Member],
        changed: &[bool],
        copies: &[ExactPair],
        candidates: &[Pair],
        verify: &impl Verify,
    ) -> Result<Clusters> {
        let pages = previous.len();
        let ends = copies.iter().map(|c| c.a.max(c.b)).chain(candidates.iter().map(|c| c.a.max(c.b)));
        if changed.len() != pages || ends.max().is_some_and(|end| end as usize >= pages) {
            return Err(Error::Internal(format!(
                "clustering {pages} pages: a pair names a page out of range"
            )));
        }
        let classes = Classes::of(pages, copies);
        let neighbours = Neighbours::of(pages, &classes, candidates);
        let mut touched = vec![false; pages];
        for page in (0..pages).filter(|&page| changed[page]) {
            touched[neighbours.component[classes.head[page] as usize] as usize] = true;
        }
        let mut members = previous.to_vec();
        for page in (0..pages).filter(|&page| touched[neighbours.component[page] as usize]) {
            members[page] = Member::alone(page as u32);
        }
        let mut verifications = 0;
        let mut cut = 0;
        let components = neighbours.components(&classes, &touched);
        let assigned: Vec<Assigned> = components
            .par_chunk_by(|a, b| neighbours.component[*a as usize] == neighbours.component[*b as usize])
            .map(|heads| self.assign(heads, &neighbours, verify))
            .collect::<Result<_>>()?;
        for component in assigned {
            verifications += component.verifications;
            cut += component.cut;
            for (head, member) in component.members {
                members[head as usize] = member;
            }
        }
        for page in 0..pages {
            let head = classes.head[page] as usize;
            if head != page && touched[neighbours.component[head] as usize] {
                let of_head = members[head];
                let same_body = classes.body[page] == classes.body[head];
                let copied = if same_body { Joined::Body } else { Joined::Text };
                let joined = if of_head.representative as usize == head { copied } else { Joined::Near };
                members[page] = Member { joined, ..of_head };
            }
        }
        Ok(Clusters { members, verifications, cut })
    }

    /// Assigns the heads of one component to representatives.
    fn assign(&self, heads: &[u32], neighbours: &Neighbours, verify: &impl Verify) -> Result<Assigned> {
        let mut assigned = Assigned::default();
        let loaded = verify.load(heads)?;
        // Representatives by group; the groups of a component are few, their order is not used.
        let mut representatives: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut candidates = Vec::new();
        for &head in heads {
            let group = neighbours.group[head as usize];
            candidates.clear();
            for near in std::iter::once(group).chain(neighbours.of_group(group)) {
                candidates.extend(representatives.get(&near).into_iter().flatten());
            }
            candidates.sort_unstable();
            let mut joined = None;
            for &representative in candidates.iter().take(self.most_candidates) {
                assigned.verifications += 1;
                if let Some(similarity) = verify.similarity(&loaded, head, representative)? {
                    joined =
                        Some(Member { representative, joined: Joined::Near, similarity: similarity as f32 });
                    break;
                }
            }
            let Some(member) = joined else {
                assigned.cut += u64::from(candidates.len() > self.most_candidates);
                representatives.entry(group).or_default().push(head);
                continue;
            };
            assigned.members.push((head, member));
        }
        Ok(assigned)
    }
}

#[derive(Default)]
struct Assigned {
    members: Vec<(u32, Member)>,
    verifications: u64,
    cut: u64,
}

/// For each label the lowest element that has it, which replaces it.
fn by_lowest(mut labels: Vec<u32>) -> Vec<u32> {
    let mut lowest = vec![u32::MAX; labels.len()];
    for (i, label) in labels.iter_mut().enumerate() {
        let first = &mut lowest[*label as usize];
        *first = (*first).min(i as u32);
        *label = *first;
    }
    labels
}

/// Classes of exact copies, named by their first page.
struct Classes {
    body: Vec<u32>,
    head: Vec<u32>,
}

impl Classes {
    fn of(pages: usize, copies: &[ExactPair]) -> Self {
        let mut union = UnionFind::<u32>::new(pages);
        for copy in copies.iter().filter(|copy| copy.same == Same::Body) {
            union.union(copy.a, copy.b);
        }
        let body = by_lowest(union.clone().into_labeling());
        for copy in copies.iter().filter(|copy| copy.same == Same::Text) {
            union.union(copy.a, copy.b);
        }
        Classes { body, head: by_lowest(union.into_labeling()) }
    }
}

/// Candidates among the heads: groups of equal fingerprints, and which groups are close.
struct Neighbours {
    group: Vec<u32>,
    component: Vec<u32>,
    close: Vec<(u32, u32)>,
}

impl Neighbours {
    fn of(pages: usize, classes: &Classes, candidates: &[Pair]) -> Self {
        let heads = |pair: &Pair| (classes.head[pair.a as usize], classes.head[pair.b as usize]);
        let mut union = UnionFind::<u32>::new(pages);
        for pair in candidates.iter().filter(|pair| pair.distance == 0) {
            let (a, b) = heads(pair);
            union.union(a, b);
        }
        let group = by_lowest(union.clone().into_labeling());
        let mut close = Vec::new();
        for pair in candidates.iter().filter(|pair| pair.distance > 0) {
            let (a, b) = heads(pair);
            union.union(a, b);
            let (a, b) = (group[a as usize], group[b as usize]);
            if a != b {
                close.extend([(a, b), (b, a)]);
            }
        }
        close.par_sort_unstable();
        close.dedup();
        Neighbours { group, component: by_lowest(union.into_labeling()), close }
    }

    fn of_group(&self, group: u32) -> impl Iterator<Item = u32> {
        let from = self.close.partition_point(|edge| edge.0 < group);
        self.close[from..].iter().take_while(move |edge| edge.0 == group).map(|edge| edge.1)
    }

    /// The heads of touched components of at least two, component by component, ascending in each.
    fn components(&self, classes: &Classes, touched: &[bool]) -> Vec<u32> {
        let component = |head: u32| self.component[head as usize] as usize;
        let mut sizes = vec![0u8; self.group.len()];
        let mut heads: Vec<u32> = (0..self.group.len() as u32)
            .filter(|&page| classes.head[page as usize] == page && touched[component(page)])
            .collect();
        heads.iter().for_each(|&head| sizes[component(head)] = (sizes[component(head)] + 1).min(2));
        heads.retain(|&head| sizes[component(head)] > 1);
        heads.par_sort_unstable_by_key(|&head| (component(head), head));
        heads
    }
}

#[cfg(test)]
#[path = "cluster_tests.rs"]
mod tests;
