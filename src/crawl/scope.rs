//! Scope: which URLs, addresses and media types belong to a crawl.
//!
//! The engine asks it about every URL found, every address looked up, and every answer before its body is read.
//!
//! **Definition.** About a URL decides the first of these that applies:
//!
//! 1. it is neither http nor https: out, `scheme`;
//! 2. the first rule of `rules` of which all conditions hold ([`ScopeRule`]): in or out, by the rule's name;
//! 3. the other fields, of which the first that fails is the reason:
//!
//! | reason | field | as a rule |
//! |---|---|---|
//! | `depth` | at most `max_depth` links from a seed | `reject depth:N+1..` |
//! | `host` | the host is one of the seeds (`seeds`), listed in `hosts`, or under one of the domains there | `reject !site` |
//! | `prefix` | the URL begins with one of `prefixes`, if there are any | `reject !prefix:A !prefix:B` |
//! | `url-include` | one of the expressions matches somewhere, if there are any | `reject !re:A !re:B` |
//! | `url-exclude` | none of the expressions matches | `reject re:A` |
//!
//! 4. else it is in.
//!
//! So rules are exceptions in both directions: `accept hops-off:1` takes what the site links to, whatever `seeds` says. Of
//! addresses: `network`: the address lies in one of `networks`, if there are any; of
//! answers: the first rule with a media type that matches, else `media_types`. No rule lifts those of addresses.
//!
//! A seed is fetched in any case. Where it is redirected to another host, that host joins the site ([`Scope::adopt`]).
//!
//! Host names are compared on label borders: `edu.cn` holds pku.edu.cn, not xedu.cn. A leading `www.` and a trailing
//! dot make no difference between a host and a seed, because sites redirect from one to the other.
//!
//! **Cost.** One hash look-up a label, one pass of all expressions at once (linear in the URL, whatever they say), for rules
//! one more of each kind that they ask for; binary search of addresses. **Determinism.** A function of options, seeds, table
//! and what was adopted.

mod addresses;
mod lineage;
mod media;
mod rule;
#[cfg(test)]
mod rule_tests;
mod rules;
mod site;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::path::PathBuf;

use regex::{RegexBuilder, RegexSet, RegexSetBuilder};
use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;

pub use self::addresses::{CountryTable, Ranges};
pub use self::lineage::{Lineage, SeedMark, Standing};
use self::media::MediaTypes;
pub use self::rule::{RuleAction, ScopeRule};
use self::rules::{Rules, ScopeSubject};
use self::site::Site;
use crate::task::{Entry, Purpose};

/// Bytes that the compiled expressions of one list may take.
const MAX_REGEX_BYTES: usize = 8 << 20;

/// Which hosts the seeds stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Seeds {
    /// Their own, with and without `www.`
    #[default]
    Hosts,
    /// All hosts of their registrable domains.
    Domains,
    /// Every host of the Web.
    Any,
    /// None: only `hosts` count.
    None,
}

settings! {
    /// What belongs to the crawl.
    #[derive(PartialEq)]
    pub struct ScopeOptions {
        /// Which hosts the seeds stand for: `hosts` (default), `domains`, `any`, `none`.
        pub seeds: Seeds = Seeds::Hosts;
        /// More hosts, `a.example`, and domains with all hosts below them, `*.edu.cn`; default none.
        pub hosts: Vec<String> = Vec::new();
        /// Beginnings of URLs (`https://example.com/docs/`) or, on every host, of paths (`/docs/`); default none: all.
        pub prefixes: Vec<String> = Vec::new();
        /// Regular expressions of which one must match somewhere in the canonical URL; default none: all.
        pub url_include: Vec<String> = Vec::new();
        /// Regular expressions of which none may match; default none.
        pub url_exclude: Vec<String> = Vec::new();
        /// Networks (`162.105.0.0/16`, `2001:da8::/32`), addresses, and two-letter codes of countries (by
        /// `country_table`); the address of a host must be in one of them; default none: all.
        pub networks: Vec<String> = Vec::new();
        /// CSV file of `network,country` or `first,last,country`; needed for countries; default none.
        pub country_table: Option<PathBuf> = None;
        /// Media types to store, `*` for any part (`text/*`, `application/*+xml`); empty for all. Default: HTML, XHTML,
        /// plain text, Markdown, XML, RSS, Atom, XSPF, JSON, CSV, TSV, RTF, PDF, EPUB and the documents of Office and OpenDocument.
        pub media_types: Vec<String> = include_str!("scope/media_types.txt").lines().map(str::to_owned).collect();
        /// Most links from a seed; default none.
        pub max_depth: Option<u32> = None;
        /// Rules that are asked in order before all fields above; the first that matches decides. Each has an
        /// `action` (`accept` or `reject`), `when` (conditions that must all hold; none: every URL) and a `name`
        /// for messages. At most 10,000; default none.
        pub rules: Vec<ScopeRule> = Vec::new();
    }
}

impl ScopeOptions {
    /// Whether the rules can be read and make sense together; files are not opened.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and the entry.
    pub fn check(&self) -> Result<()> {
        self.compile(&[]).map(drop)
    }

    fn compile(&self, seeds: &[CanonicalUrl]) -> Result<Scope> {
        let site = Site::new(self, seeds)?;
        let (countries, ranges): (Vec<_>, Vec<_>) =
            self.networks.iter().partition(|entry| addresses::country(entry).is_some());
        if !countries.is_empty() && self.country_table.is_none() {
            return Err(Error::Config("scope: networks: countries need country_table".into()));
        }
        Ok(Scope {
            site,
            rules: Rules::new(&self.rules)?,
            prefixes: self.prefixes.iter().map(|p| normal_prefix(p)).collect::<Result<_>>()?,
            include: compile("url_include", &self.url_include)?,
            exclude: compile("url_exclude", &self.url_exclude)?,
            ranges: Ranges::parse(ranges)?,
            countries: countries.into_iter().filter_map(|entry| addresses::country(entry)).collect(),
            asks_address: !self.networks.is_empty(),
            table: None,
            media: MediaTypes::parse(&self.media_types)?,
            max_depth: self.max_depth.unwrap_or(u32::MAX),
        })
    }
}

/// A URL prefix: of the whole URL, or of path and query on any host.
#[derive(Debug)]
pub(super) enum Prefix {
    Url(String),
    Path(String),
}

impl Prefix {
    pub(super) fn begins(&self, url: &CanonicalUrl) -> bool {
        match self {
            Prefix::Url(prefix) => url.as_str().starts_with(prefix),
            Prefix::Path(prefix) => url.path_and_query().starts_with(prefix),
        }
    }
}

/// What the scope says of a URL or an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict<'a> {
    /// It belongs to the crawl.
    pub accepted: bool,
    /// What decided: `rule …`, or the name of a field's reason; `fields` where none of them has anything against it.
    pub rule: &'a str,
}

/// The reason of what no field has anything against.
const FIELDS: &str = "fields";

/// The rules, ready for use.
#[derive(Debug)]
pub struct Scope {
    site: Site,
    rules: Rules,
    prefixes: Vec<Prefix>,
    include: Option<RegexSet>,
    exclude: Option<RegexSet>,
    ranges: Ranges,
    countries: Vec<[u8; 2]>,
    asks_address: bool,
    table: Option<CountryTable>,
    media: MediaTypes,
    max_depth: u32,
}

impl Scope {
    /// Compiles the rules and reads the country table.
    ///
    /// # Errors
    /// Those of [`ScopeOptions::check`]; [`Error::Io`] and [`Error::Corrupt`] (with its line) of the country table.
    pub fn new(options: &ScopeOptions, seeds: &[CanonicalUrl]) -> Result<Scope> {
        let mut scope = options.compile(seeds)?;
        if let Some(path) = options.country_table.as_ref().filter(|_| !scope.countries.is_empty()) {
            scope.table = Some(CountryTable::open(path)?);
        }
        Ok(scope)
    }

    /// The verdict on a URL that was found `at` this distance from a seed, or with this standing.
    pub fn verdict(&self, url: &CanonicalUrl, at: impl Into<Standing>) -> Verdict<'_> {
        let at = at.into();
        if !url.is_web() {
            return Verdict { accepted: false, rule: "scheme" };
        }
        if let Some(rule) = self.rules.first(ScopeSubject { url, at, site: &self.site, media_type: None }) {
            return Verdict { accepted: rule.accepts, rule: &rule.label };
        }
        match self.fields(url, at.depth) {
            Ok(()) => Verdict { accepted: true, rule: FIELDS },
            Err(reason) => Verdict { accepted: false, rule: reason },
        }
    }

    /// Whether a URL found `at` this distance from a seed, or with this standing, may be fetched.
    ///
    /// # Errors
    /// The reason why not.
    pub fn url(&self, url: &CanonicalUrl, at: impl Into<Standing>) -> Result<(), &str> {
        let verdict = self.verdict(url, at);
        if verdict.accepted { Ok(()) } else { Err(verdict.rule) }
    }

    /// Whether what waits in the queue may be fetched still: rules may have been tightened since. Seeds may in any case, as
    /// may robots.txt; sitemaps where their host is in scope, or the one that vouches for them.
    ///
    /// # Errors
    /// The reason why not.
    pub fn entry(&self, entry: &Entry) -> Result<(), &str> {
        match entry.purpose {
            Purpose::Robots => Ok(()),
            Purpose::Page if entry.depth == 0 && entry.redirects == 0 => Ok(()),
            Purpose::Page => self.url(&entry.url, entry),
            Purpose::Requisite => self.requisite(&entry.url, entry),
            Purpose::Sitemap => {
                // One on another host counts as long as the host does whose robots.txt names it.
                let voucher = entry.referrer.as_deref().and_then(CanonicalUrl::parse_stored);
                if self.sitemap(voucher.as_ref().unwrap_or(&entry.url), entry) { Ok(()) } else { Err("host") }
            }
        }
    }

    /// Whether the sitemap of a host that is crawled is read: not of one that the crawl only came across.
    pub fn sitemap(&self, url: &CanonicalUrl, at: impl Into<Standing>) -> bool {
        self.host(url.host()) || (!self.rules.is_empty() && self.verdict(url, at).accepted)
    }

    /// The fields, without the rules.
    fn fields(&self, url: &CanonicalUrl, depth: u32) -> Result<(), &'static str> {
        if depth > self.max_depth {
            return Err("depth");
        }
        if !self.site.admits(url.host()) {
            return Err("host");
        }
        if !self.prefixes.is_empty() && !self.prefixes.iter().any(|prefix| prefix.begins(url)) {
            return Err("prefix");
        }
        if self.include.as_ref().is_some_and(|set| !set.is_match(url.as_str())) {
            return Err("url-include");
        }
        if self.exclude.as_ref().is_some_and(|set| set.is_match(url.as_str())) {
            return Err("url-exclude");
        }
        Ok(())
    }

    /// What each rule up to the one that decides says of a URL, in words; then, where none decides, the fields.
    pub fn trace(&self, url: &CanonicalUrl, at: impl Into<Standing>) -> Vec<String> {
        let at = at.into();
        let asked = ScopeSubject { url, at, site: &self.site, media_type: None };
        let traced = self.rules.trace(asked);
        let decided = traced.last().is_some_and(|(_, decides)| *decides == Some(true));
        let mut lines: Vec<String> = traced
            .into_iter()
            .map(|(rule, decides)| match decides {
                None => format!("{}: about answers, asked when one is there", rule.label),
                Some(false) => format!("{}: does not match", rule.label),
                Some(true) => {
                    format!("{}: matches and {}s", rule.label, if rule.accepts { "accept" } else { "reject" })
                }
            })
            .collect();
        if !decided {
            lines.push(match self.fields(url, at.depth) {
                Ok(()) => "no field of the scope has anything against it".to_owned(),
                Err(reason) => format!("field {reason}: {}", field_in_words(reason)),
            });
        }
        lines
    }

    /// Whether a URL may be fetched because something in scope needs it or vouches for it. Of the fields only `url_exclude`
    /// counts, of the rules those that accept, and those that reject by what a URL must look like: `reject ext:zip` does,
    /// `reject !site` does not.
    ///
    /// # Errors
    /// The reason why not.
    pub fn requisite(&self, url: &CanonicalUrl, at: impl Into<Standing>) -> Result<(), &str> {
        if !url.is_web() {
            return Err("scheme");
        }
        let asked = ScopeSubject { url, at: at.into(), site: &self.site, media_type: None };
        match self.rules.first_for_requisite(asked) {
            Some(rule) if rule.accepts => return Ok(()),
            Some(rule) => return Err(&rule.label),
            None => {}
        }
        if self.exclude.as_ref().is_some_and(|set| set.is_match(url.as_str())) {
            return Err("url-exclude");
        }
        Ok(())
    }

    /// Whether a host is in scope by the fields.
    pub fn host(&self, host: &str) -> bool {
        self.site.admits(host)
    }

    /// Adds the host that a seed was redirected to (with `seeds = "domains"` its domain) to the site: from now on it belongs to
    /// the crawl as the seed's own does. `false` where it did before, and where seeds stand for nothing.
    pub fn adopt(&self, url: &CanonicalUrl) -> bool {
        self.site.adopt(url)
    }

    /// What was adopted, for the next opening.
    pub fn adopted(&self) -> Vec<String> {
        self.site.adopted()
    }

    /// Adopts what [`Scope::adopted`] gave.
    pub fn restore(&self, adopted: &[String]) {
        self.site.restore(adopted);
    }

    /// The lineage of a seed.
    pub fn of_seed(&self, seed: &CanonicalUrl) -> Lineage {
        Lineage {
            off_site: 0,
            seed: if self.rules.asks_seed { SeedMark::of(seed) } else { SeedMark::default() },
        }
    }

    /// The lineage of what a page of lineage `parent` links to.
    pub fn linked(&self, parent: Lineage, target: &CanonicalUrl) -> Lineage {
        self.off_site(parent, target, |hops| hops.saturating_add(1))
    }

    /// The lineage of what a URL of lineage `parent` redirects to.
    pub fn redirected(&self, parent: Lineage, target: &CanonicalUrl) -> Lineage {
        self.off_site(parent, target, |hops| hops.max(1))
    }

    fn off_site(&self, parent: Lineage, target: &CanonicalUrl, away: impl Fn(u8) -> u8) -> Lineage {
        let off_site = match self.rules.asks_off_site {
            true if !self.site.holds(target.host()) => away(parent.off_site),
            _ => 0,
        };
        Lineage { off_site, seed: parent.seed }
    }

    /// Whether pages may be fetched from an address.
    ///
    /// # Errors
    /// The reason why not.
    pub fn address(&self, address: IpAddr) -> Result<(), &'static str> {
        let home = |table: &CountryTable| {
            table.country(address).is_some_and(|country| self.countries.contains(&country))
        };
        let holds =
            !self.asks_address || self.ranges.contains(address) || self.table.as_ref().is_some_and(home);
        if holds { Ok(()) } else { Err("network") }
    }

    /// Whether any rule asks for the address of a host.
    pub fn asks_address(&self) -> bool {
        self.asks_address
    }

    /// Whether a page of a media type is stored. Parameters (`;charset=`) and case do not count; a page that does not
    /// say its type passes.
    pub fn media_type(&self, media_type: &str) -> bool {
        self.media.matches(media_type)
    }

    /// Whether any answer of a media type may be stored, by the rules or by `media_types`: of what may not, nothing need be
    /// asked for.
    pub fn may_take(&self, media_type: &str) -> bool {
        self.rules.of_type(media_type).unwrap_or_else(|| self.media_type(media_type))
    }

    /// The verdict on the answer for a URL: whether it is stored. Rules with a media type come before `media_types`.
    pub fn answer(&self, url: &CanonicalUrl, at: impl Into<Standing>, media_type: &str) -> Verdict<'_> {
        let asked = ScopeSubject { url, at: at.into(), site: &self.site, media_type: Some(media_type) };
        match self.rules.first(asked) {
            Some(rule) => Verdict { accepted: rule.accepts, rule: &rule.label },
            None if self.media_type(media_type) => Verdict { accepted: true, rule: FIELDS },
            None => Verdict { accepted: false, rule: "media-type" },
        }
    }
}

/// What a reason of [`Scope::verdict`] means.
fn field_in_words(reason: &str) -> &'static str {
    match reason {
        "scheme" => "only http and https are fetched",
        "depth" => "too many links from a seed (--depth)",
        "host" => "no seed stands for its host, and it is not listed (--within, scope.hosts)",
        "prefix" => "it begins with none of the prefixes (--prefix)",
        "url-include" => "none of the expressions matches (--include)",
        "url-exclude" => "an expression matches (--exclude)",
        _ => "out of scope",
    }
}

/// A host without `www.` and trailing dot.
fn bare(host: &str) -> &str {
    let host = host.strip_suffix('.').unwrap_or(host);
    host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(host)
}

/// The host and all suffixes of it on label borders, the longest first; an address has only itself.
pub(crate) fn suffixes(host: &str) -> impl Iterator<Item = &str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let cut = !webmill_capture::domain::is_ip(host);
    std::iter::successors(Some(host), move |rest| rest.split_once('.').filter(|_| cut).map(|(_, rest)| rest))
}

/// A host as canonical URLs have it.
pub(crate) fn normal_host(host: &str) -> Result<String> {
    webmill_capture::canonical_host(host).and_then(webmill_capture::Host::without_port).map_err(|error| {
        match error {
            Error::Config(said) => Error::Config(format!("scope: {said}")),
            other => other,
        }
    })
}

/// A domain suffix as canonical URLs have it; a leading `.` or `*.` is dropped.
pub(crate) fn normal_suffix(suffix: &str) -> Result<String> {
    let name = suffix.trim();
    normal_host(name.strip_prefix("*.").or_else(|| name.strip_prefix('.')).unwrap_or(name))
}

fn normal_prefix(prefix: &str) -> Result<Prefix> {
    let wrong = || {
        let first = prefix.split('/').next().unwrap_or_default();
        let meant = if first.contains('.') { format!("https://{prefix}") } else { format!("/{prefix}") };
        Error::Config(format!(
            "scope: prefixes: {prefix:?} is neither a URL nor a path; did you mean {meant:?}?"
        ))
    };
    if prefix.starts_with('/') && !prefix.starts_with("//") {
        let url = CanonicalUrl::parse(&format!("http://h{prefix}")).ok_or_else(wrong)?;
        return Ok(Prefix::Path(url.path_and_query().to_owned()));
    }
    let url = CanonicalUrl::parse(prefix).filter(CanonicalUrl::is_web).ok_or_else(wrong)?;
    Ok(Prefix::Url(url.into_string()))
}

fn compile(field: &str, patterns: &[String]) -> Result<Option<RegexSet>> {
    for pattern in patterns {
        let limited = RegexBuilder::new(pattern).size_limit(MAX_REGEX_BYTES).build();
        // Who writes `*.pdf` thinks of files.
        let meant = pattern.strip_prefix("*.").map_or_else(String::new, |extension| {
            format!(
                "; an expression is needed, as {:?}, or a rule ext:{extension}",
                format!("\\.{extension}$")
            )
        });
        limited.map_err(|e| Error::Config(format!("scope: {field}: {pattern:?}: {e}{meant}")))?;
    }
    let set = RegexSetBuilder::new(patterns).size_limit(MAX_REGEX_BYTES).build();
    let set = set.map_err(|e| Error::Config(format!("scope: {field}, all together: {e}")))?;
    Ok((!patterns.is_empty()).then_some(set))
}
