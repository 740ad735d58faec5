//! What a user of one part of the library links: read off `cargo tree`, since the walls themselves are crates.

use std::process::Command;

/// Crates that the library links with these features, by name.
fn linked(features: &str) -> Vec<String> {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "-p",
            "webmill",
            "--no-default-features",
            "--features",
            features,
        ])
        .args(["-e", "normal", "--prefix", "none", "--format", "{lib}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let mut names: Vec<String> = String::from_utf8(tree.stdout)
        .unwrap()
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(String::from)
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn a_part_of_the_library_links_what_it_needs_and_no_more() {
    let engines =
        ["tokio", "polars_parquet", "polars_arrow", "clap", "clap_builder", "fjall", "hyper", "reqwest"];
    for (features, without) in [
        ("text", &engines[..]),
        ("shard,html", &engines),
        ("graph", &engines),
        ("dedup", &engines),
        ("documents", &engines),
        ("media", &engines),
        ("revisit", &engines),
        ("rules", &engines),
        ("index", &engines),
        ("serve", &["polars_parquet", "polars_arrow", "clap", "fjall", "reqwest"]),
        ("render", &["polars_parquet", "polars_arrow", "clap", "fjall", "reqwest", "tokio_tungstenite"]),
        ("mill", &["tokio", "clap", "fjall", "hyper"]),
        ("crawl", &["polars_parquet", "polars_arrow", "clap"]),
        ("jobs", &["ctrlc"]),
    ] {
        let linked = linked(features);
        assert!(linked.iter().any(|name| name == "webmill_capture"), "{features}: {linked:?}");
        for name in without {
            assert!(!linked.iter().any(|l| l == name), "feature {features} links {name}");
        }
    }
    let all = linked("cli");
    assert!(["clap", "polars_parquet", "tokio"].iter().all(|name| all.iter().any(|l| l == name)), "{all:?}");
}
