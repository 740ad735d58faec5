use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::frontier::options::Limits;
use crate::frontier::store::Sizes;
use crate::frontier::{After, FrontierOptions, Next, Strategy as Order};

fn limits() -> Limits {
    Limits { sizes: Sizes { cache: 1 << 20, large: 1 << 20, small: 1 << 19 }, ..Limits::of(16 << 20) }
}

fn open(path: &Path, options: &FrontierOptions) -> Frontier {
    Frontier::open_with(path, options, limits()).unwrap().0
}

fn url(number: u8) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://h{}.example/{number}", number % 3)).unwrap()
}

fn history(number: u8, next_ms: Option<i64>) -> PageHistory {
    let priority = f64::from(number) / 8.0;
    PageHistory {
        next_ms,
        depth: number.into(),
        priority,
        lineage: (number, 9),
        ..PageHistory::new(url(number).as_str(), 7)
    }
}

#[test]
fn a_page_is_visited_when_it_is_due_and_comes_back_when_it_is_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frontier");
    let options = FrontierOptions::default();
    let mut frontier = open(&path, &options);
    assert_eq!((frontier.next_due().unwrap(), frontier.history(&url(1)).unwrap()), (None, None));
    frontier.set_history(&url(1), &history(1, Some(500))).unwrap();
    frontier.set_history(&url(2), &history(2, Some(100))).unwrap();
    frontier.set_history(&url(3), &history(3, None)).unwrap();
    assert_eq!(frontier.next_due().unwrap(), Some(100));
    assert_eq!(frontier.take_due(99, 10).unwrap(), []);
    let due = frontier.take_due(1000, 1).unwrap();
    assert_eq!(
        due,
        [Due {
            url: url(2),
            due_ms: 100,
            depth: 2,
            priority: 0.25,
            lineage: Lineage { off_site: 2, seed: SeedMark(9) }
        }]
    );
    assert_eq!(frontier.history_counts(), HistoryCounts { pages: 3, scheduled: 1, queued: 1 });
    frontier.commit(b"x").unwrap();
    drop(frontier);

    let mut frontier = open(&path, &options);
    let Next::Fetch(lease) = frontier.next(2000).unwrap() else { panic!("it is queued") };
    assert_eq!((lease.entry.url.clone(), lease.entry.depth), (url(2), 2));
    frontier.set_history(&url(2), &history(2, Some(9000))).unwrap();
    frontier.release(lease, After::Done).unwrap();
    assert_eq!(frontier.next_due().unwrap(), Some(500));
    frontier.set_history(&url(3), &history(3, Some(400))).unwrap();
    let urls: Vec<CanonicalUrl> =
        frontier.take_due(9000, 10).unwrap().into_iter().map(|due| due.url).collect();
    assert_eq!(urls, [url(3), url(1), url(2)]);
    assert_eq!(frontier.next_due().unwrap(), None);
}

#[test]
fn histories_of_another_version_or_of_another_page_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut frontier = open(&folder.path().join("frontier"), &FrontierOptions::default());
    assert!(matches!(frontier.set_history(&url(1), &history(2, None)), Err(Error::Internal(_))));
    frontier.set_history(&url(1), &history(1, None)).unwrap();
    let mut bytes = history(1, None).encode();
    bytes[0] = 77;
    let key = frontier.history_key(&url(1)).to_be_bytes();
    frontier.history.put(key, bytes);
    let error = frontier.history(&url(1)).unwrap_err();
    assert!(
        matches!(error, Error::Incompatible { .. }) && error.to_string().contains("version 77"),
        "{error}"
    );
    frontier.history.put(key, b"\x01damaged".to_vec());
    assert!(matches!(frontier.history(&url(1)), Err(Error::Corrupt { .. })));
    frontier.due.put(due_key(5, 1), b"damaged".to_vec());
    assert!(matches!(frontier.take_due(10, 1), Err(Error::Corrupt { .. })));
}

#[test]
fn histories_of_a_host_come_one_after_another() {
    let folder = tempfile::tempdir().unwrap();
    let mut frontier = open(&folder.path().join("frontier"), &FrontierOptions::default());
    (0..30).for_each(|number| frontier.set_history(&url(number), &history(number, None)).unwrap());
    let (mut of_number, mut numbers, mut pages) = (BTreeMap::new(), Vec::new(), 0);
    let mut note = |number: u32, history: PageHistory| {
        assert_eq!(*of_number.entry(number).or_insert(history.depth % 3), history.depth % 3);
        numbers.push(number);
        pages += 1;
        Ok(())
    };
    frontier.each_history(&mut note).unwrap();
    assert_eq!((pages, of_number.len()), (30, 3));
    assert!(numbers.is_sorted());
}

/// A page as the model knows it: its history and whether it is queued.
type Pages = BTreeMap<u8, (PageHistory, bool)>;

#[derive(Debug, Clone)]
enum Step {
    Set { page: u8, next: Option<i64> },
    Update { page: u8, next: Option<i64> },
    Replay { page: u8, next: Option<i64> },
    Take { now: i64, max: usize },
    Visit { next: Option<i64> },
    Commit,
    Crash,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let page = || 0..9u8;
    let next = || proptest::option::weighted(0.8, prop_oneof![6 => 0..40i64, 1 => any::<i64>()]);
    let step = prop_oneof![
        6 => (page(), next()).prop_map(|(page, next)| Step::Set { page, next }),
        3 => (page(), next()).prop_map(|(page, next)| Step::Update { page, next }),
        2 => (page(), next()).prop_map(|(page, next)| Step::Replay { page, next }),
        6 => (0..50i64, 0..4usize).prop_map(|(now, max)| Step::Take { now, max }),
        8 => next().prop_map(|next| Step::Visit { next }),
        3 => Just(Step::Commit),
        1 => Just(Step::Crash),
    ];
    proptest::collection::vec(step, 1..80)
}

fn expected_due(pages: &Pages) -> Vec<(i64, u8)> {
    let scheduled = pages.iter().filter(|(_, (_, queued))| !queued);
    let mut due: Vec<(i64, u8)> =
        scheduled.filter_map(|(page, (history, _))| Some((history.next_ms?, *page))).collect();
    due.sort();
    due
}

fn compare(options: &FrontierOptions, steps: &[Step]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frontier");
    let mut frontier = open(&path, options);
    let mut pages = Pages::new();
    let mut committed = pages.clone();
    for step in steps {
        match *step {
            // Of what is queued a visit is under way: only that visit sets it.
            Step::Set { page, next } if !pages.get(&page).is_some_and(|(_, queued)| *queued) => {
                frontier.set_history(&url(page), &history(page, next)).unwrap();
                pages.insert(page, (history(page, next), false));
            }
            Step::Set { .. } => {}
            Step::Update { page, next } => {
                frontier.update_history(&url(page), &history(page, next)).unwrap();
                let queued = pages.get(&page).is_some_and(|(_, queued)| *queued);
                pages.insert(page, (history(page, next), queued));
            }
            Step::Replay { page, next } => {
                frontier.replay_visit(&url(page), &history(page, next)).unwrap();
                pages.insert(page, (history(page, next), false));
            }
            Step::Take { now, max } => {
                let found = frontier.take_due(now, max).unwrap();
                let due = expected_due(&pages).into_iter().filter(|(at, _)| *at <= now);
                let times: Vec<i64> = due.clone().map(|(at, _)| at).take(max).collect();
                assert_eq!(found.iter().map(|due| due.due_ms).collect::<Vec<_>>(), times);
                for taken in found {
                    let page = taken.depth as u8;
                    assert!(due.clone().any(|known| known == (taken.due_ms, page)) && taken.url == url(page));
                    pages.get_mut(&page).unwrap().1 = true;
                }
            }
            Step::Visit { next } => match frontier.next(1000).unwrap() {
                Next::Fetch(lease) => {
                    let page = lease.entry.depth as u8;
                    assert!(pages[&page].1, "{page} is given out and was not due");
                    frontier.set_history(&lease.entry.url, &history(page, next)).unwrap();
                    frontier.release(lease, After::Done).unwrap();
                    pages.insert(page, (history(page, next), false));
                }
                _ => assert!(pages.values().all(|(_, queued)| !queued)),
            },
            Step::Commit => {
                frontier.commit(b"x").unwrap();
                committed = pages.clone();
            }
            Step::Crash => {
                drop(frontier);
                frontier = open(&path, options);
                pages = committed.clone();
            }
        }
        let due = expected_due(&pages);
        assert_eq!(frontier.next_due().unwrap(), due.first().map(|(at, _)| *at));
        let queued = pages.values().filter(|(_, queued)| *queued).count() as u64;
        let counts = HistoryCounts { pages: pages.len() as u64, scheduled: due.len() as u64, queued };
        assert_eq!(frontier.history_counts(), counts);
        for page in 0..9 {
            let known = pages.get(&page);
            assert_eq!(frontier.history(&url(page)).unwrap().as_ref(), known.map(|(history, _)| history));
            assert_eq!(
                frontier.is_queued_again(&url(page)).unwrap(),
                known.is_some_and(|(_, queued)| *queued)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn histories_agree_with_the_model_whatever_comes_and_after_a_crash(steps in steps(), best: bool) {
        let strategy = if best { Order::Best } else { Order::Breadth };
        compare(&FrontierOptions { strategy, popularity: 0.5, ..FrontierOptions::default() }, &steps);
    }
}

#[test]
fn many_pages_are_on_disk_and_not_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frontier");
    let options = FrontierOptions::default();
    let mut frontier = open(&path, &options);
    let url = |n: u32| CanonicalUrl::parse(&format!("http://h{}.example/{n}", n % 50)).unwrap();
    let pages = 20_000;
    for n in 0..pages {
        let history = PageHistory::new(url(n).as_str(), i64::from(n % 977));
        frontier.set_history(&url(n), &history).unwrap();
        if n % 500 == 499 {
            frontier.commit(b"x").unwrap();
            assert!(frontier.history.pending_len() == 0 && frontier.due.pending_len() == 0);
        }
    }
    let (mut visits, mut last) = (0, i64::MIN);
    while let Some(next) = frontier.next_due().unwrap() {
        assert!(next >= last);
        last = next;
        visits += frontier.take_due(next, 300).unwrap().len();
        while let Next::Fetch(lease) = frontier.next(1000).unwrap() {
            let mut history = frontier.history(&lease.entry.url).unwrap().unwrap();
            history.next_ms = None;
            frontier.set_history(&lease.entry.url, &history).unwrap();
            frontier.release(lease, After::Done).unwrap();
        }
        frontier.commit(b"x").unwrap();
    }
    assert_eq!(visits, pages as usize);
    assert_eq!(frontier.history_counts(), HistoryCounts { pages: pages.into(), scheduled: 0, queued: 0 });
}

#[test]
fn a_page_queued_by_others_is_not_due_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let mut frontier = open(&folder.path().join("f"), &FrontierOptions::default());
    frontier.set_history(&url(1), &history(1, Some(100))).unwrap();
    assert_eq!(frontier.count_due(99, 10).unwrap(), 0);
    assert_eq!(frontier.count_due(100, 10).unwrap(), 1);
    frontier.count_as_queued(&url(1)).unwrap();
    frontier.count_as_queued(&url(2)).unwrap();
    assert_eq!(frontier.take_due(200, 10).unwrap(), []);
    assert_eq!(frontier.history_counts(), HistoryCounts { pages: 1, scheduled: 0, queued: 1 });
    frontier.set_history(&url(1), &history(1, Some(300))).unwrap();
    assert_eq!(frontier.take_due(300, 10).unwrap().len(), 1);
}
