//! Links between pages lead somewhere, every page is reached, README is short.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use super::{all_pages, read, sources};
use crate::support::repository;

/// Most words of the front page.
const README_WORDS: usize = 900;

/// Targets of Markdown links outside of code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // Every other piece between back-ticks is code.
        let words: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let targets = words.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        links.extend(targets.map(str::to_owned));
    }
    links
}

/// The path of a link in the repository, and its anchor.
fn resolved(page: &str, link: &str) -> (String, Option<String>) {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(p, a)| (p, Some(a.to_owned())));
    if path.is_empty() {
        return (page.to_owned(), anchor);
    }
    let mut parts: Vec<String> = Vec::new();
    for part in Path::new(page).parent().unwrap().join(path).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    (parts.join("/"), anchor)
}

/// Anchors of headings, as forges make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            title
                .chars()
                .filter_map(|c| match c {
                    ' ' => Some('-'),
                    c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                    _ => None,
                })
                .collect()
        })
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    let (mut broken, mut looked_at) = (Vec::new(), 0);
    for page in all_pages().into_iter().chain(others) {
        let text = read(&page);
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            looked_at += 1;
            let (path, anchor) = resolved(&page, &link);
            let target = repository(&path);
            let has = |anchor: &String| {
                !path.ends_with(".md") || anchors(&std::fs::read_to_string(&target).unwrap()).contains(anchor)
            };
            if !target.exists() || !anchor.iter().all(has) {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
    assert!(looked_at > 200, "{looked_at}");
}

#[test]
fn every_page_is_linked_from_the_contents() {
    let contents = "docs/README.md";
    let linked: BTreeSet<String> =
        links(&read(contents)).iter().map(|link| resolved(contents, link).0).collect();
    let lost: Vec<String> = all_pages()
        .into_iter()
        .filter(|page| page.starts_with("docs/") && page != contents && !linked.contains(page))
        .collect();
    assert!(lost.is_empty(), "docs/README.md does not link to {lost:?}");
    assert!(links(&read("README.md")).iter().any(|link| link == contents));
}

#[test]
fn the_front_page_is_short_and_keeps_its_two_commands() {
    for page in ["README.md", "README.zh.md"] {
        let text = read(page);
        assert!(text.contains("\ncargo run --release -- demo"), "{page}");
        assert!(text.contains("\nmake test"), "{page}");
    }
    let words = read("README.md").split_whitespace().count();
    assert!(words <= README_WORDS, "README.md has {words} words, more than {README_WORDS}");
}

/// Commands stand between fences, where they are run; lines set in by four blanks are not.
#[test]
fn no_command_hides_in_an_indented_block() {
    for page in all_pages() {
        let (mut fenced, mut blank, mut list) = (false, true, false);
        for line in read(&page).lines() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            let is_block = line.starts_with("    ") && blank && !fenced && !list;
            assert!(!is_block, "{page}: {line}: write it between fences");
            if !line.starts_with(' ') && !line.is_empty() {
                list = line.starts_with("- ") || line.starts_with(|c: char| c.is_ascii_digit());
            }
            blank = line.is_empty();
        }
    }
}

/// Every row of a measurement has its day, every section a command.
#[test]
fn every_measurement_has_a_day_and_a_command() {
    let text = read("BENCHMARKS.md");
    let mut rows = 0;
    for section in text.split("\n## ").skip(1) {
        let title = section.lines().next().unwrap();
        let heads: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).collect();
        let day = heads.iter().find(|line| line.ends_with("| day |"));
        assert!(day.is_some() || heads.is_empty(), "{title}: a table without a column of days");
        for row in
            heads.iter().filter(|row| !row.ends_with("| day |") && row.contains(|c: char| c.is_ascii_digit()))
        {
            rows += 1;
            assert!(row.contains("2026-"), "{title}: {row}: when was it measured?");
        }
        assert!(section.contains('`'), "{title}: no command");
    }
    assert!(rows > 30, "{rows}");
}

/// Flags of other programs that pages name.
const FOREIGN_FLAGS: &[&str] = &[
    "--release",
    "--rm",
    "--user",
    "--example",
    "--timings",
    "--test",
    "--path",
    "--bench",
    "--open",
    "--input-dir",
    "--parallel",
    "--json",
    "--feed",
    "--sitemap",
    "--output-format",
    "--master",
    "--deploy-mode",
    "--archives",
    "--conf",
    "--files",
    "--features",
    "--output-dir",
];

#[test]
fn every_flag_that_a_page_names_is_one() {
    let mut known: BTreeSet<String> = FOREIGN_FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    let mut stack = vec![super::pages::commands()];
    while let Some(command) = stack.pop() {
        known.extend(command.flags());
        stack.extend(command.commands);
    }
    let (mut wrong, mut named) = (Vec::new(), 0);
    for page in all_pages().into_iter().filter(|page| page != "BENCHMARKS.md") {
        for word in read(&page).split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
            let letters = word.trim_start_matches('-');
            let is_flag = word.starts_with("--") && !word.starts_with("---") && letters.len() > 1;
            named += usize::from(is_flag);
            if is_flag && !known.contains(word) && !["--help", "--version"].contains(&word) {
                wrong.push(format!("{page}: {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "flags that no command has: {wrong:?}");
    assert!(named > 300, "{named}");
}

/// The overview of tables names columns that are there.
#[test]
fn the_columns_of_the_overview_are_those_of_the_tables() {
    let text = read("docs/results.md");
    let section = text.split("\n## Tables\n").nth(1).unwrap();
    let schemas = webmill::jobs::builtin::registry().tables();
    let mut looked_at = 0;
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let names =
            |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
        let (tables, columns) = (names(cells[0]), names(cells[2]));
        assert_eq!(tables.len(), columns.len(), "{row}");
        for (table, columns) in tables.iter().zip(columns) {
            let schema = schemas.iter().find(|schema| schema.name == *table);
            let schema = schema.unwrap_or_else(|| panic!("no table is called {table}"));
            for column in columns.split(", ") {
                looked_at += 1;
                assert!(schema.columns.iter().any(|c| c.name == column), "{table} has no column {column}");
            }
        }
    }
    assert!(looked_at > 100, "{looked_at}");
}

/// Variables that only tests and the build read.
const OF_TESTS: &[&str] = &[
    "WEBMILL_CRASH_AT",
    "WEBMILL_DATA_CRATES",
    "WEBMILL_FACTS",
    "WEBMILL_FRONTIER_TINY",
    "WEBMILL_FRONTIER_VICTIM",
    "WEBMILL_PICTURES",
    "WEBMILL_PY_WACZ",
    "WEBMILL_REPLAYWEBPAGE",
    "WEBMILL_SAY",
    "WEBMILL_TEST_DOCUMENTS",
    "WEBMILL_TEST_STORE_WRITER",
    "WEBMILL_TEST_WRITER",
];

#[test]
fn every_variable_is_explained() {
    let page = read("docs/logging.md");
    let mut found = BTreeSet::new();
    for path in sources() {
        let text = std::fs::read_to_string(path).unwrap();
        let names = text.split('"').filter(|word| word.starts_with("WEBMILL_"));
        let upper = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        found.extend(names.filter(upper).map(str::to_owned));
    }
    assert!(found.contains("WEBMILL_LOG"), "{found:?}");
    for name in found.iter().filter(|name| !OF_TESTS.contains(&name.as_str())) {
        assert!(page.contains(&format!("`{name}`")), "docs/logging.md does not explain {name}");
    }
}
