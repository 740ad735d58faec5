//! Reads and writes graphs as text, one arc a line.
//!
//! `load` calls it for every graph file that is text, for `webmill rank`, `shape` and `graph` and for the Python package: edge lists
//! come in many forms, and a form that is guessed wrong gives a wrong graph without an error.
//!
//! There are two kinds, which differ in the first line: *named* and *numbered*. Weights are optional, and 1.0 if missing. If any arc has
//! a weight, the weights of parallel arcs are added; if none has, parallel arcs are links, and are counted ([`Parallel`] has other
//! ways). Bytes that are not UTF-8 become `%XX`.
//!
//! **Comments and headers.** Empty lines and lines that start with `#` or `%` are ignored, with two exceptions: a header
//! `# Nodes: 6012 …` sets the number of nodes; and if the first line of the file is an arc, a later line can be an arc from a name that
//! begins with `#`. If the first line has names of columns (`source target`, or any words before a line of numbers), it is skipped; if the names
//! are separated by commas, are in another order or more than three, they say which columns are source, target and weight, as
//! [`Columns`] does for any table. An empty cell is an error.
//!
//! **Named.** An arc is one of: `http://a.com -> http://b.com 1.0`; names with a tab between, `NAME⇥NAME` or `NAME⇥NAME⇥WEIGHT`; two
//! names in quotes with a comma, semicolon or bar between; two URLs or two host names with a blank or one of these between. Any other line is
//! a single name, an isolated node. Names may contain blanks, but then only a tab or quotes separate a name from a weight. If a blank does,
//! the last number of a line is its weight provided that all arcs end in a number or no name contains a blank; otherwise the list is refused.
//! A list in which more lines of several words are no arcs than are arcs is refused, too. The notes list all other guesses.
//!
//! If no line is an arc of these kinds and every line is two words, or three of which the last is a number, with commas or blanks
//! between, then these lines are the arcs. Named nodes are numbered in the order of SURT, then name (names that are not URLs by their
//! bytes); or in another [`Order`].
//!
//! **Numbered.** `17 42` or `17 42 1.0`, with blanks, tabs or commas, as published graphs have it. Nodes keep their numbers, less 1
//! if no node has number 0, since published graphs count from 0 or from 1. If numbers have gaps, the numbers that occur are numbered again
//! in their order, with the old numbers as names. Missing numbers are taken for gaps, and not for nodes without links, in three cases: a header
//! states as many nodes as numbers occur; or no header states more, and less than one in eight numbers up to the greatest occurs; or
//! a number has more than 32 bits.
//!
//! **Cost.** Everything is in memory: each name once, 12 bytes an arc, and the graph. Larger graphs come from the tables of a crawl, which
//! are sorted on disk.

mod collect;
mod doubts;
mod line;
mod table;
mod write;

use super::csr::{Csr, Parallel};
use super::lines::{LineDefect, each, open};
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
    /// What was read in one way and may have been meant in another, a sentence each, with counts and lines.
    pub notes: Vec<String>,
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
#[derive(Clone, Debug)]
pub struct EdgeOptions {
    /// How named nodes are numbered.
    pub order: Order,
    /// Columns of a table with an arc a line; without them lines are told apart as above.
    pub columns: Option<Columns>,
    /// What parallel arcs become.
    pub parallel: Parallel,
    /// Bytes that arcs and names may take.
    pub memory: u64,
}

impl Default for EdgeOptions {
    fn default() -> Self {
        EdgeOptions { order: Order::Surt, columns: None, parallel: Parallel::Add, memory: u64::MAX }
    }
}

/// Reads a text file of either kind, plain or compressed with gzip or zstd.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Corrupt`] with the place of the first line that is no arc, for a list
/// whose lines contradict one another, and for one of several words a line without any arc.
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
    let mut list = lines.finish(options.order, options.parallel).map_err(|error| match error {
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
        assert_eq!(arcs(&list), [(0, 1, 1.0), (3, 0, 4.0)]);
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
            ("1,2,0.5\n1,2,0.25", 2, 1, vec![(0, 1, 0.75)]),
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
            ("0 1\n1 x\n", "graph.txt at byte 4: line 2: \"1 x\""),
            ("0 1 nan", "\"nan\" is no weight"),
            ("0 1 -1", "\"-1\" is no weight"),
            ("a -> b inf", "\"inf\" is no weight"),
            ("a -> b 1e39", "\"1e39\" is too large for a weight: they have single precision"),
            ("0 1 1e-46", "\"1e-46\" is too small for a weight"),
            ("http://a/,http://b/,hello", "1 of 1 lines hold more than two URLs"),
            (
                "http://a/,http://b/,x\nhttp://a/,http://c/,y",
                "(the first is line 1, \"http://a/,http://b/,x\"): which",
            ),
            (
                "http://a/ http://b/\nhttp://a/ http://b/ hello",
                "line 2: \"http://a/ http://b/ hello\" has more",
            ),
            ("http://a/,http://b/\n,http://c/", "line 2, \",http://c/\": column 1 is empty"),
            ("http://c/,\nhttp://a/,http://b/", "line 1, \"http://c/,\": column 2 is empty"),
            ("a -> ", "lacks an end"),
            ("http://a/ http://b/\nhttp://a/ http://b/ http://c/", "graph.txt at byte 20"),
            ("http://a/\t7", "one URL and a number"),
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
        // One weight, and all are weighted.
        assert_eq!(arcs(&parse("a -> b\na -> b 0.5\na -> b").unwrap()), [(0, 1, 2.5)]);
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
        assert!(list.notes.is_empty());
        // A header that leaves room for them says that they are nodes.
        let list = parse("# Nodes: 901\n7 900\n900 42").unwrap();
        assert_eq!((list.graph.offsets().len() - 1, list.names), (901, None));
    }

    #[test]
    fn sparse_numbers_become_names_and_that_is_said() {
        for (text, names, says) in [
            ("7 900\n900 42", &["7", "42", "900"][..], "3 of the numbers from 7 to 900 occur: these"),
            ("# Nodes: 4\n7 900\n900 42", &["7", "42", "900"], "occur, the header promises 4 nodes"),
            ("0 4000000000", &["0", "4000000000"], "2 of the numbers from 0 to 4000000000 occur"),
            ("# Nodes: 99999999999\n0 1", &["0", "1"], "the header promises 99999999999 nodes"),
            (
                "3 1\n18446744073709551615 3 0.5",
                &["1", "3", "18446744073709551615"],
                "3 of the numbers from 1 to 18446744073709551615 occur",
            ),
        ] {
            let list = parse(text).unwrap();
            assert_eq!(list.names.as_deref().unwrap(), names, "{text:?}");
            assert!(list.notes.len() == 1 && list.notes[0].contains(says), "{text:?}: {:?}", list.notes);
        }
        let list = parse("7 900\n900 42\n5000000000 7").unwrap();
        assert_eq!(arcs(&list), [(0, 2, 1.0), (2, 1, 1.0), (3, 0, 1.0)]);
        // Few numbers are missing: they keep their numbers.
        let list = parse("0 1\n1 9\n# Nodes: 5").unwrap();
        assert_eq!((list.graph.offsets().len() - 1, list.names.is_none()), (10, true));
        assert_eq!(
            list.notes,
            [
                "the header promises 5 nodes, the numbers make 10",
                "7 of the numbers from 0 to 9 occur in no line (the first is 2): they are nodes without links"
            ]
        );
        let notes = parse("1 2\n3 4\n5 8\n10 6").unwrap().notes;
        assert_eq!(
            notes,
            ["2 of the numbers from 1 to 10 occur in no line (the first is 7): they are nodes without links"]
        );
    }

    #[test]
    fn pairs_of_urls_are_arcs() {
        let expected = arcs(&parse("http://a/ -> http://b/\nhttp://b/ -> http://c/").unwrap());
        for text in [
            "http://a/\thttp://b/\nhttp://b/\thttp://c/",
            "http://a/ http://b/\nhttp://b/  http://c/",
            "source\ttarget\nhttp://a/\thttp://b/\nhttp://b/ http://c/",
            "\u{feff}Source URL\tTarget URL\r\nhttp://a/\thttp://b/\r\nhttp://b/\thttp://c/\r\n",
            "\"from\",\"to\"\n\"http://a/\",\"http://b/\"\n\"http://b/\",\"http://c/\"",
        ] {
            let list = parse(text).unwrap();
            assert_eq!((arcs(&list), list.notes), (expected.clone(), vec![]), "{text:?}");
        }
        // A comma may be of a URL: that it was not taken so is said.
        let list = parse("http://a/,http://b/\nhttp://b/, http://c/").unwrap();
        assert_eq!(arcs(&list), expected);
        assert!(
            list.notes.len() == 1 && list.notes[0].starts_with("2 of 2 arcs are two URLs"),
            "{:?}",
            list.notes
        );
    }

    #[test]
    fn names_of_columns_are_no_nodes() {
        let expected = arcs(&parse("0 1\n1 2").unwrap());
        for (text, said) in [
            ("source,target\n0,1\n1,2", None),
            ("id_1,id_2\n0,1\n1,2", Some("line 1, \"id_1,id_2\" was read as the names of columns")),
            ("# nodes\nwer wen\n0 1\n1 2", Some("line 2, \"wer wen\" was read")),
        ] {
            let list = parse(text).unwrap();
            assert_eq!((arcs(&list), list.names.is_none()), (expected.clone(), true), "{text:?}");
            assert_eq!(list.notes.len(), usize::from(said.is_some()), "{text:?}: {:?}", list.notes);
            assert!(said.is_none_or(|said| list.notes[0].starts_with(said)), "{text:?}: {:?}", list.notes);
        }
        // The first line of names is no header.
        let list = parse("page1\tpage2\npage2\tpage3").unwrap();
        assert_eq!(list.names.unwrap(), ["page1", "page2", "page3"]);
        assert_eq!(parse("alice\tbob").unwrap().names.unwrap(), ["alice", "bob"]);
        assert!(parse("alice ->\n").is_err() && parse("a\tb\tx").unwrap_err().to_string().contains("line 1"));
        let error = parse("a\tb\tx\nc\td").unwrap_err().to_string();
        assert!(error.contains("and line 1: \"x\" is no weight"), "{error}");
    }

    #[test]
    fn what_a_list_does_not_say_is_said() {
        for (text, says) in [
            (
                "# Undirected graph: roads\n0 1\n1 2",
                "line 1, \"Undirected graph: roads\" says that links have no direction",
            ),
            ("% sym unweighted\n1 2", "says that links have no direction"),
            ("1 2 1254192988\n2 3 1254194656", "all weights are 1254193000 or more, as times in seconds are"),
            (
                "http://a/ http://b/page 2\nhttp://a/ http://b/page 3",
                "1 arcs come again with another weight: their weights were added up",
            ),
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
        assert!(parse("% asym unweighted\n0 1").unwrap().notes.is_empty());
    }

    #[test]
    fn pairs_with_commas_or_blanks_are_arcs_if_all_lines_are() {
        let expected = [(0, 1, 1.0), (1, 2, 1.0)];
        for (text, read_as) in [
            ("alice,bob\nbob,carol", "arcs between names with commas between"),
            ("alice, bob\nbob, carol\n", "arcs between names with commas between"),
            ("alice bob\nbob  carol", "arcs between names with blanks between"),
            ("\"alice\";bob\nbob;carol", "arcs between names with semicolons between"),
        ] {
            let list = parse(text).unwrap();
            assert_eq!((arcs(&list), list.read_as.as_str()), (expected.to_vec(), read_as), "{text:?}");
            assert!(list.notes.is_empty(), "{:?}", list.notes);
        }
        assert_eq!(arcs(&parse("x,y,2\nx,y,3\n").unwrap()), [(0, 1, 5.0)]);
        for (text, says) in [
            ("alice,bob\nbob,\n", "line 2: column 2 is empty"),
            (",bob,3\na,b,1", "line 1: column 1 is empty"),
            ("1,2\n\n1,,2", "line 3: \"1,,2\": column 2 is empty"),
            ("1\t\t2", "column 2 is empty"),
            ("\tb\t3\na\tb\t1", "line 1: \"\\tb\\t3\": column 1 is empty"),
            ("a\tb\nc\t", "line 2: \"c\\t\": column 2 is empty"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }

    #[test]
    fn tables_are_read_by_their_columns() {
        let read = |text: &str, columns: Option<&str>| {
            let columns = columns.map(|columns| columns.parse().unwrap());
            let options = EdgeOptions { columns, ..EdgeOptions::default() };
            parse_edges(text.as_bytes(), Path::new("graph.txt"), &options)
        };
        let shown = |list: &EdgeList| {
            let name = |node: u32| list.names.as_ref().map_or(node.to_string(), |n| n[node as usize].clone());
            arcs(list).iter().map(|a| format!("{}>{} {}", name(a.0), name(a.1), a.2)).collect::<Vec<_>>()
        };
        for (text, columns, expected) in [
            ("weight,source,target\n2,a,b\n3,b,a\n", None, &["a>b 2", "b>a 3"][..]),
            ("source,target,weight\n\"x, \"\"y\"\"\",b,2\n", None, &["b>x 0"]),
            ("source;type;target\na;k;b\n", None, &["a>b 1"]),
            ("Target\tSource\na\tb\n", None, &["b>a 1"]),
            ("source,target,anchor\nhttp://a/,http://b/,\"p, q\"\n", None, &["http://a/>http://b/ 1"]),
            ("topic;source;country;target;weight\nx;a;y;b;2\n", None, &["a>b 2"]),
            ("source,target,value\n0,1,3\n", None, &["0>1 3"]),
            ("day,who,whom,n\nmon,a,b,2\ntue,b,a,3\n", Some("who,WHOM,n"), &["a>b 2", "b>a 3"]),
            ("mon a b 2\ntue b  a 3\n", Some("2,3"), &["a>b 1", "b>a 1"]),
            ("a|2|b", Some("1,3,2"), &["a>b 2"]),
            ("d,u,v,n\n1,0,1,2", Some("2,3,4"), &["0>1 2"]),
            ("who,whom\n#a,b", Some("who,whom"), &["#a>b 1"]),
        ] {
            let list = read(text, columns).unwrap();
            if text.contains("x, ") {
                assert_eq!(list.names.unwrap(), ["b", "x, \"y\""]);
                continue;
            }
            assert_eq!(shown(&list), expected, "{text:?}");
        }
        let list = read("day,who,whom\nmon,a,b\n", Some("who,whom")).unwrap();
        assert_eq!(
            list.read_as,
            "arcs between names in columns 2, 3 with commas between, 1 others left out, names of columns in the first line"
        );
        for (text, columns, says) in [
            ("who,whom\na,b", Some("who,whon"), "no column is called \"whon\"; near to it: who, whom"),
            ("a,b", Some("1,3"), "there is no column 3"),
            ("source,target\na,b\nc\n", None, "line 3: \"c\" has 1 cells, the first line 2"),
            ("source,target\na,\n", None, "line 2: column 2 is empty"),
            ("source,target\n\"a,b\n", None, "a quote does not end"),
            ("a\tb\tc\td", None, "--columns"),
        ] {
            let error = read(text, columns).unwrap_err().to_string();
            assert!(error.contains(says), "{text:?}: {error}");
        }
        for wrong in ["a", "a,", "0,1", "a,b,c,d", "1,1", "1,2,01", "url,Url"] {
            assert!(wrong.parse::<Columns>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_with_a_hash_are_kept_where_the_first_line_is_data() {
        let pairs = |text: &str| {
            let list = parse(text).unwrap();
            let names = list.names.clone().unwrap();
            let arcs: Vec<String> = arcs(&list)
                .iter()
                .map(|a| format!("{}>{}", names[a.0 as usize], names[a.1 as usize]))
                .collect();
            (arcs, list.notes)
        };
        let (arcs, notes) = pairs("#b\t#c\n#c\t#d\na\t#b");
        assert_eq!((arcs, notes), (vec!["#b>#c".into(), "#c>#d".into(), "a>#b".into()], vec![]));
        let (arcs, notes) = pairs("a\t#b\n# said\n#c\t#d\n#no arc\n");
        assert_eq!(arcs, ["#c>#d", "a>#b"]);
        assert_eq!(
            notes,
            ["1 lines that begin with # were read as comments (the first is line 4, \"#no arc\")"]
        );
        for text in ["c,#a\n#a,b\nb,c", "c;#a\n#a;b\nb;c", "c #a\n#a b\nb c", "c,#a\nb,c\n#a,b"] {
            assert_eq!(pairs(text), (vec!["#a>b".into(), "b>c".into(), "c>#a".into()], vec![]), "{text:?}");
        }
        assert_eq!(pairs("c,a\n#a,b\n# b,c\na,c\n").0, ["#a>b", "a>c", "c>a"]);
        // Where the text begins with a comment, all such lines are.
        let (arcs, notes) = pairs("# pairs\n#b\t#c\na\tb");
        assert_eq!(arcs, ["a>b"]);
        assert!(notes[0].contains("line 2, \"#b\\t#c\""), "{notes:?}");
        let (arcs, notes) = pairs("#source\ttarget\na\tb");
        assert_eq!((arcs, notes), (vec!["a>b".to_owned()], vec![]));
    }

    #[test]
    fn parallel_arcs_add_up_or_one_is_chosen() {
        let read = |text: &str, parallel| {
            let options = EdgeOptions { parallel, ..EdgeOptions::default() };
            parse_edges(text.as_bytes(), Path::new("-"), &options).unwrap()
        };
        for (text, add, max, first) in [
            ("a\tb\na\tb\na\tb", 3.0, 1.0, 1.0),
            ("a\tb\t1\na\tb\t1\na\tb\t1", 3.0, 1.0, 1.0),
            ("a\tb\t2\na\tb\t3\na\tb\t1", 6.0, 3.0, 2.0),
            ("1 2 2\n1 2 3", 5.0, 3.0, 2.0),
        ] {
            for (parallel, weight) in [(Parallel::Add, add), (Parallel::Max, max), (Parallel::First, first)] {
                assert_eq!(arcs(&read(text, parallel)), [(0, 1, weight)], "{text:?} {parallel:?}");
            }
        }
        let notes = read("a\tb\t2\na\tb\t3", Parallel::First).notes;
        assert_eq!(notes, ["1 arcs come again with another weight: the first counts"]);
    }

    #[test]
    fn names_that_differ_in_bytes_that_are_no_text_stay_two() {
        let text = b"http://a/\xe9\thttp://b/\nhttp://a/\xe8\thttp://b/\xc3\xa9\n";
        let list = parse_edges(&text[..], Path::new("-"), &EdgeOptions::default()).unwrap();
        assert_eq!(list.names.unwrap(), ["http://a/%E8", "http://a/%E9", "http://b/", "http://b/\u{e9}"]);
        assert_eq!(
            list.notes,
            ["2 lines hold bytes that are no UTF-8 (the first is line 1): these are written as %XX"]
        );
    }

    #[test]
    fn what_holds_no_arc_is_refused_or_said() {
        for text in [
            "alice bob\nbob carol dave\n",
            "{\"source\":\"a\",\"target\":\"b\"}\n{\"source\":\"b\",\"target\":\"c\"}",
            "http://a/,http://b/,http://c/\nalone",
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(
                error.contains("graph.txt") && error.contains("no line holds an arc: 2 lines"),
                "{error}"
            );
            assert!(error.contains("line 1"), "{error}");
        }
        assert_eq!(
            parse("# two\napple\nbanana").unwrap().notes,
            ["no line holds an arc: 2 lines are nodes without links"]
        );
        let error = parse("a -> b\nalice bob\n\nbob carol\nalone").unwrap_err().to_string();
        assert!(error.contains("only 1 lines hold an arc: 3 would be nodes"), "{error}");
        assert!(error.contains("2 of them of several words (the first is line 2, \"alice bob\")"), "{error}");
        let notes = parse("a -> b\n\nalice bob").unwrap().notes;
        assert!(notes.len() == 1 && notes[0].starts_with("1 lines of several words"), "{notes:?}");
        assert!(notes[0].contains("line 3, \"alice bob\""), "{notes:?}");
    }

    #[test]
    fn a_number_after_a_blank_is_a_weight_only_where_that_is_clear() {
        // Not all end in a number, and names hold blanks.
        let error =
            parse("http://a/ -> http://b/my page\nhttp://a/ -> http://b/page 2").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("Put tabs"), "{error}");
        // With tabs it is of the name.
        let list = parse("http://a/\thttp://b/my page\nhttp://a/\thttp://b/page 2\n").unwrap();
        assert_eq!(list.names.unwrap(), ["http://a/", "http://b/my page", "http://b/page 2"]);
        assert!(list.graph.weights().is_none() && list.notes.is_empty());
        // No numbers at all: blanks are of names.
        let list = parse("http://a/ -> http://b/my page").unwrap();
        assert_eq!(list.names.unwrap(), ["http://a/", "http://b/my page"]);
        // All weighted: clear unless names hold blanks.
        assert!(parse("a -> b 1\nb -> a 2").unwrap().notes.is_empty());
        let notes = parse("a b -> b 1\nb -> a b 2").unwrap().notes;
        assert!(notes.len() == 1 && notes[0].contains("line 1"), "{notes:?}");
        let notes = parse("a -> b\nb -> a 2").unwrap().notes;
        assert!(notes.len() == 1 && notes[0].starts_with("1 of 2 arcs end in a number"), "{notes:?}");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            names in prop::collection::btree_set("[a12.:/ #>-]{1,6}", 1..5),
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
            let mut text = Vec::new();
            if list.write(&mut text, Path::new("-")).is_ok() {
                let options = EdgeOptions { order: Order::Name, ..EdgeOptions::default() };
                let again = parse_edges(&text[..], Path::new("-"), &options).unwrap();
                prop_assert_eq!(&again.names, &list.names, "{}", String::from_utf8_lossy(&text));
                prop_assert!(again.graph.arcs().eq(list.graph.arcs()), "{}", String::from_utf8_lossy(&text));
            }
        }

        #[test]
        fn no_text_breaks_it(text in "[a1.:/\t #>\n-]{0,60}") {
            if let Ok(list) = parse(&text) {
                prop_assert!(list.graph.check().is_ok());
            }
        }
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
