//! What every setting of a recipe is for, from the comments of the source, with its default from the program.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};
use webmill::crawl::CrawlOptions;
use webmill::jobs::{
    count, dedup, extract, graph, keywords, learn, mirrors, rank, repeated, report, rules, shape,
};

/// A setting of a recipe.
pub struct Setting {
    /// Its name below the table: `limits.pages`.
    pub path: String,
    /// Its default, as a recipe would have it.
    pub default: String,
    /// What it is for.
    pub about: String,
}

/// The tables of a recipe with the settings of each, in the order of the source.
pub fn tables() -> Vec<(&'static str, Vec<Setting>)> {
    let source = Source::read();
    let defaults = [
        ("extract", "Extract", json(&extract::Extract::default())),
        ("graph", "GraphJob", json(&graph::GraphJob::default())),
        ("rank", "Rank", json(&rank::Rank::default())),
        ("shape", "Shape", json(&shape::Shape::default())),
        ("dedup", "Dedup", json(&dedup::Dedup::default())),
        ("repeated", "RepeatedOptions", json(&repeated::RepeatedLines::default())),
        ("mirrors", "MirrorOptions", json(&mirrors::Mirrors::default())),
        ("keywords", "KeywordsJob", json(&keywords::KeywordsJob::default())),
        ("rules", "RuleSettings", json(&rules::RuleSettings::default())),
        ("learn", "Learn", json(&learn::settings::Learn::default())),
        ("count-words", "CountWords", json(&count::words::CountWords::default())),
        ("count-backlinks", "CountBacklinks", json(&count::backlinks::CountBacklinks::default())),
        ("count-host-terms", "CountHostTerms", json(&count::host_terms::CountHostTerms::default())),
        ("count-index", "CountIndex", json(&count::index::CountIndex::default())),
        ("count-grep", "CountGrep", json(&count::grep::CountGrep::default())),
        ("count-visits", "CountVisits", json(&count::visits::CountVisits::default())),
        ("count-sort", "CountSort", json(&count::sort::CountSort::default())),
        ("report", "Report", json(&report::Report::default())),
        ("crawl", "CrawlOptions", json(&CrawlOptions::default())),
    ];
    let settings = |of: &str, value: &Value| {
        let mut settings = Vec::new();
        source.walk(of, value.as_object().unwrap(), "", &mut settings);
        settings
    };
    defaults.iter().map(|(table, of, value)| (*table, settings(of, value))).collect()
}

/// Settings as JSON: by its text, where a number of 32 bits is as short as in the source.
fn json(settings: &impl serde::Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(settings).unwrap()).unwrap()
}

/// A field of a struct.
#[derive(Clone)]
struct Field {
    name: String,
    kind: String,
    about: String,
    flatten: bool,
    /// Read but not written: an empty default.
    only_read: bool,
    /// Not for recipes.
    hidden: bool,
}

/// Structs and enums of the source by name; several may have one name.
#[derive(Default)]
struct Source {
    structs: BTreeMap<String, Vec<Vec<Field>>>,
    /// Words of enums, as recipes spell them.
    words: BTreeMap<String, Vec<Vec<String>>>,
}

impl Source {
    fn read() -> Self {
        let mut source = Source::default();
        super::sources().for_each(|path| source.take(&path));
        source
    }

    fn take(&mut self, path: &Path) {
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            // Within `settings!` a struct is indented.
            let end = if line.starts_with(' ') { "    }" } else { "}" };
            let body = || lines[number + 1..].iter().take_while(|line| **line != end).copied();
            if let Some(name) = declared(line.trim_start(), "pub struct ") {
                self.structs.entry(name).or_default().push(fields(body()));
            } else if let Some(name) = declared(line, "pub enum ") {
                let attributes = lines[..number].iter().rev().take_while(|l| l.starts_with("#["));
                let lower = attributes.clone().any(|l| l.contains("rename_all = \"lowercase\""));
                if lower || attributes.clone().any(|l| l.contains("rename_all = \"kebab-case\"")) {
                    let words = body().filter_map(|line| word(line, lower));
                    self.words.entry(name).or_default().push(words.collect());
                }
            }
        }
    }

    /// The struct of that name whose fields make up these keys.
    fn of(&self, name: &str, value: &Map<String, Value>) -> Option<&Vec<Field>> {
        self.structs.get(name)?.iter().find(|fields| {
            let own = |key: &String| fields.iter().any(|field| field.name == *key || field.flatten);
            value.keys().all(own)
        })
    }

    fn walk(&self, of: &str, value: &Map<String, Value>, prefix: &str, out: &mut Vec<Setting>) {
        // A job without settings.
        if value.is_empty() {
            return;
        }
        let fields = self.of(of, value).unwrap_or_else(|| panic!("{prefix}: no struct {of} in the source"));
        for field in fields.iter().filter(|field| !field.hidden) {
            let path = format!("{prefix}{}", field.name);
            let kind = inner(&field.kind);
            if field.flatten {
                let own = |key: &String| self.structs[kind].iter().flatten().any(|f| f.name == *key);
                let part = value.iter().filter(|(key, _)| own(key));
                self.walk(kind, &part.map(|(k, v)| (k.clone(), v.clone())).collect(), prefix, out);
                continue;
            }
            let default = match (value.get(&field.name), field.only_read) {
                (Some(default), _) => default.clone(),
                (None, true) => Value::Array(Vec::new()),
                // Not a setting, or one that a default leaves out.
                (None, false) if field.kind.starts_with("Option<") => Value::Null,
                (None, false) => continue,
            };
            match default.as_object().filter(|below| self.of(kind, below).is_some()) {
                Some(below) => self.walk(kind, below, &format!("{path}."), out),
                None => self.leaf(field, &path, &default, out),
            }
        }
    }

    fn leaf(&self, field: &Field, path: &str, default: &Value, out: &mut Vec<Setting>) {
        assert!(field.about.len() > 8, "{path}: the source says nothing about it");
        let kind = inner(&field.kind);
        let mut about = field.about.clone();
        let known =
            |words: &&Vec<String>| default.as_str().is_some_and(|word| words.iter().any(|w| w == word));
        if let Some(words) = self.words.get(kind).and_then(|all| all.iter().find(known)) {
            about += &format!(" One of {}.", words.join(", "));
        }
        out.push(Setting { path: path.to_owned(), default: written(default), about });
        // What the entries of a list may have.
        if let (true, Some([fields])) =
            (field.kind.starts_with("Vec<"), self.structs.get(kind).map(Vec::as_slice))
        {
            for field in fields {
                let (path, about) = (format!("{path}[].{}", field.name), field.about.clone());
                assert!(about.len() > 8, "{path}: the source says nothing about it");
                out.push(Setting { path, default: "–".to_owned(), about });
            }
        }
    }
}

/// The name that a line declares with braces.
fn declared(line: &str, how: &str) -> Option<String> {
    let rest = line.strip_prefix(how)?.strip_suffix('{')?.trim();
    Some(rest.split('<').next()?.to_owned())
}

fn fields<'a>(body: impl Iterator<Item = &'a str>) -> Vec<Field> {
    let (mut found, mut about, mut attributes) = (Vec::new(), Vec::new(), String::new());
    for line in body {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("///") {
            about.push(comment.trim());
        } else if line.starts_with("#[") {
            attributes += line;
        } else if let Some((name, kind)) = line.strip_prefix("pub ").and_then(|l| l.split_once(": ")) {
            let renamed = attributes.split("rename = \"").nth(1).and_then(|rest| rest.split('"').next());
            let hidden = attributes.contains("serde(skip)")
                || attributes.contains("flatten, skip")
                || attributes.contains("skip_deserializing");
            found.push(Field {
                hidden,
                name: renamed.unwrap_or(name).to_owned(),
                kind: kind.split(" = ").next().unwrap_or(kind).trim_end_matches(',').to_owned(),
                about: about.join(" "),
                flatten: attributes.contains("serde(flatten)"),
                only_read: attributes.contains("skip_serializing)"),
            });
            about.clear();
            attributes.clear();
        }
    }
    found
}

/// The innermost type: `RateLimit` of `Option<Vec<crate::RateLimit>>`.
fn inner(kind: &str) -> &str {
    let mut kind = kind;
    for around in ["Option<", "Vec<", "Box<"] {
        kind = kind.strip_prefix(around).and_then(|k| k.strip_suffix('>')).unwrap_or(kind);
    }
    kind.rsplit("::").next().unwrap_or(kind)
}

/// How a recipe spells a variant.
fn word(line: &str, lower: bool) -> Option<String> {
    let name = line.trim().strip_suffix(',')?;
    if !name.starts_with(char::is_uppercase) || !name.chars().all(char::is_alphanumeric) {
        return None;
    }
    let mut word = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !word.is_empty() && !lower {
            word.push('-');
        }
        word.extend(c.to_lowercase());
    }
    Some(word)
}

/// A default as a recipe would have it.
fn written(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        other => other.to_string().replace("\",\"", "\", \""),
    }
}

#[test]
fn every_table_of_a_recipe_has_settings_that_are_explained() {
    let tables = tables();
    let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
    for job in webmill::jobs::builtin::registry().jobs() {
        let table = if job.name.starts_with("learn-") { "learn" } else { job.name };
        assert!(names.contains(&table), "{}: its settings stand on no page", job.name);
    }
    let find = |table: &str, path: &str| {
        let settings = &tables.iter().find(|(name, _)| *name == table).unwrap().1;
        settings.iter().find(|setting| setting.path == path).unwrap().default.clone()
    };
    assert_eq!(find("extract", "file_rows"), extract::Extract::default().file_rows.to_string());
    assert_eq!(find("crawl", "politeness.delay_ms"), "1000");
    assert_eq!(find("crawl", "fetch.no_proxy"), "[]");
    assert_eq!(find("crawl", "limits.pages"), "none");
    assert_eq!(find("crawl", "sites[].delay_ms"), "–");
    assert_eq!(find("dedup", "against"), "[]");
}

/// The page that explains media types writes their setting as a recipe of the default.
#[test]
fn recipes_that_say_they_are_the_defaults_are() {
    let defaults = json(&CrawlOptions::default());
    let text = super::read("docs/media-types.md");
    let recipe = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let recipe: toml::Table = toml::from_str(recipe).unwrap();
    let said = serde_json::to_value(&recipe["crawl"]["scope"]).unwrap();
    for (name, value) in said.as_object().unwrap() {
        assert_eq!(*value, defaults["scope"][name], "scope.{name}");
    }
}
