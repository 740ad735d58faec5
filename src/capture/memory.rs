//! Large records and pages: one at a time.
//!
//! Readers of shards, the mill and the server call this on the threads of a job or of requests, which work within a bound
//! ([`work_within`]).
//!
//! **Definition.** A thread holds what is small without asking: [`Memory::small`] bytes for each thread are left for that. What grows
//! beyond it takes the only *turn* there is ([`grow`]), waits for it where another thread has it, and keeps it until the work on the record
//! is done ([`scope`]). What is larger than [`Memory::large`] is refused: it cannot be held at all.
//!
//! So all threads together hold at most `threads × small + large` bytes. A thread waits only while it holds little, and has at most
//! one turn: nobody waits for itself, or in a circle.
//!
//! **Determinism.** Who waits for whom changes no result. What is refused hangs on the bound alone, never on other threads.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The bound of a job, and its turn.
#[derive(Debug)]
pub struct Memory {
    small: u64,
    large: u64,
    taken: Mutex<bool>,
    free: Condvar,
}

/// Something that is larger than memory allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// Bytes that it would take.
    pub bytes: u64,
    /// Bytes that there may be.
    pub most: u64,
}

impl Memory {
    /// `bytes` for what `threads` threads read at a time: a quarter for what is small, the rest for the one that is large.
    pub fn new(bytes: u64, threads: usize) -> Arc<Memory> {
        let small = bytes / 4 / threads.max(1) as u64;
        Arc::new(Memory { small, large: bytes - bytes / 4, taken: Mutex::new(false), free: Condvar::new() })
    }

    /// Bytes that a thread holds without a turn.
    pub fn small(&self) -> u64 {
        self.small
    }

    /// Bytes of the largest thing.
    pub fn large(&self) -> u64 {
        self.large
    }

    fn take(&self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken {
            taken = self.free.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken = true;
    }

    fn give_back(&self) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.free.notify_one();
    }
}

/// What a thread works within.
#[derive(Default)]
struct Bound {
    memory: Option<Arc<Memory>>,
    /// Scopes that are open, one in the other.
    depth: u32,
    has_turn: bool,
}

thread_local! {
    static BOUND: RefCell<Bound> = RefCell::default();
}

/// Lets this thread work within a bound from now on.
pub fn work_within(memory: &Arc<Memory>) {
    BOUND.with_borrow_mut(|bound| bound.memory = Some(Arc::clone(memory)));
}

/// The work on one record: a turn that it takes is given back at its end.
#[must_use = "a scope ends when it is dropped"]
pub struct Scope(());

/// Begins the work on a record.
pub fn scope() -> Scope {
    BOUND.with_borrow_mut(|bound| bound.depth += 1);
    Scope(())
}

impl Drop for Scope {
    fn drop(&mut self) {
        let done = BOUND.with_borrow_mut(|bound| {
            bound.depth -= 1;
            let is_last = bound.depth == 0 && std::mem::take(&mut bound.has_turn);
            bound.memory.clone().filter(|_| is_last)
        });
        if let Some(memory) = done {
            memory.give_back();
        }
    }
}

/// Bytes that this thread may hold without a turn; any number where it has no bound.
pub fn small() -> u64 {
    BOUND.with_borrow(|bound| bound.memory.as_ref().map_or(u64::MAX, |memory| memory.small))
}

/// Bytes of the largest thing that this thread may hold; any number where it has no bound.
pub fn large() -> u64 {
    BOUND.with_borrow(|bound| bound.memory.as_ref().map_or(u64::MAX, |memory| memory.large))
}

/// Asks for `bytes` in all for the record that the thread works on, and waits where others hold much. Outside of a [`scope`], or
/// without a bound, anything is allowed.
///
/// # Errors
/// [`TooLarge`] where that is more than the bound allows for one.
pub fn grow(bytes: u64) -> Result<(), TooLarge> {
    let memory = BOUND.with_borrow(|bound| bound.memory.clone().filter(|_| bound.depth > 0));
    let Some(memory) = memory.filter(|memory| bytes > memory.small) else { return Ok(()) };
    // Also for what is too large: readers of records hold it all the same, up to their own bound.
    if !BOUND.with_borrow_mut(|bound| std::mem::replace(&mut bound.has_turn, true)) {
        memory.take();
    }
    if bytes > memory.large { Err(TooLarge { bytes, most: memory.large }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn one_is_large_at_a_time_and_small_ones_do_not_wait() {
        let memory = Memory::new(1000, 4);
        let (large, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    work_within(&memory);
                    for _ in 0..200 {
                        let _scope = scope();
                        grow(62).unwrap();
                        grow(700).unwrap();
                        most.fetch_max(1 + large.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                        // More for the same record.
                        grow(750).unwrap();
                        large.fetch_sub(1, Ordering::SeqCst);
                        assert_eq!(grow(751), Err(TooLarge { bytes: 751, most: 750 }));
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
    }

    #[test]
    fn without_bound_or_scope_nobody_waits() {
        std::thread::spawn(|| {
            assert_eq!(grow(u64::MAX), Ok(()));
            work_within(&Memory::new(10, 1));
            assert_eq!(grow(u64::MAX), Ok(()));
            let _outer = scope();
            drop(scope());
            assert!(grow(u64::MAX).is_err());
        })
        .join()
        .unwrap();
    }
}
