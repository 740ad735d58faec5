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
    let mut call = vec!["webmill"];
    call.extend(path);
    let others_of_call = others.iter().map(|(word, _)| *word);
    let Some((flag, folder)) = folder else {
        call.extend(others_of_call);
        return gone.then(|| format!("this is now the command itself: {}", in_shell(&call)));
    };
    let positions = others.iter().any(|(_, is_position)| *is_position);
    let is_written = command.get_arguments().any(|arg| arg.get_long() == Some("out"));
    // Of such a command --out is where something new goes.
    let is_new = is_written && !is_results(Path::new(folder));
    if flag == "--out" && !gone && is_written && (positions || is_new) {
        return None;
    }
    if flag == "--out" && is_new {
        call.extend(others_of_call.chain([flag, folder]));
        return Some(format!("results are named first, and --out is for new ones: {}", in_shell(&call)));
    }
    call.push(folder);
    call.extend(others_of_call);
    Some(format!("{flag} is no longer how results are named; they come first: {}", in_shell(&call)))
}

/// A call as it is typed.
fn in_shell(call: &[&str]) -> String {
    call.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
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

/// The flag by which results are named with its value, if there is one, and the other words.
type NamedAndOthers<'w> = (Option<(&'static str, &'w str)>, Vec<Word<'w>>);

/// The flag that names a folder of results with its value, and the other words.
fn folder_of<'w>(command: &Command, words: &[&'w str]) -> Option<NamedAndOthers<'w>> {
    let (mut folder, mut others) = (None, Vec::new());
    let is_named = words.iter().any(|word| word.starts_with("--results"));
    let flags: &[&'static str] = if is_named { &["--results"] } else { &["--out"] };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let found = flags.iter().find_map(|flag| {
            let value = word.strip_prefix(flag)?;
            if value.is_empty() { Some((*flag, None)) } else { Some((*flag, Some(value.strip_prefix('=')?))) }
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
    Some((folder, others))
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
            ("graph build r", Some("webmill graph r")),
            ("train --labels l.csv --out new", None),
            ("train --out l.csv --results r", Some("webmill train r --out l.csv")),
            ("train posts --out model", None),
            ("rank r --top 3", None),
            ("run shards --out r", None),
            ("rank --out", None),
        ] {
            let words = std::iter::once("webmill").chain(call.split(' ')).map(OsString::from);
            let said = old_spelling(&program, &words.collect::<Vec<_>>());
            assert_eq!(said.as_deref().and_then(|said| said.split(": ").nth(1)), spelt, "{call}");
        }
        assert_eq!(quoted("web archives"), "'web archives'");
    }
}
