use super::*;
use crate::{ChangeConfig, Config, SimConfig, SynthPage};

const DAY: i64 = 86_400_000;

/// A Web of which such a share of pages changes every five days, and such a share of hosts has no validators.
fn changing(share: f64, without: f64) -> SimWeb {
    let changes = ChangeConfig { share, every_days: 5, without, ..ChangeConfig::default() };
    let config = SimConfig { changes: Some(changes), ..SimConfig::plain(2000, 100, 5) };
    SimWeb::new(SimConfig { web: Config { words: 60, ..config.web }, ..config }).unwrap()
}

/// Head and body of a page.
fn answer(sim: &SimWeb, page: u64) -> (String, Vec<u8>) {
    let mut answer = sim.answer("GET", &sim.web().url(page), 0);
    let body = answer.message.split_off(answer.head_len);
    (String::from_utf8(answer.message).unwrap(), body)
}

#[test]
fn pages_change_when_it_was_planted_and_validators_say_so() {
    let sim = changing(0.5, 0.3);
    let start = sim.time();
    let (mut changed, mut silent) = (0, 0);
    for page in (0..2000).step_by(7) {
        let versions: Vec<(String, Vec<u8>)> = (0..11)
            .map(|day| {
                sim.set_time(start + day * DAY);
                answer(&sim, page)
            })
            .collect();
        let changes = versions.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
        assert!([0, 2].contains(&changes), "{changes} changes of page {page} in ten days");
        changed += changes / 2;
        let value = |head: &str, name: &str| {
            head.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned)).unwrap_or_default()
        };
        let (last, body) = &versions[10];
        assert_eq!(value(last, "Date: "), format_rfc822(sim.time()));
        if !last.contains("ETag: ") {
            silent += 1;
            assert!(!last.contains("Last-Modified: "));
            continue;
        }
        for (head, other) in &versions {
            assert_eq!(value(head, "ETag: ") == value(last, "ETag: "), other == body, "page {page}");
            let at = value(head, "Last-Modified: ");
            assert_eq!(at == value(last, "Last-Modified: "), other == body, "page {page}");
        }
    }
    assert!((100..200).contains(&changed) && silent > 30, "{changed} {silent}");
}

#[test]
fn conditions_are_met_by_the_validators_that_would_be_sent() {
    let sim = changing(0.0, 0.0);
    let url = sim.web().url(7);
    let ask = |if_none_match, if_modified_since| {
        let asking = RequestHead { method: "GET", url: &url, attempt: 0, if_none_match, if_modified_since };
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
    let sim = changing(0.5, 0.3);
    let other = sim.clone();
    other.set_time(77);
    assert_eq!(sim.time(), 77);
    let still = SimWeb::new(SimConfig::plain(200, 10, 5)).unwrap();
    let before: Vec<_> = (0..200).map(|page| still.answer("GET", &still.web().url(page), 0)).collect();
    still.set_time(i64::MAX);
    let after: Vec<_> = (0..200).map(|page| still.answer("GET", &still.web().url(page), 0)).collect();
    assert_eq!(before, after);
    let bad = ChangeConfig { share: 1.1, ..ChangeConfig::default() };
    assert!(SimWeb::new(SimConfig { changes: Some(bad), ..SimConfig::plain(10, 1, 1) }).is_err());
}
