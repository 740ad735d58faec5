//! The delay between requests to one address.
//!
//! Many hosts share an address; each may be asked at its own pace and the machine behind would still be flooded. A
//! request takes the address's next free slot. It waits for it where that is soon; else the host keeps the slot and comes
//! back for it, so that thousands of hosts of one address do not hold all connections. Slots are given out in the order
//! of asking: nobody starves. A slot is given back by nobody: a request that fails has been a request.
//!
//! Memory: an entry for each address asked within the last delay, or waited for, and one for each host that keeps a slot, at
//! most [`MAX_KEPT`]; beyond that hosts come back without a slot.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Most slots that are kept for hosts.
const MAX_KEPT: usize = 200_000;
/// How long a slot is kept after its time.
const KEPT: Duration = Duration::from_secs(60);

/// Next free slot of each address.
pub(super) struct AddressLimiter {
    delay: Duration,
    /// Longest wait; `None`: as long as it takes.
    patience: Option<Duration>,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    next: HashMap<IpAddr, Instant>,
    /// Slots of hosts that come back, by a hash of host and address.
    kept: HashMap<u64, Instant>,
    /// Size at which entries of the past are thrown out.
    purge_at: usize,
}

impl AddressLimiter {
    pub(super) fn new(delay: Duration, patience: Option<Duration>) -> AddressLimiter {
        AddressLimiter { delay, patience, slots: Mutex::new(Slots { purge_at: 1024, ..Slots::default() }) }
    }

    /// Waits until the address may be asked for `host`. Otherwise gives how long it would take: come back then.
    pub(super) async fn wait(&self, ip: IpAddr, host: &str) -> Result<(), Duration> {
        if self.delay.is_zero() {
            return Ok(());
        }
        let now = Instant::now();
        let slot = self.take(ip, host, now)?;
        if slot > now {
            tokio::time::sleep_until(slot).await;
        }
        Ok(())
    }

    fn take(&self, ip: IpAddr, host: &str, now: Instant) -> Result<Instant, Duration> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.purge(now);
        let soon = |slot: Instant| self.patience.is_none_or(|patience| slot <= now + patience);
        let key = key(ip, host);
        if let Some(slot) = slots.kept.get(&key).copied() {
            if !soon(slot) {
                return Err(slot - now);
            }
            slots.kept.remove(&key);
            return Ok(slot.max(now));
        }
        let next = slots.next.get(&ip).copied().unwrap_or(now).max(now);
        let kept = soon(next) || slots.kept.len() < MAX_KEPT;
        if kept {
            slots.next.insert(ip, next + self.delay);
        }
        if soon(next) {
            return Ok(next);
        }
        if kept {
            slots.kept.insert(key, next);
        }
        Err(next - now)
    }
}

impl Slots {
    fn purge(&mut self, now: Instant) {
        if self.next.len() + self.kept.len() >= self.purge_at {
            self.next.retain(|_, next| *next > now);
            self.kept.retain(|_, slot| *slot + KEPT > now);
            self.purge_at = ((self.next.len() + self.kept.len()) * 2).max(1024);
        }
    }
}

fn key(ip: IpAddr, host: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (ip, host).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn starts_keep_their_distance() {
        let limiter = AddressLimiter::new(SECOND, None);
        let (a, b): (IpAddr, IpAddr) = ([1, 1, 1, 1].into(), [2, 2, 2, 2].into());
        let now = Instant::now();
        assert_eq!(limiter.take(a, "x", now), Ok(now));
        assert_eq!(limiter.take(a, "x", now), Ok(now + SECOND));
        assert_eq!(limiter.take(b, "x", now), Ok(now));
        assert_eq!(limiter.take(a, "y", now + SECOND / 2), Ok(now + SECOND * 2));
        assert_eq!(limiter.take(a, "x", now + SECOND * 9), Ok(now + SECOND * 9));
    }

    #[test]
    fn hosts_that_come_back_are_asked_in_their_turn() {
        let limiter = AddressLimiter::new(SECOND, Some(SECOND / 2));
        let ip: IpAddr = [1, 1, 1, 1].into();
        let start = Instant::now();
        // A hundred hosts, each with three requests; all come back when they were told to.
        let mut due: Vec<(Instant, u32)> = (0..100).map(|host| (start, host)).collect();
        let (mut asked, mut refused) = (Vec::new(), 0);
        let mut count = [0; 100];
        while !due.is_empty() {
            due.sort();
            let (now, host) = due.remove(0);
            match limiter.take(ip, &format!("h{host}"), now) {
                Ok(slot) => {
                    asked.push(slot);
                    count[host as usize] += 1;
                    if count[host as usize] < 3 {
                        due.push((slot + SECOND, host));
                    } else {
                        // Nobody is through before everybody had a turn but the last.
                        assert!(count.iter().all(|count| *count >= 2), "{count:?}");
                    }
                }
                Err(wait) => {
                    assert!(wait > SECOND / 2);
                    refused += 1;
                    due.push((now + wait, host));
                }
            }
        }
        let last = start + SECOND * 299;
        assert_eq!((asked.len(), asked.last().copied()), (300, Some(last)), "no slot is left empty");
        assert!(asked.windows(2).all(|pair| pair[1] - pair[0] == SECOND));
        assert!(refused <= 300, "one refusal a request at most: {refused}");
        assert!(limiter.slots.lock().unwrap().kept.is_empty());
    }

    #[test]
    fn table_is_bounded_by_the_window() {
        let limiter = AddressLimiter::new(Duration::from_millis(10), Some(Duration::ZERO));
        let start = Instant::now();
        for i in 0..100_000_u32 {
            let now = start + Duration::from_millis(u64::from(i) * 20);
            // The second of each pair is told to come back and never does.
            let _ = limiter.take(IpAddr::V4(i.into()), "a", now);
            assert!(limiter.take(IpAddr::V4(i.into()), "b", now).is_err());
        }
        let slots = limiter.slots.lock().unwrap();
        assert!(slots.next.len() + slots.kept.len() < 10_000);
    }
}
