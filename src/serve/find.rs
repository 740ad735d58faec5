//! Captures of one URL: which is nearest to a time, and its surroundings.

use std::ops::ControlFlow;

use crate::index::query::seconds_of;
use crate::index::{CaptureSource, Entry, KeyRange, Timestamp};
use webmill_capture::Result;

/// How many captures around a time are kept: what replay tries where the nearest leads to itself.
const NEAREST: usize = 8;

/// Captures of a URL around a time.
#[derive(Debug, Default)]
pub struct Captures {
    /// All times, in order, each once.
    pub times: Vec<Timestamp>,
    /// The nearest to the time asked for, nearest first; equal distances in the order of the index.
    pub nearest: Vec<Entry<'static>>,
    /// Whether there are more captures than were looked at.
    pub cut: bool,
}

impl Captures {
    /// Looks at the captures of a key, at most `most` of them.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn of(index: &dyn CaptureSource, key: &str, around: Timestamp, most: usize) -> Result<Captures> {
        let mut found = Captures::default();
        let to = seconds_of(around);
        let mut distances: Vec<u64> = Vec::with_capacity(NEAREST + 1);
        let mut looked_at = 0;
        index.scan(&KeyRange::exact(key), &mut |entry| {
            if looked_at == most {
                found.cut = true;
                return ControlFlow::Break(());
            }
            looked_at += 1;
            if found.times.last() != Some(&entry.timestamp) {
                found.times.push(entry.timestamp);
            }
            let distance = seconds_of(entry.timestamp).abs_diff(to);
            let at = distances.partition_point(|of| *of <= distance);
            if at < NEAREST {
                distances.insert(at, distance);
                found.nearest.insert(at, entry.clone().into_owned());
                distances.truncate(NEAREST);
                found.nearest.truncate(NEAREST);
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// The times before and after another.
    pub fn around(&self, time: Timestamp) -> (Option<Timestamp>, Option<Timestamp>) {
        let at = self.times.partition_point(|t| *t < time);
        let after = self.times.partition_point(|t| *t <= time);
        (at.checked_sub(1).map(|at| self.times[at]), self.times.get(after).copied())
    }
}
