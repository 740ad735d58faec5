//! How long a host is left alone.
//!
//! **Definition.** The next request to a host starts no sooner than `delay` after the last answer ended, where `delay =
//! max(delay_ms, Crawl-delay, twice the time of the last answer, learned pace)`, the second capped by `max_crawl_delay_ms` and the
//! third by half a minute; with a delay of 0 the third is off. After the n-th failure in a row it is at least `backoff_ms ·
//! 2ⁿ⁻¹`, capped by `max_backoff_ms` and 1,440 times `backoff_ms`; a `Retry-After` of a 429 or 503 counts too, capped by
//! `max_retry_after_ms`.
//!
//! **Learned pace** ([`Pace`]): a 429 or 503 halves the rate at which its host is asked; each good answer raises it by a
//! sixty-fourth of the rate at which the host refused (additive increase, multiplicative decrease), until the host is as fast as
//! politeness allows anyway. Refusals in a row double the pause.
//!
//! **Giving up.** A host that was away (no connection, no robots.txt, 429, 503, and any 5xx once eight URLs in a row had got one at their
//! first attempt) `max_failures` times in a row
//! (8 where it never answered) is left alone until the crawl is opened again; with the default waits that takes a
//! day and a half, and ten minutes. Other errors are those of a URL.
//!
//! **Reference.** Heydon and Najork, Mercator, World Wide Web 2 (1999), doi:10.1023/A:1019213109274 (delay by response time);
//! Chiu and Jain, Analysis of the increase and decrease algorithms, Computer Networks and ISDN Systems 17 (1989),
//! doi:10.1016/0169-7552(89)90019-6; RFC 9110, 10.2.3 (Retry-After).

use serde::{Deserialize, Serialize};

use crate::HostState;
use webmill_capture::date::parse_rfc822;
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;

settings! {
    /// Waiting times, in milliseconds.
    #[derive(PartialEq)]
    pub struct Politeness {
        /// Least pause between two requests to a host, ms. Default 1,000.
        pub delay_ms: u64 = 1_000;
        /// Cap of a robots.txt's `Crawl-delay`, ms. Default 300,000.
        pub max_crawl_delay_ms: u64 = 300_000;
        /// Pause after a first failure, ms; doubled by each further one. Default 5,000.
        pub backoff_ms: u64 = 5_000;
        /// Cap of the pause after failures, ms: 7,200,000; 1,440 times `backoff_ms` is another.
        #[serde(skip)]
        pub max_backoff_ms: u64 = 7_200_000;
        /// Cap of a server's `Retry-After`, ms: 3,600,000.
        #[serde(skip)]
        pub max_retry_after_ms: u64 = 3_600_000;
        /// Failures in a row after which a host that has answered before is left alone until the crawl is opened again: 30, which with the
        /// default pauses takes a day and a half.
        #[serde(skip)]
        pub max_failures: u16 = 30;
        /// Time without a good answer, ms, after which a crawl ends although hosts in trouble are to be asked again
        /// later; their queues are kept. Default 3,600,000.
        pub patience_ms: Option<u64> = Some(3_600_000);
        /// How long resolver or proxy may fail for everything before the crawl stops with an error, ms: 120,000.
        #[serde(skip)]
        pub outage_ms: u64 = 120_000;
    }
}

/// The pause in response times of the host: 2 leaves a host two thirds of its time.
const ADAPTIVE: u64 = 2;
/// Cap of the pause by response time, ms.
const MAX_ADAPTIVE_MS: u64 = 30_000;
/// Failures in a row after which a host that never answered is left alone, where `max_failures` is no less.
const MAX_FAILURES_AT_FIRST: u16 = 8;
/// How long a robots.txt counts, ms (RFC 9309, 2.4).
pub const ROBOTS_MS: u64 = 86_400_000;

/// Least pause after a refusal, ms.
const LEAST_REFUSED_MS: u64 = 50;
/// Good answers that bring a host from half of the rate at which it refused back to that rate, and a half.
const STEPS: f32 = 64.0;

/// The rate that a host has taught by refusing (429, 503).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Pace {
    /// Requests a second; 0: it has not refused, or not for long.
    rate: f32,
    /// Requests a second when it refused last.
    ceiling: f32,
    /// Refusals in a row.
    refusals: u16,
}

impl Pace {
    /// The host refused; it had been asked every `interval_ms`.
    pub fn refused(&mut self, interval_ms: u64) {
        if self.refusals == 0 {
            self.ceiling = 1_000.0 / interval_ms.clamp(1, u64::from(u32::MAX)) as f32;
            self.rate = self.ceiling / 2.0;
        }
        self.refusals = self.refusals.saturating_add(1);
    }

    /// The host gave a good answer; without a learned pace it would be asked every `free_ms`.
    pub fn good(&mut self, free_ms: u64) {
        self.refusals = 0;
        if self.rate > 0.0 {
            self.rate += self.ceiling / STEPS;
            if self.rate >= 1_000.0 / free_ms.max(1) as f32 {
                self.rate = 0.0;
            }
        }
    }

    /// The learned pause, ms; 0: none.
    pub fn pause_ms(&self) -> u64 {
        if self.rate > 0.0 { (1_000.0 / self.rate) as u64 } else { 0 }
    }
}

/// Longest of all pauses that can be set: 30 days.
const MAX_MS: u64 = 30 * 86_400_000;

impl Politeness {
    /// Holds every setting against its range.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub fn check(&self) -> Result<()> {
        let times = [
            ("delay_ms", self.delay_ms),
            ("max_crawl_delay_ms", self.max_crawl_delay_ms),
            ("backoff_ms", self.backoff_ms),
        ];
        for (name, ms) in times {
            if ms > MAX_MS {
                return Err(Error::Config(format!("politeness.{name} {ms}: 0 to {MAX_MS} are possible")));
            }
        }
        Ok(())
    }

    /// The pause of a host after an answer, ms.
    pub fn pause(&self, host: &HostState) -> u64 {
        let asked = u64::from(host.crawl_delay_ms.unwrap_or(0)).min(self.max_crawl_delay_ms);
        // Who sets no delay at all owns the servers: noise in their times must not slow the crawl.
        let adaptive = if self.delay_ms == 0 { 0 } else { ADAPTIVE * u64::from(host.response_ms) };
        let polite = self.delay_ms.max(asked).max(adaptive.min(MAX_ADAPTIVE_MS));
        polite.max(host.pace.pause_ms().min(self.longest_backoff_ms()))
    }

    /// The pause after an answer that asked for fewer requests, ms: twice as long for each in a row.
    pub fn refused(&self, host: &HostState) -> u64 {
        let doublings = u32::from(host.pace.refusals.max(1) - 1).min(32);
        let pause = self.pause(host).max(LEAST_REFUSED_MS);
        pause.saturating_mul(1 << doublings).min(self.longest_backoff_ms()).max(self.pause(host))
    }

    /// Whether a host has failed so often in a row that it is left alone.
    pub fn is_hopeless(&self, host: &HostState) -> bool {
        host.away
            >= if host.fetched == 0 {
                MAX_FAILURES_AT_FIRST.min(self.max_failures)
            } else {
                self.max_failures
            }
    }

    fn longest_backoff_ms(&self) -> u64 {
        self.max_backoff_ms.min(self.backoff_ms.saturating_mul(1_440))
    }

    /// The pause after `failures` failures in a row (at least one), ms.
    pub fn backoff(&self, host: &HostState) -> u64 {
        let doublings = u32::from(host.failures.max(1) - 1).min(32);
        let pause = self.backoff_ms.saturating_mul(1 << doublings).min(self.longest_backoff_ms());
        pause.max(self.pause(host))
    }

    /// What a `Retry-After` asks for, ms from `now_ms`: seconds or a date.
    pub fn retry_after(&self, value: &[u8], now_ms: i64) -> Option<u64> {
        let text = std::str::from_utf8(value).ok()?.trim();
        let ms = match text.parse::<u64>() {
            Ok(seconds) => seconds.saturating_mul(1000),
            Err(_) => u64::try_from(parse_rfc822(text)?.saturating_sub(now_ms)).unwrap_or(0),
        };
        Some(ms.min(self.max_retry_after_ms))
    }

    /// The cap of a `Crawl-delay`, ms.
    pub fn crawl_delay_ms(&self, asked: std::time::Duration) -> u32 {
        let ms = u64::try_from(asked.as_millis()).unwrap_or(u64::MAX).min(self.max_crawl_delay_ms);
        u32::try_from(ms).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses() {
        let polite = Politeness::default();
        let host = |crawl_delay_ms, response_ms, failures| HostState {
            crawl_delay_ms,
            response_ms,
            failures,
            ..HostState::default()
        };
        assert_eq!(polite.pause(&host(None, 10, 0)), 1_000);
        assert_eq!(polite.pause(&host(Some(7_000), 10, 0)), 7_000);
        assert_eq!(polite.pause(&host(Some(900_000), 10, 0)), 300_000);
        let patient: Politeness = toml::from_str("max_crawl_delay_ms = 600_000").unwrap();
        assert_eq!(patient.pause(&host(Some(900_000), 10, 0)), 600_000);
        assert_eq!(polite.pause(&host(None, 4_000, 0)), 8_000);
        assert_eq!(polite.pause(&host(None, 4_000_000, 0)), 30_000);
        assert_eq!(polite.backoff(&host(None, 0, 1)), 5_000);
        assert_eq!(polite.backoff(&host(None, 0, 3)), 20_000);
        assert_eq!(polite.backoff(&host(None, 0, u16::MAX)), 7_200_000);
        let waits: u64 = (1..30).map(|failures| polite.backoff(&host(None, 0, failures))).sum();
        assert_eq!(waits / 3_600_000, 38, "hours until a host is left alone");
        let fast = Politeness { delay_ms: 0, ..Politeness::default() };
        assert_eq!(fast.pause(&host(None, 4_000, 0)), 0);
        assert_eq!(fast.pause(&host(Some(50), 4_000, 0)), 50, "what a host asks for counts all the same");
    }

    #[test]
    fn retry_after() {
        let polite = Politeness::default();
        let now = 784_111_777_000; // Sun, 06 Nov 1994 08:49:37 GMT
        for (value, want) in [
            ("120", Some(120_000)),
            (" 0 ", Some(0)),
            ("99999999999999999999", None),
            ("999999", Some(3_600_000)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60_000)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", Some(0)),
            ("soon", None),
            ("-5", None),
        ] {
            assert_eq!(polite.retry_after(value.as_bytes(), now), want, "{value}");
        }
        assert_eq!(polite.retry_after(b"\xff", now), None);
    }

    /// A server with a bucket of tokens: how many of the requests it refused, and how long all took.
    fn against_a_bucket(limit_per_s: f64, burst: f64, pages: u32, delay_ms: u64) -> (u32, f64) {
        let polite = Politeness { delay_ms, ..Politeness::default() };
        let mut host = HostState { response_ms: 2, fetched: 1, ..HostState::default() };
        let (mut now, mut last, mut tokens) = (0.0f64, 0.0f64, burst);
        let (mut refused, mut good) = (0, 0);
        while good < pages {
            tokens = (tokens + (now - last) / 1e3 * limit_per_s).min(burst);
            last = now;
            if tokens >= 1.0 {
                tokens -= 1.0;
                good += 1;
                host.pace.good(polite.pause(&HostState { pace: Pace::default(), ..host.clone() }));
                now += polite.pause(&host) as f64 + 2.0;
            } else {
                refused += 1;
                host.pace.refused(polite.pause(&host).max(2));
                now += polite.refused(&host) as f64 + 2.0;
            }
        }
        (refused, now / 1e3)
    }

    #[test]
    fn the_pace_of_a_host_is_learned() {
        for (limit, burst, delay) in [(10.0, 1.0, 0), (10.0, 20.0, 0), (100.0, 5.0, 0), (0.5, 1.0, 1_000)] {
            let pages = 1_000;
            let (refused, seconds) = against_a_bucket(limit, burst, pages, delay);
            let best = f64::from(pages) / limit;
            assert!(refused < pages / 10, "{refused} refusals of {pages} pages at {limit}/s");
            assert!(seconds < 1.6 * best, "{seconds} s where {best} s are possible");
        }
    }

    #[test]
    fn refusals_in_a_row_double_the_pause() {
        let polite = Politeness::default();
        let mut host = HostState::default();
        let mut pauses = Vec::new();
        for _ in 0..16 {
            host.pace.refused(1_000);
            pauses.push(polite.refused(&host));
        }
        assert_eq!(pauses[..4], [2_000, 4_000, 8_000, 16_000]);
        assert_eq!(pauses[15], 7_200_000);
        host.pace.good(1_000);
        assert!((1_900..2_000).contains(&polite.pause(&host)), "the row was a window, the pace is half");
    }

    #[test]
    fn ranges() {
        assert!(Politeness::default().check().is_ok());
        assert!(Politeness { delay_ms: u64::MAX, ..Politeness::default() }.check().is_err());
    }
}
