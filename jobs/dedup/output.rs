//! Tables `duplicates` and `clusters`.

use crate::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow};
use rayon::prelude::*;
use webmill_capture::Result;
use webmill_dedup::{Clusters, ExactPair, Fingerprint, Joined, Pair, Same};
use webmill_run::Unit;
use webmill_table::Bytes16;

use super::pages::{Pages, Texts};
use crate::output::{TableFile, first_part};

/// Resemblance of each pair, in their order.
pub fn resemblances(pairs: &[Pair], texts: &Texts, width: usize) -> Result<Vec<f64>> {
    // Pairs are sorted, so one page's shingles serve all its pairs.
    let groups: Vec<&[Pair]> = pairs.chunk_by(|a, b| a.a == b.a).collect();
    let values: Vec<Vec<f64>> = groups
        .par_iter()
        .map(|group| {
            let a = texts.shingles(group[0].a, width)?;
            group.iter().map(|pair| Ok(a.resemblance(&texts.shingles(pair.b, width)?))).collect()
        })
        .collect::<Result<_>>()?;
    Ok(values.into_iter().flatten().collect())
}

/// Writes both tables and counts what they hold.
pub fn write(
    unit: &mut Unit<'_>,
    pages: &Pages,
    copies: &[ExactPair],
    near: &[Pair],
    resemblances: &[f64],
    clusters: &Clusters,
) -> Result<()> {
    let mut file = TableFile::<DuplicateRow>::create(unit, first_part::<DuplicateRow>())?;
    for copy in copies {
        file.push(DuplicateRow {
            a: pages.url(copy.a).to_owned(),
            b: pages.url(copy.b).to_owned(),
            kind: if copy.same == Same::Body { DuplicateKind::Body } else { DuplicateKind::Text },
            distance: distance(pages, copy.a, copy.b),
            resemblance: 1.0,
            ..DuplicateRow::default()
        })?;
    }
    for (i, pair) in near.iter().enumerate() {
        file.push(DuplicateRow {
            a: pages.url(pair.a).to_owned(),
            b: pages.url(pair.b).to_owned(),
            kind: DuplicateKind::Near,
            distance: Some(pair.distance),
            resemblance: resemblances.get(i).copied().unwrap_or_default(),
            ..DuplicateRow::default()
        })?;
    }
    file.finish(unit)?;
    unit.kept("pages", pages.len() as u64);
    unit.kept("near-pairs", near.len() as u64);
    if clusters.cut > 0 {
        unit.dropped("too-many-candidates", clusters.cut);
    }
    write_clusters(unit, pages, clusters)
}

fn write_clusters(unit: &mut Unit<'_>, pages: &Pages, clusters: &Clusters) -> Result<()> {
    let mut members: Vec<(u32, u32)> =
        clusters.members.iter().enumerate().map(|(page, m)| (m.representative, page as u32)).collect();
    members.sort_unstable();
    let mut file = TableFile::<ClusterRow>::create(unit, first_part::<ClusterRow>())?;
    let mut number = 0;
    for cluster in members.chunk_by(|a, b| a.0 == b.0).filter(|c| c.len() > 1) {
        let representative = cluster[0].0;
        for &(_, page) in cluster {
            let joined = clusters.members[page as usize].joined;
            unit.kept(&format!("cluster-{}", joined.name()), 1);
            file.push(ClusterRow {
                url: pages.url(page).to_owned(),
                url_key: Bytes16(pages.keys[page as usize]),
                cluster: number,
                representative: pages.url(representative).to_owned(),
                keep: joined == Joined::Representative,
                kind: joined.into(),
                distance: distance(pages, page, representative),
                size: cluster.len() as u32,
                ..ClusterRow::default()
            })?;
        }
        number += 1;
    }
    file.finish(unit)?;
    unit.kept("clusters", u64::from(number));
    Ok(())
}

fn distance(pages: &Pages, a: u32, b: u32) -> Option<u8> {
    let (a, b) = (pages.simhash(a)?, pages.simhash(b)?);
    Some(Fingerprint(a).distance(Fingerprint(b)) as u8)
}
