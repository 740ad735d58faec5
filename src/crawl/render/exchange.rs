//! A request of a page, through all that a crawl owes to hosts.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::answers::{is_asset, key};
use super::pace::Turn;
use super::{Part, Render};
use crate::Purpose;
use crate::archive::{Stored, pack};
use crate::event::{Event, outcome};
use crate::fetch::{Failure, Fetched, Method, Request};
use crate::scope::Standing;
use crate::secret::request_without_secrets;
use webmill_capture::error::Result as Packing;
use webmill_capture::{CanonicalUrl, Response};
use webmill_render::{Answer, Exchange, NoAnswer, PageRequest};

/// How often a request is tried again whose address is too busy.
const BUSY: usize = 30;

/// An answer, and its records.
pub(super) struct RecordedAnswer {
    url: CanonicalUrl,
    pub(super) raw: Bytes,
    pub(super) status: u16,
    pub(super) broke_off: bool,
    fetched: Fetched,
}

impl Render {
    /// Asks a host in its turn; it rests for `pause` after that, or for longer where it wants to.
    pub(super) async fn ask(
        &self,
        mut turn: Turn,
        url: &CanonicalUrl,
        headers: &[(String, String)],
        max_body_bytes: u64,
        pause: Duration,
    ) -> Result<RecordedAnswer, Failure> {
        let keep = pause.as_millis() <= u128::from(self.keep_alive_ms);
        let mut tries = 0;
        let mut fetched = loop {
            let request =
                Request { url, method: Method::Get, max_body_bytes, accept: None, keep, conditional: None };
            let fetched = self.fetcher.fetch_for_page(request, headers).await;
            tries += 1;
            match &fetched.result {
                // Nothing was asked: the address has too much to do for other hosts.
                Err(failure) if failure.name() == outcome::RETRY && tries < BUSY => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                _ => break fetched,
            }
        };
        let received = match &mut fetched.result {
            Ok(received) => received,
            Err(failure) => {
                turn.rest(pause.max(Duration::from_millis(self.polite(url.host()).backoff_ms)));
                return Err(failure.clone());
            }
        };
        let now = fetched.started_ms;
        let asked_for = Response::parse(&received.raw[..received.head_len])
            .header("retry-after")
            .filter(|_| matches!(received.status, 429 | 503))
            .and_then(|value| self.polite(url.host()).retry_after(value, now));
        turn.rest(pause.max(Duration::from_millis(asked_for.unwrap_or(0))));
        let raw = Bytes::from(std::mem::take(&mut received.raw));
        let (status, broke_off) = (received.status, received.broke_off());
        Ok(RecordedAnswer { url: url.clone(), raw, status, broke_off, fetched })
    }
}

/// Answers the requests of one page.
pub(super) struct PageExchange {
    render: Arc<Render>,
    url: CanonicalUrl,
    standing: Standing,
    /// The page's own answer, which was fetched before, and whether the page has it.
    first: Mutex<(Bytes, bool)>,
    parts: Mutex<Vec<Part>>,
}

impl PageExchange {
    pub(super) fn new(
        render: Arc<Render>,
        url: &CanonicalUrl,
        standing: Standing,
        raw: Bytes,
    ) -> PageExchange {
        PageExchange {
            render,
            url: url.clone(),
            standing,
            first: Mutex::new((raw, false)),
            parts: Mutex::default(),
        }
    }

    /// What was asked for so far.
    pub(super) fn take_parts(&self) -> Vec<Part> {
        std::mem::take(&mut *self.parts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn answer(&self, request: PageRequest) -> Result<Bytes, NoAnswer> {
        if request.document {
            let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
            if !std::mem::replace(&mut first.1, true) {
                return Ok(first.0.clone());
            }
        }
        let render = &self.render;
        let key = key(request.url.as_str(), &request.headers);
        if let Some(raw) = render.shared.get(&key) {
            return Ok(raw);
        }
        if render.block.is_match(request.url.as_str()) {
            return Err(NoAnswer::Refused("blocked"));
        }
        if render.reader.scope.requisite(&request.url, self.standing).is_err() {
            return Err(NoAnswer::Refused(outcome::OUT_OF_SCOPE));
        }
        let host = request.url.host();
        let mut pause = render.delay(host);
        if render.obey_robots {
            let note = |asked: RecordedAnswer| self.note(&asked, Purpose::Robots);
            let Some(rules) = render.rules.of(&request.url, render, &note).await else {
                return Err(NoAnswer::Refused(outcome::ROBOTS_UNREACHABLE));
            };
            if !rules.check(&request.url).allowed {
                return Err(NoAnswer::Refused(outcome::ROBOTS_DENIED));
            }
            if let Some(asked_for) = rules.crawl_delay() {
                pause =
                    pause.max(Duration::from_millis(render.polite(host).crawl_delay_ms(asked_for).into()));
            }
        }
        let Some(turn) = render.pace.turn(host, pause).await else {
            return Err(NoAnswer::Refused("host-rests"));
        };
        // Another page may have asked for it meanwhile.
        if let Some(raw) = render.shared.get(&key) {
            return Ok(raw);
        }
        let asked = render.ask(turn, &request.url, &request.headers, render.max_body_bytes, pause).await;
        let asked = asked.map_err(|failure| match failure {
            Failure::PrivateAddress(_) => NoAnswer::Refused(outcome::PRIVATE_ADDRESS),
            Failure::AddressOutOfScope(_) => NoAnswer::Refused(outcome::OUT_OF_SCOPE),
            other => NoAnswer::Failed(other.name()),
        })?;
        if !asked.broke_off && asked.fetched.result.as_ref().is_ok_and(|r| r.truncated.is_none()) {
            render.shared.put(key, &asked.raw, &request.headers);
        }
        self.note(&asked, Purpose::Requisite);
        Ok(asked.raw)
    }

    /// Makes the records of an answer, and its event.
    fn note(&self, asked: &RecordedAnswer, purpose: Purpose) {
        let Ok(received) = &asked.fetched.result else { return };
        let fetched = &asked.fetched;
        let media_type = Response::parse(&asked.raw).media_type().unwrap_or_default();
        let is_asset = purpose == Purpose::Requisite && asked.status == 200 && is_asset(&media_type);
        let stored = Stored {
            url: asked.url.as_str(),
            date_ms: fetched.started_ms,
            ip: fetched.ip,
            request: &request_without_secrets(&fetched.sent),
            raw: &asked.raw,
            truncated: received.truncated,
            http2: received.http2,
            page: is_asset,
            ..Stored::default()
        };
        let packed: Packing<_> = pack(&stored, &self.render.archive);
        let mut event = Event::new(asked.url.as_str(), purpose, outcome::PART, fetched.started_ms);
        event.status = Some(asked.status);
        event.bytes = asked.raw.len() as u64;
        event.elapsed_ms = u32::try_from(fetched.elapsed.as_millis()).unwrap_or(u32::MAX);
        event.ip = fetched.ip.map(|ip| ip.to_string());
        event.protocol = Some(if received.http2 { "h2" } else { "http/1.1" }.into());
        event.depth = self.standing.depth;
        event.referrer = Some(self.url.as_str().to_owned());
        let packed = packed.unwrap_or_else(|error| {
            event.detail = Some(error.to_string());
            None
        });
        let part = Part { url: asked.url.clone(), event, packed, is_asset };
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
    }
}

impl Exchange for PageExchange {
    fn opened(&self) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).1 = false;
    }

    fn exchange(
        &self,
        request: PageRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, NoAnswer>> + Send + '_>> {
        Box::pin(async move { self.answer(request).await.map(|raw| Answer { raw }) })
    }
}
