//! The turns of the writer thread: fetches sent out, results taken in, batches committed, until there is nothing left or it is enough.

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use crate::engine::{Crawl, Ended, Observer};
use crate::frontier::{NEVER_MS, Next};
use webmill_capture::error::{Error, Result};

/// Between two commits of the frontier, at most.
const TICK: Duration = Duration::from_millis(50);
/// Results after which a commit is due in any case.
const BATCH: usize = 256;
/// Between two syncs against loss of power.
const SYNC: Duration = Duration::from_secs(5);
/// How long fetches in flight may go on when a crawl is asked to stop.
const GRACE: Duration = Duration::from_secs(10);
/// Longest wait for a result before the operator, limits and hosts are looked after.
const LONGEST_WAIT: Duration = Duration::from_millis(250);
/// A wait that is longer than this, ms, is explained.
const LONG_WAIT_MS: i64 = 60_000;

impl Crawl {
    pub(super) fn fetch_all(
        &mut self,
        observer: &mut dyn Observer,
        stop: &dyn Fn() -> bool,
    ) -> Result<Ended> {
        let mut committed = Instant::now();
        let mut synced = Instant::now();
        let mut stopping: Option<(Instant, Ended)> = None;
        loop {
            if stopping.is_none() {
                let reason = self.operate()?;
                let reason =
                    reason.or_else(|| if stop() { Some(Ended::Stopped) } else { self.limit_reached() });
                stopping = reason.map(|r| (Instant::now(), r));
            }
            self.mind_others()?;
            let mut wake = match &stopping {
                None if !self.operator.is_paused() => self.look_or_dispatch()?,
                _ => Wake::Results,
            };
            if let Wake::Nothing = wake {
                wake = self.is_over_everywhere()?;
            }
            if let Wake::Nothing = wake {
                break;
            }
            if self.is_out_of_patience(&wake) {
                stopping = Some((Instant::now(), Ended::Patience));
            }
            if let Some((since, _)) = &stopping
                && (self.requests.in_flight == 0 || since.elapsed() > GRACE)
            {
                break;
            }
            self.note_long_wait(&wake)?;
            self.collect(wake, committed)?;
            if let Some(error) = self.out_of_reach() {
                self.commit()?;
                self.sync()?;
                return Err(error);
            }
            if self.changed >= BATCH || (self.changed > 0 && committed.elapsed() >= TICK) {
                self.commit()?;
                committed = Instant::now();
            }
            if synced.elapsed() >= SYNC {
                self.sync()?;
                synced = Instant::now();
            }
            self.observe(observer, false);
        }
        if matches!(stopping, None | Some((_, Ended::Patience))) {
            self.note_waiting()?;
        }
        self.drop_parts();
        self.commit()?;
        self.sync()?;
        if let Some(exchange) = &mut self.exchange {
            exchange.leave()?;
        }
        self.observe(observer, true);
        Ok(stopping.map_or(Ended::Finished, |(_, reason)| reason))
    }

    /// Looks at pages again that rules came to later, and sends fetches out. With one connection all looks come first, so that the order
    /// of fetching is theirs.
    fn look_or_dispatch(&mut self) -> Result<Wake> {
        let now = self.now_ms();
        let looks_left = self.look_again()?;
        if looks_left && self.options.connections == 1 {
            return Ok(Wake::At(now));
        }
        let wake = self.dispatch()?;
        Ok(if looks_left { Wake::At(now) } else { wake })
    }

    /// Notes for whom all wait, where that is long and nothing is on its way.
    fn note_long_wait(&mut self, wake: &Wake) -> Result<()> {
        let is_long = |until: i64| until - self.now_ms() > LONG_WAIT_MS;
        match wake {
            Wake::At(until) if self.requests.in_flight == 0 && is_long(*until) => {
                if self.long_wait.is_none() {
                    self.long_wait = self.frontier.first_due()?.filter(|(_, due)| is_long(*due));
                }
            }
            _ => self.long_wait = None,
        }
        Ok(())
    }

    /// Takes in results: at least one, unless the next host is due before.
    fn collect(&mut self, wake: Wake, committed: Instant) -> Result<()> {
        let now = self.now_ms();
        let mut wait = match wake {
            Wake::At(ms) => Duration::from_millis(u64::try_from(ms - now).unwrap_or(0)),
            _ => LONGEST_WAIT,
        };
        if let Some(due) = self.robots_redirects.next_due() {
            wait = wait.min(Duration::from_millis(u64::try_from(due - now).unwrap_or(0)));
        }
        if self.changed > 0 {
            wait = wait.min(TICK.saturating_sub(committed.elapsed()));
        }
        match self.requests.results.recv_timeout(wait.clamp(Duration::from_millis(1), LONGEST_WAIT)) {
            Ok(result) => self.apply(result)?,
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Internal("the fetching threads are gone".into()));
            }
        }
        while self.changed < BATCH {
            match self.requests.results.try_recv() {
                Ok(result) => self.apply(result)?,
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Sends out as many fetches as there is room for.
    fn dispatch(&mut self) -> Result<Wake> {
        self.fetch_robots_redirects()?;
        // With one connection the order must not depend on when a moved robots.txt arrives.
        if self.options.connections == 1 && !self.robots_redirects.is_empty() {
            return Ok(Wake::Results);
        }
        while self.requests.in_flight < self.options.connections {
            let now = self.now_ms();
            if now < self.warm_ms {
                return Ok(Wake::At(self.warm_ms));
            }
            let left = self.options.limits.pages.map_or(u64::MAX, |p| p.saturating_sub(self.totals.stored));
            if self.requests.pages >= left {
                return self.dispatch_requisites();
            }
            self.admit_due(false)?;
            match self.frontier.next(now)? {
                Next::Fetch(lease) => self.consider(lease)?,
                Next::Empty | Next::Wait { .. } if self.admit_due(true)? => {}
                Next::Wait { until_ms } => {
                    let due = self.next_due()?.unwrap_or(until_ms).max(now + 1);
                    return Ok(Wake::At(until_ms.min(due)));
                }
                Next::Empty if self.next_due()?.is_some_and(|due| due < NEVER_MS) => {
                    let due = self.next_due()?.unwrap_or(now);
                    return Ok(Wake::At(due.max(now + 1)));
                }
                Next::Busy => return Ok(Wake::Results),
                Next::Empty if self.requests.in_flight == 0 && self.robots_redirects.is_empty() => {
                    if !self.release_reserve()? {
                        return Ok(Wake::Nothing);
                    }
                }
                Next::Empty => return Ok(Wake::Results),
            }
            // URLs that are settled without a request must not keep results waiting, nor grow the batch without bound.
            if self.changed >= 4 * BATCH {
                return Ok(Wake::At(now));
            }
        }
        Ok(Wake::Results)
    }

    /// Whether only hosts in trouble are left, and have been for longer than is waited.
    fn is_out_of_patience(&self, wake: &Wake) -> bool {
        let Some(patience) = self.options.politeness.patience_ms else { return false };
        matches!(wake, Wake::At(_))
            && self.requests.in_flight == 0
            && !self.troubled.is_empty()
            && self.last_good.elapsed().as_millis() >= u128::from(patience)
    }

    fn limit_reached(&mut self) -> Option<Ended> {
        let limits = self.options.limits.clone();
        if limits.pages.is_some_and(|n| self.totals.stored >= n) && !self.requisites_left() {
            Some(Ended::Pages)
        } else if self.has_target() {
            Some(Ended::Target)
        } else if limits.bytes.is_some_and(|n| self.totals.bytes >= n) {
            Some(Ended::Bytes)
        } else if limits.seconds.is_some_and(|n| self.started.elapsed().as_secs() >= n) {
            Some(Ended::Time)
        } else {
            None
        }
    }
}

/// What the writer thread waits for.
pub(super) enum Wake {
    Results,
    /// A result, or this moment.
    At(i64),
    /// Nothing: the crawl is at its end.
    Nothing,
}
