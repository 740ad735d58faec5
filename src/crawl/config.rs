//! What a crawl is asked to do: every setting, its unit and its default.

use serde::{Deserialize, Serialize};

use crate::agents::AgentsOptions;
use crate::archive::ArchiveOptions;
use crate::fetch::FetchOptions;
use crate::focus::FocusOptions;
use crate::frontier::Strategy;
use crate::politeness::Politeness;
use crate::priority::PriorityOptions;
use crate::render::RenderOptions;
use crate::revisit::RevisitOptions;
use crate::scope::ScopeOptions;
use crate::secret::{Secret, proxy_without_password, withhold_headers};
use crate::site_settings::{SiteSettings, Sites};
use crate::steering::SteeringOptions;
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;

settings! {
    /// Settings of a crawl; the file `crawl.toml` in its folder holds them.
    #[derive(PartialEq)]
    pub struct CrawlOptions {
        /// Product token that robots.txt files address: letters, `-` and `_`. Default `webmill`.
        pub agent: String = "webmill".into();
        /// Order of fetching. Default breadth-first.
        pub strategy: Strategy = Strategy::default();
        /// Connections at the same time, 1 to 65,536; with one connection the order of fetching depends only on the
        /// answers. Default 256.
        pub connections: usize = 256;
        /// Whether robots.txt is obeyed; to be switched off on one's own servers only. Default true.
        pub obey_robots: bool = true;
        /// Whether the sitemaps that robots.txt files name are read; if they name none, `/sitemap.xml` is tried
        /// when a host has given eight pages or its queue is empty. Default true.
        pub sitemaps: bool = true;
        /// Whether images of pages are fetched too. Default false.
        pub images: bool = false;
        /// Whether URLs that occur only in scripts are followed; scripts are searched, not run. In rendered pages
        /// such URLs are always followed. Default false: they are counted.
        pub script_links: bool = false;
        /// Attempts after the first that failed in a way that may pass, and not for the host's sake: 5.
        #[serde(skip)]
        pub max_retries: u8 = 5;
        /// Memory for everything that grows with the crawl, in bytes: the frontier's queues and filters, bodies,
        /// connections. Default 1 GiB.
        pub memory: u64 = 1 << 30;
        /// Seed of the frontier's hashes: 0.
        #[serde(skip)]
        pub seed: u64 = 0;
        /// When to stop.
        pub limits: CrawlLimits = CrawlLimits::default();
        /// Whether what pages need to be shown is fetched too ([`crate::requisites`]). Default false.
        pub requisites: bool = false;
        /// How hosts are spared.
        pub politeness: Politeness = Politeness::default();
        /// Connections, name resolution, limits of one response.
        pub fetch: FetchOptions = FetchOptions::default();
        /// What belongs to the crawl.
        pub scope: ScopeOptions = ScopeOptions::default();
        /// Rules that say which links are followed.
        pub rules: SteeringOptions = SteeringOptions::default();
        /// Settings for single sites.
        pub sites: Vec<SiteSettings> = Vec::new();
        /// Whether session ids are taken off the URLs that are found ([`crate::rewrite`]). Default true.
        pub strip_session_ids: bool = true;
        /// Whether patterns of URLs whose pages keep being copies are left out ([`crate::duplicate_throttle`]). Default true.
        pub brake: bool = true;
        /// Whether pages are visited again: `never` (no histories of pages are kept), `later` (they are), `due` (pages that were due when
        /// the crawl was opened are), `ever` (it waits for the next page that is due, and goes on for ever). Default `later`.
        pub again: Again = Again::Later;
        /// When pages are due.
        pub revisit: RevisitOptions = RevisitOptions::default();
        /// The order of best-first crawls.
        pub priority: PriorityOptions = PriorityOptions::default();
        /// What focused crawls look for, and how far.
        pub focus: FocusOptions = FocusOptions::default();
        /// Which pages are opened in a browser, for the links that scripts make.
        pub render: RenderOptions = RenderOptions::default();
        /// The shards written.
        pub archive: ArchiveOptions = ArchiveOptions::default();
        /// Events per file of the event log: a million, so that a file is a few hundred MB at most.
        #[serde(skip)]
        pub part_events: u64 = 1_000_000;
        /// Which of several agents this is: each crawls the hosts that consistent hashing gives to it.
        pub agents: AgentsOptions = AgentsOptions::default();
    }
}

/// Whether a crawl visits pages again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Again {
    /// No, and no later crawl can: no histories are kept.
    Never,
    /// Not now: their histories are kept.
    #[default]
    Later,
    /// Those that were due when it was opened.
    Due,
    /// Whenever one is due, for ever.
    Ever,
}

impl Again {
    /// Whether a history of each page is kept.
    pub fn keeps_history(self) -> bool {
        self >= Again::Later
    }

    /// Whether pages that are due are visited.
    pub fn visits(self) -> bool {
        self >= Again::Due
    }

    /// Whether the crawl waits for pages to be due.
    pub fn is_endless(self) -> bool {
        self == Again::Ever
    }
}

settings! {
    /// When a crawl stops although URLs are left; it can go on later with wider limits.
    #[derive(PartialEq)]
    pub struct CrawlLimits {
        /// Pages stored since the crawl began, over all its resumptions.
        pub pages: Option<u64> = None;
        /// Bytes received since the crawl began, over all its resumptions.
        pub bytes: Option<u64> = None;
        /// Seconds since the crawl was opened.
        pub seconds: Option<u64> = None;
        /// Pages stored of one host.
        pub pages_per_host: Option<u64> = None;
    }
}

impl CrawlOptions {
    /// Holds every setting against its range.
    ///
    /// # Errors
    /// [`Error::Config`] names the setting and the range.
    pub fn check(&self) -> Result<()> {
        let token = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_';
        if self.agent.is_empty() || !self.agent.chars().all(token) {
            return Err(Error::Config(format!(
                "agent {:?}: a product token is made of letters, - and _ (RFC 9309)",
                self.agent
            )));
        }
        if !(1..=65_536).contains(&self.connections) {
            return Err(Error::Config(format!("connections {}: 1 to 65536 are possible", self.connections)));
        }
        if self.memory < 16 << 20 {
            return Err(Error::Config(format!("memory {}: at least 16 MiB are needed", self.memory)));
        }
        self.politeness.check()?;
        self.fetch.check()?;
        self.scope.check()?;
        if !self.rules.is_empty() && self.agents.exchange.is_some() {
            return Err(Error::Config(
                "rules cannot steer a crawl that several agents share: what rules lead to is not handed over"
                    .into(),
            ));
        }
        Sites::new(&self.sites, &self.politeness)?;
        self.revisit.check()?;
        self.priority.check()?;
        self.check_focus()?;
        self.render.check()?;
        self.archive.check()?;
        self.agents.check()
    }
}

impl CrawlOptions {
    /// Checks whether the settings of a focused crawl are compatible.
    fn check_focus(&self) -> Result<()> {
        self.focus.check()?;
        let refuse = |why: &str| Err(Error::Config(why.into()));
        if self.strategy != Strategy::Focused {
            return match self.focus == FocusOptions::default() {
                true => Ok(()),
                false => refuse("a topic, tunnel or target is of strategy focused alone"),
            };
        }
        if self.focus.topic.is_none() {
            return refuse("strategy focused needs a topic");
        }
        if !self.rules.is_empty() {
            return refuse(
                "rules say which links are followed, a topic in which order: a crawl has one of both",
            );
        }
        if self.agents.exchange.is_some() {
            return refuse("a focused crawl cannot be shared by several agents: scores are not handed over");
        }
        Ok(())
    }
}

impl CrawlOptions {
    /// The settings without secrets, and the names of those that were taken away: for files and for people.
    pub fn without_secrets(&self) -> (CrawlOptions, Vec<String>) {
        let mut open = self.clone();
        let mut withheld = Vec::new();
        let fetch = &mut open.fetch;
        withheld.extend(withhold_headers(&mut fetch.headers).map(|name| format!("header {name}")));
        for site in &mut open.sites {
            let secrets = site.account.iter_mut().flat_map(|a| a.password.iter_mut().chain(&mut a.token));
            if secrets.map(Secret::withhold).fold(false, |any, one| any | one) {
                withheld.push(format!("the account of {}", site.pattern));
            }
        }
        if let Some(proxy) = &mut fetch.proxy
            && let Some(without) = proxy_without_password(proxy)
        {
            *proxy = without;
            withheld.push("the password of the proxy".into());
        }
        (open, withheld)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Account;
    use crate::secret::SecretName;

    fn with_secrets() -> CrawlOptions {
        let mut options = CrawlOptions::default();
        let fetch = &mut options.fetch;
        fetch.headers = vec![
            ("Accept-Language".into(), "zh".into()),
            ("X-Api-Key".into(), "hush-header".into()),
            ("Cookie".into(), "sid=hush-cookie".into()),
        ];
        fetch.proxy = Some("http=http://u:hush-proxy@p:1,socks5://u:hush@sh-proxy2@q:2".into());
        let account = |user: Option<&str>, password: Option<Secret>, token: Option<&str>| Account {
            user: user.map(str::to_owned),
            password,
            token: token.map(Into::into),
        };
        let named = Secret::Named(SecretName { env: Some("C_PASSWORD".into()), file: None });
        options.sites = [
            ("a.example", account(Some("me"), Some("hush-basic".into()), None)),
            ("*.b.example", account(None, None, Some("hush-token"))),
            ("c.example", account(Some("me"), Some(named), None)),
        ]
        .map(|(host, account)| SiteSettings {
            pattern: host.into(),
            account: Some(account),
            ..SiteSettings::default()
        })
        .into();
        options
    }

    #[test]
    fn settings_that_are_kept_hold_no_secret_and_say_what_they_lack() {
        let options = with_secrets();
        options.check().unwrap();
        let (open, withheld) = options.without_secrets();
        let text = toml::to_string(&open).unwrap();
        assert!(!text.contains("hush") && text.contains("C_PASSWORD") && text.contains("zh"), "{text}");
        assert_eq!(withheld.len(), 5, "{withheld:?}");
        let mut again: CrawlOptions = toml::from_str(&text).unwrap();
        assert_eq!(again, open);
        assert_eq!(
            again.without_secrets().1,
            Vec::<String>::new(),
            "what is withheld already is not told again"
        );
        // One after the other is asked for.
        for part in ["X-Api-Key", "Cookie", "proxy", "a.example", "b.example"] {
            let error = again.check().unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("crawl.toml does not keep"), "{part}: {error}");
            match part {
                "X-Api-Key" => again.fetch.headers[1].1 = "hush".into(),
                "Cookie" => again.fetch.headers[2].1 = "hush".into(),
                "proxy" => again.fetch.proxy = None,
                _ => drop(again.sites.remove(0)),
            }
        }
        again.check().unwrap();
    }
}
