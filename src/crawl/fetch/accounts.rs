//! Who we are to each host.

use super::address::{port, undotted};
use super::options::FetchOptions;
use crate::site_settings::HostMap;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// All accounts, their secrets revealed.
pub(super) struct Accounts {
    hosts: Vec<(String, String)>,
    /// Of the settings of sites.
    sites: HostMap<String>,
}

impl Accounts {
    pub(super) fn new(options: &FetchOptions) -> Result<Accounts> {
        let mut all: Vec<(String, String)> = Vec::new();
        for (host, account) in &options.accounts {
            all.push((host.clone(), account.authorization(host)?));
        }
        let mut sites = HostMap::default();
        for site in &options.sites {
            if let Some(account) = &site.account {
                sites.insert(&site.pattern, account.authorization(&site.pattern)?)?;
            }
        }
        Ok(Accounts { hosts: all, sites })
    }

    /// The value of the Authorization header for a URL.
    pub(super) fn of(&self, url: &CanonicalUrl) -> Option<&str> {
        let of_site = self.sites.get(url.host()).map(String::as_str);
        if self.hosts.is_empty() {
            return of_site;
        }
        let host = undotted(url.host());
        let with_port = format!("{host}:{}", port(url));
        let find = |name: &str| {
            self.hosts.iter().find(|(h, _)| is_account(h, name)).map(|(_, value)| value.as_str())
        };
        find(&with_port).or_else(|| find(host)).or(of_site)
    }
}

/// Whether an account, of `host` or `host:port`, is the one of a name that ends without a dot.
fn is_account(account: &str, name: &str) -> bool {
    match account.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())) {
        Some((host, port)) if name.rsplit_once(':').is_some_and(|(_, p)| p == port) => {
            name.strip_suffix(port).and_then(|n| n.strip_suffix(':')) == Some(undotted(host))
        }
        _ => undotted(account) == name,
    }
}
