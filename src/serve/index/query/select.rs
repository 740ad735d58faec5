//! Rows that are chosen from all before the first is handed out: the last ones, or the nearest in time.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use webmill_capture::calendar::days_of_civil;

use super::{OriginalCapture, Row};
use crate::index::{Entry, Timestamp};

/// A row that outlives its walk.
#[derive(Debug, Clone)]
pub(super) struct KeptRow {
    entry: Entry<'static>,
    original: Option<OriginalCapture>,
    dupes: Option<u64>,
}

impl KeptRow {
    pub fn of(row: &Row<'_, '_>) -> KeptRow {
        KeptRow { entry: row.entry.clone().into_owned(), original: row.original.cloned(), dupes: row.dupes }
    }

    pub fn row(&self) -> Row<'_, 'static> {
        Row { entry: &self.entry, original: self.original.as_ref(), dupes: self.dupes }
    }
}

/// The last rows of a walk.
pub(super) struct Tail {
    most: usize,
    pub rows: VecDeque<KeptRow>,
    /// Whether rows were let go.
    pub overflowed: bool,
}

impl Tail {
    pub fn new(most: usize) -> Tail {
        Tail { most, rows: VecDeque::new(), overflowed: false }
    }

    pub fn push(&mut self, row: &Row<'_, '_>) {
        self.rows.push_back(KeptRow::of(row));
        if self.rows.len() > self.most {
            self.rows.pop_front();
            self.overflowed = true;
        }
    }
}

/// The rows nearest to a time; equal distances in the order of the walk.
pub(super) struct NearestRows {
    to: i64,
    most: usize,
    seen: u64,
    heap: BinaryHeap<DistantRow>,
    /// Whether rows were let go.
    pub overflowed: bool,
}

struct DistantRow {
    distance: (u64, u64),
    row: KeptRow,
}

impl PartialEq for DistantRow {
    fn eq(&self, other: &Self) -> bool {
        self.distance == other.distance
    }
}

impl Eq for DistantRow {}

impl PartialOrd for DistantRow {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DistantRow {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.cmp(&other.distance)
    }
}

impl NearestRows {
    pub fn new(to: Timestamp, most: usize) -> NearestRows {
        NearestRows { to: seconds_of(to), most, seen: 0, heap: BinaryHeap::new(), overflowed: false }
    }

    pub fn push(&mut self, row: &Row<'_, '_>) {
        let distance = (seconds_of(row.entry.timestamp).abs_diff(self.to), self.seen);
        self.seen += 1;
        if self.heap.len() >= self.most {
            self.overflowed = true;
            if self.heap.peek().is_none_or(|farthest| farthest.distance <= distance) {
                return;
            }
            self.heap.pop();
        }
        self.heap.push(DistantRow { distance, row: KeptRow::of(row) });
    }

    pub fn into_rows(self) -> Vec<KeptRow> {
        self.heap.into_sorted_vec().into_iter().map(|distant| distant.row).collect()
    }
}

/// Seconds since 1970 of fourteen digits. Days and months that do not exist (other tools write them) count on from those
/// that do.
pub fn seconds_of(timestamp: Timestamp) -> i64 {
    let t = timestamp.0.min(99_991_231_235_959) as i64;
    let (year, month, day) = (t / 10_000_000_000, t / 100_000_000 % 100, t / 1_000_000 % 100);
    let month = month.clamp(1, 12);
    let days = days_of_civil(year, month as u32, 1).unwrap_or_default() + day.max(1) - 1;
    days * 86_400 + t / 10_000 % 100 * 3600 + t / 100 % 100 * 60 + t % 100
}
