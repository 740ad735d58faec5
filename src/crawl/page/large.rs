//! Memory for reading large responses: how much of one is read, and how many are at work at once.
//!
//! A few bytes may unpack to many, and a tree takes ten times its markup: one response may cost a hundred MiB while it is
//! read, on each thread. So a body longer than [`LARGE_BYTES`], unpacked, takes one of a few places, which it keeps until
//! its links are taken in. Whoever finds none waits on its thread, and the other tasks of that thread move on to another
//! one; after [`LONGEST_WAIT`] it goes on all the same, so that no order of events can stop a crawl.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};

use super::{MAX_FOUND_BYTES, PARSED_BYTES};

/// Bytes of a body above which a response is large.
pub(super) const LARGE_BYTES: usize = 1 << 20;
/// Longest wait for a place.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Memory of a crawl for each large response that is read at the same time.
const MEMORY_EACH: u64 = 512 << 20;

/// What reading may take of memory; shared by all fetching tasks.
#[derive(Debug)]
pub struct ReadingBudget {
    /// Bytes of a body that are read.
    pub body_bytes: usize,
    /// Bytes that the URLs found on one page may take.
    pub found_bytes: usize,
    /// Bytes of markup that become one tree.
    pub piece_bytes: usize,
    places: Arc<Places>,
}

/// A place among the large responses being read, given back when it is dropped.
#[derive(Debug)]
pub struct LargePlace {
    /// `None` where the wait was too long.
    places: Option<Arc<Places>>,
}

#[derive(Debug)]
struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

impl ReadingBudget {
    /// For a crawl with `memory` bytes: an eighth of them for the body and an eighth for the URLs it names, at least
    /// 8 MiB, at most [`PARSED_BYTES`] and [`MAX_FOUND_BYTES`]; a place for each 512 MiB.
    pub fn of(memory: u64) -> ReadingBudget {
        let share = |most: usize| usize::try_from(memory / 8).unwrap_or(usize::MAX).clamp(8 << 20, most);
        let places = usize::try_from(memory / MEMORY_EACH).unwrap_or(usize::MAX).max(1);
        ReadingBudget {
            body_bytes: share(PARSED_BYTES),
            found_bytes: share(MAX_FOUND_BYTES),
            // An element that is longer is cut: a list of a hundred thousand pictures is one.
            piece_bytes: 4 << 20,
            places: Arc::new(Places { free: Mutex::new(places), freed: Condvar::new() }),
        }
    }

    /// A place for a large response.
    pub(super) fn place(&self) -> LargePlace {
        if self.places.take() {
            return LargePlace { places: Some(self.places.clone()) };
        }
        let wait = || self.places.wait(LONGEST_WAIT);
        let on_workers =
            Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
        let got = if on_workers { tokio::task::block_in_place(wait) } else { wait() };
        LargePlace { places: got.then(|| self.places.clone()) }
    }
}

impl Default for ReadingBudget {
    /// That of a crawl with 1 GiB.
    fn default() -> Self {
        ReadingBudget::of(1 << 30)
    }
}

impl Places {
    fn free(&self) -> MutexGuard<'_, usize> {
        // A count is right whatever became of who held it.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> bool {
        let mut free = self.free();
        let got = *free > 0;
        *free -= usize::from(got);
        got
    }

    fn wait(&self, longest: Duration) -> bool {
        let waited = self.freed.wait_timeout_while(self.free(), longest, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let got = *free > 0;
        *free -= usize::from(got);
        got
    }
}

impl Drop for LargePlace {
    fn drop(&mut self) {
        if let Some(places) = &self.places {
            *places.free() += 1;
            places.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_memory() {
        let of = |mib: u64| ReadingBudget::of(mib << 20);
        assert_eq!((of(1024).body_bytes, of(1024).found_bytes), (PARSED_BYTES, MAX_FOUND_BYTES));
        assert_eq!((of(256).body_bytes, of(256).found_bytes), (32 << 20, 32 << 20));
        assert_eq!((of(16).body_bytes, of(16).piece_bytes), (8 << 20, 4 << 20));
        assert_eq!((*of(16).places.free(), *of(1024).places.free(), *of(8192).places.free()), (1, 2, 16));
    }

    #[test]
    fn places_come_back_and_whoever_waits_gets_them() {
        let budget = ReadingBudget::of(256 << 20);
        let first = budget.place();
        assert!(!budget.places.take());
        assert!(!budget.places.wait(Duration::from_millis(1)), "the wait ends");
        std::thread::scope(|scope| {
            let second = scope.spawn(|| budget.place());
            drop(first);
            assert!(second.join().unwrap().places.is_some());
        });
        assert_eq!(*budget.places.free(), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn the_only_worker_waits_while_another_task_gives_its_place_back() {
        let budget = Arc::new(ReadingBudget::of(256 << 20));
        let held = budget.place();
        let waiting = {
            let budget = budget.clone();
            tokio::spawn(async move { budget.place().places.is_some() })
        };
        let giving = tokio::spawn(async move { drop(held) });
        giving.await.unwrap();
        assert!(waiting.await.unwrap());
    }
}
