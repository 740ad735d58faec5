//! Reads and writes graphs as text, one arc a line.
//!
//! **Definition.** Empty lines and lines that start with `#` or `%` say nothing, but for a header `# Nodes: 6012 …`, which sets the number
//! of nodes. The first line that is more than a name says how all lines are read:
//!
//! | it has | lines are |
//! |---|---|
//! | an arrow | `http://a.com -> http://b.com 1.0`; any other line is a name alone, an isolated node |
//! | names of columns | cells in as many columns, of which those named `source`, `target` and `weight`, or like them, count; [`Columns`] names others |
//! | a tab, a comma, a semicolon or a bar, else blanks; blanks between two URLs | source, target and perhaps a weight with these between; a cell may stand in quotes |
//!
//! Weights are optional (1.0): where any arc has one, those of parallel arcs add up; where none has, parallel arcs are links and are
//! counted ([`Parallel`] has other ways). Before an arrow's weight stands a tab, or a blank where the target holds none. Names that hold
//! blanks stand between tabs. Bytes that are no UTF-8 become `%XX`.
//!
//! **Named.** Nodes are numbered in the order of SURT, then name, names that are no URLs by their bytes.
//!
//! **Numbered.** Without arrows, where the first arc is of two whole numbers: as published graphs come. Nodes keep their numbers, less 1 if
//! no node is numbered 0: published graphs count from 0 or from 1. A first line of words before numbers named columns. If numbers have gaps, those that occur are
//! numbered afresh in their order, with their numbers as names: the others are not nodes that nobody links to. Gaps are
//! told by a header that promises just as many nodes as numbers occur; without a header that promises them, by less
//! than one in eight of the numbers up to the greatest occurring, or by a number of more than 32 bits.
//!
//! **Errors.** An empty cell, more cells than an arc has, numbers among names and names among numbers, a weight that is none, names without
//! any arc.
//!
//! **Cost.** All in memory, names once and 12 bytes an arc, and the graph; larger graphs come from the tables of
//! a crawl, which are sorted on disk.

mod collect;
mod table;
mod write;

use super::csr::{Csr, Parallel};
use super::lines::{LineDefect, each};
use collect::Lines;
use std::io::BufRead;
use std::path::Path;
pub use table::Columns;
use webmill_capture::error::{Error, Result};

/// A graph that was text.
#[derive(Clone, Debug)]
pub struct EdgeList {
    /// The graph; with weights if any arc had one, or is not the only one of its kind.
    pub graph: Csr,
    /// Names of the nodes, if they have names.
    pub names: Option<Vec<String>>,
    /// What the text calls node 0, if nodes have numbers.
    pub first: u32,
    /// How the text was read, in words: `arcs between names with tabs between`.
    pub read_as: String,
    /// What was read in one way and may have been meant in another, a sentence each.
    pub notes: Vec<String>,
}

/// How a text is read.
#[derive(Clone, Debug)]
pub struct EdgeOptions {
    /// Columns of a table with an arc a line; without them lines are told apart as above.
    pub columns: Option<Columns>,
    /// What parallel arcs become.
    pub parallel: Parallel,
    /// Bytes that arcs and names may take.
    pub memory: u64,
}

impl Default for EdgeOptions {
    fn default() -> Self {
        EdgeOptions { columns: None, parallel: Parallel::Add, memory: u64::MAX }
    }
}

/// Reads a text of either kind; `path` is for messages.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Corrupt`] with the place of the first line that is no arc, and for names without any arc;
/// [`Error::Limit`] for more arcs and names than the memory allowed holds.
pub fn parse_edges(from: impl BufRead, path: &Path, options: &EdgeOptions) -> Result<EdgeList> {
    let mut lines = Lines::new(options);
    let text = each(from, path, |line| {
        lines.take(line)?;
        let bytes = lines.bytes();
        if bytes <= options.memory {
            return Ok(());
        }
        let arcs = lines.num_arcs();
        Err(LineDefect::Limit(format!(
            "its first {arcs} arcs and their names take {bytes} bytes, more than allowed"
        )))
    })?;
    let mut list = lines.finish(options.parallel).map_err(|error| match error {
        Error::Config(reason) => Error::corrupt(path, 0, reason),
        other => other,
    })?;
    if text.escaped > 0 {
        list.notes.push(format!(
            "{} lines hold bytes that are no UTF-8 (the first is line {}): these are written as %XX",
            text.escaped, text.first_escaped
        ));
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse_with(text: &str, options: &EdgeOptions) -> Result<EdgeList> {
        parse_edges(text.as_bytes(), Path::new("graph.txt"), options)
    }

    fn parse(text: &str) -> Result<EdgeList> {
        parse_with(text, &EdgeOptions::default())
    }

    fn arcs(list: &EdgeList) -> Vec<(u32, u32, f64)> {
        list.graph.arcs().collect()
    }

    /// Arcs by the names of their ends, else their numbers in the text.
    fn shown(list: &EdgeList) -> Vec<String> {
        let name = |node: u32| {
            list.names.as_ref().map_or((node + list.first).to_string(), |n| n[node as usize].clone())
        };
        let mut arcs: Vec<String> =
            arcs(list).iter().map(|a| format!("{}>{} {}", name(a.0), name(a.1), a.2)).collect();
        arcs.sort();
        arcs
    }

    fn written(list: &EdgeList) -> Result<String> {
        let mut text = Vec::new();
        list.write(&mut text, Path::new("-"))?;
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn named_arcs_in_surt_order() {
        let text = "http://b.org -> http://a.com 1.0\r\nhttp://a.com->http://x.a.com\n\nhttp://alone.net\n\
                    http://b.org -> http://a.com 2.5\nhttp://b.org -> http://a.com 0.5";
        let list = parse(text).unwrap();
        let names = list.names.clone().unwrap();
        assert_eq!(names, ["http://a.com", "http://x.a.com", "http://alone.net", "http://b.org"]);
        assert_eq!(arcs(&list), [(0, 1, 1.0), (3, 0, 4.0)]);
        let again = parse(&written(&list).unwrap()).unwrap();
        assert_eq!((arcs(&again), again.names), (arcs(&list), list.names));
    }

    #[test]
    fn numbered_arcs_from_none_or_one() {
        for (text, nodes, first, expected) in [
            ("0 1\n1 2\n", 3, 0, vec![(0, 1, 1.0), (1, 2, 1.0)]),
            ("% from one\n1 2\n2 3\n", 3, 1, vec![(0, 1, 1.0), (1, 2, 1.0)]),
            ("# Nodes: 5 Edges: 2\n1\t2\n2\t5", 5, 1, vec![(0, 1, 1.0), (1, 4, 1.0)]),
            ("# Nodes: 7 Edges: 1\n0 1", 7, 0, vec![(0, 1, 1.0)]),
            ("# Nodes: 4 Edges: 2\n# First: 0\n1 2\n2 3", 4, 0, vec![(1, 2, 1.0), (2, 3, 1.0)]),
            ("1,2,0.5\n1,2,0.25", 2, 1, vec![(0, 1, 0.75)]),
            // A header that leaves room for them says that they are nodes; few that are missing are, too.
            ("# Nodes: 901\n7 900", 901, 1, vec![(6, 899, 1.0)]),
            ("0 1\n1 9", 10, 0, vec![(0, 1, 1.0), (1, 9, 1.0)]),
            ("", 0, 0, vec![]),
        ] {
            let list = parse(text).unwrap();
            assert_eq!(
                (list.graph.num_nodes(), list.first, arcs(&list)),
                (nodes, first, expected),
                "{text:?}"
            );
            let again = parse(&written(&list).unwrap()).unwrap();
            assert_eq!(arcs(&again), arcs(&list), "{text:?}");
        }
    }

    #[test]
    fn numbers_with_gaps_become_names() {
        for (text, names, said) in [
            ("# Nodes: 3 Edges: 2\n7 900\n900 42", &["7", "42", "900"][..], None),
            ("7 900\n900 42", &["7", "42", "900"], Some("3 numbers up to 900 occur")),
            ("# Nodes: 4\n7 900\n900 42", &["7", "42", "900"], Some("3 numbers up to 900")),
            ("0 4000000000", &["0", "4000000000"], Some("2 numbers")),
            ("# Nodes: 99999999999\n0 1", &["0", "1"], Some("2 numbers")),
            ("3 1\n18446744073709551615 3 0.5", &["1", "3", "18446744073709551615"], Some("3 numbers")),
        ] {
            let list = parse(text).unwrap();
            assert_eq!(list.names.as_deref().unwrap(), names, "{text:?}");
            assert_eq!(list.notes.len(), usize::from(said.is_some()), "{text:?}: {:?}", list.notes);
            assert!(said.is_none_or(|said| list.notes[0].starts_with(said)), "{text:?}: {:?}", list.notes);
        }
        let list = parse("7 900\n900 42\n5000000000 7").unwrap();
        assert_eq!(arcs(&list), [(0, 2, 1.0), (2, 1, 1.0), (3, 0, 1.0)]);
    }

    #[test]
    fn the_first_line_says_how_all_are_read() {
        for (text, expected, read_as) in [
            (
                "a -> b\nb -> c 2",
                &["a>b 1", "b>c 2"][..],
                "arcs between names with an arrow between, with weights",
            ),
            ("alone\na -> b", &["a>b 1"], "arcs between names with an arrow between"),
            ("1 -> 2", &["1>2 1"], "arcs between names with an arrow between"),
            (
                "my page\t->\tpage 2\t3",
                &["my page>page 2 3"],
                "arcs between names with an arrow between, with weights",
            ),
            ("a -> my page", &["a>my page 1"], "arcs between names with an arrow between"),
            (
                "http://a/x->y\thttp://b/",
                &["http://a/x->y>http://b/ 1"],
                "arcs between names with tabs between",
            ),
            (
                "a b\tc d\nc d\ta b\t2",
                &["a b>c d 1", "c d>a b 2"],
                "arcs between names with tabs between, with weights",
            ),
            (
                "alice, bob\nbob, carol",
                &["alice>bob 1", "bob>carol 1"],
                "arcs between names with commas between",
            ),
            (
                "\"a, b\";c\nc;\"a, b\"",
                &["a, b>c 1", "c>a, b 1"],
                "arcs between names with semicolons between",
            ),
            (
                "http://a/,http://b/,2",
                &["http://a/>http://b/ 2"],
                "arcs between names with commas between, with weights",
            ),
            (
                "http://a/?1,2 http://b/",
                &["http://a/?1,2>http://b/ 1"],
                "arcs between names with blanks between",
            ),
            (
                "a.com  b.org 0.5\nalone",
                &["a.com>b.org 0.5"],
                "arcs between names with blanks between, with weights",
            ),
            ("1 2\n2 4", &["1>2 1", "2>4 1"], "arcs between numbers with blanks between"),
            ("# pairs\nid_1,id_2\n0,1\n1,2", &["0>1 1", "1>2 1"], "arcs between numbers with commas between"),
            (
                "\u{feff}Source URL\tTarget URL\r\nhttp://a/\thttp://b/",
                &["http://a/>http://b/ 1"],
                "arcs between names in columns 1, 2 with tabs between, names of columns in the first line",
            ),
        ] {
            let list = parse(text).unwrap();
            assert_eq!(
                (&shown(&list)[..], list.read_as.as_str()),
                (&expected.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>()[..], read_as),
                "{text:?}"
            );
        }
    }

    #[test]
    fn wrong_lines_are_named_by_their_place() {
        for (text, says) in [
            ("0 1\n1 x\n", "graph.txt at byte 4: line 2: \"1 x\" is no pair of numbers"),
            ("0 1\n1", "line 2: \"1\" is no pair of numbers"),
            ("0 1 nan", "\"nan\" is no weight"),
            ("0 1 -1", "\"-1\" is no weight"),
            ("a -> b inf", "\"inf\" is no weight"),
            ("a -> b 1e39", "\"1e39\" is too large for a weight: they have single precision"),
            ("0 1 1e-46", "\"1e-46\" is too small for a weight"),
            ("a -> ", "lacks an end"),
            ("a -> b\nalice bob", "line 2: \"alice bob\" is no arc `source -> target`, and no name"),
            ("http://a/,http://b/\n,http://c/", "line 2: \",http://c/\": column 1 is empty"),
            ("a\tb\nc\t", "line 2: \"c\\t\": column 2 is empty"),
            ("1,2\n\n1,,2", "line 3: \"1,,2\": column 2 is empty"),
            ("a,b,c", "\"c\" is no weight"),
            (
                "http://a/ http://b/\nhttp://a/ http://b/ x y",
                "has 4 cells, an arc has source, target and a weight",
            ),
            ("{\"source\":\"a\",\"target\":\"b\"}", "line 1"),
            ("apple\nbanana", "graph.txt at byte 0: no line holds an arc"),
            ("source,target\na,b\nc\n", "line 3: \"c\" has 1 cells, the first line 2"),
            ("source,target\n\"a,b\n", "a quote does not end"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }

    #[test]
    fn parallel_arcs_add_up_or_one_is_chosen() {
        for (text, add, max, first) in [
            ("a\tb\na\tb\na\tb", 3.0, 1.0, 1.0),
            ("0 1\n0 1", 2.0, 1.0, 1.0),
            ("a\tb\t2\na\tb\t3\na\tb\t1", 6.0, 3.0, 2.0),
            ("1 2 2\n1 2 3", 5.0, 3.0, 2.0),
            // One weight, and all are weighted.
            ("a -> b\na -> b 0.5\na -> b", 2.5, 1.0, 1.0),
        ] {
            for (parallel, weight) in [(Parallel::Add, add), (Parallel::Max, max), (Parallel::First, first)] {
                let list = parse_with(text, &EdgeOptions { parallel, ..EdgeOptions::default() }).unwrap();
                assert_eq!(arcs(&list), [(0, 1, weight)], "{text:?} {parallel:?}");
            }
        }
        assert!(parse("0 1\n1 0").unwrap().graph.weights().is_none());
    }

    #[test]
    fn tables_are_read_by_their_columns() {
        let read = |text: &str, columns: Option<&str>| {
            let columns = columns.map(|columns| columns.parse().unwrap());
            parse_with(text, &EdgeOptions { columns, ..EdgeOptions::default() })
        };
        for (text, columns, expected) in [
            ("weight,source,target\n2,a,b\n3,b,a\n", None, &["a>b 2", "b>a 3"][..]),
            ("source,target,weight\n\"x, \"\"y\"\"\",b,2\n", None, &["x, \"y\">b 2"]),
            ("source;type;target\na;k;b\n", None, &["a>b 1"]),
            ("Target\tSource\na\tb\n", None, &["b>a 1"]),
            ("source,target,anchor\nhttp://a/,http://b/,\"p, q\"\n", None, &["http://a/>http://b/ 1"]),
            ("source,target,value\n0,1,3\n", None, &["0>1 1"]),
            ("day,who,whom,n\nmon,a,b,2\ntue,b,a,3\n", Some("who,WHOM,n"), &["a>b 2", "b>a 3"]),
            ("mon a b 2\ntue b  a 3\n", Some("2,3"), &["a>b 1", "b>a 1"]),
            ("a|2|b", Some("1,3,2"), &["a>b 2"]),
            ("d,u,v,n\n1,0,1,2", Some("2,3,4"), &["0>1 2"]),
        ] {
            assert_eq!(shown(&read(text, columns).unwrap()), expected, "{text:?}");
        }
        let list = read("day,who,whom\nmon,a,b\n", Some("who,whom")).unwrap();
        assert_eq!(
            list.read_as,
            "arcs between names in columns 2, 3 with commas between, 1 others left out, names of columns in the first line"
        );
        for (text, columns, says) in [
            ("who,whom\na,b", "who,whon", "no column is called \"whon\"; near to it: who, whom"),
            ("a,b", "1,3", "there is no column 3"),
        ] {
            let error = read(text, Some(columns)).unwrap_err().to_string();
            assert!(error.contains(says), "{text:?}: {error}");
        }
        for wrong in ["a", "a,", "0,1", "a,b,c,d", "1,1", "1,2,01", "url,Url"] {
            assert!(wrong.parse::<Columns>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_a_list_does_not_say_is_said() {
        for (text, says) in [
            (
                "# Undirected graph: roads\n0 1\n1 2",
                "\"Undirected graph: roads\" says that links have no direction",
            ),
            ("% sym unweighted\n1 2", "says that links have no direction"),
            ("id_1,id_2\n0,1\n1,2", "the first line was read as the names of columns"),
        ] {
            let notes = parse(text).unwrap().notes;
            assert!(notes.len() == 1 && notes[0].contains(says), "{text:?}: {notes:?}");
        }
        assert!(
            parse("# Directed graph (each unordered pair of nodes is saved once)\n0 1")
                .unwrap()
                .notes
                .is_empty()
        );
        let text = b"http://a/\xe9\thttp://b/\nhttp://a/\xe8\thttp://b/\xc3\xa9\n";
        let list = parse_edges(&text[..], Path::new("-"), &EdgeOptions::default()).unwrap();
        assert_eq!(list.names.unwrap(), ["http://a/%E8", "http://a/%E9", "http://b/", "http://b/\u{e9}"]);
        assert_eq!(
            list.notes,
            ["2 lines hold bytes that are no UTF-8 (the first is line 1): these are written as %XX"]
        );
    }

    #[test]
    fn weights_are_written_as_short_as_they_read_back() {
        let list = parse("a -> b 0.1\nb -> a 3.5714285\na -> a 1e-9").unwrap();
        assert_eq!(written(&list).unwrap(), "a -> a 0.000000001\na -> b 0.1\nb -> a 3.5714285\n");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            names in prop::collection::btree_set("[a12.:/ #>\"-]{1,6}", 1..5),
            arcs in prop::collection::vec((0..5usize, 0..5usize, 1..4u32), 0..8),
            weighted: bool,
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let n = names.len();
            let arcs = arcs.iter().map(|a| ((a.0 % n) as u32, (a.1 % n) as u32, a.2));
            let graph = if weighted {
                Csr::from_counted_arcs(n, arcs).unwrap()
            } else {
                Csr::from_arcs(n, arcs.map(|a| (a.0, a.1))).unwrap()
            };
            let list = EdgeList { graph, names: Some(names), first: 0, read_as: String::new(), notes: Vec::new() };
            if let Ok(text) = written(&list) {
                let again = parse(&text).unwrap();
                let mut names = again.names.clone().unwrap();
                names.sort_unstable();
                prop_assert_eq!(Some(&names), list.names.as_ref(), "{}", text);
                prop_assert_eq!(shown(&again), shown(&list), "{}", text);
            }
        }
    }

    #[test]
    fn texts_that_do_not_fit_are_refused() {
        let read = |text: &str| parse_with(text, &EdgeOptions { memory: 400, ..EdgeOptions::default() });
        assert!(read(&"1 2\n".repeat(20)).is_ok());
        assert!(matches!(read(&"1 2\n".repeat(21)), Err(Error::Limit(_))));
        assert!(matches!(read("a -> b\nc -> d"), Err(Error::Limit(_))));
        let long = "x".repeat(2 << 20);
        assert!(read(&long).unwrap_err().to_string().contains("more than a mebibyte"));
    }
}
