//! Pages whose links scripts make: opened in a headless Chromium, which asks through this crawl alone.
//!
//! **What.** A page whose URL matches one of the `patterns` is fetched like every other. If it is a page of markup, it is then
//! opened in a browser ([`webmill_render`]), which gets the answer that is there and asks for everything else by way of
//! [`Render`]: robots.txt of each host, the pause of each host, one connection a host, the filter of addresses and the proxy of
//! the [`Fetcher`] hold for these requests too. Their answers are stored byte for byte; links come from the tree as it was
//! when the page had come to rest, those of its scripts too (nothing is clicked: what a handler names is read), and that tree
//! is stored beside the answer.
//!
//! **What holds.** The page's own host is leased to it, so nobody else of this crawl asks it meanwhile. Of other hosts the
//! fetcher lets one request through at a time, whoever asks; the pause between two is kept among rendered pages, and between
//! those and the rest of the crawl by the delay of the address. What a page needs and several pages share (scripts, styles, fonts,
//! pictures) is asked for once.
//!
//! **Where it fails.** A page that cannot be rendered is stored as it came, with its own links, and its event says why.

mod answers;
mod exchange;
mod options;
mod pace;
mod robots;
mod tree;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use regex::RegexSet;

use crate::Counted;
use crate::archive::{ArchiveOptions, Packed};
use crate::config::CrawlOptions;
use crate::event::Event;
use crate::fetch::Fetcher;
use crate::page::PageReader;
use crate::politeness::Politeness;
use crate::robots::Robots;
use crate::scope::Standing;
use crate::site_settings::Sites;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;
use webmill_render::{Renderer, RendererOptions};

use self::answers::SharedAnswers;
use self::exchange::PageExchange;
pub use self::options::RenderOptions;
use self::options::compile;
use self::pace::Pace;
use self::robots::RulesByOrigin;
pub(crate) use self::tree::{CONTENT_TYPE, Tree, as_answer};

/// Memory for answers that several pages share, in bytes.
const SHARED_BYTES: u64 = 64 << 20;

/// What rendered pages share.
pub(crate) struct Render {
    patterns: RegexSet,
    block: RegexSet,
    reader: Arc<PageReader>,
    renderer: Renderer,
    fetcher: Fetcher,
    archive: ArchiveOptions,
    max_body_bytes: u64,
    keep_alive_ms: u64,
    politeness: Politeness,
    obey_robots: bool,
    sites: Sites,
    pace: Pace,
    rules: RulesByOrigin,
    shared: SharedAnswers,
}

/// A page to be rendered: the known facts about it already.
pub(crate) struct Page<'a> {
    pub url: &'a CanonicalUrl,
    /// Its answer.
    pub raw: &'a [u8],
    pub standing: Standing,
    /// The rules of its own origin.
    pub rules: Option<Arc<Robots>>,
    /// The pause of its own host.
    pub pause: Duration,
}

/// What became of a page in the browser.
#[derive(Default)]
pub(crate) struct Visit {
    /// The tree; `None` where there is none.
    pub tree: Option<Tree>,
    /// What went wrong.
    pub defect: Option<String>,
    /// Requests that were not made, or failed, by reason.
    pub refused: Counted,
    /// What was asked for on behalf of the page, in the order of the answers.
    pub parts: Vec<Part>,
}

/// An answer to a request that a page made.
pub(crate) struct Part {
    pub url: CanonicalUrl,
    /// All but its place.
    pub event: Event,
    pub packed: Option<Packed>,
    /// Not a page but what pages are made of: it need not be asked for again.
    pub is_asset: bool,
}

impl Render {
    /// The renderer; `None` if no pages are to be rendered. Within the runtime of `fetcher`.
    ///
    /// # Errors
    /// `Error::Config`: expressions that cannot be read, no browser on this machine; `Error::Io`.
    pub(crate) async fn new(
        options: &CrawlOptions,
        fetcher: &Fetcher,
        reader: Arc<PageReader>,
    ) -> Result<Option<Arc<Render>>> {
        let render = &options.render;
        if render.patterns.is_empty() {
            return Ok(None);
        }
        let browser = RendererOptions { sandbox: render.sandbox, ..render.browser.clone() };
        Ok(Some(Arc::new(Render {
            patterns: compile("render.patterns", &render.patterns)?,
            block: compile("render.block", &render.block)?,
            renderer: Renderer::new(&browser, &options.fetch.user_agent).await?,
            fetcher: fetcher.clone(),
            reader,
            archive: options.archive.clone(),
            max_body_bytes: options.fetch.max_body_bytes.min(render.browser.max_bytes),
            keep_alive_ms: options.fetch.keep_alive_ms,
            politeness: options.politeness.clone(),
            obey_robots: options.obey_robots,
            sites: Sites::new(&options.sites, &options.politeness)?,
            pace: Pace::default(),
            rules: RulesByOrigin::new(&options.agent),
            shared: SharedAnswers::new(SHARED_BYTES),
        })))
    }

    /// What the operator should know.
    pub(crate) fn unsafe_because(&self) -> Option<&'static str> {
        self.renderer.unsafe_because()
    }

    /// Whether a page of this URL is to be rendered.
    pub(crate) fn wants(&self, url: &CanonicalUrl) -> bool {
        self.patterns.is_match(url.as_str())
    }

    /// The pauses of a host.
    fn polite(&self, host: &str) -> &Politeness {
        self.sites.politeness(host).unwrap_or(&self.politeness)
    }

    /// The pause of a host, as far as its robots.txt has no say.
    fn delay(&self, host: &str) -> Duration {
        Duration::from_millis(self.polite(host).delay_ms)
    }

    /// Ends the browser; pages in it are not rendered.
    pub(crate) fn close(&self) {
        self.renderer.close();
    }

    /// Opens a page that was fetched in the browser.
    pub(crate) async fn visit(self: &Arc<Self>, page: Page<'_>) -> Visit {
        if let Some(rules) = &page.rules {
            self.rules.set(page.url, rules.clone());
        }
        // It was asked just now.
        self.pace.rest(page.url.host(), page.pause).await;
        let exchange = Arc::new(PageExchange::new(
            self.clone(),
            page.url,
            page.standing,
            Bytes::copy_from_slice(page.raw),
        ));
        let rendered = self.renderer.render(page.url, exchange.clone()).await;
        let mut visit = Visit { parts: exchange.take_parts(), ..Visit::default() };
        let rendered = match rendered {
            Ok(rendered) => rendered,
            Err(error) => {
                visit.defect = Some(format!("not rendered: {error}"));
                visit.refused.add("render-failed");
                return visit;
            }
        };
        for (reason, n) in rendered.refused.iter().chain(&rendered.failed) {
            visit.refused.add_many(&format!("render-{reason}"), *n);
        }
        if rendered.popups > 0 {
            visit.refused.add_many("render-popup", rendered.popups);
        }
        visit.defect = if rendered.crashed {
            Some("not rendered: the page's process died, or took too much memory".into())
        } else if rendered.html.is_empty() {
            Some("not rendered: the page did not answer".into())
        } else if rendered.cut {
            Some("rendered: the tree is cut".into())
        } else if rendered.timed_out {
            Some("rendered: taken before it came to rest".into())
        } else {
            None
        };
        if rendered.html.is_empty() {
            visit.refused.add("render-failed");
        } else {
            visit.tree = Some(Tree::new(page.url, rendered));
        }
        visit
    }
}
