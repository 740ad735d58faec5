//! What a user of one part of the library links: read off `cargo tree`, since the walls themselves are crates.

use std::collections::BTreeSet;
use std::process::Command;

/// Crates that a package links with these features, by name, without itself.
fn linked(package: &str, features: &str) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "-p",
            package,
            "--no-default-features",
            "--features",
            features,
        ])
        .args(["-e", "normal", "--prefix", "none", "--format", "{lib}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    // `(*)` stands behind what was shown before.
    let names = tree.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
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
        ("rules", &engines),
        ("serve", &["polars_parquet", "polars_arrow", "clap", "reqwest"]),
        ("render", &["polars_parquet", "polars_arrow", "clap", "fjall", "reqwest", "tokio_tungstenite"]),
        ("mill", &["tokio", "clap", "fjall", "hyper"]),
        ("crawl", &["polars_parquet", "polars_arrow", "clap"]),
        ("jobs", &["clap", "clap_builder", "webmill_cli", "ctrlc"]),
    ] {
        let linked = linked("webmill", features);
        assert!(linked.contains("webmill_capture"), "{features}: {linked:?}");
        for name in without {
            assert!(!linked.contains(*name), "feature {features} links {name}");
        }
    }
    for package in ["webmill-jobs", "webmill-python"] {
        let linked = linked(package, "");
        for name in ["clap", "clap_builder", "webmill_cli"] {
            assert!(!linked.contains(name), "{package} links {name}");
        }
    }
    let all = linked("webmill", "cli");
    assert!(["clap", "polars_parquet", "tokio"].iter().all(|name| all.contains(*name)), "{all:?}");
    // The engine of SQL is asked for by name, and brings no client of object stores.
    assert!(!all.contains("polars_sql") && linked("webmill", "sql").contains("polars_sql"));
    assert!(!linked("webmill", "sql").contains("object_store"));
    assert!(!all.contains("tokenizers") && linked("webmill", "tokens").contains("tokenizers"));
}

/// A feature brings in its crate and what that imports, and no further crate.
#[test]
fn a_feature_is_its_crate() {
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let mut seen = 0;
    for (feature, brings) in manifest["features"].as_table().unwrap() {
        let package = format!("webmill-{feature}");
        if !brings.as_array().unwrap().contains(&format!("dep:{package}").into()) {
            continue;
        }
        let ours = |names: BTreeSet<String>| -> BTreeSet<String> {
            names.into_iter().filter(|name| name.starts_with("webmill_")).collect()
        };
        let mut imports = ours(linked(&package, ""));
        imports.extend(["webmill_capture".to_owned(), package.replace('-', "_")]);
        assert_eq!(ours(linked("webmill", feature)), imports, "feature {feature}");
        seen += 1;
    }
    assert!(seen > 14, "{seen} features of one crate each");
}

/// The table of crates in ARCHITECTURE.md says of each what its manifest says.
#[test]
fn the_table_of_crates_is_true() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut seen = 0;
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let &[name, _, told] = cells.as_slice() else { continue };
        let name = name.trim_matches(['`', '/']);
        let folder =
            if ["jobs", "python"].contains(&name) { root.join(name) } else { root.join("src").join(name) };
        let (Ok(manifest), false) =
            (std::fs::read_to_string(folder.join("Cargo.toml")), told == "all of these")
        else {
            continue;
        };
        let manifest: toml::Table = manifest.parse().unwrap();
        let imports = manifest.get("dependencies").and_then(toml::Value::as_table).into_iter().flatten();
        let imports: BTreeSet<&str> =
            imports.filter_map(|(import, _)| import.strip_prefix("webmill-")).collect();
        let told: BTreeSet<&str> = told.split(", ").filter(|import| *import != "–").collect();
        assert_eq!(told, imports, "{name}");
        seen += 1;
    }
    assert!(seen > 17, "{seen} crates");
}

/// What cargo compiles for a command: packages with their kind of target and features.
fn compiled(arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--release", "--offline", "--locked", "-Z", "unstable-options", "--unit-graph"])
        // The plan of a build is a form that cargo may change: it asks to be told that we know.
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let graph: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let units = graph["units"].as_array().unwrap().iter();
    units
        .map(|unit| {
            format!("{} {} {} {}", unit["pkg_id"], unit["target"]["kind"], unit["mode"], unit["features"])
        })
        .collect()
}

/// The first build of README and that of the tests: what is compiled for the one is not compiled again for the other.
#[test]
fn builds_with_and_without_sql_share_all_but_the_program() {
    let (first, tests) = (
        compiled(&["build", "--bin", "webmill"]),
        compiled(&["test", "--workspace", "--features", "sql,tokens"]),
    );
    // As cargo names the root package, by whether its folder has its name.
    let own = |unit: &&String| unit.contains("/webmill#") || unit.contains("#webmill@");
    let again: Vec<&String> = first.difference(&tests).filter(|unit| !own(unit)).collect();
    assert!(again.is_empty(), "compiled once more with other features: {again:#?}");
    assert!(first.len() > 400, "{}", first.len());
}
