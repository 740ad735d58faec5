//! Captures that are added and deleted over HTTP, as OutbackCDX takes them.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use http::header::HeaderMap;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::Shared;
use crate::answer::{Refusal, text};
use crate::cdx::parse_posted;

/// The body of a request, bounded in size and time.
pub async fn gather(shared: &Shared, body: Body) -> Result<Bytes, Refusal> {
    let limited = Limited::new(body, shared.options.max_body_bytes);
    match tokio::time::timeout(shared.options.stall_timeout, limited.collect()).await {
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body of the request did not come")),
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a body has at most {} bytes here", shared.options.max_body_bytes),
        )),
        Ok(Err(error)) => Err(Refusal::bad(format!("the body of the request broke off: {error}"))),
    }
}

/// Adds or deletes the captures whose lines are sent.
pub async fn write(
    shared: &Arc<Shared>,
    collection: &str,
    headers: &HeaderMap,
    parameters: &[(String, String)],
    body: Body,
    delete: bool,
) -> Result<Response, Refusal> {
    let name = shared.collection(collection)?.name.clone();
    let writable = shared.collection(collection)?.writable.clone();
    let writable = writable
        .ok_or_else(|| Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this collection is not written to"))?;
    // A page of another site can make a browser send this; it cannot hide that it did.
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(origin) = header("origin")
        && origin.split_once("://").map(|(_, authority)| authority) != header("host")
    {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "pages of other sites may not write here"));
    }
    let body = gather(shared, body).await?;
    let skip = parameters.iter().any(|(name, value)| name == "badLines" && value == "skip");
    let key = shared.archive.key;
    let shared = Arc::clone(shared);
    let done = tokio::task::spawn_blocking(move || {
        let posted = parse_posted(&String::from_utf8_lossy(&body), key);
        if let (Some((line, why)), false) = (posted.bad.first(), skip) {
            return Err(Refusal::bad(format!("line {line}: {why} (badLines=skip takes the others)")));
        }
        match delete {
            true => writable.delete(&posted.entries)?,
            false => writable.add(&posted.entries)?,
        }
        shared.collection(&name)?.changed();
        let done = if delete { "Deleted" } else { "Added" };
        let mut said = format!("{done} {} records\n", posted.entries.len());
        if posted.bad_lines > 0 {
            said.push_str(&format!("Skipped {} bad lines\n", posted.bad_lines));
        }
        Ok(text(StatusCode::OK, said))
    });
    done.await.unwrap_or_else(|_| {
        Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error (please report)"))
    })
}
