//! Many sorted parts read as one, forwards or backwards.
//!
//! Of equal entries that of the newest part counts. The parts stand in the order of their heads; the one in front is
//! mostly in front again after it has moved, so that a step costs one comparison.

use std::cmp::Ordering;
use std::sync::Arc;

use webmill_capture::Result;

use super::reader::Lent;
use super::record::{Identity, Row};
use super::run::Run;
use super::segment::Segment;
use crate::KeyRange;

/// A sorted part, read in one direction.
pub(super) enum Source {
    Segment {
        segment: Arc<Segment>,
        reader: Lent,
        block: usize,
        to: Option<String>,
    },
    SegmentBack {
        segment: Arc<Segment>,
        reader: Lent,
        rows: Run,
        left: usize,
        block: usize,
        first: usize,
        range: KeyRange,
    },
    Run {
        run: Arc<Run>,
        at: usize,
        end: usize,
    },
    RunBack {
        run: Arc<Run>,
        from: usize,
        end: usize,
    },
}

impl Source {
    /// A segment from the first key of `range`; `None` where it has none.
    pub(super) fn of_segment(segment: Arc<Segment>, range: &KeyRange) -> Result<Option<Self>> {
        let mut reader = Lent::default();
        let end = segment.end_block(range.to.as_deref());
        for block in segment.first_block(&range.from)..end {
            let fault = |fault| segment.fault(block, fault);
            let bytes = segment.block(block)?;
            reader.open(bytes, &segment.shared).map_err(fault)?;
            while reader.next_key(bytes, &segment.shared).map_err(fault)? {
                if reader.key() < range.from.as_str() {
                    continue;
                }
                if !range.contains(reader.key()) {
                    return Ok(None);
                }
                reader.read_values(bytes, &segment.shared).map_err(fault)?;
                return Ok(Some(Source::Segment { segment, reader, block, to: range.to.clone() }));
            }
        }
        Ok(None)
    }

    /// A segment from the last key of `range`.
    pub(super) fn of_segment_back(segment: Arc<Segment>, range: &KeyRange) -> Result<Option<Self>> {
        let (first, block) = (segment.first_block(&range.from), segment.end_block(range.to.as_deref()));
        let reader = Lent::default();
        let range = range.clone();
        let mut source =
            Source::SegmentBack { segment, reader, rows: Run::new(), left: 0, block, first, range };
        Ok(source.advance()?.then_some(source))
    }

    /// A run within `range`.
    pub(super) fn of_run(run: Arc<Run>, range: &KeyRange, back: bool) -> Option<Self> {
        let at = run.first_from(&range.from);
        let end = range.to.as_deref().map_or(run.len(), |to| run.first_from(to));
        match (at < end, back) {
            (false, _) => None,
            (true, false) => Some(Source::Run { run, at, end }),
            (true, true) => Some(Source::RunBack { run, from: at, end }),
        }
    }

    /// Goes to the next row; whether there is one.
    fn advance(&mut self) -> Result<bool> {
        match self {
            Source::Run { at, end, .. } => {
                *at += 1;
                Ok(*at < *end)
            }
            Source::RunBack { from, end, .. } => {
                *end -= 1;
                Ok(*from < *end)
            }
            Source::Segment { segment, reader, block, to } => loop {
                let bytes = segment.checked_block(*block);
                let fault = |fault| segment.fault(*block, fault);
                if reader.next_key(bytes, &segment.shared).map_err(fault)? {
                    if to.as_deref().is_some_and(|to| reader.key() >= to) {
                        return Ok(false);
                    }
                    reader.read_values(bytes, &segment.shared).map_err(fault)?;
                    return Ok(true);
                }
                *block += 1;
                if *block == segment.blocks() {
                    return Ok(false);
                }
                let fault = |fault| segment.fault(*block, fault);
                reader.open(segment.block(*block)?, &segment.shared).map_err(fault)?;
            },
            Source::SegmentBack { segment, reader, rows, left, block, first, range } => {
                *left = left.saturating_sub(1);
                loop {
                    while *left > 0 {
                        let key = rows.identity(*left - 1).urlkey;
                        if key < range.from.as_str() {
                            return Ok(false);
                        }
                        if range.contains(key) {
                            return Ok(true);
                        }
                        *left -= 1;
                    }
                    if *block <= *first {
                        return Ok(false);
                    }
                    *block -= 1;
                    rows.clear();
                    segment.read_block(*block, reader, rows)?;
                    *left = rows.len();
                }
            }
        }
    }

    fn identity(&self) -> Identity<'_> {
        match self {
            Source::Run { run, at, .. } => run.identity(*at),
            Source::RunBack { run, end, .. } => run.identity(*end - 1),
            Source::Segment { segment, reader, .. } => reader.identity(&segment.shared),
            Source::SegmentBack { rows, left, .. } => rows.identity(*left - 1),
        }
    }

    fn row(&self) -> Row<'_> {
        match self {
            Source::Run { run, at, .. } => run.row(*at),
            Source::RunBack { run, end, .. } => run.row(*end - 1),
            Source::Segment { segment, reader, .. } => reader.row(&segment.shared),
            Source::SegmentBack { rows, left, .. } => rows.row(*left - 1),
        }
    }
}

/// Sources as one.
pub(super) struct Merge {
    /// From the oldest to the newest.
    sources: Vec<Source>,
    /// Those that have a head, by their heads; of equal ones the newest first.
    order: Vec<usize>,
    back: bool,
    started: bool,
}

impl Merge {
    /// Of sources from the oldest to the newest, all in one direction.
    pub(super) fn new(sources: Vec<Source>, back: bool) -> Self {
        let mut merge = Merge { order: (0..sources.len()).collect(), sources, back, started: false };
        let mut order = std::mem::take(&mut merge.order);
        order.sort_by(|&a, &b| merge.compare(a, b));
        merge.order = order;
        merge
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let order = self.sources[a].identity().cmp(&self.sources[b].identity());
        let order = if self.back { order.reverse() } else { order };
        order.then(b.cmp(&a))
    }

    /// Moves the source at `place` of the order one row on and puts it where it then belongs.
    fn step(&mut self, place: usize) -> Result<()> {
        let source = self.order[place];
        if !self.sources[source].advance()? {
            self.order.remove(place);
            return Ok(());
        }
        let mut at = place;
        while at + 1 < self.order.len() && self.compare(source, self.order[at + 1]) == Ordering::Greater {
            self.order[at] = self.order[at + 1];
            at += 1;
        }
        self.order[at] = source;
        Ok(())
    }

    /// Goes to the next entry or mark; whether there is one.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if self.started && !self.order.is_empty() {
            self.step(0)?;
        }
        self.started = true;
        // What older parts say of the same capture does not count.
        while let [first, second, ..] = self.order[..]
            && self.sources[first].identity() == self.sources[second].identity()
        {
            self.step(1)?;
        }
        Ok(!self.order.is_empty())
    }

    /// The current row.
    pub(super) fn row(&self) -> Row<'_> {
        self.sources[self.order[0]].row()
    }
}
