//! Histories from the capture index of older shards, as if this crawl had made those visits.
//!
//! **Definition.** The captures of a URL become visits in the order of time: the page changed if the digest differs. Whether a text changed only little
//! cannot be told from digests, and validators are not known, so that the first visit of this crawl brings a body; where it is the same as
//! the last capture, its revisit record refers to that by URL and date.
//!
//! **Left out**, by reason: URLs out of scope, of another agent's hosts, or known to this crawl already (so that an import that broke off is made
//! again); captures without a time or an SHA-1; pages that never were there.
//!
//! **Cost.** Captures have to come by key and time, as an index has them; in memory are the pages of one key. **Errors.** The event log
//! has a line for each page, with its history ([`outcome::IMPORTED`]): when the frontier is built again, it is there again.

use crate::engine::Crawl;
use crate::event::{Event, outcome};
use crate::revisit::{Answer, CapturePlace, PageHistory};
use crate::{Counted, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// URLs of one key that are told apart: with and without `www.`, of both schemes, of other letters.
const MOST_OF_A_KEY: usize = 256;
/// Pages between two commits.
const BATCH: u64 = 4_096;
/// End of the detail of an event whose URL the crawl knew already: it waits, or is done.
const KNOWN: &str = "; known to the crawl";
/// Shard of a capture that is in another archive.
const ELSEWHERE: u32 = u32::MAX;

/// A capture as an index has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OldCapture<'a> {
    /// Key by which the index is sorted.
    pub key: &'a str,
    /// URL of the capture.
    pub url: &'a str,
    /// When, ms since 1970; `None` where the index does not say it.
    pub at_ms: Option<i64>,
    /// HTTP status; 0 where there is none.
    pub status: u16,
    /// SHA-1 of the payload in base32.
    pub digest: &'a str,
    /// Media type, as the index has it.
    pub media_type: &'a str,
    /// It stands for an earlier capture with the same payload.
    pub revisit: bool,
}

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// Captures that were offered.
    pub captures: u64,
    /// Pages that have a history now.
    pub pages: u64,
    /// Captures that became visits.
    pub visits: u64,
    /// Captures left out, by reason.
    pub left_out: Counted,
}

/// An import on its way.
pub struct Import<'c> {
    crawl: &'c mut Crawl,
    key: String,
    pages: Vec<Page>,
    done: Imported,
}

struct Page {
    url: CanonicalUrl,
    /// As the index writes it, which need not be how it is asked for.
    written: String,
    history: Option<PageHistory>,
    media_type: String,
}

impl Crawl {
    /// Begins to take in captures of older shards.
    pub fn import(&mut self) -> Import<'_> {
        Import { crawl: self, key: String::new(), pages: Vec::new(), done: Imported::default() }
    }
}

impl Import<'_> {
    /// Takes in the next capture.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn add(&mut self, capture: &OldCapture<'_>) -> Result<()> {
        self.done.captures += 1;
        if capture.key != self.key {
            self.flush()?;
            capture.key.clone_into(&mut self.key);
        }
        if let Err(reason) = self.take(capture)? {
            self.done.left_out.add(&reason);
        }
        Ok(())
    }

    /// Ends the import; what it did.
    ///
    /// # Errors
    /// As [`Import::add`].
    pub fn finish(mut self) -> Result<Imported> {
        self.flush()?;
        self.crawl.commit()?;
        Ok(self.done)
    }

    /// Makes a visit of a capture, or says why not.
    fn take(&mut self, capture: &OldCapture<'_>) -> Result<std::result::Result<(), String>> {
        let refuse = |reason: &str| Ok(Err(reason.to_owned()));
        let Some(at_ms) = capture.at_ms else { return refuse("no-time") };
        if at_ms > self.crawl.now_ms() {
            return refuse("in-the-future");
        }
        let at = match self.pages.iter().position(|page| page.written == capture.url) {
            Some(at) => at,
            None => match self.page(capture.url)? {
                Ok(page) => {
                    self.pages.push(page);
                    self.pages.len() - 1
                }
                Err(reason) => return Ok(Err(reason)),
            },
        };
        let page = &mut self.pages[at];
        let digest = data_encoding::BASE32.decode(capture.digest.to_ascii_uppercase().as_bytes()).ok();
        let digest = digest.and_then(|bytes| <[u8; 20]>::try_from(bytes).ok());
        // A revisit has the status of its 304, or none; its digest says what was seen.
        let status = if capture.revisit { 200 } else { capture.status };
        let answer = match (status, digest) {
            (200..=299, None) => return refuse("no-sha1"),
            (200..=299, Some(digest)) => Answer {
                at_ms,
                status,
                digest: Some(digest),
                capture: Some(CapturePlace { at_ms, shard: ELSEWHERE, offset: 0 }),
                ..Answer::default()
            },
            (300..=399 | 404 | 410, _) if page.history.is_some() => {
                Answer { at_ms, status, ..Answer::default() }
            }
            (300..=399 | 404 | 410, _) => return refuse("not-there"),
            _ => return refuse("no-answer"),
        };
        let host = self.crawl.frontier.state_of(page.url.host())?.unwrap_or_default().visits;
        let history = page.history.get_or_insert_with(|| PageHistory {
            depth: 1,
            priority: self.crawl.priority.of(&page.url, None),
            ..PageHistory::new(page.url.as_str(), at_ms)
        });
        if at_ms < history.tried_ms {
            // The same URL in other letters, or an index that is not in order.
            return refuse("out-of-order");
        }
        capture.media_type.clone_into(&mut page.media_type);
        let suffix = page.url.host().rsplit('.').next().unwrap_or_default();
        let prior = self.crawl.visits.priors.prior(&host.rates, suffix, &page.media_type);
        history.observe(&answer, &self.crawl.visits.scheduler, &prior);
        self.done.visits += 1;
        Ok(Ok(()))
    }

    /// The page of a URL that was not met yet, or why there is none.
    fn page(&self, written: &str) -> Result<std::result::Result<Page, String>> {
        let refuse = |reason: &str| Ok(Err(reason.to_owned()));
        if self.pages.len() >= MOST_OF_A_KEY {
            return refuse("too-many-of-a-key");
        }
        let Some(url) = CanonicalUrl::parse(written).filter(CanonicalUrl::is_web) else {
            return refuse("no-url");
        };
        let crawl = &*self.crawl;
        let url = match crawl.reader.admit(url, crate::scope::Standing::default(), 0) {
            Ok(url) => url,
            Err((_, reason)) => return refuse(reason.reason()),
        };
        if crawl.is_others(url.host()) {
            return refuse("of-another-agent");
        }
        // Two ways to write one URL: the first one counts.
        if self.pages.iter().any(|page| page.url == url) || crawl.frontier.history(&url)?.is_some() {
            return refuse("known-already");
        }
        Ok(Ok(Page { url, written: written.to_owned(), history: None, media_type: String::new() }))
    }

    /// Keeps the histories of the pages of a key.
    fn flush(&mut self) -> Result<()> {
        let crawl = &mut *self.crawl;
        for page in std::mem::take(&mut self.pages) {
            let Some(mut history) = page.history else { continue };
            let known = crawl.frontier.is_seen(&page.url)?;
            if known {
                // It waits, or is done: were it due now it could be asked for twice.
                let later = crawl.now_ms().saturating_add(history.interval_ms);
                history.next_ms = history.next_ms.map(|next| next.max(later));
            }
            let now = crawl.now_ms();
            let mut event = Event::new(page.url.as_str(), Purpose::Page, outcome::IMPORTED, now);
            event.detail = Some(page.media_type + if known { KNOWN } else { "" });
            event.history = Some(data_encoding::BASE64.encode(&history.encode()));
            crawl.keep_import(&event, &page.url, &history)?;
            crawl.log(event);
            self.done.pages += 1;
            if self.done.pages.is_multiple_of(BATCH) {
                crawl.commit()?;
            }
        }
        Ok(())
    }
}

impl Crawl {
    /// Keeps the history of a page that was imported, as its event says.
    fn keep_import(&mut self, event: &Event, url: &CanonicalUrl, history: &PageHistory) -> Result<()> {
        let detail = event.detail.as_deref().unwrap_or_default();
        let known = detail.strip_suffix(KNOWN);
        if known.is_none() {
            self.frontier.mark_seen(url)?;
        }
        if history.rate > 0.0 {
            let suffix = url.host().rsplit('.').next().unwrap_or_default();
            self.visits.priors.count(suffix, known.unwrap_or(detail), None, history.rate);
            self.frontier.change_host(url.host(), &mut |host| {
                host.visits.rates.count(None, history.rate);
            })?;
        }
        self.frontier.set_history(url, history)
    }

    /// Keeps the history that an event of an import has, unless the page has one.
    pub(super) fn replay_import(&mut self, event: &Event, url: &CanonicalUrl) -> Result<()> {
        let bytes = event.history.as_deref().map(|text| data_encoding::BASE64.decode(text.as_bytes()));
        let history = bytes.and_then(|bytes| PageHistory::decode(&bytes.ok()?).ok());
        match history.filter(|history| history.url == url.as_str()) {
            Some(_) if self.frontier.history(url)?.is_some() => Ok(()),
            Some(history) => self.keep_import(event, url, &history),
            None => {
                self.totals.refused.add("import-unreadable");
                Ok(())
            }
        }
    }
}
