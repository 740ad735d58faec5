//! Sorted entries in memory.
//!
//! What is added becomes a *run*; runs of like size are merged, so that an entry is copied a logarithmic number of times
//! and a look-up asks few of them. A run never changes: readers keep those they began with.

use std::cmp::Ordering;
use std::sync::Arc;

use super::record::{self, Identity, Row};
use super::wire::{Fault, Wire};
use crate::Entry;

/// Runs of about one size that are let stand side by side.
const FAN: usize = 4;

/// Records one behind another, and where each begins.
#[derive(Debug, Default)]
pub(super) struct Run {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Run {
    /// Sorts records that stand one behind another; of equal ones the last counts.
    pub(super) fn of_records(bytes: Vec<u8>) -> Result<Self, Fault> {
        let mut wire = Wire::new(&bytes);
        let mut starts = Vec::new();
        while !wire.is_done() {
            starts.push(wire.at());
            record::get(&mut wire)?;
        }
        let order = |&a: &usize, &b: &usize| record::compare(&bytes[a..], &bytes[b..]);
        if !starts.is_sorted_by(|a, b| order(a, b) == Ordering::Less) {
            starts.sort_by(|a, b| order(a, b).then(b.cmp(a)));
            starts.dedup_by(|later, earlier| order(later, earlier) == Ordering::Equal);
        }
        Ok(Run { bytes, starts })
    }

    /// An empty run with room.
    pub(super) fn new() -> Self {
        Run::default()
    }

    /// Appends what comes after all that it holds.
    pub(super) fn push(&mut self, entry: &Entry<'_>, deleted: bool) {
        self.starts.push(self.bytes.len());
        record::put(&mut self.bytes, entry, deleted);
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }

    /// Its records, in the order they came.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Bytes of memory, about.
    pub(super) fn memory(&self) -> usize {
        self.bytes.len() + self.starts.len() * size_of::<usize>()
    }

    pub(super) fn row(&self, at: usize) -> Row<'_> {
        record::get(&mut Wire::new(&self.bytes[self.starts[at]..])).expect("checked when it was taken in")
    }

    pub(super) fn identity(&self, at: usize) -> Identity<'_> {
        record::identity(&mut Wire::new(&self.bytes[self.starts[at]..]))
            .expect("checked when it was taken in")
    }

    /// The first row whose key is not before `key`.
    pub(super) fn first_from(&self, key: &str) -> usize {
        self.starts.partition_point(|&start| {
            let urlkey = Wire::new(&self.bytes[start..]).text().expect("checked when it was taken in");
            urlkey < key
        })
    }

    /// The bytes of a record: to the next one in memory, of which no reader takes more than the record.
    fn record(&self, at: usize) -> &[u8] {
        let start = self.starts[at];
        let mut wire = Wire::new(&self.bytes[start..]);
        record::get(&mut wire).expect("checked when it was taken in");
        &self.bytes[start..start + wire.at()]
    }

    /// Runs from the oldest to the newest as one.
    pub(super) fn merge(runs: &[Arc<Run>]) -> Run {
        let mut out = Run {
            bytes: Vec::with_capacity(runs.iter().map(|run| run.bytes.len()).sum()),
            starts: Vec::with_capacity(runs.iter().map(|run| run.len()).sum()),
        };
        let mut at = vec![0; runs.len()];
        loop {
            // The least; of equal ones the last, and the others are passed over.
            let mut least: Option<(usize, Identity<'_>)> = None;
            for (i, run) in runs.iter().enumerate() {
                if at[i] == run.len() {
                    continue;
                }
                let identity = run.identity(at[i]);
                match least.map_or(Ordering::Less, |(_, least)| identity.cmp(&least)) {
                    Ordering::Less => least = Some((i, identity)),
                    Ordering::Equal => {
                        at[least.map_or(i, |(older, _)| older)] += 1;
                        least = Some((i, identity));
                    }
                    Ordering::Greater => {}
                }
            }
            let Some((i, _)) = least else { return out };
            out.starts.push(out.bytes.len());
            out.bytes.extend_from_slice(runs[i].record(at[i]));
            at[i] += 1;
        }
    }
}

/// Adds a run behind others, merging those of like size.
pub(super) fn push(runs: &mut Vec<Arc<Run>>, run: Run) {
    runs.push(Arc::new(run));
    loop {
        let size = runs.last().map_or(0, |run| run.memory());
        let alike = runs.iter().rev().take_while(|run| run.memory() <= size * FAN).count();
        if alike < FAN {
            return;
        }
        let from = runs.len() - alike;
        let merged = Run::merge(&runs[from..]);
        runs.truncate(from);
        runs.push(Arc::new(merged));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::store::record::tests::any_entry;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_hold_the_latest_of_each(
            batches in proptest::collection::vec(proptest::collection::vec((any_entry(), any::<bool>()), 1..8), 0..20),
        ) {
            let mut runs = Vec::new();
            let mut truth = BTreeMap::new();
            for batch in &batches {
                let mut bytes = Vec::new();
                for (entry, deleted) in batch {
                    record::put(&mut bytes, entry, *deleted);
                    truth.insert(Identity::of(entry), (entry, *deleted));
                }
                push(&mut runs, Run::of_records(bytes).unwrap());
            }
            prop_assert!(runs.len() <= 3 * 4, "{}", runs.len());
            let all = Run::merge(&runs);
            prop_assert_eq!(all.len(), truth.len());
            for (at, (identity, (entry, deleted))) in truth.iter().enumerate() {
                let row = all.row(at);
                prop_assert_eq!(&Identity::of(&row.entry), identity);
                prop_assert_eq!(row.deleted, *deleted);
                prop_assert!(*deleted || row.entry == **entry);
            }
            let from = all.first_from("com,b)");
            prop_assert!((0..from).all(|at| all.identity(at).urlkey < "com,b)"));
            prop_assert!((from..all.len()).all(|at| all.identity(at).urlkey >= "com,b)"));
        }
    }
}
