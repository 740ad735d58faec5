//! How long a host is left alone.
//!
//! **Definition.** The next request to a host starts no sooner than `delay` after the last answer ended, where `delay =
//! max(delay_ms, Crawl-delay, adaptive · response time)`, the second capped by `max_crawl_delay_ms` and the third by
//! `max_adaptive_ms`; with a delay of 0 the third is off. After the n-th failure in a row it is at least `backoff_ms ·
//! 2ⁿ⁻¹`, capped by `max_backoff_ms`; a `Retry-After` of a 429 or 503 counts too, capped by `max_retry_after_ms`.
//!
//! **Reference.** Heydon and Najork, Mercator, World Wide Web 2 (1999), doi:10.1023/A:1019213109274 (delay by response time);
//! RFC 9110, 10.2.3 (Retry-After).

use serde::{Deserialize, Serialize};

use crate::HostState;
use webmill_capture::date::parse_rfc822;
use webmill_capture::error::{Error, Result};

/// Waiting times, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Politeness {
    /// Least pause between two requests to a host, ms. Default 1,000.
    pub delay_ms: u64,
    /// Cap of a robots.txt's `Crawl-delay`, ms. Default 300,000.
    pub max_crawl_delay_ms: u64,
    /// The pause in response times of the host: 2 leaves a host two thirds of its time. Default 2.
    pub adaptive: f64,
    /// Cap of the pause by response time, ms. Default 30,000.
    pub max_adaptive_ms: u64,
    /// Pause after a first failure, ms; doubled by each further one. Default 5,000.
    pub backoff_ms: u64,
    /// Cap of the pause after failures, ms. Default 300,000.
    pub max_backoff_ms: u64,
    /// Cap of a server's `Retry-After`, ms. Default 3,600,000.
    pub max_retry_after_ms: u64,
    /// Failures in a row without any answer after which a host is given up. Default 5.
    pub max_failures: u16,
    /// How long resolver or proxy may fail for everything before the crawl stops with an error, ms. Default 120,000.
    pub outage_ms: u64,
    /// How long a robots.txt counts, ms. Default 86,400,000 (RFC 9309, 2.4).
    pub robots_ms: u64,
}

impl Default for Politeness {
    fn default() -> Self {
        Politeness {
            delay_ms: 1_000,
            max_crawl_delay_ms: 300_000,
            adaptive: 2.0,
            max_adaptive_ms: 30_000,
            backoff_ms: 5_000,
            max_backoff_ms: 300_000,
            max_retry_after_ms: 3_600_000,
            max_failures: 5,
            outage_ms: 120_000,
            robots_ms: 86_400_000,
        }
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
            ("max_adaptive_ms", self.max_adaptive_ms),
            ("backoff_ms", self.backoff_ms),
            ("max_backoff_ms", self.max_backoff_ms),
            ("max_retry_after_ms", self.max_retry_after_ms),
            ("outage_ms", self.outage_ms),
            ("robots_ms", self.robots_ms),
        ];
        for (name, ms) in times {
            if ms > MAX_MS {
                return Err(Error::Config(format!("politeness.{name} {ms}: 0 to {MAX_MS} are possible")));
            }
        }
        if !(0.0..=1000.0).contains(&self.adaptive) {
            return Err(Error::Config(format!(
                "politeness.adaptive {}: 0 to 1000 are possible",
                self.adaptive
            )));
        }
        if self.max_failures == 0 {
            return Err(Error::Config("politeness.max_failures 0: at least 1 is needed".into()));
        }
        Ok(())
    }

    /// The pause of a host after an answer, ms.
    pub fn pause(&self, host: &HostState) -> u64 {
        let asked = u64::from(host.crawl_delay_ms.unwrap_or(0)).min(self.max_crawl_delay_ms);
        // Who sets no delay at all owns the servers: noise in their times must not slow the crawl.
        let adaptive = if self.delay_ms == 0 { 0.0 } else { self.adaptive * f64::from(host.response_ms) };
        self.delay_ms.max(asked).max((adaptive as u64).min(self.max_adaptive_ms))
    }

    /// The pause after `failures` failures in a row (at least one), ms.
    pub fn backoff(&self, host: &HostState) -> u64 {
        let doublings = u32::from(host.failures.max(1) - 1).min(32);
        let pause = self.backoff_ms.saturating_mul(1 << doublings).min(self.max_backoff_ms);
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
        assert_eq!(polite.pause(&host(None, 4_000, 0)), 8_000);
        assert_eq!(polite.pause(&host(None, 4_000_000, 0)), 30_000);
        assert_eq!(polite.backoff(&host(None, 0, 1)), 5_000);
        assert_eq!(polite.backoff(&host(None, 0, 3)), 20_000);
        assert_eq!(polite.backoff(&host(None, 0, u16::MAX)), 300_000);
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

    #[test]
    fn ranges() {
        assert!(Politeness::default().check().is_ok());
        assert!(Politeness { delay_ms: u64::MAX, ..Politeness::default() }.check().is_err());
        assert!(Politeness { adaptive: f64::NAN, ..Politeness::default() }.check().is_err());
    }
}
