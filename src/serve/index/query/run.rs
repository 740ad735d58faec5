//! The walk: which entries become rows, and in which order.

use std::ops::ControlFlow;

use webmill_capture::{CanonicalUrl, Result};

use super::collapse::Collapsing;
use super::page::{Page, Pages};
use super::revisit::SeenContents;
use super::select::{NearestRows, Tail};
use super::{Query, ResumeKey, Row, SortOrder, Visit};
use crate::index::{CaptureSource, Entry, KeyRange};

/// Most rows that are kept in memory where the last or nearest are asked for.
pub(super) const MAX_KEPT: u64 = 20_000;

/// Why an answer ended before its query did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyEnd {
    /// The most rows that an answer may have.
    Rows,
    /// The most lines that may be looked at.
    Scanned,
    /// Whoever took the rows had enough.
    Stopped,
}

/// How an answer ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryEnd {
    /// Rows handed out.
    pub rows: u64,
    /// Lines of the index looked at, but for those up to a resume key.
    pub scanned: u64,
    /// Where to go on, where that was asked for and there is more.
    pub resume_key: Option<ResumeKey>,
    /// What ended it early. A limit that the client set does not.
    pub cut: Option<EarlyEnd>,
    /// The page asked for lies behind the last one: how many there are.
    pub past_last_page: Option<Pages>,
}

pub(super) fn run(query: &Query, source: &dyn CaptureSource, visit: Visit<'_>) -> Result<QueryEnd> {
    let looks_back = query.resolve_revisits || query.show_dupe_count || !query.collapse.is_empty();
    let free = !looks_back && query.page.is_none();
    let walk = Walk::new(query, looks_back);
    match (query.sort, query.last) {
        (SortOrder::Index, false) => in_order(walk, source, false, visit),
        (SortOrder::Reverse, false) if free => in_order(walk, source, true, visit),
        (SortOrder::Index, true) if free => last_backwards(walk, source, visit),
        (SortOrder::Index, true) => last(walk, source, false, visit),
        (SortOrder::Reverse, false) => last(walk, source, true, visit),
        (SortOrder::Reverse, true) => first_reversed(walk, source, visit),
        (SortOrder::Closest(_), _) => nearest(walk, source, visit),
    }
}

/// The steps that every line passes.
struct Walk<'q> {
    query: &'q Query,
    looks_back: bool,
    seen: SeenContents,
    collapsing: Collapsing,
    page: Option<Page>,
    /// Lines looked at up to the resume key, for what was known there.
    recalled: u64,
    end: QueryEnd,
}

/// What the steps say of a line.
enum Step<'s> {
    /// No row.
    Not,
    /// A row, with what its walk knows of it.
    Row(Option<&'s super::OriginalCapture>, Option<u64>),
    /// The walk is over.
    End,
}

impl<'q> Walk<'q> {
    fn new(query: &'q Query, looks_back: bool) -> Walk<'q> {
        Walk {
            query,
            looks_back,
            seen: SeenContents::default(),
            collapsing: Collapsing::default(),
            page: Page::of(query),
            recalled: 0,
            end: QueryEnd::default(),
        }
    }

    fn step(&mut self, entry: &Entry<'_>) -> Step<'_> {
        let query = self.query;
        let resume = query.resume.as_ref().filter(|_| self.page.is_none());
        if let Some(resume) = resume.filter(|resume| !resume.before(entry)) {
            // They have a limit of their own: else an answer might end before it is where the last one ended.
            if self.recalled >= query.limits.max_scanned {
                self.end.cut = Some(EarlyEnd::Scanned);
                self.end.resume_key = Some(resume.clone());
                return Step::End;
            }
            self.recalled += 1;
        } else {
            if self.end.scanned >= query.limits.max_scanned {
                self.end.cut = Some(EarlyEnd::Scanned);
                return Step::End;
            }
            self.end.scanned += 1;
        }
        let line = self.end.scanned.saturating_sub(1);
        if let Some(page) = self.page {
            if line < page.first {
                return Step::Not;
            }
            if line - page.first >= page.lines {
                return Step::End;
            }
        }
        if self.end.scanned == query.limits.max_scanned && query.show_resume_key {
            self.end.resume_key = Some(ResumeKey::of(entry));
        }
        if self.looks_back {
            self.seen.note(entry);
        }
        let original = if query.resolve_revisits || query.show_dupe_count {
            self.seen.original(entry).cloned()
        } else {
            None
        };
        if !holds(query, &Row { entry, original: original.as_ref(), dupes: None }) {
            return Step::Not;
        }
        let dupes = query.show_dupe_count.then(|| self.seen.count(entry));
        let row = Row { entry, original: original.as_ref(), dupes };
        if !self.collapsing.passes(&query.collapse, &row) {
            return Step::Not;
        }
        if query.resume.as_ref().is_some_and(|resume| !resume.before(entry)) {
            return Step::Not;
        }
        let original = if original.is_some() { self.seen.original(entry) } else { None };
        Step::Row(original, dupes)
    }

    /// The keys to walk over: after a resume key, from the start of its own, or where rows collapse from the start of the key that has the
    /// row before: a run of rows that are one may go on over keys.
    fn range(&self, source: &dyn CaptureSource) -> Result<KeyRange> {
        let query = self.query;
        let mut range = query.range.clone();
        let Some(resume) =
            query.resume.as_ref().filter(|resume| self.page.is_none() && resume.urlkey > range.from)
        else {
            return Ok(range);
        };
        let before = KeyRange { from: std::mem::take(&mut range.from), to: Some(resume.urlkey.clone()) };
        range.from.clone_from(&resume.urlkey);
        if !query.collapse.is_empty() {
            let mut left = query.limits.max_scanned;
            source.scan_back(&before, &mut |entry| {
                left = left.saturating_sub(1);
                if holds(query, &Row { entry, original: None, dupes: None }) {
                    range.from = entry.urlkey.to_string();
                    return ControlFlow::Break(());
                }
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
        }
        Ok(range)
    }

    /// Walks, and hands every row on.
    fn walk(
        &mut self,
        source: &dyn CaptureSource,
        backwards: bool,
        take: &mut dyn FnMut(&Row<'_, '_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let range = self.range(source)?;
        let mut visit = |entry: &Entry<'_>| match self.step(entry) {
            Step::Not => ControlFlow::Continue(()),
            Step::End => ControlFlow::Break(()),
            Step::Row(original, dupes) => take(&Row { entry, original, dupes }),
        };
        if backwards {
            source.scan_back(&range, &mut visit)?
        } else {
            source.scan(&range, &mut visit)?
        }
        if let Some(page) = self.page
            && page.first > 0
            && self.end.cut.is_none()
            && self.end.scanned <= page.first
        {
            self.end.past_last_page = Some(Pages::of(self.end.scanned, self.query.page_size));
        }
        Ok(())
    }

    /// Hands chosen rows out.
    fn hand_out<'k>(
        mut self,
        rows: impl Iterator<Item = &'k super::select::KeptRow>,
        cut: bool,
        visit: Visit<'_>,
    ) -> QueryEnd {
        for row in rows {
            self.end.rows += 1;
            if visit(&row.row()).is_break() {
                self.end.cut = Some(EarlyEnd::Stopped);
                return self.end;
            }
        }
        if cut && self.end.cut.is_none() {
            self.end.cut = Some(EarlyEnd::Rows);
        }
        self.end
    }
}

/// Whether times, filters and redirects let a row stay.
fn holds(query: &Query, row: &Row<'_, '_>) -> bool {
    let time = row.entry.timestamp;
    query.from.is_none_or(|from| from <= time)
        && query.to.is_none_or(|to| time <= to)
        && query.filters.iter().all(|filter| filter.holds(row))
        && !(query.omit_self_redirects && is_self_redirect(query, row.entry))
}

/// Whether it redirects to a URL of its own key (http to https, a slash more).
fn is_self_redirect(query: &Query, entry: &Entry<'_>) -> bool {
    if !matches!(entry.status, Some(300..=399)) || entry.redirect.is_empty() {
        return false;
    }
    let target = CanonicalUrl::parse(&entry.url).and_then(|url| url.join(&entry.redirect));
    target.is_some_and(|target| (query.key)(target.as_str()) == *entry.urlkey)
}

/// Rows as the walk finds them.
fn in_order(
    mut walk: Walk<'_>,
    source: &dyn CaptureSource,
    backwards: bool,
    visit: Visit<'_>,
) -> Result<QueryEnd> {
    let query = walk.query;
    let (most, by_client) = (query.most_rows(), query.limit.is_some_and(|n| n <= query.limits.max_rows));
    let (mut passed, mut rows, mut cut, mut resume) = (0, 0, None, None);
    let mut take = |row: &Row<'_, '_>| {
        if passed < query.offset {
            passed += 1;
            return ControlFlow::Continue(());
        }
        if rows == most {
            // One more than there may be: the answer is not all of it.
            cut = (!by_client).then_some(EarlyEnd::Rows);
            return ControlFlow::Break(());
        }
        rows += 1;
        if rows == most && query.show_resume_key {
            resume = Some(ResumeKey::of(row.entry));
        }
        if visit(row).is_break() {
            cut = Some(EarlyEnd::Stopped);
            return ControlFlow::Break(());
        }
        let enough = rows == most && by_client && !query.show_resume_key;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // Whether a further row was met tells whether there is more.
    let mut more = false;
    let mut counted = |row: &Row<'_, '_>| {
        let flow = take(row);
        more = flow.is_break();
        flow
    };
    walk.walk(source, backwards, &mut counted)?;
    let scanned_out = walk.end.cut == Some(EarlyEnd::Scanned);
    walk.end.rows = rows;
    walk.end.cut = cut.or(walk.end.cut);
    walk.end.resume_key = match (more, scanned_out) {
        (true, _) => resume,
        (false, true) => walk.end.resume_key,
        (false, false) => None,
    };
    Ok(walk.end)
}

/// The last rows in the order of the index, by a walk backwards.
fn last_backwards(mut walk: Walk<'_>, source: &dyn CaptureSource, visit: Visit<'_>) -> Result<QueryEnd> {
    let (offset, most) = bounds(walk.query);
    let mut rows = Vec::new();
    let mut passed = 0;
    walk.walk(source, true, &mut |row| {
        if passed < offset {
            passed += 1;
            return ControlFlow::Continue(());
        }
        rows.push(super::select::KeptRow::of(row));
        if rows.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let cut = walk.query.limit.is_none_or(|limit| limit > most as u64) && rows.len() == most;
    Ok(walk.hand_out(rows.iter().rev(), cut, visit))
}

/// The last rows by a walk forwards, which steps that look back need.
fn last(
    mut walk: Walk<'_>,
    source: &dyn CaptureSource,
    reversed: bool,
    visit: Visit<'_>,
) -> Result<QueryEnd> {
    let (offset, most) = bounds(walk.query);
    let mut tail = Tail::new(most.saturating_add(offset));
    walk.walk(source, false, &mut |row| {
        tail.push(row);
        ControlFlow::Continue(())
    })?;
    let kept = tail.rows.len().saturating_sub(offset);
    let from = kept.saturating_sub(most);
    let cut = tail.overflowed && walk.query.limit.is_none_or(|limit| limit > most as u64);
    let rows = tail.rows.range(from..kept);
    Ok(if reversed { walk.hand_out(rows.rev(), cut, visit) } else { walk.hand_out(rows, cut, visit) })
}

/// The first rows, backwards.
fn first_reversed(mut walk: Walk<'_>, source: &dyn CaptureSource, visit: Visit<'_>) -> Result<QueryEnd> {
    let (offset, most) = bounds(walk.query);
    let (mut rows, mut passed) = (Vec::new(), 0);
    walk.walk(source, false, &mut |row| {
        if passed < offset {
            passed += 1;
            return ControlFlow::Continue(());
        }
        rows.push(super::select::KeptRow::of(row));
        if rows.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let cut = walk.query.limit.is_none_or(|limit| limit > most as u64) && rows.len() == most;
    Ok(walk.hand_out(rows.iter().rev(), cut, visit))
}

/// Rows by their distance in time.
fn nearest(mut walk: Walk<'_>, source: &dyn CaptureSource, visit: Visit<'_>) -> Result<QueryEnd> {
    let SortOrder::Closest(to) = walk.query.sort else { return Ok(walk.end) };
    let (offset, most) = bounds(walk.query);
    let mut nearest = NearestRows::new(to, most.saturating_add(offset));
    walk.walk(source, false, &mut |row| {
        nearest.push(row);
        ControlFlow::Continue(())
    })?;
    let cut = nearest.overflowed && walk.query.limit.is_none_or(|limit| limit > most as u64);
    let rows = nearest.into_rows();
    Ok(walk.hand_out(rows.iter().skip(offset).take(most), cut, visit))
}

/// Rows to pass over, and most rows to keep.
fn bounds(query: &Query) -> (usize, usize) {
    let size = |n: u64| usize::try_from(n.min(MAX_KEPT)).unwrap_or(usize::MAX);
    (size(query.offset), size(query.most_rows()))
}
