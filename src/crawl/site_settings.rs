//! Settings of single sites: what differs there from the rest of the crawl.
//!
//! **Definition.** An entry of `sites` holds for the hosts that its `match` names: `a.example` for that host alone (not for
//! `www.a.example`: accounts are secret), `*.a.example` for the domain and all hosts below it. Where several fit, a host's
//! own entry wins, then the longest domain; entries are not mixed. What an entry does not say is as everywhere.
//!
//! ```toml
//! [[crawl.sites]]
//! match = "*.slow.example"
//! delay_ms = 10_000
//! pages = 5_000
//!
//! [[crawl.sites]]
//! match = "api.slow.example"
//! account = { token = { env = "API_TOKEN" } }
//! ```
//!
//! The number of connections to a host is always one. What robots.txt asks for (`Crawl-delay`) and what a host refuses counts
//! at every site, also where its delay is shorter than elsewhere.
//!
//! **Cost.** One hash look-up per label of the host; nothing without entries. **Determinism.** A function of the entries.

mod host_map;

pub(crate) use self::host_map::HostMap;
use crate::fetch::Account;
use crate::politeness::Politeness;
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;

settings! {
    /// What differs at one site.
    #[derive(PartialEq, Eq)]
    pub struct SiteSettings {
        /// Its hosts: `a.example` or `*.a.example`.
        #[serde(rename = "match")]
        pub pattern: String = String::new();
        /// Least pause between two requests to a host, ms, at most 30 days; default that of the crawl.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub delay_ms: Option<u64> = None;
        /// Pages stored of one host; default that of the crawl's limits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub pages: Option<u64> = None;
        /// Account to log in with: `user` and `password` (basic) or `token` (bearer); default none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub account: Option<Account> = None;
    }
}

impl SiteSettings {
    fn check(&self) -> Result<()> {
        let own = |error: Error| Error::Config(format!("sites: {:?}: {error}", self.pattern));
        Politeness { delay_ms: self.delay_ms.unwrap_or(0), ..Politeness::default() }.check().map_err(own)?;
        self.account.as_ref().map_or(Ok(()), |account| account.check(&self.pattern)).map_err(own)?;
        if self.pages == Some(0) {
            return Err(Error::Config(format!(
                "sites: {:?}: pages of 0; leave the site out of the scope instead",
                self.pattern
            )));
        }
        Ok(())
    }
}

/// All settings of sites, by host.
#[derive(Debug, Default)]
pub struct Sites {
    by_host: HostMap<Site>,
}

#[derive(Debug)]
struct Site {
    settings: SiteSettings,
    /// Where its delay differs.
    politeness: Option<Politeness>,
}

impl Sites {
    /// Compiles them; `politeness` holds where they do not say otherwise.
    ///
    /// # Errors
    /// [`Error::Config`] with the entry: a name that is none, one that is there twice, a value out of range.
    pub fn new(all: &[SiteSettings], politeness: &Politeness) -> Result<Sites> {
        let mut by_host = HostMap::default();
        for settings in all {
            settings.check()?;
            let politeness = settings.delay_ms.map(|delay_ms| Politeness { delay_ms, ..politeness.clone() });
            if !by_host.insert(&settings.pattern, Site { settings: settings.clone(), politeness })? {
                return Err(Error::Config(format!("sites: {:?} is there twice", settings.pattern)));
            }
        }
        Ok(Sites { by_host })
    }

    /// What differs at a host.
    pub fn of(&self, host: &str) -> Option<&SiteSettings> {
        self.by_host.get(host).map(|site| &site.settings)
    }

    /// The pauses of a host, where they differ.
    pub fn politeness(&self, host: &str) -> Option<&Politeness> {
        self.by_host.get(host)?.politeness.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(pattern: &str) -> SiteSettings {
        SiteSettings { pattern: pattern.into(), ..SiteSettings::default() }
    }

    #[test]
    fn the_longest_name_that_fits_decides() {
        let names = ["a.example", "*.a.example", "*.example", "*.b.a.example", "1.2.3.4", "*.北大.example"];
        let sites = Sites::new(&names.map(site), &Politeness::default()).unwrap();
        for (host, want) in [
            ("a.example", Some("a.example")),
            ("a.example.", Some("a.example")),
            ("www.a.example", Some("*.a.example")),
            ("b.a.example", Some("*.b.a.example")),
            ("x.y.b.a.example", Some("*.b.a.example")),
            ("xa.example", Some("*.example")),
            ("example", Some("*.example")),
            ("1.2.3.4", Some("1.2.3.4")),
            ("2.3.4", None),
            ("xn--djrptm67aikb.example", Some("*.example")),
            ("a.example.net", None),
        ] {
            assert_eq!(sites.of(host).map(|s| s.pattern.as_str()), want, "{host}");
        }
        assert!(Sites::default().of("a.example").is_none());
    }

    #[test]
    fn what_is_not_said_is_as_everywhere() {
        let text = "[[sites]]\nmatch = \"a.example\"\ndelay_ms = 9\n[[sites]]\nmatch = \"*.b.example\"\n";
        #[derive(serde::Deserialize)]
        struct Recipe {
            sites: Vec<SiteSettings>,
        }
        let recipe: Recipe = toml::from_str(text).unwrap();
        let polite = Politeness { max_failures: 7, ..Politeness::default() };
        let sites = Sites::new(&recipe.sites, &polite).unwrap();
        let own = sites.politeness("a.example").unwrap();
        assert_eq!((own.delay_ms, own.max_failures), (9, 7));
        assert!(sites.politeness("b.example").is_none() && sites.of("b.example").is_some());
    }

    #[test]
    fn wrong_entries_are_named() {
        for (bad, word) in [
            (vec![site("")], "no host name"),
            (vec![site("http://a.example/")], "no host name"),
            (vec![site("a.example:81")], "named without one, as a.example"),
            (vec![site("*")], "no host name"),
            (vec![site("a.example"), site("A.example.")], "twice"),
            (vec![site("*.a.example"), site("*.a.example")], "twice"),
            (vec![SiteSettings { delay_ms: Some(u64::MAX), ..site("a") }], "delay_ms"),
            (vec![SiteSettings { pages: Some(0), ..site("a") }], "out of the scope"),
            (vec![SiteSettings { account: Some(Account::default()), ..site("a") }], "needs user"),
        ] {
            let message = Sites::new(&bad, &Politeness::default()).unwrap_err().to_string();
            assert!(message.contains(word), "{word}: {message}");
        }
        assert!(toml::from_str::<SiteSettings>("match = \"a\"\ndelay = 3").is_err());
        let nameless: SiteSettings = toml::from_str("delay_ms = 3").unwrap();
        assert!(Sites::new(&[nameless], &Politeness::default()).is_err());
    }
}
