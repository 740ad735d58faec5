//! The pages without their servers: configuration, truth, the Web as a function of both.

use serde::{Deserialize, Serialize};

use webmill_capture::error::{Error, Result};

use std::sync::Arc;

use super::draw::Shuffle;
use super::topic_plan::{PageTopic, TopicConfig, TopicPlan};

/// Density exponent of the number of pages of a host.
pub const HOST_EXPONENT: f64 = 7.0 / 3.0;

/// Density exponent of the in-degree by links from other hosts.
pub const IN_EXPONENT: f64 = 15.0 / 7.0;

/// Density exponent of the number of links that a page makes besides its navigation.
pub const OUT_EXPONENT: f64 = 13.0 / 5.0;

/// What kind of Web. The default has small pages of about 2 KB.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Another seed, another Web.
    pub seed: u64,
    /// Number of URLs, redirects and missing pages among them.
    pub pages: u64,
    /// Mean number of pages of a host.
    pub pages_per_host: u64,
    /// Mean number of words of a main text, about.
    pub words: u32,
    /// Least number of links that a page makes besides navigation; the mean is about 2.4 times as much.
    pub links: u32,
    /// Greatest number of such links.
    pub max_links: u32,
    /// Entries of the navigation menu.
    pub navigation: u32,
    /// Advertisements on a page.
    pub advertisements: u32,
    /// Share of Chinese hosts.
    pub chinese: f64,
    /// Share of Chinese hosts that are encoded in GBK.
    pub gbk: f64,
    /// Share of hosts that mirror another.
    pub mirrors: f64,
    /// Share of pages that are exact copies, half of them with the same body, half with the same main text.
    pub copies: f64,
    /// Share of pages that are near copies.
    pub near_copies: f64,
    /// Numbers of replaced words of near copies, drawn alike.
    pub edits: Vec<u32>,
    /// Share of redirects.
    pub redirects: f64,
    /// Share of URLs that answer 404.
    pub missing: f64,
    /// Share of pages with broken markup.
    pub broken: f64,
    /// First moment of the crawl, UTC, ms since 1970.
    pub start_ms: i64,
    /// Length of the crawl in days.
    pub days: u32,
    /// Topics of hosts and pages. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topics: Option<TopicConfig>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            seed: 1,
            pages: 10_000,
            pages_per_host: 50,
            words: 120,
            links: 3,
            max_links: 300,
            navigation: 5,
            advertisements: 2,
            chinese: 0.4,
            gbk: 0.5,
            mirrors: 0.03,
            copies: 0.08,
            near_copies: 0.08,
            edits: vec![1, 2, 4, 8, 16],
            redirects: 0.02,
            missing: 0.02,
            broken: 0.03,
            start_ms: 1_767_225_600_000,
            days: 90,
            topics: None,
        }
    }
}

/// A simulated Web; its pages, links and truth follow from its seed.
#[derive(Clone, Debug)]
pub struct Web {
    pub(super) config: Config,
    pub(super) hosts: u64,
    pub(super) popular: Shuffle,
    pub(super) planted: Option<Arc<TopicPlan>>,
}

/// What a crawler stores of one page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SynthPage {
    /// The URL, canonical.
    pub url: String,
    /// Status of the response.
    pub status: u16,
    /// The HTTP response: status line, headers, blank line, body.
    pub response: Vec<u8>,
    /// Where in `response` the body begins.
    pub body_at: usize,
    /// When it was fetched, UTC, ms since 1970, whole seconds.
    pub date_ms: i64,
    /// Address of the server, from the block for benchmarks.
    pub ip: String,
}

impl SynthPage {
    /// The body of the page as bytes.
    pub fn body(&self) -> &[u8] {
        &self.response[self.body_at..]
    }
}

/// Language of a page.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// English.
    English,
    /// Chinese, simplified.
    Chinese,
}

impl Language {
    /// ISO 639-3.
    pub fn iso639_3(self) -> &'static str {
        match self {
            Language::English => "eng",
            Language::Chinese => "zho",
        }
    }
}

/// What a page is, seen from the pages whose content is their own.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Its content is its own.
    Original,
    /// Its main text is that of page `of`; its whole body too if `whole`.
    Copy {
        /// The original.
        of: u64,
        /// Whether all bytes of the body are the same.
        whole: bool,
    },
    /// Its main text is that of page `of` with `edits` words replaced by others.
    NearCopy {
        /// The original.
        of: u64,
        /// Words that differ.
        edits: u32,
    },
    /// It redirects to page `to`.
    Redirect {
        /// Where to.
        to: u64,
    },
    /// It answers 404.
    Missing,
}

/// Part of a page that a link is in.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Region {
    /// The menu of the site.
    Navigation,
    /// The main text.
    Text,
    /// The list of further links after it.
    Related,
    /// An advertisement; such links are `nofollow`.
    Advertisement,
}

/// A link, as it is on the page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrueLink {
    /// Canonical URL that it leads to.
    pub url: String,
    /// That page; `None` where no such page is in this Web (a mirror that is smaller than its original).
    pub target: Option<u64>,
    /// Its text.
    pub anchor: String,
    /// Where it is.
    pub region: Region,
}

/// The truth about one page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// What it is. For a page of a mirror: what the mirrored page is, but a redirect stays on the mirror.
    pub kind: Kind,
    /// The page of another host whose path and bytes it repeats.
    pub mirror_of: Option<u64>,
    /// Title and headline; empty for redirects and missing pages.
    pub title: String,
    /// Paragraphs of the main text, one a line, without the headline; empty for redirects and missing pages.
    pub main_text: String,
    /// Language of the main text.
    pub language: Language,
    /// Canonical name of the encoding of the body, `UTF-8` or `GBK`.
    pub encoding: &'static str,
    /// Whether its markup breaks rules.
    pub broken: bool,
    /// Its links in document order.
    pub links: Vec<TrueLink>,
    /// Its topic, where there are some and it is a page.
    pub topic: Option<PageTopic>,
}

impl Web {
    /// A Web as configured.
    ///
    /// # Errors
    /// `Config` for shares outside of 0 to 1, shares of kinds that exceed 1 together, and counts of zero or beyond 2⁴⁰.
    ///
    /// # Examples
    /// ```
    /// use webmill_sim::{Config, Web};
    /// let web = Web::new(Config { pages: 100, ..Config::default() })?;
    /// let page = web.page(0);
    /// assert!(page.url.ends_with(".example/") && page.response.starts_with(b"HTTP/1.1 200 OK\r\n"));
    /// assert_eq!(web.find(&page.url), Some(0));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn new(config: Config) -> Result<Self> {
        let c = &config;
        let shares = [c.chinese, c.gbk, c.mirrors, c.copies, c.near_copies, c.redirects, c.missing, c.broken];
        let kinds = c.copies + c.near_copies + c.redirects + c.missing;
        if !shares.iter().all(|share| (0.0..=1.0).contains(share)) || kinds > 1.0 {
            return Err(Error::Config(
                "a synthetic Web: shares must lie in 0 to 1, kinds of pages together too".into(),
            ));
        }
        let range = 1..=1u64 << 40;
        if !range.contains(&c.pages)
            || !range.contains(&c.pages_per_host)
            || c.words == 0
            || c.edits.is_empty()
        {
            return Err(Error::Config(
                "a synthetic Web: pages and pages per host must lie in 1 to 2^40, words and edits must not be empty".into(),
            ));
        }
        if c.words > 1_000_000 || c.max_links > 100_000 || c.navigation > 10_000 || c.advertisements > 1_000 {
            return Err(Error::Config(
                "a synthetic Web: at most 1000000 words, 100000 links, 10000 menu entries, 1000 advertisements a page".into(),
            ));
        }
        let hosts = c.pages.div_ceil(c.pages_per_host);
        let popular = Shuffle::new(c.pages, c.seed ^ 0x706F_7075_6C61_7221);
        let mut web = Web { config, hosts, popular, planted: None };
        if let Some(topics) = &web.config.topics {
            let plan = TopicPlan::new(topics, web.config.seed, hosts)?;
            let own = (0..hosts).filter(|host| web.mirrored_host(*host).is_none());
            web.planted = Some(Arc::new(plan.plant(own.map(|host| (host, web.host_size(host))))));
        }
        Ok(web)
    }

    /// Number of pages.
    pub fn len(&self) -> u64 {
        self.config.pages
    }

    /// Never: a Web has at least one page.
    pub fn is_empty(&self) -> bool {
        self.config.pages == 0
    }

    /// Number of hosts.
    pub fn hosts(&self) -> u64 {
        self.hosts
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }
}
