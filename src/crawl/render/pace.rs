//! The pauses of hosts among rendered pages.
//!
//! A request takes its host's [`Turn`] and holds it until its answer is there; the next turn begins a pause later. Memory: an entry
//! for each host that was asked within its pause.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

/// Hosts at which those of the past are thrown out.
const PURGE_AT: usize = 4_096;
/// Longest wait for a turn when it is one's own: a host that asked for more is not waited for.
const LONGEST: Duration = Duration::from_secs(60);

type DueTime = Arc<tokio::sync::Mutex<Instant>>;

/// When each host may be asked again.
#[derive(Default)]
pub(super) struct Pace(Mutex<HashMap<Box<str>, DueTime>>);

/// The right to ask a host.
pub(super) struct Turn(OwnedMutexGuard<Instant>);

impl Turn {
    /// The host rests from now on.
    pub(super) fn rest(&mut self, pause: Duration) {
        *self.0 = Instant::now() + pause;
    }
}

impl Pace {
    fn due(&self, host: &str) -> DueTime {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= PURGE_AT {
            let now = Instant::now();
            hosts.retain(|_, due| Arc::strong_count(due) > 1 || due.try_lock().is_ok_and(|due| *due > now));
        }
        hosts.entry(host.into()).or_insert_with(|| Arc::new(tokio::sync::Mutex::new(Instant::now()))).clone()
    }

    /// Lets a host rest from now on, at least.
    pub(super) async fn rest(&self, host: &str, pause: Duration) {
        let mut due = self.due(host).lock_owned().await;
        *due = (*due).max(Instant::now() + pause);
    }

    /// Waits for the turn of a host; `None`: it wants to be left alone for long. `pause` is what it rests if the turn is given up.
    pub(super) async fn turn(&self, host: &str, pause: Duration) -> Option<Turn> {
        let mut due = self.due(host).lock_owned().await;
        if due.saturating_duration_since(Instant::now()) > LONGEST.max(pause) {
            return None;
        }
        tokio::time::sleep_until(*due).await;
        *due = Instant::now() + pause;
        Some(Turn(due))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_of_a_host_keep_their_distance_and_hosts_that_rest_are_not_waited_for() {
        let pace = Arc::new(Pace::default());
        let pause = Duration::from_millis(30);
        let begun = Instant::now();
        for _ in 0..4 {
            drop(pace.turn("a.example", pause).await.unwrap());
        }
        assert!(begun.elapsed() >= pause * 3);
        let mut turn = pace.turn("b.example", pause).await.unwrap();
        turn.rest(Duration::from_secs(3_600));
        drop(turn);
        assert!(pace.turn("b.example", pause).await.is_none());
        assert!(pace.turn("c.example", pause).await.is_some());
    }

    #[tokio::test]
    async fn the_table_forgets_the_past() {
        let pace = Pace::default();
        for n in 0..3 * PURGE_AT {
            drop(pace.turn(&format!("h{n}.example"), Duration::ZERO).await);
        }
        assert!(pace.0.lock().unwrap().len() <= PURGE_AT);
    }
}
