//! The data in some crates is part of the program: their versions stand in the keys of jobs.

use std::path::Path;

/// Crates whose tables reach results.
const DATA_CRATES: &[&str] = &[
    "chardetng",
    "encoding_rs",
    "icu_calendar",
    "jieba-rs",
    "psl",
    "unicode-normalization",
    "unicode-segmentation",
    "url",
];

fn main() {
    let lock = Path::new("../Cargo.lock");
    println!("cargo:rerun-if-changed={}", lock.display());
    println!(
        "cargo:rustc-env=WEBMILL_DATA_CRATES={}",
        versions(&std::fs::read_to_string(lock).unwrap_or_default())
    );
}

/// `name version` of each crate, as the lock file has them; `name unlocked` where it has not.
fn versions(lock: &str) -> String {
    let version = |name: &str| {
        let entry =
            lock.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{name}\"\n")))?;
        entry.split("version = \"").nth(1)?.split('"').next()
    };
    let of = |name: &&str| format!("{name} {}", version(name).unwrap_or("unlocked"));
    DATA_CRATES.iter().map(of).collect::<Vec<_>>().join(", ")
}
