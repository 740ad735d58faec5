//! Mirror degree of a page: how many members of its cluster lie on other registrable domains.
//!
//! **Definition.** For a page p of cluster C on registrable domain d: |C| − |members of C on d|.
//!
//! **Algorithm.** Members are sorted by (cluster, domain) and mapped, so that a cluster of any size costs no memory; answers are
//! sorted by page.
//!
//! **Cost.** The budget given; on disk 48 bytes a page at most, and 16 for the answer.
//!
//! **Determinism.** A function of the set of members; answers come in the order of pages.

use webmill_capture::domain::registrable;
use webmill_capture::error::Result;
use webmill_sort::{Budget, Sorter};
use xxhash_rust::xxh3::xxh3_64;

/// Counts mirror degrees; members are [`push`](Self::push)ed in any order.
///
/// # Examples
/// ```
/// use webmill_dedup::MirrorDegrees;
/// use webmill_sort::Budget;
/// let mut degrees = MirrorDegrees::new(&Budget::new(1 << 20));
/// for (page, host) in ["a.org", "www.a.org", "b.net", "c.com"].iter().enumerate() {
///     degrees.push(page as u32, 7, host)?;
/// }
/// let mut found = Vec::new();
/// degrees.finish(|page, degree| Ok(found.push((page, degree))))?;
/// assert_eq!(found, [(0, 2), (1, 2), (2, 3), (3, 3)]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct MirrorDegrees {
    budget: Budget,
    /// (cluster, domain, page)
    members: Sorter<[u64; 3]>,
}

impl MirrorDegrees {
    /// No members yet, within `budget`.
    pub fn new(budget: &Budget) -> Self {
        let share = budget.share(2);
        MirrorDegrees { members: Sorter::new(&share), budget: share }
    }

    /// Takes a page, the number of its cluster and its canonical host. Each page once.
    ///
    /// # Errors
    /// `Io` where a run cannot be written.
    pub fn push(&mut self, page: u32, cluster: u64, host: &str) -> Result<()> {
        self.members.push([cluster, xxh3_64(registrable(host).as_bytes()), u64::from(page)])
    }

    /// Gives `emit` every page and its degree, in the order of pages.
    ///
    /// # Errors
    /// `Io` for temporary files; the first error of `emit`, which ends the count.
    pub fn finish(self, mut emit: impl FnMut(u32, u64) -> Result<()>) -> Result<()> {
        let members = self.members.mapped()?;
        let mut answers = Sorter::new(&self.budget);
        for cluster in members.chunk_by(|a, b| a[0] == b[0]) {
            for domain in cluster.chunk_by(|a, b| a[1] == b[1]) {
                let degree = (cluster.len() - domain.len()) as u64;
                answers.extend(domain.iter().map(|[_, _, page]| [*page, degree]))?;
            }
        }
        for answer in answers.finish()? {
            let [page, degree] = answer?;
            emit(page as u32, degree)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn degrees(members: &[(u64, &str)], memory: usize) -> Vec<(u32, u64)> {
        let mut counts = MirrorDegrees::new(&Budget::new(memory));
        for (page, (cluster, host)) in members.iter().enumerate().rev() {
            counts.push(page as u32, *cluster, host).expect("the disk takes it");
        }
        let mut found = Vec::new();
        let take = |page, degree| {
            found.push((page, degree));
            Ok(())
        };
        counts.finish(take).expect("the disk takes it");
        found
    }

    #[test]
    fn copies_on_one_domain_do_not_count() {
        assert_eq!(
            degrees(&[(1, "a.org"), (1, "de.a.org"), (2, "a.org")], 1 << 20),
            [(0, 0), (1, 0), (2, 0)]
        );
        // Names below a private suffix are other owners.
        assert_eq!(degrees(&[(1, "x.github.io"), (1, "y.github.io")], 1 << 20), [(0, 1), (1, 1)]);
        assert_eq!(degrees(&[], 1 << 20), []);
    }

    #[test]
    fn a_cluster_of_any_size_takes_no_memory() {
        let members: Vec<(u64, &str)> = (0..50_000).map(|i| (9, ["a.org", "b.net"][i % 2])).collect();
        let found = degrees(&members, 64 << 10);
        assert!(found.iter().enumerate().all(|(i, &(page, degree))| page as usize == i && degree == 25_000));
    }

    proptest! {
        #[test]
        fn degrees_are_what_the_definition_says(
            members in prop::collection::vec((0u64..4, prop::sample::select(vec!["a.org", "www.a.org", "b.net", "c.com", "1.2.3.4"])), 0..60),
        ) {
            let expected: Vec<(u32, u64)> = members.iter().enumerate().map(|(page, (cluster, host))| {
                let others = members.iter().filter(|(of, on)| of == cluster && registrable(on) != registrable(host));
                (page as u32, others.count() as u64)
            }).collect();
            prop_assert_eq!(degrees(&members, 1 << 12), expected);
        }
    }
}
