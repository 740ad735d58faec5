//! For how long an agent may ask hosts after a sign of life: its lease.

use std::time::{Duration, Instant, SystemTime};

/// An agent's lease.
pub(super) struct Lease {
    timeout: Duration,
    last_beat: Option<(Instant, SystemTime)>,
    /// Nothing is asked for before: a sign of life came late.
    hold_until: Option<Instant>,
}

impl Lease {
    pub fn new(timeout: Duration) -> Lease {
        Lease { timeout, last_beat: None, hold_until: None }
    }

    /// Without a sign of life for this long nothing is asked for.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Between two looks at the others.
    pub fn interval(&self) -> Duration {
        (self.timeout / 40).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }

    /// Until when others may count on it, ms from the sign of life on.
    pub fn length_ms(&self) -> i64 {
        2 * self.timeout.as_millis() as i64
    }

    /// Since the last sign of life; by both clocks, for one of them stands still while a machine sleeps.
    fn silence(&self) -> Duration {
        match self.last_beat {
            None => Duration::MAX,
            Some((at, wall)) => at.elapsed().max(wall.elapsed().unwrap_or_default()),
        }
    }

    /// Whether no sign of life was given in this life.
    pub fn is_new(&self) -> bool {
        self.last_beat.is_none()
    }

    /// Whether it is time for a sign of life.
    pub fn is_due(&self) -> bool {
        self.silence() >= self.timeout / 6
    }

    /// Whether the last sign of life is no older than the timeout.
    pub fn is_current(&self) -> bool {
        self.silence() < self.timeout
    }

    /// Whether hosts may be asked.
    pub fn holds(&self) -> bool {
        self.is_current() && self.hold_until.is_none_or(|until| Instant::now() >= until)
    }

    /// Whether another may ask the hosts now.
    pub fn is_over(&self) -> bool {
        self.last_beat.is_some() && self.silence() >= self.timeout * 7 / 4
    }

    /// A sign of life was given, begun at `at`; `late`: after the timeout.
    pub fn renew(&mut self, at: (Instant, SystemTime), late: bool) {
        self.last_beat = Some(at);
        if late {
            // Others may be about to leave it out: that is known by then.
            self.hold_until = Some(at.0 + self.timeout);
        }
    }

    /// Another life begins, without a sign so far.
    pub fn forget(&mut self) {
        self.last_beat = None;
    }
}
