//! A rule of the scope as people write it: an action and conditions that must all hold.
//!
//! | condition | holds for |
//! |---|---|
//! | `all` | every URL |
//! | `site` | a host of the site: what `seeds` and `hosts` say, and what seeds moved to |
//! | `host:a.example,b.example` | one of these hosts, with or without `www.` |
//! | `domain:edu.cn,a.example` | a host that is or ends in one of these, on label borders |
//! | `prefix:https://a.example/docs/`, `prefix:/docs/` | a URL, or on every host a path with its query, that begins so |
//! | `re:/print/` | a URL in which the regular expression matches somewhere |
//! | `ext:zip,tar.gz` | a path whose last segment ends in a dot and one of these, whatever the case |
//! | `type:image/*,application/pdf` | an answer of one of these media types |
//! | `depth:3`, `depth:..3`, `depth:5..`, `depth:2..4` | number of links from a seed, both ends included |
//! | `hops-off:1..` | number of links since the site was left; 0 on the site |
//! | `seed:https://a.example/` | what was first found on the way from this seed |
//!
//! `!` before a condition turns it round. Between conditions stands white space; none holds any (in expressions `\s`).

use std::ops::RangeInclusive;

use regex::RegexBuilder;
use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

use super::lineage::SeedMark;
use super::media::MediaTypes;
use super::{MAX_REGEX_BYTES, Prefix, bare, normal_host, normal_prefix, normal_suffix};

/// Names of conditions, as messages list them.
const NAMES: &str = "all, site, host:, domain:, prefix:, re:, ext:, type:, depth:, hops-off:, seed:";
/// Bytes of a rule that messages and counts quote.
const QUOTED: usize = 80;

webmill_capture::words! {
    /// What a rule does with what it matches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum RuleAction {
        /// It belongs to the crawl.
        Accept = "accept",
        /// It does not.
        Reject = "reject",
    }
}

/// A rule: an action, and its conditions.
///
/// # Examples
/// ```
/// use webmill_crawl::scope::{RuleAction, ScopeRule};
/// let rule = ScopeRule::parse(RuleAction::Reject, "host:a.example !prefix:/docs/").unwrap();
/// assert_eq!(rule.to_string(), "reject host:a.example !prefix:/docs/");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeRule {
    /// `accept` or `reject`.
    pub action: RuleAction,
    /// Conditions that must all hold; none: every URL.
    #[serde(default)]
    pub when: Vec<String>,
    /// What messages call it; default its number and text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl ScopeRule {
    /// Reads the conditions of a rule from one text.
    ///
    /// # Errors
    /// [`Error::Config`] with the condition that is none.
    pub fn parse(action: RuleAction, text: &str) -> Result<ScopeRule> {
        let when: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if when.is_empty() {
            return Err(Error::Config(format!(
                "scope: a rule without conditions; say `{} all` for every URL",
                action.name()
            )));
        }
        when.iter().try_for_each(|term| Term::parse(term).map(drop))?;
        Ok(ScopeRule { action, when, name: None })
    }

    /// What messages and counts call the rule that stands at `place`, from 0.
    pub fn label(&self, place: usize) -> String {
        let mut label = match &self.name {
            Some(name) => format!("rule {name:?}"),
            None => format!("rule {} ({self})", place + 1),
        };
        if label.len() > QUOTED {
            label.truncate(label.floor_char_boundary(QUOTED));
            label.push('…');
        }
        label
    }
}

impl std::fmt::Display for ScopeRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.action.name())?;
        if self.when.is_empty() {
            return f.write_str(" all");
        }
        self.when.iter().try_for_each(|term| write!(f, " {term}"))
    }
}

/// A condition, read.
#[derive(Debug)]
pub(super) enum Condition {
    All,
    Site,
    Host(Vec<String>),
    Domain(Vec<String>),
    Prefix(Prefix),
    Expression(String),
    Extension(Vec<String>),
    MediaType(MediaTypes),
    Depth(RangeInclusive<u32>),
    OffSite(RangeInclusive<u32>),
    Seed(SeedMark),
}

impl Condition {
    /// Whether it is about what a URL looks like, not about where it stands in the crawl.
    pub fn is_form(&self) -> bool {
        matches!(
            self,
            Condition::Host(_)
                | Condition::Domain(_)
                | Condition::Prefix(_)
                | Condition::Expression(_)
                | Condition::Extension(_)
        )
    }
}

/// A condition, perhaps turned round.
#[derive(Debug)]
pub(super) struct Term {
    pub negated: bool,
    pub condition: Condition,
}

impl Term {
    pub fn parse(text: &str) -> Result<Term> {
        let (negated, plain) = match text.trim().strip_prefix('!') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text.trim()),
        };
        let (name, value) = plain.split_once(':').unwrap_or((plain, ""));
        let value = value.trim();
        let wrong = |why: &str| Error::Config(format!("scope: rule: {text:?}: {why}"));
        let asked = |condition: Result<Condition>| match condition {
            _ if value.is_empty() => Err(wrong("nothing stands after the colon")),
            condition => condition,
        };
        let condition = match name {
            "all" | "site" if !value.is_empty() => Err(wrong("it takes no value")),
            "all" => Ok(Condition::All),
            "site" => Ok(Condition::Site),
            "host" => {
                asked(list(value, |h| normal_host(h).map(|h| bare(&h).to_owned())).map(Condition::Host))
            }
            "domain" => asked(list(value, normal_suffix).map(Condition::Domain)),
            "prefix" => asked(normal_prefix(value).map(Condition::Prefix)),
            "re" => asked(expression(value).map(Condition::Expression)),
            "ext" => asked(list(value, extension).map(Condition::Extension)),
            "type" => {
                let types: Vec<String> = value.split(',').map(|t| t.trim().to_owned()).collect();
                asked(MediaTypes::parse(&types).map(Condition::MediaType))
            }
            "depth" => asked(span(value).map(Condition::Depth).ok_or_else(|| wrong(SPAN))),
            "hops-off" => asked(span(value).map(Condition::OffSite).ok_or_else(|| wrong(SPAN))),
            "seed" => {
                asked(seed(value).map(Condition::Seed).ok_or_else(|| wrong("a seed is a URL, http or https")))
            }
            _ => Err(wrong(&format!("no condition is written so; there are {NAMES}"))),
        };
        Ok(Term { negated, condition: condition? })
    }
}

const SPAN: &str = "write a number, as 3, or a range, as ..3, 5.. or 2..4";

fn list(value: &str, read: impl Fn(&str) -> Result<String>) -> Result<Vec<String>> {
    value.split(',').map(|item| read(item.trim())).collect()
}

/// `3`, `..3`, `5..`, `2..4`, with both ends.
fn span(value: &str) -> Option<RangeInclusive<u32>> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let range = match value.split_once("..") {
        None => number(value).map(|n| n..=n)?,
        Some(("", "")) => return None,
        Some((first, "")) => number(first)?..=u32::MAX,
        Some(("", last)) => 0..=number(last)?,
        Some((first, last)) => number(first)?..=number(last)?,
    };
    (!range.is_empty()).then_some(range)
}

fn expression(value: &str) -> Result<String> {
    let built = RegexBuilder::new(value).size_limit(MAX_REGEX_BYTES).build();
    built.map_err(|e| Error::Config(format!("scope: rule: re: {value:?}: {e}")))?;
    Ok(value.to_owned())
}

/// An extension without its dot, lower-case; `*.zip` and `.zip` are `zip`.
fn extension(value: &str) -> Result<String> {
    let name = value.strip_prefix('*').unwrap_or(value);
    let name = name.strip_prefix('.').unwrap_or(name);
    let simple = !name.is_empty() && name.len() <= 32 && !name.contains(['/', '?', '#', '*']);
    // A URL has at most two dots looked at.
    if !simple || name.matches('.').count() > 1 {
        return Err(Error::Config(format!(
            "scope: rule: ext: {value:?} is no extension; write zip or tar.gz"
        )));
    }
    Ok(name.to_ascii_lowercase())
}

fn seed(value: &str) -> Option<SeedMark> {
    CanonicalUrl::parse(value)
        .filter(|url| url.is_web() && !url.host().is_empty())
        .map(|url| SeedMark::of(&url))
}
