//! Queries of the capture index.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::StatusCode;
use http::header::{CONTENT_ENCODING, HeaderValue, VARY};
use tokio::sync::oneshot;

use crate::index::CaptureSource;
use crate::index::query::{Dialect, EarlyEnd, MatchType, Query, QueryEnd, Row};

use super::guard::Guarded;
use super::{RequestHead, Shared, turn};
use crate::answer::{Refusal, set, whole};
use crate::cdx::{RowWriter, XmlWriter, xml_pairs};
use crate::stream::{CHUNK, Chunks, TimedSource, chunks};

/// Lines of an index that are looked at without a thread of their own.
const AT_ONCE_LINES: u64 = 512;

/// Whatever writes an answer.
enum Writer {
    Rows(RowWriter),
    Xml(XmlWriter),
}

impl Writer {
    fn row(&mut self, row: &Row<'_, '_>) {
        match self {
            Writer::Rows(rows) => rows.row(row),
            Writer::Xml(xml) => xml.row(row),
        }
    }

    fn end(&mut self, end: &QueryEnd) {
        match self {
            Writer::Rows(rows) => rows.end(end),
            Writer::Xml(xml) => xml.end(),
        }
    }

    fn out(&mut self) -> &mut String {
        match self {
            Writer::Rows(rows) => &mut rows.out,
            Writer::Xml(xml) => &mut xml.out,
        }
    }

    fn media_type(&self) -> &'static str {
        match self {
            Writer::Rows(rows) => rows.media_type(),
            Writer::Xml(_) => "application/xml",
        }
    }
}

/// Answers a query in the words of a dialect.
pub async fn cdx(
    shared: &Arc<Shared>,
    collection: &str,
    pairs: &[(String, String)],
    dialect: Dialect,
    asked: RequestHead,
) -> Result<Response, Refusal> {
    let held = shared.collection(collection)?;
    let pairs = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let query = Query::parse(pairs, dialect, shared.archive.key, &shared.options.limits)?;
    let writer = Writer::Rows(RowWriter::new(&query, &held.name));
    let name = held.name.clone();
    answer(shared, &name, query, writer, asked).await
}

/// Answers a query in OpenWayback's XML.
pub async fn xml(
    shared: &Arc<Shared>,
    collection: &str,
    q: &str,
    asked: RequestHead,
) -> Result<Response, Refusal> {
    let held = shared.collection(collection)?;
    let pairs = xml_pairs(q);
    let pairs = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let query = Query::parse(pairs, Dialect::Outback, shared.archive.key, &shared.options.limits)?;
    let prefix = query.match_type == MatchType::Prefix;
    let writer = Writer::Xml(XmlWriter::new(&query, prefix, &super::now().to_string()));
    let name = held.name.clone();
    answer(shared, &name, query, writer, asked).await
}

async fn answer(
    shared: &Arc<Shared>,
    collection: &str,
    query: Query,
    mut writer: Writer,
    asked: RequestHead,
) -> Result<Response, Refusal> {
    let held = shared.collection(collection)?;
    let media_type = writer.media_type();
    let zipped = query.dialect == Dialect::Wayback && query.gzip && asked.takes_gzip;
    let most = query.most_rows();
    let pages = query.show_num_pages || query.show_paged_index;
    if query.match_type == MatchType::Exact && !pages && !zipped && query.page.is_none() {
        let index = Guarded::new(held.index.as_ref(), &held.access, &asked.who);
        let short = query.clone().scanning_at_most(AT_ONCE_LINES);
        let before = writer.out().len();
        let end = short.run(&index, &mut |row| {
            writer.row(row);
            ControlFlow::Continue(())
        })?;
        if end.cut != Some(EarlyEnd::Scanned) {
            writer.end(&end);
            let body = std::mem::take(writer.out());
            return Ok(finish(whole(StatusCode::OK, media_type, body), most, false));
        }
        // More than a few lines: from the start, on a thread.
        writer.out().truncate(before);
        if let Writer::Rows(_) = writer {
            writer = Writer::Rows(RowWriter::new(&query, &held.name));
        }
    }
    let body = long(shared, collection, query, writer, zipped, asked).await?;
    Ok(finish(whole(StatusCode::OK, media_type, body), most, zipped))
}

fn finish(mut response: Response, most_rows: u64, zipped: bool) -> Response {
    let headers = response.headers_mut();
    // So that an answer of this number of rows can be recognised as perhaps cut.
    headers.insert("x-max-rows", HeaderValue::from(most_rows));
    if zipped {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    }
    response
}

/// How an answer begins.
enum AnswerStart {
    /// It is whole already.
    Whole(Vec<u8>),
    /// Its first chunk waits.
    Begun,
}

/// Answers on a thread, chunk by chunk.
async fn long(
    shared: &Arc<Shared>,
    collection: &str,
    query: Query,
    writer: Writer,
    zipped: bool,
    asked: RequestHead,
) -> Result<Body, Refusal> {
    let turn = turn(shared, asked.peer).await?;
    let (chunks, taken) = chunks(asked.started + shared.options.request_timeout);
    let (early, begun) = oneshot::channel();
    let (shared, collection) = (Arc::clone(shared), collection.to_owned());
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let mut sending = AnswerSender {
            chunks,
            early: Some(early),
            zip: zipped.then(|| GzEncoder::new(Vec::new(), Compression::fast())),
        };
        let result = match shared.collection(&collection) {
            Ok(held) => {
                let index = Guarded::new(held.index.as_ref(), &held.access, &asked.who);
                walk(&query, &index, writer, &mut sending)
            }
            Err(refusal) => Err(refusal),
        };
        sending.finish(result);
    });
    match begun.await {
        Ok(Ok(AnswerStart::Whole(body))) => Ok(Body::from(body)),
        Ok(Ok(AnswerStart::Begun)) => Ok(taken.into_body()),
        Ok(Err(refusal)) => Err(refusal),
        Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error (please report)")),
    }
}

/// The way of an answer to the client.
struct AnswerSender {
    chunks: Chunks,
    /// Until the first chunk is sent: a failure can still be said in words.
    early: Option<oneshot::Sender<Result<AnswerStart, Refusal>>>,
    zip: Option<GzEncoder<Vec<u8>>>,
}

impl AnswerSender {
    /// Takes the output, compressed where asked for.
    fn bytes(&mut self, out: &mut String) -> Vec<u8> {
        let text = std::mem::take(out).into_bytes();
        match &mut self.zip {
            None => text,
            Some(zip) => {
                // Writing to memory does not fail.
                let _ = zip.write_all(&text);
                std::mem::take(zip.get_mut())
            }
        }
    }

    /// Sends the output. `false`: nobody wants more.
    fn send(&mut self, out: &mut String) -> bool {
        if self.chunks.is_over() {
            return false;
        }
        let bytes = self.bytes(out);
        if bytes.is_empty() {
            return true;
        }
        if let Some(early) = self.early.take() {
            let _ = early.send(Ok(AnswerStart::Begun));
        }
        self.chunks.send(bytes.into())
    }

    fn finish(mut self, result: Result<String, Refusal>) {
        match (result, self.early.take()) {
            (Ok(mut rest), early) => {
                let mut bytes = self.bytes(&mut rest);
                if let Some(zip) = self.zip.take() {
                    bytes.extend(zip.finish().unwrap_or_default());
                }
                match early {
                    Some(early) => {
                        let _ = early.send(Ok(AnswerStart::Whole(bytes)));
                    }
                    None if !self.chunks.send(bytes.into()) => self.chunks.break_off(),
                    None => {}
                }
            }
            (Err(refusal), Some(early)) => {
                let _ = early.send(Err(refusal));
            }
            (Err(_), None) => self.chunks.break_off(),
        }
    }
}

/// Walks, and gives the output at the end.
fn walk(
    query: &Query,
    index: &dyn CaptureSource,
    mut writer: Writer,
    sending: &mut AnswerSender,
) -> Result<String, Refusal> {
    let busy =
        || Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the answer takes too long: ask for a part of it");
    let over = {
        // The clock and the client are looked at by a walk that borrows both.
        let (closed, deadline) = sending.chunks.watch();
        move || closed.is_closed() || std::time::Instant::now() >= deadline
    };
    let timed = TimedSource::new(index, &over);
    if let (true, Writer::Rows(rows)) = (query.show_num_pages || query.show_paged_index, &mut writer) {
        let pages = match query.show_num_pages {
            true => query.pages(&timed)?,
            false => query.paged_index(&timed, &mut |line| {
                rows.page_line(line);
                ControlFlow::Continue(())
            })?,
        };
        if timed.stopped() {
            return Err(busy());
        }
        if query.show_num_pages {
            rows.pages(&pages);
        }
        return Ok(std::mem::take(&mut rows.out));
    }
    let end = query.run(&timed, &mut |row| {
        writer.row(row);
        if writer.out().len() < CHUNK || sending.send(writer.out()) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    if let (Some(pages), Dialect::Pywb, Some(page)) = (end.past_last_page, query.dialect, query.page) {
        // The wording of pywb, which clients read.
        let last = pages.pages.saturating_sub(1);
        return Err(Refusal::bad(format!("Page {page} invalid: First Page is 0, Last Page is {last}")));
    }
    let told = end.cut == Some(EarlyEnd::Scanned) && end.resume_key.is_some();
    if timed.stopped() || matches!(end.cut, Some(EarlyEnd::Stopped | EarlyEnd::Scanned)) && !told {
        return Err(busy());
    }
    writer.end(&end);
    Ok(std::mem::take(writer.out()))
}

/// Sets the links of an answer about a URL.
pub fn with_links(mut response: Response, links: &str) -> Response {
    set(&mut response, "link", links);
    response
}
