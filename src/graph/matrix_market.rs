//! Graphs as sparse matrices in the Matrix Market exchange format, `coordinate` kind.
//!
//! **Format.** A first line `%%MatrixMarket matrix coordinate FIELD SYMMETRY` (or with one `%`), lines of comment that start
//! with `%`, a line `ROWS COLUMNS ENTRIES`, then an entry a line: `row column` or `row column value`, counted
//! from 1. An entry is an arc from its row to its column. The fields `pattern`, `integer` and `real` are read,
//! with the symmetries `general` and `symmetric` (an entry off the diagonal is both arcs). Equal
//! entries of a pattern are counted; values are added up.
//!
//! **Cost.** Reading: 12 bytes an entry, and the graph. Writing streams.
//!
//! **Reference.** R. Boisvert, R. Pozo, K. Remington, The Matrix Market exchange formats: initial design,
//! NISTIR 5935, 1996.

use super::csr::{Csr, Parallel, ShownWeight, Weights};
use super::lines::{LineDefect, Text, each_after, open, proportion, weight};
use std::io::{BufRead, Write};
use std::path::Path;
use webmill_capture::error::{AtPath, Error, Result};

/// First word of the format.
const MAGIC: &str = "%%MatrixMarket";

/// Does a text begin as files of this format do, with one `%` or two? A text in UTF-8 may have its mark in front.
pub(super) fn is_matrix(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    let word = &MAGIC.as_bytes()[1..];
    let text = text.strip_prefix(b"%%").map_or(text, |_| &text[1..]);
    text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word))
}

/// Reads a matrix file, plain or compressed with gzip or zstd.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Incompatible`] for kinds of matrices that are no graphs,
/// [`Error::Corrupt`] with the place of the first line that breaks the format, [`Error::Limit`] for more
/// entries than `memory` bytes hold.
pub fn read_matrix(path: impl AsRef<Path>, memory: u64, parallel: Parallel) -> Result<Csr> {
    let path = path.as_ref();
    parse_matrix(open(path)?, path, memory, parallel)
}

#[derive(Clone, Copy, PartialEq)]
enum Field {
    Pattern,
    Integer,
    Real,
}

/// As [`read_matrix`], from anything; `path` is for messages.
///
/// # Errors
/// As [`read_matrix`].
pub fn parse_matrix(mut from: impl BufRead, path: &Path, memory: u64, parallel: Parallel) -> Result<Csr> {
    let mut head = Vec::new();
    std::io::Read::take(&mut from, 1024).read_until(b'\n', &mut head).at(path)?;
    let before = Text { bytes: head.len() as u64, lines: 1, ..Text::default() };
    let head = String::from_utf8_lossy(&head).trim_start_matches('\u{feff}').trim().to_ascii_lowercase();
    let (field, symmetric) = kind(&head).ok_or_else(|| Error::Incompatible {
        path: path.to_path_buf(),
        found: format!("{head:?}"),
        expected: "%%MatrixMarket matrix coordinate, pattern, integer or real, general or symmetric".into(),
    })?;
    let mut size: Option<(u64, u64)> = None;
    let mut entries = 0u64;
    let (mut links, mut counts, mut reals) = (Vec::new(), Vec::new(), Vec::new());
    let text = each_after(before, from, path, |line| {
        if line.is_empty() || line.starts_with('%') {
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: &str| word.parse::<u64>().map_err(|_| format!("{word:?} is no whole number"));
        let Some((nodes, promised)) = size else {
            let &[rows, columns, entries] = &words[..] else {
                return Err(format!("{line:?} is not the size: rows, columns, entries").into());
            };
            let (rows, columns) = (number(rows)?, number(columns)?);
            if rows != columns {
                return Err(
                    format!("{rows} rows and {columns} columns: only a square matrix is a graph").into()
                );
            }
            size = Some((rows, number(entries)?));
            return Ok(());
        };
        entries += 1;
        if entries > promised {
            return Err(format!("more entries than the {promised} that the size promises").into());
        }
        if words.len() != if field == Field::Pattern { 2 } else { 3 } {
            return Err(format!("{line:?} is no entry of this matrix").into());
        }
        let node = |word: &str| match number(word)? {
            n if n == 0 || n > nodes => Err(format!("the node {n} is not one of 1 to {nodes}")),
            n if n > u64::from(u32::MAX) => Err(format!("{n} nodes: more than 32 bits can number")),
            n => Ok((n - 1) as u32),
        };
        let (u, v) = (node(words[0])?, node(words[1])?);
        let turned = (symmetric && u != v).then_some((v, u));
        for (u, v) in std::iter::once((u, v)).chain(turned) {
            match field {
                Field::Pattern => links.push((u, v)),
                Field::Integer => {
                    let value = words[2].parse().map_err(|_| {
                        format!(
                            "{:?} is no weight: they are whole numbers below 2^32, not negative",
                            words[2]
                        )
                    })?;
                    counts.push((u, v, value));
                }
                Field::Real => reals.push((u, v, weight(words[2])?)),
            }
        }
        // The graph's arrays besides the entries.
        let bytes = 16 * links.len() as u64 + 20 * (counts.len() + reals.len()) as u64;
        if bytes > memory {
            return Err(LineDefect::Limit(format!(
                "its first {entries} entries take {bytes} bytes, more than allowed"
            )));
        }
        Ok(())
    })?;
    let corrupt = |reason: String| Error::corrupt(path, text.bytes, reason);
    let Some((nodes, promised)) = size else { return Err(corrupt("the file ends before the size".into())) };
    if entries < promised {
        return Err(corrupt(format!("the file ends after {entries} of {promised} entries")));
    }
    let nodes = proportion(nodes, promised as usize).map_err(corrupt)?;
    match field {
        Field::Pattern if parallel == Parallel::Add => Csr::from_links(nodes, links),
        Field::Pattern => Csr::from_arcs(nodes, links),
        Field::Integer => {
            parallel.choose(&mut counts);
            Csr::from_counted_arcs(nodes, counts)
        }
        Field::Real => {
            parallel.choose(&mut reals);
            Csr::from_weighted_arcs(nodes, reals)
        }
    }
}

/// What the first line says: the field, and whether entries are arcs in both directions.
fn kind(head: &str) -> Option<(Field, bool)> {
    let mut words = head.split_whitespace();
    let known =
        is_matrix(words.next()?.as_bytes()) && [words.next()?, words.next()?] == ["matrix", "coordinate"];
    let field = match words.next()? {
        "pattern" => Field::Pattern,
        "integer" => Field::Integer,
        "real" | "double" => Field::Real,
        _ => return None,
    };
    let symmetric = match words.next()? {
        "general" => false,
        "symmetric" => true,
        _ => return None,
    };
    (known && words.next().is_none()).then_some((field, symmetric))
}

/// Writes a graph as a general matrix; reading it gives the graph back.
///
/// # Errors
/// [`Error::Io`] if `out`, named `path` in errors, cannot be written.
pub fn write_matrix(graph: &Csr, mut out: impl Write, path: &Path) -> Result<()> {
    let field = match graph.weights() {
        None => "pattern",
        Some(Weights::Counts(_)) => "integer",
        Some(Weights::Reals(_)) => "real",
    };
    let nodes = graph.num_nodes();
    writeln!(out, "{MAGIC} matrix coordinate {field} general").at(path)?;
    writeln!(out, "% an entry is an arc from its row to its column").at(path)?;
    writeln!(out, "{nodes} {nodes} {}", graph.num_arcs()).at(path)?;
    for u in 0..nodes as u32 {
        for arc in graph.arcs_of(u) {
            let (row, column) = (u64::from(u) + 1, u64::from(graph.targets()[arc]) + 1);
            match graph.weights() {
                None => writeln!(out, "{row} {column}"),
                Some(weights) => writeln!(out, "{row} {column} {}", ShownWeight(weights, arc)),
            }
            .at(path)?;
        }
    }
    out.flush().at(path)
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Csr> {
        parse_matrix(text.as_bytes(), Path::new("g.mtx"), u64::MAX, Parallel::Add)
    }

    fn arcs(text: &str) -> Vec<(u32, u32, f64)> {
        parse(text).unwrap().arcs().collect()
    }

    #[test]
    fn every_field_and_symmetry() {
        for (head, entries, expected) in [
            ("pattern general", "1 2\n3 1", vec![(0, 1, 1.0), (2, 0, 1.0)]),
            ("pattern general", "1 2\n1 2\n3 1", vec![(0, 1, 2.0), (2, 0, 1.0)]),
            ("PATTERN Symmetric", "2 1\n3 3", vec![(0, 1, 1.0), (1, 0, 1.0), (2, 2, 1.0)]),
            ("integer general", "1 2 4000000000\n1 2 7", vec![(0, 1, 4_000_000_007.0)]),
            ("integer symmetric", "2 1 5\n2 2 0", vec![(0, 1, 5.0), (1, 0, 5.0), (1, 1, 0.0)]),
            ("real general", "1 2 .5\n1 2 2.5e-1\n3 3 1", vec![(0, 1, 0.75), (2, 2, 1.0)]),
            ("real symmetric", "3 1 -0", vec![(0, 2, 0.0), (2, 0, 0.0)]),
        ] {
            let n = entries.lines().count();
            let text = format!("%%MatrixMarket matrix coordinate {head}\n% c\n\n3 3 {n}\r\n{entries}\n");
            assert_eq!(arcs(&text), expected, "{head}");
        }
        assert!(
            parse("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2")
                .unwrap()
                .weights()
                .is_none()
        );
        assert_eq!(parse("%%MatrixMarket matrix coordinate real general\n7 7 0\n").unwrap().num_nodes(), 7);
    }

    #[test]
    fn one_sign_of_percent_is_enough() {
        let text = "%MatrixMarket matrix coordinate pattern symmetric\n5 5 3\n2 1\n4 3\n5 5\n";
        assert_eq!(arcs(text), [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0), (4, 4, 1.0)]);
        for (text, is) in [
            ("%%matrixmarket matrix", true),
            ("\u{feff}%MatrixMarket matrix", true),
            ("%%%MatrixMarket", false),
            ("% MatrixMarket", false),
            ("%%Matrix", false),
        ] {
            assert_eq!(is_matrix(text.as_bytes()), is, "{text}");
        }
    }

    #[test]
    fn parallel_entries_add_up_or_one_is_chosen() {
        for (field, entries, add, max, first) in [
            ("pattern", "1 2\n1 2", 2.0, 1.0, 1.0),
            ("integer", "1 2 3\n1 2 5", 8.0, 5.0, 3.0),
            ("real", "1 2 .5\n1 2 .25", 0.75, 0.5, 0.5),
        ] {
            let text = format!("%%MatrixMarket matrix coordinate {field} general\n2 2 2\n{entries}\n");
            for (parallel, weight) in [(Parallel::Add, add), (Parallel::Max, max), (Parallel::First, first)] {
                let read = parse_matrix(text.as_bytes(), Path::new("-"), u64::MAX, parallel).unwrap();
                assert_eq!(read.arcs().collect::<Vec<_>>(), [(0, 1, weight)], "{field} {parallel:?}");
            }
        }
    }

    #[test]
    fn wrong_files_are_told() {
        let head = "%%MatrixMarket matrix coordinate real general\n";
        for (text, says) in [
            ("%%MatrixMarket matrix array real general\n2 2\n1", "found \"%%matrixmarket matrix array"),
            ("%%MatrixMarket matrix coordinate complex general\n", "expected %%MatrixMarket"),
            ("%%MatrixMarket matrix coordinate real skew-symmetric\n", "expected %%MatrixMarket"),
            (head, "ends before the size"),
            (&format!("{head}2 3 1\n1 1 1"), "only a square matrix"),
            (&format!("{head}2 2 1\n1 3 1"), "g.mtx at byte 52: line 3: the node 3 is not one of 1 to 2"),
            (&format!("{head}2 2 1\n0 1 1"), "the node 0 is not one of 1 to 2"),
            (&format!("{head}2 2 1\n1 -1 1"), "no whole number"),
            (&format!("{head}2 2 2\n1 1 1"), "ends after 1 of 2 entries"),
            (&format!("{head}2 2 1\n1 1 1\n2 2 1"), "more entries than the 1"),
            (&format!("{head}2 2 1\n1 1"), "no entry of this matrix"),
            (&format!("{head}2 2 1\n1 1 nan"), "\"nan\" is no weight"),
            (&format!("{head}2 2 1\n1 1 -1"), "\"-1\" is no weight"),
            (&format!("{head}2 2 1\n1 1 1e99"), "\"1e99\" is too large"),
            (&format!("{head}4000000000 4000000000 1\n1 1 1"), "no dense numbering"),
            (&format!("{head}99999999999 99999999999 1\n9999999999 1 1"), "32 bits"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text:?}: {error}");
        }
        let text = format!("{head}2 2 3\n1 1 1\n1 2 1\n2 2 1");
        assert!(matches!(
            parse_matrix(text.as_bytes(), Path::new("g"), 50, Parallel::Add),
            Err(Error::Limit(_))
        ));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(graph in graphs(30, 100), weights in prop::collection::vec(any::<(u32, f32)>(), 100)) {
            let arcs = || graph.arcs().zip(&weights);
            let n = graph.num_nodes();
            for graph in [
                graph.clone(),
                Csr::from_counted_arcs(n, arcs().map(|((u, v, _), w)| (u, v, w.0))).unwrap(),
                Csr::from_weighted_arcs(n, arcs().map(|((u, v, _), w)| {
                    (u, v, if w.1.is_finite() { w.1.abs() } else { 1.5 })
                })).unwrap(),
            ] {
                let mut text = Vec::new();
                write_matrix(&graph, &mut text, Path::new("-")).unwrap();
                let read = parse_matrix(&text[..], Path::new("-"), u64::MAX, Parallel::Add).unwrap();
                prop_assert_eq!(read.offsets(), graph.offsets());
                prop_assert!(read.arcs().eq(graph.arcs()));
                prop_assert_eq!(read.weights().is_some(), graph.weights().is_some());
            }
        }
    }
}
