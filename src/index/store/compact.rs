//! Runs and segments become one segment.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use webmill_capture::{Error, Result};

use super::anchors::{Anchor, Anchors, is_anchor};
use super::merge::{Merge, Source};
use super::model::Model;
use super::names::Names;
use super::run::Run;
use super::seconds;
use super::segment::{Segment, SegmentWriter};
use crate::KeyRange;

/// Stretches of neighbours that a model is learned from, at most.
const SAMPLES: usize = 640;
/// Rows of each.
const SAMPLE_ROWS: usize = 256;
/// Bytes of a sample at most.
const SAMPLE_BYTES: usize = 32 << 20;

/// Anchors by the name of their shard.
pub(super) type NamedAnchors = Vec<(i64, String, u64)>;

/// Names numbered by their first second, so that shards that follow one another do so in number.
fn number(anchors: NamedAnchors) -> Result<(Anchors, Names)> {
    let mut first: std::collections::BTreeMap<&str, i64> = std::collections::BTreeMap::new();
    for (seconds, name, _) in &anchors {
        let at = first.entry(name).or_insert(*seconds);
        *at = (*at).min(*seconds);
    }
    let mut order: Vec<(i64, &str)> = first.into_iter().map(|(name, seconds)| (seconds, name)).collect();
    order.sort_unstable();
    let limit = |fault: &str| Error::Limit(fault.to_owned());
    let mut names = Names::default();
    for (_, name) in order {
        names.id(name).map_err(limit)?;
    }
    let mut numbered = Vec::with_capacity(anchors.len());
    for (seconds, name, offset) in &anchors {
        numbered.push(Anchor { file: names.id(name).map_err(limit)?, offset: *offset, seconds: *seconds });
    }
    Ok((Anchors::new(numbered), names))
}

/// The anchors of segments.
fn anchors_of(segments: &[Arc<Segment>]) -> NamedAnchors {
    let of = |segment: &Segment| -> NamedAnchors {
        let name = |anchor: Anchor| {
            let name = segment.shared.names.get(anchor.file).expect("checked when it was opened");
            (anchor.seconds, name.to_owned(), anchor.offset)
        };
        segment.shared.model.anchors.iter().map(name).collect()
    };
    segments.iter().flat_map(|segment| of(segment)).collect()
}

/// Writes a run, which it learns from.
pub(super) fn write_run(run: &Arc<Run>, path: &Path, level: i32, marks: bool) -> Result<u64> {
    let mut anchors = Vec::new();
    for at in 0..run.len() {
        let identity = run.identity(at);
        if let Some(seconds) = seconds::of_timestamp(identity.timestamp)
            && is_anchor(identity.filename, identity.offset)
        {
            anchors.push((seconds, identity.filename.to_owned(), identity.offset));
        }
    }
    let (anchors, mut names) = number(anchors)?;
    let stretches = run.len().div_ceil(SAMPLE_ROWS);
    let mut sample = Vec::new();
    for nth in (0..stretches).step_by(stretches.div_ceil(SAMPLES / 4).max(1)) {
        let mut part = Run::new();
        for at in nth * SAMPLE_ROWS..((nth + 1) * SAMPLE_ROWS).min(run.len()) {
            let row = run.row(at);
            part.push(&row.entry, row.deleted);
        }
        sample.push(part);
    }
    let model = Model::learn(&sample, anchors, &mut names);
    let mut writer = SegmentWriter::create(path, model, names, level)?;
    let mut rows = 0;
    for at in 0..run.len() {
        let row = run.row(at);
        if marks || !row.deleted {
            writer.push(&row.entry, row.deleted)?;
            rows += 1;
        }
    }
    if rows > 0 {
        writer.finish()?;
    }
    Ok(rows)
}

fn merge_of(segments: &[Arc<Segment>], range: &KeyRange) -> Result<Merge> {
    let mut sources = Vec::new();
    for segment in segments {
        sources.extend(Source::of_segment(Arc::clone(segment), range)?);
    }
    Ok(Merge::new(sources, false))
}

/// Stretches of what the segments are merged, evenly over the largest.
fn sample(segments: &[Arc<Segment>]) -> Result<Vec<Run>> {
    let mut sample = Vec::new();
    let Some(largest) = segments.iter().max_by_key(|segment| segment.blocks()) else { return Ok(sample) };
    let mut bytes = 0;
    for block in (0..largest.blocks()).step_by(largest.blocks().div_ceil(SAMPLES).max(1)) {
        let from = largest.key_near(block);
        let mut merge = merge_of(segments, &KeyRange { from, to: None })?;
        let mut part = Run::new();
        while part.len() < SAMPLE_ROWS && bytes + part.memory() < SAMPLE_BYTES && merge.advance()? {
            let row = merge.row();
            part.push(&row.entry, row.deleted);
        }
        bytes += part.memory();
        sample.push(part);
    }
    Ok(sample)
}

/// Merges segments, from the oldest to the newest, into one; gives its rows: with none there is no file. `marks`:
/// whether marks of deletion are kept, because older segments may hold what they delete. `further`: anchors that the
/// segments do not have.
pub(super) fn merge_segments(
    segments: &[Arc<Segment>],
    further: NamedAnchors,
    path: &Path,
    level: i32,
    marks: bool,
    stop: &AtomicBool,
) -> Result<u64> {
    let mut anchors = anchors_of(segments);
    anchors.extend(further);
    let (anchors, mut names) = number(anchors)?;
    let model = Model::learn(&sample(segments)?, anchors, &mut names);
    let mut writer = SegmentWriter::create(path, model, names, level)?;
    let mut merge = merge_of(segments, &KeyRange::default())?;
    let mut rows = 0u64;
    while merge.advance()? {
        let row = merge.row();
        if marks || !row.deleted {
            writer.push(&row.entry, row.deleted)?;
            rows += 1;
            if rows.is_multiple_of(4096) && stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
        }
    }
    if rows > 0 {
        writer.finish()?;
    }
    Ok(rows)
}
