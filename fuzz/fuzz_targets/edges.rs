//! Any text as a list of arcs: what is read is sound, is written again, and is then the same graph.
#![no_main]

use std::path::Path;

use webmill::Error;
use webmill::graph::{EdgeOptions, Order, parse_edges};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let path = Path::new("fuzzed.txt");
    let options = EdgeOptions { memory: 1 << 20, order: Order::Name };
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
    let options = EdgeOptions { order: Order::Name, ..EdgeOptions::default() };
    let again = parse_edges(&text[..], path, &options).expect("what is written is read");
    assert!(
        again.graph.arcs().eq(list.graph.arcs()) && again.names == list.names,
        "{:?}",
        String::from_utf8_lossy(&text)
    );
});
