//! Turns: a bounded number of requests work at a time, the others wait, and addresses take turns.
//!
//! Called for every request that reads records or walks over an index.
//!
//! **Algorithm.** Who waits stands in a queue of its address. A place that becomes free goes to the next address round, there to who
//! has waited longest: who sends many requests waits for its own, not others for them. A place is handed over by a guard that gives it
//! back when it is dropped, so that a client that went away while it was handed one keeps nobody waiting.
//!
//! **Bounds.** Requests that wait, of all and of one address; how long one waits.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// Who waits, by address; `None`: the address is not known.
type Address = Option<IpAddr>;

/// Why there is no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoTurn {
    /// Too many requests of this address wait.
    OfOneAddress,
    /// Too many requests wait.
    OfAll,
    /// It took too long.
    TooLong,
}

/// The places, and who waits for them.
pub struct Turns {
    most_waiting: usize,
    state: Mutex<State>,
}

struct State {
    free: usize,
    waiting: usize,
    queues: HashMap<Address, VecDeque<oneshot::Sender<Turn>>>,
    /// Addresses that have somebody waiting, the next one first.
    round: VecDeque<Address>,
}

/// A place among those that work, given back when it is dropped.
pub struct Turn(Arc<Turns>);

impl Turns {
    /// With this number of places, and this number of requests that may wait: of one address half as many.
    pub fn new(places: usize, most_waiting: usize) -> Arc<Turns> {
        let state = State { free: places.max(1), waiting: 0, queues: HashMap::new(), round: VecDeque::new() };
        Arc::new(Turns { most_waiting, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place.
    ///
    /// # Errors
    /// Where too many wait already, or for longer than `patience`.
    pub async fn take(self: &Arc<Self>, address: Address, patience: Duration) -> Result<Turn, NoTurn> {
        let mut place = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return Ok(Turn(Arc::clone(self)));
            }
            if state.waiting >= self.most_waiting {
                return Err(NoTurn::OfAll);
            }
            let queue = state.queues.entry(address).or_default();
            if queue.len() >= self.most_waiting.div_ceil(2) {
                return Err(NoTurn::OfOneAddress);
            }
            let (giver, place) = oneshot::channel();
            let is_first = queue.is_empty();
            queue.push_back(giver);
            state.waiting += 1;
            if is_first {
                state.round.push_back(address);
            }
            place
        };
        if let Ok(Ok(turn)) = tokio::time::timeout(patience, &mut place).await {
            return Ok(turn);
        }
        // It may have come at the last moment.
        place.close();
        place.try_recv().map_err(|_| NoTurn::TooLong)
    }
}

impl State {
    /// Who is next, if anybody waits; else the place is free.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let Some(address) = self.round.pop_front() else {
            self.free += 1;
            return None;
        };
        let queue = self.queues.get_mut(&address)?;
        let giver = queue.pop_front();
        match queue.is_empty() {
            true => _ = self.queues.remove(&address),
            false => self.round.push_back(address),
        }
        self.waiting -= 1;
        giver
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let next = self.0.state().next();
        if let Some(giver) = next {
            // Who has gone away drops it, and so passes it on.
            let _ = giver.send(Turn(Arc::clone(&self.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn address(n: u8) -> Address {
        Some(IpAddr::from([192, 0, 2, n]))
    }

    /// Lets tasks that can go on do so.
    async fn settle() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn addresses_take_turns() {
        let turns = Turns::new(1, 100);
        let first = turns.take(address(1), LONG).await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        for (name, of) in [("1a", 1), ("1b", 1), ("1c", 1), ("2a", 2), ("3a", 3), ("2b", 2)] {
            let (turns, order) = (Arc::clone(&turns), Arc::clone(&order));
            tokio::spawn(async move {
                let _turn = turns.take(address(of), LONG).await.unwrap();
                order.lock().unwrap().push(name);
            });
            settle().await;
        }
        drop(first);
        settle().await;
        assert_eq!(*order.lock().unwrap(), ["1a", "2a", "3a", "1b", "2b", "1c"]);
        let state = turns.state();
        assert_eq!((state.free, state.waiting), (1, 0));
    }

    #[tokio::test]
    async fn who_waits_is_bounded_and_who_leaves_loses_no_place() {
        let turns = Turns::new(1, 4);
        let first = turns.take(None, LONG).await.unwrap();
        let wait = |of: u8, patience: Duration| {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move { turns.take(address(of), patience).await.map(drop) })
        };
        let (short, gone) = (wait(1, Duration::from_millis(30)), wait(1, LONG));
        settle().await;
        assert_eq!(turns.take(address(1), LONG).await.map(drop), Err(NoTurn::OfOneAddress));
        let (third, fourth) = (wait(2, LONG), wait(2, LONG));
        settle().await;
        assert_eq!(turns.take(address(3), LONG).await.map(drop), Err(NoTurn::OfAll));
        assert_eq!(short.await.unwrap(), Err(NoTurn::TooLong));
        gone.abort();
        settle().await;
        drop(first);
        assert_eq!((third.await.unwrap(), fourth.await.unwrap()), (Ok(()), Ok(())));
        settle().await;
        let state = turns.state();
        assert_eq!((state.free, state.waiting, state.queues.len()), (1, 0, 0));
    }
}
