//! A part of a graph for drawing tools: GraphML and GEXF.
//!
//! **What.** Chosen nodes, the arcs among them, a label and named columns of scores for each node, the weight
//! of each arc. Nodes keep their numbers (`n17` in GraphML, `17` in GEXF), so that drawings can be joined with
//! tables. Drawing tools hold some ten thousand nodes: choose by [`top`](Export::top), [`host`](Export::host),
//! [`keep`](Export::keep), one after another.
//!
//! **Values.** Text is escaped; characters that XML 1.0 does not have become U+FFFD. A value that is not a
//! number is left out, an infinite one written as XML Schema does, `INF`.
//!
//! **Cost.** 4 bytes a chosen node, a bit a node; the file is streamed.
//!
//! **References.** GraphML 1.0, graphml.graphdrawing.org; GEXF 1.3, gexf.net.

use super::csr::{Csr, ShownWeight, Weights};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_capture::names::near_to;
use webmill_capture::{CanonicalUrl, Host, canonical_host};

/// A part of a graph, with names and scores of its nodes.
#[derive(Clone, Debug)]
pub struct Export<'a> {
    graph: &'a Csr,
    labels: Option<&'a [String]>,
    columns: Vec<(String, &'a [f64])>,
    /// The chosen nodes, ascending.
    nodes: Vec<u32>,
}

impl<'a> Export<'a> {
    /// All of a graph.
    pub fn new(graph: &'a Csr) -> Self {
        Export { graph, labels: None, columns: Vec::new(), nodes: (0..graph.num_nodes() as u32).collect() }
    }

    /// With a label for each node of the graph.
    ///
    /// # Errors
    /// [`Error::Config`] if there is not one for each.
    pub fn with_labels(mut self, labels: &'a [String]) -> Result<Self> {
        self.fits("labels", labels.len())?;
        self.labels = Some(labels);
        Ok(self)
    }

    /// With a column of scores, one for each node of the graph.
    ///
    /// # Errors
    /// [`Error::Config`] if there is not one for each.
    pub fn with_column(mut self, name: &str, scores: &'a [f64]) -> Result<Self> {
        self.fits(name, scores.len())?;
        self.columns.push((name.to_owned(), scores));
        Ok(self)
    }

    fn fits(&self, what: &str, values: usize) -> Result<()> {
        let nodes = self.graph.num_nodes();
        if values == nodes {
            return Ok(());
        }
        Err(Error::Config(format!("{what}: {values} values for {nodes} nodes")))
    }

    /// Only nodes that `wanted` wants.
    pub fn keep(mut self, wanted: impl Fn(u32) -> bool) -> Self {
        self.nodes.retain(|&node| wanted(node));
        self
    }

    /// Only the `k` chosen nodes with the greatest scores; of equal ones those with lower numbers. NaN
    /// comes last.
    ///
    /// # Errors
    /// [`Error::Config`] if there is not a score for each node of the graph.
    pub fn top(mut self, k: usize, scores: &[f64]) -> Result<Self> {
        self.fits("scores", scores.len())?;
        let score =
            |node: u32| Some(scores[node as usize]).filter(|s| !s.is_nan()).unwrap_or(f64::NEG_INFINITY);
        let before = |a: &u32, b: &u32| score(*b).total_cmp(&score(*a)).then(a.cmp(b));
        if k < self.nodes.len() {
            self.nodes.select_nth_unstable_by(k, before);
            self.nodes.truncate(k);
            self.nodes.sort_unstable();
        }
        Ok(self)
    }

    /// Only nodes whose label is a URL on `host` or below it, or the name of such a host.
    ///
    /// # Errors
    /// [`Error::Config`] if nodes have no labels, for anything that is no host, and for one without a node, with those near it.
    pub fn host(self, host: &str) -> Result<Self> {
        let Some(labels) = self.labels else {
            return Err(Error::Config(format!("nodes without URLs cannot be chosen by the host {host}")));
        };
        let asked = canonical_host(host)?;
        let of = |label: &str| CanonicalUrl::parse_stored(label).and_then(|url| Host::of(&url));
        let found = self.keep(|node| {
            of(&labels[node as usize]).is_some_and(|host| {
                let below = host.name.strip_suffix(&asked.name);
                below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                    && (asked.port.is_none() || asked.port == host.port)
            })
        });
        if found.nodes.is_empty() {
            let hosts: std::collections::BTreeSet<String> =
                labels.iter().filter_map(|label| of(label)).map(|host| host.to_string()).collect();
            return Err(Error::Config(format!(
                "no node is on the host {asked} or below it{}",
                near_to(&asked.to_string(), hosts.iter())
            )));
        }
        Ok(found)
    }

    /// The chosen nodes, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Gives each arc among the chosen nodes to `on_arc`: its number, source and target.
    fn arcs(&self, mut on_arc: impl FnMut(usize, u32, u32) -> io::Result<()>) -> io::Result<()> {
        let mut chosen = vec![0u64; self.graph.num_nodes().div_ceil(64)];
        for &node in &self.nodes {
            chosen[node as usize / 64] |= 1 << (node % 64);
        }
        for &u in &self.nodes {
            for arc in self.graph.arcs_of(u) {
                let v = self.graph.targets()[arc];
                if chosen[v as usize / 64] >> (v % 64) & 1 == 1 {
                    on_arc(arc, u, v)?;
                }
            }
        }
        Ok(())
    }

    /// Writes GraphML.
    ///
    /// # Errors
    /// [`Error::Io`] if `out`, named `path` in errors, cannot be written.
    pub fn write_graphml(&self, mut out: impl Write, path: &Path) -> Result<()> {
        self.graphml(&mut out).at(path)
    }

    fn graphml(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
              <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
              xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
              xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
              http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n",
        )?;
        if self.labels.is_some() {
            writeln!(out, "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>")?;
        }
        for (i, (name, _)) in self.columns.iter().enumerate() {
            writeln!(
                out,
                "  <key id=\"c{i}\" for=\"node\" attr.name=\"{}\" attr.type=\"double\"/>",
                Xml(name)
            )?;
        }
        if let Some(weights) = self.graph.weights() {
            let kind = if matches!(weights, Weights::Counts(_)) { "long" } else { "double" };
            writeln!(out, "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"{kind}\"/>")?;
        }
        writeln!(out, "  <graph id=\"webmill\" edgedefault=\"directed\">")?;
        for &node in &self.nodes {
            write!(out, "    <node id=\"n{node}\">")?;
            if let Some(labels) = self.labels {
                write!(out, "<data key=\"label\">{}</data>", Xml(&labels[node as usize]))?;
            }
            for (i, score) in self.scores(node) {
                write!(out, "<data key=\"c{i}\">{score}</data>")?;
            }
            writeln!(out, "</node>")?;
        }
        self.arcs(|arc, u, v| {
            write!(out, "    <edge source=\"n{u}\" target=\"n{v}\"")?;
            match self.graph.weights() {
                Some(weights) => {
                    writeln!(out, "><data key=\"weight\">{}</data></edge>", ShownWeight(weights, arc))
                }
                None => writeln!(out, "/>"),
            }
        })?;
        writeln!(out, "  </graph>\n</graphml>")?;
        out.flush()
    }

    /// Writes GEXF.
    ///
    /// # Errors
    /// [`Error::Io`] if `out`, named `path` in errors, cannot be written.
    pub fn write_gexf(&self, mut out: impl Write, path: &Path) -> Result<()> {
        self.gexf(&mut out).at(path)
    }

    fn gexf(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
              <gexf xmlns=\"http://gexf.net/1.3\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
              xsi:schemaLocation=\"http://gexf.net/1.3 http://gexf.net/1.3/gexf.xsd\" version=\"1.3\">\n  \
              <meta><creator>webmill</creator></meta>\n  \
              <graph mode=\"static\" defaultedgetype=\"directed\">\n",
        )?;
        if !self.columns.is_empty() {
            writeln!(out, "    <attributes class=\"node\">")?;
            for (i, (name, _)) in self.columns.iter().enumerate() {
                writeln!(out, "      <attribute id=\"{i}\" title=\"{}\" type=\"double\"/>", Xml(name))?;
            }
            writeln!(out, "    </attributes>")?;
        }
        writeln!(out, "    <nodes>")?;
        for &node in &self.nodes {
            write!(out, "      <node id=\"{node}\" label=\"")?;
            match self.labels {
                Some(labels) => write!(out, "{}\"", Xml(&labels[node as usize]))?,
                None => write!(out, "{node}\"")?,
            }
            let mut scores = self.scores(node).peekable();
            if scores.peek().is_none() {
                writeln!(out, "/>")?;
                continue;
            }
            write!(out, "><attvalues>")?;
            for (i, score) in scores {
                write!(out, "<attvalue for=\"{i}\" value=\"{score}\"/>")?;
            }
            writeln!(out, "</attvalues></node>")?;
        }
        writeln!(out, "    </nodes>\n    <edges>")?;
        let mut number = 0u64;
        self.arcs(|arc, u, v| {
            write!(out, "      <edge id=\"{number}\" source=\"{u}\" target=\"{v}\"")?;
            number += 1;
            match self.graph.weights() {
                Some(weights) => writeln!(out, " weight=\"{}\"/>", ShownWeight(weights, arc)),
                None => writeln!(out, "/>"),
            }
        })?;
        writeln!(out, "    </edges>\n  </graph>\n</gexf>")?;
        out.flush()
    }

    /// The numbers of the columns that have a number for `node`, and these.
    fn scores(&self, node: u32) -> impl Iterator<Item = (usize, Score)> + '_ {
        let scores = self.columns.iter().map(move |(_, scores)| scores[node as usize]).enumerate();
        scores.filter(|(_, score)| !score.is_nan()).map(|(i, score)| (i, Score(score)))
    }
}

/// A number as XML Schema writes it.
struct Score(f64);

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_infinite() {
            return f.write_str(if self.0 > 0.0 { "INF" } else { "-INF" });
        }
        // Short for tiny ranks, and read back to the same bits.
        write!(f, "{:?}", self.0)
    }
}

/// Text as XML 1.0 holds it, between tags or in quotes.
struct Xml<'a>(&'a str);

impl fmt::Display for Xml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // Would become blanks in quotes.
                '\t' | '\n' | '\r' => write!(f, "&#{};", c as u32)?,
                '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_capture::cut::Cut;

    fn example() -> (Csr, Vec<String>, Vec<f64>) {
        let graph =
            Csr::from_weighted_arcs(4, [(0, 1, 2.0), (1, 2, 0.5), (2, 0, 1.0), (3, 3, 1.0), (0, 3, 1.0)]);
        let labels =
            ["http://a.org/?x=1&y=<\">", "http://b.a.org/\u{1}\n", "http://ba.org/", "http://a.org:81/"];
        (graph.unwrap(), labels.map(String::from).into(), vec![1e-9, 0.25, f64::NAN, f64::INFINITY])
    }

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn graphml_of_a_part() {
        let (graph, labels, scores) = example();
        let export =
            Export::new(&graph).with_labels(&labels).unwrap().with_column("rank \"r\"", &scores).unwrap();
        let part = export.clone().keep(|node| node != 2);
        let xml = text(|out| part.write_graphml(out, Path::new("-")).unwrap());
        let body = xml.cut(xml.find("  <key").unwrap()..);
        assert_eq!(
            body,
            "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n  \
             <key id=\"c0\" for=\"node\" attr.name=\"rank &quot;r&quot;\" attr.type=\"double\"/>\n  \
             <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n  \
             <graph id=\"webmill\" edgedefault=\"directed\">\n    \
             <node id=\"n0\"><data key=\"label\">http://a.org/?x=1&amp;y=&lt;&quot;&gt;</data><data key=\"c0\">1e-9</data></node>\n    \
             <node id=\"n1\"><data key=\"label\">http://b.a.org/\u{fffd}&#10;</data><data key=\"c0\">0.25</data></node>\n    \
             <node id=\"n3\"><data key=\"label\">http://a.org:81/</data><data key=\"c0\">INF</data></node>\n    \
             <edge source=\"n0\" target=\"n1\"><data key=\"weight\">2</data></edge>\n    \
             <edge source=\"n0\" target=\"n3\"><data key=\"weight\">1</data></edge>\n    \
             <edge source=\"n3\" target=\"n3\"><data key=\"weight\">1</data></edge>\n  \
             </graph>\n</graphml>\n"
        );
    }

    #[test]
    fn gexf_of_a_part() {
        let (graph, labels, scores) = example();
        let export = Export::new(&graph).with_labels(&labels).unwrap().with_column("rank", &scores).unwrap();
        let xml = text(|out| export.keep(|node| node % 2 == 0).write_gexf(out, Path::new("-")).unwrap());
        assert!(xml.contains(
            "    <nodes>\n      \
             <node id=\"0\" label=\"http://a.org/?x=1&amp;y=&lt;&quot;&gt;\"><attvalues><attvalue for=\"0\" value=\"1e-9\"/></attvalues></node>\n      \
             <node id=\"2\" label=\"http://ba.org/\"/>\n    \
             </nodes>\n    <edges>\n      <edge id=\"0\" source=\"2\" target=\"0\" weight=\"1\"/>\n    </edges>\n"
        ), "{xml}");
        let plain = graph.without_weights();
        let xml = text(|out| Export::new(&plain).keep(|_| false).write_gexf(out, Path::new("-")).unwrap());
        assert!(
            xml.contains("<nodes>\n    </nodes>\n    <edges>\n    </edges>") && !xml.contains("attributes")
        );
    }

    #[test]
    fn nodes_are_chosen_by_score_and_host() {
        let (graph, labels, scores) = example();
        let export = Export::new(&graph);
        assert_eq!(export.clone().top(2, &scores).unwrap().nodes(), [1, 3]);
        assert_eq!(export.clone().top(9, &scores).unwrap().nodes(), [0, 1, 2, 3]);
        assert_eq!(export.clone().top(2, &[1.0; 4]).unwrap().nodes(), [0, 1]);
        assert!(export.clone().top(0, &scores).unwrap().nodes().is_empty());
        assert!(export.clone().host("a.org").is_err() && export.clone().top(1, &[1.0]).is_err());
        assert!(export.clone().with_column("x", &[]).is_err() && export.clone().with_labels(&[]).is_err());
        let named = export.with_labels(&labels).unwrap();
        assert_eq!(named.clone().host("A.org").unwrap().nodes(), [0, 1, 3]);
        let error = named.clone().host("b.a.ogr").unwrap_err().to_string();
        assert!(error.contains("on the host b.a.ogr or below it; near to it: b.a.org"), "{error}");
        assert!(named.clone().host("http://a.org/").unwrap_err().to_string().contains("did you mean a.org?"));
        assert_eq!(named.host("b.a.org").unwrap().top(1, &scores).unwrap().nodes(), [1]);
        let labels =
            ["http://xn--fsqu00a.xn--0zwm56d/b", "dot.example", "port.example:81", "x"].map(String::from);
        let named = Export::new(&graph).with_labels(&labels).unwrap();
        for (host, node) in
            [("例子.测试", 0), ("Dot.Example.", 1), ("port.example", 2), ("port.example:81", 2)]
        {
            assert_eq!(named.clone().host(host).unwrap().nodes(), [node], "{host}");
        }
        assert!(named.host("port.example:82").is_err());
    }
}
