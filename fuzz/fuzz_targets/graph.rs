#![no_main]

use webmill::Error;
use webmill::graph::{EdgeOptions, PageRank, load_with};

// Graph files of every kind: what loads is sound and can be ranked, what does not says where it is wrong.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let path = std::env::temp_dir().join(format!("webmill-fuzz-graph-{}", std::process::id()));
    std::fs::write(&path, data).expect("a temporary file");
    match load_with(&path, &EdgeOptions { memory: 1 << 20, ..EdgeOptions::default() }) {
        Ok(loaded) => {
            loaded.graph.check().expect("a graph that loads is sound");
            let ranks = PageRank { max_iterations: 3, ..PageRank::default() };
            let ranks = ranks.run(&loaded.graph, &loaded.graph.transpose()).expect("it can be ranked");
            assert!(ranks.scores.iter().all(|score| score.is_finite()));
        }
        Err(Error::Internal(what)) => panic!("{what}"),
        Err(error) => assert!(error.to_string().contains("webmill-fuzz-graph"), "{error}"),
    }
});
