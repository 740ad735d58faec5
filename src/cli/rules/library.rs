//! `webmill rules list | search | check`: a library of rules.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use webmill_rules::{Rule, builtin, library};

/// List rules: id, name, site, tables; those that have mistakes with their number.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill rules list rules/")]
pub struct ListArgs {
    /// Rule files and folders; builtin:NAME, builtin:all.
    #[arg(required = true)]
    rules: Vec<String>,
}

/// Search rules by name, site name, site URL and notes, whatever the case.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill rules search kettles rules/")]
pub struct SearchArgs {
    /// What to look for; all of its words must be found.
    words: String,
    /// Rule files and folders; builtin:NAME, builtin:all.
    #[arg(required = true)]
    rules: Vec<String>,
}

/// Check rules: every mistake with file, line, layer or tag, and reason. Exit code 1 where there are any.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill rules check rules/")]
pub struct CheckArgs {
    /// Rule files and folders; builtin:NAME, builtin:all.
    #[arg(required = true)]
    rules: Vec<String>,
}

/// A file, and the rule that it holds or its mistakes.
type ReadRule = (String, Result<Rule, Vec<String>>);

/// The files with what they hold.
fn read(arguments: &[String]) -> Result<Vec<ReadRule>> {
    let mut read = Vec::new();
    let is_builtin = |argument: &&String| argument.starts_with(builtin::PREFIX);
    let files: Vec<String> = arguments.iter().filter(|argument| !is_builtin(argument)).cloned().collect();
    for (name, source) in library::read(&arguments.iter().filter(is_builtin).cloned().collect::<Vec<_>>())? {
        let parsed =
            Rule::parse(&source).map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect());
        read.push((name, parsed));
    }
    for path in library::files(&files)? {
        let name = path.display().to_string();
        let parsed = match library::read(std::slice::from_ref(&name)) {
            Err(error) => Err(vec![error.to_string()]),
            Ok(mut files) => match files.pop() {
                None => Err(vec!["not there".to_owned()]),
                Some((_, source)) => Rule::parse(&source)
                    .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect()),
            },
        };
        read.push((name, parsed));
    }
    ensure!(!read.is_empty(), "{}: no rule files (*.toml) here", arguments.join(", "));
    Ok(read)
}

fn line(path: &str, rule: &Rule) -> String {
    let tables: Vec<String> = rule.groups.iter().map(|group| rule.table(group)).collect();
    let site = rule.site_name.as_deref().or(rule.site_url.as_deref()).unwrap_or("-");
    format!("{}\t{}\t{site}\t{}\t{path}\n", rule.id, rule.name, tables.join(", "))
}

/// Runs `list`.
pub fn list(args: &ListArgs) -> Result<ExitCode> {
    let mut out = String::new();
    let mut bad = false;
    for (path, parsed) in read(&args.rules)? {
        match parsed {
            Ok(rule) => out.push_str(&line(&path, &rule)),
            Err(mistakes) => {
                bad = true;
                webmill_jobs::say!(
                    "{path}: no rule: {} mistakes, the first: {}",
                    mistakes.len(),
                    mistakes[0]
                );
            }
        }
    }
    webmill_jobs::print(&out)?;
    Ok(ExitCode::from(u8::from(bad)))
}

/// Runs `search`.
pub fn search(args: &SearchArgs) -> Result<ExitCode> {
    let words: Vec<String> = args.words.split_whitespace().map(str::to_lowercase).collect();
    let mut out = String::new();
    for (path, parsed) in read(&args.rules)? {
        match parsed {
            Ok(rule) => {
                let fields =
                    [Some(&rule.name), rule.site_name.as_ref(), rule.site_url.as_ref(), rule.notes.as_ref()];
                let text: Vec<String> =
                    fields.into_iter().flatten().map(|field| field.to_lowercase()).collect();
                if words.iter().all(|word| text.iter().any(|field| field.contains(word.as_str()))) {
                    out.push_str(&line(&path, &rule));
                }
            }
            Err(mistakes) => webmill_jobs::say!("{path}: not searched: {}", mistakes[0]),
        }
    }
    let found = !out.is_empty();
    webmill_jobs::print(&out)?;
    Ok(ExitCode::from(u8::from(!found)))
}

/// Runs `check`.
pub fn check(args: &CheckArgs) -> Result<ExitCode> {
    let mut bad = false;
    let mut out = String::new();
    let mut known: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for (path, parsed) in read(&args.rules)? {
        match parsed {
            Ok(rule) => match known.insert(rule.id.clone(), path.clone()) {
                Some(other) => {
                    bad = true;
                    out.push_str(&format!("{path}: rule: {other} has the id {} too\n", rule.id));
                }
                None => out.push_str(&format!(
                    "{path}: good: {} layers, {} tags, {} tables\n",
                    rule.layers.len(),
                    rule.tags.len(),
                    rule.groups.len()
                )),
            },
            Err(mistakes) => {
                bad = true;
                mistakes.iter().for_each(|mistake| out.push_str(&format!("{path}: {mistake}\n")));
            }
        }
    }
    webmill_jobs::print(&out)?;
    Ok(ExitCode::from(u8::from(bad)))
}
