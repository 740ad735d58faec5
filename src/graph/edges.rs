//! Graphs as text, one arc a line.
//!
//! Two kinds, told apart by the first arc: *named*, `http://a.com -> http://b.com 1.0`, a line without `->`
//! being an isolated node; and *numbered*, `17 42` or `17 42 1.0`, as published graphs come. Weights are
//! optional (1.0); of parallel arcs the greatest is kept. Empty lines and lines that start with `#` or `%`
//! say nothing, but a header `# Nodes: 6012 …` sets the number of nodes.
//!
//! Named nodes are numbered in the order of SURT, then name; names that are no URLs by their bytes. Numbered
//! nodes keep their numbers, less 1 if no node is numbered 0: published graphs count from 0 or from 1.
//!
//! Cost: all in memory, names once and 12 bytes an arc; larger graphs come from the tables of a crawl.

use super::csr::Csr;
use crate::capture::CanonicalUrl;
use crate::error::{AtPath, Error, Result};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// A graph that was text.
#[derive(Clone, Debug)]
pub struct EdgeList {
    /// The graph; with weights if any arc had one.
    pub graph: Csr,
    /// Names of the nodes, if they have names.
    pub names: Option<Vec<String>>,
    /// What the text calls node 0, if nodes have numbers.
    pub first: u32,
}

/// Reads a text file of either kind.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Corrupt`] with the place of the first line that is no arc.
pub fn read_edges(path: impl AsRef<Path>) -> Result<EdgeList> {
    let path = path.as_ref();
    let file = File::open(path).at(path)?;
    parse_edges(BufReader::with_capacity(256 << 10, file), path)
}

/// As [`read_edges`], from anything; `path` is for messages.
///
/// # Errors
/// As [`read_edges`].
pub fn parse_edges(mut from: impl BufRead, path: &Path) -> Result<EdgeList> {
    let mut lines = Lines::default();
    let (mut line, mut offset) = (Vec::new(), 0u64);
    loop {
        line.clear();
        let read = from.read_until(b'\n', &mut line).at(path)?;
        if read == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        lines
            .take(text.trim().trim_start_matches('\u{feff}'))
            .map_err(|why| Error::corrupt(path, offset, why))?;
        offset += read as u64;
    }
    lines.finish().map_err(|error| match error {
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
}

impl Lines {
    fn take(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with(['#', '%']) || line.is_empty() {
            let mut words = line.trim_start_matches(['#', '%', ' ']).split_whitespace();
            if words.next().is_some_and(|word| word.eq_ignore_ascii_case("nodes:")) {
                self.promised = words.next().and_then(|n| n.parse().ok());
            }
            return Ok(());
        }
        let named = *self.named.get_or_insert_with(|| numbered(line).is_none());
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

    fn arc(&mut self, source: u32, target: u32, weight: Option<&str>) -> Result<(), String> {
        let value = match weight {
            None => 1.0,
            Some(text) => {
                self.weighted = true;
                let value = text.parse::<f32>().ok().filter(|w| w.is_finite() && *w >= 0.0);
                value.ok_or_else(|| format!("{text:?} is no weight"))?
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
                self.numbers.insert(name.to_owned(), number);
                number
            }
        }
    }

    fn finish(mut self) -> Result<EdgeList> {
        let (nodes, names, first) = if self.named == Some(true) {
            let mut names: Vec<(String, String, u32)> = self
                .numbers
                .into_iter()
                .map(|(name, number)| {
                    (CanonicalUrl::parse(&name).map_or_else(|| name.clone(), |url| url.surt()), name, number)
                })
                .collect();
            names.sort_unstable();
            let mut order = vec![0u32; names.len()];
            for (node, (_, _, number)) in names.iter().enumerate() {
                order[*number as usize] = node as u32;
            }
            for arc in &mut self.arcs {
                (arc.0, arc.1) = (order[arc.0 as usize], order[arc.1 as usize]);
            }
            (names.len() as u64, Some(names.into_iter().map(|n| n.1).collect()), 0)
        } else {
            let least = self.arcs.iter().map(|a| a.0.min(a.1)).min().unwrap_or(0);
            let greatest = self.arcs.iter().map(|a| a.0.max(a.1)).max();
            // A header that leaves no number for node 0, or nobody who has it.
            let fits =
                |first: u64| greatest.is_none_or(|g| self.promised.is_none_or(|n| u64::from(g) < n + first));
            let first = u32::from(least > 0 && fits(1));
            for arc in &mut self.arcs {
                (arc.0, arc.1) = (arc.0 - first, arc.1 - first);
            }
            let used = greatest.map_or(0, |g| u64::from(g - first) + 1);
            (used.max(self.promised.unwrap_or(0)), None, first)
        };
        // A number or header out of all proportion would allocate without end.
        if nodes > 64 * self.arcs.len() as u64 + (1 << 24) || nodes > u64::from(u32::MAX) {
            let arcs = self.arcs.len();
            return Err(Error::Config(format!(
                "{nodes} nodes for {arcs} arcs: the numbers are no dense numbering"
            )));
        }
        let graph = if self.weighted {
            Csr::from_weighted_arcs(nodes as usize, self.arcs)?
        } else {
            Csr::from_arcs(nodes as usize, self.arcs.into_iter().map(|a| (a.0, a.1)))?
        };
        Ok(EdgeList { graph, names, first })
    }
}

/// A line of two whole numbers and perhaps a weight.
fn numbered(line: &str) -> Option<(u32, u32, Option<&str>)> {
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let (source, target) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let weight = words.next();
    words.next().is_none().then_some((source, target, weight))
}

impl EdgeList {
    /// Writes the graph in the kind it has; reading it gives it back.
    ///
    /// # Errors
    /// [`Error::Io`] if `path`, for which `out` stands, cannot be written.
    pub fn write(&self, mut out: impl Write, path: &Path) -> Result<()> {
        let nodes = self.graph.offsets().len() - 1;
        if self.names.is_none() {
            writeln!(out, "# Nodes: {nodes} Edges: {}", self.graph.targets().len()).at(path)?;
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
                    Some(weights) => writeln!(out, " {}", weights.get(arc)).at(path)?,
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
        parse_edges(text.as_bytes(), Path::new("graph.txt"))
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
}
