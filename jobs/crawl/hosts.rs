//! `crawl_hosts`: what a crawl knows of each host.

use webmill_crawl::HostState;
use webmill_crawl::event::outcome;
use webmill_crawl::frontier::NEVER_MS;
use webmill_table::Millis;

use crate::crawl::rows::{CrawlHostRow, Standing};

/// The row of a host.
pub fn row(name: &str, state: &HostState, queued: u64) -> CrawlHostRow {
    let standing = standing(state);
    let trouble = state.failures > 0;
    let (cut_patterns, urls_cut) = state.duplicate_throttle.cuts();
    let (pages_observed, pages_copied) = state.duplicate_throttle.counts();
    let (validators, hints) = (&state.visits.validators, &state.visits.hints);
    CrawlHostRow {
        url_host_name: name.to_owned(),
        standing,
        reason: reason(state),
        verdict: state.verdict.clone(),
        pages_stored: state.stored,
        requests_answered: state.fetched,
        bytes: state.bytes,
        urls_queued: queued,
        failures: u32::from(state.failures),
        failing_since: Millis(Some(state.trouble_since_ms).filter(|_| trouble)),
        next_request: Millis(Some(state.next_ms).filter(|ms| (1..NEVER_MS).contains(ms))),
        response_ms: state.response_ms,
        crawl_delay_ms: state.crawl_delay_ms,
        learned_pause_ms: Some(state.pace.pause_ms()).filter(|pause| *pause > 0),
        cut_patterns,
        urls_cut,
        pages_observed,
        pages_copied,
        pages_rated: state.visits.rates.pages,
        mean_rate: state.visits.rates.mean(),
        validators_right: validators.right(),
        validators_wrong: validators.wrong(),
        hints_right: hints.right(),
        hints_wrong: hints.wrong(),
    }
}

/// Why nothing, or nothing for now, is asked of the host.
pub fn reason(state: &HostState) -> Option<String> {
    let trouble = state.trouble.clone().filter(|_| state.failures > 0);
    trouble.or_else(|| state.verdict.clone())
}

fn standing(state: &HostState) -> Standing {
    match state.verdict.as_deref() {
        Some(outcome::HOST_LIMIT) => Standing::Limit,
        _ if state.failures > 0 && state.next_ms >= NEVER_MS => Standing::LeftAlone,
        _ if state.failures > 0 => Standing::Trouble,
        Some(_) => Standing::Refused,
        None if state.fetched == 0 => Standing::NotAsked,
        None => Standing::Well,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standing_of_a_host_is_told_from_its_state() {
        let well = HostState { fetched: 3, ..HostState::default() };
        let failing = HostState { failures: 2, trouble: Some("timeout".into()), next_ms: 9, ..well.clone() };
        for (state, want, why) in [
            (HostState::default(), Standing::NotAsked, None),
            (well.clone(), Standing::Well, None),
            (failing.clone(), Standing::Trouble, Some("timeout")),
            (HostState { next_ms: NEVER_MS, ..failing }, Standing::LeftAlone, Some("timeout")),
            (
                HostState { verdict: Some("host-limit".into()), ..well.clone() },
                Standing::Limit,
                Some("host-limit"),
            ),
            (
                HostState { verdict: Some("robots-denied".into()), ..well },
                Standing::Refused,
                Some("robots-denied"),
            ),
        ] {
            let row = row("a.example", &state, 4);
            assert_eq!((row.standing, row.reason.as_deref(), row.urls_queued), (want, why, 4));
            assert!(row.next_request.0.is_none_or(|ms| ms == 9));
        }
    }
}
