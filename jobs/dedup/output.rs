//! Tables `duplicates` and `clusters`.

use crate::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow};
use rayon::prelude::*;
use webmill_capture::Result;
use webmill_dedup::{Clusters, ExactPair, Fingerprint, Joined, Pair, Same};
use webmill_run::Unit;
use webmill_table::{Bytes16, Footer, PartWriter, Table};

use super::pages::{Pages, Texts};
use crate::rejects::columns;

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
    let footer = Footer { job_key: unit.stage().key().to_string() };
    let relative = "duplicates/part-000000.parquet";
    let mut writer = PartWriter::<DuplicateRow>::create(&unit.create(relative)?, &footer)?;
    for copy in copies {
        writer.push(DuplicateRow {
            a: pages.url(copy.a).to_owned(),
            b: pages.url(copy.b).to_owned(),
            kind: if copy.same == Same::Body { DuplicateKind::Body } else { DuplicateKind::Text },
            distance: distance(pages, copy.a, copy.b),
            resemblance: Some(1.0),
        })?;
    }
    for (i, pair) in near.iter().enumerate() {
        writer.push(DuplicateRow {
            a: pages.url(pair.a).to_owned(),
            b: pages.url(pair.b).to_owned(),
            kind: DuplicateKind::Near,
            distance: Some(pair.distance),
            resemblance: resemblances.get(i).copied(),
        })?;
    }
    let rows = writer.finish()?;
    unit.wrote(relative, DuplicateRow::NAME, columns::<DuplicateRow>(), rows);
    unit.kept("pages", pages.len() as u64);
    unit.kept("near-pairs", near.len() as u64);
    if clusters.cut > 0 {
        unit.dropped("too-many-candidates", clusters.cut);
    }
    write_clusters(unit, pages, clusters, &footer)
}

fn write_clusters(unit: &mut Unit<'_>, pages: &Pages, clusters: &Clusters, footer: &Footer) -> Result<()> {
    let mut members: Vec<(u32, u32)> =
        clusters.members.iter().enumerate().map(|(page, m)| (m.representative, page as u32)).collect();
    members.sort_unstable();
    let relative = "clusters/part-000000.parquet";
    let mut writer = PartWriter::<ClusterRow>::create(&unit.create(relative)?, footer)?;
    let mut number = 0;
    for cluster in members.chunk_by(|a, b| a.0 == b.0).filter(|c| c.len() > 1) {
        let representative = cluster[0].0;
        for &(_, page) in cluster {
            let joined = clusters.members[page as usize].joined;
            unit.kept(&format!("cluster-{}", joined.name()), 1);
            writer.push(ClusterRow {
                url: pages.url(page).to_owned(),
                url_key: Bytes16(pages.keys[page as usize]),
                cluster: number,
                representative: pages.url(representative).to_owned(),
                keep: joined == Joined::Representative,
                kind: joined.into(),
                distance: distance(pages, page, representative),
                size: cluster.len() as u32,
            })?;
        }
        number += 1;
    }
    let rows = writer.finish()?;
    unit.wrote(relative, ClusterRow::NAME, columns::<ClusterRow>(), rows);
    unit.kept("clusters", u64::from(number));
    Ok(())
}

fn distance(pages: &Pages, a: u32, b: u32) -> Option<u8> {
    let (a, b) = (pages.simhash(a)?, pages.simhash(b)?);
    Some(Fingerprint(a).distance(Fingerprint(b)) as u8)
}
