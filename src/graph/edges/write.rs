//! Writes a list of arcs so that reading it gives the same graph back.

use super::super::csr::ShownWeight;
use super::EdgeList;
use std::io::Write;
use std::path::Path;
use webmill_capture::error::{AtPath, Error, Result};

/// A name that a line of text cannot hold so that it is read again.
fn unwritable(name: &str) -> bool {
    name.trim() != name
        || name.starts_with(['#', '%', '"'])
        || name.contains("->")
        || name.contains(['\n', '\r', '\t', '\u{feff}'])
        || name.is_empty()
}

impl EdgeList {
    /// Writes the graph in the kind it has; reading it gives it back.
    ///
    /// # Errors
    /// [`Error::Io`] if `out`, named `path` in errors, cannot be written; [`Error::Config`] for names that would be
    /// read as something else: with an arrow, a tab, a comment's sign in front, or of several words and without a link; and for
    /// nodes with names but without any arc.
    pub fn write(&self, mut out: impl Write, path: &Path) -> Result<()> {
        let nodes = self.graph.offsets().len() - 1;
        // A blank could end a name as well as begin a weight: then tabs do.
        let (mut arrow, mut gap) = (" -> ", " ");
        let isolated = self.isolated();
        if let Some(names) = &self.names {
            // Without an arc, nothing says what a line is.
            let alone = |name: &String| self.graph.targets().is_empty() || name.contains(char::is_whitespace);
            let mut of_isolated = isolated.iter().map(|&node| &names[node as usize]);
            let wrong =
                names.iter().find(|name| unwritable(name)).or_else(|| of_isolated.find(|name| alone(name)));
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
        // Behind the arcs, the first of which says how lines are read.
        for (names, node) in
            self.names.iter().flat_map(|names| isolated.iter().map(move |node| (names, *node)))
        {
            writeln!(out, "{}", names[node as usize]).at(path)?;
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
