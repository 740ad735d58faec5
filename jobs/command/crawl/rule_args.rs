//! `--accept RULE` and `--reject RULE`: rules of the scope in the order in which they are typed.

use clap::{Arg, ArgAction, ArgMatches, Command, Error};
use webmill_crawl::scope::{RuleAction, ScopeRule};

/// Both flags; the order of one among the other is what a derived parser does not keep.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct RuleArgs {
    /// As typed.
    pub rules: Vec<ScopeRule>,
}

const FLAGS: [(&str, RuleAction, &str); 2] = [
    (
        "accept",
        RuleAction::Accept,
        "Take what this rule matches, as 'hops-off:1 ext:pdf'; the first of all --accept and --reject that matches decides, then the flags above; may be repeated",
    ),
    (
        "reject",
        RuleAction::Reject,
        "Leave out what this rule matches, as ext:zip,iso; conditions: all, site, host:, domain:, prefix:, re:, ext:, type:, depth:, hops-off:, seed:, with ! before them for the contrary; may be repeated",
    ),
];

impl clap::Args for RuleArgs {
    fn augment_args(command: Command) -> Command {
        FLAGS.into_iter().fold(command, |command, (name, action, help)| {
            command.arg(
                Arg::new(name)
                    .long(name)
                    .value_name("RULE")
                    .action(ArgAction::Append)
                    .value_parser(move |text: &str| ScopeRule::parse(action, text))
                    .help(help)
                    .help_heading("Scope"),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for RuleArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut typed: Vec<(usize, ScopeRule)> = Vec::new();
        for (name, ..) in FLAGS {
            let places = matches.indices_of(name).into_iter().flatten();
            let rules = matches.get_many::<ScopeRule>(name).into_iter().flatten().cloned();
            typed.extend(places.zip(rules));
        }
        typed.sort_by_key(|(place, _)| *place);
        Ok(RuleArgs { rules: typed.into_iter().map(|(_, rule)| rule).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;

    #[test]
    fn rules_stand_in_the_order_typed() {
        let parse = |typed: &[&str]| {
            let command = RuleArgs::augment_args(Command::new("crawl").no_binary_name(true));
            command.try_get_matches_from(typed).map(|m| RuleArgs::from_arg_matches(&m).unwrap())
        };
        let typed =
            parse(&["--reject", "ext:zip", "--accept=host:a.example !ext:iso", "--reject", "all"]).unwrap();
        let text: Vec<String> = typed.rules.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["reject ext:zip", "accept host:a.example !ext:iso", "reject all"]);
        assert_eq!(parse(&[]).unwrap(), RuleArgs::default());
        let error = parse(&["--reject", "*.zip"]).unwrap_err().to_string();
        assert!(error.contains("no condition is written so"), "{error}");
    }
}
