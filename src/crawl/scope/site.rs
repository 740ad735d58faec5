//! The site of a crawl: the hosts that its seeds stand for, those that are listed, those that seeds moved to.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

use super::{ScopeOptions, Seeds, bare, normal_host, normal_suffix, suffixes};

/// Hosts and domains.
#[derive(Debug)]
pub(super) struct Site {
    seeds: Seeds,
    hosts: HashSet<String>,
    suffixes: HashSet<String>,
    /// With `seeds = "any"`, the hosts of the seeds: every host is in scope, these alone are the site.
    own: HashSet<String>,
    adopted: AdoptedHosts,
}

/// Hosts (or domains) that seeds were redirected to. Most crawls have none, and no lock is taken then.
#[derive(Debug, Default)]
struct AdoptedHosts {
    any: AtomicBool,
    names: RwLock<HashSet<String>>,
}

impl Site {
    pub fn new(options: &ScopeOptions, seeds: &[CanonicalUrl]) -> Result<Site> {
        let listed = !options.hosts.is_empty();
        match options.seeds {
            Seeds::Any if listed => {
                return Err(Error::Config("scope: with seeds = \"any\", hosts have no effect".into()));
            }
            Seeds::None if !listed && options.rules.is_empty() => {
                return Err(Error::Config("scope: seeds = \"none\" needs hosts or rules".into()));
            }
            _ => {}
        }
        let mut site = Site {
            seeds: options.seeds,
            hosts: HashSet::new(),
            suffixes: HashSet::new(),
            own: HashSet::new(),
            adopted: AdoptedHosts::default(),
        };
        for host in &options.hosts {
            match host.trim().strip_prefix("*.") {
                Some(domain) => site.suffixes.insert(normal_suffix(domain)?),
                None => site.hosts.insert(bare(&normal_host(host)?).to_owned()),
            };
        }
        for seed in seeds {
            match options.seeds {
                Seeds::Hosts => site.hosts.extend([bare(seed.host()).to_owned()]),
                Seeds::Domains => site.suffixes.extend([domain(seed).to_owned()]),
                Seeds::Any => site.own.extend([bare(seed.host()).to_owned()]),
                Seeds::None => {}
            }
        }
        Ok(site)
    }

    /// Whether the fields of the scope let a host in.
    pub fn admits(&self, host: &str) -> bool {
        self.seeds == Seeds::Any || self.listed(host)
    }

    /// Whether a host is of the site: not off it.
    pub fn holds(&self, host: &str) -> bool {
        if self.seeds == Seeds::Any {
            return self.own.contains(bare(host)) || self.adopted.holds(host, false);
        }
        self.listed(host)
    }

    fn listed(&self, host: &str) -> bool {
        self.hosts.contains(bare(host))
            || (!self.suffixes.is_empty() && suffixes(host).any(|suffix| self.suffixes.contains(suffix)))
            || self.adopted.holds(host, self.seeds == Seeds::Domains)
    }

    /// Adds what a seed was redirected to: its host, or with `seeds = "domains"` its domain. Whether it is new: not where it
    /// belonged to the site before, nor where seeds stand for nothing.
    pub fn adopt(&self, url: &CanonicalUrl) -> bool {
        if self.seeds == Seeds::None || url.host().is_empty() || self.holds(url.host()) {
            return false;
        }
        let name = if self.seeds == Seeds::Domains { domain(url) } else { bare(url.host()) };
        self.adopted.add(name)
    }

    /// What was adopted, in order of names.
    pub fn adopted(&self) -> Vec<String> {
        let names = self.adopted.names.read().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<String> = names.iter().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Adds what [`Site::adopted`] gave.
    pub fn restore(&self, names: &[String]) {
        names.iter().filter(|name| !name.is_empty()).for_each(|name| {
            self.adopted.add(name);
        });
    }
}

impl AdoptedHosts {
    /// Whether a host was adopted, or as one `below` a domain that was.
    fn holds(&self, host: &str, below: bool) -> bool {
        // Whoever adopts is one thread, and a host that joins a moment later costs nothing: no order is needed.
        if !self.any.load(Ordering::Relaxed) {
            return false;
        }
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        names.contains(bare(host)) || (below && suffixes(host).any(|suffix| names.contains(suffix)))
    }

    fn add(&self, name: &str) -> bool {
        let new = self.names.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        self.any.store(true, Ordering::Relaxed);
        new
    }
}

fn domain(url: &CanonicalUrl) -> &str {
    url.registrable_domain().trim_end_matches('.')
}
