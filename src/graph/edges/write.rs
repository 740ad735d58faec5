//! Writes a list of arcs so that reading it gives the same graph back.

use super::super::csr::ShownWeight;
use super::EdgeList;
use super::line::{Line, is_header, is_wide_header, looks_numbered, named, suspect};
use std::io::Write;
use std::path::Path;
use webmill_capture::error::{AtPath, Error, Result};

/// A name that a line of text cannot hold so that it is read again.
fn unwritable(name: &str) -> bool {
    name.trim() != name
        || name.starts_with(['#', '%'])
        || name.contains("->")
        || name.contains(['\n', '\r', '\t', '\u{feff}'])
        || looks_numbered(name)
        // What follows would be inside of its quotes.
        || name.starts_with('"') && name.matches('"').count() % 2 == 1
        || name.is_empty()
}

/// A name that no line can hold alone.
fn unwritable_alone(name: &str) -> bool {
    is_header(name) || is_wide_header(name) || named(name) != Ok(Line::Node(name))
}

impl EdgeList {
    /// Writes the graph in the kind it has; reading it gives it back.
    ///
    /// # Errors
    /// [`Error::Io`] if `out`, named `path` in errors, cannot be written; [`Error::Config`] for names that would be
    /// read as something else: with an arrow, a tab, a comment's sign in front, or like an arc themselves.
    pub fn write(&self, mut out: impl Write, path: &Path) -> Result<()> {
        let nodes = self.graph.offsets().len() - 1;
        // A blank could end a name as well as begin a weight: then tabs do.
        let (mut arrow, mut gap) = (" -> ", " ");
        let isolated = self.isolated();
        if let Some(names) = &self.names {
            let alone = || isolated.iter().map(|&node| &names[node as usize]);
            // More of them than arcs would be refused.
            let doubtful = alone().filter(|name| suspect(name)).count() > self.graph.targets().len();
            let wrong = names.iter().find(|name| unwritable(name));
            let wrong =
                wrong.or_else(|| alone().find(|name| unwritable_alone(name) || doubtful && suspect(name)));
            if let Some(name) = wrong {
                return Err(Error::Config(format!(
                    "{}: a list of arcs cannot hold the name {name:?}",
                    path.display()
                )));
            }
            if names.iter().any(|name| name.contains(char::is_whitespace)) {
                (arrow, gap) = ("\t->\t", "\t");
            }
        } else {
            writeln!(out, "# Nodes: {nodes} Edges: {}\n# First: {}", self.graph.targets().len(), self.first)
                .at(path)?;
        }
        if let Some(names) = &self.names {
            for node in isolated {
                writeln!(out, "{}", names[node as usize]).at(path)?;
            }
        }
        for u in 0..nodes as u32 {
            for arc in self.graph.arcs_of(u) {
                let v = self.graph.targets()[arc];
                match &self.names {
                    Some(names) => {
                        write!(out, "{}{arrow}{}", names[u as usize], names[v as usize]).at(path)?
                    }
                    None => write!(out, "{} {}", u + self.first, v + self.first).at(path)?,
                }
                match self.graph.weights() {
                    Some(weights) => writeln!(out, "{gap}{}", ShownWeight(weights, arc)).at(path)?,
                    None => writeln!(out).at(path)?,
                }
            }
        }
        out.flush().at(path)
    }

    /// Nodes without any arc.
    fn isolated(&self) -> Vec<u32> {
        let mut linked = vec![false; self.graph.offsets().len() - 1];
        self.graph.targets().iter().for_each(|&v| linked[v as usize] = true);
        (0..linked.len() as u32)
            .filter(|&u| !linked[u as usize] && self.graph.successor_slice(u).is_empty())
            .collect()
    }
}
