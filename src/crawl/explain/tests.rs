use super::*;
use crate::journal::Journal;
use crate::robots::Robots;
use crate::scope::{RuleAction, ScopeRule};
use crate::{Discovered, Purpose};

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

/// The folder of a crawl that is not running: a log, a queue, a robots.txt.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(events: &[Event], queued: &[&str], robots: &str) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(&folder.path().join("events"), 1_000).unwrap();
        events.iter().for_each(|event| journal.append(event).unwrap());
        journal.flush().unwrap();
        let options = Crawl::frontier_options(&CrawlOptions { memory: 16 << 20, ..CrawlOptions::default() });
        let (mut frontier, _) = Frontier::open(&folder.path().join("frontier"), &options).unwrap();
        for queued in queued {
            let found = Discovered {
                url: url(queued),
                purpose: Purpose::Page,
                depth: 2,
                redirects: 0,
                lineage: Lineage::default(),
                origin: None,
                referrer: Some("http://a.example/list".into()),
                priority: 0.0,
            };
            frontier.add(&found).unwrap();
        }
        let mut kept = 4_102_444_800_000i64.to_be_bytes().to_vec();
        kept.extend(Robots::parse(robots.as_bytes(), "webmill").to_bytes());
        frontier.set_robots("http://a.example", &kept).unwrap();
        frontier.commit(b"x").unwrap();
        frontier.close().unwrap();
        Folder(folder)
    }

    fn ask(&self, options: &CrawlOptions, asked: &str) -> (Fate, String) {
        let seeds = [url("http://a.example/"), url("http://b.example/")];
        let told = explain(self.0.path(), options, &seeds, &url(asked)).unwrap();
        assert!(told.facts.iter().all(|fact| !fact.contains('\n')), "{told:?}");
        assert!(told.facts.last().unwrap().starts_with("so: "));
        (told.fate, told.facts.join("\n"))
    }
}

fn event(of: &str, name: &'static str, change: impl Fn(&mut Event)) -> Event {
    let mut event = Event::new(of, Purpose::Page, name, 1_700_000_000_000);
    event.depth = 1;
    change(&mut event);
    event
}

fn folder() -> Folder {
    let from = |e: &mut Event| e.referrer = Some("http://a.example/".into());
    let events = [
        event("http://a.example/late", outcome::RETRY, |e| e.detail = Some("timeout: head".into())),
        event("http://a.example/late", outcome::STORED, |e| {
            from(e);
            (e.status, e.retries, e.shard, e.offset) =
                (Some(200), 1, Some("crawl-00000.rawdb".into()), Some(77));
        }),
        event("http://a.example/old", outcome::REDIRECT, |e| {
            e.redirect_to = Some("http://a.example/new".into())
        }),
        event("http://a.example/new", outcome::STORED, |e| e.origin = Some("http://a.example/old".into())),
        event("http://a.example/gone", outcome::GONE, |e| e.status = Some(404)),
        event("http://a.example/slow", outcome::TIMEOUT, from),
        event("http://a.example/no", outcome::ROBOTS_DENIED, |e| {
            e.robots_reason = Some("Disallow: /no".into())
        }),
        event("http://c.example/", outcome::OUT_OF_SCOPE, |e| {
            e.detail = Some("rule 1 (reject host:c.example)".into())
        }),
    ];
    Folder::new(
        &events,
        &["http://a.example/soon", "http://a.example/no/more"],
        "User-agent: *\nDisallow: /no\n",
    )
}

#[test]
fn every_fate_is_told_with_its_reason() {
    let folder = folder();
    let options = CrawlOptions::default();
    for (asked, fate, words) in [
        (
            "late",
            Fate::Fetched,
            &[
                "retry, timeout: head",
                "status 200",
                "attempt 2",
                "in crawl-00000.rawdb at byte 77",
                "found on: http://a.example/, 1 link",
            ][..],
        ),
        ("late?PHPSESSID=0123456789abcdef", Fate::Fetched, &["asked for as: http://a.example/late\n"]),
        (
            "old",
            Fate::Fetched,
            &["redirects led on to: http://a.example/new", "looked for at http://a.example/new"],
        ),
        (
            "new",
            Fate::Fetched,
            &["redirected here: http://a.example/old", "found by a redirect from: http://a.example/old"],
        ),
        ("gone", Fate::NotFetched, &["status 404", "so: it was not fetched: gone: The page is not there"]),
        ("slow", Fate::NotFetched, &["--retry timeout"]),
        (
            "no",
            Fate::NotFetched,
            &["robots.txt says: Disallow: /no", "robots.txt: forbids it (Disallow: /no)"],
        ),
        (
            "soon",
            Fate::WouldBeFetched,
            &["queue: it waits", "found on: http://a.example/list, 2 links", "when its turn comes"],
        ),
        (
            "no/more",
            Fate::NotFetched,
            &["queue: it waits", "so: it is not fetched: robots.txt forbids it: Disallow: /no"],
        ),
        (
            "never",
            Fate::WouldBeFetched,
            &[
                "log: it says nothing",
                "queue: it was never queued",
                "judged as if a seed linked to it",
                "if a page that is fetched linked to it",
            ],
        ),
        ("film.mp4", Fate::NotFetched, &["its type is not stored (video/mp4"]),
        (
            "x/x/x/x/x/x/x/x",
            Fate::NotFetched,
            &["traps: it looks like one of endlessly many: repeated-segments"],
        ),
        ("", Fate::WouldBeFetched, &["it is a seed", "so: it will be fetched: it is a seed"]),
    ] {
        let (told, facts) = folder.ask(&options, &format!("http://a.example/{asked}"));
        assert_eq!(told, fate, "{facts}");
        words.iter().for_each(|word| assert!(facts.contains(word), "{word} is not in\n{facts}"));
    }
}

#[test]
fn the_rule_that_decides_is_named() {
    let folder = folder();
    let mut options = CrawlOptions::default();
    options.scope.rules.push(ScopeRule::parse(RuleAction::Reject, "ext:zip").unwrap());
    options.scope.rules.push(ScopeRule {
        name: Some("archives".into()),
        ..ScopeRule::parse(RuleAction::Reject, "re:/old/").unwrap()
    });
    let (fate, facts) = folder.ask(&options, "http://a.example/old/x");
    assert_eq!(fate, Fate::NotFetched);
    assert!(facts.contains("scope: rule 1 (reject ext:zip): does not match"), "{facts}");
    assert!(facts.ends_with("so: it is not fetched: out of scope: rule \"archives\""), "{facts}");
    let (fate, facts) = folder.ask(&options, "http://elsewhere.example/");
    assert_eq!(fate, Fate::NotFetched);
    assert!(facts.contains("scope: field host: no seed stands for its host"), "{facts}");
}

#[test]
fn a_running_crawl_and_an_empty_folder_are_said() {
    let folder = folder();
    let running = lock(folder.0.path()).unwrap();
    let (fate, facts) = folder.ask(&CrawlOptions::default(), "http://a.example/late");
    assert_eq!(fate, Fate::Fetched);
    assert!(facts.contains("queue: the crawl is running"), "{facts}");
    let (fate, facts) = folder.ask(&CrawlOptions::default(), "http://a.example/no");
    assert_eq!(fate, Fate::NotFetched);
    assert!(facts.contains("robots.txt: not asked for yet"), "{facts}");
    drop(running);
    let empty = Folder(tempfile::tempdir().unwrap());
    let (fate, facts) = empty.ask(&CrawlOptions::default(), "http://b.example/x");
    assert_eq!(fate, Fate::WouldBeFetched);
    assert!(facts.contains("log: there is none") && facts.contains("nothing was crawled yet"), "{facts}");
    assert_eq!(std::fs::read_dir(empty.0.path()).unwrap().count(), 0, "looking leaves nothing behind");
}

#[test]
fn of_many_events_the_newest_are_told() {
    let many: Vec<Event> = (0..100)
        .map(|n| event("http://a.example/x", outcome::RETRY, |e| e.detail = Some(format!("try {n};"))))
        .collect();
    let folder = Folder::new(&many, &[], "");
    let (_, facts) = folder.ask(&CrawlOptions::default(), "http://a.example/x");
    assert!(facts.contains("80 earlier events are left out") && facts.contains("try 99;"), "{facts}");
    assert!(!facts.contains("try 79;"), "{facts}");
}

#[test]
fn commands_are_rules_too() {
    use crate::control::state::State;
    let folder = Folder::new(&[], &["http://a.example/list/2", "http://b.example/waits"], "");
    let state = State {
        paused: true,
        drops: vec!["http://a.example/list/".into(), "[?]day=".into()],
        parked: ["b.example".to_owned()].into(),
        added: ["http://added.example/".to_owned()].into(),
        ..State::default()
    };
    std::fs::create_dir_all(folder.0.path().join("control")).unwrap();
    state.save(folder.0.path()).unwrap();
    for (asked, fate, says) in [
        ("http://a.example/list/2", Fate::NotFetched, "dropped by the pattern http://a.example/list/;"),
        ("http://a.example/c?day=1", Fate::NotFetched, "dropped by the pattern [?]day=;"),
        ("http://a.example/c", Fate::WouldBeFetched, "control: the crawl is paused"),
        ("http://b.example/waits", Fate::WouldBeFetched, "its host is parked"),
        ("http://added.example/c", Fate::WouldBeFetched, "nothing is against it"),
        ("http://other.example/c", Fate::NotFetched, "out of scope: host"),
    ] {
        let (found, text) = folder.ask(&CrawlOptions::default(), asked);
        assert!(found == fate && text.contains(says), "{asked}: {text}");
    }
}
