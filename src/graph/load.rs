//! A graph from a file of any kind that is read, told by its contents.
//!
//! | kind | told by |
//! |---|---|
//! | [`Format::Csr`] | its magic, see [`super::store`] |
//! | [`Format::BvGraph`] | a `.properties` next to `NAME`, `NAME.graph`, `NAME.offsets`; or that file itself |
//! | [`Format::MatrixMarket`] | `%%MatrixMarket`, also with one `%` |
//! | [`Format::Edges`] | text that is none of these, see [`edges`](super::edges) |
//!
//! Texts may be compressed with gzip or zstd. Labels come from the text itself or, for numbered nodes, from a
//! list of names ([`LoadedGraph::with_labels`]); next to a graph of numbers `NAME.urls` is taken, as BVGraphs are
//! published.

use super::bvgraph::{estimate, read_bvgraph};
use super::csr::Csr;
use super::edges::{EdgeOptions, parse_edges};
use super::lines::{LineDefect, each, open};
use super::matrix_market::{is_matrix, read_matrix};
use super::store;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use webmill_capture::error::{Error, Result};

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A graph file of webmill's own.
    Csr,
    /// Files of the WebGraph framework with this basename.
    BvGraph(PathBuf),
    /// A Matrix Market file.
    MatrixMarket,
    /// Text with an arc a line.
    Edges,
}

impl Format {
    /// What a graph of this format is, in words.
    pub fn name(&self) -> &'static str {
        match self {
            Format::Csr => "webmill graph",
            Format::BvGraph(_) => "BVGraph",
            Format::MatrixMarket => "Matrix Market file",
            Format::Edges => "list of arcs",
        }
    }
}

/// A graph and what its file calls the nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedGraph {
    /// The graph, with its weights if it has any.
    pub graph: Csr,
    /// A name for each node, if they have names.
    pub labels: Option<Vec<String>>,
    /// What the file calls node 0, if nodes have numbers.
    pub first: u32,
    /// What the file is.
    pub format: Format,
    /// How a text was read, in words; empty for other kinds.
    pub read_as: String,
    /// What was read in one way and may have been meant in another, see [`EdgeList::notes`](super::EdgeList::notes).
    pub notes: Vec<String>,
}

/// Reads a graph of any kind. It has a node at least.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Incompatible`] for anything that is no graph or one of another version,
/// [`Error::Corrupt`] with path and place for what breaks its format, [`Error::Config`] for a graph without
/// nodes.
pub fn load(path: impl AsRef<Path>) -> Result<LoadedGraph> {
    load_with(path, &EdgeOptions::default())
}

/// As [`load`]; named nodes are numbered as the options say, and the memory they allow holds for every kind.
///
/// # Errors
/// As [`load`]; [`Error::Limit`] for a graph that needs more than the memory allowed.
pub fn load_with(path: impl AsRef<Path>, options: &EdgeOptions) -> Result<LoadedGraph> {
    let path = path.as_ref();
    let format = recognise(path)?;
    if options.columns.is_some() && format != Format::Edges {
        return Err(Error::Config(format!(
            "{}: a {} has no columns to choose",
            path.display(),
            format.name()
        )));
    }
    let unnamed = |graph, format| LoadedGraph {
        graph,
        labels: None,
        first: 0,
        format,
        read_as: String::new(),
        notes: Vec::new(),
    };
    let loaded = match format {
        Format::Csr => with_urls_file(unnamed(Csr::open(path)?, format), path)?,
        Format::BvGraph(basename) => {
            let bytes = estimate(&basename)?;
            if bytes > options.memory {
                return Err(Error::Limit(format!(
                    "{}: reading it takes up to {bytes} bytes, more than the {} allowed",
                    path.display(),
                    options.memory
                )));
            }
            let loaded = unnamed(read_bvgraph(&basename)?, Format::BvGraph(basename.clone()));
            with_urls_file(loaded, &basename)?
        }
        Format::MatrixMarket => {
            let matrix = unnamed(read_matrix(path, options.memory, options.parallel)?, format);
            with_urls_file(LoadedGraph { first: 1, ..matrix }, path)?
        }
        Format::Edges => {
            let list = parse_edges(open(path)?, path, options)?;
            LoadedGraph {
                graph: list.graph,
                labels: list.names,
                first: list.first,
                format,
                read_as: list.read_as,
                notes: list.notes,
            }
        }
    };
    if loaded.graph.num_nodes() == 0 {
        return Err(Error::Config(format!("{}: an empty graph: it has no nodes", path.display())));
    }
    Ok(loaded)
}

/// The names in `NAME.urls`, if there is such a file.
fn with_urls_file(loaded: LoadedGraph, name: &Path) -> Result<LoadedGraph> {
    let mut urls = name.as_os_str().to_owned();
    urls.push(".urls");
    if Path::new(&urls).is_file() { loaded.with_labels(urls) } else { Ok(loaded) }
}

/// What a file is, by its first bytes and the files next to it.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::Incompatible`] if it is nothing that is read.
pub fn recognise(path: impl AsRef<Path>) -> Result<Format> {
    let path = path.as_ref();
    let incompatible = |found: &str| Error::Incompatible {
        path: path.to_path_buf(),
        found: found.to_owned(),
        expected: "a graph: a file of webmill's, BVGraph, Matrix Market or text with an arc a line".into(),
    };
    if path.is_dir() {
        return Err(incompatible("a folder"));
    }
    let properties = |basename: &Path| {
        let mut name = basename.as_os_str().to_owned();
        name.push(".properties");
        PathBuf::from(name)
    };
    if !path.exists() && properties(path).is_file() {
        return Ok(Format::BvGraph(path.to_path_buf()));
    }
    let mut file = open(path)?;
    // Damage in a compressed file is told with its place by whoever reads it.
    let head = file.fill_buf().unwrap_or_default();
    if head.starts_with(store::MAGIC) {
        return Ok(Format::Csr);
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if matches!(extension, "graph" | "properties" | "offsets")
        && properties(&path.with_extension("")).is_file()
    {
        return Ok(Format::BvGraph(path.with_extension("")));
    }
    let text = &head[..head.len().min(4096)];
    if is_matrix(text) {
        return Ok(Format::MatrixMarket);
    }
    for (magic, found) in [
        (&b"PAR1"[..], "a Parquet table; its folder is what is read"),
        (b"<?xml", "XML; GraphML and GEXF are written, not read"),
        (b"<graphml", "GraphML, which is written, not read"),
        (b"<gexf", "GEXF, which is written, not read"),
    ] {
        if text.starts_with(magic) {
            return Err(incompatible(found));
        }
    }
    if text.contains(&0) {
        let graph = extension == "graph";
        return Err(incompatible(if graph {
            "a file without its .properties"
        } else {
            "bytes that are no text"
        }));
    }
    Ok(Format::Edges)
}

impl LoadedGraph {
    /// The name of a node: its label or its number in the file.
    ///
    /// # Panics
    /// If nodes have labels, and there is no such node.
    pub fn name(&self, node: u32) -> String {
        match &self.labels {
            Some(labels) => labels[node as usize].clone(),
            None => (u64::from(node) + u64::from(self.first)).to_string(),
        }
    }

    /// Takes names from a file with one a line, the first that of node 0; or a node's number before each. A
    /// line more than nodes is a header.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, [`Error::Corrupt`] for another number of lines than nodes.
    pub fn with_labels(mut self, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let nodes = self.graph.num_nodes();
        let mut labels: Vec<String> = Vec::with_capacity(nodes + 1);
        each(open(path)?, path, |line| {
            if labels.len() > nodes {
                return Err(LineDefect::Line(format!("more names than the {nodes} nodes")));
            }
            labels.push(line.trim().to_owned());
            Ok(())
        })?;
        if labels.len() == nodes + 1 {
            labels.remove(0);
        }
        if labels.len() != nodes {
            return Err(Error::corrupt(path, 0, format!("{} names for {nodes} nodes", labels.len())));
        }
        let numbered = labels.iter().enumerate().all(|(node, label)| {
            let number = label.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
            number == Some(node as u64 + u64::from(self.first))
        });
        if numbered {
            for label in &mut labels {
                *label = label.split_once(char::is_whitespace).map_or("", |(_, name)| name.trim()).to_owned();
            }
        }
        self.labels = Some(labels);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bvgraph::write_bvgraph;
    use super::super::edges::EdgeList;
    use super::super::matrix_market::write_matrix;
    use super::*;
    use std::io::Write;
    use webmill_capture::cut::Cut;

    /// A folder with one graph in every form.
    fn folder() -> (tempfile::TempDir, Csr) {
        let graph = Csr::from_arcs(4, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3)]).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        graph.write(at("own.graph")).unwrap();
        write_bvgraph(&graph, at("bv")).unwrap();
        let mut text = Vec::new();
        write_matrix(&graph, &mut text, Path::new("-")).unwrap();
        std::fs::write(at("m.mtx"), &text).unwrap();
        text.clear();
        let list = EdgeList {
            graph: graph.clone(),
            names: None,
            first: 1,
            read_as: String::new(),
            notes: Vec::new(),
        };
        list.write(&mut text, Path::new("-")).unwrap();
        std::fs::write(at("pairs.txt"), &text).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&text).unwrap();
        std::fs::write(at("pairs.txt.gz"), gzip.finish().unwrap()).unwrap();
        std::fs::write(at("pairs.zst"), zstd::encode_all(&text[..], 1).unwrap()).unwrap();
        let names = ["a", "b", "c", "d"].map(|name| format!("http://{name}.org/")).to_vec();
        text.clear();
        EdgeList {
            graph: graph.clone(),
            names: Some(names),
            first: 0,
            read_as: String::new(),
            notes: Vec::new(),
        }
        .write(&mut text, Path::new("-"))
        .unwrap();
        std::fs::write(at("named"), &text).unwrap();
        (dir, graph)
    }

    #[test]
    fn every_kind_is_recognised() {
        let (dir, graph) = folder();
        let bv = || Format::BvGraph(dir.path().join("bv"));
        for (name, format, first) in [
            ("own.graph", Format::Csr, "0"),
            ("bv", bv(), "0"),
            ("bv.graph", bv(), "0"),
            ("bv.offsets", bv(), "0"),
            ("bv.properties", bv(), "0"),
            ("m.mtx", Format::MatrixMarket, "1"),
            ("pairs.txt", Format::Edges, "1"),
            ("pairs.txt.gz", Format::Edges, "1"),
            ("pairs.zst", Format::Edges, "1"),
            ("named", Format::Edges, "http://a.org/"),
        ] {
            let loaded = load(dir.path().join(name)).unwrap();
            assert_eq!((&loaded.format, loaded.name(0).cut(..)), (&format, first), "{name}");
            assert!(loaded.graph.arcs().eq(graph.arcs()), "{name}");
        }
    }

    #[test]
    fn names_next_to_a_graph() {
        let (dir, _) = folder();
        let urls = dir.path().join("bv.urls");
        for (text, expected) in [
            ("http://a/\nhttp://b/\nhttp://c/\nhttp://d/", Some("http://a/")),
            ("0 http://a/\n1 http://b/\n2 http://c/\n3 http://d/", Some("http://a/")),
            ("node url\n0\thttp://a/ \n1\thttp://b/\n2\thttp://c/\n3\thttp://d/", Some("http://a/")),
            ("a\nb\nc", None),
            ("a\nb\nc\nd\ne\nf", None),
        ] {
            std::fs::write(&urls, text).unwrap();
            let loaded = load(dir.path().join("bv"));
            assert_eq!(loaded.as_ref().ok().map(|l| l.name(0)).as_deref(), expected, "{text:?}");
            assert!(expected.is_some() || matches!(loaded, Err(Error::Corrupt { .. })));
        }
    }

    #[test]
    fn what_is_no_graph_is_told_by_what_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("g.graph");
        let says = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            load(&path).unwrap_err().to_string()
        };
        for (bytes, message) in [
            (&b""[..], "an empty graph"),
            (b"# nothing\n\n", "an empty graph"),
            (b"%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", "an empty graph"),
            (b"PAR1....", "a Parquet table"),
            (b"<?xml version=\"1.0\"?>", "GraphML and GEXF are written, not read"),
            (b"\x12\0\x55", "without its .properties"),
            (b"WMGRAPH\n\x07\0\0\0", "ends in its head"),
            (b"0 1\n1 -2\n", "at byte 4"),
            (b"0 1 inf\n", "\"inf\" is no weight"),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", "breaks off here"),
            (b"\x28\xb5\x2f\xfd\x24", "breaks off here"),
        ] {
            let error = says(bytes);
            assert!(error.contains(message) && error.contains("g.graph"), "{bytes:?}: {error}");
        }
        assert!(load(dir.path()).unwrap_err().to_string().contains("found a folder"));
        assert!(matches!(load(dir.path().join("none")), Err(Error::Io { .. })));
    }

    #[test]
    fn what_needs_more_than_the_memory_is_refused() {
        let (dir, _) = folder();
        let options = EdgeOptions { memory: 60, ..EdgeOptions::default() };
        for name in ["bv", "m.mtx", "pairs.txt", "named"] {
            assert!(matches!(load_with(dir.path().join(name), &options), Err(Error::Limit(_))), "{name}");
        }
        // This one stays in its file.
        assert!(load_with(dir.path().join("own.graph"), &options).is_ok());
    }

    #[test]
    fn every_cut_of_every_kind_is_an_error_or_a_graph() {
        let (dir, graph) = folder();
        for name in ["own.graph", "bv.graph", "bv.properties", "m.mtx", "pairs.txt.gz", "pairs.zst", "named"]
        {
            let path = dir.path().join(name);
            let bytes = std::fs::read(&path).unwrap();
            for cut in 0..bytes.len() {
                std::fs::write(&path, &bytes[..cut]).unwrap();
                match load(&path) {
                    Ok(loaded) => assert!(loaded.graph.num_arcs() <= graph.num_arcs(), "{name} cut at {cut}"),
                    Err(Error::Io { .. } | Error::Internal(_)) => panic!("{name} cut at {cut}"),
                    Err(_) => {}
                }
            }
            std::fs::write(&path, &bytes).unwrap();
        }
    }
}
