//! The frontier against its model, against kill -9 and against damage.

use proptest::prelude::*;

use super::model::{Model, Turn};
use super::options::{Limits, Strategy as Order};
use super::store::Sizes;
use super::{After, Borrowed, Frontier, FrontierOptions, Lease, Next};
use crate::capture::CanonicalUrl;
use crate::crawl::task::{Found, Purpose};

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

fn found(host: u8, path: u8, depth: u32, priority: f64, referrer: Option<u8>) -> Found {
    let scheme = if path % 5 == 4 { "https" } else { "http" };
    Found {
        url: CanonicalUrl::parse(&format!("{scheme}://h{host}.example/{path}")).unwrap(),
        purpose: if path % 7 == 6 { Purpose::Sitemap } else { Purpose::Page },
        depth,
        redirects: path % 3,
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
    Commit,
    Crash,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let after = prop_oneof![4 => Just(After::Done), 1 => Just(After::Keep), 2 => Just(After::Retry)];
    let pause = prop_oneof![3 => Just(0i64), 3 => 1..50i64, 1 => Just(super::turns::FAR_MS + 5)];
    let priority = prop_oneof![Just(0.0), Just(1.0), Just(-0.5), Just(0.25)];
    let step = prop_oneof![
        40 => (0..6u8, 0..12u8, 0..4u32, priority, proptest::option::of(0..3u8)).prop_map(
            |(host, path, depth, priority, referrer)| Step::Add { host, path, depth, priority, referrer }),
        25 => Just(Step::Next),
        20 => (any::<u8>(), after, pause).prop_map(|(which, after, pause_ms)| Step::Release { which, after, pause_ms }),
        8 => prop_oneof![4 => 1..60i64, 1 => Just(super::turns::FAR_MS)].prop_map(Step::Tick),
        3 => (0..6u8, 0..12u8).prop_map(|(host, path)| Step::MarkSeen { host, path }),
        3 => (0..8u8).prop_map(|host| Step::Borrow { host }),
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
    assert!(opened.fresh && opened.mark.is_empty());
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
                frontier.host_mut(&lease).next_ms = now + pause_ms;
                model.release(&lease.entry, after, now + pause_ms);
                frontier.release(lease, after).unwrap();
            }
            Step::Tick(ms) => now += ms,
            Step::MarkSeen { host, path } => {
                let url = found(host, path, 0, 0.0, None).url;
                if !leases.iter().any(|lease| lease.entry.url == url) {
                    frontier.mark_seen(&url).unwrap();
                    model.mark_seen(&url);
                }
            }
            Step::Borrow { host } => {
                let name = format!("h{host}.example");
                match frontier.borrow_host(&found(host, 0, 0, 0.0, None).url, now).unwrap() {
                    Borrowed::Busy => assert!(model.is_lent(&name)),
                    Borrowed::Due { at_ms } => assert_eq!(at_ms, model.due(&name)),
                    Borrowed::Lent(lease) => {
                        assert!(!model.is_lent(&name) && model.due(&name) <= now);
                        frontier.host_mut(&lease).next_ms = now + 7;
                        frontier.release(lease, After::Keep).unwrap();
                        model.next_ms.insert(name, now + 7);
                        model.end_page();
                    }
                }
            }
            Step::Commit => {
                model.mark = number.to_string().into_bytes();
                model.notes.insert("step".into(), model.mark.clone());
                frontier.note("step", &model.mark);
                frontier.set_robots("http://h0.example", &model.mark).unwrap();
                frontier.commit(&model.mark).unwrap();
                committed = model.clone();
            }
            Step::Crash => {
                drop(std::mem::take(&mut leases));
                drop(frontier);
                let (again, opened) = Frontier::open_with(&path, options, limits).unwrap();
                frontier = again;
                model = committed.clone();
                model.crash();
                assert_eq!((opened.fresh, &opened.mark), (false, &model.mark));
                assert_eq!(frontier.noted("step").unwrap().as_ref(), model.notes.get("step"));
                assert_eq!(frontier.robots("http://h0.example").unwrap().as_ref(), model.notes.get("step"));
            }
        }
        let stats = frontier.stats();
        assert_eq!(stats.seen as usize, model.seen.len());
        assert_eq!(stats.hosts_lent as usize, leases.len());
        assert!(stats.queued as usize >= model.items.len());
    }
    for lease in leases {
        model.release(&lease.entry, After::Done, now);
        frontier.release(lease, After::Done).unwrap();
    }
    let mut leases = Vec::new();
    while !model.items.is_empty() {
        next(&mut frontier, &mut model, now, &mut leases);
        match leases.pop() {
            None => now += super::turns::FAR_MS,
            Some(lease) => {
                model.release(&lease.entry, After::Done, now);
                frontier.host_mut(&lease).next_ms = now;
                frontier.release(lease, After::Done).unwrap();
            }
        }
    }
    next(&mut frontier, &mut model, now + 100 * super::turns::FAR_MS, &mut leases);
    let stats = frontier.stats();
    assert_eq!((stats.queued, stats.hosts_ready, stats.hosts_waiting, stats.hosts_parked), (0, 0, 0, 0));
}

fn next(frontier: &mut Frontier, model: &mut Model, now: i64, leases: &mut Vec<Lease>) {
    let expected = model.next(now);
    match (frontier.next(now).unwrap(), expected) {
        (Next::Fetch(lease), Turn::Fetch(entry)) => {
            assert_eq!(lease.entry, entry);
            assert_eq!(&*lease.host, entry.url.host());
            leases.push(lease);
        }
        // Of hosts on disk the time is a lower bound; of a host whose URLs were all marked, too.
        (Next::Wait { until_ms }, Turn::Wait(at)) => {
            assert!(now < until_ms && until_ms <= at, "{until_ms} {at}")
        }
        (Next::Wait { .. }, _) if !frontier.cancelled.is_empty() => {}
        (Next::Busy, Turn::Busy) | (Next::Empty, Turn::Empty) => {}
        (got, expected) => panic!("{got:?} where the model says {expected:?}"),
    }
}

fn options(strategy: Order, popularity: f64, strict: bool) -> FrontierOptions {
    FrontierOptions { strategy, popularity, strict, hash_seed: 9, ..FrontierOptions::default() }
}

/// As many cases as `PROPTEST_CASES` says, or so many: each opens a store, which waits for the disk.
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
