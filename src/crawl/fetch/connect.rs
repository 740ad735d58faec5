//! Streams: TCP, or TLS over it.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::client::TlsStream;

use super::Failure;
use super::http2::Session;

/// Most addresses of a host that are tried.
pub(super) const MAX_TRIES: usize = 4;

/// A connection that can carry requests.
pub(super) enum Connection {
    /// HTTP/1.1.
    One(Stream),
    /// HTTP/2.
    Two(Session),
}

impl Connection {
    /// Closes it before the next line.
    pub(super) async fn close(self) {
        if let Connection::Two(session) = self {
            session.close().await;
        }
    }
}

/// Bytes to and from a server.
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// Whether the server has neither closed an idle connection nor sent anything on it. Costs no system call where
    /// nothing has happened.
    pub(super) fn is_quiet(&mut self) -> bool {
        let mut byte = [0; 1];
        let mut buffer = ReadBuf::new(&mut byte);
        Pin::new(self).poll_read(&mut Context::from_waker(Waker::noop()), &mut buffer).is_pending()
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

/// Why there is no connection.
pub(super) enum Refused {
    /// This process has too many files open.
    TooManyFiles,
    Failed(Failure),
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        match refused {
            Refused::TooManyFiles => Failure::Local("too many open files".into()),
            Refused::Failed(failure) => failure,
        }
    }
}

/// Connects to an address.
pub(super) async fn tcp(address: SocketAddr, limit: Duration, total: Instant) -> Result<TcpStream, Refused> {
    match timeout_at((Instant::now() + limit).min(total), TcpStream::connect(address)).await {
        Err(_) => Err(Refused::Failed(Failure::Timeout("connect"))),
        Ok(Err(error)) if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
            Err(Refused::TooManyFiles)
        }
        Ok(Err(error)) => Err(Refused::Failed(failed(&error))),
        Ok(Ok(stream)) => {
            // Requests and handshakes are written whole: nothing is gained by waiting for more.
            let _ = stream.set_nodelay(true);
            Ok(stream)
        }
    }
}

/// Whose fault it is that an address was not connected to.
fn failed(error: &io::Error) -> Failure {
    match error.raw_os_error() {
        Some(libc::ENETUNREACH | libc::ENETDOWN | libc::EADDRNOTAVAIL | libc::EMFILE | libc::ENFILE) => {
            Failure::Local(error.to_string())
        }
        _ => Failure::Connect(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_fault() {
        let of = |code| failed(&io::Error::from_raw_os_error(code));
        for code in [libc::ENETUNREACH, libc::ENETDOWN, libc::EADDRNOTAVAIL, libc::EMFILE, libc::ENFILE] {
            let failure = of(code);
            assert!(failure.is_outage() && failure.retry(), "{failure:?}");
            assert_eq!(failure.name(), "connect-failure");
        }
        for code in [libc::ECONNREFUSED, libc::ETIMEDOUT, libc::EHOSTUNREACH, libc::ECONNRESET] {
            assert!(matches!(of(code), Failure::Connect(_)) && !of(code).is_outage(), "{code}");
        }
        assert!(Failure::from(Refused::TooManyFiles).is_outage());
    }
}
