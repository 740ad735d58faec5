//! A request on a fetching thread: asked for, read, rendered, packed, and handed back to the writer thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use crate::Purpose;
use crate::archive::{ArchiveOptions, Packed, Stored, Via, pack};
use crate::engine::brake::refused_by_head;
use crate::engine::rendered::{ToRender, TreeSnapshot};
use crate::engine::requisites_again::KeptCapture;
use crate::engine::revisit::{EarlierAnswer, Facts, Repeats};
use crate::fetch::{Failure, Fetched, Fetcher, Method, Received, Request};
use crate::page::{PageReader, Reading};
use crate::render::Part;
use crate::scope::Standing;
use crate::secret::request_without_secrets;
use crate::steering::Lead;
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Response};

/// A request with all that is needed to fetch and read what it asks for.
pub(super) struct FetchTask {
    pub url: CanonicalUrl,
    pub purpose: Purpose,
    pub standing: Standing,
    /// What was asked for first, where redirects led here.
    pub origin: Option<String>,
    /// The URL that named it and the way from a seed, where the archive is to tell.
    pub via: Option<(Option<String>, String)>,
    /// What the answer is compared with.
    pub known: Option<EarlierAnswer>,
    /// What it repeats if it is not modified, where what that names is asked for.
    pub kept: Option<KeptCapture>,
    /// Between two requests to the host, ms.
    pub pause_ms: u64,
    /// Whether the connection is kept.
    pub keep: bool,
    /// Whether the head is asked for first, and the body only where its type is taken.
    pub head_first: bool,
    pub max_body_bytes: u64,
    /// Whether what the answer says of its page is kept.
    pub keeps_history: bool,
    pub clock_shift_ms: i64,
    pub render: Option<ToRender>,
    /// What rules want of the page.
    pub leads: Vec<Lead>,
    pub fetcher: Fetcher,
    pub reader: Arc<PageReader>,
    pub archive: ArchiveOptions,
}

/// What a fetch gave, for the writer thread to apply.
pub(super) struct FetchResult {
    pub ticket: usize,
    pub fetched: Fetched,
    pub reading: Option<Reading>,
    /// What a page's answer says of it.
    pub facts: Option<Facts>,
    /// The records to be stored, ready to be appended.
    pub packed: Result<Option<Packed>>,
    /// What the page asked for while it was rendered.
    pub parts: Vec<Part>,
}

impl FetchResult {
    /// Of an answer of which nothing is read or stored.
    fn of(ticket: usize, fetched: Fetched) -> FetchResult {
        FetchResult { ticket, fetched, reading: None, facts: None, packed: Ok(None), parts: Vec::new() }
    }
}

impl FetchTask {
    /// Fetches, and sends what came of it.
    pub async fn run(self, sender: ResultSender) {
        let mut result = FetchResult::of(sender.ticket, self.ask().await);
        if let Ok(received) = &result.fetched.result {
            result.reading = self.read(received);
            let mut tree = None;
            if let Some(render) = &self.render {
                let (page, reading) = (&self.url, &mut result.reading);
                (tree, result.parts) =
                    render.open(page, self.standing, received, &self.reader, reading).await;
            }
            result.facts = self.facts(received, result.reading.as_ref());
            if received.status == 304 {
                result.reading = self.read_kept();
            }
            result.packed = self.pack(&result.fetched, received, result.facts.as_ref(), tree.as_ref());
        }
        // The writer thread may be gone already; then nobody is interested.
        sender.send(result);
    }

    async fn ask(&self) -> Fetched {
        let accept = |status: u16, media_type: &str| self.takes(status, media_type);
        let request = Request {
            url: &self.url,
            method: Method::Get,
            max_body_bytes: self.max_body_bytes,
            accept: Some(&accept),
            keep: self.keep,
            conditional: self.conditional(),
        };
        if self.head_first
            && let Some(refused) = refused_by_head(&self.fetcher, request, self.pause_ms).await
        {
            return refused;
        }
        self.fetcher.fetch(request).await
    }

    /// Whether the body of an answer is wanted.
    fn takes(&self, status: u16, media_type: &str) -> bool {
        self.purpose != Purpose::Page
            || !(200..300).contains(&status)
            || self.reader.scope.answer(&self.url, self.standing, media_type).accepted
    }

    /// What the request says of an earlier answer: ETag and Last-Modified.
    fn conditional(&self) -> Option<(&str, &str)> {
        // What a page is without its scripts says little of what it is with them.
        let known = self.known.as_ref().filter(|_| self.render.is_none())?;
        known.conditions.as_ref().map(|(etag, modified)| (etag.as_str(), modified.as_str()))
    }

    fn read(&self, received: &Received) -> Option<Reading> {
        if self.purpose == Purpose::Robots || received.refused_by_accept {
            return None;
        }
        // A page that makes the reader panic is a bug of ours; it must not cost the crawl.
        let read = AssertUnwindSafe(|| {
            self.reader.read_by(&self.url, self.purpose, self.standing, &received.raw, &self.leads)
        });
        Some(catch_unwind(read).unwrap_or_else(|_| Reading {
            defect: Some("the page could not be read".into()),
            ..Reading::default()
        }))
    }

    /// What an answer without a body names: what the capture does that it repeats.
    fn read_kept(&self) -> Option<Reading> {
        let kept = self.kept.as_ref()?;
        let read = AssertUnwindSafe(|| kept.requisites(&self.reader, &self.url, self.purpose, self.standing));
        catch_unwind(read).ok()
    }

    fn facts(&self, received: &Received, reading: Option<&Reading>) -> Option<Facts> {
        self.keeps_history.then(|| {
            let response = Response::parse(&received.raw);
            Facts::of(&response, reading, self.conditional().is_some())
        })
    }

    /// The records of an answer.
    fn pack(
        &self,
        fetched: &Fetched,
        received: &Received,
        facts: Option<&Facts>,
        tree: Option<&TreeSnapshot>,
    ) -> Result<Option<Packed>> {
        // What was not wanted leaves an event and no hollow record.
        if received.refused_by_accept {
            return Ok(None);
        }
        let revisit = self.known.as_ref().zip(facts).and_then(|(known, facts)| {
            known.revisit(self.url.as_str(), received.status, received.broke_off(), facts)
        });
        // A request that brought nothing new would take as much room as what it brought; the event log says what it was.
        let sent = if revisit.is_some() { Vec::new() } else { request_without_secrets(&fetched.sent) };
        let stored = Stored {
            url: self.url.as_str(),
            origin: self.origin.as_deref(),
            date_ms: fetched.started_ms + self.clock_shift_ms,
            ip: fetched.ip,
            request: &sent,
            raw: &received.raw,
            truncated: received.truncated,
            http2: received.http2,
            page: self.purpose.is_stored() && (200..300).contains(&received.status),
            revisit: revisit.as_ref().map(Repeats::as_revisit),
            via: self.via.as_ref().map(|(url, hops)| Via { url: url.as_deref(), hops }),
            rendered: tree.map(TreeSnapshot::as_stored),
            ..Stored::default()
        };
        pack(&stored, &self.archive)
    }
}

/// Sends a result to the writer thread, also when the fetch panics: else its host would be leased for ever.
pub(super) struct ResultSender {
    ticket: usize,
    results: Sender<FetchResult>,
    sent: bool,
}

impl ResultSender {
    pub fn new(ticket: usize, results: Sender<FetchResult>) -> ResultSender {
        ResultSender { ticket, results, sent: false }
    }

    fn send(mut self, result: FetchResult) {
        self.sent = true;
        let _ = self.results.send(result);
    }
}

impl Drop for ResultSender {
    fn drop(&mut self) {
        if self.sent {
            return;
        }
        let fetched = Fetched {
            started_ms: 0,
            elapsed: Duration::ZERO,
            ip: None,
            sent: Vec::new(),
            result: Err(Failure::Protocol("internal error: the fetch did not end".into())),
        };
        let _ = self.results.send(FetchResult::of(self.ticket, fetched));
    }
}
