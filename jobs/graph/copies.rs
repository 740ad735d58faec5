//! Duplicates folded into the page that stands for them, before anything is ranked.

use std::path::Path;

use webmill_capture::Result;
use webmill_capture::UrlKey;
use webmill_graph::{Csr, CsrWriter, HostRanges, WeightKind, duplicates, fold};
use webmill_run::{Committed, Unit};
use webmill_sort::{Budget, ByKey, Sorter, keyed};
use webmill_table::{Reader, columns};

use super::levels::NodeSpool;
use crate::dedup::tables::ClusterRow;

columns! {
    struct ClusterColumns from ClusterRow { url, cluster, keep }
}

/// A graph without the copies.
pub struct Folded {
    pub spool: NodeSpool,
    pub hosts: HostRanges,
    /// Pages that another one stands for.
    pub copies: u64,
    /// Links between pages that one page stands for.
    pub links_among: u64,
}

/// Folds the graph at `page`, whose nodes are those of `spool`, into the representatives of table `clusters`, and
/// writes it in its place. Links of copies become links of the representative; links among copies of one page, which
/// recommend nothing, are left out.
pub fn fold_copies(
    dedup: &Committed,
    seed: u64,
    page: &Path,
    mut spool: NodeSpool,
    unit: &Unit<'_>,
    budget: &Budget,
) -> Result<Folded> {
    let representative = representatives(dedup, seed, &mut spool, budget)?;
    let (of, kept) = duplicates(&representative)?;
    let mut sizes = vec![0u32; kept.len()];
    of.iter().for_each(|group| sizes[*group as usize] += 1);
    let whole = unit.temp().join("with-copies.csr");
    std::fs::rename(page, &whole).map_err(|e| webmill_capture::Error::io(&whole, e))?;
    let mut links_among = 0;
    let mut writer = CsrWriter::create(page, kept.len(), WeightKind::Counts)?;
    fold(&Csr::open(&whole)?, &of, false, budget, |source, target, links| {
        if source == target && sizes[source as usize] > 1 {
            links_among += u64::from(links);
            return Ok(());
        }
        writer.push(source, target, links)
    })?;
    writer.finish()?;
    std::fs::remove_file(&whole).map_err(|e| webmill_capture::Error::io(&whole, e))?;
    let (spool, hosts) = spool.keep(&kept, &sizes, &unit.temp().join("nodes-kept"))?;
    Ok(Folded { spool, hosts, copies: (of.len() - kept.len()) as u64, links_among })
}

/// The node that stands for each node.
fn representatives(dedup: &Committed, seed: u64, spool: &mut NodeSpool, budget: &Budget) -> Result<Vec<u32>> {
    let mut nodes = Sorter::new(budget);
    let mut count = 0u32;
    let mut spool = spool.open()?;
    while let Some(node) = spool.next()? {
        nodes.push(keyed(node.key, u64::from(count)))?;
        count += 1;
    }
    let nodes = ByKey::of(nodes)?;
    // Members of clusters that are nodes: cluster, whether the others are folded into it, node.
    let mut found: Vec<(u32, bool, u32)> = Vec::new();
    let mut reader = Reader::<ClusterColumns>::open(&dedup.path("clusters"))?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            if let Some(node) = nodes.get(UrlKey::seeded(page.url, seed).0) {
                found.push((page.cluster, page.keep, node as u32));
            }
        }
    }
    found.sort_unstable();
    let mut representative: Vec<u32> = (0..count).collect();
    for cluster in found.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(_, _, kept)) = cluster.iter().find(|member| member.1) else { continue };
        cluster.iter().for_each(|member| representative[member.2 as usize] = kept);
    }
    Ok(representative)
}
