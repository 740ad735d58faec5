//! The frontier against its model, against kill -9 and against damage.

use std::path::Path;

use proptest::prelude::*;

use super::model::{ExpectedNext, Model};
use super::options::{Limits, Strategy as Order};
use super::store::Sizes;
use super::{After, Borrowed, Frontier, FrontierOptions, Lease, NEVER_MS, Next};
use crate::task::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Error;

/// So little that hosts are parked, blocks are dropped and the filter is given up.
const TINY: Limits = Limits {
    hosts: 2,
    batch: 1,
    loaded: 0,
    block: 2,
    bloom: 64,
    recent: 64,
    places: 64,
    sizes: Sizes { cache: 1 << 20, large: 1 << 20, small: 1 << 19 },
};

fn small() -> Limits {
    Limits { sizes: TINY.sizes, ..Limits::of(16 << 20) }
}

fn found(host: u8, path: u8, depth: u32, priority: f64, referrer: Option<u8>) -> Discovered {
    let scheme = if path % 5 == 4 { "https" } else { "http" };
    Discovered {
        url: CanonicalUrl::parse(&format!("{scheme}://h{host}.example/{path}")).unwrap(),
        purpose: if path % 7 == 6 { Purpose::Sitemap } else { Purpose::Page },
        depth,
        redirects: path % 3,
        lineage: crate::scope::Lineage {
            off_site: path % 2,
            seed: crate::scope::SeedMark(u32::from(path % 5)),
        },
        origin: (path % 4 == 3).then(|| format!("http://h{host}.example/from/{path}")),
        referrer: referrer.map(|page| format!("http://p.example/{page}").into()),
        priority,
    }
}

#[derive(Debug, Clone)]
enum Step {
    Add { host: u8, path: u8, depth: u32, priority: f64, referrer: Option<u8> },
    Next,
    Release { which: u8, after: After, pause_ms: i64 },
    Tick(i64),
    MarkSeen { host: u8, path: u8 },
    Borrow { host: u8 },
    Again { host: u8, path: u8 },
    Revive,
    Commit,
    Crash,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let after = prop_oneof![4 => Just(After::Done), 1 => Just(After::Keep), 2 => Just(After::Retry), 1 => Just(After::Postpone), 1 => Just(After::Last)];
    let pause = prop_oneof![6 => Just(0i64), 6 => 1..50i64, 2 => Just(super::schedule::FAR_MS + 5), 1 => Just(NEVER_MS)];
    let priority = prop_oneof![Just(0.0), Just(1.0), Just(-0.5), Just(0.25)];
    let step = prop_oneof![
        40 => (0..6u8, 0..12u8, 0..4u32, priority, proptest::option::of(0..3u8)).prop_map(
            |(host, path, depth, priority, referrer)| Step::Add { host, path, depth, priority, referrer }),
        25 => Just(Step::Next),
        20 => (any::<u8>(), after, pause).prop_map(|(which, after, pause_ms)| Step::Release { which, after, pause_ms }),
        8 => prop_oneof![4 => 1..60i64, 1 => Just(super::schedule::FAR_MS)].prop_map(Step::Tick),
        3 => (0..6u8, 0..12u8).prop_map(|(host, path)| Step::MarkSeen { host, path }),
        3 => (0..8u8).prop_map(|host| Step::Borrow { host }),
        3 => (0..6u8, 0..12u8).prop_map(|(host, path)| Step::Again { host, path }),
        2 => Just(Step::Revive),
        6 => Just(Step::Commit),
        2 => Just(Step::Crash),
    ];
    proptest::collection::vec(step, 1..150)
}

/// Runs steps on both and compares all that can be seen; then drains both.
fn compare(options: &FrontierOptions, limits: Limits, steps: &[Step]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frontier");
    let (mut frontier, opened) = Frontier::open_with(&path, options, limits).unwrap();
    assert!(opened.fresh && opened.checkpoint.is_empty());
    let mut model = Model::new(options.clone());
    let mut committed = model.clone();
    let mut leases: Vec<Lease> = Vec::new();
    let mut now = 1_000_000i64;
    for (number, step) in steps.iter().enumerate() {
        match step.clone() {
            Step::Add { host, path, depth, priority, referrer } => {
                let found = found(host, path, depth, priority, referrer);
                assert_eq!(frontier.is_seen(&found.url).unwrap(), model.seen.contains(found.url.as_str()));
                assert_eq!(frontier.add(&found).unwrap(), model.add(&found), "step {number}");
                assert!(frontier.is_seen(&found.url).unwrap());
            }
            Step::Next => next(&mut frontier, &mut model, now, &mut leases),
            Step::Release { which, after, pause_ms } => {
                if leases.is_empty() {
                    continue;
                }
                let lease = leases.swap_remove(usize::from(which) % leases.len());
                assert_eq!(frontier.host(&lease).next_ms, model.due(&lease.host));
                // Who leaves a host alone keeps what it has queued.
                let alone = pause_ms == NEVER_MS;
                let after = if alone { After::Keep } else { after };
                frontier.host_mut(&lease).next_ms = now + pause_ms;
                // The end of a queue may be an entry that was marked as done, which the model has not.
                let after = if frontier.cancelled.is_empty() { after } else { After::Done };
                model.release(&lease.entry, after, now + pause_ms);
                frontier.release(lease, after).unwrap();
            }
            Step::Tick(ms) => now += ms,
            Step::MarkSeen { host, path } => {
                let url = found(host, path, 0, 0.0, None).url;
                let alone = model.due(url.host()) >= NEVER_MS;
                if !alone && !leases.iter().any(|lease| lease.entry.url == url) {
                    frontier.mark_seen(&url).unwrap();
                    model.mark_seen(&url);
                }
            }
            Step::Borrow { host } => {
                let name = format!("h{host}.example");
                match frontier.borrow_host(&found(host, 0, 0, 0.0, None).url, now).unwrap() {
                    Borrowed::Busy => assert!(model.is_lent(&name)),
                    Borrowed::Due { at_ms } => assert_eq!(at_ms, model.due(&name)),
                    Borrowed::Leased(lease) => {
                        assert!(!model.is_lent(&name) && model.due(&name) <= now);
                        frontier.host_mut(&lease).next_ms = now + 7;
                        frontier.release(lease, After::Keep).unwrap();
                        model.next_ms.insert(name, now + 7);
                        model.end_page();
                    }
                }
            }
            Step::Again { host, path } => {
                let found = found(host, path, 1, 0.5, None);
                let waits = model.items.iter().any(|item| item.entry.url == found.url);
                if !waits && frontier.cancelled.is_empty() {
                    frontier.add_again(&found).unwrap();
                    model.add_again(&found);
                }
            }
            Step::Revive => {
                let names = model.revive(now);
                let revived = frontier.revive(&mut |_, state| state.next_ms = now).unwrap();
                assert!(revived as usize >= names);
            }
            Step::Commit => {
                model.checkpoint = number.to_string().into_bytes();
                frontier.set_robots("http://h0.example", &model.checkpoint).unwrap();
                frontier.commit(&model.checkpoint).unwrap();
                committed = model.clone();
            }
            Step::Crash => {
                drop(std::mem::take(&mut leases));
                drop(frontier);
                let (again, opened) = Frontier::open_with(&path, options, limits).unwrap();
                frontier = again;
                model = committed.clone();
                model.crash();
                assert_eq!((opened.fresh, &opened.checkpoint), (false, &model.checkpoint));
                assert_eq!(
                    frontier.robots("http://h0.example").unwrap().unwrap_or_default(),
                    model.checkpoint
                );
            }
        }
        let stats = frontier.stats();
        assert_eq!(stats.seen as usize, model.seen.len());
        assert_eq!(stats.hosts_leased as usize, leases.len());
        assert!(stats.queued as usize >= model.items.len());
    }
    frontier.revive(&mut |_, state| state.next_ms = now).unwrap();
    model.revive(now);
    for lease in leases {
        model.release(&lease.entry, After::Done, now);
        frontier.release(lease, After::Done).unwrap();
    }
    let mut leases = Vec::new();
    while !model.items.is_empty() {
        next(&mut frontier, &mut model, now, &mut leases);
        match leases.pop() {
            None => now += super::schedule::FAR_MS,
            Some(lease) => {
                model.release(&lease.entry, After::Done, now);
                frontier.host_mut(&lease).next_ms = now;
                frontier.release(lease, After::Done).unwrap();
            }
        }
    }
    next(&mut frontier, &mut model, now + 100 * super::schedule::FAR_MS, &mut leases);
    let stats = frontier.stats();
    assert_eq!((stats.queued, stats.hosts_ready, stats.hosts_waiting, stats.hosts_parked), (0, 0, 0, 0));
}

fn next(frontier: &mut Frontier, model: &mut Model, now: i64, leases: &mut Vec<Lease>) {
    let expected = model.next(now);
    match (frontier.next(now).unwrap(), expected) {
        (Next::Fetch(lease), ExpectedNext::Fetch(entry)) => {
            assert_eq!(lease.entry, entry);
            assert_eq!(&*lease.host, entry.url.host());
            leases.push(lease);
        }
        // Of hosts on disk the time is a lower bound; of a host whose URLs were all marked, too.
        (Next::Wait { until_ms }, ExpectedNext::Wait(at)) => {
            assert!(now < until_ms && until_ms <= at, "{until_ms} {at}")
        }
        (Next::Wait { .. }, _) if !frontier.cancelled.is_empty() => {}
        (Next::Busy, ExpectedNext::Busy) | (Next::Empty, ExpectedNext::Empty) => {}
        (got, expected) => panic!("{got:?} where the model says {expected:?}"),
    }
}

fn options(strategy: Order, popularity: f64, strict: bool) -> FrontierOptions {
    FrontierOptions { strategy, popularity, strict, hash_seed: 9, ..FrontierOptions::default() }
}

/// Number of cases from `PROPTEST_CASES`, else `usual`: each opens a store, which waits for the disk.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_model(
        steps in steps(),
        strategy in prop_oneof![Just(Order::Breadth), Just(Order::Depth), Just(Order::Best)],
        popularity in prop_oneof![Just(0.0), Just(0.75)],
        strict: bool,
        tiny: bool,
    ) {
        let popularity = if strategy == Order::Best { popularity } else { 0.0 };
        compare(&options(strategy, popularity, strict), if tiny { TINY } else { small() }, &steps);
    }
}

/// A script of a crawl: step `n` of seed `seed`, the same whenever it is run.
fn play(frontier: &mut Frontier, seed: u64, n: u64) {
    let random = |salt: u64| xxhash_rust::xxh3::xxh3_64_with_seed(&n.to_le_bytes(), seed ^ salt);
    for k in 0..random(1) % 40 {
        let (host, path) = (random(k + 100) % 200, random(k + 1000) % 5000);
        let url = format!("http://h{}.example/{path}", host * host % 200);
        let found = Discovered {
            url: CanonicalUrl::parse(&url).unwrap(),
            purpose: Purpose::Page,
            depth: (n / 50) as u32,
            redirects: 0,
            lineage: Default::default(),
            origin: None,
            referrer: Some(format!("http://p.example/{n}").into()),
            priority: (random(k + 7000) % 100) as f64,
        };
        frontier.add(&found).unwrap();
    }
    let now = 1_000_000 + 10 * n as i64;
    for k in 0..random(2) % 12 {
        let Next::Fetch(lease) = frontier.next(now).unwrap() else { break };
        let state = frontier.host_mut(&lease);
        state.next_ms = now + (random(k + 50) % 300) as i64;
        state.fetched += 1;
        let after =
            if random(k + 60) % 9 == 0 && lease.entry.retries < 3 { After::Retry } else { After::Done };
        frontier.release(lease, after).unwrap();
    }
}

/// All that is left, in order.
fn drain(frontier: &mut Frontier) -> Vec<String> {
    let (mut given, mut now) = (Vec::new(), 1_000_000_000);
    loop {
        match frontier.next(now).unwrap() {
            Next::Fetch(lease) => {
                given.push(format!("{} {}", lease.entry.url, frontier.host(&lease).fetched));
                frontier.host_mut(&lease).fetched += 1;
                frontier.release(lease, After::Done).unwrap();
            }
            Next::Wait { until_ms } => now = until_ms,
            Next::Busy | Next::Empty => return given,
        }
    }
}

#[test]
fn a_host_left_alone_with_nothing_queued_comes_back_with_what_was_found_since() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let options = options(Order::Breadth, 0.0, false);
    let (mut frontier, _) = Frontier::open_with(&path, &options, small()).unwrap();
    frontier.add(&found(1, 0, 0, 0.0, None)).unwrap();
    let Next::Fetch(lease) = frontier.next(0).unwrap() else { panic!() };
    frontier.host_mut(&lease).next_ms = NEVER_MS;
    frontier.release(lease, After::Done).unwrap();
    frontier.change_host("h2.example", &mut |state| state.next_ms = NEVER_MS).unwrap();
    frontier.add(&found(1, 1, 0, 0.0, None)).unwrap();
    frontier.add(&found(2, 1, 0, 0.0, None)).unwrap();
    frontier.commit(b"").unwrap();
    drop(frontier);
    let (mut frontier, _) = Frontier::open_with(&path, &options, small()).unwrap();
    assert_eq!(frontier.revive(&mut |_, state| state.next_ms = 0).unwrap(), 2);
    assert_eq!(frontier.revive(&mut |_, state| state.next_ms = 0).unwrap(), 0);
    assert_eq!(drain(&mut frontier).len(), 2);
}

#[test]
fn links_to_what_waits_again_count() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(Order::Best, 3.0, false);
    let (mut frontier, _) = Frontier::open_with(&folder.path().join("f"), &options, small()).unwrap();
    frontier.add(&found(1, 0, 0, 0.0, None)).unwrap();
    let Next::Fetch(lease) = frontier.next(0).unwrap() else { panic!() };
    frontier.release(lease, After::Done).unwrap();
    frontier.add_again(&found(1, 0, 0, 0.0, None)).unwrap();
    frontier.add(&found(2, 0, 0, 1.0, None)).unwrap();
    assert!(!frontier.add(&found(1, 0, 0, 0.0, Some(1))).unwrap());
    let Next::Fetch(lease) = frontier.next(0).unwrap() else { panic!() };
    assert_eq!(&*lease.host, "h1.example");
}

#[test]
fn the_strict_order_depends_on_neither_memory_nor_time() {
    for strategy in [Order::Breadth, Order::Depth, Order::Best] {
        let popularity = if strategy == Order::Best { 3.0 } else { 0.0 };
        let mut orders = Vec::new();
        for (limits, commit_every) in [(TINY, 3), (small(), 1), (small(), 50)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("f");
            let options = options(strategy, popularity, true);
            let (mut frontier, _) = Frontier::open_with(&path, &options, limits).unwrap();
            let mut given = Vec::new();
            for n in 0..60 {
                for k in 0..30u64 {
                    let random = xxhash_rust::xxh3::xxh3_64_with_seed(&k.to_le_bytes(), n);
                    let (host, path) = ((random % 40) as u8, (random >> 20) as u8);
                    let priority = ((random >> 30) % 9) as f64;
                    frontier.add(&found(host, path, (n / 9) as u32, priority, Some(n as u8))).unwrap();
                }
                // One waits for the host, the other finds it due.
                let mut now = 1_000_000;
                for _ in 0..5 {
                    let lease = loop {
                        match frontier.next(now).unwrap() {
                            Next::Fetch(lease) => break lease,
                            Next::Wait { until_ms } => now = until_ms,
                            other => panic!("{other:?}"),
                        }
                    };
                    given.push(lease.entry.url.to_string());
                    frontier.host_mut(&lease).next_ms = now + (commit_every * 1000) as i64;
                    let retry = given.len() % 7 == 0 && lease.entry.retries == 0;
                    frontier.release(lease, if retry { After::Retry } else { After::Done }).unwrap();
                }
                if n % commit_every == 0 {
                    frontier.commit(b"").unwrap();
                }
            }
            given.extend(drain(&mut frontier));
            orders.push(given);
        }
        assert!(orders[0].len() > 1000);
        assert!(orders[0] == orders[1] && orders[1] == orders[2], "{}", strategy.name());
    }
}

#[test]
fn only_one_process_and_the_same_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let breadth = options(Order::Breadth, 0.0, false);
    let (mut frontier, _) = Frontier::open(&path, &breadth).unwrap();
    frontier.commit(b"mark").unwrap();
    assert!(matches!(Frontier::open(&path, &breadth), Err(Error::Config(_))), "two at once");
    frontier.close().unwrap();
    for other in [options(Order::Depth, 0.0, false), FrontierOptions { hash_seed: 1, ..breadth.clone() }] {
        let Err(Error::Incompatible { found, expected, .. }) = Frontier::open(&path, &other) else {
            panic!("opened with {other:?}")
        };
        assert!(found.contains("breadth") && found != expected);
    }
    // Memory and workers may change.
    let other = FrontierOptions { strict: true, memory: 16 << 20, ..breadth };
    let (_frontier, opened) = Frontier::open(&path, &other).unwrap();
    assert_eq!(opened, super::Opened { fresh: false, checkpoint: b"mark".to_vec() });
}

#[test]
fn a_folder_of_other_things_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("thesis.txt"), "words").unwrap();
    let opened = Frontier::open(folder.path(), &FrontierOptions::default());
    assert!(matches!(opened, Err(Error::Corrupt { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    // What a crash while it was made left behind is made anew.
    let half = folder.path().join(".f.partial/keyspaces");
    std::fs::create_dir_all(&half).unwrap();
    assert!(Frontier::open(&folder.path().join("f"), &FrontierOptions::default()).unwrap().1.fresh);
    assert!(!half.exists());
}

/// Run by the next test in a process of its own, to be killed.
#[test]
#[ignore = "killed by another test"]
fn victim() {
    let Some(folder) = std::env::var_os("WEBMILL_FRONTIER_VICTIM") else { return };
    let tiny = std::env::var_os("WEBMILL_FRONTIER_TINY").is_some();
    let limits = if tiny { TINY } else { small() };
    let options = options(Order::Best, 2.0, false);
    let (mut frontier, opened) = Frontier::open_with(Path::new(&folder), &options, limits).unwrap();
    let mut n = opened.checkpoint.try_into().map_or(0, u64::from_le_bytes);
    loop {
        play(&mut frontier, 3, n);
        n += 1;
        // A lease that is open when the process dies comes again.
        let open = frontier.next(1_000_000 + 10 * n as i64).unwrap();
        frontier.commit(&n.to_le_bytes()).unwrap();
        println!("committed {n}");
        if let Next::Fetch(lease) = open {
            frontier.release(lease, After::Keep).unwrap();
        }
    }
}

#[test]
fn killed_it_goes_on_from_the_last_commit() {
    use std::io::{BufRead, BufReader};
    for tiny in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let limits = if tiny { TINY } else { small() };
        let options = options(Order::Best, 2.0, false);
        let mut last = 0u64;
        for round in 0..8u64 {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            command.args(["frontier::tests::victim", "--exact", "--ignored", "--nocapture"]);
            command.env("WEBMILL_FRONTIER_VICTIM", &path).stdout(std::process::Stdio::piped());
            if tiny {
                command.env("WEBMILL_FRONTIER_TINY", "1");
            }
            let mut child = command.spawn().unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            // The reader is as far behind as the pipe is long, so it is killed in the middle of anything.
            let mut wanted = 10 + round * 13;
            while wanted > 0 {
                let line = lines.next().expect("the victim lives").unwrap();
                if let Some(n) = line.strip_prefix("committed ") {
                    (last, wanted) = (n.parse().unwrap(), wanted - 1);
                }
            }
            std::thread::sleep(std::time::Duration::from_micros(137 * round));
            child.kill().unwrap();
            child.wait().unwrap();
            for line in lines.map_while(Result::ok) {
                last = line.strip_prefix("committed ").and_then(|n| n.parse().ok()).unwrap_or(last);
            }
        }
        let (mut killed, opened) = Frontier::open_with(&path, &options, limits).unwrap();
        let steps = u64::from_le_bytes(opened.checkpoint.try_into().unwrap());
        assert!(steps == last || steps == last + 1, "{steps} are in the checkpoint, {last} were reported");
        let (mut calm, _) = Frontier::open_with(&folder.path().join("calm"), &options, limits).unwrap();
        for n in 0..steps {
            play(&mut calm, 3, n);
            calm.commit(b"").unwrap();
        }
        assert_eq!((killed.stats().seen, killed.stats().queued), (calm.stats().seen, calm.stats().queued));
        let (killed, calm) = (drain(&mut killed), drain(&mut calm));
        assert!(killed.len() > 1000);
        assert!(killed == calm, "after {steps} steps of 8 lives");
    }
}

#[test]
fn a_walk_over_hosts_finds_each_with_its_state_and_its_queue() {
    let folder = tempfile::tempdir().unwrap();
    let (mut frontier, _) =
        Frontier::open(&folder.path().join("f"), &options(Order::Breadth, 0.0, false)).unwrap();
    // Names that begin with one another, in more batches than one.
    let hosts: Vec<String> = (0..300)
        .flat_map(|n| [format!("h{n}.example"), format!("h{n}.example.org"), format!("h{n}-a.example")])
        .collect();
    let mut expected = std::collections::BTreeMap::new();
    for (n, host) in hosts.iter().enumerate() {
        let pages = n % 4;
        for page in 0..=pages {
            let url = CanonicalUrl::parse(&format!("http://{host}/{page}")).unwrap();
            frontier.add(&Discovered { url, ..found(0, 0, 1, 0.0, None) }).unwrap();
        }
        expected.insert(host.clone(), (0, pages as u64 + 1));
    }
    frontier.commit(b"").unwrap();
    // One entry of every other host is done, and its state known; the last hosts are not committed again.
    for n in 0..hosts.len() / 2 {
        let Next::Fetch(lease) = frontier.next(1_000).unwrap() else { panic!() };
        frontier.host_mut(&lease).stored = n as u64;
        let of = expected.get_mut(&*lease.host).unwrap();
        *of = (n as u64, of.1 - 1);
        frontier.release(lease, After::Done).unwrap();
        if n == 400 {
            frontier.commit(b"").unwrap();
        }
    }
    let mut found = Vec::new();
    frontier
        .each_host(&mut |name, state, queued| {
            assert_eq!(queued, frontier.queued_of(name, u64::MAX).unwrap());
            found.push((name.to_owned(), (state.stored, queued)));
            Ok(())
        })
        .unwrap();
    // A host with neither an answer nor a queue is none.
    let expected: Vec<_> = expected.into_iter().filter(|(_, known)| *known != (0, 0)).collect();
    assert_eq!(found.into_iter().filter(|(_, known)| *known != (0, 0)).collect::<Vec<_>>(), expected);
}
