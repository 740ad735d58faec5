//! Names to addresses: one resolver for the whole process.
//!
//! An answer comes, in this order, from the static table, the cache, a lookup that is already under way, the resolver.
//! Lookups are tasks of their own: a fetch that is given up does not take along the answer others wait for. IPv6 is
//! asked for only where there is no IPv4 address. *No such host* (NXDOMAIN, or no address of either kind) is an answer
//! and is cached; a *failure* (no or refusing servers, SERVFAIL, timeouts) is none: it is tried again after growing
//! waits, and while server after server stays silent all lookups wait together instead of hammering.
//!
//! Memory: [`DnsOptions::cache_entries`] names with at most [`MAX_ADDRESSES`] addresses, and the lookups under way.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use webmill_capture::cut::Cut;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RecordType};
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use super::Failure;
use super::options::{DnsOptions, LOOKUPS, MAX_TTL_S, PREFETCH, name_server};
use webmill_capture::error::{Error, Result};

/// Most addresses kept of a name.
pub(super) const MAX_ADDRESSES: usize = 16;
/// Longest wait between attempts.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Failures in a row after which all lookups wait.
const DOWN_AFTER: u32 = 8;
/// Time a name without addresses is remembered where the server sets none, in seconds.
const NEGATIVE_TTL_S: u32 = 300;

/// Addresses of a name; empty: there is no such host.
type Addresses = Arc<[IpAddr]>;
/// What a lookup under way will say.
type PendingLookup = watch::Receiver<Option<Result<Addresses, Failure>>>;

/// The shared resolver.
pub(super) struct Dns {
    options: DnsOptions,
    /// `Err`: the system has no configuration; said only when a name must be looked up.
    resolver: Result<TokioResolver, String>,
    cache: Mutex<HashMap<Box<str>, Slot>>,
    lookups: Semaphore,
    ahead: Arc<Semaphore>,
    health: Mutex<Health>,
}

enum Slot {
    Known(Addresses, Instant),
    Pending(PendingLookup),
}

/// Whether the resolver answers at all.
#[derive(Default)]
struct Health {
    failures: u32,
    down_until: Option<Instant>,
}

/// An answer with its time to live.
struct Answer {
    addresses: Vec<IpAddr>,
    ttl_s: u32,
}

impl Dns {
    pub(super) fn new(options: &DnsOptions) -> Result<Dns> {
        let builder = if options.servers.is_empty() {
            TokioResolver::builder_tokio().map_err(|e| format!("no resolver is configured: {e}"))
        } else {
            let mut servers = Vec::new();
            for text in &options.servers {
                let address = name_server(text)?;
                let mut server = NameServerConfig::udp_and_tcp(address.ip());
                server.connections.iter_mut().for_each(|connection| connection.port = address.port());
                servers.push(server);
            }
            let config = ResolverConfig::from_parts(None, Vec::new(), servers);
            let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
            builder.options_mut().use_hosts_file = ResolveHosts::Never;
            Ok(builder)
        };
        let resolver = match builder {
            Ok(mut builder) => {
                let settings = builder.options_mut();
                settings.timeout = Duration::from_millis(options.timeout_ms);
                settings.attempts = 0;
                settings.max_active_requests = LOOKUPS;
                // Ours is the cache that counts.
                settings.cache_size = 0;
                builder.build().map_err(|e| format!("resolver: {e}"))
            }
            Err(reason) => Err(reason),
        };
        if let (Err(reason), false) = (&resolver, options.servers.is_empty()) {
            return Err(Error::Config(format!("dns.servers: {reason}")));
        }
        Ok(Dns {
            resolver,
            cache: Mutex::default(),
            lookups: Semaphore::new(LOOKUPS),
            ahead: Arc::new(Semaphore::new(PREFETCH)),
            health: Mutex::default(),
            options: options.clone(),
        })
    }

    /// Addresses of a host name (not of a literal address).
    pub(super) async fn lookup(self: &Arc<Self>, host: &str) -> Result<Addresses, Failure> {
        let name = host.strip_suffix('.').unwrap_or(host);
        if let Some(ip) = self.fixed(name) {
            return Ok(Arc::new([ip]));
        }
        let addresses = match self.find(name) {
            Ok(known) => known,
            Err(mut pending) => {
                let answer = pending.wait_for(Option::is_some).await.ok().and_then(|answer| answer.clone());
                answer.unwrap_or_else(|| Err(silent("the lookup was abandoned")))?
            }
        };
        if addresses.is_empty() { Err(Failure::NoSuchHost) } else { Ok(addresses) }
    }

    /// Looks a name up ahead, on a runtime; does nothing when it is known or too many are under way.
    pub(super) fn prefetch(self: &Arc<Self>, host: &str, runtime: &tokio::runtime::Handle) {
        let name = host.strip_suffix('.').unwrap_or(host);
        if name.is_empty() || self.fixed(name).is_some() || super::address::literal(host).is_some() {
            return;
        }
        let Ok(permit) = self.ahead.clone().try_acquire_owned() else { return };
        let _guard = runtime.enter();
        if let Err(mut pending) = self.find(name) {
            runtime.spawn(async move {
                let _ = pending.wait_for(Option::is_some).await;
                drop(permit);
            });
        }
    }

    /// Number of names in the cache.
    #[cfg(test)]
    pub(super) fn cached(&self) -> usize {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// From the static table.
    fn fixed(&self, name: &str) -> Option<IpAddr> {
        let hosts = &self.options.hosts;
        if hosts.is_empty() {
            return None;
        }
        let below = || {
            let suffixes = name.match_indices('.').map(|(at, _)| name.cut(at..));
            suffixes.chain([""]).find_map(|suffix| hosts.get(&format!("*{suffix}")))
        };
        hosts.get(name).or_else(below).copied()
    }

    /// Known facts about a name, or the lookup that will tell: another's, or one started now.
    fn find(self: &Arc<Self>, name: &str) -> Result<Addresses, PendingLookup> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match cache.get(name) {
            Some(Slot::Known(addresses, until)) if *until > now => return Ok(addresses.clone()),
            Some(Slot::Pending(pending)) => return Err(pending.clone()),
            _ => {}
        }
        if cache.len() >= self.options.cache_entries {
            make_room(&mut cache, self.options.cache_entries, now);
        }
        let (sender, receiver) = watch::channel(None);
        cache.insert(name.into(), Slot::Pending(receiver.clone()));
        drop(cache);
        let mut task = Lookup { dns: self.clone(), name: name.into(), done: false };
        tokio::spawn(async move {
            let answer = task.dns.resolve(&task.name).await;
            sender.send_replace(Some(task.keep(answer)));
        });
        Err(receiver)
    }

    /// Asks until there is an answer or the attempts are used up.
    async fn resolve(&self, name: &str) -> Result<Answer, Failure> {
        let resolver = self.resolver.as_ref().map_err(|reason| silent(reason))?;
        let Ok(query) = Name::from_ascii(format!("{name}.")) else {
            return Ok(Answer { addresses: Vec::new(), ttl_s: NEGATIVE_TTL_S });
        };
        let first_wait = Duration::from_millis(self.options.retry_ms).min(MAX_WAIT);
        let mut wait = first_wait;
        let mut attempt = 1;
        loop {
            let down_until = self.health.lock().unwrap_or_else(PoisonError::into_inner).down_until;
            if let Some(until) = down_until {
                tokio::time::sleep_until(until).await;
            }
            let permit = self.lookups.acquire().await;
            let limit = Duration::from_millis(self.options.timeout_ms).saturating_mul(4);
            let asked = tokio::time::timeout(limit, ask(resolver, &query)).await;
            drop(permit);
            let error = match asked.unwrap_or(Err(NetError::Timeout)) {
                Ok(answer) => {
                    *self.health.lock().unwrap_or_else(PoisonError::into_inner) = Health::default();
                    return Ok(answer);
                }
                Err(error) => error,
            };
            // A server that says it failed, or sends rubbish, is there: the fault may be with the name's own servers.
            let answered = matches!(error, NetError::Dns(_) | NetError::Proto(_));
            if !answered {
                let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
                health.failures = health.failures.saturating_add(1);
                if let Some(beyond) = health.failures.checked_sub(DOWN_AFTER) {
                    let wait = first_wait.saturating_mul(1 << (beyond / DOWN_AFTER).min(10)).min(MAX_WAIT);
                    health.down_until = Some(Instant::now() + wait);
                }
            }
            if attempt >= self.options.attempts {
                let reason = error.to_string();
                return Err(Failure::Dns { reason, answered });
            }
            attempt += 1;
            tokio::time::sleep(wait).await;
            wait = wait.saturating_mul(2).min(MAX_WAIT);
        }
    }
}

/// The failure of a resolver that gave no answer.
fn silent(reason: &str) -> Failure {
    Failure::Dns { reason: reason.into(), answered: false }
}

/// A lookup under way: if its task dies, its place in the cache is freed.
struct Lookup {
    dns: Arc<Dns>,
    name: Box<str>,
    done: bool,
}

impl Lookup {
    /// Puts the answer into the cache; a failure leaves it.
    fn keep(&mut self, answer: Result<Answer, Failure>) -> Result<Addresses, Failure> {
        let mut cache = self.dns.cache.lock().unwrap_or_else(PoisonError::into_inner);
        self.done = true;
        match answer {
            Ok(answer) => {
                let addresses: Addresses = answer.addresses.into();
                let options = &self.dns.options;
                let ttl = answer.ttl_s.clamp(options.min_ttl_s, MAX_TTL_S);
                let until = Instant::now() + Duration::from_secs(ttl.into());
                cache.insert(self.name.clone(), Slot::Known(addresses.clone(), until));
                Ok(addresses)
            }
            Err(failure) => {
                cache.remove(&self.name);
                Err(failure)
            }
        }
    }
}

impl Drop for Lookup {
    fn drop(&mut self) {
        if !self.done {
            self.dns.cache.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
        }
    }
}

/// Throws out what has run out, and if that is not enough any eighth.
fn make_room(cache: &mut HashMap<Box<str>, Slot>, limit: usize, now: Instant) {
    cache.retain(|_, slot| !matches!(slot, Slot::Known(_, until) if *until <= now));
    let mut over = cache.len().saturating_sub(limit - limit.div_ceil(8));
    cache.retain(|_, slot| {
        let out = over > 0 && matches!(slot, Slot::Known(..));
        over -= usize::from(out);
        !out
    });
}

/// IPv4 addresses of a name, or if there are none its IPv6 addresses.
async fn ask(resolver: &TokioResolver, name: &Name) -> Result<Answer, NetError> {
    let mut ttl_s = NEGATIVE_TTL_S;
    for kind in [RecordType::A, RecordType::AAAA] {
        match resolver.lookup(name.clone(), kind).await {
            Ok(found) => {
                let addresses: Vec<IpAddr> = found
                    .answers()
                    .iter()
                    .filter_map(|record| record.data.ip_addr())
                    .take(MAX_ADDRESSES)
                    .collect();
                let shortest = found.answers().iter().map(|record| record.ttl).min().unwrap_or(0);
                if !addresses.is_empty() {
                    return Ok(Answer { addresses, ttl_s: shortest });
                }
            }
            Err(NetError::Dns(DnsError::NoRecordsFound(none))) => {
                ttl_s = none.negative_ttl.unwrap_or(NEGATIVE_TTL_S).min(NEGATIVE_TTL_S);
                if none.response_code == ResponseCode::NXDomain {
                    break;
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Answer { addresses: Vec::new(), ttl_s })
}
