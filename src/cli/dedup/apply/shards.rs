//! Which given shard is which shard of the results, and what its copy is called.
//!
//! **Definition.** A given shard is the one of the same name; else the one whose path has most of its last parts in common
//! with it, the file name at least. One that could be two, and two that could be one, are refused: a copy of `b/x.warc`
//! must not take `a/x.warc` for itself. (What goes is decided by URL, date and digest, so that a wrong shard loses nothing.)

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use webmill_capture::{Error, Result};
use webmill_shard::Input;

use super::captures::NamedShard;

/// For each given shard that of the results, by number.
///
/// # Errors
/// [`Error::Config`] where that is not clear.
pub fn assign(named: &[NamedShard], given: &[Input]) -> Result<Vec<Option<usize>>> {
    let mut by_file: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, shard) in named.iter().enumerate() {
        by_file.entry(file_name(&shard.name)).or_default().push(number);
    }
    let mut taken: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut found = vec![None; given.len()];
    for (at, input) in given.iter().enumerate() {
        let path = input.path.to_string_lossy();
        let candidates = by_file.get(file_name(&path)).into_iter().flatten();
        let mut scored: Vec<(usize, usize)> =
            candidates.map(|number| (score(&named[*number].name, input), *number)).collect();
        scored.sort_unstable_by_key(|(score, number)| (std::cmp::Reverse(*score), *number));
        let Some(&(best, number)) = scored.first() else { continue };
        if let Some((_, other)) = scored.get(1).filter(|(score, _)| *score == best) {
            return Err(Error::Config(format!(
                "{}: is {} or {} of the results; give the folder that holds both, as it was given to extract",
                input.path.display(),
                named[number].name,
                named[*other].name,
            )));
        }
        match taken.get(&number).copied() {
            Some((score, other)) if score == best => {
                return Err(Error::Config(format!(
                    "{} and {} could both be {} of the results; give the folder as it was given to extract",
                    given[other].path.display(),
                    input.path.display(),
                    named[number].name,
                )));
            }
            Some((score, _)) if score > best => continue,
            Some((_, other)) => found[other] = None,
            None => {}
        }
        taken.insert(number, (best, at));
        found[at] = Some(number);
    }
    Ok(found)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Parts that both paths end on; more than any for the same name.
fn score(name: &str, input: &Input) -> usize {
    if *name == *input.name {
        return usize::MAX;
    }
    let path = std::path::absolute(&input.path).unwrap_or_else(|_| input.path.clone());
    let ends = Path::new(name).components().rev().zip(path.components().rev());
    ends.take_while(|(a, b)| a == b).count()
}

/// What the copies are called below the folder of shards: the names that tables give the given shards where these are paths
/// inside of a folder, else as many last parts of the path as tell all of them apart.
///
/// # Errors
/// [`Error::Config`] where two paths are the same.
pub fn names(given: &[Input]) -> Result<Vec<PathBuf>> {
    let normal = |path: &Path| -> Vec<std::ffi::OsString> {
        let parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
        parts.map(|part| part.as_os_str().to_owned()).collect()
    };
    // A path as it was given, which names a shard where its file name would not tell it from others, is not one inside.
    let own = |input: &Input| {
        let inside = Path::new(&*input.name);
        inside != input.path && inside.components().all(|part| matches!(part, Component::Normal(_)))
    };
    let longest = given.iter().map(|input| input.path.components().count()).max().unwrap_or(1);
    for depth in 1..=longest {
        let name = |input: &Input| -> PathBuf {
            if own(input) {
                return PathBuf::from(&*input.name);
            }
            let parts = normal(&input.path);
            parts[parts.len().saturating_sub(depth)..].iter().collect()
        };
        let names: Vec<PathBuf> = given.iter().map(name).collect();
        if names.iter().collect::<HashSet<_>>().len() == names.len() {
            return Ok(names);
        }
    }
    Err(Error::Config("two shards have one name, and their copies would, too; give their folder".into()))
}

#[cfg(test)]
mod tests {
    use webmill_shard::discover;

    use super::*;

    const RAW: &str = "version:1.0\nurl:http://a/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nlength:2\n\nhi\n";

    /// Shards below a folder, given by these paths: names of the results that they are, and names of their copies.
    fn of(named: &[&str], given: &[&str]) -> std::result::Result<Vec<(Option<String>, String)>, String> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        for path in ["x.raw", "a/x.raw", "b/x.raw", "b/a/x.raw", "c/y.raw"] {
            std::fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(path), RAW).unwrap();
        }
        let inputs: Vec<String> = given.iter().map(|path| format!("{root}/{path}")).collect();
        let (inputs, _) = discover(&inputs).unwrap();
        let shards: Vec<NamedShard> =
            named.iter().map(|name| NamedShard { name: (*name).into(), ..NamedShard::default() }).collect();
        let found = assign(&shards, &inputs).map_err(|error| error.to_string())?;
        let names = names(&inputs).map_err(|error| error.to_string())?;
        let name = |number: Option<usize>| number.map(|number| shards[number].name.clone());
        Ok(found.into_iter().zip(names).map(|(n, path)| (name(n), path.display().to_string())).collect())
    }

    #[test]
    fn shards_of_one_file_name_are_told_apart_by_their_folders() {
        let some = |name: &str, path: &str| (Some(name.to_owned()), path.to_owned());
        let none = |path: &str| (None, path.to_owned());
        for (named, given, want) in [
            (vec!["x.raw"], vec!["a/x.raw"], vec![some("x.raw", "x.raw")]),
            (
                vec!["a/x.raw", "b/x.raw"],
                vec!["b/x.raw", "a/x.raw"],
                vec![some("b/x.raw", "b/x.raw"), some("a/x.raw", "a/x.raw")],
            ),
            (vec!["a/x.raw", "b/x.raw"], vec!["b/x.raw"], vec![some("b/x.raw", "x.raw")]),
            // As the folder was called before it was moved.
            (vec!["old/a/x.raw", "old/b/x.raw"], vec!["a"], vec![some("old/a/x.raw", "x.raw")]),
            (
                vec!["b/a/x.raw"],
                vec!["a/x.raw", "b/a/x.raw"],
                vec![none("a/x.raw"), some("b/a/x.raw", "b/a/x.raw")],
            ),
            (vec!["z.raw"], vec!["c/y.raw"], vec![none("y.raw")]),
        ] {
            let mut found = of(&named, &given).unwrap();
            // The paths of a temporary folder are longer: only the ends count.
            for (found, want) in found.iter_mut().zip(&want) {
                if found.1.ends_with(&want.1) {
                    found.1.clone_from(&want.1);
                }
            }
            assert_eq!(found, want, "{named:?} {given:?}");
        }
        let error = of(&["p/x.raw", "q/x.raw"], &["x.raw"]).unwrap_err();
        assert!(error.contains("is p/x.raw or q/x.raw"), "{error}");
        let error = of(&["x.raw"], &["a/x.raw", "b/x.raw"]).unwrap_err();
        assert!(error.contains("could both be x.raw"), "{error}");
    }
}
