//! From results to rows.
//!
//! **Definition.** A group's levels are a chain (see [`Level`](crate::Level)). At each level the results of its tags are put side by side, the
//! i-th with the i-th; a tag with one result repeats it. A row is written where the last level has all cells that the group names;
//! values of upper levels repeat in each row, as a foreign key would. Where tags of one level have different numbers of results
//! (and neither is 1), the page gives no row of the group and that is told. Where cells are missing there is no row; of an
//! *outer* group there is one, with nulls. Behind a link to a page that no shard holds, the row comes with nulls, and the
//! gap is counted.
//!
//! **Cost.** Linear in results; one stack frame a level, of which there are as many as tags inside of one another.

use std::sync::Arc;

use webmill_capture::Result;

use crate::apply::TagResult;
use crate::cells::{Cell, Fate};
use crate::file::Kind;
use crate::habits::Habits;
use crate::layers::each_found;
use crate::rule::{Group, TagNumber};

/// A page that tags were applied to, with the pages of its chain behind it.
#[derive(Debug, Clone, Default)]
pub struct VisitedPage<P> {
    /// Results of the tags without a parent.
    pub results: Vec<(TagNumber, Vec<TagResult>)>,
    /// How it writes days and numbers.
    pub habits: Habits,
    /// Whatever the caller knows of the page.
    pub page: P,
}

/// The page behind a link.
#[derive(Debug, Clone)]
pub enum LinkedPage<P> {
    /// The page, with the results on it.
    Page(Arc<VisitedPage<P>>),
    /// No page of the corpus.
    Missing,
    /// A page that is not of the layer.
    Other,
}

/// Why rows are not there, or not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Tags of one level differ in number: the page gives no rows of the group.
    Counts(Vec<(TagNumber, usize)>),
    /// Rows that were left out since a cell was missing.
    Incomplete,
    /// A page behind a link is not in the corpus.
    Missing,
    /// A page behind a link is not of its layer.
    Other,
    /// A text is nothing of its column's kind (number of the column).
    Kind(usize),
    /// A text was cut at the longest length of its column.
    Shortened(usize),
}

/// Who rows and problems are handed to.
pub trait RowSink<P> {
    /// The page behind a link that opens a layer.
    ///
    /// # Errors
    /// What reading it meets.
    fn behind(&mut self, tag: TagNumber, url: &str) -> Result<LinkedPage<P>>;
    /// Takes a row: its cells, the page where its last cells stand, the numbers of the records on its path from the top page down.
    ///
    /// # Errors
    /// What writing it meets.
    fn row(&mut self, cells: Vec<Cell>, page: &VisitedPage<P>, path: &[usize]) -> Result<()>;
    /// Takes note of a problem on a page.
    fn problem(&mut self, problem: Problem, page: &VisitedPage<P>);
}

/// Walks the results of a top page and what they lead to; see the [module](self).
///
/// # Errors
/// Those of the sink.
pub fn rows<P>(group: &Group, top: &VisitedPage<P>, sink: &mut dyn RowSink<P>) -> Result<()> {
    let columns = group.columns.len();
    let (cells, habits) = (vec![None; columns], vec![Habits::default(); columns]);
    let mut walk = Walk { group, cells, habits, path: Vec::new(), sink };
    walk.page(0, top)
}

struct Walk<'r, 'f, P> {
    group: &'r Group,
    cells: Vec<Option<String>>,
    /// Of each column, how the page that its cell is from writes it.
    habits: Vec<Habits>,
    path: Vec<usize>,
    sink: &'f mut dyn RowSink<P>,
}

impl<P> Walk<'_, '_, P> {
    fn page(&mut self, level: usize, page: &VisitedPage<P>) -> Result<()> {
        if let Some(counts) = self.differing(level, &page.results) {
            self.sink.problem(Problem::Counts(counts), page);
            return Ok(());
        }
        self.read_habits(page);
        self.level(level, &page.results, page)
    }

    /// Notes how a page writes the columns whose cells it has.
    fn read_habits(&mut self, page: &VisitedPage<P>) {
        for (column, habits) in self.group.columns.iter().zip(&mut self.habits) {
            let mut texts = Vec::new();
            if matches!(column.kind, Kind::Date | Kind::Number) {
                each_found(&page.results, &mut |tag, found| {
                    texts.extend((tag == column.tag).then_some(found.text.as_str()));
                });
            }
            if !texts.is_empty() {
                *habits = page.habits.of_column(column.kind, texts.into_iter());
            }
        }
    }

    /// The tags that matter at a level.
    fn tags(&self, level: usize) -> impl Iterator<Item = TagNumber> + '_ {
        let level = &self.group.levels[level];
        level.columns.iter().map(|column| self.group.columns[*column].tag).chain(level.down)
    }

    /// Numbers of results on the first level of the page, or within one of its results, that cannot be put side by side.
    fn differing(
        &self,
        level: usize,
        results: &[(TagNumber, Vec<TagResult>)],
    ) -> Option<Vec<(TagNumber, usize)>> {
        let mut counts: Vec<(TagNumber, usize)> =
            self.tags(level).map(|tag| (tag, of(results, tag).len())).collect();
        counts.dedup();
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
        if counts.iter().any(|(_, count)| *count > 1 && *count < most) {
            return Some(counts);
        }
        let down = self.group.levels[level].down?;
        if self.group.levels.get(level + 1)?.is_page {
            return None;
        }
        of(results, down).iter().find_map(|found| self.differing(level + 1, &found.results))
    }

    fn level(
        &mut self,
        level: usize,
        results: &[(TagNumber, Vec<TagResult>)],
        page: &VisitedPage<P>,
    ) -> Result<()> {
        let records = self.tags(level).map(|tag| of(results, tag).len()).max().unwrap_or_default();
        if records == 0 {
            return self.nothing(level, page);
        }
        for record in 0..records {
            self.path.push(record);
            let done = self.record(level, record, results, page);
            self.path.pop();
            done?;
        }
        Ok(())
    }

    fn record(
        &mut self,
        level: usize,
        record: usize,
        results: &[(TagNumber, Vec<TagResult>)],
        page: &VisitedPage<P>,
    ) -> Result<()> {
        let group = self.group;
        for column in &group.levels[level].columns {
            self.cells[*column] =
                nth(results, group.columns[*column].tag, record).map(|found| found.text.clone());
        }
        let Some(down) = group.levels[level].down else { return self.write(page) };
        let Some(found) = nth(results, down, record) else { return self.nothing(level + 1, page) };
        if !group.levels[level + 1].is_page {
            return self.level(level + 1, &found.results, page);
        }
        match self.sink.behind(down, &found.text)? {
            LinkedPage::Page(next) => self.page(level + 1, &next),
            LinkedPage::Missing => {
                self.sink.problem(Problem::Missing, page);
                self.without(level + 1, page)
            }
            LinkedPage::Other => {
                self.sink.problem(Problem::Other, page);
                self.nothing(level + 1, page)
            }
        }
    }

    /// A level, and so all below, has no results.
    fn nothing(&mut self, level: usize, page: &VisitedPage<P>) -> Result<()> {
        let is_begun = self.group.levels[..level].iter().any(|level| !level.columns.is_empty());
        if !is_begun {
            return Ok(());
        }
        if !self.group.outer {
            self.sink.problem(Problem::Incomplete, page);
            return Ok(());
        }
        self.without(level, page)
    }

    /// The row with nulls from a level on.
    fn without(&mut self, level: usize, page: &VisitedPage<P>) -> Result<()> {
        let group = self.group;
        for column in group.levels[level..].iter().flat_map(|level| &level.columns) {
            self.cells[*column] = None;
        }
        if self.cells.iter().all(Option::is_none) {
            return Ok(());
        }
        self.emit(page)
    }

    fn write(&mut self, page: &VisitedPage<P>) -> Result<()> {
        if !self.group.outer && self.cells.iter().any(Option::is_none) {
            self.sink.problem(Problem::Incomplete, page);
            return Ok(());
        }
        self.emit(page)
    }

    fn emit(&mut self, page: &VisitedPage<P>) -> Result<()> {
        let mut cells = Vec::with_capacity(self.cells.len());
        for (number, (column, text)) in self.group.columns.iter().zip(&self.cells).enumerate() {
            let Some(text) = text else {
                cells.push(Cell::Null);
                continue;
            };
            let (cell, fate) = column.cell(text, self.habits[number]);
            match fate {
                Fate::Kept => {}
                Fate::Shortened => self.sink.problem(Problem::Shortened(number), page),
                Fate::Rejected => self.sink.problem(Problem::Kind(number), page),
            }
            cells.push(cell);
        }
        self.sink.row(cells, page, &self.path)
    }
}

/// The results of a tag.
pub(crate) fn of(results: &[(TagNumber, Vec<TagResult>)], tag: TagNumber) -> &[TagResult] {
    results.iter().find(|(known, _)| *known == tag).map_or(&[], |(_, found)| found.as_slice())
}

/// The i-th result of a tag; its only one, where it has one.
fn nth(results: &[(TagNumber, Vec<TagResult>)], tag: TagNumber, record: usize) -> Option<&TagResult> {
    match of(results, tag) {
        [only] => Some(only),
        found => found.get(record),
    }
}
