//! What tables say of pages like this one: duplicates, the cluster, shared passages. Their rows are in the order of what
//! to keep, so the keys are read throughout, and all else only of row groups that hold the page.

use std::path::{Path, PathBuf};

use anyhow::Result;
use webmill_table::{Columns, GroupCounts, Reader, columns};

use super::shown::{Cluster, Duplicate, List, PageReport, Passage};
use super::tables::{LookupKeys, Tables};
use webmill_jobs::dedup::passages::row::PassageRow;
use webmill_jobs::dedup::tables::{ClusterRow, DuplicateRow};

columns! {
    struct DuplicateKeys from DuplicateRow { a_key, b_key }
}

columns! {
    struct Pair from DuplicateRow { a_key, b_key, a, b, kind, resemblance, a_in_b, b_in_a, distance }
}

columns! {
    struct ClusterKey from ClusterRow { url_key }
}

columns! {
    struct Member from ClusterRow { url_key, cluster, size, representative, keep, kind, resemblance, mirror_degree }
}

columns! {
    struct PassageKeys from PassageRow { a_key, b_key }
}

columns! {
    struct PassageColumns from PassageRow { a_key, b_key, a, b, a_start, a_end, b_start, b_end, words, share_a, share_b }
}

/// Row groups by file and number.
type Groups = Vec<(PathBuf, usize)>;

/// The row groups of a table that hold a row which `is_it`.
fn groups_with<C: Columns>(
    folder: &Path,
    is_it: impl for<'a> Fn(&C::Item<'a>) -> bool,
) -> Result<(Groups, GroupCounts)> {
    let mut reader = Reader::<C>::open(folder)?;
    let mut groups = Vec::new();
    while let Some(batch) = reader.next()? {
        if batch.rows().any(|row| is_it(&row)) {
            groups.push((batch.path().to_path_buf(), batch.group()));
        }
    }
    Ok((groups, reader.groups()))
}

/// Reads these row groups.
fn read_groups<C: Columns>(folder: &Path, groups: Groups) -> Result<Reader<C>> {
    let held = move |path: &Path, number| groups.iter().any(|(file, group)| file == path && *group == number);
    Ok(Reader::open(folder)?.only(move |group| held(group.path(), group.number())))
}

/// Duplicates, cluster and passages.
pub fn copies(tables: &mut Tables, page: &LookupKeys, most: usize, shown: &mut PageReport) -> Result<()> {
    if let Some(folder) = tables.folder("dedup", "duplicates")? {
        shown.duplicates = Some(duplicates(tables, page, most, &folder)?);
    }
    if let Some(folder) = tables.folder("dedup", "clusters")? {
        let key = page.key;
        let (groups, counts) = groups_with::<ClusterKey>(&folder, |row| row.url_key.0 == key)?;
        tables.note("clusters", None, counts);
        let mut reader = read_groups::<Member>(&folder, groups)?;
        while let Some(batch) = reader.next()? {
            shown.cluster =
                batch.rows().find(|row| row.url_key.0 == key).map(cluster).or(shown.cluster.take());
        }
    }
    if let Some(folder) = tables.folder("dedup", "passages")? {
        shown.passages = Some(passages(tables, page, most, &folder)?);
    }
    Ok(())
}

fn cluster(row: Member<'_>) -> Cluster {
    Cluster {
        number: row.cluster,
        size: row.size,
        representative: row.representative.to_owned(),
        keep: row.keep,
        kind: row.kind.as_str(),
        resemblance: row.resemblance,
        mirror_degree: row.mirror_degree,
    }
}

fn duplicates(tables: &mut Tables, page: &LookupKeys, most: usize, folder: &Path) -> Result<List<Duplicate>> {
    let key = page.key;
    let (groups, counts) =
        groups_with::<DuplicateKeys>(folder, |row| row.a_key.0 == key || row.b_key.0 == key)?;
    tables.note("duplicates", None, counts);
    let mut list = List::default();
    let mut reader = read_groups::<Pair>(folder, groups)?;
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| row.a_key.0 == key || row.b_key.0 == key) {
            let first = row.a_key.0 == key;
            list.total += 1;
            if list.listed.len() < most {
                list.listed.push(Duplicate {
                    url: if first { row.b } else { row.a }.to_owned(),
                    kind: row.kind.as_str(),
                    resemblance: row.resemblance,
                    this_in_other: if first { row.a_in_b } else { row.b_in_a },
                    other_in_this: if first { row.b_in_a } else { row.a_in_b },
                    distance: row.distance,
                });
            }
        }
    }
    Ok(list)
}

fn passages(tables: &mut Tables, page: &LookupKeys, most: usize, folder: &Path) -> Result<List<Passage>> {
    let key = page.key;
    let (groups, counts) =
        groups_with::<PassageKeys>(folder, |row| row.a_key.0 == key || row.b_key.0 == key)?;
    tables.note("passages", None, counts);
    let mut list = List::default();
    let mut reader = read_groups::<PassageColumns>(folder, groups)?;
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| row.a_key.0 == key || row.b_key.0 == key) {
            let first = row.a_key.0 == key;
            list.total += 1;
            if list.listed.len() < most {
                let (start, end) = if first { (row.a_start, row.a_end) } else { (row.b_start, row.b_end) };
                let (share, other) =
                    if first { (row.share_a, row.share_b) } else { (row.share_b, row.share_a) };
                let url = if first { row.b } else { row.a }.to_owned();
                list.listed.push(Passage { url, words: row.words, start, end, share, share_of_other: other });
            }
        }
    }
    Ok(list)
}
