//! Memory for large bodies, shared by all connections.
//!
//! A body up to [`FREE`] costs what it costs. One that grows beyond must have room for the longest that it may become before
//! more of it is read; until others give theirs back its connection waits, and the server with it. All room is claimed at
//! once, so that two bodies cannot wait for each other. A wait is bounded and moves the end of its exchange.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Bytes of a body that need no room.
pub(super) const FREE: u64 = 1 << 20;
/// Bytes that one permit stands for.
const UNIT: u64 = 64 << 10;

/// All the room there is.
#[derive(Debug, Clone)]
pub(super) struct Rooms {
    permits: Arc<Semaphore>,
    all: u32,
}

/// Room that a body has; it is given back when this is dropped.
#[derive(Debug, Clone, Default)]
pub struct Room(Option<Arc<OwnedSemaphorePermit>>);

impl Room {
    /// Whether it was claimed.
    pub(super) fn is_taken(&self) -> bool {
        self.0.is_some()
    }
}

impl PartialEq for Room {
    /// Where a body lies in memory says nothing about it.
    fn eq(&self, _: &Room) -> bool {
        true
    }
}

impl Eq for Room {}

impl Rooms {
    /// Room for `bytes`.
    pub fn new(bytes: u64) -> Rooms {
        let all = u32::try_from(bytes.div_ceil(UNIT))
            .unwrap_or(u32::MAX)
            .clamp(1, (Semaphore::MAX_PERMITS / 2) as u32);
        Rooms { permits: Arc::new(Semaphore::new(all as usize)), all }
    }

    /// Claims room for a body of at most `longest` bytes, of which `have` are there; false: not until `until`.
    pub async fn claim(&self, room: &mut Room, have: u64, longest: u64, until: Instant) -> bool {
        if have <= FREE || room.0.is_some() {
            return true;
        }
        let wanted = u32::try_from(longest.div_ceil(UNIT)).unwrap_or(u32::MAX).clamp(1, self.all);
        match timeout_at(until, self.permits.clone().acquire_many_owned(wanted)).await {
            Ok(Ok(permit)) => {
                room.0 = Some(Arc::new(permit));
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
            let rooms = Rooms::new(4 << 20);
            let soon = || Instant::now() + Duration::from_millis(20);
            let (mut small, mut first, mut second) = (Room::default(), Room::default(), Room::default());
            assert!(rooms.claim(&mut small, FREE, u64::MAX, soon()).await, "a small body needs none");
            assert!(rooms.claim(&mut first, FREE + 1, 3 << 20, soon()).await);
            assert!(rooms.claim(&mut first, 2 * FREE, 3 << 20, soon()).await, "it has room already");
            assert!(!rooms.claim(&mut second, FREE + 1, 3 << 20, soon()).await);
            drop(first);
            assert!(
                rooms.claim(&mut second, FREE + 1, u64::MAX, soon()).await,
                "a body larger than all gets all"
            );
        });
    }
}
