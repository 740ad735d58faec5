//! Bodies that are made while they are sent: a thread writes chunks, the connection takes them; few are between them.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::index::{CaptureSource, Entry, KeyRange, Scan};
use std::ops::ControlFlow;
use webmill_capture::Result;

/// Bytes that are gathered before they are handed over.
pub const CHUNK: usize = 32 << 10;
/// Chunks between writer and connection.
const WAITING: usize = 4;
/// Lines of an index between two looks at the clock.
const LINES_A_LOOK: u32 = 1024;

/// What a body that breaks off is told.
#[derive(Debug)]
pub struct BrokenOff;

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the answer broke off")
    }
}

impl std::error::Error for BrokenOff {}

/// The end of a thread that writes.
pub struct Chunks {
    sender: Sender<Result<Bytes, BrokenOff>>,
    handle: Handle,
    deadline: Instant,
}

/// The end of a connection that takes.
pub struct StreamReceiver {
    receiver: Receiver<Result<Bytes, BrokenOff>>,
    /// The body broke off; what came before it goes out first.
    broken: bool,
}

/// Both ends. The writer gives up at the deadline.
pub fn chunks(deadline: Instant) -> (Chunks, StreamReceiver) {
    let (sender, receiver) = channel(WAITING);
    (Chunks { sender, handle: Handle::current(), deadline }, StreamReceiver { receiver, broken: false })
}

impl Chunks {
    /// Hands a chunk over, from a thread that may wait. `false`: nobody wants more.
    pub fn send(&self, bytes: Bytes) -> bool {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let send = tokio::time::timeout(left, self.sender.send(Ok(bytes)));
        self.handle.block_on(async { matches!(send.await, Ok(Ok(()))) })
    }

    /// Breaks the body off, so that the client sees that it is not whole.
    pub fn break_off(self) {
        // Where the queue is full, closing it without the error would look like an end: wait a little for room.
        let send = tokio::time::timeout(std::time::Duration::from_secs(5), self.sender.send(Err(BrokenOff)));
        let _ = self.handle.block_on(send);
    }

    /// What tells that it is no use to go on, for a walk: the sender closes, the deadline comes.
    pub fn watch(&self) -> (Sender<Result<Bytes, BrokenOff>>, Instant) {
        (self.sender.clone(), self.deadline)
    }

    /// Whether it is no use to go on.
    pub fn is_over(&self) -> bool {
        self.sender.is_closed() || Instant::now() >= self.deadline
    }
}

impl StreamReceiver {
    /// The body of an HTTP answer.
    pub fn into_body(self) -> Body {
        Body::new(self)
    }
}

impl HttpBody for StreamReceiver {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        if self.broken {
            return Poll::Ready(Some(Err(BrokenOff)));
        }
        match self.receiver.poll_recv(context) {
            Poll::Ready(Some(Err(BrokenOff))) => {
                // A connection writes out what it has when there is nothing more for the moment: head and first rows
                // reach the client before it is cut.
                self.broken = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            chunk => chunk.map(|chunk| chunk.map(|chunk| chunk.map(Frame::data))),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// An index whose walks end at a deadline, or when nobody wants the answer any more.
pub struct TimedSource<'a> {
    source: &'a dyn CaptureSource,
    over: &'a (dyn Fn() -> bool + Sync),
    stopped: AtomicBool,
}

impl<'a> TimedSource<'a> {
    /// Walks of `source` until `over`.
    pub fn new(source: &'a dyn CaptureSource, over: &'a (dyn Fn() -> bool + Sync)) -> TimedSource<'a> {
        TimedSource { source, over, stopped: AtomicBool::new(false) }
    }

    /// Whether a walk was ended.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn watch<'v>(&'v self, visit: Scan<'v>) -> impl FnMut(&Entry<'_>) -> ControlFlow<()> + 'v {
        let mut lines = 0_u32;
        move |entry| {
            lines += 1;
            if lines >= LINES_A_LOOK {
                lines = 0;
                if (self.over)() {
                    self.stopped.store(true, Ordering::Relaxed);
                    return ControlFlow::Break(());
                }
            }
            visit(entry)
        }
    }
}

impl CaptureSource for TimedSource<'_> {
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> webmill_capture::Result<()> {
        self.source.scan(range, &mut self.watch(visit))
    }

    fn scan_back(&self, range: &KeyRange, visit: Scan<'_>) -> webmill_capture::Result<()> {
        self.source.scan_back(range, &mut self.watch(visit))
    }
}
