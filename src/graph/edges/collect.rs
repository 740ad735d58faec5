//! Gathers the lines of a list of arcs into a graph.
//!
//! The module above calls it with each line that `line` has understood.
//!
//! Names and numbers are numbered as they come and once more, in their order, when all are known: what the whole list
//! says decides whether its numbers have gaps.

use super::super::csr::{Csr, Parallel};
use super::super::lines::{proportion, weight};
use super::table::{Columns, Row, Table};
use super::{EdgeList, EdgeOptions};
use rayon::prelude::*;
use std::collections::HashMap;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// Numbers have gaps, and get names, if fewer than one in this many of them occurs.
const SPARSE: u64 = 8;

/// What has been read.
#[derive(Default)]
pub(super) struct Lines {
    /// The columns that were asked for, until a line shows where they are.
    columns: Option<Columns>,
    /// How lines are read, once one has told.
    table: Option<Table>,
    /// Whether nodes are numbers, once there is an arc.
    numbered: Option<bool>,
    /// Number of each name, in the order in which they came.
    names: HashMap<String, u32>,
    /// Number of each number, likewise, once one is too large for an arc.
    wide: Option<HashMap<u64, u32>>,
    arcs: Vec<(u32, u32, f32)>,
    weighted: bool,
    /// How many nodes a header promises.
    promised: Option<u64>,
    /// What a header says is the least number.
    first: Option<u32>,
    /// Bytes of names.
    text: u64,
    notes: Vec<String>,
}

impl Lines {
    /// Takes lines as the options say.
    pub fn new(options: &EdgeOptions) -> Lines {
        Lines { columns: options.columns.clone(), ..Lines::default() }
    }

    pub fn take(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with(['#', '%']) {
            self.comment(line.trim_start_matches(['#', '%', ' ']));
            return Ok(());
        }
        if self.table.is_none() {
            self.table = match self.columns.take() {
                Some(columns) => Some(Table::of(&columns, line)?),
                None => Table::of_first(line)?,
            };
            if self.table.as_ref().is_some_and(|table| table.header) {
                return Ok(());
            }
        }
        match self.table.as_ref().map_or(Ok(Row::Node(line.into())), |table| table.row(line))? {
            Row::Node(_) if self.numbered == Some(true) => Err(format!("{line:?} is no pair of numbers")),
            Row::Node(name) => {
                self.name(&name);
                Ok(())
            }
            Row::Arc(source, target, weight) => {
                let numbers = source.parse().ok().zip(target.parse().ok());
                if self.is_numbered(numbers.is_some()) {
                    let (source, target) =
                        numbers.ok_or_else(|| format!("{line:?} is no pair of numbers"))?;
                    self.pair(source, target, weight.as_deref())
                } else {
                    let (source, target) = (self.name(&source), self.name(&target));
                    self.arc(source, target, weight.as_deref())
                }
            }
        }
    }

    /// Whether nodes are numbers, as the first arc says; or the second one, if the first line named columns.
    fn is_numbered(&mut self, numbers: bool) -> bool {
        let (arrows, plain) =
            self.table.as_ref().map_or((false, false), |table| (table.is_of_arrows(), table.is_plain()));
        let numbered = self.numbered.get_or_insert(numbers && !arrows && self.names.is_empty());
        if numbers && !*numbered && plain && self.arcs.len() == 1 && self.names.len() == 2 {
            self.notes.push("the first line was read as the names of columns".into());
            self.names.clear();
            self.arcs.clear();
            (*numbered, self.text) = (true, 0);
        }
        *numbered
    }

    fn comment(&mut self, said: &str) {
        let mut words = said.split_whitespace();
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case("nodes:") => {
                self.promised = words.next().and_then(|n| n.parse().ok());
            }
            Some("First:") => self.first = words.next().and_then(|n| n.parse().ok()),
            Some(word) if word.eq_ignore_ascii_case("undirected") || word == "sym" => {
                self.notes.push(format!(
                    "{said:?} says that links have no direction; each line is one arc here, from the first to the second: add \
                     the reverse ones if they are meant"
                ));
            }
            _ => {}
        }
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
        self.weighted |= given.is_some();
        self.arcs.push((source, target, given.map_or(Ok(1.0), weight)?));
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
        20 * self.arcs.len() as u64 + 2 * self.text + 120 * (self.names.len() + wide) as u64
    }

    /// The graph of all lines.
    ///
    /// # Errors
    /// [`Error::Config`] for what no single line is to blame for.
    pub fn finish(mut self, parallel: Parallel) -> Result<EdgeList> {
        if self.arcs.is_empty() && !self.names.is_empty() {
            let why = "no line holds an arc: `source -> target`, or two names with a tab, a comma or a blank between; --columns \
                       says which columns of a table they are";
            return Err(Error::Config(why.into()));
        }
        if self.weighted {
            // Stable: which of parallel arcs came first may count.
            self.arcs.par_sort_by_key(|arc| (arc.0, arc.1));
            parallel.choose(&mut self.arcs);
        }
        let of = if self.numbered == Some(false) { "names" } else { "numbers" };
        let (nodes, names, first) = match self.numbered {
            Some(false) => {
                let names = self.order();
                (names.len() as u64, Some(names), 0)
            }
            _ => self.order_numbers(),
        };
        let nodes = proportion(nodes, self.arcs.len()).map_err(Error::Config)?;
        let graph = if self.weighted {
            Csr::from_weighted_arcs(nodes, self.arcs)?
        } else if parallel == Parallel::Add {
            Csr::from_links(nodes, self.arcs.into_iter().map(|a| (a.0, a.1)))?
        } else {
            Csr::from_arcs(nodes, self.arcs.into_iter().map(|a| (a.0, a.1)))?
        };
        let how = self.table.as_ref().map_or_else(String::new, Table::about);
        let weights = if self.weighted { ", with weights" } else { "" };
        let read_as = format!("arcs between {of}{how}{weights}");
        Ok(EdgeList { graph, names, first, read_as, notes: self.notes })
    }

    /// Numbers the names in the order of SURT, then name.
    fn order(&mut self) -> Vec<String> {
        let surt = |(name, number): (String, u32)| {
            let surt = CanonicalUrl::parse(&name).map_or_else(|| name.clone(), |url| url.surt());
            (surt, name, number)
        };
        let mut names: Vec<_> = std::mem::take(&mut self.names).into_iter().map(surt).collect();
        names.sort_unstable();
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
    fn order_numbers(&mut self) -> (u64, Option<Vec<String>>, u32) {
        let greatest = self.arcs.iter().map(|a| a.0.max(a.1)).max();
        let Some(numbers) = self.sparse(greatest) else {
            let (nodes, first) = self.dense(greatest);
            return (nodes, None, first);
        };
        if self.promised != Some(numbers.len() as u64) {
            self.notes.push(format!(
                "{} numbers up to {} occur: these are the nodes, with their numbers as names",
                numbers.len(),
                numbers.last().copied().unwrap_or(0)
            ));
        }
        (numbers.len() as u64, Some(numbers.iter().map(u64::to_string).collect()), 0)
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
        let mut numbers: Vec<u32> = self.arcs.iter().flat_map(|a| [a.0, a.1]).collect();
        numbers.par_sort_unstable();
        numbers.dedup();
        let used = numbers.len() as u64;
        let dense = match self.promised.filter(|&n| n >= greatest) {
            // Those that do not occur are nodes too, unless no list can mean that many.
            Some(promised) => proportion(promised, self.arcs.len()).is_ok(),
            None => greatest / SPARSE < used && self.promised != Some(used),
        };
        if dense {
            return None;
        }
        let place = |number: u32| numbers.partition_point(|&other| other < number) as u32;
        for arc in &mut self.arcs {
            (arc.0, arc.1) = (place(arc.0), place(arc.1));
        }
        Some(numbers.into_iter().map(u64::from).collect())
    }

    /// Makes numbers start at 0; returns the number of nodes and what was taken off.
    fn dense(&mut self, greatest: Option<u32>) -> (u64, u32) {
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
        (used.max(self.promised.unwrap_or(0)), first)
    }
}

/// The number of an item, the next one if it has none.
fn next(numbers: &mut HashMap<u64, u32>, item: u64) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(item).or_insert(next)
}
