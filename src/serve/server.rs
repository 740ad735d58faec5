//! A server: it listens, bounds its connections, and ends them in order.

use std::convert::Infallible;
use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use webmill_capture::{Error, Result};

use crate::archive::Archive;
use crate::connection::Watched;
use crate::handle::{Peer, Shared, answer};
use crate::options::Options;

/// How long requests that are being answered may go on once the server is told to stop.
const FAREWELL: Duration = Duration::from_secs(10);
/// How often a server looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(100);
/// Most bytes of a request's head, and what a connection buffers.
const HEAD_BYTES: usize = 64 << 10;
/// Most connections at a time; further ones wait to be accepted.
const MAX_CONNECTIONS: u32 = 1024;

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens at `address` (port 0: any that is free).
    ///
    /// # Errors
    /// [`Error::Config`] for an address beyond this machine that is not allowed, [`Error::Io`] where it cannot be had.
    pub fn bind(address: SocketAddr, archive: Archive, options: Options) -> Result<Server> {
        let local = address.ip().is_loopback();
        if !local && !options.allow_remote {
            return Err(Error::Config(format!(
                "{address} can be reached from other machines: say so if that is meant (allow_remote)"
            )));
        }
        let failed = |error| Error::io(format!("tcp://{address}"), error);
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Server { listener, address, shared: Arc::new(Shared::new(archive, options, local)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `shutdown` is ready; answers in progress then have a little time to end.
    ///
    /// # Errors
    /// [`Error::Io`] where the listener cannot be used.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<()> {
        let failed = |error| Error::io(format!("tcp://{}", self.address), error);
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(failed)?;
        let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS as usize));
        let (stop, stopped) = watch::channel(false);
        let mut shutdown = pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                () = &mut shutdown => break,
                accepted = accept(&listener, &connections) => accepted,
            };
            // A connection that failed while it was made, or no file handle left: the next may do better.
            let Some((stream, peer, permit)) = accepted else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            let (shared, stopped) = (Arc::clone(&self.shared), stopped.clone());
            tokio::spawn(async move {
                converse(stream, peer, shared, stopped).await;
                drop(permit);
            });
        }
        drop(listener);
        let _ = stop.send(true);
        let _ = timeout(FAREWELL, connections.acquire_many(MAX_CONNECTIONS)).await;
        Ok(())
    }

    /// Does so on a runtime of its own with a given number of threads.
    ///
    /// # Errors
    /// As [`Server::run`], and where threads cannot be had.
    pub fn run_blocking(self, threads: usize, shutdown: impl Future<Output = ()>) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads.max(1))
            .max_blocking_threads(self.shared.options.max_working.max(1) + 8)
            .enable_all()
            .build()
            .map_err(|error| Error::io("the threads of the server", error))?;
        let result = runtime.block_on(self.run(shutdown));
        // Walks that are still going on end at their deadlines; the process does not wait for them.
        runtime.shutdown_background();
        result
    }
}

impl Server {
    /// The same until `stopped` says so, which is asked a few times a second.
    ///
    /// # Errors
    /// As [`Server::run_blocking`].
    pub fn run_until(self, threads: usize, stopped: impl Fn() -> bool) -> Result<()> {
        self.run_blocking(threads, async move {
            while !stopped() {
                tokio::time::sleep(GLANCE).await;
            }
        })
    }
}

type Accepted = (tokio::net::TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

async fn accept(listener: &tokio::net::TcpListener, connections: &Arc<Semaphore>) -> Option<Accepted> {
    let permit = Arc::clone(connections).acquire_owned().await.ok()?;
    let (stream, peer) = listener.accept().await.ok()?;
    Some((stream, peer, permit))
}

/// Answers the requests of one connection.
async fn converse(
    stream: tokio::net::TcpStream,
    peer: SocketAddr,
    shared: Arc<Shared>,
    mut stopped: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let options = &shared.options;
    let stream = TokioIo::new(Watched::new(stream, options.stall_timeout));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout)
        .max_buf_size(HEAD_BYTES)
        .title_case_headers(true);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer.ip()));
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(answer(State(shared), request).await) }
    });
    let mut connection = pin!(http.serve_connection(stream, service));
    tokio::select! {
        // Broken connections are the client's affair.
        _ = connection.as_mut() => return,
        _ = stopped.changed() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
