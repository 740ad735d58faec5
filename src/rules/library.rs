//! A library of rules: files, and folders of them.

use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

use crate::builtin;
use crate::check::MAX_FILE_BYTES;
use crate::rule::Rule;

/// Files of a folder that are looked at.
const MAX_FILES: usize = 100_000;

/// The rule files among these files and folders (`*.toml`, folders inside of folders too), each once, in the order given, those of a
/// folder by name.
///
/// # Errors
/// [`Error::Io`] where one is not there; [`Error::Limit`] for more than 100,000 files.
pub fn files(arguments: &[String]) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = Vec::new();
    for argument in arguments {
        let path = Path::new(argument);
        if !std::fs::metadata(path).at(path)?.is_dir() {
            found.push(path.to_path_buf());
            continue;
        }
        let mut open = vec![path.to_path_buf()];
        let mut inside = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).at(&folder)? {
                let entry = entry.at(&folder)?;
                let kind = entry.file_type().at(&folder)?;
                match kind.is_dir() {
                    true => open.push(entry.path()),
                    false if entry.path().extension().is_some_and(|end| end == "toml") => {
                        inside.push(entry.path())
                    }
                    false => {}
                }
                if inside.len() + open.len() > MAX_FILES {
                    return Err(Error::Limit(format!("{}: more than {MAX_FILES} files", path.display())));
                }
            }
        }
        inside.sort();
        found.append(&mut inside);
    }
    let mut known = std::collections::HashSet::new();
    found.retain(|path| known.insert(path.clone()));
    Ok(found)
}

/// The content of the files, each with its name; `builtin:NAME` is a rule that [comes with the program](builtin), `builtin:all` all of them. Bytes that are not UTF-8 are replaced by marks, and such a file is no rule.
///
/// # Errors
/// As of [`files`], and [`Error::Io`] where one cannot be read.
pub fn read(arguments: &[String]) -> Result<Vec<(String, String)>> {
    let mut read = Vec::new();
    let mut of_files = Vec::new();
    for argument in arguments {
        match builtin::named(argument) {
            None => of_files.push(argument.clone()),
            Some(rules) if rules.is_empty() => {
                let known: Vec<&str> = builtin::BUILTIN.iter().map(|(name, _)| *name).collect();
                return Err(Error::Config(format!(
                    "{argument}: no rule of this name comes with the program; all, {}",
                    known.join(", ")
                )));
            }
            Some(rules) => {
                read.extend(
                    rules
                        .into_iter()
                        .map(|(name, text)| (format!("{}{name}", builtin::PREFIX), text.to_owned())),
                );
            }
        }
    }
    for path in files(&of_files)? {
        let size = std::fs::metadata(&path).at(&path)?.len();
        if size > MAX_FILE_BYTES as u64 {
            return Err(Error::Limit(format!(
                "{}: {size} bytes; a rule has at most {MAX_FILE_BYTES}",
                path.display()
            )));
        }
        let bytes = std::fs::read(&path).at(&path)?;
        let name = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        read.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
    Ok(read)
}

/// The rules of these files (names and texts) that can be applied together, and the mistakes of the others by the names of
/// their files.
pub fn parse(texts: &[(String, String)]) -> (Vec<Rule>, Vec<(&str, String)>) {
    let (mut rules, mut mistakes): (Vec<Rule>, Vec<(&str, String)>) = Default::default();
    for (name, source) in texts {
        match Rule::parse(source) {
            Ok(rule) if rules.iter().any(|other| other.id == rule.id) => {
                mistakes.push((name, format!("rule: another rule has the id {}", rule.id)));
            }
            // As with groups b_c of rule a, and c of a_b.
            Ok(rule) if let Some((table, other)) = of_another(&rule, &rules) => {
                let mistake = format!("rule: rule {other} has a table {table} too: call the group otherwise");
                mistakes.push((name, mistake));
            }
            Ok(rule) => rules.push(rule),
            Err(found) => mistakes.extend(found.iter().map(|mistake| (name.as_str(), mistake.to_string()))),
        }
    }
    (rules, mistakes)
}

/// A table of a rule that one of these rules has too, and which.
fn of_another<'a>(rule: &Rule, rules: &'a [Rule]) -> Option<(String, &'a str)> {
    let own: Vec<String> = rule.groups.iter().map(|group| rule.table(group)).collect();
    let others =
        rules.iter().flat_map(|rule| rule.groups.iter().map(move |group| (rule.table(group), &*rule.id)));
    others.into_iter().find(|(table, _)| own.contains(table))
}

/// Refuses more rules, or layers of a rule, than are numbered.
///
/// # Errors
/// [`Error::Limit`].
pub fn check_numbers(rules: &[Rule]) -> Result<()> {
    let most = usize::from(u16::MAX);
    if rules.len() >= most || rules.iter().any(|rule| rule.layers.len() >= most) {
        return Err(Error::Limit(format!("more than {most} rules, or layers of a rule")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_folders_come_by_name_each_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("more")).unwrap();
        for (name, text) in [("b.toml", "2"), ("a.toml", "1"), ("more/c.toml", "3"), ("readme.md", "no")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let path = |name: &str| folder.path().join(name).display().to_string();
        let read = read(&[path("b.toml"), folder.path().display().to_string()]).unwrap();
        let texts: Vec<&str> = read.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["2", "1", "3"]);
        assert!(files(&[path("none.toml")]).is_err());
    }
}
