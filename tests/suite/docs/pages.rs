//! Pages made from the program: a command, a table, the settings, and the contents that list them.
//!
//! Each has a mark. What stands above it a hand wrote, and it stays; what stands below is made anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use webmill::jobs::builtin::registry;
use webmill::table::TableSchema;

use super::{read, settings};
use crate::support::{Work, repository};

/// The line between what is written and what is made.
const MARK: &str = "<!-- Below: made from the program. Write above; see CONTRIBUTING.md. -->";

/// What `webmill reference` prints of a command.
#[derive(Debug, Deserialize)]
pub struct CommandPage {
    pub path: String,
    about: String,
    long_about: String,
    usage: String,
    after_help: String,
    arguments: Vec<Argument>,
    pub commands: Vec<CommandPage>,
}

#[derive(Debug, Deserialize)]
struct Argument {
    name: String,
    aliases: Vec<String>,
    heading: String,
    help: String,
    default: String,
    values: Vec<(String, String)>,
    required: bool,
}

/// All subcommands of the program.
pub fn commands() -> CommandPage {
    let output = Work::new().run(&["reference"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

impl CommandPage {
    /// The last word of the command.
    fn name(&self) -> &str {
        self.path.rsplit(' ').next().unwrap()
    }

    /// The long flags of this command alone.
    pub fn flags(&self) -> impl Iterator<Item = String> {
        self.arguments.iter().flat_map(|argument| {
            let words = argument.name.split([' ', ',', '=', '[']);
            let long = words.filter(|word| word.starts_with("--")).map(str::to_owned);
            long.chain(argument.aliases.iter().cloned())
        })
    }

    fn file(&self) -> String {
        format!("docs/commands/{}.md", self.name())
    }

    /// What is made of it: the command, then those below it, a section each.
    fn made(&self, level: usize, out: &mut String) {
        let heading = |extra: usize| "#".repeat(level + extra);
        if level > 2 {
            writeln!(out, "{} {}\n", heading(0), self.path).unwrap();
        } else {
            writeln!(out, "{} Usage\n", heading(0)).unwrap();
        }
        let about = if self.long_about.is_empty() { &self.about } else { &self.long_about };
        writeln!(out, "{}\n\n```text\n{}\n```\n", prose(about), self.usage).unwrap();
        self.options(out);
        if !self.after_help.is_empty() {
            writeln!(out, "From the help:\n\n```text\n{}\n```\n", self.after_help.trim_end()).unwrap();
        }
        for below in &self.commands {
            below.made(level.max(2) + 1, out);
        }
    }

    fn options(&self, out: &mut String) {
        let mut headings: Vec<&str> = Vec::new();
        for argument in &self.arguments {
            if !headings.contains(&argument.heading.as_str()) {
                headings.push(&argument.heading);
            }
        }
        for of in headings {
            if !of.is_empty() {
                writeln!(out, "{of}:\n").unwrap();
            }
            writeln!(out, "| argument | what it says | default |\n|---|---|---|").unwrap();
            for argument in self.arguments.iter().filter(|argument| argument.heading == of) {
                let default = match (argument.default(), argument.required) {
                    ("", true) => "(needed)".to_owned(),
                    ("", false) => String::new(),
                    (default, _) => cell(default),
                };
                writeln!(out, "| `{}` | {} | {default} |", code(&argument.name), argument.says()).unwrap();
            }
            out.push('\n');
        }
    }
}

impl Argument {
    /// Its default, as the parser knows it or as the help says it.
    fn default(&self) -> &str {
        let said = self.help.split_once("[default: ").and_then(|(_, rest)| rest.split_once(']'));
        if self.default.is_empty() { said.map_or("", |(default, _)| default) } else { &self.default }
    }

    fn says(&self) -> String {
        // The default has a column of its own.
        let help = match self.help.split_once(" [default: ") {
            Some((before, rest)) => before.to_owned() + rest.split_once(']').map_or("", |(_, after)| after),
            None => self.help.clone(),
        };
        let mut says = cell(&help);
        for alias in &self.aliases {
            let _ = write!(says, ". Also called `{alias}`");
        }
        for (number, (value, about)) in self.values.iter().enumerate() {
            says += if number == 0 { ". Values: " } else { "; " };
            let _ = write!(says, "`{value}`");
            if !about.is_empty() {
                let _ = write!(says, " ({})", cell(about));
            }
        }
        says
    }
}

/// A text as a cell of a Markdown table.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        code ^= c == '`';
        match c {
            '|' => out += "\\|",
            '<' | '*' | '_' if !code => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out.trim_end_matches('.').to_owned()
}

/// A comment of the source without its links to items: [`Limit`](super::Limit) is `Limit`.
fn without_links(comment: &str) -> String {
    let mut out = String::new();
    let mut rest = comment;
    while let Some((before, after)) = rest.split_once("[`") {
        out += &before.replace("`super::", "`");
        let Some((name, after)) = after.split_once("`]") else {
            out += "[`";
            rest = after;
            continue;
        };
        let _ = write!(out, "`{}`", name.trim_start_matches("super::"));
        rest =
            after.strip_prefix('(').and_then(|target| target.split_once(')')).map_or(after, |(_, rest)| rest);
    }
    out + &rest.replace("`super::", "`")
}

/// What stands between back-ticks in a cell.
fn code(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A text of the help as paragraphs.
fn prose(text: &str) -> String {
    text.trim().replace('<', "\\<")
}

/// What is made of a table.
fn table_page(schema: &TableSchema, writer: &str) -> String {
    let mut out = String::from("## Columns\n\n");
    let command = writer.split(' ').next().unwrap();
    writeln!(out, "Written by [`webmill {writer}`](../commands/{command}.md).").unwrap();
    // What the footers of its files declare, where the schema says so.
    let known = serde_json::to_value(schema).unwrap();
    let sorted: Vec<&str> =
        known["sorted_by"].as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
    if !sorted.is_empty() {
        let names: Vec<String> = sorted.iter().map(|name| format!("`{name}`")).collect();
        writeln!(out, "Rows of a file are sorted by {}.", names.join(", ")).unwrap();
    }
    writeln!(out, "\n| column | type | null | what it says | example |\n|---|---|---|---|---|").unwrap();
    for column in &schema.columns {
        let mut says = cell(&column.description);
        if !column.values.is_empty() {
            let values: Vec<String> = column.values.iter().map(|value| format!("`{value}`")).collect();
            says += &format!(". Values: {}", values.join(", "));
        }
        let null = if column.nullable { "yes" } else { "" };
        let example = column.example.replace('`', "'").replace('|', "\\|");
        writeln!(out, "| `{}` | {} | {null} | {says} | `{example}` |", column.name, column.kind).unwrap();
    }
    out
}

/// Every table with the command that writes it.
fn tables() -> Vec<(TableSchema, String)> {
    let mut writers: BTreeMap<String, String> = BTreeMap::new();
    for table in webmill::jobs::crawl::tables() {
        writers.insert(table.name, "crawl".to_owned());
    }
    for job in registry().jobs() {
        let command = webmill::jobs::job::command(job.name);
        writers.extend((job.tables)().into_iter().map(|table| (table.name, command.clone())));
    }
    for (table, command) in [
        ("rejects", "extract"),
        ("dropped", "dedup apply"),
        ("filtered", "filter"),
        ("filter_summary", "filter"),
        ("captures", "index --format parquet"),
    ] {
        writers.entry(table.to_owned()).or_insert_with(|| command.to_owned());
    }
    webmill::jobs::builtin::registry()
        .tables()
        .into_iter()
        .map(|table| {
            let writer = writers.get(&table.name).unwrap_or_else(|| panic!("who writes {}?", table.name));
            (table, writer.clone())
        })
        .collect()
}

/// Every page by its path: how it begins where there is none yet, and what is made of it.
fn made() -> BTreeMap<String, (String, String)> {
    let mut pages = BTreeMap::new();
    let mut contents = String::from("## Commands\n\n| command | what it does |\n|---|---|\n");
    for command in commands().commands {
        let mut text = String::new();
        command.made(2, &mut text);
        let start = format!("# {}\n\n{}.\n", command.path, prose(&command.about).trim_end_matches('.'));
        writeln!(
            contents,
            "| [`{}`](commands/{}.md) | {} |",
            command.path,
            command.name(),
            cell(&command.about)
        )
        .unwrap();
        pages.insert(command.file(), (start, text));
    }
    let others = unlisted();
    if !others.is_empty() {
        contents.insert_str(0, &format!("## More pages\n\n{others}\n"));
    }
    contents += "\n## Tables\n\n| table | a row | written by |\n|---|---|---|\n";
    for (table, writer) in tables() {
        let start = format!("# Table `{}`\n\n{}.\n", table.name, prose(&table.about).trim_end_matches('.'));
        writeln!(contents, "| [`{0}`](tables/{0}.md) | {1} | `{writer}` |", table.name, cell(&table.about))
            .unwrap();
        pages.insert(format!("docs/tables/{}.md", table.name), (start, table_page(&table, &writer)));
    }
    pages.insert("docs/README.md".to_owned(), ("# Documentation of webmill\n".to_owned(), contents));
    pages.insert("docs/settings.md".to_owned(), ("# Settings\n".to_owned(), settings_page()));
    pages
}

/// Links to the pages that nobody has put among the contents by hand.
fn unlisted() -> String {
    let contents = std::fs::read_to_string(repository("docs/README.md")).unwrap_or_default();
    let by_hand = contents.split(MARK).next().unwrap_or_default();
    let mut links = String::new();
    for page in super::all_pages() {
        let Some(path) = page.strip_prefix("docs/") else { continue };
        let made = path.starts_with("commands/") || path.starts_with("tables/") || path == "README.md";
        if !made && !by_hand.contains(&format!("]({path})")) {
            let text = read(&page);
            let title = text.lines().next().unwrap_or_default().trim_start_matches('#').trim();
            writeln!(links, "- [{title}]({path})").unwrap();
        }
    }
    links
}

fn settings_page() -> String {
    let mut out = String::new();
    for (table, settings) in settings::tables() {
        writeln!(out, "## `[{table}]`\n").unwrap();
        if settings.is_empty() {
            writeln!(out, "No settings.\n").unwrap();
            continue;
        }
        writeln!(out, "| setting | default | what it is for |\n|---|---|---|").unwrap();
        for setting in settings {
            let about = cell(&without_links(&setting.about));
            writeln!(out, "| `{}` | `{}` | {about} |", setting.path, setting.default).unwrap();
        }
        out.push('\n');
    }
    out
}

#[test]
fn pages_made_from_the_program_are_as_it_is() {
    let rewrite = std::env::var("WEBMILL_GOLDEN").is_ok_and(|how| how == "rewrite");
    let made = made();
    let mut stale = Vec::new();
    for (path, (start, below)) in &made {
        let known = std::fs::read_to_string(repository(path)).unwrap_or_default();
        let (above, rest) = match known.split_once(MARK) {
            Some((above, rest)) => (above.to_owned(), rest.to_owned()),
            None => (format!("{start}\n"), String::new()),
        };
        let below = format!("\n\n{}\n", below.trim_end());
        if rest == below {
            continue;
        }
        if rewrite {
            std::fs::create_dir_all(repository(path).parent().unwrap()).unwrap();
            std::fs::write(repository(path), format!("{above}{MARK}{below}")).unwrap();
        } else {
            let differing =
                rest.lines().zip(below.lines()).find(|(a, b)| a != b).unwrap_or(("", "other length"));
            stale.push(format!("{path}\n- {}\n+ {}", differing.0, differing.1));
        }
    }
    assert!(
        stale.is_empty(),
        "pages that are not as the program is; WEBMILL_GOLDEN=rewrite makes them anew:\n{}",
        stale.join("\n")
    );
    // Pages of what is no more.
    for folder in ["docs/commands", "docs/tables"] {
        for entry in std::fs::read_dir(repository(folder)).unwrap() {
            let page = format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy());
            if rewrite && !made.contains_key(&page) {
                std::fs::remove_file(repository(&page)).unwrap();
            } else {
                assert!(made.contains_key(&page), "{page} is about nothing that the program has");
            }
        }
    }
}
