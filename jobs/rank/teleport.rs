//! Where PageRank teleports to, from a file of names: topic-sensitive rank.

use std::collections::HashMap;
use std::path::Path;

use webmill_capture::domain::registrable;
use webmill_capture::error::AtPath;
use webmill_capture::names::near_to;
use webmill_capture::{CanonicalUrl, Error, Host, Result, canonical_host};
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

    /// The teleport vector for nodes called `names`, in order, and the names that no node has. Nodes that one name
    /// stands for, the pages of a host, share its weight.
    ///
    /// # Errors
    /// The message if no node has any of the names, with names near to the first of them.
    pub fn vector<I>(&self, names: impl Fn() -> I) -> Result<(Vec<f64>, Vec<&str>)>
    where
        I: Iterator<Item = Result<String>>,
    {
        let mut nodes = Vec::new();
        let mut found = NamedNodes::default();
        for name in names() {
            let entry = self.entry(&name?);
            nodes.push(entry.unwrap_or(("", 0.0)));
            found.count(entry);
        }
        let mut unknown: Vec<&str> =
            self.weights.keys().map(String::as_str).filter(|name| !found.nodes.contains_key(*name)).collect();
        unknown.sort_unstable();
        if found.any && !found.weighs {
            let first = unknown.first().copied().unwrap_or_default();
            return Err(Error::Config(format!(
                "none of the {} names to teleport to is a node of {} with a weight: not {first}{}",
                self.weights.len(),
                self.level.map_or_else(|| "the graph".to_owned(), |level| format!("level {level}")),
                near_to(first, names().filter_map(Result::ok))
            )));
        }
        let vector = nodes.into_iter().map(|entry| found.share(entry));
        Ok((vector.collect(), unknown))
    }

    /// The name that stands for a node, with its weight.
    fn entry(&self, node: &str) -> Option<(&str, f64)> {
        let host =
            (self.level == Some(Level::Page)).then(|| host_of(node)).flatten().map(|host| host.to_string());
        let known = [Some(node), host.as_deref()].into_iter().flatten();
        let entry = known.filter_map(|name| self.weights.get_key_value(name)).next();
        entry.map(|(name, weight)| (name.as_str(), *weight))
    }
}

/// How many nodes each name stands for.
#[derive(Default)]
struct NamedNodes {
    nodes: HashMap<String, u32>,
    any: bool,
    weighs: bool,
}

impl NamedNodes {
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

/// What a name that a user typed is called on a level: a URL in canonical form, a host or domain as [`canonical_host`] has
/// it, where it is one.
pub fn of_level(name: &str, level: Option<Level>) -> String {
    let host = || host_of(name).or_else(|| canonical_host(name).ok());
    let of_level = match level {
        Some(Level::Page) if name.contains("://") => CanonicalUrl::parse(name).map(CanonicalUrl::into_string),
        Some(Level::Page | Level::Host) => host().map(|host| host.to_string()),
        Some(Level::Domain) => host().map(|host| registrable(&host.name).to_owned()),
        None => None,
    };
    of_level.unwrap_or_else(|| name.to_owned())
}

/// The host of a URL; nothing for a name that is none.
fn host_of(name: &str) -> Option<Host> {
    name.contains("://").then(|| CanonicalUrl::parse(name)).flatten().and_then(|url| Host::of(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(text: &str, level: Level, nodes: &[&str]) -> Result<(Vec<f64>, usize)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names");
        std::fs::write(&path, text).unwrap();
        let names = Names::read(&path, Some(level))?;
        let (vector, unknown) = names.vector(|| nodes.iter().map(|name| Ok((*name).to_owned())))?;
        Ok((vector, unknown.len()))
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
        // A host in any spelling is one.
        let nodes = ["dot.example", "xn--fsqu00a.xn--0zwm56d", "port.example:8080"];
        let text = "Dot.Example.\n例子.测试\t2\nPORT.example:8080";
        assert_eq!(vector(text, Level::Host, &nodes).unwrap(), (vec![1.0, 2.0, 1.0], 0));
        let pages = ["http://xn--fsqu00a.xn--0zwm56d/b", "http://dot.example./"];
        assert_eq!(vector("例子.测试\ndot.example:80", Level::Page, &pages).unwrap(), (vec![1.0, 1.0], 0));
    }

    #[test]
    fn what_is_refused() {
        let error = vector("b.exmaple", Level::Host, &["a.example", "b.example"]).unwrap_err().to_string();
        assert!(error.ends_with("not b.exmaple; near to it: b.example, a.example"), "{error}");
        for (text, want) in
            [("a\tb\n", "line 1"), ("x\na\t-1", "line 2"), ("a\tinf", "line 1"), ("x", "none of the 1")]
        {
            let error = format!("{:#}", vector(text, Level::Host, &["a"]).unwrap_err());
            assert!(error.contains(want), "{error}");
        }
    }
}
