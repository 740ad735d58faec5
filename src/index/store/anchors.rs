//! Where in which shard a record of a given second lies, about.
//!
//! Shards are written in the order of time, so the time of a capture says much of its place. One record of
//! [`SPACING`], chosen by a hash of its place (equal whatever segments it passes through), is an *anchor*: second,
//! shard, offset. Between two anchors of a shard the offset is taken to grow evenly. What is stored of an entry is how
//! far it lies from there. Where time does not follow place the distance is large, and nothing worse.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::wire::{Fault, Wire, put_number, unzigzag, zigzag};

/// Records for each anchor.
const SPACING: u64 = 192;

/// A second, and an offset in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Anchor {
    pub(super) file: u32,
    pub(super) offset: u64,
    pub(super) seconds: i64,
}

/// Whether the record at a place is an anchor.
pub(super) fn is_anchor(filename: &str, offset: u64) -> bool {
    xxh3_64_with_seed(filename.as_bytes(), offset).is_multiple_of(SPACING)
}

/// All anchors of a segment.
#[derive(Debug, Clone, Default)]
pub(super) struct Anchors {
    /// By shard, and in it by offset, the seconds ascending.
    seconds: Vec<i64>,
    offsets: Vec<u64>,
    /// For each shard its anchors.
    spans: Vec<(u32, u32)>,
    /// First second of each shard that has anchors, ascending.
    starts: Vec<(i64, u32)>,
}

impl Anchors {
    pub(super) fn new(mut all: Vec<Anchor>) -> Self {
        all.sort_unstable();
        let mut anchors = Anchors::default();
        let mut i = 0;
        while let Some(&first) = all.get(i) {
            let from = anchors.seconds.len() as u32;
            // The longest that ascends would be best; the first that does is good where time follows place.
            let mut latest = i64::MIN;
            while let Some(anchor) = all.get(i).filter(|anchor| anchor.file == first.file) {
                if anchor.seconds >= latest {
                    latest = anchor.seconds;
                    anchors.seconds.push(anchor.seconds);
                    anchors.offsets.push(anchor.offset);
                }
                i += 1;
            }
            let file = first.file as usize;
            if anchors.spans.len() <= file {
                anchors.spans.resize(file + 1, (0, 0));
            }
            anchors.spans[file] = (from, anchors.seconds.len() as u32);
            anchors.starts.push((first.seconds, first.file));
        }
        anchors.starts.sort_unstable();
        anchors
    }

    /// The anchors one by one.
    pub(super) fn iter(&self) -> impl Iterator<Item = Anchor> {
        self.spans.iter().enumerate().flat_map(move |(file, &(from, to))| {
            (from as usize..to as usize).map(move |i| Anchor {
                file: file as u32,
                offset: self.offsets[i],
                seconds: self.seconds[i],
            })
        })
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.seconds.len() * 16 + self.spans.len() * 8 + self.starts.len() * 16
    }

    /// The shard that was being written in a second.
    pub(super) fn file(&self, seconds: i64) -> Option<u32> {
        let after = self.starts.partition_point(|start| start.0 <= seconds);
        self.starts.get(after.saturating_sub(1)).map(|start| start.1)
    }

    /// About where it was written then.
    pub(super) fn offset(&self, file: u32, seconds: i64) -> u64 {
        let &(from, to) = self.spans.get(file as usize).unwrap_or(&(0, 0));
        let (seconds_of, offsets) =
            (&self.seconds[from as usize..to as usize], &self.offsets[from as usize..to as usize]);
        let after = seconds_of.partition_point(|&at| at <= seconds);
        let (Some(before), Some(&next)) = (after.checked_sub(1), offsets.get(after)) else {
            // Before the first or after the last: there.
            return if after == 0 { 0 } else { offsets[after - 1] };
        };
        let span = (seconds_of[after] - seconds_of[before]) as u128;
        // The middle of the second.
        let within = (seconds - seconds_of[before]) as u128 * 2 + 1;
        let grown = u128::from(next - offsets[before]) * within / (span * 2);
        offsets[before].saturating_add(grown as u64)
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_number(out, self.spans.len() as u64);
        for &(from, to) in &self.spans {
            put_number(out, u64::from(to - from));
            let (mut seconds, mut offset) = (0, 0);
            for i in from as usize..to as usize {
                put_number(out, zigzag(self.seconds[i] - seconds));
                put_number(out, self.offsets[i] - offset);
                (seconds, offset) = (self.seconds[i], self.offsets[i]);
            }
        }
    }

    pub(super) fn get(wire: &mut Wire<'_>, files: usize) -> Result<Self, Fault> {
        let mut all = Vec::new();
        let count = wire.count(files)?;
        for file in 0..count as u32 {
            let mut anchor = Anchor { file, offset: 0, seconds: 0 };
            for _ in 0..wire.count(u32::MAX as usize)? {
                let seconds = anchor.seconds.checked_add(unzigzag(wire.number()?));
                anchor.seconds =
                    seconds.filter(|seconds| (0..1 << 40).contains(seconds)).ok_or("an anchor of no time")?;
                anchor.offset =
                    anchor.offset.checked_add(wire.number()?).ok_or("an anchor past all bounds")?;
                all.push(anchor);
            }
        }
        Ok(Self::new(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_between_their_anchors() {
        let anchor = |file, offset, seconds| Anchor { file, offset, seconds };
        let anchors = Anchors::new(vec![
            anchor(1, 0, 200),
            anchor(0, 0, 100),
            anchor(0, 1000, 110),
            anchor(0, 1500, 105),
            anchor(0, 2000, 120),
            anchor(3, 70, 150),
        ]);
        let of = |anchors: &Anchors| {
            [90, 100, 105, 119, 120, 151, 300].map(|seconds| {
                let file = anchors.file(seconds).unwrap();
                (file, anchors.offset(file, seconds))
            })
        };
        let want = [(0, 0), (0, 50), (0, 550), (0, 1950), (0, 2000), (3, 70), (1, 0)];
        assert_eq!(of(&anchors), want);
        assert_eq!((anchors.offset(2, 5), anchors.offset(9, 5)), (0, 0));
        let mut bytes = Vec::new();
        anchors.put(&mut bytes);
        assert_eq!(of(&Anchors::get(&mut Wire::new(&bytes), 4).unwrap()), want);
        assert!(Anchors::get(&mut Wire::new(&bytes), 3).is_err());
        assert_eq!(Anchors::default().file(7), None);
        assert_eq!(anchors.iter().count(), 5);
    }
}
