//! Rules of the scope, compiled: the first of which all conditions hold decides.
//!
//! **Algorithm.** Equal conditions of all rules are one *atom*. Atoms of a kind are answered together, when the first of them
//! is asked for: all expressions in one pass over the URL, hosts, domains and extensions by one look-up a label or dot in a
//! table from name to atoms. So a URL costs about the same whether there are two rules or two hundred; only prefixes,
//! ranges and the walk over the rules grow with their number.
//!
//! A rule with a media type is about answers: it is passed over while a URL is judged, and asked when the head of the answer
//! is there; rules without are not asked again then.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use webmill_capture::cut::Cut;

use regex::{RegexSet, RegexSetBuilder};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

use super::lineage::{SeedMark, Standing};
use super::media::MediaTypes;
use super::rule::{Condition, RuleAction, ScopeRule, Term};
use super::site::Site;
use super::{MAX_REGEX_BYTES, Prefix, bare, suffixes};

/// Rules of one crawl.
pub(super) const MAX_RULES: usize = 10_000;

/// All rules of a scope.
#[derive(Debug, Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    atoms: Vec<Atom>,
    hosts: Names,
    domains: Names,
    extensions: Names,
    /// Atoms of the expressions, in the order of `set`.
    expressions: Vec<u32>,
    set: Option<RegexSet>,
    /// Whether a rule asks how far off the site a URL is.
    pub asks_off_site: bool,
    /// Whether a rule asks for the seed.
    pub asks_seed: bool,
}

/// Names, and the atoms that hold where one is met.
type Names = HashMap<String, Vec<u32>>;

#[derive(Debug)]
pub(super) struct Rule {
    pub accepts: bool,
    /// What messages call it.
    pub label: String,
    terms: Vec<(u32, bool)>,
    /// It is about answers.
    asks_type: bool,
    /// It is about what a URL looks like.
    asks_form: bool,
}

/// How a condition is answered.
#[derive(Debug)]
enum Atom {
    All,
    Site,
    /// With all of its kind.
    Host,
    Domain,
    Extension,
    Expression,
    Prefix(Prefix),
    MediaType(MediaTypes),
    Depth(RangeInclusive<u32>),
    OffSite(RangeInclusive<u32>),
    Seed(SeedMark),
}

/// The subject of a decision: a URL, and its answer's media type once it is known.
#[derive(Clone, Copy)]
pub(super) struct ScopeSubject<'a> {
    pub url: &'a CanonicalUrl,
    pub at: Standing,
    pub site: &'a Site,
    pub media_type: Option<&'a str>,
}

impl Rules {
    pub fn new(given: &[ScopeRule]) -> Result<Rules> {
        if given.len() > MAX_RULES {
            return Err(Error::Config(format!("scope: {} rules; at most {MAX_RULES}", given.len())));
        }
        let mut rules = Rules::default();
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut patterns = Vec::new();
        for (place, rule) in given.iter().enumerate() {
            let (mut terms, mut asks_type, mut asks_form) = (Vec::new(), false, false);
            for text in &rule.when {
                let term = Term::parse(text)?;
                asks_type |= matches!(term.condition, Condition::MediaType(_));
                asks_form |= !term.negated && term.condition.is_form();
                let plain = text.trim().trim_start_matches('!').trim_start().to_owned();
                let atom = match known.get(&plain) {
                    Some(atom) => *atom,
                    None => {
                        let atom = rules.add(term.condition, &mut patterns);
                        known.insert(plain, atom);
                        atom
                    }
                };
                terms.push((atom, term.negated));
            }
            let accepts = rule.action == RuleAction::Accept;
            rules.rules.push(Rule { accepts, label: rule.label(place), terms, asks_type, asks_form });
        }
        if !patterns.is_empty() {
            let set = RegexSetBuilder::new(&patterns).size_limit(MAX_REGEX_BYTES).build();
            let set =
                set.map_err(|e| Error::Config(format!("scope: rules: all expressions together: {e}")))?;
            rules.set = Some(set);
        }
        Ok(rules)
    }

    fn add(&mut self, condition: Condition, patterns: &mut Vec<String>) -> u32 {
        let atom = self.atoms.len() as u32;
        let mut all = |into: fn(&mut Rules) -> &mut Names, names: Vec<String>| {
            let table = into(self);
            names.into_iter().for_each(|name| table.entry(name).or_default().push(atom));
        };
        let kind = match condition {
            Condition::All => Atom::All,
            Condition::Site => Atom::Site,
            Condition::Host(names) => {
                all(|r| &mut r.hosts, names);
                Atom::Host
            }
            Condition::Domain(names) => {
                all(|r| &mut r.domains, names);
                Atom::Domain
            }
            Condition::Extension(names) => {
                all(|r| &mut r.extensions, names);
                Atom::Extension
            }
            Condition::Expression(pattern) => {
                patterns.push(pattern);
                self.expressions.push(atom);
                Atom::Expression
            }
            Condition::Prefix(prefix) => Atom::Prefix(prefix),
            Condition::MediaType(types) => Atom::MediaType(types),
            Condition::Depth(span) => Atom::Depth(span),
            Condition::OffSite(span) => {
                self.asks_off_site = true;
                Atom::OffSite(span)
            }
            Condition::Seed(mark) => {
                self.asks_seed = true;
                Atom::Seed(mark)
            }
        };
        self.atoms.push(kind);
        atom
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The first rule of which all conditions hold.
    pub fn first(&self, asked: ScopeSubject<'_>) -> Option<&Rule> {
        if self.rules.is_empty() {
            return None;
        }
        let mut facts = Facts::new(self.atoms.len());
        self.rules.iter().find(|rule| self.matches(rule, asked, &mut facts))
    }

    /// The first that holds of those that count for what pages need: all that accept, and those that reject by the form of a
    /// URL.
    pub fn first_for_requisite(&self, asked: ScopeSubject<'_>) -> Option<&Rule> {
        if self.rules.is_empty() {
            return None;
        }
        let mut facts = Facts::new(self.atoms.len());
        let mut counting = self.rules.iter().filter(|rule| rule.accepts || rule.asks_form);
        counting.find(|rule| self.matches(rule, asked, &mut facts))
    }

    /// What rules say of a media type before anything else is known of the answer: `Some(true)` where one may accept it,
    /// `Some(false)` where one rejects it whatever its URL.
    pub fn of_type(&self, media_type: &str) -> Option<bool> {
        for rule in self.rules.iter().filter(|rule| rule.asks_type) {
            let mut others = false;
            let names = rule.terms.iter().all(|(atom, negated)| match &self.atoms[*atom as usize] {
                Atom::MediaType(types) => types.names(media_type) != *negated,
                _ => {
                    others = true;
                    true
                }
            });
            if names && (rule.accepts || !others) {
                return Some(rule.accepts);
            }
        }
        None
    }

    /// Every rule up to the one that decides, and whether it does; `None`: it waits for the answer.
    pub fn trace(&self, asked: ScopeSubject<'_>) -> Vec<(&Rule, Option<bool>)> {
        let mut facts = Facts::new(self.atoms.len());
        let mut all = Vec::new();
        for rule in &self.rules {
            if rule.asks_type != asked.media_type.is_some() {
                all.push((rule, None));
                continue;
            }
            let decides = self.matches(rule, asked, &mut facts);
            all.push((rule, Some(decides)));
            if decides {
                break;
            }
        }
        all
    }

    fn matches(&self, rule: &Rule, asked: ScopeSubject<'_>, facts: &mut Facts) -> bool {
        rule.asks_type == asked.media_type.is_some()
            && rule.terms.iter().all(|(atom, negated)| self.holds(*atom, asked, facts) != *negated)
    }

    fn holds(&self, atom: u32, asked: ScopeSubject<'_>, facts: &mut Facts) -> bool {
        let url = asked.url;
        match &self.atoms[atom as usize] {
            Atom::All => true,
            Atom::Site => asked.site.holds(url.host()),
            Atom::Prefix(prefix) => prefix.begins(url),
            Atom::Depth(span) => span.contains(&asked.at.depth),
            Atom::OffSite(span) => span.contains(&u32::from(asked.at.lineage.off_site)),
            Atom::Seed(mark) => asked.at.lineage.seed == *mark,
            Atom::MediaType(types) => asked.media_type.is_some_and(|media| types.names(media)),
            Atom::Host => facts.ask(Kind::Host, atom, |facts| facts.note(self.hosts.get(bare(url.host())))),
            Atom::Domain => facts.ask(Kind::Domain, atom, |facts| {
                suffixes(url.host()).for_each(|suffix| facts.note(self.domains.get(suffix)));
            }),
            Atom::Extension => facts.ask(Kind::Extension, atom, |facts| {
                let lower = last_dots(url.path()).to_ascii_lowercase();
                facts.note(self.extensions.get(&lower));
                facts.note(lower.split_once('.').and_then(|(_, last)| self.extensions.get(last)));
            }),
            Atom::Expression => facts.ask(Kind::Expression, atom, |facts| {
                let matched = self.set.iter().flat_map(|set| set.matches(url.as_str()).into_iter());
                matched.for_each(|n| facts.set(self.expressions[n]));
            }),
        }
    }
}

/// What stands after the last dot but one of the last path segment, or after the last dot: `tar.gz`, `pdf`; else nothing.
fn last_dots(path: &str) -> &str {
    let segment = path.rsplit('/').next().unwrap_or_default();
    let segment = segment.split(';').next().unwrap_or_default();
    let Some(last) = segment.rfind('.') else { return "" };
    let before = segment.cut(..last).rfind('.').map_or(last, |at| at);
    segment.cut(before + 1..)
}

/// Kinds of atoms that are answered together.
#[derive(Clone, Copy)]
enum Kind {
    Host = 1,
    Domain = 2,
    Extension = 4,
    Expression = 8,
}

/// Known facts about a URL so far: a bit an atom.
struct Facts {
    asked: u8,
    few: [u64; 2],
    many: Vec<u64>,
}

impl Facts {
    fn new(atoms: usize) -> Facts {
        let words = atoms.div_ceil(64);
        Facts { asked: 0, few: [0; 2], many: if words > 2 { vec![0; words] } else { Vec::new() } }
    }

    /// Whether an atom holds; the first of its kind makes all of them known.
    fn ask(&mut self, kind: Kind, atom: u32, find: impl FnOnce(&mut Facts)) -> bool {
        if self.asked & kind as u8 == 0 {
            self.asked |= kind as u8;
            find(self);
        }
        self.words()[atom as usize / 64] >> (atom % 64) & 1 == 1
    }

    fn note(&mut self, atoms: Option<&Vec<u32>>) {
        atoms.into_iter().flatten().for_each(|atom| self.set(*atom));
    }

    fn set(&mut self, atom: u32) {
        self.words()[atom as usize / 64] |= 1 << (atom % 64);
    }

    fn words(&mut self) -> &mut [u64] {
        if self.many.is_empty() { &mut self.few } else { &mut self.many }
    }
}
