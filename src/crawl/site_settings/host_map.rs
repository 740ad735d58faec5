//! Values by host or domain: the longest name that fits decides.

use std::collections::HashMap;

use webmill_capture::error::Result;

use crate::scope::{normal_host, normal_suffix, suffixes};

/// Values by `host` (this one alone) or `*.domain` (the domain and all hosts below it).
#[derive(Debug)]
pub(crate) struct HostMap<T> {
    hosts: HashMap<String, T>,
    domains: HashMap<String, T>,
}

impl<T> Default for HostMap<T> {
    fn default() -> Self {
        HostMap { hosts: HashMap::new(), domains: HashMap::new() }
    }
}

impl<T> HostMap<T> {
    /// Adds a value; `false`: there was one for the same hosts, which is replaced.
    pub fn insert(&mut self, pattern: &str, value: T) -> Result<bool> {
        let pattern = pattern.trim();
        let before = match pattern.starts_with("*.") {
            true => self.domains.insert(normal_suffix(pattern)?, value),
            false => self.hosts.insert(normal_host(pattern)?, value),
        };
        Ok(before.is_none())
    }

    /// The value of a host: its own, else that of the longest domain that it is or lies under.
    pub fn get(&self, host: &str) -> Option<&T> {
        if self.hosts.is_empty() && self.domains.is_empty() {
            return None;
        }
        let own = self.hosts.get(host.strip_suffix('.').unwrap_or(host));
        own.or_else(|| {
            let mut names = suffixes(host).filter(|_| !self.domains.is_empty());
            names.find_map(|name| self.domains.get(name))
        })
    }
}
