//! At most one connection a host name.
//!
//! A fetch takes a [`Lease`] on its host and with it the host's idle connection, if there is one; a second fetch of
//! the same host waits until the lease ends. Idle connections end after a time, and the oldest when there are too
//! many.
//!
//! Memory: an entry for each host that is being fetched from or has an idle connection.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::connect::Connection;

/// A connection between two requests.
pub(super) struct Kept {
    pub connection: Connection,
    pub https: bool,
    pub port: u16,
    /// `None`: through a proxy.
    pub ip: Option<IpAddr>,
}

/// The hosts that are being fetched from or have an idle connection.
pub(super) struct Hosts {
    keep: Duration,
    max_idle: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    hosts: HashMap<Arc<str>, Slot>,
    /// Idle connections by age, with their serial; those that were taken meanwhile are passed over.
    ages: VecDeque<(Instant, Arc<str>, u64)>,
    idle: usize,
    serial: u64,
    swept: bool,
}

enum Slot {
    Busy(VecDeque<oneshot::Sender<Lease>>),
    Idle(Box<Kept>, u64),
}

/// The right to talk to a host; ends when dropped.
pub(super) struct Lease {
    hosts: Arc<Hosts>,
    host: Arc<str>,
    kept: Option<Box<Kept>>,
    ended: bool,
}

impl Hosts {
    pub(super) fn new(keep: Duration, max_idle: usize) -> Arc<Hosts> {
        Arc::new(Hosts { keep, max_idle, table: Mutex::default() })
    }

    /// Whether connections are kept at all.
    pub(super) fn keeps(&self) -> bool {
        !self.keep.is_zero() && self.max_idle > 0
    }

    /// Waits for the host.
    pub(super) async fn lease(self: &Arc<Self>, host: &str) -> Lease {
        loop {
            let waiting = {
                let mut table = self.lock();
                let host: Arc<str> = host.into();
                let (kept, waiting) = match table.hosts.get_mut(&host) {
                    Some(Slot::Busy(waiters)) => {
                        let (sender, receiver) = oneshot::channel();
                        waiters.push_back(sender);
                        (None, Some(receiver))
                    }
                    _ => match table.hosts.insert(host.clone(), Slot::Busy(VecDeque::new())) {
                        Some(Slot::Idle(kept, _)) => {
                            table.idle -= 1;
                            (Some(kept), None)
                        }
                        _ => (None, None),
                    },
                };
                match waiting {
                    Some(receiver) => receiver,
                    None => return Lease { hosts: self.clone(), host, kept, ended: false },
                }
            };
            if let Ok(lease) = waiting.await {
                return lease;
            }
        }
    }

    /// Closes all idle connections.
    pub(super) fn close_idle(&self) {
        let mut closed = Vec::new();
        {
            let mut table = self.lock();
            table.ages.clear();
            table.idle = 0;
            let idle: Vec<Arc<str>> = table
                .hosts
                .iter()
                .filter(|(_, slot)| matches!(slot, Slot::Idle(..)))
                .map(|(host, _)| host.clone())
                .collect();
            closed.extend(idle.iter().filter_map(|host| table.hosts.remove(host)));
        }
        drop(closed);
    }

    /// Number of idle connections.
    #[cfg(test)]
    pub(super) fn idle(&self) -> usize {
        self.lock().idle
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a lease: hands the host to who waits for it, or keeps its connection, or forgets it.
    fn end(self: &Arc<Self>, host: Arc<str>, mut kept: Option<Box<Kept>>) {
        let mut closed = Vec::new();
        let mut sweep = false;
        loop {
            let waiter = {
                let mut table = self.lock();
                let waiter = match table.hosts.get_mut(&host) {
                    Some(Slot::Busy(waiters)) => waiters.pop_front(),
                    _ => None,
                };
                if waiter.is_none() {
                    match kept.take() {
                        Some(kept) if self.keeps() => {
                            table.serial += 1;
                            let serial = table.serial;
                            table.hosts.insert(host.clone(), Slot::Idle(kept, serial));
                            table.ages.push_back((Instant::now() + self.keep, host.clone(), serial));
                            table.idle += 1;
                            sweep = !std::mem::replace(&mut table.swept, true);
                        }
                        _ => {
                            table.hosts.remove(&host);
                        }
                    }
                    table.close_old(Instant::now(), self.max_idle, &mut closed);
                }
                waiter
            };
            let Some(waiter) = waiter else { break };
            let lease = Lease { hosts: self.clone(), host: host.clone(), kept: kept.take(), ended: false };
            match waiter.send(lease) {
                Ok(()) => break,
                // Who waited has gone: its lease comes back and goes to the next.
                Err(mut lease) => {
                    lease.ended = true;
                    kept = lease.kept.take();
                }
            }
        }
        drop(closed);
        if sweep {
            tokio::spawn(close_in_time(Arc::downgrade(self), self.keep));
        }
    }
}

impl Table {
    /// Takes out the connections whose time is over, and the oldest beyond the limit.
    fn close_old(&mut self, now: Instant, max_idle: usize, closed: &mut Vec<Slot>) {
        let is_idle = |hosts: &HashMap<Arc<str>, Slot>, host: &Arc<str>, serial: u64| matches!(hosts.get(host), Some(Slot::Idle(_, s)) if *s == serial);
        while let Some((until, host, serial)) = self.ages.front() {
            if is_idle(&self.hosts, host, *serial) {
                if *until > now && self.idle <= max_idle {
                    break;
                }
                closed.extend(self.hosts.remove(host));
                self.idle -= 1;
            }
            self.ages.pop_front();
        }
        if self.ages.len() > 4 * self.idle + 1024 {
            let hosts = &self.hosts;
            self.ages.retain(|(_, host, serial)| is_idle(hosts, host, *serial));
        }
    }
}

/// Closes idle connections when nothing else happens.
async fn close_in_time(hosts: Weak<Hosts>, keep: Duration) {
    let period = (keep / 4).clamp(Duration::from_millis(10), Duration::from_secs(1));
    loop {
        tokio::time::sleep(period).await;
        let Some(hosts) = hosts.upgrade() else { return };
        let mut closed = Vec::new();
        hosts.lock().close_old(Instant::now(), hosts.max_idle, &mut closed);
        drop(closed);
    }
}

impl Lease {
    /// The idle connection that came with the lease.
    pub(super) fn take(&mut self) -> Option<Kept> {
        self.kept.take().map(|kept| *kept)
    }

    /// Leaves a connection to the next request.
    pub(super) fn keep(&mut self, kept: Kept) {
        self.kept = Some(Box::new(kept));
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            self.hosts.end(self.host.clone(), self.kept.take());
        }
    }
}

/// Idle connections to a proxy, which serve any host.
pub(super) struct Pool {
    keep: Duration,
    max_idle: usize,
    idle: Mutex<VecDeque<(TcpStream, Instant)>>,
}

impl Pool {
    pub(super) fn new(keep: Duration, max_idle: usize) -> Pool {
        Pool { keep, max_idle, idle: Mutex::default() }
    }

    /// The one that was used last.
    pub(super) fn take(&self) -> Option<TcpStream> {
        let mut idle = self.lock();
        let (stream, until) = idle.pop_back()?;
        if until > Instant::now() {
            return Some(stream);
        }
        // It was the youngest.
        let closed = std::mem::take(&mut *idle);
        drop(idle);
        drop(closed);
        None
    }

    pub(super) fn put(&self, stream: TcpStream) {
        let now = Instant::now();
        let mut closed = Vec::new();
        let mut idle = self.lock();
        idle.push_back((stream, now + self.keep));
        while idle.len() > self.max_idle || idle.front().is_some_and(|(_, until)| *until <= now) {
            closed.extend(idle.pop_front());
        }
        drop(idle);
        drop(closed);
    }

    pub(super) fn close_idle(&self) {
        let closed = std::mem::take(&mut *self.lock());
        drop(closed);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(TcpStream, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
