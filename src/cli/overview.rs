//! The list of subcommands in `webmill --help`, by what one wants to do.

use clap::Command;

/// Subcommands under headings, in the order in which one meets them.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Start here", &["demo", "run", "serve", "text", "query", "show"]),
    ("Crawl", &["crawl", "datasets"]),
    (
        "Look closer",
        &[
            "extract", "graph", "rank", "shape", "dedup", "repeated", "mirrors", "keywords", "rules",
            "learn", "count", "filter", "report",
        ],
    ),
    ("Files and help", &["shard", "index", "wacz", "results", "schema", "man", "completions"]),
];

/// The group of commands that are in none: jobs that the registry has beside those named here.
const JOBS: &str = "Look closer";

/// The program with its subcommands in the order of the groups, and listed under their headings.
pub fn grouped(mut program: Command) -> Command {
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    let others: Vec<String> =
        shown.map(|c| c.get_name().to_owned()).filter(|name| !is_grouped(name)).collect();
    let (mut list, mut order) = (String::new(), 0);
    for (heading, names) in GROUPS {
        list += &format!("{heading}:\n");
        let further = others.iter().map(String::as_str).filter(|_| heading == JOBS);
        for name in names.iter().copied().chain(further) {
            order += 1;
            program = program.mut_subcommand(name, |command| command.display_order(order));
            let about = program.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            list += &format!("  {name:<12} {}\n", first_clause(&about));
        }
    }
    program.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}\n`webmill COMMAND -h` says what a command takes, `--help` all of it; `-V` prints the version.\n"
    ))
}

/// What stands before the first colon, semicolon or bracket: lines of the list are short.
fn first_clause(about: &str) -> &str {
    about.split([':', ';', '(']).next().unwrap_or(about).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_listed_once() {
        let mut names: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
