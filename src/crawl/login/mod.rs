//! Logging in before a crawl, and again when a site forgets.
//!
//! **What.** [`login`] fetches the page with the form, fills the form in, sends it, follows where it leads and checks that it
//! worked. What proves who we are from then on are cookies, kept by the [`Fetcher`] for the sites that a login passed
//! through. [`Logins`] holds the logins of a crawl and repeats one when a page shows that it is over.
//!
//! **Secrets.** Requests and responses of a login are stored nowhere and appear in no event; errors name neither values nor
//! queries of URLs.
//!
//! **Politeness.** `pause` lies between any two requests. robots.txt is not asked: the operator names the page.
//!
//! **Bounds.** [`MAX_REDIRECTS`] redirects, pages of 4 MiB, the times of the fetcher.

mod form;
mod options;
mod sessions;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use regex::Regex;

pub use options::{LoginCheck, LoginOptions};
pub use sessions::Logins;

use crate::fetch::{Failure, Fetcher, Method, Received, Request};
use crate::page::plain;
use options::web_url;
use webmill_capture::error::Error;
use webmill_capture::{CanonicalUrl, Response, url_text};

/// Most redirects one after the other.
pub const MAX_REDIRECTS: usize = 10;

/// What a login did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The page with the form.
    pub url: String,
    /// Requests made.
    pub requests: usize,
}

/// Why a login failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoginError {
    /// A page could not be fetched.
    Fetch {
        /// Which, without its query.
        url: String,
        /// Why.
        failure: Failure,
    },
    /// The form could not be filled in or sent.
    Form {
        /// The page that should have it, without its query.
        url: String,
        /// Why.
        reason: String,
    },
    /// The form was sent and the check of success does not hold.
    Refused {
        /// The page that was looked at, without its query.
        url: String,
        /// What does not hold.
        reason: String,
    },
    /// A setting or a secret is missing or wrong.
    Settings(Error),
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoginError::Fetch { url, failure } => write!(f, "login: {url}: {failure}"),
            LoginError::Form { url, reason } => write!(f, "login: {url}: {reason}"),
            LoginError::Refused { url, reason } => write!(f, "login did not work: {url}: {reason}"),
            LoginError::Settings(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoginError {}

impl LoginError {
    /// The error of a crawl that cannot begin for this reason.
    pub fn into_error(self) -> Error {
        match self {
            LoginError::Settings(error) => error,
            other => Error::Config(other.to_string()),
        }
    }
}

/// Logs in. `pause`: between two requests.
///
/// # Errors
/// [`LoginError`]: then nobody is logged in.
pub async fn login(
    fetcher: &Fetcher,
    options: &LoginOptions,
    pause: Duration,
) -> Result<Summary, LoginError> {
    options.check().map_err(LoginError::Settings)?;
    let mut fields = BTreeMap::new();
    for (name, value) in &options.fields {
        let value = value.reveal(&format!("logins, {:?}: field {name}", options.url));
        fields.insert(name.clone(), value.map_err(LoginError::Settings)?);
    }
    let page = options.page().ok_or_else(|| refused(&options.url, "no URL"))?;
    let mut visit = Visit { fetcher, pause, requests: 0 };
    let (page, received) = visit.follow(page).await?;
    let text = form::text_of(&page, &received.raw);
    let action = options.action.as_deref().and_then(web_url);
    let filled = form::fill(&page, &text, action.as_ref(), &fields)
        .map_err(|reason| LoginError::Form { url: shown(&page), reason: reason.into() })?;
    if page.scheme() == "https" && filled.action.scheme() != "https" {
        let reason = "the form would be sent without https".into();
        return Err(LoginError::Form { url: shown(&page), reason });
    }
    let method = Method::Post {
        content_type: "application/x-www-form-urlencoded",
        referer: &page,
        body: &filled.body,
    };
    let answer = visit.fetch(&filled.action, method).await?;
    let (mut landed, mut received) = match target_of(&filled.action, &answer) {
        Some(_) if matches!(answer.status, 307 | 308) => {
            let reason = "the answer asks to send the form elsewhere".into();
            return Err(LoginError::Form { url: shown(&filled.action), reason });
        }
        Some(target) => visit.follow(target).await?,
        None => (filled.action, answer),
    };
    if let Some(url) = options.success.url.as_deref().and_then(web_url) {
        (landed, received) = visit.follow(url).await?;
    }
    check(fetcher, options, &landed, &received)?;
    Ok(Summary { url: options.url.clone(), requests: visit.requests })
}

/// The requests of a login.
struct Visit<'a> {
    fetcher: &'a Fetcher,
    pause: Duration,
    requests: usize,
}

impl Visit<'_> {
    async fn fetch(&mut self, url: &CanonicalUrl, method: Method<'_>) -> Result<Received, LoginError> {
        if self.requests > 0 {
            tokio::time::sleep(self.pause).await;
        }
        self.requests += 1;
        self.fetcher.admit_cookies(url.host());
        let request = Request {
            url,
            method,
            max_body_bytes: form::PAGE_BYTES as u64,
            max_document_bytes: None,
            accept: None,
            keep: true,
            conditional: None,
        };
        loop {
            match self.fetcher.fetch(request).await.result {
                Err(Failure::AddressBusy { wait_ms }) => {
                    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
                }
                Err(failure) => return Err(LoginError::Fetch { url: shown(url), failure }),
                Ok(received) => return Ok(received),
            }
        }
    }

    /// Fetches a page, over redirects.
    async fn follow(&mut self, mut url: CanonicalUrl) -> Result<(CanonicalUrl, Received), LoginError> {
        for _ in 0..=MAX_REDIRECTS {
            let received = self.fetch(&url, Method::Get).await?;
            match target_of(&url, &received) {
                Some(target) => url = target,
                None => return Ok((url, received)),
            }
        }
        Err(LoginError::Form { url: shown(&url), reason: "redirects without end".into() })
    }
}

/// Where an answer redirects to.
fn target_of(url: &CanonicalUrl, received: &Received) -> Option<CanonicalUrl> {
    let head = Response::parse(&received.raw[..received.head_len]);
    let location = head.header("location").filter(|_| (300..400).contains(&received.status))?;
    url.join(&url_text(location)).filter(CanonicalUrl::is_web).map(plain)
}

/// A URL as people are shown it: its query may hold a secret.
fn shown(url: &CanonicalUrl) -> String {
    url.as_str().split('?').next().unwrap_or_default().to_owned()
}

fn refused(url: &str, reason: &str) -> LoginError {
    LoginError::Refused { url: url.to_owned(), reason: reason.to_owned() }
}

/// Whether the login worked.
fn check(
    fetcher: &Fetcher,
    options: &LoginOptions,
    url: &CanonicalUrl,
    received: &Received,
) -> Result<(), LoginError> {
    let success = &options.success;
    let no = |reason: String| Err(refused(&shown(url), &reason));
    let status = received.status;
    match success.status {
        Some(wanted) if wanted != status => return no(format!("status {status}, not {wanted}")),
        None if !(200..300).contains(&status) => return no(format!("status {status}")),
        _ => {}
    }
    if let Some(name) = &success.cookie
        && !fetcher.has_cookie(url, name)
    {
        return no(format!("no cookie {name}"));
    }
    let text = form::text_of(url, &received.raw);
    if let Some(wanted) = &success.text
        && !text.contains(wanted.as_str())
    {
        return no(format!("{wanted:?} does not stand in it"));
    }
    if let Some(pattern) = &success.pattern
        && !Regex::new(pattern).is_ok_and(|regex| regex.is_match(&text))
    {
        return no(format!("{pattern:?} does not match it"));
    }
    let said_nothing = LoginCheck { url: None, ..success.clone() } == LoginCheck::default();
    if said_nothing && form::asks_password(&text) {
        return no("it asks for a password".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
