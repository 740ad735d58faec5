use super::*;
use crate::revisit::RevisitOptions;
use crate::revisit::days;
use crate::revisit::trust::Trust;
use webmill_capture::date::format_rfc822;

const URL: &str = "http://a.example/";
const START: i64 = 1_700_000_000_000;

fn scheduler() -> Scheduler {
    Scheduler::new(RevisitOptions::default(), None).unwrap()
}

/// A body whose digest and main text are of this number, on a day.
fn body(day: i64, number: u8) -> Answer<'static> {
    let at_ms = START + day * DAY_MS;
    Answer {
        at_ms,
        status: 200,
        digest: Some([number; 20]),
        simhash: Some(u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        capture: Some(CapturePlace { at_ms, shard: 1, offset: 100 }),
        ..Answer::default()
    }
}

fn page(answers: &[Answer<'_>]) -> PageHistory {
    let mut page = PageHistory::new(URL, START);
    answers.iter().for_each(|answer| _ = page.observe(answer, &scheduler(), &Prior::default()));
    page
}

/// The last of the answers, as it was seen.
fn last(answers: &[Answer<'_>]) -> (Observation, PageHistory) {
    let (last, before) = answers.split_last().unwrap();
    let mut page = page(before);
    let seen = page.observe(last, &scheduler(), &Prior::default());
    (seen, page)
}

fn status(day: i64, status: u16) -> Answer<'static> {
    Answer { at_ms: START + day * DAY_MS, status, ..Answer::default() }
}

#[test]
fn the_table_of_outcomes() {
    let conditional = |day| Answer { conditional: true, ..status(day, 304) };
    let near = Answer { digest: Some([9; 20]), ..body(7, 1) };
    let cut = Answer { cut: true, ..body(7, 2) };
    for (answer, outcome, stored) in [
        (conditional(7), Outcome::Unchanged, Stored::NotModified),
        (body(7, 1), Outcome::Unchanged, Stored::SamePayload),
        (near, Outcome::Near, Stored::Full),
        (body(7, 2), Outcome::Changed, Stored::Full),
        (status(7, 410), Outcome::Gone, Stored::Nothing),
        (status(7, 404), Outcome::Error, Stored::Nothing),
        (status(7, 301), Outcome::Moved, Stored::Nothing),
        (status(7, 308), Outcome::Moved, Stored::Nothing),
        (status(7, 304), Outcome::Error, Stored::Nothing),
        (cut, Outcome::Error, Stored::Nothing),
        (status(7, 0), Outcome::Error, Stored::Nothing),
        (status(7, 403), Outcome::Error, Stored::Nothing),
        (status(7, 503), Outcome::Error, Stored::Nothing),
        (status(7, 200), Outcome::Error, Stored::Nothing),
        (status(7, 999), Outcome::Error, Stored::Nothing),
    ] {
        let (seen, after) = last(&[body(0, 1), answer]);
        assert_eq!((seen.outcome, seen.stored), (outcome, stored), "{answer:?}");
        assert_eq!((after.status, after.tried_ms), (answer.status, answer.at_ms));
        let counts = matches!(outcome, Outcome::Unchanged | Outcome::Near | Outcome::Changed);
        assert_eq!(after.visits, 1 + u32::from(counts), "{answer:?}");
        assert_eq!(after.changes, u32::from(outcome == Outcome::Changed), "{answer:?}");
        assert_eq!(after.record.visits(), u64::from(counts), "no estimate from {answer:?}");
    }
    let (seen, after) = last(&[body(0, 1)]);
    assert_eq!((seen.outcome, seen.stored, seen.interval_ms), (Outcome::New, Stored::Full, None));
    assert_eq!((after.visits, after.changes, after.record.visits()), (1, 0, 0));
    assert_eq!(seen.next_ms, Some(START + 7 * DAY_MS));
}

#[test]
fn names_are_those_of_logs() {
    for outcome in Outcome::ALL {
        assert_eq!(serde_json::to_string(&outcome).unwrap(), format!("\"{}\"", outcome.name()));
    }
}

#[test]
fn a_page_with_a_clock_drifts_away_from_its_text_only_as_far_as_counts() {
    let with =
        |day, simhash| Answer { simhash: Some(simhash), digest: Some([day as u8; 20]), ..body(day, 0) };
    let mut page = page(&[with(0, 0)]);
    for day in 1..4 {
        let seen = page.observe(&with(day, (1 << day) - 1), &scheduler(), &Prior::default());
        assert_eq!(seen.outcome, Outcome::Near);
    }
    assert!(page.interval_ms > 19 * DAY_MS, "{}", days(page.interval_ms));
    let seen = page.observe(&with(4, 0b1111), &scheduler(), &Prior::default());
    assert_eq!(seen.outcome, Outcome::Changed, "small steps add up");
}

#[test]
fn what_is_missing_twice_a_day_apart_is_gone_and_leaves_after_three() {
    let mut page = page(&[body(0, 1), status(7, 404)]);
    assert_eq!(page.next_ms, Some(START + 8 * DAY_MS));
    let half_a_day = Answer { at_ms: START + 7 * DAY_MS + DAY_MS / 2, ..status(7, 404) };
    let again = page.observe(&half_a_day, &scheduler(), &Prior::default());
    assert_eq!(again.outcome, Outcome::Error, "not a day apart");
    for (day, gone, stays) in [(8, 1, true), (20, 2, true), (40, 3, false)] {
        let seen = page.observe(&status(day, 404), &scheduler(), &Prior::default());
        assert_eq!((seen.outcome, page.gone), (Outcome::Gone, gone));
        assert_eq!(seen.next_ms.is_some(), stays, "day {day}");
    }
    assert_eq!((page.visits, page.record.visits()), (1, 0));
    let back = page.observe(&body(50, 1), &scheduler(), &Prior::default());
    assert_eq!((back.outcome, page.gone, page.missing_since_ms), (Outcome::Unchanged, 0, None));
    assert!(back.next_ms.is_some(), "what came back is in the schedule again");
}

#[test]
fn a_clock_set_back_does_not_keep_a_missing_page_for_ever() {
    let mut page = page(&[body(0, 1), status(1000, 404)]);
    let outcomes = [status(7, 404), status(9, 404)]
        .map(|answer| page.observe(&answer, &scheduler(), &Prior::default()).outcome);
    assert_eq!(outcomes, [Outcome::Error, Outcome::Gone]);
}

#[test]
fn failures_back_off_up_to_the_interval_and_change_no_estimate() {
    let mut page = page(&[body(0, 1), body(7, 2)]);
    let (rate, record, interval) = (page.rate, page.record.clone(), page.interval_ms);
    let mut waits = Vec::new();
    for failure in 0..12 {
        let answer = Answer { at_ms: START + (10 + failure) * DAY_MS, status: 503, ..Answer::default() };
        let seen = page.observe(&answer, &scheduler(), &Prior::default());
        waits.push(seen.next_ms.unwrap() - answer.at_ms);
    }
    assert_eq!(waits[..4], [3_600_000, 7_200_000, 14_400_000, 28_800_000]);
    assert!(waits.windows(2).all(|pair| pair[0] <= pair[1]) && waits[11] == interval);
    assert_eq!((page.rate, &page.record, page.interval_ms), (rate, &record, interval));
    page.observe(&body(30, 2), &scheduler(), &Prior::default());
    assert_eq!(page.errors, 0);
}

#[test]
fn last_modified_dates_a_change_where_it_is_plausible() {
    let at = |day: i64| format_rfc822(START + day * DAY_MS);
    let (first, third, sixth) = (at(-20), at(3), at(6));
    let answer = |day, number, modified| Answer { last_modified: Some(modified), ..body(day, number) };
    let change = |seen: Observation| seen.changed_ms.map(|ms| (ms - START) / DAY_MS);
    let (seen, after) = last(&[answer(0, 1, &first), answer(7, 2, &third)]);
    assert_eq!(change(seen), Some(3));
    let without = last(&[body(0, 1), body(7, 2)]).1;
    assert_ne!(after.record, without.record);
    let (now, future, old) = (at(7), at(8), at(-21));
    for (lie, modified) in
        [("now", &now), ("future", &future), ("before the last visit", &first), ("old", &old)]
    {
        let (seen, after) = last(&[answer(0, 1, &first), answer(7, 2, modified)]);
        assert_eq!((seen.outcome, change(seen)), (Outcome::Changed, None), "{lie}");
        assert_eq!(after.record, without.record, "{lie}");
    }
    // Its clock is a year behind, and so is its `Date`.
    let (old_change, date) = (at(6 - 365), START + (7 - 365) * DAY_MS);
    let behind = Answer { date_ms: Some(date), ..answer(7, 2, &old_change) };
    assert_eq!(change(last(&[body(0, 1), behind]).0), Some(6));
    let fell = last(&[answer(0, 1, &first), answer(7, 2, &sixth), answer(14, 3, &third)]).0;
    assert_eq!(change(fell), None, "before the value of the last visit");
}

#[test]
fn clocks_that_go_backwards_change_no_estimate() {
    for changed in [1, 2] {
        let (seen, after) = last(&[body(0, 1), body(-300, changed)]);
        assert_eq!(seen.interval_ms, None);
        assert_eq!(after.record.visits(), 0);
        assert_eq!(after.last_ms, START - 300 * DAY_MS);
        assert!(seen.next_ms.unwrap() < START, "due by the clock as it is now");
    }
}

#[test]
fn a_server_that_calls_everything_not_modified_is_found_out() {
    let mut host = Trust::default();
    let tagged = |day, number| Answer { etag: Some("\"for ever\""), ..body(day, number) };
    let mut page = page(&[tagged(0, 1)]);
    let mut day = 0;
    while page.conditions(&host).is_some() {
        day += 1;
        let answer = Answer { conditional: true, ..status(day, 304) };
        page.observe(&answer, &scheduler(), &Prior::default());
    }
    assert_eq!(i64::from(page.unmodified), day);
    assert!((3..=30).contains(&day), "{day}");
    let same = page.clone().observe(&tagged(31, 1), &scheduler(), &Prior::default());
    assert_eq!(same.validators_right, None, "what did not change tells nothing");
    let seen = page.observe(&tagged(31, 2), &scheduler(), &Prior::default());
    assert_eq!((seen.outcome, seen.validators_right), (Outcome::Changed, Some(false)));
    assert_eq!(
        (page.record.visits(), page.record.changes()),
        (1, 1),
        "one change in 31 days is what was seen"
    );
    assert!(page.deceived && page.conditions(&host).is_none());
    host.judge(false);
    let other = super::tests::page(&[tagged(0, 1)]);
    assert_eq!(other.conditions(&host), None);
}

#[test]
fn a_change_found_by_an_audit_is_probed_with_the_condition_that_holds_no_more() {
    let host = Trust::default();
    let tagged = |day, number, etag| Answer { etag: Some(etag), ..body(day, number) };
    let not_modified = |day| Answer { conditional: true, ..status(day, 304) };
    let mut page = page(&[tagged(0, 1, "\"a\""), not_modified(1), not_modified(2), not_modified(3)]);
    let seen = page.observe(&tagged(4, 2, "\"b\""), &scheduler(), &Prior::default());
    assert_eq!((seen.outcome, seen.validators_right), (Outcome::Changed, None));
    assert_eq!(page.conditions(&host).and_then(|sent| sent.etag), Some("\"a\""));
    let mut lied = page.clone();
    let seen = lied.observe(&not_modified(5), &scheduler(), &Prior::default());
    assert_eq!((seen.outcome, seen.validators_right), (Outcome::Error, Some(false)));
    assert!(lied.deceived && lied.conditions(&host).is_none());
    let again = Answer { conditional: true, ..tagged(5, 2, "\"b\"") };
    let seen = page.observe(&again, &scheduler(), &Prior::default());
    assert_eq!((seen.outcome, seen.validators_right), (Outcome::Unchanged, Some(true)));
    assert_eq!(page.conditions(&host).and_then(|sent| sent.etag), Some("\"b\""));
}

#[test]
fn a_body_that_differs_under_the_same_validator_is_a_lie() {
    let tagged = |day, number, etag| Answer { etag: Some(etag), ..body(day, number) };
    let of = |first, second| last(&[first, second]).0.validators_right;
    assert_eq!(of(tagged(0, 1, "\"a\""), tagged(7, 2, "\"a\"")), Some(false));
    assert_eq!(of(tagged(0, 1, "\"a\""), tagged(7, 2, "\"b\"")), Some(true));
    assert_eq!(of(tagged(0, 1, "\"a\""), tagged(7, 1, "\"b\"")), None, "a tag a request harms nobody");
    assert_eq!(of(body(0, 1), tagged(7, 2, "\"a\"")), None);
}

#[test]
fn validators_that_would_break_a_request_are_not_kept() {
    let long = "x".repeat(MAX_VALIDATOR + 1);
    for bad in ["", "\"a\"\r\nHost: b.example", "\"ä\"", &long] {
        let after = page(&[Answer { etag: Some(bad), last_modified: Some(bad), ..body(0, 1) }]);
        assert_eq!((after.etag, after.last_modified), (None, None), "{bad:?}");
    }
}

#[test]
fn claims_are_judged_by_the_next_visit() {
    let known = page(&[body(0, 1)]);
    let trust = Trust::default();
    for (claim_day, number, right) in [(3, 2, true), (3, 1, false), (-3, 2, false), (-3, 1, true)] {
        let mut page = known.clone();
        page.hint(START + claim_day * DAY_MS, START + 5 * DAY_MS, &trust);
        let failed = page.observe(&status(5, 503), &scheduler(), &Prior::default());
        assert_eq!(failed.claim_right, None, "a failure judges nobody");
        let seen = page.observe(&body(6, number), &scheduler(), &Prior::default());
        assert_eq!(seen.claim_right, Some(right), "claimed day {claim_day}, body {number}");
        assert_eq!(page.claim, None);
    }
}

#[test]
fn an_imported_page_without_a_place_is_stored_in_full_once() {
    let imported = Answer { capture: None, ..body(0, 1) };
    let (seen, after) = last(&[imported, body(7, 1)]);
    assert_eq!((seen.outcome, seen.stored), (Outcome::Unchanged, Stored::Full));
    assert_eq!(after.capture.map(|place| place.at_ms), Some(START + 7 * DAY_MS));
}
