//! From what tags found to the tables of groups.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use rayon::prelude::*;
use webmill_capture::domain::registrable;
use webmill_capture::{CanonicalUrl, Result};
use webmill_rules::cells::Cell;
use webmill_rules::groups::{LinkedPage, Problem, RowSink, VisitedPage, rows};
use webmill_rules::{Group, MAX_PAGES, Rule, TagNumber, TagResult, each_found};
use webmill_run::{Measure, Unit};
use webmill_table::{DynamicWriter, TableSchema, Value};

use super::RulesJob;
use super::store::{Place, Store, Stored, Task, Top};
use super::tables::schema;
use super::tally::{MISSING_PAGE, Tally};
use super::tops::Tops;
use super::visit::Shards;
use super::waves::resolved;
use crate::output::footer;

const FILE_ROWS: u64 = 1 << 20;
/// Top pages whose rows are made at once.
const AT_ONCE: usize = 1024;

/// A page of a chain.
#[derive(Debug, Clone)]
struct Link {
    url: String,
    place: Place,
    /// Results of each tag without a parent up to the end of this page.
    ends: Vec<(TagNumber, usize)>,
}

/// The pages of a chain, in order; of most layers one.
type Chain = Vec<Link>;

/// Writes the tables of all groups.
///
/// # Errors
/// Where the disk refuses.
pub fn groups(
    job: &RulesJob,
    rules: &[Rule],
    (store, tops, shards): (&Store, &Tops, &Shards),
    unit: &mut Unit<'_>,
    tally: &mut Tally,
) -> Result<()> {
    let tables: u64 = rules.iter().map(|rule| rule.groups.len() as u64).sum();
    unit.stage().progress.begin("tables of rules", tables, Measure::Items);
    for (number, rule) in rules.iter().enumerate() {
        for (group_number, group) in (0u32..).zip(&rule.groups) {
            let of = OfGroup { job, rule, number: number as u16, group, group_number, store, tops, shards };
            of.write(unit, tally)?;
            unit.stage().progress.advance(1);
        }
    }
    unit.stage().progress.end();
    Ok(())
}

/// A group, and the pages on which its rows begin.
struct OfGroup<'a> {
    job: &'a RulesJob,
    rule: &'a Rule,
    number: u16,
    group: &'a Group,
    group_number: u32,
    store: &'a Store,
    tops: &'a Tops,
    shards: &'a Shards,
}

/// Rows and problems of a top page.
type PageRows = (Vec<Vec<Value>>, Vec<(Problem, String)>);

impl OfGroup<'_> {
    fn write(&self, unit: &mut Unit<'_>, tally: &mut Tally) -> Result<()> {
        let layer = self.group.levels[0].layer;
        let has_paging = self.rule.layers[layer].paging.is_some();
        let mut file = Files::new(schema(self.rule, self.group));
        // Pages that others lead on to begin no rows, unless they lead to each other in a ring.
        for rings in [false, true].into_iter().take(1 + usize::from(has_paging)) {
            let mut all = self.tops.of(self.number, layer as u16, AT_ONCE);
            let mut tops = all.next().unwrap_or_default();
            let mut ready: Vec<PageRows> = Vec::new();
            // The rows of some pages are written while those of the next ones are made.
            while !tops.is_empty() || !ready.is_empty() {
                unit.stage().cancel.check()?;
                let (made, written) = rayon::join(
                    || self.each(&tops, has_paging, rings),
                    || -> Result<()> {
                        for (rows, problems) in ready.drain(..) {
                            rows.into_iter().try_for_each(|row| file.push(row, unit))?;
                            problems.into_iter().for_each(|(problem, url)| self.note(problem, url, tally));
                        }
                        Ok(())
                    },
                );
                written?;
                ready = made?;
                tops = all.next().unwrap_or_default();
            }
        }
        let rows = file.finish(self.job.expects(self.rule), unit)?;
        unit.kept("rows", rows);
        Ok(())
    }

    /// The result of some pages, in their order.
    fn each(&self, tops: &[Top], has_paging: bool, rings: bool) -> Result<Vec<PageRows>> {
        let is_wanted =
            |task: Task| -> Result<bool> { Ok(!has_paging || self.store.is_continued(task)? == rings) };
        let made = |top: &Top| if is_wanted(top.task)? { self.made(top) } else { Ok(PageRows::default()) };
        if !rings {
            return tops.par_iter().map(made).collect();
        }
        // One after the other: each takes the pages of its ring away.
        let is_walked = |top: &Top| self.store.is_walked(top.task, self.group_number);
        tops.iter().map(|top| if is_walked(top)? { Ok(PageRows::default()) } else { made(top) }).collect()
    }

    fn made(&self, top: &Top) -> Result<PageRows> {
        let Some(top) = self.chain(top.task, self.store.get_top(top)?)? else {
            return Ok(PageRows::default());
        };
        let top_url = top.page.first().map(|link| link.url.clone()).unwrap_or_default();
        let mut sink = Sink { of: self, top_url, rows: Vec::new(), problems: Vec::new() };
        rows(self.group, &top, &mut sink)?;
        Ok((sink.rows, sink.problems))
    }

    /// A page with the pages that its paging tag leads to behind it; `None`: it is not of the layer.
    fn chain(&self, task: Task, stored: Option<Stored>) -> Result<Option<VisitedPage<Chain>>> {
        let Some(Stored { url, place, habits, results: Some(results) }) = stored else { return Ok(None) };
        let layer = &self.rule.layers[usize::from(task.layer)];
        let mut visited = VisitedPage { results, habits, page: vec![Link { url, place, ends: Vec::new() }] };
        let Some(paging) = layer.paging else { return Ok(Some(visited)) };
        self.store.set_walked(task, self.group_number)?;
        let ends = |results: &[(TagNumber, Vec<TagResult>)]| {
            results.iter().map(|(tag, found)| (*tag, found.len())).collect()
        };
        visited.page[0].ends = ends(&visited.results);
        let mut known = HashSet::from([task.url]);
        let mut next: VecDeque<String> = leads(&visited.results, paging);
        while let Some(address) = next.pop_front() {
            let Some((url, _)) = resolved(self.store, &address)? else { continue };
            if visited.page.len() >= MAX_PAGES as usize || !known.insert(url) {
                continue;
            }
            let following = Task { url, ..task };
            let Some(Stored { url, place, results: Some(results), .. }) = self.store.get(following)? else {
                continue;
            };
            self.store.set_walked(following, self.group_number)?;
            next.extend(leads(&results, paging));
            append(&mut visited.results, results);
            let ends = ends(&visited.results);
            visited.page.push(Link { url, place, ends });
        }
        if let Some(content) = layer.content {
            let separator = &self.rule.tags[content].separator;
            for (_, found) in
                visited.results.iter_mut().filter(|(tag, found)| *tag == content && !found.is_empty())
            {
                let texts: Vec<String> = found.drain(..).map(|found| found.text).collect();
                found.push(TagResult { text: texts.join(separator), results: Vec::new() });
            }
        }
        Ok(Some(visited))
    }

    fn note(&self, problem: Problem, url: String, tally: &mut Tally) {
        let column = |number: usize| Some(self.group.columns[number].name.clone());
        let (name, about, detail) = match problem {
            Problem::Counts(counts) => {
                let counts: Vec<String> = counts
                    .iter()
                    .map(|(tag, count)| format!("{} {count}", self.rule.tags[*tag].id))
                    .collect();
                ("counts-differ", None, Some(counts.join(", ")))
            }
            Problem::Incomplete => ("incomplete", None, None),
            Problem::Missing => (MISSING_PAGE, None, None),
            Problem::Other => ("other-page", None, None),
            Problem::Kind(number) => ("not-of-kind", Some(number), column(number)),
            Problem::Shortened(number) => ("shortened", Some(number), column(number)),
        };
        tally.of_group((self.rule, &self.group.name), (name, about), &url, || detail);
    }
}

/// Addresses that a page leads on to.
fn leads(results: &[(TagNumber, Vec<TagResult>)], paging: TagNumber) -> VecDeque<String> {
    let mut leads = VecDeque::new();
    each_found(results, &mut |tag, found| {
        if tag == paging {
            leads.push_back(found.text.clone());
        }
    });
    leads
}

/// Puts the results of a page behind those of the chain. What every page says alike, as the title of a thread, is there once.
fn append(chain: &mut [(TagNumber, Vec<TagResult>)], page: Vec<(TagNumber, Vec<TagResult>)>) {
    for ((_, known), (_, mut found)) in chain.iter_mut().zip(page) {
        let is_same = matches!((known.as_slice(), found.as_slice()), ([a], [b]) if a == b);
        if !is_same {
            known.append(&mut found);
        }
    }
}

struct Sink<'a> {
    of: &'a OfGroup<'a>,
    top_url: String,
    rows: Vec<Vec<Value>>,
    problems: Vec<(Problem, String)>,
}

impl Sink<'_> {
    /// The page of a chain that a record of its first level is from.
    fn link<'c>(&self, chain: &'c Chain, path: &[usize]) -> Option<&'c Link> {
        let levels = &self.of.group.levels;
        let of_page = (0..levels.len().min(path.len())).rev().find(|level| levels[*level].is_page);
        let record = of_page.and_then(|level| path.get(level)).copied().unwrap_or_default();
        let level = levels.get(of_page.unwrap_or_default())?;
        let columns = level.columns.iter().map(|column| self.of.group.columns[*column].tag);
        let tags: Vec<TagNumber> = columns.chain(level.down).collect();
        let is_in = |link: &&Link| {
            link.ends.is_empty() || link.ends.iter().any(|(tag, end)| tags.contains(tag) && record < *end)
        };
        chain.iter().find(is_in).or(chain.first())
    }
}

impl RowSink<Chain> for Sink<'_> {
    fn behind(&mut self, tag: TagNumber, url: &str) -> Result<LinkedPage<Chain>> {
        let of = self.of;
        let Some(layer) = of.rule.tags[tag].opens else { return Ok(LinkedPage::Other) };
        let Some((url, _)) = resolved(of.store, url)? else { return Ok(LinkedPage::Missing) };
        let task = Task { url, rule: of.number, layer: layer as u16 };
        match of.chain(task, of.store.get(task)?)? {
            Some(page) => Ok(LinkedPage::Page(Arc::new(page))),
            None if of.store.is_done(task)? => Ok(LinkedPage::Other),
            None => Ok(LinkedPage::Missing),
        }
    }

    fn row(&mut self, cells: Vec<Cell>, page: &VisitedPage<Chain>, path: &[usize]) -> Result<()> {
        let Some(link) = self.link(&page.page, path) else { return Ok(()) };
        let of = self.of;
        let depth = path.len().min(of.group.levels.len()).saturating_sub(1);
        let layer = of.group.levels[depth].layer;
        let url = CanonicalUrl::parse_stored(&link.url);
        let host = url.as_ref().map(|url| url.host().to_owned()).unwrap_or_default();
        let mut row = vec![Value::Text(link.url.clone())];
        row.extend(cells.into_iter().map(|cell| match cell {
            Cell::Null => Value::Null,
            Cell::Text(text) => Value::Text(text),
            Cell::Number(number) => Value::Float(number),
        }));
        let path: Vec<String> = path.iter().map(ToString::to_string).collect();
        row.extend([
            Value::Text(url.map(|url| webmill_run::hex128(url.key().0)).unwrap_or_default()),
            Value::Text(host.clone()),
            Value::Text(registrable(&host).to_owned()),
            Value::Text(self.top_url.clone()),
            Value::Text(of.rule.layers[layer].id.clone()),
            Value::Text(path.join(".")),
            Value::Text(of.shards.name(link.place.shard).to_owned()),
            Value::Int(link.place.offset as i64),
        ]);
        self.rows.push(row);
        Ok(())
    }

    fn problem(&mut self, problem: Problem, page: &VisitedPage<Chain>) {
        let url = page.page.first().map(|link| link.url.clone()).unwrap_or_default();
        self.problems.push((problem, url));
    }
}

/// The files of a table, one after the other.
struct Files {
    table: TableSchema,
    /// The last file; the first is begun with the first row.
    writer: Option<DynamicWriter>,
    number: u32,
    rows: u64,
    total: u64,
}

impl Files {
    fn new(table: TableSchema) -> Files {
        Files { table, writer: None, number: 0, rows: 0, total: 0 }
    }

    fn open(&mut self, unit: &Unit<'_>) -> Result<&mut DynamicWriter> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                let path = unit.create(&path(&self.table, self.number))?;
                DynamicWriter::create(&path, &self.table, &footer(unit))?.described()?
            }
        };
        Ok(self.writer.insert(writer))
    }

    fn push(&mut self, row: Vec<Value>, unit: &mut Unit<'_>) -> Result<()> {
        if self.rows == FILE_ROWS {
            self.close(unit)?;
            self.number += 1;
            self.rows = 0;
        }
        self.open(unit)?.push(row)?;
        self.rows += 1;
        self.total += 1;
        Ok(())
    }

    fn close(&mut self, unit: &mut Unit<'_>) -> Result<()> {
        if let Some(writer) = self.writer.take() {
            let rows = writer.finish()?;
            let path = path(&self.table, self.number);
            unit.wrote(&path, &self.table.name, self.table.columns_in_words(), rows);
        }
        Ok(())
    }

    /// Ends the table; one without rows is there too where `empty` says so.
    fn finish(mut self, empty: bool, unit: &mut Unit<'_>) -> Result<u64> {
        if self.total == 0 && empty {
            self.open(unit)?;
        }
        self.close(unit)?;
        Ok(self.total)
    }
}

fn path(table: &TableSchema, number: u32) -> String {
    format!("{}/part-{number:06}.parquet", table.name)
}
