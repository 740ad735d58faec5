//! Where PageRank teleports to, from a file of names: topic-sensitive rank.

use std::collections::HashMap;
use std::path::Path;

use webmill_capture::domain::registrable;
use webmill_capture::error::AtPath;
use webmill_capture::{CanonicalUrl, Error, Result};
use xxhash_rust::xxh3::xxh3_128;

use crate::levels::Level;

/// Longest file that is read.
const MAX_BYTES: u64 = 1 << 30;

fn read(path: &Path) -> Result<String> {
    let size = std::fs::metadata(path).at(path)?.len();
    if size > MAX_BYTES {
        return Err(Error::Limit(format!(
            "{}: {size} bytes of names are more than {MAX_BYTES}",
            path.display()
        )));
    }
    std::fs::read_to_string(path).at(path)
}

/// What tells the file's contents from others.
pub fn digest(path: &Path) -> Result<String> {
    Ok(format!("teleport {:032x}", xxh3_128(read(path)?.as_bytes())))
}

/// Weights by name.
pub struct Names {
    weights: HashMap<String, f64>,
    level: Option<Level>,
}

impl Names {
    /// Reads names for a level, where a URL stands for its host or domain as well; without one names are taken as they are.
    ///
    /// # Errors
    /// Where the file cannot be read or a weight is none.
    pub fn read(path: &Path, level: Option<Level>) -> Result<Names> {
        let mut weights: HashMap<String, f64> = HashMap::new();
        for (number, line) in read(path)?.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, weight) = match line.rsplit_once('\t') {
                Some((name, weight)) => (name.trim(), weight.trim().parse().ok()),
                None => (line, Some(1.0)),
            };
            let Some(weight) = weight.filter(|w: &f64| *w >= 0.0 && w.is_finite()) else {
                return Err(Error::Config(format!(
                    "{}, line {}: {line:?} has no weight of 0 or more",
                    path.display(),
                    number + 1
                )));
            };
            *weights.entry(of_level(name, level)).or_default() += weight;
        }
        Ok(Names { weights, level })
    }

    /// The teleport vector for nodes called `names`, in order, and how many names no node has. Nodes that one name
    /// stands for, the pages of a host, share its weight.
    pub fn vector(&self, names: impl Iterator<Item = Result<String>>) -> Result<(Vec<f64>, u64)> {
        let mut nodes = Vec::new();
        let mut found = Found::default();
        for name in names {
            let entry = self.entry(&name?);
            nodes.push(entry.unwrap_or(("", 0.0)));
            found.count(entry);
        }
        self.check(&found)?;
        let vector = nodes.into_iter().map(|entry| found.share(entry));
        Ok((vector.collect(), self.unknown(&found)))
    }

    /// How many names no node has.
    fn unknown(&self, found: &Found) -> u64 {
        (self.weights.len() - found.nodes.len()) as u64
    }

    /// The name that stands for a node, with its weight.
    fn entry(&self, node: &str) -> Option<(&str, f64)> {
        let host = (self.level == Some(Level::Page)).then(|| host_of(node)).flatten();
        let known = [Some(node), host.as_deref()].into_iter().flatten();
        let entry = known.filter_map(|name| self.weights.get_key_value(name)).next();
        entry.map(|(name, weight)| (name.as_str(), *weight))
    }

    fn check(&self, found: &Found) -> Result<()> {
        if found.weighs || !found.any {
            return Ok(());
        }
        Err(Error::Config(format!(
            "none of the {} names to teleport to is a node of {}",
            self.weights.len(),
            self.level.map_or_else(|| "the graph".to_owned(), |level| format!("level {level}"))
        )))
    }
}

/// How many nodes each name stands for.
#[derive(Default)]
struct Found {
    nodes: HashMap<String, u32>,
    any: bool,
    weighs: bool,
}

impl Found {
    fn count(&mut self, entry: Option<(&str, f64)>) {
        self.any = true;
        let Some((name, weight)) = entry else { return };
        self.weighs |= weight > 0.0;
        match self.nodes.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(self.nodes.insert(name.to_owned(), 1)),
        }
    }

    fn share(&self, (name, weight): (&str, f64)) -> f64 {
        self.nodes.get(name).map_or(0.0, |count| weight / f64::from(*count))
    }
}

/// What a name in the file is called on a level.
fn of_level(name: &str, level: Option<Level>) -> String {
    match (level, host_of(name)) {
        (Some(Level::Page), _) => {
            CanonicalUrl::parse(name).map_or_else(|| name.to_owned(), CanonicalUrl::into_string)
        }
        (Some(Level::Host), host) => host.unwrap_or_else(|| name.to_owned()),
        (Some(Level::Domain), host) => registrable(&host.unwrap_or_else(|| name.to_owned())).to_owned(),
        (None, _) => name.to_owned(),
    }
}

/// The host of a URL; nothing for a name that is none.
fn host_of(name: &str) -> Option<String> {
    let url = name.contains("://").then(|| CanonicalUrl::parse(name)).flatten()?;
    Some(match url.port() {
        Some(port) => format!("{}:{port}", url.host()),
        None => url.host().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(text: &str, level: Level, nodes: &[&str]) -> Result<(Vec<f64>, u64)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names");
        std::fs::write(&path, text).unwrap();
        Names::read(&path, Some(level))?.vector(nodes.iter().map(|name| Ok((*name).to_owned())))
    }

    #[test]
    fn urls_and_hosts() {
        let pages = ["http://a.example/", "http://b.example/", "http://b.example/x", "http://c.example/"];
        let found =
            vector("HTTP://A.example\nb.example\t3\n# no name\n\nd.example\n", Level::Page, &pages).unwrap();
        assert_eq!(found, (vec![1.0, 1.5, 1.5, 0.0], 1));
        let found =
            vector("http://www.a.example/x\nb.example\t0.5", Level::Host, &["b.example", "www.a.example"]);
        assert_eq!(found.unwrap(), (vec![0.5, 1.0], 0));
        let found =
            vector("http://www.a.example/x\nhttp://a.example/", Level::Domain, &["a.example", "b.example"]);
        assert_eq!(found.unwrap(), (vec![2.0, 0.0], 0));
    }

    #[test]
    fn what_is_refused() {
        for (text, want) in
            [("a\tb\n", "line 1"), ("x\na\t-1", "line 2"), ("a\tinf", "line 1"), ("x", "none of the 1")]
        {
            let error = format!("{:#}", vector(text, Level::Host, &["a"]).unwrap_err());
            assert!(error.contains(want), "{error}");
        }
    }
}
