//! What waits for hosts in trouble: counted now and then, for whoever looks on.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::engine::{Crawl, HostTrouble};

/// Hosts of a look.
const SHOWN: usize = 20;
/// URLs of a host are counted up to here.
const COUNTED: u64 = 20_000;
/// Between two counts.
const COUNT_AGAIN: Duration = Duration::from_secs(20);

/// Lengths of queues, as counted lately.
#[derive(Default)]
pub(super) struct Queues {
    counted: HashMap<String, (Instant, u64)>,
}

impl Crawl {
    /// The hosts that have failed most often in a row, with the URLs that wait for them.
    pub(super) fn worst_troubles(&mut self) -> Vec<(HostTrouble, u64)> {
        let mut worst: Vec<&HostTrouble> = self.troubled.values().collect();
        worst.sort_by(|a, b| (b.failures, a.since_ms, &a.host).cmp(&(a.failures, b.since_ms, &b.host)));
        worst.truncate(SHOWN);
        let counted = &mut self.queues.counted;
        if counted.len() > 16 * SHOWN {
            counted.clear();
        }
        let mut shown = Vec::with_capacity(worst.len());
        for trouble in worst {
            let known = counted.get(&trouble.host).filter(|(at, _)| at.elapsed() < COUNT_AGAIN);
            let queued = match known {
                Some((_, queued)) => *queued,
                None => {
                    // Damage is met again, and said, by whoever needs the queue.
                    let queued = self.frontier.queued_of(&trouble.host, COUNTED).unwrap_or(0);
                    counted.insert(trouble.host.clone(), (Instant::now(), queued));
                    queued
                }
            };
            shown.push((trouble.clone(), queued));
        }
        shown
    }
}
