use std::collections::BTreeSet;

use super::*;
use crate::{Config, SimConfig, SynthPage};

const DAY: i64 = 86_400_000;

fn changing(change: impl FnOnce(&mut ChangeConfig)) -> SimWeb {
    let mut changes = ChangeConfig::default();
    change(&mut changes);
    let config = SimConfig { changes: Some(changes), ..SimConfig::plain(2000, 100, 5) };
    SimWeb::new(SimConfig { web: Config { words: 60, ..config.web }, ..config }).unwrap()
}

fn body(sim: &SimWeb, page: u64) -> (u16, Vec<u8>) {
    let answer = sim.answer("GET", &sim.web().url(page), 0);
    (answer.status, answer.message[answer.head_len..].to_vec())
}

fn head(sim: &SimWeb, page: u64) -> String {
    let answer = sim.answer("GET", &sim.web().url(page), 0);
    String::from_utf8(answer.message[..answer.head_len].to_vec()).unwrap()
}

#[test]
fn pages_change_when_it_was_planted_and_only_then() {
    let sim = changing(|_| {});
    let start = sim.time();
    let mut kinds = [0; 3];
    for page in 0..300 {
        let kind = sim.changing(page);
        kinds[match kind {
            Changing::Fixed => 0,
            Changing::Clock => 1,
            Changing::Rate { .. } => 2,
        }] += 1;
        sim.set_time(start);
        let first = body(&sim, page).1;
        sim.set_time(start + 100 * DAY);
        let times = sim.change_times(page);
        assert_eq!(times.len() as u64, sim.version(page));
        if sim.vanishes_ms(page).is_some() {
            continue;
        }
        assert_eq!(first != body(&sim, page).1, kind == Changing::Clock || !times.is_empty(), "{kind:?}");
        for time in times.into_iter().take(3) {
            sim.set_time(time - 1);
            let before = body(&sim, page);
            sim.set_time(time);
            assert!(before != body(&sim, page), "page {page} at {time}");
        }
    }
    assert!(kinds.iter().all(|count| *count > 10), "{kinds:?}");
}

#[test]
fn rates_are_log_normal_around_the_life_that_is_set() {
    let sim = changing(|changes| (changes.life_days, changes.spread) = (20.0, 0.5));
    sim.set_time(sim.time() + 400 * DAY);
    let (mut logs, mut expected, mut seen) = (Vec::new(), 0.0, 0);
    for page in 0..2000 {
        if let Changing::Rate { per_day } = sim.changing(page) {
            logs.push((per_day * 20.0).ln());
            expected += per_day * 400.0;
            seen += sim.version(page);
        }
    }
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64).sqrt();
    assert!(mean.abs() < 0.05 && (deviation - 0.5).abs() < 0.05, "{mean} {deviation}");
    assert!((seen as f64 / expected - 1.0).abs() < 0.02, "{seen} changes where {expected} are expected");
}

#[test]
fn what_vanishes_is_missing_from_its_time_on() {
    let sim = changing(|changes| changes.vanishing = 0.3);
    let mut gone = 0;
    for page in 0..200 {
        let Some(time) = sim.vanishes_ms(page) else { continue };
        gone += 1;
        sim.set_time(time - 1);
        assert_eq!(body(&sim, page).0, 200);
        sim.set_time(time);
        assert_eq!(body(&sim, page).0, 404);
    }
    assert!((30..90).contains(&gone), "{gone}");
}

#[test]
fn validators_are_honest_missing_or_lie() {
    let sim = changing(|changes| (changes.without, changes.lying) = (0.3, 0.5));
    let start = sim.time();
    let mut seen = BTreeSet::new();
    for page in 0..2000 {
        let host = sim.web().host_name(sim.web().host_of(page));
        let validators = sim.validators(&host).unwrap();
        let Changing::Rate { per_day } = sim.changing(page) else { continue };
        if per_day < 0.02 || sim.vanishes_ms(page).is_some() {
            continue;
        }
        sim.set_time(start + 400 * DAY);
        let times = sim.change_times(page);
        let Some(last) = times.last() else { continue };
        sim.set_time(last - 1);
        let before = head(&sim, page);
        sim.set_time(last + DAY);
        let (after, again) = (head(&sim, page), head(&sim, page));
        let value = |head: &str, name: &str| {
            head.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned)).unwrap_or_default()
        };
        let (tag, date) = ("ETag: ", "Last-Modified: ");
        let now = format_rfc822(sim.time());
        assert_eq!(value(&after, "Date: "), now);
        match validators {
            Validators::Honest => {
                assert_ne!(value(&before, tag), value(&after, tag));
                assert_eq!(value(&after, tag), value(&again, tag));
                assert_eq!(value(&after, date), format_rfc822(*last));
            }
            Validators::Missing => assert!(!after.contains(tag) && !after.contains(date)),
            Validators::Constant => assert_eq!(value(&before, tag), value(&after, tag)),
            Validators::Restless => {
                assert_ne!(value(&after, tag), value(&again, tag));
                assert_eq!(value(&after, date), now);
            }
            Validators::Ahead => assert!(parse_rfc822(&value(&after, date)).unwrap() > sim.time()),
        }
        seen.insert(format!("{validators:?}"));
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
}

#[test]
fn conditions_are_met_by_the_validators_that_would_be_sent() {
    let sim = changing(|changes| {
        (changes.without, changes.lying) = (0.0, 0.0);
        (changes.fixed, changes.clocks) = (1.0, 0.0);
    });
    let url = sim.web().url(7);
    let ask = |if_none_match, if_modified_since| {
        let asking = Asking { method: "GET", url: &url, attempt: 0, if_none_match, if_modified_since };
        let mut answer = Answer::default();
        crate::Site::answer_request(&sim, &asking, &mut SynthPage::default(), &mut answer);
        answer
    };
    let (known, old) = (format_rfc822(sim.time()), format_rfc822(sim.time() - DAY));
    for (tag, date, status) in [
        (None, None, 200),
        (Some("\"v0\""), None, 304),
        (Some("\"other\", \"v0\""), None, 304),
        (Some("\"v1\""), None, 200),
        (Some("\"v1\""), Some(&*known), 200),
        (None, Some(&*known), 304),
        (None, Some(&*old), 200),
        (None, Some("no date"), 200),
    ] {
        let answer = ask(tag, date);
        assert_eq!(answer.status, status, "{tag:?} {date:?}");
        if status == 304 {
            assert_eq!(answer.message.len(), answer.head_len);
            let head = String::from_utf8(answer.message).unwrap();
            assert!(head.starts_with("HTTP/1.1 304 Not Modified\r\n") && head.contains("ETag: \"v0\"\r\n"));
        }
    }
}

#[test]
fn clones_share_the_time_and_without_changes_nothing_depends_on_it() {
    let sim = changing(|_| {});
    let other = sim.clone();
    other.set_time(77);
    assert_eq!(sim.time(), 77);
    let still = SimWeb::new(SimConfig::plain(200, 10, 5)).unwrap();
    let before: Vec<_> = (0..200).map(|page| still.answer("GET", &still.web().url(page), 0)).collect();
    still.set_time(i64::MAX);
    let after: Vec<_> = (0..200).map(|page| still.answer("GET", &still.web().url(page), 0)).collect();
    assert_eq!(before, after);
    let bad = ChangeConfig { fixed: 0.9, clocks: 0.2, ..ChangeConfig::default() };
    assert!(SimWeb::new(SimConfig { changes: Some(bad), ..SimConfig::plain(10, 1, 1) }).is_err());
}
