//! Any text as a list of arcs: what is read is sound, is written again, and is then the same graph.
#![no_main]

use std::path::Path;

use webmill::Error;
use webmill::graph::{EdgeList, EdgeOptions, parse_edges};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let path = Path::new("fuzzed.txt");
    let options = EdgeOptions { memory: 1 << 20, ..EdgeOptions::default() };
    let list = match parse_edges(data, path, &options) {
        Ok(list) => list,
        Err(Error::Internal(what)) => panic!("{what}"),
        Err(error) => {
            assert!(error.to_string().contains("fuzzed.txt"), "{error}");
            return;
        }
    };
    list.graph.check().expect("a graph that is read is sound");
    if list.graph.offsets().len() > 1 << 16 {
        return;
    }
    let mut text = Vec::new();
    if list.write(&mut text, path).is_err() {
        return;
    }
    let again = parse_edges(&text[..], path, &EdgeOptions::default()).expect("what is written is read");
    assert_eq!(named(&again), named(&list), "{:?}", String::from_utf8_lossy(&text));
});

/// Names of the nodes and arcs between names, in order: numbers with gaps become names, which sort otherwise.
fn named(list: &EdgeList) -> (Vec<String>, Vec<(String, String, f64)>) {
    let name = |node: u32| match &list.names {
        Some(names) => names[node as usize].clone(),
        None => (u64::from(node) + u64::from(list.first)).to_string(),
    };
    let mut nodes: Vec<String> = (0..list.graph.offsets().len() as u32 - 1).map(name).collect();
    let mut arcs: Vec<_> = list.graph.arcs().map(|(u, v, weight)| (name(u), name(v), weight)).collect();
    nodes.sort_unstable();
    arcs.sort_unstable_by(|a, b| a.partial_cmp(b).expect("weights are numbers"));
    (nodes, arcs)
}
