//! Results of visits for each requisite, so that it is compared with the stored copy when a page needs it again.
//!
//! **What it keeps** (layer `requisites`): key of the URL → the bytes of its [`PageHistory`], whose fields have these meanings here:
//! `next_ms` is when it was queued again, while it waits; `interval_ms` that of the page that asked for it again last, where that is known; `rate` is 0. Requisites
//! are in no schedule and in no mean: they follow their pages.
//!
//! **Invariant.** One that waits is not queued again; what its visit finds ([`Frontier::set_requisite`]) ends its waiting.
//!
//! **Cost.** A first visit takes a read that finds nothing and a write; asking again a read and a write.

use super::Frontier;
use crate::revisit::PageHistory;
use crate::task::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// Which requisites of an answer are asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskAgain {
    /// Those that were asked for last before this time, ms since 1970.
    pub before_ms: i64,
    /// How often the page is visited that needs them, ms; 0: it is not known.
    pub interval_ms: i64,
}

impl Frontier {
    /// What visits found of a requisite; `None`: it was not visited.
    ///
    /// # Errors
    /// As [`Frontier::history`].
    pub fn requisite(&self, url: &CanonicalUrl) -> Result<Option<PageHistory>> {
        if self.head.requisites == 0 {
            return Ok(None);
        }
        let Some(bytes) = self.requisites.get(&self.history_key(url).to_be_bytes())? else { return Ok(None) };
        let history = self.parse_history(&bytes)?;
        Ok(Some(history).filter(|history| history.url == url.as_str()))
    }

    /// Keeps what a visit of a requisite found: it waits no more.
    ///
    /// # Errors
    /// As [`Frontier::set_history`].
    pub fn set_requisite(&mut self, url: &CanonicalUrl, history: &PageHistory) -> Result<()> {
        self.keep_requisite(url, &PageHistory { next_ms: None, rate: 0.0, ..history.clone() })
    }

    /// [`Frontier::set_requisite`] for the replay of a visit that the last commit did not know: where the requisite is queued for it, it is
    /// not given out again.
    ///
    /// # Errors
    /// As [`Frontier::set_history`].
    pub fn replay_requisite(&mut self, url: &CanonicalUrl, history: &PageHistory) -> Result<()> {
        if self.is_requisite_queued(url)? {
            self.mark_seen(url)?;
        }
        self.set_requisite(url, history)
    }

    /// Queues a requisite once more, if it was visited, is asked for last before the time that `again` names, and does not wait; whether it
    /// was queued now.
    ///
    /// # Errors
    /// [`Error::Incompatible`], [`Error::Corrupt`], [`Error::Io`].
    pub fn ask_for_requisite(&mut self, found: &Discovered, again: AskAgain) -> Result<bool> {
        let Some(mut history) = self.requisite(&found.url)? else { return Ok(false) };
        if history.next_ms.is_some() || history.tried_ms >= again.before_ms {
            return Ok(false);
        }
        history.next_ms = Some(again.before_ms);
        if again.interval_ms > 0 {
            history.interval_ms = again.interval_ms;
        }
        self.keep_requisite(&found.url, &history)?;
        self.add_again(found)?;
        self.requisites_waiting += 1;
        Ok(true)
    }

    /// A requisite that was queued by other means counts as queued again: no page queues it once more meanwhile.
    ///
    /// # Errors
    /// [`Error::Incompatible`], [`Error::Corrupt`], [`Error::Io`].
    pub fn count_requisite_as_queued(&mut self, url: &CanonicalUrl) -> Result<()> {
        match self.requisite(url)? {
            Some(history) => {
                let next_ms = Some(history.tried_ms);
                self.keep_requisite(url, &PageHistory { next_ms, ..history })
            }
            None => Ok(()),
        }
    }

    /// Whether a requisite was visited, and is queued again.
    ///
    /// # Errors
    /// [`Error::Incompatible`], [`Error::Corrupt`], [`Error::Io`].
    pub fn is_requisite_queued(&self, url: &CanonicalUrl) -> Result<bool> {
        Ok(self.requisite(url)?.is_some_and(|history| history.next_ms.is_some()))
    }

    /// Requisites with a history.
    pub fn requisites_known(&self) -> u64 {
        self.head.requisites
    }

    fn keep_requisite(&mut self, url: &CanonicalUrl, history: &PageHistory) -> Result<()> {
        if history.url != url.as_str() {
            return Err(Error::Internal(format!("the history of {} for {url}", history.url)));
        }
        let key = self.history_key(url).to_be_bytes();
        self.head.requisites += u64::from(self.requisites.get(&key)?.is_none());
        self.requisites.put(key, history.encode());
        Ok(())
    }

    /// A URL is done that was given out.
    pub(super) fn requisite_done(&mut self, purpose: Purpose) {
        if purpose == Purpose::Requisite {
            self.requisites_waiting = self.requisites_waiting.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::{After, FrontierOptions, HistoryCounts, Next, Strategy};

    fn found(url: &str) -> Discovered {
        Discovered {
            url: CanonicalUrl::parse(url).unwrap(),
            purpose: Purpose::Requisite,
            depth: 1,
            redirects: 0,
            origin: None,
            referrer: Some("http://a.example/".into()),
            priority: 0.0,
            lineage: Default::default(),
        }
    }

    fn fetch(frontier: &mut Frontier) -> Vec<String> {
        let mut urls = Vec::new();
        while let Next::Fetch(lease) = frontier.next(1).unwrap() {
            assert_eq!(lease.entry.purpose, Purpose::Requisite);
            urls.push(lease.entry.url.to_string());
            frontier.release(lease, After::Done).unwrap();
        }
        urls
    }

    fn again(before_ms: i64) -> AskAgain {
        AskAgain { before_ms, interval_ms: 50 }
    }

    #[test]
    fn a_requisite_is_queued_again_once_until_its_visit_and_is_in_no_schedule() {
        for (strategy, popularity) in [(Strategy::Breadth, 0.0), (Strategy::Best, 1.0)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("f");
            let options =
                FrontierOptions { memory: 16 << 20, strategy, popularity, ..FrontierOptions::default() };
            let (mut frontier, _) = Frontier::open(&path, &options).unwrap();
            let style = found("http://a.example/a.css");
            assert!(!frontier.ask_for_requisite(&style, again(500)).unwrap(), "it was not visited");
            frontier.add(&style).unwrap();
            assert_eq!(fetch(&mut frontier), ["http://a.example/a.css"]);
            let visited = |at_ms| PageHistory { rate: 2.0, ..PageHistory::new(style.url.as_str(), at_ms) };
            frontier.set_requisite(&style.url, &visited(100)).unwrap();
            assert!(!frontier.ask_for_requisite(&style, again(100)).unwrap(), "not before that time");
            assert!(frontier.ask_for_requisite(&style, again(101)).unwrap());
            assert!(!frontier.ask_for_requisite(&style, again(999)).unwrap(), "it waits");
            frontier.commit(b"x").unwrap();
            frontier.close().unwrap();
            let (mut frontier, _) = Frontier::open(&path, &options).unwrap();
            assert!(!frontier.ask_for_requisite(&style, again(999)).unwrap(), "it waits still");
            let known = frontier.requisite(&style.url).unwrap().unwrap();
            assert_eq!((known.interval_ms, known.rate), (50, 0.0));
            assert_eq!(fetch(&mut frontier), ["http://a.example/a.css"]);
            frontier.set_requisite(&style.url, &visited(200)).unwrap();
            assert!(!frontier.is_requisite_queued(&style.url).unwrap());
            // Its visit is replayed while it waits for it.
            assert!(frontier.ask_for_requisite(&style, again(300)).unwrap());
            frontier.replay_requisite(&style.url, &visited(400)).unwrap();
            assert_eq!(fetch(&mut frontier), [""; 0]);
            frontier.count_requisite_as_queued(&style.url).unwrap();
            assert!(!frontier.ask_for_requisite(&style, again(999)).unwrap());
            // No page has anything of it.
            assert_eq!(frontier.requisites_known(), 1);
            assert_eq!(frontier.history_counts(), HistoryCounts::default());
            assert_eq!((frontier.history(&style.url).unwrap(), frontier.next_due().unwrap()), (None, None));
            assert_eq!(frontier.count_due(i64::MAX - 1, 10).unwrap(), 0);
            frontier.each_history(&mut |_, page| panic!("{}", page.url)).unwrap();
            assert_eq!(frontier.stats().queued, 0);
        }
    }
}
