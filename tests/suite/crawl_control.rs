//! Crawls that are steered: while they run, while they do not, and while they are killed.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use webmill::crawl::control::{self, Command, Status};
use webmill::crawl::event::outcome;
use webmill::crawl::{Ended, Purpose};
use webmill::sim::{Recording, SimConfig};

use super::crawl_support::{
    Dice, Program, Served, Written, crawl, crawl_until, events, needless_repeats, none, serve, swift,
};
use super::support::Work;

/// As in `crawl_resume`: a tick, and what a busy machine adds.
const TICK: Duration = Duration::from_millis(50 + 250);

fn give(folder: &Path, command: Command) -> u64 {
    control::file::append(folder, &command, 0).unwrap()
}

/// Waits for a crawl that says of itself what is asked for.
fn wait_until(folder: &Path, so: impl Fn(&Status) -> bool) -> Status {
    let by = Instant::now() + Duration::from_secs(60);
    loop {
        match control::status(folder) {
            Some(status) if status.running && so(&status) => return status,
            status => assert!(Instant::now() < by, "{status:?}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Gives a command to a running crawl, and waits until it is obeyed.
fn obeyed(folder: &Path, command: Command) -> Status {
    let number = give(folder, command);
    wait_until(folder, |status| status.obeyed >= number)
}

fn fetched(record: &Recording, url: &str) -> u32 {
    record.counts().get(url).copied().map_or(0, |n| u32::try_from(n).unwrap())
}

/// Three hosts of twenty pages each.
fn three_hosts() -> Written {
    let mut web = Written::default();
    for host in ["a", "b", "c"] {
        let pages: Vec<String> = (0..20).map(|n| format!("http://{host}.example/{n}")).collect();
        let links: Vec<&str> = pages.iter().map(String::as_str).collect();
        web = web.page(&format!("http://{host}.example/"), &links);
        for page in &pages {
            web = web.page(page, &[]);
        }
    }
    web.page("http://d.example/", &["/below"]).page("http://d.example/below", &[])
}

fn seeds(hosts: &[&str]) -> Vec<webmill::capture::CanonicalUrl> {
    let url =
        |host: &&str| webmill::capture::CanonicalUrl::parse(&format!("http://{host}.example/")).unwrap();
    hosts.iter().map(url).collect()
}

#[test]
fn what_was_said_while_it_stood_still_is_obeyed_by_the_next_run_once() {
    let (server, record) = serve(three_hosts());
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let options = swift(server.proxy());
    let seeds = seeds(&["a", "b", "c"]);
    // Opened and stopped at once: only the seeds wait.
    crawl_until(folder, &options, &seeds, &|| true).unwrap();
    assert_eq!(server.requests(), 0);
    give(folder, Command::Park { host: "A.Example:80".into() });
    give(folder, Command::Drop { pattern: "http://b.example/1".into() });
    give(folder, Command::Add { urls: vec!["http://d.example/".into()] });
    give(folder, Command::Stop {});
    crawl_until(folder, &options, &seeds, &|| false).unwrap();
    assert_eq!(fetched(&record, "http://a.example/"), 0, "it is parked");
    assert_eq!(fetched(&record, "http://b.example/1"), 0, "it is dropped");
    assert_eq!(fetched(&record, "http://b.example/19"), 0, "it begins with what is dropped");
    assert_eq!(fetched(&record, "http://b.example/2"), 1);
    assert_eq!(fetched(&record, "http://c.example/19"), 1);
    assert_eq!(fetched(&record, "http://d.example/below"), 1, "an added host belongs to the crawl");
    let status = control::status(folder).unwrap();
    assert_eq!(
        (status.running, status.obeyed, status.parked.as_slice()),
        (false, 4, &["a.example".to_owned()][..])
    );

    // What lasts is still so in the next run; what was done once is not done again.
    crawl_until(folder, &options, &seeds, &|| false).unwrap();
    assert_eq!(fetched(&record, "http://a.example/"), 0);
    assert_eq!(fetched(&record, "http://d.example/"), 1);
    give(folder, Command::Unpark { host: "a.example".into() });
    give(folder, Command::Undrop { pattern: "http://b.example/1".into() });
    give(folder, Command::Due { urls: vec!["http://c.example/7".into(), "http://c.example/77".into()] });
    give(folder, Command::Add { urls: vec!["http://b.example/1".into()] });
    crawl(folder, &options, &seeds);
    assert_eq!(fetched(&record, "http://a.example/19"), 1);
    assert_eq!(fetched(&record, "http://b.example/1"), 1);
    assert_eq!(fetched(&record, "http://c.example/7"), 2);
    assert_eq!(fetched(&record, "http://c.example/77"), 0, "nobody knows it");
}

#[test]
fn what_waits_when_a_pattern_is_dropped_is_settled_without_a_request_and_counted() {
    let (server, record) = serve(three_hosts());
    let folder = tempfile::tempdir().unwrap();
    let mut options = swift(server.proxy());
    options.limits.pages = Some(1);
    crawl_until(folder.path(), &options, &seeds(&["a"]), &|| false).unwrap();
    give(folder.path(), Command::Drop { pattern: r"/1\d$".into() });
    options.limits.pages = None;
    let totals = crawl(folder.path(), &options, &seeds(&["a"]));
    assert_eq!(totals.outcomes.get(outcome::DROPPED), 10);
    let dropped = events(folder.path()).into_iter().filter(|event| event.outcome == outcome::DROPPED);
    assert!(dropped.into_iter().all(|event| event.detail.as_deref() == Some(r"/1\d$")));
    assert_eq!((fetched(&record, "http://a.example/12"), fetched(&record, "http://a.example/9")), (0, 1));
}

#[test]
fn a_running_crawl_pauses_resumes_changes_its_delay_and_stops() {
    let (server, record) = serve(three_hosts());
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut options = swift(server.proxy());
    options.connections = 2;
    options.politeness.delay_ms = 100;
    let run = |hosts: &'static [&str]| crawl_until(folder, &options, &seeds(hosts), &|| false).unwrap().1;
    std::thread::scope(|scope| {
        give(folder, Command::Pause {});
        let crawling = scope.spawn(|| run(&["a", "b"]));
        let status = wait_until(folder, |status| status.paused && status.obeyed == 1);
        assert_eq!((status.delay_ms, server.requests()), (100, 0), "it waits until it may begin");
        obeyed(folder, Command::Resume {});
        wait_until(folder, |status| status.stored > 2);
        obeyed(folder, Command::Pause {});
        wait_until(folder, |status| status.paused && status.in_flight == 0);
        let before = server.requests();
        // Several looks at the queue later it is still so.
        let at_ms = control::status(folder).unwrap().at_ms;
        wait_until(folder, |status| status.at_ms > at_ms + 1_000);
        assert_eq!(server.requests(), before, "it pauses");
        let status = obeyed(folder, Command::Set { delay_ms: Some(1), pages: None });
        assert_eq!((status.paused, status.delay_ms), (true, 1));
        let number = give(folder, Command::Unpark { host: "b.example".into() });
        let unknown = give(folder, Command::Park { host: "bb.example".into() });
        let status = wait_until(folder, |status| status.obeyed >= unknown);
        let [unparked, (refused, said)] = &status.unobeyed[..] else { panic!("{:?}", status.unobeyed) };
        assert_eq!(*unparked, (number, "neither parked nor left alone".to_owned()));
        assert_eq!(*refused, unknown);
        assert!(said.starts_with("no URL of bb.example is known; near to it: b.example"), "{said}");
        give(folder, Command::Resume {});
        give(folder, Command::Stop {});
        assert_eq!(crawling.join().unwrap(), Ended::Stopped);
    });
    assert_eq!(fetched(&record, "http://c.example/"), 0);
    // The delay holds in the next run too, with the settings that it was changed from. It waits until it was looked at.
    give(folder, Command::Pause {});
    std::thread::scope(|scope| {
        let crawling = scope.spawn(|| run(&["a", "b", "c"]));
        assert_eq!(wait_until(folder, |status| status.paused).delay_ms, 1);
        give(folder, Command::Resume {});
        assert_eq!(crawling.join().unwrap(), Ended::Finished);
    });
    assert_eq!(fetched(&record, "http://c.example/19"), 1);
}

#[test]
fn killed_at_random_moments_it_obeys_every_command_once() {
    let served = Served::new(SimConfig { delay_ms: 5, ..SimConfig::plain(240, 12, 91) });
    let work = Work::new();
    let out = work.path("crawl");
    crawl(&out, &served.options(), &served.seeds());
    let pages: Vec<String> = events(&out)
        .into_iter()
        .filter(|event| event.purpose == Purpose::Page && event.outcome == outcome::STORED)
        .map(|event| event.url)
        .collect();
    assert!(pages.len() > 100);

    // From here on every request is there because of a command.
    let (server, record) = serve(served.sim.clone());
    let program = Program::new(work, &swift(server.proxy()), &served.sim.seeds().collect::<Vec<_>>());
    let mut dice = Dice(91);
    let (mut kills, mut told) = (Vec::new(), HashSet::new());
    let mut pending = pages.chunks(4);
    let mut all_given = false;
    while !all_given {
        let mut child = program.start();
        let until = Instant::now() + Duration::from_millis(dice.below(250));
        while Instant::now() < until && !all_given {
            match pending.next() {
                Some(urls) => {
                    give(&out, Command::Due { urls: urls.to_vec() });
                    told.extend(urls.iter().cloned());
                }
                None => all_given = true,
            }
            std::thread::sleep(Duration::from_millis(dice.below(40)));
        }
        kills.push(Instant::now());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(program.start().wait().unwrap().success());
    let counts: HashMap<String, _> = record.counts().into_iter().collect();
    let missed: Vec<&String> = told.iter().filter(|url| !counts.contains_key(*url)).collect();
    assert!(missed.is_empty(), "{} of {} are not obeyed: {missed:?}", missed.len(), told.len());
    none(&needless_repeats(&record, &kills, TICK));
    assert!(kills.len() > 5, "{} kills", kills.len());
}

#[test]
fn the_command_line_speaks_to_a_crawl_that_stands_still() {
    let (server, _record) = serve(three_hosts());
    let work = Work::new();
    let out = work.path("crawl");
    crawl(&out, &swift(server.proxy()), &seeds(&["a"]));
    let run = |arguments: &[&str]| {
        let output = work.webmill(&[&["crawl", "ctl", "crawl"], arguments].concat()).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, said, _) = run(&["status"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("not running") && said.contains("21 stored"), "{said}");
    let (_, said, _) = run(&["status", "--format", "json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&said).unwrap()["stored"], 21);
    let (code, said, _) = run(&["set", "delay", "250ms"]);
    assert_eq!(
        (code, said.as_str()),
        (Some(0), "1: written down; obeyed within a second, or when the crawl goes on\n")
    );
    let (code, _, said) = run(&["drop", "("]);
    assert!(code == Some(2) || code == Some(1), "{code:?}");
    assert!(said.contains("regular expression"), "{said}");
    let (code, _, said) = run(&["stop"]);
    assert_eq!((code, said.contains("does not run")), (Some(0), true), "{said}");
    let output = work.webmill(&["crawl", "ctl", "nowhere", "status"]).output().unwrap();
    assert!(!output.status.success());
}
