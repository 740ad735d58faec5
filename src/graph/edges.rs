//! Graphs as text, one arc a line.
//!
//! Two kinds, told apart by the first arc: *named*, `http://a.com -> http://b.com 1.0`, a line without `->`
//! being an isolated node; and *numbered*, `17 42` or `17 42 1.0`, as published graphs come. Weights are
//! optional (1.0): where any arc has one, the greatest of parallel arcs is kept; where none has, parallel
//! arcs are links and are counted. Empty lines and lines that start with `#` or `%` say nothing, but a header
//! `# Nodes: 6012 …` sets the number of nodes.
//!
//! Named nodes are numbered in the order of SURT, then name, names that are no URLs by their bytes; or in
//! another [`Order`]. Numbered nodes keep their numbers, less 1 if no node is numbered 0: published graphs
//! count from 0 or from 1. If a header promises just as many nodes as numbers occur, and some below the
//! greatest do not, those that do are numbered afresh in their order, with their numbers as names: the others
//! are not nodes that nobody links to.
//!
//! Cost: all in memory, names once and 12 bytes an arc, and the graph; larger graphs come from the tables of
//! a crawl, which are sorted on disk.

use super::csr::{Csr, Shown};
use super::lines::{Wrong, each, open, proportion, weight};
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{AtPath, Error, Result};

/// A graph that was text.
#[derive(Clone, Debug)]
pub struct EdgeList {
    /// The graph; with weights if any arc had one, or is not the only one of its kind.
    pub graph: Csr,
    /// Names of the nodes, if they have names.
    pub names: Option<Vec<String>>,
    /// What the text calls node 0, if nodes have numbers.
    pub first: u32,
}

/// How named nodes are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// By SURT, then name: pages of a host and hosts of a domain side by side.
    #[default]
    Surt,
    /// By the bytes of the names.
    Name,
    /// As they come in the text.
    Given,
}

/// How a text is read.
#[derive(Clone, Copy, Debug)]
pub struct EdgeOptions {
    /// How named nodes are numbered.
    pub order: Order,
    /// Bytes that arcs and names may take.
    pub memory: u64,
}

impl Default for EdgeOptions {
    fn default() -> Self {
        EdgeOptions { order: Order::Surt, memory: u64::MAX }
    }
}

/// Reads a text file of either kind, plain or compressed with gzip or zstd.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Corrupt`] with the place of the first line that is no arc.
pub fn read_edges(path: impl AsRef<Path>) -> Result<EdgeList> {
    read_edges_with(path, &EdgeOptions::default())
}

/// As [`read_edges`], with options.
///
/// # Errors
/// As [`read_edges`]; [`Error::Limit`] for more arcs and names than the memory allowed holds.
pub fn read_edges_with(path: impl AsRef<Path>, options: &EdgeOptions) -> Result<EdgeList> {
    let path = path.as_ref();
    parse_edges(open(path)?, path, options)
}

/// As [`read_edges_with`], from anything; `path` is for messages.
///
/// # Errors
/// As [`read_edges_with`].
pub fn parse_edges(from: impl BufRead, path: &Path, options: &EdgeOptions) -> Result<EdgeList> {
    let mut lines = Lines::default();
    each(from, path, |line| {
        lines.take(line)?;
        let bytes = lines.bytes();
        if bytes <= options.memory {
            return Ok(());
        }
        let arcs = lines.arcs.len();
        Err(Wrong::Limit(format!(
            "its first {arcs} arcs and their names take {bytes} bytes, more than allowed"
        )))
    })?;
    lines.finish(options.order).map_err(|error| match error {
        Error::Config(reason) => Error::corrupt(path, 0, reason),
        other => other,
    })
}

/// What has been read.
#[derive(Default)]
struct Lines {
    named: Option<bool>,
    /// Number of each name, in the order in which they came.
    numbers: HashMap<String, u32>,
    arcs: Vec<(u32, u32, f32)>,
    weighted: bool,
    promised: Option<u64>,
    /// What a header says is the least number.
    first: Option<u32>,
    /// Bytes of names.
    text: u64,
}

impl Lines {
    fn take(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with(['#', '%']) || line.is_empty() {
            let mut words = line.trim_start_matches(['#', '%', ' ']).split_whitespace();
            match words.next() {
                Some(word) if word.eq_ignore_ascii_case("nodes:") => {
                    self.promised = words.next().and_then(|n| n.parse().ok());
                }
                Some("First:") => self.first = words.next().and_then(|n| n.parse().ok()),
                _ => {}
            }
            return Ok(());
        }
        let named = *self.named.get_or_insert_with(|| !looks_numbered(line));
        if !named {
            let (source, target, weight) =
                numbered(line).ok_or_else(|| format!("{line:?} is no pair of numbers"))?;
            return self.arc(source, target, weight);
        }
        let Some((source, rest)) = line.split_once("->") else {
            self.number(line);
            return Ok(());
        };
        let rest = rest.trim();
        let (target, weight) = match rest.rsplit_once(char::is_whitespace) {
            Some((target, weight)) => (target.trim_end(), Some(weight)),
            None => (rest, None),
        };
        if source.trim().is_empty() || target.is_empty() {
            return Err(format!("{line:?} lacks an end"));
        }
        let (source, target) = (self.number(source.trim()), self.number(target));
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

    fn number(&mut self, name: &str) -> u32 {
        match self.numbers.get(name) {
            Some(&number) => number,
            None => {
                let number = self.numbers.len() as u32;
                self.text += name.len() as u64;
                self.numbers.insert(name.to_owned(), number);
                number
            }
        }
    }

    /// About what arcs and names take, once here and once in the graph and the list of names.
    fn bytes(&self) -> u64 {
        20 * self.arcs.len() as u64 + 2 * self.text + 120 * self.numbers.len() as u64
    }

    fn finish(mut self, order: Order) -> Result<EdgeList> {
        let (nodes, names, first) = if self.named == Some(true) {
            let names = self.order(order);
            (names.len() as u64, Some(names), 0)
        } else {
            let greatest = self.arcs.iter().map(|a| a.0.max(a.1)).max();
            match self.sparse(greatest) {
                Some(numbers) => {
                    for arc in &mut self.arcs {
                        let node = |number| numbers.partition_point(|&other| other < number) as u32;
                        (arc.0, arc.1) = (node(arc.0), node(arc.1));
                    }
                    (numbers.len() as u64, Some(numbers.iter().map(u32::to_string).collect()), 0)
                }
                None => self.dense(greatest),
            }
        };
        let nodes = proportion(nodes, self.arcs.len()).map_err(Error::Config)?;
        let graph = if self.weighted {
            Csr::from_weighted_arcs(nodes, self.arcs)?
        } else {
            Csr::from_links(nodes, self.arcs.into_iter().map(|a| (a.0, a.1)))?
        };
        Ok(EdgeList { graph, names, first })
    }

    /// Numbers the names in their order.
    fn order(&mut self, order: Order) -> Vec<String> {
        let mut names: Vec<(String, String, u32)> = std::mem::take(&mut self.numbers)
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
        let mut node_of = vec![0u32; names.len()];
        for (node, (_, _, number)) in names.iter().enumerate() {
            node_of[*number as usize] = node as u32;
        }
        for arc in &mut self.arcs {
            (arc.0, arc.1) = (node_of[arc.0 as usize], node_of[arc.1 as usize]);
        }
        names.into_iter().map(|name| name.1).collect()
    }

    /// The numbers that occur, if the header promises so many nodes and the numbers pass it.
    fn sparse(&self, greatest: Option<u32>) -> Option<Vec<u32>> {
        let promised = self.promised.filter(|&n| greatest.is_some_and(|g| u64::from(g) > n))?;
        let mut numbers: Vec<u32> = self.arcs.iter().flat_map(|a| [a.0, a.1]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        (numbers.len() as u64 == promised).then_some(numbers)
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

/// A line of two whole numbers and perhaps a weight.
fn numbered(line: &str) -> Option<(u32, u32, Option<&str>)> {
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let (source, target) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let weight = words.next();
    words.next().is_none().then_some((source, target, weight))
}

/// A line that begins with two numbers, or with what was meant as such: too large, below zero, with a fraction.
fn looks_numbered(line: &str) -> bool {
    let number = |word: &str| {
        let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
        digits.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<f64>().is_ok()
    };
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    matches!((words.next(), words.next()), (Some(a), Some(b)) if number(a) && number(b))
}

/// A name that a line of text cannot hold so that it is read again.
fn unwritable(name: &str, weighted: bool) -> bool {
    name.is_empty()
        || name.trim() != name
        || name.starts_with(['#', '%'])
        || name.contains("->")
        || name.contains(['\n', '\r'])
        || !weighted && name.contains(char::is_whitespace)
        || looks_numbered(name)
}

impl EdgeList {
    /// Writes the graph in the kind it has; reading it gives it back.
    ///
    /// # Errors
    /// [`Error::Io`] if `out`, named `path` in errors, cannot be written; [`Error::Config`] for names that would be
    /// read as something else: with an arrow, a comment's sign in front, blanks where there are no weights.
    pub fn write(&self, mut out: impl Write, path: &Path) -> Result<()> {
        let nodes = self.graph.offsets().len() - 1;
        if let Some(names) = &self.names {
            let weighted = self.graph.weights().is_some();
            if let Some(name) = names.iter().find(|name| unwritable(name, weighted)) {
                return Err(Error::Config(format!(
                    "{}: a list of arcs cannot hold the name {name:?}",
                    path.display()
                )));
            }
        } else {
            writeln!(out, "# Nodes: {nodes} Edges: {}\n# First: {}", self.graph.targets().len(), self.first)
                .at(path)?;
        }
        for u in 0..nodes as u32 {
            if let Some(names) = &self.names
                && self.graph.successor_slice(u).is_empty()
            {
                writeln!(out, "{}", names[u as usize]).at(path)?;
            }
            for arc in self.graph.arcs_of(u) {
                let v = self.graph.targets()[arc];
                match &self.names {
                    Some(names) => write!(out, "{} -> {}", names[u as usize], names[v as usize]).at(path)?,
                    None => write!(out, "{} {}", u + self.first, v + self.first).at(path)?,
                }
                match self.graph.weights() {
                    Some(weights) => writeln!(out, " {}", Shown(weights, arc)).at(path)?,
                    None => writeln!(out).at(path)?,
                }
            }
        }
        out.flush().at(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<EdgeList> {
        parse_edges(text.as_bytes(), Path::new("graph.txt"), &EdgeOptions::default())
    }

    fn arcs(list: &EdgeList) -> Vec<(u32, u32, f64)> {
        list.graph.arcs().collect()
    }

    #[test]
    fn named_arcs_in_surt_order() {
        let text = "http://b.org -> http://a.com 1.0\r\nhttp://a.com->http://x.a.com\n\nhttp://alone.net\n\
                    http://b.org -> http://a.com 2.5\nhttp://b.org -> http://a.com 0.5";
        let list = parse(text).unwrap();
        let names = list.names.clone().unwrap();
        assert_eq!(names, ["http://a.com", "http://x.a.com", "http://alone.net", "http://b.org"]);
        assert_eq!(arcs(&list), [(0, 1, 1.0), (3, 0, 2.5)]);
        let mut text = Vec::new();
        list.write(&mut text, Path::new("-")).unwrap();
        let again = parse(std::str::from_utf8(&text).unwrap()).unwrap();
        assert_eq!((arcs(&again), again.names), (arcs(&list), list.names));
    }

    #[test]
    fn numbered_arcs_from_none_or_one() {
        for (text, nodes, first, expected) in [
            ("0 1\n1 2\n", 3, 0, vec![(0, 1, 1.0), (1, 2, 1.0)]),
            ("% from one\n1 2\n2\t3\n", 3, 1, vec![(0, 1, 1.0), (1, 2, 1.0)]),
            ("# Nodes: 5 Edges: 2\n1 2\n2 5", 5, 1, vec![(0, 1, 1.0), (1, 4, 1.0)]),
            ("# Nodes: 7 Edges: 1\n0 1", 7, 0, vec![(0, 1, 1.0)]),
            ("# Nodes: 4 Edges: 2\n# First: 0\n1 2\n2 3", 4, 0, vec![(1, 2, 1.0), (2, 3, 1.0)]),
            ("1,2,0.5\n1,2,0.25", 2, 1, vec![(0, 1, 0.5)]),
            ("", 0, 0, vec![]),
        ] {
            let list = parse(text).unwrap();
            assert_eq!(
                (list.graph.offsets().len() - 1, list.first, arcs(&list)),
                (nodes, first, expected),
                "{text:?}"
            );
            let mut out = Vec::new();
            list.write(&mut out, Path::new("-")).unwrap();
            let again = parse(std::str::from_utf8(&out).unwrap()).unwrap();
            assert_eq!(arcs(&again), arcs(&list), "{text:?}");
        }
    }

    #[test]
    fn weights_are_written_as_short_as_they_read_back() {
        let list = parse("a -> b 0.1\nb -> a 3.5714285\na -> a 1e-9").unwrap();
        let mut text = Vec::new();
        list.write(&mut text, Path::new("-")).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "a -> a 0.000000001\na -> b 0.1\nb -> a 3.5714285\n");
    }

    #[test]
    fn wrong_lines_are_named_by_their_place() {
        for (text, says) in [
            ("0 1\n1 x\n", "graph.txt at byte 4"),
            ("0 1 nan", "\"nan\" is no weight"),
            ("0 1 -1", "\"-1\" is no weight"),
            ("a -> b inf", "\"inf\" is no weight"),
            ("a -> ", "lacks an end"),
            ("0 4000000000", "no dense numbering"),
            ("# Nodes: 99999999999\n0 1", "no dense numbering"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }

    #[test]
    fn parallel_arcs_without_weights_are_counted() {
        let list = parse("a -> b\nb -> a\na -> b\na -> b").unwrap();
        assert_eq!(arcs(&list), [(0, 1, 3.0), (1, 0, 1.0)]);
        assert_eq!(arcs(&parse("0 1\n0 1").unwrap()), [(0, 1, 2.0)]);
        assert!(parse("0 1\n1 0").unwrap().graph.weights().is_none());
        // One weight, and all are weighted: the greatest is kept.
        assert_eq!(arcs(&parse("a -> b\na -> b 0.5\na -> b").unwrap()), [(0, 1, 1.0)]);
    }

    #[test]
    fn names_in_every_order() {
        let text = "http://b.org/ -> http://c.com/\nzebra\nhttp://b.org/ -> apple\n";
        for (order, names) in [
            (Order::Surt, ["apple", "http://c.com/", "http://b.org/", "zebra"]),
            (Order::Name, ["apple", "http://b.org/", "http://c.com/", "zebra"]),
            (Order::Given, ["http://b.org/", "http://c.com/", "zebra", "apple"]),
        ] {
            let options = EdgeOptions { order, ..EdgeOptions::default() };
            let list = parse_edges(text.as_bytes(), Path::new("-"), &options).unwrap();
            let read = list.names.clone().unwrap();
            let arcs: Vec<_> =
                arcs(&list).iter().map(|a| (&read[a.0 as usize][..], &read[a.1 as usize][..])).collect();
            assert!(
                arcs.contains(&("http://b.org/", "apple"))
                    && arcs.contains(&("http://b.org/", "http://c.com/"))
            );
            assert_eq!(
                (read.iter().map(String::as_str).collect::<Vec<_>>(), arcs.len()),
                (names.to_vec(), 2)
            );
        }
    }

    #[test]
    fn numbers_with_gaps_become_names_if_the_header_says_so() {
        let list = parse("# Nodes: 3 Edges: 2\n7 900\n900 42").unwrap();
        assert_eq!(list.names.as_deref().unwrap(), ["7", "42", "900"]);
        assert_eq!(arcs(&list), [(0, 2, 1.0), (2, 1, 1.0)]);
        // Otherwise nodes keep their numbers.
        assert_eq!(parse("# Nodes: 4\n7 900\n900 42").unwrap().graph.offsets().len() - 1, 901);
    }

    #[test]
    fn texts_that_do_not_fit_are_refused() {
        let options = EdgeOptions { memory: 400, ..EdgeOptions::default() };
        let read = |text: &str| parse_edges(text.as_bytes(), Path::new("-"), &options);
        assert!(read(&"1 2\n".repeat(20)).is_ok());
        assert!(matches!(read(&"1 2\n".repeat(21)), Err(Error::Limit(_))));
        assert!(matches!(read("a -> b\nc -> d"), Err(Error::Limit(_))));
        let long = "x".repeat(2 << 20);
        assert!(read(&long).unwrap_err().to_string().contains("more than a mebibyte"));
    }
}
