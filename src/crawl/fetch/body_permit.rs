//! Memory for large bodies, shared by all connections.
//!
//! A body up to [`FREE`] needs no permit. One that grows beyond must hold a permit for the longest that it may become
//! before more of it is read; until others give theirs back its connection waits, and the server with it. The whole permit
//! is claimed at once, so that two bodies cannot wait for each other. A wait is bounded and moves the end of its exchange.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Bytes of a body that need no permit.
pub(super) const FREE: u64 = 1 << 20;
/// Bytes of one unit of the semaphore.
const UNIT: u64 = 64 << 10;

/// All the memory there is for large bodies.
#[derive(Debug, Clone)]
pub(super) struct BodyPermits {
    permits: Arc<Semaphore>,
    all: u32,
}

/// Memory granted to one body; it is given back when this is dropped.
#[derive(Debug, Clone, Default)]
pub struct BodyPermit(Option<Arc<OwnedSemaphorePermit>>);

impl BodyPermit {
    /// Whether it was claimed.
    pub(super) fn is_taken(&self) -> bool {
        self.0.is_some()
    }
}

impl PartialEq for BodyPermit {
    /// Where a body lies in memory says nothing about it.
    fn eq(&self, _: &BodyPermit) -> bool {
        true
    }
}

impl Eq for BodyPermit {}

impl BodyPermits {
    /// Permits for `bytes` in all.
    pub fn new(bytes: u64) -> BodyPermits {
        let all = u32::try_from(bytes.div_ceil(UNIT))
            .unwrap_or(u32::MAX)
            .clamp(1, (Semaphore::MAX_PERMITS / 2) as u32);
        BodyPermits { permits: Arc::new(Semaphore::new(all as usize)), all }
    }

    /// Claims the permit of a body of at most `longest` bytes, of which `have` are there; false: not until `until`.
    pub async fn claim(&self, permit: &mut BodyPermit, have: u64, longest: u64, until: Instant) -> bool {
        if have <= FREE || permit.0.is_some() {
            return true;
        }
        let wanted = u32::try_from(longest.div_ceil(UNIT)).unwrap_or(u32::MAX).clamp(1, self.all);
        match timeout_at(until, self.permits.clone().acquire_many_owned(wanted)).await {
            Ok(Ok(units)) => {
                permit.0 = Some(Arc::new(units));
                true
            }
            // The semaphore is never closed.
            Ok(Err(_)) | Err(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn large_bodies_wait_for_each_other() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let permits = BodyPermits::new(4 << 20);
            let soon = || Instant::now() + Duration::from_millis(20);
            let (mut small, mut first, mut second) =
                (BodyPermit::default(), BodyPermit::default(), BodyPermit::default());
            assert!(permits.claim(&mut small, FREE, u64::MAX, soon()).await, "a small body needs none");
            assert!(permits.claim(&mut first, FREE + 1, 3 << 20, soon()).await);
            assert!(permits.claim(&mut first, 2 * FREE, 3 << 20, soon()).await, "it has one already");
            assert!(!permits.claim(&mut second, FREE + 1, 3 << 20, soon()).await);
            drop(first);
            assert!(
                permits.claim(&mut second, FREE + 1, u64::MAX, soon()).await,
                "a body larger than all gets all"
            );
        });
    }
}
