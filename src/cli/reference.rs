//! The subcommands with their arguments as data: what the pages of `docs/commands` are made from.

use std::process::ExitCode;

use anyhow::Result;
use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};
use serde::Serialize;

/// A subcommand as its help describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandReference {
    /// Its words, beginning with `webmill`.
    pub path: String,
    /// One sentence: what it does.
    pub about: String,
    /// All that its long help says before its arguments, the sentence among it; empty where that is all.
    pub long_about: String,
    /// How it is called.
    pub usage: String,
    /// What its help ends with: examples and notes.
    pub after_help: String,
    /// Arguments and options in the order of the help, without `--help`.
    pub arguments: Vec<ArgumentReference>,
    /// The commands below it.
    pub commands: Vec<CommandReference>,
}

/// An argument as the help describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArgumentReference {
    /// `--name <VALUE>`, `-n, --name <VALUE>` or `<NAME>...`.
    pub name: String,
    /// Further names that the help shows.
    pub aliases: Vec<String>,
    /// Group of the help; empty for the first.
    pub heading: String,
    /// What it does.
    pub help: String,
    /// Its default, as the parser knows it; what a help says in words stands in `help`.
    pub default: String,
    /// Values that it may have, where they are a closed set, each with what it says.
    pub values: Vec<(String, String)>,
    /// Whether the command refuses to work without it.
    pub required: bool,
}

/// Prints the command and all below it as JSON.
///
/// # Errors
/// Where standard output cannot be written.
pub fn run(command: &Command) -> Result<ExitCode> {
    webmill_jobs::print(&format!("{}\n", serde_json::to_string_pretty(&reference(command))?))?;
    Ok(ExitCode::SUCCESS)
}

/// The command and all below it that are not hidden, `help` left out.
pub fn reference(command: &Command) -> CommandReference {
    let mut command = command.clone();
    command.build();
    describe(&mut command, "")
}

fn describe(command: &mut Command, above: &str) -> CommandReference {
    let path = format!("{above} {}", command.get_name()).trim().to_owned();
    let usage = command.render_usage().to_string();
    let mut commands: Vec<(usize, Command)> = command
        .get_subcommands()
        .filter(|below| !below.is_hide_set() && below.get_name() != "help")
        .map(|below| (below.get_display_order(), below.clone()))
        .collect();
    // As the help has them.
    commands.sort_by_key(|(order, _)| *order);
    let words = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let about = words(command.get_about());
    let long_about = words(command.get_long_about());
    CommandReference {
        usage: usage.trim_start_matches("Usage:").lines().map(str::trim).collect::<Vec<_>>().join("\n"),
        long_about: if long_about == about { String::new() } else { long_about },
        about,
        after_help: words(command.get_after_long_help().or(command.get_after_help())),
        arguments: command.get_arguments().filter(|arg| is_shown(arg)).map(argument).collect(),
        commands: commands.iter_mut().map(|(_, below)| describe(below, &path)).collect(),
        path,
    }
}

fn is_shown(argument: &Arg) -> bool {
    let helps = matches!(
        argument.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    );
    !argument.is_hide_set() && !helps
}

fn argument(argument: &Arg) -> ArgumentReference {
    let takes_values = argument.get_action().takes_values();
    let values = if takes_values { argument.get_possible_values() } else { Vec::new() };
    let defaults: Vec<_> = argument.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    let short = argument.get_short().filter(|_| argument.get_long().is_some());
    ArgumentReference {
        name: short.map_or_else(String::new, |c| format!("-{c}, ")) + &argument.to_string(),
        aliases: argument
            .get_visible_aliases()
            .unwrap_or_default()
            .iter()
            .map(|alias| format!("--{alias}"))
            .collect(),
        heading: argument.get_help_heading().unwrap_or_default().to_owned(),
        help: argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default(),
        default: if takes_values { defaults.join(",") } else { String::new() },
        values: values
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| {
                let says = value.get_help().map(ToString::to_string).unwrap_or_default();
                (value.get_name().to_owned(), says)
            })
            .collect(),
        required: argument.is_required_set(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::arg;

    #[test]
    fn a_command_is_described_with_all_below_it_that_is_shown() {
        let tea = Command::new("tea")
            .about("Make tea")
            .after_help("Example:\n  tea brew")
            .subcommand(
                Command::new("brew")
                    .about("Pour water")
                    .display_order(2)
                    .arg(arg!(<LEAVES> "Which").required(true))
                    .arg(arg!(-m --minutes <N> "How long").default_value("3"))
                    .arg(arg!(--kind <K> "Of what").value_parser(["green", "black"]))
                    .arg(arg!(--secret "hidden").hide(true)),
            )
            .subcommand(Command::new("drink").about("Drink it").display_order(1))
            .subcommand(Command::new("spill").hide(true));
        let described = reference(&tea);
        let names: Vec<&str> = described.commands.iter().map(|c| c.path.as_str()).collect();
        assert_eq!(names, ["tea drink", "tea brew"]);
        assert_eq!(described.after_help, "Example:\n  tea brew");
        let brew = &described.commands[1];
        assert_eq!(brew.usage, "tea brew [OPTIONS] <LEAVES>");
        let arguments: Vec<_> =
            brew.arguments.iter().map(|a| (a.name.as_str(), a.default.as_str())).collect();
        assert_eq!(arguments, [("<LEAVES>", ""), ("-m, --minutes <N>", "3"), ("--kind <K>", "")]);
        assert_eq!(
            brew.arguments[2].values,
            [("green".into(), String::new()), ("black".into(), String::new())]
        );
        assert!(brew.arguments[0].required);
    }
}
