//! No circle of imports over more than three files.
//!
//! **Rule.** A file of a crate imports another where it names it by `crate::`, `super::`, or a `use` of a module of its
//! own. What a file passes on by `pub use` counts for the file that it comes from. A file and those in the folder of its
//! name are one unit: they may name each other, and that is not counted. Test modules are left out. Files that reach each
//! other by such imports are a circle: none of them is understood, moved or tested without all others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use regex::Regex;

use crate::support::repository;

/// Most files of a circle.
const MOST: usize = 3;

/// A module as its path from the root of the crate.
type Module = Vec<String>;

static DECLARED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^((?:\s*#\[[^\]]*\]\n)*)\s*(?:pub(?:\(\w+\))? )?mod (\w+);").unwrap());
static USED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(pub(?:\(\w+\))? )?use ([^;]+);").unwrap());
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:crate|super)(?:::[A-Za-z_]\w*)+").unwrap());
static TESTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?ms)^#\[cfg\(test\)\]\n(?:#\[[^\n]*\n)*mod \w+ \{.*").unwrap());
static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new("//.*").unwrap());

/// The files of a crate by module, with their text.
fn files(crate_folder: &Path) -> BTreeMap<Module, String> {
    fn visit(path: &Path, module: Module, below: &Path, files: &mut BTreeMap<Module, String>) {
        let text = std::fs::read_to_string(path).unwrap();
        let text = COMMENT.replace_all(&text, "");
        let text = TESTS.replace(&text, "").into_owned();
        for declared in DECLARED.captures_iter(&text).filter(|found| !found[1].contains("cfg(test)")) {
            let folder = below.join(&declared[2]);
            let places = [below.join(format!("{}.rs", &declared[2])), folder.join("mod.rs")];
            let module = module.iter().cloned().chain([declared[2].to_owned()]).collect();
            if let Some(path) = places.iter().find(|path| path.exists()) {
                visit(path, module, &folder, files);
            }
        }
        files.insert(module, text);
    }
    let mut found = BTreeMap::new();
    visit(&crate_folder.join("lib.rs"), Vec::new(), crate_folder, &mut found);
    found
}

/// The paths of a `use`, whose braces are taken apart.
fn paths(used: &str) -> Vec<Vec<String>> {
    let used = used.trim();
    let Some(open) = used.find('{') else {
        let path = used.split(" as ").next().unwrap_or_default();
        return vec![path.split("::").map(|name| name.trim().to_owned()).collect()];
    };
    let before: Vec<String> = used
        .cut(..open)
        .split("::")
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let inside = used.cut(open + 1..used.rfind('}').unwrap_or(used.len()));
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in inside.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match parts.last_mut() {
            _ if c == ',' && depth == 0 => parts.push(String::new()),
            Some(last) => last.push(c),
            None => {}
        }
    }
    let of_part = |part: &String| paths(part).into_iter().map(|path| [before.clone(), path].concat());
    parts.iter().filter(|part| !part.trim().is_empty()).flat_map(of_part).collect()
}

/// A crate's files and what they pass on.
struct Crate {
    files: BTreeMap<Module, String>,
    passed_on: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
}

impl Crate {
    fn read(folder: &Path) -> Self {
        let files = files(folder);
        let of_file = |text: &String| {
            let uses = USED.captures_iter(text).filter(|used| used.get(1).is_some());
            let named = |path: Vec<String>| path.last().cloned().map(|name| (name, path));
            uses.flat_map(|used| paths(&used[2])).filter_map(named).collect()
        };
        let passed_on = files.iter().map(|(module, text)| (module.clone(), of_file(text))).collect();
        Crate { files, passed_on }
    }

    /// A path as one from the root; nothing for a path into another crate.
    fn absolute(&self, from: &Module, path: &[String]) -> Option<Vec<String>> {
        let up = path.iter().take_while(|name| *name == "super").count();
        let (base, rest): (&[String], _) = match path.first()?.as_str() {
            "crate" => (&[], &path[1..]),
            "self" => (from, &path[1..]),
            "super" => (&from[..from.len().saturating_sub(up)], &path[up..]),
            first if self.files.contains_key(&[from.clone(), vec![first.to_owned()]].concat()) => {
                (from, path)
            }
            _ => return None,
        };
        Some([base, rest].concat())
    }

    /// The file that declares what a path names.
    fn file_of(&self, path: &[String], depth: usize) -> Module {
        let length = (0..=path.len()).rev().find(|n| self.files.contains_key(&path[..*n])).unwrap_or(0);
        let (module, rest) = (path[..length].to_vec(), &path[length..]);
        let further = rest.first().and_then(|name| self.passed_on[&module].get(name));
        let further = further.and_then(|path| self.absolute(&module, path));
        match further {
            Some(to) if depth > 0 && to != path => self.file_of(&[&to, &rest[1..]].concat(), depth - 1),
            _ => module,
        }
    }

    /// The files that each file imports.
    fn imports(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of_file = |(module, text): (&Module, &String)| {
            let named =
                NAMED.find_iter(text).map(|path| path.as_str().split("::").map(str::to_owned).collect());
            let used = USED.captures_iter(text).flat_map(|used| paths(&used[2]));
            let to =
                used.chain(named).filter_map(|path| Some(self.file_of(&self.absolute(module, &path)?, 8)));
            to.filter(|to| !to.starts_with(module) && !module.starts_with(to)).collect()
        };
        self.files.iter().map(|file| (file.0, of_file(file))).collect()
    }

    /// Files that reach each other, where they are more than [`MOST`].
    fn circles(&self) -> BTreeSet<Vec<Module>> {
        let imports = self.imports();
        let reached = |from: &Module| {
            let (mut seen, mut left) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(next) = left.pop() {
                left.extend(imports[&next].iter().filter(|to| seen.insert((*to).clone())).cloned());
            }
            seen
        };
        let reached: BTreeMap<&Module, BTreeSet<Module>> =
            self.files.keys().map(|module| (module, reached(module))).collect();
        let circle = |module: &Module| -> Vec<Module> {
            reached[module].iter().filter(|other| reached[other].contains(module)).cloned().collect()
        };
        self.files.keys().map(circle).filter(|circle| circle.len() > MOST).collect()
    }
}

#[test]
fn no_circle_of_imports_is_over_more_than_three_files() {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(repository("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|folder| folder.join("Cargo.toml").exists())
        .collect();
    folders.push(repository("jobs"));
    let mut wrong = Vec::new();
    for folder in folders {
        let name = folder.strip_prefix(repository(".")).unwrap().to_string_lossy().into_owned();
        for circle in Crate::read(&folder).circles() {
            let files: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
            wrong.push(format!("{name}: {} files import each other: {}", files.len(), files.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
