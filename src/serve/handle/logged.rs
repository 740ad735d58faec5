//! Tells the log of an answer once its body is done, however it ends.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use webmill_capture::date::now_ms;

use crate::log::{LoggedRequest, RequestLog};

/// The same answer with an eye on its body.
pub fn watch(
    response: Response,
    log: &RequestLog,
    peer: Option<IpAddr>,
    method: &str,
    target: &str,
    started: Instant,
) -> Response {
    let request = LoggedRequest {
        peer,
        method: method.to_owned(),
        target: target.to_owned(),
        status: response.status().as_u16(),
        bytes: 0,
        micros: 0,
        broken: false,
        at_ms: now_ms(),
    };
    // Answers without a body to send are whole as they are.
    let whole = method == "HEAD" || response.body().is_end_stream();
    let log = Arc::clone(log);
    response.map(|body| Body::new(Eye { body, request, log, started, whole }))
}

struct Eye {
    body: Body,
    request: LoggedRequest,
    log: RequestLog,
    started: Instant,
    whole: bool,
}

impl Drop for Eye {
    fn drop(&mut self) {
        self.request.micros = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.request.broken = !self.whole;
        (self.log)(&self.request);
    }
}

impl HttpBody for Eye {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let poll = Pin::new(&mut self.body).poll_frame(context);
        match &poll {
            Poll::Ready(Some(Ok(frame))) => {
                self.request.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                self.whole = self.body.is_end_stream();
            }
            Poll::Ready(None) => self.whole = true,
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        poll
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
