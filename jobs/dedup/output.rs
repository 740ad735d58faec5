//! Writes tables `duplicates` and `clusters`.

use webmill_capture::Result;
use webmill_dedup::{ExactPair, Joined, MirrorDegrees, NearPair, Overlap, Same};
use webmill_run::Unit;
use webmill_sort::{Budget, Mapped, Sorter};
use webmill_table::Bytes16;

use super::by::By;
use super::candidates::Near;
use super::close::UNVERIFIED;
use super::pages::{Copies, Pages};
use super::tables::{ClusterRow, DuplicateKind, DuplicateRow, FoundBy, Membership};
use super::texts::overlap;
use super::{Clustered, Dedup};
use crate::output::{TableFile, first_part};

/// What the tables are made of.
pub struct Tables<'a> {
    /// By what pairs were found, and whether they were verified.
    pub settings: &'a Dedup,
    /// The pages in order.
    pub pages: &'a Pages,
    /// Exact copies.
    pub copies: &'a Copies,
    /// Near-duplicates.
    pub near: &'a Near,
    /// What they form.
    pub clusters: &'a Clustered,
    /// Results, by number, whose pairs are in their own tables already.
    pub known: &'a [bool],
}

fn kind(same: Same) -> DuplicateKind {
    match same {
        Same::Body => DuplicateKind::Body,
        Same::Text => DuplicateKind::Text,
    }
}

/// Clusters keep similarities in single precision, whose digits end there.
fn six_digits(similarity: f32) -> f64 {
    (f64::from(similarity) * 1e6).round() / 1e6
}

/// A pair with what its texts share.
pub fn resembling(row: DuplicateRow, overlap: Overlap) -> DuplicateRow {
    DuplicateRow {
        resemblance: Some(overlap.resemblance()),
        a_in_b: Some(overlap.a_in_b()),
        b_in_a: Some(overlap.b_in_a()),
        a_shingles: Some(overlap.a as u32),
        b_shingles: Some(overlap.b as u32),
        shared_shingles: Some(overlap.common as u32),
        ..row
    }
}

impl Tables<'_> {
    /// Writes both tables and counts what they hold.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn write(&self, unit: &mut Unit<'_>, budget: &Budget) -> Result<()> {
        let mut file = TableFile::<DuplicateRow>::create(unit, first_part::<DuplicateRow>())?;
        let (mut bodies, mut texts, mut near) = (0, 0, 0);
        for copy in self.copies.iter().filter(|copy| !self.near.known.tells(copy.a, copy.b, kind(copy.same)))
        {
            *(if copy.same == Same::Body { &mut bodies } else { &mut texts }) += 1;
            file.push(self.copied(copy))?;
        }
        for &[a, b, common] in self.near.pairs.iter().filter(|pair| self.is_news(pair[0], pair[1])) {
            near += 1;
            let (kind, found_by) = (DuplicateKind::Near, self.found_by(a, b));
            let row = DuplicateRow { kind, found_by, ..self.pages.pair(a, b) };
            if common == UNVERIFIED {
                file.push(row)?;
                continue;
            }
            let sizes = (self.near.texts.num_shingles(a), self.near.texts.num_shingles(b));
            file.push(resembling(row, overlap(sizes, common)))?;
        }
        for &NearPair { first, later, .. } in
            self.clusters.clusters.found.iter().filter(|p| self.is_news(p.first, p.later))
        {
            near += 1;
            let (kind, found_by) = (DuplicateKind::Near, FoundBy::Cluster);
            let row = DuplicateRow { kind, found_by, ..self.pages.pair(first, later) };
            file.push(resembling(row, self.near.texts.overlap(first, later)?))?;
        }
        for found in &self.near.further {
            for &[a, b, similarity] in found.pairs.iter() {
                file.push(DuplicateRow {
                    kind: found.by.kind(),
                    resemblance: Some(six_digits(f32::from_bits(similarity))),
                    found_by: found.by.found_by(),
                    ..self.pages.pair(a, b)
                })?;
            }
            unit.kept(&format!("{}-pairs", found.by.kind()), found.pairs.len() as u64);
        }
        file.finish(unit)?;
        unit.kept("pages", self.pages.len() as u64);
        for (what, n) in [("body-pairs", bodies), ("text-pairs", texts), ("near-pairs", near)] {
            unit.kept(what, n);
        }
        self.write_clusters(unit, budget)
    }

    fn is_known(&self, page: u32) -> bool {
        self.known[self.pages.page(page).results as usize]
    }

    fn is_news(&self, a: u32, b: u32) -> bool {
        !self.near.known.tells(a, b, DuplicateKind::Near)
    }

    fn copied(&self, copy: ExactPair) -> DuplicateRow {
        DuplicateRow {
            kind: kind(copy.same),
            resemblance: Some(1.0),
            a_in_b: Some(1.0),
            b_in_a: Some(1.0),
            found_by: FoundBy::Digest,
            ..self.pages.pair(copy.a, copy.b)
        }
    }

    /// How a near pair was found.
    fn found_by(&self, a: u32, b: u32) -> FoundBy {
        if self.near.close.binary_search(&[a, b]).is_ok() {
            return FoundBy::Simhash;
        }
        let bits = self.settings.by.contains(&By::Simhash).then_some(self.settings.simhash_bits);
        let is_close =
            self.pages.distance(a, b).is_some_and(|d| bits.is_some_and(|bits| u32::from(d) <= bits));
        if is_close { FoundBy::BandsAndSimhash } else { FoundBy::Bands }
    }

    /// Clusters of two or more, and what earlier tables say otherwise, as far as they are not known.
    fn write_clusters(&self, unit: &mut Unit<'_>, budget: &Budget) -> Result<()> {
        let share = budget.share(2);
        let mut sorter = Sorter::new(&share);
        let mut degrees = MirrorDegrees::new(&share);
        let mut sizes = vec![0u32; self.pages.len()];
        self.clusters.clusters.members.iter().for_each(|member| sizes[member.representative as usize] += 1);
        let mut news = vec![false; self.pages.len()];
        for (page, member) in (0u32..).zip(&self.clusters.clusters.members) {
            let (representative, size) = (member.representative, sizes[member.representative as usize]);
            let known = self.is_known(page);
            let otherwise = self.near.known.says_otherwise(page, representative, size);
            news[representative as usize] |= otherwise || (!known && size > 1);
        }
        for (page, member) in (0u32..).zip(&self.clusters.clusters.members) {
            let representative = member.representative;
            if news[representative as usize] {
                let itself = page != representative;
                sorter.push([representative, u32::from(itself), page])?;
                degrees.push(page, u64::from(representative), &self.pages.host(page))?;
            }
        }
        let mut counted = Sorter::new(&share);
        degrees.finish(|page, degree| counted.push([page, degree.min(u64::from(u32::MAX)) as u32]))?;
        let degree: Mapped<[u32; 2]> = counted.mapped()?;
        let mut file = TableFile::<ClusterRow>::create(unit, first_part::<ClusterRow>())?;
        let (mut number, mut current) = (0u32, None);
        for entry in sorter.finish()? {
            let [representative, _, page] = entry?;
            if current.replace(representative).is_some_and(|before| before != representative) {
                number += 1;
            }
            let at = degree.partition_point(|entry| entry[0] < page);
            let mirror_degree = degree.get(at).map_or(0, |entry| entry[1]);
            unit.kept(&format!("cluster-{}", self.clusters.membership(page, self.near)), 1);
            file.push(ClusterRow {
                cluster: number,
                size: sizes[representative as usize],
                mirror_degree,
                ..self.member(page)
            })?;
        }
        file.finish(unit)?;
        unit.kept("clusters", u64::from(number) + u64::from(current.is_some()));
        Ok(())
    }

    fn member(&self, page: u32) -> ClusterRow {
        let (pages, member) = (self.pages, self.clusters.clusters.members[page as usize]);
        let kind = self.clusters.membership(page, self.near);
        let compared = match kind {
            Membership::Near => self.settings.verify,
            other => matches!(other, Membership::Representative | Membership::Body | Membership::Text),
        };
        let representative = member.representative;
        ClusterRow {
            url: pages.url(page).to_owned(),
            url_key: Bytes16(pages.page(page).key),
            host: pages.host(page),
            representative: pages.url(representative).to_owned(),
            representative_key: Bytes16(pages.page(representative).key),
            representative_host: pages.host(representative),
            keep: member.joined == Joined::Representative,
            kind,
            resemblance: compared.then(|| six_digits(member.similarity)),
            distance: pages.distance(page, representative),
            earlier: pages.page(page).results > 0,
            warc_filename: pages.shard(page).to_owned(),
            warc_record_offset: pages.page(page).offset,
            ..ClusterRow::default()
        }
    }
}
