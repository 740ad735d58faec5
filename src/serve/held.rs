//! Answers that are held until their client has taken them, in memory that is bounded for all together.
//!
//! **What.** A whole answer takes its bytes from the bound before its thread ends, and gives them back when its last piece is handed to
//! the connection. Who reads slowly is ended by the connection's own times, so that nobody waits for long.
//!
//! **Cost.** A semaphore of pages of 4 KiB; an answer larger than the bound goes out alone.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes that a permit stands for.
const UNIT: u64 = 4096;
/// Bytes that are handed over at a time: what a connection holds besides.
const PIECE: usize = 64 << 10;

/// Memory for answers on their way.
pub struct Sending {
    units: u32,
    free: Arc<Semaphore>,
}

impl Sending {
    /// Of `bytes` for all answers.
    pub fn new(bytes: u64) -> Sending {
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX).clamp(1, 1 << 28);
        Sending { units, free: Arc::new(Semaphore::new(units as usize)) }
    }

    /// Takes memory for a whole answer, on a thread that may wait; an answer that is larger than all there is takes all. `None`: it
    /// was not free in time.
    pub fn hold(&self, response: Response, patience: Duration) -> Option<Response> {
        let Some(bytes) = response.body().size_hint().exact().filter(|bytes| *bytes > 0) else {
            return Some(response);
        };
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.units);
        let free = Arc::clone(&self.free).acquire_many_owned(units);
        let permit = Handle::current().block_on(tokio::time::timeout(patience, free)).ok()?.ok()?;
        Some(
            response.map(|body| {
                Body::new(HeldBody { body, rest: Bytes::new(), left: bytes, permit: Some(permit) })
            }),
        )
    }
}

/// The body of such an answer.
struct HeldBody {
    body: Body,
    rest: Bytes,
    left: u64,
    permit: Option<OwnedSemaphorePermit>,
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        while self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                end => {
                    self.permit = None;
                    return Poll::Ready(end);
                }
            }
        }
        let piece = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(piece);
        self.left = self.left.saturating_sub(piece.len() as u64);
        if self.left == 0 {
            self.permit = None;
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[test]
    fn answers_wait_until_others_are_taken() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let _guard = runtime.enter();
        let sending = Sending::new(1 << 20);
        let answer = |bytes: usize| Response::new(Body::from(vec![7u8; bytes]));
        let (short, long) = (Duration::from_millis(20), Duration::from_secs(60));
        let first = sending.hold(answer(900 << 10), short).unwrap();
        assert!(sending.hold(answer(200 << 10), short).is_none());
        assert!(sending.hold(answer(0), short).is_some());
        let taken = runtime.block_on(first.into_body().collect()).unwrap().to_bytes();
        assert_eq!(taken.len(), 900 << 10);
        // One that is larger than all there is comes alone.
        let large = sending.hold(answer(3 << 20), long).unwrap();
        assert_eq!(large.body().size_hint().exact(), Some(3 << 20));
        assert!(sending.hold(answer(1), short).is_none());
        drop(large);
        assert!(sending.hold(answer(1), long).is_some());
    }
}
