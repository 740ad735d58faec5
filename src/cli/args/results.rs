//! RESULTS: the folder of results that a command reads, named alike by all of them.
//!
//! It is the first positional argument, and a folder of results is what holds `webmill.json`. Who stands in such a folder may
//! leave it out; so what the parser took for RESULTS may be the first of the other arguments, which is found out here.

use std::path::{Path, PathBuf};

use webmill_capture::{Error, Result};
use webmill_run::layout::LAYOUT_FILE;

use super::{OutOption, is_results};

/// RESULTS of a command that reads results.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Results {
    /// Folder of results, which holds webmill.json [default: the current folder].
    #[arg(value_name = "RESULTS")]
    results: Option<PathBuf>,
}

/// What a command reads that works on results or on files.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ResultsOrPages {
    /// Folder of results [default: the current folder]; or with --out a folder or table of pages.
    #[arg(value_name = "RESULTS|PAGES")]
    from: Option<PathBuf>,
    #[command(flatten)]
    out: OutOption,
}

/// What a command reads that works on a graph.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ResultsOrGraph {
    /// Folder of results, or graph file [default: the current folder].
    #[arg(value_name = "RESULTS|GRAPH")]
    graph: Option<PathBuf>,
}

/// The folder of results of that name, else the current folder.
fn resolve(named: Option<&Path>) -> Result<PathBuf> {
    let path = named.unwrap_or(Path::new("."));
    if is_results(path) { Ok(path.to_path_buf()) } else { Err(no_results(path)) }
}

fn no_results(path: &Path) -> Error {
    let here = if path == Path::new(".") { "the current folder" } else { &*path.to_string_lossy() };
    let what =
        if path.is_dir() { format!("it holds no {LAYOUT_FILE}") } else { "it is no folder".to_owned() };
    Error::Config(format!(
        "{here}: no results here ({what}): name the folder that `webmill run` or `webmill extract` wrote to"
    ))
}

/// Divides the positional arguments into the folder of results and the others.
fn divide(all: Vec<String>) -> Result<(PathBuf, Vec<String>)> {
    let here = Path::new(".");
    match all.split_first() {
        Some((first, others)) if is_results(Path::new(first)) => Ok((first.into(), others.to_vec())),
        _ if is_results(here) => Ok((here.to_path_buf(), all)),
        Some((first, others)) => match others.iter().find(|other| is_results(Path::new(other))) {
            Some(results) => Err(Error::Config(format!(
                "RESULTS comes first: {results}, then {first} and what else there is"
            ))),
            None if Path::new(first).is_dir() => Err(no_results(Path::new(first))),
            None => Err(Error::Config(format!(
                "neither {first} nor the current folder is a folder of results (one that holds {LAYOUT_FILE}): name the one that `webmill run` or `webmill extract` wrote to"
            ))),
        },
        None => Err(no_results(here)),
    }
}

/// As many others as a command needs.
fn exactly<const N: usize>(others: Vec<String>, names: [&str; N]) -> Result<[String; N]> {
    let count = others.len();
    others.try_into().map_err(|others: Vec<String>| {
        let why = match names.get(count) {
            Some(missing) => format!("<{missing}> is missing"),
            None => format!("{} is one argument too many", others[N]),
        };
        Error::Config(format!("{why}: [RESULTS] {}", names.map(|name| format!("<{name}>")).join(" ")))
    })
}

impl Results {
    /// The folder given, if any.
    pub fn of(results: Option<PathBuf>) -> Self {
        Results { results }
    }

    /// The folder.
    ///
    /// # Errors
    /// [`Error::Config`] where it holds no results.
    pub fn folder(&self) -> Result<PathBuf> {
        resolve(self.results.as_deref())
    }

    /// Everything that is named by position, in order.
    pub fn all(&self, others: &[String]) -> Vec<String> {
        let first = self.results.iter().map(|path| path.to_string_lossy().into_owned());
        first.chain(others.iter().cloned()).collect()
    }

    /// The folder, and the other arguments.
    ///
    /// # Errors
    /// [`Error::Config`] where no results are named or at hand.
    pub fn before_all(&self, others: &[String]) -> Result<(PathBuf, Vec<String>)> {
        divide(self.all(others))
    }

    /// The folder, and as many other arguments as there are names.
    ///
    /// # Errors
    /// [`Error::Config`] where no results are named or at hand, or an argument is missing.
    pub fn before<const N: usize>(
        &self,
        others: [&Option<String>; N],
        names: [&str; N],
    ) -> Result<(PathBuf, [String; N])> {
        let others: Vec<String> = others.into_iter().flatten().cloned().collect();
        let (folder, others) = self.before_all(&others)?;
        Ok((folder, exactly(others, names)?))
    }

    /// As many other arguments as there are names, and the folder where one is named or at hand: for what does without.
    ///
    /// # Errors
    /// [`Error::Config`] where an argument is missing.
    pub fn perhaps_before<const N: usize>(
        &self,
        others: [&Option<String>; N],
        names: [&str; N],
    ) -> Result<(Option<PathBuf>, [String; N])> {
        let others: Vec<String> = others.into_iter().flatten().cloned().collect();
        let mut all = self.all(&others);
        let first = (all.len() > N).then(|| PathBuf::from(all.remove(0)));
        let folder = match first {
            Some(first) => Some(resolve(Some(&first))?),
            None => resolve(None).ok(),
        };
        Ok((folder, exactly(all, names)?))
    }

    /// The folder where one is named or at hand, and the other argument: for what does without either.
    pub fn if_any(&self, other: Option<&String>) -> (Option<PathBuf>, Option<String>) {
        let mut all = self.all(other.map(std::slice::from_ref).unwrap_or_default());
        let named = all.len() == 2 || all.first().is_some_and(|first| Path::new(first).is_dir());
        let folder = match named {
            true => Some(PathBuf::from(all.remove(0))),
            false => resolve(None).ok(),
        };
        (folder, all.pop())
    }

    /// Where a job commits, and the files that it reads: with `--out` a folder of its own, and all that is named by position
    /// are files; else RESULTS.
    ///
    /// # Errors
    /// [`Error::Config`] where no results are named or at hand.
    pub fn or_new(&self, others: &[String], out: &OutOption) -> Result<(PathBuf, Vec<String>)> {
        match &out.out {
            Some(out) => Ok((out.clone(), self.all(others))),
            None => self.before_all(others),
        }
    }
}

impl ResultsOrPages {
    /// Where a job commits, the pages that it reads where they are not in that folder, and the other argument.
    ///
    /// # Errors
    /// [`Error::Config`] where no results are named or at hand, or too much is named.
    pub fn place(&self, other: Option<&String>) -> Result<(PathBuf, Option<String>, Option<String>)> {
        let results = Results { results: self.from.clone() };
        let others: Vec<String> = other.into_iter().cloned().collect();
        let (folder, mut named) = results.or_new(&others, &self.out)?;
        let pages = (self.out.out.is_some() && !named.is_empty()).then(|| named.remove(0));
        let other = (!named.is_empty()).then(|| named.remove(0));
        match named.first() {
            Some(more) => Err(Error::Config(format!("{more} is one argument too many"))),
            None => Ok((folder, pages, other)),
        }
    }
}

impl ResultsOrGraph {
    /// The graph: a folder of results or a file.
    ///
    /// # Errors
    /// [`Error::Config`] where none is named and the current folder holds no results, or a folder is named that holds neither.
    pub fn path(&self) -> Result<PathBuf> {
        match &self.graph {
            Some(graph) if graph.is_dir() => resolve(Some(graph)),
            Some(graph) => Ok(graph.clone()),
            None => resolve(None),
        }
    }

    /// The graph, and as many other arguments as there are names.
    ///
    /// # Errors
    /// As of [`ResultsOrGraph::path`]; where an argument is missing.
    pub fn before<const N: usize>(
        &self,
        others: [&Option<String>; N],
        names: [&str; N],
    ) -> Result<(PathBuf, [String; N])> {
        let results = Results { results: self.graph.clone() };
        let mut all = results.all(&others.into_iter().flatten().cloned().collect::<Vec<_>>());
        let graph = (all.len() > N).then(|| PathBuf::from(all.remove(0)));
        Ok((ResultsOrGraph { graph }.path()?, exactly(all, names)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(words: &[&str]) -> Results {
        Results { results: words.first().map(PathBuf::from) }
    }

    #[test]
    fn results_come_first_and_others_follow() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(LAYOUT_FILE), "{}").unwrap();
        let results = dir.path().to_str().unwrap();
        let url = Some("http://a.example/".to_owned());
        let (folder, [asked]) = named(&[results]).before([&url], ["URL"]).unwrap();
        assert_eq!((folder.as_path(), asked.as_str()), (dir.path(), "http://a.example/"));
        for (words, others, said) in [
            (&[results][..], None, "<URL> is missing"),
            (&["http://a.example/"], Some(results.to_owned()), "RESULTS comes first"),
            (&["http://a.example/"], None, "neither http://a.example/ nor the current folder"),
            (&["/"], None, "/: no results here (it holds no webmill.json)"),
        ] {
            let error = named(words).before([&others], ["URL"]).unwrap_err().to_string();
            assert!(error.contains(said), "{words:?}: {error}");
        }
        let (none, [asked]) = named(&["a.txt"]).perhaps_before([&None], ["PAGE"]).unwrap();
        assert_eq!((none, asked.as_str()), (None, "a.txt"));
        let out = OutOption { out: Some("new".into()) };
        let (folder, files) = named(&["a.txt"]).or_new(&["b.txt".to_owned()], &out).unwrap();
        assert_eq!((folder, files), ("new".into(), vec!["a.txt".to_owned(), "b.txt".to_owned()]));
    }

    #[test]
    fn a_folder_without_results_is_named() {
        for (path, said) in [
            ("/", "/: no results here (it holds no webmill.json)"),
            ("/none", "/none: no results here (it is no folder)"),
        ] {
            assert!(resolve(Some(Path::new(path))).unwrap_err().to_string().starts_with(said), "{path}");
        }
    }
}
