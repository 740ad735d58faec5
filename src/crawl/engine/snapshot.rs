//! How a crawl goes, for whoever looks on.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::engine::{Crawl, HostTrouble, Operated, Totals};
use crate::focus::FocusCounts;
use crate::frontier::FrontierStats;

/// Between two looks.
const PERIOD: Duration = Duration::from_millis(500);
/// Rates are means over this many looks.
const WINDOW: usize = 20;

/// Why [`Crawl::run`] came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// Nothing is left.
    Finished,
    /// At the limit of pages.
    Pages,
    /// It has the relevant pages that it was to find.
    Target,
    /// At the limit of bytes.
    Bytes,
    /// At the limit of time.
    Time,
    /// Only hosts in trouble were left, and it was not to wait any longer for them.
    Patience,
    /// It was asked to stop.
    Stopped,
}

impl Ended {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Ended::Finished => "finished",
            Ended::Pages => "page limit",
            Ended::Target => "target reached",
            Ended::Bytes => "byte limit",
            Ended::Time => "time limit",
            Ended::Patience => "gave up waiting",
            Ended::Stopped => "stopped",
        }
    }
}

/// A look at a running crawl.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// Since the crawl was opened.
    pub elapsed: Duration,
    /// Counts since the crawl began, over all its resumptions.
    pub totals: Totals,
    /// Pages stored a second, lately.
    pub pages_per_second: f64,
    /// Bytes received a second, lately.
    pub bytes_per_second: f64,
    /// The queues.
    pub frontier: FrontierStats,
    /// Requests on their way.
    pub in_flight: usize,
    /// Hosts in trouble, some of them, by name.
    pub troubled: Vec<HostTrouble>,
    /// Time left, where a limit allows an estimate.
    pub eta: Option<Duration>,
    /// An operator lets it pause.
    pub paused: bool,
    /// The worst of the hosts in trouble, with the URLs that wait for them as counted lately.
    pub worst: Vec<(HostTrouble, u64)>,
    /// Hosts in trouble, all that are remembered.
    pub troubled_hosts: u64,
    /// The effects of its operator's commands.
    pub operated: Operated,
    /// Since the last answer came in.
    pub idle: Duration,
    /// Bytes that the process holds in memory, where that is known.
    pub resident_bytes: Option<u64>,
    /// How a focused crawl does.
    pub focus: Option<FocusCounts>,
    /// The last look: fetching has ended.
    pub last: bool,
}

/// Looks on while a crawl runs.
pub trait Observer {
    /// Called about twice a second from the writer thread: must be quick.
    fn look(&mut self, snapshot: &Snapshot);
}

/// Counts of the last seconds.
#[derive(Default)]
pub(super) struct Samples {
    last: VecDeque<(Instant, u64, u64)>,
}

impl Crawl {
    /// Lets `observer` look if it is time, or if this is the `last` look.
    pub(super) fn observe(&mut self, observer: &mut dyn Observer, last: bool) {
        let now = Instant::now();
        if !last && !self.has_news() && self.samples.last.back().is_some_and(|(at, ..)| now - *at < PERIOD) {
            return;
        }
        let samples = &mut self.samples.last;
        samples.push_back((now, self.totals.stored, self.totals.bytes));
        if samples.len() > WINDOW {
            samples.pop_front();
        }
        let (mut pages_per_second, mut bytes_per_second) = (0.0, 0.0);
        if let (Some(first), Some(newest)) = (samples.front(), samples.back()) {
            let seconds = (newest.0 - first.0).as_secs_f64();
            if seconds > 0.0 {
                pages_per_second = (newest.1 - first.1) as f64 / seconds;
                bytes_per_second = (newest.2 - first.2) as f64 / seconds;
            }
        }
        let worst = self.worst_troubles();
        let snapshot = Snapshot {
            elapsed: self.started.elapsed(),
            totals: self.totals.clone(),
            pages_per_second,
            bytes_per_second,
            frontier: self.frontier.stats(),
            in_flight: self.requests.in_flight,
            troubled: self.troubled.values().take(64).cloned().collect(),
            eta: self.eta(pages_per_second, bytes_per_second),
            paused: self.operator.is_paused(),
            worst,
            troubled_hosts: self.troubled.len() as u64,
            operated: self.operated(),
            idle: self.answered_at.elapsed(),
            resident_bytes: resident_bytes(),
            focus: self.focus_counts(),
            last,
        };
        self.publish(&snapshot);
        observer.look(&snapshot);
    }

    /// The nearest of the limits.
    fn eta(&self, pages_per_second: f64, bytes_per_second: f64) -> Option<Duration> {
        let limits = &self.options.limits;
        let at_rate = |left: u64, rate: f64| {
            (rate > 0.0).then(|| left as f64 / rate).filter(|s| *s < 1e9).map(Duration::from_secs_f64)
        };
        let pages =
            limits.pages.and_then(|n| at_rate(n.saturating_sub(self.totals.stored), pages_per_second));
        let bytes = limits.bytes.and_then(|n| at_rate(n.saturating_sub(self.totals.bytes), bytes_per_second));
        let time = limits.seconds.map(|n| Duration::from_secs(n).saturating_sub(self.started.elapsed()));
        [pages, bytes, time].into_iter().flatten().min()
    }
}

/// Bytes of the process in memory: the second number of `/proc/self/statm`, in pages.
fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    #[cfg(unix)]
    // SAFETY: sysconf reads a constant of the system; it takes no pointer.
    let page_bytes = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    #[cfg(not(unix))]
    let page_bytes = 4096;
    Some(pages * page_bytes)
}
