//! Duplicates folded into the page that stands for them, before anything is ranked.

use std::path::Path;

use webmill_capture::Result;
use webmill_capture::UrlKey;
use webmill_graph::{Csr, CsrWriter, HostRanges, WeightKind, duplicates, fold};
use webmill_run::{Committed, Unit};
use webmill_sort::{Budget, Sorter};
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
    let mut nodes = Sorter::new(&budget.fraction(1, 2));
    let mut count = 0u32;
    let mut spool = spool.open()?;
    while let Some(node) = spool.next()? {
        nodes.push([(node.key >> 64) as u64, node.key as u64, u64::from(count)])?;
        count += 1;
    }
    let mut members = Sorter::new(&budget.fraction(1, 2));
    let mut reader = Reader::<ClusterColumns>::open(&dedup.path("clusters"))?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            let key = UrlKey::seeded(page.url, seed).0;
            members.push([
                (key >> 64) as u64,
                key as u64,
                u64::from(page.cluster) << 1 | u64::from(page.keep),
            ])?;
        }
    }
    // Members of clusters that are nodes: cluster, whether the others are folded into it, node.
    let mut found: Vec<(u32, bool, u32)> = Vec::new();
    let mut nodes = nodes.finish()?;
    let mut node = nodes.next().transpose()?;
    for member in members.finish()? {
        let member = member?;
        while node.is_some_and(|node| node[..2] < member[..2]) {
            node = nodes.next().transpose()?;
        }
        if let Some(node) = node.filter(|node| node[..2] == member[..2]) {
            found.push(((member[2] >> 1) as u32, member[2] & 1 == 1, node[2] as u32));
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
