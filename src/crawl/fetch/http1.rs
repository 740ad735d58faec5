//! One HTTP/1.1 exchange over a stream, kept byte for byte.

use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout_at};

use super::body_permit::{BodyPermit, BodyPermits};
use super::connect::Stream;
use super::reader::{Progress, Reader};
use super::{Accept, Failure, Received, tls};
use webmill_capture::{Response, Truncation};

/// Buffer of the first read: most heads with a small page.
const FIRST_READ: usize = 8 * 1024;
/// Least buffer of a read.
const LEAST_READ: u64 = 4 * 1024;
/// Most that a buffer grows at once. Small steps would move a long body many times, and an allocator that cannot extend it in
/// place would hold what was left behind.
const MOST_READ: u64 = 8 << 20;

/// Most memory that a response may hold unused while it waits to be stored.
const SLACK: usize = 16 * 1024;

/// What bounds an exchange.
#[derive(Clone)]
pub(super) struct Limits {
    /// Longest body, as transferred.
    pub body: u64,
    /// End of the whole exchange.
    pub total: Instant,
    /// Longest wait for a body permit, which is not counted against the end.
    pub wait: Duration,
    /// Longest silence.
    pub idle: Duration,
    /// Whether an answer without a status line is taken as a page.
    pub http09: bool,
    /// Whether only the head was asked for.
    pub head_only: bool,
    /// Memory for bodies.
    pub body_permits: BodyPermits,
}

impl Limits {
    /// When a server that stays silent from now on is given up.
    pub(super) fn next(&self) -> Instant {
        self.total.min(Instant::now() + self.idle)
    }

    /// Claims memory for a body (see [`BodyPermits::claim`]). The server is not to blame for the wait: the end moves with it.
    pub(super) async fn claim(&mut self, permit: &mut BodyPermit, wanted: u64, longest: u64) -> bool {
        if self.body_permits.covers(permit, wanted) {
            return true;
        }
        let begin = Instant::now();
        let got = self.body_permits.claim(permit, wanted, longest, begin + self.wait).await;
        self.total += begin.elapsed().min(self.wait);
        got
    }
}

/// How much a buffer grows that has to take `least` bytes more and may get `left`: by half, so that few bytes are moved and
/// little is held that is not used.
pub(super) fn growth(raw: &[u8], least: u64, left: u64) -> usize {
    let half = (raw.len() as u64 / 2).clamp(least, MOST_READ.max(least));
    left.clamp(least, half) as usize
}

/// A response and what became of the connection.
pub(super) struct Exchange {
    pub received: Received,
    pub reusable: bool,
}

/// Why there is no response.
pub(super) enum Broken {
    /// The connection ended before the first byte of a response: a kept one had died.
    Dead,
    Failed(Failure),
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Failure {
        match broken {
            Broken::Dead => Failure::Disconnect,
            Broken::Failed(failure) => failure,
        }
    }
}

/// Sends a request and reads its response.
pub(super) async fn exchange(
    stream: &mut Stream,
    request: &[u8],
    limits: &Limits,
    accept: Option<Accept<'_>>,
) -> Result<Exchange, Broken> {
    send(stream, request, limits).await?;
    let mut reader = Reader::new(Vec::with_capacity(FIRST_READ), limits.http09);
    if limits.head_only {
        reader.expect_head_only();
    }
    // Bytes of interim responses leave the buffer.
    let mut heard = false;
    let mut limits = limits.clone();
    let mut permit = BodyPermit::default();
    let truncated = loop {
        if !make_room(&mut reader, &mut limits, &mut permit).await {
            break Some(Truncation::Unspecified);
        }
        if let Break(truncated) = read(stream, &mut reader, &limits, &mut heard).await? {
            break truncated;
        }
        let mut progress = advance(&mut reader)?;
        if progress == Progress::Head {
            let head = Response::parse(&reader.raw[..reader.head_len()]);
            let media_type = head.media_type().unwrap_or_default();
            let refused = accept.is_some_and(|accept| !accept(reader.status(), &media_type));
            progress = advance(&mut reader)?;
            if refused {
                let reusable = progress == Progress::Done && reader.reusable();
                let left = progress != Progress::Done || reader.end() > reader.head_len();
                let truncated = left.then_some(Truncation::Unspecified);
                return Ok(finished(reader, permit, truncated, reusable, true));
            }
        }
        let taken = if progress == Progress::Done { reader.end() } else { reader.raw.len() };
        if (taken - reader.head_len()) as u64 > limits.body {
            reader.raw.truncate(reader.head_len() + limits.body as usize);
            break Some(Truncation::Length);
        }
        if progress == Progress::Done {
            break None;
        }
    };
    if truncated.is_none() && (reader.end() - reader.head_len()) as u64 > limits.body {
        reader.raw.truncate(reader.head_len() + limits.body as usize);
        return Ok(finished(reader, permit, Some(Truncation::Length), false, false));
    }
    let reusable = truncated.is_none() && reader.reusable();
    Ok(finished(reader, permit, truncated, reusable, false))
}

async fn send(stream: &mut Stream, request: &[u8], limits: &Limits) -> Result<(), Broken> {
    let sent = async {
        stream.write_all(request).await?;
        stream.flush().await
    };
    match timeout_at(limits.next(), sent).await {
        Err(_) => Err(Broken::Failed(Failure::Timeout("request"))),
        Ok(sent) => sent.map_err(|error| lost(&error, true)),
    }
}

/// Makes room for the next read; `false`: there is no memory for more of the body.
async fn make_room(reader: &mut Reader, limits: &mut Limits, permit: &mut BodyPermit) -> bool {
    // One byte beyond a declared length tells that the server sends more than it said.
    let left = reader.expected().saturating_add(1);
    let least = if reader.has_length() { left.min(LEAST_READ) } else { LEAST_READ };
    if (reader.raw.capacity() - reader.raw.len()) as u64 >= least {
        return true;
    }
    let left = if reader.has_length() { left } else { u64::MAX };
    let more = growth(&reader.raw, least, left);
    let have = (reader.raw.len() as u64).saturating_sub(reader.head_len() as u64);
    let promised = if reader.has_length() { have.saturating_add(left) } else { u64::MAX };
    let longest = limits.body.saturating_add(least).min(promised);
    if reader.has_head() && !limits.claim(permit, have + more as u64, longest).await {
        return false;
    }
    reader.raw.reserve_exact(more);
    true
}

/// Reads what has come; breaks where nothing more comes, with what that means. `heard`: whether anything came so far.
async fn read(
    stream: &mut Stream,
    reader: &mut Reader,
    limits: &Limits,
    heard: &mut bool,
) -> Result<ControlFlow<Option<Truncation>>, Broken> {
    let read = match timeout_at(limits.next(), stream.read_buf(&mut reader.raw)).await {
        Ok(read) => read,
        Err(_) if reader.has_head() => return Ok(Break(Some(Truncation::Time))),
        Err(_) => return Err(Broken::Failed(Failure::Timeout("response"))),
    };
    match read {
        Ok(0) if reader.finish() => Ok(Break(None)),
        Ok(0) if reader.has_head() => Ok(Break(Some(Truncation::Disconnect))),
        Ok(0) if *heard => Err(Broken::Failed(Failure::Disconnect)),
        Ok(0) => Err(Broken::Dead),
        Ok(_) => {
            *heard = true;
            Ok(Continue(()))
        }
        Err(error) if !reader.has_head() => Err(lost(&error, !*heard)),
        Err(_) => {
            // Broken off: only a length or a last chunk can tell that nothing is missing.
            let whole = !reader.ends_with_connection() && reader.finish();
            Ok(Break((!whole).then_some(Truncation::Disconnect)))
        }
    }
}

fn advance(reader: &mut Reader) -> Result<Progress, Broken> {
    reader.advance().map_err(|fault| Broken::Failed(Failure::Protocol(fault.text().into())))
}

fn finished(
    mut reader: Reader,
    permit: BodyPermit,
    truncated: Option<Truncation>,
    reusable: bool,
    refused: bool,
) -> Exchange {
    if truncated.is_none() {
        reader.trim();
    }
    let (head_len, status) = (reader.head_len(), reader.status());
    let mut raw = reader.raw;
    if refused {
        raw.truncate(head_len);
    }
    if raw.capacity() - raw.len() > SLACK {
        raw.shrink_to_fit();
    }
    let received = Received {
        raw,
        head_len,
        status,
        truncated,
        http2: false,
        refused_by_accept: refused,
        body_permit: permit,
    };
    Exchange { received, reusable }
}

/// What a broken connection means before there is a head.
fn lost(error: &std::io::Error, silent: bool) -> Broken {
    match tls::tls_error(error) {
        Some(error) => Broken::Failed(Failure::Tls(error.to_string())),
        None if silent => Broken::Dead,
        None => Broken::Failed(Failure::Disconnect),
    }
}
