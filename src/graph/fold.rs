//! The graph between groups of nodes: hosts, domains, duplicates.
//!
//! [`fold`] makes the graph between the groups of any grouping: its arcs are those between members, their
//! weights added up.
//!
//! **Cost.** 4 bytes a node for the groups, a sort of 16 bytes for each arc that does not repeat the one
//! before.

use super::csr::{Csr, Weights, real};
use super::store::{CsrWriter, WeightKind};
use std::path::Path;
use webmill_capture::error::{Error, Result};
use webmill_sort::{Budget, Sorter};

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
/// weights of all arcs between members (1 an arc without weights; of given weights as bits of an f32).
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
    let reals = matches!(graph.weights(), Some(Weights::Reals(_)));
    // Sums of reals depend on their order: they are added up when they are sorted.
    let sorter = Sorter::new(budget);
    let mut arcs = if reals { sorter } else { sorter.with_combine(add_arcs) };
    let mut pending: Option<u128> = None;
    for u in 0..graph.num_nodes() as u32 {
        for arc in graph.arcs_of(u) {
            let (source, target) = (of[u as usize], of[graph.targets()[arc] as usize]);
            if drop_internal && source == target {
                continue;
            }
            let weight = graph.weights().map_or(1, |_| graph.weight_bits(arc));
            let item = u128::from(source) << 96 | u128::from(target) << 64 | u128::from(weight);
            if (reals || !pending.as_mut().is_some_and(|last| add_arcs(last, &item)))
                && let Some(last) = pending.replace(item)
            {
                arcs.push(last)?;
            }
        }
    }
    if let Some(last) = pending {
        arcs.push(last)?;
    }
    let mut give = |(ends, sum): (u64, f64)| {
        let weight = if reals { real(sum).to_bits() } else { sum as u32 };
        on_arc((ends >> 32) as u32, ends as u32, weight)
    };
    let mut open: Option<(u64, f64)> = None;
    for arc in arcs.finish()? {
        let arc = arc?;
        let (ends, bits) = ((arc >> 64) as u64, arc as u64);
        let weight = if reals { f64::from(f32::from_bits(bits as u32)) } else { bits as f64 };
        match &mut open {
            Some((same, sum)) if *same == ends => *sum += weight,
            _ => open.replace((ends, weight)).map_or(Ok(()), &mut give)?,
        }
    }
    open.map_or(Ok(()), give)
}

/// Adds the numbers of links, in the low half, of equal arcs, in the high half.
pub(super) fn add_arcs(first: &mut u128, next: &u128) -> bool {
    let same = *first >> 64 == *next >> 64;
    if same {
        *first += u128::from(*next as u64);
    }
    same
}

/// [`fold`] into memory; the graph has `groups` nodes.
///
/// # Errors
/// As [`fold`]; [`Error::Config`] for groups that are not below `groups`.
///
/// # Examples
/// ```
/// use webmill_graph::{Csr, fold_csr};
/// use webmill_sort::Budget;
/// // Pages 0 and 1 are on host 0, pages 2 and 3 on host 1.
/// let pages = Csr::from_arcs(4, [(0, 1), (0, 2), (1, 3), (3, 0)])?;
/// let hosts = fold_csr(&pages, &[0, 0, 1, 1], 2, true, &Budget::new(1 << 20))?;
/// assert_eq!(hosts.arcs().collect::<Vec<_>>(), [(0, 1, 2.0), (1, 0, 1.0)]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
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
    fn given_weights_add_up_whatever_the_budget() {
        let arcs = (0..2000u32).map(|i| (i % 97, i / 20, 1.0 / (1 + i) as f32));
        let graph = Csr::from_weighted_arcs(100, arcs.clone()).unwrap();
        let of: Vec<u32> = (0..100).map(|node| node % 2).collect();
        let small = fold_csr(&graph, &of, 2, false, &Budget::new(500)).unwrap();
        let large = fold_csr(&graph, &of, 2, false, &Budget::new(1 << 20)).unwrap();
        assert!(small.arcs().eq(large.arcs()) && small.num_arcs() == 4);
        let sums = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| {
            arcs.clone()
                .filter(|arc| (arc.0 % 2, arc.1 % 2) == (a, b))
                .map(|arc| f64::from(arc.2))
                .sum::<f64>()
        });
        assert!(small.arcs().zip(sums).all(|((_, _, weight), sum)| (weight / sum - 1.0).abs() < 1e-6));
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
