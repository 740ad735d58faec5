//! The pages around a query: what hubs and authorities of a topic are found in.
//!
//! **Definition.** The *root set* is the t pages that answer a query best (ties by node). It is widened by all
//! pages that they link to and by at most d pages that link to each, one step or more; a base set stays within
//! `most` pages, and while it has fewer than `least` the next answers become roots too. The base graph has the
//! arcs among these pages, without those inside one domain, which navigate and do not recommend.
//!
//! **Algorithm.** Roots come in the order of their scores and each brings its neighbours along, so that what a
//! limit cuts off hangs on the last ones. Of more than d in-links those from other domains are preferred, and
//! among these they are taken at even distances, so that no corner of the numbering is.
//!
//! **Cost.** Linear in the links of the base set; memory in its pages and arcs, whatever the graph.
//!
//! **Reference.** J. Kleinberg, Authoritative sources in a hyperlinked environment, *JACM* 46 (1999),
//! doi:10.1145/324133.324140. S. Chakrabarti et al., Automatic resource compilation by analyzing hyperlink
//! structure and associated text, *WWW7* (1998), doi:10.1016/S0169-7552(98)00087-7.

use super::array::Array;
use super::correlation::top;
use super::csr::{Csr, Weights};
use std::collections::HashSet;
use webmill_capture::error::{Error, Result};

/// How a base set is made: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseSet {
    /// Pages in the root set, t. Default 200.
    pub root: usize,
    /// Most in-links of a page that are followed, d. Default 50.
    pub in_links: usize,
    /// Steps away from the root set. Default 1.
    pub steps: usize,
    /// Pages below which further answers become roots. Default 1,000.
    pub least: usize,
    /// Most pages. Default 5,000.
    pub most: usize,
    /// Of the links of one domain's pages to one page, how many count; all, if not given. Default not given.
    pub per_domain: Option<usize>,
}

impl Default for BaseSet {
    fn default() -> Self {
        BaseSet { root: 200, in_links: 50, steps: 1, least: 1000, most: 5000, per_domain: None }
    }
}

/// A base set and its graph, whose nodes are numbered anew.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Focus {
    /// Nodes of the whole graph, ascending: what each node of [`graph`](Self::graph) is.
    pub nodes: Vec<u32>,
    /// Roots, as nodes of the whole graph, best first.
    pub roots: Vec<u32>,
    /// Arcs among the nodes, between domains, with the weights they had.
    pub graph: Csr,
    /// The same turned round.
    pub transpose: Csr,
    /// Arcs among the nodes that were dropped because they lie in one domain.
    pub internal: u64,
    /// Were pages left out because the set was full?
    pub full: bool,
}

impl Focus {
    /// The `k` nodes of the whole graph with the highest scores, where `scores` are those of the base graph.
    pub fn best(&self, scores: &[f64], k: usize) -> Vec<(u32, f64)> {
        top(scores, k).into_iter().map(|v| (self.nodes[v as usize], scores[v as usize])).collect()
    }
}

impl BaseSet {
    /// Settings of automatic resource compilation: two steps, at most 50,000 pages.
    pub fn two_steps() -> Self {
        BaseSet { steps: 2, most: 50_000, ..BaseSet::default() }
    }

    /// The base set of a query whose answers are `answers`, nodes with their scores in any order. `domain_of`
    /// gives each node's domain (or host); without it no link counts as internal.
    ///
    /// # Errors
    /// [`Error::Config`] if the transpose is of another graph, there are not as many domains as nodes, an answer
    /// is not a node or its score not a number.
    pub fn run(
        &self,
        graph: &Csr,
        transpose: &Csr,
        answers: &[(u32, f64)],
        domain_of: Option<&[u32]>,
    ) -> Result<Focus> {
        let wrong = |what: String| Err(Error::Config(what));
        let n = graph.num_nodes();
        if transpose.num_nodes() != n || transpose.num_arcs() != graph.num_arcs() {
            return wrong("the transpose is of another graph".into());
        }
        if let Some(domains) = domain_of.filter(|domains| domains.len() != n) {
            return wrong(format!("{} domains given for {n} nodes", domains.len()));
        }
        if let Some((node, score)) = answers.iter().find(|a| a.0 as usize >= n || a.1.is_nan()) {
            return wrong(format!(
                "node {node} with the score {score} is no answer from a graph of {n} nodes"
            ));
        }
        let mut answers = answers.to_vec();
        answers.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut known = HashSet::new();
        let mut answers = answers.into_iter().map(|a| a.0).filter(|&node| known.insert(node));
        let mut set =
            GrowingSet { settings: self, graph, transpose, domain_of, pages: HashSet::new(), full: false };
        let mut roots = Vec::new();
        for root in answers.by_ref().take(self.root) {
            if set.add(root) {
                roots.push(root);
            }
        }
        set.widen(roots.clone());
        while set.pages.len() < self.least.min(self.most) {
            let Some(root) = answers.next() else { break };
            set.add(root);
            roots.push(root);
            set.widen(vec![root]);
        }
        let full = set.full;
        let mut nodes: Vec<u32> = set.pages.into_iter().collect();
        nodes.sort_unstable();
        let (graph, internal) = self.induced(graph, &nodes, domain_of)?;
        let transpose = graph.transpose();
        Ok(Focus { nodes, roots, graph, transpose, internal, full })
    }

    /// Arcs among the nodes and between domains; how many were not between domains.
    fn induced(&self, graph: &Csr, nodes: &[u32], domain_of: Option<&[u32]>) -> Result<(Csr, u64)> {
        let mut arcs: Vec<(u32, u32, usize)> = Vec::new();
        let mut internal = 0;
        for (source, &u) in (0u32..).zip(nodes) {
            for arc in graph.arcs_of(u) {
                let v = graph.targets()[arc];
                let Ok(target) = nodes.binary_search(&v) else { continue };
                if domain_of.is_some_and(|d| d[u as usize] == d[v as usize]) {
                    internal += 1;
                } else {
                    arcs.push((source, target as u32, arc));
                }
            }
        }
        if let (Some(limit), Some(domains)) = (self.per_domain, domain_of) {
            let group = |arc: &(u32, u32, usize)| (arc.1, domains[nodes[arc.0 as usize] as usize]);
            arcs.sort_unstable_by_key(|arc| (group(arc), arc.0));
            let (mut last, mut seen) = (None, 0);
            arcs.retain(|arc| {
                seen = if last == Some(group(arc)) { seen + 1 } else { 1 };
                last = Some(group(arc));
                seen <= limit
            });
            arcs.sort_unstable();
        }
        let mut offsets = vec![0u64; nodes.len() + 1];
        for arc in &arcs {
            offsets[arc.0 as usize + 1] += 1;
        }
        for u in 0..nodes.len() {
            offsets[u + 1] += offsets[u];
        }
        let targets: Vec<u32> = arcs.iter().map(|arc| arc.1).collect();
        let weights = graph.weights().map(|weights| match weights {
            Weights::Counts(w) => Weights::Counts(pick(w, &arcs)),
            Weights::Reals(w) => Weights::Reals(pick(w, &arcs)),
        });
        Ok((Csr::new(offsets.into(), targets.into(), weights)?, internal))
    }
}

fn pick<T: bytemuck::Pod>(weights: &[T], arcs: &[(u32, u32, usize)]) -> Array<T> {
    arcs.iter().map(|arc| weights[arc.2]).collect::<Vec<T>>().into()
}

/// A base set that is being made.
struct GrowingSet<'a> {
    settings: &'a BaseSet,
    graph: &'a Csr,
    transpose: &'a Csr,
    domain_of: Option<&'a [u32]>,
    pages: HashSet<u32>,
    full: bool,
}

impl GrowingSet<'_> {
    /// Adds a page; tells whether it was new and there was room.
    fn add(&mut self, page: u32) -> bool {
        if self.pages.len() < self.settings.most {
            return self.pages.insert(page);
        }
        self.full |= !self.pages.contains(&page);
        false
    }

    /// Adds what lies within the steps around pages of the set.
    fn widen(&mut self, mut edge: Vec<u32>) {
        for _ in 0..self.settings.steps {
            let mut beyond = Vec::new();
            for page in edge {
                if self.full {
                    return;
                }
                let (graph, in_links) = (self.graph, self.chosen(page));
                for &next in graph.successor_slice(page).iter().chain(&in_links) {
                    if self.add(next) {
                        beyond.push(next);
                    }
                }
            }
            edge = beyond;
        }
    }

    /// The in-links that are followed.
    fn chosen(&self, page: u32) -> Vec<u32> {
        let (all, room) = (self.transpose.successor_slice(page), self.settings.in_links);
        if all.len() <= room {
            return all.to_vec();
        }
        let own = self.domain_of.map(|d| d[page as usize]);
        let inside = |u: &u32| self.domain_of.map(|d| d[*u as usize]) == own && own.is_some();
        let (same, mut other): (Vec<u32>, Vec<u32>) = all.iter().partition(|u| inside(u));
        if other.len() < room {
            other.extend(spaced(&same, room - other.len()));
            return other;
        }
        spaced(&other, room).collect()
    }
}

/// `count` items at even distances.
fn spaced(items: &[u32], count: usize) -> impl Iterator<Item = u32> {
    (0..count).map(move |i| items[i * items.len() / count])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 300 answers, each linking to two pages of its own and linked from 80 fans it shares with nobody.
    fn web() -> Csr {
        let (answers, fans) = (300u32, 80u32);
        let arcs = (0..answers).flat_map(move |a| {
            let out = (0..2).map(move |i| (a, answers + 2 * a + i));
            out.chain((0..fans).map(move |f| (3 * answers + a * fans + f, a)))
        });
        Csr::from_arcs((3 * answers + answers * fans) as usize, arcs).unwrap()
    }

    fn answers() -> Vec<(u32, f64)> {
        (0..300).map(|a| (a, 1000.0 - f64::from(a / 2))).collect()
    }

    #[test]
    fn roots_their_links_and_at_most_so_many_fans() {
        let graph = web();
        let transpose = graph.transpose();
        let roomy = BaseSet { most: 1 << 20, ..BaseSet::default() };
        let focus = roomy.run(&graph, &transpose, &answers(), None).unwrap();
        assert_eq!((focus.roots.len(), focus.nodes.len(), focus.full), (200, 200 * 53, false));
        assert_eq!((focus.graph.num_arcs(), focus.internal), (200 * 52, 0));
        assert!(focus.nodes.is_sorted_by(|a, b| a < b));
        // The best roots come first, and what they bring along.
        let focus = BaseSet::default().run(&graph, &transpose, &answers(), None).unwrap();
        assert_eq!((focus.nodes.len(), focus.full, &focus.roots[..3]), (5000, true, &[0, 1, 2][..]));
        assert!((0..90).all(|root| focus.nodes.binary_search(&(300 + 2 * root)).is_ok()));
        // Too few: further answers become roots.
        let narrow = BaseSet { root: 5, in_links: 0, least: 100, ..BaseSet::default() };
        let focus = narrow.run(&graph, &transpose, &answers(), None).unwrap();
        assert_eq!((focus.roots.len(), focus.nodes.len()), (34, 102));
        let every = BaseSet { root: 5, in_links: 0, least: 5000, ..BaseSet::default() };
        assert_eq!(every.run(&graph, &transpose, &answers(), None).unwrap().roots.len(), 300);
    }

    #[test]
    fn two_steps_reach_the_links_of_links() {
        let path = Csr::from_arcs(6, (0..5).map(|u| (u, u + 1))).unwrap();
        let set = BaseSet { root: 1, least: 0, ..BaseSet::default() };
        let transpose = path.transpose();
        let nodes = |set: BaseSet| set.run(&path, &transpose, &[(2, 1.0)], None).unwrap().nodes;
        assert_eq!(nodes(set.clone()), [1, 2, 3]);
        assert_eq!(nodes(BaseSet { least: 0, root: 1, ..BaseSet::two_steps() }), [0, 1, 2, 3, 4]);
        assert_eq!(nodes(BaseSet { steps: 0, ..set }), [2]);
    }

    #[test]
    fn links_inside_a_domain_do_not_count() {
        let arcs = [(0, 1, 2), (0, 2, 3), (1, 2, 4), (3, 2, 5), (4, 2, 6), (5, 2, 7)];
        let graph = Csr::from_weighted_arcs(6, arcs.map(|(u, v, w)| (u, v, w as f32))).unwrap();
        let transpose = graph.transpose();
        let domains = [0, 0, 1, 2, 2, 1];
        let run = |set: BaseSet| {
            set.run(&graph, &transpose, &[(2, 1.0), (0, f64::INFINITY)], Some(&domains)).unwrap()
        };
        let focus = run(BaseSet::default());
        let arcs: Vec<_> = focus.graph.arcs().collect();
        assert_eq!(arcs, [(0, 2, 3.0), (1, 2, 4.0), (3, 2, 5.0), (4, 2, 6.0)]);
        assert_eq!((focus.internal, focus.roots.clone()), (2, vec![0, 2]));
        // Pages of another domain are preferred among the in-links.
        assert_eq!(run(BaseSet { in_links: 4, ..BaseSet::default() }).nodes, [0, 1, 2, 3, 4]);
        let one = run(BaseSet { per_domain: Some(1), ..BaseSet::default() });
        assert_eq!(one.graph.arcs().collect::<Vec<_>>(), [(0, 2, 3.0), (3, 2, 5.0)]);
        assert_eq!(focus.best(&[0.0, 3.0, 1.0, 3.0, 0.0, 0.0], 2), [(1, 3.0), (3, 3.0)]);
    }

    #[test]
    fn no_answers_and_wrong_ones() {
        let graph = web();
        let transpose = graph.transpose();
        let run =
            |answers: &[(u32, f64)], domains| BaseSet::default().run(&graph, &transpose, answers, domains);
        assert!(run(&[], None).unwrap().nodes.is_empty());
        assert_eq!(run(&[(7, 1.0), (7, 2.0)], None).unwrap().roots, [7]);
        assert!(run(&[(u32::MAX, 1.0)], None).is_err());
        assert!(run(&[(0, f64::NAN)], None).is_err());
        assert!(run(&[(0, 1.0)], Some(&[0])).is_err());
    }
}
