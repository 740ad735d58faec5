//! Calls as they were spelt before RESULTS was the first argument: an error that shows the new spelling of the same call.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, Command};

use super::is_results;

/// Words that are no subcommands any more, after the command that does what they did.
const GONE: [(&str, &str); 2] = [("graph", "build"), ("rules", "apply")];

/// What to say of a call that names results by `--out` or `--results`; `None` for all others. `arguments` begin with the program.
pub fn old_spelling(program: &Command, arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().skip(1).map(|word| word.to_str()).collect::<Option<_>>()?;
    let (command, path) = command_of(program, &words);
    let mut rest = &words[path.len()..];
    let gone = path.last().zip(rest.first()).is_some_and(|(of, word)| GONE.contains(&(*of, *word)));
    if gone {
        rest = &rest[1..];
    }
    if !command.get_positionals().next().is_some_and(reads_a_folder) {
        return None;
    }
    let (folder, others) = folder_of(command, rest)?;
    let positions = others.iter().any(|(_, is_position)| *is_position);
    let written = command.get_arguments().any(|arg| arg.get_long() == Some("out"));
    // Of such a command --out is where something new goes.
    let is_new = folder.0 == "--out" && written && positions && !is_results(Path::new(folder.1));
    if folder.0 == "--out" && written && positions && !gone {
        return None;
    }
    let mut call = vec!["webmill"];
    call.extend(path);
    if !is_new {
        call.push(folder.1);
    }
    call.extend(others.iter().map(|(word, _)| *word));
    if is_new {
        call.extend([folder.0, folder.1]);
    }
    let call: Vec<String> = call.into_iter().map(quoted).collect();
    Some(format!("{} is no longer how results are named; they come first: {}", folder.0, call.join(" ")))
}

/// The subcommand that words call, and how many of them name it.
fn command_of<'c, 'w>(program: &'c Command, words: &[&'w str]) -> (&'c Command, Vec<&'w str>) {
    let (mut command, mut path) = (program, Vec::new());
    for word in words {
        let Some(below) = command.find_subcommand(word) else { break };
        command = below;
        path.push(*word);
    }
    (command, path)
}

fn reads_a_folder(first: &Arg) -> bool {
    let name = first.get_value_names().and_then(<[_]>::first).map_or("", |name| name.as_str());
    name.starts_with("RESULTS") || name == "CRAWL"
}

/// A word, and whether it is an argument by position.
type Word<'w> = (&'w str, bool);

/// The flag that names a folder of results with its value, and the other words.
fn folder_of<'w>(command: &Command, words: &[&'w str]) -> Option<((&'static str, &'w str), Vec<Word<'w>>)> {
    let (mut folder, mut others) = (None, Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let found = ["--results", "--out"].into_iter().find_map(|flag| {
            let value = word.strip_prefix(flag)?;
            if value.is_empty() { Some((flag, None)) } else { Some((flag, Some(value.strip_prefix('=')?))) }
        });
        match found {
            Some((flag, value)) if folder.is_none() => {
                folder = Some((flag, value.or_else(|| words.next().copied())?));
            }
            _ => {
                others.push((*word, !word.starts_with('-')));
                let takes = |arg: &Arg| {
                    arg.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long))
                        && arg.get_action().takes_values()
                        && !arg.is_require_equals_set()
                };
                if command.get_arguments().any(takes) {
                    others.extend(words.next().map(|value| (*value, false)));
                }
            }
        }
    }
    folder.map(|folder| (folder, others))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./:=,@%+-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use clap::arg;

    use super::*;

    #[test]
    fn a_call_of_old_is_spelt_anew() {
        let results = || Arg::new("results").value_name("RESULTS");
        let program = Command::new("webmill")
            .subcommand(Command::new("rank").arg(results()).arg(arg!(--top <N>)))
            .subcommand(Command::new("graph").arg(results()).arg(arg!(--lean)))
            .subcommand(
                Command::new("train").arg(results()).arg(arg!(--out <DIR>)).arg(arg!(--labels <FILE>)),
            )
            .subcommand(Command::new("run").arg(arg!(<INPUTS>)).arg(arg!(--out <DIR>)));
        for (call, spelt) in [
            ("rank --out r --top 3", Some("webmill rank r --top 3")),
            ("rank --top 3 --results=r", Some("webmill rank r --top 3")),
            ("graph build --lean --out r", Some("webmill graph r --lean")),
            ("train --labels l.csv --out r", Some("webmill train r --labels l.csv")),
            ("train posts --out model", None),
            ("rank r --top 3", None),
            ("run shards --out r", None),
            ("rank --out", None),
        ] {
            let words = std::iter::once("webmill").chain(call.split(' ')).map(OsString::from);
            let said = old_spelling(&program, &words.collect::<Vec<_>>());
            assert_eq!(said.as_deref().and_then(|said| said.split("first: ").nth(1)), spelt, "{call}");
        }
        assert_eq!(quoted("web archives"), "'web archives'");
    }
}
