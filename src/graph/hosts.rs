//! Hosts and domains as groups of nodes, and the graphs between groups.
//!
//! In SURT order the pages of a host are a range of consecutive nodes, so a host is two numbers and a name.
//! Domains are groups of hosts. [`fold`] makes the graph between the groups of any grouping (hosts, domains,
//! clusters of duplicates): its arcs are those between members, their weights added up.
//!
//! **Cost.** Hosts: 8 bytes and the name. Folding: 4 bytes a node for the groups, a sort of 16 bytes for each
//! arc that does not repeat the one before.

use super::builder::add_arcs;
use super::csr::{Csr, Graph, Weights};
use super::store::{CsrWriter, WeightKind};
use std::path::Path;
use webmill_capture::error::{Error, Result};
use webmill_sort::{Budget, Sorter};

/// The SURT of the host (with its port) of a page: what comes before `)`.
pub fn host_of(surt: &[u8]) -> &[u8] {
    let end = surt.iter().position(|&b| b == b')').unwrap_or(surt.len());
    &surt[..end]
}

/// Hosts in SURT order, each a range of consecutive nodes.
#[derive(Clone, Debug, Default)]
pub struct HostRanges {
    starts: Vec<u32>,
    nodes: u32,
    names: Vec<u8>,
    name_ends: Vec<usize>,
}

impl HostRanges {
    /// Takes the next node, by its SURT key.
    pub fn push(&mut self, surt: &[u8]) {
        let host = host_of(surt);
        if self.starts.is_empty() || self.surt(self.len() - 1) != host {
            self.starts.push(self.nodes);
            self.names.extend_from_slice(host);
            self.name_ends.push(self.names.len());
        }
        self.nodes += 1;
    }

    /// The hosts of nodes given by their SURT keys, in ascending order.
    pub fn from_surts<'a>(surts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hosts = HostRanges::default();
        surts.into_iter().for_each(|surt| hosts.push(surt));
        hosts
    }

    /// Number of hosts.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// No hosts, no nodes?
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// SURT of a host, with its port: `com,example,www:8080`.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn surt(&self, host: usize) -> &[u8] {
        let start = if host == 0 { 0 } else { self.name_ends[host - 1] };
        &self.names[start..self.name_ends[host]]
    }

    /// Name of a host, with its port: `www.example.com:8080`.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn name(&self, host: usize) -> String {
        let surt = String::from_utf8_lossy(self.surt(host));
        let (labels, port) = match surt.rsplit_once(':') {
            Some((labels, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (labels, Some(port)),
            _ => (&surt[..], None),
        };
        let mut name: String = labels.rsplit(',').collect::<Vec<_>>().join(".");
        if let Some(port) = port {
            name.push(':');
            name.push_str(port);
        }
        name
    }

    /// Nodes of a host.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn nodes(&self, host: usize) -> std::ops::Range<u32> {
        self.starts[host]..self.starts.get(host + 1).copied().unwrap_or(self.nodes)
    }

    /// The host of a node.
    pub fn host(&self, node: u32) -> usize {
        self.starts.partition_point(|&start| start <= node) - 1
    }

    /// Are two nodes on one host?
    pub fn same(&self, a: u32, b: u32) -> bool {
        a == b || self.nodes(self.host(a)).contains(&b)
    }

    /// Each host as a group.
    pub fn by_host(&self) -> Groups {
        let of = (0..self.len()).flat_map(|host| self.nodes(host).map(move |_| host as u32)).collect();
        Groups { of, names: (0..self.len()).map(|host| self.name(host)).collect() }
    }

    /// Hosts with one registrable domain as a group. `domain` gets the name of a host without its port and
    /// returns that of its domain, `order` gets that and returns the key (SURT) by which domains are
    /// numbered.
    pub fn by_domain(&self, domain: impl Fn(&str) -> String, order: impl Fn(&str) -> String) -> Groups {
        let of_host: Vec<(String, String)> = (0..self.len())
            .map(|host| {
                let name = self.name(host);
                let bare = match name.rsplit_once(':') {
                    Some((bare, port)) if port.bytes().all(|b| b.is_ascii_digit()) => bare,
                    _ => &name,
                };
                let domain = domain(bare);
                (order(&domain), domain)
            })
            .collect();
        let mut domains: Vec<&(String, String)> = of_host.iter().collect();
        domains.sort_unstable();
        domains.dedup();
        let number: Vec<u32> =
            of_host.iter().map(|domain| domains.partition_point(|other| *other < domain) as u32).collect();
        let of = (0..self.len())
            .flat_map(|host| self.nodes(host).map(move |_| host))
            .map(|host| number[host])
            .collect();
        Groups { of, names: domains.into_iter().map(|(_, name)| name.clone()).collect() }
    }
}

/// A grouping of the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Group of each node.
    pub of: Vec<u32>,
    /// Name of each group.
    pub names: Vec<String>,
}

/// Groups of duplicates for [`fold`], numbered in the order of their representatives.
///
/// `representative` tells for each node the node that represents it, itself if it represents itself. Returns
/// the group of each node, and the representative of each group.
///
/// # Errors
/// [`Error::Config`] for a representative that is no node or does not represent itself.
pub fn duplicates(representative: &[u32]) -> Result<(Vec<u32>, Vec<u32>)> {
    let represents_itself = |node: u32| representative.get(node as usize) == Some(&node);
    if let Some(node) = representative.iter().position(|&other| !represents_itself(other)) {
        let other = representative[node];
        return Err(Error::Config(format!(
            "node {node} is represented by {other}, which does not represent itself"
        )));
    }
    let kept: Vec<u32> = (0..representative.len() as u32).filter(|&node| represents_itself(node)).collect();
    let of = representative.iter().map(|&node| kept.partition_point(|&other| other < node) as u32).collect();
    Ok((of, kept))
}

/// Gives each arc between groups to `on_arc`, by source, then target: `of[u]`, `of[v]`, and the sum of the
/// weights of all arcs between members (1 an arc without weights; given weights keep their maximum, as bits
/// of an f32).
///
/// # Errors
/// [`Error::Config`] if `of` does not have an entry for each node, [`Error::Io`] when a run file fails, and
/// what `on_arc` returns.
pub fn fold(
    graph: &Csr,
    of: &[u32],
    drop_internal: bool,
    budget: &Budget,
    mut on_arc: impl FnMut(u32, u32, u32) -> Result<()>,
) -> Result<()> {
    if of.len() != graph.num_nodes() {
        return Err(Error::Config(format!("{} groups for {} nodes", of.len(), graph.num_nodes())));
    }
    let combine = if matches!(graph.weights(), Some(Weights::Reals(_))) { greatest } else { add_arcs };
    let mut arcs = Sorter::new(budget).with_combine(combine);
    let mut pending: Option<u128> = None;
    for u in 0..graph.num_nodes() as u32 {
        for arc in graph.arcs_of(u) {
            let (source, target) = (of[u as usize], of[graph.targets()[arc] as usize]);
            if drop_internal && source == target {
                continue;
            }
            let weight = match graph.weights() {
                None => 1,
                Some(Weights::Counts(w)) => w[arc],
                Some(Weights::Reals(w)) => w[arc].to_bits(), // not negative, so in the order of the numbers
            };
            let item = u128::from(source) << 96 | u128::from(target) << 64 | u128::from(weight);
            if !pending.as_mut().is_some_and(|last| combine(last, &item))
                && let Some(last) = pending.replace(item)
            {
                arcs.push(last)?;
            }
        }
    }
    if let Some(last) = pending {
        arcs.push(last)?;
    }
    for arc in arcs.finish()? {
        let arc = arc?;
        on_arc((arc >> 96) as u32, (arc >> 64) as u32, u32::try_from(arc as u64).unwrap_or(u32::MAX))?;
    }
    Ok(())
}

/// Keeps the greater weight of equal arcs.
fn greatest(first: &mut u128, next: &u128) -> bool {
    let same = *first >> 64 == *next >> 64;
    if same {
        *first = (*first).max(*next);
    }
    same
}

/// [`fold`] into memory; the graph has `groups` nodes.
///
/// # Errors
/// As [`fold`]; [`Error::Config`] for groups that are not below `groups`.
pub fn fold_csr(graph: &Csr, of: &[u32], groups: usize, drop_internal: bool, budget: &Budget) -> Result<Csr> {
    check_groups(of, groups)?;
    let (mut offsets, mut targets, mut weights) = (vec![0u64; groups + 1], Vec::new(), Vec::new());
    fold(graph, of, drop_internal, budget, |source, target, weight| {
        offsets[source as usize + 1] += 1;
        targets.push(target);
        weights.push(weight);
        Ok(())
    })?;
    for group in 0..groups {
        offsets[group + 1] += offsets[group];
    }
    let weights = match graph.weights() {
        Some(Weights::Reals(_)) => {
            Weights::Reals(weights.into_iter().map(f32::from_bits).collect::<Vec<_>>().into())
        }
        _ => Weights::Counts(weights.into()),
    };
    Csr::new(offsets.into(), targets.into(), Some(weights))
}

fn check_groups(of: &[u32], groups: usize) -> Result<()> {
    match of.iter().position(|&group| group as usize >= groups) {
        Some(node) => Err(Error::Config(format!("node {node} is in group {} of {groups}", of[node]))),
        None => Ok(()),
    }
}

/// [`fold`] into a file that [`Csr::open`] reads, of `groups` nodes, in the memory of the budget whatever the graph.
///
/// # Errors
/// As [`fold_csr`], and [`Error::Io`] where the file cannot be written.
pub fn fold_file(
    graph: &Csr,
    of: &[u32],
    groups: usize,
    drop_internal: bool,
    budget: &Budget,
    path: impl AsRef<Path>,
) -> Result<()> {
    check_groups(of, groups)?;
    let reals = matches!(graph.weights(), Some(Weights::Reals(_)));
    let kind = if reals { WeightKind::Reals } else { WeightKind::Counts };
    let mut writer = CsrWriter::create(path, groups, kind)?;
    fold(graph, of, drop_internal, budget, |source, target, weight| writer.push(source, target, weight))?;
    writer.finish().map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn hosts_are_ranges_and_domains_groups_of_them() {
        let surts =
            ["com,a)/", "com,a)/x", "com,a-b)/", "com,a,www)/", "com,a:81)/", "[::1])/", "127.0.0.1)/"];
        let mut surts = surts.map(str::as_bytes);
        surts.sort();
        let hosts = HostRanges::from_surts(surts);
        let names: Vec<String> = (0..hosts.len()).map(|h| hosts.name(h)).collect();
        assert_eq!(names, ["127.0.0.1", "[::1]", "a.com", "www.a.com", "a-b.com", "a.com:81"]);
        assert_eq!(hosts.nodes(2), 2..4);
        assert_eq!((0..7).map(|n| hosts.host(n)).collect::<Vec<_>>(), [0, 1, 2, 2, 3, 4, 5]);
        assert!(hosts.same(2, 3) && !hosts.same(3, 4));
        assert_eq!(hosts.by_host().of, [0, 1, 2, 2, 3, 4, 5]);
        // The domain's hosts are not all side by side.
        let last_two = |host: &str| {
            let labels: Vec<&str> = host.rsplitn(3, '.').collect();
            if host.ends_with("com") { format!("{}.{}", labels[1], labels[0]) } else { host.to_owned() }
        };
        let domains = hosts.by_domain(last_two, |d| d.rsplit('.').collect::<Vec<_>>().join(","));
        let mut expected = vec!["127.0.0.1", "[::1]", "a.com", "a-b.com"];
        expected.sort_by_key(|d| d.rsplit('.').collect::<Vec<_>>().join(","));
        assert_eq!(domains.names, expected);
        let a = domains.names.iter().position(|n| n == "a.com").unwrap() as u32;
        assert_eq!(domains.of.iter().filter(|&&d| d == a).count(), 4);
    }

    proptest! {
        #[test]
        fn folding_adds_up(graph in graphs(30, 200), of in prop::collection::vec(0u32..6, 30), inside: bool) {
            let of = &of[..graph.num_nodes()];
            let mut expected = BTreeMap::new();
            for (u, v, _) in graph.arcs() {
                let (a, b) = (of[u as usize], of[v as usize]);
                if !(inside && a == b) { *expected.entry((a, b)).or_insert(0.0) += 1.0; }
            }
            let folded = fold_csr(&graph, of, 6, inside, &Budget::new(500)).unwrap();
            prop_assert_eq!(folded.arcs().map(|(u, v, w)| ((u, v), w)).collect::<BTreeMap<_, _>>(), expected.clone());
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("folded.csr");
            fold_file(&graph, of, 6, inside, &Budget::new(500), &path).unwrap();
            let file = Csr::open(&path).unwrap();
            prop_assert_eq!(file.arcs().collect::<Vec<_>>(), folded.arcs().collect::<Vec<_>>());
            // Folding everything into one keeps the whole weight.
            let one = fold_csr(&folded, &[0; 6], 1, false, &Budget::new(500)).unwrap();
            prop_assert_eq!(one.arcs().map(|a| a.2).sum::<f64>(), expected.values().sum::<f64>());
        }
    }

    #[test]
    fn wrong_groups_are_refused() {
        let graph = Csr::from_arcs(2, [(0, 1)]).unwrap();
        let budget = Budget::new(1000);
        assert!(matches!(fold_csr(&graph, &[0], 1, false, &budget), Err(Error::Config(_))));
        assert!(matches!(fold_csr(&graph, &[0, 1], 1, false, &budget), Err(Error::Config(_))));
    }

    #[test]
    fn duplicates_are_folded_into_their_representatives() {
        // 1 and 4 are copies of 2, 0 of 3.
        let (of, kept) = duplicates(&[3, 2, 2, 3, 2, 5]).unwrap();
        assert_eq!((&of[..], &kept[..]), (&[1, 0, 0, 1, 0, 2][..], &[2, 3, 5][..]));
        let graph = Csr::from_arcs(6, [(0, 1), (0, 2), (3, 4), (1, 4), (5, 0), (2, 5)]).unwrap();
        let folded = fold_csr(&graph, &of, kept.len(), true, &Budget::new(1000)).unwrap();
        assert_eq!(folded.arcs().collect::<Vec<_>>(), [(0, 2, 1.0), (1, 0, 3.0), (2, 1, 1.0)]);
        assert!(duplicates(&[1, 2, 2]).is_err() && duplicates(&[1]).is_err());
        assert_eq!(duplicates(&[]).unwrap(), (vec![], vec![]));
    }
}
