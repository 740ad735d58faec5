//! Gathers the lines of a list of arcs into a graph.
//!
//! The module above calls it with each line that `line` has understood.
//!
//! Names and numbers are numbered as they come and once more, in their order, when all are known: what the whole list
//! says decides whether its numbers have gaps, and whether numbers at the ends of lines are weights.

use super::super::csr::{Csr, Parallel};
use super::super::lines::{proportion, weight};
use super::doubts::DoubtfulLines;
use super::line::{
    Arc, Line, SEPARATORS, is_header, is_number, is_wide_header, looks_numbered, may_be_header, named,
    numbered, shape, suspect,
};
use super::table::{Columns, Table, cells, empty, word};
use super::{EdgeList, EdgeOptions, Order};
use rayon::prelude::*;
use std::collections::HashMap;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// Numbers have gaps, and get names, if fewer than one in this many of them occurs.
const SPARSE: u64 = 8;

/// What has been read.
#[derive(Default)]
pub(super) struct Lines {
    named: Option<bool>,
    /// Number of each name, in the order in which they came.
    names: HashMap<String, u32>,
    /// Number of each number, likewise, once one is too large for an arc.
    wide: Option<HashMap<u64, u32>>,
    arcs: Vec<(u32, u32, f32)>,
    weighted: bool,
    promised: Option<u64>,
    /// What a header says is the least number.
    first: Option<u32>,
    /// Bytes of names.
    text: u64,
    /// Lines so far.
    number: u64,
    /// The first line and its number, until the next tells whether it named columns.
    held: Option<(u64, String)>,
    /// The columns that were asked for, until a line shows where they are.
    columns: Option<Columns>,
    /// How lines are read if they are those of a table.
    table: Option<Table>,
    /// Was the first line that is not empty a comment?
    comments: Option<bool>,
    /// Lines and their names while no line has held an arc: pairs of names perhaps.
    alone: Vec<(u64, u32)>,
    /// What all these look like: separator and number of cells, if they look alike.
    alike: Option<(char, usize)>,
    /// What stands between source and target of the last arc, in words.
    between: &'static str,
    /// What may have been meant otherwise.
    doubts: DoubtfulLines,
}

/// What stands between the ends of an arc in a line without columns, in words.
fn between(line: &str) -> &'static str {
    if line.contains("->") {
        return "an arrow";
    }
    let bare = |separator: &char| line.split('"').step_by(2).any(|part| part.contains(*separator));
    word(['\t'].into_iter().chain(SEPARATORS).find(bare).unwrap_or(' '))
}

impl Lines {
    /// Takes lines as the options say.
    pub fn new(options: &EdgeOptions) -> Lines {
        Lines { columns: options.columns.clone(), ..Lines::default() }
    }

    pub fn take(&mut self, line: &str) -> Result<(), String> {
        self.number += 1;
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with(['#', '%']) && !self.is_data(line) {
            self.comment(line.trim_start_matches(['#', '%', ' ']));
            return Ok(());
        }
        self.comments.get_or_insert(false);
        if self.named.is_none() && self.held.is_none() && self.table.is_none() {
            self.table = match self.columns.take() {
                Some(columns) => Some(Table::of(&columns, line)?),
                None if is_header(line) => Table::of_header(line),
                None => None,
            };
            if self.table.as_ref().map_or_else(|| is_header(line), |table| table.header) {
                return Ok(());
            }
            if self.table.is_none() && !looks_numbered(line) && (may_be_header(line) || is_wide_header(line))
            {
                self.held = Some((self.number, line.to_owned()));
                return Ok(());
            }
        }
        if self.table.is_some() {
            return self.row(line);
        }
        if let Some((number, first)) = self.held.take() {
            // The third of three columns of numbers is the weight, whatever it is called.
            let weighted = looks_numbered(line) && shape(line).is_some();
            if is_wide_header(&first)
                && !weighted
                && let Some(table) = Table::of_header(&first)
            {
                self.table = Some(table);
                return self.row(line);
            }
            if looks_numbered(line) {
                self.doubts.header.see(number, &first);
            } else {
                self.named = Some(true);
                self.named(number, &first).map_err(|reason| format!("and line {number}: {reason}"))?;
            }
        }
        if *self.named.get_or_insert_with(|| !looks_numbered(line)) {
            self.named(self.number, line)
        } else {
            self.numbers(line)
        }
    }

    /// Is a line that begins with `#` or `%` an arc from a name that does? Where the first line is one of data, it is.
    fn is_data(&mut self, line: &str) -> bool {
        let name = line.strip_prefix('#').is_some_and(|rest| {
            rest.starts_with(|c: char| !c.is_whitespace() && c != '#' && c != '%') && !is_header(rest)
        });
        if !name || self.named == Some(false) {
            self.comments.get_or_insert(true);
            return false;
        }
        let arc = match &self.table {
            Some(table) => table.arc(line).is_ok(),
            None => {
                let clear = line.contains('\t') || line.contains("->");
                clear && matches!(named(line), Ok(Line::Arc(_))) || self.is_alike(line)
            }
        };
        let data = arc && self.comments != Some(true);
        if !data {
            self.comments.get_or_insert(true);
            self.doubts.hash.see(self.number, line);
        }
        data
    }

    /// Does a line look like all before it, which are pairs of names perhaps?
    fn is_alike(&self, line: &str) -> bool {
        let before = self.held.as_ref().map_or(self.alike, |(_, first)| shape(first));
        self.arcs.is_empty() && before.is_some() && shape(line) == before
    }

    /// A row of a table.
    fn row(&mut self, line: &str) -> Result<(), String> {
        let Some(table) = &self.table else { return Ok(()) };
        let [source, target, given] = table.arc(line)?;
        let (source, target) = (source.unwrap_or_default(), target.unwrap_or_default());
        let numbers = || source.parse::<u64>().ok().zip(target.parse::<u64>().ok());
        if *self.named.get_or_insert_with(|| numbers().is_none()) {
            let (source, target) = (self.name(&source), self.name(&target));
            self.arc(source, target, given.as_deref())
        } else {
            let (source, target) = numbers().ok_or_else(|| format!("{line:?} is no pair of numbers"))?;
            self.pair(source, target, given.as_deref())
        }
    }

    fn comment(&mut self, said: &str) {
        let mut words = said.split_whitespace();
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case("nodes:") => {
                self.promised = words.next().and_then(|n| n.parse().ok());
            }
            Some("First:") => self.first = words.next().and_then(|n| n.parse().ok()),
            Some(word) if word.eq_ignore_ascii_case("undirected") || word == "sym" => {
                self.doubts.undirected.see(self.number, said);
            }
            _ => {}
        }
    }

    fn named(&mut self, number: u64, line: &str) -> Result<(), String> {
        match named(line)? {
            Line::Node(name) => {
                self.doubts.alone(number, name);
                let node = self.name(name);
                if self.arcs.is_empty() {
                    if self.alone.is_empty() {
                        self.alike = shape(name);
                    } else if self.alike.is_some() {
                        self.alike = self.alike.filter(|alike| shape(name) == Some(*alike));
                    }
                    self.alone.push((number, node));
                }
                Ok(())
            }
            Line::Arc(arc) => {
                self.doubts.arc(number, line, &arc);
                self.alone = Vec::new();
                self.between = between(line);
                let Arc { source, target, weight, .. } = arc;
                let (source, target) = (self.name(&source), self.name(&target));
                self.arc(source, target, weight)
            }
        }
    }

    fn numbers(&mut self, line: &str) -> Result<(), String> {
        let (source, target, weight) = numbered(line)?;
        self.between = between(line);
        self.pair(source, target, weight)
    }

    fn pair(&mut self, source: u64, target: u64, weight: Option<&str>) -> Result<(), String> {
        if self.wide.is_none() && source.max(target) > u64::from(u32::MAX) {
            let mut wide = HashMap::new();
            for arc in &mut self.arcs {
                (arc.0, arc.1) = (next(&mut wide, arc.0.into()), next(&mut wide, arc.1.into()));
            }
            self.wide = Some(wide);
        }
        let (source, target) = match &mut self.wide {
            Some(wide) => (next(wide, source), next(wide, target)),
            None => (source as u32, target as u32),
        };
        self.arc(source, target, weight)
    }

    fn arc(&mut self, source: u32, target: u32, given: Option<&str>) -> Result<(), String> {
        let value = match given {
            None => 1.0,
            Some(text) => {
                self.weighted = true;
                weight(text)?
            }
        };
        self.arcs.push((source, target, value));
        Ok(())
    }

    fn name(&mut self, name: &str) -> u32 {
        match self.names.get(name) {
            Some(&number) => number,
            None => {
                let number = self.names.len() as u32;
                self.text += name.len() as u64;
                self.names.insert(name.to_owned(), number);
                number
            }
        }
    }

    /// Arcs so far.
    pub fn num_arcs(&self) -> usize {
        self.arcs.len()
    }

    /// About what arcs and names take, once here and once in the graph and the list of names.
    pub fn bytes(&self) -> u64 {
        let wide = self.wide.as_ref().map_or(0, HashMap::len);
        20 * self.arcs.len() as u64
            + 2 * self.text
            + 120 * (self.names.len() + wide) as u64
            + 16 * self.alone.len() as u64
    }

    /// The graph of all lines.
    ///
    /// # Errors
    /// [`Error::Config`] for what no single line is to blame for.
    pub fn finish(mut self, order: Order, parallel: Parallel) -> Result<EdgeList> {
        if let Some((number, line)) = self.held.take() {
            self.named = Some(true);
            self.named(number, &line).map_err(|reason| Error::Config(format!("line {number}: {reason}")))?;
        }
        self.pairs_alone().map_err(Error::Config)?;
        let mut notes = Vec::new();
        self.doubts.judge(self.arcs.len() as u64, &mut notes).map_err(Error::Config)?;
        if self.weighted {
            let (again, least) = (self.parallel(), self.least_weight());
            self.doubts.weights(again, parallel, least, &mut notes);
            parallel.choose(&mut self.arcs);
        }
        let (nodes, names, first) = if self.named == Some(true) {
            let names = self.order(order);
            (names.len() as u64, Some(names), 0)
        } else {
            self.order_numbers(&mut notes)
        };
        let nodes = proportion(nodes, self.arcs.len()).map_err(Error::Config)?;
        let graph = if self.weighted {
            Csr::from_weighted_arcs(nodes, self.arcs)?
        } else if parallel == Parallel::Add {
            Csr::from_links(nodes, self.arcs.into_iter().map(|a| (a.0, a.1)))?
        } else {
            Csr::from_arcs(nodes, self.arcs.into_iter().map(|a| (a.0, a.1)))?
        };
        let read_as = match (&self.table, self.between) {
            _ if graph.targets().is_empty() => "names without arcs".to_owned(),
            (table, between) => format!(
                "arcs between {}{}{}",
                if self.named == Some(true) { "names" } else { "numbers" },
                table.as_ref().map_or_else(|| format!(" with {between} between"), Table::about),
                if self.weighted { ", with weights" } else { "" }
            ),
        };
        Ok(EdgeList { graph, names, first, read_as, notes })
    }

    /// Where no line held an arc and every one may be more than a name: pairs with a comma or the like between, or else a
    /// blank, perhaps with a weight.
    ///
    /// # Errors
    /// An empty cell of such pairs.
    fn pairs_alone(&mut self) -> Result<(), String> {
        let alone = std::mem::take(&mut self.alone);
        if alone.is_empty() || !self.arcs.is_empty() {
            return Ok(());
        }
        let mut names = vec![""; self.names.len()];
        self.names.iter().for_each(|(name, number)| names[*number as usize] = name);
        if !names.iter().all(|name| suspect(name)) {
            return Ok(());
        }
        let pairs = |separator| {
            let rows: Option<Vec<_>> = alone
                .iter()
                .map(|(line, node)| {
                    let cells = cells(names[*node as usize], separator).ok()?;
                    let weight = cells.get(2).is_none_or(|weight| is_number(weight) || weight.is_empty());
                    // Quotes inside of cells are of JSON and the like.
                    let weight = weight && !cells.iter().any(|cell| cell.contains('"'));
                    ((2..=3).contains(&cells.len()) && weight).then_some((*line, cells))
                })
                .collect();
            let rows = rows.filter(|rows| rows.windows(2).all(|pair| pair[0].1.len() == pair[1].1.len()));
            Some((separator, rows?))
        };
        let Some((separator, rows)) = SEPARATORS.into_iter().chain([' ']).find_map(pairs) else {
            return Ok(());
        };
        let rows: Vec<(u64, Vec<String>)> = rows
            .into_iter()
            .map(|(line, cells)| (line, cells.into_iter().map(|cell| cell.into_owned()).collect()))
            .collect();
        (self.between, self.text) = (word(separator), 0);
        self.names.clear();
        self.doubts.none_alone();
        for (line, cells) in rows {
            if let Some(column) = cells.iter().position(String::is_empty) {
                return Err(format!("line {line}: {}", empty(column)));
            }
            let (source, target) = (self.name(&cells[0]), self.name(&cells[1]));
            self.arc(source, target, cells.get(2).map(String::as_str))
                .map_err(|reason| format!("line {line}: {reason}"))?;
        }
        Ok(())
    }

    /// How many arcs come again with another weight.
    fn parallel(&mut self) -> u64 {
        // Stable: which of parallel arcs came first may count.
        self.arcs.par_sort_by_key(|arc| (arc.0, arc.1));
        let again = |pair: &&[(u32, u32, f32)]| {
            (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) && pair[0].2 != pair[1].2
        };
        self.arcs.windows(2).filter(again).count() as u64
    }

    /// The least weight of an arc; infinite without arcs.
    fn least_weight(&self) -> f32 {
        self.arcs.iter().map(|arc| arc.2).fold(f32::INFINITY, f32::min)
    }

    /// Numbers the names in their order.
    fn order(&mut self, order: Order) -> Vec<String> {
        let mut names: Vec<(String, String, u32)> = std::mem::take(&mut self.names)
            .into_iter()
            .map(|(name, number)| match order {
                Order::Surt => {
                    let surt = CanonicalUrl::parse(&name).map_or_else(|| name.clone(), |url| url.surt());
                    (surt, name, number)
                }
                Order::Name | Order::Given => (String::new(), name, number),
            })
            .collect();
        match order {
            Order::Given => names.sort_unstable_by_key(|name| name.2),
            Order::Surt | Order::Name => names.sort_unstable(),
        }
        self.renumber(names.iter().map(|name| name.2));
        names.into_iter().map(|name| name.1).collect()
    }

    /// Gives the ends of all arcs, which are numbers of `nodes`, their places there.
    fn renumber(&mut self, nodes: impl ExactSizeIterator<Item = u32>) {
        let mut node_of = vec![0u32; nodes.len()];
        for (node, number) in (0..).zip(nodes) {
            node_of[number as usize] = node;
        }
        for arc in &mut self.arcs {
            (arc.0, arc.1) = (node_of[arc.0 as usize], node_of[arc.1 as usize]);
        }
    }

    /// Number of nodes, their names if their numbers have gaps, and what was taken off the numbers.
    fn order_numbers(&mut self, notes: &mut Vec<String>) -> (u64, Option<Vec<String>>, u32) {
        let greatest = self.arcs.iter().map(|a| a.0.max(a.1)).max();
        let Some(numbers) = self.sparse(greatest) else {
            let dense = self.dense(greatest);
            let promised = self.promised.filter(|&n| n < dense.0);
            if let Some(promised) = promised {
                notes.push(format!("the header promises {promised} nodes, the numbers make {}", dense.0));
            }
            if self.promised.is_none() || promised.is_some() {
                notes.extend(self.invented(dense.0, dense.2));
            }
            return dense;
        };
        let (used, least, most) = (numbers.len() as u64, numbers.first().copied(), numbers.last().copied());
        if self.promised != Some(used) {
            let promised =
                self.promised.map_or(String::new(), |n| format!(", the header promises {n} nodes"));
            notes.push(format!(
                "{used} of the numbers from {} to {} occur{promised}: these are the nodes, with their numbers as names",
                least.unwrap_or(0),
                most.unwrap_or(0)
            ));
        }
        (used, Some(numbers.iter().map(u64::to_string).collect()), 0)
    }

    /// The numbers that occur, ascending, and arcs between their places, if numbers have gaps: if a header promises just
    /// as many nodes and the numbers pass it, or if hardly any of the numbers up to the greatest, or up to what a header
    /// promises, occur.
    fn sparse(&mut self, greatest: Option<u32>) -> Option<Vec<u64>> {
        let greatest = u64::from(greatest?);
        if let Some(wide) = self.wide.take() {
            let mut numbers: Vec<(u64, u32)> = wide.into_iter().collect();
            numbers.sort_unstable();
            self.renumber(numbers.iter().map(|number| number.1));
            return Some(numbers.into_iter().map(|number| number.0).collect());
        }
        if let Some(promised) = self.promised.filter(|&n| n >= greatest) {
            // Those that do not occur are nodes too, unless no list can mean that many.
            if proportion(promised, self.arcs.len()).is_ok() {
                return None;
            }
        } else {
            // More cannot occur than arcs have ends: then there is nothing to count.
            let most = 2 * self.arcs.len() as u64;
            let used = if greatest / SPARSE >= most { most } else { self.occurring(greatest) };
            if greatest / SPARSE < used && self.promised != Some(used) {
                return None;
            }
        }
        let mut numbers: Vec<u32> = self.arcs.iter().flat_map(|a| [a.0, a.1]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let place = |number: u32| numbers.partition_point(|&other| other < number) as u32;
        for arc in &mut self.arcs {
            (arc.0, arc.1) = (place(arc.0), place(arc.1));
        }
        Some(numbers.into_iter().map(u64::from).collect())
    }

    /// Says which of `nodes` nodes occur in no line, if any do; `first` is the number of node 0.
    fn invented(&self, nodes: u64, first: u32) -> Option<String> {
        let bits = self.bits(nodes);
        let missing = |node: &u64| bits[*node as usize / 64] >> (node % 64) & 1 == 0;
        let least = (0..nodes).find(missing)?;
        let many = (0..nodes).filter(missing).count();
        let first = u64::from(first);
        Some(format!(
            "{many} of the numbers from {first} to {} occur in no line (the first is {}): they are nodes without links",
            first + nodes - 1,
            first + least
        ))
    }

    /// How many numbers up to the greatest occur.
    fn occurring(&self, greatest: u64) -> u64 {
        self.bits(greatest).iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// A bit for each number up to the greatest: does it occur?
    fn bits(&self, greatest: u64) -> Vec<u64> {
        let mut bits = vec![0u64; greatest as usize / 64 + 1];
        for number in self.arcs.iter().flat_map(|a| [a.0, a.1]) {
            bits[number as usize / 64] |= 1 << (number % 64);
        }
        bits
    }

    /// Makes numbers start at 0; returns the number of nodes and what was taken off.
    fn dense(&mut self, greatest: Option<u32>) -> (u64, Option<Vec<String>>, u32) {
        let least = self.arcs.iter().map(|a| a.0.min(a.1)).min().unwrap_or(0);
        // A header that leaves no number for node 0, or nobody who has it.
        let fits =
            |first: u64| greatest.is_none_or(|g| self.promised.is_none_or(|n| u64::from(g) < n + first));
        let first = match self.first {
            Some(first) => first.min(least),
            None => u32::from(least > 0 && fits(1)),
        };
        for arc in &mut self.arcs {
            (arc.0, arc.1) = (arc.0 - first, arc.1 - first);
        }
        let used = greatest.map_or(0, |g| u64::from(g - first) + 1);
        (used.max(self.promised.unwrap_or(0)), None, first)
    }
}

/// The number of an item, the next one if it has none.
fn next(numbers: &mut HashMap<u64, u32>, item: u64) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(item).or_insert(next)
}
