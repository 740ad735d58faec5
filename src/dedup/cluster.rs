//! Clusters of duplicates, each with the page that represents it.
//!
//! **Definition.** Pages are numbered in a total order, that of what to keep ([`KeepPolicy`](crate::KeepPolicy)). Exact copies
//! form classes ([`CopyClasses`]), and of each only the first page, its head, goes on. Heads are taken in order; a head
//! joins the first representative that it is near to, by a *verified* pair, and becomes a representative itself if there
//! is none. A cluster is thus a star: every member is near its representative, and no chain of small steps draws
//! different pages together.
//!
//! **Pages left alone.** Candidates come of signatures, which miss some pairs. A head that no representative accepted, and
//! that represents nobody, but is near to pages of other clusters, is compared with the representatives of these, first
//! to last, at most [`MOST_TRIED`] of them.
//!
//! **Cost.** Two passes over the pairs, which may lie in a mapped file; 25 bytes a page, and 8 a pair that a page left
//! alone has. No comparison but those of pages left alone.
//!
//! **Determinism.** A function of the pages in order, the sets of pairs and the verifier: independent of the order of
//! pairs and of threads.

use std::cmp::Reverse;

use bytemuck::{Pod, Zeroable};
use petgraph::unionfind::UnionFind;
use rayon::prelude::*;

use webmill_capture::error::{Error, Result};

/// Representatives that a page left alone is compared with at most.
pub const MOST_TRIED: usize = 16;

/// Exact copies: two pages with the same body or the same text.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExactPair {
    /// One page.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// The respect in which they are the same.
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

/// A verified pair of near-duplicates.
#[derive(Copy, Clone, PartialEq, Debug)]
#[repr(C)]
pub struct NearPair {
    /// The page that comes later in the total order.
    pub later: u32,
    /// The one that comes first.
    pub first: u32,
    /// Verified similarity, 0 to 1.
    pub similarity: f32,
}

// SAFETY: three fields of four bytes each, without padding, of which every value is valid, zeroes too.
unsafe impl Zeroable for NearPair {}
// SAFETY: as above.
unsafe impl Pod for NearPair {}

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
    /// The page that represents the cluster: the page itself or an earlier one; where pages were left alone first, a
    /// later one too.
    pub representative: u32,
    /// How the page came in.
    pub joined: Joined,
    /// Verified similarity to the representative, 0 to 1; 1 for exact copies.
    pub similarity: f32,
}

/// The clusters of a set of pages.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Clusters {
    /// One entry a page.
    pub members: Vec<Member>,
    /// Pairs that were verified for pages left alone, by page.
    pub found: Vec<NearPair>,
    /// Pages that are near to others and yet in no cluster with one.
    pub left_alone: u64,
}

/// Classes of exact copies, named by their first page.
#[derive(Clone, Debug)]
pub struct CopyClasses {
    body: Vec<u32>,
    head: Vec<u32>,
}

impl CopyClasses {
    /// The classes of `pages` pages, given pairs that connect all copies: stars suffice.
    ///
    /// # Errors
    /// `Internal` for a number out of range; the first error of the pairs.
    pub fn of(pages: usize, copies: impl IntoIterator<Item = Result<ExactPair>>) -> Result<Self> {
        let (mut body, mut all) = (UnionFind::<u32>::new(pages), UnionFind::<u32>::new(pages));
        for copy in copies {
            let copy = copy?;
            within(pages, copy.a.max(copy.b))?;
            all.union(copy.a, copy.b);
            if copy.same == Same::Body {
                body.union(copy.a, copy.b);
            }
        }
        Ok(CopyClasses { body: by_lowest(body.into_labeling()), head: by_lowest(all.into_labeling()) })
    }

    /// The first page of the class that `page` is in.
    pub fn head(&self, page: u32) -> u32 {
        self.head[page as usize]
    }

    fn joined(&self, page: usize) -> Joined {
        let same_body = self.body[page] == self.body[self.head[page] as usize];
        if same_body { Joined::Body } else { Joined::Text }
    }
}

fn within(pages: usize, page: u32) -> Result<()> {
    match (page as usize) < pages {
        true => Ok(()),
        false => Err(Error::Internal(format!("clustering {pages} pages: a pair names page {page}"))),
    }
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

impl Clusters {
    /// Clusters the pages of `classes`. `near` holds the verified pairs between heads, sorted by (`later`, `first`);
    /// `verify` says whether two heads that no signature brought together are near, and how much; without it pages left
    /// alone stay so.
    ///
    /// # Errors
    /// `Internal` for a pair out of order or range; the first error of `verify`.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Clusters, CopyClasses, Joined, NearPair};
    /// // 0 – 1 – 2 are neighbours in a row, and each is near its neighbour only: 2 does not chain into 0's cluster.
    /// let near = [(1, 0), (2, 1)].map(|(later, first)| NearPair { later, first, similarity: 0.9 });
    /// let classes = CopyClasses::of(3, [])?;
    /// let clusters = Clusters::of(&classes, &near, Some(|_, _| Ok(None)))?;
    /// let representatives: Vec<u32> = clusters.members.iter().map(|m| m.representative).collect();
    /// assert_eq!(representatives, [0, 0, 2]);
    /// assert_eq!((clusters.members[1].joined, clusters.left_alone), (Joined::Near, 1));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn of(
        classes: &CopyClasses,
        near: &[NearPair],
        verify: Option<impl Fn(u32, u32) -> Result<Option<f32>> + Sync>,
    ) -> Result<Self> {
        let pages = classes.head.len();
        let mut stars = Stars::of(pages, near)?;
        let (found, left_alone) = match verify {
            Some(verify) => (stars.take_in(near, verify)?, stars.pair_up(near)),
            None => Default::default(),
        };
        let mut members = Vec::with_capacity(pages);
        for page in 0..pages {
            let head = classes.head[page] as usize;
            let representative = stars.representative[head];
            let joined = match (representative as usize == head, head == page) {
                (true, true) => Joined::Representative,
                (true, false) => classes.joined(page),
                (false, _) => Joined::Near,
            };
            members.push(Member { representative, joined, similarity: stars.similarity[head] });
        }
        Ok(Clusters { members, found, left_alone })
    }
}

/// Stars of heads.
struct Stars {
    representative: Vec<u32>,
    similarity: Vec<f32>,
    /// A head that others have joined.
    joined: Vec<bool>,
}

impl Stars {
    /// Each head joins the first representative that it is near to.
    fn of(pages: usize, near: &[NearPair]) -> Result<Self> {
        let ordered = |pair: &NearPair| pair.first < pair.later;
        if !near.is_sorted_by_key(|pair| (pair.later, pair.first)) || !near.iter().all(ordered) {
            return Err(Error::Internal("clustering: pairs are out of order".into()));
        }
        near.last().map_or(Ok(()), |last| within(pages, last.later))?;
        let mut stars = Stars {
            representative: (0..pages as u32).collect(),
            similarity: vec![1.0; pages],
            joined: vec![false; pages],
        };
        for pairs in near.chunk_by(|a, b| a.later == b.later) {
            let first = pairs.iter().find(|pair| stars.represents(pair.first));
            if let Some(&pair) = first {
                stars.join(pair.later, pair.first, pair.similarity);
            }
        }
        Ok(stars)
    }

    fn represents(&self, head: u32) -> bool {
        self.representative[head as usize] == head
    }

    fn is_alone(&self, head: u32) -> bool {
        self.represents(head) && !self.joined[head as usize]
    }

    fn join(&mut self, head: u32, representative: u32, similarity: f32) {
        self.representative[head as usize] = representative;
        self.similarity[head as usize] = similarity;
        self.joined[representative as usize] = true;
    }

    /// Pages left alone join representatives of clusters that they are near to a page of.
    fn take_in(
        &mut self,
        near: &[NearPair],
        verify: impl Fn(u32, u32) -> Result<Option<f32>> + Sync,
    ) -> Result<Vec<NearPair>> {
        let mut tries: Vec<(u32, u32)> = Vec::new();
        for pair in near {
            for (alone, other) in [(pair.later, pair.first), (pair.first, pair.later)] {
                let representative = self.representative[other as usize];
                if self.is_alone(alone) && representative != alone && representative != other {
                    tries.push((alone, representative));
                }
            }
        }
        tries.sort_unstable();
        tries.dedup();
        let accepted: Vec<Option<(u32, NearPair)>> = tries
            .par_chunk_by(|a, b| a.0 == b.0)
            .map(|tries| {
                for &(alone, representative) in tries.iter().take(MOST_TRIED) {
                    let (first, later) = (alone.min(representative), alone.max(representative));
                    if let Some(similarity) = verify(first, later)? {
                        return Ok(Some((alone, NearPair { later, first, similarity })));
                    }
                }
                Ok(None)
            })
            .collect::<Result<_>>()?;
        let mut found = Vec::new();
        for (alone, pair) in accepted.into_iter().flatten() {
            self.join(alone, pair.first ^ pair.later ^ alone, pair.similarity);
            found.push(pair);
        }
        Ok(found)
    }

    /// Pages still alone are joined by the nearest page that its cluster can spare; the number of those that found none.
    fn pair_up(&mut self, near: &[NearPair]) -> u64 {
        let mut sizes = vec![0u32; self.representative.len()];
        self.representative.iter().for_each(|&representative| sizes[representative as usize] += 1);
        // (page alone, nearness, page near to it): similarities are positive, so their bits are ordered as they are.
        let mut wishes: Vec<(u32, Reverse<u32>, u32)> = Vec::new();
        for pair in near {
            for (alone, other) in [(pair.later, pair.first), (pair.first, pair.later)] {
                if self.is_alone(alone) && !self.is_alone(other) {
                    wishes.push((alone, Reverse(pair.similarity.to_bits()), other));
                }
            }
        }
        wishes.sort_unstable();
        let mut left_alone = 0;
        for wishes in wishes.chunk_by(|a, b| a.0 == b.0) {
            let spared = wishes.iter().find(|&&(_, _, other)| {
                !self.represents(other) && sizes[self.representative[other as usize] as usize] > 2
            });
            match spared {
                None => left_alone += 1,
                Some(&(alone, Reverse(similarity), other)) => {
                    sizes[self.representative[other as usize] as usize] -= 1;
                    sizes[alone as usize] += 1;
                    self.join(other, alone, f32::from_bits(similarity));
                }
            }
        }
        left_alone
    }
}

#[cfg(test)]
#[path = "cluster_tests.rs"]
mod tests;
