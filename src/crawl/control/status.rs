//! How a crawl goes, as a crawl says it to its operator.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::{HostTrouble, Snapshot};
use crate::focus::FocusCounts;
use crate::frontier::FrontierStats;

/// See the module. Times are UTC, ms since 1970.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Status {
    /// When this was so.
    pub at_ms: i64,
    /// Whether the crawl runs.
    pub running: bool,
    /// Whether an operator lets it pause.
    pub paused: bool,
    /// Seconds since it was opened.
    pub elapsed_s: f64,
    /// Pages stored since it began.
    pub stored: u64,
    /// Bytes received since it began.
    pub bytes: u64,
    /// Requests answered or failed since it began.
    pub fetched: u64,
    /// Events by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// References not followed, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Pages stored a second, lately.
    pub pages_per_second: f64,
    /// Bytes received a second, lately.
    pub bytes_per_second: f64,
    /// The queues.
    pub frontier: FrontierStats,
    /// Requests on their way.
    pub in_flight: usize,
    /// Seconds left, where a limit allows an estimate.
    pub eta_s: Option<f64>,
    /// Seconds since the last answer came in.
    pub idle_s: f64,
    /// Bytes that the process holds in memory, where that is known.
    pub resident_bytes: Option<u64>,
    /// Bytes that the frontier may use.
    pub memory_bytes: u64,
    /// Least pause between two requests to a host, ms.
    pub delay_ms: u64,
    /// Limit of pages.
    pub page_limit: Option<u64>,
    /// Patterns of dropped URLs.
    pub drops: Vec<String>,
    /// Hosts parked by an operator.
    pub parked: Vec<String>,
    /// Number of the last command that was obeyed.
    pub obeyed: u64,
    /// The last commands of this run that could not be obeyed, by number, with the reason.
    pub unobeyed: Vec<(u64, String)>,
    /// The worst of the hosts in trouble, with the URLs that wait for them.
    pub troubled: Vec<(HostTrouble, u64)>,
    /// Hosts in trouble, all that are remembered.
    pub troubled_hosts: u64,
    /// How a focused crawl does; `None`: it is no focused one.
    #[serde(default)]
    pub focus: Option<FocusCounts>,
}

impl Status {
    /// Of a look at a crawl.
    pub fn of(snapshot: &Snapshot, at_ms: i64) -> Status {
        let counts =
            |counted: &crate::Counted| counted.iter().map(|(name, n)| (name.to_owned(), n)).collect();
        let operated = &snapshot.operated;
        Status {
            at_ms,
            running: !snapshot.last,
            paused: snapshot.paused,
            elapsed_s: snapshot.elapsed.as_secs_f64(),
            stored: snapshot.totals.stored,
            bytes: snapshot.totals.bytes,
            fetched: snapshot.totals.fetched,
            outcomes: counts(&snapshot.totals.outcomes),
            refused: counts(&snapshot.totals.refused),
            pages_per_second: snapshot.pages_per_second,
            bytes_per_second: snapshot.bytes_per_second,
            frontier: snapshot.frontier,
            in_flight: snapshot.in_flight,
            eta_s: snapshot.eta.map(|eta| eta.as_secs_f64()),
            idle_s: snapshot.idle.as_secs_f64(),
            resident_bytes: snapshot.resident_bytes,
            memory_bytes: operated.memory_bytes,
            delay_ms: operated.delay_ms,
            page_limit: operated.page_limit,
            drops: operated.drops.clone(),
            parked: operated.parked.clone(),
            obeyed: operated.obeyed,
            unobeyed: operated.unobeyed.clone(),
            troubled: snapshot.worst.clone(),
            troubled_hosts: snapshot.troubled_hosts,
            focus: snapshot.focus,
        }
    }
}
