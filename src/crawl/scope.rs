//! Scope: which URLs, addresses and media types belong to a crawl.
//!
//! **Definition.** A URL is in scope where all of these hold; the first that fails is the reason in the event log:
//!
//! | reason | rule |
//! |---|---|
//! | `scheme` | http or https |
//! | `depth` | at most `max_depth` links from a seed |
//! | `host` | the host is one of the seeds (`seeds`), listed in `hosts`, or under one of `domain_suffixes` |
//! | `prefix` | the URL begins with one of `prefixes`, if there are any |
//! | `url-include` | one of the expressions matches somewhere, if there are any |
//! | `url-exclude` | none of the expressions matches |
//! | `ip-range`, `country` | the address lies in one of `ip_ranges`, in one of `countries`, if there are any |
//!
//! Host names are compared on label borders: `edu.cn` holds pku.edu.cn, not xedu.cn. A leading `www.` and a trailing
//! dot make no difference between a host and a seed, because sites redirect from one to the other.
//!
//! **Cost.** One hash look-up a label, one pass of all expressions at once (linear in the URL, whatever they say),
//! binary search of addresses. **Determinism.** A function of options, seeds and table.

mod addresses;
mod media;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::net::IpAddr;
use std::path::PathBuf;

use regex::{RegexBuilder, RegexSet, RegexSetBuilder};
use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

pub use self::addresses::{CountryTable, Ranges};
use self::media::MediaTypes;

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
    /// None: only `hosts` and `domain_suffixes` count.
    None,
}

/// What belongs to the crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScopeOptions {
    /// Which hosts the seeds stand for: `hosts` (default), `domains`, `any`, `none`.
    pub seeds: Seeds,
    /// More hosts; default none.
    pub hosts: Vec<String>,
    /// Domains, all hosts below them included (`edu.cn`); default none.
    pub domain_suffixes: Vec<String>,
    /// Beginnings of URLs (`https://example.com/docs/`) or, on every host, of paths (`/docs/`); default none: all.
    pub prefixes: Vec<String>,
    /// Regular expressions of which one must match somewhere in the canonical URL; default none: all.
    pub url_include: Vec<String>,
    /// Regular expressions of which none may match; default none.
    pub url_exclude: Vec<String>,
    /// Networks (`162.105.0.0/16`, `2001:da8::/32`) or addresses; default none: all.
    pub ip_ranges: Vec<String>,
    /// Two-letter countries of addresses, by `country_table`; default none: all.
    pub countries: Vec<String>,
    /// CSV file of `network,country` or `first,last,country`; needed for `countries`; default none.
    pub country_table: Option<PathBuf>,
    /// Media types to store, `*` for any part (`text/*`, `application/*+xml`); empty for all. Default: HTML, XHTML,
    /// plain text, Markdown, XML, RSS, Atom, JSON, CSV, RTF, PDF, EPUB and the documents of Office and OpenDocument.
    pub media_types: Vec<String>,
    /// Most links from a seed; default none.
    pub max_depth: Option<u32>,
}

impl Default for ScopeOptions {
    fn default() -> Self {
        let media_types = [
            "text/html",
            "application/xhtml+xml",
            "text/plain",
            "text/markdown",
            "text/xml",
            "application/xml",
            "application/rss+xml",
            "application/atom+xml",
            "application/feed+json",
            "application/json",
            "text/csv",
            "text/rtf",
            "application/rtf",
            "application/pdf",
            "application/epub+zip",
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            "application/vnd.oasis.opendocument.text",
            "application/vnd.oasis.opendocument.spreadsheet",
            "application/vnd.oasis.opendocument.presentation",
        ];
        ScopeOptions {
            seeds: Seeds::Hosts,
            hosts: Vec::new(),
            domain_suffixes: Vec::new(),
            prefixes: Vec::new(),
            url_include: Vec::new(),
            url_exclude: Vec::new(),
            ip_ranges: Vec::new(),
            countries: Vec::new(),
            country_table: None,
            media_types: media_types.map(str::to_owned).to_vec(),
            max_depth: None,
        }
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
        let listed = !self.hosts.is_empty() || !self.domain_suffixes.is_empty();
        match self.seeds {
            Seeds::Any if listed => {
                return Err(Error::Config(
                    "scope: with seeds = \"any\", hosts and domain_suffixes have no effect".into(),
                ));
            }
            Seeds::None if !listed => {
                return Err(Error::Config("scope: seeds = \"none\" needs hosts or domain_suffixes".into()));
            }
            _ => {}
        }
        if !self.countries.is_empty() && self.country_table.is_none() {
            return Err(Error::Config("scope: countries needs country_table".into()));
        }
        let mut hosts: HashSet<String> = HashSet::new();
        let mut suffixes: HashSet<String> = HashSet::new();
        for host in &self.hosts {
            hosts.insert(bare(&normal_host(host)?).to_owned());
        }
        for suffix in &self.domain_suffixes {
            suffixes.insert(normal_suffix(suffix)?);
        }
        for seed in seeds {
            match self.seeds {
                Seeds::Hosts => hosts.extend([bare(seed.host()).to_owned()]),
                Seeds::Domains => {
                    suffixes.extend([seed.registrable_domain().trim_end_matches('.').to_owned()])
                }
                Seeds::Any | Seeds::None => {}
            }
        }
        let countries = self.countries.iter().map(|c| addresses::country(c)).collect::<Option<Vec<_>>>();
        Ok(Scope {
            any_host: self.seeds == Seeds::Any,
            hosts,
            suffixes,
            prefixes: self.prefixes.iter().map(|p| normal_prefix(p)).collect::<Result<_>>()?,
            include: compile("url_include", &self.url_include)?,
            exclude: compile("url_exclude", &self.url_exclude)?,
            ranges: (!self.ip_ranges.is_empty()).then(|| Ranges::parse(&self.ip_ranges)).transpose()?,
            countries: countries
                .ok_or_else(|| Error::Config("scope: countries must be two letters each (CN)".into()))?,
            table: None,
            media: MediaTypes::parse(&self.media_types)?,
            max_depth: self.max_depth.unwrap_or(u32::MAX),
        })
    }
}

/// A URL prefix: of the whole URL, or of path and query on any host.
#[derive(Debug)]
enum Prefix {
    Url(String),
    Path(String),
}

/// The rules, ready for use.
#[derive(Debug)]
pub struct Scope {
    any_host: bool,
    hosts: HashSet<String>,
    suffixes: HashSet<String>,
    prefixes: Vec<Prefix>,
    include: Option<RegexSet>,
    exclude: Option<RegexSet>,
    ranges: Option<Ranges>,
    countries: Vec<[u8; 2]>,
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

    /// Whether a URL found so many links from a seed may be fetched.
    ///
    /// # Errors
    /// The reason why not.
    pub fn url(&self, url: &CanonicalUrl, depth: u32) -> Result<(), &'static str> {
        if !url.is_web() {
            return Err("scheme");
        }
        if depth > self.max_depth {
            return Err("depth");
        }
        if !self.host(url.host()) {
            return Err("host");
        }
        let begins = |prefix: &Prefix| match prefix {
            Prefix::Url(prefix) => url.as_str().starts_with(prefix),
            Prefix::Path(prefix) => url.path_and_query().starts_with(prefix),
        };
        if !self.prefixes.is_empty() && !self.prefixes.iter().any(begins) {
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

    /// Whether a host is in scope.
    pub fn host(&self, host: &str) -> bool {
        self.any_host
            || self.hosts.contains(bare(host))
            || (!self.suffixes.is_empty() && suffixes(host).any(|suffix| self.suffixes.contains(suffix)))
    }

    /// Whether pages may be fetched from an address.
    ///
    /// # Errors
    /// The reason why not.
    pub fn address(&self, address: IpAddr) -> Result<(), &'static str> {
        if self.ranges.as_ref().is_some_and(|ranges| !ranges.contains(address)) {
            return Err("ip-range");
        }
        let home = |table: &CountryTable| {
            table.country(address).is_some_and(|country| self.countries.contains(&country))
        };
        if !self.countries.is_empty() && !self.table.as_ref().is_some_and(home) {
            return Err("country");
        }
        Ok(())
    }

    /// Whether any rule asks for the address of a host.
    pub fn asks_address(&self) -> bool {
        self.ranges.is_some() || !self.countries.is_empty()
    }

    /// Whether a page of a media type is stored. Parameters (`;charset=`) and case do not count; a page that does not
    /// say its type passes.
    pub fn media_type(&self, media_type: &str) -> bool {
        self.media.matches(media_type)
    }
}

/// A host without `www.` and trailing dot.
fn bare(host: &str) -> &str {
    let host = host.strip_suffix('.').unwrap_or(host);
    host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(host)
}

/// The host and all suffixes of it on label borders, the longest first; an address has only itself.
pub(super) fn suffixes(host: &str) -> impl Iterator<Item = &str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let cut = !webmill_capture::domain::is_ip(host);
    std::iter::successors(Some(host), move |rest| rest.split_once('.').filter(|_| cut).map(|(_, rest)| rest))
}

/// A host as canonical URLs have it.
fn normal_host(host: &str) -> Result<String> {
    let wrong = || Error::Config(format!("scope: {host:?} is no host name"));
    let url = CanonicalUrl::parse(&format!("http://{}/", host.trim())).ok_or_else(wrong)?;
    let plain = url.port().is_none() && url.path() == "/" && url.query().is_none();
    // A host that the user wrote with a port, a path or a user is no host.
    if !plain
        || url.host().is_empty()
        || host.contains(['/', '@', '?', '#', '\\'])
        || (host.contains(':') && !host.trim().ends_with(']'))
    {
        return Err(wrong());
    }
    Ok(url.host().trim_end_matches('.').to_owned())
}

/// A domain suffix as canonical URLs have it; a leading `.` or `*.` is dropped.
pub(super) fn normal_suffix(suffix: &str) -> Result<String> {
    let name = suffix.trim();
    normal_host(name.strip_prefix("*.").or_else(|| name.strip_prefix('.')).unwrap_or(name))
}

fn normal_prefix(prefix: &str) -> Result<Prefix> {
    let wrong = || Error::Config(format!("scope: prefixes: {prefix:?} is neither a URL nor a path"));
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
        limited.map_err(|e| Error::Config(format!("scope: {field}: {pattern:?}: {e}")))?;
    }
    let set = RegexSetBuilder::new(patterns).size_limit(MAX_REGEX_BYTES).build();
    let set = set.map_err(|e| Error::Config(format!("scope: {field}, all together: {e}")))?;
    Ok((!patterns.is_empty()).then_some(set))
}
