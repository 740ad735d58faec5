//! `datapackage.json`: what a WACZ says of itself and of its files.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use webmill_capture::Result;

use super::lines::sha256;

/// A file of the package.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Resource {
    pub name: String,
    pub path: String,
    pub hash: String,
    pub bytes: u64,
    /// Where packages of before WACZ 1.1 keep digest and size.
    #[serde(skip_serializing)]
    pub stats: Option<Stats>,
    /// How that digest was made.
    #[serde(skip_serializing)]
    pub hashing: Option<String>,
}

/// Digest and size as packages of before WACZ 1.1 have them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Stats {
    pub hash: String,
    pub bytes: Option<u64>,
}

/// The description.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Package {
    pub profile: String,
    pub resources: Vec<Resource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    #[serde(rename = "wacz_version", skip_serializing_if = "Option::is_none")]
    pub wacz_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main_page_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main_page_date: Option<String>,
}

/// `datapackage-digest.json` of the bytes of a `datapackage.json`.
pub fn digest_of(package: &[u8]) -> Result<String> {
    #[derive(Serialize)]
    struct Digest<'a> {
        path: &'a str,
        hash: String,
    }
    super::lines::json(&Digest { path: "datapackage.json", hash: sha256(package) })
}

/// Gives names that no two files share.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A name of the letters that data packages allow: lower case, digits, `.`, `-`, `_`.
    pub fn of_resource(&mut self, file: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
        self.free(&file.to_ascii_lowercase().chars().map(plain).collect::<String>(), "")
    }

    /// A file name in `archive/` for a shard called `name`, which ends in `.warc.gz`.
    pub fn of_shard(&mut self, name: &str) -> String {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let mut stem = file;
        for end in [".gz", ".zst", ".lz4", ".warc", ".arc", ".rawdb", ".raw"] {
            stem = stem.strip_suffix(end).unwrap_or(stem);
        }
        // Names are in addresses of the replay and in JSON: letters that need no escape there.
        let plain = |c: char| {
            if c.is_control() || c.is_whitespace() || "\"#%&*:<>?|\\".contains(c) { '-' } else { c }
        };
        let stem: String = stem.chars().map(plain).collect();
        let stem = stem.trim_start_matches('.');
        self.free(if stem.is_empty() { "shard" } else { stem }, ".warc.gz")
    }

    fn free(&mut self, stem: &str, end: &str) -> String {
        let mut name = format!("{stem}{end}");
        let mut number = 2;
        while !self.taken.insert(name.to_lowercase()) {
            name = format!("{stem}-{number}{end}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_differ() {
        let mut names = Names::default();
        let of = ["a.warc.gz", "x/a.warc.zst", "../../etc/passwd", "A.raw", ".gz", "北 京.arc.gz"];
        let got = of.map(|name| names.of_shard(name));
        let want =
            ["a.warc.gz", "a-2.warc.gz", "passwd.warc.gz", "A-3.warc.gz", "shard.warc.gz", "北-京.warc.gz"];
        assert_eq!(got, want);
        let mut names = Names::default();
        assert_eq!(
            [names.of_resource("北.WARC.gz"), names.of_resource("-.warc.gz")],
            ["-.warc.gz", "-.warc.gz-2"]
        );
    }
}
