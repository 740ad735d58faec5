//! The work that a call may do.

use std::cell::Cell;

/// Steps that one call may take.
const MAX_WORK: u64 = 50_000_000;

/// Steps that are left to a call. Where none are, there are no further nodes, so that all matching ends soon.
#[derive(Debug)]
pub(super) struct Work(Cell<u64>);

impl Work {
    pub(super) fn new() -> Work {
        Work(Cell::new(MAX_WORK))
    }

    pub(super) fn spent(&self) -> bool {
        self.0.get() == 0
    }

    /// Takes some steps; `false` if there are not as many.
    #[inline]
    pub(super) fn take(&self, steps: u64) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(steps));
        left > steps
    }
}
