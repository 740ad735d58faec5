//! The command line as a whole: flags are alike everywhere, help fits on a screen, its examples can be typed, results are named
//! alike by all commands.

use std::collections::BTreeMap;
use std::path::Path;
use webmill_capture::cut::Cut;

use serde_json::Value;

use crate::support::{Work, repository};

/// Most flags of different names.
const MOST_FLAGS: usize = 130;
/// Lines of a screen, and its columns.
const SCREEN: (usize, usize) = (40, 100);
/// Names in examples that stand for files of one's own.
const OWN: &[&str] = &[
    "after.txt",
    "before.txt",
    "books.toml",
    "graph.mtx",
    "jsonl.zst",
    "e.g.",
    "graph.txt",
    "hosts.mtx",
    "labels.csv",
    "access.log",
    "access.log.1.gz",
    "later-posts/",
    "later.tsv",
    "letters/",
    "logs/",
    "mails/",
    "model.webmill",
    "model/",
    "notes.txt",
    "page.html",
    "page.txt",
    "posts/",
    "public_html",
    "results-of-last-year",
    "rules/",
    "titles.tsv",
    "crawl",
];

/// The program and all commands below it, as `webmill reference` has them.
fn commands() -> Vec<Value> {
    fn gather(command: &Value, into: &mut Vec<Value>) {
        into.push(command.clone());
        command["commands"].as_array().unwrap().iter().for_each(|below| gather(below, into));
    }
    let mut all = Vec::new();
    gather(&serde_json::from_str(&Work::new().output(&["reference"])).unwrap(), &mut all);
    all
}

#[test]
fn a_flag_means_the_same_in_all_commands() {
    let mut flags: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for command in commands() {
        for argument in command["arguments"].as_array().unwrap() {
            let name = argument["name"].as_str().unwrap();
            let Some(start) = name.find("--") else { continue };
            let long: String =
                name.cut(start..).chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
            // Whether it may be repeated or has optional values is the command's business.
            let value: String = name.chars().filter(|c| !"[]=.".contains(*c)).collect();
            let said = format!("{value}|{}|{}", argument["default"], argument["help"]);
            let path = command["path"].as_str().unwrap().to_owned();
            flags.entry(long).or_default().entry(said).or_default().push(path);
        }
    }
    let unlike: Vec<_> = flags.iter().filter(|(_, said)| said.len() > 1).collect();
    assert!(unlike.is_empty(), "{unlike:#?}");
    assert!(flags.len() <= MOST_FLAGS, "{} flags: {:?}", flags.len(), flags.keys());
}

#[test]
fn every_command_is_listed() {
    let help = Work::new().output(&["--help"]);
    for command in &commands()[1..] {
        let path = command["path"].as_str().unwrap();
        if let [_, name] = path.split(' ').collect::<Vec<_>>()[..] {
            assert!(help.lines().any(|line| line.starts_with(&format!("  {name} "))), "{name}: {help}");
        }
    }
}

#[test]
fn short_help_fits_on_a_screen() {
    let work = Work::new();
    for command in commands() {
        let path = command["path"].as_str().unwrap();
        let words: Vec<&str> = path.split(' ').skip(1).chain(["-h"]).collect();
        let help = work.output(&words);
        let lines: usize = help.lines().map(|line| line.chars().count().div_ceil(SCREEN.1).max(1)).sum();
        assert!(lines <= SCREEN.0, "{path}: {lines} lines\n{help}");
    }
}

/// The words of a command in an example, without quotes, and whether each is where something is written.
fn words(example: &str) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    let (mut word, mut quote, mut is_output) = (String::new(), None, false);
    for c in example.chars().chain([' ']) {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ' ' | '|' | ';' | '&') => {
                if !word.is_empty() {
                    let next = ["--out", "-o", ">"].contains(&&*word);
                    found.push((std::mem::take(&mut word), is_output));
                    is_output = next;
                }
            }
            _ => word.push(c),
        }
    }
    found
}

#[test]
fn examples_name_what_is_there_after_the_demonstration() {
    let work = Work::with_demo();
    let demo = work.path("demo");
    let mut missing = Vec::new();
    for command in commands() {
        let help = command["after_help"].as_str().unwrap();
        // What an earlier line of the examples writes is there for the later ones.
        let written: Vec<String> =
            help.lines().flat_map(words).filter(|(_, is_output)| *is_output).map(|(word, _)| word).collect();
        for example in help.lines().filter(|line| line.starts_with("  ") && line.contains("webmill ")) {
            for (word, is_output) in words(example).iter().skip(1) {
                let is_file =
                    word.contains('/') || word.rsplit_once('.').is_some_and(|(name, _)| !name.is_empty());
                let is_plain =
                    !word.contains("://") && !word.starts_with('-') && !word.contains([' ', '=', '(', ':']);
                let is_host = word.ends_with(".example");
                if *is_output
                    || !is_file
                    || !is_plain
                    || is_host
                    || OWN.contains(&&**word)
                    || written.iter().any(|folder| word.starts_with(folder.as_str()))
                    || word.starts_with('~')
                {
                    continue;
                }
                let path = match (word.strip_prefix("out/demo/"), word.strip_suffix("/*.rawdb")) {
                    (Some(_), Some(folder)) => demo.join(folder.trim_start_matches("out/demo/")),
                    (Some(inside), None) => demo.join(inside),
                    (None, _) => repository(word),
                };
                let may_be_address = word.starts_with("www.") || word.starts_with("127.");
                if !path.exists() && !may_be_address {
                    missing.push(format!("{}: {word} in {example}", command["path"]));
                }
            }
        }
    }
    let shards = std::fs::read_dir(demo.join("crawl/shards")).unwrap();
    assert!(shards.map(|shard| shard.unwrap().path()).any(|path| path.extension() == Some("rawdb".as_ref())));
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn results_are_named_first_or_are_where_one_stands() {
    let work = Work::with_demo();
    let within = |folder: &str, arguments: &[&str]| {
        let output = work.webmill(arguments).current_dir(work.path(folder)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), said)
    };
    let url = "http://www.lakeside.example/";
    for arguments in [
        &["rank"][..],
        &["shape", "--level", "host"],
        &["graph", "info"],
        &["graph", "path", "www.lakeside.example", "mirror.lakeside.example", "--level", "host"],
        &["show", url],
        &["dedup", "similar", url, "--min-resemblance", "0"],
        &["dedup", "diff", url, url],
        &["results", "ls"],
        &["schema", "pages"],
        &["keywords"],
    ] {
        let (code, here, said) = within("demo/results", arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        let at = arguments.iter().take_while(|word| word.chars().all(|c| c.is_ascii_lowercase())).count();
        // The first words are those of the command; `pages` is an argument.
        let at = if arguments[0] == "schema" { 1 } else { at };
        let named = [&arguments[..at], &["demo/results"], &arguments[at..]].concat();
        let (code, named_there, said) = within(".", &named);
        assert_eq!(code, Some(0), "{named:?}: {said}");
        assert_eq!(
            here.replace("./", "demo/results/").lines().count(),
            named_there.lines().count(),
            "{arguments:?}"
        );
        let (code, _, said) = within("demo/crawl", &arguments[..at]);
        assert!(code == Some(2) || arguments[0] == "schema", "{arguments:?}: {said}");
        let refused = said.contains("webmill.json") || said.contains("is missing");
        assert!(refused || arguments[0] == "schema", "{arguments:?}: {said}");
    }
    let (code, _, said) = within(".", &["show", url, "demo/results"]);
    assert!(code == Some(2) && said.contains("RESULTS comes first"), "{said}");
    assert!(Path::new(&work.path("demo/results/webmill.json")).is_file());
}

#[test]
fn old_spellings_are_answered_with_the_new_ones() {
    let work = Work::new();
    std::fs::create_dir(work.path("r")).unwrap();
    std::fs::write(work.path("r/webmill.json"), "{}").unwrap();
    for (old, new) in [
        ("rank --out r --top 3", "webmill rank r --top 3"),
        ("graph build --out r", "webmill graph r"),
        ("rules apply books.toml --out r --shards s", "webmill rules r books.toml --shards s"),
        ("learn train --labels l.csv --out r", "webmill learn train r --labels l.csv"),
        ("count words --top 3 --out r", "webmill count words r --top 3"),
        ("count search web --out=r", "webmill count search r web"),
        ("dedup diff http://a/ http://b/ --results r", "webmill dedup diff r http://a/ http://b/"),
        ("crawl explain http://a/ --out c", "webmill crawl explain c http://a/"),
        ("schema --results r pages", "webmill schema r pages"),
    ] {
        let said = work.fails(&old.split(' ').collect::<Vec<_>>(), 2);
        assert!(said.contains(new), "{old}: {said}");
    }
}
