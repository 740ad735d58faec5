//! The delay between requests to one address.
//!
//! Many hosts share an address; each may be asked at its own pace and the machine behind would still be flooded. A
//! request takes the address's next free slot and waits for it. A slot is given back by nobody: a request that fails
//! has been a request.
//!
//! Memory: an entry for each address asked within the last delay, or waited for.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Next free slot of each address.
pub(super) struct AddressLimiter {
    delay: Duration,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    next: HashMap<IpAddr, Instant>,
    /// Size at which entries of the past are thrown out.
    purge_at: usize,
}

impl AddressLimiter {
    pub(super) fn new(delay: Duration) -> AddressLimiter {
        AddressLimiter { delay, slots: Mutex::new(Slots { purge_at: 1024, ..Slots::default() }) }
    }

    /// Waits until the address may be asked.
    pub(super) async fn wait(&self, ip: IpAddr) {
        if self.delay.is_zero() {
            return;
        }
        let now = Instant::now();
        let slot = self.take(ip, now);
        if slot > now {
            tokio::time::sleep_until(slot).await;
        }
    }

    fn take(&self, ip: IpAddr, now: Instant) -> Instant {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.next.len() >= slots.purge_at {
            slots.next.retain(|_, next| *next > now);
            slots.purge_at = (slots.next.len() * 2).max(1024);
        }
        let next = slots.next.entry(ip).or_insert(now);
        let slot = (*next).max(now);
        *next = slot + self.delay;
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_keep_their_distance() {
        let limiter = AddressLimiter::new(Duration::from_secs(1));
        let (a, b): (IpAddr, IpAddr) = ([1, 1, 1, 1].into(), [2, 2, 2, 2].into());
        let now = Instant::now();
        let second = Duration::from_secs(1);
        assert_eq!(limiter.take(a, now), now);
        assert_eq!(limiter.take(a, now), now + second);
        assert_eq!(limiter.take(b, now), now);
        assert_eq!(limiter.take(a, now + second / 2), now + second * 2);
        assert_eq!(limiter.take(a, now + second * 9), now + second * 9);
    }

    #[test]
    fn table_is_bounded_by_the_window() {
        let limiter = AddressLimiter::new(Duration::from_millis(10));
        let start = Instant::now();
        for i in 0..100_000_u32 {
            limiter.take(IpAddr::V4(i.into()), start + Duration::from_micros(u64::from(i) * 100));
        }
        assert!(limiter.slots.lock().unwrap().next.len() < 2048);
    }
}
