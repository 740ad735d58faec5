//! The logins of a crawl: made before it, and again when a page shows that one is over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use regex::Regex;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{LoginError, LoginOptions, Summary, form, login, target_of};
use crate::fetch::{Fetched, Fetcher, Received, Request};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// The logins of a crawl.
#[derive(Debug, Default)]
pub struct Logins {
    sessions: Vec<Session>,
    again: AtomicU64,
    failed: AtomicU64,
    logged_out: AtomicU64,
}

#[derive(Debug)]
struct Session {
    options: LoginOptions,
    page: CanonicalUrl,
    site: String,
    logged_out: Option<Regex>,
    /// When it was last tried.
    last: Mutex<Option<Instant>>,
}

impl Logins {
    /// The logins that the settings ask for.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Config`] for settings that cannot work.
    pub fn new(options: &[LoginOptions]) -> Result<Logins> {
        let mut sessions = Vec::new();
        for login in options {
            login.check()?;
            let Some(page) = login.page() else { continue };
            sessions.push(Session {
                site: page.registrable_domain().to_owned(),
                logged_out: login.logged_out.as_deref().and_then(|pattern| Regex::new(pattern).ok()),
                options: login.clone(),
                page,
                last: Mutex::new(None),
            });
        }
        Ok(Logins { sessions, ..Logins::default() })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Logs in everywhere.
    ///
    /// # Errors
    /// The first [`LoginError`].
    pub async fn log_in(&self, fetcher: &Fetcher, pause: Duration) -> Result<Vec<Summary>, LoginError> {
        let mut done = Vec::new();
        for session in &self.sessions {
            *session.last.lock().await = Some(Instant::now());
            done.push(login(fetcher, &session.options, pause).await?);
        }
        Ok(done)
    }

    /// Fetches a page; where it shows that one is logged out, logs in again and fetches it once more. `pause`: between two
    /// requests to the host.
    pub async fn fetch(&self, fetcher: &Fetcher, request: Request<'_>, pause: Duration) -> Fetched {
        let begun = Instant::now();
        let fetched = fetcher.fetch(request).await;
        let Some(session) = self.session(request.url) else { return fetched };
        let is_out = |fetched: &Fetched| {
            fetched.result.as_ref().is_ok_and(|received| session.is_out(request.url, received))
        };
        if !is_out(&fetched) {
            return fetched;
        }
        if !self.restore(session, fetcher, begun, pause).await {
            self.logged_out.fetch_add(1, Ordering::Relaxed);
            return fetched;
        }
        tokio::time::sleep(pause).await;
        let again = fetcher.fetch(request).await;
        if is_out(&again) {
            self.logged_out.fetch_add(1, Ordering::Relaxed);
        }
        again
    }

    /// Logs in again, unless somebody did since `begun`, or did too short a time ago; whether another try is worth it.
    async fn restore(&self, session: &Session, fetcher: &Fetcher, begun: Instant, pause: Duration) -> bool {
        // Others that were sent out meanwhile wait for this login.
        let mut last = session.last.lock().await;
        if last.is_some_and(|last| last > begun) {
            return true;
        }
        let every = Duration::from_secs(u64::from(session.options.every_minutes) * 60);
        if last.is_some_and(|last| last.elapsed() < every) {
            return false;
        }
        tokio::time::sleep(pause).await;
        let result = login(fetcher, &session.options, pause).await;
        *last = Some(Instant::now());
        let counter = if result.is_ok() { &self.again } else { &self.failed };
        counter.fetch_add(1, Ordering::Relaxed);
        result.is_ok()
    }

    fn session(&self, url: &CanonicalUrl) -> Option<&Session> {
        if self.sessions.is_empty() {
            return None;
        }
        self.sessions.iter().find(|session| session.site == url.registrable_domain())
    }

    /// What happened after the beginning, in words; nothing where all went well.
    pub fn notes(&self) -> Vec<String> {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut notes = Vec::new();
        for (n, what) in [
            (count(&self.again), "logins were made again"),
            (count(&self.failed), "logins failed while the crawl ran"),
            (count(&self.logged_out), "pages are stored as who is logged out sees them"),
        ] {
            if n > 0 {
                notes.push(format!("{n} {what}"));
            }
        }
        notes
    }
}

impl Session {
    /// Whether a page shows that one is logged out.
    fn is_out(&self, url: &CanonicalUrl, received: &Received) -> bool {
        if let Some(target) = target_of(url, received) {
            return target.host() == self.page.host() && target.path() == self.page.path();
        }
        self.logged_out.as_ref().is_some_and(|regex| regex.is_match(&form::text_of(url, &received.raw)))
    }
}
