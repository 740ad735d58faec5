use super::decide::*;
use crate::event::outcome::*;
use crate::fetch::Failure;
use crate::frontier::{After, NEVER_MS};
use crate::politeness::Politeness;
use crate::scope::Lineage;
use crate::{Entry, HostState, Purpose};
use Effect::{Follow, KeepBeginning, LearnKind, Look, Queue, Store, StoreBeginning};
use Purpose::{Page, Requisite, Sitemap};
use webmill_capture::CanonicalUrl;

const NOW: i64 = 1_700_000_000_000;

fn entry(purpose: Purpose) -> Entry {
    Entry {
        url: CanonicalUrl::parse("http://a.example/page").unwrap(),
        purpose,
        depth: 1,
        redirects: 0,
        lineage: Lineage::default(),
        retries: 0,
        postponed: 0,
        origin: None,
        referrer: Some("http://a.example/".into()),
        priority: 0.0,
    }
}

/// A host that answered before.
fn host() -> HostState {
    HostState { fetched: 7, ..HostState::default() }
}

fn status(status: u16) -> Result<AnswerFacts, Failure> {
    Ok(AnswerFacts { status, bytes: 900, body: 700, elapsed_ms: 40, kept: true, ..AnswerFacts::default() })
}

fn with(
    came: Result<AnswerFacts, Failure>,
    change: impl FnOnce(&mut AnswerFacts),
) -> Result<AnswerFacts, Failure> {
    came.map(|mut answer| {
        change(&mut answer);
        answer
    })
}

/// What an attempt of a URL leads to, and its host after it.
fn decided(
    entry: &Entry,
    before: &HostState,
    came: &Result<AnswerFacts, Failure>,
    again: bool,
) -> (Decision, HostState) {
    let (polite, mut host) = (Politeness::default(), before.clone());
    let attempt = Attempt { entry, polite: &polite, now_ms: NOW, max_retries: 5, again };
    let decision = decide(attempt, came.as_ref(), &mut host);
    (decision, host)
}

fn connect() -> Failure {
    Failure::Connect("refused".into())
}

#[test]
fn answers_of_a_host_that_is_well() {
    let beginning = |status_| with(status(status_), |answer| answer.broke_off = true);
    let unchanged = || with(status(200), |answer| answer.unchanged = true);
    let refused = || with(status(200), |answer| answer.refused = true);
    let conditional = || with(status(304), |answer| answer.conditional = true);
    let page: &[Effect] = &[LearnKind, Store, Look, Queue];
    // Purpose, queued again, answer; outcome, effects, where the URL goes, pause of the host in seconds.
    for (purpose, again, came, outcome, effects, after, pause_s) in [
        (Page, false, status(200), STORED, page, After::Done, 1),
        (Page, true, status(203), STORED, page, After::Done, 1),
        (Page, true, unchanged(), UNCHANGED, &[Look, Queue], After::Done, 1),
        (Page, false, unchanged(), STORED, page, After::Done, 1),
        (Requisite, false, unchanged(), UNCHANGED, &[Look, Queue], After::Done, 1),
        (Requisite, false, status(200), STORED, &[Store, Look, Queue], After::Done, 1),
        (Sitemap, false, status(200), SITEMAP, &[Queue], After::Done, 1),
        (Page, false, refused(), MEDIA_TYPE, &[LearnKind], After::Done, 1),
        (Page, true, conditional(), NOT_MODIFIED, &[Queue], After::Done, 1),
        (Page, true, status(304), NOT_MODIFIED, &[], After::Done, 1),
        (Page, false, status(301), REDIRECT, &[Follow], After::Done, 1),
        (Page, false, status(404), GONE, &[], After::Done, 1),
        (Page, false, status(410), GONE, &[], After::Done, 1),
        (Page, false, status(403), CLIENT_ERROR, &[], After::Done, 1),
        (Page, false, status(600), PROTOCOL_ERROR, &[], After::Done, 1),
        (Page, false, status(100), PROTOCOL_ERROR, &[], After::Done, 1),
        (Page, false, status(408), RETRY, &[], After::Retry, 5),
        (Page, false, status(500), RETRY, &[], After::Retry, 5),
        (Page, false, status(503), RETRY, &[], After::Postpone, 2),
        (Page, false, status(429), RETRY, &[], After::Postpone, 2),
        (Page, false, beginning(200), RETRY, &[KeepBeginning], After::Retry, 5),
        (Sitemap, false, beginning(200), RETRY, &[Queue], After::Retry, 5),
        // What is not wanted whole is no beginning.
        (Page, false, beginning(404), GONE, &[], After::Done, 1),
    ] {
        let (decision, host) = decided(&entry(purpose), &host(), &came, again);
        assert_eq!(
            (decision.outcome, &*decision.effects, decision.after),
            (outcome, effects, after),
            "{purpose:?} {came:?}"
        );
        assert_eq!(host.next_ms, NOW + pause_s * 1_000, "{purpose:?} {came:?}");
        assert_eq!((host.fetched, host.bytes, host.response_ms), (8, 900, 40), "{came:?}");
    }
}

#[test]
fn failures_and_whose_fault_they_are() {
    let dns = |answered| Failure::Dns { reason: "no answer".into(), answered };
    // Failure; outcome, where the URL goes, failures of the host and how often it was away, its verdict.
    for (failure, outcome, after, counts, verdict) in [
        (Failure::Timeout("response"), RETRY, After::Retry, (1, 0), None),
        (Failure::Disconnect, RETRY, After::Retry, (1, 0), None),
        (Failure::Timeout("connect"), RETRY, After::Retry, (1, 1), None),
        (connect(), RETRY, After::Retry, (1, 1), None),
        (dns(true), RETRY, After::Retry, (1, 1), None),
        (dns(false), RETRY, After::Keep, (0, 0), None),
        (Failure::Proxy("away".into()), RETRY, After::Keep, (0, 0), None),
        (Failure::Local("no socket".into()), RETRY, After::Keep, (0, 0), None),
        (Failure::Tls("no trust".into()), TLS_FAILURE, After::Done, (1, 0), None),
        (Failure::Protocol("no HTTP".into()), PROTOCOL_ERROR, After::Done, (1, 0), None),
        (Failure::NoSuchHost, NO_SUCH_HOST, After::Done, (0, 0), Some(NO_SUCH_HOST)),
        (
            Failure::PrivateAddress([10, 0, 0, 1].into()),
            PRIVATE_ADDRESS,
            After::Done,
            (0, 0),
            Some(PRIVATE_ADDRESS),
        ),
        (
            Failure::AddressOutOfScope([9, 9, 9, 9].into()),
            OUT_OF_SCOPE,
            After::Done,
            (0, 0),
            Some(OUT_OF_SCOPE),
        ),
    ] {
        let (decision, host) = decided(&entry(Page), &host(), &Err(failure.clone()), false);
        assert_eq!((decision.outcome, decision.after), (outcome, after), "{failure:?}");
        assert_eq!(((host.failures, host.away), host.verdict.as_deref()), (counts, verdict), "{failure:?}");
        assert_eq!(decision.detail, Some(failure.to_string()));
        let rests = verdict.is_none();
        assert_eq!(host.next_ms, if rests { NOW + 5_000 } else { 0 }, "{failure:?}");
    }
}

#[test]
fn what_was_before_decides_too() {
    type State<'a> = (&'a str, fn(&mut Entry, &mut HostState));
    type Case<'a> = (State<'a>, Result<AnswerFacts, Failure>, &'a str, &'a [Effect], After);
    let cases: [Case<'_>; 17] = [
        // Two attempts that end at the same place are what there is.
        (
            ("second attempt", |e, _| e.retries = 1),
            with(status(200), |answer| (answer.broke_off, answer.broke_off_alike) = (true, true)),
            CUT_OFF,
            &[KeepBeginning, StoreBeginning],
            After::Done,
        ),
        // A URL has six attempts; what its attempts brought is stored then.
        (("last attempt", |e, _| e.retries = 5), status(500), SERVER_ERROR, &[StoreBeginning], After::Done),
        (("last attempt", |e, _| e.retries = 5), status(408), TOO_BUSY, &[StoreBeginning], After::Done),
        (
            ("last attempt", |e, _| e.retries = 5),
            Err(Failure::Disconnect),
            DISCONNECT,
            &[StoreBeginning],
            After::Done,
        ),
        (
            ("last attempt", |e, _| e.retries = 5),
            with(status(200), |answer| answer.broke_off = true),
            CUT_OFF,
            &[KeepBeginning, StoreBeginning],
            After::Done,
        ),
        (("put off often", |e, _| e.postponed = 30), status(429), TOO_BUSY, &[StoreBeginning], After::Done),
        (
            ("put off often", |e, _| e.postponed = 30),
            status(503),
            SERVER_ERROR,
            &[StoreBeginning],
            After::Done,
        ),
        // Nobody named this sitemap: without it nothing is missing.
        (
            ("a sitemap that was guessed", |e, _| {
                (e.purpose, e.referrer) = (Sitemap, None);
            }),
            status(503),
            GONE,
            &[StoreBeginning],
            After::Done,
        ),
        (
            ("a sitemap that was guessed", |e, _| {
                (e.purpose, e.referrer) = (Sitemap, None);
            }),
            Err(Failure::Disconnect),
            GONE,
            &[StoreBeginning],
            After::Done,
        ),
        // Eight URLs in a row with an error at their first attempt: the host is out of order.
        (("errors alone", |_, h| h.errors = 7), status(500), RETRY, &[], After::Last),
        (
            ("errors alone, of URLs asked for before", |e, h| (e.retries, h.errors) = (1, 7)),
            status(500),
            RETRY,
            &[],
            After::Retry,
        ),
        // The host itself is away.
        (("it never answered", |_, h| h.fetched = 0), Err(connect()), RETRY, &[], After::Last),
        (("it was away before", |_, h| h.away = 1), Err(connect()), RETRY, &[], After::Last),
        (
            ("away before, and so was the URL", |e, h| (e.retries, h.away) = (1, 1)),
            Err(connect()),
            RETRY,
            &[],
            After::Retry,
        ),
        // It is left alone after too many failures.
        (("hopeless", |_, h| h.away = 29), Err(connect()), HOST_UNREACHABLE, &[], After::Keep),
        (("hopeless", |_, h| h.away = 29), status(503), HOST_UNREACHABLE, &[], After::Keep),
        (("hopeless", |_, h| (h.away, h.errors) = (29, 7)), status(500), HOST_UNREACHABLE, &[], After::Keep),
    ];
    for ((name, change), came, outcome, effects, after) in cases {
        let (mut entry, mut before) = (entry(Page), host());
        change(&mut entry, &mut before);
        let (decision, host) = decided(&entry, &before, &came, false);
        assert_eq!(
            (decision.outcome, &*decision.effects, decision.after),
            (outcome, effects, after),
            "{name}: {came:?}"
        );
        let left_alone = outcome == HOST_UNREACHABLE;
        assert_eq!((host.next_ms == NEVER_MS, host.verdict.is_some()), (left_alone, left_alone), "{name}");
    }
}

#[test]
fn a_good_answer_ends_the_trouble_of_its_host() {
    let trouble = HostState {
        failures: 4,
        away: 3,
        errors: 2,
        trouble: Some(TIMEOUT.into()),
        trouble_since_ms: NOW - 9,
        ..host()
    };
    for (came, after) in [
        (status(200), (0, 0, 0, false)),
        (status(404), (0, 0, 0, false)),
        // There is somebody, and no more than that.
        (status(408), (5, 0, 2, true)),
        (status(500), (5, 3, 3, true)),
        (status(429), (5, 4, 2, true)),
        (with(status(200), |answer| answer.broke_off = true), (5, 0, 2, true)),
        (Err(Failure::Disconnect), (5, 3, 2, true)),
        (Err(connect()), (5, 4, 2, true)),
    ] {
        let host = decided(&entry(Page), &trouble, &came, false).1;
        assert_eq!((host.failures, host.away, host.errors, host.trouble.is_some()), after, "{came:?}");
        assert!(host.trouble.is_none() || host.trouble_since_ms == NOW - 9, "{came:?}");
    }
}

#[test]
fn pauses_grow_with_failures_and_as_servers_ask() {
    let failed = |failures| HostState { failures, ..host() };
    for (before, came, pause_ms) in [
        (failed(0), Err(Failure::Disconnect), 5_000),
        (failed(3), Err(Failure::Disconnect), 40_000),
        (failed(20), Err(Failure::Disconnect), 7_200_000),
        // A server that answers is there: five minutes at most.
        (failed(20), status(500), 300_000),
        (host(), with(status(503), |answer| answer.asked_ms = Some(90_000)), 90_000),
        (host(), with(status(429), |answer| answer.asked_ms = Some(9)), 2_000),
        (HostState { crawl_delay_ms: Some(30_000), ..host() }, status(200), 30_000),
        (host(), with(status(200), |answer| answer.elapsed_ms = 4_000), 8_000),
        // A longer pause that it was to have stays.
        (HostState { next_ms: NOW + 60_000, ..host() }, status(200), 60_000),
    ] {
        let host = decided(&entry(Page), &before, &came, false).1;
        assert_eq!(host.next_ms - NOW, pause_ms, "{came:?} after {} failures", before.failures);
    }
}

#[test]
fn robots_files_that_cannot_be_had() {
    let (page, polite) = (entry(Page), Politeness::default());
    let attempt = Attempt { entry: &page, polite: &polite, now_ms: NOW, max_retries: 5, again: false };
    let away = |away| HostState { away, failures: away, ..host() };
    let proxy = Failure::Proxy("away".into());
    // Host, failure (none: the answer is no rules), whether another host has it; outcome, where the URL goes, reason.
    for (before, failure, elsewhere, outcome, after, reason) in [
        (away(1), None, false, ROBOTS_UNREACHABLE, After::Last, Some(NOT_YET)),
        (away(30), None, false, ROBOTS_UNREACHABLE, After::Keep, Some(ROBOTS_UNREACHABLE)),
        (away(2), Some(connect()), false, CONNECT_FAILURE, After::Last, Some(NOT_YET)),
        // Its other ports and schemes answer.
        (away(1), Some(connect()), false, CONNECT_FAILURE, After::Keep, None),
        (away(30), Some(connect()), false, HOST_UNREACHABLE, After::Keep, Some(HOST_UNREACHABLE)),
        (away(1), Some(proxy), false, PROXY_FAILURE, After::Keep, Some(NOT_YET)),
        (away(0), Some(Failure::NoSuchHost), false, NO_SUCH_HOST, After::Keep, Some(NO_SUCH_HOST)),
        // A name that another host's redirect gives says nothing of this one.
        (away(0), Some(Failure::NoSuchHost), true, NO_SUCH_HOST, After::Last, Some(NOT_YET)),
        (away(29), None, true, ROBOTS_UNREACHABLE, After::Keep, Some(ROBOTS_UNREACHABLE)),
    ] {
        let mut host = before.clone();
        let found = without_rules(attempt, failure.as_ref(), elsewhere, &mut host);
        let told = (found.decision.outcome, found.decision.after, found.reason);
        assert_eq!(told, (outcome, after, reason), "{} {failure:?} {elsewhere}", before.away);
        let of_url = found.of_url.map(|own| (own.outcome, own.after));
        assert_eq!(of_url, reason.is_none().then_some((RETRY, After::Retry)), "{failure:?}");
    }
}

#[test]
fn hosts_are_left_by_the_limits_of_today() {
    for (before, full, allow_private, want) in [
        (None, false, false, None),
        (None, true, false, Some(HOST_LIMIT)),
        (Some(HOST_LIMIT), true, false, Some(HOST_LIMIT)),
        (Some(HOST_LIMIT), false, false, None),
        (Some(PRIVATE_ADDRESS), false, false, Some(PRIVATE_ADDRESS)),
        (Some(PRIVATE_ADDRESS), false, true, None),
        (Some(NO_SUCH_HOST), true, true, Some(NO_SUCH_HOST)),
    ] {
        let host = HostState { verdict: before.map(str::to_owned), ..host() };
        assert_eq!(host.verdict_today(full, allow_private), want, "{before:?} {full} {allow_private}");
    }
}
