//! Memory for bodies, shared by all connections.
//!
//! Up to `free` bytes of a body need no permit. One that grows beyond asks for memory as its buffer grows, and its
//! connection waits where there is none, and the server with it, until others give theirs back. Bodies that each hold a
//! part and wait for more could wait for ever: so one body at a time has the *overdraft*, with which it goes on whatever
//! the others hold. Whoever waits takes what comes first, memory or overdraft. So what all bodies take is bounded by the
//! free parts, the budget, and one body of the greatest length.
//!
//! A permit lives as long as what was received, also while that waits to be stored. A wait is bounded and moves the end
//! of its exchange.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Bytes of one unit of the semaphore.
const UNIT: u64 = 16 << 10;

/// All the memory there is for bodies.
#[derive(Debug, Clone)]
pub(super) struct BodyPermits {
    free: u64,
    units: Arc<Semaphore>,
    overdraft: Arc<Semaphore>,
}

/// Memory granted to one body; it is given back when the last clone of this is dropped.
#[derive(Debug, Clone, Default)]
pub struct BodyPermit {
    /// Bytes that may be held.
    granted: u64,
    units: Option<Arc<OwnedSemaphorePermit>>,
    overdraft: Option<Arc<OwnedSemaphorePermit>>,
}

impl PartialEq for BodyPermit {
    /// Where a body lies in memory says nothing about it.
    fn eq(&self, _: &BodyPermit) -> bool {
        true
    }
}

impl Eq for BodyPermit {}

impl BodyPermits {
    /// Permits for `bytes` in all, besides `free` bytes of each body.
    pub(super) fn new(free: u64, bytes: u64) -> BodyPermits {
        let units = usize::try_from(bytes.div_ceil(UNIT)).unwrap_or(usize::MAX);
        BodyPermits {
            free,
            units: Arc::new(Semaphore::new(units.clamp(1, Semaphore::MAX_PERMITS / 2))),
            overdraft: Arc::new(Semaphore::new(1)),
        }
    }

    /// Whether a body of `wanted` bytes needs no more than it was granted.
    pub(super) fn covers(&self, permit: &BodyPermit, wanted: u64) -> bool {
        permit.overdraft.is_some() || wanted <= permit.granted.max(self.free)
    }

    /// Claims memory for a body of `wanted` bytes, which may become `longest` bytes long; false: not until `until`.
    pub(super) async fn claim(
        &self,
        permit: &mut BodyPermit,
        wanted: u64,
        longest: u64,
        until: Instant,
    ) -> bool {
        if self.covers(permit, wanted) {
            return true;
        }
        // As buffers grow: few claims a body.
        let goal = wanted.max(permit.granted.saturating_mul(2)).min(longest.max(wanted));
        let missing = goal.saturating_sub(self.free).div_ceil(UNIT) - held(permit);
        let more = u32::try_from(missing).unwrap_or(u32::MAX);
        let claim = async {
            tokio::select! {
                biased;
                units = self.units.clone().acquire_many_owned(more) => (units.ok(), None),
                whole = self.overdraft.clone().acquire_owned() => (None, whole.ok()),
            }
        };
        match timeout_at(until, claim).await {
            Ok((Some(units), _)) => {
                permit.granted = goal;
                permit.add(units);
                true
            }
            Ok((None, Some(whole))) => {
                permit.overdraft = Some(Arc::new(whole));
                true
            }
            // The semaphores are never closed.
            Ok((None, None)) | Err(_) => false,
        }
    }
}

/// Units that a permit has.
fn held(permit: &BodyPermit) -> u64 {
    permit.units.as_ref().map_or(0, |units| units.num_permits() as u64)
}

impl BodyPermit {
    fn add(&mut self, more: OwnedSemaphorePermit) {
        // While a body is read nobody else has a clone of its permit.
        match self.units.as_mut().and_then(Arc::get_mut) {
            Some(units) => units.merge(more),
            None => self.units = Some(Arc::new(more)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(20)
    }

    #[tokio::test]
    async fn bodies_share_what_there_is_and_one_goes_on() {
        let permits = BodyPermits::new(MIB, 4 * MIB);
        let [mut small, mut first, mut second, mut third] = std::array::from_fn(|_| BodyPermit::default());
        assert!(permits.claim(&mut small, MIB, u64::MAX, soon()).await, "a small body needs none");
        assert_eq!(permits.units.available_permits() as u64 * UNIT, 4 * MIB);
        // As a body grows so does its share, in few steps.
        assert!(permits.claim(&mut first, MIB + 1, u64::MAX, soon()).await);
        assert!(permits.claim(&mut first, 3 * MIB, u64::MAX, soon()).await);
        assert_eq!(held(&first) * UNIT, 2 * MIB);
        assert!(permits.claim(&mut second, 3 * MIB, 3 * MIB, soon()).await);
        assert_eq!(permits.units.available_permits(), 0);
        // One more goes on beyond the budget, the next waits.
        assert!(permits.claim(&mut first, 5 * MIB, u64::MAX, soon()).await);
        assert!(permits.claim(&mut first, 500 * MIB, u64::MAX, soon()).await, "as far as it likes");
        assert!(!permits.claim(&mut third, 2 * MIB, u64::MAX, soon()).await);
        // What was received keeps its memory until it is gone.
        let stored = first.clone();
        drop(first);
        assert!(!permits.claim(&mut third, 2 * MIB, u64::MAX, soon()).await);
        drop(stored);
        assert!(permits.claim(&mut third, 2 * MIB, u64::MAX, soon()).await);
        assert!(third.overdraft.is_none());
        drop((second, third));
        assert_eq!(permits.units.available_permits() as u64 * UNIT, 4 * MIB);
        assert_eq!(permits.overdraft.available_permits(), 1);
    }

    #[tokio::test]
    async fn bodies_that_all_hold_a_part_do_not_wait_for_ever() {
        let permits = BodyPermits::new(UNIT, 64 * UNIT);
        let tasks: Vec<_> = (0..32)
            .map(|_| {
                let permits = permits.clone();
                tokio::spawn(async move {
                    let mut permit = BodyPermit::default();
                    for bytes in (0..40 * UNIT).step_by(UNIT as usize) {
                        let until = Instant::now() + Duration::from_secs(60);
                        assert!(permits.claim(&mut permit, bytes, 40 * UNIT, until).await);
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!((permits.units.available_permits(), permits.overdraft.available_permits()), (64, 1));
    }

    #[tokio::test]
    async fn a_claim_larger_than_all_there_is_takes_the_overdraft() {
        let permits = BodyPermits::new(1, 1);
        let mut permit = BodyPermit::default();
        assert!(permits.claim(&mut permit, 1 << 40, u64::MAX, soon()).await);
        assert!(permit.overdraft.is_some());
    }
}
